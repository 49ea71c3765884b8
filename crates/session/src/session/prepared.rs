//! Texts that the client has prepared.

use std::collections::HashMap;
use std::sync::Arc;

use crate::program::Program;

/// Texts that the client has prepared, by handle.
#[derive(Default)]
pub struct Prepared {
    texts: HashMap<i32, PreparedText>,
    last: i32,
}

/// A text that the client has prepared.
#[derive(Clone)]
pub struct PreparedText {
    /// The text.
    pub text: Arc<str>,
    /// The declarations of its parameters.
    pub parameters: Arc<str>,
    /// Its program, as it was compiled when it was prepared.
    pub program: Option<Arc<Program>>,
}

impl Prepared {
    /// Keeps a text: its handle.
    pub fn add(&mut self, text: PreparedText) -> i32 {
        self.last += 1;
        self.texts.insert(self.last, text);
        self.last
    }

    /// A text by its handle.
    pub fn get(&self, handle: i32) -> Option<&PreparedText> {
        self.texts.get(&handle)
    }

    /// Forgets a text. Returns whether there was one.
    pub fn remove(&mut self, handle: i32) -> bool {
        self.texts.remove(&handle).is_some()
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.texts.clear();
    }
}
