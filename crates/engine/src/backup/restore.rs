//! Restoring: from backup sets to the directory of a database that is not recovered yet.
//!
//! A full backup goes to a directory of its own, under a new guid; further sets are added to it.
//! Files and segments are written under numbers that are new there, and count when the chain says
//! so ([`Restored`]): what a restore leaves behind that did not come to its end is removed by the
//! next, or by recovery ([`remove_strays`]).

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::collation::rules::DATA_VERSION;
use base::ids::Lsn;
use env::Env;

use super::chain::{Base, Chain, ChainStore, FileMove, Fork, Restored};
use super::error::{BackupError, Result};
use super::media::Media;
use super::pages;
use super::read::{Batches, Event, SetReader};
use super::set::{BackupSet, FileHead, FileKind, SetKind};
use super::{Progress, STEP_BYTES};
use crate::checkpoint::{
    self, CheckpointError, FileId, LocalObjects, Manifest, NewObject, ObjectStore, manifest_name,
};
use crate::cold::CopyWriter;
use crate::log::local::import::{Import, remove_segments};

/// The folder of a database's checkpoint files, and that of its log.
pub(crate) const CHECKPOINT_DIR: &str = "checkpoint";
pub(crate) const LOG_DIR: &str = "log";

/// Where a set is restored to, and how far.
#[derive(Clone, Debug)]
pub struct RestoreTarget {
    /// The directory of the database.
    pub dir: PathBuf,
    /// Its guid.
    pub uuid: u128,
    /// Nothing that was committed later is restored: UTC ticks of 100 ns since 0001-01-01.
    pub stop_at: Option<u64>,
    /// About how many bytes segments of the log take.
    pub segment_bytes: u64,
    /// Where files shall be; for the recovery of the database.
    pub moves: Vec<FileMove>,
}

/// A restore of one set that is under way.
pub struct Restore {
    env: Env,
    target: RestoreTarget,
    set: BackupSet,
    reader: SetReader,
    objects: Arc<dyn ObjectStore>,
    store: ChainStore,
    /// The chain as it will be.
    chain: Chain,
    /// The checkpoint files that there were before, by name.
    there: HashSet<String>,
    /// The file that is being written.
    object: Option<Box<dyn NewObject>>,
    manifest: Vec<u8>,
    /// The pages of tables that have sunk.
    pages: Option<CopyWriter>,
    has_pages: bool,
    import: Option<Import>,
    /// When the last batch was written that was imported.
    end_ticks: u64,
    stopped: bool,
    media_path: Arc<Path>,
}

impl Restore {
    /// Begins to restore a set.
    pub fn begin(
        env: &Env,
        media: &Media,
        set: &BackupSet,
        target: RestoreTarget,
    ) -> Result<Restore> {
        let reader = SetReader::new(media, set)?;
        let checkpoint_dir = target.dir.join(CHECKPOINT_DIR);
        let (objects, store, chain) = match set.header.kind {
            SetKind::Full => {
                env.fs().create_dir_all(&target.dir)?;
                let objects: Arc<dyn ObjectStore> =
                    Arc::new(LocalObjects::create(env, &checkpoint_dir)?);
                let store = ChainStore::new(objects.clone(), Chain::default());
                let chain = Chain { path: set.header.path.clone(), ..Chain::default() };
                (objects, store, chain)
            }
            SetKind::Differential | SetKind::Log => {
                if !env.fs().exists(&checkpoint_dir)? {
                    return Err(BackupError::NotRestoring);
                }
                let objects: Arc<dyn ObjectStore> =
                    Arc::new(LocalObjects::open(env, &checkpoint_dir)?);
                let store = ChainStore::load(objects.clone())?;
                let chain = store.get();
                remove_strays(env, &target.dir, target.uuid, &chain)?;
                (objects, store, chain)
            }
        };
        check(set, &chain, target.stop_at)?;
        let there = objects.list()?.into_iter().map(|(name, _)| name).collect();
        Ok(Restore {
            env: env.clone(),
            target,
            set: set.clone(),
            reader,
            objects,
            store,
            chain,
            there,
            object: None,
            manifest: Vec::new(),
            pages: None,
            has_pages: false,
            import: None,
            end_ticks: 0,
            stopped: false,
            media_path: media.path().into(),
        })
    }

