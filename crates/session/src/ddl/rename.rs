//! The implementation of `sp_rename` and `sp_renamedb`.
//!
//! A new name is looked at by the caller; here it must only be free. What mentions the old name in
//! its text goes on mentioning it, as in SQL Server.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, message};
use engine::catalog::def::*;
use engine::catalog::{Definition, ObjectDef};

use super::object::with_header;
use crate::context::Context;

type Shown<'a> = &'a dyn std::fmt::Display;

/// Error 15335: the new name is in use.
fn in_use(name: &str, what: &str) -> SqlError {
    let args: [Shown; 2] = [&name, &what];
    SqlError::new(&message::SP_NAME_ALREADY_USED, &args)
}

/// Error 15336 if something is bound to an object.
fn refuse_bound(schema: &engine::catalog::Schema, id: ObjectId, name: &str) -> SqlResult<()> {
    match schema.first_bound_user(id) {
        Some(_) => Err(SqlError::new(&message::SP_RENAME_DEPENDENCIES, &[&name])),
        None => Ok(()),
    }
}

/// Renames an object or constraint. Errors 15335, 15336.
pub fn object(
    context: &mut Context<'_>,
    database: DbId,
    id: ObjectId,
    name: &str,
) -> SqlResult<()> {
    context.definition(|context| {
        context.lock_edit(database)?;
        let schema = context.schema(database)?;
        let Some(object) = schema.object(id) else { return Ok(()) };
        if schema.find_object(object.schema(), name).is_some_and(|other| other.id() != id) {
            return Err(in_use(name, "object"));
        }
        refuse_bound(&schema, id, object.name())?;
        let now = context.now();
        let definition = match object {
            engine::catalog::Object::Constraint { table, .. } => {
                let mut table = TableDef::clone(table);
                rename_constraint(&mut table, id, name);
                ObjectDef::Table(Arc::new(table))
            }
            _ => {
                let def = schema.object_def(id).expect("it was found as an object");
                with_header(def, |header| {
                    header.name = name.into();
                    header.modified = now;
                })
            }
        };
        context.change(database, |task, txn, edit| {
            edit.put(task, txn, Definition::Object(definition))
        })?;
        super::indexed_view::follow(context, database, id)
    })
}

fn rename_constraint(table: &mut TableDef, id: ObjectId, name: &str) {
    let rename = |header: &mut ConstraintHeader| {
        if header.id == id {
            header.name = name.into();
            header.system_named = false;
            return true;
        }
        false
    };
    for index in &mut table.indexes {
        if index.constraint.as_mut().is_some_and(|c| rename(&mut c.header)) {
            index.name = name.into();
        }
    }
    for column in &mut table.columns {
        column.default.as_mut().map(|d| rename(&mut d.header));
    }
    for check in &mut table.checks {
        rename(&mut check.header);
    }
    for key in &mut table.foreign_keys {
        rename(&mut key.header);
    }
}

/// Renames a column of a table, and of its history. Errors 13759, 15335, 15336.
pub fn column(
    context: &mut Context<'_>,
    database: DbId,
    table: ObjectId,
    column: ColumnId,
    name: &str,
) -> SqlResult<()> {
    context.definition(|context| {
        context.lock_edit(database)?;
        let schema = context.schema(database)?;
        let Some(def) = schema.table(table) else { return Ok(()) };
        super::temporal::refuse_rename(context, database, &schema, def)?;
        let history = def.versioning.and_then(|versioning| schema.table(versioning.history));
        let kept = history.zip(def.column_ordinal(column));
        let kept = kept.and_then(|(history, at)| Some((history.id(), history.columns.get(at)?.id)));
        rename_column(context, database, table, column, name)?;
        match kept {
            Some((history, kept)) => rename_column(context, database, history, kept, name),
            None => Ok(()),
        }
    })
}

