use super::*;

const VERSIONS: DiskLevel = DiskLevel::UNLOCKED;
const LOCKS: DiskLevel = DiskLevel { versions: false, ..VERSIONS };

fn shown(level: DiskLevel, options: ReadOptions, purpose: ReadPurpose) -> String {
    match reading(level, &options, purpose, LockEscalation::Table) {
        Err(error) => format!("error {}", error.number()),
        Ok(Reading::Versions) => "versions".into(),
        Ok(Reading::Uncommitted) => "uncommitted".into(),
        Ok(Reading::Locked(own)) => {
            let table = own.table.map_or("-", |(mode, _)| mode.name());
            let skip = if own.skip { " skip" } else { "" };
            format!("{} {:?} {table}{skip}", own.mode.name(), own.reach)
        }
    }
}

#[test]
fn levels_and_hints_say_what_is_locked() {
    use Isolation::*;
    let none = ReadOptions::default();
    let at = |session| DiskLevel { session, versions: true };
    let hinted = |isolation| ReadOptions { isolation: Some(isolation), ..none };
    let update = ReadOptions { update_lock: true, ..none };
    let past = ReadOptions { read_past: true, ..none };
    let table = ReadOptions { table_lock: true, ..none };
    let newest = ReadOptions { newest: true, ..none };
    let (query, change) = (ReadPurpose::Query, ReadPurpose::Change);
    let cases = [
        (VERSIONS, none, query, "versions"),
        (LOCKS, none, query, "S Instant -"),
        (VERSIONS, none, change, "U Instant -"),
        (LOCKS, none, change, "U Instant -"),
        (at(Snapshot), none, change, "versions"),
        (at(ReadUncommitted), none, query, "uncommitted"),
        (at(ReadUncommitted), none, change, "U Instant -"),
        (at(RepeatableRead), none, query, "S Rows -"),
        (at(RepeatableRead), none, change, "U Rows -"),
        (at(Serializable), none, query, "S Range -"),
        (at(Serializable), none, change, "U Range -"),
        (at(Snapshot), none, query, "versions"),
        (at(Snapshot), update, query, "U Rows -"),
        (VERSIONS, ReadOptions { committed_lock: true, ..none }, query, "S Instant -"),
        (VERSIONS, hinted(ReadUncommitted), query, "uncommitted"),
        (VERSIONS, hinted(Serializable), query, "S Range -"),
        (at(Serializable), hinted(ReadCommitted), query, "versions"),
        (VERSIONS, update, query, "U Rows -"),
        (VERSIONS, ReadOptions { isolation: Some(Serializable), ..update }, query, "U Range -"),
        (VERSIONS, past, query, "S Instant - skip"),
        (VERSIONS, past, change, "U Rows - skip"),
        (at(Serializable), past, query, "error 650"),
        (VERSIONS, table, query, "S Instant S"),
        (VERSIONS, table, change, "U Rows X"),
        (VERSIONS, ReadOptions { exclusive_lock: true, ..table }, query, "X Rows X"),
        (VERSIONS, none, ReadPurpose::MustStay, "versions"),
        (at(Snapshot), newest, ReadPurpose::MustBeAbsent, "S Instant -"),
        (at(Serializable), newest, change, "S Instant -"),
    ];
    for (level, options, purpose, expected) in cases {
        assert_eq!(shown(level, options, purpose), expected, "{level:?} {options:?} {purpose:?}");
    }
}
