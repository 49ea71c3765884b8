//! A local server: a process of this program on this machine, in a directory that may be temporary.
//! The demo, the benchmarks and the crash test use it.

mod leftovers;

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::fs::{DirEntry, File};
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

pub use self::leftovers::remove_on_interrupt;

use crate::client::{ClientError, ConnectOptions, Connection, ServerAddress};

/// How long a server may take to accept its first connection, recovery included.
const START_TIMEOUT: Duration = Duration::from_secs(600);
/// How often a connection is tried meanwhile.
const TRY_INTERVAL: Duration = Duration::from_millis(5);
/// How long a server may take to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(60);
/// Lines of a failed server's log that are shown.
const LOG_LINES_SHOWN: usize = 20;

/// Why there is no server.
#[derive(Debug)]
pub enum LocalError {
    /// The system refused an operation: which one, and how.
    System(&'static str, io::Error),
    /// The process has ended; the end of its log.
    Ended(String),
    /// The server does not answer.
    Silent(ClientError),
}

impl fmt::Display for LocalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LocalError::System(what, error) => write!(f, "cannot {what}: {error}"),
            LocalError::Ended(log) => write!(f, "the server has ended:\n{log}"),
            LocalError::Silent(error) => write!(f, "the server does not answer: {error}"),
        }
    }
}

impl std::error::Error for LocalError {}

/// A directory for a server, removed at the end if it is a temporary one.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    is_temporary: bool,
}

impl DataDir {
    /// One that stays.
    pub fn kept(path: impl Into<PathBuf>) -> DataDir {
        DataDir { path: path.into(), is_temporary: false }
    }

