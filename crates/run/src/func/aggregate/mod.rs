//! Aggregates: one value out of many rows.
//!
//! # Life of a state
//!
//! `init` → `add` for each row (`remove` where a window frame lets one go, `merge`
//! where parts were aggregated apart) → `finish`, which leaves the state usable
//!
//! NULL arguments are ignored by `add` and `remove`; [`AggregateFunction::warns_of_null`] says
//! whether the statement must then send warning 8153.
//!
//! * `count`, `sum`, `extreme`, `spread` (STDEV, VAR), `join` (STRING_AGG), `distinct`
//!   (APPROX_COUNT_DISTINCT), `percentile` (APPROX_PERCENTILE_CONT, APPROX_PERCENTILE_DISC), `json`
//!   (JSON_ARRAYAGG, JSON_OBJECTAGG, `FOR JSON`), `xml` (`FOR XML`). `GROUPING` and `GROUPING_ID`
//!   are the binder's: they look at the grouping set, not at rows.

mod count;
mod distinct;
mod extreme;
mod join;
mod json;
mod percentile;
mod spread;
mod sum;
mod xml;

use base::{SqlError, SqlResult, SqlType, message};
use ir::function::aggregate::{AggregateFunction, Finish, Step};
use ir::function::descriptor::{ANY_NUMBER, Inferred};
use ir::function::json::names;
use ir::function::quantiles::names as percentiles;
use ir::function::signature::Call;
use ir::function::state::AggregateState;
use ir::function::xml::names as xml_names;

/// Every aggregate.
pub(super) static FUNCTIONS: &[AggregateFunction] = &[
    AggregateFunction {
        arguments: (0, 1),
        merge: Some(count::merge),
        remove: Some(count::remove),
        ..simple("COUNT", count::types_of_count, count::add, count::finish)
    },
    AggregateFunction {
        arguments: (0, 1),
        merge: Some(count::merge),
        remove: Some(count::remove),
        ..simple("COUNT_BIG", count::types_of_count_big, count::add, count::finish)
    },
    AggregateFunction {
        merge: Some(sum::merge),
        remove: Some(sum::remove),
        ..simple("SUM", sum::types_of_sum, sum::add, sum::finish_sum)
    },
    AggregateFunction {
        merge: Some(sum::merge),
        remove: Some(sum::remove),
        ..simple("AVG", sum::types_of_avg, sum::add, sum::finish_avg)
    },
    AggregateFunction {
        ignores_duplicates: true,
        merge: Some(extreme::merge_min),
        ..simple("MIN", extreme::types_of_extreme, extreme::add_min, extreme::finish)
    },
    AggregateFunction {
        ignores_duplicates: true,
        merge: Some(extreme::merge_max),
        ..simple("MAX", extreme::types_of_extreme, extreme::add_max, extreme::finish)
    },
    AggregateFunction {
        merge: Some(spread::merge),
        ..simple("STDEV", spread::types_of_spread, spread::add, spread::finish_stdev)
    },
    AggregateFunction {
        merge: Some(spread::merge),
        ..simple("STDEVP", spread::types_of_spread, spread::add, spread::finish_stdevp)
    },
    AggregateFunction {
        merge: Some(spread::merge),
        ..simple("VAR", spread::types_of_spread, spread::add, spread::finish_var)
    },
    AggregateFunction {
        merge: Some(spread::merge),
        ..simple("VARP", spread::types_of_spread, spread::add, spread::finish_varp)
    },
    AggregateFunction {
        merge: Some(count::merge_checksum),
        remove: Some(count::remove_checksum),
        ..simple(
            "CHECKSUM_AGG",
            count::types_of_checksum,
            count::add_checksum,
            count::finish_checksum,
        )
    },
    AggregateFunction {
        arguments: (2, 2),
        windowed: false,
        ordered: true,
        warns_of_null: false,
        ..simple("STRING_AGG", join::types_of_join, join::add, join::finish)
    },
    AggregateFunction {
        windowed: false,
        ignores_duplicates: true,
        merge: Some(distinct::merge),
        ..simple(
            "APPROX_COUNT_DISTINCT",
            distinct::types_of_distinct,
            distinct::add,
            distinct::finish,
        )
    },
    AggregateFunction {
        arguments: (3, 3),
        windowed: false,
        merge: Some(percentile::merge),
        ..simple(
            percentiles::CONTINUOUS,
            percentile::types_of_cont,
            percentile::add,
            percentile::finish_cont,
        )
    },
    AggregateFunction {
        arguments: (3, 3),
        windowed: false,
        merge: Some(percentile::merge),
        ..simple(
            percentiles::DISCRETE,
            percentile::types_of_disc,
            percentile::add,
            percentile::finish_disc,
        )
    },
    AggregateFunction {
        ordered: true,
        json: true,
        warns_of_null: false,
        ..simple("JSON_ARRAYAGG", json::types_of_parts, json::add_part, json::finish_array)
    },
    AggregateFunction {
        json: true,
        warns_of_null: false,
        ..simple("JSON_OBJECTAGG", json::types_of_parts, json::add_part, json::finish_object)
    },
    AggregateFunction {
        arguments: (3, ANY_NUMBER),
        windowed: false,
        warns_of_null: false,
        ..simple(names::DOCUMENT, json::types_of_document, json::add_row, json::finish_document)
    },
    AggregateFunction {
        arguments: (3, ANY_NUMBER),
        windowed: false,
        warns_of_null: false,
        ..simple(xml_names::DOCUMENT, json::types_of_document, xml::add_row, xml::finish_document)
    },
];

/// An aggregate of one argument, without `WITHIN GROUP`.
const fn simple(
    name: &'static str,
    infer: fn(&Call<'_>) -> SqlResult<Inferred>,
    add: Step,
    finish: Finish,
) -> AggregateFunction {
    AggregateFunction {
        name,
        arguments: (1, 1),
        windowed: true,
        ordered: false,
        ignores_duplicates: false,
        json: false,
        warns_of_null: true,
        init: |_| AggregateState::default(),
        add,
        remove: None,
        merge: None,
        finish,
        infer,
    }
}

/// Error 8117 about the argument.
fn refuse(call: &Call<'_>) -> SqlError {
    let arg = &call.args[0];
    let kind = if arg.bare_null { "NULL" } else { arg.ty.kind.name() };
    let name = call.name.to_ascii_lowercase();
    SqlError::new(&message::OPERAND_INVALID_FOR_OPERATOR, &[&kind, &name])
}

/// The argument's type, with the collation of the call.
fn own_type(call: &Call<'_>) -> SqlType {
    call.args[0].ty.recollated(call.collation)
}

#[cfg(test)]
mod tests;
