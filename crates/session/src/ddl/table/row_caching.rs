//! Row caching, and SAP ASE's options that go with it.
//!
//! What an option of SAP ASE asks for is what this server always does, or a message says what
//! applies instead.

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::def::*;
use tsql::ast::{self, LockScheme, TableOptionKind};

use super::memory::TABLES;
use super::{Builder, Purpose};
use crate::ddl::failure::DdlResult;

type Shown<'a> = &'a dyn std::fmt::Display;

/// Whether row caching of a table can be on: a disk table with a name that is not temporary.
pub(crate) fn may_cache_rows(table: &TableDef) -> bool {
    table.kind == TableKind::Disk && table.role == TableRole::Table && !table.is_temporary()
}

impl Builder<'_> {
    /// `ROW_CACHING`. Error 10794 where it cannot be on.
    pub fn row_caching(&mut self, on: bool) -> DdlResult<()> {
        if on && let Some(tables) = self.without_row_caching() {
            let args: [Shown; 3] = [&"option", &"row_caching", &tables];
            return Err(SqlError::new(&message::NOT_SUPPORTED_WITH, &args).into());
        }
        self.table.row_cached = on;
        Ok(())
    }

    /// Refuses `ROW_CACHING = ON` among the options of a table type or variable.
    pub fn refuse_row_caching(&mut self, options: &[ast::TableOption]) -> DdlResult<()> {
        for option in options {
            if let TableOptionKind::RowCaching(on) = option.kind {
                self.row_caching(on).map_err(|f| f.at_line(option.span.line))?;
            }
            if let TableOptionKind::SystemVersioning(Some(_)) = option.kind {
                let error = SqlError::new(&message::PERIOD_IN_VARIABLE, &[]);
                return Err(error.at_line(option.span.line).into());
            }
        }
        Ok(())
    }

    /// What messages call the tables that this one is of, if they have no row caching.
    fn without_row_caching(&self) -> Option<&'static str> {
        match self.purpose {
            _ if self.in_memory() => Some(TABLES),
            Purpose::Type => Some("table types"),
            Purpose::Variable => Some("table variables"),
            Purpose::Table if !may_cache_rows(&self.table) => Some("temporary tables"),
            Purpose::Table => None,
        }
    }

    /// `INDEX_HASH_CACHING`. Error 10794 where the table has no row caching.
    pub(super) fn index_hash_caching(
        &self,
        index: &mut IndexDef,
        how: ast::HashCaching,
    ) -> DdlResult<()> {
        index.hash_caching = match how {
            ast::HashCaching::Default => HashCaching::Default,
            ast::HashCaching::On => HashCaching::On,
            ast::HashCaching::Off => HashCaching::Off,
        };
        if index.hash_caching == HashCaching::On
            && let Some(tables) = self.without_row_caching()
        {
            let tables = format!("indexes on {tables}");
            let args: [Shown; 3] = [&"index option", &"index_hash_caching", &tables];
            return Err(SqlError::new(&message::NOT_SUPPORTED_WITH, &args).into());
        }
        Ok(())
    }

    /// `snapshot_isolation` of a table.
    pub(super) fn snapshot_isolation(&mut self, on: bool) -> DdlResult<()> {
        if on != self.setting.snapshot_isolation && !self.in_memory() {
            let (asked, is) = if on { ("on", "OFF") } else { ("off", "ON") };
            let table = self.name();
            self.tell(format!(
                "The option 'snapshot_isolation {asked}' of table '{table}' has no effect: all \
                 tables keep versions, and ALLOW_SNAPSHOT_ISOLATION of the database is {is}."
            ));
        }
        Ok(())
    }

    /// `dml_logging`.
    pub(super) fn full_logging(&mut self, full: bool) -> DdlResult<()> {
        let is_logged =
            self.setting.database != DbId::TEMPDB && self.table.kind != TableKind::MemorySchemaOnly;
        if !full && is_logged {
            let table = self.name();
            self.tell(format!(
                "The option 'dml_logging = minimal' is not available: changes of table '{table}' \
                 are fully logged."
            ));
        }
        Ok(())
    }

    /// `lock allpages` and the like.
    pub(super) fn lock_scheme(&mut self, scheme: LockScheme) -> DdlResult<()> {
        let asked = match scheme {
            LockScheme::AllPages => "allpages",
            LockScheme::DataPages => "datapages",
            LockScheme::DataRows => return Ok(()),
        };
        let table = self.name();
        self.tell(format!(
            "The locking scheme '{asked}' is not available: table '{table}' has row locks \
             (datarows)."
        ));
        Ok(())
    }

    /// `index_compression`.
    pub(super) fn index_compression(&mut self, index: &IndexDef, packed: bool) {
        if packed {
            self.tell(format!(
                "The option 'index_compression = page' is not available: the server decides how \
                 entries of index '{}' are packed.",
                index.name
            ));
        }
    }

    /// `latch_free_index`.
    pub(super) fn latch_free_index(&mut self, index: &IndexDef, on: bool) {
        if !on {
            self.tell(format!(
                "The option 'latch_free_index = off' is not available: index '{}' is free of \
                 latches.",
                index.name
            ));
        }
    }

    /// Sends a text to the client when the table has been made.
    fn tell(&mut self, text: String) {
        self.warnings.push(SqlError::custom(0, 10, 1, text));
    }
}
