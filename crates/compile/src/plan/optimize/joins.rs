//! Joins: in which order, and how each is computed.
//!
//! Inner joins, the conditions around them, and the outer, semi and anti joins above them form a
//! [`Graph`]: relations and conditions without order. An outer (or semi, or anti) join may happen
//! whenever the columns that its condition uses are there, since it neither drops nor changes what
//! the inner joins yield. [`Optimizer::arrange`] finds an order, [`Optimizer::assemble`] makes
//! operators of it.

use std::borrow::Borrow;

use ir::operator::{CastMode, CompareOp};

use super::Optimizer;
use super::columns::{
    ColSet, expr_nature, expr_uses, outside_uses, pred_nature, pred_uses, yields,
};
use super::condition::{all, column_of, rejects_null, split, substitute, substitute_expr};
use super::forced::FORBIDDEN;
use super::operators::{filtered, guarded, unhidden};
use super::order::Want;
use super::subqueries::{ConditionJoin, as_join, can_join};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred};
use crate::plan::hints::JoinMethod;
use crate::plan::rename::rename_node;
use crate::plan::tree::{Access, JoinKind, Node, WorktableId};
use crate::plan::walk;

/// What a part of an expression that takes the place of a column counts as work: it is a copy.
const EXPRESSION_WORK: usize = 4;

/// How many conditions are examined in the time that an operator takes.
const CONDITIONS_PER_WORK: usize = 32;

/// Up to this many relations each may be the first.
const STARTS_MAX: usize = 6;

/// What is joined.
#[derive(Default)]
struct Graph {
    relations: Vec<Relation>,
    conditions: Vec<Pred>,
    /// Columns that are computed when all is joined.
    computed: Vec<(ColId, Expr)>,
}

/// One of the joined relations.
struct Relation {
    node: Node,
    kind: JoinKind,
    /// The condition of a join that is not an inner one.
    on: Vec<Pred>,
    columns: ColSet,
    /// What it uses of the columns that enclose it.
    outside: ColSet,
    method: Option<JoinMethod>,
    /// Other conditions imply that it has a row.
    implied: bool,
}

impl Relation {
    fn new(node: Node, kind: JoinKind, on: Vec<Pred>) -> Relation {
        let (columns, outside) = (yields(&node), outside_uses(&node));
        Relation { node, kind, on, columns, outside, method: None, implied: false }
    }

    fn is_inner(&self) -> bool {
        self.kind == JoinKind::Inner
    }
}

/// The conditions of a graph while they are given out, with the graph's columns that they use.
struct Conditions<P> {
    list: Vec<Option<(P, ColSet)>>,
    columns: ColSet,
}

impl<P: Borrow<Pred>> Conditions<P> {
    fn new(conditions: impl IntoIterator<Item = P>, columns: ColSet) -> Conditions<P> {
        let with_uses = |pred: P| {
            let uses = pred_uses(pred.borrow());
            Some((pred, uses))
        };
        Conditions { list: conditions.into_iter().map(with_uses).collect(), columns }
    }

    /// Those not given out yet that use no other columns of the graph than these.
    fn ready<'c>(&'c self, known: &'c ColSet) -> impl Iterator<Item = &'c (P, ColSet)> {
        self.list.iter().flatten().filter(move |(_, uses)| uses.known(&self.columns, known))
    }

    fn take(&mut self, known: &ColSet) -> Vec<P> {
        let columns = &self.columns;
        let ready =
            |slot: &Option<(P, ColSet)>| slot.as_ref().is_some_and(|s| s.1.known(columns, known));
        self.list.iter_mut().filter(|s| ready(s)).filter_map(|s| s.take().map(|s| s.0)).collect()
    }
}

/// How a relation is joined to those before it.
#[derive(Clone, Copy, Debug)]
struct Step {
    relation: usize,
    method: JoinMethod,
    /// How often the inner side of a nested loop is expected to be evaluated.
    outer_rows: f64,
    /// Hints demand another method, which cannot be.
    forbidden: bool,
}

impl Step {
    fn first(relation: usize) -> Step {
        Step { relation, method: JoinMethod::Loop, outer_rows: 1.0, forbidden: false }
    }
}

