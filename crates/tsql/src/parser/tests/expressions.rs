use super::*;
use crate::ast::{ExprKind, Literal, UnaryOp};

/// The printed form has parentheses exactly where the tree needs them.
#[test]
fn operators_bind_as_documented_and_associate_to_the_left() {
    for (text, tree) in [
        ("a + b * c", "[a]+[b]*[c]"),
        ("a * b + c", "[a]*[b]+[c]"),
        ("a - b - c", "([a]-[b])-[c]"),
        ("a / b * c % d", "(([a]/[b])*[c])%[d]"),
        // `&`, `|` and `^` bind as tightly as `+`.
        ("a & b + c", "([a]&[b])+[c]"),
        ("a + b & c", "([a]+[b])&[c]"),
        ("a | b ^ c - d", "(([a]|[b])^[c])-[d]"),
        ("a & b * c", "[a]&[b]*[c]"),
        ("~a * b", "~[a]*[b]"),
        ("~a + b", "~[a]+[b]"),
        ("(a + b) * c", "([a]+[b])*[c]"),
        ("((a))", "[a]"),
        ("a + (b + c)", "[a]+([b]+[c])"),
        ("a + b COLLATE x + c", "([a]+([b]) collate x)+[c]"),
    ] {
        assert_eq!(scalar(text), tree, "{text}");
    }
}

#[test]
fn json_is_made_of_pairs_and_elements() {
    for (text, tree) in [
        ("json_object()", "json_object()"),
        ("JSON_OBJECT('a':1, b : c + 1)", "json_object('a':(1),[b]:[c]+(1))"),
        ("json_object(a.b:@c null on null)", "json_object([a].[b]:@c NULL ON NULL)"),
        ("json_object('a':null absent on null)", "json_object('a':NULL ABSENT ON NULL)"),
        ("json_object(absent on null)", "json_object(ABSENT ON NULL)"),
        ("json_object('a':json_object('b':x))", "json_object('a':json_object('b':[x]))"),
        ("json_array(null, absent, 1)", "json_array(NULL,[absent],(1))"),
        ("json_array(null null on null)", "json_array(NULL NULL ON NULL)"),
        ("json_array(null on null)", "json_array(NULL ON NULL)"),
        ("json_objectagg(a:b)", "json_objectagg([a]:[b])"),
        (
            "json_arrayagg(a order by b desc, c absent on null)",
            "json_arrayagg([a] ORDER BY [b] DESC, [c] ABSENT ON NULL)",
        ),
        (
            "json_arrayagg(a null on null) over (partition by b)",
            "json_arrayagg([a] NULL ON NULL) OVER (PARTITION BY [b])",
        ),
        // As a name it takes any arguments.
        ("dbo.json_array(1)", "[dbo].[json_array]((1))"),
    ] {
        assert_eq!(scalar(text), tree, "{text}");
        assert_eq!(scalar(tree), tree, "{text}");
    }
}

#[test]
fn methods_follow_what_has_a_value() {
    for (text, tree) in [
        ("@x.value('.', 'int')", "@x.[value]('.','int')"),
        ("@x . query ( '/a' ) .value('.', 'int') + 1", "@x.[query]('/a').[value]('.','int')+(1)"),
        // Whether it is a column's method or a function, the text does not say.
        ("c.exist('/a')", "[c].[exist]('/a')"),
        ("t.c.query('/a').exist('/b')", "[t].[c].[query]('/a').[exist]('/b')"),
        ("dbo.f(1).query('/a')", "[dbo].[f]((1)).[query]('/a')"),
        ("CAST(a AS xml).exist('/b')", "CONVERT([xml],[a]).[exist]('/b')"),
        ("(SELECT a FROM t).value('.', 'int')", "(SELECT [a] FROM [t]).[value]('.','int')"),
        ("(a + b).foo()", "([a]+[b]).[foo]()"),
        ("-@x.value('.', 'int') COLLATE y", " -(@x.[value]('.','int')) collate y"),
        ("@x.f() AT TIME ZONE @x.g()", "@x.[f]() AT TIME ZONE @x.[g]()"),
        ("@x.f + @x.g().h", "@x.[f]+@x.[g]().[h]"),
        ("hierarchyid::GetRoot().ToString()", "[hierarchyid]::[GetRoot]().[ToString]()"),
        ("sys.geometry :: [Null]", "[sys].[geometry]::[Null]"),
    ] {
        assert_eq!(scalar(text), tree, "{text}");
        assert_eq!(scalar(tree), tree, "{text}");
    }
}

