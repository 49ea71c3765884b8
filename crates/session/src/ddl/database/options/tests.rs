use super::*;

fn options(text: &str) -> DdlResult<DatabaseOptions> {
    let text = format!("alter database d set {text}");
    let batch = tsql::parse_batch(&text, tsql::ParseOptions::default())?;
    let ast::StatementKind::AlterDatabase(alter) = &batch.statements[0].kind else {
        panic!("it is ALTER DATABASE");
    };
    let ast::AlterDatabaseAction::Set { options, .. } = &alter.action else {
        panic!("it is SET");
    };
    let mut result = DatabaseOptions::default();
    options.iter().try_for_each(|option| set(&mut result, option, "d"))?;
    Ok(result)
}

#[test]
fn options_are_set() {
    let set = options("recovery simple, allow_snapshot_isolation on").unwrap();
    assert_eq!((set.recovery_model, set.snapshot_isolation), (RecoveryModel::Simple, true));
    let set = options("memory_optimized_elevate_to_snapshot = on").unwrap();
    assert!(set.elevate_to_snapshot);
    let set = options("delayed_durability = allowed").unwrap();
    assert_eq!(set.delayed_durability, DelayedDurability::Allowed);
    assert_eq!(options("compatibility_level = 130").unwrap().compatibility_level, 130);
    assert_eq!(options("target_recovery_time = 2 minutes").unwrap().target_recovery_time_s, 120);
    assert!(options("query_store = on (operation_mode = read_write)").unwrap().query_store);
    assert_eq!(options("single_user").unwrap().user_access, UserAccess::Single);
}

#[test]
fn what_cannot_be_set_is_refused() {
    let number = |text| options(text).unwrap_err().error.number();
    assert_eq!(number("compatibility_level = 90"), 15048);
    assert_eq!(number("offline"), 5058);
    assert_eq!(number("encryption on"), 5058);
    assert!(options("encryption off").is_ok());
}
