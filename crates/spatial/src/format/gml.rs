//! GML 3, the part of it that SQL Server has. Positions of a geography are latitude, longitude.

use std::fmt::Write;

use base::xml::{self, Document, NodeId, NodeKind};

use crate::check::{check_figure, check_srid, deeper};
use crate::error::{Fault, Result};
use crate::number::Number;
use crate::shape::{Curve, Figure, Kind, Part, Position, Shape, Space};
use crate::work::Work;

/// The namespace of all elements but the globe's.
const GML: &str = "http://www.opengis.net/gml";
/// The namespace of the whole globe.
const GLOBE: &str = "http://schemas.microsoft.com/sqlserver/2011/geography";

impl Shape {
    /// `GeomFromGml`: reads GML 3 as SQL Server's subset has it.
    pub fn from_gml(space: Space, text: &str, srid: i32, work: &Work<'_>) -> Result<Shape> {
        check_srid(space, srid)?;
        let document = work.parse_xml(text)?;
        let reader = Reader { document: &document, space, work };
        let mut top = reader.elements(document.nodes().next());
        let (Some(element), None) = (top.next(), top.next()) else {
            return Err(Fault::Gml("missing".into()).into());
        };
        let figure = reader.figure(element, 0)?;
        check_figure(space, &figure, work)?;
        Shape::of_checked(space, srid, figure, work)
    }

    /// `AsGml`: the text of an XML element.
    pub fn to_gml(&self, work: &Work<'_>) -> Result<String> {
        let mut writer = Writer { out: String::new(), space: self.space, work };
        writer.figure(&self.figure, true)?;
        Ok(writer.out)
    }
}

struct Reader<'r> {
    document: &'r Document,
    space: Space,
    work: &'r Work<'r>,
}

