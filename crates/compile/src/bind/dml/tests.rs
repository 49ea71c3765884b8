//! Statements that change rows: bound, lowered and run over hot tables; errors with numbers, lines
//! and texts.

use std::sync::Arc;

use base::ids::ObjectId;
use base::value::DateTime;
use base::{SqlType, Value};
use engine::catalog::def::*;
use ir::operator::{CompareOp, TableVarId};
use run::interp::frame::{Frame, TableSlot};
use run::interp::local::{LocalShape, LocalTable};

use crate::bind::context::{CursorRow, NamingColumn, Variable};
use crate::bind::testing::Db;
use crate::plan::expr::Pred;
use crate::plan::tree::{Node, Plan, ReferencedAction};

fn shop() -> Db {
    let mut db = Db::with(&[
        "create table t (a int not null primary key, b varchar(5) default 'none', c decimal(9, 2), \
         constraint positive check (c > 0))",
        "create table i (id int identity not null primary key, n int not null)",
        "create table u (a int not null, d int)",
        "create view v as select a, b as label, c + 1 as more from t",
    ]);
    db.fill("t", "select 1, 'one', 1.5 union all select 2, 'two', 2.5 union all select 3, null, 3");
    db.fill("u", "select 1, 10 union all select 1, 11 union all select 4, 40");
    db
}

/// Runs a statement. Returns how many rows it changed, or its error.
fn run(db: &mut Db, text: &str) -> String {
    match db.run_in(text, &mut Frame::default()) {
        Ok((rows, outcome)) if rows.is_empty() => outcome.rows.to_string(),
        Ok((rows, outcome)) => format!("{}: {}", outcome.rows, rows.join(" | ")),
        Err(error) => format!("{}: {}", error.number(), error.text()),
    }
}

fn after(db: &mut Db, text: &str, query: &str) -> String {
    format!("{} -> {}", run(db, text), db.line(query))
}

const T: &str = "select a, b, c from t order by a";

#[test]
fn values_are_inserted_with_defaults() {
    let db = &mut shop();
    assert_eq!(
        after(db, "insert t (a, c) values (4, 4)", T),
        "1 -> 1 one 1.50 | 2 two 2.50 | 3 NULL 3.00 | 4 none 4.00"
    );
    let text = "insert into t values (5, default, null), (6, 'six', 6.25)";
    assert_eq!(
        after(db, text, "select a, b, c from t where a > 4"),
        "2 -> 5 none NULL | 6 six 6.25"
    );
    assert_eq!(run(db, "insert t default values").split(':').next(), Some("515"));
    assert_eq!(
        after(db, "insert i (n) select a from t where a < 3", "select id, n from i order by 1"),
        "2 -> 1 1 | 2 2"
    );
    assert_eq!(after(db, "insert top (1) i select d from u", "select count(*) from i"), "1 -> 3");
    assert_eq!(
        after(db, "insert i values ((select max(d) from u))", "select max(n) from i"),
        "1 -> 40"
    );
}

#[test]
fn values_are_converted_and_judged() {
    let db = &mut shop();
    assert!(run(db, "insert t (a, b) values (9, 'too long')").starts_with("2628: "));
    assert!(run(db, "insert t (a, c) values (9, -1)").starts_with(
        "547: The INSERT statement conflicted \
        with the CHECK constraint \"positive\"."
    ));
    assert!(run(db, "update t set c = 0 where a = 1").starts_with("547: The UPDATE statement"));
    assert!(run(db, "insert t (a) values (1)").starts_with("2627: "));
    assert_eq!(
        after(db, "insert t (a, b, c) values ('7', 77, '7.777')", "select b, c from t where a = 7"),
        "1 -> 77 7.78"
    );
    assert!(run(db, "insert i (n) values (1), ('x')").starts_with("245: "));
}

#[test]
fn rows_are_updated() {
    let db = &mut shop();
    assert_eq!(
        after(db, "update t set b = b + '!', c += 1 where a < 3", T),
        "2 -> 1 one! 2.50 | 2 two! 3.50 | 3 NULL 3.00"
    );
    assert_eq!(
        after(db, "update t set a = a + 1, b = default", T),
        "3 -> 2 none 2.50 | 3 none 3.50 | 4 none 3.00"
    );
    assert_eq!(
        after(
            db,
            "update top (1) t set b = 'x' where a >= 3",
            "select count(*) from t where b = 'x'"
        ),
        "1 -> 1"
    );
    assert_eq!(
        after(
            db,
            "update t set c = (select sum(d) from u where u.a = t.a)",
            T.replace("b, ", "").as_str()
        ),
        "3 -> 2 NULL | 3 NULL | 4 40.00"
    );
}

