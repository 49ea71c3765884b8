//! What a statement changes: a table, a table variable, or what a view or common table expression
//! shows of a table.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, message};
use engine::catalog::def::{ColumnDef, ColumnId, Name, Permission, SchemaId, TriggerEventKind};
use tsql::ast::{self, ObjectName, TargetKind};

use super::instead::events_of;
use super::{AtLine, BindError, BindResult, Binder, Changing};
use crate::bind::context::Variable;
use crate::bind::define::{substitute, substitute_in};
use crate::bind::from::{From, join};
use crate::bind::scope::{OutCol, Rows, Source};
use crate::bind::select::Usage;
use crate::plan::expr::{ColId, Expr, Pred};
use crate::plan::tree::{self, CheckPlan, CheckedBy, JoinKind, Node, Scan, Target};
use crate::plan::walk::{self, PartMut, Parts};

/// The target of a statement, as one of the block's sources.
#[derive(Debug)]
pub(super) struct Targeted {
    pub changing: Changing,
    /// Names the row.
    pub row: ColId,
    /// Its place among the block's sources.
    pub at: usize,
    /// The columns that the statement sees, and which of the table's they are.
    pub columns: Vec<TargetColumn>,
    /// The view or the like that stands between.
    pub view: Option<Arc<str>>,
    /// What a statement that changes it must be permitted to change: a table or view.
    pub permitted: (DbId, ObjectId),
    /// What views `WITH CHECK OPTION` say of every row, over the old row's columns.
    pub checked: Option<Arc<[Pred]>>,
}

impl TargetColumn {
    /// A column under the table's own name for it.
    pub(super) fn of(name: &Arc<str>, ordinal: usize) -> TargetColumn {
        TargetColumn { name: Some(name.clone()), ordinal: Some(ordinal), scan: None, value: None }
    }
}

impl Targeted {
    /// Whether `INSTEAD OF` triggers take the rows.
    pub(super) fn is_instead(&self) -> bool {
        matches!(self.changing.target, Target::Instead { .. })
    }
}

/// A column of a target as the statement sees it.
#[derive(Clone, Debug)]
pub(super) struct TargetColumn {
    pub name: Option<Arc<str>>,
    /// The column of the table, by place in `TableDef::columns`; of a derived one there is none.
    pub ordinal: Option<usize>,
    /// The scan that it is a column of, where there may be several.
    pub scan: Option<u32>,
    /// What it is if rows of the table do not hold it, over the old row and what else the view
    /// reads.
    pub value: Option<Expr>,
}

