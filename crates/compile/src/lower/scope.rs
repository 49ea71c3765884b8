//! Where the columns of current rows are: in a register, or still in a row.
//!
//! A column of a stored row is loaded when it is first used, and once per row. A load in code that
//! runs only sometimes (a branch of `CASE`, the second half of `OR`) does not count outside it, so
//! lowering brackets such code with [`Lowering::enter`] and [`Lowering::leave`]: everything learned
//! in between is forgotten. What is learned is kept in a journal, newest last.

use base::SqlResult;
use engine::hot::row::Place;
use ir::inst::{Inst, LoadKind, NOT_NULL, Reg, RegType};
use ir::internal;
use ir::place::{load_kind, variable_place};

use crate::lower::Lowering;
use crate::lower::columns::ColumnType;
use crate::plan::expr::ColId;

/// A value in a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Val {
    /// Which register.
    pub reg: Reg,
    /// Whether it may be NULL here.
    pub nullable: bool,
}

impl Val {
    /// A value that is not NULL.
    pub fn new(reg: Reg) -> Val {
        Val { reg, nullable: false }
    }

    /// A value that may be NULL.
    pub fn nullable(reg: Reg) -> Val {
        Val { reg, nullable: true }
    }
}

/// Where a column is.
#[derive(Clone, Copy, Debug)]
pub enum Binding {
    /// In a register.
    Value(Val),
    /// In a row, not loaded yet.
    Stored {
        /// The row; NULL where an outer join found none.
        row: Val,
        /// Its layout.
        layout: u16,
        /// The column's place in the layout.
        column: u16,
        /// Whether the column may be NULL.
        nullable: bool,
    },
}

/// What has been learned since some moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment(usize);

/// The bindings in force, and how they came about.
#[derive(Debug, Default)]
pub struct Scope {
    bindings: std::collections::HashMap<ColId, Binding>,
    /// What each change replaced.
    journal: Vec<(ColId, Option<Binding>)>,
}

impl Scope {
    /// What a column is bound to.
    pub fn get(&self, col: ColId) -> Option<Binding> {
        self.bindings.get(&col).copied()
    }

    /// Binds a column.
    pub fn bind(&mut self, col: ColId, binding: Binding) {
        let old = self.bindings.insert(col, binding);
        self.journal.push((col, old));
    }

    /// Now.
    pub fn now(&self) -> Moment {
        Moment(self.journal.len())
    }

    /// Forgets what has been learned since.
    pub fn rewind(&mut self, to: Moment) {
        while self.journal.len() > to.0 {
            let (col, old) = self.journal.pop().expect("it is longer than `to`");
            match old {
                Some(binding) => self.bindings.insert(col, binding),
                None => self.bindings.remove(&col),
            };
        }
    }
}

impl Lowering {
    /// Code that runs only sometimes starts here.
    pub fn enter(&self) -> Moment {
        self.scope.now()
    }

    /// It ends here.
    pub fn leave(&mut self, moment: Moment) {
        self.scope.rewind(moment);
    }

    /// Binds a column to a register.
    pub fn bind(&mut self, col: ColId, val: Val) {
        self.scope.bind(col, Binding::Value(val));
    }

    /// The column's value in a register, loaded if it has not been.
    pub fn column(&mut self, col: ColId) -> SqlResult<Val> {
        let Some(binding) = self.scope.get(col) else {
            return Err(internal(&format!("column {} is used where it is not known", col.0)));
        };
        match binding {
            Binding::Value(val) => Ok(val),
            Binding::Stored { row, layout, column, nullable } => {
                let is_row = self.columns.ty(col) == ColumnType::Row;
                let val = self.load(row, layout, column, nullable, is_row);
                self.bind(col, val);
                Ok(val)
            }
        }
    }

    /// Columns in registers that nothing else uses, so that they can be given other rows' values.
    pub fn own_columns(&mut self, columns: &[ColId]) -> SqlResult<Vec<Val>> {
        columns.iter().map(|&col| self.own_column(col)).collect()
    }

    fn own_column(&mut self, col: ColId) -> SqlResult<Val> {
        match self.scope.get(col) {
            Some(Binding::Value(val)) => {
                let dst = self.b.reg(self.b.unit.reg_type(val.reg));
                self.b.emit(Inst::Move { dst, src: val.reg });
                let own = Val { reg: dst, nullable: val.nullable };
                self.bind(col, own);
                Ok(own)
            }
            _ => self.column(col),
        }
    }

    /// Loads a column if it is still in its row, because code that runs only sometimes will use it.
    pub fn touch(&mut self, col: ColId) -> SqlResult<()> {
        match self.scope.get(col) {
            Some(Binding::Stored { .. }) => self.column(col).map(drop),
            _ => Ok(()),
        }
    }

    /// Notes that a register is not NULL from here on.
    pub fn known(&mut self, col: ColId) {
        if let Some(Binding::Value(val)) = self.scope.get(col)
            && val.nullable
        {
            self.bind(col, Val::new(val.reg));
        }
    }

    /// Loads a column from a row.
    pub fn load(
        &mut self,
        row: Val,
        layout: u16,
        column: u16,
        nullable: bool,
        is_row: bool,
    ) -> Val {
        let ty = self.b.unit.layouts[usize::from(layout)].columns()[usize::from(column)].ty;
        let dst = if is_row { self.b.reg(RegType::Row) } else { self.b.reg_for(&ty) };
        let end = row.nullable.then(|| {
            let end = self.b.label();
            self.b.emit(Inst::Guard { dst, a: row.reg, to: end.pc() });
            end
        });
        let inst = self.load_inst(dst, row.reg, layout, column, nullable, is_row);
        self.b.emit(inst);
        if let Some(end) = end {
            self.b.place(end);
        }
        Val { reg: dst, nullable: nullable || row.nullable }
    }

    pub fn load_inst(
        &mut self,
        dst: Reg,
        row: Reg,
        layout: u16,
        column: u16,
        nullable: bool,
        is_row: bool,
    ) -> Inst {
        let layout = self.b.unit.layouts[usize::from(layout)].clone();
        let place = layout.columns()[usize::from(column)].place;
        let ty = layout.columns()[usize::from(column)].ty;
        let null_column = if nullable { column } else { NOT_NULL };
        match place {
            Place::Fixed { offset, width } => match load_kind(&ty, width) {
                _ if is_row => {
                    Inst::Load { kind: LoadKind::Row, dst, row, column: null_column, offset }
                }
                Some(kind) => Inst::Load { kind, dst, row, column: null_column, offset },
                None => {
                    let width = width as u16;
                    Inst::LoadFixed { dst, row, column: null_column, width, offset }
                }
            },
            Place::Variable { ordinal } => {
                let place = variable_place(&layout, ordinal);
                let places = &mut self.b.unit.places;
                let known = places.iter().position(|p| *p == place);
                let place = known.unwrap_or_else(|| {
                    places.push(place);
                    places.len() - 1
                }) as u32;
                Inst::LoadVariable { dst, row, column: null_column, place }
            }
        }
    }
}
