//! From a tree to steps.

use std::collections::HashMap;
use std::sync::Arc;

use base::text::identifier::fold_identifier;
use base::{SqlError, SqlResult, SqlType, TypeKind, message};
use engine::catalog::def::TableDef;
use engine::sync::plain::Mutex;
use ir::runs::Runs;
use tsql::ast::{self, Statement, StatementKind};

use crate::program::variables::{VariableKind, Variables};
use crate::program::{Handler, Step, StepId, StepKind};

/// What a declared type turns out to be.
#[derive(Clone, Debug)]
pub enum DeclaredType {
    /// A scalar.
    Scalar(SqlType),
    /// A table type.
    Table(Arc<TableDef>),
    /// `CURSOR`.
    Cursor,
}

/// Finds out what the types in declarations are.
pub trait Declarations {
    /// A type by name. Errors 2715 and the like; `ordinal` is the variable's number, from 1.
    fn data_type(
        &mut self,
        name: &str,
        ty: &ast::DataType,
        ordinal: u32,
    ) -> SqlResult<DeclaredType>;

    /// `@name TABLE (…)`.
    fn table(&mut self, name: &str, definition: &ast::TableDefinition) -> SqlResult<Arc<TableDef>>;
}

/// The steps of a body, and what goes with them.
#[derive(Debug)]
pub struct Steps {
    /// The variables, those given before included.
    pub variables: Variables,
    /// The steps.
    pub steps: Box<[Step]>,
    /// The `TRY` blocks.
    pub handlers: Box<[Handler]>,
}

/// Takes a body apart. `variables` are the parameters.
pub fn steps(
    statements: Vec<Statement>,
    variables: Variables,
    declarations: &mut dyn Declarations,
) -> SqlResult<Steps> {
    let mut builder = Builder {
        declarations,
        variables,
        steps: Vec::with_capacity(statements.len() + 8),
        handlers: Vec::new(),
        handler: None,
        catch_depth: 0,
        loops: Vec::new(),
        labels: HashMap::new(),
        gotos: Vec::new(),
    };
    builder.list(statements)?;
    builder.finish()
}

/// A loop that is being taken apart.
struct Loop {
    start: StepId,
    /// Jumps to its end.
    breaks: Vec<StepId>,
}

struct Builder<'b> {
    declarations: &'b mut dyn Declarations,
    variables: Variables,
    steps: Vec<Step>,
    handlers: Vec<Handler>,
    handler: Option<u32>,
    catch_depth: u16,
    loops: Vec<Loop>,
    labels: HashMap<String, StepId>,
    gotos: Vec<(StepId, ast::Ident)>,
}

/// The target of a jump that is not known yet.
const UNKNOWN: StepId = StepId::MAX;

