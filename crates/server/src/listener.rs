//! Listening, serving, and the end of both.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpSocket, TcpStream, lookup_host};
use tokio::task::JoinSet;
use tracing::{info, warn};

use crate::balance;
use crate::connection::{self, Addresses};
use crate::server::Server;
use crate::startup::{self, StartError};
use crate::vital::vital;
use crate::watchdog;
use crate::workers::Waking;

/// Connections that the system accepts before the server does.
const BACKLOG: u32 = 4096;
/// Shortest time between two warnings that accepting fails.
const WARNED_EVERY: Duration = Duration::from_secs(10);
/// A client that says nothing is asked after this long whether it is still there.
const KEEPALIVE_AFTER: Duration = Duration::from_secs(30);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(1);

/// Binds to all addresses that are configured.
///
/// # Errors
/// The first address that cannot be had.
pub async fn bind(listen: &[String]) -> Result<Vec<TcpListener>, StartError> {
    let mut listeners = Vec::new();
    for name in listen {
        let fail = |error| StartError::Listen(name.clone(), error);
        for address in lookup_host(name.as_str()).await.map_err(fail)? {
            listeners.push(bind_one(address).map_err(fail)?);
        }
    }
    Ok(listeners)
}

fn bind_one(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until the server is asked to end, and then ends it: no new connections, what runs may
/// finish for a while, and the databases are closed.
pub async fn serve(server: Arc<Server>, listeners: Vec<TcpListener>, spares: Waking) {
    let mut accepting = JoinSet::new();
    for listener in listeners {
        accepting.spawn(vital("accept", accept_all(server.clone(), listener)));
    }
    let reclaiming = tokio::spawn(vital("reclaim", startup::reclaim(server.clone())));
    let retaining = tokio::spawn(vital("retention", startup::keep_retention(server.clone())));
    let balance = balance::start(&server);
    let watchdog = watchdog::start(&server, spares);
    server.stop().asked().await;
    info!("The server is ending: no new connections are accepted.");
    accepting.shutdown().await;
    server.end_idle_sessions();
    let timeout = server.config.shutdown_timeout;
    tokio::select! {
        () = no_connections(&server) => {}
        () = tokio::time::sleep(timeout) => {
            let left = server.connections();
            warn!("{left} sessions did not end within {} s and are killed.", timeout.as_secs());
        }
        () = server.stop().asked_at_once() => {}
    }
    retaining.abort();
    let _ = retaining.await; // its session ends
    server.kill_sessions();
    if tokio::time::timeout(Duration::from_secs(10), no_connections(&server)).await.is_err() {
        warn!("{} sessions did not end.", server.connections());
    }
    reclaiming.abort();
    drop(balance);
    drop(watchdog);
    let closing = tokio::task::spawn_blocking(move || startup::close(&server));
    closing.await.expect("closing does not panic");
}

async fn no_connections(server: &Server) {
    while server.connections() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn accept_all(server: Arc<Server>, listener: TcpListener) {
    let mut last_warning: Option<Instant> = None;
    loop {
        match listener.accept().await {
            Ok((stream, client)) => accepted(&server, stream, client),
            Err(error) => {
                // Too many open files, most likely; they will be fewer.
                if last_warning.is_none_or(|last| last.elapsed() > WARNED_EVERY) {
                    last_warning = Some(Instant::now());
                    warn!(
                        "Connections cannot be accepted, and wait: {error}. There are {}.{}",
                        server.connections(),
                        explained(&error)
                    );
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Remedy for an accept error, for the log.
fn explained(error: &std::io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EMFILE) => {
            " The process may have no more open files: ulimit -Hn, LimitNOFILE of systemd, or --ulimit \
             nofile of a container."
        }
        Some(libc::ENFILE) => " The system may have no more open files: fs.file-max.",
        _ => "",
    }
}

fn accepted(server: &Arc<Server>, stream: TcpStream, client: SocketAddr) {
    let Ok(local) = stream.local_addr() else { return };
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE_AFTER).with_interval(KEEPALIVE_EVERY);
    let set = stream.set_nodelay(true);
    if let Err(error) = set.and_then(|()| SockRef::from(&stream).set_tcp_keepalive(&keepalive)) {
        info!("a socket keeps its defaults: {error}");
    }
    let addresses = Addresses { client, server: local };
    tokio::spawn(connection::serve(server.clone(), stream, addresses));
}
