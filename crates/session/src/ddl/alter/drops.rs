//! `ALTER TABLE … DROP`: columns, constraints, indexes.

use base::{SqlError, message};
use engine::catalog::def::*;
use tsql::ast::{self, AlterTableDropKind};

use super::Altered;
use super::rebuild::{self, Rebuild};
use crate::context::Context;
use crate::ddl::failure::{DdlResult, Failure, raised};
use crate::ddl::table::find_index;

type Shown<'a> = &'a dyn std::fmt::Display;

/// `DROP …`.
pub fn drop(
    context: &mut Context<'_>,
    altered: &Altered,
    drops: &[ast::AlterTableDrop],
) -> DdlResult<()> {
    let mut new = altered.copy(context);
    for drop in drops {
        let line = drop.name.span.line;
        let done = match drop.kind {
            AlterTableDropKind::Constraint => drop_constraint(altered, &mut new, drop),
            AlterTableDropKind::Column => drop_column(altered, &mut new, drop),
            AlterTableDropKind::Index => drop_index(altered, &mut new, drop),
            AlterTableDropKind::Period => {
                drop_period(&mut new);
                Ok(())
            }
        };
        done.map_err(|f| f.at_line(line))?;
    }
    store_less(&mut new);
    check_memory(&new)?;
    let old = altered.old.clone();
    let definition = new.clone();
    let (sources, exprs) = rebuild::same_columns(&old, &definition);
    let statement = "ALTER TABLE";
    let database = altered.database;
    rebuild::put(context, Rebuild { database, old: &old, new, sources, exprs, statement })
}

/// The columns of the period stay, and show.
fn drop_period(table: &mut TableDef) {
    let Some(period) = table.period.take() else { return };
    for column in &mut table.columns {
        column.hidden &= column.id != period.start && column.id != period.end;
    }
}

/// Computed columns are stored only while something needs it.
fn store_less(table: &mut TableDef) {
    let in_index = |table: &TableDef, id| {
        table
            .indexes
            .iter()
            .any(|i| i.key.iter().any(|k| k.column == id) || i.included.contains(&id))
    };
    for at in 0..table.columns.len() {
        let needed = in_index(table, table.columns[at].id);
        if let Some(computed) = &mut table.columns[at].computed {
            computed.stored = computed.persisted || needed;
        }
    }
}

/// What memory-optimized tables must keep. Errors 41321, 41327.
fn check_memory(table: &TableDef) -> DdlResult<()> {
    if !table.kind.is_memory_optimized() {
        return Ok(());
    }
    let name = &table.header.name;
    let message = if table.indexes.is_empty() {
        &message::MEMORY_OPTIMIZED_NEEDS_INDEX
    } else if table.kind == TableKind::MemoryDurable && table.primary_key().is_none() {
        &message::DURABLE_NEEDS_PRIMARY_KEY
    } else {
        return Ok(());
    };
    Err(SqlError::new(message, &[name]).into())
}

/// Followed by 3727.
fn with_3727(error: SqlError) -> Failure {
    Failure::from(error).then(raised(&message::DROP_CONSTRAINT_FAILED, 0))
}

/// Drops a constraint. Errors 3725, 3728, 3733, 3734.
fn drop_constraint(
    altered: &Altered,
    new: &mut TableDef,
    drop: &ast::AlterTableDrop,
) -> DdlResult<()> {
    let schema = &altered.schema;
    let same = |header: &ConstraintHeader| schema.same_name(&header.name, &drop.name.name);
    let found = new.constraints().find(|(_, header)| same(header)).map(|(kind, h)| (kind, h.id));
    let Some((kind, id)) = found else {
        if drop.if_exists {
            return Ok(());
        }
        let other = schema.find_object(altered.old.header.schema, &drop.name.name);
        let error = match other.filter(|o| o.kind().is_constraint()) {
            Some(_) => {
                let table = altered.name();
                let args: [Shown; 2] = [&drop.name.name, &table];
                SqlError::new(&message::CONSTRAINT_NOT_OF_TABLE, &args)
            }
            None => SqlError::new(&message::NOT_A_CONSTRAINT, &[&drop.name.name]),
        };
        return Err(with_3727(error));
    };
    match kind {
        ObjectKind::Check => new.checks.retain(|c| c.header.id != id),
        ObjectKind::ForeignKey => new.foreign_keys.retain(|k| k.header.id != id),
        ObjectKind::Default => {
            for column in &mut new.columns {
                if column.default.as_ref().is_some_and(|d| d.header.id == id) {
                    column.default = None;
                }
            }
        }
        _ => {
            let is_it = |i: &IndexDef| i.constraint.as_ref().is_some_and(|c| c.header.id == id);
            let place = new.indexes.iter().position(is_it).expect("a key has an index");
            check_unreferenced(altered, &new.indexes[place])?;
            if new.indexes[place].is_primary_key() && !new.derived_indexes.is_empty() {
                let key = &new.indexes[place].name;
                return Err(with_3727(SqlError::new(&message::XML_INDEX_NEEDS_KEY, &[key])));
            }
            new.indexes.remove(place);
        }
    }
    Ok(())
}

