//! Scalars.
//!
//! NULL is handled by control flow ([`ir`]). An operator that is NULL when an operand is
//! (a *strict* one) is lowered by [`Lowering::strict`], which computes it under the assumption that
//! operands are not NULL and leaves for [`NullTo`] where one is: nested strict operators share one
//! way out and need no flags in between.

use base::types::{Repr, TypeKind};
use base::{SqlResult, SqlType, Value};
use ir::builder::Label;
use ir::function::{Memo, NullBehaviour, Volatility};
use ir::inst::{FloatOp, Inst, IntKind, IntOp, Reg, RegType};
use ir::operator::{ArithOp, VarId};
use ir::site::*;

use crate::lower::columns::uses_in_pred;
use crate::lower::scope::Val;
use crate::lower::{ConstantKey, Lowering};
use crate::plan::expr::{Expr, ExprKind};

/// Where to go when an operand is NULL, and what to make NULL on the way.
#[derive(Clone, Copy, Debug)]
pub struct NullTo {
    /// Made NULL, if given.
    pub dst: Option<Reg>,
    /// Where to go.
    pub label: Label,
}

/// An operand that has been computed.
struct Operand<'t> {
    reg: Reg,
    ty: &'t SqlType,
}

/// Arguments of a user's function or procedure: their registers, none for a default, and their
/// types.
pub struct UserArgs {
    /// Where each is; `None` for one that was left out.
    pub regs: Box<[Option<Reg>]>,
    /// Their types.
    pub types: Box<[SqlType]>,
}

impl Lowering {
    /// Computes an expression into some register.
    pub fn expr(&mut self, expr: &Expr) -> SqlResult<Val> {
        match &expr.kind {
            ExprKind::Constant(value) => Ok(self.constant(&expr.ty, value)),
            ExprKind::Column(col) => self.column(*col),
            ExprKind::Variable(var) => Ok(self.variable(*var, &expr.ty)),
            ExprKind::Cast { operand, mode, style } => {
                match self.free_cast(operand, &expr.ty, *mode, style.as_deref()) {
                    true => self.expr(operand),
                    false if is_steady(expr) => self.converted_once(expr),
                    false => self.computed(expr),
                }
            }
            ExprKind::Call { .. } if is_steady(expr) => self.once_per_statement(expr),
            _ => self.computed(expr),
        }
    }

    /// Computes an expression into a new register.
    fn computed(&mut self, expr: &Expr) -> SqlResult<Val> {
        let dst = self.b.reg_for(&expr.ty);
        let nullable = self.expr_into(expr, dst)?;
        Ok(Val { reg: dst, nullable })
    }

