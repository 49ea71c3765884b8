//! What a client can ask of its session.

mod bulk_load;
mod logon;
mod panic;
mod table_arguments;

use base::convert::convert;
use base::ids::DbId;
use base::types::conversion::{Convertibility, convertibility};
use base::{Arena, ConvertOptions, SqlError, SqlResult, SqlType, TypeKind, message};
use engine::txn::locks::Lifetime;
use engine::wait::{Interrupted, Task};
use ir::function::clr::spatial::FORMS;
use ir::function::facts::StatementPace;
use ir::function::prepared::PreparedDocuments;
use tsql::ast::IsolationLevel;

use crate::context::Context;
use crate::fault::contain::contained;
use crate::fault::{Effect, Fault, Run};
use crate::instance::activity::Activity;
use crate::instance::sessions::RequestStatus;
use crate::names::callee::{Callee, parse_name, parse_numbered};
use crate::prepare::read_text;
use crate::program::{ProgramKind, new_frame};
use crate::request::{RpcArg, RpcCall, RpcProcedure, RpcValue, TransactionRequest, procedure_id};
use crate::response::{
    After, AnswerWriter, DoneScope, EnvironmentChange, OutputParameter, ResultsOnly, Silent,
    StatementDone, command,
};
use crate::session::arguments::{Argument, ArgumentIn, CalledOutput};
use crate::session::level::Level;
use crate::session::{Left, Session};

impl Session {
    /// Runs a batch of text.
    pub fn batch(&mut self, task: &Task, text: &str, writer: &mut dyn AnswerWriter) -> After {
        self.request(task, text, ProgramKind::Batch, writer, |context| context.run_batch(text))
    }

    /// Calls a procedure on the client's behalf.
    pub fn call(&mut self, task: &Task, call: RpcCall, writer: &mut dyn AnswerWriter) -> After {
        let RpcCall { procedure, args, .. } = call;
        let text = match &procedure {
            RpcProcedure::Name(name) => name,
            RpcProcedure::Id(id) => procedure_name(*id).unwrap_or_default(),
        };
        self.request(task, text, ProgramKind::Dynamic, writer, |context| {
            context.run_call(&procedure, args)
        })
    }

    /// Begins, ends or marks a transaction on the client's behalf.
    pub fn transaction_request(
        &mut self,
        task: &Task,
        request: &TransactionRequest,
        writer: &mut dyn AnswerWriter,
    ) -> After {
        self.request(task, "", ProgramKind::Batch, writer, |context| {
            context.run_transaction_request(request)
        })
    }

