//! The program `thermocline`: configuration, connections, and the life of the server.
//!
//! # Where things are
//!
//! * [`program`]: the command line. [`config`]: settings.
//! * [`startup`]: opening and closing the data directory. [`server`]: what connections share.
//! * [`listener`]: accepting, and the server's end. [`connection`]: one client each.
//! * [`certificate`], [`password`], [`throttle`]: TLS and logins.
//! * [`embedded`]: a server within another program.
//!
//! # Threads
//!
//! tokio's workers run connections; a connection's task polls the coroutine on which its request
//! runs. Nothing on them blocks: passwords are checked and databases closed on tokio's threads for
//! blocking work, logs are written by the engine's own. A thread of its own watches them:
//! `watchdog`.

#![forbid(unsafe_code)]

mod balance;
pub mod certificate;
pub mod config;
pub mod connection;
pub mod embedded;
pub mod errorlog;
mod health;
pub mod listener;
pub mod machine;
pub mod password;
mod periodic;
pub mod program;
pub mod server;
pub mod startup;
pub mod throttle;
pub mod timer;
mod vital;
mod watch;
mod watchdog;
pub mod workers;
