//! What an interrupt must not leave behind: servers that run, and temporary files.

use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// What ends the program from outside: Ctrl-C, a request, and the end of its terminal.
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
/// The exit code after a signal is this and its number, as shells have it.
const SIGNALLED: i32 = 128;

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

/// From now on an interrupt, or a request to end, ends the program and its servers, and removes its
/// temporary files.
pub fn remove_on_interrupt() {
    // Without a handler files stay, and servers get Ctrl-C themselves.
    let Ok(mut signals) = Signals::new(SIGNALS) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            remove();
            std::process::exit(SIGNALLED + signal);
        }
    });
}

/// Ends the servers and removes the files. No more are made.
fn remove() {
    let left = std::mem::ManuallyDrop::new(leftovers());
    for server in &left.servers {
        let mut child = server.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill(); // it may have ended already
        let _ = child.wait();
    }
    for path in &left.paths {
        // The system removes what cannot be removed.
        let _ =
            if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    }
}
