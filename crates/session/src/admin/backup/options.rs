//! What stands after `WITH`.

use std::sync::Arc;

use base::{SqlError, SqlType, Value, message};
use engine::backup::FileMove;
use run::interp::Frame;
use tsql::ast::{self, BackupAction};

use crate::context::Context;
use crate::fault::{Run, unimplemented};
use crate::program::{Program, Step};

/// Per cents between two messages of `STATS` without a number.
const STATS: u8 = 10;

/// The options of `BACKUP` and `RESTORE`.
#[derive(Clone, Default, Debug)]
pub(super) struct Options {
    /// `DIFFERENTIAL`
    pub differential: bool,
    /// `COPY_ONLY`
    pub copy_only: bool,
    /// `COMPRESSION`
    pub compression: bool,
    /// `CHECKSUM`
    pub checksum: bool,
    /// `INIT`
    pub init: bool,
    /// `FORMAT`
    pub format: bool,
    /// `SKIP`: what expires later is overwritten.
    pub skip: bool,
    /// `RETAINDAYS`, `EXPIREDATE`: until when the backup is kept, in UTC ticks of 100 ns since
    /// 0001-01-01.
    pub expires: Option<u64>,
    /// `NO_TRUNCATE`: a backup of the log, of a database in whatever state; it is `COPY_ONLY` too.
    pub no_truncate: bool,
    /// `CONTINUE_AFTER_ERROR`; `NO_TRUNCATE` implies it, unless the statement says otherwise.
    pub continue_after_error: bool,
    /// `STOP_ON_ERROR`
    pub stop_on_error: bool,
    /// `NORECOVERY`
    pub no_recovery: bool,
    /// `REPLACE`
    pub replace: bool,
    /// `RESTRICTED_USER`
    pub restricted: bool,
    /// `NAME`
    pub name: Option<Box<str>>,
    /// `DESCRIPTION`
    pub description: Option<Box<str>>,
    /// `MEDIANAME`
    pub media_name: Option<Box<str>>,
    /// `MEDIADESCRIPTION`
    pub media_description: Option<Box<str>>,
    /// `STATS`: per cents between two messages.
    pub stats: Option<u8>,
    /// `FILE`: the number of the set.
    pub file: Option<usize>,
    /// `STOPAT`, in UTC ticks of 100 ns since 0001-01-01.
    pub stop_at: Option<u64>,
    /// `MOVE`: where files shall be.
    pub moves: Vec<FileMove>,
}

/// What options mean nothing here, as devices, buffers and media are nothing of this server's.
const IGNORED: &[&str] = &[
    "NO_COMPRESSION",
    "NO_CHECKSUM",
    "NOINIT",
    "NOFORMAT",
    "NOSKIP",
    "BLOCKSIZE",
    "BUFFERCOUNT",
    "MAXTRANSFERSIZE",
    "REWIND",
    "NOREWIND",
    "UNLOAD",
    "NOUNLOAD",
    "RESTART",
    "RECOVERY",
    "KEEP_REPLICATION",
    "KEEP_CDC",
    "ENABLE_BROKER",
    "NEW_BROKER",
    "ERROR_BROKER_CONVERSATIONS",
    "LOADHISTORY",
    "METADATA_ONLY",
];

/// What SQL Server knows and this server cannot do.
const REFUSED: &[&str] = &[
    "STANDBY",
    "ENCRYPTION",
    "PASSWORD",
    "MEDIAPASSWORD",
    "PARTIAL",
    "PAGE",
    "STOPATMARK",
    "STOPBEFOREMARK",
    "SNAPSHOT",
    "FILE_SNAPSHOT",
    "CREDENTIAL",
    "MIRROR",
];

impl Options {
    /// The path that a file of this name shall have, of which this one is in the backup.
    pub fn moved<'a>(&'a self, name: &str, path: &'a str) -> &'a str {
        let moved = self.moves.iter().rfind(|moved| moved.name.eq_ignore_ascii_case(name));
        moved.map_or(path, |moved| &moved.path)
    }

    /// Sets an option that is a word; `false` if it is none.
    fn set(&mut self, name: &str, restores: bool) -> bool {
        let option = match name {
            "DIFFERENTIAL" if !restores => &mut self.differential,
            "COPY_ONLY" if !restores => &mut self.copy_only,
            "NO_TRUNCATE" if !restores => {
                self.copy_only = true;
                &mut self.no_truncate
            }
            "COMPRESSION" if !restores => &mut self.compression,
            "CHECKSUM" => &mut self.checksum,
            "INIT" if !restores => &mut self.init,
            "FORMAT" if !restores => &mut self.format,
            "SKIP" => &mut self.skip,
            "CONTINUE_AFTER_ERROR" => &mut self.continue_after_error,
            "STOP_ON_ERROR" => &mut self.stop_on_error,
            "NORECOVERY" => &mut self.no_recovery,
            "REPLACE" if restores => &mut self.replace,
            "RESTRICTED_USER" if restores => &mut self.restricted,
            _ => return false,
        };
        *option = true;
        true
    }