/// What joining one more relation means.
#[derive(Clone, Copy)]
struct Weighed {
    method: JoinMethod,
    cost: f64,
    rows: f64,
    /// Hints demand another method, which cannot be.
    forbidden: bool,
}

impl Optimizer<'_, '_> {
    /// Joins, and the conditions on what they yield.
    pub fn joined(&mut self, node: Node, conditions: Vec<Pred>, want: &Want) -> Node {
        if let Node::NestedLoop { kind: JoinKind::FullOuter, .. } = node {
            return self.full_join(node, conditions, want);
        }
        let mut graph = Graph::default();
        self.gather(&mut graph, node);
        self.add_conditions(&mut graph, conditions);
        simplify_outer_joins(&mut graph);
        let columns = graph.columns();
        let joins = graph.relations.len() > 1;
        let (mut once, mut late) = (Vec::new(), Vec::new());
        let mut kept = Vec::with_capacity(graph.conditions.len());
        for pred in std::mem::take(&mut graph.conditions) {
            match pred_nature(&pred).volatile {
                // A relation alone is asked as often, and may know how to find what is sought.
                true if joins => late.push(pred),
                false if !pred_uses(&pred).meets(&columns) => once.push(pred),
                _ => kept.push(pred),
            }
        }
        graph.conditions = kept;
        spread_constants(&mut graph);
        self.drive_by_lists(&mut graph);
        let computed = std::mem::take(&mut graph.computed);
        let steps = self.arrange(&graph, want);
        let node = filtered(self.assemble(graph, &steps, want), late);
        let node = match computed.is_empty() {
            true => node,
            false => Node::Compute { input: Box::new(node), columns: computed },
        };
        guarded(node, once)
    }

    /// Takes joins apart.
    fn gather(&mut self, graph: &mut Graph, node: Node) {
        if !self.goes_on(1) {
            return graph.relations.push(Relation::new(node, JoinKind::Inner, Vec::new()));
        }
        match node {
            Node::Filter { input, predicate } => {
                self.gather(graph, *input);
                let mut own = Vec::new();
                split(predicate, &mut own);
                self.inside_conditions(&mut own);
                self.add_conditions(graph, own);
            }
            Node::NestedLoop { kind: JoinKind::RightOuter, outer, inner, predicate } => {
                let kind = JoinKind::LeftOuter;
                self.gather_join(graph, kind, *inner, *outer, predicate);
            }
            Node::NestedLoop { kind, outer, inner, predicate } if kind != JoinKind::FullOuter => {
                self.gather_join(graph, kind, *outer, *inner, predicate);
            }
            Node::Compute { input, columns }
                if columns.iter().all(|c| expr_nature(&c.1).is_plain()) =>
            {
                self.gather(graph, *input);
                for (col, mut expr) in columns {
                    graph.replace(&mut |with| substitute_expr(&mut expr, with));
                    let mut parts = 1;
                    walk::visit(&expr, &mut |_| parts += 1);
                    // What refers to a column twice doubles with every level.
                    if !self.goes_on(EXPRESSION_WORK * parts) {
                        return;
                    }
                    graph.computed.push((col, expr));
                }
            }
            Node::OneRow if graph.relations.is_empty() => {
                graph.relations.push(Relation::new(Node::OneRow, JoinKind::Inner, Vec::new()));
            }
            Node::OneRow => {}
            Node::Scan(scan) if scan.residual.is_some() && matches!(scan.access, Access::Full) => {
                self.gather(graph, unhidden(scan));
            }
            mut leaf => {
                graph.replace(&mut |with| substitute(&mut leaf, with));
                graph.relations.push(Relation::new(leaf, JoinKind::Inner, Vec::new()));
            }
        }
    }

