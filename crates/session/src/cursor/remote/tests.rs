use super::*;

/// Blocks of a cursor with ten rows: what is fetched, and the places that lead to.
#[test]
fn fetches_lead_to_blocks() {
    let block = |first, rows| Block { first, rows, count: 10 };
    let begin = block(0, 1);
    assert_eq!(begin.after(bits::NEXT, 0, 4), (1, 5));
    assert_eq!(block(1, 4).after(bits::NEXT, 0, 4), (5, 9));
    assert_eq!(block(9, 2).after(bits::NEXT, 0, 4), (11, 11));
    assert_eq!(block(11, 0).after(bits::NEXT, 0, 4), (11, 11));
    assert_eq!(block(0, 0).after(bits::NEXT, 0, 4), (1, 5));
    assert_eq!(begin.after(bits::LAST, 0, 4), (7, 11));
    assert_eq!(begin.after(bits::LAST, 0, 40), (1, 11));
    assert_eq!(begin.after(bits::LAST, 0, 0), (11, 11));
    assert_eq!(block(7, 4).after(bits::FIRST, 0, 0), (0, 0));
    assert_eq!(block(7, 4).after(bits::PREVIOUS, 0, 4), (3, 7));
    assert_eq!(block(3, 4).after(bits::PREVIOUS, 0, 4), (1, 5));
    assert_eq!(block(3, 4).after(bits::PREVIOUS_NO_ADJUST, 0, 4), (1, 3));
    assert_eq!(block(1, 4).after(bits::PREVIOUS_NO_ADJUST, 0, 4), (0, 0));
    assert_eq!(block(11, 0).after(bits::PREVIOUS_NO_ADJUST, 0, 4), (7, 11));
    assert_eq!(block(3, 4).after(bits::REFRESH, 0, 0), (3, 7));
    assert_eq!(block(3, 4).after(bits::RELATIVE, 2, 4), (5, 9));
    assert_eq!(block(3, 4).after(bits::RELATIVE, -3, 4), (0, 0));
    assert_eq!(block(3, 4).after(bits::ABSOLUTE, -2, 4), (9, 11));
    assert_eq!(block(3, 4).after(bits::ABSOLUTE, 12, 4), (11, 11));
}
