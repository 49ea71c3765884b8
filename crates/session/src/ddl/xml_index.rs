//! XML indexes.
//!
//! A primary XML index is a hidden table with the entries of all documents of a column
//! (`xquery::index`), each with the primary key of its row. A secondary one is an index of that
//! table. Rows get and lose their entries by the plans of the statements that change them
//! (`compile::bind::dml::xml_index`); what is disabled has none.

use base::ids::{DbId, ObjectId};
use base::{SqlError, TypeKind, message};
use compile::bind::{self, BindContext};
use compile::lower;
use engine::catalog::def::*;
use engine::catalog::{DefinitionKey, Schema};
use ir::function::Functions as _;
use run::func;
use run::interp::Frame;
use tsql::ast::{self, AlterIndexAction, IndexOption, IndexOptionKind};

use super::alter::rebuild::{self, Rebuild};
use super::alter::{Altered, put_table};
use super::failure::DdlResult;
use super::names::DefinitionNames;
use super::place;
use super::table::{Builder, Purpose, Setting, find_index, system_type};
use super::temporal;
use crate::context::Context;
use crate::names::EngineStatistics;
use crate::program::plan::StepPlan;
use crate::program::{ProgramKind, bind_options};

type Shown<'a> = &'a dyn std::fmt::Display;

/// A primary key must have fewer columns than this.
const KEY_COLUMNS: usize = 16;
/// Bytes that its columns may take.
const KEY_BYTES: usize = 128;
/// How often the statement that fills an index is compiled anew because tables have changed.
const COMPILATIONS_MAX: u32 = 8;

/// The place of an XML index of this name.
pub(super) fn find(schema: &Schema, table: &TableDef, name: &str) -> Option<usize> {
    table.xml_indexes.iter().position(|i| schema.same_name(&i.name, name))
}

/// The tables with the entries of a table's XML indexes.
pub(super) fn nodes_of(table: &TableDef) -> impl Iterator<Item = ObjectId> + '_ {
    let primary = table.xml_indexes.iter().filter(|i| i.kind == XmlIndexKind::Primary);
    primary.map(|index| index.nodes)
}

/// `CREATE XML INDEX`. Errors 1088, 1911, 1913, 1934, 1939, 6330 to 6337, 6342 to 6346.
pub fn create(context: &mut Context<'_>, create: &ast::CreateXmlIndex) -> DdlResult<()> {
    let name = &create.table;
    let not_there = || SqlError::new(&message::CANNOT_FIND_OBJECT, &[name]).with_state(12);
    let found = place::find_to_change(context, name)?.ok_or_else(not_there)?;
    if !place::may_alter(context, &found) {
        return Err(not_there().into());
    }
    let Some(old) = found.table() else {
        let error = SqlError::new(&message::XML_INDEX_NOT_ON_TABLE, &[&name.name.name]);
        return Err(error.into());
    };
    super::index::refuse_memory(&old, "CREATE INDEX")?;
    if old.is_temporary() {
        return unimplemented("XML index of a temporary table");
    }
    if old.history_of.is_some() {
        return unimplemented("XML index of a history table");
    }
    let mut altered = Altered { database: found.database, schema: found.schema, old };
    let options = bind_options(context.session.compile_options(None), ProgramKind::Batch);
    options.check_for_xml_indexes("CREATE INDEX")?;
    let column = column(&altered, create)?;
    let options = Options::read(context, &altered, &create.options, "CREATE XML INDEX")?;
    check_name(&altered, create, options.drops_existing)?;
    let primary = match create.primary {
        true => None,
        false => Some(primary(&altered, create, column)?),
    };
    if options.drops_existing {
        altered = replaced(context, altered, create)?;
    }
    let id = altered.old.next_xml_index_id();
    let mut index = XmlIndexDef {
        id,
        name: create.name.name.clone(),
        column,
        kind: XmlIndexKind::Primary,
        primary: id,
        nodes: ObjectId(0),
        fill_factor: 0,
        padded: false,
        disabled: false,
        allow_row_locks: true,
        allow_page_locks: true,
    };
    options.apply(&mut index);
    let mut new = altered.copy(context);
    match primary {
        Some((purpose, primary)) => {
            index.kind = purpose;
            index.primary = primary.id;
            index.nodes = primary.nodes;
            add_to_nodes(context, altered.database, &index)?;
            new.xml_indexes.push(index);
            put_table(context, altered.database, new)
        }
        None => {
            check_key(&altered, create, column)?;
            index.nodes = make_nodes(context, &altered, id)?;
            new.xml_indexes.push(index);
            put_table(context, altered.database, new)?;
            fill(context, altered.database, altered.old.id(), id)
        }
    }
}

