//! Records and the operations in them: how a transaction lies in the log.
//!
//! ```text
//! record     word 0: length | kind | flags | padding, word 1: related position, body, padding
//! body       [global transaction, 32 bytes] operation*
//! operation  kind u8 | flags u8 | layout u16 | length u32 | storage u64 | [stamp u64] payload
//! ```
//!
//! An operation that ends a version of a row says which, by the stamp that the version was
//! committed with; so a checkpoint, which keeps versions by their stamps, finds it without a
//! search. The length counts the stamp.
//!
//! All integers are little-endian. A record starts at a multiple of 16 and its length is one; the
//! body ends `padding` bytes before it. A record's first word is never 0, so that the ring can tell
//! a published record from cleared space.
//!
//! The operations of a large transaction are one stream of bytes, cut anywhere into the bodies of
//! chunk records and, last, of the commit (or prepare) record. The stream is named by the position
//! of its first chunk, which the others carry as their related position.
//!
//! Decoding trusts nothing: what does not parse is `None` or [`BadOperation`], never a panic.

use base::ids::{Lsn, ObjectId, StorageId};

/// Records start and end at multiples of this.
pub const RECORD_ALIGN: usize = 16;
/// Bytes of a record before its body.
pub const RECORD_HEADER: usize = 16;
/// The longest record, header included. Longer transactions are cut into chunks.
pub const RECORD_MAX: usize = 256 << 10;
/// The longest body.
pub const BODY_MAX: usize = RECORD_MAX - RECORD_HEADER;
/// Bytes of an operation before its payload.
pub const OPERATION_HEADER: usize = 16;
/// Bytes of a [`GlobalTransaction`] at the start of a body.
pub const GLOBAL_LEN: usize = 32;

/// The length of a record with a body of this many bytes.
#[inline]
pub const fn record_len(body_len: usize) -> usize {
    (RECORD_HEADER + body_len).next_multiple_of(RECORD_ALIGN)
}

/// What a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum RecordKind {
    /// A piece of a transaction that has not ended yet.
    Chunk = 1,
    /// A transaction over several databases whose fate its coordinator decides.
    Prepare = 2,
    /// The end of a transaction: its effects hold.
    Commit = 3,
    /// The end of a stream of chunks or of a prepared transaction: it never was.
    Abort = 4,
    /// Nothing: space that was reserved and not used.
    Filler = 5,
}

impl RecordKind {
    fn from_u8(kind: u8) -> Option<RecordKind> {
        Some(match kind {
            1 => RecordKind::Chunk,
            2 => RecordKind::Prepare,
            3 => RecordKind::Commit,
            4 => RecordKind::Abort,
            5 => RecordKind::Filler,
            _ => return None,
        })
    }
}

/// Properties of a record, to be combined by [`RecordFlags::with`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RecordFlags(u8);

impl RecordFlags {
    /// None.
    pub const NONE: RecordFlags = RecordFlags(0);
    /// The body continues the stream of chunks that the related position names.
    pub const CHUNKED: RecordFlags = RecordFlags(1);
    /// Some operation changes the catalog: replay treats the transaction as a barrier.
    pub const CATALOG: RecordFlags = RecordFlags(2);
    /// The body starts with a [`GlobalTransaction`].
    pub const GLOBAL: RecordFlags = RecordFlags(4);
    /// A commit or abort of the prepared transaction at the related position.
    pub const PREPARED: RecordFlags = RecordFlags(8);
    /// Filler in a file whose body is left out: only its header is stored.
    pub(super) const ELIDED: RecordFlags = RecordFlags(16);

    const ALL: u8 = 31;

    /// These and those.
    pub const fn with(self, more: RecordFlags) -> RecordFlags {
        RecordFlags(self.0 | more.0)
    }

    /// Whether all of those are among these.
    pub const fn has(self, flags: RecordFlags) -> bool {
        self.0 & flags.0 == flags.0
    }
}

/// The two words in front of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordHeader {
    /// Bytes of the record, this header and the padding included.
    pub len: u32,
    /// What it is.
    pub kind: RecordKind,
    /// Its properties.
    pub flags: RecordFlags,
    /// Bytes after the body, 0 to 15.
    pub padding: u8,
    /// The stream or the prepared transaction that this record belongs to, else 0.
    pub related: Lsn,
}