impl Binder<'_> {
    /// Binds a statement's `FROM` and finds its target there, or adds it. The block is open.
    pub(super) fn target_and_from(
        &mut self,
        target: &ast::Target,
        list: &[ast::TableSource],
    ) -> BindResult<(From, usize)> {
        if list.is_empty() {
            let at = self.target_source(target)?;
            return Ok((From::Leaf(at), at));
        }
        let from = self.sources_of(list, Usage::Target)?;
        if let Some(at) = self.find_target(target)? {
            return Ok((from, at));
        }
        let at = self.target_source(target)?;
        Ok((join(JoinKind::Inner, from, From::Leaf(at), None), at))
    }

    /// Adds a statement's target to the block's sources. Errors 1065, 1069, 10724, 10745.
    pub(super) fn target_source(&mut self, target: &ast::Target) -> BindResult<usize> {
        self.block().visible = 0..0;
        self.check_target_hints(&target.hints)?;
        let source = self.target_alone(target, None)?;
        let sources = &mut self.block().sources;
        sources.push(source);
        Ok(sources.len() - 1)
    }

    /// A statement's target as a source. Error 1065.
    pub(super) fn target_alone(
        &mut self,
        target: &ast::Target,
        alias: Option<&ast::Ident>,
    ) -> BindResult<Source> {
        use ast::TableHintKind::{NoLock, ReadUncommitted};
        let dirty = |h: &&ast::TableHint| matches!(h.kind, NoLock | ReadUncommitted);
        if let Some(hint) = target.hints.iter().find(dirty) {
            let error = SqlError::new(&message::NOLOCK_NOT_ALLOWED_ON_TARGET, &[]);
            return Err(error.at_line(hint.span.line).into());
        }
        match &target.kind {
            TargetKind::Variable(variable) => {
                self.table_variable(variable, alias, &target.hints, Usage::Target)
            }
            TargetKind::Name(name) => {
                let table = ast::TableRef {
                    name: (**name).clone(),
                    system_time: None,
                    alias: alias.cloned(),
                    sample: None,
                    hints: target.hints.clone(),
                };
                self.table_ref(&table, Usage::Target)
            }
        }
    }

    /// The source of the block that a target means: by its alias or name, or the only one that
    /// reads the table. Error 8154.
    fn find_target(&mut self, target: &ast::Target) -> BindResult<Option<usize>> {
        let line = target.span.line;
        let name = match &target.kind {
            TargetKind::Name(name) => name,
            TargetKind::Variable(variable) => {
                let Some(Variable::Table { id, .. }) = self.names.variable(&variable.name) else {
                    return Ok(None);
                };
                let is_it = |s: &Source| match &s.rows {
                    Rows::Scan(scan) => {
                        matches!(scan.source, tree::Source::TableVar(of, _) if of == id)
                    }
                    Rows::Derived(..) => false,
                };
                return self.only_source(is_it, &variable.name, line);
            }
        };
        let top = self.blocks.len() - 1;
        let called = |s: &Source| self.is_called(s, name);
        if let Some(at) = self.blocks[top].sources.iter().position(called) {
            return Ok(Some(at));
        }
        let Some(table) = self.table_named(name)? else { return Ok(None) };
        let is_it = |s: &Source| match &s.rows {
            Rows::Scan(scan) => {
                scan.table().is_some_and(|t| t.id() == table.1) && scan.database() == Some(table.0)
            }
            Rows::Derived(..) => s.view == Some(table),
        };
        self.only_source(is_it, &name.to_string(), line)
    }

    pub(super) fn table_named(
        &mut self,
        name: &ObjectName,
    ) -> BindResult<Option<(DbId, ObjectId)>> {
        if name.name.name.starts_with('#') {
            let found = self.names.temporary_table(&name.name.name);
            return Ok(found.map(|t| (DbId::TEMPDB, t.id())));
        }
        Ok(self.find_object(name)?.map(|(database, _, id)| (database, id)))
    }

    fn only_source(
        &self,
        is_it: impl Fn(&Source) -> bool,
        name: &str,
        line: u32,
    ) -> BindResult<Option<usize>> {
        let sources = &self.blocks[self.blocks.len() - 1].sources;
        let mut places = (0..sources.len()).filter(|&at| is_it(&sources[at]));
        let first = places.next();
        if places.next().is_some() {
            let error = SqlError::new(&message::UNIQUE_TABLE_AMBIGUOUS, &[&name]);
            return Err(error.at_line(line).into());
        }
        Ok(first)
    }

    /// Makes one of the block's sources the target. `wanted` names a column that is changed, which
    /// decides where the source shows rows of several tables. Errors 259, 270, 286, 414, 415, 4403,
    /// 4405, 4426.
    pub(super) fn targeted(
        &mut self,
        at: usize,
        permission: Permission,
        wanted: Option<&ast::ColumnRef>,
        target: &ast::Target,
    ) -> BindResult<Targeted> {
        self.targeted_by(at, permission, events_of(permission), wanted, target)
    }

    /// As `targeted`, where what the statement does to rows does not follow from what it needs to
    /// be permitted first.
    pub(super) fn targeted_by(
        &mut self,
        at: usize,
        permission: Permission,
        events: &[TriggerEventKind],
        wanted: Option<&ast::ColumnRef>,
        target: &ast::Target,
    ) -> BindResult<Targeted> {
        let line = target.span.line;
        let top = self.blocks.len() - 1;
        let source = &self.blocks[top].sources[at];
        let name = source.exposed.name.clone();
        let is_scan = matches!(source.rows, Rows::Scan(_));
        let taken = self.instead_of_view(top, at, wanted, permission, events, &name).at(line)?;
        let mut targeted = match taken {
            Some(targeted) => targeted,
            None if is_scan => self.target_scan(top, at).at(line)?,
            None => self.target_derived(top, at, wanted, &name).at(line)?,
        };
        self.instead_of_table(&mut targeted, events).at(line)?;
        self.refuse_history(&targeted.changing, permission, events).at(line)?;
        let Changing { database, table, target, .. } = &targeted.changing;
        if let Target::Table { .. } | Target::Instead { .. } = target {
            if table.header.schema == SchemaId::SYS && !self.options.writes_history {
                return Err(SqlError::new(&message::SYSTEM_CATALOG_UPDATE, &[])
                    .at_line(line)
                    .into());
            }
            let statement = match permission {
                Permission::Insert => "INSERT",
                Permission::Update => "UPDATE",
                Permission::Delete => "DELETE",
                _ => "MERGE",
            };
            if self.options.in_function && !self.options.native {
                let error = SqlError::new(&message::SIDE_EFFECT_IN_FUNCTION, &[&statement]);
                return Err(error.at_line(line).into());
            }
            if matches!(target, Target::Table { .. }) {
                self.options.check_for_indexes(table, &|_| true, statement).at(line)?;
                if table.derived_indexes.iter().any(|index| !index.disabled) {
                    self.options.check_for_derived_indexes(statement).at(line)?;
                }
            }
            self.note_changed(*database, table);
            self.note_change(&targeted, permission, Vec::new());
        }
        Ok(targeted)
    }

    /// Notes that the target's rows are changed: the view's that is named, and the table's after
    /// it. A view without an ownership chain to the table does not let its users change the table.
    pub(super) fn note_change(
        &mut self,
        targeted: &Targeted,
        permission: Permission,
        columns: Vec<(ColumnId, ColumnId)>,
    ) {
        if targeted.changing.table.is_temporary() {
            return; // a session that can name it owns it
        }
        let (named, stored) = columns.into_iter().unzip();
        let (database, object) = targeted.permitted;
        self.note_columns(database, object, permission, named);
        let Changing { database, table, target, .. } = &targeted.changing;
        let through = Some(targeted.permitted);
        if matches!(target, Target::Table { .. }) && through != Some((*database, table.id())) {
            let before = std::mem::replace(&mut self.env.through, through);
            self.note_columns(*database, table.id(), permission, stored);
            self.env.through = before;
        }
    }

    /// Notes that a column of the target is set: the one of the name that the statement has.
    pub(super) fn note_set(
        &mut self,
        targeted: &Targeted,
        name: &Name,
        ordinal: usize,
    ) -> BindResult<()> {
        let Changing { table, target, .. } = &targeted.changing;
        if !matches!(target, Target::Table { .. } | Target::Instead { .. }) {
            return Ok(());
        }
        let stored = table.columns[ordinal].id;
        let (database, object) = targeted.permitted;
        let schema = self.schema_of(database)?;
        let columns = schema.module(object).and_then(|view| view.columns());
        let named = |c: &&ColumnDef| self.same_name(&c.name, name);
        let named = columns.and_then(|all| all.iter().find(named)).map_or(stored, |c| c.id);
        self.note_change(targeted, Permission::Update, vec![(named, stored)]);
        Ok(())
    }

    /// A table or table variable as the target.
    fn target_scan(&mut self, top: usize, at: usize) -> BindResult<Targeted> {
        let database = self.env.database;
        let Rows::Scan(scan) = &self.blocks[top].sources[at].rows else {
            unreachable!("the caller has seen a scan")
        };
        let (database, table, target) = match &scan.source {
            tree::Source::Table { database, table } => {
                let target = Target::Table { database: *database, table: table.clone() };
                (*database, table.clone(), target)
            }
            tree::Source::TableVar(id, table) => {
                (database, table.clone(), Target::TableVar(*id, table.clone()))
            }
            tree::Source::Transition(..) => {
                return Err(SqlError::new(&message::INSERTED_DELETED_NOT_UPDATABLE, &[]).into());
            }
            tree::Source::System(..) => {
                return Err(SqlError::new(&message::SYSTEM_CATALOG_UPDATE, &[]).into());
            }
            tree::Source::Stream(..) => {
                let error = SqlError::new(&message::BULK_ROWSET_NOT_TARGET, &[&"UPDATE/DELETE"]);
                return Err(error.into());
            }
            tree::Source::Function(..) | tree::Source::UserFunction(..) => {
                let name = &self.blocks[top].sources[at].exposed.name;
                return Err(SqlError::new(&message::OBJECT_NOT_MODIFIABLE, &[name]).into());
            }
        };
        self.check_writable(&target)?;
        let mut changing = self.changing(database, &table, target);
        for ordinal in 0..table.columns.len() {
            let Some(position) = table.layout_position(ordinal) else { continue };
            let own = self.free_column();
            let Rows::Scan(scan) = &mut self.blocks[top].sources[at].rows else { continue };
            changing.old[position] = *scan.ids[ordinal].get_or_insert(own);
        }
        let row = self.free_column();
        let Rows::Scan(scan) = &mut self.blocks[top].sources[at].rows else {
            unreachable!("the caller has seen a scan")
        };
        let row = *scan.row.get_or_insert(row);
        let columns = table.columns.iter().enumerate();
        let columns = columns.map(|(ordinal, column)| TargetColumn::of(&column.name, ordinal));
        let (columns, permitted) = (columns.collect(), (database, table.id()));
        Ok(Targeted { changing, row, at, columns, view: None, permitted, checked: None })
    }

    /// The table or table variable that rows are read from, and the database whose names it has.
    fn target_behind(&self, source: tree::Source) -> Option<(DbId, Target)> {
        match source {
            tree::Source::Table { database, table } => {
                Some((database, Target::Table { database, table }))
            }
            tree::Source::TableVar(id, table) => {
                Some((self.env.database, Target::TableVar(id, table)))
            }
            _ => None,
        }
    }

    /// Error 10700: a table-valued parameter.
    fn check_writable(&self, target: &Target) -> BindResult<()> {
        let Target::TableVar(id, table) = target else { return Ok(()) };
        let name = &table.header.name;
        match self.names.variable(name) {
            Some(Variable::Table { id: of, read_only: true, .. }) if of == *id => {
                Err(SqlError::new(&message::TABLE_PARAMETER_READ_ONLY, &[name]).into())
            }
            _ => Ok(()),
        }
    }

    /// What a view, derived table or common table expression shows as the target.
    fn target_derived(
        &mut self,
        top: usize,
        at: usize,
        wanted: Option<&ast::ColumnRef>,
        name: &Arc<str>,
    ) -> BindResult<Targeted> {
        let Rows::Derived(Some(node), columns) = &self.blocks[top].sources[at].rows else {
            return Err(SqlError::new(&message::OBJECT_NOT_MODIFIABLE, &[name]).into());
        };
        let named = |column: &&OutCol| match (wanted, &column.name) {
            (Some(wanted), Some(name)) => self.same_name(name, &wanted.column.name),
            _ => true,
        };
        let base = columns.iter().filter(named).find_map(|c| c.base.as_ref().map(|b| (b, c.id)));
        let Some((base, id)) = base else {
            return Err(not_updatable(node, wanted.is_some(), name));
        };
        let (scan, table) = (base.scan, base.table.clone());
        let (view, checked) = (base.view, base.checked.clone());
        let several = columns.iter().filter_map(|c| c.base.as_ref()).any(|b| b.scan != scan);
        if several && wanted.is_none() {
            let message = &message::VIEW_NOT_UPDATABLE_MULTIPLE_TABLES;
            return Err(SqlError::new(message, &[name]).into());
        }
        let target_columns = columns.iter().map(|c| {
            let ordinal = c.base.as_ref().filter(|b| b.scan == scan).map(|b| b.ordinal);
            let is_stored = ordinal.is_some_and(|at| table.layout_position(at).is_some());
            let value = || {
                let mut value = super::column(c.id, c.ty, c.nullable);
                define(node, &mut value, None);
                value
            };
            TargetColumn {
                name: c.name.clone(),
                ordinal,
                scan: c.base.as_ref().map(|b| b.scan),
                value: (!is_stored).then(value),
            }
        });
        let target_columns = target_columns.collect();
        let Some(found) = scan_of(node, id) else { return Err(not_updatable(node, false, name)) };
        let (known, row, source) = (found.columns.clone(), found.row, found.source.clone());
        let (Some(row), Some((database, target))) = (row, self.target_behind(source)) else {
            return Err(SqlError::new(&message::OBJECT_NOT_MODIFIABLE, &[name]).into());
        };
        self.check_writable(&target)?;
        let mut changing = self.changing(database, &table, target);
        for (position, id) in known {
            if let Some(old) = changing.old.get_mut(position) {
                *old = id;
            }
        }
        let permitted = view.unwrap_or((database, table.id()));
        let (columns, view) = (target_columns, Some(name.clone()));
        Ok(Targeted { changing, row, at, columns, view, permitted, checked })
    }

    /// What `WITH CHECK OPTION` asks of new rows: that the view shows them, too.
    pub(super) fn check_options(&mut self, targeted: &Targeted) -> Vec<CheckPlan> {
        let Some(checked) = targeted.checked.as_ref().filter(|_| !targeted.is_instead()) else {
            return Vec::new();
        };
        let changing = &targeted.changing;
        let columns = changing.table.stored_columns().enumerate();
        let new: Vec<(ColId, Expr)> = columns
            .map(|(at, c)| (changing.old[at], super::column(changing.new[at], c.ty, c.nullable)))
            .collect();
        let mut checks = Vec::with_capacity(checked.len());
        for condition in checked.iter() {
            let mut predicate = condition.clone();
            substitute(&mut predicate, &new);
            self.rename_inside(&mut predicate);
            checks.push(CheckPlan { by: CheckedBy::CheckOption, column: None, predicate });
        }
        checks
    }

    /// The table's column behind a column that a statement sets. Errors 207, 271, 4104, 4405, 4406.
    pub(super) fn target_column(
        &self,
        targeted: &Targeted,
        column: &ast::ColumnRef,
    ) -> BindResult<usize> {
        let line = column.column.span.line;
        let name = &column.column.name;
        let fail = |error: SqlError| Err(BindError::from(error.at_line(line)));
        let source = self.blocks.last().and_then(|b| b.sources.get(targeted.at));
        if let (Some(qualifier), Some(source)) = (&column.qualifier, source)
            && !self.is_called(source, qualifier)
        {
            let text = format!("{qualifier}.{name}");
            return fail(SqlError::new(&message::MULTIPART_NOT_BOUND, &[&text]));
        }
        let called = |c: &&TargetColumn| c.name.as_deref().is_some_and(|n| self.same_name(n, name));
        let Some(found) = targeted.columns.iter().find(called) else {
            return fail(SqlError::new(&message::INVALID_COLUMN, &[name]));
        };
        match (found.ordinal, &targeted.view) {
            (Some(ordinal), _) => Ok(ordinal),
            (None, Some(view)) if found.scan.is_some() => {
                fail(SqlError::new(&message::VIEW_NOT_UPDATABLE_MULTIPLE_TABLES, &[view]))
            }
            (None, Some(view)) => fail(SqlError::new(&message::VIEW_COLUMN_NOT_UPDATABLE, &[view])),
            (None, None) => fail(SqlError::new(&message::COLUMN_NOT_MODIFIABLE, &[name])),
        }
    }
}

