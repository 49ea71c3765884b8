//! What figures must keep to be a shape at all (see [`Shape`]), and how shapes are made of them.

use base::stack;

use crate::error::{Error, Fault, Result, RingName};
use crate::reference;
use crate::shape::{Curve, DEPTH_MAX, Figure, Kind, Position, SRID_MAX, Shape, Space};
use crate::work::Work;

/// How far from the prime meridian a longitude may be.
const LONGITUDE_MAX: f64 = 15_069.0;

/// Two points are antipodal if the angle between one and the opposite of the other is smaller, in
/// radians.
const ANTIPODAL: f64 = 1e-8;

/// How often a computed shape is made valid at most.
const ROUNDS: usize = 4;

/// Checks an SRID: errors 24100, 24204.
pub fn check_srid(space: Space, srid: i32) -> Result<()> {
    match space {
        Space::Planar if (0..=SRID_MAX).contains(&srid) => Ok(()),
        Space::Planar => Err(Fault::Srid.into()),
        Space::Geographic if reference::find(srid).is_some() => Ok(()),
        Space::Geographic => Err(Fault::GeographySrid.into()),
    }
}

/// One level deeper into nested collections. The error of too many.
pub(crate) fn deeper(depth: usize) -> Result<usize> {
    match depth < DEPTH_MAX && stack::deeper() {
        true => Ok(depth + 1),
        false => Err(Fault::Depth.into()),
    }
}

/// Checks all figures of a tree.
pub(crate) fn check_figure(space: Space, figure: &Figure, work: &Work<'_>) -> Result<()> {
    Check { space, work }.figure(figure, 0)
}

struct Check<'c> {
    space: Space,
    work: &'c Work<'c>,
}

impl Check<'_> {
    fn figure(&self, figure: &Figure, depth: usize) -> Result<()> {
        match figure {
            Figure::Point(point) => point.iter().try_for_each(|point| self.position(point)),
            Figure::Curve(curve) => self.curve(curve),
            Figure::Polygon(rings) => {
                rings.iter().enumerate().try_for_each(|(index, ring)| self.ring(index, ring))
            }
            Figure::CurvePolygon(rings) => {
                rings.iter().enumerate().try_for_each(|(index, ring)| self.curve_ring(index, ring))
            }
            Figure::FullGlobe if self.space == Space::Planar => {
                Err(Fault::KindInvalid(Kind::FullGlobe).into())
            }
            Figure::FullGlobe if depth > 0 => Err(Fault::FullGlobeInCollection.into()),
            Figure::FullGlobe => Ok(()),
            Figure::Collection(kind, members) => {
                let depth = deeper(depth)?;
                for member in members {
                    self.work.step(1)?;
                    if !may_contain(*kind, member.kind()) {
                        return Err(match member {
                            Figure::FullGlobe => Fault::FullGlobeInCollection.into(),
                            other => Error::from(Fault::KindInvalid(other.kind())),
                        });
                    }
                    self.figure(member, depth)?;
                }
                Ok(())
            }
        }
    }

    fn position(&self, at: &Position) -> Result<()> {
        let all = [Some(at.x), Some(at.y), at.z, at.m];
        if !all.into_iter().flatten().all(f64::is_finite) {
            return Err(Fault::NotFinite.into());
        }
        match self.space {
            Space::Geographic if at.y.abs() > 90.0 => Err(Fault::Latitude.into()),
            Space::Geographic if at.x.abs() > LONGITUDE_MAX => Err(Fault::Longitude.into()),
            _ => Ok(()),
        }
    }

    fn positions(&self, points: &[Position]) -> Result<()> {
        for point in points {
            self.work.step(1)?;
            self.position(point)?;
        }
        Ok(())
    }

    fn line(&self, points: &[Position]) -> Result<()> {
        if points.len() == 1 {
            return Err(Fault::LineStringPoints.into());
        }
        self.positions(points)?;
        if self.space == Space::Geographic {
            for edge in points.windows(2) {
                self.work.step(1)?;
                if are_antipodal(&edge[0], &edge[1]) {
                    return Err(Fault::Antipodal.into());
                }
            }
        }
        Ok(())
    }

    fn arcs(&self, points: &[Position]) -> Result<()> {
        match points.len() {
            0 => return Ok(()),
            1 => return Err(Fault::CircularStringPoints.into()),
            len if len % 2 == 0 => return Err(Fault::CircularStringEven.into()),
            _ => {}
        }
        self.positions(points)?;
        for arc in points.windows(3).step_by(2) {
            if arc[0].z != arc[1].z || arc[1].z != arc[2].z {
                return Err(Fault::ArcHeight.into());
            }
            if self.space == Space::Geographic
                && (are_antipodal(&arc[0], &arc[1]) || are_antipodal(&arc[1], &arc[2]))
            {
                return Err(Fault::Antipodal.into());
            }
        }
        Ok(())
    }

    fn curve(&self, curve: &Curve) -> Result<()> {
        let parts = match curve {
            Curve::Line(points) => return self.line(points),
            Curve::Arcs(points) => return self.arcs(points),
            Curve::Compound(parts) => parts,
        };
        for part in parts {
            match part.is_arc {
                true if part.points.is_empty() => {
                    return Err(Fault::FigureMissing(self.space).into());
                }
                true => self.arcs(&part.points)?,
                false if part.points.len() < 2 => return Err(Fault::LineStringPoints.into()),
                false => self.line(&part.points)?,
            }
        }
        match parts.windows(2).all(|pair| pair[0].points.last() == pair[1].points.first()) {
            true => Ok(()),
            false => Err(Fault::CompoundBroken.into()),
        }
    }

    fn ring(&self, index: usize, ring: &[Position]) -> Result<()> {
        let name = RingName::new(self.space, index);
        if ring.len() < 4 {
            return Err(Fault::RingPoints(name).into());
        }
        self.line(ring)?;
        match is_same_place(&ring[0], &ring[ring.len() - 1]) {
            true => Ok(()),
            false => Err(Fault::RingOpen(name).into()),
        }
    }

    fn curve_ring(&self, index: usize, ring: &Curve) -> Result<()> {
        if let Curve::Line(points) = ring {
            return self.ring(index, points);
        }
        let name = RingName::new(self.space, index);
        self.curve(ring)?;
        match (ring.first(), ring.last()) {
            (Some(first), Some(last)) if is_same_place(first, last) => Ok(()),
            (Some(_), _) => Err(Fault::RingOpen(name).into()),
            _ if matches!(ring, Curve::Arcs(_)) => Err(Fault::FigureMissing(self.space).into()),
            _ => Err(Fault::SegmentMissing(self.space).into()),
        }
    }
}

