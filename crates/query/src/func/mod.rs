//! The library of functions: what they are called, which types they take and give, how they are
//! evaluated.
//!
//! # Life of a call
//!
//! [`lookup`] finds a descriptor by name; the binder asks it for types ([`ScalarFunction::bind`]),
//! converts the arguments to what it wants and makes a call of it; `lower` keeps the types beside the
//! call ([`CallTypes`]); the interpreter evaluates it row by row with what it may ask of the session
//! at hand ([`FnContext`]). Aggregates ([`lookup_aggregate`]) and table-valued functions
//! ([`lookup_rowset`]) live likewise.
//!
//! # Where things are
//!
//! * [`descriptor`]: what is known of a function; `signature`: rules of types that many share.
//! * [`facts`]: what functions may ask of session, catalog and server.
//! * `string`, `math`, `date`, `conversion`, `digest`: functions of their arguments alone, nearly all.
//! * `session`, `server`, `metadata`: functions of their surroundings, the `@@` ones among them.
//! * [`aggregate`], [`rowset`]: the other two kinds; [`fold`]: evaluating constants when a statement
//!   is bound.
//!
//! # Invariants
//!
//! * F1: arguments of an evaluation have exactly the types that binding asked for; those of a strict
//!   function are not NULL.
//! * F2: a result has the representation of the result's type and lives in the context's arena, in
//!   the arguments, or for ever. A `sql_variant` is in its encoded form.
//! * F3: a call that binding calls deterministic asks nothing of session, catalog and server.
//!
//! What has syntax or rules of evaluation of its own is the binder's: `CAST` and its kin, `CASE`,
//! `COALESCE`, `NULLIF`, `IIF`, `CHOOSE`, `GROUPING`, `NEXT VALUE FOR`, `UPDATE()`, window functions.

pub mod aggregate;
mod applock;
mod conversion;
mod date;
pub mod descriptor;
mod digest;
pub mod facts;
pub mod fold;
mod index_entry;
mod math;
mod metadata;
mod registry;
pub mod rowset;
pub mod server;
mod session;
mod signature;
mod string;
#[cfg(any(test, feature = "testing"))]
#[allow(missing_docs, clippy::unwrap_used)]
pub mod testing;
#[cfg(test)]
mod tests;
mod values;

pub use aggregate::{AggregateFunction, AggregateState};
pub(crate) use date::FIXED_ZONES;
pub use descriptor::{
    ArgType, CallTypes, Inferred, NullBehaviour, Placement, ScalarFunction, Typing, Volatility,
};
pub use facts::{FnContext, MetadataFacts, SessionFacts};
pub use registry::{all, lookup, lookup_aggregate, lookup_odbc, lookup_rowset, unknown_function};
pub use rowset::{RowsetFunction, RowsetRows};
