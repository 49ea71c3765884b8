//! Indexed views: which views can have indexes.
//!
//! The rows of an indexed view are kept up row by row ([`super::dml`]), which wants that the view
//! joins tables, each once, with inner joins, and at most groups what it joins; and that its rows
//! depend on nothing but those of its tables.

use std::fmt::Display;
use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::message::Message;
use base::{SqlError, TypeKind, message};
use engine::catalog::Object;
use engine::catalog::def::{ColumnId, ModuleDef, ModuleKind, TableDef};
use ir::function::{ScalarFunction, Volatility};
use ir::operator::CastMode;
use ir::read::ReadOptions;
use tsql::ast::{self, JoinKind, TableSource, TableSourceKind};

use super::binder::{Binder, Mentions};
use super::context::{BindContext, BindError, BindResult};
use super::dml::{Role, grouping, roles_of};
use super::expand::module_of;
use super::scope::OutCol;
use crate::plan::expr::{Expr, ExprKind, Pred};
use crate::plan::tree::{Node, Source};
use crate::plan::walk::{self, Part, Parts};

/// The index that is asked for first.
#[derive(Clone, Copy, Debug)]
pub struct FirstIndex<'a> {
    /// The view, with its database and schema.
    pub view: &'a str,
    /// The name of the index.
    pub name: &'a str,
    /// The key columns, by their place in the view.
    pub key: &'a [ColumnId],
}

/// The tables of a view that can have an index, by ascending id. Error 1937 and the others that say
/// why it cannot.
pub fn indexed_view(
    context: &BindContext<'_>,
    database: DbId,
    view: &Arc<ModuleDef>,
    index: FirstIndex<'_>,
) -> BindResult<Vec<ObjectId>> {
    let mut binder = Binder::new(context)?;
    binder.mentions = Some(Mentions::default());
    let check = Check { database, view, index };
    check.text(&mut binder)?;
    check.references(&mut binder)?;
    let (node, columns) = binder.view_query(database, view, ReadOptions::default())?;
    let tables = check.tables(&node)?;
    check.operators(&node)?;
    let mentions = binder.mentions.take().unwrap_or_default();
    if mentions.xml_methods {
        return Err(check.fails(&message::INDEXED_VIEW_XML_METHODS));
    }
    check.expressions(&node)?;
    if mentions.nondeterministic {
        return Err(check.fails(&message::INDEXED_VIEW_CONVERT));
    }
    check.columns(&columns)?;
    check.groups(&node, &columns)?;
    Ok(tables)
}

/// A view that is to have its first index.
struct Check<'c> {
    database: DbId,
    view: &'c Arc<ModuleDef>,
    index: FirstIndex<'c>,
}

