//! Functions of XML.
//!
//! * `render`: a value as text of a document; `rows`: the texts of rows for `FOR XML`.
//! * `method`: the methods of type xml; `outer`: what their queries want of the statement around.

pub(super) mod method;
mod outer;
pub(super) mod render;
pub(super) mod rows;
