//! Pages that could not be read, for the error log: each is reported once.

use std::collections::HashSet;

use super::error::ColdError;
use super::page::PageNumber;
use super::place::Place;
use crate::sync::parking::Mutex;

/// At most this many are reported: more mean that the device is broken.
const REPORTED_MAX: usize = 10_000;

/// Names an image of a page.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ImageId {
    pub database: u128,
    pub page: PageNumber,
    pub place: Place,
}

#[derive(Default)]
pub(super) struct Unreadable(Mutex<State>);

#[derive(Default)]
struct State {
    known: HashSet<ImageId>,
    new: Vec<UnreadableImage>,
}

/// An image that could not be read.
pub struct UnreadableImage {
    /// The database that it belongs to.
    pub database: u128,
    /// Why.
    pub error: ColdError,
}

impl Unreadable {
    /// Notes that an image could not be read.
    pub fn note(&self, image: ImageId, why: &ColdError) {
        let mut state = self.0.lock();
        if state.known.len() < REPORTED_MAX && state.known.insert(image) {
            let (database, error) = (image.database, why.clone());
            state.new.push(UnreadableImage { database, error });
        }
    }

    /// Takes the images that were noted since the last call.
    pub fn take(&self) -> Vec<UnreadableImage> {
        std::mem::take(&mut self.0.lock().new)
    }
}
