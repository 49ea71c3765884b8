//! Random tables, expressions and plans. Expressions do not fail: numbers stay small, and nothing
//! is divided by what could be zero.

use std::sync::Arc;

use base::{Collation, SqlType, Value};
use engine::catalog::def::{IndexKind, TableDef};
use ir::function::Functions;
use ir::testing::{DB, table_def, with_index};

use crate::plan::expr::*;
use crate::plan::hints::AccessHint;
use crate::plan::testing::constant;
use crate::plan::tree::*;

/// Strings are compared without case.
pub const COLLATION: Collation = Collation(1);

/// A source of random numbers that starts from a seed.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.draw() % n as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
}

/// The types that plans are made of.
pub fn types() -> [SqlType; 8] {
    [
        SqlType::int(),
        SqlType::bigint(),
        SqlType::smallint(),
        SqlType::decimal(20, 2),
        SqlType::float(),
        SqlType::varchar(30, COLLATION),
        SqlType::nvarchar(30, COLLATION),
        SqlType::date(),
    ]
}

/// A column and its type.
pub type Named = (ColId, SqlType);

/// Makes plans.
pub struct Generator {
    pub rng: Rng,
    pub tables: Vec<Arc<TableDef>>,
    next: u32,
    next_work: u32,
    /// How many operators a plan may still have.
    budget: usize,
    /// The library.
    functions: &'static dyn Functions,
    /// Whether some strings end with a blank. Which of several equal strings a group shows is not
    /// defined; so nothing is made of them then that shows where one ends.
    padded: bool,
}

impl Generator {
    pub fn new(seed: u64, functions: &'static dyn Functions) -> Generator {
        let mut rng = Rng::new(seed);
        Generator {
            padded: rng.chance(50),
            rng,
            tables: Vec::new(),
            next: 0,
            next_work: 0,
            budget: 9,
            functions,
        }
    }

    /// A generator of expressions without subqueries.
    pub fn without_tables(seed: u64, functions: &'static dyn Functions) -> Generator {
        Generator { budget: 0, ..Generator::new(seed, functions) }
    }

    fn col(&mut self) -> ColId {
        self.next += 1;
        ColId(self.next)
    }

    /// Some tables with columns of random types and random indexes, and their rows.
    pub fn make_tables(&mut self) -> Vec<(Arc<TableDef>, Vec<Vec<Value>>)> {
        let mut made = Vec::new();
        for id in 1..=3 {
            let count = 2 + self.rng.below(3);
            let names = ["a", "b", "c", "d"];
            let columns: Vec<(&str, SqlType, bool)> = (0..count)
                .map(|at| (names[at], self.rng.pick(&types()), self.rng.chance(60)))
                .collect();
            let mut def = table_def(id, &format!("t{id}"), &columns);
            for _ in 0..1 + self.rng.below(2) {
                let mut key: Vec<i32> = (0..count as i32).collect();
                key.rotate_left(self.rng.below(count));
                key.truncate(1 + self.rng.below(count.min(2)));
                let kind = match self.rng.chance(30) {
                    true => IndexKind::Hash,
                    false => IndexKind::NonClustered,
                };
                if kind == IndexKind::NonClustered && self.rng.chance(40) {
                    // Descending columns are named by their id, negated.
                    key.iter_mut().for_each(|c| *c = -(*c + 1));
                }
                def = with_index(def, kind, false, &key);
            }
            let def = Arc::new(def);
            let rows = (0..self.rng.below(9))
                .map(|_| {
                    columns.iter().map(|(_, ty, nullable)| self.value(ty, *nullable)).collect()
                })
                .collect();
            self.tables.push(def.clone());
            made.push((def, rows));
        }
        made
    }

    /// A small value of a type.
    pub fn value(&mut self, ty: &SqlType, nullable: bool) -> Value {
        if nullable && self.rng.chance(20) {
            return Value::Null;
        }
        let small = self.rng.below(7) as i64 - 2;
        let b = if self.padded { "b " } else { "b" };
        let text = self.rng.pick(&["", "a", "A", b, "b", "ab", "Ab", "B"]);
        use base::types::Repr;
        match ty.kind.repr() {
            Repr::Int => Value::Int(small),
            Repr::Decimal => Value::Decimal(i128::from(small * 25)),
            Repr::Float => Value::Float(small as f64 * 0.5),
            Repr::Chars => Value::Chars(text.as_bytes().into()),
            Repr::Unicode => {
                Value::Unicode(text.encode_utf16().flat_map(u16::to_le_bytes).collect())
            }
            Repr::Date => Value::Date(700_000 + small as i32),
            other => panic!("{other:?} is not made"),
        }
    }

