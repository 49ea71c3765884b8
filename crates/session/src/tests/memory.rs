//! Memory-optimized tables: at which levels they are read, and what conflicts end.

use super::TestServer;

fn server() -> TestServer {
    let server = TestServer::new();
    let mut session = server.session();
    let answer = session.script(
        "create database m
        go
        alter database m add filegroup f contains memory_optimized_data
        alter database m add file (name = 'f1', filename = 'f1') to filegroup f
        go
        use m
        go
        create table t (id int not null primary key nonclustered hash with (bucket_count = 64), v int)
            with (memory_optimized = on)
        create table plain (id int primary key)
        insert t values (1, 10), (2, 20)",
    );
    assert!(!answer.contains("Msg "), "{answer}");
    drop(session);
    server
}

#[test]
fn levels_are_checked() {
    let server = server();
    let mut session = server.session();
    session.run("use m");
    assert_eq!(session.run("select v from t where id = 1"), "v\n10\n(1 row)");
    let answer = session.run("begin tran select v from t");
    assert!(answer.starts_with("Msg 41368, Level 16, State 0"), "{answer}");
    assert_eq!(session.run("print @@trancount"), "0");
    assert_eq!(
        session.run(
            "begin tran select v from t with (snapshot) where id = 2 insert t values (3, 3) commit"
        ),
        "v\n20\n(1 row)\n(1 row)"
    );
    let answer = session.run("set transaction isolation level serializable select v from t");
    assert!(answer.starts_with("Msg 41333, Level 16, State 1"), "{answer}");
    let answer = session.run("set transaction isolation level snapshot select v from t");
    assert!(answer.starts_with("Msg 41332, Level 16, State 0"), "{answer}");
    session.run("set transaction isolation level read committed");
    let answer = session.run("set transaction isolation level snapshot select * from plain");
    assert!(answer.starts_with("Msg 3952, Level 16, State 1"), "{answer}");
}

#[test]
fn levels_of_both_kinds_of_tables_are_checked_together() {
    let server = server();
    let mut session = server.session();
    session.run("use m");
    for (first, second) in [
        ("select v from t with (serializable) where id = 1", "select * from plain with (holdlock)"),
        ("select * from plain with (repeatableread)", "delete t with (serializable) where id = 9"),
        (
            "select 1 as v",
            "select t.v from t with (serializable) join plain with (serializable) on 1 = 1",
        ),
    ] {
        let answer = session.run(&format!("begin tran {first} {second} print 'not'"));
        assert!(answer.contains("Msg 41333, Level 16, State 1"), "{second}: {answer}");
        assert_eq!(session.run("print @@trancount if @@trancount > 0 rollback"), "0");
    }
    let allowed = "begin tran select v from t with (snapshot) where id = 1 \
                   select count(*) from plain with (serializable) commit \
                   begin tran select v from t with (serializable) where id = 1 \
                   select count(*) from plain commit";
    let answer = session.run(allowed);
    assert!(!answer.contains("Msg "), "{answer}");
}

#[test]
fn a_transaction_with_memory_optimized_tables_stays_in_one_database() {
    let server = server();
    let mut session = server.session();
    session.run("create database e");
    session.run("create table e.dbo.e (a int)");
    session.run("use m");
    for (first, second) in [
        ("update t with (snapshot) set v = 3 where id = 1", "insert e.dbo.e values (1)"),
        ("insert e.dbo.e values (2)", "update t with (snapshot) set v = 3 where id = 1"),
        ("select v from t with (snapshot) where id = 7", "select * from e.dbo.e"),
    ] {
        let answer = session.run(&format!("begin tran {first} {second}"));
        assert!(answer.contains("Msg 41317, Level 16, State 5"), "{second}: {answer}");
        session.run("if @@trancount > 0 rollback");
    }
    assert_eq!(session.run("select count(*) as n from e.dbo.e"), "n\n0\n(1 row)");
}

#[test]
fn the_second_writer_loses_its_transaction() {
    let server = server();
    let (mut one, mut two) = (server.session(), server.session());
    one.run("use m");
    two.run("use m");
    one.run("begin tran update t with (snapshot) set v = 11 where id = 1");
    two.run("begin tran update t with (snapshot) set v = 21 where id = 2");
    let answer = two.run("update t with (snapshot) set v = 12 where id = 1 print 'not'");
    assert!(answer.starts_with("Msg 41302, Level 16, State 110"), "{answer}");
    assert_eq!(two.run("print @@trancount"), "0");
    one.run("commit");
    assert_eq!(two.run("select v from t order by id"), "v\n11\n20\n(2 rows)");
    one.run("begin tran update t with (snapshot) set v = 1 where id = 1");
    let caught = "begin tran begin try update t with (snapshot) set v = 2 where id = 1 end try
        begin catch print error_number() print xact_state() rollback end catch";
    assert_eq!(two.run(caught), "41302\n-1");
    one.run("rollback");
}

#[test]
fn repeatable_reads_are_validated_at_commit() {
    let server = server();
    let (mut one, mut two) = (server.session(), server.session());
    one.run("use m");
    two.run("use m");
    one.run("begin tran select v from t with (repeatableread) where id = 1");
    two.run("update t set v = 99 where id = 1");
    let answer = one.run("insert t values (7, 7) commit print 'not'");
    assert!(answer.contains("Msg 41305, Level 16, State 0"), "{answer}");
    assert_eq!(one.run("select count(*) as n from t"), "n\n2\n(1 row)");
}

