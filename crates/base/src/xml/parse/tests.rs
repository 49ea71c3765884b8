use super::*;
use crate::pace::Unpaced;
use crate::xml::write;

fn canonical_of(text: &str, options: ParseOptions) -> String {
    let document = match parse(text.as_bytes(), options, None, &Unpaced) {
        Ok(document) => document,
        Err(error) => {
            let text = error.text().replace("XML parsing: line ", "");
            return format!("{} {text}", error.number());
        }
    };
    let mut out = Vec::new();
    write(&document, Document::ROOT, &mut out, &Unpaced).unwrap();
    String::from_utf8(out).unwrap()
}

fn canonical(text: &str) -> String {
    canonical_of(text, ParseOptions::default())
}

#[test]
fn text_becomes_canonical() {
    for (text, expected) in [
        ("", ""),
        ("   ", ""),
        ("<a></a>", "<a/>"),
        ("<a ></a >", "<a/>"),
        ("x<a/> y", "x<a/> y"),
        ("<a/><b/>tail", "<a/><b/>tail"),
        (" <a> <b/> </a> ", "<a><b/></a>"),
        ("<a xml:space='preserve'> <b/></a>", "<a xml:space=\"preserve\">&#x20;<b/></a>"),
        ("<a>&#x20;</a>", "<a>&#x20;</a>"),
        ("<a> &#65;</a>", "<a> A</a>"),
        ("<![CDATA[<x> & ]]>", "&lt;x&gt; &amp; "),
        ("<a>\r\n1\r2&#13;</a>", "<a>\n1\n2&#x0D;</a>"),
        ("<a b='1\t2&#10;\"'/>", "<a b=\"1 2&#x0A;&quot;\"/>"),
        ("<?xml version=\"1.0\" encoding='utf-8'?><a/>", "<a/>"),
        (
            "<?xml-stylesheet  href=\"x\"?><a xml:lang=\"en\"/>",
            "<?xml-stylesheet href=\"x\"?><a xml:lang=\"en\"/>",
        ),
        ("<?p?><!-- c --><a/>", "<?p?><!-- c --><a/>"),
        (
            "<p:a x='1' xmlns:p='u'><p:b p:c='2'/></p:a>",
            "<p:a xmlns:p=\"u\" x=\"1\"><p:b p:c=\"2\"/></p:a>",
        ),
        ("<a xmlns='u'><b xmlns=''/></a>", "<a xmlns=\"u\"><b xmlns=\"\"/></a>"),
        ("<ä ö='ü'>€😀</ä>", "<ä ö=\"ü\">€😀</ä>"),
    ] {
        assert_eq!(canonical(text), expected, "{text}");
        // Canonical text stays as it is.
        let document = parse_value(expected.as_bytes(), None, &Unpaced).unwrap();
        let mut again = Vec::new();
        write(&document, Document::ROOT, &mut again, &Unpaced).unwrap();
        assert_eq!(String::from_utf8(again).unwrap(), expected);
    }
}

#[test]
fn white_space_is_preserved_on_demand() {
    let options = ParseOptions { preserve: true, internal_subset: false };
    assert_eq!(canonical_of("<a> <b/>\n</a>", options), "<a>&#x20;<b/>&#x0A;</a>");
}

