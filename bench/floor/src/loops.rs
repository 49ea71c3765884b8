//! The loops of one thread: native-insert, point-lookup, update-hot.
//!
//! Range indexes are those of [`sorted`](crate::sorted); everything else is as in the sales orders.
//! The inserting thread hands its log over a megabyte at a time to one that writes it; both are
//! done when it is synced.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::sync_channel;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::check;
use crate::figure::Figure;
use crate::memory::{Arena, HashIndex, Part, Word};
use crate::sorted::SortedIndex;

#[derive(clap::Args, Debug)]
pub struct InsertOptions {
    /// Rows.
    #[arg(long, value_name = "N", default_value_t = 1_600_000)]
    rows: u64,
}

#[derive(clap::Args, Debug)]
pub struct LoopOptions {
    /// How often each of the million rows is visited in a run.
    #[arg(long, value_name = "N", default_value_t = 4)]
    rounds: u64,
}

/// Rows of the tables of look-ups and updates.
const ROWS: u64 = 1_000_000;
/// Updates that one transaction makes: only then may later updates reuse what they have replaced.
const UPDATES_PER_TRANSACTION: usize = 100_000;
const ARENA_BYTES_MAX: usize = 4 << 30;
/// Bytes of the log that are handed over at a time.
const PIECE_BYTES: usize = 1 << 20;
/// Rows begin with two stamps.
const LINKS_AT: usize = 2;
const NEVER: u64 = u64::MAX;

/// The next key; in a million steps every one comes once.
fn step(key: u64) -> u64 {
    (key * 2141 + 12347) % ROWS
}

pub fn native_insert(
    options: &InsertOptions,
    directory: &Path,
    runs: usize,
) -> io::Result<Vec<Figure>> {
    let mut plain = Figure::new("native-insert-floor", "rows_per_s", "1/s");
    let mut durable = Figure::new("native-insert-floor", "durable_rows_per_s", "1/s");
    // Memory that the system has given once is used again: the first run pays for it.
    let mut arena = Arena::new(ARENA_BYTES_MAX);
    for _ in 0..runs {
        plain.values.push(insert(&mut arena, options.rows, None)?);
        durable.values.push(insert(&mut arena, options.rows, Some(directory))?);
    }
    Ok(vec![plain, durable])
}

/// Rows a second.
fn insert(arena: &mut Arena, rows: u64, directory: Option<&Path>) -> io::Result<f64> {
    const COLUMNS_AT: usize = LINKS_AT + 1;
    arena.clear();
    let arena = &*arena;
    let by_date = HashIndex::new(1_000_000, LINKS_AT);
    let mut by_id = SortedIndex::default();
    let path =
        directory.map(|directory| directory.join(format!("floor-{}.log", std::process::id())));
    let mut file = path.as_ref().map(File::create).transpose()?;
    let (sender, receiver) = sync_channel::<Vec<u8>>(16);
    let begin = Instant::now();
    std::thread::scope(|scope| {
        let is_logged = file.is_some();
        let writer = scope.spawn(move || -> io::Result<()> {
            let Some(file) = &mut file else { return Ok(()) };
            receiver.iter().try_for_each(|piece| file.write_all(&piece))?;
            file.sync_data()
        });
        let mut part = arena.part();
        let mut piece = Vec::with_capacity(2 * PIECE_BYTES);
        for id in 1..=rows {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_nanos());
            let now = now as u64 / 100;
            // Six columns, the NULL bits beside the last.
            let columns = [id | 1 << 32, now, 1 | 1 << 32, 100];
            let (row, words) =
                part.make((COLUMNS_AT + columns.len()) as u64).ok_or(io::ErrorKind::OutOfMemory)?;
            words[0].store(1, Relaxed);
            words[1].store(NEVER, Relaxed);
            words[COLUMNS_AT..]
                .iter()
                .zip(columns)
                .for_each(|(w, column)| w.store(column, Relaxed));
            by_date.insert(now, row, words);
            by_id.push(id as u32, row);
            if is_logged {
                piece.extend_from_slice(&(columns.len() as u64).to_le_bytes());
                columns.iter().for_each(|column| piece.extend_from_slice(&column.to_le_bytes()));
                if piece.len() >= PIECE_BYTES || id == rows {
                    let checksum = crc32c::crc32c(&piece);
                    piece.extend_from_slice(&checksum.to_le_bytes());
                    let full = std::mem::replace(&mut piece, Vec::with_capacity(2 * PIECE_BYTES));
                    let _ = sender.send(full); // the writer says why it has ended
                }
            }
        }
        drop(sender);
        writer.join().expect("the writer does not panic")
    })?;
    let elapsed = begin.elapsed();
    if let Some(path) = path {
        std::fs::remove_file(path)?;
    }
    let amount: u64 =
        by_id.rows().iter().map(|&row| arena.row(row)[COLUMNS_AT + 3].load(Relaxed)).sum();
    check("rows and amount", (by_id.rows().len() as u64, amount), (rows, rows * 100))?;
    Ok(rows as f64 / elapsed.as_secs_f64())
}

