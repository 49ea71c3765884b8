//! How the system views describe a wait for a lock.

use crate::txn::locks::mode::LockMode;
use crate::txn::locks::target::{LockedDefinition, Target};

/// A wait for a lock, in short: for the system views.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LockWait {
    /// Kind of lock.
    pub kind: LockKind,
    /// The mode asked for.
    pub mode: LockMode,
}

/// Kinds of locks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum LockKind {
    Table,
    Row,
    Range,
    Insert,
    Application,
    /// A definition.
    Definition,
    /// The name of a definition, or all definitions.
    Name,
}

impl LockWait {
    /// The wait for a lock on this target, in this mode.
    pub(super) fn of(target: &Target, mode: LockMode) -> LockWait {
        let kind = match target {
            Target::Whole => LockKind::Table,
            Target::Row(_) => LockKind::Row,
            Target::Span(_) => LockKind::Range,
            Target::Insert => LockKind::Insert,
            Target::Name(_) => LockKind::Application,
            Target::Definition(LockedDefinition::One(..) | LockedDefinition::Kind(_)) => {
                LockKind::Definition
            }
            Target::Definition(LockedDefinition::All | LockedDefinition::Name(..)) => {
                LockKind::Name
            }
        };
        LockWait { kind, mode }
    }

    /// SQL Server's name for such a wait.
    pub fn wait_type(&self) -> &'static str {
        match (self.kind, self.mode.range_name(), self.mode.name()) {
            (LockKind::Insert, ..) => "LCK_M_RIn_NL",
            (LockKind::Range, "RangeS-S", _) => "LCK_M_RS_S",
            (LockKind::Range, "RangeS-U", _) => "LCK_M_RS_U",
            (LockKind::Range, ..) => "LCK_M_RX_X",
            (LockKind::Definition, _, "X") => "LCK_M_SCH_M",
            (LockKind::Definition, ..) => "LCK_M_SCH_S",
            (_, _, "IS") => "LCK_M_IS",
            (_, _, "IX") => "LCK_M_IX",
            (_, _, "S") => "LCK_M_S",
            (_, _, "U") => "LCK_M_U",
            (_, _, "SIX") => "LCK_M_SIX",
            (_, _, "UIX") => "LCK_M_UIX",
            _ => "LCK_M_X",
        }
    }
}
