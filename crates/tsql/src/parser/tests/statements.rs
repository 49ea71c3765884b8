//! What statements other than queries must mean.

use super::*;
use crate::ast::*;

macro_rules! unwrap {
    ($text:expr, $variant:ident) => {
        match statement($text) {
            StatementKind::$variant(inner) => *inner,
            other => panic!("{}: {other:?}", $text),
        }
    };
}

#[test]
fn transactions_stop_where_the_next_statement_begins() {
    assert_eq!(
        kinds(&parse("BEGIN TRAN SELECT 1 COMMIT").statements),
        ["BeginTransaction", "Select", "Commit"]
    );
    assert_eq!(
        kinds(&parse("BEGIN TRAN t SELECT 1 ROLLBACK TRAN t").statements),
        ["BeginTransaction", "Select", "Rollback"]
    );
    let begin = unwrap!("BEGIN TRANSACTION t WITH MARK", BeginTransaction);
    assert!(matches!(begin.name, Some(TransactionName::Name(_))));
    assert_eq!(begin.mark, Some(None));
    let commit = unwrap!("COMMIT WITH (DELAYED_DURABILITY = ON)", Commit);
    assert_eq!(commit.delayed_durability, Some(true));
}

#[test]
fn else_belongs_to_the_nearest_if() {
    let outer = unwrap!("IF 1 = 1 IF 2 = 2 SELECT 'a' ELSE SELECT 'b'", If);
    assert!(outer.otherwise.is_none());
    let StatementKind::If(inner) = &outer.branches[0].body.kind else { panic!() };
    assert!(inner.otherwise.is_some());

    let chain = unwrap!(
        "IF 1 = 1 SELECT 1\nELSE IF 2 = 2 SELECT 2; ELSE IF 3 = 3 SELECT 3 ELSE SELECT 4",
        If
    );
    assert_eq!(chain.branches.len(), 3);
    assert_eq!(chain.branches[1].span.line, 2);
    assert!(chain.otherwise.is_some());
}

#[test]
fn statements_know_where_they_stand() {
    let text = "SELECT 1;\n  UPDATE t\nSET a = 1\n;;\nEXEC p";
    let batch = parse(text);
    let spans: Vec<_> =
        batch.statements.iter().map(|s| (s.span.line, s.span.column, s.span.text(text))).collect();
    assert_eq!(spans, [(1, 1, "SELECT 1"), (2, 3, "UPDATE t\nSET a = 1"), (5, 1, "EXEC p")]);
}

#[test]
fn quoted_identifier_holds_from_where_it_is_set() {
    let off = ParseOptions { quoted_identifier: false };
    let text = "SELECT \"a\"\nSET QUOTED_IDENTIFIER ON\nSELECT \"b\" FROM t\nSET QUOTED_IDENTIFIER OFF SELECT \"c\"";
    let batch = parse_batch(text, off).unwrap();
    let printed: Vec<_> = batch
        .statements
        .iter()
        .filter_map(|s| match &s.kind {
            StatementKind::Select(select) => Some(crate::print::query(&select.query)),
            _ => None,
        })
        .collect();
    assert_eq!(printed, ["SELECT 'a'", "SELECT [b] FROM [t]", "SELECT 'c'"]);
    assert_eq!(batch.statements[2].span.line, 3);
    // In a module the setting of its creation holds.
    let text = "CREATE PROC p AS SET QUOTED_IDENTIFIER OFF SELECT \"a\" FROM \"b\"";
    assert!(parse_batch(text, ParseOptions::default()).is_ok());
    assert_eq!(
        parse_batch("SET QUOTED_IDENTIFIER OFF SELECT 1 FROM \"b\"", ParseOptions::default())
            .unwrap_err()
            .number(),
        102
    );
}

