//! The methods of geometry and geography, and their aggregates.
//!
//! Signatures are those of the class's methods, as messages show them; `Own` is the class itself.

use base::types::conversion::check_implicit;
use base::{SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::aggregate::AggregateFunction;
use ir::function::clr::spatial::{self as names, parsed, space_of, thrown, with_work};
use ir::function::clr::types_of_member;
use ir::function::descriptor::{ANY_NUMBER, CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::signature::Call;
use ir::function::state::{AggregateState, copied};
use ir::member_function;
use spatial::{Accumulator, Aggregate, Kind, Result, Shape, Space, Work};

use crate::func::values::{bytes, flag, float, int, string, text};

/// A call of a member.
struct Called<'c, 'a> {
    kind: TypeKind,
    args: &'c [ValueRef<'a>],
    types: &'c CallTypes,
    work: &'c Work<'c>,
}

/// What a member yields.
enum Answer {
    Null,
    Int(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    Shape(Box<Shape>),
}

macro_rules! answers {
    ($($ty:ty: |$value:ident| $answer:expr;)*) => {$(
        impl From<$ty> for Answer {
            fn from($value: $ty) -> Answer {
                $answer
            }
        }
    )*};
}

answers! {
    bool: |value| Answer::Int(i64::from(value));
    i32: |value| Answer::Int(i64::from(value));
    usize: |value| Answer::Int(value as i64);
    f64: |value| Answer::Float(value);
    String: |value| Answer::Text(value);
    &'static str: |value| Answer::Text(value.to_owned());
    Vec<u8>: |value| Answer::Bytes(value);
    Shape: |value| Answer::Shape(Box::new(value));
}

impl<T: Into<Answer>> From<Option<T>> for Answer {
    fn from(value: Option<T>) -> Answer {
        value.map_or(Answer::Null, Into::into)
    }
}

impl Called<'_, '_> {
    fn space(&self) -> Space {
        space_of(self.kind)
    }

    fn shape(&self, at: usize) -> Result<Shape> {
        Shape::from_bytes(self.space(), bytes(self.args[at]), self.work)
    }

    /// The value.
    fn own(&self) -> Result<Shape> {
        self.shape(0)
    }

    /// What the value and the first argument yield together: NULL if their SRIDs differ.
    fn both<T>(
        &self,
        compute: impl FnOnce(&Shape, &Shape, &Work<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let (own, other) = (self.own()?, self.shape(1)?);
        match own.srid() == other.srid() {
            true => compute(&own, &other, self.work).map(Some),
            false => Ok(None),
        }
    }

    fn int(&self, at: usize) -> i32 {
        int(self.args[at]) as i32
    }

    fn float(&self, at: usize) -> f64 {
        float(self.args[at])
    }

    fn flag(&self, at: usize) -> bool {
        int(self.args[at]) != 0
    }

    fn text(&self, at: usize) -> Result<String> {
        self.work.admit(2 * self.args[at].byte_len())?;
        Ok(text(self.args[at], self.types.args[at].collation))
    }

    /// A shape of well-known text and an SRID.
    fn of_text(&self, expected: Option<Kind>) -> Result<Shape> {
        let text = self.text(0)?;
        Shape::from_text(self.space(), &text, expected, self.int(1), self.work)
    }

    /// A shape of well-known binary and an SRID.
    fn of_binary(&self, expected: Option<Kind>) -> Result<Shape> {
        let bytes = bytes(self.args[0]);
        Shape::from_wkb(self.space(), bytes, expected, self.int(1), self.work)
    }
}

/// What a member with this signature yields. Errors 6522, and 6569 for an argument that must not be
/// NULL.
fn evaluate<'a, T: Into<Answer>>(
    ctx: &FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
    member: &Evaluated,
    compute: impl FnOnce(&Called<'_, 'a>) -> Result<T>,
) -> SqlResult<ValueRef<'a>> {
    let is_static = member.is_static;
    if !is_static && args[0].is_null() {
        return Ok(ValueRef::Null);
    }
    let mut is_null = false;
    for (at, _) in args.iter().enumerate().filter(|(_, arg)| arg.is_null()) {
        if types.args[at].kind.is_numeric() {
            let number = at + usize::from(is_static);
            let args: [&dyn std::fmt::Display; 2] = [&member.name, &number];
            return Err(SqlError::new(&message::CLR_NULL_ARGUMENT, &args));
        }
        is_null = true;
    }
    if is_null {
        return Ok(ValueRef::Null);
    }
    let kind = member.ty;
    let computed = with_work(ctx, ctx.arena, |work| {
        let answer = compute(&Called { kind, args, types, work })?.into();
        Ok(match answer {
            Answer::Shape(shape) => Answer::Bytes(shape.to_bytes(work)?),
            other => other,
        })
    });
    let answer = computed.map_err(|error| failed(error, member))?;
    finished(ctx, answer, &types.result)
}

/// Error 6522. Aggregates are classes of their own.
#[cold]
fn failed(error: spatial::Error, member: &Evaluated) -> SqlError {
    let (kind, signature) = (member.ty, member.signature);
    if !member.name.ends_with("Aggregate") {
        return thrown(error, kind, kind.name(), signature);
    }
    let space = if kind == TypeKind::Geography { "Geography" } else { "Geometry" };
    let routine = format!("{space}{}", member.name);
    error.into_sql(&routine, &format_args!("Microsoft.SqlServer.Types.{routine}.{signature}"))
}

/// An answer as of the type of the result.
fn finished<'a>(ctx: &FnContext<'a>, answer: Answer, ty: &SqlType) -> SqlResult<ValueRef<'a>> {
    Ok(match answer {
        Answer::Null => ValueRef::Null,
        Answer::Int(value) => ValueRef::Int(value),
        Answer::Float(value) => ValueRef::Float(value),
        Answer::Bytes(bytes) => ValueRef::Bytes(ctx.copy(&bytes)?),
        Answer::Text(text) => {
            ctx.arena.admit(2 * text.len())?;
            match ty.kind {
                TypeKind::Xml => {
                    let plain = SqlType::nvarchar_max(ty.collation);
                    let text = string(ctx.arena, &text, &plain);
                    let options = base::ConvertOptions { pace: ctx, ..Default::default() };
                    base::convert(text, &plain, ty, &options, ctx.arena)?
                }
                _ => string(ctx.arena, &text, ty),
            }
        }
        Answer::Shape(_) => return Err(ir::internal("shapes have become bytes")),
    })
}

