//! Overflow chains: values that are too long for a leaf, in pages of their own.
//!
//! ```text
//! kind u8 | 1 byte | len u16 | ordinal u32 | tree u64 | next u64 | bytes
//! ```
//!
//! A chain never changes: another value gets another chain. The ordinal is the page's place in its
//! chain, so that damage cannot make a cycle.

use crossbeam_epoch::Guard;

use super::builder::{put_u16, put_u64};
use super::entry::Chain;
use super::error::{Damage, TreeError};
use super::node::{KIND, KIND_OVERFLOW, TREE, u16_at, u64_at};
use crate::cold::{Absent, Access, BODY_BYTES, Body, Edit, PageNumber, Pages};
use crate::wait::Task;

pub(super) const LEN: usize = 2;
const ORDINAL: usize = 4;
const NEXT: usize = 16;
const HEADER: usize = 24;

/// Bytes of a value that a page takes.
pub(super) const CHAIN_PAGE_BYTES: usize = BODY_BYTES - HEADER;

/// A decoded page of a chain: its bytes and the next page.
struct Link<'a> {
    bytes: &'a [u8],
    next: PageNumber,
}

fn open(body: &Body, tree: PageNumber, ordinal: u32) -> Result<Link<'_>, Damage> {
    let len = usize::from(u16_at(body, LEN));
    let bytes = body.get(HEADER..HEADER + len).unwrap_or_default();
    if body[KIND] != KIND_OVERFLOW || u64_at(body, TREE) != tree.0 || bytes.is_empty() {
        return Err(Damage("not a page of this tree's overflow chains"));
    }
    if body[ORDINAL..ORDINAL + 4] != ordinal.to_le_bytes() {
        return Err(Damage("a page of another place in an overflow chain"));
    }
    Ok(Link { bytes, next: PageNumber(u64_at(body, NEXT)) })
}

/// A value that is being read from its chain.
struct ChainReader<'o> {
    chain: Chain,
    out: &'o mut Vec<u8>,
    next: PageNumber,
    ordinal: u32,
}

impl<'o> ChainReader<'o> {
    fn new(chain: Chain, out: &'o mut Vec<u8>) -> ChainReader<'o> {
        out.clear();
        ChainReader { chain, out, next: chain.first, ordinal: 0 }
    }

    /// The page to take next, if there is one.
    fn wanted(&self) -> Option<PageNumber> {
        (self.out.len() < self.chain.len as usize).then_some(self.next)
    }

    fn take(&mut self, body: &Body, tree: PageNumber) -> Result<(), TreeError> {
        let link = open(body, tree, self.ordinal).map_err(|damage| damage.at(self.next))?;
        self.ordinal += 1;
        self.out.extend_from_slice(link.bytes);
        self.next = link.next;
        Ok(())
    }

    fn finish(self) -> Result<(), TreeError> {
        let whole = self.out.len() == self.chain.len as usize
            && crc32c::crc32c(self.out) == self.chain.checksum;
        match whole {
            true => Ok(()),
            false => Err(Damage("an overflow chain is not what was written").at(self.chain.first)),
        }
    }
}

/// Reads a value whose pages are all in memory. `Ok(false)` if not all are.
pub(super) fn read_resident(
    pages: &impl Pages,
    guard: &Guard,
    tree: PageNumber,
    chain: Chain,
    out: &mut Vec<u8>,
) -> Result<bool, TreeError> {
    let mut reader = ChainReader::new(chain, out);
    while let Some(page) = reader.wanted() {
        match pages.resident(page, guard) {
            Ok(body) => reader.take(body, tree)?,
            Err(Absent::Evicted | Absent::Freed) => return Ok(false),
        }
    }
    reader.finish().map(|()| true)
}

/// Reads a value, from the file if need be. No epoch guard may be alive.
pub(super) fn read(
    pages: &impl Pages,
    task: &Task<'_>,
    tree: PageNumber,
    chain: Chain,
    hint: Access,
    out: &mut Vec<u8>,
) -> Result<(), TreeError> {
    let mut reader = ChainReader::new(chain, out);
    while let Some(page) = reader.wanted() {
        let pinned = pages.load(task, page, hint)?;
        reader.take(&pinned, tree)?;
    }
    reader.finish()
}

/// As [`read`], but calls `on_page` before it reads each page.
pub(super) fn read_with_pages(
    pages: &impl Pages,
    task: &Task<'_>,
    tree: PageNumber,
    chain: Chain,
    out: &mut Vec<u8>,
    mut on_page: impl FnMut(PageNumber),
) -> Result<(), TreeError> {
    let mut reader = ChainReader::new(chain, out);
    while let Some(page) = reader.wanted() {
        on_page(page);
        let pinned = pages.load(task, page, Access::Scan)?;
        reader.take(&pinned, tree)?;
    }
    reader.finish()
}

/// Reads a value as a batch sees it.
pub(super) fn read_in_edit(
    edit: &mut impl Edit,
    task: &Task<'_>,
    tree: PageNumber,
    chain: Chain,
    out: &mut Vec<u8>,
) -> Result<(), TreeError> {
    let mut reader = ChainReader::new(chain, out);
    while let Some(page) = reader.wanted() {
        reader.take(edit.view(task, page)?, tree)?;
    }
    reader.finish()
}

/// Writes a value to a new chain, and appends the pages to `publish`, in the order of the chain.
pub(super) fn write(
    edit: &mut impl Edit,
    task: &Task<'_>,
    tree: PageNumber,
    value: &[u8],
    publish: &mut Vec<PageNumber>,
) -> Result<Chain, TreeError> {
    let len =
        u32::try_from(value.len()).map_err(|_| TreeError::ValueTooLong { len: value.len() })?;
    let (first, _) = edit.allocate(task)?;
    let mut page = first;
    let mut rest = value;
    for ordinal in 0u32.. {
        let (bytes, behind) = rest.split_at(rest.len().min(CHAIN_PAGE_BYTES));
        let next = match behind {
            [] => PageNumber(0),
            _ => edit.allocate(task)?.0,
        };
        let body = edit.edit(task, page)?;
        body[KIND] = KIND_OVERFLOW;
        put_u16(body, LEN, bytes.len());
        body[ORDINAL..ORDINAL + 4].copy_from_slice(&ordinal.to_le_bytes());
        put_u64(body, TREE, tree.0);
        put_u64(body, NEXT, next.0);
        body[HEADER..HEADER + bytes.len()].copy_from_slice(bytes);
        publish.push(page);
        if behind.is_empty() {
            break;
        }
        (page, rest) = (next, behind);
    }
    Ok(Chain { len, checksum: crc32c::crc32c(value), first })
}

/// How many pages a chain takes.
pub(super) fn pages_of(chain: &Chain) -> u64 {
    u64::from(chain.len).div_ceil(CHAIN_PAGE_BYTES as u64)
}

/// A chain's pages, so that they can be freed when nothing points to them any more.
pub(super) fn pages_in_edit(
    edit: &mut impl Edit,
    task: &Task<'_>,
    tree: PageNumber,
    chain: Chain,
) -> Result<Vec<PageNumber>, TreeError> {
    let mut pages = Vec::new();
    let (mut page, mut seen) = (chain.first, 0);
    while seen < chain.len as usize {
        let ordinal = pages.len() as u32;
        let link = open(edit.view(task, page)?, tree, ordinal).map_err(|damage| damage.at(page))?;
        seen += link.bytes.len();
        pages.push(page);
        page = link.next;
    }
    Ok(pages)
}
