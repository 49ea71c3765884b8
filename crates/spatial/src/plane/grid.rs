//! Coordinates as integers.

use super::{Flat, Node};

/// Bits of a half extent.
const BITS: i32 = 50;

/// How coordinates become integers: their distance from the middle in units, which are a power of
/// two. Whole numbers and binary fractions keep their exact values as long as they have room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    middle: Flat,
    /// Units in one.
    scale: f64,
}

impl Grid {
    /// A grid for coordinates within this box, whose units are not less than `unit_min`.
    pub fn new(low: Flat, high: Flat, unit_min: f64) -> Grid {
        let mut middle = [0.0; 2];
        let mut half: f64 = 0.0;
        let mut largest: f64 = 0.0;
        for axis in 0..2 {
            if low[axis] > high[axis] {
                continue;
            }
            middle[axis] = low[axis] / 2.0 + high[axis] / 2.0;
            half = half.max(high[axis] / 2.0 - low[axis] / 2.0);
            largest = largest.max(low[axis].abs()).max(high[axis].abs());
        }
        // A round number, so that shapes that are nearly as large have the same grid. This moves it
        // by less than the half extent.
        let step = 2_f64.powi(exponent(half) - 3);
        let round = |value: f64| (value / step).round() * step;
        middle =
            middle.map(|value| Some(round(value)).filter(|it| it.is_finite()).unwrap_or(value));
        // A unit is not less than the distance between two neighbouring numbers.
        let bits = (BITS - exponent(half)).min(53 - exponent(largest)).min(1000);
        let bits = bits.min(-exponent(unit_min));
        Grid { middle, scale: 2_f64.powi(bits) }
    }

    /// The node that is nearest to a place.
    pub fn node(&self, at: Flat) -> Node {
        let [x, y] = self.units(at);
        Node { x: x.round() as i64, y: y.round() as i64 }
    }

    /// A place in units.
    pub fn units(&self, at: Flat) -> Flat {
        [(at[0] - self.middle[0]) * self.scale, (at[1] - self.middle[1]) * self.scale]
    }

    /// Where a node is.
    pub fn place(&self, node: Node) -> Flat {
        [self.middle[0] + node.x as f64 / self.scale, self.middle[1] + node.y as f64 / self.scale]
    }
}

/// The least exponent of a power of two that is greater than a number.
fn exponent(value: f64) -> i32 {
    match value > 0.0 {
        true => (value.log2().floor() as i32 + 1).max(-1000),
        false => -1000,
    }
}
