//! The data directory: making it, opening it, giving memory back while it is open, closing it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::checkpoint::CheckpointOptions;
use engine::cold::PoolOptions;
use engine::database::Host;
use engine::instance::{
    Databases, FailedDatabase, InstanceError, InstanceOptions as DatabaseOptions, NewInstance,
};
use engine::log::{LogOptions, SegmentOptions};
use engine::sink::SinkOptions;
use engine::wait::{Runtime, RuntimeOptions, Task, Timer};
use env::Env;
use ir::function::facts::ServerFacts;
use ir::machine_code::CodeGenerator;
use run::interp::spill::{SpillOptions, SpillSpace};
use session::admin::backup::history;
use session::admin::retention;
use session::files::FileRules;
use session::instance::error_log::ErrorLogFiles;
use session::instance::login::Passwords;
use session::instance::memory::{Shares, StatementMemory};
use session::instance::{Instance, InstanceOptions, compiler};
use tracing::{error, info, warn};

use crate::certificate::{CertificateError, Tls, is_own_file};
use crate::config::{Config, Encrypt};
use crate::errorlog::ErrorLog;
use crate::health::{self, Health};
use crate::machine;
use crate::password::PasswordHasher;
use crate::server::{Server, Stop};
use crate::watch::RecoveryWatch;

/// Memory that is assumed when the machine does not report its own.
const MEMORY_UNKNOWN: u64 = 2 << 30;
/// How often aged rows are looked for in histories of system-versioned tables.
const RETENTION_EVERY: Duration = Duration::from_secs(600);
/// Rows and versions that a pass of the background reclamation frees at most.
const RECLAIM_BUDGET: usize = 10_000;
/// Where statements spill, in the data directory.
const SPILL_DIRECTORY: &str = "tempdb";
/// Says where the buffer pool extension lies.
const EXTENSION_NOTE: &str = "buffer-pool-extension";
const RECLAIM_EVERY: Duration = Duration::from_millis(50);
const GIVE_BACK_EVERY: Duration = Duration::from_secs(1);
/// Buckets of hash indexes that are taken away in one go: a few milliseconds.
const SHRINK_BUDGET: usize = 1 << 16;

/// Why a server does not come up.
#[derive(Debug)]
pub enum StartError {
    /// The data directory.
    Instance(InstanceError),
    /// The certificate.
    Certificate(CertificateError),
    /// The directory holds something else.
    Foreign(std::path::PathBuf),
    /// An address that cannot be listened at, and why.
    Listen(String, std::io::Error),
    /// The runtime could not be made.
    Runtime(std::io::Error),
    /// The directory of what statements spill.
    Spill(env::FileError),
    /// The password for `sa` cannot be used.
    Password(&'static str),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Instance(error) => error.fmt(f),
            StartError::Certificate(error) => error.fmt(f),
            StartError::Foreign(path) => write!(
                f,
                "{} is not empty and holds no data of Thermocline; choose an empty directory",
                path.display()
            ),
            StartError::Listen(address, error) => {
                write!(f, "cannot listen on {address}: {error}")
            }
            StartError::Runtime(error) => write!(f, "cannot start threads: {error}"),
            StartError::Spill(error) => error.fmt(f),
            StartError::Password(what) => write!(f, "the password of sa {what}"),
        }
    }
}

impl std::error::Error for StartError {}

impl From<InstanceError> for StartError {
    fn from(error: InstanceError) -> StartError {
        StartError::Instance(error)
    }
}

impl From<CertificateError> for StartError {
    fn from(error: CertificateError) -> StartError {
        StartError::Certificate(error)
    }
}

/// The environment that a server runs in: the real one, with a slower disk if the settings ask for
/// it.
pub fn environment(config: &Config) -> Env {
    let env = Env::real();
    match config.simulated_seek {
        None => env,
        Some(seek) => {
            let seek_ns = u64::try_from(seek.as_nanos()).unwrap_or(u64::MAX);
            env.with_slow_reads(engine::sink::is_data_file, seek_ns)
        }
    }
}

/// What the databases of a server run on.
pub fn host(env: &Env, config: &Config, timer: Arc<dyn Timer>) -> Host {
    let collector = crossbeam_epoch::Collector::new();
    let runtime = Runtime::new(env.clone(), collector, timer, RuntimeOptions::default());
    let memory = machine::memory_bytes(env).unwrap_or(MEMORY_UNKNOWN);
    let pool = PoolOptions {
        reserve_bytes: memory,
        limit_bytes: config.buffer_pool_size.bytes(memory),
        io_threads: READERS,
    };
    Host::new(runtime, workers(config), config.max_memory.bytes(memory))
        .with_buffer_pool(pool, Some(config.data.join(EXTENSION_NOTE)))
}

