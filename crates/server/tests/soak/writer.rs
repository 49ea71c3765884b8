//! A client that changes orders of its own, and knows what the server acknowledged.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use tools::client::{ConnectOptions, Connection};
use tools::workload::TableSet;

use crate::orders::{self, Order, Orders};
use testkit::rng::Rng;

/// Live orders of a writer, about.
const LIVE: u64 = 1500;
/// The most that are loaded or deleted at once.
const MANY: u64 = 1000;
/// The longest time between two changes.
const PAUSE_MS: u64 = 8;
/// Numbers of a writer's orders begin at its own number times this.
const NUMBERS: i64 = 1_000_000_000;

/// One transaction.
#[derive(Clone, Debug)]
enum Change {
    /// Orders with these numbers are inserted, of this many lines each.
    Insert(Range<i64>, i64),
    /// An order is updated to its next version.
    Update(i64),
    /// Orders with these numbers are deleted.
    Delete(Range<i64>),
}

pub struct Writer {
    number: i64,
    tables: TableSet,
    rng: Rng,
    next: i64,
    /// What must be there.
    orders: Orders,
    /// What the server was asked for and did not answer.
    pending: Option<Change>,
    /// Changes that were acknowledged.
    pub changes: u64,
}

impl Writer {
    pub fn new(number: i64, tables: TableSet, rng: Rng) -> Writer {
        let next = number * NUMBERS;
        Writer { number, tables, rng, next, orders: Orders::new(), pending: None, changes: 0 }
    }

    /// How many of the writer's orders are live.
    pub fn live(&self) -> usize {
        self.orders.len()
    }

    /// Makes changes until the server is gone.
    pub fn work(&mut self, options: &ConnectOptions, is_dying: &AtomicBool) {
        let Ok(mut connection) = Connection::connect(options) else { return };
        while !is_dying.load(SeqCst) {
            let change = self.choose();
            match connection.execute(&self.batch(&change)) {
                Ok(outcome) => {
                    assert!(outcome.first_error.is_none(), "{change:?}: {:?}", outcome.first_error);
                    apply(&mut self.orders, &change);
                    self.changes += 1;
                }
                Err(error) => {
                    assert!(
                        error.server_message().is_none() || is_dying.load(SeqCst),
                        "{change:?}: {error}"
                    );
                    self.pending = Some(change);
                    return;
                }
            }
            std::thread::sleep(Duration::from_millis(self.rng.between(0, PAUSE_MS)));
        }
    }

    fn choose(&mut self) -> Change {
        let live = self.orders.len() as u64;
        match self.rng.between(0, 100) {
            0..45 if live > 0 => Change::Update(self.any().expect("there are some")),
            45..70 if live > 0 => {
                let id = self.any().expect("there are some");
                Change::Delete(id..id + 1)
            }
            70..72 if live > LIVE => {
                let from = self.any().expect("there are some");
                let count = self.rng.between(MANY / 10, MANY) as i64;
                Change::Delete(from..from + count)
            }
            // As many as are deleted, one by one and at once.
            _ if live < LIVE / 2 => self.insert(MANY),
            72..74 if live < 2 * LIVE => self.insert(MANY),
            _ => self.insert(2),
        }
    }

    fn insert(&mut self, most: u64) -> Change {
        let count = self.rng.between(1, most) as i64;
        let numbers = self.next..self.next + count;
        self.next += count;
        Change::Insert(numbers, self.rng.between(1, 8) as i64)
    }

    fn any(&mut self) -> Option<i64> {
        let (first, last) = (*self.orders.keys().next()?, *self.orders.keys().next_back()?);
        let from = self.rng.between(first as u64, last as u64 + 1) as i64;
        self.orders.range(from..).next().map(|(id, _)| *id)
    }

    fn batch(&mut self, change: &Change) -> String {
        let (suffix, writer) = (self.tables.suffix(), self.number);
        let note = self.rng.between(0, 300);
        let body = match change {
            Change::Insert(numbers, lines) => {
                let (first, last) = (numbers.start, numbers.end - 1);
                format!(
                    "INSERT orders{suffix} SELECT o.value, {writer}, 1, {lines}, REPLICATE('n', {note}) \
                     FROM GENERATE_SERIES(CAST({first} AS bigint), CAST({last} AS bigint)) AS o; \
                     INSERT lines{suffix} SELECT o.value, l.value, l.value \
                     FROM GENERATE_SERIES(CAST({first} AS bigint), CAST({last} AS bigint)) AS o \
                     CROSS JOIN GENERATE_SERIES(1, {lines}) AS l"
                )
            }
            Change::Update(id) => format!(
                "UPDATE orders{suffix} SET version = version + 1, note = REPLICATE('u', {note}) \
                 WHERE id = {id}; \
                 UPDATE lines{suffix} SET quantity = quantity + line WHERE order_id = {id}"
            ),
            Change::Delete(numbers) => {
                let (first, last) = (numbers.start, numbers.end - 1);
                format!(
                    "DELETE lines{suffix} WHERE order_id BETWEEN {first} AND {last}; \
                     DELETE orders{suffix} WHERE writer = {writer} AND id BETWEEN {first} AND {last}"
                )
            }
        };
        format!("SET NOCOUNT ON; SET XACT_ABORT ON; BEGIN TRAN; {body}; COMMIT")
    }

    /// Checks whether a database holds what was acknowledged: what was not answered may have been
    /// done or not, as a whole.
    pub fn check(&mut self, connection: &mut Connection, database: &str) {
        let found = orders::read(connection, database, self.tables, self.number);
        if let Some(change) = self.pending.take() {
            let mut done = self.orders.clone();
            apply(&mut done, &change);
            if found == done {
                self.orders = done;
            }
        }
        let difference = self.difference(&found);
        assert!(found == self.orders, "{database}, writer {}: {difference}", self.number);
    }

    /// The first difference from what must be there.
    fn difference(&self, found: &Orders) -> String {
        let ids = self.orders.keys().chain(found.keys());
        let mut different = ids.filter(|id| self.orders.get(id) != found.get(id));
        match different.next() {
            Some(id) => format!(
                "order {id} is {:?} and must be {:?} (and {} more)",
                found.get(id),
                self.orders.get(id),
                different.count()
            ),
            None => "nothing is different".into(),
        }
    }
}

fn apply(orders: &mut Orders, change: &Change) {
    match change {
        Change::Insert(numbers, lines) => {
            orders.extend(numbers.clone().map(|id| (id, Order { version: 1, lines: *lines })));
        }
        Change::Update(id) => {
            orders.get_mut(id).expect("only those that live are updated").version += 1
        }
        Change::Delete(numbers) => {
            let gone: Vec<i64> = orders.range(numbers.clone()).map(|(id, _)| *id).collect();
            for id in gone {
                orders.remove(&id);
            }
        }
    }
}
