//! What texts return and take: `sp_describe_first_result_set`, `sp_describe_undeclared_parameters`,
//! `sp_describe_parameter_encryption`.

use std::sync::Arc;

use base::text::identifier::same_identifier;
use base::{Collation, SqlResult, SqlType, TypeKind, Value};
use compile::bind::{self, BindContext, BindOptions, Fragment};
use engine::catalog::def::Permission;
use ir::function::facts::StatementPace;
use ir::site::ResultColumn;
use tsql::ast::{self, ArgumentValue, ExecuteTarget, ProcedureName, StatementKind, VariableKind};

use super::Arguments;
use super::rows::{NAME, ResultSet, RowsetColumn, column, int, text};
use crate::context::Context;
use crate::names::callee::Callee;
use crate::names::{EngineStatistics, StatementNames};
use crate::prepare::read_text;
use crate::program::variables::Variable;
use crate::program::{Program, ProgramKind, StepKind};

const TYPE_NAME: SqlType = SqlType::nvarchar(256, Collation::DEFAULT);
const LONG_NAME: SqlType = SqlType::nvarchar(4000, Collation::DEFAULT);
const BIT: SqlType = SqlType::bit();
const TINYINT: SqlType = SqlType::tinyint();
const SMALLINT: SqlType = SqlType::smallint();
const INT: SqlType = SqlType::int();

const RESULT_COLUMNS: &[RowsetColumn] = &[
    column("is_hidden", BIT, false),
    column("column_ordinal", INT, false),
    column("name", NAME, true),
    column("is_nullable", BIT, false),
    column("system_type_id", INT, false),
    column("system_type_name", TYPE_NAME, true),
    column("max_length", SMALLINT, false),
    column("precision", TINYINT, false),
    column("scale", TINYINT, false),
    column("collation_name", NAME, true),
    column("user_type_id", INT, true),
    column("user_type_database", NAME, true),
    column("user_type_schema", NAME, true),
    column("user_type_name", NAME, true),
    column("assembly_qualified_type_name", LONG_NAME, true),
    column("xml_collection_id", INT, true),
    column("xml_collection_database", NAME, true),
    column("xml_collection_schema", NAME, true),
    column("xml_collection_name", NAME, true),
    column("is_xml_document", BIT, false),
    column("is_case_sensitive", BIT, false),
    column("is_fixed_length_clr_type", BIT, false),
    column("source_server", NAME, true),
    column("source_database", NAME, true),
    column("source_schema", NAME, true),
    column("source_table", NAME, true),
    column("source_column", NAME, true),
    column("is_identity_column", BIT, true),
    column("is_part_of_unique_key", BIT, true),
    column("is_updateable", BIT, true),
    column("is_computed_column", BIT, true),
    column("is_sparse_column_set", BIT, true),
    column("ordinal_in_order_by_list", SMALLINT, true),
    column("order_by_list_length", SMALLINT, true),
    column("order_by_is_descending", SMALLINT, true),
    column("tds_type_id", INT, false),
    column("tds_length", INT, false),
    column("tds_collation_id", INT, true),
    column("tds_collation_sort_id", TINYINT, true),
];

const PARAMETER_COLUMNS: &[RowsetColumn] = &[
    column("parameter_ordinal", INT, false),
    column("name", NAME, false),
    column("suggested_system_type_id", INT, false),
    column("suggested_system_type_name", TYPE_NAME, true),
    column("suggested_max_length", SMALLINT, false),
    column("suggested_precision", TINYINT, false),
    column("suggested_scale", TINYINT, false),
    column("suggested_user_type_id", INT, true),
    column("suggested_user_type_database", NAME, true),
    column("suggested_user_type_schema", NAME, true),
    column("suggested_user_type_name", NAME, true),
    column("suggested_assembly_qualified_type_name", LONG_NAME, true),
    column("suggested_xml_collection_id", INT, true),
    column("suggested_xml_collection_database", NAME, true),
    column("suggested_xml_collection_schema", NAME, true),
    column("suggested_xml_collection_name", NAME, true),
    column("suggested_is_xml_document", BIT, false),
    column("suggested_is_case_sensitive", BIT, false),
    column("suggested_is_fixed_length_clr_type", BIT, false),
    column("suggested_is_input", BIT, false),
    column("suggested_is_output", BIT, false),
    column("formal_parameter_name", NAME, true),
    column("suggested_tds_type_id", INT, false),
    column("suggested_tds_length", INT, false),
];

