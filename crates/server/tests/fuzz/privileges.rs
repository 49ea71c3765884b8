//! A login that has nothing tries everything.
//!
//! The databases `vault` (which the login may enter, without any permission) and `sealed` (which it
//! may not) hold a word that is nowhere else. The login sends statements, calls every procedure and
//! function, and reads every view. Whatever the errors are: the word must never come back, and what
//! there is must be the same afterwards. Names of schemas and types, and those of principals by
//! their numbers, are open to all, as in SQL Server.

use base::Value;
use tools::client::{Authentication, Connection, Results};

use crate::expressions::one;
use crate::harness::{Session, Target};
use testkit::rng::Rng;

/// The secret, which only a login that may read the data or the definitions can know.
const SECRET: &str = "pearl7391";
const LOGIN: &str = "beggar";
const PASSWORD: &str = "Depth-and-Warmth-4";
const ATTEMPTS: u64 = 25;

/// A database with data and definitions that contain the secret.
fn furnish(target: &Target, connection: &mut Connection, database: &str) {
    for text in [
        &format!("CREATE DATABASE {database}")[..],
        &format!("USE {database}"),
        "CREATE TABLE dbo.secret (id int IDENTITY PRIMARY KEY, word varchar(40) CONSTRAINT df DEFAULT 'pearl7391', \
         pearl7391_column int, CONSTRAINT ck CHECK (word <> 'not pearl7391'))",
        "INSERT dbo.secret (word) VALUES ('pearl7391')",
        "CREATE INDEX pearl7391_index ON dbo.secret (word)",
        "CREATE VIEW dbo.view1 AS SELECT word, 'pearl7391' AS w FROM dbo.secret",
        "CREATE PROCEDURE dbo.proc1 @a int = 1 AS SELECT 'pearl7391' FROM dbo.secret",
        "CREATE FUNCTION dbo.scalar1 (@a int) RETURNS varchar(40) AS BEGIN RETURN 'pearl7391' END",
        "CREATE FUNCTION dbo.inline1 () RETURNS TABLE AS RETURN SELECT word FROM dbo.secret",
        "CREATE TRIGGER dbo.trigger1 ON dbo.secret AFTER UPDATE AS PRINT 'pearl7391'",
        "CREATE SEQUENCE dbo.numbers START WITH 7391",
        "CREATE TYPE dbo.pairs AS TABLE (a int)",
        "CREATE SCHEMA inner_schema",
        "CREATE TABLE inner_schema.pearl7391_table (i int)",
        "CREATE SYNONYM dbo.other FOR dbo.secret",
        "CREATE USER pearl7391_user WITHOUT LOGIN",
        "CREATE ROLE pearl7391_role",
        "EXEC sp_addextendedproperty 'note', 'pearl7391', 'SCHEMA', 'dbo', 'TABLE', 'secret'",
    ] {
        target.set_up(connection, text);
    }
}

/// What must not change: everything that statements below are about.
fn state(connection: &mut Connection) -> Vec<Vec<Value>> {
    let mut state = Vec::new();
    for query in [
        "SELECT name, is_disabled, default_database_name FROM sys.server_principals",
        "SELECT role_principal_id, member_principal_id FROM sys.server_role_members",
        "SELECT class, major_id, grantee_principal_id, type, state FROM sys.server_permissions",
        "SELECT name, state_desc, is_trustworthy_on, recovery_model, is_read_only, user_access FROM sys.databases",
        "SELECT name, value_in_use FROM sys.configurations",
        "SELECT name, type FROM vault.sys.objects WHERE is_ms_shipped = 0",
        "SELECT name, type FROM vault.sys.database_principals",
        "SELECT role_principal_id, member_principal_id FROM vault.sys.database_role_members",
        "SELECT class, major_id, minor_id, grantee_principal_id, type, state FROM vault.sys.database_permissions",
        "SELECT name FROM vault.sys.columns WHERE object_id = OBJECT_ID('vault.dbo.secret')",
        "SELECT name, is_disabled FROM vault.sys.indexes WHERE object_id = OBJECT_ID('vault.dbo.secret')",
        "SELECT id, word, pearl7391_column FROM vault.dbo.secret",
        "SELECT id, word FROM sealed.dbo.secret",
        "SELECT name, type FROM sealed.sys.objects WHERE is_ms_shipped = 0",
        "SELECT CAST(current_value AS bigint) FROM vault.sys.sequences",
    ] {
        state.extend(connection.query(query).unwrap_or_else(|e| panic!("{query}: {e}")).rows);
    }
    state
}

