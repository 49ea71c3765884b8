//! `DBCC CHECKCONSTRAINTS`: the rows that break `CHECK` and `FOREIGN KEY` constraints.
//!
//! Each constraint becomes a query for the rows that break it, which says how to find each again.
//! All rows come in one result set; there is none if nothing is broken.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlType, Value, ValueRef};
use engine::catalog::Schema;
use engine::catalog::def::{
    ColumnDef, ColumnId, ConstraintHeader, ForeignKeyColumn, ForeignKeyDef, TableDef, TableRole,
};
use tsql::{ast, quote_identifier};

use super::{has_option, word};
use crate::builtin::rows::{ResultSet, column, text};
use crate::context::Context;
use crate::fault::Run;
use crate::names::callee::parse_name;

/// Rows of a table that are shown unless all are asked for.
const ROWS_MAX: usize = 200;

/// Bytes of the columns `Table` and `Constraint`, and of `Where`.
const NAME_LEN: u16 = 256;
const WHERE_LEN: u16 = 4000;

/// What is to be checked.
struct Scope {
    database: DbId,
    tables: Vec<Arc<TableDef>>,
    /// Only this constraint.
    only: Option<base::ids::ObjectId>,
}

impl Context<'_> {
    /// `CHECKCONSTRAINTS`. Errors 2501, 2571.
    pub(super) fn check_constraints(&mut self, dbcc: &ast::Dbcc) -> Run<()> {
        let scope = self.constraint_scope(dbcc)?;
        self.demand_owner(scope.database, "CHECKCONSTRAINTS")?;
        let schema = self.schema(scope.database)?;
        let limit = if has_option(dbcc, "ALL_ERRORMSGS") { usize::MAX } else { ROWS_MAX };
        let disabled_too = has_option(dbcc, "ALL_CONSTRAINTS") || scope.only.is_some();
        let wanted = |header: &ConstraintHeader, disabled: bool| {
            (disabled_too || !disabled) && scope.only.is_none_or(|only| only == header.id)
        };
        let mut rows = Vec::new();
        for table in &scope.tables {
            let place = Place { context: self, schema: &schema, database: scope.database };
            let name = place.of(table);
            let checks = table.checks.iter().filter(|c| wanted(&c.header, c.disabled));
            let mut queries: Vec<(&ConstraintHeader, String)> = Vec::new();
            for check in checks {
                let columns = check.columns.iter().filter_map(|id| table.column(*id));
                let found = found_by(&columns.collect::<Vec<_>>());
                let query =
                    format!("SELECT {found} FROM {name} AS f WHERE NOT {}", check.definition);
                queries.push((&check.header, query));
            }
            for key in table.foreign_keys.iter().filter(|k| wanted(&k.header, k.disabled)) {
                queries.extend(place.orphans(table, key).map(|query| (&key.header, query)));
            }
            let shown = place.shown(table);
            let first = rows.len();
            for (constraint, query) in queries {
                let constraint = quote_identifier(&constraint.name);
                for condition in self.texts_of(&query)? {
                    if rows.len() - first < limit {
                        rows.push(vec![text(Some(&shown)), text(Some(&constraint)), condition]);
                    }
                }
            }
        }
        if rows.is_empty() {
            return Ok(());
        }
        let name = |len| SqlType::nvarchar(len, base::Collation::DEFAULT);
        let columns = [
            column("Table", name(NAME_LEN), true),
            column("Constraint", name(NAME_LEN), true),
            column("Where", name(WHERE_LEN), true),
        ];
        Ok(ResultSet::new(&columns).send(self, &rows)?)
    }

    /// What the argument names: a table, a constraint, or everything.
    fn constraint_scope(&self, dbcc: &ast::Dbcc) -> Run<Scope> {
        let Some(argument) = dbcc.arguments.first() else {
            let database = self.database();
            let schema = self.schema(database)?;
            let tables = schema.tables().filter(|table| table.role == TableRole::Table);
            return Ok(Scope { database, tables: tables.cloned().collect(), only: None });
        };
        let constraint = match argument.kind {
            ast::ExprKind::Literal(ast::Literal::Integer(id)) => {
                Some((self.database(), base::ids::ObjectId(id)))
            }
            _ => match parse_name(&word(argument)) {
                Ok(name) if !name.name.name.starts_with('#') => self.find_object(&name)?,
                _ => None,
            },
        };
        if let Some((database, id)) = constraint {
            let schema = self.schema(database)?;
            let found = schema.object(id);
            if let Some(engine::catalog::Object::Constraint { table, .. }) = found {
                return Ok(Scope { database, tables: vec![table.clone()], only: Some(id) });
            }
        }
        let (database, table) = self.dbcc_table(Some(argument))?;
        Ok(Scope { database, tables: vec![table], only: None })
    }

    /// The values of a query of one column, a string.
    fn texts_of(&mut self, query: &str) -> Run<Vec<Value>> {
        let mut texts = Vec::new();
        self.session.options.sees_all_rows = true;
        let sets = self.rows_of_text(query);
        self.session.options.sees_all_rows = false;
        for rows in sets? {
            let layout = rows.layout().clone();
            texts.extend(rows.iter().map(|row| match layout.get(row, 0) {
                ValueRef::Unicode(units) => Value::Unicode(units.into()),
                _ => Value::Null,
            }));
        }
        Ok(texts)
    }
}

