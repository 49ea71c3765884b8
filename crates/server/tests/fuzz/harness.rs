//! What the fuzzers share: a server, clients that work from seeds, and a witness.
//!
//! # Life of a session
//! A client takes the number of a session, connects, and sends what the random numbers of that seed
//! say. The session is the unit that a failure names: what it sends depends on its number alone,
//! not on the other clients.
//!
//! # The witness
//! One more connection asks `SELECT 1` all the time and logs in anew now and then. A wait of more
//! than [`PATIENCE`] fails the run: no statement may keep other sessions from the server.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tools::client::{ClientError, ConnectOptions, Connection, Results, ServerMessage};
use tools::local::{DataDir, LocalServer};

use testkit::rng::Rng;

/// The longest that an answer, the end of a cancelled statement, or a login may take.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// After this a client cancels its statement.
const STATEMENT_TIME: Duration = Duration::from_secs(5);
const CLIENTS: usize = 3;
/// Failures after which a run ends.
const FAILURES_MAX: usize = 10;
/// Errors that are faults of the server, whatever was sent.
const OWN_FAULTS: [i32; 2] = [8624, 3624];

/// The value of an environment variable that is a number.
pub fn number_from(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A server under test.
pub struct Target {
    pub server: LocalServer,
    data: DataDir,
    /// The number of the first session.
    seed: u64,
    /// How many cases are sent in all.
    cases: u64,
}

impl Target {
    /// Starts a server that may use a gigabyte.
    pub fn start(purpose: &str, cases: u64) -> Target {
        let program = std::env::var_os("THERMOCLINE_PROGRAM").map(PathBuf::from);
        let program = program.unwrap_or_else(|| env!("CARGO_BIN_EXE_thermocline").into());
        let data = DataDir::temporary(purpose).unwrap();
        let flags = ["--max-memory", "1GB", "--buffer-pool-size", "64MB"];
        let server = LocalServer::start_program(&program, data.path(), &flags).unwrap();
        let seed = number_from("THERMOCLINE_SEED", 1);
        let cases = number_from("THERMOCLINE_FUZZ", cases);
        println!("{purpose}: {cases} cases, THERMOCLINE_SEED={seed}");
        Target { server, data, seed, cases }
    }

    /// Logged in as `sa`, with a limit on each statement.
    pub fn connect(&self) -> Connection {
        self.connect_with(&self.server.options()).unwrap()
    }

    /// Logged in with these options.
    pub fn connect_with(&self, options: &ConnectOptions) -> Result<Connection, ClientError> {
        let mut connection = Connection::connect(options)?;
        connection.set_query_timeout(Some(STATEMENT_TIME));
        Ok(connection)
    }

    /// Runs a batch that must succeed.
    pub fn set_up(&self, connection: &mut Connection, text: &str) {
        let outcome = connection.execute(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(outcome.first_error.is_none(), "{text}: {:?}", outcome.first_error);
    }

    /// Whether the process is there.
    fn is_alive(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.server.process_id()));
        // The state follows the name, which is in parentheses; a zombie has ended.
        stat.is_ok_and(|stat| !stat.rsplit(')').next().is_some_and(|s| s.starts_with(" Z")))
    }

    /// Runs sessions until enough cases were sent, and panics with what has failed.
    ///
    /// A session gets its generator and a place for what it sends, and returns how many cases it
    /// has sent.
    pub fn run(&self, session: impl Fn(&Target, &mut Session) -> Result<(), String> + Sync) {
        let next = AtomicU64::new(self.seed);
        let sent = AtomicU64::new(0);
        let is_over = AtomicBool::new(false);
        let failures = Mutex::new(Vec::new());
        let fail = |text: String| {
            let mut failures = failures.lock().unwrap();
            println!("{text}");
            failures.push(text);
            if failures.len() >= FAILURES_MAX || !self.is_alive() {
                is_over.store(true, Relaxed);
            }
        };
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    let (next, sent, is_over, fail, session) =
                        (&next, &sent, &is_over, &fail, &session);
                    scope.spawn(move || {
                        while !is_over.load(Relaxed) && sent.load(Relaxed) < self.cases {
                            let seed = next.fetch_add(1, Relaxed);
                            let mut own = Session::new(client, seed);
                            if let Err(what) = session(self, &mut own) {
                                fail(own.report(&what));
                            }
                            sent.fetch_add(own.cases, Relaxed);
                        }
                    })
                })
                .collect();
            let witness = scope.spawn(|| {
                if let Err(what) = self.witness(&is_over) {
                    fail(format!("the witness: {what}"));
                }
            });
            for client in clients {
                if client.join().is_err() {
                    fail("a client has panicked".into());
                }
            }
            is_over.store(true, Relaxed);
            witness.join().unwrap();
        });
        let failures = failures.into_inner().unwrap();
        let alive = if self.is_alive() { "lives" } else { "has ended" };
        assert!(
            failures.is_empty() && self.is_alive(),
            "{} failures, the server {alive}; data in {}\n{}",
            failures.len(),
            self.data.path().display(),
            self.server.end_of_log()
        );
        println!("{} cases were sent", sent.load(Relaxed));
    }

    /// Asks for an answer and a login again and again.
    fn witness(&self, is_over: &AtomicBool) -> Result<(), String> {
        let options = ConnectOptions { query_timeout: Some(PATIENCE), ..self.server.options() };
        let mut connection = Connection::connect(&options).map_err(|e| e.to_string())?;
        for turn in 0_u64.. {
            if is_over.load(Relaxed) {
                break;
            }
            let begin = Instant::now();
            connection.query("SELECT 1").map_err(|e| format!("SELECT 1: {e}"))?;
            if turn % 8 == 0 {
                Connection::connect(&options).map_err(|e| format!("a login: {e}"))?;
            }
            if begin.elapsed() > PATIENCE {
                return Err(format!("an answer took {} s", begin.elapsed().as_secs()));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }
}

/// One client's session.
pub struct Session {
    /// The client's number; clients with databases of their own are told apart by it.
    pub client: usize,
    seed: u64,
    pub rng: Rng,
    /// What was sent, the latest last.
    sent: Vec<String>,
    cases: u64,
}

impl Session {
    fn new(client: usize, seed: u64) -> Session {
        Session { client, seed, rng: Rng::new(seed), sent: Vec::new(), cases: 0 }
    }

    /// Remembers what is about to be sent.
    pub fn note(&mut self, case: &str) {
        self.cases += 1;
        self.sent.push(case.to_owned());
    }

    /// Sends a batch. Its errors do not matter, unless they admit a fault of the server's.
    ///
    /// Returns whether the connection can be used further.
    pub fn send(&mut self, connection: &mut Connection, text: &str) -> Result<bool, String> {
        self.send_to(connection, text, &mut Results::default())
    }

    /// As `send`; the answer is kept.
    pub fn send_to(
        &mut self,
        connection: &mut Connection,
        text: &str,
        results: &mut Results,
    ) -> Result<bool, String> {
        self.note(text);
        let begin = Instant::now();
        let outcome = connection.batch(text, results);
        if let Some(fault) = results.messages.iter().find(|m| is_own_fault(m)) {
            return Err(fault.error.to_string());
        }
        if begin.elapsed() > PATIENCE {
            return Err(format!("the answer took {} s", begin.elapsed().as_secs()));
        }
        match outcome {
            Ok(_) => Ok(true),
            Err(ClientError::Timeout(_)) => Ok(true),
            // An error that a statement raises at severity 20 ends its session, as it should.
            Err(ClientError::Server(message)) if !is_own_fault(&message) => {
                Ok(!connection.is_closed())
            }
            Err(error) => Err(error.to_string()),
        }
    }

    fn report(&self, what: &str) -> String {
        let last: Vec<String> =
            self.sent.iter().rev().take(3).rev().map(|text| shortened(text)).collect();
        let sent = last.join("\n--\n");
        format!("THERMOCLINE_SEED={}: {what}; sent last:\n{sent}", self.seed)
    }
}

fn is_own_fault(message: &ServerMessage) -> bool {
    OWN_FAULTS.contains(&message.error.number())
}

/// The beginning and end of a long text.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 1500;
    if text.chars().count() <= 2 * SHOWN {
        return text.to_owned();
    }
    let begin: String = text.chars().take(SHOWN).collect();
    let end: String = text.chars().skip(text.chars().count() - SHOWN).collect();
    format!("{begin} … ({} bytes) … {end}", text.len())
}
