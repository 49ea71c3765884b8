//! The scripts of `tests/sql`.

use std::path::{Path, PathBuf};

use testkit::golden;

use super::{TestServer, batches};

/// A script with the file that has its expected answers.
pub struct Script {
    /// Its name, and that of its database.
    pub name: String,
    /// What it says.
    pub text: String,
    /// Where its expected answers are.
    pub expected: PathBuf,
}

/// What stands between the answers to two batches.
pub const SEPARATOR: &str = "~\n";

/// The scripts by name.
pub fn all() -> Vec<Script> {
    let script = |path: &Path| Script {
        name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
        text: std::fs::read_to_string(path).unwrap(),
        expected: path.with_extension("out"),
    };
    let entries =
        std::fs::read_dir(golden::file(env!("CARGO_MANIFEST_DIR"), "../../tests/sql")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    paths.sort();
    paths.iter().map(|path| script(path)).collect()
}

/// Whether all rows of disk tables are to leave memory between two batches, where they can: with
/// `THERMOCLINE_SINK_ALL` set.
pub fn everything_sinks() -> bool {
    std::env::var_os("THERMOCLINE_SINK_ALL").is_some()
}

/// An answer without what is never the same twice: how many pages a backup took, and how long a
/// backup or statement took; without pages of tables and how they lie, which depends on what has
/// sunk; and without ids that count what other scripts have made.
fn without_figures(answer: &str) -> String {
    let plain = |line: &str| {
        if let Some((rows, table)) = line.split_once(" pages for object ")
            && let Some((rows, _)) = rows.rsplit_once(' ')
        {
            return format!("{rows} # pages for object {table}");
        }
        // `DBCC SHOWCONTIG`, where ids differ, too.
        if let Some((what, _)) = line.split_once("..: ").filter(|_| line.starts_with("- ")) {
            return format!("{what}..: #");
        }
        if let Some((what, ids)) = line.split_once("' (").filter(|_| line.starts_with("Table: '"))
            && let Some((_, index)) = ids.split_once(')')
            && let Some((index, _)) = index.split_once(", database ID: ")
        {
            return format!("{what}' (#){index}, database ID: #");
        }
        let figures = line.starts_with("Processed ") && line.contains(" pages for database ")
            || line.contains(" successfully processed ") && line.contains(" pages in ")
            || line.trim_start().starts_with("CPU time = ");
        let digits = |word: &str| word.trim_matches(['(', ')']).parse::<f64>().is_ok();
        match figures {
            false => without_ids(&without_numbers(line)),
            true => {
                let last = line.rsplit(" on file ").next().filter(|_| line.contains(" on file "));
                let head = &line[..line.len() - last.map_or(0, str::len)];
                let words = head.split(' ').map(|word| if digits(word) { "#" } else { word });
                words.collect::<Vec<_>>().join(" ") + last.unwrap_or("")
            }
        }
    };
    answer.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

/// A line without positions in the log, and without the times in a plan.
fn without_numbers(line: &str) -> String {
    let marks = [" LSN ", "CpuTime=\"", "ElapsedTime=\""];
    marks.iter().fold(line.to_owned(), |line, mark| {
        let mut parts = line.split(mark);
        let mut plain = parts.next().unwrap_or("").to_owned();
        for part in parts {
            plain.push_str(mark);
            plain.push('#');
            plain.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
        }
        plain
    })
}

/// A line without ids in the directories of databases (`/databases/d-5-1234abcd/`) and in the
/// names that constraints of temporary tables are given (`FK__#t__a__1234ABCD`).
fn without_ids(line: &str) -> String {
    let mut plain = String::new();
    for (at, part) in line.split("/databases/").enumerate() {
        let path = if at == 0 { None } else { part.split_once('/') };
        match path.and_then(|(directory, rest)| Some((directory.split_once('-')?.0, rest))) {
            Some((name, rest)) => plain += &format!("/databases/{name}-#/{rest}"),
            None => plain.extend([if at == 0 { "" } else { "/databases/" }, part]),
        }
    }
    let mut parts = plain.split("__#");
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        // Messages have names in quotes.
        let end = part.find(['\'', '"']).unwrap_or(part.len());
        let id = part[..end].rfind("__").map_or(end, |at| at + "__".len());
        out.extend(["__#", &part[..id], if id < end { "#" } else { "" }, &part[end..]]);
    }
    out
}

impl Script {
    /// The answers to it in an empty database of its own.
    pub fn answers(&self, server: &TestServer) -> String {
        let name = &self.name;
        let mut session = server.session();
        let made = session.script(&format!(
            "create database [{name}]
            alter database [{name}] add filegroup memory contains memory_optimized_data
            alter database [{name}] add file (name = '{name}_m', filename = '{name}_m') to filegroup memory
            go
            use [{name}]"
        ));
        assert!(!made.contains("Msg "), "{made}");
        let mut out = String::new();
        for batch in batches(&self.text) {
            out.push_str(&without_figures(&session.run(&batch)));
            out.push('\n');
            out.push_str(SEPARATOR);
            if everything_sinks() {
                server.sink_changed();
            }
        }
        out
    }
}
