use std::cell::Cell;

use base::account::Account;
use base::error::SqlResult;
use base::pace::{Pace, STRIDE, Unpaced};
use base::xml::{Document, parse_value};

use super::{PathInput, XPath};

const ORDERS: &str = "<root p='P'><a id='1' t='p'>one<b>bb</b></a><a id='2' t='q'><b>cc</b>two</a>\
     <z xml:lang='en-GB'><a id='3'/><!--note--><?do it?></z></root>";

fn resolve(prefix: &str) -> Option<String> {
    match prefix {
        "m" => Some("urn:m".into()),
        "xml" => Some(base::xml::tree::XML_URI.into()),
        _ => None,
    }
}

/// What a pattern selects: the string values, with `|` between them.
fn select(text: &str, pattern: &str) -> String {
    let document = parse_value(text.as_bytes(), None, &Unpaced).expect("it is XML");
    let account = Account::new(usize::MAX, "tests");
    let input = PathInput::new(&document, &account, &Unpaced);
    let path = match XPath::compile(pattern, &resolve) {
        Ok(path) => path,
        Err(error) => return error.text().to_string(),
    };
    let mut found = Vec::new();
    path.each(&input, Document::ROOT, &mut |node| {
        found.push(document.texts(node).collect::<String>());
        Ok(())
    })
    .expect("it is evaluated");
    found.join("|")
}

#[track_caller]
fn check(pattern: &str, expected: &str) {
    assert_eq!(select(ORDERS, pattern), expected, "{pattern}");
}

#[test]
fn axes_lead_where_they_say() {
    for (pattern, expected) in [
        ("//a/@id", "1|2|3"),
        ("root/a/@t", "p|q"),
        ("/root/descendant::a/@id", "1|2|3"),
        ("//b/..//@id", "1|2"),
        ("//a[@id='3']/ancestor::*/@p", "P"),
        ("//a[@id='3']/ancestor-or-self::*/@id", "3"),
        ("//a[1]/following-sibling::a/@id", "2"),
        ("//z/preceding-sibling::a[1]/@id", "2"),
        ("//z/preceding-sibling::a[last()]/@id", "1"),
        ("//a[@id='1']/following::a/@id", "2|3"),
        ("//a[@id='3']/preceding::a/@id", "1|2"),
        ("//a[@id='3']/preceding::b", "bb|cc"),
        ("//z/node()", "|note|it"),
        ("//comment()", "note"),
        ("//processing-instruction('do')", "it"),
        ("//processing-instruction('other')", ""),
        ("//@id/../b", "bb|cc"),
        ("//@id/parent::a[self::a]/text()", "one|two"),
        ("//a/self::node()[not(*)]/@id", "3"),
        ("child::node()/child::a[1]/attribute::t", "p"),
        ("//*[@xml:lang]/a/@id", "3"),
        ("//*/@*", "P|1|p|2|q|en-GB|3"),
        (".", "onebbcctwoit".trim_end_matches("it")),
    ] {
        check(pattern, expected);
    }
}

#[test]
fn positions_count_on_their_axis() {
    for (pattern, expected) in [
        ("//a[1]/@id", "1|3"),
        ("(//a)[1]/@id", "1"),
        ("(//a)[position() > 1]/@id", "2|3"),
        ("(//a)[last()]/@id", "3"),
        ("/root/a[2]/@id", "2"),
        ("/root/a[@t='q'][1]/@id", "2"),
        ("/root/a[1][@t='q']/@id", ""),
        ("/root/*[position() = last() - 1]/@id", "2"),
        ("//a[position() mod 2 = 0]/@id", "2"),
    ] {
        check(pattern, expected);
    }
}

