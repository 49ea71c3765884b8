use std::cell::Cell;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use base::ids::Lsn;
use crossbeam_epoch::Collector;
use env::Env;
use env::sim::{SimEnv, wait_until};
use parking_lot::Condvar;

use super::*;

fn runtime() -> Runtime {
    runtime_with(RuntimeOptions::default())
}

fn runtime_with(options: RuntimeOptions) -> Runtime {
    runtime_on(Env::real(), options)
}

fn runtime_on(env: Env, options: RuntimeOptions) -> Runtime {
    Runtime::new(env, Collector::new(), Arc::new(ThreadTimer::new()), options)
}

/// A waker that counts how often it is woken.
#[derive(Default)]
struct Count(AtomicUsize);

impl Count {
    fn get(&self) -> usize {
        self.0.load(SeqCst)
    }
}

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// A small work-sharing executor: every poll may happen on another thread.
struct Executor {
    shared: Arc<Shared>,
    threads: Vec<thread::JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    queue: parking_lot::Mutex<VecDeque<Arc<Spawned>>>,
    changed: Condvar,
    closing: AtomicBool,
    unfinished: AtomicUsize,
}

struct Spawned {
    future: Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>,
    queued: AtomicBool,
    executor: Arc<Shared>,
}

impl Wake for Spawned {
    fn wake(self: Arc<Self>) {
        if !self.queued.swap(true, SeqCst) {
            self.executor.queue.lock().push_back(self.clone());
            self.executor.changed.notify_one();
        }
    }
}

impl Executor {
    fn new(threads: usize) -> Executor {
        let shared = Arc::new(Shared::default());
        let run = |shared: Arc<Shared>| move || shared.run();
        let threads = (0..threads).map(|_| thread::spawn(run(shared.clone()))).collect();
        Executor { shared, threads }
    }

    fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.shared.unfinished.fetch_add(1, SeqCst);
        let spawned = Spawned {
            future: Mutex::new(Some(Box::pin(future))),
            queued: AtomicBool::new(false),
            executor: self.shared.clone(),
        };
        Arc::new(spawned).wake();
    }

    fn finish(self) {
        wait_until("all statements end", || self.shared.unfinished.load(SeqCst) == 0);
        self.stop();
    }

    fn stop(self) {
        self.shared.closing.store(true, SeqCst);
        self.shared.changed.notify_all();
        self.threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}

impl Shared {
    fn run(self: Arc<Shared>) {
        loop {
            let mut queue = self.queue.lock();
            let next = loop {
                if self.closing.load(SeqCst) {
                    return;
                }
                if let Some(next) = queue.pop_front() {
                    break next;
                }
                self.changed.wait_for(&mut queue, Duration::from_millis(10));
            };
            drop(queue);
            let waker = Waker::from(next.clone());
            let mut slot = next.future.lock().unwrap();
            next.queued.store(false, SeqCst);
            if let Some(future) = slot.as_mut() {
                if future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
                    *slot = None;
                    self.unfinished.fetch_sub(1, SeqCst);
                }
            }
        }
    }
}

/// Polls once; the waker counts.
fn poll_once<T: Send>(statement: &mut Statement<T>) -> Poll<Result<T, OutOfStacks>> {
    Pin::new(statement).poll(&mut Context::from_waker(Waker::noop()))
}

fn finish<T: Send>(statement: &mut Statement<T>) -> T {
    let mut ended = None;
    wait_until("the statement ends", || {
        if let Poll::Ready(result) = poll_once(statement) {
            ended = Some(result.unwrap());
        }
        ended.is_some()
    });
    ended.unwrap()
}

fn statement<T: Send + 'static>(
    runtime: &Runtime,
    body: impl FnOnce(&Task) -> T + Send + 'static,
) -> Statement<T> {
    Statement::new(runtime, Arc::default(), body)
}

#[test]
fn a_statement_gives_what_its_closure_returns() {
    let mut statement = statement(&runtime(), |_| 42);
    assert!(matches!(poll_once(&mut statement), Poll::Ready(Ok(42))));
}

#[test]
fn a_wait_suspends_and_goes_on_behind_itself() {
    let event = Arc::new(Event::new());
    let own = event.clone();
    let mut statement = statement(&runtime(), move |task| {
        let before = String::from("before");
        own.wait(task);
        before + " and after"
    });
    assert!(poll_once(&mut statement).is_pending());
    assert!(poll_once(&mut statement).is_pending());
    event.set();
    assert_eq!(finish(&mut statement), "before and after");
}

