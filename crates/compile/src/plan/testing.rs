//! Shorthands for plans in tests, and running them.

pub mod generate;

use std::sync::Arc;

use base::{SqlResult, SqlType, Value};
use engine::catalog::def::*;

use crate::plan::expr::*;
use crate::plan::hints::AccessHint;
use crate::plan::testing::generate::Generator;
use crate::plan::tree::*;
use ir::testing::{Collected, DB, RunsUnits};

/// Runs plans.
pub trait RunsPlans: RunsUnits {
    /// Lowers and runs a statement.
    fn run(
        &mut self,
        plan: &Plan,
        frame: &mut Self::Frame,
    ) -> SqlResult<(Collected, Self::Outcome)> {
        let unit = crate::lower::statement(plan, Default::default())?;
        self.run_unit(&unit, frame)
    }

    /// The rows of a query over these columns.
    fn query(&mut self, root: Node, columns: &[(ColId, SqlType)]) -> SqlResult<Vec<Vec<Value>>> {
        Ok(self.run(&select(root, columns), &mut Self::Frame::default())?.0.rows)
    }

    /// The value of an expression.
    fn value(&mut self, expr: &Expr, frame: &mut Self::Frame) -> SqlResult<Value> {
        let unit = crate::lower::scalar(expr, Default::default())?;
        self.evaluate_unit(&unit, frame)
    }

    /// Whether a condition is true.
    fn holds(&mut self, pred: &Pred, frame: &mut Self::Frame) -> SqlResult<bool> {
        let unit = crate::lower::condition(pred, Default::default())?;
        self.test_unit(&unit, frame)
    }

    /// Inserts literal rows into a table.
    fn fill(&mut self, def: &Arc<TableDef>, rows: &[Vec<Value>]) -> SqlResult<()> {
        let plan = insert_values(table_target(def), def, rows);
        self.run(&plan, &mut Self::Frame::default()).map(drop)
    }

    /// All rows of a table, sorted by their debug form.
    fn rows(&mut self, def: &Arc<TableDef>) -> Vec<Vec<Value>> {
        let (scan, columns) = scan_all(def, 9000);
        let mut rows = self.query(scan, &columns).unwrap();
        rows.sort_by_key(|r| format!("{r:?}"));
        rows
    }

    /// Makes random tables.
    fn fill_tables_of(&mut self, generator: &mut Generator) {
        for (def, rows) in generator.make_tables() {
            self.create(&def);
            if !rows.is_empty() {
                self.fill(&def, &rows).expect("a generator's rows fit its tables");
            }
        }
    }
}

impl<R: RunsUnits> RunsPlans for R {}

pub fn col(id: u32, ty: SqlType) -> Expr {
    Expr { kind: ExprKind::Column(ColId(id)), ty, nullable: true }
}

pub fn int(value: i64) -> Expr {
    constant(SqlType::int(), Value::Int(value))
}

pub fn null(ty: SqlType) -> Expr {
    constant(ty, Value::Null)
}

pub fn constant(ty: SqlType, value: Value) -> Expr {
    let nullable = value.is_null();
    Expr { kind: ExprKind::Constant(value), ty, nullable }
}

pub fn var(id: u32, ty: SqlType) -> Expr {
    Expr { kind: ExprKind::Variable(VarId(id)), ty, nullable: true }
}

pub fn arith(op: ArithOp, left: Expr, right: Expr) -> Expr {
    let (ty, nullable) = (left.ty, left.nullable || right.nullable);
    let (left, right) = (Box::new(left), Box::new(right));
    Expr { kind: ExprKind::Arith { op, left, right }, ty, nullable }
}

pub fn cast(operand: Expr, ty: SqlType, mode: CastMode) -> Expr {
    let nullable = operand.nullable || mode == CastMode::Try;
    let operand = Box::new(operand);
    Expr { kind: ExprKind::Cast { operand, mode, style: None }, ty, nullable }
}

pub fn eq(left: Expr, right: Expr) -> Pred {
    Pred::Compare(CompareOp::Eq, left, right)
}

/// A query that returns these columns to the client.
pub fn select(root: Node, columns: &[(ColId, SqlType)]) -> Plan {
    let output = (columns.iter())
        .map(|&(column, ty)| OutputColumn {
            column,
            shown: ResultColumn {
                name: "".into(),
                ty,
                nullable: true,
                base: None,
                schemas: None,
                classified: None,
            },
        })
        .collect();
    Plan::Select(SelectPlan { root, output, destination: Destination::Client })
}

/// A scan of all columns of a table, named from `first` on.
pub fn scan_all(def: &Arc<TableDef>, first: u32) -> (Node, Vec<(ColId, SqlType)>) {
    let source = Source::Table { database: DB, table: def.clone() };
    let (scan, columns) = scan_of(source, def, first, None);
    (Node::Scan(Box::new(scan)), columns)
}

/// A scan of all columns, named from `first` on, and maybe of the row itself.
pub fn scan_of(
    source: Source,
    def: &TableDef,
    first: u32,
    row: Option<ColId>,
) -> (Scan, Vec<(ColId, SqlType)>) {
    let columns: Vec<(ColId, SqlType)> =
        def.stored_columns().zip(first..).map(|(c, id)| (ColId(id), c.ty)).collect();
    let scan = Scan {
        source,
        columns: columns.iter().enumerate().map(|(at, c)| (at, c.0)).collect(),
        access: Access::Full,
        residual: None,
        row,
        options: ReadOptions::default(),
        hint: AccessHint::default(),
    };
    (scan, columns)
}

/// A native module of these variables.
pub fn native_module(
    variables: Vec<SqlType>,
    body: Vec<crate::plan::native::NativeStatement>,
) -> crate::plan::native::NativeModule {
    crate::plan::native::NativeModule {
        variables,
        body,
        isolation: ir::read::Isolation::Snapshot,
        delayed_durability: false,
    }
}

pub fn table_target(def: &Arc<TableDef>) -> Target {
    Target::Table { database: DB, table: def.clone() }
}

/// `INSERT … VALUES`, with identity columns left to the table where a row has one value less.
pub fn insert_values(target: Target, def: &TableDef, rows: &[Vec<Value>]) -> Plan {
    let columns: Vec<&ColumnDef> = def.stored_columns().collect();
    let given: Vec<&ColumnDef> = match rows[0].len() == columns.len() {
        true => columns.clone(),
        false => columns.iter().copied().filter(|c| c.identity.is_none()).collect(),
    };
    let source_columns: Vec<ColId> = (0..given.len() as u32).map(|i| ColId(5000 + i)).collect();
    let literal = |row: &Vec<Value>| -> Vec<Expr> {
        row.iter().zip(&given).map(|(v, c)| constant(c.ty, v.clone())).collect()
    };
    let mut next = source_columns.iter();
    let values = (columns.iter())
        .map(|c| match given.iter().any(|g| g.id == c.id) {
            true => NewValue::Expr(col(next.next().unwrap().0, c.ty)),
            false => NewValue::Identity,
        })
        .collect();
    let source =
        Node::Values { columns: source_columns.clone(), rows: rows.iter().map(literal).collect() };
    let not_null =
        columns.iter().enumerate().filter(|(_, c)| !c.nullable).map(|(at, _)| at).collect();
    let effects = RowEffects {
        new_columns: (0..columns.len() as u32).map(|i| ColId(5100 + i)).collect(),
        not_null,
        ..RowEffects::default()
    };
    Plan::Insert(Box::new(InsertPlan {
        target,
        source,
        values,
        converted: Vec::new(),
        effects,
        lock: None,
    }))
}
