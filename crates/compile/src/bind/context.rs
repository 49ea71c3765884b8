//! What the binder is given and what it gives back.

use std::fmt;
use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, SqlType, message};
use engine::catalog::Schema;
use engine::catalog::def::{
    ColumnDef, ColumnId, IndexDef, KeyColumn, ModuleDef, Permission, SchemaId, TableDef,
};
use ir::function::stream::StreamSource;
use ir::function::{Functions, RowsetFunction};
use ir::operator::{TableVarId, VarId};
use ir::rowset::SystemRowset;
use smallvec::SmallVec;
use tsql::ast;

use crate::plan::optimize::MemoryNeed;
use crate::plan::statistics::Statistics;

/// What names mean to a session, or to the module that it runs. The session implements it.
///
/// Everything must stay the same while one statement is bound.
pub trait Names {
    /// The session's current database.
    fn database(&self) -> DbId;

    /// A database by name. `None` if there is none that the session could use.
    fn find_database(&self, name: &str) -> Option<DbId>;

    /// Why the session cannot use a database that is there: errors 916, 923, 926, 927, 942, 945.
    fn closed(&self, name: &str) -> Option<SqlError> {
        let _ = name;
        None
    }

    /// The table variables that hold what `INSERT … EXEC` inserts, one for all result sets of the
    /// same types. The last column numbers the rows.
    fn returned(&self) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// The name of a database.
    fn database_name(&self, database: DbId) -> Arc<str>;

    /// The schema of a database as the statement sees it.
    fn schema(&self, database: DbId) -> Option<Arc<Schema>>;

    /// The version of that.
    fn schema_version(&self, database: DbId) -> Option<u64> {
        self.schema(database).map(|schema| schema.version())
    }

    /// Where unqualified names are looked for first in a database.
    fn default_schema(&self, database: DbId) -> SchemaId;

    /// A temporary table (`#t`, `##t`), which lives in tempdb.
    fn temporary_table(&self, name: &str) -> Option<Arc<TableDef>>;

    /// What the server itself provides in every database, by schema and name; without a schema, by
    /// the rules for unqualified names.
    fn system_object(&self, schema: Option<&str>, name: &str) -> Option<SystemObject>;

    /// The functions that there are.
    fn functions(&self) -> &'static dyn Functions;

    /// A variable or parameter of the batch or module, by its name with `@`.
    fn variable(&self, name: &str) -> Option<Variable>;

    /// Whether the statement is in a DDL or logon trigger.
    fn in_event_trigger(&self) -> bool {
        false
    }

    /// In a trigger: what `inserted` and `deleted` are.
    fn trigger(&self) -> Option<TriggerScope>;

    /// Whether `SET IDENTITY_INSERT` is on for a table.
    fn identity_insert(&self, database: DbId, table: ObjectId) -> bool;

    /// Whether the session's user sees the values of a masked column.
    fn may_unmask(&self, database: DbId, table: ObjectId, column: ColumnId) -> bool;

    /// Whether a database is contained.
    fn is_contained(&self, database: DbId) -> bool;

    /// Whether two objects have one owner.
    fn is_chained(&self, from: (DbId, ObjectId), to: (DbId, ObjectId)) -> bool;

    /// The row on which a cursor stands, for `WHERE CURRENT OF`. Errors 16916 and the like.
    fn cursor_rows(&self, cursor: &ast::CursorRef) -> SqlResult<Vec<CursorRow>>;

    /// The rows of a file, and their columns: `OPENROWSET(BULK …)` with a format file. Errors of
    /// its options, and of the format file.
    fn file_rows(&self, _: &ast::TableFile, _: &[ast::BulkOption]) -> SqlResult<FileRows> {
        Err(ir::internal("there are no files"))
    }

    /// The tree of a module's text. An implementation that keeps trees returns the one that is
    /// kept.
    fn module_tree(&self, _database: DbId, module: &ModuleDef) -> SqlResult<Arc<ast::Batch>> {
        let options = tsql::ParseOptions { quoted_identifier: module.uses_quoted_identifier };
        tsql::parse_batch(&module.definition, options).map(Arc::new)
    }
}

/// What `CATALOG_DEFAULT` means in a contained database, whatever that database's own collation is.
pub const CONTAINED_CATALOG: &str = "Latin1_General_100_CI_AS_KS_WS_SC";

