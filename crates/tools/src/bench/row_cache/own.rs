//! Clients that insert rows and update rows of their own, several a call and all of a call in one
//! transaction.
//!
//! Rows of all clients lie side by side: of `C` clients the one with number `c` has the rows `c`,
//! `c + C`, `c + 2 C` and so on. So all of them work on the same pages.

use std::time::{Duration, Instant};

use base::{SqlType, ValueRef};

use crate::bench::BenchError;
use crate::bench::database::{TableKind, check, numbers, ordinary_procedure};
use crate::client::{
    Argument, ClientError, ConnectOptions, Connection, Driver, Fleet, Ignore, Outcome, Parameter,
    Receiver, Request,
};
use crate::random::Random;

/// What the clients do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Insert,
    Update,
}

impl Action {
    fn procedure(self) -> &'static str {
        match self {
            Action::Insert => "dbo.usp_InsertRows",
            Action::Update => "dbo.usp_UpdateRows",
        }
    }

    fn definition(self) -> String {
        let statement = match self {
            Action::Insert => "INSERT INTO dbo.Own (id, u, n) VALUES (@ID, 0, 'n');",
            Action::Update => {
                "UPDATE dbo.Own SET u += 1 WHERE id = @ID;
                IF @@ROWCOUNT <> 1 THROW 50001, N'There is no such row.', 1;"
            }
        };
        let head = format!("{} @First int, @Step int, @Count int", self.procedure());
        let body = format!(
            "DECLARE @i int = 0, @ID int = @First;
            BEGIN TRANSACTION;
            WHILE @i < @Count
            BEGIN
                {statement}
                SET @ID += @Step;
                SET @i += 1;
            END;
            COMMIT;"
        );
        ordinary_procedure(&head, &body)
    }
}

/// The clients and their table, `dbo.Own`.
pub struct OwnRows {
    /// Makes requests, sends none.
    maker: Connection,
    rows_per_call: u32,
    clients: Vec<Client>,
    /// What they do now, and until when.
    action: Action,
    deadline: Instant,
    calls: u64,
    updated: i64,
    first_error: Option<BenchError>,
    ignore: Ignore,
}

struct Client {
    random: Random,
    /// Rows that it has inserted, ever.
    inserted: u32,
    request: Option<Request>,
}

impl OwnRows {
    /// Makes the table and the procedures.
    pub fn create(
        connection: &mut Connection,
        maker: Connection,
        kind: TableKind,
        clients: u32,
        rows_per_call: u32,
    ) -> Result<OwnRows, BenchError> {
        connection.execute(&format!(
            "CREATE TABLE dbo.Own (id int NOT NULL {}, u int NOT NULL, n char(100) NOT NULL){}",
            kind.primary_key(),
            kind.options()
        ))?;
        for action in [Action::Insert, Action::Update] {
            connection.execute(&action.definition())?;
        }
        let client = |number| Client { random: Random::new(number), inserted: 0, request: None };
        Ok(OwnRows {
            maker,
            rows_per_call,
            clients: (0..clients).map(client).collect(),
            action: Action::Insert,
            deadline: Instant::now(),
            calls: 0,
            updated: 0,
            first_error: None,
            ignore: Ignore,
        })
    }

    /// Lets the clients do this for some time: rows a second.
    pub fn run(
        &mut self,
        connect: &ConnectOptions,
        action: Action,
        time: Duration,
    ) -> Result<f64, BenchError> {
        let mut fleet = Fleet::connect(connect, self.clients.len())?;
        (self.action, self.calls) = (action, 0);
        let begin = Instant::now();
        self.deadline = begin + time;
        fleet.run(self)?;
        let took = begin.elapsed();
        match self.first_error.take() {
            Some(error) => Err(error),
            None => Ok((self.calls * u64::from(self.rows_per_call)) as f64 / took.as_secs_f64()),
        }
    }

    /// Whether the table holds what the acknowledged calls have made of it.
    pub fn check(&self, connection: &mut Connection) -> Result<(), BenchError> {
        let inserted = self.clients.iter().map(|client| i64::from(client.inserted)).sum();
        let query = "SELECT COUNT_BIG(*), SUM(CAST(u AS bigint)) FROM dbo.Own";
        check("rows and updates", numbers(connection, query)?, [inserted, self.updated])
    }

    /// The first row of the client's next call; `None` if it has no rows to update.
    fn first_row(&mut self, place: usize) -> Option<u32> {
        let (count, each) = (self.clients.len() as u32, self.rows_per_call);
        let client = &mut self.clients[place];
        let own = match self.action {
            Action::Insert => client.inserted,
            Action::Update => client.random.below(client.inserted.checked_sub(each)? + 1),
        };
        Some(own * count + place as u32)
    }
}

impl Driver for OwnRows {
    fn next(&mut self, place: usize) -> Option<&Request> {
        if self.first_error.is_some() || Instant::now() >= self.deadline {
            return None;
        }
        let int = |name, value: u32| {
            let value = ValueRef::Int(i64::from(value));
            Argument::Scalar(Parameter::input(name, SqlType::int(), value))
        };
        let first = self.first_row(place)?;
        let arguments = [
            int("@First", first),
            int("@Step", self.clients.len() as u32),
            int("@Count", self.rows_per_call),
        ];
        let request = self.maker.prepare_call(self.action.procedure(), &arguments);
        let request = request.expect("an int is a value of int");
        Some(self.clients[place].request.insert(request))
    }

    fn done(&mut self, place: usize, outcome: &Outcome, _: Duration) {
        if let Some(error) = &outcome.first_error {
            self.first_error.get_or_insert(ClientError::Server(error.clone()).into());
            return;
        }
        self.calls += 1;
        match self.action {
            Action::Insert => self.clients[place].inserted += self.rows_per_call,
            Action::Update => self.updated += i64::from(self.rows_per_call),
        }
    }

    fn receiver(&mut self, _: usize) -> &mut dyn Receiver {
        &mut self.ignore
    }
}
