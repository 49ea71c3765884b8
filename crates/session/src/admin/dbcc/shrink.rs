//! `DBCC SHRINKDATABASE` and `SHRINKFILE`: rows of disk tables that have sunk move together, and
//! what is free after them goes back to the system.
//!
//! All of them are in one file, whatever files a database was declared with; it counts as the
//! first. Others, and the log, are as large as what is in them.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, SqlType, message};
use engine::catalog::Catalog;
use engine::catalog::def::{FileDef, FileId};
use engine::error::EngineError;
use tsql::ast;

use super::word;
use crate::builtin::rows::{ResultSet, RowsetColumn, column, int};
use crate::context::{Context, checkpoint_error};
use crate::fault::Run;

/// Pages of a megabyte.
const MEGABYTE: i64 = 128;

/// Phases to skip.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Only {
    /// Rows move together, and the file stays as long as it is.
    Move,
    /// What is free at the end is cut off.
    Truncate,
}

impl Context<'_> {
    /// `SHRINKDATABASE`. Errors 2520, 2571, 226.
    pub(super) fn shrink_database(&mut self, dbcc: &ast::Dbcc) -> Run<()> {
        let database = self.dbcc_database(dbcc.arguments.first())?;
        self.demand_owner(database, "SHRINKDATABASE")?;
        let words: Vec<String> = dbcc.arguments.iter().skip(1).map(word).collect();
        // A target leaves free this many per cent of what there is then.
        let free = words.first().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0).min(99);
        self.refuse_in_transaction("DBCC SHRINKDATABASE")?;
        self.shrink(database, only(&words), |_, used| used * 100 / (100 - free))?;
        let catalog = self.catalog(database)?;
        let files = catalog.current().files().iter().cloned().collect::<Vec<_>>();
        self.tell_sizes(&catalog, &files)
    }

    /// `SHRINKFILE`. Errors 8985, 2571, 226.
    pub(super) fn shrink_file(&mut self, dbcc: &ast::Dbcc) -> Run<()> {
        let database = self.session.database;
        self.demand_owner(database, "SHRINKFILE")?;
        let words: Vec<String> = dbcc.arguments.iter().map(word).collect();
        let name = words.first().cloned().unwrap_or_default();
        let catalog = self.catalog(database)?;
        let schema = catalog.current();
        let id = name.parse().ok().map(FileId);
        let found = id.and_then(|id| schema.files().get(id)).or_else(|| schema.find_file(&name));
        let Some(file) = found.cloned() else {
            let database = self.session.instance.database_name(database);
            return Err(
                SqlError::new(&message::FILE_NOT_FOUND_FOR_DATABASE, &[&name, &database]).into()
            );
        };
        if file.id == FileId(1) {
            self.refuse_in_transaction("DBCC SHRINKFILE")?;
            let target = words.get(1).and_then(|word| word.parse::<u64>().ok());
            let least = target.map(|megabytes| megabytes.saturating_mul(MEGABYTE as u64));
            self.shrink(database, only(&words[1..]), |declared, _| least.unwrap_or(declared))?;
        }
        self.tell_sizes(&catalog, &[file])
    }

    /// Makes the file shorter; `least` says how long it stays, in pages, of how many it was
    /// declared with and how many are used.
    fn shrink(
        &mut self,
        database: DbId,
        only: Option<Only>,
        least: impl Fn(u64, u64) -> u64,
    ) -> Run<()> {
        let catalog = self.catalog(database)?;
        let failed = |error| checkpoint_error(&EngineError::Pages(error));
        // Rounds of the sink hold locks while they wait for files: never on a worker.
        let shrink = |moves, least| {
            let own = catalog.clone();
            self.off_load(move |_, task| own.database().shrink_data_file(task, moves, least))
        };
        if only != Some(Only::Truncate) {
            shrink(true, None).map_err(failed)?;
        }
        if only != Some(Only::Move) {
            let declared =
                catalog.current().files().get(FileId(1)).map_or(0, |file| file.size_pages);
            let used = catalog.database().data_file_space().map_or(0, |space| space.used_pages);
            let least = match only {
                Some(_) => 0,
                None => least(u64::try_from(declared).unwrap_or(0), used),
            };
            shrink(false, Some(u32::try_from(least).unwrap_or(u32::MAX))).map_err(failed)?;
        }
        Ok(())
    }

    /// A row for each file: how large it is now, and was at first, and what of it is used, in
    /// pages.
    fn tell_sizes(&mut self, catalog: &Arc<Catalog>, files: &[Arc<FileDef>]) -> Run<()> {
        const COLUMNS: [RowsetColumn; 6] = [
            column("DbId", SqlType::smallint(), true),
            column("FileId", SqlType::int(), true),
            column("CurrentSize", SqlType::int(), true),
            column("MinimumSize", SqlType::int(), true),
            column("UsedPages", SqlType::int(), true),
            column("EstimatedPages", SqlType::int(), true),
        ];
        let space = catalog.database().data_file_space();
        let rows: Vec<_> = files
            .iter()
            .map(|file| {
                let declared = i64::from(file.size_pages);
                let pages = |pages: u64| i64::try_from(pages).unwrap_or(i64::MAX);
                let (size, used) = match space.filter(|_| file.id == FileId(1)) {
                    Some(space) => (pages(space.total_pages), pages(space.used_pages)),
                    None => (declared, declared),
                };
                let database = catalog.database().id().0;
                vec![
                    int(database),
                    int(file.id.0),
                    int(size),
                    int(declared.min(size)),
                    int(used),
                    int(used),
                ]
            })
            .collect();
        Ok(ResultSet::new(&COLUMNS).send(self, &rows)?)
    }
}

fn only(words: &[String]) -> Option<Only> {
    let has = |wanted: &str| words.iter().any(|word| word.eq_ignore_ascii_case(wanted));
    match (has("TRUNCATEONLY"), has("NOTRUNCATE")) {
        (true, _) => Some(Only::Truncate),
        (_, true) => Some(Only::Move),
        _ => None,
    }
}
