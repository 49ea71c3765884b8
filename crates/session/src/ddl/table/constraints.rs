//! Keys, checks and defaults.

use std::sync::Arc;

use base::{SqlError, TypeKind, message};
use compile::bind::define;
use engine::catalog::def::*;
use tsql::ast::{self, ConstraintKind};

use super::indexes::{IndexRequest, columns};
use super::{Builder, NameParts};
use crate::ddl::failure::{AboutConstraint, DdlResult, constraint_error};

impl Builder<'_> {
    /// `PRIMARY KEY` or `UNIQUE`, after a column or of the table.
    pub fn key_constraint(
        &mut self,
        constraint: &ast::Constraint,
        column: Option<&str>,
    ) -> DdlResult<()> {
        let ConstraintKind::Key(key) = &constraint.kind else { return Ok(()) };
        let kind = if key.primary { "PRIMARY KEY" } else { "UNIQUE" };
        self.check_constraint_name(constraint.name.as_ref(), kind)?;
        let made = self.key_index(constraint.name.as_ref(), key, column);
        made.map_err(|f| f.at_line(constraint.span.line)).or_no_constraint()
    }

    fn key_index(
        &mut self,
        name: Option<&ast::Ident>,
        key: &ast::KeyConstraint,
        column: Option<&str>,
    ) -> DdlResult<()> {
        let columns = columns(&key.columns, column);
        let table = self.name();
        if columns.is_empty() {
            let error = SqlError::new(&message::CONSTRAINT_WITHOUT_COLUMNS, &[&table]);
            return Err(error.into());
        }
        if key.primary && self.table.primary_key().is_some() {
            let message = match self.is_new() {
                true => &message::MULTIPLE_CONSTRAINTS,
                false => &message::PRIMARY_KEY_EXISTS,
            };
            return Err(SqlError::new(message, &[&table]).into());
        }
        if key.primary {
            self.check_not_null(&columns)?;
        }
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let prefix = if key.primary { "PK" } else { "UQ" };
        let parts = NameParts { prefix, column: None, key: Some(&names) };
        let header = self.header(name, parts);
        self.index(&IndexRequest {
            name: header.name.clone(),
            unique: true,
            clustered: key.clustered,
            hash: key.hash,
            columnstore: false,
            columns,
            include: &[],
            filter: None,
            options: &key.options,
            on: key.on.as_ref(),
            constraint: Some(KeyConstraintDef { header, primary: key.primary }),
        })
    }

    /// Columns of a primary key are not nullable. Error 8111.
    fn check_not_null(&self, columns: &[(&str, bool)]) -> DdlResult<()> {
        for (name, _) in columns {
            let Some(place) = self.find_column(name) else { continue };
            let column = &self.table.columns[place];
            if column.nullable {
                let error = SqlError::new(&message::PRIMARY_KEY_ON_NULLABLE, &[&self.name()]);
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// Checks that a constraint of this kind may have the name. Errors 8166, 2714, 8168, 12827.
    pub fn check_constraint_name(&self, name: Option<&ast::Ident>, kind: &str) -> DdlResult<()> {
        let Some(name) = name else { return Ok(()) };
        if self.setting.contained && self.table.is_temporary() {
            let table = self.name();
            let args: [&dyn std::fmt::Display; 3] = [&kind, &name.name, &table];
            return Err(SqlError::new(&message::CONTAINED_CONSTRAINT_NAMED, &args).into());
        }
        if name.name.starts_with('#') {
            let error = SqlError::new(&message::CONSTRAINT_NAME_TEMPORARY, &[&name.name]);
            return Err(error.into());
        }
        let own = self.table.constraints().any(|(_, c)| self.setting.same(&c.name, &name.name));
        let taken = || {
            let schema = self.table.header.schema;
            !self.table.is_temporary()
                && self.setting.schema.find_object(schema, &name.name).is_some()
        };
        if own || taken() || self.setting.same(&self.table.header.name, &name.name) {
            let error = SqlError::new(&message::OBJECT_EXISTS, &[&name.name]).with_state(5);
            return Err(constraint_error(error.at_line(name.span.line)));
        }
        Ok(())
    }

    /// `CHECK`, after a column or of the table.
    pub fn check_constraint(
        &mut self,
        constraint: &ast::Constraint,
        column: Option<&str>,
    ) -> DdlResult<()> {
        let ConstraintKind::Check { condition, not_for_replication } = &constraint.kind else {
            return Ok(());
        };
        self.check_constraint_name(constraint.name.as_ref(), "CHECK")?;
        let made = self.check(constraint.name.as_ref(), condition, column, *not_for_replication);
        made.map_err(|f| f.at_line(constraint.span.line))
    }

    fn check(
        &mut self,
        name: Option<&ast::Ident>,
        condition: &ast::Condition,
        column: Option<&str>,
        not_for_replication: bool,
    ) -> DdlResult<()> {
        let whole = Arc::new(self.table.clone());
        let found = define::check(&self.setting.bind(), &whole, condition)?;
        if found.xml_methods {
            let error = SqlError::new(&message::XML_METHOD_IN_CHECK, &[&self.name()]);
            return Err(constraint_error(error));
        }
        let declared = column.and_then(|name| self.find_column(name));
        let declared = declared.map(|place| self.table.columns[place].id);
        if let (Some(own), Some(name)) = (declared, column)
            && found.columns.iter().any(|used| *used != own)
        {
            let table = self.name();
            let args: [&dyn std::fmt::Display; 3] = [&"CHECK", &name, &table];
            let error = SqlError::new(&message::CHECK_COLUMN_LEVEL_OTHER, &args);
            return Err(constraint_error(error));
        }
        let alone = match found.columns[..] {
            [one] => Some(one),
            _ => None,
        };
        let header = self.header(name, NameParts { prefix: "CK", column, key: None });
        self.table.checks.push(CheckDef {
            header,
            column: declared.or(alone),
            definition: found.text,
            disabled: false,
            not_for_replication,
            not_trusted: false,
            uses_database_collation: found.uses_database_collation,
            columns: found.columns,
            references: found.references,
        });
        Ok(())
    }

    /// A default for a column.
    pub fn default(
        &mut self,
        name: Option<&ast::Ident>,
        place: usize,
        value: &ast::Expr,
    ) -> DdlResult<()> {
        self.check_constraint_name(name, "DEFAULT")?;
        let (table, column) = (self.name(), self.table.columns[place].clone());
        let refused = if column.identity.is_some() {
            Some(&message::DEFAULT_ON_IDENTITY)
        } else if column.ty.kind == TypeKind::RowVersion {
            Some(&message::DEFAULT_ON_TIMESTAMP)
        } else {
            None
        };
        if let Some(message) = refused {
            let args: [&dyn std::fmt::Display; 2] = [&table, &column.name];
            return Err(constraint_error(SqlError::new(message, &args)));
        }
        if column.computed.is_some() {
            let args: [&dyn std::fmt::Display; 2] = [&column.name, &table];
            let error = SqlError::new(&message::DEFAULT_COLUMN_INVALID, &args);
            return Err(constraint_error(error));
        }
        if column.default_text().is_some() {
            let error = SqlError::new(&message::COLUMN_HAS_DEFAULT, &[]);
            return Err(constraint_error(error));
        }
        let found = define::default(&self.setting.bind(), &column, value)?;
        let parts = NameParts { prefix: "DF", column: Some(&column.name), key: None };
        let header = self.header(name, parts);
        self.table.columns[place].default =
            Some(DefaultDef { header, definition: found.text, references: found.references });
        Ok(())
    }
}
