use super::*;
use crate::{ParseOptions, parse_batch, parse_condition, parse_expression};

fn expr(text: &str) -> Expr {
    parse_expression(text, ParseOptions::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn cond(text: &str) -> Condition {
    parse_condition(text, ParseOptions::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// As SQL Server keeps the defaults of its own samples, and others.
#[test]
fn defaults_are_kept_as_sql_server_keeps_them() {
    for (text, definition) in [
        ("0", "((0))"),
        ("(0)", "((0))"),
        ("-1", "((-1))"),
        ("(-1)", "((-1))"),
        ("0.00", "((0.00))"),
        (".5", "((0.5))"),
        ("-1.25", "((-1.25))"),
        ("9000000000", "((9000000000.))"),
        ("-2147483648", "((-2147483648))"),
        ("-2147483649", "((-2147483649.))"),
        ("1.5E0", "((1.5000000000000000e+000))"),
        ("1E-3", "((1.0000000000000000e-003))"),
        ("12345678901.234567E0", "((1.2345678901234568e+010))"),
        ("1e", "((1.0000000000000000e+000))"),
        ("''", "('')"),
        ("N'it''s'", "(N'it''s')"),
        ("NULL", "(NULL)"),
        ("0x0aF", "(0x00AF)"),
        ("getdate()", "(getdate())"),
        ("GETDATE()", "(getdate())"),
        ("CURRENT_TIMESTAMP", "(getdate())"),
        ("SYSTEM_USER", "(suser_sname())"),
        ("USER", "(user_name())"),
        ("newid()", "(newid())"),
        ("CAST(1 AS bit)", "(CONVERT([bit],(1)))"),
        ("NEXT VALUE FOR Sequences.CityID", "(NEXT VALUE FOR [Sequences].[CityID])"),
        ("CONVERT(char(19), getdate(), 20)", "(CONVERT([char](19),getdate(),(20)))"),
    ] {
        assert_eq!(expression_definition(&expr(text)), definition, "{text}");
    }
}

#[test]
fn computed_columns_are_kept_as_sql_server_keeps_them() {
    for (text, definition) in [
        ("ISNULL(SubTotal + TaxAmt + Freight, 0)", "(isnull(([SubTotal]+[TaxAmt])+[Freight],(0)))"),
        (
            "ISNULL([UnitPrice] * (1.0 - [UnitPriceDiscount]) * [OrderQty], 0.0)",
            "(isnull(([UnitPrice]*((1.0)-[UnitPriceDiscount]))*[OrderQty],(0.0)))",
        ),
        (
            "ISNULL(N'SO' + CONVERT(nvarchar(23), SalesOrderID), N'*** ERROR ***')",
            "(isnull(N'SO'+CONVERT([nvarchar](23),[SalesOrderID]),N'*** ERROR ***'))",
        ),
        ("[Niveau] & ~1 / 2", "([Niveau]&~(1)/(2))"),
        ("([Niveau] & ~1) / 2 & 3", "(([Niveau]&~(1))/(2)&(3))"),
        ("Quantity * UnitPrice - Discount", "([Quantity]*[UnitPrice]-[Discount])"),
        ("(a - b) * c / 100", "((([a]-[b])*[c])/(100))"),
        ("-[B]", "( -[B])"),
        ("YEAR([B])", "(datepart(year,[B]))"),
        ("MONTH(b) + DAY(b)", "(datepart(month,[b])+datepart(day,[b]))"),
        ("DATEADD(YEAR, -18, GETDATE())", "(dateadd(year,(-18),getdate()))"),
        ("IIF(B > 0, 1, 0)", "(case when [B]>(0) then (1) else (0) end)"),
        ("CASE WHEN a >= 1 AND b > 1 THEN 1 END", "(case when [a]>=(1) AND [b]>(1) then (1)  end)"),
        (
            "CASE a WHEN 0 THEN 'x' WHEN 1 THEN 'y' END",
            "(case [a] when (0) then 'x' when (1) then 'y' end)",
        ),
        ("COALESCE(a, NULLIF(b, 0))", "(coalesce([a],nullif([b],(0))))"),
        ("CAST(CAST(b AS bigint) * 2 AS int)", "(CONVERT([int],CONVERT([bigint],[b])*(2)))"),
        ("TRY_CAST(b AS tinyint)", "(TRY_CAST([b] AS [tinyint]))"),
        ("TRY_CONVERT(datetime2(7), b, 126)", "(TRY_CONVERT([datetime2](7),[b],(126)))"),
        ("CAST(b AS nvarchar(max))", "(CONVERT([nvarchar](max),[b]))"),
        ("CAST(b AS dbo.Flag)", "(CONVERT([dbo].[Flag],[b]))"),
        ("dbo.f(a, 'x')", "([dbo].[f]([a],'x'))"),
        (
            "CASE WHEN a IS NULL THEN 0 ELSE 1 END - b",
            "(case when [a] IS NULL then (0) else (1) end-[b])",
        ),
    ] {
        assert_eq!(expression_definition(&expr(text)), definition, "{text}");
    }
}

#[test]
fn checks_are_kept_as_sql_server_keeps_them() {
    for (text, definition) in [
        ("Price > 0", "([Price]>(0))"),
        ("[Status] BETWEEN 0 AND 8", "([Status]>=(0) AND [Status]<=(8))"),
        ("UPPER([Gender]) IN ('M', 'F')", "(upper([Gender])='F' OR upper([Gender])='M')"),
        (
            "UPPER([Class]) IN ('L', 'M', 'H') OR [Class] IS NULL",
            "(upper([Class])='H' OR upper([Class])='M' OR upper([Class])='L' OR [Class] IS NULL)",
        ),
        (
            "[PersonType] IS NULL OR UPPER([PersonType]) IN ('SC', 'VC')",
            "([PersonType] IS NULL OR (upper([PersonType])='VC' OR upper([PersonType])='SC'))",
        ),
        (
            "(([P] IS NULL) AND ([L] = 0)) OR (([P] IS NOT NULL) AND ([L] >= 1))",
            "([P] IS NULL AND [L]=(0) OR [P] IS NOT NULL AND [L]>=(1))",
        ),
        (
            "[Shelf] LIKE '[A-Za-z]' OR ([Shelf] = 'N/A')",
            "([Shelf] like '[A-Za-z]' OR [Shelf]='N/A')",
        ),
        ("a NOT IN (33, 34)", "(NOT ([a]=(34) OR [a]=(33)))"),
        ("a NOT IN (33)", "(NOT [a]=(33))"),
        ("a NOT BETWEEN 1 AND 10", "(NOT ([a]>=(1) AND [a]<=(10)))"),
        ("a NOT LIKE '%:%' AND a NOT LIKE '%,%'", "(NOT [a] like '%:%' AND NOT [a] like '%,%')"),
        ("NOT (a = 0)", "(NOT [a]=(0))"),
        ("NOT (a = 2 AND b IS NULL)", "(NOT ([a]=(2) AND [b] IS NULL))"),
        (
            "NOT a LIKE '%[^0-9]%' AND LEN(a) BETWEEN 7 AND 8",
            "(NOT [a] like '%[^0-9]%' AND (len([a])>=(7) AND len([a])<=(8)))",
        ),
        (
            "(CASE WHEN m IS NULL THEN 3 ELSE LEN(m) END) >= 3",
            "(case when [m] IS NULL then (3) else len([m]) end>=(3))",
        ),
        (
            "[Name] COLLATE Latin1_General_BIN LIKE 'a'",
            "(([Name]) collate Latin1_General_BIN like 'a')",
        ),
        ("a != b", "([a]<>[b])"),
    ] {
        assert_eq!(check_definition(&cond(text)), definition, "{text}");
    }
}

#[test]
fn filters_keep_in() {
    for (text, definition) in [
        ("a IN (1, 2)", "([a] IN ((1), (2)))"),
        ("a IN ('x') AND b <> 0", "([a] IN ('x') AND [b]<>(0))"),
        ("a IS NOT NULL", "([a] IS NOT NULL)"),
    ] {
        assert_eq!(filter_definition(&cond(text)), definition, "{text}");
    }
}

#[test]
fn what_is_printed_reads_as_the_same() {
    for text in [
        "a + (b - -c) * ~d / (e % f) & g",
        "'a\\\nb'",
        "'back\\\\\nslash'",
        "CASE a WHEN 1 THEN (SELECT TOP 1 b FROM t WHERE t.x = a ORDER BY b) ELSE d AT TIME ZONE (e AT TIME ZONE 'f') END",
        "f(x) + SUM(y) OVER (w PARTITION BY z ORDER BY q ROWS 1 PRECEDING) + COUNT(*) OVER w",
        "{fn UCASE('x')} + [Weird Name](1) + a..b.c + [a]]b]",
    ] {
        let printed = expression(&expr(text));
        assert_eq!(expression(&expr(&printed)), printed, "{text}");
    }
    for text in [
        "a IN (1, 2) AND (b IN (3, 4) OR NOT c BETWEEN 5 AND 6) AND EXISTS (SELECT * FROM t) AND UPDATE(d)",
        "CASE WHEN a BETWEEN b AND c THEN 1 END BETWEEN CASE WHEN a IN (1, 2) THEN 2 END AND 3",
        "a = ALL (SELECT 1 UNION SELECT 2) OR a IS NOT DISTINCT FROM b",
    ] {
        let printed = condition(&cond(text));
        assert_eq!(condition(&cond(&printed)), printed, "{text}");
    }
}

/// Every query of the corpus, printed, reads as a query that prints the same.
#[test]
fn printed_queries_read_as_the_same() {
    let corpus = include_str!("../../tests/corpus/queries.sql");
    let mut count = 0;
    for batch in corpus.split("\nGO\n") {
        for statement in parse_batch(batch, ParseOptions::default()).unwrap().statements {
            let crate::ast::StatementKind::Select(select) = statement.kind else { continue };
            let printed = query(&select.query);
            let again = parse_batch(&printed, ParseOptions::default())
                .unwrap_or_else(|e| panic!("{printed}: {e}"));
            let crate::ast::StatementKind::Select(again) = &again.statements[0].kind else {
                panic!()
            };
            assert_eq!(query(&again.query), printed);
            count += 1;
        }
    }
    assert!(count > 60);
}

/// `BETWEEN` and `IN` repeat their operand; nested, they must not repeat it without end.
#[test]
fn repetition_is_bounded() {
    let mut text = String::from("a");
    for _ in 0..60 {
        text = format!("CASE WHEN {text} BETWEEN 1 AND 2 THEN 1 END");
    }
    assert!(expression(&expr(&text)).len() < 20_000);
}
