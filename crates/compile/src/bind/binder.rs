//! The state of one binding: the ids given, the open blocks, the environment in which names are
//! resolved, and what was noted for the plan.

use std::rc::Rc;
use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{Arena, Collation, SqlError, SqlResult, SqlType, message};
use engine::catalog::Schema;
use engine::catalog::def::{ColumnId, IdentityDef, Permission, SchemaId, TableDef, TableKind};
use ir::operator::VarId;
use ir::read::{Isolation, ReadOptions};
use tsql::ast;

use super::access_hint::Inherited;
use super::context::*;
use super::cte::Cte;
use super::derived_index::XmlCall;
use super::method::Nodes;
use super::scalar::Scalar;
use super::scope::{Block, Clause};
use super::system_time::Moments;
use crate::plan::expr::{ColId, Expr};
use crate::plan::hints::PlanHints;
use crate::plan::ids::Ids;
use crate::plan::statistics::Statistics;

/// The most queries that may be bound in place of names. A view, function or common table
/// expression is bound anew at each use, so a few names can stand for more queries than there is
/// time for. A chain of a thousand common table expressions takes a thousand.
const EXPANDED_MAX: usize = 8_192;

/// How deep views may nest.
const VIEW_DEPTH_MAX: u32 = 32;

/// The state of one binding.
pub(super) struct Binder<'c> {
    pub names: &'c dyn Names,
    pub statistics: &'c dyn Statistics,
    pub options: BindOptions,
    /// The environment in which names are resolved.
    pub env: Env,
    /// The query blocks around what is being bound, the innermost last.
    pub blocks: Vec<Block>,
    pub ids: Ids,
    scan_number: u32,
    /// The outermost block that was referred to since this was last reset.
    pub outermost: usize,
    /// The blocks of the columns referred to inside aggregates that are being bound.
    pub references: Vec<Vec<usize>>,
    pub facts: Facts,
    pub dependencies: Dependencies,
    pub hints: PlanHints,
    /// `OPTION (MAXRECURSION n)`.
    pub max_recursion: u32,
    /// For constant folding.
    pub arena: Arena,
    /// The error for a column where there is no row.
    pub no_columns: NoColumns,
    /// The definition of a default is being bound.
    pub in_default: bool,
    /// Within `CASE` or a function that is one.
    pub in_conditional: bool,
    /// The definition of something in a table is being bound: queries are refused (1046).
    pub scalar_only: bool,
    /// The definition of a computed column is being bound: other ones are refused (1759).
    pub stored_only: bool,
    /// The column under which `OUTPUT` knows `$action`, in a `MERGE`.
    pub action: Option<ColId>,
    /// The `INSERT` of what the statement changes that is bound next.
    pub inserting: Option<Rc<ast::Insert>>,
    /// `CHANGE_TRACKING_CONTEXT` of the statement.
    pub change_context: Option<Expr>,
    /// The undeclared variables, if their types are being inferred.
    pub undeclared: Option<Vec<Undeclared>>,
    /// The calls of `IDENTITY(…)` in a `SELECT … INTO`.
    pub identities: Vec<IdentityDef>,
    /// The calls of `nodes()`.
    pub nodes: Vec<Nodes>,
    /// What XML indexes may know of calls of methods.
    pub xml_calls: Vec<XmlCall>,
    /// A method is called that spatial indexes help with.
    pub searches_shapes: bool,
    /// How many system-versioned tables were found of which `FOR SYSTEM_TIME` asks for versions.
    pub versioned_tables: u32,
    /// It reads a table with masked columns.
    pub reads_masked: bool,
    /// Whether a table with classified columns is read or written.
    pub reads_classified: bool,
    /// The tables that are read and that indexed views use.
    pub view_tables: Vec<(DbId, Arc<TableDef>)>,
    /// `OPTION (EXPAND VIEWS)`.
    pub expands_views: bool,
    /// The tables whose predicates are being bound.
    pub judged: Vec<(DbId, ObjectId)>,
    /// The hints with which an `INSERT` loads the rows of a file; none of other statements.
    pub load: Option<LoadHints>,
    /// The statement is made of a `READTEXT` or its like.
    pub in_text_statement: bool,
    /// What the statement does, as messages call it.
    pub verb: &'static str,
    /// What a definition mentions, where that is asked for.
    pub mentions: Option<Mentions>,
    /// How many views, functions and common table expressions are being expanded.
    pub expansions: u32,
    /// The queries that have been bound in them; see [`EXPANDED_MAX`].
    expanded: usize,
    /// The errors about columns after which the binding has gone on; `None` if it ends at the
    /// first.
    pub noted: Option<Vec<SqlError>>,
}

