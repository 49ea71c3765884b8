//! Where rows and fields begin and end.

use tsql::ast::{BulkInsert, StatementKind};

use super::options::Options;
use super::rows::{RowError, Rows, Source};

/// A file in memory that is read in small pieces, whatever is asked for.
struct Text<'t>(&'t [u8]);

impl Source for Text<'_> {
    type Error = ();

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, ()> {
        let rest = &self.0[(offset as usize).min(self.0.len())..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

fn statement(options: &str) -> BulkInsert {
    let text = format!("BULK INSERT t FROM 'f' {options}");
    let parse = tsql::ParseOptions { quoted_identifier: true };
    let batch = tsql::parse_batch(&text, parse).unwrap();
    match batch.statements.into_iter().next().unwrap().kind {
        StatementKind::BulkInsert(statement) => *statement,
        other => panic!("{other:?}"),
    }
}

/// The rows as text: fields between `[]`, quoted ones between `{}`.
fn read(options: &str, columns: usize, text: &[u8]) -> String {
    let options = Options::of(&statement(options).options).unwrap();
    let mut rows = Rows::new(Text(text), options.format(columns), 0);
    let mut out = String::new();
    loop {
        match rows.advance(&base::pace::Unpaced) {
            Ok(false) => return out,
            Ok(true) => {
                for at in 0..columns {
                    let (field, quoted) = rows.field(at);
                    let field = String::from_utf8_lossy(field).replace('\0', "~");
                    out.push_str(&if quoted {
                        format!("{{{field}}}")
                    } else {
                        format!("[{field}]")
                    });
                }
                out.push(';');
            }
            Err(RowError::Csv(column)) => out.push_str(&format!("csv {column};")),
            Err(error) => {
                out.push_str(&format!("{error:?}"));
                return out;
            }
        }
    }
}

#[test]
fn fields_end_at_terminators_and_rows_at_theirs() {
    let cases: [(&str, usize, &str, &str); 14] = [
        ("", 2, "1\ta\n2\tb\n", "[1][a];[2][b];"),
        ("", 2, "1\ta\r\n2\tb", "[1][a];[2][b];"),
        ("", 2, "", ""),
        ("", 1, "\n\n", "[];[];"),
        ("with (fieldterminator = '|')", 3, "a||c\n", "[a][][c];"),
        (
            "with (fieldterminator = '||', rowterminator = '|\\n')",
            2,
            "a||b|\nc||d|\n",
            "[a][b];[c][d];",
        ),
        ("with (rowterminator = '0x0a')", 1, "a\r\n", "[a\r];"),
        // A row with too few fields swallows the next one.
        ("with (fieldterminator = ',')", 2, "a\nb,c\n", "[a\nb][c];"),
        ("with (fieldterminator = ',')", 2, "a,b\nc", "[a][b];UnexpectedEnd"),
        ("with (format = 'csv')", 2, "1,\"a,\"\"b\n\"\n2,x\n", "[1]{a,\"b\n};[2][x];"),
        ("with (format = 'csv')", 2, "\"\",\r\n", "{}[];"),
        ("with (format = 'csv')", 2, "1\n2,b,c\n3,d\n", "csv 2;csv 3;[3][d];"),
        ("with (format = 'csv')", 2, "\"a\"x,b\nc,d", "csv 1;[c][d];"),
        (
            "with (format = 'csv', fieldquote = '''', fieldterminator = ';')",
            2,
            "'a;';b\n",
            "{a;}[b];",
        ),
    ];
    for (options, columns, text, expected) in cases {
        assert_eq!(read(options, columns, text.as_bytes()), expected, "{options} {text:?}");
    }
}

#[test]
fn wide_files_have_terminators_of_two_bytes() {
    let wide: Vec<u8> = "a\tĉ\r\nb\t\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    // U+0109 has the byte of a tab in it.
    let read = read("with (datafiletype = 'widechar')", 2, &wide);
    assert_eq!(read, "[a~][\t\u{1}];[b~][];");
}

#[test]
fn rows_that_cross_what_is_read_at_once_are_whole() {
    let long = "x".repeat(300_000);
    let text = format!("1\t{long}\n2\tb\n{long}\tc\n");
    let options = Options::of(&statement("").options).unwrap();
    let mut rows = Rows::new(Text(text.as_bytes()), options.format(2), 0);
    for (first, second) in [("1", &*long), ("2", "b"), (&*long, "c")] {
        assert!(rows.advance(&base::pace::Unpaced).unwrap());
        assert_eq!(rows.field(0).0, first.as_bytes());
        assert_eq!(rows.field(1).0, second.as_bytes());
    }
    assert!(!rows.advance(&base::pace::Unpaced).unwrap());
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let number = |options: &str| Options::of(&statement(options).options).unwrap_err().number();
    assert_eq!(number("with (codepage = '12345')"), 4868);
    assert_eq!(number("with (firstrow = 5, lastrow = 4)"), 4880);
    assert_eq!(number("with (datafiletype = 'native')"), 401);
}
