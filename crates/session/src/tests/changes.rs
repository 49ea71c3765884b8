//! Statements that change rows, through a whole server: what the binder's tests cannot see, such as
//! triggers, identity values, temporary tables, and statements that fail on the way.

use crate::testing::{TestServer, TestSession};

/// A database with customers and orders.
fn with_tables<'s>(server: &'s TestServer) -> TestSession<'s> {
    let mut session = server.session();
    for text in [
        "create database d",
        "use d",
        "create schema sales",
        "create table sales.c (id int identity primary key, name nvarchar(20) not null constraint uq unique, \
         kind char(1) not null default 'a' constraint ck check (kind in ('a', 'b')), v rowversion, \
         both as name + N'/' + kind persisted, twice as id * 2)",
        "create table sales.o (id int identity(10, 5) primary key, \
         c int not null constraint fk references sales.c (id) on delete cascade, amount money not null default 0)",
        "insert sales.c (name) values (N'ann'), (N'bob'), (N'cid')",
        "insert sales.o (c, amount) select id, id * 10 from sales.c",
    ] {
        let answer = session.run(text);
        assert!(!answer.contains("Msg "), "{text}\n{answer}");
    }
    session
}

/// Runs statements and compares their answers.
fn expect(session: &mut TestSession<'_>, script: &[(&str, &str)]) {
    for (text, answer) in script {
        assert_eq!(session.run(text), *answer, "{text}");
    }
}

#[test]
fn rows_have_what_their_table_gives_them() {
    let server = TestServer::new();
    let session = &mut with_tables(&server);
    expect(
        session,
        &[
            (
                "select id, name, kind, both, twice from sales.c where id < 3",
                "id|name|kind|both|twice\n1|ann|a|ann/a|2\n2|bob|a|bob/a|4\n(2 rows)",
            ),
            (
                "select id, c, amount from sales.o where c > 1",
                "id|c|amount\n15|2|20.00\n20|3|30.00\n(2 rows)",
            ),
            (
                "update sales.c set kind = 'b' output deleted.both, inserted.both where name like N'b%'",
                "both|both\nbob/a|bob/b\n(1 row)",
            ),
            (
                "insert sales.c (name) values (N'dan') select scope_identity()",
                "(1 row)\n\n4\n(1 row)",
            ),
            ("delete sales.c where id = 1 select count(*) from sales.o", "(1 row)\n\n2\n(1 row)"),
        ],
    );
}

#[test]
fn statements_that_fail_leave_nothing_behind() {
    let server = TestServer::new();
    let session = &mut with_tables(&server);
    let end = "The statement has been terminated.";
    expect(
        session,
        &[
            (
                "insert sales.o (c) values (1), (99)",
                &format!(
                    "Msg 547, Level 16, State 0, Line 1: The INSERT statement \
            conflicted with the FOREIGN KEY constraint \"fk\". The conflict occurred in database \"d\", table \
            \"sales.c\", column 'id'.\n{end}"
                ),
            ),
            (
                "insert sales.c (name, kind) values (N'x', 'x')",
                &format!(
                    "Msg 547, Level 16, State 0, Line 1: The INSERT \
            statement conflicted with the CHECK constraint \"ck\". The conflict occurred in database \"d\", table \
            \"sales.c\", column 'kind'.\n{end}"
                ),
            ),
            (
                "insert sales.c (name) values (null)",
                &format!(
                    "Msg 515, Level 16, State 2, Line 1: Cannot insert the \
            value NULL into column 'name', table 'd.sales.c'; column does not allow nulls. INSERT fails.\n{end}"
                ),
            ),
            (
                "update sales.c set name = N'ann'",
                &format!(
                    "Msg 2627, Level 14, State 1, Line 1: Violation of UNIQUE KEY \
            constraint 'uq'. Cannot insert duplicate key in object 'sales.c'. The duplicate key value is \
            (ann).\n{end}"
                ),
            ),
            (
                "select count(*) from sales.c select count(*) from sales.o",
                "\n3\n(1 row)\n\n3\n(1 row)",
            ),
        ],
    );
}

#[test]
fn identity_values_are_taken_when_the_session_says_so() {
    let server = TestServer::new();
    let session = &mut with_tables(&server);
    expect(
        session,
        &[
            (
                "set identity_insert sales.c on insert sales.c (id, name) values (50, N'eve') \
          set identity_insert sales.c off insert sales.c (id, name) values (51, N'fay')",
                "(1 row)\nMsg 544, Level 16, State 1, Line 1: Cannot insert explicit value for identity column in \
             table 'c' when IDENTITY_INSERT is set to OFF.",
            ),
            (
                "insert sales.c (name) values (N'gus') select scope_identity()",
                "(1 row)\n\n51\n(1 row)",
            ),
        ],
    );
}

