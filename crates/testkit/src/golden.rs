//! What tests find, compared with files in the repository.
//!
//! With `THERMOCLINE_BLESS=1` in the environment the files are written anew instead, and must then
//! be reviewed; with `THERMOCLINE_BLESS=part` only those whose path contains that part.

use std::path::{Path, PathBuf};

/// The path of a file in a crate's folder, which is `env!("CARGO_MANIFEST_DIR")`.
pub fn file(folder: &str, path: &str) -> PathBuf {
    Path::new(folder).join(path)
}

/// The blocks of a text that differ from those of the file; none if the file is written.
/// `separator` separates blocks.
pub fn differences(path: &Path, found: &str, separator: &str) -> Vec<String> {
    let blessed = std::env::var("THERMOCLINE_BLESS").is_ok_and(|wanted| {
        wanted == "1" || path.to_str().is_some_and(|path| path.contains(&wanted))
    });
    if blessed {
        std::fs::write(path, found).unwrap();
        return Vec::new();
    }
    compare(path, found, separator)
}

/// As `differences`, but never writes the file.
pub fn compare(path: &Path, found: &str, separator: &str) -> Vec<String> {
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    let name = path.file_name().unwrap().to_string_lossy();
    let (mut got, mut wanted) = (found.split(separator), expected.split(separator));
    let mut wrong = Vec::new();
    for number in 1.. {
        let (got, wanted) = match (got.next(), wanted.next()) {
            (None, None) => break,
            (got, wanted) => (got.unwrap_or("(nothing)\n"), wanted.unwrap_or("(nothing)\n")),
        };
        if got != wanted {
            wrong.push(format!("{name}, block {number}:\n{got}--- expected:\n{wanted}"));
        }
    }
    wrong
}

/// Panics with the differences between a text and a file.
pub fn check(path: &Path, found: &str, separator: &str) {
    let wrong = differences(path, found, separator);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
