//! `ALTER TABLE … ALTER COLUMN`.

use base::types::conversion::check_implicit;
use base::types::declare::Subject;
use base::{SqlError, TypeKind, message};
use compile::bind;
use engine::catalog::def::*;
use tsql::ast::{self, ColumnChange, ColumnProperty};

use super::Altered;
use super::drops::{Purpose, refuse_used, users_of};
use super::rebuild::{self, Rebuild};
use crate::context::Context;
use crate::ddl::failure::DdlResult;
use crate::ddl::names::DefinitionNames;
use crate::ddl::table::{self, Builder, Setting};
use crate::security::WHOLE_DATABASE;

type Shown<'a> = &'a dyn std::fmt::Display;

const STATEMENT: &str = "ALTER TABLE ALTER COLUMN";

/// `ALTER COLUMN`.
pub fn alter(
    context: &mut Context<'_>,
    altered: &Altered,
    change: &ast::AlterColumn,
) -> DdlResult<()> {
    let place = altered.column(STATEMENT, &change.name.name)?;
    let mut new = altered.copy(context);
    match &change.change {
        ColumnChange::Type { ty, collation, masked, nullable, sparse } => {
            let written = Written { ty, collation: collation.as_ref(), nullable: *nullable };
            let mut column = retyped(context, altered, place, &written, *sparse)?;
            // A mask stays only if it is said again.
            column.mask = match masked {
                Some(text) => Some(table::read_mask(text, &column.name, &column.ty)?),
                None => None,
            };
            if column.mask != altered.old.columns[place].mask {
                check_mask(context, altered)?;
            }
            new.columns[place] = column;
            let memory = new.kind.is_memory_optimized();
            if memory {
                check_memory(context, altered, &new)?;
            }
        }
        ColumnChange::Property(_, ColumnProperty::Masked(text)) => {
            change_mask(context, altered, &mut new.columns[place], text.as_deref())?;
        }
        ColumnChange::Property(add, property) => {
            change_property(altered, &mut new, place, *add, property)?;
        }
    }
    let old = altered.old.clone();
    let definition = new.clone();
    let (sources, exprs) = rebuild::same_columns(&old, &definition);
    let (database, statement) = (altered.database, "UPDATE");
    rebuild::put(context, Rebuild { database, old: &old, new, sources, exprs, statement })
}

/// Error 15247 unless the session may change masks.
fn check_mask(context: &Context<'_>, altered: &Altered) -> DdlResult<()> {
    match context.may(altered.database, WHOLE_DATABASE, Permission::AlterAnyMask) {
        true => Ok(()),
        false => Err(SqlError::new(&message::ONLY_SYSADMIN, &[]).with_state(5).into()),
    }
}

/// `ADD MASKED` or `DROP MASKED`. Errors 4928, 15247, 16007, and 5074 with 4922 where something is
/// made of the column.
fn change_mask(
    context: &Context<'_>,
    altered: &Altered,
    column: &mut ColumnDef,
    text: Option<&str>,
) -> DdlResult<()> {
    check_mask(context, altered)?;
    if column.computed.is_some() {
        let args: [Shown; 2] = [&column.name, &"COMPUTED"];
        return Err(SqlError::new(&message::ALTER_COLUMN_KIND, &args).into());
    }
    let users = users_of(altered, &altered.old, column, Purpose::Widen);
    refuse_used(column, &users, STATEMENT)?;
    column.mask = match text {
        Some(text) => Some(table::read_mask(text, &column.name, &column.ty)?),
        None if column.mask.is_some() => None,
        None => return Err(SqlError::new(&message::COLUMN_NOT_MASKED, &[&column.name]).into()),
    };
    Ok(())
}

/// What is written after `ALTER COLUMN name`.
struct Written<'w> {
    ty: &'w ast::DataType,
    collation: Option<&'w ast::Ident>,
    nullable: Option<bool>,
}

