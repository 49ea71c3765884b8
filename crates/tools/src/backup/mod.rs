//! `thermocline backup` and `thermocline restore`: the T-SQL of the same names, for people and
//! scripts without a client.
//!
//! The server does the work and has the file: a path is one of the server's machine. What the
//! server says is printed while it says it.

mod plan;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::process::ExitCode;

use clap::{Args, Parser};

use base::Value;

use self::plan::{Set, SetKind, Stop, StopError, planned, ticks};
use crate::client::{
    AddressError, Authentication, ClientError, ConnectOptions, Connection, Receiver, ResultSet,
    Results, ServerAddress, ServerMessage,
};

/// The server's message that a restore has not come to the time at which it is to stop.
const LEFT_RESTORING: i32 = 4322;

/// The server and the login.
#[derive(Args, Clone, Debug)]
struct Where {
    /// The server: HOST, HOST,PORT or HOST:PORT.
    #[arg(short = 'S', long, value_name = "HOST,PORT", default_value = "127.0.0.1")]
    server: String,
    /// The login. Without it the connection is a trusted one, which a server takes from its own
    /// machine if it is set up to.
    #[arg(short = 'U', long, value_name = "LOGIN")]
    user: Option<String>,
    /// A trusted connection, as without a login.
    #[arg(short = 'E', long, conflicts_with = "user")]
    trusted: bool,
    /// Its password; better in THERMOCLINE_PASSWORD.
    #[arg(
        short = 'P',
        long,
        value_name = "PASSWORD",
        env = "THERMOCLINE_PASSWORD",
        hide_env_values = true
    )]
    password: Option<String>,
}

/// Back up a database, or its log, to a file of the server's while it is in use.
#[derive(Parser, Debug)]
#[command(name = "thermocline backup")]
struct BackupOptions {
    /// The database.
    database: String,
    /// The file, on the server's machine; a relative path is below DATA/backup.
    file: String,
    /// Only what has changed since the last full backup.
    #[arg(long, conflicts_with = "log")]
    differential: bool,
    /// Only the log since the last backup of it.
    #[arg(long)]
    log: bool,
    /// Leave what later backups build on as it is.
    #[arg(long)]
    copy_only: bool,
    /// Do not compress.
    #[arg(long)]
    plain: bool,
    /// Replace what is in the file instead of adding to it.
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    at: Where,
}

/// Restore a database from a file of the server's.
#[derive(Parser, Debug)]
#[command(name = "thermocline restore")]
struct RestoreOptions {
    /// The database, which need not be the one that was backed up.
    database: String,
    /// The files, on the server's machine: a full backup first, then what follows it. Behind a
    /// colon the number of the backup within the file; all of them, in order, without.
    #[arg(required = true)]
    files: Vec<String>,
    /// Replace a database that is there.
    #[arg(long)]
    replace: bool,
    /// Leave the database as one that more can be restored to.
    #[arg(long)]
    no_recovery: bool,
    /// Restore nothing that was committed after this time of the server's: '2026-11-22 14:30:00'.
    /// What was backed up of the log behind it is left out.
    #[arg(long, value_name = "TIME")]
    stop_at: Option<String>,
    #[command(flatten)]
    at: Where,
}

/// Why it did not work.
#[derive(Debug)]
enum Failure {
    Address(AddressError),
    Client(ClientError),
    /// The server has said why.
    Server,
    Empty(String),
    Stop(StopError),
    /// All was restored, and ends before the time.
    NotReached(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Address(error) => error.fmt(f),
            Failure::Client(error) => error.fmt(f),
            Failure::Server => f.write_str("the server could not do it"),
            Failure::Empty(file) => write!(f, "{file} holds no backup"),
            Failure::Stop(error) => error.fmt(f),
            Failure::NotReached(database) => write!(
                f,
                "the backups end before the time to stop at; {database} is left restoring: restore more of its log, \
                 or end with RESTORE DATABASE {database} WITH RECOVERY"
            ),
        }
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Failure {
        Failure::Client(error)
    }
}

/// Runs `thermocline backup` with these arguments, the program's name left out.
pub fn backup(arguments: Vec<OsString>) -> ExitCode {
    let name = OsString::from("thermocline backup");
    let options = BackupOptions::parse_from(std::iter::once(name).chain(arguments));
    let done = connect(&options.at).and_then(|mut c| run(&mut c, &backup_text(&options)).map(drop));
    concluded("backup", done)
}

/// Runs `thermocline restore` with these arguments, the program's name left out.
pub fn restore(arguments: Vec<OsString>) -> ExitCode {
    let name = OsString::from("thermocline restore");
    let options = RestoreOptions::parse_from(std::iter::once(name).chain(arguments));
    let done = connect(&options.at).and_then(|mut c| restore_all(&mut c, &options));
    concluded("restore", done)
}

