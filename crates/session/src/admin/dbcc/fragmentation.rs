//! `DBCC SHOWCONTIG`: how the trees of disk tables lie in their file, as
//! `sys.dm_db_index_physical_stats` has it.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, SqlType, Value, message};
use engine::catalog::def::{Permission, Securable, SecurableClass, TableDef, TableRole};
use engine::cold::table::TreeShape;
use engine::cold::tree::EXTENT_PAGES;
use run::interp::errors::of_database;
use tsql::ast::{self, Literal};

use super::{Shown, has_option, informs, word};
use crate::builtin::rows::{NAME, ResultSet, RowsetColumn, column, int, text};
use crate::context::Context;
use crate::ddl::shown_name;
use crate::fault::Run;
use crate::security;
use crate::sysview::server::physical::tree_shape;

/// A tree to look at.
struct Scanned {
    table: Arc<TableDef>,
    /// The place of its index in the definition; `None` for a heap's rows.
    place: Option<usize>,
}

impl Scanned {
    fn index(&self) -> i32 {
        self.place.map_or(0, |at| self.table.indexes[at].id.0)
    }

    fn has_rows(&self) -> bool {
        self.index() <= 1
    }

    /// That of a table's rows.
    fn base(table: &Arc<TableDef>) -> Scanned {
        let clustered = table.clustered_index().map(|index| index.id);
        let place = table.indexes.iter().position(|index| Some(index.id) == clustered);
        Scanned { table: table.clone(), place }
    }

    /// All of a table.
    fn all(table: &Arc<TableDef>) -> Vec<Scanned> {
        let heap = table.clustered_index().is_none().then_some(None);
        let places = heap.into_iter().chain((0..table.indexes.len()).map(Some));
        places.map(|place| Scanned { table: table.clone(), place }).collect()
    }
}

/// What is shown of a tree's leaves. Counts of extents, and what follows from them, are of leaves
/// that are on disk as they are.
struct Figures {
    pages: u64,
    rows: u64,
    record_bytes: f64,
    extents: u64,
    switches: u64,
    pages_per_extent: f64,
    free_bytes: f64,
    /// In per cent, as the others from here on.
    fullness: f64,
    density: f64,
    best: u64,
    actual: u64,
    out_of_order: f64,
    extents_out_of_order: f64,
}

impl Figures {
    fn of(shape: &TreeShape) -> Figures {
        let part = |part: u64, of: u64| if of == 0 { 0.0 } else { part as f64 / of as f64 };
        let best = shape.placed_pages.div_ceil(u64::from(EXTENT_PAGES));
        let actual = shape.extent_runs;
        Figures {
            pages: shape.leaf_pages,
            rows: shape.entries,
            record_bytes: part(shape.used_bytes, shape.entries),
            extents: shape.extents,
            switches: actual.saturating_sub(1),
            pages_per_extent: part(shape.placed_pages, shape.extents),
            free_bytes: part(shape.leaf_bytes.saturating_sub(shape.used_bytes), shape.leaf_pages),
            fullness: part(shape.used_bytes, shape.leaf_bytes) * 100.0,
            density: if actual == 0 { 100.0 } else { part(best, actual) * 100.0 },
            best,
            actual,
            out_of_order: part(shape.fragments.saturating_sub(1), shape.placed_pages) * 100.0,
            extents_out_of_order: part(shape.extent_breaks, actual) * 100.0,
        }
    }

    /// A row of `TABLERESULTS`. What takes reading leaves is NULL where they were not.
    fn row(&self, tree: &Scanned, read: bool) -> Vec<Value> {
        let number = |of: u64| int(i64::try_from(of).unwrap_or(i64::MAX));
        let where_read = |value: Value| if read { value } else { Value::Null };
        let index = tree.place.map(|at| &*tree.table.indexes[at].name);
        vec![
            text(Some(&shown_name(&tree.table.header.name))),
            int(tree.table.id().0),
            text(index),
            int(tree.index()),
            int(0),
            number(self.pages),
            where_read(number(self.rows)),
            Value::Null,
            Value::Null,
            where_read(Value::Float(self.record_bytes)),
            where_read(int(0)),
            where_read(number(self.extents)),
            number(self.switches),
            where_read(Value::Float(self.free_bytes)),
            where_read(Value::Float(self.fullness)),
            Value::Float(self.density),
            number(self.best),
            number(self.actual),
            Value::Float(self.out_of_order),
            where_read(Value::Float(self.extents_out_of_order)),
        ]
    }

