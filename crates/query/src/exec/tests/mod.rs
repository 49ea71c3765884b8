//! What batches answer.

mod flow;
