//! A fixture for the tests of indexes: a table of rows without transactions.

#![cfg_attr(feature = "shuttle", allow(dead_code))]

use std::ops::ControlFlow;
use std::ptr::NonNull;

use base::{SqlType, Value};
use crossbeam_epoch::Guard;

use super::{Dismantling, Index, IndexShape, InsertCheck, Scan};
use crate::hot::account::Account;
use crate::hot::anchor::{AnchorPtr, anchor_size};
use crate::hot::heap;
use crate::hot::key::{KeyBuf, KeyColumn, KeySpec};
use crate::hot::row::RowLayout;
use crate::sync::Arc;

/// Links of an anchor; the index under test has the second one.
const LINKS: usize = 2;
const ORDINAL: usize = 1;

/// The kind of key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KeyKind {
    /// One word, an exact head.
    Int,
    /// Two words, more than a head.
    IntAndBigInt,
    /// Encoded, of any length, with long common prefixes.
    Text,
}

/// An index over rows that have a key and a number, which tells them apart.
pub(super) struct Fixture {
    kind: KeyKind,
    layout: Arc<RowLayout>,
    pub(super) key: Arc<KeySpec>,
    pub(super) index: Index,
}

impl Fixture {
    pub(super) fn new(hash: bool, unique: bool, kind: KeyKind) -> Fixture {
        Fixture::with_buckets(hash, unique, kind, 1)
    }

    pub(super) fn with_buckets(hash: bool, unique: bool, kind: KeyKind, hint: u64) -> Fixture {
        let collation = base::Collation(1);
        let (types, columns): (Vec<SqlType>, usize) = match kind {
            KeyKind::Int => (vec![SqlType::int(), SqlType::bigint()], 1),
            KeyKind::IntAndBigInt => {
                (vec![SqlType::int(), SqlType::bigint(), SqlType::bigint()], 2)
            }
            KeyKind::Text => (vec![SqlType::varchar(200, collation), SqlType::bigint()], 1),
        };
        let layout = Arc::new(RowLayout::new(&types));
        let columns: Vec<KeyColumn> = (0..columns).map(KeyColumn::ascending).collect();
        let key = Arc::new(KeySpec::new(&layout, &columns));
        let shape = IndexShape {
            layout: layout.clone(),
            key: key.clone(),
            ordinal: ORDINAL,
            links: LINKS,
            unique,
            account: Arc::new(Account::default()),
        };
        let index = if hash { Index::hash(shape, hint) } else { Index::range(shape) };
        Fixture { kind, layout, key, index }
    }

    fn key_values(&self, key: u32) -> Vec<Value> {
        match self.kind {
            KeyKind::Int => vec![Value::Int(i64::from(key as i32))],
            KeyKind::IntAndBigInt => {
                vec![Value::Int(i64::from(key / 10)), Value::Int(i64::from(key % 10))]
            }
            KeyKind::Text => {
                // Long common prefixes, and keys that others start with.
                let text = format!("customer number {:05}{}", key / 3, &"xy"[..key as usize % 3]);
                vec![Value::Chars(text.into_bytes().into())]
            }
        }
    }

    pub(super) fn key(&self, key: u32) -> KeyBuf {
        let values = self.key_values(key);
        let refs: Vec<_> = values.iter().map(Value::as_ref).collect();
        let mut out = KeyBuf::new();
        self.key.encode_values(&refs, &mut out);
        out
    }

    fn row(&self, key: u32, id: u64) -> Vec<u8> {
        let mut values = self.key_values(key);
        values.push(Value::Int(id as i64));
        self.layout.build_owned(&values)
    }

    /// A new row, in no index.
    pub(super) fn anchor(&self, key: u32, id: u64) -> AnchorPtr {
        let row = self.row(key, id);
        let memory = heap::allocate(anchor_size(LINKS, row.len())).expect("there is memory");
        // SAFETY: this thread alone has the memory, which is large enough.
        unsafe {
            let anchor = AnchorPtr::create(memory, LINKS);
            let inline = anchor.inline(LINKS);
            inline.initialise_inline(0);
            inline.row().as_ptr().copy_from_nonoverlapping(row.as_ptr(), row.len());
            anchor
        }
    }

    fn row_of<'a>(&self, anchor: AnchorPtr) -> &'a [u8] {
        // SAFETY: the tests look at anchors only under a guard, and anchors hold whole rows.
        unsafe { self.layout.row_at(anchor.inline(LINKS).row().as_ptr()) }
    }

    /// The number of a row.
    pub(super) fn id(&self, anchor: AnchorPtr) -> u64 {
        match self.layout.get(self.row_of(anchor), self.layout.columns().len() - 1) {
            base::ValueRef::Int(id) => id as u64,
            other => panic!("{other:?} is not a row's number: the row was freed"),
        }
    }

