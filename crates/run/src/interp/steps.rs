//! Instructions on objects.

use base::{SqlError, SqlResult, ValueRef};
use ir::inst::{Inst, Pc, Reg, RegType};
use ir::object::{AccessDesc, LocalSource, ObjId, ObjectDesc};
use ir::site::RowsetSite;

use crate::interp::dispatch::Flow;
use crate::interp::host::OutputRow;
use crate::interp::local::{LocalAccess, LocalCursor, LocalTable};
use crate::interp::machine::{Machine, registers};
use crate::interp::memory::Means;
use crate::interp::objects::Object;
use crate::interp::objects::stream::OpenStream;
use crate::interp::registers::Registers;
use crate::interp::scalars::{optional_values, values};
use crate::interp::slot::Slot;
use crate::interp::{TableSlot, ops};

/// The object and the descriptor behind an id, apart from the rest of the machine. The unit was
/// verified: they are of the kind that the instruction requires.
macro_rules! object {
    ($machine:ident, $id:ident, $kind:ident, $desc:ident) => {
        match (
            &mut $machine.act.objects[usize::from($id.0)],
            &$machine.unit.objects[usize::from($id.0)],
        ) {
            (Object::$kind(object), ObjectDesc::$desc(desc)) => (object, desc),
            _ => unreachable!("the verifier has seen the kinds of objects"),
        }
    };
}

pub(super) use object;

impl Machine<'_, '_> {
    /// Executes an instruction that the dispatch loop passes on.
    #[inline]
    pub(super) fn step(&mut self, inst: Inst) -> SqlResult<Flow> {
        match inst {
            Inst::Find { cursor, row, mark, done } => self.find_stored(cursor, row, mark, done),
            Inst::Next { cursor, row, mark, done } => {
                self.reset(mark);
                self.next_stored(cursor, row, done)
            }
            Inst::LocalNext { cursor, row, mark, done } => {
                self.reset(mark);
                self.turn()?;
                Ok(self.next_local(cursor, row, done))
            }
            Inst::SeriesNext { value, step, stop, mark, done } => {
                self.reset(mark);
                self.turn()?;
                Ok(self.next_of_series(value, step, stop, done))
            }
            Inst::Emit { result, list } => {
                let site = &self.unit.results[usize::from(result)];
                let row = OutputRow {
                    registers: registers(&self.act.slots),
                    list: self.unit.list(list),
                    columns: &site.columns,
                };
                self.exec.writer.row(self.exec.task, &row)?;
                Ok(Flow::Next)
            }
            Inst::GroupCount { groups, cursor } => self.count_stored(groups, cursor),
            Inst::Count { full } => Ok(jump_if(self.count(), full)),
            Inst::Open { cursor } => self.open_stored(cursor).map(|()| Flow::Next),
            Inst::LocalOpen { cursor } => self.open_local(cursor).map(|()| Flow::Next),
            Inst::Halt => Ok(Flow::Halt),
            Inst::Raise { error } => Err(self.unit.errors[error as usize].clone()),
            Inst::Checkpoint => self.turn().map(|()| Flow::Next),
            inst => match family(&inst) {
                Family::Scalar => self.scalar(inst),
                Family::Memory => self.memory(inst),
                Family::Hashing => self.hashing(inst),
                Family::Collecting => self.collecting(inst),
                Family::Change => self.change(inst),
            },
        }
    }

    /// Counts a row. Returns whether the statement has the rows that `SET ROWCOUNT` allows.
    #[inline]
    pub(super) fn count(&mut self) -> bool {
        self.outcome.rows += 1;
        self.exec.row_limit.is_some_and(|limit| self.outcome.rows >= limit)
    }

