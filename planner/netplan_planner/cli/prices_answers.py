"""What the `prices` verbs print: tables to stdout, what was noticed to stderr."""

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import typer

from netplan_planner.inert import inert_line
from netplan_planner.tables.writing import write_rows
from netplan_planner.units import plain_number

if TYPE_CHECKING:
    from netplan_pricing.building.assemble import Built
    from netplan_pricing.catalogue.dumps import Dump
    from netplan_pricing.catalogue.mapping import MappedSku
    from netplan_pricing.comparing import PriceChange
    from netplan_pricing.container import SnapshotFile
    from netplan_pricing.verifying import Verdict

_LISTED = 20
"""Things of one kind that are named on stderr; the tables hold them all."""
_MAPPED_COLUMNS = (*("kind", "series", "component", "usage", "counts_in_plain_vm_price", "reason"),)
_CHANGE_COLUMNS = ("area", "change", "where", "what", "step", "old_usd", "new_usd", "moved_percent")
_PERCENT = Decimal(100)
_MUCH = Decimal("0.2")
"""A move of a price that is worth a look."""


class TableForm(StrEnum):
    """How a table is written."""

    CSV = "csv"
    JSON = "json"


class AnswerForm(StrEnum):
    """How an answer that is read by people first is written."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


def say(text: str) -> None:
    """Write a line to stderr, inert."""
    typer.echo(inert_line(text), err=True)


def say_some(lines: Iterable[str], what: str) -> None:
    """Write the first lines to stderr, and how many more there are."""
    found = list(lines)
    for one in found[:_LISTED]:
        say(f"  {one}")
    if len(found) > _LISTED:
        say(f"  and {len(found) - _LISTED:,} more {what}")


def write_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table to stdout."""
    write_rows(sys.stdout, columns, rows)


def write_json(value: Any) -> None:
    """Write JSON to stdout, numbers with all their digits."""
    import msgspec

    encoded = msgspec.json.Encoder(decimal_format="number").encode(value)
    typer.echo(msgspec.json.format(encoded, indent=1))


def mapped(dump: "Dump", found: "Sequence[MappedSku]", form: TableForm) -> None:
    """Write what each SKU is, in the order read."""
    pairs = zip(dump.skus, found, strict=True)
    if form is TableForm.CSV:
        rows = ((sku.sku_id, *_mapped_cells(one)) for sku, one in pairs)
        write_csv(("sku_id", *_MAPPED_COLUMNS), rows)
        return
    write_json(
        [
            {
                "sku_id": sku.sku_id,
                **dict(zip(_MAPPED_COLUMNS, _mapped_cells(one), strict=True)),
                "counts_in_plain_vm_price": one.counts_in_plain_vm_price,
            }
            for sku, one in pairs
        ]
    )


def _mapped_cells(one: "MappedSku") -> tuple[str, ...]:
    counts = str(int(one.counts_in_plain_vm_price))
    return one.kind, one.series, one.component, one.usage, counts, one.reason


def say_mapped(dump: "Dump", found: "Sequence[MappedSku]") -> None:
    """Say how many SKUs are of which use, and name those that are not recognised."""
    from netplan_pricing.catalogue.mapping import Scope

    count = Counter(one.scope for one in found)
    say(
        f"{len(found):,} SKUs: {count[Scope.PRICED]:,} of kinds that netplan prices,"
        f" {count[Scope.OTHER]:,} of others, {count[Scope.UNRECOGNISED]:,} not recognised"
    )
    unknown = (place for place, one in enumerate(found) if one.scope is Scope.UNRECOGNISED)
    say_some(
        (
            f"{dump.skus[place].sku_id} {dump.skus[place].description!a}: {found[place].reason}"
            f" ({dump.where(place)})"
            for place in unknown
        ),
        "unrecognised SKUs",
    )
    for name in dump.unfinished:
        say(f"  {name}: its last page names a next one: more SKUs exist")


def built(file: "SnapshotFile", size_bytes: int) -> None:
    """Write what a new snapshot is made of."""
    header = file.header
    typer.echo(f"{file.path}: {size_bytes:,} bytes, SHA-256 {file.sha256}")
    typer.echo(
        f"{header.sku_count:,} SKUs read, {header.unread_count:,} of those needed not recognised;"
        f" prices of {header.as_of}, catalogue of {header.network_as_of}"
    )
    for note in header.sources:
        typer.echo(inert_line(f"{note.rows:>7,}  {note.table:<17} {note.as_of}  {note.source}"))


