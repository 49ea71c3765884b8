//! Making a backup while transactions go on.

use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use base::ids::Lsn;
use env::stream::ReadAhead;
use env::{Env, FileError, OpKind};

use super::block::{BLOCK_MAX, BlockKind, BlockWriter};
use super::chain::{Base, ChainStore, Fork};
use super::error::{BackupError, Result};
use super::media::Media;
use super::set::{BackupSet, BaseSet, FileHead, FileKind, SetEnd, SetHeader, SetKind};
use super::{Progress, STEP_BYTES};
use crate::checkpoint::{Checkpoints, Delta, FileId, Manifest, ObjectStore, Pin, Pins};
use crate::cold::DurablePages;
use crate::log::store::{BatchReader, LogStore};
use crate::log::{Log, LogError};
use crate::sink;
use crate::txn::Manager;
use crate::wait::Task;

/// What a backup needs of a database.
pub(crate) struct Source<'a> {
    pub database: u128,
    pub manager: &'a Arc<Manager>,
    pub objects: &'a Arc<dyn ObjectStore>,
    pub store: &'a Arc<dyn LogStore>,
    pub checkpoints: &'a Checkpoints,
    pub sink: &'a sink::SinkCore,
    pub pins: &'a Arc<Pins>,
    pub chain: &'a Arc<ChainStore>,
    pub busy: &'a Arc<AtomicBool>,
}

/// A backup that is being made. Dropping it unfinished leaves nothing that counts.
pub struct Backup {
    header: SetHeader,
    media: Media,
    /// Until the set is ended.
    blocks: Option<BlockWriter>,
    manager: Arc<Manager>,
    objects: Arc<dyn ObjectStore>,
    store: Arc<dyn LogStore>,
    pins: Arc<Pins>,
    chain: Arc<ChainStore>,
    /// Keeps the files and the log that are read.
    pin: Pin,
    /// The pages of tables that have sunk, until they are copied.
    pages: Option<DurablePages>,
    _busy: Busy,
    /// Files that are still to be copied.
    files: VecDeque<FileHead>,
    stage: Stage,
    /// A block's worth of a file.
    buffer: Vec<u8>,
    batches: Vec<u8>,
    end: SetEnd,
    progress: Progress,
}

/// What is being copied.
enum Stage {
    /// The next file is to be begun.
    NextFile,
    /// A file, as far as to this offset.
    File(FileHead, Bytes, u64),
    /// The log up to a position, or as far as there is more.
    Log(Box<dyn BatchReader>, Lsn),
    /// Everything has been copied.
    Done,
}

/// The bytes of a file.
enum Bytes {
    Stored(Box<ReadAhead>, PathBuf),
    Memory(Vec<u8>),
    Pages(DurablePages),
}

/// Only one backup of a database at a time.
struct Busy(Arc<AtomicBool>);

impl Busy {
    fn take(flag: &Arc<AtomicBool>) -> Result<Busy> {
        match flag.compare_exchange(false, true, AcqRel, Acquire) {
            Ok(_) => Ok(Busy(flag.clone())),
            Err(_) => Err(BackupError::Busy),
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(false, Release); // pairs with take()
    }
}

impl Backup {
    /// Begins a backup into a file. Of `header` the kind and the words for people are given; the
    /// rest is filled in here.
    pub(crate) fn begin(
        source: &Source<'_>,
        media: Media,
        mut header: SetHeader,
    ) -> Result<Backup> {
        let busy = Busy::take(source.busy)?;
        let chain = source.chain.get();
        let env = source.manager.runtime().env();
        let (pin, pages) = pin_both(source, header.kind)?;
        let manifest = &*pin.manifest;
        header.guid = env.rng().next_u128();
        header.path = match &chain.path[..] {
            [] => vec![Fork { guid: source.database, from: Log::START }],
            path => path.to_vec(),
        };
        header.started_ticks = env.clock().utc_ticks();
        header.offset_minutes = env.clock().local_offset_minutes(header.started_ticks);
        header.through = match (header.kind, &chain.base) {
            (SetKind::Log, Some(base)) => base.through,
            _ => manifest.through,
        };
        header.first = match header.kind {
            SetKind::Log => chain.log.ok_or(BackupError::LogNotKept)?,
            SetKind::Full | SetKind::Differential => manifest.log_start,
        };
        let base = match header.kind {
            SetKind::Differential => Some(chain.base.ok_or(BackupError::NoDatabaseBackup)?),
            SetKind::Full | SetKind::Log => None,
        };
        header.base = base.as_ref().map(|base| BaseSet { guid: base.guid, through: base.through });
        let mut files = match header.kind {
            SetKind::Log => VecDeque::new(),
            SetKind::Full | SetKind::Differential => files_of(manifest, base.as_ref()),
        };
        // First, since the database's file grows while they are pinned.
        if let Some(pages) = &pages {
            files.push_front(FileHead { kind: FileKind::Pages, id: 1, bytes: pages.bytes() });
        }
        let data_bytes = files.iter().map(|file| file.bytes).sum();
        let log_bytes = source.manager.log().durable().0.saturating_sub(header.first.0);
        let progress = Progress { done: 0, total: data_bytes + log_bytes };
        let mut blocks = media.begin_set(header.packed)?;
        blocks.write(BlockKind::Header, &header.encode())?;
        Ok(Backup {
            header,
            media,
            blocks: Some(blocks),
            manager: source.manager.clone(),
            objects: source.objects.clone(),
            store: source.store.clone(),
            pins: source.pins.clone(),
            chain: source.chain.clone(),
            pin,
            pages,
            _busy: busy,
            files,
            stage: Stage::NextFile,
            buffer: Vec::new(),
            batches: Vec::new(),
            end: SetEnd { data_bytes, ..SetEnd::default() },
            progress,
        })
    }

