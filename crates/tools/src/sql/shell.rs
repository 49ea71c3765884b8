//! The session: batches go to the server, answers to the output, commands are carried out.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use tds::columns::ReceivedColumn;
use tds::row::Row;

use super::command::{self, Command, Target};
use super::flags::{Flags, Redirect};
use super::input;
use super::interrupt;
use super::layout::{Layout, LayoutOptions};
use super::output::Output;
use super::script::{Batch, Line, substitute};
use crate::client::{
    Authentication, ClientError, ConnectOptions, Connection, Done, DoneStatus, Outcome, Receiver,
    ServerAddress, ServerMessage, Trust,
};

/// How deep files may read files.
const READ_DEPTH_MAX: usize = 32;
/// Messages about the session's database and language, which come with every login.
const CHANGED_DATABASE: i32 = 5701;
const CHANGED_LANGUAGE: i32 = 5703;
/// An error of this state ends the script.
const STATE_THAT_ENDS: u8 = 127;

/// What happens after a line or a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// The next one.
    GoOn,
    /// The program ends with this code.
    Exit(i32),
}

/// A session and everything that scripts can change about it.
pub struct Shell {
    pub flags: Flags,
    options: Option<ConnectOptions>,
    connection: Option<Connection>,
    pub batch: Batch,
    pub output: Output,
    /// Where error messages go, if not where results go.
    errors: Option<Output>,
    exit_on_error: bool,
    /// The code to end with, if nothing else says so.
    exit_code: i32,
    is_interactive: bool,
}

impl Shell {
    /// A session that has not begun.
    pub fn new(flags: Flags, output: Output) -> Shell {
        let exit_on_error = flags.exit_on_error;
        Shell {
            flags,
            options: None,
            connection: None,
            batch: Batch::default(),
            output,
            errors: None,
            exit_on_error,
            exit_code: 0,
            is_interactive: false,
        }
    }

    /// Batches are typed by a person.
    pub fn set_interactive(&mut self) {
        self.is_interactive = true;
    }

    /// The code to end with after everything has been run.
    pub fn exit_code(&self) -> i32 {
        self.exit_code
    }

    /// Connects as the flags say. `ask` asks for a password.
    ///
    /// # Errors
    /// What to report to the user.
    pub fn connect(&mut self, ask: impl FnOnce() -> io::Result<String>) -> Result<(), ShellError> {
        let variables = &self.flags.variables;
        let server = variables.own("SQLCMDSERVER").to_owned();
        let authentication = match self.flags.trusted {
            true => Authentication::Trusted,
            false => Authentication::Password {
                user: variables.own("SQLCMDUSER").to_owned(),
                password: match &self.flags.password {
                    Some(password) => password.clone(),
                    None => ask().map_err(ShellError::Io)?,
                },
            },
        };
        let timeout = variables.own_number("SQLCMDLOGINTIMEOUT");
        let options = self.connect_options(&server, authentication, timeout)?;
        self.connect_to(options)
    }

    fn connect_options(
        &self,
        server: &str,
        authentication: Authentication,
        login_timeout: Option<u64>,
    ) -> Result<ConnectOptions, ShellError> {
        let address = ServerAddress::parse(server).map_err(|e| ShellError::Usage(e.to_string()))?;
        if let Some(instance) = &address.ignored_instance {
            eprintln!(
                "thermocline sql: instance '{instance}' is ignored; ports tell servers apart"
            );
        }
        let variables = &self.flags.variables;
        let trust = match (&self.flags.certificate_file, self.flags.check_certificate) {
            (Some(file), _) => Trust::Certificate(file.clone()),
            (None, true) => {
                Trust::Authorities { file: None, name: self.flags.certificate_name.clone() }
            }
            (None, false) => Trust::Any,
        };
        Ok(ConnectOptions {
            authentication,
            database: variables.own("SQLCMDDBNAME").to_owned(),
            encrypt: self.flags.encrypt,
            trust,
            app_name: "SQLCMD".into(),
            host_name: variables.own("SQLCMDWORKSTATION").to_owned(),
            packet_size: variables.own_number("SQLCMDPACKETSIZE").unwrap_or(4096),
            login_timeout: seconds(login_timeout.unwrap_or(8)),
            read_only: self.flags.read_only,
            ..ConnectOptions::new(address)
        })
    }

