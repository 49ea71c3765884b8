//! `thermocline serve`

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use clap::{ArgMatches, Command};
use env::Env;
use tokio::signal::unix::{SignalKind, signal};
use tracing::{info, warn};

use super::{Failure, options, sa_password};
use crate::config::Config;
use crate::errorlog::ErrorLog;
use crate::server::Stop;
use crate::startup::{self, StartError};
use crate::timer::TokioTimer;
use crate::workers::Workers;
use crate::{errorlog, listener};

pub fn command() -> Command {
    options::add(Command::new("serve").about("Run the server"), |_| true)
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let began = Instant::now();
    let config = options::config(matches)?;
    let env = startup::environment(&config);
    let log = ErrorLog::of_process(&env, &config)?;
    errorlog::report_panics();
    let served = serve(&env, config, log, matches, began);
    errorlog::flush();
    served
}

fn serve(
    env: &Env,
    config: Config,
    log: Arc<ErrorLog>,
    matches: &ArgMatches,
    began: Instant,
) -> Result<(), Failure> {
    let workers = Workers::start(&config)?;
    let timer = Arc::new(TokioTimer::new(workers.handle().clone()));
    let host = startup::host(env, &config, timer);
    info!("Thermocline {} starts. Process {}.", env!("CARGO_PKG_VERSION"), std::process::id());
    info!("Data directory: {}", config.data.display());
    if let Some(seek) = config.simulated_seek {
        warn!("The disk is simulated: each move of its arm to read data files takes {seek:?}.");
    }
    let given = sa_password(matches);
    let was_given = given.is_some();
    let made = startup::initialise(env, &config, &host, given)?;
    let stop = Arc::new(Stop::default());
    // First the addresses: a second server on the same port does not get as far as the data.
    let listeners = workers.block_on(listener::bind(&config.listen))?;
    let server = startup::open(env, config, host, stop.clone(), log)?;
    if let Some(password) = made {
        info!("The data directory is initialised.");
        if !was_given {
            // Not to the error log, which other programs may collect and keep.
            let told = format!("The password of sa is: {password}\nIt is not shown again.\n");
            if std::io::stderr().write_all(told.as_bytes()).is_err() {
                warn!(
                    "The password of sa could not be shown. Give one in THERMOCLINE_SA_PASSWORD and begin anew."
                );
            }
        }
    }
    for listener in &listeners {
        let address = listener
            .local_addr()
            .map_err(|error| StartError::Listen("an address".into(), error))?;
        info!("Server is listening on [ {address} ].");
    }
    info!("Ready for client connections after {} ms.", began.elapsed().as_millis());
    workers.spawn(ask_on_signals(stop));
    workers.block_on(listener::serve(server, listeners, workers.waking()));
    info!("Good-bye.");
    Ok(())
}

/// The first signal asks the server to end in order, the second not to wait for sessions.
async fn ask_on_signals(stop: Arc<Stop>) {
    let signals = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
    let [Ok(mut interrupt), Ok(mut terminate)] = signals else {
        return warn!("signals cannot be received; use SHUTDOWN to end the server");
    };
    let mut is_second = false;
    loop {
        let name = tokio::select! {
            _ = interrupt.recv() => "SIGINT",
            _ = terminate.recv() => "SIGTERM",
        };
        info!("{name}");
        stop.ask(is_second);
        is_second = true;
    }
}
