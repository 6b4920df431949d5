"""What a machine series takes: disks, Local SSD, compact placement (`series.csv`).

A cell that no source fills is not known: it is neither yes nor no. `sources.csv` names the sources
with their dates.
"""

from functools import cache
from pathlib import Path

from netplan_planner.model import Value
from netplan_planner.shipped import shipped_rows

_FOLDER = Path(__file__).parent
_ANSWERS = {"yes": True, "no": False, "": None}

BOOT_DISKS = ("pd-standard", "pd-balanced", "pd-ssd", "hyperdisk-balanced")
"""Types of disk that machines start from; other Hyperdisk types hold data only
(docs.cloud.google.com/compute/docs/disks/add-hyperdisk)."""


class SeriesFacts(Value, frozen=True, kw_only=True):
    """What one series takes; None and absent types are not known."""

    series: str
    disks_taken: frozenset[str] = frozenset()
    disks_refused: frozenset[str] = frozenset()
    local_ssd: bool | None = None
    """Whether Local SSDs can be attached; those that a type brings are another matter."""
    compact_placement: bool | None = None
    disks_source: str = ""
    placement_source: str = ""


_FAMILIES = {
    "compute-optimized": ("c2", "c2d", "h3", "h4d"),
    "memory-optimized": ("m1", "m2", "m3", "m4", "m4n", "x4"),
}
_FAMILY_OF = {series: family for family, of in _FAMILIES.items() for series in of}


def special_family(series: str) -> str:
    """Return the family that a series was built for one purpose as; empty: general purpose.

    Source: docs.cloud.google.com/compute/docs/machine-resource, machine families.

    >>> special_family("c2"), special_family("e2")
    ('compute-optimized', '')
    """
    return _FAMILY_OF.get(series, "")


@cache
def series_facts(series: str) -> SeriesFacts:
    """Return what is known of a series; nothing of one that the table lacks."""
    return _table().get(series) or SeriesFacts(series=series)


@cache
def _table() -> dict[str, SeriesFacts]:
    sources = {
        row["key"]: f"{row['source']}, {row['as_of']}"
        for row in shipped_rows(_FOLDER / "sources.csv")
    }
    return {
        row["series"]: SeriesFacts(
            series=row["series"],
            disks_taken=frozenset(row["disks_taken"].split()),
            disks_refused=frozenset(row["disks_refused"].split()),
            local_ssd=_ANSWERS[row["local_ssd"]],
            compact_placement=_ANSWERS[row["compact_placement"]],
            disks_source=sources.get(row["disks_source"], ""),
            placement_source=sources.get(row["placement_source"], ""),
        )
        for row in shipped_rows(_FOLDER / "series.csv")
    }


def generation_of(series: str) -> int | None:
    """Return the generation of a series: the digit of its name; None where it has none.

    Source: cloud.google.com/compute/docs/general-purpose-machines (E2, N2, N2D, T2D are the second
    generation, N1 the first) and the Compute API's text on default disks (C3 the third, C4 the
    fourth).

    >>> generation_of("n1"), generation_of("n2d"), generation_of("c4a"), generation_of("ct5lp")
    (1, 2, 4, None)
    """
    digits = [letter for letter in series if letter.isdigit()]
    return int(digits[0]) if len(digits) == 1 and not series.startswith(("ct", "tpu")) else None
