//! Lengths, areas, distances, bounds and what follows from them.

use crate::arc::{Arc, Point3, dot, minus, norm, times};
use crate::error::{Fault, Result};
use crate::globe::{Globe, Map, middle, nearest};
use crate::layers::{CIRCLE_LINES, Chart, flatten, polygon, signed_area};
use crate::plane::Flat;
use crate::shape::{Curve, Figure, Kind, Part, Position, Shape, Space};
use crate::tree::{Bounds, Tree, least_of_pairs};
use crate::work::Work;

/// Of a far piece of a shape, at least this share of what a sphere says is its distance on an
/// ellipsoid.
const SPHERE_SHARE: f64 = 0.99;

/// The longest piece of an edge on the globe that is looked at as a whole, as an angle.
const PIECE: f64 = 0.05;

/// How near to an edge a point is for which rounding matters, as a share of coordinates.
const NEAR: f64 = 1e-12;

/// Geographies that are no farther from each other touch, in units of the SRID.
const TOUCHING: f64 = 1e-8;

/// A curve's straight lines and arcs, each as two or three positions.
fn pieces<'c>(curve: &'c Curve) -> impl Iterator<Item = &'c [Position]> {
    let of = |is_arc: bool, points: &'c [Position]| {
        let (width, step) = if is_arc { (3, 2) } else { (2, 1) };
        points.windows(width).step_by(step)
    };
    let (single, parts): (Option<(bool, &[Position])>, &[Part]) = match curve {
        Curve::Line(points) => (Some((false, points)), &[]),
        Curve::Arcs(points) => (Some((true, points)), &[]),
        Curve::Compound(parts) => (None, parts),
    };
    let parts = parts.iter().map(|part| (part.is_arc, part.points.as_slice()));
    single.into_iter().chain(parts).flat_map(move |(is_arc, points)| of(is_arc, points))
}

fn flat(at: &Position) -> Flat {
    [at.x, at.y]
}

fn space(at: &Position) -> Point3 {
    [at.x, at.y, 0.0]
}

/// The arc of a piece in the plane.
fn arc_of(piece: &[Position]) -> Option<Arc> {
    match piece {
        [start, through, end] => Arc::new(space(start), space(through), space(end)),
        _ => None,
    }
}

/// The length of a piece in the plane.
fn length_of(piece: &[Position]) -> f64 {
    match arc_of(piece) {
        Some(arc) => arc.length(),
        None => {
            piece.windows(2).map(|pair| (pair[1].x - pair[0].x).hypot(pair[1].y - pair[0].y)).sum()
        }
    }
}

/// The area of a closed curve in the plane, positive if it goes around to the left.
fn curve_area(curve: &Curve) -> f64 {
    let mut places: Vec<Flat> = curve.first().map(flat).into_iter().collect();
    let mut bulges = 0.0;
    for piece in pieces(curve) {
        match arc_of(piece) {
            Some(arc) => {
                let turn = signed_area([&piece[0], &piece[1], &piece[2]].map(flat).into_iter());
                let bulge = arc.radius * arc.radius * (arc.angle - arc.angle.sin()) / 2.0;
                bulges += bulge.copysign(turn);
                places.push(flat(&piece[2]));
            }
            None => places.extend(piece.iter().skip(1).map(flat)),
        }
    }
    signed_area(places.into_iter()) + bulges
}

/// The rings of an area, as curves.
fn rings_of(figure: &Figure) -> Vec<Curve> {
    match figure {
        Figure::Polygon(rings) => rings.iter().map(|ring| Curve::Line(ring.clone())).collect(),
        Figure::CurvePolygon(rings) => rings.clone(),
        _ => Vec::new(),
    }
}

/// A piece of a shape for distances: two places that a straight line joins, or one.
type Piece<P> = [P; 2];

impl Shape {
    /// Calls a function with each curve, and each ring of an area.
    fn each_curve(&self, visit: &mut impl FnMut(&Curve) -> Result<()>) -> Result<()> {
        self.figure.each_simple(&mut |figure| match figure {
            Figure::Curve(curve) => visit(curve),
            Figure::Polygon(_) | Figure::CurvePolygon(_) => {
                rings_of(figure).iter().try_for_each(&mut *visit)
            }
            _ => Ok(()),
        })
    }

