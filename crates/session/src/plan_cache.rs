//! Compiled texts and modules, shared by all sessions.
//!
//! What is kept for a text or a module is its [`Program`]: steps, variables, and beside each step
//! the plan that was made when it ran first. An entry is found by everything that its meaning
//! depends on but the catalog; each plan itself checks whether the catalog has changed.
//!
//! Entries that refer to a database are dropped when it is dropped or closed. A session that makes
//! a plan meanwhile may have looked at the database before; so nothing is kept that was made of
//! databases which have gone since.
//!
//! Entries are charged by size. When a shard is full, those that were not used since the hand of
//! its clock last passed them are dropped.

use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use base::ids::{DbId, ObjectId};
use compile::bind::context::Dependencies;
use engine::sync::plain::{Mutex, MutexGuard};
use hashbrown::{DefaultHashBuilder, HashTable};

use crate::handle::{self, Handle};
use crate::options::CompileOptions;
use crate::program::{Program, ProgramKind};

/// What a text's meaning depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TextKey<'t> {
    /// The text.
    pub text: &'t str,
    /// The declarations of its parameters, if it has any.
    pub parameters: &'t str,
    /// A batch, or dynamic SQL.
    pub kind: ProgramKind,
    /// The current database.
    pub database: DbId,
    /// The options.
    pub options: CompileOptions,
}

/// What a module's program depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ModuleKey {
    /// Its database.
    pub database: DbId,
    /// The module.
    pub object: ObjectId,
    /// The number of a numbered procedure, or 0.
    pub number: i32,
    /// The version of the schema in which it was last changed.
    pub version: u64,
    /// The options.
    pub options: CompileOptions,
}

/// How the cache fares.
#[derive(Clone, Copy, Default, Debug)]
pub struct CacheStatistics {
    /// Entries there are.
    pub entries: usize,
    /// Bytes that they are charged.
    pub bytes: usize,
    /// Look-ups that found something.
    pub hits: u64,
    /// Look-ups that did not.
    pub misses: u64,
}

/// An entry, as views show it.
#[derive(Clone)]
pub struct CachedProgram(Arc<Entry>);

const SHARDS: usize = 16;

/// The cache. It keeps nothing until [`PlanCache::set_limit`] has said how much it may.
#[derive(Default)]
pub struct PlanCache {
    shards: [Mutex<Shard>; SHARDS],
    hasher: DefaultHashBuilder,
    shard_bytes: AtomicUsize,
    hits: AtomicU64,
    misses: AtomicU64,
    /// The number of the last entry.
    last: AtomicU64,
}

#[derive(Default)]
struct Shard {
    entries: HashTable<Arc<Entry>>,
    /// In the order of their arrival, for the clock.
    clock: std::collections::VecDeque<Arc<Entry>>,
    bytes: usize,
}

struct Entry {
    /// No other entry has had it.
    number: u64,
    hash: u64,
    key: OwnedKey,
    program: Arc<Program>,
    bytes: usize,
    used: AtomicBool,
    uses: AtomicU64,
    handle: OnceLock<Handle>,
}

enum OwnedKey {
    Text {
        text: Arc<str>,
        parameters: Box<str>,
        kind: ProgramKind,
        database: DbId,
        options: CompileOptions,
    },
    Module(ModuleKey),
}

impl OwnedKey {
    fn is_text(&self, key: &TextKey<'_>) -> bool {
        match self {
            OwnedKey::Text { text, parameters, kind, database, options } => {
                *database == key.database
                    && *kind == key.kind
                    && *options == key.options
                    && **text == *key.text
                    && **parameters == *key.parameters
            }
            OwnedKey::Module(_) => false,
        }
    }
}

impl PlanCache {
    /// Sets how many bytes the cache may take, about.
    pub fn set_limit(&self, bytes: usize) {
        let limit = bytes / SHARDS;
        self.shard_bytes.store(limit, Relaxed);
        for shard in &self.shards {
            lock(shard).make_room(0, limit);
        }
    }

    /// The program of a text.
    pub fn text(&self, key: &TextKey<'_>) -> Option<Arc<Program>> {
        self.find(self.hash(key), |entry| entry.key.is_text(key))
    }

