//! `sp_refreshview` and `sp_refreshsqlmodule`.

use base::{SqlError, SqlResult, message};
use engine::catalog::def::{ModuleKind, Permission, Securable, SecurableClass};

use super::Arguments;
use crate::context::Context;
use crate::ddl;
use crate::names::callee::parse_name;

/// `sp_refreshview`. Error 15165 and those of the view's text.
pub fn view(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let name = name(arguments, "@viewname");
    refresh(context, &name, |kind| matches!(kind, ModuleKind::View { .. }))
}

/// `sp_refreshsqlmodule`. Error 15165 and those of the module's text.
pub fn module(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let name = name(arguments, "@name");
    // Of the other classes, triggers on definitions, there are none.
    let class = arguments.text("@namespace").unwrap_or_default();
    let is_object = class.trim_end().eq_ignore_ascii_case("OBJECT");
    refresh(context, &name, |_| is_object)
}

/// What a message shows for NULL, too.
fn name(arguments: &Arguments<'_>, parameter: &str) -> String {
    arguments.text(parameter).unwrap_or_else(|| "(null)".into())
}

fn refresh(
    context: &mut Context<'_>,
    name: &str,
    is_meant: impl Fn(&ModuleKind) -> bool,
) -> SqlResult<i32> {
    let missing = || SqlError::new(&message::SP_OBJECT_NOT_FOUND_OR_DENIED, &[&name]);
    let written = parse_name(name).map_err(|_| missing())?;
    let found = context.find_object(&written)?;
    let (database, id) = found.filter(|(db, _)| *db == context.database()).ok_or_else(missing)?;
    let is_bound = context.definition(|context| {
        context.lock_edit(database)?;
        let schema = context.schema(database)?;
        let def = schema.module(id).filter(|def| is_meant(&def.kind)).ok_or_else(missing)?;
        let major = def.trigger().map_or(id, |trigger| trigger.parent).0;
        let target = Securable { class: SecurableClass::Object, major, minor: 0 };
        if !context.may(database, target, Permission::Alter) {
            return Err(missing());
        }
        if !def.schema_bound {
            ddl::refresh_module(context, database, id)
                .map_err(|failure| failure.report(context))?;
        }
        Ok(def.schema_bound)
    })?;
    if is_bound {
        context.inform(SqlError::new(&message::METADATA_OF_BOUND_NOT_UPDATED, &[&name]))?;
    }
    Ok(0)
}
