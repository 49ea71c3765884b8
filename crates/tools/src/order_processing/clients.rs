//! The clients: they call the procedures in the mix of the benchmark, and look at every answer.
//!
//! A few clients fulfil orders and do nothing else, one call for thirty of the others' together.
//! They meet at the oldest orders: a call that has met another is made again. A client that has
//! found something wrong ends the run for all.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use base::{SqlType, Value, ValueRef};

use super::data::{self, CLOSEST, Data};
use crate::client::{
    Argument, ClientError, Connection, Driver, Outcome, Parameter, Receiver, Request, ReturnValue,
    Row, TableArgument, TableColumnSpec,
};
use crate::random::Random;
use crate::stress::histogram::Histogram;

/// Products of a range whose prices a client asks for.
pub const PRICES: u32 = 20;
/// Products of a range among which a client looks for those that are closest to a criterion.
pub const CANDIDATES: u32 = 100;
/// Lines of an order, at most.
const LINES_MAX: u32 = 5;
/// One answer in this many about closest products is computed and compared.
const CLOSEST_CHECKED: u32 = 16;
/// Clients for each one that fulfils orders.
const CLIENTS_PER_FULFILLER: u32 = 20;
/// Pause of a client that has no orders to fulfil, times the number of such clients in its thread.
const BREATH: Duration = Duration::from_millis(1);
/// Calls of the others for one that fulfils orders.
const CALLS_PER_FULFILMENT: u64 = 30;
/// Errors after which a call is made again: write conflicts and deadlocks.
const CONFLICTS: [i32; 5] = [1205, 41301, 41302, 41305, 41325];

/// A kind of transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A customer with orders and lines.
    OrdersByCustomer,
    /// The cheapest products of a type.
    ProductsByType,
    /// The prices of a range of products.
    PricesByKey,
    /// The products of a range that are closest to a criterion.
    Selection,
    /// A new order.
    Insert,
    /// The oldest orders are fulfilled.
    Fulfil,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 6] = [
        Kind::OrdersByCustomer,
        Kind::ProductsByType,
        Kind::PricesByKey,
        Kind::Selection,
        Kind::Insert,
        Kind::Fulfil,
    ];

    /// The name of its procedure.
    pub fn procedure(self) -> &'static str {
        match self {
            Kind::OrdersByCustomer => "dbo.GetOrdersByCustomerID",
            Kind::ProductsByType => "dbo.GetProductsByType",
            Kind::PricesByKey => "dbo.GetProductsPriceByPK",
            Kind::Selection => "dbo.ProductSelectionCriteria",
            Kind::Insert => "dbo.InsertOrder",
            Kind::Fulfil => "dbo.FulfillOrders",
        }
    }

    /// What the source calls it.
    pub fn name(self) -> &'static str {
        self.procedure().strip_prefix("dbo.").expect("it is in this schema")
    }

    /// Of 31 transactions so many are of this kind.
    pub fn weight(self) -> u32 {
        match self {
            Kind::OrdersByCustomer => 8,
            Kind::ProductsByType => 6,
            Kind::PricesByKey => 4,
            Kind::Selection => 2,
            Kind::Insert => 10,
            Kind::Fulfil => 1,
        }
    }

    /// The kind of a number below the sum of the weights, of which the last is for `Fulfil`.
    fn of(mut number: u32) -> Kind {
        for kind in Kind::ALL {
            match number.checked_sub(kind.weight()) {
                None => return kind,
                Some(rest) => number = rest,
            }
        }
        unreachable!("the number is below the sum of the weights")
    }
}

/// An order that was acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Placed {
    /// Its number.
    pub order: i64,
    /// The customer.
    pub customer: i64,
    /// In ten-thousandths.
    pub total: i64,
}

/// What all clients know.
pub struct Shared {
    /// What is in the tables.
    pub data: Data,
    /// The products that are cheapest, by type.
    cheapest: Vec<Vec<i64>>,
    /// Acknowledged orders of each customer.
    placed: Vec<AtomicU32>,
    /// Calls that were answered, but for those that fulfil orders.
    others: AtomicU64,
    /// Calls that fulfil orders, those that are under way included.
    fulfilments: AtomicU64,
    /// Whether a client has found something wrong.
    is_over: AtomicBool,
    wrong: Mutex<Option<Wrong>>,
}

