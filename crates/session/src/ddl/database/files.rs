//! Files and filegroups.
//!
//! Rows are where the log is, below the data directory; files are what the catalog says of them.
//! Paths of other machines (`C:\…`) are accepted: the file's last name is kept, and a message says
//! where it is.

use std::path::Path;
use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::def::*;
use engine::catalog::{Definition, DefinitionKey, Schema};
use tsql::ast::{self, AlterDatabaseAction, FileGroupChange, FileSize, FileSpec};

use crate::context::Context;
use crate::ddl::failure::DdlResult;
use crate::ddl::within;
use crate::files::{last_name, mapped};

type Shown<'a> = &'a dyn std::fmt::Display;

/// Pages that a file has at first, and by which it grows.
const FILE_PAGES: i32 = 1024;
const GROWTH_PAGES: i32 = 8192;
const PAGE_KB: u64 = 8;
/// The smallest file, in pages.
const SMALLEST_PAGES: i32 = 64;

/// The files and filegroups of a new database.
pub(super) struct Layout {
    pub groups: Vec<FileGroupDef>,
    pub files: Vec<FileDef>,
    /// Logical names with the paths that were asked for.
    pub asked: Vec<(Name, Box<str>)>,
}

/// What `CREATE DATABASE` says about files.
pub(super) fn layout(context: &Context<'_>, create: &ast::CreateDatabase) -> DdlResult<Layout> {
    let mut layout = Layout { groups: Vec::new(), files: Vec::new(), asked: Vec::new() };
    let specified = create.filegroups.iter().map(|g| g.files.len()).sum::<usize>();
    if specified == 0 && create.log.is_empty() && create.filegroups.len() < 2 {
        return Ok(layout);
    }
    let database = &create.name.name;
    for (place, group) in create.filegroups.iter().enumerate() {
        let id = match &group.name {
            Some(name) if place > 0 => {
                let id = DataSpaceId(DataSpaceId::PRIMARY.0 + layout.groups.len() as i32 + 1);
                let mut def = new_group(context, id, &name.name, group.contains);
                def.default = group.is_default && group.contains == ast::FileGroupKind::Rows;
                check_second(layout.groups.iter(), &def)?;
                layout.groups.push(def);
                id
            }
            _ => DataSpaceId::PRIMARY,
        };
        for spec in &group.files {
            add(context, &mut layout, spec, Some(id), group.contains)?;
        }
    }
    if !layout.files.iter().any(|f| f.data_space == Some(DataSpaceId::PRIMARY)) {
        layout.files.insert(0, implied(context, database, FileKind::Rows));
    }
    match create.log.is_empty() {
        true => layout.files.push(implied(context, &format!("{database}_log"), FileKind::Log)),
        false => {
            for spec in &create.log {
                let mut def = file(context, spec, FileKind::Log, None)?;
                def.data_space = None;
                push(&mut layout, def, spec)?;
            }
        }
    }
    number(&mut layout.files);
    Ok(layout)
}

/// Gives ids as SQL Server does: 1 the first data file, 2 the first log file, the others after.
fn number(files: &mut [FileDef]) {
    let first =
        |files: &[FileDef], log: bool| files.iter().position(|f| (f.kind == FileKind::Log) == log);
    let (rows, log) = (first(files, false), first(files, true));
    let mut next = 3;
    for (place, file) in files.iter_mut().enumerate() {
        file.id = if Some(place) == rows {
            FileId(1)
        } else if Some(place) == log {
            FileId(2)
        } else {
            next += 1;
            FileId(next - 1)
        };
    }
    files.sort_by_key(|file| file.id);
}

fn add(
    context: &Context<'_>,
    layout: &mut Layout,
    spec: &FileSpec,
    space: Option<DataSpaceId>,
    contains: ast::FileGroupKind,
) -> DdlResult<()> {
    let kind = match contains {
        ast::FileGroupKind::Rows => FileKind::Rows,
        _ => FileKind::Container,
    };
    let def = file(context, spec, kind, space)?;
    push(layout, def, spec)
}

fn push(layout: &mut Layout, def: FileDef, spec: &FileSpec) -> DdlResult<()> {
    if layout.files.iter().any(|other| other.name.to_lowercase() == def.name.to_lowercase()) {
        return Err(SqlError::new(&message::DATABASE_FILE_NAME_REPEATED, &[&def.name]).into());
    }
    if let Some(path) = &spec.file_name {
        layout.asked.push((def.name.clone(), path.clone()));
    }
    layout.files.push(def);
    Ok(())
}

