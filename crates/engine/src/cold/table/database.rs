//! The cold tables of a database: its pages, and the directory of its trees.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, Release};

use super::ColdTable;
use super::error::{ColdResult, damaged};
use super::history::{self, History, PastRow};
use crate::cold::tree::{
    Directory, Dropped, Tree, TreeEntry, TreeError, TreeId, TreeRecord, Unread,
};
use crate::cold::{Capture, CheckpointStats, ColdError, Edit, FileSpec, PageNumber, Pool, Store};
use crate::sync::parking::Mutex;
use crate::wait::Task;

/// Pages of a dropped tree that are given back at a time.
const DROP_STEP: u64 = 1024;
/// How often the drop of a tree is attempted before pages that cannot be read count as damaged.
const ATTEMPTS: u32 = 10;
/// The pause after the first attempt; each further pause is twice as long as the one before.
const PAUSE_NS: u64 = 1_000_000_000;

/// The info about tables in the root of a database's pages.
///
/// ```text
/// version u64 (1) | everything below this has sunk u64 | the directory's root u64
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ColdInfo {
    /// The trees have all that commits below this position did to tables that have trees.
    pub through: u64,
    /// Where the directory is.
    pub directory: PageNumber,
}

impl ColdInfo {
    const VERSION: u64 = 1;

    fn encode(self) -> Vec<u8> {
        [ColdInfo::VERSION, self.through, self.directory.0].map(u64::to_le_bytes).concat()
    }

    fn decode(bytes: &[u8]) -> Option<ColdInfo> {
        let word = |n: usize| Some(u64::from_le_bytes(*bytes.get(8 * n..)?.first_chunk()?));
        let known = word(0)? == ColdInfo::VERSION && bytes.len() == 24;
        let (through, directory) = (word(1)?, PageNumber(word(2)?));
        known.then_some(ColdInfo { through, directory })
    }
}

/// What new trees are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TableState {
    /// Rows sink into them.
    Ready,
    /// A builder fills them before any reader knows them ([`super::build`]).
    Building,
}

/// Failed attempts to drop a table's trees: some pages could not be read.
#[derive(Clone, Copy, Default, Debug)]
struct Attempts {
    failed: u32,
    /// When another attempt is due.
    next_ns: u64,
}

/// The tables of a database that have trees.
pub struct ColdTables {
    store: Arc<Store>,
    directory: Directory,
    tables: Mutex<HashMap<u64, Arc<ColdTable>>>,
    /// Past versions of their rows. The history's own trees are among those of the tables.
    history: Arc<History>,
    /// Tables whose trees are being built.
    building: Mutex<BTreeSet<u64>>,
    /// Tables whose trees are unowned (L3), and are still to be dropped.
    abandoned: Mutex<BTreeMap<u64, Attempts>>,
    /// Held while a change of the directory, or of trees that are being built, is half published;
    /// and while pages are captured (L2).
    changing: Mutex<()>,
}

impl ColdTables {
    /// Creates the pages of a database, without tables. The files must not exist.
    pub fn create(
        pool: &Pool,
        task: &Task,
        database: u128,
        files: &[FileSpec],
    ) -> ColdResult<ColdTables> {
        let store = Store::create(pool, database, files, &[])?;
        let mut batch = store.batch();
        let (root, _) = batch.allocate(task)?;
        let directory = Directory::create_at(&mut batch, task, root)?;
        batch.finish();
        Ok(ColdTables::with(Arc::new(store), directory, HashMap::new(), Arc::default()))
    }

    fn with(
        store: Arc<Store>,
        directory: Directory,
        tables: HashMap<u64, Arc<ColdTable>>,
        history: Arc<History>,
    ) -> ColdTables {
        ColdTables {
            history,
            store,
            directory,
            tables: Mutex::new(tables),
            building: Mutex::default(),
            abandoned: Mutex::default(),
            changing: Mutex::default(),
        }
    }

