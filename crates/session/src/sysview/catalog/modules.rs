//! Modules and their parameters.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use engine::catalog::def::{
    ColumnId, ExecuteAs, ModuleDef, ModuleKind, Reference, ReferenceClass, SchemaId, TableDef,
};
use engine::catalog::{EVENT_KINDS, Schema, event_kind_by_id};

use super::super::cells::*;
use super::super::{FillContext, FilledView, RowsetColumn, id_of, names, queries, text_of};
use super::objects::{header, object_columns, system_view};
use base::{SqlType, Value};

const VIEW_COLUMNS: &[RowsetColumn] = object_columns![
    column("is_replicated", BIT, true),
    column("has_replication_filter", BIT, true),
    column("has_opaque_metadata", BIT, false),
    column("has_unchecked_assembly_data", BIT, false),
    column("with_check_option", BIT, false),
    column("is_date_correlation_view", BIT, false),
    column("is_tracked_by_cdc", BIT, true),
    column("has_snapshot", BIT, true),
    column("ledger_view_type", TINY, true),
    column("ledger_view_type_desc", nvar(60), true),
    column("is_dropped_ledger_view", BIT, true),
];

/// What `sys.views` shows after what all objects have.
fn view(with_check_option: bool) -> [Value; 11] {
    [
        bit(false),
        bit(false),
        bit(false),
        bit(false),
        bit(with_check_option),
        bit(false),
        bit(false),
        bit(false),
        int(0),
        text("NON_LEDGER_VIEW"),
        bit(false),
    ]
}

pub static VIEWS: FilledView = FilledView {
    schema: "sys",
    name: "views",
    columns: VIEW_COLUMNS,
    fill: |cx| {
        let schema = cx.schema.clone();
        for module in schema.modules() {
            let ModuleKind::View { with_check_option, .. } = &module.kind else { continue };
            let start = header(&module.header, module.object_kind(), 0);
            cx.push_two(start, view(*with_check_option));
        }
        Ok(())
    },
};

pub static SYSTEM_VIEWS: FilledView = FilledView {
    schema: "sys",
    name: "system_views",
    columns: VIEW_COLUMNS,
    fill: |cx| {
        names().for_each(|(schema, name)| cx.push_two(system_view(schema, name), view(false)));
        Ok(())
    },
};