fn unimplemented<T>(what: &str) -> DdlResult<T> {
    Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into())
}

/// The column. Errors 1911, 6330, 6342.
fn column(altered: &Altered, create: &ast::CreateXmlIndex) -> DdlResult<ColumnId> {
    let name = &create.column.name;
    let same = |c: &&ColumnDef| altered.schema.same_name(&c.name, name);
    let Some(column) = altered.old.columns.iter().find(same) else {
        return Err(SqlError::new(&message::INDEX_COLUMN_NOT_FOUND, &[name]).into());
    };
    let table = altered.name();
    if column.ty.kind != TypeKind::Xml {
        let args: [Shown; 2] = [&column.name, &table];
        return Err(SqlError::new(&message::XML_INDEX_COLUMN_TYPE, &args).into());
    }
    if column.computed.is_some() {
        let args: [Shown; 3] = [&create.name.name, &table, &column.name];
        return Err(SqlError::new(&message::XML_INDEX_ON_COMPUTED, &args).into());
    }
    Ok(column.id)
}

/// Errors 1913, 6331, 6337, 7999.
fn check_name(
    altered: &Altered,
    create: &ast::CreateXmlIndex,
    drops_existing: bool,
) -> DdlResult<()> {
    let (name, old) = (&create.name.name, &altered.old);
    if let Some(first) = name.chars().next().filter(|c| matches!(c, '#' | '@')) {
        let args: [Shown; 2] = [name, &first];
        return Err(SqlError::new(&message::XML_INDEX_NAME, &args).into());
    }
    let existing = find(&altered.schema, old, name);
    if drops_existing {
        return match existing.map(|place| old.xml_indexes[place].kind) {
            Some(XmlIndexKind::Primary) if !create.primary => {
                Err(SqlError::new(&message::XML_INDEX_CONVERTED, &[name]).into())
            }
            Some(_) => Ok(()),
            None => {
                let args: [Shown; 2] = [name, &altered.name()];
                Err(SqlError::new(&message::INDEX_DOES_NOT_EXIST_ON, &args).into())
            }
        };
    }
    let same = |s: &StatisticsDef| altered.schema.same_name(&s.name, name);
    let taken = find_index(&altered.schema, old, name).is_some();
    if taken || existing.is_some() || old.statistics.iter().any(same) {
        let place = place::qualified(&altered.schema, old.header.schema, &altered.name());
        let args: [Shown; 3] = [name, &"table", &place];
        return Err(SqlError::new(&message::INDEX_EXISTS, &args).into());
    }
    Ok(())
}

