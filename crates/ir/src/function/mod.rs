//! Functions as statements know them: what they are called, which types they take and give, and
//! what evaluating one needs. A [`Functions`] says which there are; their bodies are in
//! `run::func`.
//!
//! # Invariants
//!
//! * F1: arguments of an evaluation have exactly the types that binding asked for; those of a
//!   strict function are not NULL.
//! * F2: a result has the representation of the result's type and lives in the context's arena, in
//!   the arguments, or for ever. A `sql_variant` is in its encoded form.
//! * F3: a call that binding calls deterministic asks nothing of session, catalog and server.

pub mod aggregate;
pub mod clr;
pub mod descriptor;
pub mod documents;
pub mod facts;
pub mod json;
pub mod method;
pub mod open_xml;
pub mod prepared;
pub mod quantiles;
pub mod rowset;
pub mod sample;
pub mod signature;
pub mod sketch;
pub mod state;
pub mod stream;
pub mod text;
pub mod tracking;
pub mod xml;

use base::{SqlError, message};

pub use aggregate::AggregateFunction;
pub use descriptor::{
    ArgType, CallTypes, Inferred, Memo, NullBehaviour, Placement, ScalarFunction, Typing,
    Volatility,
};
pub use facts::{FnContext, MetadataFacts, SessionFacts};
pub use method::MethodPlan;
pub use rowset::{RowsetFunction, RowsetRows};
pub use state::AggregateState;

/// The functions that there are, by name in any case.
pub trait Functions: Sync {
    /// A scalar function. `@@ROWCOUNT` and the like are functions without arguments, as are
    /// `CURRENT_TIMESTAMP`, `CURRENT_USER` and what else is called without parentheses.
    ///
    /// Those with blanks in their names are called by the binder alone: `TRIM FROM` takes (source,
    /// characters) and cuts at both ends (at one end it is `LTRIM` or `RTRIM`), `AT TIME ZONE`
    /// takes (value, zone), and others make parts of JSON ([`json::names`])
    /// or are methods of type xml ([`method::names`]) or of CLR types ([`clr`]).
    fn scalar(&self, name: &str) -> Option<&'static ScalarFunction>;

    /// The function that `{fn name(…)}` means.
    fn odbc(&self, name: &str) -> Option<&'static ScalarFunction>;

    /// An aggregate.
    fn aggregate(&self, name: &str) -> Option<&'static AggregateFunction>;

    /// A table-valued function.
    fn rowset(&self, name: &str) -> Option<&'static RowsetFunction>;

    /// What `OPENJSON(…) WITH (…)` means. It is given a document, its path, and for each column
    /// what the column is and its path.
    fn open_json(&self) -> &'static RowsetFunction;

    /// What `OPENROWSET(BULK …)` means with a whole file as one value: it is given the path.
    fn open_file(&self, content: FileContent) -> &'static RowsetFunction;

    /// What `nodes()` of type xml means: it takes what the other methods take ([`method::names`]),
    /// and yields the nodes as those take them.
    fn xml_nodes(&self) -> &'static RowsetFunction;

    /// The entries of a document in an XML index: it takes the document, and yields for each its
    /// number, path and value.
    fn xml_index_entries(&self) -> &'static RowsetFunction;

    /// The cells under which a spatial index enters a shape: it takes the bytes of the shape and
    /// of the grid ([`clr::spatial::encode_grid`]).
    fn spatial_cells(&self) -> &'static RowsetFunction;

    /// The ranges of cells in which a search looks: it takes the bytes of a shape and of the grid
    /// and, of shapes within a distance, that.
    fn spatial_cover(&self) -> &'static RowsetFunction;

    /// What `OPENXML` means with columns and without. It is given a handle, a pattern and flags,
    /// and for each column an [`open_xml::OpenColumn`].
    fn open_xml(&self, has_columns: bool) -> &'static RowsetFunction;
}

/// What a file is read as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileContent {
    /// `SINGLE_BLOB`.
    Bytes,
    /// `SINGLE_CLOB`: characters of the database's code page.
    Narrow,
    /// `SINGLE_NCLOB`: UTF-16.
    Wide,
}

/// Error 195 about a name that is not a function.
pub fn unknown_function(name: &str) -> SqlError {
    SqlError::new(&message::NOT_RECOGNIZED, &[&name, &"built-in function name"])
}

#[cfg(test)]
mod tests;