    /// `STLength`: of curves, and of the rings of polygons. Shapes that are not valid answer.
    pub fn length(&self, work: &Work<'_>) -> Result<f64> {
        let globe = match self.space {
            Space::Planar => None,
            Space::Geographic => Some(Globe::of(self)?),
        };
        let mut length = 0.0;
        self.each_curve(&mut |curve| {
            match &globe {
                None => {
                    for piece in pieces(curve) {
                        work.step(1)?;
                        length += length_of(piece);
                    }
                }
                Some(globe) => {
                    let step = std::f64::consts::TAU / CIRCLE_LINES;
                    let points = flatten(curve, Some(globe), &|_| step, work)?;
                    for pair in points.windows(2) {
                        work.step(64)?;
                        length += globe.distance(flat(&pair[0]), flat(&pair[1]));
                    }
                }
            }
            Ok(())
        })?;
        Ok(length)
    }

    /// `STArea`.
    pub fn area(&self, work: &Work<'_>) -> Result<f64> {
        self.check_valid()?;
        let mut area = 0.0;
        let globe = match self.space {
            Space::Planar => None,
            Space::Geographic => Some(Globe::of(self)?),
        };
        self.figure.each_simple(&mut |figure| {
            if let Figure::FullGlobe = figure {
                area += globe.as_ref().map_or(0.0, Globe::whole_area);
            }
            let rings = rings_of(figure);
            match &globe {
                None => {
                    for (index, ring) in rings.iter().enumerate() {
                        work.step(ring.positions().count())?;
                        let sign = if index == 0 { 1.0 } else { -1.0 };
                        area += sign * curve_area(ring).abs();
                    }
                }
                Some(globe) if !rings.is_empty() => area += area_on(globe, &rings, work)?,
                Some(_) => {}
            }
            Ok::<(), crate::error::Error>(())
        })?;
        Ok(area)
    }