/// The scan that yields a column, as long as rows above it are its rows.
fn scan_of(node: &Node, id: ColId) -> Option<&Scan> {
    match node {
        Node::Scan(scan) => scan.columns.iter().any(|c| c.1 == id).then_some(&**scan),
        Node::Filter { input, .. }
        | Node::Compute { input, .. }
        | Node::Window { input, .. }
        | Node::Top { input, .. }
        | Node::Offset { input, .. }
        | Node::Sort { input, .. } => scan_of(input, id),
        Node::NestedLoop { outer, inner, .. } => scan_of(outer, id).or_else(|| scan_of(inner, id)),
        _ => None,
    }
}

/// Puts what operators compute in the place of its names, down to what is read or made of several
/// rows, or to the operator that makes this column.
pub(super) fn define(node: &Node, value: &mut Expr, until: Option<ColId>) {
    match node {
        Node::Compute { columns, .. } if columns.iter().any(|c| Some(c.0) == until) => {}
        Node::Compute { input, columns } => {
            substitute_in(value, columns);
            define(input, value, until);
        }
        Node::Filter { input, .. }
        | Node::Window { input, .. }
        | Node::Top { input, .. }
        | Node::Offset { input, .. }
        | Node::Sort { input, .. } => define(input, value, until),
        Node::NestedLoop { kind: JoinKind::Inner, outer, inner, .. } => {
            define(outer, value, until);
            define(inner, value, until);
        }
        _ => {}
    }
}

