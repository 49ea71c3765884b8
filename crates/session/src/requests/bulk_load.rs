//! The rows that follow an `INSERT BULK`.

use engine::wait::Task;

use crate::bulk::BulkSource;
use crate::program::ProgramKind;
use crate::response::{After, AnswerWriter};
use crate::session::Session;

impl Session {
    /// Inserts the rows that follow an `INSERT BULK`. Error 4891 if none was said.
    pub fn bulk_load(
        &mut self,
        task: &Task,
        source: &mut dyn BulkSource,
        writer: &mut dyn AnswerWriter,
    ) -> After {
        self.request(task, "INSERT BULK", ProgramKind::Batch, writer, |context| {
            context.load_from_wire(source)
        })
    }
}
