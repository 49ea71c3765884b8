//! The same work on three kinds of one table: a disk table whose rows sink at once, one with row
//! caching, and a memory-optimized table.
//!
//! Rows of the second may stay in memory in the parts that write, and sink at once in those that
//! read, which compare copies. Each kind has a server of its own. All of them are there during a
//! group of parts and do each part in turn, so that the ratios compare what was measured within
//! seconds. All but the native
//! look-ups are by ordinary procedures and statements, so that kinds differ in their tables alone.

use std::time::{Duration, Instant};

use base::Value;

use super::database::{TableKind, check, create, ordinary_procedure, sink_to};
use super::figures::Figures;
use super::items::{self, Module};
use super::keys::{NUMBERS, ROWS};
use super::{BenchError, Figure, accounts, mixed};
use crate::client::{ConnectOptions, Connection};
use crate::local::{DataDir, LocalServer};
use own::{Action, OwnRows};

mod own;

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Clients that insert, update and so on.
    #[arg(long, value_name = "N", default_value_t = 250,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    connections: u32,
    /// How long they do so in each part of a run.
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Rows that a call inserts, or updates, in one transaction.
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    rows_per_call: u32,
    /// How often a loop looks up each of the million items in a run.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=2000))]
    rounds: u32,
    /// Rows of the inner table of the join.
    #[arg(long, value_name = "N", default_value_t = 10_000_000,
          value_parser = clap::value_parser!(u32).range(OUTER_ROWS as i64..=500_000_000))]
    join_rows: u32,
    /// Joins of a run.
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    joins: u32,
    /// What rows of disk tables may take in memory before they sink. With 0 the server slows every
    /// statement that writes down as much as it may.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    disk_table_memory_mb: u32,
    /// The same of tables with row caching in the parts that write.
    #[arg(long, value_name = "N", default_value_t = 1024,
          value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    row_store_mb: u32,
    /// The kinds of tables.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "KIND,...",
        default_value = "disk,cached,inmem"
    )]
    kinds: Vec<TableKind>,
    /// What is measured.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "PART,...",
        default_value = "inserts,updates,mixed,lookups,join"
    )]
    parts: Vec<Part>,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// Rows that clients insert, several a transaction.
    Inserts,
    /// Rows of their own that clients update, several a transaction; they insert some first.
    Updates,
    /// The calls of the benchmark `mixed`, by ordinary procedures.
    Mixed,
    /// Single rows that one client looks up in a loop.
    Lookups,
    /// A nested-loop join.
    Join,
}

const PUBLISHED_INSERTS: &str = "published for SAP ASE 16, 250 clients on 64 engines: \
     415,081/s in pages, 852,879/s with row store and hash cache";
const PUBLISHED_UPDATES: &str = "published for SAP ASE 16, 250 clients on 64 engines: \
     68,474/s in pages, 845,070/s with row store and hash cache";

impl Part {
    fn writes(self) -> bool {
        matches!(self, Part::Inserts | Part::Updates | Part::Mixed)
    }
}

/// Rows of the outer table of the join, and those that the join gives.
const OUTER_ROWS: u32 = 20_000;
const JOINED_ROWS: i64 = 1_200;
/// Of so many outer rows as the second number the first ones find a row.
const MATCHING: [u32; 2] = [3, 50];
/// What rows of the inner table are chosen with: a prime above their number.
const FACTOR: u64 = 982_451_653;
const ROWS_PER_STATEMENT: u32 = 20_000;

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Figures::new("row-cache");
    let (writing, reading): (Vec<Part>, Vec<Part>) =
        options.parts.iter().partition(|part| part.writes());
    for parts in [writing, reading].into_iter().filter(|parts| !parts.is_empty()) {
        let sides = options.kinds.iter().map(|&kind| Side::create(kind, &parts, options));
        let mut sides = sides.collect::<Result<Vec<_>, _>>()?;
        for _ in 0..runs {
            for &part in &parts {
                for side in &mut sides {
                    side.measure(part, options, &mut figures)?;
                }
            }
        }
        for side in sides {
            side.end()?;
        }
    }
    add_ratios(&mut figures);
    Ok(figures.into_all())
}

/// What the rate with cached rows is to the others', run by run.
fn add_ratios(figures: &mut Figures) {
    let cached = TableKind::Cached.name();
    for what in figures.names_after(&format!("{cached}_")) {
        let own = figures.values(&format!("{cached}_{what}")).to_vec();
        for other in [TableKind::Disk, TableKind::Inmem].map(TableKind::name) {
            let others = figures.values(&format!("{other}_{what}")).to_vec();
            for (own, other_value) in own.iter().zip(others) {
                let name = format!("cached_to_{other}_{what}");
                figures.add(&name, "x", own / other_value).decimals = 2;
            }
        }
    }
}

