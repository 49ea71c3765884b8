//! Statements that read or change data.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, ValueRef, message};
use compile::bind::context::{
    Access, Dependencies, Document, Facts, TextPointer, TextPointerValue,
};
use engine::catalog::def::{
    Permission, PrincipalId, Securable, SecurableClass, TableKind, TypeDef, TypeDefKind,
};
use engine::hot::visibility::Isolation;
use engine::txn::{ReadAt, TxnError};
use ir::Unit;
use ir::function::text;
use ir::site::StatementKind;
use run::interp::{self, Execution, Frame, Outcome};
use tsql::ast::IsolationLevel;

use crate::context::{Context, engine_error};
use crate::fault::{Fault, Run};
use crate::names::{HiddenTable, StatementNames};
use crate::program::plan::StepPlan;
use crate::program::variables::VariableKind;
use crate::program::{Program, Step, located_all};
use crate::response::{EnvironmentChange, command};
use crate::security::{DatabaseUser, owner_of};
use crate::session::locking::DiskLevel;
use crate::session::transaction::{self, OpenAs, OpenStatement, Origin, Touched};

/// How often a statement is compiled again because its tables change.
const COMPILATIONS_MAX: u32 = 100;

/// Whether a statement was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Opened {
    /// In a transaction that goes on after it.
    Within,
    /// In a transaction of its own.
    Alone,
    /// Not opened: the plan is stale.
    Stale,
}

