//! `OPENJSON(…) WITH (…)`: the function finds each column's text, and a cast makes it what the
//! column is.

use std::sync::Arc;

use base::collation::codepage::string_to_unicode;
use base::types::declare::Subject;
use base::{SqlError, SqlType, TypeKind, Value, message};
use ir::function::descriptor::check_count;
use ir::operator::CastMode;
use tsql::ast::{self, OpenJsonColumn};

use super::binder::Binder;
use super::context::{AtLine, BindError, BindResult};
use super::scalar::{Label, Scalar};
use super::scope::{OutCol, Rows, Source};
use crate::plan::expr::{Expr, ExprKind};
use crate::plan::tree::Node;

/// The most columns, as a table's.
const COLUMNS_MAX: usize = 1024;

/// The length of strings that declare none.
const LENGTH: u16 = 1;

/// A column as it was declared.
struct Column {
    name: Arc<str>,
    ty: SqlType,
    path: Box<str>,
    is_json: bool,
}

impl Binder<'_> {
    /// `OPENJSON(document, path) WITH (…)`. Errors 208, 447, 13614, 13618, 13626 and those of
    /// types, paths and arguments.
    pub fn open_json(&mut self, function: &ast::TableFunction, line: u32) -> BindResult<Source> {
        let rowset = self.names.functions().open_json();
        let mut args = self.rowset_arguments(function)?;
        check_count("OPENJSON", (1, 2), args.len()).at(line)?;
        let is_json_type = args[0].expr.ty.kind == TypeKind::Json;
        let columns = self.declared_columns(&function.schema, args[0].label)?;
        if args.len() == 1 {
            args.push(unicode("$"));
        }
        args.extend(columns.iter().map(wanted));
        let rows = self.rowset_rows(rowset, args, line)?;
        let (input, found) = self.derived_rows(rows)?;
        let mut computed = Vec::with_capacity(columns.len());
        let mut shown = Vec::with_capacity(columns.len());
        for (column, found) in columns.into_iter().zip(found) {
            let text =
                Expr { kind: ExprKind::Column(found.id), ty: found.ty, nullable: found.nullable };
            let id = self.free_column();
            let value = match column.ty.kind {
                // A scalar in json is no document.
                TypeKind::Json if is_json_type && !column.is_json => null_of(column.ty),
                _ => self.cast(text, column.ty, CastMode::Explicit),
            };
            computed.push((id, value));
            shown.push(OutCol::plain(id, Some(column.name), column.ty, true));
        }
        let node = Node::Compute { input: Box::new(input), columns: computed };
        self.function_source(Rows::Derived(Some(node), shown), function)
    }

    fn declared_columns(
        &mut self,
        schema: &[OpenJsonColumn],
        document: Label,
    ) -> BindResult<Vec<Column>> {
        if schema.len() > COLUMNS_MAX {
            let line = schema[COLUMNS_MAX].name.span.line;
            let error = SqlError::new(&message::OPENJSON_COLUMNS, &[&COLUMNS_MAX]);
            return Err(BindError::from(error).at_line(line));
        }
        let numbered = schema.iter().zip(1..);
        numbered.map(|(column, ordinal)| self.declared_column(column, ordinal, document)).collect()
    }

    fn declared_column(
        &mut self,
        column: &OpenJsonColumn,
        ordinal: u32,
        document: Label,
    ) -> BindResult<Column> {
        let line = column.name.span.line;
        let name = column.name.name.clone();
        let declared = self.data_type(&column.ty, Subject::Column(&name), ordinal, LENGTH)?.ty;
        if declared.kind.is_legacy_lob() || declared.kind == TypeKind::SqlVariant {
            return Err(SqlError::new(&message::OPENJSON_TYPE_LOB, &[]).at_line(line).into());
        }
        let may_be_json =
            matches!(declared.kind, TypeKind::NVarChar | TypeKind::Json) && declared.is_max();
        if column.as_json && !may_be_json {
            return Err(SqlError::new(&message::OPENJSON_AS_JSON_TYPE, &[]).at_line(line).into());
        }
        let ty = match &column.collation {
            Some(named) if declared.kind.is_character() => {
                let ty = declared.recollated(self.collation_named(named)?);
                super::convert::unicode_only(&ty).at(line)?;
                ty
            }
            Some(named) => {
                let error = SqlError::new(&message::COLLATE_TYPE_INVALID, &[&declared.kind]);
                return Err(error.at_line(named.span.line).into());
            }
            None if declared.kind.is_character() => {
                declared.recollated(document.any_collation().unwrap_or(self.collation()))
            }
            None => declared,
        };
        let path = column.path.clone().unwrap_or_else(|| path_to(&name));
        Ok(Column { name, ty, path, is_json: column.as_json })
    }
}

fn null_of(ty: SqlType) -> Expr {
    Expr { kind: ExprKind::Constant(Value::Null), ty, nullable: true }
}

/// The path to the member of this name.
fn path_to(name: &str) -> Box<str> {
    let escaped = name.replace('\\', "\\\\").replace('"', "\\\"").replace('/', "\\/");
    format!("$.\"{escaped}\"").into()
}

/// What the function is told of a column, see its own description.
fn wanted(column: &Column) -> Scalar {
    let path = unicode(&column.path);
    if !column.ty.kind.is_binary() {
        let length = if column.is_json { SqlType::MAX } else { path.expr.ty.length };
        let ty = SqlType { length, ..path.expr.ty };
        return Scalar { expr: Expr { ty, ..path.expr }, ..path };
    }
    let most = if column.ty.is_max() { u32::MAX } else { u32::from(column.ty.length) };
    let mut bytes = most.to_le_bytes().to_vec();
    string_to_unicode(&column.path, &mut bytes);
    Scalar::constant(SqlType::varbinary(SqlType::MAX), Value::Bytes(bytes.into()))
}

/// A constant of type `nvarchar(4000)`.
fn unicode(text: &str) -> Scalar {
    let mut units = Vec::new();
    string_to_unicode(text, &mut units);
    let ty = SqlType::nvarchar(4000, base::Collation::DEFAULT);
    Scalar { label: Label::NONE, ..Scalar::constant(ty, Value::Unicode(units.into())) }
}