#[test]
fn values_become_what_operators_want() {
    for (pattern, expected) in [
        ("//a[@id > 1 and @id < 3]/@id", "2"),
        ("//a[@id = '1' or b = 'cc']/@id", "1|2"),
        ("//a[b]/@id", "1|2"),
        ("//a[b != 'bb']/@id", "2"),
        ("//a[not(b)]/@id", "3"),
        ("//a[@id + 1 = 3]/@id", "2"),
        ("//a[@id * 2 div 2 = 3]/@id", "3"),
        ("//a[-@id = -3]/@id", "3"),
        ("//a[b = true()]/@id", "1|2"),
        ("//a[@id = //z/a/@id]/@id", "3"),
        ("//a[string(@id) = '2']/@id", "2"),
        ("//a[number('x') != 1][1]/@id", "1|3"),
        ("//a[count(b) = 1]/@id", "1|2"),
        ("//root[sum(a/@id) = 3]/@p", "P"),
        ("//a[starts-with(b, 'c')]/@id", "2"),
        ("//a[contains(., 'ne')]/@id", "1"),
        ("//a[concat(@id, @t) = '1p']/@id", "1"),
        ("//a[substring('12345', 2, 3) = '234'][1]/@id", "1|3"),
        ("//a[substring('12345', 1.5, 2.6) = '234'][1]/@id", "1|3"),
        ("//a[substring-before('1-2', '-') = @id]/@id", "1"),
        ("//a[substring-after('1-2', '-') = @id]/@id", "2"),
        ("//a[translate('abc', 'ab', 'x') = 'xc'][1]/@id", "1|3"),
        ("//a[normalize-space('  a  b ') = 'a b'][1]/@id", "1|3"),
        ("//a[string-length(b) = 2]/@id", "1|2"),
        ("//a[contains(concat('äx', ''), 'x')][1]/@id", "1|3"),
        ("//a[round(2.5) = 3 and floor(2.5) = 2 and ceiling(2.1) = 3][1]/@id", "1|3"),
        ("//*[local-name() = 'z']/@xml:lang", "en-GB"),
        ("//*[name(..) = 'z']/@id", "3"),
        ("//a[lang('en')]/@id", "3"),
        ("//a[string(1 div 0) = 'Infinity'][1]/@id", "1|3"),
        ("//a[string(0.5 + 1) = '1.5' and string(3.0) = '3'][1]/@id", "1|3"),
        ("/root/a[1]/@id | /root/z/a/@id | //a[1]/@id", "1|3"),
    ] {
        check(pattern, expected);
    }
}

#[test]
fn names_without_prefix_are_in_no_namespace() {
    let text = "<r xmlns='urn:m' xmlns:n='urn:n'><a n:id='1'>x</a></r>";
    for (pattern, expected) in [
        ("/r", ""),
        ("/m:r/m:a", "x"),
        ("//m:*", "x|x"),
        ("//*[namespace-uri() = 'urn:m']/@*", "1"),
        ("//@*[name() = 'n:id']", "1"),
    ] {
        assert_eq!(select(text, pattern), expected, "{pattern}");
    }
}

#[test]
fn what_is_no_pattern_is_an_error() {
    let deep = format!("{}a{}", "(".repeat(70), ")".repeat(70));
    for (pattern, reason) in [
        ("/r/[[", "Expression expected.\r\n\n/r/-->[<--["),
        ("//a b", "Expected token 'eof' found 'NAME'.\r\n\n//a -->b<--"),
        ("//a[@id='1", "A string literal was not closed.\r\n\n//a[@id=-->'1<--"),
        ("//a[1", "Expected token ']' found 'eof'.\r\n\n//a[1--><--"),
        ("//q:a", "Reference to undeclared namespace prefix: 'q'.\r\n\n//-->q<--:a"),
        ("//a[foo(1)]", "Unknown method.\r\n\n//a[-->foo(1)<--]"),
        ("//a[count()]", "Wrong number of arguments.\r\n\n//a[-->count()<--]"),
        ("count(//a)", "Expression must evaluate to a node-set.\r\n\n-->count(//a)<--"),
        ("namespace::a", "Unknown axis 'namespace'.\r\n\n-->namespace<--::a"),
        ("$x", "Expression expected.\r\n\n-->$<--x"),
        ("1.2.3", "Invalid number.\r\n\n-->1.2.3<--"),
        ("", "Expression expected.\r\n\n--><--"),
        (&deep, "The expression is nested too deeply."),
    ] {
        assert_eq!(select(ORDERS, pattern), format!("XML parsing error: {reason}"), "{pattern}");
    }
}

#[test]
fn an_attribute_of_a_namespace_can_be_split_off() {
    let split = |pattern: &str| XPath::compile(pattern, &resolve).expect("it is a pattern");
    let (_, name) = split("../@m:id").split_attribute("urn:m").expect("it has one");
    assert_eq!(&*name, "id");
    assert!(split("@m:id[1]").split_attribute("urn:m").is_err());
    assert!(split("m:id").split_attribute("urn:m").is_err());
    assert!(split("a/@id").split_attribute("urn:m").is_err());
}

