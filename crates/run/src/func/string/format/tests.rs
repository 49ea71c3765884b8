use crate::func::testing::{TestSession, check, check_errors, check_in, check_types};

#[test]
fn numbers_follow_standard_formats() {
    check(&[
        ("FORMAT", &["1234567.891", "'N'"], "1,234,567.89"),
        ("FORMAT", &["1234567", "'N0'"], "1,234,567"),
        ("FORMAT", &["-1234.5", "'n1'"], "-1,234.5"),
        ("FORMAT", &["-0.001", "'N2'"], "0.00"),
        ("FORMAT", &["1234.5", "'C'"], "$1,234.50"),
        ("FORMAT", &["-1234.5", "'C'"], "($1,234.50)"),
        ("FORMAT", &["1234.5", "'C'", "'de-de'"], "1.234,50 €"),
        ("FORMAT", &["-1234.5", "'C0'", "'en-GB'"], "-£1,235"),
        ("FORMAT", &["$99.999", "'F2'"], "100.00"),
        ("FORMAT", &["0.1234", "'P'"], "12.34%"),
        ("FORMAT", &["0.5", "'P0'", "'de-DE'"], "50 %"),
        ("FORMAT", &["42", "'D5'"], "00042"),
        ("FORMAT", &["-42", "'d5'"], "-00042"),
        ("FORMAT", &["42.5", "'D5'"], "NULL"),
        ("FORMAT", &["255", "'X'"], "FF"),
        ("FORMAT", &["255", "'x4'"], "00ff"),
        ("FORMAT", &["-1", "'X'"], "FFFFFFFF"),
        ("FORMAT", &["12345.678e0", "'E2'"], "1.23E+004"),
        ("FORMAT", &["0.00099", "'e1'"], "9.9e-004"),
        ("FORMAT", &["9.96", "'E1'"], "1.0E+001"),
        ("FORMAT", &["1.50", "'G'"], "1.50"),
        ("FORMAT", &["1e20", "'G'"], "1E+20"),
        ("FORMAT", &["0.1e0", "'R'"], "0.1"),
        ("FORMAT", &["0.30000000000000004e0", "'R'"], "0.30000000000000004"),
        ("FORMAT", &["1.5", "'R'"], "NULL"),
        ("FORMAT", &["12345678.9", "'N'", "'hi-IN'"], "1,23,45,678.90"),
        ("FORMAT", &["-12345678.9", "'C'", "'en-IN'"], "-₹1,23,45,678.90"),
        ("FORMAT", &["1234.5", "'C'", "'ja-JP'"], "¥1,235"),
        ("FORMAT", &["-1234.5", "'C'", "'de-CH'"], "CHF-1'234.50"),
        ("FORMAT", &["1234.5678", "'C'", "'ar-KW'"], "1,234.568 د.ك."),
        ("FORMAT", &["0.125", "'P1'", "'tr-TR'"], "%12,5"),
        ("FORMAT", &["1234567", "'#,#'", "'hi-IN'"], "12,34,567"),
        ("FORMAT", &["1234.5", "'C'", "'hr-HR'"], "1.234,50 €"),
        ("FORMAT", &["0.1e0", "'G'"], "0.1"),
        ("FORMAT", &["1234.5", "'G2'"], "1.2E+03"),
        ("FORMAT", &["5", "'Q'"], "NULL"),
        ("FORMAT", &["int:NULL", "'N'"], "NULL"),
    ]);
}

