"""The answer of `netplan predict` for one path as text, JSON or CSV."""

import shutil
import textwrap
from collections.abc import Iterator

import msgspec

from netplan_planner.cli.predict_planning import cost_lines, planning_lines
from netplan_planner.engine.predict_path import PathAnswer
from netplan_planner.inert import NAME_LENGTH, escaped_json, inert
from netplan_planner.model import Estimate, Limit, LimitKind, PathClass
from netplan_planner.renderers.content.phrases import limit_name
from netplan_planner.renderers.figures import (
    byte_volume,
    counted,
    duration,
    interval,
    rate,
    rates,
    share,
)
from netplan_planner.tables.writing import csv_text

SCHEMA = "netplan.prediction/1"
WIDTH = 100
LEAST_CHANCE = 0.005
COLUMNS = (
    "src",
    "dst",
    "path_class",
    "predicted_gbps",
    "low_gbps",
    "high_gbps",
    "level",
    "binding_limit",
    "probability",
    "next_limit",
    "lifted_by",
    "duration_s",
    "usd",
    "one_core_gbps",
    "cap_gbps",
    "limits_as_of",
    "reason",
)


def written(answer: PathAnswer, form: str, explain: bool) -> str:
    """Return the answer in a form, ending with a line end."""
    if form == "json":
        return _json(answer)
    if form == "csv":
        return _csv(answer)
    width = _width()
    lines = [heading(answer), *_body(answer), *(_explained(answer) if explain else ())]
    rows = [row for line in lines for row in _wrapped(line, width)]
    return "\n".join(rows) + "\n"


def wrapped_heading(answer: PathAnswer) -> list[str]:
    """Return the heading, broken at the terminal's width."""
    return _wrapped(heading(answer), _width())


def _width() -> int:
    return min(shutil.get_terminal_size((WIDTH, 24)).columns, 2 * WIDTH)


def heading(answer: PathAnswer) -> str:
    """Return what the answer is of, on one line."""
    query = answer.query
    parts = [query.path_class.value]
    if query.path_class is not PathClass.GOOGLE_APIS:
        parts.append(
            counted(query.streams, "stream")
            if query.streams is not None
            else "as many streams as it takes"
        )
    if query.rtt_ms is not None:
        parts.append(f"RTT {query.rtt_ms:.3g} ms")
    if query.transfer_bytes is not None:
        parts.append(byte_volume(query.transfer_bytes))
    elif query.duration_s is not None:
        parts.append(f"first {duration(query.duration_s)}")
    else:
        parts.append("steady")
    if query.is_both_ways:
        parts.append("both ways at once")
    names = f"{inert(answer.src, NAME_LENGTH)} → {inert(answer.dst, NAME_LENGTH)}"
    return f"{names} · {', '.join(parts)} · limits of {answer.limits_as_of}"


def _body(answer: PathAnswer) -> Iterator[str]:
    found = answer.estimate
    if found.gbps is None:
        yield from _unknown(answer)
        return
    span = interval(found.gbps, found.low_gbps or 0.0, found.high_gbps or 0.0)
    yield f"  {rate(found.gbps)} {span} in {share(found.level or 0.0, 1.0)} of cases"
    yield from _time(found)
    yield from cost_lines(answer.planning)
    yield from _binding(found)
    yield from _service(answer)
    yield from planning_lines(answer)
    for said in (*found.assumed, answer.rtt_doubt):
        if said:
            yield f"  assumed: {inert(said)}"
    yield from (f"  note: {inert(said)}" for said in answer.notes)
    if answer.rtt_detail:
        yield f"  round-trip time by {inert(answer.rtt_detail)}"


def _unknown(answer: PathAnswer) -> Iterator[str]:
    """Yield why there is no likely value, and the bounds where there are some."""
    found = answer.estimate
    why = "; ".join(map(inert, found.unknown))
    if answer.query.path_class is not PathClass.GOOGLE_APIS:
        yield f"  unknown: {why}"
        return
    least = f"at least {rate(found.low_gbps)}" if found.low_gbps is not None else ""
    most = f"at most {rate(found.limits[0].gbps)}" if found.limits else ""
    spoken = ", ".join(part for part in (least, most) if part)
    yield f"  {spoken}; no likely value: {why}" if spoken else f"  unknown: {why}"
    if least:
        yield "  the least is what was published of this machine type"
    if found.limits:
        yield f"  the most is {_limit(found.limits[0])}"
    yield from (f"  assumed: {inert(said)}" for said in found.assumed)


