//! `FOR SYSTEM_TIME`: which versions of a table's rows are meant.
//!
//! A table is read twice, its current rows and its history, each under the conditions on the
//! period, and the rows of both are one source. On a view the clause holds for every
//! system-versioned table that the view reads.

use std::rc::Rc;
use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, SqlType, TypeKind, message};
use engine::catalog::def::{Permission, TableDef, VersioningDef};
use ir::operator::{CastMode, CompareOp};
use ir::read::{Isolation, ReadOptions};
use tsql::ast::{self, SystemTimeKind, TableHint};

use super::binder::{Binder, NoColumns};
use super::context::{AtLine, BindResult};
use super::define::definition_options;
use super::dml::qualified;
use super::scalar::{Label, Origin, Scalar};
use super::scope::{OutCol, Rows};
use super::select::{computed, filtered};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred};
use crate::plan::hints::AccessHint;
use crate::plan::tree::{self, Node};

/// Which versions of rows are meant, bound.
#[derive(Debug)]
pub(super) enum Moments {
    /// All of them.
    All,
    /// Those that began and ended so.
    Within {
        /// How the start compares, and with what.
        start: (CompareOp, Expr),
        /// How the end compares, and with what.
        end: (CompareOp, Expr),
        /// Those that lie in the range as a whole: they have ended.
        ended: bool,
    },
}

/// A table of which some versions of rows are read, and how.
struct Versioned<'v> {
    database: DbId,
    table: Arc<TableDef>,
    versioning: VersioningDef,
    moments: &'v Moments,
}

