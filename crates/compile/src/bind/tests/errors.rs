//! Errors: number, line and text for statements that cannot be bound.

use base::SqlType;

use crate::bind::testing::{Db, parse};
use crate::bind::{Fragment, describe, statement, suggest_parameters};

fn db() -> Db {
    let mut db = Db::with(&[
        "create table t (a int not null primary key, b varchar(20), c decimal(9, 2), n ntext)",
        "create table u (a int not null, d int)",
        "create table l (x varchar(5) collate Latin1_General_CI_AS, y varchar(5) collate Latin1_General_BIN)",
        "create view v as select a from t",
        "create function f (@x int) returns table as return (select @x as y)",
        "create function sf (@x int) returns int as begin return 1 end",
        "create synonym sy for dbo.nothing",
        "create synonym sy2 for dbo.sy",
    ]);
    db.declare("@i", SqlType::int());
    db.declare_table("@t", "t");
    db
}

#[test]
fn errors_have_their_numbers_lines_and_texts() {
    let db = db();
    let cases: &[(&str, &str)] = &[
        ("select x from t", "207 1: Invalid column name 'x'."),
        ("select a\nfrom t\nwhere zz = 1", "207 3: Invalid column name 'zz'."),
        ("select a from nosuch", "208 1: Invalid object name 'nosuch'."),
        ("select a from nodb.dbo.t", "208 1: Invalid object name 'nodb.dbo.t'."),
        ("select a from sy", "208 1: Invalid object name 'sy'."),
        (
            "select a from sy2",
            "470 1: The synonym \"sy2\" referenced synonym \"dbo.sy\". Synonym chaining is not allowed.",
        ),
        (
            "select a from srv.db.dbo.t",
            "7202 1: Could not find server 'srv' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.",
        ),
        ("select a from t, u", "209 1: Ambiguous column name 'a'."),
        ("select x.a from t", "4104 1: The multi-part identifier \"x.a\" could not be bound."),
        ("select t.a from t as q", "4104 1: The multi-part identifier \"t.a\" could not be bound."),
        (
            "select z.* from t",
            "107 1: The column prefix 'z' does not match with a table name or alias name used in the query.",
        ),
        ("select *", "263 1: Must specify table to select from."),
        (
            "select * from t, t",
            "1013 1: The objects \"t\" and \"t\" in the FROM clause have the same exposed names. Use correlation names to distinguish them.",
        ),
        (
            "select 1 from t a, u a",
            "1011 1: The correlation name 'a' is specified multiple times in a FROM clause.",
        ),
        ("select @nope", "137 1: Must declare the scalar variable \"@nope\"."),
        ("select * from @nope", "1087 1: Must declare the table variable \"@nope\"."),
        (
            "select @i = 1, a from t",
            "141 1: A SELECT statement that assigns a value to a variable must not be combined with data-retrieval operations.",
        ),
        (
            "select a, count(*) from t",
            "8120 1: Column 't.a' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.",
        ),
        (
            "select a from t group by a having b = 'x'",
            "8121 1: Column 't.b' is invalid in the HAVING clause because it is not contained in either an aggregate function or the GROUP BY clause.",
        ),
        (
            "select a from t group by a order by b",
            "8127 1: Column \"t.b\" is invalid in the ORDER BY clause because it is not contained in either an aggregate function or the GROUP BY clause.",
        ),
        (
            "select a from t where count(*) > 1",
            "147 1: An aggregate may not appear in the WHERE clause unless it is in a subquery contained in a HAVING clause or a select list, and the column being aggregated is an outer reference.",
        ),
        (
            "select sum(sum(a)) from t",
            "130 1: Cannot perform an aggregate function on an expression containing an aggregate or a subquery.",
        ),
        (
            "select a from t group by count(*)",
            "144 1: Cannot use an aggregate or a subquery in an expression used for the group by list of a GROUP BY clause.",
        ),
        (
            "select 1 from t group by 1",
            "164 1: Each GROUP BY expression must contain at least one column that is not an outer reference.",
        ),
        (
            "select a from t union select a, d from u",
            "205 1: All queries combined using a UNION, INTERSECT or EXCEPT operator must have an equal number of expressions in their target lists.",
        ),
        (
            "select a from t where a = (select a, d from u)",
            "116 1: Only one expression can be specified in the select list when the subquery is not introduced with EXISTS.",
        ),
        (
            "select * from (select a from t order by a) x",
            "1033 1: The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified.",
        ),
        (
            "select distinct a from t order by b",
            "145 1: ORDER BY items must appear in the select list if SELECT DISTINCT is specified.",
        ),
        (
            "select a from t order by 2",
            "108 1: The ORDER BY position number 2 is out of range of the number of items in the select list.",
        ),
        (
            "select a from t union select a from u order by b",
            "104 1: ORDER BY items must appear in the select list if the statement contains a UNION, INTERSECT or EXCEPT operator.",
        ),
        (
            "select a from t order by a, a",
            "169 1: A column has been specified more than once in the order by list. Columns in the order by list must be unique.",
        ),
        (
            "select a from t order by 'x'",
            "408 1: A constant expression was encountered in the ORDER BY list, position 1.",
        ),
        (
            "select n from t order by n",
            "306 1: The text, ntext, and image data types cannot be compared or sorted, except when using IS NULL or LIKE operator.",
        ),
        (
            "select distinct n from t",
            "421 1: The ntext data type cannot be selected as DISTINCT because it is not comparable.",
        ),
        (
            "select x.a from (select a, d + 1 from u) x",
            "8155 1: No column name was specified for column 2 of 'x'.",
        ),
        (
            "select 1 from (select a, a from u) x",
            "8156 1: The column 'a' was specified multiple times for 'x'.",
        ),
        (
            "select 1 from (select a from u) x (p, q)",
            "8159 1: 'x' has fewer columns than were specified in the column list.",
        ),
        (
            "select 1 from (select a, d from u) x (p)",
            "8158 1: 'x' has more columns than were specified in the column list.",
        ),
        (
            "select top 1 with ties a from t",
            "1062 1: The TOP N WITH TIES clause is not allowed without a corresponding ORDER BY clause.",
        ),
        (
            "select top (a) a from t",
            "4115 1: The reference to column \"a\" is not allowed in an argument to a TOP, OFFSET, or FETCH clause. Only references to columns at an outer scope or standalone expressions and subqueries are allowed here.",
        ),
        (
            "select top ('x') a from t",
            "1060 1: The number of rows provided for a TOP or FETCH clauses row count parameter must be an integer.",
        ),
        ("select * from f", "216 1: Parameters were not supplied for the function 'f'."),
        (
            "select * from f(1, 2)",
            "8144 1: Procedure or function f has too many arguments specified.",
        ),
        (
            "select * from f()",
            "313 1: An insufficient number of arguments were supplied for the procedure or function f.",
        ),
        (
            "select dbo.nofn(1)",
            "4121 1: Cannot find either column \"dbo\" or the user-defined function or aggregate \"dbo.nofn\", or the name is ambiguous.",
        ),
        ("select nofn(1)", "195 1: 'nofn' is not a recognized built-in function name."),
        ("select len()", "174 1: The len function requires 1 argument(s)."),
        (
            "select dbo.sf()",
            "313 1: An insufficient number of arguments were supplied for the procedure or function dbo.sf.",
        ),
        (
            "select * from t (1)",
            "215 1: Parameters supplied for object 't' which is not a function. If the parameters are intended as a table hint, a WITH keyword is required.",
        ),
        (
            "select * from t (blah)",
            "321 1: \"blah\" is not a recognized table hints option. If it is intended as a parameter to a table-valued function or to the CHANGETABLE function, ensure that your database compatibility mode is set to 90.",
        ),
        (
            "select * from t with (nolock, serializable)",
            "1047 1: Conflicting locking hints specified.",
        ),
        (
            "select * from t with (index (nope))",
            "308 1: Index 'nope' on table 'dbo.t' (specified in the FROM clause) does not exist.",
        ),
        (
            "select * from t with (updlock)",
            "10794 1: The table hint 'UPDLOCK' is not supported with memory optimized tables.",
        ),
        (
            "select 1 where 1 = getdate() + cast('20240101' as date)",
            "402 1: The data types datetime and date are incompatible in the add operator.",
        ),
        (
            "select x + y from l",
            "451 1: Cannot resolve collation conflict between \"Latin1_General_CI_AS\" and \"Latin1_General_BIN\" in add operator occurring in SELECT statement column 1.",
        ),
        (
            "select 1 from l where x = y",
            "468 1: Cannot resolve the collation conflict between \"Latin1_General_CI_AS\" and \"Latin1_General_BIN\" in the equal to operation.",
        ),
        (
            "select 1 collate Latin1_General_BIN",
            "447 1: Expression type int is invalid for COLLATE clause.",
        ),
        ("select 'a' collate Nope", "448 1: Invalid collation 'Nope'."),
        ("select cast(1 as nope)", "243 1: Type nope is not a defined system type."),
        (
            "select cast(cast('20240101' as date) as int)",
            "529 1: Explicit conversion from data type date to int is not allowed.",
        ),
        (
            "select case when 1 = 1 then null end",
            "8133 1: At least one of the result expressions in a CASE specification must be an expression other than the NULL constant.",
        ),
        (
            "select coalesce(null, null)",
            "4127 1: At least one of the arguments to COALESCE must be an expression that is not the NULL constant.",
        ),
        (
            "select nullif(null, 1)",
            "4151 1: The type of the first argument to NULLIF cannot be the NULL constant because the type of the first argument has to be known.",
        ),
        (
            "select row_number() over () from t",
            "4112 1: The function 'row_number' must have an OVER clause with ORDER BY.",
        ),
        (
            "select row_number() from t",
            "10753 1: The function 'row_number' must have an OVER clause.",
        ),
        (
            "select a from t where row_number() over (order by a) = 1",
            "4108 1: Windowed functions can only appear in the SELECT or ORDER BY clauses.",
        ),
        (
            "select sum(a) over (order by 1) from t",
            "5308 1: Windowed functions, aggregates and NEXT VALUE FOR functions do not support integer indices as ORDER BY clause expressions.",
        ),
        (
            "select sum(a) over (order by a range 1 preceding) from t",
            "4194 1: RANGE is only supported with UNBOUNDED and CURRENT ROW window frame delimiters.",
        ),
        (
            "select grouping(a) from t",
            "8160 1: A GROUPING or GROUPING_ID function can only be specified when there is a GROUP BY clause.",
        ),
        (
            "with x as (select 1 as a), x as (select 2 as b) select * from x",
            "239 1: Duplicate common table expression name 'x' was specified.",
        ),
        (
            "with x as (select 1 as a union select a from x) select * from x",
            "252 1: Recursive common table expression 'x' does not contain a top-level UNION ALL operator.",
        ),
        (
            "with x as (select a from x union all select 1) select * from x",
            "246 1: No anchor member was specified for recursive query \"x\".",
        ),
        (
            "with x as (select 1 as a union all select a from x union all select 2) select * from x",
            "247 1: An anchor member was found in the recursive part of recursive query \"x\".",
        ),
        (
            "with x as (select 1 as a union all select a + 0.5 from x) select * from x",
            "240 1: Types don't match between the anchor and the recursive part in column \"a\" of recursive query \"x\".",
        ),
        (
            "with x as (select 1 as a union all select q.a from x q, x r) select * from x",
            "253 1: Recursive member of a common table expression 'x' has multiple recursive references.",
        ),
        (
            "with x as (select 1 as a union all select max(a) from x) select * from x",
            "467 1: GROUP BY, HAVING, or aggregate functions are not allowed in the recursive part of a recursive common table expression 'x'.",
        ),
        (
            "with x as (select 1 as a union all select distinct a from x) select * from x",
            "460 1: DISTINCT operator is not allowed in the recursive part of a recursive common table expression 'x'.",
        ),
        (
            "with x as (select 1 as a union all select top 1 a from x) select * from x",
            "461 1: The TOP or OFFSET operator is not allowed in the recursive part of a recursive common table expression 'x'.",
        ),
        (
            "with x as (select 1 as a union all select t.a from t left join x on t.a = x.a) select * from x",
            "462 1: Outer join is not allowed in the recursive part of a recursive common table expression 'x'.",
        ),
        (
            "with x as (select 1 as a union all select a from t where a = (select max(a) from x)) select * from x",
            "465 1: Recursive references are not allowed in subqueries.",
        ),
        (
            "select a from t for xml auto, xmldata",
            "401 1: Unimplemented statement or expression FOR XML XMLDATA.",
        ),
        (
            "select a from t where a = (select 1 for browse)",
            "156 1: Incorrect syntax near the keyword 'FOR'.",
        ),
        (
            "select a, a + 1 from t for json path",
            "13605 1: Column expressions and data sources without names or aliases cannot be formatted as JSON text using FOR JSON clause. Add alias to the unnamed column or table.",
        ),
        (
            "select a as [x.y], b as [z], c as [x.w] from t\nfor json path",
            "13601 2: Property 'x.w' cannot be generated in JSON output due to a conflict with another column name or alias. FOR JSON PATH requires that the column expressions are ordered based on the JSON document paths specified in the column aliases.",
        ),
        (
            "select a as [x.] from t for json path",
            "13603 1: Property 'x.' cannot be generated in JSON output due to invalid character in the column name or alias. Column name or alias that contains '..', starts or ends with '.' is not allowed in query that has FOR JSON clause.",
        ),
        (
            "select (select 1 as a for json auto)",
            "13600 1: FOR JSON AUTO requires at least one table for generating JSON objects. Use FOR JSON PATH or add a FROM clause with a table name.",
        ),
        (
            "insert t (a) select a from t for json path",
            "13602 1: The FOR JSON clause is not allowed in a INSERT statement.",
        ),
        (
            "select a from t for json path, root, without_array_wrapper",
            "13620 1: ROOT option and WITHOUT_ARRAY_WRAPPER option cannot be used together in FOR JSON. Remove one of these options.",
        ),
        (
            "select * from (select a from t for json path) d",
            "8155 1: No column name was specified for column 1 of 'd'.",
        ),
        ("select a from t option (use hint ('nope'))", "10715 1: 'nope' is not a valid hint."),
        (
            "select identity(int) from t",
            "177 1: The IDENTITY function can only be used when the SELECT statement has an INTO clause.",
        ),
        ("select datepart(nope, getdate())", "155 1: 'nope' is not a recognized datepart option."),
        (
            "select 1 + cast('a' as sql_variant)",
            "402 1: The data types int and sql_variant are incompatible in the add operator.",
        ),
        (
            "select * from (values (1, 2), (3)) x (a, b)",
            "10709 1: The number of columns for each row in a table value constructor must be the same.",
        ),
        ("select inserted.a from inserted", "208 1: Invalid object name 'inserted'."),
        ("select a from #none", "208 1: Invalid object name '#none'."),
    ];
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| db.error(text)))
            .unwrap_or_else(|_| "no error".to_owned());
        if found != *expected {
            wrong.push(format!("{text}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn missing_objects_are_marked_as_such() {
    let db = db();
    for text in ["select a from nosuch", "select dbo.nofn(1)", "select * from #gone"] {
        assert!(db.bind(text).unwrap_err().missing, "{text}");
    }
    for text in ["select x from t", "select @nope"] {
        assert!(!db.bind(text).unwrap_err().missing, "{text}");
    }
}

#[test]
fn statements_describe_their_results() {
    let db = db();
    let columns = |text: &str| {
        let batch = parse(text);
        describe(&db.context(), &batch.statements[0]).unwrap().map(|columns| {
            let shown = columns
                .iter()
                .map(|c| format!("{} {}{}", c.name, c.ty, if c.nullable { "?" } else { "" }));
            shown.collect::<Vec<_>>().join(", ")
        })
    };
    let found = columns("select a, b, a + 1, c * 2 as d, 'xy' s from t");
    assert_eq!(found.unwrap(), "a int, b varchar(20)?,  int?, d decimal(11,2)?, s varchar(2)");
    assert_eq!(columns("select @i = 5"), None);
}

#[test]
fn undeclared_parameters_get_the_types_of_what_they_meet() {
    let db = db();
    let batch = parse("select a from t where a = @p and b like @q and @p > 1 and c = @r + 1");
    let found =
        suggest_parameters(&db.context(), Fragment::Statement(&batch.statements[0])).unwrap();
    let found: Vec<String> = found.iter().map(|s| format!("{} {}", s.name, s.ty)).collect();
    assert_eq!(found.join(", "), "@p int, @q varchar(8000), @r int");
}

#[test]
fn dependencies_hold_until_something_changes() {
    let mut db = db();
    let bound = statement(&db.context(), &parse("select a from v").statements[0]).unwrap();
    assert!(bound.dependencies.still_hold(&db.names));
    assert_eq!(bound.dependencies.objects.len(), 2);
    // A table that the view does not use.
    db.create("create table w (a int)");
    let own = bound.facts.accesses.iter().filter(|access| access.through.is_none());
    assert_eq!(own.count(), 1, "what is behind a view is reached through it");
    db.names.schemas.clear();
    assert!(!bound.dependencies.still_hold(&db.names));
}
