//! `MERGE`.
//!
//! Where one clause may insert a key that another takes from a row, new rows are held.

use base::{SqlError, SqlResult, SqlType, Value, message};
use engine::catalog::def::BlockedOperation;
use ir::builder::Label;
use ir::inst::{Inst, Reg, RegType};

use crate::lower::Lowering;
use crate::lower::dml::held::{Held, Release};
use crate::lower::dml::{Changed, Deferred, OldRow, RowChange, may_load, touches_unique_key};
use crate::lower::scope::Val;
use crate::plan::tree::{MergeAction, MergeClause, MergePlan, MergeWhen, NewValue, UpdatePlan};

/// A clause, and where its rows wait if they do.
#[derive(Clone, Copy)]
struct HeldClause<'c> {
    clause: &'c MergeClause,
    held: Option<&'c Held>,
}

/// What is the same for all clauses.
struct Merge<'p> {
    plan: &'p MergePlan,
    target: Changed,
    output: Option<u16>,
    /// By clause: new rows that wait.
    held: Vec<Option<Held>>,
}

impl Lowering {
    /// The whole statement.
    pub fn merge_statement(&mut self, plan: &MergePlan) -> SqlResult<()> {
        let full = self.full.expect("plan() has made it");
        let mut target = self.target(&plan.target, &plan.effects, "MERGE");
        for clause in &plan.clauses {
            if let MergeAction::Update(set) = &clause.action {
                target.set.extend(positions(set));
            }
        }
        let output = self.announce_output(&plan.effects);
        if !target.instead {
            self.b.unit.targets[usize::from(target.id)].loads = may_load(&target, &plan.effects);
        }
        let held = self.hold_clauses(plan, &target);
        let merge = Merge { plan, target, output, held };
        let mut deferred = Deferred::default();
        self.merged = Some(plan.row);
        self.produce(&plan.input, &mut |l| {
            let row = l.column(plan.row)?;
            let present = l.column(plan.source_present)?;
            let next = l.b.label();
            let (no_target, no_source) = (l.b.label(), l.b.label());
            if row.nullable {
                l.b.emit(Inst::JumpNull { a: row.reg, to: no_target.pc() });
            }
            if present.nullable {
                l.b.emit(Inst::JumpNull { a: present.reg, to: no_source.pc() });
            }
            l.merge_clauses(&merge, MergeWhen::Matched, Some(row.reg), next, &mut deferred)?;
            l.b.jump(next);
            l.b.place(no_source);
            if present.nullable {
                let when = MergeWhen::NotMatchedBySource;
                l.merge_clauses(&merge, when, Some(row.reg), next, &mut deferred)?;
                l.b.jump(next);
            }
            l.b.place(no_target);
            if row.nullable {
                let when = MergeWhen::NotMatchedByTarget;
                l.merge_clauses(&merge, when, None, next, &mut deferred)?;
            }
            l.b.place(next);
            Ok(())
        })?;
        self.b.place(full);
        self.release_clauses(&merge, &mut deferred)?;
        self.check_deferred(deferred)
    }

    /// Worktables for the clauses whose new rows must wait.
    fn hold_clauses(&mut self, plan: &MergePlan, target: &Changed) -> Vec<Option<Held>> {
        let effects = &plan.effects;
        let moves = |clause: &MergeClause| matches!(&clause.action, MergeAction::Update(set) if touches_unique_key(target, &positions(set)));
        let frees =
            |clause: &MergeClause| matches!(clause.action, MergeAction::Delete) || moves(clause);
        let any_frees = !target.instead && plan.clauses.iter().any(frees);
        let hold = |clause: &MergeClause| match clause.action {
            MergeAction::Insert(_) => any_frees.then_some(false),
            MergeAction::Update(_) => (!target.instead && moves(clause)).then_some(true),
            MergeAction::Delete => None,
        };
        let holds = plan.clauses.iter().map(hold).collect::<Vec<_>>().into_iter();
        let (input, old) = (&plan.input, &plan.old_columns[..]);
        holds.map(|replaces| Some(self.hold_rows(target, effects, input, old, replaces?))).collect()
    }

