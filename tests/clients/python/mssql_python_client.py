"""The server as mssql-python sees it: Microsoft's ODBC driver 18, and Microsoft's Rust client for bulk copy."""

import datetime
import decimal
import sys
import uuid

import mssql_python

import checks
from checks import HOST, PASSWORD, PORT, USER, VALUES, all_equal, equal, raises

check = checks.Checks("mssql-python")
DATABASE = "clients_mssql_python"


def connect(database=DATABASE, encrypt="Mandatory", autocommit=True, timeout=0):
    connection = mssql_python.connect(
        f"Server=tcp:{HOST},{PORT};Database={database};UID={USER};PWD={{{PASSWORD}}};"
        f"Encrypt={encrypt};TrustServerCertificate=yes;",
        autocommit=autocommit,
    )
    connection.timeout = timeout
    return connection


#: The driver takes no earlier dates for parameters than datetime knows.
PARAMETERS = [
    (declared, max(value, datetime.date(1753, 1, 1)) if declared == "date" else value) for declared, _, value in VALUES
]


def rows(connection, text, *parameters):
    with connection.cursor() as cursor:
        cursor.execute(text, *parameters)
        return [tuple(row) for row in cursor.fetchall()]


def run(connection, text, *parameters):
    with connection.cursor() as cursor:
        cursor.execute(text, *parameters)
        return cursor.rowcount


client = checks.Client(connect, run, rows, DATABASE, "?")


@check
def connects_in_all_modes_of_encryption():
    for encrypt, expected in [("Optional", "FALSE"), ("Mandatory", "TRUE")]:
        with connect("master", encrypt) as connection:
            [(encrypted,)] = rows(
                connection, "SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID"
            )
            equal((encrypt, encrypted), (encrypt, expected))


@check
def connects_by_tds_8():
    with mssql_python.connect(
        f"Server=tcp:{HOST},{PORT};Database=master;UID={USER};PWD={{{PASSWORD}}};Encrypt=Strict;"
        f"ServerCertificate={checks.CERTIFICATE};"
    ) as connection:
        equal(rows(connection, "SELECT 1"), [(1,)])


@check
def refuses_a_wrong_password():
    error = raises(
        mssql_python.Error,
        lambda: mssql_python.connect(
            f"Server=tcp:{HOST},{PORT};UID={USER};PWD=wrong;Encrypt=Mandatory;TrustServerCertificate=yes;"
        ),
    )
    assert "Login failed for user 'sa'" in str(error), error


check(client.defines_tables_on_disk_and_in_memory)


check(client.reads_values_of_every_type)


check(client.keeps_documents_and_nodes)


@check
def passes_values_of_every_type():
    with connect() as connection:
        pairs = []
        for declared, expected in PARAMETERS:
            [(value, null)] = rows(connection, f"SELECT CAST(? AS {declared}), CAST(? AS {declared})", expected, None)
            pairs += [(declared, value, expected), (f"NULL {declared}", null, None)]
        all_equal(pairs)


@check
def keeps_values_of_every_type_in_tables():
    with connect() as connection:
        for options in ["", " WITH (MEMORY_OPTIMIZED = ON)"]:
            values = [v for v in PARAMETERS if not (options and v[0].startswith("datetimeoffset"))]
            columns = ", ".join(f"c{i} {declared} NULL" for i, (declared, _) in enumerate(values))
            run(connection, f"CREATE TABLE dbo.every (id int NOT NULL PRIMARY KEY NONCLUSTERED, {columns}){options}")
            places = ", ".join("?" * len(values))
            run(connection, f"INSERT dbo.every VALUES (1, {places})", *[value for _, value in values])
            run(connection, f"INSERT dbo.every VALUES (2, {places})", *[None for _ in values])
            full, nulls = rows(connection, "SELECT * FROM dbo.every ORDER BY id")
            all_equal((declared, value, expected) for (declared, expected), value in zip(values, full[1:]))
            equal(nulls, (2,) + (None,) * len(values))
            run(connection, "DROP TABLE dbo.every")


@check
def counts_rows():
    with connect() as connection:
        for table in ["on_disk", "in_memory"]:
            equal(run(connection, f"INSERT dbo.{table} (name, amount) VALUES (N'a', ?), (N'b', 2), (N'c', NULL)", 1), 3)
            equal(run(connection, f"UPDATE dbo.{table} SET amount = amount * 2 WHERE amount > ?", 0), 2)
            equal(run(connection, f"DELETE dbo.{table}"), 3)