    fn gather_join(
        &mut self,
        graph: &mut Graph,
        kind: JoinKind,
        outer: Node,
        inner: Node,
        predicate: Option<Pred>,
    ) {
        self.gather(graph, outer);
        let mut on = Vec::new();
        match predicate {
            // Unknown is not false there.
            Some(predicate) if kind == JoinKind::AntiNullAware => on.push(predicate),
            Some(predicate) => split(predicate, &mut on),
            None => {}
        }
        let (inner, method) = self.without_mark(inner);
        if kind == JoinKind::Inner {
            self.inside_conditions(&mut on);
            match method {
                None => self.gather(graph, inner),
                Some(_) => {
                    let mut inner = inner;
                    graph.replace(&mut |with| substitute(&mut inner, with));
                    let mut relation = Relation::new(inner, kind, Vec::new());
                    relation.method = method;
                    graph.relations.push(relation);
                }
            }
            self.add_conditions(graph, on);
            return;
        }
        let mut inner = inner;
        while let Node::Filter { input, predicate } = inner {
            if kind == JoinKind::AntiNullAware || pred_nature(&predicate).volatile {
                inner = Node::Filter { input, predicate };
                break;
            }
            split(predicate, &mut on);
            inner = *input;
        }
        on.iter_mut().for_each(|p| self.inside_pred(p));
        graph.replace(&mut |with| substitute(&mut inner, with));
        for pred in &mut on {
            graph.replace(&mut |with| substitute(pred, with));
        }
        let mut relation = Relation::new(inner, kind, on);
        relation.method = method;
        graph.relations.push(relation);
    }

    /// A join's right side without the column that tells its hint.
    fn without_mark(&self, node: Node) -> (Node, Option<JoinMethod>) {
        if self.context.hints.joins.is_empty() {
            return (node, None);
        }
        let Node::Compute { input, mut columns } = node else { return (node, None) };
        let hint =
            |c: &(ColId, Expr)| self.context.hints.joins.iter().find(|j| j.0 == c.0).map(|j| j.1);
        let method = columns.iter().find_map(hint);
        columns.retain(|c| hint(c).is_none());
        match columns.is_empty() {
            true => (*input, method),
            false => (Node::Compute { input, columns }, method),
        }
    }

    fn add_conditions(&mut self, graph: &mut Graph, conditions: Vec<Pred>) {
        for mut pred in conditions {
            graph.replace(&mut |with| substitute(&mut pred, with));
            if can_join(&pred) {
                let ConditionJoin { kind, right: node, mut on, implied } = as_join(pred);
                on.iter_mut().for_each(|p| self.inside_pred(p));
                graph.relations.push(Relation { implied, ..Relation::new(node, kind, on) });
            } else {
                graph.conditions.push(pred);
            }
        }
    }

    /// `a IN (SELECT …)` with few values and an index on `a`: the values come first. What is there
    /// for that alone is left out where it does not pay, and may depend on other relations.
    fn drive_by_lists(&mut self, graph: &mut Graph) {
        if !self.context.hints.force_order {
            self.find_driving_lists(graph);
        }
        graph.relations.retain(|relation| relation.is_inner() || !relation.implied);
    }

    fn find_driving_lists(&mut self, graph: &mut Graph) {
        let columns = graph.columns();
        for at in 0..graph.relations.len() {
            let relation = &graph.relations[at];
            let depends = relation.outside.meets(&columns);
            if relation.kind != JoinKind::Semi || depends && !relation.implied {
                continue;
            }
            let (mut local, mut keys, mut between) = (Vec::new(), Vec::new(), Vec::new());
            for pred in &relation.on {
                let uses = pred_uses(pred);
                if uses.known(&columns, &relation.columns) {
                    local.push(pred);
                } else if let Some(key) = inner_key(pred, &relation.columns) {
                    keys.push(key);
                    between.push(pred);
                } else {
                    keys.clear();
                    break;
                }
            }
            if keys.is_empty() || local.len() + between.len() < relation.on.len() {
                continue;
            }
            let values = self.guess(&relation.node, &local);
            let pays = graph.relations.iter().any(|outer| {
                let uses_it = between.iter().any(|p| pred_uses(p).meets(&outer.columns));
                if !outer.is_inner()
                    || !matches!(outer.node, Node::Scan(_))
                    || !uses_it
                    || relation.outside.meets(&outer.columns)
                {
                    return false;
                }
                let mut conditions: Vec<&Pred> = (graph.conditions.iter())
                    .filter(|p| pred_uses(p).known(&columns, &outer.columns))
                    .collect();
                let alone = self.guess(&outer.node, &conditions);
                conditions.extend(&between);
                let given = self.guess(&outer.node, &conditions);
                values.cost + values.rows * given.cost < 0.5 * alone.cost
            });
            if pays {
                let relation = &mut graph.relations[at];
                let (between, local): (Vec<_>, Vec<_>) = (std::mem::take(&mut relation.on))
                    .into_iter()
                    .partition(|p| !pred_uses(p).known(&columns, &relation.columns));
                let node = std::mem::replace(&mut relation.node, Node::OneRow);
                let input = Box::new(filtered(node, local));
                *relation =
                    Relation::new(Node::Distinct { input, columns: keys }, JoinKind::Inner, vec![]);
                graph.conditions.extend(between);
            }
        }
    }