    /// Restores the next part. Returns the progress, and whether that was all. Blocks the thread.
    pub fn step(&mut self) -> Result<(Progress, bool)> {
        let until = self.reader.progress().done + STEP_BYTES;
        while self.reader.progress().done < until {
            let Restore { reader, .. } = self;
            match reader.next()? {
                Event::File(head) => {
                    let name = match head.kind {
                        FileKind::Manifest => None,
                        FileKind::Pages => {
                            self.begin_pages()?;
                            None
                        }
                        FileKind::Data => Some(FileId(head.id).data()),
                        FileKind::Delta => Some(FileId(head.id).delta()),
                    };
                    // What is there is what was restored before: files never change.
                    let name = name.filter(|name| !self.there.contains(name));
                    self.object = name.map(|name| self.objects.create(&name)).transpose()?;
                }
                Event::Data { head, bytes, is_last } => {
                    let file = FileParts {
                        object: &mut self.object,
                        manifest: &mut self.manifest,
                        pages: &mut self.pages,
                        uuid: self.target.uuid,
                        media: &self.media_path,
                    };
                    file.add(head, bytes, is_last)?;
                }
                Event::Log(batches) => {
                    let mut log = LogParts {
                        env: &self.env,
                        target: &self.target,
                        set: &self.set,
                        restored: self.chain.restored.as_ref(),
                        import: &mut self.import,
                        end_ticks: &mut self.end_ticks,
                        stopped: &mut self.stopped,
                    };
                    log.add(batches)?;
                }
                Event::End => {
                    self.finish()?;
                    return Ok((self.reader.progress(), true));
                }
            }
        }
        Ok((self.reader.progress(), false))
    }

    fn begin_pages(&mut self) -> Result<()> {
        let (target, from) = (&self.target, self.set.header.database());
        self.pages = Some(pages::begin(&self.env, &target.dir, from, target.uuid)?);
        self.has_pages = true;
        Ok(())
    }

    /// How far the database has been restored, when [`Restore::step`] has said that it is over.
    pub fn restored(&self) -> Option<Restored> {
        self.chain.restored.clone()
    }

    /// Makes what was restored count.
    fn finish(&mut self) -> Result<()> {
        let header = self.set.header.clone();
        let before = self.chain.restored.take();
        let next = before.as_ref().map_or(1, |before| before.segments.end() + 1);
        let import = match self.import.take() {
            Some(import) => import,
            None => {
                let end = match (&before, header.kind) {
                    (Some(before), SetKind::Log) => before.end,
                    _ => header.first,
                };
                begin_import(&self.env, &self.target, next, end)?
            }
        };
        let end = import.end();
        let last = import.finish()? - 1;
        let first = match (&before, header.kind) {
            (Some(before), SetKind::Log) => *before.segments.start(),
            _ => next,
        };
        let manifest = match header.kind {
            SetKind::Log => before.as_ref().map_or(0, |before| before.manifest),
            SetKind::Full | SetKind::Differential => self.install_manifest(before.as_ref())?,
        };
        let mut moves = before.as_ref().map_or_else(Vec::new, |before| before.moves.clone());
        moves.extend(self.target.moves.iter().cloned());
        let restored = Restored {
            manifest,
            segments: first..=last,
            end,
            end_ticks: self.end_ticks.max(match header.kind {
                SetKind::Log => before.as_ref().map_or(0, |before| before.end_ticks),
                _ => self.set.end.finished_ticks,
            }),
            stopped: self.stopped || self.has_all_until_stop(),
            keeps_log: header.keeps_log,
            moves,
        };
        self.chain.restored = Some(restored);
        self.chain.path.clone_from(&header.path);
        if self.has_pages {
            pages::keep(&self.env, &self.target.dir, last)?;
        }
        let fs = self.env.fs();
        fs.sync_dir(&self.target.dir)?;
        if let Some(above) = self.target.dir.parent() {
            fs.sync_dir(above)?;
        }
        let chain = self.chain.clone();
        self.store.change(|now| *now = chain)
    }

