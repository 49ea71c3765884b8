//! Filegroups and files.

use std::borrow::Cow;
use std::path::Path;

use base::Value;
use engine::catalog::Catalog;
use engine::catalog::def::{FileDef, FileGroupDef, FileId, FileKind};

use super::super::cells::*;
use super::super::{FilledView, RowsetColumn};

fn space(own: &FileGroupDef) -> [Value; 6] {
    [
        text(&own.name),
        int(own.id.0),
        code(own.kind.code()),
        text(own.kind.description()),
        bit(own.default),
        bit(false),
    ]
}

const SPACE_COLUMNS: [RowsetColumn; 6] = [
    column("name", SYSNAME, false),
    column("data_space_id", INT, false),
    column("type", fix(2), false),
    column("type_desc", nvar(60), true),
    column("is_default", BIT, false),
    column("is_system", BIT, true),
];

pub static DATA_SPACES: FilledView = FilledView {
    schema: "sys",
    name: "data_spaces",
    columns: &SPACE_COLUMNS,
    fill: |cx| {
        let schema = cx.schema.clone();
        schema.file_groups().iter().for_each(|own| cx.push(space(own)));
        Ok(())
    },
};

static FILEGROUP_COLUMNS: [RowsetColumn; 10] = joined([
    &SPACE_COLUMNS,
    &[
        column("filegroup_guid", GUID, true),
        column("log_filegroup_id", INT, true),
        column("is_read_only", BIT, true),
        column("is_autogrow_all_files", BIT, true),
    ],
]);

pub static FILEGROUPS: FilledView = FilledView {
    schema: "sys",
    name: "filegroups",
    columns: &FILEGROUP_COLUMNS,
    fill: |cx| {
        let schema = cx.schema.clone();
        for own in schema.file_groups().iter() {
            let rest =
                [or_null(own.guid, guid), NULL, bit(own.read_only), bit(own.autogrow_all_files)];
            cx.push_two(space(own), rest);
        }
        Ok(())
    },
};

/// The columns of `sys.database_files`, which are those of `sys.master_files` but for the first and
/// last.
pub const FILE_COLUMNS: [RowsetColumn; 30] = [
    column("file_id", INT, false),
    column("file_guid", GUID, true),
    column("type", TINY, false),
    column("type_desc", nvar(60), true),
    column("data_space_id", INT, false),
    column("name", SYSNAME, false),
    column("physical_name", nvar(260), true),
    column("state", TINY, true),
    column("state_desc", nvar(60), true),
    column("size", INT, false),
    column("max_size", INT, false),
    column("growth", INT, false),
    column("is_media_read_only", BIT, false),
    column("is_read_only", BIT, false),
    column("is_sparse", BIT, false),
    column("is_percent_growth", BIT, false),
    column("is_name_reserved", BIT, false),
    column("is_persistent_log_buffer", BIT, false),
    column("create_lsn", LSN, true),
    column("drop_lsn", LSN, true),
    column("read_only_lsn", LSN, true),
    column("read_write_lsn", LSN, true),
    column("differential_base_lsn", LSN, true),
    column("differential_base_guid", GUID, true),
    column("differential_base_time", WHEN, true),
    column("redo_start_lsn", LSN, true),
    column("redo_start_fork_guid", GUID, true),
    column("redo_target_lsn", LSN, true),
    column("redo_target_fork_guid", GUID, true),
    column("backup_lsn", LSN, true),
];

const LSN: base::SqlType = base::SqlType::numeric(25, 0);

/// Bytes of a page.
const PAGE: u64 = 8192;

/// The rows of a database's files. The checkpoint files are in its first container, which is as
/// large as they are; rows that have sunk are in the first file; other files have what was declared
/// for them.
pub fn files(catalog: &Catalog) -> Vec<[Value; 30]> {
    let schema = catalog.current();
    let is_container = |own: &FileDef| own.kind == FileKind::Container;
    let container = schema.files().iter().find(|own| is_container(own)).map(|own| own.id);
    let sunk = catalog.database().data_file_space().map(|space| space.total_pages);
    let size = |own: &FileDef| {
        if let Some(pages) = sunk.filter(|_| own.id == FileId(1)) {
            return i64::try_from(pages).unwrap_or(i64::MAX);
        }
        if Some(own.id) != container {
            return i64::from(own.size_pages);
        }
        let bytes =
            catalog.database().checkpoint_files().iter().map(|file| file.bytes).sum::<u64>();
        i64::try_from(bytes.div_ceil(PAGE)).unwrap_or(i64::MAX)
    };
    let dir = &catalog.database().identity().dir;
    schema
        .files()
        .iter()
        .map(|own| file(own, &shown_path(&own.physical_name, dir), size(own)))
        .collect()
}

/// The path of a file in a database's directory. One that was written down relative to where a
/// server was started once is shown where it is now.
fn shown_path<'a>(recorded: &'a str, dir: &Path) -> Cow<'a, str> {
    let path = Path::new(recorded);
    match path.file_name() {
        Some(name) if path.is_relative() => {
            Cow::Owned(dir.join(name).to_string_lossy().into_owned())
        }
        _ => Cow::Borrowed(recorded),
    }
}

/// A file's row, with its path and its size in pages.
fn file(own: &FileDef, path: &str, size: i64) -> [Value; 30] {
    let start = [
        int(own.id.0),
        guid(own.guid),
        int(own.kind.code()),
        text(own.kind.description()),
        int(own.data_space.map_or(0, |space| space.0)),
        text(&own.name),
        text(path),
        int(if own.offline { 6 } else { 0 }),
        text(if own.offline { "OFFLINE" } else { "ONLINE" }),
        int(size),
        int(own.max_size_pages),
        int(own.growth),
        bit(false),
        bit(own.read_only),
        bit(false),
        bit(own.percent_growth),
        bit(false),
        bit(false),
    ];
    let mut row = [const { NULL }; 30];
    for (cell, value) in row.iter_mut().zip(start) {
        *cell = value;
    }
    row
}

pub static DATABASE_FILES: FilledView = FilledView {
    schema: "sys",
    name: "database_files",
    columns: &FILE_COLUMNS,
    fill: |cx| {
        let catalog = cx.instance.catalog(cx.database)?;
        files(&catalog).into_iter().for_each(|row| cx.push(row));
        Ok(())
    },
};

#[cfg(test)]
mod tests;
