//! The procedures by which clients use cursors: `sp_cursoropen` and its like.
//!
//! A client opens a cursor over a text and fetches blocks of rows, each with a last column,
//! `ROWSTAT`, that says whether the row is there (1) or gone (2). The row that a change means is
//! given by its place in the block.

use std::fmt::Display;
use std::sync::Arc;

use base::convert::display;
use base::text::identifier::{bracketed, fold_identifier};
use base::{SqlError, SqlType, Value, message};
use compile::bind::NamingColumn;
use engine::catalog::def::TableDef;
use ir::site::{ResultColumn, ResultSite};
use run::interp::local::RowId;
use tsql::ast::{self, CursorConcurrency, CursorModel, StatementKind};

use super::declare::naming_text;
use super::fetch::GONE;
use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::names::callee::parse_name;
use crate::program::{Program, ProgramKind, Step, StepKind, new_frame};
use crate::response::{Origins, command};
use crate::session::arguments::{Argument, ArgumentIn, Called, CalledOutput};
use crate::session::cursors::{Cursor, CursorId, Model};
use crate::session::prepared::PreparedText;
use crate::sysproc::CursorProcedure;

/// Bits of `scrollopt`, of `ccopt`, of `fetchtype` and of `optype`.
mod bits {
    pub const KEYSET: i64 = 0x01;
    pub const DYNAMIC: i64 = 0x02;
    pub const FORWARD_ONLY: i64 = 0x04;
    pub const STATIC: i64 = 0x08;
    pub const FAST_FORWARD: i64 = 0x10;
    pub const PARAMETERIZED: i64 = 0x1000;
    pub const KINDS: i64 = 0x1F;
    pub const READ_ONLY: i64 = 0x01;
    pub const SCROLL_LOCKS: i64 = 0x02;
    pub const OPTIMISTIC: i64 = 0x04;
    pub const CONCURRENCIES: i64 = 0x0F;
    pub const FIRST: i64 = 0x01;
    pub const NEXT: i64 = 0x02;
    pub const PREVIOUS: i64 = 0x04;
    pub const LAST: i64 = 0x08;
    pub const ABSOLUTE: i64 = 0x10;
    pub const RELATIVE: i64 = 0x20;
    pub const REFRESH: i64 = 0x80;
    pub const INFO: i64 = 0x100;
    pub const PREVIOUS_NO_ADJUST: i64 = 0x200;
    pub const UPDATE: i64 = 0x01;
    pub const DELETE: i64 = 0x02;
    pub const INSERT: i64 = 0x04;
}

/// `ROWSTAT`
const ROW_IS_THERE: i64 = 1;
const ROW_IS_GONE: i64 = 2;

/// The code of `sp_cursoroption` that gives a cursor a name.
const CURSOR_NAME: i64 = 2;

/// How many rows a fetch takes unless it says.
const BLOCK_ROWS: i64 = 20;

/// What opening a cursor needs.
struct Opening<'a> {
    text: String,
    declared: String,
    arguments: &'a [Argument],
    scroll: i64,
    concurrency: i64,
    /// What the client passes for the count of rows.
    row_count: i64,
    /// Where handle, options and count of rows are among the arguments.
    places: [usize; 4],
}

