//! The command line: sqlcmd's flags.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use super::variables::Variables;
use crate::client::Encrypt;

/// What the command line asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// A session.
    Session(Box<Flags>),
    /// The list of flags.
    Help,
    /// The version.
    Version,
}

/// Which messages go to the standard error stream.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub enum Redirect {
    /// None.
    Nothing,
    /// Errors.
    Errors,
    /// All messages.
    Everything,
}

/// What becomes of control characters in values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ControlCharacters {
    /// Control characters are shown.
    Keep,
    /// Control characters are left out.
    Remove,
    /// Each becomes a blank.
    Blank,
    /// Each run becomes a blank.
    BlankRuns,
}

/// The flags, read. What can be changed by a script is in [`Flags::variables`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flags {
    /// `-v`, and what other flags and the environment say about sqlcmd's own variables.
    pub variables: Variables,
    /// `-E`, or no user named anywhere.
    pub trusted: bool,
    /// `-P` or the environment's.
    pub password: Option<String>,
    /// `-i`
    pub inputs: Vec<PathBuf>,
    /// `-o`
    pub output: Option<PathBuf>,
    /// `-Q`, `-q`
    pub query: Option<String>,
    /// `-Q`: end after the query.
    pub exit_after_query: bool,
    /// `-b`
    pub exit_on_error: bool,
    /// `-e`
    pub echo: bool,
    /// `-m`: messages below this severity are not shown; -1 shows everything about all of them.
    pub message_level: i32,
    /// `-r`
    pub redirect: Redirect,
    /// `-W`
    pub trim: bool,
    /// `-w`, `-s`, `-h`, `-y`, `-Y` or `-W` was given: results are meant for programs.
    pub has_layout_flags: bool,
    /// `-x`
    pub no_variables: bool,
    /// `--allow-commands`: `!!` may run programs.
    pub allow_commands: bool,
    /// `-X1`: a command that is not allowed ends the script.
    pub refuse_commands_fatally: bool,
    /// `-k`
    pub control_characters: ControlCharacters,
    /// `-p`, `-p1`: statistics, for people or for programs.
    pub statistics: Option<bool>,
    /// `-u`: UTF-16 output.
    pub unicode_output: bool,
    /// `-f`: the code page of input files.
    pub code_page: Option<u32>,
    /// `-c`
    pub terminator: String,
    /// `-N`
    pub encrypt: Encrypt,
    /// `-N` without `-C`: the certificate is checked.
    pub check_certificate: bool,
    /// `-F`
    pub certificate_name: Option<String>,
    /// `-J`
    pub certificate_file: Option<PathBuf>,
    /// `-K ReadOnly`
    pub read_only: bool,
}

/// Why a command line cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UsageError(pub String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Flags whose value follows, in the same argument or the next.
const WITH_VALUE: &str = "SUPdioqQvhswmVtlaHfyYFJKMcDzZ";
/// Flags whose value may follow in the same argument.
const WITH_OPTIONAL_VALUE: &str = "rNkpXgC";
/// Flags without a value.
const PLAIN: &str = "EbeWxIuLjRAG?";

/// Reads a command line without the program's name. `environment` looks a variable up.
///
/// # Errors
/// An unknown flag, a value that is missing or is not one of its flag's, or flags that exclude each
/// other.
pub fn parse(
    arguments: &[OsString],
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Asked, UsageError> {
    let mut flags = Flags::new(environment);
    let mut rest = arguments.iter().map(|a| undash(&a.to_string_lossy())).peekable();
    let mut user_given = false;
    let mut trusted_given = false;
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--help" | "-?" | "/?" => return Ok(Asked::Help),
            "--version" => return Ok(Asked::Version),
            "--allow-commands" => {
                flags.allow_commands = true;
                continue;
            }
            _ => {}
        }
        let mut letters = argument.chars();
        let (Some('-'), Some(flag)) = (letters.next(), letters.next()) else {
            return Err(UsageError(format!(
                "'{argument}': Unexpected argument. Enter '-?' for help."
            )));
        };
        let attached = letters.as_str();
        if PLAIN.contains(flag) {
            if !attached.is_empty() {
                return Err(UsageError(format!("'-{flag}': Argument '{attached}' is unexpected.")));
            }
            trusted_given |= flag == 'E';
            flags.set_plain(flag)?;
        } else if WITH_OPTIONAL_VALUE.contains(flag) {
            flags.set_optional(flag, attached)?;
        } else if WITH_VALUE.contains(flag) {
            let value = match attached {
                "" => rest.next().ok_or_else(|| {
                    UsageError(format!("'-{flag}': Missing argument. Enter '-?' for help."))
                })?,
                attached => attached.to_owned(),
            };
            user_given |= flag == 'U';
            flags.set(flag, &value)?;
            if flag == 'v' {
                // Further assignments may follow as arguments of their own.
                while rest.peek().is_some_and(|next| !next.starts_with('-') && next.contains('=')) {
                    let next = rest.next().unwrap_or_default();
                    flags.set('v', &next)?;
                }
            }
        } else {
            return Err(UsageError(format!("'{argument}': Unknown Option. Enter '-?' for help.")));
        }
    }
    if user_given && trusted_given {
        return Err(UsageError("The -E and the -U/-P options are mutually exclusive.".into()));
    }
    if flags.query.is_some() && flags.exit_after_query && !flags.inputs.is_empty() {
        return Err(UsageError("The -i and the -Q options are mutually exclusive.".into()));
    }
    flags.trusted = trusted_given || flags.variables.own("SQLCMDUSER").is_empty();
    Ok(Asked::Session(Box::new(flags)))
}