const KEY_COLUMNS: &[RowsetColumn] = &[
    column("column_encryption_key_ordinal", INT, false),
    column("database_id", INT, false),
    column("column_encryption_key_id", INT, false),
    column("column_encryption_key_version", INT, false),
    column("column_encryption_key_metadata_version", SqlType::binary(8), false),
    column("column_encryption_key_encrypted_value", SqlType::varbinary(4000), false),
    column("column_master_key_store_provider_name", NAME, false),
    column("column_master_key_path", LONG_NAME, false),
    column("column_encryption_key_encryption_algorithm_name", NAME, false),
];

const ENCRYPTION_COLUMNS: &[RowsetColumn] = &[
    column("parameter_ordinal", INT, false),
    column("parameter_name", NAME, false),
    column("column_encryption_algorithm", TINYINT, false),
    column("column_encryption_type", TINYINT, false),
    column("column_encryption_key_ordinal", INT, false),
    column("column_encryption_normalization_rule_version", TINYINT, false),
];

/// How deep procedures are followed.
const DEPTH_MAX: u32 = 32;

/// `sp_describe_first_result_set`: a row for each column; none if nothing is returned.
pub fn first_result_set(
    context: &mut Context<'_>,
    arguments: &mut Arguments<'_>,
) -> SqlResult<i32> {
    let source = arguments.int("@browse_information_mode").is_some_and(|mode| mode > 0);
    let tsql = arguments.text("@tsql").unwrap_or_default();
    let parameters = arguments.text("@params").unwrap_or_default();
    let program = context.text_program(&tsql, &parameters, ProgramKind::Dynamic);
    let program = program.map_err(|fault| fault.error)?;
    let columns = first_result(context, &program, 0)?.unwrap_or_default();
    let describe =
        |(at, column): (usize, &ResultColumn)| result_row(context, at as i32 + 1, column, source);
    let rows: Vec<Vec<Value>> = columns.iter().enumerate().map(describe).collect();
    ResultSet::new(RESULT_COLUMNS).send(context, &rows)?;
    Ok(0)
}

/// The columns of the first result set that a program returns.
fn first_result(
    context: &mut Context<'_>,
    program: &Arc<Program>,
    depth: u32,
) -> SqlResult<Option<Vec<ResultColumn>>> {
    for step in &program.steps {
        match &step.kind {
            StepKind::Data(_) => {
                let plan = context.plan_of(program, step).map_err(|fault| fault.error)?;
                let module = program.module.as_deref();
                let is_own = module.is_some_and(|module| module.header.ms_shipped);
                let module = module.map(|module| (program.database, module.id()));
                if let Some(plan) = plan.as_ref().filter(|_| !is_own) {
                    let checked = context.check_accesses(&plan.facts, module);
                    checked.map_err(|fault| fault.error)?;
                }
                if let Some(result) = plan.and_then(|p| p.unit.results.first().cloned()) {
                    return Ok(Some(result.columns.into_vec()));
                }
            }
            StepKind::Execute(execute) if declares_sets(execute) => {
                let Some(ast::ResultSets::Sets(sets)) = &execute.result_sets else { continue };
                let first = context.declared_sets(sets)?.into_iter().next();
                return Ok(first.map(|set| set.columns.into_vec()));
            }
            StepKind::Execute(execute) if depth < DEPTH_MAX => {
                let Some(called) = called_program(context, execute)? else { continue };
                if let Some(columns) = first_result(context, &called, depth + 1)? {
                    return Ok(Some(columns));
                }
            }
            _ => {}
        }
    }
    Ok(None)
}

/// Whether a call says itself what it returns.
fn declares_sets(execute: &ast::Execute) -> bool {
    matches!(execute.result_sets, Some(ast::ResultSets::Sets(_) | ast::ResultSets::None))
}

/// The program of a procedure that is called by its name.
fn called_program(
    context: &mut Context<'_>,
    execute: &ast::Execute,
) -> SqlResult<Option<Arc<Program>>> {
    let ExecuteTarget::Procedure { name: ProcedureName::Name(name, _), .. } = &execute.target
    else {
        return Ok(None);
    };
    let program = match context.find_procedure(name).map_err(|fault| fault.error)? {
        Callee::Module(database, module) => {
            if !module.is_temporary() {
                context.demand_on_object(database, module.id(), Permission::Execute)?;
            }
            context.module_program(database, &module)
        }
        Callee::System(procedure) => context.in_database_of(name, |c| c.system_program(procedure)),
        Callee::Text(_) | Callee::Cursor(_) | Callee::Xml(_) => return Ok(None),
    };
    program.map(Some).map_err(|fault| fault.error)
}

