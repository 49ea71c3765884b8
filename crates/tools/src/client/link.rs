//! The socket of a connection, with TLS on it or without, and which thread may write to it when.
//!
//! One thread reads and writes requests; a [`Canceller`] of another thread writes attentions. What
//! both touch is guarded by one mutex, which is never held while a thread waits for the server.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustls::ClientConnection;
use tds::MessageWriter;
use tds::client::request;

use super::address::ServerAddress;

/// Bytes that are read at once.
const READ_BYTES: usize = 16 * 1024;
/// Bytes that are given to TLS at once; a record.
const RECORD_BYTES: usize = 16 * 1024;

/// How far a request is, for threads that want to cancel it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// There is none.
    Idle,
    /// It is being sent; an attention would be in the middle of it.
    Sending,
    /// It is being sent, and an attention is to follow it.
    SendingThenCancel,
    /// Its answer is awaited.
    Waiting,
    /// An attention was sent, and its confirmation is awaited too.
    Cancelling,
}

struct Outgoing {
    socket: TcpStream,
    tls: Option<Box<ClientConnection>>,
    phase: Phase,
}

impl Outgoing {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(tls) = &mut self.tls else { return self.socket.write_all(bytes) };
        for record in bytes.chunks(RECORD_BYTES) {
            tls.writer().write_all(record)?;
            while tls.wants_write() {
                tls.write_tls(&mut self.socket)?;
            }
        }
        Ok(())
    }

    fn send_attention(&mut self) -> io::Result<()> {
        let mut out = MessageWriter::new();
        request::attention(&mut out);
        self.send(out.ready())?;
        self.phase = Phase::Cancelling;
        Ok(())
    }
}

/// Asks the server to stop what a connection has asked for. May be kept for longer than the
/// connection lives, and does nothing then.
#[derive(Clone)]
pub struct Canceller {
    outgoing: Arc<Mutex<Outgoing>>,
}

impl Canceller {
    /// Asks for an end of the request that is under way; without one nothing happens. Returns
    /// whether there was one.
    ///
    /// # Errors
    /// When the connection has failed.
    pub fn cancel(&self) -> io::Result<bool> {
        let mut outgoing = lock(&self.outgoing);
        match outgoing.phase {
            Phase::Idle => Ok(false),
            Phase::Sending => {
                outgoing.phase = Phase::SendingThenCancel;
                Ok(true)
            }
            Phase::Waiting => outgoing.send_attention().map(|()| true),
            Phase::SendingThenCancel | Phase::Cancelling => Ok(true),
        }
    }
}

impl std::fmt::Debug for Canceller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Canceller").finish_non_exhaustive()
    }
}

/// A panic while the lock was held has left at worst a connection that the server will end.
fn lock(outgoing: &Mutex<Outgoing>) -> MutexGuard<'_, Outgoing> {
    outgoing.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The reading end, and the way to the writing end.
pub(super) struct Link {
    socket: TcpStream,
    outgoing: Arc<Mutex<Outgoing>>,
    is_encrypted: bool,
    is_given_up: bool,
    raw: Box<[u8]>,
    /// What TLS has made of `raw`.
    plain: Vec<u8>,
}

impl Link {
    /// Connects to the first of the machine's addresses that answers.
    pub(super) fn open(address: &ServerAddress, deadline: Option<Instant>) -> io::Result<Link> {
        let mut last_error = io::Error::other("the machine has no address");
        for target in (address.host.as_str(), address.port).to_socket_addrs()? {
            let result = match remaining(deadline)? {
                Some(time) => TcpStream::connect_timeout(&target, time),
                None => TcpStream::connect(target),
            };
            match result {
                Ok(socket) => return Link::over(socket),
                Err(error) => last_error = error,
            }
        }
        Err(last_error)
    }

    fn over(socket: TcpStream) -> io::Result<Link> {
        socket.set_nodelay(true)?;
        let outgoing = Outgoing { socket: socket.try_clone()?, tls: None, phase: Phase::Idle };
        Ok(Link {
            socket,
            outgoing: Arc::new(Mutex::new(outgoing)),
            is_encrypted: false,
            is_given_up: false,
            raw: vec![0; READ_BYTES].into(),
            plain: Vec::new(),
        })
    }