#[test]
fn long_texts_are_searched_piece_by_piece() {
    let long = "ä".repeat(20_000);
    let text = format!("<r a='{long}needle{long}'><b>need</b><b>needle</b></r>");
    for (pattern, expected) in [
        ("/r/b[contains(../@a, .)]", "need|needle"),
        ("/r/b[contains(../@a, concat('ä', ., 'ä'))]", "needle"),
        ("/r/b[contains(../@a, concat(., 'x'))]", ""),
        ("/r/b[string-length(substring-before(../@a, .)) = 20000]", "need|needle"),
        ("/r/b[string-length(substring-after(../@a, .)) = 20000]", "needle"),
        ("/r/b[string-length(translate(../@a, 'ä', '')) = 6]", "need|needle"),
        ("/r/b[contains(../@a, '')]", "need|needle"),
    ] {
        assert_eq!(select(&text, pattern), expected, "{pattern}");
    }
    let pattern = format!("{}[[", "a/".repeat(2000));
    let shown = select(ORDERS, &pattern);
    assert!(shown.len() < 600 && shown.ends_with("a/-->[<--["), "{shown}");
}

/// Counts how often it is asked.
#[derive(Default)]
struct Asked(Cell<usize>);

impl Pace for Asked {
    fn pace(&self) -> SqlResult<()> {
        self.0.set(self.0.get() + 1);
        Ok(())
    }
}

/// How many nodes and texts a pattern looks at, roughly.
fn cost(text: &str, pattern: &str) -> usize {
    let document = parse_value(text.as_bytes(), None, &Unpaced).expect("it is XML");
    let account = Account::new(usize::MAX, "tests");
    let asked = Asked::default();
    let input = PathInput::new(&document, &account, &asked);
    let path = XPath::compile(pattern, &resolve).expect("it is a pattern");
    path.each(&input, Document::ROOT, &mut |_| Ok(())).expect("it is evaluated");
    asked.0.get() * STRIDE
}

/// Once only nodes that an axis has were counted: hundreds of attributes cost nothing, and neither
/// did elements without text nor expressions that find nothing. Such patterns ran for seconds
/// without letting other sessions have their turn.
#[test]
fn what_is_passed_over_costs_as_well() {
    let attributes: String = (0..500).map(|at| format!(" a{at}=''")).collect();
    let many = format!("<r{attributes}>{}</r>", "<b/>".repeat(500));
    let often = format!("/r/b[{}]", vec!["x"; 500].join(" or "));
    for pattern in [
        "/r/b[../b]",
        "/r/b[preceding::x]",
        "/r/b[../following::x or ../descendant::x]",
        "/r/b[../preceding-sibling::x or ../@x]",
        "/r/b[.. = 'x']",
        "/r/b[lang('x')]",
        &often,
    ] {
        let cost = cost(&many, pattern);
        assert!(cost >= 200_000, "{pattern} has cost {cost}");
    }
}

#[test]
fn a_first_node_is_found_without_the_others() {
    let many = format!("<r>{}</r>", "<b/>".repeat(2000));
    for pattern in [
        "/r/b[following-sibling::*[1]/self::b]",
        "/r/b[following::*[1]]",
        "/r/b[../b]",
        "/r/b[../b[1]]",
        "/r/b[name(../b) = 'b' and string((../b)) = '' and number(../b | ../b) != 1]",
    ] {
        let cost = cost(&many, pattern);
        assert!(cost < 200_000, "{pattern} has cost {cost}");
    }
}

#[test]
fn texts_that_are_put_together_are_charged() {
    let text = format!("<r a='{}'/>", "x".repeat(100_000));
    let document = parse_value(text.as_bytes(), None, &Unpaced).expect("it is XML");
    let account = Account::new(1 << 20, "tests");
    let input = PathInput::new(&document, &account, &Unpaced);
    let nested = |levels: usize| {
        let (open, close) = ("concat(../r/@a, ../r/@a, ".repeat(levels), ")".repeat(levels));
        let pattern = format!("/r[string-length({open}''{close}) > 0]");
        let path = XPath::compile(&pattern, &resolve).expect("it is a pattern");
        path.each(&input, Document::ROOT, &mut |_| Ok(()))
    };
    assert!(nested(2).is_ok());
    assert_eq!(nested(8).expect_err("it is too much").number(), 701);
    assert_eq!(account.used(), 0);
}

#[test]
fn unions_of_the_same_nodes_take_no_more_memory() {
    let text = format!("<r>{}</r>", "<b/>".repeat(20_000));
    let document = parse_value(text.as_bytes(), None, &Unpaced).expect("it is XML");
    let account = Account::new(1 << 20, "tests");
    let input = PathInput::new(&document, &account, &Unpaced);
    let path = XPath::compile(&vec!["//b"; 50].join("|"), &resolve).expect("it is a pattern");
    let mut count = 0;
    let counted = path.each(&input, Document::ROOT, &mut |_| {
        count += 1;
        Ok(())
    });
    counted.expect("it is evaluated");
    assert_eq!(count, 20_000);
}