    /// Opens the tables as the last durable root has them. Returns its info, too: up to where the
    /// trees are complete.
    pub fn open(
        pool: &Pool,
        task: &Task,
        database: u128,
        files: &[FileSpec],
    ) -> ColdResult<(ColdTables, ColdInfo)> {
        let opened = Store::open(pool, database, files)?;
        let no_root = || {
            let path = files.first().map_or_else(Default::default, |file| file.path.clone());
            TreeError::Page(ColdError::NoRoot { path: path.into() })
        };
        let info = ColdInfo::decode(&opened.info).ok_or_else(no_root)?;
        let (store, directory) = (Arc::new(opened.store), Directory::at(info.directory));
        let mut found: HashMap<u64, Vec<TreeEntry>> = HashMap::new();
        for entry in directory.list(&*store, task, None)? {
            found.entry(entry.id.storage).or_default().push(entry);
        }
        let (mut tables, mut abandoned) = (HashMap::new(), BTreeMap::new());
        let history: Arc<History> = Arc::default();
        for (storage, entries) in found {
            if entries.iter().any(|own| own.record.flags & UNOWNED != 0) {
                abandoned.insert(storage, Attempts::default());
                continue;
            }
            let table = known_table(&store, &history, storage, &entries)
                .ok_or_else(|| damaged(directory.tree(), "a table lacks trees"))?;
            table.set_durable(info.through);
            let table = Arc::new(table);
            if storage == history::STORAGE {
                history.set(table.clone());
            }
            tables.insert(storage, table);
        }
        let tables = ColdTables::with(store, directory, tables, history);
        *tables.abandoned.lock() = abandoned;
        Ok((tables, info))
    }

    /// The store that has the pages.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Returns the table with this storage, if it has trees.
    pub fn get(&self, storage: u64) -> Option<Arc<ColdTable>> {
        self.tables.lock().get(&storage).cloned()
    }

    /// All tables that have trees, except the history.
    pub fn all(&self) -> Vec<Arc<ColdTable>> {
        let tables = self.tables.lock();
        tables.values().filter(|table| table.storage != history::STORAGE).cloned().collect()
    }

    /// The past versions of rows that have changed.
    pub fn history(&self) -> &Arc<History> {
        &self.history
    }

    /// Adds versions of rows to the history, before the rows change in the trees of their tables.
    pub fn note_history(&self, task: &Task, rows: &[PastRow]) -> ColdResult<()> {
        let known = self.get(history::STORAGE);
        let table = match known {
            Some(table) => table,
            None => {
                let table = self.add(task, history::STORAGE, history::INDEXES, 0)?;
                self.history.set(table.clone());
                table
            }
        };
        History::note(&table, task, rows)
    }

    /// The storages of tables whose trees are being built.
    pub fn building(&self) -> Vec<u64> {
        self.building.lock().iter().copied().collect()
    }

    /// The highest storage that has trees, of whatever kind; 0 if none has.
    pub fn last_storage(&self) -> u64 {
        let ready = self.tables.lock().keys().copied().max();
        let building = self.building.lock().last().copied();
        let abandoned = self.abandoned.lock().keys().next_back().copied();
        ready.max(building).max(abandoned).unwrap_or(0)
    }

