//! Which units get machine code, and when.
//!
//! Natively compiled modules get it before they run first; for a long one the statement waits, and
//! a thread of its own compiles it. Anything else is interpreted until it has run often, or long,
//! enough to be worth the milliseconds; then a thread compiles it while sessions go on with the
//! interpreter. The code is kept in the unit, so it is dropped with the plan. Tests have everything
//! compiled before it runs first.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Weak, mpsc};

use base::account::{Account, Charged};
use engine::sync::plain::Mutex;
use engine::wait::{Event, Interrupted, Task};
use ir::Unit;
use ir::machine_code::{CodeGenerator, Entry, MachineCode};

use crate::fault::contain::contained;
use crate::program::NativePlan;
use crate::program::plan::StepPlan;

/// The heat at which a unit is compiled by default: it rises by one with each run and each
/// [`run::interp::TURNS_PER_HEAT`] turns of loops. Compiling costs about as much as this many runs
/// of a small statement.
pub const HOT: u32 = 2000;

/// Units of fewer instructions are compiled where they are needed, in a few milliseconds.
const SHORT: usize = 1000;

/// What compiling an instruction takes, at most, while its unit is compiled.
const INSTRUCTION_BYTES: usize = 8 << 10;

/// The stack of a thread that compiles a long module.
const STACK_BYTES: usize = 16 << 20;

/// Bytes of code that ad-hoc statements and ordinary procedures may have together.
const CODE_MAX: usize = 128 << 20;

/// Makes machine code for a server's units.
pub struct Compiler {
    generator: Option<Arc<dyn CodeGenerator>>,
    /// The heat at which units are compiled; 0: before they run first.
    compile_after: u32,
    /// Bytes of code that lives.
    bytes: Arc<AtomicUsize>,
    /// Held while a long module is compiled, which takes much memory: one at a time.
    long: Arc<Mutex<()>>,
    queue: Mutex<Option<mpsc::Sender<Weak<StepPlan>>>>,
    /// The thread could not be started: that is not tried again.
    broken: AtomicBool,
}

impl Compiler {
    /// A compiler with this generator; without one everything is interpreted. It compiles units
    /// when they are so hot, or before they run first if that is 0.
    pub fn new(generator: Option<Arc<dyn CodeGenerator>>, compile_after: u32) -> Compiler {
        Compiler {
            generator,
            compile_after,
            bytes: Arc::default(),
            long: Arc::default(),
            queue: Mutex::default(),
            broken: AtomicBool::new(false),
        }
    }

    /// Bytes of machine code that there are.
    pub fn code_bytes(&self) -> usize {
        self.bytes.load(Relaxed)
    }

    /// Gives a unit machine code, if there is a generator that can.
    pub fn compile(&self, unit: &Unit) {
        if let Some(generator) = &self.generator {
            compile(&**generator, unit, &self.bytes);
        }
    }

    /// Gives a natively compiled module's unit machine code, if there is a generator that can. A
    /// long one is compiled on a thread of its own, so that the statement can be cancelled and
    /// holds no worker. What compiling takes is charged to the account; a module for which that has
    /// no room is interpreted.
    pub fn compile_module(
        &self,
        task: &Task,
        plan: &Arc<NativePlan>,
        account: &Arc<Account>,
    ) -> Result<(), Interrupted> {
        let Some(generator) = &self.generator else { return Ok(()) };
        let bytes = plan.unit.code.len() * INSTRUCTION_BYTES;
        let Ok(charged) = Charged::take(account, bytes) else { return Ok(()) };
        if plan.unit.code.len() < SHORT {
            compile(&**generator, &plan.unit, &self.bytes);
            return Ok(());
        }
        let (generator, bytes) = (generator.clone(), self.bytes.clone());
        let long = self.long.clone();
        let (plan, done) = (plan.clone(), Arc::new(Event::new()));
        let ended = Ended(done.clone());
        let work = move || {
            let _ended = ended;
            let _charged = charged;
            let _alone = long.lock().unwrap_or_else(|p| p.into_inner());
            compile(&*generator, &plan.unit, &bytes);
        };
        // Without a thread the module is interpreted.
        let builder = std::thread::Builder::new().name("compiler".into()).stack_size(STACK_BYTES);
        match builder.spawn(work) {
            Ok(_) => done.wait_interruptible(task),
            Err(_) => Ok(()),
        }
    }

    /// What happens to a unit that is not a native module's before it runs: if nothing is waited
    /// for, it is compiled.
    #[inline]
    pub fn prepare(&self, unit: &Unit) {
        if self.compile_after == 0 && unit.machine_code.get().is_none() && unit.claim_compilation()
        {
            self.compile(unit);
        }
    }

    /// Queues a plan for compilation in the background once its unit is hot.
    #[inline]
    pub fn consider(&self, plan: &Arc<StepPlan>) {
        if plan.unit.heat() >= self.compile_after && plan.unit.machine_code.get().is_none() {
            self.enqueue(plan);
        }
    }

    #[cold]
    fn enqueue(&self, plan: &Arc<StepPlan>) {
        let Some(generator) = &self.generator else { return };
        if self.broken.load(Relaxed) || !plan.unit.claim_compilation() {
            return;
        }
        let mut queue = self.queue.lock().unwrap_or_else(|p| p.into_inner());
        if queue.is_none() {
            let (sender, receiver) = mpsc::channel::<Weak<StepPlan>>();
            let (generator, bytes) = (generator.clone(), self.bytes.clone());
            let work = move || {
                for plan in receiver {
                    // A plan that is no longer kept is not worth it.
                    if let Some(plan) = plan.upgrade()
                        && bytes.load(Relaxed) < CODE_MAX
                    {
                        compile(&*generator, &plan.unit, &bytes);
                    }
                }
            };
            match std::thread::Builder::new().name("compiler".into()).spawn(work) {
                Ok(_) => *queue = Some(sender),
                Err(_) => return self.broken.store(true, Relaxed),
            }
        }
        if let Some(sender) = &*queue {
            // The thread ends only when the sender is dropped.
            let _ = sender.send(Arc::downgrade(plan));
        }
    }
}

/// Wakes the statement that waits for a thread, however that ends.
struct Ended(Arc<Event>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.set();
    }
}

fn compile(generator: &dyn CodeGenerator, unit: &Unit, bytes: &Arc<AtomicUsize>) {
    // What cannot be compiled stays interpreted; so does what the generator panics at.
    let Ok(Ok(code)) = contained(|| generator.generate(unit)) else { return };
    bytes.fetch_add(code.size(), Relaxed);
    let counted = Counted { code, bytes: bytes.clone() };
    // Another thread may have been faster; then this code is dropped.
    let _ = unit.machine_code.set(Box::new(counted));
}

/// Code whose bytes are accounted for.
struct Counted {
    code: Box<dyn MachineCode>,
    bytes: Arc<AtomicUsize>,
}

// SAFETY: it is the code inside.
unsafe impl MachineCode for Counted {
    fn entry(&self) -> Entry {
        self.code.entry()
    }

    fn size(&self) -> usize {
        self.code.size()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.bytes.fetch_sub(self.code.size(), Relaxed);
    }
}