/// Threads that read pages.
const READERS: usize = 8;

/// Threads that run statements.
pub fn workers(config: &Config) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, |n| n.get());
    config.workers.unwrap_or_else(processors)
}

/// Memory below which a machine's checkpoint files are small.
const SMALL_MACHINE: u64 = 16 << 30;

fn database_options(env: &Env, config: &Config) -> DatabaseOptions {
    let memory = machine::memory_bytes(env).unwrap_or(MEMORY_UNKNOWN);
    let mut options = DatabaseOptions {
        database_memory_limit: config.max_database_memory.bytes(memory),
        ..DatabaseOptions::default()
    };
    options.database.segments =
        SegmentOptions { max_bytes: config.log_segment_size.0, ..SegmentOptions::default() };
    let ring_bytes = usize::try_from(config.log_ring_size.0).unwrap_or(usize::MAX);
    options.database.log = LogOptions { ring_bytes, ..LogOptions::default() };
    let file_size = if memory < SMALL_MACHINE { 16 << 20 } else { 128 << 20 };
    options.database.checkpoints = CheckpointOptions {
        data_bytes: config.checkpoint_file_size.map_or(file_size, |size| size.0),
        log_bytes: config.checkpoint_log_size.0,
        ..CheckpointOptions::default()
    };
    // Writers are slowed when four times as much waits.
    let start_bytes = config.disk_table_memory.0;
    let backlog_bytes = start_bytes.saturating_mul(4).max(BACKLOG_MIN);
    options.database.sink = SinkOptions { start_bytes, backlog_bytes, ..SinkOptions::default() };
    options
}

/// Bytes of rows that may wait to sink, however little may stay in memory.
const BACKLOG_MIN: u64 = 64 << 20;

/// Makes the databases of a new server, if the directory is empty. `password` is that of `sa`; one
/// is made up if there is none. Returns the password if the directory was initialised now.
///
/// # Errors
/// A directory that cannot be used; a password that is too simple.
pub fn initialise(
    env: &Env,
    config: &Config,
    host: &Host,
    password: Option<String>,
) -> Result<Option<String>, StartError> {
    if Databases::exists(host, &config.data)? {
        return Ok(None);
    }
    refuse_foreign(env, &config.data)?;
    if let Some(password) = &password {
        check_password(password)?;
    }
    let password = password.unwrap_or_else(|| PasswordHasher::generate(env));
    let hash = PasswordHasher::new(env).hash(&password);
    let new = NewInstance { collation: config.collation, sa_password_hash: Some(hash) };
    let task = Task::blocking(&host.runtime);
    Databases::create(host, &config.data, &new, &database_options(env, config), &task)?;
    Ok(Some(password))
}

/// SQL Server's own rule for `sa`: eight characters of three kinds.
fn check_password(password: &str) -> Result<(), StartError> {
    let kinds: [fn(char) -> bool; 4] = [
        |c| c.is_ascii_uppercase(),
        |c| c.is_ascii_lowercase(),
        |c| c.is_ascii_digit(),
        |c| !c.is_ascii_alphanumeric(),
    ];
    let found = kinds.iter().filter(|is_kind| password.chars().any(is_kind)).count();
    match (password.chars().count(), found) {
        (0..8, _) => Err(StartError::Password("must have at least 8 characters")),
        (_, 0..3) => Err(StartError::Password(
            "must have characters of three kinds out of upper case, lower case, digits and symbols",
        )),
        _ => Ok(()),
    }
}

/// A directory that is not empty is accepted only if it holds nothing but what an interrupted
/// initialisation leaves.
fn refuse_foreign(env: &Env, dir: &Path) -> Result<(), StartError> {
    let file = |error: env::FileError| StartError::Instance(InstanceError::Engine(error.into()));
    if !env.fs().exists(dir).map_err(file)? {
        return Ok(());
    }
    let entries = env.fs().list(dir).map_err(file)?;
    let is_locked = entries.iter().any(|entry| entry.name.to_str() == Some(env::fs::LOCK_FILE));
    let is_ours = |name: &str| {
        [env::fs::LOCK_FILE, "instance.new"].contains(&name)
            || is_own_file(name)
            || (is_locked && name == "databases")
            // What a file system keeps in its root.
            || name == "lost+found"
    };
    match entries.iter().all(|entry| entry.name.to_str().is_some_and(is_ours)) {
        true => Ok(()),
        false => Err(StartError::Foreign(dir.into())),
    }
}

