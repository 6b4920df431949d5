"""The flow logs of the embedded samples are read once a run, not by each test that names one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.traffic import TrafficOptions, read_traffic
from netplan_planner.world import reading as inputs
from netplan_planner.world.demos import DEMO_FOLDER
from support.made_once import made_once

_DEFAULTS = TrafficOptions()
_READ: dict[str, TrafficMatrix] = {}


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


@contextmanager
def demos_once() -> Iterator[None]:
    """Let the engine take what was read of a sample; nothing else changes."""
    with patch.object(inputs, "read_traffic", _once):
        yield
