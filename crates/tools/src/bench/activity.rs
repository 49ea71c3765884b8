//! What a server has read, written and found in memory, by its own counters.

use super::BenchError;
use super::database::numbers;
use crate::client::Connection;

/// Reads the counters for the database that a connection is in.
pub struct Meter {
    reads: String,
    all: String,
}

/// Counters at a moment, or what they have grown by.
#[derive(Clone, Copy, Default, Debug)]
pub struct Activity {
    /// Pages that were read when they were needed, and not ahead.
    pub pages_read: i64,
    pub bytes_read: i64,
    pub bytes_written: i64,
    /// Look-ups of rows that the row cache had, and of those that were read from trees instead;
    /// of tables with row caching alone.
    pub cache_hits: i64,
    pub tree_hits: i64,
    /// Rows in the row cache, and what they take, at the end.
    pub cached_rows: i64,
    /// See `cached_rows`.
    pub cached_bytes: i64,
    /// What row caches take in all, and pages, at the end.
    pub row_cache_bytes: i64,
    /// See `row_cache_bytes`.
    pub page_bytes: i64,
}

impl Meter {
    /// Asks which of the counters the server has.
    pub fn new(connection: &mut Connection) -> Result<Meter, BenchError> {
        let [views] = numbers(
            connection,
            "SELECT COUNT_BIG(*) FROM sys.all_objects WHERE name = 'dm_db_row_cache_stats'",
        )?;
        let of_cache = match views {
            0 => "0, 0, 0, 0",
            _ => {
                "(SELECT SUM(cached_rows) FROM sys.dm_db_row_cache_stats), \
                 (SELECT SUM(cached_bytes) FROM sys.dm_db_row_cache_stats), \
                 (SELECT SUM(row_cache_bytes) FROM sys.dm_os_row_cache_memory), \
                 (SELECT SUM(page_bytes) FROM sys.dm_os_row_cache_memory)"
            }
        };
        let counter = |name: &str| {
            format!(
                "(SELECT SUM(cntr_value) FROM sys.dm_os_performance_counters \
                 WHERE counter_name = '{name}')"
            )
        };
        let of_files = |column: &str| {
            format!("(SELECT SUM({column}) FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL))")
        };
        let hits = counter("Row cache hit ratio");
        let reads = format!(
            "SELECT {} - {}, {hits}, {} - {hits}",
            counter("Page reads/sec"),
            counter("Readahead pages/sec"),
            counter("Row cache hit ratio base"),
        );
        let (read, written) = (of_files("num_of_bytes_read"), of_files("num_of_bytes_written"));
        let all = format!("{reads}, {read}, {written}, {of_cache}");
        Ok(Meter { reads, all })
    }

    /// The counters now.
    pub fn now(&self, connection: &mut Connection) -> Result<Activity, BenchError> {
        let numbers = numbers(connection, &self.all)?;
        let [
            pages_read,
            cache_hits,
            tree_hits,
            bytes_read,
            bytes_written,
            cached_rows,
            cached_bytes,
            row_cache_bytes,
            page_bytes,
        ] = numbers;
        Ok(Activity {
            pages_read,
            cache_hits,
            tree_hits,
            bytes_read,
            bytes_written,
            cached_rows,
            cached_bytes,
            row_cache_bytes,
            page_bytes,
        })
    }

    /// Of the counters now those of reads alone, which is cheap.
    pub fn reads(&self, connection: &mut Connection) -> Result<Activity, BenchError> {
        let [pages_read, cache_hits, tree_hits] = numbers(connection, &self.reads)?;
        Ok(Activity { pages_read, cache_hits, tree_hits, ..Activity::default() })
    }
}

impl Activity {
    /// What has been done since these counters were read.
    pub fn since(&self, before: &Activity) -> Activity {
        Activity {
            pages_read: self.pages_read - before.pages_read,
            bytes_read: self.bytes_read - before.bytes_read,
            bytes_written: self.bytes_written - before.bytes_written,
            cache_hits: self.cache_hits - before.cache_hits,
            tree_hits: self.tree_hits - before.tree_hits,
            cached_rows: self.cached_rows,
            cached_bytes: self.cached_bytes,
            row_cache_bytes: self.row_cache_bytes,
            page_bytes: self.page_bytes,
        }
    }

    /// What part of the look-ups found the row in the row cache, in per cent; `None` where there
    /// were none of tables with row caching.
    pub fn cache_hit_percent(&self) -> Option<f64> {
        let all = self.cache_hits + self.tree_hits;
        (all > 0).then(|| 100.0 * self.cache_hits as f64 / all as f64)
    }
}

/// What part of so many look-ups found their row in memory, in per cent: each of the others has
/// read a page. Pages that other statements or the server itself had to wait for count, too.
pub fn resident_percent(pages_read: i64, look_ups: u64) -> f64 {
    (100.0 * (1.0 - pages_read as f64 / look_ups.max(1) as f64)).max(0.0)
}

#[cfg(test)]
mod tests;