def say_built(one: "Built") -> None:
    """Say what was noticed while building."""
    if one.lacking:
        say(f"{len(one.lacking):,} regions lack prices of traffic, which stay unknown there:")
        say_some((f"{lack.region}: {lack.what}" for lack in one.lacking), "regions")
    if one.unread:
        say(f"{len(one.unread):,} SKUs are needed and cannot be used:")
        say_some(
            (f"{sku.sku_id} {sku.description!a}: {sku.reason} ({sku.where})" for sku in one.unread),
            "SKUs",
        )
    if one.priceless:
        say(f"{len(one.priceless):,} SKUs are needed and have no price in the catalogue:")
        say_some(
            (f"{sku.sku_id} {sku.description!a}: {sku.reason}" for sku in one.priceless), "SKUs"
        )
    if one.choices:
        say(f"{len(one.choices):,} rates have two SKUs:")
        say_some(
            (
                f"{choice.key.series} {choice.key.component} {choice.key.usage} in"
                f" {choice.key.region}: took {choice.taken} ({choice.why}), not"
                f" {', '.join(choice.others)}"
                for choice in one.choices
            ),
            "rates",
        )
    compared = one.comparison
    if compared.compared_count:
        offered = sum(difference.is_offered for difference in compared.differences)
        say(
            f"{compared.compared_count:,} listed prices on demand and of commitments are sums of"
            f" SKUs too: {len(compared.differences):,} differ, {offered:,} of the"
            f" {compared.offered_count:,} that are offered"
        )
        say_some(
            (
                f"{found.machine_type} in {found.region}, {found.usage}: listed"
                f" {found.listed_usd:f}, sum {found.summed_usd:f}"
                f"{'' if found.is_offered else ', not offered'}"
                f"{f' ({found.note})' if found.note else ''}"
                for found in compared.differences
            ),
            "prices",
        )


def say_changes(old: "SnapshotFile", new: "SnapshotFile") -> None:
    """Say how much of the snapshot before appeared, vanished or moved by more than a fifth."""
    from netplan_pricing.book import SnapshotPriceBook
    from netplan_pricing.comparing import compare

    found = compare(SnapshotPriceBook(old), SnapshotPriceBook(new), least_ratio=_MUCH)
    count = Counter((one.area.value, one.change.value) for one in found)
    listed = ", ".join(
        f"{number:,} prices of {area}s {change}" for (area, change), number in sorted(count.items())
    )
    say(f"against {old.path} ({old.header.as_of}): {listed or 'nothing moved by more than 20 %'}")


def changes(found: "Sequence[PriceChange]", form: AnswerForm) -> None:
    """Write how two snapshots differ."""
    if form is AnswerForm.CSV:
        write_csv(_CHANGE_COLUMNS, map(_change_cells, found))
        return
    if form is AnswerForm.JSON:
        rows = [dict(zip(_CHANGE_COLUMNS, _change_cells(one), strict=True)) for one in found]
        write_json({"schema": "netplan.price-changes/1", "changes": rows})
        return
    count = Counter((one.area.value, one.change.value) for one in found)
    for (area, change), number in sorted(count.items()):
        typer.echo(f"{area:<8} {change:<9} {number:>7,}")
    for one in found:
        prices = f"{_usd(one.old_usd)} → {_usd(one.new_usd)}"
        moved = "" if one.ratio is None else f" ({one.ratio:+.1%})"
        step = f" from {one.step}" if one.step else ""
        typer.echo(
            inert_line(f"{one.change.value:<9} {one.where}  {one.what}{step}: {prices}{moved}")
        )
    if not found:
        typer.echo("no price differs")


def _usd(value: Decimal | None) -> str:
    return "none" if value is None else plain_number(value)


def _change_cells(one: "PriceChange") -> tuple[object, ...]:
    moved = None if one.ratio is None else round(one.ratio * _PERCENT, 3)
    prices = (one.old_usd, one.new_usd, moved)
    return one.area.value, one.change.value, one.where, one.what, one.step, *prices


def verdict(one: "Verdict", form: AnswerForm) -> None:
    """Write what was checked and what fails."""
    from netplan_pricing.verifying import Check

    if form is AnswerForm.CSV:
        write_csv(
            ("check", "where", "what"),
            ((fault.check.name.lower(), fault.where, fault.what) for fault in one.faults),
        )
        return
    if form is AnswerForm.JSON:
        write_json(
            {
                "schema": "netplan.price-check/1",
                "checks": one.counts,
                "faults": [
                    {"check": fault.check.name.lower(), "where": fault.where, "what": fault.what}
                    for fault in one.faults
                ],
                "outdated": one.outdated,
                "lacking": [{"region": lack.region, "what": lack.what} for lack in one.lacking],
                "unpriced": [
                    {"region": region, "machine_type": name, "reason": reason}
                    for region, name, reason in one.unpriced
                ],
            }
        )
        return
    failed = Counter(fault.check for fault in one.faults)
    for check in Check:
        if check is Check.LIKE_BEFORE and not one.counts[check.name.lower()]:
            # Nothing to compare with.
            continue
        state = f"{failed[check]:,} FAIL" if failed[check] else "holds"
        typer.echo(f"{state:<10} {one.counts[check.name.lower()]:>8,}  {check.value}")
    for fault in one.faults:
        typer.echo(inert_line(f"  {fault.check.name.lower()}: {fault.where}: {fault.what}"))
    for line in one.outdated:
        typer.echo(inert_line(line))
    for lack in one.lacking:
        typer.echo(f"{lack.region} lacks prices of traffic, which stay unknown there: {lack.what}")
    by_series = Counter(name.partition("-")[0] for _, name, _ in one.unpriced)
    listed = ", ".join(f"{series} {count}" for series, count in by_series.most_common())
    typer.echo(
        f"{len(one.unpriced):,} offered pairs of region and type have no price:"
        f" {listed or 'none'} (--format json lists them)"
    )
