//! Answers, read token by token while they arrive.

use base::{Collation, SqlError, SqlType};

use crate::classification::ResultClassification;
use crate::columns::{ColumnFlags, ReceivedColumn, TableNameForm, read_columns, read_user_type};
use crate::env::EnvChange;
use crate::error::ProtocolError;
use crate::login::{Feature, read_feature_list};
use crate::reader::ByteReader;
use crate::row::{Row, RowScanner, RowShape, StreamBuffer};
use crate::token::{self, Done, DoneKind, DoneStatus};
use crate::typeinfo::{Place, TypeInfo, UdtForm};
use crate::value::Datum;
use crate::value::decode::read_value;
use crate::version::TdsVersion;

/// An error or message of the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerMessage {
    /// Number, severity, state, line, procedure and text.
    pub error: SqlError,
    /// The server's name.
    pub server: String,
}

impl ServerMessage {
    /// Whether the message is an error rather than a notice.
    pub fn is_error(&self) -> bool {
        self.error.severity() > 10
    }
}

/// A login has succeeded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoginAcknowledged {
    /// The protocol version that the server speaks.
    pub tds_version: u32,
    /// The server's program.
    pub program: String,
    /// Its version: major, minor, build (high and low byte).
    pub program_version: [u8; 4],
}

/// The value of an output parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct ReturnValue {
    /// The parameter's place, from 0.
    pub ordinal: u16,
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: SqlType,
    /// Its value.
    pub value: base::Value,
}

