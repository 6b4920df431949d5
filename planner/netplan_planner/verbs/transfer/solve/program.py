"""A transfer within a span of time as a linear program, with or without whole machines.

Costs are linear in machine-seconds, so the time is a variable. Whole machines are counted in
powers of two; machine-seconds are such a power times the time, which has no error where a count is
whole (McCormick's inequalities with one factor that is 0 or 1).
"""

from typing import NamedTuple

import numpy as np

from netplan_planner.optimise.highs import Answer, Clock, Effort, Floats, Linear, Rows, run
from netplan_planner.verbs.transfer.solve.network import Network, carried

GAP = 2e-6
"""Relative: of thousands of dollars it is less than a cent."""
NODES = 2_000
"""Of a search for whole machines: it ends there on any machine, however busy."""
LAST_RESORT_S = 300.0
_INFINITY = np.inf


class Span(NamedTuple):
    """How long machines may be up."""

    low_s: float
    high_s: float


class Aim(NamedTuple):
    """What is to be least, and what it may cost."""

    is_time: bool = False
    most_usd: float = _INFINITY


class Found(NamedTuple):
    """Shares, machines (whole or not) and how long they are up; what is proven of the aim."""

    shares: Floats
    counts: Floats
    up_s: float
    usd: float
    bound: float


class Priced(NamedTuple):
    """The best of a program without whole numbers, and what its rows are worth."""

    found: Found
    limits: Floats
    """What the cost falls by where a limit lets one Gbit more through."""
    quotas: Floats
    per_usd: float
    """What it falls by where it may cost a dollar more; 0 where that is not bounded."""
    worth: float
    """What one more way for all bytes may cost to be worth taking."""


class _Layout(NamedTuple):
    """Where the variables stand."""

    flows: int
    """Targets × edges, where there are several targets; else none."""
    time: int
    seconds: int
    """Options: machine-seconds."""
    bits: int
    """Options × bits, where machines are whole: 0 or 1."""
    parts: int
    """Options × bits: the time where the bit is 1."""
    chosen: int
    """Options: 0 or 1."""
    end: int


def relaxed(network: Network, span: Span, aim: Aim = Aim()) -> Found | None:  # noqa: B008
    """Return the best with fractions of machines: no plan is better. None: there is none."""
    layout, answer = _answer(network, span, aim, 0, None)
    return None if answer is None else _found(network, layout, answer, 0, None)


def priced(network: Network, span: Span, aim: Aim, counts: Floats | None) -> Priced | None:
    """Return the best over parallel edges from the source to one target, with its prices.

    Args:
        network: Its edges are whole ways: each leads from the source to the target.
        span: How long machines are up.
        aim: What is to be least.
        counts: Machines, where they are decided; None: fractions of any.
    """
    layout, answer = _answer(network, span, aim, 0, counts)
    if answer is None:
        return None
    first = len(network.places)
    second = first + len(network.limits.names)
    duals = answer.duals
    return Priced(
        found=_found(network, layout, answer, 0, counts),
        limits=duals[first:second],
        quotas=duals[second : second + len(network.quotas.names)],
        per_usd=-float(duals[-1]) if np.isfinite(aim.most_usd) else 0.0,
        worth=float(duals[network.source] - duals[network.targets[0]]),
    )


def whole(network: Network, span: Span, aim: Aim, nodes: int, clock: Clock) -> Found | None:
    """Return the best that was found with whole machines of one option in each place."""
    bits = int(network.most).bit_length()
    layout, answer = _answer(
        network, span, aim, bits, None, Effort(GAP, nodes, clock, is_optional=True)
    )
    return None if answer is None else _found(network, layout, answer, bits, None)


