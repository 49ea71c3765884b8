//! What has been read from files and written to them: `sys.dm_io_virtual_file_stats`.

use base::{SqlResult, SqlType, ValueRef};
use engine::catalog::Catalog;
use engine::catalog::def::{FileId, FileKind};
use engine::cold::FileActivity;

use super::super::cells::*;
use super::super::function::{FunctionContext, Rows, ServerFunction, integer};
use super::memory::number;
use crate::session::authority::{denied_server_state, sees_server};

/// Bytes of a page.
const PAGE: u64 = 8192;

pub(crate) static VIRTUAL_FILE_STATS: ServerFunction = ServerFunction {
    columns: &[
        column("database_id", SMALL, false),
        column("file_id", SMALL, false),
        column("sample_ms", BIG, false),
        column("num_of_reads", BIG, false),
        column("num_of_bytes_read", BIG, false),
        column("io_stall_read_ms", BIG, false),
        column("io_stall_queued_read_ms", BIG, false),
        column("num_of_writes", BIG, false),
        column("num_of_bytes_written", BIG, false),
        column("io_stall_write_ms", BIG, false),
        column("io_stall_queued_write_ms", BIG, false),
        column("io_stall", BIG, false),
        column("size_on_disk_bytes", BIG, false),
        column("file_handle", SqlType::varbinary(8), false),
    ],
    rows,
};

/// The data files and the log of a database, or of all; one file, or all. Error 300 without
/// `VIEW SERVER STATE`.
fn rows(cx: &FunctionContext<'_>, args: &[ValueRef<'_>]) -> SqlResult<Rows> {
    if !sees_server(cx.facts) {
        return Err(denied_server_state());
    }
    let (database, file) = (integer(args[0]), integer(args[1]));
    let now_ms = cx.instance.env().clock().now_ns() / 1_000_000;
    let mut rows = Vec::new();
    for catalog in cx.instance.databases().catalogs() {
        let id = catalog.database().id();
        if database.is_some_and(|wanted| wanted != i64::from(id.0)) {
            continue;
        }
        for own in catalog.current().files().iter() {
            if file.is_some_and(|wanted| wanted != i64::from(own.id.0)) {
                continue;
            }
            let Some((done, size)) = of_file(&catalog, own.id, own.kind, own.size_pages) else {
                continue;
            };
            let ms = |ns: u64| ns / 1_000_000;
            let counts = [
                now_ms,
                done.reads,
                done.read_bytes,
                ms(done.read_ns),
                0,
                done.writes,
                done.written_bytes,
                ms(done.write_ns),
                0,
                ms(done.read_ns + done.write_ns),
                size,
            ];
            let mut row = vec![int(id.0), int(own.id.0)];
            row.extend(counts.map(number));
            row.push(bytes(
                &(u64::from(id.0.unsigned_abs()) << 32 | own.id.0 as u64).to_be_bytes(),
            ));
            rows.push(row);
        }
    }
    Ok(rows)
}

/// What was done with a file, and how long it is. All rows that sink are in the first data file;
/// containers have no such statistics.
fn of_file(
    catalog: &Catalog,
    id: FileId,
    kind: FileKind,
    declared_pages: i32,
) -> Option<(FileActivity, u64)> {
    let database = catalog.database();
    let declared = || u64::try_from(declared_pages).unwrap_or(0) * PAGE;
    match kind {
        FileKind::Log => {
            let log = database.manager().log().stats();
            let activity = FileActivity {
                writes: log.batches,
                written_bytes: log.bytes,
                write_ns: log.flush_ns,
                ..FileActivity::default()
            };
            Some((activity, log.store_bytes))
        }
        FileKind::Rows if id == FileId(1) => {
            let space = database.data_file_space();
            let size = space.map_or_else(declared, |space| space.total_pages * PAGE);
            Some((database.data_file_activity(), size))
        }
        FileKind::Rows => Some((FileActivity::default(), declared())),
        _ => None,
    }
}