#[test]
fn object_names_may_have_empty_parts() {
    let name = |text: &str| match statement(&format!("TRUNCATE TABLE {text}")) {
        StatementKind::TruncateTable(truncate) => truncate.table,
        other => panic!("{other:?}"),
    };
    for text in ["t", "dbo.t", "db..t", "db.dbo.t", "srv.db.dbo.t", "srv...t", "srv..dbo.t"] {
        assert_eq!(name(text).to_string(), text);
    }
    assert_eq!(format!("{:?}", name("[a b]..\"c\"\"d\"")), "[a b]..[c\"d]");
    let of_session = name("..t");
    assert!(of_session.is_bare());
    assert!(name("db..t").schema.is_none() && name("db..t").database.is_some());
}

#[test]
fn insert_knows_its_columns_from_its_query() {
    let insert = unwrap!("INSERT t (a, b) SELECT 1, 2", Insert);
    assert_eq!(insert.columns.unwrap().len(), 2);
    let insert = unwrap!("INSERT t (SELECT 1)", Insert);
    assert!(insert.columns.is_none() && matches!(insert.source, InsertSource::Query(_)));
    let insert = unwrap!("INSERT t VALUES (1, DEFAULT), (2, NULL)", Insert);
    let InsertSource::Values(rows) = insert.source else { panic!() };
    assert!(matches!(rows[0][1], RowValue::Default(_)) && matches!(rows[1][1], RowValue::Expr(_)));
    let insert =
        unwrap!("INSERT t OUTPUT inserted.a INTO @x (b) OUTPUT inserted.* EXEC p 1", Insert);
    let output = insert.output.unwrap();
    assert_eq!(output.items.len(), 1);
    assert_eq!(output.into.unwrap().columns.len(), 1);
    assert!(matches!(insert.source, InsertSource::Execute(_)));
}

#[test]
fn mutators_assign_what_they_make() {
    let set = unwrap!("SET @x.modify('delete /a')", SetVariable);
    let ExprKind::Method(call) = &set.value.kind else { panic!("{set:?}") };
    assert!(call.usage == MemberUse::Mutate && &*call.name.name == "modify");
    assert_eq!(call.arguments.as_ref().map(Vec::len), Some(1));
    let update = unwrap!("UPDATE t SET c.modify('delete /a'), d = 1", Update);
    let SetClauseKind::Column { column, value: RowValue::Expr(value), .. } = &update.set[0].kind
    else {
        panic!("{update:?}")
    };
    assert_eq!(&*column.column.name, "c");
    let ExprKind::Method(call) = &value.kind else { panic!("{update:?}") };
    assert!(call.usage == MemberUse::Mutate && matches!(call.operand.kind, ExprKind::Column(_)));
}

#[test]
fn update_assigns_in_four_ways() {
    let update = unwrap!(
        "UPDATE t SET a = 1, b += 2, @v = 3, @w = c = 4, @x = d -= 5, e.WRITE(@y, 0, NULL), @z = f + 1",
        Update
    );
    let kinds: Vec<_> = update.set.iter().map(|clause| &clause.kind).collect();
    assert!(matches!(kinds[0], SetClauseKind::Column { op: AssignOp::Set, .. }));
    assert!(matches!(
        kinds[1],
        SetClauseKind::Column { op: AssignOp::Compound(BinaryOp::Add), .. }
    ));
    assert!(matches!(kinds[2], SetClauseKind::Variable { .. }));
    assert!(matches!(kinds[3], SetClauseKind::VariableAndColumn { op: AssignOp::Set, .. }));
    assert!(matches!(
        kinds[4],
        SetClauseKind::VariableAndColumn { op: AssignOp::Compound(BinaryOp::Subtract), .. }
    ));
    assert!(matches!(kinds[5], SetClauseKind::Write { column, .. } if &*column.column.name == "e"));
    assert!(matches!(kinds[6], SetClauseKind::Variable { .. }));
    let update = unwrap!("UPDATE t SET a = 1 WHERE CURRENT OF GLOBAL c", Update);
    assert!(matches!(
        update.filter,
        Some(RowFilter::CurrentOf(CursorRef::Name { global: true, .. }))
    ));
}

