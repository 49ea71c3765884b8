//! How long another session waits at most while a statement computes.
//!
//! While each statement runs, one session asks `SELECT 1` again and again, and another client logs
//! in again and again. What counts is the longest time of either. Beside them stands the same
//! without any statement, while processes that do nothing but compute keep all processors busy: no
//! server answers sooner than it gets a processor.

use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use base::Value;

use super::database::{create, native_procedure};
use super::{BenchError, Figure};
use crate::client::{ClientError, Connection};
use crate::local::{DataDir, LocalServer};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Rows of the table that is sorted and indexed.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    rows: u32,
    /// Statements of the native procedure that is compiled.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    statements: u32,
    /// `max server memory`.
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    memory: u32,
    /// How long the processors are busy without a statement.
    #[arg(long, value_name = "S", default_value_t = 3)]
    busy_seconds: u64,
    /// A statement that has not ended after so long is an error.
    #[arg(long, value_name = "S", default_value_t = 300)]
    patience: u64,
}

/// What a statement must answer.
enum Expect {
    /// This number.
    Number(i64),
    /// One of these errors.
    Error(&'static [i32]),
    /// An answer, or one of these errors: a limit that depends on memory or a plan.
    AnswerOr(&'static [i32]),
}

/// A statement, and what its figures are called.
struct Case {
    select: &'static str,
    login: &'static str,
    text: String,
    expect: Expect,
}

/// A case whose figures are named after it.
macro_rules! case {
    ($name:literal, $expect:expr, $text:expr) => {
        Case {
            select: concat!($name, "_select_ms"),
            login: concat!($name, "_login_ms"),
            text: String::from($text),
            expect: $expect,
        }
    };
}

/// Statements on long values.
fn of_values() -> Vec<Case> {
    use Expect::{AnswerOr, Error, Number};
    const LONG: &str = "DECLARE @v varchar(max) = REPLICATE(CAST('ab' AS varchar(max)), 25000000);";
    let on_long = |expression: &str| format!("{LONG} SELECT CAST({expression} AS bigint)");
    vec![
        case!(
            "patindex_limit",
            Error(&[8152]),
            "SELECT PATINDEX(REPLICATE(CAST('z' AS varchar(max)), 1000000), 'dbo.t')"
        ),
        case!("patindex", Number(0), on_long("PATINDEX('%' + REPLICATE('ab', 3990) + 'z%', @v)")),
        case!(
            "like",
            Number(0),
            on_long("CASE WHEN @v LIKE '%' + REPLICATE('ab', 3990) + 'z%' THEN 1 ELSE 0 END")
        ),
        case!("charindex", Number(0), on_long("CHARINDEX(REPLICATE('ab', 3990) + 'z', @v)")),
        case!(
            "translate",
            Number(900_000),
            "SELECT LEN(TRANSLATE(REPLICATE(CAST('abc' AS varchar(max)), 300000), \
             REPLICATE(CAST('x' AS varchar(max)), 100000) + 'a', \
             REPLICATE(CAST('y' AS varchar(max)), 100001)))"
        ),
        case!(
            "ltrim",
            Number(4000),
            "DECLARE @s varchar(8000) = REPLICATE('a', 8000); \
             SELECT LEN(LTRIM(REPLICATE(N'x', 3999) + N'b', @s))"
        ),
        case!(
            "string_escape",
            Number(30_000_000),
            "SELECT LEN(STRING_ESCAPE(REPLICATE(CAST(CHAR(1) AS varchar(max)), 5000000), 'json'))"
        ),
        case!("reverse", Number(50_000_000), on_long("LEN(REVERSE(@v))")),
        case!("upper", Number(50_000_000), on_long("LEN(UPPER(@v))")),
        case!("replace", Number(25_000_000), on_long("LEN(REPLACE(@v, 'ab', 'c'))")),
        case!("hashbytes", Number(64), on_long("DATALENGTH(HASHBYTES('SHA2_512', @v))")),
        case!("checksum", Number(1), on_long("SIGN(ABS(CAST(CHECKSUM(@v) AS bigint)) + 1)")),
        case!("compare", Number(1), on_long("CASE WHEN @v = UPPER(@v) THEN 1 ELSE 0 END")),
        case!("convert", Number(100_000_000), on_long("DATALENGTH(CAST(@v AS nvarchar(max)))")),
        case!(
            "string_split",
            Number(2_000_001),
            "SELECT COUNT_BIG(*) FROM STRING_SPLIT(REPLICATE(CAST('a,' AS varchar(max)), 2000000), ',')"
        ),
        case!(
            "isjson",
            Number(1),
            "SELECT ISJSON(CONCAT('[', REPLICATE(CAST('1,' AS varchar(max)), 50000000), '1]'))"
        ),
        case!(
            "json_value",
            Number(7),
            "SELECT CAST(JSON_VALUE(CONCAT(N'[\"', REPLICATE(CAST(N'x' AS nvarchar(max)), 20000000), \
             N'\",7]'), '$[1]') AS int)"
        ),
        case!(
            "openjson",
            Number(1_000_001),
            "SELECT COUNT_BIG(*) FROM OPENJSON(CONCAT('[', REPLICATE(CAST('1,' AS varchar(max)), 1000000), '1]'))"
        ),
        case!(
            "concatenate",
            AnswerOr(&[701]),
            format!("{LONG} SELECT LEN(@v{})", "+@v".repeat(19))
        ),
        case!(
            "string_agg",
            AnswerOr(&[701]),
            "SELECT LEN(STRING_AGG(REPLICATE(CAST('x' AS varchar(max)), 100000), ',')) \
             FROM GENERATE_SERIES(1, 100000)"
        ),
        case!(
            "doubling",
            Error(&[701, 7119]),
            "DECLARE @s varchar(max) = 'x', @n int = 0; \
             WHILE @n < 40 BEGIN SET @s = @s + @s; SET @n += 1 END"
        ),
    ]
}

/// Statements that are expensive to plan, and what reads many rows.
fn of_plans_and_rows(options: &Options) -> Vec<Case> {
    use Expect::{AnswerOr, Number};
    let rows = i64::from(options.rows);
    let sets = vec!["GROUPING SETS ((a), ())"; 16].join(", ");
    let mut ctes = String::from("WITH c0 AS (SELECT 1 AS x)");
    for n in 1..30 {
        let last = n - 1;
        ctes.push_str(&format!(
            ", c{n} AS (SELECT a.x FROM c{last} a JOIN c{last} b ON a.x = b.x)"
        ));
    }
    let body = "SET @n += 1;\n".repeat(options.statements as usize);
    let procedure = native_procedure("dbo.long_one @n int = 0", &body);
    vec![
        case!(
            "grouping_sets",
            AnswerOr(&[8623, 10703, 8632, 701]),
            format!("SELECT COUNT_BIG(*) FROM dbo.few GROUP BY {sets}")
        ),
        case!("ctes", AnswerOr(&[8623, 191, 701]), format!("{ctes} SELECT COUNT_BIG(*) FROM c29")),
        case!("cascade", AnswerOr(&[8623, 701]), "DELETE FROM dbo.t0"),
        case!("native_procedure", AnswerOr(&[8623, 701]), procedure),
        case!(
            "sort",
            Number(rows),
            "SELECT COUNT_BIG(*) FROM (SELECT TOP (2147483647) v, ROW_NUMBER() OVER (ORDER BY v, id DESC) AS n \
             FROM dbo.many ORDER BY v, id DESC) AS s WHERE n > 0"
        ),
        case!(
            "index",
            Number(1),
            "CREATE INDEX by_v ON dbo.many (v); SELECT COUNT_BIG(*) FROM sys.indexes WHERE name = 'by_v'; \
             DROP INDEX by_v ON dbo.many"
        ),
    ]
}

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let server = LocalServer::start(data.path(), &[])?;
    let mut own = create(&server, "stalls")?;
    own.set_query_timeout(Some(Duration::from_secs(options.patience)));
    prepare(&mut own, options)?;
    let mut cases = of_values();
    cases.extend(of_plans_and_rows(options));
    let figure = |name| {
        let mut figure = Figure::new("stalls", name, "ms");
        figure.decimals = 1;
        figure
    };
    let mut busy = [figure("busy_machine_select_ms"), figure("busy_machine_login_ms")];
    let mut figures: Vec<[Figure; 2]> =
        cases.iter().map(|case| [figure(case.select), figure(case.login)]).collect();
    for _ in 0..runs {
        let spinning = Spinning::start()?;
        let alone = waits(&server, || {
            std::thread::sleep(Duration::from_secs(options.busy_seconds));
            Ok(())
        })?;
        drop(spinning);
        note(&mut busy, alone);
        for (case, figures) in cases.iter().zip(&mut figures) {
            let longest = waits(&server, || execute(&mut own, case))?;
            note(figures, longest);
            own.execute("IF OBJECT_ID('dbo.long_one') IS NOT NULL DROP PROCEDURE dbo.long_one")?;
        }
    }
    server.stop()?;
    Ok(busy.into_iter().chain(figures.into_iter().flatten()).collect())
}

fn note(figures: &mut [Figure; 2], waits: [Duration; 2]) {
    for (figure, wait) in figures.iter_mut().zip(waits) {
        figure.values.push(wait.as_secs_f64() * 1e3);
    }
}

/// Bounds the server's memory, so that statements end in 701 on every machine, and makes the
/// tables.
fn prepare(connection: &mut Connection, options: &Options) -> Result<(), BenchError> {
    connection.execute("EXEC sp_configure 'show advanced options', 1; RECONFIGURE")?;
    connection.execute(&format!(
        "EXEC sp_configure 'max server memory (MB)', {}; RECONFIGURE",
        options.memory
    ))?;
    connection.execute("CREATE TABLE dbo.few (a int NOT NULL)")?;
    connection.execute("INSERT dbo.few VALUES (1), (2), (3)")?;
    connection
        .execute("CREATE TABLE dbo.many (id int NOT NULL PRIMARY KEY, v varchar(40) NOT NULL)")?;
    connection.execute(&format!(
        "INSERT dbo.many SELECT value, CONVERT(varchar(40), HASHBYTES('MD5', CAST(value AS varchar(12))), 2) \
         FROM GENERATE_SERIES(1, {})",
        options.rows
    ))?;
    connection.execute("CREATE TABLE dbo.t0 (id int NOT NULL PRIMARY KEY)")?;
    for n in 1..400 {
        let last = n - 1;
        connection.execute(&format!(
            "CREATE TABLE dbo.t{n} (id int NOT NULL PRIMARY KEY REFERENCES dbo.t{last} (id) ON DELETE CASCADE)"
        ))?;
    }
    Ok(())
}

/// Runs a statement and checks its answer.
fn execute(connection: &mut Connection, case: &Case) -> Result<(), BenchError> {
    let answer = connection.query_all(&case.text);
    let number = match &answer {
        Ok(results) => {
            let values = results.iter().flat_map(|result| &result.rows).flatten();
            values
                .filter_map(|value| if let Value::Int(n) = value { Some(*n) } else { None })
                .next()
        }
        Err(_) => None,
    };
    let error = match &answer {
        Err(ClientError::Server(message)) => Some(message.error.number()),
        _ => None,
    };
    let is_right = match &case.expect {
        Expect::Number(expected) => number == Some(*expected),
        Expect::Error(errors) => error.is_some_and(|error| errors.contains(&error)),
        Expect::AnswerOr(errors) => {
            answer.is_ok() || error.is_some_and(|error| errors.contains(&error))
        }
    };
    match is_right {
        true => Ok(()),
        false => {
            let name = case.select.trim_end_matches("_select_ms");
            let error = answer.err();
            Err(BenchError::Wrong(format!("{name} gave {number:?} {error:?}")))
        }
    }
}

/// The longest time that a `SELECT 1` and a login took while something else was done.
fn waits(
    server: &LocalServer,
    work: impl FnOnce() -> Result<(), BenchError>,
) -> Result<[Duration; 2], BenchError> {
    let over = AtomicBool::new(false);
    let options = server.options();
    let mut other = Connection::connect(&options)?;
    std::thread::scope(|scope| {
        let select = scope.spawn(|| {
            longest(&over, || {
                let result = other.query("SELECT 1")?;
                match result.rows.as_slice() {
                    [row] if matches!(row.as_slice(), [Value::Int(1)]) => Ok(()),
                    rows => Err(BenchError::Wrong(format!("SELECT 1 gave {rows:?}"))),
                }
            })
        });
        let login = scope.spawn(|| {
            longest(&over, || {
                drop(Connection::connect(&options)?);
                Ok(())
            })
        });
        let done = work();
        over.store(true, Relaxed);
        let [select, login] = [select, login]
            .map(|probe| probe.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        done?;
        Ok([select?, login?])
    })
}

/// The longest time of something that is done again and again, a hundred times a second at most,
/// until all is over.
fn longest(
    over: &AtomicBool,
    mut probe: impl FnMut() -> Result<(), BenchError>,
) -> Result<Duration, BenchError> {
    let mut longest = Duration::ZERO;
    while !over.load(Relaxed) {
        let began = Instant::now();
        probe()?;
        let took = began.elapsed();
        longest = longest.max(took);
        std::thread::sleep(Duration::from_millis(10).saturating_sub(took));
    }
    Ok(longest)
}

/// Processes that compute, one for each processor.
struct Spinning(Vec<Child>);

impl Spinning {
    fn start() -> Result<Spinning, BenchError> {
        let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
        let mut spinning = Spinning(Vec::new());
        for _ in 0..processors {
            let child = Command::new("sh").args(["-c", "while :; do :; done"]).spawn();
            let child = child.map_err(|error| {
                BenchError::Wrong(format!("a process that computes cannot be started: {error}"))
            })?;
            spinning.0.push(child);
        }
        Ok(spinning)
    }
}

impl Drop for Spinning {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // One that is gone already has nothing to be ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