@check
def inserts_many():
    with connect() as connection, connection.cursor() as cursor:
        for table in ["on_disk", "in_memory"]:
            cursor.executemany(
                f"INSERT dbo.{table} (name, amount) VALUES (?, ?)",
                [(f"row {i}", decimal.Decimal(i) / 4 if i % 2 else None) for i in range(1000)],
            )
            equal(rows(connection, f"SELECT COUNT(*), COUNT(amount), SUM(amount) FROM dbo.{table}"),
                  [(1000, 500, decimal.Decimal("62500.00"))])
            run(connection, f"DELETE dbo.{table}")


check(client.commits_and_rolls_back)


@check
def goes_on_after_an_error_inside_a_transaction():
    with connect(autocommit=False) as connection:
        run(connection, "CREATE TABLE #t (id int PRIMARY KEY)")
        run(connection, "INSERT #t VALUES (?)", 1)
        error = raises(mssql_python.IntegrityError, lambda: run(connection, "INSERT #t VALUES (?)", 1))
        assert "Violation of PRIMARY KEY constraint" in str(error), error
        run(connection, "INSERT #t VALUES (?)", 2)
        connection.commit()
        equal(rows(connection, "SELECT COUNT(*) FROM #t"), [(2,)])


@check
def tells_errors():
    with connect() as connection:
        for text, kind, expected in [
            (checks.RAISE, mssql_python.Error, "raised 1"),
            ("SELECT 1 / 0", mssql_python.DataError, "Divide by zero error encountered."),
            ("SELECT * FROM nowhere", mssql_python.ProgrammingError, "Invalid object name 'nowhere'."),
            ("SELECT 1 +", mssql_python.ProgrammingError, "Incorrect syntax near '+'."),
            ("SELECT 1 WHERE 1 = ?", mssql_python.Error, "Conversion failed when converting the varchar value 'x'"),
        ]:
            error = raises(kind, lambda: rows(connection, text, *(["x"] if "?" in text else [])))
            assert expected in str(error), error
        equal(rows(connection, "SELECT 7"), [(7,)])


@check
def calls_a_procedure():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute(
            "DECLARE @s int, @t nvarchar(100) = ?, @r int; EXEC @r = dbo.answer ?, @sum = @s OUTPUT, @text = @t OUTPUT; "
            "SELECT @s, @t, @r",
            "start", 3,
        )
        seen = [[tuple(row) for row in cursor.fetchall()]]
        while cursor.nextset():
            seen.append([tuple(row) for row in cursor.fetchall()])
        equal(seen, [[(3, 5)], [("one",), ("two",)], [(8, "start \u2013 and more", 42)]])


@check
def reads_several_result_sets():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT 1 AS a; PRINT N'between'; SELECT 2 AS b, ? AS c; SELECT 4 AS d WHERE 1 = 0", "x")
        seen = []
        while True:
            if cursor.description:
                seen.append(([d[0] for d in cursor.description], [tuple(row) for row in cursor.fetchall()]))
            if not cursor.nextset():
                break
        equal(seen, [(["a"], [(1,)]), (["b", "c"], [(2, "x")]), (["d"], [])])


@check
def executes_again():
    with connect() as connection, connection.cursor() as cursor:
        for i in range(20):
            cursor.execute("SELECT ? * 2, ?", i, f"text {i}")
            equal([tuple(row) for row in cursor.fetchall()], [(i * 2, f"text {i}")])


@check
def loads_rows_in_bulk():
    with connect() as connection, connection.cursor() as cursor:
        for table in ["on_disk", "in_memory"]:
            connection.commit()
            cursor.bulkcopy(
                f"dbo.{table}",
                [(f"na\u00efve {i}", decimal.Decimal(i) + decimal.Decimal("0.25") if i % 3 else None) for i in range(2000)],
                column_mappings=["name", "amount"],
            )
            equal(
                rows(connection, f"SELECT COUNT(*), COUNT(amount), MAX(name) FROM dbo.{table}"),
                [(2000, 1333, "na\u00efve 999")],
            )
            run(connection, f"DELETE dbo.{table}")


