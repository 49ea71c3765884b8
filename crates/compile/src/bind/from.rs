//! `FROM`: sources and joins.
//!
//! While a block is bound its sources lie in a list and its joins in a [`From`] tree of their
//! places. [`Binder::assemble`] makes operators of them when everything that refers to their
//! columns has been bound, so that scans read what is used.

use base::types::conversion::may_overflow;
use base::{SqlError, message};
use tsql::ast::{self, JoinHint, TableSourceKind};

use super::binder::Binder;
use super::context::{BindError, BindResult};
use super::scalar::Origin;
use super::scope::{Clause, Exposed, OutCol, Rows, ScanSource, Source};
use super::select::{Usage, computed, filtered};
use crate::plan::expr::{Expr, Pred};
use crate::plan::hints::JoinMethod;
use crate::plan::tree::{Access, JoinKind, Node, Scan};
use crate::plan::walk::{Part, Parts};

/// How many tables a `SELECT` may join, those of views and subqueries counted: finally each is a
/// loop inside the one before.
const TABLES_MAX: usize = 256;

/// The joins of a block.
#[derive(Debug)]
pub(super) enum From {
    /// No `FROM`.
    Nothing,
    /// A source, by its place in the block.
    Leaf(usize),
    /// A join.
    Join(Box<Joined>),
}

/// A join of a block.
#[derive(Debug)]
pub(super) struct Joined {
    pub kind: JoinKind,
    pub left: From,
    pub right: From,
    pub on: Option<Pred>,
    pub method: Option<JoinMethod>,
}

