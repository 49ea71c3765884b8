//! Random native modules: control flow, errors and handlers, statements that change tables.

use std::sync::Arc;

use base::{SqlType, Value};
use compile::plan::expr::*;
use compile::plan::native::*;
use compile::plan::testing::generate::{Generator, Rng};
use compile::plan::testing::*;
use compile::plan::tree::*;
use engine::catalog::def::{IndexKind, TableDef};
use run::interp::Frame;
use run::interp::testing::*;

use super::{compile, seeds};

/// The types of a module's variables. The last is the number of turns that loops have left.
fn variables() -> Vec<SqlType> {
    vec![
        SqlType::int(),
        SqlType::bigint(),
        SqlType::smallint(),
        SqlType::decimal(20, 2),
        SqlType::float(),
        SqlType::varchar(30, base::Collation(1)),
        SqlType::int(),
    ]
}

const TURNS: u32 = 6;

/// A table of a key and two columns.
fn table() -> Arc<TableDef> {
    let columns = [
        ("id", SqlType::int(), false),
        ("a", SqlType::bigint(), true),
        ("b", variables()[5], true),
    ];
    let def = with_index(table_def(1, "t", &columns), IndexKind::Hash, true, &[0]);
    Arc::new(with_index(def, IndexKind::NonClustered, false, &[1]))
}

/// Makes modules.
struct Modules {
    rng: Rng,
    expressions: Generator,
    table: Arc<TableDef>,
    line: u32,
}

impl Modules {
    fn at(&mut self, kind: NativeKind) -> NativeStatement {
        self.line += 1;
        NativeStatement { line: self.line, kind }
    }

    /// An expression of a type: of constants and variables, and sometimes one that may fail.
    fn expr(&mut self, ty: SqlType) -> Expr {
        let id = variables().iter().position(|v| *v == ty).expect("it is a variable's type") as u32;
        match self.rng.below(4) {
            0 => var(id, ty),
            1 if ty.kind.is_integer() || ty.kind == base::TypeKind::Float => {
                use ArithOp::*;
                let ops = [Add, Subtract, Multiply, Divide];
                let op = ops[self.rng.below(ops.len())];
                let right = self.expressions.expr(&ty, &[], 1);
                arith(op, var(id, ty), right)
            }
            _ => self.expressions.expr(&ty, &[], 2),
        }
    }

    fn condition(&mut self) -> Pred {
        let all = variables();
        let id = self.rng.below(all.len() - 1);
        let right = self.expr(all[id]);
        let ops = [CompareOp::Eq, CompareOp::Lt, CompareOp::Ge, CompareOp::Ne];
        Pred::Compare(ops[self.rng.below(ops.len())], var(id as u32, all[id]), right)
    }

    fn block(&mut self, depth: usize, in_loop: bool) -> Vec<NativeStatement> {
        (0..1 + self.rng.below(4)).map(|_| self.statement(depth, in_loop)).collect()
    }

    fn statement(&mut self, depth: usize, in_loop: bool) -> NativeStatement {
        let deeper = depth > 0;
        let kind = match self.rng.below(16) {
            0 | 1 if deeper => {
                let condition = self.condition();
                let body = self.block(depth - 1, in_loop);
                let branch = NativeBranch { line: 1, condition, body };
                NativeKind::If(vec![branch], self.block(depth - 1, in_loop))
            }
            2 | 3 if deeper => self.repeat(depth),
            4 | 5 if deeper => {
                let body = self.block(depth - 1, in_loop);
                NativeKind::TryCatch(body, self.block(depth - 1, in_loop))
            }
            6 if deeper => NativeKind::Atomic(self.block(depth - 1, in_loop)),
            7 if in_loop => [NativeKind::Break, NativeKind::Continue][self.rng.below(2)].clone(),
            8 if self.rng.chance(30) => NativeKind::Return(Some(int(3))),
            9 if self.rng.chance(40) => {
                let text = constant(
                    SqlType::nvarchar(20, base::Collation(1)),
                    Value::Unicode("x".encode_utf16().flat_map(u16::to_le_bytes).collect()),
                );
                NativeKind::Throw(Some(Box::new((int(50_001), text, int(2)))))
            }
            10..=13 => NativeKind::Data(Box::new(self.data()), Default::default()),
            _ => {
                let all = variables();
                let id = self.rng.below(all.len() - 1);
                NativeKind::Assign(VarId(id as u32), self.expr(all[id]))
            }
        };
        self.at(kind)
    }

    /// A loop that ends, whatever is in it.
    fn repeat(&mut self, depth: usize) -> NativeKind {
        let int_var = || var(TURNS, SqlType::int());
        let step = NativeKind::Assign(VarId(TURNS), arith(ArithOp::Subtract, int_var(), int(1)));
        let mut body = vec![self.at(step)];
        body.extend(self.block(depth - 1, true));
        NativeKind::While(Pred::Compare(CompareOp::Gt, int_var(), int(0)), body)
    }

