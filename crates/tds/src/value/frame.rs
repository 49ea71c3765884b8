//! Where a value begins and ends, without looking into it.

use crate::error::ProtocolError;
use crate::reader::ByteReader;
use crate::typeinfo::Layout;

/// The eight-byte length of a chunked value that is NULL.
pub const CHUNKED_NULL: u64 = u64::MAX;
/// The eight-byte length of a chunked value whose sender did not know it.
pub const CHUNKED_UNKNOWN: u64 = u64::MAX - 1;
/// The two-byte length that means NULL.
pub const SHORT_NULL: u16 = u16::MAX;
/// The four-byte length that means NULL.
pub const LONG_NULL: u32 = u32::MAX;
/// Bytes of the timestamp that follows a text pointer.
pub(crate) const TEXT_TIMESTAMP_LEN: usize = 8;

/// The bytes of one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame<'a> {
    /// NULL.
    Null,
    /// The value's bytes.
    Bytes(&'a [u8]),
    /// The value's bytes in two or more pieces.
    Chunks(Chunks<'a>),
}

/// The pieces of a chunked value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chunks<'a> {
    /// From the length of the first chunk to the end of the last.
    raw: &'a [u8],
    total: usize,
}

impl<'a> Chunks<'a> {
    /// The pieces put together.
    pub fn join(&self) -> Vec<u8> {
        let mut joined = Vec::with_capacity(self.total);
        let mut r = ByteReader::new(self.raw);
        // The lengths were checked when the frame was read, so this ends at the end of `raw`.
        while let Ok(length) = r.u32() {
            let Ok(chunk) = r.take(length as usize) else { break };
            joined.extend_from_slice(chunk);
        }
        joined
    }
}

/// Reads one value's frame.
///
/// # Errors
/// [`ProtocolError::Truncated`] when the value goes on after the end of `r`, which is then
/// somewhere within the value; [`ProtocolError::Malformed`] when lengths contradict each other.
pub fn read_frame<'a>(r: &mut ByteReader<'a>, layout: Layout) -> Result<Frame<'a>, ProtocolError> {
    Ok(match layout {
        Layout::Nothing => Frame::Null,
        Layout::Fixed(width) => Frame::Bytes(r.take(width.into())?),
        Layout::Byte => match r.u8()? {
            0 => Frame::Null,
            length => Frame::Bytes(r.take(length.into())?),
        },
        Layout::Short => match r.u16()? {
            SHORT_NULL => Frame::Null,
            length => Frame::Bytes(r.take(length.into())?),
        },
        Layout::Long => match r.u32()? {
            LONG_NULL => Frame::Null,
            length => Frame::Bytes(long(r, length)?),
        },
        Layout::Variant => match r.u32()? {
            0 => Frame::Null,
            length => Frame::Bytes(long(r, length)?),
        },
        Layout::TextPointer => match r.u8()? {
            0 => Frame::Null,
            pointer => {
                r.take(usize::from(pointer) + TEXT_TIMESTAMP_LEN)?;
                let length = r.u32()?;
                Frame::Bytes(long(r, length)?)
            }
        },
        Layout::Chunked => return chunked(r),
    })
}

fn long<'a>(r: &mut ByteReader<'a>, length: u32) -> Result<&'a [u8], ProtocolError> {
    if length > i32::MAX as u32 {
        return Err(ProtocolError::Malformed("a value is longer than 2 GB"));
    }
    r.take(length as usize)
}

fn chunked<'a>(r: &mut ByteReader<'a>) -> Result<Frame<'a>, ProtocolError> {
    let announced = r.u64()?;
    if announced == CHUNKED_NULL {
        return Ok(Frame::Null);
    }
    let start = r.position();
    let mut total = 0u64;
    let mut only: &[u8] = &[];
    let mut chunks = 0u32;
    loop {
        let before = r.position();
        let length = r.u32()?;
        if length == 0 {
            check_chunked_total(announced, total)?;
            let raw = &r.since(start)[..before - start];
            return Ok(match chunks {
                0 | 1 => Frame::Bytes(only),
                _ => Frame::Chunks(Chunks { raw, total: total as usize }),
            });
        }
        only = r.take(length as usize)?;
        total += u64::from(length);
        chunks = chunks.saturating_add(1);
    }
}

/// Compares the length that a chunked value announced with what came.
pub(crate) fn check_chunked_total(announced: u64, total: u64) -> Result<(), ProtocolError> {
    if announced == CHUNKED_UNKNOWN || announced == total {
        Ok(())
    } else {
        Err(ProtocolError::Malformed("the chunks of a value do not have the announced length"))
    }
}
