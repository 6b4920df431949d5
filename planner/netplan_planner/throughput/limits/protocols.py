"""How published campaigns measured, where their tables do not say it row by row."""

import csv
from functools import cache

from netplan_planner.throughput.limits.tables import DATA


@cache
def omit_of(campaign: str) -> float:
    """Return the seconds that a campaign's tool left out at the start, 0 where none is known.

    Tools count from the first byte unless told otherwise, so 0 is their default and not a guess.

    >>> omit_of("cloudpilot-2021"), omit_of("mine")
    (3.0, 0.0)
    """
    for row in _protocols():
        if campaign.startswith(row["campaign"]):
            return float(row["omit_s"])
    return 0.0


@cache
def _protocols() -> tuple[dict[str, str], ...]:
    with (DATA / "campaign_protocols.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))
