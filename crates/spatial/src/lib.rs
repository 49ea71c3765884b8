//! SQL Server's `geometry` and `geography`: what a shape is, how it is written and read, and what
//! can be computed of shapes. Nothing of SQL.
//!
//! A value is a [`Shape`]; its methods are those of the types in SQL under plain names. Every call
//! that may take long has a [`Work`], by which it lets other sessions have their turn and asks for
//! memory. What fails is an [`Error`] with SQL Server's number and text.

mod access;
mod aggregate;
mod arc;
mod buffer;
mod cells;
mod check;
mod error;
mod format;
mod globe;
mod layers;
mod measure;
mod number;
mod overlay;
mod plane;
mod reference;
mod relate;
mod shape;
mod simplify;
mod tree;
mod valid;
mod work;

pub use aggregate::{Accumulator, Aggregate};
pub use cells::{CellId, Cover, Density, Grid};
pub use check::check_srid;
pub use error::{Error, Fault, Result, RingName};
pub use reference::{System, systems};
pub use shape::{
    Curve, DEFAULT_SRID, DEPTH_MAX, Figure, Kind, Part, Position, SRID_MAX, Shape, Space,
};
pub use work::Work;

#[cfg(test)]
mod tests;
