//! Queries: bodies with set operators, and what stands around a body; subqueries.

use base::types::conversion::may_overflow;
use base::types::operators;
use base::{SqlError, SqlType, message};
use tsql::ast::{self, ForKind, QueryBody, SetOperator};

use super::binder::Binder;
use super::context::{AtLine, BindError, BindResult};
use super::order::{Limit, Tail, limited_by};
use super::scalar::{Origin, Scalar};
use super::scope::OutCol;
use super::select::{Output, Usage};
use crate::plan::expr::{ColId, Expr, ExprKind, Subquery};
use crate::plan::tree::{JoinKind, Node};

/// How many set operators of different kinds there may be in a row: each is an operator inside the
/// next one.
const SET_DEPTH_MAX: usize = 64;

impl Binder<'_> {
    /// A query with its order. Errors 8623 and 8631 where it is too much.
    pub fn query(&mut self, query: &ast::Query, usage: Usage) -> BindResult<Output> {
        self.deeper(query.span.line)?;
        match query.for_clause.as_deref() {
            None => self.rows_of(query, usage),
            Some(ast::ForClause { span, kind: ForKind::Json(json) }) => {
                self.for_json(query, json, usage, span.line)
            }
            Some(ast::ForClause { span, kind: ForKind::Xml(xml) }) => {
                self.for_xml(query, xml, usage, span.line)
            }
            Some(clause) => {
                self.for_clause(clause, usage)?;
                self.rows_of(query, usage)
            }
        }
    }

    /// A query without what `FOR` makes of its rows.
    pub fn rows_of(&mut self, query: &ast::Query, usage: Usage) -> BindResult<Output> {
        let tail = Tail { order_by: &query.order_by, offset: query.offset.as_deref() };
        match &query.body {
            QueryBody::Select(select) => self.select(select, &tail, usage),
            QueryBody::Nested(nested) if query.order_by.is_empty() => self.query(nested, usage),
            body => self.ordered_set(body, &tail, usage),
        }
    }

    /// `FOR BROWSE` means nothing here; it is an error in the wrong place (156).
    fn for_clause(&self, clause: &ast::ForClause, usage: Usage) -> BindResult<()> {
        let error = match &clause.kind {
            ForKind::Browse if usage == Usage::Statement => return Ok(()),
            _ => SqlError::new(&message::SYNTAX_NEAR_KEYWORD, &[&"FOR"]),
        };
        Err(error.at_line(clause.span.line).into())
    }

    /// Set operators, or a query in parentheses, with an order of their own.
    fn ordered_set(
        &mut self,
        body: &QueryBody,
        tail: &Tail<'_>,
        usage: Usage,
    ) -> BindResult<Output> {
        let means_nothing = tail.offset.is_none() && usage.refuses_order();
        if let Some(first) = tail.order_by.first()
            && means_nothing
            && !ends_with_top(body)
        {
            let line = first.expr.span.line;
            return Err(SqlError::new(&message::ORDER_BY_WITHOUT_TOP, &[]).at_line(line).into());
        }
        let mut output = self.body(body, usage)?;
        let mut keys = self.order_of_columns(tail.order_by, body, &output.columns)?;
        if means_nothing {
            keys.clear();
        }
        let limit = match tail.offset {
            Some(offset) => self.offset(offset)?,
            None => Limit::All,
        };
        output.node = limited_by(output.node, keys, limit);
        Ok(output)
    }

    /// A body without order.
    pub fn body(&mut self, body: &QueryBody, usage: Usage) -> BindResult<Output> {
        match body {
            QueryBody::Select(select) => self.select(select, &Tail::default(), usage),
            QueryBody::Nested(query) => self.query(query, usage),
            QueryBody::Set(chain) => {
                // The operands' columns count even where the whole's do not.
                let operand = match usage {
                    Usage::Exists => Usage::Subquery,
                    Usage::Statement | Usage::Target | Usage::Serialized => Usage::Derived,
                    other => other,
                };
                let leading = if usage == Usage::Serialized { usage } else { operand };
                let mut first = self.body(&chain.first, leading)?;
                let tables = std::mem::take(&mut first.tables);
                let output = self.set_chain(first, &chain.rest, operand)?;
                Ok(Output { tables: tables.of_no_column(), ..output })
            }
        }
    }

    /// `first op a op b …`. Unions of one kind in a row are one operator. Error 191 for too many
    /// others.
    pub fn set_chain(
        &mut self,
        first: Output,
        rest: &[(SetOperator, QueryBody)],
        usage: Usage,
    ) -> BindResult<Output> {
        let mut left = first;
        let same_union = |a: &(SetOperator, QueryBody), b: &(SetOperator, QueryBody)| {
            a.0 == b.0 && matches!(a.0, SetOperator::Union | SetOperator::UnionAll)
        };
        for (depth, run) in rest.chunk_by(same_union).enumerate() {
            let line = run.first().map_or(0, |(_, body)| body_line(body));
            if depth == SET_DEPTH_MAX {
                return Err(SqlError::new(&message::NESTED_TOO_DEEPLY, &[]).at_line(line).into());
            }
            let mut operands = vec![(left, line)];
            for (_, body) in run {
                operands.push((self.body(body, usage)?, body_line(body)));
            }
            left = self.set_operation(run[0].0, operands)?;
        }
        Ok(left)
    }

    /// `UNION` of two or more, `EXCEPT` or `INTERSECT` of two, each with its line. Errors 205, 206,
    /// 257, 421, 468.
    fn set_operation(
        &mut self,
        operator: SetOperator,
        mut operands: Vec<(Output, u32)>,
    ) -> BindResult<Output> {
        let name = match operator {
            SetOperator::Union => "UNION",
            SetOperator::UnionAll => "UNION ALL",
            SetOperator::Except => "EXCEPT",
            SetOperator::Intersect => "INTERSECT",
        };
        let mut columns = operands[0].0.columns.clone();
        for (operand, line) in &operands[1..] {
            columns = self.united_all(&columns, &operand.columns, name).at(*line)?;
        }
        let line = operands[1].1;
        if operator != SetOperator::UnionAll {
            for column in &columns {
                let kind = column.ty.kind;
                if kind.is_incomparable() || kind.is_legacy_lob() {
                    let message = match kind.is_incomparable() {
                        true => &message::NOT_COMPARABLE_SET_OPERAND,
                        false => &message::NOT_COMPARABLE_DISTINCT,
                    };
                    let error = SqlError::new(message, &[&kind]);
                    return Err(error.at_line(line).into());
                }
                column.label.resolve(name).at(line)?;
            }
        }
        let node = match operator {
            SetOperator::Union | SetOperator::UnionAll => {
                let mut inputs = Vec::with_capacity(operands.len());
                for (operand, line) in operands {
                    inputs.push(self.converted_to(operand, &columns).at(line)?);
                }
                let ids = columns.iter().map(|c| c.id).collect();
                union_of(inputs, ids, operator == SetOperator::Union)
            }
            SetOperator::Except | SetOperator::Intersect => {
                let (right, _) = operands.pop().expect("there are two");
                let (left, _) = operands.pop().expect("there are two");
                let left = self.converted_to(left, &columns).at(line)?;
                let right = self.converted_to(right, &columns).at(line)?;
                for (column, id) in columns.iter_mut().zip(&left.1) {
                    column.id = *id;
                }
                let semi = operator == SetOperator::Intersect;
                matched_rows(left, right, &columns, semi)
            }
        };
        Ok(Output::of(node, columns))
    }

    /// Columns that hold values of both sides. Error 205 if there are not as many.
    fn united_all(
        &mut self,
        left: &[OutCol],
        right: &[OutCol],
        name: &'static str,
    ) -> BindResult<Vec<OutCol>> {
        if left.len() != right.len() {
            return Err(SqlError::new(&message::SET_OPERATOR_WIDTHS_DIFFER, &[]).into());
        }
        left.iter().zip(right).map(|(a, b)| self.united(a, b, name)).collect()
    }

    /// A column that holds values of both.
    fn united(&mut self, a: &OutCol, b: &OutCol, name: &'static str) -> BindResult<OutCol> {
        let label = a.label.combine(b.label, name)?;
        let is_untyped = |c: &OutCol| matches!(c.origin, Origin::Null | Origin::Undeclared(_));
        let ty = match (is_untyped(a), is_untyped(b)) {
            (true, false) => b.ty,
            (false, true) => a.ty,
            _ => operators::unify(&a.ty, &b.ty)?,
        };
        let ty = label.any_collation().map_or(ty, |c| ty.recollated(c));
        let origin = match is_untyped(a) && is_untyped(b) {
            true => self.untyped_together([a.origin, b.origin].into_iter()),
            false => {
                // A variable in one of them is of the other's type.
                self.typed(scalar_of(a), &ty);
                self.typed(scalar_of(b), &ty);
                // SQL Server forgets it where strings may be of any length.
                let is_json = |c: &OutCol| c.origin == Origin::Json;
                ((is_json(a) || is_json(b)) && !ty.is_max()).then_some(Origin::Json)
            }
        };
        let origin = origin.unwrap_or(Origin::Plain);
        Ok(OutCol {
            id: self.free_column(),
            name: a.name.clone(),
            ty,
            nullable: a.nullable
                || b.nullable
                || may_overflow(&a.ty, &ty)
                || may_overflow(&b.ty, &ty),
            label,
            origin,
            base: None,
            views: Vec::new(),
            hidden: false,
        })
    }

    /// A query's rows with its columns converted to these types.
    pub fn converted_to(
        &mut self,
        output: Output,
        columns: &[OutCol],
    ) -> BindResult<(Node, Vec<ColId>)> {
        let mut ids = Vec::with_capacity(columns.len());
        let mut conversions = Vec::new();
        for (own, wanted) in output.columns.into_iter().zip(columns) {
            // Whatever stands in one column has one representation: the same type.
            if own.ty == wanted.ty {
                ids.push(own.id);
                continue;
            }
            let id = self.free_column();
            let expr = self.coerce(scalar_of(&own), wanted.ty)?;
            conversions.push((id, expr));
            ids.push(id);
        }
        Ok((super::select::computed(output.node, conversions), ids))
    }
}

