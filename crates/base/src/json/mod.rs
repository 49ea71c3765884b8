//! JSON text as SQL Server reads it.
//!
//! * [`text`]: a string as JSON text, whatever its code page; what is in its strings.
//! * [`escape`]: text as it stands in a string of JSON.
//! * [`reader`]: JSON text from left to right, one event after the other.
//! * [`path`]: paths such as `lax $.a[0]."b c"`.
//! * [`seek`]: where a path leads in a text.
//! * [`canonical`]: the text that a document has as a value of the type json.
//!
//! # Rules
//!
//! * J1: a text is read no further than an answer needs: what is wrong behind that is not seen.
//!   [`seek`] says how far that is.
//! * J2: where a text or path is wrong is said by a place in UTF-16 units, and by one in bytes of
//!   UTF-8 where it becomes json. A token that is wrong is wrong at its first character.
//! * J3: reading keeps nothing of a text but where things are in it, and a bit for each open
//!   container.

pub mod canonical;
pub mod escape;
pub mod path;
pub mod reader;
pub mod seek;
pub mod text;

pub use path::Path;
pub use reader::{Event, Fault, Reader, Scalar};
pub use seek::Found;
pub use text::Text;

#[cfg(test)]
mod tests;
