//! Instructions that read and change tables of the engine and table variables, and those of native
//! modules.

use std::sync::Arc;

use base::collation::codepage::unicode_to_string;
use base::{SqlError, SqlResult, ValueRef, message};
use engine::hot::table::Table;
use engine::hot::visibility::Snapshot;
use engine::txn::locks::Reading;
use engine::txn::{RowSpace, TakenRow, Transaction, TxnError, Written};
use ir::inst::{Inst, MarkId, Pc, Reg, WriteStatus};
use ir::object::{AccessDesc, ObjId, ObjectDesc, ReadPurpose};
use ir::operator::TableVarId;
use ir::read::ReadOptions;
use ir::site::{ModuleArg, TargetSite, TargetTable};
use ir::unit::TableUse;
use ir::{RegType, Unit};

use crate::interp::dispatch::Flow;
use crate::interp::host::{Host, ModuleCall, TriggerCall};
use crate::interp::lent::{Lent, reader, transaction};
use crate::interp::local::{Changed, RowId};
use crate::interp::machine::{Machine, registers};
use crate::interp::objects::Object;
use crate::interp::objects::cursor::{prefetch_ahead, prefetch_number, row_ref, row_slot};
use crate::interp::slot::Slot;
use crate::interp::steps::{object, own};
use crate::interp::{Execution, errors};

/// The engine's table that a unit uses.
fn handle<'u>(
    used: &'u TableUse,
    host: &mut dyn Host,
    task: &engine::wait::Task<'_>,
) -> SqlResult<&'u Arc<Table>> {
    if let Some(table) = used.handle.get() {
        return Ok(table);
    }
    let table = host.table(task, used.database, &used.table)?;
    Ok(used.handle.get_or_init(|| table))
}

pub(super) fn table_use(unit: &Unit, table: u16) -> &TableUse {
    &unit.tables[usize::from(table)]
}

impl Machine<'_, '_> {
    pub(super) fn open_stored(&mut self, id: ObjId) -> SqlResult<()> {
        let (cursor, desc) = object!(self, id, Cursor, Cursor);
        let used = table_use(self.unit, desc.table);
        let (task, host) = (self.exec.task, &mut *self.exec.host);
        let table = handle(used, host, task)?;
        let reader = reader(&mut self.lent, host, used, &desc.options, desc.purpose)?;
        let (snapshot, reading) = (&reader.snapshot, reader.reading);
        cursor.open(desc, table, snapshot, reading, registers(&self.act.slots))
    }

    #[inline(always)]
    pub(super) fn find_stored(
        &mut self,
        id: ObjId,
        row: Reg,
        mark: MarkId,
        done: Pc,
    ) -> SqlResult<Flow> {
        self.act.marks[usize::from(mark.0)] = self.act.arena.mark();
        let (cursor, desc) = object!(self, id, Cursor, Cursor);
        let used = table_use(self.unit, desc.table);
        let (task, host) = (self.exec.task, &mut *self.exec.host);
        let table = handle(used, host, task)?;
        let regs = registers(&self.act.slots);
        let point = cursor.seek(desc, table, regs);
        if self.lent.is_none() {
            point.prefetch(table);
        }
        let reader = reader(&mut self.lent, host, used, &desc.options, desc.purpose)?;
        let found = match reader.reading {
            Reading::Versions => {
                point.find(reader.transaction, task, table, &reader.snapshot, &self.act.arena)
            }
            reading => {
                let at = &reader.snapshot;
                let settled = match reading {
                    Reading::Locked(locking) if locking.is_for_the_moment() => {
                        point.find_settled(reader.transaction, task, table, at, &self.act.arena)
                    }
                    _ => Ok(None),
                };
                match settled {
                    Ok(None) => {
                        cursor.open(desc, table, at, reading, regs)?;
                        cursor.next(desc, reader.transaction, task, table, &self.act.arena)
                    }
                    settled => settled,
                }
            }
        };
        match found {
            Ok(Some(slot)) => {
                self.set(row, slot);
                Ok(Flow::Next)
            }
            Ok(None) => Ok(Flow::Jump(done)),
            Err(error) => Err(errors::from_engine(&error, host, used)),
        }
    }