#[test]
fn updates_join() {
    let db = &mut shop();
    assert_eq!(
        after(db, "update x set c = u.d from t x join u on u.a = x.a where u.d > 10", T),
        "1 -> 1 one 11.00 | 2 two 2.50 | 3 NULL 3.00"
    );
    // A target that its FROM does not mention joins it.
    assert_eq!(
        after(db, "update t set b = 'u' from u where u.a = t.a", T),
        "1 -> 1 u 11.00 | 2 two 2.50 | 3 NULL 3.00"
    );
    assert_eq!(
        after(db, "delete t from t left join u on u.a = t.a where u.a is null", T),
        "2 -> 1 u 11.00"
    );
    assert_eq!(after(db, "delete from u where d in (10, 40)", "select a, d from u"), "2 -> 1 11");
    assert_eq!(
        after(db, "with x as (select a as k, b from t) update x set b = 'cte' where k = 1", T),
        "1 -> 1 cte 11.00"
    );
}

#[test]
fn updates_join_what_is_made_of_queries() {
    let db = &mut shop();
    for (text, expected) in [
        (
            "update t set c = x.s from t join (select a, sum(d) as s from u group by a) x on x.a = t.a",
            "1 -> 1 one 21.00",
        ),
        (
            "update t set c = x.d from t join (select top (1) a, d from u where a = 1 order by d desc) x on x.a = t.a",
            "1 -> 1 one 11.00",
        ),
        (
            "with x as (select a, d, row_number() over (partition by a order by d) as n from u) \
          update t set c = x.d from t join x on x.a = t.a and x.n = 1",
            "1 -> 1 one 10.00",
        ),
        (
            "update x set b = 'top' from (select top (1) a, b from t order by a) x",
            "1 -> 1 top 10.00",
        ),
        (
            "update t set c = s.d from t cross apply (select max(d) as d from u where u.a = t.a) s where s.d is not null",
            "1 -> 1 top 11.00",
        ),
        (
            "with x as (select *, row_number() over (order by a) as n from t) update x set b = cast(n as varchar(5)) \
          where n = 1",
            "1 -> 1 1 11.00",
        ),
        ("update t set b = 'in' where a in (select a from u where d > 5)", "1 -> 1 in 11.00"),
        (
            "update t set b = case when exists (select * from u where u.a = t.a) then 'yes' else 'no' end",
            "3 -> 1 yes 11.00",
        ),
        (
            "delete x from (select a from t where a > 2 union all select a from u) y join t x on x.a = y.a where x.a > 2",
            "1 -> 1 yes 11.00",
        ),
        (
            "with d as (select a, row_number() over (partition by a order by d) as n from u) delete d where n > 1",
            "1 -> 1 yes 11.00",
        ),
    ] {
        assert_eq!(after(db, text, "select a, b, c from t where a = 1"), expected, "{text}");
    }
    assert_eq!(db.line("select a, d from u order by a"), "1 10 | 4 40");
}

#[test]
fn views_can_be_changed() {
    let db = &mut shop();
    assert_eq!(
        after(db, "update v set label = 'view' where more > 3.4", T),
        "2 -> 1 one 1.50 | 2 view 2.50 | 3 view 3.00"
    );
    assert_eq!(
        after(db, "insert v (a, label) values (8, 'v')", "select a, b, c from t where a = 8"),
        "1 -> 8 v NULL"
    );
    assert_eq!(after(db, "delete v where a > 1", T), "3 -> 1 one 1.50");
    assert_eq!(
        db.error("update v set more = 1"),
        "4406 1: Update or insert of view or function 'v' failed because it contains a derived or constant field."
    );
}

#[test]
fn a_view_may_check_what_goes_through_it() {
    let db = &mut shop();
    db.create(
        "create view w as select a, b from t where a < 10 and b is not null with check option",
    );
    assert_eq!(run(db, "insert w values (7, 'x')"), "1");
    assert!(run(db, "insert w values (17, 'x')").starts_with("550: "));
    assert!(run(db, "insert w values (8, null)").starts_with("550: "));
    assert!(run(db, "update w set a = a + 9 where a = 2").starts_with("550: "));
    assert_eq!(run(db, "update w set a = a + 90 where a = 3"), "0");
}

