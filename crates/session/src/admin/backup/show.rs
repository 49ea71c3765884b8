//! `RESTORE HEADERONLY`, `FILELISTONLY`, `LABELONLY`, `VERIFYONLY`.

use base::convert::display;
use base::{Arena, Collation, ConvertOptions, SqlError, SqlType, Value, convert, message};
use engine::backup::{BackupSet, Media, SetKind, Verification};
use engine::catalog::def::{FileDef, FileKind, UserAccess};
use engine::instance::Databases;
use tsql::ast::BackupAction;

use super::failure::{About, instance_error};
use super::options::Options;
use super::{Device, PAGE_BYTES};
use crate::builtin::rows::{ResultSet, RowsetColumn, column};
use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::sysview::cells::{
    BIG, BIT, GUID, INT, NULL, SMALL, TINY, WHEN, bit, fix, guid, int, nvar, or_null, text, utc,
    when,
};

const TICKS_PER_MINUTE: i64 = 600_000_000;
/// `numeric(25,0)`: positions in the log.
const LSN: SqlType = SqlType::numeric(25, 0);
const SIZE: SqlType = SqlType::numeric(20, 0);

impl Context<'_> {
    /// What a file says of itself, or whether it is whole.
    pub(super) fn show_backup(
        &mut self,
        action: BackupAction,
        device: &Device,
        options: &Options,
    ) -> Run<()> {
        let media = self.open_media(device)?;
        let number = options.file.unwrap_or(1);
        let about = About { database: "", device: &device.name, log: false };
        match action {
            BackupAction::RestoreHeaderOnly => {
                let numbers = match options.file {
                    Some(number) => number..=number,
                    None => 1..=media.count(),
                };
                let mut rows = Vec::new();
                for number in numbers {
                    let set = media.set(number);
                    let set = self.explained(set, &about)?;
                    rows.push(self.header_row(&set, &about)?);
                }
                Ok(ResultSet::new(&HEADER_COLUMNS).send(self, &rows)?)
            }
            BackupAction::RestoreFileListOnly => {
                let set = media.set(number);
                let set = self.explained(set, &about)?;
                let rows = file_rows(&set, &about)?;
                Ok(ResultSet::new(&FILE_COLUMNS).send(self, &rows)?)
            }
            BackupAction::RestoreLabelOnly => {
                let row = label_row(&media);
                Ok(ResultSet::new(&LABEL_COLUMNS).send(self, &[row])?)
            }
            BackupAction::RestoreVerifyOnly => {
                let set = media.set(number);
                let set = self.explained(set, &about)?;
                let verification = Verification::begin(&media, &set);
                let verification = self.explained(verification, &about)?;
                let step = |verification: &mut Verification| {
                    verification.step().map(|(progress, over)| (progress, over.then_some(())))
                };
                let result = self.work(verification, step, options.stats)?;
                self.explained(result, &about)?;
                let valid = SqlError::new(&message::VERIFY_VALID, &[&number]);
                self.inform(valid).map_err(Fault::lost)
            }
            // There is nothing to rewind.
            _ => Ok(()),
        }
    }

    fn header_row(&self, set: &BackupSet, about: &About<'_>) -> Run<Vec<Value>> {
        let (header, end) = (&set.header, &set.end);
        let described = Databases::described(header)
            .map_err(|error| Fault::from(instance_error(error, about)))?;
        let def = &described.def;
        let [major, minor, build] = header.version;
        let local = |ticks: u64| local_time(ticks, header.offset_minutes);
        let base = header.base;
        let fork = |fork: Option<&engine::backup::Fork>| {
            or_null(fork, |fork| guid(fork.guid.to_le_bytes()))
        };
        let forks = &header.path;
        let (code, kind) = kind_of(header.kind);
        let size = end.data_bytes + end.log_bytes;
        let row = vec![
            or_null(header.name.as_deref(), text),
            or_null(header.description.as_deref(), text),
            int(code),
            or_null(header.expires_ticks, local),
            int(header.packed),
            int(set.number as i64),
            int(2),
            text(&header.user_name),
            text(&header.server_name),
            text(&header.database_name),
            int(904),
            when(def.created),
            number(size),
            number(header.first.0),
            number(end.last.0),
            number(header.through.0),
            header.full().map_or(number(0), |lsn| number(lsn.0)),
            local(header.started_ticks),
            local(end.finished_ticks),
            int(52),
            int(0),
            int(1033),
            int(196_609),
            int(def.options.compatibility_level),
            int(4608),
            int(major),
            int(minor),
            int(build),
            text(&header.server_name),
            int(if header.checksum { 528 } else { 512 }),
            guid(header.guid.to_le_bytes()),
            fork(forks.last()),
            text(def.collation.info().name),
            fork(forks.first()),
            bit(false),
            bit(false),
            bit(def.options.read_only),
            bit(def.options.user_access == UserAccess::Single),
            bit(header.checksum),
            bit(header.of_damaged),
            bit(header.kind == SetKind::Log && base.is_none() && forks.len() == 1),
            bit(header.of_damaged),
            bit(false),
            bit(header.copy_only),
            fork(forks.last()),
            NULL,
            text(def.options.recovery_model.description()),
            or_null(base, |base| number(base.through.0)),
            or_null(base, |base| guid(base.guid.to_le_bytes())),
            text(kind),
            guid(header.guid.to_le_bytes()),
            int(end.stored_bytes as i64),
            int(def.options.contained),
            NULL,
            NULL,
            NULL,
        ];
        Ok(row)
    }
}

