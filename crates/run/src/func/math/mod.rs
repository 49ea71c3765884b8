//! Functions of numbers.
//!
//! * `exact`: those that keep the type of their argument; `float`: those that work on floats.
//! * `bits`: shifting and counting bits.

mod bits;
mod exact;
mod float;

use base::types::operators::decimal_for;
use base::{SqlResult, SqlType, TypeKind};
use ir::function::descriptor::ScalarFunction;
use ir::function::signature::Call;

/// Functions of numbers.
pub(super) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::strict("ABS", (1, 1), exact::types_of_same, exact::abs).native(),
    ScalarFunction::strict("SIGN", (1, 1), exact::types_of_same, exact::sign).native(),
    ScalarFunction::strict("CEILING", (1, 1), exact::types_of_whole, exact::ceiling).native(),
    ScalarFunction::strict("FLOOR", (1, 1), exact::types_of_whole, exact::floor).native(),
    ScalarFunction::strict("ROUND", (2, 3), exact::types_of_round, exact::round).native(),
    ScalarFunction::strict("POWER", (2, 2), exact::types_of_power, exact::power).native(),
    ScalarFunction::strict("DEGREES", (1, 1), exact::types_of_angle, exact::degrees).native(),
    ScalarFunction::strict("RADIANS", (1, 1), exact::types_of_angle, exact::radians).native(),
    ScalarFunction::strict("SQRT", (1, 1), float::types_of_one, float::sqrt).native(),
    ScalarFunction::strict("SQUARE", (1, 1), float::types_of_one, float::square).native(),
    ScalarFunction::strict("EXP", (1, 1), float::types_of_one, float::exp).native(),
    ScalarFunction::strict("LOG", (1, 2), float::types_of_one, float::log).native(),
    ScalarFunction::strict("LOG10", (1, 1), float::types_of_one, float::log10).native(),
    ScalarFunction::strict("SIN", (1, 1), float::types_of_one, float::sin).native(),
    ScalarFunction::strict("COS", (1, 1), float::types_of_one, float::cos).native(),
    ScalarFunction::strict("TAN", (1, 1), float::types_of_one, float::tan).native(),
    ScalarFunction::strict("COT", (1, 1), float::types_of_one, float::cot).native(),
    ScalarFunction::strict("ASIN", (1, 1), float::types_of_one, float::asin).native(),
    ScalarFunction::strict("ACOS", (1, 1), float::types_of_one, float::acos).native(),
    ScalarFunction::strict("ATAN", (1, 1), float::types_of_one, float::atan).native(),
    ScalarFunction::strict("ATN2", (2, 2), float::types_of_one, float::atn2).native(),
    ScalarFunction::strict("PI", (0, 0), float::types_of_one, float::pi).native(),
    ScalarFunction::strict("RAND", (0, 1), float::types_of_rand, float::rand)
        .own_nulls()
        .runtime_constant()
        .outside_functions()
        .native(),
];

/// Functions of bits.
pub(super) static BITS: &[ScalarFunction] = &[
    ScalarFunction::strict("LEFT_SHIFT", (2, 2), bits::types_of_shift, bits::left_shift),
    ScalarFunction::strict("RIGHT_SHIFT", (2, 2), bits::types_of_shift, bits::right_shift),
    ScalarFunction::strict("BIT_COUNT", (1, 1), bits::types_of_bit_count, bits::bit_count),
    ScalarFunction::strict("GET_BIT", (2, 2), bits::types_of_get_bit, bits::get_bit),
    ScalarFunction::strict("SET_BIT", (2, 3), bits::types_of_set_bit, bits::set_bit),
];

/// Functions that only `{fn …}` knows.
pub(super) static ODBC: &[ScalarFunction] = &[
    ScalarFunction::strict("TRUNCATE", (2, 2), exact::types_of_round, exact::truncate),
    ScalarFunction::strict("MOD", (2, 2), exact::types_of_mod, exact::modulo),
];

/// The type in which a number is worked on: small integers as `int`, `smallmoney` as `money`,
/// `real`, `bit` and whatever is not a number as `float`. Error 8116.
fn working_type(call: &Call<'_>, at: usize) -> SqlResult<SqlType> {
    use TypeKind::*;
    let arg = &call.args[at];
    Ok(match arg.ty.kind {
        _ if arg.bare_null => SqlType::float(),
        TinyInt | SmallInt | Int => SqlType::int(),
        BigInt => SqlType::bigint(),
        Decimal | Numeric => decimal_for(&arg.ty, arg.ty.kind),
        SmallMoney | Money => SqlType::money(),
        _ => call.float(at)?,
    })
}

#[cfg(test)]
mod tests;