impl Context<'_> {
    /// Calls one of these procedures.
    pub(crate) fn call_cursor(
        &mut self,
        procedure: CursorProcedure,
        arguments: Vec<Argument>,
    ) -> Run<Called> {
        let text = |at| text_at(&arguments, at);
        let number = |at| int_at(&arguments, at);
        match procedure {
            CursorProcedure::Open => {
                let scroll = number(2).unwrap_or(bits::KEYSET);
                let has_parameters = scroll & bits::PARAMETERIZED != 0 || arguments.len() > 5;
                self.open_remote(Opening {
                    text: text(1).unwrap_or_default(),
                    declared: if has_parameters { text(5).unwrap_or_default() } else { "".into() },
                    arguments: arguments.get(6..).unwrap_or(&[]),
                    scroll,
                    concurrency: number(3).unwrap_or(bits::OPTIMISTIC),
                    row_count: number(4).unwrap_or_default(),
                    places: [0, 2, 3, 4],
                })
            }
            CursorProcedure::Prepare => {
                let handle = self.prepare_cursor(text(2), text(1))?;
                Ok(with_outputs(vec![output(0, "@handle", i64::from(handle))]))
            }
            CursorProcedure::Execute => {
                let prepared = self.prepared_cursor(number(0))?;
                self.open_remote(Opening {
                    text: prepared.text.to_string(),
                    declared: prepared.parameters.to_string(),
                    arguments: arguments.get(5..).unwrap_or(&[]),
                    scroll: number(2).unwrap_or(bits::KEYSET),
                    concurrency: number(3).unwrap_or(bits::OPTIMISTIC),
                    row_count: number(4).unwrap_or_default(),
                    places: [1, 2, 3, 4],
                })
            }
            CursorProcedure::PrepExec => {
                let handle = self.prepare_cursor(text(3), text(2))?;
                let mut called = self.open_remote(Opening {
                    text: text(3).unwrap_or_default(),
                    declared: text(2).unwrap_or_default(),
                    arguments: arguments.get(7..).unwrap_or(&[]),
                    scroll: number(4).unwrap_or(bits::KEYSET),
                    concurrency: number(5).unwrap_or(bits::OPTIMISTIC),
                    row_count: number(6).unwrap_or_default(),
                    places: [1, 4, 5, 6],
                })?;
                called.outputs.insert(0, output(0, "@handle", i64::from(handle)));
                Ok(called)
            }
            CursorProcedure::Unprepare => {
                self.prepared_cursor(number(0))?;
                self.session.prepared.remove(number(0).unwrap_or_default() as i32);
                Ok(Called::default())
            }
            CursorProcedure::Fetch => self.fetch_remote(&arguments),
            CursorProcedure::Option => self.name_remote(&arguments),
            CursorProcedure::Close => self.close_remote(&arguments),
            CursorProcedure::Cursor => self.change_remote(&arguments),
        }
    }

    fn prepare_cursor(&mut self, text: Option<String>, declared: Option<String>) -> Run<i32> {
        let (text, declared) = (text.unwrap_or_default(), declared.unwrap_or_default());
        let program = self.text_program(&text, &declared, ProgramKind::Dynamic)?;
        let (text, parameters) = (text.into(), declared.into());
        Ok(self.session.prepared.add(PreparedText { text, parameters, program: Some(program) }))
    }

    /// The text that was prepared under a handle. Error 8179.
    fn prepared_cursor(&self, handle: Option<i64>) -> Run<PreparedText> {
        let handle = handle.unwrap_or_default() as i32;
        let unknown = || SqlError::new(&message::PREPARED_HANDLE_NOT_FOUND, &[&handle]);
        Ok(self.session.prepared.get(handle).cloned().ok_or_else(unknown)?)
    }

    /// Opens a cursor over a text. What is not a query is executed without one, which message 16954
    /// tells.
    fn open_remote(&mut self, opening: Opening<'_>) -> Run<Called> {
        let Opening { text, declared, arguments, scroll, concurrency, row_count, places } = opening;
        let program = self.text_program(&text, &declared, ProgramKind::Dynamic)?;
        let Some((step, query)) = only_query(&program) else {
            let direct = SqlError::new(&message::CURSOR_DIRECT_EXECUTION, &[]);
            self.inform(direct)?;
            self.run_text(&text, &declared, arguments)?;
            // No cursor has handle 0; clients read the others, too, before they go on.
            return Ok(with_outputs(vec![
                output(places[0], "@cursor", 0),
                output(places[1], "@scrollopt", scroll),
                output(places[2], "@ccopt", concurrency),
                output(places[3], "@rowcount", row_count),
            ]));
        };
        let definition = definition_of(step, query, scroll, concurrency);
        let mut frame = new_frame(&program.variables);
        self.bind_text_arguments(&program, &declared, arguments, &mut frame)?;
        let (made, _) = self.in_level(&program, None, |context| {
            let mut cursor = context.make_cursor(&program, step, &frame, &definition)?;
            context.run_query(&mut cursor)?;
            let columns = with_status(cursor.open.as_ref().map_or(&[], |open| &*open.columns));
            context.send_block(&columns, &[], true)?;
            context.done(command::SELECT, Some(0))?;
            Ok(cursor)
        });
        let cursor = made?;
        let source = &cursor.source;
        let kind = match source.model {
            _ if scroll & bits::KINDS == bits::FORWARD_ONLY => bits::FORWARD_ONLY,
            Model::Static => bits::STATIC,
            Model::Keyset => bits::KEYSET,
            Model::Dynamic => bits::DYNAMIC,
            Model::FastForward => bits::FAST_FORWARD,
        };
        let concurrency = match source.read_only {
            true => bits::READ_ONLY,
            false => concurrency & bits::CONCURRENCIES,
        };
        let count = match source.model {
            Model::Static | Model::Keyset => cursor.open.as_ref().map_or(0, |open| open.count),
            Model::Dynamic | Model::FastForward => -1,
        };
        let id = self.session.cursors.add(cursor);
        let outputs = vec![
            output(places[0], "@cursor", i64::from(id.0)),
            output(places[1], "@scrollopt", kind),
            output(places[2], "@ccopt", concurrency),
            output(places[3], "@rowcount", count),
        ];
        Ok(with_outputs(outputs))
    }

    /// The cursor of a handle. Error 16909.
    fn remote_cursor(&self, procedure: CursorProcedure, arguments: &[Argument]) -> Run<CursorId> {
        let handle = int_at(arguments, 0).unwrap_or_default();
        let id = CursorId(handle as i32);
        match self.session.cursors.get(id) {
            Some(_) => Ok(id),
            None => {
                let args: [&dyn Display; 2] = [&procedure.name(), &handle];
                Err(SqlError::new(&message::CURSOR_HANDLE_INVALID, &args).into())
            }
        }
    }

    /// `sp_cursorfetch`: a block of rows, or where the cursor stands.
    fn fetch_remote(&mut self, arguments: &[Argument]) -> Run<Called> {
        let id = self.remote_cursor(CursorProcedure::Fetch, arguments)?;
        let kind = int_at(arguments, 1).unwrap_or(bits::NEXT);
        let row = int_at(arguments, 2).unwrap_or(1);
        let size = int_at(arguments, 3).unwrap_or(BLOCK_ROWS).max(0);
        if kind & bits::INFO != 0 {
            let stands = self.session.cursors.get(id).and_then(|cursor| cursor.open.as_ref());
            let (position, count) = stands.map_or((0, 0), |open| (open.position, open.count));
            let position = if position > count { -1 } else { position };
            let outputs = vec![output(2, "@rownum", position), output(3, "@nrows", count)];
            return Ok(with_outputs(outputs));
        }
        let (columns, rows) = self
            .with_cursor(id, "", |context, cursor| context.fetch_block(cursor, kind, row, size))?;
        self.send_block(&columns, &rows, false)?;
        self.done(command::SELECT, Some(rows.len() as u64))?;
        Ok(Called::default())
    }

    /// Sends a block of rows, and what clients that change them must know of their columns.
    fn send_block(
        &mut self,
        columns: &[ResultColumn],
        rows: &[Vec<Value>],
        is_first: bool,
    ) -> Run<()> {
        let site = ResultSite { columns: columns.into() };
        let origins = Origins { columns, hidden: 1, names_tables: is_first };
        self.writer.start(self.task, &site)?;
        self.writer.origins(self.task, &origins).map_err(Fault::lost)?;
        self.send_rows_of(&site, rows)
    }

    fn fetch_block(
        &mut self,
        cursor: &mut Cursor,
        kind: i64,
        row: i64,
        size: i64,
    ) -> Run<(Vec<ResultColumn>, Vec<Vec<Value>>)> {
        let Some(open) = &mut cursor.open else {
            return Err(SqlError::new(&message::CURSOR_NOT_OPEN, &[]).into());
        };
        let (start, end) = Block { first: open.position, rows: open.block, count: open.count }
            .after(kind, row, size);
        let columns = with_status(&open.columns);
        let mut rows = Vec::new();
        for place in start..end {
            if let Some(open) = &mut cursor.open {
                open.position = place;
            }
            let (status, values) = self.current_values(cursor)?;
            let mut values = match (status, values) {
                (GONE, _) | (_, None) => vec![Value::Null; columns.len() - 1],
                (_, Some(values)) => values,
            };
            values.push(Value::Int(if status == GONE { ROW_IS_GONE } else { ROW_IS_THERE }));
            rows.push(values);
        }
        if let Some(open) = &mut cursor.open {
            open.position = start;
            open.block = rows.len() as i64;
            open.on_row = !rows.is_empty();
        }
        Ok((columns, rows))
    }

    /// `sp_cursoroption`: a name for a cursor, under which statements know it.
    fn name_remote(&mut self, arguments: &[Argument]) -> Run<Called> {
        let id = self.remote_cursor(CursorProcedure::Option, arguments)?;
        if int_at(arguments, 1) == Some(CURSOR_NAME)
            && let Some(name) = text_at(arguments, 2)
        {
            let name: Box<str> = fold_identifier(&name).into();
            if self.session.cursors.global.contains_key(&name) {
                return Err(SqlError::new(&message::CURSOR_EXISTS, &[&name]).into());
            }
            self.session.cursors.refer(id);
            self.session.cursors.global.insert(name, id);
        }
        Ok(Called::default())
    }

    /// `sp_cursorclose`.
    fn close_remote(&mut self, arguments: &[Argument]) -> Run<Called> {
        let id = self.remote_cursor(CursorProcedure::Close, arguments)?;
        let cursors = &mut self.session.cursors;
        let named = cursors.global.iter().find(|(_, named)| **named == id).map(|(n, _)| n.clone());
        if let Some(name) = named {
            cursors.global.remove(&name);
            cursors.release(id, &mut self.runtime.grant);
        }
        cursors.release(id, &mut self.runtime.grant);
        Ok(Called::default())
    }

    /// `sp_cursor`: changes a row of the block, or adds one. Errors 16902, 16929, 16930.
    fn change_remote(&mut self, arguments: &[Argument]) -> Run<Called> {
        let id = self.remote_cursor(CursorProcedure::Cursor, arguments)?;
        let kind = int_at(arguments, 1).unwrap_or_default();
        let row = int_at(arguments, 2).unwrap_or(1).max(1);
        let values = arguments.get(4..).unwrap_or(&[]);
        let table = text_at(arguments, 3).filter(|table| !table.is_empty());
        let names: Vec<&str> = values.iter().filter_map(|value| value.name.as_deref()).collect();
        let (table, key) = self.with_cursor(id, "", |context, cursor| {
            let at = context.changed_table(cursor, table.as_deref(), &names)?;
            context.changed_row(cursor, at, row, kind & bits::INSERT != 0)
        })?;
        let mut given = Vec::new();
        let mut columns = Vec::new();
        for value in values {
            let Some(name) = value.name.as_deref() else {
                return Err(SqlError::new(&message::CURSOR_VALUES_INVALID, &[]).into());
            };
            columns.push(bracketed(name.trim_start_matches('@')));
            given.push(value.value.clone());
        }
        let places = |from: usize, count: usize| (from..from + count).map(|at| format!("@v{at}"));
        let conditions = |from: usize| {
            let equal = key.iter().zip(places(from, key.len())).map(|((name, value, _), place)| {
                let equals = if value.is_null() { "IS NOT DISTINCT FROM" } else { "=" };
                format!("{name} {equals} {place}")
            });
            equal.collect::<Vec<_>>().join(" AND ")
        };
        let text = if kind & bits::UPDATE != 0 {
            let set =
                columns.iter().zip(places(0, columns.len())).map(|(c, v)| format!("{c} = {v}"));
            let set: Vec<String> = set.collect();
            format!("UPDATE {table} SET {} WHERE {}", set.join(", "), conditions(given.len()))
        } else if kind & bits::DELETE != 0 {
            given.clear();
            format!("DELETE {table} WHERE {}", conditions(0))
        } else if kind & bits::INSERT != 0 {
            let values: Vec<String> = places(0, columns.len()).collect();
            format!("INSERT {table} ({}) VALUES ({})", columns.join(", "), values.join(", "))
        } else {
            let args: [&dyn Display; 2] = [&"sp_cursor", &"'optype'"];
            return Err(SqlError::new(&message::CURSOR_PARAMETER_INVALID, &args).into());
        };
        if kind & bits::INSERT == 0 {
            given.extend(key.iter().map(|(_, v, ty)| ArgumentIn::Scalar(v.clone(), *ty)));
        }
        let declared = given.iter().enumerate().map(|(at, value)| match value {
            ArgumentIn::Scalar(_, ty) => format!("@v{at} {ty}"),
            _ => format!("@v{at} int"),
        });
        let declared = declared.collect::<Vec<_>>().join(", ");
        let given: Vec<Argument> =
            given.into_iter().map(|value| Argument { name: None, value, output: false }).collect();
        self.run_text(&text, &declared, &given)?;
        Ok(Called::default())
    }

    /// Which of a cursor's tables a client means: the one that it names, or the first that has the
    /// columns. Errors 16929, 16933.
    fn changed_table(&self, cursor: &Cursor, named: Option<&str>, columns: &[&str]) -> Run<usize> {
        let keys = &cursor.source.keys;
        if cursor.source.read_only || keys.is_empty() {
            return Err(SqlError::new(&message::CURSOR_READ_ONLY, &[]).into());
        }
        let mut fits = None;
        for (at, key) in keys.iter().enumerate() {
            let schema = self.schema(key.database)?;
            let Some(table) = schema.table(key.table) else { continue };
            let own = fold_identifier(&table.header.name);
            let has = |column: &&str| {
                let column = fold_identifier(column.trim_start_matches('@'));
                table.columns.iter().any(|own| fold_identifier(&own.name) == column)
            };
            let is_it = match named {
                // Clients write the name alone, or with its schema and database before it.
                Some(named) => {
                    parse_name(named).is_ok_and(|named| fold_identifier(&named.name.name) == own)
                }
                None => columns.iter().all(has),
            };
            if is_it && fits.is_none() {
                fits = Some(at);
            }
        }
        match (fits, named) {
            (Some(at), _) => Ok(at),
            (None, Some(_)) if keys.len() > 1 => {
                Err(SqlError::new(&message::CURSOR_TABLE_NOT_UPDATABLE, &[]).into())
            }
            _ => Ok(0),
        }
    }

    /// One of a cursor's tables as text, and the key of a row of its block. Error 16930.
    #[allow(clippy::type_complexity, reason = "names, values and types of a key's columns")]
    fn changed_row(
        &self,
        cursor: &Cursor,
        at: usize,
        row: i64,
        is_new: bool,
    ) -> Run<(String, Vec<(String, Value, SqlType)>)> {
        let read_only = || SqlError::new(&message::CURSOR_READ_ONLY, &[]);
        let key = &cursor.source.keys[at];
        let schema = self.schema(key.database)?;
        let table: &Arc<TableDef> = schema.table(key.table).ok_or_else(read_only)?;
        let name = self.session.instance.database_name(key.database);
        let place = schema.schemas().get(table.header.schema).ok_or_else(read_only)?;
        let parts = [&*name, &*place.name, &*table.header.name];
        let name = parts.map(bracketed).join(".");
        if is_new {
            return Ok((name, Vec::new()));
        }
        let not_there = || SqlError::new(&message::CURSOR_ROW_NOT_IN_BUFFER, &[]);
        let open = cursor.open.as_ref().filter(|open| row <= open.block).ok_or_else(not_there)?;
        let id = RowId((open.position + row - 2).max(0) as u32);
        let bytes = open.rows.visible(id).ok_or_else(not_there)?;
        let visible = open.columns.len();
        let of = |(at, (column, _, ty)): (usize, &(NamingColumn, _, SqlType))| {
            let value = open.rows.layout().get(bytes, visible + key.first + at).to_owned();
            (naming_text(*column, table), value, *ty)
        };
        let named: Vec<_> = key.columns.iter().enumerate().map(of).collect();
        if key.optional && named.iter().all(|(_, value, _)| value.is_null()) {
            return Err(SqlError::new(&message::CURSOR_TABLE_NOT_UPDATABLE, &[]).into());
        }
        Ok((name, named))
    }
}

