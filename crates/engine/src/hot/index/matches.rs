//! The result of a search of an index for a key.

use crate::hot::anchor::AnchorPtr;
use crate::hot::index::{hash, postings, range};

/// The anchors of one key, while the guard lasts.
#[derive(Debug)]
pub struct Matches<'g>(pub(super) Found<'g>);

/// Where the anchors of a key are.
#[derive(Debug)]
pub(super) enum Found<'g> {
    Nothing,
    Run(hash::Run<'g>),
    Keyed(hash::KeyRun<'g>),
    Chain(range::Chain<'g>),
    Postings(postings::Postings<'g>),
}

impl Iterator for Matches<'_> {
    type Item = AnchorPtr;

    #[inline]
    fn next(&mut self) -> Option<AnchorPtr> {
        match &mut self.0 {
            Found::Nothing => None,
            Found::Run(run) => run.next(),
            Found::Keyed(run) => run.next(),
            Found::Chain(chain) => chain.next(),
            Found::Postings(postings) => postings.next(),
        }
    }
}