    /// Runs something of the server's own as a request: bulk loads, descriptions.
    pub fn with_context<T>(
        &mut self,
        task: &Task,
        text: &str,
        writer: &mut dyn AnswerWriter,
        run: impl FnOnce(&mut Context<'_>) -> SqlResult<T>,
    ) -> (After, Option<T>) {
        let mut result = None;
        let after = self.request(task, text, ProgramKind::Batch, writer, |context| {
            result = Some(run(context)?);
            Ok(())
        });
        (after, result)
    }

    /// Makes the session what it was after its login, before the next request. The open transaction
    /// is rolled back unless it is to be kept.
    pub fn reset(
        &mut self,
        task: &Task,
        keep_transaction: bool,
        writer: &mut dyn AnswerWriter,
    ) -> After {
        let state = &mut self.state;
        if state.identity.role().is_some() {
            // The next user of a pooled connection must not get the role.
            let error = SqlError::new(&message::RESET_IMPERSONATED, &[]);
            let _ = writer.error(task, &error);
            return After::Disconnect;
        }
        state.levels.clear();
        state.cursors.clear(&mut self.runtime.grant);
        state.bulk = None;
        if !keep_transaction && state.transaction.is_open() {
            state.transaction.rollback(task);
            state.transaction_ended();
        }
        let isolation = state.options.isolation;
        state.replace_options(state.initial.options.clone());
        if keep_transaction {
            state.options.isolation = isolation;
        }
        state.identity.reset();
        state.prepared.clear();
        state.prepared_documents = PreparedDocuments::default();
        state.identity_insert = None;
        state.context_info = None;
        state.session_context.clear();
        state.left = Left::default();
        let login = state.initial.login.clone();
        state.instance.locks.release_all(&state.entry.owner, Lifetime::Session);
        state.entry.owner.set_deadlock_priority(0);
        state.entry.owner.set_lock_timeout(-1);
        {
            let mut status = state.entry.status();
            status.login = login;
            status.options = state.options.clone();
            status.context_info = None;
        }
        let database = state.initial.database;
        let runtime = &mut self.runtime;
        let mut context = Context { task, session: state, runtime, writer };
        context.session.levels.push(batch_level(ProgramKind::Batch, database));
        let dropped = context.end_temporary();
        context.session.levels.clear();
        // The database may have gone in the meantime.
        let moved = context.session.change_database(database);
        let textsize = context.session.options.settings.textsize;
        context.writer.set_text_size(usize::try_from(textsize).unwrap_or(usize::MAX));
        let told = context.environment(&EnvironmentChange::Reset);
        if dropped.and(moved).and(told).is_err() {
            return After::Disconnect;
        }
        match self.has_logon_triggers() {
            true => self.log_on_again(task, writer),
            false => After::GoOn,
        }
    }

    /// A session that its client uses anew is one that logs in: its triggers may end it.
    fn log_on_again(&mut self, task: &Task, writer: &mut dyn AnswerWriter) -> After {
        let Err(refused) = self.logon(task, true) else { return After::GoOn };
        // A client that has gone needs no message.
        let _ = writer.error(task, &refused.at_line(1));
        let _ = writer.error(task, &SqlError::new(&message::SESSION_KILLED, &[]));
        After::Disconnect
    }

    /// Ends the session: what is open is rolled back, what is its own is dropped.
    pub fn close(mut self, task: &Task) {
        let state = &mut self.state;
        if state.transaction.is_open() {
            state.transaction.rollback(task);
        }
        state.statements.clear();
        let mut silent = Silent;
        let mut writer = ResultsOnly(&mut silent);
        let database = state.database;
        let mut context =
            Context { task, session: state, runtime: &mut self.runtime, writer: &mut writer };
        context.session.levels = vec![batch_level(ProgramKind::Batch, database)];
        // No client is left to be told; tempdb is made anew at the next start. The rest is done
        // even after a panic: other sessions must not find a session that is gone.
        let _ = contained(|| context.end_temporary());
        let state = &mut self.state;
        state.instance.locks.release_all(&state.entry.owner, Lifetime::Session);
        state.instance.usage.leave(state.database, state.id());
        state.instance.sessions.remove(state.id());
    }

    /// Brackets a request.
    pub(crate) fn request(
        &mut self,
        task: &Task,
        text: &str,
        kind: ProgramKind,
        writer: &mut dyn AnswerWriter,
        run: impl FnOnce(&mut Context<'_>) -> Run<()>,
    ) -> After {
        let state = &mut self.state;
        state.refresh_databases();
        state.inherit_options();
        state.note_time();
        self.runtime.grant.set_limit(state.instance.session_memory());
        let started = (state.instance.env().clock().utc_ticks(), task.now_ns());
        {
            let mut status = state.entry.status();
            let text = match *status.last_text == *text {
                true => status.last_text.clone(),
                false => text.into(),
            };
            status.last_request.0 = started.0;
            status.requests += 1;
            status.last_text = text.clone();
            let ran_before_ns = state.entry.running.ns(started.1);
            status.request = Some(RequestStatus { started, ran_before_ns, text });
        }
        state.entry.activity.set(Activity::SELECT);
        let database = state.database;
        state.levels.clear();
        state.reads.clear();
        state.levels.push(batch_level(kind, database));
        state.left.handlers = 0;
        if kind == ProgramKind::Batch {
            state.level_mut().identity = state.left.batch_identity;
        }
        state.answered = false;
        let mut context = Context { task, session: state, runtime: &mut self.runtime, writer };
        let result = match contained(|| run(&mut context)) {
            Ok(result) => result,
            Err(panicked) => Err(context.after_panic(&panicked)),
        };
        if context.session.temporary.has_left_behind() {
            context.drop_left_behind();
        }
        context.session.transaction.show_writes();
        let result = context.conclude_request(result);
        context.end_cursors();
        let state = &mut self.state;
        if kind == ProgramKind::Batch {
            state.left.batch_identity = state.levels.first().and_then(|level| level.identity);
        }
        state.levels.clear();
        state.statements.clear();
        state.native.clear();
        state.documents.clear();
        let now = state.instance.env().clock().utc_ticks();
        let mut status = state.entry.status();
        status.request = None;
        status.last_request.1 = now;
        status.elapsed_ns += task.now_ns().saturating_sub(started.1);
        status.row_count = state.left.row_count;
        status.last_error = state.left.error;
        status.options = state.options.clone();
        result
    }
}

impl Context<'_> {
    fn run_batch(&mut self, text: &str) -> Run<()> {
        let options = &self.session.options;
        if options.parse_only {
            let quoted_identifier = options.settings.quoted_identifier;
            let parse = tsql::ParseOptions { quoted_identifier };
            let (account, pace) = (self.runtime.grant.account(), StatementPace(self.task));
            let (parsed, _tree) = read_text(text, parse, account, &pace)?;
            // Only `SET PARSEONLY OFF` means something now.
            let statements = parsed.statements.into_iter();
            for statement in statements {
                if let tsql::ast::StatementKind::SetOption(option) = statement.kind
                    && let tsql::ast::SetOption::Switch { options, on } = *option
                {
                    let only = tsql::ast::SwitchOption::ParseOnly;
                    options.iter().filter(|o| **o == only).for_each(|o| {
                        self.session.options.switch(*o, on);
                    });
                }
            }
            return Ok(());
        }
        let began = self.begins();
        let program = self.text_program(text, "", ProgramKind::Batch)?;
        if self.show_program(&program)? {
            return Ok(());
        }
        self.compile_ahead(&program)?;
        self.check_table_types(&program)?;
        self.tell_compilation(began)?;
        let mut frame = new_frame(&program.variables);
        let result = self.run_program(&program, &mut frame);
        frame.release(&mut self.runtime.grant);
        result.map(drop)
    }

    /// An RPC.
    fn run_call(&mut self, procedure: &RpcProcedure, args: Vec<RpcArg>) -> Run<()> {
        let (name, number) = match procedure {
            RpcProcedure::Name(name) => parse_numbered(name)?,
            RpcProcedure::Id(id) => {
                let unknown = || SqlError::new(&message::RPC_PROCEDURE_ID_UNKNOWN, &[]);
                (parse_name(procedure_name(*id).ok_or_else(unknown)?)?, None)
            }
        };
        let callee = self.find_numbered(&name, number)?;
        let outputs = args.iter().enumerate().filter(|(_, arg)| arg.output);
        let sent: Vec<(usize, SqlType)> = outputs.map(|(at, arg)| (at, arg.ty)).collect();
        let mut arguments = Vec::with_capacity(args.len());
        for (at, arg) in args.into_iter().enumerate() {
            arguments.push(self.rpc_argument(&callee, at, arg)?);
        }
        let called = match self.call(&callee, &name, arguments) {
            Ok(called) => called,
            Err(fault) if fault.effect >= Effect::Batch => return Err(fault),
            Err(fault) => {
                let status = 10 - i32::from(fault.error.severity());
                if !fault.reported {
                    self.session.left.error = fault.error.number();
                    self.report(&fault.error.clone().at_line(1))?;
                }
                return self.done_call(status, true).map_err(Fault::lost);
            }
        };
        self.writer.return_status(self.task, called.status).map_err(Fault::lost)?;
        let mut failed = false;
        for output in &called.outputs {
            let sent = sent.iter().find(|(place, _)| *place == output.at);
            failed |= self.return_output(output, sent.map_or(&output.ty, |(_, ty)| ty))?;
        }
        self.module_done(failed).map_err(Fault::lost)
    }

    /// Sends an output parameter as of the type that the client has sent, which is what it has room
    /// for: a string is cut, a decimal has the client's scale. True if the value does not convert,
    /// which is an error, and nothing is sent.
    fn return_output(&mut self, output: &CalledOutput, sent: &SqlType) -> Run<bool> {
        let CalledOutput { at, name, value, ty: own, schemas } = output;
        let value = value.as_ref();
        let arena = Arena::new();
        let (ty, value) = match is_returned_as(own, sent) {
            false => (own, value),
            true => {
                let dates = self.session.options.dates;
                let spatial = Some(FORMS);
                let options = ConvertOptions { dates, spatial, ..ConvertOptions::default() };
                match convert(value, own, sent, &options, &arena) {
                    Ok(value) => (sent, value),
                    Err(error) => {
                        self.session.left.error = error.number();
                        self.report(&error.at_line(1))?;
                        return Ok(true);
                    }
                }
            }
        };
        let schemas = schemas.as_deref();
        let parameter = OutputParameter { ordinal: *at as u16, name, ty, schemas, value };
        self.writer.output(self.task, &parameter).map_err(Fault::lost)?;
        Ok(false)
    }

    fn done_call(&mut self, status: i32, failed: bool) -> SqlResult<()> {
        self.writer.return_status(self.task, status)?;
        self.module_done(failed)
    }

    fn module_done(&mut self, failed: bool) -> SqlResult<()> {
        let in_transaction = self.session.transaction.count() > 0;
        let done = StatementDone {
            scope: DoneScope::Module,
            command: command::EXECUTE,
            rows: None,
            failed,
            in_transaction,
        };
        self.send_done(&done)
    }

    /// An argument as the client has sent it.
    fn rpc_argument(&mut self, callee: &Callee, at: usize, arg: RpcArg) -> Run<Argument> {
        let RpcArg { name, ty, value, output } = arg;
        let value = match value {
            RpcValue::Default => ArgumentIn::Default,
            RpcValue::Scalar(value) => ArgumentIn::Scalar(value, ty),
            RpcValue::Table(table) => {
                ArgumentIn::Table(self.table_argument(callee, at, &name, table)?)
            }
        };
        let name = (!name.is_empty()).then(|| name.into());
        Ok(Argument { name, value, output })
    }
}

impl Context<'_> {
    fn run_transaction_request(&mut self, request: &TransactionRequest) -> Run<()> {
        match request {
            TransactionRequest::Begin { isolation, name } => {
                self.begin_request(*isolation, name)?
            }
            TransactionRequest::Commit { then_begin } => {
                self.commit_one(false)?;
                if let Some((isolation, name)) = then_begin {
                    self.begin_request(*isolation, name)?;
                }
            }
            TransactionRequest::Rollback { name, then_begin } => {
                self.roll_back_named(name)?;
                if let Some((isolation, name)) = then_begin {
                    self.begin_request(*isolation, name)?;
                }
            }
            TransactionRequest::Save { name } => self.save_named(name)?,
        }
        self.done(command::NONE, None).map_err(Fault::lost)
    }

