//! `DBCC CHECKTABLE`, `CHECKDB`, `CHECKALLOC`, `CHECKCATALOG`.
//!
//! A table is right if its pages can be read, its rows can be taken apart and its indexes hold
//! exactly its rows; a catalog, if the schema is what its rows say; a file, if all that its last
//! root reaches is what was written there, which also finds what lies below pages that are lost. A
//! row may be in memory, in a page, or in both: errors about rows name page (0:0), and pages are
//! counted as `sp_spaceused` counts data.

use std::collections::HashSet;
use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, message};
use engine::catalog::def::{
    Permission, SchemaId, Securable, SecurableClass, TableDef, TableRole, UserAccess,
};
use engine::cold::{DurablePages, LostImage, Place};
use engine::hot::table::Table;
use engine::hot::visibility::Isolation;
use engine::txn::{LostPage, ReadAt, TableCheck, TableFault, TxnError, TxnResult};
use run::interp::errors::of_database;
use tsql::{ast, quote_identifier};

use super::constraints::Place as TablePlace;
use super::{Shown, informs, word};
use crate::context::Context;
use crate::fault::Run;
use crate::names::callee::parse_name;
use crate::sysview::catalog::space::data_pages;

/// Bytes of a page.
const PAGE: u64 = 8192;
/// At most this many lost pages are reported: with more of them the device is broken.
const LOST_MAX: usize = 10_000;

/// How many errors a table or database has.
#[derive(Clone, Copy, Default)]
pub(super) struct Errors {
    pub(super) allocation: u64,
    pub(super) consistency: u64,
}

