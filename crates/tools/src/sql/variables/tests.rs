use super::*;

#[test]
fn names_have_no_case_and_some_cannot_be_set() {
    let mut variables = Variables::default();
    variables.set("Db_1", "x".into()).unwrap();
    assert_eq!(variables.get("DB_1").as_deref(), Some("x"));
    variables.remove("db_1");
    assert_eq!(variables.get("DB_1"), None);
    assert!(variables.set("a b", String::new()).is_err());
    assert!(variables.set("sqlcmduser", String::new()).is_err());
    assert!(variables.set("sqlcmdcolsep", "|".into()).is_ok());
    assert_eq!(variables.own("SQLCMDCOLSEP"), "|");
}
