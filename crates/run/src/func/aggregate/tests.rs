use base::{Arena, SqlResult};
use ir::function::Functions;
use ir::function::descriptor::{ArgType, CallTypes, Typing};
use ir::function::json::{Frame, names};

use super::{AggregateFunction, AggregateState};
use crate::func::Library;
use crate::func::testing::{Argument, C, parse_type, shown};

/// An aggregate over rows of one argument, and what it needs.
struct Run {
    function: &'static AggregateFunction,
    types: CallTypes,
    arena: Arena,
}

impl Run {
    fn new(name: &str, args: &[&str]) -> SqlResult<Run> {
        let function = Library.aggregate(name).unwrap();
        let args: Vec<ArgType<'_>> = args.iter().map(|t| ArgType::of(parse_type(t))).collect();
        let inferred = function.bind(&args, Typing { collation: C })?;
        Ok(Run { function, types: CallTypes::from(&inferred), arena: Arena::new() })
    }

    fn step(&self, step: super::Step, state: &mut AggregateState, row: &[&str]) -> SqlResult<()> {
        let values: Vec<Argument> = (row.iter().zip(&self.types.args))
            .map(|(text, ty)| Argument::parse(&format!("{ty}:{text}")))
            .collect();
        let values: Vec<_> = values.iter().map(|v| v.value.as_ref()).collect();
        step(state, &values, &self.types)
    }

    fn over(&self, rows: &[&[&str]]) -> SqlResult<AggregateState> {
        let mut state = (self.function.init)(&self.types);
        for row in rows {
            self.step(self.function.add, &mut state, row)?;
        }
        Ok(state)
    }

    fn finish(&self, state: &AggregateState) -> SqlResult<String> {
        let value = (self.function.finish)(state, &self.types, &self.arena)?;
        Ok(shown(value, &self.types.result))
    }
}

/// The result over a column, and its type.
fn over(name: &str, ty: &str, column: &[&str]) -> String {
    let run = Run::new(name, &[ty]).unwrap();
    let rows: Vec<&[&str]> = column.iter().map(std::slice::from_ref).collect();
    let result = run.over(&rows).and_then(|state| run.finish(&state));
    format!("{} {}", run.types.result, result.unwrap_or_else(|e| e.text().to_owned()))
}

