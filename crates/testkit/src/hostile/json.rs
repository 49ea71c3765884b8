//! JSON: documents, paths, and the functions that take them.

use super::{Source, literal, mutated, nested};
use crate::rng::Rng;

const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "2.50",
    "1e5",
    "1E+400",
    "-1e-400",
    "9223372036854775808",
    "123456789012345678901234567890123456789012345678901234567890",
    "0.1e1",
    "2147483647",
];
/// Names as they stand between the quotes of JSON.
const NAMES: &[&str] =
    &["a", "b", "", "é", "a.b", "a b", "\u{1F600}", "$", "a\\\"b", "\\u0061", "A", "\\ud800"];
const STRINGS: &[&str] = &[
    "",
    "x",
    "true",
    "1",
    "é",
    "\u{1F600}",
    "\\ud83d\\ude00",
    "\\ud800",
    "\\udc00x",
    "\\u0000",
    "\\n\\t\\/\\b",
    "2024-02-29T23:59:59",
    "0x1F",
    "AQID",
    "'",
    "</a>",
    "null",
    "[1]",
];
const SPACES: &[&str] = &["", "", "", " ", "\n", "\t ", "\r\n"];
const TOKENS: &[&str] = &[
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "0", "-", ".", "e", "null", " ", "\u{0}",
    "\u{FEFF}", "'", "/**/",
];
const PATHS: &[&str] = &[
    "",
    "$",
    "lax",
    "strict",
    "lax $",
    "strict $.a",
    "append $.a",
    "append lax $",
    "append strict $.b.c",
    "$.",
    "$..a",
    "$[",
    "$[0]",
    "$[-1]",
    "$[4294967296]",
    "$[99999999999999999999]",
    "$[*]",
    "$[last]",
    "$[0 to 2]",
    "$.a[0].b",
    "$.\"a b\"",
    "$.\"a",
    "$.\"\"",
    "$.\"a\\\"b\"",
    "$.a.",
    "$ .a",
    " $.a",
    "$.a ",
    "$.é",
    "$.\"\u{1F600}\"",
    "$.$",
    "a",
    "@",
    "LAX $.a",
    "strict$.a",
    "$.1",
    "$.a-b",
    "$.a[0][0][0][0]",
];
const TYPES: &[&str] = &[
    "int",
    "bigint",
    "bit",
    "float",
    "decimal(38,10)",
    "money",
    "date",
    "datetime2",
    "time",
    "datetimeoffset",
    "varchar(3)",
    "nvarchar(max)",
    "varbinary(8)",
    "uniqueidentifier",
    "sql_variant",
    "xml",
    "hierarchyid",
];

/// A value of JSON, at most this deep.
fn value(rng: &mut Rng, depth: u32, out: &mut String) {
    out.push_str(rng.one(SPACES));
    match rng.between(0, if depth == 0 { 6 } else { 12 }) {
        0 => out.push_str(rng.one(&["true", "false", "null"])),
        1 | 2 => out.push_str(rng.one(NUMBERS)),
        3..=5 => *out += &format!("\"{}\"", rng.one(STRINGS)),
        6..=9 => {
            out.push('{');
            for at in 0..rng.between(0, 4) {
                *out += if at > 0 { "," } else { "" };
                *out += &format!("\"{}\"{}:", rng.one(NAMES), rng.one(SPACES));
                value(rng, depth - 1, out);
            }
            out.push('}');
        }
        _ => {
            out.push('[');
            for at in 0..rng.between(0, 4) {
                *out += if at > 0 { "," } else { "" };
                value(rng, depth - 1, out);
            }
            out.push(']');
        }
    }
    out.push_str(rng.one(SPACES));
}