fn implied(context: &Context<'_>, name: &str, kind: FileKind) -> FileDef {
    let extension = if kind == FileKind::Log { "ldf" } else { "mdf" };
    let space = (kind != FileKind::Log).then_some(DataSpaceId::PRIMARY);
    plain_file(context, name, kind, space, &format!("{}.{extension}", harmless(name)))
}

/// A name that can be a file's.
fn harmless(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "._- ".contains(c) { c } else { '_' };
    name.chars().map(plain).collect()
}

fn plain_file(
    context: &Context<'_>,
    name: &str,
    kind: FileKind,
    data_space: Option<DataSpaceId>,
    path: &str,
) -> FileDef {
    FileDef {
        id: FileId(0),
        guid: context.instance().env().rng().next_u128().to_le_bytes(),
        kind,
        data_space,
        name: name.into(),
        physical_name: path.into(),
        size_pages: if kind == FileKind::Container { 0 } else { FILE_PAGES },
        max_size_pages: -1,
        growth: if kind == FileKind::Container { 0 } else { GROWTH_PAGES },
        percent_growth: false,
        read_only: false,
        offline: false,
    }
}

/// A file as it was specified; its path is the last name of the one asked for.
fn file(
    context: &Context<'_>,
    spec: &FileSpec,
    kind: FileKind,
    space: Option<DataSpaceId>,
) -> DdlResult<FileDef> {
    let name = spec.name.as_deref().unwrap_or_default();
    let path = match &spec.file_name {
        Some(path) => last_name(path).to_string(),
        None => {
            let extension = match kind {
                FileKind::Log => ".ldf",
                FileKind::Rows => ".ndf",
                FileKind::Container => "",
            };
            format!("{}{extension}", harmless(name))
        }
    };
    if path.is_empty() {
        let asked = spec.file_name.as_deref().unwrap_or_default();
        return Err(SqlError::new(&message::FILE_ACTIVATION_ERROR, &[&asked]).into());
    }
    let mut def = plain_file(context, name, kind, space, &path);
    sizes(&mut def, spec)?;
    Ok(def)
}

/// Sets what a specification says about sizes. Errors 5103, 5174.
fn sizes(def: &mut FileDef, spec: &FileSpec) -> DdlResult<()> {
    if let Some(size) = spec.size {
        def.size_pages = pages(size);
        if def.size_pages < SMALLEST_PAGES && def.kind != FileKind::Container {
            return Err(SqlError::new(&message::FILE_SIZE_TOO_SMALL, &[]).into());
        }
    }
    if let Some(size) = spec.max_size {
        def.max_size_pages = pages(size);
        if def.max_size_pages >= 0 && def.max_size_pages < def.size_pages {
            return Err(SqlError::new(&message::MAXSIZE_BELOW_SIZE, &[&def.name]).into());
        }
    }
    match spec.growth {
        Some(FileSize::Percent(percent)) => {
            def.growth = i32::try_from(percent).unwrap_or(i32::MAX);
            def.percent_growth = true;
        }
        Some(growth) => {
            def.growth = pages(growth).max(0);
            def.percent_growth = false;
        }
        None => {}
    }
    def.offline |= spec.offline;
    Ok(())
}

fn pages(size: FileSize) -> i32 {
    let kilobytes = match size {
        FileSize::Unlimited => return -1,
        FileSize::Percent(percent) => percent,
        FileSize::Kilobytes(n) => n,
        FileSize::Megabytes(n) => n.saturating_mul(1 << 10),
        FileSize::Gigabytes(n) => n.saturating_mul(1 << 20),
        FileSize::Terabytes(n) => n.saturating_mul(1 << 30),
    };
    i32::try_from(kilobytes.div_ceil(PAGE_KB)).unwrap_or(i32::MAX)
}

fn new_group(
    context: &Context<'_>,
    id: DataSpaceId,
    name: &Name,
    contains: ast::FileGroupKind,
) -> FileGroupDef {
    FileGroupDef {
        id,
        name: name.clone(),
        kind: match contains {
            ast::FileGroupKind::Rows => FileGroupKind::Rows,
            ast::FileGroupKind::FileStream => FileGroupKind::FileStream,
            ast::FileGroupKind::MemoryOptimizedData => FileGroupKind::MemoryOptimized,
        },
        default: false,
        read_only: false,
        autogrow_all_files: false,
        guid: Some(context.instance().env().rng().next_u128().to_le_bytes()),
    }
}

