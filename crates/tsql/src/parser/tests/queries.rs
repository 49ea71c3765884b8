use super::*;
use crate::ast::{
    ForKind, IndexRef, NullElements, QueryHintKind, SelectItemKind, TableHintKind, TableSourceKind,
    XmlMode,
};

fn select_statement(text: &str) -> crate::ast::SelectStatement {
    match statement(text) {
        StatementKind::Select(select) => *select,
        other => panic!("{text}: {other:?}"),
    }
}

/// The first `SELECT` of a query.
fn core(statement: &crate::ast::SelectStatement) -> &crate::ast::Select {
    match &statement.query.body {
        crate::ast::QueryBody::Select(select) => select,
        other => panic!("{other:?}"),
    }
}

#[test]
fn select_items_are_named_in_four_ways() {
    assert_eq!(
        select("SELECT a AS x, b y, z = c, 'w' = d, e 'v', f \"u\", [t] = 1, g"),
        "SELECT [a] AS [x], [b] AS [y], [c] AS [z], [d] AS [w], [e] AS [v], [f] AS [u], (1) AS [t], [g]"
    );
    assert_eq!(select("SELECT 1a, 2 b"), "SELECT (1) AS [a], (2) AS [b]");
    assert_eq!(
        select("SELECT *, t.*, dbo.t.*, a..t.*"),
        "SELECT *, [t].*, [dbo].[t].*, [a]..[t].*"
    );
    assert_eq!(select("SELECT @a = 1, @b += c"), "SELECT @a=(1), @b+=[c]");
}

#[test]
fn methods_yield_rows() {
    for (text, printed) in [
        ("SELECT * FROM @x.nodes('/a') AS t(c)", "SELECT * FROM @x.[nodes]('/a') AS [t]([c])"),
        (
            "SELECT * FROM t CROSS APPLY t.x.nodes('/a') u(c) OUTER APPLY u.c.nodes('b') v(d)",
            "SELECT * FROM [t] CROSS APPLY [t].[x].[nodes]('/a') AS [u]([c]) \
             OUTER APPLY [u].[c].[nodes]('b') AS [v]([d])",
        ),
        ("SELECT 1 FROM @x.nodes('/a')", "SELECT (1) FROM @x.[nodes]('/a')"),
    ] {
        assert_eq!(select(text), printed, "{text}");
        assert_eq!(select(printed), printed, "{text}");
    }
}

#[test]
fn versions_are_asked_for_before_the_alias() {
    for (clause, printed) in [
        ("AS OF @t", "AS OF @t"),
        ("AS OF '2020-01-01'", "AS OF '2020-01-01'"),
        ("FROM @a TO dateadd(day, 1, @a)", "FROM @a TO dateadd(day,(1),@a)"),
        ("BETWEEN @a AND @b", "BETWEEN @a AND @b"),
        ("CONTAINED IN (@a, @b)", "CONTAINED IN (@a, @b)"),
        ("ALL", "ALL"),
    ] {
        let printed = format!("SELECT * FROM [t] FOR SYSTEM_TIME {printed} AS [x]");
        for alias in ["AS x", "x"] {
            let text = format!("SELECT * FROM t FOR SYSTEM_TIME {clause} {alias} WITH (NOLOCK)");
            assert_eq!(select(&text), printed, "{text}");
        }
        assert_eq!(select(&printed), printed);
    }
    let plain = select("SELECT a FROM t FOR SYSTEM_TIME ALL WHERE a = 1 FOR XML RAW");
    assert!(plain.starts_with("SELECT [a] FROM [t] FOR SYSTEM_TIME ALL WHERE "), "{plain}");
    for wrong in ["FOR SYSTEM_TIME", "FOR SYSTEM_TIME AS 1", "FOR SYSTEM_TIME CONTAINED IN (1)"] {
        let text = format!("SELECT * FROM t {wrong}");
        assert!(crate::parse_batch(&text, crate::ParseOptions::default()).is_err(), "{text}");
    }
}

#[test]
fn an_alias_without_as_is_taken_only_where_nothing_else_can_begin() {
    assert_eq!(kinds(&parse("SELECT a FROM t OPTION (RECOMPILE)").statements), ["Select"]);
    assert_eq!(kinds(&parse("SELECT 1 COMMIT").statements), ["Select", "Commit"]);
    assert_eq!(
        kinds(&parse("SELECT * FROM t done: SELECT 1").statements),
        ["Select", "Label", "Select"]
    );
    // As in SQL Server, these are aliases.
    assert_eq!(select("SELECT 1 GO"), "SELECT (1) AS [GO]");
    assert_eq!(select("SELECT * FROM t THROW"), "SELECT * FROM [t] AS [THROW]");
    assert_eq!(select("SELECT a FROM t window"), "SELECT [a] FROM [t] AS [window]");
    assert_eq!(select("SELECT at FROM offset"), "SELECT [at] FROM [offset]");
}

