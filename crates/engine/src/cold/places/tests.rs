use super::*;
use env::sim::SplitMix;
use std::collections::BTreeSet;

const FIRST: u32 = RESERVED_EXTENTS * EXTENT_PAGES;

fn space(pages: u32) -> Space {
    let mut space = Space::default();
    space.add(1, pages, Growth { pages_max: 400, step_pages: 80, ..Growth::default() });
    space
}

#[test]
fn runs_taken_one_after_the_other_are_adjacent() {
    let mut space = space(FIRST + 256);
    let mut next = FIRST;
    for wanted in [1, 1, 6, 3, 100, 50, 95] {
        let mut left = wanted;
        while left > 0 {
            let run = space.take_run(left, false).unwrap();
            assert_eq!(run.place.index, next);
            next += run.pages;
            left -= run.pages;
        }
    }
    assert_eq!(space.take_run(1, true), None);
    assert_eq!(space.stats().free_pages(), 0);
}

#[test]
fn no_place_is_taken_twice_and_all_can_be_had() {
    let mut rng = SplitMix::new(5);
    let mut space = space(200);
    space.add(2, 160, Growth { pages_max: 160, ..Growth::default() });
    let mut taken = BTreeSet::new();
    for _ in 0..20_000 {
        if rng.below(5) < 3 {
            let wanted = 1 + rng.below(20) as u32;
            let run = match space.take_run(wanted, false) {
                Some(run) => run,
                None => match space.growable() {
                    Some((id, pages)) => {
                        space.grow(id, pages);
                        continue;
                    }
                    None => match space.take_run(wanted, true) {
                        Some(run) => run,
                        None => {
                            assert_eq!(space.stats().free_pages(), 0);
                            continue;
                        }
                    },
                },
            };
            assert!(run.pages > 0 && run.pages <= wanted);
            for page in 0..run.pages {
                assert!(taken.insert(run.place.plus(page)));
            }
        } else {
            for _ in 0..rng.below(40) {
                let Some(&place) = taken.iter().nth(rng.below(taken.len().max(1) as u64) as usize)
                else {
                    break;
                };
                taken.remove(&place);
                space.give(place);
            }
        }
        let own = 2 * u64::from(FIRST);
        assert_eq!(space.stats().used_pages, taken.len() as u64 + own);
    }
    let end = space.needed_pages(1);
    space.cut(1, end);
    assert!(taken.iter().filter(|place| place.file == 1).all(|place| place.index < end));
}

#[test]
fn files_grow_in_steps_up_to_their_end() {
    let growth = Growth {
        initial_pages: 0,
        step_pages: 80,
        percent: 50,
        step_pages_max: 100,
        pages_max: 500,
    };
    let mut lengths = vec![growth.initial()];
    while let Some(next) = growth.next(*lengths.last().unwrap()) {
        lengths.push(next);
    }
    assert_eq!(lengths, [32, 112, 192, 288, 384, 480, 496]);
}
