//! The syntax tree: what a batch says, before names are resolved.
//!
//! # Shape
//!
//! A [`Batch`] is a list of [`Statement`]s. Scalars ([`Expr`]) and conditions ([`Condition`]) are
//! different types, as in T-SQL: a comparison has no value that could be selected, and a number is
//! not a condition. Whatever can be written in several ways but means the same (`ANY` and `SOME`,
//! `!=` and `<>`, `PROC` and `PROCEDURE`, parentheses) has one form here. What means the same only
//! once types are known (`CAST` and `CONVERT`) keeps its form.
//!
//! # Invariants
//!
//! * T1: every node has a [`Span`] of the text it was parsed from; a parent's span contains its
//!   children's.
//! * T2: no path from the root is longer than [`MAX_DEPTH`] expressions and statements. Long lists
//!   (`+`, `AND`, `OR`, `UNION`, `ELSE IF`, `IN`) are vectors, not chains. So what walks, prints or
//!   drops a tree needs no limit of its own; what takes more stack for a level than the parser does
//!   looks at what is left ([`base::stack`]).
//! * T3: names keep the spelling of the text, without quotes.

// Nodes are boxed where statements hold them, so the size of a rare variant costs nothing.
#![allow(clippy::large_enum_variant)]

mod admin;
mod cursor;
mod database;
mod ddl;
mod dml;
mod expr;
mod index;
mod module;
mod name;
mod policy;
mod procedural;
mod query;
mod security;
mod session;
mod table;
mod text;
mod transaction;
mod types;

pub use admin::*;
pub use cursor::*;
pub use database::*;
pub use ddl::*;
pub use dml::*;
pub use expr::*;
pub use index::*;
pub use module::*;
pub use name::*;
pub use policy::*;
pub use procedural::*;
pub use query::*;
pub use security::*;
pub use session::*;
pub use table::*;
pub use text::*;
pub use transaction::*;
pub use types::*;

/// How deep a tree may be (T2); beyond it the parser raises error 191.
pub const MAX_DEPTH: u32 = 1024;

/// What walking, copying, printing or dropping the deepest tree takes of the stack, at most.
pub const WALK_BYTES: usize =
    MAX_DEPTH as usize * if cfg!(debug_assertions) { 3 << 10 } else { 1 << 10 };

/// Where something stands in the text of its batch.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte, from 1, counted in bytes.
    pub column: u32,
}

impl Span {
    /// From the start of this to the end of that.
    #[must_use]
    pub fn to(self, end: Span) -> Span {
        Span { end: end.end.max(self.end), ..self }
    }

