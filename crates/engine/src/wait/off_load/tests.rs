use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use crossbeam_epoch::Collector;
use env::Env;

use super::*;
use crate::wait::{Runtime, RuntimeOptions, ThreadTimer};

fn runtime() -> Runtime {
    let timer = Arc::new(ThreadTimer::new());
    Runtime::new(Env::real(), Collector::new(), timer, RuntimeOptions::default())
}

#[test]
fn results_come_back_to_the_task_that_began_the_work() {
    let (runtime, off_load) = (runtime(), OffLoad::new("test", 2, 3));
    let task = Task::blocking(&runtime);
    // More than there is room for: beginning waits.
    let jobs: Vec<Job<u32>> = (0..50).map(|n| off_load.begin(&task, move || n * n)).collect();
    let squares: Vec<u32> = jobs.into_iter().map(|job| job.wait(&task)).collect();
    assert_eq!(squares, (0..50).map(|n| n * n).collect::<Vec<u32>>());
}

#[test]
fn work_that_panics_ends_its_statement_alone() {
    let (runtime, off_load) = (runtime(), OffLoad::new("test", 1, 2));
    let task = Task::blocking(&runtime);
    for _ in 0..3 {
        let job = off_load.begin(&task, || -> u32 { panic!("on purpose") });
        let ended = panic::catch_unwind(AssertUnwindSafe(|| job.wait(&task)));
        assert!(ended.is_err());
    }
    off_load.hand_over(|| panic!("on purpose"));
    assert_eq!(off_load.begin(&task, || 7).wait(&task), 7, "the only thread goes on");
}

#[test]
fn what_was_handed_over_is_done_before_the_threads_end() {
    let done = Arc::new(AtomicU32::new(0));
    let off_load = OffLoad::new("test", 1, 1);
    for _ in 0..20 {
        let done = done.clone();
        off_load.hand_over(move || {
            // So that some are left when the threads are asked to end; all are done in any
            // case.
            std::thread::sleep(Duration::from_millis(1));
            done.fetch_add(1, Relaxed);
        });
    }
    drop(off_load);
    assert_eq!(done.load(Relaxed), 20);
}
