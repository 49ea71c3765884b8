//! Members of CLR types. See `ir::function::clr` for which there are.

pub(super) mod cells;
pub(super) mod hierarchy;
pub(super) mod spatial;