#[test]
fn delete_may_have_two_froms() {
    let delete = unwrap!("DELETE FROM x FROM t AS x, u WHERE x.a = u.a", Delete);
    assert_eq!(delete.from.len(), 2);
    let delete = unwrap!("DELETE t OUTPUT deleted.a", Delete);
    assert!(delete.from.is_empty() && delete.output.is_some());
}

#[test]
fn execute_passes_what_is_written() {
    let execute =
        unwrap!("EXEC @r = p 1, -2.5, word, @v OUTPUT, DEFAULT, @n = NULL, @o = @@spid", Execute);
    assert_eq!(&*execute.status.unwrap().name, "@r");
    let ExecuteTarget::Procedure { arguments, .. } = execute.target else { panic!() };
    assert!(matches!(
        arguments[0].value,
        ArgumentValue::Constant { value: Literal::Integer(1), negative: false, .. }
    ));
    assert!(
        matches!(&arguments[1].value, ArgumentValue::Constant { value: Literal::Numeric(n), negative: true, .. } if &**n == "2.5")
    );
    assert!(matches!(arguments[2].value, ArgumentValue::Word(_)));
    assert!(matches!(arguments[3].value, ArgumentValue::Variable(_)) && arguments[3].output);
    assert!(matches!(arguments[4].value, ArgumentValue::Default(_)));
    assert_eq!(&*arguments[5].name.as_ref().unwrap().name, "@n");
    let execute = unwrap!("EXEC ('a' + @b + N'c', 1) AS LOGIN = 'l' AT srv", Execute);
    let ExecuteTarget::Text { pieces, arguments, principal, server } = execute.target else {
        panic!()
    };
    assert_eq!((pieces.len(), arguments.len()), (3, 1));
    assert_eq!(principal.unwrap(), TextPrincipal::Login("l".into()));
    assert!(server.is_some());
    // A procedure's number follows a semicolon.
    let execute = unwrap!("EXEC p;3 'x'", Execute);
    let ExecuteTarget::Procedure { name: ProcedureName::Name(_, number), .. } = execute.target
    else {
        panic!()
    };
    assert_eq!(number, Some(3));
}

#[test]
fn columns_take_their_properties_in_any_order() {
    let table = unwrap!(
        "CREATE TABLE t (a int NOT NULL IDENTITY(10, -5) CONSTRAINT d DEFAULT 1 CONSTRAINT pk PRIMARY KEY CHECK (a > 0),
                         b AS a + 1 PERSISTED NOT NULL, timestamp, c nvarchar(5) COLLATE x NULL UNIQUE INDEX ix (c))",
        CreateTable
    );
    let columns: Vec<_> = table
        .definition
        .elements
        .iter()
        .map(|element| match element {
            TableElement::Column(column) => column,
            other => panic!("{other:?}"),
        })
        .collect();
    let values = columns[0].identity.as_ref().unwrap().values.clone().unwrap();
    assert_eq!((&*values.seed, &*values.increment), ("10", "-5"));
    assert_eq!(columns[0].nullable, Some(false));
    let constraints: Vec<_> =
        columns[0].constraints.iter().map(|c| c.name.as_ref().map(|n| &*n.name)).collect();
    assert_eq!(constraints, [Some("d"), Some("pk"), None]);
    assert!(matches!(
        columns[0].constraints[1].kind,
        ConstraintKind::Key(KeyConstraint { primary: true, .. })
    ));
    assert!(matches!(columns[1].kind, ColumnKind::Computed { persisted: true, .. }));
    let ColumnKind::Stored(ty) = &columns[2].kind else { panic!() };
    assert_eq!(&*ty.name.name.name, "timestamp");
    assert_eq!(columns[3].nullable, Some(true));
    assert_eq!(columns[3].index.as_ref().unwrap().columns.len(), 1);
}

