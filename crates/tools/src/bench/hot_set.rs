//! Rows that are used often, and lie far apart in a table several times larger than memory.
//!
//! A session looks single rows up by their key, and updates some. How often it wants a row follows
//! a Zipf distribution; a shuffle spreads the ranks over the whole table, so that no page is hot as
//! a whole. Then it wants all rows alike; another session reads the whole table meanwhile; other
//! rows become hot; the server restarts.
//!
//! The driver draws the keys, since it must know what the server is to find, and sends as many of
//! them as take about a tenth of a second, as bytes. The procedure takes a key with `SUBSTRING`, a
//! small part of what a look-up takes, and has eight statements in a turn of its loop. Only the
//! time of the calls counts.

use std::thread;
use std::time::{Duration, Instant};

use super::activity::{Activity, Meter, resident_percent};
use super::database::{TableKind, check, limit_memory, numbers};
use super::figures::Figures;
use super::keys::Random;
use super::watch::Watch;
use super::zipf::{Shuffle, Zipf};
use super::{BenchError, Figure};
use crate::client::Connection;
use crate::local::{DataDir, LocalServer};
use table::{Table, Work};

mod table;

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Rows of about 180 bytes.
    #[arg(long, value_name = "N", default_value_t = 20_000_000,
          value_parser = clap::value_parser!(u32).range(10_000..=500_000_000))]
    rows: u32,
    /// `max server memory` of the server. More than a tenth above it is an error.
    #[arg(long, value_name = "N", default_value_t = 512,
          value_parser = clap::value_parser!(u32).range(128..=1_000_000))]
    memory_mb: u32,
    /// How much more often the first ranks are wanted: rank r in proportion to 1 / r^THETA.
    #[arg(long, value_name = "THETA", default_value_t = 0.99, value_parser = skew)]
    theta: f64,
    /// How long each part of a run takes.
    #[arg(long, value_name = "N", default_value_t = 30,
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// The primary key alone, or two nonclustered indexes besides.
    #[arg(long, value_enum, default_value_t = Indexes::One)]
    indexes: Indexes,
    /// Whether the table's rows are cached one by one; both: first without.
    #[arg(long, value_enum, default_value_t = RowCache::Both)]
    row_cache: RowCache,
}

/// How many indexes a table has.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Indexes {
    #[value(name = "1")]
    One,
    #[value(name = "3")]
    Three,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum RowCache {
    On,
    Off,
    Both,
}

impl RowCache {
    /// The tables that are measured, one after the other.
    fn kinds(self) -> &'static [TableKind] {
        match self {
            RowCache::On => &[TableKind::Cached],
            RowCache::Off => &[TableKind::Disk],
            RowCache::Both => &[TableKind::Disk, TableKind::Cached],
        }
    }
}

fn skew(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(theta) if (0.0..=2.0).contains(&theta) => Ok(theta),
        _ => Err("a number from 0 to 2".into()),
    }
}

/// Look-ups of the first call of a part.
const FIRST_CALL: u32 = 256;
/// How long a call should take, and how many rows it has at most.
const CALL_TIME: Duration = Duration::from_millis(100);
const CALL_ROWS_MAX: u32 = 65_536;
const SECOND: Duration = Duration::from_secs(1);

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for &kind in options.row_cache.kinds() {
        figures.extend(run_one(options, runs, kind)?);
    }
    Ok(figures)
}

fn run_one(options: &Options, runs: usize, kind: TableKind) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let mut server = LocalServer::start(data.path(), &[])?;
    let mut connection = Connection::connect(&server.options())?;
    limit_memory(&mut connection, options.memory_mb)?;
    connection.execute("CREATE DATABASE HotSet")?;
    connection.execute("USE HotSet")?;
    let mut watch = Watch::start(server.process_id(), options.memory_mb);
    let table = Table::new(options.rows);
    let mut figures =
        Figures::new(if kind == TableKind::Cached { "hot-set-cached" } else { "hot-set" });
    let has_others = options.indexes == Indexes::Three;
    let rate = table.load(&mut connection, has_others, kind.options())?;
    figures.add("load_rows_per_s", "1/s", rate);
    figures.add("data_mb", "MB", (data.size_bytes() >> 20) as f64);
    watch.note("load");

    let zipf = Zipf::new(options.rows, options.theta);
    let time = Duration::from_secs(options.seconds);
    let mut bench = Bench { zipf, time, table, figures, seed: 0 };
    for _ in 0..runs {
        let meter = Meter::new(&mut connection)?;
        let mut session = Session { connection, meter, watch };
        let hot = bench.before_restart(&mut session, &server)?;
        let Session { connection: last, watch: last_watch, .. } = session;
        drop(last);
        bench.figures.add("peak_mb", "MB", last_watch.end()?);
        server.stop()?;

        server = LocalServer::start(data.path(), &[])?;
        watch = Watch::start(server.process_id(), options.memory_mb);
        connection = Connection::connect(&server.options().with_database("HotSet"))?;
        let meter = Meter::new(&mut connection)?;
        let mut session = Session { connection, meter, watch };
        bench.timed("restarted", &mut session, Work::LookUps, Some(&hot))?;
        Session { connection, watch, .. } = session;
    }
    bench.table.check(&mut connection)?;
    drop(connection);
    bench.figures.add("peak_mb", "MB", watch.end()?);
    server.stop()?;
    Ok(bench.figures.into_all())
}

/// The session that looks rows up, and what is known of its server.
struct Session {
    connection: Connection,
    meter: Meter,
    watch: Watch,
}

