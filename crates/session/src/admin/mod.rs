//! Statements that administer the server.

pub mod backup;
mod commands;
pub mod dbcc;
mod governor;
pub mod retention;
mod server_configuration;
pub(crate) mod unattended;
