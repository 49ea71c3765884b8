//! The XML documents that a session has parsed lately.
//!
//! Several methods of a statement read the same value, row by row. A value is parsed once as long
//! as it is among the last ones. What `nodes()` yields names its document by a number, so that
//! methods of nodes find it without looking at its text; the text is there as well, for when the
//! document has made room for others.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use base::SqlResult;
use base::account::{Account, Charged, UNASKED};
use base::xml::Document;

/// How many documents are kept.
const KEPT: usize = 16;

/// Bytes of text after which documents make room for others, but for the last.
const BYTES: usize = 16 << 20;

/// See the module's header. No borrow is held across a call.
#[derive(Debug, Default)]
pub struct Documents(RefCell<Recent>);

#[derive(Debug, Default)]
struct Recent {
    last: u32,
    /// The one that was used last is the last.
    kept: VecDeque<Kept>,
}

#[derive(Debug)]
struct Kept {
    number: u32,
    text: Box<[u8]>,
    document: Arc<Document>,
    _charged: Option<Charged>,
}

impl Documents {
    /// The document of this number, if it is kept.
    pub fn numbered(&self, number: u32) -> Option<Arc<Document>> {
        self.0.borrow_mut().find(|kept| kept.number == number).map(|kept| kept.document.clone())
    }

    /// The document with this text and its number, if it is kept.
    pub fn of_text(&self, text: &[u8]) -> Option<(u32, Arc<Document>)> {
        let mut recent = self.0.borrow_mut();
        recent.find(|kept| *kept.text == *text).map(|kept| (kept.number, kept.document.clone()))
    }

    /// Keeps a document, under this number if it has had one. Returns its number. Error 701.
    pub fn keep(
        &self,
        number: Option<u32>,
        text: &[u8],
        document: Arc<Document>,
        account: Option<&Arc<Account>>,
    ) -> SqlResult<u32> {
        let charged = match account {
            Some(account) if text.len() > UNASKED => Some(Charged::take(account, text.len())?),
            _ => None,
        };
        let mut recent = self.0.borrow_mut();
        let number = number.unwrap_or_else(|| recent.last.wrapping_add(1));
        recent.last = recent.last.max(number);
        if number == u32::MAX {
            recent.last = 0;
        }
        recent.make_room(text.len());
        recent.kept.push_back(Kept { number, text: text.into(), document, _charged: charged });
        Ok(number)
    }

    /// Forgets all documents.
    pub fn clear(&self) {
        self.0.borrow_mut().kept.clear();
    }
}

impl Recent {
    /// Forgets the documents that were not used for longest, to keep one of so many bytes.
    fn make_room(&mut self, bytes: usize) {
        let mut kept: usize = self.kept.iter().map(|kept| kept.text.len()).sum();
        while self.kept.len() >= KEPT || kept + bytes > BYTES {
            let Some(forgotten) = self.kept.pop_front() else { return };
            kept -= forgotten.text.len();
        }
    }

    /// The last one that a condition holds for.
    fn find(&mut self, is_it: impl Fn(&Kept) -> bool) -> Option<&Kept> {
        let at = self.kept.iter().rposition(is_it)?;
        if at + 1 < self.kept.len() {
            let found = self.kept.remove(at)?;
            self.kept.push_back(found);
        }
        self.kept.back()
    }
}

#[cfg(test)]
mod tests;
