//! The official data files of AdventureWorks, by `BULK INSERT`.
//!
//! `THERMOCLINE_ADVENTUREWORKS` names the folder with the tab-separated files; without it there is
//! nothing to test, and the test says so.

#![allow(clippy::unwrap_used, reason = "a test may fail wherever it likes")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use base::Value;
use server::config::Config;
use server::embedded::{Options, start};
use tools::client::{Authentication, ConnectOptions, Connection, ServerAddress};
use tools::sample::{DATABASE, DataSource, install};

const PASSWORD: &str = "Secret-Password-1";

/// The tables that files are loaded into; they have the names of the files.
const TABLES: [(&str, &str); 13] = [
    ("Person", "Address"),
    ("Person", "CountryRegion"),
    ("Person", "StateProvince"),
    ("Production", "Product"),
    ("Production", "ProductCategory"),
    ("Production", "ProductSubcategory"),
    ("Production", "UnitMeasure"),
    ("Purchasing", "ShipMethod"),
    ("Sales", "CurrencyRate"),
    ("Sales", "Customer"),
    ("Sales", "SalesTerritory"),
    ("Sales", "SpecialOffer"),
    ("Sales", "SpecialOfferProduct"),
];

#[test]
fn official_files_are_loaded_whole() {
    let Some(files) = std::env::var_os("THERMOCLINE_ADVENTUREWORKS").map(PathBuf::from) else {
        eprintln!("skipped: THERMOCLINE_ADVENTUREWORKS does not name a folder with the files");
        return;
    };
    let data = std::env::temp_dir().join(format!("thermocline-files-{}", std::process::id()));
    let running = start(Options {
        data_dir: data.clone(),
        listen: "127.0.0.1:0".into(),
        sa_password: Some(PASSWORD.into()),
        config: Config::default(),
    });
    let running = running.unwrap();
    let mut options = ConnectOptions::new(ServerAddress::local(running.address().port()));
    options.authentication =
        Authentication::Password { user: "sa".into(), password: PASSWORD.into() };
    options.query_timeout = Some(Duration::from_secs(600));
    install(&options, DATABASE, DataSource::Official(&files), &mut |_| {}).unwrap();
    let mut connection = Connection::connect(&options.with_database(DATABASE)).unwrap();
    for (schema, table) in TABLES {
        let lines = lines_of(&files.join(format!("{table}.csv")));
        let count = number(&mut connection, &format!("SELECT COUNT_BIG(*) FROM {schema}.{table}"));
        assert_eq!(count, lines, "{schema}.{table}");
    }
    let untrusted = "SELECT COUNT_BIG(*) FROM (SELECT is_not_trusted FROM sys.check_constraints \
        UNION ALL SELECT is_not_trusted FROM sys.foreign_keys) AS c WHERE is_not_trusted = 1";
    assert_eq!(number(&mut connection, untrusted), 0, "constraints were checked");
    for check in ["DBCC CHECKCONSTRAINTS WITH ALL_CONSTRAINTS", "DBCC CHECKDB WITH NO_INFOMSGS"] {
        let answer = connection.query(check).unwrap();
        assert!(answer.rows.is_empty(), "{check}: {:?}", answer.rows);
    }
    drop(connection);
    running.stop();
    std::fs::remove_dir_all(&data).unwrap();
}

/// Rows of a file end with a line feed each, the last one's may be missing.
fn lines_of(path: &Path) -> i64 {
    let text = std::fs::read(path).unwrap();
    text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count() as i64
}

fn number(connection: &mut Connection, query: &str) -> i64 {
    match connection.query(query).unwrap().rows[0][0] {
        Value::Int(number) => number,
        ref other => panic!("{query}: {other:?}"),
    }
}
