//! What can still be read of the log of a database that is not open.
//!
//! Nothing is changed in the directory. Only the segments from the one that holds the wanted
//! position on have to be sound; what is wrong with one of those is reported when everything before
//! it has been read.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use base::ids::Lsn;
use env::Env;

use super::scan::LocalReader;
use super::segment::{self, Segment, State};
use super::{LocalStore, SegmentOptions, missing};
use crate::log::error::LogError;
use crate::log::store::{Batch, BatchReader, LogEnd};

/// Reads as far as segments are sound, and then says why it cannot go on, unless that was all.
struct Remains {
    reader: LocalReader,
    /// What is wrong after the last sound segment.
    broken: Option<LogError>,
}

/// Reads the log of this database in this directory from the batch that holds this position on.
///
/// # Errors
/// [`LogError::Missing`] if the segment of that position is not there or cannot be read.
pub fn read_remains(
    env: &Env,
    dir: &Path,
    database: u128,
    from: Lsn,
) -> Result<Box<dyn BatchReader>, LogError> {
    let mut numbers: Vec<u64> =
        env.fs().list(dir)?.iter().filter_map(|entry| segment::number_of(&entry.name)).collect();
    numbers.sort_unstable();
    let mut sound = VecDeque::new();
    let mut broken = None;
    for number in numbers {
        if let Some(error) = gap(dir, &sound, number) {
            broken.get_or_insert(error);
        }
        match segment::open(env, dir, database, number) {
            Ok((_, State::Prepared)) => break,
            Ok((next, State::Active)) if next.first <= from => {
                // What is wrong before it is of no matter.
                (sound, broken) = (VecDeque::from([next]), None);
            }
            Ok((next, State::Active)) if broken.is_none() => sound.push_back(next),
            Ok((_, State::Active)) => break,
            Err(error) => drop(broken.get_or_insert(error)),
        }
    }
    if sound.front().is_none_or(|first| first.first > from) {
        let found = sound.front().map(|first| first.first);
        let there = LogError::Missing { path: dir.into(), wanted: from, found };
        return Err(broken.unwrap_or(there));
    }
    let (segments, prepared) = (sound.iter().cloned().collect(), VecDeque::new());
    let options = SegmentOptions::default();
    let store = LocalStore::with(env, dir, database, options, sound, prepared);
    let reader = LocalReader::new(store.0, segments, from);
    Ok(Box::new(Remains { reader, broken }))
}

/// The message if this is not the number of the segment after the last one.
fn gap(dir: &Path, sound: &VecDeque<Segment>, number: u64) -> Option<LogError> {
    let expected = sound.back()?.number + 1;
    (number != expected).then(|| missing(dir.join(segment::name(expected))))
}

impl BatchReader for Remains {
    fn next(&mut self) -> Result<Option<Arc<Batch>>, LogError> {
        match (self.reader.next()?, &self.broken) {
            (None, Some(error)) => Err(error.clone()),
            (next, _) => Ok(next),
        }
    }

    fn progress(&self) -> (u64, u64) {
        self.reader.progress()
    }

    /// After the last batch that could be read.
    fn end(&self) -> LogEnd {
        self.reader.end()
    }
}
