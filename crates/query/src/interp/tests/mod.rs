//! Units made from plans, run over tables.

mod changes;
mod expressions;
mod native;
mod queries;
