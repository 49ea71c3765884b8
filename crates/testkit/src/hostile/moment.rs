//! Zones, formats and cultures.

use super::{Source, literal, mutated};

const ZONES: &[&str] = &[
    "UTC",
    "Central European Standard Time",
    "Pacific Standard Time",
    "Lord Howe Standard Time",
    "Samoa Standard Time",
    "Iran Standard Time",
    "Morocco Standard Time",
    "Nepal Standard Time",
    "utc",
    "Europe/Berlin",
    "",
    "UTC ",
];
const MOMENTS: &[&str] = &[
    "CAST('2024-03-31T02:30:00' AS datetime2)",
    "CAST('2024-10-27T02:30:00' AS datetime2(0))",
    "CAST('0001-01-01' AS datetime2)",
    "CAST('9999-12-31T23:59:59.9999999' AS datetime2)",
    "CAST('2024-02-29' AS datetime)",
    "CAST('1753-01-01' AS datetime)",
    "CAST('2011-12-30T12:00:00' AS smalldatetime)",
    "CAST('0001-01-01T00:00:00+14:00' AS datetimeoffset)",
    "CAST('9999-12-31T23:59:59.9999999-14:00' AS datetimeoffset)",
    "CAST('2024-07-01T12:00:00.1234567+02:00' AS datetimeoffset)",
    "CAST(NULL AS datetime2)",
    "CAST('23:59:59.9999999' AS time)",
    "CAST('2024-02-29' AS date)",
];
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1234567.891",
    "1e308",
    "-1e-308",
    "CAST(1 AS money)",
    "-922337203685477.5808",
    "99999999999999999999999999999999999999",
    "CAST(255 AS tinyint)",
    "CAST(NULL AS int)",
];
const CULTURES: &[&str] = &[
    "en-US",
    "de-DE",
    "th-TH",
    "ar-SA",
    "fa-IR",
    "hi-IN",
    "ja-JP",
    "fr-CH",
    "tr-TR",
    "zh-Hant-TW",
    "sr-Latn-RS",
    "iv",
    "",
    "xx-XX",
    "EN-us",
    "de_DE",
    "ps-AF",
    "he-IL",
];
const FORMATS: &[&str] = &[
    "d",
    "D",
    "f",
    "F",
    "g",
    "G",
    "m",
    "O",
    "r",
    "s",
    "t",
    "T",
    "u",
    "U",
    "y",
    "yyyy-MM-dd HH:mm:ss.fffffff zzz",
    "%h",
    "\\",
    "'",
    "'x",
    "dddd, MMMM",
    "gg yy",
    "fffffffff",
    "K",
    "C",
    "C99",
    "D5",
    "E",
    "F10",
    "N2",
    "P",
    "R",
    "X8",
    "x",
    "Z",
    "#,##0.00;(#);zero",
    "0.0e+00",
    "000,,",
    "%",
    "‰0",
    "\"a\"0",
    "0;;;0",
    "",
];

impl Source<'_> {
    fn moment(&mut self) -> String {
        match self.rng.once_in(6) {
            true => self.any(),
            false => self.rng.one(MOMENTS).into(),
        }
    }

    fn culture(&mut self) -> String {
        match self.rng.once_in(12) {
            true => literal(&"x".repeat(self.rng.between(0, 300) as usize), true),
            false => literal(self.rng.one(CULTURES), true),
        }
    }

    /// An expression over a moment.
    pub fn moment_call(&mut self) -> String {
        let moment = self.moment();
        let zone = |source: &mut Self| literal(source.rng.one(ZONES), true);
        match self.rng.between(0, 8) {
            0 => format!("({moment} AT TIME ZONE {})", zone(self)),
            1 | 2 => format!("({moment} AT TIME ZONE {} AT TIME ZONE {})", zone(self), zone(self)),
            3..=5 => {
                let value = if self.rng.once_in(2) { moment } else { self.rng.one(NUMBERS).into() };
                let mut format = self.rng.one(FORMATS).to_owned();
                if self.rng.once_in(4) {
                    format = mutated(
                        self.rng,
                        &format,
                        &["d", "M", "y", "'", "\\", "%", "#", "0", "f", "é"],
                    );
                }
                if self.rng.once_in(20) {
                    format = format.repeat(200);
                }
                format!("FORMAT({value}, {}, {})", literal(&format, true), self.culture())
            }
            _ => {
                let ty = self.rng.one(&[
                    "date",
                    "time",
                    "datetime",
                    "datetime2(7)",
                    "datetimeoffset",
                    "int",
                    "decimal(38,10)",
                    "money",
                    "float",
                    "bigint",
                    "smallint",
                ]);
                let text = match self.rng.between(0, 4) {
                    0 => self.any(),
                    1 => literal(
                        self.rng.one(&[
                            "1.234,56 €",
                            "(1)",
                            "-",
                            "1e5",
                            "٣",
                            "29 février 2024",
                            "31.02.2024",
                            "24:00",
                            "1/1/1",
                            "$1,000.5-",
                            "Montag, 1. Januar 2024",
                            "",
                        ]),
                        true,
                    ),
                    _ => format!(
                        "FORMAT({moment}, {}, {})",
                        literal(self.rng.one(FORMATS), true),
                        self.culture()
                    ),
                };
                let attempt = self.rng.one(&["", "TRY_"]);
                format!("{attempt}PARSE({text} AS {ty} USING {})", self.culture())
            }
        }
    }
}
