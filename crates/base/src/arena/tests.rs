use std::fmt::Write;

use super::*;

#[test]
fn allocations_do_not_overlap_and_are_aligned() {
    let arena = Arena::new();
    let mut pieces: Vec<(&[u8], u8)> = Vec::new();
    for i in 0..2000usize {
        let piece = arena.alloc_zeroed(i % 97);
        piece.fill(i as u8);
        pieces.push((piece, i as u8));
        assert_eq!(std::ptr::from_ref(arena.alloc(i as u128)).addr() % 16, 0);
    }
    assert!(pieces.iter().all(|(piece, value)| piece.iter().all(|b| b == value)));
}

#[test]
fn large_allocations_get_a_chunk_of_their_own() {
    let arena = Arena::new();
    let large = arena.alloc_zeroed(3 << 20);
    assert_eq!(large.len(), 3 << 20);
    assert!(arena.allocated_bytes() >= 3 << 20);
}

#[test]
fn reset_to_a_mark_reuses_memory() {
    let mut arena = Arena::new();
    arena.alloc_bytes(b"before");
    let mark = arena.mark();
    for _ in 0..10_000 {
        arena.alloc_zeroed(100);
        arena.reset_to(mark);
    }
    assert_eq!(arena.allocated_bytes(), CHUNK_MIN);
    for _ in 0..1000 {
        arena.alloc_zeroed(100);
    }
    let reserved = arena.allocated_bytes();
    arena.reset_to(mark);
    for _ in 0..1000 {
        arena.alloc_zeroed(100);
    }
    assert_eq!(arena.allocated_bytes(), reserved, "chunks are used again");
    arena.reset();
    assert_eq!(arena.allocated_bytes(), CHUNK_MIN);
}

#[test]
fn buffers_grow() {
    let arena = Arena::new();
    let mut buffer = arena.buffer();
    for i in 0..100 {
        write!(buffer, "{i},").unwrap();
    }
    let text = std::str::from_utf8(buffer.finish()).unwrap();
    assert!(text.starts_with("0,1,2,") && text.ends_with("98,99,"));
    assert_eq!(arena.alloc_str("abc"), "abc");
    assert_eq!(arena.alloc_slice(&[1u64, 2]), &[1, 2]);
}

#[test]
fn chunks_are_charged_and_large_ones_go_with_their_value() {
    let account = Account::new(100 << 20, "default");
    let mut arena = Arena::charged_to(account.clone());
    arena.alloc_bytes(b"before");
    let (mark, small) = (arena.mark(), account.used());
    assert_eq!(small, arena.allocated_bytes());
    arena.admit(50 << 20).unwrap();
    arena.alloc_zeroed(50 << 20);
    assert_eq!(arena.admit(51 << 20).unwrap_err().number(), 701);
    arena.reset_to(mark);
    assert_eq!((account.used(), arena.allocated_bytes()), (small, small));
    let mut buffer = arena.buffer();
    let piece = vec![7; 1 << 20];
    (0..30).for_each(|_| buffer.try_extend(&piece).unwrap());
    assert!(account.used() < 50 << 20, "what a buffer has left is free: {}", account.used());
    while buffer.try_extend(&piece).is_ok() {}
    let kept = buffer.finish();
    assert!(kept.len() >= 30 << 20 && kept.iter().all(|byte| *byte == 7));
    drop(arena);
    assert_eq!(account.used(), 0);
}
