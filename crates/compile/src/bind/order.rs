//! `ORDER BY`, `TOP`, `OFFSET … FETCH`.

use base::{SqlError, SqlType, Value, message};
use ir::operator::{ArithOp, CompareOp};
use tsql::ast::{self, OrderItem};

use super::binder::Binder;
use super::context::{AtLine, BindError, BindResult};
use super::expr::check_sortable;
use super::scalar::{Origin, Scalar};
use super::scope::{Clause, OutCol};
use super::select::{Item, Usage};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred, SortKey};
use crate::plan::tree::Node;
use crate::plan::walk;

/// What a query says after its body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tail<'q> {
    pub order_by: &'q [OrderItem],
    pub offset: Option<&'q ast::Offset>,
}

/// A bound `ORDER BY`.
#[derive(Debug, Default)]
pub(super) struct Order {
    pub keys: Vec<Key>,
}

/// One key of an order.
#[derive(Debug)]
pub(super) struct Key {
    /// The entry of the select list that it is.
    pub item: Option<usize>,
    /// Otherwise its value.
    pub expr: Option<Expr>,
    /// The type of its value.
    pub ty: SqlType,
    /// Whether its value may be NULL.
    pub nullable: bool,
    /// The column that has its value, once there is one.
    pub column: Option<ColId>,
    pub descending: bool,
    pub line: u32,
}

/// How many rows of a query are wanted.
#[derive(Debug, Default)]
pub(super) enum Limit {
    #[default]
    All,
    Top {
        count: Expr,
        percent: bool,
        ties: bool,
    },
    Offset {
        offset: Expr,
        fetch: Option<Expr>,
    },
}

impl Key {
    fn sort_key(&self) -> SortKey {
        let column = self.column.expect("every key has been placed");
        let kind = ExprKind::Column(column);
        let expr = Expr { kind, ty: self.ty, nullable: self.nullable };
        SortKey { expr, descending: self.descending }
    }
}

