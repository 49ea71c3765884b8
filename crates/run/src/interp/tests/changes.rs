use std::sync::Arc;

use base::{SqlType, Value, ValueRef};
use compile::plan::expr::*;
use compile::plan::testing::*;
use compile::plan::tree::*;
use engine::catalog::def::{IdentityDef, IndexKind, TableDef, TableKind};

use crate::interp::frame::{Frame, TableSlot};
use crate::interp::local::{LocalShape, LocalTable};
use crate::interp::testing::*;

const INT: SqlType = SqlType::int();
const ROW: ColId = ColId(90);

fn v(value: i64) -> Value {
    Value::Int(value)
}

fn rows(values: &[[i64; 2]]) -> Vec<Vec<Value>> {
    values.iter().map(|r| r.iter().map(|&x| v(x)).collect()).collect()
}

/// A table (id int unique, n int null) with the rows 1 to 5, n = 10 id.
fn with_table(kind: TableKind) -> (TestDatabase, Arc<TableDef>) {
    let mut def = table_def(1, "t", &[("id", INT, false), ("n", INT, true)]);
    def.kind = kind;
    let def = Arc::new(with_index(def, IndexKind::NonClustered, true, &[0]));
    let mut db = TestDatabase::new();
    db.create(&def);
    db.fill(&def, &rows(&[[1, 10], [2, 20], [3, 30], [4, 40], [5, 50]])).unwrap();
    (db, def)
}

/// The names of the old and of the new columns of a table with two.
fn names() -> RowEffects {
    RowEffects {
        new_columns: vec![ColId(70), ColId(71)],
        old_columns: vec![ColId(80), ColId(81)],
        ..RowEffects::default()
    }
}

fn input(def: &Arc<TableDef>, predicate: Option<Pred>) -> Node {
    let source = Source::Table { database: DB, table: def.clone() };
    let (mut scan, _) = scan_of(source, def, 0, Some(ROW));
    scan.residual = predicate;
    Node::Scan(Box::new(scan))
}

fn update(def: &Arc<TableDef>, predicate: Option<Pred>, set: Vec<(usize, Expr)>) -> UpdatePlan {
    UpdatePlan {
        target: table_target(def),
        input: input(def, predicate.clone()),
        row: ROW,
        old_columns: vec![ColId(0), ColId(1)],
        set: set.into_iter().map(|(at, e)| (at, NewValue::Expr(e))).collect(),
        assign: vec![],
        recheck: predicate,
        effects: names(),
    }
}

fn delete(def: &Arc<TableDef>, predicate: Option<Pred>) -> DeletePlan {
    DeletePlan {
        target: table_target(def),
        input: input(def, predicate.clone()),
        row: ROW,
        old_columns: vec![(0, ColId(0)), (1, ColId(1))],
        recheck: predicate,
        effects: RowEffects { new_columns: vec![], ..names() },
    }
}

fn plus(col_id: u32, value: i64) -> Expr {
    arith(ArithOp::Add, col(col_id, INT), int(value))
}

fn run(db: &mut TestDatabase, plan: Plan) -> Result<u64, i32> {
    let ran = db.run(&plan, &mut Frame::default());
    ran.map(|(_, outcome)| outcome.rows).map_err(|e| e.number())
}

#[test]
fn rows_are_updated_and_deleted() {
    for kind in [TableKind::MemoryDurable, TableKind::Disk] {
        let (mut db, def) = with_table(kind);
        let above = Pred::Compare(CompareOp::Gt, col(0, INT), int(2));
        let plan = update(&def, Some(above), vec![(1, plus(1, 1))]);
        assert_eq!(run(&mut db, Plan::Update(Box::new(plan))), Ok(3));
        let plan = delete(&def, Some(eq(col(1, INT), int(31))));
        assert_eq!(run(&mut db, Plan::Delete(Box::new(plan))), Ok(1));
        assert_eq!(db.rows(&def), rows(&[[1, 10], [2, 20], [4, 41], [5, 51]]));
        let plan = update(&def, None, vec![(1, null(INT))]);
        assert_eq!(run(&mut db, Plan::Update(Box::new(plan))), Ok(4));
        assert!(db.rows(&def).iter().all(|r| r[1].is_null()));
        assert_eq!(run(&mut db, Plan::Delete(Box::new(delete(&def, None)))), Ok(4));
        assert!(db.rows(&def).is_empty());
    }
}

