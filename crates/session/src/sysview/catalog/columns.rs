//! Columns and types.

use base::types::TypeKind;
use base::{SqlResult, SqlType, Value};
use engine::catalog::def::{ColumnDef, Generated, TableDef, TypeDefKind, XmlCollectionId};

use super::super::cells::*;
use super::super::{FillContext, FilledView, RowsetColumn, id_of, rowsets};
use super::objects::tables;

/// The columns of every view of columns: what is special to one comes in the middle.
macro_rules! column_columns {
    ($($more:expr),* $(,)?) => {
        &[
            column("object_id", INT, false),
            column("name", SYSNAME, true),
            column("column_id", INT, false),
            column("system_type_id", TINY, false),
            column("user_type_id", INT, false),
            column("max_length", SMALL, false),
            column("precision", TINY, false),
            column("scale", TINY, false),
            column("collation_name", SYSNAME, true),
            column("is_nullable", BIT, true),
            column("is_ansi_padded", BIT, false),
            column("is_rowguidcol", BIT, false),
            column("is_identity", BIT, false),
            column("is_filestream", BIT, false),
            column("is_replicated", BIT, true),
            column("is_non_sql_subscribed", BIT, true),
            column("is_merge_published", BIT, true),
            column("is_dts_replicated", BIT, true),
            column("is_xml_document", BIT, false),
            column("xml_collection_id", INT, false),
            column("default_object_id", INT, false),
            column("rule_object_id", INT, false),
            $($more,)*
            column("is_computed", BIT, false),
            column("is_sparse", BIT, true),
            column("is_column_set", BIT, true),
            column("generated_always_type", TINY, true),
            column("generated_always_type_desc", nvar(60), true),
            column("encryption_type", INT, true),
            column("encryption_type_desc", nvar(64), true),
            column("encryption_algorithm_name", SYSNAME, true),
            column("column_encryption_key_id", INT, true),
            column("column_encryption_key_database_name", SYSNAME, true),
            column("is_hidden", BIT, true),
            column("is_masked", BIT, false),
            column("graph_type", INT, true),
            column("graph_type_desc", nvar(60), true),
            column("is_data_deletion_filter_column", BIT, false),
            column("ledger_view_column_type", TINY, true),
            column("ledger_view_column_type_desc", nvar(60), true),
            column("is_dropped_ledger_column", BIT, true),
        ]
    };
}

/// What all these views end with, `is_sparse` and what follows.
const TAIL: usize = 17;
/// The place of `is_masked` among that.
const IS_MASKED: usize = 10;

const COLUMN_COLUMNS: &[RowsetColumn] = column_columns![];

pub static COLUMNS: FilledView =
    FilledView { schema: "sys", name: "columns", columns: COLUMN_COLUMNS, fill: columns };

/// A column's collation by name; NULL where it has none.
pub fn collation_name(ty: &SqlType) -> Value {
    match ty.kind.is_character() {
        true => text(ty.collation.info().name),
        false => NULL,
    }
}

/// The id of a type's schema collection; 0 if it has none.
pub fn xml_collection_id(ty: &SqlType) -> i32 {
    ty.xml_use().map_or(0, |of| XmlCollectionId::of_number(of.collection).0)
}

fn start(object_id: i32, column: &ColumnDef) -> [Value; 22] {
    let ty = &column.declared_type();
    let constraint = column.default.as_ref().map(|default| default.header.id);
    let default = constraint.or(column.bound_default.as_ref().map(|bound| bound.object));
    let rule = column.bound_rule.as_ref().map(|bound| bound.object);
    [
        int(object_id),
        text(&column.name),
        int(column.id.0),
        int(ty.kind.system_type_id()),
        int(column.user_type.0),
        int(ty.max_length()),
        int(ty.shown_digits().0),
        int(ty.shown_digits().1),
        collation_name(ty),
        bit(column.nullable),
        bit(column.ansi_padded && (ty.kind.is_character() || ty.kind.is_binary())),
        bit(column.rowguidcol),
        bit(column.identity.is_some()),
        bit(false),
        bit(false),
        bit(false),
        bit(false),
        bit(false),
        bit(ty.xml_use().is_some_and(|of| of.is_document)),
        int(xml_collection_id(ty)),
        int(default.map_or(0, |id| id.0)),
        int(rule.map_or(0, |id| id.0)),
    ]
}

