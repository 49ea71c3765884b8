//! Random queries as the binder writes them down, run as they are and optimized.

use std::sync::Arc;

use base::{Account, SqlType, Value};
use engine::catalog::def::{IndexKind, TableDef};
use ir::function::Functions;
use ir::key::{ChargedKey, KeyShape};
use run::func::Library;
use run::interp::Frame;
use run::interp::testing::*;

use crate::plan::expr::*;
use crate::plan::hints::{AccessHint, JoinMethod, PlanHints};
use crate::plan::ids::Ids;
use crate::plan::optimize::{self, PlanContext};
use crate::plan::statistics::NoStatistics;
use crate::plan::testing::*;
use crate::plan::tree::*;
use crate::plan::walk;

type Named = (ColId, SqlType);

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

fn text() -> SqlType {
    SqlType::varchar(10, base::Collation(1))
}

/// Tables with keys of all kinds, and rows whose values meet those of other tables often.
fn tables(rng: &mut Rng) -> Vec<(Arc<TableDef>, Vec<Vec<Value>>)> {
    let columns = [
        ("a", SqlType::int(), false),
        ("b", SqlType::int(), true),
        ("c", text(), true),
        ("d", SqlType::smallint(), false),
        ("e", SqlType::bigint(), true),
    ];
    let range = IndexKind::NonClustered;
    (1..=3)
        .map(|id| {
            let mut def = table_def(id, &format!("t{id}"), &columns);
            def = match id {
                1 => with_index(def, range, true, &[0]),
                2 => with_index(def, IndexKind::Hash, true, &[0]),
                _ => with_index(def, range, true, &[3, 0]),
            };
            def = match id {
                1 => with_index(with_index(def, range, false, &[1, -4]), range, false, &[2]),
                2 => {
                    with_index(with_index(def, range, false, &[3, 1]), IndexKind::Hash, false, &[4])
                }
                _ => with_index(with_index(def, range, false, &[2, 1]), range, false, &[-5]),
            };
            let rows = (0..rng.below(25))
                .map(|row| {
                    let mut small = |null: usize| match rng.chance(null) {
                        true => Value::Null,
                        false => Value::Int(rng.below(9) as i64),
                    };
                    let (b, d, e) = (small(15), small(0), small(15));
                    let c = match rng.below(6) {
                        0 => Value::Null,
                        n => Value::Chars(["a", "A", "ab", "b", "abc"][n - 1].as_bytes().into()),
                    };
                    vec![Value::Int(row as i64), b, c, d, e]
                })
                .collect();
            (Arc::new(def), rows)
        })
        .collect()
}

struct Writer {
    rng: Rng,
    tables: Vec<Arc<TableDef>>,
    ids: Ids,
}

impl Writer {
    fn scan(&mut self) -> (Node, Vec<Named>) {
        let table = self.tables[self.rng.below(3)].clone();
        let columns: Vec<Named> = table.columns.iter().map(|c| (self.ids.column(), c.ty)).collect();
        let mut hint = AccessHint::default();
        if self.rng.chance(20) && !table.indexes.is_empty() {
            let index = self.rng.below(table.indexes.len() + 1);
            hint.indexes = Some((index..table.indexes.len()).take(1).collect());
        }
        let scan = Scan {
            source: Source::Table { database: DB, table },
            columns: columns.iter().enumerate().map(|(at, c)| (at, c.0)).collect(),
            access: Access::Full,
            residual: None,
            row: None,
            options: ReadOptions::default(),
            hint,
        };
        (Node::Scan(Box::new(scan)), columns)
    }

    fn column(&mut self, of: &[Named], number: bool) -> Option<Expr> {
        let fitting: Vec<&Named> = of.iter().filter(|c| c.1.kind.is_integer() == number).collect();
        let (col, ty) = **fitting.get(self.rng.below(fitting.len().max(1)))?;
        Some(Expr { kind: ExprKind::Column(col), ty, nullable: true })
    }

    fn number(&mut self, of: &[Named]) -> Expr {
        self.column(of, true).unwrap_or_else(|| int(3))
    }

    fn constant(&mut self) -> Expr {
        let value = self.rng.below(11) as i64 - 1;
        match self.rng.below(5) {
            0 => constant(SqlType::bigint(), Value::Int(value + 100_000 * (value % 2))),
            1 => constant(SqlType::tinyint(), Value::Int(value.max(0))),
            _ => int(value),
        }
    }