impl Context<'_> {
    /// `CHECKTABLE`, with the entries of XML and spatial indexes. Errors 2501, 2571, 7919.
    pub(super) fn check_one_table(&mut self, dbcc: &ast::Dbcc) -> Run<()> {
        let (database, table) = match self.view_rows(dbcc.arguments.first())? {
            Some(found) => found,
            None => self.dbcc_table(dbcc.arguments.first())?,
        };
        self.refuse_repair(database, dbcc)?;
        let (class, id) = (SecurableClass::Object, table.indexed_id());
        let target = Securable { class, major: id.0, minor: 0 };
        if !self.may(database, target, Permission::Alter) {
            self.demand_owner(database, "CHECKTABLE")?;
        }
        let schema = self.schema(database)?;
        let own = table.derived_indexes.iter().filter(|index| index.kind.has_entries());
        let entries: Vec<Arc<TableDef>> =
            own.filter_map(|index| schema.table(index.nodes).cloned()).collect();
        for table in std::iter::once(table.clone()).chain(entries) {
            let Some(stored) = self.catalog(database)?.table(&table) else { continue };
            let checked = self.check_rows(database, &stored)?;
            let checked = checked.map_err(|error| of_database(&error, database))?;
            let name = self.table_shown(database, &table)?;
            self.tell_table(dbcc, &name, &table, &stored, &checked)?;
            self.report_faults("CHECKTABLE", &name, &table, &checked)?;
        }
        self.check_view("CHECKTABLE", database, &table)?;
        for id in &table.indexed_views {
            let rows = self.schema(database)?.table(*id).cloned();
            rows.map_or(Ok(0), |rows| self.check_view("CHECKTABLE", database, &rows))?;
        }
        Ok(())
    }

    /// The rows of the indexed view that an argument names.
    fn view_rows(&self, argument: Option<&ast::Expr>) -> Run<Option<(DbId, Arc<TableDef>)>> {
        let Some(argument) = argument else { return Ok(None) };
        let found = match argument.kind {
            ast::ExprKind::Literal(ast::Literal::Integer(id)) => {
                Some((self.database(), ObjectId(id)))
            }
            _ => match parse_name(&word(argument)) {
                Ok(name) if !name.name.name.starts_with('#') => self.find_object(&name)?,
                _ => None,
            },
        };
        let Some((database, id)) = found else { return Ok(None) };
        let schema = self.schema(database)?;
        let rows = schema.module(id).and_then(|view| schema.table(view.rows?));
        Ok(rows.map(|rows| (database, rows.clone())))
    }

    /// Compares the rows of an indexed view with those that its query yields. Returns how many
    /// errors there are: 8907, 8908.
    fn check_view(&mut self, command: &str, database: DbId, rows: &TableDef) -> Run<u64> {
        let is_kept = rows.clustered_index().is_some_and(|index| !index.disabled);
        if rows.rows_of.is_none() || !is_kept {
            return Ok(0);
        }
        let schema = self.schema(database)?;
        let name = TablePlace { context: self, schema: &schema, database }.of(rows);
        let columns = rows.columns.iter().filter(|column| !column.ty.kind.is_document());
        let columns: Vec<String> = columns.map(|c| quote_identifier(&c.name)).collect();
        let columns = columns.join(", ");
        let (kept, shown) = (format!("{name} WITH (NOEXPAND)"), name);
        let sides = [
            (&kept, &shown, &message::INDEXED_VIEW_HAS_OTHER_ROWS),
            (&shown, &kept, &message::INDEXED_VIEW_LACKS_ROWS),
        ];
        let shown = self.table_shown(database, rows)?;
        let mut errors = 0;
        for (of, less, message) in sides {
            let query = format!(
                "SELECT TOP (1) 1 AS x FROM (SELECT {columns} FROM {of} \
                 EXCEPT SELECT {columns} FROM {less}) AS d OPTION (EXPAND VIEWS)"
            );
            self.session.options.sees_all_rows = true;
            let sets = self.rows_of_text(&query);
            self.session.options.sees_all_rows = false;
            if sets?.iter().any(|set| set.iter().next().is_some()) {
                self.report(&SqlError::new(message, &[&shown, &rows.indexed_id()]))?;
                errors += 1;
            }
        }
        if errors > 0 {
            let args: [Shown; 5] = [&command, &0, &errors, &shown, &rows.indexed_id()];
            self.tell(SqlError::new(&message::DBCC_TABLE_RESULT, &args))?;
        }
        Ok(errors)
    }

    /// `CHECKDB`, and the parts of it: the catalog, and then every table. Which places of a file
    /// are in use is found when the database is opened, and a place that is used twice keeps it
    /// from being opened, so that `CHECKALLOC` finds nothing.
    pub(super) fn check_database(&mut self, dbcc: &ast::Dbcc) -> Run<()> {
        let command = &*dbcc.command;
        let database = self.dbcc_database(dbcc.arguments.first())?;
        self.demand_owner(database, command)?;
        self.refuse_repair(database, dbcc)?;
        let name = self.session.instance.database_name(database);
        let mut errors = Errors::default();
        // As in SQL Server, tempdb's catalog is not checked, since sessions make tables in it.
        if command != "CHECKALLOC" && database != DbId::TEMPDB {
            self.refuse_in_transaction(&format!("DBCC {command}"))?;
            errors.consistency += self.check_catalog(database)?;
        }
        if command == "CHECKDB" {
            if informs(dbcc) {
                self.tell(SqlError::new(&message::DBCC_RESULTS_FOR, &[&name]))?;
            }
            let mut known = HashSet::new();
            errors.consistency += self.check_tables(dbcc, database, &|_| true, &mut known)?;
            if database != DbId::TEMPDB {
                let of_file = self.check_file(database, &known)?;
                errors.allocation += of_file.allocation;
                errors.consistency += of_file.consistency;
            }
        }
        let Errors { allocation, consistency } = errors;
        if command != "CHECKCATALOG" && (informs(dbcc) || allocation + consistency > 0) {
            let args: [Shown; 4] = [&command, &allocation, &consistency, &name];
            self.tell(SqlError::new(&message::DBCC_DATABASE_RESULT, &args))?;
        }
        Ok(())
    }

    /// Error 7919 if something is to be repaired while other sessions may be in the database.
    /// Nothing is repaired in any case.
    fn refuse_repair(&self, database: DbId, dbcc: &ast::Dbcc) -> Run<()> {
        let is_repair = |word: String| word.to_ascii_uppercase().starts_with("REPAIR_");
        let instance = self.instance();
        let access = self.session.access(database)?;
        let access = access.with_def(&instance, |def| def.options.user_access);
        match dbcc.arguments.iter().skip(1).map(word).any(is_repair) {
            true if access != UserAccess::Single => {
                Err(SqlError::new(&message::DBCC_REPAIR_REFUSED, &[]).into())
            }
            _ => Ok(()),
        }
    }

    /// Compares the schema with the rows of the system tables. Returns how many errors there are.
    fn check_catalog(&mut self, database: DbId) -> Run<u64> {
        let catalog = self.catalog(database)?;
        let instance = self.instance();
        let read_only = self.session.access(database)?;
        let read_only = read_only.with_def(&instance, |def| def.options.read_only);
        let verified = self.definition(|context| {
            // No session changes the schema meanwhile.
            if !read_only {
                context.lock_to_verify(database)?;
            }
            let task = context.task;
            let part = context.transaction(database)?;
            Ok(catalog.verify(task, part))
        })?;
        match verified {
            Ok(()) => Ok(0),
            Err(reason) => {
                let args: [Shown; 3] = [&3851, &1, &reason];
                self.report(&SqlError::new(&message::DBCC_CATALOG_ERROR, &args))?;
                Ok(1)
            }
        }
    }

    /// Checks all tables. Returns how many errors there are. Adds the pages that they have lost to
    /// those that are known.
    pub(super) fn check_tables(
        &mut self,
        dbcc: &ast::Dbcc,
        database: DbId,
        is_wanted: &dyn Fn(&TableDef) -> bool,
        known: &mut HashSet<u64>,
    ) -> Run<u64> {
        let schema = self.schema(database)?;
        let tables = schema.tables().filter(|table| table.role != TableRole::Type);
        let tables: Vec<Arc<TableDef>> = tables.filter(|table| is_wanted(table)).cloned().collect();
        let catalog = self.catalog(database)?;
        let mut errors = 0;
        for table in tables {
            // What is dropped or rebuilt meanwhile is not checked.
            let Some(stored) = catalog.table(&table) else { continue };
            let checked = match self.check_rows(database, &stored)? {
                Ok(checked) => checked,
                Err(TxnError::TableChanged { .. }) => continue,
                Err(error) => return Err(of_database(&error, database).into()),
            };
            let name = self.table_shown(database, &table)?;
            self.tell_table(dbcc, &name, &table, &stored, &checked)?;
            errors += self.report_faults("CHECKDB", &name, &table, &checked)?;
            errors += self.check_view("CHECKDB", database, &table)?;
            known.extend(checked.lost.iter().map(|lost| lost.page));
        }
        Ok(errors)
    }

    /// Reads all pages that the data file's last root reaches, and reports those that are lost and
    /// not known: below others that are, of the map, or replaced since in memory.
    pub(super) fn check_file(&mut self, database: DbId, known: &HashSet<u64>) -> Run<Errors> {
        let mut lost = Vec::new();
        match self.catalog(database)?.database().durable_pages() {
            Ok(None) => {}
            Ok(Some(pages)) => self.read_pages(pages, &mut lost)?,
            // The root itself, at the file's beginning.
            Err(error) => {
                lost.push(LostImage { page: None, place: Place { file: 1, index: 0 }, error });
            }
        }
        let mut errors = Errors::default();
        for image in &lost {
            let page = LostPage::found(image).map_err(|error| of_database(&error, database))?;
            if image.page.is_some() && known.contains(&page.page) {
                continue;
            }
            for error in page_messages(&Owner::UNKNOWN, &page) {
                self.report(&error)?;
            }
            match image.page {
                Some(_) => errors.consistency += PAGE_MESSAGES as u64,
                None => errors.allocation += PAGE_MESSAGES as u64,
            }
        }
        if errors.allocation + errors.consistency > 0 {
            let args: [Shown; 3] = [&"CHECKDB", &errors.allocation, &errors.consistency];
            self.tell(SqlError::new(&message::DBCC_NO_OBJECT_RESULT, &args))?;
        }
        Ok(errors)
    }

    /// Reads pages on a thread that may wait for the disk, and adds those that are lost.
    fn read_pages(&mut self, mut pages: DurablePages, lost: &mut Vec<LostImage>) -> Run<()> {
        let instance = self.instance();
        let threads = instance.databases().backup_threads();
        while lost.len() < LOST_MAX {
            let job = threads.begin(self.task, move || {
                let mut found = Vec::new();
                let more = pages.check_next(&mut found);
                (pages, found, more)
            });
            let (back, mut found, more) = job.wait(self.task);
            lost.append(&mut found);
            if more.is_none() {
                break;
            }
            pages = back;
            self.check_interrupt()?;
        }
        Ok(())
    }

    /// Checks the rows of a table in a statement of its own.
    fn check_rows(&mut self, database: DbId, table: &Table) -> Run<TxnResult<TableCheck>> {
        let checked = self.definition(|context| {
            let task = context.task;
            let part = context.transaction(database)?;
            let mut statement = part.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
            let checked = part.check_table(task, table, statement.snapshot());
            part.end_statement(&mut statement);
            Ok(checked)
        })?;
        Ok(checked)
    }

    /// The name of a table as reports have it: without `dbo`.
    fn table_shown(&self, database: DbId, table: &TableDef) -> Run<String> {
        let name = crate::ddl::shown_name(&table.header.name);
        if table.header.schema == SchemaId::DBO {
            return Ok(name.to_string());
        }
        let schema = self.schema(database)?;
        let place = schema.schemas().get(table.header.schema).map_or("dbo", |s| &s.name);
        Ok(format!("{place}.{name}"))
    }

    fn tell_table(
        &mut self,
        dbcc: &ast::Dbcc,
        name: &str,
        definition: &TableDef,
        stored: &Table,
        checked: &TableCheck,
    ) -> Run<()> {
        if !informs(dbcc) {
            return Ok(());
        }
        // What lies above a lost page cannot be counted: then as many as the rows would fill.
        let pages = data_pages(definition, stored, self.task);
        let pages = pages.unwrap_or_else(|_| checked.row_bytes.div_ceil(PAGE));
        self.tell(SqlError::new(&message::DBCC_RESULTS_FOR, &[&name]))?;
        self.tell(SqlError::new(&message::DBCC_ROWS_IN_PAGES, &[&checked.rows, &pages, &name]))
    }

    /// Sends what is wrong with a table, and how many errors that is.
    fn report_faults(
        &mut self,
        command: &str,
        name: &str,
        table: &TableDef,
        checked: &TableCheck,
    ) -> Run<u64> {
        for page in &checked.lost {
            for error in page_messages(&Owner::of(table, page), page) {
                self.report(&error)?;
            }
        }
        for &fault in &checked.faults {
            self.report(&fault_message(name, table, fault))?;
        }
        let errors = checked.fault_count + PAGE_MESSAGES as u64 * checked.lost.len() as u64;
        if errors > 0 {
            let args: [Shown; 5] = [&command, &0, &errors, &name, &table.id()];
            self.tell(SqlError::new(&message::DBCC_TABLE_RESULT, &args))?;
        }
        Ok(errors)
    }
}

