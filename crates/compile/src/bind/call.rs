//! Calls of functions: the library's, users', aggregates.

use base::types::conversion::check_implicit;
use base::types::declare;
use base::{Collation, SqlError, SqlResult, SqlType, TypeKind, message};
use engine::catalog::Object;
use engine::catalog::def::{ModuleDef, ModuleKind, Permission};
use ir::function::quantiles::names as percentiles;
use ir::function::{
    AggregateFunction, ArgType, CallTypes, Placement, ScalarFunction, Typing, Volatility,
    unknown_function,
};
use tsql::ast::{self, Argument, Arguments, TrimSide};

use super::binder::Binder;
use super::context::{AtLine, BindError, BindResult};
use super::json::marks_of;
use super::scalar::{Label, Origin, Scalar};
use super::scope::Clause;
use crate::plan::expr::{Aggregate, Expr, ExprKind, SortKey};
use crate::plan::{fold, walk};

impl Binder<'_> {
    /// A call of anything.
    pub fn call(&mut self, call: &ast::FunctionCall, line: u32) -> BindResult<Scalar> {
        let name = &call.name.name.name;
        let is_system = |s: &ast::Ident| s.name.eq_ignore_ascii_case("sys");
        let of_library =
            call.name.schema.as_ref().is_none_or(is_system) && call.name.database.is_none();
        if call.name.schema.is_some()
            && let Some(value) = self.column_method(call, line)?
        {
            return Ok(value);
        }
        if !of_library {
            return self.user_call(call, line);
        }
        let is_internal = ir::function::json::names::is_internal(name)
            || ir::function::xml::names::is_internal(name)
            || ir::function::method::names::is_internal(name)
            || ir::function::sample::is_internal(name)
            || ir::function::clr::is_internal(name)
            || ir::function::tracking::is_internal(name);
        let is_of_text = ir::function::text::is_internal(name);
        if is_internal && !self.env.internal || is_of_text && !self.in_text_statement {
            return Err(unknown_function(name).at_line(line).into());
        }
        if call.odbc {
            return self.odbc_call(call, line);
        }
        if let Some(window) = super::window::ranking(name) {
            return self.window_call(window, call, line);
        }
        if let Some(interpolates) = super::window::percentile(name) {
            return self.percentile_call(interpolates, call, line);
        }
        if let Some(aggregate) = self.names.functions().aggregate(name) {
            return match &call.over {
                Some(over) => self.window_aggregate(aggregate, call, over, line),
                None => self.aggregate_call(aggregate, call, line),
            };
        }
        if call.over.is_some() {
            let error = SqlError::new(&message::FUNCTION_NOT_WINDOWED, &[name]);
            return Err(error.at_line(line).into());
        }
        if name.eq_ignore_ascii_case("TEXTPTR") {
            return self.textptr(call).at(line);
        }
        if name.eq_ignore_ascii_case("TEXTVALID") {
            return self.textvalid(call).at(line);
        }
        self.special_call(call, line)
    }

    /// `CHECKSUM(*)` and `BINARY_CHECKSUM(*)`: of all columns of the block.
    fn checksum_of_all(
        &mut self,
        function: &'static ScalarFunction,
        line: u32,
    ) -> BindResult<Scalar> {
        let mut args = Vec::new();
        if self.blocks.len() > self.env.base {
            for at in self.star(None, line)? {
                args.push(self.column_at(at)?);
            }
        }
        self.apply(function, args).at(line)
    }

    /// Functions with rules of their own, then the library's.
    fn special_call(&mut self, call: &ast::FunctionCall, line: u32) -> BindResult<Scalar> {
        let name = call.name.name.name.to_ascii_uppercase();
        let count = |args: &[Scalar], least: usize, most: usize| {
            let lower = name.to_ascii_lowercase();
            match args.len() {
                n if (least..=most).contains(&n) => Ok(()),
                _ if least == most => {
                    Err(SqlError::new(&message::FUNCTION_ARGUMENT_COUNT, &[&lower, &least]))
                }
                _ => {
                    Err(SqlError::new(&message::FUNCTION_ARGUMENT_RANGE, &[&lower, &least, &most]))
                }
            }
        };
        match &*name {
            "COALESCE" | "NULLIF" | "CHOOSE" | "ISNULL" => {
                let mut args = self.inside_conditional(|b| b.plain_arguments(call, line))?;
                match &*name {
                    "COALESCE" => {
                        count(&args, 2, 254).at(line)?;
                        self.coalesce(args).at(line)
                    }
                    "CHOOSE" => {
                        count(&args, 2, 254).at(line)?;
                        let index = args.remove(0);
                        self.choose(index, args).at(line)
                    }
                    _ => {
                        count(&args, 2, 2).at(line)?;
                        let second = args.remove(1);
                        let first = args.remove(0);
                        match &*name {
                            "NULLIF" => self.nullif(first, second).at(line),
                            _ => self.isnull(first, second).at(line),
                        }
                    }
                }
            }
            "GROUPING" | "GROUPING_ID" => self.grouping_call(call, &name, line),
            "COLUMNS_UPDATED" => self.columns_updated(line),
            "CHANGE_TRACKING_CURRENT_VERSION" | "CHANGE_TRACKING_MIN_VALID_VERSION" => {
                let args = self.plain_arguments(call, line)?;
                let takes = usize::from(name.ends_with("MIN_VALID_VERSION"));
                count(&args, takes, takes).at(line)?;
                self.version_call(&name, args, line)
            }
            _ => {
                if let Arguments::Trim { side, characters, source } = &call.arguments {
                    return self.trim(*side, characters.as_deref(), source, line);
                }
                if let Arguments::Json(arguments) = &call.arguments {
                    return self.json_builder(&name, arguments).at(line);
                }
                let Some(function) = self.names.functions().scalar(&name) else {
                    return Err(unknown_function(&call.name.name.name).at_line(line).into());
                };
                let of_all = matches!(call.arguments, Arguments::Star);
                if of_all && matches!(function.name, "CHECKSUM" | "BINARY_CHECKSUM") {
                    return self.checksum_of_all(function, line);
                }
                self.scalar_call(function, call, line)
            }
        }
    }

    /// `{fn name(…)}`.
    fn odbc_call(&mut self, call: &ast::FunctionCall, line: u32) -> BindResult<Scalar> {
        let name = &call.name.name.name;
        match self.names.functions().odbc(name) {
            Some(function) if function.name == "ISNULL" => {
                let mut args = self.inside_conditional(|b| b.plain_arguments(call, line))?;
                function.check_count(args.len()).at(line)?;
                let second = args.remove(1);
                self.isnull(args.remove(0), second).at(line)
            }
            Some(function) => self.scalar_call(function, call, line),
            None => Err(unknown_function(name).at_line(line).into()),
        }
    }

    /// A call of a scalar function of the library.
    fn scalar_call(
        &mut self,
        function: &'static ScalarFunction,
        call: &ast::FunctionCall,
        line: u32,
    ) -> BindResult<Scalar> {
        let mut date_part = None;
        let mut rest = &call.arguments;
        let shortened;
        if function.takes_date_part
            && let Arguments::List { distinct, items } = &call.arguments
            && let Some((Argument::Expr(first), others)) = items.split_first()
        {
            function.check_count(items.len()).at(line)?;
            date_part = Some(self.date_part(function, first)?);
            shortened = Arguments::List { distinct: *distinct, items: others.to_vec() };
            rest = &shortened;
        }
        if let Some(ty) = &call.returning {
            return self.json_value_returning(function, &call.arguments, ty, line);
        }
        let mut kind = None;
        let without_kind;
        if function.name == "ISJSON"
            && let Arguments::List { distinct: false, items } = rest
            && let [document, Argument::Expr(second)] = &items[..]
        {
            kind = Some(kind_of_json(second)?);
            without_kind = Arguments::List { distinct: false, items: vec![document.clone()] };
            rest = &without_kind;
        }
        let mut args = self.arguments(rest, line)?;
        args.splice(0..0, date_part);
        args.extend(kind);
        self.apply(function, args).at(line)
    }

    /// `JSON_VALUE(document, path RETURNING type)`: a call with a NULL of the type. Error 102 for
    /// other types, and for a document that is a string.
    fn json_value_returning(
        &mut self,
        function: &ScalarFunction,
        arguments: &Arguments,
        ty: &ast::DataType,
        line: u32,
    ) -> BindResult<Scalar> {
        let mut args = self.arguments(arguments, line)?;
        function.check_count(args.len()).at(line)?;
        let syntax =
            |near: &str| SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&near]).at_line(line);
        let kind = declare::kind_by_name(&ty.name.name.name).filter(|kind| may_be_returned(*kind));
        let Some(kind) = kind.filter(|_| ty.name.schema.is_none()) else {
            return Err(syntax(&ty.name.to_string()).with_state(29).into());
        };
        let is_unsized = kind.is_character() && ty.arguments == ast::TypeArguments::None;
        if is_unsized || args[0].expr.ty.kind != TypeKind::Json {
            return Err(syntax("RETURNING").into());
        }
        let ty = self.data_type(ty, declare::Subject::Type, 1, 1)?.ty;
        let kind = ExprKind::Constant(base::Value::Null);
        args.push(Scalar::computed(Expr { kind, ty, nullable: true }));
        self.library_call(ir::function::json::names::VALUE_RETURNING, args).at(line)
    }

    /// The constant for the word that names a date part. Error 155.
    fn date_part(&mut self, function: &ScalarFunction, expr: &ast::Expr) -> BindResult<Scalar> {
        let line = expr.span.line;
        let word = match &expr.kind {
            ast::ExprKind::Column(column) if column.qualifier.is_none() => &column.column.name,
            _ => {
                let lower = function.name.to_ascii_lowercase();
                let error = SqlError::new(&message::INVALID_PARAMETER_FOR_STATEMENT, &[&1, &lower]);
                return Err(error.at_line(line).into());
            }
        };
        let value = function.date_part(word).at(line)?;
        Ok(Scalar::constant(SqlType::int(), value))
    }

    /// The arguments of a call that takes values only.
    fn plain_arguments(&mut self, call: &ast::FunctionCall, line: u32) -> BindResult<Vec<Scalar>> {
        self.arguments(&call.arguments, line)
    }

    fn arguments(&mut self, arguments: &Arguments, line: u32) -> BindResult<Vec<Scalar>> {
        let syntax = |near: &str| {
            BindError::from(SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&near]).at_line(line))
        };
        match arguments {
            Arguments::List { distinct: false, items } => items
                .iter()
                .map(|item| match item {
                    Argument::Expr(expr) => self.scalar(expr),
                    Argument::Default(span) => {
                        let error = SqlError::new(&message::SYNTAX_NEAR_KEYWORD, &[&"default"]);
                        Err(error.at_line(span.line).into())
                    }
                })
                .collect(),
            Arguments::List { .. } => Err(syntax("DISTINCT")),
            Arguments::Star => Err(syntax("*")),
            Arguments::Trim { .. } => Err(syntax("FROM")),
            Arguments::Json(_) => Err(syntax(":")),
        }
    }

    /// `TRIM(LEADING x FROM y)`.
    fn trim(
        &mut self,
        side: Option<TrimSide>,
        characters: Option<&ast::Expr>,
        source: &ast::Expr,
        line: u32,
    ) -> BindResult<Scalar> {
        let mut trimmed = self.scalar(source)?;
        let sides: &[&str] = match side {
            Some(TrimSide::Leading) => &["LTRIM"],
            Some(TrimSide::Trailing) => &["RTRIM"],
            None | Some(TrimSide::Both) => &["LTRIM", "RTRIM"],
        };
        for name in sides {
            let mut args = vec![trimmed];
            if let Some(characters) = characters {
                args.push(self.scalar(characters)?);
            }
            trimmed = self.library_call(name, args).at(line)?;
        }
        Ok(trimmed)
    }

    /// A call of a function of the library by its name. Error 195.
    pub fn library_call(&mut self, name: &str, args: Vec<Scalar>) -> BindResult<Scalar> {
        match self.names.functions().scalar(name) {
            Some(function) => self.apply(function, args),
            None => Err(unknown_function(name).into()),
        }
    }

    /// A call of a function of the library. Errors of its own, 206, 257, 443, 468.
    pub fn apply(
        &mut self,
        function: &'static ScalarFunction,
        args: Vec<Scalar>,
    ) -> BindResult<Scalar> {
        let compared = if function.of_document { args.len().min(1) } else { args.len() };
        let (label, collation) = self.combined(&args[..compared], function.name)?;
        let mut args = args;
        if function.takes_marks {
            args.push(marks_of(&args, false));
        }
        self.apply_in(function, args, label, collation)
    }

    /// A call of a function of the library that works in a collation and has a result of a label.
    /// Errors of its own, 206, 257, 443.
    pub fn apply_in(
        &mut self,
        function: &'static ScalarFunction,
        args: Vec<Scalar>,
        label: Label,
        collation: Collation,
    ) -> BindResult<Scalar> {
        self.check_placement(function)?;
        let infos: Vec<ArgType<'_>> = args.iter().map(Scalar::argument).collect();
        let types = function.bind(&infos, Typing { collation })?;
        let mut exprs = Vec::with_capacity(args.len());
        for (at, (arg, ty)) in args.into_iter().zip(&types.args).enumerate() {
            check_document_argument(function.name, at, &arg, ty)?;
            exprs.push(self.coerce_argument(arg, *ty)?);
        }
        if let Some(mentions) = &mut self.mentions {
            mentions.nondeterministic |= types.volatility != Volatility::Deterministic;
        }
        if types.volatility == Volatility::Deterministic
            && let Some(value) = self.fold_call(function, &exprs, &CallTypes::from(&types))
        {
            let constant = Scalar::constant(types.ty, value);
            let label = if types.ty.kind.is_character() { label } else { Label::NONE };
            let constant = Scalar { label, origin: Origin::Plain, ..constant };
            return Ok(constant.marked(function.json));
        }
        let kind = ExprKind::Call { function, args: exprs };
        let expr = Expr { kind, ty: types.ty, nullable: types.nullable };
        let label = match types.ty.kind.is_character() {
            true if label != Label::NONE => label,
            _ => Label::default_of(&types.ty),
        };
        Ok(Scalar { expr, label, origin: Origin::Plain }.marked(function.json))
    }

    /// An argument as the function requires it. What the function requires is more than implicit
    /// conversion gives in a few places (a number where a string is read), so a function that asks
    /// is right.
    pub fn coerce_argument(&mut self, arg: Scalar, ty: SqlType) -> BindResult<Expr> {
        if !arg.is_untyped()
            && arg.expr.ty != ty
            && check_implicit(arg.expr.ty.kind, ty.kind).is_err()
        {
            return Ok(self.cast(arg.expr, ty, ir::operator::CastMode::Explicit));
        }
        let ty = match arg.origin {
            // What the function makes of NULL does not say how long other values may be.
            Origin::Undeclared(_) if ty.kind.is_character() => {
                SqlType::nvarchar(4000, ty.collation)
            }
            Origin::Undeclared(_) if ty.kind.is_binary() => SqlType::varbinary(8000),
            _ => ty,
        };
        self.coerce(arg, ty)
    }

    fn fold_call(
        &mut self,
        function: &ScalarFunction,
        args: &[Expr],
        types: &CallTypes,
    ) -> Option<base::Value> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            let ExprKind::Constant(value) = &arg.kind else { return None };
            values.push(value.clone());
        }
        if ir::function::clr::spatial::is_long(function.name, &values) {
            return None;
        }
        fold::call(function, &values, types, &mut self.arena).ok()
    }

    /// The label of a call's string arguments together, and the collation that the call works in.
    /// Error 468.
    fn combined(&self, args: &[Scalar], operation: &'static str) -> BindResult<(Label, Collation)> {
        let mut label = Label::NONE;
        for arg in args {
            label = label.combine(arg.label, operation)?;
        }
        let collation = label.resolve(operation)?.unwrap_or(self.collation());
        Ok((label, collation))
    }

    /// Refuses a function where it must not stand. Errors 302 and 443.
    fn check_placement(&self, function: &ScalarFunction) -> BindResult<()> {
        if self.options.native && self.env.depth == 0 {
            check_native_placement(function.name, self.options.in_catch)?;
        }
        match function.placement {
            Placement::OutsideFunctions if self.options.in_function => {
                let name = function.name.to_ascii_lowercase();
                Err(SqlError::new(&message::SIDE_EFFECT_IN_FUNCTION, &[&name]).into())
            }
            Placement::DefaultOnly if !self.in_default && !self.options.has_defaults => {
                Err(SqlError::new(&message::NEWSEQUENTIALID_OUTSIDE_DEFAULT, &[]).into())
            }
            _ => Ok(()),
        }
    }

    /// A user's scalar function. Errors 313, 4121, 8144.
    fn user_call(&mut self, call: &ast::FunctionCall, line: u32) -> BindResult<Scalar> {
        let found = self.user_function(&call.name, line)?;
        let (module, returns) = (found.0, found.1);
        let Arguments::List { distinct: false, items } = &call.arguments else {
            let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&"*"]);
            return Err(error.at_line(line).into());
        };
        let args = self.user_arguments(&module, items, &call.name, line)?;
        self.facts.calls_functions = true;
        self.note_access(self.env.database, module.id(), Permission::Execute);
        if let Some(mentions) = &mut self.mentions {
            mentions.functions.push((call.name.clone(), module.id()));
            mentions.reads_data |= !module.schema_bound;
            mentions.nondeterministic |= !module.schema_bound;
        }
        let kind = ExprKind::UserFunction { function: module.id(), args };
        Ok(Scalar::computed(Expr { kind, ty: returns.0, nullable: returns.1 }))
    }

    /// A scalar function by name, with the type of its result and whether that may be NULL.
    fn user_function(
        &mut self,
        name: &ast::ObjectName,
        line: u32,
    ) -> BindResult<(std::sync::Arc<ModuleDef>, (SqlType, bool))> {
        let not_found = || {
            let first = name.database.as_ref().or(name.schema.as_ref()).unwrap_or(&name.name);
            let shown = name.to_string();
            let error = SqlError::new(&message::CANNOT_BIND_FUNCTION, &[&first.name, &shown]);
            BindError::missing(error.at_line(line))
        };
        let found = self.find_object(name)?;
        let Some((database, schema, id)) = found else { return Err(not_found()) };
        if database != self.env.database {
            return Err(not_found());
        }
        let Some(Object::Module(module)) = schema.object(id) else { return Err(not_found()) };
        self.check_home_of(database, module).at(line)?;
        match &module.kind {
            ModuleKind::ScalarFunction { returns } => {
                Ok((module.clone(), (returns.ty, returns.nullable)))
            }
            _ => Err(not_found()),
        }
    }

    /// The arguments of a user's function. Errors 206, 257, 313, 8144.
    pub fn user_arguments(
        &mut self,
        module: &ModuleDef,
        items: &[Argument],
        name: &ast::ObjectName,
        line: u32,
    ) -> BindResult<Vec<Option<Expr>>> {
        let shown = name.to_string();
        let expected = module.parameters.len();
        if items.len() != expected {
            let message = match items.len() < expected {
                true => &message::TOO_FEW_ARGUMENTS,
                false => &message::TOO_MANY_ARGUMENTS,
            };
            return Err(SqlError::new(message, &[&shown]).at_line(line).into());
        }
        let mut args = Vec::with_capacity(expected);
        for (item, parameter) in items.iter().zip(&module.parameters) {
            args.push(match item {
                Argument::Default(_) => None,
                Argument::Expr(expr) => {
                    let arg = self.scalar(expr)?;
                    Some(self.coerce_to_variable(arg, parameter.ty).at(line)?)
                }
            });
        }
        Ok(args)
    }

    /// `COLUMNS_UPDATED()`, in a trigger.
    fn columns_updated(&mut self, line: u32) -> BindResult<Scalar> {
        let Some(trigger) = self.names.trigger() else {
            let name = "COLUMNS_UPDATED";
            let error =
                SqlError::new(&message::NOT_RECOGNIZED, &[&name, &"built-in function name"]);
            return Err(error.at_line(line).into());
        };
        let kind = ExprKind::Variable(trigger.columns_updated);
        Ok(Scalar::computed(Expr { kind, ty: SqlType::varbinary(128), nullable: true }))
    }
}

