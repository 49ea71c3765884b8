//! The error log, in files of the data directory and on standard error.
//!
//! An event goes to both, each through a thread of its own ([`outlet`]): a full disk, a pipe that
//! is not read or that is closed stops nothing and loses lines of that place alone. The file begins
//! anew with each start and when it is cycled ([`file`]); until it can be opened, entries wait in
//! memory.

mod file;
mod outlet;
mod panics;

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use base::SqlError;
use engine::instance::now;
use env::{Env, FileResult};
use file::LogFile;
use outlet::{Outlet, Target};
use session::instance::error_log::{Archive, Entry, ErrorLogFiles};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber, error, info};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use crate::config::{Config, ConfigError, ErrorLogFormat};

pub use panics::report_panics;

/// How long is waited for lines to be written, where that is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// Entries that wait for the file to be opened, at most.
const WAITING_MAX: usize = 10_000;
/// The part of the server for entries that belong to no other part.
const SERVER: &str = "Server";

/// The error log of a server.
pub struct ErrorLog {
    env: Env,
    dir: PathBuf,
    file: Mutex<Place>,
    /// Whether events of the process go to it. A server within another program logs only its own
    /// sessions.
    hears_events: bool,
}

/// Where entries go.
enum Place {
    Waiting(Vec<String>),
    File(Arc<Outlet<LogFile>>),
}

/// The log of the process's events, and its further outlets.
static OF_PROCESS: OnceLock<(Arc<ErrorLog>, Arc<Outlet<StandardError>>)> = OnceLock::new();

impl ErrorLog {
    /// The log of a server whose program has events of its own.
    pub fn embedded(env: &Env, data: &Path) -> Arc<ErrorLog> {
        Arc::new(ErrorLog::new(env, data, false))
    }

    /// The log of the process: from here on its events are written.
    ///
    /// # Errors
    /// A level that is none.
    pub fn of_process(env: &Env, config: &Config) -> Result<Arc<ErrorLog>, ConfigError> {
        let filter = EnvFilter::try_new(&config.errorlog_level).map_err(|error| ConfigError {
            place: "errorlog_level".into(),
            reason: error.to_string(),
        })?;
        let log = Arc::new(ErrorLog::new(env, &config.data, true));
        let stderr = Arc::new(Outlet::start("standard error", StandardError));
        let layer = fmt::layer()
            .with_target(false)
            .log_internal_errors(false)
            .with_writer(ToStandardError(stderr.clone()));
        let layer = match config.errorlog_format {
            ErrorLogFormat::Text => layer.with_ansi(io::stderr().is_terminal()).boxed(),
            ErrorLogFormat::Json => layer.json().flatten_event(true).boxed(),
        };
        let started = tracing_subscriber::registry()
            .with(filter)
            .with(layer)
            .with(ToFile(log.clone()))
            .try_init();
        // A process that has a log already keeps it.
        if started.is_ok() {
            let _ = OF_PROCESS.set((log.clone(), stderr));
        }
        Ok(log)
    }

    fn new(env: &Env, data: &Path, hears_events: bool) -> ErrorLog {
        let dir = data.join(file::DIRECTORY);
        let file = Mutex::new(Place::Waiting(Vec::new()));
        ErrorLog { env: env.clone(), dir, file, hears_events }
    }

    /// Opens the file. Comes when nothing but this server uses the data directory.
    ///
    /// # Errors
    /// When there can be none: entries go on to standard error.
    pub fn open(&self) -> FileResult<()> {
        let file = LogFile::open(&self.env, &self.dir)?;
        let outlet = Outlet::start("error log", file);
        let mut place = self.lock();
        if let Place::Waiting(entries) = &mut *place {
            entries.drain(..).for_each(|entry| outlet.put(entry));
        }
        *place = Place::File(Arc::new(outlet));
        Ok(())
    }

