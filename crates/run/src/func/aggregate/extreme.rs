//! MIN and MAX.

use std::cmp::Ordering;

use base::arithmetic::compare;
use base::{Arena, SqlResult, TypeKind, ValueRef};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::signature::Call;
use ir::function::state::{AggregateState, copied};

use super::{own_type, refuse};

pub(super) fn types_of_extreme(call: &Call<'_>) -> SqlResult<Inferred> {
    let kind = call.kind(0);
    let is_sortable = !kind.is_incomparable() && !kind.is_legacy_lob();
    if call.args[0].bare_null || kind == TypeKind::Bit || !is_sortable {
        return Err(refuse(call));
    }
    let ty = own_type(call);
    Ok(call.types(ty, &[ty]))
}

/// Takes in a value that surpasses the one kept.
fn take(state: &mut AggregateState, value: ValueRef<'_>, types: &CallTypes, better: Ordering) {
    if value.is_null() {
        return;
    }
    let ty = &types.args[0];
    if state.count == 0 || compare(value, state.value(ty), ty) == Some(better) {
        state.set_value(value);
    }
    state.count += 1;
}

pub(super) fn add_min(
    state: &mut AggregateState,
    args: &[ValueRef<'_>],
    types: &CallTypes,
) -> SqlResult<()> {
    take(state, args[0], types, Ordering::Less);
    Ok(())
}

pub(super) fn add_max(
    state: &mut AggregateState,
    args: &[ValueRef<'_>],
    types: &CallTypes,
) -> SqlResult<()> {
    take(state, args[0], types, Ordering::Greater);
    Ok(())
}

pub(super) fn merge_min(
    state: &mut AggregateState,
    other: &AggregateState,
    types: &CallTypes,
) -> SqlResult<()> {
    take(state, other.value(&types.args[0]), types, Ordering::Less);
    Ok(())
}

pub(super) fn merge_max(
    state: &mut AggregateState,
    other: &AggregateState,
    types: &CallTypes,
) -> SqlResult<()> {
    take(state, other.value(&types.args[0]), types, Ordering::Greater);
    Ok(())
}

pub(super) fn finish<'a>(
    state: &AggregateState,
    types: &CallTypes,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    Ok(copied(state.value(&types.args[0]), arena))
}