impl Builder<'_> {
    fn finish(mut self) -> SqlResult<Steps> {
        for (at, label) in std::mem::take(&mut self.gotos) {
            let key = fold_identifier(&label.name).into_owned();
            let Some(&target) = self.labels.get(&key) else {
                let error = SqlError::new(&message::LABEL_NOT_DECLARED, &[&label.name]);
                return Err(error.at_line(label.span.line));
            };
            self.aim(at, target);
        }
        Ok(Steps {
            variables: self.variables,
            steps: self.steps.into(),
            handlers: self.handlers.into(),
        })
    }

    /// The step that comes next.
    fn here(&self) -> StepId {
        self.steps.len() as StepId
    }

    fn emit(&mut self, span: ast::Span, kind: StepKind) -> StepId {
        let at = self.here();
        self.steps.push(Step {
            line: span.line,
            span,
            declared: self.variables.len() as u32,
            handler: self.handler,
            catch_depth: self.catch_depth,
            kind,
            plan: Mutex::new(None),
            callee: Mutex::new(None),
            runs: Runs::default(),
        });
        at
    }

    /// Sets the target of a jump.
    fn aim(&mut self, jump: StepId, target: StepId) {
        match &mut self.steps[jump as usize].kind {
            StepKind::Jump(to) | StepKind::JumpUnless(_, to) => *to = target,
            other => unreachable!("{other:?} is no jump"),
        }
    }

    fn list(&mut self, statements: Vec<Statement>) -> SqlResult<()> {
        statements.into_iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: Statement) -> SqlResult<()> {
        let span = statement.span;
        match statement.kind {
            StatementKind::Block(statements) => return self.list(statements),
            StatementKind::If(branches) => return self.if_else(*branches),
            StatementKind::While(body) => return self.while_loop(span, *body),
            StatementKind::TryCatch(block) => return self.try_catch(span, *block),
            StatementKind::Declare(variables) => {
                return variables.into_iter().try_for_each(|v| self.declare(v));
            }
            StatementKind::Break => {
                let jump = self.emit(span, StepKind::Jump(UNKNOWN));
                self.enclosing_loop().breaks.push(jump);
            }
            StatementKind::Continue => {
                let start = self.enclosing_loop().start;
                self.emit(span, StepKind::Jump(start));
            }
            StatementKind::Label(name) => {
                let at = self.emit(span, StepKind::Nothing);
                self.labels.insert(fold_identifier(&name.name).into_owned(), at);
            }
            StatementKind::Goto(name) => {
                let jump = self.emit(span, StepKind::Jump(UNKNOWN));
                self.gotos.push((jump, name));
            }
            StatementKind::SetVariable(set) => self.set_variable(span, *set),
            StatementKind::AtomicBlock(_) => {
                let error = SqlError::new(&message::ATOMIC_ONLY_IN_NATIVE, &[]);
                return Err(error.at_line(span.line));
            }
            kind => {
                self.emit(span, plain(Statement { span, kind }));
            }
        }
        Ok(())
    }

    fn enclosing_loop(&mut self) -> &mut Loop {
        self.loops.last_mut().expect("the parser has checked that BREAK and CONTINUE are in loops")
    }

    fn if_else(&mut self, statement: ast::If) -> SqlResult<()> {
        let mut ends = Vec::with_capacity(statement.branches.len());
        let last = statement.branches.len() - 1;
        for (at, branch) in statement.branches.into_iter().enumerate() {
            let condition = StepKind::JumpUnless(Box::new(branch.condition), UNKNOWN);
            let skip = self.emit(branch.span, condition);
            self.statement(branch.body)?;
            if at < last || statement.otherwise.is_some() {
                ends.push(self.emit(branch.span, StepKind::Jump(UNKNOWN)));
            }
            let next = self.here();
            self.aim(skip, next);
        }
        if let Some(otherwise) = statement.otherwise {
            self.statement(otherwise)?;
        }
        let end = self.here();
        ends.into_iter().for_each(|jump| self.aim(jump, end));
        Ok(())
    }

    fn while_loop(&mut self, span: ast::Span, statement: ast::While) -> SqlResult<()> {
        let start = self.here();
        let condition = StepKind::JumpUnless(Box::new(statement.condition), UNKNOWN);
        let exit = self.emit(span, condition);
        self.loops.push(Loop { start, breaks: vec![exit] });
        self.statement(statement.body)?;
        self.emit(span, StepKind::Jump(start));
        let done = self.loops.pop().expect("just pushed");
        let end = self.here();
        done.breaks.into_iter().for_each(|jump| self.aim(jump, end));
        Ok(())
    }

    fn try_catch(&mut self, span: ast::Span, block: ast::TryCatch) -> SqlResult<()> {
        let outer = self.handler;
        let handler = self.handlers.len() as u32;
        self.handlers.push(Handler { catch: UNKNOWN });
        self.handler = Some(handler);
        self.list(block.body)?;
        self.handler = outer;
        let over = self.emit(block.catch, StepKind::Jump(UNKNOWN));
        self.handlers[handler as usize].catch = self.here();
        self.catch_depth += 1;
        // A step to arrive at, even where the block is empty.
        self.emit(span, StepKind::Nothing);
        self.list(block.handler)?;
        self.catch_depth -= 1;
        let end = self.here();
        self.aim(over, end);
        Ok(())
    }

    fn declare(&mut self, declaration: ast::VariableDeclaration) -> SqlResult<()> {
        let ast::VariableDeclaration { span, name, kind } = declaration;
        let line = |error: SqlError| error.at_line(span.line);
        match kind {
            ast::VariableKind::Cursor => drop(self.variables.cursor(&name.name).map_err(line)?),
            ast::VariableKind::Table(definition) => {
                let table = self.declarations.table(&name.name, &definition).map_err(line)?;
                self.variables.table(&name.name, table, false).map_err(line)?;
            }
            ast::VariableKind::Scalar { ty, nullable, value } => {
                let ordinal = self.variables.len() as u32 + 1;
                let declared = self.declarations.data_type(&name.name, &ty, ordinal);
                match declared.map_err(line)? {
                    // Parameters may have these types, variables may not.
                    DeclaredType::Scalar(ty)
                        if matches!(
                            ty.kind,
                            TypeKind::Text | TypeKind::NText | TypeKind::Image
                        ) =>
                    {
                        return Err(line(SqlError::new(&message::LEGACY_LOB_LOCAL_VARIABLE, &[])));
                    }
                    DeclaredType::Scalar(ty) => {
                        let nullable = nullable.unwrap_or(true);
                        self.variables.scalar(&name.name, ty, nullable).map_err(line)?;
                    }
                    DeclaredType::Table(table) => {
                        self.variables.table(&name.name, table, false).map_err(line)?;
                    }
                    DeclaredType::Cursor => {
                        self.variables.cursor(&name.name).map_err(line)?;
                    }
                }
                if let Some(value) = value {
                    let op = ast::AssignOp::Set;
                    let value = Box::new(value);
                    let kind = StepKind::Assign { variable: name, op, value, declaration: true };
                    self.emit(span, kind);
                }
            }
        }
        Ok(())
    }

    fn set_variable(&mut self, span: ast::Span, set: ast::SetVariable) {
        let ast::SetVariable { variable, op, value } = set;
        let declared = self.variables.len() as u32;
        let found = self.variables.find(&variable.name, declared);
        let value = Box::new(value);
        let kind = match found.map(|v| &v.kind) {
            Some(VariableKind::Cursor(_)) => StepKind::AssignCursor(variable, value),
            _ => StepKind::Assign { variable, op, value, declaration: false },
        };
        self.emit(span, kind);
    }
}

