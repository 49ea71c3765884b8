//! Entries of leaves: a stamp and a value for each key.
//!
//! ```text
//! payload   flags u8 | stamp u64, if there is one
//!           | value, or: length u32 | checksum u32 | first page u64
//! ```

use super::error::Damage;
use super::node::{Cell, Key, Node};
use crate::cold::{BODY_BYTES, PageNumber};

/// The payload begins with a stamp.
const STAMPED: u8 = 1;
/// The value is in an overflow chain.
const OVERFLOW: u8 = 2;

/// Key and payload of an entry in a leaf take at most this, a quarter of a page.
pub(super) const INLINE_MAX: usize = BODY_BYTES / 4;
/// The longest start of a payload: flags, stamp and the place of a chain.
const HEAD_MAX: usize = 1 + 8 + 16;

/// An entry of a tree, which a closure may read while it runs.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Its key.
    pub key: Key<'a>,
    /// From when on it is valid; 0 if every snapshot sees it.
    pub stamp: u64,
    /// What the caller stored with the key.
    pub value: &'a [u8],
}

/// The overflow chain of a value that is too long for a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chain {
    /// Bytes of the value.
    pub(super) len: u32,
    /// CRC-32C of the value. By it a reader that was suspended between leaf and chain detects that
    /// the pages have been used for something else meanwhile.
    pub(super) checksum: u32,
    pub(super) first: PageNumber,
}

/// A decoded payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Payload<'a> {
    pub(super) stamp: u64,
    pub(super) value: Stored<'a>,
}

/// Where a value is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stored<'a> {
    Inline(&'a [u8]),
    Chain(Chain),
}

impl<'a> Payload<'a> {
    /// Reads the payload of a leaf's cell.
    #[inline]
    pub(super) fn parse(payload: &'a [u8]) -> Result<Payload<'a>, Damage> {
        const SHORT: Damage = Damage("an entry is cut short");
        let (&flags, mut rest) = payload.split_first().ok_or(SHORT)?;
        let mut stamp = 0;
        if flags & STAMPED != 0 {
            let (bytes, behind) = rest.split_first_chunk().ok_or(SHORT)?;
            (stamp, rest) = (u64::from_le_bytes(*bytes), behind);
        }
        let value = match flags & OVERFLOW {
            0 => Stored::Inline(rest),
            _ => Stored::Chain(Chain::parse(rest).ok_or(SHORT)?),
        };
        Ok(Payload { stamp, value })
    }

    /// Reads an entry of a leaf: the key's suffix, and the payload.
    #[inline]
    pub(super) fn of(node: &Node<'a>, index: usize) -> Result<(&'a [u8], Payload<'a>), Damage> {
        let Cell { suffix, payload } = node.cell(index)?;
        Ok((suffix, Payload::parse(payload)?))
    }
}

impl Chain {
    fn parse(bytes: &[u8]) -> Option<Chain> {
        let (len, rest) = bytes.split_first_chunk()?;
        let (checksum, rest) = rest.split_first_chunk()?;
        let first = rest.first_chunk()?;
        Some(Chain {
            len: u32::from_le_bytes(*len),
            checksum: u32::from_le_bytes(*checksum),
            first: PageNumber(u64::from_le_bytes(*first)),
        })
    }
}

/// The start of a payload: what precedes an inline value, or stands for one in a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct PayloadHead {
    bytes: [u8; HEAD_MAX],
    len: u8,
    chained: bool,
}

impl PayloadHead {
    pub(super) fn new(stamp: u64, chain: Option<Chain>) -> PayloadHead {
        let mut head = PayloadHead { bytes: [0; HEAD_MAX], len: 1, chained: chain.is_some() };
        if stamp != 0 {
            head.bytes[0] |= STAMPED;
            head.push(&stamp.to_le_bytes());
        }
        if let Some(chain) = chain {
            head.bytes[0] |= OVERFLOW;
            head.push(&chain.len.to_le_bytes());
            head.push(&chain.checksum.to_le_bytes());
            head.push(&chain.first.0.to_le_bytes());
        }
        head
    }

    fn push(&mut self, bytes: &[u8]) {
        let at = usize::from(self.len);
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len() as u8;
    }

    /// The payload's two parts.
    pub(super) fn with<'a>(&'a self, value: &'a [u8]) -> [&'a [u8]; 2] {
        [&self.bytes[..usize::from(self.len)], if self.chained { &[] } else { value }]
    }
}

/// Whether a value has to go to a chain.
pub(super) fn is_long(key: &[u8], stamp: u64, value: &[u8]) -> bool {
    let head = if stamp == 0 { 1 } else { 9 };
    key.len() + head + value.len() > INLINE_MAX
}
