//! Shapes as layers of a plane: the plane itself, or a map of the globe.

use crate::arc::{Arc, Point3};
use crate::error::{Fault, Result};
use crate::globe::{Globe, Map, middle};
use crate::plane::{Arrangement, Fill, Flat, Layer, Traced, Vertex, select};
use crate::shape::{Curve, Figure, Kind, Position, Shape, Space};
use crate::work::Work;

/// Straight lines for a whole circle, where arcs are approximated.
pub(crate) const CIRCLE_LINES: f64 = 512.0;

/// To what a map's coordinates are known: several times the error of projecting a position, and
/// some nanometers on the ground.
const MAP_UNIT: f64 = 3.0e-15;

/// Where shapes lie in a plane.
pub(crate) enum Chart {
    /// Their coordinates are those of the plane.
    Plane,
    /// A map of the globe.
    Map(Box<Globe>, Map),
}

impl Chart {
    /// A chart that all of some shapes are on. `None` if there is no such map.
    pub fn find(shapes: &[&Shape], work: &Work<'_>) -> Result<Option<Chart>> {
        let Some(first) = shapes.first().filter(|shape| shape.space == Space::Geographic) else {
            return Ok(Some(Chart::Plane));
        };
        let globe = Globe::of(first)?;
        let mut directions: Vec<Point3> = Vec::new();
        for shape in shapes {
            shape.figure.each_position(&mut |at| {
                work.push(&mut directions, globe.direction([at.x, at.y]))
            })?;
        }
        work.step(directions.len())?;
        let map = middle(&directions).map(Map::around);
        Ok(map.map(|map| Chart::Map(Box::new(globe), map)))
    }

    /// As [`Chart::find`]; an error if there is none.
    pub fn of(shapes: &[&Shape], work: &Work<'_>) -> Result<Chart> {
        Chart::find(shapes, work)?.ok_or_else(|| Fault::Hemisphere.into())
    }

    /// To what coordinates are known.
    pub fn unit_min(&self) -> f64 {
        match self {
            Chart::Plane => 0.0,
            Chart::Map(..) => MAP_UNIT,
        }
    }

    /// The own coordinates of a place.
    pub fn own(&self, place: Flat) -> Flat {
        match self {
            Chart::Plane => place,
            Chart::Map(globe, map) => globe.position(map.direction(place)),
        }
    }

    /// Where a position is.
    pub fn vertex(&self, own: Flat) -> Result<Vertex> {
        let at = match self {
            Chart::Plane => own,
            Chart::Map(globe, map) => map.place(globe.direction(own)).ok_or(Fault::Hemisphere)?,
        };
        Ok(Vertex { at, own })
    }

    fn vertices(&self, points: &[Position], work: &Work<'_>) -> Result<Vec<Vertex>> {
        let mut vertices = Vec::new();
        for at in points {
            let vertex = self.vertex([at.x, at.y])?;
            work.push(&mut vertices, vertex)?;
        }
        Ok(vertices)
    }

    /// A curve as straight lines.
    pub fn path(&self, curve: &Curve, work: &Work<'_>) -> Result<Vec<Vertex>> {
        if let Curve::Line(points) = curve {
            return self.vertices(points, work);
        }
        let globe = match self {
            Chart::Plane => None,
            Chart::Map(globe, _) => Some(&**globe),
        };
        let step = std::f64::consts::TAU / CIRCLE_LINES;
        let mut vertices = Vec::new();
        for own in flatten(curve, globe, &|_| step, work)? {
            let vertex = self.vertex([own.x, own.y])?;
            work.push(&mut vertices, vertex)?;
        }
        Ok(vertices)
    }

    /// A figure as a layer. Areas of a collection that overlap are joined.
    pub fn layer(&self, figure: &Figure, work: &Work<'_>) -> Result<Layer> {
        let mut collector = Collector { chart: self, work, layer: Layer::default(), areas: vec![] };
        collector.figure(figure)?;
        let Collector { mut layer, areas, .. } = collector;
        if areas.len() <= 1 {
            for area in areas {
                area.add_to(&mut layer);
            }
            return Ok(layer);
        }
        let joined = self.join(areas, work)?;
        joined.add_to(&mut layer);
        Ok(layer)
    }

    /// The union of areas.
    pub fn join(&self, mut areas: Vec<Area>, work: &Work<'_>) -> Result<Area> {
        while areas.len() > 1 {
            let mut next = Vec::with_capacity(areas.len().div_ceil(2));
            let mut rest = areas.into_iter();
            while let Some(first) = rest.next() {
                next.push(match rest.next() {
                    Some(second) => self.join_two(first, second, work)?,
                    None => first,
                });
            }
            areas = next;
        }
        Ok(areas.pop().unwrap_or_default())
    }

    fn join_two(&self, first: Area, second: Area, work: &Work<'_>) -> Result<Area> {
        let layers = [first, second].map(|area| {
            let mut layer = Layer::default();
            area.add_to(&mut layer);
            layer
        });
        let arrangement =
            Arrangement::new(&[&layers[0], &layers[1]], Fill::Parity, self.unit_min(), work)?;
        let traced = select(&arrangement, |a, b| a || b, &|place| self.own(place), work)?;
        self.area(&traced, work)
    }

