#!/usr/bin/env python3
"""The workloads of `thermocline bench` on SQLite (python's sqlite3), in process, one thread.

    run.py [--bench sales-orders] [--seconds 5] [--runs 5]

Durable ones with a file, a write-ahead log and PRAGMA synchronous = FULL, so that each commit is synced; those
that are not, in memory. SQLite has no procedures: where a loop fits into one statement it is one, otherwise
python's executemany runs it, whose share of the time is small where commits are synced and about a third where
they are not. Prints one JSON object a line for each figure.
"""

import datetime
import pathlib
import random
import shutil
import sqlite3
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))
import figures  # noqa: E402  (beside this directory)

UPDATES_PER_TRANSACTION = 100_000

NUMBERS = "WITH RECURSIVE numbers (n) AS (VALUES ({}) UNION ALL SELECT n + 1 FROM numbers WHERE n < {}) "
LOOK_UP = ("WITH RECURSIVE keys (i, key) AS (VALUES (1, 12347) UNION ALL"
           " SELECT i + 1, (key * 2141 + 12347) % 1000000 FROM keys WHERE i < ?)"
           " SELECT SUM((SELECT value FROM items WHERE {} = key)) FROM keys")


def connect(directory=None):
    """A database in a directory, durable; without one in memory."""
    if directory:
        connection = sqlite3.connect(f"{directory}/bench.db", isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
    else:
        connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(f"PRAGMA cache_size = -{figures.memory_mb() * 256}")
    connection.executescript((HERE / "schema.sql").read_text())
    return connection


def now():
    return datetime.datetime.now().isoformat()


class Orders:
    """Inserts orders, each a transaction of its own."""

    def __init__(self, connection):
        self.connection = connection
        connection.execute(NUMBERS.format(1, 504) + "INSERT INTO product"
                           " SELECT n, 'Product ' || n, (n * 37 % 3400) * 10000 + 9900 FROM numbers")
        connection.execute(NUMBERS.format(1, 16) + "INSERT INTO special_offer"
                           " SELECT n, 'Offer ' || n, (n - 1) * 0.02 FROM numbers")
        self.samples = [[] for _ in range(108)]
        for i in range(1, 539):
            line = (len(self.samples[i % 108]), i % 6 + 1, 210 + i * 7 % 295, 1 if i <= 295 else i % 15 + 2)
            self.samples[i % 108].append(line)

    def insert(self, due, customer, bill_to, ship_to, ship_method, lines):
        execute = self.connection.execute
        time = now()
        execute("BEGIN IMMEDIATE")
        priced, total = [], 0
        for line, quantity, product, offer in lines:
            price, discount = execute(
                "SELECT list_price, CAST(list_price * discount_pct AS INTEGER) FROM product, special_offer"
                " WHERE product_id = ? AND special_offer_id = ?", (product, offer)).fetchone()
            total += price - discount
            priced.append((line, quantity, product, offer, price, discount, time))
        order = execute(
            "INSERT INTO sales_order_header (due_date, customer_id, bill_to_address_id, ship_to_address_id,"
            " ship_method_id, order_date, sub_total, modified_date) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (due, customer, bill_to, ship_to, ship_method, time, total, time)).lastrowid
        self.connection.executemany(
            "INSERT INTO sales_order_detail (sales_order_id, sales_order_detail_id, order_qty, product_id,"
            " special_offer_id, unit_price, unit_price_discount, modified_date) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(order, *line) for line in priced])
        execute("COMMIT")

    def run(self, seconds):
        """Orders a second."""
        count, begin = 0, time.monotonic()
        while time.monotonic() - begin < seconds:
            order = (now(), random.randrange(8000), random.randrange(10000), random.randrange(10000),
                     random.randrange(1, 6), self.samples[random.randrange(1, 107)])
            for _ in range(20):
                self.insert(*order)
            count += 20
        return count, count / (time.monotonic() - begin)


def sales_orders(given, bench, directory):
    orders = Orders(connect(directory))
    expected = 0

    def measure(_):
        nonlocal expected
        count, rate = orders.run(given.seconds)
        expected += count
        found, = orders.connection.execute("SELECT COUNT(*) FROM sales_order_header").fetchone()
        figures.check("orders", found, expected)
        return rate

    figures.sales_orders(bench, [1], given.runs, measure)


def native_insert(given, bench, directory):
    for place, figure in [(None, "rows_per_s"), (directory, "durable_rows_per_s")]:
        connection = connect(place)
        insert = ("INSERT INTO orders (order_date, customer_id, source_id, status_id, amount)"
                  " VALUES (strftime('%Y-%m-%d %H:%M:%f', 'now'), 1, 1, 1, ?)")
        rates = []
        for _ in range(given.runs):
            connection.execute("DELETE FROM orders")
            begin = time.monotonic()
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(insert, ((10000,) for _ in range(given.rows)))
            connection.execute("COMMIT")
            rates.append(given.rows / (time.monotonic() - begin))
            found = connection.execute("SELECT COUNT(*), SUM(amount) / 10000, MAX(order_id) FROM orders").fetchone()
            figures.check("rows", found, (given.rows,) * 3)
        connection.close()
        figures.show(bench, figure, rates)


def point_lookup(given, bench, _):
    connection = connect()
    last = figures.ROWS - 1
    connection.execute(NUMBERS.format(0, last) + "INSERT INTO items"
                       " SELECT n, n * 7919 % 1000000, n * 3 + 1 FROM numbers")
    total = sum(key * 3 + 1 for key in range(figures.ROWS))
    # SQLite has no hash indexes: rows are found by their own tree, and by a second one.
    for column, figure in [("item_id", "lookups_per_s"), ("code", "range_lookups_per_s")]:
        rates = []
        for _ in range(given.runs):
            begin = time.monotonic()
            found, = connection.execute(LOOK_UP.format(column), (figures.ROWS,)).fetchone()
            rates.append(figures.ROWS / (time.monotonic() - begin))
            figures.check("sum", found, total)
        figures.show(bench, figure, rates)


def update_hot(given, bench, _):
    connection = connect()
    connection.execute(NUMBERS.format(0, figures.ROWS - 1) + "INSERT INTO accounts"
                       " SELECT n, n / 2, n * 7919 % 3650, 0, 0 FROM numbers")
    update = "UPDATE accounts SET balance = balance + ?, updates = updates + 1 WHERE account_id = ?"

    keys, key = [], 0
    for _ in range(figures.ROWS):
        key = figures.step(key)
        keys.append((key, key))
    rates = []
    for run in range(given.runs):
        begin = time.monotonic()
        for first in range(0, figures.ROWS, UPDATES_PER_TRANSACTION):
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(update, keys[first:first + UPDATES_PER_TRANSACTION])
            connection.execute("COMMIT")
        rates.append(figures.ROWS / (time.monotonic() - begin))
        found = connection.execute("SELECT COUNT(*), SUM(balance), MIN(updates), MAX(updates) FROM accounts").fetchone()
        balance = figures.ROWS * (figures.ROWS - 1) // 2 * (run + 1)
        figures.check("accounts", found, (figures.ROWS, balance, run + 1, run + 1))
    figures.show(bench, "updates_per_s", rates)


MEASURES = {"sales-orders": sales_orders, "native-insert": native_insert, "point-lookup": point_lookup,
            "update-hot": update_hot}


def main():
    given = figures.arguments(__doc__).parse_args()
    version = ".".join(sqlite3.sqlite_version.split(".")[:2])
    directory = tempfile.mkdtemp(prefix="bench-sqlite-")
    try:
        MEASURES[given.bench](given, f"{given.bench}-sqlite-{version}", directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
