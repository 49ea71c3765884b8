//! Whose collation an expression gets: SQL Server's coercibility labels.

use super::Collation;

/// How strongly an expression insists on its collation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coercibility {
    /// A literal, a variable, a parameter, or the result of a function without character
    /// arguments: it has the database's collation and yields to any other.
    Default(Collation),
    /// A column reference.
    Implicit(Collation),
    /// A `COLLATE` clause.
    Explicit(Collation),
    /// Two columns of different collations met. It is an error to compare with it, but not yet to
    /// select it.
    Conflict(Collation, Collation),
}

/// Two `COLLATE` clauses disagree: error 468 with these collations in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CollationConflict(pub Collation, pub Collation);

impl Coercibility {
    /// The collation, unless it is unresolved.
    pub fn collation(self) -> Result<Collation, CollationConflict> {
        match self {
            Coercibility::Default(c) | Coercibility::Implicit(c) | Coercibility::Explicit(c) => {
                Ok(c)
            }
            Coercibility::Conflict(a, b) => Err(CollationConflict(a, b)),
        }
    }

    /// The label of an expression that has both as operands.
    pub fn combine(self, other: Coercibility) -> Result<Coercibility, CollationConflict> {
        use Coercibility::*;
        Ok(match (self, other) {
            (Explicit(a), Explicit(b)) if a != b => return Err(CollationConflict(a, b)),
            (Explicit(a), _) | (_, Explicit(a)) => Explicit(a),
            (Conflict(a, b), _) | (_, Conflict(a, b)) => Conflict(a, b),
            (Implicit(a), Implicit(b)) if a != b => Conflict(a, b),
            (Implicit(a), _) | (_, Implicit(a)) => Implicit(a),
            (Default(a), Default(_)) => Default(a),
        })
    }
}

#[cfg(test)]
mod tests;
