//! Statements, messages and logins that a server must survive, made from a seed.
//!
//! Each test starts `thermocline serve` in a process of its own and lets several clients send it
//! what a seed says. It fails when a connection is lost that should not be, the process ends, an
//! answer or a login takes longer than twenty seconds, or an error admits that the fault is the
//! server's (8624, 3624).
//!
//! `THERMOCLINE_FUZZ` says how many cases each test sends (a few thousand by default),
//! `THERMOCLINE_SEED` which ones (1), and `THERMOCLINE_PROGRAM` the server, if not the one that was
//! built with this. A failure prints the seed of the session it happened in; that seed with a small
//! `THERMOCLINE_FUZZ` sends the same again.

#![allow(clippy::unwrap_used, reason = "a test may fail wherever it likes")]

mod expressions;
mod harness;
mod messages;
mod mutation;
mod native;
mod privileges;
mod statements;
mod structure;
