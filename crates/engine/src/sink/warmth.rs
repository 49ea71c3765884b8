//! Which rows were hot, for the time after a restart.
//!
//! Now and then when a root is written, the keys of all rows that have copies go to a file. After a
//! restart a thread looks these rows up in the order of their keys, so that each page is read once,
//! and not faster than a limit. The file is a hint: one that is damaged, old, or of another
//! database makes nothing wrong, since rows are looked up as any reader does.
//!
//! ```text
//! file    magic u64 | database u128 | length of the keys u64 | their checksum u32 | keys
//! key     storage u64 | length u16 | bytes
//! ```

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use base::Arena;
use base::ids::{SessionId, StorageId};
use env::{FileResult, OpenMode};

use super::SinkCore;
use crate::cold::PAGE_BYTES;
use crate::cold::rowcache::RowCache;
use crate::hot::key::SeekKey;
use crate::hot::table::Table;
use crate::hot::visibility::Isolation;
use crate::txn::{DatabaseSession, ReadAt, Transaction};
use crate::wait::Task;

const FILE: &str = "hot.rows";
/// The file while it is written.
const NEW_FILE: &str = "hot.new";
const MAGIC: u64 = u64::from_le_bytes(*b"TCHOT\0\0\x01");
const HEADER: usize = 8 + 16 + 8 + 4;
const KEY_HEADER: usize = 8 + 2;
/// How long a list is good enough.
const INTERVAL_NS: u64 = 30_000_000_000;
const BLOCK: usize = 256 << 10;
const SLOTS_PER_GUARD: usize = 1024;
/// The longest list.
const LIST_MAX: u64 = 256 << 20;
/// Pages that are read in a second.
const PAGES_PER_S: u64 = (128 << 20) / PAGE_BYTES as u64;
/// How often it is asked whether a table has been loaded.
const PAUSE_NS: u64 = 50_000_000;
/// Rows that are looked up by one statement.
const ROWS_PER_STATEMENT: usize = 64;

/// Keys of rows, to be sorted.
#[derive(Default)]
struct Keys {
    bytes: Vec<u8>,
    /// Where each begins.
    starts: Vec<u32>,
}

impl Keys {
    /// The keys of a list; those that make no sense end it.
    fn parse(bytes: Vec<u8>) -> Keys {
        let (mut starts, mut at) = (Vec::new(), 0);
        while let Some(header) = bytes.get(at..at + KEY_HEADER) {
            let len = usize::from(u16::from_le_bytes([header[8], header[9]]));
            if bytes.len() < at + KEY_HEADER + len {
                break;
            }
            starts.push(u32::try_from(at).expect("a list is shorter"));
            at += KEY_HEADER + len;
        }
        Keys { bytes, starts }
    }

    fn at(&self, start: u32) -> (u64, &[u8]) {
        let from = &self.bytes[start as usize..];
        let (header, rest) = from.split_at(KEY_HEADER);
        let storage = u64::from_le_bytes(header[..8].try_into().expect("eight bytes"));
        (storage, &rest[..usize::from(u16::from_le_bytes([header[8], header[9]]))])
    }

    /// The keys in the order of storages and keys.
    fn into_sorted(mut self) -> Keys {
        let mut starts = std::mem::take(&mut self.starts);
        starts.sort_unstable_by(|a, b| self.at(*a).cmp(&self.at(*b)));
        self.starts = starts;
        self
    }

    /// Bytes of memory.
    fn memory(&self) -> u64 {
        (self.bytes.capacity() + self.starts.capacity() * size_of::<u32>()) as u64
    }
}