/// The rows of a file.
#[derive(Clone, Debug)]
pub struct FileRows {
    /// What reads them.
    pub source: Arc<dyn StreamSource>,
    /// Their columns.
    pub table: Arc<TableDef>,
}

/// A table-like object that the server provides.
#[derive(Clone, Copy, Debug)]
pub enum SystemObject {
    /// A view whose rows are made when it is read.
    Rowset(SystemRowset),
    /// A view that is a query.
    View(&'static SystemView),
    /// A table-valued function.
    Function(&'static RowsetFunction),
}

impl SystemObject {
    /// The schema that it is in.
    pub fn schema(self) -> &'static str {
        match self {
            SystemObject::Rowset(rowset) => rowset.schema,
            SystemObject::View(view) => view.schema,
            SystemObject::Function(_) => "sys",
        }
    }
}

/// A system view that is a query over other system views, in the database that it is looked for in.
#[derive(Debug)]
pub struct SystemView {
    /// `sys` or `INFORMATION_SCHEMA`.
    pub schema: &'static str,
    /// Its name.
    pub name: &'static str,
    /// A `SELECT`; every column has a name.
    pub query: &'static str,
}

/// What a variable is.
#[derive(Clone, Debug)]
pub enum Variable {
    /// A scalar.
    Scalar {
        /// Its place in the frame.
        id: VarId,
        /// Its type.
        ty: SqlType,
        /// Whether it may be NULL (`NOT NULL` exists in natively compiled modules).
        nullable: bool,
    },
    /// A table variable or table-valued parameter.
    Table {
        /// Its place in the frame.
        id: TableVarId,
        /// Its columns, keys and checks.
        table: Arc<TableDef>,
        /// `READONLY`.
        read_only: bool,
    },
    /// A cursor variable.
    Cursor,
}

/// What a trigger sees.
#[derive(Clone, Debug)]
pub struct TriggerScope {
    /// The table that it is on.
    pub table: Arc<TableDef>,
    /// The variable with what `COLUMNS_UPDATED()` returns: a bit per column id, the lowest bit of
    /// the first byte being column 1; of type `varbinary(128)`.
    pub columns_updated: VarId,
}

/// Where a cursor stands.
#[derive(Clone, Debug)]
pub struct CursorRow {
    /// The database of the table that the cursor can change.
    pub database: DbId,
    /// That table.
    pub table: ObjectId,
    /// Columns that name the row, each with the variable that holds its value in the current row.
    pub key: Vec<(NamingColumn, VarId)>,
}

/// What tells rows of a table apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamingColumn {
    /// A column, by its place in `TableDef::columns`.
    Column(usize),
    /// The hidden row number of a table without a unique key.
    RowNumber,
}

impl NamingColumn {
    /// Its definition.
    pub fn of(self, table: &TableDef) -> Option<&ColumnDef> {
        match self {
            NamingColumn::Column(at) => table.columns.get(at),
            NamingColumn::RowNumber => None,
        }
    }
}

/// Options that decide what a text means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BindOptions {
    /// `SET ANSI_NULLS`: off, `= NULL` means `IS NULL`.
    pub ansi_nulls: bool,
    /// `SET QUOTED_IDENTIFIER`, for texts that are read while binding.
    pub quoted_identifier: bool,
    /// `SET ANSI_WARNINGS`: off, columns take what is too long cut.
    pub ansi_warnings: bool,
    /// `SET ANSI_PADDING`
    pub ansi_padding: bool,
    /// `SET ARITHABORT`, which `ANSI_WARNINGS` includes.
    pub arithabort: bool,
    /// `SET CONCAT_NULL_YIELDS_NULL`: off, `+` takes a string that is NULL as empty.
    pub concat_null_yields_null: bool,
    /// `SET NUMERIC_ROUNDABORT`: digits after the point are not rounded away.
    pub numeric_roundabort: bool,
    /// `SET FORCEPLAN`: joins in the order written.
    pub force_plan: bool,
    /// The text is a natively compiled module's.
    pub native: bool,
    /// It stands in a `CATCH` block of such a module.
    pub in_catch: bool,
    /// The text is a function's: what changes something is refused (443).
    pub in_function: bool,
    /// The text is that of a module WITH SCHEMABINDING: no `*` stands for columns (1054).
    pub schema_bound: bool,
    /// No triggers run, neither after what a statement does nor instead of it: bulk loads.
    pub skip_triggers: bool,
    /// The server has written the text, and defaults of columns stand in it as expressions: bulk
    /// loads.
    pub has_defaults: bool,
    /// The server has written the text, and takes rows out of a history or of an internal table.
    pub writes_history: bool,
    /// Security policies hide no rows: the text is a definition's, or the server has written it.
    pub sees_all_rows: bool,
}

