use super::*;
use crate::cold::place::Place;

#[test]
fn changed_pages_are_reported_once_in_order() {
    let map = Map::new();
    let pages: Vec<_> = [5000, 3, 1019, 1020, 64, 3].map(PageNumber).into();
    for &page in &pages {
        map.ensure(page);
        map.publish(page, MapWord::Frame(FrameNumber(1)));
    }
    assert_eq!(map.take_changed(), [3, 64, 1019, 1020, 5000].map(PageNumber));
    assert_eq!(map.take_changed(), []);
    map.mark_changed(PageNumber(64));
    assert_eq!(map.take_changed(), [PageNumber(64)]);
}

#[test]
fn a_page_that_was_never_made_is_free() {
    let map = Map::new();
    assert_eq!(map.get(PageNumber(7)), MapWord::Free);
    assert_eq!(map.get(PageNumber(u64::MAX)), MapWord::Free);
    let word = DiskWord::new(Place { file: 1, index: 24 }, 1);
    map.restore(PageNumber(7), word);
    assert_eq!(map.get(PageNumber(7)), MapWord::Disk(word));
    assert_eq!(map.durable(PageNumber(7)), Some(word));
    assert_eq!(map.get(PageNumber(8)), MapWord::Free);
}