    fn connect_to(&mut self, options: ConnectOptions) -> Result<(), ShellError> {
        let connection = Connection::connect(&options)?;
        interrupt::watch(Some(connection.canceller()));
        self.connection = Some(connection);
        self.options = Some(options);
        Ok(())
    }

    /// The session's server and database, for a greeting.
    pub fn greeting(&self) -> Option<String> {
        let connection = self.connection.as_ref()?;
        let (program, [major, minor, high, low]) = connection.server_program();
        let build = u16::from_be_bytes([high, low]);
        let address = &self.options.as_ref()?.address;
        let database = connection.database();
        Some(format!("{program} {major}.{minor}.{build} at {address}, database {database}"))
    }

    /// Runs a file's lines.
    pub fn run_file(&mut self, path: &Path, depth: usize) -> Result<Flow, ShellError> {
        if depth > READ_DEPTH_MAX {
            return Err(ShellError::Usage(format!("{}: files read each other", path.display())));
        }
        let text = input::read_script(path, self.flags.code_page)
            .map_err(|error| ShellError::File(path.display().to_string(), error))?;
        self.run_text(&text, depth)
    }

    /// Runs lines of a text.
    pub fn run_text(&mut self, text: &str, depth: usize) -> Result<Flow, ShellError> {
        for line in text.lines() {
            if let Flow::Exit(code) = self.script_line(line, depth)? {
                return Ok(Flow::Exit(code));
            }
        }
        Ok(Flow::GoOn)
    }

    /// Runs what has been gathered and not ended by GO.
    pub fn finish(&mut self) -> Result<Flow, ShellError> {
        if self.batch.is_blank() {
            self.batch.take();
            return Ok(Flow::GoOn);
        }
        let text = self.batch.take();
        self.run_batch(&text, 1)
    }

    /// Takes a line of a script, which some failures do not end.
    pub fn script_line(&mut self, line: &str, depth: usize) -> Result<Flow, ShellError> {
        match self.line(line, depth) {
            Err(error) if error.leaves_script_running() => {
                self.output.flush()?;
                eprintln!("{error}");
                Ok(if self.exit_on_error { Flow::Exit(1) } else { Flow::GoOn })
            }
            result => result,
        }
    }

    /// Takes a line.
    pub fn line(&mut self, line: &str, depth: usize) -> Result<Flow, ShellError> {
        if self.flags.echo {
            writeln!(self.output, "{line}").map_err(ShellError::Io)?;
        }
        match self.batch.classify(line, &self.flags.terminator) {
            Line::Text => {
                let variables = (!self.flags.no_variables).then_some(&self.flags.variables);
                let result = self.batch.push(line, variables);
                if result.is_err() {
                    // Half of a line is not a batch.
                    self.batch.take();
                }
                result.map(|()| Flow::GoOn).map_err(ShellError::NoVariable)
            }
            Line::Go(count) => {
                let text = self.batch.take();
                if text.trim().is_empty() { Ok(Flow::GoOn) } else { self.run_batch(&text, count) }
            }
            Line::BadGo => {
                self.batch.take();
                Err(ShellError::Usage(format!("A fatal scripting error occurred: '{line}'")))
            }
            Line::Command(text) => {
                let text = match self.flags.no_variables {
                    true => text.to_owned(),
                    false => {
                        substitute(text, &self.flags.variables).map_err(ShellError::NoVariable)?
                    }
                };
                let command = command::parse(&text).map_err(ShellError::BadCommand)?;
                self.command(command, depth)
            }
        }
    }

    fn command(&mut self, command: Command, depth: usize) -> Result<Flow, ShellError> {
        match command {
            Command::SetVariable(name, Some(value)) => {
                self.flags.variables.set(&name, value).map_err(ShellError::Usage)?;
            }
            Command::SetVariable(name, None) => self.flags.variables.remove(&name),
            Command::Read(file) => return self.run_file(Path::new(&file), depth + 1),
            Command::OnError(exit) => self.exit_on_error = exit,
            Command::Out(target) => self.output = open(target, &self.flags)?,
            Command::Error(target) => self.errors = Some(open(target, &self.flags)?),
            Command::Connect { server, timeout, user, password } => {
                self.reconnect(&server, timeout, user, password)?;
            }
            Command::Quit => return Ok(Flow::Exit(self.exit_code)),
            Command::Exit(None) => return Ok(Flow::Exit(self.exit_code)),
            Command::Exit(Some(query)) => return self.exit_with(&query),
            Command::Reset => {
                self.batch.take();
            }
            Command::List => writeln!(self.output, "{}", self.batch.text())?,
            Command::ListVariables => {
                for (name, value) in self.flags.variables.all() {
                    writeln!(self.output, "{name} = \"{value}\"")?;
                }
            }
            Command::ServerList => writeln!(self.output, "Servers cannot be listed.")?,
            Command::Help => write!(self.output, "{}", super::help::COMMANDS)?,
            Command::Edit => return Err(ShellError::Refused("ED")),
            Command::Shell(line) => return self.run_program(&line),
            Command::Ignored => {}
        }
        self.output.flush()?;
        Ok(Flow::GoOn)
    }

