//! The texts that handles name.

use base::ids::{DbId, ObjectId};

use super::State;
use crate::exec::cache::CachedProgram;
use crate::exec::handle;
use crate::func::facts::HandledText;

/// What a `sql_handle` or `plan_handle` names, as [`crate::func::SessionFacts::text_of`] says.
pub(super) fn text_of(state: &State, handle: &[u8]) -> Option<HandledText> {
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

fn module_text(state: &State, database: DbId, module: ObjectId) -> Option<HandledText> {
    let text = match super::system::definition(module) {
        Some(text) => Some(text.into()),
        None => {
            let schema = state.schema(database).ok()?;
            let found = schema.module(module)?;
            (!found.encrypted).then(|| found.definition.clone())
        }
    };
    Some(HandledText { database: Some(database), module: Some(module), text })
}
