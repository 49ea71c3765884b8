use super::*;

#[test]
fn literals_have_sql_servers_types() {
    assert_eq!(integer("2147483647").unwrap(), SqlType::int());
    assert_eq!(integer("0000000000000042").unwrap(), SqlType::int());
    assert_eq!(integer("2147483648").unwrap(), SqlType::numeric(10, 0));
    assert_eq!(integer("12345678901234567890").unwrap(), SqlType::numeric(20, 0));
    assert_eq!(numeric("1.0").unwrap(), SqlType::numeric(2, 1));
    assert_eq!(numeric("0.5").unwrap(), SqlType::numeric(1, 1));
    assert_eq!(numeric("5.").unwrap(), SqlType::numeric(1, 0));
    assert_eq!(numeric(".0").unwrap(), SqlType::numeric(1, 1));
    assert_eq!(integer(&"9".repeat(39)).unwrap_err().number(), 1007);
    assert_eq!(chars(0, Collation(1)), SqlType::varchar(1, Collation(1)));
    assert!(unicode(4001, Collation(1)).is_max());
    assert_eq!(binary(3), SqlType::varbinary(3));
    assert_eq!(integer_digits(-100), 3);
}

#[test]
fn literals_have_their_values() {
    let int = |text: &str| integer_value(text).unwrap();
    assert_eq!(int("0042"), (SqlType::int(), Value::Int(42)));
    assert_eq!(int("2147483648"), (SqlType::numeric(10, 0), Value::Decimal(2_147_483_648)));
    assert_eq!(numeric_value("1.50").unwrap(), (SqlType::numeric(3, 2), Value::Decimal(150)));
    assert_eq!(float_value("1.5e3").unwrap().1, Value::Float(1500.0));
    assert_eq!(float_value("1e400").unwrap_err().number(), 168);
    assert_eq!(money_value("$1.5").unwrap().1, Value::Money(15_000));
    assert_eq!(money_value("$").unwrap().1, Value::Money(0));
    assert_eq!(binary_value("0xABC"), (SqlType::varbinary(2), Value::Bytes([0x0A, 0xBC].into())));
    assert_eq!(binary_value("0x"), (SqlType::varbinary(1), Value::Bytes([].into())));
}
