//! Natively compiled modules: the whole body bound at once, with SQL Server's rules for it.
//!
//! Everything must exist and be named with its schema when the module is made. What SQL Server refuses
//! in such bodies only because its compiler knows no code for it (`LIKE`, common table expressions,
//! `MERGE`, tables on disk …) is bound like anywhere else.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::text::identifier::fold_identifier;
use base::types::declare::Subject;
use base::{SqlError, SqlResult, SqlType, message};
use engine::catalog::def::{ModuleDef, ModuleKind, ParameterDef, SchemaId, TableDef, TypeDefKind};
use engine::catalog::{Object, Schema};
use tsql::ast::{self, ArgumentValue, AtomicOptionKind, ModuleOptionKind, StatementKind};

use super::context::*;
use super::statement::{assigned_value, condition, data_type, expression, statement};
use crate::plan::expr::{TableVarId, VarId};
use crate::plan::native::{CallArg, NativeKind, NativeModule, NativeStatement};
use crate::plan::tree::{Destination, Isolation, Plan};

/// What messages call natively compiled modules.
const NATIVE: &str = "natively compiled modules";

/// The longest message that `THROW` takes.
const THROW_MESSAGE_LENGTH: u16 = 2048;

/// A bound natively compiled module.
#[derive(Clone, Debug)]
pub struct BoundNative {
    /// The body.
    pub module: NativeModule,
    /// The table variables that are no parameters, in the order of their places in the frame; the
    /// table-valued parameters come before them.
    pub tables: Vec<Arc<TableDef>>,
    /// In a trigger, the variable with what `COLUMNS_UPDATED()` returns: the first.
    pub columns_updated: Option<VarId>,
    /// What must be known before it is run: of all its statements together.
    pub facts: Facts,
    /// What must stay as it is for it to be right.
    pub dependencies: Dependencies,
}

/// Binds a natively compiled procedure, function or trigger; `tree` is the tree of its text. Scalar
/// parameters are the first scalar variables, table-valued ones the first table variables. Errors
/// 4512, 10783, 10784, 10796, 11322, 12340 and whatever its statements raise; an object that does not
/// exist is an error like others.
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
    let (isolation, delayed_durability) = atomic_options(&block.options, span.line)?;

    let mut binder = NativeBinder {
        names: NativeNames::new(context.names, module)?,
        options: BindOptions {
            native: true,
            in_function: matches!(module.kind, ModuleKind::ScalarFunction { .. }),
            ..context.options
        },
        context,
        module,
        facts: Facts::default(),
        dependencies: Dependencies::default(),
    };
    let body = binder.statements(&block.statements)?;
    let NativeBinder { names, facts, dependencies, .. } = binder;
    check_names(&dependencies, module)?;
    Ok(BoundNative {
        module: NativeModule { variables: names.scalars, body, isolation, delayed_durability },
        tables: names.tables,
        columns_updated: names.trigger.map(|t| t.columns_updated),
        facts,
        dependencies,
    })
}

/// The options and the body of a module.
fn parts_of(tree: &ast::Module) -> (&[ast::ModuleOption], &[ast::Statement]) {
    match tree {
        ast::Module::Procedure(p) => (&p.options, &p.body),
        ast::Module::Function(f) => match &f.body {
            ast::FunctionBody::Scalar { body, .. } => (&f.options, body),
            _ => (&f.options, &[]),
        },
        ast::Module::Trigger(t) => (&t.options, &t.body),
        ast::Module::View(v) => (&v.options, &[]),
    }
}

/// Errors 10794, 10796.
fn check_options(options: &[ast::ModuleOption]) -> BindResult<()> {
    let line = options.first().map_or(0, |o| o.span.line);
    if !options.iter().any(|o| matches!(o.kind, ModuleOptionKind::SchemaBinding)) {
        let error = SqlError::new(&message::NATIVE_NEEDS_SCHEMABINDING, &[]);
        return Err(error.at_line(line).into());
    }
    for option in options {
        let name = match option.kind {
            ModuleOptionKind::Recompile => "RECOMPILE",
            ModuleOptionKind::Encryption => "ENCRYPTION",
            _ => continue,
        };
        return Err(not_supported("option", name, option.span.line));
    }
    Ok(())
}