    /// The box around the shape in the plane.
    pub(crate) fn bounds(&self, work: &Work<'_>) -> Result<Bounds<2>> {
        let mut bounds = Bounds::NONE;
        self.figure.each_position(&mut |at| {
            bounds.add(&flat(at));
            work.step(1)
        })?;
        if self.figure.has_curves() {
            self.each_curve(&mut |curve| {
                for arc in pieces(curve).filter_map(arc_of) {
                    work.step(1)?;
                    for side in [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]] {
                        let [x, y, _] = arc.center;
                        let at = [x + side[0] * arc.radius, y + side[1] * arc.radius];
                        if arc.angle_of([at[0], at[1], 0.0]) < arc.angle {
                            bounds.add(&at);
                        }
                    }
                }
                Ok(())
            })?;
        }
        Ok(bounds)
    }

    /// `STEnvelope` of geometry: a polygon, or a point or line where that is all.
    pub fn envelope(&self, work: &Work<'_>) -> Result<Shape> {
        self.check_valid()?;
        if self.is_empty() {
            return self.of_valid(Figure::empty(Kind::GeometryCollection), work);
        }
        let Bounds { low, high } = self.bounds(work)?;
        let at = Position::new;
        let figure = match (low[0] < high[0], low[1] < high[1]) {
            (false, false) => Figure::Point(Some(at(low[0], low[1]))),
            (true, true) => Figure::Polygon(vec![vec![
                at(low[0], low[1]),
                at(high[0], low[1]),
                at(high[0], high[1]),
                at(low[0], high[1]),
                at(low[0], low[1]),
            ]]),
            _ => Figure::Curve(Curve::Line(vec![at(low[0], low[1]), at(high[0], high[1])])),
        };
        self.of_valid(figure, work)
    }

    fn directions(&self, globe: &Globe, work: &Work<'_>) -> Result<Vec<Point3>> {
        let mut directions = Vec::new();
        self.figure
            .each_position(&mut |at| work.push(&mut directions, globe.direction(flat(at))))?;
        work.step(directions.len())?;
        Ok(directions)
    }

    /// The middle of a geography's positions, and the angle to the farthest of them; 180 degrees if
    /// it is larger than a hemisphere.
    fn cap(&self, work: &Work<'_>) -> Result<Option<(Flat, f64)>> {
        self.check_valid()?;
        let globe = Globe::of(self)?;
        if self.is_empty() {
            return Ok(None);
        }
        let directions = self.directions(&globe, work)?;
        let center = middle(&directions).filter(|_| !self.is_large);
        let Some(center) = center else { return Ok(Some(([0.0, 90.0], 180.0))) };
        let cosine = |at: &Point3| dot(center, *at).clamp(-1.0, 1.0);
        let angle = directions.iter().map(|at| cosine(at).acos()).fold(0.0, f64::max);
        Ok(Some((globe.position(center), angle.to_degrees())))
    }

    /// `EnvelopeCenter` of geography; `None` of an empty shape.
    pub fn envelope_center(&self, work: &Work<'_>) -> Result<Option<Shape>> {
        let Some(([x, y], _)) = self.cap(work)? else { return Ok(None) };
        Ok(Some(self.part_point(Some(&Position::new(x, y)))))
    }

    /// `EnvelopeAngle` of geography, in degrees; `None` of an empty shape.
    pub fn envelope_angle(&self, work: &Work<'_>) -> Result<Option<f64>> {
        Ok(self.cap(work)?.map(|(_, angle)| angle))
    }

    /// A circle around all of a geography: `EnvelopeAggregate`.
    pub(crate) fn bounding_circle(&self, work: &Work<'_>) -> Result<Shape> {
        let globe = Globe::of(self)?;
        let figure = match self.cap(work)? {
            None => Figure::empty(Kind::GeometryCollection),
            Some((at, 0.0)) => Figure::Point(Some(Position::new(at[0], at[1]))),
            Some((_, angle)) if angle >= 90.0 => Figure::FullGlobe,
            Some((at, angle)) => {
                // A little more, so that rounding leaves nothing outside.
                let (sin, cos) = (angle.to_radians() * (1.0 + 1e-9)).sin_cos();
                let map = Map::new(globe.direction(at));
                let around = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]];
                let point = |side: Flat| {
                    let [x, y] = globe.position(map.direction(side.map(|side| side * sin / cos)));
                    Position::new(x, y)
                };
                Figure::CurvePolygon(vec![Curve::Arcs(around.map(point).to_vec())])
            }
        };
        self.of_valid(figure, work)
    }

    /// `STCentroid` of geometry; `None` unless it is an area.
    pub fn centroid(&self, work: &Work<'_>) -> Result<Option<Shape>> {
        self.check_valid()?;
        let is_area =
            matches!(self.kind(), Kind::Polygon | Kind::CurvePolygon | Kind::MultiPolygon);
        let mut polygons = Vec::new();
        if !is_area || self.is_empty() {
            return Ok(None);
        }
        self.figure.each_simple(&mut |figure| {
            let area = polygon(&Chart::Plane, figure, work)?;
            work.push(&mut polygons, area.rings)
        })?;
        // Relative to a vertex, so that large coordinates cost no digits.
        let start = polygons.iter().flatten().flatten().map(|vertex| vertex.at).next();
        let Some(start) = start else { return Ok(None) };
        let (mut area, mut sum) = (0.0, [0.0; 2]);
        for (index, ring) in polygons.iter().flat_map(|rings| rings.iter().enumerate()) {
            let (mut of_ring, mut moment) = (0.0, [0.0; 2]);
            for pair in ring.windows(2) {
                work.step(1)?;
                let [a, b] = [0, 1].map(|at| {
                    let at: Flat = pair[at].at;
                    [at[0] - start[0], at[1] - start[1]]
                });
                let double = a[0] * b[1] - b[0] * a[1];
                of_ring += double;
                moment[0] += (a[0] + b[0]) * double;
                moment[1] += (a[1] + b[1]) * double;
            }
            let sign = if (of_ring < 0.0) == (index == 0) { -1.0 } else { 1.0 };
            area += sign * of_ring;
            sum = [sum[0] + sign * moment[0], sum[1] + sign * moment[1]];
        }
        let at = [start[0] + sum[0] / (3.0 * area), start[1] + sum[1] / (3.0 * area)];
        match at.iter().all(|value| value.is_finite()) {
            true => Ok(Some(self.part_point(Some(&Position::new(at[0], at[1]))))),
            false => Err(Fault::NotFinite.into()),
        }
    }

    /// The straight pieces of a shape in the plane, and its points.
    pub(crate) fn flat_pieces(&self, work: &Work<'_>) -> Result<Vec<Piece<Flat>>> {
        let mut pieces = Vec::new();
        let layer = Chart::Plane.layer(&self.figure, work)?;
        for line in layer.lines.iter().chain(&layer.rings) {
            for pair in line.windows(2) {
                work.push(&mut pieces, [pair[0].at, pair[1].at])?;
            }
        }
        for point in &layer.points {
            work.push(&mut pieces, [point.at, point.at])?;
        }
        Ok(pieces)
    }

    /// The edges of a geography and its points, as directions.
    pub(crate) fn arcs(&self, globe: &Globe, work: &Work<'_>) -> Result<Vec<Piece<Point3>>> {
        let mut pieces: Vec<Piece<Point3>> = Vec::new();
        self.figure.each_simple(&mut |figure| match figure {
            Figure::Point(Some(at)) => {
                let at = globe.direction(flat(at));
                work.push(&mut pieces, [at, at])
            }
            _ => Ok(()),
        })?;
        let step = std::f64::consts::TAU / CIRCLE_LINES;
        self.each_curve(&mut |curve| {
            let points = flatten(curve, Some(globe), &|_| step, work)?;
            for pair in points.windows(2) {
                let ends = [globe.direction(flat(&pair[0])), globe.direction(flat(&pair[1]))];
                let angle = dot(ends[0], ends[1]).clamp(-1.0, 1.0).acos();
                let count = (angle / PIECE).ceil().clamp(1.0, 64.0) as u32;
                let at = |index: u32| match index {
                    0 => ends[0],
                    index if index == count => ends[1],
                    index => between(ends, f64::from(index) / f64::from(count)),
                };
                for index in 0..count {
                    work.push(&mut pieces, [at(index), at(index + 1)])?;
                }
            }
            Ok(())
        })?;
        Ok(pieces)
    }

    /// The two nearest places of shapes in the plane that do not meet.
    fn nearest_flat(&self, other: &Shape, work: &Work<'_>) -> Result<Option<(f64, [Flat; 2])>> {
        let (own, others) = (self.flat_pieces(work)?, other.flat_pieces(work)?);
        let tree = |pieces: &[Piece<Flat>]| {
            let boxes: Vec<Bounds<2>> = pieces.iter().map(|piece| Bounds::of(piece)).collect();
            Tree::new(&boxes, work)
        };
        let trees = (&tree(&own)?, &tree(&others)?);
        least_of_pairs(trees, work, |a, b, _| Ok(Some(nearest_of_lines(own[a], others[b]))))
    }

    /// The distance of two geographies that do not meet, and their nearest places.
    fn nearest_on_globe(&self, other: &Shape, work: &Work<'_>) -> Result<Option<(f64, [Flat; 2])>> {
        let globe = Globe::of(self)?;
        let (own, others) = (self.arcs(&globe, work)?, other.arcs(&globe, work)?);
        // A chord through the ellipsoid is shorter than the way on its surface. An edge bulges over
        // the chord of its ends.
        let bounds = |piece: &Piece<Point3>| {
            let chord = norm(minus(piece[0], piece[1]));
            let ends = piece.map(|end| globe.surface(end));
            Bounds::of(&ends).widen(globe.radius() * chord * chord / 7.0)
        };
        let tree = |pieces: &[Piece<Point3>]| {
            let boxes: Vec<Bounds<3>> = pieces.iter().map(bounds).collect();
            Tree::new(&boxes, work)
        };
        let trees = (&tree(&own)?, &tree(&others)?);
        least_of_pairs(trees, work, |a, b, limit| {
            let (from, to) = nearest(own[a], others[b]);
            let chord = norm(minus(globe.surface(from), globe.surface(to)));
            if chord * SPHERE_SHARE > limit {
                return Ok(None);
            }
            work.step(64)?;
            let ends = [globe.position(from), globe.position(to)];
            Ok(Some((globe.distance(ends[0], ends[1]), ends)))
        })
    }

    /// Whether a point of the plane lies in an area with straight lines. `None` if it is so near to
    /// the boundary that only an arrangement can tell.
    pub(crate) fn holds_point(&self, point: &Shape, work: &Work<'_>) -> Result<Option<bool>> {
        let (Figure::Polygon(rings), Figure::Point(Some(at))) = (&self.figure, &point.figure)
        else {
            return Ok(None);
        };
        if self.space != Space::Planar {
            return Ok(None);
        }
        let at = flat(at);
        let mut is_inside = false;
        for ring in rings {
            work.step(ring.len())?;
            for pair in ring.windows(2) {
                let (a, b) = (flat(&pair[0]), flat(&pair[1]));
                let size = [a, b, at]
                    .as_flattened()
                    .iter()
                    .fold(0.0, |size: f64, value| size.max(value.abs()));
                let margin = NEAR * size;
                let is_beside = |axis: usize| {
                    at[axis] < a[axis].min(b[axis]) - margin
                        || at[axis] > a[axis].max(b[axis]) + margin
                };
                // What is above, below or to the left of an edge is not met by a ray to the right.
                if is_beside(1) || at[0] > a[0].max(b[0]) + margin {
                    continue;
                }
                let cross = (b[0] - a[0]) * (at[1] - a[1]) - (b[1] - a[1]) * (at[0] - a[0]);
                let length = (b[0] - a[0]).abs().max((b[1] - a[1]).abs());
                // An infinite product tells nothing.
                let is_apart = cross.abs() > margin * length && cross.is_finite();
                if !(is_beside(0) || is_apart) {
                    return Ok(None);
                }
                if (a[1] > at[1]) != (b[1] > at[1]) {
                    let is_right = is_beside(0) || (cross > 0.0) == (b[1] > a[1]);
                    is_inside ^= is_right;
                }
            }
        }
        Ok(Some(is_inside))
    }

    fn nearest(&self, other: &Shape, work: &Work<'_>) -> Result<Option<(f64, [Flat; 2])>> {
        match self.space {
            Space::Planar => self.nearest_flat(other, work),
            Space::Geographic => self.nearest_on_globe(other, work),
        }
    }

    /// `STDistance`: in units of the plane, or of the SRID; `None` where one of the shapes is
    /// empty.
    pub fn distance(&self, other: &Shape, work: &Work<'_>) -> Result<Option<f64>> {
        self.check_both(other)?;
        if self.is_empty() || other.is_empty() {
            return Ok(None);
        }
        if let (Figure::Point(Some(a)), Figure::Point(Some(b))) = (&self.figure, &other.figure) {
            return Ok(Some(match self.space {
                Space::Planar => (a.x - b.x).hypot(a.y - b.y),
                Space::Geographic => Globe::of(self)?.distance(flat(a), flat(b)),
            }));
        }
        let has_area = self.figure.has_area() || other.figure.has_area();
        if has_area && self.intersects(other, work)? {
            return Ok(Some(0.0));
        }
        Ok(self.nearest(other, work)?.map(|(distance, _)| distance))
    }

    /// `ShortestLineTo`; an empty LineString where one of the shapes is empty or they meet.
    pub fn shortest_line_to(&self, other: &Shape, work: &Work<'_>) -> Result<Shape> {
        self.check_both(other)?;
        let none = Figure::empty(Kind::LineString);
        if self.is_empty() || other.is_empty() || self.intersects(other, work)? {
            return self.of_valid(none, work);
        }
        let figure = match self.nearest(other, work)? {
            Some((distance, [from, to])) if distance > 0.0 => {
                let at = |at: Flat| Position::new(at[0], at[1]);
                Figure::Curve(Curve::Line(vec![at(from), at(to)]))
            }
            _ => none,
        };
        self.of_valid(figure, work)
    }

    /// Whether two geographies have a place in common, whatever their extent: edges that meet, or a
    /// vertex of one in an area of the other one.
    pub(crate) fn meets_on_globe(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        if self.figure.has_area() || other.figure.has_area() {
            for (area, inside) in [(self, other), (other, self)] {
                if area.holds_any_of(inside, work)? {
                    return Ok(true);
                }
            }
        }
        Ok(self.nearest_on_globe(other, work)?.is_some_and(|(distance, _)| distance < TOUCHING))
    }

    /// Whether a geography lies in an area, whatever the extent of both. `None` if their boundaries
    /// meet, which says nothing.
    pub(crate) fn is_within_on_globe(&self, area: &Shape, work: &Work<'_>) -> Result<Option<bool>> {
        if matches!(area.figure, Figure::FullGlobe) {
            return Ok(Some(!self.is_empty()));
        }
        if !area.figure.has_area() || area.figure.kind() == Kind::GeometryCollection {
            return Ok(None);
        }
        if self.nearest_on_globe(area, work)?.is_none_or(|(distance, _)| distance < TOUCHING) {
            return Ok(None);
        }
        // Each part is inside or outside as a whole, unless it goes around a boundary of the area.
        let globe = Globe::of(self)?;
        let polygons = area.ring_paths(&globe, work)?;
        for place in self.starts(&globe, work)? {
            let mut is_held = false;
            for rings in &polygons {
                is_held |= is_inside(rings, place, work)?;
            }
            if !is_held {
                return Ok(Some(false));
            }
        }
        Ok(Some(!self.figure.has_area() || !self.holds_any_of(area, work)?))
    }

    /// The first position of each line, ring and point of a geography.
    fn starts(&self, globe: &Globe, work: &Work<'_>) -> Result<Vec<Point3>> {
        let mut starts = Vec::new();
        self.figure.each_simple(&mut |figure| match figure {
            Figure::Point(Some(at)) => work.push(&mut starts, globe.direction(flat(at))),
            Figure::Curve(curve) => match curve.first() {
                Some(at) => work.push(&mut starts, globe.direction(flat(at))),
                None => Ok(()),
            },
            figure => rings_of(figure)
                .iter()
                .filter_map(Curve::first)
                .try_for_each(|at| work.push(&mut starts, globe.direction(flat(at)))),
        })?;
        Ok(starts)
    }

    /// Whether the start of a part of another shape lies in an area of this one.
    fn holds_any_of(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        let globe = Globe::of(self)?;
        let places = other.starts(&globe, work)?;
        if matches!(self.figure, Figure::FullGlobe) {
            return Ok(!other.is_empty());
        }
        for rings in self.ring_paths(&globe, work)? {
            for &place in &places {
                if is_inside(&rings, place, work)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The rings of each polygon of a geography, as directions.
    pub(crate) fn ring_paths(
        &self,
        globe: &Globe,
        work: &Work<'_>,
    ) -> Result<Vec<Vec<Vec<Point3>>>> {
        let mut polygons = Vec::new();
        let step = std::f64::consts::TAU / CIRCLE_LINES;
        self.figure.each_simple(&mut |figure| {
            let mut paths = Vec::new();
            for ring in &rings_of(figure) {
                let points = flatten(ring, Some(globe), &|_| step, work)?;
                let mut path = Vec::new();
                for at in &points {
                    work.push(&mut path, globe.direction(flat(at)))?;
                }
                work.push(&mut paths, path)?;
            }
            match paths.is_empty() {
                true => Ok(()),
                false => work.push(&mut polygons, paths),
            }
        })?;
        Ok(polygons)
    }
}

/// Whether a direction is to the left of rings: the nearest edge tells.
pub(crate) fn is_inside(rings: &[Vec<Point3>], at: Point3, work: &Work<'_>) -> Result<bool> {
    let mut best: (f64, f64) = (f64::INFINITY, 0.0);
    for ring in rings {
        for (index, edge) in ring.windows(2).enumerate() {
            work.step(1)?;
            let near = crate::globe::nearest_on([edge[0], edge[1]], at);
            let distance = norm(minus(near, at));
            let side = dot(crate::arc::cross(edge[0], edge[1]), at);
            // Where the nearest place is a vertex, both edges there decide: the point is inside a
            // corner that turns left if it is to the left of both, otherwise of one of them.
            let is_vertex = norm(minus(near, edge[1])) == 0.0;
            let side = match is_vertex {
                true => {
                    let last = ring.len() - 1;
                    let after = ring[if index + 2 > last { 1 } else { index + 2 }];
                    let next = dot(crate::arc::cross(edge[1], after), at);
                    let turn = dot(crate::arc::cross(edge[0], edge[1]), after);
                    if turn > 0.0 { side.min(next) } else { side.max(next) }
                }
                false => side,
            };
            let is_start = norm(minus(near, edge[0])) == 0.0;
            if distance < best.0 && !is_start || distance == 0.0 {
                best = (distance, side);
            }
        }
    }
    Ok(best.0 == 0.0 || best.1 > 0.0)
}

/// The area to the left of a polygon's rings.
fn area_on(globe: &Globe, rings: &[Curve], work: &Work<'_>) -> Result<f64> {
    let step = std::f64::consts::TAU / CIRCLE_LINES;
    let mut area = 0.0;
    for ring in rings {
        let points = flatten(ring, Some(globe), &|_| step, work)?;
        work.step(64 * points.len())?;
        let len = points.len().saturating_sub(1);
        area += globe.ring_area(points.iter().take(len).map(flat));
    }
    Ok(if area < 0.0 { area + globe.whole_area() } else { area })
}

/// A direction between two others, at a share of the angle between them.
fn between(ends: [Point3; 2], share: f64) -> Point3 {
    let angle = dot(ends[0], ends[1]).clamp(-1.0, 1.0).acos();
    let sin = angle.sin();
    if sin == 0.0 {
        return ends[0];
    }
    let (a, b) = (((1.0 - share) * angle).sin() / sin, (share * angle).sin() / sin);
    crate::arc::unit(crate::arc::plus(times(ends[0], a), times(ends[1], b)))
}

/// The nearest places of two straight lines, and their distance.
fn nearest_of_lines(a: Piece<Flat>, b: Piece<Flat>) -> (f64, [Flat; 2]) {
    let mut best = (f64::INFINITY, [a[0], b[0]]);
    let mut offer = |from: Flat, to: Flat| {
        let distance = (from[0] - to[0]).hypot(from[1] - to[1]);
        if distance < best.0 || best.0.is_infinite() {
            best = (distance, [from, to]);
        }
    };
    if let Some(at) = crossing(a, b) {
        offer(at, at);
    }
    for end in a {
        offer(end, nearest_on_line(b, end));
    }
    for end in b {
        offer(nearest_on_line(a, end), end);
    }
    best
}

fn crossing(a: Piece<Flat>, b: Piece<Flat>) -> Option<Flat> {
    let cross = |from: Flat, to: Flat, at: Flat| {
        (to[0] - from[0]) * (at[1] - from[1]) - (to[1] - from[1]) * (at[0] - from[0])
    };
    let (first, second) = (cross(a[0], a[1], b[0]), cross(a[0], a[1], b[1]));
    let (third, fourth) = (cross(b[0], b[1], a[0]), cross(b[0], b[1], a[1]));
    if first * second >= 0.0 || third * fourth >= 0.0 {
        return None;
    }
    let share = first / (first - second);
    Some([b[0][0] + (b[1][0] - b[0][0]) * share, b[0][1] + (b[1][1] - b[0][1]) * share])
}

fn nearest_on_line(line: Piece<Flat>, at: Flat) -> Flat {
    let (ahead, there) = (
        [line[1][0] - line[0][0], line[1][1] - line[0][1]],
        [at[0] - line[0][0], at[1] - line[0][1]],
    );
    let length = ahead[0].hypot(ahead[1]);
    if !(length > 0.0 && length.is_finite()) {
        return line[0];
    }
    let unit = [ahead[0] / length, ahead[1] / length];
    let along = (unit[0] * there[0] + unit[1] * there[1]) / length;
    match along {
        along if along <= 0.0 => line[0],
        along if along >= 1.0 => line[1],
        along => [line[0][0] + ahead[0] * along, line[0][1] + ahead[1] * along],
    }
}
