//! Natively compiled modules: the whole body bound at once, with SQL Server's rules for it.
//!
//! Everything must exist and be named with its schema when the module is made. What SQL Server
//! refuses in such bodies only because its compiler knows no code for it (`LIKE`, common table
//! expressions, `MERGE`, tables on disk …) is bound like anywhere else.

mod calls;
mod options;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use base::datetime::DateSettings;
use base::ids::{DbId, ObjectId};
use base::text::identifier::fold_identifier;
use base::types::declare::Subject;
use base::{SqlError, SqlResult, SqlType, message};
use engine::catalog::Schema;
use engine::catalog::def::{
    ColumnId, ModuleDef, ModuleKind, ParameterDef, SchemaId, TableDef, TypeDefKind,
};
use ir::operator::{TableVarId, VarId};
use tsql::ast::{self, StatementKind};

use self::calls::filled_by_call;
use self::options::{AtomicOptions, atomic_options, check_options, parts_of};
use super::context::*;
use super::statement::{assigned_value, condition, data_type, expression, statement};
use crate::plan::expr::Expr;
use crate::plan::native::{NativeBranch, NativeKind, NativeModule, NativeStatement};
use crate::plan::tree::{Destination, Plan};

/// What messages call natively compiled modules.
pub(super) const NATIVE: &str = "natively compiled modules";

/// The longest message that `THROW` takes.
const THROW_MESSAGE_LENGTH: u16 = 2048;

/// A bound natively compiled module.
#[derive(Clone, Debug)]
pub struct BoundNative {
    /// The body.
    pub module: NativeModule,
    /// The table variables that are not parameters, in the order of their places in the frame; the
    /// table-valued parameters come before them.
    pub tables: Vec<Arc<TableDef>>,
    /// In which language, and by which settings, it reads and writes dates.
    pub dates: DateSettings,
    /// In a trigger, the variable with what `COLUMNS_UPDATED()` returns: the first.
    pub columns_updated: Option<VarId>,
    /// What must be known before it is run: of all its statements together.
    pub facts: Facts,
    /// What must stay as it is for it to be right.
    pub dependencies: Dependencies,
}

/// Binds a natively compiled procedure, function or trigger; `tree` is the tree of its text. Scalar
/// parameters are the first scalar variables, table-valued ones the first table variables. Errors
/// 4512, 10783, 10784, 10796, 11322, 12340 and whatever its statements raise; an object that does
/// not exist is an error like others.
pub fn native(
    context: &BindContext<'_>,
    module: &ModuleDef,
    tree: &ast::Module,
) -> BindResult<BoundNative> {
    let (options, body) = parts_of(tree);
    check_options(options)?;
    let [ast::Statement { kind: StatementKind::AtomicBlock(block), span }] = body else {
        let line = body.first().map_or(0, |s| s.span.line);
        return Err(SqlError::new(&message::NATIVE_BODY_NOT_ATOMIC, &[]).at_line(line).into());
    };
    let AtomicOptions { isolation, delayed_durability, dates } =
        atomic_options(&block.options, span.line)?;

    let mut binder = NativeBinder {
        names: NativeNames::new(context.names, module)?,
        options: BindOptions {
            native: true,
            schema_bound: true,
            in_function: matches!(module.kind, ModuleKind::ScalarFunction { .. }),
            ..context.options
        },
        context,
        module,
        facts: Facts::default(),
        dependencies: Dependencies::default(),
    };
    let mut body = Vec::with_capacity(block.statements.len() + 1);
    let parameters: Vec<VarId> = binder.names.not_null.iter().map(|v| v.0).collect();
    binder.refuse_nulls(&parameters, span.line, &mut body);
    body.extend(binder.statements(&block.statements)?);
    let NativeBinder { names, facts, dependencies, .. } = binder;
    check_names(&dependencies, module)?;
    Ok(BoundNative {
        module: NativeModule { variables: names.scalars, body, isolation, delayed_durability },
        dates,
        tables: names.tables,
        columns_updated: names.trigger.map(|t| t.columns_updated),
        facts,
        dependencies,
    })
}

