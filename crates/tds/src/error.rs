//! What can be wrong with bytes from the other side, and with values on their way to it.

use std::fmt;

use base::SqlError;
use base::message::{self, Message};

/// Why bytes are not what the protocol says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProtocolError {
    /// A packet header names a message type that does not exist or that this side never receives.
    PacketType(u8),
    /// A packet is shorter than its header or longer than was agreed.
    PacketLength {
        /// What the header says, header included.
        length: u16,
        /// The agreed value.
        limit: u16,
    },
    /// A packet is not the one that follows the last packet of its message.
    PacketOrder {
        /// The packet number that would have been right.
        expected: u8,
        /// The packet number in the header.
        found: u8,
    },
    /// A packet of another message type came before the message was complete.
    PacketInterleaved {
        /// The type of the message that is not complete.
        message: u8,
        /// The type of the packet.
        packet: u8,
    },
    /// A message, or a row of a streamed one, is larger than the caller accepts.
    TooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The connection ended in the middle of a message.
    ConnectionEnded,
    /// A message ends before what it announces.
    Truncated,
    /// A message says something that cannot be.
    Malformed(&'static str),
    /// A token that is unknown or has no place here.
    Token(u8),
    /// The client speaks a protocol version that is not served, as in `LOGIN7`.
    Version(u32),
    /// A data type that does not exist.
    UnknownType(u8),
    /// A data type that exists and is not served: xml, CLR types, json, vector.
    UnsupportedType(u8),
    /// A length, in the declaration or of the value, that the data type cannot have.
    TypeLength(u8),
    /// A precision or scale that the data type cannot have.
    TypeScale(u8),
    /// Bytes that are not a value of the named type.
    Value(&'static str),
    /// A parameter is encrypted (Always Encrypted), which is not served.
    Encrypted,
    /// A call has more parameters than a call may have.
    TooManyParameters,
    /// A procedure name or number that cannot be.
    ProcedureName,
}

impl ProtocolError {
    /// Whether the session must end. Otherwise the message was received whole and the session can
    /// go on after the error.
    pub const fn is_fatal(&self) -> bool {
        use ProtocolError::*;
        match self {
            PacketType(_)
            | PacketLength { .. }
            | PacketOrder { .. }
            | PacketInterleaved { .. }
            | TooLarge { .. }
            | ConnectionEnded
            | Truncated
            | Malformed(_)
            | Token(_)
            | Version(_) => true,
            UnknownType(_) | UnsupportedType(_) | TypeLength(_) | TypeScale(_) | Value(_)
            | Encrypted | TooManyParameters | ProcedureName => false,
        }
    }

    /// The error as SQL Server would raise it for something that is not a parameter.
    pub fn to_sql_error(&self) -> SqlError {
        self.as_parameter(0, "")
    }

    /// The error as SQL Server would raise it for a parameter: its place (from 1) and its name.
    pub fn as_parameter(&self, place: usize, name: &str) -> SqlError {
        use ProtocolError::*;
        match *self {
            UnknownType(ty) | UnsupportedType(ty) => {
                SqlError::new(&message::RPC_TYPE_UNKNOWN, &[&place, &name, &Hex(ty)])
            }
            TypeLength(ty) => {
                SqlError::new(&message::INVALID_PARAMETER_LENGTH, &[&place, &name, &Hex(ty)])
            }
            TypeScale(ty) => SqlError::new(&PARAMETER_SCALE_INVALID, &[&place, &name, &Hex(ty)]),
            Value(ty) => SqlError::new(&message::RPC_VALUE_INVALID, &[&place, &name, &ty]),
            Encrypted => SqlError::new(&PARAMETER_STATUS_INVALID, &[&place]),
            ProcedureName => SqlError::new(&message::RPC_PROCEDURE_ID_UNKNOWN, &[]),
            TooManyParameters => SqlError::new(&TOO_MANY_PARAMETERS, &[]),
            Truncated => SqlError::new(&message::TDS_STREAM_INVALID, &[]),
            PacketType(_)
            | PacketLength { .. }
            | PacketOrder { .. }
            | PacketInterleaved { .. }
            | TooLarge { .. }
            | ConnectionEnded
            | Malformed(_)
            | Token(_)
            | Version(_) => SqlError::new(&message::FATAL_READ_ERROR, &[&self.input_error(), &0]),
        }
    }

    /// The error as SQL Server would raise it for a bulk load: the column, from 1, in which it is.
    pub fn as_bulk_column(&self, column: usize) -> SqlError {
        use ProtocolError::*;
        match self {
            UnknownType(_) | UnsupportedType(_) => {
                SqlError::new(&message::BULK_COLUMN_TYPE_INVALID, &[&column])
            }
            TypeLength(_) | TypeScale(_) | Value(_) => {
                SqlError::new(&message::BULK_COLUMN_LENGTH_RECEIVED, &[&column])
            }
            Truncated => SqlError::new(&message::BULK_PREMATURE_END, &[]),
            _ => self.to_sql_error(),
        }
    }

    /// Tells the fatal errors apart in message 4014, whose "input error" has no other meaning to
    /// clients.
    const fn input_error(&self) -> u8 {
        use ProtocolError::*;
        match self {
            PacketType(_) => 2,
            PacketLength { .. } => 3,
            PacketOrder { .. } => 4,
            PacketInterleaved { .. } => 5,
            TooLarge { .. } => 6,
            ConnectionEnded => 7,
            Malformed(_) => 8,
            Token(_) => 9,
            Version(_) => 10,
            _ => 1,
        }
    }
}

/// Messages about the protocol that nothing else raises.
const TOO_MANY_PARAMETERS: Message = Message {
    number: 8003,
    severity: 16,
    state: 1,
    text: "The incoming request has too many parameters. The server supports a maximum of 2100 \
           parameters. Reduce the number of parameters and resend the request.",
};
const PARAMETER_STATUS_INVALID: Message = Message {
    number: 8006,
    severity: 16,
    state: 1,
    text: "The incoming tabular data stream (TDS) remote procedure call (RPC) protocol stream is \
           incorrect. Parameter %s: The parameter status flags are invalid.",
};
const PARAMETER_SCALE_INVALID: Message = Message {
    number: 8017,
    severity: 16,
    state: 1,
    text: "The incoming tabular data stream (TDS) remote procedure call (RPC) protocol stream is \
           incorrect. Parameter %s (\"%s\"): Data type 0x%s has an invalid precision or scale.",
};

/// Two hexadecimal digits.
struct Hex(u8);

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02X}", self.0)
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ProtocolError::*;
        match *self {
            PacketType(ty) => write!(f, "packet of unexpected type 0x{ty:02X}"),
            PacketLength { length, limit } => {
                write!(f, "packet of {length} bytes (8 to {limit} allowed)")
            }
            PacketOrder { expected, found } => {
                write!(f, "packet {found} where packet {expected} should follow")
            }
            PacketInterleaved { message, packet } => {
                write!(f, "packet of type 0x{packet:02X} within a message of type 0x{message:02X}")
            }
            TooLarge { limit } => write!(f, "message larger than {limit} bytes"),
            ConnectionEnded => write!(f, "connection ended within a message"),
            Truncated => write!(f, "message ends too early"),
            Malformed(what) => write!(f, "{what}"),
            Token(token) => write!(f, "unexpected token 0x{token:02X}"),
            Version(version) => write!(f, "protocol version 0x{version:08X} is not served"),
            UnknownType(ty) => write!(f, "unknown data type 0x{ty:02X}"),
            UnsupportedType(ty) => write!(f, "data type 0x{ty:02X} is not served"),
            TypeLength(ty) => write!(f, "invalid length for data type 0x{ty:02X}"),
            TypeScale(ty) => write!(f, "invalid precision or scale for data type 0x{ty:02X}"),
            Value(name) => write!(f, "invalid value of type {name}"),
            Encrypted => write!(f, "encrypted parameter"),
            TooManyParameters => write!(f, "more than 2100 parameters"),
            ProcedureName => write!(f, "invalid procedure name"),
        }
    }
}

impl std::error::Error for ProtocolError {}

/// Why a value cannot be sent as what its column or parameter is declared. It is the sender's
/// mistake; what has been written of the row or the parameter is then of no use, and the
/// connection with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EncodeError {
    /// NULL in a column that was announced as not nullable.
    Null,
    /// The value is in another representation than the one that belongs to the type.
    Representation,
    /// The value is longer than the declared type.
    Length {
        /// Bytes in the value.
        length: usize,
        /// Bytes declared.
        limit: usize,
    },
    /// The value is outside the range of the type.
    Range,
    /// The row has fewer or more values than there are columns.
    ColumnCount,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::Null => write!(f, "NULL in a column that is not nullable"),
            EncodeError::Representation => write!(f, "the value is not of the column's type"),
            EncodeError::Range => write!(f, "the value is outside the column's range"),
            EncodeError::Length { length, limit } => {
                write!(f, "the value has {length} bytes, the column {limit}")
            }
            EncodeError::ColumnCount => write!(f, "the row does not have the announced columns"),
        }
    }
}

impl std::error::Error for EncodeError {}

#[cfg(test)]
mod tests;
