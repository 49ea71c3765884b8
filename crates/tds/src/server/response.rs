//! The tokens of an answer.

use base::types::XmlCollectionName;
use base::{SqlError, SqlType, ValueRef};

use crate::classification::ResultClassification;
use crate::columns::{
    Column, ColumnFlags, TableNameForm, put_user_type, write_columns, write_no_columns,
};
use crate::env::EnvChange;
use crate::error::EncodeError;
use crate::login::{Feature, write_features};
use crate::packet::PacketType;
use crate::reader::utf16_units_within;
use crate::server::rows::{RowEncoder, RowSource};
use crate::token::{self, Done};
use crate::typeinfo::Place;
use crate::value::encode::ValueWriter;
use crate::version::TdsVersion;
use crate::writer::{MessageWriter, PutBytes};

/// Writes answers for one client. Answers are messages: `begin`, tokens, `end`; what is ready to be
/// sent is in [`ResponseWriter::message`] at any time.
#[derive(Debug)]
pub struct ResponseWriter {
    message: MessageWriter,
    version: TdsVersion,
    /// The database that the client was told that it is in.
    database: String,
    /// The version of data classification that the client gets; 0 for none.
    classification: u8,
}

/// What the server says of itself when a login has succeeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoginAck<'a> {
    /// The program.
    pub program: &'a str,
    /// Its version: major, minor, build (high and low byte).
    pub program_version: [u8; 4],
}

/// Where a result's column comes from, under FOR BROWSE and for cursors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ColumnOrigin<'a> {
    /// The column of the result, from 1.
    pub column: u8,
    /// The table, from 1 in the order of `TABNAME`; 0 for an expression.
    pub table: u8,
    /// Part of the key.
    pub is_key: bool,
    /// Added by the server and not shown.
    pub is_hidden: bool,
    /// The column's name in the table, where the result calls it something else.
    pub base_name: Option<&'a str>,
}

/// UTF-16 units of a message's text that are sent; SQL Server's own messages are shorter.
const MESSAGE_UNITS_MAX: usize = 16_000;

impl ResponseWriter {
    /// A writer for a client of this version. Before login the version does not matter.
    pub const fn new(version: TdsVersion) -> ResponseWriter {
        ResponseWriter {
            message: MessageWriter::new(),
            version,
            database: String::new(),
            classification: 0,
        }
    }

    /// The version that was agreed with the client.
    pub fn set_version(&mut self, version: TdsVersion) {
        self.version = version;
    }

    /// Sets the version of data classification that was agreed with the client.
    pub fn set_classification(&mut self, version: u8) {
        self.classification = version;
    }

    /// The version for which tokens are written.
    pub const fn version(&self) -> TdsVersion {
        self.version
    }

    /// Says in which database the client was told that it is; a change of the environment does so,
    /// too.
    pub fn set_database(&mut self, database: &str) {
        database.clone_into(&mut self.database);
    }

    /// The packets: to be sent, counted, cut to another size.
    pub fn message(&mut self) -> &mut MessageWriter {
        &mut self.message
    }

    /// Begins an answer.
    pub fn begin(&mut self) {
        self.message.begin(PacketType::TabularResult);
    }

    /// Ends the answer.
    pub fn end(&mut self) {
        self.message.end();
    }

    /// Writes a change of the environment. Nothing is sent to versions that do not know it.
    pub fn env_change(&mut self, change: &EnvChange<'_>) {
        if let EnvChange::Database { new, .. } = change {
            (**new).clone_into(&mut self.database);
        }
        let is_known = match change {
            EnvChange::BeginTransaction { .. }
            | EnvChange::CommitTransaction { .. }
            | EnvChange::RollbackTransaction { .. }
            | EnvChange::TransactionEnded { .. } => self.version.has_transaction_descriptors(),
            _ => true,
        };
        if is_known {
            change.write(&mut self.message);
        }
    }