#[test]
fn intersect_binds_tighter_than_union_and_except() {
    use crate::ast::{QueryBody, SetOperator};
    let statement = select_statement(
        "SELECT 1 UNION SELECT 2 INTERSECT SELECT 3 EXCEPT SELECT 4 UNION ALL SELECT 5",
    );
    let QueryBody::Set(chain) = &statement.query.body else { panic!("{statement:?}") };
    assert!(matches!(chain.first, QueryBody::Select(_)));
    let operators: Vec<_> = chain.rest.iter().map(|(operator, _)| *operator).collect();
    assert_eq!(operators, [SetOperator::Union, SetOperator::Except, SetOperator::UnionAll]);
    let QueryBody::Set(inner) = &chain.rest[0].1 else { panic!("{chain:?}") };
    assert_eq!(inner.rest.len(), 1);
    assert_eq!(inner.rest[0].0, SetOperator::Intersect);
}

#[test]
fn joins_nest_by_their_on() {
    for (text, printed) in [
        (
            "a JOIN b ON 1=1 JOIN c ON 2=2",
            "[a] INNER JOIN [b] ON (1)=(1) INNER JOIN [c] ON (2)=(2)",
        ),
        (
            "a JOIN b JOIN c ON 1=1 ON 2=2",
            "[a] INNER JOIN ([b] INNER JOIN [c] ON (1)=(1)) ON (2)=(2)",
        ),
        ("a LEFT JOIN (b CROSS JOIN c) ON 1=1", "[a] LEFT JOIN ([b] CROSS JOIN [c]) ON (1)=(1)"),
        ("a x CROSS APPLY f(x.y) z", "[a] AS [x] CROSS APPLY [f]([x].[y]) AS [z]"),
        ("a INNER HASH JOIN b ON 1=1", "[a] INNER HASH JOIN [b] ON (1)=(1)"),
        ("((SELECT 1 AS x) AS y)", "(SELECT (1) AS [x]) AS [y]"),
        ("((SELECT 1) UNION SELECT 2) AS y (z)", "((SELECT (1)) UNION SELECT (2)) AS [y]([z])"),
        ("(((SELECT 1))) y", "(((SELECT (1)))) AS [y]"),
        ("(VALUES (1, 2), (3, 4)) v (a, b)", "(VALUES ((1), (2)), ((3), (4))) AS [v]([a], [b])"),
        ("(a) JOIN (b c) ON 1=1", "[a] INNER JOIN [b] AS [c] ON (1)=(1)"),
        (
            "a PIVOT (SUM(b) FOR c IN ([1], [2])) AS p",
            "[a] PIVOT (sum([b]) FOR [c] IN ([1], [2])) AS [p]",
        ),
    ] {
        assert_eq!(select(&format!("SELECT * FROM {text}")), format!("SELECT * FROM {printed}"));
    }
}