#[test]
fn memory_optimized_tables_have_hash_indexes() {
    let table = unwrap!(
        "CREATE TABLE t (a int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 100), b int INDEX ix HASH WITH (BUCKET_COUNT = 64),
                         INDEX ix2 UNIQUE NONCLUSTERED HASH (a, b) WITH (BUCKET_COUNT = 99999999999999999999))
         WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY)",
        CreateTable
    );
    let options: Vec<_> = table.definition.options.iter().map(|o| &o.kind).collect();
    assert!(matches!(
        options[..],
        [TableOptionKind::MemoryOptimized(true), TableOptionKind::DurableData(false)]
    ));
    let TableElement::Column(column) = &table.definition.elements[0] else { panic!() };
    let ConstraintKind::Key(key) = &column.constraints[0].kind else { panic!() };
    assert!(key.hash && key.clustered == Some(false));
    assert!(matches!(key.options[0].kind, IndexOptionKind::BucketCount(100)));
    let TableElement::Index(index) = &table.definition.elements[2] else { panic!() };
    assert!(index.hash && index.unique && index.columns.len() == 2);
    assert!(matches!(index.options[0].kind, IndexOptionKind::BucketCount(u64::MAX)));
}

#[test]
fn tables_are_cached_and_locked_as_sap_ase_says_it() {
    let table = unwrap!(
        "create table t (a int) lock datarows with dml_logging = full, row_caching on",
        CreateTable
    );
    let options: Vec<_> = table.definition.options.iter().map(|o| &o.kind).collect();
    assert!(matches!(
        options[..],
        [
            TableOptionKind::LockScheme(LockScheme::DataRows),
            TableOptionKind::FullLogging(true),
            TableOptionKind::RowCaching(true)
        ]
    ));
    let alter = unwrap!("alter table t set row_caching = off, snapshot_isolation on", AlterTable);
    let AlterTableAction::Set(options) = &alter.action else { panic!() };
    let options: Vec<_> = options.iter().map(|o| &o.kind).collect();
    assert!(matches!(
        options[..],
        [TableOptionKind::RowCaching(false), TableOptionKind::SnapshotIsolation(true)]
    ));
    let index = unwrap!(
        "create index i on t (c) with index_compression = none, index_hash_caching on, latch_free_index = on",
        CreateIndex
    );
    let options: Vec<_> = index.options.iter().map(|o| &o.kind).collect();
    assert!(matches!(
        options[..],
        [
            IndexOptionKind::IndexCompression(false),
            IndexOptionKind::IndexHashCaching(HashCaching::On),
            IndexOptionKind::LatchFreeIndex(true)
        ]
    ));
}

#[test]
fn foreign_keys_keep_their_actions() {
    let table = unwrap!(
        "CREATE TABLE t (a int REFERENCES dbo.u (b) ON DELETE CASCADE, FOREIGN KEY (a, c) REFERENCES v ON UPDATE SET NULL ON DELETE SET DEFAULT)",
        CreateTable
    );
    let TableElement::Constraint(constraint) = &table.definition.elements[1] else { panic!() };
    let ConstraintKind::ForeignKey(key) = &constraint.kind else { panic!() };
    assert_eq!((key.columns.len(), key.referenced.len()), (2, 0));
    assert_eq!(
        (key.on_delete, key.on_update),
        (ReferentialAction::SetDefault, ReferentialAction::SetNull)
    );
}

#[test]
fn alter_table_drops_by_kind() {
    let alter =
        unwrap!("ALTER TABLE t DROP a, CONSTRAINT IF EXISTS b, c, COLUMN d, INDEX e", AlterTable);
    let AlterTableAction::Drop(drops) = alter.action else { panic!() };
    use AlterTableDropKind::*;
    let drops: Vec<_> = drops.iter().map(|d| (d.kind, d.if_exists, &*d.name.name)).collect();
    assert_eq!(
        drops,
        [
            (Constraint, false, "a"),
            (Constraint, true, "b"),
            (Constraint, true, "c"),
            (Column, false, "d"),
            (Index, false, "e")
        ]
    );
    let alter = unwrap!(
        "ALTER TABLE t WITH NOCHECK ADD CONSTRAINT d DEFAULT 0 FOR a WITH VALUES",
        AlterTable
    );
    let AlterTableAction::Add { check: Some(false), elements } = alter.action else { panic!() };
    let TableElement::Constraint(constraint) = &elements[0] else { panic!() };
    assert!(matches!(
        &constraint.kind,
        ConstraintKind::Default { column: Some(_), with_values: true, .. }
    ));
}

