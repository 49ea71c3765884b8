//! Whether shapes are valid, and lines simple.
//!
//! The rings of a polygon are divided where they meet. They are valid if no two run along each
//! other or cross, and the area that they leave is one piece: so no hole lies outside, within
//! another one, or cuts the area in two. Lines are valid if they do not run along themselves.

use crate::error::Result;
use crate::layers::{Area, Chart, polygon};
use crate::plane::{Arrangement, Fill, Layer, Node, select, side};
use crate::relate::is_too_large;
use crate::shape::{Curve, Figure, Kind, Shape, Space};
use crate::work::Work;

/// Why a shape is not valid. Curves and rings are counted from 1 over the whole shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flaw {
    /// 24404: a ring that crosses itself or another one.
    Crosses(usize),
    /// 24406: a curve that is one point.
    Point(usize),
    /// 24409: part of a ring lies in the interior of a polygon.
    Inside(usize),
    /// 24410: the first ring is not the exterior one.
    NotExterior(usize),
    /// 24412: the interior is not connected.
    Divided(usize, usize),
    /// 24413: a curve that runs along itself.
    Overlaps(usize),
    /// 24414: a curve that runs along another one.
    OverlapsOther(usize, usize),
    /// 24415: rings that go around different areas.
    Rings,
}

impl std::fmt::Display for Flaw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Flaw::Crosses(ring) => write!(
                f,
                "24404: Not valid because polygon ring ({ring}) intersects itself or some other \
                 ring."
            ),
            Flaw::Point(curve) => {
                write!(f, "24406: Not valid because curve ({curve}) degenerates to a point.")
            }
            Flaw::Inside(ring) => write!(
                f,
                "24409: Not valid because some portion of polygon ring ({ring}) lies in the \
                 interior of a polygon."
            ),
            Flaw::NotExterior(ring) => write!(
                f,
                "24410: Not valid because ring ({ring}) is the first ring in a polygon of which it \
                 is not the exterior ring."
            ),
            Flaw::Divided(one, other) => write!(
                f,
                "24412: Not valid because the interior of a polygon with rings ({one}) and \
                 ({other}) is not connected."
            ),
            Flaw::Overlaps(curve) => {
                write!(f, "24413: Not valid because of two overlapping edges in curve ({curve}).")
            }
            Flaw::OverlapsOther(one, other) => write!(
                f,
                "24414: Not valid because an edge of curve ({one}) overlaps an edge of curve \
                 ({other})."
            ),
            Flaw::Rings => {
                f.write_str("24415: Not valid because some polygon has an invalid ring structure.")
            }
        }
    }
}

impl Shape {
    /// `IsValidDetailed`.
    pub fn valid_detail(&self, work: &Work<'_>) -> Result<String> {
        Ok(match self.flaw(work)? {
            None => "24400: Valid".to_string(),
            Some(flaw) => flaw.to_string(),
        })
    }

    /// Why the shape is not valid, if it is not. Of a geography that is on no map as a whole, only
    /// its parts are looked at.
    pub(crate) fn flaw(&self, work: &Work<'_>) -> Result<Option<Flaw>> {
        let mut inspector = Inspector { shape: self, work, curves: 0 };
        inspector.figure(&self.figure)
    }

    /// `STIsSimple`.
    pub fn is_simple(&self, work: &Work<'_>) -> Result<bool> {
        self.check_valid()?;
        let chart = Chart::of(&[self], work)?;
        is_simple(&chart, &self.figure, work)
    }
}

struct Inspector<'i> {
    shape: &'i Shape,
    work: &'i Work<'i>,
    /// Curves and rings before the next one.
    curves: usize,
}

