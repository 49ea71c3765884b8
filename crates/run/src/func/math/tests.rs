use ir::function::facts::RandomState;

use crate::func::testing::{TestSession, check, check_errors, check_in, check_types, run, run_in};

#[test]
fn numbers_keep_their_type() {
    check(&[
        ("ABS", &["-5"], "5"),
        ("ABS", &["-1.50"], "1.50"),
        ("ABS", &["-$1.5"], "1.5000"),
        ("ABS", &["-1e0"], "1"),
        ("ABS", &["'-3'"], "3"),
        ("ABS", &["NULL"], "NULL"),
        ("SIGN", &["-5"], "-1"),
        ("SIGN", &["0"], "0"),
        ("SIGN", &["2.50"], "1.00"),
        ("SIGN", &["-1e5"], "-1"),
        ("SIGN", &["$3"], "1.0000"),
        ("CEILING", &["123.45"], "124"),
        ("CEILING", &["-123.45"], "-123"),
        ("CEILING", &["0.0"], "0"),
        ("CEILING", &["$1.01"], "2.0000"),
        ("CEILING", &["-$1.01"], "-1.0000"),
        ("CEILING", &["1.5e0"], "2"),
        ("FLOOR", &["123.45"], "123"),
        ("FLOOR", &["-123.45"], "-124"),
        ("FLOOR", &["-$1.01"], "-2.0000"),
        ("FLOOR", &["7"], "7"),
        ("ROUND", &["123.4545", "2"], "123.4500"),
        ("ROUND", &["123.9994", "3"], "123.9990"),
        ("ROUND", &["123.9995", "3"], "124.0000"),
        ("ROUND", &["123.45", "-2"], "100.00"),
        ("ROUND", &["150.75", "0"], "151.00"),
        ("ROUND", &["150.75", "0", "1"], "150.00"),
        ("ROUND", &["748", "-2"], "700"),
        ("ROUND", &["750", "-2"], "800"),
        ("ROUND", &["750", "-4"], "0"),
        ("ROUND", &["$1.2345", "2"], "1.2300"),
        ("ROUND", &["1.2345e0", "2"], "1.23"),
        ("ROUND", &["1.5", "NULL"], "NULL"),
        ("POWER", &["2", "10"], "1024"),
        ("POWER", &["2", "-1"], "0"),
        ("POWER", &["2", "0.5"], "1"),
        ("POWER", &["2.0", "0.5"], "1.4"),
        ("POWER", &["2e0", "0.5"], "1.4142135623730951"),
        ("POWER", &["bigint:3", "39"], "4052555153018976267"),
        ("POWER", &["0", "0"], "1"),
        ("POWER", &["-2", "3"], "-8"),
        ("DEGREES", &["3.141592653589793e0"], "180"),
        ("RADIANS", &["180e0"], "3.141592653589793"),
        ("RADIANS", &["180"], "3"),
        ("RADIANS", &["45.0"], "0.785398163397448279"),
    ]);
    check_types(&[
        ("ABS", &["tinyint:5"], "int"),
        ("ABS", &["bigint:5"], "bigint"),
        ("ABS", &["decimal(5,2):1"], "decimal(5,2)"),
        ("ABS", &["smallmoney:1"], "money"),
        ("ABS", &["real:1"], "float"),
        ("ABS", &["bit:1"], "float"),
        ("CEILING", &["decimal(5,2):1"], "decimal(5,0)"),
        ("ROUND", &["numeric(5,2):1", "1"], "numeric(5,2)"),
        ("POWER", &["decimal(5,2):1", "2"], "decimal(38,2)"),
        ("RADIANS", &["45.0"], "numeric(38,18)"),
    ]);
    check_errors(&[
        (
            "ABS",
            &["int:-2147483648"],
            8115,
            "Arithmetic overflow error converting expression to data type int.",
        ),
        (
            "ROUND",
            &["748.58", "-3"],
            8115,
            "Arithmetic overflow error converting expression to data type numeric.",
        ),
        (
            "ROUND",
            &["2147483647", "-1"],
            8115,
            "Arithmetic overflow error converting expression to data type int.",
        ),
        (
            "POWER",
            &["2", "31"],
            8115,
            "Arithmetic overflow error converting expression to data type int.",
        ),
        ("POWER", &["-8e0", "0.5"], 3623, "An invalid floating point operation occurred."),
        (
            "ABS",
            &["date:2020-01-01"],
            8116,
            "Argument data type date is invalid for argument 1 of abs function.",
        ),
        ("ROUND", &["1"], 189, "The round function requires 2 to 3 arguments."),
    ]);
}

