//! Pages of tables that have sunk, in the directory of a database that is being restored.
//!
//! What a set has of them is written to a file of its own. When all of the set has been written,
//! that gets a name that says with which segment of the log it goes; and when the chain says that
//! this segment is the last that was restored, it becomes the database's file ([`settle`]). So the
//! pages change with the rest, or not at all (U2).

use std::path::{Path, PathBuf};

use env::Env;

use super::error::Result;
use crate::cold::{CopyWriter, FileSpec};
use crate::sink;

/// What is being written.
const WRITING: &str = "restoring.tpg";
/// Begins the names of files that have been written.
const RESTORED: &str = "restored-";

/// Begins to write pages of the database `from` as those of `to`, which has this directory.
pub fn begin(env: &Env, dir: &Path, from: u128, to: u128) -> Result<CopyWriter> {
    let path = dir.join(WRITING);
    if env.fs().exists(&path)? {
        env.fs().remove_file(&path)?;
    }
    let own = sink::files(dir, Default::default()).remove(0);
    Ok(CopyWriter::create(env, &FileSpec { path, ..own }, from, to)?)
}

/// All pages have been written, and count if this segment does. The caller syncs the directory.
pub fn keep(env: &Env, dir: &Path, segment: u64) -> Result<()> {
    Ok(env.fs().rename(&dir.join(WRITING), &restored(dir, segment))?)
}

/// Makes the pages that count those of the database, now that the chain says up to which segment it
/// was restored, and removes others.
pub fn settle(env: &Env, dir: &Path, segment: u64) -> Result<()> {
    let (fs, counts) = (env.fs(), restored(dir, segment));
    let own = sink::files(dir, Default::default()).remove(0).path;
    let mut changed = false;
    for entry in fs.list(dir)? {
        let path = dir.join(&entry.name);
        let name = entry.name.to_string_lossy();
        if path == counts {
            fs.rename(&path, &own)?;
        } else if name == WRITING || name.starts_with(RESTORED) {
            fs.remove_file(&path)?;
        } else {
            continue;
        }
        changed = true;
    }
    if changed {
        fs.sync_dir(dir)?;
    }
    Ok(())
}

fn restored(dir: &Path, segment: u64) -> PathBuf {
    dir.join(format!("{RESTORED}{segment}.tpg"))
}
