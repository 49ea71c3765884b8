//! Names as keys: two names are the same name if the database's collation says so.

use base::Collation;

/// A name folded by a collation; equal for names that the collation does not tell apart.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NameKey(Box<[u8]>);

impl NameKey {
    /// The key of a name. Trailing blanks do not count, as everywhere in SQL Server.
    pub fn new(collation: Collation, name: &str) -> NameKey {
        NameKey(fold(collation, name))
    }

    /// Comes before the key of every name.
    pub(super) fn lowest() -> NameKey {
        NameKey(Box::default())
    }
}

fn fold(_collation: Collation, name: &str) -> Box<[u8]> {
    name.trim_end_matches(' ').to_lowercase().into_bytes().into()
}
