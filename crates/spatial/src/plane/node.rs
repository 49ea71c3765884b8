//! Divides lines where they meet.
//!
//! Hot squares are those around all vertices and all places where two lines cross. A line becomes
//! the nodes of the hot squares through which it passes (J. Hobby, "Practical segment intersection
//! with finite precision output", 1999), after which pieces of lines meet in nodes only.
//!
//! A vertex that lies on a line may not lie on it any more once both are on the grid, so lines are
//! also led through the vertices that they passed by before ([`Segment::passes_by`]). As this could
//! make pieces cross, the pieces are then divided once more, by their squares alone.

use super::{Arrangement, Chain, Edge, Facts, Fill, Flat, Grid, Layer, NONE, Node, Vertex, side};
use crate::error::{Fault, Result};
use crate::tree::{Bounds, Tree};
use crate::work::Work;

/// How near to the border of a square a computed crossing may be on the wrong side of it, in units.
const DOUBT: f64 = 0.0625;

/// How far from a line a vertex on it may be before both are on the grid, in units.
const NEAR: f64 = 0.75;

/// A straight line of a chain.
struct Segment {
    from: Node,
    to: Node,
    /// Both ends before they were put on the grid, in units.
    exact: Option<(Flat, Flat)>,
}

impl Segment {
    /// Whether a vertex lies on the segment as far as numbers can tell.
    fn passes_by(&self, at: Flat) -> bool {
        let Some((from, to)) = self.exact else { return false };
        let (ahead, there) =
            ([to[0] - from[0], to[1] - from[1]], [at[0] - from[0], at[1] - from[1]]);
        let square = ahead[0] * ahead[0] + ahead[1] * ahead[1];
        let along = ahead[0] * there[0] + ahead[1] * there[1];
        let across = ahead[0] * there[1] - ahead[1] * there[0];
        along > 0.0 && along < square && across * across <= NEAR * NEAR * square
    }

    fn bounds(&self) -> Bounds<2> {
        let place = |node: Node| [node.x as f64, node.y as f64];
        Bounds::of(&[place(self.from), place(self.to)])
    }

    /// The nodes near the place where two segments cross within both.
    fn crossing(&self, other: &Segment) -> Option<impl Iterator<Item = Node> + use<>> {
        let (a, b) = (side(self.from, self.to, other.from), side(self.from, self.to, other.to));
        if a.signum() * b.signum() >= 0 {
            return None;
        }
        let (c, d) = (side(other.from, other.to, self.from), side(other.from, other.to, self.to));
        if c.signum() * d.signum() >= 0 {
            return None;
        }
        // 73 bits tell the place to a small part of a unit, and leave room for the product.
        let whole = a - b;
        let excess = (128 - whole.unsigned_abs().leading_zeros()).saturating_sub(73);
        let sign = whole.signum();
        let (part, whole) = ((sign * a) >> excess, (sign * whole) >> excess);
        let along = move |from: i64, to: i64| {
            let product = i128::from(to - from) * part;
            let (steps, rest) = (product.div_euclid(whole), product.rem_euclid(whole));
            let start = from + steps as i64;
            let beyond = rest as f64 / whole as f64;
            let units =
                [beyond - DOUBT, beyond + DOUBT].map(|beyond| start + beyond.round() as i64);
            units[0]..=units[1]
        };
        let (x, y) = (along(other.from.x, other.to.x), along(other.from.y, other.to.y));
        Some(x.flat_map(move |x| y.clone().map(move |y| Node { x, y })))
    }

    /// Whether the segment passes through the square of a node: its interior, its left side or its
    /// lower side.
    fn passes(&self, node: Node) -> bool {
        let (p, q) = match self.from.x <= self.to.x {
            true => (self.from, self.to),
            false => (self.to, self.from),
        };
        // In half units, so that the square's sides are whole numbers.
        let double = |at: Node| Node { x: 2 * at.x, y: 2 * at.y };
        let (p, q, middle) = (double(p), double(q), double(node));
        let (low_x, high_x, low_y, high_y) =
            (middle.x - 1, middle.x + 1, middle.y - 1, middle.y + 1);
        if p.x >= high_x || q.x < low_x || p.y.min(q.y) >= high_y || p.y.max(q.y) < low_y {
            return false;
        }
        if p.x == q.x || p.y == q.y {
            return true;
        }
        let corner = |x: i64, y: i64| side(p, q, Node { x, y }).signum();
        let rises = p.y < q.y;
        // A corner alone is in the square only at the lower left; through another one, the
        // direction says whether the segment also passes through the interior.
        let upper_left = corner(low_x, high_y);
        if upper_left == 0 {
            return !rises;
        }
        let upper_right = corner(high_x, high_y);
        if upper_right == 0 {
            return rises;
        }
        let lower_left = corner(low_x, low_y);
        if lower_left == 0 {
            return true;
        }
        let lower_right = corner(high_x, low_y);
        if lower_right == 0 {
            return !rises;
        }
        !(upper_left == upper_right && upper_right == lower_left && lower_left == lower_right)
    }