    /// Writes an error, or for severities up to 10 a message.
    pub fn error(&mut self, error: &SqlError, server_name: &str) {
        let token = if error.severity() > 10 { token::ERROR } else { token::INFO };
        let wide = self.version.has_wide_counts();
        // What the server knows as severity 10 has always been 0 on the wire; DB-Library raises
        // on 10.
        let class = if error.severity() == 10 { 0 } else { error.severity() };
        self.message.put_token(token, |out| {
            out.put(&error.number().to_le_bytes());
            out.put(&[error.state(), class]);
            out.put_us_varchar(utf16_units_within(error.text(), MESSAGE_UNITS_MAX).0);
            out.put_b_varchar(server_name);
            out.put_b_varchar(error.procedure().unwrap_or_default());
            if wide {
                out.put_u32(error.line());
            } else {
                out.put_u16(error.line().min(u16::MAX.into()) as u16);
            }
        });
    }

    /// Writes that the login has succeeded.
    pub fn login_ack(&mut self, ack: &LoginAck<'_>) {
        const TSQL: u8 = 1;
        let version = self.version.number();
        self.message.put_token(token::LOGINACK, |out| {
            out.put_u8(TSQL);
            out.put(&version.to_be_bytes());
            out.put_b_varchar(ack.program);
            out.put(&ack.program_version);
        });
    }

    /// Writes what is made of the login's feature extensions; nothing when nothing is made of them
    /// or the version does not know them.
    pub fn feature_ack(&mut self, features: &[Feature]) {
        if self.version.has_feature_extensions() && !features.is_empty() {
            self.message.put_u8(token::FEATUREEXTACK);
            write_features(&mut self.message, features);
            self.message.seal();
        }
    }

    /// Writes state from which a broken session can be made again: numbers and values. `sequence`
    /// counts these tokens; `recoverable` says whether the session can be made again at all.
    pub fn session_state(&mut self, sequence: u32, recoverable: bool, states: &[(u8, &[u8])]) {
        let set = session_state_set(states);
        let out = &mut self.message;
        out.put_u8(token::SESSIONSTATE);
        out.put_u32(5 + set.len() as u32);
        out.put_u32(sequence);
        out.put_u8(recoverable.into());
        out.put(&set);
        out.seal();
    }

    /// Announces a result's columns, and how what they are made of is classified, if the client has
    /// asked for that. `known` says that the client knows the columns already and has asked not to
    /// get them.
    pub fn columns(&mut self, columns: &[Column], known: bool) {
        if known {
            write_no_columns(&mut self.message);
        } else {
            let form = TableNameForm::in_results(self.version);
            write_columns(&mut self.message, columns, self.version, form, &self.database);
        }
        if let Some(classified) = ResultClassification::of(columns, self.classification) {
            classified.write(&mut self.message);
        }
    }

    /// Writes a row of the result; the encoder must have been made for the announced columns and
    /// this client's version.
    ///
    /// # Errors
    /// See [`RowEncoder::write`].
    #[inline]
    pub fn row<R: RowSource + ?Sized>(
        &mut self,
        encoder: &RowEncoder,
        row: &R,
    ) -> Result<(), EncodeError> {
        encoder.write(&mut self.message, row)
    }

    /// Writes by which columns (from 1) the result is ordered.
    pub fn order(&mut self, columns: &[u16]) {
        self.message.put_token(token::ORDER, |out| columns.iter().for_each(|c| out.put_u16(*c)));
    }

    /// Writes the tables after the result, each as the parts of its name.
    pub fn table_names(&mut self, tables: &[&[&str]]) {
        self.message.put_token(token::TABNAME, |out| {
            for parts in tables {
                out.put_u8(parts.len() as u8);
                parts.iter().for_each(|part| out.put_us_varchar(part));
            }
        });
    }

