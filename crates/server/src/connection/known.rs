//! Which columns the client knows of: those of texts that it has prepared. A client that executes
//! such a text again may ask not to get them again; it gets them nevertheless if they have changed.

use std::collections::HashMap;

use session::request::{RpcCall, RpcProcedure, RpcValue, procedure_id as id};
use tds::Column;

/// The columns of results, one result after the other.
type Results = Vec<Vec<Column>>;

/// See the module's header.
#[derive(Default)]
pub struct KnownColumns {
    texts: HashMap<i64, Results>,
    call: Call,
    /// Of the call that runs: where they are not those that were known before.
    told: Vec<Option<Vec<Column>>>,
}

/// What the call that runs means for what is known.
#[derive(Clone, Copy, Default)]
enum Call {
    #[default]
    Other,
    /// It returns a handle.
    Prepares,
    /// It executes a handle; `is_quiet` says that known columns are not to be announced.
    Executes { handle: i64, is_quiet: bool },
}

impl KnownColumns {
    /// A call begins.
    pub fn begin(&mut self, call: &RpcCall, no_metadata: bool) {
        self.end();
        let RpcProcedure::Id(procedure) = call.procedure else { return };
        let handle = match call.args.first().map(|arg| &arg.value) {
            Some(RpcValue::Scalar(base::Value::Int(handle))) => Some(*handle),
            _ => None,
        };
        self.call = match (procedure, handle) {
            (id::PREPARE | id::PREP_EXEC | id::PREP_EXEC_RPC, _) => Call::Prepares,
            (id::EXECUTE, Some(handle)) => Call::Executes { handle, is_quiet: no_metadata },
            (id::UNPREPARE, Some(handle)) => {
                self.texts.remove(&handle);
                Call::Other
            }
            _ => Call::Other,
        };
    }

    /// A result starts: whether its columns need not be announced.
    pub fn is_known(&mut self, columns: &[Column]) -> bool {
        let place = self.told.len();
        let (is_same, is_quiet) = match self.call {
            Call::Other => return false,
            Call::Prepares => (false, false),
            Call::Executes { handle, is_quiet } => {
                let before = self.texts.get(&handle).and_then(|results| results.get(place));
                (before.is_some_and(|before| before == columns), is_quiet)
            }
        };
        self.told.push((!is_same).then(|| columns.to_vec()));
        is_same && is_quiet
    }

    /// The call returns the handle that it has made.
    pub fn prepared(&mut self, handle: i64) {
        if let Call::Prepares = self.call {
            self.call = Call::Executes { handle, is_quiet: false };
        }
    }

    /// The call has ended.
    pub fn end(&mut self) {
        let told = std::mem::take(&mut self.told);
        let Call::Executes { handle, .. } = std::mem::take(&mut self.call) else { return };
        let known = self.texts.entry(handle).or_default();
        for (place, columns) in told.into_iter().enumerate() {
            let Some(columns) = columns else { continue };
            match known.get_mut(place) {
                Some(before) => *before = columns,
                None => known.push(columns),
            }
        }
    }

    /// All handles are void.
    pub fn clear(&mut self) {
        self.texts.clear();
    }
}
