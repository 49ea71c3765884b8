//! Each test makes a heap of its own and leaks it; an empty heap takes only address space.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

fn own_heap() -> &'static Heap {
    Box::leak(Box::new(Heap::new()))
}

fn taken(heap: &Heap) -> usize {
    heap.regions.lock().taken
}

/// Blocks whose memory the system has not got back.
fn resident(heap: &Heap) -> usize {
    let regions = heap.regions.lock();
    let of = |region: &Region| (!region.discarded).count_ones() as usize;
    let resident = regions.all.iter().map(of).sum();
    assert_eq!(regions.spare, resident - regions.taken);
    resident
}

#[test]
fn sizes_grow_with_their_classes_and_lose_little() {
    let mut last = 0;
    for size in 1..=LARGEST {
        let class = class_of(size);
        assert!(class == last || class == last + 1, "{size}");
        last = class;
        assert!(slot_size(class) >= size && slot_size(class) % ALIGN == 0, "{size}");
        assert!(size < 64 || slot_size(class) - size < size / 8 + ALIGN, "{size}");
        assert!(class == 0 || slot_size(class - 1) < size, "{size}");
    }
    assert_eq!(last, CLASSES - 1);
}

#[test]
fn memory_is_aligned_and_comes_back() {
    for size in [1, 16, 33, 1025, 4096, 4097, 100_000] {
        let memory = allocate(size).expect("there is memory");
        assert_eq!(memory.as_ptr() as usize % ALIGN, 0);
        // SAFETY: just allocated with this size.
        unsafe { free(memory, size) };
    }
}

#[test]
fn rows_made_one_after_the_other_lie_one_after_the_other() {
    let mut cache = Cache::new(own_heap());
    let class = class_of(112);
    let addresses: Vec<usize> =
        (0..1000).map(|_| cache.take(class).expect("there is memory").as_ptr() as usize).collect();
    let next_to = addresses.windows(2).filter(|w| w[1] == w[0] + 112).count();
    assert!(next_to > 990, "{next_to}");
}

#[test]
fn empty_blocks_and_regions_go_back_whichever_thread_frees() {
    const SLOTS: usize = 400_000;
    let heap = own_heap();
    let mut maker = Cache::new(heap);
    let class = class_of(112);
    let slots: Vec<_> =
        (0..SLOTS).map(|_| maker.take(class).expect("there is memory").as_ptr() as usize).collect();
    let full = taken(heap);
    assert!((SLOTS * 112).div_ceil(BLOCK) <= full && full <= SLOTS * 112 / BLOCK * 102 / 100);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut freer = Cache::new(heap);
            for slot in slots {
                let slot = NonNull::new(slot as *mut FreeSlot).expect("it was allocated");
                // SAFETY: of this class, and freed once.
                unsafe { freer.give(class, slot) };
            }
            // What the cache keeps lies in a few blocks.
            assert!(taken(heap) < full / 50, "{} of {full}", taken(heap));
        });
    });
    drop(maker);
    assert_eq!(taken(heap), 1, "one empty block stays");
    let resident = || resident(heap);
    let all = resident();
    assert!(all >= full && all <= full + BLOCKS, "{all} blocks that were {full}");
    heap.give_back();
    assert_eq!(resident(), all, "they have just been needed");
    heap.give_back();
    assert!(resident() < all && resident() >= all * 8 / 10, "{} of {all}", resident());
    (0..60).for_each(|_| heap.give_back());
    assert!((SPARE_BLOCKS + 1).abs_diff(resident()) <= BLOCKS, "{}", resident());
}