#[test]
fn columns_are_aggregated_as_sql_server_does() {
    let overflow = "Arithmetic overflow error converting expression to data type";
    for (name, ty, column, expected) in [
        ("SUM", "int", &["1", "2", "NULL", "4"][..], "int 7"),
        ("SUM", "tinyint", &["200", "200"], "int 400"),
        ("SUM", "int", &["2147483647", "1"], &format!("int {overflow} int.")),
        ("SUM", "int", &["2147483647", "1", "-1"], "int 2147483647"),
        ("SUM", "bigint", &["9223372036854775807", "1"], &format!("bigint {overflow} bigint.")),
        ("SUM", "decimal(5,2)", &["999.99", "999.99"], "decimal(38,2) 1999.98"),
        ("SUM", "smallmoney", &["1.5", "2"], "money 3.5000"),
        ("SUM", "real", &["1.5", "2"], "float 3.5"),
        ("SUM", "int", &["NULL"], "int NULL"),
        ("SUM", "int", &[], "int NULL"),
        ("AVG", "int", &["1", "2"], "int 1"),
        ("AVG", "int", &["-1", "-2"], "int -1"),
        ("AVG", "int", &["1", "NULL", "5"], "int 3"),
        ("AVG", "decimal(5,2)", &["1", "2"], "decimal(38,6) 1.500000"),
        ("AVG", "decimal(10,0)", &["1", "1", "0"], "decimal(38,6) 0.666666"),
        ("AVG", "money", &["1", "2"], "money 1.5000"),
        ("AVG", "float", &["1", "2"], "float 1.5"),
        // The sum must fit, too.
        ("AVG", "int", &["2147483647", "2147483647"], &format!("int {overflow} int.")),
        ("AVG", "bigint", &["9223372036854775807", "1"], &format!("bigint {overflow} bigint.")),
        ("COUNT", "int", &["1", "NULL", "1"], "int 2"),
        ("COUNT", "int", &[], "int 0"),
        ("COUNT_BIG", "varchar(5)", &["a", "NULL"], "bigint 1"),
        ("MIN", "varchar(5)", &["b", "A", "NULL", "c"], "varchar(5) A"),
        ("MAX", "nvarchar(5)", &["b", "é", "z", "a"], "nvarchar(5) z"),
        ("MIN", "int", &["3", "-2"], "int -2"),
        ("MAX", "decimal(5,2)", &["-1", "-2"], "decimal(5,2) -1.00"),
        (
            "MAX",
            "datetime",
            &["2020-01-01", "2020-01-01 10:00"],
            "datetime 2020-01-01 10:00:00.000",
        ),
        ("MIN", "date", &["2020-01-02", "1999-12-31"], "date 1999-12-31"),
        (
            "MIN",
            "datetimeoffset(0)",
            &["2020-01-01 10:00 +02:00", "2020-01-01 09:00 +00:00"],
            "datetimeoffset(0) 2020-01-01 10:00:00 +02:00",
        ),
        (
            "MAX",
            "uniqueidentifier",
            &["00000000-0000-0000-0000-000000000002", "FFFFFFFF-0000-0000-0000-000000000001"],
            "uniqueidentifier 00000000-0000-0000-0000-000000000002",
        ),
        ("MAX", "varbinary(3)", &["0x01", "0x0102"], "varbinary(3) 0x0102"),
        (
            "MAX",
            "smalldatetime",
            &["2020-01-01", "2021-01-01"],
            "smalldatetime 2021-01-01 00:00:00.000",
        ),
        ("MIN", "float", &["1.5", "-0.5"], "float -0.5"),
        ("MIN", "time(0)", &["10:00", "09:00"], "time(0) 09:00:00"),
        ("MAX", "money", &["1", "NULL"], "money 1.0000"),
        ("MAX", "int", &[], "int NULL"),
        ("STDEV", "int", &["1", "2", "3", "4"], "float 1.2909944487358056"),
        ("STDEVP", "int", &["1", "2", "3", "4"], "float 1.118033988749895"),
        ("VAR", "int", &["1", "2", "3", "4"], "float 1.6666666666666667"),
        ("VARP", "decimal(5,2)", &["1", "2", "3", "4"], "float 1.25"),
        ("STDEV", "int", &["1"], "float NULL"),
        ("STDEVP", "int", &["1"], "float 0"),
        ("VARP", "int", &[], "float NULL"),
        ("CHECKSUM_AGG", "int", &["1", "2", "NULL", "4"], "int 7"),
        ("CHECKSUM_AGG", "int", &["-1", "1"], "int -2"),
        ("CHECKSUM_AGG", "int", &[], "int NULL"),
        ("APPROX_COUNT_DISTINCT", "varchar(5)", &["a", "A", "b", "NULL"], "bigint 2"),
    ] {
        assert_eq!(over(name, ty, column), expected, "{name} of {ty} {column:?}");
    }
}

/// The parts come with commas from the functions that make them.
#[test]
fn parts_of_json_are_joined() {
    let text = "nvarchar(max)";
    for (name, parts, expected) in [
        ("JSON_ARRAYAGG", &["1,", "NULL", "\"a\","][..], "[1,\"a\"]"),
        ("JSON_ARRAYAGG", &["NULL"], "[]"),
        ("JSON_ARRAYAGG", &[], "NULL"),
        ("JSON_OBJECTAGG", &["\"a\":1,", "\"a\":2,"], "{\"a\":1,\"a\":2}"),
        ("JSON_OBJECTAGG", &["NULL", "NULL"], "{}"),
        ("JSON_OBJECTAGG", &[], "NULL"),
    ] {
        assert_eq!(over(name, text, parts), format!("{text} {expected}"), "{name} {parts:?}");
    }
}

