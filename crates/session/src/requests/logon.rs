//! Logon triggers: what runs before a login is confirmed.

use std::sync::Arc;

use base::{SqlError, SqlResult, message};
use engine::catalog::LOGON;
use engine::catalog::def::SchemaId;
use engine::wait::Task;
use ir::site::ResultSite;
use run::interp::{OutputRow, ResultWriter};

use crate::batch::events::Logon;
use crate::instance::Instance;
use crate::program::ProgramKind;
use crate::response::{AnswerWriter, EnvironmentChange, OutputParameter, StatementDone};
use crate::session::Session;

/// What logon triggers write to: messages go to the error log, and nothing to the client.
struct LogonWriter {
    instance: Arc<Instance>,
    /// A result set has begun, which refuses the login.
    has_results: bool,
}

impl ResultWriter for LogonWriter {
    fn start(&mut self, _: &Task, _: &ResultSite) -> SqlResult<()> {
        self.has_results = true;
        Ok(())
    }

    fn row(&mut self, _: &Task, _: &OutputRow<'_>) -> SqlResult<()> {
        Ok(())
    }

    fn inform(&mut self, _: &Task, message: &SqlError) -> SqlResult<()> {
        self.instance.note(message);
        Ok(())
    }
}

impl AnswerWriter for LogonWriter {
    fn results(&mut self) -> &mut dyn ResultWriter {
        self
    }

    fn error(&mut self, _: &Task, error: &SqlError) -> SqlResult<()> {
        self.instance.note(error);
        Ok(())
    }

    fn done(&mut self, _: &Task, _: &StatementDone) -> SqlResult<()> {
        Ok(())
    }

    fn return_status(&mut self, _: &Task, _: i32) -> SqlResult<()> {
        Ok(())
    }

    fn output(&mut self, _: &Task, _: &OutputParameter<'_>) -> SqlResult<()> {
        Ok(())
    }

    fn environment(&mut self, _: &Task, _: &EnvironmentChange<'_>) -> SqlResult<()> {
        Ok(())
    }

    fn set_text_size(&mut self, _: usize) {}

    fn flush(&mut self, _: &Task) -> SqlResult<()> {
        Ok(())
    }
}

impl Session {
    /// Whether there are logon triggers, so that [`Session::logon`] has something to do.
    pub fn has_logon_triggers(&self) -> bool {
        if !self.state.instance.runs_logon_triggers() {
            return false;
        }
        let master = self.state.instance.databases().master().current();
        let mut all = master.event_triggers(SchemaId::SERVER_TRIGGERS);
        all.any(|module| {
            let trigger = module.event_trigger().filter(|trigger| !trigger.disabled);
            trigger.is_some_and(|trigger| trigger.events.iter().any(|e| e.event == LOGON.id))
        })
    }

    /// Runs the logon triggers, before the login is confirmed or when the client uses the session
    /// anew. Error 17892 if they refuse it.
    pub fn logon(&mut self, task: &Task, pooled: bool) -> SqlResult<()> {
        let instance = self.state.instance.clone();
        let refused = {
            let login = &self.state.identity.original().name;
            SqlError::new(&message::LOGON_TRIGGER_FAILED, &[login])
        };
        // What interrupts or panics does not let the client in.
        let mut result = Err(refused.clone());
        let mut writer = LogonWriter { instance: instance.clone(), has_results: false };
        self.request(task, "", ProgramKind::Batch, &mut writer, |context| {
            result = context.fire_logon(&Logon { pooled });
            Ok(())
        });
        if writer.has_results {
            instance.note(&SqlError::new(&message::LOGON_TRIGGER_RESULTS, &[]));
            return Err(refused);
        }
        result
    }
}
