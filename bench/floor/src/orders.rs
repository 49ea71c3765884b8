//! The sales orders: what an order costs at least.
//!
//! # Life of an order
//! A simulated client has fewer orders under way than it may have. Its thread takes a sample of
//! about five lines, finds each line's product and offer by their hash indexes, adds up the price,
//! makes the header's row and the lines' rows with all columns, links them into three hash indexes
//! each (the primary keys look for another row with the key first), takes a commit stamp from a
//! counter that both threads share, and puts it into the rows. The record of all rows, with a
//! checksum, goes to the log. The order counts when it is durable.
//!
//! Buckets are as many as the sample's tables have, rows have the columns of the sample's tables.

use std::io;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::check;
use crate::figure::Figure;
use crate::log::{Log, WORKERS};
use crate::memory::{Arena, HashIndex, Part, Word};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Simulated clients, shared by two threads.
    #[arg(long, value_name = "N", default_value_t = 100)]
    clients: u64,
    /// Orders that a client has under way at a time.
    #[arg(long, value_name = "N", default_value_t = 1)]
    in_flight: u64,
    /// Keep no log; orders count at once.
    #[arg(long)]
    no_log: bool,
    /// How long a run takes.
    #[arg(long, value_name = "N", default_value_t = 3)]
    seconds: u64,
}

/// The largest arena; a run ends early when it is full.
const ARENA_BYTES_MAX: usize = 12 << 30;
/// Orders between looks at the clock.
const ORDERS_PER_LOOK: u64 = 16;
/// Rows begin with two stamps and three links.
const COLUMNS_AT: usize = 5;
/// 23 columns, 106 bytes with the NULL bits and ends of strings.
const HEADER_WORDS: usize = 14;
/// 9 columns, 50 bytes.
const LINE_WORDS: usize = 7;
const PRODUCTS: u64 = 504;
const OFFERS: u64 = 16;
/// How many orders before one its buckets are fetched.
const ORDERS_AHEAD: u64 = 2;
/// Lines that most orders have.
const LINES_USUAL: usize = 5;
/// The most lines that an order has.
const LINES_MAX: usize = 8;
/// A record's length, checksum, stamp and number of rows.
const RECORD_HEAD_BYTES: usize = 24;
/// The stamp of a row's beginning before it has one.
const UNCOMMITTED: u64 = 1 << 63;
/// The stamp of a row's end while it has none.
const NEVER: u64 = u64::MAX;

pub fn run(options: &Options, directory: &Path, runs: usize) -> io::Result<Vec<Figure>> {
    let mut rate = Figure::new("sales-orders-floor", "orders_per_s", "1/s");
    // Memory that the system has given once is used again: the first run pays for it.
    let mut database = Database::new();
    for _ in 0..runs {
        database.fill();
        let log = if options.no_log { None } else { Some(Log::create(directory)?) };
        let database = &database;
        let deadline = Instant::now() + Duration::from_secs(options.seconds);
        let begin = Instant::now();
        let work = |worker: usize| {
            let clients = options.clients / WORKERS as u64
                + u64::from((worker as u64) < options.clients % WORKERS as u64);
            database.work(worker, log.as_ref(), clients * options.in_flight, deadline)
        };
        let done: Vec<Done> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..WORKERS).map(|worker| scope.spawn(move || work(worker))).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, io::Result<Done>>| {
                thread.join().expect("threads do not panic")
            };
            threads.into_iter().map(join).collect::<io::Result<_>>()
        })?;
        let elapsed = begin.elapsed();
        let orders: u64 = done.iter().map(|done| done.orders).sum();
        database.check(&done)?;
        rate.values.push(orders as f64 / elapsed.as_secs_f64());
    }
    Ok(vec![rate])
}

/// The tables.
struct Database {
    arena: Arena,
    products: HashIndex,
    offers: HashIndex,
    headers: [HashIndex; 3],
    lines: [HashIndex; 3],
    /// The lines of the sample orders.
    samples: Vec<Vec<Line>>,
    /// The next commit stamp; both threads take from it.
    stamp: AtomicU64,
}

/// A line of a sample order.
#[derive(Clone, Copy)]
struct Line {
    quantity: u64,
    product: u64,
    offer: u64,
}

/// What a thread has done.
#[derive(Default)]
struct Done {
    orders: u64,
    lines: u64,
    total: u64,
}

impl Database {
    fn new() -> Database {
        Database {
            arena: Arena::new(ARENA_BYTES_MAX),
            products: HashIndex::new(1_000_000, 2),
            offers: HashIndex::new(1_000_000, 2),
            headers: indexes([10_000_000, 1_000_000, 1_000_000]),
            lines: indexes([50_000_000, 10_000_000, 1_000_000]),
            samples: samples(),
            stamp: AtomicU64::new(1),
        }
    }

