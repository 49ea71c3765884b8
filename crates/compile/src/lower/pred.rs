//! Conditions: jumps for each of the three values.

use base::types::Repr;
use base::{SqlResult, SqlType, Value};
use ir::builder::Label;
use ir::inst::{Inst, Reg};
use ir::key::ConstantSet;
use ir::operator::CompareOp;
use ir::site::{CompareSite, LikePattern, LikeSite};

use crate::lower::Lowering;
use crate::lower::columns::uses_in_pred;
use crate::lower::expr::{NullTo, push_site};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred};

/// Where a condition goes. The caller places [`Ways::fall`] right after it.
#[derive(Clone, Copy, Debug)]
pub struct Ways {
    /// When it is true.
    pub yes: Label,
    /// When it is false.
    pub no: Label,
    /// When it is unknown.
    pub unknown: Label,
    /// Whether `yes` (rather than `no`) is what comes next in the code.
    pub fall_yes: bool,
}

impl Ways {
    fn inverted(self) -> Ways {
        Ways { yes: self.no, no: self.yes, unknown: self.unknown, fall_yes: !self.fall_yes }
    }

    fn next(self) -> Label {
        if self.fall_yes { self.yes } else { self.no }
    }
}

/// `IN` lists of constants from this length on become sets.
const SET_MIN: usize = 6;

impl Lowering {
    /// Goes on if a condition is true, and jumps if it is false or unknown.
    pub fn unless_jump(&mut self, pred: &Pred, otherwise: Label) -> SqlResult<()> {
        let yes = self.b.label();
        let ways = Ways { yes, no: otherwise, unknown: otherwise, fall_yes: true };
        self.pred(pred, ways)?;
        self.b.place(yes);
        Ok(())
    }

    /// Goes on if a condition is true or unknown, and jumps if it is false.
    pub fn if_false_jump(&mut self, pred: &Pred, otherwise: Label) -> SqlResult<()> {
        let yes = self.b.label();
        let ways = Ways { yes, no: otherwise, unknown: yes, fall_yes: true };
        self.pred(pred, ways)?;
        self.b.place(yes);
        Ok(())
    }

    /// Evaluates a condition. What is learned about columns on the way to what comes next stays
    /// known.
    pub fn pred(&mut self, pred: &Pred, ways: Ways) -> SqlResult<()> {
        let before = self.enter();
        self.decide(pred, ways)?;
        if ways.unknown == ways.next() {
            // Some ways lead there that skip part of the code.
            self.leave(before);
        }
        Ok(())
    }

    fn decide(&mut self, pred: &Pred, ways: Ways) -> SqlResult<()> {
        self.deeper()?;
        match pred {
            Pred::Const(value) => {
                let to = match value {
                    Some(true) => ways.yes,
                    Some(false) => ways.no,
                    None => ways.unknown,
                };
                self.go(to, ways);
                Ok(())
            }
            Pred::Compare(op, a, b) => self.compare(*op, a, b, ways),
            Pred::IsNull(e) => self.is_null(e, ways),
            Pred::NotDistinct(a, b) => self.not_distinct(a, b, ways),
            Pred::Like { subject, pattern, escape } => {
                self.like(subject, pattern, escape.as_ref(), ways)
            }
            Pred::In(e, list) => self.in_list(e, list, ways),
            Pred::Exists(subquery) => self.exists(subquery, ways),
            Pred::Quantified { op, all, left, subquery } => {
                self.quantified(*op, *all, left, subquery, ways)
            }
            Pred::And(list) => self.connect(list, false, ways),
            Pred::Or(list) => self.connect(list, true, ways),
            Pred::Not(pred) => self.pred(pred, ways.inverted()),
            Pred::Bit(e) => {
                let reg = self.strict(e, NullTo { dst: None, label: ways.unknown })?;
                self.jump_if(
                    ways,
                    |op, to| Inst::JumpImm { op, a: reg, value: 0, to },
                    CompareOp::Ne,
                );
                Ok(())
            }
        }
    }