/// What a member's evaluation knows of it.
struct Evaluated {
    ty: TypeKind,
    name: &'static str,
    signature: &'static str,
    is_static: bool,
}

/// The functions of the members of a type.
macro_rules! functions {
    ($type:literal, $ty:expr, { $($name:literal $signature:literal $is_static:literal
        |$called:ident| $compute:expr;)* }) => {
        &[$({
            fn eval<'a>(
                ctx: &mut FnContext<'a>,
                args: &[ValueRef<'a>],
                types: &CallTypes,
            ) -> SqlResult<ValueRef<'a>> {
                const MEMBER: Evaluated = Evaluated {
                    ty: $ty,
                    name: $name,
                    signature: $signature,
                    is_static: $is_static,
                };
                evaluate(ctx, args, types, &MEMBER, |$called| $compute)
            }
            let name = member_function!($type, $name);
            ScalarFunction::strict(name, (0, ANY_NUMBER), types_of_member, eval).own_nulls()
        }),*]
    };
}

/// What both types have, and these.
macro_rules! both {
    ($type:literal, $ty:expr, { $($more:tt)* }) => {
        functions!($type, $ty, {
            "AsBinaryZM" "AsBinaryZM()" false |c| c.own()?.to_wkb_zm(c.work);
            "AsGml" "AsGml()" false |c| c.own()?.to_gml(c.work);
            "AsTextZM" "AsTextZM()" false |c| c.own()?.to_text_zm(c.work);
            "BufferWithCurves" "BufferWithCurves(Double distance)" false
                |c| c.own()?.buffer_with_curves(c.float(1), c.work);
            "BufferWithTolerance"
                "BufferWithTolerance(Double distance, Double tolerance, Boolean relative)" false
                |c| c.own()?.buffer_with_tolerance(c.float(1), c.float(2), c.flag(3), c.work);
            "CurveToLineWithTolerance"
                "CurveToLineWithTolerance(Double tolerance, Boolean relative)" false
                |c| c.own()?.curve_to_line_with_tolerance(c.float(1), c.flag(2), c.work);
            "Filter" "Filter(Own other)" false |c| c.both(Shape::intersects);
            "InstanceOf" "InstanceOf(String geometryType)" false
                |c| c.own()?.instance_of(&c.text(1)?);
            "IsValidDetailed" "IsValidDetailed()" false |c| c.own()?.valid_detail(c.work);
            "MakeValid" "MakeValid()" false |c| c.own()?.make_valid(c.work);
            "MinDbCompatibilityLevel" "MinDbCompatibilityLevel()" false
                |c| Ok(c.own()?.min_db_compatibility_level());
            "Reduce" "Reduce(Double tolerance)" false |c| c.own()?.reduce(c.float(1), c.work);
            "ShortestLineTo" "ShortestLineTo(Own other)" false
                |c| c.both(Shape::shortest_line_to);
            "STArea" "STArea()" false |c| c.own()?.area(c.work);
            "STAsBinary" "STAsBinary()" false |c| c.own()?.to_wkb(c.work);
            "STAsText" "STAsText()" false |c| c.own()?.to_text(c.work);
            "STBuffer" "STBuffer(Double distance)" false |c| c.own()?.buffer(c.float(1), c.work);
            "STContains" "STContains(Own other)" false |c| c.both(Shape::contains);
            "STConvexHull" "STConvexHull()" false |c| c.own()?.convex_hull(c.work);
            "STCurveN" "STCurveN(Int32 n)" false |c| c.own()?.curve_n(c.int(1), c.work);
            "STCurveToLine" "STCurveToLine()" false |c| c.own()?.curve_to_line(c.work);
            "STDifference" "STDifference(Own other)" false |c| c.both(Shape::difference);
            "STDimension" "STDimension()" false |c| c.own()?.dimension();
            "STDisjoint" "STDisjoint(Own other)" false |c| c.both(Shape::disjoint);
            "STDistance" "STDistance(Own other)" false |c| c.both(Shape::distance);
            "STEndPoint" "STEndPoint()" false |c| c.own()?.end_point();
            "STEquals" "STEquals(Own other)" false |c| c.both(Shape::equals);
            "STGeometryN" "STGeometryN(Int32 n)" false |c| c.own()?.geometry_n(c.int(1), c.work);
            "STGeometryType" "STGeometryType()" false |c| c.own()?.type_name();
            "STIntersection" "STIntersection(Own other)" false |c| c.both(Shape::intersection);
            "STIntersects" "STIntersects(Own other)" false |c| c.both(Shape::intersects);
            "STIsClosed" "STIsClosed()" false |c| c.own()?.is_closed();
            "STIsEmpty" "STIsEmpty()" false |c| Ok(c.own()?.is_empty());
            "STIsValid" "STIsValid()" false |c| Ok(c.own()?.is_valid());
            "STLength" "STLength()" false |c| c.own()?.length(c.work);
            "STNumCurves" "STNumCurves()" false |c| c.own()?.num_curves();
            "STNumGeometries" "STNumGeometries()" false |c| c.own()?.num_geometries();
            "STNumPoints" "STNumPoints()" false |c| c.own()?.num_points();
            "STOverlaps" "STOverlaps(Own other)" false |c| c.both(Shape::overlaps);
            "STPointN" "STPointN(Int32 n)" false |c| c.own()?.point_n(c.int(1));
            "STStartPoint" "STStartPoint()" false |c| c.own()?.start_point();
            "STSymDifference" "STSymDifference(Own other)" false
                |c| c.both(Shape::sym_difference);
            "STUnion" "STUnion(Own other)" false |c| c.both(Shape::union);
            "STWithin" "STWithin(Own other)" false |c| c.both(Shape::within);
            "ToString" "ToString()" false |c| c.own()?.to_text_zm(c.work);
            "HasM" "get_HasM()" false |c| Ok(c.own()?.has_m());
            "HasZ" "get_HasZ()" false |c| Ok(c.own()?.has_z());
            "M" "get_M()" false |c| Ok(c.own()?.m());
            "STSrid" "get_STSrid()" false |c| Ok(c.own()?.srid());
            "Z" "get_Z()" false |c| Ok(c.own()?.z());
            "Null" "get_Null()" true |_c| Ok(Answer::Null);
            "GeomFromGml" "GeomFromGml(SqlXml xml, Int32 srid)" true
                |c| Shape::from_gml(c.space(), &c.text(0)?, c.int(1), c.work);
            "Parse" "Parse(SqlString s)" true |c| parsed(c.kind, &c.text(0)?, c.work);
            "STGeomCollFromText"
                "STGeomCollFromText(SqlChars geometryCollectionTaggedText, Int32 srid)" true
                |c| c.of_text(Some(Kind::GeometryCollection));
            "STGeomCollFromWKB" "STGeomCollFromWKB(SqlBytes wkbGeometryCollection, Int32 srid)" true
                |c| c.of_binary(Some(Kind::GeometryCollection));
            "STGeomFromText" "STGeomFromText(SqlChars geometryTaggedText, Int32 srid)" true
                |c| c.of_text(None);
            "STGeomFromWKB" "STGeomFromWKB(SqlBytes wkbGeometry, Int32 srid)" true
                |c| c.of_binary(None);
            "STLineFromText" "STLineFromText(SqlChars lineStringTaggedText, Int32 srid)" true
                |c| c.of_text(Some(Kind::LineString));
            "STLineFromWKB" "STLineFromWKB(SqlBytes wkbLineString, Int32 srid)" true
                |c| c.of_binary(Some(Kind::LineString));
            "STMLineFromText" "STMLineFromText(SqlChars multiLineStringTaggedText, Int32 srid)" true
                |c| c.of_text(Some(Kind::MultiLineString));
            "STMLineFromWKB" "STMLineFromWKB(SqlBytes wkbMultiLineString, Int32 srid)" true
                |c| c.of_binary(Some(Kind::MultiLineString));
            "STMPointFromText" "STMPointFromText(SqlChars multiPointTaggedText, Int32 srid)" true
                |c| c.of_text(Some(Kind::MultiPoint));
            "STMPointFromWKB" "STMPointFromWKB(SqlBytes wkbMultiPoint, Int32 srid)" true
                |c| c.of_binary(Some(Kind::MultiPoint));
            "STMPolyFromText" "STMPolyFromText(SqlChars multiPolygonTaggedText, Int32 srid)" true
                |c| c.of_text(Some(Kind::MultiPolygon));
            "STMPolyFromWKB" "STMPolyFromWKB(SqlBytes wkbMultiPolygon, Int32 srid)" true
                |c| c.of_binary(Some(Kind::MultiPolygon));
            "STPointFromText" "STPointFromText(SqlChars pointTaggedText, Int32 srid)" true
                |c| c.of_text(Some(Kind::Point));
            "STPointFromWKB" "STPointFromWKB(SqlBytes wkbPoint, Int32 srid)" true
                |c| c.of_binary(Some(Kind::Point));
            "STPolyFromText" "STPolyFromText(SqlChars polygonTaggedText, Int32 srid)" true
                |c| c.of_text(Some(Kind::Polygon));
            "STPolyFromWKB" "STPolyFromWKB(SqlBytes wkbPolygon, Int32 srid)" true
                |c| c.of_binary(Some(Kind::Polygon));
            "CollectionAggregate" "Terminate()" true |c| c.total(Aggregate::Collection);
            "ConvexHullAggregate" "Terminate()" true |c| c.total(Aggregate::ConvexHull);
            "EnvelopeAggregate" "Terminate()" true |c| c.total(Aggregate::Envelope);
            "UnionAggregate" "Terminate()" true |c| c.total(Aggregate::Union);
            $($more)*
        })
    };
}

