//! The command line: ostress's flags.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::client::{Authentication, ConnectOptions, ServerAddress};
use crate::sql::undash;

/// What the command line asks for.
#[derive(Debug)]
pub enum Asked {
    /// A run.
    Run(Box<Flags>),
    /// The list of flags.
    Help,
    /// The version.
    Version,
}

/// The flags, read.
#[derive(Debug)]
pub struct Flags {
    /// `-S -E -U -P -d -l -t`
    pub connect: ConnectOptions,
    /// `-Q`
    pub queries: Vec<String>,
    /// `-i`
    pub files: Vec<PathBuf>,
    /// `-n`: connections for each query or file.
    pub connections: usize,
    /// `-r`: how often each connection runs it.
    pub iterations: u64,
    /// `--seconds`: for how long, instead.
    pub seconds: Option<Duration>,
    /// `-q`: results are not written.
    pub quiet: bool,
    /// `-o`: where they are.
    pub output: Option<PathBuf>,
    /// `-b`: a connection ends at its first error.
    pub stop_on_error: bool,
    /// `--json`: the report as one line for programs.
    pub json: bool,
}

/// Flags with a value, which may be part of the argument or the next one.
const WITH_VALUE: &str = "SUPdQinrolTtmMcDa";
/// Flags without.
const PLAIN: &str = "EqbvN";

/// Reads a command line without the program's name.
///
/// # Errors
/// The text of what is wrong with it.
pub fn parse(arguments: &[OsString]) -> Result<Asked, String> {
    let mut reader = Reader::default();
    let arguments: Vec<String> = arguments.iter().map(|a| undash(&a.to_string_lossy())).collect();
    if arguments.is_empty() {
        return Ok(Asked::Help);
    }
    let mut rest = arguments.into_iter().peekable();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "-?" | "/?" | "--help" => return Ok(Asked::Help),
            "--version" => return Ok(Asked::Version),
            "--json" => {
                reader.json = true;
                continue;
            }
            "--seconds" => {
                let value = rest.next().ok_or("--seconds: the number is missing")?;
                reader.seconds = Some(number("--seconds", &value, 1)?);
                continue;
            }
            _ => {}
        }
        let mut letters = argument.chars();
        let (Some('-' | '/'), Some(flag)) = (letters.next(), letters.next()) else {
            return Err(format!("'{argument}' is not expected here (see -?)"));
        };
        let attached = letters.as_str();
        if PLAIN.contains(flag) && attached.is_empty() {
            reader.set_plain(flag);
        } else if WITH_VALUE.contains(flag) {
            let mut value = match attached {
                "" => rest.next().ok_or_else(|| format!("-{flag}: the value is missing"))?,
                attached => attached.to_owned(),
            };
            // A text in typographic quotation marks has come in pieces.
            if value.starts_with('\u{201C}') {
                while !value.ends_with('\u{201D}') {
                    let Some(next) = rest.next() else { break };
                    value = format!("{value} {next}");
                }
            }
            reader.set(flag, unquoted(&value))?;
            // A shell has expanded what was meant as a pattern.
            while flag == 'i' && rest.peek().is_some_and(|next| !next.starts_with('-')) {
                reader.set('i', &rest.next().unwrap_or_default())?;
            }
        } else {
            return Err(format!("'{argument}' is unknown (see -?)"));
        }
    }
    reader.finish().map(|flags| Asked::Run(Box::new(flags)))
}

fn seconds(count: u64) -> Option<Duration> {
    (count > 0).then(|| Duration::from_secs(count))
}

fn unquoted(value: &str) -> &str {
    let pairs = [('"', '"'), ('\u{201C}', '\u{201D}')];
    let inner = |(open, close): &(char, char)| value.strip_prefix(*open)?.strip_suffix(*close);
    pairs.iter().find_map(inner).unwrap_or(value)
}

fn number(flag: &str, value: &str, least: u64) -> Result<u64, String> {
    let parsed: Option<u64> = value.trim().parse().ok();
    parsed
        .filter(|n| *n >= least)
        .ok_or_else(|| format!("{flag}: '{value}' is not a number from {least}"))
}

