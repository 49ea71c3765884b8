//! `TEXTPTR`, `TEXTVALID`, `READTEXT`, `WRITETEXT`, `UPDATETEXT`.
//!
//! A pointer follows from what names its row (`ir::function::text`), so the row of a pointer is the
//! one whose own pointer is equal: the statements are bound as a query and as updates with that
//! condition. They are written as text, from names and from literals or variables.

use base::text::identifier::bracketed;
use base::{SqlError, SqlType, TypeKind, Value, message};
use engine::catalog::naming_index;
use ir::function::descriptor::check_count;
use ir::function::text::{POINTER, POINTER_BYTES, READ, SPLICE};
use tsql::ast::{self, ExprKind as Ast, Literal, TextAction, TextData};
use tsql::print;

use super::binder::Binder;
use super::context::{AtLine, BindError, BindResult, TextPointer, TextPointerValue, Variable};
use super::define::definition_options;
use super::scalar::Scalar;
use super::scope::{ColumnAt, Rows};
use super::source::Meaning;
use crate::plan::tree::{self, Plan};

impl Binder<'_> {
    /// `READTEXT`, `WRITETEXT`, `UPDATETEXT`. Errors 207, 208, 518, 7122, 7125.
    pub(super) fn text_statement(&mut self, statement: &ast::TextStatement) -> BindResult<Plan> {
        let place = &statement.place;
        let line = place.column.span.line;
        let kind = self.text_column(place).at(line)?;
        let value = self.text_pointer(&place.pointer).at(line)?;
        let (table, column) = (print::object_name(&place.table), bracketed(&place.column.name));
        let pointer = print::expression(&place.pointer);
        let is_it = |column: &str| condition(column, &pointer);
        let (function, text) = match &statement.action {
            TextAction::Read { offset, size, hold_lock } => {
                let (offset, size) = (print::expression(offset), print::expression(size));
                let hint = if *hold_lock { " WITH (HOLDLOCK)" } else { "" };
                let own = format!("t.{column}");
                let read = format!("[{READ}]({own}, {}, {offset}, {size})", cut(&pointer));
                let is_it = is_it(&own);
                let text = format!(
                    "SELECT {read} AS {column} FROM (VALUES (1)) AS d (x) \
                     LEFT JOIN {table} AS t{hint} ON {is_it}"
                );
                (None, text)
            }
            TextAction::Write(data) => {
                let (data, is_it) = (print::expression(data), is_it(&column));
                let text = format!("UPDATE {table} SET {column} = {data} WHERE {is_it}");
                (Some("WRITE TEXT"), text)
            }
            TextAction::Update { offset, length, data } => {
                let data = self.inserted_text(data, kind).at(line)?;
                let numbers = [offset, length].map(print::expression).join(", ");
                let spliced = format!("[{SPLICE}]({column}, {numbers}, {data})");
                let is_it = is_it(&column);
                let text = format!("UPDATE {table} SET {column} = {spliced} WHERE {is_it}");
                (Some("UPDATE TEXT"), text)
            }
        };
        let batch = tsql::parse_batch(&text, definition_options())?;
        let Some(written) = batch.statements.first() else {
            return Err(ir::internal("a statement was written").into());
        };
        self.in_text_statement = true;
        self.options.skip_triggers = true;
        let plan = self.data_statement(written);
        self.in_text_statement = false;
        self.facts.text_pointer =
            function.map(|function| Box::new(TextPointer { function, value }));
        plan.at(line)
    }

    /// What `UPDATETEXT` inserts, as text. Errors 207, 208, 518, 7122, 7125.
    fn inserted_text(&mut self, data: &TextData, kind: TypeKind) -> BindResult<String> {
        let ty = match kind {
            TypeKind::Text => "varchar(max)",
            TypeKind::NText => "nvarchar(max)",
            _ => "varbinary(max)",
        };
        Ok(match data {
            TextData::None => format!("CAST(NULL AS {ty})"),
            TextData::Value(value) => format!("CAST({} AS {ty})", print::expression(value)),
            TextData::Copy(from) => {
                let own = self.text_column(from)?;
                if own != kind {
                    let args: [&dyn std::fmt::Display; 2] = [&own, &kind];
                    return Err(SqlError::new(&message::TEXT_TYPES_DIFFER, &args).into());
                }
                self.text_pointer(&from.pointer)?;
                let table = print::object_name(&from.table);
                let column = format!("s.{}", bracketed(&from.column.name));
                let pointer = print::expression(&from.pointer);
                let (cut, is_it) = (cut(&pointer), condition(&column, &pointer));
                format!(
                    "(SELECT CAST([{READ}]({column}, {cut}, 0, 0) AS {ty}) \
                     FROM (VALUES (1)) AS d (x) LEFT JOIN {table} AS s ON {is_it})"
                )
            }
        })
    }

    /// The type of a column that text pointers can point to. Errors 207, 208, 7125.
    fn text_column(&mut self, place: &ast::TextPlace) -> BindResult<TypeKind> {
        let conflict = || SqlError::new(&message::TEXT_COLUMN_CONFLICT, &[]);
        let table = match self.meaning(&place.table)? {
            Some(Meaning::Table(_, table)) => table,
            Some(_) => return Err(conflict().into()),
            None => {
                let name = place.table.to_string();
                let error = SqlError::new(&message::INVALID_OBJECT, &[&name]);
                return Err(BindError::missing(error));
            }
        };
        let name = &place.column.name;
        let column = table.columns.iter().find(|own| self.same_name(&own.name, name));
        let column = column.ok_or_else(|| SqlError::new(&message::INVALID_COLUMN, &[name]))?;
        match column.ty.kind {
            kind if kind.is_legacy_lob() => Ok(kind),
            _ => Err(conflict().into()),
        }
    }

    /// What a statement gives for a pointer. Errors 137, 7122.
    fn text_pointer(&mut self, pointer: &ast::Expr) -> BindResult<TextPointerValue> {
        let unfit = || SqlError::new(&message::TEXT_POINTER_TYPE, &[]);
        match &pointer.kind {
            Ast::Literal(Literal::Binary(bytes)) if bytes.len() >= POINTER_BYTES => {
                Ok(TextPointerValue::Bytes(bytes[..POINTER_BYTES].into()))
            }
            Ast::Variable(name) => {
                let bound = self.scalar(pointer)?;
                let ty = bound.expr.ty;
                let holds = ty.kind.is_binary() && !ty.is_max() && !ty.kind.is_legacy_lob();
                match self.names.variable(name) {
                    Some(Variable::Scalar { id, .. })
                        if holds && usize::from(ty.length) >= POINTER_BYTES =>
                    {
                        Ok(TextPointerValue::Variable(id))
                    }
                    _ => Err(unfit().into()),
                }
            }
            _ => Err(unfit().into()),
        }
    }

    /// `TEXTPTR(column)`. Errors 280, 8116.
    pub(super) fn textptr(&mut self, call: &ast::FunctionCall) -> BindResult<Scalar> {
        let arguments = listed(call);
        check_count("textptr", (1, 1), arguments.len())?;
        let not_of_table = || SqlError::new(&message::TEXTPTR_NOT_BASE_COLUMN, &[]);
        let [ast::Argument::Expr(ast::Expr { kind: Ast::Column(column), .. })] = arguments else {
            return Err(not_of_table().into());
        };
        let at = self.find_column(column)?;
        let ColumnAt { block, source, ordinal } = at;
        let Rows::Scan(scan) = &self.blocks[block].sources[source].rows else {
            return Err(not_of_table().into());
        };
        let tree::Source::Table { table, .. } = &scan.source else {
            return Err(not_of_table().into());
        };
        let (table, own) = (table.clone(), &table.columns[ordinal]);
        if !own.ty.kind.is_legacy_lob() {
            let args: [&dyn std::fmt::Display; 3] = [&own.ty.kind, &1, &"textptr"];
            return Err(SqlError::new(&message::ARGUMENT_TYPE_INVALID, &args).into());
        }
        let number = |value: i32| Scalar::constant(SqlType::int(), Value::Int(value.into()));
        let mut args = vec![number(table.id().0), number(own.id.0), self.column_at(at)?];
        match naming_index(&table) {
            None => args.push(self.row_number(block, source)),
            Some(index) => {
                for key in &table.indexes[index].key {
                    let Some(ordinal) = table.column_ordinal(key.column) else { continue };
                    args.push(self.column_at(ColumnAt { block, source, ordinal })?);
                }
            }
        }
        self.library_call(POINTER, args)
    }

    /// `TEXTVALID('table.column', pointer)`: whether a row has this pointer.
    pub(super) fn textvalid(&mut self, call: &ast::FunctionCall) -> BindResult<Scalar> {
        let arguments = listed(call);
        check_count("textvalid", (2, 2), arguments.len())?;
        let none = || Ok(Scalar::constant(SqlType::int(), Value::Int(0)));
        let [ast::Argument::Expr(name), ast::Argument::Expr(pointer)] = arguments else {
            return none();
        };
        let (Literal::String(text) | Literal::National(text)) = (match &name.kind {
            Ast::Literal(literal) => literal,
            _ => {
                let what = "TEXTVALID with a name that is no literal";
                return Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into());
            }
        }) else {
            return none();
        };
        let Ok(whole) = tsql::parse_object_name(text, definition_options()) else { return none() };
        let ast::ObjectName { span, server, database, schema, name: column } = whole;
        let Some(name) = schema else { return none() };
        let table =
            ast::ObjectName { span, server: None, database: server, schema: database, name };
        let place = ast::TextPlace { table, column, pointer: pointer.clone() };
        if self.text_column(&place).is_err() {
            return none();
        }
        let (table, column) = (print::object_name(&place.table), bracketed(&place.column.name));
        let is_it = condition(&column, &print::expression(pointer));
        let text =
            format!("CASE WHEN EXISTS (SELECT 1 FROM {table} WHERE {is_it}) THEN 1 ELSE 0 END");
        self.scalar(&tsql::parse_expression(&text, definition_options())?)
    }
}

/// What a function is called with.
fn listed(call: &ast::FunctionCall) -> &[ast::Argument] {
    match &call.arguments {
        ast::Arguments::List { items, .. } => items,
        _ => &[],
    }
}

/// The bytes of a pointer that count.
fn cut(pointer: &str) -> String {
    format!("CAST({pointer} AS varbinary({POINTER_BYTES}))")
}

/// Whether a column's value is the one that is pointed to.
fn condition(column: &str, pointer: &str) -> String {
    format!("TEXTPTR({column}) = {}", cut(pointer))
}
