//! Aged rows of histories are removed in the background: those of each database that says so, a
//! batch at a time, by a session that ends with the pass.

use std::sync::Arc;

use base::datetime::US_ENGLISH;
use base::ids::DbId;
use engine::catalog::def::{DatabaseDef, DatabaseState};
use engine::wait::Task;

use crate::ddl::temporal::cleanup;
use crate::instance::Instance;
use crate::instance::sessions::ClientInfo;
use crate::options::ClientKind;
use crate::response::{ResultsOnly, Silent};
use crate::session::{LoginOptions, Session};

/// Rows that one transaction removes at most.
const BATCH_ROWS: u32 = 10_000;

/// Removes what is older than the retention of its table, in all databases. Returns how many
/// databases had tables with a retention. What fails is tried again by the next pass.
pub fn keep(instance: &Arc<Instance>, task: &Task) -> usize {
    let master = instance.databases().master().current();
    let looks_at = |def: &DatabaseDef| {
        let options = &def.options;
        def.id > DbId::MSDB
            && options.state == DatabaseState::Online
            && instance.databases().state(def) == DatabaseState::Online
            && !options.read_only
            && !options.history_retention_off
    };
    let databases = master.server().databases().iter().filter(|def| looks_at(def));
    let databases: Vec<DbId> = databases.map(|def| def.id).collect();
    databases.into_iter().filter(|id| keep_in(instance, task, *id)).count()
}

/// The same in one database. Returns whether it has tables with a retention.
fn keep_in(instance: &Arc<Instance>, task: &Task, database: DbId) -> bool {
    let Ok(catalog) = instance.catalog(database) else { return false };
    let text = cleanup::batch(&catalog.current(), BATCH_ROWS);
    if text.is_empty() {
        return false;
    }
    let Ok(who) = instance.trust("sa") else { return false };
    let login = LoginOptions {
        who,
        database,
        client: ClientInfo::default(),
        kind: ClientKind::Odbc,
        language: &US_ENGLISH,
    };
    if let Ok(mut session) = Session::open(instance, login) {
        session.batch(task, &text, &mut ResultsOnly(&mut Silent));
        let _ = session.reveal().wait(task); // what is lost is removed again
        session.close(task);
    }
    true
}