/// The step of a statement that is one step.
fn plain(statement: Statement) -> StepKind {
    use StatementKind as S;
    match statement.kind {
        S::Select(select) if into_of(&select.query).is_some() => StepKind::SelectInto(select),
        S::Insert(insert) if matches!(insert.source, ast::InsertSource::Execute(_)) => {
            StepKind::InsertExecute(insert)
        }
        S::Select(_) | S::Insert(_) | S::Update(_) | S::Delete(_) | S::Merge(_) | S::Text(_) => {
            StepKind::Data(Box::new(statement))
        }
        S::Return(value) => StepKind::Return(value),
        S::Throw(throw) => StepKind::Throw(throw),
        S::RaiseError(raise) => StepKind::RaiseError(raise),
        S::Print(value) => StepKind::Print(value),
        S::WaitFor(wait) => StepKind::WaitFor(wait),
        S::Execute(execute) => StepKind::Execute(execute),
        S::DeclareCursor(cursor) => StepKind::DeclareCursor(cursor),
        S::SetCursor(cursor) => StepKind::SetCursor(cursor),
        S::OpenCursor(cursor) => StepKind::OpenCursor(cursor),
        S::Fetch(fetch) => StepKind::Fetch(fetch),
        S::CloseCursor(cursor) => StepKind::CloseCursor(cursor),
        S::DeallocateCursor(cursor) => StepKind::DeallocateCursor(cursor),
        S::BeginTransaction(begin) => StepKind::BeginTransaction(begin),
        S::Commit(commit) => StepKind::Commit(commit),
        S::Rollback(name) => StepKind::Rollback(name),
        S::SaveTransaction(name) => StepKind::SaveTransaction(name),
        S::SetOption(option) => StepKind::SetOption(option),
        S::Use(name) => StepKind::Use(name),
        kind => StepKind::Definition(Box::new(Statement { kind, ..statement })),
    }
}

/// The table that a query is to make.
pub fn into_of(query: &ast::Query) -> Option<&ast::SelectInto> {
    fn of_body(body: &ast::QueryBody) -> Option<&ast::SelectInto> {
        match body {
            ast::QueryBody::Select(select) => select.into.as_deref(),
            ast::QueryBody::Nested(query) => of_body(&query.body),
            ast::QueryBody::Set(chain) => of_body(&chain.first),
        }
    }
    of_body(&query.body)
}

#[cfg(test)]
mod tests;
