//! Programs from texts and modules ([`build`]), and plans of their steps.

pub mod build;

use std::sync::Arc;

use base::account::{Account, Charged};
use base::ids::DbId;
use base::types::declare::Subject;
use base::{Pace, SqlError, SqlResult, SqlType, message};
use compile::bind::context::{BindContext, BindError, BindOptions, BindResult, Names};
use compile::lower;
use compile::plan::expr::Expr;
use engine::catalog::def::{ModuleDef, ModuleKind, TableDef, TypeDefKind};
use engine::sync::plain::Mutex;
use engine::wait::Task;
use ir::runs::Runs;
use tsql::ast::{self, StatementKind};

use crate::names::{EngineStatistics, HiddenTable, StatementNames};
use crate::options::CompileOptions;
use crate::prepare::build::{Declarations, DeclaredType};
use crate::program::argument_expr;
use crate::program::bind_options;
use crate::program::plan::StepPlan;
use crate::program::variables::Variables;
use crate::program::{Program, ProgramKind, Step, StepKind};
use crate::session::SessionState;

/// A text that is to become a program.
pub struct Text<'t> {
    /// The text.
    pub text: &'t str,
    /// The declarations of its parameters.
    pub parameters: &'t str,
    /// A batch or dynamic SQL.
    pub kind: ProgramKind,
}

/// The tree of a text, and what it takes: charged to the account, if the text is long, until that
/// is dropped. Errors of the parser and of `pace`; 701.
pub(crate) fn read_text(
    text: &str,
    options: tsql::ParseOptions,
    account: &Arc<Account>,
    pace: &dyn Pace,
) -> SqlResult<(ast::Batch, Charged)> {
    let mut tree = Charged::take(account, 0)?;
    let batch = tsql::parse_batch_within(text, options, &mut |bytes| {
        tree.resize(bytes)?;
        pace.pace()
    })?;
    Ok((batch, tree))
}

impl SessionState {
    /// The options for compiling now.
    pub fn compile_options(&self, module: Option<&ModuleDef>) -> CompileOptions {
        let options = self.options.compile();
        match module {
            Some(m) => options.of_module(m.uses_ansi_nulls, m.uses_quoted_identifier),
            None => options,
        }
    }

    /// Takes a text apart. Errors of the parser and of declarations, and of `pace`; 701 if the
    /// account has no room for its tree.
    pub(crate) fn compile_text(
        &self,
        text: &Text<'_>,
        account: &Arc<Account>,
        pace: &dyn Pace,
    ) -> SqlResult<Program> {
        let options = self.compile_options(None);
        let parse = tsql::ParseOptions { quoted_identifier: options.quoted_identifier() };
        let (batch, tree) = read_text(text.text, parse, account, pace)?;
        let declared = match text.parameters.trim() {
            "" => Vec::new(),
            parameters => tsql::parse_parameter_list(parameters)?,
        };
        let none = Variables::default();
        let names = StatementNames { session: self, variables: &none, declared: 0, hidden: &[] };
        let mut declarations = Declarer { session: self, names: &names, types_at: None };
        let mut variables = Variables::default();
        let mut defaults = Vec::with_capacity(declared.len());
        for (at, parameter) in declared.iter().enumerate() {
            let (name, ordinal) = (&parameter.name.name, at as u32 + 1);
            defaults.push(None);
            match declarations.data_type(name, &parameter.ty, ordinal)? {
                DeclaredType::Scalar(ty) => {
                    variables.scalar(name, ty, true)?;
                    let default = parameter.default.as_ref().and_then(argument_expr);
                    let plan = default.map(|default| declarations.constant(&default, ty));
                    defaults[at] = plan.transpose()?;
                }
                DeclaredType::Table(table) => drop(variables.table(name, table, true)?),
                DeclaredType::Cursor => drop(variables.cursor(name)?),
            }
        }
        variables.parameters = variables.len();
        let outputs = declared.iter().map(|p| p.output).collect();
        let steps = build::steps(batch.statements, variables, &mut declarations)?;
        check_showplan_alone(&steps.steps, false)?;
        Ok(Program {
            kind: text.kind,
            text: text.text.into(),
            module: None,
            database: self.database,
            options,
            variables: steps.variables,
            outputs,
            defaults: defaults.into(),
            steps: steps.steps,
            handlers: steps.handlers,
            columns_updated: None,
            result: None,
            types_at: declarations.types_at,
            native: Mutex::new(None),
            runs: self.first_compiled(),
            tree: Mutex::new((tree.bytes() > 0).then_some(tree)),
        })
    }

