//! Methods. Those of CLR types are in `clr`; the rest is about type xml: a call becomes one of the
//! library, with the node and document that it is applied to, its query, and what the query wants
//! of the statement around.
//!
//! A column that `nodes()` has made stands for a node by its number. The binder keeps beside it the
//! document that the node is in: methods of the column take both. Nothing else may read the column.
//!
//! * `around`: columns and variables that a query mentions; `nodes`: rows of nodes.

mod around;
mod clr;
mod nodes;

use base::types::XmlUse;
use base::types::declare::Subject;
use base::xml::schema::Collections as _;
use base::{Pace, SqlError, SqlResult, SqlType, TypeKind, Value, message};
use ir::function::method::{MethodPlan, MethodQuery, names};
use ir::operator::CastMode;
use tsql::ast::{self, Argument, Arguments, Literal, MemberUse};
use xquery::index::{Condition, Target};
use xquery::{NodeShape, Purpose};

use super::binder::Binder;
use super::context::{AtLine, BindError, BindResult};
use super::derived_index::XmlCall;
use super::scalar::{Label, Scalar};
use super::scope::ColumnAt;
use crate::plan::expr::{Expr, ExprKind};
use crate::plan::statistics::Statistics;
use crate::plan::walk::{self, Part, Parts};

/// What statements with methods need of the session's options, as error 1934 lists it.
const FEATURES: &str = "indexed views and/or indexes on computed columns and/or filtered indexes \
     and/or query notifications and/or XML data type methods and/or spatial index operations";

/// The methods, whose names are in lower case.
const METHODS: [(&str, Purpose); 5] = [
    ("query", Purpose::Query),
    ("value", Purpose::Value),
    ("exist", Purpose::Exist),
    ("nodes", Purpose::Nodes),
    ("modify", Purpose::Modify),
];

/// The nodes of a column that `nodes()` has made.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    /// The document that they are in.
    document: Scalar,
    /// What messages call that document before the method's name.
    receiver: Option<String>,
    /// What the nodes may be.
    shape: NodeShape,
    /// The queries that have found them, the outermost first.
    levels: Vec<MethodQuery>,
}

/// What a method is applied to.
pub(super) struct Receiver {
    node: Scalar,
    nodes: Nodes,
    /// The value as it is written, if it is a variable or column.
    written: String,
}

/// A call of a method as it is written.
#[derive(Clone, Copy)]
struct Written<'t> {
    name: &'t str,
    /// `None` for a property.
    arguments: Option<&'t [ast::Expr]>,
    line: u32,
}

/// A method whose query is compiled.
struct Compiled {
    plan: MethodPlan,
    outer: Vec<Scalar>,
    shape: NodeShape,
    condition: Option<Condition>,
    target: Option<Target>,
}

