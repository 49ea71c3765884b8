use super::*;

#[inline(never)]
fn depth_of(level: u32) -> u32 {
    let mut frame = [level as u8; 512];
    std::hint::black_box(&mut frame);
    if !deeper() {
        return level;
    }
    let deepest = depth_of(level + 1);
    std::hint::black_box(&mut frame);
    deepest
}

#[test]
fn a_recursion_on_a_thread_ends_before_its_stack() {
    for (bytes, least) in [(1 << 20, 100), (8 << 20, 1000)] {
        let thread = std::thread::Builder::new().stack_size(bytes).spawn(|| depth_of(0)).unwrap();
        assert!(thread.join().unwrap() > least);
    }
}

#[test]
fn the_stack_of_a_thread_is_known_and_does_not_grow() {
    let run = || {
        assert!(left() > 512 << 10 && left() <= 1 << 20, "{}", left());
        assert!(capacity().abs_diff(left()) < 4096);
        assert!(!reserve(2 << 20));
        assert!(reserve(256 << 10));
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap().join().unwrap();
}