/// Texts copied from web pages and word processors have dashes of other kinds.
pub(crate) fn undash(argument: &str) -> String {
    match argument.chars().next() {
        Some(dash @ ('\u{2010}'..='\u{2015}' | '\u{2212}')) => {
            format!("-{}", &argument[dash.len_utf8()..])
        }
        _ => argument.to_owned(),
    }
}

impl Flags {
    fn new(environment: impl Fn(&str) -> Option<String>) -> Flags {
        let mut variables = Variables::default();
        for name in Variables::OWN {
            if let Some(value) = environment(name) {
                variables.set_own(name, value);
            }
        }
        Flags {
            variables,
            trusted: true,
            password: environment("SQLCMDPASSWORD"),
            inputs: Vec::new(),
            output: None,
            query: None,
            exit_after_query: false,
            exit_on_error: false,
            echo: false,
            message_level: 0,
            redirect: Redirect::Nothing,
            trim: false,
            has_layout_flags: false,
            no_variables: false,
            allow_commands: false,
            refuse_commands_fatally: false,
            control_characters: ControlCharacters::Keep,
            statistics: None,
            unicode_output: false,
            code_page: None,
            terminator: "GO".into(),
            encrypt: Encrypt::Optional,
            check_certificate: false,
            certificate_name: None,
            certificate_file: None,
            read_only: false,
        }
    }

    fn set_plain(&mut self, flag: char) -> Result<(), UsageError> {
        match flag {
            'b' => self.exit_on_error = true,
            'e' => self.echo = true,
            'W' => (self.trim, self.has_layout_flags) = (true, true),
            'x' => self.no_variables = true,
            'u' => self.unicode_output = true,
            'L' => return Err(UsageError("'-L': Servers cannot be listed here.".into())),
            'G' => {
                return Err(UsageError("'-G': Only logins of the server are supported.".into()));
            }
            // -I: quoted identifiers are on anyhow. -R, -j, -A change nothing here.
            _ => {}
        }
        Ok(())
    }

    fn set_optional(&mut self, flag: char, value: &str) -> Result<(), UsageError> {
        match (flag, value) {
            ('r', "" | "0") => self.redirect = Redirect::Errors,
            ('r', "1") => self.redirect = Redirect::Everything,
            ('N', "" | "m" | "t" | "mandatory" | "true" | "yes") => {
                (self.encrypt, self.check_certificate) = (Encrypt::Mandatory, true);
            }
            ('N', "s" | "strict") => {
                (self.encrypt, self.check_certificate) = (Encrypt::Strict, true);
            }
            ('N', "o" | "f" | "optional" | "false" | "no") => self.encrypt = Encrypt::Optional,
            ('N', "d" | "disable") => self.encrypt = Encrypt::Never,
            ('C', "") => self.check_certificate = false,
            ('k', "") => self.control_characters = ControlCharacters::Remove,
            ('k', "1") => self.control_characters = ControlCharacters::Blank,
            ('k', "2") => self.control_characters = ControlCharacters::BlankRuns,
            ('p', "") => self.statistics = Some(false),
            ('p', "1") => self.statistics = Some(true),
            ('X', "") => self.allow_commands = false,
            ('X', "1") => (self.allow_commands, self.refuse_commands_fatally) = (false, true),
            // Encrypted columns do not exist here.
            ('g', "") => {}
            _ => return Err(UsageError(format!("'-{flag}': Argument '{value}' is unexpected."))),
        }
        Ok(())
    }

