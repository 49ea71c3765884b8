//! `INSERT … EXEC`: what has been returned goes into the table, each result set by conversions of
//! its own.

use base::{SqlResult, SqlType};
use tsql::ast;

use super::target::Targeted;
use super::{BindResult, Binder, column};
use crate::bind::order::{Limit, column_of, limited_by};
use crate::bind::query::unimplemented;
use crate::bind::select::{Usage, computed};
use crate::plan::expr::{ColId, Expr, SortKey};
use crate::plan::tree::{NewValue, Node};

impl Binder<'_> {
    /// The rows of all result sets, as they have come. `converted` gets the columns that are
    /// already what the target's are, by layout position.
    pub(super) fn inserted_results(
        &mut self,
        insert: &ast::Insert,
        targeted: &Targeted,
        converted: &mut Vec<(ColId, usize)>,
    ) -> BindResult<(Node, Vec<(usize, NewValue)>)> {
        let returned = self.names.returned();
        let mut sets = Vec::with_capacity(returned.len());
        for name in &returned {
            let mut output = self.query(&query_of(name)?, Usage::Insert)?;
            let number = output.columns.pop().map(|column| column.id);
            let number = number.ok_or_else(|| ir::internal("rows are numbered"))?;
            sets.push((self.inserted_rows(insert, targeted, output)?, number));
        }
        let only = match sets.len() {
            0 => return Err(unimplemented("INSERT EXEC", insert.target.span.line)),
            1 => sets.pop(),
            _ => None,
        };
        if let Some((only, _)) = only {
            return Ok(only);
        }
        let table = targeted.changing.table.clone();
        let given: Vec<(usize, Expr)> = (sets[0].0.1.iter())
            .map(|&(ordinal, _)| (ordinal, table.columns[ordinal].ty))
            .map(|(ordinal, ty)| (ordinal, column(self.free_column(), ty, true)))
            .collect();
        let mut columns: Vec<ColId> = given.iter().filter_map(|(_, e)| column_of(e)).collect();
        let order = self.free_column();
        columns.push(order);
        let mut inputs = Vec::with_capacity(sets.len());
        for (rows, number) in sets {
            let (node, mut own) = self.converted_rows(targeted, rows, converted)?;
            own.push(number);
            inputs.push((node, own));
        }
        let expr = column(order, SqlType::bigint(), false);
        let keys = vec![SortKey { expr, descending: false }];
        let rows = limited_by(Node::Union { inputs, columns }, keys, Limit::All);
        Ok((rows, given.into_iter().map(|(ordinal, e)| (ordinal, NewValue::Expr(e))).collect()))
    }

    /// The rows of a result set, with its columns converted to those of the target.
    fn converted_rows(
        &mut self,
        targeted: &Targeted,
        (rows, given): (Node, Vec<(usize, NewValue)>),
        converted: &mut Vec<(ColId, usize)>,
    ) -> BindResult<(Node, Vec<ColId>)> {
        let mut columns = Vec::with_capacity(given.len());
        for (ordinal, value) in given {
            let position = targeted.changing.table.layout_position(ordinal);
            let (NewValue::Expr(expr), Some(position)) = (value, position) else {
                return Err(ir::internal("a result set has values").into());
            };
            let id = self.free_column();
            converted.push((id, position));
            columns.push((id, expr));
        }
        let ids = columns.iter().map(|c| c.0).collect();
        Ok((computed(rows, columns), ids))
    }
}

/// A query of everything in the table variable of this name.
fn query_of(name: &str) -> SqlResult<ast::Query> {
    let options = tsql::ParseOptions { quoted_identifier: true };
    let batch = tsql::parse_batch("SELECT * FROM @rows", options)?;
    let Some(ast::StatementKind::Select(mut select)) =
        batch.statements.into_iter().next().map(|s| s.kind)
    else {
        return Err(ir::internal("a query was written"));
    };
    if let ast::QueryBody::Select(body) = &mut select.query.body {
        for source in &mut body.from {
            if let ast::TableSourceKind::Variable { variable, .. } = &mut source.kind {
                variable.name = name.into();
            }
        }
    }
    Ok(select.query)
}
