//! What the indexes of the hot store cost by themselves: no versions, no transactions.
//!
//! `cargo run --release -p thermocline-engine --example index_bench [rows [part of a name]]`
//!
//! Every look-up and scan is checked against the rows that were inserted.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::time::Instant;

use base::{Collation, SqlType, Value, ValueRef};
use crossbeam_epoch::{Collector, Guard};
use engine::hot::account::Account;
use engine::hot::anchor::{AnchorPtr, anchor_size};
use engine::hot::heap;
use engine::hot::index::{Direction, Index, IndexShape, InsertCheck, Scan};
use engine::hot::key::{KeyBuf, KeyColumn, KeyRange, KeySpec};
use engine::hot::row::RowLayout;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LINKS: usize = 1;

/// What the key is.
#[derive(Clone, Copy)]
enum Key {
    Int,
    TwoInts,
    Text,
}

/// Rows of a key and 40 bytes more, and an index over them.
struct Bench {
    key: Key,
    layout: Arc<RowLayout>,
    spec: Arc<KeySpec>,
    index: Index,
    /// Row `i` has the number `order(i)` and the key `key_of(number)`.
    anchors: Vec<AnchorPtr>,
    rows: u64,
    rows_per_key: u64,
    shuffle: bool,
}

// SAFETY: anchors are used through the index only, as it demands.
unsafe impl Sync for Bench {}

impl Bench {
    fn new(hash: bool, key: Key, rows: u64, rows_per_key: u64, shuffle: bool) -> Bench {
        let pad = SqlType::char(40, Collation::DEFAULT);
        let (types, columns) = match key {
            Key::Int => (vec![SqlType::int(), pad], 1),
            Key::TwoInts => (vec![SqlType::int(), SqlType::int(), pad], 2),
            Key::Text => (vec![SqlType::varchar(40, Collation::DEFAULT), pad], 1),
        };
        let layout = Arc::new(RowLayout::new(&types));
        let columns: Vec<KeyColumn> = (0..columns).map(KeyColumn::ascending).collect();
        let spec = Arc::new(KeySpec::new(&layout, &columns));
        let shape = IndexShape {
            layout: layout.clone(),
            key: spec.clone(),
            ordinal: 0,
            links: LINKS,
            unique: rows_per_key == 1,
            account: Arc::new(Account::default()),
        };
        let index = if hash { Index::hash(shape, 1 << 20) } else { Index::range(shape) };
        let mut bench =
            Bench { key, layout, spec, index, anchors: vec![], rows, rows_per_key, shuffle };
        bench.anchors = (0..rows).map(|i| bench.anchor(bench.order(i))).collect();
        bench
    }

    /// The number of the i-th row: a permutation, if rows are to be shuffled.
    fn order(&self, i: u64) -> u64 {
        if !self.shuffle {
            return i;
        }
        // A Feistel network over the next even number of bits, walked until it falls into range.
        let half = (64 - self.rows.leading_zeros()).div_ceil(2);
        let mask = (1 << half) - 1;
        let mut n = i;
        loop {
            let (mut left, mut right) = (n >> half, n & mask);
            for round in 1..=4u64 {
                let mixed = (right + round).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
                (left, right) = (right, left ^ (mixed & mask));
            }
            n = left << half | right;
            if n < self.rows {
                return n;
            }
        }
    }

    fn key_values(&self, number: u64) -> Vec<Value> {
        let key = number / self.rows_per_key;
        match self.key {
            Key::Int => vec![Value::Int(key as i64)],
            Key::TwoInts => vec![Value::Int((key / 5) as i64), Value::Int((key % 5) as i64)],
            Key::Text => vec![Value::Chars(format!("Customer#{key:012}").into_bytes().into())],
        }
    }

    fn encode(&self, number: u64, out: &mut KeyBuf) {
        let key = (number / self.rows_per_key) as i64;
        match self.key {
            Key::Int => self.spec.encode_values(&[ValueRef::Int(key)], out),
            Key::TwoInts => {
                self.spec.encode_values(&[ValueRef::Int(key / 5), ValueRef::Int(key % 5)], out);
            }
            Key::Text => {
                let values = self.key_values(number);
                self.spec.encode_values(&[values[0].as_ref()], out);
            }
        }
    }

    fn anchor(&self, number: u64) -> AnchorPtr {
        let mut values = self.key_values(number);
        let mut pad = [b' '; 40];
        pad[..8].copy_from_slice(&number.to_le_bytes());
        values.push(Value::Chars(pad.into()));
        let row = self.layout.build_owned(&values);
        let memory = heap::allocate(anchor_size(LINKS, row.len())).expect("there is memory");
        // SAFETY: the memory is this thread's alone and large enough.
        unsafe {
            let anchor = AnchorPtr::create(memory, LINKS);
            let inline = anchor.inline(LINKS);
            inline.initialise_inline(0);
            inline.row().as_ptr().copy_from_nonoverlapping(row.as_ptr(), row.len());
            anchor
        }
    }

    fn row(&self, anchor: AnchorPtr) -> &[u8] {
        // SAFETY: nothing is freed before the end; a row is as long as its header says.
        unsafe { self.layout.row_at(anchor.inline(LINKS).row().as_ptr()) }
    }

    fn number(&self, anchor: AnchorPtr) -> u64 {
        let pad = self.layout.bytes(self.row(anchor), self.layout.columns().len() - 1);
        u64::from_le_bytes(pad[..8].try_into().expect("eight bytes"))
    }