pub(in crate::func) static GEOMETRY: &[ScalarFunction] = both!("GEOMETRY", TypeKind::Geometry, {
    "Point" "Point(Double x, Double y, Int32 srid)" true
        |c| Shape::point(c.space(), c.float(0), c.float(1), c.int(2));
    "STBoundary" "STBoundary()" false |c| c.own()?.boundary(c.work);
    "STCentroid" "STCentroid()" false |c| c.own()?.centroid(c.work);
    "STCrosses" "STCrosses(Own other)" false |c| c.both(Shape::crosses);
    "STEnvelope" "STEnvelope()" false |c| c.own()?.envelope(c.work);
    "STExteriorRing" "STExteriorRing()" false |c| c.own()?.exterior_ring(c.work);
    "STInteriorRingN" "STInteriorRingN(Int32 n)" false
        |c| c.own()?.interior_ring_n(c.int(1), c.work);
    "STIsRing" "STIsRing()" false |c| c.own()?.is_ring(c.work);
    "STIsSimple" "STIsSimple()" false |c| c.own()?.is_simple(c.work);
    "STNumInteriorRing" "STNumInteriorRing()" false |c| c.own()?.num_interior_rings();
    "STPointOnSurface" "STPointOnSurface()" false |c| c.own()?.point_on_surface(c.work);
    "STRelate" "STRelate(Own other, String intersectionPatternMatrix)" false |c| {
        let pattern = c.text(2)?;
        c.both(|own, other, work| own.relate(other, &pattern, work))
    };
    "STTouches" "STTouches(Own other)" false |c| c.both(Shape::touches);
    "STX" "get_STX()" false |c| Ok(c.own()?.x());
    "STY" "get_STY()" false |c| Ok(c.own()?.y());
});

