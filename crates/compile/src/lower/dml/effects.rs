//! What is tested and done for each row: constraints, references, `OUTPUT`, triggers' copies.

use std::collections::VecDeque;
use std::sync::Arc;

use base::{SqlResult, SqlType};
use engine::catalog::def::BlockedOperation;
use ir::builder::Label;
use ir::inst::{Inst, Reg, RegType};
use ir::object::{ObjId, ObjectDesc, ReadPurpose, WorkDesc};
use ir::site::{ResultSite, Rule, StatementKind, TransitionSite};

use crate::lower::columns::{uses_in_expr, uses_in_node};
use crate::lower::dml::Changed;
use crate::lower::dml::held::HeldCascade;
use crate::lower::pred::Ways;
use crate::lower::scope::Val;
use crate::lower::{Consume, Lowering};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred};
use crate::plan::tree::{
    CheckedBy, DerivedIndexPlan, HistoryPlan, NewValue, Node, ReferencePlan, ReferencedAction,
    ReferencedPlan, ResultColumn, RowEffects, TrackingPlan,
};

/// What waits for the end of the statement.
#[derive(Default)]
pub struct Deferred {
    /// Rows that cascades have taken away, whose successors are inserted when all old ones are
    /// gone.
    pub held: VecDeque<HeldCascade>,
    tests: Vec<Test>,
}

/// The old row of a change, for what follows from it.
#[derive(Clone, Copy)]
pub enum OldRow<'v> {
    /// There is none.
    None,
    /// A row of the target.
    Row(Reg),
    /// The values of all its columns.
    Values(&'v [Val]),
}

/// Rows collected for one deferred test.
struct Test {
    work: ObjId,
    layout: u16,
    columns: Vec<ColId>,
    /// Finds the row with a key that is referred to.
    referenced: Node,
    /// Finds those that refer to it, if there need be none: then there need not be the former.
    referencing: Option<Node>,
    target: Changed,
    rule: Rule,
}

impl Lowering {
    /// Columns that must not be NULL.
    pub fn test_not_null(&mut self, target: &Changed, row: &mut [Val], effects: &RowEffects) {
        for &at in &effects.not_null {
            let val = row[at];
            if !val.nullable {
                continue;
            }
            let ok = self.b.label();
            self.b.emit(Inst::JumpNotNull { a: val.reg, to: ok.pc() });
            self.violate(target, Rule::NotNull(target.columns[at].name.clone()));
            self.b.place(ok);
            row[at] = Val::new(val.reg);
            if let Some(&col) = effects.new_columns.get(at) {
                self.bind(col, row[at]);
            }
        }
    }

    /// `CHECK` constraints: false violates, unknown passes.
    pub fn test_checks(&mut self, target: &Changed, effects: &RowEffects) -> SqlResult<()> {
        for check in &effects.checks {
            let (ok, bad) = (self.b.label(), self.b.label());
            // A view's check option requires true.
            let unknown = if matches!(check.by, CheckedBy::CheckOption) { bad } else { ok };
            let ways = Ways { yes: ok, no: bad, unknown, fall_yes: false };
            let outside = self.enter();
            self.pred(&check.predicate, ways)?;
            self.leave(outside);
            self.b.place(bad);
            let rule = match &check.by {
                CheckedBy::Constraint(name) => Rule::Constraint {
                    kind: "CHECK",
                    name: name.clone(),
                    table: None,
                    column: check.column.clone(),
                },
                CheckedBy::Rule => {
                    Rule::Bound(check.column.clone().expect("a rule is bound to one"))
                }
                CheckedBy::CheckOption => Rule::CheckOption,
            };
            self.violate(target, rule);
            self.b.place(ok);
        }
        Ok(())
    }

