"""What paths will cost: to the cent by another reckoning, and as properties ask."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pytest

from netplan_planner.model import Price, PriceTier
from netplan_planner.model.evidence.traffic import RateBins
from netplan_planner.units import cents
from netplan_planner.verbs.forecast.ask import Ahead
from netplan_planner.verbs.forecast.paths import costs_of, month_days
from netplan_planner.verbs.forecast.series import PathSeries
from support.forecasts.made import series
from support.forecasts.reckoned import total_usd
from support.known import known

START = datetime(2026, 8, 3, tzinfo=UTC)
TODAY = START.date()
SHARED = [("0", "0.12"), ("10240", "0.11"), ("153600", "0.08")]
OWN = [("0", "0.05")]


def tiers(sku: str, steps: Sequence[tuple[str, str]], factor: int = 1) -> tuple[PriceTier, ...]:
    return tuple(
        PriceTier(
            start=Decimal(start),
            price=Price(
                usd=Decimal(usd) * factor, unit="GiB", description=sku, as_of=TODAY, source="made"
            ),
        )
        for start, usd in steps
    )


def path(name: str, rates: Iterable[float], *prices: tuple[PriceTier, ...]) -> PathSeries:
    gbps = tuple(None if np.isnan(rate) else float(rate) for rate in rates)
    bins = RateBins(start=START, bin_s=86_400.0, gbps=gbps)
    return PathSeries(name, "internet", "us-central1", "internet", bins, "made", prices)


def request(days: int = 91) -> Ahead:
    return Ahead(horizon_days=days)


def paths(factor: int = 1) -> list[PathSeries]:
    dice = np.random.default_rng(3)
    shared, own = tiers("SHARED", SHARED, factor), tiers("OWN", OWN, factor)
    return [
        path("a", series("ratio", 63, 0, dice) * 0.2, shared),
        path("b", series("level", 63, 0, dice) * 0.1, shared),
        path("nat", series("amount", 63, 0, dice) * 0.1, tiers("SHARED", SHARED, factor), own),
        path("short", [0.3] * 9, own),
    ]


@pytest.mark.parametrize("days", [7, 30, 91, 364])
def test_another_reckoning_comes_to_the_same_cent(days: int) -> None:
    found = costs_of(paths(), request(days))
    volumes = {one.name: [month.gib for month in one.months] for one in found.paths}
    shared = [(Decimal(start), Decimal(usd)) for start, usd in SHARED]
    own = [(Decimal(start), Decimal(usd)) for start, usd in OWN]
    of_sent = dict.fromkeys(("a", "b", "nat"), ("SHARED", shared)) | {"short": ("OWN", own)}
    wanted = total_usd(volumes, of_sent) + total_usd({"nat": volumes["nat"]}, {"nat": ("OWN", own)})
    assert found.usd is not None
    assert cents(found.usd) == round(Decimal(wanted.numerator) / wanted.denominator, 2)
    assert sum(one.usd or 0 for one in found.paths) == pytest.approx(found.usd, abs=Decimal("1e-9"))
    assert sum(month.usd for month in found.months) == found.usd


def test_prices_times_k_cost_times_k_in_any_order_and_longer_ones_more() -> None:
    one, seven = costs_of(paths()[:3], request()), costs_of(paths(7)[:3], request())
    assert float(seven.usd or 0) == pytest.approx(7 * float(known(one.usd)), rel=1e-15)
    assert float(known(seven.high_usd)) == pytest.approx(7 * float(known(one.high_usd)), rel=1e-5)
    # The order of paths changes nothing.
    assert costs_of(paths(), request()) == costs_of(paths()[::-1], request())
    # A longer horizon costs more.
    costs = [costs_of(paths(), request(days)).usd or 0 for days in (14, 28, 91, 182)]
    assert costs == sorted(costs)


def test_bounds_hold_the_middle_and_short_windows_have_none() -> None:
    found = costs_of(paths(), request())
    for one in found.paths:
        if one.name == "short":
            assert (one.low_usd, one.high_usd, one.gib.low) == (None, None, None)
            assert one.gib.middle == pytest.approx(0.3 * 91 * 86_400e9 / 8 / 2**30, rel=1e-5)
        else:
            assert known(one.low_usd) <= known(one.usd) <= known(one.high_usd)
    # One path without an interval leaves the sum without one.
    assert (found.low_usd, found.high_usd) == (None, None)
    found = costs_of(paths()[:3], request())
    assert found.total_basis is not None
    assert found.low_usd is not None
    assert found.high_usd is not None
    assert found.low_usd < known(found.usd) < found.high_usd
    assert found.high_usd - found.low_usd <= sum(
        (one.high_usd or 0) - (one.low_usd or 0) for one in found.paths
    )


def test_a_path_without_a_price_is_in_no_sum() -> None:
    unknown = path("x", [1.0] * 30)._replace(unpriced="nobody says")
    found = costs_of([*paths(), unknown], request())
    assert found.usd == costs_of(paths(), request()).usd
    assert found.paths[-1].unpriced == "nobody says"
    assert found.paths[-1].usd is None


@pytest.mark.parametrize("days", [7, 30, 31, 61, 91, 364])
def test_months_hold_730_hours_and_every_day_once(days: int) -> None:
    found = month_days(days)
    np.testing.assert_allclose(found.sum(axis=0), 1.0)
    np.testing.assert_allclose(found[:-1].sum(axis=1) * 24, 730)
    assert 0 < found[-1].sum() * 24 <= 730 + 1e-6
