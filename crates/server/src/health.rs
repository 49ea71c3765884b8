//! Reports in the error log what no session may learn of: that checkpoints of a database fail, and
//! that they succeed again; that the tables of a database cannot be loaded; that pages cannot be
//! read.

use std::collections::BTreeMap;

use base::ids::DbId;
use base::{SqlError, message};
use engine::checkpoint::CheckpointError;
use engine::txn::TxnError;
use run::interp::errors;
use session::instance::Instance;
use tracing::{error, info};

/// For each database whose last checkpoint has failed: how many have failed.
#[derive(Default)]
pub struct Health {
    failing: BTreeMap<DbId, u64>,
}

impl Health {
    /// Checks the databases, and reports what has changed.
    pub fn look(&mut self, instance: &Instance) {
        for suspect in instance.databases().take_failures() {
            let (name, why) = (instance.database_name(suspect.id), suspect.error);
            error!("Database '{name}' is suspect, since its tables cannot be loaded: {why}");
        }
        report_unreadable(instance);
        for catalog in instance.databases().catalogs() {
            let database = catalog.database();
            let Some(stats) = database.checkpoint_stats() else { continue };
            let name = || instance.database_name(database.id());
            match database.checkpoint_failure() {
                Some(why) => {
                    if self.failing.insert(database.id(), stats.failures) != Some(stats.failures) {
                        error!("{}", checkpoint_failed(&name(), &why));
                    }
                }
                None => {
                    if self.failing.remove(&database.id()).is_some() {
                        info!("Checkpoints of database '{}' succeed again.", name());
                    }
                }
            }
        }
    }
}

/// Reports pages that could not be read, with the message that a statement gets.
pub fn report_unreadable(instance: &Instance) {
    let unreadable = instance.host().pages.take_unreadable();
    if unreadable.is_empty() {
        return;
    }
    let catalogs = instance.databases().catalogs();
    for image in unreadable {
        // A database that is closed or being opened has no id.
        let catalog = catalogs.iter().find(|c| c.database().identity().uuid == image.database);
        let id = catalog.map_or(DbId(0), |catalog| catalog.database().id());
        error!("{}", log_text(&errors::of_database(&TxnError::from(image.error), id)));
    }
}

/// An error as the error log shows it.
fn log_text(error: &SqlError) -> String {
    let (number, severity, state) = (error.number(), error.severity(), error.state());
    format!("Error: {number}, Severity: {severity}, State: {state}. {}", error.text())
}

/// The message about a checkpoint that failed.
fn checkpoint_failed(name: &str, why: &CheckpointError) -> String {
    let error = log_text(&SqlError::new(&message::CHECKPOINT_FAILED, &[&name]));
    format!("{error} {why}. Commits go on until the log is full.")
}

#[cfg(test)]
mod tests;