    /// Whether a backup of the log was begun after the time to stop at: then whatever was
    /// acknowledged until that is in it, even if nothing was committed later. The log of a damaged
    /// database may end earlier.
    fn has_all_until_stop(&self) -> bool {
        let header = &self.set.header;
        header.kind == SetKind::Log
            && !header.of_damaged
            && self.target.stop_at.is_some_and(|stop| stop <= header.started_ticks)
    }

    /// Writes the manifest under the database's own guid. Returns its number.
    fn install_manifest(&mut self, before: Option<&Restored>) -> Result<u64> {
        let header = &self.set.header;
        let mut manifest = Manifest::decode(&self.media_path, header.database(), &self.manifest)?;
        manifest.database = self.target.uuid;
        manifest.number = manifest.number.max(1);
        manifest.retired.clear();
        if manifest.sunk.is_some() && !self.has_pages {
            let what = "the pages of tables that have sunk are not in it";
            return Err(damaged(&self.media_path, what));
        }
        let there: HashSet<String> =
            self.objects.list()?.into_iter().map(|(name, _)| name).collect();
        for pair in &manifest.pairs {
            let mut names =
                pair.deltas.iter().map(|delta| delta.id.delta()).chain([pair.id.data()]);
            if let Some(missing) = names.find(|name| !there.contains(name)) {
                return Err(CheckpointError::Damaged {
                    file: self.objects.path(&missing).into(),
                    offset: 0,
                    range: Some(pair.range()),
                    what: "the file is in none of the backups",
                }
                .into());
            }
        }
        if header.kind == SetKind::Full {
            self.chain.base = Some(Base {
                guid: header.guid,
                through: header.through,
                finished_ticks: self.set.end.finished_ticks,
                files: manifest.files().map(|file| file.0).collect(),
            });
        }
        if before.is_none_or(|before| before.manifest != manifest.number) {
            self.objects.put(&manifest_name(manifest.number), &manifest.encode())?;
        }
        Ok(manifest.number)
    }
}

/// Whether the set can be restored here.
fn check(set: &BackupSet, chain: &Chain, stop_at: Option<u64>) -> Result<()> {
    let header = &set.header;
    if ![0, DATA_VERSION].contains(&header.collations) {
        return Err(BackupError::OtherCollations(header.collations));
    }
    let restored = match header.kind {
        SetKind::Full => {
            let early = stop_at.is_some_and(|stop| stop < set.end.finished_ticks);
            return if early { Err(BackupError::StopsTooEarly) } else { Ok(()) };
        }
        SetKind::Differential | SetKind::Log => {
            chain.restored.as_ref().ok_or(BackupError::NotRestoring)?
        }
    };
    if stop_at.is_some_and(|stop| stop < restored.end_ticks) || restored.stopped {
        return Err(BackupError::StopsTooEarly);
    }
    let (first, last) = (header.first, set.end.last);
    if header.kind == SetKind::Differential {
        let base = chain.base.as_ref().map(|base| base.guid);
        if header.base.map(|base| base.guid) != base {
            return Err(BackupError::OtherBase);
        }
        if stop_at.is_some_and(|stop| stop < set.end.finished_ticks) {
            return Err(BackupError::StopsTooEarly);
        }
    } else if first > restored.end {
        return Err(BackupError::TooRecent { first, restored: restored.end });
    }
    if last < restored.end {
        return Err(BackupError::TooEarly { last, restored: restored.end });
    }
    if !leads_on(&chain.path, restored.end, &header.path) {
        return Err(BackupError::OtherPath);
    }
    Ok(())
}

/// Whether a set on a recovery path can follow what was restored up to `end` on another.
fn leads_on(restored: &[Fork], end: Lsn, set: &[Fork]) -> bool {
    match set.strip_prefix(restored) {
        Some([]) => true,
        // What was restored must not go beyond the place where the paths part.
        Some([fork, ..]) => end <= fork.from,
        None => false,
    }
}