    /// Finds an order for the relations of a graph.
    fn arrange(&self, graph: &Graph, want: &Want) -> Vec<Step> {
        let count = graph.relations.len();
        if count == 1 {
            return vec![Step::first(0)];
        }
        let columns = graph.columns();
        let conditions = Conditions::new(&graph.conditions, columns.clone());
        let can_start = |r: &Relation| r.is_inner() && !r.outside.meets(&columns);
        let mut starts: Vec<(f64, usize)> = (graph.relations.iter().enumerate())
            .filter(|(_, r)| can_start(r))
            .map(|(at, r)| {
                let local: Vec<&Pred> = conditions.ready(&r.columns).map(|c| c.0).collect();
                let guess = self.guess(&r.node, &local);
                (guess.cost + guess.rows, at)
            })
            .collect();
        if self.context.hints.force_order {
            starts.truncate(1);
        } else {
            starts.sort_by(|a, b| a.0.total_cmp(&b.0));
            starts.truncate(if count <= STARTS_MAX { count } else { 2 });
        }
        let mut best: Option<(f64, Vec<Step>)> = None;
        for (_, start) in starts {
            let (cost, steps) = self.arrange_from(graph, &conditions, start, want);
            if best.as_ref().is_none_or(|b| cost < b.0) {
                best = Some((cost, steps));
            }
        }
        best.expect("the first relation of a join depends on no other").1
    }

    fn arrange_from(
        &self,
        graph: &Graph,
        conditions: &Conditions<&Pred>,
        start: usize,
        want: &Want,
    ) -> (f64, Vec<Step>) {
        let relations = &graph.relations;
        let mut known = relations[start].columns.clone();
        let local: Vec<&Pred> = conditions.ready(&known).map(|c| c.0).collect();
        let wanted = want.within(&known);
        let guess = self.guess_ordered(&relations[start].node, &local, &wanted);
        let (mut cost, mut rows) = (guess.cost, guess.rows);
        let mut steps = vec![Step::first(start)];
        let mut left: Vec<usize> = (0..relations.len()).filter(|at| *at != start).collect();
        while !left.is_empty() {
            let mut best: Option<(bool, f64, usize, Weighed)> = None;
            for (place, &at) in left.iter().enumerate() {
                if !graph.is_ready(at, &conditions.columns, &known) {
                    continue;
                }
                let weighed = self.weigh(graph, conditions, at, &known, rows);
                let is_outer = relations[at].kind == JoinKind::LeftOuter;
                let key = (is_outer, weighed.cost + weighed.rows);
                let better =
                    best.is_none_or(|b| key.0.cmp(&b.0).then(key.1.total_cmp(&b.1)).is_lt());
                if better {
                    best = Some((key.0, key.1, place, weighed));
                }
                if self.context.hints.force_order {
                    break;
                }
            }
            let (_, _, place, weighed) = best.expect("whatever a relation needs comes before it");
            let at = left.remove(place);
            let Weighed { method, forbidden, .. } = weighed;
            steps.push(Step { relation: at, method, outer_rows: rows, forbidden });
            if !matches!(
                relations[at].kind,
                JoinKind::Semi | JoinKind::Anti | JoinKind::AntiNullAware
            ) {
                known.add(&relations[at].columns);
            }
            cost += weighed.cost;
            rows = weighed.rows;
        }
        let in_order = guess.ordered && steps.iter().all(|step| step.method == JoinMethod::Loop);
        if in_order && !want.is_empty() {
            // No sort; and of the first rows only the joins' share.
            cost *= if want.few { 0.3 } else { 1.0 };
        } else if !want.is_empty() {
            cost += rows * (1.0 + 0.3 * rows.max(1.0).log2());
        }
        (cost, steps)
    }

