//! Shapes from shapes: set operations, hulls, boundaries, valid shapes.

use crate::error::Result;
use crate::layers::{Chart, signed_area};
use crate::plane::{Flat, Grid, Node, Vertex, side};
use crate::relate::is_too_large;
use crate::shape::{Curve, Figure, Kind, Position, Shape, Space};
use crate::tree::Bounds;
use crate::work::Work;

impl Shape {
    fn combine(
        &self,
        other: &Shape,
        choose: impl Fn(bool, bool) -> bool,
        work: &Work<'_>,
    ) -> Result<Shape> {
        self.check_both(other)?;
        let chart = Chart::of(&[self, other], work)?;
        let arrangement = chart.arrange(&[&self.figure, &other.figure], work)?;
        let figure = chart.choose(&arrangement, choose, work)?;
        self.of_made(figure, work)
    }

    /// `STIntersection`.
    pub fn intersection(&self, other: &Shape, work: &Work<'_>) -> Result<Shape> {
        self.combine(other, |a, b| a && b, work)
    }

    /// `STUnion`.
    pub fn union(&self, other: &Shape, work: &Work<'_>) -> Result<Shape> {
        self.combine(other, |a, b| a || b, work)
    }

    /// `STDifference`.
    pub fn difference(&self, other: &Shape, work: &Work<'_>) -> Result<Shape> {
        self.combine(other, |a, b| a && !b, work)
    }

    /// `STSymDifference`.
    pub fn sym_difference(&self, other: &Shape, work: &Work<'_>) -> Result<Shape> {
        self.combine(other, |a, b| a != b, work)
    }

    /// `MakeValid`.
    pub fn make_valid(&self, work: &Work<'_>) -> Result<Shape> {
        if self.is_valid {
            work.admit(self.size_bytes())?;
            return Ok(self.clone());
        }
        let figure = self.valid_figure(work)?;
        self.of_made(figure, work)
    }

    /// The figure of a shape that is not valid, made valid.
    pub(crate) fn valid_figure(&self, work: &Work<'_>) -> Result<Figure> {
        let chart = Chart::of(&[self], work)?;
        let mut arrangement = chart.arrange(&[&self.figure], work)?;
        // What a ring runs along without an area at its side is a line.
        for at in 0..arrangement.edges.len() {
            let edge = &arrangement.edges[at];
            let bounds = arrangement.below(edge, 0) || arrangement.above(edge, 0);
            if edge.rings[0] > 0 && !bounds {
                arrangement.edges[at].lines[0] = 1;
            }
        }
        for at in 0..arrangement.chains.len() {
            if let [node] = arrangement.chains[at].nodes[..] {
                arrangement.facts[node as usize].points[0] = true;
            }
        }
        chart.choose(&arrangement, |a, _| a, work)
    }

    /// `ReorientObject` of geography: areas become what is outside them.
    pub fn reorient(&self, work: &Work<'_>) -> Result<Shape> {
        self.check_valid()?;
        let figure = match &self.figure {
            Figure::Polygon(rings) if rings.len() == 1 => {
                work.admit(self.size_bytes())?;
                Figure::Polygon(vec![rings[0].iter().rev().copied().collect()])
            }
            Figure::FullGlobe => Figure::empty(Kind::Polygon),
            Figure::Polygon(rings) if !rings.is_empty() => self.complement(work)?,
            Figure::CurvePolygon(_) | Figure::Collection(Kind::MultiPolygon, _)
                if !self.is_empty() =>
            {
                self.complement(work)?
            }
            other => other.clone(),
        };
        self.of_valid(figure, work)
    }

    fn complement(&self, work: &Work<'_>) -> Result<Figure> {
        let chart = Chart::of(&[self], work)?;
        let arrangement = chart.arrange(&[&self.figure], work)?;
        chart.choose(&arrangement, |a, _| !a, work)
    }