/// Error 3725 if a foreign key refers to an index.
fn check_unreferenced(altered: &Altered, index: &IndexDef) -> DdlResult<()> {
    for incoming in &altered.old.referenced_by {
        let Some(table) = altered.schema.table(incoming.table) else { continue };
        let key = table.foreign_keys.iter().find(|k| k.header.id == incoming.constraint);
        if let Some(key) = key.filter(|k| k.referenced_index == index.id) {
            let args: [Shown; 3] = [&index.name, &table.header.name, &key.header.name];
            let error = SqlError::new(&message::DROP_PRIMARY_KEY_REFERENCED, &args);
            return Err(with_3727(error));
        }
    }
    Ok(())
}

/// `DROP INDEX`, which memory-optimized tables have. Errors 3723, 7999.
fn drop_index(altered: &Altered, new: &mut TableDef, drop: &ast::AlterTableDrop) -> DdlResult<()> {
    let Some(place) = find_index(&altered.schema, new, &drop.name.name) else {
        if drop.if_exists {
            return Ok(());
        }
        let table = altered.name();
        let args: [Shown; 2] = [&drop.name.name, &table];
        return Err(SqlError::new(&message::INDEX_DOES_NOT_EXIST_ON, &args).into());
    };
    if let Some(constraint) = &new.indexes[place].constraint {
        let kind = if constraint.primary { "PRIMARY KEY" } else { "UNIQUE KEY" };
        let shown = format!("{}.{}", altered.name(), drop.name.name);
        let args: [Shown; 2] = [&shown, &kind];
        return Err(SqlError::new(&message::DROP_INDEX_ENFORCES_CONSTRAINT, &args).into());
    }
    check_unreferenced(altered, &new.indexes[place])?;
    new.indexes.remove(place);
    Ok(())
}

/// Errors 4922 with 5074, 4923, 4924.
fn drop_column(altered: &Altered, new: &mut TableDef, drop: &ast::AlterTableDrop) -> DdlResult<()> {
    let name = &drop.name.name;
    let same = |c: &ColumnDef| altered.schema.same_name(&c.name, name);
    let Some(place) = new.columns.iter().position(same) else {
        if drop.if_exists {
            return Ok(());
        }
        let table = altered.name();
        let args: [Shown; 3] = [&"ALTER TABLE DROP COLUMN", name, &table];
        return Err(SqlError::new(&message::ALTER_COLUMN_NOT_FOUND, &args).into());
    };
    let column = new.columns[place].clone();
    let users = users_of(altered, new, &column, Purpose::Drop);
    refuse_used(&column, &users, "ALTER TABLE DROP COLUMN")?;
    let data = |c: &&ColumnDef| c.computed.is_none();
    if column.computed.is_none() && new.columns.iter().filter(data).count() == 1 {
        let table = altered.name();
        let args: [Shown; 2] = [name, &table];
        return Err(SqlError::new(&message::DROP_ONLY_COLUMN, &args).into());
    }
    new.columns.remove(place);
    Ok(())
}

/// What is done to a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::ddl) enum Purpose {
    Drop,
    /// It gets another type.
    Retype,
    /// Its collation changes.
    Recollate,
    /// The length, precision or scale of its type changes.
    Resize,
    /// The length of its type, `varchar`, `nvarchar` or `varbinary`, changes.
    ResizeVariable,
    /// It is one of these and only gets longer, or its nullability changes.
    Widen,
}

impl Purpose {
    /// Whether an index, statistics or a foreign key on the column forbids it.
    fn is_refused_by_keys(self) -> bool {
        self != Purpose::Widen
    }

