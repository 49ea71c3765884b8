//! Evaluating on constants when a statement is bound, by the code that evaluates on rows.
//!
//! An error is not raised here: the expression may never be evaluated. The caller keeps the
//! expression as it is and lets it fail when it is run.

use std::sync::Arc;

use base::datetime::{DateSettings, Zone};
use base::ids::{DbId, ObjectId, SessionId};
use base::types::operators::{BinaryOperator, Signature};
use base::value::Variant;
use base::{
    Account, Arena, ConvertOptions, SqlError, SqlResult, SqlType, Value, ValueRef, convert, message,
};
use engine::catalog::Schema;
use engine::catalog::def::{Permission, PrincipalId, Securable};
use ir::function::descriptor::{CallTypes, NullBehaviour, ScalarFunction};
use ir::function::facts::Seen;
use ir::function::facts::*;

/// Bytes that folding may take. What needs more is evaluated when it runs, where it is charged to
/// the session and can be cancelled.
const FOLDED_MAX: usize = 256 << 10;

/// Constants that are longer are not kept in plans.
const CONSTANT_MAX: usize = 8000;

/// Where constants are folded.
pub fn arena() -> Arena {
    Arena::charged_to(Account::new(FOLDED_MAX, "default"))
}

/// A result that a plan may keep. Where it may not, the expression stays as it is, so that the
/// error is not seen.
fn kept(value: ValueRef<'_>) -> SqlResult<Value> {
    match value {
        ValueRef::Chars(b) | ValueRef::Unicode(b) | ValueRef::Bytes(b)
            if b.len() > CONSTANT_MAX =>
        {
            Err(SqlError::new(&message::OUT_OF_MEMORY, &[&"default"]))
        }
        value => Ok(value.to_owned()),
    }
}

/// The value of a call that [`Inferred::volatility`](ir::function::Inferred::volatility) says is
/// deterministic, of arguments that have the types asked for.
pub fn call(
    function: &ScalarFunction,
    args: &[Value],
    types: &CallTypes,
    arena: &mut Arena,
) -> SqlResult<Value> {
    if function.nulls == NullBehaviour::Strict && args.iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    let mark = arena.mark();
    let result = {
        let args: Vec<ValueRef<'_>> = args.iter().map(Value::as_ref).collect();
        let mut context = FnContext { arena, facts: &NoSession, task: None, memo: None };
        (function.eval)(&mut context, &args, types).and_then(kept)
    };
    arena.reset_to(mark);
    result
}

/// A constant as of another type.
pub fn cast(
    value: &Value,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &mut Arena,
) -> SqlResult<Value> {
    let mark = arena.mark();
    let result = convert(value.as_ref(), from, to, options, arena).map(ValueRef::to_owned);
    arena.reset_to(mark);
    result
}

/// An operator on constants that have the types of its signature.
pub fn arithmetic(
    op: BinaryOperator,
    left: &Value,
    right: &Value,
    signature: &Signature,
    arena: &mut Arena,
) -> SqlResult<Value> {
    let mark = arena.mark();
    let result = base::arithmetic::evaluate(op, left.as_ref(), right.as_ref(), signature, arena)
        .map(ValueRef::to_owned);
    arena.reset_to(mark);
    result
}

/// The surroundings of what has none: deterministic calls do not ask (invariant F3 of
/// `ir::function`).
struct NoSession;

impl MetadataFacts for NoSession {
    fn current_database(&self) -> DbId {
        DbId::MASTER
    }
    fn schema(&self, _: DbId) -> Option<Arc<Schema>> {
        None
    }
    fn user(&self, _: DbId) -> Option<PrincipalId> {
        None
    }
    fn temporary_table(&self, _: &str) -> Option<ObjectId> {
        None
    }
    fn system_object(&self, _: Option<&str>, _: &str) -> Option<SystemObject> {
        None
    }
    fn system_object_by_id(&self, _: ObjectId) -> Option<SystemObject> {
        None
    }
    fn identity_value(&self, _: DbId, _: ObjectId) -> Option<i64> {
        None
    }
    fn last_rowversion(&self, _: DbId) -> u64 {
        0
    }
    fn min_active_rowversion(&self, _: DbId) -> u64 {
        0
    }
    fn sees(&self, _: DbId, _: ObjectId) -> Seen {
        Seen::Nothing
    }
    fn is_permitted(&self, _: DbId, _: Securable, _: Permission) -> bool {
        false
    }
}

impl SessionFacts for NoSession {
    fn time(&self) -> StatementTime {
        StatementTime { utc_ticks: 0, offset_minutes: 0 }
    }
    fn zone(&self) -> Option<&'static Zone> {
        None
    }
    fn dates(&self) -> DateSettings {
        DateSettings::default()
    }
    fn settings(&self) -> Settings {
        Settings::default()
    }
    fn progress(&self) -> Progress {
        Progress::default()
    }
    fn session_id(&self) -> SessionId {
        SessionId(0)
    }
    fn caught_error(&self) -> Option<SqlError> {
        None
    }
    fn login(&self) -> Login {
        Login { id: PrincipalId(0), name: "".into(), sid: Box::default(), counts: false }
    }
    fn connection(&self) -> Arc<Connection> {
        Arc::default()
    }
    fn server(&self) -> Arc<ServerFacts> {
        Arc::new(ServerFacts::default())
    }
    fn counters(&self) -> Counters {
        Counters::default()
    }
    fn context_info(&self) -> Option<Box<[u8]>> {
        None
    }
    fn session_context(&self, _: &str) -> Option<&Variant> {
        None
    }
    fn cursor_status(&self, _: CursorScope, _: &str) -> i32 {
        -3
    }
    fn trigger_nesting(&self, _: Option<ObjectId>) -> i32 {
        0
    }
    fn random(&self) -> RandomState {
        RandomState::seeded(0)
    }
    fn set_random(&self, _: RandomState) {}
    fn random_bytes(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
    fn sequential_guid(&self) -> [u8; 16] {
        [0; 16]
    }
}

#[cfg(test)]
mod tests;
