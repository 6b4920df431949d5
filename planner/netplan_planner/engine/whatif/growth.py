"""Traffic that grows: which machine meets its limit when, and which price steps are reached."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.engine.summary import direction_of
from netplan_planner.engine.traffic_bill import Tiers, price_key
from netplan_planner.model import Direction, Facts, SelfLink
from netplan_planner.model.whatif import WhatifField, WhatifFull, WhatifPair, WhatifPriceStep
from netplan_planner.optimise.whatif.growth import factor_of
from netplan_planner.optimise.whatif.selecting import Aimed
from netplan_planner.paths.priced_paths import PricedPath, path_prices_of, priced_path_of

_ZERO = Decimal(0)


class _Growth(NamedTuple):
    factor: float
    by: date | None


def filled(
    machines: Sequence[WhatifPair], aims: Sequence[Aimed], today: date
) -> tuple[WhatifFull, ...]:
    """Return the limits that growing machines meet, the first first.

    Growth is taken as a straight line from today. Limits are those after all changes.
    """
    growths: dict[SelfLink, _Growth] = {}
    for change, instances in aims:
        if change.field is WhatifField.GROWTH:
            growth = _Growth(float(factor_of(change)), change.by)
            growths |= {one.ref.self_link: growth for one in instances}
    found = [
        full
        for pair in machines
        if pair.link in growths and growths[pair.link].factor > 1
        for full in _of(pair, growths[pair.link], today)
    ]
    return tuple(sorted(found, key=lambda one: (one.at_factor, one.machine, one.limit)))


def _of(pair: WhatifPair, growth: _Growth, today: date) -> Iterator[WhatifFull]:
    after = pair.after
    for limit, p95, cap in (
        ("vm-egress", after.p95_gbps, after.egress_gbps),
        ("external-egress", after.external_p95_gbps, after.external_gbps),
    ):
        if not p95 or not cap or p95 < cap:
            continue
        today_gbps = p95 / growth.factor
        at = max(1.0, cap / today_gbps)
        on = None
        if growth.by is not None:
            days = (growth.by - today).days * (at - 1) / (growth.factor - 1)
            on = today + timedelta(days=int(days))
        yield WhatifFull(
            machine=pair.name, limit=limit, gbps=today_gbps, cap_gbps=cap, at_factor=at, on=on
        )


class _Use(NamedTuple):
    tiers: Tiers
    gib: Decimal


def price_steps(before: Facts, after: Facts) -> tuple[WhatifPriceStep, ...]:
    """Return the prices whose last GiB of a month is on another step than before."""
    old, new = _uses(before), _uses(after)
    found = []
    for key in sorted({*old, *new}):
        tiers = (new.get(key) or old[key]).tiers
        gib_before = old[key].gib if key in old else _ZERO
        gib_after = new[key].gib if key in new else _ZERO
        step, then = _step(tiers, gib_before), _step(tiers, gib_after)
        if step != then:
            found.append(
                WhatifPriceStep(
                    name=tiers[0].price.description,
                    sku_id=tiers[0].price.sku_id or "",
                    gib_before=gib_before,
                    gib_after=gib_after,
                    usd_per_gib_before=tiers[step].price.usd,
                    usd_per_gib_after=tiers[then].price.usd,
                )
            )
    return tuple(found)


def _step(tiers: Tiers, gib: Decimal) -> int:
    reached = [number for number, tier in enumerate(tiers) if tier.start < gib]
    return max(reached, default=0)


def _uses(facts: Facts) -> dict[str, _Use]:
    """Return what is used of each price with steps."""
    if facts.traffic is None:
        return {}
    by_path: dict[PricedPath, int] = defaultdict(int)
    for edge in facts.traffic.edges:
        if direction_of(facts, edge) is Direction.SENT:
            by_path[priced_path_of(facts, edge)] += edge.wire_bytes
    found: dict[str, _Use] = {}
    for path, byte_count in by_path.items():
        for part in path_prices_of(facts, path):
            if len(part.tiers) > 1:
                key = price_key(part.tiers)
                was = found.get(key)
                gib = facts.gib_per_month(byte_count)
                found[key] = _Use(part.tiers, gib if was is None else was.gib + gib)
    return found
