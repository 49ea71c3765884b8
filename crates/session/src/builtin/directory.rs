//! `xp_create_subdir`.

use std::path::PathBuf;

use base::{SqlError, SqlResult};

use super::Arguments;
use crate::context::Context;
use crate::files::FileUse;

/// Makes a directory and those above it. A path of Windows lies within the folder for backups.
pub fn create(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let given = arguments.text("@path").unwrap_or_default();
    let instance = context.instance();
    let path = within(&instance.facts().backup_path, &given);
    let refused = |why: String| {
        SqlError::custom(22048, 16, 1, format!("Error executing extended stored procedure: {why}"))
    };
    if given.is_empty() || path.components().any(|c| c == std::path::Component::ParentDir) {
        return Err(refused("Invalid Parameter".into()));
    }
    let fs = instance.env().fs();
    let place = instance.files().place(fs, &path, FileUse::Directory);
    match place.and_then(|place| fs.create_dir_all(&place)) {
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
mod tests;
