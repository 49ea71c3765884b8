//! Loading: from checkpoint files back to tables.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use base::ids::{Lsn, StorageId};
use crossbeam_epoch::{Collector, LocalHandle};

use super::data::{BlockBuffer, BlockInfo, DataFile, Rows};
use super::ended::Ended;
use super::error::{CheckpointError, Result};
use super::manifest::{CommitRange, Manifest, Pair};
use super::names::{self, FileId, Named};
use super::objects::ObjectStore;
use super::weigh::Contents;
use crate::hot::anchor::AnchorPtr;
use crate::hot::key::KeyBuf;
use crate::hot::reclaim::Tables;
use crate::hot::table::Table;

/// The checkpoint that counts.
pub(crate) struct Loaded {
    pub manifest: Manifest,
    /// The highest number of a manifest that was ever begun.
    pub last_number: u64,
    /// What its files hold, as far as that is known.
    pub contents: Contents,
}

impl Loaded {
    /// Finds the newest whole manifest. One that is torn or damaged does not matter if the log,
    /// which begins at `log_first`, and the files reach back to the one before. Removes what does
    /// not count.
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
                Some(Named::Data(id) | Named::Delta(id)) => {
                    files.push(StoredFile { id, name });
                }
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
                names.all(|name| files.iter().any(|file| file.name == name))
            });
            if begins > manifest.log_start || !whole {
                return Err(damage);
            }
        }
        let beyond = files.iter().map(|file| file.id.0 + 1).max().unwrap_or(0);
        manifest.next_file = manifest.next_file.max(beyond);
        remove_strays(objects, &manifest, &numbers, &files)?;
        Ok(Loaded { manifest, last_number, contents: Contents::default() })
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

/// Removes everything but one manifest and what it names: what a restore has left that came to
/// nothing.
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

/// A data or delta file that is stored.
struct StoredFile {
    id: FileId,
    name: String,
}

/// Removes manifests that do not count, and files that were begun for one that never did.
fn remove_strays(
    objects: &dyn ObjectStore,
    manifest: &Manifest,
    numbers: &[u64],
    files: &[StoredFile],
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
    for file in files.iter().filter(|file| !named(&file.name)) {
        objects.remove(&file.name)?;
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
            ended.read(objects, database, delta, pair.range())?;
        }
        ended.sort();
        let data = DataFile::open(objects, database, pair.id, pair.range())?;
        Ok(OpenPair { data, ended })
    }
}

/// A row of a catalog table.
pub(crate) struct CatalogRow {
    pub storage: StorageId,
    pub row: Box<[u8]>,
}

/// A block of rows of one table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Block {
    /// Place of its pair.
    pair: usize,
    info: BlockInfo,
}

/// A table of which there are rows in files.
pub(crate) struct TableBlocks {
    pub table: Arc<Table>,
    /// In the order of their stamps.
    pub blocks: Vec<Block>,
    /// Rows that live.
    pub rows: u64,
}

/// The files of a checkpoint, open.
pub(crate) struct Files {
    pairs: Vec<OpenPair>,
    contents: Contents,
    /// The commits that each pair covers.
    ranges: Arc<[CommitRange]>,
    /// The keys of rows that have ended, whatever commit wrote them.
    ended_keys: HashMap<StorageId, HashSet<Box<[u8]>>>,
}

/// Opens the files of a checkpoint: reads where their blocks lie, and which rows have ended.
pub(crate) fn open(
    objects: &dyn ObjectStore,
    manifest: &Manifest,
    threads: usize,
) -> Result<Files> {
    let pairs = in_parallel(threads, manifest.pairs.len(), |place| {
        OpenPair::open(objects, manifest.database, &manifest.pairs[place])
    })?;
    let ranges = manifest.pairs.iter().map(Pair::range).collect();
    let mut contents = Contents::default();
    for (pair, open) in manifest.pairs.iter().zip(&pairs) {
        contents.add(pair.id, &open.data);
    }
    Ok(Files { pairs, contents, ranges, ended_keys: HashMap::new() })
}