/// Refuses a second filegroup for memory-optimized data. Error 10797.
fn check_second<'g>(
    mut groups: impl Iterator<Item = &'g FileGroupDef>,
    new: &FileGroupDef,
) -> DdlResult<()> {
    let in_memory = |g: &FileGroupDef| g.kind == FileGroupKind::MemoryOptimized;
    match in_memory(new) && groups.any(in_memory) {
        true => Err(SqlError::new(&message::SECOND_MEMORY_OPTIMIZED_FILEGROUP, &[]).into()),
        false => Ok(()),
    }
}

/// Sends a message about files that are not where their paths say.
pub(super) fn tell_mapped(
    context: &mut Context<'_>,
    database: DbId,
    asked: &[(Name, Box<str>)],
) -> DdlResult<()> {
    if asked.is_empty() {
        return Ok(());
    }
    let schema = context.schema(database)?;
    for (name, path) in asked {
        let Some(file) = schema.find_file(name) else { continue };
        if *file.physical_name != **path && path.contains(['/', '\\']) {
            context.inform(mapped(name, path, Path::new(&*file.physical_name)))?;
        }
    }
    Ok(())
}

/// What `ALTER DATABASE` does to files and filegroups.
pub(super) fn alter(
    context: &mut Context<'_>,
    def: &DatabaseDef,
    action: &AlterDatabaseAction,
) -> DdlResult<()> {
    let told = within(context, |context| {
        context.lock_edit(def.id)?;
        change(context, def, action)
    })?;
    tell_mapped(context, def.id, &told.asked)?;
    told.messages.into_iter().try_for_each(|message| context.inform(message))?;
    Ok(())
}

/// The messages to send when a change is done.
#[derive(Default)]
struct Told {
    asked: Vec<(Name, Box<str>)>,
    messages: Vec<SqlError>,
}

impl Told {
    fn message(message: SqlError) -> Told {
        Told { messages: vec![message], ..Told::default() }
    }
}

fn change(
    context: &mut Context<'_>,
    def: &DatabaseDef,
    action: &AlterDatabaseAction,
) -> DdlResult<Told> {
    let schema = context.schema(def.id)?;
    match action {
        AlterDatabaseAction::AddFile { files, filegroup } => {
            let space = match filegroup {
                Some(name) => group(&schema, def, &name.name)?.clone(),
                None => default_group(&schema),
            };
            add_files(context, def, files, Some(&space))
        }
        AlterDatabaseAction::AddLogFile(files) => add_files(context, def, files, None),
        AlterDatabaseAction::RemoveFile(name) => remove_file(context, def, &name.name),
        AlterDatabaseAction::ModifyFile(spec) => modify_file(context, def, spec),
        AlterDatabaseAction::AddFileGroup(name, contains) => {
            if name.name.eq_ignore_ascii_case("default") {
                return Err(SqlError::new(&message::FILEGROUP_NAMED_DEFAULT, &[]).into());
            }
            let new = new_group(context, schema.next_data_space_id(), &name.name, *contains);
            check_second(schema.file_groups().iter().map(|g| &**g), &new)?;
            put(context, def.id, Definition::FileGroup(Arc::new(new)))?;
            Ok(Told::default())
        }
        AlterDatabaseAction::RemoveFileGroup(name) => remove_group(context, def, &name.name),
        AlterDatabaseAction::ModifyFileGroup(name, change) => {
            modify_group(context, def, &name.name, change)
        }
        _ => Err(SqlError::new(&message::ALTER_DATABASE_NOT_SUPPORTED, &[]).into()),
    }
}

fn put(context: &mut Context<'_>, database: DbId, definition: Definition) -> DdlResult<()> {
    context.change(database, |task, txn, edit| edit.put(task, txn, definition))?;
    Ok(())
}

/// A filegroup by name. Error 5014.
fn group<'s>(
    schema: &'s Schema,
    def: &DatabaseDef,
    name: &str,
) -> DdlResult<&'s Arc<FileGroupDef>> {
    schema.find_file_group(name).ok_or_else(|| {
        let args: [Shown; 3] = [&"filegroup", &name, &def.name];
        SqlError::new(&message::NOT_IN_DATABASE, &args).into()
    })
}