pub fn point_lookup(options: &LoopOptions, runs: usize) -> io::Result<Vec<Figure>> {
    const COLUMNS_AT: usize = LINKS_AT + 1;
    let arena = Arena::new(ARENA_BYTES_MAX);
    let by_id = HashIndex::new(1 << 20, LINKS_AT);
    let (mut by_code, mut codes) = (SortedIndex::default(), Vec::new());
    let mut part = arena.part();
    for id in 0..ROWS {
        let (row, words) = part.make(COLUMNS_AT as u64 + 2).ok_or(io::ErrorKind::OutOfMemory)?;
        let code = id * 7919 % ROWS;
        words[1].store(NEVER, Relaxed);
        words[COLUMNS_AT].store(id | code << 32, Relaxed);
        words[COLUMNS_AT + 1].store(id * 3 + 1, Relaxed);
        by_id.insert(id, row, words);
        codes.push((code as u32, row));
    }
    codes.sort_unstable();
    codes.into_iter().for_each(|(code, row)| by_code.push(code, row));
    let count = options.rounds * ROWS;
    let expected = options.rounds * (ROWS * (ROWS - 1) / 2 * 3 + ROWS);
    let rate = |find: &dyn Fn() -> u64| {
        let begin = Instant::now();
        let sum = find();
        let elapsed = begin.elapsed();
        check("the sum of all values", sum, expected)?;
        io::Result::Ok(count as f64 / elapsed.as_secs_f64())
    };
    // The newest version is visible, as all are here; that it is must be looked at all the same.
    let value = |words: &[Word]| match words[1].load(Relaxed) {
        NEVER => words[COLUMNS_AT + 1].load(Relaxed),
        _ => 0,
    };
    let hash = || {
        keys(count).fold(0, |sum, key| {
            let is_it = |words: &[Word]| words[COLUMNS_AT].load(Relaxed) as u32 == key as u32;
            sum + by_id.find(&arena, key, is_it).map_or(0, value)
        })
    };
    let range = || {
        keys(count).fold(0, |sum, key| {
            sum + by_code.get(key as u32).map_or(0, |row| value(arena.row(row)))
        })
    };
    // The processor cannot begin a look-up before the one before has ended, as it cannot where the
    // two are too many instructions apart.
    let nothing = std::hint::black_box(0);
    let serial = || {
        let (mut sum, mut key) = (0, 0);
        for _ in 0..count {
            key = step(key);
            let is_it = |words: &[Word]| words[COLUMNS_AT].load(Relaxed) as u32 == key as u32;
            let found = by_id.find(&arena, key, is_it).map_or(0, value);
            sum += found;
            key += found & nothing;
        }
        sum
    };
    let mut by_hash = Figure::new("point-lookup-floor", "lookups_per_s", "1/s");
    let mut in_series = Figure::new("point-lookup-floor", "serial_lookups_per_s", "1/s");
    let mut by_range = Figure::new("point-lookup-floor", "range_lookups_per_s", "1/s");
    for _ in 0..runs {
        by_hash.values.push(rate(&hash)?);
        in_series.values.push(rate(&serial)?);
        by_range.values.push(rate(&range)?);
    }
    Ok(vec![by_hash, in_series, by_range])
}

