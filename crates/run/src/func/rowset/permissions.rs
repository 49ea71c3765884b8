//! `fn_my_permissions`: what the session may do to a securable, and to its columns.

use base::ids::ObjectId;
use base::{Collation, SqlResult, SqlType, ValueRef};
use engine::catalog::def::SecurableClass;
use ir::function::facts::FnContext;
use ir::function::rowset::{Emit, RowsetColumn, RowsetTypes, column};
use ir::function::signature::Call;

use crate::func::metadata::{Entity, columns_of};
use crate::func::values::{optional_text, string};

/// Longest name of an object with its schema and database, as `HAS_PERMS_BY_NAME` takes it.
const NAME_CHARS: u16 = 4000;

/// The longest name of a class or permission.
const CLASS_CHARS: u16 = 60;

/// The securable and its class.
pub(super) fn types(_: &Call<'_>) -> SqlResult<RowsetTypes> {
    let text = |chars| SqlType::nvarchar(chars, Collation::DEFAULT);
    Ok(RowsetTypes { args: vec![text(NAME_CHARS), text(CLASS_CHARS)], visible: 3 })
}

pub(super) fn columns(_: &[SqlType]) -> Vec<RowsetColumn> {
    let sysname = SqlType::sysname(Collation::DEFAULT);
    vec![
        column("entity_name", sysname, true),
        column("subentity_name", sysname, true),
        column("permission_name", SqlType::nvarchar(CLASS_CHARS, Collation::DEFAULT), true),
    ]
}

/// A row for each permission on the securable, then for each on its columns. No rows for what there
/// is not, or the session does not see.
pub(super) fn fill<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    let name = optional_text(args[0], &types[0]);
    let class = optional_text(args[1], &types[1]);
    let Some(entity) = Entity::named(ctx, name.as_deref(), class.as_deref()) else {
        return Ok(());
    };
    let shown = name.as_deref().unwrap_or(match entity.target.class {
        SecurableClass::Server => "server",
        _ => "database",
    });
    emit_held(ctx, &entity, shown, "", emit)?;
    if entity.target.class != SecurableClass::Object {
        return Ok(());
    }
    let schema = ctx.facts.schema(entity.database);
    let object = schema.as_ref().and_then(|s| s.object(ObjectId(entity.target.major)));
    for own in object.as_ref().and_then(columns_of).unwrap_or_default() {
        emit_held(ctx, &entity.column(own.id), shown, &own.name, emit)?;
    }
    Ok(())
}

/// The rows of a securable, or of a column of one.
fn emit_held(
    ctx: &FnContext<'_>,
    entity: &Entity,
    name: &str,
    part: &str,
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    let columns = columns(&[]);
    for permission in entity.held(ctx) {
        let permission = permission.name_on(entity.target.class);
        let values = [name, part, permission];
        let row: [ValueRef<'_>; 3] =
            std::array::from_fn(|at| string(ctx.arena, values[at], &columns[at].ty));
        emit(&row)?;
    }
    Ok(())
}
