//! Aged rows of histories and aged changes of tracked tables are removed in the background: those
//! of each database that says so, a batch at a time.

use std::sync::Arc;

use base::ids::DbId;
use engine::catalog::def::{DatabaseDef, DatabaseState};
use engine::wait::Task;

use super::unattended;
use crate::ddl::temporal::cleanup;
use crate::instance::Instance;

/// Rows that one transaction removes at most.
const BATCH_ROWS: u32 = 10_000;

/// What a pass has done.
#[derive(Default)]
pub struct Pass {
    /// Tables with a retention that were looked at.
    pub tables: usize,
    /// What has failed, for the error log. The next pass tries it again.
    pub failures: Vec<String>,
}

/// Removes what is older than the retention of its table, in all databases.
pub fn keep(instance: &Arc<Instance>, task: &Task) -> Pass {
    let master = instance.databases().master().current();
    let looks_at = |def: &DatabaseDef| {
        let options = &def.options;
        def.id > DbId::MSDB
            && options.state == DatabaseState::Online
            && instance.databases().state(def) == DatabaseState::Online
            && !options.read_only
    };
    let databases = master.server().databases().iter().filter(|def| looks_at(def));
    let mut pass = Pass::default();
    for def in databases {
        if !def.options.history_retention_off {
            keep_in(instance, task, def, &mut pass);
        }
        if def.options.change_tracking.is_some_and(|tracking| tracking.auto_cleanup) {
            forget_changes_in(instance, task, def, &mut pass);
        }
    }
    pass
}

/// The same in one database.
fn keep_in(instance: &Arc<Instance>, task: &Task, def: &DatabaseDef, pass: &mut Pass) {
    let Ok(catalog) = instance.catalog(def.id) else { return };
    for (table, text) in cleanup::batches(&catalog.current(), BATCH_ROWS) {
        pass.tables += 1;
        if let Err(number) = unattended::run(instance, task, def.id, &text) {
            let name = &def.name;
            pass.failures.push(format!("The history of {table} in {name}: error {number}."));
        }
    }
}

/// Removes aged changes of the tracked tables of a database.
fn forget_changes_in(instance: &Arc<Instance>, task: &Task, def: &DatabaseDef, pass: &mut Pass) {
    let text = "EXEC sys.sp_flush_CT_internal_table_on_demand";
    if let Err(number) = unattended::run(instance, task, def.id, text) {
        let name = &def.name;
        pass.failures.push(format!("The tracked changes in {name}: error {number}."));
    }
}
