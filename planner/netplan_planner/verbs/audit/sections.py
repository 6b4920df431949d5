"""Sections below the findings: Services of the network, and what pods cost."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner.judging.services import SOLE_TENANT_NODES
from netplan_planner.model import Amount, ClassTotal, ServiceTotal, Unpriced, series_of, total_usd
from netplan_planner.model.report_rows import HUB_WORK, unpriced_span
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.content.flows import unpriced_note, usd_cell
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


def month_bill(report: Report) -> Line:
    """Return what a month costs as it is, by kind and by the dearest paths; empty: nothing."""
    found = report.bill
    low = _least(report.network_services)
    traffic = (found.traffic_usd or Decimal(0)) + _least(report.traffic_by_class)
    kinds = [("machines", found.machines_usd), ("traffic", traffic)]
    kinds += [("external addresses", found.addresses_usd)]
    kinds += [("network services", found.services_usd + low)]
    beside = {
        "machines": _of_machines,
        "traffic": _of_traffic,
        "external addresses": _free,
        "network services": _of_services,
    }
    parts = [line(name, " ", _paid(usd), beside[name](report)) for name, usd in kinds if usd]
    if found.commitments_usd:
        less = "less " if found.commitments_usd < 0 else ""
        name = f"fees of commitments less what they cover {less}"
        parts.append(line(name, _paid(found.commitments_usd)))
    if not parts:
        return ()
    usd = found.least_usd_per_month
    whole = say("Paid a month: ", Role.STRONG), _paid(usd, Role.STRONG)
    # What was not read may cost something, too.
    least = "" if found.is_whole and report.coverage.is_complete else " at least"
    return line(*whole, f"{least} · ", doc.joined(parts, " · "), _without_price(report))


def _free(report: Report) -> Line:
    """Return what is free of addresses, and in no sum, with what it takes off at most."""
    note, usd = report.bill.addresses_note, report.bill.addresses_free_usd
    if not note or not usd:
        return ()
    return line(" (up to ", _paid(usd), f" less: {note}, once for a billing account)")


def _of_machines(report: Report) -> Line:
    """Return the machines by series, the dearest first, and the nodes that others run on."""
    of_series = (
        (series_of(row.machine_type), row.machine_usd_per_month) for row in report.machines
    )
    nodes = ((one.service, one.usd_per_month) for one in report.network_services)
    return _named([*of_series, *(one for one in nodes if one[0] == SOLE_TENANT_NODES)])


def _of_services(report: Report) -> Line:
    """Return the network services by name, the dearest first."""
    least = (
        (one.service, (one.usd_per_month or Decimal(0)) + unpriced_span(one.unpriced)[0])
        for one in report.network_services
    )
    return _named([one for one in least if one[0] != SOLE_TENANT_NODES])


def _named(amounts: Sequence[tuple[str, Decimal | None]]) -> Line:
    """Return kinds in brackets where there are several."""
    found = [(_NAMES.get(name, name), usd) for name, usd in amounts if usd]
    return line(" (", phrases.by_kind(found), ")") if len(dict(found)) > 1 else ()


def _least(totals: Sequence[ServiceTotal | ClassTotal]) -> Decimal:
    """Return what is in a total of parts without a known price: what they cost at least."""
    return unpriced_span([part for one in totals for part in one.unpriced])[0]


def _paid(usd: Decimal | None, role: Role = Role.PLAIN) -> Line:
    return line(fixed(Amount(usd=abs(usd or Decimal(0))), role))


def _without_price(report: Report) -> Line:
    """Return what is in no sum because nothing tells its price, and what never is."""
    found = report.bill
    said = []
    if found.unpriced_machine_count:
        said.append(figures.counted(found.unpriced_machine_count, "machine"))
    if found.unpriced_address_count:
        said.append(figures.counted(found.unpriced_address_count, "address", "addresses"))
    if found.commitments_unknown:
        said.append("what commitments cover")
    parts = [line(", ".join(said))] if said else []
    parts += _unpriced(report)
    without = line("; no known price: ", doc.joined(parts, ", ")) if parts else ()
    return line(without, "; disks and licences are not in it")


def _unpriced(report: Report) -> list[Line]:
    """Return what of traffic and services has no known price, and what it may cost more."""
    traffic = [part for one in report.traffic_by_class for part in one.unpriced]
    volume = figures.volume(report.bill.unpriced_gib)
    found = [(f"{volume} of traffic", traffic)] if report.bill.unpriced_gib else []
    found += [
        (f"parts of {_NAMES.get(one.service, one.service)}", list(one.unpriced))
        for one in report.network_services
        if one.unpriced
    ]
    return [line(name, _at_most(unpriced)) for name, unpriced in found]


def _at_most(unpriced: Sequence[Unpriced]) -> Line:
    low, high = unpriced_span(unpriced)
    if high is None or not unpriced:
        return line(" (no upper bound is known)")
    return line(" (up to ", _paid(high - low), " more)")


def _of_traffic(report: Report) -> Line:
    """Return the dearest classes of path, and the dearest pair."""
    totals = sorted(report.traffic_by_class, key=lambda one: -(one.usd_per_month or 0))
    hubs = [total_usd(one.over_hubs) for one in totals]
    ways = [
        (one.path_class.value, (one.usd_per_month or Decimal(0)) - usd)
        for one, usd in zip(totals, hubs, strict=True)
    ]
    ways.append((f"{HUB_WORK} data transfer", sum(hubs, Decimal(0))))
    parts = [phrases.by_kind(ways)] if any(usd for _, usd in ways) else []
    for pair in report.dear_pairs[:1]:
        ends = say(f"{pair.src} → {pair.dst}", Role.NAME, length=phrases.SUBJECT_LENGTH)
        parts.append(line("dearest pair ", ends, " ", _paid(pair.usd_per_month)))
    return line(" (", doc.joined(parts, ", "), ")") if parts else ()


def network_services(
    totals: Sequence[ServiceTotal], traffic: Sequence[ClassTotal], options: RenderOptions
) -> Iterator[Block]:
    """Yield the table of network services, with a row for all of them, and for the traffic too."""
    if not totals:
        return
    yield doc.section("Network services, per month of 730 hours")
    rows = [_service_row(total) for total in totals]
    if len(totals) > 1:
        rows.append((line(say("all services", Role.STRONG)), (), _sum(totals), ()))
    if traffic:
        whole = _sum((*totals, *traffic))
        rows.append((line(say("traffic and services", Role.STRONG)), (), whole, ()))
    columns = (
        doc.Column(title="service"),
        doc.Column(title="count", is_number=True),
        doc.Column(title="a month", is_number=True, stacked="a month: {}"),
        doc.Column(title="note", is_note=True),
    )
    yield doc.Table(columns=columns, rows=tuple(rows))
    if options.gives_sources():
        for total in totals:
            if total.line_items:
                lines = phrases.bills(total.line_items, _BILL_LINES, are_costs=True)
                yield doc.field("prices", lines[0], more=lines[1:], is_source=True)


def _sum(totals: Sequence[ServiceTotal | ClassTotal]) -> Line:
    known = [one.usd_per_month for one in totals if one.usd_per_month is not None]
    unpriced = [one for total in totals for one in total.unpriced]
    usd = sum(known, Decimal(0)) if known else None
    return usd_cell(usd, "no price", unpriced, Role.STRONG)


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
    yield doc.section("Pods that cost most, per month (part of the traffic above)")
    columns = (
        doc.Column(title="from"),
        doc.Column(title="to"),
        doc.Column(title="volume", is_number=True),
        doc.Column(title="a month", is_number=True, stacked="a month: {}"),
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
        line(say(pair.unknown or (f"by {pair.service}" if pair.service else ""))),
    )


def _end(workload: str, zone: str) -> str:
    return f"{workload} ({zone})" if zone else workload


def _usd(usd: Decimal | None) -> Line:
    return line("not known") if usd is None else line(fixed(Amount(usd=usd)))


def near_savings(savings: Sequence[NearSaving], options: RenderOptions) -> Iterator[Block]:
    """Yield what near endpoints would save of each Service, the greatest saving first."""
    if not savings:
        return
    yield doc.section("Services with trafficDistribution: PreferClose, per month")
    columns = (
        doc.Column(title="Service"),
        doc.Column(title="crosses zones", is_number=True),
        doc.Column(title="would stay", is_number=True),
        doc.Column(title="saves", is_number=True, stacked="saves: {}"),
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
    load = "as much as now" if times == "1" else f"{times} times what it is now"
    said = f"{load}, in {one.fullest_zone}"
    if one.lone_zones:
        said += f"; a single endpoint in {', '.join(one.lone_zones)}"
    if one.prefers_near:
        said += "; it is set already"
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
        doc.Column(title="then bound by", is_note=True),
    )
    yield doc.Table(columns=columns, rows=tuple(_row(row) for row in found.rows))
    told = tuple(
        line(say(_name(row), Role.NAME), f": {row.told}") for row in found.rows if row.told
    )
    if told:
        yield doc.field("as told", told[0], more=told[1:])
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