impl Binder<'_> {
    /// `ORDER BY` of a single `SELECT`. Errors 108, 145, 169, 209, 306, 408, 1008.
    pub fn order_by(
        &mut self,
        list: &[OrderItem],
        items: &[Item],
        distinct: bool,
    ) -> BindResult<Order> {
        let mut order = Order::default();
        for (at, entry) in list.iter().enumerate() {
            let line = entry.expr.span.line;
            let fail = |error: SqlError| BindError::from(error.at_line(line));
            let mut item = self.item_meant(&entry.expr, items)?;
            let mut expr = None;
            if item.is_none() {
                let bound =
                    self.in_clause(Clause::OrderBy, |b| b.part(|b| b.scalar(&entry.expr)))?;
                let Some(bound) = bound else { continue };
                check_key(&bound, at + 1).map_err(fail)?;
                bound.label.resolve("ORDER BY").at(line)?;
                let same = |i: &Item| walk::same_expr(&i.scalar.expr, &bound.expr);
                item = items.iter().position(|i| i.assign.is_none() && same(i));
                if item.is_none() {
                    if distinct {
                        return Err(fail(SqlError::new(&message::ORDER_BY_NOT_IN_DISTINCT, &[])));
                    }
                    expr = Some(bound.expr);
                }
            }
            let (ty, nullable) = match (&item, &expr) {
                (Some(at), _) => {
                    let scalar = &items[*at].scalar;
                    scalar.label.resolve("ORDER BY").at(line)?;
                    (scalar.expr.ty, scalar.expr.nullable)
                }
                (None, Some(expr)) => (expr.ty, true),
                (None, None) => unreachable!("a key is an item or an expression"),
            };
            check_sortable(ty.kind, "ORDER BY").at(line)?;
            let repeated = |key: &Key| match (&key.expr, &expr) {
                (Some(a), Some(b)) => walk::same_expr(a, b),
                _ => item.is_some() && key.item == item,
            };
            if order.keys.iter().any(repeated) {
                return Err(fail(SqlError::new(&message::ORDER_BY_DUPLICATE, &[])));
            }
            let descending = entry.descending;
            order.keys.push(Key { item, expr, ty, nullable, column: None, descending, line });
        }
        Ok(order)
    }

    /// The entry of the select list that a position or an alias means. Errors 108, 209.
    fn item_meant(&self, expr: &ast::Expr, items: &[Item]) -> BindResult<Option<usize>> {
        let line = expr.span.line;
        match &expr.kind {
            ast::ExprKind::Literal(ast::Literal::Integer(position)) => {
                match usize::try_from(*position).ok().filter(|p| (1..=items.len()).contains(p)) {
                    Some(position) => Ok(Some(position - 1)),
                    None => Err(position_out_of_range(i64::from(*position), line)),
                }
            }
            ast::ExprKind::Column(column) if column.qualifier.is_none() => {
                let name = &column.column.name;
                let called = |i: &&Item| i.name.as_deref().is_some_and(|n| self.same_name(n, name));
                let mut found = items.iter().filter(called);
                let Some(first) = found.next() else { return Ok(None) };
                let differs =
                    |other: &Item| !walk::same_expr(&other.scalar.expr, &first.scalar.expr);
                if found.any(differs) {
                    let error = SqlError::new(&message::AMBIGUOUS_COLUMN, &[name]);
                    return Err(error.at_line(line).into());
                }
                Ok(items.iter().position(|i| std::ptr::eq(i, first)))
            }
            _ => Ok(None),
        }
    }

    /// `ORDER BY` after set operators: by position, by a name of the result, or by a column of a
    /// table as the first operand's select list has it, under whatever name. Errors 104, 108, 209,
    /// 306, 4104.
    pub fn order_of_columns(
        &self,
        list: &[OrderItem],
        body: &ast::QueryBody,
        columns: &[OutCol],
    ) -> BindResult<Vec<SortKey>> {
        let mut keys: Vec<SortKey> = Vec::with_capacity(list.len());
        for entry in list {
            let line = entry.expr.span.line;
            let fail = |message| BindError::from(SqlError::new(message, &[]).at_line(line));
            let at = match &entry.expr.kind {
                ast::ExprKind::Literal(ast::Literal::Integer(position)) => {
                    let place = usize::try_from(*position).ok().and_then(|p| p.checked_sub(1));
                    let place = place.filter(|p| *p < columns.len());
                    place.ok_or_else(|| position_out_of_range(i64::from(*position), line))?
                }
                ast::ExprKind::Column(column) => {
                    let called = |name: &str| {
                        let is = |n: &str| self.same_name(n, name);
                        columns.iter().position(|c| c.name.as_deref().is_some_and(is))
                    };
                    let own = match column.qualifier {
                        None => called(&column.column.name),
                        Some(_) => None,
                    };
                    let at = match own {
                        Some(at) => Some(at),
                        None => self.listed_as(body, column).at(line)?.and_then(called),
                    };
                    at.ok_or_else(|| match &column.qualifier {
                        None => fail(&message::ORDER_BY_NOT_IN_SET_SELECT_LIST),
                        Some(of) => {
                            let text = format!("{of}.{}", column.column.name);
                            let error = SqlError::new(&message::MULTIPART_NOT_BOUND, &[&text]);
                            error.at_line(line).into()
                        }
                    })?
                }
                _ => return Err(fail(&message::ORDER_BY_NOT_IN_SET_SELECT_LIST)),
            };
            let column = &columns[at];
            check_sortable(column.ty.kind, "ORDER BY").at(line)?;
            column.label.resolve("ORDER BY").at(line)?;
            let kind = ExprKind::Column(column.id);
            let expr = Expr { kind, ty: column.ty, nullable: column.nullable };
            if keys.iter().any(|key| walk::same_expr(&key.expr, &expr)) {
                return Err(fail(&message::ORDER_BY_DUPLICATE));
            }
            keys.push(SortKey { expr, descending: entry.descending });
        }
        Ok(keys)
    }

    /// The name that the first operand's select list gives to a column of a table. Error 209 where
    /// a name without qualifier is that of columns of several tables.
    fn listed_as<'q>(
        &self,
        body: &'q ast::QueryBody,
        wanted: &ast::ColumnRef,
    ) -> BindResult<Option<&'q str>> {
        let mut first = body;
        let select = loop {
            match first {
                ast::QueryBody::Select(select) => break select,
                ast::QueryBody::Nested(query) => first = &query.body,
                ast::QueryBody::Set(chain) => first = &chain.first,
            }
        };
        let same_table = |a: &ast::ObjectName, b: &ast::ObjectName| {
            self.same_name(&a.to_string(), &b.to_string())
        };
        let mut found: Option<(&str, Option<&ast::ObjectName>)> = None;
        for item in &select.items {
            let ast::SelectItemKind::Expr { expr, alias } = &item.kind else { continue };
            let ast::ExprKind::Column(column) = &expr.kind else { continue };
            if !self.same_name(&column.column.name, &wanted.column.name) {
                continue;
            }
            let table = column.qualifier.as_deref();
            if let Some(of) = &wanted.qualifier
                && !table.is_some_and(|table| same_table(table, of))
            {
                continue;
            }
            match found {
                None => found = Some((&alias.as_ref().unwrap_or(&column.column).name, table)),
                Some((_, Some(other))) if table.is_some_and(|table| !same_table(table, other)) => {
                    let name = &wanted.column.name;
                    return Err(SqlError::new(&message::AMBIGUOUS_COLUMN, &[name]).into());
                }
                Some(_) => {}
            }
        }
        Ok(found.map(|(name, _)| name))
    }

    /// `TOP` or `OFFSET`. Errors 1033, 1060, 1062, 4115, 10741, 10743.
    pub fn limit(
        &mut self,
        select: &ast::Select,
        tail: &Tail<'_>,
        usage: Usage,
    ) -> BindResult<Limit> {
        if let Some(top) = &select.top {
            let line = top.span.line;
            if tail.offset.is_some() {
                return Err(SqlError::new(&message::TOP_WITH_OFFSET, &[]).at_line(line).into());
            }
            if top.with_ties && tail.order_by.is_empty() {
                return Err(SqlError::new(&message::TIES_WITHOUT_ORDER_BY, &[])
                    .at_line(line)
                    .into());
            }
            return self.top(top);
        }
        if let Some(first) = tail.order_by.first()
            && tail.offset.is_none()
            && usage.refuses_order()
        {
            let line = first.expr.span.line;
            return Err(SqlError::new(&message::ORDER_BY_WITHOUT_TOP, &[]).at_line(line).into());
        }
        match tail.offset {
            Some(offset) => self.offset(offset),
            None => Ok(Limit::All),
        }
    }

    /// `TOP (n)`.
    pub fn top(&mut self, top: &ast::Top) -> BindResult<Limit> {
        let count = match top.percent {
            true => self.row_count(&top.count, SqlType::float(), &message::TOP_NOT_INTEGER)?,
            false => self.row_count(&top.count, SqlType::bigint(), &message::TOP_NOT_INTEGER)?,
        };
        Ok(Limit::Top { count, percent: top.percent, ties: top.with_ties })
    }

    /// `OFFSET n ROWS FETCH NEXT m ROWS ONLY`.
    pub fn offset(&mut self, offset: &ast::Offset) -> BindResult<Limit> {
        let ty = SqlType::bigint();
        let fetch = offset.fetch.as_ref();
        let fetch = fetch.map(|f| self.row_count(f, ty, &message::TOP_NOT_INTEGER)).transpose()?;
        let offset = self.row_count(&offset.offset, ty, &message::OFFSET_NOT_INTEGER)?;
        Ok(Limit::Offset { offset, fetch })
    }

    /// A number of rows: no column of the query itself may be in it. Errors 1060, 4115, 10743.
    fn row_count(
        &mut self,
        expr: &ast::Expr,
        ty: SqlType,
        not_integer: &base::message::Message,
    ) -> BindResult<Expr> {
        let line = expr.span.line;
        let own = self.blocks.len().checked_sub(1).filter(|own| *own >= self.env.base);
        let count = match own {
            Some(_) => self.in_clause(Clause::Top, |b| b.scalar(expr))?,
            None => self.scalar(expr)?,
        };
        if let Some(own) = own {
            let columns = super::group::own_columns(&self.blocks[own]);
            if walk::uses(&count.expr).iter().any(|c| columns.contains(c)) {
                let name = column_name(expr);
                let error = SqlError::new(&message::COLUMN_IN_TOP, &[&name]);
                return Err(error.at_line(line).into());
            }
        }
        let kind = count.expr.ty.kind;
        let fits = count.is_untyped()
            || kind.is_integer()
            || (ty == SqlType::float() && kind.is_numeric());
        // A number that is not an integer is one if it says so: 5.0 is not.
        if !fits {
            return Err(SqlError::new(not_integer, &[]).at_line(line).into());
        }
        self.coerce(count, ty).at(line)
    }
}

