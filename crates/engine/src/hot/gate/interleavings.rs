use shuttle::sync::{Condvar, Mutex};

use super::*;
use crate::sync::{Arc, thread};

#[test]
fn an_owner_that_closes_a_gate_hears_of_failed_attempts_to_enter() {
    shuttle::check_random(
        || {
            let gate = Arc::new(Gate::new(2));
            let calls = Arc::new((Mutex::new(0), Condvar::new()));
            let users: Vec<_> = (0..2)
                .map(|i| {
                    let (gate, calls) = (gate.clone(), calls.clone());
                    thread::spawn(move || {
                        let entered = gate.try_enter(i, 10 + i as u64);
                        if entered.is_err() || gate.leave(i) {
                            *calls.0.lock().expect("no panic") += 1;
                            calls.1.notify_all();
                        }
                    })
                })
                .collect();
            gate.try_close(99).expect("no other owner closes");
            loop {
                let before = *calls.0.lock().expect("no panic");
                if gate.is_empty(0) {
                    break;
                }
                let mut now = calls.0.lock().expect("no panic");
                while *now == before {
                    now = calls.1.wait(now).expect("no panic");
                }
            }
            users.into_iter().for_each(|u| u.join().expect("no panic"));
        },
        2000,
    );
}

#[test]
fn no_user_is_inside_a_gate_that_was_found_empty() {
    shuttle::check_random(
        || {
            let gate = Arc::new(Gate::new(2));
            let inside = Arc::new(AtomicI64::new(0));
            let users: Vec<_> = (0..2)
                .map(|i| {
                    let (gate, inside) = (gate.clone(), inside.clone());
                    thread::spawn(move || {
                        if gate.try_enter(i, 10 + i as u64).is_ok() {
                            inside.fetch_add(1, SeqCst);
                            inside.fetch_sub(1, SeqCst);
                            gate.leave(i);
                        }
                    })
                })
                .collect();
            gate.try_close(99).expect("no other owner closes");
            if gate.is_empty(0) {
                assert_eq!(inside.load(SeqCst), 0);
            }
            users.into_iter().for_each(|u| u.join().expect("no panic"));
            assert!(gate.is_empty(0));
        },
        2000,
    );
}
