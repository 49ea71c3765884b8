//! What a user sees of a catalog: views, built-in functions and system procedures ask here.
//!
//! Owners of a database, and users that may `VIEW DEFINITION` of it, see everything, and nothing is
//! looked up for them. Other users see the objects that they own or have any permission on,
//! directly or through a role, on the object, a column of it, its schema or the database; and what
//! belongs to these: columns, indexes, constraints, triggers ([`seen`]). Texts are shown to users
//! that may see the definition of the object. Of principals they see those that the server makes,
//! themselves, the roles that they are in, and what they have a permission on. Schemas, types and
//! whatever the server itself defines are shown to all.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::ValueRef;
use base::ids::{DbId, ObjectId};
use engine::catalog::def::{
    Permission, PrincipalId, PrincipalKind, Securable, SecurableClass, TableDef, TableRole,
};
use engine::catalog::{Object, Schema};
use ir::function::facts::Seen;

use super::FilledView;
use crate::security::{DatabaseUser, WHOLE_DATABASE, WHOLE_SERVER};
use crate::session::SessionState;

/// The columns that say to which object a row belongs, the first that a view has.
const OBJECT_COLUMNS: [&str; 3] = ["object_id", "referencing_id", "parent_object_id"];

/// The views with texts of users.
const WITH_DEFINITIONS: [&str; 5] = [
    "check_constraints",
    "computed_columns",
    "default_constraints",
    "numbered_procedures",
    "sql_modules",
];

/// What a user of a database sees of an object.
pub fn seen(user: &DatabaseUser, database: DbId, schema: &Schema, id: ObjectId) -> Seen {
    if let Some(trigger) = schema.module(id).and_then(|module| module.event_trigger()) {
        // Those on the server are for the login to see, whoever it is in the database.
        let may = |permission| user.may(schema, WHOLE_DATABASE, permission);
        let sees = may(Permission::ViewDefinition) || may(Permission::AlterAnyDatabaseDdlTrigger);
        return if sees && !trigger.server { Seen::Definition } else { Seen::Nothing };
    }
    // A session that can name a temporary table owns it.
    if user.is_owner || database == DbId::TEMPDB {
        return Seen::Definition;
    }
    let target = match schema.object(id) {
        Some(Object::Constraint { table, .. }) => table.id(),
        Some(Object::Table(table)) if table.rows_of.is_some() => table.indexed_id(),
        Some(Object::Table(table)) if table.role == TableRole::Internal => match table.changes_of {
            Some(of) => of,
            None => {
                let is_parent =
                    |t: &&Arc<TableDef>| t.derived_indexes.iter().any(|i| i.nodes == id);
                let Some(parent) = schema.tables().find(is_parent) else { return Seen::Nothing };
                parent.id()
            }
        },
        Some(Object::Table(table)) if table.role != TableRole::Table => return Seen::Definition,
        Some(Object::Module(module)) => module.trigger().map_or(id, |trigger| trigger.parent),
        Some(Object::SecurityPolicy(_)) => {
            let changes = user.may(schema, WHOLE_DATABASE, Permission::AlterAnySecurityPolicy);
            return match changes || sees_definition(user, schema, id) {
                true => Seen::Definition,
                false => Seen::Nothing,
            };
        }
        Some(_) => id,
        // The server's own.
        None => return Seen::Definition,
    };
    if sees_definition(user, schema, target) {
        return Seen::Definition;
    }
    match user.sees(schema, target) {
        true => Seen::Object,
        false => Seen::Nothing,
    }
}

fn sees_definition(user: &DatabaseUser, schema: &Schema, id: ObjectId) -> bool {
    let securable = Securable { class: SecurableClass::Object, major: id.0, minor: 0 };
    user.may(schema, securable, Permission::ViewDefinition)
}

/// What the reader of a view is shown of it, if not everything.
pub enum Visibility {
    /// The rows of objects that are seen.
    Objects(Objects),
    /// The rows whose principals or databases are seen, all that these columns name.
    Listed(Vec<usize>, BTreeSet<i32>),
}

/// The rows of objects that a user sees.
pub struct Objects {
    user: Arc<DatabaseUser>,
    schema: Arc<Schema>,
    database: DbId,
    /// The column that names the object.
    object: usize,
    /// The column that says whether that is an object, where it may be something else.
    class: Option<usize>,
    /// The column with the object's text.
    definition: Option<usize>,
    /// The object that was looked at last.
    last: Option<(ObjectId, Seen)>,
}

