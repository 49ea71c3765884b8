//! Hints about how rows are found: `INDEX`, `FORCESEEK`, `FORCESCAN`.

use std::fmt::Display;
use std::sync::Arc;

use base::ids::DbId;
use base::message::Message;
use base::{SqlError, message};
use engine::catalog::def::{IndexDef, TableDef};
use ir::read::ReadOptions;
use tsql::ast::{self, IndexRef, TableHint, TableHintKind};

use super::binder::Binder;
use super::context::{BindError, BindResult};
use super::dml::qualified;
use crate::plan::hints::{AccessHint, ForcedAccess};

/// What the hints of a view or common table expression mean for all that it reads.
#[derive(Clone, Copy, Default)]
pub(super) struct Inherited {
    /// How tables are read that say nothing else.
    pub reads: ReadOptions,
    /// Whether their rows have to be looked for.
    pub forced: Option<ForcedAccess>,
}

impl Binder<'_> {
    /// What hints of a view, function or common table expression hand down. Indexes cannot be
    /// meant. Errors 364, 1047, 10746.
    pub fn inherited(&self, hints: &[TableHint], name: &ast::ObjectName) -> BindResult<Inherited> {
        let reads = self.read_options(hints, None)?;
        for hint in hints {
            if matches!(hint.kind, TableHintKind::ForceSeek(Some(_))) {
                let message = &message::FORCESEEK_ON_VIEW;
                return Err(fail(message, &[&name.name.name], hint.span.line));
            }
        }
        Ok(Inherited { reads, forced: forced(hints)?.or(self.env.inherited.forced) })
    }

    /// What hints demand of how a table's rows are found. `database` is of a table that is not a
    /// table variable. Errors 307, 308, 315, 316, 362, 365, 8622, 10746, 10747, 10749, 10750.
    pub fn access_hint(
        &mut self,
        hints: &[TableHint],
        table: &TableDef,
        database: Option<DbId>,
    ) -> BindResult<AccessHint> {
        let forced = forced(hints)?.or(self.env.inherited.forced);
        let mut hint = AccessHint { forced, ..AccessHint::default() };
        let is_index = |h: &TableHint| matches!(h.kind, TableHintKind::Index(_));
        let mut reads_table = false;
        for TableHint { span, kind } in hints {
            let line = span.line;
            match kind {
                TableHintKind::Index(named) => {
                    for index in named {
                        let found = self.hinted_index(index, table, database, line)?;
                        reads_table |= found.is_none();
                        let list = hint.indexes.get_or_insert_default();
                        if let Some(at) = found.filter(|at| !list.contains(at)) {
                            list.push(at);
                        }
                    }
                }
                TableHintKind::ForceSeek(Some((index, columns))) => {
                    if hints.iter().any(is_index) {
                        return Err(fail(&message::FORCESEEK_WITH_INDEX, &[], line));
                    }
                    let Some(at) = self.hinted_index(index, table, database, line)? else {
                        return Err(fail(&message::FORCESEEK_INDEX_ZERO, &[], line));
                    };
                    self.check_seek_columns(table, at, index, columns, line)?;
                    hint.indexes = Some(std::iter::once(at).collect());
                    hint.key_columns = columns.len();
                }
                _ => {}
            }
        }
        let line = hints.first().map_or(0, |h| h.span.line);
        let several = hint.indexes.as_ref().is_some_and(|list| list.len() > 1);
        if several && hint.scans() {
            return Err(fail(&message::FORCESCAN_WITH_INDEXES, &[], line));
        }
        if reads_table && hint.indexes.as_ref().is_some_and(|list| !list.is_empty()) {
            let error = SqlError::new(&message::NO_QUERY_PLAN_HINTS, &[]).with_state(2);
            return Err(error.at_line(line).into());
        }
        Ok(hint)
    }

    /// Errors 362 and 365: what `FORCESEEK` lists must be leading key columns.
    fn check_seek_columns(
        &self,
        table: &TableDef,
        at: usize,
        written: &IndexRef,
        columns: &[ast::Ident],
        line: u32,
    ) -> BindResult<()> {
        let index = &table.indexes[at];
        let shown: Arc<str> = match written {
            IndexRef::Name(name) => name.name.clone(),
            IndexRef::Number(number) => number.to_string().into(),
        };
        let of = &table.header.name;
        if columns.len() > index.key.len() {
            return Err(fail(&message::FORCESEEK_TOO_MANY_COLUMNS, &[of, &shown], line));
        }
        for (column, key) in columns.iter().zip(&index.key) {
            let is_key = |name: &str| self.same_name(name, &column.name);
            if !table.column(key.column).is_some_and(|def| is_key(&def.name)) {
                let message = &message::FORCESEEK_NOT_A_KEY_COLUMN;
                return Err(fail(message, &[&column.name, of, &shown], line));
            }
        }
        Ok(())
    }

    /// The place of an index that a hint names; `None` for index 0, the table itself.
    fn hinted_index(
        &mut self,
        index: &IndexRef,
        table: &TableDef,
        database: Option<DbId>,
        line: u32,
    ) -> BindResult<Option<usize>> {
        let shown: Arc<str> = match database {
            Some(database) if !table.is_temporary() => {
                qualified(&*self.schema_of(database)?, table)
            }
            _ => table.header.name.clone(),
        };
        let is_it = |i: &IndexDef| match index {
            IndexRef::Number(number) => i64::from(i.id.0) == i64::from(*number),
            IndexRef::Name(name) => self.same_name(&i.name, &name.name),
        };
        let (named, unknown, disabled): (&dyn Display, _, _) = match index {
            IndexRef::Number(0) => return Ok(None),
            IndexRef::Number(number) => {
                (number, &message::INDEX_ID_IN_HINT_UNKNOWN, &message::INDEX_ID_IN_HINT_DISABLED)
            }
            IndexRef::Name(name) => {
                (&name.name, &message::INDEX_IN_HINT_UNKNOWN, &message::INDEX_IN_HINT_DISABLED)
            }
        };
        match table.indexes.iter().position(is_it) {
            None => Err(fail(unknown, &[named, &shown], line)),
            Some(at) if table.indexes[at].disabled => Err(fail(disabled, &[named, &shown], line)),
            Some(at) => Ok(Some(at)),
        }
    }

    /// Errors 1069, 10724, 10745: what may not be said of the target of a statement that is not in
    /// its `FROM`.
    pub fn check_target_hints(&self, hints: &[TableHint]) -> BindResult<()> {
        for hint in hints {
            let message = match &hint.kind {
                TableHintKind::ForceSeek(_) => &message::FORCESEEK_ON_TARGET,
                TableHintKind::ForceScan => &message::FORCESCAN_ON_TARGET,
                TableHintKind::Index(_) => &message::INDEX_HINT_MISPLACED,
                _ => continue,
            };
            return Err(fail(message, &[], hint.span.line));
        }
        Ok(())
    }
}

/// What hints say of seeks. Error 10746 if they say both.
fn forced(hints: &[TableHint]) -> BindResult<Option<ForcedAccess>> {
    let seek = hints.iter().find(|h| matches!(h.kind, TableHintKind::ForceSeek(_)));
    let scan = hints.iter().find(|h| matches!(h.kind, TableHintKind::ForceScan));
    match (seek, scan) {
        (Some(_), Some(hint)) => Err(fail(&message::FORCESCAN_WITH_FORCESEEK, &[], hint.span.line)),
        (Some(_), None) => Ok(Some(ForcedAccess::Seek)),
        (None, Some(_)) => Ok(Some(ForcedAccess::Scan)),
        (None, None) => Ok(None),
    }
}

fn fail(message: &'static Message, args: &[&dyn Display], line: u32) -> BindError {
    SqlError::new(message, args).at_line(line).into()
}