/// Names of what exists in every database.
struct Names {
    procedures: Vec<String>,
    views: Vec<String>,
}

impl Names {
    fn of(connection: &mut Connection) -> Names {
        let mut all = |types: &str| -> Vec<String> {
            let query = format!(
                "SELECT SCHEMA_NAME(schema_id) + N'.' + name FROM master.sys.all_objects \
                 WHERE type IN ({types}) AND is_ms_shipped = 1"
            );
            let rows = connection.query(&query).unwrap().rows;
            rows.iter().filter_map(|row| text(&row[0])).collect()
        };
        Names { procedures: all("'P', 'X'"), views: all("'V', 'IF', 'TF'") }
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Unicode(bytes) => {
            let units: Vec<u16> =
                bytes.chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
            Some(String::from_utf16_lossy(&units))
        }
        _ => None,
    }
}

const ARGUMENTS: &[&str] = &[
    "N'dbo.secret'",
    "N'secret'",
    "N'dbo'",
    "N'vault'",
    "N'sealed'",
    "N'sealed.dbo.secret'",
    "N'sa'",
    "N'beggar'",
    "N'dbo.proc1'",
    "N'dbo.numbers'",
    "N'sysadmin'",
    "N'db_owner'",
    "NULL",
    "1",
    "0",
    "N'SELECT * FROM dbo.secret'",
    "N'%'",
    "N'word'",
    "N'ALL'",
    "N'dbo.view1'",
    "N'dbo.scalar1'",
    "N'dbo.trigger1'",
    "N'true'",
    "N'Shared'",
];