#[test]
fn epochs_stay_pinned_between_two_guards_but_not_over_a_wait() {
    let mut statement = statement(&runtime(), |task| {
        assert!(!task.worker().is_pinned());
        drop(task.pin());
        let kept = task.worker().is_pinned();
        task.yield_now();
        (kept, task.worker().is_pinned())
    });
    assert!(poll_once(&mut statement).is_pending());
    assert_eq!(finish(&mut statement), (true, false));
}

#[test]
fn epochs_go_on_under_a_statement_that_takes_guard_after_guard() {
    let runtime = runtime();
    let freed = Arc::new(AtomicBool::new(false));
    let own = freed.clone();
    let mut statement = statement(&runtime, move |task| {
        let own_too = own.clone();
        task.pin().defer(move || own_too.store(true, SeqCst));
        (0..1000).any(|_| {
            task.pin().flush();
            own.load(SeqCst)
        })
    });
    assert!(finish(&mut statement), "what was unlinked is freed while the statement goes on");
}

#[test]
fn processor_time_does_not_count_waits_and_follows_from_thread_to_thread() {
    /// Works for this many nanoseconds of the calling thread's time.
    fn work(task: &Task, cpu_ns: u64) {
        let began = task.cpu_ns();
        while task.cpu_ns() - began < cpu_ns {}
    }
    let event = Arc::new(Event::new());
    let own = event.clone();
    let mut statement = statement(&runtime(), move |task| {
        assert_eq!(task.cpu_ns(), 0);
        work(task, 2_000_000);
        own.wait(task);
        work(task, 2_000_000);
        task.cpu_ns()
    });
    assert!(poll_once(&mut statement).is_pending());
    // Another thread, whose clock shows something else, goes on.
    let wait = Duration::from_millis(200);
    thread::sleep(wait);
    event.set();
    let cpu_ns = thread::spawn(move || finish(&mut statement)).join().unwrap();
    assert!(4_000_000 <= cpu_ns && u128::from(cpu_ns) < wait.as_nanos(), "{cpu_ns}");
}

#[test]
fn statements_move_between_threads_and_see_the_worker_of_each() {
    let runtime = runtime();
    let (sent, received) = std::sync::mpsc::channel::<Statement<Vec<ThreadId>>>();
    let mut statement = statement(&runtime, |task| {
        let count = Rc::new(Cell::new(0)); // not Send, and need not be
        let mut threads = Vec::new();
        let mut indexes = Vec::new();
        while count.get() < 3 {
            threads.push(thread::current().id());
            indexes.push(task.worker().index());
            drop(task.pin());
            count.set(count.get() + 1);
            task.yield_now();
        }
        assert_ne!(indexes[0], indexes[1]);
        threads
    });
    let pending = poll_once(&mut statement).is_pending();
    sent.send(statement).unwrap();
    let runner = thread::spawn(move || finish(&mut received.recv().unwrap()));
    let threads = runner.join().unwrap();
    assert!(pending);
    assert_eq!(threads[0], thread::current().id());
    assert!(threads[1] != threads[0] && threads[1] == threads[2]);
}

#[test]
fn thousands_of_statements_hand_a_token_around_on_two_threads() {
    const STATEMENTS: u64 = 5000;
    const ROUNDS: u64 = 4;
    let runtime = runtime();
    let executor = Executor::new(2);
    let token = Arc::new(AtomicU64::new(u64::MAX));
    let waiting = Arc::new(LsnWaiters::new());
    let moved = Arc::new(AtomicUsize::new(0));
    let start = |i| {
        let (token, waiting, moved) = (token.clone(), waiting.clone(), moved.clone());
        let mut statement = statement(&runtime, move |task| {
            for round in 0..ROUNDS {
                let turn = round * STATEMENTS + i;
                let before = thread::current().id();
                let mut place = None;
                task.wait(|cx| {
                    place = Some(waiting.register(Lsn(turn), cx.waker()));
                    match token.load(SeqCst) == turn {
                        true => Poll::Ready(()),
                        false => Poll::Pending,
                    }
                });
                drop(place);
                moved.fetch_add(usize::from(before != thread::current().id()), SeqCst);
                token.store(turn + 1, SeqCst);
                waiting.wake_up_to(Lsn(turn + 1));
            }
        });
        assert!(poll_once(&mut statement).is_pending());
        statement
    };
    // All begin on this thread, and go on on those of the executor.
    let statements: Vec<_> = (0..STATEMENTS).map(start).collect();
    token.store(0, SeqCst);
    for statement in statements {
        executor.spawn(async move { statement.await.unwrap() });
    }
    executor.finish();
    assert_eq!(token.load(SeqCst), STATEMENTS * ROUNDS);
    assert!(moved.load(SeqCst) as u64 >= STATEMENTS, "statements do change threads");
    let stats = runtime.worker_stats();
    assert_eq!(stats.iter().map(|worker| worker.statements).sum::<u64>(), STATEMENTS);
}

