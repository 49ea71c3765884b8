//! XML and spatial indexes: conditions that they help with, and their entries when they are made.
//!
//! `x.exist('/a/b[@c="v"]') = 1` implies that the document has an entry with that path and value;
//! `x.value('(/a/@n)[1]', 'int') < 5` one with that path and a number below 5; a row of
//! `x.nodes('/a')` one with that path. A query for such an entry is added to the condition; the
//! planner begins with it if that finds few rows, and leaves it out otherwise. The condition itself
//! stays: entries only say which documents may meet it. Likewise `g.STIntersects(s) = 1` implies
//! that the shape has an entry in one of the ranges of cells that cover the other one.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlType, TypeKind, Value};
use engine::catalog::def::{DerivedIndexDef, DerivedIndexKind, TableDef};
use ir::function::clr::spatial::{Search, search_of};
use ir::function::method::names;
use ir::operator::{CastMode, CompareOp};
use ir::read::ReadOptions;
use xquery::AtomicType;
use xquery::index::selective::Pattern;
pub use xquery::index::selective::Unfit;
use xquery::index::{Condition, Limit, Margin, Sought, Target, beginning};

use super::binder::Binder;
use super::context::{BindContext, BindResult};
use super::dml::{entry_columns, grid, key_columns, pattern_of};
use super::scalar::Scalar;
use super::statement::Bound;
use crate::plan::expr::{ColId, Expr, ExprKind, Pred, Subquery};
use crate::plan::hints::AccessHint;
use crate::plan::tree::{Access, JoinKind, Node, Plan, Scan, Source};
use crate::plan::walk::{self, Part, PartMut, Parts, same_expr};

/// The columns of entries that are looked for.
const PATH: usize = 1;
const VALUE: usize = 2;
const NUMBER: usize = 3;

/// The arguments of a call of a method.
const DOCUMENT: usize = 1;
const PLAN: usize = 2;
const OUTER: usize = 3;

/// What an XML index may know of calls with a plan.
pub(super) struct XmlCall {
    /// The constant among the arguments.
    pub plan: Vec<u8>,
    /// What is in a document in which the query finds something.
    pub condition: Option<Condition>,
    /// Where the value of `value()` is.
    pub target: Option<Target>,
}

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

/// An entry that the document of a column must have.
struct Wanted {
    column: ColId,
    path: Vec<u8>,
    is_whole: bool,
    value: Searched,
    /// The call of `value()` whose value has the bounds.
    of: Option<Expr>,
}

/// What an entry must have beside its path.
enum Searched {
    Any,
    /// This value, of the entries' type.
    Text(Expr),
    /// A number within bounds.
    Within(Option<Expr>, Option<Expr>),
}