impl Binder<'_> {
    /// `operand.name(arguments)`, `operand.name`. Errors 227, 258, 8113, 8137 and those of the
    /// method.
    pub fn method_call(&mut self, call: &ast::MethodCall, line: u32) -> BindResult<Scalar> {
        let receiver = self.receiver(&call.operand)?;
        let name = &*call.name.name;
        let written = Written { name, arguments: call.arguments.as_deref(), line };
        self.method(receiver, written, call.usage).at(line)
    }

    /// `column.modify(…)` or `column.property = …` in an `UPDATE`, of a column with this value.
    pub fn column_mutator(
        &mut self,
        call: &ast::MethodCall,
        value: Scalar,
        receiver: Option<String>,
        line: u32,
    ) -> BindResult<Scalar> {
        let column = match &call.operand.kind {
            ast::ExprKind::Column(column) => column.column.name.to_string(),
            _ => String::new(),
        };
        let receiver = Receiver::of(value, receiver, column);
        let name = &*call.name.name;
        let written = Written { name, arguments: call.arguments.as_deref(), line };
        self.method(receiver, written, call.usage).at(line)
    }

    /// What looks like a function in a schema but is a method of a column. `None` if there is no
    /// such column. Error 344 where the column's name has too many parts.
    pub fn column_method(
        &mut self,
        call: &ast::FunctionCall,
        line: u32,
    ) -> BindResult<Option<Scalar>> {
        let name = &*call.name.name.name;
        let Arguments::List { distinct: false, items } = &call.arguments else { return Ok(None) };
        let Some(column) = column_before(&call.name) else { return Ok(None) };
        let is_xml = METHODS.iter().any(|(method, _)| *method == name);
        if !is_xml {
            match self.column_if_any(&column)? {
                Some(at) if self.has_clr_type(at) => {}
                _ => return Ok(None),
            }
        }
        if call.name.server.is_some() {
            let first = call.name.server.as_ref().map_or("", |server| &*server.name);
            let args: [&dyn std::fmt::Display; 2] = [&call.name, &first];
            return Err(SqlError::new(&message::REMOTE_FUNCTION, &args).at_line(line).into());
        }
        let Some(at) = self.column_if_any(&column)? else { return Ok(None) };
        let mut arguments = Vec::with_capacity(items.len());
        for item in items {
            match item {
                Argument::Expr(expr) => arguments.push(expr.clone()),
                Argument::Default(_) => return Err(not_literal(arguments.len(), name).into()),
            }
        }
        let receiver = self.receiver_at(at, &column)?;
        let written = Written { name, arguments: Some(&arguments), line };
        self.method(receiver, written, MemberUse::Read).at(line).map(Some)
    }

    /// Whether a column has members as those of CLR types are.
    fn has_clr_type(&self, at: ColumnAt) -> bool {
        let source = &self.blocks[at.block].sources[at.source];
        source.column_kind(at.ordinal).is_clr()
    }

    /// A column of this name; `None` if there is none.
    fn column_if_any(&mut self, column: &ast::ColumnRef) -> BindResult<Option<ColumnAt>> {
        if self.blocks.len() == self.env.base {
            return Ok(None);
        }
        match self.resolve_column(column.qualifier.as_deref(), &column.column) {
            Ok(at) => Ok(Some(at)),
            Err(error) if matches!(error.error.number(), 207 | 4104) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn receiver(&mut self, operand: &ast::Expr) -> BindResult<Receiver> {
        match &operand.kind {
            ast::ExprKind::Column(column) => {
                let at = self.find_column(column)?;
                self.receiver_at(at, column)
            }
            ast::ExprKind::Variable(name) => {
                let value = self.variable(name, operand.span.line)?;
                Ok(Receiver::of(value, None, name.to_string()))
            }
            _ => Ok(Receiver::of(self.scalar(operand)?, None, String::new())),
        }
    }

    fn receiver_at(&mut self, at: ColumnAt, column: &ast::ColumnRef) -> BindResult<Receiver> {
        let written = column.column.name.to_string();
        if let Some((node, nodes)) = self.node_column(at) {
            return Ok(Receiver { node, nodes, written });
        }
        let receiver = self.written_column_at(at);
        Ok(Receiver::of(self.column_at(at)?, Some(receiver), written))
    }

    /// A column that `nodes()` has made, and what is known of its nodes.
    pub fn node_column(&self, at: ColumnAt) -> Option<(Scalar, Nodes)> {
        let source = &self.blocks[at.block].sources[at.source];
        let (column, nodes) = source.nodes(at.ordinal)?;
        let nullable = column.nullable || source.optional;
        let expr = Expr { kind: ExprKind::Column(column.id), ty: column.ty, nullable };
        Some((Scalar::computed(expr), self.nodes[nodes as usize].clone()))
    }

    /// An operand that is a column which `nodes()` has made.
    pub fn node_operand(&mut self, operand: &ast::Expr) -> BindResult<Option<Scalar>> {
        let ast::ExprKind::Column(column) = &operand.kind else { return Ok(None) };
        let at = self.column_if_any(column)?;
        Ok(at.and_then(|at| self.node_column(at)).map(|(node, _)| node))
    }

    /// A column as messages of its methods call it: with its table as the `FROM` has it.
    fn written_column_at(&self, at: ColumnAt) -> String {
        let source = &self.blocks[at.block].sources[at.source];
        let column = source.column_name(at.ordinal).unwrap_or_default();
        let table = source.written.as_deref().unwrap_or(&source.exposed.name);
        format!("{table}.{column}")
    }

    /// A column of a source of the innermost block, likewise.
    pub fn written_column(&self, source: usize, ordinal: usize) -> String {
        self.written_column_at(ColumnAt { block: self.blocks.len() - 1, source, ordinal })
    }

    /// A call of a method that has a value. Errors 174, 227, 258, 1934, 8113, 8137, 8172, 9500 and
    /// those of the query.
    fn method(
        &mut self,
        receiver: Receiver,
        call: Written<'_>,
        usage: MemberUse,
    ) -> BindResult<Scalar> {
        let kind = receiver.nodes.document.expr.ty.kind;
        match usage {
            MemberUse::Read if kind.is_clr() => {
                return self.clr_member(receiver.nodes.document, call);
            }
            MemberUse::Assign if kind.is_clr() => return self.clr_assignment(receiver, call),
            _ => {}
        }
        if receiver.nodes.document.is_untyped() || kind != TypeKind::Xml {
            return Err(SqlError::new(&message::CANNOT_CALL_METHODS, &[&kind]).into());
        }
        let is_it = |(method, _): &&(&str, Purpose)| *method == call.name;
        let found = METHODS.iter().find(is_it).filter(|_| call.arguments.is_some());
        let unknown = || SqlError::new(&message::NOT_A_FUNCTION_OR_PROPERTY, &[&call.name]);
        let misplaced = |message| Err(SqlError::new(message, &[&call.name]).into());
        if usage == MemberUse::Assign {
            return Err(unknown().into());
        }
        let is_mutator = usage == MemberUse::Mutate;
        let (function, purpose) = match (found.ok_or_else(unknown)?.1, is_mutator) {
            (Purpose::Modify, false) => return misplaced(&message::MUTATOR_MISPLACED),
            (Purpose::Modify, true) => (names::MODIFY, Purpose::Modify),
            (_, true) => return misplaced(&message::MUTATOR_EXPECTED),
            (Purpose::Nodes, false) => return Err(unknown().into()),
            (Purpose::Query, false) => (names::QUERY, Purpose::Query),
            (Purpose::Value, false) => (names::VALUE, Purpose::Value),
            (Purpose::Exist, false) => (names::EXIST, Purpose::Exist),
        };
        let ty = match purpose {
            Purpose::Value => Some(self.type_of_value(call)?),
            _ => None,
        };
        let mut compiled = self.compiled(&receiver, call, purpose)?;
        compiled.plan.is_binary = ty.is_some_and(|ty| ty.kind.is_binary());
        compiled.plan.target = receiver.written.clone();
        self.note_conditions(&compiled);
        let args = arguments(receiver, compiled.plan, compiled.outer);
        let function = self.names.functions().scalar(function);
        let function = function.ok_or_else(|| ir::internal("the library has the methods"))?;
        let collation = self.collation();
        let result = self.apply_in(function, args, Label::NONE, collation)?;
        match ty {
            Some(ty) => {
                let expr = self.cast(result.expr, ty, CastMode::Explicit);
                Ok(Scalar::computed(Expr { nullable: true, ..expr }))
            }
            None => Ok(result),
        }
    }

    /// The type that `value()` is asked for. Error 9500.
    fn type_of_value(&mut self, call: Written<'_>) -> BindResult<SqlType> {
        check_count(call, 2)?;
        let written = literal(call, 1)?;
        let invalid = || BindError::from(SqlError::new(&message::XML_VALUE_TYPE, &[&written]));
        let parsed = tsql::parse_data_type(written).map_err(|_| invalid())?;
        let declared = self.data_type(&parsed, Subject::Type, 1, 1).map_err(|_| invalid())?;
        let ty = declared.ty;
        match ty.kind {
            TypeKind::SqlVariant => Err(invalid()),
            kind if kind.is_legacy_lob() || kind.is_opaque() => Err(invalid()),
            _ => Ok(ty),
        }
    }

    /// Compiles a method's query. Errors 174, 1934, 8172 and those of the query.
    fn compiled(
        &mut self,
        receiver: &Receiver,
        call: Written<'_>,
        purpose: Purpose,
    ) -> BindResult<Compiled> {
        check_count(call, if purpose == Purpose::Value { 2 } else { 1 })?;
        let text = literal(call, 0)?;
        if let Some(wrong) = self.options.wrong_for_indexes() {
            let args: [&dyn std::fmt::Display; 3] = [&self.verb, &wrong, &FEATURES];
            return Err(SqlError::new(&message::FAILED_SET_OPTIONS, &args).into());
        }
        if let Some(mentions) = &mut self.mentions {
            mentions.xml_methods = true;
        }
        let nodes = &receiver.nodes;
        let named = match &nodes.receiver {
            Some(receiver) => format!("{receiver}.{}()", call.name),
            None => format!("{}()", call.name),
        };
        let namespaces: Vec<(String, String)> = (self.env.namespaces.iter())
            .map(|declared| {
                let prefix = declared.prefix.as_deref().unwrap_or_default();
                (prefix.to_owned(), declared.uri.to_string())
            })
            .collect();
        let of = nodes.document.expr.ty.xml_use().filter(|_| nodes.levels.is_empty());
        let own = of.map(|of| self.shape_of(of)).transpose()?;
        let shape = own.as_ref().unwrap_or(&nodes.shape);
        let found = self.compile_query(text, purpose, &named, &namespaces, shape)?;
        let query = MethodQuery { receiver: named, text: text.into(), outer: found.names };
        let mut levels = nodes.levels.clone();
        levels.push(query);
        let of = nodes.document.expr.ty.xml_use();
        let plan = MethodPlan { of, namespaces, levels, ..MethodPlan::default() };
        let target = (purpose == Purpose::Value).then(|| found.query.target()).flatten();
        let (condition, shape) = (found.query.condition(), found.query.shape());
        Ok(Compiled { plan, outer: found.values, shape, condition, target })
    }

    /// Notes what an XML index may know of the calls with a plan.
    fn note_conditions(&mut self, compiled: &Compiled) {
        let Compiled { plan, condition, target, .. } = compiled;
        if condition.is_some() || target.is_some() {
            let (condition, target) = (condition.clone(), target.clone());
            self.xml_calls.push(XmlCall { plan: plan.encode(), condition, target });
        }
    }
}

impl Binder<'_> {
    /// What the nodes of a document with a schema collection may be.
    fn shape_of(&self, of: XmlUse) -> BindResult<NodeShape> {
        let collection = self.env.schema.collection(of.collection, &Paced(self.statistics))?;
        Ok(NodeShape::of_collection(collection, of.is_document))
    }
}

