//! The socket of a connection, and TLS on it.
//!
//! What is read is handed on piece by piece from buffers that belong to the thread, so that a
//! connection that waits for its client keeps no buffer. What is written goes to the socket as far
//! as that takes it; TLS records that it does not take wait here.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use rustls::{ServerConfig, ServerConnection};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Bytes that are read at a time.
const READ_BYTES: usize = 32 * 1024;
/// Bytes that are encrypted at a time: a TLS record.
const RECORD_BYTES: usize = 16 * 1024;
/// TLS may keep this many bytes that it could not hand on.
const TLS_BUFFER_BYTES: usize = 64 * 1024;

/// What a thread reads with.
struct Buffers {
    socket: Box<[u8]>,
    plain: Box<[u8]>,
}

thread_local! {
    /// Used within one poll only.
    static BUFFERS: RefCell<Buffers> = RefCell::new(Buffers {
        socket: vec![0; READ_BYTES].into(),
        plain: vec![0; READ_BYTES].into(),
    });
}

/// See the module's header.
pub struct Transport {
    stream: TcpStream,
    tls: Option<Box<ServerConnection>>,
    /// TLS records that have not been taken by the socket.
    records: Vec<u8>,
    records_sent: usize,
}

impl Transport {
    /// Without TLS as yet.
    pub fn new(stream: TcpStream) -> Transport {
        Transport { stream, tls: None, records: Vec::new(), records_sent: 0 }
    }

    /// From here on everything is TLS. The handshake comes first, and is left to the caller.
    ///
    /// # Errors
    /// Configurations that rustls does not take.
    pub fn begin_tls(&mut self, config: &Arc<ServerConfig>) -> io::Result<()> {
        let mut tls = ServerConnection::new(config.clone()).map_err(io::Error::other)?;
        tls.set_buffer_limit(Some(TLS_BUFFER_BYTES));
        self.tls = Some(Box::new(tls));
        Ok(())
    }

    /// The login is over, and with it the encryption of a connection that encrypts nothing else.
    pub fn end_tls(&mut self) {
        self.tls = None;
    }

    /// Whether what is written now is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// TLS, while it is being set up and for a login that comes record by record.
    pub fn tls(&mut self) -> Option<&mut ServerConnection> {
        self.tls.as_deref_mut()
    }

    /// Reads some bytes as they come from the socket, without decrypting them. 0 at the end.
    pub fn poll_read_raw(
        &mut self,
        cx: &mut Context<'_>,
        take: &mut dyn FnMut(&[u8]),
    ) -> Poll<io::Result<usize>> {
        let stream = Pin::new(&mut self.stream);
        BUFFERS.with_borrow_mut(|buffers| {
            let mut buffer = ReadBuf::new(&mut buffers.socket);
            ready!(stream.poll_read(cx, &mut buffer))?;
            if !buffer.filled().is_empty() {
                take(buffer.filled());
            }
            Poll::Ready(Ok(buffer.filled().len()))
        })
    }

