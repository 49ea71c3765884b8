//! What `sp_refreshview` and `sp_refreshsqlmodule` do.

use std::sync::Arc;

use base::SqlError;
use base::ids::{DbId, ObjectId};
use engine::catalog::ObjectDef;
use engine::catalog::def::ModuleDef;
use tsql::ast::{Module, StatementKind};

use super::body;
use crate::context::Context;
use crate::ddl::failure::DdlResult;
use crate::ddl::object::put_object;
use crate::ddl::place::Place;

/// Binds a module anew, as an `ALTER` with its own text and under its own `SET` options would: its
/// columns and what it mentions are as its text has them today. The caller has locked the database
/// for edits. Errors of its text.
pub fn refresh(context: &mut Context<'_>, database: DbId, id: ObjectId) -> DdlResult<()> {
    let schema = context.schema(database)?;
    let Some(def) = schema.module(id) else { return Ok(()) };
    let module = parsed(def)?;
    let header = &def.header;
    let place = Place {
        database,
        schema: header.schema,
        name: header.name.clone(),
        written: header.name.clone(),
    };
    let mut changed = ModuleDef::clone(def);
    changed.header.modified = context.now();
    changed.references.clear();
    body::check_result(context, &place, &mut changed, &module)?;
    put_object(context, database, ObjectDef::Module(Arc::new(changed)))?;
    body::check(context, &place, id, &module)
}

/// The statement that a module's text is.
fn parsed(def: &ModuleDef) -> Result<Module, SqlError> {
    let options = tsql::ParseOptions { quoted_identifier: def.uses_quoted_identifier };
    let batch = tsql::parse_batch(&def.definition, options)?;
    let module = batch.statements.into_iter().find_map(|statement| match statement.kind {
        StatementKind::Module(module) => Some(module.module),
        _ => None,
    });
    Ok(module.expect("a module's text makes a module"))
}
