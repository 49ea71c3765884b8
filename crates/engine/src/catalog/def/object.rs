//! What all objects share, and the small kinds of object.

use base::ids::ObjectId;
use base::{SqlType, Value};

use super::{ColumnId, DateTime, Name, PrincipalId, SchemaId, UserTypeId, coded};

coded! {
    /// The kinds of things that have an object id, with SQL Server's two-letter codes.
    ObjectKind: &'static str {
        /// A user's table.
        Table = "U" "USER_TABLE",
        /// The hidden table behind a table type.
        TypeTable = "TT" "TYPE_TABLE",
        /// A table that the server keeps for itself.
        InternalTable = "IT" "INTERNAL_TABLE",
        /// A view.
        View = "V" "VIEW",
        /// A stored procedure.
        Procedure = "P" "SQL_STORED_PROCEDURE",
        /// A scalar function.
        ScalarFunction = "FN" "SQL_SCALAR_FUNCTION",
        /// A table-valued function that is a single `SELECT`.
        InlineFunction = "IF" "SQL_INLINE_TABLE_VALUED_FUNCTION",
        /// A table-valued function that fills a table variable.
        TableFunction = "TF" "SQL_TABLE_VALUED_FUNCTION",
        /// A trigger on a table or view.
        Trigger = "TR" "SQL_TRIGGER",
        /// A sequence.
        Sequence = "SO" "SEQUENCE_OBJECT",
        /// A synonym.
        Synonym = "SN" "SYNONYM",
        /// A security policy.
        SecurityPolicy = "SP" "SECURITY_POLICY",
        /// A rule.
        Rule = "R" "RULE",
        /// A default constraint, or a default that is bound to columns.
        Default = "D" "DEFAULT_CONSTRAINT",
        /// A check constraint.
        Check = "C" "CHECK_CONSTRAINT",
        /// A foreign key.
        ForeignKey = "F" "FOREIGN_KEY_CONSTRAINT",
        /// A primary key.
        PrimaryKey = "PK" "PRIMARY_KEY_CONSTRAINT",
        /// A unique constraint.
        Unique = "UQ" "UNIQUE_CONSTRAINT",
    }
}

impl ObjectKind {
    /// Whether objects of this kind live inside a table and go with it, defaults that are bound to
    /// columns excepted.
    pub const fn is_constraint(self) -> bool {
        use ObjectKind::*;
        matches!(self, Default | Check | ForeignKey | PrimaryKey | Unique)
    }
}

/// What every object of a schema has.
#[derive(Clone, PartialEq, Debug)]
pub struct ObjectHeader {
    /// The id, `OBJECT_ID()`.
    pub id: ObjectId,
    /// The schema it is in.
    pub schema: SchemaId,
    /// The name, unique within the schema.
    pub name: Name,
    /// The owner if it is not the schema's, `principal_id`.
    pub owner: Option<PrincipalId>,
    /// `create_date`.
    pub created: DateTime,
    /// `modify_date`.
    pub modified: DateTime,
    /// Whether the server itself made it, `is_ms_shipped`.
    pub ms_shipped: bool,
}

/// What every constraint has. A constraint is in the schema of its table.
#[derive(Clone, PartialEq, Debug)]
pub struct ConstraintHeader {
    /// The id, `OBJECT_ID()`.
    pub id: ObjectId,
    /// The name, unique within the schema.
    pub name: Name,
    /// Whether the server chose the name.
    pub system_named: bool,
    /// `create_date`.
    pub created: DateTime,
    /// `modify_date`.
    pub modified: DateTime,
}

coded! {
    /// What a [`Reference`] points to, `referenced_class`.
    ReferenceClass: u8 {
        /// A table, view, function, procedure, sequence or synonym, or a column of one.
        Object = 1 "OBJECT_OR_COLUMN",
        /// An alias or table type.
        Type = 6 "TYPE",
        /// An XML schema collection.
        XmlCollection = 10 "XML_SCHEMA_COLLECTION",
    }
}

