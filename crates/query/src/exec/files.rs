//! Files that statements name: what they are called on this machine, and what is said if they cannot be used.

use std::fmt::Display;
use std::io::ErrorKind;
use std::path::Path;

use base::SqlError;

/// The last name of a path of any system.
pub fn last_name(path: &str) -> &str {
    let path = path.trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\', ':']).next().unwrap_or(path)
}

/// Tells where a file is whose path says something else.
pub fn mapped(name: &dyn Display, asked: &str, is: &Path) -> SqlError {
    let text = format!(
        "File '{name}': the path '{asked}' is mapped to '{}' below the data directory.",
        is.display()
    );
    SqlError::custom(0, 10, 1, text)
}

/// The number and text that SQL Server has for an error of the system.
pub fn system_error(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "2(The system cannot find the file specified.)",
        ErrorKind::NotADirectory => "3(The system cannot find the path specified.)",
        ErrorKind::PermissionDenied | ErrorKind::IsADirectory => "5(Access is denied.)",
        ErrorKind::ResourceBusy => {
            "32(The process cannot access the file because it is being used by another process.)"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "112(There is not enough space on the disk.)"
        }
        _ => "1117(The request could not be performed because of an I/O device error.)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_name_of_any_path_is_kept() {
        for (path, name) in [
            (r"C:\Data\aw_mod", "aw_mod"),
            (r"D:\x\", "x"),
            ("/var/opt/mssql/data/a.mdf", "a.mdf"),
            ("c:file.ndf", "file.ndf"),
            ("plain", "plain"),
        ] {
            assert_eq!(last_name(path), name);
        }
        assert_eq!(last_name(r"\\"), "");
    }
}
