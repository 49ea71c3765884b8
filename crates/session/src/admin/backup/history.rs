//! The history of backups and restores: `backupset`, `backupfile`, `backupfilegroup`,
//! `backupmediaset`, `backupmediafamily`, `restorehistory`, `restorefile` and `restorefilegroup` in
//! msdb, which are tables like any other.
//!
//! A session of the server's own writes to them, as the user that makes a backup need not have
//! permissions there. A backup that cannot be noted is made all the same.

use std::path::Path;
use std::sync::Arc;

use base::convert::display;
use base::ids::DbId;
use base::{SqlError, SqlType, Value};
use engine::backup::{BackupSet, MediaHeader, SetKind};
use engine::catalog::def::{DatabaseDef, FileKind, SchemaId};
use engine::instance::{BackedUpDatabase, Databases};
use engine::wait::Task;

use super::PAGE_BYTES;
use super::options::Options;
use crate::admin::unattended;
use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::files::last_name;
use crate::instance::Instance;

/// The definitions of the tables, and of those that servers have which were made later.
const TABLES: [(&str, &str); 2] = [
    ("restorehistory", include_str!("history.sql")),
    ("restorefilegroup", include_str!("files.sql")),
];
const TICKS_PER_MINUTE: i64 = 600_000_000;

/// Makes the tables of a server that has none yet. To be called when a server starts; `false` if it
/// fails.
pub fn prepare(instance: &Arc<Instance>, task: &Task) -> bool {
    let Ok(msdb) = instance.catalog(DbId::MSDB) else { return false };
    let is_there = |last: &str| msdb.current().find_object(SchemaId::DBO, last).is_some();
    TABLES.iter().all(|(last, text)| is_there(last) || run(instance, task, text))
}

/// Runs a batch in msdb. Returns whether it has succeeded.
fn run(instance: &Arc<Instance>, task: &Task, text: &str) -> bool {
    unattended::run(instance, task, DbId::MSDB, text).is_ok()
}

/// Notes a backup.
pub(super) fn backed_up(
    context: &mut Context<'_>,
    def: &DatabaseDef,
    set: &BackupSet,
    media: &MediaHeader,
    path: &Path,
) -> Run<()> {
    note(context, &insert_set(def, set, media, path))
}

/// Notes a restore, and the backup if it was made elsewhere.
pub(super) fn restored(
    context: &mut Context<'_>,
    def: &DatabaseDef,
    set: &BackupSet,
    options: &Options,
) -> Run<()> {
    let clock = context.session.instance.env().clock();
    let now = clock.utc_ticks();
    let offset = clock.local_offset_minutes(now);
    let media = MediaHeader { guid: 0, created_ticks: 0, name: None, description: None };
    let described = Databases::described(&set.header).ok();
    let origin = described.as_ref().map_or_else(|| def.clone(), |own| (*own.def).clone());
    let dir = context.session.instance.databases().directory_of(def);
    let files = described.map_or_else(String::new, |own| insert_restored(&own, &dir, options));
    let stop = options.stop_at.map_or("null".to_owned(), |stop| moment(stop, offset));
    let kind = type_code(set.header.kind);
    let user = context.session.identity.login().name.clone();
    let text = format!(
        "if not exists (select * from dbo.backupset where backup_set_uuid = {uuid}) begin
        {insert}
        end
        insert dbo.restorehistory (restore_date, destination_database_name, user_name, backup_set_id,
          restore_type, replace, recovery, restart, stop_at, device_count)
        select top 1 {when}, {name}, {user}, backup_set_id, '{kind}', {replace}, {recovery}, 0, {stop}, 1
        from dbo.backupset where backup_set_uuid = {uuid} order by backup_set_id
        declare @restore int = scope_identity()
        {files}",
        uuid = guid(set.header.guid),
        insert = insert_set(&origin, set, &media, Path::new("")),
        when = moment(now, offset),
        name = quoted(&def.name),
        user = quoted(&user),
        replace = u8::from(options.replace),
        recovery = u8::from(!options.no_recovery),
    );
    note(context, &text)
}

/// Inserts the files of a restore that `@restore` names, which are in this directory.
fn insert_restored(own: &BackedUpDatabase, dir: &Path, options: &Options) -> String {
    let mut text = String::new();
    for file in &own.files {
        let path = dir.join(last_name(options.moved(&file.name, &file.physical_name)));
        text.push_str(&format!(
            "insert dbo.restorefile (restore_history_id, file_number, destination_phys_name)
            values (@restore, {}, {})\n",
            file.id.0,
            quoted(&path.to_string_lossy())
        ));
    }
    for group in &own.file_groups {
        text.push_str(&format!(
            "insert dbo.restorefilegroup (restore_history_id, filegroup_name) values (@restore, {})\n",
            quoted(&group.name)
        ));
    }
    text
}

