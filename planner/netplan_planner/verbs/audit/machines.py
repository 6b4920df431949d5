"""All machines with their caps and prices, and the regional quotas beside them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner.model import MAYBE_ADDRESS, Amount, MachineRow
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import Cell, DataTable
from netplan_planner.renderers.csv_report import text_of
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.renderers.figures import SUM_DECIMALS, exact
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.audit.answer import RegionRow, Report

_FULL = "every VM: -v, --output md, --output machines-csv or --output json"


def machines(report: Report, options: RenderOptions) -> Iterator[Block]:
    """Yield the machines: grouped by region and type, or each with its caps, NIC, MTU and price.

    With traffic the findings say more: then they stand there only when everything is asked for.
    """
    is_asked = report.window is None or options.gives_sources()
    if not report.machines or not is_asked:
        return
    yield doc.section("VMs")
    if options.verbosity or options.has_every_machine:
        yield from _each(report.machines)
    else:
        yield from _by_type(report.machines, options)
    yield from _quotas(report.regions, options)


def _by_type(rows: Sequence[MachineRow], options: RenderOptions) -> Iterator[Block]:
    groups: dict[tuple[str, str, bool], list[MachineRow]] = defaultdict(list)
    for row in rows:
        groups[row.region, row.machine_type, row.is_tier1].append(row)
    ordered = sorted(groups.items(), key=lambda pair: (-_usd(pair[1])[0], pair[0]))
    shown = ordered[: options.row_limit]
    columns = (
        doc.Column(title="region"),
        doc.Column(title="VMs"),
        doc.Column(title="count", is_number=True, stacked="VMs: {}"),
        doc.Column(title="inside", is_number=True, stacked="inside {}"),
        doc.Column(title="to outside", is_number=True, stacked="to outside {}"),
        doc.Column(title="NIC", stacked="NIC {}"),
        doc.Column(title="external", is_number=True, stacked="external addresses: {}"),
        doc.Column(title="per month", is_number=True, stacked="{}/month"),
        doc.Column(title="note", is_note=True),
    )
    yield doc.Table(columns=columns, rows=tuple(_group_row(*key, found) for key, found in shown))
    rest = len(ordered) - len(shown)
    more = f"and {figures.counted(rest, 'more kind')} of VM; " if rest else ""
    if more or not options.folds:
        yield doc.para(f"{more}{'' if options.folds else _FULL}".removesuffix("; "))


def _group_row(
    region: str, machine_type: str, is_tier1: bool, rows: Sequence[MachineRow]
) -> tuple[Line, ...]:
    usd, unknown = _usd(rows)
    kinds = {
        "stopped": sum(row.is_stopped for row in rows),
        "suspended": sum(row.is_suspended for row in rows),
        "Spot": sum(row.is_spot and not row.is_off for row in rows),
    }
    notes = [f"{count} {kind}" for kind, count in kinds.items() if count]
    notes.append(f"price of {unknown} unknown" if unknown else "")
    notes += sorted({row.cap_unknown for row in rows if row.cap_unknown})[:1]
    said = [line(note) for note in notes if note]
    addresses = sum((row.address_usd_per_month or Decimal(0) for row in rows), Decimal(0))
    if addresses:
        said.insert(0, line(fixed(Amount(usd=addresses)), " of it for external addresses"))
    return (
        line(region),
        _type(machine_type, is_tier1),
        line(f"{len(rows):,}"),
        line(fixed(_rates([row.egress_gbps for row in rows]))),
        line(fixed(_rates([row.external_gbps for row in rows]))),
        line(_nic(rows)),
        line(_external(rows)),
        line(fixed(Amount(usd=usd) if unknown < len(rows) else "unknown")),
        doc.joined(said, "; "),
    )


def _each(rows: Sequence[MachineRow]) -> Iterator[Block]:
    columns = (
        doc.Column(title="VM"),
        doc.Column(title="type"),
        doc.Column(title="inside", is_number=True, stacked="inside {}"),
        doc.Column(title="to outside", is_number=True, stacked="to outside {}"),
        doc.Column(title="NIC"),
        doc.Column(title="MTU", is_number=True, stacked="MTU {}"),
        doc.Column(title="external address"),
        doc.Column(title="VM per month", is_number=True, stacked="VM: {}/month"),
        doc.Column(title="addresses", is_number=True, stacked="addresses: {}"),
        doc.Column(title="note", is_note=True),
    )
    yield doc.Table(columns=columns, rows=tuple(_machine_row(row) for row in rows))


def _machine_row(row: MachineRow) -> tuple[Line, ...]:
    notes = [row.status.lower() if row.is_off else "", "Spot" if row.is_spot else ""]
    is_known = row.egress_gbps is not None
    notes += [row.cap_unknown, row.egress_source if is_known else "", row.price_unknown]
    return (
        line(say(f"{row.zone}/{row.name}", Role.NAME)),
        _type(row.machine_type, row.is_tier1),
        line(fixed(_rates([row.egress_gbps]))),
        line(fixed(_rates([row.external_gbps]))),
        line(_nic([row])),
        line("unknown" if row.mtu_bytes is None else f"{row.mtu_bytes}"),
        line(", ".join(row.external_addresses) or "none"),
        line(fixed(_money(row.machine_usd_per_month))),
        line(fixed(_money(row.address_usd_per_month))),
        line("; ".join(note for note in notes if note)),
    )


def _quotas(rows: Sequence[RegionRow], options: RenderOptions) -> Iterator[Block]:
    """Yield the regional quotas that apply, with what the machines could send together."""
    if not rows:
        return
    named = " and ".join(dict.fromkeys(f"“{name}”" for row in rows for name in row.quotas))
    yield doc.para(
        f"Quotas {named} apply per project and region to all VMs together, in Mbit/s. The first "
        "excludes traffic to Google APIs. No input states their values. List them: gcloud beta "
        "quotas info list --service=compute.googleapis.com --project=…"
    )
    ordered = sorted(rows, key=lambda row: (-(row.external_gbps or 0.0), row.project, row.region))
    shown = ordered[: options.row_limit]
    columns = (
        doc.Column(title="region"),
        doc.Column(title="running", is_number=True, stacked="{} running"),
        doc.Column(title="max. to outside", is_number=True, stacked="max. {} to outside"),
        doc.Column(title="max. total", is_number=True, stacked="max. {} total"),
        doc.Column(title="quotas", stacked="quotas {}"),
    )
    yield doc.Table(columns=columns, rows=tuple(_region_row(row) for row in shown))
    if len(ordered) > len(shown):
        rest = figures.counted(len(ordered) - len(shown), "more region")
        yield doc.para(f"and {rest}")


def _region_row(row: RegionRow) -> tuple[Line, ...]:
    return (
        line(say(f"{row.project} {row.region}")),
        line(f"{row.running_count:,} of {row.machine_count:,}"),
        line(fixed(_sum(row.external_gbps, row.external_unknown_count))),
        line(fixed(_sum(row.egress_gbps, row.unknown_count))),
        line("not read"),
    )


def _sum(gbps: float | None, unknown_count: int) -> str:
    if gbps is None:
        return "unknown"
    unknown = f" ({unknown_count} with unknown caps)" if unknown_count else ""
    return f"{figures.rate(gbps)}{unknown}"


def _type(machine_type: str, is_tier1: bool) -> Line:
    tier = " with Tier_1" if is_tier1 else ""
    return line(say(machine_type, Role.NAME, length=60), tier)


def _rates(values: Sequence[float | None]) -> str:
    """Return `16 Gbit/s`, or the range where machines of a type differ by platform."""
    known = sorted({value for value in values if value is not None})
    if not known:
        return "unknown"
    if len(known) == 1:
        return figures.rate(known[0])
    return f"{known[0]:g} to {figures.rate(known[-1])}"


def _nic(rows: Sequence[MachineRow]) -> str:
    """Return the NIC types that are stated, else that the only possible one is meant."""
    stated = sorted({name for row in rows for name in row.nic_types})
    if stated:
        return ", ".join(stated)
    possible = {row.nic_types_possible for row in rows}
    only = next(iter(possible)) if len(possible) == 1 else ()
    return f"{only[0]} only" if len(only) == 1 else "not stated"


def _external(rows: Sequence[MachineRow]) -> str:
    """Return how many external addresses machines have, as far as it is known."""
    every = [address for row in rows for address in row.external_addresses]
    count = len(every) - every.count(MAYBE_ADDRESS)
    return f"{count:,}" + (" or more" if MAYBE_ADDRESS in every else "")


def _usd(rows: Sequence[MachineRow]) -> tuple[Decimal, int]:
    """Return what machines and addresses cost together, and of how many it is not known."""
    whole, unknown = Decimal(0), 0
    for row in rows:
        if row.machine_usd_per_month is None or row.address_usd_per_month is None:
            unknown += 1
        whole += (row.machine_usd_per_month or 0) + (row.address_usd_per_month or 0)
    return whole, unknown


def _money(usd: Decimal | None) -> str | Amount:
    return "unknown" if usd is None else Amount(usd=usd)


def render(report: Report, options: RenderOptions) -> str:
    """Return all machines as a CSV table, one row each; no option leaves a row out.

    An empty cell is not known; `cap_unknown` and `price_unknown` say why. Columns keep their order;
    new ones come at the end.
    """
    names = MachineRow.__struct_fields__
    rows = ((_cell(getattr(row, name)) for name in names) for row in report.machines)
    return text_of(DataTable(names, map(tuple, rows)))


def _cell(value: Cell) -> Cell:
    return exact(value, SUM_DECIMALS) if isinstance(value, Decimal) else value
