//! Reports the progress of a long recovery in the error log: before the databases are open, and
//! then while their tables are loaded.

use std::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::recovery::{RecoveryProgress, RecoveryStage};
use tracing::{info, warn};

/// A recovery that takes longer reports its progress at this interval.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);
/// How often the thread checks progress.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Watches the databases that are being recovered. Dropped when all are open that can be; what
/// loads its tables is watched until that is over.
#[derive(Default)]
pub struct RecoveryWatch {
    shared: Arc<Shared>,
    is_running: bool,
}

#[derive(Default)]
struct Shared {
    watched: Mutex<Vec<Watched>>,
    /// No recovery begins any more.
    all_begun: AtomicBool,
}

struct Watched {
    name: String,
    progress: RecoveryProgress,
    /// Since when tables have been loaded.
    loading: Option<Instant>,
}

impl RecoveryWatch {
    /// The recovery of a database begins.
    pub fn begin(&mut self, name: &str, progress: &RecoveryProgress) {
        info!("Recovering database '{name}'.");
        let (name, progress) = (name.to_string(), progress.clone());
        let watched = Watched { name, progress, loading: None };
        self.shared.watched.lock().expect("no thread panics under this lock").push(watched);
        if std::mem::replace(&mut self.is_running, true) {
            return;
        }
        let shared = self.shared.clone();
        let watch = std::thread::Builder::new().name("recovery watch".into());
        if let Err(error) = watch.spawn(move || shared.watch()) {
            warn!("recovery is not watched: {error}");
        }
    }
}

impl Drop for RecoveryWatch {
    fn drop(&mut self) {
        self.shared.all_begun.store(true, Release); // pairs with watch()
    }
}

impl Shared {
    fn watch(&self) {
        let mut told = Instant::now();
        loop {
            std::thread::sleep(LOOK_EVERY);
            // First: a database that is open has begun to load its tables.
            let all_begun = self.all_begun.load(Acquire);
            let tell = told.elapsed() >= PROGRESS_EVERY;
            if tell {
                told = Instant::now();
            }
            let mut watched = self.watched.lock().expect("no thread panics under this lock");
            watched.retain_mut(|own| own.look(tell));
            let loads =
                |own: &Watched| matches!(own.progress.stage(), RecoveryStage::Tables { .. });
            if all_begun && !watched.iter().any(loads) {
                return;
            }
        }
    }
}

impl Watched {
    /// Reports progress; returns whether more will follow.
    fn look(&mut self, tell: bool) -> bool {
        let stage = self.progress.stage();
        if matches!(stage, RecoveryStage::Tables { .. }) {
            self.loading.get_or_insert_with(Instant::now);
        }
        let spent = self.loading.map(|since| since.elapsed()).unwrap_or_default();
        match stage {
            RecoveryStage::Done => {
                let (name, rows) = (&self.name, self.progress.loaded());
                if rows > 0 {
                    info!("All tables of database '{name}' are loaded: {rows} rows.");
                }
                return false;
            }
            RecoveryStage::Failed | RecoveryStage::Stopped => return false,
            _ => {}
        }
        if let Some(line) = line(&self.name, stage, spent).filter(|_| tell) {
            info!("{line}");
        }
        true
    }
}

/// The message about a database in this stage, which has lasted this long; nothing while others are
/// being recovered.
fn line(name: &str, stage: RecoveryStage, spent: Duration) -> Option<String> {
    let (done, total, phase, what) = match stage {
        RecoveryStage::Log { done, total, operations } => {
            let what = format!("reading the log: {operations} operations");
            (done, total, 1, what)
        }
        RecoveryStage::Indexes { done, total } => {
            (done, total, 2, format!("building indexes: {done} of {total} rows"))
        }
        RecoveryStage::Tables { done, total } => {
            let rate = u128::from(done) * 1000 / spent.as_millis().max(1);
            let what = format!("loading tables: {done} of {total} rows, {rate} rows/s");
            (done, total, 3, what)
        }
        _ => return None,
    };
    let percent = (done * 100).checked_div(total).unwrap_or(0).min(100);
    Some(format!(
        "Recovery of database '{name}': phase {phase} of 3 is {percent}% complete, {what}."
    ))
}

#[cfg(test)]
mod tests;
