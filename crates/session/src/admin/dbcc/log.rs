//! `DBCC LOGINFO`.

use base::{SqlError, SqlType, Value, message};
use tsql::ast;

use crate::builtin::rows::{ResultSet, RowsetColumn, column, int};
use crate::context::Context;
use crate::fault::Run;
use crate::sysview::server::log::VirtualFile;

/// The states of a virtual log file.
const REUSABLE: i32 = 0;
const ACTIVE: i32 = 2;

impl Context<'_> {
    /// `LOGINFO`: the segments of a database's log. Errors 2520, 2521, 2583.
    pub(super) fn log_info(&mut self, dbcc: &ast::Dbcc) -> Run<()> {
        const COLUMNS: [RowsetColumn; 8] = [
            column("RecoveryUnitId", SqlType::int(), true),
            column("FileId", SqlType::int(), true),
            column("FileSize", SqlType::bigint(), true),
            column("StartOffset", SqlType::bigint(), true),
            column("FSeqNo", SqlType::int(), true),
            column("Status", SqlType::int(), true),
            column("Parity", SqlType::tinyint(), true),
            column("CreateLSN", SqlType::numeric(25, 0), true),
        ];
        if dbcc.arguments.len() > 1 {
            return Err(SqlError::new(&message::DBCC_PARAMETER_COUNT, &[]).into());
        }
        let database = self.dbcc_database(dbcc.arguments.first())?;
        let catalog = self.catalog(database)?;
        let number = |of: u64| int(i64::try_from(of).unwrap_or(i64::MAX));
        let row = |own: VirtualFile| {
            vec![
                int(0),
                int(own.file),
                number(own.segment.stored.size_bytes),
                number(own.begin),
                number(own.segment.stored.number),
                int(if own.is_active() { ACTIVE } else { REUSABLE }),
                int(0),
                Value::Decimal(0),
            ]
        };
        let rows: Vec<_> = VirtualFile::all(&catalog).into_iter().map(row).collect();
        Ok(ResultSet::new(&COLUMNS).send(self, &rows)?)
    }
}

#[cfg(test)]
mod tests;
