//! What compiling costs. Measured on optimised code:
//! `cargo test --release -p thermocline-native cost -- --ignored --nocapture`.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use env::sim::SimEnv;
use ir::Unit;
use ir::machine_code::{CodeGenerator, MachineCode, NotCompiled};
use session::testing::TestServer;

use crate::Generator;

/// What one unit took.
struct Cost {
    instructions: usize,
    bytes: usize,
    time: Duration,
}

struct Measured {
    generator: Generator,
    costs: Mutex<Vec<Cost>>,
}

impl CodeGenerator for Measured {
    fn generate(&self, unit: &Unit) -> Result<Box<dyn MachineCode>, NotCompiled> {
        let began = Instant::now();
        let code = self.generator.generate(unit)?;
        let (time, bytes) = (began.elapsed(), code.size());
        let cost = Cost { instructions: unit.code.len(), bytes, time };
        self.costs.lock().expect("no thread panics").push(cost);
        Ok(code)
    }
}

const TABLES: &str = "create database d
    alter database d add filegroup m contains memory_optimized_data
    alter database d add file (name = 'm', filename = 'm') to filegroup m
    go
    use d
    go
    create table account (id int not null primary key nonclustered, balance decimal(18, 2) not null,
        name nvarchar(50) null, changed datetime2 null) with (memory_optimized = on)
    create table entry (id int identity not null primary key nonclustered, account int not null,
        amount decimal(18, 2) not null, note varchar(40) null) with (memory_optimized = on)";

/// Eleven lines of what such procedures do.
const PART: &str = "
    declare @balance$ decimal(18, 2) = 0, @turn$ int = 0
    select @balance$ = balance from dbo.account where id = @id + $
    while @turn$ < 3
    begin
        set @total += @balance$ * @turn$ + isnull(@factor, 1)
        if @total > 1000000 throw 50001, N'That is too much.', 1
        set @turn$ += 1
    end
    update dbo.account set balance = balance + @amount, changed = sysutcdatetime() where id = @id + $
    insert dbo.entry (account, amount, note) values (@id + $, @amount * 2, concat('part ', @turn$))
    select @count += count(*) from dbo.entry where account = @id + $ and amount >= @amount";

fn procedure() -> String {
    let mut text = "create procedure p @id int, @amount decimal(18, 2), @factor int
        with native_compilation, schemabinding as
        begin atomic with (transaction isolation level = snapshot, language = 'english')
        declare @total decimal(18, 2) = 0, @count int = 0"
        .to_owned();
    for part in 0..9 {
        text.push_str(&PART.replace('$', &part.to_string()));
    }
    text.push_str("\nselect @total as total, @count as n\nend");
    text
}

#[test]
#[ignore = "measures time"]
fn a_native_procedure_of_100_lines_is_compiled_in_50_ms() {
    let measured = Arc::new(Measured {
        generator: Generator::new().expect("this machine is known"),
        costs: Mutex::default(),
    });
    let server = TestServer::with(&SimEnv::new(7), |options| {
        options.code_generator = Some(measured.clone());
    });
    let mut session = server.session();
    let text = procedure();
    let mut times = Vec::new();
    let answer = session.script(TABLES);
    assert!(!answer.contains("Msg "), "{answer}");
    for _ in 0..5 {
        session.run("drop procedure if exists p");
        assert_eq!(session.run(&text), "");
        let answer = session.run("exec p 1, 2, 3");
        assert!(answer.starts_with("total|n\n"), "{answer}");
        let cost = measured.costs.lock().expect("no thread panics").pop().expect("it is native");
        let Cost { instructions, bytes, time } = cost;
        let lines = text.lines().count();
        println!("{lines} lines, {instructions} instructions, {bytes} bytes of code: {time:?}");
        times.push(time);
    }
    times.sort();
    assert!(times[2] < Duration::from_millis(50), "{times:?}");
}
