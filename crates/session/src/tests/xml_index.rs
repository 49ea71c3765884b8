//! XML indexes: after a power cut, and with several sessions.

use env::sim::SimEnv;

use crate::testing::TestServer;

const SETUP: &str = "create database d
go
use d
go
create table t (id int not null primary key, x xml)
insert t select value, '<a><b c=\"' + cast(value as varchar) + '\"/></a>' from generate_series(1, 300)
create primary xml index ix on t (x)
create xml index path on t (x) using xml index ix for path";

/// How many entries there are, and whether each of them is of a row.
const ENTRIES: &str = "select p.rows from sys.partitions p join sys.internal_tables i
    on i.object_id = p.object_id where p.index_id = 1";

fn find(value: &str) -> String {
    format!("select id from t where x.exist('/a/b[@c=\"{value}\"]') = 1 order by id")
}

/// Rows and entries are those of the same transactions after a power cut, and go on.
#[test]
fn an_index_and_its_table_survive_a_power_cut_together() {
    let sim = SimEnv::new(23);
    {
        let server = TestServer::on(&sim);
        let mut session = server.session();
        assert_eq!(session.script(SETUP).matches("Msg").count(), 0);
        let change = "update t set x = '<a><b c=\"new\"/></a>' where id = 7";
        assert!(session.durable(change).is_some());
        assert!(session.durable("delete t where id = 8").is_some());
        session.run("begin tran update t set x = '<a><b c=\"lost\"/></a>'");
        sim.fs().power_off();
    }
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    assert_eq!(session.run(&find("new")), "id\n7\n(1 row)");
    assert_eq!(session.run(&find("9")), "id\n9\n(1 row)");
    for gone in ["7", "8", "lost"] {
        assert_eq!(session.run(&find(gone)), "id\n(0 rows)", "{gone}");
    }
    assert_eq!(session.run(ENTRIES), "rows\n897\n(1 row)");
    session.run("insert t values (8, '<a><b c=\"again\"/></a>')");
    assert_eq!(session.run(&find("again")), "id\n8\n(1 row)");
    assert_eq!(session.run(ENTRIES), "rows\n900\n(1 row)");
}

/// A statement that waits for another transaction's change of a row replaces the entries of the
/// newest version, not of the one that its snapshot has.
#[test]
fn entries_of_a_version_that_was_waited_for_are_replaced() {
    let server = TestServer::new();
    let (mut one, mut two) = (server.session(), server.session());
    one.script(SETUP);
    two.run("use d");
    one.run("begin tran update t set x = '<a><b c=\"one\"/></a>' where id = 1");
    two.run("set lock_timeout 0");
    let waits = two.run("update t set x = '<a><b c=\"two\"/></a>' where id = 1");
    assert!(waits.contains("Msg 1222"), "{waits}");
    one.run("commit");
    two.run("update t set x = '<a><b c=\"two\"/></a>' where id = 1");
    assert_eq!(two.run(&find("one")), "id\n(0 rows)");
    assert_eq!(two.run(&find("two")), "id\n1\n(1 row)");
    assert_eq!(two.run(ENTRIES), "rows\n900\n(1 row)");
}

/// A snapshot sees the entries of its rows.
#[test]
fn a_snapshot_finds_the_rows_that_it_sees() {
    let server = TestServer::new();
    let (mut reader, mut writer) = (server.session(), server.session());
    writer.script(SETUP);
    writer.run("alter database d set allow_snapshot_isolation on");
    reader.run("use d; set transaction isolation level snapshot; begin tran");
    assert_eq!(reader.run(&find("5")), "id\n5\n(1 row)");
    writer.run("update t set x = '<a><b c=\"moved\"/></a>' where id = 5");
    assert_eq!(reader.run(&find("5")), "id\n5\n(1 row)");
    assert_eq!(reader.run(&find("moved")), "id\n(0 rows)");
    reader.run("commit");
    assert_eq!(reader.run(&find("moved")), "id\n5\n(1 row)");
}

