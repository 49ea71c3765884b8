//! XML indexes: what `CREATE XML INDEX` says.
//!
//! A selective XML index is a primary one of some paths (`super::xml_selective`).

use base::ids::ObjectId;
use base::{SqlError, TypeKind, message};
use engine::catalog::def::*;
use ir::function::Functions as _;
use run::func;
use tsql::ast;

use super::alter::{Altered, put_table};
use super::derived_index::{
    Options, add_to_nodes, fill, find, make_entries, refuse_disabled, replaced, unimplemented,
};
use super::failure::DdlResult;
use super::place;
use super::table::find_index;
use super::xml_selective::{self, Paths};
use crate::context::Context;
use crate::program::{ProgramKind, bind_options};

type Shown<'a> = &'a dyn std::fmt::Display;

/// A primary key must have fewer columns than this.
const KEY_COLUMNS: usize = 16;
/// Bytes that its columns may take.
const KEY_BYTES: usize = 128;

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
    options.check_for_derived_indexes("CREATE INDEX")?;
    let column = column(&altered, create)?;
    let options = Options::read(context, &altered, &create.options, "CREATE XML INDEX")?;
    check_name(&altered, create, options.drops_existing)?;
    let primary = match create.primary || create.selective.is_some() {
        true => None,
        false => Some(primary(&altered, create, column)?),
    };
    if options.drops_existing {
        altered = replaced(context, altered, &create.name.name)?;
    }
    let id = altered.old.next_derived_index_id(DerivedIndexKind::Primary);
    let mut index = DerivedIndexDef {
        id,
        name: create.name.name.clone(),
        column,
        kind: DerivedIndexKind::Primary,
        primary: id,
        nodes: ObjectId(0),
        fill_factor: 0,
        padded: false,
        disabled: false,
        allow_row_locks: true,
        allow_page_locks: true,
        tessellation: None,
        paths: Vec::new(),
        namespaces: Vec::new(),
        path: 0,
    };
    options.apply(&mut index);
    if let Some(written) = &create.selective {
        index.kind = DerivedIndexKind::Selective;
        let made = Paths::new(context, &altered, column, &index.name, written)?;
        (index.paths, index.namespaces) = (made.paths, made.namespaces);
    }
    let mut new = altered.copy(context);
    let place = new.derived_indexes.partition_point(|other| other.id < id);
    match primary {
        Some((purpose, path, primary)) => {
            (index.kind, index.path) = (purpose, path);
            index.primary = primary.id;
            index.nodes = primary.nodes;
            add_to_nodes(context, altered.database, &index)?;
            new.derived_indexes.insert(place, index);
            put_table(context, altered.database, new)
        }
        None => {
            check_key(&altered, create, column)?;
            let what = match index.kind {
                DerivedIndexKind::Selective => "xml_sxi_table",
                _ => "xml_index_nodes",
            };
            let name = format!("{what}_{}_{id}", altered.old.id());
            let entries = (func::Library.xml_index_entries().columns)(&[]);
            index.nodes = make_entries(context, &altered, &name, &entries, |_| {})?;
            new.derived_indexes.insert(place, index);
            put_table(context, altered.database, new)?;
            fill(context, altered.database, altered.old.id(), id)
        }
    }
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
        return match existing.map(|place| old.derived_indexes[place].kind) {
            Some(DerivedIndexKind::Primary) if !create.primary => {
                Err(SqlError::new(&message::XML_INDEX_CONVERTED, &[name]).into())
            }
            Some(DerivedIndexKind::Selective) if create.selective.is_none() => {
                Err(SqlError::new(&message::SELECTIVE_CONVERTED, &[name]).into())
            }
            Some(DerivedIndexKind::Spatial) | None => {
                let args: [Shown; 2] = [name, &altered.name()];
                Err(SqlError::new(&message::INDEX_DOES_NOT_EXIST_ON, &args).into())
            }
            Some(_) => Ok(()),
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

/// What a secondary index is for, the path of a selective one, and its primary one. Errors 1973,
/// 6333, 6343, 6344, and those of a selective one.
fn primary(
    altered: &Altered,
    create: &ast::CreateXmlIndex,
    column: ColumnId,
) -> DdlResult<(DerivedIndexKind, i32, DerivedIndexDef)> {
    let Some(using) = &create.using else {
        let name = &create.name.name;
        return Err(SqlError::new(&message::XML_INDEX_WITHOUT_USING, &[name]).into());
    };
    if let Some(path) = &using.path {
        let (found, path) = xml_selective::secondary(altered, create, using, &path.name, column)?;
        refuse_disabled(altered, found)?;
        return Ok((DerivedIndexKind::SelectivePath, path, found.clone()));
    }
    let purpose = match using.purpose {
        Some(ast::XmlIndexPurpose::Path) => DerivedIndexKind::Path,
        Some(ast::XmlIndexPurpose::Value) => DerivedIndexKind::Value,
        Some(ast::XmlIndexPurpose::Property) => DerivedIndexKind::Property,
        None => return unimplemented("XML index FOR nothing"),
    };
    let (name, table) = (&using.primary.name, altered.name());
    let found =
        find(&altered.schema, &altered.old, name).map(|at| &altered.old.derived_indexes[at]);
    let Some(found) = found.filter(|i| i.kind == DerivedIndexKind::Primary) else {
        let args: [Shown; 3] = [&" primary", name, &table];
        return Err(SqlError::new(&message::XML_INDEX_NOT_FOUND, &args).into());
    };
    if found.column != column {
        let args: [Shown; 3] = [name, &table, &create.column.name];
        return Err(SqlError::new(&message::XML_INDEX_NO_PRIMARY, &args).into());
    }
    refuse_disabled(altered, found)?;
    Ok((purpose, 0, found.clone()))
}

/// What a table needs for a primary or selective XML index of a column. Errors 6331, 6332, 6336,
/// 6378, 6379.
fn check_key(altered: &Altered, create: &ast::CreateXmlIndex, column: ColumnId) -> DdlResult<()> {
    let (old, table) = (&altered.old, altered.name());
    let (kind, exists, needs_key) = match create.selective.is_some() {
        false => (
            DerivedIndexKind::Primary,
            &message::XML_INDEX_EXISTS,
            &message::XML_INDEX_NEEDS_PRIMARY_KEY,
        ),
        true => {
            (DerivedIndexKind::Selective, &message::SELECTIVE_EXISTS, &message::SELECTIVE_NEEDS_KEY)
        }
    };
    let is_other = |i: &&DerivedIndexDef| i.kind == kind && i.column == column;
    if let Some(other) = old.derived_indexes.iter().find(is_other) {
        let args: [Shown; 3] = [&other.name, &create.column.name, &table];
        return Err(SqlError::new(exists, &args).into());
    }
    let key = old.primary_key();
    let key = key.filter(|k| k.kind == IndexKind::Clustered && k.key.len() < KEY_COLUMNS);
    let Some(key) = key else {
        let args: [Shown; 2] = [&table, &KEY_COLUMNS];
        return Err(SqlError::new(needs_key, &args).into());
    };
    let columns = key.key.iter().filter_map(|k| old.column(k.column));
    let bytes: usize = columns.map(|c| c.ty.byte_limit()).sum();
    if bytes > KEY_BYTES {
        let args: [Shown; 3] = [&table, &bytes, &KEY_BYTES];
        return Err(SqlError::new(&message::XML_INDEX_KEY_SIZE, &args).into());
    }
    Ok(())
}
