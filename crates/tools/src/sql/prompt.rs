//! Batches typed by a person: line editing, history, a prompt that counts the batch's lines.

use std::path::PathBuf;

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use super::shell::{Flow, Shell, ShellError};

/// Lines that are remembered.
const HISTORY_LINES: usize = 1000;

/// Reads and runs lines until the person leaves. Returns the code to end with.
pub fn converse(shell: &mut Shell) -> Result<i32, ShellError> {
    let failed = |error: ReadlineError| ShellError::Io(std::io::Error::other(error));
    let config = rustyline::Config::builder()
        .max_history_size(HISTORY_LINES)
        .map_err(failed)?
        .auto_add_history(true)
        .build();
    let mut editor = DefaultEditor::with_config(config).map_err(failed)?;
    let history = history_file();
    if let Some(file) = &history {
        // The first time there is none.
        let _ = editor.load_history(file);
    }
    shell.set_interactive();
    let code = loop {
        match editor.readline(&format!("{}> ", shell.batch.lines() + 1)) {
            Ok(line) => match shell.line(&line, 0) {
                Ok(Flow::GoOn) => {}
                Ok(Flow::Exit(code)) => break code,
                Err(error) if error.is_recoverable() => eprintln!("{error}"),
                Err(error) => return Err(error),
            },
            Err(ReadlineError::Interrupted) => {
                shell.batch.take();
            }
            Err(ReadlineError::Eof) => break shell.exit_code(),
            Err(error) => return Err(failed(error)),
        }
    };
    if let Some(file) = &history {
        // A history that cannot be saved is not reported.
        let _ = editor.save_history(file);
    }
    Ok(code)
}

fn history_file() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?;
    Some(PathBuf::from(home).join(".thermocline_history"))
}
