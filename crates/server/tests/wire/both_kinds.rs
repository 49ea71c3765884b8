//! Memory-optimized and ordinary tables side by side, prepared, filled and timed as people do it by
//! script.

use base::Value;
use tools::client::Connection;

use crate::sql::{number, run};
use crate::support::TestServer;

/// How many readings each round brings, and each query reads.
const ROUNDS: [i64; 3] = [50, 150, 450];

/// A database for memory-optimized tables: its compatibility level is raised where it is lower,
/// disk tables' isolation levels do not conflict, and the filegroup lies where the script's server
/// had its files.
const PREPARE: [&str; 4] = [
    "if not exists (select top (1) 1 from sys.databases as b \
                    where b.name = db_name() and b.compatibility_level >= 130) \
     begin alter database current set compatibility_level = 130; end",
    "alter database current set memory_optimized_elevate_to_snapshot=on",
    r"exec sys.xp_create_subdir 'D:\thermometers\hot'
      alter database warm add filegroup warm_rows contains memory_optimized_data",
    r"alter database warm add file
          (name='warm_rows', filename='D:\thermometers\hot\warm_rows') to filegroup warm_rows",
];

const HOT_TABLE: &str = "create table dbo.Readings (
    ReadingId int not null identity(1,1) primary key nonclustered
    , TakenAt datetime2 not null index ix_TakenAt nonclustered hash with (bucket_count=4096)
    , Sensor int
    , Celsius decimal (9, 3)
    ) with (memory_optimized = on, durability = schema_only)";
const COLD_TABLE: &str = "create table Readings (
    ReadingId int not null identity(1,1) primary key nonclustered
    , TakenAt datetime2
    , Sensor int
    , Celsius decimal (9, 3)
    )";

/// Both procedures, with what makes them natively compiled or not around their bodies.
fn procedures(begin: [&str; 2], end: &str) -> [String; 2] {
    let [fill, read] = begin;
    [
        format!(
            "create procedure dbo.usp_Measure (@count int) {fill}
                declare @n int = 0 ;
                while @n < @count
                begin
                    insert into dbo.Readings values (sysdatetime(), @n % 7, 4.125);
                    set @n = @n + 1 ;
                end
             {end}"
        ),
        format!(
            "create procedure dbo.usp_Recall(@count int) {read}
                select top(@count) ReadingId,TakenAt,Sensor,Celsius from dbo.readings
             {end}"
        ),
    ]
}

/// Drops what an earlier attempt has left, and makes table and procedures.
fn define(connection: &mut Connection, table: &str, procedures: &[String]) {
    for _ in 0..2 {
        for (name, kind, drop) in [
            ("dbo.usp_Measure", "p", "drop proc dbo.usp_Measure"),
            ("dbo.usp_Recall", "P", "drop proc dbo.usp_Recall"),
            ("Readings", "U", "delete from dbo.Readings; drop table dbo.Readings"),
        ] {
            let text = format!("if object_id('{name}','{kind}') is not null begin {drop} end");
            run(connection, &text);
        }
        run(connection, table);
        procedures.iter().for_each(|text| run(connection, text));
    }
}

/// How many rows each query of a batch has given.
fn rows_of(connection: &mut Connection, text: &str) -> Vec<i64> {
    let results = connection.query_all(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    results.iter().map(|result| result.rows.len() as i64).collect()
}

#[test]
fn a_script_compares_both_kinds_of_tables() {
    let server = TestServer::new();
    let mut connection = server.connect();
    run(&mut connection, "create database warm; create database cool");
    run(&mut connection, "use warm");
    PREPARE.iter().for_each(|text| run(&mut connection, text));
    let native = [
        "with native_compilation, schemabinding as begin atomic \
         with (transaction isolation level = snapshot, language = N'us_english')",
        "with native_compilation, schemabinding as begin atomic with \
         (  transaction isolation level = snapshot, language = 'english')",
    ];
    define(&mut connection, HOT_TABLE, &procedures(native, "end"));
    run(&mut connection, "use cool");
    let interpreted = ["as begin set nocount on", "as begin"];
    define(&mut connection, COLD_TABLE, &procedures(interpreted, "end"));

    // Each round with its time: by messages in one database ...
    let rounds = ROUNDS.map(|count| {
        format!(
            "delete from dbo.Readings
             set statistics time on
             exec dbo.usp_Measure  @count = {count}
             set statistics time off\n"
        )
    });
    run(&mut connection, &format!("use warm set nocount on {}", rounds.concat()));
    // ... by the server's clock in the other.
    let look =
        |n: usize| format!("select top 1 @at{n} = ms_ticks from sys.dm_os_sys_info with(nolock)\n");
    let rounds = ROUNDS.iter().zip(1..).map(|(count, n)| {
        format!("truncate table dbo.Readings exec dbo.usp_Measure @count = {count}\n{}", look(n))
    });
    let times = format!(
        "use cool set nocount on
         declare @at0 bigint ,@at1 bigint ,@at2 bigint ,@at3 bigint ;
         {}{}
         select first = @at0 ,[1-0] = @at1 - @at0 ,[2-1] = @at2 - @at1 ,[3-2] = @at3 - @at2 ;",
        look(0),
        rounds.collect::<String>()
    );
    let times = connection.query(&times).unwrap().rows;
    assert!(times[0].len() == 4 && times[0].iter().all(|time| matches!(time, Value::Int(0..))));

    for (database, before) in [("warm", ""), ("cool", "dbcc dropcleanbuffers")] {
        let reads = ROUNDS.map(|count| format!("{before} exec dbo.usp_Recall  @count = {count}\n"));
        let text = format!(
            "use {database} set statistics time off set statistics time on\n{} set statistics time off",
            reads.concat()
        );
        assert_eq!(rows_of(&mut connection, &text), ROUNDS, "{database}");
        let last =
            format!("select count_big(*) from {database}.dbo.Readings where Celsius = 4.125");
        assert_eq!(number(&mut connection, &last), ROUNDS[2]);
    }
}
