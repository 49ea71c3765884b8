//! `BACKUP` and `RESTORE`.
//!
//! The work is the engine's ([`engine::backup`]); here statements are understood, progress and
//! results are reported, and history is written ([`history`]). Work runs on threads of its own,
//! step by step, so that a statement can be cancelled between two steps.
//!
//! * `options`: what stands after `WITH`. `failure`: errors as messages. `logged`: what the error
//!   log has.
//! * `take`: `BACKUP`; `tail`: of a damaged database. `restore`: `RESTORE DATABASE` and `LOG`.
//!   `show`: `RESTORE HEADERONLY` and its like.

mod failure;
pub mod history;
mod logged;
mod options;
mod restore;
mod show;
mod tail;
mod take;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::{SqlError, message};
use engine::backup::{BackupError, Media, Progress};
use engine::catalog::def::Permission;
use env::OpenMode;
use tsql::ast::{self, BackupAction, NameOrVariable};

use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::files::{FileUse, last_name, system_error};
use crate::program::{Program, Step};
use failure::About;
use options::Options;
use run::interp::Frame;

type Shown<'a> = &'a dyn std::fmt::Display;

/// Bytes of a page, in which SQL Server counts.
const PAGE_BYTES: u64 = 8192;

/// A file that a backup is in, or shall be.
#[derive(Clone, Debug)]
struct Device {
    /// As the statement has it.
    name: String,
    path: PathBuf,
}

/// The outcome of a step of work: the progress, and the result if that was all.
type Stepped<T> = Result<(Progress, Option<T>), BackupError>;

