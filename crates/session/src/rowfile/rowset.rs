//! `OPENROWSET(BULK …)` with a format file: the rows of a file as a source of plans.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::sync::{Arc, Weak};

use base::account::Charged;
use base::arithmetic::compare;
use base::ids::{DbId, ObjectId};
use base::text::identifier::same_identifier;
use base::{Arena, Collation, SqlError, SqlResult, SqlType, Unpaced, Value, message};
use compile::bind::context::FileRows;
use engine::catalog::def::{
    ColumnDef, ColumnId, DateTime, ObjectHeader, Permission, SchemaId, TableDef, UserTypeId,
};
use ir::function::facts::{FnContext, SessionFacts};
use ir::function::rowset::Emit;
use ir::function::stream::{Report, Stream, StreamSource};
use tsql::ast;

use super::format::{HostField, RowsetColumn, Takers};
use super::options::{Options, Order};
use super::reading::{Plan, Reader, Surroundings, Taker, host_fields, missing_at};
use crate::instance::Instance;
use crate::security::WHOLE_SERVER;

/// A file that plans read.
#[derive(Debug)]
struct FileSource {
    plan: Arc<Plan>,
    order: Option<Arc<KnownOrder>>,
    /// Plans must not keep the server that keeps them.
    instance: Weak<Instance>,
}

/// The order that the rows have.
#[derive(Debug)]
struct KnownOrder {
    /// The place, type and direction of each column.
    keys: Vec<(usize, SqlType, bool)>,
    unique: bool,
    /// What the statement calls the rows.
    name: Arc<str>,
}

/// The rows of a file, and their columns, for a statement in a database of this collation. Errors
/// 472, 4834, 4860, 15808 and those of the options and of the format file.
pub fn file_rows(
    facts: &dyn SessionFacts,
    instance: &Arc<Instance>,
    file: &ast::TableFile,
    options: &[ast::BulkOption],
    collation: Collation,
) -> SqlResult<FileRows> {
    let options = Options::of(options)?;
    let Some(format_file) = &options.format_file else {
        let missing =
            if options.csv { &message::NO_FILE_CONTENT } else { &message::BULK_NO_SCHEMA };
        return Err(SqlError::new(missing, &[]));
    };
    check_permission(facts)?;
    let (fs, rules) = (instance.env().fs(), instance.files());
    let hosts = host_fields(fs, rules, format_file, Takers::Rowset(collation), &Unpaced)?;
    let (takers, columns) = takers_of(&hosts, format_file)?;
    let order = options.order.as_ref();
    let order = order.map(|order| known_order(order, &columns, &file.alias.name.name));
    let order = order.transpose()?.map(Arc::new);
    let plan = Arc::new(Plan { path: file.path.clone(), options, takers, hosts });
    let source = FileSource { plan, order, instance: Arc::downgrade(instance) };
    Ok(FileRows { source: Arc::new(source), table: shape_of(columns) })
}

/// Error 4834.
fn check_permission(facts: &dyn SessionFacts) -> SqlResult<()> {
    let permission = Permission::AdministerBulkOperations;
    match facts.is_permitted(DbId::MASTER, WHOLE_SERVER, permission) {
        true => Ok(()),
        false => Err(SqlError::new(&message::BULK_PERMISSION, &[]).with_state(4)),
    }
}

/// What takes each field, and the columns in the order of the format file. Errors 492, 4823.
fn takers_of(
    hosts: &[HostField],
    format_file: &str,
) -> SqlResult<(Vec<Option<Taker>>, Vec<RowsetColumn>)> {
    let mut described: Vec<(usize, usize, &RowsetColumn)> = (hosts.iter().enumerate())
        .filter_map(|(field, host)| Some((host.column?, field, host.rowset.as_ref()?)))
        .collect();
    described.sort_by_key(|(column, ..)| *column);
    if described.is_empty() {
        return Err(SqlError::new(&message::BULK_FORMAT_COLUMN, &[&format_file]));
    }
    let mut takers = vec![None; hosts.len()];
    let mut columns: Vec<RowsetColumn> = Vec::with_capacity(described.len());
    for (place, (_, field, column)) in described.into_iter().enumerate() {
        if columns.iter().any(|other| same_identifier(&other.name, &column.name)) {
            return Err(SqlError::new(&message::BULK_DUPLICATE_COLUMN, &[&column.name]));
        }
        let name = Arc::from(column.name.as_str());
        let (ty, takes_null) = (column.ty, column.nullable);
        takers[field] = Some(Taker { place, name, ty, takes_null });
        columns.push(column.clone());
    }
    Ok((takers, columns))
}

/// The order of columns. Error 207 for an unknown one.
fn known_order(order: &Order, columns: &[RowsetColumn], name: &Arc<str>) -> SqlResult<KnownOrder> {
    let key = |(column, descending): &(ast::Ident, bool)| {
        let place = columns.iter().position(|own| same_identifier(&own.name, &column.name));
        let place =
            place.ok_or_else(|| SqlError::new(&message::INVALID_COLUMN, &[&column.name]))?;
        Ok((place, columns[place].ty, *descending))
    };
    let keys = order.columns.iter().map(key).collect::<SqlResult<_>>()?;
    Ok(KnownOrder { keys, unique: order.unique, name: name.clone() })
}

