//! `SELECT … INTO`: a table is made of the query's columns, then filled.

use std::sync::Arc;

use tsql::ast;

use super::{Run, unimplemented};
use crate::exec::context::Context;
use crate::exec::program::{Program, Step};
use crate::interp::Frame;

impl Context<'_> {
    /// `SELECT … INTO`.
    pub(super) fn select_into(
        &mut self,
        _: &Arc<Program>,
        _: &Step,
        _: &ast::SelectStatement,
        _: &mut Frame,
    ) -> Run<()> {
        Err(unimplemented("SELECT INTO").into())
    }
}
