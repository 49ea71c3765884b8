//! `OPENXML(…)`: the function finds each column's text, and a cast makes it what the column is.

use std::sync::Arc;

use base::types::conversion::{Convertibility, convertibility};
use base::types::declare::Subject;
use base::{SqlError, SqlType, TypeKind, Value, message};
use ir::function::open_xml::{OpenColumn, OpenValue};
use ir::operator::CastMode;
use tsql::ast::{self, OpenXmlSchema};

use super::binder::Binder;
use super::context::BindResult;
use super::native::not_supported;
use super::query::unimplemented;
use super::scalar::Scalar;
use super::scope::{OutCol, Rows, Source};
use super::select::Usage;
use super::xml::element_name;
use crate::plan::expr::{Expr, ExprKind};
use crate::plan::tree::Node;

/// The length of strings that declare none.
const LENGTH: u16 = 1;

/// The most characters of a string in a `sql_variant`.
const VARIANT_LENGTH: u16 = 4000;

/// The beginning of a pattern for a node's text, which only these types take.
const TEXT_PROPERTY: &str = "@mp:xmltext";

/// A column as it was declared.
struct Column {
    name: Arc<str>,
    ty: SqlType,
    pattern: Option<Box<str>>,
    line: u32,
}

impl Binder<'_> {
    /// `OPENXML(@document, 'rows', flags) WITH (…)`. Errors 137, 208, 6609 and those of types.
    pub fn open_xml(&mut self, open: &ast::OpenXml, line: u32) -> BindResult<Source> {
        if self.options.native && self.env.depth == 0 {
            return Err(not_supported("function", "OPENXML", line));
        }
        let mut args = vec![
            self.variable(&open.document.name, open.document.span.line)?,
            self.scalar(&open.rows)?,
            match &open.flags {
                Some(flags) => self.scalar(flags)?,
                None => Scalar::constant(SqlType::int(), Value::Int(0)),
            },
        ];
        let columns = match &open.schema {
            OpenXmlSchema::Edges => None,
            OpenXmlSchema::Columns(columns) => Some(self.open_xml_columns(columns)?),
            OpenXmlSchema::Table(name) => Some(self.open_xml_table(name)?),
        };
        let rowset = self.names.functions().open_xml(columns.is_some());
        let alias = open.alias.as_ref();
        let Some(columns) = columns else {
            let rows = self.rowset_rows(rowset, args, line)?;
            return self.aliased_source(rows, &"OPENXML".into(), alias);
        };
        args.extend(columns.iter().map(wanted));
        let rows = self.rowset_rows(rowset, args, line)?;
        let (input, found) = self.derived_rows(rows)?;
        let mut computed = Vec::with_capacity(columns.len());
        let mut shown = Vec::with_capacity(columns.len());
        for (column, found) in columns.into_iter().zip(found) {
            let text = Expr { kind: ExprKind::Column(found.id), ty: found.ty, nullable: true };
            let value = self.of_text(text, &column)?;
            let id = self.free_column();
            computed.push((id, Expr { nullable: true, ..value }));
            shown.push(OutCol::plain(id, Some(column.name), column.ty, true));
        }
        let node = Node::Compute { input: Box::new(input), columns: computed };
        self.aliased_source(Rows::Derived(Some(node), shown), &"OPENXML".into(), alias)
    }

    fn open_xml_columns(&mut self, columns: &[ast::OpenXmlColumn]) -> BindResult<Vec<Column>> {
        let numbered = columns.iter().zip(1..);
        numbered
            .map(|(column, ordinal)| {
                let line = column.name.span.line;
                let name = column.name.name.clone();
                let subject = Subject::Column(&name);
                let ty = self.data_type(&column.ty, subject, ordinal, LENGTH)?.ty;
                let pattern = column.pattern.clone();
                if pattern.as_deref() == Some(TEXT_PROPERTY)
                    && !ty.kind.is_character()
                    && ty.kind != TypeKind::Xml
                {
                    let error = SqlError::new(&message::OPENXML_TEXT_TYPE, &[&name]);
                    return Err(error.at_line(line).into());
                }
                Ok(Column { name, ty, pattern, line })
            })
            .collect()
    }

    /// The columns of a table, which are found by their names.
    fn open_xml_table(&mut self, name: &ast::ObjectName) -> BindResult<Vec<Column>> {
        let line = name.span.line;
        let table = ast::TableRef {
            name: name.clone(),
            alias: None,
            system_time: None,
            sample: None,
            hints: Vec::new(),
        };
        let source = self.table_ref(&table, Usage::Statement)?;
        let (_, columns) = self.derived_rows(source.rows)?;
        let named = columns.into_iter().map(|column| {
            let name = column.name.unwrap_or_default();
            Column { name, ty: column.ty, pattern: None, line }
        });
        Ok(named.collect())
    }

    /// A column's value from its text.
    fn of_text(&mut self, text: Expr, column: &Column) -> BindResult<Expr> {
        let (ty, line) = (column.ty, column.line);
        let via = match ty.kind {
            TypeKind::SqlVariant => Some(SqlType::nvarchar(VARIANT_LENGTH, text.ty.collation)),
            TypeKind::Image => Some(SqlType::varbinary(SqlType::MAX)),
            TypeKind::RowVersion => return Err(unimplemented("a rowversion of OPENXML", line)),
            _ => None,
        };
        if convertibility(TypeKind::NVarChar, ty.kind) == Convertibility::Never && via.is_none() {
            let error = SqlError::new(
                &message::EXPLICIT_CONVERSION_NOT_ALLOWED,
                &[&text.ty.kind, &ty.kind],
            );
            return Err(error.at_line(line).into());
        }
        let text = match via {
            Some(via) => self.cast(text, via, CastMode::Explicit),
            None => text,
        };
        Ok(self.cast(text, ty, CastMode::Explicit))
    }
}

/// What the function is told of a column.
fn wanted(column: &Column) -> Scalar {
    let value = match column.ty.kind {
        TypeKind::Xml => OpenValue::Xml,
        TypeKind::SqlVariant => OpenValue::Variant,
        _ => OpenValue::Text,
    };
    let node = element_name(&column.name);
    let pattern = column.pattern.as_deref();
    let told = OpenColumn { value, name: &column.name, node: &node, pattern };
    Scalar::constant(SqlType::varbinary(SqlType::MAX), Value::Bytes(told.encode().into()))
}
