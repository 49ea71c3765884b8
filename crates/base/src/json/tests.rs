use super::text::{utf8_len_max, write_utf8};
use super::*;
use crate::collation::codepage::{string_to_unicode, unicode_to_string};
use crate::pace::Unpaced;
use crate::types::Collation;

fn unicode(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    string_to_unicode(text, &mut out);
    out
}

/// The number, state, character and place of what is wrong with a path.
fn path_error(path: &str) -> Option<(i32, u8, String)> {
    let error = Path::parse(&unicode(path), false).err()?;
    let text = error.text();
    let found = text.split("character ").nth(1).unwrap_or(text);
    Some((error.number(), error.state(), found.replace(" is found at position", "")))
}

#[test]
fn paths_say_where_they_are_wrong() {
    let cases = [
        ("xyz", "'x' 0.", 22),
        ("$x", "'x' 1.", 22),
        ("$ x", "'x' 2.", 22),
        ("$.a b", "'b' 4.", 22),
        ("$.a-b", "'-' 3.", 22),
        ("$.a[1]x", "'x' 6.", 22),
        ("$$", "'$' 1.", 14),
        ("$..a", "'.' 2.", 14),
        ("$.9", "'9' 2.", 14),
        ("$.a$b", "'$' 3.", 14),
        ("$[0]1", "'1' 4.", 14),
        ("$.a[]", "']' 4.", 14),
        ("$.a[ ]", "']' 5.", 14),
        ("$[\"a\"]", "'\"' 2.", 14),
        ("$.\"a\"x", "'x' 5.", 14),
        ("$.\"a\" x", "'x' 6.", 14),
        ("$.\"\"x", "'x' 4.", 14),
        ("$[a]", "'a' 2.", 21),
        ("$.a[-1]", "'-' 4.", 21),
        ("$[1x]", "'x' 3.", 15),
        ("$[1$]", "'$' 3.", 14),
        ("$.\"a", "'.' 4.", 20),
        ("", "'.' 0.", 14),
        ("$.", "'.' 2.", 14),
        ("$[", "'.' 2.", 14),
        ("$[0", "'.' 3.", 14),
        ("$.\"a\".", "'.' 6.", 14),
        ("lax ", "'.' 4.", 14),
        ("laxx$.a", "'l' 0.", 22),
        ("LAX $.a", "'L' 0.", 22),
        ("append $.a", "'a' 0.", 14),
        ("strict append $.a", "'a' 7.", 14),
        ("$[4294967296]", "'6' 11.", 16),
        ("$[99999999999999999999]", "'9' 12.", 16),
        ("$.é", "'é' 2.", 22),
        ("$.aé", "'é' 3.", 22),
        ("$.\"a\"\"b\"", "'\"' 5.", 14),
        ("$.\"a\\q\"", "'q' 5.", 17),
        ("$.\"a\\u00zz\"", "'z' 9.", 17),
        ("$.\"a\\u00\"", "'.' 9.", 17),
    ];
    for (path, found, state) in cases {
        assert_eq!(path_error(path), Some((13607, state, found.into())), "{path}");
    }
    let deep = |steps| format!("${}", ".a".repeat(steps));
    assert_eq!(path_error(&deep(128)), None);
    assert_eq!(path_error(&deep(129)).map(|(number, state, _)| (number, state)), Some((13606, 4)));
}

#[test]
fn paths_may_have_blanks_between_their_parts() {
    for path in
        [" $.a ", "$. a", "$ .a", "  lax   $.a   ", "lax$.a", "strict$.a", "\t$.a\n", "\u{C}$.a"]
    {
        let text = unicode(path);
        let path = Path::parse(&text, false).unwrap();
        assert_eq!(path.steps().count(), 1, "{path:?}");
    }
    let text = unicode("append  strict $[4294967295].b");
    let path = Path::parse(&text, true).unwrap();
    assert!(path.appends && path.is_strict);
    let steps: Vec<_> = path.steps().collect();
    assert_eq!(steps[0], path::Step::Element(u32::MAX));
    assert!(Path::parse(&unicode("append append $"), true).is_err());
}

