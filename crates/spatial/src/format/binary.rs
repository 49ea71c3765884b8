//! The stored form of MS-SSCLRT, "CLR UDTs: geography and geometry": SRID, version and properties;
//! then the positions column by column, the figures (rings, lines) as ranges of positions, the
//! shapes as a tree in preorder, and in version 2 the segments of compound curves. One point or one
//! line of two positions has a short form. A geography has latitudes before longitudes.

use crate::check::{check_figure, check_srid, deeper};
use crate::error::{Fault, Result};
use crate::shape::{Curve, Figure, Kind, Part, Position, Shape, Space};
use crate::work::Work;

const HAS_Z: u8 = 1;
const HAS_M: u8 = 2;
const IS_VALID: u8 = 4;
const IS_POINT: u8 = 8;
const IS_LINE: u8 = 0x10;
const IS_LARGE: u8 = 0x20;
const ALL: u8 = 0x3f;

/// What a figure is, by its attribute: in version 1 a ring or a stroke, in version 2 how its
/// positions are joined.
mod attribute {
    pub const INTERIOR_RING: u8 = 0;
    pub const STROKE: u8 = 1;
    pub const EXTERIOR_RING: u8 = 2;
    pub const POINT: u8 = 0;
    pub const LINE: u8 = 1;
    pub const ARC: u8 = 2;
    pub const COMPOUND: u8 = 3;
}

/// Segments of compound curves.
mod segment {
    pub const LINE: u8 = 0;
    pub const ARC: u8 = 1;
    pub const FIRST_LINE: u8 = 2;
    pub const FIRST_ARC: u8 = 3;
}

impl Shape {
    /// Reads the stored form, versions 1 and 2, which this crate has written: whether the shape is
    /// valid is taken as it says.
    pub fn from_bytes(space: Space, bytes: &[u8], work: &Work<'_>) -> Result<Shape> {
        let (srid, properties, figure) = Reader::read(space, bytes, work)?;
        Ok(Shape {
            space,
            srid,
            is_valid: properties & IS_VALID != 0,
            is_large: properties & IS_LARGE != 0 || matches!(figure, Figure::FullGlobe),
            figure,
        })
    }

    /// Reads the stored form that a client has sent: checks the SRID and finds out whether the
    /// shape is valid.
    pub fn from_untrusted_bytes(space: Space, bytes: &[u8], work: &Work<'_>) -> Result<Shape> {
        let (srid, _, figure) = Reader::read(space, bytes, work)?;
        check_srid(space, srid)?;
        Shape::of_checked(space, srid, figure, work)
    }

    /// The stored form of MS-SSCLRT.
    pub fn to_bytes(&self, work: &Work<'_>) -> Result<Vec<u8>> {
        let mut layout = Layout::default();
        let is_new = self.is_of_version_2();
        Flattener { layout: &mut layout, is_new, work }.figure(&self.figure, None)?;
        layout.write(self, is_new, work)
    }
}

/// A shape of the tree as it is stored.
struct Entry {
    parent: Option<u32>,
    /// The first of its figures and of those of the shapes below it.
    figure: Option<u32>,
    kind: Kind,
}

/// A figure as it is stored: its attribute and its first position.
struct Range {
    attribute: u8,
    start: u32,
}

/// The columns of the stored form.
#[derive(Default)]
struct Layout {
    points: Vec<Position>,
    ranges: Vec<Range>,
    entries: Vec<Entry>,
    segments: Vec<u8>,
}

