//! XML and spatial indexes: conditions that they help with, and their entries when they are made.
//!
//! `x.exist('/a/b[@c="v"]') = 1` implies that the document has an entry with that path and value. A
//! query for it is added to the condition; the planner begins with it if that finds few rows, and
//! leaves it out otherwise. The condition itself stays: entries only say which documents may meet
//! it. Likewise `g.STIntersects(s) = 1` implies that the shape has an entry in one of the ranges of
//! cells that cover the other one.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlType, Value};
use engine::catalog::def::{DerivedIndexDef, DerivedIndexKind, TableDef};
use ir::function::clr::spatial::{Search, search_of};
use ir::function::method::names;
use ir::operator::{CastMode, CompareOp};
use ir::read::ReadOptions;
use xquery::index::{Condition, Sought, beginning};

use super::binder::Binder;
use super::context::{BindContext, BindResult};
use super::dml::{entry_columns, grid, key_columns};
use super::scalar::Scalar;
use super::statement::Bound;
use crate::plan::expr::{ColId, Expr, ExprKind, Pred, Subquery};
use crate::plan::hints::AccessHint;
use crate::plan::tree::{Access, JoinKind, Node, Plan, Scan, Source};
use crate::plan::walk::{self, Part, PartMut, Parts};

/// The columns of entries that are looked for.
const PATH: usize = 1;
const VALUE: usize = 2;

/// The arguments of a call of `exist()`.
const NODE: usize = 0;
const DOCUMENT: usize = 1;
const PLAN: usize = 2;
const OUTER: usize = 3;