impl Context<'_> {
    /// The plan of a step; an empty one for steps that need none.
    pub(crate) fn plan_of(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
    ) -> Run<Option<Arc<StepPlan>>> {
        self.plan_with(program, step, &[])
    }

    /// As [`Context::plan_of`], with hidden tables; no other statement can use the plan.
    pub(crate) fn plan_with(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        hidden: &[HiddenTable],
    ) -> Run<Option<Arc<StepPlan>>> {
        if hidden.is_empty()
            && let Some(plan) = self.kept_plan(program, step)
        {
            return Ok(Some(plan));
        }
        let plan = match self.session.compile_step(self.task, program, step, hidden) {
            Ok(plan) => plan,
            Err(error) => {
                let effect = match depends_on_session(&error.error) {
                    true => crate::fault::Effect::Statement,
                    false => crate::fault::Effect::Scope,
                };
                return Err(self.not_bound(located_all(error, program, step), effect));
            }
        };
        let Some(plan) = plan else { return Ok(None) };
        let plan = Arc::new(plan);
        if hidden.is_empty() {
            self.keep_plan(step, &plan);
        }
        Ok(Some(plan))
    }

    /// Keeps a plan that was just made, if other sessions may use it.
    pub(crate) fn keep_plan(&self, step: &Step, plan: &Arc<StepPlan>) {
        if !self.is_shareable(&plan.dependencies) {
            return;
        }
        step.keep(plan.clone(), self.task.now_ns());
        // The plan is kept by now: a session that removes a database's plans from here on finds it.
        if !plan.dependencies.schemas.iter().all(|s| self.session.database_holds(s.0)) {
            step.forget(plan);
        }
    }

    /// Whether other sessions may use what depends on this: not if it depends on what only this
    /// session's transaction has changed.
    pub(crate) fn is_shareable(&self, dependencies: &Dependencies) -> bool {
        let transaction = &self.session.transaction;
        !transaction.has_edits()
            || dependencies.schemas.iter().all(|s| transaction.working_schema(s.0).is_none())
    }

    /// The plan that a step has, if it is not stale.
    pub(crate) fn kept_plan(&self, program: &Program, step: &Step) -> Option<Arc<StepPlan>> {
        let plan = step.plan()?;
        let options = self.session.compile_options(program.module.as_deref());
        let names = StatementNames {
            session: self.session,
            variables: &program.variables,
            declared: step.declared,
            hidden: &[],
        };
        plan.is_good(options, &names).then_some(plan)
    }

    /// A data statement.
    pub(super) fn data(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        frame: &mut Frame,
    ) -> Run<()> {
        self.settle()?;
        self.session.note_time();
        let (began, began_ns) = (self.begins(), self.task.now_ns());
        let ran = match crate::cursor::current_of(step) {
            None if self.shows_runs() => return self.data_shown(program, step, frame),
            Some(cursor) => self.run_at_cursor(program, step, cursor, frame),
            None => self.run_step(program, step, frame, &[]),
        };
        let (outcome, kind) = ran?;
        step.runs.note(began_ns, self.task.now_ns(), outcome.rows);
        self.conclude(&outcome, kind)?;
        self.tell_reads()?;
        self.tell_execution(began)
    }

    /// Lets rows of the open transaction sink that may do so already, if no statement is open.
    pub(crate) fn settle(&mut self) -> Run<()> {
        if !self.session.statements.is_empty() || !self.session.native.is_empty() {
            return Ok(());
        }
        let settled = self.session.transaction.settle(self.task);
        let instance = &self.session.instance;
        Ok(settled.map_err(|failed| instance.engine_error(failed.database, &failed.error))?)
    }

    /// Runs a step's unit as a statement of its own.
    pub(crate) fn run_step(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        frame: &mut Frame,
        hidden: &[HiddenTable],
    ) -> Run<(Outcome, StatementKind)> {
        for _ in 0..COMPILATIONS_MAX {
            let plan = self.plan_with(program, step, hidden)?;
            let plan = plan.ok_or_else(|| ir::internal("a data step has no plan"))?;
            let kind = plan.unit.kind.unwrap_or(StatementKind::Expression);
            if let Some(document) = plan.facts.returns_document
                && self.session.level().insert_exec
            {
                let message = match document {
                    Document::Json => &message::FOR_JSON_NOT_ALLOWED,
                    Document::Xml => &message::FOR_XML_NOT_ALLOWED,
                };
                return Err(SqlError::new(message, &[&"INSERT"]).into());
            }
            if self.session.options.format_only {
                self.announce_only(&plan)?;
                return Ok((Outcome::default(), kind));
            }
            if let Some((database, table)) = plan.facts.unchecked {
                self.check_permissions(&plan.facts)?;
                crate::ddl::distrust(self, database, table)?;
            }
            let ran = self.run_plan(&plan, frame, |context, unit, frame| {
                context.run_unit_and_triggers(unit, frame)
            })?;
            if let Some(mut outcome) = ran {
                self.session.instance.compiler.consider(&plan);
                if let Some(pointer) = &plan.facts.text_pointer {
                    if outcome.rows == 0 {
                        return Err(not_pointed_to(pointer, frame).into());
                    }
                    outcome.rows = 0;
                }
                return Ok((outcome, kind));
            }
        }
        Err(SqlError::new(&message::DEFINITION_CHANGED, &[&""]).into())
    }

    /// Notes what a statement has done (`@@ROWCOUNT` and the like), and tells the client.
    pub(crate) fn conclude(&mut self, outcome: &Outcome, kind: StatementKind) -> Run<()> {
        self.session.left.row_count = outcome.rows as i64;
        self.tell_arithmetic().map_err(Fault::lost)?;
        if outcome.null_eliminated && self.session.options.settings.ansi_warnings {
            self.inform(SqlError::new(&message::NULL_ELIMINATED, &[])).map_err(Fault::lost)?;
        }
        let command = match kind {
            StatementKind::Assign => return self.done_assigning(outcome.rows),
            StatementKind::Select => command::SELECT,
            StatementKind::Expression => command::NONE,
            StatementKind::Insert => command::INSERT,
            StatementKind::Update => command::UPDATE,
            StatementKind::Delete => command::DELETE,
            StatementKind::Merge => command::MERGE,
        };
        self.done(command, Some(outcome.rows)).map_err(Fault::lost)
    }

    /// `FMTONLY`: only the columns, if the user may run the statement.
    fn announce_only(&mut self, plan: &StepPlan) -> Run<()> {
        self.check_permissions(&plan.facts)?;
        for result in &plan.unit.results {
            self.writer.start(self.task, result)?;
        }
        Ok(())
    }

    /// Runs a function with a statement open in all databases that a plan touches. `None` if the
    /// plan is stale; nothing has happened then.
    pub(crate) fn run_plan<T>(
        &mut self,
        plan: &StepPlan,
        frame: &mut Frame,
        run: impl FnOnce(&mut Context<'_>, &Unit, &mut Frame) -> Run<T>,
    ) -> Run<Option<T>> {
        self.check_permissions(&plan.facts)?;
        let leased = match &plan.facts.memory {
            Some(need) => self.take_memory(need)?,
            None => false,
        };
        let ran = self.run_granted(plan, frame, run);
        if leased {
            self.runtime.grant.end_lease();
        }
        ran.map_err(|fault| Fault { error: plan.facts.shown(fault.error), ..fault })
    }

    /// Runs a plan's statement with the memory that it was granted.
    fn run_granted<T>(
        &mut self,
        plan: &StepPlan,
        frame: &mut Frame,
        run: impl FnOnce(&mut Context<'_>, &Unit, &mut Frame) -> Run<T>,
    ) -> Run<Option<T>> {
        let opened = self.open_statement(&plan.unit, &plan.facts, &plan.dependencies)?;
        if opened == Opened::Stale {
            return Ok(None);
        }
        let transaction = self.session.transaction.id();
        self.session.instance.compiler.prepare(&plan.unit);
        let result = run(self, &plan.unit, frame).and_then(|value| {
            let level = self.session.statements.len();
            if self.session.loads_from != Some(level) {
                self.session.finish_loads(self.task, level, plan.unit.kind)?;
            }
            Ok(value)
        });
        let Some(open) = self.session.statements.pop() else {
            return Err(ir::internal("another caller has closed the statement").into());
        };
        if self.session.transaction.id() != transaction {
            // A trigger has ended the transaction, and the statement with it.
            return match result {
                Err(fault) => Err(fault),
                Ok(_) => Err(SqlError::new(&message::TRANSACTION_ENDED_IN_TRIGGER, &[]).into()),
            };
        }
        match result {
            Ok(value) => {
                open.end(&mut self.session.transaction);
                match opened {
                    Opened::Alone => self.commit_statement()?,
                    Opened::Within | Opened::Stale => self.leave_tables(),
                }
                Ok(Some(value))
            }
            Err(fault) => {
                open.rollback(self.task, &mut self.session.transaction);
                match opened {
                    Opened::Alone => {
                        self.session.transaction.rollback(self.task);
                        self.session.transaction_ended();
                    }
                    Opened::Within | Opened::Stale => self.leave_tables(),
                }
                Err(fault)
            }
        }
    }

    /// Commits the transaction of a single statement.
    fn commit_statement(&mut self) -> Run<()> {
        let durability = self.session.durability(false);
        let committed = self.session.commit(self.task, durability);
        self.session.transaction_ended();
        Ok(committed?)
    }

    /// Runs a unit in the statement that is open, without triggers.
    pub(crate) fn run_unit(&mut self, unit: &Unit, frame: &mut Frame) -> Run<Outcome> {
        let limit = self.session.options.row_limit;
        let mut execution = Execution {
            task: self.task,
            host: self.session,
            runtime: self.runtime,
            frame,
            writer: self.writer.results(),
            row_limit: (limit > 0).then_some(limit),
        };
        Ok(interp::run(unit, &mut execution)?)
    }

    pub(crate) fn run_unit_and_triggers(&mut self, unit: &Unit, frame: &mut Frame) -> Run<Outcome> {
        let mut outcome = self.run_unit(unit, frame)?;
        // Triggers may leave another `@@IDENTITY`, but not another `SCOPE_IDENTITY()`.
        if outcome.identity.is_some() {
            self.session.left.identity = outcome.identity;
            self.session.level_mut().identity = outcome.identity;
        }
        if !unit.transitions.is_empty() {
            self.session.left.row_count = outcome.rows as i64;
            let transitions = std::mem::take(&mut outcome.transitions);
            // Triggers see the rows.
            self.session.finish_loads(self.task, self.session.statements.len(), unit.kind)?;
            self.fire(unit, unit.transitions.iter(), transitions)?;
        }
        Ok(outcome)
    }

    /// Errors 229 and 230: whether the user may do what the statement does to objects. Checked each
    /// time, since sessions share plans. Ownership chains may permit what a module's statements do.
    pub(super) fn check_permissions(&self, facts: &Facts) -> Run<()> {
        let Some(running) = self.running_module() else { return Ok(()) };
        self.check_accesses(facts, running)
    }

    /// As `check_permissions`, for a statement of this module, or of none.
    pub(crate) fn check_accesses(
        &self,
        facts: &Facts,
        running: Option<(DbId, ObjectId)>,
    ) -> Run<()> {
        for access in &facts.accesses {
            let user = self.session.user(access.database)?;
            if !user.is_owner {
                self.check_access(&user, access, access.through.or(running))?;
            }
        }
        Ok(())
    }

    /// Error 229 for variables of a table type that the user may not use.
    pub(crate) fn check_table_types(&self, program: &Program) -> Run<()> {
        let (Some((database, _)), Some(running)) = (program.types_at, self.running_module()) else {
            return Ok(());
        };
        let schema = self.schema(database)?;
        for variable in program.variables.iter() {
            let VariableKind::Table { table, .. } = &variable.kind else { continue };
            let is_it = |ty: &&Arc<TypeDef>| matches!(ty.kind, TypeDefKind::Table { table: own } if own == table.id());
            let Some(ty) = schema.types().iter().find(is_it) else { continue };
            let target = Securable { class: SecurableClass::Type, major: ty.id.0, minor: 0 };
            let is_chained = |(of, module): (DbId, ObjectId)| {
                let class = SecurableClass::Object;
                let module = Securable { class, major: module.0, minor: 0 };
                of == database && owner_of(&schema, module) == owner_of(&schema, target)
            };
            if running.is_some_and(is_chained) || self.may(database, target, Permission::Execute) {
                continue;
            }
            let name = self.session.instance.database_name(database);
            let place = schema.schemas().get(ty.schema).map_or("", |place| &place.name);
            let args: [&dyn std::fmt::Display; 4] =
                [&Permission::Execute.description(), &ty.name, &name, &place];
            return Err(SqlError::new(&message::OBJECT_PERMISSION_DENIED, &args).into());
        }
        Ok(())
    }

    /// The user's module whose text runs, if it is one; `None` in a module of the server's.
    fn running_module(&self) -> Option<Option<(DbId, ObjectId)>> {
        let level = self.session.level();
        match &level.module {
            Some(module) if module.header.ms_shipped => None,
            // A temporary procedure may do what its caller may.
            Some(module) if module.is_temporary() => Some(None),
            module => Some(module.as_ref().map(|module| (level.database, module.id()))),
        }
    }

    /// The user that a natively compiled module runs as; `None` is the session's own.
    pub(super) fn acting_in(&mut self, program: &Program) -> Run<Option<Arc<DatabaseUser>>> {
        let Some(module) = program.module.as_deref() else { return Ok(None) };
        let database = program.database;
        Ok(match self.principal_of(database, module)? {
            Some(PrincipalId::DBO) => Some(Arc::new(DatabaseUser::dbo())),
            Some(principal) => match self.session.context_of(database, principal)? {
                Some((_, confined)) => confined.user,
                None => return Err(self.cannot_act_as(database, principal)?.into()),
            },
            None => None,
        })
    }

    /// As `check_accesses`, for a natively compiled module, which acts as its `EXECUTE AS` says.
    pub(super) fn check_native(&mut self, facts: &Facts, program: &Program) -> Run<()> {
        let Some(module) = program.module.as_deref() else { return Ok(()) };
        let database = program.database;
        let user = match self.acting_in(program)? {
            Some(user) => user,
            None => self.session.user(database)?,
        };
        if user.is_owner {
            return Ok(());
        }
        for access in &facts.accesses {
            let through = access.through.unwrap_or((database, module.id()));
            self.check_access(&user, access, Some(through))?;
        }
        Ok(())
    }

    /// Checks one access of a statement to an object. Errors 229 and 230.
    pub(super) fn check_access(
        &self,
        user: &DatabaseUser,
        access: &Access,
        through: Option<(DbId, ObjectId)>,
    ) -> Run<()> {
        let object = (access.database, access.object);
        if through.is_some_and(|through| self.session.is_chained(through, object)) {
            return Ok(());
        }
        let schema = self.session.schema(access.database)?;
        let may = user.may_use(&schema, access.object, access.permission, &access.columns);
        may.map_err(|denied| {
            let name = self.session.instance.database_name(access.database);
            denied.error(&schema, &name, access.object, access.permission).into()
        })
    }

    /// Opens a statement, in a transaction of its own if none is open.
    fn open_statement(
        &mut self,
        unit: &Unit,
        facts: &Facts,
        dependencies: &Dependencies,
    ) -> Run<Opened> {
        if !facts.written.is_empty() {
            transaction::check_may_write(&self.session.transaction)?;
        }
        let database = self.session.name_database();
        if unit.tables.is_empty() {
            // For clients, system views count as tables that are read.
            if facts.reads_system_rowsets {
                self.begin_implicitly()?;
            }
            self.session.statements.push(OpenStatement::new(database));
            return Ok(Opened::Within);
        }
        self.check_writable(facts)?;
        let own = self.begin_for_statement(facts)?;
        match self.enter_tables(unit, facts, dependencies) {
            Ok(true) => {}
            Ok(false) => {
                if own {
                    self.session.transaction.rollback(self.task);
                }
                return Ok(Opened::Stale);
            }
            Err(fault) => {
                if own {
                    self.session.transaction.rollback(self.task);
                }
                return Err(fault);
            }
        }
        let mut open = OpenStatement::new(database);
        for used in &unit.tables {
            if open.opened_as(used.database).is_none() {
                let how = self.opened_as(unit, facts, used.database, own)?;
                self.session.open_in(&mut open, used.database, how)?;
            }
        }
        self.session.statements.push(open);
        self.session.transaction.note_tables(self.touches(facts));
        Ok(if own { Opened::Alone } else { Opened::Within })
    }

    /// Begins a transaction if none is open. Whether it is the statement's alone.
    fn begin_for_statement(&mut self, facts: &Facts) -> Run<bool> {
        self.check_isolation(facts)?;
        if self.session.transaction.is_open() {
            return Ok(false);
        }
        let implicit = self.session.options.settings.implicit_transactions
            && !self.session.level().is_function();
        if !implicit {
            self.session.begin_transaction(Origin::Statement, "");
            return Ok(true);
        }
        self.session.begin_transaction(Origin::User, "implicit_transaction");
        self.check_isolation(facts).inspect_err(|_| {
            self.session.transaction.rollback(self.task);
        })?;
        let id = self.session.transaction.id();
        self.environment(&EnvironmentChange::TransactionBegun(id)).map_err(Fault::lost)?;
        Ok(false)
    }

    /// Errors 3951, 3952, 41332, 41333, 41368: levels at which memory-optimized tables cannot be
    /// used.
    fn check_isolation(&self, facts: &Facts) -> Run<()> {
        if facts.disk && self.session.options.isolation == IsolationLevel::Snapshot {
            self.check_snapshot_allowed(facts)?;
        }
        self.check_strictness(self.touches(facts))?;
        if !facts.memory_optimized {
            return Ok(());
        }
        let transaction = &self.session.transaction;
        let in_transaction = transaction.is_user() || transaction.count() > 0;
        let message = match self.session.options.isolation {
            IsolationLevel::Snapshot => &message::SESSION_SNAPSHOT_NOT_ALLOWED,
            IsolationLevel::RepeatableRead | IsolationLevel::Serializable => {
                use ir::read::Isolation as Hint;
                let snapshot = facts.memory_optimized_level == Some(Hint::Snapshot);
                if snapshot && !facts.memory_optimized_unhinted {
                    return Ok(());
                }
                &message::MUST_ACCESS_UNDER_SNAPSHOT
            }
            _ if in_transaction && facts.memory_optimized_unhinted => {
                let access = self.session.access(self.session.name_database())?;
                let elevates =
                    |d: &engine::catalog::def::DatabaseDef| d.options.elevate_to_snapshot;
                if access.with_def(&self.session.instance, elevates) {
                    return Ok(());
                }
                &message::READ_COMMITTED_AUTOCOMMIT_ONLY
            }
            _ => return Ok(()),
        };
        Err(SqlError::new(message, &[]).into())
    }

    /// Checks that the database allows the level SNAPSHOT. Errors 3951, 3952.
    fn check_snapshot_allowed(&self, facts: &Facts) -> Run<()> {
        for &database in facts.databases.iter().filter(|id| id.0 > DbId::MSDB.0) {
            let access = self.session.access(database)?;
            if !access.with_def(&self.session.instance, |def| def.options.snapshot_isolation) {
                let name = access.name(&self.session.instance);
                return Err(SqlError::new(&message::SNAPSHOT_NOT_ALLOWED, &[&name]).into());
            }
            let began = self.session.transaction.began_at();
            if began.is_some_and(|level| level != IsolationLevel::Snapshot) {
                let name = access.name(&self.session.instance);
                return Err(SqlError::new(&message::ISOLATION_LEVEL_IN_SNAPSHOT, &[&name]).into());
            }
        }
        Ok(())
    }

    /// Checks that the databases that the statement writes to are not read-only. Error 3906.
    fn check_writable(&self, facts: &Facts) -> Run<()> {
        for &database in &facts.written {
            let access = self.session.access(database)?;
            if access.with_def(&self.session.instance, |def| def.options.read_only) {
                let name = access.name(&self.session.instance);
                return Err(SqlError::new(&message::DATABASE_READ_ONLY, &[&name]).into());
            }
        }
        Ok(())
    }

    /// Enters the gates of a unit's tables, behind which no session changes their definitions.
    /// `false` if the plan is stale.
    pub(crate) fn enter_tables(
        &mut self,
        unit: &Unit,
        facts: &Facts,
        dependencies: &Dependencies,
    ) -> Run<bool> {
        let task = self.task;
        self.check_databases(facts)?;
        for used in &unit.tables {
            let table = match used.handle.get() {
                Some(table) => table.clone(),
                None => match self.session.access(used.database)?.catalog.table(&used.table) {
                    Some(table) => table,
                    None => return Ok(false),
                },
            };
            let part = self.session.enter(task, used.database)?;
            match part.enter_table(task, &table) {
                Ok(()) => {}
                Err(TxnError::TableChanged { .. }) => return Ok(false),
                Err(error) => return Err(engine_error(&error).into()),
            }
        }
        let same = |&(database, version, _): &(DbId, u64, _)| {
            self.session.schema_version(database).is_ok_and(|now| now == version)
        };
        let holds = dependencies.schemas.iter().all(same) || self.dependencies_hold(dependencies);
        if holds {
            self.check_definitions(unit)?;
        }
        Ok(holds)
    }

    /// Error 41317: a transaction that touches memory-optimized tables stays in one database, in
    /// whichever order.
    fn check_databases(&self, facts: &Facts) -> Run<()> {
        let transaction = &self.session.transaction;
        let touched = facts.memory_optimized || transaction.touched().memory_optimized;
        if touched && transaction.user_databases_with(&facts.databases) > 1 {
            return Err(SqlError::new(&message::CROSS_DATABASE_NOT_ALLOWED, &[]).into());
        }
        Ok(())
    }

    /// Error 41333: memory-optimized tables and disk tables do not both have locks or checks for
    /// more than a snapshot in one transaction.
    pub(super) fn check_strictness(&self, touched: Touched) -> Run<()> {
        let touched = self.session.transaction.touched().union(touched);
        if touched.memory_optimized_strictly && touched.disk_strictly {
            return Err(SqlError::new(&message::MUST_ACCESS_UNDER_SNAPSHOT, &[]).into());
        }
        Ok(())
    }

    /// What a statement touches.
    fn touches(&self, facts: &Facts) -> Touched {
        use ir::read::Isolation as Hint;
        let is_strict =
            |level: Option<Hint>| matches!(level, Some(Hint::RepeatableRead | Hint::Serializable));
        let by_session = matches!(
            self.session.options.isolation,
            IsolationLevel::RepeatableRead | IsolationLevel::Serializable
        );
        Touched {
            memory_optimized: facts.memory_optimized,
            memory_optimized_strictly: is_strict(facts.memory_optimized_level),
            disk_strictly: facts.disk && (by_session || is_strict(facts.disk_level)),
        }
    }

    /// Error 3961: the transaction reads a table at a snapshot that is older than the table's
    /// definition, or than its storage.
    fn check_definitions(&mut self, unit: &Unit) -> Run<()> {
        let is_snapshot = self.session.options.isolation == IsolationLevel::Snapshot;
        for used in &unit.tables {
            let part = self.session.transaction.part(used.database);
            let Some(fixed) = part.and_then(|part| part.fixed()) else { continue };
            let access = self.session.access(used.database)?;
            let reads_at_it = is_snapshot || used.table.kind.is_memory_optimized();
            // Objects that the transaction itself has changed are not in the current schema.
            let is_newer = access.with_schema(|others| {
                others.visible_from() > fixed
                    && others.object_visible_from(used.table.id()).is_some_and(|from| from > fixed)
            });
            if reads_at_it && is_newer {
                let name = access.name(&self.session.instance);
                return Err(SqlError::new(&message::SNAPSHOT_METADATA_CHANGED, &[&name]).into());
            }
        }
        Ok(())
    }

    fn dependencies_hold(&self, dependencies: &Dependencies) -> bool {
        let none = crate::program::variables::Variables::default();
        let names =
            StatementNames { session: self.session, variables: &none, declared: 0, hidden: &[] };
        dependencies.still_hold(&names)
    }

    /// At which level, and at which end of the log, a statement reads in a database.
    fn opened_as(&self, unit: &Unit, facts: &Facts, database: DbId, own: bool) -> Run<OpenAs> {
        let tables = || unit.tables.iter().filter(|used| used.database == database);
        let memory_only = tables().all(|used| used.table.kind.is_memory_optimized());
        let isolation = match self.session.options.isolation {
            IsolationLevel::Snapshot => Isolation::Snapshot,
            // Whatever the level, beside a locking one memory-optimized tables are read at
            // SNAPSHOT.
            _ if memory_only => Isolation::Snapshot,
            _ => Isolation::ReadCommitted,
        };
        let disk = match memory_only {
            true => DiskLevel::UNLOCKED,
            false => self.disk_level(database)?,
        };
        let unlogged = database == DbId::TEMPDB
            || tables().all(|used| used.table.kind == TableKind::MemorySchemaOnly);
        let at = if unlogged {
            ReadAt::Published
        } else if own && facts.is_read_only() && !facts.unlogged {
            let access = self.session.access(database)?;
            let log = access.catalog.database().manager().log();
            // A definition may be newer than what is durable.
            match access.with_schema(|schema| schema.visible_from()) <= log.durable() {
                true => ReadAt::Durable,
                false => ReadAt::Committed,
            }
        } else {
            ReadAt::Committed
        };
        Ok(OpenAs { isolation, at, disk })
    }

    /// What a statement locks in a database's disk tables that have no hints.
    fn disk_level(&self, database: DbId) -> Run<DiskLevel> {
        use ir::read::Isolation as Level;
        if database == DbId::TEMPDB {
            // Its tables are the session's own, but for those that are global.
            return Ok(DiskLevel::UNLOCKED);
        }
        let session = match self.session.options.isolation {
            IsolationLevel::ReadUncommitted => Level::ReadUncommitted,
            IsolationLevel::ReadCommitted | IsolationLevel::StatementSnapshot => {
                Level::ReadCommitted
            }
            IsolationLevel::RepeatableRead => Level::RepeatableRead,
            IsolationLevel::Snapshot => Level::Snapshot,
            IsolationLevel::Serializable => Level::Serializable,
        };
        let access = self.session.access(database)?;
        let versions = self.session.options.isolation == IsolationLevel::StatementSnapshot
            || access.with_def(&self.session.instance, |def| def.options.read_committed_snapshot);
        Ok(DiskLevel { session, versions })
    }

    /// Whether the session may execute a module. Error 229.
    pub(crate) fn check_execute(&self, database: DbId, object: ObjectId) -> Run<()> {
        let Some(running) = self.running_module() else { return Ok(()) };
        if running.is_some_and(|module| self.session.is_chained(module, (database, object))) {
            return Ok(());
        }
        Ok(self.demand_on_object(database, object, Permission::Execute)?)
    }
}

/// Whether an error of compiling depends on what the session has set, so that it is not one of the
/// text: `IDENTITY_INSERT`, and the options that indexes need.
pub(super) fn depends_on_session(error: &SqlError) -> bool {
    matches!(error.number(), 544 | 545 | 1934 | 8101)
}

/// Errors 7123 and 7133: a text pointer that no value has.
fn not_pointed_to(pointer: &TextPointer, frame: &Frame) -> SqlError {
    let TextPointer { function, value } = pointer;
    let shown = match value {
        TextPointerValue::Bytes(bytes) => text::shown(bytes),
        TextPointerValue::Variable(id) => match frame.get(*id) {
            ValueRef::Bytes(bytes) => text::shown(bytes),
            _ => {
                let error = SqlError::new(&message::TEXT_POINTER_NULL, &[function]);
                return error.with_state(2);
            }
        },
    };
    SqlError::new(&message::TEXT_POINTER_INVALID, &[&shown])
}