/// How an `INSERT` loads the rows of a file.
#[derive(Clone, Copy, Default, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a hint of its own in T-SQL")]
pub(super) struct LoadHints {
    /// `KEEPIDENTITY`: the identity column takes the file's values.
    pub keep_identity: bool,
    /// `KEEPDEFAULTS`: NULL for a column that has a default becomes the default.
    pub keep_defaults: bool,
    /// `IGNORE_CONSTRAINTS`: `CHECK` and `FOREIGN KEY` constraints are not looked at.
    pub ignore_constraints: bool,
    /// `IGNORE_TRIGGERS`
    pub ignore_triggers: bool,
}

/// The error for a column where there is no row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoColumns {
    /// Error 207: `SET @a = b`.
    Unknown,
    /// Error 128: `VALUES`, `PRINT`, defaults.
    NotPermitted,
}

/// A variable whose type is being inferred.
#[derive(Clone, Debug)]
pub(super) struct Undeclared {
    pub name: Arc<str>,
    pub var: VarId,
    pub ty: Option<SqlType>,
    /// Another one in the same column, by its place in the list. This one takes its type if it gets
    /// no other.
    pub like: Option<u16>,
}

/// What the definition of a constraint, computed column or default mentions.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions {
    /// Users' functions: the name as written, and the id.
    pub functions: Vec<(ast::ObjectName, ObjectId)>,
    /// Sequences, likewise.
    pub sequences: Vec<(ast::ObjectName, ObjectId)>,
    /// Whether equal rows may give unequal results.
    pub nondeterministic: bool,
    /// Whether it reads data.
    pub reads_data: bool,
    /// Whether it calls methods of type xml.
    pub xml_methods: bool,
}

/// The environment in which names are resolved.
#[derive(Clone)]
pub(super) struct Env {
    /// The database of unqualified names.
    pub database: DbId,
    pub schema: Arc<Schema>,
    pub default_schema: SchemaId,
    /// The first block that can be seen.
    pub base: usize,
    pub variables: Variables,
    /// The common table expressions in scope, the innermost last.
    pub ctes: Vec<Rc<Cte>>,
    /// The namespaces that `WITH XMLNAMESPACES` declares.
    pub namespaces: Rc<[ast::XmlNamespace]>,
    /// How many views and functions are being expanded.
    pub depth: u32,
    /// The view, function or table whose definition is being bound, if it is a user's.
    pub through: Option<(DbId, ObjectId)>,
    /// The hints of the view that tables are in.
    pub inherited: Inherited,
    /// Which versions of rows are meant of the system-versioned tables of a view.
    pub system_time: Option<Rc<Moments>>,
    pub ansi_nulls: bool,
    pub quoted_identifier: bool,
    /// Names of internal tables mean these tables: the server has written the text.
    pub internal: bool,
}

/// Which variables an expression may mention.
#[derive(Clone)]
pub(super) enum Variables {
    /// The module's.
    Module,
    /// None.
    None,
    /// The parameters of an inline function, each with its argument, and the outermost block that
    /// the argument refers to.
    Parameters(Arc<Vec<(Arc<str>, Scalar, usize)>>),
}