    fn op(&mut self) -> CompareOp {
        use CompareOp::*;
        [Eq, Eq, Eq, Eq, Ne, Lt, Le, Gt, Ge][self.rng.below(9)]
    }

    /// A condition on these columns; `outer` may be used, too.
    fn condition(&mut self, of: &[Named], outer: &[Named], depth: usize) -> Pred {
        match self.rng.below(if depth > 0 { 14 } else { 9 }) {
            0 => Pred::IsNull(self.number(of)),
            1 => Pred::Not(Box::new(Pred::IsNull(self.number(of)))),
            2 => {
                let subject = self.number(of);
                let list = (0..1 + self.rng.below(4)).map(|_| self.constant()).collect();
                Pred::In(subject, list)
            }
            3 => {
                let pattern = ["a%", "ab%", "%b", "A", "_%", "[ab]%"][self.rng.below(6)];
                let pattern = constant(text(), Value::Chars(pattern.as_bytes().into()));
                match self.column(of, false) {
                    Some(subject) => Pred::Like { subject, pattern, escape: None },
                    None => Pred::Const(Some(true)),
                }
            }
            4 if !outer.is_empty() => {
                let (a, b) = (self.number(of), self.number(outer));
                Pred::Compare(CompareOp::Eq, a, b)
            }
            5 => {
                let value = ["a", "AB", "b"][self.rng.below(3)];
                let value = constant(text(), Value::Chars(value.as_bytes().into()));
                match self.column(of, false) {
                    Some(subject) => Pred::Compare(self.op(), subject, value),
                    None => Pred::Const(Some(true)),
                }
            }
            9 => Pred::Or((0..2).map(|_| self.condition(of, outer, depth - 1)).collect()),
            10 => Pred::Not(Box::new(self.condition(of, outer, depth - 1))),
            11 | 12 => {
                let mut all: Vec<Named> = of.to_vec();
                all.extend(outer);
                let (plan, columns) = self.subquery(&all, depth - 1);
                let exists = Pred::Exists(Box::new(Subquery {
                    plan,
                    column: columns[0].0,
                    correlated: true,
                    implied: false,
                }));
                if self.rng.chance(40) { Pred::Not(Box::new(exists)) } else { exists }
            }
            13 => {
                let correlated = self.rng.chance(40);
                let outer = if correlated { of } else { &[] };
                let (plan, columns) = self.subquery(outer, depth - 1);
                let left = self.number(of);
                let right = self.number(&columns);
                let column = self.ids.column();
                let right = cast(right, left.ty, CastMode::Explicit);
                // A bigint may not fit: the test is about queries that do not fail.
                let left = cast(left, SqlType::bigint(), CastMode::Explicit);
                let right = cast(right, SqlType::bigint(), CastMode::Explicit);
                let plan = Node::Compute { input: Box::new(plan), columns: vec![(column, right)] };
                let subquery = Box::new(Subquery { plan, column, correlated, implied: false });
                let all = self.rng.chance(30);
                let op = if all { CompareOp::Ne } else { CompareOp::Eq };
                let found = Pred::Quantified { op, all, left, subquery };
                if self.rng.chance(30) { Pred::Not(Box::new(found)) } else { found }
            }
            _ => {
                let value = self.constant();
                let subject = self.number(of);
                let subject = match self.rng.chance(20) {
                    true => cast(subject, SqlType::bigint(), CastMode::Explicit),
                    false => subject,
                };
                let op = self.op();
                if self.rng.chance(30) {
                    return Pred::Compare(op, value, subject);
                }
                Pred::Compare(op, subject, value)
            }
        }
    }

    fn conditions(&mut self, of: &[Named], outer: &[Named], depth: usize, most: usize) -> Pred {
        let count = 1 + self.rng.below(most);
        Pred::And((0..count).map(|_| self.condition(of, outer, depth)).collect())
    }

    fn subquery(&mut self, outer: &[Named], depth: usize) -> (Node, Vec<Named>) {
        let (node, columns) = self.scan();
        let predicate = self.conditions(&columns, outer, depth, 3);
        (Node::Filter { input: Box::new(node), predicate }, columns)
    }

