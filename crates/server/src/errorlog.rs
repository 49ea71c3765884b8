//! What the server says about itself: the error log, on standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::config::{Config, ConfigError, ErrorLogFormat};

/// Starts the error log. Only the first call in a process has an effect.
///
/// # Errors
/// A level that is none.
pub fn start(config: &Config) -> Result<(), ConfigError> {
    let filter = EnvFilter::try_new(&config.errorlog_level).map_err(|error| ConfigError {
        place: "errorlog_level".into(),
        reason: error.to_string(),
    })?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(FmtSpan::NONE)
        .with_target(false)
        .with_writer(std::io::stderr);
    let started = match config.errorlog_format {
        ErrorLogFormat::Text => builder.with_ansi(std::io::stderr().is_terminal()).try_init(),
        ErrorLogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    // A process that has a log already, as tests have, keeps it.
    drop(started);
    Ok(())
}
