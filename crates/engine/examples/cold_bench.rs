//! What the cold store's page layer costs by itself: no trees, no rows.
//!
//! `cargo run --release -p thermocline-engine --example cold_bench [directory [pages]]`
//!
//! Look-ups of pages in memory on one thread, random reads from the file by 1 and by 16 readers, a
//! scan of the file in the order in which it was written, a checkpoint of all pages; beside them
//! what plain reads and writes of the same disk do. Every page that is read is checked.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crossbeam_epoch::Collector;
use engine::cold::{
    Access, Edit, FileSpec, Growth, PAGE_BYTES, PageNumber, Pages, Pool, PoolOptions, Store,
};
use engine::wait::{Runtime, RuntimeOptions, Task, ThreadTimer};
use env::memory::AlignedBytes;
use env::sim::SplitMix;
use env::{Env, OpenMode};

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const DATABASE: u128 = 0xBE_4C;
/// Pages that a scan asks for ahead of itself.
const AHEAD: usize = 512;
const MB: f64 = 1e6;

struct Bench {
    runtime: Runtime,
    pool: Pool,
    store: Store,
    pages: Vec<PageNumber>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let pages = arguments.next().and_then(|pages| pages.parse().ok()).unwrap_or(100_000);
    let path = directory.join(format!("cold-bench-{}.tpg", std::process::id()));
    let bench = Bench::new(&path, pages);
    bench.fill();
    bench.look_ups(20_000_000);
    bench.scan();
    for readers in [1, 16] {
        bench.random_reads(readers, 20_000);
    }
    bench.changes(200_000);
    drop(bench);
    raw(&path, pages);
    std::fs::remove_file(&path).expect("the file is ours");
}

impl Bench {
    fn new(path: &Path, pages: usize) -> Bench {
        let timer = Arc::new(ThreadTimer::new());
        let runtime = Runtime::new(Env::real(), Collector::new(), timer, RuntimeOptions::default());
        let limit_bytes = (pages + pages / 4 + 8192) as u64 * PAGE_BYTES as u64;
        let options = PoolOptions { reserve_bytes: limit_bytes, limit_bytes, io_threads: 16 };
        let pool = Pool::new(&runtime, options).expect("there is memory");
        let spec = FileSpec { id: 1, path: path.into(), growth: Growth::default() };
        let store = Store::create(&pool, DATABASE, &[spec], b"").expect("there is room");
        Bench { runtime, pool, store, pages: vec![PageNumber::NONE; pages] }
    }

