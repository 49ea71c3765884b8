//! SQL Server's data: its types, values and errors, and nothing that does I/O or starts a thread.
//!
//! Every other crate speaks in these terms, so this one depends on none of them.
//!
//! * [`types`]: what a column, variable or parameter is declared as; the types of operators.
//! * [`value`]: one value of such a type, owned or borrowed.
//! * [`arena`]: where a statement's values live; [`account`]: what that memory is charged to.
//! * [`pace`]: how computations on long values let other sessions have their turn.
//! * [`collation`]: code pages, comparison, sort keys, LIKE, case.
//! * [`decimal`]: exact decimals of 38 digits.
//! * [`datetime`]: the calendar, reading and writing dates, their arithmetic.
//! * [`text`]: short texts on the stack, numbers as text, identifiers.
//! * [`convert`](mod@convert): CAST and CONVERT between all types; [`variant`]: sql_variant as
//!   bytes.
//! * [`arithmetic`]: checked operators, comparison and hashing of values.
//! * [`error`]: what went wrong, as clients see it (number, severity, state, line).
//! * [`message`]: the catalogue of message texts behind those numbers.
//! * [`on_purpose`]: panics that tests ask for.
//! * [`stack`]: how much stack is left for a recursion over what a client has written.
//! * [`json`]: JSON text from left to right, and paths in it.
//! * [`hierarchy`]: hierarchyid; [`clr`]: what all types of its assembly have. Geometry and
//!   geography are in a crate of their own.
//! * [`ids`]: the integers by which databases, objects and log positions are named.

pub mod account;
pub mod arena;
pub mod arithmetic;
pub mod clr;
pub mod collation;
pub mod convert;
pub mod datetime;
pub mod decimal;
pub mod error;
pub mod hierarchy;
pub mod ids;
pub mod json;
pub mod message;
pub mod on_purpose;
pub mod pace;
pub mod stack;
pub mod text;
pub mod types;
pub mod value;
pub mod variant;
pub mod xml;

pub use account::{Account, Charged, Scratch, UNASKED};
pub use arena::Arena;
pub use convert::{ConvertOptions, convert, try_convert};
pub use error::{SqlError, SqlResult};
pub use pace::{Pace, Unpaced};
pub use types::{Collation, SqlType, TypeKind};
pub use value::{Value, ValueRef};
