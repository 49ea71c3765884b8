//! Commits while the disk is full, and after there is room again.

use super::*;

#[test]
fn a_full_disk_refuses_commits_loudly_loses_none_and_recovers() {
    let machine = Machine::new(1);
    let task = machine.task();
    let log = machine.create().unwrap();
    machine.sim.fs().set_capacity(Some(400 << 10));
    let mut stamps = Vec::new();
    let error = loop {
        match commit(&log, &task, &row(stamps.len() as u64, 1000)) {
            Ok((stamp, _)) => stamps.push(stamp),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, LogError::Full(_)), "{error}");
    assert!(stamps.len() > 50, "{}", stamps.len());
    // Nothing that was published is in danger.
    log.flush(&task).unwrap();
    assert!(log.durable() > *stamps.last().unwrap());
    assert!(log.last_error().is_none());
    while let Ok((stamp, _)) = commit(&log, &task, &row(stamps.len() as u64, 8000)) {
        stamps.push(stamp);
        log.flush(&task).unwrap();
    }
    assert!(log.last_error().is_none());

    machine.sim.fs().set_capacity(None);
    wait_until("commits go on", || {
        match commit_durably(&log, &task, &row(stamps.len() as u64, 1000)) {
            Ok(stamp) => stamps.push(stamp),
            Err(LogError::Full(_)) => return false,
            Err(error) => panic!("{error}"),
        }
        true
    });
    drop(log);
    let (transactions, _) = machine.replay().unwrap();
    let read: Vec<_> = transactions.iter().map(|transaction| transaction.stamp).collect();
    assert_eq!(read, stamps);
}

#[test]
fn truncation_makes_room_on_a_full_disk() {
    let machine = Machine::new(1);
    let task = machine.task();
    let log = machine.create().unwrap();
    machine.sim.fs().set_capacity(Some(600 << 10));
    let mut number = 0;
    while log.tail().0 < 3 << 20 {
        wait_until("there is room again", || {
            match commit_durably(&log, &task, &row(number, 2000)) {
                Ok(_) => return true,
                Err(LogError::Full(_)) => log.truncate_before(log.durable()).unwrap(),
                Err(error) => panic!("{error}"),
            }
            false
        });
        number += 1;
    }
    assert!(machine.sim.fs().used() <= 600 << 10);
}

#[test]
fn many_small_commits_fit_into_the_room_that_was_promised() {
    // Each travels alone, so that each takes a whole page.
    let machine = Machine::new(1);
    let task = machine.task();
    let log = machine.create().unwrap();
    machine.sim.fs().set_capacity(Some(256 << 10));
    let mut commits = 0;
    while commit_durably(&log, &task, &row(commits, 8)).is_ok() {
        commits += 1;
    }
    assert!(commits >= 30, "{commits}");
    assert!(log.last_error().is_none(), "refused, not fenced");
    log.shut_down().unwrap();
    assert_eq!(machine.replay().unwrap().0.len() as u64, commits);
}

#[test]
fn a_log_on_a_full_disk_can_be_opened_and_read_again_and_again() {
    let machine = Machine::new(1);
    let task = machine.task();
    let log = machine.create().unwrap();
    machine.sim.fs().set_capacity(Some(256 << 10));
    let mut commits = 0;
    while commit_durably(&log, &task, &row(commits, 8)).is_ok() {
        commits += 1;
    }
    log.shut_down().unwrap();
    drop(log);
    for _ in 0..2 {
        let (transactions, log) = machine.reopen().unwrap();
        assert_eq!(transactions.len() as u64, commits);
        assert!(matches!(commit(&log, &task, &row(commits, 8)), Err(LogError::Full(_))));
    }
    machine.sim.fs().set_capacity(None);
    let (_, log) = machine.reopen().unwrap();
    commit_durably(&log, &task, &row(commits, 8)).unwrap();
}
