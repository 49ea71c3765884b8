//! Server names as SQL Server's tools take them: `.`, `host`, `host,port`, `tcp:host,port`,
//! `host\instance`.

use std::fmt;

/// The port where no other is named.
pub const DEFAULT_PORT: u16 = 1433;

/// Where a server listens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerAddress {
    /// Name or number of the machine.
    pub host: String,
    /// The TCP port.
    pub port: u16,
    /// An instance that was named and means nothing here: a machine's instances are told apart by
    /// their ports.
    pub ignored_instance: Option<String>,
}

/// Why a text is not a server name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AddressError {
    /// A way to reach servers that is not TCP.
    Protocol(String),
    /// What follows the comma is not a port.
    Port(String),
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddressError::Protocol(name) => write!(
                f,
                "'{name}' is not a way to reach the server: only TCP is, as in tcp:host,port"
            ),
            AddressError::Port(port) => write!(f, "'{port}' is not a port"),
        }
    }
}

impl std::error::Error for AddressError {}

impl ServerAddress {
    /// A server on this machine.
    pub fn local(port: u16) -> ServerAddress {
        ServerAddress { host: "127.0.0.1".into(), port, ignored_instance: None }
    }

    /// Reads a server name.
    ///
    /// # Errors
    /// When it names a protocol other than TCP, or its port is not a number from 1 to 65535.
    pub fn parse(text: &str) -> Result<ServerAddress, AddressError> {
        let rest = without_protocol(text.trim())?;
        let (name, port) = match rest.rsplit_once(',') {
            Some((name, port)) => (name.trim(), Some(port.trim())),
            None => split_colon(rest),
        };
        let port = match port {
            None => DEFAULT_PORT,
            Some(digits) => match digits.parse() {
                Ok(port) if port > 0 => port,
                _ => return Err(AddressError::Port(digits.into())),
            },
        };
        let (host, instance) = match name.split_once('\\') {
            Some((host, instance)) => (host, Some(instance.to_owned())),
            None => (name, None),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let host = match host.to_ascii_lowercase().as_str() {
            "" | "." | "(local)" => "127.0.0.1".to_owned(),
            _ => host.to_owned(),
        };
        Ok(ServerAddress { host, port, ignored_instance: instance.filter(|i| !i.is_empty()) })
    }

    /// Whether this is certainly the machine that the client runs on.
    pub fn is_local(&self) -> bool {
        let is_loopback =
            self.host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback());
        is_loopback || self.host.eq_ignore_ascii_case("localhost")
    }
}

/// `host:port`, unless it is an IPv6 address.
fn split_colon(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(':') {
        Some((host, port)) if host.ends_with(']') || !host.contains(':') => (host, Some(port)),
        _ => (text, None),
    }
}

fn without_protocol(text: &str) -> Result<&str, AddressError> {
    let lower = text.to_ascii_lowercase();
    if lower.starts_with(r"\\") || lower.starts_with("(localdb)") {
        return Err(AddressError::Protocol(text.into()));
    }
    for name in ["tcp:", "lpc:"] {
        if lower.starts_with(name) {
            return Ok(&text[name.len()..]);
        }
    }
    match ["np:", "admin:", "via:"].iter().find(|name| lower.starts_with(**name)) {
        Some(name) => Err(AddressError::Protocol((*name).into())),
        None => Ok(text),
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests;
