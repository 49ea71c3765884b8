//! Finds out what lies on the sides of edges: a line moves to the right over all nodes, with the
//! edges that it meets in order from below.

use super::{Arrangement, Edge, Fill, NONE, Node, side};
use crate::error::Result;
use crate::work::Work;

/// Fills in what rings go around below and above each edge and around each node, and each edge's
/// floor.
pub(super) fn label(arrangement: &mut Arrangement, work: &Work<'_>) -> Result<()> {
    let Arrangement { nodes, edges, facts, fill, covers_outside, .. } = arrangement;
    let direction = |edge: &Edge| {
        let (from, to) = (nodes[edge.from as usize], nodes[edge.to as usize]);
        Node { x: to.x - from.x, y: to.y - from.y }
    };
    work.step(edges.len() / 4)?;
    // By first node, then from the lowest direction to the highest: all point to the right, or up.
    edges.sort_unstable_by(|a, b| {
        let order = side(Node { x: 0, y: 0 }, direction(b), direction(a)).cmp(&0);
        a.from.cmp(&b.from).then(order).then(a.to.cmp(&b.to))
    });
    let outside = covers_outside.map(i32::from);
    // Edges that the line meets, from below.
    let mut met: Vec<u32> = Vec::new();
    let mut next = 0;
    for node in 0..nodes.len() {
        let at = nodes[node];
        work.step(1 + met.len() / 256)?;
        let place = met.partition_point(|&edge| {
            let edge = &edges[edge as usize];
            edge.to as usize != node
                && side(nodes[edge.from as usize], nodes[edge.to as usize], at) > 0
        });
        let ending =
            met[place..].iter().take_while(|&&edge| edges[edge as usize].to as usize == node);
        let ending = ending.count();
        let floor = place.checked_sub(1).map_or(NONE, |place| met[place]);
        let mut around = match floor {
            NONE => outside,
            floor => edges[floor as usize].above,
        };
        facts[node].around = around;
        let start = next;
        let mut below = floor;
        while edges.get(next).is_some_and(|edge| edge.from as usize == node) {
            let edge = &mut edges[next];
            edge.floor = below;
            edge.below = around;
            for (layer, around) in around.iter_mut().enumerate() {
                *around += match fill {
                    Fill::Parity => (edge.rings[layer] % 2) as i32,
                    Fill::Positive => edge.turn[layer],
                };
            }
            edge.above = around;
            below = next as u32;
            next += 1;
        }
        met.splice(place..place + ending, start as u32..next as u32);
        work.step((next - start) + ending)?;
    }
    Ok(())
}
