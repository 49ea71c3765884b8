//! Many connections driven by one thread, for measuring: a request costs its driver one write, one
//! or a few reads, and no allocation as long as the answer has no errors.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use super::answer::{Outcome, Receiver};
use super::connection::{Connection, Request};
use super::error::ClientError;
use super::incoming::Incoming;

const READ_BYTES: usize = 64 * 1024;

/// Says what the connections of a [`Fleet`] do.
pub trait Driver {
    /// The next request of a connection; none when it has done enough. Connections are counted
    /// from 0.
    fn next(&mut self, connection: usize) -> Option<&Request>;

    /// An answer is complete; it has taken so long since the request was sent.
    fn done(&mut self, connection: usize, outcome: &Outcome, time: Duration);

    /// Who receives what the answers consist of, apart from being counted.
    fn receiver(&mut self, connection: usize) -> &mut dyn Receiver;
}

struct Member {
    socket: TcpStream,
    incoming: Incoming,
    /// What of the request has not been sent yet.
    unsent: Vec<u8>,
    sent_at: Instant,
    is_waiting: bool,
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
        let poll = Poll::new().map_err(ClientError::Lost)?;
        let mut members = Vec::with_capacity(connections.len());
        for connection in connections {
            let (socket, incoming) = connection.into_parts()?;
            let watch = || -> io::Result<TcpStream> {
                socket.set_nonblocking(true)?;
                let mut socket = TcpStream::from_std(socket);
                let interest = Interest::READABLE | Interest::WRITABLE;
                poll.registry().register(&mut socket, Token(members.len()), interest)?;
                Ok(socket)
            };
            let socket = watch().map_err(ClientError::Lost)?;
            let (unsent, sent_at) = (Vec::new(), Instant::now());
            members.push(Member { socket, incoming, unsent, sent_at, is_waiting: false });
        }
        Ok(Fleet { poll, members })
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
        let mut active = 0;
        for (place, member) in self.members.iter_mut().enumerate() {
            active += usize::from(member.start(place, driver)?);
        }
        while active > 0 {
            match self.poll.poll(&mut events, None) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                result => result.map_err(ClientError::Lost)?,
            }
            for event in &events {
                let Token(place) = event.token();
                let member = &mut self.members[place];
                if event.is_writable() && !member.unsent.is_empty() {
                    member.send_rest()?;
                }
                if event.is_readable() && member.is_waiting {
                    active -= usize::from(!member.go_on(place, &mut buffer, driver)?);
                }
            }
        }
        Ok(())
    }
}

impl Member {
    /// Sends the next request; returns whether there is one.
    fn start<D: Driver + ?Sized>(
        &mut self,
        place: usize,
        driver: &mut D,
    ) -> Result<bool, ClientError> {
        self.is_waiting = false;
        let Some(request) = driver.next(place) else { return Ok(false) };
        let mut copy = Vec::new();
        let bytes = request.bytes_within(self.incoming.session.transaction, &mut copy);
        self.incoming.begin();
        self.sent_at = Instant::now();
        self.is_waiting = true;
        let sent = write_some(&mut self.socket, bytes)?;
        self.unsent.clear();
        self.unsent.extend_from_slice(&bytes[sent..]);
        Ok(true)
    }

    fn send_rest(&mut self) -> Result<(), ClientError> {
        let sent = write_some(&mut self.socket, &self.unsent)?;
        self.unsent.drain(..sent);
        Ok(())
    }

    /// Reads all that is there, and sends the next request when the answer is complete. Returns
    /// whether the connection has anything left to do.
    fn go_on<D: Driver + ?Sized>(
        &mut self,
        place: usize,
        buffer: &mut [u8],
        driver: &mut D,
    ) -> Result<bool, ClientError> {
        loop {
            let count = match self.socket.read(buffer) {
                Ok(0) => return Err(ClientError::Lost(io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(true),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(ClientError::Lost(error)),
            };
            let mut bytes = &buffer[..count];
            if self.incoming.feed(&mut bytes, driver.receiver(place))? {
                driver.done(place, &self.incoming.outcome, self.sent_at.elapsed());
                if !self.start(place, driver)? {
                    return Ok(false);
                }
            }
            // A shorter read has emptied the socket; the next bytes make an event of their own.
            if count < buffer.len() {
                return Ok(true);
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