/// Aggregates.
impl Binder<'_> {
    /// An aggregate over the rows of a group. Errors 130, 147 and the like, 8117, 8124.
    pub(super) fn aggregate_call(
        &mut self,
        function: &'static AggregateFunction,
        call: &ast::FunctionCall,
        line: u32,
    ) -> BindResult<Scalar> {
        if self.blocks.len() == self.env.base {
            return Err(SqlError::new(&message::AGGREGATE_IN_WHERE, &[]).at_line(line).into());
        }
        if self.blocks.iter().skip(self.env.base).any(|b| b.in_aggregate) {
            return Err(SqlError::new(&message::AGGREGATE_OF_AGGREGATE, &[]).at_line(line).into());
        }
        let top = self.blocks.len() - 1;
        self.references.push(Vec::new());
        self.blocks[top].in_aggregate = true;
        let bound = self.bind_aggregate(function, call, line);
        self.blocks[top].in_aggregate = false;
        let references = self.references.pop().expect("pushed above");
        if let Some(outer) = self.references.last_mut() {
            outer.extend(&references);
        }
        let (aggregate, label, nullable) = bound?;
        let owner = references.iter().copied().max().unwrap_or(top);
        if references.iter().any(|r| *r != owner) {
            let error = SqlError::new(&message::AGGREGATE_ON_OUTER_REFERENCE, &[]);
            return Err(error.at_line(line).into());
        }
        let owner = owner.max(self.env.base);
        self.check_aggregate_place(owner, line)?;
        let ty = aggregate.ty;
        let column = self.register_aggregate(owner, aggregate);
        let expr = Expr { kind: ExprKind::Column(column), ty, nullable };
        Ok(Scalar { expr, label, origin: Origin::Plain }.marked(function.json))
    }

    /// An aggregate's column in the block that it belongs to; equal aggregates share one.
    fn register_aggregate(
        &mut self,
        owner: usize,
        aggregate: Aggregate,
    ) -> crate::plan::expr::ColId {
        let known = self.blocks[owner].aggregates.iter();
        let known = known.filter(|(_, a)| walk::same_aggregate(a, &aggregate)).map(|(c, _)| *c);
        if let Some(column) = { known }.next() {
            return column;
        }
        let column = self.free_column();
        self.blocks[owner].aggregates.push((column, aggregate));
        column
    }

    /// Refuses an aggregate in a clause that takes none. Errors 144, 147, 157, 158, 1015,
    /// 5322.
    fn check_aggregate_place(&self, owner: usize, line: u32) -> BindResult<()> {
        let message = match self.blocks[owner].clause {
            Clause::Select | Clause::Having | Clause::OrderBy => return Ok(()),
            Clause::GroupBy => &message::AGGREGATE_IN_GROUP_BY,
            Clause::Set => &message::AGGREGATE_IN_SET_LIST,
            Clause::Output => &message::AGGREGATE_IN_OUTPUT,
            Clause::OfChanges(clause) => {
                let error = SqlError::new(&message::AGGREGATE_OVER_CHANGES, &[&clause]);
                return Err(error.at_line(line).into());
            }
            Clause::On => &message::AGGREGATE_IN_ON,
            _ => &message::AGGREGATE_IN_WHERE,
        };
        Err(SqlError::new(message, &[]).at_line(line).into())
    }

    /// The parts of an aggregate's call: with `OVER` or without.
    pub fn bind_aggregate(
        &mut self,
        function: &'static AggregateFunction,
        call: &ast::FunctionCall,
        line: u32,
    ) -> BindResult<(Aggregate, Label, bool)> {
        let percentile;
        let call = match function.name {
            percentiles::CONTINUOUS | percentiles::DISCRETE => {
                percentile = percentile_arguments(function, call).at(line)?;
                &percentile
            }
            _ => call,
        };
        let (distinct, args) = match &call.arguments {
            Arguments::Star if function.arguments.0 == 0 => (false, Vec::new()),
            Arguments::List { distinct, items } => {
                let plain = Arguments::List { distinct: false, items: items.clone() };
                if items.is_empty() {
                    let name = function.name.to_ascii_lowercase();
                    let error = SqlError::new(&message::FUNCTION_ARGUMENT_COUNT, &[&name, &1]);
                    return Err(error.at_line(line).into());
                }
                (*distinct, self.arguments(&plain, line)?)
            }
            Arguments::Json(arguments) => {
                return self.bind_json_aggregate(function, arguments, call, line);
            }
            _ => {
                let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&"*"]);
                return Err(error.at_line(line).into());
            }
        };
        if args.iter().any(|a| walk::has_subquery(&a.expr)) {
            return Err(SqlError::new(&message::AGGREGATE_OF_AGGREGATE, &[]).at_line(line).into());
        }
        let (label, collation) = self.combined(&args, function.name).at(line)?;
        let infos: Vec<ArgType<'_>> = args.iter().map(Scalar::argument).collect();
        let types = function.bind(&infos, Typing { collation }).at(line)?;
        let mut exprs = Vec::with_capacity(args.len());
        for (at, (arg, ty)) in args.into_iter().zip(&types.args).enumerate() {
            if distinct {
                check_distinct(function.name, &arg).at(line)?;
            }
            check_document_argument(function.name, at, &arg, ty).at(line)?;
            exprs.push(self.coerce_argument(arg, *ty).at(line)?);
        }
        let mut order = Vec::with_capacity(call.within_group.len());
        for item in &call.within_group {
            let expr = self.scalar(&item.expr)?.expr;
            order.push(SortKey { expr, descending: item.descending });
        }
        if !order.is_empty() && !function.ordered {
            let name = function.name.to_ascii_lowercase();
            let error = SqlError::new(&message::FUNCTION_WITHOUT_WITHIN_GROUP, &[&name]);
            return Err(error.at_line(line).into());
        }
        let label = if types.ty.kind.is_character() { label } else { Label::NONE };
        let distinct = distinct && !function.ignores_duplicates;
        let aggregate = Aggregate { function, args: exprs, distinct, order, ty: types.ty };
        Ok((aggregate, label, types.nullable))
    }
}