impl<'c> Binder<'c> {
    /// A binding that has not begun. Error 911 if the session's database is gone.
    pub fn new(context: &BindContext<'c>) -> SqlResult<Binder<'c>> {
        // The tree may have been read on another stack (K1 of `base::stack`). Where this one cannot
        // grow, binding checks its room at each level.
        let _ = base::stack::reserve(ast::WALK_BYTES);
        let names = context.names;
        let database = names.database();
        let schema = names.schema(database).ok_or_else(|| no_database(names, database))?;
        let env = Env {
            database,
            default_schema: names.default_schema(database),
            schema,
            base: 0,
            variables: Variables::Module,
            ctes: Vec::new(),
            namespaces: Rc::default(),
            depth: 0,
            through: None,
            inherited: Inherited::default(),
            system_time: None,
            ansi_nulls: context.options.ansi_nulls,
            quoted_identifier: context.options.quoted_identifier,
            internal: context.options.writes_history,
        };
        let force_order = context.options.force_plan;
        let hints = PlanHints { force_order, ..PlanHints::default() };
        let mut binder = Binder {
            names,
            statistics: context.statistics,
            options: context.options,
            env,
            blocks: Vec::new(),
            ids: Ids::default(),
            scan_number: 0,
            outermost: usize::MAX,
            references: Vec::new(),
            facts: Facts::default(),
            dependencies: Dependencies::default(),
            hints,
            max_recursion: 100,
            arena: crate::plan::fold::arena(),
            no_columns: NoColumns::Unknown,
            in_default: false,
            in_conditional: false,
            scalar_only: false,
            stored_only: false,
            action: None,
            inserting: None,
            change_context: None,
            undeclared: None,
            identities: Vec::new(),
            nodes: Vec::new(),
            xml_calls: Vec::new(),
            searches_shapes: false,
            versioned_tables: 0,
            reads_masked: false,
            reads_classified: false,
            view_tables: Vec::new(),
            expands_views: false,
            judged: Vec::new(),
            load: None,
            in_text_statement: false,
            verb: "SELECT",
            mentions: None,
            expansions: 0,
            expanded: 0,
            noted: None,
        };
        let schema = binder.env.schema.clone();
        binder.note_schema(database, &schema);
        Ok(binder)
    }

    /// The collation of the database in which names are resolved. Literals have it, too.
    pub fn collation(&self) -> Collation {
        self.env.schema.collation()
    }

    /// Whether two names are the same.
    pub fn same_name(&self, a: &str, b: &str) -> bool {
        if a == b {
            return true;
        }
        let plain = |s: &str| s.is_ascii() && !s.ends_with(' ');
        if plain(a) && plain(b) {
            let ignores_case = self.collation().info().flags.ignores_case();
            return ignores_case && a.eq_ignore_ascii_case(b);
        }
        self.env.schema.same_name(a, b)
    }

    /// Checks whether the stack has room for a level of nesting, and lets other sessions have their
    /// turn. Errors 3617, 8631.
    #[inline]
    pub fn deeper(&self, line: u32) -> BindResult<()> {
        self.statistics.checkpoint()?;
        match base::stack::deeper() {
            true => Ok(()),
            false => Err(SqlError::new(&message::STACK_LIMIT, &[]).at_line(line).into()),
        }
    }

    /// Counts what is bound in place of a name. Error 8623 if it becomes too much.
    pub fn expanding(&mut self, queries: usize, line: u32) -> BindResult<()> {
        if self.expansions > 0 {
            self.expanded += queries;
        }
        match self.expanded > EXPANDED_MAX {
            true => Err(SqlError::new(&message::OUT_OF_PLAN_RESOURCES, &[]).at_line(line).into()),
            false => Ok(()),
        }
    }

    /// A new column.
    pub fn free_column(&mut self) -> ColId {
        self.ids.column()
    }

    /// Adds an innermost block.
    pub fn open_block(&mut self, clause: Clause) {
        self.blocks.push(Block::new(clause));
    }

    /// Removes the innermost block.
    pub fn close_block(&mut self) -> Block {
        self.blocks.pop().expect("open_block() has put it there")
    }

    /// The innermost block.
    pub fn block(&mut self) -> &mut Block {
        self.blocks.last_mut().expect("a query is being bound")
    }

    /// A number for the next scan, which tells it from the others.
    pub fn next_scan(&mut self) -> u32 {
        self.scan_number += 1;
        self.scan_number
    }

    /// Runs a function while another clause of the innermost block is bound.
    pub fn in_clause<T>(
        &mut self,
        clause: Clause,
        f: impl FnOnce(&mut Self) -> BindResult<T>,
    ) -> BindResult<T> {
        let before = std::mem::replace(&mut self.block().clause, clause);
        let result = f(self);
        self.block().clause = before;
        result
    }

    /// Runs a function in another environment of names.
    pub fn in_env<T>(
        &mut self,
        env: Env,
        f: impl FnOnce(&mut Self) -> BindResult<T>,
    ) -> BindResult<T> {
        let before = std::mem::replace(&mut self.env, env);
        self.expansions += 1;
        let result = f(self);
        self.expansions -= 1;
        self.env = before;
        result
    }

    /// The environment of a view, function or definition in a database: it sees no block and no
    /// variable. Error 217 when they nest too deeply.
    pub fn module_env(&mut self, database: DbId, schema: SchemaId) -> BindResult<Env> {
        let catalog = self.schema_of(database)?;
        if self.env.depth == VIEW_DEPTH_MAX {
            let error = SqlError::new(&message::NESTING_LEVEL_EXCEEDED, &[&VIEW_DEPTH_MAX]);
            return Err(error.into());
        }
        Ok(Env {
            database,
            schema: catalog,
            default_schema: schema,
            base: self.blocks.len(),
            variables: Variables::None,
            ctes: Vec::new(),
            namespaces: Rc::default(),
            depth: self.env.depth + 1,
            through: None,
            inherited: Inherited::default(),
            system_time: None,
            ansi_nulls: true,
            quoted_identifier: true,
            internal: false,
        })
    }

    /// The schema of a database. Error 911: the database does not exist.
    pub fn schema_of(&mut self, database: DbId) -> SqlResult<Arc<Schema>> {
        if database == self.env.database {
            return Ok(self.env.schema.clone());
        }
        let schema = self.names.schema(database);
        let schema = schema.ok_or_else(|| no_database(self.names, database))?;
        self.note_schema(database, &schema);
        Ok(schema)
    }

    fn note_schema(&mut self, database: DbId, schema: &Schema) {
        let default = self.names.default_schema(database);
        let noted = (database, schema.version(), default);
        if !self.dependencies.schemas.contains(&noted) {
            self.dependencies.schemas.push(noted);
        }
    }

    /// Notes that the statement depends on an object.
    pub fn note_object(&mut self, database: DbId, schema: &Schema, object: ObjectId) {
        let version = schema.object_version(object).unwrap_or(0);
        let noted = ObjectDependency { database, object, version };
        if !self.dependencies.objects.contains(&noted) {
            self.dependencies.objects.push(noted);
        }
    }

    /// Notes a permission that the user needs on an object.
    pub fn note_access(&mut self, database: DbId, object: ObjectId, permission: Permission) {
        self.note_columns(database, object, permission, Vec::new());
    }

    /// Notes a permission that the user needs on columns. What the server's own views read is not
    /// noted, since no user needs a permission for it.
    pub fn note_columns(
        &mut self,
        database: DbId,
        object: ObjectId,
        permission: Permission,
        columns: Vec<ColumnId>,
    ) {
        let through = self.env.through;
        let is_own = through == Some((database, object));
        if !is_own && (self.env.depth == 0 || through.is_some()) {
            let access = Access { database, object, permission, columns, through };
            self.facts.add_access(access);
        }
    }

    /// Notes that a table is read with these options.
    pub fn note_table(&mut self, database: DbId, table: &TableDef, options: &ReadOptions) {
        if !self.facts.databases.contains(&database) {
            self.facts.databases.push(database);
        }
        if table.kind == TableKind::MemorySchemaOnly || database == DbId::TEMPDB {
            self.facts.unlogged = true;
        }
        if table.kind.is_memory_optimized() {
            self.facts.memory_optimized = true;
            match options.isolation {
                None => self.facts.memory_optimized_unhinted = true,
                level => raise(&mut self.facts.memory_optimized_level, level),
            }
        } else if database != DbId::TEMPDB {
            self.facts.disk = true;
            let unusual = |level: &Isolation| *level != Isolation::ReadCommitted;
            raise(&mut self.facts.disk_level, options.isolation.filter(unusual));
        }
        if let Some(mentions) = &mut self.mentions {
            mentions.reads_data = true;
        }
    }

    /// Notes that a table is written.
    pub fn note_written(&mut self, database: DbId, table: &TableDef) {
        self.note_table(database, table, &ReadOptions::default());
        if !self.facts.written.contains(&database) {
            self.facts.written.push(database);
        }
    }
}

fn raise(level: &mut Option<Isolation>, to: Option<Isolation>) {
    *level = (*level).max(to);
}

/// Error 911: the database does not exist.
fn no_database(names: &dyn Names, database: DbId) -> SqlError {
    SqlError::new(&message::DATABASE_NOT_FOUND, &[&names.database_name(database)])
}
