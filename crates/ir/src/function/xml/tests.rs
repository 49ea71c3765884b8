use super::*;

fn units(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn a_shape_is_read_as_it_was_written() {
    let mut shape = RowShape::new(true, false);
    shape.open("a", " b=\"c\"");
    shape.force();
    shape.at(7);
    shape.value(ValueKind::Cdata, "n");
    shape.tag(9);
    shape.reference("r", true);
    shape.key("k", false);
    shape.close("a");
    let bytes = shape.into_bytes();
    assert!(RowShape::is_typed(&bytes) && !RowShape::is_joined(&bytes));
    let parts: Vec<RowPart<'_>> = RowShape::parts(&bytes).collect();
    assert_eq!(
        parts,
        [
            RowPart::Open(&units("<a b=\"c\"")),
            RowPart::Force,
            RowPart::At(7),
            RowPart::Value { kind: ValueKind::Cdata, name: &units("n") },
            RowPart::Tag(9),
            RowPart::Reference { text: &units("r"), attribute: true },
            RowPart::Key { text: &units("k"), attribute: false },
            RowPart::Close(&units("</a>")),
        ]
    );
}

#[test]
fn a_frame_is_read_as_it_was_written() {
    let element = |key, name: &str| FrameElement { key, name: name.to_owned() };
    let elements = vec![element(3, "x"), element(1, "y")];
    let frame = Frame { universal: true, joined: false, elements, end: "</r>".to_owned() };
    let bytes = frame.encode();
    let view = FrameView::of(&bytes);
    assert!(view.universal && !view.joined);
    assert_eq!(view.end, units("</r>"));
    assert_eq!(view.closing(1), units("</y>"));
    assert_eq!(view.elements().map(|(key, _)| key).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(FrameView::of(&[]).elements().count(), 0);
}

#[test]
fn what_stands_behind_a_text_is_split_off() {
    let atoms = Atoms { first: true, last: false };
    let text = [units("ab"), atoms.encode().to_vec()].concat();
    assert_eq!(Atoms::split(&text), (&units("ab")[..], atoms));
    let trailer = Trailer { tag: 70_000, parent: 2, is_open: true, is_list: false };
    let text = [units("ab"), trailer.encode().to_vec()].concat();
    assert_eq!(Trailer::split(&text), Some((&units("ab")[..], trailer)));
    assert_eq!(Trailer::split(&[1]), None);
}
