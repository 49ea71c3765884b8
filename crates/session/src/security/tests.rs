use std::sync::Arc;

use base::Collation;
use base::ids::DbId;
use engine::catalog::Definition;
use engine::catalog::def::{Grant, PermissionSet};

use super::*;

const USER: PrincipalId = PrincipalId(5);
const ROLE: PrincipalId = PrincipalId(6);
const S: SchemaId = SchemaId(5);

fn schema(sets: &[(Securable, PrincipalId, Permission, PermissionState)]) -> Schema {
    let now = engine::catalog::def::DateTime { days: 0, ticks: 0 };
    let mut all = engine::catalog::builtin::database(DbId(5), &[9], now);
    let sample = all.iter().find_map(|d| match d {
        Definition::Principal(p) if p.id == PrincipalId::GUEST => Some((**p).clone()),
        _ => None,
    });
    let sample = sample.expect("guest is built in");
    let principal = |id: PrincipalId, name: &str, roles: Vec<PrincipalId>| {
        let sid: Box<[u8]> = Box::new([id.0 as u8]);
        let def = PrincipalDef { id, name: name.into(), sid: Some(sid), roles, ..sample.clone() };
        Definition::Principal(Arc::new(def))
    };
    all.push(principal(USER, "u", vec![ROLE]));
    all.push(principal(ROLE, "r", vec![]));
    let own = engine::catalog::def::SchemaDef { id: S, name: "s".into(), owner: ROLE };
    all.push(Definition::Schema(Arc::new(own)));
    for &(target, grantee, permission, state) in sets {
        let grant = Grant { permission, grantor: PrincipalId::DBO, state };
        let set = PermissionSet { target, grantee, grants: vec![grant] };
        all.push(Definition::Permissions(Arc::new(set)));
    }
    Schema::from_definitions(DbId(5), Collation(1), all).expect("the definitions fit together")
}

fn on_schema(id: SchemaId) -> Securable {
    Securable { class: SecurableClass::Schema, major: id.0, minor: 0 }
}

fn user(schema: &Schema) -> DatabaseUser {
    DatabaseUser::of(schema, schema.principals().get(USER).unwrap())
}

#[test]
fn permissions_come_from_roles_and_containers() {
    let grant = (on_schema(SchemaId::DBO), ROLE, Permission::Select, PermissionState::Grant);
    let s = schema(&[grant]);
    let user = user(&s);
    assert!(user.may(&s, on_schema(SchemaId::DBO), Permission::Select));
    assert!(!user.may(&s, on_schema(SchemaId::DBO), Permission::Insert));
    assert!(!user.may(&s, WHOLE_DATABASE, Permission::Select));
    assert!(user.may(&s, on_schema(S), Permission::Insert), "the role owns the schema");
    assert!(DatabaseUser::dbo().may(&s, WHOLE_DATABASE, Permission::Control));
}

#[test]
fn a_denial_anywhere_beats_every_grant() {
    let s = schema(&[
        (WHOLE_DATABASE, USER, Permission::Control, PermissionState::Grant),
        (on_schema(SchemaId::DBO), ROLE, Permission::Select, PermissionState::Deny),
    ]);
    let user = user(&s);
    assert!(user.may(&s, on_schema(SchemaId::DBO), Permission::Insert));
    assert!(!user.may(&s, on_schema(SchemaId::DBO), Permission::Select));
}

#[test]
fn fixed_roles_reach_data_only() {
    assert_eq!(fixed_role(PrincipalId::DB_DATAREADER, Permission::Select, true), Some(true));
    assert_eq!(fixed_role(PrincipalId::DB_DATAREADER, Permission::Select, false), None);
    assert_eq!(fixed_role(PrincipalId::DB_DENYDATAWRITER, Permission::Delete, true), Some(false));
}