def _service(answer: PathAnswer) -> Iterator[str]:
    """Yield what a service does on the path, and what it is taken to be."""
    service, done = answer.service, answer.transactions
    if service is None or done is None:
        return
    yield (
        f"  {done.tps:,.0f} transactions/s [{done.low_tps:,.0f} to {done.high_tps:,.0f}], bound by"
        f" the {done.binding}"
    )
    size = f"{service.bytes_per_transaction / 1000:.3g} kB"
    if service.low_bytes_per_transaction != service.high_bytes_per_transaction:
        low, high = service.low_bytes_per_transaction, service.high_bytes_per_transaction
        size += f" [{low / 1000:.3g} to {high / 1000:.3g}]"
    most = f"{service.ceiling_tps:,.0f}/s"
    if service.low_ceiling_tps != service.high_ceiling_tps:
        top = f"{service.high_ceiling_tps:,.0f}" if service.high_ceiling_tps else "open"
        most += f" [{service.low_ceiling_tps:,.0f} to {top}]"
    yield f"  service: {size} a transaction, at most {most}"


def _time(found: Estimate) -> Iterator[str]:
    if found.duration_s is None or found.low_duration_s is None or found.high_duration_s is None:
        return
    low, high = duration(found.low_duration_s), duration(found.high_duration_s)
    yield f"  takes {duration(found.duration_s)} [{low} to {high}]"


def _binding(found: Estimate) -> Iterator[str]:
    """Yield what binds, how likely, what comes behind it and what lifts it."""
    first = found.limits[0]
    yield f"  bound by {_limit(first)}{_chance(found, 0)}"
    if len(found.limits) > 1:
        yield f"  then {_limit(found.limits[1])}{_chance(found, 1)}"
    if first.lifted_by:
        yield f"  lifted by {inert(first.lifted_by)}"


def _chance(found: Estimate, at: int) -> str:
    """Return how likely a limit binds, where that is worth a word."""
    chance = found.probabilities[at] if found.probabilities else 0.0
    return f" ({share(chance, 1.0)} likely)" if chance >= LEAST_CHANCE else ""


def _limit(limit: Limit) -> str:
    return f"{inert(limit_name(limit))}, {rate(limit.gbps)}"


def _explained(answer: PathAnswer) -> Iterator[str]:
    """Yield every limit with its source, and how the figure follows."""
    found, query = answer.estimate, answer.query
    yield ""
    yield "  every limit, the least first:"
    for at, limit in enumerate(found.limits):
        spread = ""
        if limit.kind is LimitKind.MEASURED and limit.low_gbps and limit.high_gbps:
            spread = f", measured {rates(limit.low_gbps, limit.high_gbps, joint=' to ')}"
        yield f"    {limit.name}: {_limit(limit)}{spread}{_chance(found, at)}"
        yield f"      {inert(limit.source)}, {limit.as_of}"
    if found.gbps is None:
        return
    yield ""
    yield (
        "  value: the least limit, because a stream that is alone shares with nobody"
        if query.streams == 1
        else "  value: (offered^-3 + cap^-3)^(-1/3), where offered = streams x window / RTT and cap"
        " is the least of the other limits, and no less than one stream alone"
    )
    if query.duration_s is not None or query.transfer_bytes is not None:
        yield (
            "  start: 10 segments at first, doubled each round trip, 1.5 round trips before the"
            " first byte counts"
            + ("" if query.streams == 1 else "; where a cap stops it, CUBIC's recovery after it")
        )
    yield (
        "  interval: the same with every limit and habit at its least and its most favourable,"
        " widened by what left-out measurement campaigns have shown (docs/accuracy.md)"
    )


def _json(answer: PathAnswer) -> str:
    found = answer.estimate
    document = {
        "schema": SCHEMA,
        **msgspec.structs.asdict(answer),
        "binding_limit": found.limits[0].name if found.gbps is not None else None,
        "next_limit": _second(found),
    }
    encoded = msgspec.json.encode(document)
    return escaped_json(msgspec.json.format(encoded).decode()) + "\n"


def _second(found: Estimate) -> str | None:
    return found.limits[1].name if found.gbps is not None and len(found.limits) > 1 else None


def _csv(answer: PathAnswer) -> str:
    found = answer.estimate
    known = found.gbps is not None
    row = {
        "src": answer.src,
        "dst": answer.dst,
        "path_class": answer.query.path_class.value,
        "predicted_gbps": found.gbps,
        "low_gbps": found.low_gbps,
        "high_gbps": found.high_gbps,
        "level": found.level,
        "binding_limit": found.limits[0].name if known else None,
        "probability": found.probabilities[0] if found.probabilities else None,
        "next_limit": _second(found),
        "lifted_by": found.limits[0].lifted_by if known else None,
        "duration_s": found.duration_s,
        "usd": cost.usd if (cost := answer.planning.cost) else None,
        "one_core_gbps": one_core.gbps if (one_core := answer.planning.one_core) else None,
        "cap_gbps": answer.planning.cap_gbps,
        "limits_as_of": answer.limits_as_of.isoformat(),
        "reason": "; ".join(found.unknown) or answer.rtt_doubt,
    }
    return csv_text(COLUMNS, [[row[name] for name in COLUMNS]])


def _wrapped(line: str, width: int) -> list[str]:
    indent = len(line) - len(line.lstrip()) + 4
    return textwrap.wrap(line, width, subsequent_indent=" " * indent, break_on_hyphens=False) or [
        ""
    ]
