//! Objects of all kinds, schemas, tables, and the small kinds.

use base::types::TypeKind;
use base::{SqlResult, Value};
use engine::catalog::ObjectDef;
use engine::catalog::def::{
    DerivedIndexKind, ObjectKind, RetentionDef, SchemaId, SequenceCache, SequenceDef, TableDef,
    TableRole,
};

use super::super::cells::*;
use super::super::{FUNCTIONS, FillContext, FilledView, RowsetColumn, id_of, names};

/// The columns with which every view of objects begins.
macro_rules! object_columns {
    ($($more:expr),* $(,)?) => {
        &[
            column("name", SYSNAME, false),
            column("object_id", INT, false),
            column("principal_id", INT, true),
            column("schema_id", INT, false),
            column("parent_object_id", INT, false),
            column("type", fix(2), true),
            column("type_desc", nvar(60), true),
            column("create_date", WHEN, false),
            column("modify_date", WHEN, false),
            column("is_ms_shipped", BIT, false),
            column("is_published", BIT, false),
            column("is_schema_published", BIT, false),
            $($more),*
        ]
    };
}
pub(in super::super) use object_columns;

pub static OBJECTS: FilledView = FilledView {
    schema: "sys",
    name: "objects",
    columns: OBJECT_COLUMNS,
    fill: |cx| {
        objects(cx);
        Ok(())
    },
};

const OBJECT_COLUMNS: &[RowsetColumn] = object_columns![];

pub static ALL_OBJECTS: FilledView =
    FilledView { schema: "sys", name: "all_objects", columns: OBJECT_COLUMNS, fill: all_objects };

/// An object's row as every view of objects shows it.
pub type ObjectCells = [Value; 12];

/// The row of an object that has a header.
pub fn header(
    header: &engine::catalog::def::ObjectHeader,
    kind: ObjectKind,
    parent: i32,
) -> ObjectCells {
    [
        text(&header.name),
        object(header.id),
        or_null(header.owner, |owner| int(owner.0)),
        int(header.schema.0),
        int(parent),
        code(kind.code()),
        text(kind.description()),
        when(header.created),
        when(header.modified),
        bit(header.ms_shipped),
        bit(false),
        bit(false),
    ]
}

/// The row of a constraint of a table.
pub fn constraint(
    table: &TableDef,
    kind: ObjectKind,
    constraint: &engine::catalog::def::ConstraintHeader,
) -> ObjectCells {
    [
        text(&constraint.name),
        object(constraint.id),
        NULL,
        int(table.header.schema.0),
        object(table.id()),
        code(kind.code()),
        text(kind.description()),
        when(constraint.created),
        when(constraint.modified),
        bit(table.header.ms_shipped),
        bit(false),
        bit(false),
    ]
}

/// The tables that are objects of their own, temporary ones included.
pub fn tables(schema: &engine::catalog::Schema) -> impl Iterator<Item = &TableDef> {
    indexed(schema).filter(|table| table.rows_of.is_none())
}

/// Whatever may have indexes: tables, and the rows of indexed views.
pub fn indexed(schema: &engine::catalog::Schema) -> impl Iterator<Item = &TableDef> {
    schema.tables().map(|table| &**table)
}

/// The table whose XML or spatial index an internal table is of.
fn parent_of(schema: &engine::catalog::Schema, table: &TableDef) -> i32 {
    if table.role != TableRole::Internal {
        return 0;
    }
    let is_parent = |other: &&TableDef| other.derived_indexes.iter().any(|i| i.nodes == table.id());
    tables(schema).find(is_parent).map_or(0, |parent| parent.id().0)
}

