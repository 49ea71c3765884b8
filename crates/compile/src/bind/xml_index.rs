//! XML indexes: conditions that they help with, and their entries when they are made.
//!
//! `x.exist('/a/b[@c="v"]') = 1` implies that the document has an entry with that path and value. A
//! query for it is added to the condition; the planner begins with it if that finds few rows, and
//! leaves it out otherwise. The condition itself stays: entries only say which documents may meet
//! it.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlType, Value};
use engine::catalog::def::{TableDef, XmlIndexDef, XmlIndexKind};
use ir::function::method::names;
use ir::operator::CompareOp;
use ir::read::ReadOptions;
use xquery::index::{Condition, Sought, beginning};

use super::binder::Binder;
use super::context::{BindContext, BindResult};
use super::dml::{ENTRY_COLUMNS, key_columns};
use super::scalar::Scalar;
use super::statement::Bound;
use crate::plan::expr::{ColId, Expr, ExprKind, Pred, Subquery};
use crate::plan::hints::AccessHint;
use crate::plan::tree::{Access, Node, Plan, Scan, Source};
use crate::plan::walk::{PartMut, Parts};

/// The columns of entries that are looked for.
const PATH: usize = 1;
const VALUE: usize = 2;

/// The arguments of a call of `exist()`.
const NODE: usize = 0;
const DOCUMENT: usize = 1;
const PLAN: usize = 2;
const OUTER: usize = 3;

/// Plans the insert of all entries of an XML index of a table.
pub fn xml_index_entries(
    context: &BindContext<'_>,
    database: DbId,
    table: &Arc<TableDef>,
    index: &XmlIndexDef,
) -> BindResult<Bound> {
    let mut binder = Binder::new(context)?;
    let plan = binder.fill_xml_index(database, table, index)?;
    let plan = binder.planned(Plan::Insert(Box::new(plan)))?;
    let Binder { facts, dependencies, .. } = binder;
    Ok(Bound { plan, facts, dependencies })
}

/// A call of `exist()` that must yield 1.
struct Wanted {
    column: ColId,
    condition: Condition,
    /// The value that is looked for, of the entries' type.
    value: Option<Expr>,
}

