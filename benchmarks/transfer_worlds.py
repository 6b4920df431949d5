"""Made networks of many places with complete edges, of real rates and list prices.

The rates are those of the published grid of 29 January 2022 (skyplane, Apache 2.0), the prices what
the catalogue of 2026-04-30 asks a GiB between regions and to the internet: each edge draws a rate
of the grid between the same two clouds, and a price of its own kind. Both files lie beside the
checkout (`NETPLAN_TEST_DATA`, default `../shared`).
"""

import csv
import gzip
import os
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

GRID = "data/measurements/public_measurements.csv"
PRICES = "data/catalog/network_prices.csv.gz"
CLOUDS = ("gcp", "aws", "azure")
_SOURCE = "skyplane-grid-2022-01-29"
_KINDS = {"interregion_out": True, "internet_premium_out": False}

Edge = tuple[str, str]


class World(NamedTuple):
    """A network, and who sends to whom."""

    gbps: Mapping[Edge, float]
    usd_per_gib: Mapping[Edge, float]
    source: str
    targets: tuple[str, ...]


def shared_folder() -> Path | None:
    """Return where the shared files are; None: they are not here."""
    here = Path(__file__).resolve().parents[1].parent / "shared"
    found = Path(os.environ.get("NETPLAN_TEST_DATA", str(here)))
    return found if (found / GRID).is_file() and (found / PRICES).is_file() else None


@cache
def _rates(folder: Path) -> Mapping[Edge, Sequence[float]]:
    """Return the rates of the grid by the clouds of both ends, in Gbit/s."""
    found: dict[Edge, list[float]] = defaultdict(list)
    with (folder / GRID).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            ends = row["src_location"], row["dst_location"]
            rate = float(row["value"])
            if row["source"] == _SOURCE and ends[0] != ends[1] and rate > 0:
                src, dst = (one.partition(":")[0] for one in ends)
                found[src, dst].append(rate)
    return found


@cache
def _list_prices(folder: Path) -> Mapping[bool, Sequence[float]]:
    """Return what a GiB costs at the first step that is not free, inside a cloud and out of it."""
    found: dict[bool, list[float]] = {True: [], False: []}
    with gzip.open(folder / PRICES, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            usd = float(row["usd_per_unit"] or 0)
            if row["kind"] in _KINDS and usd > 0:
                found[_KINDS[row["kind"]]].append(usd)
    return found


def world(folder: Path, seed: int, *, places: int = 70, targets: int = 7) -> World:
    """Return a made network with an edge from every place to every other, the same for a seed."""
    dice = random.Random(f"{seed} {places} {targets}")
    clouds = [CLOUDS[at % len(CLOUDS)] for at in range(places)]
    names = [f"{cloud}:{at:02}" for at, cloud in enumerate(clouds)]
    rates, prices = _rates(folder), _list_prices(folder)
    gbps: dict[Edge, float] = {}
    usd: dict[Edge, float] = {}
    for src, one in zip(names, clouds, strict=True):
        for dst, other in zip(names, clouds, strict=True):
            if src != dst:
                gbps[src, dst] = dice.choice(rates[one, other])
                usd[src, dst] = dice.choice(prices[one == other])
    source, *ends = dice.sample(names, targets + 1)
    return World(gbps, usd, source, tuple(ends))
