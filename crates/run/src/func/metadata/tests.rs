use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlType, Value};
use engine::catalog::builtin;
use engine::catalog::def::*;
use engine::catalog::{Definition, ObjectDef, Schema};

use crate::func::testing::{C, TestSession, check_errors, check_in, check_types, run_in};

const NOW: DateTime = DateTime { days: 45_000, ticks: 0 };

fn header(id: i32, schema: SchemaId, name: &str) -> ObjectHeader {
    ObjectHeader {
        id: ObjectId(id),
        schema,
        name: name.into(),
        owner: None,
        created: NOW,
        modified: NOW,
        ms_shipped: false,
    }
}

fn constraint(id: i32, name: &str) -> ConstraintHeader {
    let name = name.into();
    ConstraintHeader { id: ObjectId(id), name, system_named: false, created: NOW, modified: NOW }
}

/// `dbo.Orders`: an identity with a clustered key, a name with a default, a computed column that is
/// persisted, a check and a nonclustered index.
fn orders() -> TableDef {
    let mut table =
        TableDef::new(header(100, SchemaId::DBO, "Orders"), TableKind::Disk, TableRole::Table);
    let int = UserTypeId(56);
    let mut id = ColumnDef::new(ColumnId(1), "ID".into(), SqlType::int(), int);
    id.nullable = false;
    id.identity = Some(IdentityDef { seed: 10, increment: 5, not_for_replication: false });
    let mut name =
        ColumnDef::new(ColumnId(2), "Name".into(), SqlType::nvarchar(50, C), UserTypeId(231));
    name.default = Some(DefaultDef {
        header: constraint(101, "DF_Name"),
        definition: "(N'x')".into(),
        references: Vec::new(),
    });
    let price = SqlType::decimal(10, 2);
    let price = ColumnDef::new(ColumnId(3), "Price".into(), price, UserTypeId(106));
    let mut double = ColumnDef::new(ColumnId(4), "Double".into(), SqlType::int(), int);
    double.computed = Some(ComputedDef {
        definition: "([ID]*(2))".into(),
        persisted: true,
        stored: true,
        uses_database_collation: false,
        columns: vec![ColumnId(1)],
        references: Vec::new(),
    });
    let blob =
        ColumnDef::new(ColumnId(5), "Blob".into(), SqlType::varbinary_max(), UserTypeId(165));
    table.columns = vec![id, name, price, double, blob];
    let mut key = IndexDef::new(IndexId(1), "PK_Orders".into(), IndexKind::Clustered, true);
    key.key = vec![KeyColumn { column: ColumnId(1), descending: false }];
    key.constraint = Some(KeyConstraintDef { header: constraint(102, "PK_Orders"), primary: true });
    let mut by_name = IndexDef::new(IndexId(2), "IX_Name".into(), IndexKind::NonClustered, false);
    by_name.key = vec![
        KeyColumn { column: ColumnId(2), descending: true },
        KeyColumn { column: ColumnId(1), descending: false },
    ];
    by_name.fill_factor = 80;
    table.indexes = vec![key, by_name];
    table.checks = vec![CheckDef {
        header: constraint(103, "CK_Price"),
        column: Some(ColumnId(3)),
        definition: "([Price]>(0))".into(),
        disabled: true,
        not_for_replication: false,
        not_trusted: true,
        uses_database_collation: false,
        columns: vec![ColumnId(3)],
        references: Vec::new(),
    }];
    table
}

fn procedure() -> ModuleDef {
    let kind = ModuleKind::Procedure { auto_executed: false };
    let text = "CREATE PROCEDURE Sales.P @a int, @b nvarchar(20) OUTPUT AS RETURN";
    let mut module = ModuleDef::new(header(110, SchemaId(5), "P"), kind, text.into());
    let parameter = |name: &str, ty, output| ParameterDef {
        name: name.into(),
        ty,
        user_type: UserTypeId(0),
        table_valued: false,
        nullable: true,
        output,
        read_only: false,
        cursor: false,
        default: None::<Value>,
    };
    module.parameters = vec![
        parameter("@a", SqlType::int(), false),
        parameter("@b", SqlType::nvarchar(20, C), true),
    ];
    module
}

