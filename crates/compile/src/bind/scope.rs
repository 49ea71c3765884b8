//! Where names are looked for: query blocks, the sources of their `FROM`, and columns.
//!
//! # Rules
//!
//! * Blocks lie on a stack, the innermost last. A name is looked for in the innermost block first,
//!   in the sources that its clause sees ([`Block::visible`]), then further out, down to
//!   [`Env::base`](super::binder::Env): what is expanded (a view, a CTE) does not see the query
//!   that uses it.
//! * A column gets its [`ColId`] when it is referred to, so scans read what is used.

use std::ops::Range;
use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlType, TypeKind, message};
use engine::catalog::def::{ColumnDef, ModuleDef, Permission, SchemaId, TableDef, TableRole};
use engine::catalog::naming_index;
use ir::function::rowset::RowsetColumn;
use ir::read::ReadOptions;
use tsql::ast::{self, ObjectName};

use super::binder::Binder;
use super::context::{AtLine, BindError, BindResult};
use super::scalar::{Label, Origin, Scalar};
use crate::plan::expr::{Aggregate, ColId, Expr, ExprKind, Pred, SortKey};
use crate::plan::hints::AccessHint;
use crate::plan::tree::{self, Node, WindowFunction};

/// Which part of a statement is being bound, as far as aggregates and windows care.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub(super) enum Clause {
    From,
    On,
    Where,
    GroupBy,
    Having,
    Select,
    OrderBy,
    Top,
    Set,
    Output,
    /// One of a query of what another statement changes.
    OfChanges(&'static str),
    Values,
    /// The definition of a constraint or computed column, or a statement that is not a query.
    Other,
}

/// A query block: one `SELECT`, `UPDATE` and so on, while it is bound.
#[derive(Debug)]
pub(super) struct Block {
    /// The sources of its `FROM`, as far as they are bound.
    pub sources: Vec<Source>,
    /// Which of them can be seen at the moment.
    pub visible: Range<usize>,
    /// Which clause is being bound.
    pub clause: Clause,
    /// Inside the argument of an aggregate.
    pub in_aggregate: bool,
    /// Inside a window function.
    pub in_window: bool,
    /// The aggregates found in it, with the columns that stand for their results.
    pub aggregates: Vec<(ColId, Aggregate)>,
    /// The window functions found in it.
    pub windows: Vec<WindowCall>,
    /// The values that rows take from sequences in an order, `NEXT VALUE FOR … OVER`.
    pub numberings: Vec<Numbering>,
    /// `WINDOW name AS (…)`.
    pub window_names: Vec<ast::NamedWindow>,
    /// The grouping expressions, once bound: the column that stands for each group, and its value.
    pub groups: Vec<(ColId, Expr)>,
    /// Whether there is a `GROUP BY`.
    pub has_group_by: bool,
    /// The mask behind `GROUPING()`, once asked for.
    pub grouping_id: Option<ColId>,
    /// It is a `SELECT … INTO`.
    pub makes_table: bool,
    /// It is a derived table, common table expression or subquery.
    pub is_part: bool,
    /// It has `DISTINCT`, or is an operand of a set operator.
    pub is_distinct: bool,
    /// It has an `ORDER BY`.
    pub is_ordered: bool,
}

/// An order in which rows take values from sequences, and the columns that have them.
#[derive(Debug)]
pub(super) struct Numbering {
    pub order: Vec<SortKey>,
    pub columns: Vec<(ColId, Expr)>,
}

impl Numbering {
    pub fn takes_from(&self, sequence: ObjectId) -> bool {
        self.columns
            .iter()
            .any(|(_, e)| matches!(e.kind, ExprKind::NextValue(id) if id == sequence))
    }
}

/// A window function and what it is over.
#[derive(Clone, Debug)]
pub(super) struct WindowCall {
    pub column: ColId,
    pub partition: Vec<Expr>,
    pub order: Vec<SortKey>,
    pub function: WindowFunction,
}

