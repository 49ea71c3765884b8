//! Foreign keys.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use base::ids::ObjectId;
use base::message::Message;
use base::{SqlError, SqlType, TypeKind, message};
use engine::catalog::Object;
use engine::catalog::def::*;
use tsql::ast::{self, ConstraintKind};

use super::{Builder, NameParts, Purpose};
use crate::ddl::failure::{AboutConstraint, DdlResult, Failure};

type Shown<'a> = &'a dyn std::fmt::Display;

/// The most columns of a foreign key.
const KEY_COLUMNS_MAX: usize = 32;

impl Builder<'_> {
    /// `FOREIGN KEY … REFERENCES`, after a column or of the table.
    pub fn foreign_key(
        &mut self,
        constraint: &ast::Constraint,
        column: Option<&str>,
    ) -> DdlResult<()> {
        let ConstraintKind::ForeignKey(key) = &constraint.kind else { return Ok(()) };
        let line = constraint.span.line;
        if self.purpose != Purpose::Table {
            let error = SqlError::new(&message::SYNTAX_NEAR_KEYWORD, &[&"FOREIGN"]);
            return Err(error.at_line(line).into());
        }
        self.check_constraint_name(constraint.name.as_ref(), "FOREIGN KEY")?;
        let names: Vec<&str> = match column {
            Some(column) if key.columns.is_empty() => vec![column],
            _ => key.columns.iter().map(|c| &*c.name).collect(),
        };
        let single = match names[..] {
            [one] => Some(one),
            _ => None,
        };
        let parts = NameParts { prefix: "FK", column: single, key: None };
        let header = self.header(constraint.name.as_ref(), parts);
        if self.table.is_temporary() {
            self.warnings.push(skipped(&header.name));
            return Ok(());
        }
        let made = self.foreign_key_def(header, key, &names);
        let made = made.map_err(|f| f.at_line(line)).or_no_constraint()?;
        self.table.foreign_keys.push(made);
        Ok(())
    }

    fn foreign_key_def(
        &self,
        header: ConstraintHeader,
        key: &ast::ForeignKey,
        names: &[&str],
    ) -> DdlResult<ForeignKeyDef> {
        let name = header.name.clone();
        let referenced = self.referenced_table(&name, key)?;
        let own = names.iter().map(|column| match self.find_column(column) {
            Some(place) => Ok(&self.table.columns[place]),
            None => {
                let table = self.name();
                let args: [Shown; 3] = [&name, column, &table];
                Err(SqlError::new(&message::FOREIGN_KEY_INVALID_COLUMN, &args))
            }
        });
        let own: Vec<&ColumnDef> = own.collect::<Result<_, _>>()?;
        if referenced.history_of.is_some() {
            return Err(SqlError::new(&message::FOREIGN_KEY_WITH_HISTORY, &[&name]).into());
        }
        let (columns, index) = self.referenced_columns(&name, &referenced, key, own.len())?;
        self.check_may_reference(key, &referenced, &columns)?;
        if own.len() > KEY_COLUMNS_MAX {
            let error = SqlError::new(&message::FOREIGN_KEY_TOO_MANY_COLUMNS, &[&self.name()]);
            return Err(error.into());
        }
        for (column, target) in own.iter().zip(&columns) {
            self.check_pair(&name, column, &referenced, target)?;
        }
        let on_delete = action(key.on_delete);
        let on_update = action(key.on_update);
        self.check_actions(&name, &own, on_delete, on_update)?;
        self.check_kinds(&name, &referenced, index, on_delete, on_update)?;
        self.check_cycles(&name, &referenced, on_delete != ReferentialAction::NoAction)?;
        let pairs = own.iter().zip(&columns);
        let pairs = pairs.map(|(own, to)| ForeignKeyColumn { own: own.id, referenced: to.id });
        Ok(ForeignKeyDef {
            header,
            columns: pairs.collect(),
            referenced: referenced.id(),
            referenced_index: index,
            on_delete,
            on_update,
            disabled: false,
            not_for_replication: key.not_for_replication,
            not_trusted: false,
        })
    }

    /// The table that a key refers to, which may be the one being made. Errors 1763, 1766, 1767,
    /// 1768.
    fn referenced_table(&self, name: &str, key: &ast::ForeignKey) -> DdlResult<Arc<TableDef>> {
        let schema = &self.setting.schema;
        let target = &key.table;
        let about = |message: &Message, args: &[Shown]| Err(SqlError::new(message, args).into());
        let elsewhere = target.database.as_ref().is_some_and(|database| {
            self.setting.names.find_database(&database.name) != Some(self.setting.database)
        });
        if elsewhere {
            return about(&message::FOREIGN_KEY_CROSS_DATABASE, &[&name]);
        }
        if target.name.name.starts_with('#') {
            return about(&message::FOREIGN_KEY_TEMPORARY, &[&name]);
        }
        let own = &self.table.header;
        let in_schema = match &target.schema {
            Some(written) => schema.find_schema(&written.name).map(|s| s.id),
            None => Some(own.schema),
        };
        if in_schema == Some(own.schema) && self.setting.same(&own.name, &target.name.name) {
            return Ok(Arc::new(self.table.clone()));
        }
        let default = self.setting.names.default_schema(self.setting.database);
        let found = match (&target.schema, in_schema) {
            (Some(_), Some(place)) => schema.find_object(place, &target.name.name),
            (Some(_), None) => None,
            (None, _) => schema.resolve_object(default, &target.name.name),
        };
        match found {
            Some(Object::Table(table)) if table.role == TableRole::Table => Ok(table.clone()),
            Some(_) => about(&message::FOREIGN_KEY_NOT_A_TABLE, &[&name, target]),
            None => about(&message::FOREIGN_KEY_INVALID_TABLE, &[&name, target]),
        }
    }

    /// Errors 229 or 230, and 1088: a key reveals what is in the table that it refers to, and keeps
    /// its rows.
    fn check_may_reference(
        &self,
        key: &ast::ForeignKey,
        referenced: &TableDef,
        columns: &[ColumnDef],
    ) -> DdlResult<()> {
        let (id, schema) = (referenced.id(), &self.setting.schema);
        if id == self.table.header.id {
            return Ok(());
        }
        let columns: Vec<ColumnId> = columns.iter().map(|column| column.id).collect();
        let user = &self.setting.user;
        let may = user.may_use(schema, id, Permission::References, &columns);
        may.map_err(|denied| {
            let database = self.setting.names.database_name(self.setting.database);
            let hidden = SqlError::new(&message::CANNOT_FIND_OBJECT, &[&key.table]).with_state(20);
            let denied = denied.error(schema, &database, id, Permission::References);
            Failure::from(denied).then(hidden)
        })
    }

    /// The columns that a key refers to, and the index that proves them unique. Errors 1770, 1773,
    /// 1774, 1776, 8139.
    fn referenced_columns(
        &self,
        name: &str,
        table: &TableDef,
        key: &ast::ForeignKey,
        count: usize,
    ) -> DdlResult<(Vec<ColumnDef>, IndexId)> {
        let shown = self.shown_table(table);
        if key.referenced.is_empty() {
            let Some(primary) = table.primary_key() else {
                let args: [Shown; 2] = [&name, &key.table];
                let message = &message::FOREIGN_KEY_IMPLICIT_NO_PRIMARY_KEY;
                return Err(SqlError::new(message, &args).into());
            };
            if primary.key.len() != count {
                let args: [Shown; 2] = [&name, &key.table];
                return Err(SqlError::new(&message::FOREIGN_KEY_COLUMN_COUNT, &args).into());
            }
            let columns = primary.key.iter().filter_map(|k| table.column(k.column)).cloned();
            return Ok((columns.collect(), primary.id));
        }
        if key.referenced.len() != count {
            let error = SqlError::new(&message::FOREIGN_KEY_COUNTS_DIFFER, &[&self.name()]);
            return Err(error.into());
        }
        let mut columns = Vec::with_capacity(count);
        for written in &key.referenced {
            let same = |c: &&ColumnDef| self.setting.same(&c.name, &written.name);
            let Some(column) = table.columns.iter().find(same) else {
                let args: [Shown; 3] = [&name, &written.name, &key.table];
                let message = &message::FOREIGN_KEY_INVALID_REFERENCED_COLUMN;
                return Err(SqlError::new(message, &args).into());
            };
            columns.push(column.clone());
        }
        let ids: Vec<ColumnId> = columns.iter().map(|c| c.id).collect();
        match same_key(table, &ids) {
            Some(index) => Ok((columns, index)),
            None => {
                let args: [Shown; 2] = [&shown, &name];
                Err(SqlError::new(&message::FOREIGN_KEY_NO_KEY, &args).into())
            }
        }
    }

    fn shown_table(&self, table: &TableDef) -> String {
        let schema = self.setting.schema.schemas().get(table.header.schema);
        format!("{}.{}", schema.map_or("dbo", |s| &s.name), super::shown_name(&table.header.name))
    }

    /// Checks that a column may refer to another by its type. Errors 1753, 1757, 1778.
    fn check_pair(
        &self,
        name: &str,
        own: &ColumnDef,
        referenced: &TableDef,
        target: &ColumnDef,
    ) -> DdlResult<()> {
        let (mine, theirs) = (self.name(), &referenced.header.name);
        let args: [Shown; 5] = [theirs, &target.name, &mine, &own.name, &name];
        let about = |message| Err(SqlError::new(message, &args).into());
        let kind = |ty: &SqlType| match ty.kind {
            TypeKind::Numeric => TypeKind::Decimal,
            other => other,
        };
        let (own_type, their_type) = (own.declared_type(), target.declared_type());
        if kind(&own_type) != kind(&their_type) {
            return about(&message::FOREIGN_KEY_TYPE_DIFFERS);
        }
        let sized = |ty: &SqlType| match ty.kind {
            TypeKind::VarChar | TypeKind::NVarChar | TypeKind::VarBinary => 0,
            _ => ty.max_length(),
        };
        let precise = |ty: &SqlType| (sized(ty), ty.precision, ty.scale);
        if precise(&own_type) != precise(&their_type) {
            return about(&message::FOREIGN_KEY_LENGTH_DIFFERS);
        }
        if own.ty.kind.is_character() && own.ty.collation != target.ty.collation {
            return about(&message::FOREIGN_KEY_COLLATION_DIFFERS);
        }
        Ok(())
    }

    /// Errors 1761, 1762 and those about computed columns.
    fn check_actions(
        &self,
        name: &str,
        own: &[&ColumnDef],
        on_delete: ReferentialAction,
        on_update: ReferentialAction,
    ) -> DdlResult<()> {
        use ReferentialAction as A;
        let about = |message: &Message, args: &[Shown]| Err(SqlError::new(message, args).into());
        let any = |action| on_delete == action || on_update == action;
        if any(A::SetNull) && own.iter().any(|c| !c.nullable) {
            return about(&message::FOREIGN_KEY_SET_NULL_ON_NOT_NULL, &[&name]);
        }
        if any(A::SetDefault) && own.iter().any(|c| !c.nullable && c.default_text().is_none()) {
            return about(&message::FOREIGN_KEY_SET_DEFAULT, &[&name]);
        }
        if let Some(column) = own.iter().find(|c| c.computed.is_some()) {
            if column.computed.as_ref().is_some_and(|c| !c.persisted) {
                let table = self.name();
                let args: [Shown; 3] = [&column.name, &table, &name];
                return about(&message::COMPUTED_COLUMN_PROPERTY, &args);
            }
            if on_update != A::NoAction {
                return about(&message::FOREIGN_KEY_COMPUTED_UPDATE, &[&name, &column.name]);
            }
            if !matches!(on_delete, A::NoAction | A::Cascade) {
                return about(&message::FOREIGN_KEY_COMPUTED_DELETE, &[&name, &column.name]);
            }
        }
        Ok(())
    }

    /// What memory-optimized tables allow: errors 10719, 10778, 10780, 10794.
    fn check_kinds(
        &self,
        name: &str,
        referenced: &TableDef,
        index: IndexId,
        on_delete: ReferentialAction,
        on_update: ReferentialAction,
    ) -> DdlResult<()> {
        if self.in_memory() != referenced.kind.is_memory_optimized() {
            return Err(SqlError::new(&message::FOREIGN_KEY_ACROSS_KINDS, &[]).into());
        }
        if !self.in_memory() {
            return Ok(());
        }
        let actions = [("ON DELETE", on_delete), ("ON UPDATE", on_update)];
        if let Some((clause, _)) = actions.iter().find(|(_, a)| *a != ReferentialAction::NoAction) {
            let args: [Shown; 3] = [&"feature", clause, &"memory optimized tables"];
            return Err(SqlError::new(&message::NOT_SUPPORTED_WITH, &args).into());
        }
        if referenced.primary_key().is_none_or(|key| key.id != index) {
            let shown = self.shown_table(referenced);
            let args: [Shown; 2] = [&shown, &name];
            let message = &message::FOREIGN_KEY_MUST_REFERENCE_PRIMARY_KEY;
            return Err(SqlError::new(message, &args).into());
        }
        let durable = |kind| kind == TableKind::MemoryDurable;
        if durable(self.table.kind) && !durable(referenced.kind) {
            let message = &message::FOREIGN_KEY_DURABLE_TO_SCHEMA_ONLY;
            return Err(SqlError::new(message, &[]).into());
        }
        Ok(())
    }

    /// From every table, deletes must reach each table on one path at most. Error 1785.
    fn check_cycles(&self, name: &str, referenced: &TableDef, cascades: bool) -> DdlResult<()> {
        if !cascades {
            return Ok(());
        }
        let (schema, own) = (&self.setting.schema, self.table.id());
        let cascading = |key: &&ForeignKeyDef| key.on_delete != ReferentialAction::NoAction;
        let others = schema.tables().filter(|t| t.id() != own);
        let keys = others.flat_map(|t| t.foreign_keys.iter().map(move |k| (t.id(), k)));
        let keys = keys.chain(self.table.foreign_keys.iter().map(|k| (own, k)));
        let edges = keys.filter(|(_, k)| cascading(k)).map(|(to, k)| (k.referenced, to));
        let (mut below, mut above) = (Edges::new(), Edges::new());
        for (from, to) in edges.chain([(referenced.id(), own)]) {
            below.entry(from).or_default().push(to);
            above.entry(to).or_default().push(from);
        }
        // Whatever a table meets twice, those above it do, too: the topmost are asked. Without any,
        // the referenced table is above itself.
        let mut reached = HashSet::from([referenced.id()]);
        let (mut open, mut topmost) = (vec![referenced.id()], Vec::new());
        while let Some(table) = open.pop() {
            match above.get(&table) {
                None => topmost.push(table),
                Some(parents) => open.extend(parents.iter().filter(|p| reached.insert(**p))),
            }
        }
        if topmost.is_empty() {
            topmost.push(referenced.id());
        }
        if topmost.into_iter().any(|table| meets_itself(&below, table)) {
            let table = self.name();
            let args: [Shown; 2] = [&name, &table];
            return Err(SqlError::new(&message::FOREIGN_KEY_CYCLES, &args).into());
        }
        Ok(())
    }
}