fn trigger() -> ModuleDef {
    let event = |kind| TriggerEvent { kind, first: false, last: kind == TriggerEventKind::Delete };
    let kind = ModuleKind::Trigger(TriggerDef {
        parent: ObjectId(100),
        events: vec![event(TriggerEventKind::Insert), event(TriggerEventKind::Delete)],
        instead_of: false,
        disabled: true,
        not_for_replication: false,
    });
    ModuleDef::new(header(120, SchemaId::DBO, "tr"), kind, "CREATE TRIGGER tr …".into())
}

/// Database 5, called Shop, with a few objects, beside master and tempdb.
fn session() -> TestSession {
    let owner = builtin::SA_SID;
    let sales = SchemaDef { id: SchemaId(5), name: "Sales".into(), owner: PrincipalId::DBO };
    let flag = TypeDef {
        id: UserTypeId(257),
        schema: SchemaId::DBO,
        name: "Flag".into(),
        owner: None,
        kind: TypeDefKind::Alias { ty: SqlType::bit(), nullable: false, default: None, rule: None },
    };
    let file = FileDef {
        id: FileId(1),
        guid: [0; 16],
        kind: FileKind::Rows,
        data_space: Some(DataSpaceId::PRIMARY),
        name: "Shop_data".into(),
        physical_name: "shop.mdf".into(),
        size_pages: 128,
        max_size_pages: -1,
        growth: 0,
        percent_growth: false,
        read_only: false,
        offline: false,
    };
    let objects = [
        ObjectDef::Table(Arc::new(orders())),
        ObjectDef::Module(Arc::new(procedure())),
        ObjectDef::Module(Arc::new(trigger())),
    ];
    let own = builtin::database(DbId(5), owner, NOW)
        .into_iter()
        .chain([
            Definition::Schema(Arc::new(sales)),
            Definition::Type(Arc::new(flag)),
            Definition::File(Arc::new(file)),
        ])
        .chain(objects.map(Definition::Object));
    let own = Schema::from_definitions(DbId(5), C, own).unwrap();

    let databases = [(1, "master"), (2, "tempdb"), (5, "Shop"), (6, "Offline")];
    let databases = databases.map(|(id, name)| {
        let mut options = DatabaseOptions::default();
        if name == "Offline" {
            options.state = DatabaseState::Offline;
        }
        Definition::Database(Arc::new(DatabaseDef {
            id: DbId(id),
            name: name.into(),
            directory: name.into(),
            guid: [0; 16],
            owner_sid: owner.into(),
            created: NOW,
            collation: C,
            options,
        }))
    });
    let master = builtin::database(DbId::MASTER, owner, NOW)
        .into_iter()
        .chain(builtin::server(None, NOW))
        .chain(databases);
    let master = Schema::from_definitions(DbId::MASTER, C, master).unwrap();

    let temporary = header(200, SchemaId::DBO, "#t");
    let temporary = TableDef::new(temporary, TableKind::Disk, TableRole::Table);
    let temporary = Definition::Object(ObjectDef::Table(Arc::new(temporary)));
    let tempdb = Schema::from_definitions(DbId::TEMPDB, C, [temporary]).unwrap();
    TestSession {
        schemas: vec![own.into(), master.into(), tempdb.into()],
        identities: vec![(ObjectId(100), 35)],
        temporary: vec![("#t", ObjectId(200))],
        ..TestSession::default()
    }
}