    /// Whether a default forbids it.
    fn is_refused_by_default(self) -> bool {
        matches!(self, Purpose::Drop | Purpose::Retype)
    }

    /// Whether a `CHECK` constraint forbids it.
    fn is_refused_by_check(self) -> bool {
        !matches!(self, Purpose::ResizeVariable | Purpose::Widen)
    }
}

/// What stands against a change of a column: its kind and name.
pub(in crate::ddl) fn users_of(
    altered: &Altered,
    table: &TableDef,
    column: &ColumnDef,
    purpose: Purpose,
) -> Vec<(&'static str, Name)> {
    let id = column.id;
    let mut users: Vec<(&'static str, Name)> = Vec::new();
    let by_keys = purpose.is_refused_by_keys();
    for index in &table.indexes {
        let in_key = index.key.iter().any(|k| k.column == id);
        let filtered = index.filter.iter().flat_map(|f| &f.terms).any(|t| t.column == id);
        let uses = in_key || filtered || index.included.contains(&id);
        if uses && by_keys {
            let kind = if index.constraint.is_some() { "object" } else { "index" };
            users.push((kind, index.name.clone()));
        }
    }
    let in_key = table.primary_key().is_some_and(|key| key.key.iter().any(|k| k.column == id));
    for index in &table.derived_indexes {
        // Entries have the primary key's values, of its columns' types.
        if in_key || index.column == id && by_keys {
            users.push(("index", index.name.clone()));
        }
    }
    for statistics in table.statistics.iter().filter(|s| s.columns.contains(&id) && by_keys) {
        users.push(("statistics", statistics.name.clone()));
    }
    if let Some(default) = column.default.as_ref().filter(|_| purpose.is_refused_by_default()) {
        users.push(("object", default.header.name.clone()));
    }
    let bound = [
        column.bound_default.as_ref().map(|bound| bound.object),
        column.bound_rule.as_ref().map(|bound| bound.object),
    ];
    for id in bound.into_iter().flatten().filter(|_| purpose.is_refused_by_default()) {
        users.extend(altered.schema.object(id).map(|object| ("object", object.name().clone())));
    }
    let checks = table.checks.iter().filter(|c| c.columns.contains(&id));
    if purpose.is_refused_by_check() {
        users.extend(checks.map(|c| ("object", c.header.name.clone())));
    }
    if by_keys {
        let keys = table.foreign_keys.iter();
        let own = keys.filter(|k| k.columns.iter().any(|column| column.own == id));
        users.extend(own.map(|k| ("object", k.header.name.clone())));
    }
    for other in &table.columns {
        if other.computed.as_ref().is_some_and(|c| c.columns.contains(&id)) {
            users.push(("column", other.name.clone()));
        }
    }
    let is_it = |r: &Reference| r.id == Some(table.id().0) && r.column == Some(id);
    for policy in table.policies.iter().filter(|policy| policy.schema_bound) {
        if policy.predicates.iter().flat_map(|p| &p.references).any(is_it) {
            users.push(("object", policy.header.name.clone()));
        }
    }
    for user in altered.schema.users_of(table.id()).filter(|user| user.bound) {
        let Some(module) = altered.schema.module(user.object) else { continue };
        if mentions(&module.definition, &column.name) {
            users.push(("object", module.header.name.clone()));
        }
    }
    users
}

/// Whether a text contains a name, as a word of its own.
fn mentions(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    let is_part = |c: char| c.is_alphanumeric() || "_@#$".contains(c);
    text.match_indices(&name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Errors 5074, one for each, and 4922.
pub(in crate::ddl) fn refuse_used(
    column: &ColumnDef,
    users: &[(&'static str, Name)],
    statement: &str,
) -> DdlResult<()> {
    if users.is_empty() {
        return Ok(());
    }
    let before = users.iter().map(|(kind, user)| {
        let args: [Shown; 4] = [kind, user, &"column", &column.name];
        SqlError::new(&message::OBJECT_DEPENDS_ON, &args)
    });
    let args: [Shown; 2] = [&statement, &column.name];
    let error = SqlError::new(&message::ALTER_COLUMN_DEPENDENCIES, &args);
    Err(Failure { before: before.collect(), error })
}

#[cfg(test)]
mod tests;