/// One source of a `FROM`.
#[derive(Debug)]
pub(super) struct Source {
    /// How it is called.
    pub exposed: Exposed,
    /// What it is.
    pub rows: Rows,
    /// An outer join may fill it with NULLs.
    pub optional: bool,
    /// The view that it is.
    pub view: Option<(DbId, ObjectId)>,
    /// Its own name as it is written, whatever its alias; `None` if that is the alias.
    pub written: Option<Arc<str>>,
}

/// The name under which a source is known.
#[derive(Clone, Debug)]
pub(super) struct Exposed {
    /// The alias, or the last part of the table's name.
    pub name: Arc<str>,
    /// For a table without alias: what else may stand before its columns.
    pub table: Option<TableName>,
}

/// The name of a table without alias.
#[derive(Clone, Debug)]
pub(super) struct TableName {
    pub database: DbId,
    pub schema: TableSchema,
    /// The parts before the name as they were written, each with its dot.
    pub written: Arc<str>,
}

/// The schema that may stand before a table's name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum TableSchema {
    /// A schema of the database.
    Of(SchemaId),
    /// The one that the name of a system view was written with, or its own.
    System(Arc<str>),
    /// None that means anything: a temporary table's.
    Any,
}

/// What a source's rows are.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there are few of them")]
pub(super) enum Rows {
    /// Read from a table or another source of rows.
    Scan(Box<ScanSource>),
    /// Made by an operator, taken when the block's plan is put together.
    Derived(Option<Node>, Vec<OutCol>),
}

/// A source that is read from a table or another source of rows.
#[derive(Debug)]
pub(super) struct ScanSource {
    /// The number that tells the scan from the others.
    pub number: u32,
    /// Where it is read from.
    pub source: tree::Source,
    /// The columns, where no table defines them.
    pub listed: Vec<RowsetColumn>,
    /// The columns' ids, as far as they are used.
    pub ids: Vec<Option<ColId>>,
    /// The row itself, for a statement that changes it.
    pub row: Option<ColId>,
    /// The row's hidden number, if it is used.
    pub row_number: Option<ColId>,
    /// How it is read.
    pub options: ReadOptions,
    /// What hints demand of how its rows are found.
    pub hint: AccessHint,
    /// Which rows security policies show.
    pub filter: Option<Pred>,
    /// Which rows `TABLESAMPLE` keeps.
    pub sample: Option<Pred>,
    /// Computed columns that rows do not hold and that are used.
    pub computed: Vec<(ColId, Expr)>,
}

/// A column of a query's result.
#[derive(Clone, Debug)]
pub(super) struct OutCol {
    pub id: ColId,
    /// Its name, if it has one.
    pub name: Option<Arc<str>>,
    pub ty: SqlType,
    pub nullable: bool,
    pub label: Label,
    /// What it is where that matters to types.
    pub origin: Origin,
    /// The stored column that it shows unchanged.
    pub base: Option<BaseRef>,
    /// The columns of views whose triggers may take their rows that it shows unchanged, the
    /// outermost view first.
    pub views: Vec<ViewColumn>,
    /// Whether `*` leaves it out.
    pub hidden: bool,
}

impl OutCol {
    /// A column with the label of a table's column that shows no stored column.
    pub fn plain(id: ColId, name: Option<Arc<str>>, ty: SqlType, nullable: bool) -> OutCol {
        OutCol {
            id,
            name,
            ty,
            nullable,
            label: Label::column(&ty),
            origin: Origin::Plain,
            base: None,
            views: Vec::new(),
            hidden: false,
        }
    }
}

/// A view whose triggers may take its rows, where a statement that changes rows reads it.
#[derive(Debug)]
pub(super) struct ViewRows {
    pub database: DbId,
    pub view: Arc<ModuleDef>,
    /// The name as it was written.
    pub written: String,
    /// Names its columns.
    pub columns: Vec<ColId>,
    /// A column that only this operator makes.
    pub mark: ColId,
}

