//! What a connection is to be like.

use std::path::PathBuf;
use std::time::Duration;

use super::address::ServerAddress;

/// How a client logs in.
#[derive(Clone, PartialEq, Eq)]
pub enum Authentication {
    /// A login of the server and its password.
    Password {
        /// The login.
        user: String,
        /// Its password.
        password: String,
    },
    /// The account that this process runs as, which a server accepts only from processes on its own
    /// machine, and only if it is configured to.
    Trusted,
}

impl std::fmt::Debug for Authentication {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Authentication::Password { user, .. } => write!(f, "Password({user})"),
            Authentication::Trusted => write!(f, "Trusted"),
        }
    }
}

/// How much is to be encrypted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encrypt {
    /// Nothing, not even the login.
    Never,
    /// The login, and everything if the server requires it.
    Optional,
    /// Everything.
    Mandatory,
    /// Everything, from the first byte (TDS 8.0).
    Strict,
}

/// Which certificates to accept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trust {
    /// Any: the connection is private, but the identity of the server is not known.
    Any,
    /// One that the machine's certificate authorities, or those in a file, vouch for.
    Authorities {
        /// PEM file to use instead of the machine's.
        file: Option<PathBuf>,
        /// The name that the certificate must have, if not the server's.
        name: Option<String>,
    },
    /// The one in a file.
    Certificate(PathBuf),
}

/// Where and how to connect.
#[derive(Clone, Debug)]
pub struct ConnectOptions {
    /// The server.
    pub address: ServerAddress,
    /// The login.
    pub authentication: Authentication,
    /// The database; empty for the login's own.
    pub database: String,
    /// What is encrypted.
    pub encrypt: Encrypt,
    /// The server certificates that are accepted.
    pub trust: Trust,
    /// What the server shows as the program, `APP_NAME()`.
    pub app_name: String,
    /// What the server shows as the machine, `HOST_NAME()`; empty for this machine's name.
    pub host_name: String,
    /// The packet size to ask for.
    pub packet_size: u16,
    /// How long reaching the server and logging in may take.
    pub login_timeout: Option<Duration>,
    /// How long a request may take.
    pub query_timeout: Option<Duration>,
    /// The client only reads, which a cluster may send to a replica.
    pub read_only: bool,
}

impl ConnectOptions {
    /// A trusted connection with everything else as SQL Server's tools have it by default.
    pub fn new(address: ServerAddress) -> ConnectOptions {
        ConnectOptions {
            address,
            authentication: Authentication::Trusted,
            database: String::new(),
            encrypt: Encrypt::Optional,
            trust: Trust::Any,
            app_name: "thermocline".into(),
            host_name: String::new(),
            packet_size: 4096,
            login_timeout: Some(Duration::from_secs(15)),
            query_timeout: None,
            read_only: false,
        }
    }

    /// These options with another database.
    pub fn with_database(mut self, database: impl Into<String>) -> ConnectOptions {
        self.database = database.into();
        self
    }
}