#[test]
fn output_shows_old_and_new_rows() {
    let db = &mut shop();
    assert_eq!(
        run(db, "insert i (n) output inserted.id, inserted.n * 2 as twice values (5), (6)"),
        "2: 1 10 | 2 12"
    );
    assert_eq!(
        run(db, "update t set c = c + 1 output deleted.c, inserted.c, inserted.* where a = 1"),
        "1: 1.50 2.50 1 one 2.50"
    );
    assert_eq!(
        run(
            db,
            "update t set a = t.a + 5 output u.d, inserted.a from t join u on u.a = t.a where u.d = 10"
        ),
        "1: 10 6"
    );
    assert_eq!(run(db, "update t set a = 1 where a = 6"), "1");
    assert_eq!(
        run(db, "delete t output deleted.a, u.d from t join u on u.a = t.a where u.d = 10"),
        "1: 1 10"
    );
    assert_eq!(
        after(
            db,
            "delete t output deleted.a, 7 into u (a, d) where a = 2",
            "select d from u where a = 2"
        ),
        "1 -> 7"
    );
    assert_eq!(
        db.error("delete t\noutput inserted.a"),
        "4104 2: The multi-part identifier \"inserted.a\" could not be bound."
    );
}

#[test]
fn merge_does_all_three() {
    let db = &mut shop();
    let text = "merge t using (select a, min(d) as d from u group by a) as s on s.a = t.a \
        when matched then update set c = s.d \
        when not matched then insert (a, c) values (s.a, s.d) \
        when not matched by source and t.a = 3 then delete \
        output $action, deleted.a, inserted.a;";
    let mut rows = db.run_in(text, &mut Frame::default()).unwrap().0;
    rows.sort();
    assert_eq!(rows.join(" | "), "DELETE 3 NULL | INSERT NULL 4 | UPDATE 1 1");
    assert_eq!(db.line(T), "1 one 10.00 | 2 two 2.50 | 4 none 40.00");
    assert_eq!(
        run(db, "merge t using u on u.a = t.a when matched then delete;").split(':').next(),
        Some("8672")
    );
    assert_eq!(
        db.error(
            "merge t using u on u.a = t.a\nwhen matched then delete\n\
            when matched and u.d = 1 then delete;"
        ),
        "5324 3: In a MERGE statement, a 'WHEN MATCHED' clause with a search condition cannot appear \
         after a 'WHEN MATCHED' clause with no search condition."
    );
}

#[test]
fn variables_are_assigned_on_the_way() {
    let db = &mut shop();
    let (v, w) = (db.declare("@v", SqlType::int()), db.declare("@w", SqlType::decimal(9, 2)));
    let mut frame = Frame::new([SqlType::int(), SqlType::decimal(9, 2)]);
    db.run_in("update t set @v = a + 10, @w = c = c * 2 where a = 2", &mut frame).unwrap();
    assert_eq!(frame.get(v).to_owned(), Value::Int(12));
    assert_eq!(frame.get(w).to_owned(), Value::Decimal(500));
}

#[test]
fn a_cursor_names_the_row() {
    let db = &mut shop();
    let v = db.declare("@key", SqlType::int());
    let table = db.table("t").id();
    db.names.cursor = Some(CursorRow {
        database: run::interp::testing::DB,
        table,
        key: vec![(NamingColumn::Column(0), v)],
    });
    let mut frame = Frame::new([SqlType::int()]);
    frame.set_owned(v, &Value::Int(2));
    db.run_in("delete t where current of c", &mut frame).unwrap();
    assert_eq!(db.line("select a from t order by a"), "1 | 3");
    assert_eq!(
        db.error("delete u where current of c"),
        "16933 1: The cursor does not include the table being modified or the table is not updatable through the cursor."
    );
}

/// Tables p and f with a foreign key of f onto p.
fn family(on_delete: ReferentialAction, on_update: ReferentialAction) -> Db {
    let mut db = Db::with(&[
        "create table p (id int not null primary key, n int)",
        "create table f (id int not null primary key, p int default 1, index ip (p))",
    ]);
    db.fill("p", "select 1, 10 union all select 2, 20 union all select 3, 30");
    db.fill(
        "f",
        "select 1, 1 union all select 2, 2 union all select 3, 2 union all select 4, null",
    );
    let (parent, mut child) = (db.table("p"), (*db.table("f")).clone());
    let zero = DateTime { days: 0, ticks: 0 };
    child.foreign_keys.push(ForeignKeyDef {
        header: ConstraintHeader {
            id: ObjectId(9000),
            name: "fk".into(),
            system_named: false,
            created: zero,
            modified: zero,
        },
        columns: vec![ForeignKeyColumn { own: ColumnId(2), referenced: ColumnId(1) }],
        referenced: parent.id(),
        referenced_index: parent.indexes[0].id,
        on_delete,
        on_update,
        disabled: false,
        not_for_replication: false,
        not_trusted: false,
    });
    db.replace(child);
    db
}