impl RecordHeader {
    /// The words as they lie in the ring and in files.
    pub fn encode(&self) -> [u64; 2] {
        let word = u64::from(self.len)
            | (self.kind as u64) << 32
            | u64::from(self.flags.0) << 40
            | u64::from(self.padding) << 48;
        [word, self.related.0]
    }

    /// The header that these words encode, if they encode one.
    pub fn decode(words: [u64; 2]) -> Option<RecordHeader> {
        let [word, related] = words;
        let header = RecordHeader {
            len: word as u32,
            kind: RecordKind::from_u8((word >> 32) as u8)?,
            flags: RecordFlags((word >> 40) as u8),
            padding: (word >> 48) as u8,
            related: Lsn(related),
        };
        let len = header.len as usize;
        let sound = word >> 56 == 0
            && header.flags.0 & !RecordFlags::ALL == 0
            && len % RECORD_ALIGN == 0
            && len >= RECORD_HEADER
            && usize::from(header.padding) < RECORD_ALIGN
            && usize::from(header.padding) <= len - RECORD_HEADER;
        let elided = header.flags.has(RecordFlags::ELIDED);
        (sound && (!elided || header.kind == RecordKind::Filler)).then_some(header)
    }

    /// The length in the first word of a published record; 0 if none is published there.
    #[inline]
    pub(super) const fn published_len(word: u64) -> u64 {
        word & 0xFFFF_FFFF
    }

    /// Bytes that the record takes in a file.
    pub(super) fn stored_len(&self) -> usize {
        match self.flags.has(RecordFlags::ELIDED) {
            true => RECORD_HEADER,
            false => self.len as usize,
        }
    }

    /// Bytes of the body.
    pub fn body_len(&self) -> usize {
        self.stored_len() - RECORD_HEADER - usize::from(self.padding)
    }
}

/// A transaction over several databases.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GlobalTransaction {
    /// The database in whose log the decision is.
    pub coordinator: u128,
    /// The transaction, unique at its coordinator.
    pub id: u64,
}

impl GlobalTransaction {
    /// The bytes at the start of a body whose record has [`RecordFlags::GLOBAL`].
    pub fn encode(&self) -> [u8; GLOBAL_LEN] {
        let mut bytes = [0; GLOBAL_LEN];
        bytes[..16].copy_from_slice(&self.coordinator.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.id.to_le_bytes());
        bytes
    }

    /// What these bytes encode, if they encode one.
    pub fn decode(bytes: &[u8]) -> Option<GlobalTransaction> {
        let (coordinator, rest) = bytes.split_first_chunk()?;
        let (id, rest) = rest.split_first_chunk()?;
        let reserved = rest.first_chunk::<8>()?;
        (*reserved == [0; 8]).then_some(GlobalTransaction {
            coordinator: u128::from_le_bytes(*coordinator),
            id: u64::from_le_bytes(*id),
        })
    }
}

/// What takes the bytes of a body: a buffer, or reserved log space.
pub trait RecordWriter {
    /// Appends these bytes.
    fn put(&mut self, bytes: &[u8]);
}

impl RecordWriter for Vec<u8> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// What a change replaces that had been in trees: its stamp is not remembered.
pub const PROMOTED: Lsn = Lsn::ZERO;

