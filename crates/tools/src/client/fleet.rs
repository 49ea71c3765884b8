//! Many connections driven by one thread, for measuring: a request costs its driver one write, one
//! or a few reads, and no allocation as long as the answer has no errors.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use mio::event::Event;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use tds::MessageWriter;
use tds::client::request;

use super::answer::{Outcome, Receiver};
use super::connection::{Connection, Request};
use super::error::ClientError;
use super::incoming::Incoming;
use super::options::ConnectOptions;

const READ_BYTES: usize = 64 * 1024;
/// How often [`Driver::wants_cancel`] is asked at least.
const TICK: Duration = Duration::from_millis(100);

/// Says what the connections of a [`Fleet`] do.
pub trait Driver {
    /// The next request of a connection; none when it has done enough. Connections are counted
    /// from 0.
    fn next(&mut self, connection: usize) -> Option<&Request>;

    /// How long a connection pauses before it is asked for its next request, to a millisecond or
    /// so. Asked before each request, and again after a pause.
    fn pause(&mut self, connection: usize) -> Option<Duration> {
        let _ = connection;
        None
    }

    /// An answer is complete; it has taken this long since the request was sent.
    fn done(&mut self, connection: usize, outcome: &Outcome, time: Duration);

    /// What receives the parts of the answers, apart from being counted.
    fn receiver(&mut self, connection: usize) -> &mut dyn Receiver;

    /// A connection has failed, and with it the request that was under way. Another one may take
    /// its place; without one the connection counts as one that has done enough.
    ///
    /// # Errors
    /// Ends the run; what happens unless a driver says otherwise.
    fn lost(
        &mut self,
        connection: usize,
        error: ClientError,
    ) -> Result<Option<Connection>, ClientError> {
        let _ = connection;
        Err(error)
    }

    /// Whether the requests that are under way are to be cancelled. Asked now and then.
    fn wants_cancel(&self) -> bool {
        false
    }
}

struct Member {
    socket: TcpStream,
    incoming: Incoming,
    /// What of the request has not been sent yet.
    unsent: Vec<u8>,
    sent_at: Instant,
    is_waiting: bool,
    /// An attention was sent, and the answer is complete only with its confirmation.
    is_cancelling: bool,
}

/// What a connection does after an answer.
enum Step {
    /// It has sent a request, or waits for the rest of an answer.
    Waits,
    /// It pauses until then.
    Pauses(Instant),
    /// It has done enough.
    Ended,
}

/// The connections that pause, and until when.
#[derive(Default)]
struct Pauses(BinaryHeap<Reverse<(Instant, usize)>>);

impl Pauses {
    /// Notes what a connection does. Returns whether it has ended.
    fn note(&mut self, place: usize, step: Step) -> bool {
        if let Step::Pauses(until) = step {
            self.0.push(Reverse((until, place)));
        }
        matches!(step, Step::Ended)
    }

    /// How long it takes until one goes on.
    fn until_next(&self) -> Option<Duration> {
        let Reverse((until, _)) = self.0.peek()?;
        Some(until.saturating_duration_since(Instant::now()))
    }

    /// One whose pause is over.
    fn take_due(&mut self) -> Option<usize> {
        let Reverse((until, place)) = *self.0.peek()?;
        (until <= Instant::now()).then(|| {
            self.0.pop();
            place
        })
    }
}

/// Connections that were given to one thread. They are closed when the fleet is dropped.
pub struct Fleet {
    poll: Poll,
    members: Vec<Member>,
}

impl Fleet {
    /// Takes connections over.
    ///
    /// # Errors
    /// When one is encrypted or closed, or the system cannot watch them all.
    pub fn new(connections: Vec<Connection>) -> Result<Fleet, ClientError> {
        let mut fleet = Fleet::empty(connections.len())?;
        connections.into_iter().try_for_each(|connection| fleet.take(connection))?;
        Ok(fleet)
    }

    /// Makes so many connections. Each joins the fleet as soon as it is open, which frees its extra
    /// descriptors.
    ///
    /// # Errors
    /// When one cannot be made, and as for [`Fleet::new`].
    pub fn connect(options: &ConnectOptions, count: usize) -> Result<Fleet, ClientError> {
        let mut fleet = Fleet::empty(count)?;
        (0..count).try_for_each(|_| fleet.take(Connection::connect(options)?))?;
        Ok(fleet)
    }

    fn empty(room: usize) -> Result<Fleet, ClientError> {
        let poll = Poll::new().map_err(ClientError::Lost)?;
        Ok(Fleet { poll, members: Vec::with_capacity(room) })
    }

    fn take(&mut self, connection: Connection) -> Result<(), ClientError> {
        let place = self.members.len();
        self.members.push(Member::new(connection, &self.poll, place)?);
        Ok(())
    }

