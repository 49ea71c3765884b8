"""As `thermocline bench hot-set`: rows that are used often and lie far apart in a table larger than memory.

One session calls PL/pgSQL functions with arrays of keys that take about a tenth of a second; they return what they have
found and how long that took. The parts are warming, filling by several sessions, skewed, mixed, uniform and moved.
"""

import pathlib
import re
import subprocess
import sys
import threading
import time

import figures
import zipf

FACTORS = [982_451_653, 961_748_941]
FIRST_CALL, CALL_S, CALL_ROWS_MAX = 256, 0.1, 65_536
STEP = 200_000
FILLING_SESSIONS, FILLING_CALL = 16, 256


class Session:
    """One connection, by a psql that stays."""

    def __init__(self, server):
        command = server.command("psql", "-h", "127.0.0.1", "-p", server.port, "-U", "bench", "-d", "postgres",
                                 "-v", "ON_ERROR_STOP=1", "-qAt", "-f", "-")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/")
        self.backend = int(self.query("SELECT pg_backend_pid()")[0])

    def query(self, text):
        self.process.stdin.write(text + ";\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("psql has ended")
        return line.strip().split("|")

    def bytes_read(self):
        """What its server process has had read from disks."""
        text = pathlib.Path(f"/proc/{self.backend}/io").read_text()
        return int(re.search(r"^read_bytes: (\d+)", text, re.M).group(1))

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Table:
    def __init__(self, rows):
        self.rows, self.updates = rows, {}

    def value_of(self, key):
        return key * FACTORS[0] % self.rows + self.updates.get(key, 0)

    def load(self, server):
        rows, (one, other) = self.rows, FACTORS
        for first in range(0, rows, STEP):
            last = min(first + STEP, rows) - 1
            server.psql("-c", f"INSERT INTO t SELECT i, i * {other} % {rows}, i * {other} / 7 % {rows}, i * {one} % {rows},"
                              f" 0, lpad(i::text, 10) || repeat('n', 150) FROM generate_series({first}::bigint, {last}) AS i")
        server.psql("-c", "VACUUM (ANALYZE, FREEZE) t", "-c", "CHECKPOINT")

    def check(self, server):
        found = server.query("SELECT count(*), sum(v::bigint), sum(u::bigint) FROM t")
        expected = [self.rows, self.rows * (self.rows - 1) // 2, sum(self.updates.values())]
        figures.check("rows, the sum of their values and that of their updates", found, list(map(str, expected)))

    def expect(self, function, keys):
        total = 0
        for place, key in enumerate(keys):
            if function == "mixed" and place % 2 == 1:
                self.updates[key] = self.updates.get(key, 0) + 1
            else:
                total += self.value_of(key)
        return total


def part(table, session, function, draw, seconds):
    """Calls the function for so long: operations a second, the percentage of them that read no page, megabytes read, and
    the rate of each second."""
    operations, busy, before = 0, 0.0, session.bytes_read()
    second, series = [0, 0.0], []
    count = FIRST_CALL
    while busy < seconds:
        keys = [draw() for _ in range(count)]
        found, took = session.query(f"SELECT * FROM {function}('{{{','.join(map(str, keys))}}}')")
        figures.check("the sum of what was looked up", int(found), table.expect(function, keys))
        took = float(took)
        operations, busy = operations + count, busy + took
        second = [second[0] + count, second[1] + took]
        if second[1] >= 1:
            series.append(second[0] / second[1])
            second = [0, 0.0]
        count = int(min(max(min(count / max(took, 1e-6) * CALL_S, count * 4), FIRST_CALL / 4), CALL_ROWS_MAX)) // 2 * 2
    read = session.bytes_read() - before
    return operations / busy, max(0.0, 100 * (1 - read / 8192 / operations)), read / (1 << 20), series


def filling(table, server, shuffle, theta, count, first_seed):
    """Looks up so many rows by several sessions at once: look-ups a second, and the percentage of them that read no page."""
    lock, left, read, failed = threading.Lock(), [count], [0], []

    def fill(seed):
        session = Session(server)
        draws, before = zipf.Zipf(table.rows, theta, seed), session.bytes_read()
        while True:
            with lock:
                left[0] -= FILLING_CALL
                if left[0] < 0:
                    break
            keys = [shuffle.at(draws.draw()) for _ in range(FILLING_CALL)]
            found, _ = session.query(f"SELECT * FROM look_up('{{{','.join(map(str, keys))}}}')")
            if int(found) != table.expect("look_up", keys):
                failed.append(found)
        with lock:
            read[0] += session.bytes_read() - before
        session.end()

    began = time.monotonic()
    threads = [threading.Thread(target=fill, args=(first_seed + n,)) for n in range(FILLING_SESSIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    figures.check("sums of what was looked up that are wrong", failed, [])
    return count / (time.monotonic() - began), max(0.0, 100 * (1 - read[0] / 8192 / count)), read[0] / (1 << 20), []


def run(server, given, bench, limit):
    table, found = Table(given.rows), {}
    table.load(server)
    table.check(server)
    limit.watch(server.data)
    session = Session(server)
    seeds = iter(range(1, 1_000_000))
    for _ in range(given.runs):
        hot = zipf.Shuffle(given.rows, next(seeds))
        moved = zipf.Shuffle(given.rows, next(seeds))
        parts = [("warming", "look_up", hot), ("filling", None, hot), ("skewed", "look_up", hot), ("mixed", "mixed", hot),
                 ("uniform", "look_up", None), ("moved", "look_up", moved)]
        for name, function, shuffle in parts:
            if function:
                draws = zipf.Zipf(given.rows, given.theta if shuffle else 0, next(seeds))
                order = shuffle.at if shuffle else int
                measured = part(table, session, function, lambda: order(draws.draw()), given.seconds)
            else:
                count = 2 * given.rows if given.filling is None else given.filling
                first = [next(seeds) for _ in range(FILLING_SESSIONS)][0]
                measured = filling(table, server, hot, given.theta, count, first)
            print(f"{name}: {measured[0]:.0f}/s", file=sys.stderr)
            found.setdefault(name, []).append(measured)
    for name, runs in found.items():
        rates, shares, read, series = zip(*runs)
        figures.show(bench, f"{name}_per_s", rates, series=[rate for one in series for rate in one])
        figures.show(bench, f"{name}_resident", shares, "%", 1)
        figures.show(bench, f"{name}_read_mb", read, "MB")
    session.end()
    table.check(server)
    if limit.peak_mb() is not None:
        figures.show(bench, "peak_mb", [limit.peak_mb()], "MB")