/// One change that a transaction made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation<'a> {
    /// The row with this image's identity key has this image.
    Upsert {
        /// Where.
        storage: StorageId,
        /// The layout of the row's bytes.
        layout: u16,
        /// The stamp of the version that this image replaces, or [`PROMOTED`]; none if there was no
        /// row.
        replaces: Option<Lsn>,
        /// The whole row.
        row: &'a [u8],
    },
    /// The row with this identity key is gone.
    Delete {
        /// Where.
        storage: StorageId,
        /// The stamp of the version that is deleted, or [`PROMOTED`].
        replaces: Lsn,
        /// The normalized key.
        key: &'a [u8],
    },
    /// The row with this image's identity key has this image, in a storage that the transaction
    /// makes, whose trees say so when the transaction commits. Recovery that has those trees passes
    /// it by.
    Load {
        /// The new storage.
        storage: StorageId,
        /// The row's layout.
        layout: u16,
        /// The row.
        row: &'a [u8],
    },
    /// The row with this identity key is gone from such a storage, if there was one.
    Unload {
        /// The new storage.
        storage: StorageId,
        /// The normalized key.
        key: &'a [u8],
    },
    /// The storage is gone, with all its rows.
    DropStorage {
        /// Which.
        storage: StorageId,
    },
    /// The storage's rows so far are gone.
    TruncateStorage {
        /// Which.
        storage: StorageId,
    },
    /// Identity values up to this one may have been given out.
    IdentityCeiling {
        /// The table's storage.
        storage: StorageId,
        /// The farthest value in the direction of the increment.
        ceiling: i128,
    },
    /// Sequence values up to this one may have been given out.
    SequenceCeiling {
        /// The sequence.
        sequence: ObjectId,
        /// The farthest value in the direction of the increment.
        ceiling: i128,
    },
    /// Anything else; replay must know the kind.
    Other {
        /// A number from [`Operation::FIRST_OTHER`] on.
        kind: u8,
        /// Free for the kind's use.
        layout: u16,
        /// Free for the kind's use.
        storage: StorageId,
        /// Free for the kind's use.
        payload: &'a [u8],
    },
}

/// Bytes that encode no operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadOperation;

/// An operation's header: what there is to know before its payload is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OperationHeader {
    kind: u8,
    flags: u8,
    layout: u16,
    pub payload_len: u32,
    storage: StorageId,
}

const UPSERT: u8 = 1;
const DELETE: u8 = 2;
const DROP_STORAGE: u8 = 3;
const TRUNCATE_STORAGE: u8 = 4;
const IDENTITY_CEILING: u8 = 5;
const SEQUENCE_CEILING: u8 = 6;
const LOAD: u8 = 7;
const UNLOAD: u8 = 8;
/// The flag of an operation whose payload starts with the stamp of what it replaces.
const REPLACES: u8 = 1;
/// Bytes of that stamp.
const STAMP_LEN: usize = 8;
/// Bytes of a ceiling.
const NUMBER_LEN: u32 = 16;

impl OperationHeader {
    fn encode(&self) -> [u8; OPERATION_HEADER] {
        let mut bytes = [0; OPERATION_HEADER];
        bytes[0] = self.kind;
        bytes[1] = self.flags;
        bytes[2..4].copy_from_slice(&self.layout.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.payload_len.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.storage.0.to_le_bytes());
        bytes
    }

    /// The header that these bytes encode. If they do, any payload of the length that it gives
    /// makes an operation.
    pub fn decode(bytes: &[u8; OPERATION_HEADER]) -> Result<OperationHeader, BadOperation> {
        let word = u64::from_le_bytes(*bytes.first_chunk().ok_or(BadOperation)?);
        let storage = u64::from_le_bytes(*bytes.last_chunk().ok_or(BadOperation)?);
        let (kind, flags) = (word as u8, (word >> 8) as u8);
        let header = OperationHeader {
            kind,
            flags,
            layout: (word >> 16) as u16,
            payload_len: (word >> 32) as u32,
            storage: StorageId(storage),
        };
        let stamped = flags == REPLACES && header.payload_len as usize >= STAMP_LEN;
        let fits = match kind {
            UPSERT => stamped || flags == 0,
            DELETE => stamped,
            _ if flags != 0 => false,
            LOAD | UNLOAD => true,
            DROP_STORAGE | TRUNCATE_STORAGE => header.payload_len == 0,
            IDENTITY_CEILING => header.payload_len == NUMBER_LEN,
            SEQUENCE_CEILING => header.payload_len == NUMBER_LEN && storage >> 32 == 0,
            _ => kind >= Operation::FIRST_OTHER,
        };
        if fits { Ok(header) } else { Err(BadOperation) }
    }

