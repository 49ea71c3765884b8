//! Calls of procedures. A message holds one or several calls; [`RpcReader`] reads one after the
//! other, so that a batch of thousands is not in memory as parameters all at once.

use std::fmt;

use base::{Collation, SqlError, SqlType, TypeKind};

use crate::error::ProtocolError;
use crate::reader::{ByteReader, Utf16};
use crate::server::request::AllHeaders;
use crate::server::table::TableParameter;
use crate::typeinfo::{Place, TABLE_TYPE, TypeInfo, UdtForm};
use crate::value::Datum;
use crate::value::decode::{pad, read_value};
use crate::version::TdsVersion;

/// Parameters that a call may have.
pub const PARAMETERS_MAX: usize = 2100;

/// The procedures that have numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u16)]
#[allow(missing_docs)]
pub enum ProcedureId {
    Cursor = 1,
    CursorOpen = 2,
    CursorPrepare = 3,
    CursorExecute = 4,
    CursorPrepExec = 5,
    CursorUnprepare = 6,
    CursorFetch = 7,
    CursorOption = 8,
    CursorClose = 9,
    ExecuteSql = 10,
    Prepare = 11,
    Execute = 12,
    PrepExec = 13,
    PrepExecRpc = 14,
    Unprepare = 15,
}

impl ProcedureId {
    /// All of them, in the order of their numbers, with their names.
    pub const ALL: [(ProcedureId, &'static str); 15] = [
        (ProcedureId::Cursor, "sp_cursor"),
        (ProcedureId::CursorOpen, "sp_cursoropen"),
        (ProcedureId::CursorPrepare, "sp_cursorprepare"),
        (ProcedureId::CursorExecute, "sp_cursorexecute"),
        (ProcedureId::CursorPrepExec, "sp_cursorprepexec"),
        (ProcedureId::CursorUnprepare, "sp_cursorunprepare"),
        (ProcedureId::CursorFetch, "sp_cursorfetch"),
        (ProcedureId::CursorOption, "sp_cursoroption"),
        (ProcedureId::CursorClose, "sp_cursorclose"),
        (ProcedureId::ExecuteSql, "sp_executesql"),
        (ProcedureId::Prepare, "sp_prepare"),
        (ProcedureId::Execute, "sp_execute"),
        (ProcedureId::PrepExec, "sp_prepexec"),
        (ProcedureId::PrepExecRpc, "sp_prepexecrpc"),
        (ProcedureId::Unprepare, "sp_unprepare"),
    ];

    /// The procedure with this number.
    pub fn from_number(number: u16) -> Option<ProcedureId> {
        let at = usize::from(number).checked_sub(1)?;
        ProcedureId::ALL.get(at).map(|(id, _)| *id)
    }

    /// The procedure with this name, upper and lower case being the same.
    pub fn from_name(name: &str) -> Option<ProcedureId> {
        ProcedureId::ALL.iter().find(|(_, n)| n.eq_ignore_ascii_case(name)).map(|(id, _)| *id)
    }

    /// The procedure's name.
    pub const fn name(self) -> &'static str {
        ProcedureId::ALL[self as usize - 1].1
    }
}

/// What is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcedureRef<'a> {
    /// A procedure by its number.
    Id(ProcedureId),
    /// A procedure by its name, as the client writes it: `p`, `dbo.p`, `[sys].sp_columns_100`,
    /// `..sp_help`, `p;2`.
    Name(Utf16<'a>),
}

/// One parameter of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcParameter<'a> {
    /// The name, `@` included if the client sent it; empty for a parameter by position.
    pub name: Utf16<'a>,
    /// OUTPUT: the value is to be sent back.
    pub by_reference: bool,
    /// The parameter's default is meant; the value is NULL.
    pub is_default: bool,
    /// The value.
    pub value: RpcValue<'a>,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum RpcValue<'a> {
    /// A scalar and its type. An untyped NULL has type int, as the keyword has.
    Scalar(SqlType, Datum<'a>),
    /// A table.
    Table(TableParameter<'a>),
}

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcCall<'a> {
    /// What is called.
    pub procedure: ProcedureRef<'a>,
    /// The procedure is to be compiled anew.
    pub with_recompile: bool,
    /// The client says that it knows the columns of the results. `COLMETADATA` may be sent without
    /// them only if they are those that were sent last for the same statement: ODBC also sets this
    /// when it prepares the statement anew for parameters of other types.
    pub no_metadata: bool,
    /// The parameters, in the order of the message.
    pub parameters: Vec<RpcParameter<'a>>,
    /// The client asks for the call to be parsed and not to be executed.
    pub no_execute: bool,
    /// Whether another call follows in the message: every `DONE` of this one then says so.
    pub is_followed: bool,
}

/// What is wrong with a call, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RpcError {
    /// What is wrong.
    pub error: ProtocolError,
    /// The parameter: its place, from 1, and its name.
    pub parameter: Option<(usize, String)>,
}

impl RpcError {
    /// The error as SQL Server raises it.
    pub fn to_sql_error(&self) -> SqlError {
        match &self.parameter {
            Some((place, name)) => self.error.as_parameter(*place, name),
            None => self.error.to_sql_error(),
        }
    }
}

impl From<ProtocolError> for RpcError {
    fn from(error: ProtocolError) -> RpcError {
        RpcError { error, parameter: None }
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((place, name)) = &self.parameter {
            write!(f, "parameter {place} ({name}): ")?;
        }
        self.error.fmt(f)
    }
}

impl std::error::Error for RpcError {}

