"""Checks of one client: functions that assert, run one after another, counted at the end.

The values here are what every client must see of a column of each type, or send for a parameter of it.
"""

import datetime
import decimal
import os
import signal
import sys
import time
import traceback
import uuid

HOST = os.environ["SERVER_HOST"]
PORT = int(os.environ["SERVER_PORT"])
USER = os.environ["SERVER_USER"]
PASSWORD = os.environ["SERVER_PASSWORD"]
CERTIFICATE = os.environ["SERVER_CERTIFICATE"]

#: Seconds after which a check has failed.
CHECK_SECONDS_MAX = 60

D = decimal.Decimal

#: Declared type, literal in T-SQL, value in Python.
VALUES = [
    ("bit", "1", True),
    ("tinyint", "255", 255),
    ("smallint", "-32768", -32768),
    ("int", "-2147483648", -2147483648),
    ("bigint", "9223372036854775807", 9223372036854775807),
    ("decimal(9,2)", "-1234567.89", D("-1234567.89")),
    ("decimal(38,10)", "1234567890123456789012345678.0123456789", D("1234567890123456789012345678.0123456789")),
    ("money", "922337203685477.5807", D("922337203685477.5807")),
    ("smallmoney", "-214748.3648", D("-214748.3648")),
    ("float", "2.5E-300", 2.5e-300),
    ("real", "1.25", 1.25),
    ("char(5)", "'abc'", "abc  "),
    ("varchar(20)", "'caf\u00e9 \u20ac'", "caf\u00e9 \u20ac"),
    ("varchar(max)", "'long'", "long"),
    ("nchar(4)", "N'\u65e5\u672c'", "\u65e5\u672c  "),
    ("nvarchar(20)", "N'\u041f\u0440\u0438\u0432\u0435\u0442 \U0001f642'", "\u041f\u0440\u0438\u0432\u0435\u0442 \U0001f642"),
    ("nvarchar(max)", "N'\u03a9'", "\u03a9"),
    ("binary(4)", "0x0102", b"\x01\x02\x00\x00"),
    ("varbinary(10)", "0xDEADBEEF", b"\xde\xad\xbe\xef"),
    ("varbinary(max)", "0x00FF", b"\x00\xff"),
    ("date", "'0001-01-01'", datetime.date(1, 1, 1)),
    ("time(6)", "'23:59:59.123456'", datetime.time(23, 59, 59, 123456)),
    ("datetime", "'2016-02-29T23:59:59.997'", datetime.datetime(2016, 2, 29, 23, 59, 59, 997000)),
    ("smalldatetime", "'2016-02-29T12:34:00'", datetime.datetime(2016, 2, 29, 12, 34)),
    ("datetime2(6)", "'9999-12-31T23:59:59.999999'", datetime.datetime(9999, 12, 31, 23, 59, 59, 999999)),
    (
        "datetimeoffset(6)",
        "'2016-02-29T12:34:56.654321+05:30'",
        datetime.datetime(
            2016, 2, 29, 12, 34, 56, 654321,
            tzinfo=datetime.timezone(datetime.timedelta(hours=5, minutes=30)),
        ),
    ),
    ("uniqueidentifier", "'6F9619FF-8B86-D011-B42D-00C04FC964FF'", uuid.UUID("6F9619FF-8B86-D011-B42D-00C04FC964FF")),
]

TEXT_MEBI = "A line of text, and another one." * 32768
BYTES_MEBI = bytes(range(256)) * 4096


def create_database(execute, name):
    """A database with a place for memory-optimized tables; `execute` runs a batch outside a transaction."""
    execute(f"DROP DATABASE IF EXISTS {name}")
    execute(f"CREATE DATABASE {name}")
    execute(f"ALTER DATABASE {name} ADD FILEGROUP {name}_mod CONTAINS MEMORY_OPTIMIZED_DATA")
    execute(
        f"ALTER DATABASE {name} ADD FILE (NAME = {name}_mod, FILENAME = 'C:\\Data\\{name}_mod') "
        f"TO FILEGROUP {name}_mod"
    )