    /// Prefetches what [`Machine::find_stored`] will need for the next two keys, which are numbers.
    #[inline(always)]
    pub(super) fn look_ahead(&mut self, id: ObjId, next: i64, after: i64) {
        let (_, desc) = object!(self, id, Cursor, Cursor);
        let AccessDesc::Seek { index, .. } = desc.access else { return };
        if let Some(table) = table_use(self.unit, desc.table).handle.get() {
            prefetch_ahead(table, self.exec.task, index, next, after);
        }
    }

    #[inline]
    pub(super) fn next_stored(&mut self, id: ObjId, row: Reg, done: Pc) -> SqlResult<Flow> {
        let (cursor, desc) = object!(self, id, Cursor, Cursor);
        let used = table_use(self.unit, desc.table);
        let (task, host) = (self.exec.task, &mut *self.exec.host);
        let table = used.handle.get().expect("the cursor was opened");
        let transaction = transaction(&mut self.lent, host, used)?;
        let found = cursor.next(desc, transaction, task, table, &self.act.arena);
        match found {
            Ok(Some(slot)) => {
                self.set(row, slot);
                Ok(Flow::Next)
            }
            Ok(None) => Ok(Flow::Jump(done)),
            Err(error) => Err(errors::from_engine(&error, host, used)),
        }
    }

    pub(super) fn count_stored(&mut self, groups: ObjId, cursor: ObjId) -> SqlResult<Flow> {
        let (cursor, desc) = object!(self, cursor, Cursor, Cursor);
        let used = table_use(self.unit, desc.table);
        let (task, host) = (self.exec.task, &mut *self.exec.host);
        let table = used.handle.get().expect("the cursor was opened");
        let transaction = transaction(&mut self.lent, host, used)?;
        let rows = cursor.count(desc, transaction, task, table, &self.act.arena);
        let rows = rows.map_err(|error| errors::from_engine(&error, host, used))?;
        let (groups, desc) = object!(self, groups, Groups, Groups);
        groups.add_rows(desc, rows)?;
        Ok(Flow::Next)
    }

    /// Executes an instruction that changes rows.
    pub(super) fn change(&mut self, inst: Inst) -> SqlResult<Flow> {
        match inst {
            Inst::Insert { target, bytes, row, ignored } => {
                return self.insert(target, bytes, row, ignored);
            }
            Inst::Update { target, row, bytes, status } => {
                self.update(target, row, bytes, status)?;
            }
            Inst::Delete { target, row, status } => self.delete(target, row, status)?,
            Inst::TakeAway { target, row, status, trace } => {
                let result = self.write(target, row, Change::TakeAway(trace))?;
                self.set(status, Slot::int(result as i64));
            }
            Inst::PutBack { target, bytes, row, trace } => {
                self.put_back(target, bytes, row, trace)?;
            }
            Inst::Lose { target } => return Err(self.lost(target)),
            Inst::Identity { dst, target } => self.identity(dst, target)?,
            Inst::ChangeNumber { dst, table } => self.change_number(dst, table)?,
            Inst::ChangeStep { dst, target } => self.change_step(dst, target)?,
            Inst::RowVersion { dst, target } => {
                let version = match self.unit.targets[usize::from(target)].table {
                    TargetTable::Table(table) => {
                        let database = table_use(self.unit, table).database;
                        self.exec.host.next_row_version(self.exec.task, database)?
                    }
                    TargetTable::Variable(_) => {
                        self.exec.host.next_row_version(self.exec.task, base::ids::DbId::TEMPDB)?
                    }
                };
                let slot = Slot::bytes(self.act.arena.alloc_bytes(&version));
                self.set(dst, slot);
            }
            Inst::Advance => {
                let task = self.exec.task;
                self.host().advance(task)?;
            }
            Inst::Retreat => self.host().retreat()?,
            Inst::KeepTransition { transition, inserted, list } => {
                let slots = registers(&self.act.slots).slots(self.unit.list(list));
                let transition = &mut self.outcome.transitions[usize::from(transition)];
                let table = match inserted {
                    true => &mut transition.inserted,
                    false => &mut transition.deleted,
                };
                // SAFETY: I1: one register per stored column of the table.
                unsafe { table.push_slots(slots, &mut self.exec.runtime.grant)? };
            }
            Inst::Violate { violation } => {
                let violation = &self.unit.violations[violation as usize];
                return Err(errors::violation(violation, self.exec.host));
            }
            Inst::Inform { message } => {
                let message = &self.unit.errors[message as usize];
                self.exec.writer.inform(self.exec.task, message)?;
            }
            Inst::Announce { result } => {
                let result = &self.unit.results[usize::from(result)];
                self.exec.writer.start(self.exec.task, result)?;
            }
            inst => return self.native(inst),
        }
        Ok(Flow::Next)
    }