    /// What joining a relation to those before it costs.
    fn weigh(
        &self,
        graph: &Graph,
        conditions: &Conditions<&Pred>,
        at: usize,
        known: &ColSet,
        rows: f64,
    ) -> Weighed {
        let relation = &graph.relations[at];
        if !self.goes_on(1 + conditions.list.len() / CONDITIONS_PER_WORK) {
            return Weighed { method: JoinMethod::Loop, cost: 1.0, rows: 1.0, forbidden: false };
        }
        let mut with = known.clone();
        with.add(&relation.columns);
        let mut usable: Vec<&Pred> = relation.on.iter().collect();
        if relation.is_inner() {
            let new = conditions.ready(&with).filter(|(_, uses)| uses.meets(&relation.columns));
            usable.extend(new.map(|c| c.0));
        }
        let local: Vec<&Pred> = (usable.iter().copied())
            .filter(|p| pred_uses(p).known(&conditions.columns, &relation.columns))
            .collect();
        let each = self.guess(&relation.node, &usable);
        let alone = self.guess(&relation.node, &local);
        let depends = relation.outside.meets(&conditions.columns);
        let equal = usable.iter().any(|p| is_key(p, known, &relation.columns));
        let can_hash = equal && !depends && relation.kind != JoinKind::AntiNullAware;
        let nested = rows.max(0.5) * each.cost.max(0.5);
        let hashed = alone.cost + 2.0 * alone.rows + 1.5 * rows;
        let hash = can_hash
            && match self.allowed(relation) {
                Some(method) => method == JoinMethod::Hash,
                None => hashed < nested,
            };
        // What is applied, or tested for, has no other method.
        let forbidden = self.allowed(relation) == Some(JoinMethod::Hash)
            && !equal
            && !depends
            && matches!(relation.kind, JoinKind::Inner | JoinKind::LeftOuter);
        let nested = if forbidden { FORBIDDEN } else { nested };
        let pairs = match equal && !each.seeks {
            true => rows.max(alone.rows).min(rows * each.rows.max(1.0)),
            false => rows * each.rows,
        };
        let rows = match relation.kind {
            JoinKind::LeftOuter => pairs.max(rows),
            JoinKind::Semi => rows * each.rows.clamp(0.1, 0.8),
            JoinKind::Anti | JoinKind::AntiNullAware => rows * 0.5,
            _ => pairs,
        };
        match hash {
            true => Weighed { method: JoinMethod::Hash, cost: hashed, rows, forbidden },
            false => Weighed { method: JoinMethod::Loop, cost: nested, rows, forbidden },
        }
    }

    /// The one method that hints leave for a join.
    fn allowed(&self, relation: &Relation) -> Option<JoinMethod> {
        relation.method.or(match self.context.hints.methods[..] {
            [only] => Some(only),
            _ => None,
        })
    }

