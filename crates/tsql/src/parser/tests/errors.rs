use super::*;

/// Number, line and text of the error in a batch.
fn error(text: &str) -> (i32, u32, String) {
    match parse_batch(text, ParseOptions::default()) {
        Ok(batch) => panic!("{text}: {batch:?}"),
        Err(error) => (error.number(), error.line(), error.text().to_string()),
    }
}

fn near(text: &str) -> String {
    format!("Incorrect syntax near '{text}'.")
}

fn near_keyword(text: &str) -> String {
    format!("Incorrect syntax near the keyword '{text}'.")
}

#[test]
fn what_does_not_belong_is_named_with_its_line() {
    for (text, line, word) in [
        ("SELEC * FROM t", 1, "*"),
        ("SELECT 1\nSELECT 2 foo bar", 2, "bar"),
        ("SELECT 1;\nfoo", 2, "foo"),
        ("SELECT (1 = 1)", 1, "="),
        ("SELECT 1 = 1", 1, "="),
        ("SELECT a FROM t WHERE a = b = c", 1, "="),
        ("SELECT a, FROM t", 1, "FROM"),
        ("SELECT TOP @n * FROM t", 1, "@n"),
        ("IF 1 = 1;", 1, ";"),
        ("SELECT 'abc' 'def' 'ghi'", 1, "ghi"),
        ("SELECT [a b] [c d] [e f]", 1, "e f"),
        ("SELECT 1 +\n\n) 2", 3, ")"),
        ("EXEC sp_help dbo.t", 1, "."),
        ("RAISERROR 50001 'x'", 1, "50001"),
        ("SELECT 1.2.3", 1, ".3"),
        ("SELECT ?", 1, "?"),
        ("SELECT \u{2019}a", 1, "\u{2019}"),
        ("CREATE TABLE t (a decimal(10, -1))", 1, "-"),
        ("DECLARE @a int @b int", 1, "@b"),
        ("EXEC (CAST(@a AS varchar))", 1, "CAST"),
        ("SELECT * FROM (SELECT 1 AS a) WHERE a = 1", 1, "WHERE"),
        ("UPDATE t SET t.c.modify('delete /a')", 1, "("),
        ("SET @x.query('/a').modify('delete /a')", 1, "."),
        ("SELECT 'a'.value('.', 'int')", 1, "."),
        ("SELECT * FROM @x.query('/a').nodes('/b') AS t(c)", 1, "."),
        ("SELECT 1 FOR JSON RAW", 1, "JSON"),
        ("SELECT 1 FOR JSON PATH('a')", 1, "JSON"),
        ("SELECT 1 FOR JSON ROOT, PATH", 1, "JSON"),
        ("SELECT 1 FOR JSON PATH, PATH", 1, "JSON"),
        ("SELECT 1 FOR JSON PATH, ROOT('a'), ROOT", 1, "JSON"),
        ("SELECT 1 FOR JSON PATH, INCLUDE_NULL_VALUES('a')", 1, "JSON"),
        ("SELECT 1 FOR JSON PATH, ROOT(a)", 1, "a"),
        ("SELECT JSON_OBJECT('a')", 1, ")"),
        ("SELECT JSON_OBJECT('a', 1)", 1, ","),
        ("SELECT JSON_OBJECT('a' = 1)", 1, ")"),
        ("SELECT JSON_OBJECT('a':1,)", 1, ")"),
        ("SELECT JSON_OBJECT('a':1 NULL)", 1, ")"),
        ("SELECT JSON_OBJECT('a'::b)", 1, "::"),
        ("SELECT JSON_ARRAY('a':1)", 1, ":"),
        ("SELECT JSON_ARRAY(1 RETURNING json)", 1, "RETURNING"),
        ("SELECT JSON_OBJECTAGG(a:b ORDER BY a)", 1, "ORDER"),
        ("SELECT JSON_OBJECTAGG(a:b) WITHIN GROUP (ORDER BY a)", 1, "WITHIN"),
        ("SELECT JSON_ARRAYAGG(a NULL ON NULL ORDER BY a)", 1, "ORDER"),
        ("SELECT JSON_ARRAYAGG(a ORDER BY a) OVER ()", 1, "OVER"),
    ] {
        let expected = match crate::is_reserved(word) {
            true => (156, line, near_keyword(word)),
            false => (102, line, near(word)),
        };
        assert_eq!(error(text), expected, "{text}");
    }
}

