//! Members of CLR types. See `ir::function::clr` for which there are.

pub(super) mod hierarchy;