fn may_contain(collection: Kind, member: Kind) -> bool {
    match collection {
        Kind::MultiPoint => member == Kind::Point,
        Kind::MultiLineString => member == Kind::LineString,
        Kind::MultiPolygon => member == Kind::Polygon,
        Kind::GeometryCollection => member != Kind::FullGlobe,
        _ => false,
    }
}

/// Whether two positions are one place, whatever their elevation and measure.
pub(crate) fn is_same_place(a: &Position, b: &Position) -> bool {
    a.x == b.x && a.y == b.y
}

/// Whether two positions of the globe lie opposite each other. Latitudes are compared as they are:
/// that of the ellipsoid's normal and that of its center are opposite at the same places.
fn are_antipodal(a: &Position, b: &Position) -> bool {
    let unit = |at: &Position| {
        let ((sin_x, cos_x), (sin_y, cos_y)) =
            (at.x.to_radians().sin_cos(), at.y.to_radians().sin_cos());
        [cos_y * cos_x, cos_y * sin_x, sin_y]
    };
    let (a, b) = (unit(a), unit(b));
    let sum: f64 = a.iter().zip(b).map(|(a, b)| (a + b) * (a + b)).sum();
    sum < ANTIPODAL * ANTIPODAL
}

impl Shape {
    /// A shape of these figures: checks what formats demand and finds out whether it is valid.
    /// Errors 24100, 24201, 24206 and those of rings and lines.
    pub fn new(space: Space, srid: i32, figure: Figure, work: &Work<'_>) -> Result<Shape> {
        check_srid(space, srid)?;
        check_figure(space, &figure, work)?;
        Shape::of_checked(space, srid, figure, work)
    }

    /// As [`Shape::new`], of figures that keep what formats demand.
    pub(crate) fn of_checked(
        space: Space,
        srid: i32,
        figure: Figure,
        work: &Work<'_>,
    ) -> Result<Shape> {
        let mut shape = Shape { space, srid, figure, is_valid: true, is_large: false };
        shape.is_valid = shape.flaw(work)?.is_none();
        shape.is_large = shape.find_large(work)?;
        Ok(shape)
    }

    /// A shape that is valid by how its figures were made.
    pub(crate) fn of_valid(&self, figure: Figure, work: &Work<'_>) -> Result<Shape> {
        let mut shape = Shape { figure, is_valid: true, is_large: false, ..*self };
        shape.is_large = shape.find_large(work)?;
        Ok(shape)
    }

    /// A shape that was computed: its coordinates were rounded, after which it may have to be made
    /// valid once more. What flaws are left then are those of rounding.
    pub(crate) fn of_made(&self, figure: Figure, work: &Work<'_>) -> Result<Shape> {
        let mut shape = Shape { figure, is_valid: true, is_large: false, ..*self };
        for _ in 0..ROUNDS {
            if shape.flaw(work)?.is_none() {
                break;
            }
            shape.figure = shape.valid_figure(work)?;
        }
        shape.is_large = shape.find_large(work)?;
        Ok(shape)
    }

    /// A point, a part of this shape.
    pub(crate) fn part_point(&self, at: Option<&Position>) -> Shape {
        let figure = Figure::Point(at.copied());
        Shape { figure, is_valid: true, is_large: false, ..*self }
    }

    /// `Point(x, y, srid)` of geometry; of geography, X is the longitude.
    pub fn point(space: Space, x: f64, y: f64, srid: i32) -> Result<Shape> {
        check_srid(space, srid)?;
        let at = Position::new(x, y);
        match (x.is_finite() && y.is_finite(), space) {
            (false, _) => return Err(Fault::NotFinite.into()),
            (_, Space::Geographic) if y.abs() > 90.0 => return Err(Fault::Latitude.into()),
            (_, Space::Geographic) if x.abs() > LONGITUDE_MAX => {
                return Err(Fault::Longitude.into());
            }
            _ => {}
        }
        let figure = Figure::Point(Some(at));
        Ok(Shape { space, srid, figure, is_valid: true, is_large: false })
    }

    /// The empty shape of a kind.
    pub fn empty(space: Space, kind: Kind, srid: i32) -> Result<Shape> {
        check_srid(space, srid)?;
        if kind == Kind::FullGlobe && space == Space::Planar {
            return Err(Fault::KindInvalid(kind).into());
        }
        let is_large = kind == Kind::FullGlobe;
        Ok(Shape { space, srid, figure: Figure::empty(kind), is_valid: true, is_large })
    }

    /// The shape with another SRID: assigns `STSrid`.
    pub fn with_srid(self, srid: i32) -> Result<Shape> {
        check_srid(self.space, srid)?;
        Ok(Shape { srid, ..self })
    }
}