/// A subquery of one column.
pub struct BoundSubquery {
    /// Its rows.
    pub plan: Node,
    /// The column.
    pub column: OutCol,
    /// Whether it refers to what encloses it.
    pub correlated: bool,
}

/// Subqueries.
impl Binder<'_> {
    /// `(SELECT …)` as a value. Error 116.
    pub fn scalar_subquery(&mut self, query: &ast::Query) -> BindResult<Scalar> {
        let BoundSubquery { plan, column, correlated } = self.subquery(query)?;
        let OutCol { id, ty, label, origin, .. } = column;
        let subquery = Subquery { plan, column: id, correlated, implied: false };
        let expr = Expr { kind: ExprKind::Subquery(Box::new(subquery)), ty, nullable: true };
        let json = origin == Origin::Json;
        Ok(Scalar { expr, label, origin: Origin::Plain }.marked(json))
    }

    /// A subquery of one column. Error 116.
    pub fn subquery(&mut self, query: &ast::Query) -> BindResult<BoundSubquery> {
        let (mut output, correlated) = self.enclosed(query, Usage::Subquery)?;
        if output.columns.len() != 1 {
            let error = SqlError::new(&message::SUBQUERY_TOO_MANY_COLUMNS, &[]);
            return Err(error.at_line(query.span.line).into());
        }
        let column = output.columns.remove(0);
        Ok(BoundSubquery { plan: output.node, column, correlated })
    }

    /// The subquery of `EXISTS`.
    pub fn exists_subquery(&mut self, query: &ast::Query) -> BindResult<Subquery> {
        let (output, correlated) = self.enclosed(query, Usage::Exists)?;
        Ok(Subquery { plan: output.node, column: ColId(0), correlated, implied: false })
    }

    /// A query inside another, and whether it refers to it.
    fn enclosed(&mut self, query: &ast::Query, usage: Usage) -> BindResult<(Output, bool)> {
        if self.scalar_only {
            let error = SqlError::new(&message::SUBQUERY_NOT_ALLOWED, &[]);
            return Err(error.at_line(query.span.line).into());
        }
        let level = self.blocks.len();
        let before = std::mem::replace(&mut self.outermost, usize::MAX);
        let output = self.query(query, usage);
        let correlated = self.outermost < level;
        self.outermost = self.outermost.min(before);
        Ok((output?, correlated))
    }
}

