//! How a server is set up.
//!
//! Every setting has one name, `max_memory`: so it is called in the configuration file, its flag is
//! `--max-memory` and its environment variable `THERMOCLINE_MAX_MEMORY`. A flag beats the
//! environment, which beats the file, which beats the default. [`settings::SETTINGS`] lists them;
//! the command line, the file, `--help` and `docs/operating/configuration.md` all come from there.

pub mod amount;
mod file;
pub mod settings;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use base::Collation;
use base::datetime::{Language, US_ENGLISH};
use env::Env;

pub use amount::{Bytes, Memory, Span};
use settings::SETTINGS;

/// What is encrypted on connections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encrypt {
    /// Nothing: there is no TLS.
    Off,
    /// What the client asks for, and the login always if the client can.
    On,
    /// Everything; clients without encryption are refused.
    Required,
    /// Everything, from the first byte (TDS 8.0); clients of older versions are refused.
    Strict,
}

/// The form of what the server says about itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorLogFormat {
    /// Lines for people.
    Text,
    /// One JSON object a line.
    Json,
}

/// How a server is set up.
#[derive(Clone, Debug)]
pub struct Config {
    /// The data directory.
    pub data: PathBuf,
    /// Where backups may be beside the data directory's folder; empty for everywhere.
    pub backup_directories: Vec<PathBuf>,
    /// Where files to be loaded may be; empty for everywhere.
    pub import_directories: Vec<PathBuf>,
    /// `HOST:PORT` to listen on, each.
    pub listen: Vec<String>,
    /// What is encrypted.
    pub encrypt: Encrypt,
    /// The certificate's file; none for the one in the data directory.
    pub tls_certificate: Option<PathBuf>,
    /// The file of the certificate's private key.
    pub tls_key: Option<PathBuf>,
    /// What rows of all databases together may use.
    pub max_memory: Memory,
    /// What rows of one database may use.
    pub max_database_memory: Memory,
    /// What pages of data files may use in memory.
    pub buffer_pool_size: Memory,
    /// How long the arm of a simulated slow disk with the data files takes for a move; none for the
    /// disk as it is.
    pub simulated_seek: Option<Duration>,
    /// What rows of a database's disk tables may use in memory before the largest tables sink.
    pub disk_table_memory: Bytes,
    /// What the statements of one session may use beside rows.
    pub session_memory: Memory,
    /// What statements that sort and hash may use, all together.
    pub query_memory: Memory,
    /// What statements may write to files when their memory is used up.
    pub max_spill: Bytes,
    /// What texts and plans that are kept may use.
    pub plan_cache_memory: Memory,
    /// Bytes that the segments of transaction logs grow to.
    pub log_segment_size: Bytes,
    /// Bytes of a transaction log that may wait to be written.
    pub log_ring_size: Bytes,
    /// Bytes of a checkpoint's data files; none for what suits the machine's memory.
    pub checkpoint_file_size: Option<Bytes>,
    /// Bytes of transaction log since the last checkpoint that make another.
    pub checkpoint_log_size: Bytes,
    /// Threads that run statements; none for one a processor.
    pub workers: Option<usize>,
    /// Bytes of a packet, for clients that leave it to the server.
    pub packet_size: u16,
    /// Sessions at a time.
    pub max_connections: usize,
    /// How long a client may take to log in.
    pub login_timeout: Duration,
    /// Whether logon triggers run.
    pub logon_triggers: bool,
    /// Bytes that one request may have; bulk loads may have any number.
    pub message_limit: Bytes,
    /// Whether clients on this machine are administrators without a password, if they ask for it.
    pub allow_local_trusted: bool,
    /// `@@SERVERNAME`; none for the machine's name.
    pub server_name: Option<String>,
    /// The language of sessions that do not ask for one.
    pub language: &'static Language,
    /// The server's collation, chosen when the data directory is made.
    pub collation: Collation,
    /// How long statements may go on after a shutdown was requested.
    pub shutdown_timeout: Duration,
    /// What is written to the error log: `error`, `warn`, `info`, `debug`, `trace`, or directives
    /// as `tracing` knows them.
    pub errorlog_level: String,
    /// In which form.
    pub errorlog_format: ErrorLogFormat,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            data: PathBuf::from("data"),
            backup_directories: Vec::new(),
            import_directories: Vec::new(),
            listen: vec!["127.0.0.1:1433".into()],
            encrypt: Encrypt::On,
            tls_certificate: None,
            tls_key: None,
            max_memory: Memory::Percent(75),
            max_database_memory: Memory::Percent(100),
            buffer_pool_size: Memory::Percent(25),
            disk_table_memory: Bytes(64 << 20),
            simulated_seek: None,
            session_memory: Memory::Percent(25),
            query_memory: Memory::Percent(50),
            max_spill: Bytes(1 << 40),
            plan_cache_memory: Memory::Bytes(Bytes(256 << 20)),
            log_segment_size: Bytes(64 << 20),
            log_ring_size: Bytes(16 << 20),
            checkpoint_file_size: None,
            checkpoint_log_size: Bytes(1536 << 20),
            workers: None,
            packet_size: tds::packet::PACKET_SIZE_DEFAULT,
            max_connections: 32_767,
            login_timeout: Duration::from_secs(15),
            logon_triggers: true,
            message_limit: Bytes(256 << 20),
            allow_local_trusted: false,
            server_name: None,
            language: &US_ENGLISH,
            collation: Collation::default(),
            shutdown_timeout: Duration::from_secs(30),
            errorlog_level: "info".into(),
            errorlog_format: ErrorLogFormat::Text,
        }
    }
}

/// What is wrong with a configuration, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError {
    /// `server.toml, line 3`, `--listen`, `THERMOCLINE_LISTEN`.
    pub place: String,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

impl std::error::Error for ConfigError {}

impl Config {
    /// Sets what a configuration file says.
    ///
    /// # Errors
    /// A file that cannot be read or is not TOML, a key that does not exist, a value that cannot
    /// be.
    pub fn read_file(&mut self, env: &Env, path: &std::path::Path) -> Result<(), ConfigError> {
        let name = path.display().to_string();
        let fail = |reason: String| ConfigError { place: name.clone(), reason };
        let bytes = env.fs().read(path).map_err(|error| fail(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| fail("it is not UTF-8".into()))?;
        file::apply(self, &name, &text)
    }

    /// Makes the data directory's path one that does not depend on where the server was started: it
    /// is in the paths that the server shows.
    ///
    /// # Errors
    /// A path that is empty, or relative to a directory that is gone.
    pub fn settle_paths(&mut self) -> Result<(), ConfigError> {
        let fail = |error: std::io::Error| ConfigError {
            place: format!("data, '{}'", self.data.display()),
            reason: error.to_string(),
        };
        self.data = std::path::absolute(&self.data).map_err(fail)?;
        Ok(())
    }

    /// Sets what environment variables say; `variable` looks one up.
    ///
    /// # Errors
    /// A value that cannot be.
    pub fn read_environment(
        &mut self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<(), ConfigError> {
        for setting in &SETTINGS {
            let name = setting.variable();
            if let Some(value) = variable(&name) {
                (setting.set)(self, &value)
                    .map_err(|reason| ConfigError { place: name, reason })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