struct Bench {
    zipf: Zipf,
    /// How long a part takes.
    time: Duration,
    table: Table,
    figures: Figures,
    seed: u32,
}

/// Operations of a second or more, one after the other.
#[derive(Default)]
struct Window {
    operations: u64,
    busy: Duration,
}

impl Window {
    fn rate(&self) -> f64 {
        self.operations as f64 / self.busy.as_secs_f64().max(1e-9)
    }
}

impl Bench {
    /// All parts of a run but the last. Which rows are hot at the end.
    fn before_restart(
        &mut self,
        session: &mut Session,
        server: &LocalServer,
    ) -> Result<Shuffle, BenchError> {
        let hot = self.shuffle();
        self.timed("warming", session, Work::LookUps, Some(&hot))?;
        self.timed("skewed", session, Work::LookUps, Some(&hot))?;
        self.timed("mixed", session, Work::Mixed, Some(&hot))?;
        self.timed("uniform", session, Work::LookUps, None)?;

        self.timed("before_scan", session, Work::LookUps, Some(&hot))?;
        let connect = server.options().with_database("HotSet");
        let mut other = Connection::connect(&connect)?;
        let scan = thread::spawn(move || {
            let began = Instant::now();
            numbers(&mut other, table::SCAN).map(|found| (found, began.elapsed()))
        });
        let is_over = |_| scan.is_finished();
        self.part("during_scan", session, Work::LookUps, Some(&hot), is_over)?;
        let (found, took) = scan.join().expect("the scan does not panic")?;
        check(table::SCANNED, found, self.table.totals())?;
        self.figures.add("scan_s", "s", took.as_secs_f64()).decimals = 2;
        self.timed("after_scan", session, Work::LookUps, Some(&hot))?;

        let hot = self.shuffle();
        self.timed("moved", session, Work::LookUps, Some(&hot))?;
        Ok(hot)
    }

    /// Other rows that are hot.
    fn shuffle(&mut self) -> Shuffle {
        self.seed += 1;
        Shuffle::new(self.table.rows(), self.seed)
    }

    /// A part that takes the time that parts take.
    fn timed(
        &mut self,
        name: &str,
        session: &mut Session,
        work: Work,
        hot: Option<&Shuffle>,
    ) -> Result<(), BenchError> {
        let time = self.time;
        self.part(name, session, work, hot, |busy| busy >= time)
    }

    /// Calls the procedure until it `is_over` after so much time in calls. Without hot rows all are
    /// wanted alike.
    fn part(
        &mut self,
        name: &str,
        session: &mut Session,
        work: Work,
        hot: Option<&Shuffle>,
        is_over: impl Fn(Duration) -> bool,
    ) -> Result<(), BenchError> {
        self.seed += 1;
        let mut random = Random::new(self.seed);
        let begin = session.meter.now(&mut session.connection)?;
        let (mut whole, mut window) = (Window::default(), Window::default());
        let mut pages_read = begin.pages_read;
        let mut series = (Vec::new(), Vec::new());
        let mut count = FIRST_CALL;
        loop {
            let mut draw = || match hot {
                Some(hot) => hot.at(self.zipf.draw(&mut random)),
                None => random.below(self.table.rows()),
            };
            let keys: Vec<u32> = (0..count).map(|_| draw()).collect();
            let took = self.table.call(&mut session.connection, work, &keys)?;
            for window in [&mut whole, &mut window] {
                window.operations += u64::from(count);
                window.busy += took;
            }
            if window.busy >= SECOND {
                let now = session.meter.pages_read(&mut session.connection)?;
                series.0.push(window.rate());
                series.1.push(resident_percent(now - pages_read, window.operations));
                (window, pages_read) = (Window::default(), now);
            }
            if is_over(whole.busy) {
                break;
            }
            count = next_count(count, took);
        }
        let done = session.meter.now(&mut session.connection)?.since(&begin);
        session.watch.note(name);
        self.show(name, &whole, &done, series);
        Ok(())
    }

    fn show(
        &mut self,
        name: &str,
        whole: &Window,
        done: &Activity,
        (rates, shares): (Vec<f64>, Vec<f64>),
    ) {
        let figures = &mut self.figures;
        let share = resident_percent(done.pages_read, whole.operations);
        figures.add(&format!("{name}_per_s"), "1/s", whole.rate()).series.extend(rates);
        let resident = figures.add(&format!("{name}_resident"), "%", share);
        resident.series.extend(shares);
        resident.decimals = 1;
        if let Some(share) = done.cache_hit_percent() {
            figures.add(&format!("{name}_cache_hits"), "%", share).decimals = 1;
            let bytes = done.cached_bytes as f64;
            figures.add(&format!("{name}_cached_mb"), "MB", bytes / f64::from(1 << 20));
        }
        for (what, bytes) in [("read", done.bytes_read), ("written", done.bytes_written)] {
            figures.add(&format!("{name}_{what}_mb"), "MB", bytes as f64 / f64::from(1 << 20));
        }
    }
}

/// How many rows the next call has, if one with so many has taken so long.
fn next_count(count: u32, took: Duration) -> u32 {
    let rate = f64::from(count) / took.as_secs_f64().max(1e-6);
    let wanted = (rate * CALL_TIME.as_secs_f64()).min(f64::from(count) * 4.0) as u32;
    wanted.clamp(FIRST_CALL / 4, CALL_ROWS_MAX) / table::TURN * table::TURN
}

#[cfg(test)]
mod tests;
