//! Loops that look ahead: which ones do, and that what they compute ahead does no harm.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use env::sim::SimEnv;
use ir::Unit;
use ir::machine_code::{CodeGenerator, MachineCode, NotCompiled};
use session::testing::TestServer;

use crate::Generator;
use crate::ahead::Ahead;

/// A generator that counts the look-ups that look ahead.
struct Counting {
    generator: Generator,
    ahead: AtomicUsize,
}

impl CodeGenerator for Counting {
    fn generate(&self, unit: &Unit) -> Result<Box<dyn MachineCode>, NotCompiled> {
        let ahead = (0..unit.code.len()).filter(|&at| Ahead::of(unit, at).is_some()).count();
        self.ahead.fetch_add(ahead, Relaxed);
        self.generator.generate(unit)
    }
}

const TABLES: &str = "
    create database d
    go
    alter database d add filegroup m contains memory_optimized_data
    alter database d add file (name = 'm1', filename = '/srv/m1') to filegroup m
    go
    use d
    go
    create table h (id int not null primary key nonclustered hash with (bucket_count = 64),
        v int not null) with (memory_optimized = on)
    create table r (id bigint not null primary key nonclustered, v int not null)
        with (memory_optimized = on)
    insert h select value, value * 10 from generate_series(1, 100)
    insert r select value, value * 10 from generate_series(1, 100)";

/// Runs a native procedure of these statements. Returns how many look-ups look ahead, and `@sum`.
fn look_up(body: &str) -> (usize, String) {
    let generator = Generator::new().expect("this machine is known");
    let counting = Arc::new(Counting { generator, ahead: AtomicUsize::new(0) });
    let server = TestServer::with(&SimEnv::new(3), |options| {
        options.code_generator = Some(counting.clone());
        options.compile_after = 0;
    });
    let mut session = server.session();
    for batch in TABLES.split("go\n") {
        session.run(batch);
    }
    counting.ahead.store(0, Relaxed);
    let created = session.run(&format!(
        "create procedure p @sum bigint output with native_compilation, schemabinding as
         begin atomic with (transaction isolation level = snapshot, language = 'english')
             declare @i int = 0, @k bigint = 7, @v int = 0
             set @sum = 0
             {body}
         end"
    ));
    assert_eq!(created, "");
    let answer = session.run("declare @sum bigint exec p @sum output select @sum as s");
    (counting.ahead.load(Relaxed), answer)
}

fn sum(sum: i64) -> String {
    format!("s\n{sum}\n(1 row)")
}

#[test]
fn keys_that_are_computed_from_those_before_are_looked_up_ahead() {
    let body = "while @i < 50 begin
            set @k = (@k * 31 + 11) % 100
            select @v = v from dbo.h where id = cast(@k as int) + 1
            set @sum += @v
            set @i += 1
        end";
    let mut k = 7;
    let expected = (0..50).map(|_| {
        k = (k * 31 + 11) % 100;
        (k + 1) * 10
    });
    assert_eq!(look_up(body), (1, sum(expected.sum())));
}

#[test]
fn range_indexes_are_looked_up_ahead() {
    let body = "while @i < 100 begin
            set @i += 1
            select @v = v from dbo.r where id = @i
            set @sum += @v
        end";
    assert_eq!(look_up(body), (1, sum(50_500)));
}

#[test]
fn updates_look_their_rows_up_ahead() {
    let body = "while @i < 100 begin
            set @i += 1
            update dbo.h set v += 1 where id = @i
        end
        select @sum = sum(v) from dbo.h";
    assert_eq!(look_up(body), (1, sum(50_600)));
}

#[test]
fn keys_that_stay_or_come_from_rows_are_not_looked_up_ahead() {
    let stays = "while @i < 3 begin
            select @v = v from dbo.h where id = @k
            set @sum += @v
            set @i += 1
        end";
    assert_eq!(look_up(stays), (0, sum(210)));
    let from_rows = "while @i < 3 begin
            select @v = v from dbo.h where id = @v / 10 + 1
            set @sum += @v
            set @i += 1
        end";
    assert_eq!(look_up(from_rows), (0, sum(60)));
    let no_loop = "select @sum = v from dbo.h where id = @i + 1";
    assert_eq!(look_up(no_loop), (0, sum(10)));
}

#[test]
fn what_would_fail_in_the_next_turn_does_no_harm() {
    let by_zero = "set @i = 12
        while @i > 0 begin
            select @v = v from dbo.h where id = 12 / @i
            set @sum += @v
            set @i -= 3
        end";
    // 12 / 12, 12 / 9, 12 / 6, 12 / 3.
    assert_eq!(look_up(by_zero), (1, sum(80)));
    let least_by_minus_one = "declare @least bigint = -9223372036854775808
        declare @half bigint = 4611686018427387904
        set @i = 2
        while @i > 0 begin
            select @v = v from dbo.r where id = 1 - @least / @i / @half
            set @sum += @v
            set @i -= 3
        end";
    assert_eq!(look_up(least_by_minus_one), (1, sum(20)));
    let overflow = "set @k = 1
        while @k < 4000000000000000000 begin
            select @v = v from dbo.r where id = @k % 89 + 1
            set @sum += @v
            set @k = @k * 3
        end";
    let keys = std::iter::successors(Some(1i64), |k| k.checked_mul(3));
    let keys = keys.take_while(|k| *k < 4_000_000_000_000_000_000);
    assert_eq!(look_up(overflow), (1, sum(keys.map(|k| (k % 89 + 1) * 10).sum())));
}