/// `SELECT -100.0 / -100.0 * 10.0` is 0.1, because a sign applies to the whole product after it.
#[test]
fn signs_reach_over_products() {
    for (text, tree) in [
        ("-a * b", " -([a]*[b])"),
        ("-a + b", " -[a]+[b]"),
        ("-100.0 / -100.0 * 10.0", " -((100.0)/( -((100.0)*(10.0))))"),
        ("a * -b + c", "[a]*( -[b])+[c]"),
        ("- - a", " -( -[a])"),
        ("-1", "(-1)"),
        ("+1", "(1)"),
        ("~-1", "~(-1)"),
    ] {
        assert_eq!(scalar(text), tree, "{text}");
    }
}

#[test]
fn conditions_bind_as_documented() {
    for (text, tree) in [
        ("a = 1 OR b = 2 AND c = 3", "[a]=(1) OR [b]=(2) AND [c]=(3)"),
        ("(a = 1 OR b = 2) AND c = 3", "([a]=(1) OR [b]=(2)) AND [c]=(3)"),
        ("NOT a = 1 AND b = 2", "NOT [a]=(1) AND [b]=(2)"),
        ("NOT (a = 1 AND b = 2)", "NOT ([a]=(1) AND [b]=(2))"),
        ("NOT NOT a = 1", "NOT NOT [a]=(1)"),
        ("a = 1 AND (b = 2 AND c = 3)", "[a]=(1) AND ([b]=(2) AND [c]=(3))"),
        ("a BETWEEN 1 AND 2 AND b = 3", "[a]>=(1) AND [a]<=(2) AND [b]=(3)"),
        ("b = 3 AND a BETWEEN 1 AND 2", "[b]=(3) AND ([a]>=(1) AND [a]<=(2))"),
        ("a + 1 > b * 2", "[a]+(1)>[b]*(2)"),
        ("(a) + 1 > (b)", "[a]+(1)>[b]"),
        ("((a + 1)) * 2 IN (3)", "([a]+(1))*(2)=(3)"),
        ("((a = 1))", "[a]=(1)"),
        ("a & 1 = 0", "[a]&(1)=(0)"),
        ("a != 1 AND b !< 2 AND c !> 3", "[a]<>(1) AND [b]>=(2) AND [c]<=(3)"),
        ("a < > 1 AND b > = 2 AND c < = 3", "[a]<>(1) AND [b]>=(2) AND [c]<=(3)"),
        ("a = SOME (SELECT 1)", "[a]=ANY (SELECT (1))"),
        ("a IN (SELECT 1)", "[a] IN (SELECT (1))"),
        ("a NOT IN ((SELECT 1))", "NOT [a] IN (SELECT (1))"),
        ("(SELECT 1) = 1", "(SELECT (1))=(1)"),
        ("((SELECT 1) UNION SELECT 2) = 1", "((SELECT (1)) UNION SELECT (2))=(1)"),
        ("CASE WHEN a = 1 THEN 2 END = 3", "case when [a]=(1) then (2)  end=(3)"),
        ("UPDATE(a) AND NOT UPDATE([b])", "UPDATE([a]) AND NOT UPDATE([b])"),
        (
            "a LIKE 'x' ESCAPE '!' OR b LIKE 'y' {escape '?'}",
            "[a] like 'x' escape '!' OR [b] like 'y' escape '?'",
        ),
        (
            "CONTAINS(*, 'x') OR FREETEXT((a, b), N'y')",
            "CONTAINS(*,'x') OR FREETEXT(([a],[b]),N'y')",
        ),
    ] {
        assert_eq!(condition(text), tree, "{text}");
    }
}

