//! Whether rows keep constraints; switching constraints.

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, message};
use compile::bind::key_limit::{KeyLimit, is_variable};
use engine::catalog::Schema;
use engine::catalog::def::*;
use tsql::ast;

use super::{Altered, put_table};
use crate::context::Context;
use crate::ddl::data;
use crate::ddl::failure::{DdlResult, Failure, raised};
use crate::ddl::table::shown_name;

type Shown<'a> = &'a dyn std::fmt::Display;

/// Rows are about to come into a table unchecked: its constraints are not trusted any more.
/// Constraints that are disabled are not trusted anyway.
pub fn distrust(context: &mut Context<'_>, database: DbId, table: ObjectId) -> SqlResult<()> {
    let is_trusted = |table: &TableDef| {
        table.checks.iter().any(|check| !check.not_trusted)
            || table.foreign_keys.iter().any(|key| !key.not_trusted)
    };
    if !context.schema(database)?.table(table).is_some_and(|t| is_trusted(t)) {
        return Ok(());
    }
    context.definition(|context| {
        // Other sessions do not see a temporary table.
        if table.0 > 0 {
            context.lock_edit(database)?;
        }
        let schema = context.schema(database)?;
        let Some(known) = schema.table(table).filter(|t| is_trusted(t)) else { return Ok(()) };
        let mut new = (**known).clone();
        new.checks.iter_mut().for_each(|check| check.not_trusted = true);
        new.foreign_keys.iter_mut().for_each(|key| key.not_trusted = true);
        context.change(database, |task, txn, edit| edit.alter_table(task, txn, new))
    })
}

/// Checks the rows of a table against some of its constraints. Error 547: a row conflicts with the
/// new constraint.
pub fn verify(
    context: &mut Context<'_>,
    database: DbId,
    table: ObjectId,
    constraints: &[ObjectId],
) -> DdlResult<()> {
    let schema = context.schema(database)?;
    let Some(table) = schema.table(table).cloned() else { return Ok(()) };
    for check in table.checks.iter().filter(|c| constraints.contains(&c.header.id)) {
        let name = quoted(&schema, &table);
        let query = format!("SELECT 1 AS x FROM {name} WHERE NOT {}", check.definition);
        if data::exists(context, database, &query)? {
            let column = check.column.and_then(|id| table.column(id)).map(|c| &c.name);
            let header = &check.header;
            return Err(conflict(context, database, &table, column, "CHECK", header));
        }
    }
    for key in table.foreign_keys.iter().filter(|k| constraints.contains(&k.header.id)) {
        let Some(referenced) = schema.table(key.referenced) else { continue };
        let query = orphans(&schema, &table, key, referenced);
        if data::exists(context, database, &query)? {
            let column = match key.columns[..] {
                [column] => referenced.column(column.referenced).map(|c| &c.name),
                _ => None,
            };
            let kind = match referenced.id() == table.id() {
                true => "FOREIGN KEY SAME TABLE",
                false => "FOREIGN KEY",
            };
            return Err(conflict(context, database, referenced, column, kind, &key.header));
        }
    }
    Ok(())
}

/// A query for the rows of a table that refer to no row.
fn orphans(schema: &Schema, table: &TableDef, key: &ForeignKeyDef, to: &TableDef) -> String {
    let column = |table: &TableDef, id| {
        table.column(id).map_or(String::new(), |c| tsql::quote_identifier(&c.name))
    };
    let mut not_null = Vec::new();
    let mut equal = Vec::new();
    for &ForeignKeyColumn { own, referenced } in &key.columns {
        not_null.push(format!("f.{} IS NOT NULL", column(table, own)));
        equal.push(format!("r.{} = f.{}", column(to, referenced), column(table, own)));
    }
    format!(
        "SELECT 1 AS x FROM {} AS f WHERE {} AND NOT EXISTS (SELECT 1 AS y FROM {} AS r WHERE {})",
        quoted(schema, table),
        not_null.join(" AND "),
        quoted(schema, to),
        equal.join(" AND ")
    )
}

