//! The tail of the log of a database that is not open because something of it is damaged.
//!
//! A commit that was acknowledged is in the log, whatever has become of checkpoint files and pages;
//! and what is not backed up of the log is kept. So what is backed up here of it, restored after
//! the backups before, brings all of them back. Only the log's segments and the chain are read, and
//! nothing in the database's directory is changed.
//!
//! If a batch of the log is damaged too, what is before it is backed up on demand; what is after it
//! is not, as transactions there may build on what it held.

use std::path::PathBuf;

use base::ids::Lsn;
use env::Env;

use super::block::{BlockKind, BlockWriter};
use super::chain::{Chain, Fork};
use super::error::{BackupError, Result};
use super::media::Media;
use super::restore::LOG_DIR;
use super::set::{BackupSet, SetEnd, SetHeader, SetKind};
use super::take::{end_set, gather};
use super::{Progress, STEP_BYTES};
use crate::log::LogError;
use crate::log::local::remains::read_remains;
use crate::log::store::BatchReader;

/// The database whose log is to be backed up.
pub(crate) struct Remains {
    /// Its directory.
    pub dir: PathBuf,
    pub uuid: u128,
    /// What it remembers of its backups.
    pub chain: Chain,
}

impl Remains {
    /// Whether there is log that was to be backed up and was not, or that cannot be read.
    pub fn has_tail(&self, env: &Env) -> bool {
        let Some(first) = self.chain.log else { return false };
        let next = read_remains(env, &self.dir.join(LOG_DIR), self.uuid, first)
            .and_then(|mut log| log.next());
        next.map_or(true, |batch| batch.is_some())
    }
}

/// A backup of the tail that is being made. Dropping it unfinished leaves nothing that counts.
pub struct TailBackup {
    env: Env,
    header: SetHeader,
    media: Media,
    /// Until the set is ended.
    blocks: Option<BlockWriter>,
    log: Box<dyn BatchReader>,
    over: bool,
    /// What can be read is enough.
    up_to_damage: bool,
    damage: Option<LogError>,
    batches: Vec<u8>,
    end: SetEnd,
}

impl TailBackup {
    /// Begins a backup into a file. Of `header` the words for people are given; the rest is filled
    /// in here. If the log is damaged the backup fails, or ends there if `up_to_damage`.
    pub(crate) fn begin(
        env: &Env,
        remains: &Remains,
        media: Media,
        mut header: SetHeader,
        up_to_damage: bool,
    ) -> Result<TailBackup> {
        let Remains { dir, uuid, chain } = remains;
        let first = chain.log.ok_or(BackupError::LogNotKept)?;
        header.kind = SetKind::Log;
        header.of_damaged = true;
        header.guid = env.rng().next_u128();
        header.path = match &chain.path[..] {
            [] => vec![Fork { guid: *uuid, from: crate::log::Log::START }],
            path => path.to_vec(),
        };
        header.started_ticks = env.clock().utc_ticks();
        header.offset_minutes = env.clock().local_offset_minutes(header.started_ticks);
        header.through = chain.base.as_ref().map_or(Lsn::ZERO, |base| base.through);
        header.first = first;
        // Without the segment in which it begins nothing could follow what was backed up before.
        let log = read_remains(env, &dir.join(LOG_DIR), *uuid, first)
            .map_err(BackupError::LogUnreadable)?;
        let mut blocks = media.begin_set(header.packed)?;
        blocks.write(BlockKind::Header, &header.encode())?;
        Ok(TailBackup {
            env: env.clone(),
            header,
            media,
            blocks: Some(blocks),
            log,
            over: false,
            up_to_damage,
            damage: None,
            batches: Vec::new(),
            end: SetEnd { last: first, ..SetEnd::default() },
        })
    }

    /// Writes the next part. Returns the progress, and the set if that was all. Blocks the thread.
    pub fn step(&mut self) -> Result<(Progress, Option<BackupSet>)> {
        let until = self.end.log_bytes + STEP_BYTES;
        while self.end.log_bytes < until {
            if self.over {
                let set = self.finish()?;
                let done = self.end.log_bytes;
                return Ok((Progress { done, total: done }, Some(set)));
            }
            self.copy()?;
        }
        let (_, total) = self.log.progress();
        Ok((Progress { done: self.end.log_bytes, total }, None))
    }

    /// What the backup ends before, if the log is damaged and could not be read to its end.
    pub fn damage(&self) -> Option<&LogError> {
        self.damage.as_ref()
    }

    /// Copies a block's worth of log.
    fn copy(&mut self) -> Result<()> {
        self.over = match gather(&mut *self.log, Lsn(u64::MAX), &mut self.batches) {
            Ok(over) => over,
            Err(error) if self.up_to_damage => {
                self.damage = Some(error);
                true
            }
            Err(error) => return Err(BackupError::LogUnreadable(error)),
        };
        if !self.batches.is_empty() {
            let blocks = self.blocks.as_mut().expect("the set has not been ended");
            blocks.write(BlockKind::Log, &self.batches)?;
            self.end.log_bytes += self.batches.len() as u64;
        }
        self.end.last = self.log.end().end.max(self.header.first);
        Ok(())
    }

    fn finish(&mut self) -> Result<BackupSet> {
        let blocks = self.blocks.take().expect("a set is ended once");
        let number = end_set(&self.env, &mut self.media, blocks, &mut self.end)?;
        Ok(BackupSet { number, header: self.header.clone(), end: self.end })
    }
}

impl std::fmt::Debug for TailBackup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TailBackup(of {})", self.header.database_name)
    }
}