    /// Updates a row.
    pub(super) fn update(
        &mut self,
        target: u16,
        row: Reg,
        bytes: Reg,
        status: Reg,
    ) -> SqlResult<()> {
        let result = self.write(target, row, Change::Update(bytes))?;
        self.set(status, Slot::int(result as i64));
        Ok(())
    }

    /// Deletes a row.
    pub(super) fn delete(&mut self, target: u16, row: Reg, status: Reg) -> SqlResult<()> {
        let result = self.write(target, row, Change::Delete)?;
        self.set(status, Slot::int(result as i64));
        Ok(())
    }

    /// Inserts the row whose bytes are in a register.
    pub(super) fn insert(
        &mut self,
        target: u16,
        bytes: Reg,
        row: Reg,
        ignored: Pc,
    ) -> SqlResult<Flow> {
        let site = &self.unit.targets[usize::from(target)];
        // SAFETY: I1: the register holds bytes, which stay where they are (U4) while a row is made
        // of them.
        let bytes = unsafe { self.slot(bytes).as_bytes() };
        match site.table {
            TargetTable::Table(table) => {
                let used = table_use(self.unit, table);
                self.insert_stored(site, used, NewRow::Bytes(bytes), row, ignored)
            }
            TargetTable::Variable(var) => self.insert_variable(site, var, bytes, row, ignored),
        }
    }

    /// Inserts the row that was built in the memory from [`Machine::reserve`].
    #[inline(always)]
    pub(super) fn insert_reserved(
        &mut self,
        target: u16,
        row: Reg,
        ignored: Pc,
    ) -> SqlResult<Flow> {
        let site = &self.unit.targets[usize::from(target)];
        let (TargetTable::Table(table), Some(space)) = (site.table, self.space.take()) else {
            return Err(ir::internal("a row has no place"));
        };
        let used = table_use(self.unit, table);
        self.insert_stored(site, used, NewRow::Space(space), row, ignored)
    }

    /// Takes zeroed memory for the next row of a target that is a table, and returns where its
    /// bytes go.
    pub(super) fn reserve(&mut self, target: u16, len: usize) -> SqlResult<*mut u8> {
        let unit = self.unit;
        let TargetTable::Table(table) = unit.targets[usize::from(target)].table else {
            return Err(ir::internal("a variable's rows are copied"));
        };
        let used = table_use(unit, table);
        let (task, host) = (self.exec.task, &mut *self.exec.host);
        let table = handle(used, host, task)?;
        match transaction(&mut self.lent, host, used)?.reserve_row(task, table, len) {
            Ok(space) => Ok(self.space.insert(space).bytes_mut().as_mut_ptr()),
            Err(error) => Err(errors::from_engine(&error, host, used)),
        }
    }

    #[inline(always)]
    fn insert_stored(
        &mut self,
        site: &TargetSite,
        used: &TableUse,
        mut new: NewRow<'_>,
        row: Reg,
        ignored: Pc,
    ) -> SqlResult<Flow> {
        let explicit = site.explicit_identity.map(|column| {
            let layout = &self.unit.layouts[usize::from(site.layout)];
            identity_of(layout.get(new.bytes(), column))
        });
        let (task, host) = (self.exec.task, &mut *self.exec.host);
        if let Some(Ok(value)) = explicit.map(i64::try_from) {
            let table = handle(used, host, task)?;
            host.note_identity(task, used.database, table, value)?;
        }
        let (table, snapshot, transaction) = changed(&mut self.lent, used, host, task)?;
        if site.loads && transaction.is_loading(table) {
            host.load(task, used, None, Some(new.bytes()))?;
            if explicit.is_some() {
                self.outcome.identity = explicit;
            }
            return Ok(Flow::Next);
        }
        let inserted = match new {
            NewRow::Bytes(bytes) => transaction.insert(task, table, &snapshot, bytes),
            NewRow::Space(space) => transaction.insert_reserved(task, table, &snapshot, space),
        }
        .map(row_slot);
        let outgrows = site.loads && transaction.outgrows(table);
        match inserted {
            Ok(inserted) => self.set(row, inserted),
            Err(TxnError::DuplicateKey { index, .. }) if site.looks_again == Some(index) => {
                return Ok(Flow::Jump(ignored));
            }
            Err(TxnError::DuplicateKey { index, .. })
                if site.ignore_duplicates.contains(&index) =>
            {
                self.inform_ignored()?;
                return Ok(Flow::Jump(ignored));
            }
            Err(error) => return Err(errors::from_engine(&error, host, used)),
        }
        if explicit.is_some() {
            self.outcome.identity = explicit;
        }
        if outgrows && self.lent.is_none() {
            self.exec.host.begin_load(task, used)?;
        }
        Ok(Flow::Next)
    }

