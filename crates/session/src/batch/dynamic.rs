//! Dynamic SQL: `EXEC ('…')`, `sp_executesql`, prepared texts.

use std::sync::Arc;

use base::collation::codepage::unicode_to_string;
use base::convert::display;
use base::text::identifier::same_identifier;
use base::{SqlError, SqlType, TypeKind, Value, message};
use compile::bind::BindError;
use ir::function::facts::StatementPace;
use run::interp::{Frame, TableSlot};

use super::canonical::CanonicalCall;
use super::data::depends_on_session;
use crate::context::Context;
use crate::fault::{Effect, Fault, Run};
use crate::plan_cache::TextKey;
use crate::prepare::Text;
use crate::program::variables::VariableKind;
use crate::program::{Program, ProgramKind, StepKind, new_frame};
use crate::session::arguments::{Argument, ArgumentIn, Called, CalledOutput};
use crate::session::prepared::PreparedText;
use crate::sysproc::TextProcedure;

impl Context<'_> {
    /// Calls one of these procedures.
    pub(super) fn call_text(
        &mut self,
        procedure: TextProcedure,
        mut arguments: Vec<Argument>,
    ) -> Run<Called> {
        match procedure {
            TextProcedure::ExecuteSql => {
                let text = self.text_argument(procedure, &arguments, 0, "@statement")?;
                let text = text.unwrap_or_default();
                let declared = match arguments.len() {
                    0 | 1 => None,
                    _ => self.text_argument(procedure, &arguments, 1, "@parameters")?,
                };
                self.run_text(
                    &text,
                    &declared.unwrap_or_default(),
                    arguments.get(2..).unwrap_or(&[]),
                )
                .map(|called| shifted(called, 2))
            }
            TextProcedure::Prepare => {
                let (declared, text) = self.prepared_texts(procedure, &arguments)?;
                let handle = self.prepare(declared, text)?;
                let wanted = match arguments.get(3).map(|argument| &argument.value) {
                    Some(ArgumentIn::Scalar(Value::Int(options), _)) => options & 1 == 1,
                    _ => true,
                };
                if wanted {
                    self.announce_prepared(handle).map_err(Fault::lost)?;
                }
                Ok(with_handle(handle, Called::default()))
            }
            TextProcedure::PrepExec => {
                let (declared, text) = self.prepared_texts(procedure, &arguments)?;
                let handle = self.prepare(declared, text)?;
                let rest = arguments.split_off(arguments.len().min(3));
                let called = self.execute_prepared(handle, &rest)?;
                Ok(with_handle(handle, shifted(called, 3)))
            }
            TextProcedure::PrepExecRpc => {
                let call = self.text_argument(procedure, &arguments, 1, "@RPCCall")?;
                let rest = arguments.split_off(arguments.len().min(2));
                let CanonicalCall { text, declared } =
                    CanonicalCall::new(&call.unwrap_or_default(), &rest)?;
                let handle = self.prepare(declared, text)?;
                let called = self.execute_prepared(handle, &rest)?;
                Ok(with_handle(handle, shifted(called, 2)))
            }
            TextProcedure::Execute => {
                let handle = handle_argument(&arguments)?;
                let called = self.execute_prepared(handle, arguments.get(1..).unwrap_or(&[]))?;
                Ok(shifted(called, 1))
            }
            TextProcedure::Unprepare => {
                let handle = handle_argument(&arguments)?;
                match self.session.prepared.remove(handle) {
                    true => Ok(Called::default()),
                    false => Err(no_handle(handle)),
                }
            }
        }
    }

    /// The declarations and the text that are to be prepared.
    fn prepared_texts(
        &self,
        procedure: TextProcedure,
        arguments: &[Argument],
    ) -> Run<(String, String)> {
        let declared = self.text_argument(procedure, arguments, 1, "@params")?;
        let text = self.text_argument(procedure, arguments, 2, "@stmt")?;
        Ok((declared.unwrap_or_default(), text.unwrap_or_default()))
    }

    /// Keeps a text: its handle.
    fn prepare(&mut self, declared: String, text: String) -> Run<i32> {
        let program = self.text_program(&text, &declared, ProgramKind::Dynamic)?;
        self.compile_ahead(&program)?;
        let prepared =
            PreparedText { text: text.into(), parameters: declared.into(), program: Some(program) };
        Ok(self.session.prepared.add(prepared))
    }

    /// The columns of what a prepared text returns, if it returns something.
    fn announce_prepared(&mut self, handle: i32) -> base::SqlResult<()> {
        let program = self.session.prepared.get(handle).and_then(|p| p.program.clone());
        let Some(program) = program else { return Ok(()) };
        for step in &program.steps {
            let Some(plan) = step.plan().filter(|plan| !plan.unit.results.is_empty()) else {
                continue;
            };
            self.writer.start(self.task, &plan.unit.results[0])?;
            return self.tell_done(crate::response::command::SELECT, Some(0), false);
        }
        Ok(())
    }

    fn execute_prepared(&mut self, handle: i32, arguments: &[Argument]) -> Run<Called> {
        let prepared = self.session.prepared.get(handle).cloned();
        let prepared = prepared.ok_or_else(|| no_handle(handle))?;
        self.run_text(&prepared.text, &prepared.parameters, arguments)
    }

    /// Runs a text in a scope of its own, with arguments for the parameters declared.
    pub(crate) fn run_text(
        &mut self,
        text: &str,
        declared: &str,
        arguments: &[Argument],
    ) -> Run<Called> {
        let began = self.begins();
        let program = self.text_program(text, declared, ProgramKind::Dynamic)?;
        if self.show_program(&program)? {
            return Ok(Called::default());
        }
        let mut frame = new_frame(&program.variables);
        let places = self.bind_text_arguments(&program, declared, arguments, &mut frame)?;
        let (result, severity) = self.in_level(&program, None, |context| {
            context.compile_ahead(&program)?;
            context.tell_compilation(began)?;
            context.run_program(&program, &mut frame)
        });
        frame.release(&mut self.runtime.grant);
        result?;
        let mut called = Called::default();
        if severity > 10 {
            called.status = i32::from(severity != 0) * self.session.left.error;
        }
        for (at, place) in places.iter().enumerate().filter(|(at, _)| arguments[*at].output) {
            if let VariableKind::Scalar { id, ty, .. } =
                &program.variables.parameters()[*place].kind
            {
                let name = program.variables.parameters()[*place].name.clone();
                let value = frame.get(*id).to_owned();
                let schemas = self.schemas_of(self.database(), ty);
                called.outputs.push(CalledOutput { at, name, value, ty: *ty, schemas });
            }
        }
        Ok(called)
    }

    /// A text's program. Errors of the parser; they end the statement that runs the text.
    pub(crate) fn text_program(
        &mut self,
        text: &str,
        parameters: &str,
        kind: ProgramKind,
    ) -> Run<Arc<Program>> {
        let database = self.session.database;
        let options = self.session.compile_options(None);
        let key = TextKey { text, parameters, kind, database, options };
        if let Some(program) = self.session.instance.plans.text(&key)
            && self.types_hold(&program)
        {
            return Ok(program);
        }
        let (account, pace) = (self.runtime.grant.account(), StatementPace(self.task));
        let compiled = self.session.compile_text(&Text { text, parameters, kind }, account, &pace);
        let program = Arc::new(compiled.map_err(|e| Fault::new(e, Effect::Statement))?);
        let plans = &self.session.instance.plans;
        if plans.keep_text(&key, &program, || self.program_holds(&program)) {
            program.tree.lock().expect("no panic under this lock").take();
        }
        Ok(program)
    }

    /// Whether the types that a program's declarations name are what they were.
    pub(crate) fn types_hold(&self, program: &Program) -> bool {
        let same = |(database, version)| {
            self.session.schema(database).is_ok_and(|schema| schema.version() == version)
        };
        program.types_at.is_none_or(same)
    }

    /// Whether the databases that a program was made in are those that are there.
    pub(crate) fn program_holds(&self, program: &Program) -> bool {
        let of_types = program.types_at.iter().map(|(database, _)| *database);
        of_types.chain([program.database]).all(|database| self.session.database_holds(database))
    }

    /// Makes the plans of a text before it runs, so that its errors are found first, all of them.
    /// What does not exist yet may exist when its statement's turn comes.
    pub(crate) fn compile_ahead(&mut self, program: &Arc<Program>) -> Run<()> {
        let mut errors: Vec<SqlError> = Vec::new();
        for step in &program.steps {
            if matches!(step.kind, StepKind::Use(_)) {
                break;
            }
            // A plan that was good once is looked at again when its turn comes.
            let has_plan = || step.plan().is_some();
            let at_cursor = crate::cursor::current_of(step).is_some();
            if !step.is_bound() || at_cursor || has_plan() {
                continue;
            }
            match self.session.compile_step(self.task, program, step, &[]) {
                Ok(Some(plan)) if self.is_shareable(&plan.dependencies) => {
                    step.keep(Arc::new(plan), self.task.now_ns());
                }
                Ok(_) => {}
                Err(error) if error.is_cancelled() => {
                    return Err(self.end_request(Fault::cancelled()));
                }
                Err(error) if error.missing || depends_on_session(&error.error) => {}
                Err(error) if error.is_unplanned() => {
                    // Statements are planned when all are bound.
                    if errors.is_empty() {
                        errors.extend(error.at_line(step.line).all());
                    }
                    break;
                }
                Err(error) => errors.extend(error.at_line(step.line).all()),
            }
        }
        match BindError::several(errors) {
            Some(error) => Err(self.not_bound(error, Effect::Statement)),
            None => Ok(()),
        }
    }

    /// The fault of what was not bound. All errors but the last are sent to the client here, unless
    /// a `CATCH` block is going to get that one alone.
    pub(crate) fn not_bound(&mut self, error: BindError, effect: Effect) -> Fault {
        let mut errors: Vec<SqlError> = error.all().collect();
        let last = errors.pop().expect("an error is one at least");
        if !self.is_protected() {
            for error in errors {
                if let Err(gone) = self.report(&error) {
                    return gone;
                }
            }
        }
        Fault::new(last, effect)
    }

    /// Puts arguments into the places of a text's parameters: each argument's parameter.
    pub(crate) fn bind_text_arguments(
        &mut self,
        program: &Program,
        declared: &str,
        arguments: &[Argument],
        frame: &mut Frame,
    ) -> Run<Vec<usize>> {
        let parameters = program.variables.parameters();
        let mut given = vec![false; parameters.len()];
        let mut places = Vec::with_capacity(arguments.len());
        for (at, argument) in arguments.iter().enumerate() {
            let place = match &argument.name {
                None if at < parameters.len() => at,
                None => return Err(SqlError::new(&message::TOO_MANY_ARGUMENTS, &[&""]).into()),
                Some(name) => {
                    let found = parameters.iter().position(|p| same_identifier(&p.name, name));
                    found.ok_or_else(|| {
                        let args: [&dyn std::fmt::Display; 2] = [name, &""];
                        SqlError::new(&message::NOT_A_PARAMETER, &args)
                    })?
                }
            };
            if argument.output && !program.outputs[place] {
                let message = &message::OUTPUT_PARAMETER_NOT_DECLARED;
                return Err(SqlError::new(message, &[&parameters[place].name]).into());
            }
            match (&parameters[place].kind, &argument.value) {
                (VariableKind::Scalar { id, ty, .. }, ArgumentIn::Scalar(value, from)) => {
                    let value = self.converted(value, from, ty)?;
                    frame.set_owned(*id, &value);
                    given[place] = true;
                }
                (VariableKind::Table { id, .. }, ArgumentIn::Table(table)) => {
                    *frame.table_mut(*id) = TableSlot::Shared(table.clone());
                    given[place] = true;
                }
                _ => {}
            }
            places.push(place);
        }
        for (at, parameter) in parameters.iter().enumerate() {
            if given[at] {
                continue;
            }
            if let Some(Some(default)) = program.defaults.get(at)
                && let VariableKind::Scalar { id, .. } = parameter.kind
            {
                let (value, _) = self.value_of_plan(default, frame)?;
                frame.set_owned(id, &value);
                continue;
            }
            let optional = matches!(parameter.kind, VariableKind::Table { .. })
                || (program.outputs[at] && arguments.len() > at);
            if !optional {
                let shown = format!("({declared}){}", program.text);
                let shown: String = shown.chars().take(256).collect();
                let args: [&dyn std::fmt::Display; 2] = [&shown, &parameter.name];
                return Err(SqlError::new(&message::PARAMETERIZED_NOT_SUPPLIED, &args).into());
            }
        }
        Ok(places)
    }

    /// A text among the arguments. Error 214 if it is not a national string.
    fn text_argument(
        &self,
        procedure: TextProcedure,
        arguments: &[Argument],
        at: usize,
        parameter: &str,
    ) -> Run<Option<String>> {
        use TypeKind as K;
        let wanted = || {
            let args: [&dyn std::fmt::Display; 2] = [&parameter, &"ntext/nchar/nvarchar"];
            let error = SqlError::new(&message::PROCEDURE_PARAMETER_TYPE, &args);
            error.in_procedure(procedure.name()).at_line(1)
        };
        match arguments.get(at).map(|argument| &argument.value) {
            Some(ArgumentIn::Scalar(Value::Null, _)) => Ok(None),
            Some(ArgumentIn::Scalar(value, ty))
                if matches!(ty.kind, K::NChar | K::NVarChar | K::NText) =>
            {
                Ok(Some(match value {
                    Value::Unicode(bytes) => unicode_to_string(bytes),
                    value => display(value.as_ref(), ty),
                }))
            }
            Some(_) => Err(wanted().into()),
            None => {
                let args: [&dyn std::fmt::Display; 2] = [&procedure.name(), &parameter];
                Err(SqlError::new(&message::PARAMETER_NOT_SUPPLIED, &args).into())
            }
        }
    }
}

/// The handle that is the first argument.
fn handle_argument(arguments: &[Argument]) -> Run<i32> {
    match arguments.first().map(|argument| &argument.value) {
        Some(ArgumentIn::Scalar(Value::Int(handle), _)) => Ok(*handle as i32),
        _ => Err(no_handle(0)),
    }
}

/// Error 8179: no statement was prepared under the handle.
fn no_handle(handle: i32) -> Fault {
    SqlError::new(&message::PREPARED_HANDLE_NOT_FOUND, &[&handle]).into()
}

/// The outputs of a call whose arguments come after others.
fn shifted(mut called: Called, by: usize) -> Called {
    called.outputs.iter_mut().for_each(|output| output.at += by);
    called
}

/// The handle as the first output.
fn with_handle(handle: i32, mut called: Called) -> Called {
    let value = Value::Int(i64::from(handle));
    let (name, ty) = ("@handle".into(), SqlType::int());
    called.outputs.insert(0, CalledOutput { at: 0, name, value, ty, schemas: None });
    called
}