#[test]
fn numbers_follow_custom_formats() {
    check(&[
        ("FORMAT", &["123456789", "'###-##-####'"], "123-45-6789"),
        ("FORMAT", &["1234567.891", "'#,##0.00'"], "1,234,567.89"),
        ("FORMAT", &["0.5", "'#,##0.00'"], "0.50"),
        ("FORMAT", &["0.5", "'#.##'"], ".5"),
        ("FORMAT", &["5", "'#.##'"], "5"),
        ("FORMAT", &["12.5", "'.##'"], "12.5"),
        ("FORMAT", &["5", "'000'"], "005"),
        ("FORMAT", &["12345", "'00'"], "12345"),
        ("FORMAT", &["0", "'#'"], ""),
        ("FORMAT", &["1234567", "'#,'"], "1235"),
        ("FORMAT", &["1234567", "'#,##0,,'"], "1"),
        ("FORMAT", &["0.257", "'0.0%'"], "25.7%"),
        ("FORMAT", &["-5", "'0.0'"], "-5.0"),
        ("FORMAT", &["-5", "'0;(0)'"], "(5)"),
        ("FORMAT", &["0", "'0;(0);\"zero\"'"], "zero"),
        ("FORMAT", &["0.2", "'0;(0);none'"], "none"),
        ("FORMAT", &["7", "'0 \\d\\a\\y\\s'"], "7 days"),
        ("FORMAT", &["1.005", "'0.00'"], "1.01"),
        ("FORMAT", &["86000", "'0.###E+0'"], "8.6E+4"),
        ("FORMAT", &["1234.5", "'#,##0.00'", "'de-DE'"], "1.234,50"),
        ("FORMAT", &["99.996", "'0.00'"], "100.00"),
    ]);
}

#[test]
fn dates_follow_standard_formats() {
    let at = "datetime2(7):2024-02-05 14:03:09.0120000";
    check(&[
        ("FORMAT", &[at, "'d'"], "2/5/2024"),
        ("FORMAT", &[at, "'D'"], "Monday, February 5, 2024"),
        ("FORMAT", &[at, "'d'", "'en-gb'"], "05/02/2024"),
        ("FORMAT", &[at, "'D'", "'de-de'"], "Montag, 5. Februar 2024"),
        ("FORMAT", &[at, "'d'", "'fr'"], "05/02/2024"),
        ("FORMAT", &[at, "'D'", "'es-ES'"], "lunes, 5 de febrero de 2024"),
        ("FORMAT", &[at, "'t'"], "2:03 PM"),
        ("FORMAT", &[at, "'T'"], "2:03:09 PM"),
        ("FORMAT", &[at, "'g'"], "2/5/2024 2:03 PM"),
        ("FORMAT", &[at, "'G'"], "2/5/2024 2:03:09 PM"),
        ("FORMAT", &[at, "''"], "2/5/2024 2:03:09 PM"),
        ("FORMAT", &[at, "'M'"], "February 5"),
        ("FORMAT", &[at, "'y'"], "February 2024"),
        ("FORMAT", &[at, "'s'", "'de-de'"], "2024-02-05T14:03:09"),
        ("FORMAT", &[at, "'u'"], "2024-02-05 14:03:09Z"),
        ("FORMAT", &[at, "'o'"], "2024-02-05T14:03:09.0120000"),
        ("FORMAT", &[at, "'R'"], "Mon, 05 Feb 2024 14:03:09 GMT"),
        (
            "FORMAT",
            &["datetimeoffset(0):2024-02-05 14:03:09 +02:00", "'u'"],
            "2024-02-05 12:03:09Z",
        ),
        (
            "FORMAT",
            &["datetimeoffset(0):2024-02-05 14:03:09 +02:00", "'O'"],
            "2024-02-05T14:03:09.0000000+02:00",
        ),
        ("FORMAT", &[at, "'q'"], "NULL"),
        ("FORMAT", &[at, "'d'", "'th-TH'"], "5/2/2567"),
        ("FORMAT", &[at, "'D'", "'th'"], "5 กุมภาพันธ์ 2567"),
        ("FORMAT", &["date:2024-07-07", "'d'", "'ar-SA'"], "01/01/46"),
        ("FORMAT", &["date:2024-07-07", "'D'", "'ar-SA'"], "01/محرم/1446"),
        ("FORMAT", &["date:1899-07-07", "'d'", "'ar-SA'"], "NULL"),
        ("FORMAT", &["date:1899-07-07", "'o'", "'ar-SA'"], "1899-07-07T00:00:00.0000000"),
        ("FORMAT", &["date:2030-05-25", "'d'", "'fa'"], "1409/3/4"),
        ("FORMAT", &["date:2030-05-25", "'d'", "'ar-EG'"], "25/5/2030"),
        ("FORMAT", &[at, "'t'", "'fi-FI'"], "14.03"),
        ("FORMAT", &[at, "'M'", "'uk-UA'"], "5 лютого"),
        ("FORMAT", &[at, "'Y'", "'he-IL'"], "פברואר 2024"),
        ("FORMAT", &[at, "'D'", "'vi-VN'"], "05 Tháng Hai 2024"),
        ("FORMAT", &[at, "'D'", "'nb-NO'"], "mandag 5. februar 2024"),
        ("FORMAT", &[at, "'U'"], "Monday, February 5, 2024 1:03:09 PM"),
        ("FORMAT", &["datetimeoffset(0):2024-02-05 14:03:09 +02:00", "'U'"], "NULL"),
    ]);
}