#[test]
fn an_index_is_dropped_in_two_ways() {
    let drop = unwrap!("DROP INDEX IF EXISTS a ON dbo.t, dbo.u.b, v.c", DropIndex);
    let items: Vec<_> = drop.indexes.iter().map(|i| (&*i.name.name, i.table.to_string())).collect();
    assert_eq!(items, [("a", "dbo.t".into()), ("b", "dbo.u".into()), ("c", "v".into())]);
}

fn module(text: &str) -> ModuleStatement {
    unwrap!(text, Module)
}

#[test]
fn a_module_is_its_whole_batch() {
    let text = "-- before\nCREATE  OR  ALTER\nPROC p AS SELECT 1\n-- after\n";
    let statement = module(text);
    assert_eq!(statement.action, CreateAction::CreateOrAlter);
    assert_eq!(statement.definition(text), "-- before\nCREATE\nPROC p AS SELECT 1\n-- after\n");
    let text = "alter view v as select 1 as a";
    assert_eq!(module(text).definition(text), "CREATE view v as select 1 as a");
    let text = "create proc p as select 1";
    assert_eq!(module(text).definition(text), text);
}

#[test]
fn a_procedure_takes_all_that_follows() {
    let Module::Procedure(procedure) = module("CREATE PROC p (@a int = -5, @b T READONLY, @c varchar(max) = NULL OUT) WITH RECOMPILE AS BEGIN SELECT 1 END SELECT 2").module else { panic!() };
    assert_eq!(kinds(&procedure.body), ["Block", "Select"]);
    assert!(matches!(
        procedure.parameters[0].default,
        Some(ArgumentValue::Constant { negative: true, .. })
    ));
    assert!(procedure.parameters[1].read_only && procedure.parameters[2].output);
}

#[test]
fn native_modules_are_atomic_blocks() {
    let text = "CREATE PROC p WITH NATIVE_COMPILATION, SCHEMABINDING AS BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = REPEATABLE READ, LANGUAGE = 'us_english', DELAYED_DURABILITY = ON) SELECT 1 END";
    let Module::Procedure(procedure) = module(text).module else { panic!() };
    assert!(
        procedure.options.iter().any(|o| matches!(o.kind, ModuleOptionKind::NativeCompilation))
    );
    let StatementKind::AtomicBlock(block) = &procedure.body[0].kind else { panic!() };
    assert!(matches!(
        block.options[0].kind,
        AtomicOptionKind::Isolation(IsolationLevel::RepeatableRead)
    ));
    assert!(
        matches!(&block.options[1].kind, AtomicOptionKind::Language(language) if &**language == "us_english")
    );
    assert!(matches!(block.options[2].kind, AtomicOptionKind::DelayedDurability(true)));
}

#[test]
fn functions_return_in_three_ways() {
    let body = |text: &str| match module(text).module {
        Module::Function(function) => function.body,
        other => panic!("{other:?}"),
    };
    assert!(matches!(
        body("CREATE FUNCTION f () RETURNS int AS BEGIN RETURN 1 END"),
        FunctionBody::Scalar { .. }
    ));
    assert!(matches!(
        body("CREATE FUNCTION f () RETURNS TABLE AS RETURN SELECT 1 AS a"),
        FunctionBody::Inline { with: None, .. }
    ));
    assert!(matches!(
        body("CREATE FUNCTION f () RETURNS TABLE RETURN (WITH c AS (SELECT 1 a) SELECT a FROM c)"),
        FunctionBody::Inline { with: Some(_), .. }
    ));
    assert!(matches!(
        body("CREATE FUNCTION f () RETURNS @t TABLE (a int) AS BEGIN RETURN END"),
        FunctionBody::Table { .. }
    ));
}