/// The conditions that hold for all rows of a view, as far as they are about the rows themselves.
pub(in crate::bind) fn shown_conditions(node: &Node) -> Vec<Pred> {
    let mut conditions = Vec::new();
    collect_conditions(node, &mut conditions);
    conditions
}

fn collect_conditions(node: &Node, conditions: &mut Vec<Pred>) {
    match node {
        Node::Filter { input, predicate } => {
            collect_conditions(input, conditions);
            conditions.push(predicate.clone());
        }
        Node::Compute { input, columns } => {
            collect_conditions(input, conditions);
            conditions.iter_mut().for_each(|c| substitute(c, columns));
        }
        Node::NestedLoop { kind: JoinKind::Inner, outer, inner, predicate } => {
            collect_conditions(outer, conditions);
            collect_conditions(inner, conditions);
            conditions.extend(predicate.clone());
        }
        Node::NestedLoop { kind: JoinKind::LeftOuter, outer: kept, .. }
        | Node::NestedLoop { kind: JoinKind::RightOuter, inner: kept, .. } => {
            collect_conditions(kept, conditions);
        }
        Node::Window { input, .. } | Node::Sort { input, .. } => {
            collect_conditions(input, conditions);
        }
        _ => {}
    }
}

/// Why what a view shows cannot be changed. Errors 4403, 4406, 4426.
pub(super) fn not_updatable(node: &Node, one_column: bool, name: &Arc<str>) -> BindError {
    let mut groups = false;
    let mut unions = false;
    let mut look = |node: &Node| {
        groups |= matches!(node, Node::Aggregate { .. } | Node::Distinct { .. });
        unions |= matches!(node, Node::Union { .. });
    };
    look(node);
    walk::visit(node, &mut |part| {
        if let walk::Part::Node(node) = part {
            look(node);
        }
    });
    let message = match (groups, unions) {
        (_, true) => &message::VIEW_NOT_UPDATABLE_UNION,
        (true, _) => &message::VIEW_NOT_UPDATABLE_AGGREGATE,
        _ if one_column => &message::VIEW_COLUMN_NOT_UPDATABLE,
        _ => &message::OBJECT_NOT_MODIFIABLE,
    };
    SqlError::new(message, &[name]).into()
}