#[test]
fn attention_ends_an_interruptible_wait_and_a_loop_but_not_a_plain_wait() {
    let runtime = runtime();
    let interrupt = Arc::new(Interrupt::new());
    let event = Arc::new(Event::new());
    let own = event.clone();
    let mut statement = Statement::new(&runtime, interrupt.clone(), move |task| {
        let first = own.wait_interruptible(task);
        let second = task.checkpoint();
        own.wait(task); // roll back
        (first, second)
    });
    assert!(poll_once(&mut statement).is_pending());
    interrupt.raise(Interrupted::Attention);
    for _ in 0..3 {
        assert!(poll_once(&mut statement).is_pending());
    }
    event.set();
    let attention = Err(Interrupted::Attention);
    assert_eq!(finish(&mut statement), (attention, attention));
    interrupt.clear();
    assert_eq!(interrupt.raised(), None);
    interrupt.raise(Interrupted::Kill);
    interrupt.raise(Interrupted::Attention);
    interrupt.clear();
    assert_eq!(interrupt.raised(), Some(Interrupted::Kill));
}

#[test]
fn attention_wakes_the_waiting_statement() {
    let runtime = runtime();
    let executor = Executor::new(1);
    let interrupt = Arc::new(Interrupt::new());
    let event = Arc::new(Event::new());
    let own = event.clone();
    let statement =
        Statement::new(&runtime, interrupt.clone(), move |task| own.wait_interruptible(task));
    executor.spawn(async move {
        assert_eq!(statement.await.unwrap(), Err(Interrupted::Attention));
    });
    wait_until("the statement waits", || event.waiting() == 1);
    interrupt.raise(Interrupted::Attention);
    executor.finish();
}

#[test]
fn attention_ends_a_busy_loop_on_another_thread() {
    let runtime = runtime();
    let interrupt = Arc::new(Interrupt::new());
    let executor = Executor::new(1);
    let is_busy = Arc::new(AtomicBool::new(false));
    let own = is_busy.clone();
    let statement = Statement::new(&runtime, interrupt.clone(), move |task| {
        loop {
            own.store(true, SeqCst);
            if let Err(why) = task.checkpoint() {
                return why;
            }
        }
    });
    executor.spawn(async move { assert_eq!(statement.await.unwrap(), Interrupted::Attention) });
    wait_until("the statement runs", || is_busy.load(SeqCst));
    interrupt.raise(Interrupted::Attention);
    executor.finish();
}

#[test]
fn a_busy_statement_gives_way_about_every_slice() {
    // Simulated, since a real clock goes on while the thread does not run.
    let sim = SimEnv::new(1);
    let runtime = runtime_on(sim.env(), RuntimeOptions::default());
    let mut statement = statement(&runtime, move |task| {
        for _ in 0..3000 {
            sim.clock().advance_ns(10_000);
            task.checkpoint().unwrap();
        }
    });
    let mut polls = 0;
    while poll_once(&mut statement).is_pending() {
        polls += 1;
    }
    assert!((20..=30).contains(&polls), "{polls}");
    let yields: u64 = runtime.worker_stats().iter().map(|worker| worker.yields).sum();
    assert_eq!(yields, polls);
}

#[test]
fn sleeping_ends_in_time_or_when_interrupted() {
    let runtime = runtime();
    let interrupt = Arc::new(Interrupt::new());
    let task = Task::blocking_with(&runtime, interrupt.clone());
    let before = Instant::now();
    task.sleep_ns(20_000_000).unwrap();
    assert!(before.elapsed() >= Duration::from_millis(20));
    let waker = thread::spawn(move || {
        // So that it sleeps by then; if not, it does not begin to.
        thread::sleep(Duration::from_millis(20));
        interrupt.raise(Interrupted::Kill);
    });
    assert_eq!(task.sleep_ns(3_600_000_000_000), Err(Interrupted::Kill));
    waker.join().unwrap();
}

#[test]
fn a_deadline_ends_a_wait_on_a_coroutine() {
    let runtime = runtime();
    let executor = Executor::new(2);
    for millis in [5, 1, 3, 2, 4] {
        let statement = statement(&runtime, move |task| {
            let list = WaitList::new();
            let deadline_ns = task.now_ns() + millis * 1_000_000;
            let result = list.wait_until(task, deadline_ns, || None::<()>);
            assert!(task.now_ns() >= deadline_ns);
            result
        });
        executor.spawn(async move {
            assert_eq!(statement.await.unwrap(), Err(WaitError::TimedOut));
        });
    }
    executor.finish();
}

