//! Statements that change rows.
//!
//! # The life of a changed row
//!
//! 1. The input yields it; its new columns are computed, those that depend on others last.
//! 2. NOT NULL and CHECK are tested.
//! 3. Its bytes are built and written. Another transaction may have been faster: then its version
//!    is looked at, and from 1 again.
//! 4. Foreign keys are looked up, cascades run, `OUTPUT` and triggers get their copies, the row is
//!    counted.
//!
//! What can only be judged when all rows are written (a reference to the same table, "no row refers
//! to this one any more") is noted in worktables and tested at the end, by code that sees what the
//! statement has done ([`Inst::Advance`]).

mod delete;
mod effects;
mod held;
mod insert;
mod merge;
mod update;
mod views;

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlType, TypeKind};
use engine::catalog::def::{ColumnDef, IndexDef, IndexKind, TableDef};
use ir::builder::Label;
use ir::inst::{Inst, Reg, RegType, int_range};
use ir::site::{AssignedColumn, IdentitySite, RowSite, Rule, TargetSite, TargetTable, Violation};

use crate::lower::Lowering;
use crate::lower::scope::{Binding, Val};
use crate::plan::expr::ColId;
use crate::plan::tree::{Access, Node, RowEffects, Scan, Source, Target};

pub use effects::{Deferred, OldRow};
pub use views::RowChange;

/// What a statement changes, and what the code needs to know about it.
#[derive(Clone)]
pub struct Changed {
    /// Its place among the unit's targets.
    pub id: u16,
    /// Its definition.
    pub table: Arc<TableDef>,
    /// The database, for messages.
    pub database: Option<DbId>,
    /// The layout of its rows.
    pub layout: u16,
    /// The stored columns: type, nullable, computed.
    pub columns: Vec<StoredColumn>,
    /// `INSERT`, `UPDATE`, `DELETE` or `MERGE`.
    pub word: &'static str,
    /// Triggers take the rows, nothing is written.
    pub instead: bool,
    /// What `UPDATE` sets of it, by layout position.
    pub set: Vec<usize>,
}

impl Changed {
    /// Whether a column of its rows may be NULL; the hidden row number after them may not.
    fn is_nullable(&self, at: usize) -> bool {
        self.columns.get(at).is_some_and(|column| column.nullable)
    }

    /// Whether `UPDATE` says itself what a column is, rather than that it follows from others.
    fn is_set(&self, at: usize) -> bool {
        let column = &self.columns[at];
        !column.computed && !column.generated && column.ty.kind != TypeKind::RowVersion
    }

    /// A column, by layout position, as messages about conversions name it.
    fn assigned_column(&self, at: usize) -> AssignedColumn {
        AssignedColumn {
            database: self.database,
            table: self.table.clone(),
            name: self.columns[at].name.clone(),
        }
    }
}

/// A column of a target as rows have it.
#[derive(Clone)]
pub struct StoredColumn {
    pub name: Arc<str>,
    pub ty: SqlType,
    pub nullable: bool,
    pub computed: bool,
    /// It belongs to the period.
    pub generated: bool,
    pub identity: bool,
}

impl Lowering {
    /// Makes a target of the unit.
    pub fn target(&mut self, target: &Target, effects: &RowEffects, word: &'static str) -> Changed {
        let (place, layout, table, database) = match target {
            Target::Table { database, table } => {
                let layout = self.table_layout(table);
                let place = TargetTable::Table(self.use_table(*database, table, true));
                (place, layout, table, Some(*database))
            }
            Target::TableVar(var, table) => {
                (TargetTable::Variable(*var), self.local_layout(table), table, None)
            }
            Target::Instead { database, table } => {
                return self.unwritten(*database, table, word);
            }
        };
        let columns = stored_columns(table);
        let definition = database.is_none().then(|| table.clone());
        let site = TargetSite {
            table: place,
            definition,
            ignore_duplicates: effects.ignore_duplicates.clone().into(),
            looks_again: None,
            identity: columns.iter().find(|c| c.identity).map(|c| IdentitySite {
                ty: c.ty,
                range: int_range(&c.ty),
                hash_index: identity_index(table),
            }),
            explicit_identity: None,
            keeps_keys: false,
            loads: false,
            layout,
        };
        let targets = &mut self.b.unit.targets;
        let id = targets.len();
        targets.push(site);
        let (id, table, set) = (id as u16, table.clone(), Vec::new());
        Changed { id, table, database, layout, columns, word, instead: false, set }
    }

    /// A target that nothing is written to: the unit has none for it.
    fn unwritten(&mut self, database: DbId, table: &Arc<TableDef>, word: &'static str) -> Changed {
        Changed {
            id: u16::MAX,
            layout: self.local_layout(table),
            columns: stored_columns(table),
            table: table.clone(),
            database: Some(database),
            word,
            instead: true,
            set: Vec::new(),
        }
    }

    /// Binds names of a target's columns to a row of it.
    pub fn bind_target(&mut self, target: &Changed, row: Reg, names: &[ColId]) {
        let columns = self.b.unit.layouts[usize::from(target.layout)].columns().len();
        for (column, &col) in names.iter().enumerate().take(columns) {
            let nullable = target.is_nullable(column);
            let (row, layout, column) = (Val::new(row), target.layout, column as u16);
            self.scope.bind(col, Binding::Stored { row, layout, column, nullable });
        }
    }

    /// Binds names of a target's columns to NULL.
    pub fn bind_nulls(&mut self, target: &Changed, names: &[ColId]) {
        for (column, &col) in target.columns.iter().zip(names) {
            let null = self.constant(&column.ty, &base::Value::Null);
            self.bind(col, null);
        }
    }

