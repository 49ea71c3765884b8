use crate::func::testing::{check, check_errors, check_types, run};

/// A name beside one with a value that is nested as deep as this.
fn nested(depth: usize) -> String {
    format!("'{}{}'", "[".repeat(depth), "]".repeat(depth))
}

#[test]
fn values_are_read_by_paths() {
    let address =
        r#"'{"city":"Bonn","zip":53,"ok":true,"no":null,"tags":["a",{"b":1.50}],"":"x"}'"#;
    let cases = [
        ("'$.city'", "Bonn"),
        ("'$.zip'", "53"),
        ("'$.ok'", "true"),
        ("'$.no'", "NULL"),
        ("'strict $.no'", "NULL"),
        ("'$.tags'", "NULL"),
        ("'$.tags[0]'", "a"),
        ("'$.tags[1].b'", "1.50"),
        ("'$.tags[2]'", "NULL"),
        ("'$.missing'", "NULL"),
        ("'$.\"\"'", "x"),
        ("N'$.city'", "Bonn"),
        ("'lax $.city'", "Bonn"),
    ];
    for (path, expected) in cases {
        check(&[("JSON_VALUE", &[address, path], expected)]);
        check(&[("JSON_VALUE", &[&format!("N{address}"), path], expected)]);
    }
    check(&[
        ("JSON_VALUE", &["NULL", "'$.a'"], "NULL"),
        ("JSON_VALUE", &[r#"'{"a":"x\"\u00e9\n"}'"#, "'$.a'"], "x\"é\n"),
        ("JSON_VALUE", &[r#"N'{"ä":"ö€😀"}'"#, "N'$.\"ä\"'"], "ö€😀"),
        ("JSON_VALUE", &[r#"'{"ä":"ö"}'"#, "N'$.\"ä\"'"], "ö"),
    ]);
    check_types(&[
        ("JSON_VALUE", &["'{}'", "'$'"], "nvarchar(4000)"),
        ("JSON_QUERY", &["'{}'"], "nvarchar(4000)"),
        ("JSON_QUERY", &["varchar(max):{}", "'$'"], "nvarchar(max)"),
        ("JSON_PATH_EXISTS", &["'{}'", "'$'"], "int"),
        ("ISJSON", &["'{}'"], "int"),
    ]);
}

#[test]
fn objects_and_arrays_are_read_as_they_are_written() {
    check(&[
        ("JSON_QUERY", &[r#"'  {"a" : 1 , "b":[1, 2]}  '"#], r#"{"a" : 1 , "b":[1, 2]}"#),
        ("JSON_QUERY", &[r#"'{"a":{"x":1} bad'"#, "'$.a'"], r#"{"x":1}"#),
        ("JSON_QUERY", &[r#"'{"a":[1,2]}'"#, "'$.a'"], "[1,2]"),
        ("JSON_QUERY", &[r#"'{"a":1}'"#, "'$.a'"], "NULL"),
        ("JSON_QUERY", &[r#"'{"a":1}'"#, "'$.b'"], "NULL"),
        ("JSON_QUERY", &["'{\"a\":null}'", "'strict $.a'"], "NULL"),
        ("JSON_QUERY", &["NULL"], "NULL"),
    ]);
    let found = "JSON text is not properly formatted. Unexpected character";
    check_errors(&[
        ("JSON_QUERY", &["'\"abc\"'"], 13609, &format!("{found} '\"' is found at position 0.")),
        (
            "JSON_QUERY",
            &["1.5"],
            8116,
            "Argument data type numeric is invalid for argument 1 of json_query function.",
        ),
        (
            "JSON_QUERY",
            &["'{}'", "'$'", "'$'"],
            189,
            "The json_query function requires 1 to 2 arguments.",
        ),
        (
            "JSON_QUERY",
            &["'{\"a\":1}'", "'strict $.a'"],
            13624,
            "Object or array cannot be found in the specified JSON path.",
        ),
    ]);
}

#[test]
fn long_strings_are_cut_or_missing() {
    let document = |kind: &str, len: usize| format!("{kind}:{{\"a\":\"{}\"}}", "x".repeat(len));
    let length = |document: &str, path| {
        let value = run("JSON_VALUE", &[document, path]).unwrap();
        if value == "NULL" { None } else { Some(value.chars().count()) }
    };
    assert_eq!(length(&document("varchar(max)", 4000), "'$.a'"), Some(4000));
    assert_eq!(length(&document("varchar(max)", 4001), "'$.a'"), None);
    assert_eq!(length(&document("varchar(8000)", 4100), "'strict $.a'"), Some(4000));
    let strict = document("nvarchar(max)", 4001);
    check_errors(&[(
        "JSON_VALUE",
        &[&strict, "'strict $.a'"],
        13625,
        "String value in the specified JSON path would be truncated.",
    )]);
    // A document that is not a (max) one is looked at as far as its first 4,000 characters.
    let cut = document("varchar(8000)", 3999);
    check_errors(&[(
        "JSON_QUERY",
        &[&cut, "'$.a'"],
        13609,
        "JSON text is not properly formatted. Unexpected character '\"' is found at position 5.",
    )]);
}

#[test]
fn what_paths_and_texts_must_not_be_is_said() {
    check_errors(&[
        ("JSON_VALUE", &["'{}'"], 174, "The json_value function requires 2 argument(s)."),
        (
            "JSON_VALUE",
            &["'{}'", "NULL"],
            8116,
            "Argument data type NULL is invalid for argument 2 of json_value function.",
        ),
        (
            "JSON_VALUE",
            &["'{}'", "varchar(5):NULL"],
            8116,
            "Argument data type NULL is invalid for argument 2 of JSON_VALUE function.",
        ),
        (
            "JSON_PATH_EXISTS",
            &["'{}'", "NULL"],
            8116,
            "Argument data type NULL is invalid for argument 2 of JSON_PATH_EXISTS function.",
        ),
        (
            "JSON_VALUE",
            &["1", "'$'"],
            8116,
            "Argument data type int is invalid for argument 1 of json_value function.",
        ),
        (
            "JSON_PATH_EXISTS",
            &["'{}'", "1"],
            8116,
            "Argument data type int is invalid for argument 2 of json_path_exists function.",
        ),
        (
            "JSON_VALUE",
            &["'{\"a\":1}'", "'$.a b'"],
            13607,
            "JSON path is not properly formatted. Unexpected character 'b' is found at position 4.",
        ),
        (
            "JSON_VALUE",
            &["'{x}'", "'strict $.a'"],
            13609,
            "JSON text is not properly formatted. Unexpected character 'x' is found at position 1.",
        ),
        (
            "JSON_VALUE",
            &["'{\"a\":1}'", "'strict $.b'"],
            13608,
            "Property cannot be found on the specified JSON path.",
        ),
        (
            "JSON_VALUE",
            &["'{\"a\":1}extra'", "'strict $[0]'"],
            13608,
            "Property cannot be found on the specified JSON path.",
        ),
        (
            "JSON_VALUE",
            &["'{\"a\":[1]}'", "'strict $.a'"],
            13623,
            "Scalar value cannot be found in the specified JSON path.",
        ),
        (
            "JSON_VALUE",
            &[&nested(130), "'$[5]'"],
            13606,
            "JSON text/path that has more than 128 nesting levels cannot be parsed.",
        ),
    ]);
}

#[test]
fn whether_a_text_is_json_is_told() {
    let cases = [
        ("'{}'", "1"),
        ("'  [1,2]  '", "1"),
        ("'{\"a\":1} '", "1"),
        ("'{\"a\":1,\"a\":1}'", "1"),
        ("N'[\"ä\"]'", "1"),
        ("'1'", "0"),
        ("'\"abc\"'", "0"),
        ("''", "0"),
        ("'{\"a\":1}extra'", "0"),
        ("'{\"a\":1'", "0"),
        ("NULL", "NULL"),
    ];
    for (text, expected) in cases {
        check(&[("ISJSON", &[text], expected)]);
    }
    let kinds = |text: &str| {
        ["VALUE", "SCALAR", "OBJECT", "ARRAY"]
            .map(|kind| run("ISJSON", &[text, &format!("'{kind}'")]).unwrap())
            .join("")
    };
    assert_eq!(kinds("'1'"), "1100");
    assert_eq!(kinds("'\"a\"'"), "1100");
    assert_eq!(kinds("'true'"), "1000");
    assert_eq!(kinds("'null'"), "1000");
    assert_eq!(kinds("'{}'"), "1010");
    assert_eq!(kinds("'[1]'"), "1001");
    assert_eq!(kinds("'[1'"), "0000");
    check(&[("ISJSON", &[&nested(129)], "1")]);
    assert_eq!(run("ISJSON", &[&nested(130)]).unwrap_err().number(), 13606);
}

#[test]
fn whether_a_path_leads_anywhere_is_told() {
    let cases = [
        (r#"'{"a":null} '"#, "'$.a'", "1"),
        (r#"'{"a":1,"a":2}'"#, "'$.a'", "1"),
        (r#"'{"a":1}'"#, "'strict $.b'", "0"),
        (r#"'{"a":1}extra'"#, "'$.a'", "0"),
        ("'1'", "'$.a'", "0"),
        ("'{x}'", "'strict $.a'", "0"),
        ("NULL", "'$.a'", "NULL"),
    ];
    for (text, path, expected) in cases {
        check(&[("JSON_PATH_EXISTS", &[text, path], expected)]);
    }
}