    fn data(&mut self) -> Plan {
        let def = self.table.clone();
        let source = Source::Table { database: DB, table: def.clone() };
        let (mut scan, columns) = scan_of(source, &def, 0, Some(ColId(99)));
        let key =
            Pred::Compare(CompareOp::Eq, col(0, SqlType::int()), int(self.rng.below(5) as i64));
        let keep = if self.rng.chance(70) { Some(key) } else { None };
        scan.residual = keep.clone();
        let names = RowEffects {
            new_columns: (10..13).map(ColId).collect(),
            old_columns: (0..3).map(ColId).collect(),
            ..RowEffects::default()
        };
        match self.rng.below(5) {
            0 | 1 => {
                let row = vec![
                    Value::Int(self.rng.below(5) as i64),
                    self.expressions.value(&SqlType::bigint(), true),
                    self.expressions.value(&variables()[5], true),
                ];
                insert_values(table_target(&def), &def, &[row])
            }
            2 => Plan::Update(Box::new(UpdatePlan {
                target: table_target(&def),
                input: Node::Scan(Box::new(scan)),
                row: ColId(99),
                old_columns: (0..3).map(ColId).collect(),
                set: vec![
                    (1, NewValue::Expr(self.expr(SqlType::bigint()))),
                    (2, NewValue::Expr(self.expr(variables()[5]))),
                ],
                assign: vec![],
                recheck: keep,
                effects: names,
            })),
            3 => Plan::Delete(Box::new(DeletePlan {
                target: table_target(&def),
                input: Node::Scan(Box::new(scan)),
                row: ColId(99),
                old_columns: (0..3).map(|c| (c as usize, ColId(c))).collect(),
                recheck: keep,
                effects: RowEffects { new_columns: vec![], ..names },
            })),
            _ => {
                scan.row = None;
                let destination = match self.rng.chance(50) {
                    true => Destination::Client,
                    false => {
                        Destination::Variables(vec![(VarId(1), ColId(1)), (VarId(5), ColId(2))])
                    }
                };
                let Plan::Select(mut plan) = select(Node::Scan(Box::new(scan)), &columns) else {
                    unreachable!("it is a query")
                };
                plan.destination = destination;
                Plan::Select(plan)
            }
        }
    }
}

/// All that a run shows.
type Shown = (Result<String, (i32, u32, String)>, Vec<String>, Vec<String>, Vec<Vec<Value>>);

fn run(module: &NativeModule, def: &Arc<TableDef>, compiled: bool) -> Shown {
    let unit = compile::lower::native(module, Default::default()).expect("it can be lowered");
    if compiled {
        compile(&unit);
    }
    let mut db = TestDatabase::new();
    db.create(def);
    let rows =
        [[1, 10], [2, 20], [3, 30]].map(|[id, a]| vec![Value::Int(id), Value::Int(a), Value::Null]);
    db.fill(def, &rows).expect("an empty table takes rows");
    let types = variables();
    let mut frame = Frame::new(types.iter().copied());
    frame.set_owned(VarId(0), &Value::Int(2));
    frame.set_owned(VarId(TURNS), &Value::Int(20));
    let ran = db.run_unit(&unit, &mut frame);
    let result = ran
        .map(|(sent, outcome)| format!("{:?} {:?} {:?}", sent.rows, outcome.rows, outcome.returned))
        .map_err(|e| (e.number(), e.line(), e.to_string()));
    let left = (0..types.len()).map(|v| format!("{:?}", frame.get(VarId(v as u32)))).collect();
    let trace = std::mem::take(&mut db.trace);
    (result, left, trace, db.rows(def))
}

#[test]
fn random_modules_do_the_same() {
    let (mut failed, mut caught) = (0, 0);
    let mut count = 0;
    for seed in seeds(150) {
        let table = table();
        let (rng, expressions) =
            (Rng::new(seed), Generator::without_tables(seed, &run::func::Library));
        let mut modules = Modules { rng, expressions, table: table.clone(), line: 0 };
        let body = modules.block(4, false);
        let module = native_module(variables(), body);
        let expected = run(&module, &table, false);
        assert_eq!(run(&module, &table, true), expected, "seed {seed}\n{module:#?}");
        count += 1;
        failed += usize::from(expected.0.is_err());
        caught += usize::from(expected.2.iter().any(|t| t.starts_with("catch")));
    }
    assert!(failed * 50 > count && failed < count, "{failed} of {count} fail");
    assert!(caught * 50 > count, "{caught} of {count} catch something");
}

#[test]
fn a_routine_without_callers_can_be_compiled() {
    use ir::inst::{Inst, Pc, Reg};
    let code = vec![
        Inst::Jump { to: Pc(3) },
        Inst::Return { link: Reg(0) },
        Inst::Jump { to: Pc(1) },
        Inst::Halt,
    ];
    let registers = vec![ir::RegType::I64];
    let parts = ir::UnitParts { code, registers, ..ir::UnitParts::default() };
    let unit = parts.verified().expect("it keeps the rules");
    compile(&unit);
    TestDatabase::new().run_unit(&unit, &mut Frame::default()).expect("it does nothing");
}