fn result_row(
    context: &Context<'_>,
    ordinal: i32,
    column: &ResultColumn,
    source: bool,
) -> Vec<Value> {
    let ty = &column.ty;
    let name = (!column.name.is_empty()).then_some(&*column.name);
    let base = column.base.as_ref();
    let shown = base.map(|base| &base.table.columns[base.ordinal]);
    let in_key = base.zip(shown).is_some_and(|(base, shown)| {
        let unique = base.table.indexes.iter().filter(|index| index.unique);
        unique.flat_map(|index| &index.key).any(|key| key.column == shown.id)
    });
    let identity = shown.is_some_and(|def| def.identity.is_some());
    let column_set = shown.is_some_and(|def| def.column_set);
    let computed = shown.is_some_and(|def| def.computed.is_some()) && !column_set;
    let updatable = shown.is_some() && !identity && !computed && ty.kind != TypeKind::RowVersion;
    let origin = base.filter(|_| source).and_then(|base| source_of(context, base));
    let [database, schema, table] = match &origin {
        Some([database, schema, table]) => {
            [text(Some(database)), text(Some(schema)), text(Some(table))]
        }
        None => [Value::Null, Value::Null, Value::Null],
    };
    let source_column = shown.filter(|_| source).map(|def| &*def.name);
    let mut row = vec![int(false), int(ordinal), text(name), int(column.nullable)];
    row.extend(type_values(ty));
    row.push(text(collation(ty).map(Collation::name)));
    row.extend(clr_values(context, ty));
    row.extend(std::iter::repeat_n(Value::Null, 4));
    row.extend([int(false), int(case_sensitive(ty)), int(false), Value::Null]);
    row.extend([database, schema, table, text(source_column)]);
    row.extend([int(identity), if source { int(in_key) } else { Value::Null }]);
    row.extend([int(updatable), int(computed), int(column_set)]);
    row.extend(std::iter::repeat_n(Value::Null, 3));
    let (tds_type, tds_length) = tds_type(ty, column.nullable);
    row.extend([int(tds_type), int(tds_length)]);
    match collation(ty) {
        Some(collation) => {
            let [a, b, c, d, sort] = collation.to_tds();
            row.extend([int(i32::from_le_bytes([a, b, c, d])), int(sort)]);
        }
        None => row.extend([Value::Null, Value::Null]),
    }
    row
}

/// The names of database, schema and table of a column.
fn source_of(context: &Context<'_>, base: &ir::site::BaseColumn) -> Option<[String; 3]> {
    let database = context.database();
    let schema = context.schema(database).ok()?;
    let place = schema.schemas().get(base.table.header.schema)?;
    let database = context.session.instance.database_name(database);
    Some([database.to_string(), place.name.to_string(), base.table.header.name.to_string()])
}

/// `system_type_id` to `scale`.
fn type_values(ty: &SqlType) -> [Value; 5] {
    let (precision, scale) = match ty.kind.is_numeric() || ty.kind.is_temporal() {
        true => ty.shown_digits(),
        false => (0, 0),
    };
    [
        int(ty.kind.system_type_id()),
        text((!ty.kind.is_clr()).then(|| ty.to_string()).as_deref()),
        int(ty.max_length()),
        int(precision),
        int(scale),
    ]
}

/// `user_type_id` to `assembly_qualified_type_name`, of CLR types.
fn clr_values(context: &Context<'_>, ty: &SqlType) -> [Value; 5] {
    let Some(name) = ty.kind.assembly_qualified_name() else { return [const { Value::Null }; 5] };
    let database = context.session.instance.database_name(context.database());
    [
        int(ty.kind.user_type_id()),
        text(Some(&database)),
        text(Some("sys")),
        text(Some(ty.kind.name())),
        text(Some(&name)),
    ]
}

fn collation(ty: &SqlType) -> Option<Collation> {
    ty.kind.is_character().then_some(ty.collation)
}

fn case_sensitive(ty: &SqlType) -> bool {
    collation(ty).is_some_and(|c| !c.info().flags.ignores_case())
}

/// The type and length with which values are sent.
fn tds_type(ty: &SqlType, nullable: bool) -> (i32, i32) {
    use TypeKind as K;
    const MAX_LENGTH: i32 = 65_535;
    let length = i32::from(ty.max_length());
    let token = match ty.kind {
        K::RowVersion => 173,
        other if !nullable => i32::from(other.system_type_id()),
        K::TinyInt | K::SmallInt | K::Int | K::BigInt => 38,
        K::Bit => 104,
        K::Decimal | K::Numeric => {
            return (if ty.kind == K::Decimal { 106 } else { 108 }, 17);
        }
        K::Real | K::Float => 109,
        K::SmallMoney | K::Money => 110,
        K::SmallDateTime | K::DateTime => 111,
        other => i32::from(other.system_type_id()),
    };
    (token, if length < 0 { MAX_LENGTH } else { length })
}

