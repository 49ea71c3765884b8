//! Functions of strings.
//!
//! * `slice`: pieces of one string; `search`: finding and replacing; `set`: sets of characters;
//!   `build`: making strings out of parts and codes; `name`: identifiers; `sound`: SOUNDEX.
//! * `print`: numbers and messages as text; `format`: FORMAT; `parse`: PARSE and
//!   TRY_PARSE; `culture`: what these two go by.
//!
//! Positions and lengths count characters as the collation does: bytes in most code pages, UTF-16
//! units unless the collation knows supplementary characters.

mod build;
mod culture;
mod format;
mod name;
mod parse;
mod print;
mod search;
mod set;
mod slice;
mod sound;

use base::collation::search::Walk;
use base::{Collation, ValueRef};

pub(super) use name::split_name;

use super::values::{bytes, in_form_of};
use ir::function::descriptor::ScalarFunction;

/// Functions of strings.
pub(super) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::strict("LEN", (1, 1), slice::types_of_len, slice::len).native(),
    ScalarFunction::strict("DATALENGTH", (1, 1), slice::types_of_datalength, slice::datalength)
        .native(),
    ScalarFunction::strict("LEFT", (2, 2), slice::types_of_end, slice::left),
    ScalarFunction::strict("RIGHT", (2, 2), slice::types_of_end, slice::right),
    ScalarFunction::strict("SUBSTRING", (3, 3), slice::types_of_substring, slice::substring)
        .native(),
    ScalarFunction::strict("LTRIM", (1, 2), slice::types_of_trim, slice::ltrim).native(),
    ScalarFunction::strict("RTRIM", (1, 2), slice::types_of_trim, slice::rtrim).native(),
    ScalarFunction::strict("TRIM", (1, 1), slice::types_of_trim, slice::trim).native(),
    // `TRIM(characters FROM source)`, as (source, characters).
    ScalarFunction::strict("TRIM FROM", (2, 2), slice::types_of_trim, slice::trim).native(),
    // What a varbinary column of ANSI_PADDING OFF keeps; no text can call it.
    ScalarFunction::strict("TRIM ZEROS", (1, 1), slice::types_of_trim_zeros, slice::trim_zeros),
    ScalarFunction::strict("REVERSE", (1, 1), slice::types_of_same_width, slice::reverse),
    ScalarFunction::strict("UPPER", (1, 1), slice::types_of_same_width, build::upper),
    ScalarFunction::strict("LOWER", (1, 1), slice::types_of_same_width, build::lower),
    ScalarFunction::strict("CHARINDEX", (2, 3), search::types_of_charindex, search::charindex),
    ScalarFunction::strict("PATINDEX", (2, 2), search::types_of_patindex, search::patindex),
    ScalarFunction::strict("REPLACE", (3, 3), search::types_of_replace, search::replace),
    ScalarFunction::strict("TRANSLATE", (3, 3), search::types_of_translate, search::translate)
        .native(),
    ScalarFunction::strict("STUFF", (4, 4), search::types_of_stuff, search::stuff).own_nulls(),
    ScalarFunction::strict("CONCAT", (2, 254), build::types_of_concat, build::concat).own_nulls(),
    ScalarFunction::strict("CONCAT_WS", (3, 254), build::types_of_concat_ws, build::concat_ws)
        .own_nulls()
        .native(),
    ScalarFunction::strict("REPLICATE", (2, 2), build::types_of_replicate, build::replicate),
    ScalarFunction::strict("SPACE", (1, 1), build::types_of_space, build::space),
    ScalarFunction::strict("CHAR", (1, 1), build::types_of_char, build::char),
    ScalarFunction::strict("NCHAR", (1, 1), build::types_of_nchar, build::nchar),
    ScalarFunction::strict("ASCII", (1, 1), build::types_of_ascii, build::ascii),
    ScalarFunction::strict("UNICODE", (1, 1), build::types_of_unicode, build::unicode),
    ScalarFunction::strict("SOUNDEX", (1, 1), sound::types_of_soundex, sound::soundex),
    ScalarFunction::strict("DIFFERENCE", (2, 2), sound::types_of_difference, sound::difference),
];

/// Names, and other things as text.
pub(super) static FORMATTING: &[ScalarFunction] = &[
    ScalarFunction::strict("QUOTENAME", (1, 2), name::types_of_quotename, name::quotename),
    ScalarFunction::strict("PARSENAME", (2, 2), name::types_of_parsename, name::parsename),
    ScalarFunction::strict("STR", (1, 3), print::types_of_str, print::str),
    ScalarFunction::strict(
        "STRING_ESCAPE",
        (2, 2),
        print::types_of_string_escape,
        print::string_escape,
    ),
    ScalarFunction::fact(
        "FORMATMESSAGE",
        (1, 21),
        print::types_of_formatmessage,
        print::formatmessage,
    ),
    ScalarFunction::strict("FORMAT", (2, 3), format::types_of_format, format::format)
        .runtime_constant(),
    // `PARSE(text AS type USING culture)`.
    ScalarFunction::strict("PARSE", (2, 3), parse::types_of_parse, parse::parse)
        .own_nulls()
        .runtime_constant(),
    ScalarFunction::strict("TRY_PARSE", (2, 3), parse::types_of_parse, parse::try_parse)
        .own_nulls()
        .runtime_constant(),
];

/// The characters of a string, each as a string of its own.
fn characters<'a>(value: ValueRef<'a>, collation: Collation) -> impl Iterator<Item = ValueRef<'a>> {
    let whole = bytes(value);
    Walk::new(collation, value).map(move |range| in_form_of(value, &whole[range]))
}

/// Whether two characters are the same under a collation.
fn same_character(a: ValueRef<'_>, b: ValueRef<'_>, collation: Collation) -> bool {
    bytes(a) == bytes(b) || base::collation::equal(collation, a, b)
}

#[cfg(test)]
mod tests;
