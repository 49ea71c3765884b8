use proptest::prelude::*;

use super::PrintfArgument::*;
use super::*;

proptest! {
    #[test]
    fn no_format_panics(format in "([a-z]|%[-+# 0*.1-9hlI]{0,6}[dsxoui%é])*|\\PC*", n in any::<i32>()) {
        let _ = printf(&format, &[Int(n), Text("é"), Null, BigInt(i64::MIN), Int(-1)]);
    }
}

#[test]
fn specifications_print_as_in_c() {
    for (format, arguments, expected) in [
        ("plain 100%%", &[][..], "plain 100%"),
        ("%s %d", &[Text("abc"), Int(-5)], "abc -5"),
        ("<%7.3s>", &[Text("abcdef")], "<    abc>"),
        ("<%-7.3s>", &[Text("abcdef")], "<abc    >"),
        ("<%*.*s>", &[Int(7), Int(3), Text("abcdef")], "<    abc>"),
        ("%05d|%+d|% d", &[Int(42), Int(42), Int(42)], "00042|+42| 42"),
        (
            "%x %X %#x %o %u",
            &[Int(255), Int(255), Int(255), Int(8), Int(-1)],
            "ff FF 0xff 10 4294967295",
        ),
        ("%I64d", &[BigInt(5_000_000_000)], "5000000000"),
        ("%s and %d", &[], "(null) and (null)"),
        ("%.5d", &[Int(-42)], "-00042"),
        ("%i%%", &[Int(7)], "7%"),
    ] {
        assert_eq!(printf(format, arguments).unwrap(), expected, "{format}");
    }
}

#[test]
fn mismatches_and_unknown_specifications_are_errors() {
    let e = printf("%d", &[Text("x")]).unwrap_err();
    assert_eq!(e.number(), 2786);
    assert_eq!(
        e.text(),
        "The data type of substitution parameter 1 does not match the expected type of the format specification."
    );
    assert_eq!(printf("%s", &[Int(1)]).unwrap_err().number(), 2786);
    let e = printf("%y", &[Int(1)]).unwrap_err();
    assert_eq!((e.number(), e.text()), (2787, "Invalid format specification: '%y'."));
    assert_eq!(printf("abc %", &[]).unwrap_err().text(), "Invalid format specification: '%'.");
    assert_eq!(printf("%é", &[]).unwrap_err().number(), 2787);
}

#[test]
fn translations_take_what_the_original_prints_by_its_place() {
    let arguments = [PrintfArgument::Int(7), PrintfArgument::Text("Ann")];
    let translated = |format: &str, translation: &str| {
        printf_translated(format, translation, &arguments).unwrap()
    };
    assert_eq!(translated("%03d of %s (100%%)", "%2!: %1!, %1!, 100%%"), "Ann: 007, 007, 100%");
    assert_eq!(translated("%d", "%0!%2!%99999999999999999999!"), "(null)(null)(null)");
    assert_eq!(translated("plain", "%d and %s"), "7 and Ann");
    assert!(printf_translated("%s", "%y", &arguments).is_err());
}