fn objects(cx: &mut FillContext<'_>) {
    let schema = cx.schema.clone();
    for table in tables(&schema) {
        cx.push(header(&table.header, table.object_kind(), parent_of(&schema, table)));
        for (kind, own) in table.constraints() {
            cx.push(constraint(table, kind, own));
        }
    }
    for module in schema.modules().filter(|module| module.event_trigger().is_none()) {
        let parent = module.trigger().map_or(0, |trigger| trigger.parent.0);
        cx.push(header(&module.header, module.object_kind(), parent));
    }
    for sequence in schema.sequences() {
        cx.push(header(&sequence.header, ObjectKind::Sequence, 0));
    }
    for own in schema.objects() {
        if let ObjectDef::Synonym(synonym) = own {
            cx.push(header(&synonym.header, ObjectKind::Synonym, 0));
        }
    }
    for policy in schema.security_policies() {
        cx.push(header(&policy.header, ObjectKind::SecurityPolicy, 0));
    }
}

fn all_objects(cx: &mut FillContext<'_>) -> SqlResult<()> {
    objects(cx);
    names().for_each(|(schema, name)| cx.push(system_view(schema, name)));
    for name in FUNCTIONS {
        cx.push(provided(id_of("sys", name), name, SchemaId::SYS, ObjectKind::InlineFunction));
    }
    for procedure in crate::sysproc::all().filter(|procedure| !procedure.internal) {
        cx.push(provided(procedure.id.0, procedure.name, SchemaId::SYS, ObjectKind::Procedure));
    }
    Ok(())
}

/// The row of a view that the server provides.
pub fn system_view(schema: &str, name: &str) -> ObjectCells {
    let is_standard = schema == "INFORMATION_SCHEMA";
    let place = if is_standard { SchemaId::INFORMATION_SCHEMA } else { SchemaId::SYS };
    provided(id_of(schema, name), name, place, ObjectKind::View)
}

/// The row of something that every database has.
fn provided(id: i32, name: &str, schema: SchemaId, kind: ObjectKind) -> ObjectCells {
    let created = when(engine::catalog::def::DateTime { days: 0, ticks: 0 });
    [
        text(name),
        int(id),
        NULL,
        int(schema.0),
        int(0),
        code(kind.code()),
        text(kind.description()),
        created.clone(),
        created,
        bit(true),
        bit(false),
        bit(false),
    ]
}