    /// Writes the next part. Returns the progress, and the set if that was all. Blocks the thread.
    pub fn step(&mut self) -> Result<(Progress, Option<BackupSet>)> {
        let until = self.progress.done + STEP_BYTES;
        while self.progress.done < until {
            match std::mem::replace(&mut self.stage, Stage::Done) {
                Stage::NextFile => self.stage = self.next_file()?,
                Stage::File(head, bytes, offset) => self.stage = self.copy(head, bytes, offset)?,
                Stage::Log(tail, limit) => self.stage = self.copy_log(tail, limit)?,
                Stage::Done => {
                    let set = self.finish()?;
                    return Ok((self.progress, Some(set)));
                }
            }
        }
        Ok((self.progress, None))
    }

    /// Begins the next file, or the log.
    fn next_file(&mut self) -> Result<Stage> {
        let Some(head) = self.files.pop_front() else {
            // Everything that was committed by now.
            let log = self.manager.log();
            log.flush(&Task::blocking(self.manager.runtime()))?;
            return Ok(Stage::Log(self.store.follow(self.header.first)?, log.durable()));
        };
        unended(&mut self.blocks).write(BlockKind::File, &head.encode())?;
        let bytes = match head.kind {
            FileKind::Manifest => Bytes::Memory(self.pin.manifest.encode()),
            FileKind::Pages => {
                let pages = self.pages.take();
                Bytes::Pages(pages.expect("there is one such file, if they are pinned"))
            }
            FileKind::Data => self.stored(&FileId(head.id).data(), head.bytes)?,
            FileKind::Delta => self.stored(&FileId(head.id).delta(), head.bytes)?,
        };
        Ok(Stage::File(head, bytes, 0))
    }

    /// An object, to be read from its beginning to its end.
    fn stored(&self, name: &str, bytes: u64) -> Result<Bytes> {
        let file = self.objects.open_direct(name)?;
        let path = file.path().to_path_buf();
        let env = self.manager.runtime().env();
        Ok(Bytes::Stored(Box::new(ReadAhead::new(env, file, 0..bytes)), path))
    }

    /// Copies a block of a file.
    fn copy(&mut self, head: FileHead, mut bytes: Bytes, offset: u64) -> Result<Stage> {
        let len = (head.bytes - offset).min(BLOCK_MAX as u64) as usize;
        let blocks = unended(&mut self.blocks);
        match &mut bytes {
            Bytes::Stored(file, path) => {
                self.buffer.resize(len, 0);
                if file.read(&mut self.buffer)? < len {
                    let short = std::io::ErrorKind::UnexpectedEof.into();
                    return Err(FileError::new(OpKind::Read, path, short).into());
                }
                blocks.write(BlockKind::Data, &self.buffer)?;
            }
            Bytes::Memory(all) => {
                let start = offset as usize;
                blocks.write(BlockKind::Data, &all[start..start + len])?;
            }
            Bytes::Pages(pages) => {
                let read = pages.read()?;
                debug_assert_eq!(read.len(), len, "a block has as many as are read at a time");
                blocks.write(BlockKind::Data, read)?;
            }
        }
        self.progress.done += len as u64;
        let offset = offset + len as u64;
        Ok(match offset == head.bytes {
            true => Stage::NextFile,
            false => Stage::File(head, bytes, offset),
        })
    }

    /// Copies a block's worth of log.
    fn copy_log(&mut self, mut tail: Box<dyn BatchReader>, limit: Lsn) -> Result<Stage> {
        let over = gather(&mut *tail, limit, &mut self.batches)?;
        if !self.batches.is_empty() {
            unended(&mut self.blocks).write(BlockKind::Log, &self.batches)?;
            self.progress.done += self.batches.len() as u64;
            self.end.log_bytes += self.batches.len() as u64;
        }
        self.end.last = tail.end().end.max(self.header.first);
        Ok(if over { Stage::Done } else { Stage::Log(tail, limit) })
    }

