//! Collations on the wire: five bytes, of which twenty bits are a locale, eight are flags, four a
//! version, and the last byte is the number of an SQL sort order. Which collation they mean is in
//! [`base::collation`].

use base::Collation;

use crate::error::ProtocolError;
use crate::reader::ByteReader;

/// A collation as it is sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct WireCollation(pub [u8; 5]);

impl WireCollation {
    /// What to send for a collation; for none, what the default collation sends.
    pub fn of(collation: Collation) -> WireCollation {
        WireCollation(collation.to_tds())
    }

    /// The collation that was sent, `unknown` when there is none like it. Clients repeat what the
    /// server has sent them, send zeros, or make something up.
    pub fn collation(self, unknown: Collation) -> Collation {
        // Nearly always it is the database's own, and then the table need not be searched.
        if self == WireCollation::of(unknown) {
            return unknown;
        }
        Collation::from_tds(self.0).unwrap_or(unknown)
    }

    pub(crate) fn read(r: &mut ByteReader<'_>) -> Result<WireCollation, ProtocolError> {
        r.array().map(WireCollation)
    }
}