impl Context<'_> {
    /// `BACKUP` and `RESTORE`. Errors are followed by 3013.
    pub(crate) fn back_up(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        backup: &ast::Backup,
        frame: &mut Frame,
    ) -> Run<()> {
        use BackupAction as A;
        let options = self.backup_options(program, step, backup, frame)?;
        let database = match &backup.database {
            Some(NameOrVariable::Name(name)) => name.name.to_string(),
            Some(NameOrVariable::Variable(variable)) => {
                let (id, ty) = program.variables.find_scalar(&variable.name, step.declared)?;
                let value = frame.get(id).to_owned();
                let shown = base::convert::display(value.as_ref(), &ty);
                if value.is_null() { String::new() } else { shown }
            }
            None => String::new(),
        };
        let mut devices = Vec::new();
        for device in &backup.devices {
            let name = match &device.name.kind {
                // A logical device.
                ast::ExprKind::Column(column) => {
                    let name = column.column.name.to_string();
                    devices.push((None, name));
                    continue;
                }
                _ => self.text(program, step, frame, &device.name)?,
            };
            devices.push((device.kind.clone(), name.unwrap_or_default()));
        }
        let statement = match backup.action {
            A::BackupDatabase => "BACKUP DATABASE",
            A::BackupLog => "BACKUP LOG",
            A::RestoreDatabase => "RESTORE DATABASE",
            A::RestoreLog => "RESTORE LOG",
            A::RestoreFileListOnly => "RESTORE FILELIST",
            A::RestoreHeaderOnly => "RESTORE HEADERONLY",
            A::RestoreLabelOnly => "RESTORE LABELONLY",
            A::RestoreRewindOnly => "RESTORE REWINDONLY",
            A::RestoreVerifyOnly => "VERIFY DATABASE",
        };
        let result = self.run_backup(backup, &database, &devices, &options);
        self.session.entry.activity.set_percent(0);
        if let Err(fault) = &result {
            logged::failed(self, backup.action, &database, &fault.error);
        }
        result.map_err(|fault| self.terminated(fault, statement, step.line))
    }

    fn run_backup(
        &mut self,
        backup: &ast::Backup,
        database: &str,
        devices: &[(Option<Box<str>>, String)],
        options: &Options,
    ) -> Run<()> {
        use BackupAction as A;
        if self.in_user_transaction() {
            return Err(SqlError::new(&message::BACKUP_IN_TRANSACTION, &[]).into());
        }
        if !backup.parts.is_empty() {
            return Err(crate::fault::unimplemented("FILEGROUP").into());
        }
        let mut places = Vec::new();
        for (kind, name) in devices {
            places.push(self.device(kind.as_deref(), name)?);
        }
        if places.len() > 1 {
            let args: [Shown<'_>; 3] = [&places[0].name, &1, &places.len()];
            return Err(SqlError::new(&message::BACKUP_FAMILIES, &args).into());
        }
        let Some(device) = places.pop() else {
            return self.recover_only(database, options);
        };
        match backup.action {
            A::BackupDatabase => self.back_up_database(database, &device, options, false),
            A::BackupLog => self.back_up_database(database, &device, options, true),
            A::RestoreDatabase => self.restore_set(database, &device, options, false),
            A::RestoreLog => self.restore_set(database, &device, options, true),
            other => {
                if !self.login_may(Permission::CreateAnyDatabase) {
                    let args: [Shown<'_>; 2] = [&"CREATE DATABASE", &"master"];
                    let denied = SqlError::new(&message::DATABASE_PERMISSION_DENIED, &args);
                    return Err(denied.into());
                }
                self.show_backup(other, &device, options)
            }
        }
    }

    /// Tells the client of an error, and returns the one that says what it makes impossible.
    fn terminated(&mut self, fault: Fault, statement: &str, line: u32) -> Fault {
        // No transaction is open here that a missing database could end.
        let is_missing = fault.error.number() == message::DATABASE_NOT_FOUND.number;
        if fault.reported || (fault.effect > crate::fault::Effect::Statement && !is_missing) {
            return fault;
        }
        let last = SqlError::new(&message::BACKUP_TERMINATED, &[&statement]);
        if self.session.left.handlers == 0
            && let Err(gone) = self.writer.error(self.task, &fault.error.at_line(line))
        {
            return Fault::lost(gone);
        }
        last.into()
    }

    /// Where a device is. Relative paths, and such of other systems, are below the folder for
    /// backups. Errors 3201, 3206.
    fn device(&self, kind: Option<&str>, name: &str) -> Run<Device> {
        let open_error = |why: &str| {
            let args: [Shown<'_>; 2] = [&name, &why];
            SqlError::new(&message::BACKUP_DEVICE_OPEN, &args)
        };
        match kind {
            Some("DISK") if !name.is_empty() => {}
            None => return Err(SqlError::new(&message::BACKUP_DEVICE_UNKNOWN, &[&name]).into()),
            Some(_) => return Err(open_error("50(The request is not supported.)").into()),
        }
        let databases = self.session.instance.databases();
        let foreign = name.contains('\\') || name.get(1..2) == Some(":");
        let path = match Path::new(name) {
            path if path.is_absolute() => path.to_path_buf(),
            path if !foreign => databases.backup_dir().join(path),
            _ => databases.backup_dir().join(last_name(name)),
        };
        let instance = &self.session.instance;
        let path = instance.files().place(instance.env().fs(), &path, FileUse::Backup);
        let path = path.map_err(|error| open_error(system_error(error.kind())))?;
        Ok(Device { name: name.to_owned(), path })
    }

    /// Does work step by step on a thread of its own, and reports the progress.
    fn work<W: Send + 'static, T: Send + 'static>(
        &mut self,
        mut work: W,
        step: fn(&mut W) -> Stepped<T>,
        stats: Option<u8>,
    ) -> Run<Result<(W, T), BackupError>> {
        let instance = self.instance();
        let threads = instance.databases().backup_threads();
        let mut told = 0;
        loop {
            let job = threads.begin(self.task, move || -> (W, Stepped<T>) {
                let result = step(&mut work);
                (work, result)
            });
            let (back, result) = job.wait(self.task);
            work = back;
            let (progress, done) = match result {
                Ok(stepped) => stepped,
                Err(error) => return Ok(Err(error)),
            };
            let percent = if done.is_some() { 100 } else { progress.percent().min(99) };
            self.session.entry.activity.set_percent(percent);
            if let Some(every) = stats.filter(|every| percent / every > told / every) {
                told = percent;
                debug_assert!(every > 0, "it was clamped");
                let message = SqlError::new(&message::BACKUP_PERCENT, &[&percent]);
                self.inform(message).map_err(Fault::lost)?;
            }
            if let Some(done) = done {
                return Ok(Ok((work, done)));
            }
            self.check_interrupt()?;
        }
    }

    /// The result, or the message of the error, with what there is to say before it.
    fn explained<T>(&mut self, result: Result<T, BackupError>, about: &About<'_>) -> Run<T> {
        match result {
            Ok(value) => Ok(value),
            Err(error) => {
                if let Some(detail) = about.detail(&error) {
                    self.inform(detail).map_err(Fault::lost)?;
                }
                Err(about.message(&error).into())
            }
        }
    }

    /// Opens a backup's file to read it.
    fn open_media(&mut self, device: &Device) -> Run<Media> {
        let about = About { database: "", device: &device.name, log: false };
        let env = self.session.instance.env().clone();
        let media = Media::open(&env, &device.path, OpenMode::Read);
        self.explained(media, &about)
    }

    /// Messages 4035 and 3014: how many pages there were, and how fast it was.
    fn tell_processed(&mut self, told: &Processed<'_>) -> Run<()> {
        let pages = |bytes: u64| bytes.div_ceil(PAGE_BYTES);
        for (name, bytes) in told.files.iter().filter(|(name, _)| !name.is_empty()) {
            let args: [Shown<'_>; 4] = [&pages(*bytes), &told.database, name, &told.set];
            let message = SqlError::new(&message::BACKUP_FILE_PROCESSED, &args);
            self.inform(message).map_err(Fault::lost)?;
        }
        let bytes: u64 = told.files.iter().map(|(_, bytes)| *bytes).sum();
        let ns = self.task.now_ns().saturating_sub(told.began_ns);
        let seconds = format!("{}.{:03}", ns / 1_000_000_000, ns / 1_000_000 % 1000);
        let per_second = bytes as f64 / (1 << 20) as f64 / (ns.max(1) as f64 / 1e9);
        let speed = format!("{per_second:.3}");
        let all: u64 = told.files.iter().map(|(_, bytes)| pages(*bytes)).sum();
        let args: [Shown<'_>; 4] = [&told.statement, &all, &seconds, &speed];
        let message = SqlError::new(&message::BACKUP_PROCESSED, &args);
        self.inform(message).map_err(Fault::lost)
    }
}

/// What a statement has done.
struct Processed<'a> {
    statement: &'a str,
    database: &'a str,
    /// The number of the set.
    set: usize,
    /// Names of files, with their bytes; empty if the name is not known.
    files: Vec<(String, u64)>,
    began_ns: u64,
}
