//! `xp_create_subdir`.

use std::path::PathBuf;

use base::{SqlError, SqlResult, message};

use crate::exec::context::Context;
use crate::sysproc::Arguments;

/// Makes a directory and those above it. A path of Windows lies within the data directory, as
/// those of database files do. For administrators only: error 15247.
pub fn create(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    if !context.session.is_sysadmin() {
        return Err(SqlError::new(&message::ONLY_SYSADMIN, &[]));
    }
    let given = arguments.text("@path").unwrap_or_default();
    let instance = context.instance();
    let path = within(&instance.facts().data_path, &given);
    let refused = |why: String| {
        SqlError::custom(22048, 16, 1, format!("Error executing extended stored procedure: {why}"))
    };
    if given.is_empty() || path.components().any(|c| c == std::path::Component::ParentDir) {
        return Err(refused("Invalid Parameter".into()));
    }
    match instance.env().fs().create_dir_all(&path) {
        Ok(()) => Ok(0),
        Err(error) => Err(refused(format!("xp_create_subdir() returned an error: {error}"))),
    }
}

/// Where a path lies on this machine.
fn within(data: &str, path: &str) -> PathBuf {
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    if !is_drive && !path.contains('\\') {
        return PathBuf::from(path);
    }
    let relative = if is_drive { &path[2..] } else { path };
    let mut mapped = PathBuf::from(data);
    mapped.extend(relative.split(['\\', '/']).filter(|part| !part.is_empty()));
    mapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_windows_lie_in_the_data_directory() {
        assert_eq!(within("/data", r"C:\Sql\xtp"), PathBuf::from("/data/Sql/xtp"));
        assert_eq!(within("/data", r"sub\dir"), PathBuf::from("/data/sub/dir"));
        assert_eq!(within("/data", "/srv/x"), PathBuf::from("/srv/x"));
    }
}
