//! A batch or the body of a module, taken apart into steps.
//!
//! # Life of a program
//!
//! A text is parsed and [`prepare`](crate::prepare) turns the tree into a [`Program`]: control flow
//! becomes jumps between numbered steps, variables get their places in a frame. Programs are
//! immutable and shared by all sessions ([`plan_cache`](crate::plan_cache)). What a step needs to
//! run, its plan, is made the first time that the step is run, or before the program starts where
//! errors have to be found first; it is kept beside the step and thrown away when what it depends
//! on has changed.
//!
//! # Invariants
//!
//! * P1: a step's handler is the innermost `TRY` around it, its `catch_depth` the number of `CATCH`
//!   blocks around it. Both are facts of the text, so jumps need not keep count of anything.
//! * P2: variables get their places in the order in which they are declared; a step sees those
//!   declared before it, as T-SQL requires it.

mod arguments;
mod callee;
mod frames;
mod located;
mod options;
pub mod plan;
pub mod variables;

use std::ops::Range;
use std::sync::Arc;

use base::SqlType;
use base::account::Charged;
use base::datetime::DateSettings;
use base::ids::{DbId, ObjectId};
use engine::catalog::def::{ModuleDef, TableDef};
use engine::sync::plain::Mutex;
use tsql::ast;

use ::compile::bind::context::{Dependencies, Facts};
use ir::Unit;
use ir::operator::TableVarId;
use ir::read::Isolation;
use ir::runs::Runs;

use crate::options::CompileOptions;
use ir::operator::VarId;

pub(crate) use arguments::argument_expr;
pub(crate) use callee::{KnownCallee, Place};
pub(crate) use frames::{add_tables, frame_without_tables, new_frame};
pub(crate) use located::{located, located_all};
pub(crate) use options::bind_options;

use plan::StepPlan;
use variables::Variables;

/// What a program is the text of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum ProgramKind {
    /// What a client sends at once.
    Batch,
    /// `EXEC ('…')`, `sp_executesql`, prepared statements.
    Dynamic,
    Procedure,
    Trigger,
    ScalarFunction,
    TableFunction,
}

impl ProgramKind {
    /// Whether the program is the body of a module rather than a text of its own.
    pub fn is_module(self) -> bool {
        !matches!(self, ProgramKind::Batch | ProgramKind::Dynamic)
    }

    /// Whether the program is a function's body.
    pub fn is_function(self) -> bool {
        matches!(self, ProgramKind::ScalarFunction | ProgramKind::TableFunction)
    }
}

/// A batch or a module's body.
#[derive(Debug)]
pub struct Program {
    /// What it is.
    pub kind: ProgramKind,
    /// The text that positions refer to.
    pub text: Arc<str>,
    /// The module whose body it is.
    pub module: Option<Arc<ModuleDef>>,
    /// The database in which it was compiled.
    pub database: DbId,
    /// The options under which it was compiled.
    pub options: CompileOptions,
    /// Parameters and variables.
    pub variables: Variables,
    /// What is done, in order.
    pub steps: Box<[Step]>,
    /// The `TRY` blocks.
    pub handlers: Box<[Handler]>,
    /// In a trigger, the variable with what `COLUMNS_UPDATED()` returns.
    pub columns_updated: Option<VarId>,
    /// Whether each parameter is declared as `OUTPUT`.
    pub outputs: Box<[bool]>,
    /// In a text, the default of each parameter that declares one; a module's are its definition's.
    pub defaults: Box<[Option<StepPlan>]>,
    /// In a table-valued function, the variable that is returned.
    pub result: Option<TableVarId>,
    /// The version of the schema by which types of declarations were found, if there are any that
    /// are users'.
    pub types_at: Option<(DbId, u64)>,
    /// A natively compiled module's unit, once it is made.
    pub native: Mutex<Option<Arc<NativePlan>>>,
    /// Its runs as a module.
    pub runs: Runs,
    /// What the tree of a long text takes. The session that has made it is charged for it until the
    /// plan cache keeps it.
    pub tree: Mutex<Option<Charged>>,
}

