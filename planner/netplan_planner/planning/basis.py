"""What a plan rests on: prices, limits and a calibration, opened in one way."""

from datetime import date
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from netplan_planner.model import CapsBook, PriceBook, Value, taken
from netplan_planner.model.money.price_age import price_age
from netplan_planner.model.plans.plan_answer import PlanAnswer
from netplan_planner.planning.inputs import PlanBasis
from netplan_planner.throughput import CapsTable, load_caps, stated_on
from netplan_planner.throughput.calibration.factors.calibrated_caps import calibration_note
from netplan_planner.world.calibration import with_calibration
from netplan_pricing import SnapshotPriceBook, open_prices

Answer = TypeVar("Answer", bound=Value)


def opened(asked: PlanBasis, today: date, limits_as_of: date | None = None) -> "Opened":
    """Return what a plan counts with.

    Args:
        asked: Which prices, limits and calibration.
        today: From which the age of prices counts.
        limits_as_of: Of a story; None: the limits of today, where nothing else is asked for.

    Raises:
        InputError: If the snapshot, an export or the calibration cannot be read.
        UsageError: If a discount is none.
    """
    limits = load_caps(asked.as_of or limits_as_of or today)
    given = asked.pricing
    return Opened(
        limits=limits,
        caps=with_calibration(limits, asked.calibration),
        prices=open_prices(given.prices, given.discounts, given.billing_exports),
        folder=given.prices,
        today=today,
    )


class Opened(NamedTuple):
    """What a plan counts with."""

    limits: CapsTable
    caps: CapsBook
    """The limits as the calibration corrects them."""
    prices: SnapshotPriceBook
    folder: Path | None
    today: date

    def answer(self, kind: type[Answer], **own: Any) -> Answer:
        """Return an answer of a kind that says what it rests on; `own` are its other fields."""
        own = {"has_spot": True} | own
        return resting(kind, self.prices, self.caps, self.today, self.folder, **own)


def resting(
    kind: type[Answer],
    prices: PriceBook,
    caps: CapsBook,
    today: date,
    folder: Path | None,
    /,
    *,
    has_spot: bool,
    **own: Any,
) -> Answer:
    """Return an answer of a kind that says what it rests on, as far as it has fields for that.

    Args:
        kind: The type of the answer.
        prices: What it counts with.
        caps: The limits, as a calibration corrects them.
        today: From which the age of prices counts.
        folder: Of the price snapshot; None: the one that ships.
        has_spot: Whether it may rest on Spot prices.
        own: The other fields, and those that say it otherwise.
    """
    info = prices.info
    told = PlanAnswer(
        price_age=price_age(info, today, has_spot=has_spot, folder=folder),
        limits_as_of=stated_on(caps.as_of),
        calibration=next(calibration_note(caps), None),
        prices_as_of=info.as_of,
        spot_prices_as_of=info.spot_as_of or info.as_of,
        network_prices_as_of=info.network_as_of,
        prices_sha256=info.sha256,
        price_terms=info.terms,
    )
    return taken(kind, told, **own)
