//! Errors about rows and tables, with the names that users know.

use base::collation::codepage::unicode_to_string;
use base::ids::DbId;
use base::types::Repr;
use base::{Arena, SqlError, SqlType, ValueRef, message};
use engine::catalog::def::{IndexDef, TableDef};
use engine::hot::row::RowLayout;
use engine::hot::tally::Exhausted;
use engine::txn::{PageFault, TxnError};
use ir::Unit;
use ir::operator::TableVarId;
use ir::site::{Rule, TargetTable, Violation};
use ir::unit::TableUse;

use crate::interp::host::{Host, TableName};

/// The error of a statement on this table when the engine refuses an operation.
#[cold]
pub fn from_engine(error: &TxnError, host: &dyn Host, used: &TableUse) -> SqlError {
    of_table(error, host, used.database, &used.table)
}

/// As `from_engine`, for a table that no unit uses.
pub fn of_table(error: &TxnError, host: &dyn Host, database: DbId, table: &TableDef) -> SqlError {
    let name = host.table_name(Some(database), table);
    match error {
        TxnError::DuplicateKey { index, row, .. } => {
            let layout = ir::place::engine_layout(table);
            duplicate(table, *index, row, &layout, &name.table)
        }
        TxnError::SnapshotConflict { .. } => from_message(error, &[&name.table, &name.database]),
        TxnError::OutOfMemory(Exhausted::Database) => {
            from_message(error, &[&host.pool_name(database)])
        }
        TxnError::LogFull => from_message(error, &[&name.database, &host.log_wait(database)]),
        TxnError::Deadlock => from_message(error, &[&host.facts().session_id().0, &"lock"]),
        TxnError::Page(fault) => page_fault(fault, Some(database), Some(&name)),
        TxnError::CounterExhausted => {
            let column = table.identity_column().map(|(_, c)| c.ty);
            identity_overflow(column.unwrap_or(SqlType::bigint()))
        }
        other => from_message(other, &[]),
    }
}

/// The catalogue's message for an error of the engine.
pub fn from_message(error: &TxnError, args: &[&dyn std::fmt::Display]) -> SqlError {
    let args: &[&dyn std::fmt::Display] = match error {
        TxnError::Page(fault) => return page_fault(fault, None, None),
        // Resources of the whole server belong to the pool `default`.
        TxnError::OutOfMemory(_) | TxnError::TooManyTransactions | TxnError::ChangedTwice
            if args.is_empty() =>
        {
            &[&"default"]
        }
        _ => args,
    };
    match message::Message::find(error.number()) {
        Some(message) => SqlError::new(message, args).with_state(error.state()),
        None => {
            SqlError::custom(error.number(), error.severity(), error.state(), format!("{error:?}"))
        }
    }
}

/// As `from_message`, for an error in this database, without naming a table.
pub fn of_database(error: &TxnError, database: DbId) -> SqlError {
    match error {
        TxnError::Page(fault) => page_fault(fault, Some(database), None),
        other => from_message(other, &[]),
    }
}