#[test]
fn triggers_hear_what_happened_to_each_row() {
    let server = TestServer::new();
    let session = &mut with_tables(&server);
    session.run("create table sales.log (i int, d int)");
    session.run(
        "create trigger sales.tr on sales.c after insert, update, delete as \
        insert sales.log select (select count(*) from inserted), (select count(*) from deleted)",
    );
    expect(
        session,
        &[
            ("update sales.c set kind = 'b'", "(1 row)\n(3 rows)"),
            (
                "merge sales.c as t using (values (N'ann'), (N'new')) as s (name) on s.name = t.name \
          when matched then delete when not matched then insert (name) values (s.name);",
                "(1 row)\n(1 row)\n(2 rows)",
            ),
            ("select i, d from sales.log order by i, d", "i|d\n0|1\n1|0\n3|3\n(3 rows)"),
            (
                "insert sales.c (name) output inserted.id values (N'zed')",
                "Msg 334, Level 16, State 1, Line 1: The target table 'c' of the DML statement cannot have any enabled \
             triggers if the statement contains an OUTPUT clause without INTO clause.",
            ),
        ],
    );
}

#[test]
fn rows_come_from_anywhere() {
    let server = TestServer::new();
    let session = &mut with_tables(&server);
    expect(
        session,
        &[
            ("create sequence sales.seq as bigint start with 5", ""),
            ("create table sales.s (id bigint default next value for sales.seq, n int)", ""),
            (
                "insert sales.s (n) values (1), (2) insert sales.s values (default, 3)",
                "(2 rows)\n(1 row)",
            ),
            ("insert sales.s (n) exec ('select 8 union all select 9')", "(2 rows)"),
            ("select id, n from sales.s order by id", "id|n\n5|1\n6|2\n7|3\n8|8\n9|9\n(5 rows)"),
            (
                "select id, n into #copy from sales.s insert #copy select * from #copy select count(*) from #copy",
                "(5 rows)\n(5 rows)\n\n10\n(1 row)",
            ),
            (
                "declare @t table (id int primary key, n int default 5) insert @t (id) select n from sales.s where n < 3 \
          update @t set n += id output deleted.n, inserted.n select id, n from @t",
                "(2 rows)\nn|n\n5|6\n5|7\n(2 rows)\nid|n\n1|6\n2|7\n(2 rows)",
            ),
            (
                "begin tran delete sales.s rollback select count(*) from sales.s",
                "(5 rows)\n\n5\n(1 row)",
            ),
            (
                "with x as (select top (2) * from sales.s order by id desc) delete x select max(id) from sales.s",
                "(2 rows)\n\n7\n(1 row)",
            ),
            (
                "declare @v int update sales.s set @v = n = n + 100 where n = 2 select @v",
                "(1 row)\n\n102\n(1 row)",
            ),
        ],
    );
}

#[test]
fn triggers_take_the_rows_instead() {
    let server = TestServer::new();
    let session = &mut with_tables(&server);
    for text in [
        "create view sales.v as select c.id, c.name, o.amount from sales.c c join sales.o o on o.c = c.id",
        "create table sales.log (what varchar(10), id int, name nvarchar(30), amount money)",
        "create trigger sales.vi on sales.v instead of insert as insert sales.log select 'v', id, name, amount from inserted",
        "create trigger sales.vu on sales.v instead of update as update o set amount = i.amount from sales.o o \
         join inserted i on i.id = o.c join deleted d on d.id = i.id where d.amount < i.amount",
        "create trigger sales.vd on sales.v instead of delete as insert sales.log select 'd', id, name, amount from deleted",
        "create trigger sales.ci on sales.c instead of insert as insert sales.c (name, kind) \
         select name + N'*', isnull(kind, 'b') from inserted",
    ] {
        let answer = session.run(text);
        assert!(!answer.contains("Msg "), "{text}\n{answer}");
    }
    expect(
        session,
        &[
            ("insert sales.v (id, name) values (7, N'x'), (8, null)", "(2 rows)\n(2 rows)"),
            ("update sales.v set amount = amount + 1 where name > N'b'", "(2 rows)\n(2 rows)"),
            (
                "select c, amount from sales.o order by c",
                "c|amount\n1|10.00\n2|21.00\n3|31.00\n(3 rows)",
            ),
            ("delete sales.v where amount > 30", "(1 row)\n(1 row)"),
            (
                "select * from sales.log order by id",
                "what|id|name|amount\nd|3|cid|31.00\nv|7|x|NULL\nv|8|NULL|NULL\n(3 rows)",
            ),
            ("insert sales.c (name, kind) values (N'dan', 'a')", "(1 row)\n(1 row)"),
            ("select name, both from sales.c where id > 3", "name|both\ndan*|dan*/a\n(1 row)"),
            ("delete sales.c where id = 1", "(1 row)"),
        ],
    );
}