/// A column of such a view.
#[derive(Clone, Debug)]
pub(super) struct ViewColumn {
    pub rows: Arc<ViewRows>,
    /// Its place among the view's columns.
    pub ordinal: usize,
    /// The outermost view through which it is seen, if that view is the statement's own.
    pub permitted: Option<(DbId, ObjectId)>,
}

/// A column of a scan.
#[derive(Clone, Debug)]
pub(super) struct BaseRef {
    /// [`ScanSource::number`].
    pub scan: u32,
    pub table: Arc<TableDef>,
    /// Its place in `TableDef::columns`.
    pub ordinal: usize,
    /// The outermost view through which it is seen, if that view is the statement's own.
    pub view: Option<(DbId, ObjectId)>,
    /// What a view `WITH CHECK OPTION` through which it is seen says of every row, over the scan's
    /// columns.
    pub checked: Option<Arc<[Pred]>>,
}

/// Where a column was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ColumnAt {
    pub block: usize,
    pub source: usize,
    pub ordinal: usize,
}

/// A column as a source lists it.
pub(super) struct ColumnView<'s> {
    pub name: &'s str,
    pub ty: SqlType,
    pub nullable: bool,
    pub def: Option<&'s ColumnDef>,
}

impl Block {
    /// A block without sources.
    pub fn new(clause: Clause) -> Block {
        Block {
            sources: Vec::new(),
            visible: 0..0,
            clause,
            in_aggregate: false,
            in_window: false,
            aggregates: Vec::new(),
            windows: Vec::new(),
            numberings: Vec::new(),
            window_names: Vec::new(),
            groups: Vec::new(),
            has_group_by: false,
            grouping_id: None,
            makes_table: false,
            is_part: false,
            is_distinct: false,
            is_ordered: false,
        }
    }

    /// Lets everything be seen.
    pub fn show_all(&mut self) {
        self.visible = 0..self.sources.len();
    }
}

impl ScanSource {
    /// The table whose columns these are, unless the server lists them itself.
    pub fn table(&self) -> Option<&Arc<TableDef>> {
        match &self.source {
            tree::Source::Table { table, .. }
            | tree::Source::TableVar(_, table)
            | tree::Source::Transition(_, table)
            | tree::Source::Stream(_, table)
            | tree::Source::UserFunction(_, _, table) => Some(table),
            tree::Source::System(..) | tree::Source::Function(..) => None,
        }
    }

    /// Whether its rows have hidden numbers, since no unique key names them.
    pub fn has_row_numbers(&self) -> bool {
        matches!(&self.source, tree::Source::Table { table, .. } if naming_index(table).is_none())
    }

    /// The database that the rows are in.
    pub fn database(&self) -> Option<DbId> {
        match &self.source {
            tree::Source::Table { database, .. } => Some(*database),
            _ => None,
        }
    }

    /// How many columns the source lists.
    pub fn columns(&self) -> usize {
        self.ids.len()
    }

    /// One of the columns.
    pub fn column(&self, ordinal: usize) -> ColumnView<'_> {
        match self.table() {
            Some(table) => {
                let def = &table.columns[ordinal];
                ColumnView { name: &def.name, ty: def.ty, nullable: def.nullable, def: Some(def) }
            }
            None => {
                let RowsetColumn { name, ty, nullable } = self.listed[ordinal];
                ColumnView { name, ty, nullable, def: None }
            }
        }
    }
}

impl Source {
    /// What stands where a source is missing for a while.
    pub fn placeholder() -> Source {
        let exposed = Exposed { name: "".into(), table: None };
        Source {
            exposed,
            rows: Rows::Derived(None, Vec::new()),
            optional: false,
            view: None,
            written: None,
        }
    }

    /// How many columns the source lists.
    pub fn columns(&self) -> usize {
        match &self.rows {
            Rows::Scan(scan) => scan.columns(),
            Rows::Derived(_, columns) => columns.len(),
        }
    }

