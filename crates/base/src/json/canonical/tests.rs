use super::*;
use crate::arena::Arena;
use crate::pace::{STRIDE, Unpaced};

/// The canonical text, or number, state and text of the error.
fn canonical(text: impl AsRef<[u8]>) -> String {
    let arena = Arena::new();
    let mut out = arena.buffer();
    match write(text.as_ref(), &Unpaced, &mut out) {
        Ok(()) => std::str::from_utf8(out.finish()).expect("it is UTF-8").to_string(),
        Err(e) => format!("{} {} {}", e.number(), e.state(), e.text()),
    }
}

#[test]
fn white_space_goes_and_the_first_member_of_a_name_stays() {
    for (text, expected) in [
        (" { \"a\" :\t1 ,\r\n\"b\" : [ 1 , 2 ] } ", r#"{"a":1,"b":[1,2]}"#),
        (r#"{"a":1,"b":2,"a":[3]}"#, r#"{"a":1,"b":2}"#),
        (r#"{"a":{"a":1,"a":2},"b":{"a":3}}"#, r#"{"a":{"a":1},"b":{"a":3}}"#),
        (r#"[{"a":1},{"a":2,"a":{"b":3}},{"a":4}]"#, r#"[{"a":1},{"a":2},{"a":4}]"#),
        (r#"{"A":1,"a":2}"#, r#"{"A":1,"a":2}"#),
        ("[]", "[]"),
        ("{}", "{}"),
        ("[null,true,false,[],{}]", "[null,true,false,[],{}]"),
    ] {
        assert_eq!(canonical(text), expected);
    }
}

#[test]
fn names_stay_as_they_are_written() {
    for text in [r#"{"\/":1,"/":2}"#, r#"{"\u0061":1,"a":2}"#, r#"{"é":1,"":2}"#] {
        assert_eq!(canonical(text), text);
    }
}

#[test]
fn strings_are_written_anew() {
    for (text, expected) in [
        (r#"["\/ \u0041 \"\\ \b\f\n\r\t"]"#, r#"["/ A \"\\ \b\f\n\r\t"]"#),
        (r#"["\u0008\u000c\u000a\u000d\u0009\u0022\u005c"]"#, r#"["\b\f\n\r\t\"\\"]"#),
        (r#"["\u0000\u001f\u007f"]"#, "[\"\\u0000\\u001F\u{7f}\"]"),
        (r#"["\u00e9 \ud83d\ude00"]"#, r#"["é 😀"]"#),
        (r#"["\ud83d","\ude00x","\ud83dx","\ud83d\ud83d\ude00"]"#, r#"["�","�x","�x","�😀"]"#),
    ] {
        assert_eq!(canonical(text), expected);
    }
    assert_eq!(canonical(b"[\"\xFF\xC3\"]"), "[\"\u{FFFD}\u{FFFD}\"]");
}

#[test]
fn long_strings_are_written_whole() {
    let long = format!(r#"["{}\u0041{}"]"#, "é".repeat(STRIDE), "x".repeat(2 * STRIDE + 1));
    assert_eq!(canonical(&long), long.replace(r"\u0041", "A"));
}

#[test]
fn numbers_stay_or_become_decimals() {
    let nines = "9".repeat(38);
    for (number, expected) in [
        ("-0.0", "0.0"),
        ("-0", "0"),
        ("-0.10", "-0.10"),
        ("1.50", "1.50"),
        ("1e2", "100.0000000000"),
        ("1.5E-10", "0.0000000001"),
        ("-2.5e-1", "-0.2500000000"),
        ("-1e-30", "0.0000000000"),
        ("1e27", "1000000000000000013287555072.0000000000"),
        (&nines, &nines),
        (&format!("0.{nines}"), &format!("0.{nines}")),
        ("0.000000000000000000000000000000000000001", "0.0000000000"),
    ] {
        assert_eq!(canonical(format!("[{number}]")), format!("[{expected}]"));
    }
    let refused = "is out of the range for numeric representation (maximum precision 38).";
    assert_eq!(canonical("[2e28]"), format!("1007 5 The number '2e28' {refused}"));
    assert_eq!(canonical("[1e999]"), format!("1007 5 The number '1e999' {refused}"));
    assert_eq!(canonical(format!("[{nines}9]")), format!("1007 3 The number '{nines}9' {refused}"));
}

#[test]
fn what_is_no_document_is_refused_with_its_place_in_bytes() {
    let at = |found: &str, place: usize| {
        let text = "JSON text is not properly formatted. Unexpected character";
        format!("13609 9 {text} '{found}' is found at position {place}.")
    };
    for (text, expected) in [
        ("", at(".", 0)),
        ("1", at("1", 0)),
        ("\"a\"", at("\"", 0)),
        ("{\"a\":1", at(".", 6)),
        ("[1,]", at("]", 3)),
        ("[\"é\", é]", at("\u{C3}", 7)),
        ("[tru]", at("t", 1)),
        ("[\"a]", at("\"", 1)),
        ("[1]\u{C}", at("\u{C}", 3)),
        ("{\"a\":1,\"a\":x}", at("x", 11)),
    ] {
        assert_eq!(canonical(text), expected, "{text}");
    }
}

#[test]
fn documents_have_limits() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert_eq!(canonical(nested(128)), nested(128));
    assert!(canonical(nested(129)).starts_with("13645 1 "));

    let array = |items: usize| format!("[{}1]", "1,".repeat(items - 1));
    assert_eq!(canonical(array(65_535)), array(65_535));
    assert!(canonical(array(65_536)).starts_with("13647 1 "));

    let object = |names: usize| {
        let members: Vec<_> = (0..names).map(|name| format!("\"{name}\":0")).collect();
        format!("{{{}}}", members.join(","))
    };
    let twice = format!("[{0},{0}]", object(32_768));
    assert_eq!(canonical(&twice), twice);
    assert!(canonical(object(32_769)).starts_with("13649 1 "));
}

#[test]
fn canonical_text_is_its_own_canonical_text() {
    for text in [r#"{"a\u0041":[1e3,"\u0001\/"],"b":-0.0}"#, r#"[{"a":1,"a":2},"\ud800"]"#] {
        let once = canonical(text);
        assert_eq!(canonical(&once), once);
    }
}
