//! What the server itself provides in every database.

use base::SqlResult;
use base::ids::{DbId, ObjectId};
use engine::wait::Task;

use super::State;
use crate::bind::context::SystemObject;
use crate::func::facts;
use crate::interp::local::LocalTable;
use crate::sysview::{FillContext, SystemRowset};

/// An object by schema and name; without a schema, by the rules for unqualified names.
pub fn described(_: Option<&str>, _: &str) -> Option<facts::SystemObject> {
    None
}

/// An object by its negative id.
pub fn described_by_id(_: ObjectId) -> Option<facts::SystemObject> {
    None
}

/// What a name means to the binder.
pub fn find(_: Option<&str>, _: &str) -> Option<SystemObject> {
    None
}

/// Adds the rows of a system view.
pub fn fill(
    _: &mut State,
    _: &Task,
    _: DbId,
    view: &'static SystemRowset,
    rows: &mut LocalTable,
) -> SqlResult<()> {
    let mut made = Vec::new();
    (view.fill)(&mut FillContext { rows: &mut made })?;
    made.iter().for_each(|row| drop(rows.push(row)));
    Ok(())
}