@check
def loads_values_of_every_type_in_bulk():
    with connect() as connection, connection.cursor() as cursor:
        # Here the client sends the local time of a datetimeoffset where the protocol has UTC.
        sent = [v for v in PARAMETERS if not v[0].startswith("datetimeoffset")]
        columns = ", ".join(f"c{i} {declared} NULL" for i, (declared, _) in enumerate(sent))
        run(connection, f"CREATE TABLE dbo.bulk_every (id int NOT NULL PRIMARY KEY, {columns})")
        values = tuple(value for _, value in sent)
        cursor.bulkcopy("dbo.bulk_every", [(1,) + values, (2,) + (None,) * len(values)])
        full, nulls = rows(connection, "SELECT * FROM dbo.bulk_every ORDER BY id")
        all_equal((declared, value, expected) for (declared, expected), value in zip(sent, full[1:]))
        equal(nulls, (2,) + (None,) * len(values))


@check
def gives_up_a_long_loop():
    with connect(timeout=2) as connection:
        with checks.Watch(10):
            raises(mssql_python.Error, lambda: run(connection, checks.LONG_LOOP))
        equal(rows(connection, "SELECT 1"), [(1,)])


@check
def gives_up_a_wait():
    with connect(timeout=2) as connection:
        with checks.Watch(10):
            raises(mssql_python.Error, lambda: run(connection, "WAITFOR DELAY '00:01:00'"))
        equal(rows(connection, "SELECT 1"), [(1,)])


@check
def leaves_a_large_result():
    with connect() as connection:
        with checks.Watch(20):
            with connection.cursor() as cursor:
                cursor.execute("SELECT a.name FROM sys.all_columns a CROSS JOIN sys.all_columns b")
                assert cursor.fetchone()
        equal(rows(connection, "SELECT 1"), [(1,)])


@check
def resets_connections_of_a_pool():
    mssql_python.pooling(max_size=2, idle_timeout=30)
    seen = set()
    for _ in range(6):
        with connect("master", autocommit=True) as connection:
            [(session, date_first, temporary)] = rows(
                connection, "SELECT @@SPID, @@DATEFIRST, OBJECT_ID('tempdb..#left')"
            )
            seen.add(session)
            equal((date_first, temporary), (7, None))
            run(connection, "SET DATEFIRST 3")
            run(connection, "CREATE TABLE #left (i int)")
    equal(len(seen), 1)


@check
def carries_large_values():
    with connect() as connection:
        run(connection, "CREATE TABLE #large (t nvarchar(max), v varchar(max), b varbinary(max))")
        text, data = checks.TEXT_MEBI, checks.BYTES_MEBI
        run(connection, "INSERT #large VALUES (?, ?, ?)", text + "\u00e9", text, data)
        [(t, v, b)] = rows(connection, "SELECT t, v, b FROM #large")
        assert (t, v, b) == (text + "\u00e9", text, data)
        equal(rows(connection, "SELECT LEN(t), DATALENGTH(v), DATALENGTH(b) FROM #large"), [(len(text) + 1, len(text), len(data))])


@check
def keeps_unicode_names():
    with connect() as connection, connection.cursor() as cursor:
        run(connection, "CREATE TABLE #\u8868 ([\u00e4 b] int, [\u540d\u524d] nvarchar(10))")
        run(connection, "INSERT #\u8868 VALUES (1, ?)", "\u5c71")
        cursor.execute("SELECT * FROM #\u8868")
        equal([d[0] for d in cursor.description], ["\u00e4 b", "\u540d\u524d"])
        equal([tuple(row) for row in cursor.fetchall()], [(1, "\u5c71")])


@check
def describes_the_catalog():
    with connect() as connection, connection.cursor() as cursor:
        equal([row[2] for row in cursor.tables(table="on_disk", schema="dbo")], ["on_disk"])
        equal([row[3] for row in cursor.columns(table="in_memory", schema="dbo")], ["id", "name", "amount", "made"])
        equal([row[3] for row in cursor.primaryKeys(table="on_disk", schema="dbo")], ["id"])
        assert "ix_name" in [row[5] for row in cursor.statistics(table="on_disk", schema="dbo")]
        equal([row[2].split(";")[0] for row in cursor.procedures(procedure="answer", schema="dbo")], ["answer"])


sys.exit(check.run())