    fn insert(&self, collector: &Collector, range: Range<u64>) {
        let handle = collector.register();
        for &anchor in &self.anchors[range.start as usize..range.end as usize] {
            let admit = &mut |_| InsertCheck::Allow;
            // SAFETY: each anchor is inserted once, and none is freed.
            assert!(unsafe { self.index.insert(&handle.pin(), anchor, self.row(anchor), admit) });
        }
    }

    fn seek(&self, collector: &Collector, range: Range<u64>) {
        let handle = collector.register();
        let mut key = KeyBuf::new();
        for i in range {
            let number = self.order(i);
            self.encode(number, &mut key);
            let guard = handle.pin();
            let mut found = self.index.seek(&guard, &key);
            if self.rows_per_key == 1 {
                assert_eq!(found.next().map(|a| self.number(a)), Some(number));
            } else {
                assert_eq!(found.count() as u64, self.rows_per_key);
            }
        }
    }

    fn seek_missing(&self, guard: &Guard, n: u64) {
        let mut key = KeyBuf::new();
        for i in 0..n {
            self.encode(self.rows + self.order(i), &mut key);
            assert!(self.index.seek(guard, &key).next().is_none());
        }
    }

    fn scan(&self, collector: &Collector, direction: Direction) {
        let handle = collector.register();
        let mut scan = Scan::range(KeyRange::all(), direction);
        let (mut rows, mut sum) = (0u64, 0u64);
        loop {
            let end = rows + 256;
            let more = self.index.scan(&handle.pin(), &mut scan, &mut |anchor| {
                rows += 1;
                sum = sum.wrapping_add(self.number(anchor));
                if rows < end { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            if !more {
                break;
            }
        }
        assert_eq!((rows, sum), (self.rows, self.rows * (self.rows - 1) / 2));
    }

    fn remove(&self, collector: &Collector) {
        let handle = collector.register();
        for &anchor in &self.anchors {
            // SAFETY: each is removed once, and none is freed.
            unsafe { self.index.remove(&handle.pin(), anchor, self.row(anchor)) };
        }
        assert!(self.index.is_empty());
    }
}

/// Processor time that the program has used, in nanoseconds.
fn cpu_ns() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes nothing but the struct.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Prints elapsed and processor time; the latter is what counts if the machine is busy otherwise.
fn time(name: &str, n: u64, work: impl FnOnce()) {
    let (start, cpu_start) = (Instant::now(), cpu_ns());
    work();
    let elapsed = start.elapsed().as_nanos() as f64 / n as f64;
    let cpu = (cpu_ns() - cpu_start) / n as f64;
    println!("    {name:<28} {elapsed:8.1} ns/row, processor {cpu:8.1}");
}

/// Runs `work` on two threads, each with half of the rows.
fn two_threads(rows: u64, work: impl Fn(Range<u64>) + Sync) {
    std::thread::scope(|scope| {
        scope.spawn(|| work(0..rows / 2));
        scope.spawn(|| work(rows / 2..rows));
    });
}

fn run(name: &str, hash: bool, key: Key, rows: u64, rows_per_key: u64, shuffle: bool) {
    println!("{name}, {rows} rows");
    let bench = Bench::new(hash, key, rows, rows_per_key, shuffle);
    let collector = Collector::new();
    time("insert", rows, || bench.insert(&collector, 0..rows));
    let memory = bench.index.memory();
    println!(
        "    {:<28} {:8.1} bytes/row, {:.1} used",
        "memory",
        memory.allocated_bytes as f64 / rows as f64,
        memory.used_bytes as f64 / rows as f64,
    );
    if rows_per_key < rows {
        time("look-up", rows, || bench.seek(&collector, 0..rows));
        let handle = collector.register();
        time("look-up of what is not there", rows, || bench.seek_missing(&handle.pin(), rows));
        time("look-up, two threads", rows, || two_threads(rows, |r| bench.seek(&collector, r)));
    }
    time("scan", rows, || bench.scan(&collector, Direction::Forward));
    if !hash {
        time("scan backward", rows, || bench.scan(&collector, Direction::Backward));
    }
    time("remove", rows, || bench.remove(&collector));
    time("insert, two threads", rows, || two_threads(rows, |r| bench.insert(&collector, r)));
}

fn main() {
    let mut args = std::env::args().skip(1);
    let rows: u64 = args.next().map_or(1_000_000, |arg| arg.parse().expect("a number of rows"));
    let part = args.next().unwrap_or_default();
    for (name, hash, key, rows_per_key, shuffle) in [
        ("hash, unique int", true, Key::Int, 1, true),
        ("hash, unique string", true, Key::Text, 1, true),
        ("hash, int, 5 rows a key", true, Key::Int, 5, true),
        ("hash, int, 1 key", true, Key::Int, rows, true),
        ("range, unique int", false, Key::Int, 1, true),
        ("range, unique int, ascending", false, Key::Int, 1, false),
        ("range, unique (int, int)", false, Key::TwoInts, 1, true),
        ("range, unique string", false, Key::Text, 1, true),
        ("range, int, 5 rows a key", false, Key::Int, 5, true),
        ("range, int, 1 key", false, Key::Int, rows, true),
    ] {
        if name.contains(&part) {
            run(name, hash, key, rows, rows_per_key, shuffle);
        }
    }
}