/// Checks that no row's entry in some of a table's indexes is too long. Error 1946.
pub fn verify_entries(
    context: &mut Context<'_>,
    database: DbId,
    table: ObjectId,
    indexes: &[Name],
) -> DdlResult<()> {
    let schema = context.schema(database)?;
    let Some(table) = schema.table(table).cloned() else { return Ok(()) };
    for index in table.indexes.iter().filter(|index| indexes.contains(&index.name)) {
        let limit = KeyLimit::of(&table, index).filter(|limit| !limit.holds(&table, index));
        let Some(limit) = limit else { continue };
        let columns = index.key.iter().filter_map(|key| table.column(key.column));
        let lengths = columns.map(|column| match is_variable(column) {
            true => format!("ISNULL(DATALENGTH({}), 0)", tsql::quote_identifier(&column.name)),
            false => column.ty.byte_limit().to_string(),
        });
        let length = lengths.collect::<Vec<_>>().join(" + ");
        let filter = index.filter.as_ref().map_or("1 = 1", |filter| &filter.definition);
        let (name, ix) = (quoted(&schema, &table), index.name.replace('\'', "''"));
        let query = format!(
            "SELECT 1 AS x FROM {name} WHERE CASE WHEN {filter} THEN \
             [INDEX ENTRY]({length}, N'{ix}', {}, N'{}') ELSE 0 END < 0",
            limit.bytes, limit.kind
        );
        // The function raises the error.
        data::exists(context, database, &query)?;
    }
    Ok(())
}

fn quoted(schema: &Schema, table: &TableDef) -> String {
    let name = shown_name(&table.header.name);
    if name.starts_with('#') {
        return tsql::quote_identifier(&name);
    }
    let place = schema.schemas().get(table.header.schema).map_or("dbo", |s| &s.name);
    format!("{}.{}", tsql::quote_identifier(place), tsql::quote_identifier(&name))
}

/// Error 547: a row conflicts with the new constraint.
fn conflict(
    context: &Context<'_>,
    database: DbId,
    table: &TableDef,
    column: Option<&Name>,
    kind: &str,
    header: &ConstraintHeader,
) -> Failure {
    let shown = match context.schema(database) {
        Ok(schema) => crate::ddl::place::qualified(
            &schema,
            table.header.schema,
            &shown_name(&table.header.name),
        ),
        Err(error) => return error.into(),
    };
    let database = context.instance().database_name(database);
    let column = column.map_or(String::new(), |c| format!(", column '{c}'"));
    let args: [Shown; 6] = [&"ALTER TABLE", &kind, &header.name, &database, &shown, &column];
    SqlError::new(&message::CONSTRAINT_CONFLICT, &args).into()
}

/// `CHECK CONSTRAINT` and `NOCHECK CONSTRAINT`. Errors 4917, 11415 with 4916.
pub fn toggle(
    context: &mut Context<'_>,
    altered: &Altered,
    check: Option<bool>,
    enable: bool,
    names: &[ast::Ident],
) -> DdlResult<()> {
    let mut new = altered.copy(context);
    let mut switched: Vec<ObjectId> = Vec::new();
    let wanted = |header: &ConstraintHeader| {
        names.is_empty() || names.iter().any(|n| altered.schema.same_name(&n.name, &header.name))
    };
    for name in names {
        let known = |header: &ConstraintHeader| altered.schema.same_name(&header.name, &name.name);
        let found = new.constraints().find(|(_, header)| known(header));
        let error = match found {
            Some((ObjectKind::Check | ObjectKind::ForeignKey, _)) => continue,
            Some(_) => SqlError::new(&message::CONSTRAINT_NOT_SWITCHABLE, &[&name.name]),
            None => SqlError::new(&message::CONSTRAINT_NOT_FOUND, &[&name.name]),
        };
        let failure = Failure::from(error.at_line(name.span.line));
        return Err(failure.then(raised(&message::CONSTRAINT_SWITCH_FAILED, 0)));
    }
    // An enabled constraint is trusted if the rows are checked, and they are only on demand.
    let verified = enable && check == Some(true);
    for check in new.checks.iter_mut().filter(|c| wanted(&c.header)) {
        check.disabled = !enable;
        check.not_trusted = !verified;
        switched.push(check.header.id);
    }
    for key in new.foreign_keys.iter_mut().filter(|k| wanted(&k.header)) {
        key.disabled = !enable;
        key.not_trusted = !verified;
        switched.push(key.header.id);
    }
    let id = new.id();
    put_table(context, altered.database, new)?;
    match verified {
        true => verify(context, altered.database, id, &switched),
        false => Ok(()),
    }
}
