//! Pages that a check cannot read.

use super::report::{LostPage, TableCheck};
use crate::cold::LostImage;
use crate::cold::tree::{Gap, TreeError};
use crate::hot::key::{KeyBuf, KeyRange};
use crate::hot::table::Table;
use crate::txn::{PageFault, TxnError, TxnResult};
use crate::wait::Task;

impl LostPage {
    /// Reports a page of a file that cannot be read, whatever index it belongs to. A page that is
    /// in no tree, but says where others are, gets the index of its place as its number.
    ///
    /// # Errors
    /// Any that does not say that the page cannot be read.
    pub fn found(lost: &LostImage) -> TxnResult<LostPage> {
        let page = lost.page.map_or(u64::from(lost.place.index), |page| page.0);
        let file = u16::from(lost.place.file);
        let (what, is_refused) = match TxnError::from(lost.error.clone()) {
            TxnError::Page(PageFault::Damaged { what, .. }) => (what, false),
            TxnError::Page(PageFault::Read { .. }) => (REFUSED, true),
            error => return Err(error),
        };
        Ok(LostPage { index: 0, file, page, what, is_refused, is_overflow: false })
    }
}

/// The page that could not be read, if that is why `result` is an error.
pub(super) fn page_of<T>(result: TxnResult<T>) -> TxnResult<Option<PageFault>> {
    match result {
        Ok(_) => Ok(None),
        Err(TxnError::Page(fault @ (PageFault::Damaged { .. } | PageFault::Read { .. }))) => {
            Ok(Some(fault))
        }
        Err(error) => Err(error),
    }
}

impl TableCheck {
    /// Whether pages of an index are lost.
    pub(super) fn has_lost(&self, index: usize) -> bool {
        self.lost.iter().any(|page| page.index == index)
    }

    /// Finds all pages of an index's tree that cannot be read, after the check has met one. Returns
    /// the ranges of keys between them.
    pub(super) fn lose(
        &mut self,
        task: &Task,
        table: &Table,
        index: usize,
        met: &PageFault,
    ) -> TxnResult<Vec<KeyRange>> {
        let gaps = match table.cold() {
            Some(cold) => cold.tree(index).gaps(&**cold.store(), task)?,
            None => Vec::new(),
        };
        self.lost.extend(gaps.iter().map(|gap| lost_page(index, gap)));
        if gaps.is_empty() {
            // The page belongs to the history, or can be read by now.
            self.lose_page(index, met);
        }
        Ok(between(&gaps))
    }

    /// Adds a page that was met, unless it is known already.
    pub(super) fn lose_page(&mut self, index: usize, met: &PageFault) {
        let lost = match met {
            PageFault::Damaged { what, page, place, .. } => {
                let (what, page, file) =
                    (*what, *page, place.map_or(0, |place| u16::from(place.file)));
                LostPage { index, file, page, what, is_refused: false, is_overflow: false }
            }
            _ => {
                let (what, is_refused) = (REFUSED, true);
                LostPage { index, file: 0, page: 0, what, is_refused, is_overflow: false }
            }
        };
        let is_known = |known: &LostPage| (known.file, known.page) == (lost.file, lost.page);
        if !self.lost.iter().any(is_known) {
            self.lost.push(lost);
        }
    }
}

const REFUSED: &str = "page read";

fn lost_page(index: usize, gap: &Gap) -> LostPage {
    let (page, is_overflow) = (gap.page.0, gap.is_overflow);
    let (what, file, is_refused) = match (&gap.error, TxnError::from(gap.error.clone())) {
        (TreeError::Damaged { what, .. }, _) => (*what, 0, false),
        (_, TxnError::Page(PageFault::Damaged { what, place, .. })) => {
            (what, place.map_or(0, |place| u16::from(place.file)), false)
        }
        _ => (REFUSED, 0, true),
    };
    LostPage { index, file, page, what, is_refused, is_overflow }
}

/// The ranges of keys between gaps, which are in the order of their keys.
fn between(gaps: &[Gap]) -> Vec<KeyRange> {
    let mut ranges = Vec::new();
    let mut next = Some(KeyBuf::new());
    for gap in gaps {
        let Some(lower) = next else { return ranges };
        ranges.push(KeyRange { lower, upper: Some(KeyBuf::from(&gap.lower[..])) });
        next = gap.upper.as_deref().map(KeyBuf::from);
    }
    ranges.extend(next.map(|lower| KeyRange { lower, upper: None }));
    ranges.retain(|range| !range.is_empty());
    ranges
}
