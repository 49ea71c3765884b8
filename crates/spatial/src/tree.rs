//! A tree of boxes that does not change: finds those that meet a box.

use crate::error::Result;
use crate::work::Work;

/// Children of a node.
const WIDTH: usize = 8;

/// A box: its lowest and highest coordinates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Bounds<const D: usize> {
    pub low: [f64; D],
    pub high: [f64; D],
}

impl<const D: usize> Bounds<D> {
    /// The box of nothing.
    pub const NONE: Bounds<D> = Bounds { low: [f64::INFINITY; D], high: [f64::NEG_INFINITY; D] };

    /// The box of some points.
    pub fn of(points: &[[f64; D]]) -> Bounds<D> {
        let mut bounds = Bounds::NONE;
        for point in points {
            bounds.add(point);
        }
        bounds
    }

    /// Makes the box hold a point.
    pub fn add(&mut self, point: &[f64; D]) {
        for (at, &value) in point.iter().enumerate() {
            self.low[at] = self.low[at].min(value);
            self.high[at] = self.high[at].max(value);
        }
    }

    fn join(&mut self, other: &Bounds<D>) {
        self.add(&other.low);
        self.add(&other.high);
    }

    /// Whether both boxes have a point in common.
    pub fn meets(&self, other: &Bounds<D>) -> bool {
        (0..D).all(|at| self.low[at] <= other.high[at] && other.low[at] <= self.high[at])
    }

    /// The box with as much added on all sides.
    pub fn widen(mut self, by: f64) -> Bounds<D> {
        for at in 0..D {
            self.low[at] -= by;
            self.high[at] += by;
        }
        self
    }

    /// The distance between two boxes; 0 if they meet.
    pub fn distance(&self, other: &Bounds<D>) -> f64 {
        let gap =
            |at: usize| (self.low[at] - other.high[at]).max(other.low[at] - self.high[at]).max(0.0);
        // Scaled by the largest one, so that squares do not overflow.
        let largest = (0..D).map(gap).fold(0.0, f64::max);
        match largest > 0.0 && largest.is_finite() {
            true => largest * (0..D).map(|at| (gap(at) / largest).powi(2)).sum::<f64>().sqrt(),
            false => largest,
        }
    }
}

/// Boxes in levels: the given ones, in an order that keeps neighbours together, then those of each
/// [`WIDTH`] of them, and so on up to one.
pub(crate) struct Tree<const D: usize> {
    /// The index of each box of the lowest level.
    order: Vec<u32>,
    levels: Vec<Vec<Bounds<D>>>,
}

/// A node of a tree: its level and its place there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Place {
    pub level: usize,
    pub at: usize,
}

impl<const D: usize> Tree<D> {
    /// A tree of these boxes; there are less than 2^32.
    pub fn new(boxes: &[Bounds<D>], work: &Work<'_>) -> Result<Tree<D>> {
        work.admit(boxes.len().saturating_mul(2 * size_of::<Bounds<D>>() + 16))?;
        let mut whole = Bounds::NONE;
        for each in boxes {
            work.step(1)?;
            whole.join(each);
        }
        let mut keyed = Vec::with_capacity(boxes.len());
        for (index, each) in boxes.iter().enumerate() {
            work.step(1)?;
            keyed.push((key(each, &whole), index as u32));
        }
        work.step(keyed.len() / 8)?;
        keyed.sort_unstable();
        let order: Vec<u32> = keyed.into_iter().map(|(_, index)| index).collect();
        let mut levels = vec![order.iter().map(|&index| boxes[index as usize]).collect::<Vec<_>>()];
        while let Some(below) = levels.last().filter(|level| level.len() > 1) {
            work.step(below.len())?;
            let mut level = Vec::with_capacity(below.len().div_ceil(WIDTH));
            for children in below.chunks(WIDTH) {
                let mut bounds = Bounds::NONE;
                children.iter().for_each(|child| bounds.join(child));
                level.push(bounds);
            }
            levels.push(level);
        }
        Ok(Tree { order, levels })
    }

