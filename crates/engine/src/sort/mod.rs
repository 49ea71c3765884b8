//! Sorting more than memory takes.
//!
//! # Life of a sort
//!
//! Entries, a key and a value each, are collected in memory. When they take more than they may, the
//! caller has them written: sorted, as a **run**, after the others in one file ([`run`]). At the
//! end the runs, and what is still in memory, are merged ([`merge`]); if there are too many for
//! that, they are merged to fewer first. Equal keys come out in the order in which they were
//! pushed.
//!
//! Everything but [`Sorter::push`] may block: to be called from threads that may. The file holds
//! nothing that is needed after a crash: it is not synced, and removed when the sort is dropped, or
//! by [`remove_strays`] at the next start.

mod merge;
mod run;

use std::path::{Path, PathBuf};

use env::{Env, FileResult};

pub(crate) use merge::Sorted;
use run::{RunFile, RunRange};

/// Runs that are merged at a time.
const FAN_IN: usize = 64;
/// What the names of all files of sorts end in.
const EXTENSION: &str = "sort";

/// Entries in the order in which they came, and where each is.
#[derive(Debug, Default)]
struct Entries {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// Where an entry begins, and how long its parts are.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: usize,
    key_len: u32,
    value_len: u32,
}

impl Entries {
    fn key(&self, place: Place) -> &[u8] {
        &self.bytes[place.start..][..place.key_len as usize]
    }

    fn value(&self, place: Place) -> &[u8] {
        &self.bytes[place.start + place.key_len as usize..][..place.value_len as usize]
    }

    fn bytes(&self) -> usize {
        self.bytes.len() + self.places.len() * size_of::<Place>()
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        let key = |place: &Place| &bytes[place.start..][..place.key_len as usize];
        // Rows often come in order.
        if !self.places.is_sorted_by(|a, b| key(a) <= key(b)) {
            self.places.sort_unstable_by(|a, b| key(a).cmp(key(b)).then(a.start.cmp(&b.start)));
        }
    }
}

/// See the module's header.
#[derive(Debug)]
pub(crate) struct Sorter {
    env: Env,
    path: PathBuf,
    bytes_max: usize,
    entries: Entries,
    file: Option<RunFile>,
    runs: Vec<RunRange>,
}

impl Sorter {
    /// Nothing yet. What it may take in memory is `bytes_max`; the rest goes to a file of this
    /// name, to which an extension is added, in the directory.
    pub fn new(env: &Env, dir: &Path, name: &str, bytes_max: usize) -> Sorter {
        let path = dir.join(name).with_extension(EXTENSION);
        let (entries, file, runs) = (Entries::default(), None, Vec::new());
        Sorter { env: env.clone(), path, bytes_max, entries, file, runs }
    }

    /// Takes an entry.
    ///
    /// # Panics
    /// If its key or value has 4 GB.
    pub fn push(&mut self, key: &[u8], value: &[u8]) {
        let len = |part: &[u8]| u32::try_from(part.len()).expect("entries are shorter than 4 GB");
        let (start, key_len, value_len) = (self.entries.bytes.len(), len(key), len(value));
        self.entries.places.push(Place { start, key_len, value_len });
        self.entries.bytes.extend_from_slice(key);
        self.entries.bytes.extend_from_slice(value);
    }

    /// Whether the sorter takes as much memory as it may: the caller calls [`Sorter::write_run`]
    /// next.
    pub fn is_full(&self) -> bool {
        self.entries.bytes() >= self.bytes_max
    }

    /// Writes what is in memory to the file.
    pub fn write_run(&mut self) -> FileResult<()> {
        if self.entries.places.is_empty() {
            return Ok(());
        }
        self.entries.sort();
        let mut writer = self.file()?.begin_run();
        for place in &self.entries.places {
            writer.push(self.entries.key(*place), self.entries.value(*place))?;
        }
        self.runs.push(writer.finish()?);
        self.entries.bytes.clear();
        self.entries.places.clear();
        Ok(())
    }

    fn file(&mut self) -> FileResult<RunFile> {
        match &self.file {
            Some(file) => Ok(file.clone()),
            None => Ok(self.file.insert(RunFile::create(&self.env, &self.path)?).clone()),
        }
    }

    /// All entries, in order of their keys.
    pub fn finish(mut self) -> FileResult<Sorted> {
        while self.runs.len() > FAN_IN {
            // Neighbours are merged, and stay where they were: so the order of equal keys is kept.
            for some in std::mem::take(&mut self.runs).chunks(FAN_IN) {
                let file = self.file()?;
                let mut sorted =
                    Sorted::new(some.to_vec(), Entries::default(), Some(file.clone()))?;
                let mut writer = file.begin_run();
                while let Some((key, value)) = sorted.next()? {
                    writer.push(key, value)?;
                }
                self.runs.push(writer.finish()?);
            }
        }
        self.entries.sort();
        Sorted::new(self.runs, self.entries, self.file)
    }
}

/// Removes what sorts of an earlier life have left behind in the directory.
pub(crate) fn remove_strays(env: &Env, dir: &Path) -> FileResult<()> {
    for entry in env.fs().list(dir)? {
        let path = dir.join(&entry.name);
        if !entry.metadata.is_dir && path.extension().is_some_and(|ext| ext == EXTENSION) {
            env.fs().remove_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;
