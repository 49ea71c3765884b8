//! Cursors end to end.

use base::{Collation, SqlType, Value};

use crate::testing::{TestServer, TestSession};

const TABLE: &str = "create table t (id int primary key, v varchar(10));
insert t values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')";

fn with_table(server: &TestServer) -> TestSession<'_> {
    let mut session = server.session();
    session.run(TABLE);
    session
}

/// The answer to a batch in a database with a table of four rows, lines joined by `/`.
fn run(text: &str) -> String {
    let server = TestServer::new();
    let answer = with_table(&server).run(text);
    answer.replace('\n', " / ")
}

/// The number of the first error of a batch.
fn error(text: &str) -> String {
    let answer = run(text);
    let at = answer.find("Msg ").unwrap_or_else(|| panic!("{text}: {answer}"));
    answer[at + 4..].split(',').next().unwrap_or_default().to_owned()
}

#[test]
fn a_loop_sees_each_row_once() {
    let text = "
        declare @id int, @v varchar(10), @all varchar(100) = '';
        declare c cursor for select id, v from t where id > 1 order by id desc;
        open c;
        fetch next from c into @id, @v;
        while @@fetch_status = 0
        begin
            set @all += @v + cast(@id as varchar);
            fetch next from c into @id, @v;
        end
        close c;
        deallocate c;
        print @all;
        print @@fetch_status;";
    assert_eq!(run(text), "d4c3b2 / -1");
}

#[test]
fn scroll_cursors_go_anywhere() {
    let text = "
        set nocount on;
        declare @id int, @all varchar(200) = '';
        declare c cursor scroll for select id from t order by id;
        open c;
        fetch last from c into @id; set @all += concat(@id, ' ');
        fetch prior from c into @id; set @all += concat(@id, ' ');
        fetch first from c into @id; set @all += concat(@id, ' ');
        fetch relative 2 from c into @id; set @all += concat(@id, ' ');
        fetch relative -1 from c into @id; set @all += concat(@id, ' ');
        fetch prior from c into @id;
        fetch prior from c into @id; set @all += concat(@@fetch_status, ' ');
        fetch next from c into @id; set @all += concat(@id, ' ', @@cursor_rows);
        print @all;
        declare s cursor static for select id from t order by id;
        open s;
        fetch absolute -2 from s into @id; print @id;
        fetch absolute 9 from s into @id; print @@fetch_status;
        print @@cursor_rows";
    assert_eq!(run(text), "4 3 1 3 2 -1 1 -1 / 3 / -1 / 4");
}

#[test]
fn rows_go_to_the_client_without_into() {
    let text = "declare c cursor for select id, v as w from t order by id;
        open c; fetch c; fetch next from c";
    assert_eq!(run(text), "id|w / 1|a / (1 row) / id|w / 2|b / (1 row)");
}

#[test]
fn rows_are_changed_where_the_cursor_stands() {
    let text = "
        set nocount on;
        declare @id int;
        declare c cursor for select id from t order by id;
        open c;
        fetch c into @id;
        while @@fetch_status = 0
        begin
            if @id = 3 delete t where current of c;
            else update t set v = v + '!' where current of c;
            fetch c into @id;
        end
        select * from t";
    assert_eq!(run(text), "id|v / 1|a! / 2|b! / 4|d!");
}

#[test]
fn a_keyset_shows_changes_and_a_static_cursor_does_not() {
    let text = |model: &str| {
        format!(
            "set nocount on;
            declare @id int, @v varchar(10), @all varchar(100) = '';
            declare c cursor {model} for select id, v from t order by id;
            open c;
            update t set v = 'x' where id = 2;
            delete t where id = 3;
            insert t values (5, 'e');
            fetch c into @id, @v;
            while @@fetch_status <> -1
            begin
                set @all += concat(@@fetch_status, @v, ' ');
                fetch c into @id, @v;
            end
            print @all"
        )
    };
    assert_eq!(run(&text("static")), "0a 0b 0c 0d ");
    assert_eq!(run(&text("keyset")), "0a 0x -2x 0d ");
}

#[test]
fn variables_count_as_they_were_when_the_cursor_was_declared() {
    let text = "
        set nocount on;
        declare @least int = 3, @id int;
        declare @ids table (id int primary key);
        insert @ids values (4);
        declare c cursor for select t.id from t join @ids i on i.id = t.id where t.id >= @least;
        set @least = 9;
        open c;
        fetch c into @id;
        print concat(@id, ' ', (select count(*) from @ids))";
    assert_eq!(run(text), "4 1");
}

