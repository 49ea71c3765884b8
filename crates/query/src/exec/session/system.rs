//! What the server itself provides in every database.

use base::SqlResult;
use base::ids::{DbId, ObjectId};
use engine::catalog::def::ObjectKind;
use engine::wait::Task;

use super::State;
use crate::bind::context::SystemObject;
use crate::func::facts;
use crate::interp::local::LocalTable;
use crate::sysproc::{self, SystemProcedure};
use crate::sysview::{FillContext, SystemRowset};

/// An object by schema and name; without a schema, by the rules for unqualified names.
pub fn described(schema: Option<&str>, name: &str) -> Option<facts::SystemObject> {
    if schema.is_some_and(|s| !s.eq_ignore_ascii_case("sys") && !s.eq_ignore_ascii_case("dbo")) {
        return None;
    }
    sysproc::find(name).filter(|procedure| !procedure.internal).map(described_procedure)
}

fn described_procedure(procedure: &'static SystemProcedure) -> facts::SystemObject {
    facts::SystemObject {
        id: procedure.id,
        schema: "sys",
        name: procedure.name,
        kind: ObjectKind::Procedure,
    }
}

/// An object by its negative id.
pub fn described_by_id(id: ObjectId) -> Option<facts::SystemObject> {
    sysproc::find_by_id(id).map(described_procedure)
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