#: A table on disk and one in memory, alike.
TABLES = [
    """CREATE TABLE dbo.on_disk (
        id int IDENTITY NOT NULL PRIMARY KEY, name nvarchar(50) NOT NULL, amount decimal(10, 2) NULL,
        made datetime2(3) NOT NULL DEFAULT SYSUTCDATETIME(), INDEX ix_name NONCLUSTERED (name))""",
    """CREATE TABLE dbo.in_memory (
        id int IDENTITY NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 1024),
        name nvarchar(50) NOT NULL, amount decimal(10, 2) NULL,
        made datetime2(3) NOT NULL DEFAULT SYSUTCDATETIME(), INDEX ix_name NONCLUSTERED (name))
        WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA)""",
]

#: Two result sets, output parameters, a return status.
PROCEDURE = """CREATE PROCEDURE dbo.answer @left int, @right int = 5, @sum int OUTPUT, @text nvarchar(100) = N'x' OUTPUT AS
BEGIN
    SET NOCOUNT ON;
    SELECT @left AS l, @right AS r;
    SELECT name FROM (VALUES (N'one'), (N'two')) AS v(name);
    SET @sum = @left + @right;
    SET @text = @text + N' \u2013 and more';
    RETURN 42;
END"""

TABLE_TYPE = "CREATE TYPE dbo.lines AS TABLE (id int NOT NULL PRIMARY KEY, name nvarchar(50) NULL, amount decimal(10, 2) NULL)"

TABLE_PROCEDURE = """CREATE PROCEDURE dbo.sum_lines @lines dbo.lines READONLY AS
    SELECT COUNT(*) AS n, SUM(amount) AS total, MAX(name) AS last FROM @lines"""

#: An error with a state of its own, on the third line.
RAISE = "DECLARE @x int = 1;\n\nRAISERROR(N'raised %d', 16, 7, @x);"

# Inside of a module its turns are silent; those of a batch each tell of their end.
LONG_LOOP = "EXEC (N'SET NOCOUNT ON; DECLARE @i bigint = 0; WHILE @i < 1000000000000 SET @i += 1; SELECT @i')"


class Checks:
    """Collects check functions of a client and runs them."""

    def __init__(self, client):
        self.client = client
        self.checks = []

    def __call__(self, check):
        self.checks.append(check)
        return check

    def run(self):
        """Runs all, prints each failure and the line of counts; returns the status of the process."""
        passed, failed = 0, 0
        signal.signal(signal.SIGALRM, _too_long)
        only = sys.argv[1:]
        for check in self.checks:
            if only and check.__name__ not in only:
                continue
            signal.alarm(CHECK_SECONDS_MAX)
            try:
                check()
            except Exception:  # a check may fail by whatever the client raises
                failed += 1
                print(f"{self.client}: {check.__name__}: FAILED")
                traceback.print_exc(file=sys.stdout)
            else:
                passed += 1
                print(f"{self.client}: {check.__name__}: ok")
            finally:
                signal.alarm(0)
        verdict = "FAILED" if failed else "ok"
        print(f"test result: {verdict}. {passed} passed; {failed} failed; 0 ignored; {self.client}", flush=True)
        return 1 if failed else 0


def _too_long(_signal, _frame):
    raise TimeoutError(f"the check took longer than {CHECK_SECONDS_MAX} s")


def equal(actual, expected):
    """Asserts equality of value and kind, with both in the message."""
    assert actual == expected and type(actual) is type(expected), f"{actual!r} instead of {expected!r}"


def all_equal(pairs):
    """Asserts equality of (what, actual, expected), telling of all that differ."""
    wrong = [f"{what}: {a!r} instead of {e!r}" for what, a, e in pairs if a != e or type(a) is not type(e)]
    assert not wrong, "; ".join(wrong)


