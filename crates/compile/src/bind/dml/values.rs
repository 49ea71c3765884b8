//! New values of rows: what is given, defaults, and what follows from other columns.

use std::sync::Arc;

use base::{SqlError, TypeKind, message};
use engine::catalog::def::{ColumnDef, Generated, TableDef, TableRole};
use ir::operator::CastMode;
use tsql::ast;

use super::effects::stored_places;
use super::{AtLine, BindError, BindResult, Binder, Changing, null_of};
use crate::bind::define::{definition_options, substitute_in};
use crate::bind::scalar::Scalar;
use crate::plan::expr::{Expr, ExprKind, Pred};
use crate::plan::tree::{NewValue, Target};

/// What a statement gives for a column.
#[derive(Debug)]
pub(super) enum Given {
    /// A value.
    Value(Scalar),
    /// `DEFAULT`.
    Default,
}

/// A column of an `INSERT`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    /// Its place in `TableDef::columns`.
    pub ordinal: usize,
    /// Where it stands.
    pub line: u32,
}

impl Binder<'_> {
    /// The columns that an `INSERT` lists. Errors 207, 264, 271, 544.
    pub(super) fn listed_columns(
        &mut self,
        changing: &Changing,
        list: impl Iterator<Item = (usize, ast::Span)>,
    ) -> BindResult<Vec<Listed>> {
        let table = &changing.table;
        let mut columns: Vec<Listed> = Vec::new();
        for (ordinal, span) in list {
            let line = span.line;
            let column = &table.columns[ordinal];
            let fail = |error: SqlError| Err(BindError::from(error.at_line(line)));
            if columns.iter().any(|c| c.ordinal == ordinal) {
                return fail(SqlError::new(&message::COLUMN_SET_TWICE, &[&column.name]));
            }
            if column.computed.is_some() && !column.column_set {
                return fail(SqlError::new(&message::COLUMN_NOT_MODIFIABLE, &[&column.name]));
            }
            if column.identity.is_some() && !self.takes_identity(changing) {
                // It may be on when the statement is run.
                let error = SqlError::new(&message::IDENTITY_INSERT_OFF, &[&shown_name(table)]);
                return Err(BindError::missing(error.at_line(line)));
            }
            columns.push(Listed { ordinal, line });
        }
        let listed = |is_it: fn(&ColumnDef) -> bool| {
            columns.iter().find(|c| is_it(&table.columns[c.ordinal]))
        };
        if let (Some(set), Some(_)) = (listed(|c| c.column_set), listed(|c| c.sparse)) {
            return Err(SqlError::new(&message::COLUMN_SET_AND_SPARSE, &[])
                .at_line(set.line)
                .into());
        }
        Ok(columns)
    }

    /// The columns of an `INSERT` without a list, given how many values there are. Errors
    /// 213, 8101.
    pub(super) fn unlisted_columns(
        &mut self,
        changing: &Changing,
        given: usize,
        line: u32,
    ) -> BindResult<Vec<Listed>> {
        let table = &changing.table;
        let keeps_identity = self.load.is_some_and(|load| load.keep_identity);
        let plain = |c: &ColumnDef| {
            let is_given = c.computed.is_none() || c.column_set;
            is_given && (c.identity.is_none() || keeps_identity) && !table.is_left_out(c)
        };
        let all = table.columns.iter().enumerate();
        let columns: Vec<Listed> =
            all.filter(|(_, c)| plain(c)).map(|(ordinal, _)| Listed { ordinal, line }).collect();
        if columns.len() == given {
            return Ok(columns);
        }
        if columns.len() + 1 == given && table.identity_column().is_some() {
            let name = shown_name(table);
            let error = SqlError::new(&message::IDENTITY_INSERT_COLUMN_LIST, &[&name]);
            return Err(error.at_line(line).into());
        }
        Err(SqlError::new(&message::COLUMN_COUNT_MISMATCH, &[]).at_line(line).into())
    }

    /// Whether explicit values of the identity column are taken.
    fn takes_identity(&mut self, changing: &Changing) -> bool {
        let Target::Table { database, ref table } = changing.target else { return false };
        if self.load.is_some_and(|load| load.keep_identity) {
            return true;
        }
        let on = self.names.identity_insert(database, table.id());
        let noted = (database, table.id(), on);
        if !self.dependencies.identity_insert.contains(&noted) {
            self.dependencies.identity_insert.push(noted);
        }
        on
    }

    /// A value for a column that a statement gives one. Errors 206, 257, 260, 273, 339.
    pub(super) fn given_value(
        &mut self,
        changing: &Changing,
        listed: Listed,
        given: Given,
    ) -> BindResult<NewValue> {
        let column = changing.table.columns[listed.ordinal].clone();
        let line = listed.line;
        let is_default = matches!(&given, Given::Default);
        if let Some(generated) = changing.generated(&column) {
            if !is_default {
                let name = self.full_name(changing.database, &changing.table)?;
                let error = SqlError::new(&message::GENERATED_INSERT, &[&name]);
                return Err(error.at_line(line).into());
            }
            return Ok(NewValue::Expr(self.generated_value(&column, generated)?));
        }
        if column.ty.kind == TypeKind::RowVersion {
            return match is_default {
                true => Ok(row_version(changing, &column)),
                false => Err(SqlError::new(&message::TIMESTAMP_INSERT, &[]).at_line(line).into()),
            };
        }
        if column.identity.is_some() && is_default {
            return Err(SqlError::new(&message::DEFAULT_AS_IDENTITY, &[]).at_line(line).into());
        }
        if column.ty.xml_use().is_some() && changing.table.role != TableRole::Type {
            self.check_home(changing.database).at(line)?;
        }
        let value = match given {
            Given::Value(scalar) => scalar,
            Given::Default => self.default_of(changing.database, &changing.table, &column)?,
        };
        let expr = self.column_value(&column, value).at(line)?;
        Ok(NewValue::Expr(expr))
    }

    /// The value that a load gives a column: its default instead of NULL, if the hints say so.
    pub(super) fn loaded_value(
        &mut self,
        changing: &Changing,
        ordinal: usize,
        value: NewValue,
    ) -> BindResult<NewValue> {
        let column = changing.table.columns[ordinal].clone();
        let keeps_defaults = self.load.is_some_and(|load| load.keep_defaults);
        let NewValue::Expr(given) = value else { return Ok(value) };
        if !keeps_defaults || column.default_text().is_none() {
            return Ok(NewValue::Expr(given));
        }
        let default = self.default_of(changing.database, &changing.table, &column)?;
        let default = self.column_value(&column, default)?;
        let ty = given.ty;
        let nullable = given.nullable && default.nullable;
        let branches = vec![(Pred::IsNull(given.clone()), default)];
        let kind = ExprKind::Case { branches, otherwise: Some(Box::new(given)) };
        Ok(NewValue::Expr(Expr { kind, ty, nullable }))
    }

    /// A value as a column takes it.
    pub(in crate::bind) fn column_value(
        &mut self,
        column: &ColumnDef,
        value: Scalar,
    ) -> BindResult<Expr> {
        let expr = self.coerce_to_column(value, column.ty)?;
        // A column of ANSI_PADDING OFF keeps no trailing blanks or zeros.
        let trim = match column.ty.kind {
            _ if column.ansi_padded => return Ok(expr),
            TypeKind::VarChar => "RTRIM",
            TypeKind::VarBinary => "TRIM ZEROS",
            _ => return Ok(expr),
        };
        let trimmed = self.library_call(trim, vec![Scalar::computed(expr)])?;
        Ok(self.cast(trimmed.expr, column.ty, CastMode::Explicit))
    }

    /// The value of every stored column of a new row, in layout order: those given by place in
    /// `TableDef::columns`, and what the table says for the others. Error 545.
    pub(super) fn complete_row(
        &mut self,
        changing: &Changing,
        given: Vec<(usize, NewValue)>,
        line: u32,
    ) -> BindResult<Vec<NewValue>> {
        let table = changing.table.clone();
        let given = self.column_set_given(&table, given).at(line)?;
        let mut given: Vec<(usize, Option<NewValue>)> =
            given.into_iter().map(|(at, value)| (at, Some(value))).collect();
        let mut values = Vec::with_capacity(changing.new.len());
        for (ordinal, column) in table.columns.iter().enumerate() {
            if !column.is_stored() {
                continue;
            }
            let own = given.iter_mut().find(|g| g.0 == ordinal).and_then(|g| g.1.take());
            values.push(match own {
                Some(value) => value,
                None => self.missing_value(changing, column).at(line)?,
            });
        }
        Ok(values)
    }

    /// The value of a column that is not given.
    fn missing_value(&mut self, changing: &Changing, column: &ColumnDef) -> BindResult<NewValue> {
        if column.computed.is_some() {
            return Ok(NewValue::Expr(self.computed_value(changing, column)?));
        }
        if column.identity.is_some() {
            return match self.takes_identity(changing) {
                false => Ok(NewValue::Identity),
                true => {
                    let name = shown_name(&changing.table);
                    let error = SqlError::new(&message::IDENTITY_VALUE_MISSING, &[&name]);
                    Err(BindError::missing(error))
                }
            };
        }
        if column.ty.kind == TypeKind::RowVersion {
            return Ok(row_version(changing, column));
        }
        if let Some(generated) = changing.generated(column) {
            return Ok(NewValue::Expr(self.generated_value(column, generated)?));
        }
        if column.default_text().is_none() {
            return Ok(NewValue::Expr(null_of(&column.ty)));
        }
        let value = self.default_of(changing.database, &changing.table, column)?;
        Ok(NewValue::Expr(self.column_value(column, value)?))
    }

    /// The value of a stored computed column, from the other columns of the new row.
    fn computed_value(&mut self, changing: &Changing, column: &ColumnDef) -> BindResult<Expr> {
        let Some(computed) = &column.computed else { return Ok(null_of(&column.ty)) };
        let text = tsql::parse_expression(&computed.definition, definition_options())?;
        let ids = changing.by_ordinal(&changing.new);
        let (value, scan) =
            self.over_row(changing.database, &changing.table, ids, |b| b.scalar(&text))?;
        let mut expr = match value.is_untyped() {
            true => self.coerce(value, column.ty)?,
            false => self.cast(value.expr, column.ty, CastMode::Explicit),
        };
        substitute_in(&mut expr, &scan.computed);
        Ok(expr)
    }

    /// Adds what changes with the columns that are set: stored computed columns and row versions.
    pub(super) fn set_dependent_columns(
        &mut self,
        changing: &Changing,
        set: &mut Vec<(usize, NewValue)>,
    ) -> BindResult<()> {
        let table = changing.table.clone();
        for (position, column) in table.stored_columns().enumerate() {
            if set.iter().any(|s| s.0 == position) {
                continue;
            }
            // As in SQL Server, WRITETEXT and UPDATETEXT make no new row version.
            if column.ty.kind == TypeKind::RowVersion && !self.in_text_statement {
                set.push((position, row_version(changing, column)));
            }
            if changing.generated(column) == Some(Generated::RowStart) {
                let value = self.generated_value(column, Generated::RowStart)?;
                set.push((position, NewValue::Expr(value)));
            }
            let Some(computed) = &column.computed else { continue };
            let uses = stored_places(&table, &computed.columns);
            if uses.iter().any(|used| set.iter().any(|s| s.0 == *used)) {
                let value = self.computed_value(changing, column)?;
                set.push((position, NewValue::Expr(value)));
            }
        }
        Ok(())
    }
}

/// A new row version; only what is written has one.
fn row_version(changing: &Changing, column: &ColumnDef) -> NewValue {
    match changing.target {
        Target::Instead { .. } => NewValue::Expr(null_of(&column.ty)),
        _ => NewValue::RowVersion,
    }
}

/// A table's name as messages about identity columns show it.
fn shown_name(table: &TableDef) -> Arc<str> {
    table.header.name.clone()
}
