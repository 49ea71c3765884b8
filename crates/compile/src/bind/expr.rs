//! Scalar expressions.

use std::sync::Arc;

use base::types::literal;
use base::types::operators::{self, BinaryOperator, Signature, UnaryOperator};
use base::{SqlError, SqlResult, SqlType, TypeKind, Value, message};
use engine::catalog::def::Permission;
use ir::operator::{ArithOp, CastMode, VarId};
use tsql::ast::{self, BinaryOp, Literal, Niladic, OdbcKind, PseudoColumn, UnaryOp};

use super::binder::{Binder, NoColumns, Undeclared, Variables};
use super::context::{AtLine, BindError, BindResult, Variable};
use super::scalar::{Label, Origin, Scalar};
use super::scope::{Clause, ColumnAt, Numbering, Rows, ScanSource};
use crate::plan::expr::{Expr, ExprKind};
use crate::plan::{fold, walk};

/// What lowering, walking and dropping a plan take of the stack for an operator of a chain, at
/// most.
const CHAIN_LEVEL: usize = if cfg!(debug_assertions) { 6 << 10 } else { 2 << 10 };

impl Binder<'_> {
    /// A scalar expression. Error 8631 if it nests too deeply.
    pub fn scalar(&mut self, expr: &ast::Expr) -> BindResult<Scalar> {
        let line = expr.span.line;
        self.deeper(line)?;
        match &expr.kind {
            ast::ExprKind::Literal(literal) => self.literal(literal).at(line),
            ast::ExprKind::Variable(name) => self.variable(name, line),
            ast::ExprKind::Column(column) => self.column(column),
            ast::ExprKind::PseudoColumn { qualifier, column } => {
                self.pseudo_column(qualifier.as_deref(), *column, line)
            }
            ast::ExprKind::Unary { op, operand } => self.unary(*op, operand, line),
            ast::ExprKind::Chain { first, rest } => self.chain(first, rest, line),
            ast::ExprKind::Collate { operand, collation } => {
                let operand = self.scalar(operand)?;
                self.collate(operand, collation)
            }
            ast::ExprKind::AtTimeZone { operand, zone } => {
                let operand = self.scalar(operand)?;
                let zone = self.scalar(zone)?;
                self.library_call("AT TIME ZONE", vec![operand, zone]).at(line)
            }
            ast::ExprKind::Case(case) => self.case(case, line),
            ast::ExprKind::Cast(cast) => self.cast_expr(cast, line),
            ast::ExprKind::Call(call) => self.call(call, line),
            ast::ExprKind::Method(call) => self.method_call(call, line),
            ast::ExprKind::StaticMember(member) => self.static_member(member, line),
            ast::ExprKind::Niladic(niladic) => self.niladic(*niladic).at(line),
            ast::ExprKind::Subquery(query) => self.scalar_subquery(query),
            ast::ExprKind::NextValue(next) => self.next_value(next, line),
            ast::ExprKind::Odbc(kind, text) => self.odbc(*kind, text).at(line),
            ast::ExprKind::IdentityFunction(_) => {
                Err(SqlError::new(&message::IDENTITY_FUNCTION_WITHOUT_INTO, &[])
                    .at_line(line)
                    .into())
            }
        }
    }

    /// `first + a - b`, from left to right. Errors 8631 and those of each operator.
    fn chain(
        &mut self,
        first: &ast::Expr,
        rest: &[(BinaryOp, ast::Expr)],
        line: u32,
    ) -> BindResult<Scalar> {
        // In the plan each operator is inside the next one, and what walks plans does not look at
        // the stack.
        if !base::stack::reserve(rest.len().saturating_mul(CHAIN_LEVEL).max(base::stack::ROOM)) {
            return Err(SqlError::new(&message::STACK_LIMIT, &[]).at_line(line).into());
        }
        let mut left = self.scalar(first)?;
        for (op, right) in rest {
            let right = self.scalar(right)?;
            left = self.binary(*op, left, right).at(line)?;
        }
        Ok(left)
    }

    /// A constant.
    pub fn literal(&mut self, literal: &Literal) -> BindResult<Scalar> {
        let collation = self.collation();
        let (ty, value) = match literal {
            Literal::Null => return Ok(Scalar::null()),
            Literal::Integer(value) => {
                let constant = Scalar::constant(SqlType::int(), Value::Int(i64::from(*value)));
                return Ok(Scalar { origin: Origin::Integer, ..constant });
            }
            Literal::Numeric(text) => literal::numeric_value(text)?,
            Literal::Float(text) => literal::float_value(text)?,
            Literal::Money(text) => literal::money_value(text)?,
            Literal::String(text) => {
                let value = Value::chars(text, collation);
                let Value::Chars(bytes) = &value else { unreachable!("that is what it makes") };
                (literal::chars(bytes.len(), collation), value)
            }
            Literal::National(text) => {
                let value = Value::unicode(text);
                let Value::Unicode(bytes) = &value else { unreachable!("that is what it makes") };
                (literal::unicode(bytes.len() / 2, collation), value)
            }
            Literal::Binary(bytes) => {
                (literal::binary(bytes.len()), Value::Bytes(bytes.as_ref().into()))
            }
        };
        Ok(Scalar::constant(ty, value))
    }

    /// A variable, a parameter, or a function like `@@ROWCOUNT`. Error 137: the variable is not
    /// declared.
    pub fn variable(&mut self, name: &Arc<str>, line: u32) -> BindResult<Scalar> {
        match &self.env.variables {
            Variables::None => {}
            Variables::Module => match self.names.variable(name) {
                Some(Variable::Scalar { id, ty, nullable }) => {
                    let expr = Expr { kind: ExprKind::Variable(id), ty, nullable };
                    return Ok(Scalar::computed(expr));
                }
                Some(Variable::Cursor) => {
                    let error = SqlError::new(&message::CURSOR_VARIABLE_MISPLACED, &[name]);
                    return Err(error.at_line(line).into());
                }
                Some(Variable::Table { .. }) => return Err(undeclared(name, line)),
                None => {}
            },
            Variables::Parameters(list) => {
                let list = list.clone();
                let found = list.iter().find(|p| self.same_name(&p.0, name));
                if let Some((_, argument, outermost)) = found {
                    self.outermost = self.outermost.min(*outermost);
                    return Ok(self.copy(argument));
                }
            }
        }
        if name.starts_with("@@") {
            return match self.names.functions().scalar(name) {
                Some(_) => self.library_call(name, Vec::new()).at(line),
                None => Err(undeclared(name, line)),
            };
        }
        if self.undeclared.is_some() && matches!(self.env.variables, Variables::Module) {
            return Ok(self.undeclared_variable(name));
        }
        Err(undeclared(name, line))
    }

    /// A variable whose type is being inferred.
    fn undeclared_variable(&mut self, name: &Arc<str>) -> Scalar {
        let place = |list: &[Undeclared], binder: &Binder<'_>| {
            list.iter().position(|u| binder.same_name(&u.name, name))
        };
        let list = self.undeclared.as_deref().unwrap_or_default();
        let at = place(list, self).unwrap_or(list.len());
        let list = self.undeclared.get_or_insert_default();
        if at == list.len() {
            list.push(Undeclared {
                name: name.clone(),
                var: VarId(u32::MAX - at as u32),
                ty: None,
                like: None,
            });
        }
        let Undeclared { var, ty, .. } = list[at];
        let expr = Expr {
            kind: ExprKind::Variable(var),
            ty: ty.unwrap_or(SqlType::int()),
            nullable: true,
        };
        match ty {
            Some(_) => Scalar::computed(expr),
            None => Scalar { expr, label: Label::NONE, origin: Origin::Undeclared(at as u16) },
        }
    }

    /// A column. Errors 128, 207, 209, 4104.
    fn column(&mut self, column: &ast::ColumnRef) -> BindResult<Scalar> {
        let found = match self.column_or_property(column) {
            Ok(Named::Property(value)) => return Ok(value),
            Ok(Named::Column(at)) => Ok(at),
            Err(error) => Err(error),
        };
        match self.known(found)? {
            Some(at) => self.column_at(at),
            None => Ok(Scalar::null()),
        }
    }

    /// What is written like a column: one, or a property of one.
    pub fn column_or_property(&mut self, column: &ast::ColumnRef) -> BindResult<Named> {
        match self.find_column(column) {
            Err(error)
                if column.qualifier.is_some() && matches!(error.error.number(), 207 | 4104) =>
            {
                self.column_property(column)?.map(Named::Property).ok_or(error)
            }
            found => found.map(Named::Column),
        }
    }

    /// Where a column is found.
    pub fn find_column(&mut self, column: &ast::ColumnRef) -> BindResult<ColumnAt> {
        let line = column.column.span.line;
        let qualifier = column.qualifier.as_deref();
        if self.blocks.len() == self.env.base && self.no_columns == NoColumns::NotPermitted {
            let name = match qualifier {
                Some(qualifier) => format!("{qualifier}.{}", column.column.name),
                None => column.column.name.to_string(),
            };
            return Err(SqlError::new(&message::NAME_NOT_PERMITTED, &[&name]).at_line(line).into());
        }
        self.resolve_column(qualifier, &column.column).map_err(|error| match self.blocks.last() {
            Some(block) if block.clause == Clause::Values && error.error.number() == 207 => {
                let message = &message::NAME_NOT_PERMITTED;
                SqlError::new(message, &[&column.column.name]).at_line(line).into()
            }
            _ => error,
        })
    }

    /// `$identity`, `$rowguid`. Error 207 without such a column.
    fn pseudo_column(
        &mut self,
        qualifier: Option<&ast::ObjectName>,
        column: PseudoColumn,
        line: u32,
    ) -> BindResult<Scalar> {
        let (name, wanted): (_, fn(&engine::catalog::def::ColumnDef) -> bool) = match column {
            PseudoColumn::Identity => ("$identity", |c| c.identity.is_some()),
            PseudoColumn::RowGuid => ("$rowguid", |c| c.rowguidcol),
            PseudoColumn::Action => return self.merge_action(line),
            PseudoColumn::RowNumber => {
                // Definitions are of columns: a row may have another number when its table is made
                // anew.
                let is_query = !self.scalar_only;
                let has = |scan: &ScanSource| (is_query && scan.has_row_numbers()).then_some(());
                let (block, source, ()) = self.only_scan(qualifier, "$row_number", has).at(line)?;
                return Ok(self.row_number(block, source));
            }
        };
        let own = |scan: &ScanSource| {
            (0..scan.columns()).find(|&o| scan.column(o).def.is_some_and(wanted))
        };
        let (block, source, ordinal) = self.only_scan(qualifier, name, own).at(line)?;
        self.column_at(ColumnAt { block, source, ordinal })
    }

    /// The block, and the one of its sources that has something. Errors 207 and 209, in which this
    /// has a name.
    fn only_scan<T>(
        &self,
        qualifier: Option<&ast::ObjectName>,
        name: &str,
        has: impl Fn(&ScanSource) -> Option<T>,
    ) -> BindResult<(usize, usize, T)> {
        let mut found = None;
        if let Some(block) = self.blocks.len().checked_sub(1).filter(|b| *b >= self.env.base) {
            for source in self.blocks[block].visible.clone() {
                let of = &self.blocks[block].sources[source];
                if qualifier.is_some_and(|q| !self.is_called(of, q)) {
                    continue;
                }
                let Rows::Scan(scan) = &of.rows else { continue };
                let Some(own) = has(scan) else { continue };
                if found.replace((block, source, own)).is_some() {
                    return Err(SqlError::new(&message::AMBIGUOUS_COLUMN, &[&name]).into());
                }
            }
        }
        found.ok_or_else(|| SqlError::new(&message::INVALID_COLUMN, &[&name]).into())
    }

    /// The hidden number of a source's rows.
    pub(super) fn row_number(&mut self, block: usize, source: usize) -> Scalar {
        let id = self.free_column();
        let source = &mut self.blocks[block].sources[source];
        let Rows::Scan(scan) = &mut source.rows else { unreachable!("the caller has seen a scan") };
        let kind = ExprKind::Column(*scan.row_number.get_or_insert(id));
        Scalar::computed(Expr { kind, ty: SqlType::bigint(), nullable: source.optional })
    }

    /// `$action`, in the `OUTPUT` of a `MERGE`. Error 207 elsewhere.
    fn merge_action(&self, line: u32) -> BindResult<Scalar> {
        let Some(column) = self.action else {
            return Err(SqlError::new(&message::INVALID_COLUMN, &[&"$action"])
                .at_line(line)
                .into());
        };
        let ty = SqlType::nvarchar(10, self.collation());
        Ok(Scalar::computed(Expr { kind: ExprKind::Column(column), ty, nullable: true }))
    }

    fn unary(&mut self, op: UnaryOp, operand: &ast::Expr, line: u32) -> BindResult<Scalar> {
        let operand = self.scalar(operand)?;
        self.unary_of(op, operand).at(line)
    }

    fn unary_of(&mut self, op: UnaryOp, operand: Scalar) -> BindResult<Scalar> {
        let operator = match op {
            UnaryOp::Plus => return Ok(operand),
            UnaryOp::Minus => UnaryOperator::Minus,
            UnaryOp::BitNot => UnaryOperator::BitNot,
        };
        if operand.origin == Origin::Null {
            return Ok(operand);
        }
        // A string is negated as an int.
        let operand = match operand.expr.ty.kind.is_character() {
            true => Scalar::computed(self.coerce(operand, SqlType::int())?),
            false => operand,
        };
        let ty = operators::unary(operator, &operand.expr.ty)?;
        let origin = operand.origin;
        let inner = self.cast(operand.expr, ty, CastMode::Explicit);
        if let ExprKind::Constant(value) = &inner.kind
            && let Ok(value) = base::arithmetic::negate(operator, value.as_ref(), &ty)
        {
            let constant = Scalar::constant(ty, value.to_owned());
            return Ok(Scalar { origin, ..constant });
        }
        // The smallest integer has no negative.
        let overflows = op == UnaryOp::Minus && (ty.kind.is_integer() || ty.kind.is_money());
        let nullable = inner.nullable || overflows;
        let kind = match op {
            UnaryOp::BitNot => ExprKind::BitNot(Box::new(inner)),
            _ => ExprKind::Negate(Box::new(inner)),
        };
        Ok(Scalar::computed(Expr { kind, ty, nullable }))
    }

    /// A binary operator on scalars. Errors 206, 257, 402, 468, 8117.
    pub fn binary(&mut self, op: BinaryOp, left: Scalar, right: Scalar) -> BindResult<Scalar> {
        let operator = operator_of(op);
        let label = left.label.combine(right.label, operator.name())?;
        let signature = operators::arithmetic(operator, &left.operand(), &right.operand())?;
        let Signature { left: l, right: r, result } = signature;
        let concatenates = result.kind.is_character() || result.kind.is_binary();
        let collation = label.any_collation();
        let with = |ty: SqlType| collation.map_or(ty, |c| ty.recollated(c));
        let (l, r, result) = (with(l), with(r), with(result));
        let mut left = self.coerce_operand(left, l, concatenates)?;
        let mut right = self.coerce_operand(right, r, concatenates)?;
        if concatenates && op == BinaryOp::Add && !self.options.concat_null_yields_null {
            (left, right) = (self.or_empty(left)?, self.or_empty(right)?);
        }
        let nullable = left.nullable || right.nullable;
        if let (ExprKind::Constant(a), ExprKind::Constant(b)) = (&left.kind, &right.kind) {
            let signature = Signature { left: l, right: r, result };
            if let Ok(value) = fold::arithmetic(operator, a, b, &signature, &mut self.arena) {
                let nullable = value.is_null();
                let expr = Expr { kind: ExprKind::Constant(value), ty: result, nullable };
                return Ok(Scalar { expr, label, origin: Origin::Plain });
            }
        }
        // With ARITHABORT and ANSI_WARNINGS off, what overflows or divides by zero is NULL;
        // computed columns are declared so whatever the options are.
        let nullable = nullable || !concatenates;
        let (left, right) = (Box::new(left), Box::new(right));
        let kind = match arith_of(op) {
            ArithOp::Add if concatenates => ExprKind::Concat(left, right),
            op => ExprKind::Arith { op, left, right },
        };
        let label = if concatenates { label } else { Label::NONE };
        Ok(Scalar { expr: Expr { kind, ty: result, nullable }, label, origin: Origin::Plain })
    }

    /// What is concatenated where CONCAT_NULL_YIELDS_NULL is off: empty instead of NULL.
    fn or_empty(&mut self, operand: Expr) -> BindResult<Expr> {
        if !operand.nullable {
            return Ok(operand);
        }
        let ty = operand.ty;
        let empty = match ty.kind.repr() {
            base::types::Repr::Chars => Value::Chars(Box::default()),
            base::types::Repr::Unicode => Value::Unicode(Box::default()),
            _ => Value::Bytes(Box::default()),
        };
        if let ExprKind::Constant(Value::Null) = operand.kind {
            return Ok(Expr { kind: ExprKind::Constant(empty), ty, nullable: false });
        }
        let empty = Scalar::constant(ty, empty);
        Ok(self.isnull(Scalar::computed(operand), empty)?.expr)
    }

    /// An operand as the operator requires it. What is concatenated need not be converted to a
    /// longer type of its family.
    fn coerce_operand(
        &mut self,
        operand: Scalar,
        ty: SqlType,
        concatenates: bool,
    ) -> BindResult<Expr> {
        let own = operand.expr.ty;
        let fits = concatenates
            && !operand.is_untyped()
            && own.kind.repr() == ty.kind.repr()
            && own.collation == ty.collation;
        if fits { Ok(operand.expr) } else { self.coerce(operand, ty) }
    }

    fn niladic(&mut self, niladic: Niladic) -> BindResult<Scalar> {
        let name = match niladic {
            Niladic::CurrentTimestamp => "CURRENT_TIMESTAMP",
            Niladic::CurrentDate => "CURRENT_DATE",
            Niladic::CurrentUser => "CURRENT_USER",
            Niladic::SessionUser => "SESSION_USER",
            Niladic::SystemUser => "SYSTEM_USER",
            Niladic::User => "USER",
        };
        self.library_call(name, Vec::new())
    }

    /// `{d '…'}` and the like.
    pub fn odbc(&mut self, kind: OdbcKind, text: &str) -> BindResult<Scalar> {
        let literal = self.literal(&Literal::String(text.into()))?;
        let ty = match kind {
            OdbcKind::Guid => SqlType::uniqueidentifier(),
            _ => SqlType::datetime(),
        };
        // Year, month and day stand in this order whatever the session's is.
        let ymd = Scalar::constant(SqlType::int(), Value::Int(ODBC_CANONICAL)).expr;
        let style = (kind != OdbcKind::Guid).then_some(ymd);
        let value = self.explicit_cast(literal, ty, CastMode::Explicit, style)?;
        if kind != OdbcKind::Time {
            return Ok(value);
        }
        // A time is one of today.
        let now = self.library_call("GETDATE", Vec::new())?;
        let today = self.explicit_cast(now, SqlType::date(), CastMode::Explicit, None)?;
        let today = self.explicit_cast(today, ty, CastMode::Explicit, None)?;
        self.binary(BinaryOp::Add, today, value)
    }

    /// `NEXT VALUE FOR`. Errors 208, 11726, 11741 and those about its place.
    fn next_value(&mut self, next: &ast::NextValue, line: u32) -> BindResult<Scalar> {
        if (self.env.depth > 0 && !self.in_default) || self.options.in_function {
            let error = SqlError::new(&message::NEXT_VALUE_FOR_NOT_ALLOWED_HERE, &[]);
            return Err(error.at_line(line).into());
        }
        if self.in_conditional {
            return Err(SqlError::new(&message::NEXT_VALUE_FOR_IN_CASE, &[]).at_line(line).into());
        }
        self.check_next_value_place(&next.over, line)?;
        let sequence = self.sequence(&next.sequence)?;
        self.note_access(self.env.database, sequence.header.id, Permission::Update);
        self.facts.takes_sequence_values = true;
        if let Some(mentions) = &mut self.mentions {
            mentions.nondeterministic = true;
            mentions.sequences.push((next.sequence.clone(), sequence.header.id));
        }
        let (id, ty) = (sequence.header.id, sequence.ty);
        let value = Expr { kind: ExprKind::NextValue(id), ty, nullable: false };
        if next.over.is_empty() {
            return Ok(Scalar::computed(value));
        }
        let order = self.inside_window(line, |b| b.window_order(&next.over))?;
        let column = self.free_column();
        let numberings = &mut self.block().numberings;
        match numberings.iter().position(|n| walk::same_keys(&n.order, &order)) {
            Some(at) => numberings[at].columns.push((column, value)),
            None if numberings.iter().any(|n| n.takes_from(id)) => {
                let error = SqlError::new(&message::NEXT_VALUE_FOR_ORDERS_DIFFER, &[]);
                return Err(error.at_line(line).into());
            }
            None => numberings.push(Numbering { order, columns: vec![(column, value)] }),
        }
        Ok(Scalar::computed(Expr { kind: ExprKind::Column(column), ty, nullable: false }))
    }
}