    /// Instructions on hash tables, sets and groups that are being filled.
    fn hashing(&mut self, inst: Inst) -> SqlResult<Flow> {
        let unit = self.unit;
        let regs = registers(&self.act.slots);
        let (task, grant) = (self.exec.task, &mut self.exec.runtime.grant);
        match inst {
            Inst::HashNext { hash, row, mark, done } => {
                self.reset(mark);
                self.turn()?;
                let (object, _) = object!(self, hash, Hash, Hash);
                let found = object.next_row().map(as_row);
                return Ok(self.take_row(found, row, done));
            }
            Inst::HashProbe { hash, away } => {
                let (object, desc) = object!(self, hash, Hash, Hash);
                let here = object.probe(desc, regs, &mut Means { task, grant })?;
                return Ok(jump_if(!here, away));
            }
            Inst::HashPutOff { hash, list } => {
                let (object, desc) = object!(self, hash, Hash, Hash);
                object.put_off(unit, desc, list, regs, &Means { task, grant })?;
            }
            Inst::HashPartition { hash, done } => {
                let (object, desc) = object!(self, hash, Hash, Hash);
                let found = object.next_partition(desc, &mut Means { task, grant })?;
                return Ok(jump_if(!found, done));
            }
            Inst::HashReplay { hash, row, matched, mark, done } => {
                let before = regs.slot(matched).as_int();
                self.reset(mark);
                self.turn()?;
                let (object, desc) = object!(self, hash, Hash, Hash);
                let means = &Means { task, grant: &mut self.exec.runtime.grant };
                let Some((found, known)) = object.replay(desc, before, means)? else {
                    return Ok(Flow::Jump(done));
                };
                let found = as_row(found);
                self.set(row, found);
                self.set(matched, Slot::int(known));
            }
            Inst::HashPush { hash } | Inst::HashPushUnkeyed { hash } => {
                let (object, desc) = object!(self, hash, Hash, Hash);
                let means = &mut Means { task, grant };
                object.push(unit, desc, regs, matches!(inst, Inst::HashPush { .. }), means)?;
            }
            Inst::HashMark { hash } => object!(self, hash, Hash, Hash).0.mark(),
            Inst::HashRewind { hash } => object!(self, hash, Hash, Hash).0.rewind(),
            Inst::HashClear { hash } => object!(self, hash, Hash, Hash).0.clear(grant),
            Inst::HashUnmatched { hash, row, mark, done } => {
                self.reset(mark);
                self.turn()?;
                let (object, _) = object!(self, hash, Hash, Hash);
                let found = object.next_unmatched().map(as_row);
                return Ok(self.take_row(found, row, done));
            }
            Inst::HashEmpty { hash, to } => {
                let empty = object!(self, hash, Hash, Hash).0.is_empty();
                return Ok(jump_if(empty, to));
            }
            Inst::SetAdd { set, list, seen } => {
                let (object, desc) = object!(self, set, Set, Set);
                let new = object.add_row(unit, desc, list, regs, &mut Means { task, grant })?;
                return Ok(jump_if(!new, seen));
            }
            Inst::SetNext { set, row, mark, done } => {
                self.reset(mark);
                let (object, _) = object!(self, set, Set, Set);
                let runtime = &mut *self.exec.runtime;
                let means = &mut Means { task, grant: &mut runtime.grant };
                let found = object.next_row(means)?.map(as_row);
                return Ok(self.take_row(found, row, done));
            }
            Inst::SetClear { set } => object!(self, set, Set, Set).0.clear(grant),
            Inst::GroupFind { groups, keys } => {
                let (object, desc) = object!(self, groups, Groups, Groups);
                object.find(unit, desc, keys, regs, &mut Means { task, grant })?;
            }
            Inst::GroupAdd { groups, aggregate } => {
                let (object, desc) = object!(self, groups, Groups, Groups);
                object.add(unit, desc, aggregate, regs, &mut Means { task, grant })?;
            }
            Inst::GroupSame { groups, keys, to } => {
                let (object, desc) = object!(self, groups, Groups, Groups);
                return Ok(jump_if(object.is_current(unit, desc, keys, regs, grant)?, to));
            }
            Inst::GroupEmpty { groups, to } => {
                let empty = object!(self, groups, Groups, Groups).0.is_empty();
                return Ok(jump_if(empty, to));
            }
            Inst::GroupClear { groups } => object!(self, groups, Groups, Groups).0.clear(grant),
            inst => unreachable!("{inst:?} is of another family"),
        }
        Ok(Flow::Next)
    }

