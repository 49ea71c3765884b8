//! The model: a shape and the tree of figures that it is made of.

use crate::error::{Fault, Result};

/// The plane or the globe.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// `geometry`: coordinates in a plane.
    Planar,
    /// `geography`: longitude and latitude in degrees on an ellipsoid.
    Geographic,
}

impl Space {
    /// The type's name in SQL.
    pub const fn name(self) -> &'static str {
        match self {
            Space::Planar => "geometry",
            Space::Geographic => "geography",
        }
    }

    /// The type's name in messages.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Space::Planar => "Geometry",
            Space::Geographic => "Geography",
        }
    }
}

/// What a shape can be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// One position, or none.
    Point = 1,
    /// Positions joined by straight lines.
    LineString = 2,
    /// An area within straight lines.
    Polygon = 3,
    /// Any number of points.
    MultiPoint = 4,
    /// Any number of lines.
    MultiLineString = 5,
    /// Any number of polygons.
    MultiPolygon = 6,
    /// Any shapes.
    GeometryCollection = 7,
    /// Arcs of circles, each through three positions.
    CircularString = 8,
    /// Lines and arcs that continue each other.
    CompoundCurve = 9,
    /// An area within lines and arcs.
    CurvePolygon = 10,
    /// The whole globe.
    FullGlobe = 11,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 11] = [
        Kind::Point,
        Kind::LineString,
        Kind::Polygon,
        Kind::MultiPoint,
        Kind::MultiLineString,
        Kind::MultiPolygon,
        Kind::GeometryCollection,
        Kind::CircularString,
        Kind::CompoundCurve,
        Kind::CurvePolygon,
        Kind::FullGlobe,
    ];

    /// The kind of this code of well-known binary, which is also that of MS-SSCLRT.
    pub fn from_code(code: u32) -> Option<Kind> {
        Kind::ALL.get(usize::try_from(code).ok()?.checked_sub(1)?).copied()
    }

    /// What `STGeometryType` returns.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Point => "Point",
            Kind::LineString => "LineString",
            Kind::Polygon => "Polygon",
            Kind::MultiPoint => "MultiPoint",
            Kind::MultiLineString => "MultiLineString",
            Kind::MultiPolygon => "MultiPolygon",
            Kind::GeometryCollection => "GeometryCollection",
            Kind::CircularString => "CircularString",
            Kind::CompoundCurve => "CompoundCurve",
            Kind::CurvePolygon => "CurvePolygon",
            Kind::FullGlobe => "FullGlobe",
        }
    }

    /// The label in well-known text.
    pub const fn label(self) -> &'static str {
        match self {
            Kind::Point => "POINT",
            Kind::LineString => "LINESTRING",
            Kind::Polygon => "POLYGON",
            Kind::MultiPoint => "MULTIPOINT",
            Kind::MultiLineString => "MULTILINESTRING",
            Kind::MultiPolygon => "MULTIPOLYGON",
            Kind::GeometryCollection => "GEOMETRYCOLLECTION",
            Kind::CircularString => "CIRCULARSTRING",
            Kind::CompoundCurve => "COMPOUNDCURVE",
            Kind::CurvePolygon => "CURVEPOLYGON",
            Kind::FullGlobe => "FULLGLOBE",
        }
    }

    /// Whether a shape of this kind is made of other shapes.
    pub const fn is_collection(self) -> bool {
        matches!(
            self,
            Kind::MultiPoint
                | Kind::MultiLineString
                | Kind::MultiPolygon
                | Kind::GeometryCollection
        )
    }
}

/// A position: X and Y, or longitude and latitude in degrees; elevation and measure where they are
/// given. All numbers are finite.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Position {
    /// X or longitude.
    pub x: f64,
    /// Y or latitude.
    pub y: f64,
    /// Elevation.
    pub z: Option<f64>,
    /// Measure.
    pub m: Option<f64>,
}

impl Position {
    /// A position without elevation and measure.
    pub fn new(x: f64, y: f64) -> Position {
        Position { x, y, z: None, m: None }
    }
}

/// A part of a compound curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// Whether the positions are joined by arcs rather than straight lines.
    pub is_arc: bool,
    /// At least two; an odd number of arcs.
    pub points: Vec<Position>,
}

/// A curve: what a line or a ring is made of.
#[derive(Clone, PartialEq, Debug)]
pub enum Curve {
    /// Straight lines.
    Line(Vec<Position>),
    /// Arcs: each from one position with an even index through the next one to the one after it.
    Arcs(Vec<Position>),
    /// Lines and arcs; each part starts where the part before it ends.
    Compound(Vec<Part>),
}