    /// The text, given the batch that was parsed.
    pub fn text(self, batch: &str) -> &str {
        batch.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// What a client sends at once, or the body of a module.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The whole text, leading and trailing comments included: what `sys.sql_modules` keeps of a
    /// batch that creates a module.
    pub span: Span,
    /// The statements in order. Stray semicolons leave nothing behind.
    pub statements: Vec<Statement>,
}

/// One statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// From its first word to its last, without the semicolon. Run-time errors report its line.
    pub span: Span,
    /// What it does.
    pub kind: StatementKind,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StatementKind {
    // Queries and changes of data: query.rs, dml.rs.
    /// `SELECT`, also one that assigns variables or creates a table.
    Select(Box<SelectStatement>),
    /// `INSERT`.
    Insert(Box<Insert>),
    /// `UPDATE`.
    Update(Box<Update>),
    /// `DELETE`.
    Delete(Box<Delete>),
    /// `MERGE`.
    Merge(Box<Merge>),
    /// `TRUNCATE TABLE`.
    TruncateTable(Box<TruncateTable>),
    /// `READTEXT`, `WRITETEXT`, `UPDATETEXT`.
    Text(Box<TextStatement>),
    /// `BULK INSERT … FROM 'file'`.
    BulkInsert(Box<BulkInsert>),
    /// `INSERT BULK`, which announces the wire's bulk load packets.
    InsertBulk(Box<InsertBulk>),

    // Control flow, variables and messages: procedural.rs.
    /// `BEGIN … END`.
    Block(Vec<Statement>),
    /// `BEGIN ATOMIC WITH (…) … END`, the body of a natively compiled module.
    AtomicBlock(Box<AtomicBlock>),
    /// `BEGIN TRY … END TRY BEGIN CATCH … END CATCH`.
    TryCatch(Box<TryCatch>),
    /// `IF … ELSE IF … ELSE …`.
    If(Box<If>),
    /// `WHILE`.
    While(Box<While>),
    /// `BREAK`.
    Break,
    /// `CONTINUE`.
    Continue,
    /// `RETURN`, with a status or a function's value.
    Return(Option<Box<Expr>>),
    /// `name:`.
    Label(Ident),
    /// `GOTO name`.
    Goto(Ident),
    /// `THROW`.
    Throw(Option<Box<Throw>>),
    /// `RAISERROR`.
    RaiseError(Box<RaiseError>),
    /// `PRINT`.
    Print(Box<Expr>),
    /// `WAITFOR`.
    WaitFor(Box<WaitFor>),
    /// `EXEC` in all its forms, and a bare procedure call.
    Execute(Box<Execute>),
    /// `DECLARE` of scalar, table and cursor variables.
    Declare(Vec<VariableDeclaration>),
    /// `SET @v = …`.
    SetVariable(Box<SetVariable>),

    // Cursors: cursor.rs.
    /// `DECLARE name CURSOR`.
    DeclareCursor(Box<DeclareCursor>),
    /// `SET @v = CURSOR …`.
    SetCursor(Box<SetCursor>),
    /// `OPEN`.
    OpenCursor(CursorRef),
    /// `FETCH`.
    Fetch(Box<Fetch>),
    /// `CLOSE`.
    CloseCursor(CursorRef),
    /// `DEALLOCATE`.
    DeallocateCursor(CursorRef),

    // Transactions: transaction.rs.
    /// `BEGIN TRANSACTION`.
    BeginTransaction(Box<BeginTransaction>),
    /// `COMMIT`.
    Commit(Box<Commit>),
    /// `ROLLBACK`.
    Rollback(Option<TransactionName>),
    /// `SAVE TRANSACTION`.
    SaveTransaction(TransactionName),

    // The session: session.rs.
    /// `SET` of an option.
    SetOption(Box<SetOption>),
    /// `USE`.
    Use(Ident),

    // Tables and indexes: table.rs, index.rs.
    /// `CREATE TABLE`.
    CreateTable(Box<CreateTable>),
    /// `ALTER TABLE`.
    AlterTable(Box<AlterTable>),
    /// `CREATE INDEX`.
    CreateIndex(Box<CreateIndex>),
    /// `CREATE XML INDEX`.
    CreateXmlIndex(Box<CreateXmlIndex>),
    /// `CREATE SPATIAL INDEX`.
    CreateSpatialIndex(Box<CreateSpatialIndex>),
    /// `ALTER INDEX`.
    AlterIndex(Box<AlterIndex>),
    /// `DROP INDEX`.
    DropIndex(Box<DropIndex>),
    /// `CREATE STATISTICS`.
    CreateStatistics(Box<CreateStatistics>),
    /// `UPDATE STATISTICS`.
    UpdateStatistics(Box<UpdateStatistics>),
    /// `DROP STATISTICS`.
    DropStatistics(Vec<ObjectName>),

    // Modules: module.rs.
    /// `CREATE`, `ALTER` or `CREATE OR ALTER` of a procedure, function, view or trigger.
    Module(Box<ModuleStatement>),
    /// `ENABLE TRIGGER` and `DISABLE TRIGGER`.
    ToggleTrigger(Box<ToggleTrigger>),

    // Other objects: ddl.rs.
    /// `CREATE SCHEMA`.
    CreateSchema(Box<CreateSchema>),
    /// `ALTER SCHEMA … TRANSFER`.
    AlterSchema(Box<AlterSchema>),
    /// `CREATE TYPE`.
    CreateType(Box<CreateType>),
    /// `CREATE SEQUENCE` and `ALTER SEQUENCE`.
    Sequence(Box<SequenceStatement>),
    /// `CREATE SYNONYM`.
    CreateSynonym(Box<CreateSynonym>),
    /// `CREATE RULE` and `CREATE DEFAULT`.
    CreateBindable(Box<CreateBindable>),
    /// `CREATE` and `ALTER XML SCHEMA COLLECTION`.
    XmlCollection(Box<XmlCollectionStatement>),
    /// `CREATE` and `ALTER SECURITY POLICY`: policy.rs.
    SecurityPolicy(Box<SecurityPolicyStatement>),
    /// `ADD` or `DROP SENSITIVITY CLASSIFICATION`.
    Sensitivity(Box<SensitivityStatement>),
    /// `DROP` of everything whose name says enough.
    Drop(Box<DropStatement>),
    /// `DROP TRIGGER`.
    DropTrigger(Box<DropTrigger>),

    // Databases: database.rs.
    /// `CREATE DATABASE`.
    CreateDatabase(Box<CreateDatabase>),
    /// `ALTER DATABASE`.
    AlterDatabase(Box<AlterDatabase>),
    /// `ALTER DATABASE SCOPED CONFIGURATION`.
    ScopedConfiguration(Box<ScopedConfiguration>),
    /// SAP ASE's `DISK INIT` of a device for a second log.
    DiskInit {
        /// The device's name.
        name: Box<str>,
    },

    // Principals and permissions: security.rs.
    /// `CREATE LOGIN` and `ALTER LOGIN`.
    Login(Box<LoginStatement>),
    /// `CREATE USER` and `ALTER USER`.
    User(Box<UserStatement>),
    /// `CREATE ROLE` and `ALTER ROLE`, of a database or of the server.
    Role(Box<RoleStatement>),
    /// `GRANT`, `DENY` and `REVOKE`.
    Permission(Box<PermissionStatement>),
    /// `ALTER AUTHORIZATION`.
    AlterAuthorization(Box<AlterAuthorization>),
    /// `EXECUTE AS` as a statement.
    ExecuteAs(Box<ExecuteAsStatement>),
    /// `REVERT`.
    Revert(Option<Box<Expr>>),

    // The server: admin.rs.
    /// `BACKUP` and `RESTORE`.
    Backup(Box<Backup>),
    /// `DBCC`.
    Dbcc(Box<Dbcc>),
    /// `KILL`.
    Kill(Box<Kill>),
    /// `CHECKPOINT`, with the duration in seconds that was asked for.
    Checkpoint(Option<Box<Expr>>),
    /// `RECONFIGURE`, with or without `WITH OVERRIDE`.
    Reconfigure {
        /// `WITH OVERRIDE`.
        with_override: bool,
    },
    /// `SHUTDOWN`.
    Shutdown {
        /// `WITH NOWAIT`.
        no_wait: bool,
    },
    /// `CREATE`, `ALTER` or `DROP` of a resource pool or workload group, and
    /// `ALTER RESOURCE GOVERNOR`.
    ResourceGovernor(Box<ResourceGovernor>),
    /// `ALTER SERVER CONFIGURATION`.
    ServerConfiguration(Box<ServerConfiguration>),
}