    fn insert_variable(
        &mut self,
        site: &TargetSite,
        var: TableVarId,
        bytes: &[u8],
        row: Reg,
        ignored: Pc,
    ) -> SqlResult<Flow> {
        let layout = &self.unit.layouts[usize::from(site.layout)];
        match insert_local(self.exec, var, bytes)? {
            Ok(slot) => self.set(row, slot),
            Err(index) if site.ignore_duplicates.contains(&index) => {
                self.inform_ignored()?;
                return Ok(Flow::Jump(ignored));
            }
            Err(index) => {
                return Err(errors::duplicate_in_variable(self.unit, var, index, bytes, layout));
            }
        }
        if let Some(column) = site.explicit_identity {
            self.outcome.identity = Some(identity_of(layout.get(bytes, column)));
        }
        Ok(Flow::Next)
    }

    /// Tells the client that duplicates are ignored, once in a run.
    fn inform_ignored(&mut self) -> SqlResult<()> {
        if std::mem::replace(&mut self.told_ignored, true) {
            return Ok(());
        }
        let message = SqlError::new(&message::DUPLICATE_KEY_IGNORED, &[]);
        self.exec.writer.inform(self.exec.task, &message)
    }

    /// Updates a row, or deletes it.
    #[inline(always)]
    fn write(&mut self, target: u16, row: Reg, change: Change) -> SqlResult<WriteStatus> {
        if let Change::TakeAway(trace) = change {
            self.set(trace, Slot::int(TakenRow::NONE.to_number()));
        }
        let unit = self.unit;
        let site = &unit.targets[usize::from(target)];
        let regs = registers(&self.act.slots);
        let reg = match change {
            Change::Update(bytes) => Some(bytes),
            Change::Delete | Change::TakeAway(_) => None,
        };
        let bytes = reg.map(|reg| regs.bytes(reg));
        let mut trace = TakenRow::NONE;
        let slot = *regs.slot(row);
        match site.table {
            TargetTable::Table(table) => {
                let used = table_use(unit, table);
                let (task, host) = (self.exec.task, &mut *self.exec.host);
                let (table, snapshot, transaction) = changed(&mut self.lent, used, host, task)?;
                // SAFETY: the row was read from this table by the statement in progress (U4).
                let found = unsafe { row_ref(&slot, table) };
                if site.loads && transaction.is_loading(table) {
                    return self.write_to_successor(used, row, reg);
                }
                let written = match (bytes, change) {
                    (Some(bytes), _) if site.keeps_keys => {
                        transaction.update_in_place(task, &snapshot, found, bytes)
                    }
                    (Some(bytes), _) => transaction.update(task, &snapshot, found, bytes),
                    (None, Change::TakeAway(_)) => {
                        let taken = transaction.take_away(task, &snapshot, found);
                        taken.map(|(written, place)| {
                            trace = place;
                            written
                        })
                    }
                    (None, _) => transaction.delete(task, &snapshot, found),
                };
                let written = written.map(|written| written.map(row_slot));
                let outgrows = site.loads && written.is_ok() && transaction.outgrows(table);
                let host = &mut *self.exec.host;
                if outgrows && self.lent.is_none() {
                    host.begin_load(task, used)?;
                }
                if let (Change::TakeAway(reg), Ok(_)) = (change, &written) {
                    self.set(reg, Slot::int(trace.to_number()));
                }
                let host = &mut *self.exec.host;
                match written {
                    Ok(Written::Done(_)) => Ok(WriteStatus::Done),
                    Ok(Written::Newer(newer)) => {
                        self.set(row, newer);
                        Ok(WriteStatus::Newer)
                    }
                    Ok(Written::Gone) => Ok(WriteStatus::Gone),
                    Ok(Written::Repeated) => Ok(WriteStatus::Repeated),
                    Err(error) => Err(errors::from_engine(&error, host, used)),
                }
            }
            TargetTable::Variable(var) => {
                let exec = &mut *self.exec;
                let table =
                    own(exec.frame.table_mut(var)).ok_or_else(errors::read_only_variable)?;
                let id = RowId(slot.row_name() as u32);
                exec.runtime.grant.admit(bytes.map_or(0, <[u8]>::len))?;
                let changed = match bytes {
                    Some(bytes) => table.update(id, bytes),
                    None => table.delete(id),
                };
                table.settle(&mut exec.runtime.grant)?;
                match (changed, bytes) {
                    (Changed::Done, _) => Ok(WriteStatus::Done),
                    (Changed::Repeated, _) => Ok(WriteStatus::Repeated),
                    (Changed::Duplicate(duplicate), Some(bytes)) => {
                        let layout = &unit.layouts[usize::from(site.layout)];
                        let index = duplicate.index;
                        Err(errors::duplicate_in_variable(unit, var, index, bytes, layout))
                    }
                    (Changed::Gone | Changed::Duplicate(_), _) => Ok(WriteStatus::Gone),
                }
            }
        }
    }

