//! `RESTORE DATABASE` and `RESTORE LOG`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, message};
use engine::backup::{BackupError, BackupSet, FileMove, Media, Restore, RestoreTarget, SetKind};
use engine::catalog::def::{
    DatabaseDef, DatabaseOptions, DatabaseState, FileDef, FileKind, Permission, RecoveryModel,
    UserAccess,
};
use engine::instance::{BackedUpDatabase, Databases, NewDirectory};

use super::failure::{About, instance_error};
use super::options::Options;
use super::{Device, Processed, history, logged};
use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::files::{last_name, mapped};

impl Context<'_> {
    /// `RESTORE DATABASE` and `RESTORE LOG` from a file.
    pub(super) fn restore_set(
        &mut self,
        name: &str,
        device: &Device,
        options: &Options,
        log: bool,
    ) -> Run<()> {
        let began_ns = self.task.now_ns();
        let existing = self.session.instance.find_database(name);
        self.check_restore(existing.as_deref())?;
        let media = self.open_media(device)?;
        let number = options.file.unwrap_or(1);
        let about = About { database: name, device: &device.name, log };
        let set = media.set(number);
        let set = self.explained(set, &about)?;
        let described = Databases::described(&set.header)
            .map_err(|error| Fault::from(instance_error(error, &about)))?;
        if !set.header.of_damaged {
            check_moves(&described, options)?;
        }
        if log != (set.header.kind == SetKind::Log) {
            return self.explained(Err(BackupError::WrongKind), &about);
        }
        let def = match set.header.kind {
            SetKind::Full => {
                self.restore_full(name, existing, &media, &set, &described, options, &about)?
            }
            SetKind::Differential | SetKind::Log => {
                self.restore_onto(existing, &media, &set, options, &about)?
            }
        };
        let reached = options.stop_at.is_none() || self.restored_to_stop(&def);
        if !options.no_recovery && reached {
            self.recover_restored(&def, &about)?;
        }
        logged::restored(self, &def, &set, device);
        history::restored(self, &def, &set, options)?;
        let of_kind = |kind: FileKind, bytes: u64| {
            let files = described.files.iter().filter(move |file| file.kind == kind);
            let bytes = std::iter::once(bytes).chain(std::iter::repeat(0));
            files.map(|file| file.name.to_string()).zip(bytes)
        };
        let mut files = Vec::new();
        if !log {
            files.extend(of_kind(FileKind::Rows, set.end.data_bytes));
            files.extend(of_kind(FileKind::Container, 0));
        }
        files.extend(of_kind(FileKind::Log, set.end.log_bytes));
        let statement = if log { "RESTORE LOG" } else { "RESTORE DATABASE" };
        let told = Processed { statement, database: &def.name, set: set.number, files, began_ns };
        self.tell_processed(&told)?;
        match reached {
            false => {
                let left = SqlError::new(&message::RESTORE_LEFT_RESTORING, &[]);
                self.inform(left).map_err(Fault::lost)
            }
            true => Ok(()),
        }
    }

    /// `RESTORE DATABASE name WITH RECOVERY`: what was restored is all. Errors 911, 3117, 3153.
    pub(super) fn recover_only(&mut self, name: &str, options: &Options) -> Run<()> {
        let began_ns = self.task.now_ns();
        let existing = self.session.instance.find_database(name);
        let Some(def) = existing else {
            return Err(SqlError::new(&message::DATABASE_NOT_FOUND, &[&name]).into());
        };
        self.check_restore(Some(&def))?;
        let about = About { database: &def.name, device: "", log: false };
        match def.options.state {
            DatabaseState::Restoring => {}
            DatabaseState::Online => {
                return Err(SqlError::new(&message::DATABASE_RECOVERED, &[]).into());
            }
            _ => return Err(SqlError::new(&message::RESTORE_NOT_READY_FOR_LOG, &[]).into()),
        }
        if !options.no_recovery {
            self.recover_restored(&def, &about)?;
        }
        let (statement, database) = ("RESTORE DATABASE", &*def.name);
        let files = Vec::new();
        self.tell_processed(&Processed { statement, database, set: 0, files, began_ns })
    }

    /// Checks that the session may restore over the database, and that it is not in use. Errors
    /// 3101, 3102, 3108, 3110, 3147.
    fn check_restore(&self, existing: Option<&DatabaseDef>) -> Run<()> {
        let may_create = self.login_may(Permission::CreateAnyDatabase)
            || self.login_may(Permission::AlterAnyDatabase);
        let owns = existing.is_some_and(|def| self.session.is_login_with_sid(&def.owner_sid));
        if !may_create && !owns {
            let args: [super::Shown<'_>; 2] = [&"CREATE DATABASE", &"master"];
            return Err(SqlError::new(&message::DATABASE_PERMISSION_DENIED, &args).into());
        }
        let Some(def) = existing else { return Ok(()) };
        if def.id == DbId::TEMPDB {
            return Err(SqlError::new(&message::BACKUP_TEMPDB, &[]).into());
        }
        if def.id == DbId::MASTER {
            return Err(SqlError::new(&message::RESTORE_MASTER_SINGLE_USER, &[]).into());
        }
        if self.session.is_in_database(def.id) {
            return Err(SqlError::new(&message::RESTORE_SYSTEM_DATABASE, &[&def.name]).into());
        }
        Ok(())
    }

    /// Whether a database may be replaced by what is in a set. Errors 3154, 3159.
    fn check_replaced(&self, old: &DatabaseDef, set: &BackupSet, options: &Options) -> Run<()> {
        if options.replace {
            return Ok(());
        }
        let databases = self.session.instance.databases();
        let own = u128::from_le_bytes(old.guid);
        let (chain, tail) = match databases.catalog(old.id) {
            Ok(catalog) => {
                let chain = catalog.database().chain();
                let durable = catalog.database().manager().log().durable();
                let tail = chain.log.is_some_and(|kept| kept < durable);
                (chain, tail && old.options.recovery_model != RecoveryModel::Simple)
            }
            Err(_) => {
                let chain = databases.closed_chain(old).unwrap_or_default();
                (chain, self.is_damaged(old) && databases.has_tail(old))
            }
        };
        let family = chain.path.first().map_or(own, |first| first.guid);
        if family != set.header.family() {
            return Err(SqlError::new(&message::BACKUP_SET_MISMATCH, &[&old.name]).into());
        }
        if tail && options.stop_at.is_none() {
            return Err(SqlError::new(&message::RESTORE_TAIL_NOT_BACKED_UP, &[&old.name]).into());
        }
        Ok(())
    }

    /// Restores a full backup: the database, new or in the place of another, in the state
    /// `RESTORING`.
    #[allow(clippy::too_many_arguments, reason = "it is a step of restore_set")]
    fn restore_full(
        &mut self,
        name: &str,
        existing: Option<Arc<DatabaseDef>>,
        media: &Media,
        set: &BackupSet,
        described: &BackedUpDatabase,
        options: &Options,
        about: &About<'_>,
    ) -> Run<Arc<DatabaseDef>> {
        if described.def.options.contained {
            crate::ddl::database::admit_contained(self, "restore")?;
        }
        let instance = self.instance();
        let session = self.session.id();
        if let Some(old) = &existing {
            self.check_replaced(old, set, options)?;
            if !instance.usage.try_exclusive(old.id, session) {
                return Err(SqlError::new(&message::RESTORE_DATABASE_IN_USE, &[]).into());
            }
        }
        let id = existing.as_ref().map_or(described.def.id, |old| old.id);
        let directory = instance.databases().new_directory(name, id);
        let done = match directory.map_err(|error| instance_error(error, about).into()) {
            Ok(directory) => {
                let target = instance.databases().restore_into(&directory, options.stop_at);
                let done = self.run_restore(media, set, target, options, about).and_then(|()| {
                    self.adopt(name, existing.as_deref(), &directory, described, options, about)
                });
                done.inspect_err(|_| instance.databases().discard_directory(&directory))
            }
            Err(error) => Err(error),
        };
        match &existing {
            Some(old) => {
                instance.usage.set_single(old.id, false);
                instance.usage.release(old.id);
                instance.note_gone(old.id);
            }
            None => instance.note_database_change(),
        }
        self.session.refresh_databases();
        done
    }

    /// Makes the directory that of the database.
    fn adopt(
        &mut self,
        name: &str,
        old: Option<&DatabaseDef>,
        directory: &NewDirectory,
        described: &BackedUpDatabase,
        options: &Options,
        about: &About<'_>,
    ) -> Run<Arc<DatabaseDef>> {
        let owner = self.session.entry.owner.clone();
        let sid = self.session.identity.login().sid.clone();
        let created = self.now();
        let user_access = match options.restricted {
            true => UserAccess::Restricted,
            false => UserAccess::Multi,
        };
        let make = |id: DbId| DatabaseDef {
            id,
            name: old.map_or_else(|| name.into(), |old| old.name.clone()),
            directory: directory.name.clone(),
            guid: directory.uuid.to_le_bytes(),
            owner_sid: old.map_or(sid, |old| old.owner_sid.clone()),
            created,
            collation: described.def.collation,
            options: DatabaseOptions {
                state: DatabaseState::Restoring,
                user_access,
                // An administrator of this server decides whether the database is trusted here.
                trustworthy: false,
                db_chaining: false,
                ..described.def.options.clone()
            },
        };
        let instance = self.instance();
        let adopted = instance.databases().adopt_directory(self.task, &owner, old, make);
        adopted.map_err(|error| instance_error(error, about).into())
    }

    /// Goes on with a database that is being restored. Errors 3117, 3118.
    fn restore_onto(
        &mut self,
        existing: Option<Arc<DatabaseDef>>,
        media: &Media,
        set: &BackupSet,
        options: &Options,
        about: &About<'_>,
    ) -> Run<Arc<DatabaseDef>> {
        let Some(def) = existing else {
            let missing = &message::RESTORE_DATABASE_MISSING;
            return Err(SqlError::new(missing, &[&about.database]).into());
        };
        if def.options.state != DatabaseState::Restoring {
            return Err(SqlError::new(&message::RESTORE_NOT_READY_FOR_LOG, &[]).into());
        }
        let instance = self.instance();
        let session = self.session.id();
        // Against other restores of it.
        if !instance.usage.try_exclusive(def.id, session) {
            return Err(SqlError::new(&message::RESTORE_DATABASE_IN_USE, &[]).into());
        }
        let target = instance.databases().restore_onto(&def, options.stop_at);
        let restored = self.run_restore(media, set, target, options, about);
        instance.usage.release(def.id);
        restored.map(|()| def)
    }

    fn run_restore(
        &mut self,
        media: &Media,
        set: &BackupSet,
        target: RestoreTarget,
        options: &Options,
        about: &About<'_>,
    ) -> Run<()> {
        let env = self.session.instance.env().clone();
        let target = RestoreTarget { moves: options.moves.clone(), ..target };
        let restore = Restore::begin(&env, media, set, target);
        let restore = self.explained(restore, about)?;
        let step = |restore: &mut Restore| {
            restore.step().map(|(progress, over)| (progress, over.then_some(())))
        };
        let result = self.work(restore, step, options.stats)?;
        self.explained(result, about).map(drop)
    }

    /// Whether a point in time has been reached after which nothing is to be restored.
    fn restored_to_stop(&self, def: &DatabaseDef) -> bool {
        let chain = self.session.instance.databases().closed_chain(def);
        chain.is_ok_and(|chain| chain.restored.is_some_and(|restored| restored.stopped))
    }

    /// Opens what was restored.
    fn recover_restored(&mut self, def: &DatabaseDef, about: &About<'_>) -> Run<()> {
        let instance = self.instance();
        let owner = self.session.entry.owner.clone();
        let dir = instance.databases().directory_of(def);
        let chain = instance.databases().closed_chain(def);
        let restored = chain.map_err(|error| Fault::from(instance_error(error, about)))?.restored;
        let moves = restored.map_or_else(Vec::new, |restored| restored.moves);
        let (moved, place, restored) = (moves.clone(), dir.clone(), def.clone());
        let path_of = move |file: &FileDef| -> PathBuf {
            let moved = moved.iter().rfind(|moved| moved.name.eq_ignore_ascii_case(&file.name));
            let asked = moved.map_or(&*file.physical_name, |moved| &*moved.path);
            place.join(last_name(asked))
        };
        let opened = self.off_load(move |instance, task| {
            let databases = instance.databases();
            databases.recover_restored(task, &owner, &restored, path_of).map(drop)
        });
        instance.note_database_change();
        self.session.refresh_databases();
        if let Err(error) = opened {
            let text = SqlError::custom(0, 10, 1, format!("{error}."));
            self.inform(text).map_err(Fault::lost)?;
            return Err(instance_error(error, about).into());
        }
        for FileMove { name, path } in &moves {
            let is = dir.join(last_name(path));
            if Path::new(&**path) != is && path.contains(['/', '\\']) {
                self.inform(mapped(name, path, &is)).map_err(Fault::lost)?;
            }
        }
        Ok(())
    }
}

/// Checks that `MOVE` names files of the backup. Error 3234.
fn check_moves(described: &BackedUpDatabase, options: &Options) -> Run<()> {
    for FileMove { name, .. } in &options.moves {
        if !described.files.iter().any(|file| file.name.eq_ignore_ascii_case(name)) {
            let args: [super::Shown<'_>; 2] = [name, &described.def.name];
            return Err(SqlError::new(&message::RESTORE_NOT_A_BACKUP_FILE, &args).into());
        }
    }
    Ok(())
}
