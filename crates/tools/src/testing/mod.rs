//! A server for tests: it speaks the protocol as the real one does and gives the answers that a
//! test sets.

mod wire;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use base::{Collation, SqlError, SqlType, Value};
use tds::columns::Column;
use tds::login::Login;
use tds::prelogin::{EncryptionScope, Prelogin, ServerEncryption, negotiate_encryption};
use tds::server::bulk::{BulkEvent, BulkReader};
use tds::server::request::SqlBatch;
use tds::server::response::LoginAck;
use tds::server::rpc::{ProcedureRef, RpcReader, RpcValue};
use tds::server::{ResponseWriter, RowEncoder};
use tds::token::{Done, DoneKind, DoneStatus, command};
use tds::{EnvChange, MessageEvent, MessageReader, PacketType, Side, TdsVersion};

use crate::client::{ConnectOptions, Encrypt, ServerAddress};

pub use wire::Identity;
use wire::Wire;

/// What a client asks.
#[derive(Clone, PartialEq, Debug)]
pub enum Asked {
    /// A batch, and the transaction that it names.
    Batch(String, u64),
    /// A call: the procedure, and its parameters as texts; tables as their number of rows.
    Call(String, Vec<String>),
    /// A bulk load: its rows; none when it was taken back.
    Bulk(Option<Vec<Vec<Value>>>),
}

/// Answers; what it leaves unanswered waits for an attention.
pub type Answer = dyn Fn(&Asked, &mut ResponseWriter) -> Reply + Send + Sync;

/// What becomes of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// The answer is complete.
    Complete,
    /// It goes on until the client cancels it.
    UntilCancelled,
    /// The connection ends here.
    HangUp,
}

/// Starts a server which ends with the test, and says how to connect to it.
pub fn serve(
    answer: impl Fn(&Asked, &mut ResponseWriter) -> Reply + Send + Sync + 'static,
) -> ConnectOptions {
    let options = serve_tls(ServerEncryption::NotSupported, Identity::new(), answer);
    ConnectOptions { encrypt: Encrypt::Never, ..options }
}

/// Starts a server that encrypts.
pub fn serve_tls(
    encryption: ServerEncryption,
    identity: Identity,
    answer: impl Fn(&Asked, &mut ResponseWriter) -> Reply + Send + Sync + 'static,
) -> ConnectOptions {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer: Arc<Answer> = Arc::new(answer);
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let (answer, identity) = (answer.clone(), identity.clone());
            std::thread::spawn(move || {
                let wire = Wire::new(socket.unwrap());
                Session::new(wire, encryption, identity).run(&*answer);
            });
        }
    });
    ConnectOptions::new(ServerAddress::local(port))
}

/// Writes a result of one integer column.
pub fn put_integers(out: &mut ResponseWriter, values: &[i64]) {
    let columns = [Column::nullable("n", SqlType::int())];
    let encoder = RowEncoder::new(&columns, out.version());
    out.columns(&columns, false);
    for value in values {
        out.row(&encoder, &[Value::Int(*value)][..]).unwrap();
    }
}

/// Writes a `DONE` of a statement that counts rows.
pub fn put_done(out: &mut ResponseWriter, kind: DoneKind, command: u16, rows: u64) {
    let status = DoneStatus::COUNT.with(DoneStatus::MORE);
    out.done(&Done { kind, status, command, rows });
}

/// Writes an error or message.
pub fn put_message(out: &mut ResponseWriter, number: i32, severity: u8, text: &str) {
    let error = SqlError::custom(number, severity, 1, text).at_line(3);
    out.error(&error, "fake");
}

/// Writes the last `DONE`.
pub fn put_end(out: &mut ResponseWriter) {
    let kind = DoneKind::Statement;
    out.done(&Done { kind, status: DoneStatus::FINAL, command: 0, rows: 0 });
}

