//! A session's requests: each is run on a coroutine while the connection listens and sends.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use base::{SqlError, message};
use engine::wait::{Interrupt, Interrupted, OutOfStacks, Statement, Task};
use session::fault::contain::{Panicked, assertion_failed, contained};
use session::instance::sessions::SessionEntry;
use session::request::TransactionRequest;
use session::response::After;
use session::response::AnswerWriter;
use session::session::Session;
use tds::packet::{PacketType, Reset};
use tds::server::{ResponseWriter, RpcReader, SqlBatch, request};
use tds::token::{Done, DoneKind, DoneStatus};
use tds::{ProtocolError, TdsVersion};
use tokio::sync::futures::Notified;
use tracing::{info, warn};
use tsql::ast::IsolationLevel;

use super::answer::Answer;
use super::bulk::{Pipe, PipeEnd, WireRows};
use super::inbox::{Inbound, Inbox};
use super::login::Entered;
use super::outbox::Outbox;
use super::rpc;
use super::transport::Transport;
use crate::server::Server;
use crate::vital::caught;

/// A session and its connection.
struct Served<'a> {
    server: &'a Arc<Server>,
    transport: &'a mut Transport,
    inbox: Inbox,
    /// Away while a request runs.
    session: Option<Box<Session>>,
    answer: Option<Box<Answer>>,
    entry: Arc<SessionEntry>,
    version: TdsVersion,
}

/// Why a session ends.
#[derive(Debug)]
enum End {
    /// The client has left.
    Left,
    /// The connection broke.
    Broken(io::Error),
    /// The client has sent something that is not TDS.
    Protocol(ProtocolError),
    /// `KILL`.
    Killed,
    /// The server ends.
    Shutdown,
    /// An error that ends sessions, which was sent to the client.
    Fatal,
    /// What would have been sent to the client can no longer become durable.
    NotDurable(SqlError),
    /// There was no memory for a stack.
    OutOfMemory,
    /// A panic outside the session's requests.
    Panicked(Panicked),
    /// There was no memory for a request.
    Refused,
}

/// A request that has run, and why the session cannot go on.
struct Finished {
    end: Option<End>,
}

/// What came of polling a request.
struct Driven {
    ran: Result<Ran, OutOfStacks>,
    /// The client has asked to cancel it.
    was_attended: bool,
    /// The client has gone.
    is_lost: bool,
}

/// What a request that has run gives back.
struct Ran {
    session: Box<Session>,
    answer: Box<Answer>,
    finished: Finished,
}

/// Serves a session until it ends, and ends it.
pub async fn run(server: &Arc<Server>, transport: &mut Transport, entered: Entered) {
    let Entered { session, answer, inbox, version } = entered;
    let entry = session.entry().clone();
    let (session, answer) = (Some(session), Some(answer));
    let mut served = Served { server, transport, inbox, session, answer, entry, version };
    let end = caught(served.serve()).await.unwrap_or_else(End::Panicked);
    let id = served.entry.id;
    match &end {
        End::Left | End::Shutdown | End::Fatal => {}
        End::Broken(error) => info!("session {id}: the connection broke: {error}"),
        End::Protocol(error) => warn!(
            "session {id}: Error: {}, {error}; the connection has been closed.",
            error.to_sql_error().number()
        ),
        End::Killed => info!("session {id} was killed"),
        End::NotDurable(error) => warn!("session {id}: {error}"),
        End::OutOfMemory => warn!("session {id}: there is no memory for a stack"),
        End::Panicked(panicked) => server.instance.note_panic(id, panicked.text()),
        End::Refused => warn!(
            "session {id}: Error: 701. There is no memory for a request; the connection has been closed."
        ),
    }
    if let Some(session) = served.session.take() {
        super::login::end(server, session).await;
    }
}

