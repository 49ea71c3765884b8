//! What lies within a distance of a shape, and the shape less what lies within a distance of its
//! boundary.
//!
//! A buffer is the union of what is near each straight piece of the shape. In the plane, that is a
//! rectangle along it and sectors of circles around its ends. On the globe it is the convex hull of
//! the points at the distance from its ends, as pieces are short. All these are joined by dozens,
//! then the results, so that no step has much more lines than the final result.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

use crate::arc::Arc;
use crate::error::{Fault, Result};
use crate::layers::{Area, Chart, figure_of};
use crate::overlay::hull;
use crate::plane::{Arrangement, Fill, Flat, Layer, Traced, Vertex, select};
use crate::shape::{Curve, Figure, Kind, Part, Position, Shape, Space};
use crate::simplify::needed;
use crate::tree::{Bounds, Tree};
use crate::work::Work;

/// How far the lines of a circle may be from it, as a share of the distance.
const TOLERANCE: f64 = 1e-3;

/// The same where arcs are made of the result.
const CURVE_TOLERANCE: f64 = 1e-5;

/// Which share of the tolerance vertices of lines may be away from a simpler line.
const SLACK: f64 = 0.1;

/// Areas that are joined in one step.
const BATCH: usize = 16;

/// The longest edge on the globe that is one piece, in radians of the equator.
const PIECE: f64 = 0.01;

impl Shape {
    /// `STBuffer`.
    pub fn buffer(&self, distance: f64, work: &Work<'_>) -> Result<Shape> {
        self.buffer_within(distance, TOLERANCE, work)
    }

    /// `BufferWithTolerance`. Error 24108. A relative tolerance is a share of the extent of the
    /// shape, and of the distance at least.
    pub fn buffer_with_tolerance(
        &self,
        distance: f64,
        tolerance: f64,
        is_relative: bool,
        work: &Work<'_>,
    ) -> Result<Shape> {
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(Fault::BufferTolerance(tolerance).into());
        }
        self.check_valid()?;
        let extent = match (is_relative, self.space) {
            (false, _) => 1.0,
            (true, Space::Planar) => {
                let Bounds { low, high } = self.bounds(work)?;
                (high[0] - low[0]).hypot(high[1] - low[1]).max(distance.abs())
            }
            (true, Space::Geographic) => {
                let angle = self.envelope_angle(work)?.unwrap_or(0.0).to_radians();
                let radius = crate::globe::Globe::of(self)?.radius();
                (2.0 * angle * radius).max(distance.abs())
            }
        };
        self.buffer_within(distance, tolerance * extent / distance.abs(), work)
    }

    /// `BufferWithCurves`.
    pub fn buffer_with_curves(&self, distance: f64, work: &Work<'_>) -> Result<Shape> {
        let buffer = self.buffer_within(distance, CURVE_TOLERANCE, work)?;
        if self.space == Space::Geographic || distance == 0.0 {
            return Ok(buffer);
        }
        let curved = Bender::new(self, distance.abs(), work)?.bend(&buffer.figure)?;
        buffer.of_valid(curved, work)
    }

    /// The buffer whose circles are approximated within a share of the distance.
    fn buffer_within(&self, distance: f64, share: f64, work: &Work<'_>) -> Result<Shape> {
        self.check_valid()?;
        if !distance.is_finite() {
            return Err(Fault::NotFinite.into());
        }
        if self.space == Space::Geographic {
            let half = PI * crate::globe::Globe::of(self)?.radius();
            if distance.abs() > half {
                return Err(Fault::BufferBeyondGlobe.into());
            }
        }
        let nothing = Figure::empty(Kind::GeometryCollection);
        let has_area = self.figure.has_area();
        if self.is_empty() || distance < 0.0 && !has_area {
            return self.of_valid(nothing, work);
        }
        if distance == 0.0 || matches!(self.figure, Figure::FullGlobe) {
            work.admit(self.size_bytes())?;
            return Ok(self.clone());
        }
        let chart = Chart::of(&[self], work)?;
        let maker = Maker::new(&chart, distance.abs(), share, work)?;
        let layer = chart.layer(&self.figure, work)?;
        let around = maker.around(&layer, distance > 0.0)?;
        let covers_outside = layer.covers_outside;
        let own = Layer { rings: layer.rings, covers_outside, ..Layer::default() };
        let mut near = Layer::default();
        around.add_to(&mut near);
        let layers = [&own, &near];
        let arrangement = Arrangement::new(&layers, Fill::Parity, chart.unit_min(), work)?;
        let figure = match distance > 0.0 {
            true => chart.choose(&arrangement, |a, b| a || b, work)?,
            false => {
                let own = |place| chart.own(place);
                let mut traced = select(&arrangement, |a, b| a && !b, &own, work)?;
                traced.lines.clear();
                traced.points.clear();
                figure_of(traced, work)?
            }
        };
        self.of_made(figure, work)
    }
}

