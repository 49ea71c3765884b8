//! The table that becomes a history: found or made, and looked at.

use std::sync::Arc;

use base::ids::DbId;
use base::message::Message;
use base::{SqlError, SqlType, TypeKind, message};
use engine::catalog::def::*;
use tsql::ast::{self, ObjectName};

use super::{Subject, full_name, quoted};
use crate::context::Context;
use crate::ddl::data;
use crate::ddl::failure::DdlResult;
use crate::ddl::place::{self, Place};
use crate::ddl::table::system_type;

type Shown<'a> = &'a dyn std::fmt::Display;

/// The history that a statement means, and whether it has made it. Errors 13511, 13539 and those of
/// new tables.
pub(super) fn find_or_make(
    context: &mut Context<'_>,
    subject: &Subject,
    name: Option<&ObjectName>,
) -> DdlResult<(Arc<TableDef>, bool)> {
    let database = subject.database;
    let Some(name) = name else {
        let place = anonymous(subject);
        return Ok((make(context, subject, &place)?, true));
    };
    if name.schema.is_none() || name.database.is_some() || name.server.is_some() {
        let error = SqlError::new(&message::HISTORY_NAME_NOT_TWO_PARTS, &[name]);
        return Err(error.at_line(name.span.line).into());
    }
    let Some(found) = place::find_in(context, database, name)? else {
        let parts = in_database(context, database, name);
        let place = place::for_new(context, &parts, Permission::CreateTable)?;
        return Ok((make(context, subject, &place)?, true));
    };
    match found.table().filter(|_| place::may_alter(context, &found)) {
        Some(table) if table.id() != subject.table.id() => Ok((table, false)),
        _ => Err(SqlError::new(&message::NOT_A_HISTORY_TABLE, &[name]).into()),
    }
}

/// A name with the database that the table is in.
fn in_database(context: &Context<'_>, database: DbId, name: &ObjectName) -> ObjectName {
    let own = context.instance().database_name(database);
    let database = Some(ast::Ident { name: own, ..name.name.clone() });
    ObjectName { database, ..name.clone() }
}

/// `MSSQL_TemporalHistoryFor_<id>`, beside the table.
fn anonymous(subject: &Subject) -> Place {
    let schema = subject.table.header.schema;
    let plain = format!("MSSQL_TemporalHistoryFor_{}", subject.table.id());
    let is_free = |name: &str| subject.schema.find_object(schema, name).is_none();
    let numbered = (1_u32..).map(|number| format!("{plain}_{number:08X}"));
    let mut names = std::iter::once(plain.clone()).chain(numbered);
    let name: Name = names.find(|name| is_free(name)).unwrap_or_default().into();
    Place { database: subject.database, schema, name: name.clone(), written: name }
}

/// Makes a history: the table's columns without what makes their values, and a clustered index by
/// the period's end and start.
fn make(context: &mut Context<'_>, subject: &Subject, place: &Place) -> DdlResult<Arc<TableDef>> {
    let id = context.edit(subject.database)?.1.new_object_id();
    let now = context.now();
    let header = ObjectHeader {
        id,
        schema: place.schema,
        name: place.name.clone(),
        owner: None,
        created: now,
        modified: now,
        ms_shipped: false,
    };
    let of = &subject.table;
    let mut table = TableDef::new(header, TableKind::Disk, TableRole::Table);
    table.ansi_nulls = of.ansi_nulls;
    table.quoted_identifier = of.quoted_identifier;
    let groups = subject.schema.file_groups().iter();
    let default = groups.filter(|g| g.kind == FileGroupKind::Rows).find(|g| g.default);
    table.data_space = default.map_or(DataSpaceId::PRIMARY, |g| g.id);
    let numbered = of.columns.iter().zip(1..);
    table.columns = numbered.map(|(column, id)| kept_column(column, ColumnId(id))).collect();
    table.max_column_id = ColumnId(table.columns.len() as i32);
    let is_large = |c: &ColumnDef| c.ty.is_max() || c.ty.kind.is_legacy_lob();
    table.lob_data_space = table.columns.iter().any(is_large).then_some(table.data_space);
    let kind = IndexKind::Clustered;
    let name = format!("ix_{}", place.name).into();
    let mut index = IndexDef::new(IndexId(1), name, kind, false);
    index.data_space = table.data_space;
    let period = of.period.into_iter().flat_map(|period| [period.end, period.start]);
    let places = period.filter_map(|id| of.column_ordinal(id));
    index.key =
        places.map(|at| KeyColumn { column: table.columns[at].id, descending: false }).collect();
    table.indexes.push(index);
    let database = subject.database;
    context.change(database, |task, txn, edit| edit.create_table(task, txn, table))?;
    let made = context.schema(database)?.table(id).cloned();
    Ok(made.expect("it has just been made"))
}

