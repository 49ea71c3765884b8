//! Random transactions on tables whose rows sink at any time, against the model.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use env::OpenMode;
use env::sim::SimEnv;

use super::model::{Rng, Setting, run_in, seeds, steps};
use super::*;
use crate::cold::rowcache::RowCache;
use crate::cold::{PAGE_BYTES, PoolOptions};
use crate::hot::cursor::Wanted;
use crate::hot::key::KeyRange;
use crate::pages::BufferPool;
use crate::sink::{CoreParts, SinkCore, SinkOptions};
use crate::txn::locks::{LockMode, Locking, Reach};
use crate::txn::promote::BroughtBack;

/// A harness with a sink.
pub(crate) struct SinkHarness {
    harness: Harness,
    core: SinkCore,
    pool: Arc<BufferPool>,
}

impl SinkHarness {
    pub(crate) fn new(seed: u64, pages: u64) -> SinkHarness {
        // With an even seed every snapshot is an old one.
        let patience_ns = if seed % 2 == 0 { 0 } else { SinkOptions::default().patience_ns };
        SinkHarness::with(seed, pages, SinkOptions { patience_ns, ..SinkOptions::default() })
    }

    pub(crate) fn with(seed: u64, pages: u64, options: SinkOptions) -> SinkHarness {
        let sim = SimEnv::new(seed);
        let dir = PathBuf::from("/data");
        sim.env().fs().create_dir_all(&dir).expect("the disk is new");
        let harness = Harness::in_env(sim.env());
        let limit_bytes = pages * PAGE_BYTES as u64;
        let memory = PoolOptions { reserve_bytes: 64 * limit_bytes, limit_bytes, io_threads: 0 };
        let pool = Arc::new(BufferPool::new(harness.runtime.clone(), memory, None));
        let manager = harness.manager.clone();
        let (cold, until) = (None, base::ids::Lsn::MAX);
        let core = SinkCore::new(CoreParts {
            manager,
            pool: pool.clone(),
            dir,
            options,
            cold,
            until,
            is_volatile: false,
        });
        SinkHarness { harness, core, pool }
    }

    pub(crate) fn core(&self) -> &SinkCore {
        &self.core
    }

    pub(crate) fn harness(&self) -> &Harness {
        &self.harness
    }

    /// A round of the sink.
    pub(crate) fn sink(&self, task: &Task) {
        self.core.sink_all(task).expect("the disk works");
    }
}

impl Setting for SinkHarness {
    fn harness(&self) -> &Harness {
        &self.harness
    }

    fn table(&self, conflicts: ConflictPolicy) -> Arc<Table> {
        self.harness.table_of(IndexKind::Range, conflicts)
    }

    fn levels(&self) -> &'static [Isolation] {
        // Above these levels, tables that sink are read with locks.
        &[Isolation::ReadCommitted, Isolation::Snapshot]
    }

    fn disturb(&self, task: &Task) {
        self.harness.assert_counted();
        self.sink(task);
        self.harness.assert_counted();
    }
}

#[test]
fn random_transactions_on_tables_that_sink_agree_with_the_model() {
    for seed in seeds() {
        let sinking = SinkHarness::new(seed, 32);
        run_in(&sinking, seed, steps(), &[ConflictPolicy::Wait; 2]);
        let sunk = sinking.core.stats();
        assert!(sunk.rows > 100, "{sunk:?}");
    }
}

/// The rows by `id`.
type Map = BTreeMap<i64, Row>;

/// A reader, with what it must see.
struct Reader<'h> {
    client: Client<'h>,
    sees: Map,
}

/// Ids and keys of the rows that come and go.
const IDS: u64 = 1500;
/// Values of `v`, which many rows share.
const VALUES: u64 = 7;

fn some_row(rng: &mut Rng, id: i64) -> Row {
    [id, id * 7 % 1613 + 10_000 * rng.roll(2) as i64, rng.roll(VALUES) as i64]
}

