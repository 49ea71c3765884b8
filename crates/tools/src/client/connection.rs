//! A session of a server, and what can be asked of it.

use std::io;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use base::{Collation, Value};
use tds::client::request::TableColumnSpec;
use tds::client::{Parameter, RpcWriter, request};
use tds::packet::HEADER_LEN;
use tds::{MessageWriter, Reset, TdsVersion};

use super::answer::{Ignore, Outcome, Receiver, ResultSet, Results, Rows};
use super::error::{ClientError, TimeoutKind};
use super::handshake;
use super::incoming::Incoming;
use super::link::{Canceller, Link};
use super::options::ConnectOptions;

/// Where in a request the transaction's descriptor lies: after the packet's header, the lengths of
/// all headers and of the first one, and its number.
const DESCRIPTOR_AT: usize = HEADER_LEN + 4 + 4 + 2;
/// How long the server may take to confirm an attention after a query's timeout.
const CONFIRMATION_TIME: Duration = Duration::from_secs(10);

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    /// A scalar.
    Scalar(Parameter<'a>),
    /// A table.
    Table(TableArgument<'a>),
}

/// A table-valued argument.
#[derive(Clone, Copy, Debug)]
pub struct TableArgument<'a> {
    /// The name with its `@`; empty for an argument by position.
    pub name: &'a str,
    /// Schema and name of the table type.
    pub type_name: (&'a str, &'a str),
    /// The columns, in the table type's order.
    pub columns: &'a [TableColumnSpec],
    /// The rows.
    pub rows: &'a [Vec<Value>],
}

/// A request as bytes, made once and sent any number of times, on every connection that has agreed
/// on the same packet size and version as the one that has made it.
#[derive(Clone, Debug)]
pub struct Request {
    bytes: Box<[u8]>,
    has_descriptor: bool,
}

impl Request {
    fn new(version: TdsVersion, out: &mut MessageWriter) -> Request {
        let bytes = out.ready().into();
        out.consume(out.ready().len());
        Request { bytes, has_descriptor: version.has_all_headers() }
    }

    /// The packets, for a session with this transaction.
    pub(super) fn bytes_within<'a>(&'a self, transaction: u64, copy: &'a mut Vec<u8>) -> &'a [u8] {
        if transaction == 0 || !self.has_descriptor {
            return &self.bytes;
        }
        copy.clear();
        copy.extend_from_slice(&self.bytes);
        copy[DESCRIPTOR_AT..DESCRIPTOR_AT + 8].copy_from_slice(&transaction.to_le_bytes());
        copy
    }
}

/// A session.
pub struct Connection {
    pub(super) link: Link,
    pub(super) incoming: Incoming,
    pub(super) out: MessageWriter,
    copy: Vec<u8>,
    query_timeout: Option<Duration>,
    is_closed: bool,
}

impl Connection {
    /// Connects and logs in.
    ///
    /// # Errors
    /// When the server cannot be reached in time, cannot agree on encryption or refuses the login.
    pub fn connect(options: &ConnectOptions) -> Result<Connection, ClientError> {
        Connection::connect_with(options, &mut Ignore)
    }

    /// As [`Connection::connect`]; messages that come with the login go to the receiver.
    ///
    /// # Errors
    /// As for [`Connection::connect`].
    pub fn connect_with<R: Receiver + ?Sized>(
        options: &ConnectOptions,
        receiver: &mut R,
    ) -> Result<Connection, ClientError> {
        let (link, incoming) = handshake::establish(options, receiver)?;
        let mut out = MessageWriter::new();
        if let Some(size) = incoming.session.packet_size {
            out.set_packet_size(size);
        }
        let query_timeout = options.query_timeout;
        Ok(Connection { link, incoming, out, copy: Vec::new(), query_timeout, is_closed: false })
    }

    /// The database.
    pub fn database(&self) -> &str {
        &self.incoming.session.database
    }

    /// The collation of the database that the login began in, or that was used last.
    pub fn collation(&self) -> Collation {
        self.incoming.session.collation
    }

    /// The program and version (major, minor, build high and low) at the other end.
    pub fn server_program(&self) -> (&str, [u8; 4]) {
        let login = self.incoming.session.login.as_ref();
        login.map_or(("", [0; 4]), |login| (&login.program, login.program_version))
    }

    /// The version of the protocol that was agreed.
    pub fn version(&self) -> TdsVersion {
        self.incoming.version()
    }