    /// Writes where the result's columns come from.
    pub fn column_origins(&mut self, origins: &[ColumnOrigin<'_>]) {
        const EXPRESSION: u8 = 0x04;
        const KEY: u8 = 0x08;
        const HIDDEN: u8 = 0x10;
        const DIFFERENT_NAME: u8 = 0x20;
        self.message.put_token(token::COLINFO, |out| {
            for origin in origins {
                let bit = |is_set, bit| if is_set { bit } else { 0 };
                let status = bit(origin.table == 0, EXPRESSION)
                    | bit(origin.is_key, KEY)
                    | bit(origin.is_hidden, HIDDEN)
                    | bit(origin.base_name.is_some(), DIFFERENT_NAME);
                out.put(&[origin.column, origin.table, status]);
                if let Some(name) = origin.base_name {
                    out.put_b_varchar(name);
                }
            }
        });
    }

    /// Writes what a procedure has returned.
    pub fn return_status(&mut self, status: i32) {
        self.message.put_u8(token::RETURNSTATUS);
        self.message.put(&status.to_le_bytes());
        self.message.seal();
    }

    /// Writes the value of an output parameter. `ordinal` is its place among all parameters of the
    /// call, from 0. `schemas` are those that values of a type xml follow.
    ///
    /// # Errors
    /// When the value is not one of the type; nothing is written then.
    pub fn output_parameter(
        &mut self,
        ordinal: u16,
        name: &str,
        ty: &SqlType,
        schemas: Option<&XmlCollectionName>,
        value: ValueRef<'_>,
    ) -> Result<(), EncodeError> {
        const OUTPUT_PARAMETER: u8 = 0x01;
        let (ty, value) = if ty.is_max() && !self.version.has_max_types() {
            without_max(ty, value)
        } else {
            (*ty, value)
        };
        let out = &mut self.message;
        let mark = out.mark();
        let writer = ValueWriter::new(&ty, true, self.version, Place::Row);
        out.put_u8(token::RETURNVALUE);
        out.put_u16(ordinal);
        out.put_b_varchar(name);
        out.put_u8(OUTPUT_PARAMETER);
        put_user_type(out, 0, self.version);
        out.put_u16(ColumnFlags::default().0);
        writer.type_info().write_of(out, schemas, Some(&self.database));
        let written = writer.write(out, value);
        match &written {
            Ok(()) => out.seal(),
            Err(_) => out.rewind(mark),
        }
        written
    }

    /// Writes a *done* token.
    pub fn done(&mut self, done: &Done) {
        let out = &mut self.message;
        out.put_u8(done.kind.token());
        out.put_u16(done.status.0);
        out.put_u16(done.command);
        if self.version.has_wide_counts() {
            out.put_u64(done.rows);
        } else {
            out.put_u32(u32::try_from(done.rows).unwrap_or(u32::MAX));
        }
        out.seal();
    }
}

/// The type and value that replace a (max) type where it would have to be text, ntext or image,
/// which cannot be output parameters.
fn without_max<'v>(ty: &SqlType, value: ValueRef<'v>) -> (SqlType, ValueRef<'v>) {
    const BYTES_MAX: usize = 8000;
    let cut = |bytes: &'v [u8]| &bytes[..bytes.len().min(BYTES_MAX)];
    match value {
        ValueRef::Chars(v) => (SqlType::varchar(8000, ty.collation), ValueRef::Chars(cut(v))),
        ValueRef::Unicode(v) => (SqlType::nvarchar(4000, ty.collation), ValueRef::Unicode(cut(v))),
        ValueRef::Bytes(v) => (SqlType::varbinary(8000), ValueRef::Bytes(cut(v))),
        other => (SqlType { length: BYTES_MAX as u16, ..*ty }, other),
    }
}

/// The form of a session's state in `SESSIONSTATE` and in the acknowledgement of session recovery.
pub fn session_state_set(states: &[(u8, &[u8])]) -> Vec<u8> {
    let mut set = Vec::new();
    for (id, value) in states {
        set.put_u8(*id);
        match u8::try_from(value.len()) {
            Ok(length) if length < 0xFF => set.put_u8(length),
            _ => {
                set.put_u8(0xFF);
                set.put_u32(value.len() as u32);
            }
        }
        set.put(value);
    }
    set
}
