"""Time to open the price snapshot and to look prices up, beside a CSV file in a dict and SQLite.

    python benchmarks/prices.py [--look-ups 100000] [--repeat 5]

The rivals hold the machine prices of the same snapshot and answer one question: the on-demand
price of a type in a region. netplan answers it with unit, date, source, note and the reason where
there is none. Each figure is the best of the repetitions; each open is of a new process's state
(nothing cached but the file system).
"""

import argparse
import csv
import platform
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

from netplan_planner.errors import MissingDatum
from netplan_planner.model import PathClass
from netplan_pricing import SnapshotPriceBook, open_snapshot

SEED = 4
Answer = TypeVar("Answer")
Pair = tuple[str, str]


def best_ms(repeat: int, run: Callable[[], Answer]) -> tuple[float, Answer]:
    """Return the least time of `repeat` runs in milliseconds, and the last answer."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        answer = run()
        times.append((time.perf_counter() - start) * 1000)
    return min(times), answer


def listed(book: SnapshotPriceBook) -> list[tuple[str, str, str]]:
    """Return region, type and on-demand price of every pair that is offered and priced."""
    pairs = [
        (region, one.machine_type) for region in book.regions() for one in book.offered(region)
    ]
    return [
        (row.region, row.machine_type, str(row.on_demand_usd_per_hour))
        for row in book.machine_batch(pairs)
        if row.on_demand_usd_per_hour is not None
    ]


def open_csv(path: Path) -> dict[Pair, Decimal]:
    """Return the prices of a CSV file by region and type."""
    with path.open(newline="") as file:
        return {(region, name): Decimal(usd) for region, name, usd in csv.reader(file)}


def ask_sqlite(path: Path, pairs: Sequence[Pair]) -> int:
    """Return how many pairs a SQLite table has a price for."""
    connection = sqlite3.connect(path)
    try:
        query = "SELECT usd FROM prices WHERE region = ? AND machine_type = ?"
        found = (connection.execute(query, pair).fetchone() for pair in pairs)
        return sum(1 for row in found if row is not None and Decimal(row[0]) > 0)
    finally:
        connection.close()


def ask_one_by_one(book: SnapshotPriceBook, pairs: Sequence[Pair]) -> int:
    """Return how many pairs have a price, by single look-ups."""
    found = 0
    for region, machine_type in pairs:
        try:
            found += book.machine(region, machine_type).usd > 0
        except MissingDatum:
            continue
    return found


def ask_batch(book: SnapshotPriceBook, pairs: Sequence[Pair]) -> int:
    """Return how many pairs have a price and are offered, in one batch."""
    return sum(1 for row in book.machine_batch(pairs) if not row.reason)


def ask_traffic(book: SnapshotPriceBook, pairs: Sequence[Pair]) -> int:
    """Return how many steps the prices between pairs of regions have."""
    return sum(
        len(book.traffic(PathClass.INTER_REGION_INTERNAL, src_region=src, dst_region=dst))
        for src, dst in pairs
    )


def report(name: str, ms: float, count: int) -> None:
    """Print one line: what, time in all, time of one."""
    print(f"{name:<44} {ms:10.2f} ms {ms * 1000 / count:10.3f} µs each")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--look-ups", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    count, repeat = options.look_ups, options.repeat
    book = open_snapshot()
    rows = listed(book)
    drawn = random.Random(SEED)
    pairs = [(row[0], row[1]) for row in drawn.choices(rows, k=count)]
    regions = book.regions()
    routes = [tuple(drawn.sample(regions, 2)) for _ in range(count)]
    print(f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}")
    print(f"{book.info.row_count:,} rows in the snapshot, {count:,} look-ups, best of {repeat}")
    with tempfile.TemporaryDirectory() as folder:
        compare(Path(folder), rows, pairs, repeat)
    report("netplan: open", best_ms(repeat, open_snapshot)[0], 1)
    first = best_ms(repeat, lambda: open_snapshot().machine("us-central1", "n2-standard-16"))[0]
    report("netplan: open and first machine price", first, 1)
    warm = best_ms(
        repeat, lambda: ask_one_by_one(book, [("us-central1", "n2-standard-16")] * count)
    )
    report("netplan: one machine price, warm", warm[0], count)
    fresh = best_ms(repeat, lambda: ask_one_by_one(open_snapshot(), pairs))
    report("netplan: open, then machine prices singly", fresh[0], count)
    report(
        "netplan: machine prices in a batch",
        best_ms(repeat, lambda: ask_batch(open_snapshot(), pairs))[0],
        count,
    )
    steps = best_ms(repeat, lambda: ask_traffic(book, [(src, dst) for src, dst in routes]))
    report("netplan: traffic between regions", steps[0], count)


def compare(folder: Path, rows: list[tuple[str, str, str]], pairs: list[Pair], repeat: int) -> None:
    """Measure the rivals on the same prices."""
    text = folder / "prices.csv"
    with text.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    base = folder / "prices.sqlite"
    with sqlite3.connect(base) as connection:
        connection.execute(
            "CREATE TABLE prices (region TEXT, machine_type TEXT, usd TEXT,"
            " PRIMARY KEY (region, machine_type)) WITHOUT ROWID"
        )
        connection.executemany("INSERT INTO prices VALUES (?, ?, ?)", rows)
    connection.close()
    ms, prices = best_ms(repeat, lambda: open_csv(text))
    report("csv module and dict: open", ms, 1)
    ms, _ = best_ms(repeat, lambda: sum(prices.get(pair, 0) > 0 for pair in pairs))
    report("csv module and dict: prices", ms, len(pairs))
    report(
        "sqlite3: open and prices", best_ms(repeat, lambda: ask_sqlite(base, pairs))[0], len(pairs)
    )


if __name__ == "__main__":
    main()