impl Layout {
    fn write(&self, shape: &Shape, is_new: bool, work: &Work<'_>) -> Result<Vec<u8>> {
        let has_z = self.points.iter().any(|at| at.z.is_some());
        let has_m = self.points.iter().any(|at| at.m.is_some());
        let columns = 16 + 8 * usize::from(has_z) + 8 * usize::from(has_m);
        let len = 22
            + columns * self.points.len()
            + 5 * self.ranges.len()
            + 9 * self.entries.len()
            + self.segments.len();
        base::account::check_length(len)?;
        work.admit(len)?;
        let mut out = Vec::with_capacity(len);
        let short = match (&shape.figure, self.points.len()) {
            (Figure::Point(Some(_)), _) => IS_POINT,
            (Figure::Curve(Curve::Line(_)), 2) => IS_LINE,
            _ => 0,
        };
        let properties = if has_z { HAS_Z } else { 0 }
            | if has_m { HAS_M } else { 0 }
            | if shape.is_valid { IS_VALID } else { 0 }
            | if shape.is_large { IS_LARGE } else { 0 }
            | short;
        out.extend_from_slice(&shape.srid.to_le_bytes());
        out.push(if is_new { 2 } else { 1 });
        out.push(properties);
        // Counts are below the length, which is below 2^31.
        let count = |out: &mut Vec<u8>, count: usize| {
            out.extend_from_slice(&(count as u32).to_le_bytes());
        };
        if short == 0 {
            count(&mut out, self.points.len());
        }
        for at in &self.points {
            work.step(1)?;
            let (first, second) = match shape.space {
                Space::Planar => (at.x, at.y),
                Space::Geographic => (at.y, at.x),
            };
            out.extend_from_slice(&first.to_le_bytes());
            out.extend_from_slice(&second.to_le_bytes());
        }
        let mut column = |is_there: bool, value: fn(&Position) -> Option<f64>| {
            for at in self.points.iter().filter(|_| is_there) {
                out.extend_from_slice(&value(at).unwrap_or(f64::NAN).to_le_bytes());
            }
        };
        column(has_z, |at| at.z);
        column(has_m, |at| at.m);
        if short != 0 {
            return Ok(out);
        }
        count(&mut out, self.ranges.len());
        for range in &self.ranges {
            out.push(range.attribute);
            out.extend_from_slice(&range.start.to_le_bytes());
        }
        count(&mut out, self.entries.len());
        for entry in &self.entries {
            let index = |index: Option<u32>| index.map_or(-1, |index| index as i32).to_le_bytes();
            out.extend_from_slice(&index(entry.parent));
            out.extend_from_slice(&index(entry.figure));
            out.push(entry.kind as u8);
        }
        if is_new && !self.segments.is_empty() {
            count(&mut out, self.segments.len());
            out.extend_from_slice(&self.segments);
        }
        Ok(out)
    }
}

/// Makes columns of figures.
struct Flattener<'f> {
    layout: &'f mut Layout,
    is_new: bool,
    work: &'f Work<'f>,
}

impl Flattener<'_> {
    fn figure(&mut self, figure: &Figure, parent: Option<u32>) -> Result<()> {
        let own = self.layout.entries.len() as u32;
        let next = self.layout.ranges.len() as u32;
        let figure_at =
            Some(next).filter(|_| !figure.is_empty() && figure.kind() != Kind::FullGlobe);
        let entry = Entry { parent, figure: figure_at, kind: figure.kind() };
        self.work.push(&mut self.layout.entries, entry)?;
        let by_version = |old, new| if self.is_new { new } else { old };
        match figure {
            Figure::Point(point) => {
                let attribute = by_version(attribute::STROKE, attribute::POINT);
                point.iter().try_for_each(|at| self.range(attribute, [at]))
            }
            Figure::Curve(curve) if curve.is_empty() => Ok(()),
            Figure::Curve(curve) => self.curve(attribute::STROKE, curve),
            Figure::Polygon(rings) => {
                for (index, ring) in rings.iter().enumerate() {
                    self.range(self.ring_attribute(index), ring)?;
                }
                Ok(())
            }
            Figure::CurvePolygon(rings) => {
                for (index, ring) in rings.iter().enumerate() {
                    self.curve(self.ring_attribute(index), ring)?;
                }
                Ok(())
            }
            Figure::Collection(_, members) => {
                members.iter().try_for_each(|member| self.figure(member, Some(own)))
            }
            Figure::FullGlobe => Ok(()),
        }
    }

    fn ring_attribute(&self, index: usize) -> u8 {
        match (self.is_new, index) {
            (true, _) => attribute::LINE,
            (false, 0) => attribute::EXTERIOR_RING,
            (false, _) => attribute::INTERIOR_RING,
        }
    }

    fn curve(&mut self, line: u8, curve: &Curve) -> Result<()> {
        match curve {
            Curve::Line(points) => self.range(line, points),
            Curve::Arcs(points) => self.range(attribute::ARC, points),
            Curve::Compound(parts) => {
                self.range(attribute::COMPOUND, curve.positions())?;
                for part in parts {
                    let (count, first, next) = match part.is_arc {
                        true => (part.points.len() / 2, segment::FIRST_ARC, segment::ARC),
                        false => (part.points.len() - 1, segment::FIRST_LINE, segment::LINE),
                    };
                    for index in 0..count {
                        let segment = if index == 0 { first } else { next };
                        self.work.push(&mut self.layout.segments, segment)?;
                    }
                }
                Ok(())
            }
        }
    }

    fn range<'p>(
        &mut self,
        attribute: u8,
        points: impl IntoIterator<Item = &'p Position>,
    ) -> Result<()> {
        let start = self.layout.points.len() as u32;
        self.work.push(&mut self.layout.ranges, Range { attribute, start })?;
        for point in points {
            self.work.push(&mut self.layout.points, *point)?;
        }
        Ok(())
    }
}

