//! Definitions: every statement that changes the catalog.
//!
//! # The life of a definition
//!
//! [`execute`] is given a statement and a [`Context`]. Most statements run within
//! [`Context::definition`]: in the open transaction, or in one of their own; when they fail, what
//! they did is undone. They begin with [`Context::lock_edit`] (definitions of local temporary
//! objects do without), so that the schema that they check stays the same; they make new
//! definitions from the tree and the schema; and they put these into the catalog through its
//! [`SchemaEdit`](engine::catalog::SchemaEdit), which locks what they change and rely on. Where
//! another transaction was faster, the statement is done once more: until its end it sends the
//! client nothing. Databases are made, altered and dropped outside of transactions.
//!
//! # Where things are
//!
//! * `place`: where new objects go, and what names mean; `names`: the same for the binder.
//! * `table`: definitions of tables; `alter`: `ALTER TABLE`; `index`: indexes and statistics.
//! * `temporal`: system versioning; `tracking`: change tracking; `derived_index`: XML
//!   and spatial indexes, of which `xml_index` and `spatial_index` are what is their own;
//!   `indexed_view`: the rows of indexed views.
//! * `module`: procedures, functions, views and triggers.
//! * `object`: schemas, types, sequences, synonyms; `collection`: XML schema collections; `drop`:
//!   `DROP` of all of them.
//! * `policy`: security policies.
//! * `database`: databases, their files and options; `security`: principals and permissions.
//! * `rename`, `property`: the implementation of `sp_rename` and of the procedures for extended
//!   properties.
//! * `data`: what definitions ask about the rows that are there.
//! * `failure`: failures with several errors.

mod alter;
mod bindable;
mod classification;
mod collection;
pub(crate) mod data;
pub(crate) mod database;
mod derived_index;
mod drop;
pub(crate) mod failure;
mod index;
mod indexed_view;
mod module;
mod names;
mod object;
pub(crate) mod place;
mod policy;
pub mod property;
pub mod rename;
pub(crate) mod security;
mod spatial_index;
mod table;
pub(crate) mod temporal;
pub(crate) mod tracking;
mod xml_index;
mod xml_selective;

use base::{SqlError, SqlResult, message};
use tsql::ast::{self, StatementKind};

use crate::context::Context;
use failure::{DdlResult, Failure};

pub use alter::distrust;
pub(crate) use database::{
    detach as detach_database, drop_new as drop_new_database, may_alter as may_alter_database,
};
pub use failure::raised;
pub use module::refresh as refresh_module;
pub(crate) use module::{EventTriggers, may_define_event_triggers};
pub use names::DefinitionNames;
pub(crate) use place::is_private;
pub(crate) use security::is_of_server;
pub use security::membership;
pub use table::{fill_new_table, shown_name, table_variable};

/// Runs a definition statement. `text` is the batch that the statement's positions refer to. Error
/// 401 for statements that are nothing of the kind.
pub fn execute(context: &mut Context<'_>, statement: &ast::Statement, text: &str) -> SqlResult<()> {
    use StatementKind as S;
    let line = statement.span.line;
    let result = match &statement.kind {
        S::CreateDatabase(create) => database::create(context, create),
        S::AlterDatabase(alter) => database::alter(context, alter),
        S::ScopedConfiguration(change) => database::scoped_configuration(context, change),
        S::DiskInit { name } => database::disk_init(context, name),
        S::Drop(drop) if drop.kind == ast::DropKind::Database => database::drop(context, drop),
        S::UpdateStatistics(update) => index::update_statistics(context, update),
        S::Drop(drop) if drop.names.len() > 1 => drop_each(context, drop),
        _ => within(context, |context| define(context, statement, text)),
    };
    result.map_err(|failure| failure.at_line(line).report(context))
}

