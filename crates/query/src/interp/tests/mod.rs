//! Units made from plans, run over tables.

mod bench;
mod changes;
mod differential;
mod expressions;
mod generate;
mod native;
mod optimized;
mod queries;
mod reference;
