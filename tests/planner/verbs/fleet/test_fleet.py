"""Plans of fleets against brute force, an independent bill, and by their properties."""

import itertools
import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from netplan_planner.model import Usage
from netplan_planner.planning.fleet.need import CommitmentChoice
from netplan_planner.throughput import load_caps
from netplan_planner.verbs.fleet.answer import FleetAnswer
from netplan_planner.verbs.fleet.table import _active
from netplan_pricing import open_prices
from support.examples import sized
from support.fleets.made import AS_OF, Row, planned, row, usd
from support.fleets.reckoned import (
    MONTH,
    PAID,
    Commitment,
    Group,
    amounts,
    cost,
    listed,
    rates,
    series,
)
from support.known import known
from support.nightly import crossed, every

BOOK = open_prices()
CAPS = load_caps(AS_OF)
CENT = Decimal("0.01")
HEADROOM = 0.2


def made(count: int, seed: int) -> list[Row]:
    """Return rows of every kind, the same for a seed."""
    dice = random.Random(seed)
    rows = []
    for at in range(count):
        first, length = dice.randrange(24), dice.choice([8, 12, 24])
        rows.append(
            row(
                f"g{at}",
                zone=dice.choice(["us-central1-a", "europe-west1-b"]),
                count=dice.choice([1, 2, 5]),
                gbps=round(dice.uniform(0.5, 20), 2),
                outside_gbps=dice.choice(["", 1.5]),
                vcpus=dice.choice([2, 4, 16]),
                memory_gib=dice.choice([4, 16, 64]),
                hours_per_month=dice.choice(["", 200]),
                active_hours="" if length == 24 else f"{first}-{(first + length) % 24}",
            )
        )
    return rows


def groups_of(answer: FleetAnswer, rows: list[Row]) -> list[Group]:
    active = {str(one["name"]): _active(str(one.get("active_hours", ""))) for one in rows}
    found = []
    for one in answer.groups:
        hours = frozenset(active[one.name] or range(24))
        asked = next(r for r in rows if r["name"] == one.name).get("hours_per_month") or MONTH
        most = Fraction(MONTH) * len(hours) / 24
        cap = CAPS.cap(one.machine_type, tier1=True) if one.is_tier1 else None
        found.append(
            Group(
                region=one.zone.rpartition("-")[0],
                machine_type=one.machine_type,
                machines=one.count,
                hours=min(Fraction(str(asked)), most),
                active=hours,
                tier1_gbps=cap.egress_gbps if cap else None,
            )
        )
    return found


def bought_of(answer: FleetAnswer) -> list[Commitment]:
    return [
        Commitment(
            one.kind,
            one.family,
            one.region,
            one.years,
            Fraction(one.vcpus),
            Fraction(one.memory_gib),
            Fraction(one.usd_per_hour),
        )
        for one in answer.commitments
    ]


@pytest.mark.parametrize(("choice", "seed"), crossed(list(CommitmentChoice), [1, 2]))
def test_another_bill_says_the_same(tmp_path: Path, choice: CommitmentChoice, seed: int) -> None:
    rows = made(12, seed)
    answer = planned(tmp_path, rows, commitments=choice)
    reckoned = cost(BOOK, groups_of(answer, rows), bought_of(answer))
    assert abs(float(reckoned) - float(usd(answer))) < 0.005
    assert sum(i.usd_per_month for i in answer.line_items) == usd(answer)
    shares = sum(g.usd_per_month for g in answer.groups)
    fees = sum(c.usd_per_month for c in answer.commitments)
    assert abs(shares + fees - usd(answer)) < CENT / 10
    assert known(answer.bound_usd_per_month) <= usd(answer)
    assert known(answer.gap_ratio) < 1e-3
    assert answer.baseline_usd_per_month is not None
    assert usd(answer) <= answer.baseline_usd_per_month
    assert sum(i.usd_per_month for i in answer.baseline_line_items) == answer.baseline_usd_per_month


@pytest.mark.parametrize("seed", every(2, [1, 2]))
def test_every_machine_carries_its_need_by_the_caps_table(tmp_path: Path, seed: int) -> None:
    rows = made(sized(8, 20), seed)
    answer = planned(tmp_path, rows)
    for group in answer.groups:
        asked = next(one for one in rows if one["name"] == group.name)
        cap = known(CAPS.cap(group.machine_type, tier1=group.is_tier1))
        outside = float(str(asked["outside_gbps"] or 0))
        wanted = float(str(asked["gbps"])) + outside
        assert cap.egress_gbps * (1 - HEADROOM) >= wanted - 1e-9
        assert (cap.external_gbps or 0) >= outside
        shape = known(BOOK.shape(group.machine_type))
        assert shape.vcpus >= int(str(asked["vcpus"]))
        assert shape.memory_gib >= float(str(asked["memory_gib"]))
        assert BOOK.is_offered(group.zone.rpartition("-")[0], group.machine_type)
        assert group.count == asked["count"]


