//! Rows that are used often, and lie far apart in a table several times larger than memory.
//!
//! A session looks single rows up by their key, and updates some. How often it wants a row follows
//! a Zipf distribution; a shuffle spreads the ranks over the whole table, so that no page is hot as
//! a whole. That a row is hot shows only when it is wanted again, and a rank of a million is wanted
//! once in twenty million look-ups: so several sessions fill the memory first. Then one wants all
//! rows alike; another session reads the whole table meanwhile; other rows become hot; the server
//! restarts.
//!
//! The driver draws the keys, since it must know what the server is to find, and sends as many of
//! them as take about a tenth of a second, as bytes. The procedure takes a key with `SUBSTRING`, a
//! small part of what a look-up takes, and has eight statements in a turn of its loop. Only the
//! time of the calls counts.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use super::activity::{Activity, Meter, resident_percent};
use super::database::{TableKind, check, limit_memory, numbers};
use super::figures::Figures;
use super::watch::Watch;
use super::zipf::{Shuffle, Zipf};
use super::{BenchError, Figure};
use crate::client::{ConnectOptions, Connection};
use crate::local::{DataDir, LocalServer};
use crate::random::Random;
use first_touch::FirstTouch;
use table::{Table, Work};

mod first_touch;
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
    /// How long each part of a run takes, but for the filling.
    #[arg(long, value_name = "N", default_value_t = 30,
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// Look-ups that fill the memory after the first part; twice as many as there are rows unless
    /// given.
    #[arg(long, value_name = "N")]
    filling: Option<u32>,
    /// Sessions that fill the memory.
    #[arg(long, value_name = "N", default_value_t = 16,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    filling_sessions: u32,
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
/// Look-ups that tell what share of them a cache finds.
const COMPARED: u32 = 1_000_000;
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
    let filling = options.filling.unwrap_or(options.rows.saturating_mul(2));
    let whole = zipf.weight(options.rows);
    let first_touch = (kind == TableKind::Cached).then(|| FirstTouch::new(options.rows));
    let mut bench = Bench {
        zipf,
        whole,
        time,
        filling,
        filling_sessions: options.filling_sessions,
        table,
        figures,
        first_touch: Mutex::new(first_touch),
        seed: 0,
    };
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
    /// The weight of all rows.
    whole: f64,
    /// How long a part takes.
    time: Duration,
    filling: u32,
    filling_sessions: u32,
    table: Table,
    figures: Figures,
    /// To be compared with the server's row cache, if it has one.
    first_touch: Mutex<Option<FirstTouch>>,
    seed: u32,
}

/// What was measured of each second of a part.
#[derive(Default)]
struct Series {
    rates: Vec<f64>,
    resident: Vec<f64>,
    cache_hits: Vec<f64>,
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
        let connect = server.options().with_database("HotSet");
        self.fill(session, &connect, &hot)?;
        self.timed("skewed", session, Work::LookUps, Some(&hot))?;
        self.timed("mixed", session, Work::Mixed, Some(&hot))?;
        self.timed("uniform", session, Work::LookUps, None)?;