/// Refuses json, xml and CLR types where a function works on something else. Errors 257, 8116.
fn check_document_argument(name: &str, at: usize, arg: &Scalar, ty: &SqlType) -> SqlResult<()> {
    let kind = arg.expr.ty.kind;
    if arg.is_untyped() || !kind.is_opaque() || ty.kind == kind {
        return Ok(());
    }
    if matches!(name, "CONCAT" | "CONCAT_WS") {
        return check_implicit(kind, ty.kind);
    }
    let args: [&dyn std::fmt::Display; 3] = [&kind, &(at + 1), &name.to_ascii_lowercase()];
    Err(SqlError::new(&message::ARGUMENT_TYPE_INVALID, &args))
}

/// Refuses what cannot be compared where an aggregate takes each value once. Error 8117.
fn check_distinct(name: &str, arg: &Scalar) -> SqlResult<()> {
    let kind = arg.expr.ty.kind;
    if !kind.is_incomparable() {
        return Ok(());
    }
    let args: [&dyn std::fmt::Display; 2] = [&kind, &name.to_ascii_lowercase()];
    Err(SqlError::new(&message::OPERAND_INVALID_FOR_OPERATOR, &args).with_state(2))
}

/// Whether JSON_VALUE returns values of a kind of type.
fn may_be_returned(kind: TypeKind) -> bool {
    use TypeKind::*;
    match kind {
        Char | VarChar | NChar | NVarChar | Date | Time | DateTime2 | DateTimeOffset => true,
        _ => kind.is_integer() || kind.is_decimal() || kind.is_float(),
    }
}

