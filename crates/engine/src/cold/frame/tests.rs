use super::*;
use crate::cold::place::Place;

#[test]
fn either_the_writer_or_the_superseder_learns_of_a_place() {
    let frames = Frames::new(4).unwrap();
    let state = frames.state(FrameNumber(3));
    let word = DiskWord::new(Place { file: 1, index: 30 }, 5);
    state.begin(2);
    state.set_identity(7, PageNumber(9));
    assert_eq!(state.identity(), (7, PageNumber(9)));
    assert_eq!(state.on_disk(), OnDisk::Nowhere);
    state.written(word).unwrap();
    assert_eq!(state.supersede(), OnDisk::At(word));
    assert!(state.unpin());
    state.begin(2);
    assert_eq!(state.life(), 2);
    assert_eq!(state.supersede(), OnDisk::Nowhere);
    assert_eq!(state.written(word), Err(OnDisk::Superseded));
}