#[test]
fn objects_have_ids_and_names() {
    check_in(
        &session(),
        &[
            ("OBJECT_ID", &["'Orders'"], "100"),
            ("OBJECT_ID", &["N'dbo.ORDERS'"], "100"),
            ("OBJECT_ID", &["'[Shop].[dbo].[Orders]'"], "100"),
            ("OBJECT_ID", &["'Shop..Orders'"], "100"),
            ("OBJECT_ID", &["'Orders'", "'U'"], "100"),
            ("OBJECT_ID", &["'Orders'", "'P'"], "NULL"),
            ("OBJECT_ID", &["'Orders'", "'u '"], "100"),
            ("OBJECT_ID", &["'PK_Orders'", "'PK'"], "102"),
            ("OBJECT_ID", &["'Sales.P'", "N'P'"], "110"),
            ("OBJECT_ID", &["'P'"], "NULL"),
            ("OBJECT_ID", &["'nothing'"], "NULL"),
            ("OBJECT_ID", &["'a.b.c.d.e'"], "NULL"),
            ("OBJECT_ID", &["NULL"], "NULL"),
            ("OBJECT_ID", &["'tempdb..#t'"], "200"),
            ("OBJECT_ID", &["'#t'"], "200"),
            ("OBJECT_ID", &["'#other'"], "NULL"),
            ("OBJECT_ID", &["'sys.objects'"], "-385"),
            ("OBJECT_ID", &["'sys.objects'", "'V'"], "-385"),
            ("OBJECT_NAME", &["100"], "Orders"),
            ("OBJECT_NAME", &["102"], "PK_Orders"),
            ("OBJECT_NAME", &["200", "2"], "#t"),
            ("OBJECT_NAME", &["-385"], "objects"),
            ("OBJECT_NAME", &["999"], "NULL"),
            ("OBJECT_NAME", &["NULL"], "NULL"),
            ("OBJECT_SCHEMA_NAME", &["110"], "Sales"),
            ("OBJECT_SCHEMA_NAME", &["-385"], "sys"),
            ("OBJECT_DEFINITION", &["103"], "([Price]>(0))"),
            ("OBJECT_DEFINITION", &["101"], "(N'x')"),
            ("OBJECT_DEFINITION", &["100"], "NULL"),
            ("SCHEMA_ID", &[], "1"),
            ("SCHEMA_ID", &["'sales'"], "5"),
            ("SCHEMA_NAME", &[], "dbo"),
            ("SCHEMA_NAME", &["5"], "Sales"),
            ("SCHEMA_NAME", &["99"], "NULL"),
        ],
    );
    check_types(&[
        ("OBJECT_ID", &["'a'"], "int"),
        ("OBJECT_NAME", &["1"], "nvarchar(128)"),
        ("OBJECT_DEFINITION", &["1"], "nvarchar(max)"),
    ]);
    check_errors(&[("OBJECT_ID", &[], 189, "The object_id function requires 1 to 2 arguments.")]);
}

#[test]
fn types_and_columns_have_ids_and_names() {
    check_in(
        &session(),
        &[
            ("TYPE_ID", &["'int'"], "56"),
            ("TYPE_ID", &["'NVarChar'"], "231"),
            ("TYPE_ID", &["'sysname'"], "256"),
            ("TYPE_ID", &["'dbo.Flag'"], "257"),
            ("TYPE_ID", &["'Flag'"], "257"),
            ("TYPE_ID", &["'sys.int'"], "56"),
            ("TYPE_ID", &["'nothing'"], "NULL"),
            ("TYPE_NAME", &["56"], "int"),
            ("TYPE_NAME", &["256"], "sysname"),
            ("TYPE_NAME", &["257"], "Flag"),
            ("TYPE_NAME", &["9999"], "NULL"),
            ("COL_NAME", &["100", "2"], "Name"),
            ("COL_NAME", &["100", "9"], "NULL"),
            ("COL_LENGTH", &["'dbo.Orders'", "'name'"], "100"),
            ("COL_LENGTH", &["'dbo.Orders'", "'Blob'"], "-1"),
            ("COL_LENGTH", &["'dbo.Orders'", "'x'"], "NULL"),
            ("INDEX_COL", &["'Orders'", "2", "2"], "ID"),
            ("INDEX_COL", &["'Orders'", "2", "3"], "NULL"),
            ("IDENT_CURRENT", &["'Orders'"], "35"),
            ("IDENT_SEED", &["'Orders'"], "10"),
            ("IDENT_INCR", &["'dbo.Orders'"], "5"),
            ("IDENT_CURRENT", &["'Sales.P'"], "NULL"),
            ("STATS_DATE", &["100", "1"], "NULL"),
        ],
    );
    let fresh = TestSession { identities: Vec::new(), ..session() };
    check_in(&fresh, &[("IDENT_CURRENT", &["'Orders'"], "10")]);
    check_types(&[
        ("COL_LENGTH", &["'a'", "'b'"], "smallint"),
        ("IDENT_CURRENT", &["'a'"], "numeric(38,0)"),
    ]);
}

