//! The answer to a request, written while the request runs.
//!
//! # The last `DONE`
//! Whether a `DONE` says that more follows is known only when more follows, or nothing. So the last
//! one is held back until the next token, or the end.
//!
//! # The barrier
//! Nothing leaves before all that it could reveal is durable. Packets are handed over when there
//! are many, when the client shall see them at once, and at the end; each time the session waits
//! first.

use std::sync::Arc;

use base::account::{Account, Charged, UNASKED};
use base::value::Variant;
use base::{SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use engine::catalog::def::UserTypeId;
use engine::wait::{Interrupted, Task};
use ir::site::{ResultColumn, ResultSite};
use run::interp::{OutputRow, ResultWriter};
use session::response::After;
use session::response::{
    AnswerWriter, DoneScope, EnvironmentChange, Origins, OutputParameter, StatementDone,
};
use session::session::Reveal;
use tds::collation::WireCollation;
use tds::server::{ResponseWriter, RowEncoder, RowSource};
use tds::token::{Done, DoneKind, DoneStatus};
use tds::typeinfo::without_json;
use tds::{Column, ColumnFlags, EnvChange, TdsVersion};

use super::known::KnownColumns;
use super::origins;
use super::outbox::Outbox;
use super::rpc::ReceivedCall;

/// Ready bytes from which on they are handed over.
const HAND_OVER_BYTES: usize = 32 * 1024;

/// A connection keeps the description of a result of no more columns than this.
const KEPT_COLUMNS_MAX: usize = 32;

/// See the module's header.
pub struct Answer {
    writer: ResponseWriter,
    outbox: Arc<Outbox>,
    reveal: Reveal,
    /// What rows with long values are charged to until they are sent.
    account: Arc<Account>,
    server_name: Arc<str>,
    held: Option<Done>,
    result: Option<OpenResult>,
    /// The result before, whose columns are likely to come again.
    last: Option<OpenResult>,
    /// What was used to read the request, for the next one.
    spent: Vec<u8>,
    text_size: usize,
    /// Further calls of the request's message follow.
    is_followed: bool,
    /// The output parameters that the client has named.
    output_names: Vec<OutputName>,
    known: KnownColumns,
    /// An error has been written that ends the session.
    is_fatal: bool,
    /// A panic has cut a row short: nothing that follows would be understood.
    is_torn: bool,
    errors: u32,
    /// The client takes values of the type json as such.
    has_json: bool,
}

/// What client and server have agreed on at the login.
pub struct Terms {
    /// The version of the protocol.
    pub version: TdsVersion,
    /// The client takes values of the type json as such, not as strings.
    pub has_json: bool,
    /// The version of data classification that the client gets; 0 for none.
    pub classification: u8,
    /// Bytes of a packet.
    pub packet_size: u16,
    /// The session's number in packets.
    pub session_id: u16,
}

/// An output parameter that the client has named.
struct OutputName {
    /// Its place among the parameters.
    place: usize,
    name: String,
}

/// Marks an answer as torn when a panic unwinds through the writing of a row.
struct Torn<'a>(&'a mut bool);

impl Drop for Torn<'_> {
    fn drop(&mut self) {
        *self.0 = true;
    }
}

/// The result set that is being written.
struct OpenResult {
    columns: Vec<Column>,
    encoder: RowEncoder,
    /// Columns of the type `sql_variant`.
    variants: Vec<usize>,
    /// Columns whose values may be long.
    long: Vec<usize>,
}

impl Answer {
    /// For a client that was told that it is in this database.
    pub fn new(
        terms: Terms,
        database: &str,
        server_name: Arc<str>,
        reveal: Reveal,
        account: Arc<Account>,
    ) -> Answer {
        let mut writer = ResponseWriter::new(terms.version);
        writer.message().set_packet_size(terms.packet_size);
        writer.message().set_session_id(terms.session_id);
        writer.set_database(database);
        writer.set_classification(terms.classification);
        Answer {
            writer,
            outbox: Arc::default(),
            reveal,
            account,
            server_name,
            held: None,
            result: None,
            last: None,
            spent: Vec::new(),
            text_size: usize::MAX,
            is_followed: false,
            output_names: Vec::new(),
            known: KnownColumns::default(),
            is_fatal: false,
            is_torn: false,
            errors: 0,
            has_json: terms.has_json,
        }
    }

