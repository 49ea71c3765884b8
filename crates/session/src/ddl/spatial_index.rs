//! Spatial indexes: what `CREATE SPATIAL INDEX` says.

use base::{SqlError, TypeKind, message};
use engine::catalog::def::*;
use ir::function::Functions as _;
use run::func;
use tsql::ast::{self, Ident, SpatialParameterKind};

use super::alter::{Altered, put_table};
use super::derived_index::{Options, fill, find, make_entries, replaced, unimplemented};
use super::failure::DdlResult;
use super::place;
use super::table::find_index;
use crate::context::Context;
use crate::program::{ProgramKind, bind_options};

type Shown<'a> = &'a dyn std::fmt::Display;

/// How messages call the statement and the index.
const STATEMENT: &str = "SPATIAL INDEX";
const INDEX: &str = "spatial";

/// Columns that a primary key may have.
const KEY_COLUMNS: usize = 15;
/// Bytes that they may take.
const KEY_BYTES: usize = 895;

/// The most cells per shape that can be asked for.
const CELLS_MAX: i64 = 8192;

const BOUNDS: [&str; 4] = ["XMIN", "YMIN", "XMAX", "YMAX"];
const LEVELS: [&str; 4] = ["LEVEL_1", "LEVEL_2", "LEVEL_3", "LEVEL_4"];

/// `CREATE SPATIAL INDEX`. Errors 1088, 1911, 1913, 1934, 1939, 7999, 12002 to 12008, 12011 to
/// 12016.
pub fn create(context: &mut Context<'_>, create: &ast::CreateSpatialIndex) -> DdlResult<()> {
    let name = &create.table;
    let not_there = || SqlError::new(&message::CANNOT_FIND_OBJECT, &[name]).with_state(12);
    let found = place::find_to_change(context, name)?.ok_or_else(not_there)?;
    if !place::may_alter(context, &found) {
        return Err(not_there().into());
    }
    let Some(old) = found.table() else {
        let what = "spatial index of a view";
        return unimplemented(what);
    };
    super::index::refuse_memory(&old, "CREATE INDEX")?;
    if old.is_temporary() {
        return unimplemented("spatial index of a temporary table");
    }
    if old.history_of.is_some() {
        return unimplemented("spatial index of a history table");
    }
    if create.on.is_some() {
        return unimplemented("filegroup of a spatial index");
    }
    let mut altered = Altered { database: found.database, schema: found.schema, old };
    let options = bind_options(context.session.compile_options(None), ProgramKind::Batch);
    options.check_for_derived_indexes("CREATE INDEX")?;
    let column = column(&altered, create)?;
    let tessellation = tessellation(&altered, create, &column)?;
    let options = Options::read(context, &altered, &create.options, "CREATE SPATIAL INDEX")?;
    check_name(&altered, create, options.drops_existing)?;
    check_key(&altered)?;
    if options.drops_existing {
        altered = replaced(context, altered, &create.name.name)?;
    }
    let kind = DerivedIndexKind::Spatial;
    let id = altered.old.next_derived_index_id(kind);
    let name = format!("extended_index_{}_{id}", altered.old.id());
    let entries = (func::Library.spatial_cells().columns)(&[]);
    let nodes = make_entries(context, &altered, &name, &entries, |table| {
        let id = table.next_index_id(IndexKind::NonClustered);
        let mut cells = IndexDef::new(id, "cells".into(), IndexKind::NonClustered, false);
        cells.data_space = table.data_space;
        let key = |column: &ColumnDef| KeyColumn { column: column.id, descending: false };
        cells.key = table.columns[..entries.len()].iter().map(key).collect();
        table.indexes.push(cells);
    })?;
    let mut index = DerivedIndexDef {
        id,
        name: create.name.name.clone(),
        column: column.id,
        kind,
        primary: id,
        nodes,
        fill_factor: 0,
        padded: false,
        disabled: false,
        allow_row_locks: true,
        allow_page_locks: true,
        tessellation: Some(tessellation),
        paths: Vec::new(),
        namespaces: Vec::new(),
        path: 0,
    };
    options.apply(&mut index);
    let mut new = altered.copy(context);
    let place = new.derived_indexes.partition_point(|other| other.id < id);
    new.derived_indexes.insert(place, index);
    put_table(context, altered.database, new)?;
    fill(context, altered.database, altered.old.id(), id)
}

/// The column. Errors 1911, 12004.
fn column(altered: &Altered, create: &ast::CreateSpatialIndex) -> DdlResult<ColumnDef> {
    let name = &create.column.name;
    let same = |c: &&ColumnDef| altered.schema.same_name(&c.name, name);
    let Some(column) = altered.old.columns.iter().find(same) else {
        return Err(SqlError::new(&message::INDEX_COLUMN_NOT_FOUND, &[name]).into());
    };
    if !column.ty.kind.is_spatial() && create.using.is_none() {
        let args: [Shown; 2] = [&column.name, &altered.name()];
        return Err(SqlError::new(&message::SPATIAL_NO_DEFAULT_SCHEME, &args).into());
    }
    if column.computed.is_some() {
        return unimplemented("spatial index of a computed column");
    }
    Ok(column.clone())
}

