//! Where a database's trees are, while it is not open yet.

use std::path::PathBuf;
use std::sync::Arc;

use base::ids::Lsn;

use super::FoundTrees;
use super::build::{begin_trees, sort_bytes};
use super::{SinkError, create_cold};
use crate::cold::FileSpec;
use crate::cold::table::{ColdInfo, ColdTables, TableBuild};
use crate::hot::table::Table;
use crate::pages::BufferPool;
use crate::sort::Sorter;
use crate::sync::plain::Mutex;
use crate::wait::Task;

/// The trees of a database that is being recovered, or where they will be made if it has none.
pub(crate) struct ColdPlace {
    pub uuid: u128,
    pub pool: Arc<BufferPool>,
    /// The directory of the database.
    pub dir: PathBuf,
    pub files: Vec<FileSpec>,
    /// What the root says that was found.
    pub info: Option<ColdInfo>,
    pub tables: Mutex<Option<Arc<ColdTables>>>,
}

impl ColdPlace {
    /// The trees there are.
    pub fn found(&self) -> Option<Arc<ColdTables>> {
        self.tables.lock().expect("no panic while files are made").clone()
    }

    /// The trees there are, and what the root speaks of.
    pub fn trees(&self) -> Option<FoundTrees> {
        let through = self.info.map(|info| Lsn(info.through));
        self.found().map(|tables| FoundTrees { tables, through })
    }

    /// Begins to build the trees of a table that has none.
    pub fn build(&self, task: &Task, table: &Arc<Table>) -> Result<TableBuild, SinkError> {
        let mut tables = self.tables.lock().expect("no panic while files are made");
        let cold = match &*tables {
            Some(cold) => {
                // A root that was written in the middle of a build has what there was of these
                // trees then.
                cold.remove_abandoned(task)?;
                cold.clone()
            }
            None => tables.insert(create_cold(task, &self.pool, self.uuid, &self.files)?).clone(),
        };
        begin_trees(task, table, &cold, &self.pool, &self.dir)
    }

    /// Sorts rows of a table.
    pub fn sorter(&self, task: &Task, table: &Table) -> Sorter {
        let name = format!("loaded-{}", table.storage().0);
        Sorter::new(task.env(), &self.dir, &name, sort_bytes(&self.pool))
    }
}
