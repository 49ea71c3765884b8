//! `SET FMTONLY ON`: clients get the columns of results, and nothing is done.
//!
//! A program's steps are walked once, in the order of the text, so that every branch is seen:
//! conditions are not asked, jumps, `RETURN` and `THROW` are passed over, and the body of a loop
//! and a `CATCH` block come like anything else. Queries announce their columns. Modules and texts
//! that are executed are walked likewise, but one that is being walked already is not entered
//! again. Variables are assigned and options are set, as in SQL Server: procedures that have to run
//! for real find out by such an assignment after a condition that never holds, and switch the
//! option off.

use std::sync::Arc;

use run::interp::Frame;

use super::Flow;
use crate::context::Context;
use crate::fault::Run;
use crate::program::{Program, Step, StepKind};

impl Context<'_> {
    /// What is left of a step under `FMTONLY`.
    pub(super) fn format_step(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        frame: &mut Frame,
    ) -> Run<Flow> {
        match &step.kind {
            StepKind::Data(_) if crate::cursor::current_of(step).is_none() => {
                self.data(program, step, frame)?;
            }
            StepKind::Assign { declaration, .. } => {
                self.assign(program, step, frame, *declaration)?;
            }
            StepKind::Execute(execute) => self.execute(program, step, execute, frame)?,
            StepKind::SetOption(option) => self.set_option(program, step, option, frame)?,
            StepKind::Use(name) => self.use_database(name, step.line)?,
            _ => {}
        }
        Ok(Flow::Next)
    }

    /// Whether a module's body is being walked already.
    pub(super) fn is_walked(&self, program: &Program) -> bool {
        let Some(module) = &program.module else { return false };
        // The last level is the module's own.
        let Some((_, callers)) = self.session.levels.split_last() else { return false };
        callers.iter().any(|level| {
            let is_same = |other: &Arc<_>| Arc::ptr_eq(other, module);
            level.database == program.database && level.module.as_ref().is_some_and(is_same)
        })
    }
}
