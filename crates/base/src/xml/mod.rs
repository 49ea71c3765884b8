//! XML: documents and fragments as trees, and as text.

pub mod canonical;
pub mod escape;
pub mod parse;
pub mod schema;
pub mod tree;
pub mod write;

pub use parse::{ParseOptions, parse, parse_value};
pub use tree::{Builder, Document, Name, NodeId, NodeKind};
pub use write::{Sink, write};