#[test]
fn a_stopped_timer_does_not_fire() {
    let timer = ThreadTimer::new();
    let mut delay = Duration::from_millis(5);
    // With more time each, until one has been stopped before its time had come.
    let stopped = loop {
        let (count, began) = (Arc::new(Count::default()), Instant::now());
        drop(timer.arm(delay.as_nanos() as u64, count.clone().into()));
        if began.elapsed() < delay {
            break count;
        }
        delay *= 2;
    };
    let running = Arc::new(Count::default());
    let armed = timer.arm(delay.as_nanos() as u64, running.clone().into());
    wait_until("the later one fires", || running.get() > 0);
    assert_eq!((running.get(), stopped.get()), (1, 0));
    drop(armed);
}

#[test]
fn a_panic_comes_out_of_the_poll_and_the_stack_is_unwound() {
    let dropped = Arc::new(AtomicBool::new(false));
    struct Flag(Arc<AtomicBool>);
    impl Drop for Flag {
        fn drop(&mut self) {
            self.0.store(true, SeqCst);
        }
    }
    let flag = Flag(dropped.clone());
    let mut statement = statement(&runtime(), move |task| {
        let _flag = flag;
        task.yield_now();
        panic!("on purpose");
    });
    assert!(poll_once(&mut statement).is_pending());
    let panic =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| poll_once(&mut statement)));
    assert_eq!(*panic.unwrap_err().downcast_ref::<&str>().unwrap(), "on purpose");
    assert!(dropped.load(SeqCst));
    drop(statement);
}

#[test]
fn waiting_with_a_pinned_epoch_or_a_borrowed_worker_panics() {
    let fails = |body: fn(&Task)| {
        let mut statement = statement(&runtime(), body);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(poll_once(&mut statement))))
            .is_err()
    };
    assert!(fails(|task| {
        let _guard = task.pin();
        task.yield_now();
    }));
    assert!(fails(|task| {
        let _worker = task.worker();
        task.yield_now();
    }));
    assert!(!fails(|task| task.yield_now()));
}

#[test]
#[cfg(debug_assertions)]
fn waiting_with_a_lock_that_is_held_panics() {
    use crate::sync::plain::{Mutex, RwLock, parking};
    let fails = |body: fn(&Task)| {
        let mut statement = statement(&runtime(), body);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(poll_once(&mut statement))))
            .is_err()
    };
    // A panic lets go of these guards; that of others ends the process.
    assert!(fails(|task| {
        let lock = RwLock::new(1);
        let _held = lock.read();
        task.yield_now();
    }));
    assert!(fails(|task| {
        let lock = parking::RwLock::new(1);
        let _held = lock.read();
        task.yield_now();
    }));
    assert!(fails(|task| {
        let own = Mutex::new(1);
        let _held = own.lock_own();
        task.yield_now();
    }));
    assert!(!fails(|task| {
        let (mutex, parked) = (Mutex::new(1), parking::Mutex::new(1));
        *mutex.lock().unwrap() += *parked.lock();
        drop(mutex.try_lock());
        task.yield_now();
    }));
}

#[test]
fn dropping_finishes_what_was_started() {
    let runtime = runtime();
    let rolled_back = Arc::new(Event::new());
    let (own, seen) = (rolled_back.clone(), Arc::new(AtomicBool::new(false)));
    let own_seen = seen.clone();
    let mut statement = statement(&runtime, move |task| {
        let list = WaitList::new();
        let result = list.wait_interruptible(task, || None::<()>);
        assert_eq!(result, Err(Interrupted::Kill));
        assert_eq!(task.checkpoint(), Err(Interrupted::Kill));
        own.wait(task);
        own_seen.store(true, SeqCst);
    });
    assert!(poll_once(&mut statement).is_pending());
    let waker = thread::spawn(move || {
        wait_until("the statement rolls back", || rolled_back.waiting() == 1);
        rolled_back.set();
    });
    drop(statement);
    assert!(seen.load(SeqCst));
    waker.join().unwrap();
    drop(self::statement(&runtime, |_| panic!("never polled, never started")));
}