    /// Goes to a label, by a jump unless it comes next.
    fn go(&mut self, to: Label, ways: Ways) {
        if to != ways.next() {
            self.b.jump(to);
        }
    }

    /// Ends a condition that is `op`: one conditional jump, and the other way falls through.
    fn jump_if(&mut self, ways: Ways, inst: impl FnOnce(CompareOp, ir::Pc) -> Inst, op: CompareOp) {
        let inst = match ways.fall_yes {
            true => inst(negated(op), ways.no.pc()),
            false => inst(op, ways.yes.pc()),
        };
        self.b.emit(inst);
    }

    /// `AND` (or `OR`): each part may decide; the last one's outcome is the whole's. With unknown
    /// as a third way a register remembers whether a part was unknown.
    fn connect(&mut self, list: &[Pred], or: bool, ways: Ways) -> SqlResult<()> {
        // In terms of AND: `decisive` is where one false part leads.
        let (decisive, neutral) = if or { (ways.yes, ways.no) } else { (ways.no, ways.yes) };
        let falls_neutral = ways.fall_yes != or;
        self.touch_shared(list)?;
        let outside = self.enter();
        // When falling through means that all parts were true, what they taught stays.
        let keep = !or && ways.fall_yes && ways.unknown != ways.yes;
        if ways.unknown == decisive || ways.unknown == neutral {
            for pred in list {
                let next = self.b.label();
                let unknown = if ways.unknown == decisive { decisive } else { next };
                let part = if or {
                    Ways { yes: decisive, no: next, unknown, fall_yes: false }
                } else {
                    Ways { yes: next, no: decisive, unknown, fall_yes: true }
                };
                self.part(pred, part, keep)?;
                self.b.place(next);
            }
            if !keep {
                self.leave(outside);
            }
            if !falls_neutral {
                self.b.jump(neutral);
            }
            return Ok(());
        }
        let unknown = self.b.reg(ir::RegType::I64);
        self.b.emit(Inst::Int { dst: unknown, value: 0 });
        for pred in list {
            let (next, note) = (self.b.label(), self.b.label());
            let part = if or {
                Ways { yes: decisive, no: next, unknown: note, fall_yes: false }
            } else {
                Ways { yes: next, no: decisive, unknown: note, fall_yes: true }
            };
            let over = self.b.label();
            self.part(pred, part, false)?;
            self.b.place(next);
            self.b.jump(over);
            self.b.place(note);
            self.b.emit(Inst::Int { dst: unknown, value: 1 });
            self.b.place(over);
        }
        self.leave(outside);
        let to = ways.unknown.pc();
        self.b.emit(Inst::JumpImm { op: CompareOp::Ne, a: unknown, value: 0, to });
        if !falls_neutral {
            self.b.jump(neutral);
        }
        Ok(())
    }

    fn part(&mut self, pred: &Pred, ways: Ways, keep: bool) -> SqlResult<()> {
        let before = self.enter();
        self.pred(pred, ways)?;
        if !keep {
            self.leave(before);
        }
        Ok(())
    }

    /// Loads the columns that several parts use, so that each part need not.
    fn touch_shared(&mut self, list: &[Pred]) -> SqlResult<()> {
        let mut seen: Vec<ColId> = Vec::new();
        let mut shared: Vec<ColId> = Vec::new();
        for pred in list {
            let mut here: Vec<ColId> = Vec::new();
            uses_in_pred(pred, &mut |col| here.push(col));
            here.sort_unstable();
            here.dedup();
            for col in here {
                if seen.contains(&col) { shared.push(col) } else { seen.push(col) }
            }
        }
        shared.sort_unstable();
        shared.dedup();
        shared.into_iter().try_for_each(|col| self.touch(col))
    }

