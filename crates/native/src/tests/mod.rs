//! The machine code against the interpreter: the same units, the same results, errors and effects.
//!
//! `THERMOCLINE_SEED` and `THERMOCLINE_SEEDS` say where random programs start and how many are
//! tried.

mod ahead;
mod cost;
mod documents;
mod lifetime;
mod matrix;
mod modules;
mod panics;
mod plans;
mod server;

use ir::Unit;
use ir::machine_code::CodeGenerator;

use crate::Generator;

/// Gives a unit machine code.
fn compile(unit: &Unit) {
    thread_local!(static GENERATOR: Generator = Generator::new().expect("this machine is known"));
    let code = GENERATOR.with(|g| g.generate(unit)).expect("the unit can be compiled");
    unit.machine_code.set(code).expect("a unit is compiled once");
}

/// How many seeds are tried; the environment may ask for more.
fn seeds(default: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let first = number("THERMOCLINE_SEED").unwrap_or(1);
    let seeds = first..first + number("THERMOCLINE_SEEDS").unwrap_or(default);
    println!("seeds {seeds:?}");
    seeds
}