    /// Writes a message of statements.
    pub fn note(&self, message: &SqlError) {
        /// Messages of higher severities are errors.
        const INFORMATION: u8 = 10;
        let text = one_line(message.text());
        let (number, severity, state) = (message.number(), message.severity(), message.state());
        let is_error = severity > INFORMATION;
        let text = match is_error {
            true => format!("Error: {number}, Severity: {severity}, State: {state}. {text}"),
            false => text,
        };
        match (self.hears_events, is_error) {
            (true, true) => error!("{text}"),
            (true, false) => info!("{text}"),
            (false, _) => self.put(SERVER, text),
        }
    }

    fn put(&self, process: &str, text: String) {
        let entry = Entry { at: now(&self.env), process: process.into(), text };
        match &mut *self.lock() {
            Place::Waiting(entries) if entries.len() >= WAITING_MAX => {}
            Place::Waiting(entries) => entries.push(entry.to_lines()),
            Place::File(outlet) => outlet.put(entry.to_lines()),
        }
    }

    /// Waits until what was written is in the file, but not for long.
    fn flush(&self) {
        if let Some(outlet) = self.outlet() {
            outlet.flush(PATIENCE);
        }
    }

    /// What writes the file, once that is open.
    fn outlet(&self) -> Option<Arc<Outlet<LogFile>>> {
        match &*self.lock() {
            Place::File(outlet) => Some(outlet.clone()),
            Place::Waiting(_) => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Place> {
        self.file.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl ErrorLogFiles for ErrorLog {
    fn path(&self) -> String {
        file::path_of(&self.dir, 0).display().to_string()
    }

    fn cycle(&self) -> Result<(), String> {
        let outlet = self.outlet().ok_or("there is no file")?;
        let cycled = outlet.call(PATIENCE, LogFile::cycle);
        match cycled {
            Some(Ok(())) => {
                self.put(
                    SERVER,
                    "The error log has been reinitialized. See the previous log for older entries."
                        .into(),
                );
                Ok(())
            }
            Some(Err(error)) => Err(error.to_string()),
            None => Err("the file cannot be written".into()),
        }
    }

    fn archives(&self) -> Vec<Archive> {
        self.flush();
        file::archives(&self.env, &self.dir)
    }

    fn read(&self, number: u32) -> Option<String> {
        self.flush();
        let bytes = self.env.fs().read(&file::path_of(&self.dir, number)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Waits until the events of the process are written, but not for long: before it ends.
pub fn flush() {
    if let Some((log, stderr)) = OF_PROCESS.get() {
        log.flush();
        stderr.flush(PATIENCE);
    }
}

/// Writes events to the file of a log.
struct ToFile(Arc<ErrorLog>);

impl<S: Subscriber> Layer<S> for ToFile {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut told = Told::default();
        event.record(&mut told);
        let process = told.process.unwrap_or_else(|| SERVER.into());
        self.0.put(&process, told.text + &told.fields);
    }
}

/// What an event says.
#[derive(Default)]
struct Told {
    process: Option<String>,
    text: String,
    fields: String,
}

impl Visit for Told {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "process" => self.process = Some(value.to_owned()),
            _ => self.record_debug(field, &value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => write!(self.text, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

/// Standard error, which may be full, or closed.
struct StandardError;

impl Target for StandardError {
    fn write(&mut self, text: &str) -> bool {
        io::stderr().write_all(text.as_bytes()).is_ok()
    }
}

/// Hands events to the thread that writes them.
#[derive(Clone)]
struct ToStandardError(Arc<Outlet<StandardError>>);

impl<'a> MakeWriter<'a> for ToStandardError {
    type Writer = ToStandardError;

    fn make_writer(&'a self) -> ToStandardError {
        self.clone()
    }
}

impl Write for ToStandardError {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.put(String::from_utf8_lossy(bytes).into_owned());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Names in messages are whatever users say: they make no lines of their own.
fn one_line(text: &str) -> String {
    let shown = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests;
