//! Finding functions by name.

use std::sync::LazyLock;

use hashbrown::HashMap;
use ir::function::{AggregateFunction, FileContent, Functions, RowsetFunction, ScalarFunction};

use super::{
    aggregate, applock, clr, conversion, date, digest, gzip, index_entry, json, mask, math,
    metadata, rowset, sample, server, session, string, text_pointer, tracking, xml,
};

/// Names are looked up in upper case; no function has a longer one.
const NAME_MAX: usize = 40;

static GROUPS: [&[ScalarFunction]; 32] = [
    string::FUNCTIONS,
    string::FORMATTING,
    math::FUNCTIONS,
    math::BITS,
    date::FUNCTIONS,
    conversion::FUNCTIONS,
    digest::FUNCTIONS,
    gzip::FUNCTIONS,
    json::READING,
    json::build::FUNCTIONS,
    json::rows::FUNCTIONS,
    xml::rows::FUNCTIONS,
    xml::method::FUNCTIONS,
    xml::column_set::FUNCTIONS,
    clr::hierarchy::FUNCTIONS,
    clr::spatial::GEOMETRY,
    clr::spatial::GEOGRAPHY,
    clr::spatial::SPECIAL,
    xml::index::FUNCTIONS,
    index_entry::FUNCTIONS,
    sample::FUNCTIONS,
    text_pointer::FUNCTIONS,
    tracking::FUNCTIONS,
    session::FUNCTIONS,
    session::GLOBALS,
    applock::FUNCTIONS,
    server::FUNCTIONS,
    metadata::OBJECTS,
    metadata::PROPERTIES,
    metadata::DATABASES,
    metadata::PRINCIPALS,
    mask::FUNCTIONS,
];

/// Functions that only `{fn …}` knows.
static ODBC_GROUPS: [&[ScalarFunction]; 2] = [math::ODBC, date::ODBC];

static SCALARS: LazyLock<HashMap<&'static str, &'static ScalarFunction>> =
    LazyLock::new(|| GROUPS.iter().copied().flatten().map(|f| (f.name, f)).collect());

/// What `{fn …}` calls functions that T-SQL calls otherwise.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("UCASE", "UPPER"),
    ("LCASE", "LOWER"),
    ("LENGTH", "LEN"),
    ("CHAR_LENGTH", "LEN"),
    ("CHARACTER_LENGTH", "LEN"),
    ("OCTET_LENGTH", "DATALENGTH"),
    ("LOCATE", "CHARINDEX"),
    ("REPEAT", "REPLICATE"),
    ("INSERT", "STUFF"),
    ("IFNULL", "ISNULL"),
    ("ATAN2", "ATN2"),
    ("NOW", "GETDATE"),
    ("CURRENT_TIMESTAMP", "GETDATE"),
    ("DAYOFMONTH", "DAY"),
    ("DATABASE", "DB_NAME"),
    ("USER", "USER_NAME"),
];

/// The functions of the library.
pub struct Library;

impl Functions for Library {
    fn scalar(&self, name: &str) -> Option<&'static ScalarFunction> {
        with_upper_case(name, |name| SCALARS.get(name).copied())
    }

    fn odbc(&self, name: &str) -> Option<&'static ScalarFunction> {
        with_upper_case(name, |name| {
            let other = OTHER_NAMES.iter().find(|(odbc, _)| *odbc == name);
            let own = ODBC_GROUPS.iter().copied().flatten().find(|f| f.name == name);
            own.or_else(|| SCALARS.get(other.map_or(name, |(_, name)| name)).copied())
        })
    }

    fn aggregate(&self, name: &str) -> Option<&'static AggregateFunction> {
        let all = aggregate::FUNCTIONS.iter().chain(&clr::spatial::AGGREGATES);
        all.into_iter().find(|f| f.name.eq_ignore_ascii_case(name))
    }

    fn rowset(&self, name: &str) -> Option<&'static RowsetFunction> {
        rowset::FUNCTIONS.iter().find(|f| f.name.eq_ignore_ascii_case(name))
    }

    fn open_json(&self) -> &'static RowsetFunction {
        &json::OPEN_WITH
    }

    fn open_file(&self, content: FileContent) -> &'static RowsetFunction {
        rowset::file(content)
    }

    fn xml_nodes(&self) -> &'static RowsetFunction {
        &xml::method::NODES
    }

    fn xml_index_entries(&self) -> &'static RowsetFunction {
        &xml::index::ENTRIES
    }

    fn spatial_cells(&self) -> &'static RowsetFunction {
        &clr::cells::CELLS
    }

    fn spatial_cover(&self) -> &'static RowsetFunction {
        &clr::cells::COVER_RANGES
    }

    fn open_xml(&self, has_columns: bool) -> &'static RowsetFunction {
        if has_columns { &xml::open::OPEN_WITH } else { &xml::open::OPEN_EDGES }
    }
}

/// Every scalar function that T-SQL calls by name, in no particular order.
pub fn all() -> impl Iterator<Item = &'static ScalarFunction> {
    GROUPS.iter().copied().flatten()
}

fn with_upper_case<T>(name: &str, find: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    let mut upper = [0; NAME_MAX];
    let upper = upper.get_mut(..name.len())?;
    upper.copy_from_slice(name.as_bytes());
    upper.make_ascii_uppercase();
    find(std::str::from_utf8(upper).ok()?)
}

#[cfg(test)]
mod tests;
