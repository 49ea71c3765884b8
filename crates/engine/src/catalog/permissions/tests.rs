use super::*;

#[test]
fn permissions_fit_kinds_of_objects() {
    let there_is = |kind, permission| {
        SecurableKind::Object(kind).permissions().any(|own: Permission| own == permission)
    };
    assert!(there_is(ObjectKind::Table, P::Select));
    assert!(!there_is(ObjectKind::Table, P::Execute));
    assert!(!there_is(ObjectKind::Procedure, P::Select));
    assert!(!there_is(ObjectKind::ScalarFunction, P::Select));
    assert!(there_is(ObjectKind::ScalarFunction, P::References));
    assert!(there_is(ObjectKind::Sequence, P::Update));
    assert!(SecurableKind::Schema.permissions().any(|own| own == P::Execute));
}

#[test]
fn columns_have_what_their_tables_have() {
    for permission in SecurableKind::Column.permissions() {
        let mut of_table = SecurableKind::Object(ObjectKind::Table).permissions();
        assert!(of_table.any(|own| own == permission));
    }
}
