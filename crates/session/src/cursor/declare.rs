//! What a cursor is made of.

use std::sync::Arc;

use base::text::identifier::bracketed;
use base::{SqlError, SqlResult, SqlType, message};
use compile::bind::NamingColumn;
use engine::catalog::def::{IndexDef, TableDef};
use engine::catalog::naming_index;
use engine::sync::plain::Mutex;
use ir::operator::VarId;
use ir::runs::Runs;
use run::interp::Frame;
use tsql::ast::{self, CursorConcurrency, CursorModel, QueryBody, StatementKind, TableSourceKind};

use crate::context::Context;
use crate::fault::{Effect, Run};
use crate::program::variables::Variables;
use crate::program::{Program, Step, located_all, new_frame};
use crate::session::cursors::{Cursor, Key, Model, Source};

/// What the variables with a row's key are called; the number follows.
const KEY_VARIABLE: &str = "@#$cursor_key_";

/// The place of the query in a cursor's program, and that of the query of one row.
pub(super) const QUERY: usize = 0;
pub(super) const ROW: usize = 1;

impl Context<'_> {
    /// Makes a cursor. Errors 1048, 6819, 13602, 16957, and whatever is wrong with the query.
    pub(super) fn make_cursor(
        &mut self,
        program: &Program,
        step: &Step,
        frame: &Frame,
        definition: &ast::CursorDefinition,
    ) -> Run<Cursor> {
        check_options(definition)?;
        let declared = definition.model;
        let read_only = definition.concurrency == Some(CursorConcurrency::ReadOnly);
        let fixed = matches!(declared, Some(CursorModel::Static | CursorModel::FastForward));
        let keyed = match fixed {
            true => None,
            false => self.keyed(program, step, definition)?,
        };
        let (program, keys) = keyed.unwrap_or_else(|| {
            let select = StatementKind::Select(definition.query.clone());
            (made_program(program, step, program.variables.clone(), vec![select]), Vec::new())
        });
        let query = self.session.compile_step(self.task, &program, &program.steps[QUERY], &[]);
        query.map_err(|e| self.not_bound(located_all(e, &program, step), Effect::Scope))?;
        let model = match (declared, keys.is_empty()) {
            (Some(CursorModel::FastForward), _) => Model::FastForward,
            (_, true) => Model::Static,
            (Some(CursorModel::Keyset), _) => Model::Keyset,
            _ => Model::Dynamic,
        };
        let scroll = definition.scroll.unwrap_or(matches!(
            declared,
            Some(CursorModel::Static | CursorModel::Keyset | CursorModel::Dynamic)
        ));
        let read_only = read_only || keys.is_empty();
        let own = captured(&program, frame);
        let source = Source { program: Arc::new(program), model, scroll, read_only, keys };
        let level = self.session.levels.len();
        Ok(Cursor { source: Arc::new(source), frame: own, level, open: None })
    }

    /// The statements of a cursor whose rows are sought again when they are fetched; `None` if that
    /// cannot be done with this query.
    fn keyed(
        &mut self,
        program: &Program,
        step: &Step,
        definition: &ast::CursorDefinition,
    ) -> Run<Option<(Program, Vec<Key>)>> {
        let query = &definition.query;
        let Some(tables) = joined_tables(query) else { return Ok(None) };
        // A set of keys is none without a unique one.
        let may_number = definition.model != Some(CursorModel::Keyset);
        let mut variables = program.variables.clone();
        let (mut keys, mut items) = (Vec::<Key>::new(), Vec::<Item>::new());
        for JoinedTable { table, optional } in tables {
            let Some((database, def)) = self.find_table(&table.name)? else { return Ok(None) };
            let is_there = |key: &Key| (key.database, key.table) == (database, def.id());
            let columns = key_of(&def).filter(|columns| {
                let has_number = columns.contains(&NamingColumn::RowNumber);
                let may_be_null =
                    |column: &NamingColumn| column.of(&def).is_some_and(|c| c.nullable);
                (may_number || !has_number) && !(optional && columns.iter().all(may_be_null))
            });
            let Some(columns) = columns.filter(|_| !keys.iter().any(is_there)) else {
                return Ok(None);
            };
            // A masked key names no row.
            let is_masked = |column: &NamingColumn| {
                let masked = column.of(&def).filter(|own| own.mask.is_some());
                masked.is_some_and(|own| !self.session.may_unmask(database, def.id(), own.id))
            };
            if columns.iter().any(is_masked) {
                return Ok(None);
            }
            let alias = table.alias.as_ref().map_or(&table.name.name.name, |alias| &alias.name);
            let (table, first) = (def.id(), items.len());
            let mut key = Key { database, table, first, optional, columns: Vec::new() };
            for column in columns {
                let name = format!("{KEY_VARIABLE}{}", items.len()).into();
                let own = column.of(&def);
                let ty = own.map_or(SqlType::bigint(), |own| own.ty);
                let Ok(id) = variables.scalar(&name, ty, true) else { return Ok(None) };
                key.columns.push((column, id, ty));
                let text = format!("{}.{}", bracketed(alias), naming_text(column, &def));
                items.push(Item { text, nullable: optional || own.is_some_and(|c| c.nullable) });
            }
            keys.push(key);
        }
        let statements = keyed_statements(query, &items)?;
        let program = made_program(program, step, variables, statements);
        // Aggregates and the like show when the key is asked for beside them.
        let compiles = |step| self.session.compile_step(self.task, &program, step, &[]).is_ok();
        let fits = program.steps.iter().all(compiles);
        Ok(fits.then_some((program, keys)))
    }
}

