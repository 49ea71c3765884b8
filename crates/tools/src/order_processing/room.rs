//! Whether a machine has room for so many connections, and for so much data.

use std::fmt;

use super::Tables;
use super::data::Data;

/// Descriptors that a process needs beside those of connections.
const OTHER_DESCRIPTORS: u64 = 256;
/// Memory that a unit of the scale takes in memory-optimized tables, in MB.
const MEMORY_PER_UNIT_MB: u64 = 200;
/// What a server needs beside that.
const OTHER_MEMORY_MB: u64 = 512;

/// What a machine has too little of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing(String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether server and clients on this machine can have so many connections. Unknown limits are
/// none.
///
/// # Errors
/// What is missing.
pub fn for_connections(connections: u32) -> Result<(), Missing> {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    if let Some(descriptors) = descriptors(&limits) {
        check_descriptors(connections, descriptors)?;
    }
    let range = "/proc/sys/net/ipv4/ip_local_port_range";
    match std::fs::read_to_string(range).ok().as_deref().and_then(ports) {
        Some(ports) => check_ports(connections, ports),
        None => Ok(()),
    }
}

fn check_descriptors(connections: u32, descriptors: u64) -> Result<(), Missing> {
    let needed = u64::from(connections) + OTHER_DESCRIPTORS;
    if needed <= descriptors {
        return Ok(());
    }
    Err(Missing(format!(
        "{connections} connections need {needed} descriptors, and a process may have {descriptors}: \
         at most {} connections. The limit is raised with `ulimit -n`, LimitNOFILE of systemd, or \
         --ulimit nofile of a container.",
        descriptors.saturating_sub(OTHER_DESCRIPTORS)
    )))
}

fn check_ports(connections: u32, ports: u64) -> Result<(), Missing> {
    if u64::from(connections) <= ports {
        return Ok(());
    }
    Err(Missing(format!(
        "{connections} connections need as many ports of their own, and there are {ports}. More come \
         with net.ipv4.ip_local_port_range."
    )))
}

/// The descriptors that a process may have, from its limits.
fn descriptors(limits: &str) -> Option<u64> {
    // The program raises the soft limit to the hard one, which is the second.
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn ports(range: &str) -> Option<u64> {
    let mut both = range.split_whitespace().map(|port| port.parse::<u64>().ok());
    let (first, last) = (both.next()??, both.next()??);
    Some((last + 1).saturating_sub(first))
}

/// Whether the machine has memory for the data.
///
/// # Errors
/// What is missing.
pub fn for_data(data: &Data, tables: Tables) -> Result<(), Missing> {
    // Rows of disk tables do not stay in memory.
    match available_memory_mb() {
        Some(available) if tables == Tables::Inmem => check_memory(data, available),
        _ => Ok(()),
    }
}

fn check_memory(data: &Data, available_mb: u64) -> Result<(), Missing> {
    let needed = data.scale() * MEMORY_PER_UNIT_MB + OTHER_MEMORY_MB;
    if needed <= available_mb {
        return Ok(());
    }
    Err(Missing(format!(
        "Scale {} takes about {needed} MB of memory, and {available_mb} MB are available: scale {} at \
         most. Disk tables need no more memory than they are given (--table ondisk).",
        data.scale(),
        available_mb.saturating_sub(OTHER_MEMORY_MB) / MEMORY_PER_UNIT_MB
    )))
}

/// Memory that is available, in MB; `None` where the system does not say.
pub fn available_memory_mb() -> Option<u64> {
    available_mb(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

/// Memory that is available, from what the system says of it.
fn available_mb(info: &str) -> Option<u64> {
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? >> 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max open files            1024                 524288               files\n";
        assert_eq!(descriptors(limits), Some(524_288));
        assert_eq!(descriptors("Max open files  unlimited  unlimited  files"), None);
        assert_eq!(ports("32768\t60999\n"), Some(28_232));
        assert_eq!(available_mb("MemTotal: 9 kB\nMemAvailable:   2097152 kB\n"), Some(2048));
    }

    #[test]
    fn what_is_missing_is_said() {
        assert_eq!(check_descriptors(768, 1024), Ok(()));
        let Missing(text) = check_descriptors(769, 1024).unwrap_err();
        assert!(text.contains("1025") && text.contains("at most 768"), "{text}");
        assert_eq!(check_ports(10, 10), Ok(()));
        assert!(check_ports(11, 10).is_err());
        assert_eq!(check_memory(&Data::new(2), 912), Ok(()));
        let Missing(text) = check_memory(&Data::new(3), 912).unwrap_err();
        assert!(text.contains("1112 MB") && text.contains("scale 2 at"), "{text}");
    }
}
