//! Requests, written into a [`MessageWriter`].

use base::{SqlType, ValueRef};

use crate::columns::put_user_type;
use crate::error::EncodeError;
use crate::login::Login;
use crate::packet::{PacketType, Reset};
use crate::prelogin::Prelogin;
use crate::server::request::IsolationLevel;
use crate::server::rows::RowSource;
use crate::server::rpc::ProcedureId;
use crate::typeinfo::{Place, TABLE_TYPE};
use crate::value::encode::ValueWriter;
use crate::version::TdsVersion;
use crate::writer::{MessageWriter, PutBytes};

/// Writes a `PRELOGIN`.
pub fn prelogin(out: &mut MessageWriter, prelogin: &Prelogin) {
    out.begin(PacketType::Prelogin);
    out.put_long(&prelogin.to_bytes());
    out.end();
}

/// Writes a `LOGIN7`.
pub fn login(out: &mut MessageWriter, login: &Login) {
    out.begin(PacketType::Login);
    out.put_long(&login.to_bytes());
    out.end();
}

/// Writes a batch of T-SQL. `transaction` is the descriptor that the server has sent, 0 for none.
pub fn batch(
    out: &mut MessageWriter,
    version: TdsVersion,
    transaction: u64,
    reset: Reset,
    text: &str,
) {
    out.begin_with_reset(PacketType::SqlBatch, reset);
    put_headers(out, version, transaction);
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    out.put_long(&units);
    out.end();
}

/// Writes an attention: the running request shall stop. The server confirms it by a `DONE`.
pub fn attention(out: &mut MessageWriter) {
    out.begin(PacketType::Attention);
    out.end();
}

/// Writes a request to begin a transaction.
pub fn begin_transaction(
    out: &mut MessageWriter,
    version: TdsVersion,
    transaction: u64,
    isolation: Option<IsolationLevel>,
    name: &str,
) {
    transaction_request(out, version, transaction, 5, |out| put_begin(out, isolation, name));
}

/// Writes a request to commit the transaction.
pub fn commit(out: &mut MessageWriter, version: TdsVersion, transaction: u64) {
    transaction_request(out, version, transaction, 7, |out| out.put(&[0, 0]));
}

/// Writes a request to roll the transaction back; to a savepoint if one is named.
pub fn rollback(out: &mut MessageWriter, version: TdsVersion, transaction: u64, savepoint: &str) {
    transaction_request(out, version, transaction, 8, |out| {
        put_name(out, savepoint);
        out.put_u8(0);
    });
}

/// Writes a request to set a savepoint.
pub fn save(out: &mut MessageWriter, version: TdsVersion, transaction: u64, name: &str) {
    transaction_request(out, version, transaction, 9, |out| put_name(out, name));
}

fn transaction_request(
    out: &mut MessageWriter,
    version: TdsVersion,
    transaction: u64,
    request: u16,
    content: impl FnOnce(&mut MessageWriter),
) {
    out.begin(PacketType::TransactionManager);
    put_headers(out, version, transaction);
    out.put_u16(request);
    content(out);
    out.end();
}

fn put_begin(out: &mut MessageWriter, isolation: Option<IsolationLevel>, name: &str) {
    out.put_u8(isolation.map_or(0, |level| level as u8));
    put_name(out, name);
}

/// Names here have their length in bytes, unlike everywhere else.
fn put_name(out: &mut MessageWriter, name: &str) {
    let (name, units) = crate::reader::utf16_units_within(name, 127);
    out.put_u8(2 * units as u8);
    out.put_utf16(name);
}

fn put_headers(out: &mut MessageWriter, version: TdsVersion, transaction: u64) {
    if version.has_all_headers() {
        out.put_u32(22);
        out.put_u32(18);
        out.put_u16(2);
        out.put_u64(transaction);
        out.put_u32(1);
    }
}

/// A scalar parameter of a call.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<'a> {
    /// The name with its `@`; empty for a parameter by position.
    pub name: &'a str,
    /// The type.
    pub ty: SqlType,
    /// The value.
    pub value: ValueRef<'a>,
    /// Whether the value is to be sent back.
    pub output: bool,
    /// Whether the parameter's default is meant.
    pub default: bool,
}

impl<'a> Parameter<'a> {
    /// An input parameter.
    pub const fn input(name: &'a str, ty: SqlType, value: ValueRef<'a>) -> Parameter<'a> {
        Parameter { name, ty, value, output: false, default: false }
    }

    /// An OUTPUT parameter.
    pub const fn output(name: &'a str, ty: SqlType, value: ValueRef<'a>) -> Parameter<'a> {
        Parameter { name, ty, value, output: true, default: false }
    }
}