    /// What security policies ask of the current row: it must be true.
    pub fn test_blocks(
        &mut self,
        target: &Changed,
        effects: &RowEffects,
        operation: BlockedOperation,
    ) -> SqlResult<()> {
        for block in effects.blocks.iter().filter(|block| block.operation == operation) {
            let (ok, bad) = (self.b.label(), self.b.label());
            let ways = Ways { yes: ok, no: bad, unknown: bad, fall_yes: false };
            let outside = self.enter();
            self.pred(&block.predicate, ways)?;
            self.leave(outside);
            self.b.place(bad);
            self.violate(target, Rule::BlockPredicate);
            self.b.place(ok);
        }
        Ok(())
    }

    /// The current row must have the rows that it refers to. `set`: which columns were set, if it
    /// is not a new row.
    pub fn test_references(
        &mut self,
        target: &Changed,
        effects: &RowEffects,
        set: Option<&[usize]>,
        deferred: &mut Deferred,
    ) -> SqlResult<()> {
        for reference in &effects.references {
            if set.is_some_and(|set| !reference.columns.iter().any(|c| set.contains(c))) {
                continue;
            }
            let outside = self.enter();
            let ok = self.b.label();
            self.skip_null_key(&reference.key, ok)?;
            if reference.deferred {
                self.defer(target, reference, deferred)?;
            } else {
                self.look_up(&reference.lookup, ReadPurpose::MustStay, &mut |l| {
                    l.b.jump(ok);
                    Ok(())
                })?;
                self.violate(target, foreign_key_rule(reference));
            }
            self.b.place(ok);
            self.leave(outside);
        }
        Ok(())
    }

    /// A key with a NULL refers to nothing.
    fn skip_null_key(&mut self, key: &[Expr], ok: Label) -> SqlResult<()> {
        for expr in key {
            let val = self.expr(expr)?;
            if val.nullable {
                self.b.emit(Inst::JumpNull { a: val.reg, to: ok.pc() });
                if let ExprKind::Column(col) = expr.kind {
                    self.known(col);
                }
            }
        }
        Ok(())
    }

    /// Notes the key for the end of the statement.
    fn defer(
        &mut self,
        target: &Changed,
        reference: &ReferencePlan,
        deferred: &mut Deferred,
    ) -> SqlResult<()> {
        let mut columns = Vec::new();
        reference.key.iter().for_each(|e| uses_in_expr(e, &mut |col| columns.push(col)));
        let rule = foreign_key_rule(reference);
        let test = self.new_test(target, columns, &reference.lookup, None, rule);
        self.push_columns(test.work, &test.columns.clone())?;
        deferred.tests.push(test);
        Ok(())
    }

    fn new_test(
        &mut self,
        target: &Changed,
        mut columns: Vec<ColId>,
        referenced: &Node,
        referencing: Option<&Node>,
        rule: Rule,
    ) -> Test {
        for lookup in std::iter::once(referenced).chain(referencing) {
            uses_in_node(lookup, &mut |col| columns.push(col));
            // What the look-up makes itself is not passed to it.
            let inside = crate::plan::walk::outputs(lookup);
            columns.retain(|col| !inside.contains(col) && self.scope.get(*col).is_some());
        }
        columns.sort_unstable();
        columns.dedup();
        let types: Vec<SqlType> = columns.iter().map(|&c| self.stored_type(c)).collect();
        let layout = self.b.layout_of(&types);
        let work = self.b.object(ObjectDesc::Work(WorkDesc { layout }));
        self.b.in_prologue(|b| b.emit(Inst::WorkClear { work }));
        Test {
            work,
            layout,
            columns,
            referenced: referenced.clone(),
            referencing: referencing.cloned(),
            target: target.clone(),
            rule,
        }
    }

