//! Dates and times: the calendar, reading and writing, arithmetic.
//!
//! Values are integers (see [`crate::types::Repr`]); [`Moment`] is the form in between.
//!
//! * [`civil`]: the calendar.
//! * [`moment`]: every type to and from one form, with its rounding and range.
//! * [`parse`], [`mod@format`]: text; [`language`]: names and orders.
//! * [`zone`]: time zones and their offsets.
//! * [`part`]: DATEPART, DATEADD, DATEDIFF and the like; [`build`]: FROMPARTS, EOMONTH, offsets.

pub mod build;
pub mod civil;
pub mod format;
pub mod language;
pub mod moment;
pub mod parse;
pub mod part;
pub mod zone;

pub use language::{DateOrder, DateSettings, Language, US_ENGLISH};
pub use moment::Moment;
pub use part::DatePart;
pub use zone::Zone;