    fn column_of(&mut self, ty: &SqlType, scope: &[Named]) -> Option<Expr> {
        let fitting: Vec<Named> = scope.iter().copied().filter(|c| c.1 == *ty).collect();
        if fitting.is_empty() {
            return None;
        }
        let (col, ty) = self.rng.pick(&fitting);
        Some(Expr { kind: ExprKind::Column(col), ty, nullable: true })
    }

    /// An expression of a type over some columns.
    pub fn expr(&mut self, ty: &SqlType, scope: &[Named], depth: usize) -> Expr {
        if depth == 0 || self.rng.chance(40) {
            if self.rng.chance(75)
                && let Some(column) = self.column_of(ty, scope)
            {
                return column;
            }
            let value = self.value(ty, true);
            return constant(*ty, value);
        }
        let nullable = |kind| Expr { kind, ty: *ty, nullable: true };
        match self.rng.below(10) {
            0 => {
                let branches = (0..1 + self.rng.below(2))
                    .map(|_| (self.pred(scope, depth - 1), self.expr(ty, scope, depth - 1)))
                    .collect();
                let otherwise = self.rng.chance(60).then(|| self.expr(ty, scope, depth - 1));
                nullable(ExprKind::Case { branches, otherwise: otherwise.map(Box::new) })
            }
            1 if self.budget > 0 => self.scalar_subquery(ty, scope),
            2 => self.number_from_text(ty, scope, depth),
            _ => self.operation(ty, scope, depth),
        }
    }

    fn operation(&mut self, ty: &SqlType, scope: &[Named], depth: usize) -> Expr {
        use base::types::Repr;
        let nullable = |kind| Expr { kind, ty: *ty, nullable: true };
        let boxed = |g: &mut Generator| Box::new(g.expr(ty, scope, depth - 1));
        match ty.kind.repr() {
            // Halved, so that depth does not make numbers large.
            Repr::Int | Repr::Float => {
                let op = self.rng.pick(&[ArithOp::Add, ArithOp::Subtract, ArithOp::Multiply]);
                let (left, right) = (boxed(self), boxed(self));
                let sum = nullable(ExprKind::Arith { op, left, right });
                let two = match ty.kind.repr() {
                    Repr::Int => Value::Int(5),
                    _ => Value::Float(4.0),
                };
                let right = Box::new(constant(*ty, two));
                nullable(ExprKind::Arith { op: ArithOp::Divide, left: Box::new(sum), right })
            }
            Repr::Decimal => {
                let op = self.rng.pick(&[ArithOp::Add, ArithOp::Subtract]);
                let (left, right) = (boxed(self), boxed(self));
                nullable(ExprKind::Arith { op, left, right })
            }
            Repr::Chars | Repr::Unicode if depth <= 2 && !self.padded => {
                let (left, right) = (boxed(self), boxed(self));
                let mut long = nullable(ExprKind::Concat(left, right));
                long.ty.length = 400;
                let mode = CastMode::Explicit;
                nullable(ExprKind::Cast { operand: Box::new(long), mode, style: None })
            }
            _ => self.expr(ty, scope, depth - 1),
        }
    }

    /// A number out of a string that may not hold one.
    fn number_from_text(&mut self, ty: &SqlType, scope: &[Named], depth: usize) -> Expr {
        if !ty.kind.is_integer() {
            return self.operation(ty, scope, depth);
        }
        let operand = Box::new(self.expr(&SqlType::varchar(30, COLLATION), scope, depth - 1));
        let mode = CastMode::Try;
        Expr { kind: ExprKind::Cast { operand, mode, style: None }, ty: *ty, nullable: true }
    }