    /// Takes a module's body apart.
    pub(crate) fn compile_module(
        &self,
        database: DbId,
        module: &Arc<ModuleDef>,
    ) -> SqlResult<Program> {
        let options = self.compile_options(Some(module));
        let parse = tsql::ParseOptions { quoted_identifier: module.uses_quoted_identifier };
        let batch = tsql::parse_batch(&module.definition, parse)?;
        let none = Variables::default();
        let names = StatementNames { session: self, variables: &none, declared: 0, hidden: &[] };
        let mut declarations = Declarer { session: self, names: &names, types_at: None };
        let mut variables = self.parameters(database, module)?;
        variables.parameters = variables.len();
        let outputs = module.parameters.iter().map(|p| p.output).collect();
        let (mut columns_updated, mut result) = (None, None);
        let kind = match &module.kind {
            ModuleKind::Procedure { .. } => ProgramKind::Procedure,
            ModuleKind::ScalarFunction { .. } => ProgramKind::ScalarFunction,
            ModuleKind::TableFunction { variable, result: table } => {
                result = Some(variables.table(variable, table.clone(), false)?);
                ProgramKind::TableFunction
            }
            ModuleKind::Trigger(_) => {
                columns_updated = Some(variables.hidden(SqlType::varbinary(128)));
                ProgramKind::Trigger
            }
            ModuleKind::EventTrigger(_) => ProgramKind::Trigger,
            ModuleKind::View { .. }
            | ModuleKind::InlineFunction { .. }
            | ModuleKind::Rule { .. }
            | ModuleKind::Default { .. } => {
                return Err(ir::internal("a view is nothing that runs"));
            }
        };
        let body = if module.native { Vec::new() } else { body_of(batch)? };
        let steps = build::steps(body, variables, &mut declarations)?;
        check_showplan_alone(&steps.steps, true)?;
        Ok(Program {
            kind,
            text: module.definition.clone(),
            module: Some(module.clone()),
            database,
            options,
            variables: steps.variables,
            outputs,
            defaults: Box::default(),
            steps: steps.steps,
            handlers: steps.handlers,
            columns_updated,
            result,
            types_at: declarations.types_at,
            native: Mutex::new(None),
            runs: self.first_compiled(),
            tree: Mutex::new(None),
        })
    }

    /// No runs yet of what is compiled now.
    fn first_compiled(&self) -> Runs {
        let runs = Runs::default();
        runs.compiled(self.instance.env().clock().now_ns());
        runs
    }

    /// A scalar type as a declaration of the server's own means it.
    pub(crate) fn declared_scalar(&self, ty: &ast::DataType) -> SqlResult<SqlType> {
        self.declared_type(ty, Subject::Type, 1)
    }

    /// The type of a column of `WITH RESULT SETS`; `ordinal` counts from 1. Error 2715.
    pub(crate) fn declared_column(
        &self,
        name: &str,
        ty: &ast::DataType,
        ordinal: u32,
    ) -> SqlResult<SqlType> {
        self.declared_type(ty, Subject::Column(name), ordinal)
    }

    fn declared_type(
        &self,
        ty: &ast::DataType,
        subject: Subject<'_>,
        ordinal: u32,
    ) -> SqlResult<SqlType> {
        let none = Variables::default();
        let names = StatementNames { session: self, variables: &none, declared: 0, hidden: &[] };
        let declarations = Declarer { session: self, names: &names, types_at: None };
        let declared =
            declarations.with_context(|c| compile::bind::data_type(c, ty, subject, ordinal))?;
        Ok(declared.ty)
    }

    /// The parameters of a module as variables.
    fn parameters(&self, database: DbId, module: &ModuleDef) -> SqlResult<Variables> {
        let mut variables = Variables::default();
        for parameter in &module.parameters {
            if parameter.cursor {
                variables.cursor(&parameter.name)?;
            } else if parameter.table_valued {
                let schema = self.schema(database)?;
                let def = schema.types().get(parameter.user_type).map(|def| &def.kind);
                let table = match def {
                    Some(TypeDefKind::Table { table }) => schema.table(*table).cloned(),
                    _ => None,
                };
                let table = table.ok_or_else(|| {
                    let args: [&dyn std::fmt::Display; 2] = [&1, &parameter.name];
                    SqlError::new(&message::CANNOT_FIND_DATA_TYPE, &args)
                })?;
                variables.table(&parameter.name, table, true)?;
            } else {
                variables.scalar(&parameter.name, parameter.ty, parameter.nullable)?;
            }
        }
        Ok(variables)
    }

