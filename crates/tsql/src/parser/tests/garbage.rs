//! Whatever the text, the parser gives a tree or an error.

use proptest::prelude::*;

use super::*;

/// How often each property is tried: `PROPTEST_CASES`, or a few seconds' worth.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(3000)
}

/// Words, names and signs of which soup is made.
const INGREDIENTS: &[&str] = &[
    "SELECT",
    "FROM",
    "WHERE",
    "INSERT",
    "INTO",
    "VALUES",
    "UPDATE",
    "SET",
    "DELETE",
    "MERGE",
    "USING",
    "ON",
    "WHEN",
    "MATCHED",
    "NOT",
    "THEN",
    "OUTPUT",
    "BEGIN",
    "END",
    "TRY",
    "CATCH",
    "TRAN",
    "COMMIT",
    "ROLLBACK",
    "IF",
    "ELSE",
    "WHILE",
    "BREAK",
    "RETURN",
    "GOTO",
    "DECLARE",
    "CURSOR",
    "FOR",
    "OPEN",
    "FETCH",
    "NEXT",
    "CREATE",
    "ALTER",
    "DROP",
    "TABLE",
    "INDEX",
    "VIEW",
    "PROC",
    "FUNCTION",
    "TRIGGER",
    "SCHEMA",
    "TYPE",
    "AS",
    "PRIMARY",
    "KEY",
    "FOREIGN",
    "REFERENCES",
    "CHECK",
    "DEFAULT",
    "CONSTRAINT",
    "IDENTITY",
    "NULL",
    "INT",
    "NVARCHAR",
    "MAX",
    "WITH",
    "NOLOCK",
    "OPTION",
    "RECOMPILE",
    "GROUP",
    "BY",
    "HAVING",
    "ORDER",
    "OFFSET",
    "ROWS",
    "ONLY",
    "UNION",
    "ALL",
    "EXCEPT",
    "INTERSECT",
    "JOIN",
    "LEFT",
    "CROSS",
    "APPLY",
    "PIVOT",
    "IN",
    "LIKE",
    "ESCAPE",
    "BETWEEN",
    "AND",
    "OR",
    "EXISTS",
    "IS",
    "DISTINCT",
    "CASE",
    "CAST",
    "CONVERT",
    "IIF",
    "OVER",
    "PARTITION",
    "WITHIN",
    "TOP",
    "PERCENT",
    "TIES",
    "EXEC",
    "THROW",
    "RAISERROR",
    "PRINT",
    "WAITFOR",
    "DELAY",
    "GRANT",
    "TO",
    "BACKUP",
    "DATABASE",
    "USE",
    "KILL",
    "DBCC",
    "COLLATE",
    "AT",
    "TIME",
    "ZONE",
    "ATOMIC",
    "QUOTED_IDENTIFIER",
    "OFF",
    "BULK",
    "TRUNCATE",
    "SEQUENCE",
    "MEMORY_OPTIMIZED",
    "HASH",
    "BUCKET_COUNT",
    "a",
    "b",
    "t",
    "[x y]",
    "\"q\"",
    "#t",
    "@v",
    "@@rowcount",
    "$action",
    "dbo",
    "1",
    "2.5",
    "1e3",
    "$4",
    "0x1F",
    "'s'",
    "N'n'",
    "(",
    "(",
    ")",
    ")",
    ",",
    ".",
    ";",
    "=",
    "<",
    ">",
    "!",
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "^",
    "~",
    "+=",
    "{",
    "}",
    ":",
    "::",
    "?",
    "'",
    "[",
    "/*",
    "*/",
    "--",
    "\n",
    "fn",
    "call",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn soup_of_words_never_panics(
        words in prop::collection::vec(prop::sample::select(INGREDIENTS), 0..60),
        between in prop::sample::select(&[" ", "", "\n"][..]),
    ) {
        crate::fuzz(words.join(between).as_bytes());
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        crate::fuzz(&bytes);
    }

    #[test]
    fn random_characters_never_panic(text in ".{0,100}") {
        crate::fuzz(text.as_bytes());
    }

    /// Every batch of the corpus, cut off or with a piece taken out or a word put in.
    #[test]
    fn damaged_statements_never_panic(
        start in any::<prop::sample::Index>(),
        length in 0usize..40,
        word in prop::sample::select(INGREDIENTS),
        which in any::<prop::sample::Index>(),
    ) {
        let batches: Vec<&str> = CORPUS.iter().flat_map(|text| text.split("\nGO\n")).collect();
        let batch = which.get(&batches);
        let mut at = start.index(batch.len() + 1);
        while !batch.is_char_boundary(at) {
            at -= 1;
        }
        let mut end = (at + length).min(batch.len());
        while !batch.is_char_boundary(end) {
            end -= 1;
        }
        crate::fuzz(&batch.as_bytes()[..at]);
        crate::fuzz(&batch.as_bytes()[at..]);
        crate::fuzz(format!("{} {word} {}", &batch[..at], &batch[end.max(at)..]).as_bytes());
    }
}

const CORPUS: &[&str] = &[
    include_str!("../../../tests/corpus/queries.sql"),
    include_str!("../../../tests/corpus/changes.sql"),
    include_str!("../../../tests/corpus/procedural.sql"),
    include_str!("../../../tests/corpus/session.sql"),
    include_str!("../../../tests/corpus/definitions.sql"),
    include_str!("../../../tests/corpus/modules.sql"),
];