    /// The value of an aggregate over rows that equal the outer row in a column or two.
    fn aggregate_of(&mut self, outer: &[Named]) -> Expr {
        let (node, columns) = match self.rng.chance(25) {
            true => self.joins(2),
            false => self.scan(),
        };
        let mut parts: Vec<Pred> = (0..1 + self.rng.below(2))
            .map(|_| {
                let (a, b) = (self.number(&columns), self.number(outer));
                match self.rng.chance(20) {
                    true => Pred::Compare(CompareOp::Eq, b, a),
                    false => Pred::Compare(CompareOp::Eq, a, b),
                }
            })
            .collect();
        if self.rng.chance(50) {
            parts.push(self.condition(&columns, &[], 1));
        }
        let input = Box::new(Node::Filter { input: Box::new(node), predicate: Pred::And(parts) });
        let name = ["COUNT_BIG", "MIN", "MAX", "SUM", "SUM"][self.rng.below(5)];
        let function = Library.aggregate(name).unwrap();
        let arg = self.number(&columns);
        let ty = match name {
            "COUNT_BIG" => SqlType::bigint(),
            "SUM" if arg.ty.kind != base::TypeKind::BigInt => SqlType::int(),
            _ => arg.ty,
        };
        let arg = if name == "SUM" { cast(arg, ty, CastMode::Explicit) } else { arg };
        let distinct = self.rng.chance(20);
        let aggregate = Aggregate { function, args: vec![arg], distinct, order: vec![], ty };
        let mut column = self.ids.column();
        let mut plan = Node::Aggregate {
            input,
            groups: vec![],
            aggregates: vec![(column, aggregate)],
            grouping_sets: vec![],
            grouping_id: None,
            ordered: false,
        };
        let value = Expr { kind: ExprKind::Column(column), ty, nullable: name != "COUNT_BIG" };
        if self.rng.chance(40) {
            // As `ISNULL(…, 7)` and the like: what is there without a row.
            let other = constant(ty, Value::Int(7));
            let kind = ExprKind::Case {
                branches: vec![(Pred::IsNull(value.clone()), other)],
                otherwise: Some(Box::new(value)),
            };
            column = self.ids.column();
            let value = Expr { kind, ty, nullable: true };
            plan = Node::Compute { input: Box::new(plan), columns: vec![(column, value)] };
        }
        let subquery = Subquery { plan, column, correlated: true, implied: false };
        Expr { kind: ExprKind::Subquery(Box::new(subquery)), ty, nullable: true }
    }

    /// Joined sources with conditions.
    fn joins(&mut self, sources: usize) -> (Node, Vec<Named>) {
        if sources == 1 {
            if self.rng.chance(12) {
                return self.grouped(1);
            }
            return self.scan();
        }
        let on_left = 1 + self.rng.below(sources - 1);
        let (left, mut columns) = self.joins(on_left);
        if self.rng.chance(15) {
            // CROSS or OUTER APPLY.
            let (right, more) = self.subquery(&columns, 0);
            columns.extend(more);
            let kind = [JoinKind::Inner, JoinKind::LeftOuter][self.rng.below(2)];
            let (outer, inner) = (Box::new(left), Box::new(right));
            return (Node::NestedLoop { kind, outer, inner, predicate: None }, columns);
        }
        let (right, more) = self.joins(sources - on_left);
        use JoinKind::*;
        let kind =
            [Inner, Inner, Inner, LeftOuter, LeftOuter, RightOuter, FullOuter][self.rng.below(7)];
        let mut on = vec![Pred::Compare(self.op(), self.number(&columns), self.number(&more))];
        let left_columns = columns.clone();
        columns.extend(&more);
        if self.rng.chance(40) {
            let of = [&left_columns, &more, &columns][self.rng.below(3)].clone();
            on.push(self.condition(&of, &[], 0));
        }
        let predicate = self.rng.chance(90).then_some(Pred::And(on));
        let (outer, inner) = (Box::new(left), Box::new(right));
        (Node::NestedLoop { kind, outer, inner, predicate }, columns)
    }

    fn grouped(&mut self, sources: usize) -> (Node, Vec<Named>) {
        let (input, of) = self.joins(sources);
        let groups: Vec<(ColId, Expr)> =
            (0..self.rng.below(3)).map(|_| (self.ids.column(), self.number(&of))).collect();
        let aggregates: Vec<(ColId, Aggregate)> = (0..1 + self.rng.below(2))
            .map(|_| {
                let name = ["COUNT_BIG", "MIN", "MAX"][self.rng.below(3)];
                let function = Library.aggregate(name).unwrap();
                let arg = self.number(&of);
                let ty = if name == "COUNT_BIG" { SqlType::bigint() } else { arg.ty };
                let args = vec![arg];
                let aggregate = Aggregate { function, args, distinct: false, order: vec![], ty };
                (self.ids.column(), aggregate)
            })
            .collect();
        let mut columns: Vec<Named> = groups.iter().map(|g| (g.0, g.1.ty)).collect();
        columns.extend(aggregates.iter().map(|a| (a.0, a.1.ty)));
        let node = Node::Aggregate {
            input: Box::new(input),
            groups,
            aggregates,
            grouping_sets: vec![],
            grouping_id: None,
            ordered: false,
        };
        (node, columns)
    }