impl Inspector<'_> {
    fn figure(&mut self, figure: &Figure) -> Result<Option<Flaw>> {
        let before = self.curves;
        self.curves += curves_of(figure);
        match figure {
            Figure::Point(_) | Figure::FullGlobe => Ok(None),
            Figure::Curve(curve) => self.lines(&[curve], before),
            Figure::Polygon(_) | Figure::CurvePolygon(_) => self.polygons(&[figure], before),
            Figure::Collection(Kind::MultiPoint, _) => Ok(None),
            Figure::Collection(kind, members) => {
                self.curves = before;
                for member in members {
                    self.work.step(1)?;
                    if let Some(flaw) = self.figure(member)? {
                        return Ok(Some(flaw));
                    }
                }
                match kind {
                    Kind::MultiLineString if members.len() > 1 => {
                        let curve = |member: &'_ Figure| match member {
                            Figure::Curve(curve) => Some(curve.clone()),
                            _ => None,
                        };
                        let curves: Vec<Curve> = members.iter().filter_map(curve).collect();
                        let curves: Vec<&Curve> = curves.iter().collect();
                        self.lines(&curves, before)
                    }
                    Kind::MultiPolygon if members.len() > 1 => {
                        let members: Vec<&Figure> = members.iter().collect();
                        self.polygons(&members, before)
                    }
                    _ => Ok(None),
                }
            }
        }
    }

    /// A chart for some figures of the shape; `None` if they are too large for one.
    fn chart(&self, figures: &[&Figure]) -> Result<Option<Chart>> {
        if self.shape.space == Space::Planar {
            return Ok(Some(Chart::Plane));
        }
        let shape = |figure: &&Figure| Shape {
            figure: (*figure).clone(),
            is_valid: true,
            is_large: false,
            ..*self.shape
        };
        let shapes: Vec<Shape> = figures.iter().map(shape).collect();
        let shapes: Vec<&Shape> = shapes.iter().collect();
        Chart::find(&shapes, self.work)
    }

    fn lines(&self, curves: &[&Curve], before: usize) -> Result<Option<Flaw>> {
        let work = self.work;
        let figures: Vec<Figure> =
            curves.iter().map(|curve| Figure::Curve((*curve).clone())).collect();
        let figures: Vec<&Figure> = figures.iter().collect();
        let Some(chart) = self.chart(&figures)? else { return Ok(None) };
        let mut layer = Layer::default();
        let mut numbers = Vec::new();
        for (index, curve) in curves.iter().enumerate().filter(|(_, curve)| !curve.is_empty()) {
            let path = match chart.path(curve, work) {
                Err(error) if is_too_large(&error) => return Ok(None),
                path => path?,
            };
            if let ([.., a, b], Space::Planar) = (path.as_slice(), self.shape.space) {
                if path.len() > 2 && a.at == b.at {
                    return Ok(Some(Flaw::Overlaps(before + index + 1)));
                }
            }
            work.push(&mut layer.lines, path)?;
            numbers.push(before + index + 1);
        }
        let arrangement = Arrangement::new(&[&layer], Fill::Parity, chart.unit_min(), work)?;
        let is_twice = |at: usize| arrangement.edges[at].lines[0] > 1;
        self.along(&arrangement, &numbers, is_twice)
    }

    /// The flaw of a chain without length, and of chains that run along each other.
    fn along(
        &self,
        arrangement: &Arrangement,
        numbers: &[usize],
        is_twice: impl Fn(usize) -> bool,
    ) -> Result<Option<Flaw>> {
        let number = |chain: usize| numbers.get(chain).copied().unwrap_or(1);
        for (index, chain) in arrangement.chains.iter().enumerate() {
            self.work.step(1)?;
            if chain.nodes.len() < 2 {
                return Ok(Some(Flaw::Point(number(index))));
            }
        }
        let Some(twice) = (0..arrangement.edges.len()).find(|&at| is_twice(at)) else {
            return Ok(None);
        };
        let edge = &arrangement.edges[twice];
        let mut owners = Vec::new();
        for (index, chain) in arrangement.chains.iter().enumerate() {
            for pair in chain.nodes.windows(2) {
                self.work.step(1)?;
                if pair[0].min(pair[1]) == edge.from && pair[0].max(pair[1]) == edge.to {
                    owners.push(index);
                }
            }
        }
        Ok(Some(match owners[..] {
            [one, other, ..] if one != other => Flaw::OverlapsOther(number(one), number(other)),
            [one, ..] => Flaw::Overlaps(number(one)),
            [] => Flaw::Rings,
        }))
    }

    fn polygons(&self, members: &[&Figure], before: usize) -> Result<Option<Flaw>> {
        let work = self.work;
        let Some(chart) = self.chart(members)? else { return Ok(None) };
        let mut whole = Area::default();
        let mut count = 0;
        for member in members.iter().filter(|member| !member.is_empty()) {
            let area = match polygon(&chart, member, work) {
                Err(error) if is_too_large(&error) => return Ok(None),
                area => area?,
            };
            count += 1;
            whole.covers_outside ^= area.covers_outside;
            whole.rings.extend(area.rings);
        }
        let rings = whole.rings.len();
        let numbers: Vec<usize> = (0..rings).map(|ring| before + ring + 1).collect();
        let mut layer = Layer::default();
        whole.add_to(&mut layer);
        let arrangement = Arrangement::new(&[&layer], Fill::Parity, chart.unit_min(), work)?;
        let is_twice = |at: usize| arrangement.edges[at].rings[0] > 1;
        if let Some(flaw) = self.along(&arrangement, &numbers, is_twice)? {
            return Ok(Some(flaw));
        }
        if let Some(chain) = crossing(&arrangement, work)? {
            return Ok(Some(Flaw::Crosses(numbers[chain])));
        }
        let traced = select(&arrangement, |a, _| a, &|place| place, work)?;
        if traced.polygons.len() != count {
            return Ok(Some(match rings {
                1 => Flaw::Inside(before + 1),
                _ => Flaw::Divided(before + 1, before + 2),
            }));
        }
        // The node furthest to the left is on the exterior ring.
        if self.shape.space == Space::Planar && members.len() == 1 {
            let least = |at: &usize| arrangement.chains[*at].nodes.iter().min().copied();
            let leftmost = (0..arrangement.chains.len()).min_by_key(least);
            if leftmost.is_some_and(|ring| least(&ring) != least(&0)) {
                return Ok(Some(Flaw::NotExterior(before + 1)));
            }
        }
        match self.shape.space == Space::Geographic && !arrangement.turns_left(0) {
            true => Ok(Some(Flaw::Rings)),
            false => Ok(None),
        }
    }
}

