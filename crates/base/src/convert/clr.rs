//! Into CLR types from strings and binaries, and back. Texts and bytes of hierarchyid are in
//! `hierarchy`; those of geometry and geography are read elsewhere.

use super::{ConvertOptions, binary, hierarchy, not_allowed, strings};
use crate::arena::Arena;
use crate::collation::codepage::string_to_unicode;
use crate::error::SqlResult;
use crate::pace::Pace;
use crate::types::conversion::{Convertibility, convertibility};
use crate::types::{SqlType, TypeKind};
use crate::value::ValueRef;

/// What reads and writes values of geometry and geography. `kind` is one of these.
pub trait SpatialForms {
    /// The value that a string in well-known text is; `None` of the text NULL. Error 6522.
    fn of_text<'a>(
        &self,
        kind: TypeKind,
        text: ValueRef<'_>,
        ty: &SqlType,
        pace: &dyn Pace,
        arena: &'a Arena,
    ) -> SqlResult<Option<&'a [u8]>>;

    /// Checks bytes that a client has sent or a statement has written. Error 6522.
    fn check(&self, kind: TypeKind, bytes: &[u8], pace: &dyn Pace, arena: &Arena) -> SqlResult<()>;

    /// The text of a value. Error 6522.
    fn text(
        &self,
        kind: TypeKind,
        bytes: &[u8],
        pace: &dyn Pace,
        arena: &Arena,
    ) -> SqlResult<String>;
}

/// Converts to a CLR type, or from one. Errors 529 and 6522.
pub(super) fn convert_clr<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    if from.kind == to.kind {
        return Ok(value);
    }
    if convertibility(from.kind, to.kind) == Convertibility::Never {
        return Err(not_allowed(from, to));
    }
    if to.kind.is_clr() {
        return match to.kind {
            TypeKind::HierarchyId => hierarchy::to_node(value, from, arena),
            _ => to_spatial(value, from, to, options, arena),
        };
    }
    let ValueRef::Bytes(bytes) = value else { unreachable!("{value:?} is of no CLR type") };
    if to.kind.is_binary() {
        let plain = SqlType::varbinary(from.length);
        return binary::to_binary(value, &plain, to, options, arena);
    }
    let (text, ty) = match (from.kind, options.spatial) {
        (TypeKind::HierarchyId, _) => (hierarchy::text_of(bytes)?, hierarchy::text_type()),
        (_, Some(forms)) => {
            let text = forms.text(from.kind, bytes, options.pace, arena)?;
            (text, SqlType::nvarchar_max(to.collation))
        }
        (_, None) => return Err(not_allowed(from, to)),
    };
    arena.admit(2 * text.len())?;
    let mut out = arena.buffer();
    string_to_unicode(&text, &mut out);
    let ty = ty.with_collation(to.collation);
    let options = ConvertOptions { style: None, ..*options };
    strings::to_text(ValueRef::Unicode(out.finish()), &ty, to, &options, arena)
}

fn to_spatial<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let Some(forms) = options.spatial else { return Err(not_allowed(from, to)) };
    match value {
        ValueRef::Bytes(bytes) => {
            forms.check(to.kind, bytes, options.pace, arena)?;
            Ok(value)
        }
        text => {
            let read = forms.of_text(to.kind, text, from, options.pace, arena)?;
            Ok(read.map_or(ValueRef::Null, ValueRef::Bytes))
        }
    }
}