const PROCEDURE_BY_NUMBER: u16 = 0xFFFF;
/// Separates calls before 7.2.
const SEPARATOR_7_1: u8 = 0x80;
/// Separates calls.
const SEPARATOR: u8 = 0xFF;
/// Separates calls, the one before not being executed.
const SEPARATOR_NO_EXECUTE: u8 = 0xFE;

const OPTION_RECOMPILE: u16 = 0x0001;
const OPTION_NO_METADATA: u16 = 0x0002;
const STATUS_BY_REFERENCE: u8 = 0x01;
const STATUS_DEFAULT: u8 = 0x02;
const STATUS_ENCRYPTED: u8 = 0x08;

/// Reads the calls of a message.
#[derive(Clone, Debug)]
pub struct RpcReader<'a> {
    r: ByteReader<'a>,
    headers: AllHeaders,
    version: TdsVersion,
    unknown: Collation,
    at_end: bool,
}

impl<'a> RpcReader<'a> {
    /// A reader before the first call. `unknown` takes the place of unknown collations.
    ///
    /// # Errors
    /// Those of [`AllHeaders::read`].
    pub fn new(
        message: &'a [u8],
        version: TdsVersion,
        unknown: Collation,
    ) -> Result<RpcReader<'a>, ProtocolError> {
        let mut r = ByteReader::new(message);
        let headers = AllHeaders::read(&mut r, version)?;
        Ok(RpcReader { r, headers, version, unknown, at_end: false })
    }

    /// What precedes the calls.
    pub const fn headers(&self) -> &AllHeaders {
        &self.headers
    }

    /// The next call; nothing after the last one.
    ///
    /// # Errors
    /// When the call cannot be read. What follows it in the message is lost, and so there is
    /// nothing more to be read.
    pub fn next_call(&mut self) -> Result<Option<RpcCall<'a>>, RpcError> {
        if self.at_end {
            return Ok(None);
        }
        let call = self.read_call();
        if call.is_err() {
            self.at_end = true;
        }
        call.map(Some)
    }

    fn read_call(&mut self) -> Result<RpcCall<'a>, RpcError> {
        let name_units = self.r.u16()?;
        let procedure = if name_units == PROCEDURE_BY_NUMBER {
            let number = self.r.u16()?;
            ProcedureRef::Id(ProcedureId::from_number(number).ok_or(ProtocolError::ProcedureName)?)
        } else {
            let name = self.r.utf16(name_units.into())?;
            if name.is_empty() {
                return Err(ProtocolError::ProcedureName.into());
            }
            ProcedureRef::Name(name)
        };
        let options = self.r.u16()?;
        let mut call = RpcCall {
            procedure,
            with_recompile: options & OPTION_RECOMPILE != 0,
            no_metadata: options & OPTION_NO_METADATA != 0,
            parameters: Vec::new(),
            no_execute: false,
            is_followed: false,
        };
        loop {
            let Ok(first) = self.r.peek() else {
                self.at_end = true;
                return Ok(call);
            };
            if self.is_separator(first) {
                self.r.u8()?;
                call.no_execute = first == SEPARATOR_NO_EXECUTE;
                // A separator after the last call does not announce another one.
                call.is_followed = !self.r.is_empty();
                self.at_end = self.r.is_empty();
                return Ok(call);
            }
            if call.parameters.len() == PARAMETERS_MAX {
                return Err(ProtocolError::TooManyParameters.into());
            }
            let parameter = self.read_parameter(call.parameters.len() + 1)?;
            call.parameters.push(parameter);
        }
    }

    const fn is_separator(&self, byte: u8) -> bool {
        match byte {
            SEPARATOR_7_1 => !self.version.has_all_headers(),
            SEPARATOR | SEPARATOR_NO_EXECUTE => self.version.has_all_headers(),
            _ => false,
        }
    }

    fn read_parameter(&mut self, place: usize) -> Result<RpcParameter<'a>, RpcError> {
        let name = self.r.b_varchar()?;
        self.read_typed(name)
            .map_err(|error| RpcError { error, parameter: Some((place, name.to_text())) })
    }

    fn read_typed(&mut self, name: Utf16<'a>) -> Result<RpcParameter<'a>, ProtocolError> {
        let status = self.r.u8()?;
        if status & STATUS_ENCRYPTED != 0 {
            return Err(ProtocolError::Encrypted);
        }
        let is_table = self.r.peek()? == TABLE_TYPE && self.version.has_table_parameters();
        let value = if is_table {
            self.r.u8()?;
            RpcValue::Table(TableParameter::read(&mut self.r, self.version, self.unknown)?)
        } else {
            let info = TypeInfo::read(&mut self.r, UdtForm::Named)?;
            let datum = read_value(&mut self.r, &info, Place::Parameter, self.unknown)?;
            RpcValue::Scalar(parameter_type(&info, self.unknown), pad(&info, datum))
        };
        Ok(RpcParameter {
            name,
            by_reference: status & STATUS_BY_REFERENCE != 0,
            is_default: status & STATUS_DEFAULT != 0,
            value,
        })
    }
}

/// A parameter of text, ntext or image is the (max) type that replaces it, since that is all that
/// a variable can be.
fn parameter_type(info: &TypeInfo, unknown: Collation) -> SqlType {
    let ty = info.to_sql(unknown);
    match ty.kind {
        TypeKind::Text => SqlType::varchar_max(ty.collation),
        TypeKind::NText => SqlType::nvarchar_max(ty.collation),
        TypeKind::Image => SqlType::varbinary_max(),
        _ => ty,
    }
}