/// A document of rows; each has a text for every level.
fn document(opening: &str, frame: Frame, rows: &[&[&str]]) -> String {
    let levels = rows.first().map_or(1, |row| row.len());
    let mut types = vec!["nvarchar(max)", "varbinary(max)"];
    types.resize(2 + levels, "nvarchar(max)");
    let run = Run::new(names::DOCUMENT, &types).unwrap();
    let frame: String = frame.encode(levels).iter().map(|byte| format!("{byte:02x}")).collect();
    let frame = format!("0x{frame}");
    let mut state = (run.function.init)(&run.types);
    for row in rows {
        let row: Vec<&str> = [opening, &frame].into_iter().chain(row.iter().copied()).collect();
        run.step(run.function.add, &mut state, &row).unwrap();
        // What is in the state can be asked for after any row.
        run.finish(&state).unwrap();
    }
    run.finish(&state).unwrap()
}

#[test]
fn documents_share_what_consecutive_rows_have_in_common() {
    let array = Frame { array: true, root: false };
    assert_eq!(document("[", array, &[]), "NULL");
    assert_eq!(document("[", array, &[&["{},"], &["{},"]]), "[{},{}]");
    assert_eq!(document("", Frame { array: false, root: false }, &[&["{},"], &["{},"]]), "{},{}");
    let root = Frame { array: true, root: true };
    assert_eq!(document("{\"r\":[", root, &[&["{},"]]), "{\"r\":[{}]}");
    let (a, b, c, d) = ("{a:[", "{b:[", "{c:[", "{d:[");
    let rows: &[&[&str]] = &[&[a, "{1},"], &[a, "{1},"], &[b, "{1},"], &[a, "{2},"]];
    assert_eq!(document("[", array, rows), "[{a:[{1},{1}]},{b:[{1}]},{a:[{2}]}]");
    let rows: &[&[&str]] = &[&[a, c, "{1},"], &[a, c, "{2},"], &[a, d, "{3},"], &[b, d, "{4},"]];
    let expected = "{r:[{a:[{c:[{1},{2}]},{d:[{3}]}]},{b:[{d:[{4}]}]}]}";
    assert_eq!(document("{r:[", root, rows), expected);
}

#[test]
fn rows_without_argument_are_counted() {
    let run = Run::new("COUNT", &[]).unwrap();
    let state = run.over(&[&[], &[], &[]]).unwrap();
    assert_eq!(run.finish(&state).unwrap(), "3");
}

#[test]
fn strings_are_joined() {
    let join = |types: &[&str], rows: &[&[&str]]| {
        let run = Run::new("STRING_AGG", types).unwrap();
        let result = run.over(rows).and_then(|state| run.finish(&state));
        format!("{} {}", run.types.result, result.unwrap_or_else(|e| e.text().to_owned()))
    };
    let rows: &[&[&str]] = &[&["a", ", "], &["NULL", ", "], &["b", ", "]];
    assert_eq!(join(&["varchar(10)", "varchar(2)"], rows), "varchar(8000) a, b");
    assert_eq!(join(&["nvarchar(10)", "varchar(2)"], rows), "nvarchar(4000) a, b");
    assert_eq!(join(&["varchar(max)", "nvarchar(2)"], rows), "varchar(max) a, b");
    assert_eq!(join(&["int", "varchar(1)"], &[&["1", ","], &["2", ","]]), "nvarchar(4000) 1,2");
    assert_eq!(join(&["varchar(10)", "varchar(2)"], &[&["NULL", ","]]), "varchar(8000) NULL");
    assert_eq!(join(&["varchar(10)", "varchar(2)"], &[&["", ","], &["", ","]]), "varchar(8000) ,");
    let long = "x".repeat(5000);
    let rows: &[&[&str]] = &[&[&long, ","], &[&long, ","]];
    assert_eq!(
        join(&["varchar(8000)", "varchar(1)"], rows),
        "varchar(8000) STRING_AGG aggregation result exceeded the limit of 8000 bytes. Use LOB types to avoid result truncation."
    );
}