/// A file that is being written.
struct FileParts<'a> {
    object: &'a mut Option<Box<dyn NewObject>>,
    manifest: &'a mut Vec<u8>,
    pages: &'a mut Option<CopyWriter>,
    uuid: u128,
    media: &'a Arc<Path>,
}

impl FileParts<'_> {
    fn add(self, head: FileHead, bytes: &[u8], last: bool) -> Result<()> {
        if head.kind == FileKind::Manifest {
            self.manifest.extend_from_slice(bytes);
            return Ok(());
        }
        if head.kind == FileKind::Pages {
            return self.add_pages(bytes, last);
        }
        let Some(object) = self.object else { return Ok(()) };
        match object.written() {
            0 => {
                // The file belongs to another database now.
                let mut own = bytes.to_vec();
                if !checkpoint::adopt(&mut own, self.uuid) {
                    return Err(damaged(self.media, "a checkpoint file in it has no header"));
                }
                object.append(&own)?;
            }
            _ => object.append(bytes)?,
        }
        if last {
            debug_assert_eq!(object.written(), head.bytes, "the reader counts");
            let object = self.object.take().expect("it is being written");
            object.finish()?;
        }
        Ok(())
    }

    fn add_pages(self, bytes: &[u8], last: bool) -> Result<()> {
        let pages = self.pages.as_mut().expect("begun with the file");
        let mut makes_sense = pages.write(bytes)?;
        if last && makes_sense {
            let pages = self.pages.take().expect("it is being written");
            makes_sense = pages.finish()?;
        }
        match makes_sense {
            true => Ok(()),
            false => Err(damaged(self.media, "a page in it makes no sense")),
        }
    }
}

fn damaged(file: &Arc<Path>, what: &'static str) -> BackupError {
    BackupError::Damaged { file: file.clone(), offset: 0, what }
}

/// The log that is being written.
struct LogParts<'a> {
    env: &'a Env,
    target: &'a RestoreTarget,
    set: &'a BackupSet,
    restored: Option<&'a Restored>,
    import: &'a mut Option<Import>,
    end_ticks: &'a mut u64,
    stopped: &'a mut bool,
}

impl LogParts<'_> {
    fn add(&mut self, batches: Batches<'_>) -> Result<()> {
        let continued = self.restored.filter(|_| self.set.header.kind == SetKind::Log);
        for (batch, payload) in batches.flatten() {
            if *self.stopped {
                break;
            }
            // What was restored already.
            if continued.is_some_and(|restored| batch.end <= restored.end) {
                continue;
            }
            if self.target.stop_at.is_some_and(|stop| batch.written_ticks > stop) {
                *self.stopped = true;
                break;
            }
            if self.import.is_none() {
                let next = self.restored.map_or(1, |restored| restored.segments.end() + 1);
                let end = match continued {
                    Some(restored) => restored.end,
                    None => self.set.header.first.min(batch.first),
                };
                *self.import = Some(begin_import(self.env, self.target, next, end)?);
            }
            let import = self.import.as_mut().expect("begun above");
            import.push(&batch, payload)?;
            *self.end_ticks = (*self.end_ticks).max(batch.written_ticks);
        }
        Ok(())
    }
}

/// Begins to write log after `end`, in the segment of this number.
fn begin_import(env: &Env, target: &RestoreTarget, number: u64, end: Lsn) -> Result<Import> {
    let dir = target.dir.join(LOG_DIR);
    Ok(Import::begin(env, &dir, target.uuid, number, end, target.segment_bytes)?)
}

/// Removes what does not count of a database that is being restored, and puts what does into its
/// place.
pub(crate) fn remove_strays(env: &Env, dir: &Path, uuid: u128, chain: &Chain) -> Result<()> {
    let Some(restored) = &chain.restored else { return Ok(()) };
    remove_segments(env, &dir.join(LOG_DIR), &restored.segments)?;
    pages::settle(env, dir, *restored.segments.end())?;
    if restored.manifest == Restored::NEWEST {
        return Ok(()); // there are none: they went before recovery began
    }
    let objects = LocalObjects::open(env, &dir.join(CHECKPOINT_DIR))?;
    Ok(checkpoint::keep_only(&objects, uuid, restored.manifest)?)
}
