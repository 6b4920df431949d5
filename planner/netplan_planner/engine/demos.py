"""The embedded samples: small projects that replay published stories, with their flow logs."""

import tomllib
from datetime import date
from pathlib import Path

from netplan_planner.errors import UsageError
from netplan_planner.model import JobNeed, MachineNeed, Value

_FOLDER = Path(__file__).resolve().parent.parent / "demos"


class Demo(Value, frozen=True, kw_only=True):
    """One sample: where its files lie, and what its story leaves to assumptions."""

    name: str
    title: str
    limits_as_of: date
    inventory: tuple[Path, ...]
    traffic: tuple[Path, ...]
    assumptions: tuple[str, ...] = ()
    needs: tuple[MachineNeed, ...] = ()
    jobs: tuple[JobNeed, ...] = ()


def demo_names() -> tuple[str, ...]:
    """Return the names of all samples, sorted."""
    return tuple(sorted(path.parent.name for path in _FOLDER.glob("*/demo.toml")))


def load_demo(name: str) -> Demo:
    """Return a sample.

    Raises:
        UsageError: If there is none of that name.
    """
    if name not in demo_names():
        raise UsageError(f"no demo is named {name!r}; there are: {', '.join(demo_names())}")
    folder = _FOLDER / name
    table = tomllib.loads((folder / "demo.toml").read_text(encoding="utf-8"))
    return Demo(
        name=name,
        title=table["title"],
        limits_as_of=table["limits_as_of"],
        inventory=tuple(sorted((folder / "inventory").glob("*.json"))),
        traffic=tuple(sorted(folder.glob("flows*"))),
        assumptions=tuple(table.get("assumptions", ())),
        needs=tuple(_need(entry) for entry in table.get("need", ())),
        jobs=tuple(_job(entry) for entry in table.get("job", ())),
    )


def _need(entry: dict[str, object]) -> MachineNeed:
    import msgspec

    return msgspec.convert(entry, MachineNeed)


def _job(entry: dict[str, object]) -> JobNeed:
    import msgspec

    return msgspec.convert(entry, JobNeed)