/// What has been read so far.
#[derive(Default)]
struct Reader {
    server: String,
    user: Option<String>,
    password: Option<String>,
    trusted: bool,
    database: String,
    queries: Vec<String>,
    files: Vec<PathBuf>,
    connections: Option<u64>,
    iterations: Option<u64>,
    seconds: Option<u64>,
    login_timeout: Option<u64>,
    query_timeout: Option<u64>,
    quiet: bool,
    output: Option<PathBuf>,
    stop_on_error: bool,
    json: bool,
}

impl Reader {
    fn set_plain(&mut self, flag: char) {
        match flag {
            'E' => self.trusted = true,
            'q' => self.quiet = true,
            'b' => self.stop_on_error = true,
            // -v and -N speak of ostress's own log.
            _ => {}
        }
    }

    fn set(&mut self, flag: char, value: &str) -> Result<(), String> {
        let text = || value.to_owned();
        match flag {
            'S' => self.server = text(),
            'U' => self.user = Some(text()),
            'P' => self.password = Some(text()),
            'd' => self.database = text(),
            'Q' => self.queries.push(text()),
            'i' => self.files.extend(matching(value)?),
            'n' => self.connections = Some(number("-n", value, 1)?),
            'r' => self.iterations = Some(number("-r", value, 1)?),
            'o' => self.output = Some(value.into()),
            'l' => self.login_timeout = Some(number("-l", value, 0)?),
            't' => self.query_timeout = Some(number("-t", value, 0)?),
            'm' if value.eq_ignore_ascii_case("stress") => {}
            'm' => return Err(format!("-m: mode '{value}' is not supported, only stress is")),
            'c' => return Err("-c: control files are not supported".into()),
            'D' => return Err("-D: data source names are not supported".into()),
            // -T, -M and -a change nothing here.
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> Result<Flags, String> {
        if self.queries.is_empty() && self.files.is_empty() {
            return Err("there is nothing to run: -Q\"query\" or -i file".into());
        }
        if self.trusted && self.user.is_some() {
            return Err("-E and -U exclude each other".into());
        }
        let address = ServerAddress::parse(&self.server).map_err(|error| error.to_string())?;
        let mut connect = ConnectOptions::new(address).with_database(self.database);
        connect.app_name = "OStress".into();
        if let Some(user) = self.user {
            let password = self.password.unwrap_or_default();
            connect.authentication = Authentication::Password { user, password };
        }
        connect.login_timeout = seconds(self.login_timeout.unwrap_or(30));
        connect.query_timeout = self.query_timeout.and_then(seconds);
        Ok(Flags {
            connect,
            queries: self.queries,
            files: self.files,
            connections: self.connections.unwrap_or(1) as usize,
            iterations: self.iterations.unwrap_or(if self.seconds.is_some() {
                u64::MAX
            } else {
                1
            }),
            seconds: self.seconds.and_then(seconds),
            quiet: self.quiet,
            output: self.output,
            stop_on_error: self.stop_on_error,
            json: self.json,
        })
    }
}

/// The files that a name with `*` and `?` in its last part stands for, in order.
fn matching(pattern: &str) -> Result<Vec<PathBuf>, String> {
    let path = Path::new(pattern);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if path.exists() || !name.contains(['*', '?']) {
        return Ok(vec![path.to_owned()]);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).map_err(|error| format!("-i {pattern}: {error}"))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|file| {
            let file_name = file.file_name().map(|n| n.to_string_lossy().into_owned());
            file.is_file() && file_name.is_some_and(|n| is_match(name.as_bytes(), n.as_bytes()))
        })
        .collect();
    found.sort();
    if found.is_empty() { Err(format!("-i {pattern}: there is no such file")) } else { Ok(found) }
}

fn is_match(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.first(), name.first()) {
        (None, None) => true,
        (Some(b'*'), _) => {
            is_match(&pattern[1..], name) || (!name.is_empty() && is_match(pattern, &name[1..]))
        }
        (Some(b'?'), Some(_)) => is_match(&pattern[1..], &name[1..]),
        (Some(a), Some(b)) => a.eq_ignore_ascii_case(b) && is_match(&pattern[1..], &name[1..]),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