    /// Makes operators of a graph, its relations taken in this order.
    fn assemble(&mut self, graph: Graph, steps: &[Step], want: &Want) -> Node {
        let columns = graph.columns();
        let mut conditions = Conditions::new(graph.conditions, columns);
        let mut relations: Vec<Option<Relation>> = graph.relations.into_iter().map(Some).collect();
        let mut take = |at: usize| relations[at].take().expect("each relation is joined once");
        let first = take(steps[0].relation);
        let mut known = first.columns.clone();
        let local = conditions.take(&known);
        let wanted = want.within(&known);
        let mut node = self.rows(first.node, local, &wanted);
        let mut spools = Vec::new();
        for step in &steps[1..] {
            self.refused |= step.forbidden;
            let relation = take(step.relation);
            let mut with = known.clone();
            with.add(&relation.columns);
            let mut on = relation.on;
            if relation.kind == JoinKind::Inner {
                on.extend(conditions.take(&with));
            }
            let next = Next {
                node: relation.node,
                kind: relation.kind,
                columns: relation.columns,
                on,
                depends: relation.outside.meets(&conditions.columns),
            };
            let yields_columns = matches!(next.kind, JoinKind::Inner | JoinKind::LeftOuter);
            node = match step.method {
                JoinMethod::Hash => self.hash_join(node, next, &conditions.columns),
                JoinMethod::Loop => {
                    self.nested_loop(node, next, &conditions.columns, step.outer_rows, &mut spools)
                }
            };
            if yields_columns {
                known = with;
                node = filtered(node, conditions.take(&known));
            }
        }
        for Spool { worktable, input, columns } in spools {
            let (input, body) = (Box::new((input, columns)), Box::new(node));
            node = Node::Spool { worktable, input, body };
        }
        node
    }

    /// A join by hashing on whatever equalities there are.
    fn hash_join(&mut self, probe: Node, next: Next, graph: &ColSet) -> Node {
        let (mut local, mut keys, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for pred in next.on {
            if pred_uses(&pred).known(graph, &next.columns) {
                local.push(pred);
                continue;
            }
            match as_key(pred, &next.columns, graph) {
                Ok(pair) => keys.push(pair),
                Err(pred) => rest.push(pred),
            }
        }
        let probe = Box::new(probe);
        let build = Box::new(self.rows(next.node, local, &Want::nothing()));
        let residual = all(rest);
        Node::HashJoin { kind: next.kind, probe, build, keys, null_equal: false, residual }
    }

    /// A nested loop whose inner side takes in as much of the condition as it can.
    fn nested_loop(
        &mut self,
        outer: Node,
        next: Next,
        graph: &ColSet,
        outer_rows: f64,
        spools: &mut Vec<Spool>,
    ) -> Node {
        let outer = Box::new(outer);
        let Next { node, kind, columns, on, depends } = next;
        if kind == JoinKind::AntiNullAware {
            let inner = Box::new(self.whole(node));
            return Node::NestedLoop { kind, outer, inner, predicate: all(on) };
        }
        if depends || !is_costly(&node) || outer_rows <= 2.0 {
            let few = matches!(kind, JoinKind::Semi | JoinKind::Anti);
            let want = Want { few, ..Want::nothing() };
            let inner = Box::new(self.rows(node, on, &want));
            return Node::NestedLoop { kind, outer, inner, predicate: None };
        }
        let (local, between): (Vec<_>, Vec<_>) =
            on.into_iter().partition(|p| pred_uses(p).known(graph, &columns));
        let mut input = self.rows(node, local, &Want::nothing());
        let own = walk::outputs(&input);
        let names = rename_node(&mut input, self.context.ids);
        let columns = own.iter().map(|c| names.get(c).copied().unwrap_or(*c)).collect();
        let worktable = self.context.ids.worktable();
        spools.push(Spool { worktable, input, columns });
        let inner = Box::new(Node::Worktable { worktable, columns: own });
        Node::NestedLoop { kind, outer, inner, predicate: all(between) }
    }

    /// A full join, unless the conditions above make a lesser one of it.
    fn full_join(&mut self, node: Node, mut conditions: Vec<Pred>, want: &Want) -> Node {
        let Node::NestedLoop { outer, inner, predicate, .. } = node else { return node };
        let (left, right) = (yields(&outer), yields(&inner));
        let needs = |side: &ColSet| conditions.iter().any(|p| rejects_null(p, side));
        let kind = match (needs(&left), needs(&right)) {
            (true, true) => JoinKind::Inner,
            (true, false) => JoinKind::LeftOuter,
            (false, true) => JoinKind::RightOuter,
            (false, false) => JoinKind::FullOuter,
        };
        if kind != JoinKind::FullOuter {
            return self.joined(
                Node::NestedLoop { kind, outer, inner, predicate },
                conditions,
                want,
            );
        }
        let mut on = Vec::new();
        if let Some(predicate) = predicate {
            split(predicate, &mut on);
        }
        on.iter_mut().for_each(|p| self.inside_pred(p));
        conditions.iter_mut().for_each(|p| {
            if can_join(p) {
                self.inside_pred(p);
            }
        });
        let (mut keys, mut rest) = (Vec::new(), Vec::new());
        let mut both = left.clone();
        both.add(&right);
        for pred in on {
            if !pred_uses(&pred).meets(&left) {
                rest.push(pred);
                continue;
            }
            match as_key(pred, &right, &both) {
                Ok(pair) => keys.push(pair),
                Err(pred) => rest.push(pred),
            }
        }
        let (inner, _) = self.without_mark(*inner);
        let probe = Box::new(self.whole(*outer));
        let build = Box::new(self.whole(inner));
        let residual = all(rest);
        let join = Node::HashJoin { kind, probe, build, keys, null_equal: false, residual };
        filtered(join, conditions)
    }
}

/// A worktable, what fills it, and the columns it keeps.
struct Spool {
    worktable: WorktableId,
    input: Node,
    columns: Vec<ColId>,
}

/// A relation that is joined next.
struct Next {
    node: Node,
    kind: JoinKind,
    columns: ColSet,
    on: Vec<Pred>,
    /// It uses columns of relations before it.
    depends: bool,
}

/// What stands for a column that is computed, if it is.
type Replacement<'r> = &'r dyn Fn(ColId) -> Option<Expr>;

impl Graph {
    fn columns(&self) -> ColSet {
        let mut columns = ColSet::default();
        self.relations.iter().for_each(|r| columns.add(&r.columns));
        columns
    }