    /// How many connections there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Drives the connections until every one of them has done enough.
    ///
    /// # Errors
    /// When a connection fails. Errors of the server are part of answers.
    pub fn run<D: Driver + ?Sized>(&mut self, driver: &mut D) -> Result<(), ClientError> {
        let mut events = Events::with_capacity(self.members.len().clamp(1, 1024));
        let mut buffer = vec![0; READ_BYTES];
        let (mut active, mut pauses) = (self.members.len(), Pauses::default());
        for place in 0..self.members.len() {
            let step = self.start(place, driver)?;
            active -= usize::from(pauses.note(place, step));
        }
        let mut has_cancelled = false;
        while active > 0 {
            let time = pauses.until_next().map_or(TICK, |time| time.min(TICK));
            match self.poll.poll(&mut events, Some(time)) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                result => result.map_err(ClientError::Lost)?,
            }
            if !has_cancelled && driver.wants_cancel() {
                has_cancelled = true;
                self.members.iter_mut().try_for_each(Member::cancel)?;
            }
            for event in &events {
                let Token(place) = event.token();
                let step = match self.members[place].serve(event, place, &mut buffer, driver) {
                    Ok(step) => step,
                    Err(error) => self.replace(place, error, driver)?,
                };
                active -= usize::from(pauses.note(place, step));
            }
            while let Some(place) = pauses.take_due() {
                let step = self.start(place, driver)?;
                active -= usize::from(pauses.note(place, step));
            }
        }
        Ok(())
    }

    fn start<D: Driver + ?Sized>(
        &mut self,
        place: usize,
        driver: &mut D,
    ) -> Result<Step, ClientError> {
        match self.members[place].start(place, driver) {
            Err(error) => self.replace(place, error, driver),
            step => step,
        }
    }

    /// A connection has failed. Another one may go on in its place.
    fn replace<D: Driver + ?Sized>(
        &mut self,
        place: usize,
        error: ClientError,
        driver: &mut D,
    ) -> Result<Step, ClientError> {
        let Some(connection) = driver.lost(place, error)? else {
            self.members[place].is_waiting = false;
            return Ok(Step::Ended);
        };
        // The system forgets a socket that is closed.
        self.members[place] = Member::new(connection, &self.poll, place)?;
        self.members[place].start(place, driver)
    }
}

impl Member {
    fn new(connection: Connection, poll: &Poll, place: usize) -> Result<Member, ClientError> {
        let (socket, incoming) = connection.into_parts()?;
        let watch = || -> io::Result<TcpStream> {
            socket.set_nonblocking(true)?;
            let mut socket = TcpStream::from_std(socket);
            let interest = Interest::READABLE | Interest::WRITABLE;
            poll.registry().register(&mut socket, Token(place), interest)?;
            Ok(socket)
        };
        Ok(Member {
            socket: watch().map_err(ClientError::Lost)?,
            incoming,
            unsent: Vec::new(),
            sent_at: Instant::now(),
            is_waiting: false,
            is_cancelling: false,
        })
    }

    /// Does what an event allows.
    fn serve<D: Driver + ?Sized>(
        &mut self,
        event: &Event,
        place: usize,
        buffer: &mut [u8],
        driver: &mut D,
    ) -> Result<Step, ClientError> {
        if event.is_writable() && !self.unsent.is_empty() {
            let sent = write_some(&mut self.socket, &self.unsent)?;
            self.unsent.drain(..sent);
        }
        if event.is_readable() && self.is_waiting {
            return self.go_on(place, buffer, driver);
        }
        Ok(Step::Waits)
    }

    /// Asks for an end of the request that is under way, if there is one.
    fn cancel(&mut self) -> Result<(), ClientError> {
        if self.is_waiting && !self.is_cancelling {
            self.is_cancelling = true;
            let mut out = MessageWriter::new();
            request::attention(&mut out);
            // It goes after what is still to be sent.
            self.unsent.extend_from_slice(out.ready());
            let sent = write_some(&mut self.socket, &self.unsent)?;
            self.unsent.drain(..sent);
        }
        Ok(())
    }

    /// Sends the next request, if there is one and it is time.
    fn start<D: Driver + ?Sized>(
        &mut self,
        place: usize,
        driver: &mut D,
    ) -> Result<Step, ClientError> {
        self.is_waiting = false;
        if let Some(time) = driver.pause(place) {
            return Ok(Step::Pauses(Instant::now() + time));
        }
        let Some(request) = driver.next(place) else { return Ok(Step::Ended) };
        let mut copy = Vec::new();
        let bytes = request.bytes_within(self.incoming.session.transaction, &mut copy);
        self.incoming.begin();
        self.sent_at = Instant::now();
        self.is_waiting = true;
        self.is_cancelling = false;
        let sent = write_some(&mut self.socket, bytes)?;
        self.unsent.clear();
        self.unsent.extend_from_slice(&bytes[sent..]);
        Ok(Step::Waits)
    }

    /// Reads all that is there, and sends the next request when the answer is complete.
    fn go_on<D: Driver + ?Sized>(
        &mut self,
        place: usize,
        buffer: &mut [u8],
        driver: &mut D,
    ) -> Result<Step, ClientError> {
        loop {
            let count = match self.socket.read(buffer) {
                Ok(0) => return Err(ClientError::Lost(io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Step::Waits),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(ClientError::Lost(error)),
            };
            let mut bytes = &buffer[..count];
            let mut is_complete = false;
            while self.incoming.feed(&mut bytes, driver.receiver(place))? {
                is_complete = !self.is_cancelling || self.incoming.attention_confirmed;
            }
            if is_complete {
                driver.done(place, &self.incoming.outcome, self.sent_at.elapsed());
                if let Some(message) = self.incoming.outcome.fatal.take() {
                    return Err(ClientError::Server(message));
                }
                match self.start(place, driver)? {
                    Step::Waits => {}
                    step => return Ok(step),
                }
            }
            // A shorter read has emptied the socket; the next bytes make an event of their own.
            if count < buffer.len() {
                return Ok(Step::Waits);
            }
        }
    }
}

/// Writes as much as the socket takes at once.
fn write_some(socket: &mut TcpStream, bytes: &[u8]) -> Result<usize, ClientError> {
    let mut sent = 0;
    while sent < bytes.len() {
        match socket.write(&bytes[sent..]) {
            Ok(count) => sent += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ClientError::Lost(error)),
        }
    }
    Ok(sent)
}