/// Changes some rows in one transaction.
fn write(harness: &Harness, table: &Table, rng: &mut Rng, map: &mut Map) {
    let mut client = Client::new(harness, Isolation::ReadCommitted);
    client.begin();
    let mut new = map.clone();
    let from = rng.roll(IDS) as i64;
    for id in from..from + 1 + rng.roll(60) as i64 {
        match (map.get(&id).copied(), rng.roll(5)) {
            (None, _) => {
                let row = some_row(rng, id);
                client.insert(table, row).expect("the keys are free");
                new.insert(id, row);
            }
            (Some(_), 0) => {
                assert_eq!(client.delete(table, id), Ok(1));
                new.remove(&id);
            }
            (Some(_), 1..=2) => {
                let row = some_row(rng, id);
                assert_eq!(client.update(table, id, |_| Some(row)), Ok(1), "row {id}");
                new.insert(id, row);
            }
            (Some(row), 3) => {
                let duplicate = client.insert(table, row);
                assert!(matches!(duplicate, Err(TxnError::DuplicateKey { index: 0, .. })));
            }
            (Some(row), _) => {
                let duplicate = client.insert(table, [id + 100_000, row[1], 0]);
                assert!(matches!(duplicate, Err(TxnError::DuplicateKey { index: 1, .. })));
            }
        }
    }
    match rng.roll(4) {
        0 => client.rollback(),
        _ => {
            client.commit().expect("no transaction is in the way");
            *map = new;
        }
    }
}

