//! Servers for tests, and raw connections to them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use server::config::Config;
use server::embedded::{Options, Running, start};
use tds::login::{Feature, Login};
use tds::packet::{MessageEvent, MessageReader, PacketType, Side};
use tds::prelogin::{Encryption, Prelogin};
use tds::writer::PutBytes;
use tds::{MessageWriter, TdsVersion};
use tools::client::{Authentication, ConnectOptions, Connection, ServerAddress};

pub use env::sim::wait_until;

/// How long is waited for what must come, if the machine is busy.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Tells other threads that it is over, also when the test fails.
pub struct Over<'f>(pub &'f AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// The password of `sa` everywhere here.
pub const PASSWORD: &str = "Secret-Password-1";

/// A directory that is removed when it is dropped.
pub struct TempDir(PathBuf);

impl TempDir {
    pub fn new() -> TempDir {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let name = format!("thermocline-{}-{}", std::process::id(), LAST.fetch_add(1, Relaxed));
        TempDir(std::env::temp_dir().join(name))
    }

    /// One that is there from the beginning, for files that are not the server's.
    pub fn made() -> TempDir {
        let dir = TempDir::new();
        std::fs::create_dir(dir.path()).unwrap();
        dir
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A server and its data.
pub struct TestServer {
    running: Option<Running>,
    dir: TempDir,
}

impl TestServer {
    /// A server that is set up like this, with a directory of its own.
    pub fn with(config: Config) -> TestServer {
        TestServer::in_directory(TempDir::new(), config)
    }

    pub fn in_directory(dir: TempDir, config: Config) -> TestServer {
        let options = Options {
            data_dir: dir.path().into(),
            listen: "127.0.0.1:0".into(),
            sa_password: Some(PASSWORD.into()),
            config,
        };
        TestServer { running: Some(start(options).expect("the server starts")), dir }
    }

    pub fn new() -> TestServer {
        TestServer::with(Config { allow_local_trusted: true, ..Config::default() })
    }

    /// One server that tests which leave nothing behind share, as long as one of them has it.
    pub fn shared() -> Arc<TestServer> {
        static SHARED: Mutex<Weak<TestServer>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap();
        shared.upgrade().unwrap_or_else(|| {
            let server = Arc::new(TestServer::new());
            *shared = Arc::downgrade(&server);
            server
        })
    }

    pub fn running(&self) -> &Running {
        self.running.as_ref().expect("it runs")
    }

    pub fn address(&self) -> SocketAddr {
        self.running().address()
    }

    /// The server's data directory.
    pub fn data(&self) -> &Path {
        self.dir.path()
    }

    /// How to log in as `sa`.
    pub fn options(&self) -> ConnectOptions {
        let mut options = ConnectOptions::new(ServerAddress::local(self.address().port()));
        options.authentication =
            Authentication::Password { user: "sa".into(), password: PASSWORD.into() };
        options.login_timeout = Some(PATIENCE);
        options.query_timeout = Some(PATIENCE);
        options
    }

    pub fn connect(&self) -> Connection {
        Connection::connect(&self.options()).expect("sa may log in")
    }

    /// Ends the server in order; its data stay.
    pub fn stop(mut self) -> TempDir {
        if let Some(running) = self.running.take() {
            running.stop();
        }
        std::mem::replace(&mut self.dir, TempDir(PathBuf::from("/nonexistent")))
    }
}

/// A server in a process of its own.
pub struct Process {
    child: Child,
    pub address: SocketAddr,
}

impl Process {
    /// Starts `thermocline serve`.
    pub fn start(dir: &Path, flags: &[&str]) -> Process {
        Process::start_logged(dir, flags, Stdio::null())
    }

    /// As `start`, in a directory that is named relative to the one above it.
    pub fn start_from(above: &Path, dir: &str) -> Process {
        Process::spawn(Path::new(dir), &[], |command| command.current_dir(above))
    }

    /// As `start_from`, with the error log in this file.
    pub fn start_logged(dir: &Path, flags: &[&str], log: Stdio) -> Process {
        Process::spawn(dir, flags, |command| command.stderr(log))
    }

    fn spawn(
        dir: &Path,
        flags: &[&str],
        change: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_thermocline"));
        command
            .args(["serve", "--data", dir.to_str().unwrap(), "--listen", "127.0.0.1:0"])
            .args(flags)
            .env("THERMOCLINE_SA_PASSWORD", PASSWORD)
            .stderr(Stdio::null());
        let child = change(&mut command).spawn().unwrap();
        let mut process = Process { child, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
        wait_until("the server listens", || {
            assert_eq!(process.child.try_wait().unwrap(), None, "the server has ended");
            let address = Process::listens_at(process.child.id());
            address.inspect(|address| process.address = *address).is_some()
        });
        // It listens before it has recovered, and answers afterwards.
        process
    }

    /// Where the process of this number listens: the system knows, and took a port that was free.
    fn listens_at(id: u32) -> Option<SocketAddr> {
        const LISTENS: &str = "0A";
        let own = |entry: std::io::Result<std::fs::DirEntry>| {
            std::fs::read_link(entry.ok()?.path()).ok()?.into_os_string().into_string().ok()
        };
        let files: Vec<String> =
            std::fs::read_dir(format!("/proc/{id}/fd")).ok()?.filter_map(own).collect();
        let sockets = std::fs::read_to_string("/proc/net/tcp").unwrap();
        sockets.lines().skip(1).find_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let (address, state, inode) = (fields[1], fields[3], fields[9]);
            let is_own = state == LISTENS && files.contains(&format!("socket:[{inode}]"));
            let port = is_own.then(|| address.split_once(':')).flatten()?.1;
            let port = u16::from_str_radix(port, 16).expect("hexadecimal digits");
            Some(SocketAddr::from(([127, 0, 0, 1], port)))
        })
    }

    /// How to log in as `sa`.
    pub fn options(&self) -> ConnectOptions {
        let mut options = ConnectOptions::new(ServerAddress::local(self.address.port()));
        options.authentication =
            Authentication::Password { user: "sa".into(), password: PASSWORD.into() };
        options.login_timeout = Some(PATIENCE);
        options
    }

    /// Bytes of memory that it uses.
    pub fn memory(&self) -> u64 {
        self.status("VmRSS:")
    }

    /// The most that it has used.
    pub fn peak_memory(&self) -> u64 {
        self.status("VmHWM:")
    }

    fn status(&self, what: &str) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(what)).unwrap();
        1024 * line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap()
    }

    /// Ends it as a power failure would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection without encryption whose bytes the test makes itself.