/// Local time of a set's server.
pub(super) fn local_time(ticks: u64, offset_minutes: i32) -> Value {
    let local = ticks as i64 + i64::from(offset_minutes) * TICKS_PER_MINUTE;
    utc(u64::try_from(local).unwrap_or(0))
}

/// A `datetime` as `CONVERT` writes it in a style.
pub(super) fn in_style(when: &Value, style: i32) -> String {
    let options = ConvertOptions { style: Some(style), ..ConvertOptions::default() };
    let (arena, to) = (Arena::new(), SqlType::varchar(30, Collation::DEFAULT));
    match convert(when.as_ref(), &SqlType::datetime(), &to, &options, &arena) {
        Ok(text) => display(text, &to),
        Err(_) => String::new(),
    }
}

/// SQL Server's code and name of a kind of backup.
fn kind_of(kind: SetKind) -> (i64, &'static str) {
    match kind {
        SetKind::Full => (1, "Database"),
        SetKind::Log => (2, "Transaction Log"),
        SetKind::Differential => (5, "Database Differential"),
    }
}

fn number(value: u64) -> Value {
    Value::Decimal(value.into())
}

const HEADER_COLUMNS: [RowsetColumn; 56] = [
    column("BackupName", nvar(128), true),
    column("BackupDescription", nvar(255), true),
    column("BackupType", SMALL, true),
    column("ExpirationDate", WHEN, true),
    column("Compressed", TINY, true),
    column("Position", SMALL, true),
    column("DeviceType", TINY, true),
    column("UserName", nvar(128), true),
    column("ServerName", nvar(128), true),
    column("DatabaseName", nvar(128), true),
    column("DatabaseVersion", INT, true),
    column("DatabaseCreationDate", WHEN, true),
    column("BackupSize", SIZE, true),
    column("FirstLSN", LSN, true),
    column("LastLSN", LSN, true),
    column("CheckpointLSN", LSN, true),
    column("DatabaseBackupLSN", LSN, true),
    column("BackupStartDate", WHEN, true),
    column("BackupFinishDate", WHEN, true),
    column("SortOrder", SMALL, true),
    column("CodePage", SMALL, true),
    column("UnicodeLocaleId", INT, true),
    column("UnicodeComparisonStyle", INT, true),
    column("CompatibilityLevel", TINY, true),
    column("SoftwareVendorId", INT, true),
    column("SoftwareVersionMajor", INT, true),
    column("SoftwareVersionMinor", INT, true),
    column("SoftwareVersionBuild", INT, true),
    column("MachineName", nvar(128), true),
    column("Flags", INT, true),
    column("BindingID", GUID, true),
    column("RecoveryForkID", GUID, true),
    column("Collation", nvar(128), true),
    column("FamilyGUID", GUID, true),
    column("HasBulkLoggedData", BIT, true),
    column("IsSnapshot", BIT, true),
    column("IsReadOnly", BIT, true),
    column("IsSingleUser", BIT, true),
    column("HasBackupChecksums", BIT, true),
    column("IsDamaged", BIT, true),
    column("BeginsLogChain", BIT, true),
    column("HasIncompleteMetaData", BIT, true),
    column("IsForceOffline", BIT, true),
    column("IsCopyOnly", BIT, true),
    column("FirstRecoveryForkID", GUID, true),
    column("ForkPointLSN", LSN, true),
    column("RecoveryModel", nvar(60), true),
    column("DifferentialBaseLSN", LSN, true),
    column("DifferentialBaseGUID", GUID, true),
    column("BackupTypeDescription", nvar(60), true),
    column("BackupSetGUID", GUID, true),
    column("CompressedBackupSize", BIG, true),
    column("Containment", TINY, false),
    column("KeyAlgorithm", nvar(32), true),
    column("EncryptorThumbprint", SqlType::varbinary(20), true),
    column("EncryptorType", nvar(32), true),
];