fn rename_column(
    context: &mut Context<'_>,
    database: DbId,
    table: ObjectId,
    column: ColumnId,
    name: &str,
) -> SqlResult<()> {
    put_changed(context, database, table, |schema, table| {
        if table.columns.iter().any(|c| c.id != column && schema.same_name(&c.name, name)) {
            return Err(in_use(name, "COLUMN"));
        }
        let old = table.column(column).map(|c| c.name.clone()).unwrap_or_else(|| "".into());
        let computed = |c: &ColumnDef| {
            c.computed.as_ref().is_some_and(|computed| computed.columns.contains(&column))
        };
        let checked = table.checks.iter().any(|c| c.columns.contains(&column));
        let filtered = table
            .indexes
            .iter()
            .filter_map(|i| i.filter.as_ref())
            .any(|f| f.terms.iter().any(|t| t.column == column));
        if checked || filtered || table.columns.iter().any(computed) {
            return Err(SqlError::new(&message::SP_RENAME_DEPENDENCIES, &[&old]));
        }
        refuse_bound(schema, table.id(), &old)?;
        if let Some(place) = table.column_ordinal(column) {
            table.columns[place].name = name.into();
        }
        Ok(())
    })
}

/// Renames an index of a table, and the constraint that it is of. Error 15335: the new name is in
/// use.
pub fn index(
    context: &mut Context<'_>,
    database: DbId,
    table: ObjectId,
    index: IndexId,
    name: &str,
) -> SqlResult<()> {
    change_table(context, database, table, |schema, table| {
        let plain = table.indexes.iter().map(|i| (i.id, &i.name));
        let mut all = plain.chain(table.derived_indexes.iter().map(|i| (i.id, &i.name)));
        if all.any(|(id, own)| id != index && schema.same_name(own, name)) {
            return Err(in_use(name, "INDEX"));
        }
        if let Some(index) = table.indexes.iter_mut().find(|i| i.id == index) {
            index.name = name.into();
            if let Some(constraint) = &mut index.constraint {
                constraint.header.name = name.into();
                constraint.header.system_named = false;
            }
        }
        if let Some(index) = table.derived_indexes.iter_mut().find(|i| i.id == index) {
            index.name = name.into();
        }
        Ok(())
    })
}

fn change_table(
    context: &mut Context<'_>,
    database: DbId,
    table: ObjectId,
    mut change: impl FnMut(&engine::catalog::Schema, &mut TableDef) -> SqlResult<()>,
) -> SqlResult<()> {
    context.definition(|context| {
        context.lock_edit(database)?;
        put_changed(context, database, table, &mut change)
    })
}

/// Changes a table within a definition.
fn put_changed(
    context: &mut Context<'_>,
    database: DbId,
    table: ObjectId,
    mut change: impl FnMut(&engine::catalog::Schema, &mut TableDef) -> SqlResult<()>,
) -> SqlResult<()> {
    let schema = context.schema(database)?;
    let Some(table) = schema.table(table) else { return Ok(()) };
    let mut table = TableDef::clone(table);
    table.header.modified = context.now();
    change(&schema, &mut table)?;
    context.change(database, |task, txn, edit| edit.alter_table(task, txn, table))
}

/// Renames a type. Error 15335: the new name is in use.
pub fn user_type(
    context: &mut Context<'_>,
    database: DbId,
    id: UserTypeId,
    name: &str,
) -> SqlResult<()> {
    context.definition(|context| {
        context.lock_edit(database)?;
        let schema = context.schema(database)?;
        let Some(found) = schema.types().get(id) else { return Ok(()) };
        if schema.find_type(found.schema, name).is_some_and(|other| other.id != id) {
            return Err(in_use(name, "USERDATATYPE"));
        }
        let def = TypeDef { name: name.into(), ..TypeDef::clone(found) };
        context.change(database, |task, txn, edit| {
            edit.put(task, txn, Definition::Type(Arc::new(def)))
        })
    })
}

/// Renames a database. Errors 1801, 5016, 5030.
pub fn database(context: &mut Context<'_>, id: DbId, name: &str) -> SqlResult<()> {
    let Some(def) = context.instance().database_def(id) else { return Ok(()) };
    super::database::rename(context, &def, &name.into()).map_err(|failure| failure.report(context))
}