/// The rows in order, as many as wanted.
pub(super) fn limited(node: Node, order: &Order, limit: Limit) -> Node {
    let keys: Vec<SortKey> = order.keys.iter().map(Key::sort_key).collect();
    limited_by(node, keys, limit)
}

/// As `limited`, with keys that are columns.
pub(super) fn limited_by(node: Node, keys: Vec<SortKey>, limit: Limit) -> Node {
    let ties: Vec<ColId> = keys.iter().filter_map(|key| column_of(&key.expr)).collect();
    let node = match keys.is_empty() {
        true => node,
        false => {
            let columns = walk::outputs(&node);
            Node::Sort { input: Box::new(node), keys, limit: rows_wanted(&limit), columns }
        }
    };
    let input = Box::new(node);
    match limit {
        Limit::All => *input,
        Limit::Top { count, percent, ties: with_ties } => {
            Node::Top { input, count, percent, ties: with_ties.then_some(ties) }
        }
        Limit::Offset { offset, fetch } => Node::Offset { input, offset, fetch },
    }
}

/// How many rows of a sort can be wanted at most, where that is known before it.
fn rows_wanted(limit: &Limit) -> Option<Expr> {
    match limit {
        Limit::Top { count, percent: false, ties: false } => Some(count.clone()),
        Limit::Offset { offset, fetch: Some(fetch) } => sum_of(offset, fetch),
        _ => None,
    }
}