    /// The name of a column; a derived one may have none.
    pub fn column_name(&self, ordinal: usize) -> Option<&str> {
        match &self.rows {
            Rows::Scan(scan) => Some(scan.column(ordinal).name),
            Rows::Derived(_, columns) => columns[ordinal].name.as_deref(),
        }
    }

    /// The kind of a column's type.
    pub fn column_kind(&self, ordinal: usize) -> TypeKind {
        match &self.rows {
            Rows::Scan(scan) => scan.column(ordinal).ty.kind,
            Rows::Derived(_, columns) => columns[ordinal].ty.kind,
        }
    }

    /// A column that `nodes()` has made, with the place of the call in the binder's list.
    pub fn nodes(&self, ordinal: usize) -> Option<(&OutCol, u32)> {
        let Rows::Derived(_, columns) = &self.rows else { return None };
        match columns[ordinal].origin {
            Origin::Nodes(call) => Some((&columns[ordinal], call)),
            _ => None,
        }
    }

    /// Whether `*` leaves a column out.
    pub fn is_hidden(&self, ordinal: usize) -> bool {
        match &self.rows {
            Rows::Scan(scan) => {
                let def = scan.column(ordinal).def;
                scan.table().zip(def).is_some_and(|(table, def)| table.is_left_out(def))
            }
            Rows::Derived(_, columns) => columns[ordinal].hidden,
        }
    }

    /// As messages show it before a column's name.
    pub fn shown(&self) -> String {
        let before = self.exposed.table.as_ref().map_or("", |t| &t.written);
        format!("{before}{}", self.exposed.name)
    }
}