/// One row of `sys.sql_expression_dependencies`: what a definition's text mentions.
#[derive(Clone, PartialEq, Debug)]
pub struct Reference {
    /// The kind of thing mentioned.
    pub class: ReferenceClass,
    /// The server part of the name, if it was written.
    pub server: Option<Name>,
    /// The database part of the name, if it was written.
    pub database: Option<Name>,
    /// The schema part of the name, if it was written.
    pub schema: Option<Name>,
    /// The name itself.
    pub name: Name,
    /// The object or type in this database that was found when the definition was made.
    pub id: Option<i32>,
    /// One column of that object, for schema-bound references.
    pub column: Option<ColumnId>,
    /// Whether what is mentioned cannot be dropped or changed while the mention stays: `WITH
    /// SCHEMABINDING`, and whatever constraints and computed columns use.
    pub schema_bound: bool,
    /// Whether the name is resolved by the caller's default schema, when it is called.
    pub caller_dependent: bool,
    /// Whether it could also be a method or a column of a type.
    pub ambiguous: bool,
}

/// A sequence. Its current value is a counter of the engine, not of the catalog.
#[derive(Clone, PartialEq, Debug)]
pub struct SequenceDef {
    /// Id, schema, name and dates.
    pub header: ObjectHeader,
    /// An integer type, or `decimal` with scale 0.
    pub ty: SqlType,
    /// The type as declared, an alias perhaps.
    pub user_type: UserTypeId,
    /// The first value, and the value after a restart.
    pub start: i128,
    /// How often it was restarted: a definition with another number starts anew.
    pub restarts: u32,
    /// Added for each value; not 0.
    pub increment: i128,
    /// The smallest value.
    pub minimum: i128,
    /// The largest value.
    pub maximum: i128,
    /// Whether it starts anew at the other end, rather than failing with 11728.
    pub cycle: bool,
    /// How many values are taken from the log at once.
    pub cache: SequenceCache,
}

/// The `CACHE` option of a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SequenceCache {
    /// `NO CACHE`.
    None,
    /// `CACHE`, the server chooses.
    Default,
    /// `CACHE n`.
    Size(i32),
}

/// Another name for an object, here or elsewhere.
#[derive(Clone, PartialEq, Debug)]
pub struct SynonymDef {
    /// Id, schema, name and dates.
    pub header: ObjectHeader,
    /// The name it stands for, quoted with brackets, of up to four parts: `base_object_name`.
    pub base: Name,
}

/// The securable or thing that an extended property or a permission is about: `class`,
/// `major_id`, `minor_id` as in the system views.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Securable {
    /// The kind of thing.
    pub class: SecurableClass,
    /// Its id; 0 for the database or the server.
    pub major: i32,
    /// The column, index or parameter within it; 0 for the whole.
    pub minor: i32,
}

coded! {
    /// `class` of permissions and extended properties.
    SecurableClass: u8 {
        /// The database itself.
        Database = 0 "DATABASE",
        /// An object, or a column of one.
        Object = 1 "OBJECT_OR_COLUMN",
        /// A parameter (extended properties only).
        Parameter = 2 "PARAMETER",
        /// A schema.
        Schema = 3 "SCHEMA",
        /// A database principal.
        DatabasePrincipal = 4 "DATABASE_PRINCIPAL",
        /// A type.
        Type = 6 "TYPE",
        /// An index (extended properties only).
        Index = 7 "INDEX",
        /// A column of a table type (extended properties only).
        TypeColumn = 8 "TYPE_COLUMN",
        /// An XML schema collection.
        XmlCollection = 10 "XML_SCHEMA_COLLECTION",
        /// A filegroup (extended properties only).
        DataSpace = 20 "DATASPACE",
        /// A file (extended properties only).
        DatabaseFile = 22 "DATABASE_FILE",
        /// The server.
        Server = 100 "SERVER",
        /// A server principal.
        ServerPrincipal = 101 "SERVER_PRINCIPAL",
        /// An endpoint.
        Endpoint = 105 "ENDPOINT",
    }
}

/// The extended properties of one thing: rows of `sys.extended_properties`.
#[derive(Clone, PartialEq, Debug)]
pub struct PropertySet {
    /// What they describe.
    pub target: Securable,
    /// The properties, in the order of their creation; never empty in a schema.
    pub properties: Vec<ExtendedProperty>,
}

/// One extended property.
#[derive(Clone, PartialEq, Debug)]
pub struct ExtendedProperty {
    /// Its name, unique for the target.
    pub name: Name,
    /// Its value: NULL or a variant.
    pub value: Value,
}
