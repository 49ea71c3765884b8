//! Where the columns of a cursor's rows come from: `TABNAME` and `COLINFO`. Clients change only
//! what they know the table of.

use engine::catalog::def::TableDef;
use ir::site::ResultColumn;
use session::response::Origins;
use tds::server::ResponseWriter;
use tds::server::response::ColumnOrigin;

/// Writes the tokens. They count columns and tables by one byte; what lies beyond is left out.
pub fn write(writer: &mut ResponseWriter, origins: &Origins<'_>) {
    let mut tables: Vec<&TableDef> = Vec::new();
    let mut columns = Vec::with_capacity(origins.columns.len());
    let shown = origins.columns.len() - origins.hidden;
    for (at, column) in origins.columns.iter().enumerate().take(usize::from(u8::MAX)) {
        let mut origin = ColumnOrigin {
            column: at as u8 + 1,
            table: 0,
            is_key: false,
            is_hidden: at >= shown,
            base_name: None,
        };
        if let Some(number) = table_number(&mut tables, column) {
            let name = base_name(column);
            origin.table = number;
            origin.is_key = is_key(column);
            origin.base_name = name.filter(|name| **name != *column.name);
        }
        columns.push(origin);
    }
    if origins.names_tables {
        let names: Vec<[&str; 1]> = tables.iter().map(|table| [&*table.header.name]).collect();
        let names: Vec<&[&str]> = names.iter().map(|name| &name[..]).collect();
        writer.table_names(&names);
    }
    writer.column_origins(&columns);
}

/// The number of a column's table among those seen, from 1; none for an expression.
fn table_number<'c>(tables: &mut Vec<&'c TableDef>, column: &'c ResultColumn) -> Option<u8> {
    let table = &*column.base.as_ref()?.table;
    let known = tables.iter().position(|known| known.id() == table.id());
    let at = known.unwrap_or(tables.len());
    let number = u8::try_from(at + 1).ok()?;
    if known.is_none() {
        tables.push(table);
    }
    Some(number)
}

fn base_name(column: &ResultColumn) -> Option<&str> {
    let base = column.base.as_ref()?;
    Some(&base.table.columns[base.ordinal].name)
}

/// Whether a column is part of its table's primary key, or of a unique index where there is none.
fn is_key(column: &ResultColumn) -> bool {
    let Some(base) = &column.base else { return false };
    let id = base.table.columns[base.ordinal].id;
    let unique = || base.table.indexes.iter().filter(|index| index.unique);
    let key = unique().find(|index| index.is_primary_key()).or_else(|| unique().next());
    key.is_some_and(|index| index.key.iter().any(|part| part.column == id))
}
