//! Keys of `sql_variant` columns.

use base::ValueRef;

use super::KeyBuf;

/// Adds the key of a variant that is not NULL.
pub(super) fn encode(value: ValueRef<'_>, out: &mut KeyBuf) {
    match value {
        ValueRef::Bytes(encoded) => {
            out.extend_escaped(encoded);
            out.terminate();
        }
        other => unreachable!("{other:?} is not an encoded variant"),
    }
}
