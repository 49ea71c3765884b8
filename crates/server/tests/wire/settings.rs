//! What `SET` options do to answers, byte by byte.

use tds::packet::PacketType;

use crate::support::{Raw, TestServer, batch};
use crate::trace::lines;

fn run(raw: &mut Raw, text: &str) -> Vec<String> {
    raw.send(PacketType::SqlBatch, &batch(text));
    lines(&raw.answer().expect("an answer"))
}

/// Conversions that are NULL although their operand is not were once announced as not nullable,
/// which closed the connection when the first such row was to be sent.
#[test]
fn a_result_that_an_option_makes_null_is_announced_as_nullable() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    assert_eq!(
        run(&mut raw, "select convert(float, 1, null) as a"),
        ["columns a", "row NULL", "done select 1"]
    );
    run(&mut raw, "set ansi_warnings off set arithabort off");
    for (expression, message) in [
        ("cast(300 as tinyint)", "info 3606"),
        ("cast(99999 as smallint)", "info 3606"),
        ("cast(v as int) / cast(v - v as tinyint)", "info 3607"),
        ("-cast(v - 2147483649 as int)", "info 3606"),
        ("cast(v as varchar(5)) + 'x'", ""),
        ("coalesce(cast(v * 300 as tinyint), cast(v * 300 as tinyint))", "info 3606"),
        ("isnull(cast(v * 300 as tinyint), cast(v * 300 as tinyint))", "info 3606"),
        ("case when v = 1 then cast(v * 300 as tinyint) else cast(0 as tinyint) end", "info 3606"),
        ("greatest(cast(v * 300 as tinyint), cast(v * 300 as tinyint))", "info 3606"),
    ] {
        let answer = run(
            &mut raw,
            &format!("select {expression} as a from (values (cast(1 as bigint))) as r(v)"),
        );
        let row = if message.is_empty() { "row 1x" } else { "row NULL" };
        assert_eq!(answer[..2], ["columns a", row], "{expression}");
        assert_eq!(answer.contains(&message.to_owned()), !message.is_empty(), "{expression}");
    }
    let united = "select cast(1 as smallint) as a union all select v from (values (cast(2 as bigint))) as r(v)";
    assert_eq!(run(&mut raw, united).len(), 4);
    assert_eq!(run(&mut raw, "select 'alive' as a").len(), 3);
}

#[test]
fn under_format_only_columns_are_told_and_nothing_is_done() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    run(&mut raw, "create table kept_by_format (a int) insert kept_by_format values (1)");
    run(
        &mut raw,
        "create procedure two_of_format as begin print 'two' select 1 as a select 'z' as b, 2 as c return 9 end",
    );
    run(&mut raw, "set fmtonly on");
    assert_eq!(
        run(&mut raw, "drop table kept_by_format select * from kept_by_format print 'x'"),
        ["columns a", "done select 0"]
    );
    let refused = run(&mut raw, "exec two_of_format with result sets ((p bigint), (q char(3)))");
    assert_eq!(refused[..3], ["columns p", "doneinproc select 0 more", "error 11537"]);
    run(&mut raw, "set fmtonly off");
    assert_eq!(
        run(&mut raw, "select * from kept_by_format"),
        ["columns a", "row 1", "done select 1"]
    );
}

#[test]
fn definitions_name_their_command() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    for (text, done) in [
        ("create table commanded (a int)", "done 0xc6"),
        ("alter table commanded add b int", "done 0xd8"),
        ("create index i on commanded (a)", "done 0xc8"),
        ("drop index i on commanded", "done 0xc9"),
        ("grant select on commanded to public", "done 0xcd"),
        ("revoke select on commanded from public", "done 0xce"),
        ("create view commanding as select a from commanded", "done 0xcf"),
        ("drop view commanding", "done 0xd0"),
        ("create procedure commands as select 1", "done 0xde"),
        ("drop procedure commands", "done 0xdf"),
        ("drop table commanded", "done 0xc7"),
    ] {
        assert_eq!(run(&mut raw, text), [done], "{text}");
    }
}