struct Maker<'m> {
    chart: &'m Chart,
    distance: f64,
    /// How far from a line a vertex makes no difference.
    slack: f64,
    /// Directions of the vertices of circles, in radians.
    angles: Vec<f64>,
    work: &'m Work<'m>,
}

impl<'m> Maker<'m> {
    fn new(chart: &'m Chart, distance: f64, share: f64, work: &'m Work<'m>) -> Result<Maker<'m>> {
        let half = (1.0 - share).clamp(-1.0, 1.0).acos();
        // A circle has eight lines at least, and about ten thousand at most.
        let quarter = (FRAC_PI_4 / half).ceil().clamp(2.0, 2500.0) as u32;
        let step = FRAC_PI_2 / f64::from(quarter);
        let angles = (0..4 * quarter).map(|at| f64::from(at) * step).collect();
        let slack = SLACK * share.min(1.0) * distance;
        Ok(Maker { chart, distance, slack, angles, work })
    }

    /// What is near a layer's points and lines, and the boundary of its area.
    fn around(&self, layer: &Layer, with_lines: bool) -> Result<Area> {
        let mut joiner = Joiner { chart: self.chart, work: self.work, levels: Vec::new() };
        for point in layer.points.iter().filter(|_| with_lines) {
            joiner.add(self.near(point, point)?, 0)?;
        }
        let lines = layer.lines.iter().filter(|_| with_lines);
        let globe = match self.chart {
            Chart::Plane => None,
            Chart::Map(globe, _) => Some(&**globe),
        };
        for line in lines.chain(&layer.rings) {
            // Vertices that make no difference are left out.
            let places = line.iter().map(|vertex| vertex.own);
            let stays = needed(places, globe, self.slack, self.work)?;
            let line: Vec<Vertex> =
                line.iter().zip(stays).filter(|(_, stays)| *stays).map(|(at, _)| *at).collect();
            match self.chart {
                Chart::Plane => self.around_line(&line, &mut joiner)?,
                Chart::Map(..) => {
                    for pair in line.windows(2) {
                        for piece in self.pieces(&pair[0], &pair[1])?.windows(2) {
                            joiner.add(self.near(&piece[0], &piece[1])?, 0)?;
                        }
                    }
                }
            }
        }
        joiner.finish()
    }

    /// An edge in pieces that are short on the globe.
    fn pieces(&self, from: &Vertex, to: &Vertex) -> Result<Vec<Vertex>> {
        let Chart::Map(globe, map) = self.chart else { return Ok(vec![*from, *to]) };
        let angle = globe.distance(from.own, to.own) / globe.radius();
        let count = (angle / PIECE).ceil().clamp(1.0, 1000.0) as u32;
        let mut pieces = vec![*from];
        for index in 1..count {
            let share = f64::from(index) / f64::from(count);
            let at = [0, 1].map(|axis| from.at[axis] + (to.at[axis] - from.at[axis]) * share);
            pieces.push(Vertex { at, own: globe.position(map.direction(at)) });
        }
        pieces.push(*to);
        Ok(pieces)
    }

    /// What is near an edge on the globe, or a point: a ring to the left.
    fn near(&self, from: &Vertex, to: &Vertex) -> Result<Vec<Vertex>> {
        self.work.step(4 * self.angles.len())?;
        let mut vertices = Vec::with_capacity(2 * self.angles.len() + 4);
        match self.chart {
            Chart::Plane => {
                let circle = self.angles.iter().map(|angle| self.offset(from.at, *angle));
                vertices.extend(circle);
            }
            Chart::Map(globe, _) => {
                for center in [from.own, to.own] {
                    for angle in &self.angles {
                        let own = globe.travel(center, angle.to_degrees(), self.distance);
                        vertices.push(self.chart.vertex(own)?);
                    }
                    if from.own == to.own {
                        break;
                    }
                }
            }
        }
        self.convex(&vertices)
    }

    /// The ring around some vertices.
    fn convex(&self, vertices: &[Vertex]) -> Result<Vec<Vertex>> {
        if vertices.iter().any(|vertex| !vertex.at.iter().all(|value| value.is_finite())) {
            return Err(Fault::NotFinite.into());
        }
        let mut ring = hull(vertices, self.chart.unit_min(), self.work)?;
        ring.extend(ring.first().copied());
        match ring.len() > 3 {
            true => Ok(ring),
            // The distance is less than what coordinates of this size can tell apart.
            false => Ok(Vec::new()),
        }
    }

    /// Adds what is near a line in the plane: a rectangle along each edge, and a sector of a circle
    /// where it bends and ends.
    fn around_line(&self, line: &[Vertex], joiner: &mut Joiner<'_>) -> Result<()> {
        let mut line = line.to_vec();
        line.dedup_by_key(|vertex| vertex.at);
        let ([first, .., last], len) = (line.as_slice(), line.len()) else {
            return line.iter().try_for_each(|only| joiner.add(self.near(only, only)?, 0));
        };
        let direction = |pair: &[Vertex]| {
            let (from, to) = (pair[0].at, pair[1].at);
            (to[1] - from[1]).atan2(to[0] - from[0])
        };
        for pair in line.windows(2) {
            let ahead = direction(pair);
            let sides = [ahead - FRAC_PI_2, ahead + FRAC_PI_2];
            let corners = [0, 1].map(|end| sides.map(|side| self.offset(pair[end].at, side)));
            joiner.add(self.convex(corners.as_flattened())?, 0)?;
        }
        for three in line.windows(3) {
            let turn = (direction(&three[..2]), direction(&three[1..]));
            joiner.add(self.corner(three[1].at, turn)?, 0)?;
        }
        let (start, end) = (direction(&line[..2]), direction(&line[len - 2..]));
        if first.at == last.at {
            return joiner.add(self.corner(first.at, (end, start))?, 0);
        }
        joiner.add(self.sector(first.at, start + FRAC_PI_2, PI)?, 0)?;
        joiner.add(self.sector(last.at, end - FRAC_PI_2, PI)?, 0)
    }

    /// What is near a vertex on the outer side of a bend, from one direction to another one.
    fn corner(&self, center: Flat, (into, out): (f64, f64)) -> Result<Vec<Vertex>> {
        let left = (out - into).rem_euclid(TAU);
        match left <= PI {
            true => self.sector(center, into - FRAC_PI_2, left),
            false => self.sector(center, out + FRAC_PI_2, TAU - left),
        }
    }

    /// A part of a circle around a center, from an angle on.
    fn sector(&self, center: Flat, from: f64, width: f64) -> Result<Vec<Vertex>> {
        self.work.step(self.angles.len() / 4)?;
        let mut vertices = vec![Vertex { at: center, own: center }];
        vertices.push(self.offset(center, from));
        let within = |angle: &&f64| (**angle - from).rem_euclid(TAU) < width;
        vertices.extend(self.angles.iter().filter(within).map(|at| self.offset(center, *at)));
        vertices.push(self.offset(center, from + width));
        self.convex(&vertices)
    }

    /// The place at the distance in a direction. Along an axis, the other coordinate stays.
    fn offset(&self, center: Flat, angle: f64) -> Vertex {
        let (sin, cos) = angle.sin_cos();
        let exact = |value: f64| if value.abs() < 1e-15 { 0.0 } else { value };
        let at = [center[0] + exact(cos) * self.distance, center[1] + exact(sin) * self.distance];
        Vertex { at, own: at }
    }
}

/// Joins areas by dozens. All rings go to the left of their area.
struct Joiner<'j> {
    chart: &'j Chart,
    work: &'j Work<'j>,
    /// Rings of areas that wait to be joined, by how often those were joined, and how many areas
    /// they are.
    levels: Vec<(usize, Vec<Vec<Vertex>>)>,
}

