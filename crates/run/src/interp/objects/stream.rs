//! An open stream of rows from outside of the databases.

use ir::function::stream::Stream;

/// A stream; nothing before it is opened and after its last row.
#[derive(Debug, Default)]
pub struct OpenStream {
    /// What yields the rows.
    pub rows: Option<Box<dyn Stream>>,
    /// The row that is being built.
    pub row: Vec<u8>,
}
