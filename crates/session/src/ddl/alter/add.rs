//! `ALTER TABLE … ADD`: columns, constraints, indexes.

use base::{SqlError, message};
use engine::catalog::def::*;
use tsql::ast::{self, ConstraintKind, TableElement};

use super::rebuild::{self, Rebuild, Source};
use super::{Altered, constraints};
use crate::context::Context;
use crate::ddl::data::RowExpr;
use crate::ddl::failure::{AboutConstraint, DdlResult, constraint_error};
use crate::ddl::index::check_options;
use crate::ddl::names::DefinitionNames;
use crate::ddl::table::{Builder, Purpose, Setting, count_constraints};
use crate::ddl::temporal;

type Shown<'a> = &'a dyn std::fmt::Display;

/// `[WITH CHECK | NOCHECK] ADD …`.
pub fn add(
    context: &mut Context<'_>,
    altered: &Altered,
    check: Option<bool>,
    elements: &[TableElement],
) -> DdlResult<()> {
    let (database, private) = (altered.database, altered.old.header.name.starts_with('#'));
    let private = private && !altered.old.header.name.starts_with("##");
    let count = count_constraints(elements);
    let ids = {
        let (_, edit) = context.edit(database)?;
        let new_id = |_| match private {
            true => edit.new_temporary_id(),
            false => edit.new_object_id(),
        };
        (0..count).map(new_id).collect()
    };
    let copy = altered.copy(context);
    let (new, warnings) = {
        let names = DefinitionNames::new(context.session, database);
        let setting = Setting::new(context.session, &names, database)?;
        let mut builder = Builder::new(&setting, copy, Purpose::Table, ids);
        builder.check_history(elements)?;
        builder.check_versioned(elements)?;
        builder.added(elements)?;
        (builder.table, builder.warnings)
    };
    let is_added = |index: &IndexDef| altered.old.indexes.iter().all(|o| o.name != index.name);
    check_options(context, database, &new, &is_added, "ALTER TABLE")?;
    let added = Added { context, altered, elements };
    let (sources, exprs) = added.sources(&new)?;
    let unchecked = check == Some(false);
    let new = mark_untrusted(altered, new, unchecked);
    let checks = new_constraints(altered, &new);
    let change = Rebuild {
        database,
        old: &altered.old,
        new: new.clone(),
        sources,
        exprs: exprs.iter().map(|(text, ty)| RowExpr { text, ty: *ty }).collect(),
        statement: "ALTER TABLE",
    };
    let adds_keys = new.indexes.len() > altered.old.indexes.len();
    let done = rebuild::put(context, change);
    match adds_keys {
        true => done.or_no_constraint()?,
        false => done?,
    }
    if altered.old.period.is_none() && new.period.is_some() {
        temporal::check_period(context, database, new.id())?;
    }
    let added = new.indexes.iter().filter(|i| altered.old.indexes.iter().all(|o| o.name != i.name));
    let added: Vec<Name> = added.map(|index| index.name.clone()).collect();
    constraints::verify_entries(context, database, new.id(), &added)?;
    if !unchecked {
        constraints::verify(context, database, new.id(), &checks)?;
    }
    for warning in warnings {
        context.inform(warning)?;
    }
    Ok(())
}

/// Constraints added `WITH NOCHECK` are not trusted.
fn mark_untrusted(altered: &Altered, mut new: TableDef, unchecked: bool) -> TableDef {
    if unchecked {
        let (checks, keys) = (altered.old.checks.len(), altered.old.foreign_keys.len());
        new.checks[checks..].iter_mut().for_each(|c| c.not_trusted = true);
        new.foreign_keys[keys..].iter_mut().for_each(|k| k.not_trusted = true);
    }
    new
}

/// The checks and foreign keys that a table has now and had not before.
fn new_constraints(altered: &Altered, new: &TableDef) -> Vec<base::ids::ObjectId> {
    let checks = new.checks[altered.old.checks.len()..].iter().map(|c| c.header.id);
    let keys = new.foreign_keys[altered.old.foreign_keys.len()..].iter().map(|k| k.header.id);
    checks.chain(keys).collect()
}

