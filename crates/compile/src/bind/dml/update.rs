//! `UPDATE`, and what it shares with `DELETE`: which rows.

use base::{SqlError, SqlType, TypeKind, Value, message};
use engine::catalog::def::Permission;
use ir::operator::{CompareOp, VarId};
use tsql::ast::{self, AssignOp, BinaryOp, MemberUse, RowFilter, RowValue, SetClauseKind};

use super::effects::Write;
use super::target::{Targeted, inner_conditions, name_one_row};
use super::values::{Given, Listed};
use super::{AtLine, BindError, BindResult, Binder, column};
use crate::bind::define::substitute;
use crate::bind::from::From;
use crate::bind::order::limited_by;
use crate::bind::scalar::Scalar;
use crate::bind::scope::{Clause, Rows};
use crate::bind::select::filtered;
use crate::bind::{CursorRow, NamingColumn};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred};
use crate::plan::tree::{NewValue, Node, Plan, Target, UpdatePlan};

/// The rows that a statement changes.
pub(super) struct ChangedRows {
    pub input: Node,
    pub recheck: Option<Pred>,
}

/// What `SET` sets.
#[derive(Default)]
pub(super) struct Assignments {
    /// Columns by layout position.
    pub set: Vec<(usize, NewValue)>,
    /// Variables.
    pub assign: Vec<(VarId, Expr)>,
    /// The column set is set.
    pub column_set: bool,
}