#[test]
fn a_statement_does_not_feed_on_itself() {
    let (mut db, def) = with_table(TableKind::MemoryDurable);
    let Plan::Insert(mut insert) = insert_values(table_target(&def), &def, &rows(&[[0, 0]])) else {
        panic!("it is an insert");
    };
    let (scan, _) = scan_all(&def, 0);
    insert.source = scan;
    insert.values = vec![NewValue::Expr(plus(0, 100)), NewValue::Expr(col(1, INT))];
    assert_eq!(run(&mut db, Plan::Insert(insert)), Ok(5));
    assert_eq!(db.rows(&def).len(), 10);
}

#[test]
fn unique_keys_can_move_onto_each_other() {
    for kind in [TableKind::MemoryDurable, TableKind::Disk] {
        let (mut db, def) = with_table(kind);
        let plan = update(&def, None, vec![(0, plus(0, 1))]);
        assert_eq!(run(&mut db, Plan::Update(Box::new(plan))), Ok(5));
        assert_eq!(db.rows(&def), rows(&[[2, 10], [3, 20], [4, 30], [5, 40], [6, 50]]));
        let plan = update(&def, None, vec![(0, int(9))]);
        assert_eq!(run(&mut db, Plan::Update(Box::new(plan))), Err(2601));
        assert_eq!(db.rows(&def).len(), 5);
    }
}

#[test]
fn a_failed_statement_leaves_nothing() {
    let (mut db, def) = with_table(TableKind::MemoryDurable);
    let insert = insert_values(table_target(&def), &def, &rows(&[[6, 60], [7, 70], [3, 0]]));
    let error = db.run(&insert, &mut Frame::default()).unwrap_err();
    assert_eq!((error.number(), error.severity()), (2601, 14));
    assert_eq!(
        error.text(),
        "Cannot insert duplicate key row in object 'dbo.t' with unique index 'ix0'. \
         The duplicate key value is (3)."
    );
    assert_eq!(db.rows(&def).len(), 5);
    let insert =
        insert_values(table_target(&def), &def, &[vec![v(8), v(1)], vec![Value::Null, v(1)]]);
    let error = db.run(&insert, &mut Frame::default()).unwrap_err();
    assert_eq!(
        (error.number(), error.text()),
        (
            515,
            "Cannot insert the value NULL into column 'id', table 'db.dbo.t'; column does not \
             allow nulls. INSERT fails."
        )
    );
    assert_eq!(db.rows(&def).len(), 5);
}

#[test]
fn duplicates_can_be_ignored() {
    let (mut db, def) = with_table(TableKind::MemoryDurable);
    let values = rows(&[[6, 60], [3, 0], [7, 70], [7, 71]]);
    let Plan::Insert(mut insert) = insert_values(table_target(&def), &def, &values) else {
        panic!("it is an insert");
    };
    insert.effects.ignore_duplicates = vec![0];
    let (writer, outcome) = db.run(&Plan::Insert(insert), &mut Frame::default()).unwrap();
    assert_eq!((outcome.rows, writer.messages), (2, vec![3604]));
    assert_eq!(db.rows(&def).len(), 7);
}

fn check(column: Option<&str>, predicate: Pred) -> CheckPlan {
    let by = CheckedBy::Constraint("ck".into());
    CheckPlan { by, column: column.map(Into::into), predicate }
}