impl Binder<'_> {
    /// The list after `FROM`. Errors 106, 1011, 1012, 1013 and those of its sources.
    pub fn sources_of(&mut self, list: &[ast::TableSource], usage: Usage) -> BindResult<From> {
        // The loop makes a left-deep tree, which later passes walk recursively.
        if let Some(surplus) = list.get(TABLES_MAX) {
            return Err(too_many_tables(surplus.span.line));
        }
        let mut from = From::Nothing;
        for source in list {
            self.block().visible = 0..0;
            let next = self.table_source(source, usage)?;
            from = match from {
                From::Nothing => next,
                left => join(JoinKind::Inner, left, next, None),
            };
        }
        self.check_exposed_names(list)?;
        Ok(from)
    }

    /// One entry of a `FROM`. Its sources are appended to the block's.
    fn table_source(&mut self, source: &ast::TableSource, usage: Usage) -> BindResult<From> {
        let line = source.span.line;
        self.deeper(line)?;
        let bound = match &source.kind {
            TableSourceKind::Table(table) => self.table_ref(table, usage)?,
            TableSourceKind::Function(function) => self.table_function(function, line)?,
            TableSourceKind::OpenXml(open) => self.open_xml(open, line)?,
            TableSourceKind::Method(method) => self.table_method(method, line)?,
            TableSourceKind::File(file) => self.file_source(file, line)?,
            TableSourceKind::Changes(changes) => self.change_table(changes, line)?,
            TableSourceKind::Variable { variable, alias, hints } => {
                self.table_variable(variable, alias.as_ref(), hints, usage)?
            }
            TableSourceKind::Derived { query, alias } => {
                let usage = if usage == Usage::Target { usage } else { Usage::Derived };
                self.derived(query, alias, usage)?
            }
            TableSourceKind::Values { rows, alias } => self.values_source(rows, alias)?,
            TableSourceKind::Join(join) => return self.join(join, usage),
            TableSourceKind::Pivot(pivot) => self.pivot(pivot)?,
            TableSourceKind::Unpivot(unpivot) => self.unpivot(unpivot)?,
        };
        let sources = &mut self.block().sources;
        sources.push(bound);
        Ok(From::Leaf(sources.len() - 1))
    }

    /// A join. Errors of its sides and its condition, 1042.
    fn join(&mut self, join: &ast::Join, usage: Usage) -> BindResult<From> {
        let first = self.block().sources.len();
        let visible = self.block().visible.clone();
        let left = self.table_source(&join.left, usage)?;
        let middle = self.block().sources.len();
        let applies = matches!(join.kind, ast::JoinKind::CrossApply | ast::JoinKind::OuterApply);
        if applies {
            // What is applied sees the rows that it is applied to.
            self.block().visible = first..middle;
        }
        let right = self.table_source(&join.right, usage)?;
        let end = self.block().sources.len();
        let kind = match join.kind {
            ast::JoinKind::Inner | ast::JoinKind::Cross | ast::JoinKind::CrossApply => {
                JoinKind::Inner
            }
            ast::JoinKind::LeftOuter | ast::JoinKind::OuterApply => JoinKind::LeftOuter,
            ast::JoinKind::RightOuter => JoinKind::RightOuter,
            ast::JoinKind::FullOuter => JoinKind::FullOuter,
        };
        if usage == Usage::Recursive && kind != JoinKind::Inner {
            let line = join.right.span.line;
            return Err(self.recursive_error(&message::CTE_RECURSIVE_OUTER_JOIN, line));
        }
        let on = match &join.on {
            Some(on) => {
                self.block().visible = first..end;
                self.in_clause(Clause::On, |b| b.part(|b| b.condition(on)))?
            }
            None => None,
        };
        self.block().visible = visible;
        let outer_left = matches!(kind, JoinKind::RightOuter | JoinKind::FullOuter);
        let outer_right = matches!(kind, JoinKind::LeftOuter | JoinKind::FullOuter);
        for (at, source) in self.block().sources.iter_mut().enumerate().skip(first) {
            source.optional |= if at < middle { outer_left } else { outer_right };
        }
        let method = join.hint.map(|hint| match hint {
            JoinHint::Loop => JoinMethod::Loop,
            JoinHint::Hash | JoinHint::Merge | JoinHint::Remote => JoinMethod::Hash,
        });
        let allowed = &self.hints.methods;
        if method.is_some_and(|method| !allowed.is_empty() && !allowed.contains(&method)) {
            // About a join, the error has another severity than in the catalogue.
            let conflict = &message::OPTION_CONFLICT;
            let text = conflict.format(&[&"JOIN"]);
            let error = SqlError::custom(conflict.number, 16, 1, text);
            return Err(error.at_line(join.right.span.line).into());
        }
        self.hints.force_order |= method.is_some();
        Ok(From::Join(Box::new(Joined { kind, left, right, on, method })))
    }

    /// Errors 1011, 1012 and 1013: two sources of one name.
    fn check_exposed_names(&mut self, list: &[ast::TableSource]) -> BindResult<()> {
        let line = list.first().map_or(0, |source| source.span.line);
        let top = self.blocks.len() - 1;
        let sources = &self.blocks[top].sources;
        for (at, a) in sources.iter().enumerate() {
            for b in &sources[..at] {
                if !self.same_name(&a.exposed.name, &b.exposed.name) || !clash(a, b) {
                    continue;
                }
                let (first, second) = (b.shown(), a.shown());
                let error = match (&b.exposed.table, &a.exposed.table) {
                    (None, None) => {
                        SqlError::new(&message::DUPLICATE_CORRELATION_NAME, &[&a.exposed.name])
                    }
                    (Some(_), Some(_)) => {
                        SqlError::new(&message::SAME_EXPOSED_NAMES, &[&first, &second])
                    }
                    (None, Some(_)) => {
                        SqlError::new(&message::CORRELATION_NAME_SAME_AS_TABLE, &[&first, &second])
                    }
                    (Some(_), None) => {
                        SqlError::new(&message::CORRELATION_NAME_SAME_AS_TABLE, &[&second, &first])
                    }
                };
                return Err(BindError::from(error).at_line(line));
            }
        }
        Ok(())
    }

    /// `(SELECT …) AS a (b, c)`. Errors 8155, 8156, 8158, 8159.
    fn derived(
        &mut self,
        query: &ast::Query,
        alias: &ast::TableAlias,
        usage: Usage,
    ) -> BindResult<Source> {
        let output = self.query(query, usage)?;
        let line = query.span.line;
        let columns = self.named_columns(output.columns, alias, line)?;
        Ok(Source {
            exposed: Exposed { name: alias.name.name.clone(), table: None },
            rows: Rows::Derived(Some(output.node), columns),
            optional: false,
            view: None,
            written: None,
        })
    }

    /// Gives a derived table's columns their names.
    pub fn named_columns(
        &self,
        mut columns: Vec<OutCol>,
        alias: &ast::TableAlias,
        line: u32,
    ) -> BindResult<Vec<OutCol>> {
        let name = &alias.name.name;
        let fail = |error: SqlError| Err(BindError::from(error.at_line(line)));
        if !alias.columns.is_empty() {
            if alias.columns.len() < columns.len() {
                return fail(SqlError::new(&message::DERIVED_HAS_MORE_COLUMNS, &[name]));
            }
            if alias.columns.len() > columns.len() {
                return fail(SqlError::new(&message::DERIVED_HAS_FEWER_COLUMNS, &[name]));
            }
            for (column, given) in columns.iter_mut().zip(&alias.columns) {
                column.name = Some(given.name.clone());
            }
        }
        for (at, column) in columns.iter().enumerate() {
            let Some(own) = &column.name else {
                return fail(SqlError::new(&message::COLUMN_WITHOUT_NAME, &[&(at + 1), name]));
            };
            let earlier = columns[..at].iter().filter_map(|c| c.name.as_deref());
            if { earlier }.any(|other| self.same_name(other, own)) {
                return fail(SqlError::new(&message::COLUMN_NAMED_TWICE, &[own, name]));
            }
        }
        Ok(columns)
    }

    /// `(VALUES (…), (…)) AS a (b, c)`. Errors 10709 and those of its types.
    fn values_source(
        &mut self,
        rows: &[Vec<ast::Expr>],
        alias: &ast::TableAlias,
    ) -> BindResult<Source> {
        let (node, columns) = self.values(rows)?;
        let columns = self.named_columns(columns, alias, alias.name.span.line)?;
        Ok(Source {
            exposed: Exposed { name: alias.name.name.clone(), table: None },
            rows: Rows::Derived(Some(node), columns),
            optional: false,
            view: None,
            written: None,
        })
    }

    /// Literal rows, each column of one type. Errors 206, 257, 10709.
    pub fn values(&mut self, rows: &[Vec<ast::Expr>]) -> BindResult<(Node, Vec<OutCol>)> {
        let width = rows.first().map_or(0, Vec::len);
        let mut bound = Vec::with_capacity(rows.len());
        for row in rows {
            if row.len() != width {
                let line = row.first().map_or(0, |e| e.span.line);
                let error = SqlError::new(&message::VALUES_ROW_WIDTHS_DIFFER, &[]);
                return Err(error.at_line(line).into());
            }
            let row: Vec<_> = row.iter().map(|e| self.scalar(e)).collect::<BindResult<_>>()?;
            bound.push(row);
        }
        let mut columns = Vec::with_capacity(width);
        for at in 0..width {
            let (ty, label) = self.unify(bound.iter().map(|row| &row[at]), "VALUES")?;
            let origin = self.untyped_together(bound.iter().map(|row| row[at].origin));
            let origin = origin.unwrap_or(Origin::Plain);
            let is_nullable = |expr: &Expr| expr.nullable || may_overflow(&expr.ty, &ty);
            let nullable = bound.iter().any(|row| is_nullable(&row[at].expr));
            let id = self.free_column();
            let (name, base, views) = (None, None, Vec::new());
            columns.push(OutCol {
                id,
                name,
                ty,
                nullable,
                label,
                origin,
                base,
                views,
                hidden: false,
            });
        }
        let mut exprs = Vec::with_capacity(bound.len());
        for row in bound {
            let mut converted = Vec::with_capacity(width);
            for (scalar, column) in row.into_iter().zip(&columns) {
                converted.push(match column.origin {
                    Origin::Undeclared(_) => scalar.expr,
                    _ => self.coerce(scalar, column.ty)?,
                });
            }
            exprs.push(converted);
        }
        let ids = columns.iter().map(|c| c.id).collect();
        Ok((Node::Values { columns: ids, rows: exprs }, columns))
    }

    /// The operators of a block's joins.
    pub fn assemble(&mut self, from: From) -> Node {
        match from {
            From::Nothing => Node::OneRow,
            From::Leaf(at) => {
                let source = &mut self.block().sources[at];
                source_node(&mut source.rows)
            }
            From::Join(joined) => {
                let Joined { kind, left, right, on, method } = *joined;
                let outer = Box::new(self.assemble(left));
                let mut inner = self.assemble(right);
                if let Some(method) = method {
                    // A column of its own tells the planner which join the hint is about.
                    let mark = self.free_column();
                    let one =
                        super::scalar::Scalar::constant(base::SqlType::int(), base::Value::Int(1));
                    self.hints.joins.push((mark, method));
                    inner = computed(inner, vec![(mark, one.expr)]);
                }
                Node::NestedLoop { kind, outer, inner: Box::new(inner), predicate: on }
            }
        }
    }
}

