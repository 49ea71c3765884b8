//! Functions of JSON text.
//!
//! * `document`: an argument as JSON text, a path, and what leads where.
//! * `read`: ISJSON, JSON_VALUE, JSON_QUERY, JSON_PATH_EXISTS.

mod document;
mod read;

use ir::function::descriptor::ScalarFunction;

/// Functions that read JSON text.
pub(super) static READING: &[ScalarFunction] = &[
    ScalarFunction::strict("ISJSON", (1, 2), read::types_of_isjson, read::isjson)
        .own_nulls()
        .native(),
    ScalarFunction::strict("JSON_VALUE", (2, 2), read::types_of_json_value, read::json_value)
        .own_nulls()
        .native(),
    ScalarFunction::strict("JSON_QUERY", (1, 2), read::types_of_json_query, read::json_query)
        .own_nulls()
        .native(),
    ScalarFunction::strict(
        "JSON_PATH_EXISTS",
        (2, 2),
        read::types_of_path_exists,
        read::json_path_exists,
    )
    .own_nulls()
    .native(),
];

#[cfg(test)]
mod tests;
