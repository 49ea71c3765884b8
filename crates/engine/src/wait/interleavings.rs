//! No wake-up is lost, in any interleaving.

use std::future::poll_fn;
use std::task::Poll;

use base::ids::Lsn;

use super::*;
use crate::sync::Arc;
use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::{Acquire, Release};

#[test]
fn a_wait_list_loses_no_wake_up() {
    shuttle::check_random(
        || {
            let shared = Arc::new((AtomicU64::new(0), WaitList::new()));
            let waiters: Vec<_> = (1..=2)
                .map(|wanted| {
                    let shared = shared.clone();
                    shuttle::thread::spawn(move || {
                        let (value, list) = &*shared;
                        let mut place = list.register();
                        shuttle::future::block_on(poll_fn(|cx| {
                            place.arm(cx.waker());
                            match value.load(Acquire) >= wanted {
                                true => Poll::Ready(()),
                                false => Poll::Pending,
                            }
                        }));
                    })
                })
                .collect();
            for value in 1..=2 {
                shared.0.store(value, Release);
                shared.1.wake_all();
            }
            waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
        },
        5_000,
    );
}

#[test]
fn waiters_for_a_position_lose_no_wake_up() {
    shuttle::check_random(
        || {
            let shared = Arc::new((AtomicU64::new(0), LsnWaiters::new()));
            let waiters: Vec<_> = [1, 2, 2]
                .into_iter()
                .map(|wanted| {
                    let shared = shared.clone();
                    shuttle::thread::spawn(move || {
                        let (reached, list) = &*shared;
                        let mut place = None;
                        shuttle::future::block_on(poll_fn(|cx| {
                            drop(place.take());
                            place = Some(list.register(Lsn(wanted), cx.waker()));
                            match reached.load(Acquire) >= wanted {
                                true => Poll::Ready(()),
                                false => Poll::Pending,
                            }
                        }));
                    })
                })
                .collect();
            for reached in 1..=2 {
                shared.0.store(reached, Release);
                shared.1.wake_up_to(Lsn(reached));
            }
            waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
        },
        5_000,
    );
}
