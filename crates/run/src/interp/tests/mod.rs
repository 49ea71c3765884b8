//! Units made from plans, run over tables.

mod bench;
mod changes;
mod differential;
mod expressions;
mod joins;
mod native;
mod numbers;
mod optimized;
mod queries;
mod reference;
mod series;
mod spilling;