/// Error 4512: a name without a schema.
fn check_names(dependencies: &Dependencies, module: &ModuleDef) -> BindResult<()> {
    let Some(bare) = dependencies.names.iter().find(|n| n.schema.is_none()) else { return Ok(()) };
    let kind = match module.kind {
        ModuleKind::Procedure { .. } => "procedure",
        ModuleKind::Trigger(_) | ModuleKind::EventTrigger(_) => "trigger",
        _ => "function",
    };
    let args: [&dyn std::fmt::Display; 3] = [&kind, &module.header.name, &bare.name];
    Err(SqlError::new(&message::SCHEMA_BOUND_NAME_INVALID, &args).into())
}

/// Error 10794: natively compiled modules do not support this.
pub(super) fn not_supported(what: &str, name: &str, line: u32) -> BindError {
    SqlError::new(&message::NOT_SUPPORTED_WITH, &[&what, &name, &NATIVE]).at_line(line).into()
}

/// What names mean in a natively compiled module: its own variables, and what is outside.
struct NativeNames<'n> {
    outer: &'n dyn Names,
    variables: HashMap<Box<str>, Variable>,
    scalars: Vec<SqlType>,
    /// The scalars that refuse NULL, with their names.
    not_null: Vec<(VarId, SqlType, Arc<str>)>,
    /// Table variables declared in the body.
    tables: Vec<Arc<TableDef>>,
    table_parameters: u32,
    trigger: Option<TriggerScope>,
}

impl<'n> NativeNames<'n> {
    /// With the module's parameters.
    fn new(outer: &'n dyn Names, module: &ModuleDef) -> BindResult<NativeNames<'n>> {
        let mut names = NativeNames {
            outer,
            variables: HashMap::new(),
            scalars: Vec::new(),
            not_null: Vec::new(),
            tables: Vec::new(),
            table_parameters: 0,
            trigger: None,
        };
        let schema = outer.schema(outer.database());
        for parameter in &module.parameters {
            names.parameter(schema.as_deref(), parameter)?;
        }
        if let Some(trigger) = module.trigger()
            && let Some(table) = schema.and_then(|s| s.table(trigger.parent).cloned())
        {
            let columns_updated = names.scalar(SqlType::varbinary(128));
            names.trigger = Some(TriggerScope { table, columns_updated });
        }
        Ok(names)
    }

    /// A parameter. Errors 2715, 41323.
    fn parameter(&mut self, schema: Option<&Schema>, parameter: &ParameterDef) -> BindResult<()> {
        let name = &parameter.name;
        if !parameter.table_valued {
            if parameter.ty.kind.is_opaque() {
                return Err(not_supported("type", parameter.ty.kind.name(), 0));
            }
            let id = self.scalar(parameter.ty);
            if !parameter.nullable {
                self.not_null.push((id, parameter.ty, name.clone()));
            }
            return self.add(name, Variable::Scalar { id, ty: parameter.ty, nullable: true });
        }
        let found = schema.and_then(|schema| {
            let def = schema.types().get(parameter.user_type)?;
            match def.kind {
                TypeDefKind::Table { table } => {
                    Some((def.name.clone(), schema.table(table)?.clone()))
                }
                TypeDefKind::Alias { .. } => None,
            }
        });
        let Some((type_name, table)) = found else {
            let error = SqlError::new(&message::CANNOT_FIND_DATA_TYPE, &[&1, name]);
            return Err(error.into());
        };
        check_table_type(&type_name, &table)?;
        let id = TableVarId(self.table_parameters);
        self.table_parameters += 1;
        self.add(name, Variable::Table { id, table, read_only: true })
    }

    /// A place for a scalar.
    fn scalar(&mut self, ty: SqlType) -> VarId {
        self.scalars.push(ty);
        VarId((self.scalars.len() - 1) as u32)
    }

    /// A place for a table.
    fn table(&mut self, table: Arc<TableDef>) -> TableVarId {
        self.tables.push(table);
        TableVarId(self.table_parameters + (self.tables.len() - 1) as u32)
    }

    /// Names a variable. Error 134.
    fn add(&mut self, name: &str, variable: Variable) -> BindResult<()> {
        let key = fold_identifier(name).into();
        match self.variables.insert(key, variable) {
            None => Ok(()),
            Some(_) => Err(SqlError::new(&message::VARIABLE_ALREADY_DECLARED, &[&name]).into()),
        }
    }
}

/// Refuses a table type that is not memory-optimized. Error 41323.
fn check_table_type(name: &str, table: &TableDef) -> BindResult<()> {
    match table.kind.is_memory_optimized() {
        true => Ok(()),
        false => Err(SqlError::new(&message::TABLE_TYPE_NOT_MEMORY_OPTIMIZED, &[&name]).into()),
    }
}

impl Names for NativeNames<'_> {
    fn functions(&self) -> &'static dyn ir::function::Functions {
        self.outer.functions()
    }

    fn database(&self) -> DbId {
        self.outer.database()
    }

    fn find_database(&self, name: &str) -> Option<DbId> {
        self.outer.find_database(name)
    }

    fn database_name(&self, database: DbId) -> Arc<str> {
        self.outer.database_name(database)
    }

    fn schema(&self, database: DbId) -> Option<Arc<Schema>> {
        self.outer.schema(database)
    }

    fn default_schema(&self, database: DbId) -> SchemaId {
        self.outer.default_schema(database)
    }

    fn temporary_table(&self, _name: &str) -> Option<Arc<TableDef>> {
        None
    }

    fn system_object(&self, schema: Option<&str>, name: &str) -> Option<SystemObject> {
        self.outer.system_object(schema, name)
    }

    fn variable(&self, name: &str) -> Option<Variable> {
        self.variables.get(&*fold_identifier(name)).cloned()
    }

    fn trigger(&self) -> Option<TriggerScope> {
        self.trigger.clone()
    }

    fn identity_insert(&self, database: DbId, table: ObjectId) -> bool {
        self.outer.identity_insert(database, table)
    }

    fn is_contained(&self, database: DbId) -> bool {
        self.outer.is_contained(database)
    }

    fn is_chained(&self, from: (DbId, ObjectId), to: (DbId, ObjectId)) -> bool {
        self.outer.is_chained(from, to)
    }

    fn may_unmask(&self, database: DbId, table: ObjectId, column: ColumnId) -> bool {
        self.outer.may_unmask(database, table, column)
    }

    fn cursor_rows(&self, cursor: &ast::CursorRef) -> SqlResult<Vec<CursorRow>> {
        self.outer.cursor_rows(cursor)
    }

    fn module_tree(&self, database: DbId, module: &ModuleDef) -> SqlResult<Arc<ast::Batch>> {
        self.outer.module_tree(database, module)
    }
}