    pub(super) fn canceller(&self) -> Canceller {
        Canceller { outgoing: self.outgoing.clone() }
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// Everything from here on goes through TLS, whose handshake is over.
    pub(super) fn start_tls(&mut self, tls: Box<ClientConnection>) {
        lock(&self.outgoing).tls = Some(tls);
        self.is_encrypted = true;
    }

    /// Everything from here on goes in the clear.
    pub(super) fn stop_tls(&mut self) {
        lock(&self.outgoing).tls = None;
        self.is_encrypted = false;
    }

    /// Sends bytes.
    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        lock(&self.outgoing).send(bytes)
    }

    /// A request is about to be sent.
    pub(super) fn begin_request(&mut self) {
        lock(&self.outgoing).phase = Phase::Sending;
    }

    /// The request was sent.
    pub(super) fn end_request(&mut self) -> io::Result<()> {
        let mut outgoing = lock(&self.outgoing);
        match outgoing.phase {
            Phase::SendingThenCancel => outgoing.send_attention(),
            _ => {
                outgoing.phase = Phase::Waiting;
                Ok(())
            }
        }
    }

    /// An answer is complete. Returns whether it was the last one that is to be expected, which it
    /// is not while an attention waits for its confirmation.
    pub(super) fn end_answer(&mut self, attention_confirmed: bool) -> bool {
        let mut outgoing = lock(&self.outgoing);
        let is_last = outgoing.phase != Phase::Cancelling || attention_confirmed;
        if is_last {
            outgoing.phase = Phase::Idle;
        }
        is_last
    }

    /// Waits for bytes and returns them; none when the server has closed the connection.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] when the deadline passes before.
    pub(super) fn receive(&mut self, deadline: Option<Instant>) -> io::Result<&[u8]> {
        loop {
            let count = self.read_socket(deadline)?;
            if count == 0 || !self.is_encrypted {
                return Ok(&self.raw[..count]);
            }
            self.decrypt(count)?;
            if !self.plain.is_empty() {
                return Ok(&self.plain);
            }
        }
    }

    fn read_socket(&mut self, deadline: Option<Instant>) -> io::Result<usize> {
        if deadline.is_some() {
            self.socket.set_read_timeout(remaining(deadline)?)?;
        }
        let result = loop {
            match self.socket.read(&mut self.raw) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        if deadline.is_some() {
            self.socket.set_read_timeout(None)?;
        }
        result.map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => io::ErrorKind::TimedOut.into(),
            _ => error,
        })
    }

    fn decrypt(&mut self, count: usize) -> io::Result<()> {
        self.plain.clear();
        let mut outgoing = lock(&self.outgoing);
        let outgoing = &mut *outgoing;
        let Some(tls) = &mut outgoing.tls else { return Ok(()) };
        let mut records = &self.raw[..count];
        while !records.is_empty() {
            tls.read_tls(&mut records)?;
            let state = tls.process_new_packets().map_err(io::Error::other)?;
            let from = self.plain.len();
            self.plain.resize(from + state.plaintext_bytes_to_read(), 0);
            tls.reader().read_exact(&mut self.plain[from..])?;
        }
        while tls.wants_write() {
            tls.write_tls(&mut outgoing.socket)?;
        }
        Ok(())
    }

    /// The socket, for its settings and for a handshake.
    pub(super) fn socket(&mut self) -> &mut TcpStream {
        &mut self.socket
    }

    /// The connection goes on elsewhere: dropping this does not end it.
    pub(super) fn give_up(&mut self) {
        self.is_given_up = true;
    }

    /// Ends the connection; threads that wait for it learn that.
    pub(super) fn close(&mut self) {
        // There is nothing to be done about a socket that is closed already.
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // A canceller may still have the socket.
        if !self.is_given_up {
            self.close();
        }
    }
}

/// The time until a deadline.
///
/// # Errors
/// [`io::ErrorKind::TimedOut`] when there is none left.
pub(super) fn remaining(deadline: Option<Instant>) -> io::Result<Option<Duration>> {
    match deadline {
        None => Ok(None),
        Some(deadline) => match deadline.checked_duration_since(Instant::now()) {
            Some(left) if !left.is_zero() => Ok(Some(left)),
            _ => Err(io::ErrorKind::TimedOut.into()),
        },
    }
}