/// Error 106 for a `SELECT` that would join too many tables.
pub(super) fn check_tables(rows: &Node, line: u32) -> BindResult<()> {
    if tables(rows) <= TABLES_MAX {
        return Ok(());
    }
    Err(too_many_tables(line))
}

fn too_many_tables(line: u32) -> BindError {
    SqlError::new(&message::TOO_MANY_TABLES, &[&TABLES_MAX]).at_line(line).into()
}

/// How many tables may become loops inside each other.
fn tables(node: &Node) -> usize {
    match node {
        Node::Scan(_) | Node::Worktable { .. } => 1,
        Node::Union { inputs, .. } => inputs.iter().map(|(n, _)| tables(n)).max().unwrap_or(0),
        node => tables_inside(node),
    }
}

fn tables_inside(whole: &dyn Parts) -> usize {
    let mut sum = 0;
    whole.parts(&mut |part| {
        sum += match part {
            Part::Node(node) => tables(node),
            Part::Expr(expr) => tables_inside(expr),
            Part::Pred(pred) => tables_inside(pred),
        };
    });
    sum
}

/// The operator that yields a source's rows; for a scan with the columns that are used.
pub(super) fn source_node(rows: &mut Rows) -> Node {
    match rows {
        Rows::Derived(node, _) => node.take().expect("a source is put into one plan"),
        Rows::Scan(scan) => scan_node(scan),
    }
}

