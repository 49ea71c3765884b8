//! Natively compiled modules: control flow, statements and error handling in one unit.

use base::{SqlError, SqlResult, SqlType, Value};
use ir::builder::Label;
use ir::inst::{Inst, Reg};
use ir::operator::VarId;
use ir::runs::Runs;
use ir::site::{ModuleArg, ModuleCallSite, StatementKind, StatementSite};
use tsql::ast::Span;

use crate::lower::Lowering;
use crate::lower::columns::Columns;
use crate::lower::scope::Scope;
use crate::plan::expr::{Expr, ExprKind};
use crate::plan::native::{CallArg, NativeBranch, NativeKind, NativeModule, NativeStatement};
use crate::plan::tree::Plan;

/// A loop that `BREAK` and `CONTINUE` leave and repeat.
#[derive(Clone, Copy)]
struct Loop {
    head: Label,
    end: Label,
    atomic_depth: u16,
}

/// Where jumps out of the current statements go.
#[derive(Clone, Copy)]
struct Exits {
    /// The end of the module.
    end: Label,
    innermost: Option<Loop>,
}

impl Lowering {
    /// The whole module.
    pub fn native_module(&mut self, module: &NativeModule) -> SqlResult<()> {
        let end = self.b.label();
        self.native_block(&module.body, Exits { end, innermost: None })?;
        self.b.place(end);
        Ok(())
    }

    fn native_block(&mut self, statements: &[NativeStatement], exits: Exits) -> SqlResult<()> {
        for statement in statements {
            self.native_statement(statement, exits)?;
        }
        Ok(())
    }

    /// Nothing that an earlier statement has learned holds for the next.
    fn start_statement(&mut self, columns: Columns) {
        self.b.start_statement();
        for digest in self.statement_constants.drain(..) {
            self.constants.get_mut(&digest).and_then(Vec::pop);
        }
        self.columns = columns;
        self.scope = Scope::default();
        self.variables.clear();
        self.assigned.clear();
        self.next_values.clear();
        self.worktables.clear();
    }

    fn native_statement(&mut self, statement: &NativeStatement, exits: Exits) -> SqlResult<()> {
        self.deeper()?;
        self.b.line(statement.line);
        match &statement.kind {
            NativeKind::Assign(var, expr) => {
                self.evaluation(statement.line, Columns::of_expr(expr), |l| {
                    let val = l.expr(expr)?;
                    l.b.emit(Inst::StoreVar { var: var.0, src: val.reg });
                    Ok(())
                })
            }
            NativeKind::AssignNotNull(var, expr, error) => {
                self.evaluation(statement.line, Columns::of_expr(expr), |l| {
                    let val = l.expr(expr)?;
                    if val.nullable {
                        l.refuse_null(val.reg, error);
                    }
                    l.b.emit(Inst::StoreVar { var: var.0, src: val.reg });
                    Ok(())
                })
            }
            NativeKind::RefuseNull(variables) => {
                self.evaluation(statement.line, Columns::default(), |l| {
                    for (var, ty, error) in variables {
                        let kind = ExprKind::Variable(*var);
                        let val = l.expr(&Expr { kind, ty: *ty, nullable: true })?;
                        l.refuse_null(val.reg, error);
                    }
                    Ok(())
                })
            }
            NativeKind::If(branches, otherwise) => {
                let end = self.b.label();
                for branch in branches {
                    let NativeBranch { line, condition, body } = branch;
                    let no = self.b.label();
                    self.b.line(*line);
                    self.evaluation(*line, Columns::of_pred(condition), |l| {
                        l.unless_jump(condition, no)
                    })?;
                    self.native_block(body, exits)?;
                    self.b.jump(end);
                    self.b.place(no);
                }
                self.native_block(otherwise, exits)?;
                self.b.place(end);
                Ok(())
            }
            NativeKind::While(condition, body) => {
                let (head, end) = (self.b.here(), self.b.label());
                self.b.emit(Inst::Checkpoint);
                self.evaluation(statement.line, Columns::of_pred(condition), |l| {
                    l.unless_jump(condition, end)
                })?;
                let innermost = Some(Loop { head, end, atomic_depth: self.atomic_depth });
                self.native_block(body, Exits { innermost, ..exits })?;
                self.b.jump(head);
                self.b.place(end);
                Ok(())
            }
            NativeKind::Break | NativeKind::Continue => {
                let Some(innermost) = exits.innermost else {
                    return Err(ir::internal("BREAK or CONTINUE outside of a loop"));
                };
                self.end_atomic_blocks(innermost.atomic_depth);
                let is_break = matches!(statement.kind, NativeKind::Break);
                self.b.jump(if is_break { innermost.end } else { innermost.head });
                Ok(())
            }
            NativeKind::Return(value) => {
                if let Some(value) = value {
                    self.evaluation(statement.line, Columns::of_expr(value), |l| {
                        let val = l.expr(value)?;
                        l.b.unit.returns = Some(value.ty);
                        l.b.emit(Inst::SetReturn { src: val.reg });
                        Ok(())
                    })?;
                }
                self.end_atomic_blocks(0);
                self.b.jump(exits.end);
                Ok(())
            }
            NativeKind::Data(plan, span) => self.native_data(*span, plan),
            NativeKind::Call { module, args, status } => {
                self.native_call(statement.line, *module, args, *status)
            }
            NativeKind::TryCatch(body, catch) => self.native_try(body, catch, exits),
            NativeKind::Throw(None) => {
                self.b.emit(Inst::Rethrow);
                Ok(())
            }
            NativeKind::Throw(Some(parts)) => self.native_throw(statement.line, parts),
            NativeKind::Atomic(body) => {
                self.atomic_depth += 1;
                let depth = self.atomic_depth;
                self.b.emit(Inst::BeginAtomic { depth });
                self.native_block(body, exits)?;
                self.b.emit(Inst::EndAtomic { depth });
                self.atomic_depth -= 1;
                Ok(())
            }
        }
    }

