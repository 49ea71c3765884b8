//! Bulk load: rows for a table, as fast as the connection takes them.

use std::fmt::Write as _;

use base::TypeKind;
use tds::client::BulkWriter;
use tds::columns::{Column, ColumnFlags};
use tds::server::rows::RowSource;
use tds::typeinfo::WireType;

use super::answer::{Ignore, Outcome, Receiver};
use super::connection::Connection;
use super::error::ClientError;
use super::link::Link;

/// Bytes that are gathered before they are sent.
const SEND_BYTES: usize = 64 * 1024;

/// A table that is to be loaded.
#[derive(Clone, Debug)]
pub struct BulkTarget {
    /// The table's name as T-SQL has it.
    pub table: String,
    /// The columns that rows have values for.
    pub columns: Vec<Column>,
}

/// What the server is to do while it loads.
#[derive(Clone, Debug, Default)]
pub struct BulkOptions {
    /// Lock the table.
    pub lock_table: bool,
    /// Check constraints.
    pub check_constraints: bool,
    /// Run triggers.
    pub fire_triggers: bool,
    /// NULL stays NULL where the column has a default.
    pub keep_nulls: bool,
    /// How many rows there will be, roughly.
    pub rows: Option<u64>,
}

impl BulkTarget {
    fn statement(&self, options: &BulkOptions) -> String {
        let mut text = format!("INSERT BULK {} (", self.table);
        for (place, column) in self.columns.iter().enumerate() {
            let separator = if place > 0 { ", " } else { "" };
            let name = column.name.replace(']', "]]");
            write!(text, "{separator}[{name}] {}", column.ty).expect("strings take everything");
        }
        text.push(')');
        let hints = [
            (options.lock_table, "TABLOCK"),
            (options.check_constraints, "CHECK_CONSTRAINTS"),
            (options.fire_triggers, "FIRE_TRIGGERS"),
            (options.keep_nulls, "KEEP_NULLS"),
        ];
        let mut hints: Vec<String> =
            hints.iter().filter(|(on, _)| *on).map(|(_, hint)| (*hint).to_owned()).collect();
        hints.extend(options.rows.map(|rows| format!("ROWS_PER_BATCH = {rows}")));
        if !hints.is_empty() {
            write!(text, " WITH ({})", hints.join(", ")).expect("strings take everything");
        }
        text
    }
}

/// Learns the columns of a table.
#[derive(Default)]
struct Columns(Vec<tds::columns::ReceivedColumn>);

impl Receiver for Columns {
    fn columns(&mut self, columns: &[tds::columns::ReceivedColumn]) -> std::io::Result<()> {
        self.0 = columns.to_vec();
        Ok(())
    }
}

impl Connection {
    /// Asks the server for the columns of a table that can be loaded: all but computed ones and
    /// row versions, and identity columns only on demand.
    ///
    /// # Errors
    /// [`ClientError::Server`] when there is no such table, and all others.
    pub fn bulk_target(
        &mut self,
        table: &str,
        with_identity: bool,
    ) -> Result<BulkTarget, ClientError> {
        let mut columns = Columns::default();
        let mut outcome = self.batch(&format!("SELECT TOP (0) * FROM {table}"), &mut columns)?;
        if let Some(message) = outcome.first_error.take() {
            return Err(ClientError::Server(message));
        }
        let unknown = self.collation();
        let is_loaded = |column: &&tds::columns::ReceivedColumn| {
            let is_row_version = column.user_type == tds::columns::USER_TYPE_TIMESTAMP
                && matches!(column.info.ty, WireType::Binary | WireType::OldBinary);
            let is_identity = column.flags.contains(ColumnFlags::IDENTITY);
            !column.flags.contains(ColumnFlags::COMPUTED)
                && !is_row_version
                && (with_identity || !is_identity)
        };
        let columns = columns.0.iter().filter(is_loaded).map(|column| {
            let ty = column.info.to_sql(unknown);
            debug_assert!(ty.kind != TypeKind::RowVersion, "row versions are left out");
            Column { flags: column.flags, ..Column::nullable(column.name.clone(), ty) }
        });
        Ok(BulkTarget { table: table.to_owned(), columns: columns.collect() })
    }

    /// Loads rows into a table: `fill` writes them. The server's errors are returned as such, and
    /// none of the rows is there then.
    ///
    /// # Errors
    /// Those of the server and of the connection, and what `fill` returns; then nothing is loaded.
    pub fn bulk_load(
        &mut self,
        target: &BulkTarget,
        options: &BulkOptions,
        fill: impl FnOnce(&mut BulkRows<'_>) -> Result<(), ClientError>,
    ) -> Result<Outcome, ClientError> {
        self.execute(&target.statement(options))?;
        let mut out = std::mem::take(&mut self.out);
        let version = self.version();
        let canceller = self.canceller();
        let mut failure = None;
        let result = self.transact(&mut Ignore, |link, _, _| {
            let writer = BulkWriter::begin(&mut out, &target.columns, version);
            let mut rows = BulkRows { writer, link, count: 0 };
            match fill(&mut rows) {
                Ok(()) => rows.writer.end(),
                Err(ClientError::Lost(error)) => return Err(ClientError::Lost(error)),
                Err(error) => {
                    failure = Some(error);
                    rows.writer.message().end_ignored();
                    canceller.cancel().map_err(ClientError::Lost)?;
                }
            }
            link.send(out.ready()).map_err(ClientError::Lost)
        });
        out.consume(out.ready().len());
        if !out.in_message() {
            self.out = out;
        }
        match (failure, result) {
            (Some(failure), Ok(_)) => Err(failure),
            (_, Err(error)) => Err(error),
            (None, Ok(mut outcome)) => match outcome.first_error.take() {
                Some(message) => Err(ClientError::Server(message)),
                None => Ok(outcome),
            },
        }
    }
}

/// Takes the rows of a bulk load.
pub struct BulkRows<'c> {
    writer: BulkWriter<'c>,
    link: &'c mut Link,
    count: u64,
}

impl BulkRows<'_> {
    /// Sends a row: its values in the order of the target's columns.
    ///
    /// # Errors
    /// When a value is not one of its column's type, or the connection fails.
    pub fn row<R: RowSource + ?Sized>(&mut self, row: &R) -> Result<(), ClientError> {
        self.writer.row(row)?;
        self.count += 1;
        let out = self.writer.message();
        if out.ready().len() >= SEND_BYTES {
            self.link.send(out.ready()).map_err(ClientError::Lost)?;
            out.consume(out.ready().len());
        }
        Ok(())
    }

    /// How many rows were sent.
    pub fn count(&self) -> u64 {
        self.count
    }
}