/// Opens the data directory: recovers its databases and makes a server of them.
///
/// # Errors
/// A directory that holds no data or is in use, a damaged master, a certificate that cannot be
/// used.
pub fn open(
    env: &Env,
    config: Config,
    host: Host,
    stop: Arc<Stop>,
    log: Arc<ErrorLog>,
) -> Result<Arc<Server>, StartError> {
    if let Err(error) = log.open() {
        warn!("The error log has no file: {error}");
    }
    let tls = match config.encrypt {
        Encrypt::Off => None,
        Encrypt::On | Encrypt::Required | Encrypt::Strict => Some(Tls::load(env, &config)?),
    };
    let task = Task::blocking(&host.runtime);
    let began = Instant::now();
    let mut watch = RecoveryWatch::default();
    let opened = Databases::open(
        host,
        &config.data,
        database_options(env, &config),
        &task,
        &mut |name, progress| watch.begin(name, progress),
    );
    drop(watch);
    let (databases, report) = opened?;
    for FailedDatabase { name, error } in &report.failed {
        error!("Database '{name}' could not be opened: {error}");
    }
    for path in &report.removed {
        info!("removed {}, which belongs to no database", path.display());
    }
    for path in &report.strange {
        warn!("{} belongs to no database; it is left alone", path.display());
    }
    let catalogs = databases.catalogs();
    let loading = catalogs.iter().filter(|catalog| catalog.database().loading().is_some()).count();
    match databases.engine().host().pages.reopen_extension() {
        Ok(None) => {}
        Ok(Some(file)) => info!("The buffer pool extension is '{}'.", file.path.display()),
        Err(error) => warn!("The buffer pool extension cannot be used: {error}"),
    }
    let (count, took_ms) = (catalogs.len(), began.elapsed().as_millis());
    match loading {
        0 => info!("Recovery is complete: {count} databases in {took_ms} ms."),
        _ => info!(
            "Recovery has opened {count} databases in {took_ms} ms. Tables of {loading} of them are being loaded; \
             each is served as soon as it is."
        ),
    }
    say_open_files(&config);
    let spill = SpillOptions::new(config.data.join(SPILL_DIRECTORY));
    let spill = SpillOptions { limit_bytes: config.max_spill.0, ..spill };
    let spill = SpillSpace::open(env, spill).map_err(StartError::Spill)?;
    let passwords = Arc::new(PasswordHasher::new(env));
    let asked = stop.clone();
    let mut facts = facts(env, &config, &databases);
    facts.error_log_path = Some(log.path().into());
    let files = FileRules {
        data: config.data.clone(),
        private: config.tls_certificate.iter().chain(&config.tls_key).cloned().collect(),
        backup_directories: config.backup_directories.clone(),
        import_directories: config.import_directories.clone(),
    };
    let options = InstanceOptions {
        facts,
        files,
        passwords: passwords.clone(),
        memory: statement_memory(&config),
        spill: Some(spill),
        on_shutdown: Box::new(move |no_wait| asked.ask(no_wait)),
        logon_triggers: config.logon_triggers,
        error_log: Box::new({
            let log = log.clone();
            move |message| log.note(message)
        }),
        error_log_files: Some(log),
        code_generator: code_generator(),
        compile_after: compiler::HOT,
    };
    let instance = Instance::new(databases, options);
    instance.limit_memory();
    if !history::prepare(&instance, &task) {
        error!("The tables of msdb for the history of backups could not be made.");
    }
    Ok(Server::new(instance, config, tls, passwords, stop))
}

/// What statements may use of what the server may.
fn statement_memory(config: &Config) -> Shares {
    let configured = [config.session_memory, config.query_memory, config.plan_cache_memory];
    Box::new(move |all| {
        let [session, query, plans] =
            configured.map(|share| usize::try_from(share.bytes(all)).unwrap_or(usize::MAX));
        StatementMemory { session, query, plans }
    })
}

