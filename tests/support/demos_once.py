"""What many tests would work out again of the embedded samples is worked out once a run.

Their flow logs are read once, and what a plan of probes promises is drawn once: it is most of the
time of `probe plan`. The embedded snapshot's prices are listed once too, for whatever is compared
with them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch

from netplan_planner.model import CapsBook, Inventory, TrafficMatrix
from netplan_planner.throughput.calibration.factors.calibrated_caps import CalibratedCaps
from netplan_planner.traffic import TrafficOptions, read_traffic
from netplan_planner.verbs.probe import choice
from netplan_planner.verbs.probe.answer import Probe
from netplan_planner.verbs.probe.forecast import ProbeRules
from netplan_planner.verbs.probe.promise import Promise, promised
from netplan_planner.world import reading as inputs
from netplan_planner.world.demos import DEMO_FOLDER
from netplan_pricing import SnapshotPriceBook, comparing, open_snapshot
from support.made_once import made_once

_DEFAULTS = TrafficOptions()
_READ: dict[str, TrafficMatrix] = {}
_PROMISED: dict[str, Promise] = {}
_PRICES: dict[str, tuple[Any, ...]] = {}
_prices = comparing._prices
_embedded = cache(open_snapshot)


def _once(
    paths: Sequence[Path], inventory: Inventory, options: TrafficOptions = _DEFAULTS
) -> TrafficMatrix:
    """Return what `read_traffic` returns; of a sample alone, what it once did."""
    if not paths or any(DEMO_FOLDER not in path.parents for path in paths):
        return read_traffic(paths, inventory, options)
    name = f"demo-{sha256(repr((paths, options, inventory)).encode()).hexdigest()}"
    if name not in _READ:
        _READ[name] = made_once(name, lambda: read_traffic(paths, inventory, options))
    return _READ[name]


def _promised_once(
    probes: Sequence[Probe], planned: Sequence[Probe], caps: CapsBook, rules: ProbeRules
) -> Promise:
    """Return what `promised` returns; of equal probes without a calibration, what it once did.

    Predictions are among the probes, so that whatever changes one changes the name.
    """
    if isinstance(caps, CalibratedCaps):
        return promised(probes, planned, caps, rules)
    own = {id(one) for one in planned}
    told = repr((caps.as_of, rules, [(id(one) in own, one) for one in probes]))
    name = f"promise-{sha256(told.encode()).hexdigest()}"
    if name not in _PROMISED:
        _PROMISED[name] = made_once(name, lambda: promised(probes, planned, caps, rules))
    return _PROMISED[name]


def _prices_once(book: SnapshotPriceBook) -> Iterator[Any]:
    """Yield what `_prices` does; of the embedded snapshot's list prices, what it once did."""
    name = book.file.sha256
    if (name, book.terms) != (_embedded().file.sha256, _embedded().terms):
        return _prices(book)
    if name not in _PRICES:
        _PRICES[name] = tuple(_prices(book))
    return iter(_PRICES[name])


@contextmanager
def demos_once() -> Iterator[None]:
    """Let verbs take what was worked out of a sample before; nothing else changes."""
    with (
        patch.object(inputs, "read_traffic", _once),
        patch.object(choice, "promised", _promised_once),
        patch.object(comparing, "_prices", _prices_once),
    ):
        yield