pub static PROCEDURES: FilledView = FilledView {
    schema: "sys",
    name: "procedures",
    columns: object_columns![
        column("is_auto_executed", BIT, false),
        column("is_execution_replicated", BIT, true),
        column("is_repl_serializable_only", BIT, true),
        column("skips_repl_constraints", BIT, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for module in schema.modules() {
            let ModuleKind::Procedure { auto_executed } = &module.kind else { continue };
            let own = [bit(*auto_executed), bit(false), bit(false), bit(false)];
            cx.push_two(header(&module.header, module.object_kind(), 0), own);
        }
        Ok(())
    },
};

const TRIGGER_COLUMNS: &[RowsetColumn] = &[
    column("name", SYSNAME, false),
    column("object_id", INT, false),
    column("parent_class", TINY, false),
    column("parent_class_desc", nvar(60), true),
    column("parent_id", INT, false),
    column("type", fix(2), false),
    column("type_desc", nvar(60), true),
    column("create_date", WHEN, false),
    column("modify_date", WHEN, false),
    column("is_ms_shipped", BIT, false),
    column("is_disabled", BIT, false),
];

/// What `sys.triggers` and `sys.server_triggers` show of a trigger.
fn trigger(module: &ModuleDef) -> [Value; 11] {
    let (class, class_name) = match module.event_trigger() {
        None => (1, "OBJECT_OR_COLUMN"),
        Some(trigger) if trigger.server => (100, "SERVER"),
        Some(_) => (0, "DATABASE"),
    };
    let disabled = module.trigger().map(|trigger| trigger.disabled);
    let disabled = disabled.or(module.event_trigger().map(|trigger| trigger.disabled));
    [
        text(&module.header.name),
        object(module.id()),
        int(class),
        text(class_name),
        int(module.trigger().map_or(0, |trigger| trigger.parent.0)),
        code("TR"),
        text("SQL_TRIGGER"),
        when(module.header.created),
        when(module.header.modified),
        bit(false),
        bit(disabled.unwrap_or(false)),
    ]
}

pub static TRIGGERS: FilledView = FilledView {
    schema: "sys",
    name: "triggers",
    columns: &joined::<13, 2>([
        TRIGGER_COLUMNS,
        &[
            column("is_not_for_replication", BIT, false),
            column("is_instead_of_trigger", BIT, false),
        ],
    ]),
    fill: |cx| {
        let schema = cx.schema.clone();
        let is_shown = |module: &&Arc<ModuleDef>| {
            module.trigger().is_some() || module.event_trigger().is_some_and(|own| !own.server)
        };
        for module in schema.modules().filter(is_shown) {
            let own = module.trigger();
            let rest = [
                bit(own.is_some_and(|own| own.not_for_replication)),
                bit(own.is_some_and(|own| own.instead_of)),
            ];
            cx.push_two(trigger(module), rest);
        }
        Ok(())
    },
};

pub static SERVER_TRIGGERS: FilledView = FilledView {
    schema: "sys",
    name: "server_triggers",
    columns: TRIGGER_COLUMNS,
    fill: |cx| {
        server_triggers(cx).iter().for_each(|module| cx.push(trigger(module)));
        Ok(())
    },
};

/// The triggers on the server.
fn server_triggers(cx: &FillContext<'_>) -> Vec<Arc<ModuleDef>> {
    let master = cx.instance.databases().master().current();
    // A transaction sees what it has changed itself.
    let schema = if cx.database == DbId::MASTER { cx.schema } else { &master };
    schema.event_triggers(SchemaId::SERVER_TRIGGERS).cloned().collect()
}

const TRIGGER_EVENT_COLUMNS: &[RowsetColumn] = &[
    column("object_id", INT, false),
    column("type", INT, false),
    column("type_desc", nvar(128), false),
    column("is_first", BIT, true),
    column("is_last", BIT, true),
    column("event_group_type", INT, true),
    column("event_group_type_desc", nvar(128), true),
    column("is_trigger_event", BIT, true),
];

pub static TRIGGER_EVENTS: FilledView = FilledView {
    schema: "sys",
    name: "trigger_events",
    columns: TRIGGER_EVENT_COLUMNS,
    fill: |cx| {
        let schema = cx.schema.clone();
        for module in schema.modules() {
            for event in module.trigger().iter().flat_map(|trigger| &trigger.events) {
                cx.push([
                    object(module.id()),
                    int(event.kind.code()),
                    text(event.kind.description()),
                    bit(event.first),
                    bit(event.last),
                    NULL,
                    NULL,
                    bit(true),
                ]);
            }
            if module.event_trigger().is_some_and(|trigger| !trigger.server) {
                events_of(cx, module);
            }
        }
        Ok(())
    },
};

pub static SERVER_TRIGGER_EVENTS: FilledView = FilledView {
    schema: "sys",
    name: "server_trigger_events",
    columns: TRIGGER_EVENT_COLUMNS,
    fill: |cx| {
        server_triggers(cx).iter().for_each(|module| events_of(cx, module));
        Ok(())
    },
};

/// The events of a trigger on the database or the server.
fn events_of(cx: &mut FillContext<'_>, module: &ModuleDef) {
    let name = |id| event_kind_by_id(id).map_or("", |kind| kind.name);
    for event in module.event_trigger().iter().flat_map(|trigger| &trigger.events) {
        cx.push([
            object(module.id()),
            int(event.event),
            text(name(event.event)),
            bit(event.first),
            bit(event.last),
            or_null(event.group, int),
            or_null(event.group, |group| text(name(group))),
            bit(true),
        ]);
    }
}

pub static TRIGGER_EVENT_TYPES: FilledView = FilledView {
    schema: "sys",
    name: "trigger_event_types",
    columns: &[
        column("type", INT, false),
        column("type_name", nvar(64), true),
        column("parent_type", INT, true),
    ],
    fill: |cx| {
        for kind in EVENT_KINDS {
            let parent = Some(kind.parent).filter(|parent| *parent != 0);
            cx.push([int(kind.id), text(kind.name), or_null(parent, int)]);
        }
        Ok(())
    },
};

const MODULE_COLUMNS: &[RowsetColumn] = &[
    column("object_id", INT, false),
    column("definition", NMAX, true),
    column("uses_ansi_nulls", BIT, true),
    column("uses_quoted_identifier", BIT, true),
    column("is_schema_bound", BIT, true),
    column("uses_database_collation", BIT, true),
    column("is_recompiled", BIT, true),
    column("null_on_null_input", BIT, true),
    column("execute_as_principal_id", INT, true),
    column("uses_native_compilation", BIT, true),
    column("inline_type", BIT, true),
    column("is_inlineable", BIT, true),
];

/// Whether a module is a trigger on the server, which only the views of these show.
fn on_server(module: &ModuleDef) -> bool {
    module.event_trigger().is_some_and(|trigger| trigger.server)
}

/// `execute_as_principal_id`
fn execute_as(module: &ModuleDef) -> Value {
    match module.execute_as {
        ExecuteAs::Caller => NULL,
        ExecuteAs::Owner => int(-2),
        ExecuteAs::Principal(id) => int(id.0),
    }
}

pub static SQL_MODULES: FilledView = FilledView {
    schema: "sys",
    name: "sql_modules",
    columns: MODULE_COLUMNS,
    fill: |cx| {
        let schema = cx.schema.clone();
        for module in schema.modules().filter(|module| !on_server(module)) {
            cx.push([
                object(module.id()),
                if module.encrypted { NULL } else { text(&module.definition) },
                bit(module.uses_ansi_nulls),
                bit(module.uses_quoted_identifier),
                bit(module.schema_bound),
                bit(module.uses_database_collation),
                bit(module.recompile),
                bit(module.null_on_null_input),
                execute_as(module),
                bit(module.native),
                bit(false),
                bit(false),
            ]);
        }
        Ok(())
    },
};

pub static SERVER_SQL_MODULES: FilledView = FilledView {
    schema: "sys",
    name: "server_sql_modules",
    columns: &[
        column("object_id", INT, false),
        column("definition", NMAX, true),
        column("uses_ansi_nulls", BIT, true),
        column("uses_quoted_identifier", BIT, true),
        column("execute_as_principal_id", INT, true),
    ],
    fill: |cx| {
        for module in server_triggers(cx) {
            cx.push([
                object(module.id()),
                if module.encrypted { NULL } else { text(&module.definition) },
                bit(module.uses_ansi_nulls),
                bit(module.uses_quoted_identifier),
                execute_as(&module),
            ]);
        }
        Ok(())
    },
};

/// What the server provides and is written in T-SQL.
pub static SYSTEM_SQL_MODULES: FilledView = FilledView {
    schema: "sys",
    name: "system_sql_modules",
    columns: MODULE_COLUMNS,
    fill: |cx| {
        let views = queries().map(|view| (id_of(view.schema, view.name), text_of(view)));
        let procedures = crate::sysproc::all().filter(|own| !own.internal);
        let procedures = procedures.map(|own| (own.id.0, own.definition.to_string()));
        for (id, definition) in views.chain(procedures) {
            cx.push([
                int(id),
                text(&definition),
                bit(true),
                bit(true),
                bit(false),
                bit(false),
                bit(false),
                bit(false),
                NULL,
                bit(false),
                bit(false),
                bit(false),
            ]);
        }
        Ok(())
    },
};

pub static PARAMETERS: FilledView = FilledView {
    schema: "sys",
    name: "parameters",
    columns: &[
        column("object_id", INT, false),
        column("name", SYSNAME, true),
        column("parameter_id", INT, false),
        column("system_type_id", TINY, false),
        column("user_type_id", INT, false),
        column("max_length", SMALL, false),
        column("precision", TINY, false),
        column("scale", TINY, false),
        column("is_output", BIT, false),
        column("is_cursor_ref", BIT, false),
        column("has_default_value", BIT, false),
        column("is_xml_document", BIT, false),
        column("default_value", VARIANT, true),
        column("xml_collection_id", INT, false),
        column("is_readonly", BIT, false),
        column("is_nullable", BIT, true),
        column("encryption_type", INT, true),
        column("encryption_type_desc", nvar(64), true),
        column("encryption_algorithm_name", SYSNAME, true),
        column("column_encryption_key_id", INT, true),
        column("column_encryption_key_database_name", SYSNAME, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for module in schema.modules() {
            parameters(cx, module);
        }
        Ok(())
    },
};

pub static NUMBERED_PROCEDURES: FilledView = FilledView {
    schema: "sys",
    name: "numbered_procedures",
    columns: &[
        column("object_id", INT, false),
        column("procedure_number", SMALL, false),
        column("definition", NMAX, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for own in schema.modules().flat_map(|module| &module.numbered) {
            let definition = if own.encrypted { NULL } else { text(&own.definition) };
            cx.push([object(own.id()), int(own.number), definition]);
        }
        Ok(())
    },
};

pub static NUMBERED_PROCEDURE_PARAMETERS: FilledView = FilledView {
    schema: "sys",
    name: "numbered_procedure_parameters",
    columns: &[
        column("object_id", INT, false),
        column("procedure_number", SMALL, false),
        column("name", SYSNAME, true),
        column("parameter_id", INT, false),
        column("system_type_id", TINY, false),
        column("user_type_id", INT, false),
        column("max_length", SMALL, false),
        column("precision", TINY, false),
        column("scale", TINY, false),
        column("is_output", BIT, false),
        column("is_cursor_ref", BIT, false),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for module in schema.modules().flat_map(|module| &module.numbered) {
            for (at, own) in module.parameters.iter().enumerate() {
                let system = if own.table_valued { 243 } else { own.ty.kind.system_type_id() };
                let shape = (own.ty, own.user_type.0, system);
                let flags = [own.output, own.cursor];
                let [id, rest @ ..] =
                    shown_parameter(module, &own.name, at as i64 + 1, shape, flags);
                cx.push_two([id, int(module.number)], rest);
            }
        }
        Ok(())
    },
};

fn parameters(cx: &mut FillContext<'_>, module: &ModuleDef) {
    if let Some(returns) = module.returns() {
        let shape = (returns.ty, returns.user_type.0, returns.ty.kind.system_type_id());
        parameter(cx, module, "", 0, shape, [true, false, false, returns.nullable]);
    }
    for (at, own) in module.parameters.iter().enumerate() {
        let system = if own.table_valued { 243 } else { own.ty.kind.system_type_id() };
        let shape = (own.ty, own.user_type.0, system);
        let flags = [own.output, own.cursor, own.read_only, own.nullable];
        parameter(cx, module, &own.name, at as i64 + 1, shape, flags);
    }
}

/// A parameter's row; `flags` are output, cursor, read-only, nullable.
fn parameter(
    cx: &mut FillContext<'_>,
    module: &ModuleDef,
    name: &str,
    ordinal: i64,
    (ty, user_type, system): (SqlType, i32, u8),
    [output, cursor, read_only, nullable]: [bool; 4],
) {
    let shape = (ty, user_type, system);
    let start = shown_parameter(module, name, ordinal, shape, [output, cursor]);
    // As in SQL Server, defaults of T-SQL's parameters are in the text alone.
    let rest: [Value; 11] = [
        bit(false),
        bit(ty.xml_use().is_some_and(|of| of.is_document)),
        NULL,
        int(super::columns::xml_collection_id(&ty)),
        bit(read_only),
        bit(nullable),
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
    ];
    cx.push_two(start, rest);
}

pub static SQL_EXPRESSION_DEPENDENCIES: FilledView = FilledView {
    schema: "sys",
    name: "sql_expression_dependencies",
    columns: &[
        column("referencing_id", INT, false),
        column("referencing_minor_id", INT, false),
        column("referencing_class", TINY, true),
        column("referencing_class_desc", nvar(60), true),
        column("is_schema_bound_reference", BIT, false),
        column("referenced_class", TINY, true),
        column("referenced_class_desc", nvar(60), true),
        column("referenced_server_name", SYSNAME, true),
        column("referenced_database_name", SYSNAME, true),
        column("referenced_schema_name", SYSNAME, true),
        column("referenced_entity_name", SYSNAME, true),
        column("referenced_id", INT, true),
        column("referenced_minor_id", INT, false),
        column("is_caller_dependent", BIT, false),
        column("is_ambiguous", BIT, false),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        let of_modules = schema
            .modules()
            .filter(|module| !on_server(module))
            .flat_map(|module| module.references.iter().map(|own| (module.id(), None, own)));
        let of_tables = schema.tables().flat_map(|table| table.references());
        let of_policies = schema.security_policies().flat_map(|policy| {
            let mentioned = policy.predicates.iter().flat_map(|p| &p.references);
            mentioned.map(|own| (policy.header.id, None, own))
        });
        let mut listed: Vec<(ObjectId, &Reference)> = Vec::new();
        for (from, column, own) in of_modules.chain(of_tables).chain(of_policies) {
            // Several predicates of a policy may mention the same.
            if listed.contains(&(from, own)) {
                continue;
            }
            if schema.security_policy(from).is_some() {
                listed.push((from, own));
            }
            let name = |name: &Option<engine::catalog::def::Name>| {
                or_null(name.as_ref(), |name| text(name))
            };
            let is_event_trigger = schema.module(from).is_some_and(|m| m.event_trigger().is_some());
            let (class, class_name) = match is_event_trigger {
                false => (1, ReferenceClass::Object.description()),
                true => (12, "DATABASE_DDL_TRIGGER"),
            };
            cx.push([
                object(from),
                int(column.map_or(0, |column| column.0)),
                int(class),
                text(class_name),
                bit(own.schema_bound),
                int(own.class.code()),
                text(own.class.description()),
                name(&own.server),
                name(&own.database),
                name(&own.schema),
                text(&own.name),
                or_null(own.id, int),
                int(own.column.map_or(0, |column| column.0)),
                bit(own.caller_dependent),
                bit(own.ambiguous),
            ]);
        }
        for table in schema.tables() {
            for check in &table.checks {
                for &column in &check.columns {
                    cx.push(checked_column(&schema, table, check.header.id, column));
                }
            }
        }
        Ok(())
    },
};

/// A check that mentions a column of its table.
fn checked_column(
    schema: &Schema,
    table: &TableDef,
    check: ObjectId,
    column: ColumnId,
) -> [Value; 15] {
    let place = schema.schemas().get(table.header.schema);
    [
        object(check),
        int(0),
        int(1),
        text(ReferenceClass::Object.description()),
        bit(true),
        int(ReferenceClass::Object.code()),
        text(ReferenceClass::Object.description()),
        NULL,
        NULL,
        or_null(place, |place| text(&place.name)),
        text(&table.header.name),
        object(table.id()),
        int(column.0),
        bit(false),
        bit(false),
    ]
}

/// The assembly of the CLR types that the server has.
pub static ASSEMBLIES: FilledView = FilledView {
    schema: "sys",
    name: "assemblies",
    columns: &[
        column("name", SYSNAME, false),
        column("principal_id", INT, true),
        column("assembly_id", INT, false),
        column("clr_name", nvar(4000), true),
        column("permission_set", TINY, true),
        column("permission_set_desc", nvar(60), true),
        column("is_visible", BIT, false),
        column("create_date", WHEN, false),
        column("modify_date", WHEN, false),
        column("is_user_defined", BIT, true),
    ],
    fill: |cx| {
        let created = when(engine::catalog::def::DateTime { days: 0, ticks: 0 });
        cx.push([
            text(base::clr::ASSEMBLY),
            int(4),
            int(1),
            text(base::clr::ASSEMBLY_FULL_NAME),
            int(3),
            text("UNSAFE_ACCESS"),
            bit(true),
            created.clone(),
            created,
            bit(false),
        ]);
        Ok(())
    },
};

/// What all views of parameters begin with; the flags are output and cursor.
fn shown_parameter(
    module: &ModuleDef,
    name: &str,
    ordinal: i64,
    (ty, user_type, system): (SqlType, i32, u8),
    [output, cursor]: [bool; 2],
) -> [Value; 10] {
    let is_table = system == 243;
    [
        object(module.id()),
        text(name),
        int(ordinal),
        int(system),
        int(user_type),
        int(if is_table { -1 } else { ty.max_length() }),
        int(if is_table { 0 } else { ty.shown_digits().0 }),
        int(if is_table { 0 } else { ty.shown_digits().1 }),
        bit(output),
        bit(cursor),
    ]
}
