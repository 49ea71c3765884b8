//! Databases that are bound to a resource pool: at its limit nothing is lost and rows can be
//! deleted.

use server::config::{Bytes, Config, Memory};
use tools::client::Connection;

use crate::sql::{error, number, run};
use crate::support::{TestServer, wait_until};

/// 400 MB for rows, so that each per cent of a pool is 4 MB.
fn config() -> Config {
    Config {
        allow_local_trusted: true,
        max_memory: Memory::Bytes(Bytes(400 << 20)),
        ..Config::default()
    }
}

/// Inserts batches of a megabyte until that fails. Returns how many rows there are, and the error.
fn fill(connection: &mut Connection, database: &str) -> (i64, i32) {
    for batch in 0..1000 {
        let from = 1000 * batch;
        let text = format!(
            "insert {database}.dbo.t select {from} + value, replicate('x', 1000) \
             from generate_series(1, 1000)"
        );
        if let Some(number) = error(connection, &text) {
            return (from, number);
        }
    }
    panic!("there is no limit");
}

fn create(connection: &mut Connection, name: &str) {
    for text in [
        "create database $",
        "alter database $ add filegroup f contains memory_optimized_data",
        "alter database $ add file (name = 'f', filename = 'f') to filegroup f",
        "use $; create table t (id int not null primary key nonclustered, x varchar(1000) not null) \
         with (memory_optimized = on); use master",
    ] {
        run(connection, &text.replace('$', name));
    }
}

#[test]
fn at_the_limit_of_a_pool_nothing_is_lost_and_rows_can_be_deleted() {
    let server = TestServer::with(config());
    let mut connection = server.connect();
    create(&mut connection, "d");
    let bind = "exec sp_xtp_bind_db_resource_pool 'd', 'small'";
    assert_eq!(error(&mut connection, bind), Some(41370), "there is none");
    run(
        &mut connection,
        "create resource pool small with (min_memory_percent = 5, max_memory_percent = 5)",
    );
    assert_eq!(error(&mut connection, bind), Some(41370), "it is not in use");
    assert_eq!(error(&mut connection, "create resource pool Small"), Some(10918));
    let below = "alter resource pool small with (min_memory_percent = 50)";
    assert_eq!(error(&mut connection, below), Some(10907));
    assert_eq!(error(&mut connection, "alter resource pool none"), Some(10911));
    assert_eq!(error(&mut connection, "drop resource pool [default]"), Some(10912));
    run(&mut connection, "alter resource governor reconfigure");
    let other = "exec sp_xtp_bind_db_resource_pool 'master', 'small'";
    assert_eq!(error(&mut connection, other), Some(41371));
    let other = "exec sp_xtp_bind_db_resource_pool 'd', 'default'";
    assert_eq!(error(&mut connection, other), Some(41373));
    let unbind = "exec sp_xtp_unbind_db_resource_pool 'd'";
    assert_eq!(error(&mut connection, unbind), Some(41374));
    run(&mut connection, bind);
    assert_eq!(error(&mut connection, bind), Some(41372));
    assert_eq!(error(&mut connection, "drop resource pool small"), Some(10916));
    let pool = "select resource_pool_id from sys.databases where name = 'd'";
    assert_eq!(number(&mut connection, pool), 256);

    let (rows, refused) = fill(&mut connection, "d");
    assert_eq!(refused, 41805);
    assert!((5_000..30_000).contains(&rows), "{rows} rows of a kilobyte in 20 MB");
    let count = "select count(*) from d.dbo.t";
    assert_eq!(number(&mut connection, count), rows, "what failed did nothing");
    let used =
        "select used_memory_kb from sys.dm_resource_governor_resource_pools where pool_id = 256";
    assert!((15_000..25_000).contains(&number(&mut connection, used)));
    let counts =
        "select out_of_memory_count from sys.dm_resource_governor_resource_pools where pool_id = ";
    assert!(number(&mut connection, &format!("{counts}256")) > 0);
    assert_eq!(number(&mut connection, &format!("{counts}2")), 0);
    let dir = server.stop();

    let server = TestServer::in_directory(dir, config());
    let mut connection = server.connect();
    assert_eq!(number(&mut connection, count), rows, "all is loaded");
    let insert = "insert d.dbo.t select -value, replicate('x', 1000) from generate_series(1, 3000)";
    assert_eq!(error(&mut connection, insert), Some(41805), "the binding holds");
    run(&mut connection, "delete d.dbo.t where id % 2 = 0");
    wait_until("memory comes back", || error(&mut connection, insert).is_none());
    run(&mut connection, unbind);
    let more =
        "insert d.dbo.t select -10000 - value, replicate('x', 1000) from generate_series(1, 30000)";
    run(&mut connection, more);
    run(&mut connection, "drop resource pool small");
    let pools = "select count(*) from sys.resource_governor_resource_pools";
    assert_eq!(number(&mut connection, pools), 2);
}

#[test]
fn databases_share_a_pool_and_a_governor_that_is_disabled_limits_nothing() {
    let server = TestServer::with(config());
    let mut connection = server.connect();
    run(&mut connection, "create resource pool both with (max_memory_percent = 5)");
    run(&mut connection, "alter resource governor reconfigure");
    for name in ["a", "b"] {
        create(&mut connection, name);
        run(&mut connection, &format!("exec sp_xtp_bind_db_resource_pool '{name}', 'both'"));
    }
    let (first, refused) = fill(&mut connection, "a");
    assert_eq!(refused, 41805);
    let (second, refused) = fill(&mut connection, "b");
    assert_eq!(refused, 41805);
    assert!(second < first / 2, "{second} where {first} are already");
    run(&mut connection, "alter resource governor disable");
    let more = "insert b.dbo.t select -value, replicate('x', 1000) from generate_series(1, 30000)";
    run(&mut connection, more);
}