impl Source<'_> {
    /// An expression that is a document, or nearly one.
    pub fn json_document(&mut self) -> String {
        let mut text = String::new();
        value(self.rng, 3, &mut text);
        match self.rng.between(0, 24) {
            0 => nested(self.rng, "[", "1", "]"),
            1 => nested(self.rng, "{\"a\":", "1", "}"),
            2 => nested(self.rng, "[1,", "", ""),
            3 => self.any(),
            4 => format!("({} + NCHAR(0xD800) + {})", literal(&text, true), literal("\"]", true)),
            5 => format!("CAST({} AS json)", literal(&text, true)),
            6 => format!("JSON_QUERY({}, '$')", literal(&text, true)),
            7 => format!("({} COLLATE Latin1_General_100_CI_AS_SC_UTF8)", literal(&text, false)),
            8 => "NULL".into(),
            9..=14 => {
                let text = mutated(self.rng, &text, TOKENS);
                literal(&text, true)
            }
            15 => {
                let size = self.rng.one(&[10, 3_999, 4_000, 4_001, 20_000]);
                format!("('{{\"a\":\"' + REPLICATE(CAST(N'é' AS nvarchar(max)), {size}) + '\"}}')")
            }
            _ => literal(&text, self.rng.between(0, 3) > 0),
        }
    }

    fn json_path(&mut self) -> String {
        match self.rng.between(0, 10) {
            0..=3 => literal(self.rng.one(PATHS), true),
            4 => self.any(),
            5 => {
                let path = self.rng.one(PATHS);
                literal(
                    &mutated(self.rng, path, &["$", ".", "[", "]", "\"", "0", "*", " ", "é"]),
                    true,
                )
            }
            _ => {
                let mut path = self.rng.one(&["$", "$", "lax $", "strict $"]).to_owned();
                for _ in 0..self.rng.between(0, 3) {
                    path += &match self.rng.between(0, 3) {
                        0 => format!("[{}]", self.rng.between(0, 3)),
                        1 => format!(".\"{}\"", self.rng.one(NAMES)),
                        _ => format!(".{}", self.rng.one(&["a", "b"])),
                    };
                }
                literal(&path, self.rng.once_in(2))
            }
        }
    }

    /// A call of one of the functions.
    pub fn json_call(&mut self) -> String {
        let (document, path) = (self.json_document(), self.json_path());
        match self.rng.between(0, 14) {
            0 => format!(
                "ISJSON({document}{})",
                self.rng.one(&["", ", VALUE", ", SCALAR", ", ARRAY", ", OBJECT"])
            ),
            1 | 2 => format!("JSON_VALUE({document}, {path})"),
            3 => format!(
                "JSON_VALUE(CAST({document} AS json), {path} RETURNING {})",
                self.rng.one(TYPES)
            ),
            4 | 5 => format!("JSON_QUERY({document}, {path})"),
            6..=8 => {
                let value = match self.rng.between(0, 4) {
                    0 => format!("JSON_QUERY({})", self.json_document()),
                    1 => "NULL".into(),
                    _ => self.any(),
                };
                format!("JSON_MODIFY({document}, {path}, {value})")
            }
            9 => format!("JSON_PATH_EXISTS({document}, {path})"),
            10 => format!("JSON_CONTAINS(CAST({document} AS json), {}, {path})", self.any()),
            11 => {
                let (name, value) = (self.any(), self.any());
                let nulls = self.rng.one(&["", " NULL ON NULL", " ABSENT ON NULL"]);
                format!("JSON_OBJECT({name}: {value}, N'd': JSON_QUERY({document}){nulls})")
            }
            12 => {
                let value = self.any();
                let nulls = self.rng.one(&["", " NULL ON NULL", " ABSENT ON NULL"]);
                format!("JSON_ARRAY({value}, JSON_QUERY({document}, {path}){nulls})")
            }
            _ => format!("(SELECT COUNT(*) FROM OPENJSON({document}, {path}))"),
        }
    }

    /// Rows of a document.
    pub fn json_rows(&mut self) -> String {
        let (document, path) = (self.json_document(), self.json_path());
        if self.rng.once_in(3) {
            return format!("SELECT [key], value, type FROM OPENJSON({document}, {path})");
        }
        let columns: Vec<String> = (0..self.rng.between(1, 4))
            .map(|at| match self.rng.between(0, 4) {
                0 => format!("c{at} nvarchar(max) {} AS JSON", self.json_path()),
                1 => format!("c{at} {}", self.rng.one(TYPES)),
                _ => format!("c{at} {} {}", self.rng.one(TYPES), self.json_path()),
            })
            .collect();
        let with = columns.join(", ");
        match self.rng.between(0, 3) {
            0 => format!(
                "SELECT p.*, q.* FROM OPENJSON({document}, {path}) WITH (a nvarchar(max) '$.a' AS JSON, b int '$.b') p \
                 OUTER APPLY OPENJSON(p.a) WITH ({with}) q"
            ),
            _ => format!("SELECT * FROM OPENJSON({document}, {path}) WITH ({with})"),
        }
    }
}