    /// Ends the set, makes it count, and remembers it.
    fn finish(&mut self) -> Result<BackupSet> {
        let blocks = self.blocks.take().expect("a set is ended once");
        let env = self.manager.runtime().env();
        let number = end_set(env, &mut self.media, blocks, &mut self.end)?;
        let SetHeader { guid, kind, copy_only, keeps_log, through, .. } = self.header;
        let SetEnd { last, finished_ticks, .. } = self.end;
        if !copy_only {
            self.chain.change(|chain| {
                if kind == SetKind::Full {
                    let files = self.pin.manifest.files().map(|file| file.0).collect();
                    chain.base = Some(Base { guid, through, finished_ticks, files });
                }
                // A chain of log backups begins after a backup of the database.
                if kind == SetKind::Log || keeps_log && chain.log.is_none() {
                    chain.log = Some(last);
                }
                if chain.path.is_empty() {
                    chain.path.clone_from(&self.header.path);
                }
            })?;
            self.pins.set_floor(self.chain.get().log);
        }
        self.progress.done = self.progress.done.max(self.progress.total);
        Ok(BackupSet { number, header: self.header.clone(), end: self.end })
    }
}

/// Pins the last manifest, and the pages if they are wanted and it needs them.
fn pin_both(source: &Source<'_>, kind: SetKind) -> Result<(Pin, Option<DurablePages>)> {
    loop {
        let pin = source.checkpoints.pin();
        // After the manifest: a later root goes with it as well, an earlier one does not.
        let pages = match kind != SetKind::Log && pin.manifest.sunk.is_some() {
            true => source.sink.pin_pages()?,
            false => None,
        };
        // But one after the next manifest may lack the trees of tables that are there for this one.
        if source.checkpoints.pin().manifest.number == pin.manifest.number {
            return Ok((pin, pages));
        }
    }
}

/// Puts a block's worth of batches up to `limit` in the place of those before. Returns whether that
/// was all. If it fails, those are there that come before the failure.
pub(super) fn gather(
    log: &mut dyn BatchReader,
    limit: Lsn,
    batches: &mut Vec<u8>,
) -> Result<bool, LogError> {
    batches.clear();
    loop {
        if log.end().end >= limit && log.end().last_batch.is_some() {
            return Ok(true);
        }
        // The longest batch must still fit.
        if batches.len() + crate::log::batch::BATCH_MAX > BLOCK_MAX {
            return Ok(false);
        }
        match log.next()? {
            Some(batch) => batches.extend_from_slice(&batch.bytes),
            None => return Ok(true),
        }
    }
}

/// Ends a set and makes it count. Returns its number.
pub(super) fn end_set(
    env: &Env,
    media: &mut Media,
    mut blocks: BlockWriter,
    end: &mut SetEnd,
) -> Result<usize> {
    end.finished_ticks = env.clock().utc_ticks();
    let (last, number) = (blocks.offset(), blocks.number());
    end.stored_bytes = last - blocks.start();
    blocks.write(BlockKind::End, &end.encode())?;
    media.end_set(blocks, last, number)
}

/// What writes the set.
fn unended(blocks: &mut Option<BlockWriter>) -> &mut BlockWriter {
    blocks.as_mut().expect("the set has not been ended")
}

/// The files that a backup has: those of a manifest, and itself, but for what the base has.
fn files_of(manifest: &Manifest, base: Option<&Base>) -> VecDeque<FileHead> {
    let known: HashSet<u64> = base.iter().flat_map(|base| base.files.iter().copied()).collect();
    let bytes = manifest.encode().len() as u64;
    let mut files = VecDeque::new();
    files.push_back(FileHead { kind: FileKind::Manifest, id: manifest.number, bytes });
    for pair in &manifest.pairs {
        let data = FileHead { kind: FileKind::Data, id: pair.id.0, bytes: pair.bytes };
        let delta =
            |delta: &Delta| FileHead { kind: FileKind::Delta, id: delta.id.0, bytes: delta.bytes };
        let of_pair = std::iter::once(data).chain(pair.deltas.iter().map(delta));
        files.extend(of_pair.filter(|file| !known.contains(&file.id)));
    }
    files
}

impl std::fmt::Debug for Backup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Backup({:?} of {})", self.header.kind, self.header.database_name)
    }
}

/// A new file's description of itself.
pub fn new_media(
    env: &Env,
    name: Option<Box<str>>,
    description: Option<Box<str>>,
) -> super::MediaHeader {
    let guid = env.rng().next_u128();
    super::MediaHeader { guid, created_ticks: env.clock().utc_ticks(), name, description }
}