    /// Builds a row of a target from its columns' registers.
    pub fn build_row(&mut self, target: &Changed, values: &[Val]) -> Reg {
        let mut regs: Vec<Reg> = values.iter().map(|v| v.reg).collect();
        let columns = self.b.unit.layouts[usize::from(target.layout)].columns().len();
        if columns > regs.len() {
            // The hidden row number is left to the engine.
            regs.push(self.int(0));
        }
        let columns = self.b.list(&regs);
        self.b.unit.rows.push(RowSite { layout: target.layout, columns });
        let site = (self.b.unit.rows.len() - 1) as u32;
        let dst = self.b.reg(RegType::Bytes);
        self.b.emit(Inst::BuildRow { dst, site });
        dst
    }

    /// Raises that a row violates a rule.
    pub fn violate(&mut self, target: &Changed, rule: Rule) {
        self.b.unit.violations.push(Violation {
            statement: target.word,
            database: target.database,
            table: target.table.clone(),
            rule,
        });
        let violation = (self.b.unit.violations.len() - 1) as u32;
        self.b.emit(Inst::Violate { violation });
    }

    /// Counts a row, unless it is changed on behalf of another one.
    pub fn count(&mut self, counted: bool) {
        if let (true, Some(full)) = (counted && !self.counts_into, self.full) {
            self.b.emit(Inst::Count { full: full.pc() });
        }
    }

    /// Where a statement goes on that has counted as many rows as it may change.
    fn place_full(&mut self, counted: bool) {
        if let (true, Some(full)) = (counted, self.full) {
            self.b.place(full);
        }
    }

    /// Goes where the status of a write says.
    pub fn switch_status(
        &mut self,
        status: Reg,
        done: Label,
        newer: Label,
        gone: Label,
        repeated: Label,
    ) {
        self.b.switch(status, vec![done, newer, gone, repeated]);
    }
}

/// The columns of a table's rows.
fn stored_columns(table: &TableDef) -> Vec<StoredColumn> {
    let column = |c: &ColumnDef| StoredColumn {
        name: c.name.clone(),
        ty: c.ty,
        nullable: c.nullable,
        computed: c.computed.is_some(),
        generated: table.generated(c.id).is_some(),
        identity: c.identity.is_some(),
    };
    table.stored_columns().map(column).collect()
}

/// Whether a change of these columns, by layout position, touches a unique index.
pub fn touches_unique_key(target: &Changed, set: &[usize]) -> bool {
    touches_key(target, set, |index| index.unique)
}

/// Whether a row stands at the same place in every index after a change of these columns, by layout
/// position.
fn keeps_keys(target: &Changed, set: &[usize]) -> bool {
    let computed = |index: &IndexDef| {
        let key = index.key.iter().filter_map(|k| target.table.column_ordinal(k.column));
        key.into_iter().any(|at| target.table.columns[at].computed.is_some())
    };
    !touches_key(target, set, |_| true) && !target.table.indexes.iter().any(computed)
}

fn touches_key(target: &Changed, set: &[usize], which: impl Fn(&IndexDef) -> bool) -> bool {
    let position = |column| {
        let ordinal = target.table.column_ordinal(column)?;
        target.table.layout_position(ordinal)
    };
    (target.table.indexes.iter().filter(|i| which(i) && !i.disabled)).any(|index| {
        let filter = index.filter.iter().flat_map(|f| f.terms.iter().map(|t| t.column));
        let mut columns = index.key.iter().map(|k| k.column).chain(filter);
        columns.any(|c| position(c).is_some_and(|p| set.contains(&p)))
    })
}

/// Whether an input can yield one row at most: a look-up of a whole unique key.
pub fn yields_one_row(node: &Node) -> bool {
    match node {
        Node::Filter { input, .. } | Node::Compute { input, .. } | Node::Top { input, .. } => {
            yields_one_row(input)
        }
        Node::Scan(scan) => seeks_one(scan),
        _ => false,
    }
}

fn seeks_one(scan: &Scan) -> bool {
    let (Source::Table { table, .. } | Source::TableVar(_, table)) = &scan.source else {
        return false;
    };
    let whole = |index: usize, given: usize| {
        let index = &table.indexes[index];
        index.unique && !index.disabled && given == index.key.len()
    };
    match &scan.access {
        Access::Full | Access::Like { .. } => false,
        Access::RowNumber(_) | Access::Key { .. } => true,
        Access::Seek { index, key } => whole(*index, key.len()),
        Access::Range { index, prefix, .. } => whole(*index, prefix.len()),
    }
}

/// Whether changes of a target may go to a successor of its storage: nothing looks at what is
/// changed before the statement is over.
fn may_load(target: &Changed, effects: &RowEffects) -> bool {
    let (table, id) = (&target.table, target.table.id());
    let is_into = |into: &Target| matches!(into, Target::Table { table, .. } if table.id() == id);
    target.database.is_some()
        && !table.kind.is_memory_optimized()
        && !table.foreign_keys.iter().any(|key| key.referenced == id)
        && !effects.output_into.as_ref().is_some_and(|into| is_into(&into.target))
        && effects.ignore_duplicates.is_empty()
        && effects.views.is_empty()
        // A predicate may read the table.
        && effects.blocks.is_empty()
}

/// The unique hash index whose whole key is the identity column.
fn identity_index(table: &TableDef) -> Option<usize> {
    let (_, column) = table.identity_column()?;
    table.indexes.iter().position(|index| {
        let is_key = matches!(&index.key[..], [only] if only.column == column.id);
        is_key && index.kind == IndexKind::Hash && index.unique
    })
}