/// What nests: what stands before everything, and what opens, stands in the middle and closes.
const NESTS: &[(&str, &str, &str, &str)] = &[
    ("SELECT ", "(", "1", ")"),
    ("SELECT ", "(SELECT ", "1", ")"),
    ("SELECT ", "f(", "1", ")"),
    ("SELECT ", "1 + (", "1", ")"),
    ("SELECT ", "- ", "1", ""),
    ("SELECT ", "1 + ", "1", ""),
    ("SELECT ", "CASE WHEN 1 = 1 THEN ", "1", " END"),
    ("SELECT ", "CAST(", "1", " AS int)"),
    ("SELECT ", "(SELECT a FROM (SELECT ", "1 AS a", ") x)"),
    ("SELECT 1 WHERE ", "NOT (", "1 = 1", ")"),
    ("SELECT 1 WHERE ", "1 = 1 AND (2 = 2 OR ", "1 = 1", ")"),
    ("SELECT 1 WHERE ", "EXISTS (SELECT 1 WHERE ", "1 = 1", ")"),
    ("SELECT * FROM ", "(SELECT * FROM ", "a", ") x"),
    ("SELECT * FROM ", "(a JOIN ", "b", " ON 1 = 1)"),
    ("SELECT * FROM ", "(", "a", ")"),
    ("SELECT * FROM a ", "CROSS JOIN b ", "", ""),
    ("", "(", "SELECT 1", ")"),
    ("", "BEGIN ", "SELECT 1", " END"),
    ("", "BEGIN TRY ", "SELECT 1", " END TRY BEGIN CATCH SELECT 1 END CATCH"),
    ("", "IF 1 = 1 BEGIN WHILE 1 = 1 ", "SELECT 1", " END"),
    ("CREATE PROC p AS ", "WHILE EXISTS (SELECT 1) ", "SELECT 1", ""),
    ("SELECT 1 GROUP BY ", "GROUPING SETS (", "a", ")"),
    ("SELECT ", "CONVERT(int, ", "1", ", 1)"),
    ("SELECT ", "IIF(1 = 1, 1, ", "1", ")"),
    ("SELECT ", "TRIM('x' FROM ", "1", ")"),
    ("SELECT ", "{fn f(", "1", ")}"),
    ("SELECT ", "SUM(1) OVER (PARTITION BY ", "1", ")"),
    ("SELECT ", "SUM(1) OVER (ORDER BY ", "1", ")"),
    ("SELECT ", "f(1) WITHIN GROUP (ORDER BY ", "1", ")"),
    ("SELECT ", "NEXT VALUE FOR s OVER (ORDER BY ", "1", ")"),
    ("SELECT ", "IDENTITY(int, ", "1", ", 1)"),
    ("SELECT ", "a AT TIME ZONE (", "b", ")"),
    ("SELECT ", "(SELECT TOP (", "1", ") 1)"),
    ("SELECT ", "(SELECT 1 ORDER BY ", "1", ")"),
    ("SELECT ", "(SELECT 1 GROUP BY ROLLUP ((a, ", "1", ")))"),
    ("SELECT ", "(SELECT a FROM (VALUES (", "1", ")) v (a))"),
    ("SELECT ", "(SELECT 1 FROM a JOIN b ON 1 = ", "1", ")"),
    ("SELECT ", "(SELECT 1 FROM f(", "1", "))"),
    ("SELECT ", "(SELECT 1 FROM t TABLESAMPLE (", "1", "))"),
    ("SELECT ", "(SELECT 1 FROM t PIVOT (", "f(1)", " FOR a IN (b)) p)"),
    ("SELECT ", "((SELECT 1) UNION ", "SELECT 1", ")"),
    ("SELECT 1 WHERE ", "1 IN (1, CASE WHEN ", "1 = 1", " THEN 1 END)"),
    ("SELECT 1 WHERE ", "1 BETWEEN 1 AND CASE WHEN ", "1 = 1", " THEN 1 END"),
    ("SELECT 1 WHERE ", "a LIKE b ESCAPE CASE WHEN ", "1 = 1", " THEN 1 END"),
    ("SELECT 1 WHERE ", "a = ALL (SELECT 1 WHERE ", "1 = 1", ")"),
    ("SELECT 1 WHERE ", "a IN (SELECT 1 WHERE ", "1 = 1", ")"),
    ("SELECT 1 WHERE ", "a IS DISTINCT FROM CASE WHEN ", "1 = 1", " THEN 1 END"),
    ("SELECT 1 WHERE ", "CONTAINS(*, CASE WHEN ", "1 = 1", " THEN 'x' END)"),
];

/// P2: in release, the deepest trees there are can be built, looked at and dropped on a small
/// stack. (Debug builds take several times as much; there the test has room.)
#[test]
fn the_deepest_trees_fit_a_small_stack() {
    let stack_bytes = if cfg!(debug_assertions) { 2 << 20 } else { 256 << 10 };
    let run = || {
        for (before, open, inner, close) in NESTS {
            for levels in 0..300 {
                let text =
                    format!("{before}{}{inner}{}", open.repeat(levels), close.repeat(levels));
                let _ = parse_batch(&text, ParseOptions::default());
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(stack_bytes).spawn(run).unwrap();
    thread.join().unwrap();
}