    pub(super) fn insert(&self, guard: &Guard, anchor: AnchorPtr, key: u32, id: u64) {
        assert!(self.insert_checked(guard, anchor, key, id, &mut |_| InsertCheck::Allow));
    }

    pub(super) fn insert_checked(
        &self,
        guard: &Guard,
        anchor: AnchorPtr,
        key: u32,
        id: u64,
        check: &mut dyn FnMut(AnchorPtr) -> InsertCheck,
    ) -> bool {
        // SAFETY: the tests keep X1 and X2.
        unsafe { self.index.insert(guard, anchor, &self.row(key, id), check) }
    }

    /// Inserts a new row.
    pub(super) fn add(&self, guard: &Guard, key: u32, id: u64) -> AnchorPtr {
        let anchor = self.anchor(key, id);
        self.insert(guard, anchor, key, id);
        anchor
    }

    /// Removes a row, and frees it when no reader can stand on it any more.
    pub(super) fn remove(&self, guard: &Guard, anchor: AnchorPtr, key: u32, id: u64) {
        let row = self.row(key, id);
        // SAFETY: the tests keep X1 and X2. `free` overwrites the row, so that a late reader fails.
        unsafe {
            self.index.remove(guard, anchor, &row);
            guard.defer_unchecked(move || free(anchor, row.len()));
        }
    }

    /// Frees a row that is in no index.
    pub(super) fn discard(&self, anchor: AnchorPtr, key: u32, id: u64) {
        // SAFETY: the tests do not use the row any more.
        unsafe { free(anchor, self.row(key, id).len()) };
    }

    pub(super) fn seek(&self, guard: &Guard, key: u32) -> Vec<u64> {
        self.index.seek(guard, &self.key(key)).map(|anchor| self.id(anchor)).collect()
    }

    /// Goes on with a scan until `n` rows have been seen; returns whether there may be more.
    pub(super) fn scan(
        &self,
        guard: &Guard,
        scan: &mut Scan,
        n: usize,
        out: &mut Vec<u64>,
    ) -> bool {
        let end = out.len() + n;
        self.index.scan(guard, scan, &mut |anchor| {
            out.push(self.id(anchor));
            if out.len() < end { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    }

    /// The numbers of the rows that a scan in chunks of `n` rows finds.
    pub(super) fn scan_all(&self, guard: &Guard, mut scan: Scan, n: usize) -> Vec<u64> {
        let mut out = Vec::new();
        while self.scan(guard, &mut scan, n, &mut out) {}
        out
    }
}

impl Drop for Fixture {
    /// Takes the index apart and frees the rows that are left.
    fn drop(&mut self) {
        // SAFETY: no other thread uses the index any more.
        let guard = unsafe { crossbeam_epoch::unprotected() };
        let mut left = Vec::new();
        self.index.scan(guard, &mut Scan::all(), &mut |anchor| {
            left.push(anchor);
            ControlFlow::Continue(())
        });
        let unique = match &self.index {
            Index::Hash(index) => index.is_unique(),
            Index::Range(index) => index.is_unique(),
        };
        let (mut state, mut found) = (Dismantling::default(), Vec::new());
        while !state.is_over() {
            let mut find = |anchor| found.push(anchor);
            let free: Option<&mut dyn FnMut(AnchorPtr)> =
                if unique { Some(&mut find) } else { None };
            // SAFETY: as above.
            unsafe { self.index.dismantle(&mut state, 7, free) };
        }
        if !std::thread::panicking() {
            if unique {
                let sorted = |anchors: &[AnchorPtr]| {
                    let mut addresses: Vec<_> = anchors.iter().map(|a| a.address()).collect();
                    addresses.sort_unstable();
                    addresses
                };
                assert_eq!(sorted(&found), sorted(&left), "each anchor is found once");
            }
            assert!(!self.index.scan(guard, &mut Scan::all(), &mut |_| panic!("nothing is left")));
        }
        for anchor in left {
            let len = self.row_of(anchor).len();
            // SAFETY: as above; an index does not touch its anchors when it is dropped.
            unsafe { free(anchor, len) };
        }
    }
}

unsafe fn free(anchor: AnchorPtr, row_len: usize) {
    let size = anchor_size(LINKS, row_len);
    let memory = NonNull::new(anchor.address() as *mut u8).expect("an anchor is not null");
    // SAFETY: the caller promises that the anchor's row has this length and that nothing uses it.
    unsafe {
        memory.as_ptr().write_bytes(0xDD, size);
        heap::free(memory, size);
    }
}