const F: &str = "select id, p from f order by id";

#[test]
fn foreign_keys_are_held_on_both_sides() {
    use ReferentialAction::NoAction;
    let db = &mut family(NoAction, NoAction);
    assert_eq!(run(db, "insert f values (5, 3), (6, null)"), "2");
    assert_eq!(
        run(db, "insert f values (7, 9)"),
        "547: The INSERT statement conflicted with the FOREIGN KEY constraint \"fk\". The conflict \
         occurred in database \"db\", table \"dbo.p\", column 'id'."
    );
    assert!(run(db, "update f set p = 8 where id = 1").starts_with("547: The UPDATE statement"));
    assert_eq!(
        run(db, "delete p where id = 2"),
        "547: The DELETE statement conflicted with the REFERENCE constraint \"fk\". The conflict \
         occurred in database \"db\", table \"dbo.f\", column 'p'."
    );
    assert_eq!(run(db, "update p set n = 1"), "3");
    assert!(run(db, "update p set id = 7 where id = 2").starts_with("547: "));
    assert_eq!(run(db, "update p set id = id + 0"), "3");
}

#[test]
fn foreign_keys_cascade() {
    use ReferentialAction::{Cascade, SetDefault, SetNull};
    let db = &mut family(Cascade, Cascade);
    assert_eq!(after(db, "update p set id = 7 where id = 2", F), "1 -> 1 1 | 2 7 | 3 7 | 4 NULL");
    assert_eq!(after(db, "delete p where id = 7", F), "1 -> 1 1 | 4 NULL");
    let db = &mut family(SetNull, SetDefault);
    assert_eq!(after(db, "delete p where id = 1", F), "1 -> 1 NULL | 2 2 | 3 2 | 4 NULL");
    let db = &mut family(SetNull, SetDefault);
    assert_eq!(after(db, "update p set id = 9 where id = 2", F), "1 -> 1 1 | 2 1 | 3 1 | 4 NULL");
}

#[test]
fn a_merge_follows_foreign_keys_by_what_it_does() {
    use ReferentialAction::{Cascade, SetNull};
    let db = &mut family(Cascade, SetNull);
    let text = "merge p using (values (1), (2)) as s (id) on s.id = p.id \
        when matched and p.id = 1 then delete \
        when matched then update set id = 12;";
    assert_eq!(after(db, text, F), "2 -> 2 NULL | 3 NULL | 4 NULL");

    let bound = db.bind(text).unwrap();
    let Plan::Merge(plan) = bound.plan else { panic!() };
    let kinds: Vec<_> = (plan.effects.referenced_by.iter())
        .map(|r| (matches!(r.action, ReferencedAction::Delete(_)), r.on_delete, r.on_update))
        .collect();
    assert_eq!(kinds, [(true, true, false), (false, false, true)]);
    // Rows that other transactions have changed meanwhile must still refer to the old one.
    for referenced in &plan.effects.referenced_by {
        let (input, recheck) = match &referenced.action {
            ReferencedAction::Delete(plan) => (&plan.input, &plan.recheck),
            ReferencedAction::Update(plan) => (&plan.input, &plan.recheck),
            ReferencedAction::Refuse { .. } => panic!("it is no cascade"),
        };
        assert!(matches!(input, Node::Scan(scan) if scan.options.newest));
        let Some(Pred::And(terms)) = recheck else { panic!("there is no condition") };
        assert!(matches!(terms[..], [Pred::Compare(CompareOp::Eq, ..)]), "{terms:?}");
    }
}