impl<'r> Reader<'r> {
    /// The elements right below a node.
    fn elements(&self, node: Option<NodeId>) -> impl Iterator<Item = NodeId> + use<'r> {
        let document = self.document;
        let children = node.map(|node| document.children(node));
        children.into_iter().flatten().filter(|&at| document.kind(at) == NodeKind::Element)
    }

    /// The name of an element of GML's namespace.
    fn name(&self, element: NodeId) -> &'r str {
        let name = self.document.name(element);
        if name.uri == GML { name.local } else { "" }
    }

    fn fault<T>(&self, element: NodeId) -> Result<T> {
        Err(Fault::Gml(self.document.name(element).local.into()).into())
    }

    /// The only element below one, which has this name.
    fn only(&self, element: NodeId, name: &str) -> Result<NodeId> {
        let mut below = self.elements(Some(element));
        match (below.next(), below.next()) {
            (Some(only), None) if self.name(only) == name => Ok(only),
            _ => self.fault(element),
        }
    }

    fn figure(&self, element: NodeId, depth: usize) -> Result<Figure> {
        self.work.step(1)?;
        let name = self.document.name(element);
        if name.uri == GLOBE && name.local == "FullGlobe" {
            return Ok(Figure::FullGlobe);
        }
        Ok(match self.name(element) {
            "Point" => {
                let at = self.only(element, "pos")?;
                match self.positions(at)?.as_slice() {
                    [] => Figure::Point(None),
                    [at] => Figure::Point(Some(*at)),
                    _ => return self.fault(at),
                }
            }
            "LineString" => Figure::Curve(Curve::Line(self.line(element)?)),
            "Curve" => Figure::Curve(self.curve(element)?),
            "Polygon" => {
                let rings = self.rings(element)?;
                let lines = rings.into_iter().map(|ring| match ring {
                    Curve::Line(points) => Ok(points),
                    _ => self.fault(element),
                });
                Figure::Polygon(lines.collect::<Result<_>>()?)
            }
            "Surface" => {
                let patches = self.only(element, "patches")?;
                let patch = self.only(patches, "PolygonPatch")?;
                Figure::CurvePolygon(self.rings(patch)?)
            }
            "MultiPoint" => self.members(element, Kind::MultiPoint, "point", depth)?,
            "MultiCurve" => self.members(element, Kind::MultiLineString, "curve", depth)?,
            "MultiSurface" => self.members(element, Kind::MultiPolygon, "surface", depth)?,
            "MultiGeometry" => {
                self.members(element, Kind::GeometryCollection, "geometry", depth)?
            }
            _ => return self.fault(element),
        })
    }

    /// The members of a collection: each in an element of its own, or all in one.
    fn members(&self, element: NodeId, kind: Kind, name: &str, depth: usize) -> Result<Figure> {
        let depth = deeper(depth)?;
        let mut members = Vec::new();
        for below in self.elements(Some(element)) {
            let is_many = match self.name(below).strip_prefix(name) {
                Some("Member") => false,
                Some("Members") => true,
                _ => return self.fault(below),
            };
            for (index, member) in self.elements(Some(below)).enumerate() {
                if index > 0 && !is_many {
                    return self.fault(below);
                }
                let figure = self.figure(member, depth)?;
                self.work.push(&mut members, figure)?;
            }
        }
        Ok(Figure::Collection(kind, members))
    }

    fn rings(&self, element: NodeId) -> Result<Vec<Curve>> {
        let mut rings = Vec::new();
        for (index, below) in self.elements(Some(element)).enumerate() {
            let is_fine = match self.name(below) {
                "exterior" => index == 0 || self.space == Space::Geographic,
                "interior" => index > 0,
                _ => false,
            };
            let mut inside = self.elements(Some(below));
            let (true, Some(ring), None) = (is_fine, inside.next(), inside.next()) else {
                return self.fault(below);
            };
            let curve = match self.name(ring) {
                "LinearRing" => Curve::Line(self.line(ring)?),
                "Ring" => {
                    let member = self.only(ring, "curveMember")?;
                    self.curve(self.only(member, "Curve")?)?
                }
                _ => return self.fault(ring),
            };
            self.work.push(&mut rings, curve)?;
        }
        Ok(rings)
    }

    /// A curve of segments: one arc string is a CircularString, all else a CompoundCurve.
    fn curve(&self, element: NodeId) -> Result<Curve> {
        let segments = self.only(element, "segments")?;
        let mut parts = Vec::new();
        for segment in self.elements(Some(segments)) {
            let is_arc = match self.name(segment) {
                "ArcString" => true,
                "LineStringSegment" => false,
                _ => return self.fault(segment),
            };
            let points = self.line(segment)?;
            self.work.push(&mut parts, Part { is_arc, points })?;
        }
        Ok(match parts.as_mut_slice() {
            [Part { is_arc: true, points }] => Curve::Arcs(std::mem::take(points)),
            _ => Curve::Compound(parts),
        })
    }

    /// The positions of a line: one list, or single ones.
    fn line(&self, element: NodeId) -> Result<Vec<Position>> {
        let mut points = Vec::new();
        for (index, below) in self.elements(Some(element)).enumerate() {
            match self.name(below) {
                "posList" if index == 0 => points = self.positions(below)?,
                "pos" => match self.positions(below)?.as_slice() {
                    [at] => self.work.push(&mut points, *at)?,
                    _ => return self.fault(below),
                },
                _ => return self.fault(below),
            }
        }
        Ok(points)
    }

    fn positions(&self, element: NodeId) -> Result<Vec<Position>> {
        let text: String = self.document.texts(element).collect();
        let mut points = Vec::new();
        let mut words = text.split_ascii_whitespace();
        while let Some(first) = words.next() {
            let number = |word: &str| match word.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(number),
                _ => Err(Fault::NotFinite),
            };
            let Some(second) = words.next() else { return self.fault(element) };
            let (first, second) = (number(first)?, number(second)?);
            let at = match self.space {
                Space::Planar => Position::new(first, second),
                Space::Geographic => Position::new(second, first),
            };
            self.work.push(&mut points, at)?;
        }
        Ok(points)
    }
}

impl Work<'_> {
    fn parse_xml(&self, text: &str) -> Result<Document> {
        Ok(xml::parse_value(text.as_bytes(), Some(self.account()), self.pace())?)
    }
}

struct Writer<'w> {
    out: String,
    space: Space,
    work: &'w Work<'w>,
}

