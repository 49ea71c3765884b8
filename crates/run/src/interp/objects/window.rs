//! Window functions: all rows are collected and sorted by partition and order; then each function
//! is computed for each row.

use std::ops::Range;

use base::{Arena, SqlError, SqlResult, ValueRef, message};
use engine::hot::row::RowLayout;
use ir::function::{AggregateFunction, AggregateState, CallTypes};
use ir::key::ChargedKey;
use ir::object::{Frame, FrameBound, WindowDesc, WindowOp};
use ir::{RegType, Unit};

use crate::interp::machine::is_arithmetic;
use crate::interp::memory::{Charge, Grant, Memory, Piece};
use crate::interp::ops;
use crate::interp::registers::{Registers, Values};
use crate::interp::slot::Slot;

#[derive(Clone, Copy, Debug)]
struct Entry {
    partition: Piece,
    order: Piece,
    row: Piece,
}

/// See the module's header.
#[derive(Debug, Default)]
pub struct Window {
    memory: Memory,
    entries: Vec<Entry>,
    /// For each row, one per function. Bytes lie in `memory` or in `arena`.
    results: Vec<Slot>,
    arena: Arena,
    functions: usize,
    /// The row to return next; the current one is before it.
    at: usize,
    /// Whether an aggregate has left out a NULL: warning 8153.
    null_eliminated: bool,
    /// The error of a computation that gave NULL, where that does not end the statement.
    arithmetic_error: Option<SqlError>,
    key: ChargedKey,
    charge: Charge,
}

impl Window {
    /// Empties the window.
    pub fn clear(&mut self, grant: &mut Grant) {
        self.memory.clear();
        self.entries.clear();
        self.results.clear();
        self.arena.reset();
        self.at = 0;
        self.null_eliminated = false;
        self.arithmetic_error = None;
        self.charge.release(grant);
    }

    /// Whether an aggregate has left out a NULL since the last call.
    pub fn take_null_eliminated(&mut self) -> bool {
        std::mem::take(&mut self.null_eliminated)
    }

    /// The error of a computation that has given NULL since the last call, if there was one.
    pub fn take_arithmetic_error(&mut self) -> Option<SqlError> {
        self.arithmetic_error.take()
    }

    /// Adds a row.
    pub fn push(
        &mut self,
        unit: &Unit,
        desc: &WindowDesc,
        regs: Registers<'_>,
        grant: &mut Grant,
    ) -> SqlResult<()> {
        let account = grant.account();
        let keys = regs.order(&desc.partition.keys);
        desc.partition.shape.encode(&keys, &mut self.key, account)?;
        let partition = self.memory.keep_in(&self.key, account)?;
        let keys = regs.order(&desc.order.keys);
        desc.order.shape.encode(&keys, &mut self.key, account)?;
        let order = self.memory.keep_in(&self.key, account)?;
        let layout = &unit.layouts[usize::from(desc.layout)];
        // SAFETY: the descriptor has one register per column of its layout (U1).
        let row =
            unsafe { self.memory.keep_row(layout, regs.slots(unit.list(desc.row)), account)? };
        self.entries.push(Entry { partition, order, row });
        self.settle(desc, grant)
    }

    fn settle(&mut self, desc: &WindowDesc, grant: &mut Grant) -> SqlResult<()> {
        self.charge.settle(self.rows_bytes(desc) + self.arena.allocated_bytes(), grant)
    }

    /// Bytes of the rows and of results without what lies in the arena.
    fn rows_bytes(&self, desc: &WindowDesc) -> usize {
        let results = self.entries.capacity() * desc.functions.len() * size_of::<Slot>();
        let entries = self.entries.capacity() * size_of::<Entry>();
        self.memory.allocated() + entries + results
    }

    /// Sorts, computes, and positions before the first row.
    pub fn finish(&mut self, unit: &Unit, desc: &WindowDesc, grant: &mut Grant) -> SqlResult<()> {
        let memory = &self.memory;
        let keys = |e: &Entry| (memory.get(e.partition), memory.get(e.order));
        self.entries.sort_by(|a, b| keys(a).cmp(&keys(b)));
        self.at = 0;
        self.functions = desc.functions.len();
        self.results.clear();
        self.results.resize(self.entries.len() * self.functions, Slot::NULL);
        let layout = &unit.layouts[usize::from(desc.layout)];
        let rows_bytes = self.rows_bytes(desc);
        let mut start = 0;
        while start < self.entries.len() {
            let end =
                start + self.run(start, |a, b| memory_eq(&self.memory, a.partition, b.partition));
            for (function, f) in desc.functions.iter().enumerate() {
                let mut pass = Pass {
                    memory: &self.memory,
                    entries: &self.entries[start..end],
                    layout,
                    arena: &self.arena,
                    results: &mut self.results[start * self.functions..end * self.functions],
                    stride: self.functions,
                    function,
                    null_eliminated: &mut self.null_eliminated,
                    errors_are_null: unit.arithmetic_errors_are_null,
                    arithmetic_error: &mut self.arithmetic_error,
                    rows_bytes,
                    charge: &mut self.charge,
                    grant,
                };
                pass.compute(&f.kind)?;
            }
            start = end;
        }
        self.settle(desc, grant)
    }

