//! `DBCC SQLPERF`.

use base::{SqlError, SqlType, Value, message};
use engine::catalog::def::Permission;
use tsql::ast;

use super::word;
use crate::builtin::rows::{NAME, ResultSet, RowsetColumn, column, int, text};
use crate::context::Context;
use crate::fault::Run;
use crate::sysview::server::space::LogSpace;

const MEGABYTE: f64 = 1_048_576.0;

impl Context<'_> {
    /// `SQLPERF(LOGSPACE)`: how large the logs are, and how full. Errors 297, and 2560 for anything
    /// else.
    pub(super) fn performance(&mut self, dbcc: &ast::Dbcc) -> Run<()> {
        const COLUMNS: [RowsetColumn; 4] = [
            column("Database Name", NAME, true),
            column("Log Size (MB)", SqlType::real(), true),
            column("Log Space Used (%)", SqlType::real(), true),
            column("Status", SqlType::int(), true),
        ];
        let what = dbcc.arguments.first().map(word).unwrap_or_default();
        if !what.eq_ignore_ascii_case("LOGSPACE") || dbcc.arguments.len() > 1 {
            return Err(SqlError::new(&message::DBCC_PARAMETER_INVALID, &[&1]).into());
        }
        if !self.login_may(Permission::ViewServerState) {
            return Err(SqlError::new(&message::NO_PERMISSION_FOR_ACTION, &[]).into());
        }
        let instance = self.session.instance.clone();
        let mut rows = Vec::new();
        for catalog in instance.databases().catalogs() {
            let space = LogSpace::of(&catalog);
            rows.push(vec![
                text(Some(&instance.database_name(catalog.database().id()))),
                Value::Float(space.total as f64 / MEGABYTE),
                Value::Float(space.percent()),
                int(0),
            ]);
        }
        Ok(ResultSet::new(&COLUMNS).send(self, &rows)?)
    }
}