    /// Ends the atomic blocks that a jump leaves. The code after the jump is still inside them.
    fn end_atomic_blocks(&mut self, outside: u16) {
        for depth in (outside + 1..=self.atomic_depth).rev() {
            self.b.emit(Inst::EndAtomic { depth });
        }
    }

    /// Code that evaluates expressions; if they read tables, that is a statement of its own.
    fn evaluation(
        &mut self,
        line: u32,
        columns: Columns,
        write: impl FnOnce(&mut Lowering) -> SqlResult<()>,
    ) -> SqlResult<()> {
        self.start_statement(columns);
        let objects = self.b.unit.objects.len();
        let calls = self.b.unit.user_calls.len();
        write(self)?;
        if self.b.unit.objects.len() > objects || self.b.unit.user_calls.len() > calls {
            let statement = self.statement_site(line, None, StatementKind::Expression);
            self.b.emit_before_statement(Inst::BeginStatement { statement });
        }
        Ok(())
    }

    fn statement_site(&mut self, line: u32, place: Option<Span>, kind: StatementKind) -> u32 {
        let transitions = std::mem::take(&mut self.kept).into();
        let place = place.map(|span| span.start..span.end);
        let runs = Runs::default();
        let site = StatementSite { line, place, runs, kind, transitions };
        self.b.unit.statements.push(site);
        (self.b.unit.statements.len() - 1) as u32
    }

    fn native_data(&mut self, span: Span, plan: &Plan) -> SqlResult<()> {
        self.start_statement(Columns::of_plan(plan));
        self.plan(plan)?;
        let kind = self.b.unit.kind.take().unwrap_or(StatementKind::Expression);
        let statement = self.statement_site(span.line, Some(span), kind);
        self.b.emit_before_statement(Inst::BeginStatement { statement });
        self.b.emit(Inst::EndStatement { statement });
        Ok(())
    }

    fn native_call(
        &mut self,
        line: u32,
        module: base::ids::ObjectId,
        args: &[CallArg],
        status: Option<VarId>,
    ) -> SqlResult<()> {
        let mut columns = Columns::default();
        for arg in args {
            if let CallArg::Value(expr) = arg {
                columns.add_expr(expr);
            }
        }
        self.evaluation(line, columns, |l| {
            let mut values = Vec::with_capacity(args.len());
            for arg in args {
                values.push(match arg {
                    CallArg::Default => ModuleArg::Default,
                    CallArg::Value(expr) => ModuleArg::Value(l.expr(expr)?.reg, expr.ty),
                    CallArg::Output(var) => ModuleArg::Output(*var),
                    CallArg::Table(var) => ModuleArg::Table(*var),
                });
            }
            let site = ModuleCallSite { module, args: values.into(), status };
            l.b.unit.module_calls.push(site);
            let site = (l.b.unit.module_calls.len() - 1) as u32;
            l.b.emit(Inst::CallModule { site });
            Ok(())
        })
    }

    fn native_try(
        &mut self,
        body: &[NativeStatement],
        catch: &[NativeStatement],
        exits: Exits,
    ) -> SqlResult<()> {
        let (from, end) = (self.b.here(), self.b.label());
        self.native_block(body, exits)?;
        let to = self.b.here();
        self.b.jump(end);
        let handler = self.b.here();
        self.b.handler(from, to, handler, self.atomic_depth);
        self.native_block(catch, exits)?;
        self.b.emit(Inst::EndCatch);
        self.b.place(end);
        Ok(())
    }

    fn native_throw(&mut self, line: u32, parts: &(Expr, Expr, Expr)) -> SqlResult<()> {
        let (number, message, state) = parts;
        let mut columns = Columns::default();
        [number, message, state].into_iter().for_each(|e| columns.add_expr(e));
        self.evaluation(line, columns, |l| {
            let number = l.not_null_or(number, Value::Int(50_000))?;
            let empty = match message.ty.kind.is_unicode() {
                true => Value::Unicode([].into()),
                false => Value::Chars([].into()),
            };
            let message = l.not_null_or(message, empty)?;
            let state = l.not_null_or(state, Value::Int(1))?;
            l.b.emit(Inst::Throw { number, message, state });
            Ok(())
        })
    }

    /// Raises an error if a register is NULL.
    fn refuse_null(&mut self, reg: Reg, error: &SqlError) {
        let end = self.b.label();
        self.b.emit(Inst::JumpNotNull { a: reg, to: end.pc() });
        self.b.raise(error.clone());
        self.b.place(end);
    }

    /// An expression, or a constant where it is NULL.
    fn not_null_or(&mut self, expr: &Expr, default: Value) -> SqlResult<Reg> {
        let val = self.expr(expr)?;
        if !val.nullable {
            return Ok(val.reg);
        }
        let dst = self.b.reg_for(&expr.ty);
        let ty: SqlType = expr.ty;
        let default = self.constant(&ty, &default);
        let end = self.b.label();
        self.b.emit(Inst::Move { dst, src: val.reg });
        self.b.emit(Inst::JumpNotNull { a: dst, to: end.pc() });
        self.b.emit(Inst::Move { dst, src: default.reg });
        self.b.place(end);
        Ok(dst)
    }
}
