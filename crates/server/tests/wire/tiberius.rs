//! A client that others have written.

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
    // The server has a runtime of its own, which cannot begin within another one.
    TestServer::shared();
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
        let error = client.simple_query("select * from nowhere").await.err();
        let error = match error {
            Some(error) => error,
            None => return,
        };
        assert_eq!(error.code(), Some(208));
    });
}
