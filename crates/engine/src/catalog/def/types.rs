//! Types that users declare, and the built-in ones as `sys.types` lists them.

use std::sync::{Arc, OnceLock};

use base::ids::ObjectId;
use base::xml::schema::Collection;
use base::{Pace, SqlResult, SqlType};

use super::{
    BoundDefault, BoundRule, DateTime, Name, PrincipalId, SchemaId, UserTypeId, XmlCollectionId,
};

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
        /// The default that new columns of it get.
        default: Option<BoundDefault>,
        /// The rule that new columns of it get.
        rule: Option<BoundRule>,
    },
    /// `CREATE TYPE … AS TABLE`.
    Table {
        /// The hidden table with its columns and indexes, `type_table_object_id`.
        table: ObjectId,
    },
}

/// An XML schema collection.
#[derive(Clone, PartialEq, Debug)]
pub struct XmlCollectionDef {
    /// The id.
    pub id: XmlCollectionId,
    /// The schema it is in.
    pub schema: SchemaId,
    /// The name, unique among the collections of the schema.
    pub name: Name,
    /// The owner if it is not the schema's.
    pub owner: Option<PrincipalId>,
    /// `create_date`.
    pub created: DateTime,
    /// `modify_date`.
    pub modified: DateTime,
    /// The schemas as they were given: one text of the type xml for each statement.
    pub texts: Vec<Name>,
    /// What is made of them; it does not lie in the row.
    pub compiled: Compiled,
}

/// Schemas that are ready for use, once they were needed.
#[derive(Clone, Debug, Default)]
pub struct Compiled(OnceLock<Arc<Collection>>);

impl PartialEq for Compiled {
    /// It follows from the texts.
    fn eq(&self, _: &Compiled) -> bool {
        true
    }
}

impl From<Collection> for Compiled {
    fn from(made: Collection) -> Compiled {
        Compiled(OnceLock::from(Arc::new(made)))
    }
}

impl XmlCollectionDef {
    /// The schemas, ready for use. They were compiled before, so that only an end of the statement
    /// is an error.
    pub fn collection(&self, pace: &dyn Pace) -> SqlResult<Arc<Collection>> {
        if let Some(made) = self.compiled.0.get() {
            return Ok(made.clone());
        }
        let texts: Vec<&str> = self.texts.iter().map(|text| &**text).collect();
        let made = Arc::new(Collection::compile(&texts, None, pace)?);
        Ok(self.compiled.0.get_or_init(|| made).clone())
    }
}