#[test]
fn reserved_words_are_named_as_such_in_their_own_spelling() {
    for (text, word) in [
        ("SELECT * FROM user", "user"),
        ("CREATE TABLE Order (a int)", "Order"),
        ("SELECT NOT 1", "NOT"),
        ("SELECT 1 FROM t GROUP BY a ORDER BY b HAVING 1 = 1", "HAVING"),
        ("BEGIN END", "END"),
        ("SELECT TOP 5 DISTINCT a FROM t", "DISTINCT"),
        ("SELECT 1 ORDER BY 1 UNION SELECT 2", "UNION"),
        ("(SELECT TOP 1 a FROM t Order BY (a)) UNION ALL SELECT 2", "Order"),
        ("SELECT 2 UNION ((SELECT TOP 1 a FROM t order BY a) EXCEPT SELECT 1)", "order"),
        ("(SELECT TOP 1 a FROM t ORDER BY a)", "ORDER"),
        ("CREATE VIEW v AS SELECT 2 EXCEPT (SELECT TOP 1 a FROM t ORDER BY a)", "ORDER"),
        ("END", "END"),
        ("UPDATE t SET a = 1 FROM WHERE b = 2", "WHERE"),
    ] {
        assert_eq!(error(text), (156, 1, near_keyword(word)), "{text}");
    }
}

#[test]
fn at_the_end_of_the_text_the_last_word_is_named() {
    for (text, line, word) in [
        ("SELECT * FROM", 1, "FROM"),
        ("SELECT a FROM t WHERE", 1, "WHERE"),
        ("SELECT 1 +\n\n", 1, "+"),
        ("BEGIN\nSELECT 1\n", 2, "1"),
        ("IF 1 = 1", 1, "1"),
        ("SELECT * FROM (SELECT 1 AS a)", 1, ")"),
        ("BEGIN TRY SELECT 1 END TRY", 1, "TRY"),
        ("INSERT INTO t (a", 1, "a"),
    ] {
        assert_eq!(error(text), (102, line, near(word)), "{text}");
    }
}

#[test]
fn conditions_and_values_are_told_apart() {
    let message = |near: &str| {
        format!(
            "An expression of non-boolean type specified in a context where a condition is expected, near '{near}'."
        )
    };
    assert_eq!(error("IF 1 SELECT 2"), (4145, 1, message("SELECT")));
    assert_eq!(error("SELECT 1 WHERE 1\nORDER BY 1"), (4145, 2, message("ORDER")));
    assert_eq!(error("SELECT 1 WHERE 1"), (4145, 1, message("1")));
    assert_eq!(error("SELECT 1 WHERE a = 1 AND b"), (4145, 1, message("b")));
    assert_eq!(error("SELECT 1 WHERE a and b = 1"), (4145, 1, message("and")));
    assert_eq!(error("WHILE (1) SELECT 1"), (4145, 1, message("SELECT")));
    assert_eq!(error("SELECT 1 WHERE (a = 1) + 1 = 2"), (102, 1, near("+")));
    assert_eq!(error("SELECT IIF(1, 2, 3)"), (4145, 1, message(",")));
}