/// The hints of the only table of a query.
fn hints(from: &str) -> Vec<TableHintKind> {
    let statement = select_statement(&format!("SELECT * FROM {from}"));
    match &core(&statement).from[0].kind {
        TableSourceKind::Table(table) => table.hints.iter().map(|h| h.kind.clone()).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn table_hints_are_read_with_and_without_with() {
    assert!(matches!(hints("t (NOLOCK)")[..], [TableHintKind::NoLock]));
    assert!(matches!(hints("t (nolock) x")[..], [TableHintKind::NoLock]));
    assert!(matches!(hints("t x (nolock)")[..], [TableHintKind::NoLock]));
    assert!(matches!(hints("t WITH (NOLOCK)")[..], [TableHintKind::NoLock]));
    assert!(matches!(
        hints("t AS x WITH (UPDLOCK, HOLDLOCK ROWLOCK)")[..],
        [TableHintKind::UpdLock, TableHintKind::HoldLock, TableHintKind::RowLock]
    ));
    assert!(hints("t NOLOCK").is_empty());
    let found = hints("t WITH (INDEX (a, 2), FORCESEEK (b (c, d)))");
    let [
        TableHintKind::Index(indexes),
        TableHintKind::ForceSeek(Some((IndexRef::Name(index), columns))),
    ] = &found[..]
    else {
        panic!("{found:?}")
    };
    assert!(matches!(indexes[..], [IndexRef::Name(_), IndexRef::Number(2)]));
    assert_eq!((&*index.name, columns.len()), ("b", 2));
    assert!(matches!(&hints("t (INDEX = a)")[..], [TableHintKind::Index(_)]));
}

#[test]
fn a_table_with_arguments_is_a_function() {
    let statement = select_statement("SELECT * FROM dbo.f (nolock1, 2) AS x (a)");
    let TableSourceKind::Function(function) = &core(&statement).from[0].kind else { panic!() };
    assert_eq!(function.arguments.len(), 2);
    assert_eq!(function.alias.as_ref().unwrap().columns.len(), 1);
}

#[test]
fn openxml_takes_variables_and_literals() {
    for text in [
        "SELECT * FROM OPENXML (@h, '/r')",
        "SELECT * FROM OPENXML (@h, @rows, @flags) AS [x]",
        "SELECT * FROM OPENXML (@h, N'/r', 3) WITH ([a] [int], [b c] [nvarchar](5) '@b') AS [x]([d], [e])",
        "SELECT * FROM OPENXML (@h, '/r', 1) WITH [dbo].[t] CROSS JOIN [u]",
    ] {
        assert_eq!(select(text), text);
    }
}

#[test]
fn top_takes_a_number_or_an_expression_in_parentheses() {
    assert_eq!(select("SELECT TOP 10 a FROM t"), "SELECT TOP ((10)) [a] FROM [t]");
    assert_eq!(select("SELECT TOP (@n) * FROM t"), "SELECT TOP (@n) * FROM [t]");
    assert_eq!(
        select("SELECT DISTINCT TOP 5.5 PERCENT WITH TIES a FROM t ORDER BY a"),
        "SELECT DISTINCT TOP ((5.5)) PERCENT WITH TIES [a] FROM [t] ORDER BY [a]"
    );
}

#[test]
fn grouping_sets_keep_their_structure() {
    for text in [
        "SELECT (1) FROM [t] GROUP BY [a], ([b], [c]), (), ROLLUP ([d], ([e], [f])), CUBE ([g])",
        "SELECT (1) FROM [t] GROUP BY GROUPING SETS ([a], ([b], [c]), (), CUBE ([d]), GROUPING SETS ([e]))",
        "SELECT (1) FROM [t] GROUP BY ALL [a] WITH CUBE",
    ] {
        assert_eq!(select(text), text);
    }
    // One expression in parentheses is not a list.
    assert_eq!(
        select("SELECT 1 FROM t GROUP BY (a), (a) + (b)"),
        "SELECT (1) FROM [t] GROUP BY [a], [a]+[b]"
    );
}

#[test]
fn the_clauses_of_a_query_come_in_order() {
    assert_eq!(
        select(
            "WITH c (x) AS (SELECT 1) SELECT a INTO #n FROM c WHERE b = 1 GROUP BY a HAVING COUNT(*) > 1 \
                WINDOW w AS (ORDER BY a) ORDER BY a DESC OFFSET 1 ROW FETCH FIRST 2 ROWS ONLY OPTION (FAST 1)"
        ),
        "SELECT [a] INTO [#n] FROM [c] WHERE [b]=(1) GROUP BY [a] HAVING count(*)>(1) \
         WINDOW [w] AS (ORDER BY [a]) ORDER BY [a] DESC OFFSET (1) ROWS FETCH NEXT (2) ROWS ONLY"
    );
}

#[test]
fn for_clauses_and_query_hints_are_kept() {
    let statement = select_statement(
        "SELECT 1 FOR XML PATH ('r'), ELEMENTS XSINIL, ROOT OPTION (MAXRECURSION 0, OPTIMIZE FOR (@a = 1, @b UNKNOWN))",
    );
    let ForKind::Xml(clause) = &statement.query.for_clause.as_ref().unwrap().kind else { panic!() };
    assert_eq!((clause.mode, clause.row.as_deref()), (XmlMode::Path, Some("r")));
    assert_eq!((clause.elements, &clause.root), (Some(NullElements::Nil), &Some(None)));
    assert!(matches!(statement.options[0].kind, QueryHintKind::MaxRecursion(0)));
    let QueryHintKind::OptimizeFor(values) = &statement.options[1].kind else { panic!() };
    assert_eq!(values.len(), 2);
    assert!(values[0].1.is_some() && values[1].1.is_none());
}

#[test]
fn for_xml_has_a_mode_and_each_option_once() {
    for (text, printed) in [
        ("select 1 for xml path", "SELECT (1) FOR XML PATH"),
        ("select 1 FOR XML raw ( N'r' ), Type", "SELECT (1) FOR XML RAW('r'), TYPE"),
        (
            "select a from t for xml auto, elements xsinil, root('x''y'), binary base64",
            "SELECT [a] FROM [t] FOR XML AUTO, BINARY BASE64, ROOT('x''y'), ELEMENTS XSINIL",
        ),
        ("select 1 for xml explicit, xmldata", "SELECT (1) FOR XML EXPLICIT, XMLDATA"),
        ("select 1 for xml raw, xmlschema('u')", "SELECT (1) FOR XML RAW, XMLSCHEMA('u')"),
        ("select 1 for xml path(''), elements absent", "SELECT (1) FOR XML PATH(''), ELEMENTS"),
    ] {
        assert_eq!(select(text), printed, "{text}");
    }
    for (text, near) in [
        ("select 1 for xml raw, type, root, type", "'XML'"),
        ("select 1 for xml raw, elements xsinil, elements", "'XML'"),
        ("select 1 for xml raw, binary hex", "'hex'"),
        ("select 1 for xml raw, foo", "'foo'"),
        ("select 1 for xml json", "'json'"),
        ("with xmlnamespaces () select 1 for xml raw", "')'"),
        ("with c as (select 1 a), xmlnamespaces ('u' as p) select a from c", "'xmlnamespaces'"),
    ] {
        let error = crate::parse_batch(text, ParseOptions::default()).unwrap_err();
        assert!(error.to_string().contains(near), "{text}: {error}");
    }
}

#[test]
fn namespaces_stand_before_common_tables() {
    let statement = select_statement(
        "with xmlnamespaces ('urn:a' as p, default N'urn:d'), c as (select 1 a) select a from c",
    );
    let with = statement.with.unwrap();
    let namespaces: Vec<_> =
        with.namespaces.iter().map(|n| (n.prefix.as_deref(), &*n.uri)).collect();
    assert_eq!(namespaces, [(Some("p"), "urn:a"), (None, "urn:d")]);
    assert_eq!(with.tables.len(), 1);
    let statement = select_statement("with xmlnamespaces ('urn:a' as p) select 1 a for xml raw");
    assert!(statement.with.unwrap().tables.is_empty());
}

#[test]
fn for_json_has_a_mode_and_each_option_once() {
    for (text, printed) in [
        ("select 1 for json path", "SELECT (1) FOR JSON PATH"),
        ("select 1 FOR JSON Auto, Root", "SELECT (1) FOR JSON AUTO, ROOT"),
        (
            "select a from t order by a for json path, without_array_wrapper, include_null_values",
            "SELECT [a] FROM [t] ORDER BY [a] FOR JSON PATH, INCLUDE_NULL_VALUES, \
             WITHOUT_ARRAY_WRAPPER",
        ),
        ("select 1 for json path, root(N'a''b')", "SELECT (1) FOR JSON PATH, ROOT('a''b')"),
        ("select 1 for json path, root ( '' )", "SELECT (1) FOR JSON PATH, ROOT('')"),
        (
            "select (select 1 as a for json path) as b for json auto",
            "SELECT (SELECT (1) AS [a] FOR JSON PATH) AS [b] FOR JSON AUTO",
        ),
    ] {
        assert_eq!(select(text), printed, "{text}");
    }
}

#[test]
fn every_node_knows_where_it_stands() {
    let text = "SELECT a,\n  b + c AS d\nFROM dbo.t AS x\nWHERE x.e = 'f'";
    let statement = select_statement(text);
    let select = core(&statement);
    assert_eq!(select.items[1].span.text(text), "b + c AS d");
    assert_eq!((select.items[1].span.line, select.items[1].span.column), (2, 3));
    let SelectItemKind::Expr { expr, alias } = &select.items[1].kind else { panic!() };
    assert_eq!(expr.span.text(text), "b + c");
    assert_eq!(alias.as_ref().unwrap().span.text(text), "d");
    assert_eq!(select.from[0].span.text(text), "dbo.t AS x");
    let TableSourceKind::Table(table) = &select.from[0].kind else { panic!() };
    assert_eq!(table.name.span.text(text), "dbo.t");
    assert_eq!(select.filter.as_ref().unwrap().span.text(text), "x.e = 'f'");
    assert_eq!(statement.query.span.text(text), text);
}
