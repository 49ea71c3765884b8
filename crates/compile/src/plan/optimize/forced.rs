//! What hints about indexes, seeks and scans leave of the ways to find rows.

use engine::catalog::def::{ColumnId, IndexDef, IndexKind, TableDef};
use ir::operator::CompareOp;

use super::terms::{Terms, named_columns, starts_with_wildcard, subject_of};
use crate::plan::expr::{Expr, Pred};
use crate::plan::tree::Scan;

/// What a way costs that hints forbid.
pub const FORBIDDEN: f64 = 1e30;

/// Whether hints let a source be read without an index.
pub fn may_read_all(scan: &Scan, table: &TableDef, conditions: &[&Pred]) -> bool {
    let hint = &scan.hint;
    if hint.seeks() {
        // Several ranges of an index would find the rows; nothing here reads them one by one.
        return conditions.iter().any(|p| is_in_ranges(scan, table, p));
    }
    let Some(indexes) = &hint.indexes else { return true };
    let whole = |at: &usize| match table.indexes[*at].kind {
        IndexKind::Hash => !hint.scans(),
        _ => false,
    };
    indexes.is_empty() || indexes.iter().any(whole)
}

/// Whether the rows that meet a condition are in several ranges of an index that hints allow.
fn is_in_ranges(scan: &Scan, table: &TableDef, pred: &Pred) -> bool {
    if scan.hint.key_columns > 1 {
        return false;
    }
    let leads = |column: ColumnId| {
        let usable = |(at, i): (usize, &IndexDef)| {
            scan.hint.allows(at)
                && !i.disabled
                && i.kind != IndexKind::Hash
                && i.key.first().is_some_and(|k| k.column == column)
        };
        table.indexes.iter().enumerate().any(usable)
    };
    let is_key = |e: &Expr| subject_of(scan, table, e).is_some_and(|(def, _)| leads(def.id));
    match pred {
        Pred::Or(list) => list.iter().all(|p| {
            is_in_ranges(scan, table, p) || Terms::of(scan, &[p], true).columns().any(leads)
        }),
        Pred::And(list) => list.iter().any(|p| {
            is_in_ranges(scan, table, p) || Terms::of(scan, &[p], true).columns().any(leads)
        }),
        Pred::Not(inner) => match &**inner {
            Pred::Compare(_, a, b) => is_key(a) || is_key(b),
            Pred::In(e, _) | Pred::IsNull(e) => is_key(e),
            _ => false,
        },
        Pred::Compare(CompareOp::Ne, a, b) => is_key(a) || is_key(b),
        Pred::In(e, _) | Pred::IsNull(e) => is_key(e),
        Pred::Like { subject, pattern, .. } => is_key(subject) && !starts_with_wildcard(pattern),
        _ => false,
    }
}

/// Whether an index has all columns that a scan reads.
pub fn covers(index: &IndexDef, scan: &Scan, table: &TableDef) -> bool {
    if index.kind == IndexKind::Clustered || table.kind.is_memory_optimized() {
        return true;
    }
    let clustered = table.indexes.iter().find(|i| i.kind == IndexKind::Clustered);
    let keys = index.key.iter().chain(clustered.into_iter().flat_map(|c| &c.key));
    named_columns(scan, table).all(|(_, def)| {
        keys.clone().any(|k| k.column == def.id) || index.included.contains(&def.id)
    })
}
