//! JSON: reading and writing it by statements, beside a library that does the same to the same
//! bytes in this process; lists as JSON beside lists as tables.

use std::fmt::Write as _;
use std::time::Instant;

use super::database::{check, create, numbers};
use super::figures::Figures;
use super::{BenchError, Figure};
use crate::client::{Argument, Connection, Parameter, TableArgument, TableColumnSpec};
use crate::local::{DataDir, LocalServer};
use base::{SqlType, Value, ValueRef};
use hifijson::SliceLexer;
use hifijson::token::Lex as _;

const BENCH: &str = "json";

#[derive(clap::Args, Debug)]
pub struct Options {
    /// The size of the largest document in KB; the others are of 1 KB, 100 KB and 10 MB.
    #[arg(long, value_name = "N", default_value_t = 100_000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    largest_kb: u32,
    /// KB of documents that are read in a run, at least one document.
    #[arg(long, value_name = "N", default_value_t = 200_000,
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    read_kb: u32,
    /// How often rows are written, and lists sent, in a run.
    #[arg(long, value_name = "N", default_value_t = 300,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    repetitions: u32,
}

/// Rows that are written as JSON, and elements of lists.
const ROWS: u32 = 1000;

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let server = LocalServer::start(data.path(), &[])?;
    let mut connection = create(&server, "Json")?;
    let mut figures = Figures::new(BENCH);
    let sizes = [1, 100, 10_000, options.largest_kb];
    let sizes = sizes.into_iter().filter(|size| *size <= options.largest_kb);
    let mut sizes: Vec<u32> = sizes.collect();
    sizes.dedup();
    make_documents(&mut connection, &sizes)?;
    make_rows(&mut connection)?;
    for _ in 0..runs {
        for size in &sizes {
            read(&mut connection, *size, options, &mut figures)?;
        }
        write(&mut connection, options, &mut figures)?;
        lists(&mut connection, options, &mut figures)?;
    }
    drop(connection);
    server.stop()?;
    Ok(figures.into_all())
}

/// One of the members of a document, which has about 100 bytes.
fn member(number: u32) -> String {
    format!(
        "\"key{number:07}\":{{\"id\":{number},\"name\":\"name of {number:07}\",\
         \"tags\":[true,null,1.5e3],\"price\":12.25}},"
    )
}

/// A document of about this many KB, whose last key is `last`.
fn document(kb: u32) -> String {
    let mut text = String::from("{");
    (0..kb * 10).for_each(|number| text.push_str(&member(number)));
    text + "\"last\":1}"
}

/// Makes a table with a document of each size, put together by the server.
fn make_documents(connection: &mut Connection, sizes: &[u32]) -> Result<(), BenchError> {
    connection.execute(
        "CREATE TABLE dbo.Documents (Kb int NOT NULL PRIMARY KEY, Text varchar(max) NOT NULL)",
    )?;
    for kb in sizes {
        connection.execute(&format!(
            "INSERT dbo.Documents SELECT {kb}, CONCAT(CAST('{{' AS varchar(max)), \
             STRING_AGG(CONCAT(CAST('\"key' AS varchar(max)), RIGHT(10000000 + value, 7), \
             '\":{{\"id\":', value, ',\"name\":\"name of ', RIGHT(10000000 + value, 7), \
             '\",\"tags\":[true,null,1.5e3],\"price\":12.25}},'), ''), '\"last\":1}}') \
             FROM GENERATE_SERIES(0, {})",
            kb * 10 - 1
        ))?;
        let query = format!("SELECT DATALENGTH(Text) FROM dbo.Documents WHERE Kb = {kb}");
        check("bytes of a document", numbers(connection, &query)?, [document(*kb).len() as i64])?;
    }
    Ok(())
}

fn read(
    connection: &mut Connection,
    kb: u32,
    options: &Options,
    figures: &mut Figures,
) -> Result<(), BenchError> {
    let times = (options.read_kb / kb).max(1);
    let text = document(kb);
    let megabytes = f64::from(times) * text.len() as f64 / 1e6;
    let begin = Instant::now();
    for _ in 0..times {
        let mut lexer = SliceLexer::new(std::hint::black_box(text.as_bytes()));
        let peek = SliceLexer::ws_peek;
        if lexer.exactly_one(peek, hifijson::ignore::parse).is_err() {
            return Err(BenchError::Wrong("the library does not read the document".into()));
        }
    }
    let library = megabytes / begin.elapsed().as_secs_f64();
    figures.add(&format!("{kb}_kb_library"), "MB/s", library);
    for (name, call) in
        [("isjson", "ISJSON(d.Text)"), ("json_value", "JSON_VALUE(d.Text, '$.last')")]
    {
        let batch = format!(
            "DECLARE @begin datetime2 = SYSUTCDATETIME(), @sum bigint; \
             SELECT @sum = SUM(CAST({call} AS bigint)) FROM GENERATE_SERIES(1, {times}) AS s \
             CROSS JOIN dbo.Documents AS d WHERE d.Kb = {kb}; \
             SELECT @sum, DATEDIFF_BIG(microsecond, @begin, SYSUTCDATETIME())"
        );
        let [sum, microseconds] = numbers(connection, &batch)?;
        check(call, sum, i64::from(times))?;
        let rate = megabytes / (microseconds.max(1) as f64 / 1e6);
        figures.add(&format!("{kb}_kb_{name}"), "MB/s", rate);
        figures.add(&format!("{kb}_kb_{name}_ratio"), "x library", rate / library).decimals = 2;
    }
    Ok(())
}

