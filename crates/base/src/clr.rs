//! The types that SQL Server has of its own in the assembly `Microsoft.SqlServer.Types`: what they
//! are called there, and how their methods fail.
//!
//! Names of members are compared as they are: `ToString` is not `tostring`. Which members a type
//! has, and what each of them computes, is known to the binder and to the library of functions.

use std::fmt;

use crate::error::SqlError;
use crate::message;
use crate::types::TypeKind;

/// The assembly of all these types.
pub const ASSEMBLY: &str = "Microsoft.SqlServer.Types";

/// The name, version and key of the assembly.
pub const ASSEMBLY_FULL_NAME: &str = "microsoft.sqlserver.types, version=15.0.0.0, \
     culture=neutral, publickeytoken=89845dcd8080cc91, processorarchitecture=msil";

impl TypeKind {
    /// The class of a CLR type; `None` of another type.
    pub const fn clr_class(self) -> Option<&'static str> {
        match self {
            TypeKind::HierarchyId => Some("Microsoft.SqlServer.Types.SqlHierarchyId"),
            TypeKind::Geometry => Some("Microsoft.SqlServer.Types.SqlGeometry"),
            TypeKind::Geography => Some("Microsoft.SqlServer.Types.SqlGeography"),
            _ => None,
        }
    }

    /// The class with its assembly, as clients find it.
    pub fn assembly_qualified_name(self) -> Option<String> {
        let class = self.clr_class()?;
        Some(format!(
            "{class}, {ASSEMBLY}, Version=11.0.0.0, Culture=neutral, \
             PublicKeyToken=89845dcd8080cc91"
        ))
    }
}

/// Error 6522: what a method of a type has thrown.
#[cold]
pub fn exception(
    routine: &str,
    class: &str,
    text: &dyn fmt::Display,
    method: &dyn fmt::Display,
) -> SqlError {
    let thrown = format!("\r\n{class}: {text}\r\n{class}: \r\n   at {method}\r\n");
    SqlError::new(&message::CLR_EXCEPTION, &[&routine, &thrown])
}