/// Why a run ended early.
#[derive(Debug)]
pub enum Wrong {
    /// The server has answered with an error, or the connection was lost.
    Client(ClientError),
    /// An answer is not what it must be.
    Answer(String),
}

impl Shared {
    /// Clients of tables with this data.
    pub fn new(data: Data) -> Shared {
        Shared {
            data,
            cheapest: (0..data.types()).map(|of_type| data.cheapest(of_type)).collect(),
            placed: (0..=data.customers()).map(|_| AtomicU32::new(0)).collect(),
            others: AtomicU64::new(0),
            fulfilments: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            wrong: Mutex::default(),
        }
    }

    /// What was found wrong first, if anything was.
    pub fn take_wrong(&self) -> Option<Wrong> {
        self.wrong.lock().expect("no client panics").take()
    }

    /// Ends the run for all clients.
    pub fn stop(&self, wrong: Wrong) {
        self.wrong.lock().expect("no client panics").get_or_insert(wrong);
        self.is_over.store(true, Relaxed);
    }
}

/// What clients have done.
#[derive(Default)]
pub struct Tally {
    /// Transactions that were answered, by kind.
    pub times: [Histogram; Kind::ALL.len()],
    /// Transactions whose answers never came, by kind: they may or may not have happened.
    pub unknown: [u64; Kind::ALL.len()],
    /// Orders that were acknowledged.
    pub placed: Vec<Placed>,
    /// Calls that have met others and were made again.
    pub conflicts: u64,
}

impl Tally {
    /// Adds what other clients have done.
    pub fn add(&mut self, other: Tally) {
        for (own, other) in self.times.iter_mut().zip(&other.times) {
            own.add(other);
        }
        for (own, other) in self.unknown.iter_mut().zip(other.unknown) {
            *own += other;
        }
        self.placed.extend(other.placed);
        self.conflicts += other.conflicts;
    }

    /// How long transactions of all kinds took.
    pub fn all_times(&self) -> Histogram {
        let mut all = Histogram::default();
        self.times.iter().for_each(|times| all.add(times));
        all
    }

    /// Transactions that were answered.
    pub fn transactions(&self) -> u64 {
        self.times.iter().map(Histogram::count).sum()
    }
}

/// When clients pause and stop, and what they do.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// What a client waits between an answer and its next request, on average.
    pub think: Duration,
    /// When clients stop.
    pub deadline: Instant,
    /// Whether there are clients that fulfil orders and do nothing else.
    pub fulfils_apart: bool,
}

/// The clients of one thread.
pub struct Clients<'s> {
    shared: &'s Shared,
    /// Makes requests, sends none.
    maker: Connection,
    plan: Plan,
    all: Vec<Client>,
    /// What they have done.
    pub tally: Tally,
    columns: [TableColumnSpec; 2],
    /// How many clients of this thread fulfil orders.
    fulfillers: u32,
}

struct Client {
    random: Random,
    /// Whether it fulfils orders and does nothing else.
    fulfils: bool,
    /// Whether it has paused since its last answer.
    has_paused: bool,
    is_waiting: bool,
    /// Start of the first attempt of a call that is to be made again.
    since: Option<Instant>,
    call: Call,
    request: Option<Request>,
    answer: Answer,
}

/// A call, and what its answer is checked by.
#[derive(Clone, Copy)]
enum Call {
    /// Of this customer, of whom so many orders were acknowledged before.
    OrdersByCustomer {
        customer: i64,
        placed: u32,
    },
    ProductsByType(i64),
    PricesByKey {
        from: i64,
    },
    Selection {
        criterion: i64,
        from: i64,
        is_checked: bool,
    },
    Insert {
        customer: i64,
        total: i64,
    },
    Fulfil,
}

impl Call {
    fn kind(self) -> Kind {
        match self {
            Call::OrdersByCustomer { .. } => Kind::OrdersByCustomer,
            Call::ProductsByType(_) => Kind::ProductsByType,
            Call::PricesByKey { .. } => Kind::PricesByKey,
            Call::Selection { .. } => Kind::Selection,
            Call::Insert { .. } => Kind::Insert,
            Call::Fulfil => Kind::Fulfil,
        }
    }
}