    /// Makes the plan of a step; `None` for steps that need none.
    pub(crate) fn compile_step(
        &self,
        task: &Task<'_>,
        program: &Program,
        step: &Step,
        hidden: &[HiddenTable],
    ) -> BindResult<Option<StepPlan>> {
        let options = self.compile_options(program.module.as_deref());
        let names = StatementNames {
            session: self,
            variables: &program.variables,
            declared: step.declared,
            hidden,
        };
        let statistics = EngineStatistics::new(self, task);
        let context = BindContext {
            names: &names,
            options: BindOptions {
                schema_bound: program.module.as_ref().is_some_and(|module| module.schema_bound),
                ..bind_options(options, program.kind)
            },
            statistics: &statistics,
        };
        let lowering = options.lowering();
        let expression = |bound: BindResult<compile::bind::BoundExpr>| {
            let bound = bound?;
            let unit = lower::scalar(&bound.expr, lowering)?;
            let (facts, dependencies) = (bound.facts, bound.dependencies);
            Ok(Some(StepPlan { unit, facts, dependencies, options }))
        };
        match &step.kind {
            StepKind::Data(statement) => {
                let bound = compile::bind::statement(&context, statement)?;
                let unit = lower::statement(&bound.plan, lowering)?;
                let (facts, dependencies) = (bound.facts, bound.dependencies);
                Ok(Some(StepPlan { unit, facts, dependencies, options }))
            }
            StepKind::Assign { variable, op, value, .. } => {
                let assigned = compile::bind::assigned_value(&context, variable, *op, value);
                let (id, bound) = assigned?;
                let unit = lower::assignment(id, &bound.expr, lowering)?;
                let (facts, dependencies) = (bound.facts, bound.dependencies);
                Ok(Some(StepPlan { unit, facts, dependencies, options }))
            }
            StepKind::JumpUnless(condition, _) => {
                let bound = compile::bind::condition(&context, condition)?;
                let unit = lower::condition(&bound.pred, lowering)?;
                let (facts, dependencies) = (bound.facts, bound.dependencies);
                Ok(Some(StepPlan { unit, facts, dependencies, options }))
            }
            StepKind::Return(Some(value)) => {
                let module = program.module.as_deref();
                let ty = module.and_then(ModuleDef::returns).map_or(SqlType::int(), |r| r.ty);
                expression(compile::bind::expression(&context, value, Some(ty)))
            }
            StepKind::Print(value) => {
                expression(compile::bind::printed_expression(&context, value))
            }
            _ => Ok(None),
        }
    }

    /// Makes a unit of an expression that stands in a step.
    pub(crate) fn compile_expr(
        &self,
        task: &Task<'_>,
        program: &Program,
        step: &Step,
        value: &ast::Expr,
        ty: Option<SqlType>,
    ) -> BindResult<StepPlan> {
        let options = self.compile_options(program.module.as_deref());
        let names = StatementNames {
            session: self,
            variables: &program.variables,
            declared: step.declared,
            hidden: &[],
        };
        let statistics = EngineStatistics::new(self, task);
        let context = BindContext {
            names: &names,
            options: bind_options(options, program.kind),
            statistics: &statistics,
        };
        constant_plan(&context, value, ty, options)
    }
}

/// The plan of an expression that needs no table.
fn constant_plan(
    context: &BindContext<'_>,
    value: &ast::Expr,
    ty: Option<SqlType>,
    options: CompileOptions,
) -> BindResult<StepPlan> {
    let bound = compile::bind::constant_expression(context, value, ty)?;
    plan_of_expr(&bound.expr, options).map(|unit| StepPlan {
        unit,
        facts: bound.facts,
        dependencies: bound.dependencies,
        options,
    })
}

fn plan_of_expr(expr: &Expr, options: CompileOptions) -> BindResult<ir::Unit> {
    let lowering = options.lowering();
    lower::scalar(expr, lowering).map_err(BindError::from)
}