impl Files {
    /// What the files hold, as their directories say.
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Loads the rows of the catalog's own tables, and reports them.
    pub fn load_catalog(&self, tables: &Tables, collector: &Collector) -> Result<Vec<CatalogRow>> {
        let mut loader = BlockLoader::new(collector, 0);
        let mut rows = Vec::new();
        for (place, pair) in self.pairs.iter().enumerate() {
            for info in pair.data.blocks() {
                if let Some(table) = tables.get(info.storage).filter(|t| t.is_catalog()) {
                    let block = Block { pair: place, info: *info };
                    let mut see = |row: &[u8]| {
                        rows.push(CatalogRow { storage: info.storage, row: row.into() });
                    };
                    loader.load(self, &block, &table, &mut see)?;
                }
            }
        }
        Ok(rows)
    }

    /// All other tables that there are, with what the files have of them. Rows of tables that are
    /// gone are left out, and so are those of tables that have trees: they are in those, and in the
    /// log.
    pub fn tables(&self, tables: &Tables) -> Vec<TableBlocks> {
        let mut found: HashMap<StorageId, Option<TableBlocks>> = HashMap::new();
        for (place, pair) in self.pairs.iter().enumerate() {
            for info in pair.data.blocks() {
                let table = found.entry(info.storage).or_insert_with(|| {
                    let table = tables.get(info.storage)?;
                    let loads = !table.is_catalog() && table.cold().is_none();
                    loads.then(|| TableBlocks { table, blocks: Vec::new(), rows: 0 })
                });
                if let Some(own) = table {
                    own.blocks.push(Block { pair: place, info: *info });
                    own.rows += u64::from(info.rows);
                }
            }
        }
        let mut found: Vec<TableBlocks> = found.into_values().flatten().collect();
        for own in &mut found {
            let storage = own.table.storage();
            let ended: usize = self.pairs.iter().map(|pair| pair.ended.of(storage).len()).sum();
            own.rows = own.rows.saturating_sub(ended as u64);
        }
        found
    }

    /// Takes note of what commits after the checkpoint end of its rows.
    pub fn ended_later(&self) -> EndedLater {
        let ended = self.ranges.iter().map(|_| Ended::default()).collect();
        EndedLater { ranges: self.ranges.clone(), ended, keys: Vec::new() }
    }

    /// These rows have ended, too.
    pub fn end(&mut self, later: Vec<EndedLater>) {
        for (place, pair) in self.pairs.iter_mut().enumerate() {
            let more: Vec<&Ended> = later.iter().map(|later| &later.ended[place]).collect();
            if more.iter().any(|ended| ended.len() > 0) {
                more.into_iter().for_each(|ended| pair.ended.append(ended));
                pair.ended.sort();
            }
        }
        for ended in later.into_iter().flat_map(|later| later.keys) {
            self.ended_keys.entry(ended.storage).or_default().insert(ended.key);
        }
    }
}

/// Rows of a checkpoint's files that later commits have ended, pair by pair.
#[derive(Default)]
pub(crate) struct EndedLater {
    ranges: Arc<[CommitRange]>,
    ended: Vec<Ended>,
    keys: Vec<EndedKey>,
}

/// The key of a row that has ended, whatever commit wrote it.
struct EndedKey {
    storage: StorageId,
    key: Box<[u8]>,
}

impl EndedLater {
    /// The row with this key has ended, if there is one; which commit wrote it is not known.
    pub fn push_key(&mut self, storage: StorageId, key: &[u8]) {
        self.keys.push(EndedKey { storage, key: key.into() });
    }

    /// The row of the commit at `stamp` with this key has ended. `false` if no file has such rows.
    pub fn push(&mut self, storage: StorageId, stamp: Lsn, key: &[u8]) -> bool {
        let place = self.ranges.partition_point(|range| range.to <= stamp);
        let found = self.ranges.get(place).is_some_and(|range| range.from <= stamp);
        if found {
            self.ended[place].push(storage, stamp, key);
        }
        found
    }
}

