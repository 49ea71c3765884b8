//! What people and scripts use beside the server: the SQL shell, the stress driver, the sample
//! databases, the demo and the benchmarks.
//!
//! Everything here talks to a server as any client does, over TDS, so that it works against every
//! server that speaks it and shows what an application would see.
//!
//! * [`client`]: a small blocking client, which all others use.
//! * [`show`]: values as text.
//! * [`sql`]: `thermocline sql`, a shell with the flags and scripts of sqlcmd.
//! * [`stress`]: `thermocline stress`, a load driver with the flags of ostress.

#![forbid(unsafe_code)]

pub mod client;
pub mod show;
pub mod sql;
pub mod stress;
