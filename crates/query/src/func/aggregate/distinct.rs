//! APPROX_COUNT_DISTINCT: exact for few values, then HyperLogLog (Flajolet and others, 2007) with
//! 2^14 registers, whose standard error is 0.8 %.

use base::arithmetic::hash;
use base::{Arena, SqlResult, SqlType, ValueRef};

use super::state::More;
use super::{AggregateState, own_type, refuse};
use crate::func::descriptor::{CallTypes, Inferred};
use crate::func::signature::Call;

/// Bits of a hash that choose the register.
const INDEX_BITS: u32 = 14;
const REGISTERS: usize = 1 << INDEX_BITS;
/// As long as there are no more hashes than this they are kept as they are.
const EXACT_MAX: usize = 1024;

/// Which values were seen.
#[derive(Clone, Debug)]
pub(super) enum Sketch {
    /// Their hashes, sorted.
    Exact(Vec<u64>),
    /// For each register the longest run of zeros of the hashes that fell to it, plus one.
    Registers(Box<[u8; REGISTERS]>),
}

impl Sketch {
    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Sketch::Exact(hashes) => hashes.capacity() * size_of::<u64>(),
            Sketch::Registers(_) => REGISTERS,
        }
    }

    fn add(&mut self, hash: u64) {
        match self {
            Sketch::Exact(hashes) => {
                let Err(at) = hashes.binary_search(&hash) else { return };
                hashes.insert(at, hash);
                if hashes.len() > EXACT_MAX {
                    let mut registers = Box::new([0; REGISTERS]);
                    hashes.iter().for_each(|h| set(&mut registers, *h));
                    *self = Sketch::Registers(registers);
                }
            }
            Sketch::Registers(registers) => set(registers, hash),
        }
    }

    fn merge(&mut self, other: &Sketch) {
        match other {
            Sketch::Exact(hashes) => hashes.iter().for_each(|h| self.add(*h)),
            Sketch::Registers(theirs) => {
                let mut merged = theirs.clone();
                match self {
                    Sketch::Exact(hashes) => hashes.iter().for_each(|h| set(&mut merged, *h)),
                    Sketch::Registers(own) => {
                        merged.iter_mut().zip(own.iter()).for_each(|(m, o)| *m = (*m).max(*o));
                    }
                }
                *self = Sketch::Registers(merged);
            }
        }
    }

    fn count(&self) -> i64 {
        match self {
            Sketch::Exact(hashes) => hashes.len() as i64,
            Sketch::Registers(registers) => estimate(registers),
        }
    }
}

fn set(registers: &mut [u8; REGISTERS], hash: u64) {
    let index = (hash >> (64 - INDEX_BITS)) as usize;
    // The bit behind the index ends the longest run there can be.
    let run = (hash << INDEX_BITS | 1 << (INDEX_BITS - 1)).leading_zeros() as u8 + 1;
    registers[index] = registers[index].max(run);
}

fn estimate(registers: &[u8; REGISTERS]) -> i64 {
    const COUNT: f64 = REGISTERS as f64;
    let correction = 0.7213 / (1.0 + 1.079 / COUNT);
    let sum: f64 = registers.iter().map(|run| (-f64::from(*run)).exp2()).sum();
    let raw = correction * COUNT * COUNT / sum;
    let empty = registers.iter().filter(|run| **run == 0).count();
    // While many registers are empty, their number says more.
    let estimate = match empty {
        1.. if raw <= 2.5 * COUNT => COUNT * (COUNT / empty as f64).ln(),
        _ => raw,
    };
    estimate.round() as i64
}

/// Spreads a hash over all bits (the finalizer of MurmurHash3).
fn mixed(mut hash: u64) -> u64 {
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ hash >> 33
}

pub(super) fn types_of_distinct(call: &Call<'_>) -> SqlResult<Inferred> {
    if call.args[0].bare_null || call.kind(0).is_legacy_lob() {
        return Err(refuse(call));
    }
    Ok(call.types(SqlType::bigint(), &[own_type(call)]).not_null())
}

fn sketch(state: &mut AggregateState) -> &mut Sketch {
    if !matches!(state.more, More::Sketch(_)) {
        state.more = More::Sketch(Box::new(Sketch::Exact(Vec::new())));
    }
    match &mut state.more {
        More::Sketch(sketch) => sketch,
        _ => unreachable!("it has just been made"),
    }
}

pub(super) fn add(
    state: &mut AggregateState,
    args: &[ValueRef<'_>],
    types: &CallTypes,
) -> SqlResult<()> {
    if !args[0].is_null() {
        sketch(state).add(mixed(hash(args[0], &types.args[0])));
    }
    Ok(())
}

pub(super) fn merge(
    state: &mut AggregateState,
    other: &AggregateState,
    _: &CallTypes,
) -> SqlResult<()> {
    if let More::Sketch(theirs) = &other.more {
        sketch(state).merge(theirs);
    }
    Ok(())
}

pub(super) fn finish<'a>(
    state: &AggregateState,
    _: &CallTypes,
    _: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    Ok(ValueRef::Int(match &state.more {
        More::Sketch(sketch) => sketch.count(),
        _ => 0,
    }))
}