impl Binder<'_> {
    /// `UPDATE`.
    pub fn update(&mut self, update: &ast::Update) -> BindResult<Plan> {
        self.query_hints(&update.options)?;
        self.with_tables(update.with.as_ref(), |b| {
            b.open_block(Clause::From);
            let depth = b.blocks.len();
            let plan = b.update_in_block(update);
            b.blocks.truncate(depth - 1);
            Ok(Plan::Update(Box::new(plan?)))
        })
    }

    fn update_in_block(&mut self, update: &ast::Update) -> BindResult<UpdatePlan> {
        let accesses = self.facts.accesses.len();
        let (from, at) = self.target_and_from(&update.target, &update.from)?;
        if update.from.is_empty() && update.filter.is_none() {
            // What SET reads is noted column by column.
            self.facts.accesses.truncate(accesses);
        }
        let wanted = update.set.iter().find_map(|clause| set_column(&clause.kind));
        let targeted = self.targeted(at, Permission::Update, wanted, &update.target)?;
        let checks = self.check_options(&targeted);
        self.block().show_all();
        let filter = self.row_filter(update.filter.as_ref(), &targeted, &from)?;
        let mut assignments =
            self.in_clause(Clause::Set, |b| b.assignments(&update.set, &targeted))?;
        let changing = &targeted.changing;
        self.set_dependent_columns(changing, &mut assignments.set)?;
        let write = Write::update(&assignments.set);
        let mut effects = self.effects(changing, &write)?;
        effects.checks.extend(checks);
        if let Some(output) = &update.output {
            self.output(output, &targeted, &write, &mut effects)?;
        }
        self.inline_target_columns(&targeted, &mut assignments.set);
        let rows = self.changed_rows(from, &targeted, filter, update.top.as_ref())?;
        let old_columns = self.old_columns(&targeted);
        Ok(UpdatePlan {
            target: targeted.changing.target,
            input: rows.input,
            row: targeted.row,
            old_columns,
            set: assignments.set,
            assign: assignments.assign,
            recheck: rows.recheck,
            effects,
        })
    }

    /// `SET`. Errors 137, 207, 264, 271, 272, 8102 and those of conversions.
    pub(super) fn assignments(
        &mut self,
        clauses: &[ast::SetClause],
        targeted: &Targeted,
    ) -> BindResult<Assignments> {
        let mut assignments = Assignments::default();
        for clause in clauses {
            self.part(|b| b.assignment(clause, targeted, &mut assignments))?;
        }
        Ok(assignments)
    }

    fn assignment(
        &mut self,
        clause: &ast::SetClause,
        targeted: &Targeted,
        assignments: &mut Assignments,
    ) -> BindResult<()> {
        let line = clause.span.line;
        let property = self.property_clause(&clause.kind, targeted)?;
        match property.as_ref().unwrap_or(&clause.kind) {
            SetClauseKind::Column { column, op, value } => {
                if let Some(ordinal) = self.settable_set(targeted, column, assignments)? {
                    let plain = matches!(op, AssignOp::Set) && !is_mutator(value);
                    if !plain {
                        let name = &column.column.name;
                        let error = SqlError::new(&message::COLUMN_NOT_MODIFIABLE, &[name]);
                        return Err(error.at_line(line).into());
                    }
                    let value = self.set_value(targeted, column, ordinal, *op, value)?;
                    let table = targeted.changing.table.clone();
                    let given = self.column_set_given(&table, vec![(ordinal, value)]).at(line)?;
                    assignments.set.extend(given.into_iter().filter_map(|(ordinal, value)| {
                        Some((table.layout_position(ordinal)?, value))
                    }));
                    return Ok(());
                }
                let place = self.settable(targeted, column, assignments)?;
                let value = self.set_value(targeted, column, place.0, *op, value)?;
                assignments.set.push((place.1, value));
            }
            SetClauseKind::Variable { variable, op, value } => {
                let (id, ty) = self.assignable(variable)?;
                let value = self.assigned_value(variable, *op, value)?;
                let value = self.coerce_to_variable(value, ty).at(line)?;
                assignments.assign.push((id, value));
            }
            SetClauseKind::VariableAndColumn { variable, column, op, value } => {
                let place = self.settable(targeted, column, assignments)?;
                let value = RowValue::Expr(value.clone());
                let value = self.set_value(targeted, column, place.0, *op, &value)?;
                assignments.set.push((place.1, value));
                let (id, ty) = self.assignable(variable)?;
                let changing = &targeted.changing;
                let def = &changing.table.columns[place.0];
                let new = column_of(changing.new[place.1], def.ty);
                let value = self.coerce_to_variable(Scalar::computed(new), ty).at(line)?;
                assignments.assign.push((id, value));
            }
            SetClauseKind::Write { column, value, offset, length } => {
                let place = self.settable(targeted, column, assignments)?;
                let value = self.written(targeted, place.0, value, offset, length).at(line)?;
                assignments.set.push((place.1, NewValue::Expr(value)));
            }
        }
        Ok(())
    }

    /// `column.property = value`, which looks like a column of a table, as a change of the column.
    /// `None` of everything else. Error 102 with another operator.
    fn property_clause(
        &self,
        clause: &SetClauseKind,
        targeted: &Targeted,
    ) -> BindResult<Option<SetClauseKind>> {
        let SetClauseKind::Column { column: written, op, value } = clause else { return Ok(None) };
        let Some(qualifier) = &written.qualifier else { return Ok(None) };
        let table = qualifier.schema.clone().map(|table| {
            let (database, schema) = (qualifier.server.clone(), qualifier.database.clone());
            Box::new(ast::ObjectName { database, schema, ..ast::ObjectName::bare(table) })
        });
        let column = ast::ColumnRef { qualifier: table, column: qualifier.name.clone() };
        let Ok(ordinal) = self.target_column(targeted, &column) else { return Ok(None) };
        if !targeted.changing.table.columns[ordinal].ty.kind.is_clr() {
            return Ok(None);
        }
        let (span, name) = (written.column.span, written.column.clone());
        let value = match (value, op) {
            (RowValue::Expr(value), AssignOp::Set) => value.clone(),
            _ => {
                let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&name.name]);
                return Err(error.at_line(span.line).into());
            }
        };
        let operand = ast::Expr { span, kind: ast::ExprKind::Column(column.clone()) };
        let (arguments, usage) = (Some(vec![value]), MemberUse::Assign);
        let call = Box::new(ast::MethodCall { operand, name, arguments, usage });
        let value = RowValue::Expr(ast::Expr { span, kind: ast::ExprKind::Method(call) });
        Ok(Some(SetClauseKind::Column { column, op: AssignOp::Set, value }))
    }

    /// The place of the column set, if that is the column. Error 360.
    fn settable_set(
        &mut self,
        targeted: &Targeted,
        column: &ast::ColumnRef,
        so_far: &mut Assignments,
    ) -> BindResult<Option<usize>> {
        let table = &targeted.changing.table;
        if table.column_set().is_none() {
            return Ok(None);
        }
        let ordinal = self.target_column(targeted, column)?;
        let (def, line) = (&table.columns[ordinal], column.column.span.line);
        let is_sparse = |(position, _): &(usize, NewValue)| {
            table.stored_columns().nth(*position).is_some_and(|column| column.sparse)
        };
        let clashes = match def.column_set {
            true => so_far.set.iter().any(is_sparse),
            false => def.sparse && so_far.column_set,
        };
        if clashes {
            let message = match def.column_set && so_far.column_set {
                true => SqlError::new(&message::COLUMN_SET_TWICE, &[&def.name]),
                false => SqlError::new(&message::COLUMN_SET_AND_SPARSE, &[]),
            };
            return Err(message.at_line(line).into());
        }
        if !def.column_set {
            return Ok(None);
        }
        so_far.column_set = true;
        let sparse: Vec<usize> = (0..table.columns.len())
            .filter(|at| *at == ordinal || table.columns[*at].sparse)
            .collect();
        for at in sparse {
            self.note_set(targeted, &table.columns[at].name, at)?;
        }
        Ok(Some(ordinal))
    }

    /// A column that may be set: its place in the table and in the layout. Errors 207, 264, 271,
    /// 272, 8102.
    fn settable(
        &mut self,
        targeted: &Targeted,
        column: &ast::ColumnRef,
        so_far: &Assignments,
    ) -> BindResult<(usize, usize)> {
        let ordinal = self.target_column(targeted, column)?;
        let table = &targeted.changing.table;
        let def = &table.columns[ordinal];
        let line = column.column.span.line;
        let fail = |error: SqlError| Err(BindError::from(error.at_line(line)));
        if def.computed.is_some() {
            return fail(SqlError::new(&message::COLUMN_NOT_MODIFIABLE, &[&def.name]));
        }
        if def.identity.is_some() {
            return fail(SqlError::new(&message::IDENTITY_UPDATE, &[&def.name]));
        }
        if def.ty.kind == TypeKind::RowVersion {
            return fail(SqlError::new(&message::TIMESTAMP_UPDATE, &[]));
        }
        if targeted.changing.generated(def).is_some() {
            let (database, table) = (targeted.changing.database, table.clone());
            let name = self.full_name(database, &table)?;
            return fail(SqlError::new(&message::GENERATED_UPDATE, &[&name]));
        }
        let position =
            table.layout_position(ordinal).expect("only computed columns are not stored");
        if so_far.set.iter().any(|s| s.0 == position) {
            return fail(SqlError::new(&message::COLUMN_SET_TWICE, &[&def.name]));
        }
        self.note_set(targeted, &column.column.name, ordinal)?;
        Ok((ordinal, position))
    }

    /// The new value of a column.
    fn set_value(
        &mut self,
        targeted: &Targeted,
        column: &ast::ColumnRef,
        ordinal: usize,
        op: AssignOp,
        value: &RowValue,
    ) -> BindResult<NewValue> {
        let line = column.column.span.line;
        let given = match value {
            RowValue::Default(_) => Given::Default,
            RowValue::Expr(ast::Expr { kind: ast::ExprKind::Method(call), .. })
                if call.usage != MemberUse::Read =>
            {
                let old = self.old_value(targeted, ordinal);
                let receiver = self.written_column(targeted.at, ordinal);
                Given::Value(self.column_mutator(call, old, Some(receiver), line)?)
            }
            RowValue::Expr(expr) => {
                let value = self.scalar(expr)?;
                Given::Value(match op {
                    AssignOp::Set => value,
                    AssignOp::Compound(op) => {
                        let old = self.old_value(targeted, ordinal);
                        self.binary(op, old, value).at(expr.span.line)?
                    }
                })
            }
        };
        self.given_value(&targeted.changing, Listed { ordinal, line }, given)
    }

    /// A column of the old row.
    fn old_value(&self, targeted: &Targeted, ordinal: usize) -> Scalar {
        let changing = &targeted.changing;
        let def = &changing.table.columns[ordinal];
        let position = changing.table.layout_position(ordinal).unwrap_or_default();
        let mut scalar = Scalar::computed(column(changing.old[position], def.ty, def.nullable));
        scalar.label.make_implicit();
        scalar
    }

    /// `column.WRITE(value, offset, length)`: what is before the offset, the value, and what
    /// follows the replaced part. A NULL offset appends, a NULL length replaces all that follows.
    /// Error 258 about json and xml.
    fn written(
        &mut self,
        targeted: &Targeted,
        ordinal: usize,
        value: &ast::Expr,
        offset: &ast::Expr,
        length: &ast::Expr,
    ) -> BindResult<Expr> {
        let def = targeted.changing.table.columns[ordinal].clone();
        if def.ty.kind.is_opaque() {
            return Err(SqlError::new(&message::CANNOT_CALL_METHODS, &[&def.ty.kind]).into());
        }
        let bigint = SqlType::bigint();
        let number = |value| Scalar::constant(bigint, Value::Int(value));
        let old = self.old_value(targeted, ordinal);
        let value = self.scalar(value)?;
        let value = Scalar::computed(self.coerce(value, def.ty)?);
        let offset = self.scalar(offset)?;
        let offset = self.coerce(offset, bigint)?;
        let length = self.scalar(length)?;
        let length = self.coerce(length, bigint)?;
        let end = self.library_call("LEN", vec![old.clone()]);
        let end = match def.ty.kind.is_binary() {
            true => self.library_call("DATALENGTH", vec![old.clone()])?,
            false => end?,
        };
        let end = Scalar::computed(self.coerce(end, bigint)?);
        let offset = self.isnull(Scalar::computed(offset), end.clone())?;
        let length = self.isnull(Scalar::computed(length), end)?;
        let before =
            self.library_call("SUBSTRING", vec![old.clone(), number(1), offset.clone()])?;
        let behind = self.binary(BinaryOp::Add, offset, length)?;
        let behind = self.binary(BinaryOp::Add, behind, number(1))?;
        let most = number(i64::from(i32::MAX));
        let after = self.library_call("SUBSTRING", vec![old, behind, most])?;
        let text = self.binary(BinaryOp::Add, before, value)?;
        let text = self.binary(BinaryOp::Add, text, after)?;
        Ok(self.cast(text.expr, def.ty, self.column_mode()))
    }

    /// `WHERE`, of either kind.
    pub(super) fn row_filter(
        &mut self,
        filter: Option<&RowFilter>,
        targeted: &Targeted,
        from: &From,
    ) -> BindResult<Option<Pred>> {
        match filter {
            None => Ok(None),
            Some(RowFilter::Condition(condition)) => {
                let mut found = self.in_clause(Clause::Where, |b| b.condition(condition))?;
                self.use_computed_columns(&mut found)?;
                Ok(Some(found))
            }
            Some(RowFilter::CurrentOf(cursor)) => {
                debug_assert!(!matches!(from, From::Nothing));
                self.current_of(cursor, targeted).map(Some)
            }
        }
    }

    /// `WHERE CURRENT OF`: the row has the key that the cursor remembers. Error 16933.
    fn current_of(&mut self, cursor: &ast::CursorRef, targeted: &Targeted) -> BindResult<Pred> {
        let changing = &targeted.changing;
        let is_it = |row: &CursorRow| {
            matches!(&changing.target, Target::Table { database, table }
                if *database == row.database && table.id() == row.table)
        };
        let Some(row) = self.names.cursor_rows(cursor)?.into_iter().find(is_it) else {
            return Err(SqlError::new(&message::CURSOR_TABLE_NOT_UPDATABLE, &[]).into());
        };
        let mut same = Vec::with_capacity(row.key.len());
        for (column_of_key, variable) in row.key {
            let NamingColumn::Column(ordinal) = column_of_key else {
                let block = self.blocks.len() - 1;
                let own = self.row_number(block, targeted.at).expr;
                let kind = ExprKind::Variable(variable);
                let value = Expr { kind, ty: own.ty, nullable: true };
                same.push(Pred::Compare(CompareOp::Eq, own, value));
                continue;
            };
            let Some(position) = changing.table.layout_position(ordinal) else { continue };
            let def = &changing.table.columns[ordinal];
            let own = column(changing.old[position], def.ty, def.nullable);
            let value = Expr { kind: ExprKind::Variable(variable), ty: def.ty, nullable: true };
            // A key column that cannot be NULL is sought by an equality.
            same.push(match def.nullable {
                false => Pred::Compare(CompareOp::Eq, own, value),
                true => Pred::NotDistinct(own, value),
            });
        }
        Ok(Pred::And(same))
    }

    /// The operators that find a statement's rows, and what must still hold if a row has changed
    /// meanwhile.
    pub(super) fn changed_rows(
        &mut self,
        from: From,
        targeted: &Targeted,
        filter: Option<Pred>,
        top: Option<&ast::Top>,
    ) -> BindResult<ChangedRows> {
        let limit = top.map(|top| self.top(top)).transpose()?;
        let mut conditions = Vec::new();
        inner_conditions(&from, &mut conditions);
        conditions.extend(&filter);
        let mut recheck = match conditions[..] {
            [] => None,
            [one] => Some(one.clone()),
            _ => Some(Pred::And(conditions.into_iter().cloned().collect())),
        };
        if targeted.is_instead() {
            recheck = None;
        }
        if let Some(recheck) = &mut recheck {
            if let Rows::Scan(scan) = &self.block().sources[targeted.at].rows {
                let computed = scan.computed.clone();
                substitute(recheck, &computed);
            }
            self.rename_inside(recheck);
        }
        let recheck = self.still_shown(targeted, recheck)?;
        let mut input = filtered(self.assemble(from), filter);
        name_one_row(&mut input, targeted.row);
        if targeted.is_instead() {
            input = self.once(input, targeted);
        }
        if let Some(limit) = limit {
            input = limited_by(input, Vec::new(), limit);
        }
        Ok(ChangedRows { input, recheck })
    }

    /// A condition on a newer version of a row, which policies must still show.
    pub(super) fn still_shown(
        &mut self,
        targeted: &Targeted,
        recheck: Option<Pred>,
    ) -> BindResult<Option<Pred>> {
        let changing = &targeted.changing;
        let Target::Table { database, table } = &changing.target else { return Ok(recheck) };
        let names = changing.by_ordinal(&changing.old);
        let (shown, _) = self.shown_rows(*database, table, names)?;
        if shown.is_empty() {
            return Ok(recheck);
        }
        Ok(Some(Pred::And(shown.into_iter().chain(recheck).collect())))
    }

    /// The names of the target's columns by layout position, with that of the hidden row number if
    /// it is used.
    pub(super) fn old_columns(&mut self, targeted: &Targeted) -> Vec<ColId> {
        let mut old = targeted.changing.old.clone();
        if let Rows::Scan(scan) = &self.block().sources[targeted.at].rows {
            old.extend(scan.row_number);
        }
        old
    }

    /// Puts computed columns of the target in the place of their names: a newer version of the row
    /// may have other values than the one that was found.
    fn inline_target_columns(&mut self, targeted: &Targeted, set: &mut [(usize, NewValue)]) {
        let Rows::Scan(scan) = &self.block().sources[targeted.at].rows else { return };
        let computed = scan.computed.clone();
        for (_, value) in set {
            if let NewValue::Expr(expr) = value {
                crate::bind::define::substitute_in(expr, &computed);
            }
        }
    }

    /// Gives the queries inside a copied condition names of their own.
    pub(super) fn rename_inside(&mut self, pred: &mut Pred) {
        let ids = &mut self.ids;
        crate::plan::rename::rename_inside_pred(pred, ids);
    }
}

/// The column that a clause sets.
fn set_column(kind: &SetClauseKind) -> Option<&ast::ColumnRef> {
    match kind {
        SetClauseKind::Column { column, .. }
        | SetClauseKind::VariableAndColumn { column, .. }
        | SetClauseKind::Write { column, .. } => Some(column),
        SetClauseKind::Variable { .. } => None,
    }
}

fn column_of(id: crate::plan::expr::ColId, ty: SqlType) -> Expr {
    column(id, ty, true)
}

/// Whether a value is made of the column by one of its methods.
fn is_mutator(value: &RowValue) -> bool {
    match value {
        RowValue::Expr(ast::Expr { kind: ast::ExprKind::Method(call), .. }) => {
            call.usage != MemberUse::Read
        }
        _ => false,
    }
}