    /// Inserts what has waited, clause by clause.
    fn release_clauses(&mut self, merge: &Merge<'_>, deferred: &mut Deferred) -> SqlResult<()> {
        let MergePlan { clauses, effects, old_columns, .. } = merge.plan;
        for (clause, held) in clauses.iter().zip(&merge.held) {
            let Some(held) = held else { continue };
            let (word, set) = match &clause.action {
                MergeAction::Update(set) => ("UPDATE", Some(positions(set))),
                _ => ("INSERT", None),
            };
            let outside = self.enter();
            self.bind_action(merge, word);
            let output = merge.output;
            let release = Release { effects, old_columns, set: set.as_deref(), output };
            self.release_rows(held, &merge.target, &release, deferred)?;
            self.leave(outside);
        }
        Ok(())
    }

    /// The clauses for one kind of row, in order.
    fn merge_clauses(
        &mut self,
        merge: &Merge<'_>,
        when: MergeWhen,
        row: Option<Reg>,
        next: Label,
        deferred: &mut Deferred,
    ) -> SqlResult<()> {
        let clauses = merge.plan.clauses.iter().zip(&merge.held);
        for (clause, held) in clauses.filter(|(clause, _)| clause.when == when) {
            let clause = HeldClause { clause, held: held.as_ref() };
            let outside = self.enter();
            let other = self.b.label();
            match row {
                Some(_) if merge.target.instead => {
                    self.merge_instead(merge, clause.clause, other)?
                }
                Some(found) => self.merge_target(merge, clause, found, other, next, deferred)?,
                None => {
                    if let Some(condition) = &clause.clause.condition {
                        self.unless_jump(condition, other)?;
                    }
                    self.merge_insert(merge, clause, deferred)?;
                }
            }
            self.b.jump(next);
            self.leave(outside);
            self.b.place(other);
        }
        Ok(())
    }

    fn merge_insert(
        &mut self,
        merge: &Merge<'_>,
        HeldClause { clause, held }: HeldClause<'_>,
        deferred: &mut Deferred,
    ) -> SqlResult<()> {
        let MergeAction::Insert(values) = &clause.action else {
            return Err(ir::internal("MERGE changes a row that is not there"));
        };
        let effects = &merge.plan.effects;
        self.bind_action(merge, "INSERT");
        self.bind_nulls(&merge.target, &effects.old_columns);
        let values = self.new_row(&merge.target, values, effects)?;
        if let Some(held) = held {
            self.hold_row(held, &values, None)?;
            self.count(true);
            return Ok(());
        }
        self.write_new_row(&merge.target, &values, effects, merge.output, deferred, true)
    }

