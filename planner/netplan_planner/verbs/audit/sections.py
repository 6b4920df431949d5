"""Sections below the findings: Services of the network, and what pods cost."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.judging.services import SOLE_TENANT_NODES
from netplan_planner.model import Amount, ClassTotal, ServiceTotal, Unpriced, series_of, total_usd
from netplan_planner.model.report_rows import HUB_WORK, unpriced_span
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.content.flows import to_know, unpriced_note, usd_cell
from netplan_planner.renderers.content.phrases import NO_PLUGIN, limit_words
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.audit.answer import (
    NearSaving,
    OnLink,
    PluginChange,
    PluginChanges,
    PodPair,
    Report,
)
from netplan_planner.verbs.audit.screen.sums import paid_in_all

_PAIRS = 2
"""That the bill names."""
_BILL_LINES = 12
"""Of one service under `-v`; all are in the JSON report."""
_NAMES = {
    "cloud-nat": "Cloud NAT gateways",
    "cloud-vpn": "Cloud VPN tunnels",
    "vlan-attachments": "VLAN attachments",
    "hub-spokes": "Network Connectivity Center spokes",
    "forwarding-rules": "forwarding rules",
    "psc-endpoints": "Private Service Connect endpoints",
    "flow-logs": "flow logs (subnetworks)",
    "gke-clusters": "GKE cluster management",
    "gke-ambient-networking": "GKE ambient networking (pods)",
    SOLE_TENANT_NODES: "sole-tenant nodes",
}
PAID = (
    doc.Column(title=""),
    doc.Column(title="", is_number=True),
    doc.Column(title="", is_note=True),
)
"""Of a table of what is paid: the kind, the amount, a note."""


class Paid(NamedTuple):
    """A row of what is paid a month."""

    kind: str
    usd: Decimal | None
    """None: no price of it is known."""
    what: Line
    """What the most of it is."""
    parts: Sequence[tuple[str, Decimal]] = ()
    """Its classes, several of one name as they come."""


def month_bill(report: Report) -> Line:
    """Return what a month costs as it is, by kind, in a sentence; empty: nothing."""
    rows = paid_rows(report)
    parts = [line(row.kind, " ", amount(row.usd), _brackets(row.what)) for row in rows]
    return line(_total(report), " · ", doc.joined(parts, " · ")) if rows else ()


def paid(report: Report) -> Iterator[Block]:
    """Yield the same as a table: a row for each kind, with the most of it and what is unknown."""
    rows = paid_rows(report)
    if not rows:
        return
    yield doc.para(_total(report))
    cells = tuple((line(row.kind), amount(row.usd), row.what) for row in rows)
    yield doc.Table(columns=PAID, rows=cells, is_inner=True)


def _total(report: Report) -> Line:
    whole = "; disks and licences not included"
    return line(say("Paid per month: ", Role.STRONG), paid_in_all(report), whole)


def amount(usd: Decimal | None) -> Line:
    """Return what is paid; below 0 what is paid less."""
    if usd is None:
        return line("no price")
    return line("less " if usd < 0 else "", _paid(abs(usd)))


def _brackets(what: Line) -> Line:
    return line(" (", what, ")") if what else ()


def paid_rows(report: Report) -> list[Paid]:
    """Return what is paid by kind, then what has no known price, with its quantity."""
    found = report.bill
    low = _least(report.network_services)
    services = _service_kinds(report)
    traffic = (found.traffic_usd or Decimal(0)) + _least(report.traffic_by_class)
    rows = [
        Paid("VMs", found.machines_usd, _of_machines(report), _machine_kinds(report)),
        Paid("traffic", traffic, _of_traffic(report), _ways(report)),
        Paid("external addresses", found.addresses_usd, _free(report)),
        Paid("network services", found.services_usd + low, _named(services), services),
        Paid(
            "commitments",
            found.commitments_usd or Decimal(0),
            line(
                "fees minus the usage they cover",
                f"; unknown: {found.commitments_unknown}" if found.commitments_unknown else "",
            ),
        ),
    ]
    rows = [row for row in rows if row.usd]
    return [*rows, *_without_price(report)] if rows else []


def _free(report: Report) -> Line:
    """Return what is free of addresses, and in no sum, with what it takes off at most."""
    note, usd = report.bill.addresses_note, report.bill.addresses_free_usd
    if not note or not usd:
        return ()
    return line("up to ", _paid(usd), f" less: {note}")


def _of_machines(report: Report) -> Line:
    """Return the machines by series, the dearest first, and the nodes that others run on."""
    named = [line(name, " ", _paid(usd)) for name, usd in report.bill.machine_parts]
    parts = line("includes ", doc.joined(named)) if named else ()
    return doc.joined(filter(None, (_named(_machine_kinds(report)), parts)), "; ")


def _machine_kinds(report: Report) -> list[tuple[str, Decimal]]:
    of_series = (
        (series_of(row.machine_type), row.machine_usd_per_month) for row in report.machines
    )
    nodes = ((one.service, one.usd_per_month) for one in report.network_services)
    return _kinds([*of_series, *(one for one in nodes if one[0] == SOLE_TENANT_NODES)])


def _service_kinds(report: Report) -> list[tuple[str, Decimal]]:
    least = (
        (one.service, (one.usd_per_month or Decimal(0)) + unpriced_span(one.unpriced)[0])
        for one in report.network_services
    )
    return _kinds(one for one in least if one[0] != SOLE_TENANT_NODES)


def _kinds(amounts: Iterable[tuple[str, Decimal | None]]) -> list[tuple[str, Decimal]]:
    """Return what is paid, by the names that people know."""
    return [(_NAMES.get(name, name), usd) for name, usd in amounts if usd]


def _named(found: Sequence[tuple[str, Decimal]]) -> Line:
    """Return kinds, the dearest first, each with its sum where there are several."""
    if len(dict(found)) == 1:
        return line(say(found[0][0]))
    return phrases.by_kind(found)


def _least(totals: Sequence[ServiceTotal | ClassTotal]) -> Decimal:
    """Return what is in a total of parts without a known price: what they cost at least."""
    return unpriced_span([part for one in totals for part in one.unpriced])[0]


def _paid(usd: Decimal | None) -> Line:
    return line(fixed(Amount(usd=abs(usd or Decimal(0)))))


def _without_price(report: Report) -> Iterator[Paid]:
    """Yield what is in no sum because nothing tells its price, with its quantity."""
    found = report.bill
    counts = (
        (found.unpriced_machine_count, "VM", "VMs"),
        (found.unpriced_address_count, "address", "addresses"),
    )
    for count, one, several in counts:
        if count:
            yield Paid(figures.counted(count, one, several), None, ())
    unlisted = (
        (found.unlisted_nodes, "node", "nodes", "seen in the cluster's objects, in"),
        (found.unlisted_machines, "VM", "VMs", "seen in the traffic, in"),
        (
            found.unlisted_groups,
            "node pool or group",
            "node pools or groups",
            "their VMs are in",
        ),
    )
    for count, one, several, where in unlisted:
        if count:
            why = f"{where} no inventory (--inventory)"
            yield Paid(figures.counted(count, one, several), None, line(why))
    if found.commitments_unknown and not found.commitments_usd:
        yield Paid("commitments", None, line(f"unknown: {found.commitments_unknown}"))
    if found.unpriced_gib:
        traffic = [part for one in report.traffic_by_class for part in one.unpriced]
        volume = figures.volume(found.unpriced_gib)
        yield Paid(f"{volume} of traffic", None, _at_most(traffic))
    for total in report.network_services:
        if total.unpriced:
            name = f"parts of {_NAMES.get(total.service, total.service)}"
            yield Paid(name, None, _at_most(total.unpriced))


def _at_most(unpriced: Sequence[Unpriced]) -> Line:
    low, high = unpriced_span(unpriced)
    if high is None or not unpriced:
        return line("no known upper bound", to_know(unpriced))
    return line("up to ", _paid(high - low), " more", to_know(unpriced))


def _of_traffic(report: Report) -> Line:
    """Return the dearest classes of path, and the dearest pairs."""
    ways = _ways(report)
    parts = [phrases.by_kind(ways)] if any(usd for _, usd in ways) else []
    pairs = [
        line(
            say(f"{pair.src} → {pair.dst}", Role.NAME, length=phrases.SUBJECT_LENGTH),
            " ",
            _paid(pair.usd_per_month),
        )
        for pair in report.dear_pairs[:_PAIRS]
    ]
    if pairs:
        told = "most expensive pairs: " if len(pairs) > 1 else "most expensive pair: "
        parts.append(line(told, doc.joined(pairs)))
    return doc.joined(parts, "; ")


def _ways(report: Report) -> list[tuple[str, Decimal]]:
    """Return what traffic costs by class of path, and what hubs charge for it."""
    totals = sorted(report.traffic_by_class, key=lambda one: -(one.usd_per_month or 0))
    hubs = [total_usd(one.over_hubs) for one in totals]
    ways = [
        (one.path_class.value, (one.usd_per_month or Decimal(0)) - usd)
        for one, usd in zip(totals, hubs, strict=True)
    ]
    return [*ways, (f"{HUB_WORK} data transfer", sum(hubs, Decimal(0)))]


def network_services(totals: Sequence[ServiceTotal], options: RenderOptions) -> Iterator[Block]:
    """Yield the table of network services."""
    if not totals:
        return
    yield doc.section("Network services, per month of 730 hours")
    rows = [_service_row(total) for total in totals]
    columns = (
        doc.Column(title="service"),
        doc.Column(title="count", is_number=True),
        doc.Column(title="per month", is_number=True, stacked="{}/month"),
        doc.Column(title="note", is_note=True),
    )
    yield doc.Table(columns=columns, rows=tuple(rows))
    if options.gives_sources():
        for total in totals:
            if total.line_items:
                lines = phrases.bills(total.line_items, _BILL_LINES, are_costs=True)
                yield doc.field("prices", lines[0], more=lines[1:], is_source=True)


def _service_row(total: ServiceTotal) -> tuple[Line, ...]:
    missing = unpriced_note(total.unpriced) if total.unpriced else ()
    note = line(total.note) if total.note else ()
    return (
        line(say(_NAMES.get(total.service, total.service), Role.NAME)),
        line(fixed(f"{total.count:,}")),
        usd_cell(total.usd_per_month, "no price", total.unpriced),
        doc.joined(filter(None, (missing, note)), "; "),
    )


def pod_pairs(pairs: Sequence[PodPair], options: RenderOptions) -> Iterator[Block]:
    """Yield the table of the dearest pairs of workloads; they are part of the bill above."""
    if not pairs:
        return
    yield doc.section("Most expensive pods, per month (included in the traffic above)")
    columns = (
        doc.Column(title="from"),
        doc.Column(title="to"),
        doc.Column(title="volume", is_number=True),
        doc.Column(title="per month", is_number=True, stacked="{}/month"),
        doc.Column(title="note", is_note=True),
    )
    shown = pairs[: options.row_limit]
    yield doc.Table(columns=columns, rows=tuple(_pair(pair) for pair in shown))
    if len(pairs) > len(shown):
        yield doc.para(f"and {len(pairs) - len(shown):,} more in --output json")


def _pair(pair: PodPair) -> tuple[Line, ...]:
    return (
        line(say(_end(pair.src, pair.src_zone), Role.NAME, length=phrases.SUBJECT_LENGTH)),
        line(say(_end(pair.dst, pair.dst_zone), Role.NAME, length=phrases.SUBJECT_LENGTH)),
        line(fixed(figures.volume(pair.gib_per_month))),
        _usd(pair.usd_per_month),
        line(say(pair.unknown or (f"through {pair.service}" if pair.service else ""))),
    )


def _end(workload: str, zone: str) -> str:
    return f"{workload} ({zone})" if zone else workload


def _usd(usd: Decimal | None) -> Line:
    return line("unknown") if usd is None else line(fixed(Amount(usd=usd)))


def near_savings(savings: Sequence[NearSaving], options: RenderOptions) -> Iterator[Block]:
    """Yield what near endpoints would save of each Service, the greatest saving first."""
    if not savings:
        return
    yield doc.section("Services with trafficDistribution: PreferClose, per month")
    columns = (
        doc.Column(title="Service"),
        doc.Column(title="crosses zones", is_number=True),
        doc.Column(title="would stay in the zone", is_number=True),
        doc.Column(title="saving", is_number=True, stacked="saving: {}"),
        doc.Column(title="fullest endpoint", is_note=True),
    )
    ordered = sorted(savings, key=lambda one: (-(one.saving_usd_per_month or 0), one.service))
    shown = ordered[: options.row_limit]
    yield doc.Table(columns=columns, rows=tuple(_saving(one) for one in shown))
    if len(ordered) > len(shown):
        yield doc.para(f"and {len(ordered) - len(shown):,} more in --output json")


def _saving(one: NearSaving) -> tuple[Line, ...]:
    crossing, saved = one.crossing_gib_per_month, one.saved_gib_per_month
    return (
        line(say(one.service, Role.NAME, length=phrases.SUBJECT_LENGTH)),
        line(fixed(figures.volume(crossing))) if crossing is not None else (),
        line(fixed(figures.volume(saved))) if saved is not None else (),
        _usd(one.saving_usd_per_month),
        line(say(_balance(one))),
    )


def _balance(one: NearSaving) -> str:
    """Return what the fullest endpoint would carry, or why nothing is known."""
    if one.overload_times is None:
        return one.unknown
    times = f"{one.overload_times:.2g}"
    load = "same as now" if times == "1" else f"{times}x now"
    said = f"{load}, in {one.fullest_zone}"
    if one.lone_zones:
        said += f"; a single endpoint in {', '.join(one.lone_zones)}"
    if one.prefers_near:
        said += "; already set"
    return f"{said}; {one.unknown}" if one.unknown else said


def plugin_changes(found: PluginChanges | None, options: RenderOptions) -> Iterator[Block]:
    """Yield the table of plugins; with sources what each row rests on."""
    if found is None:
        return
    first = found.rows[0]
    links = f"{first.before.link_gbps:g} and {first.after.link_gbps:g} Gbit/s"
    yield doc.section(f"Transactions per second by network plugin, on {links}")
    yield doc.para(found.limits)
    columns = (
        doc.Column(title="plugin"),
        doc.Column(title="before", stacked="before: {}"),
        doc.Column(title="after", stacked="after: {}"),
        doc.Column(title="then limited by", is_note=True),
    )
    yield doc.Table(columns=columns, rows=tuple(_row(row) for row in found.rows))
    told = tuple(
        line(say(_name(row), Role.NAME), f": {row.told}") for row in found.rows if row.told
    )
    if told:
        yield doc.field("as stated", told[0], more=told[1:])
    if options.gives_sources():
        rests = tuple(line(say(_name(row), Role.NAME), f": {row.source}") for row in found.rows)
        yield doc.field("sources", rests[0], more=rests[1:], is_source=True)


def _row(row: PluginChange) -> tuple[Line, ...]:
    binding = row.after.estimate.binding
    return (
        line(say(_name(row), Role.NAME)),
        line(fixed(_done(row.before))),
        line(fixed(_done(row.after))),
        line(say(limit_words(binding.name) if binding is not None else "")),
    )


def _done(on: OnLink) -> str:
    done = on.transactions
    if done is None:
        return "; ".join(on.estimate.unknown) or "unknown"
    return f"{done.tps:,.0f} [{done.low_tps:,.0f} to {done.high_tps:,.0f}]"


def _name(row: PluginChange) -> str:
    return NO_PLUGIN if row.plugin is None else f"{row.plugin} ({row.encapsulation})"
