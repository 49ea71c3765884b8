//! The members of CLR types, as the binder finds them, and the functions of the library that they
//! are.
//!
//! A call of a member becomes a call of its function, whose first argument is the value unless the
//! member is static. No text can call the function by its name.

use base::{SqlType, TypeKind};

/// A method or property of a CLR type.
#[derive(Debug)]
pub struct Member {
    /// Its name, of which case matters.
    pub name: &'static str,
    /// The function of the library.
    pub function: &'static str,
    /// It belongs to the type, not to a value.
    pub is_static: bool,
    /// The types of its arguments; `None` for a property.
    pub arguments: Option<&'static [SqlType]>,
}

/// What the names of the functions begin with.
const PREFIXES: [&str; 1] = ["HIERARCHYID "];

/// Whether a function is one of a member, which a text can quote, but not call.
pub fn is_internal(name: &str) -> bool {
    PREFIXES.iter().any(|prefix| {
        name.get(..prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
    })
}

/// The members of a type; none if it is no CLR type.
pub fn members(kind: TypeKind) -> &'static [Member] {
    match kind {
        TypeKind::HierarchyId => HIERARCHYID,
        _ => &[],
    }
}

/// The names of the functions of hierarchyid.
pub mod hierarchyid {
    /// `GetAncestor(levels)`
    pub const GET_ANCESTOR: &str = "HIERARCHYID GETANCESTOR";
    /// `GetDescendant(child, child)`
    pub const GET_DESCENDANT: &str = "HIERARCHYID GETDESCENDANT";
    /// `GetLevel()`
    pub const GET_LEVEL: &str = "HIERARCHYID GETLEVEL";
    /// `GetReparentedValue(old, new)`
    pub const GET_REPARENTED: &str = "HIERARCHYID GETREPARENTEDVALUE";
    /// `GetRoot()`
    pub const GET_ROOT: &str = "HIERARCHYID GETROOT";
    /// `IsDescendantOf(node)`
    pub const IS_DESCENDANT: &str = "HIERARCHYID ISDESCENDANTOF";
    /// `Parse(text)`
    pub const PARSE: &str = "HIERARCHYID PARSE";
    /// `ToString()`
    pub const TO_STRING: &str = "HIERARCHYID TOSTRING";
    /// A bound above all that `IsDescendantOf` is true of; no member.
    pub const DESCENDANT_LIMIT: &str = "HIERARCHYID DESCENDANTLIMIT";
}

const NODE: SqlType = SqlType::hierarchyid();

const fn method(
    name: &'static str,
    function: &'static str,
    arguments: &'static [SqlType],
) -> Member {
    Member { name, function, is_static: false, arguments: Some(arguments) }
}

const fn of_type(mut member: Member) -> Member {
    member.is_static = true;
    member
}

/// The text that `Parse` takes; its collation does not matter.
const TEXT: SqlType = SqlType::nvarchar_max(base::Collation::DEFAULT);

static HIERARCHYID: &[Member] = &[
    method("GetAncestor", hierarchyid::GET_ANCESTOR, &[SqlType::int()]),
    method("GetDescendant", hierarchyid::GET_DESCENDANT, &[NODE, NODE]),
    method("GetLevel", hierarchyid::GET_LEVEL, &[]),
    method("GetReparentedValue", hierarchyid::GET_REPARENTED, &[NODE, NODE]),
    method("IsDescendantOf", hierarchyid::IS_DESCENDANT, &[NODE]),
    method("ToString", hierarchyid::TO_STRING, &[]),
    of_type(method("GetRoot", hierarchyid::GET_ROOT, &[])),
    of_type(method("Parse", hierarchyid::PARSE, &[TEXT])),
];

#[cfg(test)]
mod tests;