/// The row of a column; of a table's if there is one.
fn row(
    cx: &mut FillContext<'_>,
    (object_id, table): (i32, Option<&TableDef>),
    column: &ColumnDef,
    own: &[Value],
) {
    let computed = [bit(column.computed.is_some() && !column.column_set)];
    let generated = table.and_then(|table| table.generated(column.id));
    let mut tail = tail(column.sparse, column.column_set, column.hidden, generated);
    tail[IS_MASKED] = bit(column.mask.is_some());
    cx.push_parts(&[&start(object_id, column), own, &computed, &tail]);
}

fn tail(
    sparse: bool,
    column_set: bool,
    hidden: bool,
    generated: Option<Generated>,
) -> [Value; TAIL] {
    [
        bit(sparse),
        bit(column_set),
        int(generated.map_or(0, Generated::code)),
        text(generated.map_or("NOT_APPLICABLE", Generated::description)),
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        bit(hidden),
        bit(false),
        NULL,
        NULL,
        bit(false),
        NULL,
        NULL,
        bit(false),
    ]
}

/// The columns of the views whose rows are made; those of queries are where they come from.
pub static SYSTEM_COLUMNS: FilledView = FilledView {
    schema: "sys",
    name: "system_columns",
    columns: COLUMN_COLUMNS,
    fill: |cx| {
        for view in rowsets() {
            for (at, RowsetColumn { name, ty, nullable }) in view.columns.iter().enumerate() {
                let ty = ty.with_collation(cx.schema.collation());
                let start = [
                    int(id_of(view.schema, view.name)),
                    text(name),
                    int(at as i64 + 1),
                    int(ty.kind.system_type_id()),
                    int(ty.kind.user_type_id()),
                    int(if ty.is_max() { -1 } else { ty.max_length() }),
                    int(ty.precision),
                    int(ty.scale),
                    collation_name(&ty),
                    bit(*nullable),
                    bit(ty.kind.is_character() || ty.kind.is_binary()),
                ];
                let flags = [const { Value::Int(0) }; 12];
                cx.push_parts(&[&start, &flags, &tail(false, false, false, None)]);
            }
        }
        Ok(())
    },
};

fn columns(cx: &mut FillContext<'_>) -> SqlResult<()> {
    let schema = cx.schema.clone();
    for table in tables(&schema) {
        table.columns.iter().for_each(|column| row(cx, (table.id().0, Some(table)), column, &[]));
    }
    for module in schema.modules() {
        for column in module.columns().unwrap_or_default() {
            row(cx, (module.id().0, None), column, &[]);
        }
    }
    Ok(())
}

pub static COMPUTED_COLUMNS: FilledView = FilledView {
    schema: "sys",
    name: "computed_columns",
    columns: column_columns![
        column("definition", NMAX, true),
        column("uses_database_collation", BIT, false),
        column("is_persisted", BIT, false),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in tables(&schema) {
            for column in table.columns.iter().filter(|column| !column.column_set) {
                let Some(computed) = &column.computed else { continue };
                let own = [
                    text(&computed.definition),
                    bit(computed.uses_database_collation),
                    bit(computed.persisted),
                ];
                row(cx, (table.id().0, Some(table)), column, &own);
            }
        }
        Ok(())
    },
};

pub static MASKED_COLUMNS: FilledView = FilledView {
    schema: "sys",
    name: "masked_columns",
    columns: column_columns![column("masking_function", nvar(4000), true)],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in tables(&schema) {
            for column in &table.columns {
                let Some(mask) = &column.mask else { continue };
                let own = [text(&mask.to_string())];
                row(cx, (table.id().0, Some(table)), column, &own);
            }
        }
        Ok(())
    },
};

