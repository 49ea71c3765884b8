//! `WAITFOR`.

use std::sync::Arc;

use base::convert::display;
use base::{SqlError, Value, message};
use run::interp::Frame;
use tsql::ast;

use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::program::{Program, Step};
use crate::response::command;

const NS_PER_MS: u64 = 1_000_000;
const MS_PER_DAY: u64 = 86_400_000;
const TICKS_PER_MS: u64 = 10_000;

impl Context<'_> {
    /// `WAITFOR DELAY` and `WAITFOR TIME`. Error 148 for what is not a time.
    pub(super) fn wait_for(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        wait: &ast::WaitFor,
        frame: &mut Frame,
    ) -> Run<()> {
        let (value, ty) = self.value_of(program, step, frame, &wait.time, None)?;
        let text = if value == Value::Null { String::new() } else { display(value.as_ref(), &ty) };
        let time = text.rsplit(' ').next().unwrap_or_default();
        let Some(time_ms) = milliseconds(time) else {
            return Err(SqlError::new(&message::INVALID_WAITFOR_SYNTAX, &[&text]).into());
        };
        let delay_ms = match wait.until {
            false => time_ms,
            true => {
                let clock = self.session.instance.env().clock();
                let utc = clock.utc_ticks();
                let offset_ms = i64::from(clock.local_offset_minutes(utc)) * 60_000;
                let now = (utc / TICKS_PER_MS) as i64 + offset_ms;
                let now = now.rem_euclid(MS_PER_DAY as i64) as u64;
                (time_ms + MS_PER_DAY - now) % MS_PER_DAY
            }
        };
        self.session.transaction.show_writes();
        self.task.sleep_ns(delay_ms * NS_PER_MS).map_err(|_| Fault::cancelled())?;
        self.session.left.row_count = 0;
        self.done(command::NONE, None).map_err(Fault::lost)
    }
}

/// `hh:mm[:ss[.mmm]]` below 24 hours.
fn milliseconds(text: &str) -> Option<u64> {
    let (clock, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let parts: Vec<u64> = clock.split(':').map(|p| p.parse().ok()).collect::<Option<_>>()?;
    let (hours, minutes, seconds) = match *parts {
        [h, m] => (h, m, 0),
        [h, m, s] => (h, m, s),
        _ => return None,
    };
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let ms = match fraction {
        "" => 0,
        digits if digits.len() <= 9 && digits.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{digits:0<3}")[..3].parse().ok()?
        }
        _ => return None,
    };
    Some(((hours * 60 + minutes) * 60 + seconds) * 1000 + ms)
}

#[cfg(test)]
mod tests;