    /// Inserts a row that was taken away.
    fn put_back(&mut self, target: u16, bytes: Reg, row: Reg, trace: Reg) -> SqlResult<()> {
        let unit = self.unit;
        let site = &unit.targets[usize::from(target)];
        let regs = registers(&self.act.slots);
        let trace = TakenRow::from_number(regs.slot(trace).as_int());
        let TargetTable::Table(table) = site.table else {
            return self.insert(target, bytes, row, Pc(0)).map(drop);
        };
        if trace == TakenRow::NONE {
            return self.insert(target, bytes, row, Pc(0)).map(drop);
        }
        let bytes = regs.bytes(bytes);
        let used = table_use(unit, table);
        let (task, host) = (self.exec.task, &mut *self.exec.host);
        let (table, snapshot, transaction) = changed(&mut self.lent, used, host, task)?;
        if site.loads && transaction.is_loading(table) {
            // The old row had gone before the load began.
            return host.load(task, used, None, Some(bytes));
        }
        let put = transaction.put_back(task, table, &snapshot, bytes, trace).map(row_slot);
        let outgrows = site.loads && put.is_ok() && transaction.outgrows(table);
        match put {
            Ok(put) => self.set(row, put),
            Err(error) => return Err(errors::from_engine(&error, host, used)),
        }
        if outgrows && self.lent.is_none() {
            self.exec.host.begin_load(task, used)?;
        }
        Ok(())
    }

    /// The error of a statement that loses a conflict with another transaction.
    #[cold]
    fn lost(&self, target: u16) -> SqlError {
        match self.unit.targets[usize::from(target)].table {
            TargetTable::Table(table) => {
                let used = table_use(self.unit, table);
                errors::from_engine(&TxnError::Deadlock, &*self.exec.host, used)
            }
            TargetTable::Variable(_) => ir::internal("others have changed a variable"),
        }
    }

    /// Updates a row, or deletes it, where the table is being loaded.
    #[cold]
    fn write_to_successor(
        &mut self,
        used: &TableUse,
        row: Reg,
        bytes: Option<Reg>,
    ) -> SqlResult<WriteStatus> {
        let regs = registers(&self.act.slots);
        let (slot, bytes) = (*regs.slot(row), bytes.map(|reg| regs.bytes(reg)));
        let (task, host) = (self.exec.task, &mut *self.exec.host);
        let (table, snapshot, transaction) = changed(&mut self.lent, used, host, task)?;
        // SAFETY: the row was read from this table by the statement in progress (U4).
        let found = unsafe { row_ref(&slot, table) };
        let looked = transaction.look_before_change(task, &snapshot, found);
        match looked.map(|written| written.map(row_slot)) {
            Ok(Written::Done(old)) => {
                // SAFETY: the row is one of the table's, and stays as long as the statement.
                let old = unsafe { table.layout().row_at(old.row_bytes()) };
                host.load(task, used, Some(old), bytes)?;
                Ok(WriteStatus::Done)
            }
            Ok(Written::Newer(newer)) => {
                self.set(row, newer);
                Ok(WriteStatus::Newer)
            }
            Ok(Written::Gone) => Ok(WriteStatus::Gone),
            Ok(Written::Repeated) => Ok(WriteStatus::Repeated),
            Err(error) => Err(errors::from_engine(&error, host, used)),
        }
    }