/// Plans the insert of all entries of an XML or spatial index of a table.
pub fn derived_index_entries(
    context: &BindContext<'_>,
    database: DbId,
    table: &Arc<TableDef>,
    index: &DerivedIndexDef,
) -> BindResult<Bound> {
    let mut binder = Binder::new(context)?;
    let plan = binder.fill_derived_index(database, table, index)?;
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
    /// Adds to the conditions of a statement what XML and spatial indexes can find.
    pub(super) fn use_derived_indexes(&mut self, plan: &mut Plan) -> BindResult<()> {
        if self.exists.is_empty() && !self.searches_shapes {
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
        if self.searches_shapes {
            self.searched_node(node)?;
        }
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
        let key = self.scanned_key(scan, &table)?;
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

    /// The primary key of the rows that a scan yields.
    fn scanned_key(&mut self, scan: &mut Scan, table: &TableDef) -> BindResult<Vec<Expr>> {
        let mut key = Vec::new();
        for own in key_columns(table) {
            let at = table.column_ordinal(own);
            let place = at.and_then(|at| Some((at, table.layout_position(at)?)));
            let (at, place) = place.ok_or_else(|| ir::internal("a key's columns are stored"))?;
            let known = scan.columns.iter().find(|c| c.0 == place).map(|c| c.1);
            let id = known.unwrap_or_else(|| {
                let id = self.free_column();
                scan.columns.push((place, id));
                id
            });
            let (kind, ty) = (ExprKind::Column(id), table.columns[at].ty);
            key.push(Expr { kind, ty, nullable: false });
        }
        Ok(key)
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
        for (at, own) in (entry_columns(DerivedIndexKind::Primary)..).zip(key) {
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

/// A search of a spatial index that a condition implies.
struct Searched {
    column: ColId,
    /// The shape that is met or near.
    shape: Expr,
    distance: Option<Expr>,
}

/// Spatial indexes.
impl Binder<'_> {
    fn searched_node(&mut self, node: &mut Node) -> BindResult<()> {
        let (predicate, mut inputs) = match node {
            Node::Filter { input, predicate } => (predicate, vec![&mut **input]),
            Node::NestedLoop {
                kind: JoinKind::Inner,
                outer,
                inner,
                predicate: Some(predicate),
            } => (predicate, vec![&mut **outer, &mut **inner]),
            _ => return Ok(()),
        };
        let all = match &*predicate {
            Pred::And(all) => &all[..],
            one => std::slice::from_ref(one),
        };
        let mut implied = Vec::new();
        for pred in all {
            for searched in searches(pred) {
                let mut scans =
                    inputs.iter_mut().filter_map(|input| find_scan(input, searched.column));
                let Some(Node::Scan(scan)) = scans.next() else { continue };
                drop(scans);
                if let Some(exists) = self.cell_search(scan, searched)? {
                    implied.push(exists);
                    break;
                }
            }
        }
        if !implied.is_empty() {
            implied.insert(0, std::mem::replace(predicate, Pred::Const(None)));
            *predicate = Pred::And(implied);
        }
        Ok(())
    }

    /// The condition that a row of a scan has an entry where a search looks, if there is an index.
    fn cell_search(&mut self, scan: &mut Scan, searched: Searched) -> BindResult<Option<Pred>> {
        let Source::Table { database, table } = &scan.source else { return Ok(None) };
        let (database, table) = (*database, table.clone());
        let place = scan.columns.iter().find(|c| c.1 == searched.column).map(|c| c.0);
        let column = place.and_then(|place| table.stored_columns().nth(place));
        let index = column.and_then(|column| table.spatial_indexes_of(column.id).next());
        let tessellation = index.and_then(|index| index.tessellation.as_ref());
        let (Some(index), Some(tessellation)) = (index, tessellation) else { return Ok(None) };
        let own = |id: ColId| scan.columns.iter().any(|c| c.1 == id);
        let is_fit = |expr: &Expr| is_searchable(expr, &own);
        if scan.options.read_past
            || scan.hint != AccessHint::default()
            || !is_fit(&searched.shape)
            || !searched.distance.as_ref().is_none_or(is_fit)
        {
            return Ok(None);
        }
        let schema = self.schema_of(database)?;
        let Some(cells) = schema.table(index.nodes).cloned() else { return Ok(None) };
        let grid = grid(tessellation);
        let key = self.scanned_key(scan, &table)?;
        let options = ReadOptions { isolation: scan.options.isolation, ..ReadOptions::default() };
        self.note_table(database, &cells, &options);
        self.note_object(database, &schema, cells.id());
        let shape = self.cast(searched.shape, SqlType::varbinary_max(), CastMode::Explicit);
        let mut args = vec![shape, grid];
        if let Some(distance) = searched.distance {
            args.push(self.cast(distance, SqlType::float(), CastMode::Explicit));
        }
        let plan = self.cells_found(database, &cells, options, args, key);
        let column = ColId(0);
        let subquery = Subquery { plan, column, correlated: true, implied: true };
        Ok(Some(Pred::Exists(Box::new(subquery))))
    }

    /// The entries where a search looks, of the row with this key.
    fn cells_found(
        &mut self,
        database: DbId,
        cells: &Arc<TableDef>,
        options: ReadOptions,
        args: Vec<Expr>,
        key: Vec<Expr>,
    ) -> Node {
        let columns: Vec<(usize, ColId)> =
            (0..cells.columns.len()).map(|at| (at, self.free_column())).collect();
        let column = |at: usize| {
            let (kind, ty) = (ExprKind::Column(columns[at].1), cells.columns[at].ty);
            Expr { kind, ty, nullable: false }
        };
        let ends = [(0, self.free_column()), (1, self.free_column())];
        let end = |at: usize| {
            let (kind, ty) = (ExprKind::Column(ends[at].1), SqlType::bigint());
            Expr { kind, ty, nullable: false }
        };
        let range = vec![
            Pred::Compare(CompareOp::Ge, column(0), end(0)),
            Pred::Compare(CompareOp::Le, column(0), end(1)),
        ];
        let places = entry_columns(DerivedIndexKind::Spatial)..;
        let same = places.zip(key).map(|(at, own)| Pred::Compare(CompareOp::Eq, column(at), own));
        let same = same.collect();
        let scan = |source, columns, options| {
            let (access, hint) = (Access::Full, AccessHint::default());
            Node::Scan(Box::new(Scan {
                source,
                columns,
                access,
                residual: None,
                row: None,
                options,
                hint,
            }))
        };
        let cover = self.names.functions().spatial_cover();
        let ranges = scan(Source::Function(cover, args), ends.to_vec(), ReadOptions::default());
        let source = Source::Table { database, table: cells.clone() };
        let input = Node::NestedLoop {
            kind: JoinKind::Inner,
            outer: Box::new(ranges),
            inner: Box::new(scan(source, columns.clone(), options)),
            predicate: Some(Pred::And(range)),
        };
        Node::Filter { input: Box::new(input), predicate: Pred::And(same) }
    }
}

/// The searches that a condition implies, each for a column that is an operand of a method.
fn searches(pred: &Pred) -> Vec<Searched> {
    let Pred::Compare(op, left, right) = pred else { return Vec::new() };
    let search = |expr: &Expr| match &uncast(expr).kind {
        ExprKind::Call { function, args } => {
            search_of(function.name).map(|search| (search, args.clone()))
        }
        _ => None,
    };
    let (search, args, is_left, other) = match (search(left), search(right)) {
        (Some((search, args)), None) => (search, args, true, right),
        (None, Some((search, args))) => (search, args, false, left),
        _ => return Vec::new(),
    };
    let distance = match (search, op, is_left) {
        (Search::Meeting, CompareOp::Eq, _)
            if matches!(uncast(other).kind, ExprKind::Constant(Value::Int(1))) =>
        {
            None
        }
        (Search::Within, CompareOp::Lt | CompareOp::Le, true)
        | (Search::Within, CompareOp::Gt | CompareOp::Ge, false) => Some(other.clone()),
        _ => return Vec::new(),
    };
    let [one, two] = &args[..] else { return Vec::new() };
    let found = |own: &Expr, shape: &Expr| match own.kind {
        ExprKind::Column(column) => {
            Some(Searched { column, shape: shape.clone(), distance: distance.clone() })
        }
        _ => None,
    };
    found(one, two).into_iter().chain(found(two, one)).collect()
}

/// Whether an expression can be evaluated before the rows of a scan are found, as often as needed.
fn is_searchable(expr: &Expr, own: &dyn Fn(ColId) -> bool) -> bool {
    let is_plain = |expr: &Expr| match &expr.kind {
        ExprKind::Column(id) => !own(*id),
        ExprKind::Call { function, .. } => function.is_deterministic(),
        ExprKind::Constant(_) | ExprKind::Variable(_) | ExprKind::Cast { .. } => true,
        _ => false,
    };
    let mut is_fit = is_plain(expr);
    walk::visit(expr, &mut |part| {
        is_fit &= matches!(part, Part::Expr(expr) if is_plain(expr));
    });
    is_fit
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
fn has_use(table: &TableDef, primary: &DerivedIndexDef, wanted: &Condition) -> bool {
    let has = |kind| {
        let own = |i: &&DerivedIndexDef| i.primary == primary.id && i.kind == kind && !i.disabled;
        table.derived_indexes.iter().any(|i| own(&i))
    };
    let by_path = wanted.is_whole || wanted.value.is_none();
    by_path && has(DerivedIndexKind::Path) || wanted.value.is_some() && has(DerivedIndexKind::Value)
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