    /// Instructions on finished groups, sorters, windows and worktables.
    fn collecting(&mut self, inst: Inst) -> SqlResult<Flow> {
        let unit = self.unit;
        let regs = registers(&self.act.slots);
        let (task, grant) = (self.exec.task, &mut self.exec.runtime.grant);
        match inst {
            Inst::GroupRewind { groups } => {
                let (object, desc) = object!(self, groups, Groups, Groups);
                object.rewind(desc, &mut Means { task, grant })?;
                self.outcome.null_eliminated |= object.take_null_eliminated();
            }
            Inst::GroupNext { groups, row, mark, done } => {
                self.reset(mark);
                self.turn()?;
                let (object, desc) = object!(self, groups, Groups, Groups);
                let runtime = &mut *self.exec.runtime;
                let means = &mut Means { task, grant: &mut runtime.grant };
                let found = object.next_row(desc, means)?.map(as_row);
                return Ok(self.take_row(found, row, done));
            }
            Inst::GroupResult { groups, aggregate, dst } => {
                let (object, desc) = object!(self, groups, Groups, Groups);
                let value = object.result(desc, aggregate, &self.act.arena)?;
                let slot = crate::interp::ops::slot(value, self.ty(dst), &self.act.arena);
                self.set(dst, slot);
            }
            Inst::SortPush { sort } => {
                let (object, desc) = object!(self, sort, Sort, Sort);
                object.push(unit, desc, regs, &mut Means { task, grant })?;
            }
            Inst::SortNext { sort, row, mark, done } => {
                self.reset(mark);
                self.turn()?;
                let found = object!(self, sort, Sort, Sort).0.next_row(task)?.map(as_row);
                return Ok(self.take_row(found, row, done));
            }
            Inst::SortClear { sort, limit } => {
                let limit = limit.map(|reg| regs.slot(reg).as_int().max(0) as u64);
                object!(self, sort, Sort, Sort).0.clear(limit, grant);
            }
            Inst::SortFinish { sort } => {
                object!(self, sort, Sort, Sort).0.finish(&mut Means { task, grant })?;
            }
            Inst::WindowPush { window } => {
                let (object, desc) = object!(self, window, Window, Window);
                object.push(unit, desc, regs, grant)?;
            }
            Inst::WindowNext { window, row, mark, done } => {
                self.reset(mark);
                self.turn()?;
                let found = object!(self, window, Window, Window).0.next_row().map(as_row);
                return Ok(self.take_row(found, row, done));
            }
            Inst::WindowResult { window, function, dst } => {
                let slot = object!(self, window, Window, Window).0.result(function);
                self.set(dst, slot);
            }
            Inst::WindowClear { window } => object!(self, window, Window, Window).0.clear(grant),
            Inst::WindowFinish { window } => {
                let (object, desc) = object!(self, window, Window, Window);
                object.finish(unit, desc, grant)?;
                let (eliminated, error) =
                    (object.take_null_eliminated(), object.take_arithmetic_error());
                self.outcome.null_eliminated |= eliminated;
                if let Some(error) = error {
                    self.host().note_arithmetic_error(&error);
                }
            }
            _ => return self.work(inst),
        }
        Ok(Flow::Next)
    }