/// The head of a natively compiled module's body.
const ATOMIC: &str =
    "begin atomic with (transaction isolation level = snapshot, language = N'us_english')";

#[test]
fn native_modules_work_together() {
    let server = TestServer::new();
    let session = &mut server.session();
    for text in [
        "create database m on primary (name = a, filename = 'a.mdf'), \
         filegroup m contains memory_optimized_data (name = m, filename = 'm')",
        "use m",
        "create table dbo.p (id int not null primary key nonclustered hash with (bucket_count = 64), \
         n int not null check (n > 0)) with (memory_optimized = on)",
        "create table dbo.log (id int identity not null primary key nonclustered, i int, d int) \
         with (memory_optimized = on, durability = schema_only)",
        "create type dbo.tt as table (id int not null primary key nonclustered, n int) with (memory_optimized = on)",
        &format!(
            "create trigger dbo.tr on dbo.p with native_compilation, schemabinding after insert, update as {ATOMIC} \
             declare @i int, @d int; select @i = count(*) from inserted; select @d = count(*) from deleted; \
             insert dbo.log (i, d) values (@i, @d) end"
        ),
        &format!(
            "create function dbo.twice (@x int) returns int with native_compilation, schemabinding as {ATOMIC} \
             return @x * 2 end"
        ),
        &format!(
            "create procedure dbo.one @a int, @b int output with native_compilation, schemabinding as {ATOMIC} \
             set @b = dbo.twice(@a); if @a > 100 throw 50005, N'too large', 1; \
             insert dbo.p values (@a, @b); return 3 end"
        ),
        &format!(
            "create procedure dbo.two @a int with native_compilation, schemabinding as {ATOMIC} \
             declare @b int, @r int; begin try exec @r = dbo.one @a, @b = @b output; end try \
             begin catch insert dbo.log (i, d) values (error_number(), -1) end catch \
             select @b as b, @r as r, @@rowcount as n end"
        ),
        &format!(
            "create procedure dbo.three with native_compilation, schemabinding as {ATOMIC} \
             exec dbo.two 20 select 1 as last end"
        ),
        &format!(
            "create procedure dbo.many @t dbo.tt readonly with native_compilation, schemabinding as {ATOMIC} \
             insert dbo.p select id, n from @t where id > 50; \
             update dbo.p set n = t.n from dbo.p p join @t t on t.id = p.id where p.id <= 50 end"
        ),
    ] {
        let answer = session.run(text);
        assert!(!answer.contains("Msg "), "{text}\n{answer}");
    }
    expect(
        session,
        &[
            ("exec dbo.two 7", "b|r|n\n14|3|1\n(1 row)"),
            ("exec dbo.two 700", "b|r|n\n1400|NULL|1\n(1 row)"),
            ("exec dbo.two 7", "b|r|n\n14|NULL|1\n(1 row)"),
            ("exec dbo.three", "b|r|n\n40|3|1\n(1 row)\nlast\n1\n(1 row)"),
            ("delete dbo.p where id = 20", "(1 row)"),
            ("begin tran exec dbo.two 8 rollback", "b|r|n\n16|3|1\n(1 row)"),
            ("declare @t dbo.tt insert @t values (60, 1), (7, 77) exec dbo.many @t", "(2 rows)"),
            (
                "select id, n, dbo.twice(n) as m from dbo.p order by id",
                "id|n|m\n7|77|154\n60|1|2\n(2 rows)",
            ),
            (
                "select i, d from dbo.log where d = -1 order by i",
                "i|d\n2627|-1\n50005|-1\n(2 rows)",
            ),
            (
                "select i, d, count(*) as n from dbo.log where d >= 0 group by i, d",
                "i|d|n\n1|0|3\n1|1|1\n(2 rows)",
            ),
            (
                "declare @b int exec dbo.one 999, @b output",
                "Msg 50005, Level 16, State 1, Procedure one, Line 1: too large",
            ),
        ],
    );
}
