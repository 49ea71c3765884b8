//! Lock modes: which are compatible, and what two of one owner make.

/// The mode of a lock: a set of the elementary modes, so that what two locks of one owner make is
/// their union, and SIX and UIX need no rules of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct LockMode(u8);

const IS: u8 = 1;
const IX: u8 = 2;
const S: u8 = 4;
const U: u8 = 8;
const X: u8 = 16;

impl LockMode {
    /// No lock at all.
    pub const NONE: LockMode = LockMode(0);
    /// Parts are or will be locked shared.
    pub const INTENT_SHARED: LockMode = LockMode(IS);
    /// Parts are or will be changed.
    pub const INTENT_EXCLUSIVE: LockMode = LockMode(IS | IX);
    /// No other owner changes what is locked.
    pub const SHARED: LockMode = LockMode(IS | S);
    /// As shared, and no other owner intends to change it.
    pub const UPDATE: LockMode = LockMode(IS | S | U);
    /// No other owner has any lock.
    pub const EXCLUSIVE: LockMode = LockMode(IS | IX | S | U | X);

    pub(crate) fn bits(self) -> u8 {
        self.0
    }

    pub(crate) fn of_bits(bits: u8) -> LockMode {
        LockMode(bits)
    }

    /// Whether two owners may hold these modes at once.
    pub fn is_compatible(self, other: LockMode) -> bool {
        let meets = |a: u8, b: u8| self.0 & a != 0 && other.0 & b != 0;
        let any = IS | IX | S | U | X;
        !(meets(IX, S) || meets(S, IX) || meets(U, U) || meets(X, any) || meets(any, X))
    }

    /// Whether an owner that holds this mode needs no lock of the other.
    pub fn covers(self, other: LockMode) -> bool {
        self.0 & other.0 == other.0
    }

    /// The mode of an owner that holds both.
    pub fn and(self, other: LockMode) -> LockMode {
        LockMode(self.0 | other.0)
    }

    /// Whether the mode is that of no lock.
    pub fn is_none(self) -> bool {
        self == LockMode::NONE
    }

    /// The lock on the table that a lock of this mode on one of its parts needs.
    pub fn intent(self) -> LockMode {
        match self.0 & (U | X) {
            0 => LockMode::INTENT_SHARED,
            _ => LockMode::INTENT_EXCLUSIVE,
        }
    }

    /// The mode as `request_mode` of `sys.dm_tran_locks` shows it.
    pub fn name(self) -> &'static str {
        match self.0 {
            0 => "NULL",
            0b00001 => "IS",
            0b00011 => "IX",
            0b00101 => "S",
            0b00111 => "SIX",
            0b01101 => "U",
            0b01111 => "UIX",
            _ => "X",
        }
    }

    /// As `name`, for a range of keys.
    pub fn range_name(self) -> &'static str {
        match self.0 & (U | X) {
            0 => "RangeS-S",
            U => "RangeS-U",
            _ => "RangeX-X",
        }
    }
}

#[cfg(test)]
mod tests;
