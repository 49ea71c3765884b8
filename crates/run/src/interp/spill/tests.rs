use std::path::Path;
use std::sync::Arc;

use base::{Account, SqlError};
use crossbeam_epoch::Collector;
use engine::wait::{Runtime, RuntimeOptions, Task, ThreadTimer};
use env::sim::{Fault, FaultKind, SimEnv, SplitMix};
use env::{Env, OpKind};

use super::*;

const DIRECTORY: &str = "/tempdb";

/// A space of small blocks on a simulated disk.
struct Place {
    sim: SimEnv,
    space: Arc<SpillSpace>,
    task: Task<'static>,
}

impl Place {
    fn new() -> Place {
        Place::limited(u64::MAX)
    }

    fn limited(limit_bytes: u64) -> Place {
        let sim = SimEnv::new(1);
        let options = SpillOptions::new(DIRECTORY);
        let options = SpillOptions { limit_bytes, block_bytes: 128, ..options };
        let space = SpillSpace::open(&sim.env(), options).unwrap();
        let timer = Arc::new(ThreadTimer::new());
        let options = RuntimeOptions::default();
        let runtime = Runtime::new(Env::real(), Collector::new(), timer, options);
        Place { sim, space, task: Task::blocking(&runtime) }
    }

    fn file(&self) -> SpillFile {
        let account = Account::new(usize::MAX, "default");
        SpillFile::create(&self.task, &self.space, &account).unwrap()
    }

    /// The files there are once all that was handed over is done.
    fn files_left(self) -> usize {
        drop(self.space);
        self.sim.env().fs().list(Path::new(DIRECTORY)).unwrap().len()
    }
}

fn records(count: u64, seed: u64) -> Vec<Vec<u8>> {
    let mut random = SplitMix::new(seed);
    let record = |n: u64| {
        let len = if random.below(20) == 0 { random.below(1000) } else { random.below(40) };
        (0..len).map(|at| (n * 7 + at) as u8).collect()
    };
    (0..count).map(record).collect()
}

fn all(place: &Place, file: &mut SpillFile, stream: Stream) -> Result<Vec<Vec<u8>>, SqlError> {
    let mut reader = stream.read(file, &place.task)?;
    let mut found = Vec::new();
    while reader.advance(file, &place.task)? {
        found.push(reader.record().to_vec());
    }
    Ok(found)
}

#[test]
fn streams_of_one_file_give_back_what_they_were_given() {
    let place = Place::new();
    let mut file = place.file();
    for round in 0..3 {
        let mut streams: Vec<Stream> = (0..4).map(|_| Stream::new()).collect();
        let written: Vec<Vec<Vec<u8>>> = (0..4).map(|s| records(50 * s, round * 4 + s)).collect();
        for at in 0..200 {
            for (stream, records) in streams.iter_mut().zip(&written) {
                if let Some(record) = records.get(at) {
                    let (front, back) = record.split_at(record.len() / 2);
                    stream.append(&mut file, &place.task, &[front, back]).unwrap();
                }
            }
        }
        for (stream, records) in streams.into_iter().zip(written) {
            assert_eq!(stream.records(), records.len() as u64);
            assert_eq!(all(&place, &mut file, stream).unwrap(), records);
        }
    }
    let used = place.space.usage();
    // The blocks of one round are written over in the next.
    assert!(used.files == 1 && used.bytes * 2 < used.written_bytes, "{used:?}");
    drop(file);
    assert_eq!(place.space.usage().bytes, 0);
    assert_eq!(place.files_left(), 0);
}

#[test]
fn runs_are_merged_in_passes_and_keep_the_order_of_equal_keys() {
    let place = Place::new();
    let mut random = SplitMix::new(3);
    let mut rows: Vec<(Vec<u8>, Vec<u8>)> = (0..3000u32)
        .map(|n| {
            let key = format!("prefix that is alike {}", random.below(200));
            (key.into_bytes(), n.to_be_bytes().to_vec())
        })
        .collect();
    let mut runs = Runs::new(place.file());
    for chunk in rows.chunks_mut(100) {
        chunk.sort();
        let sorted = chunk.iter().map(|(key, row)| (&key[..], &row[..]));
        runs.add(&place.task, sorted).unwrap();
    }
    rows.sort();
    runs.start(3, &place.task).unwrap();
    for (_, row) in &rows {
        assert_eq!(runs.next_row(&place.task).unwrap(), Some(&row[..]));
    }
    assert_eq!(runs.next_row(&place.task).unwrap(), None);
}

#[test]
fn a_flipped_bit_is_an_error_wherever_it_is() {
    for bit in (0..3000).step_by(37) {
        let place = Place::new();
        let mut file = place.file();
        let mut stream = Stream::new();
        let written = records(20, 5);
        for record in &written {
            stream.append(&mut file, &place.task, &[record]).unwrap();
        }
        stream.finish(&mut file, &place.task).unwrap();
        file.flush(&place.task).unwrap();
        let path = Path::new(DIRECTORY).join("00000001.spill");
        if place.sim.fs().flip_bit(&path, bit).is_err() {
            continue; // beyond the end
        }
        assert_eq!(all(&place, &mut file, stream).unwrap_err().number(), 824);
    }
}

#[test]
fn a_full_disk_and_the_limit_are_errors_of_tempdb() {
    let fill = |place: &Place| {
        let mut file = place.file();
        let mut stream = Stream::new();
        for record in records(500, 9) {
            stream.append(&mut file, &place.task, &[&record])?;
        }
        all(place, &mut file, stream)
    };
    let place = Place::limited(4096);
    assert_eq!(fill(&place).unwrap_err().number(), 1105);
    assert_eq!(place.space.usage().bytes, 0);
    assert_eq!(place.files_left(), 0);

    let faults = [
        (OpKind::Write, FaultKind::DiskFull, 1105),
        (OpKind::Write, FaultKind::Io, 823),
        (OpKind::Read, FaultKind::Io, 823),
    ];
    for (op, kind, number) in faults {
        let place = Place::new();
        place.sim.fs().inject(Fault::next(op, kind).after(10));
        assert_eq!(fill(&place).unwrap_err().number(), number);
        place.sim.fs().clear_faults();
        assert_eq!(place.space.usage().bytes, 0);
        assert!(fill(&place).is_ok(), "the space is as good as new");
        assert_eq!(place.files_left(), 0);
    }
}

#[test]
fn what_a_crash_left_is_removed_at_the_next_start() {
    let place = Place::new();
    let fs = place.sim.env();
    fs.fs().write_new(&Path::new(DIRECTORY).join("00000007.spill"), b"left").unwrap();
    fs.fs().write_new(&Path::new(DIRECTORY).join("somebody's"), b"kept").unwrap();
    SpillSpace::open(&fs, SpillOptions::new(DIRECTORY)).unwrap();
    let left = fs.fs().list(Path::new(DIRECTORY)).unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].name, "somebody's");
}
