//! What checkpoints show: `sys.dm_db_xtp_checkpoint_files` and `sys.dm_db_xtp_checkpoint_stats`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use base::ids::Lsn;

use super::counters::Effort;
use super::manifest::{CommitRange, Manifest};
use super::names::{self, FileId};
use super::round::CheckpointCore;

/// What a file holds. The numbers are SQL Server's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// Rows.
    Data = 0,
    /// What has ended of a data file's rows.
    Delta = 1,
    /// The manifest.
    Root = 2,
}

/// What a file is for. The numbers are SQL Server's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileState {
    /// Rows are being added to it.
    UnderConstruction = 1,
    /// It is loaded at a start.
    Active = 2,
    /// A merge is putting what lives in others into it.
    MergeTarget = 3,
    /// It is not needed, and goes with the next checkpoint.
    WaitingForLogTruncation = 8,
}

/// A checkpoint file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckpointFile {
    /// Its number.
    pub id: u64,
    /// What it holds.
    pub kind: FileKind,
    /// The number of the file that makes a pair with it: the data file of a delta file, the last
    /// delta file of a data file.
    pub pair: Option<u64>,
    /// Where it is.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// Its rows, or the rows that it says have ended.
    pub rows: u64,
    /// What it is for.
    pub state: FileState,
    /// The commits that it covers.
    pub range: CommitRange,
    /// The checkpoint that made it.
    pub begun: u64,
}

/// What has been done since the database came up, and how far it is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CheckpointStats {
    /// Checkpoints, merges included.
    pub checkpoints: u64,
    /// Rounds that failed.
    pub failures: u64,
    /// Merges.
    pub merges: u64,
    /// Rows written, without what merges copied.
    pub rows: u64,
    /// Bytes of data files written.
    pub data_bytes: u64,
    /// Bytes of delta files written.
    pub delta_bytes: u64,
    /// Bytes of log read.
    pub log_bytes: u64,
    /// The log's batches being read, the last attempt of each time included.
    pub reads: Effort,
    /// Gathering what batches of log hold: this many batches were handed on.
    pub scans: Effort,
    /// Waits until there is more log, or something else to do.
    pub pauses: Effort,
    /// How often there was too little log to read it.
    pub idle: u64,
    /// Bytes of durable log since the last checkpoint.
    pub lag_bytes: u64,
    /// The number of the last checkpoint of the database, 0 before the first.
    pub last: u64,
    /// When it was made, in UTC ticks of 100 ns since 0001-01-01.
    pub last_ticks: u64,
    /// Everything below is in files.
    pub through: Lsn,
    /// The log is needed from here on.
    pub log_start: Lsn,
}

impl CheckpointCore {
    fn current(&self) -> Arc<Manifest> {
        self.published.read().expect("no panic under this lock").clone()
    }

    /// The files there are.
    pub fn files(&self) -> Vec<CheckpointFile> {
        let manifest = self.current();
        let mut files = Vec::new();
        if manifest.number > 0 {
            files.push(CheckpointFile {
                id: manifest.number,
                kind: FileKind::Root,
                pair: None,
                path: self.objects.path(&names::manifest(manifest.number)),
                bytes: manifest.encode().len() as u64,
                rows: 0,
                state: FileState::Active,
                range: CommitRange { from: manifest.log_start, to: manifest.through },
                begun: manifest.number,
            });
        }
        for pair in &manifest.pairs {
            let file = |id: FileId, kind, (bytes, rows), of: Option<FileId>| CheckpointFile {
                id: id.0,
                kind,
                pair: of.map(|id| id.0),
                path: self.path_of(id, kind),
                bytes,
                rows,
                state: FileState::Active,
                range: pair.range(),
                begun: pair.begun,
            };
            let last = pair.deltas.last().map(|delta| delta.id);
            files.push(file(pair.id, FileKind::Data, (pair.bytes, pair.rows), last));
            for delta in &pair.deltas {
                let sizes = (delta.bytes, delta.rows);
                files.push(file(delta.id, FileKind::Delta, sizes, Some(pair.id)));
            }
        }
        for file in &manifest.retired {
            let kind = if file.delta { FileKind::Delta } else { FileKind::Data };
            files.push(CheckpointFile {
                id: file.id.0,
                kind,
                pair: None,
                path: self.path_of(file.id, kind),
                bytes: file.bytes,
                rows: file.rows,
                state: FileState::WaitingForLogTruncation,
                range: file.range,
                begun: manifest.number,
            });
        }
        files.extend(self.under_construction(&manifest));
        files.extend(self.merge_target(&manifest));
        files
    }

    fn under_construction(&self, manifest: &Manifest) -> Option<CheckpointFile> {
        // Pairs with the store in gather: the bytes are at least those of that file's beginning.
        let id = FileId(self.counters.open_file.load(Acquire));
        (id.0 >= manifest.next_file).then(|| CheckpointFile {
            id: id.0,
            kind: FileKind::Data,
            pair: None,
            path: self.path_of(id, FileKind::Data),
            bytes: self.counters.open_bytes.load(Relaxed),
            rows: 0,
            state: FileState::UnderConstruction,
            range: CommitRange { from: manifest.through, to: self.manager.log().durable() },
            begun: manifest.number + 1,
        })
    }

    fn merge_target(&self, manifest: &Manifest) -> Option<CheckpointFile> {
        let target = (*self.merging.lock().expect("no panic under this lock"))?;
        // It may have become current since the manifest was looked at, or before.
        (target.id.0 >= manifest.next_file).then(|| CheckpointFile {
            id: target.id.0,
            kind: FileKind::Data,
            pair: None,
            path: self.path_of(target.id, FileKind::Data),
            bytes: target.bytes,
            rows: 0,
            state: FileState::MergeTarget,
            range: target.range,
            begun: target.begun,
        })
    }

    fn path_of(&self, id: FileId, kind: FileKind) -> PathBuf {
        self.objects.path(&if kind == FileKind::Data { id.data() } else { id.delta() })
    }

    /// What has been done.
    pub fn stats(&self) -> CheckpointStats {
        let (manifest, counters) = (self.current(), &self.counters);
        CheckpointStats {
            checkpoints: counters.checkpoints.load(Relaxed),
            failures: counters.failures.load(Relaxed),
            merges: counters.merges.load(Relaxed),
            rows: counters.rows.load(Relaxed),
            data_bytes: counters.data_bytes.load(Relaxed),
            delta_bytes: counters.delta_bytes.load(Relaxed),
            log_bytes: counters.log_bytes.load(Relaxed),
            reads: counters.reads.get(),
            scans: counters.scans.get(),
            pauses: counters.pauses.get(),
            idle: counters.idle.load(Relaxed),
            lag_bytes: self.lag(),
            last: manifest.number,
            last_ticks: manifest.written_ticks,
            through: manifest.through,
            log_start: manifest.log_start,
        }
    }
}