impl Visibility {
    /// What a session sees of a view of a database's catalog; `None` for everything. Error 916.
    pub fn of(
        view: &FilledView,
        state: &SessionState,
        database: DbId,
        schema: &Arc<Schema>,
    ) -> base::SqlResult<Option<Visibility>> {
        if view.schema != "sys" || view.name.starts_with("dm_") {
            return Ok(None);
        }
        let places = |names: &[&str]| {
            let place = |name: &&str| view.columns.iter().position(|column| column.name == *name);
            names.iter().filter_map(place).collect::<Vec<usize>>()
        };
        let user = state.user(database)?;
        Ok(match view.name {
            "server_principals" | "sql_logins" => {
                Some(Visibility::Listed(places(&["principal_id"]), seen_logins(state)))
            }
            "server_role_members" => {
                let columns = places(&["role_principal_id", "member_principal_id"]);
                Some(Visibility::Listed(columns, seen_logins(state)))
            }
            "server_permissions" => {
                Some(Visibility::Listed(places(&["grantee_principal_id"]), seen_logins(state)))
            }
            "server_triggers" | "server_trigger_events" | "server_sql_modules" => {
                match sees_server_triggers(state) {
                    true => None,
                    false => Some(Visibility::Listed(places(&["object_id"]), BTreeSet::new())),
                }
            }
            "databases" | "change_tracking_databases" => seen_databases(state, false)
                .map(|seen| Visibility::Listed(places(&["database_id"]), seen)),
            "master_files" => seen_databases(state, true)
                .map(|seen| Visibility::Listed(places(&["database_id"]), seen)),
            "sensitivity_classifications" => {
                let may = |permission| user.may(schema, WHOLE_DATABASE, permission);
                let seen = may(Permission::ViewAnySensitivityClassification)
                    || may(Permission::AlterAnySensitivityClassification);
                let nothing = || Visibility::Listed(places(&["class"]), BTreeSet::new());
                (!seen).then(nothing)
            }
            _ if user.may(schema, WHOLE_DATABASE, Permission::ViewDefinition) => None,
            "database_principals" => {
                Some(Visibility::Listed(places(&["principal_id"]), seen_principals(&user, schema)))
            }
            "database_role_members" => {
                let columns = places(&["role_principal_id", "member_principal_id"]);
                Some(Visibility::Listed(columns, seen_principals(&user, schema)))
            }
            "database_permissions" => {
                let columns = places(&["grantee_principal_id"]);
                Some(Visibility::Listed(columns, seen_principals(&user, schema)))
            }
            _ if database == DbId::TEMPDB => None,
            "extended_properties" => {
                let [class, major] = places(&["class", "major_id"])[..] else { return Ok(None) };
                let objects = Objects::new(user, database, schema, major);
                Some(Visibility::Objects(Objects { class: Some(class), ..objects }))
            }
            _ => {
                let Some(&object) = places(&OBJECT_COLUMNS).first() else { return Ok(None) };
                let has_texts = WITH_DEFINITIONS.contains(&view.name);
                let definition = if has_texts { places(&["definition"]) } else { Vec::new() };
                let definition = definition.first().copied();
                let objects = Objects::new(user, database, schema, object);
                Some(Visibility::Objects(Objects { definition, ..objects }))
            }
        })
    }

    /// Whether a row is shown; takes the text out if only that is hidden.
    pub fn admits(&mut self, row: &mut [ValueRef<'_>]) -> bool {
        match self {
            Visibility::Objects(objects) => objects.admit(row),
            Visibility::Listed(columns, seen) => columns.iter().all(|at| match row[*at] {
                ValueRef::Int(id) => seen.contains(&(id as i32)),
                _ => true,
            }),
        }
    }
}

impl Objects {
    fn new(
        user: Arc<DatabaseUser>,
        database: DbId,
        schema: &Arc<Schema>,
        object: usize,
    ) -> Objects {
        let schema = schema.clone();
        Objects { user, schema, database, object, class: None, definition: None, last: None }
    }

