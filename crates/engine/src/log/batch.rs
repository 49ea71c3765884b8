//! Batches: the unit that is written, checked and acknowledged.
//!
//! ```text
//!  0 magic u32        4 version u16   6 flags u16
//!  8 CRC-32C u32     12 payload length u32
//! 16 database u128   32 epoch u64    40 salt u64
//! 48 first u64       56 end u64      64 previous end u64
//! 72 written u64     80 records u32  84 zero, 12 bytes
//! 96 payload: the records [first, end), runs of filler reduced to one header each
//! ```
//!
//! The checksum covers everything but the magic, the version, the flags and itself; those are
//! checked by value, the flags because they are mixed into the checksum's start. In a file, a batch
//! starts at a multiple of 4 KB and is padded to one.
//!
//! Batches form a chain: `previous end` is the `end` of the batch before, and epochs never fall.
//! `first` may be above it, where positions were used that need not be kept. The salt belongs to
//! the segment and is random, so that neither what a recycled file held before nor anything that a
//! user stores in a row can pass for a batch of it.

use base::ids::Lsn;

use super::record::RECORD_ALIGN;

/// Bytes before the payload.
pub const BATCH_HEADER: usize = 96;
/// The longest batch, header included. Below 1 MB, where log services draw the line.
pub const BATCH_MAX: usize = 900 << 10;
/// Batches start and end at multiples of this in files.
pub const BATCH_ALIGN: usize = 4096;

const MAGIC: u32 = u32::from_le_bytes(*b"TcLb");
const VERSION: u16 = 2;

/// The pages that a record of this length takes if it travels alone.
#[inline]
pub(super) const fn pages_for(record_len: usize) -> i64 {
    (BATCH_HEADER + record_len).div_ceil(BATCH_ALIGN) as i64
}

/// The batch is the first of its epoch: its writer has taken the log over.
pub const EPOCH_START: u16 = 1;
/// The batch is the last one: the log was shut down in order.
pub const CLEAN_END: u16 = 2;

/// What a batch says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BatchHeader {
    /// [`EPOCH_START`], [`CLEAN_END`].
    pub flags: u16,
    /// Bytes of the payload.
    pub payload_len: u32,
    /// The database whose log this is.
    pub database: u128,
    /// The term of the writer.
    pub epoch: u64,
    /// The segment's random number.
    pub salt: u64,
    /// Position of the first record.
    pub first: Lsn,
    /// Position after the last record; `first` if there are none.
    pub end: Lsn,
    /// `end` of the batch before.
    pub previous_end: Lsn,
    /// When it was written, in UTC ticks of 100 ns since 0001-01-01.
    pub written_ticks: u64,
    /// Records in the payload.
    pub records: u32,
}

impl BatchHeader {
    /// Writes the header, checksum included, in front of the payload that `batch` holds after
    /// [`BATCH_HEADER`] bytes of room.
    pub fn seal(&self, batch: &mut [u8]) {
        debug_assert_eq!(batch.len(), BATCH_HEADER + self.payload_len as usize);
        let mut put = |at: usize, bytes: &[u8]| batch[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &MAGIC.to_le_bytes());
        put(4, &VERSION.to_le_bytes());
        put(6, &self.flags.to_le_bytes());
        put(12, &self.payload_len.to_le_bytes());
        put(16, &self.database.to_le_bytes());
        put(32, &self.epoch.to_le_bytes());
        put(40, &self.salt.to_le_bytes());
        put(48, &self.first.0.to_le_bytes());
        put(56, &self.end.0.to_le_bytes());
        put(64, &self.previous_end.0.to_le_bytes());
        put(72, &self.written_ticks.to_le_bytes());
        put(80, &self.records.to_le_bytes());
        put(84, &[0; 12]);
        let checksum = checksum(self.flags, &batch[12..]);
        batch[8..12].copy_from_slice(&checksum.to_le_bytes());
    }

    /// The header at the start of these bytes, if its fields make sense. Its checksum needs the
    /// payload and is checked by [`BatchHeader::matches`].
    pub fn decode(bytes: &[u8]) -> Option<BatchHeader> {
        let bytes: &[u8; BATCH_HEADER] = bytes.first_chunk()?;
        let u32_at = |at| u32::from_le_bytes(field(bytes, at));
        let u64_at = |at| u64::from_le_bytes(field(bytes, at));
        let version = u16::from_le_bytes(field(bytes, 4));
        if u32_at(0) != MAGIC || version != VERSION || bytes[84..] != [0; 12] {
            return None;
        }
        let header = BatchHeader {
            flags: u16::from_le_bytes(field(bytes, 6)),
            payload_len: u32_at(12),
            database: u128::from_le_bytes(field(bytes, 16)),
            epoch: u64_at(32),
            salt: u64_at(40),
            first: Lsn(u64_at(48)),
            end: Lsn(u64_at(56)),
            previous_end: Lsn(u64_at(64)),
            written_ticks: u64_at(72),
            records: u32_at(80),
        };
        let aligned = |lsn: Lsn| lsn.0 % RECORD_ALIGN as u64 == 0;
        let sound = header.whole_len() <= BATCH_MAX
            && header.first <= header.end
            && header.previous_end <= header.first
            && aligned(header.first)
            && aligned(header.end);
        sound.then_some(header)
    }

    /// Whether the checksum in these bytes, header and payload, is right.
    pub fn matches(&self, batch: &[u8]) -> bool {
        batch.len() == self.whole_len()
            && u32::from_le_bytes(field(batch, 8)) == checksum(self.flags, &batch[12..])
    }

    /// Bytes of header and payload.
    pub fn whole_len(&self) -> usize {
        BATCH_HEADER + self.payload_len as usize
    }

    /// Bytes that the batch takes in a file.
    pub fn padded_len(&self) -> u64 {
        self.whole_len().next_multiple_of(BATCH_ALIGN) as u64
    }
}

fn checksum(flags: u16, bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(u32::from(flags), bytes)
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("a slice of N bytes")
}

#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;
