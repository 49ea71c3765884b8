//! Loading: from checkpoint files back to tables.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use base::ids::{Lsn, StorageId};
use crossbeam_epoch::{Collector, LocalHandle};

use super::data::{BlockInfo, DataFile, Rows};
use super::ended::Ended;
use super::error::{CheckpointError, Result};
use super::manifest::{Manifest, Pair};
use super::names::{self, Named};
use super::objects::ObjectStore;
use crate::hot::key::KeyBuf;
use crate::hot::reclaim::Tables;
use crate::hot::table::Table;

/// The checkpoint that counts.
pub(crate) struct Loaded {
    pub manifest: Manifest,
    /// The highest number of a manifest that was ever begun.
    pub last_number: u64,
}

impl Loaded {
    /// Finds the newest whole manifest. One that is torn or damaged does not matter if the log, which
    /// begins at `log_first`, and the files reach back to the one before. Removes what does not count.
    pub fn find(
        objects: &dyn ObjectStore,
        database: u128,
        log_first: Option<Lsn>,
        log_origin: Lsn,
    ) -> Result<Loaded> {
        let (mut numbers, mut files) = (Vec::new(), Vec::new());
        for (name, _) in objects.list()? {
            match names::parse(&name) {
                Some(Named::Manifest(number)) => numbers.push(number),
                Some(Named::Data(id) | Named::Delta(id)) => files.push((id, name)),
                None => {}
            }
        }
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        let last_number = numbers.first().copied().unwrap_or(0);
        let begins = log_first.unwrap_or(log_origin);
        let mut damage = None;
        let mut found = None;
        for number in &numbers {
            match read_manifest(objects, database, *number) {
                Ok(manifest) => {
                    found = Some(manifest);
                    break;
                }
                Err(error @ CheckpointError::Damaged { .. }) => drop(damage.get_or_insert(error)),
                Err(error) => return Err(error),
            }
        }
        let mut manifest = found.unwrap_or_else(|| Manifest::initial(database, log_origin));
        if let Some(damage) = damage {
            // Torn by a crash, as long as nothing was given up for its sake.
            let whole = manifest.pairs.iter().all(|pair| {
                let deltas = pair.deltas.iter().map(|delta| delta.id.delta());
                let mut names = deltas.chain([pair.id.data()]);
                names.all(|name| files.iter().any(|(_, file)| *file == name))
            });
            if begins > manifest.log_start || !whole {
                return Err(damage);
            }
        }
        let beyond = files.iter().map(|(id, _)| id.0 + 1).max().unwrap_or(0);
        manifest.next_file = manifest.next_file.max(beyond);
        remove_strays(objects, &manifest, &numbers, &files)?;
        Ok(Loaded { manifest, last_number })
    }
}

fn read_manifest(objects: &dyn ObjectStore, database: u128, number: u64) -> Result<Manifest> {
    let name = names::manifest(number);
    let file = objects.open(&name)?;
    let mut bytes = vec![0; file.len()? as usize];
    file.read_exact_at(&mut bytes, 0)?;
    let path = objects.path(&name).into();
    let manifest = Manifest::decode(&path, database, &bytes)?;
    match manifest.number == number {
        true => Ok(manifest),
        false => {
            let what = "the manifest has another manifest's name";
            Err(CheckpointError::Damaged { file: path, offset: 0, range: None, what })
        }
    }
}

/// Removes everything but one manifest and what it names: what a restore has left that came to nothing.
pub(crate) fn keep_only(objects: &dyn ObjectStore, database: u128, number: u64) -> Result<()> {
    let manifest = read_manifest(objects, database, number)?;
    for (name, _) in objects.list()? {
        let keep = match names::parse(&name) {
            Some(Named::Data(id) | Named::Delta(id)) => manifest.files().any(|file| file == id),
            Some(Named::Manifest(other)) => other == number,
            None => true,
        };
        if !keep {
            objects.remove(&name)?;
        }
    }
    Ok(())
}

/// Removes manifests that do not count, and files that were begun for one that never did.
fn remove_strays(
    objects: &dyn ObjectStore,
    manifest: &Manifest,
    numbers: &[u64],
    files: &[(super::names::FileId, String)],
) -> Result<()> {
    for number in numbers.iter().filter(|number| **number > manifest.number) {
        objects.remove(&names::manifest(*number))?;
    }
    let named = |name: &str| {
        let of_pair = |pair: &Pair| {
            pair.id.data() == name || pair.deltas.iter().any(|delta| delta.id.delta() == name)
        };
        manifest.pairs.iter().any(of_pair)
            || manifest.retired.iter().any(|f| f.id.data() == name || f.id.delta() == name)
    };
    for (_, name) in files.iter().filter(|(_, name)| !named(name)) {
        objects.remove(name)?;
    }
    Ok(())
}

/// A pair that is being loaded.
struct OpenPair {
    data: DataFile,
    ended: Ended,
}

impl OpenPair {
    fn open(objects: &dyn ObjectStore, database: u128, pair: &Pair) -> Result<OpenPair> {
        let mut ended = Ended::default();
        for delta in &pair.deltas {
            ended.read(objects, database, (delta.id, delta.bytes), pair.range())?;
        }
        ended.sort();
        let data = DataFile::open(objects, database, pair.id, pair.range())?;
        Ok(OpenPair { data, ended })
    }
}

/// A row of a catalog table, and which.
pub(crate) type CatalogRow = (StorageId, Box<[u8]>);

/// The rows of a checkpoint on their way into tables.
pub(crate) struct Load<'a> {
    tables: &'a Tables,
    collector: &'a Collector,
    threads: usize,
    pairs: Vec<OpenPair>,
}