const FILE_COLUMNS: [RowsetColumn; 22] = [
    column("LogicalName", nvar(128), true),
    column("PhysicalName", nvar(260), true),
    column("Type", fix(1), true),
    column("FileGroupName", nvar(128), true),
    column("Size", SIZE, true),
    column("MaxSize", SIZE, true),
    column("FileId", BIG, true),
    column("CreateLSN", LSN, true),
    column("DropLSN", LSN, true),
    column("UniqueId", GUID, true),
    column("ReadOnlyLSN", LSN, true),
    column("ReadWriteLSN", LSN, true),
    column("BackupSizeInBytes", BIG, true),
    column("SourceBlockSize", INT, true),
    column("FileGroupId", INT, true),
    column("LogGroupGUID", GUID, true),
    column("DifferentialBaseLSN", LSN, true),
    column("DifferentialBaseGUID", GUID, true),
    column("IsReadOnly", BIT, true),
    column("IsPresent", BIT, true),
    column("TDEThumbprint", SqlType::varbinary(32), true),
    column("SnapshotUrl", nvar(360), true),
];

fn file_rows(set: &BackupSet, about: &About<'_>) -> Run<Vec<Vec<Value>>> {
    let described = Databases::described(&set.header)
        .map_err(|error| Fault::from(instance_error(error, about)))?;
    let mut first = true;
    let row = |file: &FileDef| {
        let (kind, backed_up) = match file.kind {
            FileKind::Rows => {
                ("D", if std::mem::take(&mut first) { set.end.data_bytes } else { 0 })
            }
            FileKind::Log => ("L", 0),
            FileKind::Container => ("S", 0),
        };
        let group = described.file_groups.iter().find(|group| Some(group.id) == file.data_space);
        let pages = |pages: i32| u64::try_from(pages).unwrap_or(0) * PAGE_BYTES;
        let max = match file.max_size_pages {
            -1 if file.kind == FileKind::Log => 2_199_023_255_552,
            -1 => 35_184_372_080_640,
            size => pages(size),
        };
        let base = set.header.base;
        vec![
            text(&file.name),
            text(&file.physical_name),
            crate::sysview::cells::chars(kind),
            or_null(group, |group| text(&group.name)),
            number(pages(file.size_pages)),
            number(max),
            int(file.id.0),
            number(0),
            number(0),
            guid(file.guid),
            number(0),
            number(0),
            int(backed_up as i64),
            int(4096),
            int(file.data_space.map_or(0, |space| space.0)),
            NULL,
            base.map_or(number(0), |base| number(base.through.0)),
            base.map_or(guid([0; 16]), |base| guid(base.guid.to_le_bytes())),
            bit(file.read_only),
            bit(true),
            NULL,
            NULL,
        ]
    };
    Ok(described.files.iter().map(|file| &**file).map(row).collect())
}

const LABEL_COLUMNS: [RowsetColumn; 13] = [
    column("MediaName", nvar(128), true),
    column("MediaSetId", GUID, true),
    column("FamilyCount", INT, true),
    column("FamilySequenceNumber", INT, true),
    column("MediaFamilyId", GUID, true),
    column("MediaSequenceNumber", INT, true),
    column("MediaLabelPresent", TINY, true),
    column("MediaDescription", nvar(255), true),
    column("SoftwareName", nvar(128), true),
    column("SoftwareVendorId", INT, true),
    column("MediaDate", WHEN, true),
    column("Mirror_Count", INT, true),
    column("IsCompressed", BIT, true),
];

fn label_row(media: &Media) -> Vec<Value> {
    let header = &media.header;
    let packed = media.set(1).is_ok_and(|set| set.header.packed);
    vec![
        or_null(header.name.as_deref(), text),
        guid(header.guid.to_le_bytes()),
        int(1),
        int(1),
        guid(header.guid.to_le_bytes()),
        int(1),
        int(0),
        or_null(header.description.as_deref(), text),
        text("Thermocline"),
        int(4608),
        utc(header.created_ticks),
        int(1),
        bit(packed),
    ]
}