    /// The lines of the report.
    fn lines(&self, read: bool) -> Vec<SqlError> {
        let percent = |of: f64| format!("{of:.2}");
        let density = percent(self.density);
        let density: [Shown; 4] = [&density, &"%", &self.best, &self.actual];
        let line = SqlError::new;
        let mut lines = vec![line(&message::DBCC_PAGES_SCANNED, &[&self.pages])];
        if read {
            lines.push(line(&message::DBCC_EXTENTS_SCANNED, &[&self.extents]));
        }
        lines.push(line(&message::DBCC_EXTENT_SWITCHES, &[&self.switches]));
        if read {
            let pages = format!("{:.1}", self.pages_per_extent);
            lines.push(line(&message::DBCC_PAGES_PER_EXTENT, &[&pages]));
        }
        lines.push(line(&message::DBCC_SCAN_DENSITY, &density));
        lines
            .push(line(&message::DBCC_LOGICAL_FRAGMENTATION, &[&percent(self.out_of_order), &"%"]));
        if read {
            lines.extend([
                line(
                    &message::DBCC_EXTENT_FRAGMENTATION,
                    &[&percent(self.extents_out_of_order), &"%"],
                ),
                line(&message::DBCC_BYTES_FREE, &[&format!("{:.1}", self.free_bytes)]),
                line(&message::DBCC_PAGE_DENSITY, &[&percent(self.fullness), &"%"]),
            ]);
        }
        lines
    }
}

