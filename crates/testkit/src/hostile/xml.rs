//! XML: documents, queries over them, and the methods that take both.

use super::{Source, literal, mutated, nested};
use crate::rng::Rng;

const NAMES: &[&str] = &["a", "b", "c", "p:a", "é", "_x.1-2"];
const TEXTS: &[&str] = &[
    "",
    "1",
    " x ",
    "2.5",
    "&amp;&lt;",
    "&#x1F600;",
    "&#0;",
    "&#xD800;",
    "&nbsp;",
    "é",
    "<![CDATA[<a>]]>",
    "]]>",
    "<!-- c -->",
    "<?p q?>",
    "2024-02-29",
    "true",
    "1e400",
    "AQID",
    "\n",
    "&#13;",
];
const TOKENS: &[&str] = &[
    "<",
    ">",
    "/",
    "=",
    "\"",
    "&",
    ";",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?",
    "?>",
    ":",
    " ",
    "\u{0}",
    "<!DOCTYPE a>",
    "xmlns=\"\"",
];
const QUERY_TOKENS: &[&str] = &[
    "/", "//", "(", ")", "[", "]", "{", "}", "@", "\"", "$", ",", "..", "*", " return ", " for ",
    "1", "=", "<", "(:", ":)", "é",
];
const TYPES: &[&str] = &[
    "int",
    "bigint",
    "bit",
    "float",
    "decimal(38,5)",
    "date",
    "datetime2",
    "varchar(3)",
    "nvarchar(max)",
    "varbinary(8)",
    "uniqueidentifier",
    "xml",
    "hierarchyid",
];

fn element(rng: &mut Rng, depth: u32, out: &mut String) {
    let name = rng.one(NAMES);
    *out += &format!("<{name}");
    if name.starts_with("p:") || rng.once_in(8) {
        *out += " xmlns:p=\"urn:p\"";
    }
    for attribute in ["b", "id", "xml:lang", "b"].iter().take(rng.between(0, 5) as usize) {
        if rng.once_in(2) {
            *out += &format!(
                " {attribute}=\"{}\"",
                rng.one(&["1", "", "x&quot;", "&#9;", "é", "2.50"])
            );
        }
    }
    if rng.once_in(5) {
        return out.push_str("/>");
    }
    out.push('>');
    for _ in 0..rng.between(0, 4) {
        match depth > 0 && rng.once_in(2) {
            true => element(rng, depth - 1, out),
            false => out.push_str(rng.one(TEXTS)),
        }
    }
    *out += &format!("</{name}>");
}

fn step(rng: &mut Rng, depth: u32) -> String {
    let test = rng.one(&[
        "a",
        "b",
        "*",
        "text()",
        "node()",
        "@b",
        "@*",
        ".",
        "..",
        "comment()",
        "processing-instruction()",
        "p:a",
        "*:a",
        "descendant::a",
        "parent::*",
        "self::node()",
        "attribute::b",
        "descendant-or-self::node()",
        "element()",
    ]);
    match depth > 0 && rng.once_in(3) {
        true => format!("{test}[{}]", query(rng, depth - 1)),
        false => test.into(),
    }
}

/// A query, at most this deep.
fn query(rng: &mut Rng, depth: u32) -> String {
    if depth == 0 {
        return rng
            .one(&[
                "1",
                "\"x\"",
                "@b",
                ".",
                "a",
                "2.5",
                "()",
                "1e400",
                "position()",
                "last()",
                "//a",
                "true()",
                "$v",
                "''",
            ])
            .into();
    }
    let inner = |rng: &mut Rng| query(rng, depth - 1);
    match rng.between(0, 13) {
        0..=3 => {
            let start = rng.one(&["/", "//", "", "./", "(//a)[1]/"]);
            let steps: Vec<String> = (0..rng.between(1, 4)).map(|_| step(rng, depth)).collect();
            format!("{start}{}", steps.join(rng.one(&["/", "/", "//"])))
        }
        4 | 5 => {
            let name = rng.one(&[
                "count",
                "string",
                "number",
                "sum",
                "avg",
                "min",
                "max",
                "not",
                "empty",
                "distinct-values",
                "data",
                "local-name",
                "namespace-uri",
                "string-length",
                "upper-case",
                "floor",
                "round",
                "xs:int",
                "xs:date",
                "xs:decimal",
                "xs:boolean",
                "xs:hexBinary",
                "expanded-QName",
                "id",
            ]);
            format!("{name}({})", inner(rng))
        }
        6 => format!(
            "{}({}, {})",
            rng.one(&["contains", "concat", "substring"]),
            inner(rng),
            inner(rng)
        ),
        7 => {
            let operator = rng.one(&[
                "=", "!=", "<", ">=", "eq", "lt", "is", "<<", "+", "-", "*", "div", "mod", "and",
                "or", ",",
            ]);
            format!("({} {operator} {})", inner(rng), inner(rng))
        }
        8 => {
            let (wh, order) = (rng.once_in(2), rng.once_in(2));
            format!(
                "(for $v in {} {}{}return {})",
                inner(rng),
                if wh { format!("where {} ", inner(rng)) } else { String::new() },
                if order { format!("order by {} descending ", inner(rng)) } else { String::new() },
                inner(rng)
            )
        }
        9 => format!("(let $v := {} return {})", inner(rng), inner(rng)),
        10 => format!("(if ({}) then {} else {})", inner(rng), inner(rng), inner(rng)),
        11 => format!("<e x=\"{{{}}}\">{{{}}}</e>", inner(rng), inner(rng)),
        _ => format!(
            "({} $v in {} satisfies {})",
            rng.one(&["some", "every"]),
            inner(rng),
            inner(rng)
        ),
    }
}