/// A parameter that a text leaves open.
struct Open {
    name: Arc<str>,
    ty: SqlType,
    output: bool,
    /// The parameter of the procedure that it is passed to.
    formal: Option<Arc<str>>,
}

/// `sp_describe_undeclared_parameters`: a row for each.
pub fn undeclared_parameters(
    context: &mut Context<'_>,
    arguments: &mut Arguments<'_>,
) -> SqlResult<i32> {
    let tsql = arguments.text("@tsql").unwrap_or_default();
    let parameters = arguments.text("@params").unwrap_or_default();
    let options = context.session.compile_options(None);
    let parse = tsql::ParseOptions { quoted_identifier: options.quoted_identifier() };
    let (account, pace) = (context.runtime.grant.account(), StatementPace(context.task));
    let (batch, _tree) = read_text(&tsql, parse, account, &pace)?;
    // What is declared comes from a program of the declarations alone.
    let mut declarations = String::new();
    declarations_of(&batch.statements, &tsql, &mut declarations);
    let declared = context.text_program(&declarations, &parameters, ProgramKind::Dynamic);
    let declared = declared.map_err(|fault| fault.error)?;
    let identity_insert = context.session.identity_insert;
    let mut open = Vec::new();
    let found = undeclared_in_all(context, &declared, &batch.statements, &mut open);
    context.session.identity_insert = identity_insert;
    found?;
    let named = tsql::variables_of(&tsql, parse);
    open.sort_by_key(|open| named.iter().position(|name| same_identifier(name, &open.name)));
    let rows: Vec<Vec<Value>> =
        (1..).zip(&open).map(|(at, open)| parameter_row(context, at, open)).collect();
    ResultSet::new(PARAMETER_COLUMNS).send(context, &rows)?;
    Ok(0)
}

/// The declarations of variables in statements, without their first values.
fn declarations_of(statements: &[ast::Statement], text: &str, found: &mut String) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Declare(variables) => {
                for variable in variables {
                    let VariableKind::Scalar { ty, .. } = &variable.kind else { continue };
                    let ty = &text[ty.span.start as usize..ty.span.end as usize];
                    found.push_str(&format!("DECLARE {} {ty};\n", variable.name.name));
                }
            }
            _ => within(statement, |inner| declarations_of(inner, text, found)),
        }
    }
}

/// Goes through the statements within a statement.
fn within(statement: &ast::Statement, mut f: impl FnMut(&[ast::Statement])) {
    match &statement.kind {
        StatementKind::Block(inner) => f(inner),
        StatementKind::TryCatch(both) => {
            f(&both.body);
            f(&both.handler);
        }
        StatementKind::If(choice) => {
            choice.branches.iter().for_each(|b| f(std::slice::from_ref(&b.body)));
            choice.otherwise.iter().for_each(|s| f(std::slice::from_ref(s)));
        }
        StatementKind::While(repeat) => f(std::slice::from_ref(&repeat.body)),
        _ => {}
    }
}

/// The parameters that statements leave open, in any order. What the text says about
/// `IDENTITY_INSERT` holds for what follows it; the caller undoes that.
fn undeclared_in_all(
    context: &mut Context<'_>,
    declared: &Program,
    statements: &[ast::Statement],
    open: &mut Vec<Open>,
) -> SqlResult<()> {
    for statement in statements {
        if let StatementKind::SetOption(option) = &statement.kind
            && let ast::SetOption::IdentityInsert { table, on } = &**option
        {
            let found = context.find_table(table)?.filter(|_| *on);
            context.session.identity_insert = found.map(|(at, table)| (at, table.id()));
        }
        for found in undeclared_in(context, declared, statement)? {
            let known = declared.variables.find(&found.name, u32::MAX).is_some();
            if !known && !open.iter().any(|o| same_identifier(&o.name, &found.name)) {
                open.push(found);
            }
        }
        let mut result = Ok(());
        within(statement, |inner| {
            if result.is_ok() {
                result = undeclared_in_all(context, declared, inner, open);
            }
        });
        result?;
    }
    Ok(())
}

