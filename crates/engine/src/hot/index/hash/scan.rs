//! Scans of a hash index: along the list, in the order of the hashes.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use crossbeam_epoch::Guard;

use super::list::{SplitList, Target, has_tag, is_marked, target};
use super::nodes::{AnchorNodes, KeyNodes, Nodes};
use super::{Entries, HashIndex};
use crate::hot::anchor::AnchorPtr;
use crate::hot::index::Scan;
use crate::hot::key::KeyBuf;
use crate::sync::atomic::Ordering::Acquire;

type Visit<'v> = &'v mut dyn FnMut(AnchorPtr) -> ControlFlow<()>;

impl HashIndex {
    /// See [`Index::scan`](crate::hot::index::Index::scan).
    pub fn scan(&self, _guard: &Guard, scan: &mut Scan, visit: Visit<'_>) -> bool {
        if scan.done {
            return false;
        }
        // SAFETY: the guard protects what is reached through the list.
        let more = unsafe {
            match &self.entries {
                Entries::Anchors(list) => scan_anchors(list, scan, visit),
                Entries::Keys(list) => scan_keys(list, scan, visit),
            }
        };
        scan.done = !more;
        more
    }
}

/// Never stops between anchors with the same hash, since a hash is all that the scan remembers.
///
/// # Safety
/// The caller holds a guard.
unsafe fn scan_anchors(list: &SplitList<AnchorNodes>, scan: &mut Scan, visit: Visit<'_>) -> bool {
    let nodes = list.nodes();
    // SAFETY: the caller's promise.
    let mut word = unsafe { list.start(scan.hash) };
    let mut skipping = true;
    // The hash of the anchor at which the visitor broke.
    let mut last: Option<u64> = None;
    loop {
        let node = match target(word) {
            Target::Node(node) => node,
            Target::Bucket(border) if last.is_none() => {
                word = list.follow(border);
                continue;
            }
            Target::Bucket(_) => break,
            Target::End => return false,
        };
        // SAFETY: reached under the caller's guard.
        unsafe {
            if last.is_some_and(|hash| !has_tag(word, hash) || nodes.hash(node) != hash) {
                break;
            }
            word = nodes.link(node).load(Acquire);
            skipping = skipping && nodes.hash(node) < scan.hash;
            if !skipping
                && !is_marked(word)
                && visit(AnchorNodes::anchor(node)).is_break()
                && last.is_none()
            {
                last = Some(nodes.hash(node));
            }
        }
    }
    match last.and_then(|hash| hash.checked_add(1)) {
        None => false,
        Some(next) => {
            scan.hash = next;
            true
        }
    }
}

/// # Safety
/// The caller holds a guard.
unsafe fn scan_keys(list: &SplitList<KeyNodes>, scan: &mut Scan, visit: Visit<'_>) -> bool {
    let inside = scan.inside.take();
    // SAFETY: the caller's promise, for all nodes reached.
    unsafe {
        let mut word = list.start(scan.hash);
        loop {
            let node = match target(word) {
                Target::Node(node) => node,
                Target::Bucket(border) => {
                    word = list.follow(border);
                    continue;
                }
                Target::End => return false,
            };
            word = KeyNodes.link(node).load(Acquire);
            let (hash, group) = (KeyNodes.hash(node), KeyNodes::group(node));
            if hash < scan.hash || is_marked(word) {
                continue;
            }
            let mut from = 0;
            if let Some((key, ordinal)) = inside.as_ref().filter(|_| hash == scan.hash) {
                match group.key().cmp(key) {
                    Ordering::Less => continue,
                    Ordering::Equal => from = *ordinal,
                    Ordering::Greater => {}
                }
            }
            let mut postings = group.postings(from);
            while let Some(anchor) = postings.next() {
                if visit(anchor).is_break() {
                    scan.hash = hash;
                    scan.inside = Some((KeyBuf::from(group.key()), postings.ordinal()));
                    return true;
                }
            }
        }
    }
}