    /// Other tables' foreign keys onto the old row. `set`: which columns were set, if the row
    /// stays.
    pub fn follow_references(
        &mut self,
        target: &Changed,
        effects: &RowEffects,
        set: Option<&[usize]>,
        deferred: &mut Deferred,
    ) -> SqlResult<()> {
        for referenced in &effects.referenced_by {
            let applies = match set {
                Some(set) => {
                    referenced.on_update && referenced.columns.iter().any(|c| set.contains(c))
                }
                None => referenced.on_delete,
            };
            if !applies {
                continue;
            }
            let outside = self.enter();
            let unchanged = self.b.label();
            if set.is_some() {
                self.skip_unchanged(target, effects, referenced, unchanged)?;
            }
            match &referenced.action {
                ReferencedAction::Refuse { referencing, referenced: row } => {
                    let rule = referenced_rule(target, referenced);
                    let test = self.new_test(target, Vec::new(), row, Some(referencing), rule);
                    self.push_columns(test.work, &test.columns.clone())?;
                    deferred.tests.push(test);
                }
                ReferencedAction::Delete(delete) => {
                    self.touch_for(&delete.input)?;
                    self.delete_rows(delete, target.word, deferred, false)?;
                }
                ReferencedAction::Update(update) => {
                    self.touch_for(&update.input)?;
                    self.update_rows(update, target.word, deferred, false)?;
                }
            }
            self.b.place(unchanged);
            self.leave(outside);
        }
        Ok(())
    }

    /// Jumps if the referenced key has not changed.
    fn skip_unchanged(
        &mut self,
        target: &Changed,
        effects: &RowEffects,
        referenced: &ReferencedPlan,
        unchanged: Label,
    ) -> SqlResult<()> {
        let same = |&at: &usize| {
            let ty = target.columns[at].ty;
            let side = |col: ColId| Expr { kind: ExprKind::Column(col), ty, nullable: true };
            let old = side(*effects.old_columns.get(at)?);
            Some(Pred::NotDistinct(old, side(*effects.new_columns.get(at)?)))
        };
        let all: Vec<Pred> = referenced.columns.iter().filter_map(same).collect();
        let changed = self.b.label();
        let ways = Ways { yes: unchanged, no: changed, unknown: changed, fall_yes: false };
        let outside = self.enter();
        self.pred(&Pred::And(all), ways)?;
        self.leave(outside);
        self.b.place(changed);
        Ok(())
    }

