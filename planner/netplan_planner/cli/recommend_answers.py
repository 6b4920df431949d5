"""The answers of `netplan recommend` as text, JSON or CSV."""

import os
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

import msgspec

from netplan_planner.inert import escaped_json, inert
from netplan_planner.model import (
    Candidate,
    CapsBook,
    Infeasible,
    LineItem,
    MachinePlan,
    PriceBook,
    Rejected,
    Usage,
    series_of,
)
from netplan_planner.renderers import RenderOptions
from netplan_planner.renderers.content.phrases import origin, quantity
from netplan_planner.renderers.figures import counted, dollars, unit_price
from netplan_planner.renderers.output import resolved
from netplan_planner.tables.writing import csv_text
from netplan_planner.throughput import stated_on
from netplan_planner.throughput.calibration.factors.calibrated_caps import calibration_note

SCHEMA = "netplan.recommend/1"
WIDTH = 100
COLUMNS = (
    "rank",
    "machine_type",
    "count",
    "is_tier1",
    "cpu_platform",
    "vcpus",
    "memory_gib",
    "cap_gbps",
    "usable_gbps",
    "usd_per_month",
    "reason",
    "detail",
    "sku_ids",
    "prices_as_of",
    "price_source",
)


def text(
    answer: MachinePlan | Infeasible,
    caps: CapsBook,
    prices: PriceBook,
    why_not: tuple[str, ...],
    options: RenderOptions,
) -> str:
    """Return the answer for a terminal, ending with a line end."""
    from netplan_planner.renderers.terminal import render_machine_plan

    decided = resolved(options, sys.stdout, os.environ)
    page = render_machine_plan(answer, decided)
    lines = [line for name in why_not for line in _why_not(answer, name)]
    lines += [*_bill_of_first(answer, decided), *_discounts(answer, prices), *_basis(caps, prices)]
    rows = [row for line in lines for row in textwrap.wrap(line, decided.width or WIDTH)]
    return "\n".join([page.rstrip("\n"), "", *rows]) + "\n"


def data(
    answer: MachinePlan | Infeasible, caps: CapsBook, prices: PriceBook, form: str, age: str = ""
) -> str:
    """Return the whole answer as JSON or CSV, ending with a line end."""
    if form == "csv":
        return _csv(answer)
    document = {
        "schema": SCHEMA,
        "price_age": age,
        "limits_as_of": stated_on(caps.as_of),
        "calibration": next(calibration_note(caps), None),
        "prices_as_of": prices.info.as_of,
        "prices_sha256": prices.info.sha256,
        "price_terms": prices.info.terms,
        "is_feasible": isinstance(answer, MachinePlan),
        **msgspec.structs.asdict(answer),
    }
    encoded = msgspec.json.Encoder(decimal_format="number").encode(document)
    return escaped_json(msgspec.json.format(encoded).decode()) + "\n"


def _basis(caps: CapsBook, prices: PriceBook) -> list[str]:
    info = prices.info
    own = f"The contract's prices where it names one ({inert(info.terms, 200)}), else list"
    kind = f"{own} prices" if info.terms else "List prices"
    return [
        f"{kind} of {info.as_of} in USD, without disks, licences and traffic; Tier_1 fees of"
        f" {info.network_as_of}; limits of {stated_on(caps.as_of)}.",
        *calibration_note(caps),
        "A cap is a ceiling: to send at it takes cores, and small types have few: ask for them with"
        " --vcpus. Several small machines instead of one, where the load spreads: --max-count N.",
    ]


def _bill_of_first(answer: MachinePlan | Infeasible, options: RenderOptions) -> Iterator[str]:
    """Yield what the price of the first machine is made of, of all of them with `-v`."""
    ranked = answer.ranked if isinstance(answer, MachinePlan) else ()
    for candidate in ranked[: None if options.verbosity else 1]:
        for item in candidate.line_items:
            source = "" if item.sku_ids else f"; {item.source}, without a SKU id"
            yield inert(
                f"{dollars(item.usd_per_month)} = {quantity(item)} ×"
                f" {unit_price(item.unit_price_usd)} ({origin(item)}{source})"
            )


