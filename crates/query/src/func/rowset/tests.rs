use base::convert::convert;
use base::{Arena, ConvertOptions, SqlResult, ValueRef};

use super::RowsetColumn;
use crate::func::descriptor::{ArgType, Typing};
use crate::func::facts::FnContext;
use crate::func::lookup_rowset;
use crate::func::testing::{Argument, C, TestSession, shown};

/// The heading and the rows of a call.
fn rows(name: &str, args: &[&str]) -> SqlResult<(String, Vec<String>)> {
    let function = lookup_rowset(name).unwrap();
    let arguments: Vec<Argument> = args.iter().map(|a| Argument::parse(a)).collect();
    let known: Vec<ArgType<'_>> = arguments.iter().map(Argument::arg_type).collect();
    let types = function.bind(&known, Typing { collation: C })?;
    let columns: Vec<RowsetColumn> = (function.columns)(&types.args);
    let arena = Arena::new();
    let values: Vec<ValueRef<'_>> = (arguments.iter().zip(&types.args))
        .map(|(a, to)| convert(a.value.as_ref(), &a.ty, to, &ConvertOptions::default(), &arena))
        .collect::<SqlResult<_>>()?;
    let session = TestSession::default();
    let mut context = FnContext { arena: &arena, facts: &session, task: None };
    let mut found = Vec::new();
    (function.fill)(&mut context, &values, &types.args, &mut |row| {
        assert_eq!(row.len(), columns.len());
        let texts: Vec<String> =
            row.iter().zip(&columns).take(types.visible).map(|(v, c)| shown(*v, &c.ty)).collect();
        found.push(texts.join("|"));
        Ok(())
    })?;
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
fn series_are_generated() {
    check("GENERATE_SERIES", &["1", "4"], "value int", &["1", "2", "3", "4"]);
    check("GENERATE_SERIES", &["4", "1"], "value int", &["4", "3", "2", "1"]);
    check("GENERATE_SERIES", &["1", "10", "4"], "value int", &["1", "5", "9"]);
    check("GENERATE_SERIES", &["1", "5", "-1"], "value int", &[]);
    check("GENERATE_SERIES", &["int:NULL", "5"], "value int", &[]);
    check("GENERATE_SERIES", &["0.0", "0.5", "0.2"], "value numeric(1,1)", &["0.0", "0.2", "0.4"]);
    check("GENERATE_SERIES", &["tinyint:254", "tinyint:255"], "value tinyint", &["254", "255"]);
    check(
        "GENERATE_SERIES",
        &["bigint:9223372036854775806", "bigint:9223372036854775807"],
        "value bigint",
        &["9223372036854775806", "9223372036854775807"],
    );
    assert_eq!(rows("GENERATE_SERIES", &["1", "5", "0"]).unwrap_err().number(), 9830);
    assert_eq!(rows("GENERATE_SERIES", &["'a'", "5"]).unwrap_err().number(), 8116);
}

#[test]
fn collations_are_listed() {
    let (heading, found) = rows("fn_helpcollations", &[]).unwrap();
    assert_eq!(heading, "name nvarchar(128), description nvarchar(1000)");
    assert!(found.iter().any(|row| row.starts_with("SQL_Latin1_General_CP1_CI_AS|Latin1-General")));
}
