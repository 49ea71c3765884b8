//! Servers that compile everything before its first run answer what interpreting servers answer.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use env::sim::SimEnv;
use ir::Unit;
use ir::machine_code::{CodeGenerator, MachineCode, NotCompiled};
use session::testing::{TestServer, power, scripts};
use testkit::golden;

use crate::Generator;

/// A generator that counts what it compiles.
pub struct Watched {
    generator: Generator,
    compiled: AtomicUsize,
    /// Why units were not compiled.
    refused: Mutex<Vec<NotCompiled>>,
}

impl Watched {
    pub fn new() -> Arc<Watched> {
        Arc::new(Watched {
            generator: Generator::new().expect("this machine is known"),
            compiled: AtomicUsize::new(0),
            refused: Mutex::default(),
        })
    }

    /// A server that has everything compiled by this generator.
    pub fn server(self: &Arc<Watched>, sim: &SimEnv) -> TestServer {
        TestServer::with(sim, |options| {
            options.code_generator = Some(self.clone());
            options.compile_after = 0;
        })
    }

    /// How many units the generator has compiled.
    pub fn compiled(&self) -> usize {
        self.compiled.load(Relaxed)
    }
}

impl CodeGenerator for Watched {
    fn generate(&self, unit: &Unit) -> Result<Box<dyn MachineCode>, NotCompiled> {
        let generated = self.generator.generate(unit);
        match &generated {
            Ok(_) => drop(self.compiled.fetch_add(1, Relaxed)),
            Err(why) => self.refused.lock().expect("no thread panics").push(why.clone()),
        }
        generated
    }
}

#[test]
fn golden_scripts_are_answered_as_by_the_interpreter() {
    // As much stack as statements may have: a test's thread has less.
    let builder = std::thread::Builder::new().stack_size(64 << 20);
    if let Err(panic) = builder.spawn(all_scripts).expect("a thread starts").join() {
        std::panic::resume_unwind(panic);
    }
}

fn all_scripts() {
    let watched = Watched::new();
    let server = watched.server(&SimEnv::new(7));
    let mut wrong = Vec::new();
    for script in scripts::all() {
        let answers = script.answers(&server);
        wrong.extend(golden::compare(&script.expected, &answers, scripts::SEPARATOR));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(watched.compiled() > 500, "{} units were compiled", watched.compiled());
    let refused = watched.refused.lock().expect("no thread panics");
    let why: Vec<&str> = refused.iter().map(|why| why.0.as_str()).collect();
    assert!(why.iter().all(|why| *why == "arithmetic errors give NULL"), "{why:?}");
}

#[test]
fn acknowledged_orders_survive_power_cuts() {
    let watched = Watched::new();
    power::acknowledged_orders_survive(4, &|sim| watched.server(sim));
    assert!(watched.compiled() > 20, "{} units were compiled", watched.compiled());
}

#[test]
fn views_tell_what_runs_as_machine_code() {
    let watched = Watched::new();
    let server = watched.server(&SimEnv::new(11));
    let mut session = server.session();
    session.run("create table t (id int not null primary key)");
    session.run("select id from t where id = 1");
    let answer = session.run(
        "select s.is_machine_code, case when s.machine_code_bytes > 0 then 1 else 0 end as has_bytes
         from sys.dm_exec_query_stats s cross apply sys.dm_exec_sql_text(s.sql_handle) t
         where t.text = 'select id from t where id = 1'",
    );
    assert_eq!(answer, "is_machine_code|has_bytes\n1|1\n(1 row)");
    let answer = session.run(
        "select count(*) as counters from sys.dm_os_performance_counters
         where object_name = 'SQLServer:Machine Code' and cntr_value > 0
         select count(*) as clerks from sys.dm_os_memory_clerks
         where type = 'MEMORYCLERK_MACHINECODE' and pages_kb > 0",
    );
    assert_eq!(answer, "counters\n1\n(1 row)\nclerks\n1\n(1 row)");
}