/// Errors 10792, 11324: what a natively compiled module cannot ask, or not there.
fn check_native_placement(name: &'static str, in_catch: bool) -> BindResult<()> {
    match name {
        "@@TRANCOUNT" => Err(SqlError::new(&message::TRANCOUNT_IN_ATOMIC, &[]).into()),
        name if name.starts_with("ERROR_") && !in_catch => {
            Err(SqlError::new(&message::FUNCTION_ONLY_IN_CATCH, &[&name]).into())
        }
        _ => Ok(()),
    }
}

/// The constant for the word that says of which kind `ISJSON` asks. Errors 155, 1023.
fn kind_of_json(expr: &ast::Expr) -> BindResult<Scalar> {
    let line = expr.span.line;
    let ast::ExprKind::Column(ast::ColumnRef { qualifier: None, column }) = &expr.kind else {
        let error = SqlError::new(&message::INVALID_PARAMETER_FOR_STATEMENT, &[&2, &"isjson"]);
        return Err(error.at_line(line).into());
    };
    let kind = column.name.to_ascii_uppercase();
    if !matches!(&*kind, "VALUE" | "ARRAY" | "OBJECT" | "SCALAR") {
        let error = SqlError::new(&message::UNRECOGNIZED_OPTION, &[&column.name, &"isjson"]);
        return Err(error.at_line(line).into());
    }
    let ty = SqlType::varchar(kind.len() as u16, Collation::DEFAULT);
    let value = base::Value::Chars(kind.into_bytes().into());
    Ok(Scalar { label: Label::NONE, ..Scalar::constant(ty, value) })
}

