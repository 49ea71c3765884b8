//! What goes wrong, with SQL Server's numbers and texts.
//!
//! A method of a spatial type fails with error 6522, whose text names the class of an exception and
//! its message, which begins with a number of its own. [`Error::into_sql`] makes that error.

use std::fmt;

use base::clr;
use base::error::SqlError;

use crate::number::Number;
use crate::shape::{Kind, Space};

/// What most functions of this crate return.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a value cannot be computed.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// The method throws.
    Fault(Box<Fault>),
    /// The statement shall end: it was cancelled, or its memory is used up.
    Stopped(SqlError),
}

impl From<Fault> for Error {
    #[cold]
    fn from(fault: Fault) -> Error {
        Error::Fault(Box::new(fault))
    }
}

impl From<SqlError> for Error {
    #[cold]
    fn from(error: SqlError) -> Error {
        Error::Stopped(error)
    }
}

impl Error {
    /// The number that the message begins with, 24114 say; that of a stopped statement otherwise.
    pub fn number(&self) -> i32 {
        match self {
            Error::Fault(fault) => fault.number(),
            Error::Stopped(error) => error.number(),
        }
    }

    /// Error 6522 of a method, or the error that stopped the statement. The routine is the type or
    /// the aggregate (`geometry`, `GeometryUnionAggregate`), the method what was called.
    #[cold]
    pub fn into_sql(self, routine: &str, method: &dyn fmt::Display) -> SqlError {
        match self {
            Error::Fault(fault) => clr::exception(routine, fault.class(), &fault, method),
            Error::Stopped(error) => error,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Fault(fault) => fault.fmt(f),
            Error::Stopped(error) => write!(f, "{error:?}"),
        }
    }
}

/// A ring of a polygon, in messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RingName {
    /// The exterior ring of a planar polygon.
    Exterior,
    /// An interior ring of a planar polygon, from 1.
    Interior(usize),
    /// A ring of a geography, from 1.
    Ring(usize),
}

impl RingName {
    /// The name of the ring of this index, from 0.
    pub(crate) fn new(space: Space, index: usize) -> RingName {
        match (space, index) {
            (Space::Geographic, _) => RingName::Ring(index + 1),
            (Space::Planar, 0) => RingName::Exterior,
            (Space::Planar, _) => RingName::Interior(index),
        }
    }
}

impl fmt::Display for RingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RingName::Exterior => f.write_str("exterior ring"),
            RingName::Interior(index) => write!(f, "interior ring number {index}"),
            RingName::Ring(index) => write!(f, "ring number {index}"),
        }
    }
}