/// Opens the files of a checkpoint.
pub(crate) fn load<'a>(
    objects: &dyn ObjectStore,
    manifest: &Manifest,
    tables: &'a Tables,
    collector: &'a Collector,
    threads: usize,
) -> Result<Load<'a>> {
    let places = manifest.pairs.len();
    let pairs = in_parallel(threads, places, |_, place| {
        OpenPair::open(objects, manifest.database, &manifest.pairs[place])
    })?;
    Ok(Load { tables, collector, threads, pairs })
}

impl Load<'_> {
    /// Loads the rows of the catalog's own tables, and tells of them.
    pub fn catalog(&self) -> Result<Vec<CatalogRow>> {
        let mut loader = Loader::new(self, 0);
        let mut rows = Vec::new();
        for pair in &self.pairs {
            for block in pair.data.blocks() {
                if let Some(table) = self.tables.get(block.storage).filter(|t| t.is_catalog()) {
                    loader.block(pair, block, &table, &mut |row| {
                        rows.push((block.storage, row.into()));
                    })?;
                }
            }
        }
        Ok(rows)
    }

    /// Loads the rows of all other tables that there are. Rows of tables that are gone are left out.
    pub fn others(&self) -> Result<u64> {
        let tables: HashMap<StorageId, Arc<Table>> =
            self.tables.all().into_iter().map(|table| (table.storage(), table)).collect();
        let mut blocks = Vec::new();
        for pair in &self.pairs {
            for block in pair.data.blocks() {
                // Rows of a table that has trees are in those, and in the log.
                let loads = |t: &&Arc<Table>| !t.is_catalog() && t.cold().is_none();
                if let Some(table) = tables.get(&block.storage).filter(loads) {
                    blocks.push((pair, block, table));
                }
            }
        }
        let rows = AtomicUsize::new(0);
        in_parallel(self.threads, blocks.len(), |part, place| {
            let (pair, block, table) = blocks[place];
            let loaded = Loader::new(self, part).block(pair, block, table, &mut |_| {})?;
            rows.fetch_add(loaded, Relaxed);
            Ok(())
        })?;
        Ok(rows.into_inner() as u64)
    }
}

/// Puts the rows of blocks into tables.
struct Loader {
    handle: LocalHandle,
    part: usize,
    buffer: Vec<u8>,
    key: KeyBuf,
}

/// Rows for whose places in the index is asked at once, before they are put in.
const ROWS_AT_ONCE: usize = 32;

impl Loader {
    fn new(load: &Load<'_>, part: usize) -> Loader {
        let handle = load.collector.register();
        Loader { handle, part, buffer: Vec::new(), key: KeyBuf::default() }
    }

    /// Loads the live rows of a block; how many there are.
    fn block(
        &mut self,
        pair: &OpenPair,
        block: &BlockInfo,
        table: &Table,
        see: &mut dyn FnMut(&[u8]),
    ) -> Result<usize> {
        let range = pair.data.read_block(block, &mut self.buffer)?;
        let damaged = |what| pair.data.damaged(block.offset, what);
        if block.layout != table.layout_number() {
            return Err(damaged("a block's rows have a layout that their table does not have"));
        }
        let mut ended = pair.ended.of(block.storage);
        let (mut rows, mut seen, mut live) = (Rows(&self.buffer[range]), 0, 0);
        let mut together = Vec::with_capacity(ROWS_AT_ONCE);
        loop {
            together.clear();
            for row in std::iter::from_fn(|| rows.next()).take(ROWS_AT_ONCE) {
                let (stamp, row) = row.ok_or_else(|| damaged("a row is longer than its block"))?;
                let row = table.well_formed(row).ok_or_else(|| damaged("a row is malformed"))?;
                together.push((stamp, row));
            }
            if together.is_empty() {
                break;
            }
            seen += together.len();
            table.prefetch_all(table.log_index(), together.iter().map(|(_, row)| *row));
            let guard = self.handle.pin();
            for &(stamp, row) in &together {
                if !ended.is_empty() && ended.has_stamp(stamp) {
                    table.log_key(row, &mut self.key);
                    if ended.has_row(stamp, &self.key) {
                        continue;
                    }
                }
                let inserted = table.recover_insert(self.part, &guard, row, stamp);
                if !inserted.map_err(|_| CheckpointError::OutOfMemory)? {
                    return Err(damaged("a row is in the files twice"));
                }
                see(row);
                live += 1;
            }
        }
        match seen == block.rows as usize {
            true => Ok(live),
            false => Err(damaged("a block has fewer rows than it says")),
        }
    }
}

/// Does `work` for every place below `places` on several threads, which take the next as they are done
/// with one; the first error, if there is one.
fn in_parallel<T: Send>(
    threads: usize,
    places: usize,
    work: impl Fn(usize, usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let run = |part: usize| -> Result<Vec<(usize, T)>> {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Relaxed);
            if place >= places {
                return Ok(done);
            }
            let result = work(part, place).inspect_err(|_| next.store(places, Relaxed))?;
            done.push((place, result));
        }
    };
    let parts = threads.clamp(1, places.max(1));
    let mut done = std::thread::scope(|scope| {
        let run = &run;
        let spawned: Vec<_> = (1..parts).map(|part| scope.spawn(move || run(part))).collect();
        let own = run(0);
        let joined = spawned.into_iter().map(|t| t.join().expect("loading does not panic"));
        joined.fold(own, |all, more| {
            let (mut all, more) = (all?, more?);
            all.extend(more);
            Ok(all)
        })
    })?;
    done.sort_unstable_by_key(|(place, _)| *place);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}