def raises(kind, call):
    """The exception of `kind` that `call` raises."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


class Watch:
    """Asserts that what is inside ends within some seconds."""

    def __init__(self, seconds_max):
        self.seconds_max = seconds_max

    def __enter__(self):
        self.start = time.monotonic()

    def __exit__(self, *_):
        spent = time.monotonic() - self.start
        assert spent <= self.seconds_max, f"took {spent:.1f} s instead of at most {self.seconds_max}"


class Client:
    """What the checks below need of a client: `connect(database)`, a context manager, `run(connection, text,
    parameters)`, `rows(connection, text)`, the database that it may make, and how it writes a parameter."""

    def __init__(self, connect, run, rows, database, place):
        self.connect, self.run, self.rows = connect, run, rows
        self.database, self.place = database, place
        #: How it reads a value of type json, which comes as varchar of UTF-8.
        self.json = "{}"

    def defines_tables_on_disk_and_in_memory(self):
        with self.connect("master") as connection:
            create_database(lambda text: self.run(connection, text), self.database)
        with self.connect() as connection:
            for text in TABLES + [PROCEDURE, TABLE_TYPE, TABLE_PROCEDURE]:
                self.run(connection, text)
            equal(
                self.rows(connection, "SELECT name, is_memory_optimized FROM sys.tables ORDER BY name"),
                [("in_memory", True), ("on_disk", False)],
            )

    def reads_values_of_every_type(self):
        with self.connect() as connection:
            pairs = []
            for declared, literal, expected in VALUES:
                text = "N" + literal if literal[0] == "'" else literal
                [(value, null)] = self.rows(connection, f"SELECT CAST({text} AS {declared}), CAST(NULL AS {declared})")
                pairs += [(declared, value, expected), (f"NULL {declared}", null, None)]
            all_equal(pairs)

    def keeps_documents_and_nodes(self):
        document, text = '<a b="1">caf\u00e9 \u20ac<c/></a>', '{"k": [1, "\u65e5\u672c"], "n": null}'
        with self.connect() as connection:
            self.run(connection, "DROP TABLE IF EXISTS dbo.documents")
            self.run(
                connection,
                "CREATE TABLE dbo.documents (id int PRIMARY KEY, x xml NULL, "
                "t nvarchar(max) NULL CHECK (ISJSON(t) = 1), j json NULL, h hierarchyid NULL)",
            )
            places = ", ".join([self.place] * 5)
            for row in [(1, document, text, text, "/1/2.5/"), (2, "", "[]", "[]", "/"), (3, None, None, None, None)]:
                self.run(connection, f"INSERT dbo.documents VALUES ({places})", row)
            equal(
                self.rows(connection, f"SELECT x, t, {self.json.format('j')}, h FROM dbo.documents ORDER BY id"),
                [
                    (document, text, '{"k":[1,"\u65e5\u672c"],"n":null}', bytes.fromhex("5ba3")),
                    ("", "[]", "[]", b""),
                    (None, None, None, None),
                ],
            )
            equal(
                self.rows(
                    connection,
                    "SELECT x.value('(/a/@b)[1]', 'int'), JSON_VALUE(t, '$.k[1]'), "
                    + self.json.format("JSON_QUERY(j, '$.k')") + ", h.ToString() "
                    "FROM dbo.documents WHERE h.IsDescendantOf('/1/') = 1",
                ),
                [(1, "\u65e5\u672c", '[1,"\u65e5\u672c"]', "/1/2.5/")],
            )
            [(row,)] = self.rows(connection, "SELECT id, h.ToString() AS h FROM dbo.documents ORDER BY id FOR JSON PATH")
            equal(row, '[{"id":1,"h":"\\/1\\/2.5\\/"},{"id":2,"h":"\\/"},{"id":3}]')
            [(row,)] = self.rows(connection, "SELECT id, x FROM dbo.documents WHERE id = 1 FOR XML PATH('r'), TYPE")
            equal(row, f"<r><id>1</id><x>{document}</x></r>")
            self.run(connection, "UPDATE dbo.documents SET x.modify('delete //c'), t = JSON_MODIFY(t, '$.n', 7) WHERE id = 1")
            equal(
                self.rows(connection, "SELECT x, t FROM dbo.documents WHERE id = 1"),
                [(document.replace("<c/>", ""), text.replace("null", "7"))],
            )

    def commits_and_rolls_back(self):
        with self.connect(autocommit=False) as connection:
            for table in ["on_disk", "in_memory"]:
                hint = " WITH (SNAPSHOT)" if table == "in_memory" else ""
                self.run(connection, f"DELETE dbo.{table}{hint}")
                connection.commit()
                self.run(connection, f"INSERT dbo.{table} (name) VALUES ({self.place})", ("rolled back",))
                equal(self.rows(connection, "SELECT @@TRANCOUNT"), [(1,)])
                connection.rollback()
                self.run(connection, f"INSERT dbo.{table} (name) VALUES ({self.place})", ("committed",))
                connection.commit()
                equal(self.rows(connection, f"SELECT name FROM dbo.{table}{hint}"), [("committed",)])
                self.run(connection, f"DELETE dbo.{table}{hint}")
                connection.commit()