/// A table of a cursor's query.
struct JoinedTable<'q> {
    table: &'q ast::TableRef,
    /// An outer join may leave it without a row.
    optional: bool,
}

/// A column of a key as text.
struct Item {
    text: String,
    nullable: bool,
}

/// The name of a column that tells rows apart, as text.
pub(super) fn naming_text(column: NamingColumn, table: &TableDef) -> String {
    column.of(table).map_or_else(|| "$row_number".into(), |column| bracketed(&column.name))
}

/// Refuses options of a cursor that contradict each other, and a document instead of rows. Errors
/// 1048, 6819, 13602, 16957.
fn check_options(definition: &ast::CursorDefinition) -> SqlResult<()> {
    let clause = definition.query.query.for_clause.as_ref();
    let refused = match clause.map(|clause| &clause.kind) {
        Some(ast::ForKind::Json(_)) => Some(&message::FOR_JSON_NOT_ALLOWED),
        Some(ast::ForKind::Xml(_)) => Some(&message::FOR_XML_NOT_ALLOWED),
        Some(ast::ForKind::Browse) | None => None,
    };
    if let Some(message) = refused {
        return Err(SqlError::new(message, &[&"CURSOR"]));
    }
    let conflict = |one: &str, other: &str| {
        let args: [&dyn std::fmt::Display; 2] = [&one, &other];
        Err(SqlError::new(&message::CONFLICTING_CURSOR_OPTIONS, &args))
    };
    let concurrency = definition.concurrency;
    if definition.model == Some(CursorModel::FastForward) {
        if definition.scroll == Some(true) {
            return conflict("SCROLL", "FAST_FORWARD");
        }
        match concurrency {
            Some(CursorConcurrency::ScrollLocks) => {
                return conflict("FAST_FORWARD", "SCROLL_LOCKS");
            }
            Some(CursorConcurrency::Optimistic) => return conflict("FAST_FORWARD", "OPTIMISTIC"),
            _ => {}
        }
    }
    let fixed = matches!(definition.model, Some(CursorModel::Static | CursorModel::FastForward));
    let read_only = fixed || concurrency == Some(CursorConcurrency::ReadOnly);
    match definition.update_of.is_some() && read_only {
        true => Err(SqlError::new(&message::CURSOR_FOR_UPDATE_READ_ONLY, &[])),
        false => Ok(()),
    }
}

/// The tables of a query over tables, and joins of them, which neither groups nor combines rows.
fn joined_tables(query: &ast::SelectStatement) -> Option<Vec<JoinedTable<'_>>> {
    let QueryBody::Select(select) = &query.query.body else { return None };
    let plain = query.with.is_none()
        && query.query.offset.is_none()
        && query.query.for_clause.is_none()
        && !select.distinct
        && select.into.is_none()
        && select.group_by.is_none()
        && select.having.is_none();
    let mut tables = Vec::new();
    let joined = plain && select.from.iter().all(|source| add_tables(source, false, &mut tables));
    (joined && !tables.is_empty()).then_some(tables)
}