    /// Instructions on worktables.
    fn work(&mut self, inst: Inst) -> SqlResult<Flow> {
        match inst {
            Inst::WorkPush { work, list } => {
                let regs = registers(&self.act.slots);
                let (table, _) = object!(self, work, Work, Work);
                let slots = regs.slots(self.unit.list(list));
                // SAFETY: I1: one register per column of the worktable's layout, of its type.
                unsafe { table.push_slots(slots, &mut self.exec.runtime.grant)? };
                self.turn()?;
            }
            Inst::WorkClear { work } => object!(self, work, Work, Work).0.clear(),
            Inst::WorkSwap { a, b } => {
                self.act.objects.swap(usize::from(a.0), usize::from(b.0));
            }
            Inst::WorkCount { dst, work } => {
                let count = object!(self, work, Work, Work).0.len() as i64;
                self.set(dst, Slot::int(count));
            }
            Inst::FillRowset { work, site } => self.fill(work, site)?,
            Inst::StreamOpen { stream } => {
                self.give_back();
                let (object, desc) = object!(self, stream, Stream, Stream);
                object.rows = Some(desc.source.open(self.exec.host.facts())?);
            }
            Inst::StreamNext { stream, row, mark, done } => {
                self.reset(mark);
                self.turn()?;
                let found = self.next_of_stream(stream)?;
                return Ok(self.take_row(found, row, done));
            }
            inst => unreachable!("{inst:?} is of another family"),
        }
        Ok(Flow::Next)
    }

    #[inline(always)]
    fn take_row(&mut self, found: Option<Slot>, row: Reg, done: Pc) -> Flow {
        match found {
            Some(slot) => {
                self.set(row, slot);
                Flow::Next
            }
            None => Flow::Jump(done),
        }
    }

    fn fill(&mut self, work: ObjId, site: u32) -> SqlResult<()> {
        self.give_back();
        let regs = registers(&self.act.slots);
        let table = match &mut self.act.objects[usize::from(work.0)] {
            Object::Work(table) => table,
            _ => unreachable!("the verifier has seen the kinds of objects"),
        };
        table.clear();
        let exec = &mut *self.exec;
        match &self.unit.rowsets[site as usize] {
            RowsetSite::System(database, view) => {
                exec.host.fill_view(exec.task, *database, view.id, table)?;
            }
            RowsetSite::Function { fill, args, types, memo, .. } => {
                let args = values(regs, self.unit.list(*args), types);
                let (arena, facts) = (&self.act.arena, exec.host.facts());
                let (task, memo) = (Some(exec.task), Some(memo));
                let mut context = ir::function::FnContext { arena, facts, task, memo };
                let grant = &mut exec.runtime.grant;
                fill(&mut context, &args, types, &mut |row| table.push_charged(row, grant))?;
            }
            RowsetSite::User { function, args, types } => {
                let args = optional_values(regs, args, types);
                let (task, runtime) = (exec.task, &mut *exec.runtime);
                exec.host.call_table_function(task, runtime, *function, &args, table)?;
            }
        }
        table.settle(&mut exec.runtime.grant)
    }

    /// The next row of a stream, in the arena.
    fn next_of_stream(&mut self, stream: ObjId) -> SqlResult<Option<Slot>> {
        self.give_back();
        let exec = &mut *self.exec;
        let (object, desc) = object!(self, stream, Stream, Stream);
        let OpenStream { rows, row } = &mut **object;
        let Some(open) = rows else { return Ok(None) };
        let layout = &self.unit.layouts[usize::from(desc.layout)];
        let (arena, facts) = (&self.act.arena, exec.host.facts());
        let context = ir::function::FnContext { arena, facts, task: Some(exec.task), memo: None };
        let (writer, task) = (&mut *exec.writer, exec.task);
        let report = &mut |error: &SqlError| writer.inform(task, error);
        let emit = &mut |values: &[ValueRef<'_>]| {
            let bytes = values.iter().map(ValueRef::byte_len).sum();
            arena.admit(bytes)?;
            row.clear();
            layout.build(values, row);
            Ok(())
        };
        if !open.next(&context, report, emit)? {
            *rows = None;
            return Ok(None);
        }
        Ok(Some(as_row(arena.alloc_bytes(row))))
    }

