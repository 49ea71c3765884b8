//! Units made from plans, run over tables.

mod expressions;
mod queries;