/// Where a cursor's block of rows lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Block {
    /// The place of its first row; 0 before the first row of all, `count + 1` after the last.
    first: i64,
    /// How many rows it has.
    rows: i64,
    /// How many rows the cursor has.
    count: i64,
}

impl Block {
    /// The first place and the end of the block that a fetch of this many rows leads to. No rows at
    /// all stand for before the first and after the last.
    fn after(self, kind: i64, row: i64, size: i64) -> (i64, i64) {
        let Block { first, rows, count } = self;
        let behind = count + 1;
        let size = if kind == bits::REFRESH && size == 0 { rows } else { size };
        let start = match kind {
            bits::FIRST if size == 0 => 0,
            bits::FIRST => 1,
            bits::LAST if size == 0 => behind,
            bits::LAST => (behind - size).max(1),
            bits::PREVIOUS | bits::PREVIOUS_NO_ADJUST if first > 1 => (first - size).max(1),
            bits::PREVIOUS | bits::PREVIOUS_NO_ADJUST => 0,
            bits::ABSOLUTE if row < 0 => behind + row,
            bits::ABSOLUTE => row,
            bits::RELATIVE => first.saturating_add(row),
            bits::REFRESH => first,
            _ if first == 0 => 1,
            _ => first + rows,
        };
        let start = start.clamp(0, behind);
        let end = match start {
            0 => 0,
            // Without adjustment a block that is short at its start stays short.
            _ if kind == bits::PREVIOUS_NO_ADJUST => (start + size).min(first),
            _ => (start + size).min(behind),
        };
        (start, end)
    }
}