impl Default for BindOptions {
    fn default() -> BindOptions {
        BindOptions {
            ansi_nulls: true,
            quoted_identifier: true,
            ansi_warnings: true,
            ansi_padding: true,
            arithabort: true,
            concat_null_yields_null: true,
            numeric_roundabort: false,
            force_plan: false,
            native: false,
            in_catch: false,
            in_function: false,
            schema_bound: false,
            skip_triggers: false,
            has_defaults: false,
            writes_history: false,
            sees_all_rows: false,
        }
    }
}

impl BindOptions {
    /// The options that are not as indexes with filters or over computed columns need them, so that
    /// what is in such an index does not depend on the session that has changed a row: their names.
    pub fn wrong_for_indexes(&self) -> Option<String> {
        let wrong: Vec<&str> = [
            (self.ansi_nulls, "ANSI_NULLS"),
            (self.quoted_identifier, "QUOTED_IDENTIFIER"),
            (self.concat_null_yields_null, "CONCAT_NULL_YIELDS_NULL"),
            (self.ansi_warnings, "ANSI_WARNINGS"),
            (self.ansi_padding, "ANSI_PADDING"),
            (self.arithabort, "ARITHABORT"),
            (!self.numeric_roundabort, "NUMERIC_ROUNDABORT"),
        ]
        .into_iter()
        .filter_map(|(is_right, name)| (!is_right).then_some(name))
        .collect();
        (!wrong.is_empty()).then(|| wrong.join(", "))
    }

    /// Error 1934 about a statement that changes rows or indexes of a table.
    pub fn check_for_indexes(
        &self,
        table: &TableDef,
        index: &dyn Fn(&IndexDef) -> bool,
        statement: &str,
    ) -> SqlResult<()> {
        let is_computed = |column: &KeyColumn| {
            table.column(column.column).is_some_and(|column| column.computed.is_some())
        };
        let depends =
            |i: &IndexDef| index(i) && (i.filter.is_some() || i.key.iter().any(is_computed));
        match table.indexes.iter().any(depends) {
            true => self.check_for_derived_indexes(statement),
            false => Ok(()),
        }
    }

    /// As `check_for_indexes`, where there is an XML index.
    pub fn check_for_derived_indexes(&self, statement: &str) -> SqlResult<()> {
        let Some(wrong) = self.wrong_for_indexes() else { return Ok(()) };
        let what = "indexed views and/or indexes on computed columns and/or filtered indexes \
                    and/or query notifications and/or XML data type methods and/or spatial index operations";
        let args: [&dyn std::fmt::Display; 3] = [&statement, &wrong, &what];
        Err(SqlError::new(&message::FAILED_SET_OPTIONS, &args))
    }
}

/// Everything that binding a statement depends on besides its text.
#[derive(Clone, Copy)]
pub struct BindContext<'c> {
    /// What names mean.
    pub names: &'c dyn Names,
    /// What the text means.
    pub options: BindOptions,
    /// How many rows there are.
    pub statistics: &'c dyn Statistics,
}

/// Why a statement was not bound.
#[derive(Clone, PartialEq)]
pub struct BindError {
    /// The error, with its line.
    pub error: SqlError,
    /// An object does not exist. It may when the statement is run, so a batch or module that has
    /// not come to the statement yet goes on without it (deferred name resolution).
    pub missing: bool,
    /// Further errors of the same statement.
    pub rest: Box<[SqlError]>,
}

/// What binding returns.
pub type BindResult<T> = Result<T, BindError>;

impl BindError {
    /// An error about an object that does not exist yet.
    pub fn missing(error: SqlError) -> BindError {
        BindError { error, missing: true, rest: Box::default() }
    }

    /// Several errors, in order; `None` if there are none.
    pub fn several(errors: Vec<SqlError>) -> Option<BindError> {
        let mut errors = errors.into_iter();
        let error = errors.next()?;
        Some(BindError { error, missing: false, rest: errors.collect() })
    }

