//! APPROX_COUNT_DISTINCT.

use base::arithmetic::hash;
use base::{Arena, SqlResult, SqlType, ValueRef};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::signature::Call;
use ir::function::sketch::Sketch;
use ir::function::state::{AggregateState, More};

use super::{own_type, refuse};

/// Spreads a hash over all bits (the finalizer of MurmurHash3).
fn mixed(mut hash: u64) -> u64 {
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ hash >> 33
}

pub(super) fn types_of_distinct(call: &Call<'_>) -> SqlResult<Inferred> {
    let kind = call.kind(0);
    if call.args[0].bare_null || kind.is_legacy_lob() || kind.is_incomparable() {
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