#[test]
fn dates_follow_custom_formats() {
    let at = "datetime2(7):2024-02-05 14:03:09.0120000";
    check(&[
        ("FORMAT", &[at, "'yyyy-MM-dd HH:mm:ss'"], "2024-02-05 14:03:09"),
        ("FORMAT", &[at, "'dd/MM/yy'"], "05/02/24"),
        ("FORMAT", &[at, "'dd/MM/yyyy'", "'de-DE'"], "05.02.2024"),
        ("FORMAT", &[at, "'d MMM yyyy h:mm tt'"], "5 Feb 2024 2:03 PM"),
        ("FORMAT", &[at, "'dddd'"], "Monday"),
        ("FORMAT", &[at, "'ddd'", "'de-DE'"], "Mo"),
        ("FORMAT", &[at, "'yyyyMMddHHmmssfff'"], "20240205140309012"),
        ("FORMAT", &[at, "'ss.FFFFFFF'"], "09.012"),
        ("FORMAT", &["datetime2(0):2024-02-05", "'ss.FFF'"], "00"),
        ("FORMAT", &[at, "'\"Week of\" MMMM'"], "Week of February"),
        ("FORMAT", &[at, "'%h'"], "2"),
        ("FORMAT", &[at, "'hh t'"], "02 P"),
        ("FORMAT", &["date:2024-02-05", "'MM\\/dd'"], "02/05"),
        ("FORMAT", &["datetimeoffset(0):2024-02-05 14:03:09 -05:30", "'HH zzz'"], "14 -05:30"),
        ("FORMAT", &[at, "'yyyy \"x'"], "NULL"),
        ("FORMAT", &[at, "'HH:mm'", "'fi-FI'"], "14.03"),
        ("FORMAT", &[at, "'HH\\:mm'", "'fi-FI'"], "14:03"),
        ("FORMAT", &[at, "'y g'"], "24 A.D."),
        ("FORMAT", &[at, "'HH zz'"], "14 +01"),
        ("FORMAT", &[at, "'d MMMM'", "'pl-PL'"], "5 lutego"),
        ("FORMAT", &[at, "'MMMM yyyy'", "'pl-PL'"], "luty 2024"),
        ("FORMAT", &[at, "'dd MMM'", "'uk-UA'"], "05 лют."),
        ("FORMAT", &["time(0):07:35", "'hh\\.mm'"], "07.35"),
        ("FORMAT", &["time(0):07:35", "'hh.mm'"], "NULL"),
        ("FORMAT", &["time(0):07:35", "'hh\\:mm\\:ss'"], "07:35:00"),
        ("FORMAT", &["time(3):07:35:01.5", "'c'"], "07:35:01.5000000"),
        ("FORMAT", &["time(3):07:35:01.5", "'g'"], "7:35:01.5"),
        ("FORMAT", &["time(3):07:35:01.5", "'g'", "'de-DE'"], "7:35:01,5"),
    ]);
}

#[test]
fn the_sessions_language_is_the_culture() {
    let german = base::datetime::Language::by_name("German").unwrap();
    let dates = base::datetime::DateSettings::of(german);
    let session = TestSession { dates, ..TestSession::default() };
    check_in(&session, &[("FORMAT", &["1234.5", "'N'"], "1.234,50")]);
    check_types(&[("FORMAT", &["1", "'N'"], "nvarchar(4000)")]);
    check_errors(&[
        (
            "FORMAT",
            &["1", "'N'", "'xx-YY'"],
            9818,
            "The culture parameter 'xx-YY' provided in the function call is not supported.",
        ),
        (
            "FORMAT",
            &["'abc'", "'N'"],
            8116,
            "Argument data type varchar is invalid for argument 1 of format function.",
        ),
    ]);
}