/// How many curves and rings there are in a figure.
fn curves_of(figure: &Figure) -> usize {
    match figure {
        Figure::Point(_) | Figure::FullGlobe => 0,
        Figure::Curve(_) => 1,
        Figure::Polygon(rings) => rings.len(),
        Figure::CurvePolygon(rings) => rings.len(),
        Figure::Collection(_, members) => members.iter().map(curves_of).sum(),
    }
}

/// A chain's way through a node: from one neighbour to another one.
struct Pass {
    node: u32,
    chain: usize,
    before: u32,
    after: u32,
}

/// All passes of rings, by node.
fn passes(arrangement: &Arrangement, work: &Work<'_>) -> Result<Vec<Pass>> {
    let mut passes = Vec::new();
    for (chain, each) in arrangement.chains.iter().enumerate() {
        let nodes = &each.nodes;
        let is_closed = nodes.len() > 2 && nodes.first() == nodes.last();
        for at in 1..nodes.len() {
            let after = match nodes.get(at + 1) {
                Some(&after) => after,
                None if is_closed => nodes[1],
                None => continue,
            };
            let pass = Pass { node: nodes[at], chain, before: nodes[at - 1], after };
            work.push(&mut passes, pass)?;
        }
    }
    work.step(passes.len() / 4)?;
    passes.sort_by_key(|pass| pass.node);
    Ok(passes)
}

/// A ring that crosses itself or another one in a node, if there is one. No two run along each
/// other.
fn crossing(arrangement: &Arrangement, work: &Work<'_>) -> Result<Option<usize>> {
    let passes = passes(arrangement, work)?;
    for group in passes.chunk_by(|a, b| a.node == b.node).filter(|group| group.len() > 1) {
        let center = arrangement.nodes[group[0].node as usize];
        let mut ends: Vec<(Node, usize)> = Vec::with_capacity(2 * group.len());
        for (index, pass) in group.iter().enumerate() {
            work.step(2)?;
            for neighbour in [pass.before, pass.after] {
                ends.push((arrangement.nodes[neighbour as usize], index));
            }
        }
        ends.sort_by(|a, b| {
            let is_left = |end: &(Node, usize)| end.0 < center;
            is_left(a).cmp(&is_left(b)).then_with(|| side(center, b.0, a.0).cmp(&0))
        });
        // Ways that do not cross are nested like parentheses.
        let mut open: Vec<usize> = Vec::new();
        for (_, pass) in ends {
            match open.last() == Some(&pass) {
                true => open.truncate(open.len() - 1),
                false => open.push(pass),
            }
        }
        if let Some(&pass) = open.first() {
            return Ok(Some(group[pass].chain));
        }
    }
    Ok(None)
}

/// Whether a figure does not meet itself but at the ends of its lines.
fn is_simple(chart: &Chart, figure: &Figure, work: &Work<'_>) -> Result<bool> {
    match figure {
        Figure::Collection(Kind::GeometryCollection, members) => {
            for member in members {
                if !is_simple(chart, member, work)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        figure if figure.has_area() => return Ok(true),
        _ => {}
    }
    let layer = chart.layer(figure, work)?;
    let arrangement = Arrangement::new(&[&layer], Fill::Parity, chart.unit_min(), work)?;
    let points = arrangement.facts.iter().filter(|facts| facts.points[0]).count();
    if points != layer.points.len() || arrangement.edges.iter().any(|edge| edge.lines[0] > 1) {
        return Ok(false);
    }
    let passes = passes(&arrangement, work)?;
    let mut groups = passes.chunk_by(|a, b| a.node == b.node);
    let is_once =
        |group: &[Pass]| group.len() == 1 && arrangement.facts[group[0].node as usize].ends[0] == 0;
    Ok(groups.all(is_once))
}