    /// The program of a module.
    pub fn module(&self, key: &ModuleKey) -> Option<Arc<Program>> {
        let same = |entry: &Entry| matches!(&entry.key, OwnedKey::Module(k) if k == key);
        self.find(self.hash(key), same)
    }

    /// Keeps the program of a text, if its dependencies hold by `holds` and it is not too large.
    /// Returns whether it is kept.
    pub fn keep_text(
        &self,
        key: &TextKey<'_>,
        program: &Arc<Program>,
        holds: impl FnOnce() -> bool,
    ) -> bool {
        let owned = OwnedKey::Text {
            text: program.text.clone(),
            parameters: key.parameters.into(),
            kind: key.kind,
            database: key.database,
            options: key.options,
        };
        self.keep(self.hash(key), owned, program, |entry| entry.key.is_text(key), holds)
    }

    /// Keeps the program of a module, if its dependencies hold by `holds`.
    pub fn keep_module(
        &self,
        key: &ModuleKey,
        program: &Arc<Program>,
        holds: impl FnOnce() -> bool,
    ) {
        let same = |entry: &Entry| matches!(&entry.key, OwnedKey::Module(k) if k == key);
        let _ = self.keep(self.hash(key), OwnedKey::Module(*key), program, same, holds);
    }

    /// Forgets everything: `DBCC FREEPROCCACHE`.
    pub fn clear(&self) {
        for shard in &self.shards {
            *lock(shard) = Shard::default();
        }
    }

    /// Forgets a database's entries, and whatever else has a plan that keeps something of it. If
    /// the database is gone, that was noted before
    /// ([`Instance::note_gone`](crate::instance::Instance::note_gone)).
    pub fn forget_database(&self, database: DbId) {
        for shard in &self.shards {
            let mut shard = lock(shard);
            shard.entries.retain(|entry| !looks_at(&entry.program, database));
            shard.clock.retain(|entry| !looks_at(&entry.program, database));
            shard.bytes = shard.clock.iter().map(|entry| entry.bytes).sum();
        }
    }

    /// Forgets a module, or whatever has a plan that depends on an object: `sp_recompile`.
    pub fn forget_object(&self, database: DbId, object: ObjectId) {
        for CachedProgram(entry) in self.entries() {
            if depends_on(&entry.program, database, object) {
                self.forget(&entry);
            }
        }
    }

    fn forget(&self, entry: &Arc<Entry>) {
        let mut shard = self.shard(entry.hash);
        if let Ok(found) = shard.entries.find_entry(entry.hash, |e| Arc::ptr_eq(e, entry)) {
            found.remove();
            shard.clock.retain(|e| !Arc::ptr_eq(e, entry));
            shard.bytes -= entry.bytes;
        }
    }

    /// Counts of the cache's use.
    pub fn statistics(&self) -> CacheStatistics {
        let mut statistics = CacheStatistics {
            hits: self.hits.load(Relaxed),
            misses: self.misses.load(Relaxed),
            ..CacheStatistics::default()
        };
        for shard in &self.shards {
            let shard = lock(shard);
            statistics.entries += shard.entries.len();
            statistics.bytes += shard.bytes;
        }
        statistics
    }

    /// All entries.
    pub fn entries(&self) -> Vec<CachedProgram> {
        let of = |shard: &Mutex<Shard>| {
            let shard = lock(shard);
            shard.clock.iter().cloned().map(CachedProgram).collect::<Vec<_>>()
        };
        self.shards.iter().flat_map(of).collect()
    }

    fn hash(&self, key: &impl Hash) -> u64 {
        self.hasher.hash_one(key)
    }

