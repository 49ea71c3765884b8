//! The power fails at every file operation of a random workload, twice in a row; what was
//! acknowledged is there afterwards, whole and in order, and nothing is there that never was.

use std::collections::BTreeMap;

use env::sim::SplitMix;

use super::*;
use crate::log::record::RecordWriter;

/// What an observer outside the log knows.
#[derive(Default)]
struct Witness {
    /// Published commits by stamp, with their rows.
    published: BTreeMap<Lsn, Vec<Vec<u8>>>,
    /// The last commit that was acknowledged as durable.
    acknowledged: Lsn,
    /// Nothing below need be there any more.
    truncated: Lsn,
    next_number: u64,
    exists: bool,
}

impl Witness {
    /// Compares what was read back with what is known, and forgets what the crash took.
    fn check(&mut self, transactions: &[Replayed], end: Lsn, what: &str) {
        let acknowledged = self.acknowledged;
        assert!(
            end > acknowledged || acknowledged == Lsn::ZERO,
            "{what}: ends at {end}, before {acknowledged}"
        );
        self.published.retain(|&stamp, _| stamp < end);
        let expected = self.published.range(self.truncated..);
        let read: Vec<_> = transactions.iter().map(|t| (&t.stamp, &t.rows)).collect();
        assert_eq!(read, expected.collect::<Vec<_>>(), "{what}");
    }

    /// Everything that was published has become durable.
    fn acknowledge_all(&mut self) {
        if let Some((&last, _)) = self.published.last_key_value() {
            self.acknowledged = last;
        }
    }

    fn row(&mut self, len: usize) -> Vec<u8> {
        self.next_number += 1;
        row(self.next_number, len)
    }
}

/// Opens the log, checking what it holds, and runs random transactions until the power fails or
/// `steps` are done.
fn run(machine: &Machine, witness: &mut Witness, seed: u64, steps: u64, what: &str) {
    let log = if witness.exists {
        let store = machine.store();
        let opened = store.and_then(|store| {
            let from = witness.truncated.max(Log::START);
            let (transactions, end) = read_all(store.clone(), from)?;
            witness.check(&transactions, end.end.end, what);
            let end = end.end.resume_at(witness.truncated);
            Log::open(&machine.sim.env(), store, &end, log_options())
        });
        match opened {
            Ok(log) => log,
            Err(_) if machine.sim.fs().is_off() => return,
            Err(error) => panic!("{what}: {error}"),
        }
    } else {
        match machine.create() {
            Ok(log) => log,
            Err(_) if machine.sim.fs().is_off() => return,
            Err(error) => panic!("{what}: {error}"),
        }
    };
    witness.exists = true;
    witness.acknowledge_all(); // what was read back before opening is durable now
    let mut rng = SplitMix::new(seed);
    let task = machine.task();
    for _ in 0..steps {
        if step(&log, &task, witness, &mut rng).is_err() {
            assert!(machine.sim.fs().is_off(), "{what}: nothing else fails");
            return;
        }
    }
    if rng.coin() && log.shut_down().is_ok() {
        witness.acknowledge_all();
    }
}

fn step(log: &Log, task: &Task, witness: &mut Witness, rng: &mut SplitMix) -> Result<(), LogError> {
    match rng.below(10) {
        0 => drop(log.reserve_waiting(task, 16 * (1 + rng.below(100) as usize))?),
        1 => {
            let rows: Vec<_> = (0..4).map(|_| witness.row(3000)).collect();
            let body = body_of(&rows);
            let mut stream = None;
            let mut pieces: Vec<_> = body.chunks(5000).collect();
            let rest = pieces.pop().unwrap_or_default();
            for piece in pieces {
                stream = Some(log.append_chunk(task, stream, piece)?);
            }
            if rng.coin() {
                let mut space = log.reserve_waiting(task, record_len(rest.len()))?;
                space.put(rest);
                witness.published.insert(space.stamp(), rows);
                let stream = stream.unwrap_or_default();
                space.publish(RecordKind::Commit, RecordFlags::CHUNKED, stream);
            }
        }
        2 if rng.below(4) == 0 => {
            log.flush(task)?; // so that no commit record is left behind whose chunks are given up
            witness.acknowledge_all();
            witness.truncated = log.durable();
            log.truncate_before(witness.truncated)?;
        }
        kind => {
            let len = if kind == 3 { 8 + rng.below(7000) } else { 8 + rng.below(100) };
            let row = witness.row(len as usize);
            let (stamp, end) = commit(log, task, &row)?;
            witness.published.insert(stamp, vec![row]);
            if rng.coin() {
                log.wait_durable(task, end)?;
                witness.acknowledged = stamp;
            }
        }
    }
    Ok(())
}

/// How many operations a run of this seed does when nothing happens to it.
fn operations(seed: u64, steps: u64) -> u64 {
    let machine = Machine::new(seed);
    run(&machine, &mut Witness::default(), seed, steps, "dry run");
    machine.sim.fs().operations()
}

fn crash_everywhere(seed: u64, steps: u64) {
    let total = operations(seed, steps);
    for k in 1..=total {
        let machine = Machine::new(seed.wrapping_mul(1000) + k);
        let mut witness = Witness::default();
        let fs = machine.sim.fs();
        fs.power_off_at(k);
        run(&machine, &mut witness, seed, steps, &format!("seed {seed}, operation {k}"));
        fs.power_on();
        // The second cut falls into recovery, or a little after it.
        let second = 1 + (k * 7) % 60;
        fs.power_off_at(fs.operations() + second);
        let what = format!("seed {seed}, operations {k} and {second} more");
        run(&machine, &mut witness, seed + 1, steps / 2, &what);
        fs.power_on();
        run(&machine, &mut witness, seed + 2, 5, &what);
        fs.power_on();
        run(&machine, &mut witness, seed + 3, 1, &what);
    }
}

/// Another seed for every run of the tests can be had by `THERMOCLINE_SEED`; more of them by
/// `THERMOCLINE_ROUNDS`.
#[test]
fn acknowledged_commits_survive_a_crash_at_every_operation() {
    let number = |name| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let first: u64 = number("THERMOCLINE_SEED").unwrap_or(1);
    let rounds: u64 = number("THERMOCLINE_ROUNDS").unwrap_or(3);
    for seed in (0..rounds).map(|round| first + 100 * round) {
        println!("seed {seed}");
        crash_everywhere(seed, 60);
    }
}