    /// How many rows from `start` on are alike.
    fn run(&self, start: usize, alike: impl Fn(&Entry, &Entry) -> bool) -> usize {
        let first = &self.entries[start];
        self.entries[start..].iter().take_while(|e| alike(first, e)).count()
    }

    /// The next row.
    pub fn next_row(&mut self) -> Option<&[u8]> {
        let entry = self.entries.get(self.at)?;
        self.at += 1;
        Some(self.memory.get(entry.row))
    }

    /// The result of a function for the row that was returned last.
    pub fn result(&self, function: u16) -> Slot {
        self.results[(self.at - 1) * self.functions + usize::from(function)]
    }
}

fn memory_eq(memory: &Memory, a: Piece, b: Piece) -> bool {
    memory.get(a) == memory.get(b)
}

/// The rows of a partition that `IGNORE NULLS` counts.
struct WithValues {
    /// In order.
    rows: Vec<usize>,
    /// For each row, and for the end, how many of them come before it.
    before: Vec<usize>,
}

impl WithValues {
    fn at_or_after(&self, row: usize) -> Option<usize> {
        self.rows.get(self.before[row]).copied()
    }

    fn before(&self, row: usize) -> Option<usize> {
        self.before[row].checked_sub(1).map(|at| self.rows[at])
    }

    /// The row that comes `away` (at least 1) before or after another.
    fn shifted(&self, row: usize, away: usize, back: bool) -> Option<usize> {
        let at = match back {
            true => self.before[row].checked_sub(away),
            false => self.before[row + 1].checked_add(away - 1),
        };
        self.rows.get(at?).copied()
    }
}

/// One function over one partition.
struct Pass<'w> {
    memory: &'w Memory,
    entries: &'w [Entry],
    layout: &'w RowLayout,
    arena: &'w Arena,
    results: &'w mut [Slot],
    stride: usize,
    function: usize,
    null_eliminated: &'w mut bool,
    errors_are_null: bool,
    arithmetic_error: &'w mut Option<SqlError>,
    /// Bytes that are charged beside those of results.
    rows_bytes: usize,
    charge: &'w mut Charge,
    grant: &'w mut Grant,
}

impl<'w> Pass<'w> {
    fn set(&mut self, row: usize, slot: Slot) {
        self.results[row * self.stride + self.function] = slot;
    }