    /// Where packets go while the request runs.
    pub fn outbox(&self) -> &Arc<Outbox> {
        &self.outbox
    }

    /// The packets that were not handed over.
    pub fn writer(&mut self) -> &mut ResponseWriter {
        &mut self.writer
    }

    /// Begins the answer to a message.
    pub fn begin(&mut self) {
        self.held = None;
        self.known.end();
        self.writer.begin();
    }

    /// A call is about to run, and perhaps others follow it.
    pub fn begin_call(&mut self, received: &ReceivedCall) {
        let args = received.call.args.iter().enumerate();
        let named = args.filter(|(_, arg)| arg.output && !arg.name.is_empty());
        self.output_names =
            named.map(|(place, arg)| OutputName { place, name: arg.name.clone() }).collect();
        self.is_followed = received.is_followed;
        self.known.begin(&received.call, received.no_metadata);
    }

    /// A call that cannot be read is about to be refused.
    pub fn begin_refusal(&mut self) {
        self.is_followed = false;
        self.output_names.clear();
    }

    /// Whether the session must end.
    pub fn is_fatal(&self) -> bool {
        self.is_fatal
    }

    /// How many errors were written since the last time this was asked.
    pub fn take_errors(&mut self) -> u32 {
        std::mem::take(&mut self.errors)
    }

    /// Ends the answer.
    ///
    /// # Errors
    /// When what the answer could reveal will never be durable.
    pub fn end(&mut self, task: &Task) -> SqlResult<()> {
        self.end_result();
        if self.is_torn {
            self.is_fatal = true;
            let waited = self.reveal.wait(task);
            self.writer.end();
            return waited;
        }
        let nothing =
            Done { kind: DoneKind::Statement, status: DoneStatus::FINAL, command: 0, rows: 0 };
        let mut last = self.held.take().unwrap_or(nothing);
        if self.is_fatal {
            last.status = last.status.with(DoneStatus::SERVER_ERROR);
        }
        self.writer.done(&last);
        let waited = self.reveal.wait(task);
        self.writer.end();
        waited
    }

    /// Sends the error of a request that is refused, and ends the answer.
    pub fn refuse(&mut self, task: &Task, error: &SqlError) -> After {
        let scope = DoneScope::Batch;
        let done =
            StatementDone { scope, command: 0, rows: None, failed: true, in_transaction: false };
        match self.error(task, error).and_then(|()| self.done(task, &done)) {
            Ok(()) if error.severity() < 20 => After::GoOn,
            _ => After::Disconnect,
        }
    }

    fn end_result(&mut self) {
        if let Some(result) = self.result.take() {
            self.last = Some(result).filter(|result| result.columns.len() <= KEPT_COLUMNS_MAX);
        }
    }

    /// Takes memory that the request is done with.
    pub fn give_back(&mut self, spent: Vec<u8>) {
        self.spent = spent;
    }

    /// Memory that the request was done with.
    pub fn take_spent(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.spent)
    }

    /// The writer for a token that follows what was held back.
    fn next(&mut self) -> &mut ResponseWriter {
        if let Some(mut held) = self.held.take() {
            held.status = held.status.with(DoneStatus::MORE);
            self.writer.done(&held);
        }
        &mut self.writer
    }

    /// Hands the ready packets over, and waits while there are many.
    #[cold]
    fn hand_over(&mut self, task: &Task) -> SqlResult<()> {
        self.reveal.wait(task)?;
        {
            let mut outbox = self.outbox.lock();
            if outbox.is_broken {
                return Err(SqlError::new(&message::SESSION_KILLED, &[]));
            }
            self.writer.message().take_ready(&mut outbox.bytes);
        }
        let room = task.wait_interruptible(|_| match self.outbox.has_room() {
            true => std::task::Poll::Ready(()),
            false => std::task::Poll::Pending,
        });
        match room {
            Err(Interrupted::Kill) => Err(SqlError::new(&message::SESSION_KILLED, &[])),
            // A client that cancels still gets the end of its request; the statement itself sees to
            // it that it ends.
            Ok(()) | Err(Interrupted::Attention) => Ok(()),
        }
    }

    #[inline]
    fn hand_over_if_much(&mut self, task: &Task) -> SqlResult<()> {
        if self.writer.message().ready().len() >= HAND_OVER_BYTES {
            self.hand_over(task)?;
        }
        Ok(())
    }
}

