use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::task::Wake;
use std::time::Instant;

use env::sim::wait_until;

use super::*;

#[derive(Default)]
struct Count(AtomicU32);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

#[test]
fn wakes_once_when_the_time_has_come_unless_dropped() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .unwrap();
    let timer = TokioTimer::new(runtime.handle().clone());
    // From a thread that is none of tokio's.
    let mut delay = Duration::from_millis(5);
    // With more time each, until one has been dropped before its time had come.
    let dropped = loop {
        let (count, began) = (Arc::new(Count::default()), Instant::now());
        drop(timer.arm(delay.as_nanos() as u64, count.clone().into()));
        if began.elapsed() < delay {
            break count;
        }
        delay *= 2;
    };
    let fired = Arc::new(Count::default());
    let _kept = timer.arm(delay.as_nanos() as u64, fired.clone().into());
    wait_until("the later one fires", || fired.0.load(SeqCst) > 0);
    assert_eq!((fired.0.load(SeqCst), dropped.0.load(SeqCst)), (1, 0));
}

#[test]
fn no_delay_wakes_at_once() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .unwrap();
    let timer = TokioTimer::new(runtime.handle().clone());
    let fired = Arc::new(Count::default());
    let _kept = timer.arm(0, fired.clone().into());
    wait_until("it fires", || fired.0.load(SeqCst) > 0);
    assert_eq!(fired.0.load(SeqCst), 1);
}