    /// A subquery with one row at most.
    fn scalar_subquery(&mut self, ty: &SqlType, scope: &[Named]) -> Expr {
        let correlated = self.rng.chance(60);
        let outer = if correlated { scope } else { &[] };
        let (plan, columns) = self.node(2, outer);
        let col = self.col();
        let inner: Vec<Named> = outer.iter().chain(&columns).copied().collect();
        let value = self.expr(ty, &inner, 1);
        // All columns in the order, so that the first row is the same however it is computed.
        let mut keys: Vec<SortKey> = vec![key(col, *ty, false)];
        keys.extend(columns.iter().map(|c| key(c.0, c.1, false)));
        let compute = Node::Compute { input: Box::new(plan), columns: vec![(col, value)] };
        let sorted = Node::Sort { input: Box::new(compute), keys, limit: None, columns: vec![col] };
        let plan = top(sorted, 1, None);
        let subquery = Subquery { plan, column: col, correlated, implied: false };
        Expr { kind: ExprKind::Subquery(Box::new(subquery)), ty: *ty, nullable: true }
    }

    /// A condition over some columns.
    pub fn pred(&mut self, scope: &[Named], depth: usize) -> Pred {
        let ty = match scope.is_empty() || self.rng.chance(20) {
            true => self.rng.pick(&types()),
            false => self.rng.pick(scope).1,
        };
        if depth > 0 && self.rng.chance(35) {
            let list = |g: &mut Generator| -> Vec<Pred> {
                (0..2 + g.rng.below(2)).map(|_| g.pred(scope, depth - 1)).collect()
            };
            return match self.rng.below(3) {
                0 => Pred::And(list(self)),
                1 => Pred::Or(list(self)),
                _ => Pred::Not(Box::new(self.pred(scope, depth - 1))),
            };
        }
        let inner = depth.saturating_sub(1);
        match self.rng.below(12) {
            0 => Pred::IsNull(self.expr(&ty, scope, inner)),
            1 => Pred::NotDistinct(self.expr(&ty, scope, inner), self.expr(&ty, scope, inner)),
            2 => {
                let count = 1 + self.rng.below(9);
                let list = (0..count)
                    .map(|_| match self.rng.chance(80) {
                        true => {
                            let nullable = self.rng.chance(20);
                            let value = self.value(&ty, nullable);
                            constant(ty, value)
                        }
                        false => self.expr(&ty, scope, inner),
                    })
                    .collect();
                Pred::In(self.expr(&ty, scope, inner), list)
            }
            3 if !self.padded => {
                let ty = SqlType::varchar(30, COLLATION);
                let pattern = self.rng.pick(&["a%", "%b", "_", "[ab]%", "%", "A"]);
                let pattern = constant(ty, Value::Chars(pattern.as_bytes().into()));
                Pred::Like { subject: self.expr(&ty, scope, inner), pattern, escape: None }
            }
            4 if self.budget > 0 => {
                let correlated = self.rng.chance(60);
                let outer = if correlated { scope } else { &[] };
                let (plan, columns) = self.node(2, outer);
                let column = columns.first().map_or(ColId(0), |c| c.0);
                Pred::Exists(Box::new(Subquery { plan, column, correlated, implied: false }))
            }
            5 if self.budget > 0 => {
                let correlated = self.rng.chance(40);
                let outer = if correlated { scope } else { &[] };
                let (plan, columns) = self.node(2, outer);
                let (column, ty) = self.rng.pick(&columns);
                let left = self.expr(&ty, scope, inner);
                let op = self.compare_op();
                let subquery = Box::new(Subquery { plan, column, correlated, implied: false });
                Pred::Quantified { op, all: self.rng.chance(50), left, subquery }
            }
            _ => {
                let op = self.compare_op();
                let left = self.expr(&ty, scope, inner);
                Pred::Compare(op, left, self.expr(&ty, scope, inner))
            }
        }
    }

    fn compare_op(&mut self) -> CompareOp {
        use CompareOp::*;
        self.rng.pick(&[Eq, Eq, Eq, Ne, Lt, Le, Gt, Ge])
    }