impl Writer<'_> {
    fn open(&mut self, name: &str, is_top: bool) {
        // Writing to a string cannot fail.
        let _ = match is_top {
            true => write!(self.out, "<{name} xmlns=\"{GML}\">"),
            false => write!(self.out, "<{name}>"),
        };
    }

    fn close(&mut self, name: &str) {
        let _ = write!(self.out, "</{name}>");
    }

    /// An element with something in it.
    fn within(&mut self, name: &str, fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.open(name, false);
        fill(self)?;
        self.close(name);
        Ok(())
    }

    fn figure(&mut self, figure: &Figure, is_top: bool) -> Result<()> {
        let name = match figure {
            Figure::FullGlobe => {
                let _ = write!(self.out, "<FullGlobe xmlns=\"{GLOBE}\" />");
                return Ok(());
            }
            Figure::Point(_) => "Point",
            Figure::Curve(Curve::Line(_)) => "LineString",
            Figure::Curve(_) => "Curve",
            Figure::Polygon(_) => "Polygon",
            Figure::CurvePolygon(_) => "Surface",
            Figure::Collection(Kind::MultiPoint, _) => "MultiPoint",
            Figure::Collection(Kind::MultiLineString, _) => "MultiCurve",
            Figure::Collection(Kind::MultiPolygon, _) => "MultiSurface",
            Figure::Collection(..) => "MultiGeometry",
        };
        self.open(name, is_top);
        match figure {
            Figure::Point(point) => self.positions("pos", point.as_slice())?,
            Figure::Curve(curve) => self.curve(curve)?,
            Figure::Polygon(rings) => {
                for (index, ring) in rings.iter().enumerate() {
                    self.ring(index, |writer| {
                        writer.within("LinearRing", |writer| writer.positions("posList", ring))
                    })?;
                }
            }
            Figure::CurvePolygon(rings) => self.patch(rings)?,
            Figure::Collection(_, members) if members.is_empty() => {}
            Figure::Collection(kind, members) => {
                let name = match kind {
                    Kind::MultiPoint => "pointMembers",
                    Kind::MultiLineString => "curveMembers",
                    Kind::MultiPolygon => "surfaceMembers",
                    _ => "geometryMembers",
                };
                self.within(name, |writer| {
                    members.iter().try_for_each(|member| writer.figure(member, false))
                })?;
            }
            Figure::FullGlobe => {}
        }
        self.close(name);
        Ok(())
    }

    fn ring(&mut self, index: usize, fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.within(if index == 0 { "exterior" } else { "interior" }, fill)
    }

    fn patch(&mut self, rings: &[Curve]) -> Result<()> {
        self.within("patches", |writer| {
            writer.within("PolygonPatch", |writer| {
                for (index, ring) in rings.iter().enumerate() {
                    writer.ring(index, |writer| match ring {
                        Curve::Line(points) => writer
                            .within("LinearRing", |writer| writer.positions("posList", points)),
                        curve => writer.within("Ring", |writer| {
                            writer.within("curveMember", |writer| {
                                writer.within("Curve", |writer| writer.curve(curve))
                            })
                        }),
                    })?;
                }
                Ok(())
            })
        })
    }

    fn curve(&mut self, curve: &Curve) -> Result<()> {
        match curve {
            Curve::Line(points) => self.positions("posList", points),
            Curve::Arcs(points) => self.within("segments", |writer| {
                writer.within("ArcString", |writer| writer.positions("posList", points))
            }),
            Curve::Compound(parts) => self.within("segments", |writer| {
                parts.iter().try_for_each(|part| {
                    let name = if part.is_arc { "ArcString" } else { "LineStringSegment" };
                    writer.within(name, |writer| writer.positions("posList", &part.points))
                })
            }),
        }
    }

    fn positions(&mut self, name: &str, points: &[Position]) -> Result<()> {
        self.work.admit(self.out.len() + 40 * points.len())?;
        if points.is_empty() {
            let _ = write!(self.out, "<{name} />");
            return Ok(());
        }
        self.open(name, false);
        for (index, at) in points.iter().enumerate() {
            self.work.step(1)?;
            let (first, second) = match self.space {
                Space::Planar => (at.x, at.y),
                Space::Geographic => (at.y, at.x),
            };
            let blank = if index > 0 { " " } else { "" };
            let _ = write!(self.out, "{blank}{} {}", Number(first), Number(second));
        }
        self.close(name);
        Ok(())
    }
}
