//! Which errors are caught where, and what they end.

use env::OpKind;
use env::sim::{Fault, FaultKind, SimEnv};

use super::check;
use crate::testing::TestServer;

const SETUP: &str = "create table t (id int primary key, v int not null)
insert t values (1, 1)
go
create procedure divides as
select 1/0
print 'after the division'
go
create procedure misses as
print 'before'
select * from nowhere
print 'not'
go
create procedure throws as
begin try exec divides end try
begin catch
print 'rethrows';
throw
end catch
go
create procedure raises @severity int as raiserror('raised', @severity, 7) print 'goes on'";

#[test]
fn errors_go_where_sql_server_sends_them() {
    check(SETUP, &[
        (
            "begin try exec divides print 'not' end try begin catch print error_number() end catch",
            "\n8134",
        ),
        (
            "exec throws print 'not'",
            "\nrethrows
            Msg 8134, Level 16, State 1, Procedure divides, Line 2: Divide by zero error encountered.",
        ),
        (
            "begin try exec throws end try begin catch print error_procedure() print error_line() end catch",
            "\nrethrows\ndivides\n2",
        ),
        // A name that does not exist ends the procedure, and not its caller.
        (
            "exec misses print 'caller'",
            "before
            Msg 208, Level 16, State 1, Procedure misses, Line 3: Invalid object name 'nowhere'.
            return -6\ncaller",
        ),
        (
            "begin try exec misses end try begin catch print error_number() end catch",
            "before\n208",
        ),
        // It is not caught where it stands.
        (
            "begin try select * from nowhere end try begin catch print 'not' end catch print 'not'",
            "Msg 208, Level 16, State 1, Line 1: Invalid object name 'nowhere'.",
        ),
        (
            "begin try exec('select * from nowhere') end try begin catch print 'caught' end catch",
            "caught",
        ),
        ("begin try exec('select from') end try begin catch print error_number() end catch", "156"),
        ("begin try exec nothing end try begin catch print error_number() end catch", "2812"),
        // RAISERROR ends nothing, and up to 10 it is not an error.
        (
            "exec raises 16 print 'caller'",
            "Msg 50000, Level 16, State 7, Procedure raises, Line 1: raised\ngoes on\nreturn -6\ncaller",
        ),
        ("exec raises 5", "raised\ngoes on"),
        ("begin try exec raises 10 end try begin catch print 'not' end catch", "raised\ngoes on"),
        ("begin try exec raises 11 end try begin catch print error_state() end catch", "7"),
        (
            "set xact_abort on exec raises 16 print 'still'",
            "Msg 50000, Level 16, State 7, Procedure raises, Line 1: raised\ngoes on\nreturn -6\nstill",
        ),
        ("set xact_abort off", ""),
        ("raiserror('x', 19, 1)", "Msg 2754, Level 16, State 1, Line 1: Error severity levels greater than 18 \
            can only be specified by members of the sysadmin role, using the WITH LOG option."),
        ("raiserror(50005, 16, 1)", "Msg 2758, Level 16, State 1, Line 1: RAISERROR could not locate entry for error 50005 in sysmessages."),
        ("throw 1, 'x', 1", "Msg 35100, Level 16, State 10, Line 1: Error number 1 in the THROW statement is \
            outside the valid range. Specify an error number in the valid range of 50000 to 2147483647."),
        // @@ERROR is the last statement's.
        ("select 1/0 print @@error print @@error", "\nMsg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.\n8134\n0"),
        (
            "insert t values (2, null) select count(*) from t",
            "Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'v', table 'd.dbo.t'; \
            column does not allow nulls. INSERT fails.
            The statement has been terminated.

            1
            (1 row)",
        ),
        // CATCH blocks nest, and errors in them go outwards.
        (
            "begin try begin try select 1/0 end try begin catch select cast('a' as int) end catch end try
            begin catch print error_number() end catch print isnull(error_number(), 0)",
            "\n\n245\n0",
        ),
        (
            "begin try throw 50001, 'one', 1 end try begin catch
            begin try throw 50002, 'two', 1 end try begin catch print error_message() end catch
            print error_message() end catch",
            "two\none",
        ),
    ]);
}

#[test]
fn the_severest_errors_end_the_connection() {
    let server = super::TestServer::new();
    let mut session = server.session();
    let answer = session.run("raiserror('gone', 20, 1) with log print 'not'");
    assert_eq!(answer, "Msg 50000, Level 20, State 1, Line 1: gone");
    assert_eq!(session.after, crate::response::After::Disconnect);
}

/// Error 9002 had neither the database nor what keeps its log.
#[test]
fn a_full_log_is_named_with_what_keeps_it() {
    let sim = SimEnv::new(11);
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("create database shop; alter database shop set recovery full");
    session.run("use shop");
    session.run("create table t (id int not null identity primary key, v varchar(8000) not null)");
    for on in ["/log", "/checkpoint"] {
        let fault = Fault::next(OpKind::Write, FaultKind::DiskFull).on("/shop").on(on);
        let fault = if on == "/log" { fault.on(".new") } else { fault };
        sim.fs().inject(fault.forever());
    }
    let insert = "insert t (v) select replicate('x', 8000) from generate_series(1, 50)";
    let mut answers = (0..1000).map(|_| session.run(insert));
    let answer = answers.find(|answer| answer.contains("Msg ")).expect("the log has an end");
    sim.fs().clear_faults();
    let told = "Msg 9002, Level 17, State 2, Line 1: The transaction log for database 'shop' is full due to 'NOTHING'.";
    assert!(answer.contains(told), "{answer}");
}
