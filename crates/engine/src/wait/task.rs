//! The task: what code on a coroutine (or on a thread that may block) waits with.

use std::cell::{Cell, Ref, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::AcqRel, Ordering::Release};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use corosensei::Yielder;
use crossbeam_epoch::Guard;
use env::Env;

use super::interrupt::{Interrupt, Interrupted};
use super::runtime::Runtime;
use super::worker::Worker;
use crate::critical;
use crate::sync::held;

/// What a poll hands to its coroutine.
pub(super) struct Resume {
    pub worker: Rc<Worker>,
    /// The waker, if it is another one than before.
    pub waker: Option<Waker>,
    /// There will be no further poll: finish.
    pub abandoned: bool,
}

/// How a wait with a deadline ended without what it waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitError {
    /// The statement shall end.
    Interrupted(Interrupted),
    /// The deadline has passed.
    TimedOut,
}

impl From<Interrupted> for WaitError {
    fn from(why: Interrupted) -> WaitError {
        WaitError::Interrupted(why)
    }
}

impl fmt::Display for WaitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WaitError::Interrupted(why) => why.fmt(f),
            WaitError::TimedOut => f.write_str("wait timed out"),
        }
    }
}

impl std::error::Error for WaitError {}

/// Runs code that may wait: on a coroutine ([`super::Statement`]) or on a thread of its own
/// ([`Task::blocking`]). Passed down explicitly as `&Task`; never leaves its thread or coroutine.
pub struct Task<'s> {
    mode: Mode<'s>,
    runtime: Runtime,
    interrupt: Arc<Interrupt>,
    /// `None` only while suspended.
    worker: RefCell<Option<Rc<Worker>>>,
    waker: RefCell<Waker>,
    abandoned: Cell<bool>,
    /// How many times it is within [`Task::undisturbed`].
    undisturbed: Cell<u32>,
    /// Keeps the epoch pinned beyond a guard's life, for the next few guards; see [`Task::pin`].
    kept: Cell<Option<Guard>>,
    pins_left: Cell<u32>,
    /// Checkpoints to pass before the clock is looked at again.
    steps_left: Cell<u32>,
    steps: Cell<u32>,
    /// When the clock was looked at last, and when the time slice began; 0 for not yet.
    looked_ns: Cell<u64>,
    slice_began_ns: Cell<u64>,
    /// Processor time: what was spent before the last suspension, and what the thread's clock
    /// showed after it; nothing until it is asked for, since looking costs a system call.
    cpu: Cell<Option<CpuTime>>,
    disk_reads: Cell<DiskReads>,
}

/// What a task has read of disk tables beyond what is in memory.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DiskReads {
    /// Pages that were not in memory.
    pub pages: u64,
    /// Rows that the row cache had.
    pub cached_rows: u64,
}

impl DiskReads {
    /// Adds others to these.
    pub fn add(&mut self, other: DiskReads) {
        self.pages += other.pages;
        self.cached_rows += other.cached_rows;
    }

    /// What has been read since these were.
    pub fn since(self, before: DiskReads) -> DiskReads {
        DiskReads {
            pages: self.pages - before.pages,
            cached_rows: self.cached_rows - before.cached_rows,
        }
    }
}

#[derive(Clone, Copy)]
struct CpuTime {
    spent_ns: u64,
    resumed_at_ns: u64,
}

enum Mode<'s> {
    Coroutine(&'s Yielder<Resume, ()>),
    Thread(Parker),
}

/// Looks at the clock are spread so that about this much time lies between two.
const LOOK_EVERY_NS: u64 = 50_000;
/// … but there are never more checkpoints between two looks.
const STEPS_MAX: u32 = 256;

/// Guards that a statement takes before it lets the epochs go on.
const PINS_KEPT: u32 = 64;