/// Tables by those to which edges lead from them.
type Edges = HashMap<ObjectId, Vec<ObjectId>>;

/// Whether following the edges from a table comes to some table twice.
fn meets_itself(below: &Edges, start: ObjectId) -> bool {
    let mut seen = HashSet::from([start]);
    let mut open = vec![start];
    while let Some(table) = open.pop() {
        for next in below.get(&table).into_iter().flatten() {
            if !seen.insert(*next) {
                return true;
            }
            open.push(*next);
        }
    }
    false
}

/// The unique index over exactly these columns; the primary key's before others.
fn same_key(table: &TableDef, columns: &[ColumnId]) -> Option<IndexId> {
    let mut wanted = columns.to_vec();
    wanted.sort_unstable();
    let fits = |index: &&IndexDef| {
        let mut own: Vec<ColumnId> = index.key.iter().map(|k| k.column).collect();
        own.sort_unstable();
        index.unique && index.filter.is_none() && !index.disabled && own == wanted
    };
    let primary = table.primary_key().filter(|key| fits(key));
    primary.or_else(|| table.indexes.iter().find(fits)).map(|index| index.id)
}

fn action(action: ast::ReferentialAction) -> ReferentialAction {
    match action {
        ast::ReferentialAction::NoAction => ReferentialAction::NoAction,
        ast::ReferentialAction::Cascade => ReferentialAction::Cascade,
        ast::ReferentialAction::SetNull => ReferentialAction::SetNull,
        ast::ReferentialAction::SetDefault => ReferentialAction::SetDefault,
    }
}

/// Temporary tables have no foreign keys; a message says so and nothing else is done.
fn skipped(name: &str) -> SqlError {
    let text = format!(
        "Skipping FOREIGN KEY constraint '{name}' definition for temporary table. FOREIGN KEY \
         constraints are not enforced on local or global temporary tables."
    );
    SqlError::custom(0, 10, 1, text)
}