    /// An operator with its inputs, and the columns that it yields.
    pub fn node(&mut self, depth: usize, outer: &[Named]) -> (Node, Vec<Named>) {
        self.budget = self.budget.saturating_sub(1);
        if depth == 0 || self.budget == 0 {
            return self.leaf(outer);
        }
        match self.rng.below(15) {
            0 => {
                let (input, columns) = self.node(depth - 1, outer);
                let scope = with(outer, &columns);
                let predicate = self.pred(&scope, 2);
                (Node::Filter { input: Box::new(input), predicate }, columns)
            }
            1 => {
                let (input, mut columns) = self.node(depth - 1, outer);
                let scope = with(outer, &columns);
                let ty = self.rng.pick(&types());
                let new = (self.col(), self.expr(&ty, &scope, 2));
                columns.push((new.0, ty));
                (Node::Compute { input: Box::new(input), columns: vec![new] }, columns)
            }
            2 | 3 => self.nested_loop(depth, outer),
            4 | 5 => self.hash_join(depth, outer),
            6 => {
                let (input, columns) = self.node(depth - 1, outer);
                let cols = columns.iter().map(|c| c.0).collect();
                (Node::Distinct { input: Box::new(input), columns: cols }, columns)
            }
            7 => self.sorted(depth, outer),
            8 => self.union(depth, outer),
            9 => self.spool(depth, outer),
            10 if self.rng.chance(30) => self.numbered(depth, outer),
            10 => self.window(depth, outer),
            11.. if self.rng.chance(60) => self.aggregate(depth, outer),
            _ => self.leaf(outer),
        }
    }

    fn leaf(&mut self, outer: &[Named]) -> (Node, Vec<Named>) {
        if self.rng.chance(15) {
            let types: Vec<SqlType> =
                (0..1 + self.rng.below(2)).map(|_| self.rng.pick(&types())).collect();
            let columns: Vec<Named> = types.iter().map(|ty| (self.col(), *ty)).collect();
            let rows = (0..self.rng.below(4))
                .map(|_| types.iter().map(|ty| self.expr(ty, outer, 1)).collect())
                .collect();
            let cols = columns.iter().map(|c| c.0).collect();
            return (Node::Values { columns: cols, rows }, columns);
        }
        if self.rng.chance(10) {
            return self.series(outer);
        }
        let table = self.rng.pick(&self.tables.clone());
        let columns: Vec<Named> =
            table.columns.iter().map(|c| c.ty).map(|ty| (self.col(), ty)).collect();
        let access = self.access(&table, outer);
        self.scan(Source::Table { database: DB, table }, columns, access, outer)
    }

    /// A series whose step is not 0.
    fn series(&mut self, outer: &[Named]) -> (Node, Vec<Named>) {
        let numbers = types().into_iter().filter(|ty| ty.kind.is_integer() || ty.kind.is_decimal());
        let ty = self.rng.pick(&numbers.collect::<Vec<_>>());
        let mut args = vec![self.expr(&ty, outer, 1), self.expr(&ty, outer, 1)];
        if self.rng.chance(60) {
            let step = self.rng.pick(&[-2, -1, 1, 2, 3]);
            args.push(match ty.kind.is_decimal() {
                true => constant(ty, Value::Decimal(step * 25)),
                false => constant(ty, Value::Int(step as i64)),
            });
        }
        let function = self.functions.rowset("GENERATE_SERIES").unwrap();
        let column = (self.col(), ty);
        self.scan(Source::Function(function, args), vec![column], Access::Full, outer)
    }

    fn scan(
        &mut self,
        source: Source,
        columns: Vec<Named>,
        access: Access,
        outer: &[Named],
    ) -> (Node, Vec<Named>) {
        let residual = self.rng.chance(40).then(|| {
            let scope = with(outer, &columns);
            self.pred(&scope, 1)
        });
        let scan = Scan {
            source,
            columns: columns.iter().enumerate().map(|(at, c)| (at, c.0)).collect(),
            access,
            residual,
            row: None,
            options: ReadOptions::default(),
            hint: AccessHint::default(),
        };
        (Node::Scan(Box::new(scan)), columns)
    }

    fn access(&mut self, table: &TableDef, outer: &[Named]) -> Access {
        if self.rng.chance(50) {
            return Access::Full;
        }
        let index = self.rng.below(table.indexes.len());
        let def = &table.indexes[index];
        let key_type = |at: usize| table.column(def.key[at].column).unwrap().ty;
        if def.kind == IndexKind::Hash {
            let key = (0..def.key.len()).map(|at| self.expr(&key_type(at), outer, 1)).collect();
            return Access::Seek { index, key };
        }
        let fixed = self.rng.below(def.key.len() + 1);
        let prefix = (0..fixed).map(|at| self.expr(&key_type(at), outer, 1)).collect();
        let bound = |g: &mut Generator| {
            (fixed < def.key.len() && g.rng.chance(50)).then(|| Bound {
                value: g.expr(&key_type(fixed), outer, 1),
                inclusive: g.rng.chance(50),
            })
        };
        let (lower, upper) = (bound(self), bound(self));
        Access::Range { index, prefix, lower, upper, backward: self.rng.chance(40) }
    }