    /// Whether the statement was bound, but hints leave no plan for it.
    pub fn is_unplanned(&self) -> bool {
        self.error.number() == message::NO_QUERY_PLAN_HINTS.number
    }

    /// Whether the client has cancelled the statement while it was bound or planned.
    pub fn is_cancelled(&self) -> bool {
        self.error.number() == message::COMMAND_CANCELLED.number
    }

    /// These errors and a further one.
    pub fn followed_by(self, error: SqlError) -> BindError {
        let rest = self.rest.into_iter().chain([error]).collect();
        BindError { rest, ..self }
    }

    /// All errors in order.
    pub fn all(self) -> impl Iterator<Item = SqlError> {
        std::iter::once(self.error).chain(self.rest)
    }

    fn map(self, f: impl Fn(SqlError) -> SqlError) -> BindError {
        let rest = self.rest.into_iter().map(&f).collect();
        BindError { error: f(self.error), missing: self.missing, rest }
    }

    /// The errors, in this module, unless they name one.
    pub fn in_procedure(self, procedure: &str) -> BindError {
        self.map(|error| error.in_procedure(procedure))
    }

    /// The errors, at this line, unless they name one.
    pub fn at_line(self, line: u32) -> BindError {
        self.map(|error| error.at_line(line))
    }
}

impl From<SqlError> for BindError {
    fn from(error: SqlError) -> BindError {
        BindError { error, missing: false, rest: Box::default() }
    }
}

impl From<BindError> for SqlError {
    fn from(error: BindError) -> SqlError {
        error.error
    }
}

impl fmt::Debug for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", if self.missing { "missing: " } else { "" }, self.error)?;
        self.rest.iter().try_for_each(|error| write!(f, "\n{error:?}"))
    }
}

/// Gives errors the line of what they are about.
pub(super) trait AtLine {
    /// The same result; an error without a line gets this one.
    fn at(self, line: u32) -> Self;
}

impl<T> AtLine for BindResult<T> {
    fn at(self, line: u32) -> Self {
        self.map_err(|e| e.at_line(line))
    }
}

impl<T> AtLine for SqlResult<T> {
    fn at(self, line: u32) -> Self {
        self.map_err(|e| e.at_line(line))
    }
}

/// What the session must know about a bound statement before it runs it.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Facts {
    /// The databases whose tables it uses, tempdb included.
    pub databases: SmallVec<[DbId; 2]>,
    /// Those in which it writes.
    pub written: SmallVec<[DbId; 2]>,
    /// It reads or writes memory-optimized tables (not table variables).
    pub memory_optimized: bool,
    /// It reads or writes tables that are not memory-optimized, temporary ones and those of the
    /// system not counted.
    pub disk: bool,
    /// Some memory-optimized table is read without a hint that says how. The session's level
    /// decides: READ COMMITTED is for autocommit only (41368), the others have rules of their own.
    pub memory_optimized_unhinted: bool,
    /// The strictest level that a hint asks of a memory-optimized table; see 41333.
    pub memory_optimized_level: Option<ir::read::Isolation>,
    /// It reads or writes tables that are not logged: schema-only ones, those of tempdb.
    pub unlogged: bool,
    /// A level asked for by a hint on a disk table, where it is not READ COMMITTED.
    pub disk_level: Option<ir::read::Isolation>,
    /// It changes a sequence's state.
    pub takes_sequence_values: bool,
    /// It calls users' functions, which may do anything that functions may.
    pub calls_functions: bool,
    /// It reads what the server knows of itself: rows that no transaction protects.
    pub reads_system_rowsets: bool,
    /// Its errors must quote no values: security policies hide rows from it, or masks values.
    pub hides_values: bool,
    /// Nor duplicate keys: a key may hold values that masks hide, or be one of a hidden row.
    pub hides_keys: bool,
    /// It returns a document in pieces.
    pub returns_document: Option<Document>,
    /// What the session's user must be permitted, unless ownership chains say that it is.
    pub accesses: Vec<Access>,
    /// `OPTION (RECOMPILE)`, or it depends on what can change without notice.
    pub recompile: bool,
    /// The table into which rows come without a look at its constraints.
    pub unchecked: Option<(DbId, ObjectId)>,
    /// It writes the value that a text pointer points to: no row means that there is none.
    pub text_pointer: Option<Box<TextPointer>>,
    /// The memory that it asks for before it runs.
    pub memory: Option<Box<MemoryNeed>>,
}

