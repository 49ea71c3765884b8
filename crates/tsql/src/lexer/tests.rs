use super::*;

/// Kinds and texts of all tokens but the last.
fn lex(text: &str) -> Vec<(TokenKind, String)> {
    lex_with(text, true)
}

fn lex_with(text: &str, quoted_identifier: bool) -> Vec<(TokenKind, String)> {
    let tokens = tokens(text, quoted_identifier, &mut |_| Ok(())).unwrap();
    let (last, list) = tokens.list.split_last().unwrap();
    assert_eq!(last.kind, TokenKind::End, "{:?}", tokens.error);
    list.iter().map(|t| (t.kind, near_text(text, *t).into_owned())).collect()
}

fn kinds(text: &str) -> Vec<TokenKind> {
    lex(text).into_iter().map(|(kind, _)| kind).collect()
}

fn error(text: &str) -> SqlError {
    let tokens = tokens(text, true, &mut |_| Ok(())).unwrap();
    assert_eq!(tokens.list.last().unwrap().kind, TokenKind::Error);
    tokens.error.unwrap()
}

#[test]
fn identifiers_take_letters_of_all_languages() {
    use TokenKind::*;
    assert_eq!(
        lex("abc _a1 #t ##g a@b$c#d Größe 列名"),
        ["abc", "_a1", "#t", "##g", "a@b$c#d", "Größe", "列名"].map(|w| (Word, w.to_string()))
    );
    assert_eq!(
        lex("@a @@rowcount @ $identity"),
        [
            (Variable, "@a".into()),
            (Variable, "@@rowcount".into()),
            (Variable, "@".into()),
            (DollarWord, "$identity".into()),
        ]
    );
}

#[test]
fn quotes_may_be_doubled() {
    use TokenKind::*;
    assert_eq!(lex("[a b]]c]"), [(Quoted, "a b]c".into())]);
    assert_eq!(lex("\"a\"\"b\""), [(Quoted, "a\"b".into())]);
    assert_eq!(lex("'it''s'"), [(String, "it's".into())]);
    assert_eq!(lex("N'it''s' n''"), [(National, "it's".into()), (National, "".into())]);
    assert_eq!(lex("''''"), [(String, "'".into())]);
}

#[test]
fn double_quotes_are_strings_when_quoted_identifier_is_off() {
    use TokenKind::*;
    assert_eq!(lex_with("\"a\"\"b'\"", false), [(String, "a\"b'".into())]);
    assert_eq!(lex_with("N\"a\"", false), [(National, "a".into())]);
    assert_eq!(lex_with("[a]", false), [(Quoted, "a".into())]);
}

#[test]
fn a_backslash_continues_a_string_on_the_next_line() {
    use TokenKind::*;
    assert_eq!(lex("'ab\\\ncd'"), [(String, "abcd".into())]);
    assert_eq!(lex("'ab\\\r\ncd\\e'"), [(String, "abcd\\e".into())]);
    assert_eq!(kinds("0xAB\\\nCD 1"), [Binary, Integer]);
}

#[test]
fn numbers_end_where_digits_end() {
    use TokenKind::*;
    assert_eq!(
        lex("1 1.5 .5 5. 1e5 1.5E-3 1e 0x 0x1F 1a"),
        [
            (Integer, "1".into()),
            (Numeric, "1.5".into()),
            (Numeric, ".5".into()),
            (Numeric, "5.".into()),
            (Float, "1e5".into()),
            (Float, "1.5E-3".into()),
            (Float, "1e".into()),
            (Binary, "0x".into()),
            (Binary, "0x1F".into()),
            (Integer, "1".into()),
            (Word, "a".into()),
        ]
    );
    assert_eq!(kinds("$1.50 $ £3 $-2 $.5"), [Money, Money, Money, Money, Money]);
    assert_eq!(kinds("1-1"), [Integer, Minus, Integer]);
    assert_eq!(kinds("a.b..c .1"), [Word, Dot, Word, Dot, Dot, Word, Numeric]);
}

#[test]
fn compound_assignments_are_one_token_and_comparisons_are_not() {
    use TokenKind::*;
    assert_eq!(
        kinds("+= -= *= /= %= &= |= ^="),
        [
            PlusEqual,
            MinusEqual,
            StarEqual,
            SlashEqual,
            PercentEqual,
            AmpersandEqual,
            PipeEqual,
            CaretEqual
        ]
    );
    assert_eq!(kinds("<> !="), [Less, Greater, Bang, Equal]);
    assert_eq!(kinds(":: :"), [DoubleColon, Colon]);
}

#[test]
fn comments_are_blanks_and_nest() {
    assert_eq!(lex("/* a /* b */ c */ x -- y\nz"), lex("x z"));
    assert_eq!(lex("-- only"), []);
    assert_eq!(lex("a--b"), lex("a"));
    assert_eq!(lex("\u{feff}a\u{a0}b"), lex("a b"));
}

#[test]
fn lines_and_columns_are_counted_through_strings_and_comments() {
    let text = "a\n  b /* \n\n */ c\n'x\ny' d";
    let places: Vec<_> = tokens(text, true, &mut |_| Ok(()))
        .unwrap()
        .list
        .iter()
        .map(|t| (t.span.line, t.span.column))
        .collect();
    assert_eq!(places, [(1, 1), (2, 3), (4, 5), (5, 1), (6, 4), (6, 5)]);
}

#[test]
fn lexing_can_go_on_behind_a_token_with_another_setting() {
    let text = "x\n on \"a\nb\" c";
    let first = tokens(text, true, &mut |_| Ok(())).unwrap().list;
    let rest = tokens_after(text, first[1].span, false).list;
    assert_eq!(rest[0].kind, TokenKind::String);
    assert_eq!(rest[0].span, first[2].span);
    assert_eq!(rest[1].span, first[3].span);
}

#[test]
fn what_does_not_end_is_an_error_at_its_start() {
    let e = error("select 1,\n 'abc\ndef");
    assert_eq!((e.number(), e.line()), (105, 2));
    assert_eq!(e.text(), "Unclosed quotation mark after the character string 'abc\ndef'.");
    assert_eq!(error("select [abc").number(), 105);
    assert_eq!(error("select N'abc").number(), 105);
    let e = error("a\n/* /* */ b");
    assert_eq!((e.number(), e.line()), (113, 2));
    assert_eq!(e.text(), "Missing end comment mark '*/'.");
}

#[test]
fn identifiers_have_at_most_128_characters() {
    assert_eq!(lex(&"a".repeat(128)).len(), 1);
    assert_eq!(lex(&format!("[{}]", "ä".repeat(128))).len(), 1);
    assert_eq!(lex(&format!("[{}]", "]]".repeat(128))).len(), 1);
    for text in
        ["a".repeat(129), format!("@{}", "a".repeat(128)), format!("\"{}\"", "b".repeat(129))]
    {
        let e = error(&text);
        assert_eq!((e.number(), e.severity(), e.state()), (103, 15, 4));
        assert!(e.text().starts_with("The identifier that starts with '"), "{}", e.text());
        assert!(e.text().ends_with("' is too long. Maximum length is 128."));
    }
}

#[test]
fn messages_show_no_more_than_they_can_hold() {
    let e = error(&format!("select '{}", "ä".repeat(100_000)));
    assert!(e.text().encode_utf16().count() <= 2047, "{}", e.text().len());
}
