"""What the answers of plans say alike: what their figures rest on, which commitments to buy."""

from collections.abc import Iterator, Sequence

from netplan_planner.model import Amount, FleetCommitment
from netplan_planner.model.plans.plan_answer import PlanAnswer
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.renderers.options import RenderOptions


def basis(
    answer: PlanAnswer, options: RenderOptions, *, without: str, paid: str
) -> Iterator[Block]:
    """Yield which prices, limits and calibration a plan counts with.

    Args:
        answer: The answer.
        options: How it is shown.
        without: What its prices leave out.
        paid: The sentences on how its machines are paid, and what its intervals hold.
    """
    own = f"Contract prices ({answer.price_terms}), and list prices where it has none"
    kind = own if answer.price_terms else "List prices"
    yield doc.para(
        f"{kind} of {answer.prices_as_of} in USD, Spot of {answer.spot_prices_as_of}, traffic"
        f" of {answer.network_prices_as_of}, without {without}; limits of"
        f" {answer.limits_as_of}. {paid}"
    )
    if answer.calibration:
        yield doc.para(answer.calibration)
    if options.currency is not None:
        yield doc.para(options.currency.assumption)


def commitments_to_buy(commitments: Sequence[FleetCommitment]) -> doc.Table:
    """Return the table of commitments that a plan buys."""
    columns = (
        doc.Column(title="kind"),
        doc.Column(title="where"),
        doc.Column(title="term"),
        doc.Column(title="vCPU", is_number=True),
        doc.Column(title="GiB", is_number=True),
        doc.Column(title="per hour", is_number=True, stacked="{}/hour"),
        doc.Column(title="per month", is_number=True, stacked="{}/month"),
        doc.Column(title="used", is_number=True, stacked="{} used"),
    )
    return doc.Table(columns=columns, rows=tuple(_commitment(one) for one in commitments))


def _commitment(one: FleetCommitment) -> tuple[Line, ...]:
    place = " ".join(filter(None, (one.family.upper(), one.region, one.project)))
    covers: Line = ()
    if one.covers_usd_per_hour is not None:
        covers = line("for ", fixed(Amount(usd=one.covers_usd_per_hour)), "/hour of spend")
    return (
        line(say(one.kind, Role.NAME)),
        covers or line(place),
        line(fixed(figures.counted(one.years, "year"))),
        line(fixed(f"{one.vcpus:,}")) if one.vcpus else (),
        line(fixed(figures.trimmed(one.memory_gib, 2))) if one.memory_gib else (),
        line(fixed(Amount(usd=one.usd_per_hour))),
        line(fixed(Amount(usd=one.usd_per_month))),
        line(fixed(f"{one.used_ratio:.1%}")),
    )
