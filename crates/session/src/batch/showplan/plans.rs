//! The plans of a program's statements, as they would be made now.

use std::sync::Arc;

use base::SqlResult;
use base::ids::{DbId, ObjectId};
use compile::bind::context::{
    BindContext, BindResult, CursorRow, Facts, FileRows, Names, SystemObject, TriggerScope,
    Variable,
};
use compile::plan::expr::ColId;
use compile::plan::print::LineObject;
use compile::plan::show::ShownPlan;
use compile::plan::show::xml::{ShownStatement, Surroundings};
use compile::plan::tree::{Destination, Node, Plan, SelectPlan};
use compile::plan::walk::{Part, Parts};
use engine::catalog::Schema;
use engine::catalog::def::{ColumnId, ModuleDef, Permission, SchemaId, TableDef};
use ir::function::facts::MetadataFacts;
use tsql::ast;

use crate::context::database_permission;
use crate::names::{EngineStatistics, StatementNames};
use crate::options::CompileOptions;
use crate::program::{Program, Step, StepKind, bind_options};
use crate::session::SessionState;

/// What names mean in a program that is looked at, not run: in its own database and schema.
struct ShownNames<'n> {
    inner: StatementNames<'n>,
    program: &'n Program,
}

impl Names for ShownNames<'_> {
    fn functions(&self) -> &'static dyn ir::function::Functions {
        self.inner.functions()
    }

    fn database(&self) -> DbId {
        self.program.database
    }

    fn find_database(&self, name: &str) -> Option<DbId> {
        self.inner.find_database(name)
    }

    fn database_name(&self, database: DbId) -> Arc<str> {
        self.inner.database_name(database)
    }

    fn schema(&self, database: DbId) -> Option<Arc<Schema>> {
        self.inner.schema(database)
    }

    fn default_schema(&self, database: DbId) -> SchemaId {
        match &self.program.module {
            Some(module) if database == self.program.database && !module.header.ms_shipped => {
                module.header.schema
            }
            _ => self.inner.default_schema(database),
        }
    }

    fn temporary_table(&self, name: &str) -> Option<Arc<TableDef>> {
        self.inner.temporary_table(name)
    }

    fn system_object(&self, schema: Option<&str>, name: &str) -> Option<SystemObject> {
        self.inner.system_object(schema, name)
    }

    fn variable(&self, name: &str) -> Option<Variable> {
        self.inner.variable(name)
    }

    fn trigger(&self) -> Option<TriggerScope> {
        let trigger = self.program.module.as_ref()?.trigger()?;
        let table = self.schema(self.program.database)?.table(trigger.parent)?.clone();
        Some(TriggerScope { table, columns_updated: self.program.columns_updated? })
    }

    fn identity_insert(&self, database: DbId, table: ObjectId) -> bool {
        self.inner.identity_insert(database, table)
    }

    fn is_contained(&self, database: DbId) -> bool {
        self.inner.is_contained(database)
    }

    fn is_chained(&self, from: (DbId, ObjectId), to: (DbId, ObjectId)) -> bool {
        self.inner.is_chained(from, to)
    }

    fn may_unmask(&self, database: DbId, table: ObjectId, column: ColumnId) -> bool {
        self.inner.may_unmask(database, table, column)
    }

    fn file_rows(&self, file: &ast::TableFile, options: &[ast::BulkOption]) -> SqlResult<FileRows> {
        self.inner.file_rows(file, options)
    }

    fn cursor_rows(&self, cursor: &ast::CursorRef) -> SqlResult<Vec<CursorRow>> {
        self.inner.cursor_rows(cursor)
    }

    fn module_tree(&self, database: DbId, module: &ModuleDef) -> SqlResult<Arc<ast::Batch>> {
        self.inner.module_tree(database, module)
    }
}

/// A statement as it is shown, and what has to be known of its plan.
pub(super) struct Found {
    pub statement: ShownStatement,
    pub facts: Facts,
}

