//! Transactions, errors and what they end.

use crate::testing::TestServer;

const SETUP: &str = "create database d
go
use d
go
create table t (id int not null primary key, v int check (v > 0))
insert t values (1, 10), (2, 20)";

fn answers(script: &str) -> String {
    let server = TestServer::new();
    let mut session = server.session();
    let setup = session.script(SETUP);
    assert_eq!(setup, "Changed database context to 'd'.\n(2 rows)");
    session.script(script)
}

#[test]
fn a_transaction_is_rolled_back_as_a_whole() {
    let answer = answers(
        "begin tran update t set v = 11 where id = 1 begin tran insert t values (3, 30)
        print @@trancount commit print @@trancount select * from t rollback
        select * from t print @@trancount",
    );
    let expected =
        "(1 row)\n(1 row)\n2\n1\nid|v\n1|11\n2|20\n3|30\n(3 rows)\nid|v\n1|10\n2|20\n(2 rows)\n0";
    assert_eq!(answer, expected);
}

#[test]
fn savepoints_undo_what_came_after_them() {
    let answer = answers(
        "begin tran insert t values (3, 30) save tran s insert t values (4, 40) rollback tran s
        commit select id from t rollback tran nothing",
    );
    assert_eq!(
        answer,
        "(1 row)\n(1 row)\nid\n1\n2\n3\n(3 rows)\n\
        Msg 3903, Level 16, State 1, Line 2: The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION."
    );
}

#[test]
fn a_failed_statement_leaves_nothing_and_the_batch_goes_on() {
    let answer = answers("insert t values (5, 50), (1, 0) print @@error select count(*) from t");
    assert!(answer.starts_with("Msg 547, Level 16, State 0, Line 1: The INSERT statement conflicted with the CHECK constraint \"CK__t__v__"), "{answer}");
    assert!(answer.ends_with("The statement has been terminated.\n547\n\n2\n(1 row)"), "{answer}");
    let answer = answers("insert t values (1, 1)");
    assert!(
        answer.starts_with(
            "Msg 2627, Level 14, State 1, Line 1: Violation of PRIMARY KEY constraint 'PK__t__"
        ),
        "{answer}"
    );
    assert!(
        answer.ends_with("The duplicate key value is (1).\nThe statement has been terminated."),
        "{answer}"
    );
}

#[test]
fn xact_abort_rolls_back_and_ends_the_batch() {
    let answer = answers(
        "set xact_abort on begin tran insert t values (3, 30) insert t values (1, 1) print 'not'
        go
        print @@trancount select count(*) from t",
    );
    assert!(answer.ends_with("The duplicate key value is (1).\n0\n\n2\n(1 row)"), "{answer}");
}

#[test]
fn conversions_of_strings_end_the_transaction() {
    let answer = answers(
        "begin tran insert t values (3, 30) declare @i int set @i = 'abc' print 'not'
        go
        print @@trancount",
    );
    assert_eq!(
        answer,
        "(1 row)\nMsg 245, Level 16, State 1, Line 1: Conversion failed when converting \
        the varchar value 'abc' to data type int.\n0"
    );
}

#[test]
fn a_caught_error_may_doom_the_transaction() {
    let answer = answers(
        "set xact_abort on begin tran
        begin try insert t values (1, 1) end try
        begin catch print xact_state() print error_number()
        begin try insert t values (9, 9) end try begin catch print error_number() end catch
        end catch
        go
        print @@trancount",
    );
    assert_eq!(
        answer,
        "-1\n2627\n3930\nMsg 3998, Level 16, State 1, Line 1: Uncommittable transaction \
        is detected at the end of the batch. The transaction is rolled back.\n0"
    );
    let answer = answers(
        "begin tran begin try insert t values (1, 1) end try
        begin catch print xact_state() commit end catch print @@trancount",
    );
    assert_eq!(answer, "1\n0");
}

#[test]
fn implicit_transactions_begin_with_the_first_statement() {
    let answer = answers(
        "set implicit_transactions on print @@trancount
        insert t values (3, 30) print @@trancount rollback select count(*) from t rollback
        set implicit_transactions off",
    );
    assert_eq!(answer, "0\n(1 row)\n1\n\n2\n(1 row)");
}

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
fn temporary_tables_are_the_sessions_own() {
    let answer = answers(
        "create table #a (x int) insert #a values (1), (2) select count(*) as n from #a
        go
        select * from #a
        go
        drop table #a
        select * from #a",
    );
    assert_eq!(
        answer,
        "(2 rows)\nn\n2\n(1 row)\nx\n1\n2\n(2 rows)\nMsg 208, Level 16, State 1, Line 2: Invalid object name '#a'."
    );
}

#[test]
fn select_into_makes_its_table() {
    let answer = answers("select id, v * 2 as w into u from t select * from u");
    assert_eq!(answer, "(2 rows)\nid|w\n1|20\n2|40\n(2 rows)");
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

// A heap's first index was read for its rows, and it may have some of them alone.
#[test]
fn a_heap_keeps_its_rows_when_its_first_index_has_a_filter() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script("create database d\ngo\nuse d create table h (a int, b int)");
    session.run("insert h select value, value from generate_series(1, 50)");
    session.run("create index f on h (a) where a > 10");
    session.run("create index g on h (b)");
    assert_eq!(session.run("select count(*) as n from h"), "n\n50\n(1 row)");
    session.run("alter table h add c int not null default 7");
    assert_eq!(session.run("select sum(a + c) as n from h"), "n\n1625\n(1 row)");
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