/// A part of an answer.
#[derive(Debug)]
pub enum Token<'a> {
    /// A result begins; its columns, or nothing when the client has asked not to get them. They
    /// stay available as [`TokenReader::columns`].
    Columns,
    /// A row of the result.
    Row(Row<'a>),
    /// A statement, a procedure or the whole answer is done.
    Done(Done),
    /// An error or a message.
    Message(ServerMessage),
    /// The environment has changed.
    EnvChange(EnvChange<'static>),
    /// The login has succeeded.
    LoginAck(LoginAcknowledged),
    /// What the server makes of the feature extensions.
    FeatureAck(Vec<Feature>),
    /// State from which the session can be made again: the count, whether it can be made again, and
    /// the states as they were sent.
    SessionState(u32, bool, Vec<u8>),
    /// What a procedure has returned.
    ReturnStatus(i32),
    /// The value of an output parameter.
    ReturnValue(ReturnValue),
    /// How what the result's columns are made of is classified.
    Classification(ResultClassification),
    /// The columns (from 1) that the result is ordered by.
    Order(Vec<u16>),
    /// A token that this client does not look into: its first byte and its content.
    Other(u8, Vec<u8>),
}

/// Reads the tokens of answers. The content of messages goes in by [`TokenReader::feed`], and then
/// [`TokenReader::next`] is called until there is nothing. Memory holds one token or row, and what
/// has been fed beyond it.
#[derive(Debug)]
pub struct TokenReader {
    version: TdsVersion,
    /// The version of data classification that the server has acknowledged.
    classification: u8,
    unknown: Collation,
    buffer: StreamBuffer,
    columns: Vec<ReceivedColumn>,
    shape: RowShape,
    scanner: RowScanner,
    in_row: bool,
    /// Bytes of what was handed out last.
    used: usize,
}

impl TokenReader {
    /// A reader before an answer. `unknown` takes the place of unknown collations.
    pub fn new(version: TdsVersion, unknown: Collation) -> TokenReader {
        TokenReader {
            version,
            classification: 0,
            unknown,
            buffer: StreamBuffer::default(),
            columns: Vec::new(),
            shape: RowShape::default(),
            scanner: RowScanner::default(),
            in_row: false,
            used: 0,
        }
    }

    /// The version that was agreed.
    pub fn set_version(&mut self, version: TdsVersion) {
        self.version = version;
    }

    /// Sets the version of data classification that was agreed, where that is known without the
    /// answer to the login.
    pub fn set_classification(&mut self, version: u8) {
        self.classification = version;
    }

    fn note_features(&mut self, features: &[Feature]) {
        let own = features.iter().find(|own| own.id == token::feature::DATA_CLASSIFICATION);
        if let Some([version, 1]) = own.map(|own| &*own.data) {
            self.classification = *version;
        }
    }

    /// The columns of the result that was announced last.
    pub fn columns(&self) -> &[ReceivedColumn] {
        &self.columns
    }

    /// Takes a piece of a message.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.release_used();
        self.buffer.push(bytes);
    }

    /// Whether everything that was fed has been read; at the end of a message anything else is
    /// [`ProtocolError::Truncated`].
    pub fn is_empty(&self) -> bool {
        !self.in_row && self.buffer.bytes().len() == self.used
    }

    fn release_used(&mut self) {
        self.buffer.consume(std::mem::take(&mut self.used));
    }

    /// The next token; `None` before more bytes are fed.
    ///
    /// # Errors
    /// Anything that is not a token, or a token that contradicts itself. The reader cannot be used
    /// any further then.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Token<'_>>, ProtocolError> {
        self.release_used();
        if !self.in_row {
            let mut r = ByteReader::new(self.buffer.bytes());
            let Ok(first) = r.u8() else { return Ok(None) };
            if !matches!(first, token::ROW | token::NBCROW) {
                let (position, token) = match self.read_token(first, r) {
                    Ok(found) => found,
                    Err(ProtocolError::Truncated) => return Ok(None),
                    Err(error) => return Err(error),
                };
                self.buffer.consume(position);
                return Ok(Some(match token {
                    Found::Token(token) => {
                        if let Token::FeatureAck(features) = &token {
                            self.note_features(features);
                        }
                        token
                    }
                    Found::Columns(columns) => {
                        // Without a description it is the last result's columns again.
                        if let Some(columns) = columns {
                            self.shape = RowShape::new(&columns, self.unknown);
                            self.columns = columns;
                        }
                        Token::Columns
                    }
                }));
            }
            self.buffer.consume(1);
            self.scanner.begin(first == token::NBCROW);
            self.in_row = true;
        }
        if !self.scanner.advance(&self.shape, self.buffer.bytes_mut())? {
            return Ok(None);
        }
        self.in_row = false;
        self.used = self.scanner.row_length();
        Ok(Some(Token::Row(self.scanner.row(&self.shape, self.buffer.bytes()))))
    }

    fn read_token(
        &self,
        first: u8,
        mut r: ByteReader<'_>,
    ) -> Result<(usize, Found), ProtocolError> {
        let token = match first {
            token::COLMETADATA => {
                let form = TableNameForm::in_results(self.version);
                let columns = read_columns(&mut r, self.version, form)?;
                return Ok((r.position(), Found::Columns(columns)));
            }
            token::DONE => Token::Done(self.read_done(DoneKind::Statement, &mut r)?),
            token::DONEPROC => Token::Done(self.read_done(DoneKind::Procedure, &mut r)?),
            token::DONEINPROC => Token::Done(self.read_done(DoneKind::InProcedure, &mut r)?),
            token::RETURNSTATUS => Token::ReturnStatus(r.i32()?),
            token::RETURNVALUE => Token::ReturnValue(self.read_return_value(&mut r)?),
            token::FEATUREEXTACK => Token::FeatureAck(read_feature_list(&mut r)?),
            token::DATACLASSIFICATION => {
                Token::Classification(ResultClassification::read(&mut r, self.classification)?)
            }
            token::SESSIONSTATE | token::FEDAUTHINFO => {
                let length = r.u32()? as usize;
                let content = r.take(length)?;
                if first == token::SESSIONSTATE {
                    session_state(content)?
                } else {
                    other(first, content)
                }
            }
            token::ERROR
            | token::INFO
            | token::ENVCHANGE
            | token::LOGINACK
            | token::ORDER
            | token::TABNAME
            | token::COLINFO
            | token::SSPI => {
                // The content is all there, so what is missing in it will never come.
                let content = r.us_varbyte()?;
                self.read_content(first, content).map_err(|error| match error {
                    ProtocolError::Truncated => ProtocolError::Malformed("a token is too short"),
                    error => error,
                })?
            }
            _ => return Err(ProtocolError::Token(first)),
        };
        Ok((r.position(), Found::Token(token)))
    }

    fn read_content(&self, first: u8, content: &[u8]) -> Result<Token<'static>, ProtocolError> {
        let mut r = ByteReader::new(content);
        Ok(match first {
            token::ERROR | token::INFO => Token::Message(self.read_message(&mut r)?),
            token::ENVCHANGE => Token::EnvChange(EnvChange::read(content)?),
            token::LOGINACK => {
                r.u8()?;
                Token::LoginAck(LoginAcknowledged {
                    tds_version: r.u32_be()?,
                    program: r.b_varchar()?.to_text(),
                    program_version: r.array()?,
                })
            }
            token::ORDER => {
                let columns = content.chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]]));
                Token::Order(columns.collect())
            }
            _ => other(first, content),
        })
    }

    fn read_done(&self, kind: DoneKind, r: &mut ByteReader<'_>) -> Result<Done, ProtocolError> {
        Ok(Done {
            kind,
            status: DoneStatus(r.u16()?),
            command: r.u16()?,
            rows: if self.version.has_wide_counts() { r.u64()? } else { r.u32()?.into() },
        })
    }

    fn read_message(&self, r: &mut ByteReader<'_>) -> Result<ServerMessage, ProtocolError> {
        let number = r.i32()?;
        let (state, severity) = (r.u8()?, r.u8()?);
        let text = r.us_varchar()?.to_text();
        let server = r.b_varchar()?.to_text();
        let procedure = r.b_varchar()?.to_text();
        let line = if self.version.has_wide_counts() { r.u32()? } else { r.u16()?.into() };
        let mut error = SqlError::custom(number, severity, state, text).at_line(line);
        if !procedure.is_empty() {
            error = error.in_procedure(&procedure);
        }
        Ok(ServerMessage { error, server })
    }

    fn read_return_value(&self, r: &mut ByteReader<'_>) -> Result<ReturnValue, ProtocolError> {
        let ordinal = r.u16()?;
        let name = r.b_varchar()?.to_text();
        r.u8()?;
        read_user_type(r, self.version)?;
        let _ = ColumnFlags(r.u16()?);
        let info = TypeInfo::read(r, UdtForm::Described)?;
        let value = read_value(r, &info, Place::Row, self.unknown).map(Datum::into_value)?;
        Ok(ReturnValue { ordinal, name, ty: info.to_sql(self.unknown), value })
    }
}

enum Found {
    Token(Token<'static>),
    Columns(Option<Vec<ReceivedColumn>>),
}

fn other(first: u8, content: &[u8]) -> Token<'static> {
    Token::Other(first, content.to_vec())
}

fn session_state(content: &[u8]) -> Result<Token<'static>, ProtocolError> {
    let mut r = ByteReader::new(content);
    let short = |_| ProtocolError::Malformed("a token is too short");
    let sequence = r.u32().map_err(short)?;
    let status = r.u8().map_err(short)?;
    Ok(Token::SessionState(sequence, status & 1 != 0, r.rest().to_vec()))
}