fn default_group(schema: &Schema) -> Arc<FileGroupDef> {
    let found = schema.file_groups().iter().find(|g| g.default && g.kind == FileGroupKind::Rows);
    found
        .or_else(|| schema.file_groups().get(DataSpaceId::PRIMARY))
        .cloned()
        .expect("PRIMARY stays")
}

fn add_files(
    context: &mut Context<'_>,
    def: &DatabaseDef,
    specs: &[FileSpec],
    space: Option<&FileGroupDef>,
) -> DdlResult<Told> {
    if matches!(def.id, DbId::MASTER | DbId::MODEL) {
        return Err(SqlError::new(&message::SYSTEM_DATABASE_FILE, &[]).into());
    }
    let kind = match space.map(|s| s.kind) {
        None => FileKind::Log,
        Some(FileGroupKind::Rows) => FileKind::Rows,
        Some(_) => FileKind::Container,
    };
    let mut told = Told::default();
    for spec in specs {
        let schema = context.schema(def.id)?;
        let mut new = file(context, spec, kind, space.map(|s| s.id))?;
        if schema.find_file(&new.name).is_some() {
            return Err(SqlError::new(&message::DATABASE_FILE_NAME_REPEATED, &[&new.name]).into());
        }
        new.id = schema.next_file_id();
        new.physical_name = beside_others(&schema, &new.physical_name);
        if schema.files().iter().any(|f| f.physical_name == new.physical_name) {
            let error = SqlError::new(&message::FILE_ALREADY_USED, &[&new.physical_name]);
            return Err(error.into());
        }
        if let Some(path) = &spec.file_name {
            told.asked.push((new.name.clone(), path.clone()));
        }
        put(context, def.id, Definition::File(Arc::new(new)))?;
    }
    Ok(told)
}

/// The path of a file of this name in the directory of the database's first one.
fn beside_others(schema: &Schema, name: &str) -> Name {
    let first = schema.files().get(FileId(1));
    let dir = first.and_then(|f| Path::new(&*f.physical_name).parent());
    let path = dir.map_or_else(|| name.into(), |dir| dir.join(name));
    path.to_string_lossy().as_ref().into()
}

fn found_file(
    context: &Context<'_>,
    def: &DatabaseDef,
    name: &str,
) -> DdlResult<Option<Arc<FileDef>>> {
    Ok(context.schema(def.id)?.find_file(name).cloned())
}

fn remove_file(context: &mut Context<'_>, def: &DatabaseDef, name: &str) -> DdlResult<Told> {
    let Some(file) = found_file(context, def, name)? else {
        return Err(SqlError::new(&message::FILES_NOT_FOUND, &[]).into());
    };
    if file.id <= FileId(2) {
        return Err(SqlError::new(&message::PRIMARY_FILE_REMOVED, &[]).into());
    }
    let schema = context.schema(def.id)?;
    let siblings = schema.files().iter().filter(|f| f.data_space == file.data_space).count();
    let is_needed = file.data_space.is_some_and(|group| match file.kind {
        FileKind::Container => schema.tables().any(|t| t.kind.is_memory_optimized()),
        _ => is_used(&schema, group),
    });
    if siblings == 1 && is_needed {
        let args: [Shown; 2] = [&"file", &file.name];
        return Err(SqlError::new(&message::FILE_NOT_EMPTY, &args).into());
    }
    let key = DefinitionKey::File(file.id);
    context.change(def.id, |task, txn, edit| edit.drop(task, txn, key))?;
    let args: [Shown; 2] = [&"file", &file.name];
    Ok(Told::message(SqlError::new(&message::HAS_BEEN_REMOVED, &args)))
}