impl Binder<'_> {
    /// Adds to the conditions of a statement what XML indexes can find.
    pub(super) fn use_xml_indexes(&mut self, plan: &mut Plan) -> BindResult<()> {
        if self.exists.is_empty() {
            return Ok(());
        }
        let node = match plan {
            Plan::Select(select) => &mut select.root,
            Plan::Insert(insert) => &mut insert.source,
            Plan::Update(update) => &mut update.input,
            Plan::Delete(delete) => &mut delete.input,
            Plan::Merge(merge) => &mut merge.input,
        };
        self.indexed_node(node)
    }

    fn indexed_parts(&mut self, whole: &mut dyn Parts) -> BindResult<()> {
        self.deeper(0)?;
        let mut result = Ok(());
        whole.parts_mut(&mut |part| {
            if result.is_ok() {
                result = match part {
                    PartMut::Expr(expr) => self.indexed_parts(expr),
                    PartMut::Pred(pred) => self.indexed_parts(pred),
                    PartMut::Node(node) => self.indexed_node(node),
                };
            }
        });
        result
    }

    fn indexed_node(&mut self, node: &mut Node) -> BindResult<()> {
        self.indexed_parts(node)?;
        let Node::Filter { input, predicate } = node else { return Ok(()) };
        let all = match predicate {
            Pred::And(all) => &all[..],
            one => std::slice::from_ref(one),
        };
        for pred in all {
            let Some(wanted) = self.wanted(pred)? else { continue };
            if let Some(scan) = find_scan(input, wanted.column) {
                self.index_scan(scan, wanted)?;
            }
        }
        Ok(())
    }

    /// What a condition asks of an index, if it is `x.exist(…) = 1` for a column.
    fn wanted(&mut self, pred: &Pred) -> BindResult<Option<Wanted>> {
        let Pred::Compare(CompareOp::Eq, left, right) = pred else { return Ok(None) };
        let (call, one) = match (uncast(left), uncast(right)) {
            (call @ Expr { kind: ExprKind::Call { .. }, .. }, one) => (call, one),
            (one, call) => (call, one),
        };
        let ExprKind::Call { function, args } = &call.kind else { return Ok(None) };
        let is_one = matches!(one.kind, ExprKind::Constant(Value::Int(1)));
        if !is_one || function.name != names::EXIST {
            return Ok(None);
        }
        let is_whole = matches!(args[NODE].kind, ExprKind::Constant(Value::Int(0)));
        let ExprKind::Column(column) = uncast(&args[DOCUMENT]).kind else { return Ok(None) };
        let ExprKind::Constant(Value::Bytes(plan)) = &args[PLAN].kind else { return Ok(None) };
        let known = self.exists.iter().find(|(known, _)| known[..] == plan[..]);
        let Some((_, condition)) = known.filter(|_| is_whole) else { return Ok(None) };
        let condition = condition.clone();
        let value = match &condition.value {
            None => None,
            Some(Sought::Text(text)) => {
                let value = Value::Bytes(beginning(text.as_bytes()).into());
                let ty = SqlType::varbinary(xquery::index::VALUE_BYTES as u16);
                Some(Expr { kind: ExprKind::Constant(value), ty, nullable: false })
            }
            Some(Sought::External(at)) => {
                let outer = Scalar::computed(args[OUTER + at].clone());
                Some(self.library_call(names::INDEX_VALUE, vec![outer])?.expr)
            }
        };
        Ok(Some(Wanted { column, condition, value }))
    }

    /// Has a scan yield only rows whose documents have the entry, if an index can find those.
    fn index_scan(&mut self, node: &mut Node, wanted: Wanted) -> BindResult<()> {
        let Node::Scan(scan) = node else { return Ok(()) };
        let Source::Table { database, table } = &scan.source else { return Ok(()) };
        let (database, table) = (*database, table.clone());
        let place = scan.columns.iter().find(|c| c.1 == wanted.column).map(|c| c.0);
        let column = place.and_then(|place| table.stored_columns().nth(place));
        let index = column.and_then(|column| table.nodes_of(column.id));
        let Some(index) = index.filter(|index| has_use(&table, index, &wanted.condition)) else {
            return Ok(());
        };
        if scan.options.read_past || scan.hint != AccessHint::default() {
            return Ok(());
        }
        let schema = self.schema_of(database)?;
        let Some(nodes) = schema.table(index.nodes).cloned() else { return Ok(()) };
        let mut key = Vec::new();
        for own in key_columns(&table) {
            let at = table.column_ordinal(own);
            let place = at.and_then(|at| Some((at, table.layout_position(at)?)));
            let (at, place) = place.ok_or_else(|| ir::internal("a key's columns are stored"))?;
            let known = scan.columns.iter().find(|c| c.0 == place).map(|c| c.1);
            let id = known.unwrap_or_else(|| {
                let id = self.free_column();
                scan.columns.push((place, id));
                id
            });
            key.push(Expr {
                kind: ExprKind::Column(id),
                ty: table.columns[at].ty,
                nullable: false,
            });
        }
        let options = ReadOptions { isolation: scan.options.isolation, ..ReadOptions::default() };
        self.note_table(database, &nodes, &options);
        self.note_object(database, &schema, nodes.id());
        let plan = self.entries(database, &nodes, options, wanted, key);
        let column = ColId(0);
        let subquery = Subquery { plan, column, correlated: true, implied: true };
        let input = std::mem::replace(node, Node::OneRow);
        let predicate = Pred::Exists(Box::new(subquery));
        *node = Node::Filter { input: Box::new(input), predicate };
        Ok(())
    }

    /// The entries that are wanted, of the document with this key.
    fn entries(
        &mut self,
        database: DbId,
        nodes: &Arc<TableDef>,
        options: ReadOptions,
        wanted: Wanted,
        key: Vec<Expr>,
    ) -> Node {
        let columns: Vec<(usize, ColId)> =
            (PATH..nodes.columns.len()).map(|at| (at, self.free_column())).collect();
        let column = |at: usize| {
            let (kind, ty) = (ExprKind::Column(columns[at - PATH].1), nodes.columns[at].ty);
            Expr { kind, ty, nullable: false }
        };
        let path = |bytes: Vec<u8>| {
            let kind = ExprKind::Constant(Value::Bytes(bytes.into()));
            Expr { kind, ty: nodes.columns[PATH].ty, nullable: false }
        };
        let Condition { path: sought, is_whole, .. } = wanted.condition;
        let mut all = Vec::new();
        if is_whole {
            all.push(Pred::Compare(CompareOp::Eq, column(PATH), path(sought)));
        } else {
            if let Some(after) = after(&sought) {
                all.push(Pred::Compare(CompareOp::Lt, column(PATH), path(after)));
            }
            all.push(Pred::Compare(CompareOp::Ge, column(PATH), path(sought)));
        }
        if let Some(value) = wanted.value {
            all.push(Pred::Compare(CompareOp::Eq, column(VALUE), value));
        }
        for (at, own) in (ENTRY_COLUMNS..).zip(key) {
            all.push(Pred::Compare(CompareOp::Eq, column(at), own));
        }
        let input = Node::Scan(Box::new(Scan {
            source: Source::Table { database, table: nodes.clone() },
            columns: columns.clone(),
            access: Access::Full,
            residual: None,
            row: None,
            options,
            hint: AccessHint::default(),
        }));
        Node::Filter { input: Box::new(input), predicate: Pred::And(all) }
    }
}

/// An expression without the conversions around it, of which those of bits and documents matter to
/// no index.
fn uncast(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast { operand, .. } => uncast(operand),
        _ => expr,
    }
}

/// Whether a secondary index finds what is wanted.
fn has_use(table: &TableDef, primary: &XmlIndexDef, wanted: &Condition) -> bool {
    let has = |kind| {
        let own = |i: &&XmlIndexDef| i.primary == primary.id && i.kind == kind && !i.disabled;
        table.xml_indexes.iter().any(|i| own(&i))
    };
    let by_path = wanted.is_whole || wanted.value.is_none();
    by_path && has(XmlIndexKind::Path) || wanted.value.is_some() && has(XmlIndexKind::Value)
}

/// The first path that does not begin like this one; `None` if all that follow do.
fn after(path: &[u8]) -> Option<Vec<u8>> {
    let mut after = path.to_vec();
    while let Some(last) = after.pop() {
        if last < u8::MAX {
            after.push(last + 1);
            return Some(after);
        }
    }
    None
}

/// The scan whose rows have a column, if what lies between passes the rows on.
fn find_scan(node: &mut Node, column: ColId) -> Option<&mut Node> {
    match node {
        Node::Scan(scan) if scan.columns.iter().any(|c| c.1 == column) => Some(node),
        Node::Filter { input, .. } | Node::Compute { input, .. } => find_scan(input, column),
        Node::NestedLoop { outer, inner, .. } => {
            find_scan(outer, column).or_else(|| find_scan(inner, column))
        }
        _ => None,
    }
}
