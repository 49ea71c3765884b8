use super::*;

#[test]
fn kept_bytes_stay_where_they_are() {
    let mut memory = Memory::new();
    let first = memory.keep(b"first");
    let address = memory.get(first).as_ptr();
    let pieces: Vec<Piece> = (0..5000u32).map(|i| memory.keep(&i.to_le_bytes())).collect();
    assert_eq!(memory.get(first).as_ptr(), address);
    assert!(pieces.iter().zip(0..).all(|(p, i): (_, u32)| memory.get(*p) == i.to_le_bytes()));
    let large = memory.keep(&vec![7; 3 << 20]);
    assert_eq!(memory.get(large).len(), 3 << 20);
    memory.clear();
    assert_eq!(memory.allocated(), CHUNK_MIN);
}

#[test]
fn a_grant_refuses_what_it_does_not_have() {
    let mut grant = Grant::new(1000, "default");
    let (mut a, mut b) = (Charge::default(), Charge::default());
    a.settle(600, &mut grant).unwrap();
    assert_eq!(b.settle(600, &mut grant).unwrap_err().number(), 701);
    a.settle(100, &mut grant).unwrap();
    b.settle(600, &mut grant).unwrap();
    a.release(&mut grant);
    assert_eq!(grant.used(), 600);
}