    fn begin_request(&mut self, isolation: Option<IsolationLevel>, name: &str) -> Run<()> {
        if let Some(isolation) = isolation {
            self.session.options.isolation = isolation;
        }
        self.begin_named(name)
    }

    /// Reports what a request failed with, ends what must not stay open, and sees to it that the
    /// answer has an end.
    fn conclude_request(&mut self, result: Run<()>) -> After {
        let mut failed = false;
        let mut after = After::GoOn;
        if let Err(fault) = result {
            failed = true;
            if fault.effect == Effect::Session {
                after = After::Disconnect;
            }
            if !fault.reported && fault.effect != Effect::Cancelled {
                self.session.left.error = fault.error.number();
                let error = fault.error.clone().at_line(1);
                if self.report(&error).is_err() {
                    after = After::Disconnect;
                }
                if fault.effect >= Effect::Transaction && self.session.transaction.is_open() {
                    let _ = self.roll_back_all();
                }
            }
        }
        let level = ProgramKind::Batch;
        if self.session.transaction.is_doomed() && self.session.transaction.count() > 0 {
            let error = SqlError::new(&message::UNCOMMITTABLE_AT_BATCH_END, &[]).at_line(1);
            failed = true;
            if self.report(&error).is_err() || self.roll_back_all().is_err() {
                after = After::Disconnect;
            }
        }
        if self.session.transaction.is_open() && !self.session.transaction.is_user() {
            self.session.transaction.rollback(self.task);
            self.session.transaction_ended();
        }
        if self.session.entry.interrupt.raised() == Some(Interrupted::Kill) {
            after = After::Disconnect;
        }
        self.session.levels.truncate(1);
        self.session.level_mut().kind = level;
        if !self.session.answered {
            let in_transaction = self.session.transaction.count() > 0;
            let (scope, command) = (DoneScope::Batch, command::NONE);
            let done = StatementDone { scope, command, rows: None, failed, in_transaction };
            if self.send_done(&done).is_err() {
                after = After::Disconnect;
            }
        }
        after
    }
}

