//! Manifests: which checkpoint files count, and from where on the log is needed.
//!
//! ```text
//! magic u32 | version u16 | zero u16 | CRC-32C u32 | length u32 | database u128 | number u64 |
//! through u64 | log start u64 | next file u64 | written u64 | pairs | retired | identities |
//! sequences | decisions | in version 2: sunk u64
//! ```
//!
//! Each of the five from the pairs on is a count (u64) and its entries, all of them whole words.
//! The checksum covers everything after the length.
//!
//! A manifest is made durable after the files that it names, under a number that was never used.
//! The newest whole one counts. One that is torn never counted: the log and the files of the one
//! before are given up only afterwards.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use base::ids::{Lsn, ObjectId, StorageId};

use super::data::u32_at;
use super::error::{CheckpointError, Result};
use super::names::FileId;
use crate::log::GlobalTransaction;

const MAGIC: u32 = u32::from_le_bytes(*b"TcCm");
const VERSION: u16 = 1;
/// Manifests of this version say what has sunk.
const VERSION_SUNK: u16 = 2;
const HEADER: usize = 16;

/// A range of commits: those with stamps from `from` to below `to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommitRange {
    /// Where it begins.
    pub from: Lsn,
    /// Where it ends.
    pub to: Lsn,
}

impl CommitRange {
    /// All commits.
    pub const ALL: CommitRange = CommitRange { from: Lsn::ZERO, to: Lsn::MAX };
}

/// A data file, and the delta files that say which of its rows have ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The data file.
    pub id: FileId,
    /// Its rows were written by commits with stamps from here ...
    pub from: Lsn,
    /// ... to below here.
    pub to: Lsn,
    /// Bytes of the data file.
    pub bytes: u64,
    /// Rows in the data file.
    pub rows: u64,
    /// Its delta files.
    pub deltas: Vec<Delta>,
    /// The checkpoint that made it.
    pub begun: u64,
    /// Whether the pair was merged from other pairs.
    pub merged: bool,
}

/// A delta file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delta {
    /// The file.
    pub id: FileId,
    /// Its bytes.
    pub bytes: u64,
    /// Rows that it says have ended.
    pub rows: u64,
}

impl Pair {
    /// Rows that have ended.
    pub fn ended(&self) -> u64 {
        self.deltas.iter().map(|delta| delta.rows).sum()
    }

    /// Bytes of all its files.
    pub fn all_bytes(&self) -> u64 {
        self.bytes + self.deltas.iter().map(|delta| delta.bytes).sum::<u64>()
    }

    /// The commits that it covers.
    pub fn range(&self) -> CommitRange {
        CommitRange { from: self.from, to: self.to }
    }
}

/// What is kept of a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SequenceState {
    /// How often its definition says that it was restarted; not known before the definition is.
    pub restarts: Option<u32>,
    /// The last ceiling, as the log has it, since that restart.
    pub ceiling: Option<i128>,
}

/// A file that only the manifest before needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retired {
    /// Its number.
    pub id: FileId,
    /// Whether it is a delta file.
    pub delta: bool,
    /// Whether its rows went on in another file.
    pub merged: bool,
    /// Its bytes.
    pub bytes: u64,
    /// Its rows.
    pub rows: u64,
    /// The commits that it covers.
    pub range: CommitRange,
}

/// See the module's header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    /// The database.
    pub database: u128,
    /// Manifests are numbered; a later one counts more.
    pub number: u64,
    /// Everything that commits with stamps below this did is in the files.
    pub through: Lsn,
    /// Records from here on are needed.
    pub log_start: Lsn,
    /// No file has this number or a later one.
    pub next_file: u64,
    /// When it was written, in UTC ticks of 100 ns since 0001-01-01.
    pub written_ticks: u64,
    /// The pairs, in order of their stamps.
    pub pairs: Vec<Pair>,
    /// Files that the manifest before names and this one does not.
    pub retired: Vec<Retired>,
    /// The last ceilings of identity columns, as the log has them.
    pub identities: BTreeMap<StorageId, i128>,
    /// The last ceilings of sequences.
    pub sequences: BTreeMap<ObjectId, SequenceState>,
    /// What commits below this did to tables that sink is in the database's pages, which are needed
    /// from now on. Nothing if no table had begun to sink.
    pub sunk: Option<Lsn>,
    /// Transactions over several databases that this database decided, which others may ask for.
    pub decisions: BTreeMap<Lsn, GlobalTransaction>,
}

