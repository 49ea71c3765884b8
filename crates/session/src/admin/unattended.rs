//! Batches that the server runs on its own behalf, each by a session that ends with it.

use std::sync::Arc;

use base::datetime::US_ENGLISH;
use base::ids::DbId;
use engine::wait::Task;

use crate::instance::Instance;
use crate::instance::sessions::ClientInfo;
use crate::options::ClientKind;
use crate::response::{ResultsOnly, Silent};
use crate::session::{LoginOptions, Session};

/// Runs a batch in a database as `sa`, and waits until other sessions see what it has done. Results
/// are dropped. The first error ends the batch and rolls its transaction back; `Err` is its number.
pub fn run(instance: &Arc<Instance>, task: &Task, database: DbId, text: &str) -> Result<(), i32> {
    let login = LoginOptions {
        who: instance.own_login(),
        database,
        client: ClientInfo::default(),
        kind: ClientKind::Odbc,
        language: &US_ENGLISH,
    };
    let mut session = Session::open(instance, login).map_err(|error| error.number())?;
    let text = format!("set xact_abort on\n{text}");
    session.batch(task, &text, &mut ResultsOnly(&mut Silent));
    let lost = session.reveal().wait(task).err().map(|error| error.number());
    let failed = session.entry().status().last_error;
    session.close(task);
    match lost.unwrap_or(failed) {
        0 => Ok(()),
        number => Err(number),
    }
}
