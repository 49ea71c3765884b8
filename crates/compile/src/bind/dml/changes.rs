//! `INSERT … SELECT … FROM (UPDATE … OUTPUT …) AS a`: what another statement changes goes into the
//! table. It is that statement whose `OUTPUT` goes there, by way of the query.

use std::rc::Rc;

use base::{SqlError, message};
use engine::catalog::Schema;
use engine::catalog::def::TableDef;
use tsql::ast::{self, InsertSource, InsertedChanges};

use super::effects::Write;
use super::output::{has_triggers, refuse_assignments, relationship_of};
use super::{AtLine, BindError, BindResult, Binder};
use crate::bind::scope::{Clause, Exposed, Rows, Source};
use crate::bind::select::{Item, Usage, filtered};
use crate::plan::expr::Pred;
use crate::plan::tree::{InsertPlan, Node, Plan, Target};

impl Binder<'_> {
    /// Errors 354 to 356, 10717 and those of both statements.
    pub(super) fn insert_of_changes(
        &mut self,
        insert: &ast::Insert,
        changes: &InsertedChanges,
    ) -> BindResult<Plan> {
        let clause = match (&insert.top, &insert.output) {
            (Some(_), _) => Some("TOP"),
            (None, Some(_)) => Some("OUTPUT"),
            (None, None) => None,
        };
        if let Some(clause) = clause {
            let error = SqlError::new(&message::NESTED_DML_CLAUSE, &[&clause]);
            return Err(error.at_line(insert.target.span.line).into());
        }
        self.query_hints(&insert.options)?;
        self.with_tables(insert.with.as_ref(), |b| {
            b.inserting = Some(Rc::new(insert.clone()));
            let plan = b.data_statement(&changes.statement);
            b.inserting = None;
            plan
        })
    }

    /// The insert of what `OUTPUT` shows, whose sources are those of the innermost block.
    pub(super) fn insert_of_output(
        &mut self,
        insert: &ast::Insert,
        output: &ast::Output,
    ) -> BindResult<InsertPlan> {
        let InsertSource::Changes(changes) = &insert.source else {
            return Err(ir::internal("it inserts changes").into());
        };
        let items = self.items(&output.items, Usage::Insert)?;
        refuse_assignments(&items)?;
        let shown = self.with_items(Node::OneRow, items);
        let columns = self.named_columns(shown.columns, &changes.alias, changes.span.line)?;
        // The query sees these rows alone.
        let base = std::mem::replace(&mut self.env.base, self.blocks.len());
        self.open_block(Clause::OfChanges("WHERE"));
        self.block().sources.push(Source {
            exposed: Exposed { name: changes.alias.name.name.clone(), table: None },
            rows: Rows::Derived(None, columns),
            optional: false,
            view: None,
            written: None,
        });
        self.block().show_all();
        let bound = self.query_of_changes(changes);
        self.close_block();
        self.env.base = base;
        let (filter, items) = bound?;
        refuse_assignments(&items)?;
        let chosen = self.with_items(filtered(shown.node, filter), items);

        let (targeted, _) = self.insert_target(insert)?;
        let line = insert.target.span.line;
        let changing = &targeted.changing;
        if let Some(view) = &targeted.view {
            let error = SqlError::new(&message::INSERT_OF_CHANGES_VIEW, &[view]);
            return Err(error.at_line(line).into());
        }
        if let Target::Table { database, table } = &changing.target {
            let schema = self.schema_of(*database)?;
            check_target(&schema, table).at(line)?;
        }
        let (source, given) = self.inserted_rows(insert, &targeted, chosen)?;
        let values = self.complete_row(changing, given, line)?;
        let effects = self.effects(changing, &Write::insert())?;
        let target = changing.target.clone();
        Ok(InsertPlan { target, source, values, converted: Vec::new(), effects, lock: None })
    }

    fn query_of_changes(
        &mut self,
        changes: &InsertedChanges,
    ) -> BindResult<(Option<Pred>, Vec<Item>)> {
        let filter = match &changes.filter {
            Some(filter) => self.part(|b| b.condition(filter))?,
            None => None,
        };
        let clause = Clause::OfChanges("SELECT");
        let items = self.in_clause(clause, |b| b.items(&changes.items, Usage::Insert))?;
        Ok((filter, items))
    }
}

/// Errors 355 and 356: a table with triggers or foreign keys.
fn check_target(schema: &Schema, table: &TableDef) -> BindResult<()> {
    let name = &table.header.name;
    let fail = |error: SqlError| Err(BindError::from(error));
    if has_triggers(schema, table) {
        return fail(SqlError::new(&message::INSERT_OF_CHANGES_TRIGGERS, &[name]));
    }
    let Some(key) = relationship_of(schema, table) else { return Ok(()) };
    fail(SqlError::new(&message::INSERT_OF_CHANGES_FOREIGN_KEY, &[name, &key]))
}
