//! A history follows the table whose columns change.

use base::Value;

use super::changed;
use super::history::kept_column;
use crate::context::Context;
use crate::ddl::alter::Altered;
use crate::ddl::alter::columns::refuse_change;
use crate::ddl::alter::drops::{Purpose, refuse_used, users_of};
use crate::ddl::alter::rebuild::{self, Rebuild, Source};
use crate::ddl::data::RowExpr;
use crate::ddl::failure::DdlResult;

/// Does to the history what `ALTER TABLE` has done to the columns of its table: they are dropped,
/// added and changed alike. Errors 515, 4922, 5074.
pub(in crate::ddl) fn follow(context: &mut Context<'_>, altered: &Altered) -> DdlResult<()> {
    let Some(versioning) = altered.old.versioning else { return Ok(()) };
    let schema = context.schema(altered.database)?;
    let (table, history) = (schema.table(altered.old.id()), schema.table(versioning.history));
    let (Some(table), Some(history)) = (table, history) else { return Ok(()) };
    if table.columns == altered.old.columns {
        return Ok(());
    }
    let past = Altered { database: altered.database, schema: schema.clone(), old: history.clone() };
    for (column, kept) in altered.old.columns.iter().zip(&history.columns) {
        match table.column(column.id) {
            Some(new) => refuse_change(&past, kept, &kept_column(new, kept.id))?,
            None => {
                let users = users_of(&past, history, kept, Purpose::Drop);
                refuse_used(kept, &users, "ALTER TABLE DROP COLUMN")?;
            }
        }
    }
    let mut new = changed(context, history);
    new.columns = Vec::with_capacity(table.columns.len());
    for column in &table.columns {
        let place = altered.old.column_ordinal(column.id);
        let id = match place {
            Some(at) => history.columns[at].id,
            None => {
                new.max_column_id.0 += 1;
                new.max_column_id
            }
        };
        new.columns.push(kept_column(column, id));
    }
    let definition = new.clone();
    let (mut sources, mut exprs) = rebuild::same_columns(history, &definition);
    for (at, column) in table.columns.iter().enumerate() {
        let is_added = altered.old.column(column.id).is_none();
        let default = column.default_text().filter(|_| is_added && !column.nullable);
        if let (Some(default), Source::Value(Value::Null)) = (default, &sources[at]) {
            exprs.push(RowExpr { text: default, ty: column.ty });
            sources[at] = Source::Expr(exprs.len() - 1);
        }
    }
    let (database, statement) = (altered.database, "ALTER TABLE");
    rebuild::put(context, Rebuild { database, old: history, new, sources, exprs, statement })
}