/// Adds the tables of a source. Returns whether it is nothing but tables and joins.
fn add_tables<'q>(
    source: &'q ast::TableSource,
    optional: bool,
    tables: &mut Vec<JoinedTable<'q>>,
) -> bool {
    use ast::JoinKind;
    match &source.kind {
        TableSourceKind::Table(table) if table.system_time.is_none() => {
            tables.push(JoinedTable { table, optional });
            true
        }
        TableSourceKind::Join(join) => {
            let (left, right) = match join.kind {
                JoinKind::Inner | JoinKind::Cross => (false, false),
                JoinKind::LeftOuter => (false, true),
                JoinKind::RightOuter => (true, false),
                JoinKind::FullOuter => (true, true),
                _ => return false,
            };
            add_tables(&join.left, optional || left, tables)
                && add_tables(&join.right, optional || right, tables)
        }
        _ => false,
    }
}

/// What says best which row is meant: the columns of a unique index, or the number that the rows of
/// a table without one have.
fn key_of(table: &TableDef) -> Option<Vec<NamingColumn>> {
    let unique = table.indexes.iter().filter(|i| i.unique && !i.disabled && i.filter.is_none());
    let columns = |index: &IndexDef| {
        let columns = index.key.iter().map(|key| table.column_ordinal(key.column));
        columns.map(|at| at.map(NamingColumn::Column)).collect::<Option<Vec<_>>>()
    };
    let may_be_null = |index: &IndexDef| {
        index.key.iter().any(|key| table.column(key.column).is_none_or(|c| c.nullable))
    };
    // Of several the first, but for the primary key.
    let best = unique.min_by_key(|index| (!index.is_primary_key(), may_be_null(index)));
    match best {
        Some(index) => columns(index),
        None => naming_index(table).is_none().then(|| vec![NamingColumn::RowNumber]),
    }
}

/// The query with the columns of its keys after its own, and the query of the row with given keys.
fn keyed_statements(query: &ast::SelectStatement, items: &[Item]) -> SqlResult<Vec<StatementKind>> {
    let equal = |(number, item): (usize, &Item)| {
        let equals = if item.nullable { "IS NOT DISTINCT FROM" } else { "=" };
        format!("{} {equals} {KEY_VARIABLE}{number}", item.text)
    };
    let conditions: Vec<String> = items.iter().enumerate().map(equal).collect();
    let items: Vec<&str> = items.iter().map(|item| &*item.text).collect();
    let text = format!("SELECT {} WHERE {}", items.join(", "), conditions.join(" AND "));
    let parse = tsql::ParseOptions { quoted_identifier: true };
    let made = tsql::parse_batch(&text, parse)?.statements.into_iter().next();
    let internal = || ir::internal("a query was written");
    let Some(StatementKind::Select(made)) = made.map(|s| s.kind) else { return Err(internal()) };
    let QueryBody::Select(made) = made.query.body else { return Err(internal()) };
    let mut whole = query.clone();
    let mut row = query.clone();
    if let (QueryBody::Select(whole), QueryBody::Select(one)) =
        (&mut whole.query.body, &mut row.query.body)
    {
        whole.items.extend(made.items);
        one.filter = made.filter;
        one.top = None;
    }
    row.query.order_by.clear();
    Ok(vec![StatementKind::Select(Box::new(whole)), StatementKind::Select(Box::new(row))])
}

/// A program of these statements, in the place of a step of another.
pub(super) fn made_program(
    base: &Program,
    step: &Step,
    variables: Variables,
    statements: Vec<StatementKind>,
) -> Program {
    let declared = variables.len() as u32;
    let made = |kind: StatementKind| Step {
        declared,
        handler: None,
        ..step.with_statement(ast::Statement { span: step.span, kind })
    };
    Program {
        kind: base.kind,
        text: base.text.clone(),
        module: base.module.clone(),
        database: base.database,
        options: base.options,
        outputs: base.outputs.clone(),
        defaults: Box::default(),
        variables,
        steps: statements.into_iter().map(made).collect(),
        handlers: Box::default(),
        columns_updated: None,
        result: None,
        types_at: None,
        native: Mutex::new(None),
        runs: Runs::default(),
        tree: Mutex::new(None),
    }
}

/// A frame for a cursor's program, with the values that variables have now.
fn captured(program: &Program, frame: &Frame) -> Frame {
    let mut own = new_frame(&program.variables);
    for at in 0..frame.len().min(own.len()) {
        let id = VarId(at as u32);
        if own.ty(id) == frame.ty(id) {
            let value = frame.get(id).to_owned();
            own.set_owned(id, &value);
        }
    }
    own
}
