//! `thermocline stress`: a load driver with the flags of ostress.
//!
//! # Life of a run
//! [`flags`] reads the command line; queries and files are cut into batches as sqlcmd cuts them.
//! For each query or file there are as many connections as `-n` says. When all of them have logged
//! in, the clock starts. Few threads drive many connections each ([`driver`]), or, where encryption
//! or a limit on batches' time asks for it, each connection has its own ([`blocking`]). They send
//! bytes that are made once and count the answers without looking at values ([`tally`]). At the end
//! the counts and the times ([`histogram`]) become one report ([`report`]).
//!
//! # Codes
//! 0 when there were no errors at all, otherwise 1.

mod blocking;
mod driver;
mod flags;
pub mod histogram;
mod report;
mod tally;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Barrier, Mutex, PoisonError};
use std::time::{Duration, Instant};

use driver::Member;
use flags::{Asked, Flags};
use tally::{Job, Log, Progress, Step, Tally};

use crate::client::{Canceller, ClientError, Connection};
use crate::sql::split_batches;

pub use report::{clock, grouped, short};

/// Threads need little more than their frames.
const STACK_BYTES: usize = 256 * 1024;
/// Connections that log in at the same time.
const LOGINS_AT_ONCE: usize = 16;
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
    let run = Run {
        flags,
        sources: &sources,
        progress: Arc::new(Progress::default()),
        cancellers: Arc::default(),
    };
    run.stop_on_interrupt();
    let members = run.connect_all()?;
    let count = members.len();
    let (tally, elapsed) = run.all(members)?;
    print!("{}", report_of(flags, &tally, count, elapsed));
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
    /// For the requests of connections with threads of their own, which end when the run does.
    cancellers: Arc<Mutex<Vec<Canceller>>>,
}

/// What a thread has done, and when it began and ended.
type Share = Result<(Tally, Instant, Instant), ClientError>;

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
        // Without a handler Ctrl-C ends the program, which is acceptable.
        let _ = ctrlc::set_handler(handler);
    }

    /// Logs all connections in, several at a time.
    fn connect_all(&self) -> Result<Vec<Member<'_>>, String> {
        let count = self.sources.len() * self.flags.connections;
        let threads = LOGINS_AT_ONCE.min(count);
        let connect_some = |first: usize| {
            let places = (first..count).step_by(threads);
            places.map(|place| self.connect(place)).collect::<Result<Vec<_>, String>>()
        };
        let connect_some = &connect_some;
        std::thread::scope(|scope| {
            let all: Vec<_> =
                (0..threads).map(|first| scope.spawn(move || connect_some(first))).collect();
            let mut members = Vec::with_capacity(count);
            for thread in all {
                members.append(&mut thread.join().expect("logging in does not panic")?);
            }
            Ok(members)
        })
    }

    fn connect(&self, place: usize) -> Result<Member<'_>, String> {
        let (source, number) = (place / self.flags.connections, place % self.flags.connections);
        let connection =
            Connection::connect(&self.flags.connect).map_err(|error| error.to_string())?;
        let log = match &self.flags.output {
            None => None,
            Some(folder) => {
                let file = folder.join(format!("query_{source}_{number}.out"));
                let created = Log::create(&file, !self.flags.quiet);
                Some(created.map_err(|error| format!("{}: {error}", file.display()))?)
            }
        };
        Ok(Member { connection, steps: &self.sources[source], log })
    }

    /// Gives the members to threads.
    fn share<'m>(&self, members: Vec<Member<'m>>) -> Vec<Vec<Member<'m>>> {
        let needs_own_threads = self.flags.connect.query_timeout.is_some()
            || members.iter().any(|member| member.connection.is_encrypted());
        let threads = if needs_own_threads {
            members.len()
        } else {
            // The server needs the processors more.
            let processors = std::thread::available_parallelism().map_or(1, usize::from);
            processors.div_ceil(4).min(members.len())
        };
        let mut shares: Vec<Vec<Member<'m>>> = (0..threads).map(|_| Vec::new()).collect();
        for (place, member) in members.into_iter().enumerate() {
            shares[place % threads].push(member);
        }
        shares
    }

    /// Runs everything; the time is that from the first batch to the last answer.
    fn all(&self, members: Vec<Member<'_>>) -> Result<(Tally, Duration), String> {
        let count = members.len();
        let shares = self.share(members);
        let start = Barrier::new(shares.len());
        std::thread::scope(|scope| {
            let start = &start;
            let threads: Vec<_> = shares
                .into_iter()
                .map(|share| {
                    let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
                    let thread = builder.spawn_scoped(scope, || self.one(share, start));
                    // A worker that is there waits for all others, so there is no way back.
                    thread.expect("the system has threads for all connections")
                })
                .collect();
            if !self.flags.json {
                let is_over = || threads.iter().all(|thread| thread.is_finished());
                self.show_progress(count, is_over);
            }
            let shares: Vec<Share> = threads
                .into_iter()
                .map(|thread| thread.join().expect("workers do not panic"))
                .collect();
            total(shares)
        })
    }

    /// What one thread does.
    fn one(&self, mut share: Vec<Member<'_>>, start: &Barrier) -> Share {
        start.wait();
        let began = Instant::now();
        let job = Job {
            connect: &self.flags.connect,
            iterations: self.flags.iterations,
            until: self.flags.seconds.map(|time| began + time),
            stop_on_error: self.flags.stop_on_error,
            progress: &self.progress,
        };
        let alone = if share.len() == 1 { share.pop() } else { None };
        let tally = match alone {
            Some(Member { connection, steps, log }) => {
                let mut cancellers = self.cancellers.lock().unwrap_or_else(PoisonError::into_inner);
                cancellers.push(connection.canceller());
                drop(cancellers);
                blocking::run(&job, steps, connection, log)
            }
            None => driver::run(&job, share)?,
        };
        Ok((tally, began, Instant::now()))
    }

    fn show_progress(&self, members: usize, is_over: impl Fn() -> bool) {
        let mut terminal = std::io::stderr();
        if !terminal.is_terminal() {
            return;
        }
        let started = Instant::now();
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
            let of = match self.flags.seconds {
                Some(_) => String::new(),
                None => format!(" of {}", grouped(total)),
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

/// What all threads together have done, and how long it took.
fn total(shares: Vec<Share>) -> Result<(Tally, Duration), String> {
    let mut total = Tally::default();
    let mut span: Option<(Instant, Instant)> = None;
    for share in shares {
        let (tally, began, ended) = share.map_err(|error| error.to_string())?;
        total.add(tally);
        let (first, last) = span.unwrap_or((began, ended));
        span = Some((first.min(began), last.max(ended)));
    }
    let elapsed = span.map_or(Duration::ZERO, |(first, last)| last - first);
    Ok((total, elapsed))
}

#[cfg(test)]
mod tests;