/// Answers the batches that most tests need; see its code.
pub fn usual(asked: &Asked, out: &mut ResponseWriter) -> Reply {
    let Asked::Batch(text, transaction) = asked else {
        put_end(out);
        return Reply::Complete;
    };
    match text.trim() {
        "hang" => return Reply::UntilCancelled,
        "die" => {
            put_message(out, 596, 21, "Cannot continue.");
            return Reply::HangUp;
        }
        "many" => {
            put_integers(out, &(0..100_000).collect::<Vec<_>>());
            put_done(out, DoneKind::Statement, command::SELECT, 100_000);
        }
        "fail" => put_message(out, 50_001, 16, "No."),
        "begin" => out.env_change(&EnvChange::BeginTransaction { descriptor: 77 }),
        "commit" => out.env_change(&EnvChange::CommitTransaction { descriptor: 77 }),
        "transaction" => put_integers(out, &[*transaction as i64]),
        "print" => put_message(out, 0, 0, "Hello."),
        "insert" => put_done(out, DoneKind::Statement, command::INSERT, 2),
        text => match text.strip_prefix("SELECT ").map(str::parse) {
            Some(Ok(number)) => {
                put_integers(out, &[number]);
                put_done(out, DoneKind::Statement, command::SELECT, 1);
            }
            _ => put_message(out, 102, 15, &format!("Incorrect syntax near '{text}'.")),
        },
    }
    put_end(out);
    Reply::Complete
}

struct Session {
    wire: Wire,
    identity: Identity,
    encryption: ServerEncryption,
    is_strict: bool,
    /// What is to be done about TLS when the answer has been sent.
    next_scope: Option<EncryptionScope>,
    /// TLS ends with the login.
    ends_with_login: bool,
    messages: MessageReader,
    out: ResponseWriter,
    unread: Vec<u8>,
}

/// A message, taken apart as far as all kinds are alike.
enum Incoming {
    Message(PacketType, Vec<u8>),
    Bulk(Option<Vec<u8>>),
    End,
}

impl Session {
    fn new(wire: Wire, encryption: ServerEncryption, identity: Identity) -> Session {
        Session {
            wire,
            identity,
            encryption,
            is_strict: false,
            next_scope: None,
            ends_with_login: false,
            messages: MessageReader::new(Side::Server, 1 << 24),
            out: ResponseWriter::new(TdsVersion::V7_4),
            unread: Vec::new(),
        }
    }

    fn run(mut self, answer: &Answer) {
        self.is_strict = self.wire.begins_with_tls();
        if self.is_strict && self.wire.start_strict(&self.identity).is_err() {
            return;
        }
        while let Some(reply) = self.one(answer) {
            let sent = self.wire.write_all(self.out.message().ready());
            let ready = self.out.message().ready().len();
            self.out.message().consume(ready);
            if sent.is_err() || self.wire.flush().is_err() || reply == Reply::HangUp {
                return;
            }
            if matches!(self.next_scope, Some(EncryptionScope::Login | EncryptionScope::Everything))
                && self.wire.start_within_packets(&self.identity).is_err()
            {
                return;
            }
            self.ends_with_login |= self.next_scope == Some(EncryptionScope::Login);
            self.next_scope = None;
        }
    }

    fn one(&mut self, answer: &Answer) -> Option<Reply> {
        let asked = match self.receive() {
            Incoming::End => return None,
            Incoming::Bulk(rows) => Asked::Bulk(rows.map(|bytes| bulk_rows(&bytes))),
            Incoming::Message(PacketType::Prelogin, body) => {
                let asked = Prelogin::parse(&body).unwrap();
                let (encryption, scope) =
                    negotiate_encryption(asked.encryption, self.encryption, self.is_strict);
                self.next_scope = scope;
                let says = asked.answer([16, 0, 0, 0, 0, 0], encryption);
                self.out.begin();
                tds::writer::PutBytes::put(self.out.message(), &says.to_bytes());
                self.out.end();
                return Some(Reply::Complete);
            }
            Incoming::Message(PacketType::Login, body) => {
                if self.ends_with_login {
                    self.wire.stop_tls();
                }
                self.log_in(&Login::parse(&body).unwrap());
                return Some(Reply::Complete);
            }
            Incoming::Message(PacketType::Attention, _) => {
                self.confirm_attention();
                return Some(Reply::Complete);
            }
            Incoming::Message(PacketType::SqlBatch, body) => {
                let batch = SqlBatch::parse(&body, TdsVersion::V7_4).unwrap();
                Asked::Batch(batch.text.to_text(), batch.headers.transaction)
            }
            Incoming::Message(PacketType::Rpc, body) => call(&body),
            Incoming::Message(kind, _) => panic!("{kind:?} is not expected"),
        };
        self.out.begin();
        let reply = answer(&asked, &mut self.out);
        if reply == Reply::UntilCancelled {
            let Incoming::Message(PacketType::Attention, _) = self.receive() else { return None };
            let done = Done {
                kind: DoneKind::Statement,
                status: DoneStatus::ATTENTION,
                command: 0,
                rows: 0,
            };
            self.out.done(&done);
        }
        self.out.end();
        Some(reply)
    }