def carrying(asked: Row, names: set[str]) -> list[tuple[str, float | None]]:
    """Return every type, with and without Tier_1, that carries a row, by the caps table."""
    found: list[tuple[str, float | None]] = []
    for shape in BOOK.offered("us-central1"):
        if series(shape.machine_type) not in names or shape.is_shared_core or shape.gpu_count:
            continue
        zones = BOOK.zones(shape.machine_type)
        found.extend(
            (shape.machine_type, cap.egress_gbps if cap.is_tier1 else None)
            for cap in CAPS.variants(shape.machine_type)
            if cap.egress_gbps * 0.8 >= float(str(asked["gbps"]))
            and shape.vcpus >= int(str(asked["vcpus"]))
            and shape.memory_gib >= float(str(asked["memory_gib"]))
            and (zones is None or asked["zone"] in zones)
        )
    return found


def best_commitments(groups: list[Group], choice: CommitmentChoice) -> Fraction:
    """Return the least cost of groups: what is covered ends where the use of some hour ends."""
    levels: dict[tuple[str, str, str], set[Fraction]] = {}
    spends: set[Fraction] = set()
    for hour in range(24):
        running = [one for one in groups if hour in one.active]
        spend = Fraction(0)
        sums: dict[tuple[str, str, str], Fraction] = {}
        for one in running:
            price = rates(BOOK, one.region, one.machine_type, Usage.ON_DEMAND)
            for part, amount in amounts(BOOK, one.region, one.machine_type).items():
                key = one.region, series(one.machine_type), part
                sums[key] = sums.get(key, Fraction(0)) + amount * one.machines
                spend += amount * one.machines * price[part]
        spends.add(spend)
        for key, amount in sums.items():
            levels.setdefault(key, {Fraction(0)}).add(amount)
    best = cost(BOOK, groups, [])
    if choice is CommitmentChoice.FLEXIBLE:
        tried = (
            [Commitment("flexible", "", "", 3, Fraction(0), Fraction(0), one * PAID[3])]
            for one in spends
        )
        return min([best, *(cost(BOOK, groups, one) for one in tried)])
    if choice is CommitmentChoice.RESOURCE:
        # Pools do not touch one another: each by itself.
        for (region, family, part), amounts_ in levels.items():
            gains = []
            for level in amounts_:
                sold = level if part == "core" else Fraction(int(level * 4), 4)
                both = (sold, Fraction(0)) if part == "core" else (Fraction(0), sold)
                bond = Commitment("resource", family, region, 3, *both, Fraction(0))
                gains.append(cost(BOOK, groups, [bond]) - cost(BOOK, groups, []))
            best += min(gains)
    return best


@pytest.mark.parametrize(
    "choice", [CommitmentChoice.NONE, CommitmentChoice.RESOURCE, CommitmentChoice.FLEXIBLE]
)
def test_brute_force_finds_nothing_cheaper(tmp_path: Path, choice: CommitmentChoice) -> None:
    rows = [
        row("day", count=3, gbps=9, vcpus=14, memory_gib=60, active_hours="7-19"),
        row("always", count=1, gbps=30, vcpus=2, memory_gib=8),
    ]
    names = {"e2", "n2", "c2"}
    answer = planned(tmp_path, rows, commitments=choice, series=tuple(sorted(names)))
    best = min(
        best_commitments(
            [
                Group("us-central1", day[0], 3, Fraction(365), frozenset(range(7, 19)), day[1]),
                Group("us-central1", all_[0], 1, Fraction(730), frozenset(range(24)), all_[1]),
            ],
            choice,
        )
        for day, all_ in itertools.product(
            _cheap(carrying(rows[0], names)), _cheap(carrying(rows[1], names))
        )
    )
    assert abs(float(best) - float(usd(answer))) < 0.01
    assert known(answer.gap_ratio) < 1e-6


def _cheap(found: list[tuple[str, float | None]]) -> list[tuple[str, float | None]]:
    """Return those that cost at most three times the cheapest on demand: no discount is greater."""

    def on_demand(one: tuple[str, float | None]) -> float:
        fee = BOOK.tier1_fee("us-central1", one[0], one[1]).usd if one[1] is not None else 0
        return float(listed(BOOK, "us-central1", one[0])) + float(fee)

    least = min(map(on_demand, found))
    return [one for one in found if on_demand(one) <= 3 * least]


