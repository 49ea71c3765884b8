use base::ids::ObjectId;
use base::{SqlType, ValueRef};
use compile::lower;
use compile::plan::expr::*;
use compile::plan::native::*;
use compile::plan::testing::*;
use compile::plan::tree::*;
use tsql::ast::Span;

use crate::interp::frame::Frame;
use crate::interp::testing::*;

const INT: SqlType = SqlType::int();

fn at(line: u32, kind: NativeKind) -> NativeStatement {
    NativeStatement { line, kind }
}

fn module(variables: usize, body: Vec<NativeStatement>) -> NativeModule {
    NativeModule {
        variables: vec![INT; variables],
        body,
        isolation: Isolation::Snapshot,
        delayed_durability: false,
    }
}

fn set(id: u32, expr: Expr) -> NativeKind {
    NativeKind::Assign(VarId(id), expr)
}

fn run(module: &NativeModule) -> (Result<(), i32>, Vec<i64>, TestDatabase) {
    let unit = lower::native(module, Default::default()).unwrap();
    let mut frame = Frame::new(module.variables.iter().copied());
    let mut db = TestDatabase::new();
    let result = db.run_unit(&unit, &mut frame).map(drop).map_err(|e| e.number());
    let value = |i: usize| match frame.get(VarId(i as u32)) {
        ValueRef::Int(v) => v,
        _ => -1,
    };
    let values = (0..module.variables.len()).map(value).collect();
    (result, values, db)
}

fn when(line: u32, condition: Pred, body: Vec<NativeStatement>) -> NativeKind {
    NativeKind::If(vec![NativeBranch { line, condition, body }], vec![])
}

#[test]
fn loops_and_branches() {
    // Adds the odd numbers up to 10, and stops at 9.
    let body = vec![
        at(1, set(0, int(0))),
        at(2, set(1, int(0))),
        at(
            3,
            NativeKind::While(
                Pred::Compare(CompareOp::Lt, var(0, INT), int(100)),
                vec![
                    at(4, set(0, arith(ArithOp::Add, var(0, INT), int(1)))),
                    at(
                        5,
                        when(
                            5,
                            eq(arith(ArithOp::Modulo, var(0, INT), int(2)), int(0)),
                            vec![at(6, NativeKind::Continue)],
                        ),
                    ),
                    at(7, set(1, arith(ArithOp::Add, var(1, INT), var(0, INT)))),
                    at(8, when(8, eq(var(0, INT), int(9)), vec![at(9, NativeKind::Break)])),
                ],
            ),
        ),
    ];
    let (result, values, _) = run(&module(2, body));
    assert_eq!((result, values), (Ok(()), vec![9, 25]));
}

#[test]
fn return_leaves_everything() {
    let body = vec![
        at(
            1,
            NativeKind::Atomic(vec![at(
                2,
                NativeKind::While(
                    Pred::Const(Some(true)),
                    vec![at(3, NativeKind::Return(Some(int(5))))],
                ),
            )]),
        ),
        at(4, set(0, int(1))),
    ];
    let module = module(1, body);
    let unit = lower::native(&module, Default::default()).unwrap();
    let mut db = TestDatabase::new();
    let mut frame = Frame::new([INT]);
    let (_, outcome) = db.run_unit(&unit, &mut frame).unwrap();
    assert_eq!(outcome.returned, Some(base::Value::Int(5)));
    assert_eq!(frame.get(VarId(0)), ValueRef::Null);
    assert_eq!(db.trace, ["atomic 1", "end atomic 1"]);
}

#[test]
fn errors_are_caught_where_a_handler_reaches() {
    let fail = |line| at(line, set(0, arith(ArithOp::Divide, int(1), int(0))));
    let body = vec![
        at(
            1,
            NativeKind::TryCatch(
                vec![
                    at(
                        2,
                        NativeKind::Atomic(vec![at(
                            3,
                            NativeKind::TryCatch(
                                vec![fail(4), at(5, set(1, int(1)))],
                                vec![at(6, set(2, int(1))), at(7, NativeKind::Throw(None))],
                            ),
                        )]),
                    ),
                    at(8, set(1, int(2))),
                ],
                vec![at(9, set(3, int(1)))],
            ),
        ),
        at(10, set(4, int(1))),
    ];
    let (result, values, db) = run(&module(5, body));
    assert_eq!(result, Ok(()));
    assert_eq!(values, [-1, -1, 1, 1, 1]);
    assert_eq!(db.trace, ["atomic 1", "catch 8134 line 4 depth 1", "catch 8134 line 4 depth 0"]);
    let (result, _, _) = run(&module(1, vec![fail(1)]));
    assert_eq!(result, Err(8134));
}

#[test]
fn statements_are_bracketed_and_counted() {
    let (source, columns) = (
        Node::Values { columns: vec![ColId(0)], rows: vec![vec![int(1)], vec![int(2)]] },
        [(ColId(0), INT)],
    );
    let body = vec![
        at(1, NativeKind::Data(Box::new(select(source, &columns)), Span::default())),
        at(
            2,
            NativeKind::Call {
                module: ObjectId(3),
                args: vec![CallArg::Default, CallArg::Value(int(4)), CallArg::Output(VarId(0))],
                status: Some(VarId(1)),
            },
        ),
        at(
            3,
            NativeKind::Throw(Some(Box::new((
                int(50_001),
                constant(
                    SqlType::nvarchar(20, base::Collation(1)),
                    base::Value::Unicode([b'h', 0, b'i', 0].into()),
                ),
                int(3),
            )))),
        ),
    ];
    let (result, values, db) = run(&module(2, body));
    assert_eq!((result, values), (Err(50_001), vec![-1, 7]));
    assert_eq!(db.trace, ["begin Select", "end Select 2", "call ObjectId(3) [Null, Int(4), Null]"]);
}

#[test]
fn subqueries_in_assignments_are_statements() {
    let subquery = Subquery {
        plan: Node::Values { columns: vec![ColId(0)], rows: vec![vec![int(8)], vec![int(9)]] },
        column: ColId(0),
        correlated: false,
        implied: false,
    };
    let value = Expr { kind: ExprKind::Subquery(Box::new(subquery)), ty: INT, nullable: true };
    let body = vec![at(3, NativeKind::TryCatch(vec![at(4, set(0, value))], vec![]))];
    let (result, _, db) = run(&module(1, body));
    assert_eq!(result, Ok(()));
    assert_eq!(db.trace, ["catch 512 line 4 depth 0"]);
}
