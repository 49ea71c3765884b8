//! `BACKUP LOG` of a database that could not be opened: the tail of its log.

use base::{SqlError, message};
use engine::backup::{BackupSet, MediaHeader, SetKind, TailBackup};
use engine::catalog::def::{DatabaseDef, DatabaseState};
use engine::instance::Databases;

use super::failure::About;
use super::options::Options;
use super::{Device, Processed, history, logged};
use crate::context::Context;
use crate::fault::{Fault, Run};

impl Context<'_> {
    /// Whether a backup of the log is to be made of what can be read of a damaged database.
    pub(super) fn is_tail_backup(&self, def: &DatabaseDef, options: &Options) -> bool {
        let asked = options.no_truncate || options.continue_after_error;
        asked && self.is_damaged(def)
    }

    /// Whether a database could not be opened.
    pub(super) fn is_damaged(&self, def: &DatabaseDef) -> bool {
        let state = self.session.instance.databases().state(def);
        matches!(state, DatabaseState::Suspect | DatabaseState::RecoveryPending)
    }

    /// `BACKUP LOG … WITH NO_TRUNCATE` or `CONTINUE_AFTER_ERROR` of a database that is suspect, or
    /// waits for files. Errors 3049, 4214.
    pub(super) fn back_up_tail(
        &mut self,
        def: &DatabaseDef,
        device: &Device,
        options: &Options,
    ) -> Run<()> {
        let began_ns = self.task.now_ns();
        let about = About { database: &def.name, device: &device.name, log: true };
        let (instance, session) = (self.instance(), self.session.id());
        if !instance.usage.enter(def.id, session) {
            return Err(SqlError::new(&message::DATABASE_SINGLE_USER, &[&def.name]).into());
        }
        let made = self.make_tail_backup(def, device, options, &about);
        instance.usage.leave(def.id, session);
        let (set, media, damage) = made?;
        if options.no_recovery {
            self.leave_restoring(def, &about)?;
        }
        logged::backed_up(self, def, &set, device);
        history::backed_up(self, def, &set, &media, &device.path)?;
        let told = Processed {
            statement: "BACKUP LOG",
            database: &def.name,
            set: set.number,
            // What its file is called cannot be read.
            files: vec![(String::new(), set.end.log_bytes)],
            began_ns,
        };
        if let Some(damage) = damage {
            let text = format!("The log is backed up to LSN {}; {damage}.", set.end.last.0);
            self.inform(SqlError::custom(0, 10, 1, text)).map_err(Fault::lost)?;
            let damaged = SqlError::new(&message::BACKUP_OF_DAMAGED, &[]);
            self.inform(damaged).map_err(Fault::lost)?;
        }
        self.tell_processed(&told)
    }

    /// The set, its file, and why it is not the whole log if it is not.
    fn make_tail_backup(
        &mut self,
        def: &DatabaseDef,
        device: &Device,
        options: &Options,
        about: &About<'_>,
    ) -> Run<(BackupSet, MediaHeader, Option<String>)> {
        let taken = self.instance().writing.take(&device.path);
        let _alone = self.explained(taken, about)?;
        let media = self.media_for(device, options);
        let media = self.explained(media, about)?;
        let media_header = media.header.clone();
        let definition = Databases::describe_closed(def);
        let header = self.set_header(def, definition, Vec::new(), options, SetKind::Log);
        let instance = self.instance();
        let (databases, up_to_damage) = (instance.databases(), options.continue_after_error);
        let begun = databases.begin_tail_backup(def, media, header, up_to_damage);
        let tail = self.explained(begun, about)?;
        let result = self.work(tail, TailBackup::step, options.stats)?;
        let (tail, set) = self.explained(result, about)?;
        if !options.copy_only {
            let noted = databases.note_tail_backup(def, set.end.last);
            self.explained(noted, about)?;
        }
        let damage = tail.damage().map(|damage| damage.to_string());
        Ok((set, media_header, damage))
    }
}