    /// Rows with their numbers in an order that leaves no choice, some of it the same for all rows.
    fn numbered(&mut self, input: Node, columns: &mut Vec<Named>) -> Node {
        let at = self.rng.below(columns.len());
        let kept = walk::outputs(&input);
        let mut order: Vec<SortKey> = (columns[at..].iter().chain(&columns[..at]))
            .map(|c| SortKey { expr: col(c.0.0, c.1), descending: self.rng.chance(20) })
            .collect();
        if self.rng.chance(30) {
            let column = self.ids.column();
            let plan =
                Node::Compute { input: Box::new(Node::OneRow), columns: vec![(column, int(1))] };
            let kind = ExprKind::Subquery(Box::new(Subquery {
                plan,
                column,
                correlated: false,
                implied: false,
            }));
            let expr = Expr { kind, ty: SqlType::int(), nullable: true };
            let at = self.rng.below(order.len());
            order.insert(at, SortKey { expr, descending: self.rng.chance(50) });
        }
        let number = (self.ids.column(), SqlType::bigint());
        let function = WindowFunction { kind: WindowKind::RowNumber, ty: number.1 };
        columns.push(number);
        Node::Window {
            input: Box::new(input),
            partition: vec![],
            order,
            functions: vec![(number.0, function)],
            columns: kept,
        }
    }

    /// A whole query, and how many of its columns it is sorted by.
    fn query(&mut self) -> (Node, Vec<Named>, usize) {
        let sources = 1 + self.rng.below(4);
        let (mut node, mut columns) = match self.rng.chance(25) {
            true => self.grouped(sources),
            false => self.joins(sources),
        };
        if self.rng.chance(85) {
            let predicate = self.conditions(&columns, &[], 2, 3);
            node = Node::Filter { input: Box::new(node), predicate };
        }
        if self.rng.chance(25) {
            let new = (self.ids.column(), arith(ArithOp::Add, self.small(&columns), int(1)));
            columns.push((new.0, new.1.ty));
            node = Node::Compute { input: Box::new(node), columns: vec![new] };
            if self.rng.chance(60) {
                let predicate = self.conditions(&columns, &[], 1, 2);
                node = Node::Filter { input: Box::new(node), predicate };
            }
        }
        if self.rng.chance(12) {
            let value = self.aggregate_of(&columns);
            let of = self.number(&columns);
            let wide = |e| cast(e, SqlType::bigint(), CastMode::Explicit);
            let predicate = Pred::Compare(self.op(), wide(of), wide(value));
            node = Node::Filter { input: Box::new(node), predicate };
        }
        if self.rng.chance(40) {
            let (value, name) = (self.aggregate_of(&columns), self.ids.column());
            columns.push((name, value.ty));
            node = Node::Compute { input: Box::new(node), columns: vec![(name, value)] };
        }
        if self.rng.chance(20) {
            node = self.numbered(node, &mut columns);
            if self.rng.chance(60) {
                let (number, ty) = columns[columns.len() - 1];
                let bound = constant(ty, Value::Int(self.rng.below(9) as i64));
                let predicate = Pred::Compare(self.op(), col(number.0, ty), bound);
                node = Node::Filter { input: Box::new(node), predicate };
            }
        }
        let mut sorted = 0;
        if self.rng.chance(50) {
            let at = self.rng.below(columns.len());
            columns.rotate_left(at);
            sorted = 1 + self.rng.below(columns.len().min(3));
            let limit = self.rng.chance(40);
            if limit {
                // The same rows for every plan.
                sorted = columns.len();
            }
            let keys = (columns[..sorted].iter())
                .map(|c| SortKey { expr: col(c.0.0, c.1), descending: self.rng.chance(40) })
                .collect();
            let count = constant(SqlType::bigint(), Value::Int(1 + self.rng.below(6) as i64));
            let kept = walk::outputs(&node);
            let input = Box::new(node);
            node = Node::Sort { input, keys, limit: limit.then(|| count.clone()), columns: kept };
            if limit {
                node = Node::Top { input: Box::new(node), count, percent: false, ties: None };
            }
        }
        (node, columns, sorted)
    }

