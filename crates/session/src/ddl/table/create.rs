//! Tables that are made: `CREATE TABLE`, types, variables, `SELECT INTO`.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, TypeKind, message};
use compile::bind::QueryColumn;
use engine::catalog::def::*;
use tsql::ast::{self, ConstraintKind, TableElement, TableOptionKind};

use super::memory::not_supported;
use super::row_caching::may_cache_rows;
use super::{Builder, Purpose, Setting, count_constraints};
use crate::context::Context;
use crate::ddl::failure::DdlResult;
use crate::ddl::index::check_options;
use crate::ddl::names::DefinitionNames;
use crate::ddl::place::{self, Place};
use crate::ddl::temporal;
use crate::session::SessionState;

type Shown<'a> = &'a dyn std::fmt::Display;

/// `CREATE TABLE`. Within a definition.
pub fn create_table(context: &mut Context<'_>, create: &ast::CreateTable) -> DdlResult<()> {
    let (kind, _) = kind_of(&create.definition.options)?;
    check_kind(context, &create.name, kind)?;
    let place = place::for_new(context, &create.name, Permission::CreateTable)?;
    if kind.is_memory_optimized() {
        check_database(context, place.database, "memory optimized tables")?;
    }
    let elements = &create.definition.elements;
    let (id, ids) = new_ids(context, &place, count_constraints(elements))?;
    let names = DefinitionNames::new(context.session, place.database);
    let setting = Setting::new(context.session, &names, place.database)?;
    let table = new_table(&setting, &place, id, kind, TableRole::Table);
    let mut builder = Builder::new(&setting, table, Purpose::Table, ids);
    builder.table_options(&create.definition.options)?;
    if let Some(space) = &create.on {
        if kind.is_memory_optimized() {
            return Err(not_supported("option", "filegroup").into());
        }
        builder.table.data_space = builder.data_space(space)?;
    }
    if let Some(group) = &create.filestream_on {
        return Err(no_filestream(group).into());
    }
    builder.elements(elements)?;
    builder.text_image(create)?;
    builder.check_row_size()?;
    let Builder { table, warnings, .. } = builder;
    check_options(context, place.database, &table, &|_| true, "CREATE TABLE")?;
    finish(context, &place, table)?;
    if let Some(Some(versioning)) = temporal::option_of(&create.definition.options)? {
        temporal::set(context, place.database, id, Some(versioning))?;
    }
    for warning in warnings {
        context.inform(warning)?;
    }
    Ok(())
}

/// Error 1921: no filegroup is one for FILESTREAM.
pub fn no_filestream(group: &ast::Ident) -> SqlError {
    SqlError::new(&message::FILEGROUP_INVALID, &[&"filegroup", &group.name])
}

/// Puts a finished table into the catalog.
fn finish(context: &mut Context<'_>, place: &Place, table: TableDef) -> DdlResult<()> {
    let id = table.id();
    context.change(place.database, |task, txn, edit| edit.create_table(task, txn, table))?;
    if place.database == DbId::TEMPDB && place.written.starts_with('#') {
        context.add_temporary(&place.written, id);
    }
    Ok(())
}

/// The table that `SELECT … INTO` fills, made of the columns of its query. Within a definition.
pub fn fill_new_table(
    context: &mut Context<'_>,
    into: &ast::SelectInto,
    columns: &[QueryColumn],
) -> DdlResult<(DbId, Arc<TableDef>)> {
    let place = place::for_new(context, &into.table, Permission::CreateTable)?;
    let (id, _) = new_ids(context, &place, 0)?;
    let names = DefinitionNames::new(context.session, place.database);
    let setting = Setting::new(context.session, &names, place.database)?;
    let table = new_table(&setting, &place, id, TableKind::Disk, TableRole::Table);
    let mut builder = Builder::new(&setting, table, Purpose::Table, Vec::new());
    for (at, column) in columns.iter().enumerate() {
        builder.selected_column(at, column)?;
    }
    builder.check_row_size()?;
    let table = builder.table;
    finish(context, &place, table)?;
    let made = context.schema(place.database)?.table(id).cloned();
    Ok((place.database, made.expect("it has just been made")))
}

