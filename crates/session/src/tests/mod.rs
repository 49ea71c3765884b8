//! What batches answer.

mod access;
mod backups;
mod bindings;
mod calls;
mod cancellation;
mod collations;
mod column_sets;
mod contained;
mod damage;
mod documents;
mod errors;
mod golden;
mod grants;
mod hierarchy;
mod laws;
mod logins;
mod masks;
mod memory;
mod panics;
mod plans;
mod policies;
mod power;
mod properties;
mod row_caching;
mod samples;
mod sensitivity;
mod starting;
mod suspect;
mod temporal;
mod temporary;
mod tracking;
mod transactions;
mod xml_index;
mod xml_schema;

use super::testing::TestServer;
