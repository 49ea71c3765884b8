//! Files that statements read, with the messages of bulk loads.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use base::{SqlError, SqlResult, message};
use env::{File, FileError, FileSystem, OpenMode};

use super::{FileRules, FileUse, system_error};

/// How much of a file is read at once.
const PIECE_BYTES: usize = 64 << 10;

/// Opens a file to be read. Errors 4860, 4861.
pub fn open(fs: &dyn FileSystem, rules: &FileRules, path: &str) -> SqlResult<Arc<dyn File>> {
    let place = rules.place(fs, Path::new(path), FileUse::Import);
    let opened = place.and_then(|place| fs.open_named(&place, OpenMode::Read));
    opened.map_err(|error| match error.is_not_found() {
        true => SqlError::new(&message::BULK_FILE_OPEN, &[&path]),
        false => unreadable(path, &error),
    })
}

/// Passes on what a file has, piece by piece. Errors 4860, 4861 and those of `take`.
pub fn read_whole(
    fs: &dyn FileSystem,
    rules: &FileRules,
    path: &str,
    take: &mut dyn FnMut(&[u8]) -> SqlResult<()>,
) -> SqlResult<()> {
    let file = open(fs, rules, path)?;
    let mut piece = vec![0; PIECE_BYTES];
    let mut offset = 0;
    loop {
        let read = file.read_at(&mut piece, offset).map_err(|e| unreadable(path, &e))?;
        if read == 0 {
            return Ok(());
        }
        take(&piece[..read])?;
        offset += read as u64;
    }
}

/// Error 4861: the file cannot be opened.
pub fn unreadable(path: &str, error: &FileError) -> SqlError {
    let args: [&dyn Display; 2] = [&path, &system_error(error.kind())];
    SqlError::new(&message::BULK_FILE_OPERATING_SYSTEM_ERROR, &args)
}