fn make_rows(connection: &mut Connection) -> Result<(), BenchError> {
    connection.execute(
        "CREATE TABLE dbo.Rows (Id int NOT NULL PRIMARY KEY, Name nvarchar(50) NOT NULL, \
         Price decimal(10, 2) NOT NULL, IsActive bit NOT NULL, Note varchar(100))",
    )?;
    connection.execute(&format!(
        "INSERT dbo.Rows SELECT value, CONCAT(N'name of ', value), value + 0.25, value % 2, \
         IIF(value % 4 = 0, NULL, 'a \"note\"') FROM GENERATE_SERIES(1, {ROWS})"
    ))?;
    connection.execute("CREATE TYPE dbo.Numbers AS TABLE (n int NOT NULL)")?;
    Ok(())
}

/// The rows as the library has them.
fn library_rows() -> serde_json::Value {
    let row = |id: u32| {
        let mut row = serde_json::Map::new();
        row.insert("Id".into(), id.into());
        row.insert("Name".into(), format!("name of {id}").into());
        row.insert("Price".into(), (f64::from(id) + 0.25).into());
        row.insert("IsActive".into(), (id % 2 == 1).into());
        if id % 4 != 0 {
            row.insert("Note".into(), "a \"note\"".into());
        }
        serde_json::Value::from(row)
    };
    (1..=ROWS).map(row).collect()
}

fn write(
    connection: &mut Connection,
    options: &Options,
    figures: &mut Figures,
) -> Result<(), BenchError> {
    let rows = library_rows();
    let begin = Instant::now();
    let mut bytes = 0;
    for _ in 0..options.repetitions {
        bytes = std::hint::black_box(&rows).to_string().len();
    }
    let count = f64::from(options.repetitions * ROWS);
    let library = count / begin.elapsed().as_secs_f64();
    figures.add("for_json_library", "rows/s", library);
    let batch = format!(
        "SET NOCOUNT ON; DECLARE @i int = 0, @text nvarchar(max), \
         @begin datetime2 = SYSUTCDATETIME(); WHILE @i < {} BEGIN SET @text = \
         (SELECT Id, Name, Price, IsActive, Note FROM dbo.Rows FOR JSON PATH); SET @i += 1 END; \
         SELECT LEN(@text), DATEDIFF_BIG(microsecond, @begin, SYSUTCDATETIME())",
        options.repetitions
    );
    let [len, microseconds] = numbers(connection, &batch)?;
    check("characters of the rows", len, bytes as i64)?;
    let rate = count / (microseconds.max(1) as f64 / 1e6);
    figures.add("for_json", "rows/s", rate);
    figures.add("for_json_ratio", "x library", rate / library).decimals = 2;
    Ok(())
}

/// A list of numbers that a statement adds up: as JSON, and as a table.
fn lists(
    connection: &mut Connection,
    options: &Options,
    figures: &mut Figures,
) -> Result<(), BenchError> {
    let mut json = String::from("[");
    (0..ROWS).for_each(|n| _ = write!(json, "{}{n}", if n == 0 { "" } else { "," }));
    json.push(']');
    let rows: Vec<Vec<Value>> = (0..ROWS).map(|n| vec![Value::Int(i64::from(n))]).collect();
    let columns = [TableColumnSpec { ty: SqlType::int(), default: false }];
    let ty = SqlType::varchar(8000, base::Collation::DEFAULT);
    let as_json = [
        text("SELECT SUM(n) FROM OPENJSON(@list) WITH (n int '$')"),
        text("@list varchar(8000)"),
        Argument::Scalar(Parameter::input("@list", ty, ValueRef::Chars(json.as_bytes()))),
    ];
    let table = TableArgument {
        name: "@list",
        type_name: ("dbo", "Numbers"),
        columns: &columns,
        rows: &rows,
    };
    let as_table = [
        text("SELECT SUM(n) FROM @list"),
        text("@list dbo.Numbers READONLY"),
        Argument::Table(table),
    ];
    let mut rates = [0.0; 2];
    for (rate, arguments) in rates.iter_mut().zip([&as_json, &as_table]) {
        let request = connection.prepare_call("sp_executesql", arguments)?;
        let begin = Instant::now();
        for _ in 0..options.repetitions {
            let mut sum = super::database::Sum::default();
            connection.run(&request, &mut sum)?;
            check("the sum of a list", sum.sum, i64::from(ROWS * (ROWS - 1) / 2))?;
        }
        *rate = f64::from(options.repetitions) / begin.elapsed().as_secs_f64();
    }
    let [json, table] = rates;
    figures.add("list_as_json", "lists/s", json);
    figures.add("list_as_table", "lists/s", table);
    figures.add("list_time_ratio", "x table", table / json).decimals = 2;
    Ok(())
}

fn text(text: &'static str) -> Argument<'static> {
    let units: &'static [u8] = Vec::leak(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
    let ty = SqlType::nvarchar(4000, base::Collation::DEFAULT);
    Argument::Scalar(Parameter::input("", ty, ValueRef::Unicode(units)))
}
