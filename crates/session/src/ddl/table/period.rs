//! `PERIOD FOR SYSTEM_TIME` and the columns that the server sets for it.

use base::{SqlError, TypeKind, message};
use engine::catalog::def::*;
use tsql::ast::{self, ColumnKind, TableElement};

use super::{Builder, Purpose};
use crate::ddl::failure::DdlResult;

type Shown<'a> = &'a dyn std::fmt::Display;

impl Builder<'_> {
    /// A column `GENERATED ALWAYS`. Errors 13501, 13587, 13735.
    pub fn generated_column(
        &mut self,
        def: &mut ColumnDef,
        column: &ast::ColumnDefinition,
    ) -> DdlResult<()> {
        let name = &def.name;
        let Some(starts) = column.generated else {
            if column.hidden {
                let table = self.name();
                let args: [Shown; 2] = [name, &table];
                return Err(SqlError::new(&message::HIDDEN_NOT_GENERATED, &args).into());
            }
            return Ok(());
        };
        if self.purpose != Purpose::Table {
            return Err(SqlError::new(&message::PERIOD_IN_VARIABLE, &[]).into());
        }
        if def.ty.kind != TypeKind::DateTime2 {
            return Err(SqlError::new(&message::PERIOD_COLUMN_TYPE, &[name]).into());
        }
        if column.nullable == Some(true) {
            return Err(SqlError::new(&message::PERIOD_COLUMN_NULLABLE, &[name]).into());
        }
        def.nullable = false;
        self.generated.push((def.id, starts));
        Ok(())
    }

    /// The period that these elements define. Errors 13502 to 13509, 13513, 13572, 13587, 13597,
    /// 13598.
    pub fn period(&mut self, elements: &[TableElement]) -> DdlResult<()> {
        let fail = |message| Err(SqlError::new(message, &[]).into());
        let mut periods = elements.iter().filter_map(|element| match element {
            TableElement::Period { span, start, end } => Some((span.line, start, end)),
            _ => None,
        });
        let (period, second) = (periods.next(), periods.next());
        let of = |starts| self.generated.iter().filter(move |g| g.1 == starts).map(|g| g.0);
        let (mut starts, mut ends) = (of(true), of(false));
        let (start, end) = (starts.next(), ends.next());
        match () {
            () if starts.next().is_some() => return fail(&message::MULTIPLE_ROW_START),
            () if ends.next().is_some() => return fail(&message::MULTIPLE_ROW_END),
            () if second.is_some() => return fail(&message::MULTIPLE_PERIODS),
            () => {}
        }
        let Some((line, first, last)) = period else {
            return match self.generated.is_empty() {
                true => Ok(()),
                false => fail(&message::GENERATED_WITHOUT_PERIOD),
            };
        };
        let made = self.period_of(first, last, start, end);
        self.table.period = Some(made.map_err(|f| f.at_line(line))?);
        Ok(())
    }

    fn period_of(
        &mut self,
        first: &ast::Ident,
        last: &ast::Ident,
        start: Option<ColumnId>,
        end: Option<ColumnId>,
    ) -> DdlResult<PeriodDef> {
        let fail = |message| Err(SqlError::new(message, &[]).into());
        let about = |message, name: &str| Err(SqlError::new(message, &[&name]).into());
        if self.purpose != Purpose::Table {
            return fail(&message::PERIOD_IN_VARIABLE);
        }
        if self.table.history_of.is_some() {
            return about(&message::PERIOD_ON_HISTORY, &self.full_name());
        }
        if self.table.period.is_some() {
            return about(&message::PERIOD_ALREADY_DEFINED, &self.full_name());
        }
        // Columns that a table already has need not be generated so far.
        let may_be_plain = !self.is_new() && start.is_none() && end.is_none();
        match (start, end) {
            _ if may_be_plain => {}
            (None, _) => return fail(&message::ROW_START_MISSING),
            (_, None) => return fail(&message::ROW_END_MISSING),
            _ => {}
        }
        let find = |name: &ast::Ident, generated: Option<ColumnId>| {
            let at = self.find_column(&name.name)?;
            let column = &self.table.columns[at];
            (may_be_plain || Some(column.id) == generated).then_some(column)
        };
        let Some(from) = find(first, start) else {
            return fail(&message::PERIOD_START_NOT_MATCHING);
        };
        let to = find(last, end).filter(|to| to.id != from.id);
        let Some(to) = to else { return fail(&message::PERIOD_END_NOT_MATCHING) };
        for column in [from, to] {
            if column.ty.kind != TypeKind::DateTime2 || column.computed.is_some() {
                return about(&message::PERIOD_COLUMN_TYPE, &column.name);
            }
            if column.nullable {
                return about(&message::PERIOD_COLUMN_NULLABLE, &column.name);
            }
        }
        if from.ty.scale != to.ty.scale {
            return fail(&message::PERIOD_PRECISIONS_DIFFER);
        }
        Ok(PeriodDef { start: from.id, end: to.id })
    }

    /// `database.schema.table`, as messages about system versioning show it.
    pub fn full_name(&self) -> String {
        let database = self.setting.names.database_name(self.setting.database);
        let header = &self.table.header;
        let name = self.name();
        let shown = crate::ddl::place::qualified(&self.setting.schema, header.schema, &name);
        format!("{database}.{shown}")
    }

    /// What a history allows besides columns. Errors 13558, 13564, 13565, 13583.
    pub fn check_history(&self, elements: &[TableElement]) -> DdlResult<()> {
        if self.table.history_of.is_none() {
            return Ok(());
        }
        let fail = |message: &message::Message, line| {
            let error = SqlError::new(message, &[&self.full_name()]);
            Err(error.at_line(line).into())
        };
        for element in elements {
            match element {
                TableElement::Column(column) => {
                    return fail(&message::ADD_COLUMN_TEMPORAL, column.span.line);
                }
                TableElement::Index(index) if index.unique => {
                    return fail(&message::UNIQUE_INDEX_ON_HISTORY, index.span.line);
                }
                TableElement::Constraint(constraint) => {
                    let line = constraint.span.line;
                    match &constraint.kind {
                        ast::ConstraintKind::Key(key) if key.primary => {
                            return fail(&message::PRIMARY_KEY_ON_HISTORY, line);
                        }
                        ast::ConstraintKind::Key(_) => {
                            return fail(&message::UNIQUE_ON_HISTORY, line);
                        }
                        ast::ConstraintKind::Check { .. } => {
                            return fail(&message::CHECK_ON_HISTORY, line);
                        }
                        ast::ConstraintKind::ForeignKey(_) => {
                            let name = constraint.name.as_ref().map_or("", |n| &n.name);
                            let message = &message::FOREIGN_KEY_WITH_HISTORY;
                            return Err(SqlError::new(message, &[&name]).at_line(line).into());
                        }
                        ast::ConstraintKind::Default { .. } => {}
                    }
                }
                TableElement::Index(_) | TableElement::Period { .. } => {}
            }
        }
        Ok(())
    }

    /// What cannot be added to a table while its versions are kept. Errors 13704, 13724.
    pub fn check_versioned(&self, elements: &[TableElement]) -> DdlResult<()> {
        if self.table.versioning.is_none() {
            return Ok(());
        }
        for element in elements {
            let TableElement::Column(column) = element else { continue };
            let line = column.span.line;
            if matches!(column.kind, ColumnKind::Computed { .. }) {
                let error = SqlError::new(&message::TEMPORAL_ADDS_COMPUTED, &[]);
                return Err(error.at_line(line).into());
            }
            if column.identity.is_some() {
                let error = SqlError::new(&message::TEMPORAL_ADDS_IDENTITY, &[&self.full_name()]);
                return Err(error.at_line(line).into());
            }
        }
        Ok(())
    }
}
