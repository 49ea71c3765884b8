//! A real server on a real socket, as its clients see it.

#![allow(clippy::unwrap_used, reason = "a test may panic anywhere")]

mod attaching;
mod attention;
mod backups;
mod both_kinds;
mod chains;
mod classification;
mod clr;
mod crowd;
mod damage;
mod durability;
mod ending;
mod error_log;
mod extremes;
mod isolation;
mod json;
mod loads;
mod logins;
mod malformed;
mod memory_and_disk;
mod numbers;
mod old_snapshots;
mod online;
mod outputs;
mod panics;
mod requests;
mod resource_pools;
mod schema_locks;
mod security;
mod settings;
mod shrinking;
mod spilling;
mod sql;
mod successors;
mod support;
mod tiberius;
mod trace;
mod xml;
