//! `SELECT … FROM … WHERE … GROUP BY … HAVING`, with the `ORDER BY` and `TOP` of a query that
//! consists of it alone.
//!
//! # The order of operators
//!
//! FROM, WHERE, grouping, HAVING, windows, what the order needs of the select list, DISTINCT, sort,
//! TOP or OFFSET, the rest of the select list. So what is cut off by TOP is not computed, and a
//! `SELECT @a = @a + x … ORDER BY x` adds in order.

use std::sync::Arc;

use base::{SqlError, message};
use ir::operator::VarId;
use tsql::ast::{self, AssignOp, SelectItemKind};

use super::binder::Binder;
use super::context::{AtLine, BindError, BindResult, Variable};
use super::expr::{Named, undeclared};
use super::from::check_tables;
use super::group::Grouping;
use super::method::has_method;
use super::order::{Limit, Order, Tail, limited};
use super::scalar::Scalar;
use super::scope::{BaseRef, Block, Clause, ColumnAt, Numbering, OutCol, Rows, ViewColumn};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred};
use crate::plan::tree::Node;
use crate::plan::walk;

/// What a query is for, which decides what it may contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Usage {
    /// A statement of its own.
    Statement,
    /// The rows of an `INSERT`.
    Insert,
    /// A subquery that yields values.
    Subquery,
    /// `EXISTS`: columns do not matter.
    Exists,
    /// A derived table or common table expression.
    Derived,
    /// The query of a view or inline function.
    View,
    /// A derived table, CTE or view whose rows are to be changed.
    Target,
    /// The recursive part of a common table expression.
    Recursive,
    /// What `FOR JSON` makes a document of.
    Serialized,
}

impl Usage {
    /// Whether `ORDER BY` means nothing without `TOP` or `OFFSET`, and is an error (1033).
    pub fn refuses_order(self) -> bool {
        !matches!(self, Usage::Statement | Usage::Insert | Usage::Serialized)
    }
}

/// A bound query.
#[derive(Debug)]
pub(super) struct Output {
    pub node: Node,
    pub columns: Vec<OutCol>,
    /// The variables that its columns are assigned to, if it assigns.
    pub assigns: Vec<(VarId, ColId)>,
    /// What its columns are of, if it is to be a document ([`Usage::Serialized`]).
    pub tables: Tables,
}

/// The sources of a query, and which of them columns show.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// The name of each source, as it is written where it has no alias.
    pub names: Vec<Arc<str>>,
    /// For each column the source that it is a column of, by its place.
    pub shown: Vec<Option<usize>>,
}

impl Tables {
    /// The same sources where no column is known to be of one.
    pub fn of_no_column(self) -> Tables {
        Tables { shown: Vec::new(), ..self }
    }
}

impl Output {
    /// Rows of which nothing else is known.
    pub fn of(node: Node, columns: Vec<OutCol>) -> Output {
        Output { node, columns, assigns: Vec::new(), tables: Tables::default() }
    }
}

/// An entry of the select list.
#[derive(Debug)]
pub(super) struct Item {
    pub scalar: Scalar,
    pub name: Option<Arc<str>>,
    pub base: Option<BaseRef>,
    pub views: Vec<ViewColumn>,
    /// The source that it is a column of, by its place in the block.
    pub source: Option<usize>,
    /// The variable that receives it.
    pub assign: Option<VarId>,
    pub line: u32,
    /// The column that it becomes, once there is one.
    pub column: Option<ColId>,
}

/// The most columns of a select list.
const ITEMS_MAX: usize = 4096;

