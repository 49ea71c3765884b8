//! Chains of backups that were made between the statements of transactions larger than memory:
//! whatever way through them is taken, it leads to what had been committed then.

use base::Value;
use env::sim::SplitMix;
use tools::client::Connection;

use crate::sql::{error, number, run};
use crate::support::{Process, TempDir};

const TABLES: [&str; 2] = ["t", "u"];
/// Transactions, of which most have many statements.
const TRANSACTIONS: u64 = 5;
/// Little, so that rows sink and transactions are settled.
const FLAGS: [&str; 4] = ["--max-memory", "40MB", "--disk-table-memory", "2MB"];

/// What a database holds: numbers, sums and checksums of its tables, by two indexes.
type State = Vec<Vec<Value>>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Full,
    Differential,
    Log,
}

/// A backup, and what had been committed when it was made.
struct Backup {
    kind: Kind,
    committed: State,
}

/// The database `d`, its backups so far, and how many rows each table has had.
struct Shop {
    rng: SplitMix,
    worker: Connection,
    operator: Connection,
    rows: [u64; 2],
    committed: State,
    backups: Vec<Backup>,
}

fn state(connection: &mut Connection, database: &str) -> State {
    let of = |table| {
        format!(
            "select count(*), sum(cast(id as bigint)), sum(cast(n as bigint)), \
             checksum_agg(binary_checksum(v)) from {database}.dbo.{table} union all \
             select count(*), sum(cast(n as bigint)), 0, 0 from {database}.dbo.{table} \
             with (index(ix)) where n between -500 and 500"
        )
    };
    TABLES.iter().flat_map(|table| connection.query(&of(table)).unwrap().rows).collect()
}

impl Shop {
    fn open(server: &Process, seed: u64) -> Shop {
        let [mut worker, mut operator] =
            [(); 2].map(|()| Connection::connect(&server.options()).unwrap());
        run(&mut worker, "create database d; alter database d set recovery full");
        for connection in [&mut worker, &mut operator] {
            run(connection, "use d");
        }
        for table in TABLES {
            let make = format!(
                "create table {table} (id int not null primary key, n int not null, v varchar(800)); \
                 create index ix on {table} (n)"
            );
            run(&mut worker, &make);
        }
        let committed = state(&mut worker, "d");
        let (rng, backups) = (SplitMix::new(seed), Vec::new());
        Shop { rng, worker, operator, rows: [0; 2], committed, backups }
    }

    fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.rng.below(values.len() as u64) as usize]
    }

    fn statement(&mut self) -> String {
        let at = self.one_of(&[0, 0, 1]);
        let table = TABLES[at];
        let roll = self.rng.below(100);
        if roll < 60 {
            let (count, length) =
                (self.one_of(&[50, 500, 4000, 9000]), self.one_of(&[20, 300, 700]));
            let (letter, from) = (self.one_of(&["a", "b", "c"]), self.rows[at]);
            self.rows[at] += count;
            return format!(
                "insert {table} (id, n, v) select value, value % 997, replicate('{letter}', {length}) \
                 from generate_series({from}, {})",
                self.rows[at] - 1
            );
        }
        let from = self.rng.below(self.rows[at].max(1));
        let (to, part) = (from + self.one_of(&[10, 1000, 6000]), self.one_of(&[2, 3, 7]));
        let which = format!("where id between {from} and {to} and id % {part} = 0");
        match roll {
            60..80 => format!("update {table} set n = -n, v = replicate('x', 5 * {part}) {which}"),
            80..95 => format!("delete {table} {which}"),
            95..98 => format!("alter index all on {table} rebuild"),
            _ => format!("alter table {table} add c{from} int not null default 3"),
        }
    }

    fn back_up(&mut self, kind: Kind) {
        let file = self.backups.len();
        let text = match kind {
            Kind::Full => format!("backup database d to disk = '{file}.bak'"),
            Kind::Differential => {
                format!("backup database d to disk = '{file}.bak' with differential")
            }
            Kind::Log => format!("backup log d to disk = '{file}.bak'"),
        };
        run(&mut self.operator, &text);
        self.backups.push(Backup { kind, committed: self.committed.clone() });
    }

    fn transaction(&mut self) {
        let is_large = self.rng.below(10) < 7;
        let statements = if is_large { 5 + self.rng.below(15) } else { 3 };
        if is_large {
            run(&mut self.worker, "begin tran");
        }
        for _ in 0..statements {
            let text = self.statement();
            run(&mut self.worker, &text);
            if !is_large {
                self.committed = state(&mut self.worker, "d");
            }
            if self.rng.below(10) == 0 {
                let kind = self.one_of(&[Kind::Full, Kind::Differential, Kind::Log, Kind::Log]);
                self.back_up(kind);
            }
            if self.rng.below(20) == 0 {
                // The transaction may be in its way.
                assert!(matches!(error(&mut self.operator, "checkpoint"), None | Some(5901)));
            }
        }
        if is_large {
            let end = if self.rng.below(5) == 0 { "rollback" } else { "commit" };
            run(&mut self.worker, end);
        }
        self.committed = state(&mut self.worker, "d");
    }

    /// The backups that lead from a full one to another, through a differential one if there is a
    /// choice.
    fn chain(&mut self, full: usize, target: usize) -> Option<Vec<usize>> {
        let kind = |at: usize| self.backups[at].kind;
        let base_of = |at: usize| (0..at).rev().find(|before| kind(*before) == Kind::Full);
        let is_ours = |at: &usize| kind(*at) == Kind::Differential && base_of(*at) == Some(full);
        match kind(target) {
            Kind::Full => (full == target).then(|| vec![full]),
            Kind::Differential => is_ours(&target).then(|| vec![full, target]),
            Kind::Log => {
                let differential: Vec<usize> = (full..target).filter(is_ours).collect();
                let logs = |behind: usize| {
                    (behind + 1..=target).filter(|at| kind(*at) == Kind::Log).collect::<Vec<_>>()
                };
                let ways: Vec<Vec<usize>> = std::iter::once([vec![full], logs(full)].concat())
                    .chain(differential.into_iter().map(|at| [vec![full, at], logs(at)].concat()))
                    .collect();
                let way = self.rng.below(ways.len() as u64) as usize;
                Some(ways[way].clone())
            }
        }
    }

    /// Restores what a chain leads to, and compares it, after checkpoints and changes of its own,
    /// too.
    fn check(&mut self, chain: &[usize]) {
        let expected = &self.backups[*chain.last().unwrap()].committed;
        for (place, at) in chain.iter().enumerate() {
            let what = if self.backups[*at].kind == Kind::Log { "log" } else { "database" };
            let how = if place + 1 == chain.len() { "recovery" } else { "norecovery" };
            let text = format!("restore {what} r from disk = '{at}.bak' with {how}");
            run(&mut self.operator, &text);
        }
        assert_eq!(&state(&mut self.operator, "r"), expected, "{chain:?}");
        run(
            &mut self.operator,
            "use r; checkpoint; insert t (id, n, v) values (-7, 7, 'y'); checkpoint; \
             delete t where id = -7; checkpoint; use master",
        );
        assert_eq!(&state(&mut self.operator, "r"), expected, "{chain:?}");
        run(&mut self.operator, "dbcc checkdb ('r') with no_infomsgs; drop database r");
    }
}

#[test]
fn every_way_through_backups_leads_to_what_was_committed() {
    let seed = std::env::var("THERMOCLINE_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or(121);
    println!("seed {seed}");
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut shop = Shop::open(&server, seed);
    shop.back_up(Kind::Full);
    for _ in 0..TRANSACTIONS {
        shop.transaction();
        let kind = shop.one_of(&[Kind::Full, Kind::Differential, Kind::Log]);
        shop.back_up(kind);
    }
    shop.back_up(Kind::Log);
    run(&mut shop.worker, "use master");
    run(&mut shop.operator, "use master");
    let last = shop.backups.len() - 1;
    let full: Vec<usize> = (0..last).filter(|at| shop.backups[*at].kind == Kind::Full).collect();
    let mut checked = 0;
    for from in full {
        for target in (from..=last).filter(|at| *at == last || at % 3 == 0) {
            if let Some(chain) = shop.chain(from, target) {
                shop.check(&chain);
                checked += 1;
            }
        }
    }
    assert!(checked > 2, "{checked} of {last}");
    assert_eq!(number(&mut shop.worker, "select count(*) from sys.databases"), 5);
}