impl Manifest {
    /// What holds before the first checkpoint of a database whose log begins here.
    pub fn initial(database: u128, start: Lsn) -> Manifest {
        Manifest {
            database,
            number: 0,
            through: start,
            log_start: start,
            next_file: 1,
            written_ticks: 0,
            pairs: Vec::new(),
            retired: Vec::new(),
            identities: BTreeMap::new(),
            sequences: BTreeMap::new(),
            sunk: None,
            decisions: BTreeMap::new(),
        }
    }

    /// The pair that holds the rows of the commit with this stamp.
    pub fn pair_of(&self, stamp: Lsn) -> Option<&Pair> {
        let behind = self.pairs.partition_point(|pair| pair.from <= stamp);
        self.pairs[..behind].last().filter(|pair| stamp < pair.to)
    }

    /// The files of the pairs.
    pub fn files(&self) -> impl Iterator<Item = FileId> + '_ {
        self.pairs.iter().flat_map(|pair| {
            let deltas = pair.deltas.iter().map(|delta| delta.id);
            std::iter::once(pair.id).chain(deltas)
        })
    }

    /// The bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        let mut words = Words(vec![0; HEADER]);
        words.wide(self.database);
        words.put(self.number);
        words.put(self.through.0);
        words.put(self.log_start.0);
        words.put(self.next_file);
        words.put(self.written_ticks);
        words.put(self.pairs.len() as u64);
        for pair in &self.pairs {
            let merged = u64::from(pair.merged);
            let head = [pair.id.0, pair.from.0, pair.to.0, pair.bytes, pair.rows, pair.begun];
            head.into_iter().chain([merged, pair.deltas.len() as u64]).for_each(|w| words.put(w));
            for delta in &pair.deltas {
                [delta.id.0, delta.bytes, delta.rows].into_iter().for_each(|w| words.put(w));
            }
        }
        words.put(self.retired.len() as u64);
        for file in &self.retired {
            let kind = u64::from(file.delta) | u64::from(file.merged) << 1;
            let CommitRange { from, to } = file.range;
            let all = [file.id.0, kind, file.bytes, file.rows, from.0, to.0];
            all.into_iter().for_each(|w| words.put(w));
        }
        words.put(self.identities.len() as u64);
        for (storage, ceiling) in &self.identities {
            words.put(storage.0);
            words.wide(*ceiling as u128);
        }
        words.put(self.sequences.len() as u64);
        for (sequence, state) in &self.sequences {
            words.put(u64::from(sequence.0 as u32));
            words.put(state.restarts.map_or(u64::MAX, u64::from));
            words.put(u64::from(state.ceiling.is_some()));
            words.wide(state.ceiling.unwrap_or(0) as u128);
        }
        words.put(self.decisions.len() as u64);
        for (stamp, global) in &self.decisions {
            words.put(stamp.0);
            words.wide(global.coordinator);
            words.put(global.id);
        }
        match self.sunk {
            None => words.seal(VERSION),
            Some(sunk) => {
                words.put(sunk.0);
                words.seal(VERSION_SUNK)
            }
        }
    }

    /// What a file says, or why it says nothing.
    pub fn decode(file: &Arc<Path>, database: u128, bytes: &[u8]) -> Result<Manifest> {
        let damaged = |what| {
            let file = file.clone();
            Err(CheckpointError::Damaged { file, offset: 0, range: None, what })
        };
        let Some(header) = bytes.first_chunk::<HEADER>() else {
            return damaged("the manifest is cut");
        };
        if u32_at(header, 0) != MAGIC {
            return damaged("this is no manifest");
        }
        if u32_at(header, 12) as usize != bytes.len() {
            return damaged("the manifest is cut");
        }
        if u32_at(header, 8) != crc32c::crc32c(&bytes[HEADER..]) {
            return damaged("the manifest's checksum is wrong");
        }
        let version = u16::from_le_bytes([header[4], header[5]]);
        if ![VERSION, VERSION_SUNK].contains(&version) {
            return Err(CheckpointError::UnknownVersion { file: file.clone(), version });
        }
        match read(&mut Reader(&bytes[HEADER..]), version) {
            Some(manifest) if manifest.database == database => Ok(manifest),
            Some(_) => Err(CheckpointError::ForeignDatabase(file.clone())),
            None => damaged("the manifest makes no sense"),
        }
    }
}