#[test]
fn triggers_know_what_sets_them_off() {
    let Module::Trigger(trigger) =
        module("CREATE TRIGGER t ON dbo.u AFTER insert, Delete AS ROLLBACK").module
    else {
        panic!()
    };
    assert!(!trigger.instead_of && matches!(trigger.target, TriggerTarget::Object(_)));
    let events: Vec<&str> = trigger.events.iter().map(|event| &*event.name).collect();
    assert_eq!(events, ["INSERT", "DELETE"]);
}

#[test]
fn set_options_come_in_lists() {
    let SetOption::Switch { options, on } = unwrap!("SET ANSI_NULLS, NOCOUNT ON", SetOption) else {
        panic!()
    };
    assert_eq!((options, on), (vec![SwitchOption::AnsiNulls, SwitchOption::NoCount], true));
    let SetOption::Value { option, value } = unwrap!("SET LANGUAGE us_english", SetOption) else {
        panic!()
    };
    assert_eq!(option, ValueOption::Language);
    assert!(matches!(value.kind, ExprKind::Literal(Literal::String(_))));
    let SetOption::Value { value, .. } = unwrap!("SET LOCK_TIMEOUT -1", SetOption) else {
        panic!()
    };
    assert_eq!(crate::print::expression(&value), "(-1)");
    assert!(matches!(
        unwrap!("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", SetOption),
        SetOption::Isolation(IsolationLevel::RepeatableRead)
    ));
    assert!(matches!(
        unwrap!("SET TRANSACTION ISOLATION LEVEL STATEMENT SNAPSHOT", SetOption),
        SetOption::Isolation(IsolationLevel::StatementSnapshot)
    ));
    assert!(matches!(
        unwrap!("SET TRANSACTION ISOLATION LEVEL TRANSACTION SNAPSHOT", SetOption),
        SetOption::Isolation(IsolationLevel::Snapshot)
    ));
}

#[test]
fn database_files_have_sizes() {
    let database = unwrap!(
        "CREATE DATABASE d ON (NAME = a, FILENAME = 'x', SIZE = 5, MAXSIZE = UNLIMITED, FILEGROWTH = 10%),
             FILEGROUP m CONTAINS MEMORY_OPTIMIZED_DATA (NAME = b, FILENAME = 'y') LOG ON (NAME = l, FILENAME = 'z', SIZE = 1GB)",
        CreateDatabase
    );
    let primary = &database.filegroups[0];
    assert!(primary.name.is_none());
    assert_eq!(primary.files[0].size, Some(FileSize::Megabytes(5)));
    assert_eq!(primary.files[0].max_size, Some(FileSize::Unlimited));
    assert_eq!(primary.files[0].growth, Some(FileSize::Percent(10)));
    assert_eq!(database.filegroups[1].contains, FileGroupKind::MemoryOptimizedData);
    assert_eq!(database.log[0].size, Some(FileSize::Gigabytes(1)));
}

#[test]
fn database_options_are_words_switches_and_numbers() {
    let alter = unwrap!(
        "ALTER DATABASE d SET RECOVERY FULL, SINGLE_USER, AUTO_CLOSE OFF, TARGET_RECOVERY_TIME = 60 SECONDS, QUERY_STORE = ON (MAX_STORAGE_SIZE_MB = 5) WITH ROLLBACK AFTER 5",
        AlterDatabase
    );
    let AlterDatabaseAction::Set { options, termination } = alter.action else { panic!() };
    assert_eq!(termination, Some(Termination::RollbackAfter(5)));
    let names: Vec<_> = options.iter().map(|o| &*o.name).collect();
    assert_eq!(
        names,
        ["RECOVERY", "SINGLE_USER", "AUTO_CLOSE", "TARGET_RECOVERY_TIME", "QUERY_STORE"]
    );
    assert!(matches!(&options[0].value, OptionValue::Word(word) if &**word == "FULL"));
    assert!(matches!(options[1].value, OptionValue::None));
    assert!(matches!(options[2].value, OptionValue::Switch(false)));
    assert!(
        matches!(&options[3].value, OptionValue::Number(n, Some(unit)) if &**n == "60" && &**unit == "SECONDS")
    );
    assert!(
        matches!(&options[4].value, OptionValue::List(Some(word), list) if &**word == "ON" && list.len() == 1)
    );
}

