//! Shapes with fewer positions, and with straight lines in place of arcs.

use crate::arc::{Arc, Point3, minus, norm};
use crate::error::{Fault, Result};
use crate::globe::{Globe, nearest_on};
use crate::layers::flatten;
use crate::plane::Flat;
use crate::shape::{Curve, Figure, Position, Shape, Space};
use crate::work::Work;

/// How far from an arc straight lines may be, as a share of its radius.
const CURVE_SHARE: f64 = 1e-3;

impl Shape {
    /// `STCurveToLine`.
    pub fn curve_to_line(&self, work: &Work<'_>) -> Result<Shape> {
        self.check_valid()?;
        self.straighten(&|_| angle_of(CURVE_SHARE), work)
    }

    /// `CurveToLineWithTolerance`. Error 24152. A relative tolerance is a share of the arc's
    /// radius.
    pub fn curve_to_line_with_tolerance(
        &self,
        tolerance: f64,
        is_relative: bool,
        work: &Work<'_>,
    ) -> Result<Shape> {
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(Fault::CurveTolerance(tolerance).into());
        }
        self.check_valid()?;
        // On the globe, radii are those of a sphere of radius 1.
        let unit = match self.space {
            Space::Planar => 1.0,
            Space::Geographic => Globe::of(self)?.radius(),
        };
        let step = |arc: &Arc| match is_relative {
            true => angle_of(tolerance),
            false => angle_of(tolerance / (arc.radius * unit)),
        };
        self.straighten(&step, work)
    }

    fn straighten(&self, step: &dyn Fn(&Arc) -> f64, work: &Work<'_>) -> Result<Shape> {
        let globe = match self.space {
            Space::Planar => None,
            Space::Geographic => Some(Globe::of(self)?),
        };
        let line = |curve: &Curve| flatten(curve, globe.as_ref(), step, work);
        let figure = map(&self.figure, &mut |figure| {
            Ok(match figure {
                Figure::Curve(curve) => Figure::Curve(Curve::Line(line(curve)?)),
                Figure::CurvePolygon(rings) => {
                    Figure::Polygon(rings.iter().map(line).collect::<Result<_>>()?)
                }
                other => other.clone(),
            })
        })?;
        self.of_valid(figure, work)
    }

    /// `Reduce`. Error 24125.
    pub fn reduce(&self, tolerance: f64, work: &Work<'_>) -> Result<Shape> {
        if !(tolerance >= 0.0 && tolerance.is_finite()) {
            return Err(Fault::ReduceTolerance(tolerance).into());
        }
        self.check_valid()?;
        let straight = match self.figure.has_curves() {
            true => &self.curve_to_line(work)?,
            false => self,
        };
        let globe = match self.space {
            Space::Planar => None,
            Space::Geographic => Some(Globe::of(self)?),
        };
        let reducer = Reducer { globe, tolerance, work };
        let figure = map(&straight.figure, &mut |figure| {
            Ok(match figure {
                Figure::Curve(Curve::Line(points)) => {
                    Figure::Curve(Curve::Line(reducer.line(points)?))
                }
                Figure::Polygon(rings) => {
                    let mut kept = Vec::new();
                    for (index, ring) in rings.iter().enumerate() {
                        let ring = reducer.line(ring)?;
                        // A ring that collapses is gone; without the first one, all are.
                        match ring.len() > 3 {
                            true => kept.push(ring),
                            false if index == 0 => break,
                            false => {}
                        }
                    }
                    Figure::Polygon(kept)
                }
                other => other.clone(),
            })
        })?;
        let reduced = Shape::of_checked(self.space, self.srid, figure, work)?;
        reduced.make_valid(work)
    }
}

/// The angle of an arc that is this share of its radius away from its chord.
fn angle_of(share: f64) -> f64 {
    2.0 * (1.0 - share).clamp(0.0, 1.0).acos().max(1e-4)
}

/// A tree of figures with those that are no collections replaced.
fn map(figure: &Figure, replace: &mut impl FnMut(&Figure) -> Result<Figure>) -> Result<Figure> {
    match figure {
        Figure::Collection(kind, members) => {
            let members = members.iter().map(|member| map(member, replace));
            Ok(Figure::Collection(*kind, members.collect::<Result<_>>()?))
        }
        simple => replace(simple),
    }
}

struct Reducer<'r> {
    globe: Option<Globe>,
    tolerance: f64,
    work: &'r Work<'r>,
}

impl Reducer<'_> {
    fn line(&self, points: &[Position]) -> Result<Vec<Position>> {
        let places = points.iter().map(|at| [at.x, at.y]);
        let stays = needed(places, self.globe.as_ref(), self.tolerance, self.work)?;
        let kept = points.iter().zip(stays).filter(|(_, stays)| *stays);
        Ok(kept.map(|(at, _)| *at).collect())
    }
}

/// Which positions a line needs (D. Douglas and T. Peucker, 1973): between two that stay, the
/// farthest from the line through them stays if it is farther than the tolerance.
pub(crate) fn needed(
    points: impl Iterator<Item = Flat>,
    globe: Option<&Globe>,
    tolerance: f64,
    work: &Work<'_>,
) -> Result<Vec<bool>> {
    let mut places: Vec<Point3> = Vec::new();
    for at in points {
        let place = match globe {
            None => [at[0], at[1], 0.0],
            Some(globe) => globe.direction(at),
        };
        work.push(&mut places, place)?;
    }
    let mut stays = vec![false; places.len()];
    let Some(last) = places.len().checked_sub(1) else { return Ok(stays) };
    (stays[0], stays[last]) = (true, true);
    let mut open = vec![(0, last)];
    while let Some((from, to)) = open.pop() {
        let mut farthest = (0.0, None);
        for at in from + 1..to {
            work.step(4)?;
            let distance = distance(globe, [places[from], places[to]], places[at]);
            // Of two that are as far, the last one.
            if distance > tolerance && distance >= farthest.0 {
                farthest = (distance, Some(at));
            }
        }
        if let (_, Some(at)) = farthest {
            stays[at] = true;
            open.push((from, at));
            open.push((at, to));
        }
    }
    Ok(stays)
}

fn distance(globe: Option<&Globe>, line: [Point3; 2], at: Point3) -> f64 {
    if let Some(globe) = globe {
        return norm(minus(nearest_on(line, at), at)) * globe.radius();
    }
    let (ahead, there) = (minus(line[1], line[0]), minus(at, line[0]));
    let length = norm(ahead);
    if !(length > 0.0 && length.is_finite()) {
        return norm(there);
    }
    let unit = ahead.map(|value| value / length);
    match crate::arc::dot(unit, there) {
        along if along <= 0.0 => norm(there),
        along if along >= length => norm(minus(at, line[1])),
        _ => (unit[0] * there[1] - unit[1] * there[0]).abs(),
    }
}
