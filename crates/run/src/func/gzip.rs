//! `COMPRESS` and `DECOMPRESS`: values as gzip files (RFC 1952).

use base::account::check_length;
use base::arena::ArenaBuffer;
use base::pace::STRIDE;
use base::{Pace, SqlResult, SqlType, TypeKind, ValueRef};
use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};
use ir::function::descriptor::{CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::values::bytes;

/// Both directions.
pub(super) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::strict("COMPRESS", (1, 1), types_of_compress, compress),
    ScalarFunction::strict("DECOMPRESS", (1, 1), types_of_decompress, decompress),
];

/// What every file begins with: the format, deflate, no extras, no time, made for speed.
const HEADER: [u8; 10] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 4, 0];
/// What is known of a file's data behind it: its checksum and length.
const TRAILER_LEN: usize = 8;
/// Parts of a header that its flags say are there.
const FLAG_CHECKSUM: u8 = 2;
const FLAG_EXTRA: u8 = 4;
const FLAG_NAME: u8 = 8;
const FLAG_COMMENT: u8 = 16;

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
    let input = bytes(args[0]);
    let mut out = ctx.arena.buffer();
    out.try_extend(&HEADER)?;
    let mut state = Compress::new(Compression::fast(), false);
    let (mut checksum, mut piece) = (Crc::new(), [0; STRIDE]);
    let mut at = 0;
    loop {
        ctx.pace()?;
        let next = &input[at..input.len().min(at + STRIDE)];
        let flush = match at + next.len() == input.len() {
            true => FlushCompress::Finish,
            false => FlushCompress::None,
        };
        let (read, written) = (state.total_in(), state.total_out());
        let status = state
            .compress(next, &mut piece, flush)
            .map_err(|_| ir::internal("deflate takes all bytes"))?;
        let read = (state.total_in() - read) as usize;
        checksum.update(&next[..read]);
        at += read;
        out.try_extend(&piece[..(state.total_out() - written) as usize])?;
        if status == Status::StreamEnd {
            break;
        }
    }
    out.try_extend(&checksum.sum().to_le_bytes())?;
    out.try_extend(&(input.len() as u32).to_le_bytes())?;
    Ok(ValueRef::Bytes(out.finish()))
}

/// NULL for what is not one gzip file after another.
fn decompress<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let mut input = bytes(args[0]);
    let mut out = ctx.arena.buffer();
    loop {
        let Some(rest) = member(ctx, input, &mut out)? else { return Ok(ValueRef::Null) };
        if rest.is_empty() {
            return Ok(ValueRef::Bytes(out.finish()));
        }
        input = rest;
    }
}

/// Appends what one file holds. What follows it; none if it is no gzip file. Error 701 where the
/// memory does not hold it, 7119 where no value does.
fn member<'i>(
    ctx: &FnContext<'_>,
    input: &'i [u8],
    out: &mut ArenaBuffer<'_>,
) -> SqlResult<Option<&'i [u8]>> {
    let Some(mut data) = after_header(input) else { return Ok(None) };
    let mut state = Decompress::new(false);
    let (mut checksum, mut piece) = (Crc::new(), [0; STRIDE]);
    loop {
        ctx.pace()?;
        let (read, written) = (state.total_in(), state.total_out());
        let next = &data[..data.len().min(STRIDE)];
        let Ok(status) = state.decompress(next, &mut piece, FlushDecompress::None) else {
            return Ok(None);
        };
        let (read, written) =
            ((state.total_in() - read) as usize, (state.total_out() - written) as usize);
        data = &data[read..];
        check_length(out.len() + written)?;
        checksum.update(&piece[..written]);
        out.try_extend(&piece[..written])?;
        if status == Status::StreamEnd {
            break;
        }
        // Nothing more comes of what is not whole.
        if read == 0 && written == 0 {
            return Ok(None);
        }
    }
    let Some((trailer, rest)) = data.split_at_checked(TRAILER_LEN) else { return Ok(None) };
    let told = [checksum.sum().to_le_bytes(), checksum.amount().to_le_bytes()].concat();
    Ok((trailer == told).then_some(rest))
}

/// What follows the header of a gzip file, if there is one.
fn after_header(input: &[u8]) -> Option<&[u8]> {
    let (fixed, mut rest) = input.split_at_checked(HEADER.len())?;
    let flags = fixed[3];
    if fixed[..3] != HEADER[..3] || flags & 0xE0 != 0 {
        return None;
    }
    if flags & FLAG_EXTRA != 0 {
        let (length, after) = rest.split_at_checked(2)?;
        rest = after.get(usize::from(u16::from_le_bytes([length[0], length[1]]))..)?;
    }
    for part in [FLAG_NAME, FLAG_COMMENT] {
        if flags & part != 0 {
            rest = &rest[rest.iter().position(|byte| *byte == 0)? + 1..];
        }
    }
    if flags & FLAG_CHECKSUM != 0 {
        rest = rest.get(2..)?;
    }
    Some(rest)
}

#[cfg(test)]
mod tests;
