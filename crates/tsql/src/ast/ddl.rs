//! Schemas, types, sequences, synonyms, and `DROP`.

use std::sync::Arc;

use super::{
    Condition, CreateAction, DataType, Expr, Ident, ObjectName, Span, Statement, TableDefinition,
    TriggerTarget,
};

/// `CREATE SCHEMA`.
#[derive(Clone, Debug)]
pub struct CreateSchema {
    /// Its name; the owner's when missing.
    pub name: Option<Ident>,
    /// `AUTHORIZATION`.
    pub owner: Option<Ident>,
    /// Tables, views and grants created with it.
    pub elements: Vec<Statement>,
}

/// `ALTER SCHEMA name TRANSFER object`.
#[derive(Clone, Debug)]
pub struct AlterSchema {
    /// The schema that receives it.
    pub name: Ident,
    /// `OBJECT::` and the like.
    pub class: Option<super::SecurableClass>,
    /// What moves.
    pub object: ObjectName,
}

/// `CREATE TYPE`.
#[derive(Clone, Debug)]
pub struct CreateType {
    /// Its name.
    pub name: ObjectName,
    /// What it is.
    pub kind: CreateTypeKind,
}

/// What a user's type is.
#[derive(Clone, Debug)]
pub enum CreateTypeKind {
    /// `FROM type`.
    Alias {
        /// The base type.
        ty: DataType,
        /// `NULL` or `NOT NULL`.
        nullable: Option<bool>,
    },
    /// `AS TABLE (…)`.
    Table(Box<TableDefinition>),
}

/// `CREATE SEQUENCE` and `ALTER SEQUENCE`.
#[derive(Clone, Debug)]
pub struct SequenceStatement {
    /// `Create` or `Alter`.
    pub action: CreateAction,
    /// Its name.
    pub name: ObjectName,
    /// The options in order.
    pub options: Vec<SequenceOption>,
}

/// An option of a sequence. Numbers are as written, with their signs.
#[derive(Clone, Debug)]
pub struct SequenceOption {
    /// Where it stands.
    pub span: Span,
    /// Which.
    pub kind: SequenceOptionKind,
}

/// The options of a sequence.
#[derive(Clone, Debug)]
pub enum SequenceOptionKind {
    /// `AS type`.
    Type(DataType),
    /// `START WITH n`.
    Start(Box<str>),
    /// `RESTART [WITH n]`.
    Restart(Option<Box<str>>),
    /// `INCREMENT BY n`.
    Increment(Box<str>),
    /// `MINVALUE n`, or `NO MINVALUE`.
    Min(Option<Box<str>>),
    /// `MAXVALUE n`, or `NO MAXVALUE`.
    Max(Option<Box<str>>),
    /// `CYCLE`, or `NO CYCLE`.
    Cycle(bool),
    /// `CACHE [n]`: with or without a size.
    Cache(Option<Box<str>>),
    /// `NO CACHE`.
    NoCache,
}

/// `CREATE RULE name AS condition`, `CREATE DEFAULT name AS value`.
#[derive(Clone, Debug)]
pub struct CreateBindable {
    /// Its name.
    pub name: ObjectName,
    /// Which of the two.
    pub kind: BindableKind,
}

/// What `sp_bindrule` and `sp_bindefault` bind.
#[derive(Clone, Debug)]
pub enum BindableKind {
    /// A rule.
    Rule {
        /// The variable that stands for the value; a definition without one is refused.
        variable: Option<Arc<str>>,
        /// The condition.
        condition: Condition,
    },
    /// A default.
    Default(Expr),
}

/// `CREATE SYNONYM`.
#[derive(Clone, Debug)]
pub struct CreateSynonym {
    /// Its name.
    pub name: ObjectName,
    /// What it stands for.
    pub target: ObjectName,
}

/// `CREATE XML SCHEMA COLLECTION name AS …` and `ALTER XML SCHEMA COLLECTION name ADD …`.
#[derive(Clone, Debug)]
pub struct XmlCollectionStatement {
    /// `Create` or `Alter`.
    pub action: CreateAction,
    /// Its name.
    pub name: ObjectName,
    /// The schemas: a literal or a variable.
    pub schemas: Expr,
}

/// `DROP` of things that are named alone.
#[derive(Clone, Debug)]
pub struct DropStatement {
    /// What kind of thing.
    pub kind: DropKind,
    /// `IF EXISTS`.
    pub if_exists: bool,
    /// Which; never empty.
    pub names: Vec<ObjectName>,
}

/// What `DROP` drops.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum DropKind {
    Database,
    Default,
    Function,
    Login,
    Procedure,
    Role,
    ApplicationRole,
    Rule,
    Schema,
    SecurityPolicy,
    Sequence,
    ServerRole,
    Synonym,
    Table,
    Type,
    User,
    View,
    XmlSchemaCollection,
}

/// `DROP TRIGGER`.
#[derive(Clone, Debug)]
pub struct DropTrigger {
    /// `IF EXISTS`.
    pub if_exists: bool,
    /// Which; never empty.
    pub names: Vec<ObjectName>,
    /// `ON DATABASE`, `ON ALL SERVER`; a table's when missing.
    pub target: Option<TriggerTarget>,
}
