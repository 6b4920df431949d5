"""A recommendation: the machine types that carry a bandwidth, why others lost, what it rests on."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from msgspec.structs import asdict

from netplan_planner import model
from netplan_planner.renderers.content import Cell, DataTable, phrases, plans
from netplan_planner.renderers.content.phrases import origin, quantity, unit_price
from netplan_planner.renderers.document import Block, Para, line, say
from netplan_planner.renderers.figures import counted
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.recommend.answer import Basis, Recommendation

SCHEMA = "netplan.recommend/1"
COLUMNS = (
    "rank",
    "machine_type",
    "count",
    "is_tier1",
    "cpu_platform",
    "vcpus",
    "memory_gib",
    "cap_gbps",
    "low_gbps",
    "high_gbps",
    "usable_gbps",
    "usd_per_month",
    "reason",
    "detail",
    "sku_ids",
    "prices_as_of",
    "price_source",
)


def record(answer: Recommendation) -> tuple[Basis, model.MachinePlan | model.Infeasible]:
    """Return what it rests on, then every field of the plan."""
    return model.taken(Basis, answer), answer.plan


def table(answer: Recommendation) -> DataTable:
    """Return the ranking, then the losers with their reasons; no rank means it lost."""
    return DataTable(COLUMNS, _rows(answer.plan))


def _rows(plan: model.MachinePlan | model.Infeasible) -> Iterator[tuple[Cell, ...]]:
    for place, candidate in enumerate(_ranked(plan), 1):
        fields = asdict(candidate) | {"rank": place, "reason": "", "detail": candidate.note}
        fields |= _origin(candidate.line_items)
        yield tuple(fields[name] for name in COLUMNS)
    for refused in sorted(plan.rejected, key=lambda one: (one.machine_type, one.is_tier1)):
        fields = asdict(refused)
        yield tuple(fields.get(name) for name in COLUMNS)


def _origin(lines: Sequence[model.LineItem]) -> dict[str, str]:
    """Return the SKUs, the oldest date and the sources of a bill."""
    return {
        "sku_ids": " + ".join(dict.fromkeys(one for line in lines for one in line.sku_ids)),
        "prices_as_of": min((line.as_of.isoformat() for line in lines), default=""),
        "price_source": "; ".join(dict.fromkeys(line.source for line in lines)),
    }


def blocks(answer: Recommendation, options: RenderOptions) -> Iterator[Block]:
    """Yield the plan, then what became of types that were asked for, the bill and the basis."""
    plan = answer.plan
    if isinstance(plan, model.MachinePlan):
        yield from plans.machine_plan(plan, options)
    else:
        yield from plans.no_machines(plan, options)
    for name in answer.why_not:
        yield from _paragraphs(_why_not(plan, name))
    yield from _paragraphs(_bill(_ranked(plan)[: None if options.verbosity else 1]))
    yield from _paragraphs(_discounts(answer))
    yield from phrases.blocks(answer.incomplete, options)
    yield from _paragraphs(_basis(answer))
    if options.currency is not None:
        yield Para(line=line(options.currency.assumption))


def _paragraphs(texts: Iterator[model.Text]) -> Iterator[Block]:
    return (Para(line=line(say(text))) for text in texts)


def _ranked(plan: model.MachinePlan | model.Infeasible) -> tuple[model.Candidate, ...]:
    return plan.ranked if isinstance(plan, model.MachinePlan) else ()


def _bill(candidates: Sequence[model.Candidate]) -> Iterator[model.Text]:
    """Yield what the prices of machines are made of."""
    for candidate in candidates:
        for item in candidate.line_items:
            source = "" if item.sku_ids else f"; {item.source}, without a SKU id"
            yield model.worded(
                model.Amount(usd=item.usd_per_month),
                f" = {quantity(item)} × ",
                unit_price(item.unit_price_usd),
                f" ({origin(item)}{source})",
            )


def _discounts(answer: Recommendation) -> Iterator[model.Text]:
    """Yield what the discount for long use is in the figures, or would be."""
    if (
        isinstance(answer.plan, model.MachinePlan)
        and answer.plan.need.usage is model.Usage.SUSTAINED_USE
    ):
        yield (
            "Sustained-use discounts are included (for accounts that pay online, for usage that "
            "no commitment covers)."
        )
    if answer.long_use_percents:
        series = dict.fromkeys(name for name, _ in answer.long_use_percents)
        reached = sorted(percent for _, percent in answer.long_use_percents)
        bounds = dict.fromkeys(f"{float(one):.3g}" for one in (reached[0], reached[-1]))
        yield (
            f"Usage discounts are not included. At this usage, {', '.join(series)} get "
            f"sustained-use discounts of {' to '.join(bounds)}% automatically: rank with "
            "--sustained-use."
        )


def _basis(answer: Recommendation) -> Iterator[model.Text]:
    own = f"Contract prices where the contract has them ({answer.price_terms}), else list prices"
    kind = own if answer.price_terms else "List prices"
    yield (
        f"{kind} of {answer.prices_as_of} in USD; disks, licences and traffic not included. "
        f"Tier_1 fees of {answer.network_prices_as_of}. Limits of {answer.limits_as_of}."
    )
    if answer.calibration:
        yield answer.calibration
    yield (
        "A cap is a maximum. To reach it, a VM needs cores, and small types have few (--vcpus). "
        "Several small VMs can split the load (--max-count N)."
    )


def _why_not(plan: model.MachinePlan | model.Infeasible, machine_type: str) -> Iterator[model.Text]:
    """Yield what became of a type: its place, or its reason."""
    ranked = _ranked(plan)
    said = [
        model.worded(f"{machine_type}{_tier(candidate)}: ", _place(place, candidate, ranked[0]))
        for place, candidate in enumerate(ranked, 1)
        if candidate.machine_type == machine_type
    ]
    said += [
        f"{machine_type}{_tier(refused)}: {refused.reason}, {refused.detail}"
        for refused in plan.rejected
        if refused.machine_type == machine_type
    ]
    yield from said or (f"{machine_type}: no region offers a predefined type with this name",)


def _tier(entry: model.Candidate | model.Rejected) -> str:
    return " with Tier_1" if entry.is_tier1 else ""


def _place(place: int, candidate: model.Candidate, best: model.Candidate) -> model.Text:
    number = f"number {place}, {counted(candidate.count, 'VM')}"
    if candidate.usd_per_month is None:
        return f"{number}, price unknown: {candidate.note}"
    place_and_price = model.worded(
        f"{number}, ", model.Amount(usd=candidate.usd_per_month), "/month"
    )
    if best.usd_per_month is None or place == 1:
        return place_and_price
    difference: Decimal = candidate.usd_per_month - best.usd_per_month
    word = "less" if difference < 0 else "more"
    # What puts a cheaper one behind dearer ones: a peak, a check, another architecture.
    why = f"; {candidate.note}" if candidate.note else ""
    against = f" {word} than {best.machine_type}{why}"
    return model.worded(place_and_price, ", ", model.Amount(usd=abs(difference)), against)