impl SessionState {
    /// The plan that a step would have now, if it is one that has a plan.
    pub(super) fn plan_to_show(&self, program: &Program, step: &Step) -> BindResult<Option<Found>> {
        let names = ShownNames {
            inner: StatementNames {
                session: self,
                variables: &program.variables,
                declared: step.declared,
                hidden: &[],
            },
            program,
        };
        let statistics = EngineStatistics::at_once(self);
        let options = bind_options(self.compile_options(program.module.as_deref()), program.kind);
        let context = BindContext { names: &names, options, statistics: &statistics };
        let Some((plan, facts)) = bound(&context, &step.kind)? else { return Ok(None) };
        let kept = step.plan();
        let code = kept.as_ref().and_then(|plan| plan.unit.machine_code.get());
        let statement = ShownStatement {
            text: text_of(program, step),
            kind: kind_of(program, step, true),
            plan: Some(ShownPlan::of(&plan, &statistics)),
            machine_code_bytes: code.map_or(0, |code| code.size()),
            elapsed_ns: None,
        };
        Ok(Some(Found { statement, facts }))
    }

    /// The statements of a natively compiled module with their plans.
    pub(super) fn native_plans_to_show(
        &self,
        program: &Program,
    ) -> BindResult<Vec<ShownStatement>> {
        use compile::plan::native::{NativeKind, NativeStatement};
        fn collect(list: &[NativeStatement], each: &mut dyn FnMut(&Plan, ast::Span)) {
            for statement in list {
                match &statement.kind {
                    NativeKind::Data(plan, span) => each(plan, *span),
                    NativeKind::If(branches, otherwise) => {
                        branches.iter().for_each(|branch| collect(&branch.body, each));
                        collect(otherwise, each);
                    }
                    NativeKind::TryCatch(body, otherwise) => {
                        collect(body, each);
                        collect(otherwise, each);
                    }
                    NativeKind::While(_, body) | NativeKind::Atomic(body) => collect(body, each),
                    _ => {}
                }
            }
        }
        let names = StatementNames {
            session: self,
            variables: &program.variables,
            declared: program.variables.len() as u32,
            hidden: &[],
        };
        let names = ShownNames { inner: names, program };
        let statistics = EngineStatistics::at_once(self);
        let bound = crate::batch::native::bind_native(program, &names, &statistics)?;
        let kept = program.native.lock().unwrap_or_else(|p| p.into_inner()).clone();
        let code = kept.as_ref().and_then(|plan| plan.unit.machine_code.get());
        let machine_code_bytes = code.map_or(0, |code| code.size());
        let mut found = Vec::new();
        collect(&bound.module.body, &mut |plan, span| {
            let text = span.text(&program.text);
            found.push(ShownStatement {
                text: text.to_owned(),
                kind: first_words(text, 1),
                plan: Some(ShownPlan::of(plan, &statistics)),
                machine_code_bytes,
                elapsed_ns: None,
            });
        });
        Ok(found)
    }

    /// Error 262 unless the plans of statements over these databases may be shown.
    pub(super) fn check_showplan(&self, databases: &[DbId]) -> SqlResult<()> {
        for &database in databases.iter().filter(|id| id.0 > DbId::MSDB.0) {
            if !self.is_permitted(database, crate::security::WHOLE_DATABASE, Permission::Showplan) {
                return Err(database_permission(self, database, Permission::Showplan));
            }
        }
        Ok(())
    }
}

/// What a step's plan is: of a condition or assignment with queries in it, they are below one
/// operator.
fn bound(context: &BindContext<'_>, kind: &StepKind) -> BindResult<Option<(Plan, Facts)>> {
    let select = |root: Node| {
        Plan::Select(SelectPlan { root, output: Vec::new(), destination: Destination::Client })
    };
    Ok(match kind {
        StepKind::Data(statement) => {
            let bound = compile::bind::statement(context, statement)?;
            Some((bound.plan, bound.facts))
        }
        StepKind::SelectInto(statement) => {
            let mut query = statement.clone();
            remove_into(&mut query.query.body);
            let span = query.query.span;
            let statement = ast::Statement { span, kind: ast::StatementKind::Select(query) };
            let bound = compile::bind::statement(context, &statement)?;
            Some((bound.plan, bound.facts))
        }
        StepKind::JumpUnless(condition, _) => {
            let bound = compile::bind::condition(context, condition)?;
            let has_queries = has_queries(Part::Pred(&bound.pred));
            let root = Node::Filter { input: Box::new(Node::OneRow), predicate: bound.pred };
            has_queries.then(|| (select(root), bound.facts))
        }
        StepKind::Assign { variable, op, value, .. } => {
            let (_, bound) = compile::bind::assigned_value(context, variable, *op, value)?;
            let has_queries = has_queries(Part::Expr(&bound.expr));
            let columns = vec![(ColId(0), bound.expr)];
            let root = Node::Compute { input: Box::new(Node::OneRow), columns };
            has_queries.then(|| (select(root), bound.facts))
        }
        _ => None,
    })
}

