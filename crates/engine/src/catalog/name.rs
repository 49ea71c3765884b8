//! Names as keys: two names are the same name if the database's collation says so.

use base::collation::codepage::string_to_unicode;
use base::collation::sort_key;
use base::{Collation, ValueRef};

/// A name as the sort key of a collation: equal for names that the collation does not tell apart.
/// Trailing blanks do not count, as everywhere in SQL Server.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NameKey(Box<[u8]>);

impl NameKey {
    /// The key of a name.
    pub fn new(collation: Collation, name: &str) -> NameKey {
        let mut units = Vec::with_capacity(2 * name.len());
        string_to_unicode(name, &mut units);
        let mut key = Vec::with_capacity(2 * name.len());
        sort_key(collation, ValueRef::Unicode(&units), &mut key);
        NameKey(key.into())
    }

    /// The key itself.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The name with this key.
    pub(super) fn of_bytes(key: &[u8]) -> NameKey {
        NameKey(key.into())
    }

    /// Comes before the key of every name.
    pub(super) fn lowest() -> NameKey {
        NameKey(Box::default())
    }
}

/// The name under which a local temporary object is in tempdb, where sessions have objects of one
/// name: filled up to 116 characters, and a number that no other has.
pub fn temporary_name(name: &str, number: u32) -> String {
    format!("{name:_<116}{number:012X}")
}

/// A name without what makes the names of temporary objects unique.
pub fn without_number(name: &str) -> &str {
    let local = name.starts_with('#') && !name.starts_with("##") && name.len() == 128;
    if local { name[..116].trim_end_matches('_') } else { name }
}

#[cfg(test)]
mod tests;
