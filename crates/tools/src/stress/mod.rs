//! `thermocline stress`: a load driver with the flags of ostress.
//!
//! # Life of a run
//! [`flags`] reads the command line; queries and files are cut into batches as sqlcmd cuts them.
//! For each query or file there are as many connections as `-n` says, each with a thread of its own
//! ([`worker`]). They connect; when all of them have, the clock starts. Each sends its batches,
//! whose bytes are made once, and counts the answers without looking at values. At the end the
//! counts and the times ([`histogram`]) become one report ([`report`]).
//!
//! # Codes
//! 0 when there were no errors at all, otherwise 1.

mod flags;
pub mod histogram;
mod report;
pub mod worker;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Barrier, Mutex, PoisonError};
use std::time::{Duration, Instant};

use flags::{Asked, Flags};
use worker::{Job, Log, Progress, Step, Tally};

use crate::client::{Canceller, ClientError, Connection};
use crate::sql::split_batches;

pub use report::{clock, grouped, short};

/// Workers need little more than their frames.
const STACK_BYTES: usize = 256 * 1024;
/// How often the progress line changes.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

const HELP: &str = "\
usage: thermocline stress [flags]

  -S server     host, host,port, tcp:host,port, or . for this machine
  -E            trusted connection, as without -U
  -U login  -P password  -d database
  -Q \"query\"    what to run; or
  -i file       a script, or several: -i \"*.sql\"
  -n number     connections for each query or file (1)
  -r number     how often each connection runs it (1)
  -q            do not write results
  -o folder     write what each connection receives there
  -l, -t seconds  time for a login (30), for a batch (any)
  -b            a connection ends at its first error
  --seconds n   run for so long, rather than -r
  --json        the report as one line for programs
";