#[test]
fn checks_pass_unknown_and_refuse_false() {
    let (mut db, def) = with_table(TableKind::MemoryDurable);
    let positive = Pred::Compare(CompareOp::Gt, col(71, INT), int(0));
    let mut plan = update(&def, Some(eq(col(0, INT), int(1))), vec![(1, null(INT))]);
    plan.effects.checks = vec![check(Some("n"), positive.clone())];
    assert_eq!(run(&mut db, Plan::Update(Box::new(plan.clone()))), Ok(1));
    plan.set = vec![(1, NewValue::Expr(int(0)))];
    let error = db.run(&Plan::Update(Box::new(plan)), &mut Frame::default()).unwrap_err();
    assert_eq!(
        error.text(),
        "The UPDATE statement conflicted with the CHECK constraint \"ck\". The conflict occurred \
         in database \"db\", table \"dbo.t\", column 'n'."
    );
    // A view's check option requires true.
    let mut plan = update(&def, None, vec![(1, null(INT))]);
    plan.effects.checks = vec![CheckPlan { by: CheckedBy::CheckOption, ..check(None, positive) }];
    assert_eq!(run(&mut db, Plan::Update(Box::new(plan))), Err(550));
}

#[test]
fn output_shows_old_and_new_rows() {
    let (mut db, def) = with_table(TableKind::MemoryDurable);
    let output = |e: Expr| {
        let name: Arc<str> = "".into();
        (
            e,
            ResultColumn {
                name,
                ty: INT,
                nullable: true,
                base: None,
                schemas: None,
                classified: None,
            },
        )
    };
    let first = Some(Pred::Compare(CompareOp::Le, col(0, INT), int(2)));
    let mut plan = update(&def, first.clone(), vec![(1, plus(1, 5))]);
    plan.effects.output = Some(vec![
        output(col(80, INT)),
        output(arith(ArithOp::Subtract, col(71, INT), col(81, INT))),
    ]);
    let (writer, outcome) = db.run(&Plan::Update(Box::new(plan)), &mut Frame::default()).unwrap();
    assert_eq!((writer.results, outcome.rows), (1, 2));
    assert_eq!(writer.rows, rows(&[[1, 5], [2, 5]]));
    let mut plan = delete(&def, first);
    plan.effects.output = Some(vec![output(col(81, INT))]);
    let (writer, _) = db.run(&Plan::Delete(Box::new(plan)), &mut Frame::default()).unwrap();
    assert_eq!(writer.rows, [vec![v(15)], vec![v(25)]]);
}

#[test]
fn output_goes_into_a_table_variable() {
    let (mut db, def) = with_table(TableKind::MemoryDurable);
    let log = Arc::new(table_def(9, "@log", &[("id", INT, false), ("was", INT, true)]));
    let mut frame = Frame::default();
    let table = LocalTable::new(LocalShape::of(&log));
    let var = frame.declare_table(TableSlot::Own(Box::new(table)));
    let mut plan = update(&def, None, vec![(1, plus(1, 5))]);
    plan.effects.output_into = Some(Box::new(InsertPlan {
        target: Target::TableVar(var, log),
        source: Node::OneRow,
        values: vec![NewValue::Expr(col(70, INT)), NewValue::Expr(col(81, INT))],
        converted: Vec::new(),
        effects: RowEffects::default(),
        lock: None,
    }));
    let (_, outcome) = db.run(&Plan::Update(Box::new(plan.clone())), &mut frame).unwrap();
    assert_eq!(outcome.rows, 5);
    assert_eq!(frame.table(var).get().unwrap().len(), 5);
    // What fails leaves nothing in the variable either.
    plan.effects.checks = vec![check(None, eq(col(70, INT), int(1)))];
    db.run(&Plan::Update(Box::new(plan)), &mut frame).unwrap_err();
    assert_eq!(frame.table(var).get().unwrap().len(), 5);
}

