//! `MERGE`.
//!
//! Source and target are joined so that rows that no clause covers are left out. A clause sees both
//! sides where both exist, and only the existing side where one is missing.

use base::{SqlError, SqlType, Value, message};
use engine::catalog::def::{Permission, TriggerEventKind};
use tsql::ast;

use super::effects::Write;
use super::once::is_first;
use super::target::{Targeted, name_one_row};
use super::values::Given;
use super::{AtLine, BindError, BindResult, Binder, Changing, column};
use crate::bind::from::From;
use crate::bind::order::limited_by;
use crate::bind::scalar::Scalar;
use crate::bind::scope::{Clause, Source};
use crate::bind::select::{Usage, computed, filtered};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred};
use crate::plan::tree::{
    JoinKind, MergeAction, MergeClause, MergePlan, MergeWhen, NewValue, Node, Plan, Target,
};

impl Binder<'_> {
    /// `MERGE`.
    pub fn merge(&mut self, merge: &ast::Merge) -> BindResult<Plan> {
        self.query_hints(&merge.options)?;
        self.with_tables(merge.with.as_ref(), |b| {
            b.open_block(Clause::From);
            let depth = b.blocks.len();
            let plan = b.merge_in_block(merge);
            b.blocks.truncate(depth - 1);
            b.action = None;
            Ok(Plan::Merge(Box::new(plan?)))
        })
    }

    fn merge_in_block(&mut self, merge: &ast::Merge) -> BindResult<MergePlan> {
        let has = |when: ast::MergeWhen| merge.clauses.iter().any(|c| c.when == when);
        let keeps_source = has(ast::MergeWhen::NotMatchedByTarget);
        let keeps_target = has(ast::MergeWhen::NotMatchedBySource);

        let target = self.target_alone(&merge.target, merge.alias.as_ref())?;
        self.block().sources.push(target);
        let events = events_of_clauses(merge);
        let targeted = self.targeted_by(0, Permission::Select, &events, None, &merge.target)?;
        let from = self.sources_of(std::slice::from_ref(&merge.source), Usage::Statement)?;
        self.block().show_all();
        let on = self.in_clause(Clause::On, |b| b.condition(&merge.on))?;
        for (at, source) in self.block().sources.iter_mut().enumerate() {
            source.optional |= if at == 0 { keeps_source } else { keeps_target };
        }

        let mut write = Write::default();
        let mut clauses = Vec::with_capacity(merge.clauses.len());
        for (at, clause) in merge.clauses.iter().enumerate() {
            self.check_clause(&merge.clauses[..at], clause)?;
            clauses.push(self.merge_clause(clause, merge, &targeted, &mut write)?);
        }
        self.note_permissions(&targeted, &write);
        let changing = &targeted.changing;
        let mut effects = self.effects(changing, &write)?;
        effects.checks.extend(self.check_options(&targeted));
        let mut action = None;
        if let Some(output) = &merge.output {
            action = Some(self.free_column());
            self.action = action;
            // Old and new row may each be missing, whatever the clauses do.
            let shown =
                Write { insert: true, update: Some(Vec::new()), delete: true, ..Write::default() };
            self.output(output, &targeted, &shown, &mut effects)?;
            effects.new_columns.clone_from(&targeted.changing.new);
            effects.old_columns.clone_from(&targeted.changing.old);
        }
        let kind = match (keeps_source, keeps_target) {
            (true, true) => JoinKind::FullOuter,
            (true, false) => JoinKind::LeftOuter,
            (false, true) => JoinKind::RightOuter,
            (false, false) => JoinKind::Inner,
        };
        // As SQL Server has it: MERGE fails where INSERT would ignore a row.
        effects.ignore_duplicates.clear();
        let rows = self.merged_rows(from, kind, on.clone(), &targeted, &clauses, merge)?;
        let on = self.still_shown(&targeted, Some(on))?.unwrap_or(Pred::Const(Some(true)));
        let changing = targeted.changing;
        Ok(MergePlan {
            target: changing.target,
            input: rows.input,
            row: rows.row,
            source_present: rows.source_present,
            first: rows.first,
            old_columns: changing.old,
            on,
            clauses,
            effects,
            action,
        })
    }

    /// Source and target joined. `TOP` counts the rows that a clause acts on.
    fn merged_rows(
        &mut self,
        from: From,
        kind: JoinKind,
        on: Pred,
        targeted: &Targeted,
        clauses: &[MergeClause],
        merge: &ast::Merge,
    ) -> BindResult<MergedRows> {
        let limit = merge.top.as_ref().map(|top| self.top(top)).transpose()?;
        let source = self.free_column();
        let present = |node, id| computed(node, vec![(id, one())]);
        let outer = Box::new(present(self.assemble(from), source));
        let mut inner = self.assemble(From::Leaf(targeted.at));
        let of_target = |clause: &&MergeClause| clause.when != MergeWhen::NotMatchedByTarget;
        let apart = clauses.iter().any(|c| of_target(&c));
        let told = match targeted.is_instead() {
            true => {
                let (rows, told) = self.told_apart(inner, targeted, apart);
                inner = rows;
                Some(told)
            }
            false => None,
        };
        let target = match &told {
            Some(told) => told.mark,
            None => self.free_column(),
        };
        if limit.is_some() && told.is_none() {
            inner = present(inner, target);
        }
        let inner = Box::new(inner);
        let mut input = Node::NestedLoop { kind, outer, inner, predicate: Some(on) };
        name_one_row(&mut input, targeted.row);
        if let Some(limit) = limit {
            let mut acts = acting(clauses.iter(), source, target);
            self.rename_inside(&mut acts);
            input = limited_by(filtered(input, Some(acts)), Vec::new(), limit);
        }
        let mut rows = MergedRows { input, row: targeted.row, source_present: source, first: None };
        let Some(told) = told else { return Ok(rows) };
        rows.row = told.mark;
        if apart {
            // Of the matches of a row those that a clause acts on are numbered by themselves.
            let acts = self.free_column();
            let mut condition = acting(clauses.iter().filter(of_target), source, target);
            self.rename_inside(&mut condition);
            let case = ExprKind::Case { branches: vec![(condition, one())], otherwise: None };
            let case = Expr { kind: case, ty: SqlType::int(), nullable: true };
            let mut key = told.key;
            key.push(column(acts, case.ty, true));
            let input = computed(rows.input, vec![(acts, case)]);
            let (input, place) = self.numbered(input, key, targeted.row);
            rows.input = input;
            rows.first = Some(is_first(place));
        }
        Ok(rows)
    }

    /// Error 5324 and 10714: a clause that can never apply.
    fn check_clause(
        &self,
        before: &[ast::MergeClause],
        clause: &ast::MergeClause,
    ) -> BindResult<()> {
        let same = |c: &&ast::MergeClause| c.when == clause.when;
        let name = when_name(clause.when);
        if before.iter().filter(same).any(|c| c.condition.is_none()) {
            let error = SqlError::new(&message::MERGE_CLAUSE_UNREACHABLE, &[&name, &name]);
            return Err(error.at_line(clause.span.line).into());
        }
        Ok(())
    }

    fn merge_clause(
        &mut self,
        clause: &ast::MergeClause,
        merge: &ast::Merge,
        targeted: &Targeted,
        write: &mut Write,
    ) -> BindResult<MergeClause> {
        let when = clause.when;
        let missing = |at: usize| match when {
            MergeWhen::Matched => false,
            MergeWhen::NotMatchedByTarget => at == 0,
            MergeWhen::NotMatchedBySource => at > 0,
        };
        // A side without a row cannot be mentioned.
        let places = 0..self.block().sources.len();
        let mut hidden = Vec::new();
        for at in places.filter(|at| missing(*at)) {
            let source = std::mem::replace(&mut self.block().sources[at], Source::placeholder());
            hidden.push((at, source));
        }
        let bound = self.visible_clause(clause, when, merge, targeted, write);
        for (at, source) in hidden {
            self.block().sources[at] = source;
        }
        bound
    }

    fn visible_clause(
        &mut self,
        clause: &ast::MergeClause,
        when: MergeWhen,
        merge: &ast::Merge,
        targeted: &Targeted,
        write: &mut Write,
    ) -> BindResult<MergeClause> {
        let condition = match &clause.condition {
            Some(condition) => Some(self.in_clause(Clause::Where, |b| b.condition(condition))?),
            None => None,
        };
        let action = match &clause.action {
            ast::MergeAction::Delete => {
                write.delete = true;
                MergeAction::Delete
            }
            ast::MergeAction::Update(set) => {
                let mut assignments =
                    self.in_clause(Clause::Set, |b| b.assignments(set, targeted))?;
                if let Some(first) = set.first().filter(|_| !assignments.assign.is_empty()) {
                    let what = "SET @variable in MERGE";
                    return Err(crate::bind::query::unimplemented(what, first.span.line));
                }
                self.set_dependent_columns(&targeted.changing, &mut assignments.set)?;
                let set = write.update.get_or_insert_default();
                set.extend(assignments.set.iter().map(|s| s.0));
                MergeAction::Update(assignments.set)
            }
            ast::MergeAction::Insert { columns, values } => {
                write.insert = true;
                let (columns, values) = (columns.as_deref(), values.as_deref());
                let line = merge.target.span.line.max(clause.span.line);
                let span = ast::Span { line, ..merge.target.span };
                MergeAction::Insert(self.merge_insert(columns, values, targeted, span)?)
            }
        };
        Ok(MergeClause { when, condition, action })
    }

    /// `INSERT (columns) VALUES (…)` of a clause. Errors 109, 110, 213.
    fn merge_insert(
        &mut self,
        columns: Option<&[ast::ColumnRef]>,
        values: Option<&[ast::RowValue]>,
        targeted: &Targeted,
        span: ast::Span,
    ) -> BindResult<Vec<NewValue>> {
        let line = span.line;
        let changing: &Changing = &targeted.changing;
        let Some(values) = values else { return self.complete_row(changing, Vec::new(), line) };
        let columns = match columns {
            Some(list) => {
                let message = match list.len().cmp(&values.len()) {
                    std::cmp::Ordering::Greater => Some(&message::MORE_COLUMNS_THAN_VALUES),
                    std::cmp::Ordering::Less => Some(&message::FEWER_COLUMNS_THAN_VALUES),
                    std::cmp::Ordering::Equal => None,
                };
                if let Some(message) = message {
                    return Err(BindError::from(SqlError::new(message, &[]).at_line(line)));
                }
                let mut found = Vec::with_capacity(list.len());
                for column in list {
                    let bare = ast::ColumnRef { qualifier: None, column: column.column.clone() };
                    found.push((self.target_column(targeted, &bare)?, column.column.span));
                }
                self.listed_columns(changing, found.into_iter())?
            }
            None => self.all_columns(targeted, values.len(), span)?,
        };
        let mut given = Vec::with_capacity(columns.len());
        for (listed, value) in columns.into_iter().zip(values) {
            let value = match value {
                ast::RowValue::Default(_) => Given::Default,
                ast::RowValue::Expr(expr) => {
                    Given::Value(self.in_clause(Clause::Where, |b| b.scalar(expr))?)
                }
            };
            given.push((listed.ordinal, self.given_value(changing, listed, value)?));
        }
        self.complete_row(changing, given, line).at(line)
    }

    /// What the user must be permitted, beside reading.
    fn note_permissions(&mut self, targeted: &Targeted, write: &Write) {
        let all = [
            (write.insert, Permission::Insert),
            (write.update.is_some(), Permission::Update),
            (write.delete, Permission::Delete),
        ];
        for (_, permission) in all.into_iter().filter(|(does, _)| *does) {
            if let Target::Table { .. } | Target::Instead { .. } = targeted.changing.target {
                self.note_change(targeted, permission, Vec::new());
            }
        }
    }
}