/// `APPROX_PERCENTILE_CONT(fraction) WITHIN GROUP (ORDER BY value)` as a call of (value, fraction,
/// whether the order is descending). Errors 174, 10751, 10754.
fn percentile_arguments(
    function: &AggregateFunction,
    call: &ast::FunctionCall,
) -> SqlResult<ast::FunctionCall> {
    let name = function.name.to_ascii_lowercase();
    let fraction = match &call.arguments {
        Arguments::List { distinct: false, items } => match &items[..] {
            [fraction] => fraction.clone(),
            _ => return Err(SqlError::new(&message::FUNCTION_ARGUMENT_COUNT, &[&name, &1])),
        },
        _ => return Err(SqlError::new(&message::FUNCTION_ARGUMENT_COUNT, &[&name, &1])),
    };
    let [order] = &call.within_group[..] else {
        let message = match call.within_group.is_empty() {
            true => &message::FUNCTION_NEEDS_WITHIN_GROUP,
            false => &message::WITHIN_GROUP_ONE_EXPRESSION,
        };
        return Err(SqlError::new(message, &[&name]));
    };
    let descending = ast::Literal::Integer(order.descending.into());
    let descending = ast::Expr { span: order.expr.span, kind: ast::ExprKind::Literal(descending) };
    let items = vec![Argument::Expr(order.expr.clone()), fraction, Argument::Expr(descending)];
    Ok(ast::FunctionCall {
        arguments: Arguments::List { distinct: false, items },
        within_group: Vec::new(),
        ..call.clone()
    })
}