    /// Keeps other threads from changing the directory, and from capturing pages.
    pub(super) fn lock_changes(&self) -> impl Drop + '_ {
        self.changing.lock()
    }

    /// Makes the trees of a table with this many indexes, of which `clustered` is the one whose
    /// tree holds the rows.
    pub fn add(
        &self,
        task: &Task,
        storage: u64,
        indexes: usize,
        clustered: usize,
    ) -> ColdResult<Arc<ColdTable>> {
        self.make(task, storage, indexes, clustered, TableState::Ready)
    }

    pub(super) fn make(
        &self,
        task: &Task,
        storage: u64,
        indexes: usize,
        clustered: usize,
        state: TableState,
    ) -> ColdResult<Arc<ColdTable>> {
        let changes = self.lock_changes();
        let mut batch = self.store.batch();
        let mut trees = Vec::with_capacity(indexes);
        for ordinal in 0..indexes {
            let tree = Tree::create(&mut batch, task)?;
            let mut flags = if ordinal == clustered { CLUSTERED } else { 0 };
            if state == TableState::Building {
                flags |= UNOWNED;
            }
            let record = TreeRecord { tree, entries: 0, flags, user: Vec::new() };
            self.directory.put(&mut batch, task, id(storage, ordinal), &record)?;
            trees.push(tree);
        }
        batch.finish();
        // The new records replace those of earlier trees with these ids. What is left of those
        // trees cannot be dropped any more.
        self.abandoned.lock().remove(&storage);
        let (store, history) = (self.store.clone(), history_of(storage, &self.history));
        let table = ColdTable::new(store, history, storage, clustered, trees.into());
        let table = Arc::new(table);
        match state {
            TableState::Ready => {
                table.adopted.store(true, Relaxed); // no other thread knows it yet
                drop(self.tables.lock().insert(storage, table.clone()));
            }
            TableState::Building => drop(self.building.lock().insert(storage)),
        }
        drop(changes);
        Ok(table)
    }

    /// Notes that a table's trees have been built, with this many rows. They stay unowned until
    /// [`ColdTables::adopt`].
    pub(super) fn finish_build(
        &self,
        task: &Task,
        table: &Arc<ColdTable>,
        rows: u64,
    ) -> ColdResult<()> {
        let _changes = self.lock_changes();
        let mut batch = self.store.batch();
        for (ordinal, tree) in table.trees.iter().enumerate() {
            let is_clustered = ordinal == table.clustered;
            let flags = UNOWNED | if is_clustered { CLUSTERED | BUILT } else { 0 };
            let entries = if is_clustered { rows } else { 0 };
            let record = TreeRecord { tree: *tree, entries, flags, user: Vec::new() };
            self.directory.put(&mut batch, task, id(table.storage, ordinal), &record)?;
        }
        batch.finish();
        table.rows.store(rows, Relaxed);
        table.built.store(true, Release); // pairs with is_built
        self.building.lock().remove(&table.storage);
        self.tables.lock().insert(table.storage, table.clone());
        Ok(())
    }

    /// Adopts trees that have been built: roots that are captured from now on have them as a
    /// table's. The trees have all rows that recovery does not find in the log as rows of commits.
    pub fn adopt(&self, task: &Task, storage: u64) -> ColdResult<()> {
        let _changes = self.lock_changes();
        let trees = self.directory.list(&*self.store, task, Some(storage))?;
        self.set_flags(task, &trees, |flags| flags & !UNOWNED)?;
        if let Some(table) = self.get(storage) {
            table.adopted.store(true, Release); // pairs with is_adopted
        }
        Ok(())
    }

    /// Drops the trees of a table that is not used any more. If a page cannot be read, a later
    /// [`ColdTables::remove_abandoned`] drops what is left.
    pub fn remove(&self, task: &Task, storage: u64) -> ColdResult<()> {
        let attempts = *self.abandoned.lock().entry(storage).or_default();
        self.tables.lock().remove(&storage);
        self.building.lock().remove(&storage);
        let trees = self.directory.list(&*self.store, task, Some(storage))?;
        // From now on these trees are unowned: what is left of them after a crash is dropped.
        let changes = self.lock_changes();
        self.set_flags(task, &trees, |flags| flags | UNOWNED)?;
        drop(changes);
        let unread = if attempts.failed < ATTEMPTS { Unread::Stay } else { Unread::Freed };
        let mut is_left = false;
        for TreeEntry { id, record } in trees {
            is_left |= self.drop_tree(task, id, record.tree, unread)? == Dropped::Unreadable;
        }
        let mut abandoned = self.abandoned.lock();
        match is_left {
            true => {
                let next_ns = task.now_ns().saturating_add(PAUSE_NS << attempts.failed);
                abandoned.insert(storage, Attempts { failed: attempts.failed + 1, next_ns });
            }
            false => drop(abandoned.remove(&storage)),
        }
        Ok(())
    }

    /// Drops a tree, and removes it from the directory when all its pages are freed.
    fn drop_tree(
        &self,
        task: &Task,
        id: TreeId,
        tree: Tree,
        unread: Unread,
    ) -> ColdResult<Dropped> {
        loop {
            let _changes = self.lock_changes();
            let mut batch = self.store.batch();
            let dropped = tree.drop_some(&mut batch, task, DROP_STEP, unread)?;
            if dropped == Dropped::Gone {
                self.directory.remove(&mut batch, task, id)?;
            }
            batch.finish();
            if dropped != Dropped::Left {
                return Ok(dropped);
            }
        }
    }

    /// Drops the abandoned trees that are due: those that an earlier run has not finished, and
    /// those that an attempt has failed to drop.
    pub fn remove_abandoned(&self, task: &Task) -> ColdResult<()> {
        let now = task.now_ns();
        let due: Vec<u64> = {
            let abandoned = self.abandoned.lock();
            let is_due = |(_, attempts): &(&u64, &Attempts)| attempts.next_ns <= now;
            abandoned.iter().filter(is_due).map(|(storage, _)| *storage).collect()
        };
        due.into_iter().try_for_each(|storage| self.remove(task, storage))
    }

    /// Changes the flags of these trees in the directory. The caller holds
    /// [`ColdTables::lock_changes`].
    fn set_flags(
        &self,
        task: &Task,
        trees: &[TreeEntry],
        change: impl Fn(u32) -> u32,
    ) -> ColdResult<()> {
        let mut batch = self.store.batch();
        for TreeEntry { id, record } in trees {
            let record = TreeRecord { flags: change(record.flags), ..record.clone() };
            self.directory.put(&mut batch, task, *id, &record)?;
        }
        batch.finish();
        Ok(())
    }

    /// Captures the pages of all trees, which are complete up to `through`. Returns the tables that
    /// own trees in the capture: tables that are being built, or are not adopted, are left out. The
    /// caller makes sure that no thread changes the others meanwhile.
    pub fn capture(&self, task: &Task, through: u64) -> ColdResult<(Capture, Vec<Arc<ColdTable>>)> {
        let _changes = self.lock_changes();
        let (mut batch, tables) = (self.store.batch(), self.all());
        for table in tables.iter().chain(&self.get(history::STORAGE)) {
            let of = id(table.storage, table.clustered);
            let known = self.directory.get(&*self.store, task, of)?;
            let lost = || damaged(self.directory.tree(), "a table is not in the directory");
            let record = known.ok_or_else(lost)?;
            if record.entries != table.rows() {
                let record = TreeRecord { entries: table.rows(), ..record };
                self.directory.put(&mut batch, task, of, &record)?;
            }
        }
        batch.finish();
        let info = ColdInfo { through, directory: self.directory.tree().root() };
        let owned = tables.into_iter().filter(|table| table.is_adopted()).collect();
        Ok((self.store.capture(&info.encode()), owned))
    }

    /// Makes a capture durable.
    pub fn write(&self, capture: Capture) -> ColdResult<CheckpointStats> {
        Ok(self.store.write(capture)?)
    }
}

