//! T-SQL about documents, nodes of trees, texts of many languages, zones and cultures, with values
//! that are easily got wrong.
//!
//! What is written is T-SQL mostly, since a text that a parser refuses says nothing about what lies
//! behind it. All of it follows from a seed. [`Source`] writes; `json`, `xml`, `text`, `node` and
//! `moment` each know one kind of values and the functions over them.

mod json;
mod moment;
mod node;
mod text;
mod xml;

pub use self::text::{COLLATIONS, STRINGS};
use crate::rng::Rng;

/// Writes expressions and statements.
pub struct Source<'s> {
    /// Where it takes its choices from.
    pub rng: &'s mut Rng,
    /// Writes other values, for arguments that may be anything.
    pub other: &'s dyn Fn(&mut Rng) -> String,
}

impl std::fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("rng", &self.rng).finish_non_exhaustive()
    }
}

impl Source<'_> {
    /// An expression of one value.
    pub fn expression(&mut self) -> String {
        match self.rng.between(0, 12) {
            0..=3 => self.json_call(),
            4 | 5 => self.xml_call(),
            6 | 7 => self.text_call(),
            8 => self.node_call(),
            9 | 10 => self.moment_call(),
            _ => self.packed(),
        }
    }

    /// An expression of one value that natively compiled modules take.
    pub fn native_expression(&mut self) -> String {
        match self.rng.between(0, 5) {
            0 | 1 => self.json_call(),
            2 | 3 => self.text_call(),
            _ => self.moment_call(),
        }
    }

    /// A statement that only reads.
    pub fn statement(&mut self) -> String {
        match self.rng.between(0, 6) {
            0 | 1 => self.json_rows(),
            2 => self.xml_rows(),
            3 => self.xml_change(),
            4 => self.percentile(),
            _ => format!("SELECT {}", self.expression()),
        }
    }

    fn any(&mut self) -> String {
        (self.other)(self.rng)
    }

    /// What was compressed, or only looks like it.
    fn packed(&mut self) -> String {
        const BYTES: &[&str] = &[
            "0x",
            "0x1F8B",
            "0x1F8B08000000000004000300000000000000000000",
            "0x1F8B0800000000000400FBFF00000000FFFFFFFF",
            "0x1F8B08080000000004006100030000000000",
            "0x1F8B08FF000000000400FFFF0000",
            "CAST(REPLICATE(CAST(0x1F8B AS varchar(2)), 4000) AS varbinary(max))",
        ];
        let value = match self.rng.between(0, 3) {
            0 => self.json_document(),
            1 => "REPLICATE(CAST('abc' AS varchar(max)), 200000)".into(),
            _ => self.any(),
        };
        match self.rng.between(0, 5) {
            0 => format!("DATALENGTH(DECOMPRESS(COMPRESS({value})))"),
            1 => format!("CAST(DECOMPRESS(COMPRESS({value})) AS nvarchar(max))"),
            2 => format!("DECOMPRESS({})", self.rng.one(BYTES)),
            3 => {
                // Some bytes of it are others.
                let (at, with) = (self.rng.between(0, 40), self.rng.between(0, 256));
                format!(
                    "DECOMPRESS(CAST(STUFF(COMPRESS({value}), {at}, 1, CAST({with} AS binary(1))) AS varbinary(max)))"
                )
            }
            _ => {
                format!("DECOMPRESS(SUBSTRING(COMPRESS({value}), 1, {}))", self.rng.between(0, 30))
            }
        }
    }

    fn percentile(&mut self) -> String {
        const FRACTIONS: &[&str] =
            &["0", "0.0", "0.25", "0.5", "1", "1.0", "1.1", "-0.1", "NULL", "1e-300", "'x'"];
        const NUMBERS: &[&str] =
            &["NULL", "1", "-5", "2147483647", "1e308", "-1e308", "0.1", "99999999999999999999"];
        let names = [
            "PERCENTILE_CONT",
            "PERCENTILE_DISC",
            "APPROX_PERCENTILE_CONT",
            "APPROX_PERCENTILE_DISC",
        ];
        let name = self.rng.one(&names);
        let rows: Vec<String> = (0..self.rng.between(1, 6))
            .map(|_| format!("({}, {})", self.rng.between(0, 3), self.rng.one(NUMBERS)))
            .collect();
        let over = match self.rng.between(0, 3) {
            _ if name.starts_with("APPROX") => "",
            0 => " OVER ()",
            1 => " OVER (PARTITION BY g)",
            _ => " OVER (PARTITION BY g % 2)",
        };
        let (fraction, descending) = (self.rng.one(FRACTIONS), self.rng.one(&["", " DESC"]));
        format!(
            "SELECT {name}({fraction}) WITHIN GROUP (ORDER BY x{descending}){over} FROM (VALUES {}) v(g, x)",
            rows.join(", ")
        )
    }
}

/// A string literal; of Unicode, if `wide`.
fn literal(text: &str, wide: bool) -> String {
    format!("{}'{}'", if wide { "N" } else { "" }, text.replace('\'', "''"))
}

/// The text with some of its characters left out, doubled or replaced by one of these.
fn mutated(rng: &mut Rng, text: &str, by: &[&str]) -> String {
    let mut parts: Vec<String> = text.chars().map(String::from).collect();
    for _ in 0..rng.between(1, 4) {
        if parts.is_empty() {
            break;
        }
        let at = rng.between(0, parts.len() as u64) as usize;
        match rng.between(0, 5) {
            0 => drop(parts.remove(at)),
            1 => parts.insert(at, parts[at].clone()),
            2 => parts.truncate(at),
            _ => parts[at] = rng.one(by).to_owned(),
        }
    }
    parts.concat()
}

/// `open` many times, `inner`, and `close` as often, as an expression.
fn nested(rng: &mut Rng, open: &str, inner: &str, close: &str) -> String {
    let depth = rng.one(&[5, 60, 127, 128, 129, 130, 1_000, 50_000]);
    let many =
        |text: &str| format!("REPLICATE(CAST({} AS nvarchar(max)), {depth})", literal(text, true));
    format!("({} + {} + {})", many(open), literal(inner, true), many(close))
}