/// A column of a query as an expression.
pub(super) fn scalar_of(column: &OutCol) -> Scalar {
    if column.origin == Origin::Null {
        // As of any type it is the same.
        return Scalar::null();
    }
    let kind = ExprKind::Column(column.id);
    let expr = Expr { kind, ty: column.ty, nullable: column.nullable };
    Scalar { expr, label: column.label, origin: column.origin }
}

/// The rows of all inputs, perhaps without duplicates. Unions of unions are one.
fn union_of(inputs: Vec<(Node, Vec<ColId>)>, columns: Vec<ColId>, distinct: bool) -> Node {
    let mut flat: Vec<(Node, Vec<ColId>)> = Vec::with_capacity(inputs.len());
    for (node, ids) in inputs {
        match node {
            Node::Union { inputs: inner, columns: own } if own == ids => flat.extend(inner),
            // Duplicates are removed once, above.
            Node::Distinct { input, columns: own } if distinct && own == ids => match *input {
                Node::Union { inputs: inner, columns: of } if of == ids => flat.extend(inner),
                other => flat.push((other, ids)),
            },
            node => flat.push((node, ids)),
        }
    }
    let union = Node::Union { inputs: flat, columns: columns.clone() };
    match distinct {
        true => Node::Distinct { input: Box::new(union), columns },
        false => union,
    }
}