    /// A new one among the system's temporary files.
    pub fn temporary(purpose: &str) -> Result<DataDir, LocalError> {
        let mut left = leftovers::leftovers();
        let made = temporary(purpose, |path| std::fs::create_dir(path));
        let (path, ()) = made.map_err(|e| LocalError::System("make a temporary directory", e))?;
        left.add_path(&path);
        Ok(DataDir { path, is_temporary: true })
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the directory is removed when this value is dropped.
    pub fn is_temporary(&self) -> bool {
        self.is_temporary
    }

    /// Bytes in its files.
    pub fn size_bytes(&self) -> u64 {
        fn size(path: &Path) -> u64 {
            let Ok(entries) = std::fs::read_dir(path) else { return 0 };
            let one = |entry: io::Result<std::fs::DirEntry>| {
                let Ok(entry) = entry else { return 0 };
                match entry.metadata() {
                    Ok(metadata) if metadata.is_dir() => size(&entry.path()),
                    Ok(metadata) => metadata.len(),
                    Err(_) => 0, // removed meanwhile
                }
            };
            entries.map(one).sum()
        }
        size(&self.path)
    }
}

impl Drop for DataDir {
    fn drop(&mut self) {
        if self.is_temporary {
            let _ = std::fs::remove_dir_all(&self.path); // the system removes what is left
            leftovers::leftovers().forget_path(&self.path);
        }
    }
}

/// Makes a new file or directory among the system's temporary files, by a name that is not taken.
fn temporary<T>(purpose: &str, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    for attempt in 0_u32.. {
        let name = format!("thermocline-{purpose}-{}-{attempt}", std::process::id());
        let path = std::env::temp_dir().join(name);
        match make(&path) {
            Ok(made) => return Ok((path, made)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    unreachable!("some number is free")
}

/// Bytes of memory that a process uses now; `None` where the system does not say.
pub fn resident_bytes(process_id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process_id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// Bytes that a process has had written to disks since it was started; `None` where the system does
/// not say.
pub fn written_bytes(process_id: u32) -> Option<u64> {
    let io = std::fs::read_to_string(format!("/proc/{process_id}/io")).ok()?;
    io.lines().find_map(|line| line.strip_prefix("write_bytes:"))?.trim().parse().ok()
}

/// Processor time of a process with all its threads.
#[derive(Clone, Copy, Debug)]
pub struct ProcessTime(Duration);

impl ProcessTime {
    /// Up to now; `None` where the system does not say.
    pub fn of(process_id: u32) -> Option<ProcessTime> {
        // Linux counts in hundredths of a second here, whatever it does inside.
        const TICKS_PER_S: f64 = 100.0;
        let stat = std::fs::read_to_string(format!("/proc/{process_id}/stat")).ok()?;
        // The name, which may hold anything, is the second of the fields; the time in the program
        // is the 14th, and that in the kernel the next.
        let fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(2);
        let ticks: Vec<u64> = fields.map(str::parse).collect::<Result<_, _>>().ok()?;
        let ticks: u64 = ticks.iter().sum();
        Some(ProcessTime(Duration::from_secs_f64(ticks as f64 / TICKS_PER_S)))
    }

    /// What has been used since then.
    pub fn since(self, before: ProcessTime) -> Duration {
        self.0.saturating_sub(before.0)
    }
}

/// How long each thread of a process has run.
#[derive(Debug)]
pub struct ThreadTimes(HashMap<OsString, u64>);

impl ThreadTimes {
    /// Up to now; nothing is known where the system does not say.
    pub fn of(process_id: u32) -> ThreadTimes {
        let ran = |thread: DirEntry| {
            let times = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
            Some((thread.file_name(), times.split(' ').next()?.parse().ok()?))
        };
        let threads = std::fs::read_dir(threads_of(process_id)).into_iter().flatten().flatten();
        ThreadTimes(threads.filter_map(ran).collect())
    }

    /// The processor that the thread with the most processor time since then used last; `None`
    /// where the system does not say.
    pub fn busiest_processor_since(&self, process_id: u32) -> Option<usize> {
        // A thread may have got the number of one that has ended.
        let since = |(thread, ran): &(OsString, u64)| {
            ran.saturating_sub(self.0.get(thread).copied().unwrap_or(0))
        };
        let (busiest, _) = ThreadTimes::of(process_id).0.into_iter().max_by_key(since)?;
        let stat = threads_of(process_id).join(busiest).join("stat");
        let stat = std::fs::read_to_string(stat).ok()?;
        // The name, which may hold anything, is the second of the fields, and the processor the
        // 39th.
        stat.rsplit_once(')')?.1.split_whitespace().nth(36)?.parse().ok()
    }
}

fn threads_of(process_id: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{process_id}/task"))
}

/// A server process. It is killed when this is dropped.
#[derive(Debug)]
pub struct LocalServer {
    child: Arc<Mutex<Child>>,
    process_id: u32,
    port: u16,
    log: PathBuf,
    start_time: Duration,
}

impl LocalServer {
    /// Starts a server in a directory and waits until it accepts connections. `flags` are further
    /// flags of `thermocline serve`.
    pub fn start(data: &Path, flags: &[&str]) -> Result<LocalServer, LocalError> {
        let program =
            std::env::current_exe().map_err(|e| LocalError::System("find this program", e))?;
        LocalServer::start_program(&program, data, flags)
    }

    /// As [`LocalServer::start`], with the program in this file.
    pub fn start_program(
        program: &Path,
        data: &Path,
        flags: &[&str],
    ) -> Result<LocalServer, LocalError> {
        let system = |what| move |error| LocalError::System(what, error);
        let probe = TcpListener::bind(("127.0.0.1", 0)).map_err(system("find a free port"))?;
        let port = probe.local_addr().map_err(system("find a free port"))?.port();
        drop(probe);
        let mut left = leftovers::leftovers();
        let (log, out) = temporary("log", |path| File::create_new(path))
            .map_err(system("write the server's log"))?;
        let err = out.try_clone().map_err(system("write the server's log"))?;
        let begin = Instant::now();
        let child = Command::new(program)
            .arg("serve")
            .arg("--data")
            .arg(data)
            .args(["--listen", &format!("127.0.0.1:{port}"), "--allow-local-trusted", "true"])
            .args(flags)
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .spawn()
            .map_err(system("start the server"))?;
        let process_id = child.id();
        let child = Arc::new(Mutex::new(child));
        left.add_server(&child);
        left.add_path(&log);
        drop(left);
        let mut server = LocalServer { child, process_id, port, log, start_time: Duration::ZERO };
        server.wait_until_it_answers(begin)?;
        server.start_time = begin.elapsed();
        Ok(server)
    }

    fn wait_until_it_answers(&self, begin: Instant) -> Result<(), LocalError> {
        loop {
            if self.has_ended()?.is_some() {
                return Err(LocalError::Ended(self.end_of_log()));
            }
            match Connection::connect(&self.options()) {
                Ok(_) => return Ok(()),
                Err(error) if begin.elapsed() > START_TIMEOUT => {
                    return Err(LocalError::Silent(error));
                }
                Err(_) => std::thread::sleep(TRY_INTERVAL),
            }
        }
    }

    /// The last lines of its error log.
    pub fn end_of_log(&self) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(LOG_LINES_SHOWN)..].join("\n")
    }

    /// How to connect to it: as `sa`.
    pub fn options(&self) -> ConnectOptions {
        ConnectOptions::new(ServerAddress::local(self.port))
    }

    /// The port at which the server listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The number of its process.
    pub fn process_id(&self) -> u32 {
        self.process_id
    }

    /// From the start of the process until it had accepted a connection.
    pub fn start_time(&self) -> Duration {
        self.start_time
    }

    /// Bytes of memory that the process uses now; `None` where the system does not say.
    pub fn resident_bytes(&self) -> Option<u64> {
        resident_bytes(self.process_id)
    }

    /// Ends it at once, as a power cut would the process.
    pub fn kill(self) -> Result<(), LocalError> {
        let mut child = self.child();
        child.kill().map_err(|e| LocalError::System("kill the server", e))?;
        child.wait().map_err(|e| LocalError::System("wait for the server", e))?;
        Ok(())
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().expect("what has it does not panic")
    }

    /// How it has ended, if it has.
    fn has_ended(&self) -> Result<Option<ExitStatus>, LocalError> {
        self.child().try_wait().map_err(|e| LocalError::System("watch the server", e))
    }

    /// Ends it in order.
    pub fn stop(self) -> Result<(), LocalError> {
        let mut connection = Connection::connect(&self.options()).map_err(LocalError::Silent)?;
        // The answer may be cut off by the end that it asks for.
        let _ = connection.execute("SHUTDOWN");
        let begin = Instant::now();
        loop {
            match self.has_ended()? {
                Some(status) if status.success() => return Ok(()),
                Some(_) => return Err(LocalError::Ended(self.end_of_log())),
                None if begin.elapsed() > STOP_TIMEOUT => {
                    let error = io::Error::from(io::ErrorKind::TimedOut);
                    return Err(LocalError::System("end the server", error));
                }
                None => std::thread::sleep(TRY_INTERVAL),
            }
        }
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        let mut child = self.child();
        let _ = child.kill(); // it may have ended already
        let _ = child.wait();
        drop(child);
        let _ = std::fs::remove_file(&self.log);
        let mut left = leftovers::leftovers();
        left.forget_server(&self.child);
        left.forget_path(&self.log);
    }
}

#[cfg(test)]
mod tests;
