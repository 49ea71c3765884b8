//! What tests of several crates share.

#![allow(clippy::unwrap_used)]

pub mod golden;
pub mod hostile;
pub mod rng;
