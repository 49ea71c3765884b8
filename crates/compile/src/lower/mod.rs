//! Lowering: from a plan tree to a unit.
//!
//! Every operator is asked to **produce** its rows and is given what **consumes** them: a function
//! that writes the code for one row. A scan writes a loop and has its consumer write the loop's
//! body; a filter writes a conditional jump and passes on; a sort's consumer of its input writes
//! the code that adds a row to the sorter, and after that loop the sort writes another one over the
//! sorted rows. So a plan becomes nested loops without operators.
//!
//! # Rules
//!
//! * L1: a consumer is called at most once. Where its code is needed at several places (an outer
//!   join yields matched rows here and unmatched ones there), it is a routine behind an
//!   [`Inst::Gosub`].
//! * L2: a consumer's code falls through at its end to whatever takes the next row. To skip a row
//!   it jumps to a label at its own end; to end early (`TOP`, `EXISTS`) it jumps out of the loops.
//! * L3: what is bound inside a loop is forgotten after it ([`scope`]).
//! * L4: the arena is given back to where it was with every turn of a loop, so what must outlive a
//!   turn goes to an object, to a variable, or is kept ([`Inst::Keep`]).

mod cast;
pub(crate) mod columns;
mod dml;
mod expr;
mod group;
mod hash_join;
mod join;
mod native;
mod pred;
mod scan;
mod scope;
mod series;
mod sort;
mod subquery;
#[cfg(test)]
mod tests;
mod window;
mod work;

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use base::ids::ObjectId;
use base::{SqlError, SqlResult, Value, message};
use ir::builder::{Builder, Label};
use ir::inst::{Inst, MarkId, Pc, Reg, RegType};
use ir::object::{ObjId, ReadPurpose};
use ir::operator::VarId;
use ir::site::{AssignedColumn, ResultSite, StatementKind};
use ir::unit::{OperatorCounter, Unit};

use crate::lower::columns::{ColumnType, Columns};
use crate::lower::scope::{Scope, Val};
use crate::plan::expr::{ColId, Expr, Pred};
use crate::plan::native::NativeModule;
use crate::plan::print::key_of;
use crate::plan::tree::*;

/// What a unit's code depends on beside the plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// `ARITHABORT` and `ANSI_WARNINGS` are off: overflow and division by zero give NULL.
    pub arithmetic_errors_are_null: bool,
    /// `NUMERIC_ROUNDABORT` is on: what a conversion would round away is error 8115.
    pub numeric_roundabort: bool,
    /// How often each operator begins, and how many rows it makes, is counted in registers
    /// ([`Unit::counters`]).
    pub counts_operators: bool,
}

/// A data statement as a unit.
pub fn statement(plan: &Plan, options: Options) -> SqlResult<Unit> {
    base::on_purpose::reached(base::on_purpose::Place::Lowering);
    let mut lowering = Lowering::new(options);
    lowering.columns = Columns::of_plan(plan);
    lowering.plan(plan)?;
    lowering.b.finish()
}

/// A scalar expression as a unit that leaves its value in [`Unit::result`].
pub fn scalar(expr: &Expr, options: Options) -> SqlResult<Unit> {
    let mut lowering = Lowering::new(options);
    lowering.columns = Columns::of_expr(expr);
    let val = lowering.expr(expr)?;
    lowering.b.unit.result = Some((val.reg, expr.ty));
    lowering.b.finish()
}

/// `SET @variable = expression` as a unit.
pub fn assignment(variable: VarId, expr: &Expr, options: Options) -> SqlResult<Unit> {
    let mut lowering = Lowering::new(options);
    lowering.columns = Columns::of_expr(expr);
    let val = lowering.expr(expr)?;
    lowering.b.emit(Inst::StoreVar { var: variable.0, src: val.reg });
    lowering.b.finish()
}

/// A condition as a unit that leaves 1 in [`Unit::result`] if it is true, and 0 if it is not.
pub fn condition(pred: &Pred, options: Options) -> SqlResult<Unit> {
    let mut lowering = Lowering::new(options);
    lowering.columns = Columns::of_pred(pred);
    let result = lowering.b.reg(RegType::I64);
    let end = lowering.b.label();
    lowering.b.emit(Inst::Int { dst: result, value: 0 });
    lowering.unless_jump(pred, end)?;
    lowering.b.emit(Inst::Int { dst: result, value: 1 });
    lowering.b.place(end);
    lowering.b.unit.result = Some((result, base::SqlType::bit()));
    lowering.b.finish()
}

/// A natively compiled module as a unit.
pub fn native(module: &NativeModule, options: Options) -> SqlResult<Unit> {
    let mut lowering = Lowering::new(options);
    lowering.native_module(module)?;
    lowering.b.finish()
}

