//! Sets of columns, and which columns expressions and operators use and define.

use ir::function::Volatility;
use smallvec::SmallVec;

use crate::plan::expr::{ColId, Expr, ExprKind, Pred};
use crate::plan::tree::Node;
use crate::plan::walk::{Part, Parts, visit};

/// A set of columns: one bit for each, since a statement's columns are numbered from 1.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct ColSet {
    words: SmallVec<[u64; 4]>,
}

impl ColSet {
    pub fn insert(&mut self, col: ColId) {
        let at = col.0 as usize / 64;
        if self.words.len() <= at {
            self.words.resize(at + 1, 0);
        }
        self.words[at] |= 1 << (col.0 % 64);
    }

    pub fn contains(&self, col: ColId) -> bool {
        let word = self.words.get(col.0 as usize / 64).copied().unwrap_or(0);
        word >> (col.0 % 64) & 1 == 1
    }

    pub fn extend_from(&mut self, columns: &[ColId]) {
        columns.iter().for_each(|c| self.insert(*c));
    }

    pub fn add(&mut self, other: &ColSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
    }

    pub fn remove(&mut self, other: &ColSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= !b);
    }

    pub fn meets(&self, other: &ColSet) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// The columns, 64 to a word.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.words.iter().copied()
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|w| *w == 0)
    }

    /// Whether the part of this set that lies in `of` lies in `within`, too.
    pub fn known(&self, of: &ColSet, within: &ColSet) -> bool {
        let at = |set: &ColSet, i: usize| set.words.get(i).copied().unwrap_or(0);
        (self.words.iter().enumerate()).all(|(i, w)| w & at(of, i) & !at(within, i) == 0)
    }
}

impl FromIterator<ColId> for ColSet {
    fn from_iter<I: IntoIterator<Item = ColId>>(columns: I) -> ColSet {
        let mut set = ColSet::default();
        columns.into_iter().for_each(|c| set.insert(c));
        set
    }
}

/// The columns that an expression uses, those inside of its queries included.
pub fn expr_uses(expr: &Expr) -> ColSet {
    let mut set = ColSet::default();
    part_uses(Part::Expr(expr), &mut set);
    set
}

/// As `expr_uses`, for a condition.
pub fn pred_uses(pred: &Pred) -> ColSet {
    let mut set = ColSet::default();
    part_uses(Part::Pred(pred), &mut set);
    set
}

fn part_uses(part: Part<'_>, set: &mut ColSet) {
    let mut go = |whole: &dyn Parts| whole.parts(&mut |part| part_uses(part, set));
    match part {
        Part::Expr(Expr { kind: ExprKind::Column(col), .. }) => set.insert(*col),
        Part::Expr(expr) => go(expr),
        Part::Pred(pred) => go(pred),
        Part::Node(node) => go(node),
    }
}

/// The columns that an operator and all that is inside it uses of what encloses it.
pub fn outside_uses(node: &Node) -> ColSet {
    let (mut uses, mut defined) = (ColSet::default(), ColSet::default());
    part_uses(Part::Node(node), &mut uses);
    if !uses.is_empty() {
        define(node, &mut |c| defined.insert(c));
        visit(node, &mut |part| {
            if let Part::Node(node) = part {
                define(node, &mut |c| defined.insert(c));
            }
        });
        uses.remove(&defined);
    }
    uses
}

/// The columns that an operator itself defines.
fn define(node: &Node, f: &mut dyn FnMut(ColId)) {
    match node {
        Node::Values { columns, .. }
        | Node::Union { columns, .. }
        | Node::Recursive { columns, .. }
        | Node::Worktable { columns, .. } => columns.iter().copied().for_each(f),
        Node::Scan(scan) => scan.columns.iter().map(|c| c.1).chain(scan.row).for_each(f),
        Node::Compute { columns, .. } => columns.iter().map(|c| c.0).for_each(f),
        Node::Aggregate { groups, aggregates, grouping_id, .. } => {
            groups.iter().map(|g| g.0).for_each(&mut *f);
            aggregates.iter().map(|a| a.0).chain(*grouping_id).for_each(f);
        }
        Node::Window { functions, .. } => functions.iter().map(|w| w.0).for_each(f),
        _ => {}
    }
}

/// The columns that an operator yields.
pub fn yields(node: &Node) -> ColSet {
    let mut set = ColSet::default();
    collect_yields(node, &mut set);
    set
}

fn collect_yields(node: &Node, set: &mut ColSet) {
    use crate::plan::tree::JoinKind;
    match node {
        Node::Distinct { columns, .. } | Node::Sort { columns, .. } => {
            columns.iter().for_each(|c| set.insert(*c));
        }
        Node::Filter { input, .. }
        | Node::Top { input, .. }
        | Node::Offset { input, .. }
        | Node::Counted { input } => {
            collect_yields(input, set);
        }
        Node::Compute { input, .. } => {
            collect_yields(input, set);
            define(node, &mut |c| set.insert(c));
        }
        Node::NestedLoop { kind, outer: left, inner: right, .. }
        | Node::HashJoin { kind, probe: left, build: right, .. } => {
            collect_yields(left, set);
            if !matches!(kind, JoinKind::Semi | JoinKind::Anti | JoinKind::AntiNullAware) {
                collect_yields(right, set);
            }
        }
        Node::Window { columns, .. } => {
            columns.iter().for_each(|c| set.insert(*c));
            define(node, &mut |c| set.insert(c));
        }
        Node::Spool { body, .. } => collect_yields(body, set),
        other => define(other, &mut |c| set.insert(c)),
    }
}

/// What forbids moving an expression.
#[derive(Clone, Copy, Default, Debug)]
pub struct Nature {
    /// It may have another value each time.
    pub volatile: bool,
    /// It contains a query.
    pub query: bool,
    /// It calls a user's function.
    pub costly: bool,
}

impl Nature {
    /// Whether the column can be computed again elsewhere at little cost.
    pub fn is_plain(self) -> bool {
        !self.volatile && !self.query && !self.costly
    }
}

/// What an expression is like.
pub fn expr_nature(expr: &Expr) -> Nature {
    let mut nature = Nature::default();
    part_nature(Part::Expr(expr), &mut nature);
    nature
}

/// What a condition is like.
pub fn pred_nature(pred: &Pred) -> Nature {
    let mut nature = Nature::default();
    part_nature(Part::Pred(pred), &mut nature);
    nature
}

fn part_nature(part: Part<'_>, nature: &mut Nature) {
    let whole: &dyn Parts = match part {
        Part::Expr(expr) => {
            match &expr.kind {
                ExprKind::Column(_) | ExprKind::Constant(_) | ExprKind::Variable(_) => return,
                ExprKind::Call { function, .. } => {
                    nature.volatile |= function.volatility == Volatility::Volatile;
                }
                ExprKind::UserFunction { .. } => nature.costly = true,
                ExprKind::NextValue(_) => nature.volatile = true,
                _ => {}
            }
            expr
        }
        Part::Pred(pred) => pred,
        Part::Node(node) => {
            nature.query = true;
            node
        }
    };
    whole.parts(&mut |part| part_nature(part, nature));
}
