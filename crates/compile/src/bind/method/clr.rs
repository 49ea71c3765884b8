//! Members of CLR types: a call becomes one of the library. Which members there are is in
//! `ir::function::clr`.

use base::types::declare;
use base::{SqlError, SqlType, TypeKind, Value, clr, message};
use ir::function::clr::{Member, MemberKind, hierarchyid, members, spatial};
use ir::operator::CompareOp;
use tsql::ast::{self, Argument, Arguments, ObjectName};

use super::super::binder::Binder;
use super::super::context::{AtLine, BindResult};
use super::super::scalar::{Label, Scalar};
use super::{Receiver, Written};
use crate::plan::expr::{Expr, ExprKind, Pred};
use crate::plan::walk;

impl Binder<'_> {
    /// `type::name(arguments)`, `type::name`. Errors 243, 258, 6506, 6573, 6592.
    pub fn static_member(&mut self, written: &ast::StaticMember, line: u32) -> BindResult<Scalar> {
        let is_system = |s: &ast::Ident| s.name.eq_ignore_ascii_case("sys");
        let ty = &written.ty;
        let is_built_in = ty.schema.as_ref().is_none_or(is_system) && ty.database.is_none();
        let Some(kind) = declare::kind_by_name(&ty.name.name).filter(|_| is_built_in) else {
            let error = SqlError::new(&message::NOT_A_SYSTEM_TYPE, &[&ty.to_string()]);
            return Err(error.at_line(line).into());
        };
        let arguments = written.arguments.as_deref();
        let call = Written { name: &written.name.name, arguments, line };
        let member = member(kind, call).at(line)?;
        match member.kind {
            MemberKind::Instance => {
                Err(misplaced(&message::CLR_NOT_STATIC, member, kind).at_line(line).into())
            }
            MemberKind::Static => self.member_call(member, None, call).at(line),
            MemberKind::Aggregate => self.member_aggregate(member, kind, written, line),
        }
    }

    /// A member of a value. Errors 258, 6506, 6574, 6592.
    pub(super) fn clr_member(&mut self, value: Scalar, call: Written<'_>) -> BindResult<Scalar> {
        let kind = value.expr.ty.kind;
        let member = member(kind, call)?;
        if member.kind != MemberKind::Instance {
            return Err(misplaced(&message::CLR_STATIC, member, kind).into());
        }
        self.member_call(member, Some(value), call)
    }

    /// A value with another value of a property, which is the argument. Errors 6592, and 258 for
    /// what cannot be assigned.
    pub(super) fn clr_assignment(
        &mut self,
        receiver: Receiver,
        call: Written<'_>,
    ) -> BindResult<Scalar> {
        let kind = receiver.nodes.document.expr.ty.kind;
        let member = member(kind, Written { arguments: None, ..call })?;
        let Some(setter) = member.setter else {
            return Err(misplaced(&message::CLR_NO_SETTER, member, kind).into());
        };
        let Some([argument]) = call.arguments else {
            return Err(ir::internal("an assignment has one value").into());
        };
        let argument = self.scalar(argument)?;
        let argument = Scalar::computed(self.coerce(argument, member.result)?);
        let written = Value::unicode(&receiver.written);
        let written = Scalar::constant(SqlType::nvarchar(4000, self.collation()), written);
        self.library_call(setter, vec![receiver.nodes.document, argument, written])
    }

    /// A member over the values of many rows: its function is called with what the aggregate has
    /// collected.
    fn member_aggregate(
        &mut self,
        member: &Member,
        kind: TypeKind,
        written: &ast::StaticMember,
        line: u32,
    ) -> BindResult<Scalar> {
        let given = written.arguments.as_deref().unwrap_or_default();
        check_arguments(member, given).at(line)?;
        let functions = self.names.functions();
        let collect = functions.aggregate(spatial::collect(kind));
        let collect = collect.ok_or_else(|| ir::internal("the library has the aggregate"))?;
        let items = given.iter().cloned().map(Argument::Expr).collect();
        let name = ast::ObjectName::bare(written.name.clone());
        let arguments = Arguments::List { distinct: false, items };
        let collected = ast::FunctionCall {
            name,
            odbc: false,
            arguments,
            returning: None,
            ignore_nulls: None,
            within_group: Vec::new(),
            over: None,
        };
        let collected = self.aggregate_call(collect, &collected, line)?;
        self.library_call(member.function, vec![collected]).at(line)
    }

    /// What looks like a column of a table but is a property of a column. `None` if there is no
    /// such column, or its type has no properties.
    pub fn column_property(&mut self, written: &ast::ColumnRef) -> BindResult<Option<Scalar>> {
        let Some(qualifier) = &written.qualifier else { return Ok(None) };
        let table = qualifier.schema.clone().map(|table| {
            let (database, schema) = (qualifier.server.clone(), qualifier.database.clone());
            Box::new(ObjectName { database, schema, ..ObjectName::bare(table) })
        });
        let column = ast::ColumnRef { qualifier: table, column: qualifier.name.clone() };
        let Some(at) = self.column_if_any(&column)? else { return Ok(None) };
        if !self.has_clr_type(at) {
            return Ok(None);
        }
        let (name, line) = (&*written.column.name, written.column.span.line);
        let value = self.column_at(at)?;
        let call = Written { name, arguments: None, line };
        self.clr_member(value, call).at(line).map(Some)
    }

    fn member_call(
        &mut self,
        member: &'static Member,
        value: Option<Scalar>,
        call: Written<'_>,
    ) -> BindResult<Scalar> {
        let wanted = member.arguments.unwrap_or_default();
        let given = call.arguments.unwrap_or_default();
        check_arguments(member, given)?;
        let mut args: Vec<Scalar> = value.into_iter().collect();
        for (argument, ty) in given.iter().zip(wanted) {
            let argument = self.scalar(argument)?;
            args.push(Scalar::computed(self.coerce(argument, *ty)?));
        }
        self.searches_shapes |= spatial::search_of(member.function).is_some();
        let function = self.names.functions().scalar(member.function);
        let function = function.ok_or_else(|| ir::internal("the library has the members"))?;
        let collation = self.collation();
        self.apply_in(function, args, Label::NONE, collation)
    }

    /// `column.IsDescendantOf(node) = 1` as the range that the descendants of the node make up, so
    /// that an index can be searched for it. `None` of every other comparison.
    pub(in super::super) fn descendants(
        &mut self,
        left: &Scalar,
        right: &Scalar,
    ) -> BindResult<Option<Pred>> {
        let is_one =
            |scalar: &Scalar| matches!(scalar.expr.kind, ExprKind::Constant(Value::Int(1)));
        let call = match (is_one(left), is_one(right)) {
            (false, true) => left,
            (true, false) => right,
            _ => return Ok(None),
        };
        let ExprKind::Call { function, args } = &call.expr.kind else { return Ok(None) };
        let [column, node] = &args[..] else { return Ok(None) };
        if function.name != hierarchyid::IS_DESCENDANT
            || !matches!(column.kind, ExprKind::Column(_))
            || walk::has_subquery(node)
        {
            return Ok(None);
        }
        let again = self.copy(&Scalar::computed(node.clone()));
        let limit = self.library_call(hierarchyid::DESCENDANT_LIMIT, vec![again])?;
        let compare = |op, right: Expr| Pred::Compare(op, column.clone(), right);
        let range = vec![compare(CompareOp::Ge, node.clone()), compare(CompareOp::Le, limit.expr)];
        Ok(Some(Pred::And(range)))
    }
}

