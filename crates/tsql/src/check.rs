//! Rules of a batch's control flow that do not depend on what names mean: `BREAK` inside loops,
//! `THROW` inside handlers, labels that exist, `RETURN` values where a caller takes them.

use std::collections::HashMap;

use base::{SqlError, SqlResult, message};

use crate::ast::{Batch, FunctionBody, Ident, Module, ModuleStatement, Statement, StatementKind};

/// Checks a batch and the modules in it. Errors 132, 133, 135, 136, 178, 1026, 10704.
pub(crate) fn batch(batch: &Batch) -> SqlResult<()> {
    module(&batch.statements, Body::Batch)
}

/// The kind of body that is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    Batch,
    Procedure,
    Trigger,
    ScalarFunction,
    TableFunction,
}

/// What surrounds a statement.
#[derive(Clone, Copy)]
struct Place {
    body: Body,
    in_loop: bool,
    in_catch: bool,
    /// The innermost `TRY` or `CATCH`, by its place in [`Labels::parents`].
    scope: usize,
}

/// Labels and jumps of a batch or module.
#[derive(Default)]
struct Labels {
    /// For every `TRY` and `CATCH`, the one around it; the first stands for the body itself.
    parents: Vec<usize>,
    /// The scopes of labels by their names in lower case.
    declared: HashMap<String, usize>,
    /// Every `GOTO`.
    jumps: Vec<Jump>,
}

/// A `GOTO`.
struct Jump {
    label: Ident,
    /// The scope that it is in.
    scope: usize,
    line: u32,
}

fn module(statements: &[Statement], body: Body) -> SqlResult<()> {
    let mut labels = Labels { parents: vec![0], ..Labels::default() };
    let place = Place { body, in_loop: false, in_catch: false, scope: 0 };
    walk(statements, place, &mut labels)?;
    labels.check()
}

fn walk(statements: &[Statement], place: Place, labels: &mut Labels) -> SqlResult<()> {
    statements.iter().try_for_each(|statement| visit(statement, place, labels))
}

fn visit(statement: &Statement, place: Place, labels: &mut Labels) -> SqlResult<()> {
    let line = statement.span.line;
    let fail = |message| Err(SqlError::new(message, &[]).at_line(line));
    match &statement.kind {
        StatementKind::Block(statements) => walk(statements, place, labels),
        StatementKind::AtomicBlock(block) => walk(&block.statements, place, labels),
        StatementKind::TryCatch(block) => {
            let scope = labels.enter(place.scope);
            walk(&block.body, Place { scope, ..place }, labels)?;
            let scope = labels.enter(place.scope);
            walk(&block.handler, Place { scope, in_catch: true, ..place }, labels)
        }
        StatementKind::If(statement) => {
            for branch in &statement.branches {
                visit(&branch.body, place, labels)?;
            }
            statement.otherwise.iter().try_for_each(|body| visit(body, place, labels))
        }
        StatementKind::While(statement) => {
            visit(&statement.body, Place { in_loop: true, ..place }, labels)
        }
        StatementKind::Break if !place.in_loop => fail(&message::BREAK_OUTSIDE_WHILE),
        StatementKind::Continue if !place.in_loop => fail(&message::CONTINUE_OUTSIDE_WHILE),
        StatementKind::Throw(None) if !place.in_catch => fail(&message::THROW_OUTSIDE_CATCH),
        StatementKind::Return(Some(_))
            if !matches!(place.body, Body::Procedure | Body::ScalarFunction) =>
        {
            fail(&message::RETURN_VALUE_NOT_ALLOWED)
        }
        StatementKind::Label(name) => labels.declare(name, place.scope, line),
        StatementKind::Goto(name) => {
            labels.jumps.push(Jump { label: name.clone(), scope: place.scope, line });
            Ok(())
        }
        StatementKind::Module(statement) => module_statement(statement),
        _ => Ok(()),
    }
}

fn module_statement(statement: &ModuleStatement) -> SqlResult<()> {
    match &statement.module {
        Module::Procedure(procedure) => module(&procedure.body, Body::Procedure),
        Module::Trigger(trigger) => module(&trigger.body, Body::Trigger),
        Module::View(_) => Ok(()),
        Module::Function(function) => match &function.body {
            FunctionBody::Scalar { body, .. } => module(body, Body::ScalarFunction),
            FunctionBody::Table { body, .. } => module(body, Body::TableFunction),
            FunctionBody::Inline { .. } => Ok(()),
        },
    }
}

impl Labels {
    /// A new scope inside another.
    fn enter(&mut self, parent: usize) -> usize {
        self.parents.push(parent);
        self.parents.len() - 1
    }

    fn declare(&mut self, name: &Ident, scope: usize, line: u32) -> SqlResult<()> {
        match self.declared.insert(name.name.to_lowercase(), scope) {
            None => Ok(()),
            Some(_) => {
                Err(SqlError::new(&message::LABEL_ALREADY_DECLARED, &[&name.name]).at_line(line))
            }
        }
    }

    /// Every jump must go to a label in its own scope or one around it.
    fn check(&self) -> SqlResult<()> {
        for Jump { label, scope, line } in &self.jumps {
            let Some(&to) = self.declared.get(&label.name.to_lowercase()) else {
                let error = SqlError::new(&message::LABEL_NOT_DECLARED, &[&label.name]);
                return Err(error.at_line(*line));
            };
            let mut scope = *scope;
            while scope != to && scope != 0 {
                scope = self.parents[scope];
            }
            if scope != to {
                return Err(SqlError::new(&message::GOTO_INTO_TRY, &[]).at_line(*line));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