/// A column of a history: the values that a column of the table has had.
pub(in crate::ddl) fn kept_column(column: &ColumnDef, id: ColumnId) -> ColumnDef {
    let (ty, user_type) = match column.ty.kind {
        TypeKind::RowVersion => {
            let ty = SqlType::binary(8);
            (ty, system_type(&ty))
        }
        _ => (column.ty, column.user_type),
    };
    ColumnDef {
        id,
        ty,
        user_type,
        identity: None,
        rowguidcol: false,
        computed: None,
        default: None,
        bound_default: None,
        bound_rule: None,
        hidden: false,
        ..column.clone()
    }
}

/// Looks at a table that is to be a history. Its full name, or errors 13514 to 13533, 13574, 13580,
/// 13738.
pub(super) fn checked(
    context: &Context<'_>,
    subject: &Subject,
    history: &TableDef,
    is_new: bool,
) -> DdlResult<String> {
    let schema = context.schema(subject.database)?;
    let name = full_name(context, subject.database, &schema, history);
    if is_new {
        return Ok(name);
    }
    if !history.derived_indexes.is_empty() {
        let what = "XML or spatial index of a history table";
        return Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into());
    }
    let any = |test: fn(&ColumnDef) -> bool| history.columns.iter().any(test);
    let refused: [(bool, &Message); 11] = [
        (history.kind.is_memory_optimized(), &message::HISTORY_MEMORY_OPTIMIZED),
        (history.period.is_some(), &message::HISTORY_HAS_PERIOD),
        (history.history_of.is_some(), &message::HISTORY_IN_USE),
        (history.indexes.iter().any(|i| i.unique), &message::HISTORY_HAS_UNIQUE_KEYS),
        (
            !history.foreign_keys.is_empty() || !history.referenced_by.is_empty(),
            &message::HISTORY_HAS_FOREIGN_KEYS,
        ),
        (!history.checks.is_empty(), &message::HISTORY_HAS_CONSTRAINTS),
        (any(|c| c.identity.is_some()), &message::HISTORY_HAS_IDENTITY),
        (any(|c| c.computed.is_some()), &message::HISTORY_HAS_COMPUTED),
        (any(|c| c.ty.kind == TypeKind::RowVersion), &message::HISTORY_HAS_COMPUTED),
        (!history.triggers.is_empty(), &message::HISTORY_HAS_TRIGGERS),
        (any(|c| c.rowguidcol), &message::HISTORY_HAS_ROWGUID),
    ];
    if let Some((_, message)) = refused.iter().find(|refused| refused.0) {
        return Err(SqlError::new(message, &[&name]).into());
    }
    check_columns(subject, history, &name)?;
    Ok(name)
}