/// Errors about one page.
const PAGE_MESSAGES: usize = 2;

/// What a page belongs to, as errors have it.
struct Owner {
    object: i32,
    index: i32,
    partition: i64,
    kind: &'static str,
}

impl Owner {
    /// The page was not reached from the root of a table.
    const UNKNOWN: Owner = Owner { object: 0, index: -1, partition: 0, kind: "Unknown" };

    fn of(table: &TableDef, page: &LostPage) -> Owner {
        let index = index_id(table, page.index);
        let kind = if page.is_overflow { "LOB data" } else { "In-row data" };
        Owner { object: table.id().0, index, partition: partition(table, index), kind }
    }
}

/// The messages about a page that cannot be read: 8928, 8939.
fn page_messages(owner: &Owner, page: &LostPage) -> [SqlError; PAGE_MESSAGES] {
    let Owner { object, index, partition, kind } = owner;
    let place = format!("({}:{})", page.file, page.page);
    // What SQL Server has there for pages that are not what was written, and that cannot be read.
    let status = if page.is_refused { -1 } else { -4 };
    let args: [Shown; 9] =
        [object, index, partition, partition, kind, &place, &page.what, &0, &status];
    [
        SqlError::new(&message::DBCC_PAGE_NOT_PROCESSED, &args[..6]),
        SqlError::new(&message::DBCC_PAGE_TEST_FAILED, &args),
    ]
}