fn modify_file(context: &mut Context<'_>, def: &DatabaseDef, spec: &FileSpec) -> DdlResult<Told> {
    let name = spec.name.as_deref().unwrap_or_default();
    let Some(old) = found_file(context, def, name)? else {
        return Err(SqlError::new(&message::MODIFY_FILE_NOT_FOUND, &[&name]).into());
    };
    let says_nothing = spec.new_name.is_none()
        && spec.file_name.is_none()
        && spec.size.is_none()
        && spec.max_size.is_none()
        && spec.growth.is_none()
        && !spec.offline;
    if says_nothing {
        return Err(SqlError::new(&message::MODIFY_FILE_NO_PROPERTY, &[&name]).into());
    }
    let mut new = FileDef::clone(&old);
    sizes(&mut new, spec)?;
    if spec.size.is_some() && new.size_pages <= old.size_pages {
        return Err(SqlError::new(&message::MODIFY_FILE_SMALLER, &[]).into());
    }
    let mut told = Told::default();
    if let Some(name) = &spec.new_name {
        new.name = (&**name).into();
        let args: [Shown; 2] = [&"file", name];
        told.messages.push(SqlError::new(&message::NAME_HAS_BEEN_SET, &args));
    }
    if let Some(path) = &spec.file_name {
        let schema = context.schema(def.id)?;
        new.physical_name = beside_others(&schema, last_name(path));
        told.asked.push((new.name.clone(), path.clone()));
        told.messages.push(SqlError::new(&message::FILE_PATH_CHANGED, &[&new.name]));
    }
    put(context, def.id, Definition::File(Arc::new(new)))?;
    Ok(told)
}

/// Whether a table or an index is declared to lie in a filegroup.
fn is_used(schema: &Schema, group: DataSpaceId) -> bool {
    let mut tables = schema.tables();
    tables.any(|t| t.data_space == group || t.indexes.iter().any(|i| i.data_space == group))
}

fn remove_group(context: &mut Context<'_>, def: &DatabaseDef, name: &str) -> DdlResult<Told> {
    let schema = context.schema(def.id)?;
    let group = group(&schema, def, name)?;
    let has_files = schema.files().iter().any(|f| f.data_space == Some(group.id));
    if has_files || is_used(&schema, group.id) || group.id == DataSpaceId::PRIMARY {
        let args: [Shown; 2] = [&"filegroup", &group.name];
        return Err(SqlError::new(&message::FILE_NOT_EMPTY, &args).into());
    }
    let key = DefinitionKey::FileGroup(group.id);
    context.change(def.id, |task, txn, edit| edit.drop(task, txn, key))?;
    let args: [Shown; 2] = [&"filegroup", &group.name];
    Ok(Told::message(SqlError::new(&message::HAS_BEEN_REMOVED, &args)))
}

fn modify_group(
    context: &mut Context<'_>,
    def: &DatabaseDef,
    name: &str,
    change: &FileGroupChange,
) -> DdlResult<Told> {
    let schema = context.schema(def.id)?;
    let old = group(&schema, def, name)?.clone();
    let mut new = FileGroupDef::clone(&old);
    let property = match change {
        FileGroupChange::Default => {
            if old.default {
                let args: [Shown; 2] = [&"filegroup", &"DEFAULT"];
                return Err(SqlError::new(&message::PROPERTY_ALREADY_SET, &args).into());
            }
            let same_kind = |g: &&Arc<FileGroupDef>| g.default && g.kind == old.kind;
            for other in schema.file_groups().iter().filter(same_kind) {
                let other = FileGroupDef { default: false, ..FileGroupDef::clone(other) };
                put(context, def.id, Definition::FileGroup(Arc::new(other)))?;
            }
            new.default = true;
            "DEFAULT"
        }
        FileGroupChange::Name(name) => {
            if old.id == DataSpaceId::PRIMARY {
                return Err(SqlError::new(&message::PRIMARY_FILEGROUP_RENAME, &[]).into());
            }
            new.name = name.name.clone();
            put(context, def.id, Definition::FileGroup(Arc::new(new)))?;
            let args: [Shown; 2] = [&"filegroup", &name.name];
            return Ok(Told::message(SqlError::new(&message::NAME_HAS_BEEN_SET, &args)));
        }
        FileGroupChange::ReadOnly(on) => {
            new.read_only = *on;
            if *on { "READ_ONLY" } else { "READ_WRITE" }
        }
        FileGroupChange::AutogrowAllFiles(on) => {
            new.autogrow_all_files = *on;
            if *on { "AUTOGROW_ALL_FILES" } else { "AUTOGROW_SINGLE_FILE" }
        }
    };
    put(context, def.id, Definition::FileGroup(Arc::new(new)))?;
    let args: [Shown; 2] = [&"filegroup", &property];
    Ok(Told::message(SqlError::new(&message::PROPERTY_HAS_BEEN_SET, &args)))
}

#[cfg(test)]
mod tests;