/// What a secondary index is for, and its primary one. Errors 1973, 6333, 6343, 6344.
fn primary(
    altered: &Altered,
    create: &ast::CreateXmlIndex,
    column: ColumnId,
) -> DdlResult<(XmlIndexKind, XmlIndexDef)> {
    let Some(using) = &create.using else {
        let name = &create.name.name;
        return Err(SqlError::new(&message::XML_INDEX_WITHOUT_USING, &[name]).into());
    };
    let purpose = match using.purpose {
        Some(ast::XmlIndexPurpose::Path) => XmlIndexKind::Path,
        Some(ast::XmlIndexPurpose::Value) => XmlIndexKind::Value,
        Some(ast::XmlIndexPurpose::Property) => XmlIndexKind::Property,
        None => return unimplemented("selective XML index"),
    };
    let (name, table) = (&using.primary.name, altered.name());
    let found = find(&altered.schema, &altered.old, name).map(|at| &altered.old.xml_indexes[at]);
    let Some(found) = found.filter(|i| i.kind == XmlIndexKind::Primary) else {
        let args: [Shown; 3] = [&" primary", name, &table];
        return Err(SqlError::new(&message::XML_INDEX_NOT_FOUND, &args).into());
    };
    if found.column != column {
        let args: [Shown; 3] = [name, &table, &create.column.name];
        return Err(SqlError::new(&message::XML_INDEX_NO_PRIMARY, &args).into());
    }
    refuse_disabled(altered, found)?;
    Ok((purpose, found.clone()))
}

/// Error 1973.
fn refuse_disabled(altered: &Altered, index: &XmlIndexDef) -> DdlResult<()> {
    if !index.disabled {
        return Ok(());
    }
    let place = place::qualified(&altered.schema, altered.old.header.schema, &altered.name());
    let args: [Shown; 3] = [&index.name, &"table", &place];
    Err(SqlError::new(&message::INDEX_DISABLED, &args).into())
}

/// What a table needs for a primary XML index of a column. Errors 6331, 6332, 6336.
fn check_key(altered: &Altered, create: &ast::CreateXmlIndex, column: ColumnId) -> DdlResult<()> {
    let (old, table) = (&altered.old, altered.name());
    let is_other = |i: &&XmlIndexDef| i.kind == XmlIndexKind::Primary && i.column == column;
    if let Some(other) = old.xml_indexes.iter().find(is_other) {
        let args: [Shown; 3] = [&other.name, &create.column.name, &table];
        return Err(SqlError::new(&message::XML_INDEX_EXISTS, &args).into());
    }
    let key = old.primary_key();
    let key = key.filter(|k| k.kind == IndexKind::Clustered && k.key.len() < KEY_COLUMNS);
    let Some(key) = key else {
        let args: [Shown; 2] = [&table, &KEY_COLUMNS];
        return Err(SqlError::new(&message::XML_INDEX_NEEDS_PRIMARY_KEY, &args).into());
    };
    let columns = key.key.iter().filter_map(|k| old.column(k.column));
    let bytes: usize = columns.map(|c| c.ty.byte_limit()).sum();
    if bytes > KEY_BYTES {
        let args: [Shown; 3] = [&table, &bytes, &KEY_BYTES];
        return Err(SqlError::new(&message::XML_INDEX_KEY_SIZE, &args).into());
    }
    Ok(())
}

/// The table without the index that `DROP_EXISTING` replaces.
fn replaced(
    context: &mut Context<'_>,
    altered: Altered,
    create: &ast::CreateXmlIndex,
) -> DdlResult<Altered> {
    let Altered { database, schema, old } = altered;
    let Some(place) = find(&schema, &old, &create.name.name) else {
        return Ok(Altered { database, schema, old });
    };
    let id = old.id();
    drop(context, &Altered { database, schema, old }, place)?;
    let schema = context.schema(database)?;
    let old = schema.table(id).cloned().expect("only an index was dropped");
    Ok(Altered { database, schema, old })
}