    /// Steps a series to its next number. A number that does not fit the register is past every
    /// end.
    #[inline]
    pub(super) fn next_of_series(&mut self, value: Reg, step: Reg, stop: Reg, done: Pc) -> Flow {
        let [now, by, end] = [value, step, stop].map(|reg| self.slot(reg));
        let next = match self.unit.reg_type(value) {
            RegType::I128 => (now.as_wide().checked_add(by.as_wide()))
                .filter(|&next| ops::in_series(next, by.as_wide(), end.as_wide()))
                .map(Slot::wide),
            _ => (now.as_int().checked_add(by.as_int()))
                .filter(|&next| ops::in_series(next, by.as_int(), end.as_int()))
                .map(Slot::int),
        };
        self.take_row(next, value, done)
    }

    fn open_local(&mut self, id: ObjId) -> SqlResult<()> {
        let ObjectDesc::LocalCursor(desc) = &self.unit.objects[usize::from(id.0)] else {
            unreachable!("the verifier has seen the kinds of objects");
        };
        let Object::Local(mut cursor) = self.take_cursor(id) else {
            unreachable!("made after its descriptor");
        };
        let result = match self.local_source(desc.source) {
            Some(table) => {
                let regs = registers(&self.act.slots);
                open_cursor(&mut cursor, table, &desc.access, regs);
                Ok(())
            }
            None => Err(ir::internal("a table variable is used before its declaration")),
        };
        self.act.objects[usize::from(id.0)] = Object::Local(cursor);
        result
    }

    /// Takes a cursor out of its place; the caller puts it back.
    fn take_cursor(&mut self, id: ObjId) -> Object {
        let place = &mut self.act.objects[usize::from(id.0)];
        std::mem::replace(place, Object::Local(Box::default()))
    }

    /// A local table that is read.
    fn local_source(&self, source: LocalSource) -> Option<&LocalTable> {
        match source {
            LocalSource::Variable(var) => self.exec.frame.table(var).get(),
            LocalSource::Transition(true) => self.exec.frame.inserted.as_deref(),
            LocalSource::Transition(false) => self.exec.frame.deleted.as_deref(),
            LocalSource::Work(work) => match &self.act.objects[usize::from(work.0)] {
                Object::Work(table) => Some(table),
                _ => None,
            },
        }
    }

    fn next_local(&mut self, id: ObjId, row: Reg, done: Pc) -> Flow {
        let ObjectDesc::LocalCursor(desc) = &self.unit.objects[usize::from(id.0)] else {
            unreachable!("the verifier has seen the kinds of objects");
        };
        let found = match desc.source {
            LocalSource::Work(work) => {
                let (cursor, table) = two(&mut self.act.objects, id, work);
                cursor.next(table).map(|(id, bytes)| Slot::row(bytes.as_ptr(), u64::from(id.0)))
            }
            source => {
                let frame = &*self.exec.frame;
                let table = match source {
                    LocalSource::Variable(var) => frame.table(var).get(),
                    LocalSource::Transition(true) => frame.inserted.as_deref(),
                    _ => frame.deleted.as_deref(),
                };
                let Object::Local(cursor) = &mut self.act.objects[usize::from(id.0)] else {
                    unreachable!("made after its descriptor");
                };
                table
                    .and_then(|table| cursor.next(table))
                    .map(|(id, bytes)| Slot::row(bytes.as_ptr(), u64::from(id.0)))
            }
        };
        self.take_row(found, row, done)
    }
}

/// Which part of the interpreter executes an instruction.
enum Family {
    Scalar,
    Memory,
    Hashing,
    Collecting,
    Change,
}

