//! What the server knows about the machine it runs on. Linux shows it in files.

use std::path::Path;

use env::{Env, OpenMode};

/// The machine's name.
pub fn host_name(env: &Env) -> Option<String> {
    let name = read(env, "/proc/sys/kernel/hostname")?.trim().to_string();
    (!name.is_empty()).then_some(name)
}

/// The memory that this process may use: the machine's, or less if its control group says so.
pub fn memory_bytes(env: &Env) -> Option<u64> {
    let installed = installed_memory(&read(env, "/proc/meminfo")?)?;
    let limit = read(env, "/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
    Some(limit.map_or(installed, |limit: u64| limit.min(installed)))
}

fn installed_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The operating system: `Linux (Debian GNU/Linux 12 (bookworm))`.
pub fn operating_system(env: &Env) -> String {
    let release = read(env, "/etc/os-release").unwrap_or_default();
    match distribution(&release) {
        Some(name) => format!("Linux ({name})"),
        None => "Linux".into(),
    }
}

fn distribution(release: &str) -> Option<&str> {
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"'))
}

/// The beginning of a file. Not its length: what the kernel makes up has none.
fn read(env: &Env, path: &str) -> Option<String> {
    let mut bytes = vec![0; 8192];
    let file = env.fs().open(Path::new(path), OpenMode::Read).ok()?;
    let length = file.read_at(&mut bytes, 0).ok()?;
    bytes.truncate(length);
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
