//! Strings put together by `FOR XML PATH('')`, as before there was `STRING_AGG`, and by that.

use super::database::{check, create, numbers};
use super::figures::Figures;
use super::{BenchError, Figure};
use crate::local::{DataDir, LocalServer};

const BENCH: &str = "for-xml";

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Strings that are put together.
    #[arg(long, value_name = "N", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rows: u32,
    /// How often that is done in a run.
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    repetitions: u32,
}

/// The same list of strings with a comma before each, by both.
const WAYS: [(&str, &str); 2] = [
    ("for_xml_path", "SELECT ',' + Name FROM dbo.Names ORDER BY Id FOR XML PATH('')"),
    (
        "string_agg",
        "SELECT STRING_AGG(CAST(',' + Name AS nvarchar(max)), '') WITHIN GROUP (ORDER BY Id) \
         FROM dbo.Names",
    ),
];

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let server = LocalServer::start(data.path(), &[])?;
    let mut connection = create(&server, "Xml")?;
    connection.execute(
        "CREATE TABLE dbo.Names (Id int NOT NULL PRIMARY KEY, Name nvarchar(50) NOT NULL)",
    )?;
    connection.execute(&format!(
        "INSERT dbo.Names SELECT value, CONCAT(N'name of ', value) \
         FROM GENERATE_SERIES(1, {})",
        options.rows
    ))?;
    let expected: usize = (1..=options.rows).map(|id| format!(",name of {id}").len()).sum();
    let mut figures = Figures::new(BENCH);
    for _ in 0..runs {
        let mut rates = [0.0; WAYS.len()];
        for (rate, (name, query)) in rates.iter_mut().zip(WAYS) {
            let batch = format!(
                "SET NOCOUNT ON; DECLARE @i int = 0, @text nvarchar(max), \
                 @begin datetime2 = SYSUTCDATETIME(); WHILE @i < {} BEGIN SET @text = ({query}); \
                 SET @i += 1 END; \
                 SELECT LEN(@text), DATEDIFF_BIG(microsecond, @begin, SYSUTCDATETIME())",
                options.repetitions
            );
            let [len, microseconds] = numbers(&mut connection, &batch)?;
            check("characters of the list", len, expected as i64)?;
            let count = f64::from(options.repetitions) * f64::from(options.rows);
            *rate = count / (microseconds.max(1) as f64 / 1e6);
            figures.add(name, "strings/s", *rate);
        }
        let [xml, aggregate] = rates;
        figures.add("for_xml_path_ratio", "x STRING_AGG", xml / aggregate).decimals = 2;
    }
    drop(connection);
    server.stop()?;
    Ok(figures.into_all())
}
