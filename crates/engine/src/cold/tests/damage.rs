//! Tests of flipped bits and foreign pages: an error that names the damage, never wrong data.

use super::*;
use crate::cold::file::root_offset;

/// Makes a store with two checkpoints, and closes it. Returns its pages; the n-th has the value n.
fn prepared(machine: &Machine) -> Vec<PageNumber> {
    let (pool, task) = (machine.pool(64), machine.task());
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let pages = add_pages(&store, &task, 0..40);
    checkpoint(&store).unwrap();
    pages.iter().zip(0..).for_each(|(&page, value)| change(&store, &task, page, value));
    checkpoint(&store).unwrap();
    pages
}

#[test]
fn a_flipped_bit_anywhere_is_an_error_or_makes_no_difference() {
    let mut rng = SplitMix::new(11);
    let machine = Machine::new(1);
    let pages = prepared(&machine);
    let task = machine.task();
    let pool = machine.pool(64);
    let length = machine.sim.env().fs().metadata(Path::new(FILE)).unwrap().unwrap().len;
    let mut noticed = 0;
    for place in 0..length / PAGE_BYTES as u64 {
        let bit = (place * PAGE_BYTES as u64 + rng.below(PAGE_BYTES as u64)) * 8 + rng.below(8);
        machine.sim.fs().flip_bit(Path::new(FILE), bit).unwrap();
        match Store::open(&pool, DATABASE, &files()) {
            // The older root is whole, but what it names may have been overwritten.
            Err(ColdError::Checksum { .. } | ColdError::Damaged { .. }) => noticed += 1,
            Err(error) => panic!("page {place}: {error}"),
            Ok(opened) => {
                for (value, &page) in pages.iter().enumerate() {
                    match opened.store.load(&task, page, Access::Point) {
                        Ok(image) => assert_eq!(value_of(&image), value as u64),
                        Err(ColdError::Checksum { page: bad, .. }) if bad == page => noticed += 1,
                        Err(error) => panic!("page {place}: {error}"),
                    }
                }
            }
        }
        machine.sim.fs().flip_bit(Path::new(FILE), bit).unwrap();
    }
    assert!(noticed >= 42, "{noticed}");
}

#[test]
fn lost_and_misdirected_writes_are_noticed() {
    let machine = Machine::new(1);
    let (pool, task) = (machine.pool(64), machine.task());
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let pages = add_pages(&store, &task, 0..4);
    checkpoint(&store).unwrap();
    let place = |page| store.core.map.durable(page).unwrap().place();
    let file = store.core.file(1);
    let mut image = vec![0; PAGE_BYTES];
    // One page's image over another's.
    file.read(place(pages[0]).index, &mut image).unwrap();
    file.write(place(pages[1]).index, &image).unwrap();
    // An older image of the same page in its place.
    let mut stale = vec![0; PAGE_BYTES];
    let (at, seed) = (place(pages[2]), store.core.seed);
    crate::cold::image::seal(&mut stale, seed, crate::cold::image::Kind::Data, pages[2].0, 0, at);
    file.write(at.index, &stale).unwrap();
    pool.drop_clean();
    let what = |page| match store.load(&task, page, Access::Point) {
        Err(ColdError::Checksum { what, .. }) => Some(what),
        _ => None,
    };
    assert_eq!(what(pages[0]), None);
    assert_eq!(what(pages[1]), Some(Mismatch::Identity));
    assert_eq!(what(pages[2]), Some(Mismatch::Stamp));
    assert_eq!(what(pages[3]), None);
    assert_eq!(pool.stats().mismatches, 2);
}

#[test]
fn without_a_whole_root_the_store_does_not_open() {
    let machine = Machine::new(1);
    prepared(&machine);
    for slot in [0, 1] {
        let bit = (root_offset(slot) + 24) * 8;
        machine.sim.fs().flip_bit(Path::new(FILE), bit).unwrap();
    }
    let opened = Store::open(&machine.pool(64), DATABASE, &files());
    assert!(matches!(opened, Err(ColdError::NoRoot { .. })));
    let foreign = Store::open(&machine.pool(64), 5, &files());
    assert!(matches!(foreign, Err(ColdError::Foreign { .. })));
}