        self.timed("before_scan", session, Work::LookUps, Some(&hot))?;
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
        let missed = self.misses_of_first_touch();
        let done = self.timed("moved", session, Work::LookUps, Some(&hot))?;
        if let Some(missed) = missed {
            let share = self.hits_of_first_touch(&hot, missed + done.tree_hits as u64);
            self.figures.add("moved_first_touch_hits", "%", share).decimals = 1;
        }
        Ok(hot)
    }

    fn misses_of_first_touch(&mut self) -> Option<u64> {
        let cache = self.first_touch.get_mut().expect("no thread panics");
        cache.as_ref().map(FirstTouch::misses)
    }

    /// What part of look-ups a cache finds that admits at the first touch, in per cent, after as
    /// many of them have found nothing.
    fn hits_of_first_touch(&mut self, hot: &Shuffle, misses: u64) -> f64 {
        self.seed += 1;
        let mut random = Random::new(self.seed);
        let mut draw = || hot.at(self.zipf.draw(&mut random));
        let cache = self.first_touch.get_mut().expect("no thread panics");
        let cache = cache.as_mut().expect("there is a row cache");
        while cache.misses() < misses {
            cache.ask(draw());
        }
        let hits = (0..COMPARED).filter(|_| cache.has(draw())).count();
        100.0 * hits as f64 / f64::from(COMPARED)
    }

    /// Looks rows up by several sessions at once.
    fn fill(
        &mut self,
        session: &mut Session,
        connect: &ConnectOptions,
        hot: &Shuffle,
    ) -> Result<(), BenchError> {
        let begin = session.meter.now(&mut session.connection)?;
        let (asked, count) = (AtomicU32::new(0), FIRST_CALL);
        let began = Instant::now();
        let fill = |seed: u32| {
            let mut random = Random::new(seed);
            let mut connection = Connection::connect(connect)?;
            while asked.fetch_add(count, Relaxed) < self.filling {
                let keys: Vec<u32> =
                    (0..count).map(|_| hot.at(self.zipf.draw(&mut random))).collect();
                self.table.look_up(&mut connection, &keys)?;
                self.ask_first_touch(&keys);
            }
            Ok(())
        };
        let seeds = self.seed + 1..=self.seed + self.filling_sessions;
        thread::scope(|scope| {
            let threads: Vec<_> =
                seeds.clone().map(|seed| scope.spawn(move || fill(seed))).collect();
            let done = threads.into_iter().map(|thread| thread.join().expect("it does not panic"));
            done.collect::<Result<Vec<()>, BenchError>>()
        })?;
        self.seed = *seeds.end();
        let whole = Window { operations: u64::from(self.filling), busy: began.elapsed() };
        let done = session.meter.now(&mut session.connection)?.since(&begin);
        session.watch.note("filling");
        self.show("filling", &whole, &done, true, Series::default());
        Ok(())
    }

    fn ask_first_touch(&self, keys: &[u32]) {
        if let Some(cache) = self.first_touch.lock().expect("no thread panics").as_mut() {
            keys.iter().for_each(|&key| cache.ask(key));
        }
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
    ) -> Result<Activity, BenchError> {
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
    ) -> Result<Activity, BenchError> {
        self.seed += 1;
        let mut random = Random::new(self.seed);
        let begin = session.meter.now(&mut session.connection)?;
        let (mut whole, mut window) = (Window::default(), Window::default());
        let mut before = session.meter.reads(&mut session.connection)?;
        let mut series = Series::default();
        let mut count = FIRST_CALL;
        loop {
            let mut draw = || match hot {
                Some(hot) => hot.at(self.zipf.draw(&mut random)),
                None => random.below(self.table.rows()),
            };
            let keys: Vec<u32> = (0..count).map(|_| draw()).collect();
            let took = self.table.call(&mut session.connection, work, &keys)?;
            self.ask_first_touch(&keys);
            for window in [&mut whole, &mut window] {
                window.operations += u64::from(count);
                window.busy += took;
            }
            if window.busy >= SECOND {
                let now = session.meter.reads(&mut session.connection)?;
                let done = now.since(&before);
                series.rates.push(window.rate());
                series.resident.push(resident_percent(done.pages_read, window.operations));
                series.cache_hits.extend(done.cache_hit_percent());
                (window, before) = (Window::default(), now);
            }
            if is_over(whole.busy) {
                break;
            }
            count = next_count(count, took);
        }
        let done = session.meter.now(&mut session.connection)?.since(&begin);
        session.watch.note(name);
        self.show(name, &whole, &done, hot.is_some(), series);
        Ok(done)
    }

    fn show(
        &mut self,
        name: &str,
        whole: &Window,
        done: &Activity,
        is_skewed: bool,
        series: Series,
    ) {
        let figures = &mut self.figures;
        let share = resident_percent(done.pages_read, whole.operations);
        figures.add(&format!("{name}_per_s"), "1/s", whole.rate()).series.extend(series.rates);
        let resident = figures.add(&format!("{name}_resident"), "%", share);
        resident.series.extend(series.resident);
        resident.decimals = 1;
        if let Some(share) = done.cache_hit_percent() {
            let hits = figures.add(&format!("{name}_cache_hits"), "%", share);
            hits.series.extend(series.cache_hits);
            hits.decimals = 1;
            if is_skewed {
                let rows = u32::try_from(done.cached_rows).unwrap_or(u32::MAX);
                let best = 100.0 * self.zipf.weight(rows.min(self.table.rows())) / self.whole;
                figures.add(&format!("{name}_best_hits"), "%", best).decimals = 1;
            }
            let bytes = [
                ("cached", done.cached_bytes),
                ("row_cache", done.row_cache_bytes),
                ("page", done.page_bytes),
            ];
            for (what, bytes) in bytes {
                figures.add(&format!("{name}_{what}_mb"), "MB", bytes as f64 / f64::from(1 << 20));
            }
            if let Some(cache) = self.first_touch.get_mut().expect("no thread panics") {
                cache.limit(done.cached_rows as usize);
            }
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
