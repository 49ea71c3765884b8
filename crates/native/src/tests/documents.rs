//! Random expressions over documents, texts of many languages, zones and cultures: servers that
//! compile everything answer what interpreting servers answer.

use env::sim::SimEnv;
use session::testing::TestServer;
use testkit::hostile::Source;
use testkit::rng::{Rng, seeds};

use super::server::Watched;

/// Values that fit most arguments, more or less.
fn other(rng: &mut Rng) -> String {
    const VALUES: &[&str] = &[
        "NULL",
        "1",
        "-1",
        "2147483647",
        "0.5",
        "1e308",
        "N''",
        "N'a'",
        "'2024-02-29'",
        "N'{\"a\":[1,{\"b\":\"x\"}]}'",
        "N'$.a'",
        "0x00FF",
        "CAST('2024-02-29T12:00:00' AS datetime2)",
        "REPLICATE(N'x', 3000)",
        "@n",
        "@s",
    ];
    rng.one(VALUES).to_owned()
}

/// A batch without a module, or one that makes a natively compiled module; the last makes nothing
/// but a call.
fn batches(rng: &mut Rng) -> Vec<String> {
    const VARIABLES: &str = "DECLARE @n int = 3, @s nvarchar(max) = N'[1,\"é\"]';";
    let mut source = Source { rng, other: &other };
    if source.rng.once_in(2) {
        let (a, b) = (source.expression(), source.statement());
        return vec![format!("{VARIABLES} SELECT {a}"), format!("{VARIABLES} {b}")];
    }
    let (a, b, c) =
        (source.native_expression(), source.native_expression(), source.native_expression());
    let create = format!(
        "CREATE OR ALTER PROCEDURE dbo.np @n int, @s nvarchar(max) WITH NATIVE_COMPILATION, SCHEMABINDING AS \
         BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english') \
         BEGIN TRY SET @s = CAST({a} AS nvarchar(max)); END TRY BEGIN CATCH SET @s = ERROR_MESSAGE(); END CATCH; \
         SELECT @s AS s, {b} AS b; SELECT {c} AS c FROM dbo.h WHERE i >= @n; END"
    );
    vec![create, "EXEC dbo.np 1, N'{\"a\":1}'".into(), "EXEC dbo.np 2, NULL".into()]
}

#[test]
fn random_modules_do_the_same_over_documents() {
    const SETUP: &str = "CREATE DATABASE d
go
ALTER DATABASE d ADD FILEGROUP m CONTAINS MEMORY_OPTIMIZED_DATA
ALTER DATABASE d ADD FILE (NAME = 'm', FILENAME = 'm') TO FILEGROUP m
go
USE d
go
CREATE TABLE dbo.h (i int NOT NULL PRIMARY KEY NONCLUSTERED) WITH (MEMORY_OPTIMIZED = ON)
go
INSERT dbo.h VALUES (1), (2), (3)";
    let watched = Watched::new();
    let (compiling, interpreting) = (watched.server(&SimEnv::new(5)), TestServer::new());
    let mut sessions = [compiling.session(), interpreting.session()];
    sessions.iter_mut().for_each(|session| drop(session.script(SETUP)));
    let (mut answered, mut count) = (0, 0);
    for seed in seeds(150) {
        for batch in batches(&mut Rng::new(seed)) {
            let [found, expected] = sessions.each_mut().map(|session| session.run(&batch));
            assert_eq!(found, expected, "seed {seed}: {batch}");
            count += 1;
            answered += usize::from(!expected.contains("Msg "));
        }
    }
    assert!(answered * 4 > count, "{answered} of {count} batches have no errors");
    assert!(watched.compiled() > count, "{} units were compiled", watched.compiled());
}