pub(in crate::func) static GEOGRAPHY: &[ScalarFunction] = both!("GEOGRAPHY", TypeKind::Geography, {
    "Point" "Point(Double latitude, Double longitude, Int32 srid)" true
        |c| Shape::point(c.space(), c.float(1), c.float(0), c.int(2));
    "EnvelopeAngle" "EnvelopeAngle()" false |c| c.own()?.envelope_angle(c.work);
    "EnvelopeCenter" "EnvelopeCenter()" false |c| c.own()?.envelope_center(c.work);
    "NumRings" "NumRings()" false |c| c.own()?.num_rings();
    "ReorientObject" "ReorientObject()" false |c| c.own()?.reorient(c.work);
    "RingN" "RingN(Int32 n)" false |c| c.own()?.ring_n(c.int(1), c.work);
    "Lat" "get_Lat()" false |c| Ok(c.own()?.y());
    "Long" "get_Long()" false |c| Ok(c.own()?.x());
});

/// What does not fit the others.
pub(in crate::func) static SPECIAL: &[ScalarFunction] = &[
    ScalarFunction::strict(
        member_function!("GEOMETRY", "IsNull"),
        (1, 1),
        types_of_member,
        is_null,
    )
    .own_nulls(),
    ScalarFunction::strict(
        member_function!("GEOGRAPHY", "IsNull"),
        (1, 1),
        types_of_member,
        is_null,
    )
    .own_nulls(),
    ScalarFunction::strict(names::SET_SRID, (3, 3), types_of_set_srid, set_srid).own_nulls(),
];