#[test]
fn triggers_get_their_rows() {
    let (mut db, def) = with_table(TableKind::MemoryDurable);
    let mut plan = update(&def, Some(eq(col(0, INT), int(4))), vec![(1, plus(1, 2))]);
    plan.effects.keep_transitions = true;
    let (_, outcome) =
        db.run(&Plan::Update(Box::new(plan.clone())), &mut Frame::default()).unwrap();
    let [transition] = &outcome.transitions[..] else { panic!("one table was changed") };
    let read = |t: &LocalTable| -> Vec<Vec<Value>> {
        t.iter()
            .map(|r| (0..2).map(|c| ValueRef::to_owned(t.layout().get(r, c))).collect())
            .collect()
    };
    assert_eq!(read(&transition.inserted), rows(&[[4, 42]]));
    assert_eq!(read(&transition.deleted), rows(&[[4, 40]]));
    // They are what a trigger's scans of `inserted` read.
    let mut frame = Frame::default();
    let Some(transition) = outcome.transitions.into_iter().next() else { panic!("just seen") };
    frame.inserted = Some(Arc::new(transition.inserted));
    let source = Source::Transition(true, def.clone());
    let (scan, columns) = scan_of(source, &def, 0, None);
    let select = select(Node::Scan(Box::new(scan)), &columns);
    assert_eq!(db.run(&select, &mut frame).unwrap().0.rows, rows(&[[4, 42]]));
    plan.recheck = None;
    plan.input = input(&def, Some(Pred::Const(Some(false))));
    let (_, outcome) = db.run(&Plan::Update(Box::new(plan)), &mut Frame::default()).unwrap();
    assert!(outcome.transitions.is_empty());
}

#[test]
fn identity_values_are_given_and_noted() {
    let mut def = table_def(2, "i", &[("id", INT, false), ("n", INT, true)]);
    def.columns[0].identity =
        Some(IdentityDef { seed: 100, increment: 10, not_for_replication: false });
    let def = Arc::new(def);
    let mut db = TestDatabase::new();
    db.create(&def);
    let insert = insert_values(table_target(&def), &def, &[vec![v(1)], vec![v(2)]]);
    let (_, outcome) = db.run(&insert, &mut Frame::default()).unwrap();
    assert_eq!(outcome.identity, Some(110));
    let explicit = insert_values(table_target(&def), &def, &rows(&[[200, 3]]));
    let (_, outcome) = db.run(&explicit, &mut Frame::default()).unwrap();
    assert_eq!(outcome.identity, Some(200));
    db.run(&insert, &mut Frame::default()).unwrap();
    assert_eq!(db.rows(&def), rows(&[[100, 1], [110, 2], [200, 3], [210, 1], [220, 2]]));
}

/// A parent with ids 1 and 2 and a child (id, parent null) that refers to it.
fn family(kind: TableKind) -> (TestDatabase, Arc<TableDef>, Arc<TableDef>) {
    let make = |id, name, second| {
        let mut def = table_def(id, name, &[("id", INT, false), (second, INT, true)]);
        def.kind = kind;
        with_index(def, IndexKind::Hash, true, &[0])
    };
    let parent = Arc::new(make(11, "parent", "n"));
    let child = make(12, "child", "parent");
    let child = Arc::new(with_index(child, IndexKind::NonClustered, false, &[1]));
    let mut db = TestDatabase::new();
    db.create(&parent);
    db.create(&child);
    db.fill(&parent, &rows(&[[1, 0], [2, 0], [3, 0]])).unwrap();
    (db, parent, child)
}

fn lookup(def: &Arc<TableDef>, index: usize, key: Expr, first: u32) -> Node {
    let source = Source::Table { database: DB, table: def.clone() };
    let (mut scan, _) = scan_of(source, def, first, None);
    scan.access = match def.indexes[index].kind {
        IndexKind::Hash => Access::Seek { index, key: vec![key] },
        _ => Access::Range { index, prefix: vec![key], lower: None, upper: None, backward: false },
    };
    Node::Scan(Box::new(scan))
}

