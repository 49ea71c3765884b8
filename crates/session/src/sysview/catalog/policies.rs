//! Security policies and their predicates.

use engine::catalog::def::ObjectKind;

use super::super::FilledView;
use super::super::cells::*;
use super::objects::header;

pub static SECURITY_POLICIES: FilledView = FilledView {
    schema: "sys",
    name: "security_policies",
    columns: &[
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
        column("is_enabled", BIT, false),
        column("is_not_for_replication", BIT, false),
        column("uses_database_collation", BIT, true),
        column("is_schema_bound", BIT, false),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for policy in schema.security_policies() {
            let row = header(&policy.header, ObjectKind::SecurityPolicy, 0);
            let [name, id, owner, schema, parent, code, kind, created, modified, shipped, ..] = row;
            cx.push([
                name,
                id,
                owner,
                schema,
                parent,
                code,
                kind,
                created,
                modified,
                shipped,
                bit(policy.enabled),
                bit(policy.not_for_replication),
                bit(false),
                bit(policy.schema_bound),
            ]);
        }
        Ok(())
    },
};

pub static SECURITY_PREDICATES: FilledView = FilledView {
    schema: "sys",
    name: "security_predicates",
    columns: &[
        column("object_id", INT, false),
        column("security_predicate_id", INT, false),
        column("target_object_id", INT, false),
        column("predicate_definition", NMAX, true),
        column("predicate_type", INT, true),
        column("predicate_type_desc", nvar(60), true),
        column("operation", INT, true),
        column("operation_desc", nvar(60), true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for policy in schema.security_policies() {
            for predicate in &policy.predicates {
                cx.push([
                    object(policy.header.id),
                    int(predicate.id),
                    object(predicate.table),
                    text(&predicate.definition()),
                    int(predicate.kind.code()),
                    text(predicate.kind.description()),
                    or_null(predicate.operation, |operation| int(operation.code())),
                    or_null(predicate.operation, |operation| text(operation.description())),
                ]);
            }
        }
        Ok(())
    },
};
