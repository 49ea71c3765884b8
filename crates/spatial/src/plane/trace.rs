//! Makes rings and lines of edges.

use super::{Arrangement, Edge, Flat, NONE, side};
use crate::error::Result;
use crate::work::Work;

/// What was traced, in the nodes' own coordinates.
#[derive(Default, Debug)]
pub(crate) struct Traced {
    pub points: Vec<Flat>,
    pub lines: Vec<Vec<Flat>>,
    /// Polygons: rings with the inside to the left. The first one goes around the others; it is
    /// missing, and `true` is said, of what reaches around everything.
    pub polygons: Vec<(bool, Vec<Vec<Flat>>)>,
}

/// An edge in one direction, with the inside to its left.
#[derive(Clone, Copy)]
struct Half {
    from: u32,
    to: u32,
    edge: u32,
}

/// A ring of nodes, the first one not repeated.
struct Ring {
    nodes: Vec<u32>,
    is_outer: bool,
    /// The lower one of the two edges at its first node in order.
    lower: u32,
}

/// The parts of a plane that an operation chooses: `choose` says of a place in or not in each layer
/// whether it is in the result. `own` gives the own coordinates of a place in the plane.
pub(crate) fn select(
    arrangement: &Arrangement,
    choose: impl Fn(bool, bool) -> bool,
    own: &dyn Fn(Flat) -> Flat,
    work: &Work<'_>,
) -> Result<Traced> {
    let mut tracer = Tracer { arrangement, own, work, covered: Vec::new() };
    tracer.covered.resize(arrangement.nodes.len(), false);
    let mut halves = Vec::new();
    let mut bounds = vec![false; arrangement.edges.len()];
    let mut lines = Vec::new();
    for (index, edge) in arrangement.edges.iter().enumerate() {
        work.step(1)?;
        let below = choose(arrangement.below(edge, 0), arrangement.below(edge, 1));
        let above = choose(arrangement.above(edge, 0), arrangement.above(edge, 1));
        let covers = |layer: usize| {
            edge.lines[layer] > 0
                || arrangement.below(edge, layer)
                || arrangement.above(edge, layer)
        };
        match (below, above) {
            (false, false) if choose(covers(0), covers(1)) => {
                work.push(&mut lines, index as u32)?;
            }
            (false, false) => continue,
            (true, true) => {}
            (_, above) => {
                let (from, to) = if above { (edge.from, edge.to) } else { (edge.to, edge.from) };
                bounds[index] = true;
                work.push(&mut halves, Half { from, to, edge: index as u32 })?;
            }
        }
        tracer.covered[edge.from as usize] = true;
        tracer.covered[edge.to as usize] = true;
    }
    let points = tracer.points(&choose)?;
    let outside = arrangement.covers_outside;
    let polygons = tracer.polygons(halves, &bounds, choose(outside[0], outside[1]))?;
    let lines = tracer.lines(&lines)?;
    Ok(Traced { points, lines, polygons })
}

struct Tracer<'t> {
    arrangement: &'t Arrangement,
    own: &'t dyn Fn(Flat) -> Flat,
    work: &'t Work<'t>,
    /// Nodes that are in lines or areas of the result.
    covered: Vec<bool>,
}