impl Binder<'_> {
    /// Binds a `FOR SYSTEM_TIME`. Errors 128, 206, 1046 and those of conversions.
    pub fn moments(&mut self, time: &ast::SystemTime) -> BindResult<Rc<Moments>> {
        use CompareOp::{Ge, Gt, Le, Lt};
        let line = time.span.line;
        let mut bind = |expr: &ast::Expr| self.moment(expr).at(line);
        let (start, first, end, last, ended) = match &time.kind {
            SystemTimeKind::All => return Ok(Rc::new(Moments::All)),
            SystemTimeKind::AsOf(at) => {
                let at = bind(at)?;
                (Le, at.clone(), Gt, at, false)
            }
            SystemTimeKind::FromTo(first, last) => (Lt, bind(last)?, Gt, bind(first)?, false),
            SystemTimeKind::Between(first, last) => (Le, bind(last)?, Gt, bind(first)?, false),
            SystemTimeKind::ContainedIn(first, last) => (Ge, bind(first)?, Le, bind(last)?, true),
        };
        Ok(Rc::new(Moments::Within { start: (start, first), end: (end, last), ended }))
    }

    /// A point in time: no column, no query.
    fn moment(&mut self, expr: &ast::Expr) -> BindResult<Expr> {
        let base = std::mem::replace(&mut self.env.base, self.blocks.len());
        let no_columns = std::mem::replace(&mut self.no_columns, NoColumns::NotPermitted);
        let scalar_only = std::mem::replace(&mut self.scalar_only, true);
        let bound = self.scalar(expr);
        self.env.base = base;
        self.no_columns = no_columns;
        self.scalar_only = scalar_only;
        self.coerce_to_variable(bound?, SqlType::datetime2(7))
    }

    /// The moments that a source's own clause and the view around it ask for. Errors 13544, 13590:
    /// `table` is what the clause stands at, unless it is a view.
    pub(super) fn moments_of(
        &mut self,
        clause: Option<&ast::SystemTime>,
        table: Option<(DbId, &Arc<TableDef>)>,
        shown: &str,
    ) -> BindResult<Option<Rc<Moments>>> {
        let outer = self.env.system_time.clone();
        let versioned = table.is_some_and(|(_, table)| table.versioning.is_some());
        let Some(clause) = clause else { return Ok(outer.filter(|_| versioned)) };
        let name = match table {
            Some((database, table)) => self.full_name(database, table)?,
            None => shown.to_owned(),
        };
        let fail = |message| Err(SqlError::new(message, &[&name]).at_line(clause.span.line).into());
        if !versioned {
            return fail(&message::NOT_SYSTEM_VERSIONED);
        }
        if outer.is_some() {
            return fail(&message::SYSTEM_TIME_TWICE);
        }
        self.moments(clause).map(Some)
    }

    /// `database.schema.table`, as messages about system versioning show it.
    pub(super) fn full_name(&mut self, database: DbId, table: &TableDef) -> BindResult<String> {
        let schema = self.schema_of(database)?;
        let name = self.names.database_name(database);
        Ok(format!("{name}.{}", qualified(&schema, table)))
    }

    /// The rows of a system-versioned table that are meant.
    pub(super) fn versioned_rows(
        &mut self,
        database: DbId,
        table: Arc<TableDef>,
        hints: &[TableHint],
        moments: &Moments,
    ) -> BindResult<Rows> {
        let Some(versioning) = table.versioning else {
            return self.table_rows(database, table, hints);
        };
        let options = self.read_options(hints, Some(&table))?;
        self.note_table(database, &table, &options);
        self.note_access(database, table.id(), Permission::Select);
        let hint = self.access_hint(hints, &table, Some(database))?;
        let versioned = Versioned { database, table, versioning, moments };
        self.both_halves(&versioned, hints, options, hint)
    }

    fn both_halves(
        &mut self,
        versioned: &Versioned<'_>,
        hints: &[TableHint],
        options: ReadOptions,
        hint: AccessHint,
    ) -> BindResult<Rows> {
        let Versioned { database, table, versioning, moments } = versioned;
        self.versioned_tables += 1;
        let schema = self.schema_of(*database)?;
        let Some(history) = schema.table(versioning.history).cloned() else {
            let name = qualified(&schema, table);
            return Err(SqlError::new(&message::INVALID_OBJECT, &[&name]).into());
        };
        self.note_object(*database, &schema, history.id());
        self.note_access(*database, history.id(), Permission::Select);
        let forced = hint.forced;
        let mut inputs = Vec::with_capacity(2);
        if !matches!(moments, Moments::Within { ended: true, .. }) {
            inputs.push(self.half(versioned, table, options, hint)?);
        }
        let options = match table.kind.is_memory_optimized() {
            // What the current rows are read as of; locks have no meaning for them.
            true => ReadOptions {
                isolation: options.isolation.or(Some(Isolation::Snapshot)),
                ..ReadOptions::default()
            },
            false => self.read_options(hints, Some(&history))?,
        };
        if !table.kind.is_memory_optimized() {
            self.note_table(*database, &history, &options);
        }
        // Indexes that hints name are the table's own.
        let hint = AccessHint { forced, ..AccessHint::default() };
        inputs.push(self.half(versioned, &history, options, hint)?);
        let columns: Vec<OutCol> = (table.columns.iter())
            .map(|column| OutCol {
                id: self.free_column(),
                name: Some(column.name.clone()),
                ty: shown_type(column.ty),
                nullable: column.nullable,
                label: Label::column(&column.ty),
                origin: Origin::Plain,
                base: None,
                views: Vec::new(),
                hidden: table.is_left_out(column),
            })
            .collect();
        let ids = columns.iter().map(|column| column.id).collect();
        Ok(Rows::Derived(Some(Node::Union { inputs, columns: ids }), columns))
    }

    /// The current rows or the history, with a column for each of the table's.
    fn half(
        &mut self,
        versioned: &Versioned<'_>,
        half: &Arc<TableDef>,
        options: ReadOptions,
        hint: AccessHint,
    ) -> BindResult<(Node, Vec<ColId>)> {
        let Versioned { database, table, moments, .. } = versioned;
        let source = tree::Source::Table { database: *database, table: half.clone() };
        let mut rows = self.scan(source, Vec::new(), options);
        self.hide_rows(*database, half, &mut rows)?;
        let Rows::Scan(scan) = &mut rows else { unreachable!("a table is scanned") };
        scan.hint = hint;
        for (ordinal, column) in half.columns.iter().enumerate() {
            if column.is_stored() && scan.ids[ordinal].is_none() {
                scan.ids[ordinal] = Some(self.free_column());
            }
        }
        let ids = scan.ids.clone();
        let node = super::from::source_node(&mut rows);
        let mut made = Vec::new();
        let mut columns = Vec::with_capacity(ids.len());
        for (ordinal, id) in ids.iter().enumerate() {
            let (of, shown) = (&half.columns[ordinal], shown_type(table.columns[ordinal].ty));
            let value = match id {
                Some(id) if of.ty == shown => {
                    columns.push(*id);
                    continue;
                }
                Some(id) => {
                    let kind = ExprKind::Column(*id);
                    let own = Expr { kind, ty: of.ty, nullable: of.nullable };
                    self.cast(own, shown, CastMode::Explicit)
                }
                None => self.value_over(*database, half, ids.clone(), ordinal)?,
            };
            let id = self.free_column();
            made.push((id, value));
            columns.push(id);
        }
        let node = filtered(node, self.period_condition(table, half, &ids, moments)?);
        let node = if made.is_empty() { node } else { computed(node, made) };
        Ok((node, columns))
    }

    /// The value of a computed column of a row whose stored columns have these names.
    pub(super) fn value_over(
        &mut self,
        database: DbId,
        table: &Arc<TableDef>,
        ids: Vec<Option<ColId>>,
        ordinal: usize,
    ) -> BindResult<Expr> {
        let column = &table.columns[ordinal];
        let Some(definition) = &column.computed else {
            unreachable!("only computed columns are not stored")
        };
        let text = tsql::parse_expression(&definition.definition, definition_options())?;
        let (value, scan) = self.over_row(database, table, ids, |b| b.scalar(&text))?;
        let mut expr = match value.is_untyped() {
            true => self.coerce(value, column.ty)?,
            false => self.cast(value.expr, column.ty, CastMode::Explicit),
        };
        super::define::substitute_in(&mut expr, &scan.computed);
        Ok(expr)
    }

    /// What must hold of the period of a row. Versions that were replaced by their own transaction
    /// never counted.
    fn period_condition(
        &mut self,
        table: &TableDef,
        half: &TableDef,
        ids: &[Option<ColId>],
        moments: &Moments,
    ) -> BindResult<Option<Pred>> {
        let column = |id| {
            let ordinal = table.column_ordinal(id)?;
            let kind = ExprKind::Column(ids[ordinal]?);
            Some(Expr { kind, ty: half.columns[ordinal].ty, nullable: false })
        };
        let columns = table.period.map(|period| (column(period.start), column(period.end)));
        let Some((Some(start), Some(end))) = columns else {
            return Err(ir::internal("a versioned table has a period").into());
        };
        let lasted = Pred::Compare(CompareOp::Ne, start.clone(), end.clone());
        let Moments::Within { start: (start_op, first), end: (end_op, last), .. } = moments else {
            let is_history = half.id() != table.id();
            return Ok(is_history.then_some(lasted));
        };
        let first = self.compared(*start_op, start, first)?;
        let last = self.compared(*end_op, end, last)?;
        Ok(Some(Pred::And(vec![first, last, lasted])))
    }

    /// A comparison of a column of the period, of any precision, with a point in time.
    fn compared(&mut self, op: CompareOp, own: Expr, with: &Expr) -> BindResult<Pred> {
        let ty = SqlType::datetime2(7);
        let own = self.coerce_for_comparison(Scalar::computed(own), ty)?;
        let with = self.coerce_for_comparison(Scalar::computed(with.clone()), ty)?;
        Ok(Pred::Compare(op, own, with))
    }
}

/// A column's type as both halves have it: a history keeps a rowversion as bytes.
fn shown_type(ty: SqlType) -> SqlType {
    match ty.kind {
        TypeKind::RowVersion => SqlType::binary(8),
        _ => ty,
    }
}
