//! Conditions.

use base::types::operators::{self, BinaryOperator};
use base::{SqlError, SqlType, TypeKind, message};
use ir::operator::{ArithOp, CastMode, CompareOp};
use tsql::ast::{self, ConditionKind};

use super::binder::Binder;
use super::context::{AtLine, BindResult};
use super::query::BoundSubquery;
use super::scalar::{Label, Scalar};
use crate::plan::expr::{Expr, ExprKind, Pred, Subquery};
use crate::plan::tree::Node;

impl Binder<'_> {
    /// A condition. Error 8631 if it nests too deeply.
    pub fn condition(&mut self, condition: &ast::Condition) -> BindResult<Pred> {
        let line = condition.span.line;
        self.deeper(line)?;
        match &condition.kind {
            ConditionKind::And(parts) => Ok(Pred::And(self.conditions(parts)?)),
            ConditionKind::Or(parts) => Ok(Pred::Or(self.conditions(parts)?)),
            ConditionKind::Not(part) => Ok(Pred::Not(Box::new(self.condition(part)?))),
            ConditionKind::Compare { op, left, right } => {
                let left = self.scalar(left)?;
                let right = self.scalar(right)?;
                self.compare(*op, left, right).at(line)
            }
            ConditionKind::Quantified { op, left, all, query } => {
                self.quantified(compare_op(*op), *all, left, query).at(line)
            }
            ConditionKind::IsNull { operand, negated } => {
                if let Some(node) = self.node_operand(operand)? {
                    return Ok(negate(*negated, Pred::IsNull(node.expr)));
                }
                let operand = self.scalar(operand)?;
                Ok(negate(*negated, Pred::IsNull(operand.expr)))
            }
            ConditionKind::IsDistinct { left, right, negated } => {
                let left = self.scalar(left)?;
                let right = self.scalar(right)?;
                let (left, right) = self.comparands(BinaryOperator::Equal, left, right).at(line)?;
                Ok(negate(!*negated, Pred::NotDistinct(left, right)))
            }
            ConditionKind::Between { operand, low, high, negated } => {
                let operand = self.scalar(operand)?;
                let low = self.scalar(low)?;
                let high = self.scalar(high)?;
                let again = self.copy(&operand);
                let low = self.compare(ast::CompareOp::GreaterOrEqual, operand, low).at(line)?;
                let high = self.compare(ast::CompareOp::LessOrEqual, again, high).at(line)?;
                Ok(negate(*negated, Pred::And(vec![low, high])))
            }
            ConditionKind::Like { operand, pattern, escape, negated } => {
                let like = self.like(operand, pattern, escape.as_deref()).at(line)?;
                Ok(negate(*negated, like))
            }
            ConditionKind::InList { operand, list, negated } => {
                let operand = self.scalar(operand)?;
                let list = list.iter().map(|e| self.scalar(e)).collect::<BindResult<_>>()?;
                Ok(negate(*negated, self.in_list(operand, list).at(line)?))
            }
            ConditionKind::InQuery { operand, query, negated } => {
                let found = self.quantified(CompareOp::Eq, false, operand, query).at(line)?;
                Ok(negate(*negated, found))
            }
            ConditionKind::Exists(query) => {
                let subquery = self.exists_subquery(query)?;
                Ok(Pred::Exists(Box::new(subquery)))
            }
            ConditionKind::UpdatedColumn(column) => self.updated_column(column),
            ConditionKind::FullText(full_text) => {
                let name = full_text.columns.first().map_or("*", |c| &*c.column.name);
                let error = SqlError::new(&message::FULLTEXT_NOT_INDEXED, &[&"table", &name]);
                Err(error.at_line(line).into())
            }
        }
    }

    fn conditions(&mut self, parts: &[ast::Condition]) -> BindResult<Vec<Pred>> {
        parts.iter().map(|part| self.condition(part)).collect()
    }

    /// `a = b`.
    pub fn compare(&mut self, op: ast::CompareOp, left: Scalar, right: Scalar) -> BindResult<Pred> {
        let null_equal = !self.env.ansi_nulls
            && (left.is_untyped()
                || right.is_untyped()
                || is_variable(&left)
                || is_variable(&right));
        if op == ast::CompareOp::Equal
            && let Some(range) = self.descendants(&left, &right)?
        {
            return Ok(range);
        }
        let operator = comparison_of(op);
        let (left, right) = self.comparands(operator, left, right)?;
        Ok(match op {
            ast::CompareOp::Equal if null_equal => Pred::NotDistinct(left, right),
            ast::CompareOp::NotEqual if null_equal => {
                Pred::Not(Box::new(Pred::NotDistinct(left, right)))
            }
            _ => Pred::Compare(compare_op(op), left, right),
        })
    }

    /// Both sides of a comparison, converted. Errors 206, 257, 402, 468.
    pub fn comparands(
        &mut self,
        operator: BinaryOperator,
        left: Scalar,
        right: Scalar,
    ) -> BindResult<(Expr, Expr)> {
        let label = left.label.combine(right.label, operator.name())?;
        let ty = operators::comparison(operator, &left.operand(), &right.operand())?;
        let ty = self.in_collation(ty, &label, operator.name())?;
        Ok((self.coerce_for_comparison(left, ty)?, self.coerce_for_comparison(right, ty)?))
    }

    /// A type with the collation of a label. Error 468.
    fn in_collation(&self, ty: SqlType, label: &Label, operation: &str) -> BindResult<SqlType> {
        Ok(match label.resolve(operation)? {
            Some(collation) => ty.recollated(collation),
            None if ty.kind.is_character() => ty.recollated(self.collation()),
            None => ty,
        })
    }

    /// `a IN (b, c)`: all are compared as one type.
    pub fn in_list(&mut self, operand: Scalar, list: Vec<Scalar>) -> BindResult<Pred> {
        if let [_] = &list[..] {
            let only = list.into_iter().next().expect("there is one");
            return self.compare(ast::CompareOp::Equal, operand, only);
        }
        let operator = BinaryOperator::Equal;
        let mut label = operand.label;
        let mut ty = operand.operand();
        for item in &list {
            label = label.combine(item.label, operator.name())?;
            ty.ty = operators::comparison(operator, &ty, &item.operand())?;
            ty.is_null &= item.is_untyped();
            ty.integer = None;
        }
        let ty = self.in_collation(ty.ty, &label, operator.name())?;
        let operand = self.coerce_for_comparison(operand, ty)?;
        let mut exprs = Vec::with_capacity(list.len());
        for item in list {
            exprs.push(self.coerce_for_comparison(item, ty)?);
        }
        Ok(Pred::In(operand, exprs))
    }

    fn like(
        &mut self,
        operand: &ast::Expr,
        pattern: &ast::Expr,
        escape: Option<&ast::Expr>,
    ) -> BindResult<Pred> {
        let operand = self.scalar(operand)?;
        let pattern = self.scalar(pattern)?;
        let label = operand.label.combine(pattern.label, "like")?;
        let unicode = [&operand, &pattern].iter().any(|s| s.expr.ty.kind.is_unicode());
        let collation = label.resolve("like")?.unwrap_or(self.collation());
        let subject = self.text_for_like(operand, 1, unicode, collation)?;
        let pattern = self.text_for_like(pattern, 2, unicode, collation)?;
        let escape = match escape {
            Some(escape) => {
                let escape = self.scalar(escape)?;
                Some(self.text_for_like(escape, 3, unicode, collation)?)
            }
            None => None,
        };
        Ok(Pred::Like { subject, pattern, escape })
    }

    /// A string for `LIKE`. Error 8116 for what never becomes one.
    fn text_for_like(
        &mut self,
        operand: Scalar,
        place: u32,
        unicode: bool,
        collation: base::Collation,
    ) -> BindResult<Expr> {
        let own = operand.expr.ty;
        let kind = own.kind;
        if kind.is_character() && kind.is_unicode() == unicode && own.collation == collation {
            return Ok(operand.expr);
        }
        if matches!(kind, TypeKind::SqlVariant | TypeKind::Image) || kind.is_opaque() {
            let error = SqlError::new(&message::ARGUMENT_TYPE_INVALID, &[&kind, &place, &"like"]);
            return Err(error.into());
        }
        let ty = match (unicode, own.is_max()) {
            (true, true) => SqlType::nvarchar_max(collation),
            (true, false) => SqlType::nvarchar(4000, collation),
            (false, true) => SqlType::varchar_max(collation),
            (false, false) => SqlType::varchar(8000, collation),
        };
        // A string keeps its length; nothing else has one.
        let ty = match own.declared_length() {
            Some(length) if kind.is_character() && unicode => {
                SqlType::nvarchar(length.clamp(1, 4000), collation)
            }
            Some(length) if kind.is_character() => {
                let length =
                    if kind.is_chars() { own.recollated(collation).length } else { length };
                SqlType::varchar(length, collation)
            }
            _ => ty,
        };
        self.coerce(operand, ty)
    }

    /// `a = ANY (SELECT …)`.
    fn quantified(
        &mut self,
        op: CompareOp,
        all: bool,
        left: &ast::Expr,
        query: &ast::Query,
    ) -> BindResult<Pred> {
        let left = self.scalar(left)?;
        let BoundSubquery { plan: mut node, column, correlated } = self.subquery(query)?;
        let operator = operator_of_compare(op);
        let right = super::query::scalar_of(&column);
        let id = column.id;
        let (left, right) = self.comparands(operator, left, right)?;
        let column = match right.kind {
            ExprKind::Column(same) if same == id => id,
            _ => {
                let converted = self.free_column();
                let columns = vec![(converted, right)];
                node = Node::Compute { input: Box::new(node), columns };
                converted
            }
        };
        let subquery = Box::new(Subquery { plan: node, column, correlated, implied: false });
        Ok(Pred::Quantified { op, all, left, subquery })
    }

    /// `UPDATE(column)`: a bit of `COLUMNS_UPDATED()`. Errors 140, 207.
    fn updated_column(&mut self, column: &ast::Ident) -> BindResult<Pred> {
        let line = column.span.line;
        let Some(trigger) = self.names.trigger() else {
            let message = match self.names.in_event_trigger() {
                true => &message::UPDATE_IN_EVENT_TRIGGER,
                false => &message::IF_UPDATE_OUTSIDE_TRIGGER,
            };
            return Err(SqlError::new(message, &[]).at_line(line).into());
        };
        let def = trigger.table.columns.iter().find(|c| self.same_name(&c.name, &column.name));
        let Some(def) = def else {
            let error = SqlError::new(&message::INVALID_COLUMN, &[&column.name]);
            return Err(error.at_line(line).into());
        };
        let bit = def.id.0 - 1;
        let mask = Expr {
            kind: ExprKind::Variable(trigger.columns_updated),
            ty: SqlType::varbinary(128),
            nullable: true,
        };
        let place = Scalar::constant(SqlType::int(), base::Value::Int(i64::from(bit / 8 + 1)));
        let one = Scalar::constant(SqlType::int(), base::Value::Int(1));
        let byte = self.library_call("SUBSTRING", vec![Scalar::computed(mask), place, one])?;
        let byte = self.explicit_cast(byte, SqlType::int(), CastMode::Explicit, None)?;
        let nullable = byte.expr.nullable;
        let wanted = base::Value::Int(1 << (bit % 8));
        let wanted = Scalar::constant(SqlType::int(), wanted).expr;
        let kind = ExprKind::Arith {
            op: ArithOp::BitAnd,
            left: Box::new(byte.expr),
            right: Box::new(wanted),
        };
        Ok(Pred::Bit(Expr { kind, ty: SqlType::int(), nullable }))
    }
}