/// Looking up columns.
impl Binder<'_> {
    /// A column by name. Errors 207, 209, 4104.
    pub fn resolve_column(
        &mut self,
        qualifier: Option<&ObjectName>,
        name: &ast::Ident,
    ) -> BindResult<ColumnAt> {
        for block in (self.env.base..self.blocks.len()).rev() {
            if let Some(found) = self.find_in_block(block, qualifier, name)? {
                self.note_reference(block);
                return Ok(found);
            }
        }
        let error = match qualifier {
            Some(qualifier) => {
                let text = format!("{qualifier}.{}", name.name);
                SqlError::new(&message::MULTIPART_NOT_BOUND, &[&text])
            }
            None => SqlError::new(&message::INVALID_COLUMN, &[&name.name]),
        };
        Err(BindError::from(error).at_line(name.span.line))
    }

    /// A column of one block.
    fn find_in_block(
        &self,
        block: usize,
        qualifier: Option<&ObjectName>,
        name: &ast::Ident,
    ) -> BindResult<Option<ColumnAt>> {
        let mut found = None;
        let mut qualified = false;
        let line = name.span.line;
        for source in self.blocks[block].visible.clone() {
            let of = &self.blocks[block].sources[source];
            if let Some(qualifier) = qualifier {
                if !self.is_called(of, qualifier) {
                    continue;
                }
                qualified = true;
            }
            for ordinal in 0..of.columns() {
                if of.column_name(ordinal).is_some_and(|n| self.same_name(n, &name.name)) {
                    if found.is_some() {
                        let error = SqlError::new(&message::AMBIGUOUS_COLUMN, &[&name.name]);
                        return Err(error.at_line(line).into());
                    }
                    found = Some(ColumnAt { block, source, ordinal });
                }
            }
        }
        if qualified && found.is_none() {
            let error = SqlError::new(&message::INVALID_COLUMN, &[&name.name]);
            return Err(error.at_line(line).into());
        }
        Ok(found)
    }

    /// Whether a name in a query may mean this source.
    pub fn is_called(&self, source: &Source, name: &ObjectName) -> bool {
        if !self.same_name(&source.exposed.name, &name.name.name) || name.server.is_some() {
            return false;
        }
        if name.is_bare() {
            return true;
        }
        let Some(table) = &source.exposed.table else { return false };
        let database = name.database.as_ref();
        if database.is_some_and(|d| self.names.find_database(&d.name) != Some(table.database)) {
            return false;
        }
        match (&name.schema, &table.schema) {
            (None, _) | (Some(_), TableSchema::Any) => true,
            (Some(written), TableSchema::Of(schema)) => {
                let catalog = self.names.schema(table.database);
                let found = catalog.and_then(|s| s.find_schema(&written.name).map(|s| s.id));
                found == Some(*schema)
            }
            // Names of system schemas are taken in any case, whatever the collation.
            (Some(written), TableSchema::System(schema)) => {
                written.name.eq_ignore_ascii_case(schema)
            }
        }
    }

    /// Remembers that something inside was found in an outer block.
    fn note_reference(&mut self, block: usize) {
        self.outermost = self.outermost.min(block);
        if let Some(references) = self.references.last_mut() {
            references.push(block);
        }
    }

    /// The expression of a column that was found.
    /// Error 493 if only methods may read it.
    pub fn column_at(&mut self, at: ColumnAt) -> BindResult<Scalar> {
        self.check_not_nodes(at)?;
        self.note_column_read(at);
        let source = &self.blocks[at.block].sources[at.source];
        let optional = source.optional;
        match &source.rows {
            Rows::Derived(_, columns) => {
                let out = &columns[at.ordinal];
                let expr = Expr {
                    kind: ExprKind::Column(out.id),
                    ty: out.ty,
                    nullable: out.nullable || optional,
                };
                let mut label = out.label;
                label.make_implicit();
                let json = out.origin == Origin::Json;
                Ok(Scalar { expr, label, origin: Origin::Plain }.marked(json))
            }
            Rows::Scan(scan) => {
                let view = scan.column(at.ordinal);
                let is_type = scan.table().is_some_and(|table| table.role == TableRole::Type);
                let own = scan.database().filter(|_| !is_type);
                let ty = own.map_or(view.ty, |database| self.type_here(database, view.ty));
                let nullable = view.nullable || optional;
                let id = match scan.ids[at.ordinal] {
                    Some(id) => id,
                    None => self.use_column(at)?,
                };
                let expr = Expr { kind: ExprKind::Column(id), ty, nullable };
                Ok(Scalar { expr, label: Label::column(&ty), origin: Origin::Plain })
            }
        }
    }

    /// Notes that a column of a table or view is read.
    fn note_column_read(&mut self, at: ColumnAt) {
        let source = &self.blocks[at.block].sources[at.source];
        let (database, object, column) = match (&source.rows, source.view) {
            (Rows::Scan(scan), _) => match &scan.source {
                tree::Source::Table { database, table } if !table.is_temporary() => {
                    let column = &table.columns[at.ordinal];
                    if column.column_set {
                        // It shows all of them.
                        let sparse = table.columns.iter().filter(|c| c.sparse).map(|c| c.id);
                        let all = sparse.chain([column.id]).collect();
                        let (database, table) = (*database, table.id());
                        return self.note_columns(database, table, Permission::Select, all);
                    }
                    (*database, table.id(), column.id)
                }
                _ => return,
            },
            (Rows::Derived(..), Some((database, view))) => {
                let Ok(schema) = self.schema_of(database) else { return };
                let columns = schema.module(view).and_then(|module| module.columns());
                let Some(column) = columns.and_then(|all| all.get(at.ordinal)) else { return };
                (database, view, column.id)
            }
            (Rows::Derived(..), None) => return,
        };
        self.note_columns(database, object, Permission::Select, vec![column]);
    }

    /// Names a column of a scan that was not used yet.
    fn use_column(&mut self, at: ColumnAt) -> BindResult<ColId> {
        let id = self.free_column();
        let source = &mut self.blocks[at.block].sources[at.source];
        let Rows::Scan(scan) = &mut source.rows else { unreachable!("only scans name lazily") };
        scan.ids[at.ordinal] = Some(id);
        let computed = scan.column(at.ordinal).def.is_some_and(|def| !def.is_stored());
        if computed {
            self.check_computed_allowed(at)?;
            let expr = self.computed_column(at)?;
            let source = &mut self.blocks[at.block].sources[at.source];
            let Rows::Scan(scan) = &mut source.rows else { unreachable!("checked above") };
            scan.computed.push((id, expr));
        }
        Ok(id)
    }

    /// Error 1759: a computed column in the definition of another one.
    fn check_computed_allowed(&self, at: ColumnAt) -> BindResult<()> {
        let source = &self.blocks[at.block].sources[at.source];
        match &source.rows {
            Rows::Scan(scan) if self.stored_only => {
                let table = scan.table().map_or("", |t| &*t.header.name);
                let name = scan.column(at.ordinal).name;
                Err(SqlError::new(&message::COMPUTED_OF_COMPUTED, &[&name, &table]).into())
            }
            _ => Ok(()),
        }
    }

    /// The stored column behind one that was found.
    pub fn base_of(&self, at: ColumnAt) -> Option<BaseRef> {
        let source = &self.blocks[at.block].sources[at.source];
        match &source.rows {
            Rows::Derived(_, columns) => columns[at.ordinal].base.clone(),
            Rows::Scan(scan) => scan.table().map(|table| BaseRef {
                scan: scan.number,
                table: table.clone(),
                ordinal: at.ordinal,
                view: None,
                checked: None,
            }),
        }
    }

    /// The columns of views behind one that was found.
    pub fn views_of(&self, at: ColumnAt) -> Vec<ViewColumn> {
        match &self.blocks[at.block].sources[at.source].rows {
            Rows::Derived(_, columns) => columns[at.ordinal].views.clone(),
            Rows::Scan(_) => Vec::new(),
        }
    }

    /// The stored column that a column of the innermost block is.
    pub fn base_of_column(&self, id: ColId) -> Option<BaseRef> {
        let block = self.blocks.len().checked_sub(1)?;
        let sources = self.blocks[block].sources.iter().enumerate();
        let mut scans = sources.filter_map(|(source, of)| match &of.rows {
            Rows::Scan(scan) => Some((source, scan)),
            Rows::Derived(..) => None,
        });
        scans.find_map(|(source, scan)| {
            let ordinal = scan.ids.iter().position(|i| *i == Some(id))?;
            self.base_of(ColumnAt { block, source, ordinal })
        })
    }

    /// All columns that `*` or `t.*` stands for, in order. Errors 107, 263.
    pub fn star(&mut self, qualifier: Option<&ObjectName>, line: u32) -> BindResult<Vec<ColumnAt>> {
        let block = self.blocks.len() - 1;
        let of = &self.blocks[block];
        if of.sources.is_empty() {
            let error = match qualifier {
                Some(name) => SqlError::new(&message::COLUMN_PREFIX_NO_MATCH, &[&name]),
                None => SqlError::new(&message::MUST_SPECIFY_TABLE, &[]),
            };
            return Err(error).at(line).map_err(BindError::from);
        }
        let mut columns = Vec::new();
        let mut matched = false;
        for source in of.visible.clone() {
            let list = &of.sources[source];
            if qualifier.is_some_and(|name| !self.is_called(list, name)) {
                continue;
            }
            matched = true;
            let shown = (0..list.columns()).filter(|&ordinal| !list.is_hidden(ordinal));
            columns.extend(shown.map(|ordinal| ColumnAt { block, source, ordinal }));
        }
        match qualifier {
            Some(name) if !matched => {
                let error = SqlError::new(&message::COLUMN_PREFIX_NO_MATCH, &[&name]);
                Err(BindError::from(error).at_line(line))
            }
            _ => Ok(columns),
        }
    }
}
