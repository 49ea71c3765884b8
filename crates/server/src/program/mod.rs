//! The command line.
//!
//! `serve` and `init` are the server's own. `sql`, `stress`, `demo`, `bench`, `backup` and
//! `restore` are given everything after their name as it is: their options are those of other
//! tools, and they read them themselves.

mod init;
mod options;
mod serve;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use crate::config::ConfigError;
use crate::startup::StartError;

/// What the program says of itself.
const ABOUT: &str = "Thermocline, an OLTP database server that speaks T-SQL over TDS";

const EXAMPLES: &str = "\
Examples:
  thermocline serve --data ./data                      a server on 127.0.0.1:1433
  thermocline serve --data ./data --listen 0.0.0.0:1433
  thermocline sql -S 127.0.0.1 -U sa -P 'PASSWORD'     a shell
  thermocline demo                                     see it work

The password of sa is shown once, when the data directory is initialised. Clients of SQL Server
(sqlcmd, ODBC, JDBC, go-mssqldb, tedious, pymssql, ...) connect as they would to SQL Server.

`thermocline COMMAND --help` explains a command.";

/// A command that reads its options itself.
struct Passed {
    name: &'static str,
    about: &'static str,
    run: fn(Vec<OsString>) -> ExitCode,
}

const PASSED: &[Passed] = &[
    Passed { name: "sql", about: "A SQL shell, with the flags of sqlcmd", run: tools::sql::main },
    Passed {
        name: "stress",
        about: "A stress driver, with the flags of ostress",
        run: tools::stress::main,
    },
    Passed {
        name: "demo",
        about: "The sales-order demo: a server, the sample, the workload, the result",
        run: tools::demo::main,
    },
    Passed {
        name: "backup",
        about: "Back up a database, or its log, to a file of the server's",
        run: tools::backup::backup,
    },
    Passed {
        name: "restore",
        about: "Restore a database from files of the server's",
        run: tools::backup::restore,
    },
    Passed { name: "bench", about: "Figures of this server", run: tools::bench::main },
    Passed {
        name: "report",
        about: "Published experiments, with their figures beside this server's",
        run: tools::report::main,
    },
];

/// Runs the program.
pub fn main() -> ExitCode {
    // Servers and clients may have many connections.
    let _ = env::raise_open_files_limit();
    let args: Vec<OsString> = std::env::args_os().collect();
    if let Some(name) = args.get(1).and_then(|name| name.to_str()) {
        if let Some(passed) = PASSED.iter().find(|passed| passed.name == name) {
            return (passed.run)(args[2..].to_vec());
        }
    }
    let matches = command().get_matches_from(args);
    let result = match matches.subcommand() {
        Some(("serve", matches)) => serve::run(matches),
        Some(("init", matches)) => init::run(matches),
        _ => unreachable!("clap asks for a command"),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "thermocline: {error}"); // standard error may be closed
            ExitCode::FAILURE
        }
    }
}

/// Why the program fails.
#[derive(Debug)]
enum Failure {
    Config(ConfigError),
    Start(StartError),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Config(error) => error.fmt(f),
            Failure::Start(error) => error.fmt(f),
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Failure {
        Failure::Config(error)
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Failure {
        Failure::Start(error)
    }
}

fn command() -> Command {
    let mut command = Command::new("thermocline")
        .about(ABOUT)
        .version(env!("CARGO_PKG_VERSION"))
        .after_help(EXAMPLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(serve::command())
        .subcommand(init::command());
    for passed in PASSED {
        command = command.subcommand(Command::new(passed.name).about(passed.about));
    }
    command
}

/// The password that a new data directory shall have.
fn sa_password(matches: &ArgMatches) -> Option<String> {
    let given = matches.get_one::<String>("sa-password").cloned();
    given.or_else(|| std::env::var("THERMOCLINE_SA_PASSWORD").ok()).filter(|p| !p.is_empty())
}

#[cfg(test)]
mod tests;