/// What a path leads to: the text of the value, nothing, or what is wrong and where.
fn found(json: &str, path: &str) -> String {
    let path = unicode(path);
    let path = Path::parse(&path, true).unwrap();
    let mut utf8 = Vec::new();
    write_utf8(&unicode(json), &mut utf8);
    let text = Text::of_utf8(&utf8);
    let mut reader = Reader::new(&text, &Unpaced);
    let value = match seek::seek(&mut reader, &text, &path) {
        Ok(Found::Value(value)) => reader.pass(&value.first).map(|end| value.start..end),
        Ok(Found::Nothing(_)) => return "nothing".into(),
        Err(fault) => Err(fault),
    };
    match value {
        Ok(range) => String::from_utf8(text.part(&range).to_vec()).unwrap(),
        Err(fault) => {
            let error = fault.error(&text, 1);
            let text = error.text();
            text.split("character ").nth(1).unwrap_or(text).replace(" is found at position", "")
        }
    }
}

#[test]
fn a_text_is_read_no_further_than_its_path_needs() {
    let cases = [
        (r#"{"a":1}extra"#, "$.a", "1"),
        (r#"{"a":1"#, "$.a", "1"),
        (r#"{"a":1,"b":}"#, "$.a", "1"),
        (r#"{"a":12"#, "$.a", "12"),
        (r#"{"a":{"x":1"#, "$.a.x", "1"),
        ("[1,2]]", "$[0]", "1"),
        (r#"{"a":{"x":1} bad"#, "$.a", r#"{"x":1}"#),
        ("{} x", "$", "{}"),
        (r#"{"a":{"x":1"#, "$.a", "'.' 11."),
        (r#"{"a":1"#, "$[0]", "nothing"),
        (r#"{"a":1}extra"#, "$[0]", "nothing"),
        (r#"{"a":{"x":1"#, "$.a[0]", "nothing"),
        ("[1,2", "$.a", "nothing"),
        (r#"{"a":1,"b":}"#, "$.a.x", "nothing"),
        (r#"{"a":[1],"b":}"#, "$.a[5]", "nothing"),
        (r#"{"a":{"z":1},"b":}"#, "$.a.q", "nothing"),
        ("{x}", "$[0]", "'x' 1."),
        ("{} x", "$[0]", "'x' 3."),
        ("[,1]", "$.a", "',' 1."),
        (r#"{"a":1"#, "$.a.x", "'.' 6."),
        (r#"{"a":1 "#, "$.a.x", "'.' 7."),
        (r#"{"a":"s""#, "$.a.x", "'.' 8."),
        (r#"{"a":1,"#, "$.a.x", "'.' 7."),
        (r#"{"a":1,}"#, "$.a.x", "'}' 7."),
        (r#"{"a":1}extra"#, "$.a.x", "'e' 7."),
        (r#"{"a":{"z":1}}extra"#, "$.a.q", "'e' 13."),
    ];
    for (json, path, expected) in cases {
        assert_eq!(found(json, path), expected, "{json} {path}");
    }
}

#[test]
fn what_is_wrong_is_at_the_first_character_of_its_token() {
    let cases = [
        ("1", "'1' 0."),
        ("\"abc\"", "'\"' 0."),
        ("null", "'n' 0."),
        ("", "'.' 0."),
        ("   ", "'.' 3."),
        (r#"{"a":1"#, "'.' 6."),
        ("{x}", "'x' 1."),
        (r#"{"a":1,"b":}"#, "'}' 11."),
        (r#"{"a":1 "b":2}"#, "'\"' 7."),
        (r#"{"a":1x}"#, "'1' 5."),
        (r#"{"a":01}"#, "'0' 5."),
        (r#"{"a":+1}"#, "'+' 5."),
        (r#"{"a":1e"#, "'1' 5."),
        (r#"{"a":1.}"#, "'1' 5."),
        (r#"{"a":tru"#, "'t' 5."),
        (r#"{"a":truex}"#, "'t' 5."),
        (r#"{"a":"str"#, "'\"' 5."),
        ("{\"a\":\"\t\"}", "'\"' 5."),
        (r#"{"a":"\q"}"#, "'\"' 5."),
        (r#"{"a"#, "'\"' 1."),
        ("{} x", "'x' 3."),
        (r#"{"é":1} x"#, "'x' 8."),
        (r#"{"😀":1} x"#, "'x' 9."),
        ("[1,2,]", "']' 5."),
        ("[1}", "'}' 2."),
        (r#"{"a":1]"#, "']' 6."),
        (r#"{"a"1}"#, "'1' 4."),
    ];
    for (json, expected) in cases {
        let path = if json.starts_with('[') { "$[9]" } else { "$.zzz" };
        assert_eq!(found(json, path), expected, "{json}");
    }
}

#[test]
fn values_lie_in_at_most_128_containers() {
    let nested = |depth: usize, inner: &str| "[".repeat(depth) + inner + &"]".repeat(depth);
    assert_eq!(found(&nested(129, ""), "$[1]"), "nothing");
    assert!(found(&nested(130, ""), "$[1]").contains("128 nesting levels"));
    assert!(found(&nested(129, "1"), "$[1]").contains("128 nesting levels"));
    let json = format!("{{\"a\":1,\"b\":{}}}", nested(130, ""));
    assert_eq!(found(&json, "$.a"), "1");
}

#[test]
fn names_are_compared_with_unicode_escapes_replaced() {
    let cases = [
        (r#"{"aA":3}"#, r#"$."a\u0041""#, "3"),
        (r#"{"a\u0041":3}"#, r#"$."aA""#, "3"),
        (r#"{"a\"b":3}"#, r#"$."a\"b""#, "3"),
        (r#"{"a\/b":3}"#, r#"$."a\/b""#, "3"),
        (r#"{"a\/b":3}"#, r#"$."a/b""#, "nothing"),
        (r#"{"a/b":3}"#, r#"$."a\/b""#, "nothing"),
        (r#"{"a\u000ab":3}"#, r#"$."a\nb""#, "nothing"),
        (r#"{"":1}"#, r#"$."""#, "1"),
        (r#"{"A":1}"#, "$.a", "nothing"),
        (r#"{"a":1,"a":2}"#, "$.a", "1"),
        (r#"{"😀":1}"#, r#"$."😀""#, "1"),
        (r#"{"😀":1}"#, r#"$."\ud83d\ude00""#, "1"),
    ];
    for (json, path, expected) in cases {
        assert_eq!(found(json, path), expected, "{json} {path}");
    }
}

#[test]
fn strings_are_what_their_escapes_mean() {
    let value = |text: Text<'_>| {
        let mut reader = Reader::of_value(&text, &Unpaced);
        let Ok(Event::Scalar(Scalar::String, range)) = reader.read() else { panic!("a string") };
        let mut out = Vec::new();
        text.write_string(&(range.start + 1..range.end - 1), &Unpaced, &mut out).unwrap();
        out
    };
    let json = r#""a\"\\\/\b\f\n\r\t\u00e9é""#;
    assert_eq!(
        unicode_to_string(&value(Text::of_utf8(json.as_bytes()))),
        "a\"\\/\u{8}\u{c}\n\r\téé"
    );
    assert_eq!(value(Text::of_utf8(br#""\ud83dx""#)), [0x3D, 0xD8, b'x', 0]);
    let latin = Text::of_chars(Collation::DEFAULT, b"\"\xE9\"");
    assert_eq!(value(latin), [0xE9, 0]);
}

#[test]
fn strings_end_where_their_quote_is() {
    for len in 0..40 {
        let plain = "é".repeat(len / 2) + &"x".repeat(len % 2);
        assert_eq!(found(&format!("[\"{plain}\",7]"), "$[1]"), "7");
        for at in 0..=len {
            let (before, behind) = ("x".repeat(at), "y".repeat(len - at));
            let json = |inner| format!("[\"{before}{inner}{behind}\",7]");
            assert_eq!(found(&json("\\\""), "$[1]"), "7");
            assert_eq!(found(&json("\\u0041"), "$[1]"), "7");
            assert_eq!(found(&json("\u{7f}\u{80}"), "$[1]"), "7");
            assert_eq!(found(&json("\u{1f}"), "$[1]"), "'\"' 1.");
            assert_eq!(found(&json("\\x"), "$[1]"), "'\"' 1.");
        }
    }
}

#[test]
fn long_strings_are_read_as_short_ones_are() {
    for len in [65_534, 65_535, 65_536, 65_537, 200_000] {
        let long = "x".repeat(len);
        assert_eq!(found(&format!("[\"{long}\",7]"), "$[1]"), "7");
        assert_eq!(found(&format!("{{\"{long}\":1,\"a\":7}}"), "$.a"), "7");
        assert_eq!(found(&format!("[\"{long}"), "$[1]"), "'\"' 1.");
        assert_eq!(found(&format!("[\"{long}\\\"\",7]"), "$[1]"), "7");
        assert_eq!(found(&format!("[\"{long}\u{1}\",7]"), "$[1]"), "'\"' 1.");
    }
}

#[test]
fn units_are_written_as_utf_8_and_back() {
    let texts = ["", "abc", "é", "a€b", "😀", &"x".repeat(200), &("x".repeat(63) + "é😀")];
    for text in texts {
        let mut utf8 = Vec::new();
        write_utf8(&unicode(text), &mut utf8);
        assert_eq!(std::str::from_utf8(&utf8), Ok(text));
        assert!(utf8_len_max(&unicode(text)) >= text.len());
        let mut back = Vec::new();
        Text::of_utf8(&utf8).write_part(&(0..utf8.len()), &Unpaced, &mut back).unwrap();
        assert_eq!(back, unicode(text));
    }
    // A lone surrogate stays what it is.
    let lone = [b'a', 0, 0x3D, 0xD8, b'b', 0];
    let (mut utf8, mut back) = (Vec::new(), Vec::new());
    write_utf8(&lone, &mut utf8);
    Text::of_utf8(&utf8).write_part(&(0..utf8.len()), &Unpaced, &mut back).unwrap();
    assert_eq!(back, lone);
}

#[test]
fn the_first_characters_of_a_text_are_counted_in_units() {
    assert_eq!(Text::of_utf8("aé😀b".as_bytes()).first(4).bytes(), "aé😀".as_bytes());
    assert_eq!(Text::of_utf8("aé😀b".as_bytes()).first(3).bytes(), "aé".as_bytes());
    assert_eq!(Text::of_chars(Collation::DEFAULT, b"abc").first(2).bytes(), b"ab");
}

/// Whether the library takes a text for an object or array.
fn library_reads(text: &[u8]) -> bool {
    use hifijson::token::Lex as _;
    let mut lexer = hifijson::SliceLexer::new(text);
    matches!(lexer.ws_peek(), Some(b'{' | b'['))
        && lexer.exactly_one(|l| l.ws_peek(), hifijson::ignore::parse).is_ok()
}

/// Whether a reader takes it for one, event by event, and without looking at what it passes.
fn reader_reads(text: &[u8]) -> [bool; 2] {
    let text = Text::of_utf8(text);
    let mut by_events = Reader::new(&text, &Unpaced);
    let events = loop {
        match by_events.read() {
            Ok(Event::End) => break true,
            Ok(_) => {}
            Err(_) => break false,
        }
    };
    [events, Reader::new(&text, &Unpaced).finish().is_ok()]
}

fn value() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?",
        "\"([a-zé]|\\\\n|\\\\u00e9|\\\\\"){0,12}\"",
    ];
    let blank = "[ \n\t]{0,2}";
    scalar.prop_recursive(4, 32, 5, move |inner| {
        let member =
            ("\"[a-c\\\\/]{0,2}\"", blank, inner.clone()).prop_map(|(name, blank, value)| {
                format!("{}{blank}:{value}", name.replace('\\', "\\\\"))
            });
        let list = |items: Vec<String>, blank: &str| items.join(&format!("{blank},{blank}"));
        prop_oneof![
            (prop::collection::vec(inner, 0..5), blank)
                .prop_map(move |(items, blank)| format!("[{blank}{}{blank}]", list(items, &blank))),
            (prop::collection::vec(member, 0..5), blank)
                .prop_map(move |(items, blank)| format!("{{{blank}{}}}", list(items, &blank))),
        ]
    })
}

proptest::proptest! {
    #[test]
    fn texts_are_json_if_the_library_says_so(text in "[\\[\\]{}:,\"\\\\ue10.\\-truefalsn/\n\u{1}é ]{0,24}") {
        let bytes = text.as_bytes();
        proptest::prop_assert_eq!(reader_reads(bytes), [library_reads(bytes); 2], "{}", text);
    }

    #[test]
    fn so_are_those_with_a_byte_changed(
        text in value(),
        at in proptest::prelude::any::<proptest::sample::Index>(),
        byte in proptest::sample::select(b"[]{}:,\"\\ 0e-.x\x01".to_vec()),
    ) {
        let mut bytes = text.into_bytes();
        proptest::prop_assert_eq!(reader_reads(&bytes), [library_reads(&bytes); 2]);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        proptest::prop_assert_eq!(reader_reads(&bytes), [library_reads(&bytes); 2], "{}", shown);
    }

    #[test]
    fn paths_never_panic(text in "\\PC{0,12}", path in "[$.\\[\\]\"\\\\u0019a ]{0,10}") {
        let path = unicode(&path);
        if let Ok(path) = Path::parse(&path, true) {
            path.steps().count();
            let text = Text::of_utf8(text.as_bytes());
            let mut reader = Reader::new(&text, &Unpaced);
            _ = seek::seek(&mut reader, &text, &path);
        }
    }
}
