//! What a database remembers of its backups and restores: its *chain*.
//!
//! It lies with the checkpoint files, as an object that is written once under the next number; the
//! newest whole one counts, and the one before is removed afterwards. A database that was never
//! backed up or restored has none.
//!
//! ```text
//! magic u32 | version u16 | zero u16 | CRC-32C u32 | length u32 | fields
//! ```

use std::ops::RangeInclusive;
use std::sync::Arc;

use base::ids::Lsn;

use super::error::{BackupError, Result};
use super::fields::{Reader, Writer};
use crate::checkpoint::{CheckpointError, ObjectStore};
use crate::sync::plain::{Mutex, MutexGuard};

const MAGIC: u32 = u32::from_le_bytes(*b"TcKc");
const VERSION: u16 = 1;
const HEADER: usize = 16;
const EXTENSION: &str = ".chain";

/// From here on a database's log is its own: it was made, or recovered after a restore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fork {
    /// The guid of the database since.
    pub guid: u128,
    /// Where its own log begins.
    pub from: Lsn,
}

/// The full backup that differential ones build on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Base {
    /// The set.
    pub guid: u128,
    /// Everything below was in its files.
    pub through: Lsn,
    /// When it was finished.
    pub finished_ticks: u64,
    /// The checkpoint files that it has, by number.
    pub files: Vec<u64>,
}

/// How far a database has been restored that is not recovered as a whole yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restored {
    /// The manifest that counts, or [`Restored::NEWEST`].
    pub manifest: u64,
    /// The segments of the log that count.
    pub segments: RangeInclusive<u64>,
    /// The log ends here.
    pub end: Lsn,
    /// When the last of it was written, in UTC ticks of 100 ns since 0001-01-01.
    pub end_ticks: u64,
    /// A point in time was reached after which nothing is restored.
    pub stopped: bool,
    /// Whether the log is to be kept for backups once the database is recovered.
    pub keeps_log: bool,
    /// Where files shall be.
    pub moves: Vec<FileMove>,
}

/// Where a file of a database shall be when it is restored (`MOVE`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileMove {
    /// The file's logical name.
    pub name: Box<str>,
    /// The path that was asked for.
    pub path: Box<str>,
}

impl Restored {
    /// The number of no manifest: recovery has begun, and makes checkpoints.
    pub const NEWEST: u64 = 0;
}

/// See the module's header.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Chain {
    /// The recovery path; the last fork is the database itself, or being restored, the one that it
    /// is restored from.
    pub path: Vec<Fork>,
    /// Log from here on is kept until it is backed up.
    pub log: Option<Lsn>,
    /// The last full backup.
    pub base: Option<Base>,
    /// Where a restore stands.
    pub restored: Option<Restored>,
}

impl Fork {
    pub(super) fn write_path(path: &[Fork], out: &mut Writer) {
        out.list(path.iter(), |out, fork| {
            out.u128(fork.guid);
            out.u64(fork.from.0);
        });
    }

    pub(super) fn read_path(from: &mut Reader<'_>) -> Option<Vec<Fork>> {
        from.list(|from| Some(Fork { guid: from.u128()?, from: Lsn(from.u64()?) }))
    }
}