    /// `STBoundary` of geometry.
    pub fn boundary(&self, work: &Work<'_>) -> Result<Shape> {
        self.check_valid()?;
        let (mut points, mut curves) = (Vec::new(), Vec::new());
        let mut ends: Vec<Position> = Vec::new();
        self.figure.each_simple(&mut |figure| {
            match figure {
                Figure::Curve(curve) if !curve.is_closed() => {
                    for end in [curve.first(), curve.last()].into_iter().flatten() {
                        work.push(&mut ends, *end)?;
                    }
                }
                Figure::Polygon(rings) => {
                    for ring in rings {
                        work.admit(ring.len() * size_of::<Position>())?;
                        work.push(&mut curves, Figure::Curve(Curve::Line(ring.clone())))?;
                    }
                }
                Figure::CurvePolygon(rings) => {
                    for ring in rings {
                        work.push(&mut curves, Figure::Curve(ring.clone()))?;
                    }
                }
                _ => {}
            }
            Ok::<(), crate::error::Error>(())
        })?;
        // Ends that an odd number of lines has in common, in the order of their first one.
        work.step(ends.len())?;
        let mut order: Vec<usize> = (0..ends.len()).collect();
        let place = |at: usize| (ends[at].x, ends[at].y);
        order.sort_by(|&a, &b| {
            let (a, b) = (place(a), place(b));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let mut odd: Vec<usize> = order
            .chunk_by(|&a, &b| place(a) == place(b))
            .filter(|group| group.len() % 2 == 1)
            .filter_map(|group| group.iter().min().copied())
            .collect();
        odd.sort_unstable();
        for at in odd {
            let end = ends[at];
            work.push(&mut points, Figure::Point(Some(Position::new(end.x, end.y))))?;
        }
        let is_straight = curves.iter().all(|curve| curve.kind() == Kind::LineString);
        let figure = match (points.len(), curves.len()) {
            (0, 0) => Figure::empty(Kind::GeometryCollection),
            (1, 0) => points.remove(0),
            (_, 0) => Figure::Collection(Kind::MultiPoint, points),
            (0, 1) => curves.remove(0),
            (0, _) if is_straight => Figure::Collection(Kind::MultiLineString, curves),
            _ => {
                points.extend(curves);
                Figure::Collection(Kind::GeometryCollection, points)
            }
        };
        self.of_valid(figure, work)
    }

    /// `STConvexHull`.
    pub fn convex_hull(&self, work: &Work<'_>) -> Result<Shape> {
        self.check_valid()?;
        if self.is_large {
            return self.of_valid(Figure::FullGlobe, work);
        }
        let chart = Chart::of(&[self], work)?;
        let layer = chart.layer(&self.figure, work)?;
        let mut vertices = Vec::new();
        for vertex in layer.vertices() {
            work.push(&mut vertices, *vertex)?;
        }
        let hull = hull(&vertices, chart.unit_min(), work)?;
        let at = |vertex: &Vertex| Position::new(vertex.own[0], vertex.own[1]);
        let figure = match hull.as_slice() {
            [] => Figure::empty(Kind::GeometryCollection),
            [only] => Figure::Point(Some(at(only))),
            [a, b] => Figure::Curve(Curve::Line(vec![at(a), at(b)])),
            ring => {
                // From the lowest vertex on, of those at one height the last one.
                let lowest = (0..ring.len()).min_by(|&a, &b| {
                    let (a, b) = (ring[a].own, ring[b].own);
                    a[1].total_cmp(&b[1]).then(b[0].total_cmp(&a[0]))
                });
                let start = lowest.unwrap_or(0);
                let around = (start..start + ring.len() + 1).map(|i| at(&ring[i % ring.len()]));
                Figure::Polygon(vec![around.collect()])
            }
        };
        self.of_valid(figure, work)
    }

    /// `STPointOnSurface` of geometry; `None` of an empty shape.
    pub fn point_on_surface(&self, work: &Work<'_>) -> Result<Option<Shape>> {
        self.check_valid()?;
        if self.is_empty() {
            return Ok(None);
        }
        let layer = Chart::Plane.layer(&self.figure, work)?;
        let place = match layer.rings.is_empty() {
            false => inner_point(&layer.rings, work)?,
            true => {
                let of_line = |line: &Vec<Vertex>| match line.as_slice() {
                    [a, b] => middle_of(a.at, b.at),
                    line => line[line.len() / 2].at,
                };
                let of_lines = layer.lines.first().map(of_line);
                of_lines.or(layer.points.first().map(|point| point.at))
            }
        };
        Ok(place.map(|[x, y]| self.part_point(Some(&Position::new(x, y)))))
    }
}

fn middle_of(a: Flat, b: Flat) -> Flat {
    [a[0] / 2.0 + b[0] / 2.0, a[1] / 2.0 + b[1] / 2.0]
}

/// A place within rings: in the middle of the widest piece of a horizontal line between the heights
/// of vertices.
fn inner_point(rings: &[Vec<Vertex>], work: &Work<'_>) -> Result<Option<Flat>> {
    // The largest ring's middle, moved away from all vertices.
    let area = |ring: &Vec<Vertex>| signed_area(ring.iter().map(|vertex| vertex.at)).abs();
    let largest = rings.iter().max_by(|a, b| area(a).total_cmp(&area(b)));
    let mut bounds = Bounds::NONE;
    for vertex in largest.into_iter().flatten() {
        bounds.add(&vertex.at);
    }
    let middle = bounds.low[1] / 2.0 + bounds.high[1] / 2.0;
    let (mut below, mut above) = (bounds.low[1], bounds.high[1]);
    for vertex in rings.iter().flatten() {
        work.step(1)?;
        let y = vertex.at[1];
        if y <= middle {
            below = below.max(y);
        } else {
            above = above.min(y);
        }
    }
    let height = below / 2.0 + above / 2.0;
    let mut crossings: Vec<f64> = Vec::new();
    for ring in rings {
        for pair in ring.windows(2) {
            let (a, b) = (pair[0].at, pair[1].at);
            if (a[1] > height) != (b[1] > height) {
                let share = (height - a[1]) / (b[1] - a[1]);
                work.push(&mut crossings, a[0] + (b[0] - a[0]) * share)?;
            }
        }
    }
    crossings.sort_by(f64::total_cmp);
    let widest = crossings
        .chunks_exact(2)
        .max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])))
        .map(|pair| [pair[0] / 2.0 + pair[1] / 2.0, height]);
    Ok(widest.or_else(|| rings.first()?.first().map(|vertex| vertex.at)))
}

