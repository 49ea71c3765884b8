//! Scans: loops over tables, local tables and rowset functions.

use std::sync::{Arc, OnceLock};

use base::ids::DbId;
use base::{SqlResult, SqlType};
use engine::catalog::def::TableDef;
use ir::function::{Memo, RowsetFunction, RowsetRows};
use ir::inst::{Inst, Reg};
use ir::object::{
    AccessDesc, CursorDesc, KeyPart, LocalCursorDesc, LocalSource, NextColumn, ObjId, ObjectDesc,
    ReadPurpose, StreamDesc, WorkDesc,
};
use ir::place::engine_layout;
use ir::site::RowsetSite;
use ir::unit::TableUse;

use crate::lower::columns::{source_columns, uses_in_expr};
use crate::lower::expr::{NullTo, UserArgs};
use crate::lower::scope::{Binding, Val};
use crate::lower::{Consume, Lowering};
use crate::plan::expr::Expr;
use crate::plan::tree::{Access, Bound, Scan, Source, ordered_index};

impl Lowering {
    /// A scan's loop.
    pub fn scan(&mut self, scan: &Scan, consume: Consume<'_>) -> SqlResult<()> {
        self.scan_or_count(scan, None, consume)
    }

    /// A scan's loop; or, if its rows are only counted, for the current one of these groups, what
    /// does so at once.
    pub fn scan_or_count(
        &mut self,
        scan: &Scan,
        counts: Option<ObjId>,
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let counts = counts.filter(|_| scan.residual.is_none());
        let outside = self.enter();
        let end = self.b.label();
        let types = source_columns(&scan.source);
        match &scan.source {
            Source::Table { database, table } => {
                let layout = self.table_layout(table);
                let use_ = self.use_table(*database, table, false);
                let access = self.access(scan, NullTo { dst: None, label: end })?;
                let change = scan.row.map(|row| match self.merged == Some(row) {
                    true => ReadPurpose::Merge,
                    false => ReadPurpose::Change,
                });
                let purpose = self.purpose.or(change).unwrap_or(ReadPurpose::Query);
                let options = scan.options;
                // In a loop it is opened again while rows of it may still be looked at.
                let fleeting = self.loops == 0 && scan.row.is_none();
                let unread = false;
                let desc = CursorDesc { table: use_, access, options, purpose, unread, fleeting };
                let finds_one = desc.finds_one(table) && desc.reads_only();
                let cursor = self.b.object(ObjectDesc::Cursor(desc));
                let body =
                    &mut |l: &mut Lowering, row| l.scanned(scan, &types, layout, row, consume);
                if finds_one {
                    self.one_row(|row, mark, done| Inst::Find { cursor, row, mark, done }, body)?;
                } else if let Some(groups) = counts {
                    self.b.emit(Inst::Open { cursor });
                    self.b.emit(Inst::GroupCount { groups, cursor });
                } else {
                    self.b.emit(Inst::Open { cursor });
                    let next = |row, mark, done| Inst::Next { cursor, row, mark, done };
                    self.loop_rows(next, body)?;
                }
            }
            Source::Function(RowsetFunction { rows: RowsetRows::Series, .. }, args) => {
                self.series(scan, args, consume)?;
            }
            Source::Stream(source, table) => {
                let layout = self.local_layout(table);
                let desc = StreamDesc { source: source.clone(), layout };
                let stream = self.b.object(ObjectDesc::Stream(desc));
                self.b.emit(Inst::StreamOpen { stream });
                let next = |row, mark, done| Inst::StreamNext { stream, row, mark, done };
                self.loop_rows(next, &mut |l, row| l.scanned(scan, &types, layout, row, consume))?;
            }
            source => {
                let (source, layout) = self.local_source(source)?;
                let access = self.access(scan, NullTo { dst: None, label: end })?;
                let desc = LocalCursorDesc { source, access };
                let cursor = self.b.object(ObjectDesc::LocalCursor(desc));
                self.b.emit(Inst::LocalOpen { cursor });
                let next = |row, mark, done| Inst::LocalNext { cursor, row, mark, done };
                self.loop_rows(next, &mut |l, row| l.scanned(scan, &types, layout, row, consume))?;
            }
        }
        self.leave(outside);
        self.b.place(end);
        Ok(())
    }

