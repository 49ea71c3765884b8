//! What of a database depends on what is outside of it.

use engine::catalog::ObjectDef;
use engine::catalog::def::{Authentication, Name, PrincipalId};

use super::super::FilledView;
use super::super::cells::*;

/// A name with another database in it.
const QUALIFIED: [&str; 2] = ["Server or Database Qualified Name", "T-SQL Syntax"];
/// A user of a login.
const USER: [&str; 2] = ["Database Principal", "Database Entity"];

pub static DM_DB_UNCONTAINED_ENTITIES: FilledView = FilledView {
    schema: "sys",
    name: "dm_db_uncontained_entities",
    columns: &[
        column("class", INT, true),
        column("class_desc", nvar(120), true),
        column("major_id", INT, true),
        column("statement_line_number", INT, true),
        column("statement_offset_begin", INT, true),
        column("statement_offset_end", INT, true),
        column("statement_type", nvar(512), true),
        column("feature_name", nvar(256), true),
        column("feature_type_name", nvar(256), true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        let database = cx.instance.database_name(cx.database);
        let elsewhere =
            |name: Option<&Name>| name.is_some_and(|name| !schema.same_name(name, &database));
        let mut push = |class: i32, class_name: &str, id: i32, [name, kind]: [&str; 2]| {
            let [class, class_name, id] = [int(class), text(class_name), int(id)];
            cx.push([class, class_name, id, NULL, NULL, NULL, NULL, text(name), text(kind)]);
        };
        for module in schema.modules() {
            let mut named = module.references.iter();
            if named.any(|own| own.server.is_some() || elsewhere(own.database.as_ref())) {
                let (class, class_name) = match module.event_trigger() {
                    Some(_) => (12, "DATABASE_DDL_TRIGGER"),
                    None => (1, "OBJECT_OR_COLUMN"),
                };
                push(class, class_name, module.id().0, QUALIFIED);
            }
        }
        let options = tsql::ParseOptions { quoted_identifier: true };
        for own in schema.objects() {
            if let ObjectDef::Synonym(synonym) = own
                && let Ok(base) = tsql::parse_object_name(&synonym.base, options)
                && (base.server.is_some() || elsewhere(base.database.as_ref().map(|d| &d.name)))
            {
                push(1, "OBJECT_OR_COLUMN", synonym.header.id.0, QUALIFIED);
            }
        }
        for user in schema.principals().iter() {
            if user.authentication == Authentication::Instance && user.id >= PrincipalId::FIRST_USER
            {
                push(4, "DATABASE_PRINCIPAL", user.id.0, USER);
            }
        }
        Ok(())
    },
};