/// Puts the rows of blocks into tables.
pub(crate) struct BlockLoader {
    handle: LocalHandle,
    part: usize,
    buffer: BlockBuffer,
    key: KeyBuf,
    anchors: Vec<AnchorPtr>,
}

/// Rows whose places in the indexes are asked for at once, before they are put in.
const ROWS_AT_ONCE: usize = 32;

impl BlockLoader {
    /// What one of several threads loads with.
    pub fn new(collector: &Collector, part: usize) -> BlockLoader {
        let handle = collector.register();
        let (buffer, key, anchors) = Default::default();
        BlockLoader { handle, part, buffer, key, anchors }
    }

    /// Prepares the indexes of a table for as many rows as it will have.
    pub fn reserve(&self, table: &Table, rows: u64) {
        while table.reserve(&self.handle.pin(), rows).is_continue() {}
    }

    /// Loads the live rows of a block, into all indexes. Returns how many there are.
    pub fn load(
        &mut self,
        files: &Files,
        block: &Block,
        table: &Table,
        see: &mut dyn FnMut(&[u8]),
    ) -> Result<u64> {
        let (pair, block) = (&files.pairs[block.pair], &block.info);
        let range = pair.data.read_block(block, &mut self.buffer)?;
        let damaged = |what| pair.data.damaged(block.offset, what);
        if block.layout != table.layout_number() {
            return Err(damaged("a block's rows have a layout that their table does not have"));
        }
        let mut ended = pair.ended.of(block.storage);
        let ended_keys = files.ended_keys.get(&block.storage);
        let (mut rows, mut seen, mut live) = (Rows(&self.buffer.bytes()[range]), 0, 0);
        let mut together = Vec::with_capacity(ROWS_AT_ONCE);
        loop {
            let before = seen;
            together.clear();
            for row in std::iter::from_fn(|| rows.next()).take(ROWS_AT_ONCE) {
                let (stamp, row) = row.ok_or_else(|| damaged("a row is longer than its block"))?;
                let row = table.well_formed(row).ok_or_else(|| damaged("a row is malformed"))?;
                seen += 1;
                if !ended.is_empty() && ended.has_stamp(stamp) {
                    table.log_key(row, &mut self.key);
                    if ended.has_row(stamp, &self.key) {
                        continue;
                    }
                }
                if let Some(keys) = ended_keys {
                    table.log_key(row, &mut self.key);
                    if keys.contains(&*self.key) {
                        continue;
                    }
                }
                see(row);
                together.push((stamp, row));
            }
            if seen == before {
                break;
            }
            let guard = self.handle.pin();
            let refused = table.recover_rows(self.part, &guard, &together, &mut self.anchors);
            match refused.map_err(|_| CheckpointError::OutOfMemory)? {
                None => live += together.len() as u64,
                Some(index) if index == table.log_index() => {
                    return Err(damaged("a row is in the files twice"));
                }
                Some(_) => return Err(damaged("a unique key is in the files twice")),
            }
        }
        match seen == block.rows {
            true => Ok(live),
            false => Err(damaged("a block has fewer rows than it says")),
        }
    }
}

/// Does `work` for every place below `places` on several threads, which take the next as they are
/// done with one; the first error, if there is one.
fn in_parallel<T: Send>(
    threads: usize,
    places: usize,
    work: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let run = || -> Result<Vec<(usize, T)>> {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Relaxed);
            if place >= places {
                return Ok(done);
            }
            let result = work(place).inspect_err(|_| next.store(places, Relaxed))?;
            done.push((place, result));
        }
    };
    let parts = threads.clamp(1, places.max(1));
    let mut done = std::thread::scope(|scope| {
        let spawned: Vec<_> = (1..parts).map(|_| scope.spawn(run)).collect();
        let own = run();
        let joined = spawned.into_iter().map(|t| t.join().expect("opening does not panic"));
        joined.fold(own, |all, more| {
            let (mut all, more) = (all?, more?);
            all.extend(more);
            Ok(all)
        })
    })?;
    done.sort_unstable_by_key(|(place, _)| *place);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}