#[test]
fn objects_have_properties() {
    check_in(
        &session(),
        &[
            ("OBJECTPROPERTY", &["100", "'IsUserTable'"], "1"),
            ("OBJECTPROPERTY", &["100", "'istable'"], "1"),
            ("OBJECTPROPERTY", &["100", "'IsView'"], "0"),
            ("OBJECTPROPERTY", &["100", "'TableHasPrimaryKey'"], "1"),
            ("OBJECTPROPERTY", &["100", "'TableHasIdentity'"], "1"),
            ("OBJECTPROPERTY", &["100", "'TableHasForeignKey'"], "0"),
            ("OBJECTPROPERTY", &["100", "'TableIsMemoryOptimized'"], "0"),
            ("OBJECTPROPERTY", &["100", "'TableHasInsertTrigger'"], "1"),
            ("OBJECTPROPERTY", &["100", "'TableDeleteTriggerCount'"], "1"),
            ("OBJECTPROPERTY", &["100", "'TableHasUpdateTrigger'"], "0"),
            ("OBJECTPROPERTY", &["100", "'IsMSShipped'"], "0"),
            ("OBJECTPROPERTY", &["100", "'SchemaId'"], "1"),
            ("OBJECTPROPERTY", &["100", "'OwnerId'"], "1"),
            ("OBJECTPROPERTY", &["100", "'nonsense'"], "NULL"),
            ("OBJECTPROPERTY", &["999", "'IsTable'"], "NULL"),
            ("OBJECTPROPERTY", &["102", "'IsPrimaryKey'"], "1"),
            ("OBJECTPROPERTY", &["102", "'CnstIsClustKey'"], "1"),
            ("OBJECTPROPERTY", &["103", "'CnstIsDisabled'"], "1"),
            ("OBJECTPROPERTY", &["103", "'CnstIsColumn'"], "1"),
            ("OBJECTPROPERTY", &["110", "'IsProcedure'"], "1"),
            ("OBJECTPROPERTY", &["110", "'ExecIsAnsiNullsOn'"], "1"),
            ("OBJECTPROPERTY", &["120", "'ExecIsTriggerDisabled'"], "1"),
            ("OBJECTPROPERTY", &["120", "'ExecIsInsertTrigger'"], "1"),
            ("OBJECTPROPERTY", &["120", "'ExecIsLastDeleteTrigger'"], "1"),
            ("OBJECTPROPERTY", &["-385", "'IsMSShipped'"], "1"),
            ("OBJECTPROPERTYEX", &["100", "'BaseType'"], "char(2) U "),
            ("OBJECTPROPERTYEX", &["100", "'IsTable'"], "int 1"),
        ],
    );
}

#[test]
fn columns_indexes_and_types_have_properties() {
    check_in(
        &session(),
        &[
            ("COLUMNPROPERTY", &["100", "'ID'", "'IsIdentity'"], "1"),
            ("COLUMNPROPERTY", &["100", "'id'", "'AllowsNull'"], "0"),
            ("COLUMNPROPERTY", &["100", "'Name'", "'Precision'"], "50"),
            ("COLUMNPROPERTY", &["100", "'Name'", "'charmaxlen'"], "50"),
            ("COLUMNPROPERTY", &["100", "'Name'", "'octetmaxlen'"], "100"),
            ("COLUMNPROPERTY", &["100", "'Name'", "'Scale'"], "NULL"),
            ("COLUMNPROPERTY", &["100", "'Blob'", "'Precision'"], "-1"),
            ("COLUMNPROPERTY", &["100", "'Price'", "'Scale'"], "2"),
            ("COLUMNPROPERTY", &["100", "'Double'", "'IsComputed'"], "1"),
            ("COLUMNPROPERTY", &["100", "'x'", "'IsComputed'"], "NULL"),
            ("COLUMNPROPERTY", &["110", "'@b'", "'IsOutParam'"], "1"),
            ("COLUMNPROPERTY", &["110", "'@b'", "'ColumnId'"], "2"),
            ("INDEXPROPERTY", &["100", "'PK_Orders'", "'IsClustered'"], "1"),
            ("INDEXPROPERTY", &["100", "'IX_Name'", "'IndexID'"], "2"),
            ("INDEXPROPERTY", &["100", "'IX_Name'", "'IndexFillFactor'"], "80"),
            ("INDEXPROPERTY", &["100", "'nothing'", "'IsUnique'"], "NULL"),
            ("INDEXKEY_PROPERTY", &["100", "2", "1", "'IsDescending'"], "1"),
            ("INDEXKEY_PROPERTY", &["100", "2", "2", "'ColumnId'"], "1"),
            ("TYPEPROPERTY", &["'int'", "'Precision'"], "10"),
            ("TYPEPROPERTY", &["'varchar'", "'Precision'"], "8000"),
            ("TYPEPROPERTY", &["'Flag'", "'AllowsNull'"], "0"),
            ("TYPEPROPERTY", &["'Flag'", "'OwnerId'"], "1"),
        ],
    );
}

