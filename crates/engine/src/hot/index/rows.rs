//! How an index reads the rows behind its anchors.

use std::slice;

use crate::hot::anchor::AnchorPtr;
use crate::hot::index::shape::IndexShape;
use crate::hot::key::{KeyBuf, KeyClass, KeySpec, KeyWord, SeekKey};
use crate::hot::row::RowLayout;
use crate::sync::{Arc, Word};

/// Reads keys and link words of the anchors of one index.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    layout: Arc<RowLayout>,
    key: Arc<KeySpec>,
    class: KeyClass,
    ordinal: usize,
    links: usize,
}

/// A key to search for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe<'k> {
    /// Its bytes; empty if the key is made of words and was not given as bytes.
    key: &'k [u8],
    pub(super) hash: u64,
    words: [u64; 2],
}

impl Rows {
    pub(super) fn new(shape: &IndexShape) -> Rows {
        Rows {
            layout: shape.layout.clone(),
            key: shape.key.clone(),
            class: shape.key.class(),
            ordinal: shape.ordinal,
            links: shape.links,
        }
    }

    /// The length of every key, if it is constant.
    pub(super) fn constant_len(&self) -> Option<usize> {
        self.key.constant_len()
    }

    /// This index's link word.
    ///
    /// # Safety
    /// The anchor belongs to the table and is protected for `'a`.
    #[inline]
    pub(super) unsafe fn link<'a>(&self, anchor: AnchorPtr) -> &'a Word {
        // SAFETY: the caller promises that the anchor is protected; its table has this index.
        unsafe { anchor.link(self.ordinal) }
    }

    /// Encodes the key of a row that the caller has.
    pub(super) fn encode(&self, row: &[u8], out: &mut KeyBuf) {
        self.key.encode_row(&self.layout, row, out);
    }

    /// Calls `f` with the key of a row that the caller has.
    #[inline]
    pub(super) fn with_key<T>(&self, row: &[u8], f: impl FnOnce(&[u8]) -> T) -> T {
        match self.class {
            KeyClass::One(word) => self.with_bytes(SeekKey::Word(word.read(row)), f),
            _ => {
                let mut key = KeyBuf::new();
                self.encode(row, &mut key);
                f(&key)
            }
        }
    }

    /// The probe for the key of a row that the caller has, if the key is made of words. The probe
    /// has no bytes.
    #[inline]
    pub(super) fn word_probe(&self, row: &[u8]) -> Option<Probe<'static>> {
        let words = match self.class {
            KeyClass::One(word) => [word.read(row), 0],
            KeyClass::Two(a, b) => [a.read(row), b.read(row)],
            KeyClass::General => return None,
        };
        Some(Probe { key: &[], hash: self.key.hash_words(words), words })
    }

    /// Encodes the key of an anchor.
    ///
    /// # Safety
    /// As for [`Rows::link`].
    pub(super) unsafe fn encode_key(&self, anchor: AnchorPtr, out: &mut KeyBuf) {
        // SAFETY: the inline version holds the keys (H3) and is protected.
        let row = unsafe { self.layout.row_at(anchor.inline(self.links).row().as_ptr()) };
        self.encode(row, out);
    }

    /// A word of an anchor's key.
    ///
    /// # Safety
    /// As for [`Rows::link`].
    #[inline]
    unsafe fn word(&self, anchor: AnchorPtr, word: KeyWord) -> u64 {
        let len = word.offset() + word.width();
        // SAFETY: the word lies in the fixed part of the inline version, see `encode_key`.
        word.read(unsafe { slice::from_raw_parts(anchor.inline(self.links).row().as_ptr(), len) })
    }

    /// The probe for this key.
    #[inline]
    pub(super) fn probe<'k>(&self, key: &'k [u8]) -> Probe<'k> {
        Probe { key, hash: self.key.hash_key(key), words: self.words_in(key) }
    }

    #[inline]
    fn words_in(&self, key: &[u8]) -> [u64; 2] {
        match self.class {
            KeyClass::One(word) => [word.in_key(key), 0],
            KeyClass::Two(a, b) => [a.in_key(key), b.in_key(&key[a.width()..])],
            KeyClass::General => [0, 0],
        }
    }

    /// The probe for this key.
    #[inline]
    pub(super) fn probe_of<'k>(&self, key: SeekKey<'k>) -> Probe<'k> {
        match key {
            SeekKey::Word(word) => {
                let words = [word, 0];
                Probe { key: &[], hash: self.key.hash_words(words), words }
            }
            SeekKey::Bytes(key) => self.probe(key),
        }
    }

    /// Calls `f` with the bytes of a key.
    #[inline]
    pub(super) fn with_bytes<T>(&self, key: SeekKey<'_>, f: impl FnOnce(&[u8]) -> T) -> T {
        self.key.with_bytes(key, f)
    }

    /// The hash of an anchor's key.
    ///
    /// # Safety
    /// As for [`Rows::link`].
    #[inline]
    pub(super) unsafe fn hash(&self, anchor: AnchorPtr) -> u64 {
        // SAFETY: the caller promises that the anchor is protected.
        unsafe {
            match self.class {
                KeyClass::One(word) => self.key.hash_words([self.word(anchor, word), 0]),
                KeyClass::Two(a, b) => {
                    self.key.hash_words([self.word(anchor, a), self.word(anchor, b)])
                }
                KeyClass::General => {
                    let mut key = KeyBuf::new();
                    self.encode_key(anchor, &mut key);
                    self.key.hash_key(&key)
                }
            }
        }
    }

    /// Whether these bytes are the probe's key.
    #[inline]
    pub(super) fn is_key(&self, key: &[u8], probe: &Probe<'_>) -> bool {
        match self.class {
            KeyClass::General => *key == *probe.key,
            _ => self.words_in(key) == probe.words,
        }
    }

    /// Whether an anchor has the probe's key.
    ///
    /// # Safety
    /// As for [`Rows::link`].
    #[inline(always)]
    pub(super) unsafe fn has_key(&self, anchor: AnchorPtr, probe: &Probe<'_>) -> bool {
        // SAFETY: the caller promises that the anchor is protected.
        unsafe {
            match self.class {
                KeyClass::One(word) => self.word(anchor, word) == probe.words[0],
                KeyClass::Two(a, b) => {
                    self.word(anchor, a) == probe.words[0] && self.word(anchor, b) == probe.words[1]
                }
                KeyClass::General => {
                    let mut key = KeyBuf::new();
                    self.encode_key(anchor, &mut key);
                    *key == *probe.key
                }
            }
        }
    }
}