/// The exceptions of the spatial library.
#[derive(Clone, PartialEq, Debug)]
pub enum Fault {
    /// 24100: the SRID is not between 0 and 999999.
    Srid,
    /// 24102: the index of a point is less than 1.
    PointIndex(i32),
    /// 24103: the index of a geometry is less than 1.
    GeometryIndex(i32),
    /// 24104: the index of a ring is less than 1.
    RingIndex(i32),
    /// 24105: `InstanceOf` of a type that there is not.
    InstanceOf(String),
    /// 24108: `BufferWithTolerance` with a tolerance that is not positive.
    BufferTolerance(f64),
    /// 24109: the pattern of `STRelate` has not nine characters.
    PatternLength(usize),
    /// 24110: a character of the pattern of `STRelate`, counted from 0.
    PatternCharacter(usize, char),
    /// 24111: something follows the text of a shape.
    TextInvalid,
    /// 24112: the text is empty.
    TextEmpty,
    /// 24114: the text begins with no type that there is.
    Label(String),
    /// 24115: bytes are no well-known binary.
    BinaryInvalid,
    /// 24117: a LineString of one point.
    LineStringPoints,
    /// 24118, 24120, 24305: a ring of less than four points.
    RingPoints(RingName),
    /// 24119, 24121, 24306: a ring that does not end where it starts.
    RingOpen(RingName),
    /// 24125: `Reduce` with a negative tolerance.
    ReduceTolerance(f64),
    /// 24134: a part of a compound curve that does not start where the part before it ends.
    CompoundBroken,
    /// 24141: a number is expected at this position of the text.
    NumberExpected(usize, String),
    /// 24142: a token is expected at this position of the text.
    TokenExpected(&'static str, usize, String),
    /// 24144: the shape is not valid.
    Invalid,
    /// 24150: a FullGlobe in a collection.
    FullGlobeInCollection,
    /// 24151: the index of a curve is less than 1.
    CurveIndex(i32),
    /// 24152: `CurveToLineWithTolerance` with a tolerance that is not positive.
    CurveTolerance(f64),
    /// 24201: a latitude that is not between -90 and 90 degrees.
    Latitude,
    /// 24202: a longitude that is too far from the prime meridian.
    Longitude,
    /// 24204: a geography's SRID that is not in `sys.spatial_reference_systems`.
    GeographySrid,
    /// 24205: shapes that no hemisphere holds, of which this cannot be computed.
    Hemisphere,
    /// 24206: an edge between antipodal points.
    Antipodal,
    /// 24207: a buffer that is larger than the globe.
    BufferBeyondGlobe,
    /// 24209: the input ends within a shape.
    Truncated,
    /// 24210: bytes of a version that there is not.
    Version(Space, u8),
    /// 24212: a CircularString of one point.
    CircularStringPoints,
    /// 24213: a CircularString of an even number of points.
    CircularStringEven,
    /// 24214: an arc's points have different Z values.
    ArcHeight,
    /// 24300: a figure is missing.
    FigureMissing(Space),
    /// 24301: a segment is missing.
    SegmentMissing(Space),
    /// 24303: a kind of shape that the type does not have.
    KindInvalid(Kind),
    /// The bytes are no value of the type.
    Bytes,
    /// 24129: GML with an element that is not expected where it is.
    Gml(String),
    /// A coordinate that is not a finite number.
    NotFinite,
    /// The nesting of collections is too deep.
    Depth,
    /// More positions than can be numbered.
    TooLong,
}

const FORMAT: &str = "System.FormatException";
const ARGUMENT: &str = "System.ArgumentException";
const RANGE: &str = "System.ArgumentOutOfRangeException";
const GEODETIC: &str = "Microsoft.SqlServer.Types.GLArgumentException";

impl Fault {
    /// The number that the message begins with; 0 where it has none.
    pub fn number(&self) -> i32 {
        match self {
            Fault::Srid => 24100,
            Fault::PointIndex(_) => 24102,
            Fault::GeometryIndex(_) => 24103,
            Fault::RingIndex(_) => 24104,
            Fault::InstanceOf(_) => 24105,
            Fault::BufferTolerance(_) => 24108,
            Fault::PatternLength(_) => 24109,
            Fault::PatternCharacter(..) => 24110,
            Fault::TextInvalid => 24111,
            Fault::TextEmpty => 24112,
            Fault::Label(_) => 24114,
            Fault::BinaryInvalid => 24115,
            Fault::LineStringPoints => 24117,
            Fault::RingPoints(RingName::Exterior) => 24118,
            Fault::RingOpen(RingName::Exterior) => 24119,
            Fault::RingPoints(RingName::Interior(_)) => 24120,
            Fault::RingOpen(RingName::Interior(_)) => 24121,
            Fault::ReduceTolerance(_) => 24125,
            Fault::Gml(_) => 24129,
            Fault::CompoundBroken => 24134,
            Fault::NumberExpected(..) => 24141,
            Fault::TokenExpected(..) => 24142,
            Fault::Invalid => 24144,
            Fault::FullGlobeInCollection => 24150,
            Fault::CurveIndex(_) => 24151,
            Fault::CurveTolerance(_) => 24152,
            Fault::Latitude => 24201,
            Fault::Longitude => 24202,
            Fault::GeographySrid => 24204,
            Fault::Hemisphere => 24205,
            Fault::Antipodal => 24206,
            Fault::BufferBeyondGlobe => 24207,
            Fault::Truncated => 24209,
            Fault::Version(..) => 24210,
            Fault::CircularStringPoints => 24212,
            Fault::CircularStringEven => 24213,
            Fault::ArcHeight => 24214,
            Fault::FigureMissing(_) => 24300,
            Fault::SegmentMissing(_) => 24301,
            Fault::KindInvalid(_) => 24303,
            Fault::RingPoints(RingName::Ring(_)) => 24305,
            Fault::RingOpen(RingName::Ring(_)) => 24306,
            Fault::Bytes | Fault::NotFinite | Fault::Depth | Fault::TooLong => 0,
        }
    }

    /// The class of the exception.
    pub fn class(&self) -> &'static str {
        match self {
            Fault::PointIndex(_)
            | Fault::GeometryIndex(_)
            | Fault::RingIndex(_)
            | Fault::CurveIndex(_)
            | Fault::BufferTolerance(_)
            | Fault::CurveTolerance(_)
            | Fault::ReduceTolerance(_) => RANGE,
            Fault::Srid | Fault::GeographySrid | Fault::InstanceOf(_) | Fault::Invalid => ARGUMENT,
            Fault::Hemisphere | Fault::Antipodal | Fault::BufferBeyondGlobe => GEODETIC,
            _ => FORMAT,
        }
    }

