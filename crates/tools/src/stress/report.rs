//! The report of a run, for people and for programs.

use std::fmt::Write as _;
use std::time::Duration;

use super::tally::Tally;

/// Errors of different numbers that are shown.
const ERRORS_SHOWN: usize = 10;

/// A number with commas between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A duration as `hh:mm:ss.mmm`.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02}.{:03}", seconds % 60, time.subsec_millis())
}

/// A short duration with three digits or so: `870 us`, `1.24 ms`, `2.5 s`.
pub fn short(time: Duration) -> String {
    let us = time.as_micros() as f64;
    let (value, unit) = match us {
        ..1e3 => return format!("{us} us"),
        ..1e6 => (us / 1e3, "ms"),
        _ => (us / 1e6, "s"),
    };
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.decimals$} {unit}")
}

/// The shares of all batches whose times are shown.
const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)];

/// The report for people.
pub fn text(tally: &Tally, connections: usize, elapsed: Duration) -> String {
    let mut out = String::new();
    let seconds = elapsed.as_secs_f64().max(1e-9);
    let mut line = |name: &str, value: String| {
        writeln!(out, "  {name:<15} {value}").expect("strings take everything");
    };
    line("connections", grouped(connections as u64));
    line("elapsed", clock(elapsed));
    let per_second = |count: u64| format!("{} ({:.0}/s)", grouped(count), count as f64 / seconds);
    line("iterations", per_second(tally.iterations));
    if tally.batches != tally.iterations {
        line("batches", per_second(tally.batches));
    }
    if tally.rows > 0 {
        line("rows received", per_second(tally.rows));
    }
    if tally.affected > 0 {
        line("rows affected", per_second(tally.affected));
    }
    if tally.times.count() > 0 {
        let mut times = String::new();
        for (name, share) in QUANTILES {
            write!(times, "{name} {}, ", short(tally.times.quantile(share)))
                .expect("strings take everything");
        }
        line("latency", format!("{times}max {}", short(tally.times.max())));
    }
    line("errors", grouped(tally.error_count()));
    for (number, error) in tally.errors.iter().take(ERRORS_SHOWN) {
        line("", format!("{} of number {number}; {}", grouped(error.count), error.first));
    }
    if tally.errors.len() > ERRORS_SHOWN {
        line("", format!("and {} other numbers", tally.errors.len() - ERRORS_SHOWN));
    }
    if let Some(failure) = &tally.first_failure {
        line("", format!("{} of the connection; {failure}", grouped(tally.failures)));
    }
    out
}

/// The report as one line of JSON; times in microseconds.
pub fn json(tally: &Tally, connections: usize, elapsed: Duration) -> String {
    let mut out = format!(
        "{{\"connections\":{connections},\"elapsed_us\":{},\"iterations\":{},\"batches\":{},\
         \"rows\":{},\"affected\":{},\"errors\":{}",
        elapsed.as_micros(),
        tally.iterations,
        tally.batches,
        tally.rows,
        tally.affected,
        tally.error_count()
    );
    for (name, share) in QUANTILES {
        let us = tally.times.quantile(share).as_micros();
        write!(out, ",\"{name}_us\":{us}").expect("strings take everything");
    }
    let max = tally.times.max().as_micros();
    let numbers: Vec<String> = tally
        .errors
        .iter()
        .map(|(number, error)| format!("\"{number}\":{}", error.count))
        .collect();
    write!(out, ",\"max_us\":{max},\"errors_by_number\":{{{}}}}}", numbers.join(","))
        .expect("strings take everything");
    out
}

#[cfg(test)]
mod tests;
