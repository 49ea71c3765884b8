//! Well-known binary, with Z and M as ISO 13249-3 codes them.

use crate::check::{check_figure, check_srid, deeper};
use crate::error::{Fault, Result};
use crate::shape::{Curve, Figure, Kind, Part, Position, Shape, Space};
use crate::work::Work;

/// The code of the whole globe.
const FULL_GLOBE: u32 = 126;
/// What is added to a code where positions have Z or M.
const HAS_Z: u32 = 1000;
const HAS_M: u32 = 2000;

impl Shape {
    /// Reads well-known binary (OGC, with or without Z and M), of the expected kind if there is
    /// one.
    pub fn from_wkb(
        space: Space,
        bytes: &[u8],
        expected: Option<Kind>,
        srid: i32,
        work: &Work<'_>,
    ) -> Result<Shape> {
        check_srid(space, srid)?;
        let mut reader = Reader { left: bytes, work };
        let figure = reader.tagged(0)?;
        let is_expected = expected.is_none_or(|kind| kind == figure.kind());
        if !reader.left.is_empty() || !is_expected {
            return Err(Fault::BinaryInvalid.into());
        }
        check_figure(space, &figure, work)?;
        Shape::of_checked(space, srid, figure, work)
    }

    /// `STAsBinary`: well-known binary without Z and M.
    pub fn to_wkb(&self, work: &Work<'_>) -> Result<Vec<u8>> {
        self.write_wkb(false, false, work)
    }

    /// `AsBinaryZM`: well-known binary with Z and M.
    pub fn to_wkb_zm(&self, work: &Work<'_>) -> Result<Vec<u8>> {
        self.write_wkb(self.has_z(), self.has_m(), work)
    }

    fn write_wkb(&self, with_z: bool, with_m: bool, work: &Work<'_>) -> Result<Vec<u8>> {
        let mut writer = Writer { out: Vec::new(), with_z, with_m, work };
        writer.tagged(&self.figure)?;
        Ok(writer.out)
    }
}

struct Reader<'r> {
    left: &'r [u8],
    work: &'r Work<'r>,
}

/// How a shape's numbers are stored.
#[derive(Clone, Copy)]
struct Layout {
    is_little: bool,
    has_z: bool,
    has_m: bool,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.left.split_first_chunk() {
            Some((bytes, left)) => {
                self.left = left;
                Ok(*bytes)
            }
            None => Err(Fault::Truncated.into()),
        }
    }

    fn integer(&mut self, layout: Layout) -> Result<u32> {
        let bytes = self.take()?;
        Ok(if layout.is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    fn number(&mut self, layout: Layout) -> Result<f64> {
        let bytes = self.take()?;
        Ok(if layout.is_little { f64::from_le_bytes(bytes) } else { f64::from_be_bytes(bytes) })
    }

    fn position(&mut self, layout: Layout) -> Result<Position> {
        let mut at = Position::new(self.number(layout)?, self.number(layout)?);
        let known = |number: f64| Some(number).filter(|number| !number.is_nan());
        if layout.has_z {
            at.z = known(self.number(layout)?);
        }
        if layout.has_m {
            at.m = known(self.number(layout)?);
        }
        Ok(at)
    }

    fn list<T>(
        &mut self,
        layout: Layout,
        mut element: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let count = self.integer(layout)?;
        let mut list = Vec::new();
        for _ in 0..count {
            let next = element(self)?;
            self.work.push(&mut list, next)?;
        }
        Ok(list)
    }

    fn points(&mut self, layout: Layout) -> Result<Vec<Position>> {
        self.list(layout, |reader| reader.position(layout))
    }

    fn curve(&mut self, depth: usize) -> Result<Curve> {
        match self.tagged(depth)? {
            Figure::Curve(curve) => Ok(curve),
            _ => Err(Fault::BinaryInvalid.into()),
        }
    }

    fn tagged(&mut self, depth: usize) -> Result<Figure> {
        let depth = deeper(depth)?;
        let is_little = match self.take()? {
            [0] => false,
            [1] => true,
            _ => return Err(Fault::BinaryInvalid.into()),
        };
        let layout = Layout { is_little, has_z: false, has_m: false };
        let code = self.integer(layout)?;
        if code == FULL_GLOBE {
            return Ok(Figure::FullGlobe);
        }
        let (has_z, has_m) = match code / 1000 {
            0 => (false, false),
            1 => (true, false),
            2 => (false, true),
            3 => (true, true),
            _ => return Err(Fault::BinaryInvalid.into()),
        };
        let layout = Layout { is_little, has_z, has_m };
        let Some(kind) = Kind::from_code(code % 1000).filter(|&kind| kind != Kind::FullGlobe)
        else {
            return Err(Fault::BinaryInvalid.into());
        };
        Ok(match kind {
            Kind::Point => {
                let at = self.position(layout)?;
                Figure::Point(Some(at).filter(|at| !at.x.is_nan() || !at.y.is_nan()))
            }
            Kind::LineString => Figure::Curve(Curve::Line(self.points(layout)?)),
            Kind::CircularString => Figure::Curve(Curve::Arcs(self.points(layout)?)),
            Kind::CompoundCurve => {
                let part = |reader: &mut Self| match reader.curve(depth)? {
                    Curve::Line(points) => Ok(Part { is_arc: false, points }),
                    Curve::Arcs(points) => Ok(Part { is_arc: true, points }),
                    Curve::Compound(_) => Err(Fault::BinaryInvalid.into()),
                };
                Figure::Curve(Curve::Compound(self.list(layout, part)?))
            }
            Kind::Polygon => Figure::Polygon(self.list(layout, |reader| reader.points(layout))?),
            Kind::CurvePolygon => {
                Figure::CurvePolygon(self.list(layout, |reader| reader.curve(depth))?)
            }
            collection => {
                let members = self.list(layout, |reader| reader.tagged(depth))?;
                Figure::Collection(collection, members)
            }
        })
    }
}

struct Writer<'w> {
    out: Vec<u8>,
    with_z: bool,
    with_m: bool,
    work: &'w Work<'w>,
}

