//! The members of geometry and geography.

use base::collation::codepage::{chars_to_string, unicode_to_string};
use base::convert::SpatialForms;
use base::{Account, Arena, Pace, SqlError, SqlResult, SqlType, TypeKind, Value, ValueRef};
use engine::catalog::def::{GridDensity, TessellationDef, TessellationScheme};
use spatial::{Density, Grid, Shape, Space, Work};

use super::{FLAG, Member, MemberKind, TEXT, method, of_type, property};

/// The aggregate that collects values for members of the kind [`MemberKind::Aggregate`]: of each
/// its length in four bytes and its bytes. NULLs are left out; the result is NULL if all are.
pub const fn collect(kind: TypeKind) -> &'static str {
    match kind {
        TypeKind::Geography => COLLECT_GEOGRAPHY,
        _ => COLLECT_GEOMETRY,
    }
}

/// That of geometry.
pub const COLLECT_GEOMETRY: &str = "GEOMETRY COLLECT";
/// That of geography.
pub const COLLECT_GEOGRAPHY: &str = "GEOGRAPHY COLLECT";

/// The function that sets the property `STSrid`.
pub const SET_SRID: &str = "SPATIAL SETSRID";

/// Bytes of arguments with which a member of a type is called while a statement is compiled, where
/// nothing else has its turn.
const FOLDED_MAX: usize = 8 << 10;

/// Whether a call of a spatial function with constants waits for the statement to be executed:
/// what it computes may take long.
pub fn is_long(name: &str, args: &[Value]) -> bool {
    if !super::is_internal(name) {
        return false;
    }
    let found = |members: &'static [Member]| {
        members.iter().find(|member| member.function == name).map(|member| member.kind)
    };
    let kind = found(GEOMETRY).or_else(|| found(GEOGRAPHY));
    let bytes: usize = args.iter().map(|arg| arg.as_ref().byte_len()).sum();
    match kind {
        Some(MemberKind::Static) => bytes > FOLDED_MAX,
        Some(_) => true,
        None => name == SET_SRID,
    }
}

/// What is read of strings and binaries while a statement is compiled, likewise.
pub fn forms_of_constant(value: &Value) -> Option<&'static dyn SpatialForms> {
    (value.as_ref().byte_len() <= FOLDED_MAX).then_some(FORMS)
}

/// Reads and writes geometry and geography for conversions.
pub const FORMS: &dyn SpatialForms = &Forms;

struct Forms;

/// The name of the function that yields where a search looks.
pub const COVER: &str = "SPATIAL COVER";

/// What part of its rows a search of a spatial index is expected to find, where nothing is known of
/// the shape.
pub const PART_FOUND: f64 = 0.01;

/// What a member asks of a spatial index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// Shapes that have a point in common; the member is to yield 1.
    Meeting,
    /// Shapes within a distance, which the member yields.
    Within,
}

/// The search that finds all rows for which a member may yield what it is to yield.
pub fn search_of(function: &str) -> Option<Search> {
    let (ty, name) = function.split_once(' ')?;
    match (ty, name) {
        ("GEOMETRY" | "GEOGRAPHY", "STDISTANCE") => Some(Search::Within),
        (
            "GEOMETRY" | "GEOGRAPHY",
            "FILTER" | "STCONTAINS" | "STEQUALS" | "STINTERSECTS" | "STOVERLAPS" | "STWITHIN",
        )
        | ("GEOMETRY", "STTOUCHES") => Some(Search::Meeting),
        _ => None,
    }
}

/// The grid of an index as an argument of functions.
pub fn encode_grid(of: &TessellationDef) -> Vec<u8> {
    let mut out = vec![of.scheme.code()];
    out.extend_from_slice(&of.cells_per_object.to_le_bytes());
    let bounds = of.bounds.map_or([0.0; 4], |b| [b.min_x, b.min_y, b.max_x, b.max_y]);
    bounds.iter().for_each(|bound| out.extend_from_slice(&bound.to_le_bytes()));
    out.extend(of.grids.iter().map(|density| density.code()));
    out
}