    fn compare(&mut self, op: CompareOp, a: &Expr, b: &Expr, ways: Ways) -> SqlResult<()> {
        let null = NullTo { dst: None, label: ways.unknown };
        if let ExprKind::Constant(Value::Int(value)) = b.kind
            && let Ok(value) = i32::try_from(value)
        {
            let a = self.strict(a, null)?;
            self.jump_if(ways, |op, to| Inst::JumpImm { op, a, value, to }, op);
            return Ok(());
        }
        self.touch_strict_operands(a, b)?;
        let left = self.strict(a, null)?;
        let right = self.strict(b, null)?;
        self.compare_regs(op, left, right, &a.ty, ways);
        Ok(())
    }

    fn touch_strict_operands(&mut self, a: &Expr, b: &Expr) -> SqlResult<()> {
        for e in [a, b] {
            if let ExprKind::Column(col) = e.kind {
                self.touch(col)?;
            }
        }
        Ok(())
    }

    /// Compares two registers of one type that are not NULL.
    pub fn compare_regs(&mut self, op: CompareOp, a: Reg, b: Reg, ty: &SqlType, ways: Ways) {
        match ty.kind.repr() {
            Repr::Int
            | Repr::Money
            | Repr::Date
            | Repr::Time
            | Repr::DateTime
            | Repr::SmallDateTime
            | Repr::DateTime2 => {
                self.jump_if(ways, |op, to| Inst::JumpInt { op, a, b, to }, op);
            }
            Repr::Decimal => {
                self.jump_if(ways, |op, to| Inst::JumpDecimal { op, a, b, to }, op);
            }
            Repr::Float => self.jump_if(ways, |op, to| Inst::JumpFloat { op, a, b, to }, op),
            _ => {
                let site = push_site(&mut self.b.unit.compares, CompareSite { ty: *ty });
                self.jump_if(ways, |op, to| Inst::JumpCompare { op, a, b, site, to }, op);
            }
        }
    }

    fn is_null(&mut self, e: &Expr, ways: Ways) -> SqlResult<()> {
        let val = self.expr(e)?;
        if !val.nullable {
            self.go(ways.no, ways);
            return Ok(());
        }
        self.b.emit(match ways.fall_yes {
            true => Inst::JumpNotNull { a: val.reg, to: ways.no.pc() },
            false => Inst::JumpNull { a: val.reg, to: ways.yes.pc() },
        });
        if let (ExprKind::Column(col), false) = (&e.kind, ways.fall_yes) {
            self.known(*col);
        }
        Ok(())
    }

    fn not_distinct(&mut self, a: &Expr, b: &Expr, ways: Ways) -> SqlResult<()> {
        let left = self.expr(a)?;
        let right = self.expr(b)?;
        let a_null = self.b.label();
        if left.nullable {
            self.b.emit(Inst::JumpNull { a: left.reg, to: a_null.pc() });
        }
        if right.nullable {
            self.b.emit(Inst::JumpNull { a: right.reg, to: ways.no.pc() });
        }
        let equal = Ways { fall_yes: true, ..ways };
        self.compare_regs(CompareOp::Eq, left.reg, right.reg, &a.ty, equal);
        if left.nullable {
            self.b.jump(ways.yes);
            self.b.place(a_null);
            if right.nullable {
                self.b.emit(Inst::JumpNotNull { a: right.reg, to: ways.no.pc() });
                self.go(ways.yes, ways);
            } else {
                self.go(ways.no, ways);
            }
        } else {
            self.b.place(a_null);
            self.go(ways.yes, ways);
        }
        Ok(())
    }