/// The sum of two numbers of rows, 0 if one of them is negative ([`Node::Offset`] raises the
/// error); nothing if it could overflow.
fn sum_of(offset: &Expr, fetch: &Expr) -> Option<Expr> {
    let bigint = |kind| Expr { kind, ty: SqlType::bigint(), nullable: true };
    let constant = |value| bigint(ExprKind::Constant(Value::Int(value)));
    if let (ExprKind::Constant(Value::Int(a)), ExprKind::Constant(Value::Int(b))) =
        (&offset.kind, &fetch.kind)
    {
        return a.checked_add(*b).filter(|_| *a >= 0 && *b >= 0).map(constant);
    }
    let small = |e: &Expr| match &e.kind {
        ExprKind::Constant(Value::Int(value)) => i32::try_from(*value).is_ok(),
        ExprKind::Cast { operand, .. } => operand.ty.kind.is_integer() && operand.ty.length <= 4,
        _ => false,
    };
    if !small(offset) || !small(fetch) || walk::has_subquery(offset) || walk::has_subquery(fetch) {
        return None;
    }
    let positive = |e: &Expr| Pred::Compare(CompareOp::Ge, e.clone(), constant(0));
    let kind = ExprKind::Arith {
        op: ArithOp::Add,
        left: Box::new(offset.clone()),
        right: Box::new(fetch.clone()),
    };
    let both = Pred::And(vec![positive(offset), positive(fetch)]);
    let branches = vec![(both, bigint(kind))];
    Some(bigint(ExprKind::Case { branches, otherwise: Some(Box::new(constant(0))) }))
}

/// The column that an expression is.
pub(super) fn column_of(expr: &Expr) -> Option<ColId> {
    match expr.kind {
        ExprKind::Column(column) => Some(column),
        _ => None,
    }
}

/// Errors 408 and 1008 about a key that no row changes.
fn check_key(key: &Scalar, place: usize) -> Result<(), SqlError> {
    match (&key.expr.kind, key.origin) {
        (ExprKind::Variable(_), _) => Err(SqlError::new(&message::ORDER_BY_VARIABLE, &[&place])),
        (
            ExprKind::Constant(_),
            Origin::Integer | Origin::Null | Origin::Literal | Origin::Plain | Origin::Json,
        ) => Err(SqlError::new(&message::CONSTANT_IN_ORDER_BY, &[&place])),
        _ => Ok(()),
    }
}

/// Error 108: the position is not that of a column.
fn position_out_of_range(position: i64, line: u32) -> BindError {
    let error = SqlError::new(&message::ORDER_BY_POSITION_OUT_OF_RANGE, &[&position]);
    error.at_line(line).into()
}

/// The name of the first column in an expression, for message 4115.
fn column_name(expr: &ast::Expr) -> String {
    match &expr.kind {
        ast::ExprKind::Column(column) => column.column.name.to_string(),
        ast::ExprKind::Chain { first, rest } => {
            let operands = std::iter::once(&**first).chain(rest.iter().map(|(_, right)| right));
            operands.map(column_name).find(|name| !name.is_empty()).unwrap_or_default()
        }
        ast::ExprKind::Unary { operand, .. } => column_name(operand),
        ast::ExprKind::Cast(cast) => column_name(&cast.operand),
        _ => String::new(),
    }
}
