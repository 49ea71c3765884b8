//! Functions of JSON text.
//!
//! * `document`: an argument as JSON text, a path, and what leads where.
//! * `read`: ISJSON, JSON_VALUE, JSON_QUERY, JSON_PATH_EXISTS; `open`: OPENJSON.

mod document;
mod open;
mod read;

use ir::function::descriptor::ScalarFunction;
use ir::function::rowset::{RowsetFunction, RowsetRows};

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

/// `OPENJSON`.
pub(super) const OPEN: RowsetFunction = RowsetFunction {
    name: "OPENJSON",
    arguments: (1, 2),
    columns: open::columns,
    rows: RowsetRows::Filled(open::rows),
    infer: open::types,
};

/// `OPENJSON` with columns.
pub(super) static OPEN_WITH: RowsetFunction = RowsetFunction {
    name: "OPENJSON",
    arguments: (1, 2),
    columns: open::columns_of_with,
    rows: RowsetRows::Filled(open::rows_with),
    infer: open::types_of_with,
};

#[cfg(test)]
mod tests;