fn is_null<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(flag(args[0].is_null()))
}

fn types_of_set_srid(call: &Call<'_>) -> SqlResult<Inferred> {
    let own = call.args[0].ty;
    match own.kind.is_spatial() {
        true => {
            Ok(call.types(own, &[own, SqlType::int(), SqlType::nvarchar(4000, call.collation)]))
        }
        false => Err(ir::internal("STSrid is of a shape")),
    }
}

/// The value with another SRID. Errors 5302, 6522, 6569.
fn set_srid<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    const NAME: &str = "STSrid";
    if args[0].is_null() {
        let target = text(args[2], types.args[2].collation);
        return Err(SqlError::new(&message::MUTATOR_OF_NULL, &[&NAME, &target]));
    }
    let (ty, signature) = (types.result.kind, "set_STSrid(Int32 value)");
    let member = Evaluated { ty, name: NAME, signature, is_static: false };
    evaluate(ctx, args, types, &member, |c| c.own()?.with_srid(c.int(1)))
}

/// Bytes of the length of a value that was collected.
const LENGTH: usize = 4;

pub(in crate::func) static AGGREGATES: [AggregateFunction; 2] =
    [collecting(names::COLLECT_GEOMETRY), collecting(names::COLLECT_GEOGRAPHY)];

const fn collecting(name: &'static str) -> AggregateFunction {
    AggregateFunction {
        name,
        arguments: (1, 1),
        windowed: false,
        ordered: false,
        ignores_duplicates: false,
        json: false,
        warns_of_null: false,
        init: |_| AggregateState::default(),
        add: collect,
        remove: None,
        merge: None,
        finish: |state, types, arena| Ok(copied(state.value(&types.result), arena)),
        infer: types_of_collect,
    }
}

/// Errors 206, 257.
fn types_of_collect(call: &Call<'_>) -> SqlResult<Inferred> {
    let own = match call.name {
        names::COLLECT_GEOGRAPHY => SqlType::geography(),
        _ => SqlType::geometry(),
    };
    if !call.args[0].bare_null {
        check_implicit(call.kind(0), own.kind)?;
    }
    Ok(call.types(SqlType::varbinary_max(), &[own]))
}

/// Appends a value. Error 7119 for more bytes than a value may have.
fn collect(state: &mut AggregateState, args: &[ValueRef<'_>], _: &CallTypes) -> SqlResult<()> {
    let ValueRef::Bytes(value) = args[0] else { return Ok(()) };
    state.count += 1;
    let kept = state.bytes();
    base::account::check_length(kept.len() + LENGTH + value.len())?;
    kept.extend_from_slice(&(value.len() as u32).to_le_bytes());
    kept.extend_from_slice(value);
    Ok(())
}

impl Called<'_, '_> {
    /// What an aggregate makes of the values that were collected.
    fn total(&self, aggregate: Aggregate) -> Result<Option<Shape>> {
        let mut total = Accumulator::new(aggregate);
        let mut rest = bytes(self.args[0]);
        while let Some((length, after)) = rest.split_first_chunk::<LENGTH>() {
            // A value that is cut is refused as any other that is malformed.
            let length = u32::from_le_bytes(*length) as usize;
            let (value, after) = after.split_at(length.min(after.len()));
            total.add(Shape::from_bytes(self.space(), value, self.work)?, self.work)?;
            rest = after;
        }
        total.finish(self.work)
    }
}

#[cfg(test)]
mod tests;