/// A value cannot be encoded as its column or parameter was announced: a fault of the server's.
#[cold]
fn broken(what: &dyn std::fmt::Display) -> SqlError {
    tracing::error!("a result cannot be sent: {what}");
    SqlError::new(&message::INTERNAL_QUERY_ERROR, &[])
}

impl ResultWriter for Answer {
    fn start(&mut self, task: &Task, result: &ResultSite) -> SqlResult<()> {
        self.end_result();
        let open =
            match self.last.take().filter(|last| last.announces(&result.columns, self.has_json)) {
                Some(last) => last,
                None => OpenResult::new(&result.columns, self.writer.version(), self.has_json),
            };
        let is_known = self.known.is_known(&open.columns);
        self.next().columns(&open.columns, is_known);
        self.result = Some(open);
        self.hand_over_if_much(task)
    }

    #[inline]
    fn row(&mut self, task: &Task, row: &OutputRow<'_>) -> SqlResult<()> {
        let result = self.result.as_ref().expect("a result starts before its first row");
        let long: usize = result.long.iter().map(|column| row.value(*column).byte_len()).sum();
        // They are copied to packets, and these to what waits to be sent.
        let charged = match long > UNASKED {
            true => Some(Charged::take(&self.account, 2 * long)?),
            false => None,
        };
        let variants = result.variants.iter().map(|&column| {
            let value = variant(row.value(column));
            ShownVariant { column, value }
        });
        let row = Shown { row, variants: variants.collect(), text_size: self.text_size };
        let torn = Torn(&mut self.is_torn);
        let written = self.writer.row(&result.encoder, &row);
        std::mem::forget(torn);
        if let Err(error) = written {
            // Nothing of the row has been written, so the statement alone fails.
            return Err(broken(&error));
        }
        let handed_over = self.hand_over_if_much(task);
        if charged.is_some() {
            self.writer.message().release();
        }
        handed_over
    }

    fn inform(&mut self, task: &Task, message: &SqlError) -> SqlResult<()> {
        if self.is_torn {
            return Ok(());
        }
        let name = self.server_name.clone();
        self.next().error(message, &name);
        self.hand_over_if_much(task)
    }
}

impl AnswerWriter for Answer {
    fn results(&mut self) -> &mut dyn ResultWriter {
        self
    }

    fn origins(&mut self, _: &Task, origins: &Origins<'_>) -> SqlResult<()> {
        origins::write(&mut self.writer, origins);
        Ok(())
    }

    fn error(&mut self, task: &Task, error: &SqlError) -> SqlResult<()> {
        self.errors += 1;
        self.is_fatal |= error.severity() >= 20;
        self.inform(task, error)
    }

    fn done(&mut self, task: &Task, done: &StatementDone) -> SqlResult<()> {
        let status = DoneStatus::FINAL
            .with_if(done.failed, DoneStatus::ERROR)
            .with_if(done.in_transaction, DoneStatus::IN_TRANSACTION)
            .with_if(done.rows.is_some(), DoneStatus::COUNT);
        let (kind, status) = match done.scope {
            DoneScope::Batch => (DoneKind::Statement, status),
            DoneScope::InModule => (DoneKind::InProcedure, status),
            DoneScope::Module => {
                let is_followed = self.is_followed;
                (DoneKind::Procedure, status.with_if(is_followed, DoneStatus::RPC_IN_BATCH))
            }
        };
        let rows = done.rows.unwrap_or(0);
        self.next();
        self.held = Some(Done { kind, status, command: done.command, rows });
        self.end_result();
        self.hand_over_if_much(task)
    }