/// What a table variable is: `DECLARE @t TABLE (…)`.
pub fn table_variable(
    session: &SessionState,
    name: &str,
    definition: &ast::TableDefinition,
) -> SqlResult<Arc<TableDef>> {
    let database = session.name_database();
    let names = DefinitionNames::new(session, database);
    variable(session, &names, database, name, definition).map_err(|failure| failure.first())
}

/// What a multi-statement function returns: the variable of `RETURNS @t TABLE (…)`.
pub fn function_result(
    session: &SessionState,
    names: &DefinitionNames<'_>,
    database: DbId,
    variable_name: &str,
    definition: &ast::TableDefinition,
) -> DdlResult<Arc<TableDef>> {
    variable(session, names, database, variable_name, definition)
}

fn variable(
    session: &SessionState,
    names: &DefinitionNames<'_>,
    database: DbId,
    name: &str,
    definition: &ast::TableDefinition,
) -> DdlResult<Arc<TableDef>> {
    let setting = Setting::new(session, names, database)?;
    let (kind, _) = kind_of(&definition.options)?;
    let place = Place { database, schema: SchemaId::DBO, name: name.into(), written: name.into() };
    let table = new_table(&setting, &place, ObjectId(0), kind, TableRole::Type);
    let mut builder = Builder::new(&setting, table, Purpose::Variable, Vec::new());
    builder.refuse_row_caching(&definition.options)?;
    builder.elements(&definition.elements)?;
    Ok(Arc::new(builder.table))
}

/// The hidden table of a table type. A definition statement has begun.
pub fn table_type(
    context: &mut Context<'_>,
    place: &Place,
    definition: &ast::TableDefinition,
) -> DdlResult<TableDef> {
    let (kind, durable) = kind_of(&definition.options)?;
    if durable.is_some() {
        let error = SqlError::new(&message::OPTION_NOT_WITH_TABLE_TYPES, &[&"durability"]);
        return Err(error.into());
    }
    if kind.is_memory_optimized() {
        refuse_transaction(context)?;
        check_database(context, place.database, "memory optimized table types")?;
    }
    let (id, ids) = new_ids(context, place, count_constraints(&definition.elements))?;
    let names = DefinitionNames::new(context.session, place.database);
    let setting = Setting::new(context.session, &names, place.database)?;
    let hidden = Place {
        schema: SchemaId::SYS,
        name: format!("TT_{}_{:08X}", place.name, id.0 as u32).into(),
        ..place.clone()
    };
    let table = new_table(&setting, &hidden, id, kind, TableRole::Type);
    let mut builder = Builder::new(&setting, table, Purpose::Type, ids);
    builder.refuse_row_caching(&definition.options)?;
    builder.elements(&definition.elements)?;
    Ok(builder.table)
}

/// Ids for an object and its constraints.
fn new_ids(
    context: &mut Context<'_>,
    place: &Place,
    constraints: usize,
) -> DdlResult<(ObjectId, Vec<ObjectId>)> {
    let private = place.is_private();
    let (_, edit) = context.edit(place.database)?;
    let mut next = || match private {
        true => edit.new_temporary_id(),
        false => edit.new_object_id(),
    };
    let id = next();
    Ok((id, (0..constraints).map(|_| next()).collect()))
}

fn new_table(
    setting: &Setting<'_>,
    place: &Place,
    id: ObjectId,
    kind: TableKind,
    role: TableRole,
) -> TableDef {
    let header = ObjectHeader {
        id,
        schema: place.schema,
        name: place.name.clone(),
        owner: None,
        created: setting.now,
        modified: setting.now,
        ms_shipped: false,
    };
    let mut table = TableDef::new(header, kind, role);
    table.ansi_nulls = setting.ansi_nulls;
    table.quoted_identifier = setting.quoted_identifier;
    table.row_cached = setting.row_caching && may_cache_rows(&table);
    let default = setting.schema.file_groups().iter();
    let default = default.filter(|g| g.kind == FileGroupKind::Rows).find(|g| g.default);
    table.data_space = default.map_or(DataSpaceId::PRIMARY, |g| g.id);
    table
}

