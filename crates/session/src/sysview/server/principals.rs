//! Logins and server roles.

use base::Value;
use engine::catalog::def::{LoginDef, PrincipalKind};

use super::super::FilledView;
use super::super::catalog::security::{PERMISSION_COLUMNS, permission_rows};
use super::super::cells::*;

macro_rules! principal_columns {
    ($($more:expr),* $(,)?) => {
        &[
            column("name", SYSNAME, false),
            column("principal_id", INT, false),
            column("sid", SID, true),
            column("type", fix(1), false),
            column("type_desc", nvar(60), true),
            column("is_disabled", BIT, true),
            column("create_date", WHEN, false),
            column("modify_date", WHEN, false),
            column("default_database_name", SYSNAME, true),
            column("default_language_name", SYSNAME, true),
            column("credential_id", INT, true),
            $($more),*
        ]
    };
}

fn login(own: &LoginDef) -> [Value; 11] {
    [
        text(&own.name),
        int(own.id.0),
        bytes(&own.sid),
        chars(own.kind.code()),
        text(own.type_description()),
        bit(own.disabled),
        when(own.created),
        when(own.modified),
        or_null(own.default_database.as_ref(), |name| text(name)),
        or_null(own.default_language.as_ref(), |name| text(name)),
        NULL,
    ]
}

pub static SERVER_PRINCIPALS: FilledView = FilledView {
    schema: "sys",
    name: "server_principals",
    columns: principal_columns![
        column("owning_principal_id", INT, true),
        column("is_fixed_role", BIT, false),
        column("tenant_id", GUID, true),
    ],
    fill: |cx| {
        let master = cx.instance.databases().master().current();
        for own in master.server().logins().iter() {
            let owner = or_null(own.owner, |owner| int(owner.0));
            cx.push_two(login(own), [owner, bit(own.fixed_role), NULL]);
        }
        Ok(())
    },
};

pub static SQL_LOGINS: FilledView = FilledView {
    schema: "sys",
    name: "sql_logins",
    columns: principal_columns![
        column("is_policy_checked", BIT, true),
        column("is_expiration_checked", BIT, true),
        column("password_hash", base::SqlType::varbinary(256), true),
    ],
    fill: |cx| {
        let master = cx.instance.databases().master().current();
        for own in master.server().logins().iter() {
            if own.kind == PrincipalKind::SqlUser {
                // Hashes are not shown.
                let rest = [bit(own.policy_checked), bit(own.expiration_checked), NULL];
                cx.push_two(login(own), rest);
            }
        }
        Ok(())
    },
};

pub static SERVER_ROLE_MEMBERS: FilledView = FilledView {
    schema: "sys",
    name: "server_role_members",
    columns: &[column("role_principal_id", INT, false), column("member_principal_id", INT, false)],
    fill: |cx| {
        let master = cx.instance.databases().master().current();
        for own in master.server().logins().iter() {
            for role in &own.roles {
                cx.push([int(role.0), int(own.id.0)]);
            }
        }
        Ok(())
    },
};

pub static SERVER_PERMISSIONS: FilledView = FilledView {
    schema: "sys",
    name: "server_permissions",
    columns: PERMISSION_COLUMNS,
    fill: |cx| {
        let master = cx.instance.databases().master().current();
        for row in master.server().permissions().flat_map(|set| permission_rows(set)) {
            cx.push(row);
        }
        Ok(())
    },
};