    /// How far along the segment a node is.
    fn along(&self, node: Node) -> i128 {
        let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
        product(self.to.x - self.from.x, node.x - self.from.x)
            + product(self.to.y - self.from.y, node.y - self.from.y)
    }
}

/// A chain before it is divided.
struct Source {
    layer: usize,
    is_ring: bool,
    /// Where it begins.
    start: Node,
    /// The range of its segments, none of which is without length.
    segments: std::ops::Range<usize>,
}

/// All chains before they are divided.
#[derive(Default)]
struct Sources {
    chains: Vec<Source>,
    segments: Vec<Segment>,
}

impl Sources {
    fn chain(
        &mut self,
        (layer, is_ring): (usize, bool),
        nodes: impl IntoIterator<Item = (Node, Option<Flat>)>,
        work: &Work<'_>,
    ) -> Result<()> {
        let first = self.segments.len();
        let mut nodes = nodes.into_iter();
        let Some(mut last) = nodes.next() else { return Ok(()) };
        let start = last.0;
        for next in nodes {
            if next.0 != last.0 {
                let exact = last.1.zip(next.1);
                work.push(&mut self.segments, Segment { from: last.0, to: next.0, exact })?;
            }
            last = next;
        }
        let segments = first..self.segments.len();
        work.push(&mut self.chains, Source { layer, is_ring, start, segments })
    }

    fn tree(&self, work: &Work<'_>) -> Result<Tree<2>> {
        let mut boxes = Vec::new();
        for segment in &self.segments {
            work.push(&mut boxes, segment.bounds())?;
        }
        Tree::new(&boxes, work)
    }
}

/// A node, and the vertex that made it if it was not a crossing.
#[derive(Clone, Copy)]
struct Spot {
    node: Node,
    vertex: Option<(Flat, Flat)>,
}

/// Makes nodes, chains and edges; nothing is known yet of the sides of edges.
pub(super) fn arrange(
    layers: &[&Layer],
    fill: Fill,
    unit_min: f64,
    work: &Work<'_>,
) -> Result<Arrangement> {
    let mut bounds = Bounds::NONE;
    let mut count = 0_usize;
    for layer in layers {
        for vertex in layer.vertices() {
            work.step(1)?;
            bounds.add(&vertex.at);
            count += 1;
        }
    }
    if count > NONE as usize / 4 {
        return Err(Fault::TooLong.into());
    }
    let charged = work.charge(count.saturating_mul(400))?;
    let grid = Grid::new(bounds.low, bounds.high, unit_min);
    let mut sources = Sources::default();
    let mut spots = Vec::new();
    for (layer, each) in layers.iter().enumerate() {
        for vertex in each.vertices() {
            let vertex_of = Some((grid.units(vertex.at), vertex.own));
            work.push(&mut spots, Spot { node: grid.node(vertex.at), vertex: vertex_of })?;
        }
        let node = |vertex: &Vertex| (grid.node(vertex.at), Some(grid.units(vertex.at)));
        for line in &each.lines {
            sources.chain((layer, false), line.iter().map(node), work)?;
        }
        for ring in &each.rings {
            sources.chain((layer, true), ring.iter().map(node), work)?;
        }
    }
    let (mut chains, is_bent) = divide(&sources, &mut spots, work)?;
    if is_bent {
        let mut again = Sources::default();
        for chain in &chains {
            let nodes = chain.nodes.iter().map(|&node| (spots[node as usize].node, None));
            again.chain((chain.layer, chain.is_ring), nodes, work)?;
        }
        (chains, _) = divide(&again, &mut spots, work)?;
    }
    let nodes: Vec<Node> = spots.iter().map(|spot| spot.node).collect();
    let own = spots.iter().map(|spot| spot.vertex.map(|(_, own)| own)).collect();
    let mut facts = vec![Facts::default(); nodes.len()];
    for (layer, each) in layers.iter().enumerate() {
        for vertex in &each.points {
            work.step(1)?;
            if let Ok(at) = nodes.binary_search(&grid.node(vertex.at)) {
                facts[at].points[layer] = true;
            }
        }
    }
    for chain in chains.iter().filter(|chain| !chain.is_ring && chain.nodes.len() > 1) {
        let (first, last) = (chain.nodes[0], chain.nodes[chain.nodes.len() - 1]);
        if first != last {
            facts[first as usize].ends[chain.layer] += 1;
            facts[last as usize].ends[chain.layer] += 1;
        }
    }
    let edges = edges(&chains, &mut facts, work)?;
    let mut covers_outside = [false; 2];
    for (layer, each) in layers.iter().enumerate() {
        covers_outside[layer] = each.covers_outside;
    }
    let _charged = charged;
    Ok(Arrangement { grid, nodes, own, facts, chains, edges, fill, covers_outside, _charged })
}