/// Conditions that an index may find, for documents as `document` makes them.
const CONDITIONS: &str = "\
x.value('(/a/@n)[1]', 'int') = 7
7 = x.value('(/a/@n)[1]', 'bigint')
x.value('(/a/@n)[1]', 'int') between 3 and 5
x.value('(/a/@n)[1]', 'int') > 17 and x.value('(/a/@n)[1]', 'int') <= 19
x.value('(/a/b)[2]', 'decimal(9,1)') = 1.5
x.value('(/a/b)[1]', 'float') < 0.5
x.value('(/a/b)[1]', 'real') >= 9
x.value('(/a/b)[1]', 'decimal(9,0)') = @n
x.value('(/a/b)[1]', 'int') = id
x.value('(//b)[1]', 'money') = 3
x.value('(/a/@s)[1]', 'nvarchar(2)') = N'SA'
x.value('(/a/@s)[1]', 'varchar(20)') in ('sa', 'sb ')
x.value('(/a/c/@s)[1]', 'varchar(20)') like 's%'
x.value('(/a/c/@s)[1]', 'varchar(20)') is not null
x.value('(/a/c/@d)[1]', 'date') = '2020-01-03'
x.value('xs:date((/a/c/@d)[1])', 'date') = '2020-01-03'
x.value('xs:date((/a/c/@d)[1])', 'datetime') between '2020-01-03' and '2020-01-05'
x.value('string((/a/@s)[1])', 'varchar(20)') = ''
x.value('count(/a/b)', 'int') = 0
x.value('data((/a/b)[1])', 'int') > 9
x.value('(/a/b[. > 8])[1]', 'int') = 9
x.exist('/a[@n = 7]') = 1
x.exist('/a[@n > 5 and @n < 8]') = 1
x.exist('/a[b > 8 and b < 2]') = 1
x.exist('/a[b = sql:variable(\"@n\")]') = 1
x.exist('/a[@n = sql:column(\"t.id\")]') = 1
x.exist('/a/c[@d = xs:date(\"2020-01-03\")]') = 1
x.exist('/a/c[xs:date(@d) lt xs:date(\"2020-01-02\")]') = 1
x.exist('//c[@s = sql:variable(\"@s\")]') = 1
x.exist('for $b in /a/b where $b = 3 return $b') = 1
x.exist('/a/b/text()[. = 4]') = 1
x.exist('//@n[. = 11]') = 1
x.exist('/a[@n = 3 or b = 4]') = 1
x.exist('/a[not(b = 4)]') = 1
x.exist('/a[b != 4]') = 1
x.query('/a/c').exist('c[@s = \"sa\"]') = 1
cast(x.query('/a/c/text()') as varchar(20)) = 'w'
exists (select * from x.nodes('/a/c[@s = \"sa\"]') as r (c))
exists (select * from x.nodes('/a/b') as r (c) where r.c.value('.', 'int') = 8)
exists (select * from x.nodes('/a') as r (c) cross apply r.c.nodes('b') as s (d) where s.d.exist('.[. = 2]') = 1)";

/// Documents whose parts come and go with a number.
fn document(seed: u32) -> String {
    let draw = |at: u32, of: u32| (seed.wrapping_mul(2_654_435_761) >> (at % 25)) % of;
    let numbers = ["", "-", "1.5", " 2", "1e1", "x", "03", "9"];
    let mut out = format!("<a n=\"{}\"", seed % 20);
    if draw(1, 3) > 0 {
        out += &format!(" s=\"{}\"", ["sa", "SA", "sab", ""][draw(3, 4) as usize]);
    }
    out += ">";
    for at in 0..draw(5, 4) {
        let plain = draw(7 + at, 12).to_string();
        let text = if at == 0 { &plain } else { numbers[draw(9 + at, 8) as usize] };
        out += &format!("<b>{text}</b>");
    }
    if draw(11, 2) == 1 {
        out += &format!(
            "<c s=\"s{}\" d=\"2020-01-0{}\">w</c>",
            ["a", "b"][draw(13, 2) as usize],
            1 + draw(15, 6)
        );
    }
    out + "</a>"
}

/// A condition lets the same rows pass with indexes and without.
#[test]
fn indexes_change_no_answers() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script("create database d\ngo\nuse d");
    session.run("create table t (id int not null primary key, x xml)");
    let rows: Vec<String> = (1..=400).map(|id| format!("({id}, '{}')", document(id))).collect();
    for some in rows.chunks(100) {
        session.run(&format!("insert t values {}", some.join(", ")));
    }
    let variables = "declare @n decimal(5, 1) = 3, @s nvarchar(10) = 'sb'; ";
    let ask = |condition: &str| {
        format!(
            "set arithabort on; {variables}begin try select t.id from t where {condition} order by id end try \
             begin catch select 'wrong' end catch"
        )
    };
    let before: Vec<String> = CONDITIONS.lines().map(|one| session.run(&ask(one))).collect();
    session.script(
        "create primary xml index ix on t (x)
create xml index p on t (x) using xml index ix for path
create xml index v on t (x) using xml index ix for value",
    );
    for (condition, before) in CONDITIONS.lines().zip(before) {
        let after = session.run(&ask(condition));
        // What does not convert may be in rows that an index passes over.
        if !before.contains("wrong") {
            assert_eq!(after, before, "{condition}");
        }
    }
}

/// The paths of a selective index, and its entries, are there after a power cut.
#[test]
fn a_selective_index_survives_a_power_cut() {
    let sim = SimEnv::new(29);
    {
        let server = TestServer::on(&sim);
        let mut session = server.session();
        let setup = "create database d
go
use d
go
create table t (id int not null primary key, x xml)
insert t select value, '<a k=\"' + cast(value as varchar) + '\"><b/></a>' from generate_series(1, 300)
create selective xml index sx on t (x) for (k = '/a/@k' as xquery 'xs:double' singleton)
create xml index sk on t (x) using xml index sx for (k)";
        assert_eq!(session.script(setup).matches("Msg").count(), 0);
        assert!(session.durable("update t set x = '<a k=\"900\"/>' where id = 7").is_some());
        session.run("begin tran delete t where id = 9");
        sim.fs().power_off();
    }
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    let find = |k: i32| format!("select id from t where x.value('(/a/@k)[1]', 'int') = {k}");
    assert_eq!(session.run(&find(900)), "id\n7\n(1 row)");
    assert_eq!(session.run(&find(9)), "id\n9\n(1 row)");
    assert_eq!(session.run(&find(7)), "id\n(0 rows)");
    assert_eq!(session.run(ENTRIES), "rows\n300\n(1 row)");
    let twice = session.run("insert t values (301, '<a k=\"1\"/><a k=\"2\"/>')");
    assert!(twice.contains("Msg 6380"), "{twice}");
    let names = "select name, path from sys.selective_xml_index_paths";
    assert_eq!(session.run(names), "name|path\nk|/a/@k\n(1 row)");
}
