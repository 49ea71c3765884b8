use super::*;

fn entry(ticks: u32, process: &str, text: &str) -> Entry {
    Entry { at: DateTime { days: 46_000, ticks }, process: process.into(), text: text.into() }
}

#[test]
fn entries_are_read_as_they_were_written() {
    let written = [
        entry(0, "Server", "The server starts."),
        entry(DATETIME_TICKS_PER_DAY - 3, "spid51", "of\nseveral lines\n\n  indented"),
        entry(12 * 3600 * 300, "Logon", "Login failed for user 'ü\t2025-01-01'."),
    ];
    let text: String = written.iter().map(Entry::to_lines).collect();
    assert_eq!(text.lines().next(), Some("2025-12-11 00:00:00.00 Server      The server starts."));
    assert_eq!(entries(&text), written);
}

#[test]
fn a_text_makes_no_entry_of_its_own() {
    let forged = "a name\n2025-12-11 00:00:00.00 Server      forged";
    assert_eq!(entries(&entry(0, "Server", forged).to_lines()).len(), 1);
}

#[test]
fn what_is_no_entry_belongs_to_the_one_before() {
    assert_eq!(entries("half a line\n"), []);
    let text = "2025-12-11 00:00:00.00 Server      one\n2025-13-11 00:00:00.00 Server      two\n";
    let entries = entries(text);
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].text, "one\n2025-13-11 00:00:00.00 Server      two");
}