impl Joiner<'_> {
    fn add(&mut self, ring: Vec<Vertex>, level: usize) -> Result<()> {
        match ring.is_empty() {
            true => Ok(()),
            false => self.add_all(vec![ring], level),
        }
    }

    fn add_all(&mut self, rings: Vec<Vec<Vertex>>, level: usize) -> Result<()> {
        let (mut rings, mut level) = (rings, level);
        loop {
            if self.levels.len() == level {
                self.levels.push((0, Vec::new()));
            }
            let (count, waiting) = &mut self.levels[level];
            *count += 1;
            waiting.append(&mut rings);
            if *count < BATCH {
                return Ok(());
            }
            *count = 0;
            let batch = std::mem::take(waiting);
            rings = self.join(batch)?.rings;
            level += 1;
        }
    }

    fn join(&self, rings: Vec<Vec<Vertex>>) -> Result<Area> {
        let layer = Layer { rings, ..Layer::default() };
        let chart = self.chart;
        let arrangement = Arrangement::new(&[&layer], Fill::Positive, chart.unit_min(), self.work)?;
        let traced: Traced = select(&arrangement, |a, _| a, &|place| chart.own(place), self.work)?;
        chart.area(&traced, self.work)
    }

    fn finish(mut self) -> Result<Area> {
        let rest = std::mem::take(&mut self.levels);
        self.join(rest.into_iter().flat_map(|(_, rings)| rings).collect())
    }
}

/// Finds the arcs in the boundary of a buffer in the plane: lines whose ends are as far from one
/// vertex of the shape as the buffer reaches.
struct Bender<'b> {
    vertices: Vec<Flat>,
    tree: Tree<2>,
    distance: f64,
    work: &'b Work<'b>,
}

