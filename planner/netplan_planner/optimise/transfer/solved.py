"""A transfer as it was solved, and what it rested on."""

from typing import NamedTuple

from netplan_planner.model import CapsBook, PriceBook
from netplan_planner.model.transfer import TransferOption
from netplan_planner.optimise.transfer.hops import Tables
from netplan_planner.optimise.transfer.market import Market
from netplan_planner.optimise.transfer.solving import Searched
from netplan_planner.units import SECONDS_PER_HOUR, SECONDS_PER_MINUTE


class Asked(NamedTuple):
    """What a plan rests on."""

    prices: PriceBook
    caps: CapsBook
    tables: Tables


class Solved(NamedTuple):
    """A transfer as it was solved once."""

    market: Market
    found: Searched
    best: TransferOption | None
    options: tuple[TransferOption, ...]
    """All that came up, the best among them; what the program chose comes first."""


def seconds_text(seconds: float) -> str:
    """Return a time in words, short."""
    if seconds >= 2 * SECONDS_PER_HOUR:
        return f"{seconds / SECONDS_PER_HOUR:.3g} h"
    if seconds >= 2 * SECONDS_PER_MINUTE:
        return f"{seconds / SECONDS_PER_MINUTE:.3g} min"
    return f"{seconds:.3g} s"