#[test]
fn rows_can_be_taken_out_again() {
    for (name, ty) in [
        ("SUM", "int"),
        ("AVG", "decimal(5,2)"),
        ("COUNT", "int"),
        ("CHECKSUM_AGG", "int"),
        ("SUM", "money"),
    ] {
        let run = Run::new(name, &[ty]).unwrap();
        assert!(run.function.can_remove(&run.types));
        let mut state = run.over(&[&["5"], &["NULL"], &["7"], &["1"]]).unwrap();
        let remove = run.function.remove.unwrap();
        for row in ["NULL", "5"] {
            run.step(remove, &mut state, &[row]).unwrap();
        }
        let expected = run.over(&[&["7"], &["1"]]).unwrap();
        assert_eq!(run.finish(&state), run.finish(&expected), "{name}");
        for row in ["7", "1"] {
            run.step(remove, &mut state, &[row]).unwrap();
        }
        assert_eq!(run.finish(&state), run.finish(&AggregateState::default()), "{name}");
    }
    let run = Run::new("SUM", &["float"]).unwrap();
    assert!(!run.function.can_remove(&run.types), "floats do not come back exactly");
}

#[test]
fn parts_are_merged_into_the_whole() {
    for function in super::FUNCTIONS {
        let Some(merge) = function.merge.filter(|_| function.arguments.0 == 1) else { continue };
        let ty = if function.name == "CHECKSUM_AGG" { "int" } else { "bigint" };
        let run = Run::new(function.name, &[ty]).unwrap();
        let rows: Vec<String> = (0..50).map(|i| (i * i % 37).to_string()).collect();
        let rows: Vec<[&str; 1]> = rows.iter().map(|r| [r.as_str()]).collect();
        let rows: Vec<&[&str]> = rows.iter().map(|r| &r[..]).collect();
        let mut merged = run.over(&[]).unwrap();
        for part in rows.chunks(20) {
            merge(&mut merged, &run.over(part).unwrap(), &run.types).unwrap();
        }
        let whole = run.finish(&run.over(&rows).unwrap()).unwrap();
        let merged = run.finish(&merged).unwrap();
        match (whole.parse::<f64>(), merged.parse::<f64>()) {
            (Ok(a), Ok(b)) => assert!((a - b).abs() <= 1e-9 * a.abs(), "{}", function.name),
            _ => assert_eq!(whole, merged, "{}", function.name),
        }
    }
}

#[test]
fn many_distinct_values_are_counted_within_two_per_cent() {
    let run = Run::new("APPROX_COUNT_DISTINCT", &["int"]).unwrap();
    let mut state = (run.function.init)(&run.types);
    for (upto, exact) in [(1000, true), (20_000, false), (200_000, false)] {
        for i in 0..upto {
            let value = [base::ValueRef::Int(i64::from(i))];
            (run.function.add)(&mut state, &value, &run.types).unwrap();
        }
        let count: f64 = run.finish(&state).unwrap().parse().unwrap();
        let error = (count / f64::from(upto) - 1.0).abs();
        assert!(if exact { error == 0.0 } else { error < 0.02 }, "{count} for {upto}");
    }
}

#[test]
fn types_that_cannot_be_aggregated_are_refused() {
    for (name, ty, text) in [
        ("SUM", "varchar(5)", "Operand data type varchar is invalid for sum operator."),
        ("AVG", "bit", "Operand data type bit is invalid for avg operator."),
        ("MAX", "bit", "Operand data type bit is invalid for max operator."),
        ("MIN", "text", "Operand data type text is invalid for min operator."),
        ("COUNT", "ntext", "Operand data type ntext is invalid for count operator."),
        ("STDEV", "date", "Operand data type date is invalid for stdev operator."),
        (
            "CHECKSUM_AGG",
            "bigint",
            "Operand data type bigint is invalid for checksum_agg operator.",
        ),
    ] {
        let error = Run::new(name, &[ty]).err().unwrap();
        assert_eq!((error.number(), error.text()), (8117, text));
    }
    let bare =
        Library.aggregate("SUM").unwrap().bind(&[ArgType::BARE_NULL], Typing { collation: C });
    assert_eq!(bare.unwrap_err().text(), "Operand data type NULL is invalid for sum operator.");
    let none = Run::new("SUM", &[]).err().unwrap();
    assert_eq!((none.number(), none.text()), (174, "The sum function requires 1 argument(s)."));
}

#[test]
fn states_are_small() {
    assert!(size_of::<AggregateState>() <= 40, "{}", size_of::<AggregateState>());
}