/// Whether there are queries within an expression.
fn has_queries(part: Part<'_>) -> bool {
    let mut found = false;
    let mut each = |part: Part<'_>| found |= has_queries(part);
    match part {
        Part::Node(_) => return true,
        Part::Expr(expr) => expr.parts(&mut each),
        Part::Pred(pred) => pred.parts(&mut each),
    }
    found
}

fn remove_into(body: &mut ast::QueryBody) {
    match body {
        ast::QueryBody::Select(select) => select.into = None,
        ast::QueryBody::Nested(query) => remove_into(&mut query.body),
        ast::QueryBody::Set(chain) => remove_into(&mut chain.first),
    }
}

/// The text of a step's statement.
pub(super) fn text_of(program: &Program, step: &Step) -> String {
    let place = step.place();
    program.text[place.start as usize..place.end as usize].to_owned()
}

/// What kind of statement a step is.
pub(super) fn kind_of(program: &Program, step: &Step, has_plan: bool) -> String {
    let with_query = if has_plan { " WITH QUERY" } else { "" };
    match &step.kind {
        StepKind::JumpUnless(..) => format!("COND{with_query}"),
        StepKind::Assign { .. } => format!("ASSIGN{with_query}"),
        StepKind::SelectInto(_) => "SELECT INTO".into(),
        StepKind::Execute(_) => "EXECUTE PROC".into(),
        StepKind::SetOption(_) => "SET ON/OFF".into(),
        StepKind::Data(statement) => match &statement.kind {
            ast::StatementKind::Select(_) => "SELECT".into(),
            ast::StatementKind::Insert(_) => "INSERT".into(),
            ast::StatementKind::Update(_) => "UPDATE".into(),
            ast::StatementKind::Delete(_) => "DELETE".into(),
            _ => "MERGE".into(),
        },
        StepKind::Definition(_) => first_words(step.span.text(&program.text), 2),
        _ => first_words(step.span.text(&program.text), 1),
    }
}

fn first_words(text: &str, count: usize) -> String {
    let is_end = |c: char| !(c.is_alphanumeric() || c == '_');
    let words = text.split(is_end).filter(|word| !word.is_empty());
    words.take(count).map(str::to_uppercase).collect::<Vec<_>>().join(" ")
}

/// A session, for documents.
pub(super) struct Shown<'s> {
    pub state: &'s SessionState,
    pub options: CompileOptions,
}

impl Surroundings for Shown<'_> {
    fn place(&self, object: &LineObject) -> (Option<String>, Option<String>) {
        let Some(database) = object.database else { return (None, None) };
        let name = self.state.instance.database_name(database).to_string();
        let schema = self.state.schema(database).ok();
        let place = schema.and_then(|schema| {
            Some(schema.schemas().get(object.table.header.schema)?.name.to_string())
        });
        (Some(name), place)
    }

    fn options(&self) -> Vec<(&'static str, bool)> {
        let settings = &self.state.options.settings;
        vec![
            ("QUOTED_IDENTIFIER", self.options.quoted_identifier()),
            ("ARITHABORT", settings.arithabort),
            ("CONCAT_NULL_YIELDS_NULL", settings.concat_null_yields_null),
            ("ANSI_NULLS", self.options.ansi_nulls()),
            ("ANSI_PADDING", settings.ansi_padding),
            ("ANSI_WARNINGS", self.options.ansi_warnings()),
            ("NUMERIC_ROUNDABORT", settings.numeric_roundabort),
        ]
    }
}
