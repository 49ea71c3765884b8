//! Isolation, checked from outside: clients run random transactions, and what they have seen is
//! searched for anomalies.
//!
//! Each transaction appends to lists, reads lists, adds to sets and reads sets ([`history`]). Lists
//! show the order of all writes, so every dependency between transactions follows from the answers,
//! and an anomaly is a cycle of dependencies that the isolation level forbids ([`check`], after
//! Adya's definitions and the checker Elle).
//!
//! `THERMOCLINE_HISTORIES` says how many seconds each isolation level is tried on each kind of
//! table (1 by default), `THERMOCLINE_HISTORIES_OF` which kinds alone (`Cached,All` for instance),
//! `THERMOCLINE_SEED` what the clients do, `THERMOCLINE_PROGRAM` which server it happens to.

#![allow(clippy::unwrap_used, reason = "a test may fail wherever it likes")]

mod check;
mod history;
mod workload;
