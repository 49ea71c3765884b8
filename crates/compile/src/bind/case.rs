//! `CASE` and the functions that are one: `COALESCE`, `NULLIF`, `CHOOSE`, `ISNULL`.

use base::types::conversion::may_overflow;
use base::types::operators;
use base::{SqlError, SqlType, Value, message};
use tsql::ast::{self, CaseBranches};

use super::binder::Binder;
use super::context::{AtLine, BindResult};
use super::scalar::{Label, Origin, Scalar};
use crate::plan::expr::{Expr, ExprKind, Pred};
use crate::plan::rename;

impl Binder<'_> {
    /// `CASE`. Error 8133.
    pub fn case(&mut self, case: &ast::Case, line: u32) -> BindResult<Scalar> {
        self.inside_conditional(|binder| binder.case_inside(case, line))
    }

    /// Binds what may be computed or not, where `NEXT VALUE FOR` is not allowed.
    pub(super) fn inside_conditional<T>(
        &mut self,
        f: impl FnOnce(&mut Self) -> BindResult<T>,
    ) -> BindResult<T> {
        let outer = std::mem::replace(&mut self.in_conditional, true);
        let result = f(self);
        self.in_conditional = outer;
        result
    }

    fn case_inside(&mut self, case: &ast::Case, line: u32) -> BindResult<Scalar> {
        let mut conditions = Vec::new();
        let mut results = Vec::new();
        match &case.branches {
            CaseBranches::Searched(branches) => {
                for (when, then) in branches {
                    conditions.push(self.condition(when)?);
                    results.push(self.scalar(then)?);
                }
            }
            CaseBranches::Simple { input, branches } => {
                let input = self.scalar(input)?;
                for (value, then) in branches {
                    let value = self.scalar(value)?;
                    let input = self.copy(&input);
                    conditions.push(self.compare(ast::CompareOp::Equal, input, value).at(line)?);
                    results.push(self.scalar(then)?);
                }
            }
        }
        let otherwise = case.otherwise.as_ref().map(|e| self.scalar(e)).transpose()?;
        self.case_of(conditions, results, otherwise).at(line)
    }

    /// A `CASE` of bound parts.
    pub fn case_of(
        &mut self,
        conditions: Vec<Pred>,
        results: Vec<Scalar>,
        otherwise: Option<Scalar>,
    ) -> BindResult<Scalar> {
        if results.iter().chain(&otherwise).all(|r| r.origin == Origin::Null) {
            return Err(SqlError::new(&message::CASE_ALL_NULL, &[]).into());
        }
        let (ty, label) = self.unify(results.iter().chain(&otherwise), "CASE")?;
        let json = may_be_json(&conditions, &results, otherwise.as_ref());
        let mut branches = Vec::with_capacity(results.len());
        let mut nullable = otherwise.is_none();
        for (when, then) in conditions.into_iter().zip(results) {
            let then = self.coerce(then, ty)?;
            nullable |= then.nullable;
            branches.push((when, then));
        }
        let otherwise = match otherwise {
            Some(otherwise) => {
                let otherwise = self.coerce(otherwise, ty)?;
                nullable |= otherwise.nullable;
                Some(Box::new(otherwise))
            }
            None => None,
        };
        let kind = ExprKind::Case { branches, otherwise };
        let expr = Expr { kind, ty, nullable };
        Ok(Scalar { expr, label, origin: Origin::Plain }.marked(json))
    }

    /// The type and label of something that may be any of these. Errors 206, 257, 468.
    pub fn unify<'s>(
        &self,
        scalars: impl Iterator<Item = &'s Scalar>,
        operation: &'static str,
    ) -> BindResult<(SqlType, Label)> {
        let mut ty: Option<SqlType> = None;
        let mut label = Label::NONE;
        for scalar in scalars.filter(|s| !s.is_untyped()) {
            label = label.combine(scalar.label, operation)?;
            ty = Some(match ty {
                None => scalar.expr.ty,
                Some(ty) => operators::unify(&ty, &scalar.expr.ty)?,
            });
        }
        let ty = ty.unwrap_or(SqlType::int());
        let collation = label.any_collation().unwrap_or(self.collation());
        let label = if ty.kind.is_character() { label } else { Label::NONE };
        Ok((ty.recollated(collation), label))
    }

    /// The same expression once more, with columns of its own.
    pub fn copy(&mut self, scalar: &Scalar) -> Scalar {
        let mut copy = scalar.clone();
        rename::rename_inside_expr(&mut copy.expr, &mut self.ids);
        copy
    }

    /// `COALESCE(a, b, …)`: the first that is not NULL. Error 4127.
    pub fn coalesce(&mut self, mut args: Vec<Scalar>) -> BindResult<Scalar> {
        if args.iter().all(|a| a.origin == Origin::Null) {
            return Err(SqlError::new(&message::COALESCE_ALL_NULL, &[]).into());
        }
        // What comes after a constant is never the result.
        let last = args.iter().position(|a| a.value().is_some_and(|v| !v.is_null()));
        let json = args.iter().take(last.map_or(args.len(), |last| last + 1));
        let json = { json }.any(|a| a.origin == Origin::Json);
        if args.len() == 2 && args[1].is_simple() && !args[0].is_simple() {
            // Nothing is lost by evaluating the second, and the first is evaluated once.
            let (ty, label) = self.unify(args.iter(), "COALESCE")?;
            let second = args.pop().expect("there are two");
            let first = args.pop().expect("there are two");
            let (first, second) = (self.coerce(first, ty)?, self.coerce(second, ty)?);
            let first_known = match is_simple(&second) {
                true => self.isnull_call(first, second, ty, label),
                false => self.first_or(first, second, ty, label),
            };
            return Ok(first_known.marked(json));
        }
        let otherwise = args.pop();
        let mut conditions = Vec::with_capacity(args.len());
        for arg in &args {
            let tested = self.copy(arg);
            conditions.push(Pred::Not(Box::new(Pred::IsNull(tested.expr))));
        }
        let own: Vec<(bool, SqlType)> =
            args.iter().chain(&otherwise).map(|arg| (arg.expr.nullable, arg.expr.ty)).collect();
        let mut result = self.case_of(conditions, args, otherwise)?;
        result.origin = Origin::Plain;
        let mut result = result.marked(json);
        let ty = result.expr.ty;
        let overflows = own.iter().any(|(_, from)| may_overflow(from, &ty));
        result.expr.nullable = overflows || own.iter().all(|(nullable, _)| *nullable);
        Ok(result)
    }

    /// `NULLIF(a, b)`. Error 4151.
    pub fn nullif(&mut self, a: Scalar, b: Scalar) -> BindResult<Scalar> {
        if a.origin == Origin::Null {
            return Err(SqlError::new(&message::NULLIF_NULL_TYPE, &[]).into());
        }
        let tested = self.copy(&a);
        let equal = self.compare(ast::CompareOp::Equal, tested, b)?;
        self.case_of(vec![equal], vec![Scalar::null()], Some(a))
    }

    /// `CHOOSE(index, a, b, …)`.
    pub fn choose(&mut self, index: Scalar, values: Vec<Scalar>) -> BindResult<Scalar> {
        let mut conditions = Vec::with_capacity(values.len());
        let index = self.coerce(index, SqlType::int())?;
        let index = Scalar::computed(index);
        for place in 1..=values.len() {
            let place = Scalar::constant(SqlType::int(), Value::Int(place as i64));
            let index = self.copy(&index);
            conditions.push(self.compare(ast::CompareOp::Equal, index, place)?);
        }
        self.case_of(conditions, values, None)
    }

    /// `ISNULL(a, b)`: of the first one's type. Errors 206, 257.
    pub fn isnull(&mut self, a: Scalar, b: Scalar) -> BindResult<Scalar> {
        let label = a.label.combine(b.label, "isnull")?;
        let ty = match (a.is_untyped(), b.is_untyped()) {
            (false, _) => a.expr.ty,
            (true, false) => b.expr.ty,
            (true, true) => SqlType::int(),
        };
        let ty = label.any_collation().map_or(ty, |c| ty.recollated(c));
        let json = if a.is_untyped() { b.origin } else { a.origin } == Origin::Json;
        let first = self.coerce(a, ty)?;
        if !first.nullable {
            return Ok(Scalar { expr: first, label, origin: Origin::Plain }.marked(json));
        }
        let second = self.coerce(b, ty)?;
        let first_known = match is_simple(&second) {
            true => self.isnull_call(first, second, ty, label),
            false => self.first_or(first, second, ty, label),
        };
        Ok(first_known.marked(json))
    }

    /// The first unless it is NULL, otherwise the second, which is evaluated only then.
    fn first_or(&mut self, first: Expr, second: Expr, ty: SqlType, label: Label) -> Scalar {
        let first = Scalar { expr: first, label, origin: Origin::Plain };
        let tested = self.copy(&first);
        let nullable = second.nullable;
        let present = Pred::Not(Box::new(Pred::IsNull(tested.expr)));
        let kind = ExprKind::Case {
            branches: vec![(present, first.expr)],
            otherwise: Some(Box::new(second)),
        };
        Scalar { expr: Expr { kind, ty, nullable }, label, origin: Origin::Plain }
    }

    /// The library's ISNULL on two expressions of one type.
    fn isnull_call(&self, first: Expr, second: Expr, ty: SqlType, label: Label) -> Scalar {
        let function = self.names.functions().scalar("ISNULL").expect("the library has it");
        let nullable = first.nullable && second.nullable;
        let kind = ExprKind::Call { function, args: vec![first, second] };
        Scalar { expr: Expr { kind, ty, nullable }, label, origin: Origin::Plain }
    }
}

/// Whether the result of a `CASE` is JSON text: whether one of the results is, as far as conditions
/// on constants do not rule it out.
fn may_be_json(conditions: &[Pred], results: &[Scalar], otherwise: Option<&Scalar>) -> bool {
    let mut json = false;
    for (condition, result) in conditions.iter().zip(results) {
        let decided = decided(condition);
        json |= decided != Some(false) && result.origin == Origin::Json;
        if decided == Some(true) {
            return json;
        }
    }
    json || otherwise.is_some_and(|scalar| scalar.origin == Origin::Json)
}

/// Whether a comparison of constants holds.
fn decided(condition: &Pred) -> Option<bool> {
    let Pred::Compare(op, a, b) = condition else { return None };
    let (ExprKind::Constant(left), ExprKind::Constant(right)) = (&a.kind, &b.kind) else {
        return None;
    };
    let order = base::arithmetic::compare(left.as_ref(), right.as_ref(), &a.ty);
    Some(order.is_some_and(|order| op.accepts(order)))
}

/// Whether evaluating an expression costs nothing and cannot fail.
fn is_simple(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Constant(_) | ExprKind::Column(_) | ExprKind::Variable(_))
}
