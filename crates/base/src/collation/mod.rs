//! Collations: what strings mean, and how they compare.
//!
//! * [`table`]: the collations there are, by name, number and wire form.
//! * [`codepage`]: bytes of char and varchar to and from Unicode.
//! * `weights`: the weight of each character; data in `decompositions.rs`.
//! * [`mod@compare`]: comparison, sort keys, hashes.
//! * [`like`]: LIKE and PATINDEX patterns.
//! * [`search`]: CHARINDEX and REPLACE.
//! * [`case`]: UPPER and LOWER.

pub mod case;
pub mod codepage;
pub mod compare;
mod decompositions;
pub mod like;
pub mod search;
pub mod table;
mod weights;

pub use codepage::ByteWriter;
pub use compare::{compare, compare_paced, equal, hash, hash_paced, prefix_key, sort_key};
pub use like::LikePattern;
pub use table::{CollationFlags, CollationInfo};