fn reference(def: &Arc<TableDef>, key: u32, deferred: bool) -> ReferencePlan {
    ReferencePlan {
        name: "fk".into(),
        referenced_name: "dbo.parent".into(),
        column_name: Some("id".into()),
        lookup: lookup(def, 0, col(key, INT), 200),
        key: vec![col(key, INT)],
        deferred,
        same_table: deferred,
        columns: vec![1],
    }
}

fn insert_into(def: &Arc<TableDef>, values: &[Vec<Value>], references: Vec<ReferencePlan>) -> Plan {
    let Plan::Insert(mut insert) = insert_values(table_target(def), def, values) else {
        panic!("it is an insert");
    };
    insert.effects.new_columns = vec![ColId(70), ColId(71)];
    insert.effects.references = references;
    Plan::Insert(insert)
}

#[test]
fn children_need_their_parents() {
    for kind in [TableKind::MemoryDurable, TableKind::Disk] {
        let (mut db, parent, child) = family(kind);
        let insert = |values: &[Vec<Value>]| {
            insert_into(&child, values, vec![reference(&parent, 71, false)])
        };
        assert_eq!(run(&mut db, insert(&rows(&[[1, 1], [2, 1], [3, 2]]))), Ok(3));
        assert_eq!(run(&mut db, insert(&[vec![v(4), Value::Null]])), Ok(1));
        let error = db.run(&insert(&rows(&[[5, 9]])), &mut Frame::default()).unwrap_err();
        assert_eq!(
            error.text(),
            "The INSERT statement conflicted with the FOREIGN KEY constraint \"fk\". The conflict \
             occurred in database \"db\", table \"dbo.parent\", column 'id'."
        );
        assert_eq!(db.rows(&child).len(), 4);
    }
}

fn referenced(child: &Arc<TableDef>, action: ReferencedAction) -> ReferencedPlan {
    let _ = child;
    ReferencedPlan {
        on_delete: true,
        on_update: true,
        name: "fk".into(),
        referencing_name: "dbo.child".into(),
        column_name: Some("parent".into()),
        columns: vec![0],
        action,
    }
}

#[test]
fn parents_are_kept_or_take_their_children_along() {
    for kind in [TableKind::MemoryDurable, TableKind::Disk] {
        let (mut db, parent, child) = family(kind);
        db.fill(&child, &rows(&[[1, 1], [2, 1], [3, 2]])).unwrap();
        let refuse = || {
            let mut lookup = lookup(&child, 1, col(80, INT), 300);
            if let Node::Scan(scan) = &mut lookup {
                scan.options.newest = true;
            }
            let referenced = self::lookup(&parent, 0, col(80, INT), 400);
            ReferencedAction::Refuse { referencing: lookup, referenced }
        };
        let mut plan = delete(&parent, Some(eq(col(0, INT), int(1))));
        plan.effects.referenced_by = vec![referenced(&child, refuse())];
        let error =
            db.run(&Plan::Delete(Box::new(plan.clone())), &mut Frame::default()).unwrap_err();
        assert_eq!(
            error.text(),
            "The DELETE statement conflicted with the REFERENCE constraint \"fk\". The conflict \
             occurred in database \"db\", table \"dbo.child\", column 'parent'."
        );
        plan.input = input(&parent, Some(eq(col(0, INT), int(3))));
        assert_eq!(run(&mut db, Plan::Delete(Box::new(plan))), Ok(1));
        // An update that leaves the key unchanged is ignored; one that changes it counts.
        let mut plan = update(&parent, None, vec![(0, col(0, INT)), (1, int(5))]);
        plan.effects.referenced_by = vec![referenced(&child, refuse())];
        assert_eq!(run(&mut db, Plan::Update(Box::new(plan.clone()))), Ok(2));
        plan.set = vec![(0, NewValue::Expr(plus(0, 10)))];
        assert_eq!(run(&mut db, Plan::Update(Box::new(plan))), Err(547));
        // CASCADE.
        let cascade = DeletePlan {
            target: table_target(&child),
            input: {
                let source = Source::Table { database: DB, table: child.clone() };
                let (mut scan, _) = scan_of(source, &child, 300, Some(ColId(310)));
                let prefix = vec![col(80, INT)];
                scan.access =
                    Access::Range { index: 1, prefix, lower: None, upper: None, backward: false };
                Node::Scan(Box::new(scan))
            },
            row: ColId(310),
            old_columns: vec![(0, ColId(300)), (1, ColId(301))],
            recheck: None,
            effects: RowEffects::default(),
        };
        let mut plan = delete(&parent, Some(eq(col(0, INT), int(1))));
        plan.effects.referenced_by =
            vec![referenced(&child, ReferencedAction::Delete(Box::new(cascade.clone())))];
        assert_eq!(run(&mut db, Plan::Delete(Box::new(plan))), Ok(1));
        assert_eq!(db.rows(&child), rows(&[[3, 2]]));
        // ON UPDATE CASCADE: the children follow.
        let follow = UpdatePlan {
            target: cascade.target,
            input: cascade.input,
            row: cascade.row,
            old_columns: vec![ColId(300), ColId(301)],
            set: vec![(1, NewValue::Expr(col(70, INT)))],
            assign: vec![],
            recheck: None,
            effects: RowEffects::default(),
        };
        let mut plan = update(&parent, None, vec![(0, plus(0, 10))]);
        plan.effects.referenced_by =
            vec![referenced(&child, ReferencedAction::Update(Box::new(follow)))];
        assert_eq!(run(&mut db, Plan::Update(Box::new(plan))), Ok(1));
        assert_eq!(db.rows(&child), rows(&[[3, 12]]));
    }
}