/// The kind of table that the options ask for, and `DURABILITY` if they say it: whether the data
/// is durable. Error 10779.
fn kind_of(options: &[ast::TableOption]) -> DdlResult<(TableKind, Option<bool>)> {
    let (mut in_memory, mut durable) = (false, None);
    for option in options {
        match &option.kind {
            TableOptionKind::MemoryOptimized(on) => in_memory = *on,
            TableOptionKind::DurableData(data) => durable = Some(*data),
            _ => {}
        }
    }
    match (in_memory, durable) {
        (true, Some(false)) => Ok((TableKind::MemorySchemaOnly, durable)),
        (true, _) => Ok((TableKind::MemoryDurable, durable)),
        (false, Some(false)) => {
            Err(SqlError::new(&message::SCHEMA_ONLY_NEEDS_MEMORY_OPTIMIZED, &[]).into())
        }
        (false, _) => Ok((TableKind::Disk, durable)),
    }
}

/// Where memory-optimized tables cannot be made. Errors 10794, 12331.
fn check_kind(context: &Context<'_>, name: &ast::ObjectName, kind: TableKind) -> DdlResult<()> {
    if !kind.is_memory_optimized() {
        return Ok(());
    }
    if name.name.name.starts_with('#') {
        return Err(not_supported("feature", "temporary tables").into());
    }
    refuse_transaction(context)
}

/// Error 12331: memory-optimized tables are made, altered and dropped outside of transactions.
pub(crate) fn refuse_transaction(context: &Context<'_>) -> DdlResult<()> {
    match context.in_user_transaction() {
        true => Err(SqlError::new(&message::DDL_IN_TRANSACTION, &[]).into()),
        false => Ok(()),
    }
}

/// Errors 41326, 41337: the database must be a user's and have a container.
pub(crate) fn check_database(context: &Context<'_>, database: DbId, what: &str) -> DdlResult<()> {
    const SYSTEM_LAST: DbId = DbId::MSDB;
    if database <= SYSTEM_LAST {
        return Err(SqlError::new(&message::SYSTEM_DATABASE_NOT_ALLOWED, &[]).into());
    }
    let schema = context.schema(database)?;
    let group = schema.memory_optimized_file_group();
    let container = group.and_then(|g| schema.files().iter().find(|f| f.data_space == Some(g.id)));
    match container {
        Some(_) => Ok(()),
        None => Err(SqlError::new(&message::FILEGROUP_REQUIRED, &[&what, &what]).into()),
    }
}

