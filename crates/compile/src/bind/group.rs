//! `GROUP BY`: groups, grouping sets, and what expressions over a group may contain.
//!
//! Expressions are bound over the rows of the `FROM` first. When all are, and the block turns out
//! to be grouped, those above the grouping are rewritten: what equals a grouping expression becomes
//! its column, and any other column of the block is an error.

use base::{SqlError, SqlType, Value, message};
use ir::operator::ArithOp;
use tsql::ast::{self, Argument, Arguments, GroupBy, GroupingKind, GroupingSet};

use super::binder::Binder;
use super::context::{AtLine, BindResult};
use super::expr::check_sortable;
use super::method::has_method;
use super::scalar::Scalar;
use super::scope::{Block, Clause, Rows};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred};
use crate::plan::tree::Node;
use crate::plan::walk::{self, PartMut, Parts};

/// The most grouping expressions without grouping sets.
const GROUPS_MAX: usize = 32;

/// The most grouping sets.
const SETS_MAX: usize = 4096;

/// The grouping of a block.
#[derive(Debug, Default)]
pub(super) struct Grouping {
    /// For each set, which groups it keeps; empty for one set of all.
    pub sets: Vec<Vec<bool>>,
}

impl Binder<'_> {
    /// `GROUP BY`. Its expressions go to the block. Errors 144, 164, 306, 10703.
    pub fn group_by(&mut self, group_by: &GroupBy) -> BindResult<Grouping> {
        self.block().has_group_by = true;
        let mut lists: Vec<Vec<Vec<usize>>> = Vec::new();
        match group_by.with {
            None => {
                for item in &group_by.items {
                    lists.push(self.grouping_set(item)?);
                }
            }
            Some(kind) => {
                let mut composites = Vec::new();
                for item in &group_by.items {
                    let GroupingSet::Composite(exprs) = item else { continue };
                    for expr in exprs {
                        composites.push(self.part(|b| b.group(expr))?.into_iter().collect());
                    }
                }
                lists.push(match kind {
                    GroupingKind::Rollup => rollup(&composites),
                    GroupingKind::Cube => cube(&composites)?,
                });
            }
        }
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        for list in lists {
            few_enough(sets.len().saturating_mul(list.len()))?;
            sets = combine(&sets, &list);
        }
        let count = self.block().groups.len();
        let keeps =
            |set: &Vec<usize>| -> Vec<bool> { (0..count).map(|g| set.contains(&g)).collect() };
        let sets: Vec<Vec<bool>> = sets.iter().map(keeps).collect();
        if sets.len() > 1 && count > GROUPS_MAX {
            let error = SqlError::new(&message::TOO_MANY_GROUPING_EXPRESSIONS, &[&GROUPS_MAX]);
            return Err(error.into());
        }
        let plain = matches!(&sets[..], [only] if only.iter().all(|kept| *kept));
        Ok(Grouping { sets: if plain { Vec::new() } else { sets } })
    }

    /// The sets that an entry of the list stands for, as places of groups.
    fn grouping_set(&mut self, set: &GroupingSet) -> BindResult<Vec<Vec<usize>>> {
        let composites = |binder: &mut Self, list: &[Vec<ast::Expr>]| -> BindResult<Vec<_>> {
            list.iter().map(|exprs| binder.groups(exprs)).collect()
        };
        Ok(match set {
            GroupingSet::Composite(exprs) => vec![self.groups(exprs)?],
            GroupingSet::Rollup(list) => rollup(&composites(self, list)?),
            GroupingSet::Cube(list) => cube(&composites(self, list)?)?,
            GroupingSet::Sets(sets) => {
                let mut all = Vec::new();
                for set in sets {
                    all.extend(self.grouping_set(set)?);
                    few_enough(all.len())?;
                }
                all
            }
        })
    }

    fn groups(&mut self, exprs: &[ast::Expr]) -> BindResult<Vec<usize>> {
        let group = |expr| self.part(|b| b.group(expr)).transpose();
        exprs.iter().filter_map(group).collect()
    }

    /// The place of a grouping expression among the block's.
    fn group(&mut self, expr: &ast::Expr) -> BindResult<usize> {
        let line = expr.span.line;
        let fail = |message| Err(SqlError::new(message, &[]).at_line(line).into());
        let bound = self.scalar(expr)?;
        if walk::has_subquery(&bound.expr) {
            return fail(&message::AGGREGATE_IN_GROUP_BY);
        }
        if has_method(&bound.expr) {
            return fail(&message::XML_METHOD_IN_GROUP_BY);
        }
        let top = self.blocks.len() - 1;
        let own = own_columns(&self.blocks[top]);
        if !walk::uses(&bound.expr).iter().any(|c| own.contains(c)) {
            return fail(&message::GROUP_BY_WITHOUT_COLUMN);
        }
        check_sortable(bound.expr.ty.kind, "GROUP BY").at(line)?;
        bound.label.resolve("GROUP BY").at(line)?;
        let groups = &self.blocks[top].groups;
        if let Some(known) = groups.iter().position(|g| walk::same_expr(&g.1, &bound.expr)) {
            return Ok(known);
        }
        let column = self.free_column();
        let groups = &mut self.block().groups;
        groups.push((column, bound.expr));
        Ok(groups.len() - 1)
    }

    /// `GROUPING(a)` and `GROUPING_ID(a, b)`. Errors 8160, 8161.
    pub fn grouping_call(
        &mut self,
        call: &ast::FunctionCall,
        name: &str,
        line: u32,
    ) -> BindResult<Scalar> {
        let in_group = self.blocks.len() > self.env.base && self.block().has_group_by;
        if !in_group {
            return Err(SqlError::new(&message::GROUPING_WITHOUT_GROUP_BY, &[])
                .at_line(line)
                .into());
        }
        let Arguments::List { items, .. } = &call.arguments else {
            let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&"*"]);
            return Err(error.at_line(line).into());
        };
        let one = name == "GROUPING";
        if items.is_empty() || (one && items.len() > 1) {
            let lower = name.to_ascii_lowercase();
            let error = SqlError::new(&message::FUNCTION_ARGUMENT_COUNT, &[&lower, &1]);
            return Err(error.at_line(line).into());
        }
        let mut places = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let Argument::Expr(expr) = item else { continue };
            let bound = self.scalar(expr)?;
            let groups = &self.block().groups;
            let Some(place) = groups.iter().position(|g| walk::same_expr(&g.1, &bound.expr)) else {
                let message = &message::GROUPING_ARGUMENT_NOT_GROUPED;
                return Err(SqlError::new(message, &[&(at + 1), &name]).at_line(line).into());
            };
            places.push(place);
        }
        let mask = match self.block().grouping_id {
            Some(mask) => mask,
            None => {
                let mask = self.free_column();
                self.block().grouping_id = Some(mask);
                mask
            }
        };
        let ty = if one { SqlType::tinyint() } else { SqlType::int() };
        Ok(Scalar::computed(grouping_bits(mask, &places, ty)))
    }

    /// Puts the grouping of a block on top of its rows, and rewrites what is above it. `above`
    /// gives every expression with the clause that it is in.
    pub fn grouped(
        &mut self,
        input: Node,
        block: &mut Block,
        grouping: &Grouping,
        above: &mut [(Clause, u32, &mut Expr)],
        conditions: &mut [(Clause, u32, &mut Pred)],
    ) -> BindResult<Node> {
        let own = own_columns(block);
        let optional = !grouping.sets.is_empty();
        let rewrite = Regroup { binder: self, block, own: &own, optional };
        for (clause, line, expr) in above.iter_mut() {
            rewrite.expr(expr, *clause).at(*line)?;
        }
        for (clause, line, pred) in conditions.iter_mut() {
            rewrite.pred(pred, *clause).at(*line)?;
        }
        let mut windows = std::mem::take(&mut block.windows);
        let rewrite = Regroup { binder: self, block, own: &own, optional };
        for window in &mut windows {
            let mut result = Ok(());
            for expr in &mut window.partition {
                rewrite.expr(expr, Clause::Select)?;
            }
            let mut keep = |part: PartMut<'_>| {
                if let PartMut::Expr(expr) = part
                    && result.is_ok()
                {
                    result = rewrite.expr(expr, Clause::Select);
                }
            };
            window.order.iter_mut().for_each(|key| key.parts_mut(&mut keep));
            window.function.parts_mut(&mut keep);
            result?;
        }
        block.windows = windows;
        Ok(Node::Aggregate {
            input: Box::new(input),
            groups: std::mem::take(&mut block.groups),
            aggregates: std::mem::take(&mut block.aggregates),
            grouping_sets: grouping.sets.clone(),
            grouping_id: block.grouping_id,
            ordered: false,
        })
    }
}

