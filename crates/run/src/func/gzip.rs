//! `COMPRESS` and `DECOMPRESS`: values as gzip files (RFC 1952).

use std::io::{self, Read};

use base::account::check_length;
use base::pace::STRIDE;
use base::{Pace, SqlResult, SqlType, TypeKind, ValueRef};
use flate2::read::MultiGzDecoder;
use flate2::{Compression, GzBuilder};
use ir::function::descriptor::{CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::values::bytes;

/// Both directions.
pub(super) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::strict("COMPRESS", (1, 1), types_of_compress, compress),
    ScalarFunction::strict("DECOMPRESS", (1, 1), types_of_decompress, decompress),
];

/// What a file says of the system that has made it.
const NO_SYSTEM: u8 = 0;

fn types_of_compress(call: &Call<'_>) -> SqlResult<Inferred> {
    let arg = &call.args[0];
    let kind = arg.ty.kind;
    let takes = !kind.is_legacy_lob()
        && kind != TypeKind::RowVersion
        && (kind.is_character() || kind.is_binary());
    match arg.bare_null || !takes {
        true => Err(call.refuse(0)),
        false => Ok(call.types(SqlType::varbinary_max(), &[arg.ty])),
    }
}

fn types_of_decompress(call: &Call<'_>) -> SqlResult<Inferred> {
    let arg = &call.args[0];
    let kind = arg.ty.kind;
    let takes = !kind.is_legacy_lob() && kind != TypeKind::RowVersion && kind.is_binary();
    match arg.bare_null || !takes {
        true => Err(call.refuse(0)),
        false => Ok(call.types(SqlType::varbinary_max(), &[arg.ty])),
    }
}

fn compress<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let mut input = Paced { ctx, left: bytes(args[0]), stopped: Ok(()) };
    let packer = GzBuilder::new().operating_system(NO_SYSTEM);
    let packed = all_of(ctx, packer.read(&mut input, Compression::fast()))?;
    input.stopped?;
    packed.map(ValueRef::Bytes).ok_or_else(|| ir::internal("deflate takes all bytes"))
}

/// NULL for what is not one gzip file after another.
fn decompress<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let mut input = Paced { ctx, left: bytes(args[0]), stopped: Ok(()) };
    let unpacked = all_of(ctx, MultiGzDecoder::new(&mut input))?;
    input.stopped?;
    Ok(unpacked.map_or(ValueRef::Null, ValueRef::Bytes))
}

/// A value that is read in pieces, between which other sessions have their turn: much of it can
/// stand for nothing.
struct Paced<'p, 'a> {
    ctx: &'p FnContext<'a>,
    left: &'p [u8],
    /// Why reading has ended early.
    stopped: SqlResult<()>,
}

impl Read for Paced<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stopped = self.ctx.pace();
        match self.stopped {
            Ok(()) => self.left.read(buffer),
            Err(_) => Err(io::ErrorKind::Other.into()),
        }
    }
}

/// All that a reader has; none if it fails. Errors 701 and 7119 for more than memory or a value
/// takes.
fn all_of<'a>(ctx: &FnContext<'a>, mut reader: impl Read) -> SqlResult<Option<&'a [u8]>> {
    let mut all = ctx.arena.buffer();
    let mut piece = [0; STRIDE];
    loop {
        ctx.pace()?;
        let Ok(read) = reader.read(&mut piece) else { return Ok(None) };
        if read == 0 {
            return Ok(Some(all.finish()));
        }
        check_length(all.len() + read)?;
        all.try_extend(&piece[..read])?;
    }
}

#[cfg(test)]
mod tests;