/// Writes calls of procedures, one or several in a message.
#[derive(Debug)]
pub struct RpcWriter<'w> {
    out: &'w mut MessageWriter,
    version: TdsVersion,
    calls: usize,
}

impl<'w> RpcWriter<'w> {
    /// Begins a message.
    pub fn begin(
        out: &'w mut MessageWriter,
        version: TdsVersion,
        transaction: u64,
        reset: Reset,
    ) -> RpcWriter<'w> {
        out.begin_with_reset(PacketType::Rpc, reset);
        put_headers(out, version, transaction);
        RpcWriter { out, version, calls: 0 }
    }

    fn separate(&mut self) {
        if self.calls > 0 {
            self.out.put_u8(if self.version.has_all_headers() { 0xFF } else { 0x80 });
        }
        self.calls += 1;
    }

    /// Begins a call of a procedure by its name. `options` are those of the protocol: 1 recompile,
    /// 2 no metadata.
    pub fn call(&mut self, name: &str, options: u16) {
        self.separate();
        self.out.put_us_varchar(name);
        self.out.put_u16(options);
    }

    /// Begins a call of a procedure by its number.
    pub fn call_id(&mut self, id: ProcedureId, options: u16) {
        self.separate();
        self.out.put_u16(0xFFFF);
        self.out.put_u16(id as u16);
        self.out.put_u16(options);
    }

    /// Writes a parameter.
    ///
    /// # Errors
    /// When the value is not one of the type; the message cannot be used any further then.
    pub fn parameter(&mut self, parameter: &Parameter<'_>) -> Result<(), EncodeError> {
        let writer = ValueWriter::new(&parameter.ty, true, self.version, Place::Parameter);
        self.out.put_b_varchar(parameter.name);
        self.out.put_u8(u8::from(parameter.output) | u8::from(parameter.default) << 1);
        writer.type_info().write(self.out, None);
        writer.write(self.out, parameter.value)?;
        self.out.seal();
        Ok(())
    }

    /// Begins a table-valued parameter; its rows go into the writer that is returned. `type_name`
    /// is schema and name of the table type; columns marked as default are not sent.
    pub fn table(
        &mut self,
        name: &str,
        type_name: (&str, &str),
        columns: &[TableColumnSpec],
    ) -> TableWriter<'_> {
        let out = &mut *self.out;
        out.put_b_varchar(name);
        out.put(&[0, TABLE_TYPE, 0]);
        out.put_b_varchar(type_name.0);
        out.put_b_varchar(type_name.1);
        out.put_u16(columns.len() as u16);
        let mut writers = Vec::with_capacity(columns.len());
        for column in columns {
            let writer = ValueWriter::new(&column.ty, true, self.version, Place::Row);
            put_user_type(out, 0, self.version);
            out.put_u16(if column.default { 0x0201 } else { 0x0001 });
            writer.type_info().write(out, None);
            out.put_u8(0);
            writers.push((!column.default).then_some(writer));
        }
        out.put_u8(0);
        out.seal();
        TableWriter { out, writers }
    }

    /// Writes a table-valued parameter that is NULL: an empty table.
    pub fn null_table(&mut self, name: &str, type_name: (&str, &str)) {
        self.out.put_b_varchar(name);
        self.out.put(&[0, TABLE_TYPE, 0]);
        self.out.put_b_varchar(type_name.0);
        self.out.put_b_varchar(type_name.1);
        self.out.put_u16(0xFFFF);
        self.out.put(&[0, 0]);
        self.out.seal();
    }

    /// Ends the message.
    pub fn end(self) {
        self.out.end();
    }
}

/// A column of a table-valued parameter that is to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableColumnSpec {
    /// The type.
    pub ty: SqlType,
    /// No values are sent; every row has the column's default.
    pub default: bool,
}

/// Writes the rows of a table-valued parameter.
#[derive(Debug)]
pub struct TableWriter<'w> {
    out: &'w mut MessageWriter,
    /// None for columns that are not sent.
    writers: Vec<Option<ValueWriter>>,
}

impl TableWriter<'_> {
    /// Writes a row; the values of columns that are not sent are not looked at.
    ///
    /// # Errors
    /// When a value is not one of its column's type; the message cannot be used any further then.
    pub fn row<R: RowSource + ?Sized>(&mut self, row: &R) -> Result<(), EncodeError> {
        self.out.put_u8(1);
        for (column, writer) in self.writers.iter().enumerate() {
            if let Some(writer) = writer {
                writer.write(self.out, row.value(column))?;
            }
        }
        self.out.seal();
        Ok(())
    }

    /// Ends the parameter.
    pub fn end(self) {
        self.out.put_u8(0);
        self.out.seal();
    }
}