/// Source and target joined.
struct MergedRows {
    input: Node,
    /// [`MergePlan::row`].
    row: ColId,
    source_present: ColId,
    first: Option<Pred>,
}

/// What the clauses do to rows.
fn events_of_clauses(merge: &ast::Merge) -> Vec<TriggerEventKind> {
    let mut events = Vec::with_capacity(3);
    for clause in &merge.clauses {
        let event = match clause.action {
            ast::MergeAction::Insert { .. } => TriggerEventKind::Insert,
            ast::MergeAction::Update(_) => TriggerEventKind::Update,
            ast::MergeAction::Delete => TriggerEventKind::Delete,
        };
        if !events.contains(&event) {
            events.push(event);
        }
    }
    events
}

/// Whether one of some clauses acts on a row of the join.
fn acting<'c>(
    clauses: impl Iterator<Item = &'c MergeClause>,
    source: ColId,
    target: ColId,
) -> Pred {
    let applies = |clause: &MergeClause| {
        let mut applies = match clause.when {
            MergeWhen::Matched => vec![is_there(source), is_there(target)],
            MergeWhen::NotMatchedByTarget => vec![is_missing(target)],
            MergeWhen::NotMatchedBySource => vec![is_missing(source)],
        };
        applies.extend(clause.condition.clone());
        Pred::And(applies)
    };
    Pred::Or(clauses.map(applies).collect())
}

/// What says that a side of the join has a row.
fn one() -> Expr {
    Scalar::constant(SqlType::int(), Value::Int(1)).expr
}

fn is_missing(side: ColId) -> Pred {
    Pred::IsNull(column(side, SqlType::int(), true))
}

fn is_there(side: ColId) -> Pred {
    Pred::Not(Box::new(is_missing(side)))
}

fn when_name(when: ast::MergeWhen) -> &'static str {
    match when {
        ast::MergeWhen::Matched => "WHEN MATCHED",
        ast::MergeWhen::NotMatchedByTarget => "WHEN NOT MATCHED",
        ast::MergeWhen::NotMatchedBySource => "WHEN NOT MATCHED BY SOURCE",
    }
}