pub static IDENTITY_COLUMNS: FilledView = FilledView {
    schema: "sys",
    name: "identity_columns",
    columns: column_columns![
        column("seed_value", VARIANT, true),
        column("increment_value", VARIANT, true),
        column("last_value", VARIANT, true),
        column("is_not_for_replication", BIT, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        let catalog = cx.instance.catalog(cx.database)?;
        for definition in schema.tables() {
            let Some((_, column)) = definition.identity_column() else { continue };
            let Some(identity) = column.identity else { continue };
            let stored = catalog.table(definition);
            let counter = stored.as_ref().and_then(|table| table.identity());
            if let Some(counter) = counter {
                cx.place.note_shown(counter.covered_by());
            }
            let last = counter.filter(|c| c.position().used).map(|c| c.current());
            let own = [
                number(column.ty, identity.seed),
                number(column.ty, identity.increment),
                or_null(last, |last| number(column.ty, last)),
                bit(identity.not_for_replication),
            ];
            row(cx, (definition.id().0, None), column, &own);
        }
        // A view's column that shows an identity column has a row, without the counter's numbers.
        for module in schema.modules() {
            for column in module.columns().unwrap_or_default() {
                let Some(identity) = column.identity else { continue };
                let own = [NULL, NULL, NULL, bit(identity.not_for_replication)];
                row(cx, (module.id().0, None), column, &own);
            }
        }
        Ok(())
    },
};

fn number(ty: SqlType, value: i64) -> Value {
    match ty.kind.is_decimal() {
        true => variant(ty, Value::Decimal(value.into())),
        false => variant(ty, Value::Int(value)),
    }
}

const TYPE_COLUMNS: &[RowsetColumn] = &[
    column("name", SYSNAME, false),
    column("system_type_id", TINY, false),
    column("user_type_id", INT, false),
    column("schema_id", INT, false),
    column("principal_id", INT, true),
    column("max_length", SMALL, false),
    column("precision", TINY, false),
    column("scale", TINY, false),
    column("collation_name", SYSNAME, true),
    column("is_nullable", BIT, true),
    column("is_user_defined", BIT, false),
    column("is_assembly_type", BIT, false),
    column("default_object_id", INT, false),
    column("rule_object_id", INT, false),
    column("is_table_type", BIT, false),
];

pub static TYPES: FilledView =
    FilledView { schema: "sys", name: "types", columns: TYPE_COLUMNS, fill: types };

/// A built-in type's row.
struct BuiltIn {
    name: &'static str,
    ty: SqlType,
    user_type: i32,
    nullable: bool,
}

fn built_in(cx: &mut FillContext<'_>, own: &BuiltIn) {
    let ty = own.ty.with_collation(cx.schema.collation());
    cx.push([
        text(own.name),
        int(ty.kind.system_type_id()),
        int(own.user_type),
        int(4),
        NULL,
        int(if ty.is_max() { -1 } else { ty.max_length() }),
        int(ty.precision),
        int(ty.scale),
        collation_name(&ty),
        bit(own.nullable),
        bit(false),
        bit(ty.kind.is_clr()),
        int(0),
        int(0),
        bit(false),
    ]);
}

fn types(cx: &mut FillContext<'_>) -> SqlResult<()> {
    let collation = cx.schema.collation();
    for id in 0..=u8::MAX {
        let Some(kind) = TypeKind::from_user_type_id(id) else { continue };
        let ty = widest(kind, SqlType::of_kind(kind, collation));
        built_in(cx, &BuiltIn { name: kind.name(), ty, user_type: id.into(), nullable: true });
    }
    let sysname = BuiltIn { name: "sysname", ty: SYSNAME, user_type: 256, nullable: false };
    built_in(cx, &sysname);
    let schema = cx.schema.clone();
    for own in schema.types().iter() {
        let (system, ty, nullable, is_table) = match &own.kind {
            TypeDefKind::Alias { ty, nullable, .. } => {
                (ty.kind.system_type_id(), Some(ty), *nullable, false)
            }
            TypeDefKind::Table { .. } => (243, None, false, true),
        };
        let (default, rule) = match &own.kind {
            TypeDefKind::Alias { default, rule, .. } => {
                (default.as_ref().map(|bound| bound.object), rule.as_ref().map(|b| b.object))
            }
            TypeDefKind::Table { .. } => (None, None),
        };
        cx.push([
            text(&own.name),
            int(system),
            int(own.id.0),
            int(own.schema.0),
            or_null(own.owner, |owner| int(owner.0)),
            int(ty.map_or(-1, SqlType::max_length)),
            int(ty.map_or(0, |ty| ty.shown_digits().0)),
            int(ty.map_or(0, |ty| ty.shown_digits().1)),
            ty.map_or(NULL, collation_name),
            bit(nullable),
            bit(true),
            bit(false),
            int(default.map_or(0, |id| id.0)),
            int(rule.map_or(0, |id| id.0)),
            bit(is_table),
        ]);
    }
    Ok(())
}

/// A type at its widest, as `sys.types` shows it.
fn widest(kind: TypeKind, ty: SqlType) -> SqlType {
    match kind {
        TypeKind::Decimal => SqlType::decimal(38, 38),
        TypeKind::Numeric => SqlType::numeric(38, 38),
        TypeKind::Time => SqlType::time(7),
        TypeKind::DateTime2 => SqlType::datetime2(7),
        TypeKind::DateTimeOffset => SqlType::datetimeoffset(7),
        TypeKind::Char | TypeKind::VarChar | TypeKind::Binary | TypeKind::VarBinary => {
            SqlType { length: 8000, ..ty }
        }
        TypeKind::NChar => SqlType::nchar(4000, ty.collation),
        TypeKind::NVarChar => SqlType::nvarchar(4000, ty.collation),
        _ => ty,
    }
}

static ASSEMBLY_TYPE_COLUMNS: [RowsetColumn; 21] = joined([
    TYPE_COLUMNS.split_at(TYPE_COLUMNS.len() - 1).0,
    &[
        column("assembly_id", INT, false),
        column("assembly_class", SYSNAME, true),
        column("is_binary_ordered", BIT, true),
        column("is_fixed_length", BIT, true),
        column("prog_id", nvar(40), true),
        column("assembly_qualified_name", nvar(4000), true),
        column("is_table_type", BIT, false),
    ],
]);

/// The types of the server's own assembly; there is no other one.
pub static ASSEMBLY_TYPES: FilledView = FilledView {
    schema: "sys",
    name: "assembly_types",
    columns: &ASSEMBLY_TYPE_COLUMNS,
    fill: |cx| {
        for kind in TypeKind::ALL {
            let (Some(class), Some(name)) = (kind.clr_class(), kind.assembly_qualified_name())
            else {
                continue;
            };
            let ty = SqlType::of_kind(kind, cx.schema.collation());
            cx.push([
                text(kind.name()),
                int(kind.system_type_id()),
                int(kind.user_type_id()),
                int(4),
                NULL,
                int(ty.max_length()),
                int(0),
                int(0),
                NULL,
                bit(true),
                bit(false),
                bit(true),
                int(0),
                int(0),
                int(1),
                text(class),
                bit(kind == TypeKind::HierarchyId),
                bit(false),
                NULL,
                text(&name),
                bit(false),
            ]);
        }
        Ok(())
    },
};

static TABLE_TYPE_COLUMNS: [RowsetColumn; 17] = joined([
    TYPE_COLUMNS,
    &[column("type_table_object_id", INT, false), column("is_memory_optimized", BIT, true)],
]);

pub static TABLE_TYPES: FilledView = FilledView {
    schema: "sys",
    name: "table_types",
    columns: &TABLE_TYPE_COLUMNS,
    fill: |cx| {
        let schema = cx.schema.clone();
        for own in schema.types().iter() {
            let TypeDefKind::Table { table } = &own.kind else { continue };
            let memory = schema.table(*table).is_some_and(|t| t.kind.is_memory_optimized());
            cx.push([
                text(&own.name),
                int(243),
                int(own.id.0),
                int(own.schema.0),
                or_null(own.owner, |owner| int(owner.0)),
                int(-1),
                int(0),
                int(0),
                NULL,
                bit(false),
                bit(true),
                bit(false),
                int(0),
                int(0),
                bit(true),
                object(*table),
                bit(memory),
            ]);
        }
        Ok(())
    },
};