    fn task(&self) -> Task<'static> {
        Task::blocking(&self.runtime)
    }

    fn fill(&self) {
        let (task, began) = (self.task(), Instant::now());
        let mut batch = self.store.batch();
        for n in 0..self.pages.len() {
            let (page, body) = batch.allocate(&task).expect("there is memory");
            assert_eq!(page.0 as usize, n + 1);
            body[..8].copy_from_slice(&page.0.to_le_bytes());
            batch.publish(page);
        }
        batch.finish();
        let made = began.elapsed();
        let bytes = (self.pages.len() * PAGE_BYTES) as f64;
        println!("make pages      {:>10.0} MB/s in fresh memory", bytes / MB / made.as_secs_f64());
        let began = Instant::now();
        let capture = self.store.capture(b"");
        let captured = began.elapsed();
        self.store.write(capture).expect("there is room");
        let passed = began.elapsed().as_secs_f64();
        println!("checkpoint      {:>10.0} MB/s, capture {captured:?}", bytes / MB / passed);
    }

    fn page(&self, rng: &mut SplitMix) -> PageNumber {
        PageNumber(1 + rng.below(self.pages.len() as u64))
    }

    fn look_ups(&self, count: usize) {
        let (task, mut rng) = (self.task(), SplitMix::new(1));
        for (name, most) in [("64 MB", 8192), ("all", self.pages.len() as u64)] {
            let (began, mut sum) = (Instant::now(), 0);
            for _ in 0..count / 64 {
                let guard = task.pin();
                for _ in 0..64 {
                    let page = PageNumber(1 + rng.below(most));
                    let body = self.store.resident(page, &guard).expect("all are in memory");
                    let number = u64::from_le_bytes(body[..8].try_into().expect("eight bytes"));
                    sum += u64::from(number == page.0);
                }
            }
            assert_eq!(sum as usize, count / 64 * 64);
            let rate = count as f64 / began.elapsed().as_secs_f64();
            println!("look-ups        {:>10.1} million/s, among {name}", rate / 1e6);
        }
    }

    fn changes(&self, count: usize) {
        let (task, mut rng) = (self.task(), SplitMix::new(2));
        (0..).map(PageNumber).take(self.pages.len()).skip(1).for_each(|page| {
            self.check(&task, page, Access::Point);
        });
        let began = Instant::now();
        for _ in 0..count / 16 {
            let mut batch = self.store.batch();
            for _ in 0..16 {
                let page = self.page(&mut rng);
                batch.edit(&task, page).expect("there is memory")[9] ^= 1;
            }
            batch.finish();
        }
        let rate = count as f64 / began.elapsed().as_secs_f64();
        println!("copy and publish{rate:>10.0} pages/s");
    }

    fn empty(&self) {
        while self.pool.stats().used_frames > 64 {
            self.pool.drop_clean();
        }
    }

    fn random_reads(&self, readers: usize, count: usize) {
        self.empty();
        let began = Instant::now();
        std::thread::scope(|scope| {
            for seed in 0..readers {
                scope.spawn(move || {
                    let (task, mut rng) = (self.task(), SplitMix::new(seed as u64));
                    for _ in 0..count / readers {
                        self.check(&task, self.page(&mut rng), Access::Point);
                    }
                });
            }
        });
        let rate = count as f64 / began.elapsed().as_secs_f64();
        println!("random reads    {rate:>10.0} pages/s by {readers}");
    }

    fn check(&self, task: &Task, page: PageNumber, hint: Access) {
        let image = self.store.load(task, page, hint).expect("it can be read");
        assert_eq!(image[..8], page.0.to_le_bytes());
    }

    fn scan(&self) {
        self.empty();
        let pages: Vec<_> = (1..=self.pages.len() as u64).map(PageNumber).collect();
        let (task, began, before) = (self.task(), Instant::now(), self.pool.stats());
        self.store.read_ahead(&pages[..AHEAD.min(pages.len())]);
        for (n, &page) in pages.iter().enumerate() {
            if n % 64 == 0 && n + AHEAD < pages.len() {
                self.store.read_ahead(&pages[n + AHEAD..(n + AHEAD + 64).min(pages.len())]);
            }
            self.check(&task, page, Access::Scan);
        }
        let bytes = (pages.len() * PAGE_BYTES) as f64;
        let passed = began.elapsed().as_secs_f64();
        let calls = self.pool.stats().read_calls - before.read_calls;
        println!("scan            {:>10.0} MB/s, {calls} reads", bytes / MB / passed);
    }
}

/// The same file without the pool: reads of 512 KB one after the other, and of single pages at
/// random.
fn raw(path: &Path, pages: usize) {
    let env = Env::real();
    let file = env.fs().open_direct(path, OpenMode::Read).expect("the file is ours");
    let bytes = pages * PAGE_BYTES;
    let mut buffer = AlignedBytes::new(64 * PAGE_BYTES);
    let (began, mut at) = (Instant::now(), 0);
    while at + buffer.len() <= bytes {
        file.read_exact_at(&mut buffer, at as u64).expect("it can be read");
        at += buffer.len();
    }
    let rate = at as f64 / MB / began.elapsed().as_secs_f64();
    println!("raw reads       {rate:>10.0} MB/s, 512 KB each, one at a time");
    let (began, mut rng) = (Instant::now(), SplitMix::new(9));
    for _ in 0..5000 {
        let at = rng.below(pages as u64) * PAGE_BYTES as u64;
        file.read_exact_at(&mut buffer[..PAGE_BYTES], at).expect("it can be read");
    }
    let rate = 5000.0 / began.elapsed().as_secs_f64();
    println!("raw reads       {rate:>10.0} pages/s, at random, one at a time");
}