struct Reader<'r> {
    left: &'r [u8],
    work: &'r Work<'r>,
    layout: Layout,
    is_new: bool,
    /// How many segments were taken.
    segment: usize,
    /// How many shapes were taken.
    entry: usize,
}

impl Reader<'_> {
    fn read(space: Space, bytes: &[u8], work: &Work<'_>) -> Result<(i32, u8, Figure)> {
        let layout = Layout::default();
        let mut reader = Reader { left: bytes, work, layout, is_new: false, segment: 0, entry: 0 };
        let srid = i32::from_le_bytes(reader.take()?);
        let [version, properties] = reader.take()?;
        if !(1..=2).contains(&version) {
            return Err(Fault::Version(space, version).into());
        }
        reader.is_new = version == 2;
        let is_large = properties & IS_LARGE != 0;
        if properties & !ALL != 0 || is_large && !(reader.is_new && space == Space::Geographic) {
            return Err(Fault::Bytes.into());
        }
        let figure = match properties & (IS_POINT | IS_LINE) {
            0 => {
                let count = reader.count()?;
                reader.points(space, properties, count)?;
                reader.columns()?;
                let figure = reader.figure(None, 0)?;
                let is_whole = reader.entry == reader.layout.entries.len()
                    && reader.segment == reader.layout.segments.len();
                if !is_whole {
                    return Err(Fault::Bytes.into());
                }
                figure
            }
            IS_POINT => {
                reader.points(space, properties, 1)?;
                Figure::Point(reader.layout.points.pop())
            }
            IS_LINE => {
                reader.points(space, properties, 2)?;
                Figure::Curve(Curve::Line(std::mem::take(&mut reader.layout.points)))
            }
            _ => return Err(Fault::Bytes.into()),
        };
        if !reader.left.is_empty() {
            return Err(Fault::Bytes.into());
        }
        check_figure(space, &figure, work)?;
        Ok((srid, properties, figure))
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.left.split_first_chunk() {
            Some((bytes, left)) => {
                self.left = left;
                Ok(*bytes)
            }
            None => Err(Fault::Truncated.into()),
        }
    }

    fn count(&mut self) -> Result<usize> {
        Ok(u32::from_le_bytes(self.take()?) as usize)
    }

    /// An index, or -1.
    fn index(&mut self) -> Result<Option<u32>> {
        match i32::from_le_bytes(self.take()?) {
            -1 => Ok(None),
            index => Ok(Some(u32::try_from(index).map_err(|_| Fault::Bytes)?)),
        }
    }

    fn points(&mut self, space: Space, properties: u8, count: usize) -> Result<()> {
        let columns = 16
            + if properties & HAS_Z != 0 { 8 } else { 0 }
            + if properties & HAS_M != 0 { 8 } else { 0 };
        if count > self.left.len() / columns {
            return Err(Fault::Truncated.into());
        }
        self.work.admit(count * size_of::<Position>())?;
        self.layout.points.reserve_exact(count);
        for _ in 0..count {
            self.work.step(1)?;
            let (first, second) =
                (f64::from_le_bytes(self.take()?), f64::from_le_bytes(self.take()?));
            self.layout.points.push(match space {
                Space::Planar => Position::new(first, second),
                Space::Geographic => Position::new(second, first),
            });
        }
        for (bit, is_z) in [(HAS_Z, true), (HAS_M, false)] {
            if properties & bit == 0 {
                continue;
            }
            for index in 0..count {
                let value = f64::from_le_bytes(self.take()?);
                let value = Some(value).filter(|value| !value.is_nan());
                let at = &mut self.layout.points[index];
                *(if is_z { &mut at.z } else { &mut at.m }) = value;
            }
        }
        Ok(())
    }

    /// Figures, shapes and segments, with positions and figures in ascending order.
    fn columns(&mut self) -> Result<()> {
        let mut last = 0;
        for _ in 0..self.count()? {
            let [attribute] = self.take()?;
            let start = u32::from_le_bytes(self.take()?);
            if start < last || start as usize >= self.layout.points.len() {
                return Err(Fault::Bytes.into());
            }
            last = start;
            self.work.push(&mut self.layout.ranges, Range { attribute, start })?;
        }
        let first = self
            .layout
            .ranges
            .first()
            .map_or(self.layout.points.len(), |range| range.start as usize);
        if first != 0 {
            return Err(Fault::Bytes.into());
        }
        let mut last = 0;
        for own in 0..self.count()? {
            let (parent, figure) = (self.index()?, self.index()?);
            let [kind] = self.take()?;
            let Some(kind) = Kind::from_code(u32::from(kind)) else {
                return Err(Fault::Bytes.into());
            };
            let is_fine = match (parent, figure) {
                (None, _) if own > 0 => false,
                (Some(parent), _) if parent as usize >= own => false,
                (_, Some(figure)) => figure >= last && (figure as usize) < self.layout.ranges.len(),
                _ => true,
            };
            if !is_fine {
                return Err(Fault::Bytes.into());
            }
            last = figure.unwrap_or(last);
            self.work.push(&mut self.layout.entries, Entry { parent, figure, kind })?;
        }
        // Segments are left out where there are none.
        if self.is_new && !self.left.is_empty() {
            for _ in 0..self.count()? {
                let [segment] = self.take()?;
                self.work.push(&mut self.layout.segments, segment)?;
            }
        }
        Ok(())
    }

    /// The next shape of the tree, with those below it.
    fn figure(&mut self, parent: Option<u32>, depth: usize) -> Result<Figure> {
        let own = self.entry;
        let Some(entry) = self.layout.entries.get(own) else { return Err(Fault::Bytes.into()) };
        if entry.parent != parent {
            return Err(Fault::Bytes.into());
        }
        let (kind, first) = (entry.kind, entry.figure);
        self.entry += 1;
        if kind.is_collection() {
            let depth = deeper(depth)?;
            let mut members = Vec::new();
            let own = own as u32;
            while self.layout.entries.get(self.entry).is_some_and(|at| at.parent == Some(own)) {
                let member = self.figure(Some(own), depth)?;
                self.work.push(&mut members, member)?;
            }
            return Ok(Figure::Collection(kind, members));
        }
        let Some(first) = first else { return Ok(Figure::empty(kind)) };
        let first = first as usize;
        let mut later = self.layout.entries[self.entry..].iter();
        let end = later.find_map(|entry| entry.figure);
        let end = end.map_or(self.layout.ranges.len(), |end| end as usize);
        if end <= first || kind == Kind::FullGlobe {
            return Err(Fault::Bytes.into());
        }
        Ok(match kind {
            Kind::Polygon => {
                let mut rings = Vec::new();
                for index in first..end {
                    let points = self.range(index)?.to_vec();
                    self.work.push(&mut rings, points)?;
                }
                Figure::Polygon(rings)
            }
            Kind::CurvePolygon => {
                let mut rings = Vec::new();
                for index in first..end {
                    let curve = self.curve(index)?;
                    self.work.push(&mut rings, curve)?;
                }
                Figure::CurvePolygon(rings)
            }
            _ if end != first + 1 => return Err(Fault::Bytes.into()),
            Kind::Point => match self.range(first)? {
                [at] => Figure::Point(Some(*at)),
                _ => return Err(Fault::Bytes.into()),
            },
            kind => {
                let curve = self.curve(first)?;
                if curve.kind() != kind {
                    return Err(Fault::Bytes.into());
                }
                Figure::Curve(curve)
            }
        })
    }

    /// The positions of a figure.
    fn range(&self, index: usize) -> Result<&[Position]> {
        let start = self.layout.ranges[index].start as usize;
        let next = self.layout.ranges.get(index + 1);
        let end = next.map_or(self.layout.points.len(), |next| next.start as usize);
        self.work.step(end - start)?;
        Ok(&self.layout.points[start..end])
    }

    fn curve(&mut self, index: usize) -> Result<Curve> {
        let points = self.range(index)?.to_vec();
        if !self.is_new {
            return Ok(Curve::Line(points));
        }
        match self.layout.ranges[index].attribute {
            attribute::LINE => Ok(Curve::Line(points)),
            attribute::ARC => Ok(Curve::Arcs(points)),
            attribute::COMPOUND => self.compound(&points),
            _ => Err(Fault::Bytes.into()),
        }
    }

    fn compound(&mut self, points: &[Position]) -> Result<Curve> {
        let mut parts: Vec<Part> = Vec::new();
        let mut at = 0;
        while at + 1 < points.len() {
            let Some(&segment) = self.layout.segments.get(self.segment) else {
                return Err(Fault::Bytes.into());
            };
            self.segment += 1;
            let is_arc = matches!(segment, segment::ARC | segment::FIRST_ARC);
            match segment {
                segment::FIRST_LINE | segment::FIRST_ARC => {
                    self.work.push(&mut parts, Part { is_arc, points: vec![points[at]] })?;
                }
                segment::LINE | segment::ARC => {}
                _ => return Err(Fault::Bytes.into()),
            }
            let width = if is_arc { 2 } else { 1 };
            match parts.last_mut().filter(|part| part.is_arc == is_arc) {
                Some(part) if at + width < points.len() => {
                    part.points.extend_from_slice(&points[at + 1..=at + width]);
                }
                _ => return Err(Fault::Bytes.into()),
            }
            at += width;
        }
        match parts.is_empty() {
            true => Err(Fault::Bytes.into()),
            false => Ok(Curve::Compound(parts)),
        }
    }
}