#[test]
fn permissions_are_words() {
    let grant = unwrap!(
        "GRANT SELECT (a, b), EXEC, VIEW ANY DEFINITION ON SCHEMA::s TO u, public WITH GRANT OPTION",
        Permission
    );
    let names: Vec<_> = grant.permissions.iter().map(|p| (&*p.name, p.columns.len())).collect();
    assert_eq!(names, [("SELECT", 2), ("EXECUTE", 0), ("VIEW ANY DEFINITION", 0)]);
    assert_eq!(grant.on.unwrap().class, Some(SecurableClass::Schema));
    assert_eq!(grant.principals.len(), 2);
    assert!(grant.grant_option);
}

#[test]
fn cursors_have_two_forms() {
    let cursor =
        unwrap!("DECLARE c INSENSITIVE SCROLL CURSOR FOR SELECT 1 FOR READ ONLY", DeclareCursor)
            .definition;
    assert_eq!((cursor.model, cursor.scroll), (Some(CursorModel::Static), Some(true)));
    assert_eq!(cursor.concurrency, Some(CursorConcurrency::ReadOnly));
    let cursor = unwrap!("DECLARE c CURSOR GLOBAL FORWARD_ONLY DYNAMIC SCROLL_LOCKS FOR SELECT a FROM t FOR UPDATE OF a", DeclareCursor).definition;
    assert_eq!(
        (cursor.global, cursor.scroll, cursor.model),
        (Some(true), Some(false), Some(CursorModel::Dynamic))
    );
    assert_eq!(cursor.update_of.unwrap().len(), 1);
    let fetch = unwrap!("FETCH RELATIVE -2 FROM @c INTO @a, @b", Fetch);
    assert!(matches!(fetch.orientation, FetchOrientation::Relative(_)));
    assert_eq!(fetch.into.len(), 2);
    // The words are names, too.
    let fetch = unwrap!("FETCH first", Fetch);
    assert!(matches!(fetch.orientation, FetchOrientation::Next));
}

#[test]
fn bulk_loading_has_two_statements() {
    let bulk = unwrap!(
        "BULK INSERT t FROM 'C:\\x.csv' WITH (CODEPAGE = 65001, FIELDTERMINATOR = '\\t', KEEPIDENTITY, FIRSTROW = 2)",
        BulkInsert
    );
    assert_eq!(&*bulk.file, "C:\\x.csv");
    assert!(matches!(&bulk.options[0].kind, BulkOptionKind::CodePage(page) if &**page == "65001"));
    assert!(matches!(&bulk.options[1].kind, BulkOptionKind::FieldTerminator(t) if &**t == "\\t"));
    assert!(matches!(bulk.options[3].kind, BulkOptionKind::FirstRow(2)));
    let bulk = unwrap!(
        "insert bulk dbo.t ([a] int, [b] nvarchar(max) COLLATE x) with (KEEP_NULLS)",
        InsertBulk
    );
    assert_eq!(bulk.columns.len(), 2);
    assert!(bulk.columns[1].collation.is_some());
}

#[test]
fn sequences_keep_their_numbers_as_written() {
    let sequence = unwrap!(
        "CREATE SEQUENCE s AS int START WITH -10 INCREMENT BY 5 NO MAXVALUE CYCLE NO CACHE",
        Sequence
    );
    let kinds: Vec<_> = sequence.options.iter().map(|o| &o.kind).collect();
    assert!(matches!(kinds[1], SequenceOptionKind::Start(n) if &**n == "-10"));
    assert!(matches!(kinds[3], SequenceOptionKind::Max(None)));
    assert!(matches!(kinds[4], SequenceOptionKind::Cycle(true)));
    assert!(matches!(kinds[5], SequenceOptionKind::NoCache));
}
