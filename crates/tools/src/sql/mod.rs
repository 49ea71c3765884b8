//! `thermocline sql`: a shell with the flags and the scripts of sqlcmd.
//!
//! # Life of a script
//! [`flags`] reads the command line, [`shell`] connects. Files are decoded ([`input`]) and cut into
//! batches and commands ([`script`], [`command`]); variables ([`variables`]) are replaced as lines
//! are read. `GO` sends the batch, and the answer is printed while it arrives ([`layout`],
//! [`output`]). At a terminal lines come from an editor ([`prompt`]) and Ctrl-C cancels the request
//! that is running ([`interrupt`]).
//!
//! # Codes
//! 0: everything has been run. 1: no connection, a script that cannot be read or carried out, or an
//! error with `-b`. Others: what `-V`, `exit(query)` or an error of state 127 says.

mod command;
mod flags;
mod help;
mod input;
mod interrupt;
mod layout;
mod output;
mod prompt;
mod script;
mod shell;
mod variables;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

pub(crate) use flags::undash;
use flags::{Asked, Flags};
pub use input::read_script;
use output::Output;
pub use script::split_batches;
use shell::{Flow, Shell, ShellError};

/// Runs the shell with these arguments, the program's name left out.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let asked = match flags::parse(&arguments, |name| std::env::var(name).ok()) {
        Ok(asked) => asked,
        Err(error) => {
            eprintln!("Sqlcmd: {error}");
            return ExitCode::FAILURE;
        }
    };
    match asked {
        Asked::Help => print!("{}", help::FLAGS),
        Asked::Version => println!("thermocline sql {}", env!("CARGO_PKG_VERSION")),
        Asked::Session(flags) => return run(*flags),
    }
    ExitCode::SUCCESS
}

fn run(flags: Flags) -> ExitCode {
    match session(flags) {
        Ok(code) => exit_code(code),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Codes are bytes on most systems; what is not a byte must not look like success.
fn exit_code(code: i32) -> ExitCode {
    match (code, code as u8) {
        (0, _) => ExitCode::SUCCESS,
        (_, 0) => ExitCode::FAILURE,
        (_, byte) => ExitCode::from(byte),
    }
}

fn session(flags: Flags) -> Result<i32, ShellError> {
    let output = match &flags.output {
        None => Output::stdout(),
        Some(path) => {
            let file = File::create(path)
                .map_err(|error| ShellError::File(path.display().to_string(), error))?;
            Output::file(BufWriter::new(file), flags.unicode_output)?
        }
    };
    let mut shell = Shell::new(flags, output);
    shell.connect(ask_password)?;
    let code = run_everything(&mut shell);
    shell.output.flush()?;
    code
}

fn ask_password() -> io::Result<String> {
    let terminal = console::Term::stderr();
    if !terminal.is_term() {
        return Ok(String::new());
    }
    write!(&terminal, "Password: ")?;
    terminal.read_secure_line()
}

/// What the flags name, one after the other; then what is typed.
fn run_everything(shell: &mut Shell) -> Result<i32, ShellError> {
    let inputs = shell.flags.inputs.clone();
    for input in &inputs {
        let flow = shell.run_file(input, 0).and_then(|flow| finished(flow, shell));
        if let Flow::Exit(code) = flow? {
            return Ok(code);
        }
    }
    if let Some(query) = shell.flags.query.clone() {
        let flow = shell.run_text(&query, 0).and_then(|flow| finished(flow, shell));
        if let Flow::Exit(code) = flow? {
            return Ok(code);
        }
        if shell.flags.exit_after_query {
            return Ok(shell.exit_code());
        }
    }
    if !inputs.is_empty() {
        return Ok(shell.exit_code());
    }
    if io::stdin().is_terminal() {
        if let Some(greeting) = shell.greeting() {
            println!("{greeting}\nGO runs what you have typed; :help shows more, exit leaves.");
        }
        return prompt::converse(shell);
    }
    for line in io::stdin().lines() {
        if let Flow::Exit(code) = shell.script_line(&line?, 0)? {
            return Ok(code);
        }
    }
    match shell.finish()? {
        Flow::Exit(code) => Ok(code),
        Flow::GoOn => Ok(shell.exit_code()),
    }
}

/// A text has ended: what it has not ended by GO is run too.
fn finished(flow: Flow, shell: &mut Shell) -> Result<Flow, ShellError> {
    match flow {
        Flow::GoOn => shell.finish(),
        exit => Ok(exit),
    }
}

#[cfg(test)]
mod tests;
