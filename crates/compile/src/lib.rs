//! From a statement and a catalogue to a unit.
//!
//! `tsql` gives a syntax tree; [`bind`] resolves names and types; [`plan`] turns the result into a
//! tree of operators ([`plan::tree`]); [`lower`] turns that into one straight-line program over
//! typed registers (`ir`).

pub mod bind;
pub mod lower;
pub mod plan;