impl<'b> Bender<'b> {
    fn new(shape: &Shape, distance: f64, work: &'b Work<'b>) -> Result<Bender<'b>> {
        let layer = Chart::Plane.layer(&shape.figure, work)?;
        let mut vertices = Vec::new();
        let mut boxes = Vec::new();
        for vertex in layer.vertices() {
            work.push(&mut vertices, vertex.at)?;
            work.push(&mut boxes, Bounds::of(&[vertex.at]))?;
        }
        Ok(Bender { vertices, tree: Tree::new(&boxes, work)?, distance, work })
    }

    fn bend(&self, figure: &Figure) -> Result<Figure> {
        match figure {
            Figure::Polygon(rings) => {
                let mut bent = Vec::with_capacity(rings.len());
                for ring in rings {
                    bent.push(self.ring(ring)?);
                }
                match bent.iter().all(|ring| matches!(ring, Curve::Line(_))) {
                    true => Ok(figure.clone()),
                    false => Ok(Figure::CurvePolygon(bent)),
                }
            }
            Figure::Collection(_, members) => {
                let bent: Vec<Figure> =
                    members.iter().map(|member| self.bend(member)).collect::<Result<_>>()?;
                let is_bent = bent.iter().any(|member| member.kind() == Kind::CurvePolygon);
                let kind = if is_bent { Kind::GeometryCollection } else { figure.kind() };
                Ok(Figure::Collection(kind, bent))
            }
            other => Ok(other.clone()),
        }
    }

    /// The vertex around which a line of the boundary goes.
    fn center(&self, from: &Position, to: &Position) -> Result<Option<Flat>> {
        let slack = self.distance * 2e-5;
        let far = |center: Flat, at: &Position| (at.x - center[0]).hypot(at.y - center[1]);
        let fits = |center: Flat| {
            // A line beside an edge touches the circle; only chords are within it.
            let middle = Position::new(from.x / 2.0 + to.x / 2.0, from.y / 2.0 + to.y / 2.0);
            [from, to].into_iter().all(|at| (far(center, at) - self.distance).abs() < slack)
                && far(center, &middle) < self.distance
                && far(center, &middle) > self.distance * (1.0 - 2.0 * CURVE_TOLERANCE)
        };
        let mut found = None;
        let around = Bounds::of(&[[from.x, from.y]]).widen(self.distance + slack);
        self.tree.each_meeting(&around, self.work, |at| {
            if fits(self.vertices[at]) {
                found = Some(self.vertices[at]);
            }
            Ok(found.is_none())
        })?;
        Ok(found)
    }

    fn ring(&self, ring: &[Position]) -> Result<Curve> {
        let mut centers = Vec::with_capacity(ring.len());
        for pair in ring.windows(2) {
            centers.push(self.center(&pair[0], &pair[1])?);
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut at = 0;
        while at < centers.len() {
            let run = centers[at..].iter().take_while(|center| **center == centers[at]).count();
            let (is_arc, points) = match (centers[at], run) {
                (Some(center), 2..) => (true, self.arc(center, &ring[at..=at + run])),
                _ => (false, ring[at..=at + run].to_vec()),
            };
            match parts.last_mut() {
                Some(last) if !is_arc && !last.is_arc => {
                    last.points.extend_from_slice(&points[1..]);
                }
                _ => parts.push(Part { is_arc, points }),
            }
            at += run;
        }
        Ok(match parts.len() {
            1 if parts[0].is_arc => Curve::Arcs(std::mem::take(&mut parts[0].points)),
            1 => Curve::Line(std::mem::take(&mut parts[0].points)),
            _ => Curve::Compound(parts),
        })
    }

    /// One arc for a run of lines around a center, two for more than half a circle.
    fn arc(&self, center: Flat, points: &[Position]) -> Vec<Position> {
        let last = points.len() - 1;
        let on_circle = |at: usize| {
            let Position { x, y, .. } = points[at];
            let angle = (y - center[1]).atan2(x - center[0]);
            let (sin, cos) = angle.sin_cos();
            Position::new(center[0] + cos * self.distance, center[1] + sin * self.distance)
        };
        let (first, end) = (points[0], points[last]);
        let is_long = last >= 4 && (first == end || Self::is_more_than_half(points));
        match is_long {
            false => vec![first, on_circle(last / 2), end],
            true => vec![
                first,
                on_circle(last / 4),
                on_circle(last / 2),
                on_circle(last / 2 + last / 4),
                end,
            ],
        }
    }

    fn is_more_than_half(points: &[Position]) -> bool {
        let space = |at: &Position| [at.x, at.y, 0.0];
        let (first, middle, end) =
            (&points[0], &points[points.len() / 2], &points[points.len() - 1]);
        let arc = Arc::new(space(first), space(middle), space(end));
        arc.is_none_or(|arc| arc.angle > PI)
    }
}