/// Statements that require a permission, or that show something.
const STATEMENTS: &[&str] = &[
    "SELECT * FROM dbo.secret",
    "SELECT COUNT(*) FROM dbo.secret",
    "SELECT word FROM dbo.view1",
    "SELECT * FROM dbo.other",
    "SELECT * FROM sealed.dbo.secret",
    "USE sealed",
    "EXEC dbo.proc1",
    "SELECT dbo.scalar1(1)",
    "SELECT * FROM dbo.inline1()",
    "SELECT NEXT VALUE FOR dbo.numbers",
    "DECLARE @t dbo.pairs; SELECT * FROM @t",
    "INSERT dbo.secret (word) VALUES ('x')",
    "UPDATE dbo.secret SET word = 'x'",
    "DELETE dbo.secret",
    "TRUNCATE TABLE dbo.secret",
    "DROP TABLE dbo.secret",
    "ALTER TABLE dbo.secret ADD x int",
    "CREATE INDEX i ON dbo.secret (id)",
    "DROP INDEX pearl7391_index ON dbo.secret",
    "CREATE TABLE dbo.mine (i int)",
    "CREATE VIEW dbo.mine AS SELECT * FROM dbo.secret",
    "ALTER VIEW dbo.view1 AS SELECT 1 a",
    "DROP PROCEDURE dbo.proc1",
    "CREATE PROCEDURE dbo.mine AS SELECT * FROM dbo.secret",
    "DROP TRIGGER dbo.trigger1",
    "DISABLE TRIGGER dbo.trigger1 ON dbo.secret",
    "ALTER SEQUENCE dbo.numbers RESTART",
    "DROP SEQUENCE dbo.numbers",
    "DROP TYPE dbo.pairs",
    "DROP SYNONYM dbo.other",
    "DROP SCHEMA inner_schema",
    "CREATE SCHEMA mine",
    "ALTER SCHEMA dbo TRANSFER inner_schema.pearl7391_table",
    "DROP USER pearl7391_user",
    "CREATE USER mine WITHOUT LOGIN",
    "ALTER ROLE db_owner ADD MEMBER beggar",
    "CREATE ROLE mine",
    "DROP ROLE pearl7391_role",
    "GRANT SELECT ON dbo.secret TO beggar",
    "GRANT CONTROL TO beggar",
    "DENY SELECT ON dbo.secret TO public",
    "REVOKE CONNECT FROM beggar",
    "EXECUTE AS USER = 'dbo'; SELECT * FROM dbo.secret",
    "EXECUTE AS LOGIN = 'sa'; SELECT * FROM dbo.secret",
    "EXEC ('SELECT * FROM dbo.secret') AS USER = 'dbo'",
    "ALTER AUTHORIZATION ON dbo.secret TO beggar",
    "ALTER AUTHORIZATION ON DATABASE::vault TO beggar",
    "ALTER LOGIN sa WITH PASSWORD = 'Stolen-1234'",
    "ALTER LOGIN sa DISABLE",
    "CREATE LOGIN mine WITH PASSWORD = 'Stolen-1234'",
    "DROP LOGIN sa",
    "ALTER SERVER ROLE sysadmin ADD MEMBER beggar",
    "GRANT CONTROL SERVER TO beggar",
    "CREATE DATABASE mine",
    "DROP DATABASE vault",
    "DROP DATABASE sealed",
    "ALTER DATABASE vault SET READ_ONLY",
    "ALTER DATABASE vault SET TRUSTWORTHY ON",
    "ALTER DATABASE vault SET RECOVERY SIMPLE",
    "ALTER DATABASE vault MODIFY NAME = mine",
    "ALTER DATABASE vault SET SINGLE_USER WITH ROLLBACK IMMEDIATE",
    "BACKUP DATABASE vault TO DISK = 'stolen.bak'",
    "BACKUP LOG vault TO DISK = 'stolen.bak'",
    "RESTORE DATABASE mine FROM DISK = 'stolen.bak'",
    "RESTORE HEADERONLY FROM DISK = 'stolen.bak'",
    "BULK INSERT dbo.secret FROM '/etc/passwd'",
    "CHECKPOINT",
    "SHUTDOWN",
    "SHUTDOWN WITH NOWAIT",
    "RECONFIGURE",
    "KILL 1",
    "DBCC FREEPROCCACHE",
    "DBCC DROPCLEANBUFFERS",
    "DBCC CHECKDB",
    "DBCC CHECKTABLE ('dbo.secret')",
    "DBCC TRACEON (1)",
    "DBCC SHRINKFILE (1)",
    "DBCC SHRINKDATABASE (vault)",
    "DBCC CHECKIDENT ('dbo.secret', RESEED, 100)",
    "DBCC INPUTBUFFER (1)",
    "DBCC OPENTRAN",
    "DBCC SQLPERF (LOGSPACE)",
    "DBCC SHOW_STATISTICS ('dbo.secret', 'pearl7391_index')",
    "DBCC SHOW_STATISTICS ('dbo.secret', 'word') WITH HISTOGRAM",
    "DBCC SHOWCONTIG ('dbo.secret')",
    "DBCC SHOWCONTIG WITH TABLERESULTS, ALL_INDEXES",
    "DBCC LOGINFO",
    "SELECT * FROM sys.dm_db_log_info(NULL)",
    "RAISERROR ('x', 10, 1) WITH LOG",
    "RAISERROR ('x', 20, 1) WITH LOG",
    "SET IDENTITY_INSERT dbo.secret ON",
    "UPDATE STATISTICS dbo.secret",
    "SELECT * INTO dbo.mine FROM dbo.secret",
    "SELECT * INTO #mine FROM dbo.secret",
    "MERGE dbo.secret t USING (SELECT 1 a) s ON t.id = s.a WHEN MATCHED THEN UPDATE SET word = 'x';",
    "SET FMTONLY ON; SELECT * FROM dbo.secret; SET FMTONLY OFF",
    "SET SHOWPLAN_TEXT ON",
    "WITH c AS (SELECT * FROM dbo.secret) SELECT * FROM c",
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM dbo.secret WHERE word LIKE 'p%')",
    "DECLARE c CURSOR FOR SELECT word FROM dbo.secret; OPEN c; FETCH c; CLOSE c; DEALLOCATE c",
    "SELECT OBJECT_DEFINITION(OBJECT_ID('dbo.proc1'))",
    "SELECT COL_NAME(OBJECT_ID('dbo.secret'), 3)",
    "SELECT INDEX_COL('dbo.secret', 2, 1), INDEXPROPERTY(OBJECT_ID('dbo.secret'), 'pearl7391_index', 'IndexID')",
    "DECLARE @i int = 0; WHILE @i < 500 BEGIN SELECT OBJECT_NAME(@i), TYPE_NAME(@i), OBJECT_DEFINITION(@i), COL_NAME(@i, 1), OBJECT_NAME(@i, DB_ID('sealed')); SET @i += 1 END",
    "CREATE TABLE #t (i int); INSERT #t EXEC dbo.proc1",
    "EXEC sp_executesql N'SELECT * FROM dbo.secret'",
    "ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION OFF",
    "ALTER TABLE dbo.secret NOCHECK CONSTRAINT ALL",
    "CREATE TRIGGER dbo.mine ON dbo.secret AFTER INSERT AS PRINT 1",
    "ENABLE TRIGGER dbo.trigger1 ON dbo.secret",
    "CREATE STATISTICS s ON dbo.secret (word)",
    "DROP DATABASE sealed; SELECT 1",
    "ALTER USER pearl7391_user WITH NAME = mine",
];