def _discounts(answer: MachinePlan | Infeasible, prices: PriceBook) -> Iterator[str]:
    """Yield what the discount for long use is in the figures, or would be."""
    if isinstance(answer, Infeasible):
        return
    need = answer.need
    if need.usage is Usage.SUSTAINED_USE:
        yield (
            "Sustained-use discounts are included: accounts that pay online get them, for what no"
            " commitment covers."
        )
    if need.usage is not Usage.ON_DEMAND:
        return
    percents: dict[str, set[Decimal]] = defaultdict(set)
    for candidate in answer.ranked:
        ratio = prices.sustained_use_ratio(candidate.machine_type, need.month_ratio)
        if ratio < 1:
            percents[series_of(candidate.machine_type)].add(100 * (1 - ratio))
    if percents:
        reached = sorted(percent for found in percents.values() for percent in found)
        bounds = dict.fromkeys(f"{float(p):.3g}" for p in (reached[0], reached[-1]))
        yield (
            f"Without discounts for use. With so much of it {', '.join(sorted(percents))} bring"
            f" sustained-use discounts of {' to '.join(bounds)} % by themselves: --sustained-use"
            " ranks with them."
        )


def _why_not(answer: MachinePlan | Infeasible, machine_type: str) -> Iterator[str]:
    """Yield what became of a type: its place, or its reason."""
    name = inert(machine_type, 80)
    ranked = answer.ranked if isinstance(answer, MachinePlan) else ()
    found = False
    for place, candidate in enumerate(ranked, 1):
        if candidate.machine_type == machine_type:
            found = True
            yield f"{name}{_tier(candidate)}: {_place(place, candidate, ranked[0])}"
    for refused in answer.rejected:
        if refused.machine_type == machine_type:
            found = True
            yield f"{name}{_tier(refused)}: {refused.reason}, {inert(refused.detail)}"
    if not found:
        yield f"{name}: no region offers a predefined type of this name"


def _tier(entry: Candidate | Rejected) -> str:
    return " with Tier_1" if entry.is_tier1 else ""


def _place(place: int, candidate: Candidate, best: Candidate) -> str:
    number = f"number {place}, {counted(candidate.count, 'machine')}"
    if candidate.usd_per_month is None:
        return f"{number}, price unknown: {inert(candidate.note)}"
    price = f"{dollars(candidate.usd_per_month)} a month"
    if best.usd_per_month is None or place == 1:
        return f"{number}, {price}"
    difference = candidate.usd_per_month - best.usd_per_month
    word = "less" if difference < 0 else "more"
    against = f"{dollars(abs(difference))} {word} than {best.machine_type}"
    # What puts a cheaper one behind dearer ones: a peak, a check, another architecture.
    why = f"; {inert(candidate.note)}" if candidate.note else ""
    return f"{number}, {price}, {against}{why}"


def _csv(answer: MachinePlan | Infeasible) -> str:
    """Return the ranking, then the losers with their reasons; no rank means it lost."""
    rows: list[dict[str, object]] = []
    ranked = answer.ranked if isinstance(answer, MachinePlan) else ()
    for place, candidate in enumerate(ranked, 1):
        fields = msgspec.structs.asdict(candidate)
        row = {**fields, "rank": place, "reason": "", "detail": candidate.note}
        rows.append(row | _origin(candidate.line_items))
    rejected = sorted(answer.rejected, key=lambda r: (r.machine_type, r.is_tier1))
    rows += map(msgspec.structs.asdict, rejected)
    return csv_text(COLUMNS, ([row.get(name) for name in COLUMNS] for row in rows))


def _origin(lines: Sequence[LineItem]) -> dict[str, str]:
    """Return the SKUs, the oldest date and the sources of a bill."""
    return {
        "sku_ids": " + ".join(dict.fromkeys(one for line in lines for one in line.sku_ids)),
        "prices_as_of": min((line.as_of.isoformat() for line in lines), default=""),
        "price_source": "; ".join(dict.fromkeys(line.source for line in lines)),
    }