/// Error 174.
fn check_arguments(member: &Member, given: &[ast::Expr]) -> Result<(), SqlError> {
    let wanted = member.arguments.unwrap_or_default().len();
    match given.len() == wanted {
        true => Ok(()),
        false => {
            let args: [&dyn std::fmt::Display; 2] = [&member.name, &wanted];
            Err(SqlError::new(&message::FUNCTION_ARGUMENT_COUNT, &args))
        }
    }
}

/// A member by its name. Errors 258, 6506, 6592.
fn member(kind: TypeKind, call: Written<'_>) -> BindResult<&'static Member> {
    let Some(class) = kind.clr_class() else {
        return Err(SqlError::new(&message::CANNOT_CALL_METHODS, &[&kind]).into());
    };
    let is_property = call.arguments.is_none();
    let is_it = |m: &&Member| m.name == call.name && m.arguments.is_none() == is_property;
    members(kind).iter().find(is_it).ok_or_else(|| {
        let message = match is_property {
            true => &message::CLR_NO_PROPERTY,
            false => &message::CLR_NO_METHOD,
        };
        SqlError::new(message, &[&call.name, &class, &clr::ASSEMBLY]).into()
    })
}

/// Error 6573 or 6574.
#[cold]
fn misplaced(message: &message::Message, member: &Member, kind: TypeKind) -> SqlError {
    let class = kind.clr_class().unwrap_or_default();
    SqlError::new(message, &[&member.name, &class, &clr::ASSEMBLY])
}