def test_more_demand_and_fewer_choices_never_cost_less(tmp_path: Path) -> None:
    rows = made(sized(4, 8), 5)
    base = usd(planned(tmp_path, rows))
    more = [one | {"gbps": float(str(one["gbps"])) * 1.3} for one in rows]
    assert usd(planned(tmp_path, more)) >= base - CENT
    bigger = [one | {"vcpus": int(str(one["vcpus"])) * 2} for one in rows]
    assert usd(planned(tmp_path, bigger)) >= base - CENT
    assert usd(planned(tmp_path, rows, series=("e2", "n2"))) >= base - CENT
    assert usd(planned(tmp_path, rows, headroom_ratio=0.4)) >= base - CENT
    assert usd(planned(tmp_path, rows, years=(1,))) >= base - CENT
    by_choice = {c: usd(planned(tmp_path, rows, commitments=c)) for c in CommitmentChoice}
    assert by_choice[CommitmentChoice.ALL] <= by_choice[CommitmentChoice.RESOURCE] + CENT
    assert by_choice[CommitmentChoice.ALL] <= by_choice[CommitmentChoice.FLEXIBLE] + CENT
    assert by_choice[CommitmentChoice.RESOURCE] <= by_choice[CommitmentChoice.NONE] + CENT
    assert by_choice[CommitmentChoice.FLEXIBLE] <= by_choice[CommitmentChoice.NONE] + CENT


def test_half_the_prices_cost_half(tmp_path: Path) -> None:
    rows = made(sized(4, 8), 6)
    whole = planned(tmp_path, rows, commitments=CommitmentChoice.RESOURCE)
    half = planned(
        tmp_path, rows, commitments=CommitmentChoice.RESOURCE, discounts=["Compute Engine=50"]
    )
    assert abs(usd(half) * 2 - usd(whole)) < CENT


def test_the_order_of_rows_changes_nothing(tmp_path: Path) -> None:
    rows = made(sized(5, 15), 7)
    turned = list(reversed(rows))
    assert planned(tmp_path, rows) == planned(tmp_path, turned)


def standing(count: int, seed: int) -> list[Row]:
    """Return rows whose types of today carry what they need, headroom included."""
    dice = random.Random(seed)
    kinds = {
        "n2-standard-8": (8, 32, 12.8),
        "e2-standard-4": (4, 16, 6.4),
        "e2-small": (1, 2, 0.8),
        "n2-custom-4-8192": (4, 8, 8.0),
        "c3-standard-22": (22, 88, 18.4),
        "n1-highcpu-8": (8, 7.2, 12.8),
    }
    rows = []
    for at in range(count):
        name = dice.choice(list(kinds))
        vcpus, memory, gbps = kinds[name]
        rows.append(
            row(
                f"g{at}",
                zone=dice.choice(["us-central1-a", "europe-west1-b"]),
                count=dice.choice([1, 3]),
                gbps=round(dice.uniform(0.01, gbps), 3),
                vcpus=vcpus,
                memory_gib=memory,
                machine_type=name,
            )
        )
    return rows


@pytest.mark.parametrize("choice", list(CommitmentChoice))
@pytest.mark.parametrize("seed", [1, 2])
def test_no_plan_is_dearer_than_to_stay(
    tmp_path: Path, choice: CommitmentChoice, seed: int
) -> None:
    """Where the types of today carry all, to keep them and to commit is one of the plans."""
    answer = planned(tmp_path, standing(15, seed), commitments=choice)
    assert answer.outgrown_groups == 0
    assert answer.same_types_usd_per_month is not None
    assert usd(answer) <= answer.same_types_usd_per_month + CENT
    assert known(answer.bound_usd_per_month) <= answer.same_types_usd_per_month


@pytest.mark.parametrize("name", ["e2-small", "n2-custom-4-8192"])
def test_what_is_offered_to_nobody_else_may_stay(tmp_path: Path, name: str) -> None:
    """Shared cores and custom types: the one that stands there is no dearer than it is."""
    small = row(count=1, gbps=0.1, vcpus=1, memory_gib=2, machine_type=name)
    answer = planned(tmp_path, [small], commitments=CommitmentChoice.NONE)
    assert usd(answer) <= known(answer.baseline_usd_per_month)
    if name == "e2-small":
        assert answer.groups[0].machine_type == name
