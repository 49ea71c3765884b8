//! The list of settings.

use std::fmt::{Display, Write};
use std::path::PathBuf;
use std::str::FromStr;

use base::Collation;
use base::datetime::Language;
use tds::packet::{PACKET_SIZE_MAX, PACKET_SIZE_MIN};

use super::{Bytes, Config, Encrypt, ErrorLogFormat, Span};

/// A setting.
pub struct Setting {
    /// What it is called in the configuration file.
    pub name: &'static str,
    /// What its value is, in capitals.
    pub value: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Sets it from text.
    pub set: fn(&mut Config, &str) -> Result<(), String>,
    /// Its value as text.
    pub show: fn(&Config) -> String,
}

impl Setting {
    /// The setting of this name.
    pub fn find(name: &str) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// The setting's flag, without the dashes in front.
    pub fn flag(&self) -> String {
        self.name.replace('_', "-")
    }

    /// The setting's environment variable.
    pub fn variable(&self) -> String {
        format!("THERMOCLINE_{}", self.name.to_ascii_uppercase())
    }
}

/// All settings, in the order in which they are explained.
pub static SETTINGS: [Setting; 33] = [
    Setting {
        name: "data",
        value: "DIR",
        help: "The data directory. An empty one is initialised at the first start.",
        set: |c, text| put(&mut c.data, path(text)),
        show: |c| c.data.display().to_string(),
    },
    Setting {
        name: "backup_directories",
        value: "DIRS",
        help: "Where `BACKUP` and `RESTORE` may use files, with what is below; several with commas \
               between them. The folder `backup` in the data directory is always one of them. \
               Default: everywhere but in the rest of the data directory.",
        set: |c, text| put(&mut c.backup_directories, directories(text)),
        show: |c| shown(&c.backup_directories),
    },
    Setting {
        name: "import_directories",
        value: "DIRS",
        help: "Where `BULK INSERT` may read files and write its `ERRORFILE`, with what is below; \
               several with commas between them. Default: everywhere but in the data directory.",
        set: |c, text| put(&mut c.import_directories, directories(text)),
        show: |c| shown(&c.import_directories),
    },
    Setting {
        name: "listen",
        value: "HOST:PORT",
        help: "Where to listen for clients; several with commas between them. `0.0.0.0:1433` takes \
               clients from everywhere.",
        set: |c, text| put(&mut c.listen, addresses(text)),
        show: |c| c.listen.join(","),
    },
    Setting {
        name: "encrypt",
        value: "MODE",
        help: "`off`: no TLS. `on`: what the client asks for, and at least the login if the client \
               can. `required`: everything, others are refused. `strict`: TDS 8.0 alone. TDS 8.0 is \
               understood on the same port in all modes but `off`.",
        set: |c, text| {
            let modes = [
                ("off", Encrypt::Off),
                ("on", Encrypt::On),
                ("required", Encrypt::Required),
                ("strict", Encrypt::Strict),
            ];
            put(&mut c.encrypt, one_of(text, &modes))
        },
        show: |c| {
            match c.encrypt {
                Encrypt::Off => "off",
                Encrypt::On => "on",
                Encrypt::Required => "required",
                Encrypt::Strict => "strict",
            }
            .into()
        },
    },
    Setting {
        name: "tls_certificate",
        value: "FILE",
        help: "The server's certificate and those above it, PEM. Default: a self-signed one, made \
               in the data directory.",
        set: |c, text| put(&mut c.tls_certificate, path(text).map(Some)),
        show: |c| optional(c.tls_certificate.as_ref().map(|path| path.display())),
    },
    Setting {
        name: "tls_key",
        value: "FILE",
        help: "The private key of the certificate, PEM.",
        set: |c, text| put(&mut c.tls_key, path(text).map(Some)),
        show: |c| optional(c.tls_key.as_ref().map(|path| path.display())),
    },
    Setting {
        name: "allow_local_trusted",
        value: "BOOL",
        help: "Whether a client that connects from this machine and asks for integrated \
               authentication (`-E`) is `sa` without a password.",
        set: |c, text| put(&mut c.allow_local_trusted, boolean(text)),
        show: |c| c.allow_local_trusted.to_string(),
    },
    Setting {
        name: "max_connections",
        value: "N",
        help: "Sessions at a time; further clients are refused with error 17809.",
        set: |c, text| put(&mut c.max_connections, between(text, 1, 32_767)),
        show: |c| c.max_connections.to_string(),
    },
    Setting {
        name: "login_timeout",
        value: "TIME",
        help: "How long a client may take from connecting to the end of its login.",
        set: |c, text| put(&mut c.login_timeout, text.parse().map(|span: Span| span.0)),
        show: |c| Span(c.login_timeout).to_string(),
    },
    Setting {
        name: "logon_triggers",
        value: "BOOL",
        help: "Whether logon triggers run. A server that is started with `false` lets logins in that \
               they would refuse: the way back when a trigger refuses all.",
        set: |c, text| put(&mut c.logon_triggers, boolean(text)),
        show: |c| c.logon_triggers.to_string(),
    },
    Setting {
        name: "packet_size",
        value: "BYTES",
        help: "Bytes of a packet, 512 to 32767, for clients that leave it to the server.",
        set: |c, text| put(&mut c.packet_size, between(text, PACKET_SIZE_MIN, PACKET_SIZE_MAX)),
        show: |c| c.packet_size.to_string(),
    },
    Setting {
        name: "message_limit",
        value: "SIZE",
        help: "What one request may have; a larger one ends its session. Bulk loads have no limit.",
        set: |c, text| put(&mut c.message_limit, at_least(text, 64 << 10)),
        show: |c| c.message_limit.to_string(),
    },
    Setting {
        name: "max_memory",
        value: "SIZE",
        help: "What the rows of all databases together may use, or a share of the machine's memory \
               like `75%`; at most three quarters of `max server memory`, and less if that is less than \
               1 GB, so that pages, logs and sessions have the rest. At the limit, inserts and updates fail with \
               error 701.",
        set: |c, text| put(&mut c.max_memory, text.parse()),
        show: |c| c.max_memory.to_string(),
    },
    Setting {
        name: "max_database_memory",
        value: "SIZE",
        help: "What the rows of one database may use. At the limit, inserts into its \
               memory-optimized tables, and updates, fail with error 41805; disk tables, whose rows \
               can leave memory, go on.",
        set: |c, text| put(&mut c.max_database_memory, text.parse()),
        show: |c| c.max_database_memory.to_string(),
    },
    Setting {
        name: "buffer_pool_size",
        value: "SIZE",
        help: "What pages of data files may use in memory, or a share of the machine's memory.",
        set: |c, text| put(&mut c.buffer_pool_size, text.parse()),
        show: |c| c.buffer_pool_size.to_string(),
    },
    Setting {
        name: "disk_table_memory",
        value: "SIZE",
        help: "What rows of a database's disk tables may use in memory. Beyond it the largest tables \
               go to the data file, and only what changes is in memory.",
        set: |c, text| put(&mut c.disk_table_memory, text.parse()),
        show: |c| c.disk_table_memory.to_string(),
    },
    Setting {
        name: "simulated_seek",
        value: "TIME",
        help: "For measurements: data files are read as from a disk whose arm takes so long for each \
               move. Default: as fast as they can be read.",
        set: |c, text| put(&mut c.simulated_seek, text.parse().map(|span: Span| Some(span.0))),
        show: |c| optional(c.simulated_seek.map(Span)),
    },
    Setting {
        name: "session_memory",
        value: "SIZE",
        help: "What the statements of one session may use beside rows: values, sorts, hash tables, \
               table variables; and as much again for its requests and its results. A share is one of \
               what the server may use: the machine's memory, or `max server memory` if that is less, \
               of which it is half at most. Beyond it they go on in files, or fail with error 701.",
        set: |c, text| put(&mut c.session_memory, text.parse()),
        show: |c| c.session_memory.to_string(),
    },
    Setting {
        name: "query_memory",
        value: "SIZE",
        help: "What statements that sort and hash may use, all together; at most half of what the server \
               may use. One of them gets a quarter of it at most. They ask for it before they run, and \
               wait if there is not enough.",
        set: |c, text| put(&mut c.query_memory, text.parse()),
        show: |c| c.query_memory.to_string(),
    },
    Setting {
        name: "max_spill",
        value: "SIZE",
        help: "What all statements together may write to files in `tempdb` of the data directory when \
               their memory is used up. At the limit they fail with error 1105.",
        set: |c, text| put(&mut c.max_spill, text.parse()),
        show: |c| c.max_spill.to_string(),
    },
    Setting {
        name: "plan_cache_memory",
        value: "SIZE",
        help: "What compiled texts and modules may use before old ones are dropped; at most an eighth of \
               what the server may use.",
        set: |c, text| put(&mut c.plan_cache_memory, text.parse()),
        show: |c| c.plan_cache_memory.to_string(),
    },
    Setting {
        name: "workers",
        value: "N",
        help: "Threads that run statements; as many again take over from those that do not give way, two at \
               least. Default: one a processor.",
        set: |c, text| put(&mut c.workers, between(text, 1, 1024).map(Some)),
        show: |c| optional(c.workers),
    },
    Setting {
        name: "log_segment_size",
        value: "SIZE",
        help: "Size that the files of transaction logs grow to.",
        set: |c, text| put(&mut c.log_segment_size, at_least(text, 2 << 20)),
        show: |c| c.log_segment_size.to_string(),
    },
    Setting {
        name: "log_ring_size",
        value: "SIZE",
        help: "What of a database's transaction log may wait in memory to be written; a power of \
               two. Less than that, a sixteenth of what rows may take at most, if that is little when \
               the database is opened.",
        set: |c, text| {
            let size: Result<Bytes, _> = at_least(text, 2 << 20);
            let size = size.and_then(|size| match size.0.is_power_of_two() {
                true => Ok(size),
                false => Err(format!("'{text}' is not a power of two")),
            });
            put(&mut c.log_ring_size, size)
        },
        show: |c| c.log_ring_size.to_string(),
    },
    Setting {
        name: "checkpoint_file_size",
        value: "SIZE",
        help: "Size of a checkpoint's data files. Default: 128MB, or 16MB if the machine has less \
               than 16 GB of memory.",
        set: |c, text| put(&mut c.checkpoint_file_size, at_least(text, 1 << 20).map(Some)),
        show: |c| optional(c.checkpoint_file_size),
    },
    Setting {
        name: "checkpoint_log_size",
        value: "SIZE",
        help: "Size of a database's transaction log since its last checkpoint that makes another.",
        set: |c, text| put(&mut c.checkpoint_log_size, at_least(text, 1 << 20)),
        show: |c| c.checkpoint_log_size.to_string(),
    },
    Setting {
        name: "collation",
        value: "NAME",
        help: "The server's collation. It is chosen when the data directory is initialised, and of \
               no effect later.",
        set: |c, text| {
            let found = Collation::by_name(text).and_then(Collation::of_database);
            put(&mut c.collation, found.map_err(|error| error.text().to_string()))
        },
        show: |c| c.collation.name().to_string(),
    },
    Setting {
        name: "language",
        value: "NAME",
        help: "The language of sessions whose client and login name none.",
        set: |c, text| {
            let found = Language::by_name(text);
            put(&mut c.language, found.ok_or_else(|| format!("there is no language '{text}'")))
        },
        show: |c| c.language.name.to_string(),
    },
    Setting {
        name: "server_name",
        value: "NAME",
        help: "`@@SERVERNAME`. Default: the machine's name.",
        set: |c, text| put(&mut c.server_name, Ok(Some(text.to_string()))),
        show: |c| optional(c.server_name.as_ref()),
    },
    Setting {
        name: "shutdown_timeout",
        value: "TIME",
        help: "How long running statements may go on after the server was told to end.",
        set: |c, text| put(&mut c.shutdown_timeout, text.parse().map(|span: Span| span.0)),
        show: |c| Span(c.shutdown_timeout).to_string(),
    },
    Setting {
        name: "errorlog_level",
        value: "LEVEL",
        help: "What is written to the error log: `error`, `warn`, `info`, `debug` or `trace`.",
        set: |c, text| put(&mut c.errorlog_level, Ok(text.to_string())),
        show: |c| c.errorlog_level.clone(),
    },
    Setting {
        name: "errorlog_format",
        value: "FORMAT",
        help: "On standard error. `text`: lines for people. `json`: one object a line.",
        set: |c, text| {
            let formats = [("text", ErrorLogFormat::Text), ("json", ErrorLogFormat::Json)];
            put(&mut c.errorlog_format, one_of(text, &formats))
        },
        show: |c| {
            match c.errorlog_format {
                ErrorLogFormat::Text => "text",
                ErrorLogFormat::Json => "json",
            }
            .into()
        },
    },
];

