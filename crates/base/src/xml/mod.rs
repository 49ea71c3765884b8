//! XML: documents and fragments as trees.

pub mod tree;

pub use tree::{Builder, Document, Name, NodeId, NodeKind};