/// The query of a program that is nothing else.
fn only_query(program: &Program) -> Option<(&Step, &ast::SelectStatement)> {
    let [step] = &program.steps[..] else { return None };
    match &step.kind {
        StepKind::Data(statement) => match &statement.kind {
            StatementKind::Select(select) => Some((step, select)),
            _ => None,
        },
        _ => None,
    }
}

/// What the options ask for, as `DECLARE CURSOR` would say it.
fn definition_of(
    step: &Step,
    query: &ast::SelectStatement,
    scroll: i64,
    concurrency: i64,
) -> ast::CursorDefinition {
    let kind = scroll & bits::KINDS;
    let fixed = kind & (bits::STATIC | bits::FAST_FORWARD) != 0;
    let model = match kind {
        bits::STATIC => Some(CursorModel::Static),
        bits::FAST_FORWARD => Some(CursorModel::FastForward),
        bits::DYNAMIC => Some(CursorModel::Dynamic),
        bits::FORWARD_ONLY => None,
        _ => Some(CursorModel::Keyset),
    };
    let concurrency = match concurrency & bits::CONCURRENCIES {
        _ if fixed => Some(CursorConcurrency::ReadOnly),
        bits::READ_ONLY => Some(CursorConcurrency::ReadOnly),
        bits::SCROLL_LOCKS => Some(CursorConcurrency::ScrollLocks),
        _ => Some(CursorConcurrency::Optimistic),
    };
    ast::CursorDefinition {
        span: step.span,
        global: None,
        scroll: Some(kind & (bits::FORWARD_ONLY | bits::FAST_FORWARD) == 0),
        model,
        concurrency,
        type_warning: false,
        query: Box::new(query.clone()),
        update_of: None,
    }
}