#[test]
fn faults_have_their_numbers_and_places() {
    for (text, number, line, character) in [
        ("<a>", 9400, 1, 3),
        ("<a><b></a>", 9436, 1, 10),
        ("<a x=1/>", 9413, 1, 6),
        ("<a>&foo;</a>", 9448, 1, 8),
        ("</a>", 9455, 1, 2),
        ("  </a>", 9455, 1, 4),
        ("text</a>", 9436, 1, 8),
        ("<a><![CDATA[x</a>", 9423, 1, 17),
        ("<!-- x", 9424, 1, 6),
        ("<a/><?xml version=\"1.0\"?>", 9438, 1, 10),
        (" <?xml version=\"1.0\"?><a/>", 9438, 1, 7),
        ("<a>&#0;</a>", 9420, 1, 7),
        ("<a x=\"1\" x=\"2\"/>", 9437, 1, 16),
        ("<a x=\"1\"y=\"2\"/>", 9410, 1, 9),
        ("<a x=\"<\"/>", 9415, 1, 7),
        ("<a>&</a>", 9421, 1, 5),
        ("<a>&amp</a>", 9411, 1, 8),
        ("<a>&#x;</a>", 9416, 1, 7),
        ("<a>&#a;</a>", 9417, 1, 6),
        ("<a>]]></a>", 9454, 1, 4),
        ("<a><!-- a -- b --></a>", 9412, 1, 13),
        ("<a></a", 9412, 1, 6),
        ("<a x", 9414, 1, 4),
        ("<a><!DOCTYPE a></a>", 9422, 1, 6),
        ("<?pi x", 9451, 1, 6),
        ("<?XML version=\"1.0\"?><a/>", 9439, 1, 6),
        ("<?xml version=\"2.0\"?><a/>", 9441, 1, 19),
        ("<?xml?><a/>", 9441, 1, 7),
        ("<a:b:c xmlns:a=\"u\"/>", 9456, 1, 5),
        ("<a xmlns=\"u\" xmlns=\"v\"/>", 9458, 1, 24),
        ("<a b:c=\"1\" b:c=\"2\"/>", 9459, 1, 20),
        ("<a xmlns:p=\"u\" xmlns:q=\"u\" p:x=\"1\" q:x=\"2\"/>", 9437, 1, 44),
        ("<a xmlns:p=\"\"/>", 9460, 1, 15),
        ("<a xmlns:xmlns=\"u\"/>", 9465, 1, 20),
        ("<a>\n<b>\n</a>", 9436, 3, 4),
        ("<a>\r\n  <b x=1/>", 9413, 2, 8),
        ("<a>\r<b x=1/>", 9413, 2, 6),
        ("<a>😀</a", 9412, 1, 7),
        ("<a>\u{FFFF}</a>", 9420, 1, 4),
    ] {
        let found = canonical(text);
        let expected = format!("{number} {line}, character {character}, ");
        assert!(found.starts_with(&expected), "{text}: {found}");
    }
}

#[test]
fn documents_are_bounded() {
    assert!(canonical(&"<a>".repeat(129)).starts_with("6335 "));
    assert_eq!(canonical(&format!("{}{}", "<a>".repeat(128), "</a>".repeat(128))).len(), 893);
    let dtd = "<!DOCTYPE a [<!ENTITY b \"c\"><!ENTITY d '&b;&b;'>]><a e='&b;'>&d;</a>";
    assert!(canonical(dtd).starts_with("6359 "));
    let options = ParseOptions { preserve: false, internal_subset: true };
    assert_eq!(canonical_of(dtd, options), "<a e=\"c\">cc</a>");
    let mut bomb = String::from("<!DOCTYPE a [<!ENTITY a0 \"0123456789\">");
    for n in 1..20 {
        let before = format!("&a{};", n - 1).repeat(10);
        bomb += &format!("<!ENTITY a{n} \"{before}\">");
    }
    bomb += "]><a>&a19;</a>";
    assert!(canonical_of(&bomb, options).starts_with("9480 "));
}

#[test]
fn no_prefix_of_a_document_panics() {
    let text = "<?xml version='1.0' encoding='utf-8' standalone='no'?><!DOCTYPE a [<!ENTITY b \"c\">\
        <!ELEMENT a ANY><!-- x --><?y?>]><a b='&b;' xmlns:p=\"q\">é&#x41;&lt;<![CDATA[ ]]><!--z-->\
        <?pi ?><p:c/></a >";
    let options = ParseOptions { preserve: false, internal_subset: true };
    for (end, _) in text.char_indices() {
        canonical_of(&text[..end], options);
        canonical_of(&format!("{}<", &text[..end]), options);
        canonical_of(&text[end..], options);
    }
}
