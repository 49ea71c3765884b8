//! Tests of single nodes.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::builder::{Fences, format};
use super::super::change::{self, Fit};
use super::super::node::{Node, head_of, separator};
use super::*;

#[test]
fn heads_compare_as_the_first_bytes() {
    assert!(head_of(b"a") < head_of(b"ab"));
    assert!(head_of(b"abcd") < head_of(b"abce"));
    assert_eq!(head_of(b""), 0);
    assert_eq!(head_of(b"abcde"), u32::from_be_bytes(*b"abcd"));
}

#[test]
fn separators_are_short_and_in_between() {
    assert_eq!(separator(b"abc", b"abxyz"), b"abx");
    assert_eq!(separator(b"", b"xyz"), b"x");
    assert_eq!(separator(b"ab", b"abc"), b"abc");
}

#[test]
fn keys_in_two_parts_compare_as_one() {
    let key = Key { prefix: b"abc", suffix: b"def" };
    for other in [&b""[..], b"a", b"abb", b"abc", b"abcdef", b"abcdeg", b"abd", b"b"] {
        assert_eq!(key.compare(other), b"abcdef".as_slice().cmp(other), "{other:?}");
    }
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    let part = prop::sample::select(vec![&b"aaaaaaaa"[..], b"b", b"cc", b"\xff\xff", b"dddd"]);
    prop::collection::vec(part, 0..6).prop_map(|parts| {
        let mut key = parts.concat();
        key.push(0);
        key
    })
}

proptest! {
    #[test]
    fn a_node_is_a_small_map(
        steps in prop::collection::vec((key(), 0..5u8, 0..200usize), 1..300),
        probes in prop::collection::vec(key(), 20),
    ) {
        let mut body: Box<Body> = Box::new([0; BODY_BYTES]);
        format(&mut body, 0, PageNumber(1), Fences::ALL);
        let mut model: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        for (key, what, len) in steps {
            let node = Node::open(&body).expect("it is whole");
            let (at, is_there) = node.lower_bound(&key).expect("it is whole");
            prop_assert_eq!(is_there, model.contains_key(&key));
            prop_assert_eq!(at, model.range(..key.clone()).count());
            let payload = vec![what; len];
            let fit = match (what, is_there) {
                (0, true) => {
                    model.remove(&key);
                    change::remove(&mut body, at).map(|()| Fit::Done)
                }
                (0, false) => Ok(Fit::Done),
                (_, true) => {
                    let fit = change::replace(&mut body, at, &key, [&[1], &payload]);
                    match fit {
                        Ok(Fit::Done) => model.insert(key, payload),
                        _ => model.remove(&key),
                    };
                    fit
                }
                (_, false) => {
                    let fit = change::insert(&mut body, at, &key, [&[1], &payload]);
                    if fit == Ok(Fit::Done) {
                        model.insert(key, payload);
                    }
                    fit
                }
            };
            let used: usize = model.iter().map(|(key, value)| 11 + key.len() + value.len()).sum();
            prop_assert!(fit == Ok(Fit::Done) || used > BODY_BYTES / 2, "{} bytes", used);
        }
        let node = Node::open(&body).expect("it is whole");
        prop_assert_eq!(node.count(), model.len());
        for (index, (key, value)) in model.iter().enumerate() {
            prop_assert_eq!(&node.key(index).expect("it is whole").to_vec(), key);
            let cell = node.cell(index).expect("it is whole");
            prop_assert_eq!(&cell.payload[1..], value.as_slice());
        }
        for probe in probes {
            let below = model.range(..probe.clone()).count();
            prop_assert_eq!(node.lower_bound(&probe).expect("it is whole").0, below);
        }
    }
}