    /// The option that is words for people, if it is one.
    fn words(&mut self, name: &str) -> Option<&mut Option<Box<str>>> {
        match name {
            "NAME" => Some(&mut self.name),
            "DESCRIPTION" => Some(&mut self.description),
            "MEDIANAME" => Some(&mut self.media_name),
            "MEDIADESCRIPTION" => Some(&mut self.media_description),
            _ => None,
        }
    }
}

impl Context<'_> {
    /// Reads the options of a statement. Errors 155, 401, 3032.
    pub(super) fn backup_options(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        backup: &ast::Backup,
        frame: &mut Frame,
    ) -> Run<Options> {
        use BackupAction as A;
        let restores = !matches!(backup.action, A::BackupDatabase | A::BackupLog);
        let mut options = Options::default();
        let (mut expires, mut retained_until) = (None, None);
        for option in &backup.options {
            if options.set(&option.name, restores) {
                continue;
            }
            if let Some(words) = options.words(&option.name) {
                *words = self.option_text(program, step, option.value.as_ref(), frame)?;
                continue;
            }
            match &*option.name {
                "STATS" => {
                    let number = self.backup_number(program, step, option, frame)?;
                    let number = number.unwrap_or(STATS.into()).clamp(1, 100);
                    options.stats = Some(number as u8);
                }
                "FILE" if restores => {
                    let number = self.backup_number(program, step, option, frame)?;
                    options.file = number.map(|number| number.max(0) as usize);
                }
                "STOPAT" if restores => {
                    options.stop_at = self.moment(program, step, option, frame)?;
                }
                "EXPIREDATE" => expires = self.moment(program, step, option, frame)?,
                "RETAINDAYS" => {
                    let days = self.backup_number(program, step, option, frame)?;
                    let now = self.session.instance.env().clock().utc_ticks();
                    retained_until = days.and_then(|days| retained(now, days));
                }
                "MOVE" if restores => {
                    let name = self.option_text(program, step, option.value.as_ref(), frame)?;
                    let path = self.option_text(program, step, option.second.as_ref(), frame)?;
                    let (name, path) = (name.unwrap_or_default(), path.unwrap_or_default());
                    options.moves.push(FileMove { name, path });
                }
                name if IGNORED.contains(&name) => {}
                name if REFUSED.contains(&name) => return Err(unimplemented(name).into()),
                name => {
                    let statement = if restores { "RESTORE" } else { "BACKUP" };
                    let args: [&dyn std::fmt::Display; 2] = [&name, &statement];
                    let error = SqlError::new(&message::UNRECOGNIZED_OPTION, &args);
                    return Err(error.at_line(option.span.line).into());
                }
            }
        }
        options.expires = retained_until.or(expires);
        if options.no_truncate && backup.action != A::BackupLog {
            return Err(SqlError::new(&message::BACKUP_OPTION, &[&"no_truncate"]).into());
        }
        options.continue_after_error |= options.no_truncate && !options.stop_on_error;
        Ok(options)
    }

    fn option_text(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        value: Option<&ast::Expr>,
        frame: &mut Frame,
    ) -> Run<Option<Box<str>>> {
        match value {
            Some(value) => {
                let text = self.text(program, step, frame, value)?;
                Ok(text.map(String::into_boxed_str))
            }
            None => Ok(None),
        }
    }

    fn backup_number(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        option: &ast::BackupOption,
        frame: &mut Frame,
    ) -> Run<Option<i64>> {
        let Some(value) = &option.value else { return Ok(None) };
        let (value, ty) = self.value_of(program, step, frame, value, None)?;
        let value = self.converted(&value, &ty, &SqlType::bigint())?;
        Ok(match value {
            Value::Int(number) => Some(number),
            _ => None,
        })
    }

    /// A point in time, which is given in local time.
    fn moment(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        option: &ast::BackupOption,
        frame: &mut Frame,
    ) -> Run<Option<u64>> {
        const TICKS_PER_MINUTE: i64 = 600_000_000;
        let Some(value) = &option.value else { return Ok(None) };
        let (value, ty) = self.value_of(program, step, frame, value, None)?;
        let value = self.converted(&value, &ty, &SqlType::datetime2(7))?;
        let Value::DateTime2(local) = value else { return Ok(None) };
        let clock = self.session.instance.env().clock();
        // The offset at that time, which equals that at the same time in UTC but for an hour of the
        // year.
        let about = u64::try_from(local).unwrap_or(0);
        let offset = clock.local_offset_minutes(about);
        let utc = local - i64::from(offset) * TICKS_PER_MINUTE;
        let utc = u64::try_from(utc).unwrap_or(0);
        let offset = clock.local_offset_minutes(utc);
        let utc = local - i64::from(offset) * TICKS_PER_MINUTE;
        Ok(Some(u64::try_from(utc).unwrap_or(0)))
    }
}

/// The time this many days later; with no days at all nothing is kept.
pub(super) fn retained(ticks: u64, days: i64) -> Option<u64> {
    const TICKS_PER_DAY: u64 = 864_000_000_000;
    /// What SQL Server takes at most.
    const DAYS_MAX: i64 = 99_999;
    let days = u64::try_from(days.min(DAYS_MAX)).ok().filter(|days| *days > 0)?;
    Some(ticks + days * TICKS_PER_DAY)
}