    /// What was traced as an area.
    pub fn area(&self, traced: &Traced, work: &Work<'_>) -> Result<Area> {
        let mut area = Area::default();
        for (covers_outside, rings) in &traced.polygons {
            area.covers_outside |= covers_outside;
            for ring in rings {
                let mut vertices = Vec::new();
                for &own in ring {
                    let vertex = self.vertex(own)?;
                    work.push(&mut vertices, vertex)?;
                }
                area.rings.push(vertices);
            }
        }
        Ok(area)
    }

    /// An arrangement of figures' layers, one or two.
    pub fn arrange(&self, figures: &[&Figure], work: &Work<'_>) -> Result<Arrangement> {
        let mut layers = Vec::with_capacity(2);
        for figure in figures {
            layers.push(self.layer(figure, work)?);
        }
        let layers: Vec<&Layer> = layers.iter().collect();
        Arrangement::new(&layers, Fill::Parity, self.unit_min(), work)
    }

    /// The part of an arrangement that an operation chooses, as a figure.
    pub fn choose(
        &self,
        arrangement: &Arrangement,
        choose: impl Fn(bool, bool) -> bool,
        work: &Work<'_>,
    ) -> Result<Figure> {
        let traced = select(arrangement, choose, &|place| self.own(place), work)?;
        figure_of(traced, work)
    }
}

/// An area: rings, and whether what is outside all of them is inside.
#[derive(Default, Debug)]
pub(crate) struct Area {
    pub rings: Vec<Vec<Vertex>>,
    pub covers_outside: bool,
}

impl Area {
    /// Makes the area part of a layer that has no other.
    pub fn add_to(self, layer: &mut Layer) {
        layer.rings.extend(self.rings);
        layer.covers_outside ^= self.covers_outside;
    }
}

struct Collector<'c> {
    chart: &'c Chart,
    work: &'c Work<'c>,
    layer: Layer,
    /// Areas that may overlap each other.
    areas: Vec<Area>,
}

impl Collector<'_> {
    fn figure(&mut self, figure: &Figure) -> Result<()> {
        match figure {
            Figure::Point(None) => {}
            Figure::Point(Some(at)) => {
                let vertex = self.chart.vertex([at.x, at.y])?;
                self.work.push(&mut self.layer.points, vertex)?;
            }
            Figure::Curve(curve) if curve.is_empty() => {}
            Figure::Curve(curve) => {
                let path = self.chart.path(curve, self.work)?;
                self.work.push(&mut self.layer.lines, path)?;
            }
            Figure::Collection(Kind::MultiPolygon, members) => {
                let mut whole = Area::default();
                for member in members.iter().filter(|member| !member.is_empty()) {
                    let area = polygon(self.chart, member, self.work)?;
                    whole.rings.extend(area.rings);
                    whole.covers_outside ^= area.covers_outside;
                }
                if !members.iter().all(Figure::is_empty) {
                    self.areas.push(whole);
                }
            }
            Figure::Collection(_, members) => {
                for member in members {
                    self.figure(member)?;
                }
            }
            area if area.is_empty() => {}
            area => {
                let area = polygon(self.chart, area, self.work)?;
                self.work.push(&mut self.areas, area)?;
            }
        }
        Ok(())
    }
}

/// A polygon as an area.
pub(crate) fn polygon(chart: &Chart, figure: &Figure, work: &Work<'_>) -> Result<Area> {
    let mut rings = Vec::new();
    match figure {
        Figure::Polygon(lines) => {
            for line in lines {
                let ring = chart.vertices(line, work)?;
                work.push(&mut rings, ring)?;
            }
        }
        Figure::CurvePolygon(curves) => {
            for curve in curves {
                let ring = chart.path(curve, work)?;
                work.push(&mut rings, ring)?;
            }
        }
        Figure::FullGlobe => return Ok(Area { rings, covers_outside: true }),
        _ => {}
    }
    let covers_outside = matches!(chart, Chart::Map(..)) && surrounds(&rings);
    Ok(Area { rings, covers_outside })
}

/// Whether what is outside all rings is to the left of them.
fn surrounds(rings: &[Vec<Vertex>]) -> bool {
    let lowest =
        |ring: &[Vertex]| ring.iter().map(|vertex| vertex.at).min_by(|a, b| a[0].total_cmp(&b[0]));
    let outermost = rings.iter().min_by(|a, b| {
        let low = |ring: &[Vertex]| lowest(ring).map_or(f64::INFINITY, |at| at[0]);
        low(a).total_cmp(&low(b))
    });
    outermost.is_some_and(|ring| signed_area(ring.iter().map(|vertex| vertex.at)) < 0.0)
}

/// The area of a closed ring in the plane, positive if it goes around to the left.
pub(crate) fn signed_area(mut ring: impl Iterator<Item = Flat>) -> f64 {
    let Some(start) = ring.next() else { return 0.0 };
    let offset = |at: Flat| [at[0] - start[0], at[1] - start[1]];
    let mut last = [0.0; 2];
    let mut double = 0.0;
    for at in ring {
        let at = offset(at);
        double += last[0] * at[1] - last[1] * at[0];
        last = at;
    }
    double / 2.0
}