/// A body while it is bound.
struct NativeBinder<'b> {
    context: &'b BindContext<'b>,
    module: &'b ModuleDef,
    names: NativeNames<'b>,
    options: BindOptions,
    facts: Facts,
    dependencies: Dependencies,
}

impl NativeBinder<'_> {
    /// Runs a function with a binder that knows the variables declared so far.
    fn bind<T>(&mut self, f: impl FnOnce(&BindContext<'_>) -> BindResult<T>) -> BindResult<T> {
        let context = BindContext {
            names: &self.names,
            options: self.options,
            statistics: self.context.statistics,
        };
        f(&context)
    }

    fn note(&mut self, facts: Facts, dependencies: Dependencies) {
        self.facts.include(facts);
        self.dependencies.include(dependencies);
    }

    fn statements(&mut self, list: &[ast::Statement]) -> BindResult<Vec<NativeStatement>> {
        let mut bound = Vec::with_capacity(list.len());
        for statement in list {
            self.statement(statement, &mut bound)?;
        }
        Ok(bound)
    }

    /// A statement that stands alone where a block could.
    fn body(&mut self, statement: &ast::Statement) -> BindResult<Vec<NativeStatement>> {
        let mut bound = Vec::new();
        self.statement(statement, &mut bound)?;
        Ok(bound)
    }

    fn statement(
        &mut self,
        statement: &ast::Statement,
        out: &mut Vec<NativeStatement>,
    ) -> BindResult<()> {
        let line = statement.span.line;
        if !base::stack::deeper() {
            return Err(misplaced(&message::STACK_LIMIT, line));
        }
        let kind = match &statement.kind {
            StatementKind::Block(list) => {
                out.extend(self.statements(list)?);
                return Ok(());
            }
            StatementKind::Declare(list) => {
                for declaration in list {
                    self.declaration(declaration, out)?;
                }
                return Ok(());
            }
            StatementKind::AtomicBlock(block) => {
                NativeKind::Atomic(self.statements(&block.statements)?)
            }
            StatementKind::TryCatch(both) => {
                let body = self.statements(&both.body)?;
                let outside = std::mem::replace(&mut self.options.in_catch, true);
                let handler = self.statements(&both.handler);
                self.options.in_catch = outside;
                NativeKind::TryCatch(body, handler?)
            }
            StatementKind::If(choice) => self.choice(choice)?,
            StatementKind::While(repeat) => {
                let bound = self.bind(|c| condition(c, &repeat.condition)).at(line)?;
                self.note(bound.facts, bound.dependencies);
                NativeKind::While(bound.pred, self.body(&repeat.body)?)
            }
            // The parser has seen that these stand where they may.
            StatementKind::Break => NativeKind::Break,
            StatementKind::Continue => NativeKind::Continue,
            StatementKind::Return(value) => self.returned(value.as_deref(), line)?,
            StatementKind::Throw(None) => NativeKind::Throw(None),
            StatementKind::Throw(Some(throw)) => self.throw(throw, line)?,
            StatementKind::SetVariable(set) => {
                self.assignment(&set.variable, set.op, &set.value, line)?
            }
            StatementKind::Execute(execute) => {
                let kind = self.execute(execute, line)?;
                let filled = filled_by_call(&kind);
                out.push(NativeStatement { line, kind });
                self.refuse_nulls(&filled, line, out);
                return Ok(());
            }
            StatementKind::Select(_)
            | StatementKind::Insert(_)
            | StatementKind::Update(_)
            | StatementKind::Delete(_)
            | StatementKind::Merge(_) => {
                let kind = self.data(statement)?;
                let filled = filled_by_data(&kind);
                out.push(NativeStatement { line, kind });
                self.refuse_nulls(&filled, line, out);
                return Ok(());
            }
            other => return Err(refused(other, line)),
        };
        out.push(NativeStatement { line, kind });
        Ok(())
    }

    /// A statement that reads or changes data. Errors 443, 444 in functions.
    fn data(&mut self, tree: &ast::Statement) -> BindResult<NativeKind> {
        let line = tree.span.line;
        let bound = self.bind(|c| statement(c, tree))?;
        if self.options.in_function {
            let to_client = matches!(&bound.plan, Plan::Select(select)
                if matches!(select.destination, Destination::Client));
            if to_client {
                return Err(misplaced(&message::SELECT_IN_FUNCTION, line));
            }
            let word = match &bound.plan {
                Plan::Select(_) => "SELECT",
                Plan::Insert(_) => "INSERT",
                Plan::Update(_) => "UPDATE",
                Plan::Delete(_) => "DELETE",
                Plan::Merge(_) => "MERGE",
            };
            if !bound.facts.written.is_empty() {
                let error = SqlError::new(&message::SIDE_EFFECT_IN_FUNCTION, &[&word]);
                return Err(error.at_line(line).into());
            }
        }
        self.note(bound.facts, bound.dependencies);
        Ok(NativeKind::Data(Box::new(bound.plan), tree.span))
    }

    /// `DECLARE` of one variable. Errors 134, 2739, 10794, 10795, 41323 and those of its type.
    fn declaration(
        &mut self,
        declaration: &ast::VariableDeclaration,
        out: &mut Vec<NativeStatement>,
    ) -> BindResult<()> {
        let line = declaration.span.line;
        let name = &declaration.name.name;
        let (ty, nullable, value) = match &declaration.kind {
            ast::VariableKind::Scalar { ty, nullable, value } => (ty, nullable, value),
            ast::VariableKind::Table(_) => {
                return Err(not_supported("feature", "inline table variable", line));
            }
            ast::VariableKind::Cursor => return Err(not_supported("feature", "cursors", line)),
        };
        if let Some((type_name, table)) = self.table_type(&ty.name) {
            check_table_type(&type_name, &table).at(line)?;
            let id = self.names.table(table.clone());
            return self.names.add(name, Variable::Table { id, table, read_only: false }).at(line);
        }
        let ordinal = self.names.variables.len() as u32 + 1;
        let declared = self.bind(|c| data_type(c, ty, Subject::Type, ordinal)).at(line)?;
        if declared.ty.kind.is_legacy_lob() {
            return Err(misplaced(&message::LEGACY_LOB_LOCAL_VARIABLE, line));
        }
        if *nullable == Some(false) && value.is_none() {
            let error = SqlError::new(&message::NOT_NULL_VARIABLE_NEEDS_VALUE, &[name]);
            return Err(error.at_line(line).into());
        }
        let id = self.names.scalar(declared.ty);
        let variable = Variable::Scalar { id, ty: declared.ty, nullable: true };
        self.names.add(name, variable).at(line)?;
        if *nullable == Some(false) {
            self.names.not_null.push((id, declared.ty, name.clone()));
        }
        if let Some(value) = value {
            let bound = self.bind(|c| expression(c, value, Some(declared.ty))).at(line)?;
            self.note(bound.facts, bound.dependencies);
            out.push(NativeStatement { line, kind: self.assigned(id, bound.expr) });
        }
        Ok(())
    }

    /// The table behind a table type's name.
    fn table_type(&self, name: &ast::ObjectName) -> Option<(Arc<str>, Arc<TableDef>)> {
        let database = self.names.database();
        let schema = self.names.schema(database)?;
        let found = match &name.schema {
            Some(place) => schema.find_type(schema.find_schema(&place.name)?.id, &name.name.name),
            None => schema.resolve_type(self.names.default_schema(database), &name.name.name),
        }?;
        match found.kind {
            TypeDefKind::Table { table } => {
                Some((found.name.clone(), schema.table(table)?.clone()))
            }
            TypeDefKind::Alias { .. } => None,
        }
    }

    fn assignment(
        &mut self,
        variable: &ast::Variable,
        op: ast::AssignOp,
        value: &ast::Expr,
        line: u32,
    ) -> BindResult<NativeKind> {
        let (id, bound) = self.bind(|c| assigned_value(c, variable, op, value)).at(line)?;
        self.note(bound.facts, bound.dependencies);
        Ok(self.assigned(id, bound.expr))
    }

    /// What gives a variable a value.
    fn assigned(&self, id: VarId, value: Expr) -> NativeKind {
        match self.names.not_null.iter().find(|v| v.0 == id) {
            Some((_, _, name)) => NativeKind::AssignNotNull(id, value, self.null_refused(name)),
            None => NativeKind::Assign(id, value),
        }
    }

    /// Error 515: a variable that was declared NOT NULL.
    fn null_refused(&self, name: &str) -> SqlError {
        let args: [&dyn std::fmt::Display; 3] = [&name, &self.module.header.name, &"SET"];
        SqlError::new(&message::NULL_NOT_ALLOWED, &args)
    }

    /// Tests those of some variables that refuse NULL.
    fn refuse_nulls(&self, of: &[VarId], line: u32, out: &mut Vec<NativeStatement>) {
        let refusing = self.names.not_null.iter().filter(|v| of.contains(&v.0));
        let refusing: Vec<_> =
            refusing.map(|(id, ty, name)| (*id, *ty, self.null_refused(name))).collect();
        if !refusing.is_empty() {
            out.push(NativeStatement { line, kind: NativeKind::RefuseNull(refusing) });
        }
    }

    /// `IF … ELSE IF … ELSE`.
    fn choice(&mut self, choice: &ast::If) -> BindResult<NativeKind> {
        let mut branches = Vec::with_capacity(choice.branches.len());
        for branch in &choice.branches {
            let line = branch.span.line;
            let bound = self.bind(|c| condition(c, &branch.condition)).at(line)?;
            self.note(bound.facts, bound.dependencies);
            let body = self.body(&branch.body)?;
            branches.push(NativeBranch { line, condition: bound.pred, body });
        }
        let otherwise = match &choice.otherwise {
            Some(statement) => self.body(statement)?,
            None => Vec::new(),
        };
        Ok(NativeKind::If(branches, otherwise))
    }

    /// `RETURN`. Error 178 for a value in a trigger.
    fn returned(&mut self, value: Option<&ast::Expr>, line: u32) -> BindResult<NativeKind> {
        let Some(value) = value else { return Ok(NativeKind::Return(None)) };
        let ty = match &self.module.kind {
            ModuleKind::Procedure { .. } => SqlType::int(),
            ModuleKind::ScalarFunction { returns } => returns.ty,
            _ => return Err(misplaced(&message::RETURN_VALUE_NOT_ALLOWED, line)),
        };
        let bound = self.bind(|c| expression(c, value, Some(ty))).at(line)?;
        self.note(bound.facts, bound.dependencies);
        Ok(NativeKind::Return(Some(bound.expr)))
    }

    fn throw(&mut self, throw: &ast::Throw, line: u32) -> BindResult<NativeKind> {
        let database = self.names.database();
        let collation =
            self.names.schema(database).map_or_else(Default::default, |s| s.collation());
        let text = SqlType::nvarchar(THROW_MESSAGE_LENGTH, collation);
        let mut part = |value: &ast::Expr, ty: SqlType| -> BindResult<_> {
            let bound = self.bind(|c| expression(c, value, Some(ty))).at(line)?;
            self.note(bound.facts, bound.dependencies);
            Ok(bound.expr)
        };
        let number = part(&throw.number, SqlType::int())?;
        let message = part(&throw.message, text)?;
        let state = part(&throw.state, SqlType::int())?;
        Ok(NativeKind::Throw(Some(Box::new((number, message, state)))))
    }
}

