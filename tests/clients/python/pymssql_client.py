"""The server as pymssql (DB-Library of FreeTDS) sees it."""

import datetime
import sys
import uuid

import pymssql
from pymssql import _mssql

import checks
from checks import HOST, PASSWORD, PORT, USER, VALUES, all_equal, equal, raises

check = checks.Checks("pymssql")
DATABASE = "clients_pymssql"


def connect(database=DATABASE, **options):
    options.setdefault("autocommit", True)
    # DB-Library keeps one timeout for the process.
    options.setdefault("timeout", 60)
    return pymssql.connect(server=HOST, port=str(PORT), user=USER, password=PASSWORD, database=database, **options)


def rows(connection, text, parameters=None):
    with connection.cursor() as cursor:
        cursor.execute(text, parameters)
        return cursor.fetchall()


def run(connection, text, parameters=None):
    with connection.cursor() as cursor:
        cursor.execute(text, parameters)
        return cursor.rowcount


client = checks.Client(connect, run, rows, DATABASE, "%s")


# "request" is TLS for the login alone.
@check
def connects_in_all_modes_of_encryption():
    for encryption, expected in [("off", "FALSE"), ("request", "FALSE"), ("require", "TRUE")]:
        with connect("master", encryption=encryption) as connection:
            [(version, encrypted)] = rows(
                connection,
                "SELECT @@VERSION, encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID",
            )
            assert "SQL Server" in version or "Thermocline" in version, version
            equal((encryption, encrypted), (encryption, expected))


@check
def connects_with_versions_of_the_protocol():
    for version in ["7.1", "7.2", "7.3", "7.4"]:
        with connect("master", tds_version=version) as connection:
            equal(rows(connection, "SELECT 1, N'x'"), [(1, "x")])


@check
def refuses_a_wrong_password():
    error = raises(
        pymssql.OperationalError,
        lambda: pymssql.connect(server=HOST, port=str(PORT), user=USER, password="wrong", database="master"),
    )
    equal(error.args[0][0] if isinstance(error.args[0], tuple) else error.args[0], 18456)


check(client.defines_tables_on_disk_and_in_memory)


check(client.reads_values_of_every_type)


check(client.keeps_documents_and_nodes)


@check
def passes_values_of_every_type():
    # DB-API of pymssql puts values into the text.
    with connect() as connection:
        pairs = []
        for declared, _, expected in VALUES:
            sent = expected
            if isinstance(expected, datetime.time):
                sent = expected.isoformat()
            elif isinstance(expected, datetime.datetime) and expected.tzinfo:
                sent = expected.isoformat(sep=" ")
            elif declared.startswith("datetime2"):
                sent = expected.isoformat()
            elif declared == "date":
                sent = expected.isoformat()
            [(value,)] = rows(connection, f"SELECT CAST(%s AS {declared})", (sent,))
            pairs.append((declared, value, expected))
        all_equal(pairs)


@check
def keeps_values_of_every_type_in_tables():
    with connect() as connection:
        for options in ["", " WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA)"]:
            run(connection, "DROP TABLE IF EXISTS dbo.every")
            values_here = [v for v in VALUES if not (options and v[0].startswith("datetimeoffset"))]
            columns = ", ".join(f"c{i} {declared} NULL" for i, (declared, _, _) in enumerate(values_here))
            run(connection, f"CREATE TABLE dbo.every (id int NOT NULL PRIMARY KEY NONCLUSTERED, {columns}){options}")
            literals = ", ".join("N" + text if text[0] == "'" else text for _, text, _ in values_here)
            equal(run(connection, f"INSERT dbo.every VALUES (1, {literals})"), 1)
            run(connection, "INSERT dbo.every (id) VALUES (2)")
            values, nulls = rows(connection, "SELECT * FROM dbo.every ORDER BY id")
            all_equal((declared, value, expected) for (declared, _, expected), value in zip(values_here, values[1:]))
            equal(nulls, (2,) + (None,) * len(values_here))
        run(connection, "DROP TABLE dbo.every")