#[test]
fn with_needs_a_semicolon_before_it() {
    let text = "Incorrect syntax near the keyword 'with'. If this statement is a common table expression, an xmlnamespaces clause or a change tracking context clause, the previous statement must be terminated with a semicolon.";
    assert_eq!(error("SELECT 1\nWITH a AS (SELECT 1 AS b) SELECT * FROM a"), (319, 2, text.into()));
    assert_eq!(error("DECLARE @a int WITH a AS (SELECT 1 AS b) SELECT * FROM a").0, 319);
    let (number, _, text) = error("SELECT * FROM t WITH c AS (SELECT 1 AS b) SELECT * FROM c");
    assert_eq!(number, 336);
    assert!(text.starts_with("Incorrect syntax near 'c'."), "{text}");
    parse("SELECT 1; WITH a AS (SELECT 1 AS b) SELECT * FROM a");
    parse("BEGIN WITH a AS (SELECT 1 AS b) SELECT * FROM a END");
    parse("IF 1 = 1 WITH a AS (SELECT 1 AS b) SELECT * FROM a");
}

#[test]
fn modules_come_first_in_a_batch_and_never_inside_statements() {
    for (text, what) in [
        ("SELECT 1 CREATE PROC p AS SELECT 1", "CREATE/ALTER PROCEDURE"),
        ("SELECT 1; ALTER PROCEDURE p AS SELECT 1", "CREATE/ALTER PROCEDURE"),
        ("SELECT 1 CREATE VIEW v AS SELECT 1 AS a", "CREATE VIEW"),
        ("SELECT 1 ALTER FUNCTION f () RETURNS int AS BEGIN RETURN 1 END", "ALTER FUNCTION"),
        ("SELECT 1 CREATE TRIGGER t ON u FOR INSERT AS SELECT 1", "CREATE TRIGGER"),
        ("SELECT 1 CREATE SCHEMA s", "CREATE SCHEMA"),
    ] {
        let expected = format!("'{what}' must be the first statement in a query batch.");
        assert_eq!(error(text), (111, 1, expected), "{text}");
    }
    assert_eq!(error("IF 1 = 1 CREATE PROC p AS SELECT 1"), (156, 1, near_keyword("PROC")));
    assert_eq!(error("BEGIN CREATE VIEW v AS SELECT 1 END"), (156, 1, near_keyword("VIEW")));
    assert_eq!(error("CREATE PROC p AS CREATE PROC q AS SELECT 1"), (156, 1, near_keyword("PROC")));
    assert_eq!(error("CREATE VIEW v AS SELECT 1 AS a SELECT 2"), (156, 1, near_keyword("SELECT")));
    assert_eq!(error("CREATE PROC p AS BEGIN SELECT 1 END END"), (156, 1, near_keyword("END")));
}

#[test]
fn procedures_without_exec_come_first_only() {
    parse("sp_who");
    parse("-- comment\nsp_who 'x'");
    assert_eq!(error("SELECT 1\nsp_who 1"), (102, 2, near("1")));
    assert_eq!(error("SELECT 1; sp_who"), (102, 1, near("sp_who")));
    assert_eq!(error("USE x\nGO"), (102, 2, near("GO")));
}

#[test]
fn the_lexer_is_heard_only_when_the_parser_gets_there() {
    assert_eq!(error("SELECT 'abc").0, 105);
    assert_eq!(error("SELECT FROM 'abc"), (156, 1, near_keyword("FROM")));
    assert_eq!(error("SELECT 1 /* abc"), (113, 1, "Missing end comment mark '*/'.".into()));
    assert_eq!(error("SELECT a AS []").0, 1038);
    assert_eq!(error("SELECT a AS ''").0, 1038);
    let name = "a".repeat(129);
    assert_eq!(error(&format!("SELECT [{name}]")).0, 103);
}

