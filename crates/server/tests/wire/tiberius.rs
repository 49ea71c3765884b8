//! tiberius, a client that is not part of this project.

use tiberius::{AuthMethod, Client, Config, EncryptionLevel};
use tokio::net::TcpStream;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

use crate::support::{PASSWORD, TestServer};

async fn connect(encryption: EncryptionLevel) -> Client<Compat<TcpStream>> {
    let address = TestServer::shared().address();
    let mut config = Config::new();
    config.host("127.0.0.1");
    config.port(address.port());
    config.authentication(AuthMethod::sql_server("sa", PASSWORD));
    config.trust_cert();
    config.encryption(encryption);
    let stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    Client::connect(config, stream.compat_write()).await.unwrap()
}

fn run(body: impl Future<Output = ()>) {
    // The server has a runtime of its own, which cannot begin, nor end, within another one.
    let _server = TestServer::shared();
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(body);
}

#[test]
fn tiberius_queries_in_all_modes_of_encryption() {
    run(async {
        for level in [
            EncryptionLevel::NotSupported,
            EncryptionLevel::Off,
            EncryptionLevel::On,
            EncryptionLevel::Required,
        ] {
            let mut client = connect(level).await;
            let stream = client.query("select @P1 + 1, @P2", &[&41_i32, &"text"]).await.unwrap();
            let row = stream.into_row().await.unwrap().unwrap();
            assert_eq!(row.get::<i32, _>(0), Some(42));
            assert_eq!(row.get::<&str, _>(1), Some("text"));
        }
    });
}

#[test]
fn tiberius_executes_and_loads() {
    run(async {
        let mut client = connect(EncryptionLevel::On).await;
        client.simple_query("create table by_tiberius (a int, b nvarchar(50))").await.unwrap();
        let inserted = client
            .execute("insert by_tiberius values (@P1, @P2)", &[&1_i32, &"one"])
            .await
            .unwrap();
        assert_eq!(inserted.rows_affected(), [1]);
        let mut load = client.bulk_insert("by_tiberius").await.unwrap();
        for n in 2..=1000_i32 {
            let mut row = tiberius::TokenRow::new();
            row.push(tiberius::IntoSql::into_sql(n));
            row.push(tiberius::IntoSql::into_sql(format!("row {n}")));
            load.send(row).await.unwrap();
        }
        load.finalize().await.unwrap();
        let stream = client.simple_query("select count(*), max(b) from by_tiberius").await.unwrap();
        let row = stream.into_row().await.unwrap().unwrap();
        assert_eq!(row.get::<i32, _>(0), Some(1000));
    });
}

/// The first column of the first row.
async fn first<T: tiberius::FromSqlOwned>(
    client: &mut Client<Compat<TcpStream>>,
    text: &str,
    parameters: &[&dyn tiberius::ToSql],
) -> Option<T> {
    let row = client.query(text, parameters).await.unwrap().into_row().await.unwrap().unwrap();
    T::from_sql_owned(row.into_iter().next().unwrap()).unwrap()
}

#[test]
fn tiberius_sends_and_receives_values_of_all_types_it_has() {
    use tiberius::Uuid;
    use tiberius::numeric::Numeric;
    run(async {
        let client = &mut connect(EncryptionLevel::On).await;
        let same = "select @P1";
        assert_eq!(first::<bool>(client, same, &[&true]).await, Some(true));
        assert_eq!(first::<u8>(client, same, &[&200_u8]).await, Some(200));
        assert_eq!(first::<i16>(client, same, &[&-5_i16]).await, Some(-5));
        assert_eq!(first::<i32>(client, same, &[&i32::MIN]).await, Some(i32::MIN));
        assert_eq!(first::<i64>(client, same, &[&i64::MAX]).await, Some(i64::MAX));
        assert_eq!(first::<f32>(client, same, &[&1.5_f32]).await, Some(1.5));
        assert_eq!(first::<f64>(client, same, &[&-2.25_f64]).await, Some(-2.25));
        let text = "Žluťoučký kůň".repeat(1000);
        assert_eq!(first::<String>(client, same, &[&text.as_str()]).await, Some(text));
        let bytes = vec![7_u8; 100_000];
        assert_eq!(first::<Vec<u8>>(client, same, &[&bytes.as_slice()]).await, Some(bytes));
        let id = Uuid::from_u128(0x1234_5678_9ABC_DEF0_1122_3344_5566_7788);
        assert_eq!(first::<Uuid>(client, same, &[&id]).await, Some(id));
        let number = Numeric::new_with_scale(-123_456, 3);
        assert_eq!(first::<Numeric>(client, same, &[&number]).await, Some(number));
        assert_eq!(first::<i32>(client, same, &[&None::<i32>]).await, None);
    });
}

#[test]
fn tiberius_has_transactions_errors_and_procedures() {
    run(async {
        let client = &mut connect(EncryptionLevel::On).await;
        for text in [
            "create database by_tiberius_db",
            "alter database by_tiberius_db add filegroup m contains memory_optimized_data",
            "alter database by_tiberius_db add file (name = 'm', filename = 'm') to filegroup m",
            "use by_tiberius_db",
            "create table t (a int not null primary key nonclustered) with (memory_optimized = on)",
            "create procedure p @a int, @b int output as set @b = @a * 2; return 7",
        ] {
            client.simple_query(text).await.unwrap().into_results().await.unwrap();
        }
        for (end, count) in [("rollback", 0), ("commit", 1)] {
            for text in ["begin transaction", "insert t with (snapshot) values (1)", end] {
                client.simple_query(text).await.unwrap().into_results().await.unwrap();
            }
            assert_eq!(first::<i32>(client, "select count(*) from t", &[]).await, Some(count));
        }
        let doubled = "declare @b int, @r int; exec @r = p @P1, @b output; select @b + @r";
        assert_eq!(first::<i32>(client, doubled, &[&21_i32]).await, Some(49));
        let outcome = match client.simple_query("select 1\nselect * from nowhere").await {
            Ok(stream) => stream.into_results().await.map(drop),
            Err(error) => Err(error),
        };
        let tiberius::error::Error::Server(token) = outcome.unwrap_err() else {
            panic!("an error of the server");
        };
        assert_eq!((token.code(), token.class(), token.line()), (208, 16, 2));
        assert_eq!(first::<i32>(client, "select 5", &[]).await, Some(5));
    });
}