impl Binder<'_> {
    /// Errors 11719, 11720, 11721 and 11723 about where a sequence is asked.
    fn check_next_value_place(&self, over: &[ast::OrderItem], line: u32) -> BindResult<()> {
        let Some(block) = self.blocks.last().filter(|_| self.blocks.len() > self.env.base) else {
            return Ok(());
        };
        let nested = self.blocks.len() - self.env.base > 1;
        let message = match block.clause {
            Clause::On | Clause::Where | Clause::GroupBy | Clause::Having => {
                &message::NEXT_VALUE_FOR_NOT_ALLOWED_IN_CLAUSE
            }
            Clause::OrderBy | Clause::Top | Clause::Output | Clause::OfChanges(_) => {
                &message::NEXT_VALUE_FOR_NOT_ALLOWED_IN_CLAUSE
            }
            _ if nested || block.is_part => &message::NEXT_VALUE_FOR_NOT_ALLOWED_HERE,
            _ if block.is_distinct => &message::NEXT_VALUE_FOR_WITH_SET_OPERATOR,
            _ if block.is_ordered && over.is_empty() => &message::NEXT_VALUE_FOR_WITH_ORDER_BY,
            _ => return Ok(()),
        };
        Err(SqlError::new(message, &[]).at_line(line).into())
    }
}

