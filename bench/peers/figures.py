"""What the peers' programs share: their command line's common part, and figures as `thermocline bench` prints
them."""

import argparse
import json
import os
import statistics

BENCHES = ["sales-orders", "native-insert", "point-lookup", "update-hot"]
ROWS = 1_000_000
"""Rows of the tables of point-lookup and update-hot; keys are visited in the order of `step`."""


def step(key):
    return (key * 2141 + 12347) % ROWS


def arguments(description, more=()):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", choices=[*BENCHES, *more], default="sales-orders")
    parser.add_argument("--connections", default="1,8,32,100", help="of sales-orders")
    parser.add_argument("--rows", type=int, default=1_600_000, help="of native-insert, write-amplification and hot-set")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=5)
    return parser


def memory_mb():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20


def show(bench, figure, values, unit="1/s", digits=None, series=()):
    """Prints a figure, with what was measured in each second, if it was; returns it."""
    found = {"bench": bench, "figure": figure, "value": round(statistics.median(values), digits), "unit": unit,
             "min": round(min(values), digits), "max": round(max(values), digits), "runs": len(values)}
    if series:
        found["series"] = [round(value, digits) for value in series]
    print(json.dumps(found, separators=(",", ":")), flush=True)
    return found


def sales_orders(bench, connections, runs, measure):
    """Measures with each number of connections, shows the best one again, and returns its number."""
    found = {count: show(bench, f"orders_per_s_{count}", [measure(count) for _ in range(runs)])
             for count in connections}
    best = max(found, key=lambda count: found[count]["value"])
    print(json.dumps({**found[best], "figure": "orders_per_s"}, separators=(",", ":")), flush=True)
    return best


def check(what, found, expected):
    if found != expected:
        raise SystemExit(f"{what}: {found} instead of {expected}")
