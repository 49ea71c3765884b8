//! `DBCC ERRORLOG`: a new file of the error log.

use base::{SqlError, message};

use crate::context::Context;
use crate::fault::Run;

impl Context<'_> {
    /// Error 17049 if there can be no new file.
    pub(super) fn cycle_error_log(&mut self) -> Run<()> {
        let cycled = self.off_load(|instance, _| match instance.error_log_files() {
            Some(files) => files.cycle(),
            None => Err("there is none".into()),
        });
        let failed = |why: String| SqlError::new(&message::ERROR_LOG_NOT_CYCLED, &[&why]);
        cycled.map_err(|why| failed(why).into())
    }
}
