use base::SqlResult;

use crate::func::testing::run;

/// A call with what the binder adds to it: the value is no JSON text.
fn modified(text: &str, path: &str, value: &str) -> SqlResult<String> {
    run("JSON_MODIFY", &[text, path, value, "0x00000000"])
}

#[test]
fn one_part_of_a_text_is_changed() {
    let cases = [
        // Replaced.
        (r#"'  {"a" : 1}  '"#, "'$.a'", "2", r#"  {"a" : 2}  "#),
        (
            r#"'{ "a" : 1 , "b" : { "c" : 2 } }'"#,
            "'$.b.c'",
            "9",
            r#"{ "a" : 1 , "b" : { "c" : 9 } }"#,
        ),
        (r#"'{ "a" : { "b" : 1 } }'"#, "'$.a'", "'txt'", r#"{ "a" : "txt" }"#),
        ("'[ 1 , 2 , 3 ]'", "'$[1]'", "9", "[ 1 , 9 , 3 ]"),
        (r#"'{"a":1,"a":2}'"#, "'$.a'", "9", r#"{"a":9,"a":2}"#),
        // Inserted before the closing brace.
        (r#"'{"a":1}'"#, "'$.b'", "2", r#"{"a":1,"b":2}"#),
        (r#"'{ "a" : 1 }'"#, "'$.b'", "2", r#"{ "a" : 1 ,"b":2}"#),
        ("'{  }'", "'$.b'", "2", r#"{  "b":2}"#),
        (r#"'{ "a" : { "b" : 1 } }'"#, "'$.a.c'", "2", r#"{ "a" : { "b" : 1 ,"c":2} }"#),
        (r#"'{"a":1}'"#, "N'$.\"é/\"'", "2", r#"{"a":1,"é/":2}"#),
        ("'{}'", r#"'$."a\/b"'"#, "1", r#"{"a\/b":1}"#),
        ("'{}'", r#"'$."a\u0041"'"#, "1", r#"{"aA":1}"#),
        // The path leads nowhere.
        ("'[ 1 ]'", "'$.b'", "2", "[ 1 ]"),
        (r#"'{ "a" : 1 }'"#, "'$[0]'", "2", r#"{ "a" : 1 }"#),
        ("'{}'", "'$.x.y'", "2", "{}"),
        ("'[1,2,3]'", "'$[3]'", "4", "[1,2,3]"),
        ("'[1,2'", "'$.a'", "2", "[1,2"),
        ("'[{\"a\":1}]extra'", "'$.a'", "2", "[{\"a\":1}]extra"),
        // Deleted, with a comma.
        (r#"'{"a":1,"b":2}'"#, "'$.a'", "NULL", r#"{"b":2}"#),
        (r#"'{"a":1,"b":2}'"#, "'$.b'", "NULL", r#"{"a":1}"#),
        (r#"'{ "a" : 1 , "b" : 2 }'"#, "'$.a'", "NULL", r#"{  "b" : 2 }"#),
        (r#"'{ "a" : 1 , "b" : 2 , "c" : 3 }'"#, "'$.b'", "NULL", r#"{ "a" : 1  , "c" : 3 }"#),
        (r#"'{ "a" : 1 }'"#, "'$.a'", "NULL", "{  }"),
        (r#"'  { "a" : 1 }  '"#, "'$.b'", "NULL", r#"  { "a" : 1 }  "#),
        ("'[ 1 , 2 ]'", "'$[1]'", "NULL", "[ 1 , null ]"),
        (r#"'{ "a" : 1 }'"#, "'strict $.a'", "NULL", r#"{ "a" : null }"#),
        // Appended.
        (r#"'{ "a" : [ 1 , 2 ] }'"#, "'append $.a'", "3", r#"{ "a" : [ 1 , 2 ,3] }"#),
        (r#"'{ "a" : [ ] }'"#, "'append $.a'", "3", r#"{ "a" : [ 3] }"#),
        ("'[ 1 ]'", "'append $'", "2", "[ 1 ,2]"),
        (r#"'{ "a" : 1 }'"#, "'append $.b'", "3", r#"{ "a" : 1 ,"b":[3]}"#),
        (r#"'{ "a" : 1 }'"#, "'append lax $.b'", "NULL", r#"{ "a" : 1 ,"b":[null]}"#),
        (r#"'{ "a" : [ 1 ] }'"#, "'append $.a'", "NULL", r#"{ "a" : [ 1 ,null] }"#),
        (r#"'{ "a" : 1 }'"#, "'append $.a'", "3", r#"{ "a" : 1 }"#),
        ("'[ 1 ]'", "'append $[5]'", "3", "[ 1 ]"),
        ("NULL", "'$.a'", "1", "NULL"),
    ];
    for (text, path, value, expected) in cases {
        assert_eq!(modified(text, path, value).unwrap(), expected, "{text} {path} {value}");
        if text.starts_with('\'') {
            let found = modified(&format!("N{text}"), path, value).unwrap();
            assert_eq!(found, expected, "N{text} {path} {value}");
        }
    }
}

#[test]
fn values_are_put_into_a_text_as_what_they_are() {
    let cases = [
        ("'y\"z'", r#""y\"z""#),
        ("'a/b'", r#""a\/b""#),
        ("'a<b>&c'", r#""a<b>&c""#),
        ("2.0", "2.0"),
        ("decimal(10,2):1.50", "1.50"),
        ("bigint:123456789012345", "123456789012345"),
        ("-5", "-5"),
        ("bit:1", "true"),
        ("N'café'", "\"café\""),
        ("char(3):x", "\"x  \""),
    ];
    for (value, expected) in cases {
        let expected = format!("{{\"a\":{expected}}}");
        assert_eq!(modified(r#"'{"a":1}'"#, "'$.a'", value).unwrap(), expected, "{value}");
    }
}

#[test]
fn what_json_modify_does_not_take_is_said() {
    let not_found = "Property cannot be found on the specified JSON path.";
    let cases: [(&str, &str, &str, i32, u8, &str); 11] = [
        (r#"'{"a":1}'"#, "'strict $.b'", "2", 13608, 2, not_found),
        ("'[1]'", "'strict $[3]'", "2", 13608, 2, not_found),
        ("'{}'", "'strict $.x.y'", "2", 13608, 2, not_found),
        ("'[1]'", "'append strict $[5]'", "2", 13608, 2, not_found),
        (
            r#"'{"a":1}'"#,
            "'append strict $.a'",
            "3",
            13621,
            1,
            "Array cannot be found in the specified JSON path.",
        ),
        ("'{}'", "'$'", "2", 13619, 1, "Unsupported JSON path found in argument 2 of JSON_MODIFY."),
        (
            "'{} x'",
            "'$.a'",
            "2",
            13609,
            7,
            "JSON text is not properly formatted. Unexpected character 'x' is found at position 3.",
        ),
        (
            r#"'{"a":1'"#,
            "'$.a'",
            "2",
            13609,
            7,
            "JSON text is not properly formatted. Unexpected character '.' is found at position 6.",
        ),
        (
            "'{}'",
            "'$.a'",
            "money:1",
            8116,
            1,
            "Argument data type money is invalid for argument 3 of json_modify function.",
        ),
        (
            "'{}'",
            "'$.a'",
            "date:NULL",
            8116,
            1,
            "Argument data type date is invalid for argument 3 of json_modify function.",
        ),
        (
            "'{}'",
            "NULL",
            "1",
            8116,
            1,
            "Argument data type NULL is invalid for argument 2 of json_modify function.",
        ),
    ];
    for (text, path, value, number, state, message) in cases {
        let error = modified(text, path, value).unwrap_err();
        let found = (error.number(), error.state(), error.text());
        assert_eq!(found, (number, state, message), "{text} {path} {value}");
    }
}

#[test]
fn json_text_is_put_into_a_text_as_it_is_written() {
    let args = ["'{\"a\":1}'", "'$.a'", "N'{ \"z\" : 3 }'", "0x00000001"];
    assert_eq!(run("JSON_MODIFY", &args).unwrap(), "{\"a\":{ \"z\" : 3 }}");
}
