use super::*;
use crate::hot::status::{Begin, SlotTable};
use crate::sync::thread;

#[test]
fn a_waiter_never_misses_the_end_of_its_peer() {
    shuttle::check_random(
        || {
            let slots = Arc::new(SlotTable::new(1));
            let graph = Arc::new(WaitGraph::default());
            let [holder, waiter] = [51, 52].map(|s| graph.owner(base::ids::SessionId(s)));
            let slot = slots.acquire(0, holder.id().0).expect("free");
            let begin = Begin::owned(slot, slots.get(slot).next_statement());
            let ends = {
                let (slots, graph) = (slots.clone(), graph.clone());
                thread::spawn(move || {
                    slots.release(0, slot);
                    graph.ended(holder.id());
                    holder
                })
            };
            let blocker = Blocker::Owner(OwnerId(1), Resource::Row(16));
            graph.register(&waiter, blocker, []).expect("no cycle");
            let mut looks = 0;
            while !waiter.is_awake() && !slots.get(slot).is_over(begin) {
                looks += 1;
                assert!(looks < 10_000, "the waiter is not woken");
                thread::yield_now();
            }
            graph.cancel(&waiter).expect("no victim");
            ends.join().expect("no panic");
            assert!(graph.waits().is_empty());
        },
        2000,
    );
}
