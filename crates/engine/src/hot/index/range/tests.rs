use proptest::prelude::*;

use super::node::{Fences, HEAD, common_len};
use super::restructure::shorter_prefix;
use super::*;

fn fences(lower: &[u8], upper: Option<&[u8]>) -> Fences {
    Fences { lower: lower.into(), upper: upper.map(Into::into) }
}

#[test]
fn heads_compare_as_the_bytes_after_the_prefix() {
    assert!(head(b"abc", 1) < head(b"abd", 1));
    assert!(head(b"a", 0) < head(b"ab", 0));
    assert_eq!(head(b"a", 0), head(b"a\0", 0));
    assert_eq!(head(b"abcdefghi", 1), u64::from_be_bytes(*b"bcdefghi"));
    assert_eq!(head(b"ab", 5), 0);
}

#[test]
fn a_node_version_changes_with_its_node() {
    let version = version::Version::new();
    let seen = version.read().expect("no thread writes");
    drop(version.lock(seen).expect("nothing has changed"));
    assert!(version.check(seen).is_ok(), "nothing was changed under that lock");
    let locked = version.lock(seen).expect("nothing has changed");
    assert!(version.check(seen).is_err() && version.lock(seen).is_err());
    locked.unlock();
    assert!(version.check(seen).is_err() && version.lock(seen).is_err());
    let seen = version.read().expect("no thread writes");
    version.lock(seen).expect("nothing has changed").retire();
    assert!(version.read().is_err() && version.lock(seen).is_err());
}

proptest! {
    #[test]
    fn a_search_in_a_node_finds_the_first_head_that_is_not_lower(
        steps in prop::collection::vec((any::<bool>(), any::<usize>(), 0..20u64), 0..60),
        probe in 0..21u64,
    ) {
        let node = NodeRef::create(0, 0, &fences(b"", None), []);
        let mut heads: Vec<u64> = Vec::new();
        for (insert, n, head) in steps {
            if insert && heads.len() < CAPACITY {
                let at = heads.partition_point(|&h| h < head);
                heads.insert(at, head);
                node.insert(at, Entry { head, pointer: 16 * head });
            } else if !insert && !heads.is_empty() {
                let at = n % heads.len();
                heads.remove(at);
                node.remove(at);
            }
        }
        prop_assert!(node.entries().map(|e| e.head).eq(heads.iter().copied()));
        prop_assert!(node.entries().all(|e| e.pointer == 16 * e.head));
        let lower = heads.partition_point(|&h| h < probe);
        let upper = heads.partition_point(|&h| h <= probe);
        prop_assert_eq!(node.ties(0, probe), lower..upper);
        // SAFETY: this thread alone has the node.
        unsafe { node.free() };
    }

    #[test]
    fn a_shorter_prefix_gives_the_heads_that_the_keys_have(
        prefix in prop::collection::vec(any::<u8>(), 0..20),
        key in prop::collection::vec(any::<u8>(), 2 * HEAD..30),
        shorter in any::<usize>(),
    ) {
        let key = [&*prefix, &*key].concat();
        let upper = [&*prefix, &[0xFF; 40]].concat();
        let node = NodeRef::create(0, prefix.len(), &fences(&prefix, Some(&upper)), []);
        prop_assert!(common_len(&prefix, &upper) >= prefix.len());
        let shorter = shorter % (prefix.len() + 1);
        let old = head(&key, prefix.len());
        prop_assert_eq!(shorter_prefix(old, node, shorter), head(&key, shorter));
        // SAFETY: this thread alone has the node.
        unsafe { node.free() };
    }
}