/// The bits of a mask that say which of these groups are aggregated away, the last one lowest.
fn grouping_bits(mask: ColId, places: &[usize], ty: SqlType) -> Expr {
    let int = |kind| Expr { kind, ty: SqlType::int(), nullable: false };
    let arith = |op, left: Expr, right: Expr| {
        int(ExprKind::Arith { op, left: Box::new(left), right: Box::new(right) })
    };
    let constant = |value| int(ExprKind::Constant(Value::Int(value)));
    let mut sum: Option<Expr> = None;
    for (at, place) in places.iter().rev().enumerate() {
        let shifted = arith(ArithOp::Divide, int(ExprKind::Column(mask)), constant(1 << place));
        let bit = arith(ArithOp::BitAnd, shifted, constant(1));
        let bit = if at == 0 { bit } else { arith(ArithOp::Multiply, bit, constant(1 << at)) };
        sum = Some(match sum {
            None => bit,
            Some(sum) => arith(ArithOp::Add, sum, bit),
        });
    }
    let sum = sum.expect("there is an argument");
    if ty == SqlType::int() {
        return sum;
    }
    let mode = ir::operator::CastMode::Explicit;
    let kind = ExprKind::Cast { operand: Box::new(sum), mode, style: None };
    Expr { kind, ty, nullable: false }
}