impl Check<'_> {
    /// "Cannot create index on view …", for a reason.
    fn fails(&self, message: &Message) -> BindError {
        SqlError::new(message, &[&"index", &self.index.view]).into()
    }

    fn fails_for(&self, message: &Message, what: &dyn Display) -> BindError {
        SqlError::new(message, &[&"index", &self.index.view, what]).into()
    }

    /// As `fails`, where the message names the index.
    fn refuses(&self, message: &Message) -> BindError {
        SqlError::new(message, &[&self.index.name, &self.index.view]).into()
    }

    /// What can be told from the text.
    fn text(&self, binder: &mut Binder<'_>) -> BindResult<()> {
        let tree = binder.names.module_tree(self.database, self.view)?;
        let Some(ast::Module::View(text)) = module_of(&tree) else {
            let name = &self.view.header.name;
            return Err(SqlError::new(&message::VIEW_BINDING_ERRORS, &[name]).into());
        };
        let with = text.query.with.as_ref();
        if let Some(table) = with.and_then(|with| with.tables.first()) {
            return Err(self.fails_for(&message::INDEXED_VIEW_CTE, &table.name.name));
        }
        let query = &text.query.query;
        if query.for_clause.is_some() {
            return Err(unimplemented("FOR in an indexed view"));
        }
        let mut body = query;
        loop {
            if body.offset.is_some() {
                return Err(self.fails(&message::INDEXED_VIEW_TOP));
            }
            match &body.body {
                ast::QueryBody::Nested(inner) => body = inner,
                ast::QueryBody::Set(_) => {
                    return Err(self.fails(&message::INDEXED_VIEW_SET_OPERATOR));
                }
                ast::QueryBody::Select(select) => return self.select(binder, select),
            }
        }
    }

    fn select(&self, binder: &Binder<'_>, select: &ast::Select) -> BindResult<()> {
        if select.distinct {
            return Err(self.fails(&message::INDEXED_VIEW_DISTINCT));
        }
        if select.top.is_some() {
            return Err(self.fails(&message::INDEXED_VIEW_TOP));
        }
        select.from.iter().try_for_each(|source| self.source(binder, source))?;
        if let Some(group_by) = &select.group_by {
            let is_plain = |set: &ast::GroupingSet| matches!(set, ast::GroupingSet::Composite(_));
            if group_by.all {
                return Err(self.fails(&message::INDEXED_VIEW_GROUP_BY_ALL));
            }
            if group_by.with.is_some() || !group_by.items.iter().all(is_plain) {
                return Err(self.fails(&message::INDEXED_VIEW_GROUPING_SETS));
            }
        }
        match select.having {
            Some(_) => Err(self.fails(&message::INDEXED_VIEW_HAVING)),
            None => Ok(()),
        }
    }

    fn source(&self, binder: &Binder<'_>, source: &TableSource) -> BindResult<()> {
        binder.deeper(source.span.line)?;
        Err(match &source.kind {
            TableSourceKind::Join(join) => {
                if !matches!(join.kind, JoinKind::CrossApply | JoinKind::OuterApply) {
                    self.source(binder, &join.left)?;
                    self.source(binder, &join.right)?;
                }
                match join.kind {
                    JoinKind::Inner if join.hint.is_some() => {
                        self.fails(&message::INDEXED_VIEW_JOIN_HINT)
                    }
                    JoinKind::Inner | JoinKind::Cross => return Ok(()),
                    JoinKind::LeftOuter | JoinKind::RightOuter | JoinKind::FullOuter => {
                        self.fails(&message::INDEXED_VIEW_OUTER_JOIN)
                    }
                    JoinKind::CrossApply => self.fails(&message::INDEXED_VIEW_APPLY),
                    JoinKind::OuterApply => self.fails(&message::INDEXED_VIEW_OUTER_APPLY),
                }
            }
            TableSourceKind::Table(table) => {
                if table.sample.is_some() {
                    self.fails(&message::INDEXED_VIEW_SAMPLE)
                } else if !table.hints.is_empty() {
                    self.fails(&message::INDEXED_VIEW_TABLE_HINT)
                } else if table.system_time.is_some() {
                    unimplemented("FOR SYSTEM_TIME in an indexed view")
                } else {
                    return Ok(());
                }
            }
            TableSourceKind::Function(function) => {
                self.fails_for(&message::INDEXED_VIEW_TABLE_FUNCTION, &function.name)
            }
            TableSourceKind::Variable { variable, .. } => {
                SqlError::new(&message::UNDECLARED_TABLE_VARIABLE, &[&variable.name]).into()
            }
            TableSourceKind::Method(_) => self.fails(&message::INDEXED_VIEW_XML_METHODS),
            TableSourceKind::OpenXml(_) => self.fails(&message::INDEXED_VIEW_OPENXML),
            TableSourceKind::Derived { alias, .. } | TableSourceKind::Values { alias, .. } => {
                self.fails_for(&message::INDEXED_VIEW_DERIVED_TABLE, &alias.name.name)
            }
            TableSourceKind::File(_) => self.fails(&message::INDEXED_VIEW_OPENROWSET),
            TableSourceKind::Changes(_) => self.fails(&message::INDEXED_VIEW_CHANGETABLE),
            TableSourceKind::Pivot(_) => self.fails(&message::INDEXED_VIEW_PIVOT),
            TableSourceKind::Unpivot(_) => self.fails(&message::INDEXED_VIEW_UNPIVOT),
        })
    }

    /// What the view mentions beside tables.
    fn references(&self, binder: &mut Binder<'_>) -> BindResult<()> {
        let schema = binder.schema_of(self.database)?;
        for reference in &self.view.references {
            let object = reference.id.and_then(|id| schema.object(ObjectId(id)));
            let Some(Object::Module(module)) = object else { continue };
            let place = schema.schemas().get(module.header.schema).map_or("dbo", |s| &*s.name);
            let name = format!("{place}.{}", module.header.name);
            match module.kind {
                ModuleKind::View { .. } => {
                    return Err(self.fails_for(&message::INDEXED_VIEW_OVER_VIEW, &name));
                }
                ModuleKind::InlineFunction { .. } | ModuleKind::TableFunction { .. } => {
                    return Err(self.fails_for(&message::INDEXED_VIEW_TABLE_FUNCTION, &name));
                }
                ModuleKind::ScalarFunction { .. } if !module.schema_bound => {
                    return Err(self.fails_for(&message::INDEXED_VIEW_USER_FUNCTION, &name));
                }
                ModuleKind::ScalarFunction { .. } => {
                    return Err(unimplemented("function of a user in an indexed view"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The tables that are joined, by ascending id.
    fn tables(&self, node: &Node) -> BindResult<Vec<ObjectId>> {
        let mut found: Vec<Arc<TableDef>> = Vec::new();
        let mut others = false;
        visit_all(node, &mut |part| {
            if let Part::Node(Node::Scan(scan)) = part {
                match &scan.source {
                    Source::Table { table, .. } => found.push(table.clone()),
                    _ => others = true,
                }
            }
        });
        if others || found.is_empty() {
            return Err(unimplemented("indexed view of no tables"));
        }
        found.sort_by_key(|table| table.id());
        for pair in found.windows(2) {
            if pair[0].id() == pair[1].id() {
                let name = &pair[0].header.name;
                return Err(self.fails_for(&message::INDEXED_VIEW_SELF_JOIN, name));
            }
        }
        for table in &found {
            if table.kind.is_memory_optimized() {
                let args: [&dyn Display; 3] =
                    [&"operation", &"CREATE INDEX", &"memory optimized tables"];
                return Err(SqlError::new(&message::NOT_SUPPORTED_WITH, &args).into());
            }
            if table.history_of.is_some() {
                return Err(unimplemented("indexed view of a history table"));
            }
            if !table.policies.is_empty() {
                let args: [&dyn Display; 2] = [&self.index.view, &table.header.name];
                return Err(SqlError::new(&message::INDEXED_VIEW_WITH_POLICY, &args).into());
            }
        }
        Ok(found.iter().map(|table| table.id()).collect())
    }

    /// Operators that are not kept up.
    fn operators(&self, node: &Node) -> BindResult<()> {
        let mut wrong = None;
        visit_all(node, &mut |part| {
            let message = match part {
                Part::Node(Node::Window { .. }) => &message::INDEXED_VIEW_WINDOW,
                Part::Pred(Pred::Exists(_) | Pred::Quantified { .. })
                | Part::Expr(Expr { kind: ExprKind::Subquery(_), .. }) => {
                    &message::INDEXED_VIEW_SUBQUERY
                }
                _ => return,
            };
            wrong.get_or_insert(message);
        });
        wrong.map_or(Ok(()), |message| Err(self.fails(message)))
    }

    /// What has other values each time, or depends on the session, or is imprecise.
    fn expressions(&self, node: &Node) -> BindResult<()> {
        let mut wrong: Option<BindError> = None;
        visit_all(node, &mut |part| {
            if let (None, Part::Expr(expr)) = (&wrong, part) {
                wrong = self.nondeterministic(expr);
            }
        });
        if let Some(error) = wrong {
            return Err(error);
        }
        let mut wrong = None;
        visit_all(node, &mut |part| {
            let imprecise = |e: &dyn Parts| walk_imprecise(e);
            if let (None, Part::Node(of)) = (&wrong, part) {
                wrong = match of {
                    Node::Filter { predicate, .. } => imprecise(predicate),
                    Node::NestedLoop { predicate: Some(predicate), .. } => imprecise(predicate),
                    Node::Aggregate { groups, .. } => groups
                        .iter()
                        .find_map(|(_, group)| imprecise_part(group).or_else(|| imprecise(group))),
                    _ => None,
                };
            }
        });
        match wrong {
            None => Ok(()),
            Some(Imprecise::Constant) => Err(self.fails(&message::INDEXED_VIEW_IMPRECISE_CONSTANT)),
            Some(Imprecise::Arithmetic) => {
                Err(self.fails(&message::INDEXED_VIEW_IMPRECISE_ARITHMETIC))
            }
            Some(Imprecise::Column(id)) => {
                let name = column_name(node, id);
                Err(self.fails_for(&message::INDEXED_VIEW_IMPRECISE_COLUMN, &name))
            }
        }
    }

    fn nondeterministic(&self, expr: &Expr) -> Option<BindError> {
        match &expr.kind {
            ExprKind::Call { function, .. } if function.volatility != Volatility::Deterministic => {
                let name = shown_function(function);
                Some(self.fails_for(&message::INDEXED_VIEW_NONDETERMINISTIC, &name))
            }
            ExprKind::NextValue(_) => {
                let name = "next value for";
                Some(self.fails_for(&message::INDEXED_VIEW_NONDETERMINISTIC, &name))
            }
            ExprKind::Cast { operand, mode, style } => {
                let (from, to) = (operand.ty.kind, expr.ty.kind);
                let depends = from.is_character() && is_date(to)
                    || is_date(from) && to.is_character()
                    || from == TypeKind::SqlVariant && (is_date(to) || to.is_character());
                if !depends || is_deterministic_style(style.as_deref()) {
                    return None;
                }
                Some(match mode {
                    CastMode::Explicit | CastMode::Try => {
                        self.fails(&message::INDEXED_VIEW_CONVERT)
                    }
                    _ => self.fails(&message::INDEXED_VIEW_DATE_CONVERSION),
                })
            }
            _ => None,
        }
    }

    fn columns(&self, columns: &[OutCol]) -> BindResult<()> {
        let is_wrong =
            |column: &OutCol| column.ty.kind.is_legacy_lob() || column.ty.kind == TypeKind::Xml;
        if columns.iter().any(is_wrong) {
            return Err(self.fails(&message::INDEXED_VIEW_COLUMN_TYPE));
        }
        let shows_set = |column: &OutCol| {
            let base = column.base.as_ref();
            base.and_then(|b| b.table.columns.get(b.ordinal)).is_some_and(|c| c.column_set)
        };
        if columns.iter().any(shows_set) {
            return Err(self.fails(&message::INDEXED_VIEW_COLUMN_SET));
        }
        for key in self.index.key {
            let column = columns.get((key.0 - 1) as usize);
            if let Some(column) = column.filter(|c| is_imprecise(c.ty.kind)) {
                let name = column.name.as_deref().unwrap_or_default();
                let args: [&dyn Display; 3] = [&self.index.name, &self.index.view, &name];
                return Err(SqlError::new(&message::INDEXED_VIEW_KEY_IMPRECISE, &args).into());
            }
        }
        Ok(())
    }

    fn groups(&self, node: &Node, columns: &[OutCol]) -> BindResult<()> {
        let Some((groups, aggregates, _)) = grouping(node) else { return Ok(()) };
        for (_, aggregate) in aggregates {
            let name = aggregate.function.name;
            if aggregate.distinct {
                return Err(self.fails_for(&message::INDEXED_VIEW_DISTINCT_AGGREGATE, &name));
            }
            match name {
                "COUNT" => return Err(self.fails(&message::INDEXED_VIEW_COUNT)),
                "COUNT_BIG" => {}
                "SUM" => {
                    if is_imprecise(aggregate.ty.kind) {
                        return Err(self.fails(&message::INDEXED_VIEW_IMPRECISE_AGGREGATE));
                    }
                    if aggregate.args.iter().any(may_be_null) {
                        return Err(self.refuses(&message::INDEXED_VIEW_NULLABLE_SUM));
                    }
                }
                _ => return Err(self.fails_for(&message::INDEXED_VIEW_AGGREGATE, &name)),
            }
        }
        let roles = roles_of(node, columns).unwrap_or_default();
        if !roles.contains(&Some(Role::Count)) {
            return Err(self.fails(&message::INDEXED_VIEW_WITHOUT_COUNT));
        }
        if roles.contains(&None) {
            return Err(self.refuses(&message::INDEXED_VIEW_COMPUTES));
        }
        let shown = |id| columns.iter().any(|c| shows(node, c, id));
        if !groups.iter().all(|group| shown(group.0)) {
            return Err(self.refuses(&message::INDEXED_VIEW_GROUP_NOT_SHOWN));
        }
        let is_group = |key: &ColumnId| roles.get((key.0 - 1) as usize) == Some(&Some(Role::Group));
        match self.index.key.iter().all(is_group) {
            true => Ok(()),
            false => Err(self.refuses(&message::INDEXED_VIEW_KEY_NOT_GROUPED)),
        }
    }
}

fn unimplemented(what: &str) -> BindError {
    SqlError::new(&message::UNIMPLEMENTED, &[&what]).into()
}

/// Whether a column of a grouped view shows this group.
fn shows(node: &Node, column: &OutCol, group: crate::plan::expr::ColId) -> bool {
    let Some((_, _, computed)) = grouping(node) else { return false };
    let mut id = column.id;
    while let Some((_, of)) = computed.iter().find(|c| c.0 == id) {
        let ExprKind::Column(inner) = of.kind else { return false };
        id = inner;
    }
    id == group
}

/// Calls `f` for an operator and all that is inside it.
fn visit_all<'n>(node: &'n Node, f: &mut dyn FnMut(Part<'n>)) {
    f(Part::Node(node));
    walk::visit(node, f);
}

/// Why an expression is imprecise.
#[derive(Clone, Copy)]
enum Imprecise {
    Constant,
    Arithmetic,
    Column(crate::plan::expr::ColId),
}

fn walk_imprecise(whole: &dyn Parts) -> Option<Imprecise> {
    let mut found = None;
    walk::visit(whole, &mut |part| {
        if let (None, Part::Expr(expr)) = (&found, part) {
            found = imprecise_part(expr);
        }
    });
    found
}

fn imprecise_part(expr: &Expr) -> Option<Imprecise> {
    if !is_imprecise(expr.ty.kind) {
        return None;
    }
    match expr.kind {
        ExprKind::Column(id) => Some(Imprecise::Column(id)),
        ExprKind::Constant(_) => Some(Imprecise::Constant),
        ExprKind::Arith { .. } | ExprKind::Negate(_) => Some(Imprecise::Arithmetic),
        _ => None,
    }
}

fn is_imprecise(kind: TypeKind) -> bool {
    matches!(kind, TypeKind::Float | TypeKind::Real)
}

fn is_date(kind: TypeKind) -> bool {
    use TypeKind::*;
    matches!(kind, Date | Time | DateTime | SmallDateTime | DateTime2 | DateTimeOffset)
}

/// Whether a style of `CONVERT` means the same for all sessions.
fn is_deterministic_style(style: Option<&Expr>) -> bool {
    let Some(Expr { kind: ExprKind::Constant(base::Value::Int(style)), .. }) = style else {
        return false;
    };
    match style {
        20 | 21 => true,
        106 | 107 | 109 | 113 => false,
        other => *other > 100,
    }
}

/// Whether an expression over rows of tables may be NULL, where errors of arithmetic are none.
fn may_be_null(expr: &Expr) -> bool {
    match &expr.kind {
        _ if !expr.nullable => false,
        ExprKind::Arith { left, right, .. } => may_be_null(left) || may_be_null(right),
        ExprKind::Concat(left, right) => may_be_null(left) || may_be_null(right),
        ExprKind::Negate(operand) | ExprKind::BitNot(operand) => may_be_null(operand),
        ExprKind::Cast { operand, mode, style: None } if *mode != CastMode::Try => {
            may_be_null(operand)
        }
        ExprKind::Case { branches, otherwise: Some(otherwise) } => {
            branches.iter().any(|(_, result)| may_be_null(result)) || may_be_null(otherwise)
        }
        ExprKind::Call { function, args } if function.name == "ISNULL" => {
            args.iter().all(may_be_null)
        }
        _ => true,
    }
}

/// The name of a table's column, by what the query calls it.
fn column_name(node: &Node, id: crate::plan::expr::ColId) -> Arc<str> {
    let mut name: Arc<str> = "".into();
    visit_all(node, &mut |part| {
        if let Part::Node(Node::Scan(scan)) = part
            && let Source::Table { table, .. } = &scan.source
            && let Some((at, _)) = scan.columns.iter().find(|c| c.1 == id)
            && let Some(column) = table.stored_columns().nth(*at)
        {
            name = column.name.clone();
        }
    });
    name
}

/// A function as messages call it.
fn shown_function(function: &ScalarFunction) -> String {
    function.name.to_ascii_lowercase()
}