/// Inserts the files and filegroups of the set that `@set` names.
fn insert_files(set: &BackupSet, own: &BackedUpDatabase) -> String {
    let mut text = String::new();
    let optional = |guid_bytes: Option<[u8; 16]>| {
        guid_bytes.map_or("null".to_owned(), |bytes| guid(u128::from_le_bytes(bytes)))
    };
    let base = set.header.base;
    // The pages of all files are in the first.
    let mut bytes_left = set.end.data_bytes;
    for file in &own.files {
        let group = own.file_groups.iter().find(|group| Some(group.id) == file.data_space);
        let (kind, bytes) = match file.kind {
            FileKind::Rows => ('D', std::mem::take(&mut bytes_left)),
            FileKind::Log => ('L', 0),
            FileKind::Container => ('S', 0),
        };
        text.push_str(&format!(
            "insert dbo.backupfile (backup_set_id, first_family_number, first_media_number, filegroup_name,
              page_size, file_number, backed_up_page_count, file_type, source_file_block_size, file_size,
              logical_name, physical_name, state, state_desc, create_lsn, drop_lsn, file_guid,
              read_only_lsn, read_write_lsn, differential_base_lsn, differential_base_guid, backup_size,
              filegroup_guid, is_readonly, is_present)
            values (@set, 1, 1, {group_name}, {PAGE_BYTES}, {id}, {pages}, '{kind}', 4096, {size},
              {name}, {path}, {state}, 0, 0, {guid}, 0, 0, {base_lsn}, {base_guid}, {bytes},
              {group_guid}, {read_only}, 1)\n",
            group_name = group.map_or("null".to_owned(), |group| quoted(&group.name)),
            id = file.id.0,
            pages = bytes.div_ceil(PAGE_BYTES),
            size = u64::try_from(file.size_pages).unwrap_or(0) * PAGE_BYTES,
            name = quoted(&file.name),
            path = quoted(&file.physical_name),
            state = if file.offline { "6, N'OFFLINE'" } else { "0, N'ONLINE'" },
            guid = optional(Some(file.guid)),
            base_lsn = base.map_or("null".to_owned(), |base| base.through.0.to_string()),
            base_guid = base.map_or("null".to_owned(), |base| guid(base.guid)),
            group_guid = optional(group.and_then(|group| group.guid)),
            read_only = u8::from(file.read_only),
        ));
    }
    for group in &own.file_groups {
        text.push_str(&format!(
            "insert dbo.backupfilegroup (backup_set_id, name, filegroup_id, filegroup_guid, type, type_desc,
              is_default, is_readonly)
            values (@set, {name}, {id}, {guid}, '{kind}', N'{description}', {default}, {read_only})\n",
            name = quoted(&group.name),
            id = group.id.0,
            guid = optional(group.guid),
            kind = group.kind.code(),
            description = group.kind.description(),
            default = u8::from(group.default),
            read_only = u8::from(group.read_only),
        ));
    }
    text
}

/// Error 3009 is no more than a message: the backup was made.
fn note(context: &mut Context<'_>, text: &str) -> Run<()> {
    let instance = context.instance();
    if run(&instance, context.task, text) {
        return Ok(());
    }
    let text = "Could not insert a backup or restore history/detail record in the msdb database. This may \
                indicate a problem with the msdb database. The backup/restore operation was still \
                successful.";
    context.inform(SqlError::custom(3009, 10, 1, text)).map_err(Fault::lost)
}

