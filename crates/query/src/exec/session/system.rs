//! What the server itself provides in every database.

use base::ids::ObjectId;

use crate::func::facts::SystemObject;

/// An object by schema and name; without a schema, by the rules for unqualified names.
pub fn described(_: Option<&str>, _: &str) -> Option<SystemObject> {
    None
}

/// An object by its negative id.
pub fn described_by_id(_: ObjectId) -> Option<SystemObject> {
    None
}