    /// Forgets all orders; makes the products and offers.
    fn fill(&mut self) {
        self.arena.clear();
        self.headers.iter_mut().chain(&mut self.lines).for_each(HashIndex::clear);
        self.products.clear();
        self.offers.clear();
        let mut part = self.arena.part();
        for (index, count) in [(&self.products, PRODUCTS), (&self.offers, OFFERS)] {
            for key in 1..=count {
                let made = part.make(COLUMNS_AT as u64 + 2);
                let (row, words) = made.expect("the arena has room for products");
                words[COLUMNS_AT].store(key, Relaxed);
                // A product's price in ten-thousandths, an offer's discount in as many.
                let value =
                    if count == OFFERS { (key - 1) * 200 } else { key * 37 % 3400 * 10_000 };
                words[COLUMNS_AT + 1].store(value, Relaxed);
                index.insert(key, row, words);
            }
        }
    }

    /// Runs orders of one thread's clients until the time is over and all of them are durable.
    fn work(
        &self,
        worker: usize,
        log: Option<&Log>,
        in_flight_max: u64,
        deadline: Instant,
    ) -> io::Result<Done> {
        let mut part = self.arena.part();
        let mut done = Done::default();
        let mut record = Vec::with_capacity(1024);
        let mut random = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(worker as u64 + 1);
        while done.orders % ORDERS_PER_LOOK != 0 || Instant::now() < deadline {
            if let Some(log) = log {
                let durable = log.durable(worker);
                if done.orders - durable >= in_flight_max {
                    log.wait(worker, durable)?;
                    continue;
                }
            }
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let id = order_id(worker, done.orders);
            self.fetch(order_id(worker, done.orders + ORDERS_AHEAD));
            if self.order(&mut part, id, random, &mut done, &mut record).is_none() {
                break; // the arena is full
            }
            if let Some(log) = log {
                log.append(worker, &record);
            }
            done.orders += 1;
        }
        while let Some(log) = log {
            let durable = log.durable(worker);
            if durable == done.orders {
                break;
            }
            log.wait(worker, durable)?;
        }
        Ok(done)
    }

    /// Prefetches the buckets of a later order into the cache.
    fn fetch(&self, id: u64) {
        self.headers[0].fetch(id);
        self.lines[1].fetch(id);
        (0..LINES_USUAL).for_each(|place| self.lines[0].fetch(line_id(id, place)));
    }

