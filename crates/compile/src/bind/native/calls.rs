//! Calls of natively compiled procedures by other modules.

use std::sync::Arc;

use base::text::identifier::fold_identifier;
use base::{SqlError, SqlType, message};
use engine::catalog::Object;
use engine::catalog::def::{ModuleDef, ParameterDef};
use ir::operator::VarId;
use tsql::ast::{self, ArgumentValue};

use super::{NATIVE, NativeBinder, misplaced_with};
use crate::bind::context::*;
use crate::bind::statement::expression;
use crate::plan::native::{CallArg, NativeKind};

impl NativeBinder<'_> {
    /// `EXEC` of another natively compiled procedure. Errors 201, 2812, 8144, 8145, 12340.
    pub(super) fn execute(&mut self, execute: &ast::Execute, line: u32) -> BindResult<NativeKind> {
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
        self.facts.add_access(Access {
            database,
            object: called.id(),
            permission: engine::catalog::def::Permission::Execute,
            columns: Vec::new(),
            through: None,
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

    /// A scalar variable that receives a result. Error 137.
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

/// The variables that a call gives values.
pub(super) fn filled_by_call(kind: &NativeKind) -> Vec<VarId> {
    let NativeKind::Call { args, status, .. } = kind else { return Vec::new() };
    let outputs = args.iter().filter_map(|arg| match arg {
        CallArg::Output(id) => Some(*id),
        _ => None,
    });
    outputs.chain(*status).collect()
}