/// The columns, and `ROWSTAT`. Any of them is NULL in a row that is gone.
fn with_status(columns: &[ResultColumn]) -> Vec<ResultColumn> {
    let mut columns = columns.to_vec();
    columns.iter_mut().for_each(|column| column.nullable = true);
    columns.push(ResultColumn {
        name: "ROWSTAT".into(),
        ty: SqlType::int(),
        nullable: true,
        base: None,
        schemas: None,
        classified: None,
    });
    columns
}

/// A call that has succeeded with these outputs.
fn with_outputs(outputs: Vec<CalledOutput>) -> Called {
    Called { outputs, ..Called::default() }
}

fn output(at: usize, name: &str, value: i64) -> CalledOutput {
    CalledOutput {
        at,
        name: name.into(),
        value: Value::Int(value),
        ty: SqlType::int(),
        schemas: None,
    }
}

fn int_at(arguments: &[Argument], at: usize) -> Option<i64> {
    match arguments.get(at).map(|argument| &argument.value) {
        Some(ArgumentIn::Scalar(Value::Int(value), _)) => Some(*value),
        _ => None,
    }
}

fn text_at(arguments: &[Argument], at: usize) -> Option<String> {
    match arguments.get(at).map(|argument| &argument.value) {
        Some(ArgumentIn::Scalar(value, ty)) if !value.is_null() => {
            Some(display(value.as_ref(), ty))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
