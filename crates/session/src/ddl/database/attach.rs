//! `CREATE DATABASE … FOR ATTACH`, and what `sp_detach_db` does.

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::def::*;
use engine::instance::{DetachedDatabase, Found, InstanceError};
use tsql::ast;

use super::{instance_error, is_system, options};
use crate::context::Context;
use crate::ddl::failure::{DdlResult, Failure};

type Shown<'a> = &'a dyn std::fmt::Display;

/// What the system says of files that are not there, and of files in use.
const NOT_FOUND: (&str, &str) = ("2", "2(The system cannot find the file specified.)");
const IN_USE: (&str, &str) =
    ("32", "32(The process cannot access the file because it is being used by another process.)");

/// Makes a detached database one of the server's. Errors 1801, 1813, 1827, 5120, 5133.
pub(super) fn attach(context: &mut Context<'_>, create: &ast::CreateDatabase) -> DdlResult<()> {
    let instance = context.instance();
    let name = create.name.name.clone();
    let mut paths = create.filegroups.iter().flat_map(|group| &group.files);
    let first = paths.find_map(|spec| spec.file_name.as_deref());
    let Some(path) = first else {
        return Err(SqlError::new(&message::PRIMARY_FILE_MISSING, &[]).into());
    };
    let found = instance.databases().find_detached(path).map_err(|error| failed(&name, error))?;
    let refused = |(number, text): (&str, &str)| {
        let args: [Shown; 3] = [&path, &number, &text];
        Err(SqlError::new(&message::FILE_OPEN_ERROR, &args).into())
    };
    let detached = match found {
        Found::Detached(detached) => detached,
        Found::NoDirectory => {
            let args: [Shown; 2] = [&path, &NOT_FOUND.1];
            return Err(SqlError::new(&message::DIRECTORY_LOOKUP_FAILED, &args).into());
        }
        Found::Nothing => return refused(NOT_FOUND),
        Found::InUse => return refused(IN_USE),
    };
    let new = definition(context, create, &detached)?;
    let owner = context.session.entry.owner.clone();
    let made = context.off_load(move |instance, task| {
        let make = |id, directory| DatabaseDef { id, directory, ..new };
        instance.databases().attach_database(task, &owner, &detached, make).map(drop)
    });
    made.map_err(|error| failed(&name, error))?;
    instance.note_database_change();
    context.session.refresh_databases();
    Ok(())
}

/// What master is to know of the database: what it has brought along, but for what its new owner
/// must decide.
fn definition(
    context: &Context<'_>,
    create: &ast::CreateDatabase,
    detached: &DetachedDatabase,
) -> DdlResult<DatabaseDef> {
    let old = &detached.described.def;
    let mut changed = DatabaseOptions {
        state: DatabaseState::Online,
        user_access: UserAccess::Multi,
        trustworthy: false,
        db_chaining: false,
        broker_enabled: false,
        ..old.options.clone()
    };
    if changed.contained {
        super::admit_contained(context, "attach")?;
    }
    for option in &create.options {
        options::check(context, option)?;
        options::set(&mut changed, option, &create.name.name)?;
    }
    Ok(DatabaseDef {
        name: create.name.name.clone(),
        owner_sid: context.session.identity.login().sid.clone(),
        created: context.now(),
        options: changed,
        ..DatabaseDef::clone(old)
    })
}

/// A database that cannot be opened: why, and error 1813.
fn failed(name: &str, error: InstanceError) -> Failure {
    if let InstanceError::Catalog(_) = error {
        return instance_error(error).into();
    }
    let text = format!("Database '{name}' could not be attached: {error}.");
    let last = SqlError::new(&message::ATTACH_FILE_FAILED, &[&name]);
    Failure::from(SqlError::custom(5173, 16, 1, text)).then(last)
}

/// `sp_detach_db`. Errors 226, 3703, 7940, 15010, 15247.
pub fn detach(context: &mut Context<'_>, name: &str) -> Result<(), SqlError> {
    if context.in_user_transaction() {
        return Err(SqlError::new(&message::SP_IN_TRANSACTION, &[&"sys.sp_detach_db"]));
    }
    let instance = context.instance();
    let Some(def) = instance.find_database(name) else {
        return Err(SqlError::new(&message::SP_DATABASE_DOES_NOT_EXIST, &[&name]));
    };
    let owns = context.session.is_login_with_sid(&def.owner_sid);
    if !context.session.is_sysadmin() && !owns {
        return Err(SqlError::new(&message::ONLY_SYSADMIN, &[]));
    }
    if is_system(def.id) || def.id == DbId::TEMPDB {
        return Err(SqlError::new(&message::SYSTEM_DATABASE_DETACHED, &[]));
    }
    // Why it cannot be used, if it cannot.
    context.catalog(def.id)?;
    let session = context.session.id();
    let mine = context.session.is_in_database(def.id);
    if mine || !instance.usage.try_exclusive(def.id, session) {
        let args: [Shown; 2] = [&"database", &def.name];
        return Err(SqlError::new(&message::CANNOT_DETACH_IN_USE, &args));
    }
    let owner = context.session.entry.owner.clone();
    let leaving = def.clone();
    let detached = context.off_load(move |instance, task| {
        instance.databases().detach_database(task, &owner, &leaving)
    });
    if detached.is_ok() {
        instance.usage.set_single(def.id, false);
    }
    instance.usage.release(def.id);
    detached.map_err(instance_error)?;
    instance.note_gone(def.id);
    context.session.refresh_databases();
    Ok(())
}
