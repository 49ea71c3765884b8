//! Indexes, the statistics that go with them, and partitions.

use base::Value;
use engine::catalog::def::{
    BoundsDef, DerivedIndexDef, DerivedIndexKind, FilterDef, IndexDef, IndexKind, TableDef,
};

use super::super::cells::*;
use super::super::{FillContext, FilledView};
use super::objects::indexed;

macro_rules! index_columns {
    ($($more:expr),* $(,)?) => {
        &[
            column("object_id", INT, false),
            column("name", SYSNAME, true),
            column("index_id", INT, false),
            column("type", TINY, false),
            column("type_desc", nvar(60), true),
            column("is_unique", BIT, true),
            column("data_space_id", INT, true),
            column("ignore_dup_key", BIT, true),
            column("is_primary_key", BIT, true),
            column("is_unique_constraint", BIT, true),
            column("fill_factor", TINY, false),
            column("is_padded", BIT, true),
            column("is_disabled", BIT, true),
            column("is_hypothetical", BIT, true),
            column("is_ignored_in_optimization", BIT, true),
            column("allow_row_locks", BIT, true),
            column("allow_page_locks", BIT, true),
            column("has_filter", BIT, true),
            column("filter_definition", NMAX, true),
            $($more),*
        ]
    };
}

fn index(table: &TableDef, index: &IndexDef) -> [Value; 19] {
    [
        object(table.indexed_id()),
        text(&index.name),
        int(index.id.0),
        int(index.kind.code()),
        text(index.kind.description()),
        bit(index.unique),
        int(index.data_space.0),
        bit(index.ignore_dup_key),
        bit(index.is_primary_key()),
        bit(index.is_unique_constraint()),
        int(index.fill_factor),
        bit(index.padded),
        bit(index.disabled),
        bit(false),
        bit(false),
        bit(index.allow_row_locks),
        bit(index.allow_page_locks),
        bit(index.filter.is_some()),
        or_null(index.filter.as_ref(), |filter| text(&filter.definition)),
    ]
}

fn derived_index(table: &TableDef, index: &DerivedIndexDef) -> [Value; 19] {
    let (ty, description) = match index.kind {
        DerivedIndexKind::Spatial => (4, "SPATIAL"),
        _ => (3, "XML"),
    };
    [
        object(table.indexed_id()),
        text(&index.name),
        int(index.id.0),
        int(ty),
        text(description),
        bit(false),
        int(table.data_space.0),
        bit(false),
        bit(false),
        bit(false),
        int(index.fill_factor),
        bit(index.padded),
        bit(index.disabled),
        bit(false),
        bit(false),
        bit(index.allow_row_locks),
        bit(index.allow_page_locks),
        bit(false),
        NULL,
    ]
}

/// The row that stands for a table without a clustered index.
fn heap(table: &TableDef) -> [Value; 19] {
    [
        object(table.indexed_id()),
        NULL,
        int(0),
        int(0),
        text("HEAP"),
        bit(false),
        int(table.data_space.0),
        bit(false),
        bit(false),
        bit(false),
        int(0),
        bit(false),
        bit(false),
        bit(false),
        bit(false),
        bit(true),
        bit(true),
        bit(false),
        NULL,
    ]
}

