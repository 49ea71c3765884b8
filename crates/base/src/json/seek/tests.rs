use super::*;
use crate::collation::codepage::string_to_unicode;
use crate::pace::Unpaced;

/// What a path leads to: scalars as they are written, other values as their first character. Ends
/// with the value `stop`.
fn visited(text: &str, path: &str) -> Result<Vec<String>, i32> {
    let mut units = Vec::new();
    string_to_unicode(path, &mut units);
    let path = Path::parse_repeated(&units).map_err(|error| error.number())?;
    let source = Text::of_utf8(text.as_bytes());
    let mut found = Vec::new();
    let mut reader = Reader::new(&source, &Unpaced);
    let enough = visit(&mut reader, &source, &path, &mut |value| {
        found.push(match value {
            Event::Scalar(_, range) => text[range.clone()].to_string(),
            Event::Object => "{".to_string(),
            _ => "[".to_string(),
        });
        Ok(found.last().is_some_and(|value| value == "\"stop\""))
    });
    let enough = enough.map_err(|fault| fault.error(&source, 1).number())?;
    assert_eq!(enough, found.last().is_some_and(|value| value == "\"stop\""));
    Ok(found)
}

#[test]
fn a_path_leads_to_every_element() {
    let text = r#"{"a":[1,{"b":[2,3]},[4],{"b":5}],"a":[6],"c":{"b":7}}"#;
    for (path, expected) in [
        ("$", vec!["{"]),
        ("$[*]", vec![]),
        ("$.a", vec!["["]),
        ("$.a[*]", vec!["1", "{", "[", "{"]),
        ("$.a[ * ][0]", vec!["4"]),
        ("$.a[*].b", vec!["[", "5"]),
        ("$.a[*].b[*]", vec!["2", "3"]),
        ("$.a[*][*]", vec!["4"]),
        ("$.a[1].b[*]", vec!["2", "3"]),
        ("$.c[*]", vec![]),
        ("$.c.b", vec!["7"]),
        ("$.d[*]", vec![]),
    ] {
        assert_eq!(visited(text, path).unwrap(), expected, "{path}");
    }
}

#[test]
fn a_visit_ends_when_it_is_enough() {
    assert_eq!(visited(r#"[1,"stop",2,x"#, "$[*]").unwrap(), ["1", "\"stop\""]);
    assert_eq!(visited("[1,2,x", "$[*]"), Err(13609));
}

#[test]
fn only_a_path_to_several_values_has_a_star() {
    assert_eq!(visited("[]", "$[*"), Err(13607));
    assert_eq!(visited("[]", "$[**]"), Err(13607));
    assert_eq!(visited("[]", "$.*"), Err(13607));
    let path: Vec<u8> = "$[*]".bytes().flat_map(|byte| [byte, 0]).collect();
    assert_eq!(Path::parse(&path, false).unwrap_err().number(), 13607);
}