/// The id of the index with this ordinal. After the indexes of the definition comes the one that
/// finds the rows of a heap.
fn index_id(table: &TableDef, at: usize) -> i32 {
    table.indexes.get(at).map_or(0, |index| index.id.0)
}

fn partition(table: &TableDef, index: i32) -> i64 {
    (table.storage.0 << 16) as i64 | i64::from(index)
}

/// The message about a fault of a table: 2511, 2512, 2570, 8951, 8952.
fn fault_message(name: &str, table: &TableDef, fault: TableFault) -> SqlError {
    let id = table.id();
    let index_of = |at: usize| {
        let index_name = table.indexes.get(at).map(|index| index.name.to_string());
        (index_id(table, at), index_name.unwrap_or_else(|| name.to_owned()))
    };
    let column_of = |at: usize| {
        let stored = table.stored_columns().nth(at);
        stored.map_or(("".into(), String::new()), |c| (c.name.clone(), c.ty.to_string()))
    };
    match fault {
        TableFault::Offsets { column } | TableFault::Value { column } => {
            let index = i32::from(table.clustered_index().is_some());
            let (part, (column, ty)) = (partition(table, index), column_of(column));
            let args: [Shown; 6] = [&id, &index, &part, &part, &column, &ty];
            SqlError::new(&message::DBCC_COLUMN_VALUE, &args)
        }
        TableFault::Missing { index } => {
            let (index, index_name) = index_of(index);
            let args: [Shown; 4] = [&name, &id, &index_name, &index];
            SqlError::new(&message::DBCC_INDEX_ROW_MISSING, &args)
        }
        TableFault::Extra { index } => {
            let (index, index_name) = index_of(index);
            let args: [Shown; 4] = [&name, &id, &index_name, &index];
            SqlError::new(&message::DBCC_INDEX_ROW_EXTRA, &args)
        }
        TableFault::Order { index } | TableFault::Duplicate { index } => {
            let (index, _) = index_of(index);
            let part = partition(table, index);
            let args: [Shown; 4] = [&id, &index, &part, &part];
            let is_order = matches!(fault, TableFault::Order { .. });
            let message = match is_order {
                true => &message::DBCC_KEYS_OUT_OF_ORDER,
                false => &message::DBCC_DUPLICATE_KEYS,
            };
            SqlError::new(message, &args)
        }
    }
}