/// Lets other sessions have their turn while a collection is made ready.
struct Paced<'s>(&'s dyn Statistics);

impl Pace for Paced<'_> {
    fn pace(&self) -> SqlResult<()> {
        self.0.checkpoint()
    }
}

impl Receiver {
    /// A value, which is NULL or a whole document.
    fn of(document: Scalar, receiver: Option<String>, written: String) -> Receiver {
        let node = Scalar::constant(SqlType::bigint(), Value::Int(0));
        let is_typed = document.expr.ty.xml_use().is_some();
        let (shape, levels) = (NodeShape::document(is_typed), Vec::new());
        Receiver { node, nodes: Nodes { document, receiver, shape, levels }, written }
    }
}

/// The arguments of the library's function.
fn arguments(receiver: Receiver, plan: MethodPlan, outer: Vec<Scalar>) -> Vec<Scalar> {
    let plan = Value::Bytes(plan.encode().into());
    let plan = Scalar::constant(SqlType::varbinary(SqlType::MAX), plan);
    let mut args = vec![receiver.node, receiver.nodes.document, plan];
    args.extend(outer);
    args
}

/// The column that a name is a method of, if the last part is the method.
fn column_before(name: &ast::ObjectName) -> Option<ast::ColumnRef> {
    let column = name.schema.clone()?;
    let qualifier = name.database.clone().map(|table| {
        Box::new(ast::ObjectName { schema: name.server.clone(), ..ast::ObjectName::bare(table) })
    });
    Some(ast::ColumnRef { qualifier, column })
}

