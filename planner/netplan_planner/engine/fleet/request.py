"""What `netplan fleet` is asked."""

import re
from decimal import Decimal
from pathlib import Path

from netplan_planner.engine.request import AuditRequest
from netplan_planner.errors import UsageError, did_you_mean
from netplan_planner.model import CommitmentChoice, MoveKind, Value
from netplan_planner.optimise.fleet.assembly import VcpuLimit

_COUNT = re.compile(r"[0-9]{1,12}")
TERMS = (1, 3)
"""Years that Google sells commitments for."""


class FleetRequest(Value, frozen=True, kw_only=True):
    """Inputs and choices of one plan."""

    read: AuditRequest
    """What is read; of a table of needs only prices, limits and the day."""
    needs: Path | None = None
    """The table; None: the inventory and its traffic."""
    commitments: CommitmentChoice = CommitmentChoice.ALL
    years: tuple[int, ...] = TERMS
    headroom_ratio: float = 0.2
    series: tuple[str, ...] = ()
    architecture: str | None = None
    """The only one, for groups that name none; None: a group's own, any for new ones."""
    any_architecture: bool = False
    """Groups may change it."""
    move_usd: tuple[tuple[MoveKind, Decimal], ...] = ()
    is_sure: bool = False
    quotas: tuple[VcpuLimit, ...] = ()


def move_price(text: str, usd: Decimal) -> tuple[MoveKind, Decimal]:
    """Return the price of a kind of move.

    Raises:
        UsageError: If there is no such kind.
    """
    if text not in set(MoveKind):
        raise UsageError(
            f"--move-price {text!r}: it is one of {', '.join(MoveKind)}"
            f"{did_you_mean(text, tuple(MoveKind))}"
        )
    return MoveKind(text), usd


def quota(text: str) -> VcpuLimit:
    """Return the quota that `REGION/SERIES=VCPUS` states.

    Raises:
        UsageError: If it is not of this form.
    """
    place, _, count = text.partition("=")
    region, _, series = place.partition("/")
    if not region or not series or not _COUNT.fullmatch(count):
        raise UsageError(f"--quota {text!r} is not REGION/SERIES=VCPUS, such as us-east1/c3=500")
    return VcpuLimit(region, series.lower(), int(count))