    /// A number that can be added to.
    fn small(&mut self, of: &[Named]) -> Expr {
        cast(self.number(of), SqlType::int(), CastMode::Explicit)
    }
}

/// What nested loops in the order written mean, for right and full joins.
fn plainly(node: &mut Node) {
    use walk::{PartMut, Parts};
    fn inside(whole: &mut dyn Parts) {
        whole.parts_mut(&mut |part| match part {
            PartMut::Expr(e) => inside(e),
            PartMut::Pred(p) => inside(p),
            PartMut::Node(n) => plainly(n),
        });
    }
    inside(node);
    let taken = std::mem::replace(node, Node::OneRow);
    *node = match taken {
        Node::NestedLoop { kind: JoinKind::RightOuter, outer, inner, predicate } => {
            let kind = JoinKind::LeftOuter;
            Node::NestedLoop { kind, outer: inner, inner: outer, predicate }
        }
        Node::NestedLoop { kind: JoinKind::FullOuter, outer, inner, predicate } => Node::HashJoin {
            kind: JoinKind::FullOuter,
            probe: outer,
            build: inner,
            keys: vec![],
            null_equal: false,
            residual: predicate,
        },
        other => other,
    };
}

/// Rows as bytes that are ordered as values are.
fn keys(rows: &[Vec<Value>], types: &[SqlType]) -> Vec<Vec<u8>> {
    let shape = KeyShape::of(types);
    let (mut key, account) = (ChargedKey::new(), Account::new(usize::MAX, "default"));
    (rows.iter())
        .map(|row| {
            let values: Vec<_> = row[..types.len()].iter().map(Value::as_ref).collect();
            shape.encode(&values, &mut key, &account).unwrap();
            key.to_vec()
        })
        .collect()
}

fn hints(seed: u64) -> PlanHints {
    let mut hints = PlanHints::default();
    match seed % 8 {
        1 => hints.force_order = true,
        2 => hints.methods.push(JoinMethod::Loop),
        3 => hints.methods.push(JoinMethod::Hash),
        _ => {}
    }
    hints
}

#[test]
fn optimized_queries_yield_the_same_rows() {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let first = number("THERMOCLINE_SEED").unwrap_or(1);
    let count = number("THERMOCLINE_SEEDS").unwrap_or(500);
    let mut nonempty = 0;
    for seed in first..first + count {
        let mut writer = Writer { rng: Rng(seed), tables: vec![], ids: Ids::default() };
        let mut db = TestDatabase::new();
        for (def, rows) in tables(&mut writer.rng) {
            db.create(&def);
            if !rows.is_empty() {
                db.fill(&def, &rows).unwrap();
            }
            writer.tables.push(def);
        }
        let (root, columns, sorted) = writer.query();
        let types: Vec<SqlType> = columns.iter().map(|c| c.1).collect();
        let mut plain = root.clone();
        plainly(&mut plain);
        let expected = db.query(plain, &columns);
        let Ok(expected) = expected else { panic!("seed {seed}: {expected:?}\n{root}") };
        let mut plan = select(root.clone(), &columns);
        let hints = hints(seed);
        let mut context =
            PlanContext { ids: &mut writer.ids, hints: &hints, statistics: &NoStatistics };
        if optimize::statement(&mut plan, &mut context).is_err() {
            // A join that cannot be hashed.
            assert_eq!(hints.methods[..], [JoinMethod::Hash], "seed {seed}");
            continue;
        }
        let found = db.run(&plan, &mut Frame::default());
        let found = found.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{root}\n{plan}")).0.rows;
        nonempty += u64::from(!expected.is_empty());
        let all = |rows: &[Vec<Value>]| {
            let mut keys = keys(rows, &types);
            keys.sort();
            keys
        };
        assert!(
            all(&found) == all(&expected)
                && keys(&found, &types[..sorted]) == keys(&expected, &types[..sorted]),
            "seed {seed}: found {found:?}\nexpected {expected:?}\n{root}\n{plan}"
        );
        assert_eq!(db.memory_used(), 0, "seed {seed}: memory is left");
    }
    assert!(nonempty * 4 > count, "few queries yield rows: {nonempty} of {count}");
}