#[test]
fn stacks_are_used_again_and_the_surplus_is_unmapped() {
    let runtime = runtime_with(RuntimeOptions { stacks_kept: 100, ..RuntimeOptions::default() });
    let mut waiting: Vec<_> = (0..300)
        .map(|_| {
            let mut statement = statement(&runtime, |task| {
                let mut deep = [0u8; 200_000];
                std::hint::black_box(&mut deep);
                task.yield_now();
            });
            assert!(poll_once(&mut statement).is_pending());
            statement
        })
        .collect();
    waiting.iter_mut().for_each(finish);
    assert_eq!(runtime.workers().free_stacks(), 100);
    for _ in 0..200 {
        finish(&mut statement(&runtime, |_| ()));
    }
    assert_eq!(runtime.workers().free_stacks(), 100);
}

#[test]
fn a_stack_that_cannot_be_mapped_is_an_error() {
    let runtime = runtime_with(RuntimeOptions {
        stack_bytes: 1 << 47, // more than there are addresses
        ..RuntimeOptions::default()
    });
    let mut statement = statement(&runtime, |_| ());
    assert!(matches!(poll_once(&mut statement), Poll::Ready(Err(_))));
}

#[test]
fn waking_up_to_a_position_wakes_those_below_only() {
    let runtime = runtime();
    let waiters = LsnWaiters::new();
    let count = Arc::new(Count::default());
    let waker = Waker::from(count.clone());
    let mut places: Vec<_> = (1..=10).map(|lsn| waiters.register(Lsn(lsn * 16), &waker)).collect();
    waiters.wake_up_to(Lsn(15));
    assert_eq!(count.get(), 0);
    drop(places.remove(0));
    waiters.wake_up_to(Lsn(48));
    assert_eq!(count.get(), 2, "16 has left, 32 and 48 are woken");
    waiters.wake_up_to(Lsn(48));
    assert_eq!(count.get(), 2);
    let again = waiters.register(Lsn(16), &waker);
    waiters.wake_up_to(Lsn::MAX);
    assert_eq!(count.get(), 10);
    drop((places, again));
    drop(runtime);
}

#[test]
fn blocking_tasks_of_many_threads_meet_at_an_event() {
    let runtime = runtime();
    let event = Arc::new(Event::new());
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (runtime, event) = (runtime.clone(), event.clone());
            thread::spawn(move || {
                let task = Task::blocking(&runtime);
                event.wait(&task);
                event.is_set()
            })
        })
        .collect();
    wait_until("all of them wait", || event.waiting() == 8);
    event.set();
    assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
    let indexes = runtime.worker_stats().len();
    assert!(indexes <= 8);
}

#[test]
fn a_stack_grows_while_it_recurses_and_is_small_again_afterwards() {
    #[inline(never)]
    fn depth_of(task: &Task, level: usize) -> usize {
        let mut frame = [level as u8; 4096];
        std::hint::black_box(&mut frame);
        if level % 1000 == 0 {
            // What has grown is still there on whatever thread goes on.
            task.yield_now();
        }
        if !base::stack::deeper() {
            return level;
        }
        let deepest = depth_of(task, level + 1);
        std::hint::black_box(&mut frame);
        deepest
    }
    let (least, most) = (2 << 20, 16 << 20);
    let runtime = runtime_with(RuntimeOptions {
        stack_bytes: least,
        stack_bytes_max: most,
        ..RuntimeOptions::default()
    });
    for _ in 0..3 {
        let before = base::stack::capacity();
        let mut statement = statement(&runtime, |task| {
            assert!(base::stack::left() <= 2 << 20, "{}", base::stack::left());
            depth_of(task, 0)
        });
        let deepest = loop {
            let poll = move || {
                let result = poll_once(&mut statement);
                (statement, result)
            };
            let (polled, result) = thread::spawn(poll).join().unwrap();
            statement = polled;
            if let Poll::Ready(deepest) = result {
                break deepest.unwrap();
            }
        };
        // All of it but the room for what does not look, with frames that are larger than their
        // arrays.
        assert!(deepest * 4096 < most && deepest * 8192 > most - (1 << 20), "{deepest}");
        assert!(
            base::stack::capacity().abs_diff(before) < 64 << 10,
            "the thread's own bounds are back"
        );
    }
}

#[test]
fn a_stack_that_may_not_grow_says_so() {
    let options = RuntimeOptions {
        stack_bytes: 1 << 20,
        stack_bytes_max: 1 << 20,
        ..RuntimeOptions::default()
    };
    let mut statement = statement(&runtime_with(options), |_| {
        assert!(base::stack::reserve(512 << 10) && !base::stack::reserve(1 << 20));
    });
    assert!(matches!(poll_once(&mut statement), Poll::Ready(Ok(()))));
}
