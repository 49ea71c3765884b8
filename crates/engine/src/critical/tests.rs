//! What a panic ends. Where that is the process, a child process runs the test and ends by SIGABRT.

use std::future::Future;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::sync::Arc;

use crossbeam_epoch::Collector;

use super::*;
use crate::sync::plain::{Mutex, RwLock, parking};
use crate::wait::{Runtime, RuntimeOptions, Statement, Task, ThreadTimer};

/// Which of [`CASES`] a child process runs.
const CHILD: &str = "THERMOCLINE_TEST_CRITICAL";

/// Runs a panic in the place, and catches it as a statement would.
type Case = (&'static str, fn());

const CASES: &[Case] = &[
    ("section", || section(Section::Commit, || panic!("on purpose"))),
    ("nested section", || {
        section(Section::Read, || {
            section(Section::Write, || {});
            panic!("on purpose")
        })
    }),
    ("thread", || {
        let run = thread("test", || panic!("on purpose"));
        let _ = std::thread::spawn(run).join();
    }),
    ("destructor that waits", || {
        struct Waits<'t, 's>(&'t Task<'s>);
        impl Drop for Waits<'_, '_> {
            fn drop(&mut self) {
                self.0.yield_now();
            }
        }
        let timer = Arc::new(ThreadTimer::new());
        let options = RuntimeOptions::default();
        let runtime = Runtime::new(env::Env::real(), Collector::new(), timer, options);
        let mut statement = Statement::new(&runtime, Arc::default(), |task: &Task<'_>| {
            let _waits = Waits(task);
            panic!("on purpose");
        });
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let _ = std::pin::Pin::new(&mut statement).poll(&mut context);
    }),
    ("mutex", || {
        let mutex = Mutex::new(0);
        let _held = mutex.lock();
        panic!("on purpose");
    }),
    ("try_lock", || {
        let mutex = Mutex::new(0);
        let _held = mutex.try_lock();
        panic!("on purpose");
    }),
    ("parking mutex", || {
        let mutex = parking::Mutex::new(0);
        let _held = mutex.lock();
        panic!("on purpose");
    }),
    ("write", || {
        let lock = RwLock::new(0);
        let _held = lock.write();
        panic!("on purpose");
    }),
    ("parking write", || {
        let lock = parking::RwLock::new(0);
        let _held = lock.write();
        panic!("on purpose");
    }),
];

/// Not a test of its own: what [`a_panic_in_a_critical_section_ends_the_process`] runs in child
/// processes.
#[test]
fn child() {
    let Ok(name) = std::env::var(CHILD) else { return };
    let (_, case) = CASES.iter().find(|(case, _)| *case == name).expect("a case of this name");
    let caught = catch_unwind(case);
    // Not reached.
    println!("{} is alive: {}", name, caught.is_err());
}

#[test]
fn a_panic_in_a_critical_section_ends_the_process() {
    for (name, _) in CASES {
        let program = std::env::current_exe().expect("a test is a program");
        let ended = Command::new(program)
            .args(["--exact", "critical::tests::child", "--nocapture"])
            .env(CHILD, name)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .output()
            .expect("the program runs once more");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.signal(), Some(6), "{name}: {:?}: {said}", ended.status);
        assert!(said.contains("The process ends: it panicked in"), "{name}: {said}");
    }
}

#[test]
fn a_section_that_does_not_panic_leaves_nothing_behind() {
    assert_eq!(section(Section::Commit, || 7), 7);
    let ended = catch_unwind(|| panic!("on purpose"));
    assert!(ended.is_err(), "the section is over");
}

#[test]
fn a_panic_outside_is_caught_though_locks_were_and_will_be_taken() {
    struct Locks<'m>(&'m Mutex<u32>);
    impl Drop for Locks<'_> {
        fn drop(&mut self) {
            // A destructor's own lock is whole again when it is dropped, whatever unwinds around
            // it.
            *self.0.lock().expect("never poisoned") += 1;
        }
    }
    let (mutex, lock) = (Mutex::new(0), RwLock::new(0));
    let ended = catch_unwind(AssertUnwindSafe(|| {
        let _locks = Locks(&mutex);
        *mutex.lock().expect("never poisoned") += 1;
        let _reads = lock.read();
        let own = Mutex::new(1);
        let _own = own.lock_own();
        panic!("on purpose");
    }));
    assert!(ended.is_err());
    assert_eq!(*mutex.lock().expect("never poisoned"), 2);
    assert_eq!(*lock.write().expect("never poisoned"), 0);
}
