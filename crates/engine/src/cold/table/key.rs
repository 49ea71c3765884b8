//! Keys that are longer than trees take.
//!
//! Of such a key the tree has the beginning and a hash of all of it, and the whole key follows the
//! value:
//!
//! ```text
//! key     the first KEY_BYTES_MAX - 16 bytes | FNV-1a, 128 bits, of the whole key
//! value   value | whole key | its length u16
//! ```
//!
//! So the keys of the greatest length that a tree takes, and only those, are cut. Cut keys with the
//! same beginning are in no particular order.

use std::borrow::Cow;

use crate::cold::tree::KEY_BYTES_MAX;

const HASH: usize = 16;
/// Bytes that a cut key keeps, by which it is ordered.
pub(super) const KEPT: usize = KEY_BYTES_MAX - HASH;

/// Whether a key of this length is cut; or, if it is from a tree, whether it was cut.
pub(super) fn may_be_cut(len: usize) -> bool {
    len >= KEY_BYTES_MAX
}

/// The key as the tree has it.
pub(super) fn in_tree(key: &[u8]) -> Cow<'_, [u8]> {
    match !may_be_cut(key.len()) {
        true => Cow::Borrowed(key),
        false => Cow::Owned([&key[..KEPT], &fnv1a(key).to_be_bytes()].concat()),
    }
}

/// The value that the tree has for a key.
pub(super) fn value_in_tree<'a>(key: &[u8], value: &'a [u8]) -> Cow<'a, [u8]> {
    match !may_be_cut(key.len()) {
        true => Cow::Borrowed(value),
        false => {
            let len = u16::try_from(key.len()).expect("keys are shorter");
            Cow::Owned([value, key, &len.to_le_bytes()].concat())
        }
    }
}

/// The whole key and the value of an entry of a tree; `None` if it is malformed.
pub(super) fn whole<'a>(key: &'a [u8], value: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    if !may_be_cut(key.len()) {
        return Some((key, value));
    }
    let (rest, len) = value.split_last_chunk()?;
    let at = rest.len().checked_sub(usize::from(u16::from_le_bytes(*len)))?;
    let (value, key) = rest.split_at(at);
    Some((key, value))
}

fn fnv1a(bytes: &[u8]) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(BASIS, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests;
