//! Statements whose structure is deeper or longer than any written by hand.

use testkit::rng::Rng;

/// `times` times `open`, then `inner`, then `times` times `close`.
fn nested(open: &str, inner: &str, close: &str, times: usize) -> String {
    format!("{}{inner}{}", open.repeat(times), close.repeat(times))
}

fn listed(times: usize, between: &str, item: impl FnMut(usize) -> String) -> String {
    (0..times).map(item).collect::<Vec<_>>().join(between)
}

fn chain_of_expressions(times: usize, last: &str) -> String {
    let parts = listed(times, ",", |at| match at {
        0 => "c0 AS (SELECT 1 a)".into(),
        _ => format!("c{at} AS (SELECT {last} FROM c{})", at - 1),
    });
    format!("WITH {parts} SELECT COUNT(*) FROM c{}", times - 1)
}

type Shape = fn(usize) -> String;

/// Each takes how deep or long it is.
const SHAPES: &[Shape] = &[
    |n| format!("SELECT {}", nested("(", "1", ")", n)),
    |n| format!("SELECT {}", nested("ABS(", "1", ")", n)),
    |n| format!("SELECT {}", nested("(SELECT ", "1", ")", n)),
    |n| format!("SELECT * FROM {}", nested("(SELECT a FROM ", "(SELECT 1 a) q", ") q", n)),
    |n| format!("SELECT 1 WHERE {}", nested("NOT (", "1 = 1", ")", n)),
    |n| format!("SELECT 1 WHERE {}1 = 1", "NOT ".repeat(n)),
    |n| format!("SELECT {}1", "- ".repeat(n)),
    |n| format!("SELECT {}1", "~".repeat(n)),
    |n| format!("SELECT {}", nested("CASE WHEN 1 = 1 THEN ", "1", " END", n)),
    |n| format!("SELECT {}", nested("IIF(1 = 1, ", "1", ", 2)", n)),
    |n| format!("SELECT {}", nested("COALESCE(NULL, ", "1", ")", n)),
    |n| format!("SELECT {}", listed(n, " + ", |at| at.to_string())),
    |n| format!("SELECT {}", listed(n, " + ", |_| "N'a'".into())),
    |n| format!("SELECT 1 WHERE {}", listed(n, " AND ", |at| format!("{at} = {at}"))),
    |n| format!("SELECT i FROM t WHERE {}", listed(n, " OR ", |at| format!("i = {at}"))),
    |n| format!("SELECT i FROM t WHERE i IN ({})", listed(n, ",", |at| at.to_string())),
    |n| format!("SELECT CASE i {} END FROM t", listed(n, " ", |at| format!("WHEN {at} THEN {at}"))),
    |n| listed(n, " UNION ALL ", |at| format!("SELECT {at}")),
    |n| listed(n, " UNION ", |at| format!("SELECT {at}")),
    |n| listed(n, " EXCEPT ", |at| format!("SELECT {at}")),
    |n| format!("SELECT COUNT(*) FROM (VALUES {}) v(a)", listed(n, ",", |at| format!("({at})"))),
    |n| format!("SELECT {}", listed(n, ",", |at| format!("{at} AS c{at}"))),
    |n| format!("SELECT 1 FROM {}", listed(n, ",", |at| format!("t t{at}"))),
    |n| {
        format!("SELECT 1 FROM t {}", listed(n, " ", |at| format!("JOIN t t{at} ON t{at}.i = t.i")))
    },
    |n| format!("SELECT 1 FROM {}t{}", "(".repeat(n), ")".repeat(n)),
    |n| chain_of_expressions(n.max(1), "a"),
    |n| chain_of_expressions(n.max(1), "a + 1 a"),
    |n| chain_of_expressions(n.max(1), "TOP 5 a"),
    |n| {
        format!(
            "WITH {} SELECT 1 FROM c0",
            listed(n.max(1), ",", |at| match at {
                0 => "c0 AS (SELECT 1 a)".into(),
                _ => format!("c{at} AS (SELECT x.a FROM c{p} x CROSS JOIN c{p} y)", p = at - 1),
            })
        )
    },
    |n| {
        format!(
            "WITH {} SELECT COUNT(*) FROM c{}",
            listed(n.max(1), ",", |at| match at {
                0 => "c0 AS (SELECT 1 a)".into(),
                _ => format!("c{at} AS (SELECT x.a FROM c{p} x CROSS JOIN c{p} y)", p = at - 1),
            }),
            n.max(1) - 1
        )
    },
    |n| {
        format!(
            "SELECT 1 FROM (SELECT 1 a) q GROUP BY {}",
            listed(n, ",", |_| "GROUPING SETS ((a), ())".into())
        )
    },
    |n| format!("SELECT 1 FROM t GROUP BY CUBE ({})", listed(n, ",", |at| format!("i + {at}"))),
    |n| nested("BEGIN ", "SELECT 1", " END", n),
    |n| nested("IF 1 = 1 ", "SELECT 1", "", n),
    |n| format!("{}SELECT 1", "IF 1 = 2 SELECT 2 ELSE ".repeat(n)),
    |n| nested("WHILE 1 = 1 BEGIN ", "BREAK", " BREAK END", n),
    |n| nested("BEGIN TRY ", "SELECT 1", " END TRY BEGIN CATCH END CATCH", n),
    |n| format!("DECLARE {}", listed(n, ",", |at| format!("@v{at} int = {at}"))),
    |n| "SELECT 1;".repeat(n),
    |n| ";".repeat(n),
    |n| format!("SELECT '{}'", "x".repeat(n * 50)),
    |n| format!("SELECT 1 AS [{}]", "x".repeat(n)),
    |n| format!("SELECT 0x{}", "AB".repeat(n * 20)),
    |n| format!("SELECT 1{}", "0".repeat(n)),
    |n| format!("/*{}*/ SELECT 1", nested("/*", "x", "*/", n)),
    |n| format!("CREATE TABLE #w ({})", listed(n, ",", |at| format!("c{at} int"))),
    |n| format!("EXEC {}", nested("('EXEC ", "SELECT 1", "')", n.min(40))),
    |n| format!("SELECT {} FROM t", nested("SUM(i) OVER (ORDER BY ", "i", ")", n)),
    |n| format!("SELECT i FROM t ORDER BY {}", listed(n, ",", |at| format!("i + {at}"))),
    |n| format!("SELECT {}", nested("CONVERT(varchar(max), ", "1", ")", n)),
    |n| format!("SELECT 1 WHERE 1 IN {}", nested("(SELECT 1 WHERE 1 IN ", "(1)", ")", n)),
    |n| {
        format!(
            "SELECT 1 WHERE EXISTS {}",
            nested("(SELECT 1 FROM t WHERE EXISTS ", "(SELECT 1)", ")", n)
        )
    },
    |n| format!("SELECT * FROM t {}", "CROSS APPLY (SELECT 1 a) q ".repeat(n)),
    |n| {
        format!(
            "MERGE t USING (VALUES {}) s(a) ON t.i = s.a WHEN MATCHED THEN UPDATE SET b = 1;",
            listed(n, ",", |at| format!("({at})"))
        )
    },
    |n| format!("PRINT {}", listed(n, " + ", |_| "'x'".into())),
    |n| format!("DECLARE @a int = 0; SET @a = {}", listed(n, " + ", |_| "@a".into())),
    |n| format!("SELECT * FROM t WHERE v LIKE '{}'", "%a".repeat(n)),
    |n| {
        format!("EXEC sp_executesql N'SELECT 1', N'{}'", listed(n, ",", |at| format!("@p{at} int")))
    },
    |n| format!("SELECT CHOOSE(1, {})", listed(n.max(1), ",", |at| at.to_string())),
    |n| format!("SELECT CONCAT({})", listed(n.max(2), ",", |at| at.to_string())),
    |n| {
        format!(
            "CREATE OR ALTER PROCEDURE deep AS {}",
            nested("BEGIN IF 1 = 0 ", "SELECT 1", " END", n)
        )
    },
    |n| format!("GRANT SELECT ON t TO {}", listed(n, ",", |_| "public".into())),
    |n| format!("SELECT i FROM t OPTION ({})", listed(n, ",", |_| "MAXDOP 1".into())),
];

/// A statement of one of the shapes.
pub fn statement(rng: &mut Rng) -> String {
    const SIZES: [u64; 7] = [5, 20, 60, 200, 600, 3_000, 12_000];
    let shape = SHAPES[rng.between(0, SHAPES.len() as u64) as usize];
    let most = SIZES[rng.between(0, SIZES.len() as u64) as usize];
    shape(rng.between(1, most) as usize)
}
