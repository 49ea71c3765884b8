use super::*;

fn row(holder: &Arc<Owner>, row: u64) -> Blocker {
    Blocker::Owner(holder.id(), Resource::Row(row))
}

#[test]
fn the_cheaper_owner_of_a_cycle_is_the_victim() {
    let graph = WaitGraph::default();
    let [a, b] = [51, 52].map(|s| graph.owner(SessionId(s)));
    a.set_cost(10);
    b.set_cost(1000);
    assert_eq!(graph.register(&a, row(&b, 16), []), Ok(()));
    assert_eq!(graph.register(&b, row(&a, 32), []), Ok(()), "the other one is the victim");
    assert!(a.is_awake());
    assert_eq!(graph.cancel(&a), Err(Refusal::Deadlock));
    graph.ended(a.id());
    assert!(b.is_awake());
    assert_eq!(graph.cancel(&b), Ok(()));
    assert!(graph.waits().is_empty());
}

#[test]
fn priority_goes_before_cost() {
    let graph = WaitGraph::default();
    let [a, b, c] = [51, 52, 53].map(|s| graph.owner(SessionId(s)));
    c.set_cost(1_000_000);
    c.set_deadlock_priority(-5);
    graph.register(&a, row(&b, 16), []).expect("no cycle");
    graph.register(&b, row(&c, 32), []).expect("no cycle");
    assert_eq!(graph.register(&c, row(&a, 48), []), Err(Refusal::Deadlock));
    assert!(!a.is_awake() && !b.is_awake());
}

#[test]
fn waiters_for_one_row_are_served_in_order() {
    let graph = WaitGraph::default();
    let [a, b, c, d] = [51, 52, 53, 54].map(|s| graph.owner(SessionId(s)));
    for waiter in [&b, &c, &d] {
        graph.register(waiter, row(&a, 16), []).expect("no cycle");
    }
    graph.ended(a.id());
    assert_eq!([&b, &c, &d].map(|o| o.is_awake()), [true, false, false]);
    graph.pass(b.id(), Resource::Row(16));
    assert_eq!([&c, &d].map(|o| o.is_awake()), [true, false], "the baton went on");
    graph.ended(c.id());
    assert!(d.is_awake());
}

#[test]
fn a_gate_that_waits_for_a_waiter_makes_a_cycle() {
    let graph = WaitGraph::default();
    let [ddl, reader] = [51, 52].map(|s| graph.owner(SessionId(s)));
    graph.register(&ddl, Blocker::Drain(4096), []).expect("the reader runs");
    reader.set_cost(50);
    assert_eq!(graph.register(&reader, row(&ddl, 16), [4096]), Ok(()));
    assert_eq!(graph.cancel(&ddl), Err(Refusal::Deadlock));
}