pub struct Raw {
    pub stream: TcpStream,
    reader: MessageReader,
}

impl Raw {
    /// Connected, and nothing said.
    pub fn connect(server: &TestServer) -> Raw {
        Raw::connect_to(server.address())
    }

    fn connect_to(address: SocketAddr) -> Raw {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Raw { stream, reader: MessageReader::new(Side::Client, 1 << 30) }
    }

    /// Logged in as `sa`.
    pub fn login(server: &TestServer) -> Raw {
        Raw::login_at(server.address())
    }

    /// Logged in as `sa` at an address.
    pub fn login_at(address: SocketAddr) -> Raw {
        Raw::login_asking_for(address, Vec::new()).0
    }

    /// Logged in as `sa` with feature extensions, and the answer.
    pub fn login_asking_for(address: SocketAddr, features: Vec<Feature>) -> (Raw, Vec<u8>) {
        let mut raw = Raw::asking_to_log_in(address, features);
        let answer = raw.answer().expect("an answer to LOGIN7");
        assert!(answer.contains(&tds::token::LOGINACK));
        (raw, answer)
    }

    /// A client that has sent its login as `sa`, and has not heard of it yet.
    pub fn asking_to_log_in(address: SocketAddr, features: Vec<Feature>) -> Raw {
        let mut raw = Raw::connect_to(address);
        let prelogin =
            Prelogin { encryption: Some(Encryption::NotSupported), ..Prelogin::default() };
        raw.send(PacketType::Prelogin, &prelogin.to_bytes());
        raw.answer().expect("an answer to PRELOGIN");
        let login = Login {
            tds_version: TdsVersion::V7_4.number(),
            packet_size: 4096,
            option_flags2: tds::login::option_flags2::ODBC,
            user_name: "sa".into(),
            password: PASSWORD.into(),
            features,
            ..Login::default()
        };
        raw.send(PacketType::Login, &login.to_bytes());
        raw
    }

    /// The number of its session.
    pub fn session(&mut self) -> i64 {
        self.send(PacketType::SqlBatch, &batch("select @@spid as a"));
        let answer = crate::trace::lines(&self.answer().expect("the session lives on"));
        answer[1].strip_prefix("row ").and_then(|number| number.parse().ok()).expect("a row")
    }

    /// Sends a message.
    pub fn send(&mut self, kind: PacketType, content: &[u8]) {
        let mut writer = MessageWriter::new();
        writer.begin(kind);
        writer.put_long(content);
        writer.end();
        self.send_bytes(writer.ready());
    }

    /// Sends bytes; a server that has closed the connection does not take them.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// The next message; nothing if the server closes the connection before.
    pub fn answer(&mut self) -> Option<Vec<u8>> {
        let mut bytes = [0; 4096];
        loop {
            let count = match self.stream.read(&mut bytes) {
                Ok(0) => return None,
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("the server neither answers nor closes: {error}"),
            };
            let mut input = &bytes[..count];
            let mut found = None;
            while let Some(event) = self.reader.feed(&mut input).expect("the server speaks TDS") {
                if let MessageEvent::Message { body, .. } = event {
                    found = Some(body.to_vec());
                }
            }
            if found.is_some() {
                return found;
            }
        }
    }

    /// Whether the server closes the connection, whatever it says before.
    pub fn is_closed(&mut self) -> bool {
        while self.answer().is_some() {}
        true
    }
}

/// Waits until the request of a session is shown like this, by a condition on
/// `sys.dm_exec_requests`.
pub fn wait_for_request(observer: &mut Connection, session: i64, condition: &str) {
    let query = format!(
        "select count(*) from sys.dm_exec_requests where session_id = {session} and {condition}"
    );
    wait_until(condition, || observer.query(&query).unwrap().integer() == Some(1));
}

/// Waits until rows of disk tables take no more memory than this.
pub fn wait_until_sunk(connection: &mut Connection, kilobytes_max: i64) {
    let used = "select cntr_value from sys.dm_os_performance_counters \
                where counter_name = 'Disk Table Memory Used (KB)'";
    let mut used = || connection.query(used).unwrap().integer().expect("a number");
    wait_until("rows leave memory", || used() <= kilobytes_max);
}

/// The number of a connection's session.
pub fn session_of(connection: &mut Connection) -> i64 {
    connection.query("select @@spid").unwrap().integer().expect("it has one")
}

/// A batch of T-SQL as the content of a message.
pub fn batch(text: &str) -> Vec<u8> {
    let mut content = Vec::new();
    content.put_u32(22);
    content.put_u32(18);
    content.put_u16(2);
    content.put_u64(0);
    content.put_u32(1);
    content.put_utf16(text);
    content
}
