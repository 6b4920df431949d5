"""A price snapshot that was built: what it is made of, and beside it what was noticed."""

from collections.abc import Iterator
from pathlib import Path

from netplan_planner.model import ListDifference, SnapshotBuilt
from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import DataTable
from netplan_planner.renderers.content.phrases import first_of
from netplan_planner.renderers.document import Block, Role, line, say
from netplan_planner.renderers.options import RenderOptions

SCHEMA = "netplan.price-snapshot-built/1"
COLUMNS = ("table", "row_count", "as_of", "source")
_LONG = 4000


def table(answer: SnapshotBuilt) -> DataTable:
    """Return a row for each source of a table."""
    rows = ((one.table, one.rows, one.as_of, one.source) for one in answer.sources)
    return DataTable(COLUMNS, rows)


def blocks(answer: SnapshotBuilt, options: RenderOptions) -> Iterator[Block]:
    """Yield the file with its hash, what was read, who uses it, and the sources of each table."""
    path = say(f"{answer.path}:", Role.PLACE, length=_LONG)
    yield doc.para(path, f" {answer.size_bytes:,} bytes")
    yield doc.para(f"SHA-256 {answer.sha256}")
    yield doc.para(
        f"{answer.sku_count:,} SKUs read, {answer.unread_count:,} of those needed not"
        f" recognised; prices of {answer.as_of}, catalogue of {answer.network_as_of}"
    )
    if answer.is_default:
        yield doc.para("Every verb now uses these prices. --prices shipped uses the shipped ones.")
    else:
        yield doc.para(say(f"Use them with --prices {Path(answer.path).parent}", length=_LONG))
    if answer.kept_types:
        yield doc.para(say(answer.kept_types, length=_LONG))
    if not options.verbosity:
        sources = {one.source for one in answer.sources}
        yield doc.para(f"From {len(sources):,} sources (list them: --explain)")
        return
    columns = (
        doc.Column(title=""),
        doc.Column(title="rows", is_number=True, stacked="{} rows"),
        doc.Column(title="date"),
        doc.Column(title="source", is_note=True),
    )
    rows = tuple(
        (
            line(say(one.table)),
            line(f"{one.rows:,}"),
            line(say(one.as_of)),
            line(say(one.source, length=_LONG)),
        )
        for one in answer.sources
    )
    yield doc.Table(columns=columns, rows=rows, is_inner=True)


def asides(answer: SnapshotBuilt) -> Iterator[str]:
    """Yield what was noticed while building, and how it differs from the one before."""
    if answer.lacking:
        yield (
            f"{len(answer.lacking):,} regions have no prices for some traffic, which stay unknown:"
        )
        yield from first_of((f"{one.region}: {one.what}" for one in answer.lacking), "regions")
    if answer.unread:
        yield f"{len(answer.unread):,} needed SKUs cannot be used:"
        yield from first_of(
            (
                f"{sku.sku_id} {sku.description!a}: {sku.reason} ({sku.where})"
                for sku in answer.unread
            ),
            "SKUs",
        )
    if answer.priceless:
        yield f"{len(answer.priceless):,} needed SKUs have no price in the catalogue:"
        yield from first_of(
            (f"{sku.sku_id} {sku.description!a}: {sku.reason}" for sku in answer.priceless), "SKUs"
        )
    if answer.choices:
        yield f"{len(answer.choices):,} rates have two SKUs:"
        yield from first_of(
            (
                f"{one.series} {one.component} {one.usage} in {one.region}: used {one.taken} "
                f"({one.why}), not {', '.join(one.others)}"
                for one in answer.choices
            ),
            "rates",
        )
    yield from _of_lists(answer)
    if answer.before is not None:
        counts = answer.before.counts
        moved = ", ".join(f"{one.count:,} prices of {one.area}s {one.change}" for one in counts)
        said = moved or "no price changed by more than 20%"
        yield f"against {answer.before.path} ({answer.before.as_of}): {said}"


def _of_lists(answer: SnapshotBuilt) -> Iterator[str]:
    found = answer.comparison
    if not found.compared_count:
        return
    offered = sum(one.is_offered for one in found.differences)
    yield (
        f"{found.compared_count:,} listed on-demand and commitment prices are also sums of SKUs: "
        f"{len(found.differences):,} differ, {offered:,} of the {found.offered_count:,} offered "
        "ones"
    )
    yield from first_of(map(_difference, found.differences), "prices")


def _difference(one: ListDifference) -> str:
    offered = "" if one.is_offered else ", not offered"
    note = f" ({one.note})" if one.note else ""
    return (
        f"{one.machine_type} in {one.region}, {one.usage}: listed {one.listed_usd:f}, sum"
        f" {one.summed_usd:f}{offered}{note}"
    )
