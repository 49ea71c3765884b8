//! The operator: a client that makes checkpoints, merges files and takes backups.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use tools::client::{ClientError, ConnectOptions, Connection};

use crate::run;
use testkit::rng::Rng;

/// The database that the backups are restored to.
pub const COPY: &str = "copy";
/// The longest time between two actions, and the shortest between two backups of the log.
const PAUSE_MS: u64 = 1000;
const LOG_BACKUP_EVERY: Duration = Duration::from_secs(2);

#[derive(Default)]
struct Done {
    checkpoints: u64,
    merges: u64,
    full_backups: u64,
    log_backups: u64,
}

pub struct Operator {
    rng: Rng,
    /// Whether to make a full backup before the server is killed, if there is none.
    backs_up: bool,
    has_backup: bool,
    last_log_backup: Instant,
    done: Done,
}

impl Operator {
    pub fn new(rng: Rng) -> Operator {
        let last_log_backup = Instant::now();
        Operator { rng, backs_up: false, has_backup: false, last_log_backup, done: Done::default() }
    }

    /// The server has started; the database is backed up from now on, or not yet.
    pub fn begin_life(&mut self, backs_up: bool) {
        self.backs_up = backs_up;
    }

    /// Makes checkpoints, merges and backups until the server is killed.
    pub fn work(&mut self, options: &ConnectOptions, is_dying: &AtomicBool) {
        let Ok(mut connection) = Connection::connect(options) else { return };
        while !is_dying.load(SeqCst) {
            let batch = self.choose();
            match connection.execute(batch) {
                Ok(outcome) => {
                    self.note(batch, outcome.first_error.as_ref().map(|e| e.error.number()))
                }
                Err(ClientError::Server(message)) if !is_dying.load(SeqCst) => {
                    self.note(batch, Some(message.error.number()));
                }
                Err(error) => {
                    assert!(is_dying.load(SeqCst), "{batch}: {error}");
                    return;
                }
            }
            std::thread::sleep(Duration::from_millis(self.rng.between(0, PAUSE_MS)));
        }
    }

    fn choose(&mut self) -> &'static str {
        if self.backs_up && !self.has_backup {
            return FULL;
        }
        if self.has_backup && self.last_log_backup.elapsed() >= LOG_BACKUP_EVERY {
            return LOG;
        }
        match self.rng.between(0, 4) {
            0 | 1 => CHECKPOINT,
            2 => MERGE,
            _ => COLLECT,
        }
    }

    fn note(&mut self, batch: &str, error: Option<i32>) {
        assert!(error.is_none(), "{batch}: {error:?}");
        match batch {
            CHECKPOINT => self.done.checkpoints += 1,
            // There may have been nothing to merge.
            MERGE => self.done.merges += 1,
            FULL => {
                self.has_backup = true;
                self.done.full_backups += 1;
                self.last_log_backup = Instant::now();
            }
            LOG => {
                self.done.log_backups += 1;
                self.last_log_backup = Instant::now();
            }
            _ => {}
        }
    }

    /// Backs up the end of the log, and restores everything beside the database.
    pub fn restore(&mut self, connection: &mut Connection) {
        run(connection, "USE master");
        if !self.has_backup {
            run(connection, FULL);
            self.done.full_backups += 1;
        }
        run(connection, LOG);
        // A backup whose answer was cut off by a kill may be in the file too.
        let sets =
            connection.query("RESTORE HEADERONLY FROM DISK = 'soak.bak'").unwrap().rows.len();
        let first = "RESTORE DATABASE copy FROM DISK = 'soak.bak' WITH FILE = 1, NORECOVERY";
        run(connection, first);
        for set in 2..=sets {
            let recovery = if set == sets { "RECOVERY" } else { "NORECOVERY" };
            let text =
                format!("RESTORE LOG copy FROM DISK = 'soak.bak' WITH FILE = {set}, {recovery}");
            run(connection, &text);
        }
        self.done.log_backups += 1;
    }

    pub fn summary(&self) -> String {
        let Done { checkpoints, merges, full_backups, log_backups } = self.done;
        format!(
            "{checkpoints} checkpoints and {merges} merges by hand, {full_backups} full backups, \
             {log_backups} of the log"
        )
    }
}

const CHECKPOINT: &str = "CHECKPOINT";
const MERGE: &str = "EXEC sys.sp_xtp_merge_checkpoint_files 'soak'";
const COLLECT: &str = "EXEC sys.sp_xtp_checkpoint_force_garbage_collection";
const FULL: &str = "BACKUP DATABASE soak TO DISK = 'soak.bak' WITH FORMAT, COMPRESSION, CHECKSUM";
const LOG: &str = "BACKUP LOG soak TO DISK = 'soak.bak' WITH COMPRESSION, CHECKSUM";