/// Divides all chains at spots and at their crossings, which become spots. Spots are by X and Y
/// afterwards, each once. Whether a segment was bent that does not pass through a spot's square.
fn divide(sources: &Sources, spots: &mut Vec<Spot>, work: &Work<'_>) -> Result<(Vec<Chain>, bool)> {
    let tree = sources.tree(work)?;
    for (index, segment) in sources.segments.iter().enumerate() {
        tree.each_meeting(&segment.bounds(), work, |other| {
            if other > index {
                let crossing = segment.crossing(&sources.segments[other]);
                for node in crossing.into_iter().flatten() {
                    work.push(spots, Spot { node, vertex: None })?;
                }
            }
            Ok(true)
        })?;
    }
    work.step(spots.len() / 4)?;
    // Stable, so that the first vertex at a node gives its coordinates.
    spots.sort_by_key(|spot| (spot.node, spot.vertex.is_none()));
    spots.dedup_by_key(|spot| spot.node);
    if spots.len() >= NONE as usize {
        return Err(Fault::TooLong.into());
    }
    let mut passes: Vec<(u32, i128, u32)> = Vec::new();
    let mut is_bent = false;
    for (index, spot) in spots.iter().enumerate() {
        let place = [spot.node.x as f64, spot.node.y as f64];
        tree.each_meeting(&Bounds::of(&[place]).widen(2.0), work, |at| {
            let segment = &sources.segments[at];
            let passes_through = segment.passes(spot.node);
            let passes_by = || spot.vertex.is_some_and(|(at, _)| segment.passes_by(at));
            if passes_through || passes_by() {
                is_bent |= !passes_through;
                let pass = (at as u32, segment.along(spot.node), index as u32);
                work.push(&mut passes, pass)?;
            }
            Ok(true)
        })?;
    }
    work.step(passes.len() / 4)?;
    passes.sort_unstable();
    let mut passes = passes.into_iter().peekable();
    let mut chains = Vec::new();
    for source in &sources.chains {
        let mut nodes: Vec<u32> = Vec::new();
        for at in source.segments.clone() {
            while let Some(pass) = passes.next_if(|pass| pass.0 as usize == at) {
                if nodes.last() != Some(&pass.2) {
                    work.push(&mut nodes, pass.2)?;
                }
            }
        }
        if nodes.is_empty() {
            let start = spots.binary_search_by_key(&source.start, |spot| spot.node);
            nodes.extend(start.ok().map(|node| node as u32));
        }
        let chain = Chain { layer: source.layer, is_ring: source.is_ring, nodes };
        work.push(&mut chains, chain)?;
    }
    Ok((chains, is_bent))
}

/// The pieces of all chains, each once, by their nodes.
fn edges(chains: &[Chain], facts: &mut [Facts], work: &Work<'_>) -> Result<Vec<Edge>> {
    let mut edges: Vec<Edge> = Vec::new();
    for chain in chains {
        for pair in chain.nodes.windows(2) {
            let (from, to) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            let mut edge = Edge {
                from,
                to,
                rings: [0; 2],
                lines: [0; 2],
                turn: [0; 2],
                below: [0; 2],
                above: [0; 2],
                floor: NONE,
            };
            match chain.is_ring {
                true => {
                    edge.rings[chain.layer] = 1;
                    edge.turn[chain.layer] = if from == pair[0] { 1 } else { -1 };
                }
                false => edge.lines[chain.layer] = 1,
            }
            work.push(&mut edges, edge)?;
        }
    }
    work.step(edges.len() / 4)?;
    edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
    edges.dedup_by(|next, first| {
        let is_same = (next.from, next.to) == (first.from, first.to);
        for layer in 0..2 {
            if is_same {
                first.rings[layer] += next.rings[layer];
                first.lines[layer] += next.lines[layer];
                first.turn[layer] += next.turn[layer];
            }
        }
        is_same
    });
    for edge in &edges {
        work.step(1)?;
        facts[edge.from as usize].degree += 1;
        facts[edge.to as usize].degree += 1;
    }
    Ok(edges)
}