def leanest(network: Network, up_s: float, most_usd: float, clock: Clock) -> Found | None:
    """Return the fewest machines, whatever they cost, that keep a time and a cost of traffic.

    None: none was found.
    """
    edges, options = network.edges, network.options
    end, busy_s = edges + options, up_s - network.overhead_s
    limits, quotas = network.limits, network.quotas
    layout = _Layout(edges, edges, edges, end, end, end, end)
    cost, high = np.ones(end), np.ones(end)
    cost[:edges], high[edges:] = 0.0, network.most
    rows = Rows()
    _add_conservation(network, layout, rows)
    rows.add(limits.edge_row, limits.edge, np.full(len(limits.edge), network.gbit))
    rows.add(limits.option_row, edges + limits.option, -limits.gbps * busy_s)
    rows.bounds(np.full(len(limits.names), -_INFINITY), -network.gbit * limits.always)
    rows.add(quotas.edge_row, quotas.edge, np.full(len(quotas.edge), network.gbit))
    rows.bounds(np.full(len(quotas.names), -_INFINITY), quotas.gbps * busy_s)
    rows.add(network.option_place, edges + np.arange(options), np.ones(options))
    places = len(network.places)
    rows.bounds(np.full(places, -_INFINITY), np.full(places, float(network.most)))
    rows.add(np.zeros(edges, dtype=int), np.arange(edges), network.usd)
    rows.bounds(np.array([-_INFINITY]), np.array([most_usd]))
    effort = Effort(0.0, NODES, clock, is_optional=True)
    model = Linear(cost, np.zeros(end), high, *rows.done(end))
    answer = run(model, np.arange(edges, end), effort)
    if answer is None:
        return None
    shares, counts = np.clip(answer.values[:edges], 0.0, 1.0), np.round(answer.values[edges:])
    usd = float(network.usd @ shares)
    return Found(shares, counts, up_s, usd, answer.bound)


def _answer(
    network: Network,
    span: Span,
    aim: Aim,
    bits: int,
    counts: Floats | None,
    effort: Effort | None = None,
) -> tuple[_Layout, Answer | None]:
    many = len(network.targets) > 1
    edges, options = network.edges, network.options
    digits = options * bits
    flows = edges * len(network.targets) if many else 0
    sizes = (edges, flows, 1, options, digits, digits, options if bits else 0)
    layout = _Layout(*np.cumsum(sizes).tolist())
    model = _model(network, span, aim, layout, bits, counts)
    integers = None
    if bits:
        integers = np.concatenate(
            [np.arange(layout.bits, layout.parts), np.arange(layout.chosen, layout.end)]
        )
    return layout, run(model, integers, effort)


def _found(
    network: Network, layout: _Layout, answer: Answer, bits: int, counts: Floats | None
) -> Found:
    values = answer.values
    up_s = float(values[layout.time])
    held = values[layout.seconds : layout.bits] / max(up_s, 1e-12)
    if counts is not None:
        held = counts
    elif bits:
        power = 2.0 ** np.arange(bits)
        digits = values[layout.bits : layout.parts].reshape(network.options, bits)
        held = np.round(digits) @ power
    shares = np.clip(values[: network.edges], 0.0, 1.0)
    usd = float(network.usd @ shares + network.option_usd @ held * up_s)
    return Found(shares, held, up_s, usd, answer.bound)


def _model(
    network: Network, span: Span, aim: Aim, layout: _Layout, bits: int, counts: Floats | None
) -> Linear:
    cost, low = np.zeros(layout.end), np.zeros(layout.end)
    high = np.full(layout.end, _INFINITY)
    low[layout.time], high[layout.time] = span
    spent = np.zeros(layout.end)
    spent[: network.edges] = network.usd
    spent[layout.seconds : layout.bits] = network.option_usd
    cost[layout.time] = 1.0 if aim.is_time else 0.0
    if not aim.is_time:
        cost += spent
    rows = Rows()
    _add_conservation(network, layout, rows)
    _add_limits(network, span, layout, rows, bits, counts)
    _add_machines(network, layout, rows, bits, counts)
    if bits:
        high[layout.bits : layout.parts] = 1.0
        high[layout.chosen : layout.end] = 1.0
        _add_products(network, span, layout, rows, bits)
    if np.isfinite(aim.most_usd):
        paid = np.flatnonzero(spent)
        rows.add(np.zeros(len(paid), dtype=int), paid, spent[paid])
        rows.bounds(np.array([-_INFINITY]), np.array([aim.most_usd]))
    return Linear(cost, low, high, *rows.done(layout.end))


def _add_conservation(network: Network, layout: _Layout, rows: Rows) -> None:
    """Add that every target gets all bytes, and that no other place keeps any."""
    places, edges = len(network.places), np.arange(network.edges)
    many = len(network.targets) > 1
    for number, target in enumerate(network.targets):
        columns = layout.flows + number * network.edges + edges if many else edges
        rows.add(network.src, columns, np.ones(network.edges))
        rows.add(network.dst, columns, -np.ones(network.edges))
        balance = np.zeros(places)
        balance[network.source], balance[target] = 1.0, -1.0
        rows.bounds(balance, balance)
        if many:
            rows.add(edges, columns, np.ones(network.edges))
            rows.add(edges, edges, -np.ones(network.edges))
            rows.bounds(np.full(network.edges, -_INFINITY), np.zeros(network.edges))