    fn log_in(&mut self, login: &Login) {
        self.out.begin();
        if login.user_name == "nobody" {
            put_message(&mut self.out, 18_456, 14, "Login failed for user 'nobody'.");
        } else {
            let database = login.database.clone().into();
            self.out.env_change(&EnvChange::Database { new: database, old: "master".into() });
            put_message(&mut self.out, 5701, 0, "Changed database context.");
            let ack = LoginAck { program: "Fake", program_version: [16, 0, 0, 0] };
            self.out.login_ack(&ack);
            self.out.env_change(&EnvChange::PacketSize { new: 512, old: 4096 });
        }
        put_end(&mut self.out);
        self.out.end();
    }

    fn confirm_attention(&mut self) {
        self.out.begin();
        let (kind, status) = (DoneKind::Statement, DoneStatus::ATTENTION);
        self.out.done(&Done { kind, status, command: 0, rows: 0 });
        self.out.end();
    }

    fn receive(&mut self) -> Incoming {
        let mut stream = Vec::new();
        loop {
            let unread = std::mem::take(&mut self.unread);
            let mut input = unread.as_slice();
            let found = loop {
                match self.messages.feed(&mut input).unwrap() {
                    None => break None,
                    Some(MessageEvent::Message { kind, body, .. }) => {
                        break Some(Incoming::Message(kind, body.to_vec()));
                    }
                    Some(MessageEvent::StreamStart { .. }) => stream.clear(),
                    Some(MessageEvent::StreamData(data)) => stream.extend_from_slice(data),
                    Some(MessageEvent::StreamEnd { ignored }) => {
                        break Some(Incoming::Bulk(
                            (!ignored).then(|| std::mem::take(&mut stream)),
                        ));
                    }
                    Some(other) => panic!("{other:?} is not expected"),
                }
            };
            self.unread = input.to_vec();
            if let Some(found) = found {
                return found;
            }
            let mut buffer = [0; 4096];
            match self.wire.read(&mut buffer) {
                Ok(0) | Err(_) => return Incoming::End,
                Ok(count) => self.unread.extend_from_slice(&buffer[..count]),
            }
        }
    }
}

fn call(body: &[u8]) -> Asked {
    let mut reader = RpcReader::new(body, TdsVersion::V7_4, Collation::DEFAULT).unwrap();
    let call = reader.next_call().unwrap().unwrap();
    let ProcedureRef::Name(name) = call.procedure else { panic!("{:?}", call.procedure) };
    let parameters = call.parameters.iter().map(|parameter| match &parameter.value {
        RpcValue::Scalar(ty, value) => {
            let mut text = format!("{} ", parameter.name.to_text());
            crate::show::write_value(value.as_ref(), ty, &mut text);
            text
        }
        RpcValue::Table(table) => {
            let (mut rows, mut values, mut count) = (table.rows(), Vec::new(), 0);
            while rows.next_into(&mut values).unwrap() {
                count += 1;
            }
            format!("{} {count} rows", parameter.name.to_text())
        }
    });
    Asked::Call(name.to_text(), parameters.collect())
}

fn bulk_rows(bytes: &[u8]) -> Vec<Vec<Value>> {
    let mut reader = BulkReader::new(TdsVersion::V7_4, Collation::DEFAULT, 1 << 20);
    reader.feed(bytes);
    reader.end();
    let mut rows = Vec::new();
    loop {
        match reader.next().unwrap() {
            BulkEvent::Row(row) => {
                let values = (0..row.len()).map(|c| row.get(c).unwrap().into_value());
                rows.push(values.collect());
            }
            BulkEvent::End => return rows,
            BulkEvent::Columns(_) => {}
            BulkEvent::NeedMore => panic!("the load is complete"),
        }
    }
}