/// Flag: the tree holds the rows.
const CLUSTERED: u32 = 1;
/// Flag: the table's trees are being built, are built but not adopted, or are being dropped. In a
/// root that has this flag they are unowned (L3).
const UNOWNED: u32 = 2;
/// Flag of the tree that holds the rows: the table's trees were built.
const BUILT: u32 = 4;

fn id(storage: u64, ordinal: usize) -> TreeId {
    let ordinal = u32::try_from(ordinal).expect("a table has few indexes");
    TreeId { storage, ordinal }
}

/// The history that a table uses. The history's own table gets an empty one, since it would else
/// keep itself alive.
fn history_of(storage: u64, history: &Arc<History>) -> Arc<History> {
    if storage == history::STORAGE { Arc::default() } else { history.clone() }
}

/// The table that has these trees, in order of their ordinals; `None` if one is missing.
fn known_table(
    store: &Arc<Store>,
    history: &Arc<History>,
    storage: u64,
    entries: &[TreeEntry],
) -> Option<ColdTable> {
    let clustered = entries.iter().position(|own| own.record.flags & CLUSTERED != 0)?;
    let complete = entries.iter().enumerate().all(|(place, own)| own.id.ordinal as usize == place);
    let trees = entries.iter().map(|own| own.record.tree).collect();
    let history = history_of(storage, history);
    let table = ColdTable::new(store.clone(), history, storage, clustered, trees);
    let record = &entries[clustered].record;
    table.rows.store(record.entries, Relaxed);
    table.built.store(record.flags & BUILT != 0, Relaxed);
    table.adopted.store(true, Relaxed);
    complete.then_some(table)
}