/// Errors 13523 to 13533: columns correspond by their order.
fn check_columns(subject: &Subject, history: &TableDef, name: &str) -> DdlResult<()> {
    let (table, own) = (&subject.table, &subject.name);
    let fail = |message: &Message, args: &[Shown]| Err(SqlError::new(message, args).into());
    let (here, there) = (table.columns.len(), history.columns.len());
    if here != there {
        return fail(&message::HISTORY_COLUMN_COUNT, &[own, &here, &name, &there]);
    }
    for (at, (column, kept)) in table.columns.iter().zip(&history.columns).enumerate() {
        let wanted = kept_column(column, column.id);
        if !subject.schema.same_name(&column.name, &kept.name) {
            let args: [Shown; 5] = [&kept.name, &(at + 1), &name, &column.name, own];
            return fail(&message::HISTORY_COLUMN_NAME, &args);
        }
        let plain = |ty: &SqlType| ty.with_collation(base::Collation::default());
        if plain(&wanted.ty) != plain(&kept.ty) {
            let args: [Shown; 5] = [&kept.name, &kept.ty, &name, &column.ty, own];
            return fail(&message::HISTORY_COLUMN_TYPE, &args);
        }
        let both: [Shown; 3] = [&column.name, own, &name];
        if wanted.ty.kind.is_character() && wanted.ty.collation != kept.ty.collation {
            return fail(&message::HISTORY_COLUMN_COLLATION, &both);
        }
        if table.generated(column.id).is_some() && kept.nullable {
            return fail(&message::HISTORY_PERIOD_NULLABLE, &[&column.name, &name, own]);
        }
        if column.ansi_padded != kept.ansi_padded {
            return fail(&message::HISTORY_COLUMN_TRIMMING, &both);
        }
        if column.nullable != kept.nullable {
            return fail(&message::HISTORY_COLUMN_NULLABILITY, &both);
        }
        if column.sparse != kept.sparse {
            return fail(&message::HISTORY_COLUMN_SPARSE, &both);
        }
    }
    Ok(())
}

/// `DATA_CONSISTENCY_CHECK`. Errors 13540, 13541, 13543, 13573.
pub(super) fn check_rows(
    context: &mut Context<'_>,
    subject: &Subject,
    history: &TableDef,
    name: &str,
) -> DdlResult<()> {
    let table = &subject.table;
    let Some(period) = table.period else { return Ok(()) };
    let column = |of: &TableDef, id| {
        let at = table.column_ordinal(id)?;
        Some(tsql::quote_identifier(&of.columns[at].name))
    };
    let names = |of| Some((column(of, period.start)?, column(of, period.end)?));
    let (Some((start, end)), Some((from, to))) = (names(table), names(history)) else {
        return Ok(());
    };
    let (current, past) = (quoted(&subject.schema, table), {
        let schema = context.schema(subject.database)?;
        quoted(&schema, history)
    });
    let key = table.primary_key().map_or(&[][..], |key| &key.key);
    let keys = |of: &TableDef| {
        let columns = key.iter().filter_map(|k| column(of, k.column));
        let named = columns.enumerate().map(|(at, column)| format!("{column} AS k{at}"));
        named.collect::<Vec<_>>().join(", ")
    };
    let numbered = (0..key.len()).map(|at| format!("k{at}")).collect::<Vec<_>>().join(", ");
    let overlaps = format!(
        "SELECT 1 AS x FROM (SELECT s, LAG(e) OVER (PARTITION BY {numbered} ORDER BY s, e) AS p \
         FROM (SELECT {}, {start} AS s, {end} AS e FROM {current} \
         UNION ALL SELECT {}, {from} AS s, {to} AS e FROM {past} WHERE {from} <> {to}) AS u) AS v \
         WHERE p > s",
        keys(table),
        keys(history)
    );
    let rules: [(String, &Message, &str); 4] = [
        (
            format!("SELECT 1 AS x FROM {current} WHERE {end} < {start}"),
            &message::CURRENT_END_BEFORE_START,
            &subject.name,
        ),
        (
            format!("SELECT 1 AS x FROM {past} WHERE {to} < {from}"),
            &message::HISTORY_END_BEFORE_START,
            name,
        ),
        (
            format!("SELECT 1 AS x FROM {past} WHERE {to} > SYSUTCDATETIME()"),
            &message::HISTORY_END_IN_FUTURE,
            name,
        ),
        (overlaps, &message::HISTORY_OVERLAPS, name),
    ];
    for (query, message, about) in rules {
        if data::exists(context, subject.database, &query)? {
            return Err(SqlError::new(message, &[&about]).into());
        }
    }
    Ok(())
}
