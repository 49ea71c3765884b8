//! The methods of shapes.

use crate::error::{Fault, Result};
use crate::shape::{Figure, Kind, Shape, Space};
use crate::work::Work;

#[allow(unused_variables)]
impl Shape {
    /// A shape of these figures: checks what formats demand and finds out whether it is valid.
    /// Errors 24100, 24201, 24206 and those of rings and lines.
    pub fn new(space: Space, srid: i32, figure: Figure, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("new").into())
    }

    /// `Point(x, y, srid)` of geometry; of geography, X is the longitude.
    pub fn point(space: Space, x: f64, y: f64, srid: i32) -> Result<Shape> {
        Err(Fault::Unsupported("point").into())
    }

    /// The empty shape of a kind.
    pub fn empty(space: Space, kind: Kind, srid: i32) -> Result<Shape> {
        Err(Fault::Unsupported("empty").into())
    }

    /// The shape with another SRID: assigns `STSrid`.
    pub fn with_srid(self, srid: i32) -> Result<Shape> {
        Err(Fault::Unsupported("with_srid").into())
    }

    /// Reads well-known text, of the expected kind if there is one (`STPointFromText` ...).
    pub fn from_text(
        space: Space,
        text: &str,
        expected: Option<Kind>,
        srid: i32,
        work: &Work<'_>,
    ) -> Result<Shape> {
        Err(Fault::Unsupported("from_text").into())
    }

    /// `Parse`: well-known text; `NULL` in any case of letters is the caller's.
    pub fn parse(space: Space, text: &str, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("parse").into())
    }

    /// Reads well-known binary (OGC, with or without Z and M), of the expected kind if there is
    /// one.
    pub fn from_wkb(
        space: Space,
        bytes: &[u8],
        expected: Option<Kind>,
        srid: i32,
        work: &Work<'_>,
    ) -> Result<Shape> {
        Err(Fault::Unsupported("from_wkb").into())
    }

    /// `GeomFromGml`: reads GML 3 as SQL Server's subset has it.
    pub fn from_gml(space: Space, xml: &str, srid: i32, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("from_gml").into())
    }

    /// Reads the stored form of MS-SSCLRT, versions 1 and 2.
    pub fn from_bytes(space: Space, bytes: &[u8], work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("from_bytes").into())
    }

    /// `STAsText`: well-known text without Z and M.
    pub fn to_text(&self, work: &Work<'_>) -> Result<String> {
        Err(Fault::Unsupported("to_text").into())
    }

    /// `ToString`, `AsTextZM`: well-known text with Z and M.
    pub fn to_text_zm(&self, work: &Work<'_>) -> Result<String> {
        Err(Fault::Unsupported("to_text_zm").into())
    }

    /// `STAsBinary`: well-known binary without Z and M.
    pub fn to_wkb(&self, work: &Work<'_>) -> Result<Vec<u8>> {
        Err(Fault::Unsupported("to_wkb").into())
    }

    /// `AsBinaryZM`: well-known binary with Z and M.
    pub fn to_wkb_zm(&self, work: &Work<'_>) -> Result<Vec<u8>> {
        Err(Fault::Unsupported("to_wkb_zm").into())
    }

    /// `AsGml`: the text of an XML element.
    pub fn to_gml(&self, work: &Work<'_>) -> Result<String> {
        Err(Fault::Unsupported("to_gml").into())
    }

    /// The stored form of MS-SSCLRT.
    pub fn to_bytes(&self, work: &Work<'_>) -> Result<Vec<u8>> {
        Err(Fault::Unsupported("to_bytes").into())
    }

    /// About how many bytes the shape takes in memory.
    pub fn size_bytes(&self) -> usize {
        0
    }

    /// `STGeometryType`.
    pub fn type_name(&self) -> Result<&'static str> {
        Err(Fault::Unsupported("type_name").into())
    }

    /// `InstanceOf`.
    pub fn instance_of(&self, name: &str) -> Result<bool> {
        Err(Fault::Unsupported("instance_of").into())
    }

    /// `STDimension`: -1 of an empty shape.
    pub fn dimension(&self) -> Result<i32> {
        Err(Fault::Unsupported("dimension").into())
    }

    /// `STNumPoints`.
    pub fn num_points(&self) -> Result<usize> {
        Err(Fault::Unsupported("num_points").into())
    }

    /// `STPointN`, from 1; `None` behind the last one.
    pub fn point_n(&self, n: i32) -> Result<Option<Shape>> {
        Err(Fault::Unsupported("point_n").into())
    }

    /// `STX`, `Long`: `None` unless the shape is a point that is not empty. Invalid shapes
    /// answer.
    pub fn x(&self) -> Option<f64> {
        None
    }

    /// `STY`, `Lat`.
    pub fn y(&self) -> Option<f64> {
        None
    }

    /// `Z`.
    pub fn z(&self) -> Option<f64> {
        None
    }

    /// `M`.
    pub fn m(&self) -> Option<f64> {
        None
    }

    /// `HasZ`.
    pub fn has_z(&self) -> bool {
        false
    }

    /// `HasM`.
    pub fn has_m(&self) -> bool {
        false
    }

    /// `STNumGeometries`.
    pub fn num_geometries(&self) -> Result<usize> {
        Err(Fault::Unsupported("num_geometries").into())
    }

    /// `STGeometryN`, from 1.
    pub fn geometry_n(&self, n: i32, work: &Work<'_>) -> Result<Option<Shape>> {
        Err(Fault::Unsupported("geometry_n").into())
    }

    /// `NumRings` of geography; `None` unless it is a polygon.
    pub fn num_rings(&self) -> Result<Option<usize>> {
        Err(Fault::Unsupported("num_rings").into())
    }

    /// `RingN` of geography, from 1.
    pub fn ring_n(&self, n: i32, work: &Work<'_>) -> Result<Option<Shape>> {
        Err(Fault::Unsupported("ring_n").into())
    }

    /// `STExteriorRing` of geometry.
    pub fn exterior_ring(&self, work: &Work<'_>) -> Result<Option<Shape>> {
        Err(Fault::Unsupported("exterior_ring").into())
    }

    /// `STNumInteriorRing` of geometry.
    pub fn num_interior_rings(&self) -> Result<Option<usize>> {
        Err(Fault::Unsupported("num_interior_rings").into())
    }

    /// `STInteriorRingN` of geometry, from 1.
    pub fn interior_ring_n(&self, n: i32, work: &Work<'_>) -> Result<Option<Shape>> {
        Err(Fault::Unsupported("interior_ring_n").into())
    }

    /// `STNumCurves`: `None` unless the shape is one curve.
    pub fn num_curves(&self) -> Result<Option<usize>> {
        Err(Fault::Unsupported("num_curves").into())
    }

    /// `STCurveN`, from 1.
    pub fn curve_n(&self, n: i32, work: &Work<'_>) -> Result<Option<Shape>> {
        Err(Fault::Unsupported("curve_n").into())
    }

    /// `STStartPoint`.
    pub fn start_point(&self) -> Result<Option<Shape>> {
        Err(Fault::Unsupported("start_point").into())
    }

    /// `STEndPoint`.
    pub fn end_point(&self) -> Result<Option<Shape>> {
        Err(Fault::Unsupported("end_point").into())
    }

    /// `STIsClosed`.
    pub fn is_closed(&self) -> Result<bool> {
        Err(Fault::Unsupported("is_closed").into())
    }

    /// `STIsRing`: `None` unless the shape is a curve.
    pub fn is_ring(&self, work: &Work<'_>) -> Result<Option<bool>> {
        Err(Fault::Unsupported("is_ring").into())
    }

    /// `STIsSimple`.
    pub fn is_simple(&self, work: &Work<'_>) -> Result<bool> {
        Err(Fault::Unsupported("is_simple").into())
    }

    /// `IsValidDetailed`.
    pub fn valid_detail(&self, work: &Work<'_>) -> Result<String> {
        Err(Fault::Unsupported("valid_detail").into())
    }

    /// `MinDbCompatibilityLevel`: 100, or 110 of what SQL Server 2008 did not have.
    /// `MinDbCompatibilityLevel`: 100 or 110.
    pub fn min_db_compatibility_level(&self) -> i32 {
        100
    }

    /// `STBoundary` of geometry.
    pub fn boundary(&self, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("boundary").into())
    }

    /// `STCentroid` of geometry; `None` unless it has an area.
    pub fn centroid(&self, work: &Work<'_>) -> Result<Option<Shape>> {
        Err(Fault::Unsupported("centroid").into())
    }

    /// `STEnvelope` of geometry.
    pub fn envelope(&self, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("envelope").into())
    }

    /// `STPointOnSurface` of geometry; `None` of an empty shape.
    pub fn point_on_surface(&self, work: &Work<'_>) -> Result<Option<Shape>> {
        Err(Fault::Unsupported("point_on_surface").into())
    }

    /// `EnvelopeCenter` of geography; `None` of an empty shape.
    pub fn envelope_center(&self, work: &Work<'_>) -> Result<Option<Shape>> {
        Err(Fault::Unsupported("envelope_center").into())
    }

    /// `EnvelopeAngle` of geography, in degrees; `None` of an empty shape.
    pub fn envelope_angle(&self, work: &Work<'_>) -> Result<Option<f64>> {
        Err(Fault::Unsupported("envelope_angle").into())
    }

    /// `ReorientObject` of geography.
    pub fn reorient(&self, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("reorient").into())
    }

    /// `MakeValid`.
    pub fn make_valid(&self, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("make_valid").into())
    }

    /// `ShortestLineTo`; an empty LineString where one of the shapes is empty.
    pub fn shortest_line_to(&self, other: &Shape, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("shortest_line_to").into())
    }

    /// `STEquals`.
    pub fn equals(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        Err(Fault::Unsupported("equals").into())
    }

    /// `STDisjoint`.
    pub fn disjoint(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        Err(Fault::Unsupported("disjoint").into())
    }

    /// `STIntersects`, and `Filter` without an index.
    pub fn intersects(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        Err(Fault::Unsupported("intersects").into())
    }

    /// `STTouches` of geometry.
    pub fn touches(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        Err(Fault::Unsupported("touches").into())
    }

    /// `STCrosses` of geometry.
    pub fn crosses(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        Err(Fault::Unsupported("crosses").into())
    }

    /// `STWithin`.
    pub fn within(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        Err(Fault::Unsupported("within").into())
    }

    /// `STContains`.
    pub fn contains(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        Err(Fault::Unsupported("contains").into())
    }

    /// `STOverlaps`.
    pub fn overlaps(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        Err(Fault::Unsupported("overlaps").into())
    }

    /// `STRelate` of geometry. Errors 24109 and 24110 of the pattern.
    pub fn relate(&self, other: &Shape, pattern: &str, work: &Work<'_>) -> Result<bool> {
        Err(Fault::Unsupported("relate").into())
    }

    /// `STDistance`: in units of the plane, or of the SRID; `None` where one of the shapes is
    /// empty.
    pub fn distance(&self, other: &Shape, work: &Work<'_>) -> Result<Option<f64>> {
        Err(Fault::Unsupported("distance").into())
    }

    /// `STLength`: of curves, and of the rings of polygons.
    pub fn length(&self, work: &Work<'_>) -> Result<f64> {
        Err(Fault::Unsupported("length").into())
    }

    /// `STArea`.
    pub fn area(&self, work: &Work<'_>) -> Result<f64> {
        Err(Fault::Unsupported("area").into())
    }

    /// `STIntersection`.
    pub fn intersection(&self, other: &Shape, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("intersection").into())
    }

    /// `STUnion`.
    pub fn union(&self, other: &Shape, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("union").into())
    }

    /// `STDifference`.
    pub fn difference(&self, other: &Shape, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("difference").into())
    }

    /// `STSymDifference`.
    pub fn sym_difference(&self, other: &Shape, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("sym_difference").into())
    }

    /// `STConvexHull`.
    pub fn convex_hull(&self, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("convex_hull").into())
    }

    /// `STBuffer`.
    pub fn buffer(&self, distance: f64, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("buffer").into())
    }

    /// `BufferWithTolerance`. Error 24108.
    pub fn buffer_with_tolerance(
        &self,
        distance: f64,
        tolerance: f64,
        is_relative: bool,
        work: &Work<'_>,
    ) -> Result<Shape> {
        Err(Fault::Unsupported("buffer_with_tolerance").into())
    }

    /// `BufferWithCurves`.
    pub fn buffer_with_curves(&self, distance: f64, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("buffer_with_curves").into())
    }

    /// `Reduce`. Error 24125.
    pub fn reduce(&self, tolerance: f64, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("reduce").into())
    }

    /// `STCurveToLine`.
    pub fn curve_to_line(&self, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("curve_to_line").into())
    }

    /// `CurveToLineWithTolerance`. Error 24152.
    pub fn curve_to_line_with_tolerance(
        &self,
        tolerance: f64,
        is_relative: bool,
        work: &Work<'_>,
    ) -> Result<Shape> {
        Err(Fault::Unsupported("curve_to_line_with_tolerance").into())
    }
}