@check
def counts_rows_and_tells_identities():
    with connect() as connection:
        for table in ["on_disk", "in_memory"]:
            run(connection, f"DELETE dbo.{table}")
            equal(run(connection, f"INSERT dbo.{table} (name, amount) VALUES (N'a', 1), (N'b', 2), (N'c', NULL)"), 3)
            with connection.cursor() as cursor:
                cursor.execute(f"INSERT dbo.{table} (name) VALUES (%s)", ("d",))
                [(identity,)] = rows(connection, f"SELECT MAX(id) FROM dbo.{table}")
                equal(int(cursor.lastrowid), identity)
            equal(run(connection, f"UPDATE dbo.{table} SET amount = amount * 2 WHERE amount IS NOT NULL"), 2)
            equal(rows(connection, f"SELECT SUM(amount), COUNT(*) FROM dbo.{table}")[0][1], 4)
            equal(run(connection, f"DELETE dbo.{table} WHERE name = %s", ("d",)), 1)


@check
def inserts_many():
    with connect() as connection, connection.cursor() as cursor:
        run(connection, "DELETE dbo.in_memory")
        cursor.executemany(
            "INSERT dbo.in_memory (name, amount) VALUES (%s, %d)", [(f"row {i}", i) for i in range(500)]
        )
        equal(rows(connection, "SELECT COUNT(*), SUM(CAST(amount AS int)) FROM dbo.in_memory"), [(500, 124750)])


check(client.commits_and_rolls_back)


@check
def goes_on_after_an_error_inside_a_transaction():
    with connect(autocommit=False) as connection:
        run(connection, "CREATE TABLE #t (id int PRIMARY KEY)")
        run(connection, "INSERT #t VALUES (1)")
        error = raises(pymssql.IntegrityError, lambda: run(connection, "INSERT #t VALUES (1)"))
        equal(error.args[0], 2627)
        run(connection, "INSERT #t VALUES (2)")
        connection.commit()
        equal(rows(connection, "SELECT COUNT(*) FROM #t"), [(2,)])


@check
def tells_errors():
    connection = _mssql.connect(server=HOST, port=str(PORT), user=USER, password=PASSWORD, database=DATABASE)
    try:
        for text, expected in [
            (checks.RAISE, (50000, 16, 7, 3, "raised 1")),
            ("\nSELECT 1 / 0", (8134, 16, 1, 2, "Divide by zero error encountered.")),
            ("SELECT * FROM nowhere", (208, 16, 1, 1, "Invalid object name 'nowhere'.")),
            ("SELECT 1 +", (102, 15, 1, 1, "Incorrect syntax near '+'.")),
            ("THROW 51234, N'thrown', 9", (51234, 16, 9, 1, "thrown")),
        ]:
            error = raises(_mssql.MSSQLDatabaseException, lambda: connection.execute_query(text))
            equal((error.number, error.severity, error.state, error.line), expected[:4])
            assert expected[4] in error.text.decode(), error.text
        equal(connection.execute_scalar("SELECT 7"), 7)
    finally:
        connection.close()


@check
def hears_messages():
    heard = []
    connection = _mssql.connect(server=HOST, port=str(PORT), user=USER, password=PASSWORD, database=DATABASE)
    try:
        connection.set_msghandler(lambda state, severity, server, procedure, line, text: heard.append((severity, line, text)))
        connection.execute_non_query("PRINT N'hello'")
        equal(heard, [(0, 1, b"hello")])
    finally:
        connection.close()


@check
def calls_a_procedure():
    with connect() as connection, connection.cursor() as cursor:
        total, text = pymssql.output(int), pymssql.output(str, "start")
        answered = cursor.callproc("dbo.answer", (3, 4, total, text))
        equal(cursor.fetchall(), [(3, 4)])
        assert cursor.nextset()
        equal(cursor.fetchall(), [("one",), ("two",)])
        while cursor.nextset():
            pass
        equal(answered[:2], (3, 4))


@check
def passes_parameters_to_a_procedure():
    connection = _mssql.connect(server=HOST, port=str(PORT), user=USER, password=PASSWORD, database=DATABASE)
    try:
        kinds = [
            ("i", "int", _mssql.SQLINT4, 5), ("b", "bigint", _mssql.SQLINT8, 2**40), ("f", "float", _mssql.SQLFLT8, 0.1),
            ("t", "bit", _mssql.SQLBIT, True), ("c", "varchar(50)", _mssql.SQLVARCHAR, "text"),
            ("n", "nvarchar(50)", _mssql.SQLVARCHAR, "\u00fcber \u4e16"), ("y", "varbinary(20)", _mssql.SQLVARBINARY, b"\x00\x01"),
        ]
        connection.execute_non_query(
            "CREATE OR ALTER PROCEDURE dbo.echo "
            + ", ".join(f"@{name} {declared}, @{name}_out {declared} OUTPUT" for name, declared, _, _ in kinds)
            + " AS SELECT " + ", ".join(f"@{name}_out = @{name}" for name, _, _, _ in kinds) + "; RETURN ISNULL(@i, -1)"
        )
        for given in [lambda v: v, lambda _: None]:
            procedure = connection.init_procedure("dbo.echo")
            for name, _, kind, value in kinds:
                value = given(value)
                procedure.bind(value, kind, "@" + name, null=value is None)
                procedure.bind(None, kind, f"@{name}_out", null=True, output=True, max_length=50 if kind in (_mssql.SQLVARCHAR, _mssql.SQLVARBINARY) else -1)
            equal(procedure.execute(), 5 if given(1) else -1)
            all_equal((name, procedure.parameters[f"@{name}_out"], given(value)) for name, _, _, value in kinds)
    finally:
        connection.close()