    /// What waited for the end of the statement.
    pub fn check_deferred(&mut self, mut deferred: Deferred) -> SqlResult<()> {
        // Further cascades may add to them.
        while let Some(held) = deferred.held.pop_front() {
            self.release_cascade(&held, &mut deferred)?;
        }
        if deferred.tests.is_empty() {
            return Ok(());
        }
        self.b.emit(Inst::Advance);
        for test in deferred.tests {
            self.scan_work(test.work, &mut |l, row| {
                l.bind_row(row, test.layout, &test.columns);
                let ok = l.b.label();
                match &test.referencing {
                    None => l.unless_referenced(&test, ok)?,
                    Some(referencing) => {
                        l.look_up(referencing, ReadPurpose::MustBeAbsent, &mut |l| {
                            l.unless_referenced(&test, ok)
                        })?;
                    }
                }
                l.b.place(ok);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Raises the violation of a test if there is no row with its key; goes on at `ok` otherwise.
    fn unless_referenced(&mut self, test: &Test, ok: Label) -> SqlResult<()> {
        self.look_up(&test.referenced, ReadPurpose::MustStay, &mut |l| {
            l.b.jump(ok);
            Ok(())
        })?;
        self.violate(&test.target, test.rule.clone());
        Ok(())
    }

    /// A loop over the rows that a foreign key looks for.
    fn look_up(&mut self, lookup: &Node, purpose: ReadPurpose, body: Consume<'_>) -> SqlResult<()> {
        self.touch_for(lookup)?;
        let outside = self.enter();
        let before = self.purpose.replace(purpose);
        self.produce(lookup, body)?;
        self.purpose = before;
        self.leave(outside);
        Ok(())
    }

    /// `OUTPUT`'s result set, announced when the statement starts.
    pub fn announce_output(&mut self, effects: &RowEffects) -> Option<u16> {
        let output = effects.output.as_ref()?;
        let columns: Box<[ResultColumn]> = output.iter().map(|o| o.1.clone()).collect();
        self.b.unit.results.push(ResultSite { columns });
        let result = (self.b.unit.results.len() - 1) as u16;
        self.b.in_prologue(|b| b.emit(Inst::Announce { result }));
        Some(result)
    }

    /// The history, XML indexes, tracked changes, `OUTPUT`, `OUTPUT INTO` and the copies for
    /// triggers. The names of old and new columns are bound; `new` and `old` tell which row there
    /// is.
    pub fn after_row(
        &mut self,
        target: &Changed,
        effects: &RowEffects,
        output: Option<u16>,
        new: Option<&[Val]>,
        old: OldRow<'_>,
    ) -> SqlResult<()> {
        if let (Some(history), OldRow::Row(_)) = (&effects.history, old) {
            self.keep_version(target, history)?;
        }
        for index in &effects.derived_indexes {
            self.follow_derived_index(target, index, new.is_some(), old)?;
        }
        if let Some(tracking) = &effects.tracking {
            self.track_change(tracking, new.is_some(), old)?;
        }
        if let (Some(result), Some(columns)) = (output, &effects.output) {
            let mut regs = Vec::with_capacity(columns.len());
            for (expr, _) in columns {
                regs.push(self.expr(expr)?.reg);
            }
            let list = self.b.list(&regs);
            self.b.emit(Inst::Emit { result, list });
        }
        if effects.keep_transitions {
            self.keep_row(target, new, old);
        }
        if let Some(into) = &effects.output_into {
            let other = self.target(&into.target, &into.effects, "INSERT");
            let mut deferred = Deferred::default();
            // A statement that inserts what another one changes counts what it inserts.
            let counts = std::mem::take(&mut self.counts_into);
            self.produce(&into.source, &mut |l| {
                l.insert_row(&other, into, None, &mut deferred, counts)
            })?;
            self.counts_into = counts;
        }
        Ok(())
    }

    /// Keeps a row's versions for triggers.
    fn keep_row(&mut self, target: &Changed, new: Option<&[Val]>, old: OldRow<'_>) {
        // What happened to the row decides which triggers fire: a MERGE does all three, and a
        // cascade need not do what the statement does.
        let kind = match (new, old) {
            (Some(_), OldRow::None) => StatementKind::Insert,
            (Some(_), _) => StatementKind::Update,
            (None, _) => StatementKind::Delete,
        };
        let transition = self.transition(target, kind);
        if let Some(new) = new {
            let regs: Vec<Reg> = new.iter().map(|v| v.reg).collect();
            let list = self.b.list(&regs);
            self.b.emit(Inst::KeepTransition { transition, inserted: true, list });
        }
        let mut regs = Vec::with_capacity(target.columns.len());
        match old {
            OldRow::None => return,
            OldRow::Values(values) => regs.extend(values.iter().map(|v| v.reg)),
            OldRow::Row(row) => {
                for (at, column) in target.columns.iter().enumerate() {
                    let (row, at) = (Val::new(row), at as u16);
                    regs.push(self.load(row, target.layout, at, column.nullable, false).reg);
                }
            }
        }
        let list = self.b.list(&regs);
        self.b.emit(Inst::KeepTransition { transition, inserted: false, list });
    }

    /// The entries of the old row in an XML index go, and those of the new one come.
    fn follow_derived_index(
        &mut self,
        target: &Changed,
        index: &DerivedIndexPlan,
        has_new: bool,
        old: OldRow<'_>,
    ) -> SqlResult<()> {
        let has_old = matches!(old, OldRow::Row(_));
        if has_new && has_old && !index.columns.iter().any(|at| target.set.contains(at)) {
            return Ok(());
        }
        let outside = self.enter();
        if let (true, Some(delete)) = (has_old, &index.delete) {
            self.touch_for(&delete.input)?;
            self.delete_rows(delete, target.word, &mut Deferred::default(), false)?;
        }
        if let (true, Some(insert)) = (has_new, &index.insert) {
            self.touch_for(&insert.source)?;
            for value in &insert.values {
                if let NewValue::Expr(Expr { kind: ExprKind::Column(col), .. }) = value
                    && self.scope.get(*col).is_some()
                {
                    self.touch(*col)?;
                }
            }
            let other = self.target(&insert.target, &insert.effects, "INSERT");
            self.produce(&insert.source, &mut |l| {
                l.insert_row(&other, insert, None, &mut Deferred::default(), false)
            })?;
        }
        self.leave(outside);
        Ok(())
    }

    /// The old row of a system-versioned table goes to the history.
    fn keep_version(&mut self, target: &Changed, history: &HistoryPlan) -> SqlResult<()> {
        let (fine, early) = (self.b.label(), self.b.label());
        let ways = Ways { yes: fine, no: early, unknown: early, fall_yes: false };
        let outside = self.enter();
        self.pred(&history.in_order, ways)?;
        self.leave(outside);
        self.b.place(early);
        self.violate(target, Rule::PeriodStart);
        self.b.place(fine);
        let insert = &history.insert;
        let other = self.target(&insert.target, &insert.effects, "INSERT");
        self.insert_row(&other, insert, None, &mut Deferred::default(), false)
    }

    /// Writes down that a row has changed.
    fn track_change(
        &mut self,
        tracking: &TrackingPlan,
        has_new: bool,
        old: OldRow<'_>,
    ) -> SqlResult<()> {
        let inserts = match (has_new, old) {
            (true, OldRow::None) => tracking.inserted.as_slice(),
            (true, _) => &tracking.updated[..],
            (false, _) => tracking.deleted.as_slice(),
        };
        for insert in inserts {
            let other = self.target(&insert.target, &insert.effects, "INSERT");
            self.insert_row(&other, insert, None, &mut Deferred::default(), false)?;
        }
        Ok(())
    }

    fn transition(&mut self, target: &Changed, kind: StatementKind) -> u16 {
        let set = target.set.iter().filter(|&&at| target.is_set(at));
        let sites = &mut self.b.unit.transitions;
        // Statements of native modules have sites of their own.
        if let Some(&known) = self.kept.iter().find(|&&at| {
            let site = &sites[usize::from(at)];
            site.kind == kind && Arc::ptr_eq(&site.table, &target.table)
        }) {
            sites[usize::from(known)].updated.extend(set);
            return known;
        }
        let updated = set.copied().collect();
        let layout = self.local_layout(&target.table);
        let site = TransitionSite {
            table: target.table.clone(),
            database: target.database,
            layout,
            kind,
            instead: target.instead,
            updated,
        };
        self.b.unit.transitions.push(site);
        let transition = (self.b.unit.transitions.len() - 1) as u16;
        self.kept.push(transition);
        transition
    }

    /// A register for a status.
    pub fn status_reg(&mut self) -> Reg {
        self.b.reg(RegType::I64)
    }
}

fn foreign_key_rule(reference: &ReferencePlan) -> Rule {
    Rule::Constraint {
        kind: if reference.same_table { "FOREIGN KEY SAME TABLE" } else { "FOREIGN KEY" },
        name: reference.name.clone(),
        table: Some(reference.referenced_name.clone()),
        column: reference.column_name.clone(),
    }
}

fn referenced_rule(target: &Changed, referenced: &ReferencedPlan) -> Rule {
    let own = target.table.foreign_keys.iter().any(|f| f.header.name == referenced.name);
    Rule::Constraint {
        kind: if own { "SAME TABLE REFERENCE" } else { "REFERENCE" },
        name: referenced.name.clone(),
        table: Some(referenced.referencing_name.clone()),
        column: referenced.column_name.clone(),
    }
}
