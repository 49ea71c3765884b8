//! `BACKUP DATABASE` and `BACKUP LOG`.

use std::path::Path;
use std::sync::Arc;

use base::ids::{DbId, Lsn};
use base::{SqlError, message};
use engine::backup::{Backup, BackupError, BackupSet, Media, SetHeader, SetKind, new_media};
use engine::catalog::Catalog;
use engine::catalog::def::{DatabaseDef, FileKind, Permission, RecoveryModel};
use engine::error::EngineError;
use engine::instance::InstanceError;
use env::OpenMode;

use super::failure::{About, instance_error};
use super::options::{Options, retained};
use super::{Device, Processed, Shown, history, logged};
use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::security;

impl Context<'_> {
    /// `BACKUP DATABASE` and `BACKUP LOG`.
    pub(super) fn back_up_database(
        &mut self,
        name: &str,
        device: &Device,
        options: &Options,
        log: bool,
    ) -> Run<()> {
        let began_ns = self.task.now_ns();
        let instance = self.instance();
        let Some(def) = instance.find_database(name) else {
            return Err(SqlError::new(&message::DATABASE_NOT_FOUND, &[&name]).into());
        };
        let kind = match (log, options.differential) {
            (true, _) => SetKind::Log,
            (false, true) => SetKind::Differential,
            (false, false) => SetKind::Full,
        };
        self.check_backup(&def, kind)?;
        if log && self.is_tail_backup(&def, options) {
            return self.back_up_tail(&def, device, options);
        }
        let catalog = self.catalog(def.id)?;
        let about = About { database: &def.name, device: &device.name, log };
        if log && catalog.database().chain().log.is_none() {
            return self.explained(Err(BackupError::LogNotKept), &about);
        }
        let session = self.session.id();
        if !instance.usage.enter(def.id, session) {
            return Err(SqlError::new(&message::DATABASE_SINGLE_USER, &[&def.name]).into());
        }
        let made = self.make_backup(&def, &catalog, device, options, kind);
        instance.usage.leave(def.id, session);
        let (set, media) = made?;
        if log && options.no_recovery {
            self.leave_restoring(&def, &about)?;
        }
        logged::backed_up(self, &def, &set, device);
        history::backed_up(self, &def, &set, &media, &device.path)?;
        let pages = |kind: FileKind| {
            let files = catalog.current();
            let files: Vec<String> = files
                .files()
                .iter()
                .filter(|f| f.kind == kind)
                .map(|f| f.name.to_string())
                .collect();
            files
        };
        let rows = pages(FileKind::Rows).into_iter().zip(first_of(set.end.data_bytes));
        let containers = pages(FileKind::Container).into_iter().map(|name| (name, 0));
        let logs = pages(FileKind::Log).into_iter().zip(first_of(set.end.log_bytes));
        let mut files: Vec<(String, u64)> = Vec::new();
        if !log {
            files.extend(rows.chain(containers));
        }
        files.extend(logs);
        let statement = match kind {
            SetKind::Full => "BACKUP DATABASE",
            SetKind::Differential => "BACKUP DATABASE WITH DIFFERENTIAL",
            SetKind::Log => "BACKUP LOG",
        };
        let database = &*def.name;
        self.tell_processed(&Processed { statement, database, set: set.number, files, began_ns })
    }

    /// Checks that the session may back up the database in this way. Errors 262, 3024, 3147, 4208.
    fn check_backup(&self, def: &DatabaseDef, kind: SetKind) -> Run<()> {
        let permission = match kind {
            SetKind::Log => Permission::BackupLog,
            _ => Permission::BackupDatabase,
        };
        if def.id == DbId::TEMPDB {
            return Err(SqlError::new(&message::BACKUP_TEMPDB, &[]).into());
        }
        let allowed = self.login_may(Permission::AlterAnyDatabase)
            || self.may(def.id, security::WHOLE_DATABASE, permission);
        if !allowed {
            let args: [Shown<'_>; 2] = [&permission.description(), &def.name];
            return Err(SqlError::new(&message::DATABASE_PERMISSION_DENIED, &args).into());
        }
        if def.id == DbId::MASTER && kind != SetKind::Full {
            return Err(SqlError::new(&message::MASTER_FULL_BACKUP_ONLY, &[]).into());
        }
        if kind == SetKind::Log && def.options.recovery_model == RecoveryModel::Simple {
            return Err(SqlError::new(&message::BACKUP_LOG_SIMPLE, &[&"BACKUP LOG"]).into());
        }
        Ok(())
    }

    fn make_backup(
        &mut self,
        def: &DatabaseDef,
        catalog: &Arc<Catalog>,
        device: &Device,
        options: &Options,
        kind: SetKind,
    ) -> Run<(BackupSet, engine::backup::MediaHeader)> {
        let about = About { database: &def.name, device: &device.name, log: kind == SetKind::Log };
        let taken = self.instance().writing.take(&device.path);
        let _alone = self.explained(taken, &about)?;
        let media = self.media_for(device, options);
        let media = self.explained(media, &about)?;
        let media_header = media.header.clone();
        let (definition, files) = self.session.instance.databases().describe(def, catalog);
        let header = self.set_header(def, definition, files, options, kind);
        let begun = catalog.database().begin_backup(self.task, media, header);
        let backup = match begun {
            Ok(backup) => backup,
            Err(EngineError::Backup(error)) => return self.explained(Err(error), &about),
            Err(error) => return Err(instance_error(InstanceError::Engine(error), &about).into()),
        };
        let step = |backup: &mut Backup| backup.step();
        let result = self.work(backup, step, options.stats)?;
        let (backup, set) = self.explained(result, &about)?;
        drop(backup);
        if kind == SetKind::Log && !options.copy_only {
            let database = catalog.database().clone();
            let instance = self.instance();
            let threads = instance.databases().backup_threads();
            // The next checkpoint tries again.
            let _ = threads.begin(self.task, move || database.truncate_log()).wait(self.task);
        }
        Ok((set, media_header))
    }

    /// The file to write to: the one that is there, or a new one.
    pub(super) fn media_for(
        &self,
        device: &Device,
        options: &Options,
    ) -> Result<Media, BackupError> {
        let env = self.session.instance.env();
        let new = || {
            let name = options.media_name.clone();
            let header = new_media(env, name, options.media_description.clone());
            self.session.instance.databases().make_backup_dir(&device.path);
            Media::create(env, &device.path, header)
        };
        let there = Media::open(env, &device.path, OpenMode::Write);
        if options.init && !options.format && !options.skip {
            let now = env.clock().utc_ticks();
            match &there {
                Ok(media) => media.check_expired(now)?,
                // Nothing can be added to it, but it may have sets that are to be kept.
                Err(BackupError::Damaged { .. }) => {
                    let read = Media::open(env, &device.path, OpenMode::Read);
                    read.map_or(Ok(()), |media| media.check_expired(now))?;
                }
                Err(_) => {}
            }
        }
        match there {
            // A set of SQL Server's is overwritten only by FORMAT.
            Ok(_) | Err(BackupError::Damaged { .. }) if options.init || options.format => new(),
            Err(BackupError::Foreign { is_sql_server: true, .. }) if options.format => new(),
            // A file that is something else is never overwritten, but it may be made before it is
            // used.
            Err(BackupError::Foreign { .. }) if self.is_empty(&device.path) => new(),
            Err(BackupError::Device(error)) if error.is_not_found() => new(),
            other => other,
        }
    }

    fn is_empty(&self, path: &Path) -> bool {
        let metadata = self.session.instance.env().fs().metadata(path);
        metadata.is_ok_and(|metadata| metadata.is_some_and(|metadata| metadata.len == 0))
    }

    /// What a set of a database says of itself, of which this is the description and that of its
    /// files.
    pub(super) fn set_header(
        &self,
        def: &DatabaseDef,
        definition: Box<[u8]>,
        files: Vec<Box<[u8]>>,
        options: &Options,
        kind: SetKind,
    ) -> SetHeader {
        let instance = &self.session.instance;
        let cut = |text: &Option<Box<str>>, most: usize| {
            text.as_deref().map(|text| text.chars().take(most).collect::<String>().into())
        };
        SetHeader {
            guid: 0,
            kind,
            copy_only: options.copy_only,
            database_name: (*def.name).into(),
            path: Vec::new(),
            server_name: (*instance.facts().name).into(),
            user_name: (*self.session.identity.login().name).into(),
            name: cut(&options.name, 128),
            description: cut(&options.description, 255),
            started_ticks: 0,
            offset_minutes: 0,
            first: Lsn::ZERO,
            through: Lsn::ZERO,
            base: None,
            keeps_log: def.options.recovery_model != RecoveryModel::Simple,
            packed: options.compression,
            checksum: options.checksum,
            version: version(),
            definition,
            files,
            of_damaged: false,
            collations: base::collation::rules::DATA_VERSION,
            expires_ticks: options.expires.or_else(|| self.media_retention()),
        }
    }

    /// Until when a backup is kept whose statement does not say.
    fn media_retention(&self) -> Option<u64> {
        /// The setting `media retention`.
        const MEDIA_RETENTION: i32 = 1537;
        let instance = &self.session.instance;
        let days = instance.configuration(MEDIA_RETENTION);
        retained(instance.env().clock().utc_ticks(), days.into())
    }

    /// `WITH NORECOVERY`: the log has been backed up to its end, and nothing more is to come.
    /// Error 3101.
    pub(super) fn leave_restoring(&mut self, def: &DatabaseDef, about: &About<'_>) -> Run<()> {
        let instance = self.instance();
        let session = self.session.id();
        if self.session.is_in_database(def.id) || !instance.usage.try_exclusive(def.id, session) {
            return Err(SqlError::new(&message::RESTORE_DATABASE_IN_USE, &[]).into());
        }
        let owner = self.session.entry.owner.clone();
        let closed = instance.databases().close_for_restore(self.task, &owner, def);
        instance.usage.release(def.id);
        closed.map_err(|error| Fault::from(instance_error(error, about)))?;
        instance.note_gone(def.id);
        self.session.refresh_databases();
        Ok(())
    }
}

/// All of it for the first of several, nothing for the others.
fn first_of(bytes: u64) -> impl Iterator<Item = u64> {
    std::iter::once(bytes).chain(std::iter::repeat(0))
}

/// The version of the program.
fn version() -> [u16; 3] {
    let mut parts = env!("CARGO_PKG_VERSION").split('.').map(|part| part.parse().unwrap_or(0));
    std::array::from_fn(|_| parts.next().unwrap_or(0))
}
