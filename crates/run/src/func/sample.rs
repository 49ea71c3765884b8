//! `TABLESAMPLE`.

use base::arithmetic::hash;
use base::collation::hash_paced;
use base::{SqlResult, SqlType, ValueRef};
use ir::function::descriptor::{CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::sample::KEEP;
use ir::function::signature::Call;

use super::values::float;

pub(super) static FUNCTIONS: &[ScalarFunction] =
    &[ScalarFunction::strict(KEEP, (3, 34), types_of_keep, keep).own_nulls()];

/// The first value of a key, after percentage and seed.
const KEY: usize = 2;

fn types_of_keep(call: &Call<'_>) -> SqlResult<Inferred> {
    let mut types = vec![call.float(0)?, call.float(1)?];
    types.extend(call.args[KEY..].iter().map(|arg| arg.ty));
    Ok(call.types(SqlType::bit(), &types).not_null())
}

/// Nothing is kept where percentage or seed is NULL.
fn keep<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args[0].is_null() || args[1].is_null() {
        return Ok(ValueRef::Int(0));
    }
    let mut state = mixed(float(args[1]).to_bits());
    for (value, ty) in args.iter().zip(&types.args).skip(KEY) {
        let own = match value {
            ValueRef::Null => 0,
            ValueRef::Chars(_) | ValueRef::Unicode(_) => hash_paced(ty.collation, *value, ctx)?,
            value => hash(*value, ty),
        };
        state = mixed(state ^ own);
    }
    // Less than 100: a float holds 53 bits.
    let place = (state >> 11) as f64 / (1_u64 << 53) as f64 * 100.0;
    Ok(ValueRef::Int(i64::from(place < float(args[0]))))
}

/// Spreads the differences of numbers over all bits (the last steps of SplitMix64).
fn mixed(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