/// Whether an output parameter of a type goes back as of another one, which the client has sent.
fn is_returned_as(own: &SqlType, sent: &SqlType) -> bool {
    // What is sent as json comes as a string that is json; likewise xml, and CLR types as binaries.
    let is_json = own.kind == TypeKind::Json && *sent == SqlType::varchar_max(own.collation);
    let is_xml = own.kind == TypeKind::Xml && sent.kind == TypeKind::NVarChar && sent.is_max();
    let is_clr = own.kind.is_clr() && *sent == SqlType::varbinary_max();
    own != sent
        && !is_clr
        && !is_xml
        && !is_json
        && sent.length > 0
        && convertibility(own.kind, sent.kind) != Convertibility::Never
        && !(sent.kind.is_legacy_lob() && !own.kind.is_character() && !own.kind.is_binary())
}

/// The name of a procedure that the wire knows by number.
fn procedure_name(id: u16) -> Option<&'static str> {
    Some(match id {
        procedure_id::CURSOR => "sp_cursor",
        procedure_id::CURSOR_OPEN => "sp_cursoropen",
        procedure_id::CURSOR_PREPARE => "sp_cursorprepare",
        procedure_id::CURSOR_EXECUTE => "sp_cursorexecute",
        procedure_id::CURSOR_PREP_EXEC => "sp_cursorprepexec",
        procedure_id::CURSOR_UNPREPARE => "sp_cursorunprepare",
        procedure_id::CURSOR_FETCH => "sp_cursorfetch",
        procedure_id::CURSOR_OPTION => "sp_cursoroption",
        procedure_id::CURSOR_CLOSE => "sp_cursorclose",
        procedure_id::EXECUTE_SQL => "sp_executesql",
        procedure_id::PREPARE => "sp_prepare",
        procedure_id::EXECUTE => "sp_execute",
        procedure_id::PREP_EXEC => "sp_prepexec",
        procedure_id::PREP_EXEC_RPC => "sp_prepexecrpc",
        procedure_id::UNPREPARE => "sp_unprepare",
        _ => return None,
    })
}

/// The level of a request itself.
fn batch_level(kind: ProgramKind, database: DbId) -> Level {
    Level {
        kind,
        module: None,
        database,
        schema: None,
        identity: None,
        caught: Vec::new(),
        trigger: None,
        nesting: 0,
        insert_exec: false,
        cursors: Default::default(),
        severity: 0,
    }
}