    fn return_status(&mut self, _: &Task, status: i32) -> SqlResult<()> {
        self.next().return_status(status);
        Ok(())
    }

    fn output(&mut self, task: &Task, parameter: &OutputParameter<'_>) -> SqlResult<()> {
        let OutputParameter { ordinal, ty, schemas, value, .. } = *parameter;
        // Clients get back the name that they have sent, or none.
        if let (0, ValueRef::Int(handle)) = (ordinal, value) {
            self.known.prepared(handle);
        }
        let named = self.output_names.iter().find(|own| own.place == usize::from(ordinal));
        let name = named.map(|own| own.name.clone()).unwrap_or_default();
        let variant = (ty.kind == TypeKind::SqlVariant).then(|| variant(value)).flatten();
        let value = variant.as_ref().map_or(value, ValueRef::Variant);
        let ty = shown_type(ty, self.has_json);
        if let Err(error) = self.next().output_parameter(ordinal, &name, &ty, schemas, value) {
            // Without its outputs a call has no answer.
            self.is_fatal = true;
            return Err(broken(&error));
        }
        self.hand_over_if_much(task)
    }

    fn environment(&mut self, _: &Task, change: &EnvironmentChange<'_>) -> SqlResult<()> {
        if let EnvironmentChange::Reset = change {
            self.known.clear();
        }
        write_environment(self.next(), change);
        Ok(())
    }

    fn set_text_size(&mut self, bytes: usize) {
        self.text_size = bytes;
    }

    fn flush(&mut self, task: &Task) -> SqlResult<()> {
        self.next().message().flush();
        self.hand_over(task)
    }
}

/// Writes a change of the environment. The message that goes with some is the session's to raise.
pub fn write_environment(writer: &mut ResponseWriter, change: &EnvironmentChange<'_>) {
    let wire = |collation| Some(WireCollation::of(collation));
    match *change {
        EnvironmentChange::Database(new, old) => {
            writer.env_change(&EnvChange::Database { new: new.into(), old: old.into() });
        }
        EnvironmentChange::Language(new, old) => {
            let (new, old) = (new.name, old.name);
            writer.env_change(&EnvChange::Language { new: new.into(), old: old.into() });
        }
        EnvironmentChange::Collation(new, old) => {
            writer.env_change(&EnvChange::Collation { new: wire(new), old: wire(old) });
        }
        EnvironmentChange::TransactionBegun(descriptor) => {
            writer.env_change(&EnvChange::BeginTransaction { descriptor });
        }
        EnvironmentChange::TransactionCommitted(descriptor) => {
            writer.env_change(&EnvChange::CommitTransaction { descriptor });
        }
        EnvironmentChange::TransactionRolledBack(descriptor) => {
            writer.env_change(&EnvChange::RollbackTransaction { descriptor });
        }
        EnvironmentChange::Reset => writer.env_change(&EnvChange::ResetConnection),
    }
}

impl OpenResult {
    fn new(columns: &[ResultColumn], version: TdsVersion, has_json: bool) -> OpenResult {
        let columns: Vec<Column> = columns.iter().map(|c| announced(c, has_json)).collect();
        let variants = (0..columns.len()).filter(|c| columns[*c].ty.kind == TypeKind::SqlVariant);
        let long = (0..columns.len())
            .filter(|c| columns[*c].ty.is_max() || columns[*c].ty.kind.is_legacy_lob());
        let (variants, long) = (variants.collect(), long.collect());
        let encoder = RowEncoder::new(&columns, version);
        OpenResult { columns, encoder, variants, long }
    }

    /// Whether this is how these columns are announced.
    fn announces(&self, columns: &[ResultColumn], has_json: bool) -> bool {
        let is_same = |(known, column): (&Column, &ResultColumn)| {
            known.ty == shown_type(&column.ty, has_json)
                && *known.name == *column.name
                && (known.flags, known.user_type) == facts(column)
                && known.table.iter().map(String::as_str).eq(table_name(column))
                && known.schemas == column.schemas
                && known.classified == column.classified
        };
        self.columns.len() == columns.len() && self.columns.iter().zip(columns).all(is_same)
    }
}

