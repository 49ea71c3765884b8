use base::ids::SessionId;
use engine::wait::{Runtime, RuntimeOptions, ThreadTimer};

use super::*;

const SESSION: Lifetime = Lifetime::Session;
const X: LockMode = LockMode::EXCLUSIVE;
const S: LockMode = LockMode::SHARED;

struct Test {
    graph: Arc<WaitGraph>,
    locks: ApplicationLocks,
}

impl Test {
    fn new() -> Test {
        let graph: Arc<WaitGraph> = Arc::default();
        Test { locks: ApplicationLocks::new(graph.clone()), graph }
    }

    fn take(
        &self,
        owner: &Arc<Owner>,
        resource: &str,
        mode: LockMode,
        patience: Patience,
    ) -> Result<bool, LockFault> {
        let (name, gates) = (name(resource), Gates::new());
        self.locks.acquire(&task(), owner, &name, (mode, SESSION), patience, gates)
    }
}

fn task() -> Task<'static> {
    let timer = Arc::new(ThreadTimer::new());
    let collector = crossbeam_epoch::Collector::new();
    let options = RuntimeOptions::default();
    Task::blocking(&Runtime::new(env::Env::real(), collector, timer, options))
}

fn name(resource: &str) -> LockName {
    LockName { database: DbId(5), principal: "public".into(), resource: resource.into() }
}

#[test]
fn locks_exclude_each_other_by_mode() {
    let test = Test::new();
    let [a, b] = [51, 52].map(|s| test.graph.owner(SessionId(s)));
    let take = |owner, mode| test.take(owner, "r", mode, Patience::None);
    assert_eq!(take(&a, S), Ok(false));
    assert_eq!(take(&b, LockMode::UPDATE), Ok(false));
    assert_eq!(take(&a, X), Err(LockFault::Timeout));
    assert!(test.locks.release(&b, &name("r"), SESSION));
    assert_eq!(take(&a, X), Ok(false));
    assert_eq!(test.locks.mode(&a, &name("r"), SESSION), X);
    assert!(!test.locks.is_available(&b, &name("r"), LockMode::INTENT_SHARED));
    assert!(test.locks.release(&a, &name("r"), SESSION));
    assert_eq!(take(&b, S), Err(LockFault::Timeout), "it was taken twice");
    test.locks.release_all(&a, SESSION);
    assert_eq!(take(&b, S), Ok(false));
    assert!(!test.locks.release(&a, &name("r"), SESSION));
    assert_eq!(test.locks.list().len(), 1);
}

#[test]
fn waiting_in_a_circle_is_refused() {
    let test = Test::new();
    let [a, b] = [51, 52].map(|s| test.graph.owner(SessionId(s)));
    test.take(&a, "1", X, Patience::Session).unwrap();
    test.take(&b, "2", X, Patience::Session).unwrap();
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| test.take(&b, "1", X, Patience::Session));
        while test.graph.waits().is_empty() {
            std::thread::yield_now();
        }
        assert_eq!(test.take(&a, "2", X, Patience::Session), Err(LockFault::Deadlock));
        test.locks.release_all(&a, SESSION);
        assert_eq!(thread.join().unwrap(), Ok(true));
    });
}

#[test]
fn names_are_found_again_behind_targets() {
    let name = name("a\0b");
    assert_eq!(LockName::of(&name.target()), Some(name));
}