/// The variables that a data statement gives values.
fn filled_by_data(kind: &NativeKind) -> Vec<VarId> {
    let NativeKind::Data(plan, _) = kind else { return Vec::new() };
    match &**plan {
        Plan::Select(select) => match &select.destination {
            Destination::Variables(list) => list.iter().map(|v| v.0).collect(),
            Destination::Client => Vec::new(),
        },
        Plan::Update(update) => update.assign.iter().map(|v| v.0).collect(),
        _ => Vec::new(),
    }
}

/// An error without arguments.
fn misplaced(message: &'static message::Message, line: u32) -> BindError {
    SqlError::new(message, &[]).at_line(line).into()
}

fn misplaced_with(message: &'static message::Message, arg: &str, line: u32) -> BindError {
    SqlError::new(message, &[&arg]).at_line(line).into()
}

/// The error for a statement that natively compiled modules cannot contain. Errors 10769, 10794,
/// 11322.
fn refused(statement: &StatementKind, line: u32) -> BindError {
    let name = match statement {
        StatementKind::BeginTransaction(_)
        | StatementKind::Commit(_)
        | StatementKind::Rollback(_)
        | StatementKind::SaveTransaction(_) => {
            return misplaced(&message::TRANSACTION_CONTROL_IN_ATOMIC, line);
        }
        StatementKind::SetOption(_) => return misplaced(&message::SET_IN_ATOMIC_BLOCK, line),
        StatementKind::Print(_) => "PRINT",
        StatementKind::RaiseError(_) => "RAISERROR",
        StatementKind::WaitFor(_) => "WAITFOR",
        StatementKind::Goto(_) | StatementKind::Label(_) => "GOTO",
        StatementKind::TruncateTable(_) => "TRUNCATE TABLE",
        StatementKind::DeclareCursor(_)
        | StatementKind::SetCursor(_)
        | StatementKind::OpenCursor(_)
        | StatementKind::Fetch(_)
        | StatementKind::CloseCursor(_)
        | StatementKind::DeallocateCursor(_) => return not_supported("feature", "cursors", line),
        _ => {
            let error = SqlError::new(&message::NATIVE_STATEMENT_NOT_SUPPORTED, &[&NATIVE]);
            return error.at_line(line).into();
        }
    };
    not_supported("statement", name, line)
}