impl<'s> Task<'s> {
    pub(super) fn on_coroutine(
        yielder: &'s Yielder<Resume, ()>,
        runtime: Runtime,
        interrupt: Arc<Interrupt>,
        first: Resume,
    ) -> Task<'s> {
        let waker = first.waker.expect("the first poll hands the waker over");
        Task::new(Mode::Coroutine(yielder), runtime, interrupt, first.worker, waker)
    }

    fn new(
        mode: Mode<'s>,
        runtime: Runtime,
        interrupt: Arc<Interrupt>,
        worker: Rc<Worker>,
        waker: Waker,
    ) -> Task<'s> {
        Task {
            mode,
            runtime,
            interrupt,
            worker: RefCell::new(Some(worker)),
            waker: RefCell::new(waker),
            abandoned: Cell::new(false),
            undisturbed: Cell::new(0),
            kept: Cell::new(None),
            pins_left: Cell::new(0),
            steps_left: Cell::new(0),
            steps: Cell::new(1),
            looked_ns: Cell::new(0),
            slice_began_ns: Cell::new(0),
            cpu: Cell::new(None),
            disk_reads: Cell::default(),
        }
    }

    /// What it has read of disk tables so far.
    #[inline]
    pub fn disk_reads(&self) -> DiskReads {
        self.disk_reads.get()
    }

    /// Counts a page that was not in memory.
    pub(crate) fn count_page_read(&self) {
        let reads = self.disk_reads.get();
        self.disk_reads.set(DiskReads { pages: reads.pages + 1, ..reads });
    }

    /// Counts a row that the row cache had.
    #[inline]
    pub(crate) fn count_cached_row(&self) {
        let reads = self.disk_reads.get();
        self.disk_reads.set(DiskReads { cached_rows: reads.cached_rows + 1, ..reads });
    }

    /// A task whose waits block the calling thread: for recovery, background work and tests.
    pub fn blocking(runtime: &Runtime) -> Task<'static> {
        Task::blocking_with(runtime, Arc::default())
    }

    /// As [`Task::blocking`], with an interrupt that another thread may raise.
    pub fn blocking_with(runtime: &Runtime, interrupt: Arc<Interrupt>) -> Task<'static> {
        let parker = Parker::current();
        let waker = parker.waker().clone();
        let worker = runtime.workers().current();
        Task::new(Mode::Thread(parker), runtime.clone(), interrupt, worker, waker)
    }

    /// The worker that runs this task now. Give it back before the next wait.
    ///
    /// # Panics
    /// Waiting while it is borrowed panics.
    #[inline]
    pub fn worker(&self) -> Ref<'_, Worker> {
        Ref::map(self.worker.borrow(), |worker| {
            &**worker.as_ref().expect("a running task has a worker")
        })
    }

    /// Pins the current epoch, as [`Worker::pin`]. Drop the guard before the next wait.
    ///
    /// To pin takes a fence, which also keeps the processor from reading ahead from one look-up to
    /// the next. So on a coroutine the epoch stays pinned for up to [`PINS_KEPT`] guards, and then
    /// only a count is raised; until the next wait or look at the clock, of which there is soon
    /// one.
    #[inline]
    pub fn pin(&self) -> Guard {
        match self.pins_left.get() {
            0 => self.keep_pinned(),
            left => self.pins_left.set(left - 1),
        }
        self.worker().pin()
    }

    #[cold]
    fn keep_pinned(&self) {
        // A thread that may block anywhere does not know when it will be back.
        if let Mode::Coroutine(_) = self.mode {
            self.let_epochs_go_on();
            self.kept.set(Some(self.worker().pin()));
            self.pins_left.set(PINS_KEPT);
        }
    }

    fn let_epochs_go_on(&self) {
        self.kept.set(None);
        self.pins_left.set(0);
    }

    /// The environment: files, clock, randomness.
    pub fn env(&self) -> &Env {
        self.runtime.env()
    }

    /// What all statements share.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Monotonic time, for deadlines.
    pub fn now_ns(&self) -> u64 {
        self.env().clock().now_ns()
    }

    /// Nanoseconds that the task has spent on a processor, on whichever threads, since this was
    /// first asked.
    pub fn cpu_ns(&self) -> u64 {
        let now_ns = self.env().clock().thread_cpu_ns();
        let fresh = CpuTime { spent_ns: 0, resumed_at_ns: now_ns };
        let cpu = self.cpu.get().unwrap_or(fresh);
        self.cpu.set(Some(cpu));
        cpu.spent_ns + now_ns.saturating_sub(cpu.resumed_at_ns)
    }

    /// Why this task shall end, if it shall.
    #[inline]
    pub fn interrupted(&self) -> Option<Interrupted> {
        match self.abandoned.get() {
            true => Some(Interrupted::Kill),
            false if self.undisturbed.get() > 0 => None,
            false => self.interrupt.raised(),
        }
    }

    /// Does something to its end, although the statement is or will be interrupted: clean-up (P3).
    pub fn undisturbed<T>(&self, body: impl FnOnce() -> T) -> T {
        /// Ends it even where the body panics.
        struct Within<'t>(&'t Cell<u32>);
        impl Drop for Within<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get() - 1);
            }
        }
        self.undisturbed.set(self.undisturbed.get() + 1);
        let _within = Within(&self.undisturbed);
        body()
    }

    /// Waits until `poll` says ready. It registers the context's waker where it waits, then looks;
    /// it is called again after every wake-up and may be called without one.
    pub fn wait<T>(&self, mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> T {
        loop {
            if let Poll::Ready(value) = self.poll(&mut poll) {
                return value;
            }
            self.suspend();
        }
    }

    /// As [`Task::wait`], but ends early when the statement is interrupted. What is ready at once
    /// is returned even then.
    pub fn wait_interruptible<T>(
        &self,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Result<T, Interrupted> {
        if let Poll::Ready(value) = self.poll(&mut poll) {
            return Ok(value);
        }
        let _listening = Listening(&self.interrupt);
        loop {
            self.interrupt.listen(&self.waker.borrow());
            if let Some(why) = self.interrupted() {
                return Err(why);
            }
            self.suspend();
            if let Poll::Ready(value) = self.poll(&mut poll) {
                return Ok(value);
            }
        }
    }

    /// As [`Task::wait_interruptible`], but also ends when [`Task::now_ns`] reaches the deadline.
    pub fn wait_until<T>(
        &self,
        deadline_ns: u64,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Result<T, WaitError> {
        let mut armed = None;
        self.wait_interruptible(|cx| {
            if let Poll::Ready(value) = poll(cx) {
                return Poll::Ready(Ok(value));
            }
            let now_ns = self.now_ns();
            if now_ns >= deadline_ns {
                return Poll::Ready(Err(WaitError::TimedOut));
            }
            // Armed anew at every poll: the waker may be another one, the timer may have run down.
            armed = Some(self.runtime.timer().arm(deadline_ns - now_ns, cx.waker().clone()));
            Poll::Pending
        })?
    }

    /// Sleeps for this long, or until interrupted.
    pub fn sleep_ns(&self, duration_ns: u64) -> Result<(), Interrupted> {
        let deadline_ns = self.now_ns().saturating_add(duration_ns);
        match self.wait_until(deadline_ns, |_| Poll::<()>::Pending) {
            Ok(()) | Err(WaitError::TimedOut) => Ok(()),
            Err(WaitError::Interrupted(why)) => Err(why),
        }
    }

    /// Belongs into every loop that a client can make long, however short its turns: sees that the
    /// statement shall end, and lets other sessions have their turn when the time slice is used up.
    /// No worker, guard or lock may be held (P1).
    #[inline]
    pub fn checkpoint(&self) -> Result<(), Interrupted> {
        if let Some(why) = self.interrupted() {
            return Err(why);
        }
        match self.steps_left.get() {
            0 => self.look_at_clock(),
            left => self.steps_left.set(left - 1),
        }
        Ok(())
    }

    /// As [`Task::checkpoint`], but looks at the clock each time: for work that comes in pieces of
    /// some tens of microseconds. Checkpoints judge by how fast the ones before came, and would
    /// look only after many of these.
    #[inline]
    pub fn pause(&self) -> Result<(), Interrupted> {
        if let Some(why) = self.interrupted() {
            return Err(why);
        }
        self.look_at_clock();
        Ok(())
    }

    /// As [`Task::pause`], for what cannot end halfway.
    pub fn give_way(&self) {
        self.look_at_clock();
    }

    /// Lets other sessions have their turn.
    pub fn yield_now(&self) {
        self.worker().count_yield();
        match &self.mode {
            Mode::Thread(_) => std::thread::yield_now(),
            Mode::Coroutine(_) => {
                match self.abandoned.get() {
                    // The thread that finishes it waits for nothing else.
                    true => self.waker.borrow().wake_by_ref(),
                    false => self.runtime.timer().yield_to_others(&self.waker.borrow()),
                }
                self.suspend();
            }
        }
    }

    #[cold]
    fn look_at_clock(&self) {
        self.let_epochs_go_on();
        let now_ns = self.now_ns();
        let since_ns = now_ns.saturating_sub(self.looked_ns.replace(now_ns));
        let steps = match self.steps.get() {
            steps if since_ns < LOOK_EVERY_NS => (steps * 2).min(STEPS_MAX),
            steps if since_ns > 4 * LOOK_EVERY_NS => (steps / 4).max(1),
            steps => steps,
        };
        self.steps.set(steps);
        self.steps_left.set(steps);
        match self.slice_began_ns.get() {
            0 => self.slice_began_ns.set(now_ns),
            began_ns if now_ns - began_ns < self.runtime.slice_ns() => {}
            _ => self.yield_now(),
        }
    }

    #[inline]
    fn poll<T>(&self, poll: &mut impl FnMut(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
        poll(&mut Context::from_waker(&self.waker.borrow()))
    }

    /// Suspends until the waker is woken, or for no reason.
    ///
    /// # Panics
    /// If the worker is borrowed or pinned: it could be another one afterwards. With debug
    /// assertions, if a lock is held. While a panic unwinds this ends the process (K4).
    fn suspend(&self) {
        self.let_epochs_go_on();
        match &self.mode {
            Mode::Thread(parker) => {
                assert!(!self.worker().is_pinned(), "no epoch guard is alive at a wait");
                parker.park();
            }
            Mode::Coroutine(yielder) => {
                if std::thread::panicking() {
                    critical::end_process(&"a destructor that waits while a panic unwinds");
                }
                held::assert_none();
                let mut worker = self.worker.try_borrow_mut().expect("no worker is held at a wait");
                let is_pinned = worker.as_ref().is_some_and(|worker| worker.is_pinned());
                assert!(!is_pinned, "no epoch guard is alive at a wait");
                drop(worker.take().expect("a running task has a worker"));
                drop(worker);
                let spent_ns = self.cpu.get().map(|_| self.cpu_ns());
                let resume = yielder.suspend(());
                if let Some(spent_ns) = spent_ns {
                    let resumed_at_ns = self.env().clock().thread_cpu_ns();
                    self.cpu.set(Some(CpuTime { spent_ns, resumed_at_ns }));
                }
                *self.worker.borrow_mut() = Some(resume.worker);
                if let Some(waker) = resume.waker {
                    *self.waker.borrow_mut() = waker;
                }
                self.abandoned.set(resume.abandoned);
                self.slice_began_ns.set(0);
            }
        }
    }
}

impl fmt::Debug for Task<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.mode {
            Mode::Coroutine(_) => "Task(on a coroutine)",
            Mode::Thread(_) => "Task(on a thread)",
        })
    }
}

/// Stops listening to an interrupt when a wait is over.
struct Listening<'a>(&'a Interrupt);

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        self.0.unlisten();
    }
}

/// Blocks a thread until its waker is woken.
pub(super) struct Parker {
    state: Arc<Parked>,
    waker: Waker,
}

struct Parked {
    thread: Thread,
    woken: AtomicBool,
}

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Release); // pairs with the swap in park
        self.thread.unpark();
    }
}

impl Parker {
    /// For the calling thread.
    pub fn current() -> Parker {
        let woken = AtomicBool::new(false);
        let state = Arc::new(Parked { thread: std::thread::current(), woken });
        Parker { waker: Waker::from(state.clone()), state }
    }

    pub fn waker(&self) -> &Waker {
        &self.waker
    }

    /// Blocks until the waker has been woken since the last time.
    pub fn park(&self) {
        while !self.state.woken.swap(false, AcqRel) {
            std::thread::park();
        }
    }
}