/// Rows were inserted while those of a mass delete were being freed. Afterwards each region had a
/// few blocks with new rows, and no region's memory went back to the system.
#[test]
fn blocks_go_back_from_regions_that_are_not_empty() {
    let (heap, class) = (own_heap(), class_of(112));
    let mut cache = Cache::new(heap);
    let slots: Vec<_> = (0..400_000).map(|_| cache.take(class).expect("there is memory")).collect();
    let full = taken(heap);
    // One row in every tenth block stays.
    let mut blocks = HashMap::new();
    let stays = |slot: &NonNull<u8>| {
        let next = blocks.len();
        let block = slot.as_ptr() as usize / BLOCK;
        let is_new = !blocks.contains_key(&block);
        is_new && *blocks.entry(block).or_insert(next) % 10 == 0
    };
    let (kept, freed): (Vec<_>, Vec<_>) = slots.into_iter().partition(stays);
    for slot in &kept {
        // SAFETY: the slot is live, and that long.
        unsafe { slot.write_bytes(7, 112) };
    }
    for slot in freed {
        // SAFETY: of this class, and freed once.
        unsafe { cache.give(class, slot.cast()) };
    }
    let left = taken(heap);
    assert!(left >= kept.len() && left < full / 5, "{left} of {full}");
    (0..80).for_each(|_| heap.give_back());
    assert!(resident(heap) <= left + SPARE_BLOCKS + BLOCKS, "{} of {full}", resident(heap));
    for slot in kept {
        // SAFETY: the slot is live; of this class, and freed once.
        unsafe {
            assert!(std::slice::from_raw_parts(slot.as_ptr(), 112).iter().all(|byte| *byte == 7));
            cache.give(class, slot.cast());
        }
    }
    // What was given back can be used again.
    let slots: Vec<_> = (0..400_000).map(|_| cache.take(class).expect("there is memory")).collect();
    for slot in &slots {
        // SAFETY: the slot is this test's, and that long.
        unsafe { slot.write_bytes(1, 112) };
    }
    assert!(taken(heap).abs_diff(full) < 10);
}

#[test]
fn a_thread_without_a_cache_goes_to_the_depot() {
    let heap = own_heap();
    let slots: Vec<_> = (0..5000).map(|_| heap.depot(3).take_one().expect("memory")).collect();
    let different: std::collections::HashSet<_> = slots.iter().collect();
    assert_eq!(different.len(), slots.len());
    for slot in slots {
        // SAFETY: of this class, and freed once.
        unsafe { heap.depot(3).give(slot.cast()) };
    }
    assert_eq!(taken(heap), 1);
}

#[test]
fn threads_that_free_what_others_made_share_nothing() {
    const ROUNDS: usize = 200;
    let heap = own_heap();
    let (send, receive) = std::sync::mpsc::sync_channel::<Vec<usize>>(4);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut cache = Cache::new(heap);
            for round in 0..ROUNDS {
                let fill = |n: usize| {
                    let slot = cache.take(n % 9).expect("there is memory");
                    let size = slot_size(n % 9);
                    // SAFETY: the slot is this thread's alone, and that long.
                    unsafe { slot.write_bytes((n + round) as u8, size) };
                    slot.as_ptr() as usize
                };
                send.send((0..2000).map(fill).collect()).expect("a thread receives");
            }
        });
        scope.spawn(move || {
            let mut cache = Cache::new(heap);
            for (round, slots) in receive.into_iter().enumerate() {
                for (n, slot) in slots.into_iter().enumerate() {
                    let slot = NonNull::new(slot as *mut u8).expect("it was allocated");
                    // SAFETY: the slot was handed over, and is given once.
                    unsafe {
                        let bytes = std::slice::from_raw_parts(slot.as_ptr(), slot_size(n % 9));
                        assert!(bytes.iter().all(|b| *b == (n + round) as u8));
                        cache.give(n % 9, slot.cast());
                    }
                }
            }
        });
    });
    assert_eq!(taken(heap), 9, "one empty block of each class stays");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn slots_never_overlap(steps in prop::collection::vec((0..CLASSES, 0..3usize, 0..2usize), 1..3000)) {
        let heap = own_heap();
        let mut caches = [Cache::new(heap), Cache::new(heap)];
        let mut live: Vec<(usize, NonNull<u8>)> = Vec::new();
        let mut bytes = HashMap::new();
        for (n, (class, what, who)) in steps.into_iter().enumerate() {
            if what > 0 || live.is_empty() {
                let slot = caches[who].take(class).expect("there is memory");
                let size = slot_size(class);
                // SAFETY: the slot is that long.
                unsafe { slot.write_bytes(n as u8, size) };
                bytes.insert(slot, n as u8);
                live.push((class, slot));
            } else {
                let (class, slot) = live.swap_remove(n % live.len());
                let expected = bytes.remove(&slot).expect("it is live");
                // SAFETY: the slot is live, and given once.
                unsafe {
                    let held = std::slice::from_raw_parts(slot.as_ptr(), slot_size(class));
                    prop_assert!(held.iter().all(|b| *b == expected));
                    caches[who].give(class, slot.cast());
                }
            }
        }
    }
}
