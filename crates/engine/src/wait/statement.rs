//! A statement: a closure on a coroutine, as a future.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use base::stack::{Bounds, Running};
use corosensei::{Coroutine, CoroutineResult};

use super::interrupt::Interrupt;
use super::runtime::Runtime;
use super::stack::{GrowingStack, OutOfStacks};
use super::task::{Parker, Resume, Task};

type Body<T> = Box<dyn FnOnce(&Task) -> T + Send>;
type Stack<T> = Coroutine<Resume, (), T, GrowingStack>;

/// A closure that runs on a coroutine of its own and may wait anywhere in its depths.
///
/// Poll it from any thread; it goes on wherever it is polled next. The result is the closure's, or
/// [`OutOfStacks`] if the closure could not be started.
///
/// # Panics
/// A panic of the closure comes out of `poll`. Polling again after the end panics.
///
/// # Dropping
/// An unfinished statement holds rows, locks and log space on its stack, so that its stack cannot
/// just be forgotten; and it may be in the middle of a commit, so that it cannot be unwound.
/// Dropping therefore *finishes* it, on the dropping thread and blocking it: from then on every
/// interruptible wait and every checkpoint gives [`super::Interrupted::Kill`], and waits that
/// cannot be interrupted are waited for. Sessions raise the interrupt and poll to the end instead;
/// dropping is for the executor's shutdown. A statement that was never polled drops its closure.
pub struct Statement<T: Send + 'static> {
    runtime: Runtime,
    interrupt: Arc<Interrupt>,
    state: State<T>,
    /// The waker that the task knows, so that it is not cloned at every poll.
    known_waker: Option<Waker>,
}

enum State<T> {
    New(Body<T>),
    /// The coroutine, and how far its stack has grown.
    Started(Stack<T>, Bounds),
    Finished,
}

// SAFETY: what is not `Send` by itself is the coroutine, that is, whatever lies on its stack when
// it is suspended. The closure and its captures are `Send` (`new` demands it). The task takes care
// that nothing of a worker is among the rest: it gives its reference to the worker up before it
// suspends and panics if one is borrowed or an epoch guard of the worker is alive (P1). Its other
// `!Send` part is the reference to the yielder, which lies on the same stack. Values that code on
// the coroutine makes itself and keeps across a wait (raw pointers to versions, cells, reference
// counts) are reached only from this stack and move with it; a resume happens after the suspension
// before it, since both need `&mut Statement`. Guards of thread-bound locks are forbidden by P1.
unsafe impl<T: Send> Send for Statement<T> {}

impl<T: Send + 'static> Statement<T> {
    /// A statement that runs `body` when it is polled. Raising the interrupt ends its interruptible
    /// waits.
    pub fn new(
        runtime: &Runtime,
        interrupt: Arc<Interrupt>,
        body: impl FnOnce(&Task) -> T + Send + 'static,
    ) -> Statement<T> {
        Statement {
            runtime: runtime.clone(),
            interrupt,
            state: State::New(Box::new(body)),
            known_waker: None,
        }
    }

    /// Runs until the closure waits or returns.
    fn run(&mut self, waker: &Waker, abandoned: bool) -> Poll<Result<T, OutOfStacks>> {
        let worker = self.runtime.workers().current();
        let _turn = worker.begin_turn();
        if let State::New(_) = self.state {
            match worker.take_stack() {
                Ok(stack) => self.start(stack),
                Err(error) => {
                    self.state = State::Finished;
                    return Poll::Ready(Err(error));
                }
            }
            worker.count_start();
        }
        let State::Started(coroutine, bounds) = &mut self.state else {
            panic!("a finished statement is not polled");
        };
        let is_known = self.known_waker.as_ref().is_some_and(|known| known.will_wake(waker));
        let new_waker = (!is_known).then(|| waker.clone());
        if !is_known {
            self.known_waker.clone_from(&new_waker);
        }
        let resume = Resume { worker: worker.clone(), waker: new_waker, abandoned };
        let running = Running::new(bounds);
        let result = coroutine.resume(resume);
        drop(running);
        match result {
            CoroutineResult::Yield(()) => Poll::Pending,
            CoroutineResult::Return(result) => {
                let finished = std::mem::replace(&mut self.state, State::Finished);
                if let State::Started(coroutine, bounds) = finished
                    && let Some(stack) = coroutine.into_stack().shrunk(bounds)
                {
                    worker.give_stack_back(stack);
                }
                Poll::Ready(Ok(result))
            }
        }
    }

    /// Puts the closure on the stack.
    fn start(&mut self, stack: GrowingStack) {
        let State::New(body) = std::mem::replace(&mut self.state, State::Finished) else {
            unreachable!("only a new statement is started");
        };
        let runtime = self.runtime.clone();
        let interrupt = self.interrupt.clone();
        let bounds = stack.bounds();
        let coroutine = Coroutine::with_stack(stack, move |yielder, first| {
            let task = Task::on_coroutine(yielder, runtime, interrupt, first);
            body(&task)
        });
        self.state = State::Started(coroutine, bounds);
    }

    /// Finishes a statement that will not be polled any more.
    #[cold]
    fn finish(&mut self) {
        let parker = Parker::current();
        while self.run(parker.waker(), true).is_pending() {
            parker.park();
        }
    }
}

impl<T: Send + 'static> Future for Statement<T> {
    type Output = Result<T, OutOfStacks>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().run(cx.waker(), false)
    }
}

// The coroutine's frames are on its own stack and do not move with this handle.
impl<T: Send + 'static> Unpin for Statement<T> {}

impl<T: Send + 'static> Drop for Statement<T> {
    fn drop(&mut self) {
        // A coroutine that is done but still here has panicked.
        if matches!(&self.state, State::Started(coroutine, _) if !coroutine.done()) {
            self.finish();
        }
    }
}

impl<T: Send + 'static> fmt::Debug for Statement<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.state {
            State::New(_) => "Statement(new)",
            State::Started(..) => "Statement(started)",
            State::Finished => "Statement(finished)",
        })
    }
}