    /// The packet size that was agreed.
    pub fn packet_size(&self) -> usize {
        self.out.packet_size()
    }

    /// Whether a transaction is open.
    pub fn is_in_transaction(&self) -> bool {
        self.incoming.session.transaction != 0
    }

    /// Whether requests and answers are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.link.is_encrypted()
    }

    /// Whether an error has closed the connection.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// How long a request may take; `None` for any time.
    pub fn set_query_timeout(&mut self, timeout: Option<Duration>) {
        self.query_timeout = timeout;
    }

    /// Cancels requests of this connection from another thread.
    pub fn canceller(&self) -> Canceller {
        self.link.canceller()
    }

    /// A batch of T-SQL as a request.
    pub fn prepare_batch(&self, text: &str) -> Request {
        let mut out = self.writer();
        request::batch(&mut out, self.version(), 0, Reset::None, text);
        Request::new(self.version(), &mut out)
    }

    /// A call of a procedure as a request.
    ///
    /// # Errors
    /// [`ClientError::Encode`] when a value is not one of its type.
    pub fn prepare_call(
        &self,
        procedure: &str,
        arguments: &[Argument<'_>],
    ) -> Result<Request, ClientError> {
        let mut out = self.writer();
        let mut call = RpcWriter::begin(&mut out, self.version(), 0, Reset::None);
        call.call(procedure, 0);
        for argument in arguments {
            match argument {
                Argument::Scalar(parameter) => call.parameter(parameter)?,
                Argument::Table(table) => write_table(&mut call, table)?,
            }
        }
        call.end();
        Ok(Request::new(self.version(), &mut out))
    }

    fn writer(&self) -> MessageWriter {
        let mut out = MessageWriter::new();
        out.set_packet_size(self.out.packet_size() as u16);
        out
    }

    /// Makes a request. The server's errors are part of its answer.
    ///
    /// # Errors
    /// [`ClientError::Server`] for an error that ends the session only, and all others.
    pub fn run<R: Receiver + ?Sized>(
        &mut self,
        request: &Request,
        receiver: &mut R,
    ) -> Result<Outcome, ClientError> {
        self.transact(receiver, |link, transaction, copy| {
            link.send(request.bytes_within(transaction, copy)).map_err(ClientError::Lost)
        })
    }

    /// Runs a batch. The server's errors are part of its answer.
    ///
    /// # Errors
    /// [`ClientError::Server`] for an error that ends the session only, and all others.
    pub fn batch<R: Receiver + ?Sized>(
        &mut self,
        text: &str,
        receiver: &mut R,
    ) -> Result<Outcome, ClientError> {
        self.run(&self.prepare_batch(text), receiver)
    }

    /// Calls a procedure. The server's errors are part of its answer.
    ///
    /// # Errors
    /// [`ClientError::Server`] for an error that ends the session only, and all others.
    pub fn call<R: Receiver + ?Sized>(
        &mut self,
        procedure: &str,
        arguments: &[Argument<'_>],
        receiver: &mut R,
    ) -> Result<Outcome, ClientError> {
        self.run(&self.prepare_call(procedure, arguments)?, receiver)
    }

    /// Runs a batch whose results do not matter.
    ///
    /// # Errors
    /// [`ClientError::Server`] for the first error of the server, and all others.
    pub fn execute(&mut self, text: &str) -> Result<Outcome, ClientError> {
        self.batch(text, &mut Ignore).and_then(succeed)
    }

    /// Runs a batch and keeps the rows of its last result.
    ///
    /// # Errors
    /// As for [`Connection::execute`].
    pub fn query(&mut self, text: &str) -> Result<Rows, ClientError> {
        let mut rows = Rows::default();
        self.batch(text, &mut rows).and_then(succeed)?;
        Ok(rows)
    }

    /// Runs a batch and keeps the rows of all its results.
    ///
    /// # Errors
    /// As for [`Connection::execute`].
    pub fn query_all(&mut self, text: &str) -> Result<Vec<ResultSet>, ClientError> {
        let mut results = Results::default();
        self.batch(text, &mut results).and_then(succeed)?;
        Ok(results.sets)
    }

    /// Begins a request, lets `send` send it and receives the answer.
    pub(super) fn transact<R: Receiver + ?Sized>(
        &mut self,
        receiver: &mut R,
        send: impl FnOnce(&mut Link, u64, &mut Vec<u8>) -> Result<(), ClientError>,
    ) -> Result<Outcome, ClientError> {
        if self.is_closed {
            return Err(ClientError::Closed);
        }
        self.incoming.begin();
        self.link.begin_request();
        let sent = send(&mut self.link, self.incoming.session.transaction, &mut self.copy);
        let sent = sent.and_then(|()| self.link.end_request().map_err(ClientError::Lost));
        let result = match sent {
            Ok(()) => self.receive(receiver),
            // A server that ends a session says why before.
            Err(ClientError::Lost(error)) => self.last_words(error, receiver),
            Err(error) => Err(error),
        };
        if result.as_ref().is_err_and(|error| !error.leaves_connection_open()) {
            self.close();
        }
        result
    }

    fn receive<R: Receiver + ?Sized>(&mut self, receiver: &mut R) -> Result<Outcome, ClientError> {
        let mut deadline = self.query_timeout.map(|time| Instant::now() + time);
        let mut is_late = false;
        let mut has_cancelled = false;
        loop {
            let mut bytes = match self.link.receive(deadline) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::TimedOut && !is_late => {
                    is_late = true;
                    deadline = Some(Instant::now() + CONFIRMATION_TIME);
                    self.cancel()?;
                    continue;
                }
                Err(error) => return self.ended(error),
            };
            if bytes.is_empty() {
                return self.ended(io::ErrorKind::UnexpectedEof.into());
            }
            let mut is_complete = false;
            while self.incoming.feed(&mut bytes, receiver)? {
                is_complete = true;
            }
            if self.incoming.stopped.is_some() && !has_cancelled && !is_complete {
                has_cancelled = true;
                self.cancel()?;
            }
            if is_complete && self.link.end_answer(self.incoming.attention_confirmed) {
                break;
            }
        }
        if let Some(message) = self.incoming.outcome.fatal.take() {
            return Err(ClientError::Server(message));
        }
        match (self.incoming.stopped.take(), is_late) {
            (Some(error), _) => Err(ClientError::Receiver(error)),
            (None, true) => Err(ClientError::Timeout(TimeoutKind::Query)),
            (None, false) => Ok(std::mem::take(&mut self.incoming.outcome)),
        }
    }

    fn cancel(&mut self) -> Result<(), ClientError> {
        self.link.canceller().cancel().map(|_| ()).map_err(ClientError::Lost)
    }

    /// The connection has ended in the middle of an answer.
    fn ended(&mut self, error: io::Error) -> Result<Outcome, ClientError> {
        self.close();
        match self.incoming.outcome.fatal.take() {
            Some(message) => Err(ClientError::Server(message)),
            None => Err(ClientError::Lost(error)),
        }
    }

    /// The error that the server sent before it closed a connection that was being written to.
    fn last_words<R: Receiver + ?Sized>(
        &mut self,
        error: io::Error,
        receiver: &mut R,
    ) -> Result<Outcome, ClientError> {
        let deadline = Some(Instant::now() + Duration::from_secs(1));
        while let Ok(mut bytes) = self.link.receive(deadline) {
            if bytes.is_empty() || self.incoming.feed(&mut bytes, receiver).is_err() {
                break;
            }
        }
        self.ended(error)
    }

    fn close(&mut self) {
        self.is_closed = true;
        self.link.close();
    }

    /// The socket and the answers' reader, for a thread that waits for many connections at once.
    ///
    /// # Errors
    /// When the connection is encrypted or closed.
    pub(super) fn into_parts(mut self) -> Result<(TcpStream, Incoming), ClientError> {
        if self.is_closed {
            return Err(ClientError::Closed);
        }
        if self.is_encrypted() {
            return Err(ClientError::Encryption("this way of driving connections has no TLS"));
        }
        let socket = self.link.socket().try_clone().map_err(ClientError::Lost)?;
        // The link would shut the socket down.
        self.link.give_up();
        Ok((socket, self.incoming))
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut f = f.debug_struct("Connection");
        f.field("database", &self.database()).field("closed", &self.is_closed);
        f.finish_non_exhaustive()
    }
}

/// An outcome without errors, or its first error.
fn succeed(mut outcome: Outcome) -> Result<Outcome, ClientError> {
    match outcome.first_error.take() {
        Some(message) => Err(ClientError::Server(message)),
        None => Ok(outcome),
    }
}

fn write_table(call: &mut RpcWriter<'_>, table: &TableArgument<'_>) -> Result<(), ClientError> {
    let mut writer = call.table(table.name, table.type_name, table.columns);
    for row in table.rows {
        writer.row(&row[..])?;
    }
    writer.end();
    Ok(())
}
