//! Connections: one task each, from accept to close.
//!
//! # Life of a connection
//!
//! [`handshake`] reads up to the client's `LOGIN7`, from which [`login`] makes a session, or
//! refuses to. Then the connection reads requests and sends answers ([`session`]) until the client
//! leaves, the session is killed, the server stops or the client violates the protocol. At the end
//! the session rolls back its open transaction and releases everything that it holds.
//!
//! * [`transport`]: the socket, and TLS on it.
//! * [`inbox`]: what was received and not yet handled; [`outbox`]: what a running statement sends.
//! * [`answer`]: from results to tokens; [`known`]: columns that need not be announced;
//!   [`origins`]: the tables and columns that the columns of cursors come from. [`rpc`]: from the
//!   wire's calls to the session's.
//! * [`bulk`]: rows that arrive while they are inserted.
//!
//! # Invariants
//!
//! * C1: a request runs on one coroutine, polled by the connection's task alone; so the two never
//!   run at the same time.
//! * C2: while it runs, the connection goes on reading (attention) and sending (large results), and
//!   holds bounded amounts of both.
//! * C3: a waiting connection holds no thread, no coroutine and no buffer.
//! * C4: a fault in one client's bytes ends that client's connection alone.

pub mod answer;
pub mod bulk;
pub mod handshake;
pub mod inbox;
pub mod known;
pub mod login;
pub mod origins;
pub mod outbox;
pub mod rpc;
pub mod session;
pub mod transport;

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpStream;
use tracing::{debug, info, warn};

use crate::server::Server;
use handshake::HandshakeError;
use transport::Transport;

/// The two ends of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// The client.
    pub client: SocketAddr,
    /// The server.
    pub server: SocketAddr,
}

/// Serves a client until it leaves.
pub async fn serve(server: Arc<Server>, stream: TcpStream, addresses: Addresses) {
    server.instance.count_connection();
    let counted = server.count_connection().map(Arc::new);
    let mut transport = Transport::new(stream);
    let entered = tokio::time::timeout(server.config.login_timeout, async {
        let [major, minor, build, revision] = crate::server::PROGRAM_VERSION;
        let version = [major, minor, build, revision, 0, 0];
        let tls = server.tls.as_ref();
        let greeted = handshake::greet(&mut transport, server.config.encrypt, tls, version).await?;
        Ok(login::enter(&server, &mut transport, greeted, addresses, counted.clone()).await)
    });
    match entered.await {
        Ok(Ok(Some(entered))) => session::run(&server, &mut transport, entered).await,
        Ok(Ok(None)) => {}
        Ok(Err(HandshakeError::Closed)) => {
            debug!(client = %addresses.client, "connection closed before the login");
        }
        Ok(Err(HandshakeError::Login(error))) => warn!(
            client = %addresses.client,
            "Error: 17832, Severity: 20, State: 18. The login packet used to open the connection is \
             structurally invalid; the connection has been closed ({error})."
        ),
        Ok(Err(HandshakeError::Encryption)) => warn!(
            client = %addresses.client,
            "Error: 17835, Severity: 20, State: 1. Client and server do not agree on encryption; \
             the connection has been closed."
        ),
        Ok(Err(error)) => info!(client = %addresses.client, "connection closed: {error}"),
        Err(_) => info!(client = %addresses.client, "login timed out"),
    }
    transport.close().await;
}
