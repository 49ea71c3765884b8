//! Binding: from a syntax tree to a plan whose names, types and conversions are decided.
//!
//! # Life of a statement
//!
//! [`statement`] makes a [`binder::Binder`] over what the names mean ([`BindContext`]), binds the
//! tree from the inside out ([`query`], [`select`], [`from`], [`expr`], [`condition`]), has the
//! planner improve the tree of operators, and returns it with what must be known before it is run
//! ([`Facts`]) and what it depends on ([`Dependencies`]). The binder itself plans nothing: it scans
//! whole tables and joins by nested loops in the order written.
//!
//! Everything that T-SQL reports when a statement is compiled is reported here, with its line. An
//! object that does not exist is marked as such ([`BindError::missing`]), since it may exist by the
//! time the statement is run.
//!
//! # Where things are
//!
//! * `statement`: statements as wholes; `query`, `select`, `group`, `order`, `window`: queries.
//! * `from`, `source`, `names`, `cte`, `expand`, `pivot`, `hints`: where rows come from.
//! * `scope`: query blocks and how columns are found in them.
//! * `expr`, `condition`, `call`, `case`, `convert`, `scalar`: expressions; `json`, `xml`:
//!   what writes JSON and XML; `method`: methods of type xml; `derived_index`: indexes for
//!   them and for shapes.
//! * `indexed_view`: which views can have indexes; `dml::views`: how their rows are kept up;
//!   `view_match`: which queries they answer.
//! * `policy`: what security policies say of rows; `mask`: what masks leave of values.

mod access_hint;
mod binder;
mod call;
mod case;
mod change_table;
mod classify;
mod column_set;
mod computed;
mod condition;
pub mod context;
mod convert;
mod cte;
pub mod define;
mod derived_index;
mod dml;
mod expand;
mod expr;
mod flow;
mod from;
mod group;
mod hints;
mod indexed_view;
mod into;
mod json;
pub mod key_limit;
mod mask;
mod method;
mod names;
pub mod native;
mod open_json;
mod open_xml;
mod order;
mod pivot;
pub mod policy;
mod query;
mod recover;
mod sample;
mod scalar;
mod scope;
mod select;
mod source;
mod statement;
mod system_time;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod text;
mod view_match;
mod window;
mod xml;

pub use context::{
    Access, BindContext, BindError, BindOptions, BindResult, CONTAINED_CATALOG, CursorRow,
    Dependencies, Facts, NameDependency, Names, NamingColumn, ObjectDependency, SystemObject,
    SystemView, TriggerScope, Variable,
};
pub use convert::DeclaredType;
pub use derived_index::{Unfit, derived_index_entries, unfit_path};
pub use dml::{COMMIT_TABLE, commit_table, view_rows};
pub use indexed_view::{FirstIndex, indexed_view};
pub use native::{BoundNative, native};
pub use statement::{
    Bound, BoundExpr, BoundPred, Fragment, QueryColumn, QueryColumns, Suggestion, assigned_value,
    condition, constant_expression, data_type, describe, expression, printed_expression,
    query_columns, select_into, select_into_columns, statement, suggest_parameters,
};
