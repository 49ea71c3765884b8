//! Handles: the names of texts and plans in views (`sql_handle`, `plan_handle`).

use base::ids::{DbId, ObjectId};
use sha1::{Digest, Sha1};

/// A handle; its first byte says of what.
pub type Handle = [u8; 44];

const OF_TEXT: u8 = 2;
const OF_MODULE: u8 = 3;
const OF_MODULE_PLAN: u8 = 5;
const OF_TEXT_PLAN: u8 = 6;

/// The handle of a text, the same wherever and whenever it is run.
pub fn of_text(text: &str) -> Handle {
    let mut handle = [0; 44];
    handle[0] = OF_TEXT;
    handle[4..24].copy_from_slice(&Sha1::digest(text.as_bytes()));
    handle
}

/// The handle of a module's text.
pub fn of_module(database: DbId, module: ObjectId) -> Handle {
    let mut handle = [0; 44];
    handle[0] = OF_MODULE;
    handle[2..4].copy_from_slice(&(database.0 as u16).to_le_bytes());
    handle[4..8].copy_from_slice(&module.0.to_le_bytes());
    handle
}

/// The module that a handle is of.
pub fn module_of(handle: &[u8]) -> Option<(DbId, ObjectId)> {
    let (&OF_MODULE, Some(rest)) = (handle.first()?, handle.get(2..8)) else { return None };
    let database = DbId(u16::from_le_bytes([rest[0], rest[1]]).into());
    let module = ObjectId(i32::from_le_bytes([rest[2], rest[3], rest[4], rest[5]]));
    (of_module(database, module) == handle).then_some((database, module))
}

/// The handle of an entry of the cache by its number.
pub fn of_plan(is_module: bool, database: DbId, number: u64) -> Handle {
    let mut handle = [0; 44];
    handle[0] = if is_module { OF_MODULE_PLAN } else { OF_TEXT_PLAN };
    handle[2..4].copy_from_slice(&(database.0 as u16).to_le_bytes());
    handle[4..12].copy_from_slice(&number.to_le_bytes());
    handle
}

#[cfg(test)]
mod tests;
