//! Names of columns and worktables, each given once per statement.

use crate::plan::expr::ColId;
use crate::plan::tree::WorktableId;

/// Gives names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ids {
    columns: u32,
    worktables: u32,
}

impl Ids {
    /// A column that nothing else is called.
    pub fn column(&mut self) -> ColId {
        self.columns += 1;
        ColId(self.columns)
    }

    /// A worktable that nothing else is called.
    pub fn worktable(&mut self) -> WorktableId {
        self.worktables += 1;
        WorktableId(self.worktables)
    }

    /// How many columns there are: all are numbered from 1 to this.
    pub fn columns(&self) -> usize {
        self.columns as usize
    }
}