/// Runs the driver with these arguments, the program's name left out.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let flags = match flags::parse(&arguments) {
        Ok(Asked::Run(flags)) => flags,
        Ok(Asked::Help) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Ok(Asked::Version) => {
            println!("thermocline stress {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("thermocline stress: {error}");
            return ExitCode::FAILURE;
        }
    };
    match run(&flags) {
        Ok(tally) if tally.error_count() == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("thermocline stress: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(flags: &Flags) -> Result<Tally, String> {
    let sources = sources(flags)?;
    if let Some(folder) = &flags.output {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let members: Vec<(usize, usize)> = (0..sources.len())
        .flat_map(|source| (0..flags.connections).map(move |connection| (source, connection)))
        .collect();
    let run = Run {
        flags,
        sources: &sources,
        progress: Arc::new(Progress::default()),
        cancellers: Arc::default(),
        start: Barrier::new(members.len() + 1),
    };
    run.stop_on_interrupt();
    let (tally, elapsed) = run.all(&members)?;
    print!("{}", report_of(flags, &tally, members.len(), elapsed));
    Ok(tally)
}

fn report_of(flags: &Flags, tally: &Tally, connections: usize, elapsed: Duration) -> String {
    if flags.json {
        return report::json(tally, connections, elapsed) + "\n";
    }
    let how = if tally.error_count() == 0 { "normally" } else { "with errors" };
    let text = report::text(tally, connections, elapsed);
    // The line that scripts around ostress look for.
    format!("{text}OSTRESS exiting {how}, elapsed time: {}\n", clock(elapsed))
}

/// The batches of each query and file.
fn sources(flags: &Flags) -> Result<Vec<Vec<Step>>, String> {
    let mut sources = Vec::new();
    for query in &flags.queries {
        sources.push(split_batches(query));
    }
    for file in &flags.files {
        let text = crate::sql::read_script(file, None)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        sources.push(split_batches(&text));
    }
    let steps = |batches: Vec<(String, u32)>| {
        batches.into_iter().map(|(text, count)| Step { text, count }).collect()
    };
    Ok(sources.into_iter().map(steps).collect())
}

struct Run<'r> {
    flags: &'r Flags,
    sources: &'r [Vec<Step>],
    progress: Arc<Progress>,
    /// The requests that are to end when the run does.
    cancellers: Arc<Mutex<Vec<Canceller>>>,
    /// Everybody has connected, or has failed to.
    start: Barrier,
}

impl Run<'_> {
    fn stop_on_interrupt(&self) {
        let (progress, cancellers) = (self.progress.clone(), self.cancellers.clone());
        let handler = move || {
            if progress.stop.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            let cancellers = cancellers.lock().unwrap_or_else(PoisonError::into_inner);
            for canceller in cancellers.iter() {
                // A connection that has failed needs no cancelling.
                let _ = canceller.cancel();
            }
        };
        // Without a handler Ctrl-C ends the program, which is the next best thing.
        let _ = ctrlc::set_handler(handler);
    }

    fn all(&self, members: &[(usize, usize)]) -> Result<(Tally, Duration), String> {
        std::thread::scope(|scope| {
            let mut threads = Vec::with_capacity(members.len());
            for &(source, connection) in members {
                let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
                let thread = builder.spawn_scoped(scope, move || self.one(source, connection));
                // Whoever is there waits for all others at the barrier, so there is no way back.
                threads.push(thread.expect("the system has threads for all connections"));
            }
            self.start.wait();
            let started = Instant::now();
            if !self.flags.json {
                self.show_progress(members.len(), started, || {
                    threads.iter().all(|thread| thread.is_finished())
                });
            }
            let mut total = Tally::default();
            let mut refused = None;
            let mut ended = started;
            for thread in threads {
                match thread.join().expect("workers do not panic") {
                    Ok((tally, at)) => {
                        total.add(tally);
                        ended = ended.max(at);
                    }
                    Err(error) => refused = refused.or(Some(error)),
                }
            }
            match refused {
                Some(error) => Err(error.to_string()),
                None => Ok((total, ended - started)),
            }
        })
    }

    /// What one thread does, and when it was done. An error is a connection that could not be made
    /// in the first place.
    fn one(&self, source: usize, place: usize) -> Result<(Tally, Instant), ClientError> {
        let connection = self.connect();
        if connection.is_err() {
            // Nobody need begin.
            self.progress.stop.store(true, Ordering::Relaxed);
        }
        self.start.wait();
        let connection = connection?;
        let log = match &self.flags.output {
            None => None,
            Some(folder) => {
                let file = folder.join(format!("query_{source}_{place}.out"));
                Some(Log::create(&file, !self.flags.quiet).map_err(ClientError::Receiver)?)
            }
        };
        let job = Job {
            connect: &self.flags.connect,
            steps: &self.sources[source],
            iterations: self.flags.iterations,
            until: self.flags.seconds.map(|time| Instant::now() + time),
            stop_on_error: self.flags.stop_on_error,
        };
        let tally = worker::run(&job, connection, log, &self.progress);
        Ok((tally, Instant::now()))
    }

    fn connect(&self) -> Result<Connection, ClientError> {
        let connection = Connection::connect(&self.flags.connect)?;
        let mut cancellers = self.cancellers.lock().unwrap_or_else(PoisonError::into_inner);
        cancellers.push(connection.canceller());
        Ok(connection)
    }

    fn show_progress(&self, members: usize, started: Instant, is_over: impl Fn() -> bool) {
        let mut terminal = std::io::stderr();
        if !terminal.is_terminal() {
            return;
        }
        let total = (members as u64).saturating_mul(self.flags.iterations);
        let mut next = started + PROGRESS_INTERVAL;
        while !is_over() {
            std::thread::sleep(Duration::from_millis(20));
            if Instant::now() < next {
                continue;
            }
            next += PROGRESS_INTERVAL;
            let done = self.progress.iterations.load(Ordering::Relaxed);
            let errors = self.progress.errors.load(Ordering::Relaxed);
            let seconds = started.elapsed().as_secs_f64();
            let of = if self.flags.seconds.is_some() {
                String::new()
            } else {
                format!(" of {}", grouped(total))
            };
            let rate = done as f64 / seconds;
            // A progress line that cannot be shown is not missed.
            let _ = write!(
                terminal,
                "\r\x1b[K{seconds:7.1} s  {}{of} iterations  {rate:.0}/s  {} errors",
                grouped(done),
                grouped(errors)
            );
        }
        let _ = write!(terminal, "\r\x1b[K");
    }
}

#[cfg(test)]
mod tests;
