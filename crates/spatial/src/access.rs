//! The parts of a shape and what is known of them without computing.

use crate::check::is_same_place;
use crate::error::{Fault, Result};
use crate::shape::{Curve, Figure, Kind, Part, Position, Shape, Space};
use crate::work::Work;

impl Curve {
    /// The first position.
    pub(crate) fn first(&self) -> Option<&Position> {
        match self {
            Curve::Line(points) | Curve::Arcs(points) => points.first(),
            Curve::Compound(parts) => parts.first()?.points.first(),
        }
    }

    /// The last position.
    pub(crate) fn last(&self) -> Option<&Position> {
        match self {
            Curve::Line(points) | Curve::Arcs(points) => points.last(),
            Curve::Compound(parts) => parts.last()?.points.last(),
        }
    }

    /// All positions in order; those where the parts of a compound curve meet once.
    pub(crate) fn positions(&self) -> impl Iterator<Item = &Position> {
        let (single, parts): (&[Position], &[Part]) = match self {
            Curve::Line(points) | Curve::Arcs(points) => (points, &[]),
            Curve::Compound(parts) => (&[], parts),
        };
        let own = |(index, part)| Part::points_after(part, usize::from(index > 0));
        let joined = parts.iter().enumerate().flat_map(own);
        single.iter().chain(joined)
    }

    /// Whether the curve ends where it starts.
    pub(crate) fn is_closed(&self) -> bool {
        matches!((self.first(), self.last()), (Some(a), Some(b)) if is_same_place(a, b))
    }
}

impl Part {
    fn points_after(&self, skip: usize) -> impl Iterator<Item = &Position> {
        self.points.iter().skip(skip)
    }
}

impl Figure {
    /// Calls a function with each position, until it fails.
    pub(crate) fn each_position<E>(
        &self,
        visit: &mut impl FnMut(&Position) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        match self {
            Figure::Point(point) => point.iter().try_for_each(visit),
            Figure::Curve(curve) => curve.positions().try_for_each(visit),
            Figure::Polygon(rings) => rings.iter().flatten().try_for_each(visit),
            Figure::CurvePolygon(rings) => {
                rings.iter().flat_map(Curve::positions).try_for_each(visit)
            }
            Figure::Collection(_, members) => {
                members.iter().try_for_each(|member| member.each_position(visit))
            }
            Figure::FullGlobe => Ok(()),
        }
    }

    /// Calls a function with each figure that is no collection, until it fails.
    pub(crate) fn each_simple<'f, E>(
        &'f self,
        visit: &mut impl FnMut(&'f Figure) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        match self {
            Figure::Collection(_, members) => {
                members.iter().try_for_each(|member| member.each_simple(visit))
            }
            simple => visit(simple),
        }
    }

    /// Whether a position has this.
    fn any_position(&self, has: impl Fn(&Position) -> bool) -> bool {
        self.each_position(&mut |at| if has(at) { Err(()) } else { Ok(()) }).is_err()
    }

    fn count(&self) -> usize {
        let mut count = 0;
        let counted: std::result::Result<(), std::convert::Infallible> =
            self.each_position(&mut |_| {
                count += 1;
                Ok(())
            });
        base::pace::ungauged(counted);
        count
    }

    /// The highest dimension of what is in it; -1 if it is empty.
    pub(crate) fn dimension(&self) -> i32 {
        match self {
            figure if figure.is_empty() => -1,
            Figure::Point(_) => 0,
            Figure::Curve(_) => 1,
            Figure::Collection(_, members) => {
                members.iter().map(Figure::dimension).max().unwrap_or(-1)
            }
            Figure::Polygon(_) | Figure::CurvePolygon(_) | Figure::FullGlobe => 2,
        }
    }

    /// Whether arcs are in it, or kinds that may have arcs.
    pub(crate) fn has_curves(&self) -> bool {
        match self {
            Figure::Curve(Curve::Arcs(_) | Curve::Compound(_)) | Figure::CurvePolygon(_) => true,
            Figure::Collection(_, members) => members.iter().any(Figure::has_curves),
            _ => false,
        }
    }

    fn size_bytes(&self) -> usize {
        let of = |points: &Vec<Position>| points.capacity() * size_of::<Position>();
        let of_curve = |curve: &Curve| match curve {
            Curve::Line(points) | Curve::Arcs(points) => of(points),
            Curve::Compound(parts) => {
                parts.iter().map(|part| size_of::<Part>() + of(&part.points)).sum()
            }
        };
        size_of::<Figure>()
            + match self {
                Figure::Point(_) | Figure::FullGlobe => 0,
                Figure::Curve(curve) => of_curve(curve),
                Figure::Polygon(rings) => {
                    rings.iter().map(|ring| size_of::<Vec<Position>>() + of(ring)).sum()
                }
                Figure::CurvePolygon(rings) => {
                    rings.iter().map(|ring| size_of::<Curve>() + of_curve(ring)).sum()
                }
                Figure::Collection(_, members) => members.iter().map(Figure::size_bytes).sum(),
            }
    }
}