    /// Computes an expression into a register. Returns whether the result may be NULL.
    pub fn expr_into(&mut self, expr: &Expr, dst: Reg) -> SqlResult<bool> {
        self.deeper()?;
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Column(_) | ExprKind::Variable(_) => {
                let val = self.expr(expr)?;
                self.b.emit(Inst::Move { dst, src: val.reg });
                Ok(val.nullable)
            }
            ExprKind::Case { branches, otherwise } => {
                self.case(branches, otherwise.as_deref(), dst)
            }
            ExprKind::UserFunction { function, args } => {
                let UserArgs { regs: args, types } = self.optional_args(args)?;
                let site = UserCallSite { function: *function, args, types, result: expr.ty };
                self.b.unit.user_calls.push(site);
                let site = (self.b.unit.user_calls.len() - 1) as u32;
                self.b.emit(Inst::CallUser { dst, site });
                Ok(true)
            }
            ExprKind::NextValue(sequence) => {
                let val = self.next_value(*sequence, &expr.ty);
                self.b.emit(Inst::Move { dst, src: val.reg });
                Ok(val.nullable)
            }
            ExprKind::Subquery(subquery) => self.scalar_subquery(subquery, &expr.ty, dst),
            ExprKind::Call { function, args } if function.nulls == NullBehaviour::FirstKnown => {
                self.first_known(args, dst)
            }
            ExprKind::Call { function, .. } if function.nulls == NullBehaviour::Own => {
                let end = self.b.label();
                self.operation(expr, dst, NullTo { dst: Some(dst), label: end })?;
                self.b.place(end);
                Ok(true)
            }
            _ => self.strict_into(expr, dst),
        }
    }

    /// Computes a strict operator into a register. Returns whether the result may be NULL.
    fn strict_into(&mut self, expr: &Expr, dst: Reg) -> SqlResult<bool> {
        // What is loaded after the first guard is known only if no operand is NULL, so columns are
        // loaded before.
        self.touch_strict(expr)?;
        let outside = self.enter();
        let end = self.b.label();
        let guards = self.guards;
        let may_be_null = self.operation(expr, dst, NullTo { dst: Some(dst), label: end })?;
        self.b.place(end);
        self.leave(outside);
        Ok(may_be_null || self.guards > guards)
    }

    /// Computes an expression that is not NULL, or leaves where it is.
    pub fn strict(&mut self, expr: &Expr, null: NullTo) -> SqlResult<Reg> {
        let is_strict = match &expr.kind {
            ExprKind::Cast { operand, mode, style }
                if self.free_cast(operand, &expr.ty, *mode, style.as_deref()) =>
            {
                return self.strict(operand, null);
            }
            ExprKind::Arith { .. }
            | ExprKind::Concat(..)
            | ExprKind::Negate(_)
            | ExprKind::BitNot(_) => true,
            ExprKind::Cast { .. } => !is_steady(expr),
            ExprKind::Call { function, .. } => {
                function.nulls == NullBehaviour::Strict
                    && function.volatility != Volatility::RuntimeConstant
            }
            _ => false,
        };
        if !is_strict {
            let val = self.expr(expr)?;
            if val.nullable {
                self.guard(val.reg, null);
                if let ExprKind::Column(col) = &expr.kind {
                    self.known(*col);
                }
            }
            return Ok(val.reg);
        }
        let dst = self.b.reg_for(&expr.ty);
        if self.operation(expr, dst, null)? {
            self.guard(dst, null);
        }
        Ok(dst)
    }

    /// Leaves if a register is NULL.
    pub fn guard(&mut self, reg: Reg, null: NullTo) {
        self.guards += 1;
        let to = null.label.pc();
        self.b.emit(match null.dst {
            Some(dst) => Inst::Guard { dst, a: reg, to },
            None => Inst::JumpNull { a: reg, to },
        });
    }

    /// Computes the operation of a strict operator. Returns whether its own result may be NULL (a
    /// `TRY_CAST`).
    fn operation(&mut self, expr: &Expr, dst: Reg, null: NullTo) -> SqlResult<bool> {
        self.deeper()?;
        let errors_are_null = self.options.arithmetic_errors_are_null;
        match &expr.kind {
            ExprKind::Arith { op, left, right } => {
                let a = self.strict(left, null)?;
                let b = self.strict(right, null)?;
                let (a, b) = (Operand { reg: a, ty: &left.ty }, Operand { reg: b, ty: &right.ty });
                self.arith(*op, a, b, &expr.ty, dst);
                Ok(errors_are_null)
            }
            ExprKind::Concat(left, right) => {
                let a = self.strict(left, null)?;
                let b = self.strict(right, null)?;
                let site = ConcatSite { left: left.ty, right: right.ty, result: expr.ty };
                let site = push_site(&mut self.b.unit.concats, site);
                self.b.emit(Inst::Concat { dst, a, b, site });
                Ok(false)
            }
            ExprKind::Negate(operand) => self.unary(UnaryOp::Negate, operand, dst, null),
            ExprKind::BitNot(operand) => self.unary(UnaryOp::BitNot, operand, dst, null),
            ExprKind::Cast { operand, mode, style } => {
                self.cast(operand, &expr.ty, *mode, style.as_deref(), dst, null)
            }
            ExprKind::Call { function, args } => {
                let strict = function.nulls == NullBehaviour::Strict;
                let mut regs = Vec::with_capacity(args.len());
                for arg in args {
                    let reg = if strict { self.strict(arg, null)? } else { self.expr(arg)?.reg };
                    regs.push(reg);
                }
                let args_types = args.iter().map(|a| a.ty).collect();
                let types = ir::function::CallTypes { args: args_types, result: expr.ty };
                let args = self.b.list(&regs);
                let memo = Memo::default();
                self.b.unit.calls.push(CallSite { function, args, types, memo });
                let site = (self.b.unit.calls.len() - 1) as u32;
                self.b.emit(Inst::Call { dst, site });
                Ok(true)
            }
            _ => self.expr_into(expr, dst),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, dst: Reg, null: NullTo) -> SqlResult<bool> {
        let a = self.strict(operand, null)?;
        let site = push_site(&mut self.b.unit.unaries, UnarySite { op, ty: operand.ty });
        self.b.emit(Inst::Unary { dst, a, site });
        Ok(self.options.arithmetic_errors_are_null)
    }

    fn arith(
        &mut self,
        op: ArithOp,
        Operand { reg: a, ty: left }: Operand<'_>,
        Operand { reg: b, ty: right }: Operand<'_>,
        result: &SqlType,
        dst: Reg,
    ) {
        let all = |repr| [left, right, result].iter().all(|ty| ty.kind.repr() == repr);
        if let (true, Some(kind)) = (all(Repr::Int), IntKind::of(result.kind)) {
            self.b.emit(Inst::IntArith { op: int_op(op), kind, dst, a, b });
            return;
        }
        if let (true, Some(op)) = (all(Repr::Float), float_op(op)) {
            let real = result.kind == TypeKind::Real;
            self.b.emit(Inst::FloatArith { op, real, dst, a, b });
            return;
        }
        let exact = self.options.numeric_roundabort && loses_digits(op, left, right, result);
        let site = ArithSite { op, left: *left, right: *right, result: *result, exact };
        let site = push_site(&mut self.b.unit.ariths, site);
        self.b.emit(Inst::Arith { dst, a, b, site });
    }

    fn case(
        &mut self,
        branches: &[(crate::plan::expr::Pred, Expr)],
        otherwise: Option<&Expr>,
        dst: Reg,
    ) -> SqlResult<bool> {
        if let Some((first, _)) = branches.first() {
            let mut cols = Vec::new();
            uses_in_pred(first, &mut |col| cols.push(col));
            cols.into_iter().try_for_each(|col| self.touch(col))?;
        }
        let end = self.b.label();
        let outside = self.enter();
        let mut nullable = otherwise.is_none();
        for (pred, result) in branches {
            let next = self.b.label();
            let branch = self.enter();
            self.unless_jump(pred, next)?;
            nullable |= self.expr_into(result, dst)?;
            self.leave(branch);
            self.b.jump(end);
            self.b.place(next);
        }
        match otherwise {
            Some(otherwise) => nullable |= self.expr_into(otherwise, dst)?,
            None => self.b.emit(Inst::SetNull { dst }),
        }
        self.leave(outside);
        self.b.place(end);
        Ok(nullable)
    }

    /// Computes the first of some values that is not NULL. Returns whether the result may be NULL.
    fn first_known(&mut self, args: &[Expr], dst: Reg) -> SqlResult<bool> {
        let (first, others) = args.split_first().expect("the number of arguments was checked");
        let end = self.b.label();
        let mut nullable = self.expr_into(first, dst)?;
        let outside = self.enter();
        for other in others {
            if nullable {
                self.b.emit(Inst::JumpNotNull { a: dst, to: end.pc() });
                nullable = self.expr_into(other, dst)?;
            }
        }
        self.leave(outside);
        self.b.place(end);
        Ok(nullable)
    }

    /// The arguments of a user's function or procedure.
    pub fn optional_args(&mut self, args: &[Option<Expr>]) -> SqlResult<UserArgs> {
        let mut regs = Vec::with_capacity(args.len());
        for arg in args {
            regs.push(match arg {
                Some(arg) => Some(self.expr(arg)?.reg),
                None => None,
            });
        }
        let types = args.iter().map(|a| a.as_ref().map_or(SqlType::int(), |a| a.ty)).collect();
        Ok(UserArgs { regs: regs.into(), types })
    }

    /// Loads the columns that a strict operator's operands use unconditionally.
    fn touch_strict(&mut self, expr: &Expr) -> SqlResult<()> {
        match &expr.kind {
            ExprKind::Column(col) => self.touch(*col),
            ExprKind::Arith { left, right, .. } | ExprKind::Concat(left, right) => {
                self.touch_strict(left)?;
                self.touch_strict(right)
            }
            ExprKind::Negate(operand)
            | ExprKind::BitNot(operand)
            | ExprKind::Cast { operand, .. } => self.touch_strict(operand),
            ExprKind::Call { args, .. } => args.iter().try_for_each(|a| self.touch_strict(a)),
            _ => Ok(()),
        }
    }

    /// A constant's register. Each constant is set once, when the unit starts.
    pub fn constant(&mut self, ty: &SqlType, value: &Value) -> Val {
        let nullable = value.is_null();
        let key = ConstantKey { ty: RegType::of(ty), value: value.clone() };
        let digest = key.digest();
        let same = self.constants.get(&digest).into_iter().flatten();
        if let Some(known) = same.into_iter().find(|(k, _)| *k == key) {
            return Val { reg: known.1, nullable };
        }
        // In a long unit each statement has constants of its own, like all its registers.
        let of_statement = self.b.is_long();
        let dst = self.b.reg_for(ty);
        let inst = match value {
            Value::Null => Inst::SetNull { dst },
            Value::Int(value) | Value::Money(value) => Inst::Int { dst, value: *value },
            _ => Inst::Const { dst, index: self.b.constant(*ty, value.clone()) },
        };
        match of_statement {
            true => {
                self.b.emit_before_statement(inst);
                self.statement_constants.push(digest);
            }
            false => self.b.emit_constant(inst),
        }
        self.constants.entry(digest).or_default().push((key, dst));
        Val { reg: dst, nullable }
    }

    /// An integer constant's register.
    pub fn int(&mut self, value: i64) -> Reg {
        self.constant(&SqlType::bigint(), &Value::Int(value)).reg
    }

    /// A variable's value. It is read once per statement unless the statement assigns it.
    pub fn variable(&mut self, var: VarId, ty: &SqlType) -> Val {
        if let Some(&val) = self.pending.get(&var) {
            return val;
        }
        if self.assigned.contains(&var) {
            let dst = self.b.reg_for(ty);
            self.b.emit(Inst::CopyVar { dst, var: var.0 });
            return Val::nullable(dst);
        }
        if let Some(&reg) = self.variables.get(&var) {
            return Val::nullable(reg);
        }
        let dst = self.b.reg_for(ty);
        self.b.in_prologue(|b| b.emit(Inst::LoadVar { dst, var: var.0 }));
        self.variables.insert(var, dst);
        Val::nullable(dst)
    }

    /// A function that gives one value per statement, evaluated in the prologue.
    fn once_per_statement(&mut self, expr: &Expr) -> SqlResult<Val> {
        let ExprKind::Call { function, args } = &expr.kind else { return self.computed(expr) };
        let mut regs = Vec::with_capacity(args.len());
        let mut null_argument = false;
        for arg in args {
            let val = self.expr(arg)?;
            null_argument |= val.nullable;
            regs.push(val.reg);
        }
        let dst = self.b.reg_for(&expr.ty);
        if null_argument && function.nulls == NullBehaviour::Strict {
            self.b.in_prologue(|b| b.emit(Inst::SetNull { dst }));
            return Ok(Val::nullable(dst));
        }
        let types =
            ir::function::CallTypes { args: args.iter().map(|a| a.ty).collect(), result: expr.ty };
        let args = self.b.list(&regs);
        let memo = Memo::default();
        self.b.unit.calls.push(CallSite { function, args, types, memo });
        let site = (self.b.unit.calls.len() - 1) as u32;
        self.b.in_prologue(|b| {
            b.emit(Inst::Call { dst, site });
            if RegType::of(&expr.ty) == RegType::Bytes {
                b.emit(Inst::Keep { dst, src: dst });
            }
        });
        Ok(Val::nullable(dst))
    }

    /// A conversion of such a value, computed the first time that it is needed: it may fail.
    fn converted_once(&mut self, expr: &Expr) -> SqlResult<Val> {
        let kept = self.b.reg_for(&expr.ty);
        self.b.in_prologue(|b| b.emit(Inst::SetNull { dst: kept }));
        let outside = self.enter();
        let once = self.once();
        let val = self.computed(expr)?;
        self.b.emit(match RegType::of(&expr.ty) {
            RegType::Bytes => Inst::Keep { dst: kept, src: val.reg },
            _ => Inst::Move { dst: kept, src: val.reg },
        });
        self.once_done(once);
        self.leave(outside);
        Ok(Val::nullable(kept))
    }

    /// The next value of a sequence: one for all references of a row.
    fn next_value(&mut self, sequence: base::ids::ObjectId, ty: &SqlType) -> Val {
        if let Some((_, reg)) = self.next_values.iter().find(|(s, _)| *s == sequence) {
            return Val::new(*reg);
        }
        let dst = self.b.reg_for(ty);
        self.b.unit.sequences.push(SequenceSite { sequence, ty: *ty });
        let site = (self.b.unit.sequences.len() - 1) as u32;
        self.b.emit(Inst::NextValue { dst, site });
        self.next_values.push((sequence, dst));
        Val::new(dst)
    }
}