impl Chain {
    fn encode(&self) -> Vec<u8> {
        let mut out = Writer(vec![0; HEADER]);
        Fork::write_path(&self.path, &mut out);
        out.option(self.log, |out, lsn| out.u64(lsn.0));
        out.option(self.base.as_ref(), |out, base| {
            out.u128(base.guid);
            out.u64(base.through.0);
            out.u64(base.finished_ticks);
            out.list(base.files.iter(), |out, file| out.u64(*file));
        });
        out.option(self.restored.as_ref(), |out, restored| {
            let (first, last) = (*restored.segments.start(), *restored.segments.end());
            let Restored { manifest, end, end_ticks, .. } = *restored;
            let words = [manifest, first, last, end.0, end_ticks];
            words.into_iter().for_each(|word| out.u64(word));
            out.bool(restored.stopped);
            out.bool(restored.keeps_log);
            out.list(restored.moves.iter(), |out, moved| {
                out.text(&moved.name);
                out.text(&moved.path);
            });
        });
        let mut bytes = out.0;
        let len = u32::try_from(bytes.len()).expect("a chain is short");
        let checksum = crc32c::crc32c(&bytes[HEADER..]);
        bytes[..4].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[4..6].copy_from_slice(&VERSION.to_le_bytes());
        bytes[8..12].copy_from_slice(&checksum.to_le_bytes());
        bytes[12..16].copy_from_slice(&len.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Chain> {
        let mut head = Reader(bytes);
        let (magic, version, checksum, len) = (head.u32()?, head.u32()?, head.u32()?, head.u32()?);
        let sound = magic == MAGIC
            && version == u32::from(VERSION)
            && len as usize == bytes.len()
            && checksum == crc32c::crc32c(&bytes[HEADER..]);
        if !sound {
            return None;
        }
        let mut from = Reader(&bytes[HEADER..]);
        let chain = Chain {
            path: Fork::read_path(&mut from)?,
            log: from.option(|from| from.u64().map(Lsn))?,
            base: from.option(|from| {
                Some(Base {
                    guid: from.u128()?,
                    through: Lsn(from.u64()?),
                    finished_ticks: from.u64()?,
                    files: from.list(Reader::u64)?,
                })
            })?,
            restored: from.option(|from| {
                Some(Restored {
                    manifest: from.u64()?,
                    segments: from.u64()?..=from.u64()?,
                    end: Lsn(from.u64()?),
                    end_ticks: from.u64()?,
                    stopped: from.bool()?,
                    keeps_log: from.bool()?,
                    moves: from
                        .list(|from| Some(FileMove { name: from.text()?, path: from.text()? }))?,
                })
            })?,
        };
        from.end(chain)
    }
}

/// The chain of a database, and where it is kept.
pub(crate) struct ChainStore {
    objects: Arc<dyn ObjectStore>,
    state: Mutex<State>,
}

struct State {
    /// The number of the object; 0 if there is none.
    number: u64,
    chain: Chain,
}

impl ChainStore {
    /// Of a database that has none yet.
    pub fn new(objects: Arc<dyn ObjectStore>, chain: Chain) -> ChainStore {
        ChainStore { objects, state: Mutex::new(State { number: 0, chain }) }
    }

    /// What is found among the checkpoint files.
    pub fn load(objects: Arc<dyn ObjectStore>) -> Result<ChainStore> {
        let mut numbers: Vec<u64> = numbers(&*objects)?;
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        let mut state =
            State { number: numbers.first().copied().unwrap_or(0), chain: Chain::default() };
        let mut damaged = None;
        for number in numbers {
            let name = name(number);
            let file = objects.open(&name)?;
            let mut bytes = vec![0; file.len()? as usize];
            file.read_exact_at(&mut bytes, 0)?;
            if let Some(chain) = Chain::decode(&bytes) {
                state.chain = chain;
                return Ok(ChainStore { objects, state: Mutex::new(state) });
            }
            damaged.get_or_insert(name);
        }
        match damaged {
            // Torn by a crash before it counted, or else nothing else is known of the backups.
            Some(name) if state.number > 1 => {
                Err(BackupError::Checkpoint(CheckpointError::Damaged {
                    file: objects.path(&name).into(),
                    offset: 0,
                    range: None,
                    what: "what it says of backups is damaged",
                }))
            }
            _ => Ok(ChainStore { objects, state: Mutex::new(state) }),
        }
    }

    /// The chain now.
    pub fn get(&self) -> Chain {
        self.lock().chain.clone()
    }

    /// Changes the chain, durably.
    pub fn change(&self, change: impl FnOnce(&mut Chain)) -> Result<()> {
        let mut state = self.lock();
        let mut chain = state.chain.clone();
        change(&mut chain);
        if chain == state.chain {
            return Ok(());
        }
        // The number is used up even if this fails.
        state.number += 1;
        self.objects.put(&name(state.number), &chain.encode())?;
        state.chain = chain;
        for number in numbers(&*self.objects)? {
            if number < state.number {
                self.objects.remove(&name(number))?;
            }
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic under this lock")
    }
}

fn name(number: u64) -> String {
    format!("{number:08}{EXTENSION}")
}

fn numbers(objects: &dyn ObjectStore) -> Result<Vec<u64>> {
    let number = |(name, _): (String, u64)| name.strip_suffix(EXTENSION)?.parse().ok();
    Ok(objects.list()?.into_iter().filter_map(number).collect())
}