def _add_limits(
    network: Network, span: Span, layout: _Layout, rows: Rows, bits: int, counts: Floats | None
) -> None:
    """Add that machines and quotas let the bytes through in the time."""
    limits, quotas = network.limits, network.quotas
    count = len(limits.names)
    most = np.zeros(count)
    rows.add(limits.edge_row, limits.edge, np.full(len(limits.edge), network.gbit))
    if bits:
        rows.add(limits.option_row, layout.seconds + limits.option, -limits.gbps)
        power = 2.0 ** np.arange(bits)
        columns = layout.bits + limits.option[:, None] * bits + np.arange(bits)[None, :]
        values = limits.gbps[:, None] * power[None, :] * network.overhead_s
        rows.add(np.repeat(limits.option_row, bits), columns.ravel(), values.ravel())
    elif counts is not None:
        rows.add(limits.option_row, layout.seconds + limits.option, -limits.gbps)
        most = -carried(network, counts) * network.overhead_s
    else:
        # Of a fraction of a machine the overhead is at least this share of its time.
        useful = max(1 - network.overhead_s / span.high_s, 0.0) if span.high_s else 0.0
        rows.add(limits.option_row, layout.seconds + limits.option, -limits.gbps * useful)
    rows.bounds(np.full(count, -_INFINITY), most - network.gbit * limits.always)
    count = len(quotas.names)
    rows.add(quotas.edge_row, quotas.edge, np.full(len(quotas.edge), network.gbit))
    rows.add(np.arange(count), np.full(count, layout.time), -quotas.gbps)
    rows.bounds(np.full(count, -_INFINITY), -quotas.gbps * network.overhead_s)


def _add_machines(
    network: Network, layout: _Layout, rows: Rows, bits: int, counts: Floats | None
) -> None:
    """Add how many machines there may be, or are."""
    options = np.arange(network.options)
    if counts is not None:
        rows.add(options, layout.seconds + options, np.ones(network.options))
        rows.add(options, np.full(network.options, layout.time), -counts)
        rows.bounds(np.zeros(network.options), np.zeros(network.options))
        return
    if not bits:
        rows.add(network.option_place, layout.seconds + options, np.ones(network.options))
        places = np.arange(len(network.places))
        rows.add(places, np.full(len(places), layout.time), np.full(len(places), -network.most))
        rows.bounds(np.full(len(places), -_INFINITY), np.zeros(len(places)))
        return
    power = 2.0 ** np.arange(bits)
    every = np.repeat(options, bits)
    rows.add(every, layout.bits + np.arange(len(every)), np.tile(power, network.options))
    rows.add(options, layout.chosen + options, np.full(network.options, -float(network.most)))
    rows.bounds(np.full(network.options, -_INFINITY), np.zeros(network.options))
    rows.add(network.option_place, layout.chosen + options, np.ones(network.options))
    count = len(network.places)
    rows.bounds(np.full(count, -_INFINITY), np.ones(count))


def _add_products(network: Network, span: Span, layout: _Layout, rows: Rows, bits: int) -> None:
    """Add that a part is the time where its bit is 1, and 0 where it is 0."""
    digits = network.options * bits
    every = np.arange(digits)
    ones, endless = np.ones(digits), np.full(digits, -_INFINITY)
    part, bit = layout.parts + every, layout.bits + every
    time = np.full(digits, layout.time)
    rows.add(every, part, ones)
    rows.add(every, bit, -ones * span.high_s)
    rows.bounds(endless, np.zeros(digits))
    rows.add(every, part, -ones)
    rows.add(every, bit, ones * span.low_s)
    rows.bounds(endless, np.zeros(digits))
    rows.add(every, part, ones)
    rows.add(every, time, -ones)
    rows.add(every, bit, -ones * span.low_s)
    rows.bounds(endless, np.full(digits, -span.low_s))
    rows.add(every, time, ones)
    rows.add(every, part, -ones)
    rows.add(every, bit, ones * span.high_s)
    rows.bounds(endless, np.full(digits, span.high_s))
    power = 2.0 ** np.arange(bits)
    options = np.arange(network.options)
    rows.add(np.repeat(options, bits), part, np.tile(power, network.options))
    rows.add(options, layout.seconds + options, -np.ones(network.options))
    rows.bounds(np.zeros(network.options), np.zeros(network.options))
