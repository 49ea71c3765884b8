use std::ffi::OsStr;

use super::*;
use crate::Env;
use crate::sim::SimEnv;

const SEEK_NS: u64 = 5_000_000;

/// How long reading 100 bytes takes from these offsets of these files, one after the other.
fn times(reads: &[(&str, u64)]) -> Vec<u64> {
    let sim = SimEnv::new(1);
    let env =
        sim.env().with_slow_reads(|path| path.extension() == Some(OsStr::new("slow")), SEEK_NS);
    let open = |name: &str| {
        let path = Path::new("/").join(name);
        let file = env.fs().open(&path, OpenMode::Create).unwrap();
        file.write_all_at(&[7; 1000], 0).unwrap();
        (name.to_string(), file)
    };
    let files: std::collections::HashMap<_, _> =
        ["a.slow", "b.slow", "c"].map(open).into_iter().collect();
    let time = |&(name, offset): &(&str, u64)| {
        let began = env.clock().now_ns();
        let mut bytes = [0; 100];
        files[name].read_exact_at(&mut bytes, offset).unwrap();
        assert_eq!(bytes, [7; 100]);
        env.clock().now_ns() - began
    };
    reads.iter().map(time).collect()
}

#[test]
fn the_arm_moves_unless_a_read_goes_on_where_the_last_one_ended() {
    let took = times(&[
        ("a.slow", 0),
        ("a.slow", 100),
        ("a.slow", 100),
        ("b.slow", 200),
        ("a.slow", 200),
        ("c", 0),
        ("a.slow", 300),
    ]);
    let moves: Vec<bool> = took.iter().map(|&ns| ns >= SEEK_NS).collect();
    assert_eq!(moves, [true, false, true, true, true, false, false]);
}

#[test]
fn other_environments_are_as_fast_as_they_are() {
    let env: Env = SimEnv::new(1).env();
    let file = env.fs().open(Path::new("/a.slow"), OpenMode::Create).unwrap();
    let began = env.clock().now_ns();
    file.read_at(&mut [0; 8], 0).unwrap();
    assert!(env.clock().now_ns() - began < SEEK_NS);
}
