//! Ways through expressions, conditions and operators: what each is made of, and what is often
//! asked of the whole.
//!
//! [`Parts`] lists the direct parts of an expression, condition or operator; a caller that needs
//! more recurses. So each kind of walk is a few lines, and the shape of the tree is known in one
//! place.

use std::collections::HashSet;

use ir::function::Volatility;

use crate::plan::expr::{Aggregate, ColId, Expr, ExprKind, Pred, SortKey};
use crate::plan::tree::{Access, JoinKind, Node, Scan, Source, WindowFunction, WindowKind};

/// A part of something larger.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// A scalar.
    Expr(&'a Expr),
    /// A condition.
    Pred(&'a Pred),
    /// An operator.
    Node(&'a Node),
}

/// A part of something larger that may be changed.
#[derive(Debug)]
pub enum PartMut<'a> {
    /// A scalar.
    Expr(&'a mut Expr),
    /// A condition.
    Pred(&'a mut Pred),
    /// An operator.
    Node(&'a mut Node),
}

/// Something that is made of expressions, conditions and operators.
pub trait Parts {
    /// Calls `f` for each direct part, inputs before what uses them.
    fn parts<'a>(&'a self, f: &mut dyn FnMut(Part<'a>));
    /// As `parts`, to change them.
    fn parts_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>));
}

/// Writes both ways of [`Parts`] from one body. In it `each!` is `iter` or `iter_mut`, `at!`
/// borrows a field either way, `go!` descends to the parts of a part, and the other macros yield a
/// part.
macro_rules! parts_of {
    (
        $f:ident $expr:ident $pred:ident $node:ident $go:ident $each:ident $at:ident;
        $(impl $ty:ty, |$this:ident| $body:block)*
    ) => {$(
        #[allow(unused_macros, unused_variables)]
        impl Parts for $ty {
            fn parts<'a>(&'a self, $f: &mut dyn FnMut(Part<'a>)) {
                macro_rules! $expr { ($e:expr) => { $f(Part::Expr($e)) }; }
                macro_rules! $pred { ($e:expr) => { $f(Part::Pred($e)) }; }
                macro_rules! $node { ($e:expr) => { $f(Part::Node($e)) }; }
                macro_rules! $go { ($e:expr) => { Parts::parts($e, $f) }; }
                macro_rules! $each { ($e:expr) => { $e.iter() }; }
                macro_rules! $at { ($e:expr) => { &$e }; }
                let $this = self;
                $body
            }

            fn parts_mut(&mut self, $f: &mut dyn FnMut(PartMut<'_>)) {
                macro_rules! $expr { ($e:expr) => { $f(PartMut::Expr($e)) }; }
                macro_rules! $pred { ($e:expr) => { $f(PartMut::Pred($e)) }; }
                macro_rules! $node { ($e:expr) => { $f(PartMut::Node($e)) }; }
                macro_rules! $go { ($e:expr) => { Parts::parts_mut($e, $f) }; }
                macro_rules! $each { ($e:expr) => { $e.iter_mut() }; }
                macro_rules! $at { ($e:expr) => { &mut $e }; }
                let $this = self;
                $body
            }
        }
    )*};
}

parts_of! {
    f expr pred node go each at;

    impl Expr, |this| {
        let Expr { kind, .. } = this;
        match kind {
            ExprKind::Constant(_)
            | ExprKind::Column(_)
            | ExprKind::Variable(_)
            | ExprKind::NextValue(_) => {}
            ExprKind::Cast { operand, style, .. } => {
                expr!(operand);
                for style in each!(style) {
                    expr!(style);
                }
            }
            ExprKind::Arith { left, right, .. } | ExprKind::Concat(left, right) => {
                expr!(left);
                expr!(right);
            }
            ExprKind::Negate(operand) | ExprKind::BitNot(operand) => expr!(operand),
            ExprKind::Case { branches, otherwise } => {
                for (when, then) in each!(branches) {
                    pred!(when);
                    expr!(then);
                }
                for otherwise in each!(otherwise) {
                    expr!(otherwise);
                }
            }
            ExprKind::Call { args, .. } => {
                for arg in each!(args) {
                    expr!(arg);
                }
            }
            ExprKind::UserFunction { args, .. } => {
                for arg in each!(args).flatten() {
                    expr!(arg);
                }
            }
            ExprKind::Subquery(subquery) => node!(at!(subquery.plan)),
        }
    }

    impl Pred, |this| {
        match this {
            Pred::Const(_) => {}
            Pred::Compare(_, a, b) | Pred::NotDistinct(a, b) => {
                expr!(a);
                expr!(b);
            }
            Pred::IsNull(e) | Pred::Bit(e) => expr!(e),
            Pred::Like { subject, pattern, escape } => {
                expr!(subject);
                expr!(pattern);
                for escape in each!(escape) {
                    expr!(escape);
                }
            }
            Pred::In(e, list) => {
                expr!(e);
                for item in each!(list) {
                    expr!(item);
                }
            }
            Pred::Exists(subquery) => node!(at!(subquery.plan)),
            Pred::Quantified { left, subquery, .. } => {
                expr!(left);
                node!(at!(subquery.plan));
            }
            Pred::And(list) | Pred::Or(list) => {
                for part in each!(list) {
                    pred!(part);
                }
            }
            Pred::Not(part) => pred!(part),
        }
    }

    impl SortKey, |this| {
        expr!(at!(this.expr));
    }

    impl Aggregate, |this| {
        for arg in each!(this.args) {
            expr!(arg);
        }
        for key in each!(this.order) {
            go!(key);
        }
    }

    impl WindowFunction, |this| {
        match at!(this.kind) {
            WindowKind::RowNumber
            | WindowKind::Rank
            | WindowKind::DenseRank
            | WindowKind::Distribution(_) => {}
            WindowKind::Ntile(n) => expr!(n),
            WindowKind::Shift { value, offset, default, .. } => {
                expr!(value);
                expr!(offset);
                for default in each!(default) {
                    expr!(default);
                }
            }
            WindowKind::Edge { value, .. } => expr!(value),
            WindowKind::Percentile { value, fraction, .. } => {
                expr!(value);
                expr!(fraction);
            }
            WindowKind::Aggregate(aggregate, _) => go!(aggregate),
        }
    }

    impl Access, |this| {
        match this {
            Access::Full => {}
            Access::Seek { key, .. } | Access::Key { key, .. } => {
                for part in each!(key) {
                    expr!(part);
                }
            }
            Access::RowNumber(number) => expr!(number),
            Access::Like { prefix, pattern, .. } => {
                for part in each!(prefix) {
                    expr!(part);
                }
                expr!(pattern);
            }
            Access::Range { prefix, lower, upper, .. } => {
                for part in each!(prefix) {
                    expr!(part);
                }
                for bound in each!(lower).chain(each!(upper)) {
                    expr!(at!(bound.value));
                }
            }
        }
    }

    impl Scan, |this| {
        match at!(this.source) {
            Source::Function(_, args) => {
                for arg in each!(args) {
                    expr!(arg);
                }
            }
            Source::UserFunction(_, args, _) => {
                for arg in each!(args).flatten() {
                    expr!(arg);
                }
            }
            _ => {}
        }
        go!(at!(this.access));
        for residual in each!(this.residual) {
            pred!(residual);
        }
    }

    impl Node, |this| {
        match this {
            Node::OneRow | Node::Worktable { .. } => {}
            Node::Values { rows, .. } => {
                for e in each!(rows).flatten() {
                    expr!(e);
                }
            }
            Node::Scan(scan) => go!(at!(**scan)),
            Node::Filter { input, predicate } => {
                node!(input);
                pred!(predicate);
            }
            Node::Compute { input, columns } => {
                node!(input);
                for (_, e) in each!(columns) {
                    expr!(e);
                }
            }
            Node::NestedLoop { outer, inner, predicate, .. } => {
                node!(outer);
                node!(inner);
                for p in each!(predicate) {
                    pred!(p);
                }
            }
            Node::HashJoin { probe, build, keys, residual, .. } => {
                node!(probe);
                node!(build);
                for (a, b) in each!(keys) {
                    expr!(a);
                    expr!(b);
                }
                for p in each!(residual) {
                    pred!(p);
                }
            }
            Node::Aggregate { input, groups, aggregates, .. } => {
                node!(input);
                for (_, e) in each!(groups) {
                    expr!(e);
                }
                for (_, aggregate) in each!(aggregates) {
                    go!(aggregate);
                }
            }
            Node::Distinct { input, .. } | Node::Counted { input } => node!(input),
            Node::Sort { input, keys, limit, .. } => {
                node!(input);
                for key in each!(keys) {
                    go!(key);
                }
                for limit in each!(limit) {
                    expr!(limit);
                }
            }
            Node::Top { input, count, .. } => {
                node!(input);
                expr!(count);
            }
            Node::Offset { input, offset, fetch } => {
                node!(input);
                expr!(offset);
                for fetch in each!(fetch) {
                    expr!(fetch);
                }
            }
            Node::Union { inputs, .. } => {
                for (input, _) in each!(inputs) {
                    node!(input);
                }
            }
            Node::Window { input, partition, order, functions, .. } => {
                node!(input);
                for e in each!(partition) {
                    expr!(e);
                }
                for key in each!(order) {
                    go!(key);
                }
                for (_, function) in each!(functions) {
                    go!(function);
                }
            }
            Node::Recursive { anchor, step, .. } => {
                node!(at!(anchor.0));
                node!(at!(step.0));
            }
            Node::Spool { input, body, .. } => {
                node!(at!(input.0));
                node!(body);
            }
        }
    }
}

/// Calls `f` for everything that something consists of, at any depth, wholes before their parts.
pub fn visit<'a>(whole: &'a dyn Parts, f: &mut dyn FnMut(Part<'a>)) {
    whole.parts(&mut |part| {
        f(part);
        match part {
            Part::Expr(expr) => visit(expr, f),
            Part::Pred(pred) => visit(pred, f),
            Part::Node(node) => visit(node, f),
        }
    });
}

/// The columns that an expression mentions, subqueries included, each as often as it does.
pub fn uses(expr: &Expr) -> Vec<ColId> {
    let mut columns = Vec::new();
    let mut note = |part: Part<'_>| {
        if let Part::Expr(Expr { kind: ExprKind::Column(column), .. }) = part {
            columns.push(*column);
        }
    };
    note(Part::Expr(expr));
    visit(expr, &mut note);
    columns
}

/// Whether an expression contains a query.
pub fn has_subquery(expr: &Expr) -> bool {
    let mut found = false;
    visit(expr, &mut |part| found |= matches!(part, Part::Node(_)));
    found
}

/// The columns that an operator yields, each once.
pub fn outputs(node: &Node) -> Vec<ColId> {
    let mut out = Vec::new();
    collect_outputs(node, &mut out);
    let mut seen = HashSet::new();
    out.retain(|col| seen.insert(*col));
    out
}

fn collect_outputs(node: &Node, out: &mut Vec<ColId>) {
    match node {
        Node::OneRow => {}
        Node::Values { columns, .. }
        | Node::Distinct { columns, .. }
        | Node::Sort { columns, .. }
        | Node::Union { columns, .. }
        | Node::Recursive { columns, .. }
        | Node::Worktable { columns, .. } => out.extend(columns),
        Node::Scan(scan) => {
            out.extend(scan.columns.iter().map(|c| c.1));
            out.extend(scan.row);
        }
        Node::Filter { input, .. }
        | Node::Top { input, .. }
        | Node::Offset { input, .. }
        | Node::Counted { input } => {
            collect_outputs(input, out);
        }
        Node::Compute { input, columns } => {
            collect_outputs(input, out);
            out.extend(columns.iter().map(|c| c.0));
        }
        Node::NestedLoop { kind, outer: left, inner: right, .. }
        | Node::HashJoin { kind, probe: left, build: right, .. } => {
            collect_outputs(left, out);
            if !matches!(kind, JoinKind::Semi | JoinKind::Anti | JoinKind::AntiNullAware) {
                collect_outputs(right, out);
            }
        }
        Node::Aggregate { groups, aggregates, grouping_id, .. } => {
            out.extend(groups.iter().map(|g| g.0));
            out.extend(aggregates.iter().map(|a| a.0));
            out.extend(*grouping_id);
        }
        Node::Window { functions, columns, .. } => {
            out.extend(columns);
            out.extend(functions.iter().map(|f| f.0));
        }
        Node::Spool { body, .. } => collect_outputs(body, out),
    }
}

/// Whether two expressions always have the same value for the same row. Expressions that contain
/// queries, or functions that are evaluated anew each time, are not the same as any other.
pub fn same_expr(a: &Expr, b: &Expr) -> bool {
    a.ty == b.ty && same_kind(&a.kind, &b.kind)
}

fn same_kind(a: &ExprKind, b: &ExprKind) -> bool {
    use ExprKind::*;
    match (a, b) {
        (Constant(a), Constant(b)) => a == b,
        (Column(a), Column(b)) => a == b,
        (Variable(a), Variable(b)) => a == b,
        (
            Cast { operand: a, mode: mode_a, style: style_a },
            Cast { operand: b, mode: mode_b, style: style_b },
        ) => mode_a == mode_b && same_expr(a, b) && same_option(style_a, style_b),
        (
            Arith { op: op_a, left: left_a, right: right_a },
            Arith { op: op_b, left: left_b, right: right_b },
        ) => op_a == op_b && same_expr(left_a, left_b) && same_expr(right_a, right_b),
        (Concat(left_a, right_a), Concat(left_b, right_b)) => {
            same_expr(left_a, left_b) && same_expr(right_a, right_b)
        }
        (Negate(a), Negate(b)) | (BitNot(a), BitNot(b)) => same_expr(a, b),
        (
            Case { branches: branches_a, otherwise: otherwise_a },
            Case { branches: branches_b, otherwise: otherwise_b },
        ) => {
            let same = |(a, b): (&(Pred, Expr), &(Pred, Expr))| {
                same_pred(&a.0, &b.0) && same_expr(&a.1, &b.1)
            };
            branches_a.len() == branches_b.len()
                && branches_a.iter().zip(branches_b).all(same)
                && same_option(otherwise_a, otherwise_b)
        }
        (Call { function: f, args: a }, Call { function: g, args: b }) => {
            std::ptr::eq(*f, *g) && f.volatility != Volatility::Volatile && same_exprs(a, b)
        }
        _ => false,
    }
}

fn same_option(a: &Option<Box<Expr>>, b: &Option<Box<Expr>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same_expr(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Whether two lists of expressions are the same, see [`same_expr`].
pub fn same_exprs(a: &[Expr], b: &[Expr]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_expr(a, b))
}

/// Whether two conditions are the same, see [`same_expr`].
pub fn same_pred(a: &Pred, b: &Pred) -> bool {
    let all = |a: &[Pred], b: &[Pred]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_pred(a, b))
    };
    match (a, b) {
        (Pred::Const(a), Pred::Const(b)) => a == b,
        (Pred::Compare(op_a, a, b), Pred::Compare(op_b, c, d)) => {
            op_a == op_b && same_expr(a, c) && same_expr(b, d)
        }
        (Pred::IsNull(a), Pred::IsNull(b)) | (Pred::Bit(a), Pred::Bit(b)) => same_expr(a, b),
        (Pred::NotDistinct(a, b), Pred::NotDistinct(c, d)) => same_expr(a, c) && same_expr(b, d),
        (
            Pred::Like { subject: a, pattern: b, escape: e },
            Pred::Like { subject: c, pattern: d, escape: f },
        ) => {
            let same_escape = match (e, f) {
                (Some(e), Some(f)) => same_expr(e, f),
                (e, f) => e.is_none() && f.is_none(),
            };
            same_escape && same_expr(a, c) && same_expr(b, d)
        }
        (Pred::In(a, list_a), Pred::In(b, list_b)) => same_expr(a, b) && same_exprs(list_a, list_b),
        (Pred::And(a), Pred::And(b)) | (Pred::Or(a), Pred::Or(b)) => all(a, b),
        (Pred::Not(a), Pred::Not(b)) => same_pred(a, b),
        _ => false,
    }
}

/// Whether two orders are the same.
pub fn same_keys(a: &[SortKey], b: &[SortKey]) -> bool {
    let same =
        |(a, b): (&SortKey, &SortKey)| a.descending == b.descending && same_expr(&a.expr, &b.expr);
    a.len() == b.len() && a.iter().zip(b).all(same)
}

/// Whether two aggregates have the same value for the same group.
pub fn same_aggregate(a: &Aggregate, b: &Aggregate) -> bool {
    std::ptr::eq(a.function, b.function)
        && a.distinct == b.distinct
        && a.ty == b.ty
        && same_exprs(&a.args, &b.args)
        && same_keys(&a.order, &b.order)
}
