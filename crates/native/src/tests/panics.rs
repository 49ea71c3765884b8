//! A panic in what machine code calls does not unwind through machine code, and ends the session
//! alone.

use std::sync::Arc;

use base::on_purpose::{self, Place};
use env::sim::SimEnv;
use session::response::After;
use session::testing::TestServer;

use crate::Generator;

const SETUP: &str = "create database d
    alter database d add filegroup m contains memory_optimized_data
    alter database d add file (name = 'm', filename = 'm') to filegroup m
    go
    use d
    go
    create table t (a int not null primary key nonclustered, b varchar(20) not null) with (memory_optimized = on)
    insert t values (1, 'one'), (2, 'two')
    create table u (a int not null primary key, b varchar(20) not null)
    insert u values (1, 'one'), (2, 'two')
    go
    create procedure n @a int with native_compilation, schemabinding as
    begin atomic with (transaction isolation level = snapshot, language = 'english')
        insert dbo.t values (@a, 'new')
        begin try
            update dbo.t set b = upper(b) where a = 1
        end try
        begin catch
            update dbo.t set b = 'caught' where a = 1
        end catch
    end";

#[test]
fn a_panic_in_a_helper_ends_the_session_alone() {
    let server = TestServer::with(&SimEnv::new(7), |options| {
        options.code_generator = Some(Arc::new(Generator::new().expect("this machine is known")));
        options.compile_after = 0;
    });
    let mut other = server.session();
    let answer = other.script(SETUP);
    assert!(!answer.contains("Msg "), "{answer}");
    let cases = [
        (Place::Helper, "exec n 3"),
        (Place::Function, "exec n 3"),
        (Place::Helper, "insert u values (3, 'three')"),
        (Place::Helper, "update u set b = upper(b)"),
        (Place::Function, "update u set b = upper(b)"),
        (Place::Helper, "select a, upper(b) as b from u order by b"),
        (Place::Function, "select a, upper(b) as b from u order by b"),
        (Place::Helper, "delete u where a = 2"),
    ];
    for (place, text) in cases {
        let mut session = server.session();
        session.run("use d");
        on_purpose::arm(place);
        let answer = session.run(text);
        assert!(!on_purpose::disarm(), "{place:?} is not reached by {text}: {answer}");
        assert!(answer.contains("Msg 3624, Level 20, State 1"), "{place:?}: {text}: {answer}");
        assert_eq!(session.after, After::Disconnect, "{place:?}: {text}");
        let rows = other.run("select a, b from u union all select a, b from t order by a, b");
        let expected = "a|b\n1|one\n1|one\n2|two\n2|two\n(4 rows)";
        assert_eq!(rows, expected, "{place:?}: {text}");
    }
    assert!(other.run("exec n 3").is_empty(), "others run the same code");
    assert_eq!(other.run("select b from t where a = 1"), "b\nONE\n(1 row)");
}