impl Served<'_> {
    async fn serve(&mut self) -> End {
        let server = self.server.clone();
        let mut ended = pin!(server.ended().notified());
        ended.as_mut().enable();
        loop {
            let inbound = match self.next(ended.as_mut()).await {
                Ok(inbound) => inbound,
                Err(end) => return end,
            };
            let clock = self.server.env().clock();
            self.entry.traffic.note_received(self.inbox.packets(), clock.utc_ticks());
            let end = match inbound {
                Inbound::Attention => self.say(DoneStatus::ATTENTION).await,
                Inbound::Ignored { .. } => self.say(DoneStatus::ERROR).await,
                Inbound::Message { kind, reset, body } => self.request(kind, reset, body).await,
                Inbound::BulkStart { reset } => self.bulk(reset).await,
                // What is left of a load whose statement has failed.
                Inbound::BulkData(_) | Inbound::BulkEnd { .. } => Ok(()),
            };
            if let Err(end) = end {
                return end;
            }
            if let Some(answer) = &mut self.answer {
                let packets = answer.writer().message().packets();
                self.entry.traffic.note_sent(packets, self.server.env().clock().utc_ticks());
            }
        }
    }

    /// The next item that arrives.
    async fn next(&mut self, mut ended: Pin<&mut Notified<'_>>) -> Result<Inbound, End> {
        match self.inbox.take() {
            Ok(Some(inbound)) => return Ok(inbound),
            Ok(None) => {}
            Err(error) => return Err(End::Protocol(error)),
        }
        self.inbox.finish();
        self.inbox.release();
        let (server, interrupt) = (self.server, self.entry.interrupt.clone());
        let (transport, inbox) = (&mut self.transport, &mut self.inbox);
        poll_fn(|cx| {
            interrupt.listen(cx.waker());
            loop {
                if interrupt.raised() == Some(Interrupted::Kill) {
                    return Poll::Ready(Err(End::Killed));
                }
                if server.is_ending() || ended.as_mut().poll(cx).is_ready() {
                    return Poll::Ready(Err(End::Shutdown));
                }
                match inbox.take() {
                    Ok(Some(inbound)) => return Poll::Ready(Ok(inbound)),
                    Ok(None) if inbox.is_refused() => return Poll::Ready(Err(End::Refused)),
                    Ok(None) if inbox.has_ended() => return Poll::Ready(Err(End::Left)),
                    Ok(None) => {}
                    Err(ProtocolError::ConnectionEnded) => return Poll::Ready(Err(End::Left)),
                    Err(error) => return Poll::Ready(Err(End::Protocol(error))),
                }
                let read = transport.poll_read(cx, &mut |bytes: &[u8]| inbox.feed(bytes));
                match std::task::ready!(read) {
                    Ok(0) => inbox.end(),
                    Ok(_) => {}
                    Err(error) => return Poll::Ready(Err(End::Broken(error))),
                }
            }
        })
        .await
    }

    async fn request(&mut self, kind: PacketType, reset: Reset, body: Vec<u8>) -> Result<(), End> {
        let version = self.version;
        match kind {
            PacketType::SqlBatch => {
                let batch = SqlBatch::parse(&body, version).map_err(End::Protocol)?;
                let text = batch.text.to_text();
                self.inbox.recycle(body);
                self.run(reset, move |task, session, answer| session.batch(task, &text, answer))
                    .await
            }
            PacketType::Rpc => {
                self.run(reset, move |task, session, answer| {
                    let after = call_all(task, session, answer, &body, version);
                    answer.give_back(body);
                    after
                })
                .await
            }
            PacketType::TransactionManager => {
                let parsed = request::TransactionRequest::parse(&body, version);
                let (_, request) = parsed.map_err(End::Protocol)?;
                let request = owned_request(&request);
                self.run(reset, move |task, session, answer| match request {
                    Ok(request) => session.transaction_request(task, &request, answer),
                    Err(error) => answer.refuse(task, &error),
                })
                .await
            }
            _ => Err(End::Protocol(ProtocolError::PacketType(kind as u8))),
        }
    }

    async fn bulk(&mut self, reset: Reset) -> Result<(), End> {
        let limit = usize::try_from(self.server.config.message_limit.0).unwrap_or(usize::MAX);
        let pipe = Arc::<Pipe>::default();
        let mut rows = WireRows::new(pipe.clone(), self.version, limit);
        self.run_with(reset, Some(&pipe), move |task, session, answer| {
            session.bulk_load(task, &mut rows, answer)
        })
        .await
    }

    /// Runs a request on a coroutine, and sends its answer.
    async fn run(
        &mut self,
        reset: Reset,
        body: impl FnOnce(&Task, &mut Session, &mut Answer) -> After + Send + 'static,
    ) -> Result<(), End> {
        self.run_with(reset, None, body).await
    }

    /// As [`Served::run`], with a pipe for what comes while it runs.
    async fn run_with(
        &mut self,
        reset: Reset,
        pipe: Option<&Pipe>,
        body: impl FnOnce(&Task, &mut Session, &mut Answer) -> After + Send + 'static,
    ) -> Result<(), End> {
        let mut session = self.session.take().expect("one request runs at a time");
        let mut answer = self.answer.take().expect("one request runs at a time");
        let (interrupt, outbox) = (self.entry.interrupt.clone(), answer.outbox().clone());
        interrupt.clear();
        let statement = Statement::new(self.server.runtime(), interrupt.clone(), move |task| {
            answer.begin();
            // Panics of statements end in the session's requests; this is for what is around these.
            let ran = contained(|| match begin(task, &mut session, &mut answer, reset) {
                After::GoOn => body(task, &mut session, &mut answer),
                After::Disconnect => After::Disconnect,
            });
            let after = match ran {
                Ok(after) => after,
                Err(panicked) => {
                    session.note_panic(&panicked);
                    answer.refuse(task, &assertion_failed())
                }
            };
            let finished = finish(task, &mut answer, after);
            Ran { session, answer, finished }
        });
        let driven = self.drive(statement, &interrupt, &outbox, pipe).await;
        let Ran { session, mut answer, finished } = driven.ran.map_err(|_| End::OutOfMemory)?;
        self.session = Some(session);
        self.inbox.recycle(answer.take_spent());
        self.inbox.finish();
        for _ in 0..answer.take_errors() {
            self.server.instance.count_error();
        }
        if driven.is_lost {
            return Err(End::Left);
        }
        let sent = match &finished.end {
            Some(End::NotDurable(_)) => Ok(()),
            _ => self.send(&mut answer, &interrupt, &outbox).await,
        };
        self.answer = Some(answer);
        if let Some(end) = finished.end {
            return Err(end);
        }
        sent.map_err(End::Broken)?;
        // In a message of its own: tedious looks for it in the one after the answer that it left.
        if driven.was_attended {
            self.say(DoneStatus::ATTENTION).await?;
        }
        Ok(())
    }

    /// Polls a statement to its end, sends what it has to say meanwhile, and listens.
    async fn drive(
        &mut self,
        mut statement: Statement<Ran>,
        interrupt: &Interrupt,
        outbox: &Outbox,
        pipe: Option<&Pipe>,
    ) -> Driven {
        let (transport, inbox) = (&mut self.transport, &mut self.inbox);
        let (running, clock) = (&self.entry.running, self.server.instance.env().clock());
        let mut is_lost = false;
        let mut was_attended = false;
        let ran = poll_fn(|cx| {
            loop {
                if inbox.take_attention() {
                    was_attended = true;
                    interrupt.raise(Interrupted::Attention);
                }
                running.go_on(clock.now_ns());
                let polled = Pin::new(&mut statement).poll(cx);
                running.stop(clock.now_ns());
                if let Poll::Ready(ran) = polled {
                    return Poll::Ready(ran);
                }
                if is_lost {
                    return Poll::Pending;
                }
                // The statement may have emptied the pipe.
                if pipe.is_some_and(|pipe| fill(pipe, inbox)) {
                    continue;
                }
                let sent = poll_send(transport, cx, outbox);
                let came = match inbox.wants_more() {
                    true => poll_receive(transport, cx, inbox),
                    false => Ok(false),
                };
                match (sent, came) {
                    (Ok(false), Ok(false)) => return Poll::Pending,
                    (Ok(_), Ok(_)) if !inbox.has_ended() => {}
                    // The client for the answer is gone.
                    _ => {
                        is_lost = true;
                        outbox.lock().is_broken = true;
                        if let Some(pipe) = pipe {
                            pipe.end(PipeEnd::Lost);
                        }
                        interrupt.raise(Interrupted::Kill);
                    }
                }
            }
        });
        let ran = ran.await;
        Driven { ran, was_attended, is_lost }
    }

    /// Sends the rest of an answer.
    async fn send(
        &mut self,
        answer: &mut Answer,
        interrupt: &Interrupt,
        outbox: &Outbox,
    ) -> io::Result<()> {
        let transport = &mut self.transport;
        poll_fn(|cx| {
            interrupt.listen(cx.waker());
            loop {
                let mut waiting = outbox.lock();
                if waiting.is_broken {
                    return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
                }
                let is_last = waiting.unsent().is_empty();
                let bytes =
                    if is_last { answer.writer().message().ready() } else { waiting.unsent() };
                if bytes.is_empty() {
                    std::task::ready!(transport.poll_flush(cx))?;
                    answer.writer().message().release();
                    return Poll::Ready(Ok(()));
                }
                match transport.poll_write(cx, bytes) {
                    Poll::Ready(Ok(0)) => {
                        return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                    }
                    Poll::Ready(Ok(count)) if is_last => answer.writer().message().consume(count),
                    Poll::Ready(Ok(count)) => waiting.consume(count),
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    // A killed session does not wait for a client that does not read.
                    Poll::Pending if interrupt.raised() == Some(Interrupted::Kill) => {
                        return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                    }
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await
    }

    /// Sends an answer of one token.
    async fn say(&mut self, status: DoneStatus) -> Result<(), End> {
        let mut writer = ResponseWriter::new(self.version);
        writer.begin();
        writer.done(&Done { kind: DoneKind::Statement, status, command: 0, rows: 0 });
        writer.end();
        self.transport.write_all(writer.message().ready()).await.map_err(End::Broken)
    }
}

/// What precedes a request: the session is reset if the client asks for that.
fn begin(task: &Task, session: &mut Session, answer: &mut Answer, reset: Reset) -> After {
    match reset {
        Reset::None => After::GoOn,
        Reset::Session => session.reset(task, false, answer),
        Reset::SessionKeepTransaction => session.reset(task, true, answer),
    }
}

/// What follows a request: the last tokens, and the wait until all that they reveal is durable.
fn finish(task: &Task, answer: &mut Answer, after: After) -> Finished {
    let interrupted = task.interrupted();
    let is_killed = interrupted == Some(Interrupted::Kill);
    if is_killed {
        // A client that is gone does not read this.
        let _ = answer.error(task, &SqlError::new(&message::SESSION_KILLED, &[]));
    }
    let end = match answer.end(task) {
        Err(error) => Some(End::NotDurable(error)),
        Ok(()) if is_killed => Some(End::Killed),
        Ok(()) if after == After::Disconnect || answer.is_fatal() => Some(End::Fatal),
        Ok(()) => None,
    };
    Finished { end }
}

/// Moves the received part of a bulk load into its pipe, as far as there is room. Returns whether
/// there was anything to move.
fn fill(pipe: &Pipe, inbox: &mut Inbox) -> bool {
    let mut is_any = false;
    while pipe.has_room() {
        match inbox.take_bulk() {
            Some(Inbound::BulkData(piece)) => pipe.put(piece),
            Some(Inbound::BulkEnd { ignored: true }) => pipe.end(PipeEnd::Ignored),
            Some(Inbound::BulkEnd { ignored: false }) => pipe.end(PipeEnd::Complete),
            _ => break,
        }
        is_any = true;
    }
    is_any
}

/// Sends some of what waits. Returns whether anything was sent.
fn poll_send(transport: &mut Transport, cx: &mut Context<'_>, outbox: &Outbox) -> io::Result<bool> {
    let mut waiting = outbox.lock();
    let mut is_any = false;
    while !waiting.unsent().is_empty() {
        match transport.poll_write(cx, waiting.unsent()) {
            Poll::Ready(Ok(0)) => return Err(io::ErrorKind::WriteZero.into()),
            Poll::Ready(Ok(count)) => waiting.consume(count),
            Poll::Ready(Err(error)) => return Err(error),
            Poll::Pending => break,
        }
        is_any = true;
    }
    if waiting.unsent().is_empty() {
        let _ = transport.poll_flush(cx)?;
    }
    Ok(is_any)
}

/// Reads some of the bytes that have arrived. Returns whether anything was read.
pub(super) fn poll_receive(
    transport: &mut Transport,
    cx: &mut Context<'_>,
    inbox: &mut Inbox,
) -> io::Result<bool> {
    match transport.poll_read(cx, &mut |bytes: &[u8]| inbox.feed(bytes)) {
        Poll::Pending => Ok(false),
        Poll::Ready(Ok(count)) => {
            if count == 0 {
                inbox.end();
            }
            Ok(true)
        }
        Poll::Ready(Err(error)) => Err(error),
    }
}

/// Runs the calls of a message, one after the other. One that cannot be read is the last.
fn call_all(
    task: &Task,
    session: &mut Session,
    answer: &mut Answer,
    message: &[u8],
    version: TdsVersion,
) -> After {
    let mut calls = match RpcReader::new(message, version, rpc::unknown_collation()) {
        Ok(calls) => calls,
        Err(error) => return answer.refuse(task, &error.to_sql_error()),
    };
    loop {
        match rpc::next_call(&mut calls) {
            Ok(None) => return After::GoOn,
            Ok(Some(received)) => {
                answer.begin_call(&received);
                if !received.no_execute
                    && session.call(task, received.call, answer) == After::Disconnect
                {
                    return After::Disconnect;
                }
                if task.interrupted().is_some() {
                    return After::GoOn;
                }
            }
            Err(error) => {
                answer.begin_refusal();
                return answer.refuse(task, &error.to_sql_error());
            }
        }
    }
}

/// A request about transactions, owned. Errors for what is not served.
fn owned_request(
    request: &request::TransactionRequest<'_>,
) -> Result<TransactionRequest, SqlError> {
    use request::TransactionRequest as Wire;
    let begin =
        |begin: &request::BeginTransaction<'_>| (begin.isolation.map(level), begin.name.to_text());
    Ok(match request {
        Wire::Begin(wire) => {
            let (isolation, name) = begin(wire);
            TransactionRequest::Begin { isolation, name }
        }
        Wire::Commit { then_begin, .. } => {
            TransactionRequest::Commit { then_begin: then_begin.as_ref().map(begin) }
        }
        Wire::Rollback { name, then_begin } => TransactionRequest::Rollback {
            name: name.to_text(),
            then_begin: then_begin.as_ref().map(begin),
        },
        Wire::Save { name } => TransactionRequest::Save { name: name.to_text() },
        Wire::GetDtcAddress | Wire::Propagate(_) | Wire::Promote => {
            return Err(SqlError::new(&message::EXTERNAL_ACCESS_IN_TRANSACTION, &[&"(local)"]));
        }
    })
}

fn level(level: request::IsolationLevel) -> IsolationLevel {
    use request::IsolationLevel as Wire;
    match level {
        Wire::ReadUncommitted => IsolationLevel::ReadUncommitted,
        Wire::ReadCommitted => IsolationLevel::ReadCommitted,
        Wire::RepeatableRead => IsolationLevel::RepeatableRead,
        Wire::Serializable => IsolationLevel::Serializable,
        Wire::Snapshot => IsolationLevel::Snapshot,
    }
}