/// The unit of a natively compiled module.
#[derive(Debug)]
pub struct NativePlan {
    /// The body.
    pub unit: Unit,
    /// At which level it reads.
    pub isolation: Isolation,
    /// `DELAYED_DURABILITY`.
    pub delayed_durability: bool,
    /// By which settings it reads and writes dates.
    pub dates: DateSettings,
    /// The variables of its frame.
    pub variables: Vec<SqlType>,
    /// Its table variables that are not parameters, in order.
    pub tables: Vec<Arc<TableDef>>,
    /// What has to be known of it before it runs.
    pub facts: Facts,
    /// What it counts on in the catalog.
    pub dependencies: Dependencies,
}

/// A `TRY` block.
#[derive(Clone, Copy, Debug)]
pub struct Handler {
    /// The first step of its `CATCH` block.
    pub catch: StepId,
}

/// The place of a step in its program.
pub type StepId = u32;

/// One step.
#[derive(Debug)]
pub struct Step {
    /// The line of the statement that it belongs to.
    pub line: u32,
    /// Where the statement stands in the text.
    pub span: ast::Span,
    /// How many variables are declared before it (P2).
    pub declared: u32,
    /// The innermost `TRY` around it: a place in [`Program::handlers`].
    pub handler: Option<u32>,
    /// How many `CATCH` blocks are around it.
    pub catch_depth: u16,
    /// What is done.
    pub kind: StepKind,
    /// The plan, once one is made.
    pub plan: Mutex<Option<Arc<StepPlan>>>,
    /// What the name of its procedure has meant, once that has been looked up.
    pub(crate) callee: Mutex<Option<Arc<KnownCallee>>>,
    /// Its runs with that plan, as far as it is a query.
    pub runs: Runs,
}

/// What a step does.
#[derive(Debug)]
pub enum StepKind {
    /// Nothing: where a label stands.
    Nothing,
    /// A data statement: `SELECT` to the client or into variables, `INSERT`, `UPDATE`, `DELETE`,
    /// `MERGE`.
    Data(Box<ast::Statement>),
    /// `SELECT … INTO table`.
    SelectInto(Box<ast::SelectStatement>),
    /// `INSERT … EXEC`.
    InsertExecute(Box<ast::Insert>),
    /// `SET @v = …`, `SET @v += …`, the value of a `DECLARE`.
    Assign {
        /// The variable.
        variable: ast::Variable,
        /// How it is assigned.
        op: ast::AssignOp,
        /// The value.
        value: Box<ast::Expr>,
        /// It is part of a `DECLARE`, whose end is not reported to clients.
        declaration: bool,
    },
    /// Goes on elsewhere.
    Jump(StepId),
    /// Goes on elsewhere unless the condition is true.
    JumpUnless(Box<ast::Condition>, StepId),
    /// `RETURN`.
    Return(Option<Box<ast::Expr>>),
    /// `THROW`.
    Throw(Option<Box<ast::Throw>>),
    /// `RAISERROR`.
    RaiseError(Box<ast::RaiseError>),
    /// `PRINT`.
    Print(Box<ast::Expr>),
    /// `WAITFOR`.
    WaitFor(Box<ast::WaitFor>),
    /// `EXEC`.
    Execute(Box<ast::Execute>),
    /// `DECLARE name CURSOR`.
    DeclareCursor(Box<ast::DeclareCursor>),
    /// `SET @v = CURSOR …`.
    SetCursor(Box<ast::SetCursor>),
    /// `SET @v = other_cursor`.
    AssignCursor(ast::Variable, Box<ast::Expr>),
    /// `OPEN`.
    OpenCursor(ast::CursorRef),
    /// `FETCH`.
    Fetch(Box<ast::Fetch>),
    /// `CLOSE`.
    CloseCursor(ast::CursorRef),
    /// `DEALLOCATE`.
    DeallocateCursor(ast::CursorRef),
    /// `BEGIN TRANSACTION`.
    BeginTransaction(Box<ast::BeginTransaction>),
    /// `COMMIT`.
    Commit(Box<ast::Commit>),
    /// `ROLLBACK`.
    Rollback(Option<ast::TransactionName>),
    /// `SAVE TRANSACTION`.
    SaveTransaction(ast::TransactionName),
    /// `SET` of an option.
    SetOption(Box<ast::SetOption>),
    /// `USE`.
    Use(ast::Ident),
    /// Whatever changes the catalog or the server, as it stands in the tree.
    Definition(Box<ast::Statement>),
}

