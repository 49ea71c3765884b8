//! `DELETE`.

use engine::catalog::def::Permission;
use tsql::ast;

use super::effects::Write;
use super::{BindResult, Binder};
use crate::bind::scope::Clause;
use crate::plan::tree::{DeletePlan, Plan};

impl Binder<'_> {
    /// `DELETE`.
    pub fn delete(&mut self, delete: &ast::Delete) -> BindResult<Plan> {
        self.query_hints(&delete.options)?;
        self.with_tables(delete.with.as_ref(), |b| {
            b.open_block(Clause::From);
            let depth = b.blocks.len();
            let plan = b.delete_in_block(delete);
            b.blocks.truncate(depth - 1);
            Ok(Plan::Delete(Box::new(plan?)))
        })
    }

    fn delete_in_block(&mut self, delete: &ast::Delete) -> BindResult<DeletePlan> {
        let accesses = self.facts.accesses.len();
        let (from, at) = self.target_and_from(&delete.target, &delete.from)?;
        if delete.from.is_empty() && delete.filter.is_none() {
            self.facts.accesses.truncate(accesses);
        }
        let targeted = self.targeted(at, Permission::Delete, None, &delete.target)?;
        self.block().show_all();
        let filter = self.row_filter(delete.filter.as_ref(), &targeted, &from)?;
        let write = Write::delete();
        let mut effects = self.effects(&targeted.changing, &write)?;
        if let Some(output) = &delete.output {
            self.output(output, &targeted, &write, &mut effects)?;
        }
        let rows = self.changed_rows(from, &targeted, filter, delete.top.as_ref())?;
        let old = self.old_columns(&targeted);
        Ok(DeletePlan {
            target: targeted.changing.target,
            input: rows.input,
            row: targeted.row,
            old_columns: old.into_iter().enumerate().collect(),
            recheck: rows.recheck,
            effects,
        })
    }
}
