use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::*;

const LONG: Duration = Duration::from_secs(60);

/// Keeps a worker from giving way until the result is dropped.
fn occupy(workers: &Workers) -> Sender<()> {
    let (begun, has_begun) = channel();
    let (go_on, may_go_on) = channel::<()>();
    workers.spawn(async move {
        begun.send(()).unwrap();
        may_go_on.recv().unwrap_err();
    });
    has_begun.recv_timeout(LONG).unwrap();
    go_on
}

/// A task that signals when it runs.
fn ask(workers: &Workers) -> Receiver<()> {
    let (answer, answered) = channel();
    workers.spawn(async move { answer.send(()).unwrap() });
    answered
}

/// While all workers compute without giving way, connections are accepted and sockets read.
#[test]
fn spares_run_what_stuck_workers_leave() {
    let workers = Workers::with(2).unwrap();
    let stuck = [occupy(&workers), occupy(&workers)];
    let answered = ask(&workers);
    assert!(answered.recv_timeout(Duration::from_millis(50)).is_err(), "spares sleep");
    workers.waking().wake(1);
    answered.recv_timeout(LONG).unwrap();
    let third = occupy(&workers);
    workers.waking().wake(1);
    let answered = ask(&workers);
    assert!(answered.recv_timeout(Duration::from_millis(50)).is_err(), "one of two is awake");
    workers.waking().wake(2);
    answered.recv_timeout(LONG).unwrap();
    drop((stuck, third));
}

/// What yields never waits for a worker that blocks.
#[test]
fn what_yields_goes_on_while_spares_sleep() {
    let workers = Workers::with(2).unwrap();
    let yielding: Vec<_> = (0..64)
        .map(|_| {
            workers.spawn(async {
                for _ in 0..1000 {
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    for task in yielding {
        workers.block_on(async { tokio::time::timeout(LONG, task).await }).unwrap().unwrap();
    }
}

#[test]
fn workers_end_while_spares_sleep() {
    let (ended, has_ended) = channel();
    std::thread::spawn(move || {
        drop(Workers::with(1).unwrap());
        ended.send(()).unwrap();
    });
    has_ended.recv_timeout(LONG).unwrap();
}
