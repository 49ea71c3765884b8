//! How much memory and disk live rows may take.

use std::time::{Duration, Instant};

use base::Value;
use tools::client::Connection;
use tools::local::{DataDir, LocalServer};

/// How long memory and files may take to shrink after the last change.
const SOON: Duration = Duration::from_secs(60);
/// Bytes that do not depend on live rows: the file under construction, what caches keep.
const FIXED: i64 = 2 << 20;
/// Log that a checkpoint is made after, and what may be there beside it: segments that are used
/// again.
const LOG: i64 = 32 << 20;
/// What the process may use, whatever it has done.
const PROCESS: u64 = 700 << 20;

#[derive(Debug)]
struct Sizes {
    /// Bytes of live rows of memory-optimized tables.
    live: i64,
    /// Bytes taken for them.
    allocated: i64,
    /// Bytes of checkpoint files.
    files: i64,
    log: i64,
}

fn number(connection: &mut Connection, query: &str) -> i64 {
    match connection.query(query).unwrap().rows[0][0] {
        Value::Int(number) => number,
        ref other => panic!("{query}: {other:?}"),
    }
}

fn log_bytes(data: &DataDir) -> i64 {
    let databases = std::fs::read_dir(data.path().join("databases")).unwrap();
    let ours = databases.map(|entry| entry.unwrap().path()).find(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("soak"))
    });
    DataDir::kept(ours.unwrap().join("log")).size_bytes() as i64
}

fn sizes(connection: &mut Connection, data: &DataDir) -> Sizes {
    let kb = |connection: &mut Connection, column: &str| {
        let query = format!("SELECT SUM({column}) FROM sys.dm_db_xtp_table_memory_stats");
        1024 * number(connection, &query)
    };
    Sizes {
        live: kb(connection, "memory_used_by_table_kb"),
        allocated: kb(connection, "memory_allocated_for_table_kb"),
        files: number(
            connection,
            "SELECT SUM(file_size_in_bytes) FROM sys.dm_db_xtp_checkpoint_files",
        ),
        log: log_bytes(data),
    }
}

/// When all clients are idle, memory must shrink to what the live rows take, and files to half as
/// much again.
pub fn check(connection: &mut Connection, server: &LocalServer, data: &DataDir) {
    let begin = Instant::now();
    loop {
        let sizes = sizes(connection, data);
        let resident = server.resident_bytes().unwrap_or_default();
        let is_right = sizes.files <= sizes.live + sizes.live / 2 + FIXED
            && sizes.allocated <= sizes.live + sizes.live / 2 + FIXED
            && sizes.log <= LOG
            && resident <= PROCESS;
        if is_right {
            println!(
                "after {} ms: {sizes:?}, {} MB of memory",
                begin.elapsed().as_millis(),
                resident >> 20
            );
            return;
        }
        assert!(begin.elapsed() < SOON, "it stays so: {sizes:?}, {resident} bytes of memory");
        std::thread::sleep(Duration::from_millis(100));
    }
}