/// The column with its new type. Errors 4922, 4927, 4928.
fn retyped(
    context: &Context<'_>,
    altered: &Altered,
    place: usize,
    written: &Written<'_>,
    sparse: bool,
) -> DdlResult<ColumnDef> {
    let old = &altered.old.columns[place];
    let refuse = |what: &str| {
        let args: [Shown; 2] = [&old.name, &what];
        DdlResult::Err(SqlError::new(&message::ALTER_COLUMN_KIND, &args).into())
    };
    if old.column_set {
        return refuse("COLUMN_SET");
    }
    if old.computed.is_some() {
        return refuse("COMPUTED");
    }
    if old.ty.kind == TypeKind::RowVersion {
        return refuse("timestamp");
    }
    if old.rowguidcol && old.ty.kind != TypeKind::UniqueIdentifier {
        return refuse("ROWGUIDCOL");
    }
    let names = DefinitionNames::new(context.session, altered.database);
    let setting = Setting::new(context.session, &names, altered.database)?;
    let subject = Subject::Column(&old.name);
    let declared = bind::data_type(&setting.bind(), written.ty, subject, place as u32 + 1)?;
    let builder =
        Builder::new(&setting, TableDef::clone(&altered.old), table::Purpose::Table, Vec::new());
    let ty = builder.collated(written.collation, declared.ty, declared.user_type)?;
    let mut new = old.clone();
    new.ty = ty;
    new.user_type = declared.user_type;
    new.sparse = sparse || old.sparse;
    if new.user_type != old.user_type {
        (new.bound_default, new.bound_rule) = (None, None);
        builder.inherit_bindings(&mut new)?;
    }
    let in_key =
        altered.old.primary_key().is_some_and(|key| key.key.iter().any(|k| k.column == old.id));
    new.nullable = match (written.nullable, declared.nullable) {
        (Some(written), _) => written,
        _ if in_key || old.identity.is_some() => false,
        (None, Some(alias)) => alias,
        (None, None) => setting.nulls,
    };
    new.set_padding(setting.ansi_padding);
    if new.nullable && (in_key || old.identity.is_some()) {
        let name = altered.old.primary_key().map(|k| k.name.clone());
        let users = [("object", name.unwrap_or_else(|| old.name.clone()))];
        refuse_used(old, &users, STATEMENT)?;
    }
    let kind = ty.kind;
    if kind == TypeKind::RowVersion || old.identity.is_some() && !table::identity_type(&ty) {
        let args: [Shown; 2] = [&old.name, &kind.name()];
        return Err(SqlError::new(&message::ALTER_COLUMN_TYPE, &args).into());
    }
    check_implicit(old.ty.kind, kind)?;
    refuse_change(altered, old, &new)?;
    Ok(new)
}

/// What uses a column of the altered table may stand against its new definition. Errors 5074, 4922.
pub(in crate::ddl) fn refuse_change(
    altered: &Altered,
    old: &ColumnDef,
    new: &ColumnDef,
) -> DdlResult<()> {
    let Some(purpose) = purpose(old, new) else { return Ok(()) };
    let users = users_of(altered, &altered.old, old, purpose);
    refuse_used(old, &users, STATEMENT)
}

/// How much a change is; `None` if only NULL is concerned and nothing forbids it.
fn purpose(old: &ColumnDef, new: &ColumnDef) -> Option<Purpose> {
    use TypeKind::*;
    let (was, is) = (old.declared_type().kind, new.declared_type().kind);
    let variable = matches!(was, VarChar | NVarChar | VarBinary);
    let longer = new.ty.byte_limit() >= old.ty.byte_limit() && !new.ty.is_max();
    if old.ty == new.ty {
        return (old.nullable != new.nullable).then_some(Purpose::Widen);
    }
    Some(if was != is {
        Purpose::Retype
    } else if old.ty.collation != new.ty.collation {
        Purpose::Recollate
    } else if !variable {
        Purpose::Resize
    } else if longer {
        Purpose::Widen
    } else {
        Purpose::ResizeVariable
    })
}

fn check_memory(context: &Context<'_>, altered: &Altered, new: &TableDef) -> DdlResult<()> {
    let names = DefinitionNames::new(context.session, altered.database);
    let setting = Setting::new(context.session, &names, altered.database)?;
    let builder = Builder::new(&setting, new.clone(), table::Purpose::Table, Vec::new());
    builder.check_memory_columns()
}

/// `ADD` or `DROP` of a property.
fn change_property(
    altered: &Altered,
    new: &mut TableDef,
    place: usize,
    add: bool,
    property: &ColumnProperty,
) -> DdlResult<()> {
    let name = new.columns[place].name.clone();
    match property {
        ColumnProperty::RowGuidCol => {
            if add && new.columns[place].ty.kind != TypeKind::UniqueIdentifier {
                return Err(SqlError::new(&message::ROWGUIDCOL_NEEDS_GUID, &[]).into());
            }
            if add {
                new.columns.iter_mut().for_each(|c| c.rowguidcol = false);
            }
            new.columns[place].rowguidcol = add;
        }
        ColumnProperty::Persisted => {
            let in_index = altered.old.indexes.iter().any(|i| {
                let id = altered.old.columns[place].id;
                i.key.iter().any(|k| k.column == id) || i.included.contains(&id)
            });
            let Some(computed) = &mut new.columns[place].computed else {
                let error = SqlError::new(&message::PERSISTED_NOT_COMPUTED, &[&name]);
                return Err(error.into());
            };
            computed.persisted = add;
            computed.stored = add || in_index;
        }
        ColumnProperty::NotForReplication => {
            if let Some(identity) = &mut new.columns[place].identity {
                identity.not_for_replication = add;
            }
        }
        ColumnProperty::Sparse => new.columns[place].sparse = add,
        ColumnProperty::Hidden => new.columns[place].hidden = add,
        // It has a function of its own.
        ColumnProperty::Masked(_) => {}
    }
    Ok(())
}