/// Makes the table for the entries of an index.
fn make_nodes(context: &mut Context<'_>, altered: &Altered, index: IndexId) -> DdlResult<ObjectId> {
    let (database, old) = (altered.database, &altered.old);
    let id = context.edit(database)?.1.new_object_id();
    let now = context.now();
    let header = ObjectHeader {
        id,
        schema: SchemaId::SYS,
        name: format!("xml_index_nodes_{}_{}", old.id(), index).into(),
        owner: None,
        created: now,
        modified: now,
        ms_shipped: true,
    };
    let mut table = TableDef::new(header, TableKind::Disk, TableRole::Internal);
    table.data_space = old.data_space;
    let entries = (func::Library.xml_index_entries().columns)(&[]);
    for entry in &entries {
        let id = ColumnId(table.columns.len() as i32 + 1);
        let (name, ty) = (entry.name.into(), entry.ty);
        table.columns.push(ColumnDef::new(id, name, ty, system_type(&ty)));
    }
    let keys = old.primary_key().map_or(&[][..], |key| &key.key);
    for (at, key) in keys.iter().enumerate() {
        let id = ColumnId(table.columns.len() as i32 + 1);
        let Some(column) = old.column(key.column) else { continue };
        let kept = temporal::kept_column(column, id);
        let (name, ty) = (format!("pk{}", at + 1).into(), kept.ty);
        table.columns.push(ColumnDef::new(id, name, ty, system_type(&ty)));
    }
    table.columns.iter_mut().for_each(|column| column.nullable = false);
    table.max_column_id = ColumnId(table.columns.len() as i32);
    let mut rows =
        IndexDef::new(IndexId(1), table.header.name.clone(), IndexKind::Clustered, false);
    let key = |column: &ColumnDef| KeyColumn { column: column.id, descending: false };
    rows.key = table.columns[entries.len()..].iter().chain(&table.columns[..1]).map(key).collect();
    rows.data_space = table.data_space;
    table.indexes.push(rows);
    context.change(database, |task, txn, edit| edit.create_table(task, txn, table))?;
    Ok(id)
}

/// Adds a secondary index to the entries.
fn add_to_nodes(context: &mut Context<'_>, database: DbId, index: &XmlIndexDef) -> DdlResult<()> {
    change_nodes(context, database, index.nodes, |nodes| {
        let id = nodes.next_index_id(IndexKind::NonClustered);
        let name = index.id.to_string().into();
        let mut own = IndexDef::new(id, name, IndexKind::NonClustered, false);
        own.data_space = nodes.data_space;
        let column = |at: usize| nodes.columns.get(at).map(|c| c.id);
        let (path, value) = (column(1), column(2));
        let keys = nodes.columns.iter().skip(3).map(|c| c.id);
        let columns: Vec<ColumnId> = match index.kind {
            XmlIndexKind::Value => value.into_iter().chain(path).collect(),
            XmlIndexKind::Property => keys.chain(path).chain(value).collect(),
            _ => path.into_iter().chain(value).collect(),
        };
        let key = |column| KeyColumn { column, descending: false };
        own.key = columns.into_iter().map(key).collect();
        let place = nodes.indexes.partition_point(|other| other.id < own.id);
        nodes.indexes.insert(place, own);
    })
}

/// Removes secondary indexes from the entries.
fn take_from_nodes(
    context: &mut Context<'_>,
    database: DbId,
    nodes: ObjectId,
    gone: &[IndexId],
) -> DdlResult<()> {
    let names: Vec<String> = gone.iter().map(IndexId::to_string).collect();
    change_nodes(context, database, nodes, |nodes| {
        nodes.indexes.retain(|i| !names.iter().any(|name| **name == *i.name));
    })
}

fn change_nodes(
    context: &mut Context<'_>,
    database: DbId,
    nodes: ObjectId,
    change: impl FnOnce(&mut TableDef),
) -> DdlResult<()> {
    let schema = context.schema(database)?;
    let Some(old) = schema.table(nodes).cloned() else { return Ok(()) };
    let mut new = TableDef::clone(&old);
    change(&mut new);
    let definition = new.clone();
    let (sources, exprs) = rebuild::same_columns(&old, &definition);
    let statement = "CREATE INDEX";
    rebuild::put(context, Rebuild { database, old: &old, new, sources, exprs, statement })
}