impl<'s> Clients<'s> {
    /// Clients with these numbers; `maker` makes their requests.
    pub fn new(
        shared: &'s Shared,
        maker: Connection,
        numbers: std::ops::Range<u32>,
        plan: Plan,
    ) -> Clients<'s> {
        let client = |number: u32| Client {
            random: Random::new(number),
            fulfils: plan.fulfils_apart && number % CLIENTS_PER_FULFILLER == 0,
            has_paused: false,
            is_waiting: false,
            since: None,
            call: Call::Fulfil,
            request: None,
            answer: Answer { initial_orders: shared.data.orders(), ..Answer::default() },
        };
        let all: Vec<Client> = numbers.map(client).collect();
        let column = TableColumnSpec { ty: SqlType::int(), default: false };
        Clients {
            shared,
            maker,
            plan,
            fulfillers: all.iter().filter(|client| client.fulfils).count() as u32,
            all,
            tally: Tally::default(),
            columns: [column; 2],
        }
    }

    /// Chooses what a client does next.
    fn choose(&mut self, place: usize) -> Result<Request, ClientError> {
        let (shared, data) = (self.shared, &self.shared.data);
        let Client { random, fulfils, .. } = &mut self.all[place];
        let all: u32 = Kind::ALL.iter().map(|kind| kind.weight()).sum();
        let kind = match (*fulfils, self.plan.fulfils_apart) {
            (true, _) => Kind::Fulfil,
            (false, true) => Kind::of(random.below(all - Kind::Fulfil.weight())),
            (false, false) => Kind::of(random.below(all)),
        };
        let mut up_to = |rows: i64| i64::from(random.below(rows as u32)) + 1;
        let int = |name, value: i64| {
            Argument::Scalar(Parameter::input(name, SqlType::int(), ValueRef::Int(value)))
        };
        let range =
            |from: i64, count: u32| [int("@From", from), int("@To", from + i64::from(count) - 1)];
        let mut lines = Vec::new();
        let (call, arguments): (Call, Vec<Argument<'_>>) = match kind {
            Kind::OrdersByCustomer => {
                let customer = up_to(data.customers());
                let placed = shared.placed[customer as usize].load(Relaxed);
                (Call::OrdersByCustomer { customer, placed }, vec![int("@C_ID", customer)])
            }
            Kind::ProductsByType => {
                let of_type = up_to(data.types()) - 1;
                (Call::ProductsByType(of_type), vec![int("@PR_Type", of_type)])
            }
            Kind::PricesByKey => {
                let from = up_to(data.products() - i64::from(PRICES));
                (Call::PricesByKey { from }, range(from, PRICES).to_vec())
            }
            Kind::Selection => {
                let criterion = up_to(data.criteria());
                let from = up_to(data.products() - i64::from(CANDIDATES));
                let is_checked = up_to(i64::from(CLOSEST_CHECKED)) == 1;
                let [from_, to] = range(from, CANDIDATES);
                (
                    Call::Selection { criterion, from, is_checked },
                    vec![int("@PC_ID", criterion), from_, to],
                )
            }
            Kind::Insert => {
                let customer = up_to(data.customers());
                let mut total = 0;
                for _ in 0..up_to(i64::from(LINES_MAX)) {
                    let (product, quantity) = (up_to(data.products()), up_to(9));
                    total += data::price(product) * quantity;
                    lines.push(vec![Value::Int(product), Value::Int(quantity)]);
                }
                let table = TableArgument {
                    name: "@Lines",
                    type_name: ("dbo", "OrderLineType"),
                    columns: &self.columns,
                    rows: &lines,
                };
                let order = Parameter::output("@O_ID", SqlType::bigint(), ValueRef::Null);
                (
                    Call::Insert { customer, total },
                    vec![int("@C_ID", customer), Argument::Table(table), Argument::Scalar(order)],
                )
            }
            Kind::Fulfil => (Call::Fulfil, Vec::new()),
        };
        let request = self.maker.prepare_call(kind.procedure(), &arguments)?;
        self.all[place].call = call;
        Ok(request)
    }

    /// What is wrong with an answer, if anything is.
    fn check(&self, call: Call, answer: &Answer, outcome: &Outcome) -> Option<String> {
        let data = &self.shared.data;
        let is_right = match call {
            Call::OrdersByCustomer { customer, placed } => {
                let total: i64 = data.orders_of(customer).map(|order| data.total(order)).sum();
                let orders = data.orders_of(customer).count() as u64;
                let Sums { old_orders, old_lines, new_orders, .. } = answer.sums;
                let lines = orders * data::LINES_PER_ORDER as u64;
                old_orders == Count { number: orders, total }
                    && old_lines == Count { number: lines, total }
                    && new_orders.number >= u64::from(placed)
                    && new_orders.total == answer.sums.new_lines.total
            }
            Call::ProductsByType(of_type) => {
                let expected = &self.shared.cheapest[of_type as usize];
                answer.products.iter().map(|(id, _)| id).eq(expected)
                    && answer.products.iter().all(|(id, price)| *price == data::price(*id))
            }
            Call::PricesByKey { from } => {
                let is_of_range = |id: i64| (from..from + i64::from(PRICES)).contains(&id);
                answer.products.len() == PRICES as usize
                    && answer.products.is_sorted_by(|a, b| a.1 < b.1)
                    && answer
                        .products
                        .iter()
                        .all(|(id, price)| is_of_range(*id) && *price == data::price(*id))
            }
            Call::Selection { criterion, from, is_checked } => {
                let to = from + i64::from(CANDIDATES) - 1;
                answer.closest.len() == CLOSEST
                    && answer.closest.is_sorted_by(|a, b| a.1 >= b.1)
                    && (!is_checked || answer.closest == data.closest(criterion, from, to))
            }
            Call::Insert { .. } => answer.order > data.orders(),
            Call::Fulfil => outcome.rows == 0,
        };
        (!is_right).then(|| {
            let name = call.kind().name();
            format!("{name} has answered with {answer:?} ({outcome:?})")
        })
    }
}

