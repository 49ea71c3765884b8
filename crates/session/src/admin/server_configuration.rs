//! `ALTER SERVER CONFIGURATION`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use base::{SqlError, message};
use engine::catalog::def::Permission;
use engine::cold::ColdError;
use engine::pages::ExtensionFile;
use env::FileResult;
use tsql::ast::{DatabaseOption, OptionValue, ServerConfiguration};

use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::files::{FileUse, last_name, mapped, system_error};

type Shown<'a> = &'a dyn std::fmt::Display;

/// How many times as large as the memory for pages the extension may be.
const RATIO_MAX: u64 = 32;
/// Where extensions lie whose path is not an absolute one of this machine, below the data
/// directory.
const EXTENSION_DIRECTORY: &str = "extension";
const PAGE_BYTES: u64 = engine::cold::PAGE_BYTES as u64;

impl Context<'_> {
    /// `ALTER SERVER CONFIGURATION`. Error 102, and 15247 without the permission.
    pub(crate) fn configure_server(&mut self, statement: &ServerConfiguration) -> Run<()> {
        if !self.login_may(Permission::AlterServerState) {
            return Err(SqlError::new(&message::NO_PERMISSION_FOR_ACTION, &[]).into());
        }
        self.refuse_in_transaction("ALTER SERVER CONFIGURATION")?;
        match (&*statement.name, &statement.value) {
            ("BUFFER POOL EXTENSION", OptionValue::Switch(false)) => self.retract_pages(),
            ("BUFFER POOL EXTENSION", OptionValue::List(Some(on), options)) if &**on == "ON" => {
                self.extend_pages(options)
            }
            ("BUFFER POOL EXTENSION", _) => {
                Err(SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&"ON"]).into())
            }
            (name, _) => Err(SqlError::new(&message::UNIMPLEMENTED, &[&name]).into()),
        }
    }

    /// Turns the buffer pool extension on. Errors 861, 864, 868, 5123.
    fn extend_pages(&mut self, options: &[DatabaseOption]) -> Run<()> {
        let (path, bytes) = parse(options)?;
        let pages = &self.session.instance.host().pages;
        let extension = pages.extension();
        if extension.as_ref().is_some_and(|(_, stats)| stats.is_enabled) {
            let told = SqlError::new(&message::BUFFER_POOL_EXTENSION_ENABLED, &[]);
            return self.inform(told).map_err(Fault::lost);
        }
        let limit = self.session.instance.memory_limit().unwrap_or(u64::MAX);
        let memory = pages.limit_bytes_max().min(limit);
        if bytes <= memory {
            let args: [Shown; 1] = [&(memory >> 20)];
            return Err(SqlError::new(&message::BUFFER_POOL_EXTENSION_SMALL, &args).into());
        }
        let (wanted, most) = (bytes / PAGE_BYTES, memory.saturating_mul(RATIO_MAX) / PAGE_BYTES);
        if wanted > most {
            let args: [Shown; 2] = [&wanted, &most];
            return Err(SqlError::new(&message::BUFFER_POOL_EXTENSION_LARGE, &args).into());
        }
        if extension.is_some() {
            // It has failed, and its file perhaps cannot be removed.
            let _ = pages.retract();
        }
        let place =
            self.extension_place(&path).map_err(|error| file_error(&error.into(), &path))?;
        let file = ExtensionFile { path: place.clone(), bytes };
        pages.extend(file).map_err(|error| file_error(&error, &path))?;
        if place != Path::new(&path) {
            let told = mapped(&last_name(&path), &path, &place);
            return self.inform(told).map_err(Fault::lost);
        }
        Ok(())
    }

    /// Where the extension is to lie: in its folder below the data directory, unless a path says
    /// where on this machine.
    fn extension_place(&self, asked: &str) -> FileResult<PathBuf> {
        let instance = &self.session.instance;
        let path = match Path::new(asked) {
            path if path.is_absolute() => path.to_path_buf(),
            _ => {
                let dir = instance.databases().backup_dir().with_file_name(EXTENSION_DIRECTORY);
                // Making the file fails if it is not there.
                let _ = instance.env().fs().create_dir_all(&dir);
                dir.join(last_name(asked))
            }
        };
        instance.files().place(instance.env().fs(), &path, FileUse::Extension)
    }

    /// Message 862.
    fn retract_pages(&mut self) -> Run<()> {
        let pages = &self.session.instance.host().pages;
        match pages.retract() {
            Ok(true) => Ok(()),
            Ok(false) => {
                let args: [Shown; 1] = [&"BUFFER POOL EXTENSION DISABLED"];
                let told = SqlError::new(&message::BUFFER_POOL_EXTENSION_NOT_ENABLED, &args);
                self.inform(told).map_err(Fault::lost)
            }
            Err(error) => Err(file_error(&error, "").into()),
        }
    }
}

/// What the system says of a file that is not the extension of this server.
const FILE_EXISTS: &str = "80(The file exists.)";

fn file_error(error: &ColdError, path: &str) -> SqlError {
    let reason = match error {
        ColdError::Foreign { .. } => FILE_EXISTS.to_string(),
        ColdError::File(error) | ColdError::Read(error) => system_error(error.kind()).to_string(),
        ColdError::Full(_) => system_error(ErrorKind::StorageFull).to_string(),
        error => error.to_string(),
    };
    let args: [Shown; 2] = [&reason, &path];
    SqlError::new(&message::FILE_CREATE_ERROR, &args)
}

/// `FILENAME = 'path', SIZE = number unit`, both of them. Error 102 for others.
fn parse(options: &[DatabaseOption]) -> Result<(String, u64), SqlError> {
    let (mut path, mut size) = (None, None);
    for option in options {
        match (&*option.name, &option.value) {
            ("FILENAME", OptionValue::String(text)) => path = Some(text.to_string()),
            ("SIZE", OptionValue::Number(number, unit)) => {
                size = bytes(number, unit.as_deref());
                if size.is_none() {
                    return Err(SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[number]));
                }
            }
            (name, _) => return Err(SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&name])),
        }
    }
    match (path, size) {
        (Some(path), Some(size)) => Ok((path, size)),
        _ => Err(SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&")"])),
    }
}

fn bytes(number: &str, unit: Option<&str>) -> Option<u64> {
    let shift = match unit? {
        "KB" => 10,
        "MB" => 20,
        "GB" => 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests;