/// Error 802, 823, 824 or 1105 about a page of this database and table, as far as they are known.
#[cold]
fn page_fault(fault: &PageFault, database: Option<DbId>, table: Option<&TableName>) -> SqlError {
    type Shown<'a> = &'a dyn std::fmt::Display;
    let database = database.map_or(0, |database| database.0);
    match fault {
        PageFault::Damaged { what, page, place, file } => {
            let number = place.map_or(0, |place| place.file);
            let offset = place.map_or(0, |place| place.offset());
            let page = format!("({number}:{page})");
            let offset = format!("{offset:#018x}");
            let args: [Shown<'_>; 6] = [what, &"read", &page, &database, &offset, file];
            SqlError::new(&message::LOGICAL_CONSISTENCY, &args)
        }
        PageFault::Read { why, file } => {
            let args: [Shown<'_>; 4] = [why, &"read", &format!("{:#018x}", 0), file];
            SqlError::new(&message::OPERATING_SYSTEM_ERROR, &args)
        }
        PageFault::Full { .. } => {
            let (table, database) = table.map_or(("", ""), |name| (&*name.table, &*name.database));
            let args: [Shown<'_>; 4] = [&table, &"", &database, &"PRIMARY"];
            SqlError::new(&message::OBJECT_SPACE_EXHAUSTED, &args)
        }
        PageFault::NoMemory => SqlError::new(&message::BUFFER_POOL_EXHAUSTED, &[]),
    }
}

/// Error 2601 or 2627.
fn duplicate(
    table: &TableDef,
    index: usize,
    row: &[u8],
    layout: &RowLayout,
    name: &str,
) -> SqlError {
    let Some(index) = table.indexes.get(index) else {
        return ir::internal("the hidden row number is not unique");
    };
    let key = key_text(table, index, row, layout);
    match &index.constraint {
        Some(constraint) => {
            let kind = if constraint.primary { "PRIMARY KEY" } else { "UNIQUE KEY" };
            let args: [&dyn std::fmt::Display; 4] = [&kind, &index.name, &name, &key];
            SqlError::new(&message::DUPLICATE_KEY_CONSTRAINT, &args)
        }
        None => SqlError::new(&message::DUPLICATE_KEY_UNIQUE_INDEX, &[&name, &index.name, &key]),
    }
}

/// The values of a row's key, as messages show them: `(1, abc, <NULL>)`.
pub fn key_text(table: &TableDef, index: &IndexDef, row: &[u8], layout: &RowLayout) -> String {
    let mut texts = Vec::with_capacity(index.key.len());
    for key in &index.key {
        let place = table.column_ordinal(key.column).and_then(|o| table.layout_position(o));
        let Some(place) = place else { continue };
        texts.push(text(layout.get(row, place), &layout.columns()[place].ty));
    }
    format!("({})", texts.join(", "))
}

/// A value as messages show it: bytes in hexadecimal, NULL as `<NULL>`.
pub fn text(value: ValueRef<'_>, ty: &SqlType) -> String {
    if value.is_null() {
        return "<NULL>".into();
    }
    if let (Repr::Bytes, ValueRef::Bytes(bytes)) = (ty.kind.repr(), value) {
        return bytes.iter().fold("0x".into(), |text, byte| format!("{text}{byte:02x}"));
    }
    let arena = Arena::new();
    let wanted = SqlType::nvarchar_max(ty.collation);
    let options = base::ConvertOptions::default();
    match base::convert(value, ty, &wanted, &options, &arena) {
        Ok(ValueRef::Unicode(bytes)) => unicode_to_string(bytes).trim_end().to_string(),
        _ => String::new(),
    }
}

/// Error 2627 about a table variable.
#[cold]
pub fn duplicate_in_variable(
    unit: &Unit,
    var: TableVarId,
    index: usize,
    row: &[u8],
    layout: &RowLayout,
) -> SqlError {
    let site = unit.targets.iter().find(|t| t.table == TargetTable::Variable(var));
    match site.and_then(|s| s.definition.as_ref()) {
        Some(table) => {
            let name = format!("dbo.{}", table.header.name);
            duplicate(table, index, row, layout, &name)
        }
        None => ir::internal("a table variable has no definition"),
    }
}

/// The error of a change to a read-only table variable: internal, since the binder refuses such
/// changes.
#[cold]
pub fn read_only_variable() -> SqlError {
    ir::internal("a table variable cannot be changed here")
}

/// Error 8115: an identity column's type does not hold its next value.
#[cold]
pub fn identity_overflow(ty: SqlType) -> SqlError {
    SqlError::new(&message::OVERFLOW_CONVERTING, &[&"IDENTITY", &ty.kind])
}

/// The error of a row that violates a rule of its table.
#[cold]
pub fn violation(violation: &Violation, host: &dyn Host) -> SqlError {
    let name = host.table_name(violation.database, &violation.table);
    let qualified = match violation.database {
        Some(_) => format!("{}.{}", name.database, name.table),
        None => name.table.clone(),
    };
    match &violation.rule {
        Rule::NotNull(column) => {
            let args: [&dyn std::fmt::Display; 3] = [column, &qualified, &violation.statement];
            SqlError::new(&message::NULL_NOT_ALLOWED, &args)
        }
        Rule::MissingGroup => {
            let args: [&dyn std::fmt::Display; 3] = [&1, &violation.table.id(), &name.database];
            SqlError::new(&message::INDEX_ENTRY_NOT_FOUND, &args)
        }
        Rule::PeriodStart => SqlError::new(&message::TRANSACTION_TIME_TOO_EARLY, &[&qualified]),
        Rule::BlockPredicate => SqlError::new(&message::BLOCK_PREDICATE_CONFLICT, &[&qualified]),
        Rule::Bound(column) => {
            let args: [&dyn std::fmt::Display; 3] = [&name.database, &name.table, column];
            SqlError::new(&message::RULE_CONFLICT, &args)
        }
        Rule::CheckOption => SqlError::new(&message::VIEW_CHECK_OPTION_FAILED, &[]),
        Rule::Constraint { kind, name: constraint, table, column } => {
            let table: &dyn std::fmt::Display = match table {
                Some(table) => table,
                None => &name.table,
            };
            let column = column.as_ref().map_or(String::new(), |c| format!(", column '{c}'"));
            let args: [&dyn std::fmt::Display; 6] =
                [&violation.statement, kind, constraint, &name.database, table, &column];
            SqlError::new(&message::CONSTRAINT_CONFLICT, &args)
        }
    }
}
