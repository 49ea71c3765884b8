//! How much of the files and of the log is used.

use base::{SqlType, Value};
use engine::catalog::Catalog;
use engine::catalog::def::{FileDef, FileId, FileKind};
use run::interp::errors::of_database;

use super::super::FilledView;
use super::super::catalog::space::reserved_pages;
use super::super::cells::*;
use super::memory::number;

/// Bytes of a database's log.
#[derive(Clone, Copy, Default)]
pub(crate) struct LogSpace {
    /// Of its segments.
    pub total: u64,
    /// What they cannot take any more.
    pub used: u64,
    /// Since the last backup of the log, where that keeps it.
    pub since_backup: u64,
}

impl LogSpace {
    pub fn of(catalog: &Catalog) -> LogSpace {
        let database = catalog.database();
        let log = database.manager().log().stats();
        let kept_from = database.chain().log;
        LogSpace {
            total: log.store_bytes,
            used: log.store_bytes.saturating_sub(log.room_bytes),
            since_backup: kept_from.map_or(0, |from| log.durable.0.saturating_sub(from.0)),
        }
    }

    /// How much is used, in per cent.
    pub fn percent(self) -> f64 {
        if self.total == 0 { 0.0 } else { self.used as f64 * 100.0 / self.total as f64 }
    }
}

pub static DM_DB_LOG_SPACE_USAGE: FilledView = FilledView {
    schema: "sys",
    name: "dm_db_log_space_usage",
    columns: &[
        column("database_id", SMALL, true),
        column("total_log_size_in_bytes", BIG, true),
        column("used_log_space_in_bytes", BIG, true),
        column("used_log_space_in_percent", SqlType::real(), true),
        column("log_space_in_bytes_since_last_backup", BIG, true),
    ],
    fill: |cx| {
        let space = LogSpace::of(&*cx.instance.catalog(cx.database)?);
        cx.push([
            database(cx.database),
            number(space.total),
            number(space.used),
            Value::Float(space.percent()),
            number(space.since_backup),
        ]);
        Ok(())
    },
};

pub static DM_DB_FILE_SPACE_USAGE: FilledView = FilledView {
    schema: "sys",
    name: "dm_db_file_space_usage",
    columns: &[
        column("database_id", SMALL, true),
        column("file_id", SMALL, true),
        column("filegroup_id", SMALL, true),
        column("total_page_count", BIG, true),
        column("allocated_extent_page_count", BIG, true),
        column("unallocated_extent_page_count", BIG, true),
        column("version_store_reserved_page_count", BIG, true),
        column("user_object_reserved_page_count", BIG, true),
        column("internal_object_reserved_page_count", BIG, true),
        column("mixed_extent_page_count", BIG, true),
        column("modified_extent_page_count", BIG, true),
    ],
    fill: |cx| {
        let catalog = cx.instance.catalog(cx.database)?;
        let (schema, sunk) = (catalog.current(), catalog.database().data_file_space());
        let objects = reserved_pages(&catalog, cx.task);
        let objects = objects.map_err(|error| of_database(&error, cx.database))?;
        let is_data = |own: &&std::sync::Arc<FileDef>| own.kind == FileKind::Rows;
        for own in schema.files().iter().filter(is_data) {
            // All rows that have sunk are in the first file.
            let is_first = own.id == FileId(1);
            let declared = (u64::try_from(own.size_pages).unwrap_or(0), 0);
            let of_file = sunk.filter(|_| is_first);
            let (total, used) =
                of_file.map_or(declared, |space| (space.total_pages, space.used_pages));
            cx.push([
                database(cx.database),
                int(own.id.0),
                int(own.data_space.map_or(0, |space| space.0)),
                number(total),
                number(used),
                number(total.saturating_sub(used)),
                // Old versions are in memory, or among the pages of the file.
                int(0),
                number(if is_first { objects } else { 0 }),
                int(0),
                int(0),
                NULL,
            ]);
        }
        Ok(())
    },
};