/// The element of this number, from 1; `None` behind the last one.
fn nth<T>(list: &[T], n: i32, fault: fn(i32) -> Fault) -> Result<Option<&T>> {
    match usize::try_from(n) {
        Ok(n @ 1..) => Ok(list.get(n - 1)),
        _ => Err(fault(n).into()),
    }
}

/// The names that `InstanceOf` knows besides those of kinds, and which kinds they are true of.
const GROUPS: [(&str, &[Kind]); 5] = [
    ("Geometry", &Kind::ALL),
    ("Curve", &[Kind::LineString, Kind::CircularString, Kind::CompoundCurve]),
    ("Surface", &[Kind::Polygon, Kind::CurvePolygon]),
    ("MultiCurve", &[Kind::MultiLineString]),
    ("MultiSurface", &[Kind::MultiPolygon]),
];

impl Shape {
    /// About how many bytes the shape takes in memory.
    pub fn size_bytes(&self) -> usize {
        size_of::<Shape>() + self.figure.size_bytes()
    }

    /// `STGeometryType`.
    pub fn type_name(&self) -> Result<&'static str> {
        self.check_valid()?;
        Ok(self.kind().name())
    }

    /// `InstanceOf`.
    pub fn instance_of(&self, name: &str) -> Result<bool> {
        self.check_valid()?;
        let kind = self.kind();
        let group = GROUPS.iter().find(|(group, _)| group.eq_ignore_ascii_case(name));
        if let Some((_, kinds)) = group {
            return Ok(kinds.contains(&kind));
        }
        let named = Kind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name));
        match named {
            Some(Kind::FullGlobe) if self.space == Space::Planar => {
                Err(Fault::InstanceOf(name.into()).into())
            }
            Some(Kind::GeometryCollection) => Ok(kind.is_collection()),
            Some(named) => Ok(kind == named),
            None => Err(Fault::InstanceOf(name.into()).into()),
        }
    }

    /// `STDimension`: -1 of an empty shape.
    pub fn dimension(&self) -> Result<i32> {
        self.check_valid()?;
        Ok(self.figure.dimension())
    }

    /// `STNumPoints`.
    pub fn num_points(&self) -> Result<usize> {
        self.check_valid()?;
        Ok(self.figure.count())
    }

    /// `STPointN`, from 1; `None` behind the last one.
    pub fn point_n(&self, n: i32) -> Result<Option<Shape>> {
        self.check_valid()?;
        let mut left = match usize::try_from(n) {
            Ok(n @ 1..) => n,
            _ => return Err(Fault::PointIndex(n).into()),
        };
        let mut found = None;
        let stopped = self.figure.each_position(&mut |at| {
            left -= 1;
            match left {
                0 => {
                    found = Some(*at);
                    Err(())
                }
                _ => Ok(()),
            }
        });
        Ok(found.filter(|_| stopped.is_err()).map(|at| self.part_point(Some(&at))))
    }

    fn position(&self) -> Option<&Position> {
        match &self.figure {
            Figure::Point(point) => point.as_ref(),
            _ => None,
        }
    }

    /// `STX`, `Long`: `None` unless the shape is a point that is not empty.
    pub fn x(&self) -> Option<f64> {
        Some(self.position()?.x)
    }

    /// `STY`, `Lat`.
    pub fn y(&self) -> Option<f64> {
        Some(self.position()?.y)
    }

    /// `Z`.
    pub fn z(&self) -> Option<f64> {
        self.position()?.z
    }

    /// `M`.
    pub fn m(&self) -> Option<f64> {
        self.position()?.m
    }

    /// `HasZ`.
    pub fn has_z(&self) -> bool {
        self.figure.any_position(|at| at.z.is_some())
    }

    /// `HasM`.
    pub fn has_m(&self) -> bool {
        self.figure.any_position(|at| at.m.is_some())
    }

    /// `STNumGeometries`.
    pub fn num_geometries(&self) -> Result<usize> {
        self.check_valid()?;
        Ok(match &self.figure {
            Figure::Collection(_, members) => members.len(),
            simple => usize::from(!simple.is_empty()),
        })
    }

    /// `STGeometryN`, from 1.
    pub fn geometry_n(&self, n: i32, work: &Work<'_>) -> Result<Option<Shape>> {
        self.check_valid()?;
        let members = match &self.figure {
            Figure::Collection(_, members) => members.as_slice(),
            simple if simple.is_empty() => &[],
            simple => std::slice::from_ref(simple),
        };
        let Some(member) = nth(members, n, Fault::GeometryIndex)? else { return Ok(None) };
        self.copy(member.clone(), work).map(Some)
    }

    /// A shape that was part of this one, which is valid.
    fn copy(&self, figure: Figure, work: &Work<'_>) -> Result<Shape> {
        work.admit(figure.size_bytes())?;
        self.of_valid(figure, work)
    }

    /// A ring as a shape of its own, which is a line.
    fn ring(&self, ring: &Curve, work: &Work<'_>) -> Result<Shape> {
        self.copy(Figure::Curve(ring.clone()), work)
    }

    /// The ring of this index of a polygon.
    fn ring_at(&self, index: usize) -> Option<Curve> {
        match &self.figure {
            Figure::Polygon(rings) => Some(Curve::Line(rings.get(index)?.clone())),
            Figure::CurvePolygon(rings) => rings.get(index).cloned(),
            _ => None,
        }
    }

    /// How many rings a polygon has; `None` of other shapes.
    fn count_rings(&self) -> Option<usize> {
        match &self.figure {
            Figure::Polygon(rings) => Some(rings.len()),
            Figure::CurvePolygon(rings) => Some(rings.len()),
            Figure::FullGlobe => Some(0),
            _ => None,
        }
    }

    /// `NumRings` of geography; `None` unless it is a polygon.
    pub fn num_rings(&self) -> Result<Option<usize>> {
        self.check_valid()?;
        Ok(self.count_rings())
    }

    /// `RingN` of geography, from 1.
    pub fn ring_n(&self, n: i32, work: &Work<'_>) -> Result<Option<Shape>> {
        self.check_valid()?;
        match usize::try_from(n) {
            Ok(n @ 1..) => self.ring_at(n - 1).map(|ring| self.ring(&ring, work)).transpose(),
            _ => Err(Fault::RingIndex(n).into()),
        }
    }

    /// `STExteriorRing` of geometry.
    pub fn exterior_ring(&self, work: &Work<'_>) -> Result<Option<Shape>> {
        self.check_valid()?;
        self.ring_at(0).map(|ring| self.ring(&ring, work)).transpose()
    }

    /// `STNumInteriorRing` of geometry.
    pub fn num_interior_rings(&self) -> Result<Option<usize>> {
        self.check_valid()?;
        Ok(self.count_rings().map(|rings| rings.saturating_sub(1)))
    }

    /// `STInteriorRingN` of geometry, from 1.
    pub fn interior_ring_n(&self, n: i32, work: &Work<'_>) -> Result<Option<Shape>> {
        self.check_valid()?;
        match usize::try_from(n) {
            Ok(n @ 1..) => self.ring_at(n).map(|ring| self.ring(&ring, work)).transpose(),
            _ => Err(Fault::RingIndex(n).into()),
        }
    }

    /// `STNumCurves`: `None` unless the shape is one curve.
    pub fn num_curves(&self) -> Result<Option<usize>> {
        self.check_valid()?;
        let Figure::Curve(curve) = &self.figure else { return Ok(None) };
        let segments = |is_arc: bool, points: usize| match is_arc {
            true => points / 2,
            false => points.saturating_sub(1),
        };
        Ok(Some(match curve {
            Curve::Line(points) => segments(false, points.len()),
            Curve::Arcs(points) => segments(true, points.len()),
            Curve::Compound(parts) => {
                parts.iter().map(|part| segments(part.is_arc, part.points.len())).sum()
            }
        }))
    }

    /// `STCurveN`, from 1.
    pub fn curve_n(&self, n: i32, work: &Work<'_>) -> Result<Option<Shape>> {
        self.check_valid()?;
        let Figure::Curve(curve) = &self.figure else { return Ok(None) };
        let mut left = match usize::try_from(n) {
            Ok(n @ 1..) => n - 1,
            _ => return Err(Fault::CurveIndex(n).into()),
        };
        let mut found = None;
        let mut part = |is_arc: bool, points: &[Position]| {
            let width = if is_arc { 3 } else { 2 };
            let count = points.len().saturating_sub(1) / (width - 1);
            if found.is_none() && left < count {
                let at = left * (width - 1);
                found = Some((is_arc, points[at..at + width].to_vec()));
            }
            left = left.saturating_sub(count);
        };
        match curve {
            Curve::Line(points) => part(false, points),
            Curve::Arcs(points) => part(true, points),
            Curve::Compound(parts) => {
                for each in parts {
                    part(each.is_arc, &each.points);
                }
            }
        }
        let of = |(is_arc, points)| if is_arc { Curve::Arcs(points) } else { Curve::Line(points) };
        found.map(|found| self.copy(Figure::Curve(of(found)), work)).transpose()
    }

    fn end(&self, end: fn(&Curve) -> Option<&Position>) -> Result<Option<Shape>> {
        self.check_valid()?;
        Ok(match &self.figure {
            Figure::Curve(curve) => end(curve).map(|at| self.part_point(Some(at))),
            Figure::Point(Some(at)) => Some(self.part_point(Some(at))),
            _ => None,
        })
    }

    /// `STStartPoint`.
    pub fn start_point(&self) -> Result<Option<Shape>> {
        match &self.figure {
            Figure::Curve(_) => self.end(Curve::first),
            _ => self.point_n(1),
        }
    }

    /// `STEndPoint`.
    pub fn end_point(&self) -> Result<Option<Shape>> {
        match &self.figure {
            Figure::Curve(_) => self.end(Curve::last),
            _ => {
                self.check_valid()?;
                match i32::try_from(self.figure.count()) {
                    Ok(n @ 1..) => self.point_n(n),
                    _ => Ok(None),
                }
            }
        }
    }

    /// `STIsClosed`: false if a figure has a start and an end that differ, if there is a point, and
    /// of an empty shape.
    pub fn is_closed(&self) -> Result<bool> {
        self.check_valid()?;
        let closed = |figure: &Figure| match figure {
            Figure::Point(_) => Err(()),
            Figure::Curve(curve) if !curve.is_closed() => Err(()),
            _ => Ok(()),
        };
        Ok(!self.is_empty() && self.figure.each_simple(&mut |figure| closed(figure)).is_ok())
    }

    /// `STIsRing`: `None` unless the shape is a curve. Shapes that are not valid answer.
    pub fn is_ring(&self, work: &Work<'_>) -> Result<Option<bool>> {
        let Figure::Curve(curve) = &self.figure else { return Ok(None) };
        Ok(Some(self.is_valid && curve.is_closed() && self.is_simple(work)?))
    }

    /// `MinDbCompatibilityLevel`: 100, or 110 of what SQL Server 2008 did not have.
    pub fn min_db_compatibility_level(&self) -> i32 {
        match self.is_of_version_2() {
            true => 110,
            false => 100,
        }
    }

    /// Whether the shape has curves or does not fit in a hemisphere.
    pub(crate) fn is_of_version_2(&self) -> bool {
        self.is_large || matches!(self.figure, Figure::FullGlobe) || self.figure.has_curves()
    }
}