/// The tables of one kind, and their server.
struct Side {
    kind: TableKind,
    /// What rows of disk tables may take in memory.
    allowed_mb: u32,
    // Before the directory, which is removed when it is dropped.
    server: LocalServer,
    connection: Connection,
    connect: ConnectOptions,
    own: OwnRows,
    mixed: mixed::Clients,
    _data: DataDir,
}

impl Side {
    /// Starts the server, and makes what the parts need: all of them write, or none does.
    fn create(kind: TableKind, parts: &[Part], options: &Options) -> Result<Side, BenchError> {
        let data = DataDir::temporary("bench")?;
        let allowed_mb = match kind == TableKind::Cached && parts.iter().all(|part| part.writes()) {
            true => options.row_store_mb,
            false => options.disk_table_memory_mb,
        };
        let flags = ["--disk-table-memory", &format!("{allowed_mb}MB")];
        let server = LocalServer::start(data.path(), &flags)?;
        let mut connection = create(&server, "RowCache")?;
        connection
            .execute("ALTER DATABASE CURRENT SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON")?;
        let connect = server.options().with_database("RowCache");
        let maker = || Connection::connect(&connect);
        let (clients, each) = (options.connections, options.rows_per_call);
        let own = OwnRows::create(&mut connection, maker()?, kind, clients, each)?;
        let mixed = mixed::Clients::new(clients, maker()?);
        let mut side =
            Side { kind, allowed_mb, server, connection, connect, own, mixed, _data: data };
        for &part in parts {
            match part {
                Part::Inserts | Part::Updates => {}
                Part::Mixed => side.create_accounts()?,
                Part::Lookups => side.create_items()?,
                Part::Join => side.create_join(options.join_rows)?,
            }
        }
        Ok(side)
    }

    fn create_accounts(&mut self) -> Result<(), BenchError> {
        match self.kind {
            TableKind::Inmem => accounts::create(&mut self.connection, "SCHEMA_AND_DATA")?,
            kind => {
                accounts::create_on_disk(&mut self.connection, kind.options())?;
                self.sink("dbo.Accounts")?;
            }
        }
        mixed::create_procedures(&mut self.connection, Module::Ordinary)
    }

    fn create_items(&mut self) -> Result<(), BenchError> {
        self.connection.execute(&format!(
            "CREATE TABLE dbo.Items (ItemID int NOT NULL {}, \
             Code int NOT NULL INDEX IX_Code UNIQUE NONCLUSTERED, Value int NOT NULL){}",
            self.kind.primary_key(),
            self.kind.options()
        ))?;
        self.connection.execute(&format!(
            "INSERT INTO dbo.Items (ItemID, Code, Value) \
             SELECT n, n * 7919 % {ROWS}, n * 3 + 1 FROM {NUMBERS}"
        ))?;
        self.sink("dbo.Items")?;
        for (_, column, module, procedure) in LOOPS {
            items::create_loop(&mut self.connection, procedure, module, "dbo.Items", column)?;
        }
        Ok(())
    }

    fn create_join(&mut self, rows: u32) -> Result<(), BenchError> {
        let (key, options) = (self.kind.primary_key(), self.kind.options());
        self.connection.execute(&format!(
            "CREATE TABLE dbo.Big (id int NOT NULL {key}, tag int NOT NULL, n char(80) NOT NULL){options}"
        ))?;
        for first in (0..rows).step_by(ROWS_PER_STATEMENT as usize) {
            let last = (first + ROWS_PER_STATEMENT).min(rows) - 1;
            self.connection.execute(&format!(
                "INSERT INTO dbo.Big (id, tag, n) SELECT value, value % 1000, 'n' \
                 FROM GENERATE_SERIES({first}, {last})"
            ))?;
        }
        let [matching, of] = MATCHING;
        self.connection.execute(&format!(
            "CREATE TABLE dbo.Small (id int NOT NULL {key}, ref int NOT NULL, tag int NOT NULL){options};
            INSERT INTO dbo.Small (id, ref, tag)
            SELECT id, ref, IIF(id % {of} < {matching}, ref % 1000, -1)
            FROM (SELECT CAST(value AS bigint) AS id, CAST(value AS bigint) * {FACTOR} % {rows} AS ref
                FROM GENERATE_SERIES(0, {OUTER_ROWS} - 1)) AS numbers"
        ))?;
        self.connection.execute(&ordinary_procedure(
            "dbo.usp_Join",
            "SELECT s.id, b.n FROM dbo.Small AS s INNER LOOP JOIN dbo.Big AS b \
             ON b.id = s.ref AND b.tag = s.tag;",
        ))?;
        self.sink("dbo.Big")
    }