    fn nested_loop(&mut self, depth: usize, outer: &[Named]) -> (Node, Vec<Named>) {
        use JoinKind::*;
        let kind = self.rng.pick(&[Inner, Inner, LeftOuter, LeftOuter, Semi, Anti, AntiNullAware]);
        let (left, left_columns) = self.node(depth - 1, outer);
        let scope = with(outer, &left_columns);
        let (right, right_columns) = self.node(depth - 1, &scope);
        let scope = with(&scope, &right_columns);
        let predicate = self.rng.chance(80).then(|| self.pred(&scope, 1));
        let columns = output(kind, left_columns, right_columns);
        let (outer, inner) = (Box::new(left), Box::new(right));
        (Node::NestedLoop { kind, outer, inner, predicate }, columns)
    }

    fn hash_join(&mut self, depth: usize, outer: &[Named]) -> (Node, Vec<Named>) {
        use JoinKind::*;
        let kinds =
            [Inner, Inner, LeftOuter, RightOuter, FullOuter, FullOuter, Semi, Anti, AntiNullAware];
        let kind = self.rng.pick(&kinds);
        let (left, left_columns) = self.node(depth - 1, outer);
        let (right, right_columns) = self.node(depth - 1, outer);
        let (left_scope, right_scope) = (with(outer, &left_columns), with(outer, &right_columns));
        let keys = (0..1 + self.rng.below(2))
            .map(|_| {
                let ty = self.rng.pick(&left_columns).1;
                (self.expr(&ty, &left_scope, 1), self.expr(&ty, &right_scope, 1))
            })
            .collect();
        let scope = with(&left_scope, &right_columns);
        let residual = self.rng.chance(40).then(|| self.pred(&scope, 1));
        let columns = output(kind, left_columns, right_columns);
        let node = Node::HashJoin {
            kind,
            probe: Box::new(left),
            build: Box::new(right),
            keys,
            null_equal: self.rng.chance(25),
            residual,
        };
        (node, columns)
    }

    /// A sort by all columns, with some of the rows.
    fn sorted(&mut self, depth: usize, outer: &[Named]) -> (Node, Vec<Named>) {
        let (input, columns) = self.node(depth - 1, outer);
        let mut order = columns.clone();
        order.rotate_left(self.rng.below(columns.len()));
        let keys: Vec<SortKey> = order.iter().map(|c| key(c.0, c.1, self.rng.chance(40))).collect();
        let count = self.rng.below(6) as i64;
        let big = |n| constant(SqlType::bigint(), Value::Int(n));
        let cols: Vec<ColId> = columns.iter().map(|c| c.0).collect();
        let sort = |limit| Node::Sort {
            input: Box::new(input.clone()),
            keys: keys.clone(),
            limit,
            columns: cols.clone(),
        };
        let node = match self.rng.below(4) {
            0 => sort(None),
            1 => top(sort(Some(big(count))), count, None),
            2 => {
                let ties = order[..1 + self.rng.below(order.len())].iter().map(|c| c.0);
                top(sort(None), count, Some(ties.collect()))
            }
            _ => Node::Offset {
                input: Box::new(sort(None)),
                offset: big(count),
                fetch: self.rng.chance(60).then(|| big(1 + self.rng.below(4) as i64)),
            },
        };
        (node, columns)
    }

    fn union(&mut self, depth: usize, outer: &[Named]) -> (Node, Vec<Named>) {
        let types: Vec<SqlType> =
            (0..1 + self.rng.below(2)).map(|_| self.rng.pick(&types())).collect();
        let inputs = (0..2 + self.rng.below(2))
            .map(|_| {
                let (input, columns) = self.node(depth - 1, outer);
                let scope = with(outer, &columns);
                let made: Vec<(ColId, Expr)> =
                    types.iter().map(|ty| (self.col(), self.expr(ty, &scope, 1))).collect();
                let names = made.iter().map(|m| m.0).collect();
                (Node::Compute { input: Box::new(input), columns: made }, names)
            })
            .collect();
        let columns: Vec<Named> = types.iter().map(|ty| (self.col(), *ty)).collect();
        let names = columns.iter().map(|c| c.0).collect();
        (Node::Union { inputs, columns: names }, columns)
    }