impl Builder<'_> {
    /// The elements of an `ADD`.
    fn added(&mut self, elements: &[TableElement]) -> DdlResult<()> {
        let columns: Vec<&ast::ColumnDefinition> = elements
            .iter()
            .filter_map(|element| match element {
                TableElement::Column(column) => Some(&**column),
                _ => None,
            })
            .collect();
        let primary = crate::ddl::table::primary_key_columns(elements);
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
        for (constraint, column) in crate::ddl::table::constraints(elements) {
            self.key_constraint(constraint, column)?;
        }
        for (index, column) in elements.iter().filter_map(crate::ddl::table::inline_index) {
            self.inline_index(index, column)?;
        }
        for element in elements {
            if let TableElement::Constraint(constraint) = element
                && let ConstraintKind::Default { value, column: Some(column), .. } =
                    &constraint.kind
            {
                self.table_default(constraint, column, value)?;
            }
        }
        self.checks(elements)?;
        self.foreign_keys(elements)?;
        self.check_row_size()
    }

    /// `DEFAULT … FOR column`. Error 1752.
    fn table_default(
        &mut self,
        constraint: &ast::Constraint,
        column: &ast::Ident,
        value: &ast::Expr,
    ) -> DdlResult<()> {
        let Some(place) = self.find_column(&column.name) else {
            let table = self.name();
            let args: [Shown; 2] = [&column.name, &table];
            let error = SqlError::new(&message::DEFAULT_COLUMN_INVALID, &args);
            return Err(constraint_error(error.at_line(constraint.span.line)));
        };
        let made = self.default(constraint.name.as_ref(), place, value);
        made.map_err(|f| f.at_line(constraint.span.line))
    }
}

/// Expressions over rows, with the types of their values.
type OwnedExprs = Vec<(String, base::SqlType)>;

/// What is added, to find out what rows get.
struct Added<'a, 'c> {
    context: &'a mut Context<'c>,
    altered: &'a Altered,
    elements: &'a [TableElement],
}

impl Added<'_, '_> {
    /// Where the columns of rows come from, and expressions with their types.
    fn sources(self, new: &TableDef) -> DdlResult<(Vec<Source>, OwnedExprs)> {
        let old = &self.altered.old;
        let (mut sources, exprs) = rebuild::same_columns(old, new);
        let mut exprs: Vec<(String, base::SqlType)> =
            exprs.into_iter().map(|e| (e.text.to_owned(), e.ty)).collect();
        let is_new = |c: &ColumnDef| old.column(c.id).is_none() && c.computed.is_none();
        let mut needs_value = None;
        for (at, column) in new.stored_columns().enumerate().filter(|(_, c)| is_new(c)) {
            if column.identity.is_some() {
                sources[at] = Source::Identity;
            } else if column.ty.kind == base::TypeKind::RowVersion {
                sources[at] = Source::RowVersion;
            } else if let Some(default) = column.default_text() {
                if !column.nullable || self.with_values(&column.name) {
                    exprs.push((default.to_string(), column.ty));
                    sources[at] = Source::Expr(exprs.len() - 1);
                }
            } else if !column.nullable {
                needs_value = Some(column.name.clone());
            }
        }
        // A new computed column may use new stored ones, which old rows do not have.
        for column in new.columns.iter().filter(|c| old.column(c.id).is_none() && c.is_stored()) {
            let Some(computed) = &column.computed else { continue };
            let uses_new = computed.columns.iter().any(|id| old.column(*id).is_none());
            if uses_new && self.has_rows()? {
                let what = "PERSISTED column over a column that is added with it";
                return Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into());
            }
        }
        if let Some(column) = needs_value
            && self.has_rows()?
        {
            let table = self.altered.name();
            let args: [Shown; 2] = [&column, &table];
            return Err(SqlError::new(&message::ADDED_COLUMN_NEEDS_VALUE, &args).into());
        }
        Ok((sources, exprs))
    }

    fn has_rows(&self) -> DdlResult<bool> {
        let catalog = self.context.catalog(self.altered.database)?;
        let table = catalog.table(&self.altered.old).expect("a table has its storage");
        Ok(!table.is_empty())
    }

    /// Whether a column is added `WITH VALUES`.
    fn with_values(&self, name: &str) -> bool {
        self.elements.iter().any(|element| {
            let TableElement::Column(column) = element else { return false };
            *column.name.name == *name
                && column.constraints.iter().any(|constraint| {
                    matches!(constraint.kind, ConstraintKind::Default { with_values: true, .. })
                })
        })
    }
}