    /// The body of a scan's loop.
    fn scanned(
        &mut self,
        scan: &Scan,
        types: &[(SqlType, bool)],
        layout: u16,
        row: Reg,
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let row = Val::new(row);
        for &(column, col) in &scan.columns {
            let nullable = types[column].1;
            let column = column as u16;
            self.scope.bind(col, Binding::Stored { row, layout, column, nullable });
        }
        if let Some(col) = scan.row {
            self.bind(col, row);
        }
        self.passed(scan, consume)
    }

    /// What becomes of a row whose columns are bound.
    pub fn passed(&mut self, scan: &Scan, consume: Consume<'_>) -> SqlResult<()> {
        let skip = self.b.label();
        if let Some(residual) = &scan.residual {
            self.unless_jump(residual, skip)?;
        }
        consume(self)?;
        self.b.place(skip);
        Ok(())
    }

    /// The unit's table for a definition.
    pub fn use_table(&mut self, database: DbId, table: &Arc<TableDef>, changed: bool) -> u16 {
        let same = |t: &TableUse| t.database == database && Arc::ptr_eq(&t.table, table);
        let tables = &mut self.b.unit.tables;
        let at = tables.iter().position(same).unwrap_or_else(|| {
            let handle = OnceLock::new();
            tables.push(TableUse { database, table: table.clone(), changed: false, handle });
            tables.len() - 1
        });
        tables[at].changed |= changed;
        at as u16
    }

    /// The layout of an engine table's rows.
    pub fn table_layout(&mut self, table: &TableDef) -> u16 {
        let layout = engine_layout(table);
        match self.b.unit.layouts.iter().position(|known| **known == layout) {
            Some(known) => known as u16,
            None => self.b.layout(&Arc::new(layout)),
        }
    }

    /// The layout of a local table's rows.
    pub fn local_layout(&mut self, table: &TableDef) -> u16 {
        let types: Vec<SqlType> = table.stored_columns().map(|c| c.ty).collect();
        self.b.layout_of(&types)
    }

    fn local_source(&mut self, source: &Source) -> SqlResult<(LocalSource, u16)> {
        Ok(match source {
            Source::Table { .. } | Source::Stream(..) => unreachable!("scan() has it"),
            Source::TableVar(var, table) => (LocalSource::Variable(*var), self.local_layout(table)),
            Source::Transition(inserted, table) => {
                (LocalSource::Transition(*inserted), self.local_layout(table))
            }
            Source::System(database, view) => {
                let types: Vec<SqlType> = view.columns.iter().map(|c| c.ty).collect();
                let (work, layout) = self.rowset_work(&types);
                self.fill(work, RowsetSite::System(*database, *view), true);
                (LocalSource::Work(work), layout)
            }
            Source::Function(function, args) => {
                let RowsetRows::Filled(fill) = function.rows else { unreachable!("scan() has it") };
                let given: Vec<SqlType> = args.iter().map(|a| a.ty).collect();
                let types: Vec<SqlType> = (function.columns)(&given).iter().map(|c| c.ty).collect();
                let (work, layout) = self.rowset_work(&types);
                let mut regs = Vec::with_capacity(args.len());
                for arg in args {
                    regs.push(self.expr(arg)?.reg);
                }
                let once = !uses_columns(args.iter());
                let list = self.b.list(&regs);
                let types = given.into();
                let (name, memo) = (function.name, Memo::default());
                let site = RowsetSite::Function { name, fill, args: list, types, memo };
                self.fill(work, site, once);
                (LocalSource::Work(work), layout)
            }
            Source::UserFunction(function, args, table) => {
                let layout = self.local_layout(table);
                let work = self.b.object(ObjectDesc::Work(WorkDesc { layout }));
                let once = !uses_columns(args.iter().flatten());
                let UserArgs { regs: args, types } = self.optional_args(args)?;
                self.fill(work, RowsetSite::User { function: *function, args, types }, once);
                (LocalSource::Work(work), layout)
            }
        })
    }

    fn rowset_work(&mut self, types: &[SqlType]) -> (ObjId, u16) {
        let layout = self.b.layout_of(types);
        (self.b.object(ObjectDesc::Work(WorkDesc { layout })), layout)
    }