impl Writer<'_> {
    fn head(&mut self, kind: Kind) {
        let code = match kind {
            Kind::FullGlobe => FULL_GLOBE,
            kind => {
                let z = if self.with_z { HAS_Z } else { 0 };
                let m = if self.with_m { HAS_M } else { 0 };
                kind as u32 + z + m
            }
        };
        self.out.push(1);
        self.count(code as usize);
    }

    /// Counts are below the number of bytes that a value may have.
    fn count(&mut self, count: usize) {
        self.out.extend_from_slice(&(count as u32).to_le_bytes());
    }

    fn tagged(&mut self, figure: &Figure) -> Result<()> {
        self.work.step(1)?;
        match figure {
            // The format has no empty point.
            Figure::Point(None) => {
                self.head(Kind::MultiPoint);
                self.count(0);
            }
            Figure::Point(Some(at)) => {
                self.head(Kind::Point);
                self.position(at)?;
            }
            Figure::Curve(curve) => self.curve(curve)?,
            Figure::Polygon(rings) => {
                self.head(Kind::Polygon);
                self.count(rings.len());
                rings.iter().try_for_each(|ring| self.points(ring))?;
            }
            Figure::CurvePolygon(rings) => {
                self.head(Kind::CurvePolygon);
                self.count(rings.len());
                rings.iter().try_for_each(|ring| self.curve(ring))?;
            }
            Figure::Collection(kind, members) => {
                self.head(*kind);
                let is_written = |member: &&Figure| {
                    *kind != Kind::MultiPoint || !matches!(member, Figure::Point(None))
                };
                self.count(members.iter().filter(is_written).count());
                members.iter().filter(is_written).try_for_each(|member| self.tagged(member))?;
            }
            Figure::FullGlobe => self.head(Kind::FullGlobe),
        }
        Ok(())
    }

    fn curve(&mut self, curve: &Curve) -> Result<()> {
        self.head(curve.kind());
        match curve {
            Curve::Line(points) | Curve::Arcs(points) => self.points(points),
            Curve::Compound(parts) => {
                self.count(parts.len());
                parts.iter().try_for_each(|part| {
                    self.head(if part.is_arc { Kind::CircularString } else { Kind::LineString });
                    self.points(&part.points)
                })
            }
        }
    }

    fn points(&mut self, points: &[Position]) -> Result<()> {
        self.work.admit(self.out.len() + points.len() * 32)?;
        self.count(points.len());
        points.iter().try_for_each(|at| self.position(at))
    }

    fn position(&mut self, at: &Position) -> Result<()> {
        self.work.step(1)?;
        let mut put = |number: f64| self.out.extend_from_slice(&number.to_le_bytes());
        put(at.x);
        put(at.y);
        if self.with_z {
            put(at.z.unwrap_or(f64::NAN));
        }
        if self.with_m {
            put(at.m.unwrap_or(f64::NAN));
        }
        Ok(())
    }
}