    /// The next value of a target's identity column.
    #[inline(always)]
    pub(super) fn identity(&mut self, dst: Reg, target: u16) -> SqlResult<()> {
        let site = &self.unit.targets[usize::from(target)];
        let Some(column) = &site.identity else {
            return Err(ir::internal("the target has no identity column"));
        };
        let value = match site.table {
            TargetTable::Table(table) => {
                let used = table_use(self.unit, table);
                let (task, host) = (self.exec.task, &mut *self.exec.host);
                let table = handle(used, host, task)?;
                let taken = transaction(&mut self.lent, host, used)?.next_identity(task, table);
                let value = match taken {
                    Ok(value) => value,
                    Err(error) => return Err(errors::from_engine(&error, host, used)),
                };
                if let Some(index) = column.hash_index {
                    prefetch_number(table, index, value);
                }
                value
            }
            TargetTable::Variable(var) => {
                let table = own(self.exec.frame.table_mut(var));
                let table = table.ok_or_else(errors::read_only_variable)?;
                table.next_identity().ok_or_else(|| errors::identity_overflow(column.ty))?
            }
        };
        if column.range.is_some_and(|(min, max)| value < min || value > max) {
            return Err(errors::identity_overflow(column.ty));
        }
        let slot = match self.unit.reg_type(dst) {
            RegType::I128 => Slot::wide(i128::from(value)),
            _ => Slot::int(value),
        };
        self.outcome.identity = Some(i128::from(value));
        self.set(dst, slot);
        Ok(())
    }

    /// The number of the transaction in change tracking.
    fn change_number(&mut self, dst: Reg, table: u16) -> SqlResult<()> {
        let used = table_use(self.unit, table);
        let (task, host) = (self.exec.task, &mut *self.exec.host);
        let commits = handle(used, host, task)?;
        let number = transaction(&mut self.lent, host, used)?.change_number(task, commits);
        match number {
            Ok(number) => self.set(dst, Slot::int(number)),
            Err(error) => return Err(errors::from_engine(&error, host, used)),
        }
        Ok(())
    }

    /// The place of the statement among those of its transaction.
    fn change_step(&mut self, dst: Reg, target: u16) -> SqlResult<()> {
        let TargetTable::Table(table) = self.unit.targets[usize::from(target)].table else {
            return Err(ir::internal("changes are kept in a table"));
        };
        let used = table_use(self.unit, table);
        let step = transaction(&mut self.lent, &mut *self.exec.host, used)?.change_step();
        self.set(dst, Slot::int(step));
        Ok(())
    }

    #[inline(always)]
    pub(super) fn begin_statement(&mut self, statement: u32) -> SqlResult<()> {
        self.end_local(true);
        self.open_bracket(statement)?;
        self.begin_local();
        Ok(())
    }

    #[inline(always)]
    pub(super) fn end_statement(&mut self, statement: u32) -> SqlResult<()> {
        self.end_local(true);
        if !self.unit.transitions.is_empty() {
            self.fire_triggers(statement)?;
        }
        self.close_bracket(statement)?;
        self.outcome.begin_statement();
        if !self.unit.transitions.is_empty() {
            self.begin_transitions();
        }
        Ok(())
    }

    #[cold]
    fn fire_triggers(&mut self, statement: u32) -> SqlResult<()> {
        let site = &self.unit.statements[statement as usize];
        if site.transitions.is_empty() {
            return Ok(());
        }
        self.give_back();
        let (task, exec) = (self.exec.task, &mut *self.exec);
        let call = TriggerCall {
            unit: self.unit,
            statement: site,
            transitions: std::mem::take(&mut self.outcome.transitions),
            writer: exec.writer,
            runtime: exec.runtime,
        };
        exec.host.fire_triggers(task, call)
    }