/// A scan of the columns that are used, with the computed ones that rows do not hold.
fn scan_node(scan: &mut ScanSource) -> Node {
    let mut columns = Vec::new();
    let mut position = 0;
    for ordinal in 0..scan.columns() {
        if scan.column(ordinal).def.is_some_and(|def| !def.is_stored()) {
            continue;
        }
        if let Some(id) = scan.ids[ordinal] {
            columns.push((position, id));
        }
        position += 1;
    }
    columns.extend(scan.row_number.map(|id| (position, id)));
    let node = Node::Scan(Box::new(Scan {
        source: scan.source.clone(),
        columns,
        access: Access::Full,
        residual: scan.filter.take(),
        row: scan.row,
        options: scan.options,
        hint: scan.hint.clone(),
    }));
    computed(filtered(node, scan.sample.take()), std::mem::take(&mut scan.computed))
}

/// A join that nothing has been said about.
pub(super) fn join(kind: JoinKind, left: From, right: From, on: Option<Pred>) -> From {
    From::Join(Box::new(Joined { kind, left, right, on, method: None }))
}

/// Whether two sources of one name cannot be told apart.
fn clash(a: &Source, b: &Source) -> bool {
    match (&a.exposed.table, &b.exposed.table) {
        (Some(a), Some(b)) => a.database == b.database && a.schema == b.schema,
        _ => true,
    }
}
