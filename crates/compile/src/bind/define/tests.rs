//! Definitions: texts, types, what they mention, errors.

use base::{SqlType, Value};

use super::*;
use crate::bind::testing::Db;

fn db() -> Db {
    Db::with(&[
        "create table t (a int not null, b varchar(10), c as a + 1, d datetime2)",
        "create function dbo.f (@x int) returns int as begin return 1 end",
    ])
}

fn options() -> tsql::ParseOptions {
    definition_options()
}

fn shown(found: BindResult<Definition>) -> String {
    match found {
        Ok(d) => {
            let columns: Vec<i32> = d.columns.iter().map(|c| c.0).collect();
            let mut facts = String::new();
            for (fact, name) in [
                (d.nullable, " null"),
                (!d.deterministic, " nondeterministic"),
                (d.reads_data, " reads"),
                (d.uses_database_collation, " collated"),
            ] {
                facts += if fact { name } else { "" };
            }
            let names: Vec<&str> = d.references.iter().map(|r| &*r.name).collect();
            format!("{} {:?} {columns:?} {names:?}{facts}", d.text, d.ty.kind)
        }
        Err(BindError { error, .. }) => {
            format!("{} {}: {}", error.number(), error.line(), error.text())
        }
    }
}

#[test]
fn checks() {
    let db = db();
    let table = db.table("t");
    for (text, expected) in [
        (
            "a > 0 and b in ('x', 'y')",
            "([a]>(0) AND ([b]='y' OR [b]='x')) Bit [1, 2] [] null collated",
        ),
        ("c > 1", "([c]>(1)) Bit [1, 3] [] null"),
        ("d < getdate()", "([d]<getdate()) Bit [4] [] null nondeterministic"),
        ("dbo.f(a) = 1", "([dbo].[f]([a])=(1)) Bit [1] [\"f\"] null nondeterministic reads"),
        ("zz = 1", "207 1: Invalid column name 'zz'."),
        ("@v = 1", "137 1: Must declare the scalar variable \"@v\"."),
        (
            "a = (select 1)",
            "1046 1: Subqueries are not allowed in this context. Only scalar expressions are allowed.",
        ),
    ] {
        let condition = tsql::parse_condition(text, options()).unwrap();
        assert_eq!(shown(check(&db.context(), &table, &condition)), expected, "{text}");
    }
}

#[test]
fn computed_columns() {
    let db = db();
    let table = db.table("t");
    for (text, expected) in [
        ("a * 2", "([a]*(2)) Int [1] [] null"),
        ("isnull(b, '') + 'x'", "(isnull([b],'')+'x') VarChar [2] [] collated"),
        (
            "datediff(day, d, getdate())",
            "(datediff(day,[d],getdate())) Int [4] [] null nondeterministic",
        ),
        (
            "c + 1",
            "1759 0: Computed column 'c' in table 't' is not allowed to be used in another computed-column definition.",
        ),
    ] {
        let expr = tsql::parse_expression(text, options()).unwrap();
        assert_eq!(shown(computed(&db.context(), &table, &expr)), expected, "{text}");
    }
}

#[test]
fn defaults() {
    let db = db();
    let table = db.table("t");
    let of = |at: usize, text: &str| {
        let expr = tsql::parse_expression(text, options()).unwrap();
        default(&db.context(), &table.columns[at], &expr)
    };
    for (column, text, expected) in [
        (0, "-1", "((-1)) Int [] []"),
        (1, "'x'", "('x') VarChar [] []"),
        (3, "sysdatetime()", "(sysdatetime()) DateTime2 [] [] nondeterministic"),
        (
            0,
            "a",
            "128 1: The name \"a\" is not permitted in this context. Valid expressions are constants, \
                  constant expressions, and (in some contexts) variables. Column names are not permitted.",
        ),
        (
            0,
            "getdate()",
            "257 1: Implicit conversion from data type datetime to int is not allowed. Use the \
                          CONVERT function to run this query.",
        ),
        (
            0,
            "(select 1)",
            "1046 1: Subqueries are not allowed in this context. Only scalar expressions are allowed.",
        ),
    ] {
        assert_eq!(shown(of(column, text)), expected, "{text}");
    }
    assert_eq!(of(0, "'12'").unwrap().constant, Some(Value::Int(12)));
    assert_eq!(of(3, "sysdatetime()").unwrap().constant, None);
    assert_eq!(of(0, "null").unwrap().ty, SqlType::int());
}

#[test]
fn filters() {
    let db = db();
    let table = db.table("t");
    let of = |text: &str| {
        let condition = tsql::parse_condition(text, options()).unwrap();
        filter(&db.context(), &table, "index", "ix", &condition)
    };
    let found = of("a >= 5 and b is not null and '1' <> a and b in ('x', 'y')").unwrap();
    assert_eq!(
        &*found.definition,
        "([a]>=(5) AND [b] IS NOT NULL AND '1'<>[a] AND [b] IN ('x', 'y'))"
    );
    let column = |n| ColumnId(n);
    assert_eq!(
        found.terms[0],
        FilterTerm {
            column: column(1),
            test: FilterTest::Compare(Comparison::GreaterOrEqual, Value::Int(5)),
        }
    );
    assert_eq!(found.terms[1], FilterTerm { column: column(2), test: FilterTest::IsNotNull });
    assert_eq!(found.terms[2].test, FilterTest::Compare(Comparison::NotEqual, Value::Int(1)));
    assert!(matches!(&found.terms[3].test, FilterTest::In(values) if values.len() == 2));
    for (text, expected) in [
        ("a = 1 or a = 2", "10735 1: Incorrect WHERE clause for filtered index 'ix' on table 't'."),
        ("a = b", "10735 1: Incorrect WHERE clause for filtered index 'ix' on table 't'."),
        ("d > getdate()", "10735 1: Incorrect WHERE clause for filtered index 'ix' on table 't'."),
        (
            "c = 1",
            "10609 1: Filtered index 'ix' cannot be created on table 't' because the column 'c' in the \
                   filter expression is a computed column. Rewrite the filter expression so that it does \
                   not include this column.",
        ),
        ("zz = 1", "207 1: Invalid column name 'zz'."),
    ] {
        let BindError { error, .. } = of(text).unwrap_err();
        assert_eq!(
            format!("{} {}: {}", error.number(), error.line(), error.text()),
            expected,
            "{text}"
        );
    }
}