#[test]
fn databases_and_files_are_known() {
    check_in(
        &session(),
        &[
            ("DB_ID", &[], "5"),
            ("DB_ID", &["'MASTER'"], "1"),
            ("DB_ID", &["N'nothing'"], "NULL"),
            ("DB_NAME", &[], "Shop"),
            ("DB_NAME", &["2"], "tempdb"),
            ("DB_NAME", &["77"], "NULL"),
            ("ORIGINAL_DB_NAME", &[], "master"),
            ("DATABASEPROPERTYEX", &["'Shop'", "'Status'"], "nvarchar(128) ONLINE"),
            ("DATABASEPROPERTYEX", &["'Offline'", "'Status'"], "nvarchar(128) OFFLINE"),
            ("DATABASEPROPERTYEX", &["'Shop'", "'Recovery'"], "nvarchar(128) FULL"),
            ("DATABASEPROPERTYEX", &["'Shop'", "'UserAccess'"], "nvarchar(128) MULTI_USER"),
            ("DATABASEPROPERTYEX", &["'Shop'", "'Updateability'"], "nvarchar(128) READ_WRITE"),
            (
                "DATABASEPROPERTYEX",
                &["'Shop'", "'Collation'"],
                "nvarchar(128) SQL_Latin1_General_CP1_CI_AS",
            ),
            ("DATABASEPROPERTYEX", &["'Shop'", "'IsAutoShrink'"], "int 0"),
            ("DATABASEPROPERTYEX", &["'Shop'", "'Version'"], "int 957"),
            ("DATABASEPROPERTYEX", &["'Shop'", "'nonsense'"], "NULL"),
            ("DATABASEPROPERTYEX", &["'nothing'", "'Status'"], "NULL"),
            ("DATABASEPROPERTY", &["'Offline'", "'IsOffline'"], "1"),
            ("HAS_DBACCESS", &["'Shop'"], "1"),
            ("HAS_DBACCESS", &["'Offline'"], "0"),
            ("HAS_DBACCESS", &["'nothing'"], "NULL"),
            ("FILEGROUP_ID", &["'primary'"], "1"),
            ("FILEGROUP_NAME", &["1"], "PRIMARY"),
            ("FILEGROUPPROPERTY", &["'PRIMARY'", "'IsDefault'"], "1"),
            ("FILE_ID", &["'Shop_Data'"], "1"),
            ("FILE_NAME", &["1"], "Shop_data"),
            ("FILEPROPERTY", &["'Shop_data'", "'SpaceUsed'"], "128"),
            ("FILEPROPERTY", &["'Shop_data'", "'IsLogFile'"], "0"),
            ("GETANSINULL", &[], "0"),
        ],
    );
    check_types(&[("DB_ID", &[], "int"), ("DB_NAME", &[], "nvarchar(128)")]);
}

