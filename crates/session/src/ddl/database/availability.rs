//! `ALTER DATABASE … SET OFFLINE` and `SET ONLINE`.

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::def::*;
use tsql::ast::{self, OptionValue, Termination};

use super::{instance_error, options, state};
use crate::context::Context;
use crate::ddl::failure::DdlResult;

/// Whether a statement that sets these options asks for the database to be on line, or off line.
pub(super) fn asked(options: &[ast::DatabaseOption]) -> Option<bool> {
    options.iter().find_map(|option| match (&*option.name, &option.value) {
        ("ONLINE", OptionValue::None) => Some(true),
        ("OFFLINE", OptionValue::None) => Some(false),
        _ => None,
    })
}

/// Takes a database off line when its sessions have left it, or brings it on line. Nothing else can
/// be set by the same statement. Errors 5008, 5058, 5061, 5070, and why it cannot be opened.
pub(super) fn set(
    context: &mut Context<'_>,
    def: &DatabaseDef,
    online: bool,
    options: &[ast::DatabaseOption],
    termination: Option<Termination>,
) -> DdlResult<()> {
    for option in options {
        options::refuse_for_system(def, &option.name)?;
    }
    if options.len() > 1 {
        let error = SqlError::new(&message::ALTER_DATABASE_NOT_SUPPORTED, &[]);
        return Err(error.at_line(options[1].span.line).into());
    }
    match online {
        true => bring_online(context, def),
        false if def.options.state == DatabaseState::Offline => Ok(()),
        false => take_offline(context, def, termination),
    }
}

fn take_offline(
    context: &mut Context<'_>,
    def: &DatabaseDef,
    termination: Option<Termination>,
) -> DdlResult<()> {
    let instance = context.instance();
    state::clear(context, def, termination, |_| true)?;
    let result = leave(context, def).and_then(|left| {
        let (owner, leaving) = (context.session.entry.owner.clone(), def.clone());
        let closed = context.off_load(move |instance, task| {
            instance.databases().take_offline(task, &owner, &leaving)
        });
        closed.map_err(instance_error)?;
        Ok(left)
    });
    instance.usage.release(def.id);
    let left = result?;
    instance.note_gone(def.id);
    context.session.refresh_databases();
    if left {
        context.inform(SqlError::new(&message::SWITCHED_TO_MASTER, &[]))?;
    }
    Ok(())
}

/// The issuing session switches to master if it is in the database. Returns whether it was. Error
/// 5061 if it cannot leave, since the module that it runs is the database's.
fn leave(context: &mut Context<'_>, def: &DatabaseDef) -> DdlResult<bool> {
    let (usage, session) = (&context.instance().usage, context.session.id());
    let is_inside = context.session.database == def.id;
    if is_inside {
        context.session.change_database(DbId::MASTER)?;
        context.tell_database(def.id, None)?;
    }
    match usage.sessions_in(def.id).contains(&session) {
        false => Ok(is_inside),
        true => Err(SqlError::new(&message::DATABASE_IN_TRANSITION_ALTER, &[&def.name]).into()),
    }
}

fn bring_online(context: &mut Context<'_>, def: &DatabaseDef) -> DdlResult<()> {
    let instance = context.instance();
    if context.catalog(def.id).is_ok() {
        return Ok(());
    }
    let (owner, opening) = (context.session.entry.owner.clone(), def.clone());
    let opened = context
        .off_load(move |instance, task| instance.databases().bring_online(task, &owner, &opening));
    instance.note_database_change();
    context.session.refresh_databases();
    opened.map_err(instance_error)?;
    instance.govern();
    Ok(())
}