impl SinkCore {
    fn warmth_file(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Writes down which rows are hot, if that was not done lately. What fails is tried again
    /// later.
    pub(crate) fn note_hot_rows(&self, task: &Task) {
        let cache = self.cold.get().and_then(|cold| cold.store().row_cache());
        // The list is still needed before the rows of the last one are back.
        let is_due = !self.is_volatile && !self.awaits_warmth.load(Acquire);
        let Some(cache) = cache.filter(|_| is_due) else { return };
        let (now, last) = (task.now_ns(), self.warmth_ns.load(Relaxed));
        if last != 0 && now - last < INTERVAL_NS {
            return;
        }
        self.warmth_ns.store(now.max(1), Relaxed);
        let _ = self.write_hot_rows(task, cache);
    }

    fn write_hot_rows(&self, task: &Task, cache: &RowCache) -> FileResult<()> {
        let (fs, path) = (task.env().fs(), self.warmth_file(NEW_FILE));
        let file = fs.open(&path, OpenMode::Create)?;
        file.set_len(0)?;
        let (mut block, mut len, mut checksum) = (Vec::with_capacity(2 * BLOCK), 0_u64, 0);
        let storages = cache.storages();
        for first in (0..cache.slots()).step_by(SLOTS_PER_GUARD) {
            let guard = task.worker().pin();
            cache.each_row(&guard, first..first + SLOTS_PER_GUARD, |row, _| {
                let Some(storage) = storages.get(&row.space) else { return };
                let Ok(key_len) = u16::try_from(row.p.len()) else { return };
                block.extend_from_slice(&storage.to_le_bytes());
                block.extend_from_slice(&key_len.to_le_bytes());
                block.extend_from_slice(row.p);
            });
            drop(guard);
            let is_last = first + SLOTS_PER_GUARD >= cache.slots();
            if block.len() >= BLOCK || is_last {
                file.write_all_at(&block, HEADER as u64 + len)?;
                checksum = crc32c::crc32c_append(checksum, &block);
                len += block.len() as u64;
                block.clear();
                if len >= LIST_MAX - BLOCK as u64 * 2 {
                    break;
                }
            }
        }
        let mut header = Vec::with_capacity(HEADER);
        header.extend_from_slice(&MAGIC.to_le_bytes());
        header.extend_from_slice(&self.manager.uuid().to_le_bytes());
        header.extend_from_slice(&len.to_le_bytes());
        header.extend_from_slice(&checksum.to_le_bytes());
        file.write_all_at(&header, 0)?;
        drop(file);
        fs.rename(&path, &self.warmth_file(FILE))
    }

    /// The list of hot rows, if there is a whole one of this database.
    fn read_hot_rows(&self, task: &Task) -> FileResult<Option<Vec<u8>>> {
        let (fs, path) = (task.env().fs(), self.warmth_file(FILE));
        if !fs.exists(&path)? {
            return Ok(None);
        }
        let file = fs.open(&path, OpenMode::Read)?;
        let mut header = [0; HEADER];
        if file.len()? < HEADER as u64 {
            return Ok(None);
        }
        file.read_exact_at(&mut header, 0)?;
        let mut fields = header.chunks_exact(4);
        let mut word = || fields.next().map_or([0; 4], |word| word.try_into().expect("four bytes"));
        let mut long =
            || u64::from(u32::from_le_bytes(word())) | u64::from(u32::from_le_bytes(word())) << 32;
        let magic = long();
        let uuid = u128::from(long()) | u128::from(long()) << 64;
        let len = long();
        let checksum = u32::from_le_bytes(word());
        let is_whole = len <= LIST_MAX && file.len()? == HEADER as u64 + len;
        if magic != MAGIC || uuid != self.manager.uuid() || !is_whole {
            return Ok(None);
        }
        let mut bytes = vec![0; len as usize];
        file.read_exact_at(&mut bytes, HEADER as u64)?;
        Ok((crc32c::crc32c(&bytes) == checksum).then_some(bytes))
    }

    /// Looks up the rows that were hot before the last restart, where tables have row caching on.
    pub fn warm(&self, task: &Task) {
        self.warm_from_list(task);
        self.need_not_warm();
    }

    /// No rows are to be brought back.
    pub fn need_not_warm(&self) {
        self.awaits_warmth.store(false, Release); // pairs with note_hot_rows
    }

    fn warm_from_list(&self, task: &Task) {
        let Ok(Some(bytes)) = self.read_hot_rows(task) else { return };
        let keys = Keys::parse(bytes);
        let cache = self.cold.get().and_then(|cold| cold.store().row_cache());
        // The list counts while it is needed.
        let _taken = cache.map(|cache| cache.take(keys.memory()));
        let keys = keys.into_sorted();
        let owner = self.manager.graph.owner(SessionId(0));
        let session = DatabaseSession::new(self.manager.clone(), owner);
        let (began_ns, before) = (task.now_ns(), self.pages_read());
        let mut table: Option<(u64, Option<Arc<Table>>)> = None;
        let mut rows = keys.starts.as_slice();
        while !rows.is_empty() && !self.closing.load(Acquire) {
            let (storage, _) = keys.at(rows[0]);
            if table.as_ref().is_none_or(|(known, _)| *known != storage) {
                table = Some((storage, self.manager.tables().get(StorageId(storage))));
            }
            let same = rows.iter().take(ROWS_PER_STATEMENT);
            let count = same.take_while(|row| keys.at(**row).0 == storage).count();
            let (some, others) = rows.split_at(count);
            rows = others;
            let Some((_, Some(table))) = &table else { continue };
            while !table.is_loaded() && !self.closing.load(Acquire) {
                task.env().clock().sleep_ns(PAUSE_NS);
            }
            if self
                .warm_rows(task, &session, table, some.iter().map(|row| keys.at(*row).1))
                .is_none()
            {
                return;
            }
            let passed_ns = task.now_ns() - began_ns;
            let due_ns = (self.pages_read() - before) * 1_000_000_000 / PAGES_PER_S;
            if due_ns > passed_ns {
                task.env().clock().sleep_ns((due_ns - passed_ns).min(PAUSE_NS));
            }
        }
    }

    /// Looks up some rows of a table. `None` if that should end, since something fails or there is
    /// no more room.
    fn warm_rows<'k>(
        &self,
        task: &Task,
        session: &Arc<DatabaseSession>,
        table: &Table,
        keys: impl Iterator<Item = &'k [u8]>,
    ) -> Option<()> {
        let Some(cached) = table.cold().and_then(|cold| cold.row_cache()) else { return Some(()) };
        if cached.is_full() {
            return None;
        }
        let mut transaction = Transaction::begin(session, task).ok()?;
        let mut statement = transaction.begin_statement(Isolation::ReadCommitted, ReadAt::Durable);
        let arena = Arena::new();
        let mut done = Some(());
        let key_len = table.key_spec(table.log_index()).constant_len();
        for key in keys.filter(|key| key_len.is_none_or(|len| len == key.len())) {
            let (index, key) = (table.log_index(), SeekKey::Bytes(key));
            if transaction.look_up(task, table, statement.snapshot(), index, key, &arena).is_err() {
                done = None;
                break;
            }
        }
        transaction.end_statement(&mut statement);
        transaction.rollback(task);
        done
    }

    fn pages_read(&self) -> u64 {
        self.pool.stats().map_or(0, |stats| stats.reads)
    }
}

#[cfg(test)]
mod tests {
    use super::Keys;

    fn key(storage: u64, p: &[u8]) -> Vec<u8> {
        let len = u16::try_from(p.len()).expect("short").to_le_bytes();
        [&storage.to_le_bytes()[..], &len, p].concat()
    }

    #[test]
    fn keys_are_sorted_by_storage_and_bytes() {
        let list = [key(2, b"a"), key(1, b"b"), key(1, b""), key(1, b"abc")].concat();
        let keys = Keys::parse(list).into_sorted();
        let all: Vec<_> = keys.starts.iter().map(|start| keys.at(*start)).collect();
        assert_eq!(all, [(1, &b""[..]), (1, b"abc"), (1, b"b"), (2, b"a")]);
    }

    #[test]
    fn a_list_ends_where_it_makes_no_sense() {
        let whole = [key(1, b"one"), key(1, b"two")].concat();
        for len in 0..whole.len() {
            let keys = Keys::parse(whole[..len].to_vec());
            assert_eq!(keys.starts.len(), usize::from(len >= key(1, b"one").len()));
        }
    }
}