fn is_variable(scalar: &Scalar) -> bool {
    matches!(scalar.expr.kind, ExprKind::Variable(_))
}

/// The condition, or its negation.
fn negate(negated: bool, pred: Pred) -> Pred {
    if negated { Pred::Not(Box::new(pred)) } else { pred }
}

/// A comparison as the plan knows it.
pub(super) fn compare_op(op: ast::CompareOp) -> CompareOp {
    match op {
        ast::CompareOp::Equal => CompareOp::Eq,
        ast::CompareOp::NotEqual => CompareOp::Ne,
        ast::CompareOp::Less => CompareOp::Lt,
        ast::CompareOp::LessOrEqual => CompareOp::Le,
        ast::CompareOp::Greater => CompareOp::Gt,
        ast::CompareOp::GreaterOrEqual => CompareOp::Ge,
    }
}

/// A comparison as base knows it.
fn comparison_of(op: ast::CompareOp) -> BinaryOperator {
    operator_of_compare(compare_op(op))
}

fn operator_of_compare(op: CompareOp) -> BinaryOperator {
    match op {
        CompareOp::Eq => BinaryOperator::Equal,
        CompareOp::Ne => BinaryOperator::NotEqual,
        CompareOp::Lt => BinaryOperator::Less,
        CompareOp::Le => BinaryOperator::LessOrEqual,
        CompareOp::Gt => BinaryOperator::Greater,
        CompareOp::Ge => BinaryOperator::GreaterOrEqual,
    }
}
