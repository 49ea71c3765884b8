//! How shapes are written and read.

mod binary;
mod gml;
mod wkb;
mod wkt;

#[cfg(test)]
mod tests;