#[test]
fn floats_are_computed() {
    check(&[
        ("SQRT", &["2"], "1.4142135623730951"),
        ("SQUARE", &["3"], "9"),
        ("EXP", &["1"], "2.718281828459045"),
        ("LOG", &["10"], "2.302585092994046"),
        ("LOG", &["8", "2"], "3"),
        ("LOG10", &["1000"], "3"),
        ("SIN", &["0"], "0"),
        ("COS", &["0"], "1"),
        ("TAN", &["0"], "0"),
        ("COT", &["1"], "0.6420926159343306"),
        ("ASIN", &["1"], "1.5707963267948966"),
        ("ACOS", &["1"], "0"),
        ("ATAN", &["1"], "0.7853981633974483"),
        ("ATN2", &["1", "1"], "0.7853981633974483"),
        ("PI", &[], "3.141592653589793"),
        ("SQRT", &["NULL"], "NULL"),
    ]);
    let invalid = "An invalid floating point operation occurred.";
    check_errors(&[
        ("SQRT", &["-1"], 3623, invalid),
        ("LOG", &["0"], 3623, invalid),
        ("LOG", &["-1"], 3623, invalid),
        ("LOG", &["5", "1"], 3623, invalid),
        ("LOG10", &["0"], 3623, invalid),
        ("ACOS", &["2"], 3623, invalid),
        (
            "EXP",
            &["1000"],
            8115,
            "Arithmetic overflow error converting expression to data type float.",
        ),
    ]);
}

#[test]
fn seeded_random_numbers_are_sql_servers() {
    for (seed, expected) in [
        ("1", 0.713591993212924),
        ("2", 0.713610626184182),
        ("0", 0.943597390424144),
        ("100", 0.715436657367485),
    ] {
        let got: f64 = run("RAND", &[seed]).unwrap().parse().unwrap();
        assert!((got - expected).abs() < 1e-14, "RAND({seed}) gave {got}");
    }
    assert_eq!(run("RAND", &["-1"]), run("RAND", &["1"]));
    assert_eq!(run("RAND", &["NULL"]), run("RAND", &["0"]));
    let session = TestSession::default();
    let first = run_in(&session, "RAND", &["5"]).unwrap();
    let second = run_in(&session, "RAND", &[]).unwrap();
    assert_ne!(first, second);
    run_in(&session, "RAND", &["5"]).unwrap();
    assert_eq!(run_in(&session, "RAND", &[]).unwrap(), second, "the sequence follows the seed");
}

#[test]
fn random_numbers_lie_between_0_and_1() {
    let mut state = RandomState::from_bits(u64::MAX);
    for _ in 0..10_000 {
        let number = state.draw();
        assert!(number > 0.0 && number < 1.0, "{number}");
    }
    check_in(&TestSession::default(), &[("SIGN", &["1"], "1")]);
}

#[test]
fn bits_are_moved_and_counted() {
    check(&[
        ("LEFT_SHIFT", &["12345", "5"], "395040"),
        ("LEFT_SHIFT", &["1", "31"], "-2147483648"),
        ("LEFT_SHIFT", &["1", "32"], "0"),
        ("LEFT_SHIFT", &["8", "-2"], "2"),
        ("LEFT_SHIFT", &["tinyint:255", "4"], "240"),
        ("RIGHT_SHIFT", &["12345", "5"], "385"),
        ("RIGHT_SHIFT", &["-1", "28"], "15"),
        ("LEFT_SHIFT", &["0x0102", "4"], "0x1020"),
        ("RIGHT_SHIFT", &["0x0102", "4"], "0x0010"),
        ("LEFT_SHIFT", &["0x0102", "100"], "0x0000"),
        ("BIT_COUNT", &["0xABCDEF"], "17"),
        ("BIT_COUNT", &["17"], "2"),
        ("BIT_COUNT", &["-1"], "32"),
        ("BIT_COUNT", &["smallint:-1"], "16"),
        ("GET_BIT", &["0xABCDEF", "2"], "1"),
        ("GET_BIT", &["0xABCDEF", "4"], "0"),
        ("SET_BIT", &["0x00", "2"], "0x04"),
        ("SET_BIT", &["0xABCDEF", "0", "0"], "0xABCDEE"),
        ("SET_BIT", &["0", "31"], "-2147483648"),
    ]);
    check_types(&[
        ("BIT_COUNT", &["1"], "bigint"),
        ("GET_BIT", &["1", "0"], "bit"),
        ("LEFT_SHIFT", &["smallint:1", "1"], "smallint"),
    ]);
    check_errors(&[
        (
            "GET_BIT",
            &["1", "32"],
            9830,
            "32 is not a valid value for argument 2 of function get_bit.",
        ),
        (
            "BIT_COUNT",
            &["1.5"],
            8116,
            "Argument data type numeric is invalid for argument 1 of bit_count function.",
        ),
    ]);
}
