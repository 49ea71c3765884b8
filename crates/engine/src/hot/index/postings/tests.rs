use std::collections::{BTreeMap, BTreeSet};

use crossbeam_epoch::{Collector, LocalHandle};
use proptest::prelude::*;

use super::directory::locate;
use super::*;
use crate::hot::account::Account;
use crate::sync::Arc;

struct NoHeader;

/// A group without an index. Its anchors are numbers: postings never look at them.
struct Fixture {
    account: Arc<Account>,
    counts: Counts,
    handle: LocalHandle,
    group: Option<GroupPtr>,
    links: BTreeMap<u64, Box<Word>>,
}

impl Fixture {
    fn new() -> Fixture {
        let account = Arc::new(Account::default());
        let counts = Counts::new(account.clone(), false);
        let handle = Collector::new().register();
        Fixture { account, counts, handle, group: None, links: BTreeMap::new() }
    }

    fn with(n: u64) -> Fixture {
        let mut fixture = Fixture::new();
        (0..n).for_each(|id| fixture.append(id));
        fixture
    }

    fn append(&mut self, id: u64) {
        let anchor = AnchorPtr::from_address((id + 1) << 4).expect("not 0");
        let link = Box::new(Word::new(0));
        match self.group {
            None => {
                let group = GroupPtr::create(NoHeader, b"key", anchor, &link, &self.counts);
                self.group = Some(group);
            }
            // SAFETY: the group is alive, and the link word is the anchor's own.
            Some(group) => unsafe {
                group.append(anchor, &link, &self.counts).expect("the group is alive");
            },
        }
        self.links.insert(id, link);
    }

    fn unlink(&mut self, id: u64) {
        let link = self.links.remove(&id).expect("it was appended");
        // SAFETY: the anchor was appended with this link word.
        unsafe {
            let guard = self.handle.pin();
            if let Some(dead) = GroupPtr::unlink(&link, &guard, &self.counts) {
                assert_eq!(Some(dead), self.group.take());
                dead.retire::<NoHeader>(&guard, &self.counts);
            }
        }
    }

    /// The anchors that are found from an ordinal on, each with the ordinal after it.
    fn from(&self, ordinal: u64) -> Vec<(u64, u64)> {
        let Some(group) = self.group else { return Vec::new() };
        // SAFETY: the group is alive.
        let mut postings = unsafe { group.postings(ordinal) };
        let mut found = Vec::new();
        while let Some(anchor) = postings.next() {
            found.push(((anchor.address() >> 4) - 1, postings.ordinal()));
        }
        found
    }

    fn ids(&self) -> Vec<u64> {
        self.from(0).into_iter().map(|(id, _)| id).collect()
    }

    fn check(&self) {
        let found = self.ids();
        let distinct: BTreeSet<u64> = found.iter().copied().collect();
        assert_eq!(distinct.len(), found.len(), "found twice");
        assert!(distinct.iter().eq(self.links.keys()));
    }

    fn bytes(&self) -> u64 {
        self.account.bytes()
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let left: Vec<u64> = self.links.keys().copied().collect();
        left.into_iter().for_each(|id| self.unlink(id));
        assert_eq!((self.group, self.bytes()), (None, 0));
    }
}

#[test]
fn a_key_with_one_row_has_no_chunk() {
    let group = rounded(size_of::<Group>() + b"key".len()) as u64;
    assert_eq!(Fixture::with(1).bytes(), group);
    assert_eq!(Fixture::with(2).bytes(), group + 64);
    assert_eq!(Fixture::with(6).bytes(), group + 64);
    assert_eq!(Fixture::with(19).bytes(), group + 64 + 128);
    assert_eq!(Fixture::with(48).bytes(), group + 64 + 128 + 256);
    let directory = (size_of::<Directory>() + 8 * size_of::<Word>()) as u64;
    assert_eq!(Fixture::with(49).bytes(), group + 448 + directory + 512);
}

#[test]
fn everything_is_found_from_any_ordinal_on() {
    let fixture = Fixture::with(2000);
    let all = fixture.from(0);
    assert_eq!(all.len(), 2000);
    for (n, &(_, ordinal)) in all.iter().enumerate() {
        assert_eq!(fixture.from(ordinal), all[n + 1..]);
    }
}

#[test]
fn places_are_used_again() {
    for n in [1, 6, 40, 1000] {
        let mut fixture = Fixture::with(n);
        fixture.append(n);
        let bytes = fixture.bytes();
        for round in 0..10 * n {
            fixture.unlink(round);
            fixture.append(n + 1 + round);
        }
        fixture.check();
        assert!(fixture.bytes() <= bytes + 1024, "{n} rows");
    }
}

#[test]
fn blocks_without_rows_are_given_back() {
    let mut fixture = Fixture::with(10_000);
    let full = fixture.bytes();
    assert!(full < 10_000 * 10, "{full} bytes");
    (1000..10_000).for_each(|id| fixture.unlink(id));
    fixture.check();
    assert!(fixture.bytes() < full / 5, "{} of {full} bytes", fixture.bytes());
}

#[test]
fn sparse_blocks_are_filled_up_before_new_ones_are_made() {
    let mut fixture = Fixture::with(10_000);
    let full = fixture.bytes();
    for id in (0..10_000).filter(|id| id % 4 != 0) {
        fixture.unlink(id);
    }
    (20_000..27_000).for_each(|id| fixture.append(id));
    fixture.check();
    assert!(fixture.bytes() <= full + full / 20, "{} of {full} bytes", fixture.bytes());
}

#[test]
fn entries_lie_one_after_another() {
    let mut expected = (0, 0);
    for index in 0..10_000 {
        assert_eq!(locate(index), expected);
        expected.1 += 1;
        if expected.1 == 8 << expected.0 {
            expected = (expected.0 + 1, 0);
        }
    }
}

proptest! {
    #[test]
    fn appending_and_unlinking_keeps_what_is_there(
        steps in prop::collection::vec((any::<bool>(), any::<usize>()), 0..2000),
        removals in 1..4usize,
    ) {
        let mut fixture = Fixture::with(1);
        for (id, (append, n)) in (1..).zip(steps) {
            if append || fixture.links.len() == 1 {
                fixture.append(id);
            } else {
                for _ in 0..removals.min(fixture.links.len() - 1) {
                    let victim = *fixture.links.keys().nth(n % fixture.links.len()).expect("one");
                    fixture.unlink(victim);
                }
            }
        }
        fixture.check();
    }
}
