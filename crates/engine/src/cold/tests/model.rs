//! Tests of random edits against a model, with crashes at every file operation, failing operations
//! and a full disk. After a crash the content is that of the last durable checkpoint, or of the one
//! whose flip the crash interrupted.

use std::collections::BTreeMap;

use env::OpKind;
use env::sim::{Fault, FaultKind};

use super::*;

type Content = BTreeMap<PageNumber, u64>;

/// What an observer outside the store knows.
#[derive(Default, Clone)]
struct Witness {
    /// The published content, while the machine is up.
    current: Content,
    /// The content of the last checkpoint that succeeded, and its info.
    durable: (Content, Vec<u8>),
    /// The same of checkpoints that failed or were interrupted: one of them may be durable.
    possible: Vec<(Content, Vec<u8>)>,
    exists: bool,
    next_value: u64,
}

impl Witness {
    fn value(&mut self) -> u64 {
        self.next_value += 1;
        self.next_value
    }

    /// Takes what was read after a crash as durable from now on.
    fn adopt(&mut self, found: (Content, Vec<u8>), what: &str) {
        let known = found == self.durable || self.possible.contains(&found);
        assert!(known, "{what}: the content is of no checkpoint");
        self.possible.clear();
        (self.current, self.durable) = (found.0.clone(), found);
    }
}

struct Run<'a> {
    machine: &'a Machine,
    witness: &'a mut Witness,
    rng: SplitMix,
    what: &'a str,
    /// Whether operations fail besides the crash.
    faulty: bool,
}

