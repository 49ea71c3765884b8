//! Tells the error log when checkpoints of a database fail, and when they are made again: nobody else would hear
//! of those that nobody has asked for. And when the tables of a database cannot be loaded.

use std::collections::BTreeMap;

use base::ids::DbId;
use base::{SqlError, message};
use engine::checkpoint::CheckpointError;
use query::exec::instance::Instance;
use tracing::{error, info};

/// How often the checkpoints of each database have failed that could not be made the last time.
#[derive(Default)]
pub struct Health {
    failing: BTreeMap<DbId, u64>,
}

impl Health {
    /// Looks, and tells what has changed.
    pub fn look(&mut self, instance: &Instance) {
        for (id, why) in instance.databases().take_failures() {
            let name = instance.database_name(id);
            error!("Database '{name}' is suspect, since its tables cannot be loaded: {why}");
        }
        for catalog in instance.databases().catalogs() {
            let database = catalog.database();
            let Some(stats) = database.checkpoint_stats() else { continue };
            let name = || instance.database_name(database.id());
            match database.checkpoint_failure() {
                Some(why) => {
                    if self.failing.insert(database.id(), stats.failures) != Some(stats.failures) {
                        error!("{}", line(&name(), &why));
                    }
                }
                None => {
                    if self.failing.remove(&database.id()).is_some() {
                        info!("Checkpoints of database '{}' are made again.", name());
                    }
                }
            }
        }
    }
}

/// What is said of a checkpoint that failed.
fn line(name: &str, why: &CheckpointError) -> String {
    let error = SqlError::new(&message::CHECKPOINT_FAILED, &[&name]);
    let (number, severity, state) = (error.number(), error.severity(), error.state());
    format!(
        "Error: {number}, Severity: {severity}, State: {state}. {} {why}. Commits go on until the log is full.",
        error.text()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_has_its_number_and_its_reason() {
        assert_eq!(
            line("d", &CheckpointError::OutOfMemory),
            "Error: 41315, Severity: 16, State: 0. Checkpoint operation failed in database 'd'. \
             there is not enough memory. Commits go on until the log is full."
        );
    }
}
