//! Timers in simulated time.

use std::sync::Arc;
use std::task::{Wake, Waker};

use engine::wait::{Armed, ThreadTimer, Timer};
use env::Env;

/// Waits this long, and then moves the simulated clock as far. The clock stands still otherwise,
/// and a task that polls it would have to look very often.
pub struct SimTimer {
    env: Env,
    real: ThreadTimer,
}

/// What a timer does when its time has come.
struct Advance {
    env: Env,
    delay_ns: u64,
    then: Waker,
}

impl SimTimer {
    pub fn new(env: Env) -> SimTimer {
        SimTimer { env, real: ThreadTimer::new() }
    }
}

impl Timer for SimTimer {
    fn arm(&self, delay_ns: u64, waker: Waker) -> Armed {
        let advance = Advance { env: self.env.clone(), delay_ns, then: waker };
        self.real.arm(delay_ns, Arc::new(advance).into())
    }
}

impl Wake for Advance {
    fn wake(self: Arc<Self>) {
        self.env.clock().sleep_ns(self.delay_ns);
        self.then.wake_by_ref();
    }
}
