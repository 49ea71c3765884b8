//! `INSERT`.

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::def::Permission;
use ir::read::ReadOptions;
use tsql::ast::{self, InsertSource, RowValue, TableHintKind};

use super::effects::Write;
use super::target::Targeted;
use super::values::{Given, Listed};
use super::{AtLine, BindError, BindResult, Binder, Changing};
use crate::bind::binder::LoadHints;
use crate::bind::order::limited_by;
use crate::bind::query::scalar_of;
use crate::bind::scalar::{Origin, Scalar};
use crate::bind::scope::Clause;
use crate::bind::select::{Output, Usage};
use crate::plan::expr::Expr;
use crate::plan::tree::{CheckPlan, InsertPlan, NewValue, Node, Plan, RowEffects, Target};

/// The most rows that `VALUES` may list.
const VALUES_ROWS_MAX: usize = 1000;

impl Binder<'_> {
    /// `INSERT`. Errors 109, 110, 120, 121, 213 and many more.
    pub fn insert(&mut self, insert: &ast::Insert) -> BindResult<Plan> {
        if let InsertSource::Changes(changes) = &insert.source {
            return self.insert_of_changes(insert, changes);
        }
        self.query_hints(&insert.options)?;
        let loading = load_hints(insert);
        self.options.skip_triggers |= loading.is_some_and(|load| load.ignore_triggers);
        self.with_tables(insert.with.as_ref(), |b| {
            b.load = loading;
            let (targeted, checks) = b.insert_target(insert)?;
            let target = targeted.changing.target.clone();
            let lock = b.insert_lock(insert, &target)?;
            b.load = None;
            let line = insert.target.span.line;
            let mut converted = Vec::new();
            let (source, given) = match &insert.source {
                InsertSource::Values(rows) => b.inserted_values(insert, &targeted, rows)?,
                InsertSource::Query(query) => {
                    let output = b.query(query, Usage::Insert)?;
                    b.load = loading;
                    b.inserted_rows(insert, &targeted, output)?
                }
                InsertSource::DefaultValues => (Node::OneRow, Vec::new()),
                InsertSource::Execute(_) => {
                    b.inserted_results(insert, &targeted, &mut converted)?
                }
                InsertSource::Changes(_) => return Err(ir::internal("it is bound above").into()),
            };
            let source = match &insert.top {
                Some(top) => {
                    let limit = b.top(top)?;
                    limited_by(source, Vec::new(), limit)
                }
                None => source,
            };
            let changing = &targeted.changing;
            let values = b.complete_row(changing, given, line)?;
            let mut effects = b.effects(changing, &Write::insert())?;
            if let Some(load) = b.load.take() {
                b.loads(&targeted.changing, load, &mut effects);
            }
            effects.checks.extend(checks);
            if let Some(output) = &insert.output {
                b.output(output, &targeted, &Write::insert(), &mut effects)?;
            }
            Ok(Plan::Insert(Box::new(InsertPlan {
                target,
                source,
                values,
                converted,
                effects,
                lock,
            })))
        })
    }

    /// The lock that `TABLOCK` or `TABLOCKX` asks for on the target: both mean an exclusive one
    /// here. Temporary tables need no lock.
    fn insert_lock(
        &self,
        insert: &ast::Insert,
        target: &Target,
    ) -> BindResult<Option<ReadOptions>> {
        let Target::Table { database, table } = target else { return Ok(None) };
        let asked = self.read_options(&insert.target.hints, Some(table))?;
        let locks = asked.table_lock && *database != DbId::TEMPDB;
        Ok(locks.then(|| ReadOptions {
            table_lock: true,
            exclusive_lock: true,
            no_wait: asked.no_wait,
            ..ReadOptions::default()
        }))
    }

    /// The target, and the checks of its views. Nothing is noted of a read, since the statement
    /// does not read the target.
    pub(super) fn insert_target(
        &mut self,
        insert: &ast::Insert,
    ) -> BindResult<(Targeted, Vec<CheckPlan>)> {
        let accesses = self.facts.accesses.len();
        let unhinted = self.facts.memory_optimized_unhinted;
        self.open_block(Clause::Other);
        let wanted = insert.columns.as_ref().and_then(|c| c.first());
        let bound = self.target_source(&insert.target).and_then(|at| {
            self.facts.accesses.truncate(accesses);
            self.targeted(at, Permission::Insert, wanted, &insert.target)
        });
        self.close_block();
        self.facts.memory_optimized_unhinted = unhinted;
        let targeted = bound?;
        let checks = self.check_options(&targeted);
        Ok((targeted, checks))
    }

    /// The columns that the statement gives values for. Errors 207, 213, 264, 271, 544, 8101.
    fn insert_columns(
        &mut self,
        insert: &ast::Insert,
        targeted: &Targeted,
        given: usize,
    ) -> BindResult<Vec<Listed>> {
        match &insert.columns {
            Some(list) => {
                let mut found = Vec::with_capacity(list.len());
                for column in list {
                    let bare = ast::ColumnRef { qualifier: None, column: column.column.clone() };
                    let at = self.part(|b| b.target_column(targeted, &bare))?;
                    found.extend(at.map(|at| (at, column.column.span)));
                }
                self.listed_columns(&targeted.changing, found.into_iter())
            }
            None => self.all_columns(targeted, given, insert.target.span),
        }
    }

    /// The columns of a statement that lists none: those that the target shows. Errors 213,
    /// 4406, 8101.
    pub(super) fn all_columns(
        &mut self,
        targeted: &Targeted,
        given: usize,
        span: ast::Span,
    ) -> BindResult<Vec<Listed>> {
        let Some(view) = &targeted.view else {
            return self.unlisted_columns(&targeted.changing, given, span.line);
        };
        let identity = targeted.changing.table.identity_column().map(|c| c.0);
        let shown = targeted.columns.iter().filter(|c| identity.is_none() || c.ordinal != identity);
        let mut found = Vec::with_capacity(given);
        for column in shown {
            let Some(ordinal) = column.ordinal else {
                let error = SqlError::new(&message::VIEW_COLUMN_NOT_UPDATABLE, &[view]);
                return Err(error.at_line(span.line).into());
            };
            found.push((ordinal, span));
        }
        if found.len() != given {
            let error = SqlError::new(&message::COLUMN_COUNT_MISMATCH, &[]);
            return Err(error.at_line(span.line).into());
        }
        self.listed_columns(&targeted.changing, found.into_iter())
    }

    /// `VALUES`. Errors 109, 110, 213, 10709, 10738.
    fn inserted_values(
        &mut self,
        insert: &ast::Insert,
        targeted: &Targeted,
        rows: &[Vec<RowValue>],
    ) -> BindResult<(Node, Vec<(usize, NewValue)>)> {
        let line = insert.target.span.line;
        let fail = |message| Err(BindError::from(SqlError::new(message, &[]).at_line(line)));
        let width = rows.first().map_or(0, Vec::len);
        if rows.iter().any(|row| row.len() != width) {
            return fail(&message::VALUES_ROW_WIDTHS_DIFFER);
        }
        if rows.len() > VALUES_ROWS_MAX {
            let error = SqlError::new(&message::TOO_MANY_VALUES_ROWS, &[&VALUES_ROWS_MAX]);
            return Err(error.at_line(line).into());
        }
        if let Some(list) = &insert.columns {
            match list.len().cmp(&width) {
                std::cmp::Ordering::Greater => return fail(&message::MORE_COLUMNS_THAN_VALUES),
                std::cmp::Ordering::Less => return fail(&message::FEWER_COLUMNS_THAN_VALUES),
                std::cmp::Ordering::Equal => {}
            }
        }
        let columns = self.insert_columns(insert, targeted, width)?;
        let changing = &targeted.changing;
        if let [row] = rows {
            let given = self.one_row(changing, &columns, row)?;
            return Ok((Node::OneRow, given));
        }
        self.many_rows(changing, &columns, rows)
    }

    /// A row of values, each converted to its column.
    pub(super) fn one_row(
        &mut self,
        changing: &Changing,
        columns: &[Listed],
        row: &[RowValue],
    ) -> BindResult<Vec<(usize, NewValue)>> {
        let mut given = Vec::with_capacity(columns.len());
        for (listed, value) in columns.iter().zip(row) {
            let (value, line) = self.row_value(value)?;
            let listed = Listed { line, ..*listed };
            given.push((listed.ordinal, self.given_value(changing, listed, value)?));
        }
        Ok(given)
    }

    fn row_value(&mut self, value: &RowValue) -> BindResult<(Given, u32)> {
        Ok(match value {
            RowValue::Default(span) => (Given::Default, span.line),
            RowValue::Expr(expr) => (Given::Value(self.no_row(expr)?), expr.span.line),
        })
    }

    /// An expression where there is no row. Error 128 for a column.
    fn no_row(&mut self, expr: &ast::Expr) -> BindResult<Scalar> {
        use crate::bind::binder::NoColumns;
        let before = std::mem::replace(&mut self.no_columns, NoColumns::NotPermitted);
        let bound = self.scalar(expr);
        self.no_columns = before;
        bound
    }

    /// Several rows: the values of a column are first converted to one type, as in a union.
    fn many_rows(
        &mut self,
        changing: &Changing,
        columns: &[Listed],
        rows: &[Vec<RowValue>],
    ) -> BindResult<(Node, Vec<(usize, NewValue)>)> {
        let mut bound: Vec<Vec<Expr>> = rows.iter().map(|r| Vec::with_capacity(r.len())).collect();
        let mut ids = Vec::with_capacity(columns.len());
        let mut given = Vec::with_capacity(columns.len());
        for (at, listed) in columns.iter().enumerate() {
            let def = changing.table.columns[listed.ordinal].clone();
            let has_default = rows.iter().any(|row| matches!(row[at], RowValue::Default(_)));
            let mut values = Vec::with_capacity(rows.len());
            for row in rows {
                values.push(self.row_value(&row[at])?);
            }
            if has_default {
                // A default goes straight into the column, and so do the values beside it.
                let mut same = None;
                for ((value, line), row) in values.into_iter().zip(&mut bound) {
                    let listed = Listed { line, ..*listed };
                    match self.given_value(changing, listed, value)? {
                        NewValue::Expr(expr) => row.push(expr),
                        other => {
                            row.push(super::null_of(&def.ty));
                            same = Some(other);
                        }
                    }
                }
                let id = self.free_column();
                ids.push(id);
                let value = same.unwrap_or_else(|| NewValue::Expr(super::column(id, def.ty, true)));
                given.push((listed.ordinal, value));
                continue;
            }
            let scalars: Vec<(Scalar, u32)> = (values.into_iter())
                .filter_map(|(value, line)| match value {
                    // A variable whose type is being inferred takes the column's.
                    Given::Value(scalar) if matches!(scalar.origin, Origin::Undeclared(_)) => {
                        Some((self.typed(scalar, &def.ty), line))
                    }
                    Given::Value(scalar) => Some((scalar, line)),
                    Given::Default => None,
                })
                .collect();
            let all_null = scalars.iter().all(|(s, _)| s.origin == Origin::Null);
            let (ty, label) = match all_null {
                true => (def.ty, crate::bind::scalar::Label::column(&def.ty)),
                false => self.unify(scalars.iter().map(|s| &s.0), "VALUES").at(listed.line)?,
            };
            let mut nullable = false;
            for ((scalar, line), row) in scalars.into_iter().zip(&mut bound) {
                let value = self.coerce(scalar, ty).at(line)?;
                nullable |= value.nullable;
                row.push(value);
            }
            let id = self.free_column();
            ids.push(id);
            let expr = super::column(id, ty, nullable);
            let value = Given::Value(Scalar { expr, label, origin: Origin::Plain });
            given.push((listed.ordinal, self.given_value(changing, *listed, value)?));
        }
        Ok((Node::Values { columns: ids, rows: bound }, given))
    }

    /// What the hints of a load spare it, and ask of its user.
    fn loads(&mut self, changing: &Changing, load: LoadHints, effects: &mut RowEffects) {
        let Target::Table { database, table } = &changing.target else { return };
        if load.ignore_constraints {
            effects.forget_constraints();
            self.facts.unchecked = Some((*database, table.id()));
        }
        if load.keep_identity || load.ignore_constraints || load.ignore_triggers {
            self.note_access(*database, table.id(), Permission::Alter);
        }
    }

    /// `INSERT … SELECT`, whose query is bound. Errors 120, 121, 213.
    pub(super) fn inserted_rows(
        &mut self,
        insert: &ast::Insert,
        targeted: &Targeted,
        output: Output,
    ) -> BindResult<(Node, Vec<(usize, NewValue)>)> {
        let line = insert.target.span.line;
        let width = output.columns.len();
        if let Some(list) = &insert.columns {
            let message = match list.len().cmp(&width) {
                std::cmp::Ordering::Greater => Some(&message::SELECT_LIST_TOO_SHORT),
                std::cmp::Ordering::Less => Some(&message::SELECT_LIST_TOO_LONG),
                std::cmp::Ordering::Equal => None,
            };
            if let Some(message) = message {
                return Err(SqlError::new(message, &[]).at_line(line).into());
            }
        }
        let columns = self.insert_columns(insert, targeted, width)?;
        let mut given = Vec::with_capacity(width);
        for (listed, column) in columns.into_iter().zip(&output.columns) {
            let listed = Listed { line, ..listed };
            let value = Given::Value(scalar_of(column));
            let ordinal = listed.ordinal;
            let value = self.given_value(&targeted.changing, listed, value)?;
            given.push((ordinal, self.loaded_value(&targeted.changing, ordinal, value)?));
        }
        Ok((output.node, given))
    }
}

/// How an `INSERT` loads the rows of a file, if it does.
fn load_hints(insert: &ast::Insert) -> Option<LoadHints> {
    let InsertSource::Query(query) = &insert.source else { return None };
    let ast::QueryBody::Select(select) = &query.body else { return None };
    if !select.from.iter().any(reads_file) {
        return None;
    }
    let has = |kind: fn(&TableHintKind) -> bool| insert.target.hints.iter().any(|h| kind(&h.kind));
    Some(LoadHints {
        keep_identity: has(|kind| matches!(kind, TableHintKind::KeepIdentity)),
        keep_defaults: has(|kind| matches!(kind, TableHintKind::KeepDefaults)),
        ignore_constraints: has(|kind| matches!(kind, TableHintKind::IgnoreConstraints)),
        ignore_triggers: has(|kind| matches!(kind, TableHintKind::IgnoreTriggers)),
    })
}

/// Whether a source is a file, or joins one. The parser bounds how deep joins nest.
fn reads_file(source: &ast::TableSource) -> bool {
    match &source.kind {
        ast::TableSourceKind::File(_) => true,
        ast::TableSourceKind::Join(join) => reads_file(&join.left) || reads_file(&join.right),
        _ => false,
    }
}