/// Calls `each` for every index with what `sys.indexes` begins with, heaps included.
fn every_index(
    cx: &mut FillContext<'_>,
    each: impl Fn(&mut FillContext<'_>, Option<&IndexDef>, [Value; 19]),
) {
    let schema = cx.schema.clone();
    for table in indexed(&schema) {
        if table.clustered_index().is_none() && !table.kind.is_memory_optimized() {
            each(cx, None, heap(table));
        }
        for own in &table.indexes {
            each(cx, Some(own), index(table, own));
        }
        for own in &table.derived_indexes {
            each(cx, None, derived_index(table, own));
        }
    }
}

pub static INDEXES: FilledView = FilledView {
    schema: "sys",
    name: "indexes",
    columns: index_columns![
        column("compression_delay", INT, true),
        column("suppress_dup_key_messages", BIT, true),
        column("auto_created", BIT, true),
        column("optimize_for_sequential_key", BIT, true),
        column("index_hash_caching", TINY, true),
        column("index_hash_caching_desc", nvar(60), true),
    ],
    fill: |cx| {
        every_index(cx, |cx, own, start| {
            let sequential = own.is_some_and(|own| own.optimize_for_sequential_key);
            let hashed = own.map(|own| own.hash_caching);
            let own = [
                NULL,
                bit(false),
                bit(false),
                bit(sequential),
                or_null(hashed, |how| int(how.code())),
                or_null(hashed, |how| text(how.description())),
            ];
            cx.push_two(start, own);
        });
        Ok(())
    },
};

pub static HASH_INDEXES: FilledView = FilledView {
    schema: "sys",
    name: "hash_indexes",
    columns: index_columns![column("bucket_count", INT, false), column("auto_created", BIT, true)],
    fill: |cx| {
        every_index(cx, |cx, own, start| {
            if let Some(own) = own.filter(|own| own.kind == IndexKind::Hash) {
                cx.push_two(start, [int(own.bucket_count.unwrap_or(0)), bit(false)]);
            }
        });
        Ok(())
    },
};

pub static XML_INDEXES: FilledView = FilledView {
    schema: "sys",
    name: "xml_indexes",
    columns: index_columns![
        column("using_xml_index_id", INT, true),
        column("secondary_type", fix(1), true),
        column("secondary_type_desc", nvar(60), true),
        column("xml_index_type", TINY, true),
        column("xml_index_type_description", nvar(60), true),
        column("path_id", INT, true),
        column("auto_created", BIT, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in indexed(&schema) {
            for own in &table.derived_indexes {
                use DerivedIndexKind as K;
                let (kind, description, letter) = match own.kind {
                    K::Spatial => continue,
                    K::Primary => (0, "PRIMARY_XML", None),
                    K::Path => (1, "SECONDARY_XML", Some("P")),
                    K::Value => (1, "SECONDARY_XML", Some("V")),
                    K::Property => (1, "SECONDARY_XML", Some("R")),
                    K::Selective => (2, "SELECTIVE_XML", None),
                    K::SelectivePath => (3, "SECONDARY_SELECTIVE_XML", None),
                };
                let primary = (!own.kind.has_entries()).then_some(own.primary.0);
                let path = (own.kind == K::SelectivePath).then_some(own.path);
                let more = [
                    or_null(primary, int),
                    or_null(letter, chars),
                    or_null(letter, |_| text(own.kind.description())),
                    int(kind),
                    text(description),
                    or_null(path, int),
                    bit(false),
                ];
                cx.push_two(derived_index(table, own), more);
            }
        }
        Ok(())
    },
};

pub static SELECTIVE_XML_INDEX_PATHS: FilledView = FilledView {
    schema: "sys",
    name: "selective_xml_index_paths",
    columns: &[
        column("object_id", INT, false),
        column("index_id", INT, false),
        column("path_id", INT, false),
        column("path", nvar(4000), true),
        column("name", SYSNAME, false),
        column("path_type", TINY, false),
        column("path_type_desc", nvar(60), true),
        column("xml_component_id", INT, true),
        column("xquery_type_description", nvar(4000), true),
        column("is_xquery_type_inferred", BIT, true),
        column("xquery_max_length", SMALL, true),
        column("is_xquery_max_length_inferred", BIT, true),
        column("is_node", BIT, true),
        column("system_type_id", TINY, true),
        column("user_type_id", INT, true),
        column("max_length", SMALL, true),
        column("precision", TINY, true),
        column("scale", TINY, true),
        column("collation_name", SYSNAME, true),
        column("is_singleton", BIT, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in indexed(&schema) {
            let selective =
                table.derived_indexes.iter().filter(|i| i.kind == DerivedIndexKind::Selective);
            for (index, path) in selective.flat_map(|i| i.paths.iter().map(move |path| (i, path))) {
                let ty = path.sql_type.as_ref();
                let is_sql = ty.is_some();
                cx.push([
                    object(table.id()),
                    int(index.id.0),
                    int(path.id),
                    text(&path.path),
                    text(&path.name),
                    int(u8::from(is_sql)),
                    text(if is_sql { "SQL" } else { "XQUERY" }),
                    NULL,
                    or_null(path.xquery_type.as_ref(), |name| text(name)),
                    bit(false),
                    or_null(path.max_length, int),
                    bit(false),
                    bit(path.is_node),
                    or_null(ty, |ty| int(ty.kind.system_type_id())),
                    or_null(ty, |ty| int(ty.kind.user_type_id())),
                    or_null(ty, |ty| int(ty.max_length())),
                    or_null(ty, |ty| int(ty.precision)),
                    or_null(ty, |ty| int(ty.scale)),
                    or_null(ty, super::columns::collation_name),
                    bit(path.is_singleton),
                ]);
            }
        }
        Ok(())
    },
};

pub static SELECTIVE_XML_INDEX_NAMESPACES: FilledView = FilledView {
    schema: "sys",
    name: "selective_xml_index_namespaces",
    columns: &[
        column("object_id", INT, false),
        column("index_id", INT, false),
        column("is_default_uri", BIT, true),
        column("uri", nvar(4000), false),
        column("prefix", nvar(4000), true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in indexed(&schema) {
            for index in &table.derived_indexes {
                for declared in &index.namespaces {
                    cx.push([
                        object(table.id()),
                        int(index.id.0),
                        bit(declared.prefix.is_none()),
                        text(&declared.uri),
                        or_null(declared.prefix.as_ref(), |prefix| text(prefix)),
                    ]);
                }
            }
        }
        Ok(())
    },
};

pub static SPATIAL_INDEXES: FilledView = FilledView {
    schema: "sys",
    name: "spatial_indexes",
    columns: index_columns![
        column("spatial_index_type", TINY, false),
        column("spatial_index_type_desc", nvar(60), true),
        column("tessellation_scheme", SYSNAME, true),
        column("auto_created", BIT, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in indexed(&schema) {
            for own in &table.derived_indexes {
                let Some(tessellation) = &own.tessellation else { continue };
                let (ty, description) = match tessellation.scheme.is_geographic() {
                    true => (2, "GEOGRAPHY"),
                    false => (1, "GEOMETRY"),
                };
                let scheme = text(tessellation.scheme.description());
                let more = [int(ty), text(description), scheme, bit(false)];
                cx.push_two(derived_index(table, own), more);
            }
        }
        Ok(())
    },
};

pub static SPATIAL_INDEX_TESSELLATIONS: FilledView = FilledView {
    schema: "sys",
    name: "spatial_index_tessellations",
    columns: &[
        column("object_id", INT, false),
        column("index_id", INT, false),
        column("tessellation_scheme", SYSNAME, true),
        column("bounding_box_xmin", FLOAT, true),
        column("bounding_box_ymin", FLOAT, true),
        column("bounding_box_xmax", FLOAT, true),
        column("bounding_box_ymax", FLOAT, true),
        column("level_1_grid", SMALL, true),
        column("level_1_grid_desc", nvar(60), true),
        column("level_2_grid", SMALL, true),
        column("level_2_grid_desc", nvar(60), true),
        column("level_3_grid", SMALL, true),
        column("level_3_grid_desc", nvar(60), true),
        column("level_4_grid", SMALL, true),
        column("level_4_grid_desc", nvar(60), true),
        column("cells_per_object", INT, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in indexed(&schema) {
            for own in &table.derived_indexes {
                let Some(tessellation) = &own.tessellation else { continue };
                let bound = |of: fn(&BoundsDef) -> f64| {
                    or_null(tessellation.bounds.as_ref(), |bounds| Value::Float(of(bounds)))
                };
                let grid = |at: usize| {
                    let density = tessellation.grids.get(at);
                    let cells = or_null(density, |density| int(density.cells()));
                    [cells, or_null(density, |density| text(density.description()))]
                };
                let mut row = vec![
                    object(table.id()),
                    int(own.id.0),
                    text(tessellation.scheme.description()),
                    bound(|b| b.min_x),
                    bound(|b| b.min_y),
                    bound(|b| b.max_x),
                    bound(|b| b.max_y),
                ];
                row.extend((0..4).flat_map(grid));
                row.push(int(tessellation.cells_per_object));
                cx.push_parts(&[&row]);
            }
        }
        Ok(())
    },
};

pub static SPATIAL_REFERENCE_SYSTEMS: FilledView = FilledView {
    schema: "sys",
    name: "spatial_reference_systems",
    columns: &[
        column("spatial_reference_id", INT, true),
        column("authority_name", nvar(128), true),
        column("authorized_spatial_reference_id", INT, true),
        column("well_known_text", nvar(4000), true),
        column("unit_of_measure", nvar(128), true),
        column("unit_conversion_factor", FLOAT, true),
    ],
    fill: |cx| {
        for system in spatial::systems() {
            cx.push([
                int(system.srid),
                text(system.authority),
                int(system.authorized_id),
                text(system.text),
                text(system.unit),
                Value::Float(system.factor),
            ]);
        }
        Ok(())
    },
};

pub static INDEX_COLUMNS: FilledView = FilledView {
    schema: "sys",
    name: "index_columns",
    columns: &[
        column("object_id", INT, false),
        column("index_id", INT, false),
        column("index_column_id", INT, false),
        column("column_id", INT, false),
        column("key_ordinal", TINY, false),
        column("partition_ordinal", TINY, false),
        column("is_descending_key", BIT, true),
        column("is_included_column", BIT, true),
        column("column_store_order_ordinal", TINY, false),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in indexed(&schema) {
            for own in &table.indexes {
                let key = own.key.iter().map(|key| (key.column, Some(key.descending)));
                let all = key.chain(own.included.iter().map(|column| (*column, None)));
                for (at, (column, key)) in all.enumerate() {
                    let ordinal = at as i64 + 1;
                    cx.push([
                        object(table.indexed_id()),
                        int(own.id.0),
                        int(ordinal),
                        int(column.0),
                        int(if key.is_some() { ordinal } else { 0 }),
                        int(0),
                        bit(key == Some(true)),
                        bit(key.is_none()),
                        int(0),
                    ]);
                }
            }
            for own in &table.derived_indexes {
                let (id, place) = (object(table.indexed_id()), int(own.column.0));
                let (number, none) = (int(1), int(0));
                let (key, partition) = (none.clone(), none.clone());
                let flags = (bit(false), bit(false));
                let index = int(own.id.0);
                cx.push([id, index, number, place, key, partition, flags.0, flags.1, none]);
            }
        }
        Ok(())
    },
};

pub static STATS: FilledView = FilledView {
    schema: "sys",
    name: "stats",
    columns: &[
        column("object_id", INT, false),
        column("name", nvar(128), true),
        column("stats_id", INT, false),
        column("auto_created", BIT, true),
        column("user_created", BIT, true),
        column("no_recompute", BIT, true),
        column("has_filter", BIT, true),
        column("filter_definition", NMAX, true),
        column("is_temporary", BIT, true),
        column("is_incremental", BIT, true),
        column("has_persisted_sample", BIT, true),
        column("stats_generation_method", INT, false),
        column("stats_generation_method_desc", var(80), false),
        column("auto_drop", BIT, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in indexed(&schema) {
            for own in &table.indexes {
                let shown = (&*own.name, own.id.0, own.no_recompute, own.filter.as_ref());
                push_statistics(cx, table, shown, false);
            }
            for own in &table.statistics {
                let shown = (&*own.name, own.id.0, own.no_recompute, own.filter.as_ref());
                push_statistics(cx, table, shown, true);
            }
        }
        Ok(())
    },
};

/// The row of an index's statistics, or of those that a user has made.
fn push_statistics(
    cx: &mut FillContext<'_>,
    table: &TableDef,
    (name, id, no_recompute, filter): (&str, i32, bool, Option<&FilterDef>),
    user_created: bool,
) {
    cx.push([
        object(table.indexed_id()),
        text(name),
        int(id),
        bit(false),
        bit(user_created),
        bit(no_recompute),
        bit(filter.is_some()),
        or_null(filter, |filter| text(&filter.definition)),
        bit(false),
        bit(false),
        bit(false),
        int(0),
        chars("Sort based statistics"),
        bit(false),
    ]);
}

pub static STATS_COLUMNS: FilledView = FilledView {
    schema: "sys",
    name: "stats_columns",
    columns: &[
        column("object_id", INT, false),
        column("stats_id", INT, false),
        column("stats_column_id", INT, true),
        column("column_id", INT, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in indexed(&schema) {
            for own in &table.indexes {
                for (at, key) in own.key.iter().enumerate() {
                    let ordinal = int(at as i64 + 1);
                    cx.push([
                        object(table.indexed_id()),
                        int(own.id.0),
                        ordinal,
                        int(key.column.0),
                    ]);
                }
            }
            for own in &table.statistics {
                for (at, column) in own.columns.iter().enumerate() {
                    let ordinal = int(at as i64 + 1);
                    cx.push([object(table.indexed_id()), int(own.id.0), ordinal, int(column.0)]);
                }
            }
        }
        Ok(())
    },
};