/// The different rows of one side that the other has (`semi`), or has not.
fn matched_rows(
    (left, left_ids): (Node, Vec<ColId>),
    (right, right_ids): (Node, Vec<ColId>),
    columns: &[OutCol],
    semi: bool,
) -> Node {
    let key = |id: &ColId, ty: SqlType| Expr { kind: ExprKind::Column(*id), ty, nullable: true };
    let keys = (left_ids.iter().zip(&right_ids).zip(columns))
        .map(|((l, r), c)| (key(l, c.ty), key(r, c.ty)))
        .collect();
    let join = Node::HashJoin {
        kind: if semi { JoinKind::Semi } else { JoinKind::Anti },
        probe: Box::new(left),
        build: Box::new(right),
        keys,
        null_equal: true,
        residual: None,
    };
    Node::Distinct { input: Box::new(join), columns: left_ids }
}

/// Whether the last operand of set operators has `TOP`: as in SQL Server an order is accepted after
/// it, although it is the whole's.
fn ends_with_top(body: &QueryBody) -> bool {
    match body {
        QueryBody::Select(select) => select.top.is_some(),
        QueryBody::Nested(_) => false,
        QueryBody::Set(chain) => chain.rest.last().is_some_and(|(_, last)| ends_with_top(last)),
    }
}

/// The line of a body, for errors about set operators.
fn body_line(body: &QueryBody) -> u32 {
    match body {
        QueryBody::Select(select) => select.span.line,
        QueryBody::Nested(query) => query.span.line,
        QueryBody::Set(chain) => body_line(&chain.first),
    }
}

/// The error for something that a statement cannot be.
pub(super) fn unimplemented(what: &str, line: u32) -> BindError {
    SqlError::new(&message::UNIMPLEMENTED, &[&what]).at_line(line).into()
}