/// Error 174.
fn check_count(call: Written<'_>, wanted: usize) -> BindResult<()> {
    match call.arguments.map_or(0, <[_]>::len) == wanted {
        true => Ok(()),
        false => {
            let args: [&dyn std::fmt::Display; 2] = [&call.name, &wanted];
            Err(SqlError::new(&message::FUNCTION_ARGUMENT_COUNT, &args).into())
        }
    }
}

/// An argument that must be a string literal. Error 8172.
fn literal<'t>(call: Written<'t>, at: usize) -> BindResult<&'t str> {
    match call.arguments.and_then(|all| all.get(at)).map(|argument| &argument.kind) {
        Some(ast::ExprKind::Literal(Literal::String(text) | Literal::National(text))) => Ok(text),
        _ => Err(not_literal(at, call.name).at_line(call.line).into()),
    }
}

#[cold]
fn not_literal(at: usize, method: &str) -> SqlError {
    SqlError::new(&message::METHOD_ARGUMENT_NOT_LITERAL, &[&(at + 1), &method])
}

/// Whether there is a method's call in an expression.
pub(super) fn has_method(whole: &dyn Parts) -> bool {
    let mut found = false;
    walk::visit(whole, &mut |part| {
        if let Part::Expr(Expr { kind: ExprKind::Call { function, .. }, .. }) = part {
            found |= names::is_internal(function.name);
        }
    });
    found
}

/// Error 525: a column that `nodes()` has made is converted to a type.
#[cold]
pub(super) fn not_converted(ty: &SqlType) -> SqlError {
    let shown = match ty.length == SqlType::MAX && !ty.kind.is_document() {
        true => format!("{}(max)", ty.kind),
        false => ty.kind.to_string(),
    };
    SqlError::new(&message::NODES_COLUMN_CONVERTED, &[&shown])
}
