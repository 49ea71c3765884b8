use super::*;

#[test]
fn offsets_cut_the_statement_out_of_the_text() {
    let text = "select 'ä€😀'; select 2 ";
    let place = |statement: &str| {
        let start = text.find(statement).unwrap();
        start as u32..(start + statement.len()) as u32
    };
    for (statement, parameters) in
        [("select 'ä€😀'", ""), ("select 2 ", ""), ("select 2 ", "@a int")]
    {
        let shown = match parameters {
            "" => text.to_owned(),
            parameters => format!("({parameters}){text}"),
        };
        let units: Vec<u16> = shown.encode_utf16().collect();
        let (start, end) = offsets(text, &place(statement), parameters);
        // substring(text, start / 2 + 1, (end - start) / 2 + 1)
        let (from, count) = (start as usize / 2, (end - start) as usize / 2 + 1);
        let cut = String::from_utf16(&units[from..from + count]).unwrap();
        assert_eq!(cut, statement.trim_end());
    }
}

#[test]
fn shapes_are_the_same_for_other_constants() {
    let shape = shape_hash("select a1 from t where b = 12.5 and c = N'x'");
    assert_eq!(shape, shape_hash("SELECT  a1 from T\nwhere b = 7 and c = N'it''s'"));
    assert_ne!(shape, shape_hash("select a2 from t where b = 12.5 and c = N'x'"));
}