    /// The operation with this payload, which is as long as the header says.
    pub fn operation<'a>(&self, payload: &'a [u8]) -> Operation<'a> {
        let OperationHeader { kind, layout, storage, .. } = *self;
        let number = || i128::from_le_bytes(payload.try_into().expect("the length was checked"));
        match kind {
            UPSERT if self.flags == 0 => {
                Operation::Upsert { storage, layout, replaces: None, row: payload }
            }
            UPSERT | DELETE => {
                let (stamp, rest) = payload.split_first_chunk().expect("the length was checked");
                let replaces = Lsn(u64::from_le_bytes(*stamp));
                match kind {
                    DELETE => Operation::Delete { storage, replaces, key: rest },
                    _ => {
                        let replaces = Some(replaces);
                        Operation::Upsert { storage, layout, replaces, row: rest }
                    }
                }
            }
            LOAD => Operation::Load { storage, layout, row: payload },
            UNLOAD => Operation::Unload { storage, key: payload },
            DROP_STORAGE => Operation::DropStorage { storage },
            TRUNCATE_STORAGE => Operation::TruncateStorage { storage },
            IDENTITY_CEILING => Operation::IdentityCeiling { storage, ceiling: number() },
            SEQUENCE_CEILING => {
                let sequence = ObjectId(storage.0 as u32 as i32);
                Operation::SequenceCeiling { sequence, ceiling: number() }
            }
            _ => Operation::Other { kind, layout, storage, payload },
        }
    }
}

impl Operation<'_> {
    /// The first kind that [`Operation::Other`] may have.
    pub const FIRST_OTHER: u8 = 64;

    /// Bytes that [`Operation::encode`] appends.
    #[inline]
    pub fn encoded_len(&self) -> usize {
        OPERATION_HEADER
            + match self {
                Operation::Upsert { replaces: Some(_), row: payload, .. }
                | Operation::Delete { key: payload, .. } => STAMP_LEN + payload.len(),
                Operation::Upsert { replaces: None, row: payload, .. }
                | Operation::Load { row: payload, .. }
                | Operation::Unload { key: payload, .. }
                | Operation::Other { payload, .. } => payload.len(),
                Operation::DropStorage { .. } | Operation::TruncateStorage { .. } => 0,
                Operation::IdentityCeiling { .. } | Operation::SequenceCeiling { .. } => 16,
            }
    }

    /// Appends the operation to a body.
    ///
    /// # Panics
    /// If the payload is 4 GB or longer, or the kind of an `Other` is not one of its own.
    #[inline]
    pub fn encode(&self, writer: &mut impl RecordWriter) {
        let number;
        let mut replaced = None;
        let (kind, layout, storage, payload) = match *self {
            Operation::Upsert { storage, layout, replaces, row } => {
                replaced = replaces;
                (UPSERT, layout, storage, row)
            }
            Operation::Delete { storage, replaces, key } => {
                replaced = Some(replaces);
                (DELETE, 0, storage, key)
            }
            Operation::Load { storage, layout, row } => (LOAD, layout, storage, row),
            Operation::Unload { storage, key } => (UNLOAD, 0, storage, key),
            Operation::DropStorage { storage } => (DROP_STORAGE, 0, storage, &[][..]),
            Operation::TruncateStorage { storage } => (TRUNCATE_STORAGE, 0, storage, &[][..]),
            Operation::IdentityCeiling { storage, ceiling } => {
                number = ceiling.to_le_bytes();
                (IDENTITY_CEILING, 0, storage, &number[..])
            }
            Operation::SequenceCeiling { sequence, ceiling } => {
                number = ceiling.to_le_bytes();
                (SEQUENCE_CEILING, 0, StorageId(sequence.0 as u32 as u64), &number[..])
            }
            Operation::Other { kind, layout, storage, payload } => {
                assert!(kind >= Operation::FIRST_OTHER, "kind {kind} has a variant of its own");
                (kind, layout, storage, payload)
            }
        };
        let (flags, stamp_len) = if replaced.is_some() { (REPLACES, STAMP_LEN) } else { (0, 0) };
        let payload_len = stamp_len + payload.len();
        let payload_len = u32::try_from(payload_len).expect("a row is shorter than 4 GB");
        writer.put(&OperationHeader { kind, flags, layout, payload_len, storage }.encode());
        if let Some(stamp) = replaced {
            writer.put(&stamp.0.to_le_bytes());
        }
        writer.put(payload);
    }
}

#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;
