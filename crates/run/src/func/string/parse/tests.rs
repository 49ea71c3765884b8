use crate::func::testing::{check, check_errors};

const LATER: &str = "datetime2(0):NULL";

#[test]
fn dates_are_read_as_cultures_write_them() {
    for (text, culture, expected) in [
        ("02/03/2024", "en-GB", "2024-03-02 00:00:00"),
        ("02/03/2024", "en-US", "2024-02-03 00:00:00"),
        ("25 Mai 2018", "fr-FR", "2018-05-25 00:00:00"),
        ("25.05.2018", "de-DE", "2018-05-25 00:00:00"),
        ("25.5.18", "de-DE", "2018-05-25 00:00:00"),
        ("Friday, 25 May 2018", "en-GB", "2018-05-25 00:00:00"),
        ("Fri 25 May 2018 1:05 PM", "en-US", "2018-05-25 13:05:00"),
        ("May 25, 2018", "en-US", "2018-05-25 00:00:00"),
        ("25-May-18", "en-US", "2018-05-25 00:00:00"),
        ("May 2018", "en-US", "2018-05-01 00:00:00"),
        ("2018-05-25T10:11:12.9", "de-DE", "2018-05-25 10:11:13"),
        ("2018-05-25 10:11", "en-US", "2018-05-25 10:11:00"),
        ("Freitag, 25. Mai 2018", "de-DE", "2018-05-25 00:00:00"),
        ("viernes, 25 de mayo de 2018", "es-ES", "2018-05-25 00:00:00"),
        ("ven. 25 mai 2018 17:00", "fr", "2018-05-25 17:00:00"),
        ("25 мая 2018 г.", "ru-RU", "2018-05-25 00:00:00"),
        ("2018年5月25日", "ja-JP", "2018-05-25 00:00:00"),
        ("2018/5/25 下午 3:04", "zh-CN", "NULL"),
        ("2018/5/25 15:04", "zh-CN", "2018-05-25 15:04:00"),
        ("piątek, 25 maja 2018", "pl-PL", "2018-05-25 00:00:00"),
        ("den 25 maj 2018", "sv-SE", "2018-05-25 00:00:00"),
        ("Thursday, 25 May 2018", "en-GB", "NULL"),
        ("25 Mai 2018", "en-US", "NULL"),
        ("13/13/2018", "en-US", "NULL"),
        ("30 February 2018", "en-US", "NULL"),
        ("20180525", "en-US", "NULL"),
        ("2018", "en-US", "NULL"),
        ("25/5/2561", "th-TH", "2018-05-25 00:00:00"),
        ("25/5/61", "th-TH", "2018-05-25 00:00:00"),
        ("10/09/1439", "ar-SA", "2018-05-25 00:00:00"),
        ("31/09/1439", "ar-SA", "NULL"),
        ("1397/3/4", "fa-IR", "2018-05-25 00:00:00"),
        ("25 травня 2018", "uk-UA", "2018-05-25 00:00:00"),
        ("ven. 25 mai 2018", "fr-CA", "2018-05-25 00:00:00"),
        ("", "en-US", "NULL"),
        ("25:00", "en-US", "NULL"),
    ] {
        let args = [format!("N'{text}'"), LATER.into(), format!("'{culture}'")];
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        check(&[("TRY_PARSE", &args, expected)]);
    }
}

#[test]
fn numbers_are_read_as_cultures_write_them() {
    for (text, ty, culture, expected) in [
        ("1.234,56", "decimal(9,2):NULL", "de-DE", "1234.56"),
        ("1,234.56", "decimal(9,2):NULL", "en-US", "1234.56"),
        ("1.234,56", "decimal(9,2):NULL", "en-US", "NULL"),
        ("1 234,5-", "decimal(9,2):NULL", "fr-FR", "-1234.50"),
        ("€345,98", "money:NULL", "de-DE", "345.9800"),
        ("345,98 €", "money:NULL", "de-DE", "345.9800"),
        ("$345.98", "money:NULL", "de-DE", "NULL"),
        ("($1,345.98)", "money:NULL", "en-US", "-1345.9800"),
        ("-$5", "money:NULL", "en-US", "-5.0000"),
        ("(5)", "int:NULL", "en-US", "NULL"),
        ("$5", "int:NULL", "en-US", "NULL"),
        ("1,000", "int:NULL", "en-US", "1000"),
        ("1,000.00", "int:NULL", "en-US", "1000"),
        ("1.5", "int:NULL", "en-US", "NULL"),
        ("3000000000", "int:NULL", "en-US", "NULL"),
        ("1,5e3", "float:NULL", "de-DE", "1500"),
        ("1e3", "decimal(9,2):NULL", "en-US", "NULL"),
        (" +7 ", "tinyint:NULL", "", "7"),
        ("1,23,456", "int:NULL", "hi-IN", "123456"),
        ("1’234.5", "decimal(9,1):NULL", "de-CH", "1234.5"),
        ("", "int:NULL", "en-US", "NULL"),
        ("-", "int:NULL", "en-US", "NULL"),
    ] {
        let args = [format!("N'{text}'"), ty.into(), format!("'{culture}'")];
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        check(&[("TRY_PARSE", &args, expected)]);
    }
}

#[test]
fn what_cannot_be_read_is_an_error() {
    check_errors(&[
        (
            "PARSE",
            &["'abc'", "int:NULL", "'de-DE'"],
            9819,
            "Error converting string value 'abc' into data type int using culture 'de-DE'.",
        ),
        (
            "PARSE",
            &["'abc'", "date:NULL"],
            9819,
            "Error converting string value 'abc' into data type date using culture ''.",
        ),
        (
            "TRY_PARSE",
            &["'1'", "int:NULL", "'xx-YY'"],
            9818,
            "The culture parameter 'xx-YY' provided in the function call is not supported.",
        ),
        (
            "PARSE",
            &["'1'", "varchar(5):NULL"],
            10761,
            "Invalid data type varchar in function parse.",
        ),
        (
            "PARSE",
            &["NULL", "int:NULL"],
            8116,
            "Argument data type NULL is invalid for argument 1 of parse function.",
        ),
    ]);
}
