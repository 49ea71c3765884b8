//! Users' functions, which statements call; and programs of modules.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, SqlType, Value, ValueRef, message};
use engine::catalog::def::{
    ModuleDef, ModuleKind, ObjectHeader, ParameterDef, SchemaId, UserTypeId,
};
use run::interp::local::LocalTable;
use run::interp::{Frame, TableSlot};
use tsql::ast;

use crate::context::Context;
use crate::fault::Run;
use crate::options::CompileOptions;
use crate::plan_cache::ModuleKey;
use crate::program::variables::VariableKind;
use crate::program::{Program, new_frame};
use crate::sysproc::SystemProcedure;

/// An argument of a function: `None` takes the parameter's default.
type FunctionArgument<'a> = Option<(ValueRef<'a>, SqlType)>;

impl Context<'_> {
    /// Calls a scalar function.
    pub(crate) fn scalar_function(
        &mut self,
        database: DbId,
        function: ObjectId,
        args: &[FunctionArgument<'_>],
    ) -> SqlResult<Value> {
        let module = self.function_module(database, function)?;
        if module.null_on_null_input && args.iter().flatten().any(|(value, _)| value.is_null()) {
            return Ok(Value::Null);
        }
        let (_, value) = self.run_function(database, &module, args)?;
        Ok(value.unwrap_or(Value::Null))
    }

    /// Calls a multi-statement function and adds its rows.
    pub(crate) fn table_function(
        &mut self,
        database: DbId,
        function: ObjectId,
        args: &[FunctionArgument<'_>],
        rows: &mut LocalTable,
    ) -> SqlResult<()> {
        let module = self.function_module(database, function)?;
        let (mut frame, _) = self.run_function(database, &module, args)?;
        let program = self.module_program(database, &module).map_err(|fault| fault.error)?;
        let Some(result) = program.result else { return Ok(()) };
        if let TableSlot::Own(table) = frame.table_mut(result) {
            for row in table.iter() {
                rows.push(row);
            }
            table.release(&mut self.runtime.grant);
        }
        rows.settle(&mut self.runtime.grant)
    }

    fn function_module(&self, database: DbId, function: ObjectId) -> SqlResult<Arc<ModuleDef>> {
        let schema = self.schema(database)?;
        let module = schema.module(function).cloned();
        module.ok_or_else(|| SqlError::new(&message::DEFINITION_CHANGED, &[&""]))
    }

    /// Runs a function: its frame, and what it returned.
    fn run_function(
        &mut self,
        database: DbId,
        module: &Arc<ModuleDef>,
        args: &[FunctionArgument<'_>],
    ) -> SqlResult<(Frame, Option<Value>)> {
        let program = self.module_program(database, module).map_err(|fault| fault.error)?;
        let mut frame = new_frame(&program.variables);
        for (at, parameter) in module.parameters.iter().enumerate() {
            let VariableKind::Scalar { id, ty, .. } = &program.variables.parameters()[at].kind
            else {
                continue;
            };
            match args.get(at).copied().flatten() {
                Some((value, from)) if from == *ty => frame.set(*id, value),
                Some((value, from)) => {
                    let value = self.converted(&value.to_owned(), &from, ty)?;
                    frame.set_owned(*id, &value);
                }
                None => {
                    let default = parameter.default.clone().unwrap_or(Value::Null);
                    frame.set_owned(*id, &default);
                }
            }
        }
        let left = self.session.left;
        let time = self.session.time.get();
        // Its errors are the calling statement's.
        let (result, _) = self.in_level(&program, None, |c| c.run_body(&program, &mut frame));
        self.session.left = left;
        self.session.time.set(time);
        if program.result.is_none() || result.is_err() {
            frame.release(&mut self.runtime.grant);
        }
        Ok((frame, result.map_err(|fault| fault.error)?))
    }

    /// The program of a module's body.
    pub(crate) fn module_program(
        &self,
        database: DbId,
        module: &Arc<ModuleDef>,
    ) -> Run<Arc<Program>> {
        let version = self.schema(database)?.object_version(module.id()).unwrap_or(0);
        let options = self.session.compile_options(Some(module));
        if module.is_temporary() {
            return self.temporary_program(module, version, options);
        }
        let key =
            ModuleKey { database, object: module.id(), number: module.number, version, options };
        let plans = &self.session.instance.plans;
        // A transaction's own changes are not for other sessions.
        let shared = self.session.transaction.working_schema(database).is_none();
        let published = || {
            let schema = self.session.access(database).map(|access| access.schema());
            schema.is_ok_and(|schema| schema.object_version(module.id()) == Some(version))
        };
        if (shared || published())
            && let Some(program) = plans.module(&key)
            && self.types_hold(&program)
        {
            return Ok(program);
        }
        let program = Arc::new(self.session.compile_module(database, module)?);
        if shared {
            plans.keep_module(&key, &program, || self.program_holds(&program));
        }
        Ok(program)
    }

    /// The program of a temporary procedure, whose names mean what they mean where it is called:
    /// the session keeps it for the database that it was last called in.
    fn temporary_program(
        &self,
        module: &Arc<ModuleDef>,
        version: u64,
        options: CompileOptions,
    ) -> Run<Arc<Program>> {
        let database = self.session.name_database();
        let key =
            ModuleKey { database, object: module.id(), number: module.number, version, options };
        let known = self.session.temporary.program(&key);
        if let Some(program) = known.filter(|program| self.types_hold(program)) {
            return Ok(program);
        }
        let program = Arc::new(self.session.compile_module(database, module)?);
        self.session.temporary.keep_program(key, program.clone());
        Ok(program)
    }

    /// The program of a procedure of the server's. It runs in the current database.
    pub(crate) fn system_program(
        &mut self,
        procedure: &'static SystemProcedure,
    ) -> Run<Arc<Program>> {
        let database = self.session.database;
        let options = self.session.options.compile().of_module(true, true);
        let key = ModuleKey { database, object: procedure.id, number: 0, version: 0, options };
        if let Some(program) = self.session.instance.plans.module(&key) {
            return Ok(program);
        }
        let module = Arc::new(self.system_module(procedure)?);
        let program = Arc::new(self.session.compile_module(database, &module)?);
        let plans = &self.session.instance.plans;
        plans.keep_module(&key, &program, || self.program_holds(&program));
        Ok(program)
    }

    /// A definition for a procedure of the server's, from its text.
    fn system_module(&mut self, procedure: &SystemProcedure) -> SqlResult<ModuleDef> {
        let options = tsql::ParseOptions { quoted_identifier: true };
        let batch = tsql::parse_batch(&procedure.definition, options)?;
        let parsed = batch.statements.iter().find_map(|statement| match &statement.kind {
            ast::StatementKind::Module(module) => match &module.module {
                ast::Module::Procedure(procedure) => Some(procedure),
                _ => None,
            },
            _ => None,
        });
        let parsed = parsed.ok_or_else(|| ir::internal("the text makes no procedure"))?;
        let header = ObjectHeader {
            id: procedure.id,
            schema: SchemaId::SYS,
            name: procedure.name.into(),
            owner: None,
            created: self.now(),
            modified: self.now(),
            ms_shipped: true,
        };
        let kind = ModuleKind::Procedure { auto_executed: false };
        let mut module = ModuleDef::new(header, kind, procedure.definition.clone());
        for declared in &parsed.parameters {
            let parameter = self.system_parameter(declared)?;
            module.parameters.push(parameter);
        }
        Ok(module)
    }

    fn system_parameter(&self, declared: &ast::ParameterDeclaration) -> SqlResult<ParameterDef> {
        let ty = self.session.declared_scalar(&declared.ty)?;
        let default = match &declared.default {
            None => None,
            Some(value) => Some(self.default_value(value, &ty)?),
        };
        Ok(ParameterDef {
            name: declared.name.name.clone(),
            ty,
            user_type: UserTypeId(i32::from(ty.kind.user_type_id())),
            table_valued: false,
            nullable: true,
            output: declared.output,
            read_only: false,
            cursor: false,
            default,
        })
    }

    /// A parameter's default: a constant of its type.
    fn default_value(&self, value: &ast::ArgumentValue, ty: &SqlType) -> SqlResult<Value> {
        use ast::{ArgumentValue as A, Literal as L};
        let collation = base::Collation::DEFAULT;
        let national = |text: &str| {
            let ty = SqlType::nvarchar(text.len().clamp(1, 4000) as u16, collation);
            (Value::unicode(text), ty)
        };
        let (value, from) = match value {
            A::Constant { value: L::Integer(v), negative, .. } => {
                let v = i64::from(*v);
                (Value::Int(if *negative { -v } else { v }), SqlType::int())
            }
            A::Constant { value: L::String(text) | L::National(text), .. } => national(text),
            A::Word(word) => national(&word.name),
            A::Constant { value: L::Numeric(text), negative, .. } => {
                let (ty, value) = base::types::literal::numeric_value(text)?;
                match (value, negative) {
                    (Value::Decimal(v), true) => (Value::Decimal(-v), ty),
                    (value, _) => (value, ty),
                }
            }
            A::Constant { value: L::Binary(bytes), .. } => {
                (Value::Bytes(bytes[..].into()), base::types::literal::binary(bytes.len()))
            }
            _ => return Ok(Value::Null),
        };
        self.converted(&value, &from, ty)
    }
}
