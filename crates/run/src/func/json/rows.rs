//! `FOR JSON`: the object of a row, and the pieces in which a statement returns its document.

use base::arena::ArenaBuffer;
use base::{SqlResult, SqlType, ValueRef};
use ir::function::descriptor::{ANY_NUMBER, CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::json::{PIECE_UNITS, RowPart, RowShape, names};
use ir::function::signature::Call;

use super::build::types_of_values;
use super::render;
use crate::func::values::{bytes, bytes_or_none, int};

/// The binder's own functions for `FOR JSON`.
pub(in crate::func) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::strict(names::ROW, (1, ANY_NUMBER), types_of_row, row).own_nulls(),
    ScalarFunction::strict(names::PIECES, (1, 1), types_of_pieces, pieces),
    ScalarFunction::strict(names::PIECE, (2, 2), types_of_piece, piece),
];

/// Bytes that most objects have.
const ROOM: usize = 512;

/// Bytes of a piece.
const PIECE_BYTES: usize = 2 * PIECE_UNITS;

/// Values of any type, and the shape.
pub(in crate::func) fn types_of_row(call: &Call<'_>) -> SqlResult<Inferred> {
    let mut types = types_of_values(call)?;
    if let Some(shape) = types.args.last_mut() {
        *shape = SqlType::varbinary_max();
    }
    Ok(types)
}

/// `{"a":1,"b":{"c":2}},`; without its end if objects of the next level follow:
/// `{"a":1,"levels":[`.
fn row<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (shape, values) = args.split_last().expect("a row has a shape");
    let shape = bytes_or_none(*shape);
    let keeps_nulls = RowShape::keeps_nulls(shape);
    let mut values = values.iter().zip(&types.args);
    let mut object = Object { out: ctx.room(ROOM)?, comma: false, waiting: Vec::new() };
    render::ascii(&mut object.out, "{")?;
    for part in RowShape::parts(shape) {
        match part {
            RowPart::Open(name) => object.waiting.push(name),
            RowPart::Close => object.close()?,
            RowPart::Value { name, json } => {
                let Some((value, ty)) = values.next() else { break };
                if !value.is_null() || keeps_nulls {
                    object.name(name)?;
                    render::value(ctx, &mut object.out, ty, *value, json)?;
                }
            }
            RowPart::Array(name) => {
                object.name(name)?;
                render::ascii(&mut object.out, "[")?;
                return Ok(ValueRef::Unicode(object.out.finish()));
            }
        }
    }
    render::ascii(&mut object.out, "},")?;
    Ok(ValueRef::Unicode(object.out.finish()))
}

/// An object that is being written.
struct Object<'a, 's> {
    out: ArenaBuffer<'a>,
    /// Whether a property stands before the next one.
    comma: bool,
    /// The names of objects that have begun and have no property yet: if it stays so, they are left
    /// out.
    waiting: Vec<&'s [u8]>,
}

impl<'s> Object<'_, 's> {
    /// Begins a property, and the objects around it if it is their first.
    fn name(&mut self, name: &'s [u8]) -> SqlResult<()> {
        for waiting in std::mem::take(&mut self.waiting) {
            self.property(waiting)?;
            render::ascii(&mut self.out, "{")?;
            self.comma = false;
        }
        self.property(name)?;
        self.comma = true;
        Ok(())
    }

    fn property(&mut self, name: &[u8]) -> SqlResult<()> {
        if self.comma {
            self.out.try_extend(&[b',', 0])?;
        }
        self.out.try_extend(name)
    }

    fn close(&mut self) -> SqlResult<()> {
        match self.waiting.pop() {
            Some(_) => Ok(()),
            None => {
                self.comma = true;
                render::ascii(&mut self.out, "}")
            }
        }
    }
}

fn types_of_pieces(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::bigint(), &[SqlType::nvarchar_max(call.collation)]))
}

fn pieces<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(ValueRef::Int(bytes(args[0]).len().div_ceil(PIECE_BYTES) as i64))
}

fn types_of_piece(call: &Call<'_>) -> SqlResult<Inferred> {
    let text = SqlType::nvarchar_max(call.collation);
    Ok(call.types(text, &[text, SqlType::bigint()]))
}

fn piece<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (document, number) = (bytes(args[0]), int(args[1]));
    let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let piece = at.and_then(|at| document.chunks(PIECE_BYTES).nth(at));
    Ok(piece.map_or(ValueRef::Null, ValueRef::Unicode))
}