    /// One order; its log record is left in `record`. None when the arena is full.
    fn order<'a>(
        &'a self,
        part: &mut Part<'a>,
        id: u64,
        random: u64,
        done: &mut Done,
        record: &mut Vec<u8>,
    ) -> Option<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let now = now as u64 / 100;
        let sample = &self.samples[1 + (random >> 32) as usize % 106];
        let mut priced = [(0, 0); LINES_MAX];
        let mut total = 0;
        for (line, priced) in sample.iter().zip(&mut priced) {
            let price = self.value(&self.products, line.product);
            let discount = price * self.value(&self.offers, line.offer) / 10_000;
            *priced = (price, discount);
            total += price - discount;
        }
        record.clear();
        record.resize(RECORD_HEAD_BYTES, 0);
        let header = header(id, now, random, total);
        let header = self.insert(part, &self.headers, header_keys(&header), &header, record)?;
        let mut rows = [header; 1 + LINES_MAX];
        for (place, (line, price)) in sample.iter().zip(priced).enumerate() {
            let columns: [u64; LINE_WORDS] = [
                id | line.quantity << 32,
                line_id(id, place),
                line.product | line.offer << 32,
                price.0,
                price.1,
                now,
                0x4, // no tracking number
            ];
            let keys = [columns[1], id, line.product];
            rows[1 + place] = self.insert(part, &self.lines, keys, &columns, record)?;
        }
        let stamp = self.stamp.fetch_add(1, Relaxed);
        for row in &rows[..=sample.len()] {
            row[0].store(stamp, Relaxed);
        }
        seal(record, stamp, sample.len() as u32 + 1);
        done.lines += sample.len() as u64;
        done.total += total;
        Some(())
    }

    /// What is beside a key in the table of products or offers.
    fn value(&self, index: &HashIndex, key: u64) -> u64 {
        let is_it = |words: &[Word]| words[COLUMNS_AT].load(Relaxed) == key;
        let row = index.find(&self.arena, key, is_it).expect("samples name what is there");
        row[COLUMNS_AT + 1].load(Relaxed)
    }

    /// Makes a row, links it into the indexes, of which the first is unique, and adds it to the
    /// record.
    fn insert<'a, const N: usize>(
        &'a self,
        part: &mut Part<'a>,
        indexes: &[HashIndex; 3],
        keys: [u64; 3],
        columns: &[u64; N],
        record: &mut Vec<u8>,
    ) -> Option<&'a [Word]> {
        let (row, words) = part.make((COLUMNS_AT + N) as u64)?;
        words[0].store(UNCOMMITTED, Relaxed);
        words[1].store(NEVER, Relaxed);
        record.extend_from_slice(&(N as u64).to_le_bytes());
        for (word, column) in words[COLUMNS_AT..].iter().zip(columns) {
            word.store(*column, Relaxed);
            record.extend_from_slice(&column.to_le_bytes());
        }
        let key = unique_key(words);
        let other = indexes[0].find(&self.arena, keys[0], |words| unique_key(words) == key);
        assert!(other.is_none(), "numbers of orders and lines are new");
        for (index, key) in indexes.iter().zip(keys) {
            index.insert(key, row, words);
        }
        Some(words)
    }

    /// Whether all orders and their lines are found by the indexes, with the prices that were added
    /// up.
    fn check(&self, done: &[Done]) -> io::Result<()> {
        for (worker, done) in done.iter().enumerate() {
            let (mut lines, mut total) = (0, 0);
            for number in 0..done.orders {
                let id = order_id(worker, number);
                let is_it = |words: &[Word]| words[COLUMNS_AT].load(Relaxed) as u32 == id as u32;
                let Some(header) = self.headers[0].find(&self.arena, id, is_it) else {
                    return Err(io::Error::other(format!("order {id} is lost")));
                };
                total += header[COLUMNS_AT + 9].load(Relaxed);
                lines += self.lines[1].count(&self.arena, id, is_it);
            }
            check("lines and prices", (lines, total), (done.lines, done.total))?;
        }
        Ok(())
    }
}

/// Three indexes with this many buckets, whose links are the words after the stamps.
fn indexes(buckets: [usize; 3]) -> [HashIndex; 3] {
    [0, 1, 2].map(|number| HashIndex::new(buckets[number], 2 + number))
}

/// The numbers of a thread's orders.
fn order_id(worker: usize, number: u64) -> u64 {
    number * WORKERS as u64 + worker as u64 + 1
}

/// The number of an order's line.
fn line_id(order: u64, place: usize) -> u64 {
    order * LINES_MAX as u64 + place as u64
}

/// An order's columns.
fn header(id: u64, now: u64, random: u64, total: u64) -> [u64; HEADER_WORDS] {
    let customer = random % 8000;
    let addresses = (random % 10_000) | (((random >> 8) % 10_000) << 32);
    let (nobody, ship_method, strings) = (u64::from(u32::MAX), random % 5 + 1, 0x00F0_F0F0);
    let flags = 1 | 1 << 8; // the status; ordered online
    [
        id | customer << 32,
        now,
        now,
        0,
        now,
        flags,
        nobody,
        addresses,
        ship_method,
        total,
        0,
        0,
        0,
        strings,
    ]
}

/// An order's number, sales person and customer.
fn header_keys(columns: &[u64; HEADER_WORDS]) -> [u64; 3] {
    [columns[0] & u64::from(u32::MAX), columns[6], columns[0] >> 32]
}

/// What no other row of its table has: the number of an order, of a line.
fn unique_key(words: &[Word]) -> (u32, u64) {
    (words[COLUMNS_AT].load(Relaxed) as u32, words[COLUMNS_AT + 1].load(Relaxed))
}

/// Fills in the head of a record: its length, its checksum, the stamp and the number of rows.
fn seal(record: &mut [u8], stamp: u64, rows: u32) {
    let length = record.len() as u32;
    record[8..16].copy_from_slice(&stamp.to_le_bytes());
    record[16..20].copy_from_slice(&rows.to_le_bytes());
    record[..4].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32c::crc32c(&record[8..]);
    record[4..8].copy_from_slice(&checksum.to_le_bytes());
}

/// The sample's orders: 107 that have about five lines each, and one.
fn samples() -> Vec<Vec<Line>> {
    let mut samples = vec![Vec::new(); 108];
    for i in 1..=538_u64 {
        let offer = if i <= 295 { 1 } else { i % 15 + 2 };
        let line = Line { quantity: i % 6 + 1, product: 210 + i * 7 % 295, offer };
        samples[(i % 108) as usize].push(line);
    }
    samples
}