impl Builder<'_> {
    /// All elements of a definition of a new table.
    pub fn elements(&mut self, elements: &[TableElement]) -> DdlResult<()> {
        let columns: Vec<&ast::ColumnDefinition> = elements.iter().filter_map(column).collect();
        let primary = primary_key_columns(elements);
        let setting = self.setting;
        let in_key = move |name: &str| primary.iter().any(|key| setting.same(key, name));
        self.columns(&columns, &in_key)?;
        self.period(elements)?;
        if self.in_memory() {
            self.check_memory_columns()?;
        }
        for column in &columns {
            self.column_default(column)?;
        }
        self.keys(elements)?;
        self.indexes(elements)?;
        self.checks(elements)?;
        self.foreign_keys(elements)?;
        if self.in_memory() {
            self.check_memory_table()?;
        }
        Ok(())
    }

    /// Keys, the clustered ones first, since others depend on whether there is one.
    fn keys(&mut self, elements: &[TableElement]) -> DdlResult<()> {
        self.check_single_clustered(elements)?;
        let mut keys: Vec<(&ast::Constraint, Option<&str>, (bool, bool))> = Vec::new();
        for (constraint, column) in constraints(elements) {
            if let ConstraintKind::Key(key) = &constraint.kind {
                keys.push((constraint, column, (key.clustered != Some(true), !key.primary)));
            }
        }
        keys.sort_by_key(|(_, _, order)| *order);
        let inline = elements.iter().filter_map(inline_index);
        let clustered_index = inline.map(|(index, _)| index).any(|i| i.clustered == Some(true));
        for (constraint, column, _) in keys {
            if clustered_index && !self.in_memory() {
                let constraint = nonclustered_by_default(constraint);
                self.key_constraint(&constraint, column)?;
            } else {
                self.key_constraint(constraint, column)?;
            }
        }
        Ok(())
    }

    /// Errors 8110 and 8112, which count what the statement says.
    fn check_single_clustered(&self, elements: &[TableElement]) -> DdlResult<()> {
        let keys = || {
            constraints(elements).filter_map(|(c, _)| match &c.kind {
                ConstraintKind::Key(key) => Some((key, c.span.line)),
                _ => None,
            })
        };
        let table = self.name();
        let second = |mut list: Box<dyn Iterator<Item = u32> + '_>| list.nth(1);
        let primary = Box::new(keys().filter(|(k, _)| k.primary).map(|(_, line)| line));
        if let Some(line) = second(primary) {
            let error = SqlError::new(&message::MULTIPLE_CONSTRAINTS, &[&table]);
            return Err(error.at_line(line).into());
        }
        let clustered =
            Box::new(keys().filter(|(k, _)| k.clustered == Some(true)).map(|(_, line)| line));
        if let Some(line) = second(clustered) {
            let error = SqlError::new(&message::MULTIPLE_CLUSTERED_CONSTRAINTS, &[&table]);
            return Err(error.at_line(line).into());
        }
        Ok(())
    }

    fn indexes(&mut self, elements: &[TableElement]) -> DdlResult<()> {
        for (index, column) in elements.iter().filter_map(inline_index) {
            self.inline_index(index, column)?;
        }
        Ok(())
    }

    /// Checks, of columns and of the table.
    pub fn checks(&mut self, elements: &[TableElement]) -> DdlResult<()> {
        for (constraint, column) in constraints(elements) {
            self.check_constraint(constraint, column)?;
        }
        Ok(())
    }

    /// Foreign keys, of columns and of the table.
    pub fn foreign_keys(&mut self, elements: &[TableElement]) -> DdlResult<()> {
        for (constraint, column) in constraints(elements) {
            self.foreign_key(constraint, column)?;
        }
        Ok(())
    }

    fn table_options(&mut self, options: &[ast::TableOption]) -> DdlResult<()> {
        for option in options {
            self.table_option(&option.kind).map_err(|f| f.at_line(option.span.line))?;
        }
        Ok(())
    }

    /// One option of `CREATE TABLE … WITH` or `ALTER TABLE … SET`.
    pub fn table_option(&mut self, option: &TableOptionKind) -> DdlResult<()> {
        let unimplemented =
            |what: &str| DdlResult::Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into());
        match option {
            TableOptionKind::MemoryOptimized(_) | TableOptionKind::DurableData(_) => Ok(()),
            TableOptionKind::DataCompression(_) if self.in_memory() => {
                Err(not_supported("option", "data_compression").into())
            }
            // How rows are packed is left to the server.
            TableOptionKind::DataCompression(_) => Ok(()),
            TableOptionKind::LockEscalation(how) => {
                self.table.lock_escalation = match &**how {
                    "DISABLE" => LockEscalation::Disable,
                    "AUTO" => LockEscalation::Auto,
                    _ => LockEscalation::Table,
                };
                Ok(())
            }
            TableOptionKind::RowCaching(on) => self.row_caching(*on),
            TableOptionKind::SnapshotIsolation(on) => self.snapshot_isolation(*on),
            TableOptionKind::FullLogging(full) => self.full_logging(*full),
            TableOptionKind::LockScheme(scheme) => self.lock_scheme(*scheme),
            // It is set when the table is there.
            TableOptionKind::SystemVersioning(_) => Ok(()),
            TableOptionKind::Other(name, value) => match (&**name, &**value) {
                (_, "OFF") => Ok(()),
                (name, _) => unimplemented(name),
            },
        }
    }

    /// `TEXTIMAGE_ON`. Errors 1709, 1921.
    fn text_image(&mut self, create: &ast::CreateTable) -> DdlResult<()> {
        let is_large = |c: &ColumnDef| c.ty.is_max() || c.ty.kind.is_legacy_lob();
        let large = self.table.columns.iter().any(is_large);
        self.table.lob_data_space = match &create.text_image_on {
            Some(_) if !large => {
                return Err(SqlError::new(&message::TEXTIMAGE_NOT_ALLOWED, &[]).into());
            }
            Some(space) => {
                Some(self.data_space(&ast::DataSpace { name: space.clone(), column: None })?)
            }
            None => large.then_some(self.table.data_space),
        };
        Ok(())
    }

    /// A column of `SELECT … INTO`. Errors 1038, 2705.
    fn selected_column(&mut self, at: usize, column: &QueryColumn) -> DdlResult<()> {
        let Some(name) = column.name.as_ref().filter(|n| !n.is_empty()) else {
            return Err(SqlError::new(&message::MISSING_OBJECT_NAME, &[]).into());
        };
        let table = self.name();
        if self.find_column(name).is_some() {
            let args: [Shown; 2] = [name, &table];
            return Err(SqlError::new(&message::COLUMN_NAMES_MUST_BE_UNIQUE, &args).into());
        }
        let base = column.base.as_ref().and_then(|b| b.table.columns.get(b.ordinal));
        let user_type = base.map(|b| b.user_type).filter(|_| self.keeps_types(column));
        let user_type = user_type.unwrap_or_else(|| super::columns::system_type(&column.ty));
        let id = ColumnId(at as i32 + 1);
        let mut def = ColumnDef::new(id, name.clone(), column.ty, user_type);
        def.nullable = column.nullable && column.identity.is_none();
        def.identity = column.identity;
        if def.ty.xml_use().is_some() && self.setting.database != self.setting.names.database() {
            def.ty = base::SqlType::xml();
        }
        if def.ty.kind == TypeKind::RowVersion {
            // A copy of a rowversion is bytes.
            def.ty = base::SqlType::binary(8);
            def.user_type = super::columns::system_type(&def.ty);
        }
        def.set_padding(self.setting.ansi_padding);
        self.table.max_column_id = id;
        self.table.columns.push(def);
        Ok(())
    }

    /// Whether a column's alias type means the same in the new table's database.
    fn keeps_types(&self, column: &QueryColumn) -> bool {
        let base = column.base.as_ref().and_then(|b| b.table.columns.get(b.ordinal));
        base.is_some_and(|b| {
            b.user_type < UserTypeId::FIRST_USER
                || self.setting.schema.types().get(b.user_type).is_some_and(
                    |t| matches!(&t.kind, TypeDefKind::Alias { ty, .. } if *ty == column.ty),
                )
        })
    }
}