impl Binder<'_> {
    /// A `SELECT` with the order of its query.
    pub fn select(
        &mut self,
        select: &ast::Select,
        tail: &Tail<'_>,
        usage: Usage,
    ) -> BindResult<Output> {
        self.expanding(1 + select.items.len() / 8, select.span.line)?;
        self.open_block(Clause::From);
        self.block().window_names.clone_from(&select.windows);
        let block = self.block();
        block.makes_table = usage == Usage::Statement && select.into.is_some();
        block.is_part = !matches!(usage, Usage::Statement | Usage::Insert);
        block.is_distinct = select.distinct;
        block.is_ordered = !tail.order_by.is_empty();
        // After an error nothing more is bound, so a block that is left open does no harm.
        self.select_in_block(select, tail, usage)
    }

    /// Binds all clauses; the block is closed when the plan is put together.
    fn select_in_block(
        &mut self,
        select: &ast::Select,
        tail: &Tail<'_>,
        usage: Usage,
    ) -> BindResult<Output> {
        let from = self.sources_of(&select.from, usage)?;
        self.block().show_all();
        let mut filter = match &select.filter {
            Some(filter) => self.in_clause(Clause::Where, |b| b.part(|b| b.condition(filter)))?,
            None => None,
        };
        if let Some(filter) = &mut filter {
            self.use_computed_columns(filter)?;
        }
        let grouping = match &select.group_by {
            Some(group_by) => self.in_clause(Clause::GroupBy, |b| b.group_by(group_by))?,
            None => Grouping::default(),
        };
        let mut items = self.in_clause(Clause::Select, |b| b.items(&select.items, usage))?;
        let mut having = match &select.having {
            Some(having) => self.in_clause(Clause::Having, |b| b.part(|b| b.condition(having)))?,
            None => None,
        };
        let mut order = self.order_by(tail.order_by, &items, select.distinct)?;
        let limit = self.limit(select, tail, usage)?;
        self.check_items(&mut items, select, usage)?;

        let node = self.assemble(from);
        let mut block = self.close_block();
        let tables = match usage {
            Usage::Serialized => tables_of(&block, &items),
            _ => Tables::default(),
        };
        let mut node = filtered(node, filter);
        check_tables(&node, select.span.line)?;
        let is_grouped = block.has_group_by || having.is_some() || !block.aggregates.is_empty();
        if usage == Usage::Recursive {
            self.check_recursive_part(select, !matches!(limit, Limit::All), is_grouped)?;
        }
        if is_grouped {
            node =
                self.regroup(node, &mut block, &grouping, &mut items, &mut having, &mut order)?;
        }
        node = filtered(node, having);
        node = windowed(node, std::mem::take(&mut block.windows));
        node = std::mem::take(&mut block.numberings).into_iter().fold(node, numbered);
        if usage == Usage::Exists && !select.distinct {
            // Whatever the select list says, a row is a row.
            let node = limited(node, &Order::default(), limit);
            return Ok(Output::of(node, Vec::new()));
        }
        let all_first = select.distinct;
        node = self.compute_for_order(node, &mut items, &mut order, all_first);
        if select.distinct {
            let columns = items.iter().filter_map(|i| i.column).collect();
            node = Node::Distinct { input: Box::new(node), columns };
        }
        let node = limited(node, &order, limit);
        let node = self.compute_rest(node, &mut items);
        Ok(Output { tables, ..output_of(node, items) })
    }

    /// Groups the rows and rewrites what is above.
    fn regroup(
        &mut self,
        node: Node,
        block: &mut Block,
        grouping: &Grouping,
        items: &mut [Item],
        having: &mut Option<Pred>,
        order: &mut Order,
    ) -> BindResult<Node> {
        let mut above: Vec<(Clause, u32, &mut Expr)> = Vec::new();
        for item in items.iter_mut() {
            above.push((Clause::Select, item.line, &mut item.scalar.expr));
        }
        for key in &mut order.keys {
            if let Some(expr) = &mut key.expr {
                above.push((Clause::OrderBy, key.line, expr));
            }
        }
        let mut numberings = std::mem::take(&mut block.numberings);
        for key in numberings.iter_mut().flat_map(|n| &mut n.order) {
            above.push((Clause::OrderBy, 0, &mut key.expr));
        }
        let mut conditions: Vec<(Clause, u32, &mut Pred)> = Vec::new();
        if let Some(having) = having {
            conditions.push((Clause::Having, 0, having));
        }
        let node = self.grouped(node, block, grouping, &mut above, &mut conditions)?;
        block.numberings = numberings;
        for item in items {
            if !matches!(item.scalar.expr.kind, ExprKind::Column(_)) || block.has_group_by {
                item.base = None;
                item.views = Vec::new();
            }
        }
        Ok(node)
    }

    /// The select list. Errors 141, 207, 1054, 1056 and whatever its expressions raise.
    pub fn items(&mut self, list: &[ast::SelectItem], usage: Usage) -> BindResult<Vec<Item>> {
        let too_many = |line| {
            BindError::from(
                SqlError::new(&message::SELECT_LIST_ELEMENTS, &[&ITEMS_MAX]).at_line(line),
            )
        };
        if let Some(item) = list.get(ITEMS_MAX) {
            return Err(too_many(item.span.line));
        }
        let mut items = Vec::with_capacity(list.len());
        for item in list {
            let line = item.span.line;
            match &item.kind {
                SelectItemKind::Star(_) if usage == Usage::Exists => {}
                SelectItemKind::Star(_) if self.options.schema_bound && self.env.depth == 0 => {
                    return Err(SqlError::new(&message::STAR_IN_SCHEMA_BOUND, &[])
                        .at_line(line)
                        .into());
                }
                SelectItemKind::Star(qualifier) => {
                    for at in self.star(qualifier.as_deref(), line)? {
                        items.push(self.star_item(at, line)?);
                    }
                }
                SelectItemKind::Expr { expr, alias } => {
                    let item = self.part(|b| b.item(expr, alias.as_ref(), line))?;
                    items.push(item.unwrap_or_else(|| unknown_item(expr, alias.as_ref(), line)));
                }
                SelectItemKind::Assign { variable, op, value } => {
                    items.push(self.assign_item(variable, *op, value, line)?);
                }
            }
            if items.len() > ITEMS_MAX {
                return Err(too_many(line));
            }
        }
        Ok(items)
    }

    fn star_item(&mut self, at: ColumnAt, line: u32) -> BindResult<Item> {
        let (base, views) = (self.base_of(at), self.views_of(at));
        let source = &self.blocks[at.block].sources[at.source];
        let name = match &source.rows {
            Rows::Scan(scan) => match scan.column(at.ordinal).def {
                Some(def) => Some(def.name.clone()),
                None => Some(scan.column(at.ordinal).name.into()),
            },
            Rows::Derived(_, columns) => columns[at.ordinal].name.clone(),
        };
        let scalar = self.column_at(at)?;
        let source = Some(at.source);
        Ok(Item { scalar, name, base, views, source, assign: None, line, column: None })
    }

    /// An entry with or without alias; a column keeps its name.
    fn item(
        &mut self,
        expr: &ast::Expr,
        alias: Option<&ast::Ident>,
        line: u32,
    ) -> BindResult<Item> {
        let name = alias.map(|alias| alias.name.clone());
        if let ast::ExprKind::Column(column) = &expr.kind {
            let at = match self.column_or_property(column)? {
                Named::Column(at) => at,
                Named::Property(scalar) => {
                    let (base, views, source) = (None, Vec::new(), None);
                    let (assign, column) = (None, None);
                    return Ok(Item { scalar, name, base, views, source, assign, line, column });
                }
            };
            let is_own = at.block == self.blocks.len() - 1;
            let (base, views) = match is_own {
                true => (self.base_of(at), self.views_of(at)),
                false => (None, Vec::new()),
            };
            let source = is_own.then_some(at.source);
            let scalar = self.column_at(at)?;
            let name = Some(name.unwrap_or_else(|| column.column.name.clone()));
            return Ok(Item {
                scalar,
                name,
                base,
                views,
                source,
                assign: None,
                line,
                column: None,
            });
        }
        let scalar = match &expr.kind {
            ast::ExprKind::IdentityFunction(identity) if self.block().makes_table => {
                self.identity(identity, line)?
            }
            _ => self.scalar(expr)?,
        };
        let name = name.or_else(|| self.own_name(expr));
        let base = match (&expr.kind, &scalar.expr.kind) {
            (ast::ExprKind::PseudoColumn { .. }, ExprKind::Column(id)) => self.base_of_column(*id),
            _ => None,
        };
        let (views, source) = (Vec::new(), None);
        Ok(Item { scalar, name, base, views, source, assign: None, line, column: None })
    }

    /// What a pseudo-column is called: as the column that it means.
    fn own_name(&self, expr: &ast::Expr) -> Option<Arc<str>> {
        let ast::ExprKind::PseudoColumn { column, .. } = &expr.kind else { return None };
        let wanted: fn(&engine::catalog::def::ColumnDef) -> bool = match column {
            ast::PseudoColumn::Identity => |c| c.identity.is_some(),
            ast::PseudoColumn::RowGuid => |c| c.rowguidcol,
            ast::PseudoColumn::Action => return Some("$action".into()),
            ast::PseudoColumn::RowNumber => return Some("$row_number".into()),
        };
        let sources = &self.blocks.last()?.sources;
        let tables = sources.iter().filter_map(|s| match &s.rows {
            Rows::Scan(scan) => scan.table(),
            Rows::Derived(..) => None,
        });
        let mut columns = tables.flat_map(|t| t.columns.iter());
        columns.find(|c| wanted(c)).map(|c| c.name.clone())
    }

    /// `@v = a`, `@v += a`. Errors 137, 206, 257.
    fn assign_item(
        &mut self,
        variable: &ast::Variable,
        op: AssignOp,
        value: &ast::Expr,
        line: u32,
    ) -> BindResult<Item> {
        let (id, ty) = self.assignable(variable)?;
        let value = self.assigned_value(variable, op, value)?;
        let expr = self.coerce_to_variable(value, ty).at(line)?;
        let scalar = Scalar::computed(expr);
        let (views, source, assign) = (Vec::new(), None, Some(id));
        Ok(Item { scalar, name: None, base: None, views, source, assign, line, column: None })
    }

    /// The new value of a variable.
    pub fn assigned_value(
        &mut self,
        variable: &ast::Variable,
        op: AssignOp,
        value: &ast::Expr,
    ) -> BindResult<Scalar> {
        let line = value.span.line;
        let value = self.scalar(value)?;
        match op {
            AssignOp::Set => Ok(value),
            AssignOp::Compound(op) => {
                let old = self.variable(&variable.name, variable.span.line)?;
                self.binary(op, old, value).at(line)
            }
        }
    }

    /// A variable that can be assigned. Error 137.
    pub fn assignable(&self, variable: &ast::Variable) -> BindResult<(VarId, base::SqlType)> {
        let line = variable.span.line;
        match self.names.variable(&variable.name) {
            Some(Variable::Scalar { id, ty, .. }) => Ok((id, ty)),
            Some(Variable::Cursor) => {
                let message = &message::CURSOR_VARIABLE_MISPLACED;
                Err(SqlError::new(message, &[&variable.name]).at_line(line).into())
            }
            _ => Err(undeclared(&variable.name, line)),
        }
    }

    /// Errors about the list as a whole: 141, 194, 199, 421, 451.
    fn check_items(
        &self,
        items: &mut [Item],
        select: &ast::Select,
        usage: Usage,
    ) -> BindResult<()> {
        let line = select.span.line;
        let fail = |message| Err(SqlError::new(message, &[]).at_line(line).into());
        let assigns = items.iter().filter(|i| i.assign.is_some()).count();
        if assigns > 0 {
            match usage {
                Usage::Insert => return fail(&message::INSERT_SELECT_WITH_ASSIGNMENT),
                Usage::Statement if select.into.is_some() => {
                    return fail(&message::SELECT_INTO_WITH_ASSIGNMENT);
                }
                Usage::Statement if assigns == items.len() => {}
                _ => return fail(&message::ASSIGNMENT_WITH_RETRIEVAL),
            }
        }
        for (at, item) in items.iter().enumerate() {
            if let Some(conflict) = item.scalar.label.conflict()
                && usage != Usage::Exists
            {
                let message = &message::COLLATION_CONFLICT_COLUMN;
                let statement = if usage == Usage::Insert { "INSERT" } else { "SELECT" };
                let (left, right) = (conflict.left.name(), conflict.right.name());
                let args: [&dyn std::fmt::Display; 5] =
                    [&left, &right, &conflict.operation, &statement, &(at + 1)];
                return Err(SqlError::new(message, &args).at_line(item.line).into());
            }
            let kind = item.scalar.expr.ty.kind;
            if select.distinct && (kind.is_incomparable() || kind.is_legacy_lob()) {
                let error = SqlError::new(&message::NOT_COMPARABLE_DISTINCT, &[&kind]);
                return Err(error.at_line(item.line).into());
            }
        }
        Ok(())
    }

    /// Computes what the order (or all, for `DISTINCT`) needs of the select list; of ordered rows
    /// methods of type xml as well, so that no sort keeps a document for each of its nodes.
    fn compute_for_order(
        &mut self,
        node: Node,
        items: &mut [Item],
        order: &mut Order,
        all: bool,
    ) -> Node {
        let mut columns = Vec::new();
        for (at, item) in items.iter_mut().enumerate() {
            let ordered = !order.keys.is_empty();
            let needed = all
                || order.keys.iter().any(|key| key.item == Some(at))
                || ordered && has_method(&item.scalar.expr);
            if needed && item.assign.is_none() {
                self.place(item, &node, &mut columns);
            }
        }
        for key in &mut order.keys {
            key.column = match (&key.item, &key.expr) {
                (Some(at), _) => items[*at].column,
                (None, Some(Expr { kind: ExprKind::Column(column), .. })) => Some(*column),
                (None, _) => {
                    let column = self.free_column();
                    let expr = key.expr.clone().expect("a key is an item or an expression");
                    columns.push((column, expr));
                    Some(column)
                }
            };
        }
        computed(node, columns)
    }

    /// Computes what is left of the select list.
    fn compute_rest(&mut self, node: Node, items: &mut [Item]) -> Node {
        let mut columns = Vec::new();
        for item in items.iter_mut().filter(|i| i.column.is_none()) {
            self.place(item, &node, &mut columns);
        }
        computed(node, columns)
    }

    /// The rows with the columns that a list of items makes of them.
    pub(super) fn with_items(&mut self, node: Node, mut items: Vec<Item>) -> Output {
        let node = self.compute_rest(node, &mut items);
        output_of(node, items)
    }

    /// Decides which column an item becomes: one of the input's, or a new one.
    fn place(&mut self, item: &mut Item, input: &Node, columns: &mut Vec<(ColId, Expr)>) {
        item.column = Some(match item.scalar.expr.kind {
            ExprKind::Column(column) if item.assign.is_none() && !self.is_outer(column, input) => {
                column
            }
            _ => {
                let column = self.free_column();
                columns.push((column, item.scalar.expr.clone()));
                column
            }
        });
    }

    /// Whether a column is not of these rows, but of what encloses the query.
    fn is_outer(&self, column: ColId, node: &Node) -> bool {
        !self.blocks.is_empty() && !walk::outputs(node).contains(&column)
    }
}

