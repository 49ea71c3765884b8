//! The library of functions: what they are called, which types they take and give, how they are
//! evaluated.
//!
//! # Life of a call
//!
//! [`Library`] finds a descriptor by name; the binder asks it for types (`ScalarFunction::bind`),
//! converts the arguments to what it requires and makes a call of it; `lower` keeps the types
//! beside the call (`CallTypes`); the interpreter evaluates it row by row with what it may ask of
//! the current session (`FnContext`). Aggregates and table-valued functions live likewise. What is
//! known of a function without its body, and the invariants, are in `ir::function`.
//!
//! # Where things are
//!
//! * `string`, `math`, `date`, `conversion`, `digest`, `gzip`, `json`: functions of their arguments
//!   alone, nearly all.
//! * `session`, `server`, `metadata`: functions of their surroundings, the `@@` ones among them.
//! * `xml`, `clr`: functions of xml, the methods of xml and of CLR types among them.
//! * [`aggregate`], [`rowset`]: the other two kinds.
//!
//! What has syntax or rules of evaluation of its own is the binder's: `CAST` and the like, `CASE`,
//! `COALESCE`, `NULLIF`, `IIF`, `CHOOSE`, `GROUPING`, `NEXT VALUE FOR`, `UPDATE()`, window
//! functions.

/// No arguments and a result of one type, whatever happens.
macro_rules! no_arguments {
    ($($name:ident: |$call:ident| $ty:expr;)*) => {$(
        fn $name(
            $call: &ir::function::signature::Call<'_>,
        ) -> base::SqlResult<ir::function::Inferred> {
            Ok($call.types($ty, &[]))
        }
    )*};
}

pub mod aggregate;
mod applock;
mod clr;
mod conversion;
mod date;
mod digest;
mod gzip;
mod index_entry;
mod json;
mod mask;
mod math;
mod metadata;
mod registry;
pub mod rowset;
pub mod sample;
mod server;
mod session;
mod string;
#[cfg(any(test, feature = "testing"))]
#[allow(missing_docs, clippy::unwrap_used)]
pub mod testing;
#[cfg(test)]
mod tests;
mod text_pointer;
mod tracking;
mod values;
mod xml;

pub use registry::{Library, all};
