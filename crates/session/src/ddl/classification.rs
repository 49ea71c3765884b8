//! `ADD` and `DROP SENSITIVITY CLASSIFICATION`.

use base::{SqlError, message};
use engine::catalog::def::*;
use tsql::ast::{self, ObjectName};

use super::alter::put_table;
use super::failure::DdlResult;
use super::place;
use crate::context::Context;
use crate::security::WHOLE_DATABASE;

/// Classifies columns of the current database's tables, or takes their classifications away.
/// Errors 1088, 1911, 15247.
pub fn change(context: &mut Context<'_>, statement: &ast::SensitivityStatement) -> DdlResult<()> {
    let database = context.database();
    let permission = Permission::AlterAnySensitivityClassification;
    if !context.may(database, WHOLE_DATABASE, permission) {
        return Err(SqlError::new(&message::ONLY_SYSADMIN, &[]).into());
    }
    for written in &statement.columns {
        let name = table_of(written);
        let found = place::find_to_change(context, &name)?;
        let found = found.filter(|found| found.database == database);
        let table = found.and_then(|found| found.table());
        let missing = || SqlError::new(&message::CANNOT_FIND_OBJECT, &[&name]);
        let mut table = TableDef::clone(&*table.ok_or_else(missing)?);
        let schema = context.schema(database)?;
        let wanted = &written.name.name;
        let column = table.columns.iter_mut().find(|c| schema.same_name(&c.name, wanted));
        let Some(column) = column else {
            return Err(SqlError::new(&message::INDEX_COLUMN_NOT_FOUND, &[wanted]).into());
        };
        column.classification = statement.classification.clone();
        table.header.modified = context.now();
        put_table(context, database, table)?;
    }
    Ok(())
}

/// The table of `table.column`.
fn table_of(column: &ObjectName) -> ObjectName {
    ObjectName {
        server: None,
        database: None,
        schema: column.database.clone(),
        name: column.schema.clone().unwrap_or_else(|| column.name.clone()),
        span: column.span,
    }
}