fn read(words: &mut Reader<'_>, version: u16) -> Option<Manifest> {
    let mut manifest = Manifest::initial(words.wide()?, Lsn::ZERO);
    manifest.number = words.next()?;
    manifest.through = Lsn(words.next()?);
    manifest.log_start = Lsn(words.next()?);
    manifest.next_file = words.next()?;
    manifest.written_ticks = words.next()?;
    for _ in 0..words.next()? {
        let mut pair = Pair {
            id: FileId(words.next()?),
            from: Lsn(words.next()?),
            to: Lsn(words.next()?),
            bytes: words.next()?,
            rows: words.next()?,
            begun: words.next()?,
            merged: words.next()? != 0,
            deltas: Vec::new(),
        };
        for _ in 0..words.next()? {
            let (id, bytes, rows) = (FileId(words.next()?), words.next()?, words.next()?);
            pair.deltas.push(Delta { id, bytes, rows });
        }
        manifest.pairs.push(pair);
    }
    for _ in 0..words.next()? {
        let (id, kind) = (FileId(words.next()?), words.next()?);
        let (bytes, rows) = (words.next()?, words.next()?);
        let range = CommitRange { from: Lsn(words.next()?), to: Lsn(words.next()?) };
        let (delta, merged) = (kind & 1 != 0, kind & 2 != 0);
        manifest.retired.push(Retired { id, delta, merged, bytes, rows, range });
    }
    for _ in 0..words.next()? {
        manifest.identities.insert(StorageId(words.next()?), words.wide()? as i128);
    }
    for _ in 0..words.next()? {
        let sequence = ObjectId(words.next()? as u32 as i32);
        let restarts = u32::try_from(words.next()?).ok();
        let known = words.next()? != 0;
        let ceiling = Some(words.wide()? as i128).filter(|_| known);
        manifest.sequences.insert(sequence, SequenceState { restarts, ceiling });
    }
    for _ in 0..words.next()? {
        let stamp = Lsn(words.next()?);
        let global = GlobalTransaction { coordinator: words.wide()?, id: words.next()? };
        manifest.decisions.insert(stamp, global);
    }
    if version == VERSION_SUNK {
        manifest.sunk = Some(Lsn(words.next()?));
    }
    words.0.is_empty().then_some(manifest)
}

struct Words(Vec<u8>);

impl Words {
    fn put(&mut self, word: u64) {
        self.0.extend_from_slice(&word.to_le_bytes());
    }

    fn wide(&mut self, number: u128) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn seal(mut self, version: u16) -> Vec<u8> {
        let len = u32::try_from(self.0.len()).expect("a manifest is short");
        let checksum = crc32c::crc32c(&self.0[HEADER..]);
        self.0[..4].copy_from_slice(&MAGIC.to_le_bytes());
        self.0[4..6].copy_from_slice(&version.to_le_bytes());
        self.0[8..12].copy_from_slice(&checksum.to_le_bytes());
        self.0[12..16].copy_from_slice(&len.to_le_bytes());
        self.0
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn next(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    fn wide(&mut self) -> Option<u128> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u128::from_le_bytes(*word))
    }
}
