//! `SET STATISTICS TIME` and `SET STATISTICS IO`: what statements cost, reported after each of
//! them.
//!
//! A logical read is a row that a scan has fetched, or one that a statement has written, wherever
//! rows are: in memory or in pages. Pages that were read from a file are not counted by statement,
//! so that physical reads are reported as 0. Tables that are memory-optimized, and those of
//! variables, are not reported.

use base::{SqlError, message, message::Message};

use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::session::reads::TableReads;

/// When a measurement began: on the clock, and on the processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Began {
    elapsed_ns: u64,
    cpu_ns: u64,
}

impl Context<'_> {
    /// Something begins; nothing is measured without `STATISTICS TIME`.
    pub(crate) fn begins(&self) -> Option<Began> {
        self.session
            .options
            .statistics_time
            .then(|| Began { elapsed_ns: self.task.now_ns(), cpu_ns: self.task.cpu_ns() })
    }

    /// Sends the client the time that a statement has taken.
    pub(super) fn tell_execution(&mut self, began: Option<Began>) -> Run<()> {
        self.tell_time(began, &message::EXECUTION_TIMES)
    }

    /// Sends the client the time that parsing a text and planning its statements has taken.
    pub(crate) fn tell_compilation(&mut self, began: Option<Began>) -> Run<()> {
        self.tell_time(began, &message::PARSE_AND_COMPILE_TIME)
    }

    fn tell_time(&mut self, began: Option<Began>, message: &'static Message) -> Run<()> {
        let Some(began) = began.filter(|_| self.session.options.statistics_time) else {
            return Ok(());
        };
        let ms = |now: u64, began: u64| now.saturating_sub(began) / 1_000_000;
        let cpu = ms(self.task.cpu_ns(), began.cpu_ns);
        let elapsed = ms(self.task.now_ns(), began.elapsed_ns);
        self.inform(SqlError::new(message, &[&cpu, &elapsed])).map_err(Fault::lost)
    }

    /// Sends the client what the statement has read.
    #[inline]
    pub(super) fn tell_reads(&mut self) -> Run<()> {
        match self.session.reads.is_empty() {
            true => Ok(()),
            false => self.tell_each_read(),
        }
    }

    #[cold]
    fn tell_each_read(&mut self) -> Run<()> {
        for TableReads { name, reads, row_cached, .. } in std::mem::take(&mut self.session.reads) {
            let mut args: [&dyn std::fmt::Display; 12] = [&0; 12];
            (args[0], args[1], args[2], args[3]) =
                (&name, &reads.scans, &reads.rows, &reads.disk.pages);
            self.inform(SqlError::new(&message::STATISTICS_IO, &args)).map_err(Fault::lost)?;
            if row_cached {
                // In the manner of what SQL Server says of the segments of columnstore indexes.
                let text = format!("Table '{name}'. Row cache reads {}.", reads.disk.cached_rows);
                let Message { number, severity, state, .. } = message::STATISTICS_IO;
                self.inform(SqlError::custom(number, severity, state, text))
                    .map_err(Fault::lost)?;
            }
        }
        Ok(())
    }
}