/// An entry that could not be bound, under the name that it has.
fn unknown_item(expr: &ast::Expr, alias: Option<&ast::Ident>, line: u32) -> Item {
    let name = match (&expr.kind, alias) {
        (_, Some(alias)) => Some(alias.name.clone()),
        (ast::ExprKind::Column(column), None) => Some(column.column.name.clone()),
        _ => None,
    };
    let (scalar, views, source) = (Scalar::null(), Vec::new(), None);
    Item { scalar, name, base: None, views, source, assign: None, line, column: None }
}

/// The rows for which a condition holds.
pub(super) fn filtered(node: Node, predicate: Option<Pred>) -> Node {
    match predicate {
        Some(predicate) => Node::Filter { input: Box::new(node), predicate },
        None => node,
    }
}

/// The rows with further columns.
pub(super) fn computed(node: Node, columns: Vec<(ColId, Expr)>) -> Node {
    match columns.is_empty() {
        true => node,
        false => Node::Compute { input: Box::new(node), columns },
    }
}

/// The rows with the results of window functions: those over equal windows together.
fn windowed(mut node: Node, mut calls: Vec<super::scope::WindowCall>) -> Node {
    while !calls.is_empty() {
        let first = calls.remove(0);
        let mut functions = vec![(first.column, first.function)];
        let same = |call: &super::scope::WindowCall| {
            walk::same_exprs(&call.partition, &first.partition)
                && walk::same_keys(&call.order, &first.order)
        };
        let (alike, others): (Vec<_>, Vec<_>) = calls.into_iter().partition(same);
        functions.extend(alike.into_iter().map(|call| (call.column, call.function)));
        calls = others;
        let columns = walk::outputs(&node);
        node = Node::Window {
            input: Box::new(node),
            partition: first.partition,
            order: first.order,
            functions,
            columns,
        };
    }
    node
}

/// The rows with values of sequences, taken in an order.
fn numbered(node: Node, numbering: Numbering) -> Node {
    let Numbering { order, columns } = numbering;
    let kept = walk::outputs(&node);
    let sorted = Node::Sort { input: Box::new(node), keys: order, limit: None, columns: kept };
    computed(sorted, columns)
}

fn output_of(node: Node, items: Vec<Item>) -> Output {
    let mut assigns = Vec::new();
    let mut columns = Vec::with_capacity(items.len());
    for item in items {
        let Item { scalar, name, base, views, assign, column, .. } = item;
        let Scalar { expr, label, origin } = scalar;
        let id = column.expect("every item has been placed");
        if let Some(variable) = assign {
            assigns.push((variable, id));
        }
        let (ty, nullable) = (expr.ty, expr.nullable);
        columns.push(OutCol { id, name, ty, nullable, label, origin, base, views, hidden: false });
    }
    Output { assigns, ..Output::of(node, columns) }
}

/// The sources of a block, and which of them the select list shows.
fn tables_of(block: &Block, items: &[Item]) -> Tables {
    Tables {
        names: block.sources.iter().map(|source| source.shown().into()).collect(),
        shown: items.iter().map(|item| item.source).collect(),
    }
}