    /// The argument that the exception names.
    fn parameter(&self) -> Option<&'static str> {
        match self {
            Fault::PointIndex(_)
            | Fault::GeometryIndex(_)
            | Fault::RingIndex(_)
            | Fault::CurveIndex(_) => Some("n"),
            Fault::BufferTolerance(_) | Fault::CurveTolerance(_) | Fault::ReduceTolerance(_) => {
                Some("tolerance")
            }
            _ => None,
        }
    }

    fn write_text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Srid => f.write_str(
                "The spatial reference identifier (SRID) is not valid. SRIDs must be between 0 and \
                 999999.",
            ),
            Fault::PointIndex(n) => write!(
                f,
                "The point index n ({n}) passed to STPointN is less than 1. This number must be \
                 greater than or equal to 1 and less than or equal to the number of points \
                 returned by STNumPoints."
            ),
            Fault::GeometryIndex(n) => write!(
                f,
                "The geometry index n ({n}) passed to STGeometryN is less than 1. The number must \
                 be greater than or equal to 1 and should be less than or equal to the number of \
                 instances returned by STNumGeometries."
            ),
            Fault::RingIndex(n) => write!(
                f,
                "The ring index n ({n}) passed to STInteriorRingN is less than 1. The number must \
                 be greater than or equal to 1 and should be less than or equal to the number of \
                 rings returned by STNumInteriorRing."
            ),
            Fault::CurveIndex(n) => write!(
                f,
                "The curve index n ({n}) passed to STCurveN is less than 1. This number must be \
                 greater than or equal to 1 and less than or equal to the number of curves \
                 returned by STNumCurves."
            ),
            Fault::InstanceOf(name) => write!(
                f,
                "The geometryType argument in InstanceOf ('{name}') is not valid. This argument \
                 must contain one of the following types: Geometry, Point, LineString, Curve, \
                 Polygon, Surface, MultiPoint, MultiLineString, MultiPolygon, MultiCurve, \
                 MultiSurface, GeometryCollection, CircularString, CompoundCurve, CurvePolygon or \
                 FullGlobe (geography Data Type only)."
            ),
            Fault::BufferTolerance(tolerance) => write!(
                f,
                "The tolerance ({}) passed to BufferWithTolerance is not valid. Tolerances must \
                 be positive numbers.",
                Number(*tolerance)
            ),
            Fault::CurveTolerance(tolerance) => write!(
                f,
                "The tolerance ({}) passed to CurveToLineWithTolerance is not valid. Tolerances \
                 must be positive numbers.",
                Number(*tolerance)
            ),
            Fault::ReduceTolerance(tolerance) => write!(
                f,
                "The tolerance ({}) passed to Reduce is not valid. Tolerances must be positive \
                 numbers.",
                Number(*tolerance)
            ),
            Fault::PatternLength(len) => write!(
                f,
                "The intersectionPatternMatrix argument to STRelate is not valid. This argument \
                 must contain exactly 9 characters, but the string provided has {len} characters."
            ),
            Fault::PatternCharacter(position, character) => write!(
                f,
                "Character {position} ({character}) of the intersectionPatternMatrix argument to \
                 STRelate is not valid. This argument must only contain the characters 0, 1, 2, \
                 T, F, and *."
            ),
            Fault::TextInvalid => f.write_str("The well-known text (WKT) input is not valid."),
            Fault::TextEmpty => f.write_str(
                "The well-known text (WKT) input is empty. To input an empty instance, specify an \
                 empty instance of one of the following types: Point, LineString, Polygon, \
                 MultiPoint, MultiLineString, MultiPolygon, CircularString, CompoundCurve, \
                 CurvePolygon or GeometryCollection.",
            ),
            Fault::Label(label) => write!(
                f,
                "The label {label} in the input well-known text (WKT) is not valid. Valid labels \
                 are POINT, LINESTRING, POLYGON, MULTIPOINT, MULTILINESTRING, MULTIPOLYGON, \
                 GEOMETRYCOLLECTION, CIRCULARSTRING, COMPOUNDCURVE, CURVEPOLYGON and FULLGLOBE \
                 (geography Data Type only)."
            ),
            Fault::BinaryInvalid => f.write_str("The well-known binary (WKB) input is not valid."),
            Fault::LineStringPoints => f.write_str(
                "The LineString input is not valid because it does not have enough points. A \
                 LineString must have at least two points.",
            ),
            Fault::RingPoints(ring) => write!(
                f,
                "The Polygon input is not valid because the {ring} does not have enough points. \
                 Each ring of a polygon must contain at least four points."
            ),
            Fault::RingOpen(ring) => write!(
                f,
                "The Polygon input is not valid because the start and end points of the {ring} \
                 are not the same. Each ring of a polygon must have the same start and end points."
            ),
            Fault::CompoundBroken => f.write_str(
                "Sequential parts of a compound curve must have one common endpoint. Add a common \
                 endpoint. All coordinates, including optional Z and M, must be equal.",
            ),
            Fault::NumberExpected(position, found) => write!(
                f,
                "A number is expected at position {position} of the input. The input has {found}."
            ),
            Fault::TokenExpected(token, position, found) => {
                write!(f, "Expected \"{token}\" at position {position}. The input has \"{found}\".")
            }
            Fault::Invalid => f.write_str(
                "This operation cannot be completed because the instance is not valid. Use \
                 MakeValid to convert the instance to a valid instance. Note that MakeValid may \
                 cause the points of a geometry instance to shift slightly.",
            ),
            Fault::FullGlobeInCollection => f.write_str(
                "FullGlobe instances cannot be objects in the GeometryCollection. \
                 GeometryCollections can contain the following instances: Points, MultiPoints, \
                 LineStrings, MultiLineStrings, Polygons, MultiPolygons, CircularStrings, \
                 CompoundCurves, CurvePolygons and GeometryCollections.",
            ),
            Fault::Latitude => f.write_str("Latitude values must be between -90 and 90 degrees."),
            Fault::Longitude => {
                f.write_str("Longitude values must be between -15069 and 15069 degrees.")
            }
            Fault::GeographySrid => f.write_str(
                "The spatial reference identifier (SRID) is not valid. The specified SRID must \
                 match one of the supported SRIDs displayed in the sys.spatial_reference_systems \
                 catalog view.",
            ),
            Fault::Hemisphere => f.write_str(
                "The specified input does not represent a valid geography instance because it \
                 exceeds a single hemisphere. Each geography instance must fit inside a single \
                 hemisphere. A common reason for this error is that a polygon has the wrong ring \
                 orientation.",
            ),
            Fault::Antipodal => f.write_str(
                "The specified input cannot be accepted because it contains an edge with \
                 antipodal points. For information about using spatial methods with FullGlobe \
                 objects, see Types of Spatial Data in SQL Server Books Online.",
            ),
            Fault::BufferBeyondGlobe => f.write_str(
                "The specified buffer distance exceeds the full globe. Decrease the buffer \
                 distance.",
            ),
            Fault::Truncated => f.write_str(
                "Unexpected end of input. Check that the input data is complete and has not been \
                 truncated.",
            ),
            Fault::Version(space, version) => write!(
                f,
                "{} type with an unexpected version of {version} received; only versions up to 2 \
                 are accepted.",
                space.title()
            ),
            Fault::CircularStringPoints => f.write_str(
                "The CircularString input is not valid because it does not have enough points. A \
                 CircularString must have at least three points.",
            ),
            Fault::CircularStringEven => f.write_str(
                "The CircularString input is not valid because it has an even number of points. A \
                 CircularString must have an odd number of points.",
            ),
            Fault::ArcHeight => f.write_str(
                "Circular arc segments with Z values must have equal Z value for all 3 points.",
            ),
            Fault::FigureMissing(space) => {
                write!(f, "Expected a call to BeginFigure, but End{} was called.", space.title())
            }
            Fault::SegmentMissing(space) => write!(
                f,
                "Expected a call to AddSegmentLine or AddSegmentArc, but End{} was called.",
                space.title()
            ),
            Fault::KindInvalid(kind) => {
                write!(f, "The OpenGisGeometryType provided, {}, is not valid.", kind.name())
            }
            Fault::Bytes | Fault::NotFinite => {
                f.write_str("One of the identified items was in an invalid format.")
            }
            Fault::Gml(reason) => write!(
                f,
                "The given XML instance is not valid because the top-level tag is {reason}. The \
                 top-level element of the input Geographic Markup Language (GML) must contain a \
                 Point, LineString, Polygon, MultiPoint, MultiGeometry, MultiCurve \
                 (MultiLineString), MultiSurface (MultiPolygon) or FullGlobe (geography Data Type \
                 only) object."
            ),
            Fault::Depth => f.write_str("The collections of the input are nested too deeply."),
            Fault::TooLong => f.write_str("The input has too many points."),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number() {
            0 => {}
            number => write!(f, "{number}: ")?,
        }
        self.write_text(f)?;
        match self.parameter() {
            Some(parameter) => write!(f, "\r\nParameter name: {parameter}"),
            None => Ok(()),
        }
    }
}