    /// Fills a worktable, `once` per statement or each time.
    fn fill(&mut self, work: ObjId, site: RowsetSite, once: bool) {
        self.b.unit.rowsets.push(site);
        let site = (self.b.unit.rowsets.len() - 1) as u32;
        if once {
            let once = self.once();
            self.b.emit(Inst::FillRowset { work, site });
            self.once_done(once);
        } else {
            self.b.emit(Inst::FillRowset { work, site });
        }
    }

    /// How rows are found. A NULL key or bound finds none, unless it is of [`Access::Key`].
    fn access(&mut self, scan: &Scan, null: NullTo) -> SqlResult<AccessDesc> {
        Ok(match &scan.access {
            Access::Full => AccessDesc::Full { index: whole_index(&scan.source) },
            Access::Seek { index, key } => {
                AccessDesc::Seek { index: *index, key: self.keys(key, null)? }
            }
            Access::Key { index, key } => {
                let mut parts = Vec::with_capacity(key.len());
                for expr in key {
                    parts.push(KeyPart { reg: self.expr(expr)?.reg, ty: expr.ty });
                }
                AccessDesc::Key { index: *index, key: parts.into() }
            }
            Access::RowNumber(number) => AccessDesc::Seek {
                index: row_number_index(&scan.source),
                key: self.keys(std::slice::from_ref(number), null)?,
            },
            Access::Like { index, prefix, pattern } => AccessDesc::Like {
                index: *index,
                prefix: self.keys(prefix, null)?,
                pattern: self.key(pattern, null)?,
            },
            // Only bytes are compared: what a seek and a range of one key find is the same.
            Access::Range { index, prefix, .. } if is_whole_key(&scan.source, *index, prefix) => {
                AccessDesc::Seek { index: *index, key: self.keys(prefix, null)? }
            }
            Access::Range { index, prefix, lower, upper, backward } => AccessDesc::Range {
                index: *index,
                prefix: self.keys(prefix, null)?,
                next: next_column(&scan.source, *index, prefix.len()),
                lower: self.bound(lower.as_ref(), null)?,
                upper: self.bound(upper.as_ref(), null)?,
                backward: *backward,
            },
        })
    }

    fn key(&mut self, expr: &Expr, null: NullTo) -> SqlResult<KeyPart> {
        Ok(KeyPart { reg: self.strict(expr, null)?, ty: expr.ty })
    }

    fn keys(&mut self, key: &[Expr], null: NullTo) -> SqlResult<Box<[KeyPart]>> {
        key.iter().map(|e| self.key(e, null)).collect()
    }

    fn bound(&mut self, bound: Option<&Bound>, null: NullTo) -> SqlResult<Option<(KeyPart, bool)>> {
        bound.map(|b| Ok((self.key(&b.value, null)?, b.inclusive))).transpose()
    }
}

/// The index by which all rows of an engine table that is in memory are read.
fn whole_index(source: &Source) -> Option<usize> {
    match source {
        Source::Table { table, .. } => ordered_index(table),
        _ => None,
    }
}

/// The index of hidden row numbers: the engine puts it after those of the definition.
fn row_number_index(source: &Source) -> usize {
    match source {
        Source::Table { table, .. } => table.indexes.len(),
        _ => unreachable!("only tables of the engine have row numbers"),
    }
}

/// Whether this many values are the whole key of a table's unique index.
fn is_whole_key(source: &Source, index: usize, prefix: &[Expr]) -> bool {
    let Source::Table { table, .. } = source else { return false };
    let index = &table.indexes[index];
    index.unique && index.key.len() == prefix.len()
}

/// The key column after a prefix.
fn next_column(source: &Source, index: usize, prefix: usize) -> NextColumn {
    let (Source::Table { table, .. } | Source::TableVar(_, table)) = source else {
        return NextColumn::default();
    };
    let Some(key) = table.indexes[index].key.get(prefix) else { return NextColumn::default() };
    let nullable = table.column(key.column).is_some_and(|c| c.nullable);
    NextColumn { descending: key.descending, nullable }
}

/// Whether expressions use columns of current rows.
fn uses_columns<'e>(exprs: impl Iterator<Item = &'e Expr>) -> bool {
    let mut uses = false;
    exprs.for_each(|e| uses_in_expr(e, &mut |_| uses = true));
    uses
}
