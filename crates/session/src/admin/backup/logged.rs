//! What the error log has of backups and restores.

use base::{SqlError, Value, message};
use engine::backup::{BackupSet, SetKind};
use engine::catalog::def::DatabaseDef;
use engine::instance::Databases;
use tsql::ast::BackupAction;

use super::show::in_style;
use super::{Device, PAGE_BYTES, Shown};
use crate::context::Context;

/// Messages 18264, 18265, 18270: a database was backed up.
pub(super) fn backed_up(context: &Context<'_>, def: &DatabaseDef, set: &BackupSet, to: &Device) {
    let created = created(def);
    let (first, last) = (set.header.first.0, set.end.last.0);
    let (pages, device) = (pages(set), described(set, to));
    let note = match set.header.kind {
        SetKind::Full => {
            let args: [Shown<'_>; 7] = [&def.name, &created, &pages, &first, &last, &1, &device];
            SqlError::new(&message::DATABASE_BACKED_UP, &args)
        }
        SetKind::Differential => {
            let base = set.header.full().map_or(0, |lsn| lsn.0);
            let args: [Shown<'_>; 8] =
                [&def.name, &created, &pages, &first, &last, &base, &1, &device];
            SqlError::new(&message::DIFFERENTIAL_BACKED_UP, &args)
        }
        SetKind::Log => {
            let args: [Shown<'_>; 6] = [&def.name, &created, &first, &last, &1, &device];
            SqlError::new(&message::LOG_BACKED_UP, &args)
        }
    };
    context.session.instance.note(&note);
}

/// Messages 18267, 18268, 18271: a backup was restored.
pub(super) fn restored(context: &Context<'_>, def: &DatabaseDef, set: &BackupSet, from: &Device) {
    let origin = Databases::described(&set.header).ok();
    let created = created(origin.as_ref().map_or(def, |origin| &origin.def));
    let message = match set.header.kind {
        SetKind::Full => &message::DATABASE_RESTORED,
        SetKind::Differential => &message::DIFFERENTIAL_RESTORED,
        SetKind::Log => &message::LOG_RESTORED,
    };
    let (first, last) = (set.header.first.0, set.end.last.0);
    let device = described(set, from);
    let args: [Shown<'_>; 6] = [&def.name, &created, &first, &last, &1, &device];
    context.session.instance.note(&SqlError::new(message, &args));
}

/// Message 3041 and its like: why a backup or restore has failed. What only looks at backups does
/// not matter.
pub(super) fn failed(context: &Context<'_>, action: BackupAction, database: &str, why: &SqlError) {
    use BackupAction as A;
    let instance = &context.session.instance;
    match action {
        A::BackupDatabase | A::BackupLog => {
            let statement = if action == A::BackupLog { "BACKUP LOG" } else { "BACKUP DATABASE" };
            instance.note(why);
            let command = format!("{statement} {database}");
            instance.note(&SqlError::new(&message::BACKUP_FAILED, &[&command]));
        }
        A::RestoreDatabase | A::RestoreLog => {
            let statement =
                if action == A::RestoreLog { "RESTORE LOG" } else { "RESTORE DATABASE" };
            instance.note(why);
            let command = format!("{statement} {database}");
            instance.note(&SqlError::new(&message::BACKUP_TERMINATED, &[&command]));
        }
        _ => {}
    }
}

/// `2026/11/22(14:30:00)`
fn created(def: &DatabaseDef) -> String {
    let when = Value::DateTime(def.created);
    format!("{}({})", in_style(&when, 111), in_style(&when, 108))
}

fn pages(set: &BackupSet) -> u64 {
    (set.end.data_bytes + set.end.log_bytes).div_ceil(PAGE_BYTES)
}

fn described(set: &BackupSet, device: &Device) -> String {
    format!("FILE={}, TYPE=DISK: {{'{}'}}", set.number, device.path.display())
}
