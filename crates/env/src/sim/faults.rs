//! Which operations fail, how, and the count of all operations.

use std::io;
use std::path::Path;

use crate::OpKind;

/// How an operation fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// EIO: the device failed.
    Io,
    /// ENOSPC: no room.
    DiskFull,
}

impl FaultKind {
    pub(super) fn error(self) -> io::Error {
        io::Error::from_raw_os_error(match self {
            FaultKind::Io => libc::EIO,
            FaultKind::DiskFull => libc::ENOSPC,
        })
    }
}

/// An operation that shall fail.
#[derive(Clone, Debug)]
pub struct Fault {
    op: OpKind,
    kind: FaultKind,
    path_contains: String,
    /// Matching operations to let pass first.
    skip: u64,
    /// Matching operations to fail then.
    times: u64,
}

impl Fault {
    /// The next operation of this kind fails in this way.
    pub fn next(op: OpKind, kind: FaultKind) -> Fault {
        Fault { op, kind, path_contains: String::new(), skip: 0, times: 1 }
    }

    /// … after `count` of them have passed.
    pub fn after(mut self, count: u64) -> Fault {
        self.skip = count;
        self
    }

    /// … and so do this many in all.
    pub fn times(mut self, count: u64) -> Fault {
        self.times = count;
        self
    }

    /// … and all from then on, until the faults are cleared.
    pub fn forever(self) -> Fault {
        self.times(u64::MAX)
    }

    /// … counting only those whose path contains this text.
    pub fn on(mut self, path_contains: &str) -> Fault {
        self.path_contains = path_contains.to_owned();
        self
    }

    /// Whether this operation fails; counts it.
    pub(super) fn strikes(&mut self, op: OpKind, path: &Path) -> Option<FaultKind> {
        if self.op != op || !path.to_string_lossy().contains(&self.path_contains) {
            return None;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return None;
        }
        if self.times == 0 {
            return None;
        }
        self.times -= 1;
        Some(self.kind)
    }

    pub(super) fn is_spent(&self) -> bool {
        self.times == 0
    }
}

/// How many operations there have been.
#[derive(Clone, Default, Debug)]
pub(super) struct Counters {
    pub total: u64,
    pub by_kind: [u64; OpKind::COUNT],
}

impl Counters {
    /// Counts an operation. Returns its number, from 1.
    pub fn count(&mut self, op: OpKind) -> u64 {
        self.total += 1;
        self.by_kind[op as usize] += 1;
        self.total
    }
}