/// The grid of such an argument, and its space.
pub fn decode_grid(bytes: &[u8]) -> Option<(Space, Grid)> {
    let (scheme, rest) = bytes.split_first()?;
    let (cells, rest) = rest.split_first_chunk::<4>()?;
    let (bounds, rest) = rest.split_at_checked(4 * size_of::<f64>())?;
    let scheme = TessellationScheme::from_code(*scheme)?;
    let space = match scheme.is_geographic() {
        true => Space::Geographic,
        false => Space::Planar,
    };
    let cells = usize::try_from(i32::from_le_bytes(*cells)).ok()?;
    let mut bound =
        bounds.chunks_exact(size_of::<f64>()).map(|bytes| bytes.try_into().map(f64::from_le_bytes));
    let bounds = [(); 4].map(|()| bound.next().and_then(Result::ok).unwrap_or_default());
    if scheme.is_automatic() {
        return Some((space, Grid::auto(space, bounds, cells)));
    }
    let density = |at: usize| {
        Some(match GridDensity::from_code(*rest.get(at)?)? {
            GridDensity::Low => Density::Low,
            GridDensity::Medium => Density::Medium,
            GridDensity::High => Density::High,
        })
    };
    let levels = [density(0)?, density(1)?, density(2)?, density(3)?];
    Some((space, Grid::new(space, bounds, levels, cells)))
}

/// The space of a type.
pub fn space_of(kind: TypeKind) -> Space {
    match kind {
        TypeKind::Geography => Space::Geographic,
        _ => Space::Planar,
    }
}

/// Error 6522 of a method of a type. In its signature `Own` stands for the type's class.
#[cold]
pub fn thrown(error: spatial::Error, kind: TypeKind, routine: &str, signature: &str) -> SqlError {
    let class = kind.clr_class().unwrap_or_default();
    let own = class.rsplit('.').next().unwrap_or_default();
    let method = format!("{class}.{}", signature.replace("Own", own));
    error.into_sql(routine, &method)
}

/// Works with a shape where an arena has no account, which is charged with nothing.
pub fn with_work<T>(pace: &dyn Pace, arena: &Arena, run: impl FnOnce(&Work<'_>) -> T) -> T {
    match arena.account() {
        Some(account) => run(&Work::new(pace, account)),
        None => run(&Work::new(pace, &Account::new(usize::MAX, ""))),
    }
}

impl SpatialForms for Forms {
    fn of_text<'a>(
        &self,
        kind: TypeKind,
        text: ValueRef<'_>,
        ty: &SqlType,
        pace: &dyn Pace,
        arena: &'a Arena,
    ) -> SqlResult<Option<&'a [u8]>> {
        arena.admit(2 * text.byte_len())?;
        let text = match text {
            ValueRef::Chars(text) => chars_to_string(ty.collation, text),
            ValueRef::Unicode(text) => unicode_to_string(text),
            other => unreachable!("{other:?} is not a string"),
        };
        let read = with_work(pace, arena, |work| parsed(kind, &text, work));
        let read = read.map_err(|error| thrown(error, kind, kind.name(), PARSE))?;
        let Some(bytes) = read else { return Ok(None) };
        arena.admit(bytes.len())?;
        Ok(Some(arena.alloc_bytes(&bytes)))
    }

    fn check(&self, kind: TypeKind, bytes: &[u8], pace: &dyn Pace, arena: &Arena) -> SqlResult<()> {
        let read =
            with_work(pace, arena, |work| Shape::from_bytes(space_of(kind), bytes, work).map(drop));
        read.map_err(|error| thrown(error, kind, kind.name(), "Read(BinaryReader r)"))
    }

    fn text(
        &self,
        kind: TypeKind,
        bytes: &[u8],
        pace: &dyn Pace,
        arena: &Arena,
    ) -> SqlResult<String> {
        let text = with_work(pace, arena, |work| {
            Shape::from_bytes(space_of(kind), bytes, work)?.to_text_zm(work)
        });
        text.map_err(|error| thrown(error, kind, kind.name(), "ToString()"))
    }
}

const PARSE: &str = "Parse(SqlString s)";