/// How a result's column is announced.
fn announced(column: &ResultColumn, has_json: bool) -> Column {
    let (flags, user_type) = facts(column);
    let table = table_name(column).map(str::to_owned).collect();
    let ty = shown_type(&column.ty, has_json);
    let (name, schemas) = (column.name.to_string(), column.schemas.clone());
    let classified = column.classified.clone();
    Column { name, ty, flags, user_type, table, schemas, classified }
}

/// The type as which a client sees one.
fn shown_type(ty: &SqlType, has_json: bool) -> SqlType {
    if has_json { *ty } else { without_json(*ty) }
}

/// The table behind a result's column, if there is one.
fn table_name(column: &ResultColumn) -> impl Iterator<Item = &str> {
    column.base.iter().map(|base| &*base.table.header.name)
}

/// What is announced of a result's column besides its name and type: flags, and the number of its
/// alias type.
fn facts(column: &ResultColumn) -> (ColumnFlags, u32) {
    let mut flags = ColumnFlags::default();
    if column.nullable {
        flags = flags.with(ColumnFlags::NULLABLE);
    }
    let Some(base) = &column.base else { return (flags.with(ColumnFlags::COMPUTED), 0) };
    let definition = &base.table.columns[base.ordinal];
    if definition.column_set {
        flags = flags.with(ColumnFlags::COLUMN_SET).with(ColumnFlags::UPDATABLE_UNKNOWN);
    } else if definition.computed.is_some() {
        flags = flags.with(ColumnFlags::COMPUTED);
    } else if definition.identity.is_some() {
        flags = flags.with(ColumnFlags::IDENTITY);
    } else if column.ty.kind != TypeKind::RowVersion {
        flags = flags.with(ColumnFlags::UPDATABLE_UNKNOWN);
    }
    (flags, alias_number(definition.user_type))
}

/// The number of an alias type; system types have none.
fn alias_number(user_type: UserTypeId) -> u32 {
    let is_alias = user_type >= UserTypeId::FIRST_USER;
    if is_alias { user_type.0.unsigned_abs() } else { 0 }
}

/// A variant in the form that goes over the wire.
fn variant(value: ValueRef<'_>) -> Option<Variant> {
    let (ty, value) = base::variant::content(value)?;
    Some(Variant { ty, value: value.to_owned() })
}

/// A row as its client sees it.
struct Shown<'r> {
    row: &'r OutputRow<'r>,
    /// The values of variants. Most rows have none, and no memory for them.
    variants: Vec<ShownVariant>,
    text_size: usize,
}

/// The value of a variant.
struct ShownVariant {
    column: usize,
    value: Option<Variant>,
}

impl RowSource for Shown<'_> {
    #[inline]
    fn is_null(&self, column: usize) -> bool {
        self.row.value(column).is_null()
    }

    #[inline]
    fn value(&self, column: usize) -> ValueRef<'_> {
        let value = self.row.value(column);
        if !self.variants.is_empty() {
            if let Some(variant) = self.variants.iter().find(|own| own.column == column) {
                return variant.value.as_ref().map_or(ValueRef::Null, ValueRef::Variant);
            }
        }
        match self.text_size {
            usize::MAX => value,
            limit if self.row.columns()[column].ty.is_max() => cut(value, limit),
            _ => value,
        }
    }
}

/// A long value, cut after this many bytes.
fn cut(value: ValueRef<'_>, limit: usize) -> ValueRef<'_> {
    match value {
        ValueRef::Chars(v) => ValueRef::Chars(&v[..v.len().min(limit)]),
        ValueRef::Unicode(v) => ValueRef::Unicode(&v[..v.len().min(limit & !1)]),
        ValueRef::Bytes(v) => ValueRef::Bytes(&v[..v.len().min(limit)]),
        other => other,
    }
}
