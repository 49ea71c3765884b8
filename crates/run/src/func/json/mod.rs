//! Functions of JSON text.
//!
//! * `document`: an argument as JSON text, a path, and what leads where.
//! * `read`: ISJSON, JSON_VALUE, JSON_QUERY, JSON_PATH_EXISTS; `returning`: JSON_VALUE with the
//!   type of its result; `contains`: JSON_CONTAINS; `open`: OPENJSON; `modify`: JSON_MODIFY.
//! * `render`: a value as JSON text; `build`: JSON_OBJECT, JSON_ARRAY, and what their aggregates
//!   collect; `rows`: the objects and pieces of `FOR JSON`.
//!
//! Documents that are made of values are `nvarchar(max)`. Whether a string is JSON text, which is
//! written as it is, or becomes a string of JSON, the binder knows: see `ir::function::json`.

pub(super) mod build;
mod contains;
mod document;
mod modify;
mod open;
mod read;
pub(in crate::func) mod render;
mod returning;
pub(super) mod rows;

use ir::function::descriptor::{ANY_NUMBER, ScalarFunction};
use ir::function::json::names;
use ir::function::rowset::{RowsetFunction, RowsetRows};

/// Functions that read JSON text.
pub(super) static READING: &[ScalarFunction] = &[
    ScalarFunction::strict("ISJSON", (1, 2), read::types_of_isjson, read::isjson)
        .own_nulls()
        .native(),
    ScalarFunction::strict("JSON_VALUE", (2, 2), read::types_of_json_value, read::json_value)
        .of_document()
        .own_nulls()
        .native(),
    ScalarFunction::strict(
        names::VALUE_RETURNING,
        (3, 3),
        returning::types_of_returning,
        returning::json_value_returning,
    )
    .of_document()
    .own_nulls(),
    ScalarFunction::strict("JSON_QUERY", (1, 2), read::types_of_json_query, read::json_query)
        .of_document()
        .own_nulls()
        .native()
        .json(),
    ScalarFunction::strict(
        "JSON_PATH_EXISTS",
        (2, 2),
        read::types_of_path_exists,
        read::json_path_exists,
    )
    .of_document()
    .own_nulls()
    .native(),
    ScalarFunction::strict(
        "JSON_MODIFY",
        (3, 3),
        modify::types_of_json_modify,
        modify::json_modify,
    )
    .of_document()
    .own_nulls()
    .native()
    .marked()
    .json(),
    ScalarFunction::strict(
        "JSON_CONTAINS",
        (2, 4),
        contains::types_of_json_contains,
        contains::json_contains,
    )
    .of_document()
    .own_nulls(),
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
    arguments: (2, ANY_NUMBER),
    columns: open::columns_of_with,
    rows: RowsetRows::Filled(open::rows_with),
    infer: open::types_of_with,
};

#[cfg(test)]
mod tests;
