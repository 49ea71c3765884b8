//! What people and scripts use beside the server: the SQL shell, the stress driver, the sample
//! databases, the demo and the benchmarks.
//!
//! Everything here talks to a server as any client does, over TDS, so that it works against every
//! server that speaks it and shows what an application would see.
//!
//! * [`backup`]: `thermocline backup` and `thermocline restore`.
//! * [`demo`]: `thermocline demo`, the sample's workload on a server of its own.
//! * [`bench`]: `thermocline bench`, figures whose answers are checked.
//! * [`report`]: `thermocline report`, published experiments with their figures beside ours.
//! * [`workload`]: the sales orders that both of them insert; [`local`]: the servers they start.
//! * [`order_processing`]: the order-processing benchmark's tables, data and clients.
//! * [`client`]: a small blocking client, which all others use.
//! * [`show`]: values as text.
//! * [`sql`]: `thermocline sql`, a shell with the flags and scripts of sqlcmd.
//! * [`sample`]: the AdventureWorks sample, scripts and data.
//! * [`stress`]: `thermocline stress`, a load driver with the flags of ostress.

#![forbid(unsafe_code)]

pub mod backup;
pub mod bench;
pub mod client;
pub mod demo;
pub mod local;
pub mod order_processing;
mod random;
pub mod report;
pub mod sample;
pub mod show;
pub mod sql;
pub mod stress;
pub mod workload;

#[cfg(test)]
mod testing;
