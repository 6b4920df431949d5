"""Whether a price snapshot holds together: a line a check, then what fails and what it lacks."""

from collections import Counter
from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import DataTable
from netplan_planner.renderers.document import Block, Line, Role, line, say
from netplan_planner.renderers.options import RenderOptions

SCHEMA = "netplan.price-check/1"
_LONG = 4000


class Record(model.Value, frozen=True, kw_only=True):
    """What was checked of a snapshot, and what fails."""

    checks: dict[str, int]
    """How many prices each check looked at."""
    faults: tuple[model.PriceFault, ...]
    outdated: tuple[str, ...]
    """Prices that are older than a known change."""
    lacking: tuple[model.RegionLack, ...]
    """Regions without prices of traffic."""
    unpriced: tuple[model.UnpricedType, ...]
    """What is offered and has no price."""


def record(answer: model.PriceCheck) -> Record:
    """Return the counts by check, and everything that was found."""
    return model.taken(Record, answer, checks={one.name: one.count for one in answer.checks})


def table(answer: model.PriceCheck) -> DataTable:
    """Return a row a fault."""
    rows = ((one.check, one.where, one.what) for one in answer.faults)
    return DataTable(("check", "where", "what"), rows)


def blocks(answer: model.PriceCheck, options: RenderOptions) -> Iterator[Block]:
    """Yield the checks, then what fails, what is outdated, and what has no price."""
    columns = (
        doc.Column(title=""),
        doc.Column(title="", is_number=True),
        doc.Column(title="", is_note=True),
    )
    rows = tuple(
        (line(_state(one)), line(f"{one.count:,}"), line(one.meaning))
        for one in answer.checks
        if one.is_shown
    )
    yield doc.Table(columns=columns, rows=rows)
    for fault in answer.faults:
        yield _item(f"{fault.check}: {fault.where}: {fault.what}")
    for text in answer.outdated:
        yield _item(text)
    for lack in answer.lacking:
        yield _item(
            f"{lack.region} has no prices for some traffic, which stay unknown: {lack.what}"
        )
    by_series = Counter(one.machine_type.partition("-")[0] for one in answer.unpriced)
    listed = ", ".join(f"{series} {count}" for series, count in by_series.most_common())
    yield doc.para(
        say(
            f"{len(answer.unpriced):,} offered pairs of region and type have no price:"
            f" {listed or 'none'} ({options.full_answer} lists them)",
            length=_LONG,
        )
    )


def _state(one: model.CheckOutcome) -> Line:
    if one.fault_count:
        return line(say(f"{one.fault_count:,} FAIL", Role.BAD))
    return line(say("holds", Role.GOOD))


def _item(text: str) -> doc.Item:
    return doc.item(say(text, length=_LONG))