    /// Whether all that a relation uses of others is there.
    fn is_ready(&self, at: usize, columns: &ColSet, known: &ColSet) -> bool {
        let relation = &self.relations[at];
        let mut with = known.clone();
        with.add(&relation.columns);
        relation.outside.known(columns, known)
            && relation.on.iter().all(|p| pred_uses(p).known(columns, &with))
    }

    /// Gives `f` what puts the expressions of computed columns in their place, if there are any.
    fn replace(&self, f: &mut dyn FnMut(Replacement<'_>)) {
        if !self.computed.is_empty() {
            f(&|col| self.computed.iter().find(|c| c.0 == col).map(|c| c.1.clone()));
        }
    }
}

/// Outer joins whose unmatched rows do not pass the conditions are inner joins.
fn simplify_outer_joins(graph: &mut Graph) {
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for relation in &mut graph.relations {
            if relation.kind == JoinKind::LeftOuter
                && graph.conditions.iter().any(|p| rejects_null(p, &relation.columns))
            {
                relation.kind = JoinKind::Inner;
                graph.conditions.append(&mut relation.on);
                changed = true;
            }
        }
    }
}

/// What equals something that equals a constant equals the constant.
fn spread_constants(graph: &mut Graph) {
    if graph.relations.len() < 2 {
        return;
    }
    let columns = graph.columns();
    let mut inner = ColSet::default();
    graph.relations.iter().filter(|r| r.is_inner()).for_each(|r| inner.add(&r.columns));
    let is_inner = |e: &Expr| column_of(e).is_some_and(|c| inner.contains(c));
    let mut known: Vec<(ColId, Expr)> = Vec::new();
    let mut pairs: Vec<(Expr, Expr)> = Vec::new();
    for pred in &graph.conditions {
        let Pred::Compare(CompareOp::Eq, a, b) = pred else { continue };
        if is_inner(a) && is_inner(b) {
            pairs.push((a.clone(), b.clone()));
            continue;
        }
        for (a, b) in [(a, b), (b, a)] {
            if is_inner(a) && !expr_uses(b).meets(&columns) && expr_nature(b).is_plain() {
                known.push((column_of(a).expect("it is a column"), b.clone()));
            }
        }
    }
    let mut at = 0;
    while at < known.len() {
        let (col, value) = known[at].clone();
        at += 1;
        for (a, b) in &pairs {
            for (a, b) in [(a, b), (b, a)] {
                let other = column_of(b).expect("it is a column");
                if column_of(a) == Some(col) && !known.iter().any(|k| k.0 == other) {
                    known.push((other, value.clone()));
                    let equal = Pred::Compare(CompareOp::Eq, b.clone(), value.clone());
                    graph.conditions.push(equal);
                }
            }
        }
    }
}

/// The column of the inner side that a condition says something outside of it equals.
fn inner_key(pred: &Pred, inner: &ColSet) -> Option<ColId> {
    let Pred::Compare(CompareOp::Eq, a, b) = pred else { return None };
    let key = |e: &Expr, other: &Expr| {
        column_of(e).filter(|c| inner.contains(*c) && !expr_uses(other).meets(inner))
    };
    key(a, b).or_else(|| key(b, a))
}

/// Whether a condition is an equality between what is known and a relation's rows.
fn is_key(pred: &Pred, known: &ColSet, inner: &ColSet) -> bool {
    let Pred::Compare(CompareOp::Eq, a, b) = pred else { return false };
    let (a_uses, b_uses) = (expr_uses(a), expr_uses(b));
    let sides = |x: &ColSet, y: &ColSet| {
        x.meets(known) && !x.meets(inner) && y.meets(inner) && !y.meets(known)
    };
    key_type(a, b).is_some() && (sides(&a_uses, &b_uses) || sides(&b_uses, &a_uses))
}

/// A condition as a pair of keys, the inner side's second; the condition itself if it is none.
#[allow(clippy::result_large_err)]
fn as_key(pred: Pred, inner: &ColSet, graph: &ColSet) -> Result<(Expr, Expr), Pred> {
    let Pred::Compare(CompareOp::Eq, a, b) = &pred else { return Err(pred) };
    let (a_uses, b_uses) = (expr_uses(a), expr_uses(b));
    let (a_in, b_in) = (a_uses.meets(inner), b_uses.meets(inner));
    let natures = [expr_nature(a), expr_nature(b)];
    let mixed = !(if a_in { &a_uses } else { &b_uses }).known(graph, inner);
    if a_in == b_in || mixed || natures.iter().any(|n| n.volatile || n.query) {
        return Err(pred);
    }
    let Some(ty) = key_type(a, b) else { return Err(pred) };
    let Pred::Compare(_, a, b) = pred else { unreachable!("looked at above") };
    let (a, b) = (converted(a, ty), converted(b, ty));
    Ok(if a_in { (b, a) } else { (a, b) })
}

/// The type that both sides of an equality are hashed as.
pub fn key_type(a: &Expr, b: &Expr) -> Option<base::SqlType> {
    use base::types::Repr;
    if a.ty == b.ty {
        return Some(a.ty);
    }
    let repr = a.ty.kind.repr();
    if repr != b.ty.kind.repr() {
        return None;
    }
    let wider = if a.ty.kind >= b.ty.kind { a.ty } else { b.ty };
    match repr {
        Repr::Int | Repr::Money | Repr::Float => Some(wider),
        Repr::Decimal if a.ty.scale == b.ty.scale => {
            Some(if a.ty.precision >= b.ty.precision { a.ty } else { b.ty })
        }
        Repr::Chars | Repr::Unicode if a.ty.collation == b.ty.collation => {
            Some(if a.ty.length >= b.ty.length { a.ty } else { b.ty })
        }
        _ => None,
    }
}

/// A key as of a type that is as wide as its own. Strings are hashed alike whatever their length.
fn converted(expr: Expr, ty: base::SqlType) -> Expr {
    if expr.ty == ty || expr.ty.kind.is_character() {
        return expr;
    }
    let nullable = expr.nullable;
    let kind = ExprKind::Cast { operand: Box::new(expr), mode: CastMode::Explicit, style: None };
    Expr { kind, ty, nullable }
}

/// Whether an operator is not to be evaluated again and again.
fn is_costly(node: &Node) -> bool {
    match node {
        Node::OneRow | Node::Values { .. } | Node::Scan(_) | Node::Worktable { .. } => false,
        Node::Filter { input, .. } | Node::Compute { input, .. } => is_costly(input),
        _ => true,
    }
}
