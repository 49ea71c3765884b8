//! The segments of logs: `sys.dm_db_log_info`.

use base::{SqlResult, SqlType, ValueRef};
use engine::catalog::Catalog;
use engine::catalog::def::FileKind;
use engine::database::{LogSegment, SegmentUse};

use super::super::cells::*;
use super::super::function::{FunctionContext, Rows, ServerFunction, integer};
use super::memory::number;
use crate::session::authority::{denied_server_state, sees_server};

const MEGABYTE: f64 = 1_048_576.0;

pub(crate) static LOG_INFO: ServerFunction = ServerFunction {
    columns: &[
        column("database_id", INT, false),
        column("file_id", SMALL, false),
        column("vlf_begin_offset", BIG, false),
        column("vlf_size_mb", SqlType::float(), false),
        column("vlf_sequence_number", BIG, false),
        column("vlf_active", BIT, false),
        column("vlf_status", INT, false),
        column("vlf_parity", TINY, false),
        column("vlf_first_lsn", nvar(48), true),
        column("vlf_create_lsn", nvar(48), true),
        column("vlf_encryptor_thumbprint", SqlType::varbinary(20), true),
    ],
    rows,
};

/// A segment of a log, as what SQL Server calls a virtual log file.
pub(crate) struct VirtualFile {
    /// The log's file in the catalog: the segments count as its parts.
    pub file: i32,
    /// Bytes of the segments before it.
    pub begin: u64,
    /// The segment.
    pub segment: LogSegment,
}

impl VirtualFile {
    /// Those of a database, in the order of its log.
    pub fn all(catalog: &Catalog) -> Vec<VirtualFile> {
        let schema = catalog.current();
        let file = schema.files().iter().find(|own| own.kind == FileKind::Log);
        let file = file.map_or(0, |own| own.id.0);
        let mut begin = 0;
        let place = |segment: LogSegment| {
            let own = VirtualFile { file, begin, segment };
            begin += segment.stored.size_bytes;
            own
        };
        catalog.database().log_segments().into_iter().map(place).collect()
    }

    /// Where the log begins in it; 0 before it does.
    pub fn first(&self) -> u64 {
        self.segment.stored.first.map_or(0, |first| first.0)
    }

    /// Whether the file has log that is needed.
    pub fn is_active(&self) -> bool {
        self.segment.used == SegmentUse::Needed
    }
}

/// A row for each segment of a database's log; the current database for NULL, and nothing for one
/// that there is not. Error 300 without `VIEW SERVER STATE`.
fn rows(cx: &FunctionContext<'_>, args: &[ValueRef<'_>]) -> SqlResult<Rows> {
    if !sees_server(cx.facts) {
        return Err(denied_server_state());
    }
    let wanted = integer(args[0]).unwrap_or_else(|| cx.facts.current_database().0.into());
    let mut catalogs = cx.instance.databases().catalogs().into_iter();
    let found = catalogs.find(|own| i64::from(own.database().id().0) == wanted);
    let Some(catalog) = found else { return Ok(Rows::new()) };
    let id = catalog.database().id();
    let row = |own: VirtualFile| {
        let status = match own.segment.used {
            SegmentUse::Over => 0,
            SegmentUse::Prepared => 1,
            SegmentUse::Needed => 2,
        };
        let megabytes = own.segment.stored.size_bytes as f64 / MEGABYTE;
        vec![
            database(id),
            int(own.file),
            number(own.begin),
            base::Value::Float((megabytes * 100.0).round() / 100.0),
            number(own.segment.stored.number),
            bit(own.is_active()),
            int(status),
            int(0),
            text(&own.first().to_string()),
            text("0"),
            NULL,
        ]
    };
    Ok(VirtualFile::all(&catalog).into_iter().map(row).collect())
}