/// Error 1067: `SET SHOWPLAN` stands alone in a text.
pub(crate) fn check_showplan_alone(steps: &[Step], in_module: bool) -> SqlResult<()> {
    match steps.iter().find(|step| sets_showplan(step)) {
        Some(step) if in_module || steps.len() > 1 => {
            Err(SqlError::new(&message::SHOWPLAN_NOT_ALONE, &[]).at_line(step.line))
        }
        _ => Ok(()),
    }
}

pub(crate) fn sets_showplan(step: &Step) -> bool {
    use ast::SwitchOption as S;
    let is_showplan =
        |option: &S| matches!(option, S::ShowPlanAll | S::ShowPlanText | S::ShowPlanXml);
    match &step.kind {
        StepKind::SetOption(option) => match &**option {
            ast::SetOption::Switch { options, .. } => options.iter().any(is_showplan),
            _ => false,
        },
        _ => false,
    }
}

/// The statements of a module's body.
fn body_of(batch: ast::Batch) -> SqlResult<Vec<ast::Statement>> {
    for statement in batch.statements {
        if let StatementKind::Module(module) = statement.kind {
            return Ok(match module.module {
                ast::Module::Procedure(procedure) => procedure.body,
                ast::Module::Trigger(trigger) => trigger.body,
                ast::Module::Function(function) => match function.body {
                    ast::FunctionBody::Scalar { body, .. }
                    | ast::FunctionBody::Table { body, .. } => body,
                    ast::FunctionBody::Inline { .. } => Vec::new(),
                },
                ast::Module::View(_) => Vec::new(),
            });
        }
    }
    Err(ir::internal("a module's text makes no module"))
}

/// Finds out what the types in declarations are.
struct Declarer<'d> {
    session: &'d SessionState,
    names: &'d StatementNames<'d>,
    types_at: Option<(DbId, u64)>,
}

impl Declarer<'_> {
    fn with_context<T>(&self, f: impl FnOnce(&BindContext<'_>) -> BindResult<T>) -> SqlResult<T> {
        let statistics = EngineStatistics::at_once(self.session);
        let options = bind_options(self.session.compile_options(None), ProgramKind::Batch);
        let context = BindContext { names: self.names, options, statistics: &statistics };
        f(&context).map_err(SqlError::from)
    }

    /// The plan of a parameter's default.
    fn constant(&self, value: &ast::Expr, ty: SqlType) -> SqlResult<StepPlan> {
        let options = self.session.compile_options(None);
        self.with_context(|context| constant_plan(context, value, Some(ty), options))
    }

    /// The table behind a table type.
    fn table_type(&self, name: &ast::ObjectName) -> Option<Arc<TableDef>> {
        let database = self.names.database();
        let schema = self.names.schema(database)?;
        let found = match &name.schema {
            Some(place) => schema.find_type(schema.find_schema(&place.name)?.id, &name.name.name),
            None => schema.resolve_type(self.names.default_schema(database), &name.name.name),
        };
        match found?.kind {
            TypeDefKind::Table { table } => schema.table(table).cloned(),
            TypeDefKind::Alias { .. } => None,
        }
    }
}

impl Declarations for Declarer<'_> {
    fn data_type(
        &mut self,
        name: &str,
        ty: &ast::DataType,
        ordinal: u32,
    ) -> SqlResult<DeclaredType> {
        let written = &ty.name;
        if written.is_bare() && written.name.name.eq_ignore_ascii_case("cursor") {
            return Ok(DeclaredType::Cursor);
        }
        if written.schema.is_some()
            || base::types::declare::kind_by_name(&written.name.name).is_none()
        {
            let database = self.names.database();
            self.types_at = self.names.schema(database).map(|s| (database, s.version()));
        }
        if let Some(table) = self.table_type(written) {
            return Ok(DeclaredType::Table(table));
        }
        let declared = self
            .with_context(|c| compile::bind::data_type(c, ty, Subject::Parameter(name), ordinal))?;
        Ok(DeclaredType::Scalar(declared.ty))
    }

    fn table(&mut self, name: &str, definition: &ast::TableDefinition) -> SqlResult<Arc<TableDef>> {
        crate::ddl::table_variable(self.session, name, definition)
    }
}