    /// Waits until the rows of a disk table are in pages alone, but for what may stay in memory.
    fn sink(&mut self, table: &str) -> Result<(), BenchError> {
        match self.kind {
            TableKind::Inmem => Ok(()),
            TableKind::Disk | TableKind::Cached => {
                sink_to(&mut self.connection, table, i64::from(self.allowed_mb) << 10)
            }
        }
    }

    /// One part of a run.
    fn measure(
        &mut self,
        part: Part,
        options: &Options,
        figures: &mut Figures,
    ) -> Result<(), BenchError> {
        let (kind, time) = (self.kind.name(), Duration::from_secs(options.seconds));
        let each = options.rows_per_call;
        match part {
            Part::Inserts => {
                let rate = self.own.run(&self.connect, Action::Insert, time)?;
                self.own.check(&mut self.connection)?;
                let name = format!("{kind}_inserts_by_{each}_per_s");
                figures.add(&name, "1/s", rate).published = Some(PUBLISHED_INSERTS);
            }
            Part::Updates => {
                if !options.parts.contains(&Part::Inserts) {
                    self.own.run(&self.connect, Action::Insert, time)?;
                }
                self.sink("dbo.Own")?;
                let rate = self.own.run(&self.connect, Action::Update, time)?;
                self.own.check(&mut self.connection)?;
                let name = format!("{kind}_updates_by_{each}_per_s");
                figures.add(&name, "1/s", rate).published = Some(PUBLISHED_UPDATES);
            }
            Part::Mixed => {
                let took = self.mixed.run(&self.connect, time)?;
                self.mixed.check(&mut self.connection)?;
                let rate = self.mixed.transactions() as f64 / took.as_secs_f64();
                figures.add(&format!("{kind}_mixed_per_s"), "1/s", rate);
            }
            Part::Lookups => {
                for (name, _, _, procedure) in LOOPS {
                    let rate = items::look_up(&mut self.connection, procedure, options.rounds)?;
                    figures.add(&format!("{kind}_{name}_per_s"), "1/s", rate);
                }
            }
            Part::Join => {
                let rate = self.join(options.joins)?;
                figures.add(&format!("{kind}_join_outer_rows_per_s"), "1/s", rate);
            }
        }
        Ok(())
    }

    /// Joins so many times, and once before that: outer rows a second.
    fn join(&mut self, joins: u32) -> Result<f64, BenchError> {
        let [matching, of] = MATCHING;
        let sum: i64 = (0..OUTER_ROWS).filter(|id| id % of < matching).map(i64::from).sum();
        let mut begin = Instant::now();
        for join in 0..=joins {
            if join == 1 {
                begin = Instant::now();
            }
            let result = self.connection.query("EXEC dbo.usp_Join")?;
            let id = |row: &Vec<Value>| match row.first() {
                Some(Value::Int(id)) => *id,
                _ => -1,
            };
            let found = (result.rows.len() as i64, result.rows.iter().map(id).sum());
            check("joined rows and the sum of their keys", found, (JOINED_ROWS, sum))?;
        }
        Ok(f64::from(joins * OUTER_ROWS) / begin.elapsed().as_secs_f64())
    }

    fn end(mut self) -> Result<(), BenchError> {
        // What a part has left is in the table at the end, too.
        self.own.check(&mut self.connection)?;
        drop(self.connection);
        self.server.stop()?;
        Ok(())
    }
}

/// Figures of loops that look items up: their names, the column, how the procedure is made, and
/// what it is called.
const LOOPS: [(&str, &str, Module, &str); 4] = [
    ("lookups", "ItemID", Module::Ordinary, "dbo.usp_LookUp"),
    ("native_lookups", "ItemID", Module::Native, "dbo.usp_LookUp_native"),
    ("secondary_lookups", "Code", Module::Ordinary, "dbo.usp_LookUpByCode"),
    ("native_secondary_lookups", "Code", Module::Native, "dbo.usp_LookUpByCode_native"),
];

#[cfg(test)]
mod tests;