/// The bytes of the shape that a text is; `None` of the text NULL.
pub fn parsed(kind: TypeKind, text: &str, work: &Work<'_>) -> spatial::Result<Option<Vec<u8>>> {
    if text.eq_ignore_ascii_case("NULL") {
        return Ok(None);
    }
    Shape::parse(space_of(kind), text, work)?.to_bytes(work).map(Some)
}

/// In upper case.
pub const fn upper<const LENGTH: usize>(text: &str) -> [u8; LENGTH] {
    let mut upper = [0; LENGTH];
    let mut at = 0;
    while at < LENGTH {
        upper[at] = text.as_bytes()[at].to_ascii_uppercase();
        at += 1;
    }
    upper
}

/// The name of the function of a member: that of the type, in upper case, and that of the member.
#[macro_export]
macro_rules! member_function {
    ($type:literal, $name:literal) => {{
        const WRITTEN: &str = concat!($type, " ", $name);
        const UPPER: [u8; WRITTEN.len()] = $crate::function::clr::spatial::upper(WRITTEN);
        const NAME: &str = match std::str::from_utf8(&UPPER) {
            Ok(name) => name,
            Err(_) => panic!("names of members are ASCII"),
        };
        NAME
    }};
}

const PLANE: SqlType = SqlType::geometry();
const GLOBE: SqlType = SqlType::geography();
const INT: SqlType = SqlType::int();
const FLOAT: SqlType = SqlType::float();
const BYTES: SqlType = SqlType::varbinary_max();
const XML: SqlType = SqlType::xml();
const WORD: SqlType = SqlType::nvarchar(4000, base::Collation::DEFAULT);

const fn aggregate(mut member: Member) -> Member {
    member.kind = MemberKind::Aggregate;
    member
}

const fn settable(mut member: Member, setter: &'static str) -> Member {
    member.setter = Some(setter);
    member
}

/// The members of one type: those of both, and these.
macro_rules! members {
    ($type:literal, $own:ident, { $($how:ident $(($of_type:ident))? $name:literal
        $(, $arguments:expr)? => $result:expr;)* }) => {
        &[$(
            members!(@ $how $(($of_type))?, $type, $name, $($arguments,)? $result),
        )*]
    };
    (@ $how:ident, $type:literal, $name:literal, $($rest:expr),*) => {
        $how($name, member_function!($type, $name), $($rest),*)
    };
    (@ $how:ident($of:ident), $type:literal, $name:literal, $($rest:expr),*) => {
        $of($how($name, member_function!($type, $name), $($rest),*))
    };
}