impl Step {
    /// Whether the step is one that names may have to wait for: a data statement or an expression
    /// that has to be bound.
    pub fn is_bound(&self) -> bool {
        matches!(
            self.kind,
            StepKind::Data(_)
                | StepKind::Assign { .. }
                | StepKind::JumpUnless(..)
                | StepKind::Return(Some(_))
                | StepKind::Print(_)
        )
    }

    /// Where the step's statement stands in the text: offsets of its first byte and of the one
    /// after its last. Of `IF` and `WHILE` it is the condition alone, not what belongs to it.
    pub fn place(&self) -> Range<u32> {
        let span = match &self.kind {
            StepKind::JumpUnless(condition, _) => condition.span,
            _ => self.span,
        };
        span.start..span.end
    }

    /// A step in the place of this one, of another data statement.
    pub fn with_statement(&self, statement: ast::Statement) -> Step {
        Step {
            line: self.line,
            span: self.span,
            declared: self.declared,
            handler: self.handler,
            catch_depth: self.catch_depth,
            kind: StepKind::Data(Box::new(statement)),
            plan: Mutex::default(),
            callee: Mutex::default(),
            runs: Runs::default(),
        }
    }

    /// Keeps a plan that was made now.
    pub fn keep(&self, plan: Arc<StepPlan>, now_ns: u64) {
        *self.plan.lock().unwrap_or_else(|p| p.into_inner()) = Some(plan);
        self.runs.compiled(now_ns);
    }

    /// Does without a plan that it has kept.
    pub fn forget(&self, plan: &Arc<StepPlan>) {
        let mut kept = self.plan.lock().unwrap_or_else(|p| p.into_inner());
        kept.take_if(|kept| Arc::ptr_eq(kept, plan));
    }

    /// Keeps what the name of its procedure means.
    pub(crate) fn keep_callee(&self, callee: Arc<KnownCallee>) {
        *self.callee.lock().unwrap_or_else(|p| p.into_inner()) = Some(callee);
    }

    /// What the name of its procedure has meant, whether or not it still does.
    pub(crate) fn callee(&self) -> Option<Arc<KnownCallee>> {
        self.callee.lock().unwrap_or_else(|p| p.into_inner()).clone()
    }

    /// The plan that it has, good or not.
    pub fn plan(&self) -> Option<Arc<StepPlan>> {
        self.plan.lock().unwrap_or_else(|p| p.into_inner()).clone()
    }
}

impl Program {
    /// The module's id.
    pub fn object(&self) -> Option<ObjectId> {
        self.module.as_ref().map(|m| m.id())
    }

    /// The name that errors give as the procedure: `dbo.p` for procedures, as SQL Server has it.
    pub fn name(&self) -> Option<&str> {
        self.module.as_ref().map(|m| &*m.header.name)
    }

    /// About how many bytes it takes.
    pub fn size_bytes(&self) -> usize {
        const STEP_BYTES: usize = 2048;
        let tree = self.tree.lock().expect("no panic under this lock");
        let tree_bytes = tree.as_ref().map_or(0, Charged::bytes);
        self.text.len() + tree_bytes + STEP_BYTES * self.steps.len() + 1024
    }
}