/// Inserts a set with the files of its database, and the file that it is in if that is not known.
fn insert_set(def: &DatabaseDef, set: &BackupSet, media: &MediaHeader, path: &Path) -> String {
    let (header, end) = (&set.header, &set.end);
    let options = &def.options;
    let optional = |text: &Option<Box<str>>| text.as_deref().map_or("null".to_owned(), quoted);
    let lsn = |lsn: Option<u64>| lsn.map_or("null".to_owned(), |lsn| lsn.to_string());
    let [major, minor, build] = header.version;
    let created = display(Value::DateTime(def.created).as_ref(), &SqlType::datetime());
    let fork =
        |fork: Option<&engine::backup::Fork>| fork.map_or("null".to_owned(), |f| guid(f.guid));
    let described = Databases::described(header).ok();
    let files = described.map_or_else(String::new, |own| insert_files(set, &own));
    format!(
        "declare @media int
        select @media = max(media_set_id) from dbo.backupmediaset where media_uuid = {media_guid}
        if @media is null begin
          insert dbo.backupmediaset (media_uuid, media_family_count, name, description, software_name,
            software_vendor_id, MTF_major_version, mirror_count, is_password_protected, is_compressed,
            is_encrypted)
          values ({media_guid}, 1, {media_name}, {media_description}, N'Thermocline', 4608, 1, 1, 0,
            {packed}, 0)
          set @media = scope_identity()
          insert dbo.backupmediafamily (media_set_id, family_sequence_number, media_family_id,
            media_count, physical_device_name, device_type, physical_block_size, mirror)
          values (@media, 1, {media_guid}, 1, {device}, 2, 4096, 0)
        end
        insert dbo.backupset (backup_set_uuid, media_set_id, first_family_number, first_media_number,
          last_family_number, last_media_number, catalog_family_number, catalog_media_number, position,
          expiration_date, software_vendor_id, name, description, user_name, software_major_version,
          software_minor_version, software_build_version, time_zone, mtf_minor_version, first_lsn,
          last_lsn, checkpoint_lsn, database_backup_lsn, database_creation_date, backup_start_date,
          backup_finish_date, type, sort_order, code_page, compatibility_level, database_version,
          backup_size, database_name, server_name, machine_name, flags, unicode_locale,
          unicode_compare_style, collation_name, is_password_protected, recovery_model,
          has_bulk_logged_data, is_snapshot, is_readonly, is_single_user, has_backup_checksums,
          is_damaged, begins_log_chain, has_incomplete_metadata, is_force_offline, is_copy_only,
          first_recovery_fork_guid, last_recovery_fork_guid, database_guid, family_guid,
          differential_base_lsn, differential_base_guid, compressed_backup_size)
        values ({uuid}, @media, 1, 1, 1, 1, 1, 1, {position}, {expires}, 4608, {name}, {description}, {user},
          {major}, {minor}, {build}, {zone}, 0, {first}, {last}, {checkpoint}, {full_lsn}, '{created}',
          {start}, {finish}, '{kind}', 52, 0, {level}, 904, {size}, {database}, {server}, {server}, 512,
          1033, 196609, N'{collation}', 0, N'{model}', 0, 0, {read_only}, 0, {checksum}, {damaged}, 0, {damaged}, 0,
          {copy_only}, {first_fork}, {last_fork}, {database_guid}, {family}, {base_lsn}, {base_guid},
          {stored})
        declare @set int = scope_identity()
        {files}",
        media_guid = guid(media.guid),
        media_name = optional(&media.name),
        media_description = optional(&media.description),
        packed = u8::from(header.packed),
        device = quoted(&path.to_string_lossy()),
        uuid = guid(header.guid),
        position = set.number,
        expires = header
            .expires_ticks
            .map_or("null".to_owned(), |ticks| moment(ticks, header.offset_minutes)),
        name = optional(&header.name),
        description = optional(&header.description),
        user = quoted(&header.user_name),
        zone = header.offset_minutes / 15,
        first = header.first.0,
        last = end.last.0,
        checkpoint = header.through.0,
        full_lsn = lsn(header.full().map(|lsn| lsn.0)),
        base_lsn = lsn(header.base.map(|base| base.through.0)),
        start = moment(header.started_ticks, header.offset_minutes),
        finish = moment(end.finished_ticks, header.offset_minutes),
        kind = type_code(header.kind),
        level = options.compatibility_level,
        size = end.data_bytes + end.log_bytes,
        database = quoted(&header.database_name),
        server = quoted(&header.server_name),
        collation = def.collation.info().name,
        model = options.recovery_model.description(),
        read_only = u8::from(options.read_only),
        checksum = u8::from(header.checksum),
        damaged = u8::from(header.of_damaged),
        copy_only = u8::from(header.copy_only),
        first_fork = fork(header.path.first()),
        last_fork = fork(header.path.last()),
        database_guid = guid(header.database()),
        family = guid(header.family()),
        base_guid = header.base.map_or("null".to_owned(), |base| guid(base.guid)),
        stored = end.stored_bytes,
    )
}

/// `type` of a set.
fn type_code(kind: SetKind) -> char {
    match kind {
        SetKind::Full => 'D',
        SetKind::Differential => 'I',
        SetKind::Log => 'L',
    }
}

fn quoted(text: &str) -> String {
    format!("N'{}'", text.replace('\'', "''"))
}

fn guid(guid: u128) -> String {
    let hex: String = guid.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("convert(uniqueidentifier, 0x{hex})")
}

/// Local time as a literal.
fn moment(ticks: u64, offset_minutes: i32) -> String {
    let local = ticks as i64 + i64::from(offset_minutes) * TICKS_PER_MINUTE;
    let shown = display(Value::DateTime2(local.max(0)).as_ref(), &SqlType::datetime2(3));
    format!("'{shown}'")
}
