//! Operators on scalars, and the names of variables.

/// A scalar variable's place in its module's frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VarId(pub u32);

/// A table variable's (or table-valued parameter's) place in its module's frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TableVarId(pub u32);

/// How a conversion behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CastMode {
    /// `CAST`, `CONVERT` and implicit conversion in an expression: strings are cut silently.
    Explicit,
    /// `TRY_CAST`, `TRY_CONVERT`: NULL where `Explicit` raises a conversion error.
    Try,
    /// Into a column: strings that do not fit raise 2628.
    Assign,
    /// Into a variable or parameter: strings are cut silently, numbers are checked.
    AssignVariable,
}

/// Binary operators on scalars that are not strings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ArithOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    BitAnd,
    BitOr,
    BitXor,
}

/// Comparison operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl CompareOp {
    /// Whether the comparison of two values in this order is true.
    pub fn accepts(self, order: std::cmp::Ordering) -> bool {
        match self {
            CompareOp::Eq => order.is_eq(),
            CompareOp::Ne => order.is_ne(),
            CompareOp::Lt => order.is_lt(),
            CompareOp::Le => order.is_le(),
            CompareOp::Gt => order.is_gt(),
            CompareOp::Ge => order.is_ge(),
        }
    }
}