fn column(element: &TableElement) -> Option<&ast::ColumnDefinition> {
    match element {
        TableElement::Column(column) => Some(column),
        _ => None,
    }
}

/// All constraints, those after columns with the column.
pub(crate) fn constraints(
    elements: &[TableElement],
) -> impl Iterator<Item = (&ast::Constraint, Option<&str>)> {
    elements.iter().flat_map(|element| {
        let (of_column, of_table) = match element {
            TableElement::Column(column) => (Some(column), None),
            TableElement::Constraint(constraint) => (None, Some(&**constraint)),
            _ => (None, None),
        };
        let of_column = of_column.into_iter().flat_map(|column| {
            column.constraints.iter().map(move |c| (c, Some(&*column.name.name)))
        });
        of_column.chain(of_table.map(|c| (c, None)))
    })
}

/// An index in a definition, with the column that it stands after.
pub(crate) fn inline_index(element: &TableElement) -> Option<(&ast::InlineIndex, Option<&str>)> {
    match element {
        TableElement::Column(column) => {
            column.index.as_ref().map(|index| (&**index, Some(&*column.name.name)))
        }
        TableElement::Index(index) => Some((index, None)),
        _ => None,
    }
}

/// The names of the columns that are in a primary key.
pub(crate) fn primary_key_columns(elements: &[TableElement]) -> Vec<&str> {
    let mut names = Vec::new();
    for (constraint, column) in constraints(elements) {
        let ConstraintKind::Key(key) = &constraint.kind else { continue };
        if key.primary {
            match column {
                Some(column) if key.columns.is_empty() => names.push(column),
                _ => names.extend(key.columns.iter().map(|c| &*c.name.name)),
            }
        }
    }
    names
}

/// A key that is not clustered unless it says so, since an index of the table is.
fn nonclustered_by_default(constraint: &ast::Constraint) -> ast::Constraint {
    let mut constraint = constraint.clone();
    if let ConstraintKind::Key(key) = &mut constraint.kind {
        key.clustered = key.clustered.or(Some(false));
    }
    constraint
}