impl Driver for Clients<'_> {
    fn pause(&mut self, place: usize) -> Option<Duration> {
        let (is_over, now) = (self.shared.is_over.load(Relaxed), Instant::now());
        if is_over || now >= self.plan.deadline {
            return None;
        }
        let client = &mut self.all[place];
        if client.since.is_some() {
            return None;
        }
        if client.fulfils {
            // Claimed before it is made, so that no two clients make the same.
            let due = self.shared.others.load(Relaxed) / CALLS_PER_FULFILMENT;
            let claim = |made: u64| (made < due).then_some(made + 1);
            let claimed = self.shared.fulfilments.fetch_update(Relaxed, Relaxed, claim);
            let breath = (BREATH * self.fulfillers).min(self.plan.deadline - now);
            return claimed.is_err().then_some(breath);
        }
        if self.plan.think.is_zero() || std::mem::replace(&mut client.has_paused, true) {
            return None;
        }
        // Between half of it and three halves.
        let time = self.plan.think.mul_f64(0.5 + client.random.unit());
        Some(time.min(self.plan.deadline - now))
    }

    fn next(&mut self, place: usize) -> Option<&Request> {
        if self.shared.is_over.load(Relaxed) || Instant::now() >= self.plan.deadline {
            return None;
        }
        // A call that has met another is made again as it was.
        if self.all[place].since.is_none() {
            let request = self.choose(place).expect("the values are of their types");
            self.all[place].request = Some(request);
        }
        let client = &mut self.all[place];
        client.answer.begin(client.call.kind());
        client.has_paused = false;
        client.is_waiting = true;
        client.request.as_ref()
    }

    fn done(&mut self, place: usize, outcome: &Outcome, time: Duration) {
        let client = &mut self.all[place];
        client.is_waiting = false;
        let call = client.call;
        if let Some(error) = &outcome.first_error {
            if CONFLICTS.contains(&error.error.number()) {
                client.since.get_or_insert_with(|| Instant::now() - time);
                self.tally.conflicts += 1;
                return;
            }
            self.shared.stop(Wrong::Client(ClientError::Server(error.clone())));
            return;
        }
        let time = client.since.take().map_or(time, |since| since.elapsed());
        if let Some(wrong) = self.check(call, &self.all[place].answer, outcome) {
            self.shared.stop(Wrong::Answer(wrong));
            return;
        }
        self.tally.times[call.kind() as usize].record(time);
        if let Call::Insert { customer, total } = call {
            let order = self.all[place].answer.order;
            self.shared.placed[customer as usize].fetch_add(1, Relaxed);
            self.tally.placed.push(Placed { order, customer, total });
        }
        if call.kind() != Kind::Fulfil {
            self.shared.others.fetch_add(1, Relaxed);
        }
    }

    fn receiver(&mut self, place: usize) -> &mut dyn Receiver {
        &mut self.all[place].answer
    }

    fn lost(
        &mut self,
        place: usize,
        error: ClientError,
    ) -> Result<Option<Connection>, ClientError> {
        let client = &mut self.all[place];
        if std::mem::replace(&mut client.is_waiting, false) {
            self.tally.unknown[client.call.kind() as usize] += 1;
        }
        self.shared.stop(Wrong::Client(error));
        Ok(None)
    }
}

