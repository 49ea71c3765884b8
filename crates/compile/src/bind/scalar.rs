//! A bound scalar and what is known of it besides its type: its collation label, and whether it is
//! a bare NULL or a literal, which matters to the types of what it is used in.

use base::types::{Coercibility, Operand};
use base::{Collation, SqlError, SqlType, TypeKind, Value, message};
use ir::function::ArgType;

use super::context::BindResult;
use crate::plan::expr::{Expr, ExprKind};

/// A bound scalar.
#[derive(Clone, Debug)]
pub(super) struct Scalar {
    pub expr: Expr,
    pub label: Label,
    pub origin: Origin,
}

/// What an expression was written as, where that matters to types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// Nothing special.
    Plain,
    /// The bare word NULL: it takes the type of what it meets.
    Null,
    /// An integer literal: in decimal arithmetic it counts for its digits.
    Integer,
    /// Another literal.
    Literal,
    /// JSON text: what makes JSON of it takes it as it is, not as a string.
    Json,
    /// A node, by its place in the binder's list of calls of `nodes()`: only methods read it.
    Nodes(u32),
    /// An undeclared variable, by its place in the binder's list: its type is what it meets.
    Undeclared(u16),
    /// A call of `IDENTITY(…)`, by its place in the binder's list.
    Identity(u16),
}

/// The collation label of an expression; nothing for one that is not a string.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Label(Option<(Coercibility, &'static str)>);

impl Label {
    /// Of a value that is not a string.
    pub const NONE: Label = Label(None);

    /// Of a column of this type.
    pub fn column(ty: &SqlType) -> Label {
        Label::of(ty, Coercibility::Implicit)
    }

    /// Of a literal, variable or result of a function of this type.
    pub fn default_of(ty: &SqlType) -> Label {
        Label::of(ty, Coercibility::Default)
    }

    /// Of `COLLATE`.
    pub fn explicit(collation: Collation) -> Label {
        Label(Some((Coercibility::Explicit(collation), "")))
    }

    fn of(ty: &SqlType, make: impl Fn(Collation) -> Coercibility) -> Label {
        Label(ty.kind.is_character().then(|| (make(ty.collation), "")))
    }

    /// What was made by a query counts as a column where it is used.
    pub fn make_implicit(&mut self) {
        if let Some((label @ (Coercibility::Default(_) | Coercibility::Explicit(_)), _)) =
            &mut self.0
        {
            let collation = label.collation().expect("only conflicts have none");
            *label = Coercibility::Implicit(collation);
        }
    }

    /// The label of an operator's result. Error 468 if two `COLLATE` clauses disagree.
    pub fn combine(self, other: Label, operation: &'static str) -> BindResult<Label> {
        let ((a, op_a), (b, op_b)) = match (self.0, other.0) {
            (None, label) | (label, None) => return Ok(Label(label)),
            (Some(a), Some(b)) => (a, b),
        };
        let label = a.combine(b).map_err(|c| conflict(c.0, c.1, operation))?;
        let was = [op_a, op_b].into_iter().find(|op| !op.is_empty()).unwrap_or(operation);
        let operation = if matches!(label, Coercibility::Conflict(..)) { was } else { "" };
        Ok(Label(Some((label, operation))))
    }

    /// The collation for something that needs one. Error 468 if it is unresolved.
    pub fn resolve(&self, operation: &str) -> BindResult<Option<Collation>> {
        match self.0 {
            None => Ok(None),
            Some((label, _)) => match label.collation() {
                Ok(collation) => Ok(Some(collation)),
                Err(c) => Err(conflict(c.0, c.1, operation).into()),
            },
        }
    }

    /// The conflict of collations, if there is one.
    pub fn conflict(&self) -> Option<CollationConflict> {
        match self.0 {
            Some((Coercibility::Conflict(left, right), operation)) => {
                Some(CollationConflict { left, right, operation })
            }
            _ => None,
        }
    }

    /// The collation, whichever of two in a conflict.
    pub fn any_collation(&self) -> Option<Collation> {
        self.0.map(|(label, _)| label.collation().unwrap_or_else(|c| c.0))
    }
}

/// Collations that are in conflict.
#[derive(Clone, Copy)]
pub struct CollationConflict {
    /// That of the left operand.
    pub left: Collation,
    /// That of the right one.
    pub right: Collation,
    /// The operator in which they met.
    pub operation: &'static str,
}

/// Error 468: the collations of the operands conflict.
fn conflict(a: Collation, b: Collation, operation: &str) -> SqlError {
    let operation = if operation.contains(' ') || operation == "add" {
        operation.to_owned()
    } else {
        operation.to_lowercase()
    };
    SqlError::new(&message::COLLATION_CONFLICT, &[&a.name(), &b.name(), &operation])
}

impl Scalar {
    /// A constant.
    pub fn constant(ty: SqlType, value: Value) -> Scalar {
        let nullable = value.is_null();
        let label = Label::default_of(&ty);
        let expr = Expr { kind: ExprKind::Constant(value), ty, nullable };
        Scalar { expr, label, origin: Origin::Literal }
    }

    /// The bare word NULL.
    pub fn null() -> Scalar {
        let kind = ExprKind::Constant(Value::Null);
        let expr = Expr { kind, ty: SqlType::int(), nullable: true };
        Scalar { expr, label: Label::NONE, origin: Origin::Null }
    }

    /// Something computed, with the label of a function's result.
    pub fn computed(expr: Expr) -> Scalar {
        let label = Label::default_of(&expr.ty);
        Scalar { expr, label, origin: Origin::Plain }
    }

    /// Whether the expression has no type of its own yet.
    pub fn is_untyped(&self) -> bool {
        matches!(self.origin, Origin::Null | Origin::Undeclared(_))
    }

    /// What the typing of operators needs to know.
    pub fn operand(&self) -> Operand {
        let integer = match (&self.expr.kind, self.origin) {
            (ExprKind::Constant(Value::Int(value)), Origin::Integer) => Some(*value),
            _ => None,
        };
        Operand { ty: self.expr.ty, integer, is_null: self.is_untyped() }
    }

    /// The value, if it is a constant.
    pub fn value(&self) -> Option<&Value> {
        match &self.expr.kind {
            ExprKind::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// What the typing of functions needs to know.
    pub fn argument(&self) -> ArgType<'_> {
        ArgType {
            ty: self.expr.ty,
            nullable: self.expr.nullable,
            constant: self.value(),
            bare_null: self.is_untyped(),
            json: self.origin == Origin::Json,
        }
    }

    /// The same, as JSON text if it is to be that and its type can be.
    pub fn marked(mut self, json: bool) -> Scalar {
        if json && self.expr.ty.kind == TypeKind::NVarChar {
            self.origin = Origin::Json;
        }
        self
    }

    /// Whether evaluating the expression again costs nothing and cannot fail.
    pub fn is_simple(&self) -> bool {
        matches!(
            self.expr.kind,
            ExprKind::Constant(_) | ExprKind::Column(_) | ExprKind::Variable(_)
        )
    }
}

/// Whether values of two types can be compared as they are: alike in registers, with one scale and
/// one collation.
pub(crate) fn comparable(a: &SqlType, b: &SqlType) -> bool {
    use base::types::Repr;
    let repr = a.kind.repr();
    repr == b.kind.repr()
        && match repr {
            Repr::Decimal => a.scale == b.scale,
            Repr::Chars | Repr::Unicode => a.collation == b.collation,
            _ => true,
        }
}
