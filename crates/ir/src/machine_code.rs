//! What a generator of machine code makes of a unit, and how it is called.

use std::fmt;

use crate::Unit;

/// Makes machine code.
pub trait CodeGenerator: Send + Sync {
    /// The code of a unit.
    fn generate(&self, unit: &Unit) -> Result<Box<dyn MachineCode>, NotCompiled>;
}

/// Why there is no machine code for a unit, which stays interpreted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotCompiled(pub String);

impl fmt::Display for NotCompiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The code of one unit.
///
/// # Safety
/// The entry stays valid as long as this lives. It does to a run what interpreting the unit does.
pub unsafe trait MachineCode: Send + Sync {
    /// The address at which the code starts.
    fn entry(&self) -> Entry;

    /// Bytes of code.
    fn size(&self) -> usize;
}

impl fmt::Debug for dyn MachineCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of code", self.size())
    }
}

/// A run, as machine code hands it to helpers.
#[repr(C)]
pub struct Run {
    _opaque: [u8; 0],
}

/// A unit's code: takes the run, its registers, the frame's variables, and where to start (0 is the
/// unit's first instruction, n is the unit's n-th handler, counted from 1). Returns
/// [`outcome::HALTED`] or [`outcome::FAILED`].
pub type Entry =
    unsafe extern "C" fn(run: *mut Run, slots: *mut u8, variables: *mut u8, start: u32) -> u32;

/// What helpers and code return.
pub mod outcome {
    /// On to the next instruction.
    pub const NEXT: u32 = 0;
    /// On to the instruction's other target.
    pub const JUMP: u32 = 1;
    /// The unit has ended.
    pub const HALTED: u32 = 2;
    /// The run has failed, and holds the error.
    pub const FAILED: u32 = 3;
}