/// What makes machine code; on machines that it does not know, everything is interpreted.
fn code_generator() -> Option<Arc<dyn CodeGenerator>> {
    match native::Generator::new() {
        Ok(generator) => Some(Arc::new(generator)),
        Err(why) => {
            warn!("Everything is interpreted: {why}.");
            None
        }
    }
}

/// Files of a server beside the sockets of its connections, roughly.
const OTHER_FILES: u64 = 128;

/// Logs a message if the limit of open files is too low for `max_connections`.
fn say_open_files(config: &Config) {
    let Some(limit) = env::raise_open_files_limit() else { return };
    let wanted = config.max_connections;
    if limit < wanted as u64 + OTHER_FILES {
        info!(
            "max_connections is {wanted}, but this process may have only {limit} open files: about {} \
             connections. The limit is ulimit -Hn, LimitNOFILE of systemd, or --ulimit nofile of a \
             container.",
            limit.saturating_sub(OTHER_FILES)
        );
    }
}

fn facts(env: &Env, config: &Config, databases: &Databases) -> ServerFacts {
    let machine = machine::host_name(env).unwrap_or_else(|| "localhost".into());
    let name = config.server_name.clone().unwrap_or_else(|| machine.clone());
    let data = &config.data;
    ServerFacts {
        name: name.into(),
        machine: machine.into(),
        instance: None,
        process_id: std::process::id() as i32,
        collation: databases.collation(),
        data_path: format!("{}/", data.join("databases").display()).into(),
        backup_path: format!("{}/", data.join("backup").display()).into(),
        error_log_path: None,
        operating_system: machine::operating_system(env).into(),
        is_single_user: false,
        memory_bytes: machine::memory_bytes(env).unwrap_or(MEMORY_UNKNOWN),
        cpu_count: std::thread::available_parallelism().map_or(1, |n| n.get() as u32),
        worker_count: workers(config) as u32,
    }
}

/// Frees what no snapshot can see any more, and gives memory that is not needed back to the system,
/// until the server ends.
pub async fn reclaim(server: Arc<Server>) {
    let mut given_back = Instant::now();
    let mut health = Health::default();
    let mut is_shrinking = false;
    loop {
        let mut looks = false;
        if given_back.elapsed() >= GIVE_BACK_EVERY {
            engine::hot::heap::give_back();
            health.look(&server.instance);
            given_back = Instant::now();
            looks = true;
        }
        let spare_buckets = if is_shrinking || looks { SHRINK_BUDGET } else { 0 };
        let instance = server.instance.clone();
        let interrupt = Arc::default();
        if instance.has_resource_pools() {
            instance.govern();
        }
        let pass = engine::wait::Statement::new(server.runtime(), interrupt, move |task| {
            let databases = instance.databases().engine().databases();
            let (mut freed, mut taken) = (0, 0);
            for database in &databases {
                freed += database.reclaim(task, RECLAIM_BUDGET);
                if taken < spare_buckets {
                    taken += database.shrink_indexes(task, spare_buckets - taken, looks);
                }
            }
            (freed >= RECLAIM_BUDGET, taken == SHRINK_BUDGET)
        });
        match pass.await {
            Ok((is_busy, shrinks)) => {
                is_shrinking = shrinks;
                if is_busy || shrinks {
                    tokio::task::yield_now().await;
                } else {
                    tokio::time::sleep(RECLAIM_EVERY).await;
                }
            }
            Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    }
}

/// Removes aged rows from histories of system-versioned tables, until the server ends.
pub async fn keep_retention(server: Arc<Server>) {
    loop {
        tokio::time::sleep(RETENTION_EVERY).await;
        let instance = server.instance.clone();
        let pass = engine::wait::Statement::new(server.runtime(), Arc::default(), move |task| {
            retention::keep(&instance, task)
        });
        let Ok(pass) = pass.await else { continue };
        for failure in pass.failures {
            warn!("Aged rows could not be removed; the next pass tries again. {failure}");
        }
    }
}

/// Ends the databases in order. No session is open any more.
pub fn close(server: &Server) {
    let task = Task::blocking(server.runtime());
    health::report_unreadable(&server.instance);
    match server.instance.databases().shut_down(&task) {
        Ok(()) => info!("All databases are closed."),
        Err(error) => error!("Not all databases could be closed in order: {error}"),
    }
    if let Err(error) = server.instance.host().pages.close() {
        warn!("The buffer pool extension will be empty after the next start: {error}");
    }
}