/// The positions of a curve whose arcs become straight lines: `step` gives the angle for each.
pub(crate) fn flatten(
    curve: &Curve,
    globe: Option<&Globe>,
    step: &dyn Fn(&Arc) -> f64,
    work: &Work<'_>,
) -> Result<Vec<Position>> {
    let mut out: Vec<Position> = Vec::new();
    let mut lines = |points: &[Position]| {
        let skip = usize::from(out.last().is_some());
        points.iter().skip(skip).try_for_each(|at| work.push(&mut out, *at))
    };
    let parts = match curve {
        Curve::Line(points) => {
            lines(points)?;
            return Ok(out);
        }
        Curve::Arcs(points) => {
            flatten_arcs(points, globe, step, &mut out, work)?;
            return Ok(out);
        }
        Curve::Compound(parts) => parts,
    };
    for part in parts {
        match part.is_arc {
            true => flatten_arcs(&part.points, globe, step, &mut out, work)?,
            false => {
                let skip = usize::from(!out.is_empty());
                for at in part.points.iter().skip(skip) {
                    work.push(&mut out, *at)?;
                }
            }
        }
    }
    Ok(out)
}

fn flatten_arcs(
    points: &[Position],
    globe: Option<&Globe>,
    step: &dyn Fn(&Arc) -> f64,
    out: &mut Vec<Position>,
    work: &Work<'_>,
) -> Result<()> {
    if let (true, Some(first)) = (out.is_empty(), points.first()) {
        work.push(out, *first)?;
    }
    for three in points.windows(3).step_by(2) {
        let space = |at: &Position| match globe {
            None => [at.x, at.y, 0.0],
            Some(globe) => globe.direction([at.x, at.y]),
        };
        let arc = Arc::new(space(&three[0]), space(&three[1]), space(&three[2]));
        let Some(arc) = arc else {
            work.push(out, three[1])?;
            work.push(out, three[2])?;
            continue;
        };
        for place in arc.between(step(&arc)) {
            let at = match (place, globe) {
                (None, _) => three[1],
                (Some([x, y, _]), None) => Position { z: three[0].z, ..Position::new(x, y) },
                (Some(place), Some(globe)) => {
                    let [x, y] = globe.position(place);
                    Position { z: three[0].z, ..Position::new(x, y) }
                }
            };
            work.push(out, at)?;
        }
        work.push(out, three[2])?;
    }
    Ok(())
}

/// The figure of what was traced: polygons from the last one to the first one by their lowest
/// vertex.
pub(crate) fn figure_of(traced: Traced, work: &Work<'_>) -> Result<Figure> {
    let position = |at: Flat| match at.iter().all(|value| value.is_finite()) {
        true => Ok(Position::new(at[0], at[1])),
        false => Err(Fault::NotFinite),
    };
    let positions = |places: Vec<Flat>| -> Result<Vec<Position>> {
        work.step(places.len())?;
        Ok(places.into_iter().map(position).collect::<std::result::Result<_, _>>()?)
    };
    let mut polygons = traced.polygons;
    if let [(true, rings)] = polygons.as_slice() {
        if rings.is_empty() {
            return Ok(Figure::FullGlobe);
        }
    }
    let start = |polygon: &(bool, Vec<Vec<Flat>>)| {
        let first = polygon.1.first().and_then(|ring| ring.first());
        first.map_or([0.0; 2], |at| [at[1], at[0]])
    };
    polygons.sort_by(|a, b| {
        let (a, b) = (start(a), start(b));
        b[0].total_cmp(&a[0]).then(b[1].total_cmp(&a[1]))
    });
    let mut areas = Vec::new();
    for (_, rings) in polygons {
        let mut made = Vec::with_capacity(rings.len());
        for ring in rings {
            made.push(positions(ring)?);
        }
        work.push(&mut areas, Figure::Polygon(made))?;
    }
    let mut lines = Vec::new();
    for line in traced.lines {
        work.push(&mut lines, Figure::Curve(Curve::Line(positions(line)?)))?;
    }
    let mut points = Vec::new();
    for point in traced.points {
        work.push(&mut points, Figure::Point(Some(position(point)?)))?;
    }
    Ok(collect([
        (Kind::MultiPoint, points),
        (Kind::MultiLineString, lines),
        (Kind::MultiPolygon, areas),
    ]))
}

/// One figure of all that are there.
fn collect(groups: [(Kind, Vec<Figure>); 3]) -> Figure {
    let mut groups = groups.into_iter().filter(|(_, members)| !members.is_empty());
    let Some((kind, mut members)) = groups.next() else {
        return Figure::empty(Kind::GeometryCollection);
    };
    let mut others = groups.peekable();
    if others.peek().is_none() {
        return match members.len() {
            1 => members.remove(0),
            _ => Figure::Collection(kind, members),
        };
    }
    members.extend(others.flat_map(|(_, members)| members));
    Figure::Collection(Kind::GeometryCollection, members)
}