/// The settings as a table for the documentation.
pub fn table() -> String {
    let defaults = Config::default();
    let mut out = String::from("| setting | default | what it does |\n|---|---|---|\n");
    for setting in &SETTINGS {
        let default = (setting.show)(&defaults);
        let default = if default.is_empty() { "—".into() } else { format!("`{default}`") };
        let help = setting.help.replace('|', "\\|");
        writeln!(out, "| `{}` | {default} | {help} |", setting.name)
            .expect("a string takes everything");
    }
    out
}

fn put<T>(place: &mut T, value: Result<T, String>) -> Result<(), String> {
    *place = value?;
    Ok(())
}

fn optional(value: Option<impl Display>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn path(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err("the path is empty".into()) } else { Ok(PathBuf::from(text)) }
}

fn directories(text: &str) -> Result<Vec<PathBuf>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let absolute = |text: &str| match path(text.trim())? {
        path if path.is_absolute() => Ok(path),
        path => Err(format!("'{}' is not an absolute path", path.display())),
    };
    text.split(',').map(absolute).collect()
}

fn shown(directories: &[PathBuf]) -> String {
    let shown: Vec<_> = directories.iter().map(|path| path.display().to_string()).collect();
    optional((!shown.is_empty()).then(|| shown.join(",")))
}