#[test]
fn constants_keep_their_class() {
    let literal = |text: &str| match parse_expression(text, ParseOptions::default()).unwrap().kind {
        ExprKind::Literal(literal) => literal,
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(literal("2147483647"), Literal::Integer(i32::MAX));
    assert_eq!(literal("2147483648"), Literal::Numeric("2147483648".into()));
    assert_eq!(literal("-2147483648"), Literal::Integer(i32::MIN));
    assert_eq!(literal("0007"), Literal::Integer(7));
    assert_eq!(literal("1.50"), Literal::Numeric("1.50".into()));
    assert_eq!(literal(".5"), Literal::Numeric(".5".into()));
    assert_eq!(literal("5."), Literal::Numeric("5.".into()));
    assert_eq!(literal("1e5"), Literal::Float("1e5".into()));
    assert_eq!(literal("$1.50"), Literal::Money("1.50".into()));
    assert_eq!(literal("$"), Literal::Money("".into()));
    assert_eq!(literal("£-3"), Literal::Money("-3".into()));
    assert_eq!(literal("'it''s'"), Literal::String("it's".into()));
    assert_eq!(literal("N'ä'"), Literal::National("ä".into()));
    assert_eq!(literal("0x1fA"), Literal::Binary([0x01, 0xfa].as_slice().into()));
    assert_eq!(literal("0x"), Literal::Binary([].as_slice().into()));
    assert_eq!(literal("NULL"), Literal::Null);
    // Parentheses keep the sign apart from the number, which is too large for an integer.
    let expr = parse_expression("-(2147483648)", ParseOptions::default()).unwrap();
    assert!(matches!(expr.kind, ExprKind::Unary { op: UnaryOp::Minus, .. }));
}

#[test]
fn synonyms_print_alike() {
    for (text, printed) in [
        ("IIF(a > 1, 'x', 'y')", "case when [a]>(1) then 'x' else 'y' end"),
        ("cast(a as INT)", "CONVERT([int],[a])"),
        ("convert(national char varying (10), a, 1)", "CONVERT([nvarchar](10),[a],(1))"),
        ("try_cast(a as double precision)", "TRY_CAST([a] AS [float])"),
        ("PARSE(a AS date USING 'de-DE')", "PARSE([a] AS [date] USING 'de-DE')"),
        ("current_timestamp", "getdate()"),
        ("{fn LEFT('abc', 2)}", "{fn left('abc',(2))}"),
        ("{fn CONVERT(a, SQL_VARCHAR(10))}", "CONVERT([varchar](10),[a])"),
        ("{ts '2020-01-02 03:04:05'}", "{ts '2020-01-02 03:04:05'}"),
        ("dbo.f(1, DEFAULT)", "[dbo].[f]((1),DEFAULT)"),
        ("db..f()", "[db]..[f]()"),
        ("a.b.c.d.e", "[a].[b].[c].[d].[e]"),
        ("t.$IDENTITY", "[t].$identity"),
        ("t.ROWGUIDCOL", "[t].$rowguid"),
        ("d AT TIME ZONE 'UTC' AT TIME ZONE z", "[d] AT TIME ZONE 'UTC' AT TIME ZONE [z]"),
        ("NEXT VALUE FOR dbo.s OVER (ORDER BY a)", "NEXT VALUE FOR [dbo].[s] OVER (ORDER BY [a])"),
        ("TRIM(' ' FROM a)", "trim(' ' FROM [a])"),
        ("TRIM(TRAILING a)", "trim(TRAILING [a])"),
        ("count(*)", "count(*)"),
        (
            "SUM(DISTINCT a) OVER (PARTITION BY b ORDER BY c DESC ROWS 2 PRECEDING)",
            "sum(DISTINCT [a]) OVER (PARTITION BY [b] ORDER BY [c] DESC ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
        ),
        (
            "JSON_VALUE(a, '$.b' RETURNING decimal(5, 2))",
            "json_value([a],'$.b' RETURNING [decimal](5,2))",
        ),
        (
            "STRING_AGG(a, ',') WITHIN GROUP (ORDER BY b)",
            "string_agg([a],',') WITHIN GROUP (ORDER BY [b])",
        ),
        ("LAST_VALUE(a) IGNORE NULLS OVER w", "last_value([a]) IGNORE NULLS OVER [w]"),
    ] {
        assert_eq!(scalar(text), printed, "{text}");
    }
}

#[test]
fn long_lists_are_flat() {
    let many = |item: &str, between: &str| vec![item; 5000].join(between);
    let text = format!("a IN ({})", many("1", ", "));
    assert!(parse_condition(&text, ParseOptions::default()).is_ok());
    let text = many("a = 1", " OR ");
    assert!(parse_condition(&text, ParseOptions::default()).is_ok());
    let text = many("a = 1", " AND ");
    assert!(parse_condition(&text, ParseOptions::default()).is_ok());
    for chain in [many("a", " + "), many("a * b", " - "), many("(a + 1)", " / ")] {
        assert!(parse_expression(&chain, ParseOptions::default()).is_ok());
    }
    let text = format!("CASE {} END", many("WHEN a = 1 THEN 'x'", " "));
    assert!(parse_expression(&text, ParseOptions::default()).is_ok());
    parse(&many("SELECT 1", " UNION ALL "));
    parse(&many("IF 1 = 1 SELECT 1", " ELSE "));
    parse(&format!("INSERT t VALUES {}", many("(1, 'x')", ", ")));
    parse(&many("SELECT 1", " "));
}

#[test]
fn depth_is_limited_whatever_nests() {
    let deep = |open: &str, inner: &str, close: &str, levels: usize| {
        format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
    };
    for levels in [crate::ast::MAX_DEPTH as usize + 1, 100_000] {
        for text in [
            deep("(", "1", ")", levels),
            deep("- ", "1", "", levels),
            deep("~", "1", "", levels),
            deep("f(", "1", ")", levels),
            deep("(SELECT ", "1", ")", levels),
            deep("CASE WHEN 1 = 1 THEN ", "1", " END", levels),
            deep("CAST(", "1", " AS int)", levels),
            format!("{}1{}", "(".repeat(levels), " + 1)".repeat(levels)),
            format!("{}1{}", "1 * (1 + ".repeat(levels), ")".repeat(levels)),
            format!("a{}", " COLLATE x".repeat(levels)),
            format!("a{}", " AT TIME ZONE 'x'".repeat(levels)),
        ] {
            let error = parse_expression(&text, ParseOptions::default()).unwrap_err();
            assert_eq!(error.number(), 191, "{}…: {error}", &text[..20]);
        }
        for text in [
            deep("NOT ", "1 = 1", "", levels),
            deep("(", "1 = 1", ")", levels),
            deep("EXISTS (SELECT 1 WHERE ", "1 = 1", ")", levels),
        ] {
            let error = parse_condition(&text, ParseOptions::default()).unwrap_err();
            assert_eq!(error.number(), 191, "{error}");
        }
        for text in [
            deep("BEGIN ", "SELECT 1", " END", levels),
            deep("IF 1 = 1 ", "SELECT 1", "", levels),
            deep("WHILE 1 = 1 ", "SELECT 1", "", levels),
            deep("BEGIN TRY ", "SELECT 1", " END TRY BEGIN CATCH END CATCH", levels),
            deep("(", "SELECT 1", ")", levels),
            format!("SELECT * FROM {}", deep("(", "a", ")", levels)),
            format!("SELECT * FROM {}", deep("(SELECT * FROM ", "a", ") x", levels)),
            format!("SELECT * FROM {} a {}", "a JOIN ".repeat(levels), "ON 1 = 1 ".repeat(levels)),
            format!("SELECT 1 GROUP BY {}", deep("GROUPING SETS (", "a", ")", levels)),
        ] {
            let error = parse_batch(&text, ParseOptions::default()).unwrap_err();
            assert!(matches!(error.number(), 191 | 106), "{}…: {error}", &text[..20]);
        }
    }
}

#[test]
fn usual_nesting_is_accepted() {
    let text = format!("{}1{}", "(".repeat(200), ")".repeat(200));
    assert!(parse_expression(&text, ParseOptions::default()).is_ok());
    let text = format!("{}1{}", "ISNULL(".repeat(90), ", 0)".repeat(90));
    assert!(parse_expression(&text, ParseOptions::default()).is_ok());
    // SQL Server's own limit for subqueries is 32.
    let text = format!("{}1{}", "(SELECT ".repeat(32), ")".repeat(32));
    assert!(parse_expression(&text, ParseOptions::default()).is_ok());
    let text = format!("{}SELECT 1{}", "BEGIN IF 1 = 1 ".repeat(40), " END".repeat(40));
    parse(&text);
}