    /// A worktable that is read twice.
    fn spool(&mut self, depth: usize, outer: &[Named]) -> (Node, Vec<Named>) {
        let (input, kept) = self.node(depth - 1, outer);
        self.next_work += 1;
        let worktable = WorktableId(self.next_work);
        let read = |g: &mut Generator| {
            let columns: Vec<Named> = kept.iter().map(|c| (g.col(), c.1)).collect();
            let names = columns.iter().map(|c| c.0).collect();
            (Node::Worktable { worktable, columns: names }, columns)
        };
        let ((left, mut columns), (right, more)) = (read(self), read(self));
        columns.extend(more);
        let predicate = Some(self.pred(&columns, 1));
        let body = Node::NestedLoop {
            kind: JoinKind::Inner,
            outer: Box::new(left),
            inner: Box::new(right),
            predicate,
        };
        let names = kept.iter().map(|c| c.0).collect();
        let input = Box::new((input, names));
        (Node::Spool { worktable, input, body: Box::new(body) }, columns)
    }

    /// Window functions in an order that leaves no choice.
    fn window(&mut self, depth: usize, outer: &[Named]) -> (Node, Vec<Named>) {
        let (input, mut columns) = self.node(depth - 1, outer);
        let scope = with(outer, &columns);
        let ty = self.rng.pick(&columns).1;
        let partition = match self.rng.chance(60) {
            true => vec![self.expr(&ty, &scope, 1)],
            false => vec![],
        };
        let total = self.rng.chance(70);
        let mut order: Vec<SortKey> =
            columns.iter().map(|c| key(c.0, c.1, self.rng.chance(40))).collect();
        if !total {
            order.truncate(1);
        }
        let mut functions = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            let function = self.window_function(&scope, total);
            let col = self.col();
            columns.push((col, function.ty));
            functions.push((col, function));
        }
        let kept = columns[..columns.len() - functions.len()].iter().map(|c| c.0).collect();
        let input = Box::new(input);
        (Node::Window { input, partition, order, functions, columns: kept }, columns)
    }

    /// Rows that come in an order that leaves no choice, numbered as they come.
    fn numbered(&mut self, depth: usize, outer: &[Named]) -> (Node, Vec<Named>) {
        let (input, mut columns) = self.node(depth - 1, outer);
        let kept: Vec<ColId> = columns.iter().map(|c| c.0).collect();
        let keys = columns.iter().map(|c| key(c.0, c.1, self.rng.chance(40))).collect();
        let sorted =
            Node::Sort { input: Box::new(input), keys, limit: None, columns: kept.clone() };
        let mut functions = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            let function = WindowFunction { kind: WindowKind::RowNumber, ty: SqlType::bigint() };
            columns.push((self.col(), function.ty));
            functions.push((columns[columns.len() - 1].0, function));
        }
        let (input, partition, order) = (Box::new(sorted), vec![], vec![]);
        (Node::Window { input, partition, order, functions, columns: kept }, columns)
    }

    /// A function; where the order leaves a choice, one for which that does not matter.
    fn window_function(&mut self, scope: &[Named], total: bool) -> WindowFunction {
        let bigint = SqlType::bigint();
        if !total {
            let kind = if self.rng.chance(50) { WindowKind::Rank } else { WindowKind::DenseRank };
            return WindowFunction { kind, ty: bigint };
        }
        let ty = self.rng.pick(scope).1;
        match self.rng.below(5) {
            0 => WindowFunction { kind: WindowKind::RowNumber, ty: bigint },
            1 => {
                let value = self.expr(&ty, scope, 1);
                let offset = constant(bigint, Value::Int(self.rng.below(3) as i64));
                let default = self.rng.chance(50).then(|| self.expr(&ty, scope, 1));
                let (back, ignore_nulls) = (self.rng.chance(50), self.rng.chance(50));
                let kind = WindowKind::Shift { value, offset, back, ignore_nulls, default };
                WindowFunction { kind, ty }
            }
            2 => {
                let value = self.expr(&ty, scope, 1);
                let (last, ignore_nulls) = (self.rng.chance(50), self.rng.chance(50));
                let frame = self.frame();
                WindowFunction { kind: WindowKind::Edge { value, last, ignore_nulls, frame }, ty }
            }
            _ => {
                let aggregate = self.aggregate_call(scope, false);
                let ty = aggregate.ty;
                WindowFunction { kind: WindowKind::Aggregate(aggregate, self.frame()), ty }
            }
        }
    }

    fn frame(&mut self) -> Frame {
        use FrameBound::*;
        let rows = self.rng.chance(70);
        let n = self.rng.below(3) as u64;
        let starts = [UnboundedPreceding, CurrentRow, Preceding(n)];
        let ends = [CurrentRow, UnboundedFollowing, Following(n)];
        let limit = if rows { 3 } else { 2 };
        Frame { rows, start: starts[self.rng.below(limit)], end: ends[self.rng.below(limit)] }
    }

    fn aggregate_call(&mut self, scope: &[Named], distinct_allowed: bool) -> Aggregate {
        let name = self.rng.pick(&["COUNT_BIG", "MIN", "MAX", "SUM"]);
        let function = self.functions.aggregate(name).expect("it is in the library");
        let summed = [SqlType::bigint(), SqlType::decimal(38, 2)];
        let ty = match name {
            "SUM" => self.rng.pick(&summed),
            _ => self.rng.pick(&types()),
        };
        let mut arg = self.expr(&ty, scope, 1);
        if name == "COUNT_BIG" && self.rng.chance(30) {
            return Aggregate {
                function,
                args: vec![],
                distinct: false,
                order: vec![],
                ty: SqlType::bigint(),
            };
        }
        if ty == summed[1] {
            let operand = Box::new(self.expr(&SqlType::decimal(20, 2), scope, 1));
            let mode = CastMode::Explicit;
            arg = Expr { kind: ExprKind::Cast { operand, mode, style: None }, ty, nullable: true };
        }
        let result = if name == "COUNT_BIG" { SqlType::bigint() } else { ty };
        let distinct = distinct_allowed && self.rng.chance(30);
        Aggregate { function, args: vec![arg], distinct, order: vec![], ty: result }
    }

    fn aggregate(&mut self, depth: usize, outer: &[Named]) -> (Node, Vec<Named>) {
        let (mut input, input_columns) = self.node(depth - 1, outer);
        let scope = with(outer, &input_columns);
        let groups: Vec<(ColId, Expr)> = (0..self.rng.below(3))
            .map(|_| {
                let ty = self.rng.pick(&input_columns).1;
                (self.col(), self.expr(&ty, &scope, 1))
            })
            .collect();
        let aggregates: Vec<(ColId, Aggregate)> = (0..1 + self.rng.below(2))
            .map(|_| (self.col(), self.aggregate_call(&scope, true)))
            .collect();
        let mut columns: Vec<Named> = groups.iter().map(|g| (g.0, g.1.ty)).collect();
        columns.extend(aggregates.iter().map(|a| (a.0, a.1.ty)));
        let sets = !groups.is_empty() && self.rng.chance(30);
        let grouping_sets: Vec<Vec<bool>> = match sets {
            true => (0..1 + self.rng.below(3))
                .map(|_| groups.iter().map(|_| self.rng.chance(50)).collect())
                .collect(),
            false => vec![],
        };
        let grouping_id = sets.then(|| self.col());
        columns.extend(grouping_id.map(|c| (c, SqlType::int())));
        let ordered = !sets && !groups.is_empty() && self.rng.chance(40);
        if ordered {
            let keys = groups
                .iter()
                .map(|(_, e)| SortKey { expr: e.clone(), descending: false })
                .collect();
            let kept = input_columns.iter().map(|c| c.0).collect();
            input = Node::Sort { input: Box::new(input), keys, limit: None, columns: kept };
        }
        let input = Box::new(input);
        (
            Node::Aggregate { input, groups, aggregates, grouping_sets, grouping_id, ordered },
            columns,
        )
    }
}

fn with(outer: &[Named], columns: &[Named]) -> Vec<Named> {
    outer.iter().chain(columns).copied().collect()
}

fn output(kind: JoinKind, left: Vec<Named>, right: Vec<Named>) -> Vec<Named> {
    match kind {
        JoinKind::Semi | JoinKind::Anti | JoinKind::AntiNullAware => left,
        _ => left.into_iter().chain(right).collect(),
    }
}

fn key(col: ColId, ty: SqlType, descending: bool) -> SortKey {
    SortKey { expr: Expr { kind: ExprKind::Column(col), ty, nullable: true }, descending }
}

fn top(input: Node, count: i64, ties: Option<Vec<ColId>>) -> Node {
    let count = constant(SqlType::bigint(), Value::Int(count));
    Node::Top { input: Box::new(input), count, percent: false, ties }
}
