"""What gateways, tunnels, forwarding rules and flow logs cost beside the traffic."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner.model import ClassTotal, ServiceTotal
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.content.flows import unpriced_note, usd_cell
from netplan_planner.renderers.document import (
    Block,
    Column,
    Field,
    Line,
    Role,
    Section,
    Table,
    fixed,
    line,
    say,
)
from netplan_planner.renderers.options import RenderOptions

_BILL_LINES = 12
"""Of one service under `-v`; all are in the JSON report."""
_NAMES = {
    "cloud-nat": "Cloud NAT gateways",
    "cloud-vpn": "Cloud VPN tunnels",
    "forwarding-rules": "forwarding rules",
    "psc-endpoints": "Private Service Connect endpoints",
    "flow-logs": "flow logs (subnetworks)",
}


def network_services(
    totals: Sequence[ServiceTotal], traffic: Sequence[ClassTotal], options: RenderOptions
) -> Iterator[Block]:
    """Yield the table of network services, with a row for all of them, and for the traffic too."""
    if not totals:
        return
    yield Section(line=line("Network services, per month of 730 hours"))
    rows = [_row(total) for total in totals]
    if len(totals) > 1:
        rows.append((line(say("all services", Role.STRONG)), (), _sum(totals), ()))
    if traffic:
        whole = _sum((*totals, *traffic))
        rows.append((line(say("traffic and services", Role.STRONG)), (), whole, ()))
    columns = (
        Column(title="service"),
        Column(title="count", is_number=True),
        Column(title="a month", is_number=True, stacked="a month: {}"),
        Column(title="note", is_note=True),
    )
    yield Table(columns=columns, rows=tuple(rows))
    if options.gives_sources():
        for total in totals:
            if total.line_items:
                lines = phrases.bills(total.line_items, _BILL_LINES, are_costs=True)
                yield Field(label="prices", line=lines[0], more=lines[1:], is_source=True)


def _sum(totals: Sequence[ServiceTotal | ClassTotal]) -> Line:
    known = [one.usd_per_month for one in totals if one.usd_per_month is not None]
    unpriced = [one for total in totals for one in total.unpriced]
    usd = sum(known, Decimal(0)) if known else None
    return usd_cell(usd, "no price", unpriced, Role.STRONG)


def _row(total: ServiceTotal) -> tuple[Line, ...]:
    note = unpriced_note(total.unpriced) if total.unpriced else line(total.note)
    return (
        line(say(_NAMES.get(total.service, total.service), Role.NAME)),
        line(fixed(f"{total.count:,}")),
        usd_cell(total.usd_per_month, "no price", total.unpriced),
        note,
    )