    fn reconnect(
        &mut self,
        server: &str,
        timeout: Option<u64>,
        user: Option<String>,
        password: Option<String>,
    ) -> Result<(), ShellError> {
        let authentication = match user {
            Some(user) => Authentication::Password { user, password: password.unwrap_or_default() },
            None => match &self.options {
                Some(options) => options.authentication.clone(),
                None => Authentication::Trusted,
            },
        };
        let mut options = self.connect_options(server, authentication, timeout)?;
        options.database.clear();
        self.connect_to(options)
    }

    /// `!!`: runs a program, if that is allowed.
    fn run_program(&mut self, line: &str) -> Result<Flow, ShellError> {
        if !self.flags.allow_commands {
            if self.flags.refuse_commands_fatally {
                writeln!(self.output, "ED and !!<command> are disabled")?;
                return Ok(Flow::Exit(1));
            }
            return Err(ShellError::Refused("!!<command>"));
        }
        self.output.flush()?;
        let (program, flag) = if cfg!(windows) { ("cmd", "/c") } else { ("sh", "-c") };
        std::process::Command::new(program).arg(flag).arg(line).status()?;
        Ok(Flow::GoOn)
    }

    /// `exit(query)`: the first value of the last result is what the program ends with.
    fn exit_with(&mut self, query: &str) -> Result<Flow, ShellError> {
        let mut text = self.batch.take();
        text.push('\n');
        text.push_str(query);
        if text.trim().is_empty() {
            return Ok(Flow::Exit(0));
        }
        let (flow, value) = self.run_once(&text)?;
        match (flow, value) {
            (Flow::Exit(code), _) => Ok(Flow::Exit(code)),
            (Flow::GoOn, Some(value)) => Ok(Flow::Exit(value as i32)),
            // No result, or one that is not a number.
            (Flow::GoOn, None) => Ok(Flow::Exit(-100)),
        }
    }

    fn run_batch(&mut self, text: &str, count: u32) -> Result<Flow, ShellError> {
        let started = Instant::now();
        for _ in 0..count {
            if let (Flow::Exit(code), _) = self.run_once(text)? {
                return Ok(Flow::Exit(code));
            }
        }
        if let Some(for_programs) = self.flags.statistics {
            self.write_statistics(started.elapsed(), count.max(1), for_programs)?;
        }
        Ok(Flow::GoOn)
    }

    fn write_statistics(
        &mut self,
        elapsed: Duration,
        count: u32,
        for_programs: bool,
    ) -> Result<(), ShellError> {
        let size = self.connection.as_ref().map_or(0, Connection::packet_size);
        let total = elapsed.as_millis();
        let average = elapsed.as_secs_f64() * 1000.0 / f64::from(count);
        let rate = f64::from(count) / elapsed.as_secs_f64().max(1e-9);
        if for_programs {
            writeln!(self.output, "{size}:{count}:{total}:{average:.2}:{rate:.2}")?;
        } else {
            writeln!(
                self.output,
                "\nNetwork packet size (bytes): {size}\n{count} xact[s]:\n\
                 Clock Time (ms.): total {total:>9}  avg   {average:.2} ({rate:.2} xacts per sec.)"
            )?;
        }
        self.output.flush()?;
        Ok(())
    }