fn keys(count: u64) -> impl Iterator<Item = u64> {
    (0..count).scan(0, |key, _| {
        *key = step(*key);
        Some(*key)
    })
}

/// Words of an anchor: where its version is, a link for each index, its three keys.
const ANCHOR_WORDS: u64 = 7;
/// Words of a version: two stamps, the version before, balance and number of updates.
const VERSION_WORDS: u64 = 5;

pub fn update_hot(options: &LoopOptions, runs: usize) -> io::Result<Vec<Figure>> {
    const KEY_AT: usize = 4;
    let arena = Arena::new(ARENA_BYTES_MAX);
    let by_id = HashIndex::new(1 << 20, 1);
    let by_customer = HashIndex::new(1 << 19, 2);
    let (mut by_day, mut days) = (SortedIndex::default(), Vec::new());
    let mut part = arena.part();
    for id in 0..ROWS {
        let version = make_version(&mut part, &mut Vec::new())?;
        let (row, words) = part.make(ANCHOR_WORDS).ok_or(io::ErrorKind::OutOfMemory)?;
        words[0].store(version.0, Relaxed);
        words[KEY_AT].store(id, Relaxed);
        by_id.insert(id, row, words);
        by_customer.insert(id / 2, row, words);
        days.push(((id * 7919 % 3650) << 20 | id, row)); // the day, and what makes it unique
    }
    days.sort_unstable();
    days.into_iter().for_each(|(day, row)| by_day.push(day as u32, row));
    let mut rate = Figure::new("update-hot-floor", "updates_per_s", "1/s");
    let (mut free, mut replaced) = (Vec::new(), Vec::new());
    for run in 1..=runs as u64 {
        let mut stamp = run;
        let begin = Instant::now();
        for key in keys(options.rounds * ROWS) {
            let is_it = |words: &[Word]| words[KEY_AT].load(Relaxed) == key;
            let anchor = by_id.find(&arena, key, is_it).expect("every key is there");
            let old = anchor[0].load(Relaxed);
            let before = arena.row(old);
            let (version, words) = make_version(&mut part, &mut free)?;
            words[0].store(stamp, Relaxed);
            words[1].store(NEVER, Relaxed);
            words[2].store(old, Relaxed);
            words[3].store(before[3].load(Relaxed) + key, Relaxed);
            words[4].store(before[4].load(Relaxed) + 1, Relaxed);
            before[1].store(stamp, Relaxed);
            anchor[0].store(version, Relaxed);
            replaced.push(old);
            if replaced.len() == UPDATES_PER_TRANSACTION {
                stamp += 1;
                free.append(&mut replaced);
            }
        }
        rate.values.push((options.rounds * ROWS) as f64 / begin.elapsed().as_secs_f64());
        let each = run * options.rounds;
        let (mut balance, mut as_often) = (0, 0);
        for &row in by_day.rows() {
            let version = arena.row(arena.row(row)[0].load(Relaxed));
            balance += version[3].load(Relaxed);
            as_often += u64::from(version[4].load(Relaxed) == each);
        }
        check("balance and rows", (balance, as_often), (each * (ROWS * (ROWS - 1) / 2), ROWS))?;
    }
    Ok(vec![rate])
}

/// A version that is free, or a new one.
fn make_version<'a>(part: &mut Part<'a>, free: &mut Vec<u64>) -> io::Result<(u64, &'a [Word])> {
    match free.pop() {
        Some(version) => Ok((version, part.row(version))),
        None => part.make(VERSION_WORDS).ok_or_else(|| io::ErrorKind::OutOfMemory.into()),
    }
}
