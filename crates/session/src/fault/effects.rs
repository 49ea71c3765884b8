//! What each error ends: the one table.
//!
//! An error that is not here ends its statement, and under `XACT_ABORT` the transaction. What a
//! number ends does not depend on its severity, but for the severest, and only for a few on where
//! it arises. A name or text that does not compile ends its batch or module, whatever the number:
//! what compiles it says so ([`Effect::Scope`]).

use base::SqlError;

use crate::fault::Effect;

/// Where an error arises, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In a statement that changes the catalog.
    Definition,
    /// Anywhere else.
    Elsewhere,
}

/// What an error ends that is raised while a statement runs.
pub(crate) fn effect_of(error: &SqlError, place: Place) -> Effect {
    match error.number() {
        3617 => Effect::Cancelled,
        _ if error.severity() >= 20 => Effect::Session,
        // A check of the rows that are there; a row that is written has failed alone.
        547 | 1946 if place == Place::Definition => Effect::Transaction,
        number if is_given_up(number) || rolls_back(number) => Effect::Transaction,
        // Result sets that are not as declared.
        11535..=11538 | 11553 => Effect::Batch,
        _ => Effect::Statement,
    }
}

/// Errors after which the transaction cannot be committed, so that the batch ends and rolls it
/// back.
fn rolls_back(number: i32) -> bool {
    match number {
        // Memory, the server's or the log's state, conflicts.
        701 | 3961 | 3966 | 41339 => true,
        // Conversions of strings to what they do not say, and values that make no date or float.
        235 | 241 | 245 | 289 | 293 | 295 | 3623 | 8114 | 8169 => true,
        // What is no XML, or would not be after a change; a change of NULL.
        5302 | 6307 | 6308 | 6320 | 6325 | 6335 | 6359 | 9400..=9480 => true,
        // Too deep nesting; triggers that ended the transaction; COMMIT and ROLLBACK where an
        // INSERT waits for rows, and a table that has changed under it; writing in a doomed
        // transaction.
        217 | 556 | 628 | 3609 | 3616 | 3915 | 3916 | 3930 => true,
        // Isolation levels that tables or databases do not have.
        3951 | 3952 | 41332 | 41333 | 41368 => true,
        // Databases that are not there.
        911 => true,
        // Definitions: names that are taken, tables, constraints, indexes, sequences, synonyms;
        // what is dropped and still in use. 1750, 3727 and 4916 follow the errors that say why.
        219 | 1505 | 1715 | 1750 | 1765 | 1768 | 1778 | 2714 => true,
        3723 | 3726 | 3727 | 3728 | 3729 | 3732 | 4514 | 4708 | 4712 | 4901 | 4916 | 4920 => true,
        10610 | 11700..=11708 => true,
        // SET IDENTITY_INSERT.
        8106 | 8107 => true,
        _ => false,
    }
}

/// Whether the engine has given the whole transaction up.
pub(crate) fn is_given_up(number: i32) -> bool {
    matches!(
        number,
        922 | 926 | 942 | 945 | 1205 | 3960 | 9001 | 9002 | 41301 | 41302 | 41305 | 41317 | 41325
    )
}

/// Whether `XACT_ABORT` makes an error end the transaction that ends its statement. Dropping what
/// does not exist is not such an error.
pub(crate) fn heeds_xact_abort(error: &SqlError) -> bool {
    !matches!(error.number(), 266 | 2787 | 3701)
}

/// Whether an error of arithmetic ends the batch under `ARITHABORT ON` and `ANSI_WARNINGS OFF`.
pub(crate) fn is_arithmetic(error: &SqlError) -> bool {
    matches!(error.number(), 220 | 232 | 3623 | 8115 | 8134)
}

#[cfg(test)]
mod tests;
