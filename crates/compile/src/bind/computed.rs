//! Conditions over what a table has computed columns for: the column takes the expression's place,
//! so that its indexes are used.

use engine::catalog::def::{ColumnId, TableDef};

use super::binder::Binder;
use super::context::BindResult;
use super::scope::{ColumnAt, Rows};
use crate::plan::expr::{Expr, ExprKind, Pred};
use crate::plan::walk::{self, Part, PartMut, Parts};

impl Binder<'_> {
    /// Replaces what is computed in a condition by the computed columns of the block's tables that
    /// are the same and in an index.
    pub fn use_computed_columns(&mut self, condition: &mut Pred) -> BindResult<()> {
        let columns = self.indexed_computed_columns();
        if columns.is_empty() || !computes(condition) || self.options.wrong_for_indexes().is_some()
        {
            return Ok(());
        }
        for at in columns {
            let definition = self.computed_column(at)?;
            if !contains(condition, &definition) {
                continue;
            }
            let column = self.column_at(at)?.expr;
            replace(condition, &definition, &column);
        }
        Ok(())
    }

    /// Where the block has such columns; not behind outer joins, where a row that is missing has no
    /// value in the column, whatever the expression makes of that.
    fn indexed_computed_columns(&self) -> Vec<ColumnAt> {
        let mut found = Vec::new();
        let Some(block) = self.blocks.len().checked_sub(1) else { return found };
        for (source, of) in self.blocks[block].sources.iter().enumerate() {
            let Rows::Scan(scan) = &of.rows else { continue };
            let Some(table) = scan.table().filter(|_| !of.optional) else { continue };
            let columns = table.columns.iter().enumerate();
            let indexed = columns.filter(|(_, c)| c.computed.is_some() && is_indexed(table, c.id));
            found.extend(indexed.map(|(ordinal, _)| ColumnAt { block, source, ordinal }));
        }
        found
    }
}

fn is_indexed(table: &TableDef, column: ColumnId) -> bool {
    table.indexes.iter().any(|index| index.key.iter().any(|key| key.column == column))
}

/// Whether anything in a condition is computed of columns.
fn computes(condition: &Pred) -> bool {
    let mut found = false;
    walk::visit(condition, &mut |part| {
        found |= matches!(part, Part::Expr(expr) if !is_simple(expr));
    });
    found
}

fn is_simple(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Constant(_) | ExprKind::Column(_) | ExprKind::Variable(_))
}

fn contains(condition: &Pred, definition: &Expr) -> bool {
    let mut found = false;
    walk::visit(condition, &mut |part| {
        found |= matches!(part, Part::Expr(expr) if is_same(expr, definition));
    });
    found
}

fn is_same(expr: &Expr, definition: &Expr) -> bool {
    expr.ty == definition.ty && !is_simple(expr) && walk::same_expr(expr, definition)
}

fn replace(whole: &mut dyn Parts, definition: &Expr, column: &Expr) {
    whole.parts_mut(&mut |part| match part {
        PartMut::Expr(expr) if is_same(expr, definition) => *expr = column.clone(),
        PartMut::Expr(expr) => replace(expr, definition, column),
        PartMut::Pred(pred) => replace(pred, definition, column),
        PartMut::Node(node) => replace(node, definition, column),
    });
}
