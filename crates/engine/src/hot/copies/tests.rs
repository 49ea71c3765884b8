use super::*;

#[test]
fn copies_have_the_bytes_of_their_rows() {
    let (arena, mut copies) = (Arena::new(), Copies::default());
    let rows: Vec<Vec<u8>> = (0..40u8).map(|len| (0..len).collect()).collect();
    let at: Vec<CopyAt> = rows.iter().map(|row| copies.push(row)).collect();
    for (row, at) in rows.iter().zip(at) {
        for copy in [copies.get(at), copy_to(&arena, row)] {
            assert_eq!(copy.anchor, AnchorPtr::COLD);
            // SAFETY: `copies` and `arena` are alive and unchanged.
            assert_eq!(unsafe { bytes_of(copy.version) }, row);
        }
    }
}