impl Source<'_> {
    /// An expression that is a document, or nearly one.
    pub fn xml_document(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.rng.between(1, 3) {
            element(self.rng, 3, &mut text);
        }
        match self.rng.between(0, 20) {
            0 => nested(self.rng, "<a>", "", "</a>"),
            1 => nested(self.rng, "<a b=\"1\">", "x", ""),
            2 => self.any(),
            3 => format!("({} + NCHAR(0xD800))", literal(&text, true)),
            4 => "NULL".into(),
            5 => format!(
                "'<?xml version=\"1.0\" encoding=\"{}\"?>{}'",
                self.rng.one(&["utf-8", "utf-16", "x"]),
                text.replace('\'', "''")
            ),
            6..=9 => {
                let text = mutated(self.rng, &text, TOKENS);
                literal(&text, true)
            }
            _ => literal(&text, true),
        }
    }

    fn xml_query(&mut self) -> String {
        let depth = self.rng.between(1, 4) as u32;
        let mut text = query(self.rng, depth);
        match self.rng.between(0, 8) {
            0 => text = mutated(self.rng, &text, QUERY_TOKENS),
            1 => text = format!("declare namespace p=\"urn:p\"; {text}"),
            2 => text = format!("({text})[1]"),
            3 => {
                text = format!(
                    "({text})[{}]",
                    self.rng.one(&["0", "-1", "2", "1.5", "last()", "99999999999999999999"])
                )
            }
            _ => {}
        }
        literal(&text, false)
    }

    /// A call of a method.
    pub fn xml_call(&mut self) -> String {
        let (document, query) = (self.xml_document(), self.xml_query());
        let document = format!("CAST({document} AS xml)");
        match self.rng.between(0, 8) {
            0 | 1 => format!("CAST({document}.query({query}) AS nvarchar(max))"),
            2..=4 => {
                let query = match self.rng.once_in(4) {
                    true => query,
                    false => format!("'({})[1]'", query.trim_matches('\'')),
                };
                format!("{document}.value({query}, '{}')", self.rng.one(TYPES))
            }
            5 => format!("{document}.exist({query})"),
            6 => format!("CAST({document} AS nvarchar(max))"),
            _ => {
                let style = self.rng.between(0, 4);
                format!("CAST(CONVERT(xml, {}, {style}) AS varchar(max))", self.xml_document())
            }
        }
    }

    /// Rows of a document.
    pub fn xml_rows(&mut self) -> String {
        let (document, nodes, value, test) =
            (self.xml_document(), self.xml_query(), self.xml_query(), self.xml_query());
        format!(
            "DECLARE @x xml = {document}; SELECT n.c.query('.') AS q, n.c.value('({})[1]', '{}') AS v \
             FROM @x.nodes({nodes}) n(c) WHERE n.c.exist({test}) = 1",
            value.trim_matches('\''),
            self.rng.one(TYPES)
        )
    }

    /// A change of a document.
    pub fn xml_change(&mut self) -> String {
        let document = self.xml_document();
        let (mut a, mut b) = (query(self.rng, 2), query(self.rng, 1));
        if self.rng.between(0, 3) > 0 {
            b = format!("({b})[1]");
        }
        if self.rng.once_in(4) {
            a = rng_constant(self.rng);
        }
        let change = match self.rng.between(0, 4) {
            0 => format!(
                "insert {a} {} {b}",
                self.rng.one(&["into", "as first into", "as last into", "before", "after"])
            ),
            1 => format!("delete {a}"),
            2 => format!("replace value of {b} with {a}"),
            _ => format!("replace value of (/a/text())[1] with {a}"),
        };
        format!(
            "DECLARE @x xml = {document}; SET @x.modify({}); SELECT @x",
            literal(&change, false)
        )
    }
}

fn rng_constant(rng: &mut Rng) -> String {
    rng.one(&[
        "<n/>",
        "attribute n {\"1\"}",
        "text {\"t\"}",
        "(<n/>, <m/>)",
        "\"x\"",
        "1",
        "sql:variable(\"@x\")",
        "()",
    ])
    .into()
}