#[test]
fn rows_can_refer_to_rows_of_the_same_statement() {
    let (mut db, parent, _) = family(TableKind::MemoryDurable);
    // The second column refers to the first of the same table.
    let insert = |values: &[[i64; 2]]| {
        insert_into(&parent, &rows(values), vec![reference(&parent, 71, true)])
    };
    assert_eq!(run(&mut db, insert(&[[10, 11], [11, 10], [12, 12]])), Ok(3));
    assert_eq!(run(&mut db, insert(&[[20, 21], [22, 20]])), Err(547));
    assert_eq!(db.rows(&parent).len(), 6);
}

#[test]
fn merge_takes_the_first_clause_that_applies() {
    let (mut db, def) = with_table(TableKind::MemoryDurable);
    let merge = |values: &[[i64; 2]]| {
        let source = Node::Compute {
            input: Box::new(Node::Values {
                columns: vec![ColId(20), ColId(21)],
                rows: values.iter().map(|r| r.iter().map(|&x| int(x)).collect()).collect(),
            }),
            columns: vec![(ColId(22), int(1))],
        };
        let effects = RowEffects {
            output: Some(vec![(
                Expr {
                    kind: ExprKind::Column(ColId(60)),
                    ty: SqlType::nvarchar(10, base::Collation::default()),
                    nullable: false,
                },
                ResultColumn {
                    name: "".into(),
                    ty: SqlType::nvarchar(10, base::Collation::default()),
                    nullable: false,
                    base: None,
                    schemas: None,
                    classified: None,
                },
            )]),
            ..names()
        };
        Plan::Merge(Box::new(MergePlan {
            target: table_target(&def),
            input: Node::HashJoin {
                kind: JoinKind::FullOuter,
                probe: Box::new(source),
                build: Box::new(input(&def, None)),
                keys: vec![(col(20, INT), col(0, INT))],
                null_equal: false,
                residual: None,
            },
            row: ROW,
            source_present: ColId(22),
            first: None,
            old_columns: vec![ColId(0), ColId(1)],
            on: eq(col(20, INT), col(0, INT)),
            clauses: vec![
                MergeClause {
                    when: MergeWhen::Matched,
                    condition: Some(eq(col(21, INT), int(0))),
                    action: MergeAction::Delete,
                },
                MergeClause {
                    when: MergeWhen::Matched,
                    condition: None,
                    action: MergeAction::Update(vec![(
                        1,
                        NewValue::Expr(arith(ArithOp::Add, col(1, INT), col(21, INT))),
                    )]),
                },
                MergeClause {
                    when: MergeWhen::NotMatchedByTarget,
                    condition: None,
                    action: MergeAction::Insert(vec![
                        NewValue::Expr(col(20, INT)),
                        NewValue::Expr(col(21, INT)),
                    ]),
                },
                MergeClause {
                    when: MergeWhen::NotMatchedBySource,
                    condition: Some(Pred::Compare(CompareOp::Ge, col(0, INT), int(5))),
                    action: MergeAction::Delete,
                },
            ],
            effects,
            action: Some(ColId(60)),
        }))
    };
    let plan = merge(&[[1, 5], [2, 0], [9, 90]]);
    let (writer, outcome) = db.run(&plan, &mut Frame::default()).unwrap();
    assert_eq!(outcome.rows, 4);
    let word = |r: &Vec<Value>| match &r[0] {
        Value::Unicode(b) => base::collation::codepage::unicode_to_string(b),
        other => panic!("{other:?}"),
    };
    let mut actions: Vec<String> = writer.rows.iter().map(word).collect();
    actions.sort();
    assert_eq!(actions, ["DELETE", "DELETE", "INSERT", "UPDATE"]);
    assert_eq!(db.rows(&def), rows(&[[1, 15], [3, 30], [4, 40], [9, 90]]));
    let twice = merge(&[[1, 5], [1, 6]]);
    assert_eq!(db.run(&twice, &mut Frame::default()).unwrap_err().number(), 8672);
    assert_eq!(db.rows(&def).len(), 4);
}