/// How the index divides its space. Errors 12002, 12003, 12005 to 12007, 12011 to 12015.
fn tessellation(
    altered: &Altered,
    create: &ast::CreateSpatialIndex,
    column: &ColumnDef,
) -> DdlResult<TessellationDef> {
    let scheme = scheme(altered, create, column)?;
    let (mut bounds, mut grids, mut cells) = (None, None, None);
    for parameter in &create.parameters {
        let fail = |error: SqlError| error.at_line(parameter.span.line);
        let (name, applies, is_twice) = match &parameter.kind {
            SpatialParameterKind::BoundingBox(_) => {
                ("BOUNDING_BOX", !scheme.is_geographic(), bounds.is_some())
            }
            SpatialParameterKind::Grids(_) => ("GRIDS", !scheme.is_automatic(), grids.is_some()),
            SpatialParameterKind::CellsPerObject(_) => ("CELLS_PER_OBJECT", true, cells.is_some()),
        };
        if parameter.is_late {
            let args: [Shown; 2] = [&name, &STATEMENT];
            return Err(fail(SqlError::new(&message::SPATIAL_PARAMETER_ORDER, &args)).into());
        }
        if !applies {
            return Err(fail(wrong(name)).into());
        }
        if is_twice {
            return Err(fail(SqlError::new(&message::SPATIAL_PARAMETER_TWICE, &[])).into());
        }
        match &parameter.kind {
            SpatialParameterKind::BoundingBox(parts) => {
                bounds = Some(bounding_box(parts).map_err(fail)?);
            }
            SpatialParameterKind::Grids(parts) => grids = Some(densities(parts).map_err(fail)?),
            SpatialParameterKind::CellsPerObject(count) => {
                cells = Some(cell_count(*count).map_err(fail)?);
            }
        }
    }
    if !scheme.is_geographic() && bounds.is_none() {
        let args: [Shown; 2] = [&STATEMENT, &"BOUNDING_BOX"];
        return Err(SqlError::new(&message::SPATIAL_PARAMETER_MISSING, &args).into());
    }
    let default_cells = match scheme {
        TessellationScheme::GeometryAutoGrid => 8,
        TessellationScheme::GeographyAutoGrid => 12,
        _ => 16,
    };
    let medium = || vec![GridDensity::Medium; LEVELS.len()];
    let grids = match scheme.is_automatic() {
        true => Vec::new(),
        false => grids.unwrap_or_else(medium),
    };
    let cells_per_object = cells.unwrap_or(default_cells);
    Ok(TessellationDef { scheme, bounds, grids, cells_per_object })
}

/// The scheme that is named, or that of the type. Errors 12002, 12003.
fn scheme(
    altered: &Altered,
    create: &ast::CreateSpatialIndex,
    column: &ColumnDef,
) -> DdlResult<TessellationScheme> {
    let is_geographic = column.ty.kind == TypeKind::Geography;
    let Some(using) = &create.using else {
        return Ok(match is_geographic {
            true => TessellationScheme::GeographyAutoGrid,
            false => TessellationScheme::GeometryAutoGrid,
        });
    };
    let named =
        |scheme: &&TessellationScheme| scheme.description().eq_ignore_ascii_case(&using.name);
    let Some(scheme) = TessellationScheme::ALL.iter().find(named).copied() else {
        let error = SqlError::new(&message::SPATIAL_NO_SCHEME, &[&using.name]);
        return Err(error.at_line(using.span.line).into());
    };
    if !column.ty.kind.is_spatial() || scheme.is_geographic() != is_geographic {
        let wanted = if scheme.is_geographic() { "geography" } else { "geometry" };
        let table = altered.name();
        let args: [Shown; 5] = [&INDEX, &column.name, &table, &wanted, &wanted];
        return Err(SqlError::new(&message::SPATIAL_COLUMN_TYPE, &args).into());
    }
    Ok(scheme)
}

/// Error 12005.
fn wrong(near: &str) -> SqlError {
    SqlError::new(&message::SPATIAL_PARAMETER_WRONG, &[&STATEMENT, &near])
}

