use base::Collation;

use super::*;
use crate::catalog::Schema;

const NOW: DateTime = DateTime { days: 45_000, ticks: 0 };

fn schema(id: DbId) -> Schema {
    let definitions = database(id, SA_SID, NOW).into_iter().chain(server(None, NOW));
    Schema::from_definitions(id, Collation(1), definitions).expect("names are distinct")
}

#[test]
fn fixed_principals_and_schemas_have_their_ids() {
    let schema = schema(DbId::MASTER);
    let id = |name| schema.find_principal(name).map(|p| p.id.0);
    assert_eq!(id("public"), Some(0));
    assert_eq!(id("DBO"), Some(1));
    assert_eq!(id("db_owner"), Some(16384));
    assert_eq!(id("db_denydatawriter"), Some(16393));
    assert_eq!(schema.find_schema("information_schema").map(|s| s.id.0), Some(3));
    assert_eq!(schema.find_schema("db_owner").map(|s| s.id.0), Some(16384));
    assert_eq!(schema.find_login("sysadmin").map(|l| l.id.0), Some(3));
    assert_eq!(schema.find_login("bulkadmin").map(|l| l.id), Some(PrincipalId::BULKADMIN));
    let dbo = schema.user_with_sid(SA_SID).expect("sa owns the database");
    assert_eq!(schema.default_schema(dbo), SchemaId::DBO);
    assert!(schema.is_member(dbo.id, PrincipalId::DB_OWNER));
    assert!(!schema.is_member(PrincipalId::GUEST, PrincipalId::DB_OWNER));
    assert!(schema.server().is_member(PrincipalId::SA, PrincipalId::SYSADMIN));
}

#[test]
fn guests_may_connect_to_shared_databases_only() {
    let target = Securable { class: SecurableClass::Database, major: 0, minor: 0 };
    let guest = |id| schema(id).permission_set(target, PrincipalId::GUEST).is_some();
    assert!(guest(DbId::MASTER) && guest(DbId::TEMPDB) && guest(DbId::MSDB));
    assert!(!guest(DbId::MODEL) && !guest(DbId(5)));
}

#[test]
fn configurations_are_in_order_and_within_their_bounds() {
    assert!(CONFIGURATIONS.is_sorted_by(|a, b| a.id < b.id));
    for c in CONFIGURATIONS {
        // Zero often means that the server chooses, whatever the minimum.
        assert!(c.default == 0 || (c.minimum..=c.maximum).contains(&c.default), "{c:?}");
    }
    let memory = configuration("MAX SERVER MEMORY (mb)").expect("it exists");
    assert_eq!((memory.id, memory.default), (1544, i32::MAX));
}
