//! The texts and plans that handles name.

use std::ops::Range;

use base::ids::{DbId, ObjectId};
use ir::function::facts::HandledText;

use crate::handle;
use crate::plan_cache::CachedProgram;
use crate::session::SessionState;

/// What a `sql_handle` or `plan_handle` names, as [`ir::function::SessionFacts::text_of`] says.
pub(crate) fn text_of(state: &SessionState, handle: &[u8]) -> Option<HandledText> {
    if let Some((database, module)) = handle::module_of(handle) {
        return module_text(state, database, module);
    }
    if let Some(text) = state.instance.sessions.text_of(handle) {
        return Some(HandledText { database: None, module: None, text: Some(text) });
    }
    let named =
        |cached: &CachedProgram| cached.plan_handle() == handle || cached.sql_handle() == handle;
    let cached = state.instance.plans.entries().into_iter().find(named)?;
    let program = cached.program();
    let Some(module) = program.object() else {
        return Some(HandledText { database: None, module: None, text: Some(cached.text()) });
    };
    module_text(state, program.database, module)
}

/// The plan that a `plan_handle` names, as [`ir::function::SessionFacts::plan_of`] says.
pub(crate) fn plan_of(
    state: &SessionState,
    handle: &[u8],
    start: Option<i64>,
) -> Option<HandledText> {
    let entries = state.instance.plans.entries();
    let cached = entries.into_iter().find(|cached| cached.plan_handle() == handle)?;
    let program = cached.program();
    let is_wanted = |place: Range<u32>| {
        let offsets =
            || crate::sysview::statement_offsets(&program.text, &place, cached.parameters());
        start.is_none_or(|start| i64::from(offsets().0) == start)
    };
    let encrypted = program.module.as_ref().is_some_and(|module| module.encrypted);
    let text = (!encrypted).then(|| state.document_of(program, &is_wanted).into());
    Some(HandledText { database: Some(program.database), module: program.object(), text })
}

fn module_text(state: &SessionState, database: DbId, module: ObjectId) -> Option<HandledText> {
    let text = match crate::names::system::definition(module) {
        Some(text) => Some(text.into()),
        None => {
            let schema = state.schema(database).ok()?;
            let found = schema.module(module)?;
            (!found.encrypted).then(|| found.definition.clone())
        }
    };
    Some(HandledText { database: Some(database), module: Some(module), text })
}