/// Whether an expression is a call with one value per statement, or converts one.
fn is_steady(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call { function, args } => {
            function.volatility == Volatility::RuntimeConstant
                && args.iter().all(|a| matches!(a.kind, ExprKind::Constant(_)))
        }
        ExprKind::Cast { operand, style: None, .. } => is_steady(operand),
        _ => false,
    }
}

/// The place of a site, which may be there already.
pub fn push_site<T: PartialEq>(sites: &mut Vec<T>, site: T) -> u32 {
    let known = sites.iter().position(|s| *s == site);
    known.unwrap_or_else(|| {
        sites.push(site);
        sites.len() - 1
    }) as u32
}

fn int_op(op: ArithOp) -> IntOp {
    match op {
        ArithOp::Add => IntOp::Add,
        ArithOp::Subtract => IntOp::Sub,
        ArithOp::Multiply => IntOp::Mul,
        ArithOp::Divide => IntOp::Div,
        ArithOp::Modulo => IntOp::Mod,
        ArithOp::BitAnd => IntOp::And,
        ArithOp::BitOr => IntOp::Or,
        ArithOp::BitXor => IntOp::Xor,
    }
}

fn float_op(op: ArithOp) -> Option<FloatOp> {
    Some(match op {
        ArithOp::Add => FloatOp::Add,
        ArithOp::Subtract => FloatOp::Sub,
        ArithOp::Multiply => FloatOp::Mul,
        ArithOp::Divide => FloatOp::Div,
        _ => return None,
    })
}

/// Whether a product or quotient of decimals has fewer digits after the point than the operands'
/// types ask for.
fn loses_digits(op: ArithOp, left: &SqlType, right: &SqlType, result: &SqlType) -> bool {
    if [left, right, result].iter().any(|ty| ty.kind.repr() != Repr::Decimal) {
        return false;
    }
    let wanted = match op {
        ArithOp::Multiply => left.scale + right.scale,
        ArithOp::Divide => (left.scale + right.precision + 1).max(6),
        _ => return false,
    };
    result.scale < wanted
}
