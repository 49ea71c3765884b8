//! The reads of a transaction that its commit validates.

use base::ids::Lsn;

use crate::hot::anchor::{AnchorPtr, VersionPtr};
use crate::hot::key::ScanRange;

/// A row that must be at commit what it was when it was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub anchor: AnchorPtr,
    pub version: VersionPtr,
    pub table: u32,
}

/// A range of an index that nothing may have joined or left at commit.
pub(super) struct Scan {
    pub table: u32,
    pub index: usize,
    pub range: ScanRange,
    /// Changes from here on count.
    pub since: Lsn,
}