/// Inserts the entries of all rows.
fn fill(
    context: &mut Context<'_>,
    database: DbId,
    table: ObjectId,
    index: IndexId,
) -> DdlResult<()> {
    for _ in 0..COMPILATIONS_MAX {
        let plan = filling(context, database, table, index)?;
        let Some(plan) = plan else { return Ok(()) };
        let mut frame = Frame::default();
        let ran = context.run_plan(&plan, &mut frame, |context, unit, frame| {
            context.run_unit_and_triggers(unit, frame)
        });
        if ran.map_err(|fault| fault.error)?.is_some() {
            return Ok(());
        }
    }
    Err(SqlError::new(&message::OUT_OF_PLAN_RESOURCES, &[]).into())
}

fn filling(
    context: &Context<'_>,
    database: DbId,
    table: ObjectId,
    index: IndexId,
) -> DdlResult<Option<StepPlan>> {
    let session = &*context.session;
    let schema = context.schema(database)?;
    let Some(table) = schema.table(table) else { return Ok(None) };
    let Some(index) = table.xml_indexes.iter().find(|i| i.id == index) else { return Ok(None) };
    let options = session.compile_options(None);
    let names = DefinitionNames::new(session, database);
    let statistics = EngineStatistics::new(session, context.task);
    let binding = BindContext {
        names: &names,
        options: bind_options(options, ProgramKind::Batch),
        statistics: &statistics,
    };
    let bound = bind::xml_index_entries(&binding, database, table, index)?;
    let unit = lower::statement(&bound.plan, options.lowering())?;
    let (facts, dependencies) = (bound.facts, bound.dependencies);
    Ok(Some(StepPlan { unit, facts, dependencies, options }))
}

/// Empties the entries of an index.
fn empty(context: &mut Context<'_>, database: DbId, nodes: ObjectId) -> DdlResult<()> {
    context.change(database, |task, txn, edit| edit.truncate_table(task, txn, nodes))?;
    Ok(())
}

/// Empties the entries of a table that has been truncated.
pub(super) fn truncate(
    context: &mut Context<'_>,
    database: DbId,
    table: &TableDef,
) -> DdlResult<()> {
    nodes_of(table).try_for_each(|nodes| empty(context, database, nodes))
}

/// Drops the entries of a table that has been dropped.
pub(super) fn remove(context: &mut Context<'_>, database: DbId, table: &TableDef) -> DdlResult<()> {
    nodes_of(table).try_for_each(|nodes| drop_nodes(context, database, nodes))
}

fn drop_nodes(context: &mut Context<'_>, database: DbId, nodes: ObjectId) -> DdlResult<()> {
    let key = DefinitionKey::Object(nodes);
    context.change(database, |task, txn, edit| edit.drop(task, txn, key))?;
    Ok(())
}

/// `DROP INDEX` of the XML index at a place; a primary one takes the others with it.
pub(super) fn drop(context: &mut Context<'_>, altered: &Altered, place: usize) -> DdlResult<()> {
    let index = &altered.old.xml_indexes[place];
    let mut new = altered.copy(context);
    let is_primary = index.kind == XmlIndexKind::Primary;
    new.xml_indexes.retain(|i| i.id != index.id && !(is_primary && i.primary == index.id));
    put_table(context, altered.database, new)?;
    match is_primary {
        true => drop_nodes(context, altered.database, index.nodes),
        false => take_from_nodes(context, altered.database, index.nodes, &[index.id]),
    }
}

/// `ALTER INDEX` of the XML index with this id. Errors 155, 401, 1973.
pub(super) fn alter(
    context: &mut Context<'_>,
    altered: &Altered,
    id: IndexId,
    action: &AlterIndexAction,
) -> DdlResult<()> {
    let Some(place) = altered.old.xml_indexes.iter().position(|i| i.id == id) else {
        return Ok(());
    };
    match action {
        AlterIndexAction::Rebuild { partition: None, options } => {
            let options = Options::read(context, altered, options, "ALTER INDEX REBUILD")?;
            rebuild_one(context, altered, place, &options)
        }
        AlterIndexAction::Disable => disable(context, altered, place),
        AlterIndexAction::Set(options) => {
            let options = Options::read(context, altered, options, "ALTER INDEX SET")?;
            let mut new = altered.copy(context);
            options.apply(&mut new.xml_indexes[place]);
            put_table(context, altered.database, new)
        }
        _ => Ok(()),
    }
}

