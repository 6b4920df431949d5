"""The answers of `netplan caps` as text, JSON or CSV."""

import textwrap
from collections.abc import Iterable, Sequence
from datetime import date

import msgspec

from netplan_planner.inert import escaped_json, inert
from netplan_planner.model import EgressCap, MeasuredLimit, PathClass
from netplan_planner.renderers.figures import counted, trimmed
from netplan_planner.tables.writing import csv_text
from netplan_planner.throughput import CapsTable, stated_on
from netplan_planner.throughput.limits.physical_nics import physical_nics

SCHEMA = "netplan.caps/1"
NOT_KNOWN = "unknown"
LABEL_WIDTH = 26
NARROW = 60
"""Columns below which values do not keep a column of their own."""
COLUMNS = (
    "machine_type",
    "vcpus",
    "is_tier1",
    "cpu_platform",
    "egress_gbps",
    "external_gbps",
    "external_basis",
    "external_flow_gbps",
    "internal_flow_gbps",
    "external_ingress_gbps",
    "external_ingress_pps",
    "nic_types",
    "confidence",
    "valid_from",
    "as_of",
    "source",
    "external_source",
    "external_as_of",
    "caution",
    "note",
)


class _Sources:
    """Sources numbered in the order in which they are first named."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def mark(self, source: str, as_of: date | None, more: str = "") -> str:
        """Return the mark of a source, such as ` [1]`; empty when there is none."""
        if not source:
            return ""
        text = ", ".join(part for part in (inert(source), str(as_of or ""), more) if part)
        return f" [{self.numbers.setdefault(text, len(self.numbers) + 1)}]"


def one_type(table: CapsTable, variants: Sequence[EgressCap], form: str, width: int) -> str:
    """Return every variant of a type in a form, ending with a line end."""
    if form != "text":
        return _data(table, variants, form)
    first = variants[0]
    size = f", {counted(first.vcpus, 'vCPU')}" if first.vcpus else ""
    sources = _Sources()
    lines = [f"{inert(first.machine_type)}{size} · limits of {stated_on(table.as_of)}"]
    for cap in variants:
        lines += ["", _title(cap), *_fields(cap, sources)]
    lines += ["", *_shared(table, first, sources), ""]
    lines += [f"[{number}] {text}" for text, number in sources.numbers.items()]
    return "\n".join(row for line in lines for row in _wrapped(line, width)) + "\n"


def listing(table: CapsTable, variants: Sequence[EgressCap], form: str) -> str:
    """Return a line a variant in a form, ending with a line end."""
    if form != "text":
        return _data(table, variants, form)
    width = max((len(_name(cap)) for cap in variants), default=0)
    lines = [f"{'':<{width}}  inside  outside  Gbit/s, limits of {stated_on(table.as_of)}"]
    lines += [
        f"{_name(cap):<{width}}  {_gbps(cap.egress_gbps):>6}  {_gbps(cap.external_gbps):>7}"
        for cap in variants
    ]
    return "\n".join(lines) + "\n"


def _name(cap: EgressCap) -> str:
    parts = (cap.machine_type, "Tier_1" if cap.is_tier1 else "", cap.cpu_platform)
    return ", ".join(part for part in parts if part)


def _title(cap: EgressCap) -> str:
    tier = "with Tier_1" if cap.is_tier1 else "default"
    if not cap.cpu_platform:
        return tier
    on = "on " if cap.min_cpu_platform else ""
    return f"{tier}, {on}{cap.cpu_platform}"


def _fields(cap: EgressCap, sources: _Sources) -> list[str]:
    inside = sources.mark(cap.source, cap.as_of, f"confidence {cap.confidence}")
    basis = {"general": ", the rule for every VM", "inferred": ", inferred from the general rule"}
    outside = basis.get(cap.external_basis, "") + sources.mark(
        cap.external_source, cap.external_as_of
    )
    flow = sources.mark(cap.path_source, cap.path_as_of)
    within = (
        "none documented"
        if cap.internal_flow_gbps is None
        else f"{_rate(cap.internal_flow_gbps)}, to a machine of the same series{inside}"
    )
    nics = ", ".join(cap.nic_types) or f"{NOT_KNOWN}: no page that lists them was read"
    rows = [
        _field("egress inside the VPC", _rate(cap.egress_gbps) + inside),
        _field("egress to outside", _rate(cap.external_gbps) + outside),
        _field("one flow to outside", _rate(cap.external_flow_gbps) + flow),
        _field("one flow inside the VPC", within),
        _field("NIC types", nics),
    ]
    rows += _nics(cap, sources)
    rows += [_field("but", inert(cap.caution))] if cap.caution else []
    return [*rows, _field("note", inert(cap.note))] if cap.note else rows


def _nics(cap: EgressCap, sources: _Sources) -> list[str]:
    """Return what one physical NIC sends, of a machine with several of them."""
    nics = physical_nics().get(cap.machine_type)
    if nics is None or nics.nic_gbps >= cap.egress_gbps:
        return []
    count = f"{nics.nic_count} physical NICs"
    if nics.vpc_nic_count < nics.nic_count:
        count += f", {nics.vpc_nic_count} of them for TCP/IP"
    basis = "" if nics.basis == "documented" else f": {nics.note}"
    value = f"{_rate(nics.nic_gbps)} each, {count}{basis}{sources.mark(nics.source, nics.as_of)}"
    return [
        _field("egress of one NIC", value),
        _field("", "the sum takes a vNIC on each, and flows over all of them"),
    ]


def _shared(table: CapsTable, cap: EgressCap, sources: _Sources) -> list[str]:
    """Return what holds for the machine whatever the variant, and what was measured then."""
    total, packets = cap.external_ingress_gbps, cap.external_ingress_pps
    value = _rate(total)
    if total is not None and packets is not None:
        value += f" or {packets:,.0f} packets/s, whichever comes first"
        value += sources.mark(cap.path_source, cap.path_as_of)
    return [
        _field("ingress from outside", value),
        _field("ingress inside the VPC", "no limit documented"),
        *(_measured(limit, sources) for limit in _measured_limits(table)),
    ]


def _measured_limits(table: CapsTable) -> Iterable[MeasuredLimit]:
    return (limit for path_class in PathClass for limit in table.measured(path_class))


def _measured(limit: MeasuredLimit, sources: _Sources) -> str:
    span = f"{_gbps(limit.low_gbps)} to {_gbps(limit.high_gbps)}"
    value = f"{limit.name}, {limit.path_class}: {_rate(limit.gbps)}, {span}"
    return _field("measured then", value + sources.mark(limit.source, limit.as_of))


def _field(label: str, value: str) -> str:
    return f"  {label:<{LABEL_WIDTH}}{value}"


def _wrapped(line: str, width: int) -> list[str]:
    """Return a line broken at the terminal's width, further rows under the value."""
    indent = LABEL_WIDTH + 2 if line.startswith("  ") else 4
    if width < NARROW:
        indent = 4
    return textwrap.wrap(line, width, subsequent_indent=" " * indent, break_on_hyphens=False) or [
        ""
    ]


def _gbps(value: float | None) -> str:
    return NOT_KNOWN if value is None else trimmed(value, 3)


def _rate(value: float | None) -> str:
    return NOT_KNOWN if value is None else f"{_gbps(value)} Gbit/s"


def _data(table: CapsTable, variants: Sequence[EgressCap], form: str) -> str:
    if form == "json":
        answer = {
            "schema": SCHEMA,
            "limits_as_of": stated_on(table.as_of),
            "caps": [_row(cap) for cap in variants],
            "measured": list(_measured_limits(table)),
        }
        return escaped_json(msgspec.json.format(msgspec.json.encode(answer)).decode()) + "\n"
    rows = (_row(cap) for cap in variants)
    return csv_text(COLUMNS, ([_cell(row[name]) for name in COLUMNS] for row in rows))


def _row(cap: EgressCap) -> dict[str, object]:
    fields: dict[str, object] = msgspec.structs.asdict(cap)
    return {name: fields[name] for name in COLUMNS}


def _cell(value: object) -> object:
    return "|".join(map(str, value)) if isinstance(value, tuple) else value
