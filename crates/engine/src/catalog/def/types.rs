//! Types that users declare, and the built-in ones as `sys.types` lists them.

use base::SqlType;
use base::ids::ObjectId;

use super::{Name, PrincipalId, SchemaId, UserTypeId};

/// An alias type or a table type.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeDef {
    /// The id, `user_type_id`.
    pub id: UserTypeId,
    /// The schema it is in.
    pub schema: SchemaId,
    /// The name, unique among the types of the schema.
    pub name: Name,
    /// The owner if it is not the schema's.
    pub owner: Option<PrincipalId>,
    /// Alias or table.
    pub kind: TypeDefKind,
}

/// What a type stands for.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeDefKind {
    /// `CREATE TYPE … FROM`.
    Alias {
        /// The type it is another name for.
        ty: SqlType,
        /// Whether columns of it may be NULL unless they say otherwise.
        nullable: bool,
    },
    /// `CREATE TYPE … AS TABLE`.
    Table {
        /// The hidden table with its columns and indexes, `type_table_object_id`.
        table: ObjectId,
    },
}