    /// A clause that updates or deletes the target row.
    fn merge_target(
        &mut self,
        merge: &Merge<'_>,
        HeldClause { clause, held }: HeldClause<'_>,
        found: Reg,
        other: Label,
        next: Label,
        deferred: &mut Deferred,
    ) -> SqlResult<()> {
        let Merge { plan, target, output, .. } = merge;
        let row = self.b.reg(RegType::Row);
        self.b.emit(Inst::Move { dst: row, src: found });
        let (again, done, twice) = (self.b.here(), self.b.label(), self.b.label());
        let (newer, lost) = (self.b.label(), self.b.label());
        self.bind_target(target, row, &plan.old_columns);
        self.bind_target(target, row, &plan.effects.old_columns);
        if let Some(condition) = &clause.condition {
            self.unless_jump(condition, other)?;
        }
        let (status, trace) = (self.status_reg(), self.b.reg(RegType::I64));
        let (values, set) = match &clause.action {
            MergeAction::Update(set) => {
                self.bind_action(merge, "UPDATE");
                let values = self.merged_row(merge, set, row)?;
                if held.is_some() {
                    self.b.emit(Inst::TakeAway { target: target.id, row, status, trace });
                } else {
                    let bytes = self.build_row(target, &values);
                    self.b.emit(Inst::Update { target: target.id, row, bytes, status });
                }
                (Some(values), Some(positions(set)))
            }
            _ => {
                self.bind_action(merge, "DELETE");
                self.bind_nulls(target, &plan.effects.new_columns);
                self.b.emit(Inst::Delete { target: target.id, row, status });
                (None, None)
            }
        };
        let gone = if clause.when == MergeWhen::Matched { lost } else { next };
        self.switch_status(status, done, newer, gone, twice);
        // Another transaction was faster: the clause is judged again on its version, as long as the
        // rows still match. If they do not, other clauses might apply to either of them.
        self.b.place(newer);
        if clause.when == MergeWhen::Matched {
            let outside = self.enter();
            self.bind_target(target, row, &plan.old_columns);
            self.unless_jump(&plan.on, lost)?;
            self.leave(outside);
            self.b.jump(again);
        }
        self.b.place(lost);
        self.b.emit(Inst::Lose { target: target.id });
        self.b.place(twice);
        self.b.raise(SqlError::new(&message::MERGE_SAME_ROW_TWICE, &[]));
        self.b.place(done);
        let change = match &set {
            Some(set) if held.is_none() => RowChange::Updated(set),
            _ => RowChange::Deleted,
        };
        self.follow_views(target, &plan.effects, change)?;
        if let (Some(held), Some(values)) = (held, &values) {
            self.hold_row(held, values, Some((row, trace)))?;
            self.count(true);
            return Ok(());
        }
        if set.is_none() {
            self.test_blocks(target, &plan.effects, BlockedOperation::BeforeDelete)?;
        }
        if let Some(set) = &set {
            self.test_references(target, &plan.effects, Some(set), deferred)?;
        }
        self.follow_references(target, &plan.effects, set.as_deref(), deferred)?;
        self.after_row(target, &plan.effects, *output, values.as_deref(), OldRow::Row(row))?;
        self.count(true);
        Ok(())
    }

    /// As `merge_target`, where triggers take the rows.
    fn merge_instead(
        &mut self,
        merge: &Merge<'_>,
        clause: &MergeClause,
        other: Label,
    ) -> SqlResult<()> {
        let Merge { plan, target, output, .. } = merge;
        if let Some(condition) = &clause.condition {
            self.unless_jump(condition, other)?;
        }
        if let Some(first) = &plan.first {
            let (once, twice) = (self.b.label(), self.b.label());
            self.unless_jump(first, twice)?;
            self.b.jump(once);
            self.b.place(twice);
            self.b.raise(SqlError::new(&message::MERGE_SAME_ROW_TWICE, &[]));
            self.b.place(once);
        }
        let old = self.column_regs(&plan.old_columns)?;
        let values = match &clause.action {
            MergeAction::Update(set) => {
                self.bind_action(merge, "UPDATE");
                // All old columns are the input's, so no row is looked at.
                let row = self.b.reg(RegType::Row);
                Some(self.merged_row(merge, set, row)?)
            }
            _ => {
                self.bind_action(merge, "DELETE");
                self.bind_nulls(target, &plan.effects.new_columns);
                None
            }
        };
        let old = OldRow::Values(&old);
        self.after_row(target, &plan.effects, *output, values.as_deref(), old)?;
        self.count(true);
        Ok(())
    }

    /// The columns of an updated row.
    fn merged_row(
        &mut self,
        merge: &Merge<'_>,
        set: &[(usize, NewValue)],
        row: Reg,
    ) -> SqlResult<Vec<Val>> {
        let plan = merge.plan;
        let update = UpdatePlan {
            target: plan.target.clone(),
            input: crate::plan::tree::Node::OneRow,
            row: plan.row,
            old_columns: plan.old_columns.clone(),
            set: set.to_vec(),
            assign: Vec::new(),
            recheck: None,
            effects: plan.effects.clone(),
        };
        self.changed_row(&merge.target, &update, row)
    }

    /// What `$action` is.
    fn bind_action(&mut self, merge: &Merge<'_>, action: &str) {
        let Some(col) = merge.plan.action else { return };
        let text: Vec<u8> = action.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let ty = SqlType::nvarchar(10, base::Collation::default());
        let val = self.constant(&ty, &Value::Unicode(text.into()));
        self.bind(col, val);
    }
}

/// The columns that are set, by layout position.
fn positions(set: &[(usize, NewValue)]) -> Vec<usize> {
    set.iter().map(|s| s.0).collect()
}