/// A text pointer of a statement.
#[derive(Clone, PartialEq, Debug)]
pub struct TextPointer {
    /// What messages call the statement.
    pub function: &'static str,
    /// The pointer.
    pub value: TextPointerValue,
}

/// Where a text pointer comes from.
#[derive(Clone, PartialEq, Debug)]
pub enum TextPointerValue {
    /// A variable.
    Variable(VarId),
    /// A literal.
    Bytes(Box<[u8]>),
}

impl Facts {
    /// An error of the statement as its user may see it.
    pub fn shown(&self, mut error: SqlError) -> SqlError {
        if self.hides_values {
            error = error.without_values();
        }
        if self.hides_keys {
            error = error.without_key();
        }
        error
    }

    /// Whether the statement changes nothing.
    pub fn is_read_only(&self) -> bool {
        self.written.is_empty() && !self.takes_sequence_values && !self.calls_functions
    }
}

impl Facts {
    /// Adds memory that the statement needs.
    pub fn needs(&mut self, need: Option<MemoryNeed>) {
        let Some(need) = need else { return };
        match &mut self.memory {
            Some(sum) => {
                sum.operators += need.operators;
                sum.bytes = sum.bytes.saturating_add(need.bytes);
                sum.cost += need.cost;
            }
            none => *none = Some(Box::new(need)),
        }
    }

    /// Adds those of a further statement.
    pub fn include(&mut self, other: Facts) {
        let Facts {
            databases,
            written,
            memory_optimized,
            disk,
            memory_optimized_unhinted,
            memory_optimized_level,
            unlogged,
            disk_level,
            takes_sequence_values,
            calls_functions,
            reads_system_rowsets,
            hides_values,
            hides_keys,
            returns_document,
            accesses,
            recompile,
            unchecked,
            text_pointer,
            memory,
        } = other;
        let add = |to: &mut SmallVec<[DbId; 2]>, from: SmallVec<[DbId; 2]>| {
            for database in from {
                if !to.contains(&database) {
                    to.push(database);
                }
            }
        };
        add(&mut self.databases, databases);
        add(&mut self.written, written);
        self.memory_optimized |= memory_optimized;
        self.disk |= disk;
        self.memory_optimized_unhinted |= memory_optimized_unhinted;
        self.memory_optimized_level = self.memory_optimized_level.max(memory_optimized_level);
        self.unlogged |= unlogged;
        self.disk_level = self.disk_level.max(disk_level);
        self.takes_sequence_values |= takes_sequence_values;
        self.calls_functions |= calls_functions;
        self.reads_system_rowsets |= reads_system_rowsets;
        self.hides_values |= hides_values;
        self.hides_keys |= hides_keys;
        self.returns_document = self.returns_document.or(returns_document);
        self.recompile |= recompile;
        self.unchecked = self.unchecked.or(unchecked);
        self.text_pointer = self.text_pointer.take().or(text_pointer);
        self.needs(memory.map(|need| *need));
        accesses.into_iter().for_each(|access| self.add_access(access));
    }
}

/// What a statement returns in pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Document {
    /// What its own `FOR JSON` makes.
    Json,
    /// What its own `FOR XML` makes.
    Xml,
}

/// Something that a statement does to an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// The object's database.
    pub database: DbId,
    /// The object.
    pub object: ObjectId,
    /// What is done.
    pub permission: Permission,
    /// The columns to which it is done; none for the whole object, or if no column is named.
    pub columns: Vec<ColumnId>,
    /// The view, function or table in whose definition the object is named; none for the statement
    /// itself. If both have one owner, nothing need be permitted.
    pub through: Option<(DbId, ObjectId)>,
}

impl Access {
    /// Whether two are one, but for columns.
    fn is_like(&self, other: &Access) -> bool {
        (self.database, self.object, self.permission, self.through)
            == (other.database, other.object, other.permission, other.through)
    }
}

impl Facts {
    /// Adds something that is done, or columns to what is known of it.
    pub fn add_access(&mut self, access: Access) {
        match self.accesses.iter_mut().find(|known| known.is_like(&access)) {
            None => self.accesses.push(access),
            Some(known) => {
                for column in access.columns {
                    if !known.columns.contains(&column) {
                        known.columns.push(column);
                    }
                }
            }
        }
    }
}

