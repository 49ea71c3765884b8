//! The members of CLR types, as the binder finds them, and the functions of the library that they
//! are.
//!
//! A call of a member becomes a call of its function, whose first argument is the value unless the
//! member is static. No text can call the function by its name.

pub mod spatial;

use base::{SqlResult, SqlType, TypeKind};

use super::descriptor::Inferred;
use super::signature::Call;

/// A method or property of a CLR type.
#[derive(Debug)]
pub struct Member {
    /// Its name, of which case matters.
    pub name: &'static str,
    /// The function of the library. That of an aggregate takes what was collected, see
    /// [`spatial::collect`].
    pub function: &'static str,
    /// What it belongs to.
    pub kind: MemberKind,
    /// The types of its arguments; `None` for a property.
    pub arguments: Option<&'static [SqlType]>,
    /// The type of its result.
    pub result: SqlType,
    /// The function of the library that gives a value another value of the property. It also takes
    /// the text by which messages name the value.
    pub setter: Option<&'static str>,
}

/// What a member belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemberKind {
    /// A value.
    Instance,
    /// The type.
    Static,
    /// The type; its argument are the values of many rows.
    Aggregate,
}

/// What the names of the functions begin with.
const PREFIXES: [&str; 4] = ["HIERARCHYID ", "GEOMETRY ", "GEOGRAPHY ", "SPATIAL "];

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
        TypeKind::Geometry => spatial::GEOMETRY,
        TypeKind::Geography => spatial::GEOGRAPHY,
        _ => &[],
    }
}

/// The types of a call of a member's function.
pub fn types_of_member(call: &Call<'_>) -> SqlResult<Inferred> {
    let found = CLR_KINDS.iter().find_map(|kind| {
        let member = members(*kind).iter().find(|member| member.function == call.name)?;
        Some((*kind, member))
    });
    let (kind, member) = found.ok_or_else(|| crate::internal("a function of a member"))?;
    let ty = member.result.with_collation(call.collation);
    let own = SqlType::of_kind(kind, call.collation);
    let mut args = Vec::with_capacity(call.args.len());
    match member.kind {
        MemberKind::Aggregate => args.push(SqlType::varbinary_max()),
        MemberKind::Static => args.extend_from_slice(member.arguments.unwrap_or_default()),
        MemberKind::Instance => {
            args.push(own);
            args.extend_from_slice(member.arguments.unwrap_or_default());
        }
    }
    match args.len() == call.args.len() {
        true => Ok(call.types(ty, &args)),
        false => Err(crate::internal("the binder counts the arguments of a member")),
    }
}

const CLR_KINDS: [TypeKind; 3] = [TypeKind::HierarchyId, TypeKind::Geometry, TypeKind::Geography];

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
const FLAG: SqlType = SqlType::bit();

/// The text that `Parse` takes; its collation does not matter.
const TEXT: SqlType = SqlType::nvarchar_max(base::Collation::DEFAULT);

/// The text of a node.
const NODE_TEXT: SqlType =
    SqlType::nvarchar(base::hierarchy::UNITS_MAX as u16, base::Collation::DEFAULT);

const fn method(
    name: &'static str,
    function: &'static str,
    arguments: &'static [SqlType],
    result: SqlType,
) -> Member {
    let kind = MemberKind::Instance;
    Member { name, function, kind, arguments: Some(arguments), result, setter: None }
}

const fn property(name: &'static str, function: &'static str, result: SqlType) -> Member {
    let kind = MemberKind::Instance;
    Member { name, function, kind, arguments: None, result, setter: None }
}

const fn of_type(mut member: Member) -> Member {
    member.kind = MemberKind::Static;
    member
}

static HIERARCHYID: &[Member] = &[
    method("GetAncestor", hierarchyid::GET_ANCESTOR, &[SqlType::int()], NODE),
    method("GetDescendant", hierarchyid::GET_DESCENDANT, &[NODE, NODE], NODE),
    method("GetLevel", hierarchyid::GET_LEVEL, &[], SqlType::smallint()),
    method("GetReparentedValue", hierarchyid::GET_REPARENTED, &[NODE, NODE], NODE),
    method("IsDescendantOf", hierarchyid::IS_DESCENDANT, &[NODE], FLAG),
    method("ToString", hierarchyid::TO_STRING, &[], NODE_TEXT),
    of_type(method("GetRoot", hierarchyid::GET_ROOT, &[], NODE)),
    of_type(method("Parse", hierarchyid::PARSE, &[TEXT], NODE)),
];

#[cfg(test)]
mod tests;