impl Tracer<'_> {
    /// A node in its own coordinates.
    fn place(&self, node: u32) -> Flat {
        let arrangement = self.arrangement;
        let own = arrangement.own[node as usize];
        own.unwrap_or_else(|| (self.own)(arrangement.grid.place(arrangement.nodes[node as usize])))
    }

    /// Nodes that are in the result and in nothing else of it.
    fn points(&self, choose: &impl Fn(bool, bool) -> bool) -> Result<Vec<Flat>> {
        let arrangement = self.arrangement;
        let mut covers = vec![[false; 2]; arrangement.nodes.len()];
        for edge in &arrangement.edges {
            self.work.step(1)?;
            for node in [edge.from, edge.to] {
                for (layer, covers) in covers[node as usize].iter_mut().enumerate() {
                    *covers |= edge.lines[layer] > 0
                        || arrangement.below(edge, layer)
                        || arrangement.above(edge, layer);
                }
            }
        }
        for chain in arrangement.chains.iter().filter(|chain| chain.nodes.len() == 1) {
            covers[chain.nodes[0] as usize][chain.layer] |= !chain.is_ring;
        }
        let mut points = Vec::new();
        for (node, covered) in self.covered.iter().enumerate() {
            self.work.step(1)?;
            let is_in = |layer: usize| {
                covers[node][layer]
                    || arrangement.facts[node].points[layer]
                    || arrangement.is_within(node, layer)
            };
            if *covered || !(is_in(0) || is_in(1)) || !choose(is_in(0), is_in(1)) {
                continue;
            }
            // Where areas alone are chosen around it, it is no point of its own.
            let around = |layer: usize| arrangement.is_within(node, layer);
            if arrangement.facts[node].degree > 0 || !choose(around(0), around(1)) {
                self.work.push(&mut points, self.place(node as u32))?;
            }
        }
        Ok(points)
    }

    fn polygons(
        &self,
        mut halves: Vec<Half>,
        bounds: &[bool],
        covers_outside: bool,
    ) -> Result<Vec<(bool, Vec<Vec<Flat>>)>> {
        self.sort(&mut halves)?;
        let rings = self.rings(&halves)?;
        // The ring that each edge of the boundary is in.
        let mut ring_of = vec![NONE; bounds.len()];
        let mut outers: Vec<u32> = Vec::new();
        for (index, (ring, edges)) in rings.iter().enumerate() {
            for &edge in edges {
                self.work.step(1)?;
                ring_of[edge as usize] = index as u32;
            }
            if ring.is_outer {
                self.work.push(&mut outers, index as u32)?;
            }
        }
        let mut polygons: Vec<(bool, Vec<Vec<Flat>>)> = Vec::new();
        let mut polygon_of = vec![NONE; rings.len()];
        for &outer in &outers {
            polygon_of[outer as usize] = polygons.len() as u32;
            polygons.push((false, vec![self.coordinates(&rings[outer as usize].0.nodes)?]));
        }
        let floors = self.floors(bounds)?;
        // In the order of edges, by which what lies below a ring begins before it.
        let mut holes: Vec<usize> =
            (0..rings.len()).filter(|&index| !rings[index].0.is_outer).collect();
        holes.sort_unstable_by_key(|&index| rings[index].0.lower);
        let mut outside = None;
        for hole in holes {
            let ring = &rings[hole].0;
            let below = floors[ring.lower as usize];
            let ring_below = ring_of.get(below as usize).copied().unwrap_or(NONE);
            let polygon = polygon_of.get(ring_below as usize).copied().unwrap_or(NONE);
            let polygon = match polygon {
                NONE if covers_outside => *outside.get_or_insert_with(|| {
                    polygons.push((true, Vec::new()));
                    polygons.len() as u32 - 1
                }),
                // A hole in nothing is none.
                NONE => continue,
                polygon => polygon,
            };
            polygon_of[hole] = polygon;
            let places = self.coordinates(&ring.nodes)?;
            polygons[polygon as usize].1.push(places);
        }
        if covers_outside && outside.is_none() {
            polygons.push((true, Vec::new()));
        }
        Ok(polygons)
    }

    /// Sorts edges by their first node, and around it from straight down to the left.
    fn sort(&self, halves: &mut [Half]) -> Result<()> {
        let nodes = &self.arrangement.nodes;
        self.work.step(halves.len() / 4)?;
        halves.sort_unstable_by(|a, b| {
            let around = |half: &Half| half.to < half.from;
            let turn = || {
                let from = nodes[a.from as usize];
                side(from, nodes[b.to as usize], nodes[a.to as usize]).cmp(&0)
            };
            // Directions to the right, or up, come first, then those to the left, or down.
            a.from.cmp(&b.from).then_with(|| around(a).cmp(&around(b))).then_with(turn)
        });
        Ok(())
    }

    /// Follows edges with the inside to the left, and divides what passes a node twice. Each ring
    /// comes with its edges.
    fn rings(&self, halves: &[Half]) -> Result<Vec<(Ring, Vec<u32>)>> {
        let arrangement = self.arrangement;
        let mut rings = Vec::new();
        let mut used = vec![false; halves.len()];
        // Where each node is on the path.
        let mut place_of = vec![NONE; arrangement.nodes.len()];
        let mut path: Vec<usize> = Vec::new();
        for first in 0..halves.len() {
            let mut half = first;
            while !used[half] {
                used[half] = true;
                place_of[halves[half].from as usize] = path.len() as u32;
                self.work.push(&mut path, half)?;
                let end = halves[half].to;
                if place_of[end as usize] != NONE {
                    let start = place_of[end as usize] as usize;
                    let ring: Vec<usize> = path.split_off(start);
                    for &half in &ring {
                        place_of[halves[half].from as usize] = NONE;
                    }
                    let made = self.ring(halves, &ring);
                    self.work.push(&mut rings, made)?;
                }
                half = match self.next(halves, half) {
                    Some(next) => next,
                    None => break,
                };
            }
            for half in path.drain(..) {
                place_of[halves[half].from as usize] = NONE;
            }
        }
        Ok(rings)
    }

    /// The edge that follows one around the area to its left: of those that leave its end, the
    /// first one to the right of the way back.
    fn next(&self, halves: &[Half], half: usize) -> Option<usize> {
        let Half { from, to, .. } = halves[half];
        let nodes = &self.arrangement.nodes;
        let start = halves.partition_point(|half| half.from < to);
        let end = halves.partition_point(|half| half.from <= to);
        let leaving = &halves[start..end];
        let (center, back) = (nodes[to as usize], nodes[from as usize]);
        let back_is_left = from < to;
        let before = leaving.partition_point(|half| {
            let is_left = half.to < to;
            !is_left && back_is_left
                || is_left == back_is_left && side(center, back, nodes[half.to as usize]) < 0
        });
        match before {
            0 => end.checked_sub(1).filter(|&last| last >= start),
            before => Some(start + before - 1),
        }
    }

    fn ring(&self, halves: &[Half], path: &[usize]) -> (Ring, Vec<u32>) {
        let nodes: Vec<u32> = path.iter().map(|&half| halves[half].from).collect();
        let edges: Vec<u32> = path.iter().map(|&half| halves[half].edge).collect();
        let lowest = nodes.iter().enumerate().min_by_key(|(_, node)| **node);
        let lowest = lowest.map_or(0, |(at, _)| at);
        let before = nodes[(lowest + nodes.len() - 1) % nodes.len()];
        let after = nodes[(lowest + 1) % nodes.len()];
        let at = |node: u32| self.arrangement.nodes[node as usize];
        let is_outer = side(at(before), at(nodes[lowest]), at(after)) > 0;
        let (into, out) = (edges[(lowest + edges.len() - 1) % edges.len()], edges[lowest]);
        (Ring { nodes, is_outer, lower: into.min(out) }, edges)
    }

    /// For each edge, the next edge of the boundary below it.
    fn floors(&self, bounds: &[bool]) -> Result<Vec<u32>> {
        let mut floors = vec![NONE; bounds.len()];
        for (index, edge) in self.arrangement.edges.iter().enumerate() {
            self.work.step(1)?;
            floors[index] = match edge.floor {
                NONE => NONE,
                floor if bounds[floor as usize] => floor,
                floor => floors[floor as usize],
            };
        }
        Ok(floors)
    }

    /// A ring's coordinates, closed: from its lowest vertex on, without nodes on straight lines
    /// that are no vertices.
    fn coordinates(&self, nodes: &[u32]) -> Result<Vec<Flat>> {
        self.work.step(nodes.len())?;
        self.work.admit(nodes.len() * size_of::<Flat>())?;
        let len = nodes.len();
        let kept: Vec<u32> = (0..len)
            .filter(|&at| {
                self.is_bend(nodes[(at + len - 1) % len], nodes[at], nodes[(at + 1) % len])
            })
            .map(|at| nodes[at])
            .collect();
        let mut places: Vec<Flat> = kept.iter().map(|&node| self.place(node)).collect();
        let key = |place: &Flat| (place[1], place[0]);
        let lowest = (0..places.len()).min_by(|&a, &b| {
            let (a, b) = (key(&places[a]), key(&places[b]));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        places.rotate_left(lowest.unwrap_or(0));
        if let Some(&first) = places.first() {
            places.push(first);
        }
        Ok(places)
    }

    /// Whether a line that passes three nodes needs the one in the middle.
    fn is_bend(&self, before: u32, node: u32, after: u32) -> bool {
        let at = |node: u32| self.arrangement.nodes[node as usize];
        self.arrangement.own[node as usize].is_some() || side(at(before), at(node), at(after)) != 0
    }

    /// Joins edges where just two of them meet.
    fn lines(&self, edges: &[u32]) -> Result<Vec<Vec<Flat>>> {
        let of = |edge: u32| -> &Edge { &self.arrangement.edges[edge as usize] };
        let mut ends: Vec<(u32, u32)> = Vec::new();
        for &edge in edges {
            self.work.push(&mut ends, (of(edge).from, edge))?;
            self.work.push(&mut ends, (of(edge).to, edge))?;
        }
        self.work.step(ends.len() / 4)?;
        ends.sort_unstable();
        let at_node = |node: u32| {
            let start = ends.partition_point(|end| end.0 < node);
            &ends[start..ends.partition_point(|end| end.0 <= node)]
        };
        let mut used = vec![false; self.arrangement.edges.len()];
        let mut lines = Vec::new();
        // Those that begin where something ends go first; what is left are closed lines.
        for only_ends in [true, false] {
            for &(node, edge) in &ends {
                self.work.step(1)?;
                if used[edge as usize] || only_ends && at_node(node).len() == 2 {
                    continue;
                }
                let (mut node, mut edge) = (node, edge);
                let mut path = vec![node];
                loop {
                    used[edge as usize] = true;
                    node = if of(edge).from == node { of(edge).to } else { of(edge).from };
                    self.work.push(&mut path, node)?;
                    match at_node(node) {
                        [a, b] if !used[a.1 as usize] || !used[b.1 as usize] => {
                            edge = if used[a.1 as usize] { b.1 } else { a.1 };
                        }
                        _ => break,
                    }
                }
                let places = self.line(&path);
                self.work.push(&mut lines, places)?;
            }
        }
        Ok(lines)
    }

    fn line(&self, path: &[u32]) -> Vec<Flat> {
        let last = path.len() - 1;
        let is_kept =
            |at: usize| at == 0 || at == last || self.is_bend(path[at - 1], path[at], path[at + 1]);
        (0..path.len()).filter(|&at| is_kept(at)).map(|at| self.place(path[at])).collect()
    }
}