/// A function that writes the code for one row.
type Consume<'c> = &'c mut dyn FnMut(&mut Lowering) -> SqlResult<()>;

/// A constant by value, to be found again.
#[derive(Clone, PartialEq, Debug)]
struct ConstantKey {
    ty: RegType,
    value: Value,
}

impl ConstantKey {
    /// Equal for equal keys.
    fn digest(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        std::mem::discriminant(&self.value).hash(&mut hasher);
        match &self.value {
            Value::Int(value) | Value::Money(value) => value.hash(&mut hasher),
            Value::Decimal(value) => value.hash(&mut hasher),
            Value::Chars(bytes) | Value::Unicode(bytes) | Value::Bytes(bytes) => {
                bytes.hash(&mut hasher);
            }
            _ => {}
        }
        hasher.finish()
    }
}

/// A worktable of the plan.
#[derive(Clone, Debug)]
struct Worktable {
    object: ObjId,
    layout: u16,
}

/// The state of one lowering.
struct Lowering {
    b: Builder,
    options: Options,
    columns: Columns,
    scope: Scope,
    /// By digest.
    constants: HashMap<u64, Vec<(ConstantKey, Reg)>>,
    /// The digests of those that are the statement's own.
    statement_constants: Vec<u64>,
    /// Variables that the statement reads and does not assign.
    variables: HashMap<VarId, Reg>,
    /// Variables that the statement assigns.
    assigned: HashSet<VarId>,
    /// The values that the current row assigns, which are stored once it is changed.
    pending: HashMap<VarId, Val>,
    /// Sequences whose value for the current row has been taken.
    next_values: Vec<(ObjectId, Reg)>,
    /// How many loops, subqueries and routines are around what is lowered.
    loops: u32,
    /// The column that names the rows of MERGE's target.
    merged: Option<plan_expr::ColId>,
    worktables: HashMap<WorktableId, Worktable>,
    /// What the scans that are being lowered read for, if not for a query.
    purpose: Option<ReadPurpose>,
    /// The column that a value is being converted for.
    assigned_column: Option<AssignedColumn>,
    /// Columns of operators that are converted for columns of the target.
    converted: HashMap<ColId, AssignedColumn>,
    /// How many guards there are, to see whether an operation has one.
    guards: usize,
    /// Where a statement goes that has counted as many rows as `ROWCOUNT` allows.
    full: Option<Label>,
    /// The rows that `OUTPUT … INTO` inserts are counted instead of those that are changed.
    counts_into: bool,
    /// Whether an operator counts the statement's rows.
    rows_are_counted: bool,
    /// How many atomic blocks of a native module are open.
    atomic_depth: u16,
    /// What the current statement keeps for triggers.
    kept: Vec<u16>,
}

impl Lowering {
    fn new(options: Options) -> Lowering {
        let mut b = Builder::new();
        b.unit.arithmetic_errors_are_null = options.arithmetic_errors_are_null;
        Lowering {
            b,
            options,
            columns: Columns::default(),
            scope: Scope::default(),
            constants: HashMap::new(),
            statement_constants: Vec::new(),
            variables: HashMap::new(),
            assigned: HashSet::new(),
            pending: HashMap::new(),
            next_values: Vec::new(),
            loops: 0,
            merged: None,
            worktables: HashMap::new(),
            purpose: None,
            assigned_column: None,
            converted: HashMap::new(),
            guards: 0,
            full: None,
            counts_into: false,
            rows_are_counted: false,
            atomic_depth: 0,
            kept: Vec::new(),
        }
    }

    /// A data statement. In a native module it is one of many.
    fn plan(&mut self, plan: &Plan) -> SqlResult<()> {
        let full = self.b.label();
        self.full = Some(full);
        self.rows_are_counted = false;
        let kind = match plan {
            Plan::Select(SelectPlan { destination: Destination::Client, .. }) => {
                StatementKind::Select
            }
            Plan::Select(_) => StatementKind::Assign,
            Plan::Insert(_) => StatementKind::Insert,
            Plan::Update(_) => StatementKind::Update,
            Plan::Delete(_) => StatementKind::Delete,
            Plan::Merge(_) => StatementKind::Merge,
        };
        self.b.unit.kind = Some(kind);
        self.counts_into = plan.effects().is_some_and(|effects| effects.counts_into);
        let outside = self.enter();
        match plan {
            Plan::Select(select) => self.select(select)?,
            Plan::Insert(insert) => self.insert_statement(insert)?,
            Plan::Update(update) => self.update_statement(update)?,
            Plan::Delete(delete) => self.delete_statement(delete)?,
            Plan::Merge(merge) => self.merge_statement(merge)?,
        }
        self.leave(outside);
        Ok(())
    }

