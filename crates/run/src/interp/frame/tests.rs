use super::*;

#[test]
fn a_variable_can_be_set_to_a_part_of_itself() {
    let mut frame = Frame::new([SqlType::varbinary(100), SqlType::int()]);
    let var = VarId(0);
    assert_eq!(frame.get(var), ValueRef::Null);
    frame.set(var, ValueRef::Bytes(b"abcdef"));
    let ValueRef::Bytes(bytes) = frame.get(var) else { panic!("it was set") };
    let part = Slot::bytes(&bytes[2..5]);
    // SAFETY: the bytes are alive; they are the variable's own.
    unsafe { frame.store(0, &part) };
    assert_eq!(frame.get(var), ValueRef::Bytes(b"cde"));
    frame.set(var, ValueRef::Bytes(b""));
    assert_eq!(frame.get(var), ValueRef::Bytes(b""));
    frame.set(var, ValueRef::Null);
    frame.set(VarId(1), ValueRef::Int(5));
    assert_eq!((frame.get(var), frame.get(VarId(1))), (ValueRef::Null, ValueRef::Int(5)));
}

#[test]
fn a_lent_table_comes_back() {
    let layout = Arc::new(engine::hot::row::RowLayout::new(&[SqlType::int()]));
    let mut frame = Frame::default();
    let own = TableSlot::Own(Box::new(LocalTable::plain(layout)));
    let var = frame.declare_table(own);
    let lent = frame.lend(var).unwrap();
    assert!(matches!(frame.table(var), TableSlot::Shared(_)));
    drop(lent);
    frame.take_back(var);
    assert!(matches!(frame.table(var), TableSlot::Own(_)));
}