/// The parameters that a statement leaves open, but for statements within it.
fn undeclared_in(
    context: &mut Context<'_>,
    declared: &Program,
    statement: &ast::Statement,
) -> SqlResult<Vec<Open>> {
    use Fragment::{Condition, Value};
    let variable =
        |name: &str| declared.variables.find_scalar(name, u32::MAX).ok().map(|(_, ty)| ty);
    let fragments: Vec<Fragment<'_>> = match &statement.kind {
        StatementKind::Execute(execute) => return undeclared_in_call(context, execute),
        StatementKind::Select(_)
        | StatementKind::Insert(_)
        | StatementKind::Update(_)
        | StatementKind::Delete(_)
        | StatementKind::Merge(_) => vec![Fragment::Statement(statement)],
        StatementKind::If(choice) => {
            choice.branches.iter().map(|branch| Condition(&branch.condition)).collect()
        }
        StatementKind::While(repeat) => vec![Condition(&repeat.condition)],
        StatementKind::Declare(variables) => (variables.iter())
            .filter_map(|declared| match &declared.kind {
                VariableKind::Scalar { value: Some(value), .. } => {
                    Some(Value(value, variable(&declared.name.name)))
                }
                _ => None,
            })
            .collect(),
        StatementKind::SetVariable(set) => vec![Value(&set.value, variable(&set.variable.name))],
        StatementKind::Print(value) => vec![Value(value, None)],
        _ => Vec::new(),
    };
    let session = &*context.session;
    let variables = &declared.variables;
    let all = variables.len() as u32;
    let names = StatementNames { session, variables, declared: all, hidden: &[] };
    let statistics = EngineStatistics::at_once(session);
    let options = BindOptions::default();
    let bind = BindContext { names: &names, options, statistics: &statistics };
    let mut open = Vec::new();
    for fragment in fragments {
        let found = bind::suggest_parameters(&bind, fragment)?;
        let of = |s: bind::Suggestion| Open { name: s.name, ty: s.ty, output: false, formal: None };
        open.extend(found.into_iter().map(of));
    }
    Ok(open)
}

/// Arguments of a procedure have its parameters' types.
fn undeclared_in_call(context: &mut Context<'_>, execute: &ast::Execute) -> SqlResult<Vec<Open>> {
    let Some(called) = called_program(context, execute)? else { return Ok(Vec::new()) };
    let ExecuteTarget::Procedure { arguments, .. } = &execute.target else { return Ok(Vec::new()) };
    let Some(module) = &called.module else { return Ok(Vec::new()) };
    let mut open = Vec::new();
    if let Some(status) = &execute.status {
        let name = status.name.clone();
        open.push(Open { name, ty: SqlType::int(), output: true, formal: None });
    }
    for (at, argument) in arguments.iter().enumerate() {
        let ArgumentValue::Variable(variable) = &argument.value else { continue };
        let parameter = match &argument.name {
            Some(name) => module.parameters.iter().find(|p| same_identifier(&p.name, &name.name)),
            None => module.parameters.get(at),
        };
        let Some(parameter) = parameter else { continue };
        open.push(Open {
            name: variable.name.clone(),
            ty: parameter.ty,
            output: argument.output && parameter.output,
            formal: Some(parameter.name.clone()),
        });
    }
    Ok(open)
}

fn parameter_row(context: &Context<'_>, ordinal: i32, open: &Open) -> Vec<Value> {
    let mut row = vec![int(ordinal), text(Some(&open.name))];
    row.extend(type_values(&open.ty));
    row.extend(clr_values(context, &open.ty));
    row.extend(std::iter::repeat_n(Value::Null, 4));
    row.extend([
        int(false),
        int(case_sensitive(&open.ty)),
        int(false),
        int(true),
        int(open.output),
    ]);
    row.push(text(open.formal.as_deref()));
    let (tds_type, tds_length) = tds_type(&open.ty, true);
    row.extend([int(tds_type), int(tds_length)]);
    row
}

/// `sp_describe_parameter_encryption`: no keys, and every parameter as one that is not encrypted,
/// since no column is.
pub fn parameter_encryption(
    context: &mut Context<'_>,
    arguments: &mut Arguments<'_>,
) -> SqlResult<i32> {
    let tsql = arguments.text("@tsql").unwrap_or_default();
    let parameters = arguments.text("@params").unwrap_or_default();
    let program = context.text_program(&tsql, &parameters, ProgramKind::Dynamic);
    let program = program.map_err(|fault| fault.error)?;
    context.compile_ahead(&program).map_err(|fault| fault.error)?;
    let declared = program.variables.parameters().iter();
    let row = |(at, parameter): (i32, &Variable)| {
        vec![int(at), text(Some(&parameter.name)), int(0), int(0), int(0), int(0)]
    };
    let rows: Vec<Vec<Value>> = (1..).zip(declared).map(row).collect();
    ResultSet::new(KEY_COLUMNS).send(context, &[])?;
    ResultSet::new(ENCRYPTION_COLUMNS).send(context, &rows)?;
    Ok(0)
}