fn family(inst: &Inst) -> Family {
    use Inst::*;
    match inst {
        Const { .. }
        | GuardList { .. }
        | JumpCompare { .. }
        | JumpLike { .. }
        | JumpIn { .. }
        | Percent { .. }
        | Arith { .. }
        | Unary { .. }
        | CastInt { .. }
        | CastIntDecimal { .. }
        | Cast { .. }
        | Concat { .. }
        | Call { .. } => Family::Scalar,
        BuildRow { .. }
        | BytesRow { .. }
        | RowBytes { .. }
        | Mark { .. }
        | Reset { .. }
        | Keep { .. }
        | KeepRow { .. }
        | CopyVar { .. }
        | StoreVar { .. }
        | CallUser { .. }
        | NextValue { .. } => Family::Memory,
        HashNext { .. }
        | HashProbe { .. }
        | HashPush { .. }
        | HashPushUnkeyed { .. }
        | HashMark { .. }
        | HashRewind { .. }
        | HashClear { .. }
        | HashUnmatched { .. }
        | HashPutOff { .. }
        | HashPartition { .. }
        | HashReplay { .. }
        | HashEmpty { .. }
        | SetAdd { .. }
        | SetNext { .. }
        | SetClear { .. }
        | GroupFind { .. }
        | GroupAdd { .. }
        | GroupSame { .. }
        | GroupEmpty { .. }
        | GroupClear { .. } => Family::Hashing,
        GroupRewind { .. }
        | GroupNext { .. }
        | GroupResult { .. }
        | SortPush { .. }
        | SortNext { .. }
        | SortClear { .. }
        | SortFinish { .. }
        | WindowPush { .. }
        | WindowNext { .. }
        | WindowResult { .. }
        | WindowClear { .. }
        | WindowFinish { .. }
        | WorkPush { .. }
        | WorkClear { .. }
        | WorkSwap { .. }
        | WorkCount { .. }
        | StreamOpen { .. }
        | StreamNext { .. }
        | FillRowset { .. } => Family::Collecting,
        _ => Family::Change,
    }
}

/// A cursor and the worktable that it goes through.
fn two(objects: &mut [Object], cursor: ObjId, work: ObjId) -> (&mut LocalCursor, &LocalTable) {
    let (c, w) = (usize::from(cursor.0), usize::from(work.0));
    match objects.get_disjoint_mut([c, w]) {
        Ok([Object::Local(cursor), Object::Work(table)]) => (cursor, table),
        _ => unreachable!("the verifier has seen the kinds of objects"),
    }
}

fn open_cursor(
    cursor: &mut LocalCursor,
    table: &LocalTable,
    access: &AccessDesc,
    regs: Registers<'_>,
) {
    match access {
        // Later instructions test every row for the pattern.
        AccessDesc::Full { .. } | AccessDesc::Like { .. } => cursor.open(table, &LocalAccess::Full),
        AccessDesc::Seek { index, key } | AccessDesc::Key { index, key } => {
            let key = regs.keys(key);
            cursor.open(table, &LocalAccess::Seek { index: *index, key: &key });
        }
        AccessDesc::Range { index, prefix, next, lower, upper, backward } => {
            let access = LocalAccess::Range {
                index: *index,
                prefix: &regs.keys(prefix),
                next: *next,
                lower: regs.bound(lower),
                upper: regs.bound(upper),
                backward: *backward,
            };
            cursor.open(table, &access);
        }
    }
}

fn as_row(bytes: &[u8]) -> Slot {
    Slot::row(bytes.as_ptr(), 0)
}

fn jump_if(condition: bool, to: Pc) -> Flow {
    if condition { Flow::Jump(to) } else { Flow::Next }
}

/// Whether a table slot belongs to the frame, so that it can be changed.
pub(super) fn own(slot: &mut TableSlot) -> Option<&mut LocalTable> {
    match slot {
        TableSlot::Own(table) => Some(table),
        _ => None,
    }
}