impl Curve {
    /// The kind of a shape that is this curve.
    pub fn kind(&self) -> Kind {
        match self {
            Curve::Line(_) => Kind::LineString,
            Curve::Arcs(_) => Kind::CircularString,
            Curve::Compound(_) => Kind::CompoundCurve,
        }
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        match self {
            Curve::Line(points) | Curve::Arcs(points) => points.is_empty(),
            Curve::Compound(parts) => parts.is_empty(),
        }
    }
}

/// A node of the tree that a shape is.
#[derive(Clone, PartialEq, Debug)]
pub enum Figure {
    /// A point; `None` is `POINT EMPTY`.
    Point(Option<Position>),
    /// A LineString, CircularString or CompoundCurve.
    Curve(Curve),
    /// The rings of a polygon, the exterior one first; in a geography, in any order.
    Polygon(Vec<Vec<Position>>),
    /// The rings of a curve polygon.
    CurvePolygon(Vec<Curve>),
    /// A MultiPoint, MultiLineString, MultiPolygon or GeometryCollection of its members.
    Collection(Kind, Vec<Figure>),
    /// The whole globe.
    FullGlobe,
}

impl Figure {
    /// What this is.
    pub fn kind(&self) -> Kind {
        match self {
            Figure::Point(_) => Kind::Point,
            Figure::Curve(curve) => curve.kind(),
            Figure::Polygon(_) => Kind::Polygon,
            Figure::CurvePolygon(_) => Kind::CurvePolygon,
            Figure::Collection(kind, _) => *kind,
            Figure::FullGlobe => Kind::FullGlobe,
        }
    }

    /// The empty shape of a kind; the globe itself for `FullGlobe`.
    pub fn empty(kind: Kind) -> Figure {
        match kind {
            Kind::Point => Figure::Point(None),
            Kind::LineString => Figure::Curve(Curve::Line(Vec::new())),
            Kind::CircularString => Figure::Curve(Curve::Arcs(Vec::new())),
            Kind::CompoundCurve => Figure::Curve(Curve::Compound(Vec::new())),
            Kind::Polygon => Figure::Polygon(Vec::new()),
            Kind::CurvePolygon => Figure::CurvePolygon(Vec::new()),
            Kind::FullGlobe => Figure::FullGlobe,
            collection => Figure::Collection(collection, Vec::new()),
        }
    }

    /// Whether there is no position in it.
    pub fn is_empty(&self) -> bool {
        match self {
            Figure::Point(point) => point.is_none(),
            Figure::Curve(curve) => curve.is_empty(),
            Figure::Polygon(rings) => rings.is_empty(),
            Figure::CurvePolygon(rings) => rings.is_empty(),
            Figure::Collection(_, members) => members.iter().all(Figure::is_empty),
            Figure::FullGlobe => false,
        }
    }
}

/// How deep collections may be nested.
pub const DEPTH_MAX: usize = 64;

/// The largest SRID.
pub const SRID_MAX: i32 = 999_999;

/// The SRID of a geography that is given none: WGS 84.
pub const DEFAULT_SRID: i32 = 4326;

/// A value of type `geometry` or `geography`.
///
/// The figures keep what formats demand: rings are closed and have four positions or more, lines
/// have two or more, numbers are finite, latitudes lie between -90 and 90, collections are nested
/// at most [`DEPTH_MAX`] deep. Whether the shape is valid besides is known as well.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    pub(crate) space: Space,
    pub(crate) srid: i32,
    pub(crate) figure: Figure,
    pub(crate) is_valid: bool,
    /// Whether it is a geography that does not fit in a hemisphere.
    pub(crate) is_large: bool,
}

impl Shape {
    /// Plane or globe.
    pub fn space(&self) -> Space {
        self.space
    }

    /// The spatial reference identifier. Operations on shapes of different SRIDs are the caller's
    /// to refuse: they give NULL.
    pub fn srid(&self) -> i32 {
        self.srid
    }

    /// The tree of figures.
    pub fn figure(&self) -> &Figure {
        &self.figure
    }

    /// `STIsValid`.
    pub fn is_valid(&self) -> bool {
        self.is_valid
    }

    /// Error 24144 unless the shape is valid.
    pub fn check_valid(&self) -> Result<()> {
        match self.is_valid {
            true => Ok(()),
            false => Err(Fault::Invalid.into()),
        }
    }

    /// Whether it is a geography that does not fit in a hemisphere.
    pub fn is_larger_than_hemisphere(&self) -> bool {
        self.is_large
    }

    /// What the shape is, whether it is valid or not. `STGeometryType` refuses what is not valid.
    pub fn kind(&self) -> Kind {
        self.figure.kind()
    }

    /// `STIsEmpty`.
    pub fn is_empty(&self) -> bool {
        self.figure.is_empty()
    }
}
