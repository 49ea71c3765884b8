//! Sets of points, lines and areas in a plane: how they divide it, and what follows from that.
//!
//! # How it works
//!
//! Shapes become a [`Layer`] each: straight lines in the plane (arcs are approximated, the globe is
//! projected). [`Arrangement::new`] puts the coordinates of one or two layers on a grid (`grid`),
//! divides all lines where they meet (`node`), and finds out on which sides of each piece the areas
//! of each layer are (`sweep`). Everything else asks the arrangement: relations (`relate`), new
//! shapes (`trace`), validity.
//!
//! # Invariants
//!
//! * N1: coordinates on the grid are integers below 2^52, so that the side of a line on which a
//!   point lies is computed without error.
//! * N2: pieces of lines meet in nodes only. A line that passes through the square of a node (one
//!   unit wide) is bent to pass through the node; so is one that passed by its vertex before both
//!   were put on the grid. This moves a line by less than two units.
//! * N3: node numbers rise with X, then with Y.

mod grid;
mod node;
mod sweep;
mod trace;

use crate::error::Result;
use crate::work::Work;

pub(crate) use grid::Grid;
pub(crate) use trace::{Traced, select};

/// Coordinates in the plane.
pub(crate) type Flat = [f64; 2];

/// A vertex: where it is in the plane, and the coordinates that it has in its shape.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Vertex {
    pub at: Flat,
    pub own: Flat,
}

/// One operand: a set of points, lines and areas.
#[derive(Default, Debug)]
pub(crate) struct Layer {
    pub points: Vec<Vertex>,
    /// Lines; a closed one ends where it starts.
    pub lines: Vec<Vec<Vertex>>,
    /// Rings around areas, closed.
    pub rings: Vec<Vec<Vertex>>,
    /// Whether what lies outside all rings is inside.
    pub covers_outside: bool,
}

impl Layer {
    /// All vertices: those of lines, of rings, and points.
    pub fn vertices(&self) -> impl Iterator<Item = &Vertex> {
        self.lines.iter().chain(&self.rings).flatten().chain(&self.points)
    }
}

/// What counts as inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fill {
    /// What an odd number of rings goes around.
    Parity,
    /// What more rings go around to the left than to the right.
    Positive,
}

/// A node: its place on the grid. Ordered by X, then by Y.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Node {
    pub x: i64,
    pub y: i64,
}

/// A line or ring as the nodes that it passes.
#[derive(Debug)]
pub(crate) struct Chain {
    pub layer: usize,
    pub is_ring: bool,
    /// Two neighbours differ. One node alone if the chain has no length.
    pub nodes: Vec<u32>,
}

/// No edge.
pub(crate) const NONE: u32 = u32::MAX;

/// A piece of lines and rings between two nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// The node with the lower number.
    pub from: u32,
    pub to: u32,
    /// How many rings of each layer run along it.
    pub rings: [u32; 2],
    /// How many lines of each layer run along it.
    pub lines: [u32; 2],
    /// Rings that run towards the higher number less those that run back.
    turn: [i32; 2],
    /// How often rings go around what lies right below (or to the right of) it, and above.
    below: [i32; 2],
    above: [i32; 2],
    /// The next edge below its first node, [`NONE`] if there is none.
    pub floor: u32,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facts {
    /// Whether a point of each layer lies here.
    pub points: [bool; 2],
    /// How many ends of open lines of each layer lie here.
    pub ends: [u32; 2],
    /// How many edges end here.
    pub degree: u32,
    /// How often rings go around it, if no edge ends here.
    around: [i32; 2],
}

/// See the module's header.
pub(crate) struct Arrangement {
    pub grid: Grid,
    pub nodes: Vec<Node>,
    /// The own coordinates of the first vertex at each node, if there is one.
    pub own: Vec<Option<Flat>>,
    pub facts: Vec<Facts>,
    pub chains: Vec<Chain>,
    /// In the order in which a line that moves to the right meets them.
    pub edges: Vec<Edge>,
    fill: Fill,
    pub covers_outside: [bool; 2],
    /// Memory that the above takes.
    _charged: base::account::Charged,
}

impl Arrangement {
    /// Divides the plane by one or two layers. Coordinates are known to `unit_min`, if that is more
    /// than what the grid can tell apart.
    pub fn new(
        layers: &[&Layer],
        fill: Fill,
        unit_min: f64,
        work: &Work<'_>,
    ) -> Result<Arrangement> {
        let mut arrangement = node::arrange(layers, fill, unit_min, work)?;
        sweep::label(&mut arrangement, work)?;
        Ok(arrangement)
    }

    fn is_inside(&self, winding: i32) -> bool {
        match self.fill {
            Fill::Parity => winding % 2 != 0,
            Fill::Positive => winding > 0,
        }
    }

    /// Whether what lies below an edge is inside a layer.
    pub fn below(&self, edge: &Edge, layer: usize) -> bool {
        self.is_inside(edge.below[layer])
    }

    /// Whether what lies above an edge is inside a layer.
    pub fn above(&self, edge: &Edge, layer: usize) -> bool {
        self.is_inside(edge.above[layer])
    }

    /// Whether a node at which no edge ends is inside a layer.
    pub fn is_within(&self, node: usize, layer: usize) -> bool {
        self.facts[node].degree == 0 && self.is_inside(self.facts[node].around[layer])
    }

    /// Whether every ring runs with the inside to its left.
    pub fn turns_left(&self, layer: usize) -> bool {
        self.edges.iter().filter(|edge| edge.rings[layer] > 0).all(|edge| {
            let inside_above = self.above(edge, layer) && !self.below(edge, layer);
            edge.rings[layer] == 1 && (edge.turn[layer] > 0) == inside_above
        })
    }
}

/// On which side of a directed line a point lies: positive to the left, 0 on it (N1).
pub(crate) fn side(from: Node, to: Node, at: Node) -> i128 {
    let cross = |a: i64, b: i64| i128::from(a) * i128::from(b);
    cross(to.x - from.x, at.y - from.y) - cross(to.y - from.y, at.x - from.x)
}
