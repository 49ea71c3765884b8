//! The filter of a filtered index: which rows it holds.

use std::cmp::Ordering;

use base::Value;
use base::arithmetic::compare;

use crate::hot::row::RowLayout;

/// How a term compares a column with its constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FilterOp {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// One condition on one column.
#[derive(Clone, PartialEq, Debug)]
pub enum FilterTest {
    /// The comparison of the column with a constant of its type is true. For NULL it never is.
    Compare(FilterOp, Value),
    /// The column equals one of these constants of its type.
    In(Box<[Value]>),
    /// The column is NULL.
    IsNull,
    /// The column is not NULL.
    IsNotNull,
}

/// A condition and the column it is about.
#[derive(Clone, PartialEq, Debug)]
pub struct FilterTerm {
    /// Ordinal of the column in the layout.
    pub column: usize,
    /// The condition.
    pub test: FilterTest,
}

/// A conjunction of simple terms, evaluated on row bytes.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct RowFilter {
    /// All must hold.
    pub terms: Box<[FilterTerm]>,
}

impl RowFilter {
    /// Whether the index holds this row.
    pub fn admits(&self, layout: &RowLayout, row: &[u8]) -> bool {
        self.terms.iter().all(|term| term.holds(layout, row))
    }

    /// The columns whose change may move a row into or out of the index.
    pub fn columns(&self) -> impl Iterator<Item = usize> + '_ {
        self.terms.iter().map(|t| t.column)
    }
}

impl FilterTerm {
    fn holds(&self, layout: &RowLayout, row: &[u8]) -> bool {
        let ty = &layout.columns()[self.column].ty;
        let value = layout.get(row, self.column);
        let against = |constant: &Value| compare(value, constant.as_ref(), ty);
        match &self.test {
            FilterTest::IsNull => value.is_null(),
            FilterTest::IsNotNull => !value.is_null(),
            FilterTest::In(constants) => {
                constants.iter().any(|c| against(c) == Some(Ordering::Equal))
            }
            FilterTest::Compare(op, constant) => against(constant).is_some_and(|o| op.holds(o)),
        }
    }
}

impl FilterOp {
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            FilterOp::Equal => ordering.is_eq(),
            FilterOp::NotEqual => ordering.is_ne(),
            FilterOp::Less => ordering.is_lt(),
            FilterOp::LessOrEqual => ordering.is_le(),
            FilterOp::Greater => ordering.is_gt(),
            FilterOp::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;
