//! `EXEC` of procedures, and calls of modules in general.

use std::sync::Arc;

use base::convert::Overlong;
use base::ids::DbId;
use base::{SqlError, SqlType, TypeKind, Value, message};
use engine::catalog::def::ParameterDef;
use ir::operator::{TableVarId, VarId};
use run::interp::{Frame, TableSlot};
use smallvec::SmallVec;
use tsql::ast::{self, ArgumentValue, ExecuteTarget};

use super::events::is_announced;
use crate::builtin;
use crate::context::Context;
use crate::fault::{Effect, Fault, Run};
use crate::names::callee::Callee;
use crate::program::variables::VariableKind;
use crate::program::{Program, ProgramKind, Step, add_tables, argument_expr, frame_without_tables};
use crate::response::{DoneScope, StatementDone, command};
use crate::security::WHOLE_DATABASE;
use crate::session::arguments::{Argument, ArgumentIn, Called, CalledCursor, CalledOutput};
use crate::session::level::Level;
use crate::sysproc::{Needs, SystemProcedure};

/// How deep modules, dynamic SQL and triggers may nest.
pub(crate) const NESTING_MAX: i32 = 32;

impl Context<'_> {
    /// `EXEC` as a statement.
    pub(super) fn execute(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        execute: &ast::Execute,
        frame: &mut Frame,
    ) -> Run<()> {
        self.session.note_time();
        let began = self.begins();
        let called = match &execute.result_sets {
            None => self.execute_target(program, step, &execute.target, frame)?,
            Some(sets) => self.with_result_sets(sets, |c| {
                c.execute_target(program, step, &execute.target, frame)
            })?,
        };
        if let Some(status) = &execute.status {
            let (id, ty) = program.variables.find_scalar(&status.name, step.declared)?;
            let status = (Value::Int(i64::from(called.status)), SqlType::int());
            let (value, from) = called.value.clone().unwrap_or(status);
            let value = self.converted(&value, &anywhere(&from), &ty)?;
            frame.set_owned(id, &value);
        }
        self.tell_execution(began)?;
        let is_text = matches!(execute.target, ExecuteTarget::Text { .. });
        self.done_module((!is_text).then_some(called.status)).map_err(Fault::lost)
    }

    fn execute_target(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        target: &ExecuteTarget,
        frame: &mut Frame,
    ) -> Run<Called> {
        match target {
            ExecuteTarget::Text { pieces, server, principal, .. } => {
                if let Some(server) = server {
                    let message = &message::LINKED_SERVER_NOT_FOUND;
                    return Err(SqlError::new(message, &[&server.name]).into());
                }
                if self.session.levels.iter().any(Level::is_function) {
                    return Err(only_functions().into());
                }
                let mut text = String::new();
                for piece in pieces {
                    text.push_str(&self.text(program, step, frame, piece)?.unwrap_or_default());
                }
                self.as_principal(principal.as_ref(), |c| {
                    c.ended_scope(|c| c.run_text(&text, "", &[]).map(|_| Called::default()))
                })
            }
            ExecuteTarget::Procedure { name, arguments } => {
                let (name, callee) = self.callee(program, step, name, frame)?;
                self.check_in_function(&callee)?;
                let noted = match &callee {
                    Callee::System(procedure) => {
                        self.note_command(procedure, step.span.text(&program.text))
                    }
                    _ => false,
                };
                let mut lent = SmallVec::new();
                let given = self.arguments(program, step, arguments, frame, &mut lent);
                let called =
                    given.and_then(|given| self.ended_scope(|c| c.call(&callee, &name, given)));
                lent.into_iter().for_each(|table| frame.take_back(table));
                if noted {
                    self.session.command = None;
                }
                let called = called?;
                self.take_outputs(program, step, arguments, &called, frame)?;
                Ok(called)
            }
        }
    }

    /// Notes the `EXEC` of a procedure that changes the catalog, for the triggers that wait for
    /// that; of those that call another one, the outermost. Returns whether it was noted.
    fn note_command(&mut self, procedure: &SystemProcedure, command: &str) -> bool {
        let changes =
            procedure.builtin.is_some_and(is_announced) || procedure.name == "sp_configure";
        let is_inner = self.session.level().module.as_ref().is_some_and(|m| m.header.ms_shipped);
        let is_noted = changes && !is_inner;
        if is_noted {
            self.session.command = Some(command.into());
        }
        is_noted
    }

    /// Error 557: functions execute nothing but functions.
    fn check_in_function(&self, callee: &Callee) -> Run<()> {
        let in_function = self.session.levels.iter().any(Level::is_function);
        let is_function = matches!(callee, Callee::Module(_, module) if module.returns().is_some());
        match in_function && !is_function {
            true => Err(only_functions().into()),
            false => Ok(()),
        }
    }

    /// Runs a call. A module that ended early because of an error that the client knows of has
    /// still been called.
    fn ended_scope(&mut self, call: impl FnOnce(&mut Context<'_>) -> Run<Called>) -> Run<Called> {
        match call(self) {
            Err(fault) if fault.reported && fault.effect == Effect::Scope => {
                let status = 10 - i32::from(fault.error.severity());
                Ok(Called { status, ..Called::default() })
            }
            other => other,
        }
    }

    /// A called module is done.
    pub(crate) fn done_module(&mut self, status: Option<i32>) -> base::SqlResult<()> {
        if self.session.levels.len() > 1 {
            return self.tell_done(command::EXECUTE, None, false);
        }
        if let Some(status) = status {
            self.writer.return_status(self.task, status)?;
        }
        let in_transaction = self.session.transaction.count() > 0;
        self.send_done(&StatementDone {
            scope: DoneScope::Module,
            command: command::EXECUTE,
            rows: None,
            failed: false,
            in_transaction,
        })
    }

    /// The values of arguments. Tables among them are noted: they are the frame's own again only
    /// when it takes them back.
    fn arguments(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        arguments: &[ast::ExecuteArgument],
        frame: &mut Frame,
        lent: &mut SmallVec<[TableVarId; 4]>,
    ) -> Run<Vec<Argument>> {
        let mut given = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let name = argument.name.as_ref().map(|name| name.name.clone());
            let value = match &argument.value {
                ArgumentValue::Default(_) => ArgumentIn::Default,
                ArgumentValue::Variable(variable) => {
                    let found = program.variables.find(&variable.name, step.declared);
                    match found.map(|variable| &variable.kind) {
                        Some(VariableKind::Table { id, .. }) => {
                            lent.push(*id);
                            frame.lend(*id).map_or(ArgumentIn::Default, ArgumentIn::Table)
                        }
                        Some(VariableKind::Cursor(number)) => {
                            ArgumentIn::Cursor(self.cursor_in(*number))
                        }
                        Some(VariableKind::Scalar { id, ty, .. }) => {
                            ArgumentIn::Scalar(frame.get(*id).to_owned(), *ty)
                        }
                        None => self.scalar_argument(program, step, &argument.value, frame)?,
                    }
                }
                value => self.scalar_argument(program, step, value, frame)?,
            };
            given.push(Argument { name, value, output: argument.output });
        }
        Ok(given)
    }

    fn scalar_argument(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        value: &ArgumentValue,
        frame: &mut Frame,
    ) -> Run<ArgumentIn> {
        use ast::Literal;
        match value {
            ArgumentValue::Constant { value: Literal::Integer(v), negative, .. } => {
                let v = i64::from(*v);
                let v = if *negative { -v } else { v };
                return Ok(ArgumentIn::Scalar(Value::Int(v), SqlType::int()));
            }
            ArgumentValue::Constant { value: Literal::Null, .. } => {
                return Ok(ArgumentIn::Scalar(Value::Null, SqlType::int()));
            }
            _ => {}
        }
        let Some(expr) = argument_expr(value) else { return Ok(ArgumentIn::Default) };
        let (value, ty) = self.value_of(program, step, frame, &expr, None)?;
        Ok(ArgumentIn::Scalar(value, ty))
    }

    /// Output parameters go to the caller's variables.
    fn take_outputs(
        &mut self,
        program: &Program,
        step: &Step,
        arguments: &[ast::ExecuteArgument],
        called: &Called,
        frame: &mut Frame,
    ) -> Run<()> {
        for CalledOutput { at, value, ty, .. } in &called.outputs {
            let Some(ArgumentValue::Variable(variable)) = arguments.get(*at).map(|a| &a.value)
            else {
                continue;
            };
            let (id, to) = program.variables.find_scalar(&variable.name, step.declared)?;
            let value = self.converted(value, &anywhere(ty), &to)?;
            frame.set_owned(id, &value);
        }
        for CalledCursor { at, cursor } in &called.cursors {
            if let Some(ArgumentValue::Variable(variable)) = arguments.get(*at).map(|a| &a.value) {
                self.take_cursor(program, step, &variable.name, *cursor)?;
            }
        }
        Ok(())
    }

    /// Calls a module. A module that is in every database runs in the one that the name gives.
    pub(crate) fn call(
        &mut self,
        callee: &Callee,
        name: &ast::ObjectName,
        arguments: Vec<Argument>,
    ) -> Run<Called> {
        match callee {
            Callee::Text(text) => self.in_database_of(name, |c| {
                c.wanted_outputs(arguments, |c, arguments| c.call_text(*text, arguments))
            }),
            // Only columns are wanted, and nothing is done.
            Callee::Cursor(_) | Callee::Xml(_) if self.session.options.format_only => {
                Ok(Called::default())
            }
            Callee::Cursor(cursor) => self.in_database_of(name, |c| {
                c.wanted_outputs(arguments, |c, arguments| c.call_cursor(*cursor, arguments))
            }),
            Callee::Xml(xml) => {
                self.wanted_outputs(arguments, |c, arguments| c.call_xml(*xml, &arguments))
            }
            Callee::System(procedure) => {
                self.in_database_of(name, |c| c.call_system(procedure, arguments))
            }
            Callee::Module(database, module) => {
                if !module.is_temporary() {
                    self.check_execute(*database, module.id())?;
                }
                let began = self.begins();
                let program = self.module_program(*database, module)?;
                self.tell_compilation(began)?;
                if self.show_program(&program)? {
                    return Ok(Called::default());
                }
                self.call_program(&program, &name.name.name, arguments, |c, frame| {
                    c.run_body(&program, frame)
                })
            }
        }
    }

    /// Calls a procedure that returns whatever it can, and keeps of that what the caller asked for:
    /// clients rely on getting nothing else.
    fn wanted_outputs(
        &mut self,
        arguments: Vec<Argument>,
        call: impl FnOnce(&mut Context<'_>, Vec<Argument>) -> Run<Called>,
    ) -> Run<Called> {
        let wanted: Vec<bool> = arguments.iter().map(|argument| argument.output).collect();
        let mut called = call(self, arguments)?;
        called.outputs.retain(|own| wanted.get(own.at).is_some_and(|wanted| *wanted));
        Ok(called)
    }

    /// Error 15247 if a procedure is not for the caller.
    fn demand_for_procedure(&self, procedure: &SystemProcedure) -> Run<()> {
        let may = match procedure.needs {
            Needs::Nothing => true,
            Needs::Administrator => self.session.is_sysadmin(),
            Needs::Server(permission) => self.login_may(permission),
            Needs::Database(permission) => {
                self.may(self.session.database, WHOLE_DATABASE, permission)
            }
        };
        match may {
            true => Ok(()),
            false => {
                let error = SqlError::new(&message::ONLY_SYSADMIN, &[]);
                Err(error.in_procedure(procedure.name).into())
            }
        }
    }

    fn call_system(
        &mut self,
        procedure: &'static SystemProcedure,
        arguments: Vec<Argument>,
    ) -> Run<Called> {
        let program = self.system_program(procedure)?;
        let mut arguments = arguments;
        if procedure.name.starts_with("xp_") {
            // Extended procedures know no names of parameters, only their places.
            arguments.iter_mut().for_each(|argument| argument.name = None);
        }
        self.demand_for_procedure(procedure)?;
        self.call_program(&program, procedure.name, arguments, |c, frame| match procedure.builtin {
            None => c.run_body(&program, frame),
            Some(_) if c.session.options.format_only => Ok(None),
            Some(builtin) => {
                base::on_purpose::reached(base::on_purpose::Place::SystemProcedure);
                let mut parameters = builtin::Arguments::new(&program.variables, frame);
                let status = c.announced_call(builtin, &mut parameters, |c, parameters| {
                    let status = builtin::run(builtin, c, parameters);
                    status.map_err(|e| Fault::from(e.in_procedure(procedure.name)))
                })?;
                Ok(Some(Value::Int(i64::from(status))))
            }
        })
    }

    /// Runs a program's steps, or its unit if it is natively compiled.
    pub(crate) fn run_body(
        &mut self,
        program: &Arc<Program>,
        frame: &mut Frame,
    ) -> Run<Option<Value>> {
        let native = program.module.as_ref().is_some_and(|m| m.native);
        if self.session.options.format_only {
            return match native {
                true => self.announce_native(program).map(|()| None),
                false if self.is_walked(program) => Ok(None),
                false => self.run_program(program, frame),
            };
        }
        if native && !self.session.instance.collection.counts_modules() {
            return self.run_native(program, frame);
        }
        let began_ns = self.task.now_ns();
        let returned = match native {
            true => self.run_native(program, frame),
            false => self.run_program(program, frame),
        }?;
        program.runs.note(began_ns, self.task.now_ns(), 0);
        Ok(returned)
    }

    /// Calls a procedure, or a scalar function as if it were one.
    fn call_program(
        &mut self,
        program: &Arc<Program>,
        name: &str,
        arguments: Vec<Argument>,
        run: impl FnOnce(&mut Context<'_>, &mut Frame) -> Run<Option<Value>>,
    ) -> Run<Called> {
        let module = program.module.clone();
        let module = module.ok_or_else(|| ir::internal("a text has no name"))?;
        let mut frame = frame_without_tables(&program.variables);
        let places = self.bind_arguments(name, &module.parameters, program, &arguments, &mut frame);
        let places =
            places.map_err(|fault| Fault { error: fault.error.in_procedure(name), ..fault })?;
        add_tables(&program.variables, &mut frame);
        let before = self.session.transaction.count();
        let mut cursors = Vec::new();
        let (result, severity) = self.in_level(program, None, |c| {
            let result = run(c, &mut frame);
            cursors = c.returned_cursors(program, &arguments);
            result
        });
        frame.release(&mut self.runtime.grant);
        if result.is_err() {
            self.drop_cursors(std::mem::take(&mut cursors));
        }
        let result = result?;
        let status = status_of(result.as_ref(), severity);
        let mut called = Called { status, cursors, ..Called::default() };
        if program.kind == ProgramKind::Procedure && result == Some(Value::Null) {
            let message = SqlError::new(&message::RETURN_STATUS_NULL, &[&name]);
            self.inform(message).map_err(Fault::lost)?;
        }
        for (at, argument) in arguments.iter().enumerate() {
            if let Some((place, id)) = places[at].filter(|_| argument.output) {
                let parameter = &module.parameters[place];
                let value = frame.get(id).to_owned();
                let (name, ty) = (parameter.name.clone(), parameter.ty);
                let schemas = self.schemas_of(program.database, &ty);
                called.outputs.push(CalledOutput { at, name, value, ty, schemas });
            }
        }
        if let (Some(returns), Some(value)) = (module.returns(), &result) {
            called.value = Some((value.clone(), returns.ty));
        }
        let after = self.session.transaction.count();
        if before != after && program.kind == ProgramKind::Procedure && !module.header.ms_shipped {
            let args: [&dyn std::fmt::Display; 2] = [&before, &after];
            let error = SqlError::new(&message::PROCEDURE_TRANSACTION_COUNT, &args);
            let error = error.in_procedure(name).at_line(1);
            if self.is_protected() {
                return Err(Fault::new(error, Effect::Statement));
            }
            self.report(&error)?;
        }
        Ok(called)
    }

    /// Puts arguments into the places of parameters: for each argument its parameter and place.
    /// Errors 119, 201, 8143, 8144, 8145, 8146, 8162 and those of conversions.
    fn bind_arguments(
        &mut self,
        name: &str,
        parameters: &[ParameterDef],
        program: &Program,
        arguments: &[Argument],
        frame: &mut Frame,
    ) -> Run<Vec<Option<(usize, VarId)>>> {
        let mut given = vec![false; parameters.len()];
        let mut places = Vec::with_capacity(arguments.len());
        for (at, argument) in arguments.iter().enumerate() {
            let place = place_of(name, parameters, at, argument)?;
            let parameter = &parameters[place];
            if std::mem::replace(&mut given[place], true) {
                let message = &message::PARAMETER_SUPPLIED_TWICE;
                return Err(SqlError::new(message, &[&parameter.name]).into());
            }
            if argument.output && !parameter.output && !parameter.table_valued {
                let message = &message::OUTPUT_PARAMETER_NOT_DECLARED;
                return Err(SqlError::new(message, &[&parameter.name]).into());
            }
            let variable = &program.variables.parameters()[place].kind;
            places.push(match (variable, &argument.value) {
                (VariableKind::Scalar { id, ty, .. }, ArgumentIn::Scalar(value, from)) => {
                    let value = self.argument_value(program.database, value, from, ty)?;
                    frame.set_owned(*id, &value);
                    Some((place, *id))
                }
                (VariableKind::Table { id, .. }, ArgumentIn::Table(table)) => {
                    *frame.table_mut(*id) = TableSlot::Shared(table.clone());
                    None
                }
                (VariableKind::Scalar { id, .. }, ArgumentIn::Default) => {
                    given[place] = false;
                    Some((place, *id))
                }
                (_, ArgumentIn::Default) => None,
                (VariableKind::Cursor(_), ArgumentIn::Cursor(None)) => None,
                (VariableKind::Cursor(_), ArgumentIn::Cursor(Some(_))) => {
                    let message = &message::CURSOR_VARIABLE_ALREADY_SET;
                    return Err(SqlError::new(message, &[&parameter.name]).into());
                }
                (_, ArgumentIn::Cursor(_)) => {
                    let message = &message::CURSOR_VARIABLE_MISPLACED;
                    return Err(SqlError::new(message, &[&parameter.name]).into());
                }
                (VariableKind::Scalar { ty, .. }, ArgumentIn::Table(_)) => {
                    let args: [&dyn std::fmt::Display; 2] = [&"table", &ty.kind];
                    return Err(SqlError::new(&message::OPERAND_TYPE_CLASH, &args).into());
                }
                (VariableKind::Cursor(_), ArgumentIn::Table(_)) => {
                    let args: [&dyn std::fmt::Display; 2] = [&"table", &"cursor"];
                    return Err(SqlError::new(&message::OPERAND_TYPE_CLASH, &args).into());
                }
                (_, ArgumentIn::Scalar(_, from)) => {
                    let shown = program.variables.parameters()[place].name.clone();
                    let args: [&dyn std::fmt::Display; 2] = [&from.kind, &shown];
                    return Err(SqlError::new(&message::OPERAND_TYPE_CLASH, &args).into());
                }
            });
        }
        for (place, parameter) in parameters.iter().enumerate().filter(|(at, _)| !given[*at]) {
            match (&program.variables.parameters()[place].kind, &parameter.default) {
                (VariableKind::Scalar { id, .. }, Some(default)) => frame.set_owned(*id, default),
                (VariableKind::Scalar { .. }, None) => {
                    let args: [&dyn std::fmt::Display; 2] = [&name, &parameter.name];
                    return Err(SqlError::new(&message::PARAMETER_NOT_SUPPLIED, &args).into());
                }
                // A table that is not given is empty.
                _ => {}
            }
        }
        Ok(places)
    }

    /// An argument as the parameter's type.
    fn argument_value(
        &self,
        database: DbId,
        value: &Value,
        from: &SqlType,
        to: &SqlType,
    ) -> Run<Value> {
        self.converted_in(database, value, &anywhere(from), to, Overlong::Cut).map_err(|error| {
            // All errors about a string are reported as one, but those of a document.
            let is_read = to.kind != TypeKind::Xml && !to.kind.is_character();
            let unreadable = from.kind.is_character() && is_read;
            let args: [&dyn std::fmt::Display; 2] = [&from.kind, &to.kind];
            let error = match unreadable && error.severity() == 16 {
                true => SqlError::new(&message::CONVERTING_TYPES, &args),
                false => error,
            };
            Fault::new(error, Effect::Statement)
        })
    }
}

/// A type as it is in every database: the number of a schema collection means something in its own
/// one alone.
fn anywhere(ty: &SqlType) -> SqlType {
    if ty.kind == TypeKind::Xml { SqlType::xml() } else { *ty }
}

/// Error 557: functions may call only functions and some extended procedures.
fn only_functions() -> SqlError {
    SqlError::new(&message::FUNCTIONS_AND_SOME_PROCEDURES_ONLY, &[])
}

/// The parameter of an argument.
fn place_of(name: &str, parameters: &[ParameterDef], at: usize, argument: &Argument) -> Run<usize> {
    if let Some(wanted) = &argument.name {
        let same = |p: &ParameterDef| base::text::identifier::same_identifier(&p.name, wanted);
        return parameters.iter().position(same).ok_or_else(|| {
            let args: [&dyn std::fmt::Display; 2] = [wanted, &name];
            SqlError::new(&message::NOT_A_PARAMETER, &args).into()
        });
    }
    match parameters.len() {
        0 => Err(SqlError::new(&message::NO_PARAMETERS_EXPECTED, &[&name]).into()),
        count if at >= count => Err(SqlError::new(&message::TOO_MANY_ARGUMENTS, &[&name]).into()),
        _ => Ok(at),
    }
}

/// The status of a procedure: what it returned, or what the severest of its errors makes of it.
fn status_of(returned: Option<&Value>, severity: u8) -> i32 {
    match returned {
        Some(Value::Int(status)) => *status as i32,
        Some(_) => 0,
        None if severity > 10 => 10 - i32::from(severity),
        None => 0,
    }
}