#[test]
fn cursor_variables_refer_to_cursors() {
    let text = "
        set nocount on;
        declare @c cursor, @d cursor, @id int;
        print cursor_status('variable', '@c');
        set @c = cursor scroll for select id from t order by id;
        print cursor_status('variable', '@c');
        set @d = @c;
        open @d;
        print cursor_status('variable', '@c');
        fetch last from @c into @id;
        deallocate @c;
        print cursor_status('variable', '@c');
        fetch prior from @d into @id;
        print @id;";
    assert_eq!(run(text), "-2 / -1 / 1 / -2 / 3");
}

#[test]
fn local_cursors_end_with_their_batch_and_global_ones_stay() {
    let server = TestServer::new();
    let mut session = with_table(&server);
    session.run("declare l cursor local for select id from t");
    session.run("declare g cursor global for select id from t order by id; open g");
    assert!(session.run("open l").starts_with("Msg 16916,"));
    assert_eq!(session.run("fetch g"), "id\n1\n(1 row)");
    session.run("create procedure p as begin declare @i int; fetch g into @i; print @i end");
    assert_eq!(session.run("exec p"), "2");
    assert_eq!(session.run("print cursor_status('global', 'g')"), "1");
    assert_eq!(session.run("close g; print cursor_status('global', 'g')"), "-1");
    assert_eq!(session.run("deallocate g; print cursor_status('global', 'g')"), "-3");
}

#[test]
fn what_cannot_be_done_is_refused() {
    let declared = "declare @a int, @b int; declare c cursor for select id from t; ";
    let cases = [
        ("open c", "16916"),
        ("declare @c cursor; open @c", "16950"),
        ("declare c cursor for select 1 a; declare c cursor for select 1 a", "16915"),
        ("declare c cursor scroll fast_forward for select id from t", "1048"),
        ("declare c cursor static for select id from t for update", "16957"),
        ("declare c cursor for select nothing from t", "207"),
        ("declare c cursor for select id from nowhere", "208"),
    ];
    for (text, number) in cases {
        assert_eq!(error(text), number, "{text}");
    }
    let declared_cases = [
        ("fetch c", "16917"),
        ("close c", "16917"),
        ("open c; open c", "16905"),
        ("open c; fetch last from c", "16911"),
        ("open c; fetch c into @a, @b", "16924"),
        ("open c; update t set v = 'x' where current of c", "16931"),
        ("update t set v = 'x' where current of c", "16917"),
        ("deallocate c; deallocate c", "16916"),
    ];
    for (text, number) in declared_cases {
        assert_eq!(error(&format!("{declared}{text}")), number, "{text}");
    }
    let grouped = "declare c cursor for select v, count(*) n from t group by v; open c; fetch c;
        update t set v = 'x' where current of c";
    assert_eq!(error(grouped), "16929");
}

#[test]
fn clients_fetch_blocks_and_change_rows_in_them() {
    const TEXT: SqlType = SqlType::nvarchar(100, Collation::DEFAULT);
    let server = TestServer::new();
    let mut session = with_table(&server);
    let int = |value: i64, output| ("", SqlType::int(), Value::Int(value), output);
    let text = |value: &str| ("", TEXT, Value::unicode(value), false);
    let null = ("", SqlType::int(), Value::Null, true);
    let query = text("select id, v from t order by id");
    let opened = session
        .call("sp_cursoropen", &[null.clone(), query, int(1, true), int(4, true), null.clone()]);
    assert_eq!(
        opened,
        "id|v|ROWSTAT\n(0 rows)\n@cursor = 180150003\n@scrollopt = 1\n@ccopt = 4\n@rowcount = 4"
    );
    let mut fetch = |kind: i64, row: i64, count: i64| {
        let handle = int(180_150_003, false);
        let args = [handle, int(kind, false), int(row, false), int(count, false)];
        session.call("sp_cursorfetch", &args).replace('\n', " / ")
    };
    assert_eq!(fetch(2, 0, 3), "id|v|ROWSTAT / 1|a|1 / 2|b|1 / 3|c|1 / (3 rows)");
    assert_eq!(fetch(2, 0, 3), "id|v|ROWSTAT / 4|d|1 / (1 row)");
    assert_eq!(fetch(4, 0, 2), "id|v|ROWSTAT / 2|b|1 / 3|c|1 / (2 rows)");
    let handle = int(180_150_003, false);
    let new = ("@v", TEXT, Value::unicode("new"), false);
    let update = [handle.clone(), int(1, false), int(2, false), text(""), new];
    session.call("sp_cursor", &update);
    let delete = [handle.clone(), int(2, false), int(1, false), text("")];
    session.call("sp_cursor", &delete);
    assert_eq!(session.run("select * from t"), "id|v\n1|a\n3|new\n4|d\n(3 rows)");
    let args = [handle.clone(), int(16, false), int(2, false), int(2, false)];
    let again = session.call("sp_cursorfetch", &args);
    assert_eq!(again, "id|v|ROWSTAT\nNULL|NULL|2\n3|new|1\n(2 rows)");
    session.call("sp_cursorclose", std::slice::from_ref(&handle));
    let closed = session.call("sp_cursorfetch", &[handle]);
    assert!(closed.starts_with("Msg 16909,"), "{closed}");
}

