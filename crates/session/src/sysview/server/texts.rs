//! Statements within texts, as the views over executions show them.

use std::ops::Range;

/// Where a statement begins, and where its last character does: in bytes of UTF-16, as
/// `statement_start_offset` and `statement_end_offset` have it. The text that is shown has the
/// declarations of its parameters before it, if there are any.
pub fn offsets(text: &str, place: &Range<u32>, parameters: &str) -> (i32, i32) {
    let units = |part: &str| part.encode_utf16().count();
    let before = match parameters {
        "" => 0,
        parameters => units(parameters) + 2,
    };
    let start_units = before + text.get(..place.start as usize).map_or(0, units);
    let statement = text.get(place.start as usize..place.end as usize).unwrap_or_default();
    let last = statement.trim_end().char_indices().next_back().map_or(0, |(at, _)| at);
    let end_units = start_units + units(&statement[..last]);
    let byte = |units: usize| i32::try_from(units * 2).unwrap_or(i32::MAX);
    (byte(start_units), byte(end_units))
}

/// The same number for statements that differ in nothing but constants, white space and case.
pub fn shape_hash(text: &str) -> u64 {
    const PRIME: u64 = 0x0100_0000_01B3;
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut add = |c: char| hash = (hash ^ u64::from(u32::from(c))).wrapping_mul(PRIME);
    let mut chars = text.chars().peekable();
    let mut in_word = false;
    while let Some(c) = chars.next() {
        if c == '\'' {
            while let Some(inside) = chars.next() {
                // A doubled quote is part of the string.
                if inside == '\'' && chars.next_if_eq(&'\'').is_none() {
                    break;
                }
            }
            add('?');
        } else if c.is_ascii_digit() && !in_word {
            while chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '.').is_some() {}
            add('?');
        } else if c.is_whitespace() {
            while chars.next_if(|c| c.is_whitespace()).is_some() {}
            add(' ');
        } else {
            c.to_lowercase().for_each(&mut add);
        }
        in_word = c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '$');
    }
    hash
}

#[cfg(test)]
mod tests;
