use super::*;

#[test]
fn generated_names_are_made_as_in_sql_server() {
    let id = ObjectId(0x1234_ABCD);
    let default = NameParts { prefix: "DF", column: Some("Quantity"), key: None };
    assert_eq!(&*default.name("SalesOrderDetail", id), "DF__SalesOrde__Quant__1234ABCD");
    let check = NameParts { prefix: "CK", column: None, key: None };
    assert_eq!(&*check.name("t", id), "CK__t__1234ABCD");
    let key = NameParts { prefix: "PK", column: None, key: Some(&["id"]) };
    let name = key.name("t", id);
    assert!(name.starts_with("PK__t__") && name.ends_with("1234ABCD"), "{name}");
    assert_eq!(name.len(), "PK__t__".len() + 16);
}

#[test]
fn temporary_names_are_shown_as_they_were_written() {
    let name: Name = engine::catalog::temporary_name("#orders", 7).into();
    assert_eq!(&*shown_name(&name), "#orders");
    assert_eq!(&*shown_name(&"##global".into()), "##global");
}
