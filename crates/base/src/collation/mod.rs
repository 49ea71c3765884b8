//! Collations: what strings mean, and how they compare.
//!
//! * [`table`]: the collations there are, by name, number and wire form; `families` has Windows'.
//! * [`codepage`]: bytes of char and varchar to and from Unicode.
//! * `weights`: the weight of each character for Latin1_General, Cyrillic_General and Greek; data
//!   in `decompositions.rs`.
//! * [`rules`]: the weights of all other families; data in `data/`.
//! * [`mod@compare`]: comparison, sort keys, hashes; `tailored` has them by rules.
//! * [`like`]: LIKE and PATINDEX patterns.
//! * [`search`]: CHARINDEX and REPLACE.
//! * [`case`]: UPPER and LOWER.

pub mod case;
pub mod codepage;
pub mod compare;
mod decompositions;
mod families;
pub mod like;
pub mod rules;
pub mod search;
pub mod table;
mod tailored;
mod weights;

pub use codepage::ByteWriter;
pub use compare::{compare, compare_paced, equal, hash, hash_paced, prefix_key, sort_key};
pub use like::LikePattern;
pub use table::{CollationFlags, CollationInfo};
