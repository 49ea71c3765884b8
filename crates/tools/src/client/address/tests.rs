use super::*;

fn parse(text: &str) -> (String, u16) {
    let address = ServerAddress::parse(text).unwrap();
    (address.host, address.port)
}

#[test]
fn names_of_this_machine_are_known() {
    for name in [".", "(local)", "", " . ", "tcp:.", "lpc:."] {
        assert_eq!(parse(name), ("127.0.0.1".into(), 1433), "{name:?}");
    }
    assert!(ServerAddress::parse(".").unwrap().is_local());
    assert!(ServerAddress::parse("localhost,5").unwrap().is_local());
    assert!(ServerAddress::parse("[::1],5").unwrap().is_local());
    assert!(!ServerAddress::parse("db.example.com").unwrap().is_local());
}

#[test]
fn ports_follow_a_comma_or_a_colon() {
    assert_eq!(parse("db1,14330"), ("db1".into(), 14330));
    assert_eq!(parse("tcp:db1.example.com, 1500"), ("db1.example.com".into(), 1500));
    assert_eq!(parse("127.0.0.1:1500"), ("127.0.0.1".into(), 1500));
    assert_eq!(parse("[::1]:1500"), ("::1".into(), 1500));
    assert_eq!(parse("::1"), ("::1".into(), 1433));
    assert_eq!(parse("[fe80::1],1500"), ("fe80::1".into(), 1500));
    for bad in ["db1,", "db1,0", "db1,65536", "db1,x"] {
        assert!(matches!(ServerAddress::parse(bad), Err(AddressError::Port(_))), "{bad}");
    }
}

#[test]
fn instances_are_remembered_only_to_be_mentioned() {
    let address = ServerAddress::parse(r".\SQLEXPRESS").unwrap();
    assert_eq!((address.host.as_str(), address.port), ("127.0.0.1", 1433));
    assert_eq!(address.ignored_instance.as_deref(), Some("SQLEXPRESS"));
    assert_eq!(parse(r"db1\prod,1500"), ("db1".into(), 1500));
}

#[test]
fn other_protocols_are_refused() {
    for bad in [r"np:\\.\pipe\sql\query", r"\\.\pipe\x", "admin:db1", r"(localdb)\v11.0"] {
        assert!(matches!(ServerAddress::parse(bad), Err(AddressError::Protocol(_))), "{bad}");
    }
}