    fn column(&self, row: usize, column: u16) -> ValueRef<'w> {
        self.layout.get(self.memory.get(self.entries[row].row), usize::from(column))
    }

    fn are_peers(&self, a: usize, b: usize) -> bool {
        memory_eq(self.memory, self.entries[a].order, self.entries[b].order)
    }

    fn compute(&mut self, kind: &WindowOp) -> SqlResult<()> {
        let rows = self.entries.len();
        match kind {
            WindowOp::RowNumber => (0..rows).for_each(|r| self.set(r, Slot::int(r as i64 + 1))),
            WindowOp::Rank | WindowOp::DenseRank | WindowOp::PercentRank | WindowOp::CumeDist => {
                self.ranks(kind);
            }
            WindowOp::Ntile(column) => self.ntile(*column)?,
            WindowOp::Shift { value, offset, back, ignore_nulls, default } => {
                let counted = ignore_nulls.then(|| self.with_values(*value));
                self.shift(*value, *offset, *back, counted.as_ref(), *default)?;
            }
            WindowOp::Edge { value, last, ignore_nulls, frame } => {
                let counted = ignore_nulls.then(|| self.with_values(*value));
                self.edges(*value, *last, counted.as_ref(), frame);
            }
            WindowOp::Percentile { value, fraction, interpolates } => {
                self.percentile(*value, *fraction, *interpolates)?;
            }
            WindowOp::Aggregate { function, types, args, frame } => {
                self.aggregate(function, types, args, frame)?;
            }
        }
        Ok(())
    }

    /// For each row, the range of its peers.
    fn peer_groups(&self) -> Vec<Range<usize>> {
        let mut groups = Vec::with_capacity(self.entries.len());
        let mut start = 0;
        while start < self.entries.len() {
            let mut end = start + 1;
            while end < self.entries.len() && self.are_peers(start, end) {
                end += 1;
            }
            groups.extend((start..end).map(|_| start..end));
            start = end;
        }
        groups
    }

    fn ranks(&mut self, kind: &WindowOp) {
        let peers = self.peer_groups();
        let rows = peers.len();
        let mut dense = 0;
        for (row, group) in peers.into_iter().enumerate() {
            if row == group.start {
                dense += 1;
            }
            let slot = match kind {
                WindowOp::Rank => Slot::int(group.start as i64 + 1),
                WindowOp::DenseRank => Slot::int(dense),
                WindowOp::PercentRank if rows <= 1 => Slot::float(0.0),
                WindowOp::PercentRank => Slot::float(group.start as f64 / (rows - 1) as f64),
                _ => Slot::float(group.end as f64 / rows as f64),
            };
            self.set(row, slot);
        }
    }

    /// The first `rows % tiles` tiles have one row more.
    fn ntile(&mut self, column: u16) -> SqlResult<()> {
        let rows = self.entries.len() as i64;
        let tiles = match self.column(0, column) {
            ValueRef::Int(tiles) if tiles > 0 => tiles,
            _ => return Err(SqlError::new(&message::NTILE_NOT_POSITIVE, &[])),
        };
        let (size, larger) = (rows / tiles, rows % tiles);
        let in_larger = larger * (size + 1);
        for row in 0..rows {
            let tile = match row < in_larger {
                true => row / (size + 1),
                false => larger + (row - in_larger) / size.max(1),
            };
            self.set(row as usize, Slot::int(tile + 1));
        }
        Ok(())
    }

    /// Which rows have a value in a column.
    fn with_values(&self, column: u16) -> WithValues {
        let mut counted = WithValues { rows: Vec::new(), before: vec![0] };
        for row in 0..self.entries.len() {
            if !self.column(row, column).is_null() {
                counted.rows.push(row);
            }
            counted.before.push(counted.rows.len());
        }
        counted
    }

    /// `FIRST_VALUE` and `LAST_VALUE`; over the `counted` rows alone if they are given.
    fn edges(&mut self, value: u16, last: bool, counted: Option<&WithValues>, frame: &Frame) {
        let peers = self.peer_groups();
        for row in 0..self.entries.len() {
            let frame = self.frame(row, frame, &peers);
            let found = match (counted, last) {
                (None, false) => Some(frame.start),
                (None, true) => frame.end.checked_sub(1),
                (Some(counted), false) => counted.at_or_after(frame.start),
                (Some(counted), true) => counted.before(frame.end),
            };
            let slot = match found.filter(|found| frame.contains(found)) {
                Some(found) => Slot::from_value(self.column(found, value)),
                None => Slot::NULL,
            };
            self.set(row, slot);
        }
    }

    /// The value before which a part of the rows with values comes, or the one between two.
    fn percentile(&mut self, value: u16, fraction: u16, interpolates: bool) -> SqlResult<()> {
        let rows = self.with_values(value).rows;
        // Most often it is the same part for all rows.
        let mut known: Option<(f64, Slot)> = None;
        for row in 0..self.entries.len() {
            let part = match self.column(row, fraction) {
                ValueRef::Float(part) if (0.0..=1.0).contains(&part) => part,
                _ => return Err(SqlError::new(&message::PERCENTILE_OUT_OF_RANGE, &[])),
            };
            let slot = match known {
                Some((of, slot)) if of == part => slot,
                _ if rows.is_empty() => Slot::NULL,
                _ if interpolates => {
                    let place = part * (rows.len() - 1) as f64;
                    let (low, above) = (place.floor() as usize, place - place.floor());
                    let high = (low + 1).min(rows.len() - 1);
                    let at = |at: usize| match self.column(rows[at], value) {
                        ValueRef::Float(value) => value,
                        other => unreachable!("{other:?} was made a float"),
                    };
                    Slot::float((1.0 - above) * at(low) + above * at(high))
                }
                _ => {
                    let place = (part * rows.len() as f64).ceil() as usize;
                    Slot::from_value(self.column(rows[place.clamp(1, rows.len()) - 1], value))
                }
            };
            known = Some((part, slot));
            self.set(row, slot);
        }
        Ok(())
    }

    /// `LAG` and `LEAD`; over the `counted` rows alone if they are given.
    fn shift(
        &mut self,
        value: u16,
        offset: u16,
        back: bool,
        counted: Option<&WithValues>,
        default: Option<u16>,
    ) -> SqlResult<()> {
        for row in 0..self.entries.len() {
            let away = match self.column(row, offset) {
                ValueRef::Int(away) if away >= 0 => away as usize,
                ValueRef::Null => {
                    self.set(row, Slot::NULL);
                    continue;
                }
                _ => return Err(SqlError::new(&message::LAG_LEAD_NEGATIVE_OFFSET, &[])),
            };
            let other = match counted {
                Some(counted) if away > 0 => counted.shifted(row, away, back),
                _ if back => row.checked_sub(away),
                _ => row.checked_add(away),
            };
            let found = match other.filter(|o| *o < self.entries.len()) {
                Some(other) => self.column(other, value),
                None => default.map_or(ValueRef::Null, |column| self.column(row, column)),
            };
            self.set(row, Slot::from_value(found));
        }
        Ok(())
    }

    /// The rows of the frame around a row.
    fn frame(&self, row: usize, frame: &Frame, peers: &[Range<usize>]) -> Range<usize> {
        let rows = self.entries.len();
        let start = match frame.start {
            FrameBound::UnboundedPreceding => 0,
            FrameBound::Preceding(n) => row.saturating_sub(n as usize),
            FrameBound::CurrentRow if frame.rows => row,
            FrameBound::CurrentRow => peers[row].start,
            FrameBound::Following(n) => row.saturating_add(n as usize),
            FrameBound::UnboundedFollowing => rows,
        };
        let end = match frame.end {
            FrameBound::UnboundedPreceding => 0,
            FrameBound::Preceding(n) => (row + 1).saturating_sub(n as usize),
            FrameBound::CurrentRow if frame.rows => row + 1,
            FrameBound::CurrentRow => peers[row].end,
            FrameBound::Following(n) => row.saturating_add(n as usize).saturating_add(1),
            FrameBound::UnboundedFollowing => rows,
        };
        start.min(rows)..end.min(rows).max(start.min(rows))
    }

    /// An aggregate over frames. As a frame moves on, rows are added at its end and, where the
    /// aggregate can, removed at its start; else it is computed anew.
    fn aggregate(
        &mut self,
        function: &AggregateFunction,
        types: &CallTypes,
        args: &[u16],
        frame: &Frame,
    ) -> SqlResult<()> {
        let peers = self.peer_groups();
        let remove = function.remove.filter(|_| function.can_remove(types));
        let mut held = 0..0;
        let mut state = (function.init)(types);
        let mut result: Option<Slot> = None;
        for row in 0..self.entries.len() {
            let wanted = self.frame(row, frame, &peers);
            let usable = wanted.end >= held.end
                && (held.start..=held.end).contains(&wanted.start)
                && (wanted.start == held.start || remove.is_some());
            if !usable {
                state = (function.init)(types);
                held = wanted.start..wanted.start;
                result = None;
            }
            if let (Some(remove), true) = (remove, usable) {
                for out in held.start..wanted.start {
                    remove(&mut state, &self.args(out, args), types)?;
                    result = None;
                }
            }
            for new in held.end..wanted.end {
                self.add(function, &mut state, new, args, types)?;
                result = None;
            }
            held = wanted;
            if result.is_none() && state.collects() {
                // The state and its copy, which is the result.
                self.make_room(2 * state.heap_bytes())?;
            }
            let slot = match result {
                Some(slot) => slot,
                None => match (function.finish)(&state, types, self.arena) {
                    Ok(value) => ops::slot(value, RegType::of(&types.result), self.arena),
                    Err(error) if self.errors_are_null && is_arithmetic(&error) => {
                        *self.arithmetic_error = Some(error);
                        Slot::NULL
                    }
                    Err(error) => return Err(error),
                },
            };
            result = Some(slot);
            self.set(row, slot);
        }
        Ok(())
    }

    /// Charges the results so far, and this many bytes that come next.
    fn make_room(&mut self, more: usize) -> SqlResult<()> {
        let bytes = self.rows_bytes + self.arena.allocated_bytes() + more;
        self.charge.settle(bytes, self.grant)
    }

    fn args(&self, row: usize, args: &[u16]) -> Values<'w> {
        args.iter().map(|&column| self.column(row, column)).collect()
    }

    fn add(
        &mut self,
        function: &AggregateFunction,
        state: &mut AggregateState,
        row: usize,
        args: &[u16],
        types: &CallTypes,
    ) -> SqlResult<()> {
        let args = self.args(row, args);
        if function.warns_of_null && args.first().is_some_and(ValueRef::is_null) {
            *self.null_eliminated = true;
        }
        if types.result.is_max()
            && let Some(room) = state.room_for(args.iter().map(|a| a.byte_len()).sum())
        {
            self.make_room(room)?;
            state.make_room(room);
        }
        (function.add)(state, &args, types)
    }
}