    /// Runs a batch once. Also returns the first number of its last result.
    fn run_once(&mut self, text: &str) -> Result<(Flow, Option<i64>), ShellError> {
        let variables = &self.flags.variables;
        let timeout: Option<u64> = variables.own_number("SQLCMDSTATTIMEOUT");
        let connection = self.connection.as_mut().ok_or(ShellError::NotConnected)?;
        connection.set_query_timeout(timeout.and_then(seconds));
        let layout = Layout::new(layout_options(&self.flags, &self.output, self.is_interactive));
        let mut printer = Printer {
            flags: &self.flags,
            layout,
            output: &mut self.output,
            errors: self.errors.as_mut(),
            unknown: connection.collation(),
            worst: 0,
            ending_error: None,
            first_value: None,
        };
        let result = connection.batch(text, &mut printer);
        printer.layout.end(printer.output)?;
        let (worst, ending_error, first_value) =
            (printer.worst, printer.ending_error, printer.first_value);
        self.output.flush()?;
        if let Some(errors) = &mut self.errors {
            errors.flush()?;
        }
        let outcome = match result {
            Ok(outcome) => outcome,
            // The server's last words have been printed.
            Err(ClientError::Server(_)) => Outcome::default(),
            Err(ClientError::Receiver(error)) => return Err(ShellError::Io(error)),
            Err(error) => return Err(ShellError::Client(error)),
        };
        if outcome.cancelled {
            eprintln!("Query cancelled by user.");
        }
        if let Some(number) = ending_error {
            return Ok((Flow::Exit(number), first_value));
        }
        Ok((self.judge(worst), first_value))
    }

    /// What the worst error of a batch means for the script.
    fn judge(&mut self, worst: u8) -> Flow {
        let level: Option<i32> = self.flags.variables.own_number("SQLCMDERRORLEVEL");
        let level = level.filter(|level| *level > 0);
        let severity = i32::from(worst);
        if let Some(level) = level {
            if severity >= level {
                self.exit_code = severity;
            }
        }
        let counts = level.map_or(severity > 10, |level| severity >= level);
        if self.exit_on_error && counts {
            return Flow::Exit(level.map_or(1, |_| severity));
        }
        Flow::GoOn
    }
}

fn seconds(seconds: u64) -> Option<Duration> {
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

fn layout_options(flags: &Flags, output: &Output, is_interactive: bool) -> LayoutOptions {
    let variables = &flags.variables;
    let separator = match variables.own("SQLCMDCOLSEP") {
        "" => " ",
        text => text,
    };
    let is_left_alone = !flags.has_layout_flags
        && ["SQLCMDCOLSEP", "SQLCMDHEADERS", "SQLCMDCOLWIDTH"]
            .iter()
            .all(|name| variables.own(name).is_empty());
    LayoutOptions {
        grid: is_left_alone && output.is_terminal() && (is_interactive || flags.query.is_some()),
        headers: variables.own_number("SQLCMDHEADERS").unwrap_or(0),
        separator: separator.to_owned(),
        trim: flags.trim,
        line_width: variables.own_number("SQLCMDCOLWIDTH"),
        large_width: variables.own_number("SQLCMDMAXVARTYPEWIDTH").unwrap_or(256),
        variable_width: variables.own_number("SQLCMDMAXFIXEDTYPEWIDTH").unwrap_or(0),
        control_characters: flags.control_characters,
    }
}

fn open(target: Target, flags: &Flags) -> Result<Output, ShellError> {
    Ok(match target {
        Target::Stdout => Output::stdout(),
        Target::Stderr => Output::stderr(),
        Target::File(name) => {
            let file = File::create(&name).map_err(|error| ShellError::File(name, error))?;
            Output::file(BufWriter::new(file), flags.unicode_output)?
        }
    })
}

/// Prints an answer.
struct Printer<'s> {
    flags: &'s Flags,
    layout: Layout,
    output: &'s mut Output,
    errors: Option<&'s mut Output>,
    unknown: base::Collation,
    /// The highest severity among the errors.
    worst: u8,
    /// The number of an error that ends the script.
    ending_error: Option<i32>,
    first_value: Option<i64>,
}

