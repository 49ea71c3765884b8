//! Short texts on the stack.

use std::fmt;

/// Text of at most `N` bytes; what is longer is cut, and says so.
#[derive(Clone, Copy)]
pub struct StackText<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Default for StackText<N> {
    fn default() -> StackText<N> {
        StackText { bytes: [0; N], len: 0 }
    }
}

impl<const N: usize> StackText<N> {
    /// Nothing yet.
    pub fn new() -> StackText<N> {
        StackText::default()
    }

    /// Appends one byte; `false` if there is no room.
    pub fn push(&mut self, byte: u8) -> bool {
        match self.bytes.get_mut(self.len) {
            Some(slot) => {
                *slot = byte;
                self.len += 1;
                true
            }
            None => false,
        }
    }

    /// Appends a text as far as there is room.
    pub fn push_str(&mut self, text: &str) {
        for &byte in text.as_bytes() {
            self.push(byte);
        }
    }

    /// Appends a number with at least `width` digits, filled up by zeros.
    pub fn push_padded(&mut self, number: u32, width: usize) {
        let mut digits = [b'0'; 10];
        let mut rest = number;
        let mut used = 0;
        while rest > 0 || used < width.min(10) {
            digits[9 - used] = b'0' + (rest % 10) as u8;
            rest /= 10;
            used += 1;
        }
        for &digit in &digits[10 - used..] {
            self.push(digit);
        }
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// Removes everything after the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

impl<const N: usize> fmt::Write for StackText<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.len() > N - self.len {
            return Err(fmt::Error);
        }
        self.push_str(text);
        Ok(())
    }
}
