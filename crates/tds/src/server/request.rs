//! What precedes requests (`ALL_HEADERS`), batches of T-SQL, and requests about transactions.

use crate::error::ProtocolError;
use crate::reader::{ByteReader, Utf16};
use crate::version::TdsVersion;

const HEADER_QUERY_NOTIFICATION: u16 = 1;
const HEADER_TRANSACTION: u16 = 2;
const HEADER_TRACE: u16 = 3;

/// What a client says with every request from 7.2 on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AllHeaders {
    /// The transaction that is open according to the client, as `ENVCHANGE` gave it; 0 for none.
    pub transaction: u64,
    /// Requests that are active at a time; 1 without MARS.
    pub outstanding_requests: u32,
    /// Activity and sequence number, for logs.
    pub activity: Option<[u8; 20]>,
    /// Whether the client asks for a notice when the result changes; the server sends none.
    pub wants_query_notification: bool,
}

impl AllHeaders {
    /// Reads the headers, which versions before 7.2 do not send.
    ///
    /// # Errors
    /// When lengths are wrong or reach beyond the message. Unknown headers are passed over.
    pub fn read(r: &mut ByteReader<'_>, version: TdsVersion) -> Result<AllHeaders, ProtocolError> {
        let mut headers = AllHeaders::default();
        if !version.has_all_headers() {
            return Ok(headers);
        }
        const LENGTH: ProtocolError = ProtocolError::Malformed("a header has the wrong length");
        let total = r.u32()? as usize;
        let mut list = ByteReader::new(r.take(total.checked_sub(4).ok_or(LENGTH)?)?);
        while !list.is_empty() {
            let length = list.u32()? as usize;
            let mut header = ByteReader::new(list.take(length.checked_sub(4).ok_or(LENGTH)?)?);
            match header.u16()? {
                HEADER_QUERY_NOTIFICATION => headers.wants_query_notification = true,
                HEADER_TRANSACTION => {
                    headers.transaction = header.u64()?;
                    headers.outstanding_requests = header.u32()?;
                }
                HEADER_TRACE => headers.activity = Some(header.array()?),
                _ => {}
            }
        }
        Ok(headers)
    }
}

/// A batch of T-SQL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SqlBatch<'a> {
    /// What precedes it.
    pub headers: AllHeaders,
    /// The text.
    pub text: Utf16<'a>,
}

impl<'a> SqlBatch<'a> {
    /// Reads a message.
    ///
    /// # Errors
    /// Those of [`AllHeaders::read`], and [`ProtocolError::Truncated`] for half a character.
    pub fn parse(message: &'a [u8], version: TdsVersion) -> Result<SqlBatch<'a>, ProtocolError> {
        let mut r = ByteReader::new(message);
        let headers = AllHeaders::read(&mut r, version)?;
        let text = Utf16::new(r.rest()).ok_or(ProtocolError::Truncated)?;
        Ok(SqlBatch { headers, text })
    }
}

/// An isolation level, as clients name it when they begin a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum IsolationLevel {
    /// READ UNCOMMITTED
    ReadUncommitted = 1,
    /// READ COMMITTED
    ReadCommitted = 2,
    /// REPEATABLE READ
    RepeatableRead = 3,
    /// SERIALIZABLE
    Serializable = 4,
    /// SNAPSHOT
    Snapshot = 5,
}

/// The transaction to begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BeginTransaction<'a> {
    /// The isolation level, for the session from here on; `None` leaves it as it is.
    pub isolation: Option<IsolationLevel>,
    /// Its name; mostly empty.
    pub name: Utf16<'a>,
}

/// A request about transactions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransactionRequest<'a> {
    /// Asks for the address of the distributed transaction coordinator.
    GetDtcAddress,
    /// Join a distributed transaction, whose cookie this is; leave it when empty.
    Propagate(&'a [u8]),
    /// Begin a transaction.
    Begin(BeginTransaction<'a>),
    /// Make the transaction a distributed one.
    Promote,
    /// Commit the transaction.
    Commit {
        /// Its name; mostly empty.
        name: Utf16<'a>,
        /// The transaction to begin in the same breath.
        then_begin: Option<BeginTransaction<'a>>,
    },
    /// Roll back the transaction, or to a savepoint.
    Rollback {
        /// Its name or the savepoint's; mostly empty.
        name: Utf16<'a>,
        /// The transaction to begin in the same breath.
        then_begin: Option<BeginTransaction<'a>>,
    },
    /// Set a savepoint.
    Save {
        /// Its name.
        name: Utf16<'a>,
    },
}

impl<'a> TransactionRequest<'a> {
    /// Reads a message.
    ///
    /// # Errors
    /// Those of [`AllHeaders::read`]; an unknown request or isolation level.
    pub fn parse(
        message: &'a [u8],
        version: TdsVersion,
    ) -> Result<(AllHeaders, TransactionRequest<'a>), ProtocolError> {
        let mut r = ByteReader::new(message);
        let headers = AllHeaders::read(&mut r, version)?;
        let request = match r.u16()? {
            0 => TransactionRequest::GetDtcAddress,
            1 => TransactionRequest::Propagate(r.us_varbyte()?),
            5 => TransactionRequest::Begin(read_begin(&mut r)?),
            6 => TransactionRequest::Promote,
            7 => {
                let (name, then_begin) = read_end(&mut r)?;
                TransactionRequest::Commit { name, then_begin }
            }
            8 => {
                let (name, then_begin) = read_end(&mut r)?;
                TransactionRequest::Rollback { name, then_begin }
            }
            9 => TransactionRequest::Save { name: read_name(&mut r)? },
            _ => return Err(ProtocolError::Malformed("unknown transaction request")),
        };
        Ok((headers, request))
    }
}

/// Names here have their length in bytes, unlike everywhere else.
fn read_name<'a>(r: &mut ByteReader<'a>) -> Result<Utf16<'a>, ProtocolError> {
    Utf16::new(r.b_varbyte()?).ok_or(ProtocolError::Malformed("half a character in a name"))
}

fn read_begin<'a>(r: &mut ByteReader<'a>) -> Result<BeginTransaction<'a>, ProtocolError> {
    let isolation = match r.u8()? {
        0 => None,
        1 => Some(IsolationLevel::ReadUncommitted),
        2 => Some(IsolationLevel::ReadCommitted),
        3 => Some(IsolationLevel::RepeatableRead),
        4 => Some(IsolationLevel::Serializable),
        5 => Some(IsolationLevel::Snapshot),
        _ => return Err(ProtocolError::Malformed("unknown isolation level")),
    };
    Ok(BeginTransaction { isolation, name: read_name(r)? })
}

fn read_end<'a>(
    r: &mut ByteReader<'a>,
) -> Result<(Utf16<'a>, Option<BeginTransaction<'a>>), ProtocolError> {
    const BEGIN_NEXT: u8 = 0x01;
    let name = read_name(r)?;
    let then_begin = if r.u8()? & BEGIN_NEXT != 0 { Some(read_begin(r)?) } else { None };
    Ok((name, then_begin))
}
