//! What statements on coroutines cost: starting one, and suspending and resuming one.
//!
//! `cargo run --release -p thermocline-engine --example wait_bench`

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crossbeam_epoch::Collector;
use engine::wait::{Interrupt, Runtime, RuntimeOptions, Statement, ThreadTimer};
use env::Env;

const ROUNDS: u64 = 2_000_000;

fn main() {
    let env = Env::real();
    let timer = Arc::new(ThreadTimer::new());
    let options = RuntimeOptions::default();
    let runtime = Runtime::new(env.clone(), Collector::new(), timer, options);
    let interrupt = Arc::new(Interrupt::new());
    let mut cx = Context::from_waker(Waker::noop());

    let start_ns = env.clock().now_ns();
    let mut sum = 0;
    for i in 0..ROUNDS {
        let mut statement = Statement::new(&runtime, interrupt.clone(), move |_| i);
        match Pin::new(&mut statement).poll(&mut cx) {
            Poll::Ready(Ok(value)) => sum += value,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(sum, ROUNDS * (ROUNDS - 1) / 2);
    report(&env, "start and finish a statement", start_ns);

    let mut statement = Statement::new(&runtime, interrupt.clone(), |task| {
        for _ in 0..ROUNDS {
            task.yield_now();
        }
    });
    let start_ns = env.clock().now_ns();
    while Pin::new(&mut statement).poll(&mut cx).is_pending() {}
    report(&env, "suspend and resume", start_ns);

    let mut statement = Statement::new(&runtime, interrupt, |task| {
        for _ in 0..ROUNDS {
            task.checkpoint().expect("nothing interrupts");
        }
    });
    let start_ns = env.clock().now_ns();
    while Pin::new(&mut statement).poll(&mut cx).is_pending() {}
    report(&env, "checkpoint", start_ns);
}

fn report(env: &Env, what: &str, start_ns: u64) {
    let elapsed_ns = env.clock().now_ns() - start_ns;
    println!("{what}: {:.1} ns", elapsed_ns as f64 / ROUNDS as f64);
}