impl Context<'_> {
    /// `SHOWCONTIG [(table [, index])]`: of a table the tree of its rows, one index, or all. Errors
    /// 229, 2501, 2560, 2571, 2583, 7999.
    pub(super) fn show_fragmentation(&mut self, dbcc: &ast::Dbcc) -> Run<()> {
        const COLUMNS: [RowsetColumn; 20] = {
            const INT: SqlType = SqlType::int();
            const BIG: SqlType = SqlType::bigint();
            const FLOAT: SqlType = SqlType::float();
            [
                column("ObjectName", NAME, true),
                column("ObjectId", INT, true),
                column("IndexName", NAME, true),
                column("IndexId", INT, true),
                column("Level", INT, true),
                column("Pages", BIG, true),
                column("Rows", BIG, true),
                column("MinimumRecordSize", INT, true),
                column("MaximumRecordSize", INT, true),
                column("AverageRecordSize", FLOAT, true),
                column("ForwardedRecords", BIG, true),
                column("Extents", BIG, true),
                column("ExtentSwitches", BIG, true),
                column("AverageFreeBytes", FLOAT, true),
                column("AveragePageDensity", FLOAT, true),
                column("ScanDensity", FLOAT, true),
                column("BestCount", BIG, true),
                column("ActualCount", BIG, true),
                column("LogicalFragmentation", FLOAT, true),
                column("ExtentFragmentation", FLOAT, true),
            ]
        };
        let (database, trees) = self.trees_to_scan(dbcc)?;
        let catalog = self.catalog(database)?;
        let is_table = has_option(dbcc, "TABLERESULTS");
        let mut rows = Vec::new();
        for tree in &trees {
            self.check_interrupt()?;
            // What is dropped or rebuilt meanwhile is left out; memory-optimized tables have no
            // pages.
            let Some(stored) = catalog.table(&tree.table) else { continue };
            // Heaps are always read.
            let read = !has_option(dbcc, "FAST") || tree.place.is_none();
            let shape = tree_shape(&stored, tree.place, read, self.task);
            let shape = shape.map_err(|error| of_database(&error, database))?;
            let figures = Figures::of(&shape);
            if is_table {
                rows.push(figures.row(tree, read));
            } else if informs(dbcc) {
                self.tell_tree(database, tree)?;
                figures.lines(read).into_iter().try_for_each(|line| self.tell(line))?;
            }
        }
        match is_table {
            true => Ok(ResultSet::new(&COLUMNS).send(self, &rows)?),
            false => Ok(()),
        }
    }

    /// The trees that the arguments and options name.
    fn trees_to_scan(&self, dbcc: &ast::Dbcc) -> Run<(DbId, Vec<Scanned>)> {
        let every_index = has_option(dbcc, "ALL_INDEXES");
        let of_table = |table: &Arc<TableDef>| match every_index {
            true => Scanned::all(table),
            false => vec![Scanned::base(table)],
        };
        let has_pages = |table: &TableDef| !table.kind.is_memory_optimized();
        if dbcc.arguments.len() > 2 {
            return Err(SqlError::new(&message::DBCC_PARAMETER_COUNT, &[]).into());
        }
        let Some(first) = dbcc.arguments.first() else {
            let database = self.database();
            if !self.may(database, security::WHOLE_DATABASE, Permission::Alter) {
                self.demand_owner(database, "SHOWCONTIG")?;
            }
            let schema = self.schema(database)?;
            let tables = schema.tables().filter(|table| table.role == TableRole::Table);
            let tables = tables.filter(|table| has_pages(table));
            return Ok((database, tables.flat_map(of_table).collect()));
        };
        let (database, table) = self.dbcc_table(Some(first))?;
        let target = Securable { class: SecurableClass::Object, major: table.id().0, minor: 0 };
        if !self.may(database, target, Permission::Alter) {
            return Err(self.denied_for_dbcc(database, &table)?.into());
        }
        let asked = match dbcc.arguments.get(1) {
            Some(index) => Some(self.tree_of(database, &table, index)?),
            None => None,
        };
        let trees = match asked {
            _ if !has_pages(&table) => Vec::new(),
            Some(tree) if !every_index => vec![tree],
            _ => of_table(&table),
        };
        Ok((database, trees))
    }

    /// The tree of the index that an argument names, or whose id it is; 0 stands for that of the
    /// rows. Error 7999.
    fn tree_of(&self, database: DbId, table: &Arc<TableDef>, index: &ast::Expr) -> Run<Scanned> {
        let schema = self.schema(database)?;
        let name = word(index);
        let place = match index.kind {
            ast::ExprKind::Literal(Literal::Integer(0)) => return Ok(Scanned::base(table)),
            ast::ExprKind::Literal(Literal::Integer(id)) => {
                table.indexes.iter().position(|own| own.id.0 == id)
            }
            _ => table.indexes.iter().position(|own| schema.same_name(&own.name, &name)),
        };
        let args: [Shown; 2] = [&name, &table.header.name];
        let unknown = || SqlError::new(&message::INDEX_DOES_NOT_EXIST_ON, &args);
        Ok(Scanned { table: table.clone(), place: Some(place.ok_or_else(unknown)?) })
    }

    /// Error 229, about a permission that cannot be granted but follows from `ALTER`.
    fn denied_for_dbcc(&self, database: DbId, table: &TableDef) -> Run<SqlError> {
        let schema = self.schema(database)?;
        let place = schema.schemas().get(table.header.schema).map_or("", |place| &place.name);
        let name = self.session.instance.database_name(database);
        let args: [Shown; 4] = [&"DBCC", &table.header.name, &name, &place];
        Ok(SqlError::new(&message::OBJECT_PERMISSION_DENIED, &args))
    }

    /// The lines that say which tree is shown.
    fn tell_tree(&mut self, database: DbId, tree: &Scanned) -> Run<()> {
        let name = shown_name(&tree.table.header.name);
        let scanning: [Shown; 2] = [&"SHOWCONTIG", &name];
        self.tell(SqlError::new(&message::DBCC_SCANNING, &scanning))?;
        let which: [Shown; 4] = [&name, &tree.table.id(), &tree.index(), &database.0];
        self.tell(SqlError::new(&message::DBCC_TABLE_SCANNED, &which))?;
        let level = if tree.has_rows() { "TABLE" } else { "LEAF" };
        self.tell(SqlError::new(&message::DBCC_LEVEL_SCANNED, &[&level]))
    }
}

#[cfg(test)]
mod tests;