#[test]
fn the_end_of_a_transaction_closes_cursors() {
    let server = TestServer::new();
    let mut session = with_table(&server);
    session.run(
        "declare k cursor keyset for select id from t; declare s cursor static for select id from t",
    );
    let status = "print concat(cursor_status('global', 'k'), cursor_status('global', 's'))";
    let mut after = |text: &str| session.run(&format!("open k; open s; {text}; {status}"));
    assert_eq!(after("begin tran commit"), "11");
    assert_eq!(
        after("close k; close s; open k; open s; begin tran rollback").lines().last(),
        Some("-11")
    );
    session.run("close s; set cursor_close_on_commit on");
    assert_eq!(session.run(&format!("open k; open s; begin tran commit; {status}")), "-1-1");
}

#[test]
fn procedures_give_cursors_back() {
    let server = TestServer::new();
    let mut session = with_table(&server);
    session.run(
        "create procedure p @c cursor varying output as
            set @c = cursor local scroll for select id from t order by id; open @c",
    );
    let answer = session.run(
        "declare @c cursor, @i int; exec p @c output; fetch last from @c into @i; print @i;
        exec p @c output",
    );
    assert_eq!(answer.lines().next(), Some("4"));
    assert!(answer.contains("Msg 16951,"), "{answer}");
}

#[test]
fn rows_of_joins_are_changed_table_by_table() {
    let text = "
        set nocount on;
        create table k (id int primary key, t int, n int);
        insert k values (10, 1, 100), (20, 2, 200), (30, 3, 300);
        declare @id int, @v varchar(10);
        declare c cursor for select k.id, t.v from k join t on t.id = k.t where k.id < 30 order by k.id;
        open c;
        fetch c into @id, @v;
        update t set v = 'x' where current of c;
        update k set n += 1 where current of c;
        fetch c into @id, @v;
        delete k where current of c;
        fetch c into @id, @v;
        print concat(@id, @v, @@fetch_status);
        select string_agg(concat(id, v), ' ') within group (order by id) as t from t;
        select string_agg(concat(id, '=', n), ' ') within group (order by id) as k from k";
    assert_eq!(run(text), "20b-1 / t / 1x 2b 3c 4d / k / 10=101 30=300");
}

#[test]
fn joins_show_what_has_changed_under_them() {
    let text = "
        set nocount on;
        create table k (id int primary key, t int);
        insert k values (10, 1), (20, 2), (30, 3), (40, 4);
        declare @v varchar(10), @all varchar(100) = '';
        declare c cursor keyset for select t.v from k, t where t.id = k.t order by k.id;
        open c;
        update t set v = 'new' where id = 2;
        delete k where id = 30;
        while 1 = 1
        begin
            fetch c into @v;
            if @@fetch_status = -1 break;
            set @all += concat(@v, @@fetch_status, ' ');
        end
        print @all";
    assert_eq!(run(text), "a0 new0 new-2 d0 ");
}

#[test]
fn what_names_no_row_of_one_table_is_read_only() {
    for query in [
        "cursor for select a.v from t a join t b on b.id = a.id",
        "cursor for select t.v from t cross apply (select 1 as one) as k",
        "cursor keyset for select t.v from t join h on h.id = t.id",
        "cursor for select distinct t.v from t join k on k.id = t.id",
    ] {
        let text = format!(
            "create table k (id int primary key); create table h (id int); insert h values (1); insert k values (1);
             declare c {query}; open c; fetch c; update t set v = 'x' where current of c"
        );
        assert_eq!(error(&text), "16929", "{query}");
    }
    let other = "create table k (id int primary key); create table o (id int primary key); insert k values (1);
        declare c cursor for select t.v from t join k on k.id = t.id;
        open c; fetch c; delete o where current of c";
    assert_eq!(error(other), "16933");
}

#[test]
fn dynamic_cursors_pass_over_rows_that_are_gone() {
    let text = |model: &str| {
        format!(
            "set nocount on;
             declare @id int;
             declare c cursor scroll {model} for select id from t order by id;
             open c;
             fetch c into @id;
             delete t where id in (2, 3);
             fetch next from c into @id;
             print concat(@id, ' ', @@fetch_status);
             fetch prior from c into @id;
             print concat(@id, ' ', @@fetch_status)"
        )
    };
    assert_eq!(run(&text("dynamic")), "4 0 / 1 0");
    assert_eq!(run(&text("keyset")), "1 -2 / 1 0");
}
