//! Definitions: what the catalog knows of every kind of thing that has a name.
//!
//! A definition is plain, immutable data. It is written to and rebuilt from rows of the system
//! tables (`catalog::system_tables`), and it is what binder, DDL and system views look at, held in
//! a [`crate::catalog::Schema`]. Definitions name each other by id, never by pointer, so that each
//! can be replaced alone.
//!
//! Fields marked *derived* are not stored: the schema computes them from other definitions.

mod database;
mod module;
mod object;
mod policy;
mod security;
mod table;
mod types;

pub use database::*;
pub use module::*;
pub use object::*;
pub use policy::*;
pub use security::*;
pub use table::*;
pub use types::*;

use std::fmt;
use std::sync::Arc;

/// A name as it was written. Names are compared by the database's collation, see
/// [`crate::catalog::NameKey`].
pub type Name = Arc<str>;

/// The type of `create_date` and `modify_date`.
pub use base::value::DateTime;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(pub i32);

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

id! {
    /// A schema, as `SCHEMA_ID()` shows it.
    SchemaId
}
id! {
    /// A database principal, or in master's server lists a server principal.
    PrincipalId
}
id! {
    /// A column within its table or view, from 1; never used again after a drop.
    ColumnId
}
id! {
    /// An index within its table: 1 is the clustered one, the others count from 2.
    IndexId
}
id! {
    /// A type, as `TYPE_ID()` shows it: up to 256 built in, users' own from 257.
    UserTypeId
}
id! {
    /// An XML schema collection, `xml_collection_id`: 65536 and more.
    XmlCollectionId
}
id! {
    /// A filegroup, `data_space_id`.
    DataSpaceId
}
id! {
    /// A file within its database.
    FileId
}

impl SchemaId {
    /// Where the names of triggers on the server are: in no schema, and in master alone.
    pub const SERVER_TRIGGERS: SchemaId = SchemaId(-1);
    /// Where the names of triggers on the database are: in no schema.
    pub const DATABASE_TRIGGERS: SchemaId = SchemaId(0);
    /// The schema `dbo`.
    pub const DBO: SchemaId = SchemaId(1);
    /// The schema `guest`.
    pub const GUEST: SchemaId = SchemaId(2);
    /// The schema `INFORMATION_SCHEMA`.
    pub const INFORMATION_SCHEMA: SchemaId = SchemaId(3);
    /// The schema `sys`.
    pub const SYS: SchemaId = SchemaId(4);
    /// The first id of a schema that a user creates.
    pub const FIRST_USER: SchemaId = SchemaId(5);
}

impl UserTypeId {
    /// `sysname`: `nvarchar(128) NOT NULL`.
    pub const SYSNAME: UserTypeId = UserTypeId(256);
    /// The first id of a type that a user creates.
    pub const FIRST_USER: UserTypeId = UserTypeId(257);
}

impl XmlCollectionId {
    /// The collection `sys.sys`, of what is built in.
    pub const SYS: XmlCollectionId = XmlCollectionId(1);
    /// The id below the first one.
    const BEFORE_FIRST: i32 = 0xFFFF;

    /// The collection of a number from 1 on, by which types name it.
    pub const fn of_number(number: u16) -> XmlCollectionId {
        XmlCollectionId(XmlCollectionId::BEFORE_FIRST + number as i32)
    }

    /// The number by which types name it.
    pub const fn number(self) -> u16 {
        (self.0 - XmlCollectionId::BEFORE_FIRST) as u16
    }
}

impl DataSpaceId {
    /// The filegroup `PRIMARY`.
    pub const PRIMARY: DataSpaceId = DataSpaceId(1);
}

/// Declares an enum whose variants have SQL Server's code and description.
macro_rules! coded {
    (
        $(#[$doc:meta])*
        $name:ident: $code:ty {
            $($(#[$variant_doc:meta])* $variant:ident = $value:literal $text:literal,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// Every variant.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// The code that the system views show.
            pub const fn code(self) -> $code {
                match self {
                    $($name::$variant => $value,)*
                }
            }

            /// The description that the system views show (`…_desc`).
            pub const fn description(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }

            /// The variant with this code.
            pub fn from_code(code: $code) -> Option<$name> {
                $name::ALL.iter().copied().find(|v| v.code() == code)
            }
        }
    };
}
use coded;