/// Where tables are, and what they are called there.
pub(super) struct Place<'p, 'c> {
    pub(super) context: &'p Context<'c>,
    pub(super) schema: &'p Schema,
    pub(super) database: DbId,
}

impl Place<'_, '_> {
    /// A table's name in a query: with its database.
    pub(super) fn of(&self, table: &TableDef) -> String {
        let shown = crate::ddl::shown_name(&table.header.name);
        if shown.starts_with('#') {
            return quote_identifier(&shown);
        }
        let database = self.context.session.instance.database_name(self.database);
        format!("{}.{}", quote_identifier(&database), self.shown(table))
    }

    /// A table's name in the result.
    fn shown(&self, table: &TableDef) -> String {
        let place = self.schema.schemas().get(table.header.schema).map_or("dbo", |s| &s.name);
        let name = crate::ddl::shown_name(&table.header.name);
        format!("{}.{}", quote_identifier(place), quote_identifier(&name))
    }

    /// The query for the rows of a table that refer to no row.
    fn orphans(&self, table: &TableDef, key: &ForeignKeyDef) -> Option<String> {
        let to = self.schema.table(key.referenced)?;
        let column = |table: &TableDef, id: ColumnId| {
            table.column(id).map_or(String::new(), |c| quote_identifier(&c.name))
        };
        let columns: Vec<_> =
            key.columns.iter().filter_map(|column| table.column(column.own)).collect();
        let (mut given, mut equal) = (Vec::new(), Vec::new());
        for &ForeignKeyColumn { own, referenced } in &key.columns {
            given.push(format!("f.{} IS NOT NULL", column(table, own)));
            equal.push(format!("r.{} = f.{}", column(to, referenced), column(table, own)));
        }
        Some(format!(
            "SELECT {} FROM {} AS f WHERE {} AND NOT EXISTS (SELECT 1 AS x FROM {} AS r WHERE {})",
            found_by(&columns),
            self.of(table),
            given.join(" AND "),
            self.of(to),
            equal.join(" AND ")
        ))
    }
}

/// An expression that gives the condition by which a row of `f` is found again.
fn found_by(columns: &[&ColumnDef]) -> String {
    let parts = columns.iter().map(|column| {
        let name = quote_identifier(&column.name);
        // In the condition, names are within a string.
        let written = name.replace('\'', "''");
        let value = if column.ty.kind.is_binary() {
            format!("CONVERT(nvarchar(4000), CONVERT(varbinary(1998), f.{name}), 1)")
        } else {
            let style = if column.ty.kind.is_temporal() { ", 121" } else { "" };
            let text = format!("CONVERT(nvarchar(4000), f.{name}{style})");
            format!("N'''' + REPLACE({text}, N'''', N'''''') + N''''")
        };
        format!("ISNULL(N'{written} = ' + {value}, N'{written} IS NULL')")
    });
    let parts: Vec<String> = parts.collect();
    format!("CONVERT(nvarchar(4000), {}) AS w", parts.join(" + N' AND ' + "))
}
