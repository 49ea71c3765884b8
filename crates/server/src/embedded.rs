//! A server within another program: the demo, the benchmarks, tests.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use crate::config::Config;
use crate::errorlog::ErrorLog;
use crate::listener;
use crate::server::{Server, Stop};
use crate::startup::{self, StartError};
use crate::timer::TokioTimer;
use crate::workers::Workers;

/// How an embedded server is set up.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its data directory, which is initialised if it is empty.
    pub data_dir: PathBuf,
    /// `HOST:PORT` to listen on; port 0 for any that is free.
    pub listen: String,
    /// The password of `sa` in a new directory; one is made up if there is none.
    pub sa_password: Option<String>,
    /// Everything else. Its data directory and addresses do not count.
    pub config: Config,
}

impl Options {
    /// A server in this directory on any free port of this machine, where local clients need no
    /// password.
    pub fn local(data_dir: impl Into<PathBuf>) -> Options {
        Options {
            data_dir: data_dir.into(),
            listen: "127.0.0.1:0".into(),
            sa_password: None,
            config: Config { allow_local_trusted: true, ..Config::default() },
        }
    }
}

/// A server that runs. It is stopped when this is dropped.
pub struct Running {
    address: SocketAddr,
    sa_password: Option<String>,
    server: Arc<Server>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// The address at which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The password of `sa`, if the directory was initialised now.
    pub fn sa_password(&self) -> Option<&str> {
        self.sa_password.as_deref()
    }

    /// The server itself.
    pub fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// Ends it in order: statements may finish for as long as is configured.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.server.stop().ask(false);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a panic there was reported there
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// Starts a server, on threads of its own. It accepts connections when this returns.
///
/// # Errors
/// What keeps any server from starting.
pub fn start(options: Options) -> Result<Running, StartError> {
    let data = std::path::absolute(&options.data_dir).unwrap_or(options.data_dir);
    let config = Config { data, listen: vec![options.listen], ..options.config };
    let workers = Workers::start(&config)?;
    let env = startup::environment(&config);
    let timer = Arc::new(TokioTimer::new(workers.handle().clone()));
    let host = startup::host(&env, &config, timer);
    let sa_password = startup::initialise(&env, &config, &host, options.sa_password)?;
    let listeners = workers.block_on(listener::bind(&config.listen))?;
    let address = listeners[0]
        .local_addr()
        .map_err(|error| StartError::Listen(config.listen[0].clone(), error))?;
    let log = ErrorLog::embedded(&env, &config.data);
    let server = startup::open(&env, config, host, Arc::<Stop>::default(), log)?;
    let (served, spares) = (server.clone(), workers.waking());
    let thread = std::thread::Builder::new()
        .name("thermocline".into())
        .spawn(move || workers.block_on(listener::serve(served, listeners, spares)))
        .map_err(StartError::Runtime)?;
    Ok(Running { address, sa_password, server, thread: Some(thread) })
}