    fn select(&mut self, select: &SelectPlan) -> SqlResult<()> {
        let full = self.full.expect("plan() has made it");
        match &select.destination {
            Destination::Client => {
                let columns = select.output.iter().map(|output| output.shown.clone()).collect();
                self.b.unit.results.push(ResultSite { columns });
                let result = (self.b.unit.results.len() - 1) as u16;
                self.b.in_prologue(|b| b.emit(Inst::Announce { result }));
                self.produce(&select.root, &mut |l| {
                    let mut regs = Vec::with_capacity(select.output.len());
                    for output in &select.output {
                        regs.push(l.column(output.column)?.reg);
                    }
                    let list = l.b.list(&regs);
                    l.b.emit(Inst::Emit { result, list });
                    if !l.rows_are_counted {
                        l.b.emit(Inst::Count { full: full.pc() });
                    }
                    Ok(())
                })?;
            }
            Destination::Variables(variables) => {
                self.assigned = variables.iter().map(|v| v.0).collect();
                self.produce(&select.root, &mut |l| {
                    for (var, col) in variables {
                        let val = l.column(*col)?;
                        l.b.emit(Inst::StoreVar { var: var.0, src: val.reg });
                    }
                    l.b.emit(Inst::Count { full: full.pc() });
                    Ok(())
                })?;
            }
        }
        self.b.place(full);
        Ok(())
    }

    /// Writes the code that makes an operator's rows and has `consume` write what is done with one.
    fn produce(&mut self, node: &Node, consume: Consume<'_>) -> SqlResult<()> {
        self.deeper()?;
        if !self.options.counts_operators {
            return self.operator(node, consume);
        }
        let (executions, rows) = (self.zero(), self.zero());
        self.b.unit.counters.push(OperatorCounter { node: key_of(node), executions, rows });
        self.b.emit(Inst::Step { dst: executions, a: executions, by: 1 });
        self.operator(node, &mut |l| {
            l.b.emit(Inst::Step { dst: rows, a: rows, by: 1 });
            consume(l)
        })
    }

    /// Checks whether there is room for a level of nesting: in the unit (error 8623) and on the
    /// stack (8631).
    fn deeper(&self) -> SqlResult<()> {
        if self.b.is_full() {
            return Err(SqlError::new(&message::OUT_OF_PLAN_RESOURCES, &[]));
        }
        match base::stack::deeper() {
            true => Ok(()),
            false => Err(SqlError::new(&message::STACK_LIMIT, &[])),
        }
    }

    /// A register that is 0 when the unit starts.
    fn zero(&mut self) -> Reg {
        let counter = self.b.lasting_reg(RegType::I64);
        self.b.emit_constant(Inst::Int { dst: counter, value: 0 });
        counter
    }

    /// [`Lowering::produce`] of an operator that counts nothing.
    fn operator(&mut self, node: &Node, consume: Consume<'_>) -> SqlResult<()> {
        match node {
            Node::OneRow => {
                let outside = self.enter();
                let sequences = std::mem::take(&mut self.next_values);
                consume(self)?;
                self.next_values = sequences;
                self.leave(outside);
                Ok(())
            }
            Node::Filter { input, predicate } => self.produce(input, &mut |l| {
                let skip = l.b.label();
                l.unless_jump(predicate, skip)?;
                consume(l)?;
                l.b.place(skip);
                Ok(())
            }),
            Node::Compute { input, columns } => self.produce(input, &mut |l| {
                for (col, expr) in columns {
                    let assigned = l.converted.get(col).cloned();
                    let outside = std::mem::replace(&mut l.assigned_column, assigned);
                    let val = l.expr(expr);
                    l.assigned_column = outside;
                    l.bind(*col, val?);
                }
                consume(l)
            }),
            Node::Scan(scan) => self.scan(scan, consume),
            Node::Values { columns, rows } => self.values(columns, rows, consume),
            Node::NestedLoop { kind, outer, inner, predicate } => {
                self.nested_loop(*kind, outer, inner, predicate.as_ref(), consume)
            }
            Node::HashJoin { kind, probe, build, keys, null_equal, residual } => {
                let join = hash_join::HashJoin {
                    kind: *kind,
                    probe,
                    build,
                    keys,
                    null_equal: *null_equal,
                    residual: residual.as_ref(),
                };
                self.hash_join(&join, consume)
            }
            Node::Aggregate { ordered: true, grouping_sets, groups, .. }
                if grouping_sets.is_empty() && !groups.is_empty() =>
            {
                self.ordered_aggregate(node, consume)
            }
            Node::Aggregate { .. } => self.hash_aggregate(node, consume),
            Node::Distinct { input, columns } => self.distinct(input, columns, consume),
            Node::Sort { input, keys, limit, columns } => {
                self.sort(input, keys, limit.as_ref(), columns, consume)
            }
            Node::Top { input, count, percent, ties } => {
                self.top(input, count, *percent, ties.as_deref(), consume)
            }
            Node::Offset { input, offset, fetch } => {
                self.offset(input, offset, fetch.as_ref(), consume)
            }
            Node::Counted { input } => self.counted(input, consume),
            Node::Union { inputs, columns } => self.union(inputs, columns, consume),
            Node::Window { .. } => self.window(node, consume),
            Node::Recursive { .. } => self.recursive(node, consume),
            Node::Worktable { worktable, columns } => self.worktable(*worktable, columns, consume),
            Node::Spool { worktable, input, body } => {
                self.spool(*worktable, &input.0, &input.1, body, consume)
            }
        }
    }