fn rebuild_one(
    context: &mut Context<'_>,
    altered: &Altered,
    place: usize,
    options: &Options,
) -> DdlResult<()> {
    let (database, index) = (altered.database, &altered.old.xml_indexes[place]);
    let mut new = altered.copy(context);
    options.apply(&mut new.xml_indexes[place]);
    new.xml_indexes[place].disabled = false;
    if index.kind == XmlIndexKind::Primary {
        empty(context, database, index.nodes)?;
        put_table(context, database, new)?;
        return fill(context, database, altered.old.id(), index.id);
    }
    let primary = altered.old.xml_indexes.iter().find(|i| i.id == index.primary);
    primary.map_or(Ok(()), |primary| refuse_disabled(altered, primary))?;
    if index.disabled {
        add_to_nodes(context, database, index)?;
    }
    put_table(context, database, new)
}

/// A primary index that is disabled has no entries, and disables those that are made of it.
fn disable(context: &mut Context<'_>, altered: &Altered, place: usize) -> DdlResult<()> {
    let (database, index) = (altered.database, &altered.old.xml_indexes[place]);
    let is_primary = index.kind == XmlIndexKind::Primary;
    let mut new = altered.copy(context);
    let mut gone = Vec::new();
    for other in &mut new.xml_indexes {
        if other.id == index.id || is_primary && other.primary == index.id {
            other.disabled = true;
            gone.push(other.id);
        }
    }
    put_table(context, database, new)?;
    if is_primary {
        empty(context, database, index.nodes)?;
    }
    take_from_nodes(context, database, index.nodes, &gone)
}

/// What `WITH (…)` says.
struct Options {
    own: IndexDef,
    set: Vec<IndexOptionKind>,
    drops_existing: bool,
}

impl Options {
    /// Errors 129, 155, 401.
    fn read(
        context: &Context<'_>,
        altered: &Altered,
        options: &[IndexOption],
        statement: &str,
    ) -> DdlResult<Options> {
        use IndexOptionKind as O;
        let names = DefinitionNames::new(context.session, altered.database);
        let setting = Setting::new(context.session, &names, altered.database)?;
        let table = TableDef::clone(&altered.old);
        let mut builder = Builder::new(&setting, table, Purpose::Table, Vec::new());
        let mut own = IndexDef::new(IndexId(0), "".into(), IndexKind::NonClustered, false);
        let (mut set, mut drops_existing) = (Vec::new(), false);
        for option in options {
            let unknown = |name: &str| {
                let error = SqlError::new(&message::UNRECOGNIZED_OPTION, &[&name, &statement]);
                DdlResult::Err(error.at_line(option.span.line).into())
            };
            match &option.kind {
                O::IgnoreDupKey(true) => return unknown("ignore_dup_key"),
                O::Online(true) => return unknown("online"),
                O::Resumable(true) => return unknown("resumable"),
                O::XmlCompression(true) => return unimplemented("XML_COMPRESSION"),
                O::DropExisting(on) => drops_existing = *on,
                kind => {
                    let read = builder.option(&mut own, kind);
                    read.map_err(|failure| failure.at_line(option.span.line))?;
                    set.push(kind.clone());
                }
            }
        }
        Ok(Options { own, set, drops_existing })
    }

    fn apply(&self, index: &mut XmlIndexDef) {
        for option in &self.set {
            match option {
                IndexOptionKind::AllowRowLocks(on) => index.allow_row_locks = *on,
                IndexOptionKind::AllowPageLocks(on) => index.allow_page_locks = *on,
                IndexOptionKind::PadIndex(on) => index.padded = *on,
                IndexOptionKind::FillFactor(_) => index.fill_factor = self.own.fill_factor,
                _ => {}
            }
        }
    }
}