/// Errors 41805 and 701 named the database, or nothing, where the pool's name belongs.
#[test]
fn a_statement_without_memory_is_told_which_pool_has_none() {
    let server = server();
    let mut session = server.session();
    session.run("use m");
    let instance = &server.instance;
    let id = instance.find_database("m").expect("it was made").id;
    let catalog = instance.catalog(id).expect("it is open");
    let memory = catalog.database().manager().pool();
    let insert = "insert t values (3, 30)";
    let refused = |pool: &str, number: i32, text: String| {
        assert!(text.starts_with(&format!("Msg {number}, ")), "{text}");
        assert!(text.contains(&format!(" in the resource pool '{pool}' ")), "{text}");
    };
    let counts = "select name, out_of_memory_count from sys.dm_resource_governor_resource_pools";
    memory.set_limit(0);
    refused("default", 41805, session.run(insert));
    let answer = session.run(counts);
    assert!(answer.contains("internal|0\ndefault|1\n"), "{answer}");
    // Disk tables do not concern the pool, and definitions can be changed.
    for statement in [
        "create table again (id int primary key, v int)",
        "insert again values (1, 1), (2, 2)",
        "update again set v = 3 where id = 1",
        "delete again where id = 2",
        "truncate table again",
        "drop table again",
        "delete t where id = 2",
    ] {
        let answer = session.run(statement);
        assert!(!answer.contains("Msg "), "{statement}: {answer}");
    }
    instance.limit_memory();
    session.script(
        "create resource pool small with (max_memory_percent = 5)
        go
        alter resource governor reconfigure
        go
        exec sp_xtp_bind_db_resource_pool 'm', 'small'",
    );
    memory.set_limit(0);
    refused("small", 41805, session.run(insert));
    refused("small", 41805, session.run("alter table t add w int null"));
    let answer = session.run(counts);
    assert!(!answer.contains("small|0\n") && answer.contains("small|"), "{answer}");
    instance.limit_memory();
    assert_eq!(session.run("insert t values (3, 30)"), "(1 row)");
    instance.host().pool.set_limit(0);
    let answer = session.run("insert t values (4, 40)");
    assert!(answer.starts_with("Msg 701, Level 17, State 123"), "{answer}");
    assert!(answer.contains(" in resource pool 'default' "), "{answer}");
}

/// Runs a text with this beginning that repeats the same part endlessly: its tree takes more than a
/// session may have.
fn texts_of(begin: &str, part: &str) -> String {
    format!(
        "declare @s nvarchar(max) = N'{begin}' + replicate(cast(N'{part}' as nvarchar(max)), 3000000) \
         exec (@s)"
    )
}

/// Values were counted only now and then: a loop that doubled a variable took gigabytes where a
/// session may have a quarter of one, and what one expression made stayed until its end.
#[test]
fn values_are_charged_before_they_are_made_and_free_when_they_are_gone() {
    let server = TestServer::new();
    let mut session = server.session();
    let long = "declare @s varchar(max) = replicate(cast('x' as varchar(max)), 20000000)";
    for text in [
        "declare @s varchar(max) = 'x' while 1 = 1 set @s = @s + @s".to_string(),
        format!("{long} select len(@s{})", "+@s".repeat(19)),
        format!("{long} select len(upper(@s + '1')){}", " + len(upper(@s + '2'))".repeat(19)),
        "select len(string_agg(replicate(cast('x' as varchar(max)), 100000), ','))
            from generate_series(1, 10000)"
            .to_string(),
        "select len((select replicate(cast('x' as varchar(max)), 100000) as a
            from generate_series(1, 10000) for json path))"
            .to_string(),
        "select len((select a.value, replicate(cast('x' as varchar(max)), 100000) as a, b.value
            from generate_series(1, 10000) a cross join generate_series(1, 2) b for json auto))"
            .to_string(),
        "select len(json_arrayagg(replicate(cast('x' as varchar(max)), 100000)))
            from generate_series(1, 10000)"
            .to_string(),
        "select json_arrayagg(replicate(cast('x' as varchar(max)), 10000)) over (order by value)
            from generate_series(1, 10000)"
            .to_string(),
        "select json_array(replicate(cast('/' as varchar(max)), 100000000))".to_string(),
        texts_of("exec p 1", ",1"),
        texts_of("select 1 where 1 in (1", ",1"),
        texts_of("declare @i int", " set @i=1"),
        texts_of("select 1", "+1"),
    ] {
        let answer = session.run(&text);
        // The column of a result may have been announced before.
        let refusal = answer.trim_start();
        assert!(refusal.starts_with("Msg 701, Level 17, State 123"), "{text}: {answer}");
        let used = session.session().runtime.grant.used();
        assert!(used <= 1 << 20, "{text} has left {used} bytes");
    }
    // Each row's value is gone when the next one comes.
    let rows = session.run(
        "select max(len(replicate(cast('x' as varchar(max)), 10000000 + value))) as n
         from generate_series(1, 40)",
    );
    assert_eq!(rows, "n\n10000040\n(1 row)");
    // One session's values count for all.
    let instance = &server.instance;
    let other = instance.session_account();
    let whole = base::account::Charged::take(&other, 200 << 20).unwrap();
    drop(whole);
    assert_eq!(other.used(), 0);
}