pub static TABLES: FilledView = FilledView {
    schema: "sys",
    name: "tables",
    columns: object_columns![
        column("lob_data_space_id", INT, false),
        column("filestream_data_space_id", INT, true),
        column("max_column_id_used", INT, false),
        column("lock_on_bulk_load", BIT, false),
        column("uses_ansi_nulls", BIT, true),
        column("is_replicated", BIT, true),
        column("has_replication_filter", BIT, true),
        column("is_merge_published", BIT, true),
        column("is_sync_tran_subscribed", BIT, true),
        column("has_unchecked_assembly_data", BIT, false),
        column("text_in_row_limit", INT, true),
        column("large_value_types_out_of_row", BIT, true),
        column("is_tracked_by_cdc", BIT, true),
        column("lock_escalation", TINY, true),
        column("lock_escalation_desc", nvar(60), true),
        column("is_filetable", BIT, true),
        column("is_memory_optimized", BIT, true),
        column("durability", TINY, true),
        column("durability_desc", nvar(60), true),
        column("temporal_type", TINY, true),
        column("temporal_type_desc", nvar(60), true),
        column("history_table_id", INT, true),
        column("is_remote_data_archive_enabled", BIT, true),
        column("is_external", BIT, false),
        column("history_retention_period", INT, true),
        column("history_retention_period_unit", INT, true),
        column("history_retention_period_unit_desc", nvar(10), true),
        column("is_node", BIT, true),
        column("is_edge", BIT, true),
        column("data_retention_period", INT, true),
        column("data_retention_period_unit", INT, true),
        column("data_retention_period_unit_desc", nvar(10), true),
        column("ledger_type", TINY, true),
        column("ledger_type_desc", nvar(60), true),
        column("ledger_view_id", INT, true),
        column("is_dropped_ledger_table", BIT, true),
        column("is_row_caching_on", BIT, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in tables(&schema).filter(|table| table.role == TableRole::Table) {
            let (durability, durability_desc) = table.kind.durability();
            let escalation = table.lock_escalation;
            let temporal = table.temporal_type();
            let retention = retention(table);
            let own = [
                int(table.lob_data_space.map_or(0, |space| space.0)),
                NULL,
                int(table.max_column_id.0),
                bit(false),
                bit(table.ansi_nulls),
                bit(false),
                bit(false),
                bit(false),
                bit(false),
                bit(false),
                int(0),
                bit(false),
                bit(false),
                int(escalation.code()),
                text(escalation.description()),
                bit(false),
                bit(table.kind.is_memory_optimized()),
                int(durability),
                text(durability_desc),
                int(temporal.code()),
                text(temporal.description()),
                or_null(table.versioning, |versioning| int(versioning.history.0)),
                bit(false),
                bit(false),
                retention[0].clone(),
                retention[1].clone(),
                retention[2].clone(),
                bit(false),
                bit(false),
                NULL,
                NULL,
                NULL,
                int(0),
                text("NON_LEDGER_TABLE"),
                NULL,
                bit(false),
                bit(table.row_cached),
            ];
            cx.push_two(header(&table.header, ObjectKind::Table, 0), own);
        }
        Ok(())
    },
};

pub static INTERNAL_TABLES: FilledView = FilledView {
    schema: "sys",
    name: "internal_tables",
    columns: object_columns![
        column("internal_type", TINY, true),
        column("internal_type_desc", nvar(60), true),
        column("parent_id", INT, false),
        column("parent_minor_id", INT, false),
        column("lob_data_space_id", INT, false),
        column("filestream_data_space_id", INT, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for parent in tables(&schema) {
            let own = parent.derived_indexes.iter().filter(|i| i.kind.has_entries());
            for index in own {
                let Some(table) = schema.table(index.nodes) else { continue };
                let parent = parent.id();
                let (kind, description) = match index.kind {
                    DerivedIndexKind::Spatial => EXTENDED_INDEXES,
                    DerivedIndexKind::Selective => SELECTIVE_NODES,
                    _ => XML_INDEX_NODES,
                };
                let own =
                    [int(kind), text(description), object(parent), int(index.id.0), int(0), NULL];
                cx.push_two(header(&table.header, table.object_kind(), parent.0), own);
            }
        }
        for table in tables(&schema) {
            let Some(of) = table.changes_of else { continue };
            let own =
                [int(CHANGE_TRACKING), text("CHANGE_TRACKING"), object(of), int(0), int(0), NULL];
            cx.push_two(header(&table.header, table.object_kind(), 0), own);
        }
        Ok(())
    },
};

/// `internal_type` of the cells of a spatial index, and its description.
const EXTENDED_INDEXES: (u8, &str) = (207, "EXTENDED_INDEXES");

/// `internal_type` of the entries of an XML index, and its description.
const XML_INDEX_NODES: (u8, &str) = (202, "XML_INDEX_NODES");

/// `internal_type` of the entries of a selective XML index, and its description.
const SELECTIVE_NODES: (u8, &str) = (236, "SELECTIVE_XML_INDEX_NODE_TABLE");

/// `internal_type` of the changes of a tracked table.
const CHANGE_TRACKING: u8 = 209;

/// `history_retention_period`, its unit and the name of that.
fn retention(table: &TableDef) -> [Value; 3] {
    match table.versioning.map(|versioning| versioning.retention) {
        None => [NULL, NULL, NULL],
        Some(None) => [int(-1), int(-1), text("INFINITE")],
        Some(Some(RetentionDef { count, unit })) => {
            [int(count), int(unit.code()), text(unit.description())]
        }
    }
}

pub static PERIODS: FilledView = FilledView {
    schema: "sys",
    name: "periods",
    columns: &[
        column("name", SYSNAME, false),
        column("period_type", TINY, true),
        column("period_type_desc", nvar(60), true),
        column("object_id", INT, false),
        column("start_column_id", INT, false),
        column("end_column_id", INT, false),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in tables(&schema) {
            let Some(period) = table.period else { continue };
            cx.push([
                text("SYSTEM_TIME"),
                int(1),
                text("SYSTEM_TIME_PERIOD"),
                int(table.id().0),
                int(period.start.0),
                int(period.end.0),
            ]);
        }
        Ok(())
    },
};

pub static SCHEMAS: FilledView = FilledView {
    schema: "sys",
    name: "schemas",
    columns: &[
        column("name", SYSNAME, false),
        column("schema_id", INT, false),
        column("principal_id", INT, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for own in schema.schemas().iter() {
            cx.push([text(&own.name), int(own.id.0), int(own.owner.0)]);
        }
        Ok(())
    },
};

pub static SEQUENCES: FilledView = FilledView {
    schema: "sys",
    name: "sequences",
    columns: object_columns![
        column("start_value", VARIANT, false),
        column("increment", VARIANT, false),
        column("minimum_value", VARIANT, false),
        column("maximum_value", VARIANT, false),
        column("is_cycling", BIT, true),
        column("is_cached", BIT, true),
        column("cache_size", INT, true),
        column("system_type_id", TINY, false),
        column("user_type_id", INT, false),
        column("precision", TINY, false),
        column("scale", TINY, true),
        column("current_value", VARIANT, false),
        column("is_exhausted", BIT, false),
        column("last_used_value", VARIANT, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        let catalog = cx.instance.catalog(cx.database)?;
        for sequence in schema.sequences() {
            let state = catalog.sequences().state(sequence.header.id);
            if let Some(state) = &state {
                cx.place.note_shown(state.covered_by);
            }
            let last = state.as_ref().and_then(|state| state.last_used);
            let current = state.as_ref().map(|state| state.current);
            let own = [
                number(sequence, sequence.start),
                number(sequence, sequence.increment),
                number(sequence, sequence.minimum),
                number(sequence, sequence.maximum),
                bit(sequence.cycle),
                bit(sequence.cache != SequenceCache::None),
                match sequence.cache {
                    SequenceCache::Size(size) => int(size),
                    _ => NULL,
                },
                int(sequence.ty.kind.system_type_id()),
                int(sequence.user_type.0),
                int(sequence.ty.precision),
                int(sequence.ty.scale),
                number(sequence, current.map_or(sequence.start, i128::from)),
                bit(state.as_ref().is_some_and(|state| state.exhausted)),
                or_null(last, |last| number(sequence, last.into())),
            ];
            cx.push_two(header(&sequence.header, ObjectKind::Sequence, 0), own);
        }
        Ok(())
    },
};

/// A number as a variant of a sequence's type.
fn number(sequence: &SequenceDef, value: i128) -> Value {
    let number = match sequence.ty.kind {
        TypeKind::Decimal | TypeKind::Numeric => Value::Decimal(value),
        _ => Value::Int(value as i64),
    };
    variant(sequence.ty, number)
}

pub static SYNONYMS: FilledView = FilledView {
    schema: "sys",
    name: "synonyms",
    columns: object_columns![column("base_object_name", nvar(1035), true)],
    fill: |cx| {
        let schema = cx.schema.clone();
        for own in schema.objects() {
            if let ObjectDef::Synonym(synonym) = own {
                let base = [text(&synonym.base)];
                cx.push_two(header(&synonym.header, ObjectKind::Synonym, 0), base);
            }
        }
        Ok(())
    },
};

pub static EXTENDED_PROPERTIES: FilledView = FilledView {
    schema: "sys",
    name: "extended_properties",
    columns: &[
        column("class", TINY, false),
        column("class_desc", nvar(60), true),
        column("major_id", INT, false),
        column("minor_id", INT, false),
        column("name", SYSNAME, false),
        column("value", VARIANT, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for set in schema.properties() {
            for property in &set.properties {
                cx.push([
                    int(set.target.class.code()),
                    text(set.target.class.description()),
                    int(set.target.major),
                    int(set.target.minor),
                    text(&property.name),
                    encoded(&property.value),
                ]);
            }
        }
        Ok(())
    },
};