fn shape_of(columns: Vec<RowsetColumn>) -> Arc<TableDef> {
    let none = DateTime { days: 0, ticks: 0 };
    let header = ObjectHeader {
        id: ObjectId(0),
        schema: SchemaId::DBO,
        name: "OPENROWSET".into(),
        owner: None,
        created: none,
        modified: none,
        ms_shipped: false,
    };
    let column = |(at, of): (usize, RowsetColumn)| {
        let user_type = UserTypeId(i32::from(of.ty.kind.user_type_id()));
        let mut column =
            ColumnDef::new(ColumnId(at as i32 + 1), of.name.as_str().into(), of.ty, user_type);
        column.nullable = of.nullable;
        column
    };
    TableDef::shape(header, columns.into_iter().enumerate().map(column).collect())
}

impl StreamSource for FileSource {
    fn name(&self) -> &str {
        "BULK"
    }

    fn open(&self, facts: &dyn SessionFacts) -> SqlResult<Box<dyn Stream>> {
        check_permission(facts)?;
        let stopped = || ir::internal("a statement runs in a server that is gone");
        let instance = self.instance.upgrade().ok_or_else(stopped)?;
        let reader = Reader::open(&self.plan, instance.env().fs(), instance.files());
        let reader = reader.map_err(|error| missing_at(error, 4))?;
        let order = self.order.clone();
        Ok(Box::new(OpenFile { reader, instance, order, before: Vec::new(), memory: None }))
    }
}

/// A file that is being read.
struct OpenFile {
    reader: Reader,
    instance: Arc<Instance>,
    order: Option<Arc<KnownOrder>>,
    /// The values of the row before in the columns of the order.
    before: Vec<Value>,
    /// Where rows are, after the first one.
    memory: Option<Memory>,
}

/// What a file that is being read takes.
struct Memory {
    /// The values of the row.
    arena: Arena,
    /// The charge for the bytes of the file that are at hand.
    at_hand: Option<Charged>,
}

impl Memory {
    /// None yet, on the account of an arena.
    fn beside(arena: &Arena) -> SqlResult<Memory> {
        let at_hand = arena.account().map(|account| Charged::take(account, 0)).transpose()?;
        Ok(Memory { arena: arena.beside(), at_hand })
    }
}

impl std::fmt::Debug for OpenFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.reader.fmt(f)
    }
}

impl Stream for OpenFile {
    fn next(
        &mut self,
        context: &FnContext<'_>,
        report: &mut Report<'_>,
        emit: &mut Emit<'_>,
    ) -> SqlResult<bool> {
        let fs = self.instance.env().fs();
        let around = Surroundings { dates: context.facts.dates(), collections: None };
        let memory = match &mut self.memory {
            Some(memory) => memory,
            none => none.insert(Memory::beside(context.arena)?),
        };
        loop {
            memory.arena.reset();
            if !self.reader.advance(fs, context, report)? {
                self.reader.finish()?;
                return Ok(false);
            }
            if let Some(at_hand) = &mut memory.at_hand {
                at_hand.resize(self.reader.at_hand())?;
            }
            let refusal = match self.reader.values(around, &memory.arena) {
                Ok(values) => {
                    if let Some(order) = &self.order {
                        order.check(&mut self.before, &values)?;
                    }
                    emit(&values)?;
                    return Ok(true);
                }
                Err(refusal) => refusal,
            };
            self.reader.refuse(refusal, fs, report)?;
        }
    }
}

impl KnownOrder {
    /// Errors 5325 and 5326: a row comes after one that it should not come after.
    fn check(&self, before: &mut Vec<Value>, row: &[base::ValueRef<'_>]) -> SqlResult<()> {
        let mut found = Ordering::Less;
        for ((place, ty, descending), value) in self.keys.iter().zip(before.iter()) {
            let (a, b) = (value.as_ref(), row[*place]);
            let order = match (a.is_null(), b.is_null()) {
                (false, false) => compare(a, b, ty).unwrap_or(Ordering::Equal),
                (a, b) => b.cmp(&a),
            };
            found = if *descending { order.reverse() } else { order };
            if found.is_ne() {
                break;
            }
        }
        let is_first = before.is_empty();
        if !is_first && found.is_gt() {
            return Err(SqlError::new(&message::BULK_ORDER_WRONG, &[&self.name]));
        }
        if !is_first && found.is_eq() && self.unique {
            return Err(SqlError::new(&message::BULK_NOT_UNIQUE, &[&self.name]));
        }
        before.clear();
        before.extend(self.keys.iter().map(|(place, ..)| row[*place].to_owned()));
        Ok(())
    }
}