/// What is written like a column.
pub(super) enum Named {
    /// A column.
    Column(ColumnAt),
    /// The value of a property of a column.
    Property(Scalar),
}

/// The style of CONVERT that reads `yyyy-mm-dd hh:mi:ss.mmm`.
const ODBC_CANONICAL: i64 = 121;

/// Error 137: the variable is not declared.
pub(super) fn undeclared(name: &str, line: u32) -> BindError {
    SqlError::new(&message::UNDECLARED_VARIABLE, &[&name]).at_line(line).into()
}

/// The operator as base knows it.
pub(super) fn operator_of(op: BinaryOp) -> BinaryOperator {
    match op {
        BinaryOp::Add => BinaryOperator::Add,
        BinaryOp::Subtract => BinaryOperator::Subtract,
        BinaryOp::Multiply => BinaryOperator::Multiply,
        BinaryOp::Divide => BinaryOperator::Divide,
        BinaryOp::Modulo => BinaryOperator::Modulo,
        BinaryOp::BitAnd => BinaryOperator::BitAnd,
        BinaryOp::BitOr => BinaryOperator::BitOr,
        BinaryOp::BitXor => BinaryOperator::BitXor,
    }
}

fn arith_of(op: BinaryOp) -> ArithOp {
    match op {
        BinaryOp::Add => ArithOp::Add,
        BinaryOp::Subtract => ArithOp::Subtract,
        BinaryOp::Multiply => ArithOp::Multiply,
        BinaryOp::Divide => ArithOp::Divide,
        BinaryOp::Modulo => ArithOp::Modulo,
        BinaryOp::BitAnd => ArithOp::BitAnd,
        BinaryOp::BitOr => ArithOp::BitOr,
        BinaryOp::BitXor => ArithOp::BitXor,
    }
}

/// Whether a clause can sort and group values by a kind of type. Errors 249, 305, 306, 13636.
pub(super) fn check_sortable(kind: TypeKind, clause: &str) -> SqlResult<()> {
    match kind {
        TypeKind::Json => Err(SqlError::new(&message::JSON_NOT_COMPARABLE, &[]).with_state(2)),
        TypeKind::Xml => Err(SqlError::new(&message::XML_NOT_COMPARABLE, &[])),
        _ if kind.is_spatial() => {
            Err(SqlError::new(&message::TYPE_NOT_COMPARABLE, &[&kind, &clause]))
        }
        _ if kind.is_legacy_lob() => Err(SqlError::new(&message::LEGACY_LOB_COMPARED, &[])),
        _ => Ok(()),
    }
}
