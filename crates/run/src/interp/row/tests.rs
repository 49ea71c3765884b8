use super::*;
use base::ValueRef;
use ir::place::{load_kind, variable_place};

fn layout() -> (RowLayout, Vec<ValueRef<'static>>) {
    let columns: [(SqlType, ValueRef<'static>); 12] = [
        (SqlType::int(), ValueRef::Int(-7)),
        (SqlType::varbinary(20), ValueRef::Bytes(b"first")),
        (SqlType::bit(), ValueRef::Int(1)),
        (SqlType::decimal(9, 2), ValueRef::Decimal(-12_345)),
        (SqlType::decimal(30, 2), ValueRef::Decimal(-(1 << 90))),
        (SqlType::varbinary(20), ValueRef::Null),
        (SqlType::real(), ValueRef::Float(0.5)),
        (SqlType::datetime(), ValueRef::DateTime(DateTime { days: -3, ticks: 9 })),
        (SqlType::binary(3), ValueRef::Bytes(b"xyz")),
        (SqlType::varbinary(20), ValueRef::Bytes(b"last")),
        (SqlType::smalldatetime(), ValueRef::SmallDateTime(3_000_000_000)),
        (SqlType::uniqueidentifier(), ValueRef::Guid([9; 16])),
    ];
    let types: Vec<SqlType> = columns.iter().map(|c| c.0).collect();
    (RowLayout::new(&types), columns.iter().map(|c| c.1).collect())
}

#[test]
fn rows_built_from_slots_are_those_of_the_engine() {
    let (layout, values) = layout();
    let mut expected = Vec::new();
    layout.build(&values, &mut expected);
    let slots: Vec<Slot> = values.iter().map(|v| Slot::from_value(*v)).collect();
    let mut built = Vec::new();
    // SAFETY: one slot per column, made from values of its type.
    unsafe { build(&layout, slots.iter(), &mut built) };
    assert_eq!(built, expected);
}

#[test]
fn columns_are_read_where_the_layout_has_them() {
    let (layout, values) = layout();
    let mut row = Vec::new();
    layout.build(&values, &mut row);
    for (at, (column, value)) in layout.columns().iter().zip(&values).enumerate() {
        let ptr = row.as_ptr();
        // SAFETY: the row is of this layout.
        let read = unsafe {
            if is_null(ptr, at as u16) {
                Slot::NULL
            } else {
                match column.place {
                    Place::Fixed { offset, width } => match load_kind(&column.ty, width) {
                        Some(kind) => load(kind, ptr, offset),
                        None => load_fixed(ptr, offset, width as u16),
                    },
                    Place::Variable { ordinal } => {
                        load_variable(ptr, &variable_place(&layout, ordinal))
                    }
                }
            }
        };
        // SAFETY: the row is alive.
        assert_eq!(unsafe { read.value(&column.ty) }, *value, "column {at}");
    }
    // SAFETY: the row is of this layout.
    assert_eq!(unsafe { bytes(row.as_ptr(), &layout) }, row);
}