#[test]
fn what_only_some_places_allow_has_its_own_number() {
    for (text, number) in [
        ("MERGE t USING u ON 1 = 1 WHEN MATCHED THEN DELETE SELECT 1", 10713),
        ("MERGE t USING u ON 1 = 1 WHEN MATCHED THEN INSERT VALUES (1);", 10711),
        ("MERGE t USING u ON 1 = 1 WHEN NOT MATCHED THEN DELETE;", 10710),
        ("EXEC p 1 OUTPUT", 179),
        ("SELECT * FROM t HOLDLOCK", 1018),
        ("SELECT * FROM t INDEX(1)", 1018),
        ("SELECT * FROM t WITH (FOO)", 321),
        ("SELECT * FROM t AS x (FOO)", 321),
        ("SELECT 1 OPTION (MAXRECURSION 40000)", 310),
        ("SET FOO ON", 195),
        ("CREATE FOO x", 343),
        ("DROP FOO x", 343),
        ("DROP INDEX ix", 159),
        ("CREATE TABLE t (a)", 173),
        ("CREATE INDEX ix ON t (a) WITH (FOO = ON)", 155),
        ("SELECT CAST(a, int)", 1035),
        ("SELECT CAST(a)", 1035),
        ("SELECT a.b.c.d.e.f", 117),
        ("SELECT * FROM a.b.c.d.e", 117),
        ("SELECT $foo", 126),
        ("DECLARE c INSENSITIVE CURSOR LOCAL FOR SELECT 1", 1049),
    ] {
        assert_eq!(error(text).0, number, "{text}");
    }
    let tables = vec!["t"; 300].join(" CROSS JOIN ");
    assert_eq!(error(&format!("SELECT * FROM {tables}")).0, 106);
    assert_eq!(error("SELECT CAST(a)").2, "Incorrect syntax near 'CAST', expected 'AS'.");
    assert_eq!(error("SET FOO ON").2, "'FOO' is not a recognized SET option.");
}

#[test]
fn parts_of_a_language_that_is_not_spoken_here_are_syntax_errors() {
    for text in [
        "SELECT a FROM t LIMIT 5 x",
        "SELECT a FROM t COMPUTE SUM(a)",
        "READTEXT t.c @p -1 1",
        "SELECT * FROM OPENQUERY(s, 'x')",
        "CREATE JSON INDEX x ON t (a)",
        "BEGIN DIALOG @h FROM SERVICE a TO SERVICE 'b'",
        "SELECT a || b",
    ] {
        let number = error(text).0;
        assert!(matches!(number, 102 | 156 | 343), "{text}: {number}");
    }
}

#[test]
fn types_and_parameter_lists_stand_alone() {
    use crate::ast::TypeArguments;
    let ty = parse_data_type(" decimal ( 10 , 2 ) ").unwrap();
    assert_eq!(
        (&*ty.name.name.name, ty.arguments),
        ("decimal", TypeArguments::Numbers(vec![10, 2]))
    );
    assert_eq!(parse_data_type("varchar(MAX)").unwrap().arguments, TypeArguments::Max);
    let ty = parse_data_type("NATIONAL  character\nVARYING(5)").unwrap();
    assert_eq!(&*ty.name.name.name, "NATIONAL character VARYING");
    let huge = parse_data_type("char(99999999999)").unwrap();
    assert_eq!(huge.arguments, TypeArguments::Numbers(vec![u32::MAX]));
    assert_eq!(parse_data_type("int int").unwrap_err().number(), 102);

    let list = parse_parameter_list(
        "@a int, @b nvarchar(10) = N'x' OUTPUT, @t dbo.T READONLY, @c CURSOR VARYING OUT",
    )
    .unwrap();
    let flags: Vec<_> = list
        .iter()
        .map(|p| (&*p.name.name, p.output, p.read_only, p.varying, p.default.is_some()))
        .collect();
    assert_eq!(
        flags,
        [
            ("@a", false, false, false, false),
            ("@b", true, false, false, true),
            ("@t", false, true, false, false),
            ("@c", true, false, true, false),
        ]
    );
    assert!(parse_parameter_list("").unwrap().is_empty());
    assert!(parse_parameter_list("  ").unwrap().is_empty());
    assert_eq!(parse_parameter_list("@a").unwrap_err().number(), 102);
    assert_eq!(parse_parameter_list("@a int,").unwrap_err().number(), 102);
}