@check
def reads_several_result_sets():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT 1 AS a; PRINT N'between'; SELECT 2 AS b, 3 AS c; DECLARE @t table (i int); INSERT @t VALUES (1); SELECT 4 AS d")
        seen = []
        while True:
            if cursor.description:
                seen.append(([d[0] for d in cursor.description], cursor.fetchall()))
            if not cursor.nextset():
                break
        equal(seen, [(["a"], [(1,)]), (["b", "c"], [(2, 3)]), (["d"], [(4,)])])


@check
def loads_rows_in_bulk():
    with connect() as connection:
        for table in ["on_disk", "in_memory"]:
            run(connection, f"DELETE dbo.{table}")
            connection.bulk_copy(
                f"dbo.{table}", [(f"na\u00efve {i}", f"{i}.25" if i % 3 else None) for i in range(2000)],
                column_ids=[2, 3], batch_size=500,
            )
            equal(
                rows(connection, f"SELECT COUNT(*), COUNT(amount), MAX(name) FROM dbo.{table}"),
                [(2000, 1333, "na\u00efve 999")],
            )


@check
def gives_up_a_long_loop():
    with connect(timeout=2) as connection:
        with checks.Watch(10):
            raises(pymssql.OperationalError, lambda: run(connection, checks.LONG_LOOP))


@check
def gives_up_a_wait():
    with connect(timeout=2) as connection:
        with checks.Watch(10):
            raises(pymssql.OperationalError, lambda: run(connection, "WAITFOR DELAY '00:01:00'"))


@check
def cancels_a_large_result():
    connection = _mssql.connect(server=HOST, port=str(PORT), user=USER, password=PASSWORD, database=DATABASE)
    try:
        connection.execute_query("SELECT a.name FROM sys.all_columns a CROSS JOIN sys.all_columns b")
        with checks.Watch(10):
            connection.cancel()
        equal(connection.execute_scalar("SELECT 1"), 1)
    finally:
        connection.close()


@check
def carries_large_values():
    with connect() as connection:
        run(connection, "CREATE TABLE #large (t nvarchar(max), v varchar(max), b varbinary(max))")
        text, data = checks.TEXT_MEBI, checks.BYTES_MEBI
        run(connection, "INSERT #large VALUES (%s, %s, %s)", (text + "\u00e9", text, data))
        [(t, v, b)] = rows(connection, "SELECT t, v, b FROM #large")
        assert (t, v, b) == (text + "\u00e9", text, data)
        equal(rows(connection, "SELECT LEN(t), DATALENGTH(v), DATALENGTH(b) FROM #large"), [(len(text) + 1, len(text), len(data))])


@check
def keeps_unicode_names():
    with connect() as connection:
        run(connection, "CREATE TABLE #\u8868 ([\u00e4 b] int, [\u540d\u524d] nvarchar(10))")
        with connection.cursor(as_dict=True) as cursor:
            cursor.execute("INSERT #\u8868 VALUES (1, N'\u5c71'); SELECT * FROM #\u8868")
            while not cursor.description:
                cursor.nextset()
            equal(cursor.fetchall(), [{"\u00e4 b": 1, "\u540d\u524d": "\u5c71"}])


@check
def locks_by_name():
    with connect() as connection:
        equal(rows(connection, "DECLARE @r int; EXEC @r = sp_getapplock 'x', 'Exclusive', 'Session'; SELECT @r"), [(0,)])
        equal(rows(connection, "DECLARE @r int; EXEC @r = sp_releaseapplock 'x', 'Session'; SELECT @r"), [(0,)])


sys.exit(check.run())
