//! Texts of many languages, and the functions that compare them by collations.

use super::Source;

/// Collations of several families.
pub const COLLATIONS: &[&str] = &[
    "SQL_Latin1_General_CP1_CI_AS",
    "SQL_Latin1_General_CP850_BIN2",
    "Latin1_General_100_CI_AS_SC_UTF8",
    "Latin1_General_100_CS_AI_KS_WS",
    "Latin1_General_BIN2",
    "Latin1_General_BIN",
    "Danish_Norwegian_CI_AS",
    "Traditional_Spanish_CI_AI",
    "Hungarian_100_CS_AS",
    "Japanese_XJIS_140_CI_AS_KS_WS_VSS",
    "Japanese_CI_AI",
    "Chinese_PRC_Stroke_CI_AS",
    "Chinese_Traditional_Bopomofo_100_CI_AS_SC",
    "Turkish_100_CI_AI",
    "German_PhoneBook_100_CI_AI",
    "Czech_CS_AS",
    "Thai_CI_AS",
    "Arabic_100_CI_AI_SC",
    "Korean_Wansung_CI_AS",
    "Vietnamese_CI_AS",
    "Lithuanian_CI_AS",
    "Croatian_100_CI_AS",
    "French_100_CI_AS",
];

/// Expressions of strings with letters that several of these collations treat alike or apart.
pub const STRINGS: &[&str] = &[
    "N''",
    "N' '",
    "N'a'",
    "N'A '",
    "N'á'",
    "N'a\u{301}'",
    "N'aa'",
    "N'Aarhus'",
    "N'å'",
    "N'A\u{30A}'",
    "N'ch'",
    "N'CH'",
    "N'cH'",
    "N'h'",
    "N'c'",
    "N'llama'",
    "N'dzs'",
    "N'ddzs'",
    "N'ß'",
    "N'ss'",
    "N'æ'",
    "N'ae'",
    "N'ä'",
    "N'ﬁ'",
    "N'fi'",
    "N'\u{AD}'",
    "N'a\u{AD}b'",
    "N'ab'",
    "N'\u{200B}'",
    "NCHAR(0)",
    "N'a' + NCHAR(0) + N'b'",
    "N'ア'",
    "N'ｱ'",
    "N'あ'",
    "N'ー'",
    "N'Ǆ'",
    "N'ǆ'",
    "N'中'",
    "N'\u{20BB7}'",
    "NCHAR(0xD842)",
    "NCHAR(0xDFB7)",
    "N'葛\u{E0100}'",
    "NCHAR(0xFFFF)",
    "N'I'",
    "N'ı'",
    "N'i'",
    "N'İ'",
    "N'i\u{307}'",
    "N'%'",
    "N'_'",
    "N'['",
    "N'a-b'",
    "N'co-op'",
    "N'coop'",
    "N'เก'",
    "N'ก'",
    "N'\u{1F468}\u{200D}\u{1F469}'",
    "N'가'",
    "N'\u{1100}\u{1161}'",
    "N'ô'",
    "N'côte'",
    "N'coté'",
    "N'o\u{302}\u{323}'",
    "N'ộ'",
    "N'\u{FEFF}x'",
    "N'ﷺ'",
    "REPLICATE(N'a\u{301}', 100)",
    "REPLICATE(N'ch', 50)",
    "N'x\u{301}\u{302}\u{303}\u{304}\u{305}'",
];

impl Source<'_> {
    fn string(&mut self) -> String {
        match self.rng.between(0, 8) {
            0 => self.any(),
            1 | 2 => format!("({} + {})", self.rng.one(STRINGS), self.rng.one(STRINGS)),
            3 => format!("CAST({} AS varchar(20))", self.rng.one(STRINGS)),
            _ => self.rng.one(STRINGS).into(),
        }
    }

    fn pattern(&mut self) -> String {
        const PARTS: &[&str] = &[
            "%",
            "%",
            "_",
            "[a-c]",
            "[^a]",
            "[[]",
            "[",
            "]",
            "[]",
            "[^",
            "[あ-ん]",
            "[ch]",
            "á",
            "ch",
            "-",
            "!%",
            "\u{301}",
        ];
        let parts: Vec<&str> = (0..self.rng.between(0, 6)).map(|_| self.rng.one(PARTS)).collect();
        match self.rng.between(0, 6) {
            0 => format!("(N'%' + {} + N'%')", self.string()),
            1 => self.string(),
            2 => format!("REPLICATE(N'%{}', 300)", parts.concat()),
            _ => format!("N'{}'", parts.concat()),
        }
    }

    /// An expression that compares strings.
    pub fn text_call(&mut self) -> String {
        let (a, b, collation) = (self.string(), self.string(), self.rng.one(COLLATIONS));
        let of = format!("({a}) COLLATE {collation}");
        match self.rng.between(0, 14) {
            0..=2 => {
                let operator = self.rng.one(&["=", "<>", "<", ">="]);
                format!("CASE WHEN {of} {operator} {b} THEN 1 ELSE 0 END")
            }
            3..=5 => {
                let pattern = self.pattern();
                let escape = self.rng.one(&["", "", " ESCAPE N'!'", " ESCAPE N'\u{20BB7}'"]);
                format!("CASE WHEN {of} LIKE {pattern}{escape} THEN 1 ELSE 0 END")
            }
            6 | 7 => format!(
                "CHARINDEX({b}, {of}, {})",
                self.rng.one(&["0", "1", "2", "-5", "2147483647", "NULL"])
            ),
            8 => format!("PATINDEX({}, {of})", self.pattern()),
            9 => format!("REPLACE({of}, {b}, {})", self.string()),
            10 => format!(
                "{}({of})",
                self.rng.one(&[
                    "UPPER",
                    "LOWER",
                    "LEN",
                    "REVERSE",
                    "UNICODE",
                    "CHECKSUM",
                    "DATALENGTH",
                    "SOUNDEX",
                    "RTRIM"
                ])
            ),
            11 => format!("TRIM({b} FROM {of})"),
            12 => format!("TRANSLATE({of}, {b}, {b})"),
            _ => {
                let (from, size) = (self.rng.between(0, 4), self.rng.between(0, 4));
                match self.rng.between(0, 3) {
                    0 => format!("SUBSTRING({of}, {from}, {size})"),
                    1 => format!("STUFF({of}, {from}, {size}, {b})"),
                    _ => format!("(SELECT COUNT(*) FROM STRING_SPLIT({of}, N'a'))"),
                }
            }
        }
    }
}