/// What a bound statement depends on in the catalog.
#[derive(Clone, Debug, Default)]
pub struct Dependencies {
    /// The databases that were looked at, with the versions of their schemas and where unqualified
    /// names were looked for first: while all of these are the same, nothing has changed.
    pub schemas: SmallVec<[(DbId, u64, SchemaId); 2]>,
    /// The objects found, with the versions at which they were last changed.
    pub objects: Vec<ObjectDependency>,
    /// Likewise those that security policies use, which no statement mentions.
    pub hidden: Vec<ObjectDependency>,
    /// Names that were looked up and what they meant.
    pub names: Vec<NameDependency>,
    /// Temporary tables.
    pub temporary: Vec<(Arc<str>, Arc<TableDef>)>,
    /// Tables that were inserted into, with the state of `SET IDENTITY_INSERT` that was counted on.
    pub identity_insert: SmallVec<[(DbId, ObjectId, bool); 1]>,
    /// Masked columns that were read, with whether the user could see their values.
    pub unmasked: Vec<(DbId, ObjectId, ColumnId, bool)>,
}

/// An object that a bound statement depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObjectDependency {
    /// Its database.
    pub database: DbId,
    /// The object.
    pub object: ObjectId,
    /// See [`Schema::object_version`].
    pub version: u64,
}

/// A name that was looked up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameDependency {
    /// In this database.
    pub database: DbId,
    /// In this schema; `None` if none was written.
    pub schema: Option<SchemaId>,
    /// The name.
    pub name: Arc<str>,
    /// What was found; `None` if nothing was, before the name was looked for elsewhere.
    pub object: Option<ObjectId>,
}

impl Dependencies {
    /// Adds those of a further statement.
    pub fn include(&mut self, other: Dependencies) {
        let Dependencies { schemas, objects, hidden, names, temporary, identity_insert, unmasked } =
            other;
        for column in unmasked {
            if !self.unmasked.contains(&column) {
                self.unmasked.push(column);
            }
        }
        for schema in schemas {
            if !self.schemas.contains(&schema) {
                self.schemas.push(schema);
            }
        }
        for object in objects {
            if !self.objects.contains(&object) {
                self.objects.push(object);
            }
        }
        for object in hidden {
            if !self.hidden.contains(&object) {
                self.hidden.push(object);
            }
        }
        for name in names {
            if !self.names.contains(&name) {
                self.names.push(name);
            }
        }
        self.temporary.extend(temporary);
        for identity in identity_insert {
            if !self.identity_insert.contains(&identity) {
                self.identity_insert.push(identity);
            }
        }
    }

    /// Whether binding again would find the same.
    pub fn still_hold(&self, names: &dyn Names) -> bool {
        let temporary = |(name, table): &(Arc<str>, Arc<TableDef>)| {
            names.temporary_table(name).is_some_and(|now| Arc::ptr_eq(&now, table))
        };
        let identity = |&(database, table, on): &(DbId, ObjectId, bool)| {
            names.identity_insert(database, table) == on
        };
        let unmasked = |&(database, table, column, may): &(DbId, ObjectId, ColumnId, bool)| {
            names.may_unmask(database, table, column) == may
        };
        if !self.unmasked.iter().all(unmasked) {
            return false;
        }
        if !self.temporary.iter().all(temporary) || !self.identity_insert.iter().all(identity) {
            return false;
        }
        let same = |&(database, version, default): &(DbId, u64, SchemaId)| {
            names.default_schema(database) == default
                && names.schema_version(database) == Some(version)
        };
        self.schemas.iter().all(same) || self.hold_in_detail(names)
    }

    fn hold_in_detail(&self, names: &dyn Names) -> bool {
        let object = |o: &ObjectDependency| {
            names.schema(o.database).and_then(|s| s.object_version(o.object)) == Some(o.version)
        };
        let name = |n: &NameDependency| {
            let Some(schema) = names.schema(n.database) else { return false };
            let found = match n.schema {
                Some(place) => schema.find_object(place, &n.name),
                None => schema.resolve_object(names.default_schema(n.database), &n.name),
            };
            found.map(|f| f.id()) == n.object
        };
        self.objects.iter().chain(&self.hidden).all(object) && self.names.iter().all(name)
    }
}
