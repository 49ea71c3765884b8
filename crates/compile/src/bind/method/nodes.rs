//! `nodes()` in a `FROM`: rows with a column that only methods read.

use base::{SqlError, TypeKind, message};
use tsql::ast::{self, Argument};
use xquery::Purpose;

use super::super::binder::Binder;
use super::super::context::{AtLine, BindResult};
use super::super::scalar::{Label, Origin};
use super::super::scope::{ColumnAt, Exposed, OutCol, Rows, Source};
use super::{METHODS, Nodes, Receiver, Written, arguments, column_before, not_literal};

impl Binder<'_> {
    /// `@x.nodes('…') AS t(c)`. Errors 227, 258, 318 and those of the query.
    pub fn table_method(&mut self, method: &ast::TableMethod, line: u32) -> BindResult<Source> {
        let receiver = self.receiver(&method.call.operand)?;
        let kind = receiver.nodes.document.expr.ty.kind;
        if kind != TypeKind::Xml {
            return Err(SqlError::new(&message::CANNOT_CALL_METHODS, &[&kind])
                .at_line(line)
                .into());
        }
        let call = Written {
            name: &method.call.name.name,
            arguments: method.call.arguments.as_deref(),
            line,
        };
        self.nodes(receiver, call, method.alias.as_ref()).at(line)
    }

    /// What looks like a function in a schema but is `nodes()` of a column. `None` if there is no
    /// such column. Error 9506 if it is not of type xml.
    pub fn table_method_of_column(
        &mut self,
        function: &ast::TableFunction,
        line: u32,
    ) -> BindResult<Option<Source>> {
        let name = &*function.name.name.name;
        if !METHODS.iter().any(|(method, _)| *method == name) {
            return Ok(None);
        }
        let Some(column) = column_before(&function.name) else { return Ok(None) };
        let Some(at) = self.column_if_any(&column)? else { return Ok(None) };
        let receiver = self.receiver_at(at, &column)?;
        if receiver.nodes.document.expr.ty.kind != TypeKind::Xml {
            return Err(SqlError::new(&message::NODES_OF_OTHER, &[&name]).at_line(line).into());
        }
        let mut arguments = Vec::with_capacity(function.arguments.len());
        for argument in &function.arguments {
            match argument {
                Argument::Expr(expr) => arguments.push(expr.clone()),
                Argument::Default(_) => return Err(not_literal(arguments.len(), name).into()),
            }
        }
        let call = Written { name, arguments: Some(&arguments), line };
        self.nodes(receiver, call, function.alias.as_ref()).at(line).map(Some)
    }

    /// The rows of a call. Errors 227, 318, 8155, 8158, 8159 and those of the query.
    fn nodes(
        &mut self,
        receiver: Receiver,
        call: Written<'_>,
        alias: Option<&ast::TableAlias>,
    ) -> BindResult<Source> {
        if call.name != "nodes" {
            let error = SqlError::new(&message::NOT_A_FUNCTION_OR_PROPERTY, &[&call.name]);
            return Err(error.into());
        }
        let Some(alias) = alias.filter(|alias| !alias.columns.is_empty()) else {
            return Err(SqlError::new(&message::TABLE_METHOD_WITHOUT_ALIAS, &[]).into());
        };
        let compiled = self.compiled(&receiver, call, Purpose::Nodes)?;
        self.note_conditions(&compiled);
        let nodes = Nodes {
            document: self.copy(&receiver.nodes.document),
            receiver: receiver.nodes.receiver.clone(),
            shape: compiled.shape,
            levels: compiled.plan.levels.clone(),
        };
        self.nodes.push(nodes);
        let number = (self.nodes.len() - 1) as u32;
        let rowset = self.names.functions().xml_nodes();
        let args = arguments(receiver, compiled.plan, compiled.outer);
        let rows = self.rowset_rows(rowset, args, call.line)?;
        let (node, mut columns) = self.derived_rows(rows)?;
        for column in &mut columns {
            *column = OutCol {
                name: Some("".into()),
                label: Label::NONE,
                origin: Origin::Nodes(number),
                ..column.clone()
            };
        }
        let columns = self.named_columns(columns, alias, call.line)?;
        Ok(Source {
            exposed: Exposed { name: alias.name.name.clone(), table: None },
            rows: Rows::Derived(Some(node), columns),
            optional: false,
            view: None,
            written: None,
        })
    }

    /// Error 493 for a column that `nodes()` has made, where something else than a method reads it.
    pub fn check_not_nodes(&self, at: ColumnAt) -> BindResult<()> {
        let source = &self.blocks[at.block].sources[at.source];
        match source.nodes(at.ordinal) {
            Some((column, _)) => {
                let name = column.name.as_deref().unwrap_or_default();
                Err(SqlError::new(&message::NODES_COLUMN_USED, &[&name]).into())
            }
            None => Ok(()),
        }
    }
}