    /// Reads some bytes and hands them on, decrypted. 0 at the end of the connection; with TLS also
    /// when the bytes received hold none for the caller.
    ///
    /// # Errors
    /// Those of the socket and of TLS; the connection cannot go on.
    pub fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        take: &mut dyn FnMut(&[u8]),
    ) -> Poll<io::Result<usize>> {
        let Some(tls) = self.tls.as_deref_mut() else { return self.poll_read_raw(cx, take) };
        let stream = &mut self.stream;
        let taken = BUFFERS.with_borrow_mut(|buffers| {
            let Buffers { socket, plain } = buffers;
            let mut taken = 0;
            while taken == 0 {
                let mut buffer = ReadBuf::new(socket);
                ready!(Pin::new(&mut *stream).poll_read(cx, &mut buffer))?;
                let mut input = buffer.filled();
                if input.is_empty() {
                    return Poll::Ready(Ok(0));
                }
                while !input.is_empty() {
                    tls.read_tls(&mut input)?;
                    let state = tls.process_new_packets().map_err(io::Error::other)?;
                    taken += drain(tls, plain, take)?;
                    if state.peer_has_closed() {
                        return Poll::Ready(Ok(taken));
                    }
                }
            }
            Poll::Ready(Ok::<usize, io::Error>(taken))
        });
        let taken = ready!(taken)?;
        // Answers of TLS itself: alerts, key updates.
        if tls.wants_write() {
            tls.write_tls(&mut self.records)?;
            let _ = self.poll_flush(cx)?;
        }
        Poll::Ready(Ok(taken))
    }

    /// Takes some of the bytes, to send them at once or, encrypted, as soon as the socket takes
    /// them.
    ///
    /// # Errors
    /// Those of the socket.
    pub fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_flush(cx))?;
        let Some(tls) = self.tls.as_deref_mut() else {
            return Pin::new(&mut self.stream).poll_write(cx, bytes);
        };
        let count = tls.writer().write(&bytes[..bytes.len().min(RECORD_BYTES)])?;
        while tls.wants_write() {
            tls.write_tls(&mut self.records)?;
        }
        let _ = self.poll_flush(cx)?;
        Poll::Ready(Ok(count))
    }

    /// Sends what has been taken.
    ///
    /// # Errors
    /// Those of the socket.
    pub fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.records_sent < self.records.len() {
            let rest = &self.records[self.records_sent..];
            let sent = ready!(Pin::new(&mut self.stream).poll_write(cx, rest))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.records_sent += sent;
        }
        self.records.clear();
        self.records_sent = 0;
        if self.records.capacity() > 2 * RECORD_BYTES {
            self.records = Vec::new();
        }
        Poll::Ready(Ok(()))
    }

    /// Sends all of it.
    ///
    /// # Errors
    /// Those of the socket.
    pub async fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let count = std::future::poll_fn(|cx| self.poll_write(cx, bytes)).await?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            bytes = &bytes[count..];
        }
        std::future::poll_fn(|cx| self.poll_flush(cx)).await
    }

    /// Sends bytes past TLS: the records of a handshake, in packets.
    ///
    /// # Errors
    /// Those of the socket.
    pub async fn write_raw(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let stream = &mut self.stream;
            let count =
                std::future::poll_fn(|cx| Pin::new(&mut *stream).poll_write(cx, bytes)).await?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            bytes = &bytes[count..];
        }
        Ok(())
    }

    /// Closes the connection. Unread bytes from the client are read and dropped for a moment:
    /// otherwise closing would reset the connection and lose the last answer.
    pub async fn close(mut self) {
        if let Some(tls) = self.tls.as_deref_mut() {
            tls.send_close_notify();
            while tls.wants_write() && tls.write_tls(&mut self.records).is_ok() {}
            let _ = std::future::poll_fn(|cx| self.poll_flush(cx)).await;
        }
        let _ = std::future::poll_fn(|cx| Pin::new(&mut self.stream).poll_shutdown(cx)).await;
        let rest = async {
            for _ in 0..64 {
                let read = std::future::poll_fn(|cx| self.poll_read_raw(cx, &mut |_| {})).await;
                if !read.is_ok_and(|count| count > 0) {
                    break;
                }
            }
        };
        let _ = tokio::time::timeout(std::time::Duration::from_millis(500), rest).await;
    }
}

/// Hands on what TLS has decrypted.
fn drain(
    tls: &mut ServerConnection,
    buffer: &mut [u8],
    take: &mut dyn FnMut(&[u8]),
) -> io::Result<usize> {
    let mut taken = 0;
    loop {
        match tls.reader().read(buffer) {
            Ok(0) => return Ok(taken),
            Ok(count) => {
                take(&buffer[..count]);
                taken += count;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(taken),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(taken),
            Err(error) => return Err(error),
        }
    }
}
