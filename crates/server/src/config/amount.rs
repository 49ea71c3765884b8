//! How sizes, spans of time and the like are written in settings.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

const UNITS: [(&str, u64); 4] =
    [("TB", 1 << 40), ("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)];

/// A number of bytes: `4096`, `64KB`, `16MB`, `2GB`. A KB is 1024 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Bytes(pub u64);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Bytes, String> {
        let upper = text.trim().to_ascii_uppercase();
        let (number, unit) = UNITS
            .iter()
            .find_map(|(name, bytes)| Some((upper.strip_suffix(name)?, *bytes)))
            .unwrap_or((upper.strip_suffix('B').unwrap_or(&upper), 1));
        let number: u64 = number.trim().parse().map_err(|_| {
            format!("'{text}' is not a size; write a number of bytes, or one like 64KB, 16MB, 2GB")
        })?;
        number.checked_mul(unit).map(Bytes).ok_or_else(|| format!("'{text}' is too large"))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match UNITS.iter().find(|(_, bytes)| self.0 > 0 && self.0 % bytes == 0) {
            Some((name, bytes)) => write!(f, "{}{name}", self.0 / bytes),
            None => write!(f, "{}", self.0),
        }
    }
}

/// An amount of memory: bytes, or a share of what the machine has, `75%`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// So much.
    Bytes(Bytes),
    /// Per cent of the machine's memory.
    Percent(u8),
}

impl Memory {
    /// The amount in bytes on a machine that has `total` bytes.
    pub fn bytes(self, total: u64) -> u64 {
        match self {
            Memory::Bytes(bytes) => bytes.0,
            Memory::Percent(percent) => total / 100 * u64::from(percent),
        }
    }
}

impl FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Memory, String> {
        let Some(percent) = text.trim().strip_suffix('%') else {
            return text.parse().map(Memory::Bytes);
        };
        match percent.trim().parse() {
            Ok(percent @ 1..=100) => Ok(Memory::Percent(percent)),
            _ => Err(format!("'{text}' is not a share between 1% and 100%")),
        }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Memory::Bytes(bytes) => bytes.fmt(f),
            Memory::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

/// A span of time: `500ms`, `15s`, `2m`; a number alone is seconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Span(pub Duration);

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Span, String> {
        let trimmed = text.trim();
        let (number, ms) = if let Some(number) = trimmed.strip_suffix("ms") {
            (number, 1)
        } else if let Some(number) = trimmed.strip_suffix('s') {
            (number, 1000)
        } else if let Some(number) = trimmed.strip_suffix('m') {
            (number, 60_000)
        } else {
            (trimmed, 1000)
        };
        let number: u32 = number.trim().parse().map_err(|_| {
            format!("'{text}' is not a span of time; write it like 500ms, 15s or 2m")
        })?;
        Ok(Span(Duration::from_millis(u64::from(number) * ms)))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0.as_millis();
        if ms % 1000 == 0 { write!(f, "{}s", ms / 1000) } else { write!(f, "{ms}ms") }
    }
}

#[cfg(test)]
mod tests;