/// Orders or lines.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Count {
    /// How many.
    number: u64,
    /// What they cost, in ten-thousandths.
    total: i64,
}

impl Count {
    fn add(&mut self, total: i64) {
        self.number += 1;
        self.total += total;
    }
}

/// What the rows of a customer's orders add up to: those that were there from the start, and
/// others.
#[derive(Clone, Copy, Default, Debug)]
struct Sums {
    old_orders: Count,
    old_lines: Count,
    new_orders: Count,
    new_lines: Count,
}

/// What a client has received.
#[derive(Default, Debug)]
struct Answer {
    kind: Option<Kind>,
    initial_orders: i64,
    sums: Sums,
    /// Products and their prices.
    products: Vec<(i64, i64)>,
    /// Products and how close they are.
    closest: Vec<(i64, f64)>,
    /// The order that was inserted.
    order: i64,
}

impl Answer {
    fn begin(&mut self, kind: Kind) {
        self.kind = Some(kind);
        self.sums = Sums::default();
        self.products.clear();
        self.closest.clear();
        self.order = 0;
    }

    fn add_line(&mut self, row: &Row<'_>) -> io::Result<()> {
        let [order, number, quantity] = [integer(row, 3)?, integer(row, 7)?, integer(row, 9)?];
        let (total, price) = (money(row, 5)?, money(row, 10)?);
        let Sums { old_orders, old_lines, new_orders, new_lines } = &mut self.sums;
        let (orders, lines) = match order <= self.initial_orders {
            true => (old_orders, old_lines),
            false => (new_orders, new_lines),
        };
        lines.add(price * quantity);
        // Each order has a first line.
        if number == 1 {
            orders.add(total);
        }
        Ok(())
    }
}

impl Receiver for Answer {
    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        match self.kind {
            Some(Kind::OrdersByCustomer) => self.add_line(row)?,
            Some(Kind::ProductsByType) => self.products.push((integer(row, 0)?, money(row, 2)?)),
            Some(Kind::PricesByKey) => self.products.push((integer(row, 0)?, money(row, 1)?)),
            Some(Kind::Selection) => match value(row, 3)? {
                Value::Float(closeness) => self.closest.push((integer(row, 0)?, closeness)),
                other => return Err(unexpected(&other)),
            },
            Some(Kind::Insert | Kind::Fulfil) | None => {}
        }
        Ok(())
    }

    fn return_value(&mut self, value: ReturnValue) -> io::Result<()> {
        if let Value::Int(order) = value.value {
            self.order = order;
        }
        Ok(())
    }
}

fn value(row: &Row<'_>, column: usize) -> io::Result<Value> {
    Ok(row.get(column).map_err(io::Error::other)?.into_value())
}

fn unexpected(value: &Value) -> io::Error {
    io::Error::other(format!("{value:?} is of another type"))
}

fn integer(row: &Row<'_>, column: usize) -> io::Result<i64> {
    match row.get(column).map_err(io::Error::other)?.as_ref() {
        ValueRef::Int(value) => Ok(value),
        other => Err(unexpected(&other.to_owned())),
    }
}

fn money(row: &Row<'_>, column: usize) -> io::Result<i64> {
    match row.get(column).map_err(io::Error::other)?.as_ref() {
        ValueRef::Money(value) => Ok(value),
        other => Err(unexpected(&other.to_owned())),
    }
}
