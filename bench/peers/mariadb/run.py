#!/usr/bin/env python3
"""The workloads of `thermocline bench` on MariaDB (Debian's packages mariadb-server and mariadb-client).

    run.py [--bench sales-orders] [--connections 1,8,32,100] [--seconds 5] [--runs 5]

The server gets a directory of its own, InnoDB with a quarter of the machine's memory as its buffer pool and a
log that is synced at each commit (innodb_flush_log_at_trx_commit=1), no binary log; it is driven by
mariadb-slap. Prints one JSON object a line for each figure; sales-orders: for each number of connections, and
for the best of them.
"""

import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))
import figures  # noqa: E402  (beside this directory)

ORDERS_PER_CALL = 20
UPDATES_PER_TRANSACTION = 100_000
STATEMENTS = 20_000
"""Different statements of the look-ups over the wire."""


class MariaDB:
    """A server of its own in a temporary directory, run by the package's user if this is root."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="bench-mariadb-")
        self.socket = f"{self.directory}/socket"
        self.as_user = []
        if os.geteuid() == 0:
            account = pwd.getpwnam("mysql")
            os.chown(self.directory, account.pw_uid, account.pw_gid)
            self.as_user = ["setpriv", "--reuid", "mysql", "--regid", str(account.pw_gid), "--clear-groups"]
        self.process = None

    def start(self, schema):
        own = ["--no-defaults", f"--datadir={self.directory}/data"]
        subprocess.run([*self.as_user, "mariadb-install-db", *own, "--auth-root-authentication-method=normal"],
                       check=True, capture_output=True, cwd="/")
        memory = figures.memory_mb() // 4
        log = open(f"{self.directory}/log", "wb")
        self.process = subprocess.Popen(
            [*self.as_user, shutil.which("mariadbd", path=f"{os.environ['PATH']}:/usr/sbin"), *own,
             f"--socket={self.socket}", "--skip-networking", "--skip-name-resolve", "--skip-log-bin",
             f"--pid-file={self.directory}/pid", "--innodb-flush-log-at-trx-commit=1", "--innodb-doublewrite=ON",
             f"--innodb-buffer-pool-size={memory}M", "--innodb-log-file-size=4G", "--max-connections=300",
             f"--max-heap-table-size={memory}M"],
            stdout=log, stderr=log, cwd="/")
        deadline = time.monotonic() + 60
        while not os.path.exists(self.socket):
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit(pathlib.Path(f"{self.directory}/log").read_text())
            time.sleep(0.05)
        self.query("CREATE DATABASE bench", database=None)
        with open(HERE / schema, "rb") as script:
            subprocess.run(self.client("bench"), check=True, stdin=script, stdout=subprocess.DEVNULL)

    def client(self, database):
        return ["mariadb", "--no-defaults", f"--socket={self.socket}", "--user=root", "-BN",
                *([database] if database else [])]

    def query(self, text, database="bench"):
        """The columns of the only row, as texts."""
        out = subprocess.run([*self.client(database), "-e", text], check=True, capture_output=True, text=True).stdout
        return out.strip().split("\t")

    def slap(self, connections, count, *query):
        """Seconds that so many calls take."""
        out = subprocess.run(
            ["mariadb-slap", "--no-defaults", f"--socket={self.socket}", "--user=root", "--create-schema=bench",
             "--no-drop", f"--concurrency={connections}", f"--number-of-queries={count}", *query],
            check=True, capture_output=True, text=True).stdout
        found = re.search(r"Average number of seconds to run all queries: ([0-9.]+)", out)
        return float(found.group(1)) if found else sys.exit(f"mariadb-slap: {out}")

    def rate(self, connections, seconds, first, *query):
        """Calls that were made, and their rate, over about so many seconds; `first` calls tell how many that are."""
        first = max(first // connections, 1) * connections
        expected = max(self.slap(connections, first, *query), 0.01)
        count = max(int(first * seconds / expected) // connections, 1) * connections
        return first + count, count / self.slap(connections, count, *query)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


def timed(call):
    begin = time.monotonic()
    result = call()
    return time.monotonic() - begin, result


def sales_orders(server, given, bench):
    def orders():
        return int(server.query("SELECT COUNT(*) FROM sales_order_header")[0])

    def measure(connections):
        before = orders()
        calls, rate = server.rate(connections, given.seconds, 200, "--query=CALL twenty_orders()")
        figures.check("orders", orders() - before, calls * ORDERS_PER_CALL)
        empty = server.query("SELECT COUNT(*) FROM sales_order_header AS h WHERE NOT EXISTS"
                             " (SELECT * FROM sales_order_detail AS d WHERE d.sales_order_id = h.sales_order_id)")
        figures.check("orders without lines", empty, ["0"])
        return rate * ORDERS_PER_CALL

    figures.sales_orders(bench, map(int, given.connections.split(",")), given.runs, measure)


def native_insert(server, given, bench):
    for table, figure in [("orders_memory", "rows_per_s"), ("orders", "durable_rows_per_s")]:
        rates = []
        for _ in range(given.runs):
            server.query(f"TRUNCATE TABLE {table}")
            seconds, _ = timed(lambda: server.query(f"CALL insert_{table}({given.rows})"))
            found = server.query(f"SELECT COUNT(*), CAST(SUM(amount) AS int) FROM {table}")
            figures.check("rows", found, [str(given.rows)] * 2)
            rates.append(given.rows / seconds)
        figures.show(bench, figure, rates)


def point_lookup(server, given, bench):
    total = [str(sum(key * 3 + 1 for key in range(figures.ROWS)))]
    for index, figure in [("hash", "lookups_per_s"), ("range", "range_lookups_per_s")]:
        rates = []
        for _ in range(given.runs):
            seconds, found = timed(lambda: server.query(f"CALL look_up_by_{index}({figures.ROWS})"))
            figures.check("sum", found, total)
            rates.append(figures.ROWS / seconds)
        figures.show(bench, figure, rates)
    key, statements = 0, []
    for _ in range(STATEMENTS):
        key = figures.step(key)
        statements.append(f"SELECT value FROM items WHERE item_id = {key};")
    file = pathlib.Path(server.directory) / "statements.sql"
    file.write_text("".join(statements))
    query = [f"--query={file}", "--delimiter=;"]
    rates = [server.rate(32, given.seconds, STATEMENTS, *query)[1] for _ in range(given.runs)]
    figures.show(bench, "wire_requests_per_s", rates)


def update_hot(server, given, bench):
    rates = []
    for run in range(given.runs):
        call = f"CALL update_accounts({figures.ROWS}, {UPDATES_PER_TRANSACTION})"
        seconds, _ = timed(lambda: server.query(call))
        found = server.query("SELECT COUNT(*), SUM(balance), MIN(updates), MAX(updates) FROM accounts")
        balance = figures.ROWS * (figures.ROWS - 1) // 2 * (run + 1)
        figures.check("accounts", found, [str(n) for n in (figures.ROWS, balance, run + 1, run + 1)])
        rates.append(figures.ROWS / seconds)
    figures.show(bench, "updates_per_s", rates)


MEASURES = {"sales-orders": sales_orders, "native-insert": native_insert, "point-lookup": point_lookup,
            "update-hot": update_hot}


def main():
    given = figures.arguments(__doc__).parse_args()
    server = MariaDB()
    version = subprocess.run(["mariadb", "--version"], check=True, capture_output=True, text=True).stdout
    version = re.search(r"(\d+\.\d+)\.\d+-MariaDB", version).group(1)
    try:
        server.start("sales-orders.sql" if given.bench == "sales-orders" else "loops.sql")
        MEASURES[given.bench](server, given, f"{given.bench}-mariadb-{version}")
    finally:
        if server.process:
            server.stop()


if __name__ == "__main__":
    main()