/// The level and the durability that an atomic block asks for. Errors 10784, 10794.
fn atomic_options(options: &[ast::AtomicOption], line: u32) -> BindResult<(Isolation, bool)> {
    let (mut isolation, mut language, mut delayed) = (None, false, false);
    for option in options {
        match &option.kind {
            AtomicOptionKind::Isolation(level) => {
                isolation = Some(match level {
                    ast::IsolationLevel::Snapshot => Isolation::Snapshot,
                    ast::IsolationLevel::RepeatableRead => Isolation::RepeatableRead,
                    ast::IsolationLevel::Serializable => Isolation::Serializable,
                    ast::IsolationLevel::ReadCommitted => {
                        let what = "transaction isolation level";
                        return Err(not_supported(what, "READ COMMITTED", option.span.line));
                    }
                    ast::IsolationLevel::ReadUncommitted => {
                        let what = "transaction isolation level";
                        return Err(not_supported(what, "READ UNCOMMITTED", option.span.line));
                    }
                });
            }
            AtomicOptionKind::Language(_) => language = true,
            AtomicOptionKind::DelayedDurability(on) => delayed = *on,
            AtomicOptionKind::DateFirst(_) | AtomicOptionKind::DateFormat(_) => {}
        }
    }
    let missing = |name: &str| {
        BindError::from(SqlError::new(&message::ATOMIC_OPTION_MISSING, &[&name]).at_line(line))
    };
    let isolation = isolation.ok_or_else(|| missing("TRANSACTION ISOLATION LEVEL"))?;
    if !language {
        return Err(missing("LANGUAGE"));
    }
    Ok((isolation, delayed))
}

/// Error 4512: a name without a schema.
fn check_names(dependencies: &Dependencies, module: &ModuleDef) -> BindResult<()> {
    let Some(bare) = dependencies.names.iter().find(|n| n.schema.is_none()) else { return Ok(()) };
    let kind = match module.kind {
        ModuleKind::Procedure { .. } => "procedure",
        ModuleKind::Trigger(_) => "trigger",
        _ => "function",
    };
    let args: [&dyn std::fmt::Display; 3] = [&kind, &module.header.name, &bare.name];
    Err(SqlError::new(&message::SCHEMA_BOUND_NAME_INVALID, &args).into())
}

/// Error 10794.
fn not_supported(what: &str, name: &str, line: u32) -> BindError {
    SqlError::new(&message::NOT_SUPPORTED_WITH, &[&what, &name, &NATIVE]).at_line(line).into()
}

/// What names mean in a natively compiled module: its own variables, and what is outside.
struct NativeNames<'n> {
    outer: &'n dyn Names,
    variables: HashMap<Box<str>, Variable>,
    scalars: Vec<SqlType>,
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
            let id = self.scalar(parameter.ty);
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

/// Error 41323.
fn check_table_type(name: &str, table: &TableDef) -> BindResult<()> {
    match table.kind.is_memory_optimized() {
        true => Ok(()),
        false => Err(SqlError::new(&message::TABLE_TYPE_NOT_MEMORY_OPTIMIZED, &[&name]).into()),
    }
}