    fn shard(&self, hash: u64) -> MutexGuard<'_, Shard> {
        lock(&self.shards[shard_of(hash)])
    }

    fn find(&self, hash: u64, same: impl Fn(&Entry) -> bool) -> Option<Arc<Program>> {
        let shard = self.shard(hash);
        match shard.entries.find(hash, |entry| same(entry)) {
            Some(entry) => {
                entry.used.store(true, Relaxed);
                entry.uses.fetch_add(1, Relaxed);
                self.hits.fetch_add(1, Relaxed);
                Some(entry.program.clone())
            }
            None => {
                self.misses.fetch_add(1, Relaxed);
                None
            }
        }
    }

    fn keep(
        &self,
        hash: u64,
        key: OwnedKey,
        program: &Arc<Program>,
        same: impl Fn(&Entry) -> bool,
        holds: impl FnOnce() -> bool,
    ) -> bool {
        let bytes = program.size_bytes();
        let limit = self.shard_bytes.load(Relaxed);
        if bytes > limit / 4 {
            return false;
        }
        let entry = Arc::new(Entry {
            number: self.last.fetch_add(1, Relaxed) + 1,
            hash,
            key,
            program: program.clone(),
            bytes,
            used: AtomicBool::new(true),
            uses: AtomicU64::new(1),
            handle: OnceLock::new(),
        });
        let mut shard = self.shard(hash);
        // Under the lock: either a session that forgets a database sees this entry, or what it has
        // noted before is seen here.
        if !holds() {
            return false;
        }
        if let Ok(occupied) = shard.entries.find_entry(hash, |entry| same(entry)) {
            let (old, _) = occupied.remove();
            shard.clock.retain(|e| !Arc::ptr_eq(e, &old));
            shard.bytes -= old.bytes;
        }
        shard.make_room(bytes, limit);
        shard.bytes += bytes;
        shard.clock.push_back(entry.clone());
        shard.entries.insert_unique(hash, entry, |entry| entry.hash);
        true
    }
}

impl CachedProgram {
    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.0.program
    }

    /// How often the program was found.
    pub fn uses(&self) -> u64 {
        self.0.uses.load(Relaxed)
    }

    /// What the program is charged.
    pub fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// The declarations of a text's parameters; empty if it has none.
    pub fn parameters(&self) -> &str {
        match &self.0.key {
            OwnedKey::Text { parameters, .. } => parameters,
            OwnedKey::Module(_) => "",
        }
    }

    /// The text as views show it: the declarations of parameters stand before it.
    pub fn text(&self) -> Arc<str> {
        match self.parameters() {
            "" => self.0.program.text.clone(),
            parameters => format!("({parameters}){}", self.0.program.text).into(),
        }
    }

    /// `sql_handle`
    pub fn sql_handle(&self) -> Handle {
        let program = &self.0.program;
        *self.0.handle.get_or_init(|| match program.object() {
            Some(object) => handle::of_module(program.database, object),
            None => handle::of_text(&self.text()),
        })
    }

    /// No other entry has had it.
    pub fn number(&self) -> u64 {
        self.0.number
    }

    /// The part of the cache that it is in.
    pub fn shard(&self) -> usize {
        shard_of(self.0.hash)
    }

    /// `plan_handle`
    pub fn plan_handle(&self) -> Handle {
        let program = &self.0.program;
        handle::of_plan(program.kind.is_module(), program.database, self.0.number)
    }
}

impl Shard {
    fn make_room(&mut self, bytes: usize, limit: usize) {
        while self.bytes + bytes > limit {
            let Some(entry) = self.clock.pop_front() else { return };
            if entry.used.swap(false, Relaxed) {
                self.clock.push_back(entry);
                continue;
            }
            if let Ok(found) = self.entries.find_entry(entry.hash, |e| Arc::ptr_eq(e, &entry)) {
                found.remove();
            }
            self.bytes -= entry.bytes;
        }
    }
}

/// Whether a program is this module, or has a plan that counts on this object.
fn depends_on(program: &Program, database: DbId, object: ObjectId) -> bool {
    let counts_on = |dependencies: &Dependencies| {
        dependencies.objects.iter().any(|d| (d.database, d.object) == (database, object))
    };
    let native = || program.native.lock().unwrap_or_else(|p| p.into_inner()).clone();
    (program.database == database && program.object() == Some(object))
        || program.steps.iter().any(|s| s.plan().is_some_and(|p| counts_on(&p.dependencies)))
        || native().is_some_and(|plan| counts_on(&plan.dependencies))
}

/// Whether a program is a database's, or has a plan that looks at it.
fn looks_at(program: &Program, database: DbId) -> bool {
    let looks = |dependencies: &Dependencies| {
        dependencies.schemas.iter().any(|(looked_at, ..)| *looked_at == database)
    };
    program.database == database
        || program.steps.iter().any(|s| s.plan().is_some_and(|p| looks(&p.dependencies)))
}

fn shard_of(hash: u64) -> usize {
    (hash >> 60) as usize % SHARDS
}

fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
