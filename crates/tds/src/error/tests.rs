use super::*;

#[test]
fn parameter_errors_carry_sql_servers_numbers() {
    let error = ProtocolError::Value("float").as_parameter(2, "@p");
    assert_eq!((error.number(), error.severity(), error.state()), (8023, 16, 1));
    assert!(error.text().contains("Parameter 2 (\"@p\"): The supplied value is not a valid"));
    assert_eq!(ProtocolError::UnknownType(0x99).as_parameter(1, "").number(), 8009);
    assert_eq!(ProtocolError::TypeLength(0x26).to_sql_error().number(), 8016);
}

#[test]
fn fatal_errors_have_a_severity_that_ends_the_session() {
    let error = ProtocolError::PacketOrder { expected: 2, found: 9 };
    assert!(error.is_fatal());
    assert_eq!((error.to_sql_error().number(), error.to_sql_error().severity()), (4014, 20));
}