/// The parts of a parameter in their order: all without names, or each with its own. Errors 12005,
/// 12006, 12014.
fn in_order<T: Copy>(
    parts: &[(Option<Ident>, T)],
    names: &[&'static str; 4],
    parameter: &str,
) -> Result<[Option<T>; 4], SqlError> {
    let mut found = [None; 4];
    if parts.iter().all(|(name, _)| name.is_none()) {
        if parts.len() != found.len() {
            let args: [Shown; 2] = [&parameter, &STATEMENT];
            return Err(SqlError::new(&message::SPATIAL_PARAMETER_INCOMPLETE, &args));
        }
        for (slot, (_, value)) in found.iter_mut().zip(parts) {
            *slot = Some(*value);
        }
        return Ok(found);
    }
    for (name, value) in parts {
        let Some(name) = name else { return Err(wrong(parameter)) };
        let place = names.iter().position(|n| n.eq_ignore_ascii_case(&name.name));
        let place = place.ok_or_else(|| wrong(&name.name))?;
        if found[place].replace(*value).is_some() {
            return Err(SqlError::new(&message::SPATIAL_PARAMETER_TWICE, &[]));
        }
    }
    Ok(found)
}

/// Errors 12005, 12006, 12013, 12014.
fn bounding_box(parts: &[(Option<Ident>, f64)]) -> Result<BoundsDef, SqlError> {
    const NAME: &str = "BOUNDING_BOX";
    let [Some(min_x), Some(min_y), Some(max_x), Some(max_y)] = in_order(parts, &BOUNDS, NAME)?
    else {
        return Err(SqlError::new(&message::SPATIAL_PARAMETER_INCOMPLETE, &[&NAME, &STATEMENT]));
    };
    for (at, (low, high)) in [(min_x, max_x), (min_y, max_y)].into_iter().enumerate() {
        if high <= low {
            let args: [Shown; 3] = [&BOUNDS[at + 2], &STATEMENT, &BOUNDS[at]];
            return Err(SqlError::new(&message::SPATIAL_PARAMETER_NOT_ABOVE, &args));
        }
    }
    Ok(BoundsDef { min_x, min_y, max_x, max_y })
}

/// What is not said of a level is medium. Errors 12005, 12006, 12014.
fn densities(parts: &[(Option<Ident>, Ident)]) -> Result<Vec<GridDensity>, SqlError> {
    let known = |word: &Ident| {
        let named = |d: &&GridDensity| d.description().eq_ignore_ascii_case(&word.name);
        GridDensity::ALL.iter().find(named).copied().ok_or_else(|| wrong(&word.name))
    };
    let parts: Vec<(Option<Ident>, GridDensity)> = parts
        .iter()
        .map(|(name, word)| Ok((name.clone(), known(word)?)))
        .collect::<Result<_, SqlError>>()?;
    let levels = in_order(&parts, &LEVELS, "GRIDS")?;
    Ok(levels.into_iter().map(|level| level.unwrap_or(GridDensity::Medium)).collect())
}

/// Errors 12011, 12012.
fn cell_count(count: i64) -> Result<i32, SqlError> {
    const NAME: &str = "CELLS_PER_OBJECT";
    if count > CELLS_MAX {
        let args: [Shown; 3] = [&NAME, &STATEMENT, &(CELLS_MAX + 1)];
        return Err(SqlError::new(&message::SPATIAL_PARAMETER_ABOVE, &args));
    }
    if count < 1 {
        return Err(SqlError::new(&message::SPATIAL_PARAMETER_BELOW, &[&NAME, &STATEMENT, &0]));
    }
    Ok(count as i32)
}

/// Errors 1913, 7999, 12009.
fn check_name(
    altered: &Altered,
    create: &ast::CreateSpatialIndex,
    drops_existing: bool,
) -> DdlResult<()> {
    let (name, old) = (&create.name.name, &altered.old);
    let existing = find(&altered.schema, old, name).map(|place| old.derived_indexes[place].kind);
    if drops_existing {
        return match existing {
            Some(DerivedIndexKind::Spatial) => Ok(()),
            Some(_) => {
                let args: [Shown; 4] = [&INDEX, name, &altered.name(), &INDEX];
                Err(SqlError::new(&message::SPATIAL_INDEX_NOT_FOUND, &args).into())
            }
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

/// What a table needs for a spatial index. Errors 12008, 12016.
fn check_key(altered: &Altered) -> DdlResult<()> {
    let (old, table) = (&altered.old, altered.name());
    let Some(key) = old.primary_key().filter(|k| k.kind == IndexKind::Clustered) else {
        let args: [Shown; 3] = [&table, &INDEX, &INDEX];
        return Err(SqlError::new(&message::SPATIAL_NEEDS_PRIMARY_KEY, &args).into());
    };
    let columns = key.key.iter().filter_map(|k| old.column(k.column));
    let bytes: usize = columns.map(|c| c.ty.byte_limit()).sum();
    let count = key.key.len();
    if count > KEY_COLUMNS || bytes > KEY_BYTES {
        let args: [Shown; 7] = [&INDEX, &KEY_COLUMNS, &KEY_BYTES, &table, &count, &bytes, &INDEX];
        return Err(SqlError::new(&message::SPATIAL_KEY_SIZE, &args).into());
    }
    Ok(())
}
