"""How published campaigns measured, where their tables do not say it row by row."""

from functools import cache

from netplan_planner.shipped import shipped_rows
from netplan_planner.throughput.limits.tables import DATA


@cache
def omit_of(campaign: str) -> float:
    """Return the seconds that a campaign's tool left out at the start, 0 where none is known.

    Tools count from the first byte unless told otherwise, so 0 is their default and not a guess.

    >>> omit_of("cloudpilot-2021"), omit_of("mine")
    (3.0, 0.0)
    """
    found = _protocol(campaign)
    return float(found["omit_s"]) if found else 0.0


def late_of(campaign: str) -> float:
    """Return by how many round trips its tool sends later than the model; see `tool_clocks`.

    >>> late_of("cloudpilot-2021"), late_of("mine")
    (1.0, 0.0)
    """
    found = _protocol(campaign)
    return float(found["late_rtts"]) if found else 0.0


def has_joined_rtt(campaign: str) -> bool:
    """Return whether a campaign's round-trip times were joined from another day's grid.

    >>> has_joined_rtt("skyplane-grid-2022-01-29"), has_joined_rtt("mine")
    (True, False)
    """
    found = _protocol(campaign)
    return found is not None and bool(found["rtt_joined_from"])


def _protocol(campaign: str) -> dict[str, str] | None:
    return next((row for row in _protocols() if campaign.startswith(row["campaign"])), None)


@cache
def _protocols() -> tuple[dict[str, str], ...]:
    return shipped_rows(DATA / "campaign_protocols.csv")