    fn admit(&mut self, row: &mut [ValueRef<'_>]) -> bool {
        let of_objects = i64::from(SecurableClass::Object.code());
        let is_object = |class: usize| matches!(row[class], ValueRef::Int(c) if c == of_objects);
        if self.class.is_some_and(|class| !is_object(class)) {
            return true;
        }
        let ValueRef::Int(id) = row[self.object] else { return true };
        let id = ObjectId(id as i32);
        let found = match self.last {
            Some((last, found)) if last == id => found,
            _ => {
                let found = seen(&self.user, self.database, &self.schema, id);
                self.last = Some((id, found));
                found
            }
        };
        if let Some(at) = self.definition.filter(|_| found < Seen::Definition) {
            row[at] = ValueRef::Null;
        }
        found > Seen::Nothing
    }
}

/// Whether a session sees the triggers on the server.
pub fn sees_server_triggers(state: &SessionState) -> bool {
    let may = |permission| state.login_may(WHOLE_SERVER, permission);
    may(Permission::Control) || may(Permission::ViewAnyDefinition)
}

/// What makes a principal seen.
const ON_PRINCIPALS: [Permission; 5] = [
    Permission::Alter,
    Permission::Control,
    Permission::Impersonate,
    Permission::TakeOwnership,
    Permission::ViewDefinition,
];

/// The logins and server roles that a session sees.
fn seen_logins(state: &SessionState) -> BTreeSet<i32> {
    let master = state.instance.databases().master().current();
    let server = master.server();
    let own = state.identity.login().id;
    let all_logins = state.login_may(WHOLE_SERVER, Permission::AlterAnyLogin);
    let all_roles = state.login_may(WHOLE_SERVER, Permission::AlterAnyServerRole);
    let is_seen = |id: PrincipalId, kind: PrincipalKind| {
        let target = Securable { class: SecurableClass::ServerPrincipal, major: id.0, minor: 0 };
        id <= PrincipalId::BULKADMIN
            || id == own
            || match kind {
                PrincipalKind::Role => all_roles || server.is_member(own, id),
                _ => all_logins,
            }
            || ON_PRINCIPALS.iter().any(|permission| state.login_may(target, *permission))
    };
    let logins = server.logins().iter().filter(|login| is_seen(login.id, login.kind));
    logins.map(|login| login.id.0).collect()
}

/// The databases that a session sees, or those whose files it sees; `None` for all.
fn seen_databases(state: &SessionState, files: bool) -> Option<BTreeSet<i32>> {
    use Permission as P;
    let sees_all = [P::AlterAnyDatabase, P::CreateAnyDatabase, P::ViewAnyDatabase];
    let sees_all = if files { &sees_all[..2] } else { &sees_all[..] };
    if sees_all.iter().any(|permission| state.login_may(WHOLE_SERVER, *permission)) {
        return None;
    }
    if files {
        return Some(BTreeSet::new());
    }
    let master = state.instance.databases().master().current();
    let current = [DbId::MASTER, DbId::TEMPDB, state.name_database()];
    let all = master.server().databases().iter();
    let seen = all.filter(|d| current.contains(&d.id) || state.is_login_with_sid(&d.owner_sid));
    Some(seen.map(|database| database.id.0).collect())
}

/// The users and roles that a user sees.
fn seen_principals(user: &DatabaseUser, schema: &Schema) -> BTreeSet<i32> {
    let all_users = user.may(schema, WHOLE_DATABASE, Permission::AlterAnyUser);
    let all_roles = user.may(schema, WHOLE_DATABASE, Permission::AlterAnyRole);
    let all_applications = user.may(schema, WHOLE_DATABASE, Permission::AlterAnyApplicationRole);
    let principals = schema.principals().iter().filter(|other| {
        let class = SecurableClass::DatabasePrincipal;
        let target = Securable { class, major: other.id.0, minor: 0 };
        let of_kind = match other.kind {
            PrincipalKind::Role => all_roles,
            PrincipalKind::ApplicationRole => all_applications,
            _ => all_users,
        };
        other.id < PrincipalId::FIRST_USER
            || other.fixed_role
            || user.tokens.contains(&other.id)
            || of_kind
            || ON_PRINCIPALS.iter().any(|permission| user.may(schema, target, *permission))
    });
    principals.map(|principal| principal.id.0).collect()
}
