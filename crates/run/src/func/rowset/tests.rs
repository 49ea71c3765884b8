use base::convert::convert;
use base::{Arena, ConvertOptions, SqlResult, ValueRef};
use ir::function::Functions;
use ir::function::descriptor::{ArgType, Typing};
use ir::function::facts::FnContext;
use ir::function::rowset::{RowsetColumn, RowsetRows};

use crate::func::Library;
use crate::func::testing::{Argument, C, TestSession, shown};

/// The heading of a call, and the rows of one that is filled.
fn rows(name: &str, args: &[&str]) -> SqlResult<(String, Vec<String>)> {
    let function = Library.rowset(name).unwrap();
    let arguments: Vec<Argument> = args.iter().map(|a| Argument::parse(a)).collect();
    let known: Vec<ArgType<'_>> = arguments.iter().map(Argument::arg_type).collect();
    let types = function.bind(&known, Typing { collation: C })?;
    let columns: Vec<RowsetColumn> = (function.columns)(&types.args);
    let arena = Arena::new();
    let values: Vec<ValueRef<'_>> = (arguments.iter().zip(&types.args))
        .map(|(a, to)| convert(a.value.as_ref(), &a.ty, to, &ConvertOptions::default(), &arena))
        .collect::<SqlResult<_>>()?;
    let session = TestSession::default();
    let mut context = FnContext { arena: &arena, facts: &session, task: None, memo: None };
    let mut found = Vec::new();
    let mut collect = |row: &[ValueRef<'_>]| {
        assert_eq!(row.len(), columns.len());
        let texts: Vec<String> =
            row.iter().zip(&columns).take(types.visible).map(|(v, c)| shown(*v, &c.ty)).collect();
        found.push(texts.join("|"));
        Ok(())
    };
    if let RowsetRows::Filled(fill) = function.rows {
        fill(&mut context, &values, &types.args, &mut collect)?;
    }
    let heading: Vec<String> =
        columns[..types.visible].iter().map(|c| format!("{} {}", c.name, c.ty)).collect();
    Ok((heading.join(", "), found))
}

#[track_caller]
fn check(name: &str, args: &[&str], heading: &str, expected: &[&str]) {
    let (own, found) = rows(name, args).unwrap();
    assert_eq!((own.as_str(), found), (heading, expected.iter().map(|s| (*s).into()).collect()));
}

#[test]
fn strings_are_split() {
    check("STRING_SPLIT", &["'a,b,,c'", "','"], "value varchar(6)", &["a", "b", "", "c"]);
    check("STRING_SPLIT", &["''", "','"], "value varchar(1)", &[""]);
    check("STRING_SPLIT", &["varchar(10):NULL", "','"], "value varchar(10)", &[]);
    check("STRING_SPLIT", &["'axbXc'", "N'x'"], "value nvarchar(5)", &["a", "b", "c"]);
    check(
        "STRING_SPLIT",
        &["'a b'", "' '", "1"],
        "value varchar(3), ordinal bigint",
        &["a|1", "b|2"],
    );
    check("STRING_SPLIT", &["'a b'", "' '", "0"], "value varchar(3)", &["a", "b"]);
    let error = rows("STRING_SPLIT", &["'a'", "',,'"]).unwrap_err();
    assert_eq!(
        (error.number(), error.text()),
        (214, "Procedure expects parameter 'separator' of type 'nchar(1)/nvarchar(1)'.")
    );
    assert_eq!(rows("STRING_SPLIT", &["5", "','"]).unwrap_err().number(), 8116);
    assert_eq!(rows("STRING_SPLIT", &["'a'", "','", "int:1"]).unwrap_err().number(), 8116);
    assert_eq!(rows("STRING_SPLIT", &["'a'"]).unwrap_err().number(), 189);
}

#[test]
fn a_series_is_of_the_type_that_unites_its_arguments() {
    let check = |args: &[&str], heading| check("GENERATE_SERIES", args, heading, &[]);
    check(&["1", "4"], "value int");
    check(&["int:NULL", "5"], "value int");
    check(&["NULL", "NULL"], "value int");
    check(&["tinyint:1", "bigint:4", "1"], "value bigint");
    check(&["tinyint:254", "tinyint:255"], "value tinyint");
    check(&["0.0", "0.5", "0.2"], "value numeric(1,1)");
    assert_eq!(rows("GENERATE_SERIES", &["'a'", "5"]).unwrap_err().number(), 8116);
    assert_eq!(rows("GENERATE_SERIES", &["bit:1", "5"]).unwrap_err().number(), 8116);
    assert_eq!(rows("GENERATE_SERIES", &["1"]).unwrap_err().number(), 189);
}

#[test]
fn collations_are_listed() {
    let (heading, found) = rows("fn_helpcollations", &[]).unwrap();
    assert_eq!(heading, "name nvarchar(128), description nvarchar(1000)");
    assert!(found.iter().any(|row| row.starts_with("SQL_Latin1_General_CP1_CI_AS|Latin1-General")));
}