impl Names for NativeNames<'_> {
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

    fn cursor_row(&self, cursor: &ast::CursorRef) -> SqlResult<CursorRow> {
        self.outer.cursor_row(cursor)
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
    /// Binds something with the variables declared so far.
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
                NativeKind::TryCatch(body, self.statements(&both.handler)?)
            }
            StatementKind::If(choice) => {
                out.extend(self.choice(choice)?);
                return Ok(());
            }
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
            StatementKind::Execute(execute) => self.execute(execute, line)?,
            StatementKind::Select(_)
            | StatementKind::Insert(_)
            | StatementKind::Update(_)
            | StatementKind::Delete(_)
            | StatementKind::Merge(_) => self.data(statement)?,
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
        Ok(NativeKind::Data(Box::new(bound.plan)))
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
        if let Some(value) = value {
            let bound = self.bind(|c| expression(c, value, Some(declared.ty))).at(line)?;
            self.note(bound.facts, bound.dependencies);
            out.push(NativeStatement { line, kind: NativeKind::Assign(id, bound.expr) });
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
        Ok(NativeKind::Assign(id, bound.expr))
    }

    /// `IF … ELSE IF … ELSE`: from the last branch to the first.
    fn choice(&mut self, choice: &ast::If) -> BindResult<Vec<NativeStatement>> {
        let mut branches = Vec::with_capacity(choice.branches.len());
        for branch in &choice.branches {
            let line = branch.span.line;
            let bound = self.bind(|c| condition(c, &branch.condition)).at(line)?;
            self.note(bound.facts, bound.dependencies);
            branches.push((line, bound.pred, self.body(&branch.body)?));
        }
        let mut otherwise = match &choice.otherwise {
            Some(statement) => self.body(statement)?,
            None => Vec::new(),
        };
        for (line, pred, body) in branches.into_iter().rev() {
            let kind = NativeKind::If(pred, body, otherwise);
            otherwise = vec![NativeStatement { line, kind }];
        }
        Ok(otherwise)
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

/// Calls.
impl NativeBinder<'_> {
    /// `EXEC` of another natively compiled procedure. Errors 201, 2812, 8144, 8145, 12340.
    fn execute(&mut self, execute: &ast::Execute, line: u32) -> BindResult<NativeKind> {
        let not_native = || misplaced_with(&message::NATIVE_EXECUTE_NOT_NATIVE, NATIVE, line);
        let ast::ExecuteTarget::Procedure { name: ast::ProcedureName::Name(name, _), arguments } =
            &execute.target
        else {
            return Err(not_native());
        };
        let shown = name.to_string();
        let called = self.procedure(name, line)?;
        if !called.native {
            return Err(not_native());
        }
        let args = self.arguments(&called, arguments, &shown, line)?;
        let status = match &execute.status {
            None => None,
            Some(variable) => Some(self.scalar_variable(variable)?.0),
        };
        let database = self.names.database();
        self.facts.accesses.push(Access {
            database,
            object: called.id(),
            permission: engine::catalog::def::Permission::Execute,
        });
        Ok(NativeKind::Call { module: called.id(), args, status })
    }

    /// A procedure by name. Errors 2812, 12340.
    fn procedure(&mut self, name: &ast::ObjectName, line: u32) -> BindResult<Arc<ModuleDef>> {
        let database = self.names.database();
        let not_found = || misplaced_with(&message::PROCEDURE_NOT_FOUND, &name.to_string(), line);
        let schema = self.names.schema(database).ok_or_else(not_found)?;
        let place = name.schema.as_ref();
        let place = place.map(|s| schema.find_schema(&s.name).map(|s| s.id).ok_or_else(not_found));
        let place = place.transpose()?;
        let found = match place {
            Some(place) => schema.find_object(place, &name.name.name),
            None => schema.resolve_object(self.names.default_schema(database), &name.name.name),
        };
        self.dependencies.names.push(NameDependency {
            database,
            schema: place,
            name: name.name.name.clone(),
            object: found.map(|o| o.id()),
        });
        match found {
            Some(Object::Module(module)) => {
                let version = schema.object_version(module.id()).unwrap_or(0);
                let object = module.id();
                self.dependencies.objects.push(ObjectDependency { database, object, version });
                Ok(module.clone())
            }
            Some(_) => Err(misplaced_with(&message::NATIVE_EXECUTE_NOT_NATIVE, NATIVE, line)),
            None => Err(not_found()),
        }
    }

    /// One argument per parameter. Errors 201, 8143, 8144, 8145, 8162.
    fn arguments(
        &mut self,
        called: &ModuleDef,
        given: &[ast::ExecuteArgument],
        shown: &str,
        line: u32,
    ) -> BindResult<Vec<CallArg>> {
        let parameters = &called.parameters;
        let mut args: Vec<Option<CallArg>> = vec![None; parameters.len()];
        for (position, argument) in given.iter().enumerate() {
            let line = argument.span.line;
            let fail = |error: SqlError| Err(BindError::from(error.at_line(line)));
            let place = match &argument.name {
                None if position >= parameters.len() => {
                    return fail(SqlError::new(&message::TOO_MANY_ARGUMENTS, &[&shown]));
                }
                None => position,
                Some(name) => {
                    let wanted = fold_identifier(&name.name);
                    match parameters.iter().position(|p| fold_identifier(&p.name) == wanted) {
                        Some(place) => place,
                        None => {
                            let args: [&dyn std::fmt::Display; 2] = [&name.name, &shown];
                            return fail(SqlError::new(&message::NOT_A_PARAMETER, &args));
                        }
                    }
                }
            };
            let parameter = &parameters[place];
            if args[place].is_some() {
                let name = &parameter.name;
                return fail(SqlError::new(&message::PARAMETER_SUPPLIED_TWICE, &[name]));
            }
            args[place] = Some(self.argument(parameter, argument).at(line)?);
        }
        let mut complete = Vec::with_capacity(args.len());
        for (arg, parameter) in args.into_iter().zip(parameters) {
            match arg {
                Some(arg) => complete.push(arg),
                None if parameter.default.is_some() || parameter.table_valued => {
                    complete.push(CallArg::Default);
                }
                None => {
                    let args: [&dyn std::fmt::Display; 2] = [&shown, &parameter.name];
                    let error = SqlError::new(&message::PARAMETER_NOT_SUPPLIED, &args);
                    return Err(error.at_line(line).into());
                }
            }
        }
        Ok(complete)
    }

    fn argument(
        &mut self,
        parameter: &ParameterDef,
        argument: &ast::ExecuteArgument,
    ) -> BindResult<CallArg> {
        let value = match &argument.value {
            ArgumentValue::Default(_) => return Ok(CallArg::Default),
            ArgumentValue::Variable(variable) => {
                if let Some(Variable::Table { id, .. }) = self.names.variable(&variable.name) {
                    return Ok(CallArg::Table(id));
                }
                if argument.output {
                    if !parameter.output {
                        let name = &parameter.name;
                        let message = &message::OUTPUT_PARAMETER_NOT_DECLARED;
                        return Err(SqlError::new(message, &[name]).into());
                    }
                    return Ok(CallArg::Output(self.scalar_variable(variable)?.0));
                }
                let kind = ast::ExprKind::Variable(variable.name.clone());
                ast::Expr { span: variable.span, kind }
            }
            _ if argument.output => {
                return Err(SqlError::new(&message::OUTPUT_WITH_CONSTANT, &[]).into());
            }
            ArgumentValue::Constant { value, negative, span } => {
                let kind = ast::ExprKind::Literal(value.clone());
                let constant = ast::Expr { span: *span, kind };
                match negative {
                    false => constant,
                    true => ast::Expr {
                        span: *span,
                        kind: ast::ExprKind::Unary {
                            op: ast::UnaryOp::Minus,
                            operand: Box::new(constant),
                        },
                    },
                }
            }
            ArgumentValue::Word(word) => ast::Expr {
                span: word.span,
                kind: ast::ExprKind::Literal(ast::Literal::National(word.name.clone())),
            },
            ArgumentValue::Odbc(kind, text, span) => {
                ast::Expr { span: *span, kind: ast::ExprKind::Odbc(*kind, text.clone()) }
            }
        };
        let bound = self.bind(|c| expression(c, &value, Some(parameter.ty)))?;
        self.note(bound.facts, bound.dependencies);
        Ok(CallArg::Value(bound.expr))
    }

    /// A scalar variable that receives something. Error 137.
    fn scalar_variable(&self, variable: &ast::Variable) -> BindResult<(VarId, SqlType)> {
        match self.names.variable(&variable.name) {
            Some(Variable::Scalar { id, ty, .. }) => Ok((id, ty)),
            _ => {
                let error = SqlError::new(&message::UNDECLARED_VARIABLE, &[&variable.name]);
                Err(error.at_line(variable.span.line).into())
            }
        }
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
