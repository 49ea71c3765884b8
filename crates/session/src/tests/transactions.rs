//! Transactions, and what other sessions see of them.

use crate::testing::TestServer;

const SETUP: &str = "create database d
go
use d
go
create table t (id int not null primary key, v int check (v > 0))
insert t values (1, 10), (2, 20)";

#[test]
fn sessions_do_not_see_what_is_not_committed() {
    let server = TestServer::new();
    let mut one = server.session();
    one.script(SETUP);
    let mut two = server.session();
    two.run("use d");
    one.run("begin tran update t set v = 99 where id = 1");
    assert_eq!(two.run("select v from t where id = 1"), "v\n10\n(1 row)");
    one.run("commit");
    assert_eq!(two.run("select v from t where id = 1"), "v\n99\n(1 row)");
}

#[test]
fn others_see_what_is_open_and_what_was_sent() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script("create database d\ngo\nuse d create table t (id int)");
    let id = session.run("select @@spid").lines().nth(1).unwrap().to_owned();
    session.run("begin tran mine insert t values (1)");
    let mut other = server.session();
    let open = other.run("dbcc opentran (d) with no_infomsgs");
    assert!(open.starts_with("Transaction information for database 'd'."), "{open}");
    assert!(open.contains(&format!("SPID (server process ID): {id}\n")), "{open}");
    assert!(open.contains("    Name          : mine\n"), "{open}");
    assert_eq!(
        other.run("dbcc opentran (master) with no_infomsgs, tableresults"),
        "",
        "nothing is open there"
    );
    let table = other.run("dbcc opentran (d) with tableresults, no_infomsgs");
    assert!(table.contains(&format!("OLDACT_SPID|{id}\nOLDACT_UID|-1\nOLDACT_NAME|mine\n")));
    let sent = other.run(&format!("dbcc inputbuffer ({id}) with no_infomsgs"));
    let expected = "Language Event|0|begin tran mine insert t values (1)\n(1 row)";
    assert!(sent.ends_with(expected), "{sent}");
}

#[test]
fn statistics_of_others_are_no_matter_to_a_snapshot() {
    let server = TestServer::new();
    let (mut reader, mut other) = (server.session(), server.session());
    reader.script(SETUP);
    reader.run("create table u (id int) create table first (id int)");
    reader.run("alter database d set allow_snapshot_isolation on");
    other.run("use d");
    reader.run("set transaction isolation level snapshot begin tran select id from first");
    let change = "create statistics s on t (v) create statistics s2 on t (v) drop statistics t.s";
    assert_eq!(other.run(change), "");
    assert_eq!(reader.run("select * from t"), "id|v\n1|10\n2|20\n(2 rows)");
    // Changes together with statistics count as changes.
    other.run("begin tran create statistics s on u (id) alter table u add w int");
    assert_eq!(other.run("create statistics s2 on u (id) commit"), "");
    let refused = reader.run("select id from u");
    assert!(refused.starts_with("Msg 3961, "), "{refused}");
}

// The statement of a definition that failed over rows stayed open: locks of statements after it
// were not let go of.
#[test]
fn a_transaction_goes_on_behind_a_column_that_could_not_be_altered() {
    let server = TestServer::new();
    let (mut one, mut two) = (server.session(), server.session());
    one.script(SETUP);
    one.run("alter database d set read_committed_snapshot off");
    one.run("insert t values (3, 10) create table w (v int) insert w values (300)");
    two.script("use d set lock_timeout 0");
    one.run("begin tran");
    let refused = one.run("alter table w alter column v tinyint");
    assert!(refused.starts_with("Msg 220, "), "{refused}");
    assert_eq!(one.run("select count(*) as n from t"), "n\n3\n(1 row)");
    assert_eq!(two.run("update t set v = 11 where id = 3"), "(1 row)");
    assert_eq!(one.run("select v from t where id = 3 commit"), "v\n11\n(1 row)");
}
