//! What batches answer.

mod flow;
mod modules;
mod transactions;
