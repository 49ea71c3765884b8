//! What went wrong with a backup, as messages to clients.

use std::fmt::Display;

use base::collation::rules::DATA_VERSION;
use base::message::Message;
use base::{SqlError, message};
use engine::backup::BackupError;
use engine::cold::ColdError;
use engine::error::EngineError;
use engine::instance::InstanceError;
use env::{FileError, OpKind};

use super::show::{in_style, local_time};
use crate::context::{catalog_error, engine_error};
use crate::files::system_error;

type Shown<'a> = &'a dyn Display;

/// What an error is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    /// The database.
    pub database: &'a str,
    /// The backup's file, as the statement has it.
    pub device: &'a str,
    /// A backup of the log is made or restored.
    pub log: bool,
}

impl About<'_> {
    /// The message that comes before the error, with more detail.
    pub fn detail(&self, error: &BackupError) -> Option<SqlError> {
        let text = match error {
            BackupError::Foreign { is_sql_server: true, .. } => format!(
                "The file '{}' is a backup of Microsoft SQL Server. Thermocline restores only its own backups.",
                self.device
            ),
            BackupError::Foreign { .. } => {
                format!("The file '{}' is no backup of Thermocline.", self.device)
            }
            BackupError::OtherCollations(_)
            | BackupError::Damaged { .. }
            | BackupError::Checkpoint(_)
            | BackupError::Log(_)
            | BackupError::LogUnreadable(_)
            | BackupError::Pages(_)
            | BackupError::File(_) => format!("{error}."),
            _ => return None,
        };
        Some(SqlError::custom(0, 10, 1, text))
    }

    /// The message.
    pub fn message(&self, error: &BackupError) -> SqlError {
        let make = |message: &Message, args: &[Shown<'_>]| SqlError::new(message, args);
        match error {
            BackupError::Device(error) => self.device_error(error),
            BackupError::Foreign { .. } => make(&message::BACKUP_MEDIA_DAMAGED, &[&self.device]),
            BackupError::UnknownVersion { version, .. } => {
                make(&message::BACKUP_VERSION, &[version, &1])
            }
            BackupError::OtherCollations(version) => {
                make(&message::BACKUP_VERSION, &[version, &DATA_VERSION])
            }
            BackupError::Damaged { .. } => make(&message::BACKUP_CHECKSUM_FAILED, &[]),
            BackupError::NotExpired(ticks, offset) => {
                let until = in_style(&local_time(*ticks, *offset), 109);
                make(&message::BACKUP_NOT_EXPIRED, &[&self.device, &until])
            }
            BackupError::MediaFull(_) => {
                let text = "There is no room for another backup set";
                make(&message::BACKUP_DEVICE_WRITE, &[&self.device, &text])
            }
            BackupError::NoSuchSet(_, number) => {
                make(&message::BACKUP_SET_NOT_FOUND, &[number, &self.device])
            }
            BackupError::Busy => make(&message::BACKUP_CONFLICT, &[]),
            BackupError::NoDatabaseBackup => {
                make(&message::DIFFERENTIAL_NO_BASE, &[&self.database])
            }
            BackupError::LogNotKept => make(&message::BACKUP_LOG_NO_DATABASE_BACKUP, &[]),
            BackupError::WrongKind => {
                let made_by = if self.log { "BACKUP DATABASE" } else { "BACKUP LOG" };
                make(&message::BACKUP_SET_KIND, &[&self.device, &made_by])
            }
            BackupError::NotRestoring => make(&message::RESTORE_NOT_READY_FOR_LOG, &[]),
            BackupError::OtherBase => make(&message::DIFFERENTIAL_BASE_MISMATCH, &[]),
            BackupError::OtherPath => make(&message::RESTORE_OTHER_PATH, &[]),
            BackupError::TooRecent { first, restored } => {
                make(&message::RESTORE_LOG_TOO_EARLY, &[&first.0, &restored.0])
            }
            BackupError::TooEarly { last, restored } => {
                make(&message::RESTORE_LOG_TOO_RECENT, &[&last.0, &restored.0])
            }
            BackupError::StopsTooEarly if self.log => {
                make(&message::RESTORE_STOP_TOO_EARLY_LOG, &[])
            }
            BackupError::StopsTooEarly => make(&message::RESTORE_STOP_TOO_EARLY, &[]),
            BackupError::Pages(ColdError::Checksum { file, place, .. }) => {
                let (number, page, file) = (place.file, place.index, file.display());
                make(&message::BACKUP_PAGE_DAMAGED, &[&self.database, &number, &page, &file])
            }
            BackupError::LogUnreadable(_) => make(&message::BACKUP_LOG_DAMAGED, &[]),
            BackupError::Checkpoint(_)
            | BackupError::Log(_)
            | BackupError::Pages(_)
            | BackupError::File(_) => make(&message::RESTORE_CANNOT_START, &[&self.database]),
        }
    }

    /// The error about a failed operation on a backup file: 3201, 3202, 3203.
    pub fn device_error(&self, error: &FileError) -> SqlError {
        let why = system_error(error.kind());
        let message = match error.op() {
            OpKind::Write | OpKind::SetLen | OpKind::Sync | OpKind::SyncDir | OpKind::Rename => {
                &message::BACKUP_DEVICE_WRITE
            }
            OpKind::Read => &message::BACKUP_DEVICE_READ,
            _ => &message::BACKUP_DEVICE_OPEN,
        };
        SqlError::new(message, &[&self.device, &why])
    }
}

/// The message of an error of a whole database.
pub(super) fn instance_error(error: InstanceError, about: &About<'_>) -> SqlError {
    match error {
        InstanceError::Catalog(error) => catalog_error(error),
        InstanceError::Engine(EngineError::Txn(error)) => engine_error(&error),
        InstanceError::Engine(EngineError::Backup(error)) => about.message(&error),
        InstanceError::Engine(EngineError::Checkpoint(error)) => {
            SqlError::custom(5901, 16, 1, format!("The checkpoint failed: {error}"))
        }
        _ => SqlError::new(&message::RESTORE_CANNOT_START, &[&about.database]),
    }
}