/// Takes the names of rows off all scans but the target's.
pub(super) fn name_one_row(node: &mut Node, row: ColId) {
    let mut others = Vec::new();
    unname_rows(node, row, &mut others);
    if !others.is_empty() {
        forget_columns(node, &others);
    }
}

fn unname_rows(node: &mut Node, row: ColId, others: &mut Vec<ColId>) {
    if let Node::Scan(scan) = node
        && scan.row.is_some_and(|r| r != row)
    {
        others.extend(scan.row.take());
    }
    node.parts_mut(&mut |part| {
        if let PartMut::Node(node) = part {
            unname_rows(node, row, others);
        }
    });
}

/// Takes columns out of the lists of what operators pass on.
fn forget_columns(node: &mut Node, gone: &[ColId]) {
    if let Node::Sort { columns, .. } | Node::Window { columns, .. } = node {
        columns.retain(|c| !gone.contains(c));
    }
    node.parts_mut(&mut |part| {
        if let PartMut::Node(node) = part {
            forget_columns(node, gone);
        }
    });
}

/// The condition under which a row of the target is one of the statement's: what must still hold
/// when the row has changed meanwhile. Conditions of outer joins are not part of it.
pub(super) fn inner_conditions<'f>(from: &'f From, conditions: &mut Vec<&'f Pred>) {
    if let From::Join(joined) = from
        && joined.kind == JoinKind::Inner
    {
        inner_conditions(&joined.left, conditions);
        inner_conditions(&joined.right, conditions);
        conditions.extend(&joined.on);
    }
}
