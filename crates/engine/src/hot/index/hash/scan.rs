//! Scans of a hash index: along the list, in the order of the hashes.

use crossbeam_epoch::Guard;

use super::list::{SplitList, Target, is_marked, target};
use super::nodes::{AnchorNodes, KeyNodes, Nodes};
use super::{Entries, HashIndex};
use crate::hot::index::rows::Rows;
use crate::hot::index::scan::{Scan, Visit};
use crate::sync::atomic::Ordering::Acquire;

impl HashIndex {
    /// See [`Index::scan`](crate::hot::index::Index::scan).
    pub fn scan(&self, guard: &Guard, scan: &mut Scan, visit: Visit<'_>) -> bool {
        if scan.done {
            return false;
        }
        // SAFETY: the guard protects what is reached through the list.
        let more = unsafe {
            match &self.entries {
                Entries::Anchors(_) if scan.is_key => {
                    // Breaks are ignored, since the scan cannot stop within a key.
                    self.seek(guard, &scan.range.lower).for_each(|anchor| _ = visit(anchor));
                    false
                }
                Entries::Anchors(list) => scan_anchors(list, scan, visit),
                Entries::Keys(list) if scan.is_key => scan_key(list, &self.rows, scan, visit),
                Entries::Keys(list) => scan_keys(list, scan, visit),
            }
        };
        scan.done = !more;
        more
    }
}

/// Scans a unique index. Never stops between anchors with the same hash, since the scan's position
/// is a hash.
///
/// # Safety
/// The caller holds a guard.
unsafe fn scan_anchors(list: &SplitList<AnchorNodes>, scan: &mut Scan, visit: Visit<'_>) -> bool {
    let nodes = list.nodes();
    let mut word = list.start(scan.hash);
    let mut skipping = true;
    // The hash of the anchor at which the visitor broke.
    let mut last: Option<u64> = None;
    loop {
        let node = match target(word) {
            Target::Node(node) => node,
            Target::Bucket(border) if last.is_none() => {
                word = list.pass(border);
                continue;
            }
            Target::Bucket(_) => break,
            Target::End => return false,
        };
        // SAFETY: reached under the caller's guard.
        unsafe {
            let beyond = |hash| list.compare_tags(word, hash).is_ne() || nodes.hash(node) != hash;
            if last.is_some_and(beyond) {
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

/// Visits the rows of one key: those in postings first, then the others, between which it never
/// stops.
///
/// # Safety
/// The caller holds a guard.
unsafe fn scan_key(
    list: &SplitList<KeyNodes>,
    rows: &Rows,
    scan: &mut Scan,
    visit: Visit<'_>,
) -> bool {
    let lower = scan.range.lower.clone();
    let probe = rows.probe(&lower);
    // SAFETY: the caller's guard protects all nodes that are reached.
    unsafe {
        let run = list.gather(&mut list.first(probe.hash), probe.hash);
        for group in run.groups.into_iter().filter(|group| rows.is_key(group.key(), &probe)) {
            if scan.visit_group(group, visit).is_break() {
                return true;
            }
        }
        for anchor in run.anchors.into_iter().filter(|&anchor| rows.has_key(anchor, &probe)) {
            // Breaks are ignored, since nothing follows.
            _ = visit(anchor);
        }
    }
    false
}

/// Scans an index that is not unique, hash by hash. Of the rows of one hash it visits those in
/// postings first, by their keys, then the others, between which it never stops.
///
/// # Safety
/// The caller holds a guard.
unsafe fn scan_keys(list: &SplitList<KeyNodes>, scan: &mut Scan, visit: Visit<'_>) -> bool {
    // SAFETY: the caller's guard protects all nodes that are reached.
    unsafe {
        let mut word = list.first(scan.hash);
        loop {
            let hash = match target(word) {
                Target::Node(node) => list.nodes().hash(node),
                Target::Bucket(border) => {
                    word = list.pass(border);
                    continue;
                }
                Target::End => return false,
            };
            let run = list.gather(&mut word, hash);
            // Groups before the one where the scan stopped are done.
            let stopped = scan.inside.as_ref().filter(|_| hash == scan.hash).map(|i| i.key.clone());
            for group in run.groups {
                if stopped.as_ref().is_some_and(|key| group.key() < &**key) {
                    continue;
                }
                if scan.visit_group(group, visit).is_break() {
                    scan.hash = hash;
                    return true;
                }
            }
            let mut broken = false;
            for anchor in run.anchors {
                broken |= visit(anchor).is_break();
            }
            if broken {
                scan.inside = None;
                return match hash.checked_add(1) {
                    Some(next) => {
                        scan.hash = next;
                        true
                    }
                    None => false,
                };
            }
        }
    }
}
