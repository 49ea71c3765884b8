use super::*;

fn layout() -> RowLayout {
    let text = SqlType::varchar(20, base::Collation(1));
    RowLayout::new(&[SqlType::bigint(), text, SqlType::int(), text])
}

#[test]
fn a_row_without_variable_values_ends_with_its_fixed_part() {
    let layout = layout();
    let null = layout.build_owned(&[Value::Int(1), Value::Null, Value::Int(2), Value::Null]);
    assert_eq!(null.len(), layout.least_len());
    assert_eq!(layout.least_len() + 4, layout.header_len());
    let text = Value::Chars(b"".as_slice().into());
    let empty = layout.build_owned(&[Value::Int(1), Value::Null, Value::Int(2), text]);
    assert_eq!(empty.len(), layout.header_len());
    for row in [&null, &empty] {
        assert_eq!(layout.row_len(row), row.len());
        // SAFETY: `row` is a row of this layout.
        assert_eq!(unsafe { layout.row_at(row.as_ptr()) }, &**row);
        assert_eq!(layout.checked(row), Some(&**row));
        assert_eq!(layout.checked(&row[..row.len() - 1]), None);
        assert_eq!((layout.get(row, 1), layout.bytes(row, 1)), (ValueRef::Null, &[][..]));
        assert_eq!(layout.get(row, 2), ValueRef::Int(2));
    }
}

/// Logs of earlier versions contain such rows.
#[test]
fn a_row_with_end_offsets_that_it_does_not_need_loses_them() {
    let layout = layout();
    let row = layout.build_owned(&[Value::Int(1), Value::Null, Value::Int(2), Value::Null]);
    let mut old = row.clone();
    old.resize(layout.header_len(), 0);
    assert_eq!(layout.checked(&old), Some(&*row));
    *old.last_mut().expect("it is not empty") = 1;
    assert_eq!(layout.checked(&old), None);
}