    /// The topmost node; `None` of an empty tree.
    pub fn top(&self) -> Option<Place> {
        let level = self.levels.len() - 1;
        (!self.levels[level].is_empty()).then_some(Place { level, at: 0 })
    }

    /// A node's box.
    pub fn bounds(&self, place: Place) -> &Bounds<D> {
        &self.levels[place.level][place.at]
    }

    /// The index of the box that a node of the lowest level is.
    pub fn leaf(&self, place: Place) -> Option<usize> {
        (place.level == 0).then(|| self.order[place.at] as usize)
    }

    /// The nodes right below one that is not of the lowest level.
    pub fn children(&self, place: Place) -> impl Iterator<Item = Place> + use<D> {
        let level = place.level.wrapping_sub(1);
        let len = self.levels.get(level).map_or(0, Vec::len);
        let first = place.at * WIDTH;
        (first..len.min(first + WIDTH)).map(move |at| Place { level, at })
    }

    /// Calls a function with the index of each box that meets this one, until it says `false`.
    /// Whether it never did.
    pub fn each_meeting(
        &self,
        bounds: &Bounds<D>,
        work: &Work<'_>,
        mut visit: impl FnMut(usize) -> Result<bool>,
    ) -> Result<bool> {
        let mut open: Vec<Place> = self.top().into_iter().collect();
        while let Some(place) = open.pop() {
            work.step(1)?;
            if !self.bounds(place).meets(bounds) {
                continue;
            }
            match self.leaf(place) {
                Some(index) => {
                    if !visit(index)? {
                        return Ok(false);
                    }
                }
                None => open.extend(self.children(place)),
            }
        }
        Ok(true)
    }
}

/// Where a box's middle lies on a curve that visits neighbours one after the other.
fn key<const D: usize>(each: &Bounds<D>, whole: &Bounds<D>) -> u64 {
    let mut key = 0_u64;
    let place = |at: usize| {
        let width = whole.high[at] / 2.0 - whole.low[at] / 2.0;
        let middle = each.low[at] / 4.0 + each.high[at] / 4.0 - whole.low[at] / 2.0;
        match width > 0.0 {
            true => (middle / width * f64::from(u16::MAX)) as u16,
            false => 0,
        }
    };
    let places: [u16; D] = std::array::from_fn(place);
    for bit in (0..16).rev() {
        for place in places {
            key = key << 1 | u64::from(place >> bit & 1);
        }
    }
    key
}

/// The least of a function of pairs of one box of each tree, which is at least the distance of
/// their boxes times `shrink`. `None` if a tree is empty. Ends early at 0.
pub(crate) fn least_of_pairs<const D: usize, T: Copy>(
    (one, other): (&Tree<D>, &Tree<D>),
    work: &Work<'_>,
    mut measure: impl FnMut(usize, usize, f64) -> Result<Option<(f64, T)>>,
) -> Result<Option<(f64, T)>> {
    let (Some(a), Some(b)) = (one.top(), other.top()) else { return Ok(None) };
    let mut best: Option<(f64, T)> = None;
    let mut open = vec![(one.bounds(a).distance(other.bounds(b)), a, b)];
    while let Some((distance, a, b)) = open.pop() {
        work.step(1)?;
        let limit = best.as_ref().map_or(f64::INFINITY, |best| best.0);
        if distance > limit || limit == 0.0 {
            continue;
        }
        if let (Some(first), Some(second)) = (one.leaf(a), other.leaf(b)) {
            if let Some(found) =
                measure(first, second, limit)?.filter(|found| found.0 < limit || best.is_none())
            {
                best = Some(found);
            }
            continue;
        }
        let from = open.len();
        match a.level >= b.level {
            true => open.extend(one.children(a).map(|a| (0.0, a, b))),
            false => open.extend(other.children(b).map(|b| (0.0, a, b))),
        }
        for pair in &mut open[from..] {
            pair.0 = one.bounds(pair.1).distance(other.bounds(pair.2));
        }
        // The nearest one comes last, and so is looked at next.
        open[from..].sort_by(|a, b| b.0.total_cmp(&a.0));
    }
    Ok(best)
}
