use super::*;

#[test]
fn sizes_are_read_and_shown() {
    for (text, bytes, shown) in [
        ("4096", 4096, "4KB"),
        ("64KB", 65_536, "64KB"),
        (" 16 mb ", 16 << 20, "16MB"),
        ("2GB", 2 << 30, "2GB"),
        ("100B", 100, "100"),
        ("0", 0, "0"),
    ] {
        let size: Bytes = text.parse().unwrap();
        assert_eq!((size.0, size.to_string().as_str()), (bytes, shown), "{text}");
    }
    for bad in ["", "x", "-1", "1.5GB", "99999999999TB"] {
        assert!(bad.parse::<Bytes>().is_err(), "{bad}");
    }
}

#[test]
fn memory_may_be_a_share_of_the_machines() {
    assert_eq!("75%".parse::<Memory>().unwrap().bytes(1000), 750);
    assert_eq!("1KB".parse::<Memory>().unwrap().bytes(1000), 1024);
    assert!("0%".parse::<Memory>().is_err());
    assert!("101%".parse::<Memory>().is_err());
}

#[test]
fn spans_are_read_and_shown() {
    for (text, ms, shown) in
        [("15", 15_000, "15s"), ("250ms", 250, "250ms"), ("2m", 120_000, "120s")]
    {
        let span: Span = text.parse().unwrap();
        assert_eq!((span.0.as_millis(), span.to_string().as_str()), (ms, shown));
    }
    assert!("soon".parse::<Span>().is_err());
}