    /// Instructions of native modules.
    fn native(&mut self, inst: Inst) -> SqlResult<Flow> {
        let task = self.exec.task;
        match inst {
            Inst::BeginStatement { statement } => self.begin_statement(statement)?,
            Inst::EndStatement { statement } => self.end_statement(statement)?,
            Inst::BeginAtomic { depth } => self.host().begin_atomic(task, depth)?,
            Inst::EndAtomic { depth } => self.host().end_atomic(task, depth)?,
            Inst::CallModule { site } => {
                self.end_local(true);
                self.call_module(site)?;
            }
            Inst::Throw { number, message, state } => {
                return Err(self.thrown(number, message, state));
            }
            Inst::Rethrow => return Err(self.exec.host.caught()),
            Inst::EndCatch => self.exec.host.end_catch(),
            Inst::SetReturn { src } => {
                let ty = self.unit.returns.unwrap_or(base::SqlType::int());
                let value = self.kept(self.registers().value(src, &ty))?;
                self.outcome.returned = Some(value);
            }
            inst => unreachable!("{inst:?} is executed elsewhere"),
        }
        Ok(Flow::Next)
    }

    fn call_module(&mut self, site: u32) -> SqlResult<()> {
        self.give_back();
        let site = &self.unit.module_calls[site as usize];
        let regs = registers(&self.act.slots);
        let values: Vec<ValueRef<'_>> = (site.args.iter())
            .map(|arg| match arg {
                ModuleArg::Value(reg, ty) => regs.value(*reg, ty),
                _ => ValueRef::Null,
            })
            .collect();
        let exec = &mut *self.exec;
        let call = ModuleCall {
            site,
            values: &values,
            frame: exec.frame,
            writer: exec.writer,
            runtime: exec.runtime,
        };
        exec.host.call_module(exec.task, call)
    }

    fn thrown(&self, number: Reg, message: Reg, state: Reg) -> SqlError {
        let regs = self.registers();
        let number = i32::try_from(regs.slot(number).as_int()).unwrap_or(i32::MAX);
        let state = regs.slot(state).as_int().clamp(0, 255) as u8;
        let text = unicode_to_string(regs.bytes(message));
        SqlError::custom(number, 16, state, text)
    }
}

/// What is done to a row.
#[derive(Clone, Copy)]
enum Change {
    /// These bytes replace it.
    Update(Reg),
    Delete,
    /// The row is taken away, to be put back with other keys; this register notes where it was.
    TakeAway(Reg),
}

/// The bytes of a row that is to be inserted.
enum NewRow<'r> {
    /// Bytes that the engine copies.
    Bytes(&'r [u8]),
    /// Bytes that were built in the memory of the new row.
    Space(RowSpace<'r>),
}

impl NewRow<'_> {
    fn bytes(&mut self) -> &[u8] {
        match self {
            NewRow::Bytes(bytes) => bytes,
            NewRow::Space(space) => space.bytes_mut(),
        }
    }
}

/// What is needed to change an engine table.
#[inline]
fn changed<'u, 'h>(
    lent: &'h mut Option<Lent>,
    used: &'u TableUse,
    host: &'h mut dyn Host,
    task: &engine::wait::Task<'_>,
) -> SqlResult<(&'u Arc<Table>, Snapshot<'h>, &'h mut Transaction)> {
    let table = handle(used, host, task)?;
    let (options, purpose) = (ReadOptions::default(), ReadPurpose::Change);
    let reader = reader(lent, host, used, &options, purpose)?;
    Ok((table, reader.snapshot, reader.transaction))
}

/// Inserts a row into a table variable. Returns the row, or the index that refuses it.
fn insert_local(
    exec: &mut Execution<'_>,
    var: TableVarId,
    bytes: &[u8],
) -> SqlResult<Result<Slot, usize>> {
    let table = own(exec.frame.table_mut(var)).ok_or_else(errors::read_only_variable)?;
    exec.runtime.grant.admit(bytes.len())?;
    let inserted = table.insert(bytes).map_err(|d| d.index);
    table.settle(&mut exec.runtime.grant)?;
    Ok(inserted.map(|id| local_slot(table.current(id).as_ptr(), id)))
}

fn local_slot(bytes: *const u8, id: RowId) -> Slot {
    Slot::row(bytes, u64::from(id.0))
}

/// An explicit value of an identity column.
fn identity_of(value: ValueRef<'_>) -> i128 {
    match value {
        ValueRef::Int(v) => i128::from(v),
        ValueRef::Decimal(v) => v,
        _ => 0,
    }
}