    fn like(
        &mut self,
        subject: &Expr,
        pattern: &Expr,
        escape: Option<&Expr>,
        ways: Ways,
    ) -> SqlResult<()> {
        let null = NullTo { dst: None, label: ways.unknown };
        let subject_reg = self.strict(subject, null)?;
        let constant = |e: &Expr| match &e.kind {
            ExprKind::Constant(value) if !value.is_null() => Some(value.clone()),
            _ => None,
        };
        let fixed = match (constant(pattern), escape.map(constant)) {
            (Some(pattern), None) => Some((pattern, None)),
            (Some(pattern), Some(Some(escape))) => Some((pattern, Some(escape))),
            _ => None,
        };
        let pattern = match fixed {
            Some((pattern, escape)) => {
                LikePattern::constant(&subject.ty, &pattern, escape.as_ref())?
            }
            None => {
                let pattern = self.strict(pattern, null)?;
                let escape = escape.map(|e| self.strict(e, null)).transpose()?;
                LikePattern::Dynamic(pattern, escape)
            }
        };
        self.b.unit.likes.push(LikeSite { ty: subject.ty, pattern });
        let site = (self.b.unit.likes.len() - 1) as u32;
        self.b.emit(Inst::JumpLike { subject: subject_reg, site, to: ways.yes.pc() });
        self.go(ways.no, ways);
        Ok(())
    }

    fn in_list(&mut self, e: &Expr, list: &[Expr], ways: Ways) -> SqlResult<()> {
        let null = NullTo { dst: None, label: ways.unknown };
        let subject = self.strict(e, null)?;
        let mut constants = Vec::new();
        let mut others = Vec::new();
        let mut has_null = false;
        for item in list {
            match &item.kind {
                ExprKind::Constant(Value::Null) => has_null = true,
                ExprKind::Constant(value) => constants.push(value.clone()),
                _ => others.push(item),
            }
        }
        if constants.len() >= SET_MIN {
            let set = ConstantSet::new(e.ty, constants)?;
            self.b.unit.sets.push(set);
            let set = (self.b.unit.sets.len() - 1) as u32;
            self.b.emit(Inst::JumpIn { a: subject, set, to: ways.yes.pc() });
        } else {
            for value in constants {
                let value = self.constant(&e.ty, &value);
                self.jump_if_equal(subject, value.reg, &e.ty, ways.yes);
            }
        }
        let unknown_matters = ways.unknown != ways.no;
        let unknown = match unknown_matters && !others.is_empty() && !has_null {
            true => Some(self.b.reg(ir::RegType::I64)),
            false => None,
        };
        if let Some(unknown) = unknown {
            self.b.emit(Inst::Int { dst: unknown, value: 0 });
        }
        let outside = self.enter();
        for item in others {
            let (next, null) = (self.b.label(), self.b.label());
            let reg = self.strict(item, NullTo { dst: None, label: null })?;
            self.jump_if_equal(subject, reg, &e.ty, ways.yes);
            self.b.jump(next);
            self.b.place(null);
            if let Some(unknown) = unknown {
                self.b.emit(Inst::Int { dst: unknown, value: 1 });
            }
            self.b.place(next);
            self.leave(outside);
        }
        if let Some(unknown) = unknown {
            let to = ways.unknown.pc();
            self.b.emit(Inst::JumpImm { op: CompareOp::Ne, a: unknown, value: 0, to });
        }
        let end = if has_null { ways.unknown } else { ways.no };
        self.go(end, ways);
        Ok(())
    }

    /// Jumps if two registers of one type, not NULL, are equal.
    pub fn jump_if_equal(&mut self, a: Reg, b: Reg, ty: &SqlType, to: Label) {
        let next = self.b.label();
        let ways = Ways { yes: to, no: next, unknown: next, fall_yes: false };
        self.compare_regs(CompareOp::Eq, a, b, ty, ways);
        self.b.place(next);
    }
}

/// The comparison that is true exactly where this one is false.
pub fn negated(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Eq => CompareOp::Ne,
        CompareOp::Ne => CompareOp::Eq,
        CompareOp::Lt => CompareOp::Ge,
        CompareOp::Le => CompareOp::Gt,
        CompareOp::Gt => CompareOp::Le,
        CompareOp::Ge => CompareOp::Lt,
    }
}