/// The vertices of the least convex area around some, to the left; one or two where that is all.
pub(crate) fn hull(vertices: &[Vertex], unit_min: f64, work: &Work<'_>) -> Result<Vec<Vertex>> {
    let mut bounds = Bounds::NONE;
    for vertex in vertices {
        work.step(1)?;
        bounds.add(&vertex.at);
    }
    let grid = Grid::new(bounds.low, bounds.high, unit_min);
    let mut order: Vec<(Node, usize)> = Vec::new();
    for (index, vertex) in vertices.iter().enumerate() {
        work.push(&mut order, (grid.node(vertex.at), index))?;
    }
    work.step(order.len() / 4)?;
    order.sort_unstable();
    order.dedup_by_key(|(node, _)| *node);
    if order.len() < 3 {
        return Ok(order.into_iter().map(|(_, index)| vertices[index]).collect());
    }
    let mut chain: Vec<(Node, usize)> = Vec::new();
    let mut half = |points: &mut dyn Iterator<Item = &(Node, usize)>| {
        let start = chain.len();
        for &point in points {
            while let [.., a, b] = chain[start..] {
                match side(a.0, b.0, point.0) > 0 {
                    true => break,
                    false => chain.truncate(chain.len() - 1),
                }
            }
            chain.push(point);
        }
        chain.truncate(chain.len() - 1);
    };
    half(&mut order.iter());
    half(&mut order.iter().rev());
    Ok(chain.into_iter().map(|(_, index)| vertices[index]).collect())
}

impl Shape {
    /// Whether the shape is a geography that does not fit in a hemisphere.
    pub(crate) fn find_large(&self, work: &Work<'_>) -> Result<bool> {
        if self.space == Space::Planar || !self.figure.has_area() {
            return Ok(false);
        }
        match Chart::find(&[self], work)? {
            Some(chart) => match chart.layer(&self.figure, work) {
                Ok(layer) => Ok(layer.covers_outside),
                Err(error) if is_too_large(&error) => Ok(true),
                Err(error) => Err(error),
            },
            None => Ok(true),
        }
    }
}