#[test]
fn a_joined_row_is_changed_once() {
    let (mut db, def) = with_table(TableKind::MemoryDurable);
    let mut plan = update(&def, None, vec![(1, plus(1, 1))]);
    plan.input = Node::NestedLoop {
        kind: JoinKind::Inner,
        outer: Box::new(Node::Values {
            columns: vec![ColId(20)],
            rows: vec![vec![int(1)], vec![int(2)]],
        }),
        inner: Box::new(input(&def, None)),
        predicate: None,
    };
    assert_eq!(run(&mut db, Plan::Update(Box::new(plan))), Ok(5));
    assert_eq!(db.rows(&def)[0], [v(1), v(11)]);
}

#[test]
fn variables_are_assigned_on_the_way() {
    let (mut db, def) = with_table(TableKind::MemoryDurable);
    // SET @v = n = @v + n
    let total = arith(ArithOp::Add, var(0, INT), col(1, INT));
    let mut plan = update(&def, None, vec![(1, total)]);
    plan.assign = vec![(VarId(0), col(71, INT))];
    let mut frame = Frame::new([INT]);
    frame.set(VarId(0), ValueRef::Int(0));
    db.run(&Plan::Update(Box::new(plan)), &mut frame).unwrap();
    assert_eq!(frame.get(VarId(0)), ValueRef::Int(150));
    assert_eq!(db.rows(&def)[4], [v(5), v(150)]);
}

#[test]
fn a_writer_that_waited_looks_again() {
    // Two sessions of a disk table: the second reads, the first commits a change, the second
    // changes what its condition still holds for.
    let (mut db, def) = with_table(TableKind::Disk);
    let above = Some(Pred::Compare(CompareOp::Gt, col(1, INT), int(25)));
    let id = base::ids::ObjectId(1);
    db.functions.insert(id, |_| Ok(Value::Int(1)));
    let plan = update(&def, above, vec![(1, plus(1, 1))]);
    db.interfere_with(&def, &[vec![v(3), v(0)], vec![v(4), v(400)]]);
    assert_eq!(run(&mut db, Plan::Update(Box::new(plan))), Ok(2));
    assert_eq!(db.rows(&def), rows(&[[1, 10], [2, 20], [3, 0], [4, 401], [5, 51]]));
}