fn attempt(rng: &mut Rng, names: &Names) -> String {
    let name =
        |rng: &mut Rng, from: &[String]| from[rng.between(0, from.len() as u64) as usize].clone();
    let arguments = |rng: &mut Rng| {
        let count = rng.between(0, 5);
        (0..count).map(|_| one(rng, ARGUMENTS)).collect::<Vec<_>>().join(", ")
    };
    match rng.between(0, 12) {
        0..=3 => one(rng, STATEMENTS).to_owned(),
        4..=7 => {
            let procedure = name(rng, &names.procedures);
            // The attempt to stop the server is made by statements, and cannot be told from success
            // otherwise.
            format!("EXEC {procedure} {}", arguments(rng))
        }
        8 | 9 => {
            let database = one(rng, &["", "vault.", "sealed.", "master.", "tempdb."]);
            format!("SELECT * FROM {database}{}", name(rng, &names.views))
        }
        10 => format!("SELECT * FROM {}({})", name(rng, &names.views), arguments(rng)),
        _ => {
            let functions: Vec<_> = run::func::all().collect();
            let function = functions[rng.between(0, functions.len() as u64) as usize].name;
            format!("SELECT {function}({})", arguments(rng))
        }
    }
}

/// Whether an answer to a text that does not contain the secret does.
fn tells(results: &Results) -> bool {
    let in_names = results.sets.iter().flat_map(|set| &set.names).any(|name| name.contains(SECRET));
    let values = results.sets.iter().flat_map(|set| set.rows.iter().flatten());
    let in_values = values.map(|value| format!("{value:?}")).any(|text| contains_secret(&text));
    let in_messages = results.messages.iter().any(|message| message.error.text().contains(SECRET));
    in_names || in_values || in_messages
}

/// Values are printed as text or as bytes; the secret is looked for in both.
fn contains_secret(printed: &str) -> bool {
    let listed = |bytes: Vec<u8>| bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    let wide: Vec<u8> = SECRET.encode_utf16().flat_map(u16::to_le_bytes).collect();
    printed.contains(SECRET)
        || printed.contains(&listed(SECRET.into()))
        || printed.contains(&listed(wide))
}

fn session(target: &Target, session: &mut Session, names: &Names) -> Result<(), String> {
    let mut options = target.server.options().with_database("vault");
    options.authentication =
        Authentication::Password { user: LOGIN.into(), password: PASSWORD.into() };
    let mut connection = target.connect_with(&options).map_err(|e| format!("a login: {e}"))?;
    for _ in 0..ATTEMPTS {
        let text = attempt(&mut session.rng, names);
        let mut results = Results::default();
        let is_open = session.send_to(&mut connection, &text, &mut results)?;
        if tells(&results) && !text.contains(SECRET) {
            return Err("the secret came back".into());
        }
        if !is_open {
            return Ok(());
        }
    }
    Ok(())
}

#[test]
fn a_login_that_has_nothing_gets_nothing() {
    let target = Target::start("fuzz-privileges", 2_000);
    let mut connection = target.connect();
    furnish(&target, &mut connection, "sealed");
    furnish(&target, &mut connection, "vault");
    for text in [
        &format!("CREATE LOGIN {LOGIN} WITH PASSWORD = '{PASSWORD}'")[..],
        &format!("CREATE USER {LOGIN}"),
    ] {
        target.set_up(&mut connection, text);
    }
    target.set_up(&mut connection, "USE master");
    let names = Names::of(&mut connection);
    let before = state(&mut connection);
    target.run(|target, own| session(target, own, &names));
    let after = state(&mut connection);
    assert_eq!(before, after, "what there is has changed");
}

#[test]
fn the_secret_is_found_in_what_shows_it() {
    assert!(contains_secret("Text(\"a pearl7391\")"));
    assert!(contains_secret("[112, 101, 97, 114, 108, 55, 51, 57, 49]"));
    assert!(contains_secret("[112, 0, 101, 0, 97, 0, 114, 0, 108, 0, 55, 0, 51, 0, 57, 0, 49, 0]"));
    assert!(!contains_secret("[112, 101, 97, 114, 108]"));
}