#[test]
fn logins_users_and_roles_are_known() {
    check_in(
        &session(),
        &[
            ("SUSER_ID", &[], "1"),
            ("SUSER_ID", &["'SA'"], "1"),
            ("SUSER_NAME", &[], "sa"),
            ("SUSER_NAME", &["3"], "sysadmin"),
            ("SUSER_SNAME", &[], "sa"),
            ("SUSER_SNAME", &["0x01"], "sa"),
            ("SUSER_SNAME", &["0x99"], "NULL"),
            ("SUSER_SID", &[], "0x01"),
            ("SUSER_SID", &["'sa'"], "0x01"),
            ("SYSTEM_USER", &[], "sa"),
            ("USER_NAME", &[], "dbo"),
            ("CURRENT_USER", &[], "dbo"),
            ("SESSION_USER", &[], "dbo"),
            ("USER", &[], "dbo"),
            ("USER_NAME", &["2"], "guest"),
            ("USER_ID", &[], "1"),
            ("USER_ID", &["'guest'"], "2"),
            ("DATABASE_PRINCIPAL_ID", &["'db_owner'"], "16384"),
            ("IS_MEMBER", &["'db_owner'"], "1"),
            ("IS_MEMBER", &["'db_datareader'"], "1"),
            ("IS_MEMBER", &["'db_denydatareader'"], "0"),
            ("IS_MEMBER", &["'nothing'"], "NULL"),
            ("IS_ROLEMEMBER", &["'db_owner'", "'guest'"], "0"),
            ("IS_ROLEMEMBER", &["'public'", "'guest'"], "1"),
            ("IS_SRVROLEMEMBER", &["'sysadmin'"], "1"),
            ("IS_SRVROLEMEMBER", &["'dbcreator'"], "0"),
            ("IS_SRVROLEMEMBER", &["'nothing'"], "NULL"),
            ("LOGINPROPERTY", &["'sa'", "'DefaultDatabase'"], "nvarchar(128) master"),
            ("LOGINPROPERTY", &["'sa'", "'IsLocked'"], "int 0"),
            ("LOGINPROPERTY", &["'nobody'", "'IsLocked'"], "NULL"),
        ],
    );
}

#[test]
fn permissions_are_asked_for_by_name() {
    let session = session();
    check_in(
        &session,
        &[
            ("HAS_PERMS_BY_NAME", &["'dbo.Orders'", "'OBJECT'", "'SELECT'"], "1"),
            ("HAS_PERMS_BY_NAME", &["'dbo.Orders'", "'OBJECT'", "'update'"], "0"),
            ("HAS_PERMS_BY_NAME", &["'dbo.Orders'", "'OBJECT'", "'ANY'"], "1"),
            ("HAS_PERMS_BY_NAME", &["'dbo.Orders'", "'OBJECT'", "'nonsense'"], "NULL"),
            ("HAS_PERMS_BY_NAME", &["'nothing'", "'OBJECT'", "'SELECT'"], "NULL"),
            ("HAS_PERMS_BY_NAME", &["NULL", "NULL", "'CONTROL SERVER'"], "0"),
        ],
    );
    session.permissions_asked.borrow_mut().clear();
    run_in(
        &session,
        "HAS_PERMS_BY_NAME",
        &["'Orders'", "'OBJECT'", "'SELECT'", "'Price'", "'COLUMN'"],
    )
    .unwrap();
    let asked = session.permissions_asked.borrow();
    let column = Securable { class: SecurableClass::Object, major: 100, minor: 3 };
    assert_eq!(*asked, [(DbId(5), column, Permission::Select)]);
}

#[test]
fn nothing_is_known_of_a_database_that_cannot_be_used() {
    let session = TestSession::default();
    for (name, args) in [
        ("OBJECT_ID", &["'Orders'"][..]),
        ("OBJECT_NAME", &["100"]),
        ("SCHEMA_NAME", &[]),
        ("TYPE_NAME", &["300"]),
        ("DB_NAME", &[]),
        ("USER_NAME", &[]),
        ("IS_MEMBER", &["'db_owner'"]),
        ("IDENT_CURRENT", &["'Orders'"]),
        ("OBJECTPROPERTY", &["100", "'IsTable'"]),
    ] {
        assert_eq!(run_in(&session, name, args).unwrap(), "NULL", "{name}");
    }
}
