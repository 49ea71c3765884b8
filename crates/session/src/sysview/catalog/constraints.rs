//! Constraints.

use engine::catalog::def::ObjectKind;

use super::super::FilledView;
use super::super::cells::*;
use super::objects::{constraint, object_columns, tables};

pub static KEY_CONSTRAINTS: FilledView = FilledView {
    schema: "sys",
    name: "key_constraints",
    columns: object_columns![
        column("unique_index_id", INT, true),
        column("is_system_named", BIT, false),
        column("is_enforced", BIT, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in tables(&schema) {
            for index in &table.indexes {
                let Some(key) = &index.constraint else { continue };
                let kind = if key.primary { ObjectKind::PrimaryKey } else { ObjectKind::Unique };
                let own = [int(index.id.0), bit(key.header.system_named), bit(!index.disabled)];
                cx.push_two(constraint(table, kind, &key.header), own);
            }
        }
        Ok(())
    },
};

pub static CHECK_CONSTRAINTS: FilledView = FilledView {
    schema: "sys",
    name: "check_constraints",
    columns: object_columns![
        column("is_disabled", BIT, false),
        column("is_not_for_replication", BIT, false),
        column("is_not_trusted", BIT, false),
        column("parent_column_id", INT, false),
        column("definition", NMAX, true),
        column("uses_database_collation", BIT, true),
        column("is_system_named", BIT, false),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in tables(&schema) {
            for check in &table.checks {
                let own = [
                    bit(check.disabled),
                    bit(check.not_for_replication),
                    bit(check.not_trusted),
                    int(check.column.map_or(0, |column| column.0)),
                    text(&check.definition),
                    bit(check.uses_database_collation),
                    bit(check.header.system_named),
                ];
                cx.push_two(constraint(table, ObjectKind::Check, &check.header), own);
            }
        }
        Ok(())
    },
};

pub static DEFAULT_CONSTRAINTS: FilledView = FilledView {
    schema: "sys",
    name: "default_constraints",
    columns: object_columns![
        column("parent_column_id", INT, false),
        column("definition", NMAX, true),
        column("is_system_named", BIT, false),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in tables(&schema) {
            for column in &table.columns {
                let Some(default) = &column.default else { continue };
                let own =
                    [int(column.id.0), text(&default.definition), bit(default.header.system_named)];
                cx.push_two(constraint(table, ObjectKind::Default, &default.header), own);
            }
        }
        Ok(())
    },
};

pub static FOREIGN_KEYS: FilledView = FilledView {
    schema: "sys",
    name: "foreign_keys",
    columns: object_columns![
        column("referenced_object_id", INT, true),
        column("key_index_id", INT, true),
        column("is_disabled", BIT, false),
        column("is_not_for_replication", BIT, false),
        column("is_not_trusted", BIT, false),
        column("delete_referential_action", TINY, true),
        column("delete_referential_action_desc", nvar(60), true),
        column("update_referential_action", TINY, true),
        column("update_referential_action_desc", nvar(60), true),
        column("is_system_named", BIT, false),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in tables(&schema) {
            for key in &table.foreign_keys {
                let own = [
                    object(key.referenced),
                    int(key.referenced_index.0),
                    bit(key.disabled),
                    bit(key.not_for_replication),
                    bit(key.not_trusted),
                    int(key.on_delete.code()),
                    text(key.on_delete.description()),
                    int(key.on_update.code()),
                    text(key.on_update.description()),
                    bit(key.header.system_named),
                ];
                cx.push_two(constraint(table, ObjectKind::ForeignKey, &key.header), own);
            }
        }
        Ok(())
    },
};

pub static FOREIGN_KEY_COLUMNS: FilledView = FilledView {
    schema: "sys",
    name: "foreign_key_columns",
    columns: &[
        column("constraint_object_id", INT, false),
        column("constraint_column_id", INT, false),
        column("parent_object_id", INT, false),
        column("parent_column_id", INT, false),
        column("referenced_object_id", INT, false),
        column("referenced_column_id", INT, false),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in tables(&schema) {
            for key in &table.foreign_keys {
                for (at, column) in key.columns.iter().enumerate() {
                    cx.push([
                        object(key.header.id),
                        int(at as i64 + 1),
                        object(table.id()),
                        int(column.own.0),
                        object(key.referenced),
                        int(column.referenced.0),
                    ]);
                }
            }
        }
        Ok(())
    },
};