#[test]
fn lists_and_rows_must_match() {
    let db = shop();
    for (text, error) in [
        (
            "insert t (a, b)\nvalues (1)",
            "109 1: There are more columns in the INSERT statement than values",
        ),
        (
            "insert t (a) values (1, 2)",
            "110 1: There are fewer columns in the INSERT statement than values",
        ),
        ("insert t values (1)", "213 1: Column name or number of supplied values does not match"),
        (
            "insert t (a, b) select 1",
            "120 1: The select list for the INSERT statement contains fewer items",
        ),
        (
            "insert t (a) select 1, 2",
            "121 1: The select list for the INSERT statement contains more items",
        ),
        ("insert t select 1", "213 1: Column name or number of supplied values does not match"),
        ("insert t (a, a) values (1, 2)", "264 1: The column name 'a' is specified more than once"),
        ("insert t\n(a, zz) values (1, 2)", "207 2: Invalid column name 'zz'."),
        ("insert t (a) values (b)", "128 1: The name \"b\" is not permitted in this context."),
        ("insert t (a) values (1), (2, 3)", "10709 1: The number of columns for each row"),
        (
            "insert i (id, n) values (1, 2)",
            "544 1: Cannot insert explicit value for identity column in table 'i'",
        ),
        (
            "insert i values (1, 2)",
            "8101 1: An explicit value for the identity column in table 'i'",
        ),
        ("insert nowhere values (1)", "208 1: Invalid object name 'nowhere'."),
        ("insert @x values (1)", "1087 1: Must declare the table variable \"@x\"."),
        (
            "insert t (a) values (getdate())",
            "257 1: Implicit conversion from data type datetime to int",
        ),
        ("update t set zz = 1", "207 1: Invalid column name 'zz'."),
        ("update t set b = 1, b = 2", "264 1: The column name 'b' is specified more than once"),
        ("update i set id = 1", "8102 1: Cannot update identity column 'id'."),
        ("update t set a = count(*)", "157 1: An aggregate may not appear in the set list"),
        ("update t set x.a = 1", "4104 1: The multi-part identifier \"x.a\" could not be bound."),
        ("update t set @n = 1", "137 1: Must declare the scalar variable \"@n\"."),
        ("update t set a = 1 from t x, t y", "8154 1: The table 't' is ambiguous."),
        ("delete t where count(*) > 1", "147 1: An aggregate may not appear in the WHERE clause"),
        ("delete zz from t", "208 1: Invalid object name 'zz'."),
    ] {
        let found = db.error(text);
        assert!(found.starts_with(error), "{text}\n found    {found}\n expected {error}");
    }
}

#[test]
fn explicit_identities_need_permission() {
    let db = &mut shop();
    db.names.identity_insert = Some(db.table("i").id());
    assert_eq!(after(db, "insert i (id, n) values (50, 1)", "select id from i"), "1 -> 50");
    assert_eq!(db.error("insert i (n) values (1)").split(':').next(), Some("545 1"));
    assert_eq!(db.error("insert i (id, n) values (default, 1)").split(':').next(), Some("339 1"));
}

#[test]
fn table_variables_are_changed() {
    let db = &mut shop();
    let id = db.declare_table("@t", "u");
    let shape = LocalShape::of(&db.table("u"));
    let mut frame = Frame::default();
    frame.declare_table(TableSlot::Own(Box::new(LocalTable::new(shape))));
    assert_eq!(id, TableVarId(0));
    db.run_in("insert @t select a, d from u", &mut frame).unwrap();
    db.run_in("update @t set d = d + 1 where a = 1", &mut frame).unwrap();
    db.run_in("delete x from @t as x where x.a = 4", &mut frame).unwrap();
    let rows = db.run_in("select a, d from @t order by d", &mut frame).unwrap().0;
    assert_eq!(rows.join(" | "), "1 11 | 1 12");
    let Some(Variable::Table { id, table, .. }) = db.names.variables.remove("@t") else { panic!() };
    let mut named = (*table).clone();
    named.header.name = "@t".into();
    let table = Arc::new(named);
    db.names.variables.insert("@t".into(), Variable::Table { id, table, read_only: true });
    assert_eq!(
        db.error("delete @t"),
        "10700 1: The table-valued parameter \"@t\" is READONLY and cannot be modified."
    );
}

#[test]
fn computed_columns_and_checks_follow() {
    let db = &mut Db::with(&[
        "create table t (a int not null primary key, b int, s as a + b, w as a * 10, \
         constraint ck check (s < 100 and w > 0))",
    ]);
    let mut table = (*db.table("t")).clone();
    for column in &mut table.columns {
        if let Some(computed) = &mut column.computed {
            computed.columns = vec![ColumnId(1), ColumnId(2)];
        }
    }
    db.replace(table);
    assert_eq!(run(db, "insert t (a, b) output inserted.s, inserted.w values (1, 2)"), "1: 3 10");
    assert!(run(db, "insert t (a, b) values (1, 200)").starts_with("547: "));
    assert_eq!(
        run(db, "update t set b = s + w output deleted.s, inserted.s where w = 10"),
        "1: 3 14"
    );
    assert_eq!(
        db.error("update t set s = 1"),
        "271 1: The column \"s\" cannot be modified because it is either a computed column or is the \
         result of a UNION operator."
    );
}
