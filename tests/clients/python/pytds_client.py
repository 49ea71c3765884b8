"""The server as python-tds sees it: a client in Python alone, which asks for an attention after each statement."""

import io
import sys

import pytds

import checks
from checks import HOST, PASSWORD, PORT, USER, VALUES, all_equal, equal, raises

check = checks.Checks("pytds")
DATABASE = "clients_pytds"


def connect(database=DATABASE, autocommit=True, **options):
    return pytds.connect(
        dsn=HOST, port=PORT, user=USER, password=PASSWORD, database=database, autocommit=autocommit,
        enc_login_only=False, **{"cafile": checks.CERTIFICATE, "validate_host": False, **options},
    )


def rows(connection, text, parameters=None):
    with connection.cursor() as cursor:
        cursor.execute(text, parameters)
        return [tuple(row) for row in cursor.fetchall()]


def run(connection, text, parameters=None):
    with connection.cursor() as cursor:
        cursor.execute(text, parameters)
        return cursor.rowcount


client = checks.Client(connect, run, rows, DATABASE, "%s")


@check
def connects_in_all_modes_of_encryption():
    for options, expected in [({}, "TRUE"), ({"enc_login_only": True}, "FALSE"), ({"cafile": None}, "FALSE")]:
        with connect("master", **options) if "enc_login_only" not in options else pytds.connect(
            dsn=HOST, port=PORT, user=USER, password=PASSWORD, cafile=checks.CERTIFICATE, validate_host=False,
            enc_login_only=True,
        ) as connection:
            text = "SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID"
            equal((str(options), rows(connection, text)), (str(options), [(expected,)]))


@check
def refuses_a_wrong_password():
    error = raises(pytds.OperationalError, lambda: pytds.connect(dsn=HOST, port=PORT, user=USER, password="wrong"))
    assert "Login failed for user 'sa'" in str(error), error


check(client.defines_tables_on_disk_and_in_memory)


check(client.reads_values_of_every_type)


# It takes all varchar for that of the server's code page.
client.json = "CAST({} AS nvarchar(max))"
check(client.keeps_documents_and_nodes)


@check
def passes_values_of_every_type():
    with connect() as connection:
        pairs = []
        for declared, _, expected in VALUES:
            [(value, null)] = rows(connection, f"SELECT CAST(%s AS {declared}), CAST(%s AS {declared})", (pytds.Binary(expected) if isinstance(expected, bytes) else expected, None))
            pairs += [(declared, value, expected), (f"NULL {declared}", null, None)]
        all_equal(pairs)


check(client.commits_and_rolls_back)


@check
def tells_errors():
    with connect() as connection:
        for text, expected in [
            (checks.RAISE, (50000, 16, 7, 3, "raised 1")),
            ("\nSELECT 1 / 0", (8134, 16, 1, 2, "Divide by zero error encountered.")),
            ("SELECT * FROM nowhere", (208, 16, 1, 1, "Invalid object name 'nowhere'.")),
            ("THROW 51234, N'thrown', 9", (51234, 16, 9, 1, "thrown")),
        ]:
            error = raises(pytds.DatabaseError, lambda: rows(connection, text))
            equal((error.number, error.severity, error.state, error.line, error.text), expected)


@check
def calls_a_procedure():
    with connect() as connection, connection.cursor() as cursor:
        cursor.callproc("dbo.answer", (3, 4, pytds.output(param_type="int"), pytds.output(value="start", param_type="nvarchar(100)")))
        equal([tuple(row) for row in cursor.fetchall()], [(3, 4)])
        assert cursor.nextset()
        equal([tuple(row) for row in cursor.fetchall()], [("one",), ("two",)])
        while cursor.nextset():
            pass
        equal(cursor.get_proc_return_status(), 42)
        # The client finds outputs only where no inputs stand before them.
        cursor.execute("CREATE PROCEDURE dbo.outputs @n int OUTPUT, @t nvarchar(100) OUTPUT AS SELECT @n += 1, @t += N'\u03a9'")
        cursor.callproc("dbo.outputs", (pytds.output(value=6), pytds.output(value="t", param_type="nvarchar(100)")))
        equal(list(cursor.get_proc_outputs()), [7, "t\u03a9"])


@check
def reads_several_result_sets():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT 1 AS a; PRINT N'between'; SELECT 2 AS b, 3 AS c")
        equal([tuple(row) for row in cursor.fetchall()], [(1,)])
        assert cursor.nextset()
        equal([tuple(row) for row in cursor.fetchall()], [(2, 3)])


@check
def passes_tables():
    with connect() as connection, connection.cursor() as cursor:
        # The client takes the columns' types from the first row.
        lines = [(i, f"line {i:03d}" if i % 7 != 1 else None, checks.D("100.25") + i % 4) for i in range(1000)]
        cursor.execute("EXEC dbo.sum_lines %s", (pytds.TableValuedParam(type_name="dbo.lines", rows=iter(lines)),))
        equal([tuple(row) for row in cursor.fetchall()], [(1000, checks.D("101750.00"), "line 999")])


@check
def loads_rows_in_bulk():
    with connect() as connection:
        for table in ["on_disk", "in_memory"]:
            cursor = connection.cursor()
            lines = "".join(f"na\u00efve {i}\t{f'{i}.25' if i % 3 else ''}\n" for i in range(2000))
            cursor.copy_to(io.StringIO(lines), table, schema="dbo", columns=["name", "amount"], null_string="")
            equal(
                rows(connection, f"SELECT COUNT(*), COUNT(amount), MAX(name) FROM dbo.{table}"),
                [(2000, 1333, "na\u00efve 999")],
            )


@check
def gives_up_a_long_loop_and_a_wait():
    for text in [checks.LONG_LOOP, "WAITFOR DELAY '00:01:00'"]:
        with connect(timeout=2) as connection, checks.Watch(15):
            raises(Exception, lambda: run(connection, text))


@check
def carries_large_values():
    with connect() as connection:
        run(connection, "CREATE TABLE #large (t nvarchar(max), b varbinary(max))")
        text, data = checks.TEXT_MEBI, checks.BYTES_MEBI
        run(connection, "INSERT #large VALUES (%s, %s)", (text + "\u00e9", pytds.Binary(data)))
        [(t, b)] = rows(connection, "SELECT t, b FROM #large")
        assert (t, b) == (text + "\u00e9", data)


sys.exit(check.run())
