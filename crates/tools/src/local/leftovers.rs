//! What an interrupt must not leave behind: servers that run, and temporary files.

use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The exit code after an interrupt, as shells have it.
const INTERRUPTED: i32 = 130;

/// What there is now. Held while something is made and added, so that an interrupt finds it.
pub struct Leftovers {
    servers: Vec<Arc<Mutex<Child>>>,
    paths: Vec<PathBuf>,
}

static LEFTOVERS: Mutex<Leftovers> =
    Mutex::new(Leftovers { servers: Vec::new(), paths: Vec::new() });

/// What there is, to which no other thread adds meanwhile.
pub fn leftovers() -> MutexGuard<'static, Leftovers> {
    LEFTOVERS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Leftovers {
    pub fn add_server(&mut self, server: &Arc<Mutex<Child>>) {
        self.servers.push(server.clone());
    }

    /// A server has ended.
    pub fn forget_server(&mut self, server: &Arc<Mutex<Child>>) {
        self.servers.retain(|other| !Arc::ptr_eq(other, server));
    }

    pub fn add_path(&mut self, path: &Path) {
        self.paths.push(path.to_path_buf());
    }

    /// A file or directory has been removed.
    pub fn forget_path(&mut self, path: &Path) {
        self.paths.retain(|other| other != path);
    }
}

/// From now on an interrupt ends the program, its servers with it, and removes its temporary files.
pub fn remove_on_interrupt() {
    // Without a handler files stay, and the servers get the interrupt themselves.
    let _ = ctrlc::set_handler(|| {
        // Held to the end: nothing is made meanwhile.
        let left = leftovers();
        for server in &left.servers {
            let mut child = server.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = child.kill(); // it may have ended already
            let _ = child.wait();
        }
        for path in &left.paths {
            // The system removes what cannot be removed.
            let _ = if path.is_dir() {
                std::fs::remove_dir_all(path)
            } else {
                std::fs::remove_file(path)
            };
        }
        std::process::exit(INTERRUPTED);
    });
}
