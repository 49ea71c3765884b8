use base::Value;
use tds::client::{Token, TokenReader};
use tds::columns::Column;
use tds::server::{ResponseWriter, RowEncoder};
use tds::{MessageEvent, MessageReader, Side, TdsVersion};

use super::*;

fn plain() -> LayoutOptions {
    LayoutOptions {
        grid: false,
        headers: 0,
        separator: " ".into(),
        trim: false,
        line_width: None,
        large_width: 256,
        variable_width: 0,
        control_characters: ControlCharacters::Keep,
    }
}

/// Shows a result of a number, a short text and a long one.
fn show(options: LayoutOptions, rows: &[(i64, &str, &str)]) -> String {
    let collation = Collation::DEFAULT;
    let columns = [
        Column::nullable("id", SqlType::smallint()),
        Column::nullable("", SqlType::varchar(5, collation)),
        Column::nullable("large", SqlType::nvarchar_max(collation)),
    ];
    let mut writer = ResponseWriter::new(TdsVersion::V7_4);
    writer.begin();
    writer.columns(&columns, false);
    let encoder = RowEncoder::new(&columns, TdsVersion::V7_4);
    for (id, short, long) in rows {
        let values = [Value::Int(*id), Value::chars(short, collation), Value::unicode(long)];
        writer.row(&encoder, &values[..]).unwrap();
    }
    writer.end();
    let mut messages = MessageReader::new(Side::Client, 1 << 20);
    let Some(MessageEvent::Message { body, .. }) =
        messages.feed(&mut writer.message().ready()).unwrap()
    else {
        panic!("the message is complete");
    };
    let mut reader = TokenReader::new(TdsVersion::V7_4, collation);
    reader.feed(body);
    let (mut layout, mut out) = (Layout::new(options), Vec::new());
    while let Some(token) = reader.next().unwrap() {
        match token {
            Token::Row(row) => layout.row(&row, &mut out).unwrap(),
            _ => layout.begin(reader.columns(), collation, &mut out).unwrap(),
        }
    }
    layout.end(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn columns_are_as_wide_as_their_types() {
    let options = LayoutOptions { large_width: 6, ..plain() };
    assert_eq!(
        show(options, &[(1, "a", "xyz"), (-12, "abcde", "cut here")]),
        "id           large \n------ ----- ------\n     1 a     xyz   \n   -12 abcde cut he\n"
    );
}

#[test]
fn headings_come_again() {
    let options = LayoutOptions { headers: 1, trim: true, separator: ",".into(), ..plain() };
    let heading = "id,,large\n--,-,-----\n";
    assert_eq!(
        show(options, &[(1, "a ", "x"), (2, "", "")]),
        format!("{heading}1,a,x\n\n{heading}2,,\n")
    );
    let options = LayoutOptions { headers: -1, trim: true, ..plain() };
    assert_eq!(show(options, &[(1, "a", "x")]), "1 a x\n");
}

#[test]
fn lines_and_texts_are_cut_where_asked() {
    let options = LayoutOptions {
        headers: -1,
        line_width: Some(9),
        variable_width: 2,
        large_width: 3,
        ..plain()
    };
    assert_eq!(show(options, &[(1, "abc", "wxyz")]), "     1 ab\n wxy  \n");
}

#[test]
fn control_characters_go_where_asked() {
    for (control_characters, expected) in [
        (ControlCharacters::Keep, "1 a x\r\n\ty\n"),
        (ControlCharacters::Remove, "1 a xy\n"),
        (ControlCharacters::Blank, "1 a x   y\n"),
        (ControlCharacters::BlankRuns, "1 a x y\n"),
    ] {
        let options = LayoutOptions { headers: -1, trim: true, control_characters, ..plain() };
        assert_eq!(show(options, &[(1, "a", "x\r\n\ty")]), expected);
    }
}

#[test]
fn grids_are_as_wide_as_their_values() {
    let options = LayoutOptions { grid: true, ..plain() };
    let shown = show(options, &[(1, "a", "日本"), (-200, "", "x\ny")]);
    let expected = "\
┌──────┬───┬───────┐
│   id │   │ large │
├──────┼───┼───────┤
│    1 │ a │ 日本  │
│ -200 │   │ x y   │
└──────┴───┴───────┘
";
    assert_eq!(shown, expected);
}
