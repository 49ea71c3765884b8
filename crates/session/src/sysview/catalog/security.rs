//! Principals of a database and what they may do.

use super::super::FilledView;
use super::super::cells::*;
use base::Value;
use base::datetime::Language;
use engine::catalog::def::{PermissionSet, PrincipalId};
use ir::function::rowset::RowsetColumn;

pub static DATABASE_PRINCIPALS: FilledView = FilledView {
    schema: "sys",
    name: "database_principals",
    columns: &[
        column("name", SYSNAME, false),
        column("principal_id", INT, false),
        column("type", fix(1), false),
        column("type_desc", nvar(60), true),
        column("default_schema_name", SYSNAME, true),
        column("create_date", WHEN, false),
        column("modify_date", WHEN, false),
        column("owning_principal_id", INT, true),
        column("sid", SID, true),
        column("is_fixed_role", BIT, false),
        column("authentication_type", INT, false),
        column("authentication_type_desc", nvar(60), true),
        column("default_language_name", SYSNAME, true),
        column("default_language_lcid", INT, true),
        column("allow_encrypted_value_modifications", BIT, false),
        column("tenant_id", GUID, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for own in schema.principals().iter() {
            cx.push([
                text(&own.name),
                int(own.id.0),
                chars(own.kind.code()),
                text(own.kind.description()),
                or_null(own.default_schema.as_ref(), |name| text(name)),
                when(own.created),
                when(own.modified),
                or_null(own.owner, |owner| int(owner.0)),
                or_null(own.sid.as_ref(), |sid| bytes(sid)),
                bit(own.fixed_role),
                int(own.authentication.code()),
                text(own.authentication.description()),
                or_null(own.default_language.as_ref(), |name| text(name)),
                or_null(own.default_language.as_deref().and_then(Language::by_name), |language| {
                    int(language.lcid)
                }),
                bit(false),
                NULL,
            ]);
        }
        Ok(())
    },
};

pub static DATABASE_ROLE_MEMBERS: FilledView = FilledView {
    schema: "sys",
    name: "database_role_members",
    columns: &[column("role_principal_id", INT, false), column("member_principal_id", INT, false)],
    fill: |cx| {
        let schema = cx.schema.clone();
        for own in schema.principals().iter() {
            for role in &own.roles {
                cx.push([int(role.0), int(own.id.0)]);
            }
        }
        Ok(())
    },
};

/// The columns of both views of permissions.
pub const PERMISSION_COLUMNS: &[RowsetColumn] = &[
    column("class", TINY, false),
    column("class_desc", nvar(60), true),
    column("major_id", INT, false),
    column("minor_id", INT, false),
    column("grantee_principal_id", INT, false),
    column("grantor_principal_id", INT, false),
    column("type", fix(4), false),
    column("permission_name", nvar(128), true),
    column("state", fix(1), false),
    column("state_desc", nvar(60), true),
];

/// The rows of what a principal was granted on one thing.
pub fn permission_rows(set: &PermissionSet) -> impl Iterator<Item = [Value; 10]> + '_ {
    let PrincipalId(grantee) = set.grantee;
    set.grants.iter().map(move |grant| {
        [
            int(set.target.class.code()),
            text(set.target.class.description()),
            int(set.target.major),
            int(set.target.minor),
            int(grantee),
            int(grant.grantor.0),
            chars(&format!("{:<4}", grant.permission.code())),
            text(grant.permission.description()),
            chars(grant.state.code()),
            text(grant.state.description()),
        ]
    })
}

pub static DATABASE_PERMISSIONS: FilledView = FilledView {
    schema: "sys",
    name: "database_permissions",
    columns: PERMISSION_COLUMNS,
    fill: |cx| {
        let schema = cx.schema.clone();
        for row in schema.permissions().flat_map(|set| permission_rows(set)) {
            cx.push(row);
        }
        Ok(())
    },
};