fn concluded(what: &str, done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("thermocline {what}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn connect(at: &Where) -> Result<Connection, Failure> {
    let address = ServerAddress::parse(&at.server).map_err(Failure::Address)?;
    let mut options = ConnectOptions::new(address);
    if let Some(user) = &at.user {
        let password = at.password.clone().unwrap_or_default();
        options.authentication = Authentication::Password { user: user.clone(), password };
    }
    Ok(Connection::connect(&options)?)
}

/// Prints what the server says.
#[derive(Default)]
struct Messages {
    /// The time to stop at is not in what was restored.
    left_restoring: bool,
}

impl Receiver for Messages {
    fn message(&mut self, message: &ServerMessage) -> io::Result<()> {
        self.left_restoring |= message.error.number() == LEFT_RESTORING;
        print(message);
        Ok(())
    }
}

fn print(message: &ServerMessage) {
    let error = &message.error;
    match message.is_error() {
        true => eprintln!("Msg {}: {}", error.number(), error.text()),
        false => println!("{}", error.text()),
    }
}

/// Runs a statement; what it has said.
fn run(connection: &mut Connection, text: &str) -> Result<Messages, Failure> {
    let mut messages = Messages::default();
    match connection.batch(text, &mut messages)?.errors {
        0 => Ok(messages),
        _ => Err(Failure::Server),
    }
}

/// The first result of a query. What else the server says is printed.
fn query(connection: &mut Connection, text: &str) -> Result<ResultSet, Failure> {
    let mut results = Results::default();
    let outcome = connection.batch(text, &mut results)?;
    results.messages.iter().for_each(print);
    match outcome.errors {
        0 => Ok(results.sets.into_iter().next().unwrap_or_default()),
        _ => Err(Failure::Server),
    }
}

fn backup_text(options: &BackupOptions) -> String {
    let what = if options.log { "log" } else { "database" };
    let mut with = vec!["checksum", "stats"];
    with.push(if options.plain { "no_compression" } else { "compression" });
    with.push(if options.overwrite { "init, format" } else { "noinit" });
    if options.differential {
        with.push("differential");
    }
    if options.copy_only {
        with.push("copy_only");
    }
    let (database, file) = (name(&options.database), text(&options.file));
    format!("backup {what} {database} to disk = {file} with {}", with.join(", "))
}

fn restore_all(connection: &mut Connection, options: &RestoreOptions) -> Result<(), Failure> {
    // A time that means nothing is refused before anything is restored.
    let stop = options.stop_at.as_deref().map(|time| stop_of(connection, time)).transpose()?;
    let mut sets = Vec::new();
    for file in &options.files {
        sets.extend(sets_of(connection, file)?);
    }
    let sets = match &stop {
        Some(stop) => planned(sets, stop).map_err(Failure::Stop)?,
        None => sets,
    };
    let (name, last) = (name(&options.database), sets.len());
    let mut reached = stop.is_none();
    for (place, set) in sets.iter().enumerate() {
        let what = if set.kind == SetKind::Log { "log" } else { "database" };
        let mut with = format!("file = {}, stats", set.number);
        // A time can be looked for only in a backup of the log.
        let stop_at = options.stop_at.as_ref().filter(|_| set.kind == SetKind::Log);
        // The server itself recovers a database only when it has come to the time.
        let goes_on = stop_at.is_none() && (place + 1 < last || stop.is_some());
        if goes_on || options.no_recovery {
            with.push_str(", norecovery");
        }
        if place == 0 && options.replace {
            with.push_str(", replace");
        }
        if let Some(time) = stop_at {
            with.push_str(&format!(", stopat = {}", text(time)));
        }
        let said = run(
            connection,
            &format!("restore {what} {name} from disk = {} with {with}", text(&set.file)),
        )?;
        if stop_at.is_some() && !said.left_restoring {
            reached = true;
            break;
        }
    }
    if reached { Ok(()) } else { Err(Failure::NotReached(name)) }
}

/// What the server understands a time to be, and what it is called.
fn stop_of(connection: &mut Connection, time: &str) -> Result<Stop, Failure> {
    let asked = format!("select convert(datetime2(7), {}), @@servername", text(time));
    let row = query(connection, &asked)?.rows.pop().unwrap_or_default();
    match <[Value; 2]>::try_from(row) {
        Ok([Value::DateTime2(at), server]) => Ok(Stop { at, server }),
        _ => Err(Failure::Server),
    }
}

/// The backups in a file that an argument names.
fn sets_of(connection: &mut Connection, argument: &str) -> Result<Vec<Set>, Failure> {
    let numbered = argument.rsplit_once(':').and_then(|(file, number)| {
        let number: usize = number.parse().ok()?;
        Some((file, number))
    });
    let (file, only) = match numbered {
        Some((file, number)) => (file, Some(number)),
        None => (argument, None),
    };
    let shown = query(connection, &format!("restore headeronly from disk = {}", text(file)))?;
    let place = |wanted: &str| shown.names.iter().position(|name| name == wanted);
    let places = ["BackupType", "Position", "BackupFinishDate", "ServerName"].map(place);
    let [Some(kind), Some(position), Some(finished), Some(server)] = places else {
        return Err(Failure::Empty(file.to_owned()));
    };
    let integer = |value: &Value| match value {
        Value::Int(number) => *number,
        _ => 0,
    };
    let sets = shown.rows.iter().map(|row| Set {
        file: file.to_owned(),
        number: integer(&row[position]) as usize,
        kind: SetKind::of(integer(&row[kind])),
        finished: ticks(&row[finished]),
        server: row[server].clone(),
    });
    let sets: Vec<Set> = sets.filter(|set| only.is_none_or(|only| only == set.number)).collect();
    if sets.is_empty() { Err(Failure::Empty(argument.to_owned())) } else { Ok(sets) }
}

/// An identifier.
fn name(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

/// A literal.
fn text(text: &str) -> String {
    format!("N'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests;