/// The columns of a block's sources.
pub(super) fn own_columns(block: &Block) -> Vec<ColId> {
    let mut own = Vec::new();
    for source in &block.sources {
        match &source.rows {
            Rows::Scan(scan) => own.extend(scan.ids.iter().flatten().chain(&scan.row_number)),
            Rows::Derived(_, columns) => own.extend(columns.iter().map(|c| c.id)),
        }
    }
    own
}

/// Rewrites what is above a grouping.
struct Regroup<'b, 'c> {
    binder: &'b Binder<'c>,
    block: &'b Block,
    own: &'b [ColId],
    /// Whether a grouping set may make a group NULL.
    optional: bool,
}

impl Regroup<'_, '_> {
    fn expr(&self, expr: &mut Expr, clause: Clause) -> BindResult<()> {
        let groups = &self.block.groups;
        if let Some((column, group)) = groups.iter().find(|g| walk::same_expr(&g.1, expr)) {
            expr.nullable = group.nullable || self.optional;
            expr.kind = ExprKind::Column(*column);
            return Ok(());
        }
        if let ExprKind::Column(column) = expr.kind {
            return match self.own.contains(&column) {
                true => Err(self.not_grouped(column, clause)),
                false => Ok(()),
            };
        }
        self.parts(expr, clause)
    }

    fn pred(&self, pred: &mut Pred, clause: Clause) -> BindResult<()> {
        self.parts(pred, clause)
    }

    fn parts(&self, whole: &mut dyn Parts, clause: Clause) -> BindResult<()> {
        let mut result = Ok(());
        whole.parts_mut(&mut |part| {
            if result.is_ok() {
                result = match part {
                    PartMut::Expr(expr) => self.expr(expr, clause),
                    PartMut::Pred(pred) => self.pred(pred, clause),
                    PartMut::Node(node) => self.parts(node, clause),
                };
            }
        });
        result
    }

    /// The error about a column that is neither grouped nor aggregated: 8120, 8121, 8127.
    fn not_grouped(&self, column: ColId, clause: Clause) -> super::context::BindError {
        let message = match clause {
            Clause::Having => &message::NOT_IN_GROUP_BY_HAVING,
            Clause::OrderBy => &message::NOT_IN_GROUP_BY_ORDER_BY,
            _ => &message::NOT_IN_GROUP_BY_SELECT,
        };
        let shown = self.binder.shown_in(self.block, column);
        SqlError::new(message, &[&shown]).into()
    }
}

impl Binder<'_> {
    /// How messages show a column of a block that has left the stack.
    fn shown_in(&self, block: &Block, id: ColId) -> String {
        for source in &block.sources {
            if matches!(&source.rows, Rows::Scan(scan) if scan.row_number == Some(id)) {
                return format!("{}.$row_number", source.shown());
            }
            let ordinal = match &source.rows {
                Rows::Scan(scan) => scan.ids.iter().position(|i| *i == Some(id)),
                Rows::Derived(_, columns) => columns.iter().position(|c| c.id == id),
            };
            if let Some(ordinal) = ordinal {
                let name = source.column_name(ordinal).unwrap_or_default();
                return format!("{}.{name}", source.shown());
            }
        }
        String::new()
    }
}

/// Every prefix of the list, the whole first, as sets.
fn rollup(composites: &[Vec<usize>]) -> Vec<Vec<usize>> {
    (0..=composites.len()).rev().map(|n| composites[..n].concat()).collect()
}

/// Every subset of the list as a set. Error 10703.
fn cube(composites: &[Vec<usize>]) -> BindResult<Vec<Vec<usize>>> {
    let all = u32::try_from(composites.len()).ok().and_then(|n| 1usize.checked_shl(n));
    let all = all.unwrap_or(usize::MAX);
    few_enough(all)?;
    let subset = |bits: usize| -> Vec<usize> {
        let chosen = composites.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 0);
        chosen.flat_map(|(_, c)| c.clone()).collect()
    };
    Ok((0..all).map(subset).collect())
}

/// Error 10703 for more grouping sets than there may be.
fn few_enough(sets: usize) -> BindResult<()> {
    match sets > SETS_MAX {
        true => Err(SqlError::new(&message::TOO_MANY_GROUPING_SETS, &[&SETS_MAX]).into()),
        false => Ok(()),
    }
}

/// Each set of one list with each of the other.
fn combine(a: &[Vec<usize>], b: &[Vec<usize>]) -> Vec<Vec<usize>> {
    a.iter().flat_map(|x| b.iter().map(|y| [x.as_slice(), y].concat())).collect()
}
