//! Tells the error log how far recovery has come, when it takes long.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use engine::recovery::{RecoveryProgress, RecoveryStage};
use tracing::{info, warn};

/// Recovery that takes longer says how far it has come, every so often.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);

type Watched = Arc<Mutex<Vec<(String, RecoveryProgress)>>>;

/// Watches the databases that are being recovered, until it is dropped.
#[derive(Default)]
pub struct RecoveryWatch {
    watched: Watched,
    /// The thread, which ends when the sender is gone.
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl RecoveryWatch {
    /// The recovery of a database begins.
    pub fn begin(&mut self, name: &str, progress: &RecoveryProgress) {
        info!("Recovering database '{name}'.");
        let mut watched = self.watched.lock().expect("nobody panics under this lock");
        watched.push((name.to_string(), progress.clone()));
        if self.thread.is_some() {
            return;
        }
        let (over, until) = channel();
        let watched = self.watched.clone();
        let watch = move || {
            while until.recv_timeout(PROGRESS_EVERY) == Err(RecvTimeoutError::Timeout) {
                let watched = watched.lock().expect("nobody panics under this lock");
                for (name, progress) in &*watched {
                    if let Some(line) = line(name, progress.stage()) {
                        info!("{line}");
                    }
                }
            }
        };
        match std::thread::Builder::new().name("recovery watch".into()).spawn(watch) {
            Ok(thread) => self.thread = Some((over, thread)),
            Err(error) => warn!("nobody watches recovery: {error}"),
        }
    }
}

impl Drop for RecoveryWatch {
    fn drop(&mut self) {
        if let Some((over, thread)) = self.thread.take() {
            drop(over);
            let _ = thread.join();
        }
    }
}

/// What is said of a database in this stage; nothing while others are being recovered.
fn line(name: &str, stage: RecoveryStage) -> Option<String> {
    let (done, total, phase, unit) = match stage {
        RecoveryStage::Log { done, total, operations } => {
            let unit = format!("reading the log: {operations} operations");
            (done, total, 1, unit)
        }
        RecoveryStage::Indexes { done, total } => {
            (done, total, 2, format!("building indexes: {done} of {total} rows"))
        }
        RecoveryStage::Waiting | RecoveryStage::Done => return None,
    };
    let percent = (done * 100).checked_div(total).unwrap_or(0).min(100);
    Some(format!(
        "Recovery of database '{name}': phase {phase} of 2 is {percent}% complete, {unit}."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_has_its_own_share() {
        let log = RecoveryStage::Log { done: 50, total: 200, operations: 7 };
        assert_eq!(
            line("d", log).unwrap(),
            "Recovery of database 'd': phase 1 of 2 is 25% complete, reading the log: 7 operations."
        );
        let indexes = RecoveryStage::Indexes { done: 1, total: 3 };
        assert_eq!(
            line("d", indexes).unwrap(),
            "Recovery of database 'd': phase 2 of 2 is 33% complete, building indexes: 1 of 3 rows."
        );
        assert_eq!(line("d", RecoveryStage::Waiting), None);
        let nothing = RecoveryStage::Log { done: 0, total: 0, operations: 0 };
        assert!(line("d", nothing).unwrap().contains(" 0% "));
    }
}