/// A range of an index, and the least and the greatest value in it.
fn some_range(table: &Table, index: usize, rng: &mut Rng) -> (ScanRange, (i64, i64)) {
    let most = if index == 2 { VALUES as i64 } else { 12_000 };
    let [a, b] = [0, 1].map(|_| rng.roll(most as u64) as i64);
    match rng.roll(4) {
        0 => (ScanRange::All, (i64::MIN, i64::MAX)),
        1 => (ScanRange::Key(key(table, index, a)), (a, a)),
        _ => {
            let (a, b) = (a.min(b), a.max(b));
            let mut upper = key(table, index, b);
            upper.increment();
            let lower = key(table, index, a);
            (ScanRange::Keys(KeyRange { lower, upper: Some(upper) }), (a, b))
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Versions,
    Uncommitted,
    Locked(LockMode, Reach),
}

/// Reads a range in one statement, and calls `meanwhile` now and then.
fn read(
    client: &mut Client<'_>,
    table: &Table,
    (index, range, direction, way): (usize, ScanRange, Direction, Way),
    meanwhile: &mut dyn FnMut(),
) -> Vec<Row> {
    let locking = |mode, reach| Locking {
        mode,
        reach,
        table: None,
        skip: false,
        no_wait: false,
        escalate: true,
    };
    let rows = client.statement(|txn, task, s| {
        let mut cursor = Cursor::new(s.snapshot(), index, range, direction);
        let mut rows = Vec::new();
        loop {
            let row = match way {
                Way::Versions => cursor.next(txn, task, table)?,
                Way::Uncommitted => cursor.next_uncommitted(txn, task, table)?,
                Way::Locked(mode, reach) => {
                    cursor.next_locked(txn, task, table, &locking(mode, reach))?
                }
            };
            let Some(row) = row else { return Ok(rows) };
            rows.push(values(table, txn.row(row)));
            if rows.len() % 5 == 1 {
                meanwhile();
            }
        }
    });
    rows.expect("no transaction is in the way")
}

fn assert_read(rows: &[Row], map: &Map, index: usize, (low, high): (i64, i64), way: &str) {
    let in_range = |row: &&Row| (low..=high).contains(&row[index]);
    let mut expected: Vec<Row> = map.values().filter(in_range).copied().collect();
    expected.sort_by_key(|row| (row[index], row[0]));
    let mut sorted = rows.to_vec();
    sorted.sort_by_key(|row| (row[index], row[0]));
    assert_eq!(sorted, expected, "{way}");
}

fn assert_order(rows: &[Row], index: usize, direction: Direction) {
    let is_sorted = rows.is_sorted_by(|a, b| match direction {
        Direction::Forward => a[index] <= b[index],
        Direction::Backward => a[index] >= b[index],
    });
    assert!(is_sorted, "the order of index {index}");
}

#[test]
fn scans_of_every_kind_see_what_their_snapshot_does_while_rows_sink_and_come_back() {
    for seed in seeds() {
        println!("THERMOCLINE_MODEL_SEED={seed}");
        let (sinking, mut rng) = (SinkHarness::new(seed, 24), Rng(seed | 1));
        let (harness, table) = (&sinking.harness, sinking.table(ConflictPolicy::Wait));
        let (mut map, mut readers): (Map, Vec<Reader<'_>>) = Default::default();
        for _ in 0..steps() / 20 {
            match rng.roll(8) {
                0..=2 => write(harness, &table, &mut rng, &mut map),
                3 => sinking.disturb(&harness.task()),
                4 if rng.roll(4) > readers.len() as u64 => {
                    let mut client = Client::new(harness, Isolation::Snapshot);
                    client.begin();
                    assert_eq!(client.all(&table).expect("reads succeed").len(), map.len());
                    readers.push(Reader { client, sees: map.clone() });
                }
                4 if !readers.is_empty() => {
                    drop(readers.swap_remove(rng.roll(readers.len() as u64) as usize));
                }
                4 => {}
                _ => {
                    let mut now = Client::new(harness, Isolation::ReadCommitted);
                    now.begin();
                    scan(&sinking, &table, (&mut now, &mut map), &mut readers, &mut rng);
                    now.rollback();
                }
            }
        }
        drop(readers);
        assert_eq!(table.row_count() as usize, map.len());
        assert!(sinking.core.stats().rows > 200, "{:?}", sinking.core.stats());
    }
}

/// Counts the rows of a range in one statement without looking at them, and calls `meanwhile` now
/// and then.
fn count(
    client: &mut Client<'_>,
    table: &Table,
    (index, range, direction): (usize, ScanRange, Direction),
    meanwhile: &mut dyn FnMut(),
) -> usize {
    let count = client.statement(|txn, task, s| {
        let mut cursor = Cursor::new(s.snapshot(), index, range, direction);
        cursor.want(Wanted::Presence);
        let mut rows = 0;
        while cursor.next(txn, task, table)?.is_some() {
            rows += 1;
            if rows % 5 == 1 {
                meanwhile();
            }
        }
        Ok(rows)
    });
    count.expect("no transaction is in the way")
}

/// Runs one scan, by an older reader or by a new one, while other transactions write.
fn scan<'h>(
    sinking: &SinkHarness,
    table: &Table,
    (now, map): (&mut Client<'h>, &mut Map),
    readers: &mut [Reader<'h>],
    rng: &mut Rng,
) {
    let index = rng.roll(3) as usize;
    let (range, bounds) = some_range(table, index, rng);
    let direction = [Direction::Forward, Direction::Backward][rng.roll(2) as usize];
    let among = rng.roll(readers.len() as u64 + 1) as usize;
    let reader = readers.get_mut(among);
    let way = match (&reader, rng.roll(4)) {
        (Some(_), _) | (_, 0) => Way::Versions,
        (_, 1) => Way::Uncommitted,
        (_, 2) => Way::Locked(LockMode::SHARED, Reach::Range),
        _ => {
            let modes = [LockMode::SHARED, LockMode::UPDATE];
            Way::Locked(modes[rng.roll(2) as usize], Reach::Rows)
        }
    };
    let context = format!("index {index} {direction:?} {range:?} {way:?}");
    let (client, sees) = match reader {
        Some(reader) => (&mut reader.client, reader.sees.clone()),
        None => (now, map.clone()),
    };
    let counts = matches!(way, Way::Versions) && rng.roll(2) == 0;
    let mut meanwhile = || match (way, rng.roll(3)) {
        (Way::Versions, 0) => write(&sinking.harness, table, rng, map),
        (_, 1) => sinking.disturb(&sinking.harness.task()),
        _ => {}
    };
    if counts {
        let rows = count(client, table, (index, range, direction), &mut meanwhile);
        let in_range = |row: &&Row| (bounds.0..=bounds.1).contains(&row[index]);
        assert_eq!(rows, sees.values().filter(in_range).count(), "{context}, counted");
        return;
    }
    let rows = read(client, table, (index, range, direction, way), &mut meanwhile);
    assert_read(&rows, &sees, index, bounds, &context);
    assert_order(&rows, index, direction);
    if let Way::Versions = way {
        let id = rng.roll(IDS) as i64;
        let found = client.look_up(table, 0, id).expect("reads succeed");
        if client.isolation == Isolation::Snapshot {
            assert_eq!(found, sees.get(&id).copied());
        }
        if let Some(row) = found {
            assert_eq!(client.look_up(table, 1, row[1]), Ok(Some(row)));
        }
    }
}

/// Lets all rows of all tables leave memory: one round begins, the next makes the trees, and by the
/// third all transactions know of them.
pub(super) fn sink_everything(sinking: &SinkHarness) {
    let task = sinking.harness.task();
    (0..3).for_each(|_| sinking.core.sink_all(&task).expect("the disk works"));
    while sinking.harness.manager.reclaim(&task, 1000) > 0 {}
}

/// What was queued could bring about the first round of a table that had begun to sink, while the
/// reclaimer had still to free rows that were deleted before. The sink and the reclaimer both freed
/// them.
#[test]
fn a_table_does_not_sink_before_the_reclaimer_is_done_with_what_was_deleted() {
    let sinking = SinkHarness::new(1, 32);
    let harness = &sinking.harness;
    fill(harness, &sinking.table(ConflictPolicy::Wait), 0..10);
    sink_everything(&sinking);
    let table = sinking.table(ConflictPolicy::Wait);
    let (never_sinks, task) = (harness.table(ConflictPolicy::FirstWriterWins), harness.task());
    fill(harness, &table, 0..10);
    fill(harness, &never_sinks, 0..10);
    let [mut writer, mut early, mut late] =
        [(); 3].map(|()| Client::new(harness, Isolation::Snapshot));
    let delete = |writer: &mut Client<'_>, table: &Table| {
        writer.autocommit(|w| w.delete(table, 3).map(drop)).expect("no other writer");
    };
    assert_eq!(early.begin().all(&table).expect("reads succeed").len(), 10);
    delete(&mut writer, &table);
    sinking.core.sink_all(&task).expect("the disk works");
    assert!(table.sinks() && table.cold().is_none());
    let update = |w: &mut Client<'_>| w.update(&table, 4, |[id, k, _]| Some([id, k, 7])).map(drop);
    writer.autocommit(update).expect("no other writer");
    assert_eq!(late.begin().all(&table).expect("reads succeed").len(), 9);
    sinking.core.sink_all(&task).expect("the disk works");
    assert!(table.cold().is_none(), "the deleted row is the reclaimer's");
    early.rollback();
    // This waits for the other reader. What was deleted before does not wait with it: an earlier
    // round closed its batch, and this one frees it before the table sinks.
    delete(&mut writer, &never_sinks);
    sinking.core.sink_all(&task).expect("the disk works");
    assert!(table.cold().is_some());
    late.rollback();
    sink_everything(&sinking);
    assert!(table.cold().is_some());
    assert_eq!((table.row_count(), table.memory().allocated_bytes), (9, 0));
}

/// The entry that is queued for a promoted row must not have a higher stamp than a change of the
/// row: else a round might take the row out of memory for the change's entry, and the next round
/// find it freed.
#[test]
fn a_row_that_is_brought_back_is_queued_at_the_snapshot_it_was_read_at() {
    let sinking = SinkHarness::new(2, 32);
    let (harness, table) = (&sinking.harness, sinking.table(ConflictPolicy::Wait));
    fill(harness, &table, 0..10);
    sink_everything(&sinking);
    let mut client = Client::new(harness, Isolation::ReadCommitted);
    let queued = client.begin().statement(|txn, task, s| {
        let mut cursor =
            Cursor::new(s.snapshot(), 0, ScanRange::Key(key(&table, 0, 5)), Direction::Forward);
        let row = cursor.next(txn, task, &table)?.expect("it is there");
        assert!(row.is_copy());
        let bytes = txn.row(row).to_vec();
        fill(harness, &table, 20..21);
        let anchor = txn.promote(task, &table, s.snapshot(), true, &bytes)?;
        let beyond = base::ids::Lsn(s.snapshot().stamp.0 + 1);
        let taken = harness.manager.sinking.take_below(beyond);
        Ok(taken.iter().any(|row| BroughtBack::To(row.anchor) == anchor))
    });
    assert_eq!(queued, Ok(true));
    client.rollback();
}

/// Garbage of occasional commits went to the batch that the first round waited for, so that the
/// batch never became old enough.
#[test]
fn a_table_begins_to_sink_although_others_leave_something_behind_all_the_time() {
    let sinking = SinkHarness::new(1, 32);
    let (harness, table) = (&sinking.harness, sinking.table(ConflictPolicy::Wait));
    let (other, task) = (harness.table(ConflictPolicy::FirstWriterWins), harness.task());
    fill(harness, &table, 0..10);
    fill(harness, &other, 0..10);
    let mut writer = Client::new(harness, Isolation::Snapshot);
    let mut reader = Client::new(harness, Isolation::Snapshot);
    for id in 0..6 {
        // There is always a snapshot that sees what was deleted last.
        reader.begin().all(&other).expect("reads succeed");
        writer.autocommit(|w| w.delete(&other, id).map(drop)).expect("no other writer");
        sinking.core.sink_all(&task).expect("the disk works");
        reader.rollback();
    }
    assert!(table.cold().is_some());
}

/// A row sank while the walk had passed it among the rows of its key, and came back where the walk
/// was still to come: the scan returned it twice.
#[test]
fn a_row_that_sinks_and_comes_back_before_a_scan_is_there_once() {
    let sinking = SinkHarness::new(4, 32);
    let (harness, table) = (&sinking.harness, sinking.table(ConflictPolicy::Wait));
    fill(harness, &table, 100..101);
    sink_everything(&sinking);
    let mut writer = Client::new(harness, Isolation::ReadCommitted);
    let rows: Vec<Row> = (0..40).map(|id| [id, id, i64::from(id >= 30) + 5]).collect();
    let insert = |w: &mut Client<'_>| rows.iter().try_for_each(|row| w.insert(&table, *row));
    writer.autocommit(insert).expect("the keys are free");
    let mut reader = Client::new(harness, Isolation::Snapshot);
    let mut looks = 0;
    let what = (2, ScanRange::All, Direction::Forward, Way::Versions);
    let found = read(reader.begin(), &table, what, &mut || {
        looks += 1;
        if looks != 2 {
            return;
        }
        sink_everything(&sinking);
        assert_eq!(table.index_at(2).len(), 0);
        // The first takes the place where the walk stands, the second the one behind that.
        for id in [35, 30] {
            let change = |w: &mut Client<'_>| w.update(&table, id, |[_, _, v]| Some([id, -id, v]));
            writer.autocommit(|w| change(w).map(drop)).expect("no other writer");
        }
    });
    let mut expected = rows;
    expected.insert(0, [100, 1000, 1]);
    assert_eq!(found, expected);
}

/// An owner that locked a range did not find rows of it that were locked before they sank, or that
/// were locked for reading after they had sunk.
#[test]
fn locked_rows_keep_others_from_their_range_wherever_they_are() {
    let lock = |client: &mut Client<'_>, table: &Table, (index, value), mode, reach| {
        let locking =
            Locking { mode, reach, table: None, skip: false, no_wait: true, escalate: true };
        let range = ScanRange::Key(key(table, index, value));
        client.statement(|txn, task, s| {
            let mut cursor = Cursor::new(s.snapshot(), index, range, Direction::Forward);
            Ok(cursor.next_locked(txn, task, table, &locking)?.is_some())
        })
    };
    for (has_sunk, mode) in [
        (false, LockMode::SHARED),
        (true, LockMode::SHARED),
        (false, LockMode::UPDATE),
        (true, LockMode::UPDATE),
    ] {
        let sinking = SinkHarness::new(3, 32);
        let (harness, table) = (&sinking.harness, sinking.table(ConflictPolicy::Wait));
        fill(harness, &table, 0..50);
        if has_sunk {
            sink_everything(&sinking);
        }
        let [mut holder, mut other] = [51, 52].map(|id| Client {
            session: harness.session(id),
            ..Client::new(harness, Isolation::ReadCommitted)
        });
        assert_eq!(lock(holder.begin(), &table, (0, 7), mode, Reach::Rows), Ok(true));
        sink_everything(&sinking);
        assert!(table.index_at(0).is_empty(), "a lock keeps no row in memory");
        other.begin();
        for (index, values) in [(0, [7, 8]), (1, [70, 80]), (2, [1, 2])] {
            let results = values
                .map(|v| lock(&mut other, &table, (index, v), LockMode::EXCLUSIVE, Reach::Range));
            let expected = [Err(TxnError::LockTimeout), Ok(true)];
            assert_eq!(results, expected, "{mode:?}, index {index}, sunk before: {has_sunk}");
        }
        holder.commit().expect("nothing was written");
        let last = lock(&mut other, &table, (1, 70), LockMode::EXCLUSIVE, Reach::Range);
        assert_eq!(last, Ok(true));
    }
}

/// Rows are looked up over and over, so that they are cached, while they change, sink and come
/// back. An old reader sees what it has seen at first.
#[test]
fn cached_rows_are_those_that_the_snapshot_sees() {
    const ROWS: u64 = 60;
    for seed in seeds() {
        let sinking = SinkHarness::new(seed, 32);
        let (harness, table) = (&sinking.harness, sinking.table(ConflictPolicy::Wait));
        fill(harness, &table, 0..ROWS as i64);
        sink_everything(&sinking);
        let mut rng = Rng(seed);
        let mut current: Map = Client::new(harness, Isolation::ReadCommitted)
            .begin()
            .all(&table)
            .expect("no error")
            .into_iter()
            .map(|row| (row[0], row))
            .collect();
        let mut old = Client::new(harness, Isolation::Snapshot);
        let mut seen = None;
        for step in 0..400 {
            let id = rng.roll(ROWS) as i64;
            let mut client = Client::new(harness, Isolation::ReadCommitted);
            match rng.roll(12) {
                0 => sinking.sink(&harness.task()),
                1 => sink_everything(&sinking),
                2 => {
                    let v = step;
                    let changed = client.autocommit(|c| {
                        c.update(&table, id, |[id, k, _]| Some([id, k, v])).map(drop)
                    });
                    changed.expect("no other writer");
                    current.entry(id).and_modify(|row| row[2] = v);
                }
                3 => match current.remove(&id) {
                    Some(_) => client.autocommit(|c| c.delete(&table, id).map(drop)),
                    None => {
                        current.insert(id, [id, 1000 + id, step]);
                        client.autocommit(|c| c.insert(&table, [id, 1000 + id, step]))
                    }
                }
                .expect("no other writer"),
                4 if seen.is_none() => {
                    old.begin().all(&table).expect("no error");
                    seen = Some(current.clone());
                }
                4 => {
                    old.rollback();
                    seen = None;
                }
                _ => {
                    let context = format!("seed {seed}, step {step}, row {id}");
                    let found = client.begin().look_up(&table, 0, id).expect("no error");
                    assert_eq!(found, current.get(&id).copied(), "{context}");
                    if let Some(row) = current.get(&id) {
                        let found = client.look_up(&table, 1, row[1]).expect("no error");
                        assert_eq!(found, Some(*row), "{context}, by its other key");
                    }
                    client.rollback();
                    if let Some(seen) = &seen {
                        let found = old.look_up(&table, 0, id).expect("no error");
                        assert_eq!(found, seen.get(&id).copied(), "{context}, old");
                    }
                }
            }
        }
        sink_everything(&sinking);
        let mut client = Client::new(harness, Isolation::ReadCommitted);
        client.begin();
        let found = client
            .statement(|txn, task, s| txn.check_table(task, &table, s.snapshot()))
            .expect("not interrupted");
        assert_eq!(found.faults, [], "seed {seed}: each copy is what the tree has");
        let cold = table.cold().expect("it has sunk");
        let stats = cold.row_cache_stats().expect("rows are cached");
        let hits = [0, 1].map(|index| stats.indexes[index].hits);
        assert!(
            hits.iter().all(|hits| *hits > 20) && stats.killed > 5 && stats.left > 5,
            "seed {seed}: {stats:?}"
        );
    }
}

/// How many rows have copies.
fn copies(cache: &RowCache, task: &Task) -> u64 {
    let contents = cache.contents(task).expect("not interrupted");
    contents.values().map(|of| of.rows).sum()
}

/// Rows that not every snapshot sees as the tree has them get no copies, whether a reader finds
/// them there or a round takes them out of memory.
#[test]
fn a_row_is_cached_when_every_snapshot_sees_it() {
    let sinking =
        SinkHarness::with(1, 64, SinkOptions { patience_ns: 0, ..SinkOptions::default() });
    let (harness, table) = (&sinking.harness, sinking.table(ConflictPolicy::Wait));
    // The table uses the cache from its first round on.
    fill(harness, &table, 2..3);
    sink_everything(&sinking);
    fill(harness, &table, 0..2);
    fill(harness, &table, 3..4);
    let mut client = Client::new(harness, Isolation::ReadCommitted);
    for id in 0..2 {
        assert!(client.begin().look_up(&table, 0, id).expect("no error").is_some());
        client.rollback();
    }
    sink_everything(&sinking);
    let cold = table.cold().expect("it has sunk");
    let cache = cold.store().row_cache().expect("rows are cached");
    let task = harness.task();
    assert_eq!(copies(cache, &task), 2, "the others were not looked up");
    let mut old = Client::new(harness, Isolation::Snapshot);
    let [before, ..] = old.begin().all(&table).expect("no error")[..] else { panic!("rows") };
    let after = [before[0], before[1], before[2] + 1];
    let changed = client.autocommit(|c| c.update(&table, before[0], |_| Some(after)).map(drop));
    changed.expect("no other writer");
    assert_eq!(copies(cache, &task), 1);
    sink_everything(&sinking);
    assert!(table.index_at(0).is_empty(), "the tree and the history have the row");
    let find = |client: &mut Client<'_>| client.look_up(&table, 0, before[0]).expect("no error");
    for _ in 0..3 {
        assert_eq!(find(client.begin()), Some(after));
        client.rollback();
        assert_eq!(find(&mut old), Some(before));
    }
    assert_eq!(copies(cache, &task), 1, "the row has none");
    old.rollback();
    // The entry's stamp is seen by all once a round has looked.
    sink_everything(&sinking);
    assert_eq!(find(client.begin()), Some(after));
    client.rollback();
    assert_eq!(copies(cache, &task), 2);
}

/// Copies neither count as rows of the table, nor keep memory that others need.
#[test]
fn copies_give_way_when_less_memory_is_left() {
    const ROWS: i64 = 20_000;
    let sinking = SinkHarness::with(2, 1024, SinkOptions::default());
    let (harness, table) = (&sinking.harness, sinking.table(ConflictPolicy::Wait));
    fill(harness, &table, 0..ROWS);
    sink_everything(&sinking);
    let cold = table.cold().expect("it has sunk");
    let cache = cold.store().row_cache().expect("rows are cached");
    let task = harness.task();
    let own = table.memory().allocated_bytes;
    let mut client = Client::new(harness, Isolation::ReadCommitted);
    for id in 0..ROWS {
        assert!(client.begin().look_up(&table, 0, id).expect("no error").is_some());
        client.rollback();
    }
    let used = cache.stats().bytes;
    assert!(used > 1 << 20 && copies(cache, &task) > 10_000, "{:?}", cache.stats());
    assert!(table.memory().allocated_bytes <= own, "a copy is no row that has to sink");
    let less = 1 << 20;
    sinking.pool.set_limit(less);
    for _ in 0..10 {
        task.env().clock().sleep_ns(100_000_000);
        sinking.core.watch(&task).expect("the disk works");
    }
    let now = cache.stats().bytes;
    assert!(now <= less / 8 * 7, "{now} of {used}");
    for id in (0..ROWS).step_by(100) {
        assert!(client.begin().look_up(&table, 0, id).expect("no error").is_some());
        client.rollback();
    }
}

/// A queue: consumers look for the first row, behind all that they have taken.
#[test]
fn a_round_is_due_when_scans_pass_many_rows_that_are_gone() {
    const ROWS: i64 = 1_000;
    let options = SinkOptions { age_ns: u64::MAX, ..SinkOptions::default() };
    let sinking = SinkHarness::with(1, 8192, options);
    let (harness, table) = (&sinking.harness, sinking.table(ConflictPolicy::Wait));
    let task = harness.task();
    fill(harness, &table, 0..ROWS);
    sink_everything(&sinking);
    // The last round had an effect.
    fill(harness, &table, ROWS..ROWS + 1);
    sinking.core.sink_all(&task).expect("the disk works");
    let rounds = sinking.core.stats().rounds;
    let mut client = Client::new(harness, Isolation::ReadCommitted);
    client.begin();
    for id in 0..ROWS {
        client.delete(&table, id).expect("no other writer");
    }
    client.commit().expect("no other writer");
    sinking.core.watch(&task).expect("the disk works");
    assert_eq!(sinking.core.stats().rounds, rounds, "nothing has been delayed");
    for _ in 0..1_000 {
        assert_eq!(client.begin().all(&table).expect("no error").len(), 1);
        client.rollback();
    }
    sinking.core.watch(&task).expect("the disk works");
    assert_eq!(sinking.core.stats().rounds, rounds + 1);
}

#[test]
fn rows_that_were_hot_are_hot_again_after_a_restart() {
    const ROWS: i64 = 500;
    let sinking = SinkHarness::new(1, 64);
    let (harness, table) = (&sinking.harness, sinking.table(ConflictPolicy::Wait));
    fill(harness, &table, 0..ROWS);
    sink_everything(&sinking);
    let cold = table.cold().expect("it has sunk");
    let cache = cold.store().row_cache().expect("rows are cached");
    let task = harness.task();
    cache.clear(&task.pin());
    let mut client = Client::new(harness, Isolation::ReadCommitted);
    let hot: Vec<i64> = (0..ROWS).filter(|id| id % 7 == 0).collect();
    for id in &hot {
        assert!(client.begin().look_up(&table, 0, *id).expect("no error").is_some());
        client.rollback();
    }
    let cached = || {
        let contents = cache.contents(&task).expect("not interrupted");
        contents.values().map(|of| of.rows).sum::<u64>()
    };
    assert_eq!(cached(), hot.len() as u64);
    sinking.core.note_hot_rows(&task);
    // As after a restart.
    cache.clear(&task.pin());
    assert_eq!(cached(), 0);
    sinking.core.warm(&task);
    assert_eq!(cached(), hot.len() as u64);
    // A list that is damaged is no list.
    cache.clear(&task.pin());
    let (fs, path) = (task.env().fs(), Path::new("/data/hot.rows"));
    let file = fs.open(path, OpenMode::Write).expect("it is there");
    file.write_all_at(b"x", 100).expect("the disk works");
    sinking.core.warm(&task);
    assert_eq!(cached(), 0);
    // Nor is one that is cut off, or of another database.
    file.set_len(20).expect("the disk works");
    sinking.core.warm(&task);
    assert_eq!(cached(), 0);
}
