"""The bandwidth limits of machine types: one type with its sources, or a line a type."""

from collections.abc import Iterator
from datetime import date

from netplan_planner.model import EgressCap, MeasuredLimit, PhysicalNics, Value, taken
from netplan_planner.model.limits import CapRow
from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import DataTable, data_table
from netplan_planner.renderers.document import Block, Line, fixed, line, say
from netplan_planner.renderers.figures import counted, trimmed
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.caps.answer import CapsAnswer

SCHEMA = "netplan.caps/1"
NOT_KNOWN = "unknown"
_BASIS = {"general": ", the rule for every VM", "inferred": ", inferred from the general rule"}


class Record(Value, frozen=True, kw_only=True):
    """Caps of machine types on a day, and what was measured then."""

    limits_as_of: date
    caps: tuple[CapRow, ...]
    measured: tuple[MeasuredLimit, ...]


def record(answer: CapsAnswer) -> Record:
    """Return the caps with the fields of the table, and what was measured on that day."""
    return taken(Record, answer, caps=tuple(taken(CapRow, cap) for cap in answer.caps))


def table(answer: CapsAnswer) -> DataTable:
    """Return a row for each variant."""
    return data_table(CapRow, (taken(CapRow, cap) for cap in answer.caps))


def blocks(answer: CapsAnswer, options: RenderOptions) -> Iterator[Block]:
    """Yield every variant with its sources, or a line a variant."""
    if answer.is_list:
        yield doc.Title(line=line("Machine types"), basis=line(f"limits of {answer.limits_as_of}"))
        yield _listing(answer)
        return
    first, sources = answer.caps[0], _Sources()
    size = (counted(first.vcpus, "vCPU"),) if first.vcpus else ()
    basis = " · ".join((*size, f"limits of {answer.limits_as_of}"))
    yield doc.Title(line=line(say(first.machine_type)), basis=line(basis))
    for cap in answer.caps:
        yield doc.entry(_variant(cap))
        yield _values(tuple(_of_variant(cap, answer.physical_nics, sources)))
    yield doc.entry("every variant")
    yield _values(tuple(_of_every_variant(answer, sources)))
    yield doc.entry("Sources")
    for text, number in sources.numbers.items():
        yield doc.item(say(f"[{number}] {text}"))


def _listing(answer: CapsAnswer) -> doc.Table:
    columns = (
        doc.Column(title="machine type"),
        doc.Column(title="inside, Gbit/s", is_number=True, stacked="inside {} Gbit/s"),
        doc.Column(title="to outside, Gbit/s", is_number=True, stacked="to outside {} Gbit/s"),
    )
    rows = (
        (
            line(say(_name(cap))),
            line(fixed(_inside(cap))),
            line(fixed(_gbps(cap.external_gbps))),
        )
        for cap in answer.caps
    )
    return doc.Table(columns=columns, rows=tuple(rows))


def _values(rows: tuple[tuple[Line, Line], ...]) -> doc.Table:
    return doc.Table(
        columns=(doc.Column(title=""), doc.Column(title="", is_note=True)), rows=rows, is_inner=True
    )


class _Sources:
    """Sources numbered in the order in which they are first named."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def mark(self, source: str, as_of: date | None, more: str = "") -> str:
        """Return the mark of a source, such as ` [1]`; empty when there is none."""
        if not source:
            return ""
        text = ", ".join(part for part in (source, str(as_of or ""), more) if part)
        return f" [{self.numbers.setdefault(text, len(self.numbers) + 1)}]"


def _name(cap: EgressCap) -> str:
    parts = (cap.machine_type, "Tier_1" if cap.is_tier1 else "", cap.cpu_platform)
    return ", ".join(part for part in parts if part)


def _variant(cap: EgressCap) -> str:
    tier = "with Tier_1" if cap.is_tier1 else "default"
    if not cap.cpu_platform:
        return tier
    on = "on " if cap.min_cpu_platform else ""
    return f"{tier}, {on}{cap.cpu_platform}"


def _of_variant(
    cap: EgressCap, nics: PhysicalNics | None, sources: _Sources
) -> Iterator[tuple[Line, Line]]:
    inside = sources.mark(cap.source, cap.as_of, f"confidence {cap.confidence}")
    outside = sources.mark(cap.external_source, cap.external_as_of)
    flow = sources.mark(cap.path_source, cap.path_as_of)
    yield _value("egress inside the VPC", f"{_inside(cap)} Gbit/s{inside}")
    basis = _BASIS.get(cap.external_basis, "")
    yield _value("egress to outside", f"{_rate(cap.external_gbps)}{basis}{outside}")
    yield _value("one flow to outside", _rate(cap.external_flow_gbps) + flow)
    within = "none documented"
    if cap.internal_flow_gbps is not None:
        within = f"{_rate(cap.internal_flow_gbps)}, to a VM of the same series{inside}"
    yield _value("one flow inside the VPC", within)
    types = ", ".join(cap.nic_types) or f"{NOT_KNOWN}: no page that was read lists them"
    yield _value("NIC types", types)
    if nics is not None and nics.nic_gbps < cap.egress_gbps:
        yield from _of_one_nic(nics, sources)
    if cap.caution:
        yield _value("but", cap.caution)
    if cap.note:
        yield _value("note", cap.note)


def _of_one_nic(nics: PhysicalNics, sources: _Sources) -> Iterator[tuple[Line, Line]]:
    """Yield what one physical NIC sends, of a machine with several of them."""
    count = f"{nics.nic_count} physical NICs"
    if nics.vpc_nic_count < nics.nic_count:
        count += f", {nics.vpc_nic_count} of them for TCP/IP"
    basis = "" if nics.basis == "documented" else f": {nics.note}"
    mark = sources.mark(nics.source, nics.as_of)
    yield _value(
        "egress of one NIC",
        f"{_rate(nics.nic_gbps)} each, {count}{basis}{mark}; the sum needs a vNIC on each, and "
        "flows over all of them",
    )


def _of_every_variant(answer: CapsAnswer, sources: _Sources) -> Iterator[tuple[Line, Line]]:
    """Yield what holds for the machine whatever the variant, and what was measured then."""
    cap = answer.caps[0]
    value = _rate(cap.external_ingress_gbps)
    if cap.external_ingress_gbps is not None and cap.external_ingress_pps is not None:
        value += f" or {cap.external_ingress_pps:,.0f} packets/s, whichever is reached first"
        value += sources.mark(cap.path_source, cap.path_as_of)
    yield _value("ingress from outside", value)
    yield _value("ingress inside the VPC", "no documented limit")
    for limit in answer.measured:
        yield _value("measured then", _measured(limit, sources))


def _measured(limit: MeasuredLimit, sources: _Sources) -> str:
    span = f"{_gbps(limit.low_gbps)} to {_gbps(limit.high_gbps)}"
    mark = sources.mark(limit.source, limit.as_of)
    return f"{limit.name}, {limit.path_class}: {_rate(limit.gbps)}, {span}{mark}"


def _value(label: str, text: str) -> tuple[Line, Line]:
    return line(label), line(say(text))


def _inside(cap: EgressCap) -> str:
    return " to ".join(map(_gbps, sorted({cap.egress_gbps, cap.highest_gbps})))


def _gbps(value: float | None) -> str:
    return NOT_KNOWN if value is None else trimmed(value, 3)


def _rate(value: float | None) -> str:
    return NOT_KNOWN if value is None else f"{_gbps(value)} Gbit/s"
