//! Indexed views: after a power cut, and with several sessions that change one group.

use env::sim::SimEnv;

use crate::testing::{TestServer, TestSession};

const SETUP: &str = "create database d
go
use d
go
create table p (id int not null primary key, kind varchar(5) null)
create table s (id int not null primary key,
  p int not null references p (id) on update cascade on delete cascade, amount int not null)
insert p select value, iif(value % 4 = 0, null, 'k' + cast(value % 4 as varchar)) from generate_series(1, 12)
go
create view g with schemabinding as
select p.kind, sum(s.amount) as total, count_big(*) as n from dbo.s join dbo.p on p.id = s.p group by p.kind
go
create view r with schemabinding as
select s.id, s.amount, p.kind from dbo.s join dbo.p on s.p = p.id where s.amount > 2
go
create unique clustered index ix on g (kind)
create unique clustered index ix on r (id)
create index ix_amount on r (amount)";

/// What is kept of the views is what they yield.
fn assert_same(session: &mut TestSession<'_>, story: &str) {
    for view in ["g", "r"] {
        for (less, of) in [(" with (noexpand)", ""), ("", " with (noexpand)")] {
            let query = format!(
                "select * from {view}{of} except select * from {view}{less} option (expand views)"
            );
            let answer = session.run(&query);
            assert!(answer.ends_with("(0 rows)"), "{story}: {query}: {answer}");
        }
    }
    let checked = session.run("dbcc checkdb with no_infomsgs");
    assert_eq!(checked, "", "{story}");
}

/// The rows of views and tables are those of the same transactions after a power cut, and go on.
#[test]
fn views_and_their_tables_survive_a_power_cut_together() {
    let sim = SimEnv::new(29);
    {
        let server = TestServer::on(&sim);
        let mut session = server.session();
        let made = session.script(SETUP);
        assert!(!made.contains("Msg"), "{made}");
        let insert = "insert s select value, value % 12 + 1, value from generate_series(1, 100)";
        assert!(session.durable(insert).is_some());
        assert!(session.durable("delete p where id = 3").is_some());
        session.run("begin tran update s set amount += 1000");
        sim.fs().power_off();
    }
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    let groups = "select n from g with (noexpand) where kind = 'k1'";
    assert_eq!(session.run(groups), "n\n25\n(1 row)");
    assert_same(&mut session, "after the power cut");
    session.run("update p set kind = 'k1' where id = 2; update s set amount = 1 where id < 20");
    assert_same(&mut session, "after further changes");
}

/// Two transactions that add to one group wait for each other, and neither is lost.
#[test]
fn transactions_that_change_one_group_wait_for_each_other() {
    let server = TestServer::new();
    let (mut one, mut two) = (server.session(), server.session());
    one.script(SETUP);
    two.run("use d; set lock_timeout 0");
    one.run("begin tran insert s values (1, 1, 10)");
    let waits = two.run("insert s values (2, 1, 20)");
    assert!(waits.contains("Msg 1222"), "{waits}");
    // A group that is new to both of them, and a change of the other table.
    let waits = two.run("update p set kind = 'k9' where id = 1");
    assert!(waits.contains("Msg 1222"), "{waits}");
    assert!(!two.run("insert s values (3, 2, 20)").contains("Msg"));
    one.run("commit");
    two.run("insert s values (2, 1, 20)");
    let sums = "select total, n from g with (noexpand) where kind = 'k1'";
    assert_eq!(two.run(sums), "total|n\n30|2\n(1 row)");
    assert_same(&mut one, "both have committed");
}

/// Changes of random rows of both tables by several sessions, some of which are rolled back, at all
/// isolation levels.
#[test]
fn views_yield_what_is_kept_of_them_after_random_changes() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(SETUP);
    session.run("alter database d set allow_snapshot_isolation on");
    session.run("insert s select value, value % 12 + 1, value % 7 from generate_series(1, 60)");
    let seed: u64 = 20;
    for round in 0..3 {
        let workers: Vec<_> = (0..3_u64)
            .map(|worker| {
                let instance = server.instance.clone();
                std::thread::spawn(move || {
                    let own = TestServer::of(instance);
                    let mut session = own.session();
                    session.run("use d");
                    let mut random = Random(seed + round * 10 + worker);
                    (0..40).for_each(|_| drop(change(&mut session, &mut random)));
                })
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().expect("it has ended"));
        assert_same(&mut session, &format!("seed {seed}, round {round}"));
        server.sink();
    }
    assert_same(&mut session, &format!("seed {seed}, at the end"));
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A transaction of a few random changes.
fn change(session: &mut TestSession<'_>, random: &mut Random) -> String {
    let level = ["read committed", "repeatable read", "serializable", "snapshot"];
    let level = level[random.below(4) as usize];
    let mut text = format!("set transaction isolation level {level}; begin tran; ");
    for _ in 0..=random.below(3) {
        let (id, p, amount) = (random.below(90) + 1, random.below(14) + 1, random.below(9));
        text += &match random.below(9) {
            0 | 1 => format!(
                "insert s select {id}, {p}, {amount} where exists (select 1 from p where id = {p})
                 and not exists (select 1 from s where id = {id}); "
            ),
            2 => format!("delete s where id between {id} and {id} + {amount}; "),
            3 => format!("update s set amount = {amount} where id % 10 = {p} % 10; "),
            4 => format!("update s set p = p % 3 + 1 where id between {id} and {id} + 3; "),
            5 => format!("update p set kind = 'k{}' where id = {p}; ", random.below(5)),
            6 => format!("update p set kind = null where id = {p}; "),
            7 => format!("update s set id += 200 where id = {id}; delete s where id > 250; "),
            _ => format!(
                "merge s as t using (values ({id}, {amount})) as v (id, amount) on t.id = v.id
                 when matched and t.amount > 4 then delete
                 when matched then update set amount = t.amount + v.amount
                 when not matched then insert (id, p, amount) values (v.id, 1, v.amount); "
            ),
        };
    }
    text += if random.below(4) == 0 { "rollback" } else { "commit" };
    let answer = session.run(&text);
    session.run("if @@trancount > 0 rollback");
    answer
}
