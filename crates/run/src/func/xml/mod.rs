//! Functions of XML.
//!
//! * `render`: a value as text of a document; `rows`: the texts of rows for `FOR XML`.

pub(super) mod render;
pub(super) mod rows;