impl Binder<'_> {
    /// Adds to the conditions of a statement what XML and spatial indexes can find.
    pub(super) fn use_derived_indexes(&mut self, plan: &mut Plan) -> BindResult<()> {
        if self.xml_calls.is_empty() && !self.searches_shapes {
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
        match node {
            Node::Filter { input, predicate } => {
                let mut wanted = Vec::new();
                self.note_wanted(predicate, &mut wanted)?;
                for one in wanted {
                    if let Some(scan) = find_scan(input, one.column) {
                        self.index_scan(scan, one)?;
                    }
                }
            }
            // A row without nodes has no part in the result.
            Node::NestedLoop { kind: JoinKind::Inner, outer, inner, .. } => {
                let Some(args) = nodes_call(inner) else { return Ok(()) };
                if let Some(one) = self.condition_of(args)?
                    && let Some(scan) = find_scan(outer, one.column)
                {
                    self.index_scan(scan, one)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Notes what a condition asks of indexes. Bounds of one value are put together.
    fn note_wanted(&mut self, pred: &Pred, wanted: &mut Vec<Wanted>) -> BindResult<()> {
        let found = match pred {
            Pred::And(all) => {
                self.deeper(0)?;
                return all.iter().try_for_each(|one| self.note_wanted(one, wanted));
            }
            Pred::Compare(op, left, right) => match self.sought_by(*op, left, right)? {
                None => self.sought_by(turned(*op), right, left)?,
                found => found,
            },
            Pred::In(value, _) | Pred::Like { subject: value, .. } => self.there(value)?,
            Pred::Not(inner) => match &**inner {
                Pred::IsNull(value) => self.there(value)?,
                _ => None,
            },
            _ => None,
        };
        let Some(mut new) = found else { return Ok(()) };
        if let Searched::Within(low, high) = &mut new.value {
            let is_same = |old: &&mut Wanted| match (&old.of, &new.of) {
                (Some(a), Some(b)) => same_expr(a, b),
                _ => false,
            };
            let other = wanted.iter_mut().find(is_same);
            if let Some(Wanted { value: Searched::Within(old_low, old_high), .. }) = other {
                let is_set =
                    |old: &Option<Expr>, new: &Option<Expr>| old.is_some() && new.is_some();
                if !is_set(old_low, low) && !is_set(old_high, high) {
                    *old_low = old_low.take().or(low.take());
                    *old_high = old_high.take().or(high.take());
                    return Ok(());
                }
            }
        }
        wanted.push(new);
        Ok(())
    }

    /// What a comparison whose left side is a method's value asks for.
    fn sought_by(
        &mut self,
        op: CompareOp,
        left: &Expr,
        right: &Expr,
    ) -> BindResult<Option<Wanted>> {
        let call = uncast(left);
        let ExprKind::Call { function, args } = &call.kind else { return Ok(None) };
        match function.name {
            names::EXIST => {
                let is_one = matches!(uncast(right).kind, ExprKind::Constant(Value::Int(1)));
                match is_one && op == CompareOp::Eq {
                    true => self.condition_of(args),
                    false => Ok(None),
                }
            }
            names::VALUE => {
                let found = self.condition_of(args)?;
                let is_text =
                    found.as_ref().is_some_and(|one| matches!(one.value, Searched::Text(_)));
                if is_text {
                    return Ok(found);
                }
                Ok(self.within(op, left, call, args, right)?.or(found))
            }
            // What is empty is no text that has a letter or digit.
            names::QUERY if op == CompareOp::Eq && has_letter(right) => self.condition_of(args),
            _ => Ok(None),
        }
    }

    /// What it takes for a value to be there.
    fn there(&mut self, value: &Expr) -> BindResult<Option<Wanted>> {
        match &uncast(value).kind {
            ExprKind::Call { function, args } if function.name == names::VALUE => {
                self.condition_of(args)
            }
            _ => Ok(None),
        }
    }

    /// What must be there for a method to find something.
    fn condition_of(&mut self, args: &[Expr]) -> BindResult<Option<Wanted>> {
        let Some((column, args)) = document_of(args) else { return Ok(None) };
        let Some(condition) = self.known_call(args).and_then(|known| known.condition.clone())
        else {
            return Ok(None);
        };
        let Condition { path, is_whole, value } = condition;
        let value = match value {
            None => Searched::Any,
            Some(Sought::Text(text)) => {
                let value = Value::Bytes(beginning(text.as_bytes()).into());
                let ty = SqlType::varbinary(xquery::index::VALUE_BYTES as u16);
                Searched::Text(Expr { kind: ExprKind::Constant(value), ty, nullable: false })
            }
            Some(Sought::External(at)) => {
                let outer = Scalar::computed(args[OUTER + at].clone());
                Searched::Text(self.library_call(names::INDEX_VALUE, vec![outer])?.expr)
            }
            Some(Sought::Within { low, high }) => {
                let mut limit = |limit: Option<Limit>, is_upper| {
                    limit.map(|limit| match limit {
                        Limit::Number(number) => Ok(float(Margin::QUERY.moved(number, is_upper))),
                        Limit::External(at) => {
                            self.bound(&args[OUTER + at], Margin::QUERY, is_upper)
                        }
                    })
                };
                let low = limit(low, false).transpose()?;
                Searched::Within(low, limit(high, true).transpose()?)
            }
        };
        Ok(Some(Wanted { column, path, is_whole, value, of: None }))
    }

    /// The bounds that a comparison sets to the number or moment that a call of `value()` yields.
    fn within(
        &mut self,
        op: CompareOp,
        value: &Expr,
        call: &Expr,
        args: &[Expr],
        other: &Expr,
    ) -> BindResult<Option<Wanted>> {
        let Some((column, _)) = document_of(args) else { return Ok(None) };
        let target = self.known_call(args).and_then(|known| known.target.clone());
        let Some(Target { condition, ty }) = target else { return Ok(None) };
        let is_plain = matches!(
            uncast(other).kind,
            ExprKind::Constant(_) | ExprKind::Variable(_) | ExprKind::Column(_)
        );
        let Some(margin) = margin(value, ty).filter(|_| is_plain) else { return Ok(None) };
        let (has_low, has_high) = match op {
            CompareOp::Eq => (true, true),
            CompareOp::Lt | CompareOp::Le => (false, true),
            CompareOp::Gt | CompareOp::Ge => (true, false),
            CompareOp::Ne => return Ok(None),
        };
        let mut bound = |is_wanted: bool, is_upper| {
            is_wanted.then(|| self.bound(other, margin, is_upper)).transpose()
        };
        let value = Searched::Within(bound(has_low, false)?, bound(has_high, true)?);
        let Condition { path, is_whole, .. } = condition;
        Ok(Some(Wanted { column, path, is_whole, value, of: Some(call.clone()) }))
    }

    /// A value as a bound of numbers.
    fn bound(&mut self, value: &Expr, margin: Margin, is_upper: bool) -> BindResult<Expr> {
        let sign = if is_upper { 1.0 } else { -1.0 };
        let margins = [margin.relative, margin.absolute].map(|part| float(sign * part));
        let mut args = vec![Scalar::computed(value.clone())];
        args.extend(margins.map(Scalar::computed));
        Ok(self.library_call(names::INDEX_BOUND, args)?.expr)
    }

    fn known_call(&self, args: &[Expr]) -> Option<&XmlCall> {
        let ExprKind::Constant(Value::Bytes(plan)) = &args.get(PLAN)?.kind else { return None };
        self.xml_calls.iter().find(|known| known.plan[..] == plan[..])
    }

    /// Has a scan yield only rows whose documents have the entry, if an index can find those.
    fn index_scan(&mut self, node: &mut Node, wanted: Wanted) -> BindResult<()> {
        let Node::Scan(scan) = node else { return Ok(()) };
        let Source::Table { database, table } = &scan.source else { return Ok(()) };
        let (database, table) = (*database, table.clone());
        let place = scan.columns.iter().find(|c| c.1 == wanted.column).map(|c| c.0);
        let column = place.and_then(|place| table.stored_columns().nth(place));
        let Some(column) = column.map(|column| column.id) else { return Ok(()) };
        let primary = table.nodes_of(column).filter(|index| has_use(&table, index, &wanted));
        let index = match (primary, table.selective_of(column)) {
            (None, Some(index)) if has_selective_use(&table, index, &wanted)? => index,
            (Some(index), _) => index,
            (None, _) => return Ok(()),
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
            let (kind, def) = (ExprKind::Column(columns[at - PATH].1), &nodes.columns[at]);
            Expr { kind, ty: def.ty, nullable: def.nullable }
        };
        let path = |bytes: Vec<u8>| {
            let kind = ExprKind::Constant(Value::Bytes(bytes.into()));
            Expr { kind, ty: nodes.columns[PATH].ty, nullable: false }
        };
        let mut all = Vec::new();
        if wanted.is_whole {
            all.push(Pred::Compare(CompareOp::Eq, column(PATH), path(wanted.path)));
        } else {
            if let Some(after) = after(&wanted.path) {
                all.push(Pred::Compare(CompareOp::Lt, column(PATH), path(after)));
            }
            all.push(Pred::Compare(CompareOp::Ge, column(PATH), path(wanted.path)));
        }
        match wanted.value {
            Searched::Any => {}
            Searched::Text(value) => {
                all.push(Pred::Compare(CompareOp::Eq, column(VALUE), value));
            }
            Searched::Within(low, high) => {
                let bounds = [(CompareOp::Ge, low), (CompareOp::Le, high)];
                all.extend(bounds.into_iter().filter_map(|(op, bound)| {
                    bound.map(|bound| Pred::Compare(op, column(NUMBER), bound))
                }));
            }
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
struct ShapeSearch {
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
    fn cell_search(&mut self, scan: &mut Scan, searched: ShapeSearch) -> BindResult<Option<Pred>> {
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
fn searches(pred: &Pred) -> Vec<ShapeSearch> {
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
            Some(ShapeSearch { column, shape: shape.clone(), distance: distance.clone() })
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

/// The comparison with its sides exchanged.
fn turned(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        CompareOp::Eq | CompareOp::Ne => op,
    }
}

fn float(value: f64) -> Expr {
    let kind = ExprKind::Constant(Value::Float(value));
    Expr { kind, ty: SqlType::float(), nullable: false }
}

/// The column with the document that a method is applied to, and the call that is: of a method that
/// is applied to what `query()` makes of a document, that of `query()`.
fn document_of(args: &[Expr]) -> Option<(ColId, &[Expr])> {
    let mut args = args;
    loop {
        match &uncast(args.get(DOCUMENT)?).kind {
            ExprKind::Column(column) => return Some((*column, args)),
            ExprKind::Call { function, args: inner } if function.name == names::QUERY => {
                args = inner;
            }
            _ => return None,
        }
    }
}

/// The arguments of the call of `nodes()` whose rows a node has.
fn nodes_call(node: &Node) -> Option<&[Expr]> {
    match node {
        Node::Filter { input, .. } | Node::Compute { input, .. } => nodes_call(input),
        Node::Scan(scan) => match &scan.source {
            Source::Function(function, args) if function.name == names::NODES => Some(args),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a constant text has a letter or digit.
fn has_letter(expr: &Expr) -> bool {
    let has = |bytes: &[u8]| bytes.iter().any(u8::is_ascii_alphanumeric);
    matches!(&expr.kind, ExprKind::Constant(Value::Chars(text) | Value::Unicode(text)) if has(text))
}

/// By how much a value of `value()`, after its conversions, may differ from the number or moment of
/// its entry; `None` if an entry says nothing of it.
fn margin(value: &Expr, own: AtomicType) -> Option<Margin> {
    const COARSE: f64 = 1e-6;
    /// Two days in ticks: a time zone, and what dates cut.
    const DAYS: f64 = 2.0 * 864e9;
    let mut margin = Margin::QUERY;
    let mut at = value;
    while let ExprKind::Cast { operand, style: None, .. } = &at.kind {
        match at.ty.kind {
            TypeKind::TinyInt
            | TypeKind::SmallInt
            | TypeKind::Int
            | TypeKind::BigInt
            | TypeKind::Float => {}
            TypeKind::Real => margin.relative = margin.relative.max(COARSE),
            TypeKind::Decimal | TypeKind::Numeric => {
                margin.absolute += 0.1f64.powi(i32::from(at.ty.scale));
            }
            TypeKind::Date
            | TypeKind::DateTime
            | TypeKind::SmallDateTime
            | TypeKind::DateTime2
            | TypeKind::DateTimeOffset => {
                let is_date = matches!(own, AtomicType::Date | AtomicType::DateTime);
                margin.absolute = is_date.then_some(DAYS)?;
            }
            _ => return None,
        }
        at = operand;
    }
    let is_moment = margin.absolute == DAYS;
    let is_known = is_moment || own.may_be_number();
    (is_known && matches!(at.kind, ExprKind::Call { .. })).then_some(margin)
}

/// Whether a secondary index finds what is wanted.
fn has_use(table: &TableDef, primary: &DerivedIndexDef, wanted: &Wanted) -> bool {
    let has = |kind| {
        let own = |i: &&DerivedIndexDef| i.primary == primary.id && i.kind == kind && !i.disabled;
        table.derived_indexes.iter().any(|i| own(&i))
    };
    let by_value = !matches!(wanted.value, Searched::Any);
    let by_path = wanted.is_whole || !by_value;
    by_path && has(DerivedIndexKind::Path) || by_value && has(DerivedIndexKind::Value)
}

/// Whether a secondary selective index has all nodes that are looked for.
fn has_selective_use(
    table: &TableDef,
    selective: &DerivedIndexDef,
    wanted: &Wanted,
) -> BindResult<bool> {
    let own = |i: &&DerivedIndexDef| {
        i.primary == selective.id && i.kind == DerivedIndexKind::SelectivePath && !i.disabled
    };
    for secondary in table.derived_indexes.iter().filter(own) {
        let path = selective.paths.iter().find(|path| path.id == secondary.path);
        let Some(path) = path else { continue };
        if pattern_of(selective, path)?.covers(&wanted.path, wanted.is_whole) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Why a text cannot be a path of a selective index.
pub fn unfit_path(text: &str, namespaces: &[(&str, &str)]) -> Option<Unfit> {
    Pattern::parse(text, namespaces).err()
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