/// Drops several things, each by itself: those that can be dropped are, whatever the others do.
fn drop_each(context: &mut Context<'_>, drop: &ast::DropStatement) -> DdlResult<()> {
    let mut errors = Vec::new();
    for name in &drop.names {
        let one = ast::DropStatement { names: vec![name.clone()], ..drop.clone() };
        let dropped = within(context, |context| drop::drop(context, &one));
        if let Err(failure) = dropped {
            errors.extend(failure.before);
            errors.push(failure.error);
        }
    }
    match errors.pop() {
        Some(error) => Err(Failure { before: errors, error }),
        None => Ok(()),
    }
}

/// `CREATE` and `ALTER XML SCHEMA COLLECTION` with the value that was given.
pub fn define_collection(
    context: &mut Context<'_>,
    statement: &ast::XmlCollectionStatement,
    text: &str,
) -> SqlResult<()> {
    let made = within(context, |context| match statement.action {
        ast::CreateAction::Create => collection::create(context, &statement.name, text),
        _ => collection::add(context, &statement.name, text),
    });
    let line = statement.name.span.line;
    made.map_err(|failure| failure.at_line(line).report(context))
}

/// Makes the table that a `SELECT … INTO` fills.
pub fn select_into(
    context: &mut Context<'_>,
    into: &ast::SelectInto,
    columns: &[compile::bind::QueryColumn],
) -> SqlResult<(base::ids::DbId, std::sync::Arc<engine::catalog::def::TableDef>)> {
    let made = within(context, |context| fill_new_table(context, into, columns));
    made.map_err(|failure| failure.report(context))
}

/// Runs a function as a definition statement.
fn within<T>(
    context: &mut Context<'_>,
    mut body: impl FnMut(&mut Context<'_>) -> DdlResult<T>,
) -> DdlResult<T> {
    let mut before = Vec::new();
    let result = context.definition(|context| {
        body(context).map_err(|failure| {
            before = failure.before;
            failure.error
        })
    });
    result.map_err(|error| Failure { before, error })
}

/// The statements that run within a definition.
fn define(context: &mut Context<'_>, statement: &ast::Statement, text: &str) -> DdlResult<()> {
    use StatementKind as S;
    base::on_purpose::reached(base::on_purpose::Place::Definition);
    match &statement.kind {
        S::CreateTable(create) => table::create_table(context, create),
        S::AlterTable(alter) => alter::alter_table(context, alter),
        S::TruncateTable(truncate) => alter::truncate(context, truncate),
        S::CreateIndex(create) => index::create(context, create),
        S::CreateXmlIndex(create) => xml_index::create(context, create),
        S::CreateSpatialIndex(create) => spatial_index::create(context, create),
        S::AlterIndex(alter) => index::alter(context, alter),
        S::DropIndex(drop) => index::drop(context, drop),
        S::CreateStatistics(create) => index::create_statistics(context, create),
        S::DropStatistics(names) => index::drop_statistics(context, names),
        S::Module(module) => module::define(context, module, text),
        S::ToggleTrigger(toggle) => alter::toggle_triggers(context, toggle),
        S::CreateSchema(create) => object::create_schema(context, create, text),
        S::AlterSchema(alter) => object::transfer(context, alter),
        S::CreateType(create) => object::create_type(context, create),
        S::Sequence(sequence) => object::sequence(context, sequence),
        S::CreateSynonym(create) => object::create_synonym(context, create),
        S::CreateBindable(create) => bindable::create(context, create, text),
        S::SecurityPolicy(statement) => policy::define(context, statement),
        S::Sensitivity(statement) => classification::change(context, statement),
        S::Drop(drop) => drop::drop(context, drop),
        S::DropTrigger(drop) => drop::drop_triggers(context, drop),
        S::Login(login) => security::login(context, login),
        S::User(user) => security::user(context, user),
        S::Role(role) => security::role(context, role),
        S::Permission(permission) => security::permission(context, permission),
        S::AlterAuthorization(change) => security::authorization(context, change),
        _ => Err(SqlError::new(&message::UNIMPLEMENTED, &[&"statement"]).into()),
    }
}