fn boolean(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Ok(true),
        "false" | "off" | "no" | "0" => Ok(false),
        _ => Err(format!("'{text}' is neither true nor false")),
    }
}

fn one_of<T: Copy>(text: &str, choices: &[(&str, T)]) -> Result<T, String> {
    let found = choices.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
        format!("'{text}' is none of {}", names.join(", "))
    })
}

fn between<T: FromStr + PartialOrd + Display>(text: &str, min: T, max: T) -> Result<T, String> {
    match text.parse::<T>() {
        Ok(value) if min <= value && value <= max => Ok(value),
        _ => Err(format!("'{text}' is not a number from {min} to {max}")),
    }
}

fn at_least(text: &str, min: u64) -> Result<Bytes, String> {
    let size: Bytes = text.parse()?;
    if size.0 < min { Err(format!("'{text}' is less than {}", Bytes(min))) } else { Ok(size) }
}

fn addresses(text: &str) -> Result<Vec<String>, String> {
    let check = |address: &str| {
        let (host, port) = address.rsplit_once(':')?;
        port.parse::<u16>().ok()?;
        (!host.is_empty()).then(|| address.to_string())
    };
    let each = text.split(',').map(str::trim).map(|address| {
        check(address).ok_or_else(|| format!("'{address}' is not an address like 127.0.0.1:1433"))
    });
    each.collect()
}
