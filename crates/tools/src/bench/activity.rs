//! What a server has read, written and found in memory, by its own counters.

use super::BenchError;
use super::database::numbers;
use crate::client::Connection;

/// The view of row caches, where the server has it.
const ROW_CACHE: &str = "sys.dm_db_row_cache_stats";

/// Reads the counters for the database that a connection is in.
pub struct Meter {
    query: String,
}

/// Counters at a moment, or what they have grown by.
#[derive(Clone, Copy, Default, Debug)]
pub struct Activity {
    /// Pages that were read when they were needed, and not ahead.
    pub pages_read: i64,
    pub bytes_read: i64,
    pub bytes_written: i64,
    /// Look-ups in row caches that found the row there, and that did not.
    pub cache_hits: i64,
    pub cache_misses: i64,
}

impl Meter {
    /// Asks which of the counters the server has.
    pub fn new(connection: &mut Connection) -> Result<Meter, BenchError> {
        let name = ROW_CACHE.trim_start_matches("sys.");
        let [views] = numbers(
            connection,
            &format!("SELECT COUNT_BIG(*) FROM sys.all_objects WHERE name = '{name}'"),
        )?;
        let of_cache = |column: &str| match views {
            0 => "0".to_owned(),
            _ => format!("(SELECT SUM({column}) FROM {ROW_CACHE} WHERE database_id = DB_ID())"),
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
        let query = format!(
            "SELECT {} - {}, {}, {}, {}, {}",
            counter("Page reads/sec"),
            counter("Readahead pages/sec"),
            of_files("num_of_bytes_read"),
            of_files("num_of_bytes_written"),
            of_cache("hits"),
            of_cache("misses"),
        );
        Ok(Meter { query })
    }

    /// The counters now.
    pub fn now(&self, connection: &mut Connection) -> Result<Activity, BenchError> {
        let [pages_read, bytes_read, bytes_written, cache_hits, cache_misses] =
            numbers(connection, &self.query)?;
        Ok(Activity { pages_read, bytes_read, bytes_written, cache_hits, cache_misses })
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
            cache_misses: self.cache_misses - before.cache_misses,
        }
    }

    /// What part of so many look-ups found their row in memory, in per cent: each of the others has
    /// read a page. Pages that other statements or the server itself had to wait for count, too.
    pub fn resident_percent(&self, look_ups: u64) -> f64 {
        (100.0 * (1.0 - self.pages_read as f64 / look_ups.max(1) as f64)).max(0.0)
    }

    /// What part of the look-ups in row caches found the row there, in per cent; `None` if there
    /// were none.
    pub fn cache_hit_percent(&self) -> Option<f64> {
        let all = self.cache_hits + self.cache_misses;
        (all > 0).then(|| 100.0 * self.cache_hits as f64 / all as f64)
    }
}

#[cfg(test)]
mod tests;