    fn set(&mut self, flag: char, value: &str) -> Result<(), UsageError> {
        let own = match flag {
            'S' => Some("SQLCMDSERVER"),
            'U' => Some("SQLCMDUSER"),
            'd' => Some("SQLCMDDBNAME"),
            'h' => Some("SQLCMDHEADERS"),
            's' => Some("SQLCMDCOLSEP"),
            'w' => Some("SQLCMDCOLWIDTH"),
            'V' => Some("SQLCMDERRORLEVEL"),
            't' => Some("SQLCMDSTATTIMEOUT"),
            'l' => Some("SQLCMDLOGINTIMEOUT"),
            'a' => Some("SQLCMDPACKETSIZE"),
            'H' => Some("SQLCMDWORKSTATION"),
            'y' => Some("SQLCMDMAXVARTYPEWIDTH"),
            'Y' => Some("SQLCMDMAXFIXEDTYPEWIDTH"),
            _ => None,
        };
        if let Some(name) = own {
            self.has_layout_flags |= matches!(flag, 'h' | 's' | 'w' | 'y' | 'Y');
            if !matches!(flag, 'S' | 'U' | 'd' | 's' | 'H') {
                let limits = match flag {
                    'h' => -1..=i64::from(i32::MAX),
                    'a' => 512..=32_767,
                    'w' => 9..=65_535,
                    'V' => -1..=25,
                    'y' | 'Y' => 0..=8000,
                    _ => 0..=65_534,
                };
                number(flag, value, limits)?;
            }
            self.variables.set_own(name, value.to_owned());
            return Ok(());
        }
        match flag {
            'P' => self.password = Some(value.to_owned()),
            'i' => self.inputs.extend(files(value)),
            'o' => self.output = Some(value.into()),
            'q' | 'Q' => {
                self.query = Some(value.to_owned());
                self.exit_after_query = flag == 'Q';
            }
            'm' => self.message_level = number(flag, value, -1..=25)? as i32,
            'v' => return self.assign(value),
            'c' => self.terminator = value.to_owned(),
            'f' => self.code_page = input_code_page(value),
            'F' => self.certificate_name = Some(value.to_owned()),
            'J' => self.certificate_file = Some(value.into()),
            'K' => self.read_only = value.eq_ignore_ascii_case("ReadOnly"),
            'D' => return Err(UsageError("'-D': Data source names are not supported.".into())),
            'z' | 'Z' => {
                return Err(UsageError(format!(
                    "'-{flag}': Change a password by ALTER LOGIN … WITH PASSWORD."
                )));
            }
            // -M has no meaning without clusters.
            _ => {}
        }
        Ok(())
    }

    fn assign(&mut self, text: &str) -> Result<(), UsageError> {
        let Some((name, value)) = text.split_once('=') else {
            return Err(UsageError(format!("'-v': Argument '{text}' is not name=value.")));
        };
        let value = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap_or(value);
        self.variables
            .set(name.trim(), value.to_owned())
            .map_err(|error| UsageError(format!("'-v': {error}")))
    }
}

fn number(
    flag: char,
    value: &str,
    limits: std::ops::RangeInclusive<i64>,
) -> Result<i64, UsageError> {
    let parsed: Option<i64> = value.trim().parse().ok();
    parsed.filter(|n| limits.contains(n)).ok_or_else(|| {
        let (least, most) = (limits.start(), limits.end());
        UsageError(format!("'-{flag} {value}': value must be a number from {least} to {most}."))
    })
}

/// Several files may be named in one argument, but a file may also have a comma in its name.
fn files(value: &str) -> Vec<PathBuf> {
    if !value.contains(',') || std::path::Path::new(value).exists() {
        return vec![value.into()];
    }
    value.split(',').map(|name| name.trim().trim_matches('"').into()).collect()
}

/// `1252`, `i:1252`, `o:65001,i:1252`.
fn input_code_page(value: &str) -> Option<u32> {
    let input = value.split(',').find_map(|part| part.trim().strip_prefix("i:"));
    let part = input.or_else(|| (!value.contains(':')).then_some(value))?;
    part.trim().parse().ok()
}