impl Run<'_> {
    fn is_off(&self) -> bool {
        self.machine.sim.fs().is_off()
    }

    /// Opens the store, checks its content, and does random things until the power goes or `steps`
    /// are done.
    fn run(&mut self, steps: u64) {
        let Ok(pool) =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.machine.pool(16)))
        else {
            panic!("{}: no pool", self.what)
        };
        let task = self.machine.task();
        let Some(store) = self.open(&pool, &task) else { return };
        for step in 0..steps {
            if self.is_off() {
                return;
            }
            if self.faulty && self.rng.below(8) == 0 {
                self.inject();
            }
            let result = match self.rng.below(10) {
                0..=4 => self.edit(&store, &task),
                5 => self.read_some(&store, &task),
                6 => {
                    pool.drop_clean();
                    Ok(())
                }
                7 if self.rng.below(2) == 0 => store.move_out_of_end(1).map(|_| ()),
                7 => store.shrink(1, 0).map(|_| ()),
                _ => self.checkpoint(&store, &task),
            };
            match result {
                Ok(()) => {}
                Err(_) if self.is_off() => return,
                Err(ColdError::File(_) | ColdError::Full(_) | ColdError::Read(_))
                    if self.faulty => {}
                // A read may detect that a failed sync has lost an image.
                Err(ColdError::Checksum { .. }) if self.faulty => return,
                Err(error) => panic!("{}, step {step}: {error}", self.what),
            }
        }
        self.machine.sim.fs().clear_faults();
        self.machine.sim.fs().set_capacity(None);
    }

    fn inject(&mut self) {
        let fs = self.machine.sim.fs();
        match self.rng.below(4) {
            0 => fs.inject(Fault::next(OpKind::Write, FaultKind::Io)),
            1 => fs.inject(Fault::next(OpKind::Read, FaultKind::Io).times(2)),
            2 => fs.set_capacity(Some(fs.used() + self.rng.below(20) * PAGE_BYTES as u64)),
            _ => fs.set_capacity(None),
        }
    }

    fn open(&mut self, pool: &Pool, task: &Task) -> Option<Store> {
        if !self.witness.exists {
            match Store::create(pool, DATABASE, &files(), b"") {
                Ok(store) => {
                    self.witness.exists = true;
                    return Some(store);
                }
                Err(_) if self.is_off() => {
                    // The store need not exist after such a crash, but the file's name may be
                    // there.
                    return None;
                }
                Err(error) => panic!("{}: {error}", self.what),
            }
        }
        match Store::open(pool, DATABASE, &files()) {
            Ok(opened) => {
                let found = self.content(&opened.store, task)?;
                self.witness.adopt((found, opened.info), self.what);
                Some(opened.store)
            }
            Err(_) if self.is_off() => None,
            Err(error) => panic!("{}: {error}", self.what),
        }
    }

    fn content(&self, store: &Store, task: &Task) -> Option<Content> {
        let end = store.core.numbers.lock().end;
        let mut content = Content::new();
        for page in (1..end).map(PageNumber) {
            match store.load(task, page, Access::Scan) {
                Ok(image) => {
                    content.insert(page, value_of(&image));
                }
                Err(ColdError::Freed(_)) => {}
                Err(_) if self.is_off() => return None,
                Err(error) => panic!("{}: {error}", self.what),
            }
        }
        Some(content)
    }

    fn any_page(&mut self) -> Option<PageNumber> {
        let count = self.witness.current.len() as u64;
        let nth = self.rng.below(count.max(1)) as usize;
        self.witness.current.keys().nth(nth).copied()
    }

    /// Runs one batch, which changes, makes and frees pages; sometimes it is dropped half-way.
    fn edit(&mut self, store: &Store, task: &Task) -> Result<(), ColdError> {
        let mut batch = store.batch();
        let mut next = self.witness.current.clone();
        let mut freed = Vec::new();
        let changed = self.change_some(&mut batch, task, &mut next, &mut freed);
        if changed.is_ok() && self.rng.below(8) > 0 {
            batch.finish();
            self.witness.current = next;
        } else {
            drop(batch);
            self.witness.current.retain(|page, _| !freed.contains(page));
        }
        changed
    }

    fn change_some(
        &mut self,
        batch: &mut Batch,
        task: &Task,
        next: &mut Content,
        freed: &mut Vec<PageNumber>,
    ) -> Result<(), ColdError> {
        for _ in 0..1 + self.rng.below(8) {
            let value = self.witness.value();
            match (self.rng.below(4), self.any_page()) {
                (0 | 1, Some(page)) if next.contains_key(&page) => {
                    fill(batch.edit(task, page)?, value);
                    next.insert(page, value);
                    if self.rng.below(3) == 0 {
                        batch.publish(page);
                        self.witness.current.insert(page, value);
                    }
                }
                (2, Some(page)) if next.len() > 20 && next.remove(&page).is_some() => {
                    batch.free(page);
                    freed.push(page);
                }
                _ => {
                    let (page, body) = batch.allocate(task)?;
                    fill(body, value);
                    next.insert(page, value);
                }
            }
        }
        Ok(())
    }

    fn read_some(&mut self, store: &Store, task: &Task) -> Result<(), ColdError> {
        for _ in 0..10 {
            if let Some(page) = self.any_page() {
                let hint = if self.rng.coin() { Access::Point } else { Access::Scan };
                let image = store.load(task, page, hint)?;
                assert_eq!(value_of(&image), self.witness.current[&page], "{}", self.what);
            }
        }
        Ok(())
    }

    /// Makes a checkpoint, with edits between its capture and its end.
    fn checkpoint(&mut self, store: &Store, task: &Task) -> Result<(), ColdError> {
        // Long enough for a root of several sectors, which can be torn.
        let info: Vec<u8> =
            (0..100 * self.rng.below(40)).map(|_| self.rng.below(256) as u8).collect();
        let capture = store.capture(&info);
        let content = (self.witness.current.clone(), info);
        for _ in 0..self.rng.below(3) {
            self.edit(store, task)?;
        }
        if self.rng.below(8) == 0 {
            return Ok(()); // given up
        }
        self.witness.possible.push(content.clone());
        store.write(capture)?;
        self.witness.possible.clear();
        self.witness.durable = content;
        Ok(())
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

/// Runs a seed without a crash. Returns how many file operations it takes.
fn operations(seed: u64, steps: u64, faulty: bool) -> u64 {
    let machine = Machine::new(seed);
    let what = format!("seed {seed}, no crash, faulty {faulty}");
    let mut witness = Witness::default();
    let rng = SplitMix::new(seed);
    Run { machine: &machine, witness: &mut witness, rng, what: &what, faulty }.run(steps);
    machine.sim.fs().operations()
}

/// Cuts the power during this operation; then twice more while the store is opened and used again.
fn crash_at(seed: u64, operation: u64, steps: u64, faulty: bool) {
    let machine = Machine::new(seed);
    let mut witness = Witness::default();
    let fs = machine.sim.fs();
    fs.power_off_at(operation);
    for round in 0..4 {
        let what = format!("seed {seed}, operation {operation}, round {round}, faulty {faulty}");
        let rng = SplitMix::new(seed + round);
        let faulty = faulty && round < 2;
        Run { machine: &machine, witness: &mut witness, rng, what: &what, faulty }.run(steps);
        if !fs.is_off() {
            fs.power_off();
        }
        fs.power_on();
        fs.set_capacity(None);
        if !witness.exists {
            return; // the crash interrupted the store's creation
        }
        if round < 2 {
            fs.power_off_at(fs.operations() + 1 + (operation * 7) % 90);
        }
    }
}

/// `THERMOCLINE_SEED` sets another seed, `THERMOCLINE_COLD_RUNS` the number of seeds.
#[test]
fn a_crash_at_any_operation_leaves_a_whole_checkpoint() {
    let first = number("THERMOCLINE_SEED").unwrap_or(1);
    let runs = number("THERMOCLINE_COLD_RUNS").unwrap_or(1);
    for seed in (0..runs).map(|run| first + 10 * run) {
        for faulty in [false, true] {
            let steps = 30;
            let total = operations(seed, steps, faulty);
            println!("seed {seed}: {total} operations");
            (3..=total).for_each(|operation| crash_at(seed, operation, steps, faulty));
        }
    }
}

/// As above, but with far longer runs between crashes, and with crashes at few operations.
#[test]
fn long_runs_end_in_a_whole_checkpoint() {
    let first = number("THERMOCLINE_SEED").unwrap_or(1);
    let runs = number("THERMOCLINE_COLD_RUNS").unwrap_or(1) * 4;
    for seed in first..first + runs {
        println!("seed {seed}");
        let total = operations(seed, 400, false);
        crash_at(seed, total * 2 / 3, 400, false);
        crash_at(seed, total / 2, 400, true);
    }
}