    /// Counts rows as those of the statement; what comes after the last that `ROWCOUNT` allows is
    /// not taken in.
    fn counted(&mut self, input: &Node, consume: Consume<'_>) -> SqlResult<()> {
        self.rows_are_counted = true;
        let full = self.b.label();
        self.produce(input, &mut |l| {
            consume(l)?;
            l.b.emit(Inst::Count { full: full.pc() });
            Ok(())
        })?;
        self.b.place(full);
        Ok(())
    }

    /// A loop: `next` takes the next row into the register, gives the arena back to the mark, and
    /// leaves for the label when there is none.
    fn loop_rows(
        &mut self,
        next: impl FnOnce(Reg, MarkId, Pc) -> Inst,
        body: &mut dyn FnMut(&mut Lowering, Reg) -> SqlResult<()>,
    ) -> SqlResult<()> {
        let row = self.b.reg(RegType::Row);
        self.loop_into(row, next, body)
    }

    /// [`Lowering::loop_rows`] into a given register.
    fn loop_into(
        &mut self,
        row: Reg,
        next: impl FnOnce(Reg, MarkId, Pc) -> Inst,
        body: &mut dyn FnMut(&mut Lowering, Reg) -> SqlResult<()>,
    ) -> SqlResult<()> {
        let mark = self.b.mark();
        let done = self.b.label();
        self.b.emit(Inst::Mark { mark });
        let head = self.b.here();
        self.b.emit(next(row, mark, done.pc()));
        self.turn(head, done, &mut |l| body(l, row))
    }

    /// A turn of a loop that goes on at `head` and ends at `done`.
    fn turn(&mut self, head: Label, done: Label, body: Consume<'_>) -> SqlResult<()> {
        let outside = self.enter();
        // Each row has its own values of sequences.
        let sequences = std::mem::take(&mut self.next_values);
        self.loops += 1;
        body(self)?;
        self.loops -= 1;
        self.next_values = sequences;
        self.leave(outside);
        self.b.jump(head);
        self.b.place(done);
        Ok(())
    }

    /// What [`Lowering::loop_rows`] is to many rows, for one: `find` remembers the arena.
    fn one_row(
        &mut self,
        find: impl FnOnce(Reg, MarkId, Pc) -> Inst,
        body: &mut dyn FnMut(&mut Lowering, Reg) -> SqlResult<()>,
    ) -> SqlResult<()> {
        let (row, mark, done) = (self.b.reg(RegType::Row), self.b.mark(), self.b.label());
        self.b.emit(find(row, mark, done.pc()));
        let outside = self.enter();
        let start = self.b.unit.code.len();
        let sequences = std::mem::take(&mut self.next_values);
        body(self, row)?;
        self.next_values = sequences;
        self.leave(outside);
        if self.b.unit.code[start..].iter().any(Inst::may_fill_arena) {
            self.b.emit(Inst::Reset { mark });
        }
        self.b.place(done);
        Ok(())
    }

    /// Registers of these columns in a list, loaded.
    fn column_regs(&mut self, columns: &[plan_expr::ColId]) -> SqlResult<Vec<Val>> {
        columns.iter().map(|&col| self.column(col)).collect()
    }

    /// As `column_regs`, for columns that an object is about to keep: a reference to a row must
    /// outlive its turn.
    fn stored_regs(&mut self, columns: &[plan_expr::ColId]) -> SqlResult<Vec<Val>> {
        let stored = |l: &mut Lowering, col| {
            let val = l.column(col)?;
            Ok(match l.columns.ty(col) {
                ColumnType::Sql(_) => val,
                ColumnType::Row => Val { reg: l.kept_row(val.reg), ..val },
            })
        };
        columns.iter().map(|&col| stored(self, col)).collect()
    }

    /// A reference to a row that outlives the row's turn.
    fn kept_row(&mut self, src: Reg) -> Reg {
        let dst = self.b.reg(RegType::Row);
        self.b.emit(Inst::KeepRow { dst, src });
        dst
    }
}

use crate::plan::expr as plan_expr;
