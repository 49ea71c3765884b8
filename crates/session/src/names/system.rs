//! What the server itself provides in every database.

use std::fmt::Display;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, message};
use compile::bind::context::SystemObject;
use engine::catalog::def::{ObjectKind, Permission, Securable, SecurableClass};
use engine::wait::Task;
use ir::function::facts::{self, MetadataFacts};
use ir::rowset::RowsetId;
use run::interp::local::LocalTable;

use crate::session::SessionState;
use crate::session::authority::{denied_server_state, sees_server};
use crate::sysproc::{self, SystemProcedure};
use crate::sysview::{self, FillContext, Visibility};

/// An object by schema and name; without a schema, by the rules for unqualified names.
pub fn described(schema: Option<&str>, name: &str) -> Option<facts::SystemObject> {
    let of_view = match schema {
        // Without a schema, only the views of old are found.
        None => sysview::find(None, name).is_some().then_some("sys"),
        Some(schema) => Some(schema),
    };
    let same = |(place, view): &(&str, &str)| {
        view.eq_ignore_ascii_case(name)
            && of_view.is_some_and(|schema| place.eq_ignore_ascii_case(schema))
    };
    if let Some((schema, name)) = sysview::names().find(same) {
        return Some(described_view(schema, name));
    }
    if schema.is_some_and(|s| !s.eq_ignore_ascii_case("sys") && !s.eq_ignore_ascii_case("dbo")) {
        return None;
    }
    let in_sys = schema.is_some_and(|schema| schema.eq_ignore_ascii_case("sys"));
    let is_it = |own: &&&str| own.eq_ignore_ascii_case(name);
    if let Some(function) = sysview::FUNCTIONS.iter().find(is_it).filter(|_| in_sys) {
        return Some(described_function(function));
    }
    sysproc::find(name).filter(|procedure| !procedure.internal).map(described_procedure)
}

fn described_function(name: &'static str) -> facts::SystemObject {
    let id = ObjectId(sysview::id_of("sys", name));
    facts::SystemObject { id, schema: "sys", name, kind: ObjectKind::InlineFunction }
}

fn described_view(schema: &'static str, name: &'static str) -> facts::SystemObject {
    let id = ObjectId(sysview::id_of(schema, name));
    facts::SystemObject { id, schema, name, kind: ObjectKind::View }
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
    let of_procedure = || sysproc::find_by_id(id).map(described_procedure);
    let view = sysview::names().find(|(schema, name)| sysview::id_of(schema, name) == id.0);
    let function = sysview::FUNCTIONS.iter().find(|name| sysview::id_of("sys", name) == id.0);
    let of_function = || function.map(|name| described_function(name));
    view.map(|(schema, name)| described_view(schema, name))
        .or_else(of_function)
        .or_else(of_procedure)
}

/// The text of an object that is written in T-SQL, by its negative id.
pub fn definition(id: ObjectId) -> Option<String> {
    if id.0 >= 0 {
        return None;
    }
    let of_procedure = || {
        sysproc::find_by_id(id).filter(|own| !own.internal).map(|own| own.definition.to_string())
    };
    sysview::definition_of(id).or_else(of_procedure)
}

/// What a name means to the binder.
pub fn find(schema: Option<&str>, name: &str) -> Option<SystemObject> {
    sysview::find(schema, name)
}

/// Adds the rows of a system view. Errors 262 and 300 if the user may not read it.
pub fn fill(
    state: &mut SessionState,
    task: &Task,
    database: DbId,
    view: RowsetId,
    rows: &mut LocalTable,
) -> SqlResult<()> {
    let sees_server = sees_server(state);
    let view = sysview::filled(view);
    match sysview::needs(view) {
        Some(Permission::ViewServerState) if !sees_server => return Err(denied_server_state()),
        Some(needed) if !sees_server => {
            let securable = Securable { class: SecurableClass::Database, major: 0, minor: 0 };
            if !state.is_permitted(database, securable, needed) {
                let name = state.instance.database_name(database);
                let parts: [&dyn Display; 2] = [&needed.description(), &name];
                return Err(SqlError::new(&message::DATABASE_PERMISSION_DENIED, &parts));
            }
        }
        _ => {}
    }
    let schema = state.schema(database)?;
    let server = Securable { class: SecurableClass::Server, major: 0, minor: 0 };
    let visibility = match state.is_permitted(DbId(1), server, Permission::ViewAnyDefinition) {
        true => None,
        false => Visibility::of(view, state, database, &schema)?,
    };
    // The session sees its own locks as well.
    state.transaction.show_writes();
    base::on_purpose::reached(base::on_purpose::Place::SystemView);
    let instance = state.instance.clone();
    let place = state.access(database)?.place.clone();
    let mut context = FillContext {
        task,
        place: &place,
        instance: &instance,
        database,
        schema: &schema,
        session: state.entry.id,
        sees_server,
        visibility,
        rows,
    };
    (view.fill)(&mut context)
}
