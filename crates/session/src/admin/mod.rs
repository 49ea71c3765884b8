//! Statements that administer the server.

pub mod backup;
mod commands;
pub mod dbcc;
mod governor;
mod server_configuration;