impl Receiver for Printer<'_> {
    fn columns(&mut self, columns: &[ReceivedColumn]) -> io::Result<()> {
        self.layout.end(self.output)?;
        self.first_value = None;
        self.layout.begin(columns, self.unknown, self.output)
    }

    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        if self.first_value.is_none() && !row.is_empty() {
            if let Ok(base::ValueRef::Int(value)) = row.get(0).as_ref().map(tds::Datum::as_ref) {
                self.first_value = Some(value);
            }
        }
        self.layout.row(row, self.output)
    }

    fn done(&mut self, done: &Done) -> io::Result<()> {
        let had_result = self.layout.is_open();
        self.layout.end(self.output)?;
        // A SELECT without columns has given variables their values.
        let counts = had_result || done.command != tds::token::command::SELECT;
        if counts && done.status.contains(DoneStatus::COUNT) {
            let blank = if had_result && self.layout.is_grid() { "" } else { "\n" };
            writeln!(self.output, "{blank}({} rows affected)", done.rows)?;
        }
        Ok(())
    }

    fn message(&mut self, message: &ServerMessage) -> io::Result<()> {
        let error = &message.error;
        if message.is_error() {
            self.worst = self.worst.max(error.severity());
            if error.state() == STATE_THAT_ENDS {
                self.ending_error = Some(error.number());
            }
        }
        if error.number() == CHANGED_LANGUAGE
            || i32::from(error.severity()) < self.flags.message_level
        {
            return Ok(());
        }
        let is_plain = !message.is_error() && self.flags.message_level >= 0;
        let to_stderr = match self.flags.redirect {
            Redirect::Nothing => false,
            Redirect::Errors => message.is_error(),
            Redirect::Everything => error.number() != CHANGED_DATABASE,
        };
        if to_stderr {
            self.output.flush()?;
            write_message(message, is_plain, &mut io::stderr().lock())
        } else if let (Some(errors), true) = (&mut self.errors, message.is_error()) {
            write_message(message, is_plain, *errors)
        } else {
            write_message(message, is_plain, self.output)?;
            // Messages say how a long batch is getting on.
            self.output.flush()
        }
    }
}

fn write_message<W: Write + ?Sized>(
    message: &ServerMessage,
    is_plain: bool,
    out: &mut W,
) -> io::Result<()> {
    let error = &message.error;
    if !is_plain {
        let (number, level, state) = (error.number(), error.severity(), error.state());
        write!(out, "Msg {number}, Level {level}, State {state}, Server {}", message.server)?;
        if let Some(procedure) = error.procedure() {
            write!(out, ", Procedure {procedure}")?;
        }
        writeln!(out, ", Line {}", error.line())?;
    }
    writeln!(out, "{}", error.text())
}

/// Why a line cannot be carried out.
#[derive(Debug)]
pub enum ShellError {
    /// The connection, or the login.
    Client(ClientError),
    /// A file that cannot be opened.
    File(String, io::Error),
    /// Output that cannot be written.
    Io(io::Error),
    /// A variable that does not exist.
    NoVariable(String),
    /// A command that does not exist or is not written right.
    BadCommand(String),
    /// A command that is not allowed.
    Refused(&'static str),
    /// There is no session.
    NotConnected,
    /// Something else that the user has got wrong.
    Usage(String),
}

impl From<ClientError> for ShellError {
    fn from(error: ClientError) -> ShellError {
        ShellError::Client(error)
    }
}

impl From<io::Error> for ShellError {
    fn from(error: io::Error) -> ShellError {
        ShellError::Io(error)
    }
}

impl ShellError {
    /// Whether a person at a terminal can go on after it.
    pub fn is_recoverable(&self) -> bool {
        match self {
            ShellError::Client(error) => error.leaves_connection_open(),
            ShellError::Io(_) => false,
            _ => true,
        }
    }

    /// Whether a script goes on after it, as after an error of the server.
    pub fn leaves_script_running(&self) -> bool {
        use crate::client::TimeoutKind;
        matches!(
            self,
            ShellError::Refused(_) | ShellError::Client(ClientError::Timeout(TimeoutKind::Query))
        )
    }
}

impl std::fmt::Display for ShellError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ShellError::Client(ClientError::Server(message)) => {
                let mut text = Vec::new();
                write_message(message, false, &mut text).map_err(|_| std::fmt::Error)?;
                f.write_str(String::from_utf8_lossy(&text).trim_end())
            }
            ShellError::Client(error) => write!(f, "Sqlcmd: Error: {error}"),
            ShellError::File(name, error) => write!(f, "Sqlcmd: '{name}': {error}"),
            ShellError::Io(error) => write!(f, "Sqlcmd: Error: {error}"),
            ShellError::NoVariable(name) => {
                write!(f, "'{name}' scripting variable not defined.")
            }
            ShellError::BadCommand(name) => {
                write!(f, "Sqlcmd: Error: Syntax error near command '{name}'.")
            }
            ShellError::Refused(what) => {
                write!(f, "Sqlcmd: Warning: {what} is disabled (see --allow-commands).")
            }
            ShellError::NotConnected => write!(f, "Sqlcmd: Error: there is no connection."),
            ShellError::Usage(text) => write!(f, "Sqlcmd: {text}"),
        }
    }
}