/// What both types have, and these.
macro_rules! both {
    ($type:literal, $own:ident, { $($more:tt)* }) => {
        members!($type, $own, {
            method "AsBinaryZM", &[] => BYTES;
            method "AsGml", &[] => XML;
            method "AsTextZM", &[] => TEXT;
            method "BufferWithCurves", &[FLOAT] => $own;
            method "BufferWithTolerance", &[FLOAT, FLOAT, FLAG] => $own;
            method "CurveToLineWithTolerance", &[FLOAT, FLAG] => $own;
            method "Filter", &[$own] => FLAG;
            method "InstanceOf", &[WORD] => FLAG;
            method "IsValidDetailed", &[] => TEXT;
            method "MakeValid", &[] => $own;
            method "MinDbCompatibilityLevel", &[] => INT;
            method "Reduce", &[FLOAT] => $own;
            method "ShortestLineTo", &[$own] => $own;
            method "STArea", &[] => FLOAT;
            method "STAsBinary", &[] => BYTES;
            method "STAsText", &[] => TEXT;
            method "STBuffer", &[FLOAT] => $own;
            method "STContains", &[$own] => FLAG;
            method "STConvexHull", &[] => $own;
            method "STCurveN", &[INT] => $own;
            method "STCurveToLine", &[] => $own;
            method "STDifference", &[$own] => $own;
            method "STDimension", &[] => INT;
            method "STDisjoint", &[$own] => FLAG;
            method "STDistance", &[$own] => FLOAT;
            method "STEndPoint", &[] => $own;
            method "STEquals", &[$own] => FLAG;
            method "STGeometryN", &[INT] => $own;
            method "STGeometryType", &[] => WORD;
            method "STIntersection", &[$own] => $own;
            method "STIntersects", &[$own] => FLAG;
            method "STIsClosed", &[] => FLAG;
            method "STIsEmpty", &[] => FLAG;
            method "STIsValid", &[] => FLAG;
            method "STLength", &[] => FLOAT;
            method "STNumCurves", &[] => INT;
            method "STNumGeometries", &[] => INT;
            method "STNumPoints", &[] => INT;
            method "STOverlaps", &[$own] => FLAG;
            method "STPointN", &[INT] => $own;
            method "STStartPoint", &[] => $own;
            method "STSymDifference", &[$own] => $own;
            method "STUnion", &[$own] => $own;
            method "STWithin", &[$own] => FLAG;
            method "ToString", &[] => TEXT;
            property "HasM" => FLAG;
            property "HasZ" => FLAG;
            property "IsNull" => FLAG;
            property "M" => FLOAT;
            property(settable_srid) "STSrid" => INT;
            property "Z" => FLOAT;
            property(of_type) "Null" => $own;
            method(of_type) "GeomFromGml", &[XML, INT] => $own;
            method(of_type) "Parse", &[TEXT] => $own;
            method(of_type) "Point", &[FLOAT, FLOAT, INT] => $own;
            method(of_type) "STGeomCollFromText", &[TEXT, INT] => $own;
            method(of_type) "STGeomCollFromWKB", &[BYTES, INT] => $own;
            method(of_type) "STGeomFromText", &[TEXT, INT] => $own;
            method(of_type) "STGeomFromWKB", &[BYTES, INT] => $own;
            method(of_type) "STLineFromText", &[TEXT, INT] => $own;
            method(of_type) "STLineFromWKB", &[BYTES, INT] => $own;
            method(of_type) "STMLineFromText", &[TEXT, INT] => $own;
            method(of_type) "STMLineFromWKB", &[BYTES, INT] => $own;
            method(of_type) "STMPointFromText", &[TEXT, INT] => $own;
            method(of_type) "STMPointFromWKB", &[BYTES, INT] => $own;
            method(of_type) "STMPolyFromText", &[TEXT, INT] => $own;
            method(of_type) "STMPolyFromWKB", &[BYTES, INT] => $own;
            method(of_type) "STPointFromText", &[TEXT, INT] => $own;
            method(of_type) "STPointFromWKB", &[BYTES, INT] => $own;
            method(of_type) "STPolyFromText", &[TEXT, INT] => $own;
            method(of_type) "STPolyFromWKB", &[BYTES, INT] => $own;
            method(aggregate) "CollectionAggregate", &[$own] => $own;
            method(aggregate) "ConvexHullAggregate", &[$own] => $own;
            method(aggregate) "EnvelopeAggregate", &[$own] => $own;
            method(aggregate) "UnionAggregate", &[$own] => $own;
            $($more)*
        })
    };
}

const fn settable_srid(member: Member) -> Member {
    settable(member, SET_SRID)
}

pub(super) static GEOMETRY: &[Member] = both!("GEOMETRY", PLANE, {
    method "STBoundary", &[] => PLANE;
    method "STCentroid", &[] => PLANE;
    method "STCrosses", &[PLANE] => FLAG;
    method "STEnvelope", &[] => PLANE;
    method "STExteriorRing", &[] => PLANE;
    method "STInteriorRingN", &[INT] => PLANE;
    method "STIsRing", &[] => FLAG;
    method "STIsSimple", &[] => FLAG;
    method "STNumInteriorRing", &[] => INT;
    method "STPointOnSurface", &[] => PLANE;
    method "STRelate", &[PLANE, WORD] => FLAG;
    method "STTouches", &[PLANE] => FLAG;
    property "STX" => FLOAT;
    property "STY" => FLOAT;
});

pub(super) static GEOGRAPHY: &[Member] = both!("GEOGRAPHY", GLOBE, {
    method "EnvelopeAngle", &[] => FLOAT;
    method "EnvelopeCenter", &[] => GLOBE;
    method "NumRings", &[] => INT;
    method "ReorientObject", &[] => GLOBE;
    method "RingN", &[INT] => GLOBE;
    property "Lat" => FLOAT;
    property "Long" => FLOAT;
});
