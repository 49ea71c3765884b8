use super::*;
use crate::sim::SimEnv;

#[test]
fn the_process_knows_how_much_memory_it_uses() {
    let status =
        "Name:\tx\nVmSize:\t 5678 kB\nVmHWM:\t  9 kB\nVmRSS:\t  1234 kB\nRssAnon:\t 7 kB\n";
    assert_eq!(bytes_in(status, RESIDENT), Some(1234 * 1024));
    assert_eq!(bytes_in(status, RESERVED), Some(5678 * 1024));
    assert_eq!(bytes_in("VmRSS: many kB", RESIDENT), None);
    assert_eq!(resident_bytes(&SimEnv::new(1).env()), None);
    if cfg!(target_os = "linux") {
        let before = resident_bytes(&Env::real()).unwrap();
        let much = std::hint::black_box(vec![1_u8; 64 << 20]);
        let with = resident_bytes(&Env::real()).unwrap();
        assert!(with > before + (32 << 20), "{before} {with}");
        assert!(reserved_bytes(&Env::real()).unwrap() > with);
        drop(much);
    }
}

#[test]
fn buffers_are_aligned_zeros_and_each_for_itself() {
    let mut buffers = AlignedBytes::for_long_reads(5, 512 << 10);
    buffers.push(AlignedBytes::new(100));
    for (n, buffer) in (1..).zip(&mut buffers) {
        assert!(buffer.iter().all(|byte| *byte == 0));
        assert_eq!(buffer.as_ptr() as usize % DIRECT_ALIGN, 0);
        buffer.fill(n);
    }
    buffers.remove(0);
    for (n, buffer) in (2..).zip(&buffers) {
        assert_eq!(buffer.len(), if n == 6 { 100 } else { 512 << 10 });
        assert!(buffer.iter().all(|byte| *byte == n));
    }
}

/// A buffer pool that could have had the whole machine, and some more, got no address space.
#[test]
fn address_space_may_be_larger_than_the_machine() {
    const LEN: usize = 1 << 40;
    let start = map(LEN, HUGE_PAGE).expect("there is address space");
    // SAFETY: the mapping is that long, and this test's alone.
    unsafe {
        start.add(LEN - 1).write(1);
        unmap(start, LEN);
    }
}

#[test]
fn memory_is_aligned_and_zeros_again_after_it_was_given_back() {
    const LEN: usize = 4 << 20;
    let start = map(LEN, 2 << 20).expect("there is address space");
    assert_eq!(start.as_ptr() as usize % (2 << 20), 0);
    // SAFETY: the mapping is that long, and this test's alone.
    unsafe {
        let last = start.add(LEN - 1);
        assert_eq!(last.read(), 0);
        last.write(7);
        assert_eq!(last.read(), 7);
        discard(start, LEN);
        assert_eq!(last.read(), 0);
        unmap(start, LEN);
    }
}
