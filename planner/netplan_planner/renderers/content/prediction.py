"""A prediction: the rate with its interval, what binds, and what one can plan with."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.inert import NAME_LENGTH
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.columns import Columns
from netplan_planner.renderers.content import Cell, DataTable, phrases
from netplan_planner.renderers.content.phrases import limit_name, limit_words, unit_price
from netplan_planner.renderers.document import Block, Line, fixed, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.throughput.transport.tools import THREADED_TEXT

SCHEMA = "netplan.prediction/1"
_LEAST_CHANCE = 0.005
FAR_APART = 5.0
"""Ends with this ratio say nothing that one could plan with."""
_LONG = 2000
_ONE_CORE_IS = (
    f"a tool of one thread (iperf3 before {THREADED_TEXT}), one receive queue, one tunnel"
)


class BoundBy(model.Value, frozen=True, kw_only=True):
    """Limits by name."""

    binding_limit: str | None
    """The limit that binds; null where nothing is predicted."""
    next_limit: str | None
    """The one that would bind were the first lifted."""


def record(answer: model.Prediction) -> tuple[model.Prediction, BoundBy]:
    """Return every field, and the names of the limits that bind first and next."""
    found = answer.estimate
    first = found.limits[0].name if found.gbps is not None else None
    return answer, BoundBy(binding_limit=first, next_limit=_second(found))


def _of_first(answer: model.Prediction, name: str) -> Cell:
    """Return what the limit that binds says of itself."""
    found = answer.estimate
    return getattr(found.limits[0], name) if found.gbps is not None else None


COLUMNS = Columns[model.Prediction](
    src=lambda one: one.src,
    dst=lambda one: one.dst,
    path_class=lambda one: one.query.path_class.value,
    predicted_gbps=lambda one: one.estimate.gbps,
    low_gbps=lambda one: one.estimate.low_gbps,
    high_gbps=lambda one: one.estimate.high_gbps,
    level=lambda one: one.estimate.level,
    binding_limit=lambda one: _of_first(one, "name"),
    probability=lambda one: next(iter(one.estimate.probabilities), None),
    next_limit=lambda one: _second(one.estimate),
    lifted_by=lambda one: _of_first(one, "lifted_by"),
    duration_s=lambda one: one.estimate.duration_s,
    usd=lambda one: one.planning.cost.usd if one.planning.cost else None,
    one_core_gbps=lambda one: one.planning.one_core.gbps if one.planning.one_core else None,
    cap_gbps=lambda one: one.planning.cap_gbps,
    limits_as_of=lambda one: one.limits_as_of,
    reason=lambda one: "; ".join(one.estimate.unknown) or one.rtt_doubt,
)


def table(answer: model.Prediction) -> DataTable:
    """Return one row."""
    return COLUMNS.table((answer,))


def _second(found: model.Estimate) -> str | None:
    return found.limits[1].name if found.gbps is not None and len(found.limits) > 1 else None


def blocks(answer: model.Prediction, options: RenderOptions) -> Iterator[Block]:
    """Yield the rate and what binds; with `-v` every limit with its source, and the arithmetic."""
    yield heading(answer)
    yield from _body(answer)
    yield from phrases.blocks(answer.incomplete, options)
    if options.explains_all:
        yield from _explained(answer)


def heading(answer: model.Prediction) -> doc.Title:
    """Return what the answer is of."""
    query = answer.query
    parts = [query.path_class.value]
    if query.path_class is not model.PathClass.GOOGLE_APIS:
        parts.append(
            figures.counted(query.streams, "stream")
            if query.streams is not None
            else "as many streams as needed"
        )
    if query.rtt_ms is not None:
        parts.append(f"RTT {query.rtt_ms:.3g} ms")
    if query.transfer_bytes is not None:
        parts.append(figures.byte_volume(query.transfer_bytes))
    elif query.duration_s is not None:
        parts.append(f"first {figures.duration(query.duration_s)}")
    else:
        parts.append("steady")
    if query.is_both_ways:
        parts.append("both ways at once")
    names = doc.joined(
        (line(say(end, length=NAME_LENGTH)) for end in (answer.src, answer.dst)), " → "
    )
    return doc.Title(
        line=names, basis=line(f"{', '.join(parts)} · limits of {answer.limits_as_of}")
    )


def _body(answer: model.Prediction) -> Iterator[Block]:
    found = answer.estimate
    if found.gbps is None:
        yield from _unknown(answer)
        return
    yield _para(_likely(found, found.gbps))
    yield from _time(found)
    yield from _cost(answer.planning)
    yield from _binding(found)
    yield from _service(answer)
    yield from _to_plan_with(answer)
    for said in (*found.assumed, answer.rtt_doubt):
        if said:
            yield _para(f"assumed: {said}")
    for note in answer.notes:
        yield _para(f"note: {note}")
    if answer.rtt_detail:
        yield _para(f"round-trip time from {answer.rtt_detail}")


def _likely(found: model.Estimate, gbps: float) -> str:
    """Return the value with its interval; of ends far apart the cases say more."""
    low, high = found.low_gbps or gbps, found.high_gbps or gbps
    if found.cases and high > FAR_APART * low:
        return f"expected {figures.rate(gbps)}; missing inputs are assumed, case by case below"
    share = figures.share(found.level or 0.0, 1.0)
    return f"{figures.rate_interval(gbps, low, high)} in {share} of cases"


def _para(text: model.Text) -> doc.Para:
    return doc.para(say(text, length=_LONG), is_inner=True)


def _unknown(answer: model.Prediction) -> Iterator[Block]:
    """Yield why there is no likely value, and the bounds where there are some."""
    found = answer.estimate
    why = "; ".join(found.unknown)
    if answer.query.path_class is not model.PathClass.GOOGLE_APIS:
        yield _para(f"unknown: {why}")
        return
    least = f"from {figures.rate(found.low_gbps)}" if found.low_gbps is not None else ""
    most = f"at most {figures.rate(found.limits[0].gbps)}" if found.limits else ""
    spoken = ", ".join(part for part in (least, most) if part)
    yield _para(f"{spoken}; no expected value: {why}" if spoken else f"unknown: {why}")
    if least:
        yield _para("the minimum is the lowest published row of this machine type: small files")
    if found.limits:
        yield _para(f"the maximum is {_limit(found.limits[0])}")
    for said in found.assumed:
        yield _para(f"assumed: {said}")


def _service(answer: model.Prediction) -> Iterator[Block]:
    """Yield what a service does on the path, and what it is taken to be."""
    service, done = answer.service, answer.transactions
    if service is None or done is None:
        return
    yield _para(
        f"{done.tps:,.0f} transactions/s [{done.low_tps:,.0f} to {done.high_tps:,.0f}], limit: "
        f"{done.binding}"
    )
    size = f"{service.bytes_per_transaction / 1000:.3g} kB"
    if service.low_bytes_per_transaction != service.high_bytes_per_transaction:
        low, high = service.low_bytes_per_transaction, service.high_bytes_per_transaction
        size += f" [{low / 1000:.3g} to {high / 1000:.3g}]"
    most = f"{service.ceiling_tps:,.0f}/s"
    if service.low_ceiling_tps != service.high_ceiling_tps:
        top = f"{service.high_ceiling_tps:,.0f}" if service.high_ceiling_tps else "open"
        most += f" [{service.low_ceiling_tps:,.0f} to {top}]"
    yield _para(f"service: {size} per transaction, at most {most}")


def _time(found: model.Estimate) -> Iterator[Block]:
    if found.duration_s is None or found.low_duration_s is None or found.high_duration_s is None:
        return
    low, high = figures.duration(found.low_duration_s), figures.duration(found.high_duration_s)
    yield _para(f"takes {figures.duration(found.duration_s)} [{low} to {high}]")


def _cost(plan: model.Planning) -> Iterator[Block]:
    """Yield what the transfer costs, with its line items."""
    cost = plan.cost
    if cost is None:
        return
    if cost.usd is None:
        yield _para(f"cost unknown: {cost.why_unknown}")
        return
    if cost.high_usd is not None:
        yield _para(
            model.worded(
                *("costs ", model.Amount(usd=cost.usd), " to ", model.Amount(usd=cost.high_usd)),
                f" depending on where the receiver is: {figures.volume(cost.gib)} with headers, "
                f"prices of {cost.prices_as_of}",
            )
        )
        return
    paid = [item for item in cost.line_items if item.usd_per_month]
    detail = model.worded(
        *(
            model.worded(
                f"{'; ' if at else ': '}{figures.volume(item.quantity)} at ",
                unit_price(item.unit_price_usd),
                " per GiB",
            )
            for at, item in enumerate(paid)
        )
    )
    yield _para(
        model.worded(
            *("costs ", model.Amount(usd=cost.usd), detail or f" for {figures.volume(cost.gib)}"),
            f", headers counted, prices of {cost.prices_as_of}",
        )
    )


def _binding(found: model.Estimate) -> Iterator[Block]:
    """Yield what binds, how likely, what comes behind it and what lifts it."""
    first = found.limits[0]
    yield _para(f"limit: {_limit(first)}{_chance(found, 0)}")
    if len(found.limits) > 1:
        yield _para(f"then {_limit(found.limits[1])}{_chance(found, 1)}")
    if first.lifted_by:
        yield _para(f"to raise it: {first.lifted_by}")


def _chance(found: model.Estimate, at: int) -> str:
    """Return how likely a limit binds, where that is worth a word, and at what rate.

    The rate is told where the limit's own figure is not one that the path may carry.
    """
    chance = found.probabilities[at] if found.probabilities else 0.0
    if chance < _LEAST_CHANCE:
        return ""
    own, then = found.limits[at].gbps, found.binding_gbps[at] or 0.0
    is_inside = (found.low_gbps or 0.0) <= own <= (found.high_gbps or 0.0)
    return (
        f" (probability {figures.share(chance, 1.0)}"
        f"{'' if is_inside else f', at {figures.rate(then)}'})"
    )


def _limit(limit: model.Limit) -> str:
    return f"{limit_name(limit)}, {figures.rate(limit.gbps)}"


def _to_plan_with(answer: model.Prediction) -> Iterator[Block]:
    """Yield the figures to plan with: by core, by number of streams; the doubt and the quota."""
    plan, found = answer.planning, answer.estimate
    if plan.one_core is not None and found.gbps is not None:
        yield _para("to plan with:")
        yield _pairs(tuple(_by_core(plan, found.gbps)))
    has_row = plan.one_core is not None
    cases = [one for one in found.cases if one.of != "threads" or not has_row]
    if cases:
        inputs = ", ".join(dict.fromkeys(one.of for one in cases))
        yield _para(f"by missing inputs ({inputs}), each case separately:")
        columns = (doc.Column(title=""), doc.Column(title="", is_note=True))
        yield doc.Table(columns=columns, rows=tuple(map(_case, cases)), is_inner=True)
    if plan.doubt:
        yield _para(f"doubt: {plan.doubt}")
    if plan.quota:
        yield _para(f"also limited by: {plan.quota}; its value is unknown (--quota-gbps)")


def _by_core(plan: model.Planning, likely_gbps: float) -> Iterator[tuple[str, str]]:
    core = plan.one_core
    yield "expected", f"{figures.rate(likely_gbps)}, with many flows over several queues and cores"
    if core is not None:
        told = figures.rate_interval(core.gbps, core.low_gbps, core.high_gbps)
        yield "one core", f"{told}, if one core carries all: {_ONE_CORE_IS}"
    if plan.cap_gbps is not None:
        yield "cap", f"{figures.rate(plan.cap_gbps)}, documented; a maximum, not guaranteed"
    yield "measure to be sure", plan.probe


def _pairs(rows: tuple[tuple[str, str], ...]) -> doc.Table:
    columns = (doc.Column(title=""), doc.Column(title="", is_note=True))
    cells = tuple((line(label), line(say(text, length=_LONG))) for label, text in rows)
    return doc.Table(columns=columns, rows=cells, is_inner=True)


def _case(one: model.Case) -> tuple[Line, Line]:
    told = figures.rate_interval(one.gbps or 0.0, one.low_gbps, one.high_gbps)
    why = f", {limit_words(one.binding_limit)}" if one.binding_limit else ""
    return line(fixed(one.name)), line(f"{told}{why}")


def _explained(answer: model.Prediction) -> Iterator[Block]:
    """Yield every limit with its source, and how the figure follows."""
    found, query = answer.estimate, answer.query
    yield doc.entry("every limit, the lowest first")
    for at, limit in enumerate(found.limits):
        spread = ""
        if limit.kind is model.LimitKind.MEASURED and limit.low_gbps and limit.high_gbps:
            spread = f", measured {figures.rates(limit.low_gbps, limit.high_gbps, joint=' to ')}"
        yield _para(f"{limit.name}: {_limit(limit)}{spread}{_chance(found, at)}")
        yield _para(f"  {limit.source}, {limit.as_of}")
    if found.gbps is None:
        return
    yield doc.entry("calculation")
    yield _para(
        "value: the lowest limit, because a single stream shares with no other"
        if query.streams == 1
        else "value: the minimum of offered = streams x window / RTT and the limits. For "
        "limits that drop packets on the path, (offered^-3 + cap^-3)^(-1/3), and at "
        "least one stream alone"
    )
    if query.duration_s is not None or query.transfer_bytes is not None:
        recovery = (
            "" if query.streams == 1 else "; where a cap limits it, followed by CUBIC recovery"
        )
        yield _para(
            "start: 10 segments first, doubled each round trip; one round trip before the first "
            f"byte counts{recovery}"
        )
    yield _para(
        "interval: from the lowest to the highest case of the missing inputs. Each case has "
        "limits and model factors at their least and most favourable. It is scaled by the errors "
        "on measurement campaigns that the model did not use (docs/background/accuracy.md)"
    )
