//! Functions of XML.
//!
//! * `render`: a value as text of a document; `rows`: the texts of rows for `FOR XML`; `overflow`,
//!   `undeclare`: nodes that become parts of them.
//! * `method`: the methods of type xml; `outer`: what their queries want of the statement around.
//! * `column_set`: what is in column sets.
//! * `index`: what XML indexes hold.
//! * `open`: OPENXML; `edges`: its rows without columns.

pub(super) mod column_set;
mod edges;
pub(super) mod index;
pub(super) mod method;
pub(super) mod open;
mod outer;
mod overflow;
pub(super) mod render;
pub(super) mod rows;
mod undeclare;
