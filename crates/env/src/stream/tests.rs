use std::path::{Path, PathBuf};

use super::*;
use crate::OpenMode;
use crate::sim::{Fault, FaultKind, SimEnv};

/// A directory that goes with the test.
struct Scratch(Env, PathBuf);

impl Scratch {
    fn new() -> Scratch {
        let env = Env::real();
        let name = format!("thermocline-stream-{:016x}", env.rng().next_u64());
        let path = std::env::temp_dir().join(name);
        env.fs().create_dir_all(&path).expect("there is room");
        Scratch(env, path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = self.0.fs().remove_dir_all(&self.1); // the system removes what is left
    }
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 7 + at / 251) as u8).collect()
}

fn goes_out_and_comes_back(env: &Env, path: &Path) {
    for (len, chunk) in [(0, 1), (5, 5), (4096, 100), (BUFFER_BYTES, 70_001), (9 << 20, 1 << 20)] {
        let all = bytes(len);
        let file = env.fs().open_direct(path, OpenMode::Create).expect("there is room");
        let mut out = Appender::new(env, file.clone(), DIRECT_ALIGN as u64);
        for part in all.chunks(chunk) {
            out.append(part).expect("there is room");
        }
        let end = out.finish().expect("there is room");
        assert_eq!(end, (DIRECT_ALIGN + len) as u64);
        file.set_len(end).expect("there is room");
        file.sync_all().expect("the disk works");
        for from in [0, 3, len / 2] {
            let from = from.min(len);
            let part = (DIRECT_ALIGN + from) as u64..u64::MAX / 2;
            let mut back = ReadAhead::new(env, file.clone(), part);
            let mut found = vec![0; len - from];
            for piece in found.chunks_mut(chunk + 13) {
                assert_eq!(back.read(piece).expect("it is there"), piece.len());
            }
            assert!(found == all[from..], "{len} bytes from {from} on");
            assert_eq!(back.read(&mut [0; 10]).expect("it ends"), 0);
        }
        env.fs().remove_file(path).expect("it is there");
    }
}

#[test]
fn what_was_appended_is_read_back() {
    let scratch = Scratch::new();
    goes_out_and_comes_back(&scratch.0, &scratch.1.join("a"));
    goes_out_and_comes_back(&SimEnv::new(1).env(), Path::new("/a"));
}

#[test]
fn a_part_ends_where_it_ends() {
    let (sim, path) = (SimEnv::new(1), Path::new("/a"));
    sim.env().fs().write_new(path, &bytes(5 << 20)).expect("there is room");
    let file = sim.env().fs().open_direct(path, OpenMode::Read).expect("it is there");
    let mut back = ReadAhead::new(&sim.env(), file, 100..(3 << 20) + 7);
    let mut found = vec![0; 4 << 20];
    assert_eq!(back.read(&mut found).expect("it is there"), (3 << 20) + 7 - 100);
}

#[test]
fn a_write_that_fails_is_told_of_before_the_end() {
    let sim = SimEnv::new(1);
    let env = sim.env();
    let file = env.fs().open_direct(Path::new("/a"), OpenMode::Create).expect("there is room");
    let mut out = Appender::new(&env, file, 0);
    sim.fs().inject(Fault::next(OpKind::Write, FaultKind::DiskFull));
    let all = bytes(3 * BUFFER_BYTES);
    let appended = out.append(&all);
    assert!(appended.is_err() || out.finish().is_err());
}
