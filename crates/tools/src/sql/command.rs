//! Commands: lines that sqlcmd itself carries out.

/// A command, read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `:setvar name [value]`; without a value the variable goes away.
    SetVariable(String, Option<String>),
    /// `:r file`
    Read(String),
    /// `:on error exit|ignore`; whether to exit.
    OnError(bool),
    /// `:out target`
    Out(Target),
    /// `:error target`
    Error(Target),
    /// `:connect server [-l seconds] [-U user [-P password]]`
    Connect {
        /// The server's name.
        server: String,
        /// Seconds for the login.
        timeout: Option<u64>,
        /// The login; without one, the account that the process runs as.
        user: Option<String>,
        /// Its password.
        password: Option<String>,
    },
    /// `:quit`
    Quit,
    /// `:exit`; the query in parentheses, empty for the batch that has been gathered.
    Exit(Option<String>),
    /// `:reset`
    Reset,
    /// `:list`
    List,
    /// `:listvar`
    ListVariables,
    /// `:serverlist`
    ServerList,
    /// `:help`
    Help,
    /// `:ed`
    Edit,
    /// `!! command`
    Shell(String),
    /// Something that other tools do and that has no effect here: `:xml`, `:perftrace`.
    Ignored,
}

/// Where output goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// The standard output stream.
    Stdout,
    /// The standard error stream.
    Stderr,
    /// A file.
    File(String),
}

/// Reads a command, without its colon.
///
/// # Errors
/// The name of the command that does not exist or cannot be understood.
pub fn parse(text: &str) -> Result<Command, String> {
    if let Some(command) = text.strip_prefix("!!") {
        return Ok(Command::Shell(command.trim().to_owned()));
    }
    let name_end =
        text.find(|c: char| !c.is_ascii_alphanumeric() && c != '?').unwrap_or(text.len());
    let (name, rest) = text.split_at(name_end);
    let name = name.to_ascii_lowercase();
    let rest = rest.trim();
    let wrong = || name.clone();
    Ok(match name.as_str() {
        "setvar" => {
            let (variable, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            if variable.is_empty() {
                return Err(wrong());
            }
            let value = value.trim();
            let value = (!value.is_empty()).then(|| unquote(value)).transpose();
            Command::SetVariable(variable.to_owned(), value.map_err(|()| wrong())?)
        }
        "r" => Command::Read(file(rest).ok_or_else(wrong)?),
        "on" => {
            let mut words = rest.split_whitespace().map(str::to_ascii_lowercase);
            match (words.next().as_deref(), words.next().as_deref(), words.next()) {
                (Some("error"), Some("exit"), None) => Command::OnError(true),
                (Some("error"), Some("ignore"), None) => Command::OnError(false),
                _ => return Err(wrong()),
            }
        }
        "out" => Command::Out(target(rest).ok_or_else(wrong)?),
        "error" => Command::Error(target(rest).ok_or_else(wrong)?),
        "connect" => connect(rest).ok_or_else(wrong)?,
        "quit" if rest.is_empty() => Command::Quit,
        "exit" if rest.is_empty() => Command::Exit(None),
        "exit" => {
            let query =
                rest.strip_prefix('(').and_then(|r| r.trim_end_matches(';').strip_suffix(')'));
            Command::Exit(Some(query.ok_or_else(wrong)?.trim().to_owned()))
        }
        "reset" => Command::Reset,
        "list" => Command::List,
        "listvar" => Command::ListVariables,
        "serverlist" => Command::ServerList,
        "help" | "?" => Command::Help,
        "ed" => Command::Edit,
        "xml" | "perftrace" => Command::Ignored,
        _ => return Err(wrong()),
    })
}

/// A value as it is, or in quotation marks, of which two within mean one.
fn unquote(text: &str) -> Result<String, ()> {
    let Some(inner) = text.strip_prefix('"') else { return Ok(text.to_owned()) };
    let inner = inner.strip_suffix('"').ok_or(())?;
    Ok(inner.replace("\"\"", "\""))
}

fn file(text: &str) -> Option<String> {
    unquote(text).ok().filter(|name| !name.is_empty())
}

fn target(text: &str) -> Option<Target> {
    Some(match text.to_ascii_lowercase().as_str() {
        "stdout" => Target::Stdout,
        "stderr" => Target::Stderr,
        _ => Target::File(file(text)?),
    })
}

fn connect(text: &str) -> Option<Command> {
    let mut words = text.split_whitespace();
    let server = words.next()?.to_owned();
    let (mut timeout, mut user, mut password) = (None, None, None);
    while let Some(word) = words.next() {
        let word = super::flags::undash(word);
        let (flag, attached) = word.split_at_checked(2)?;
        let value = if attached.is_empty() { words.next()? } else { attached }.to_owned();
        match flag {
            "-l" => timeout = Some(value.parse().ok()?),
            "-U" => user = Some(value),
            "-P" => password = Some(value),
            _ => return None,
        }
    }
    Some(Command::Connect { server, timeout, user, password })
}

#[cfg(test)]
mod tests;
