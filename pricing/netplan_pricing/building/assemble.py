"""The whole snapshot from a catalogue, machine types and other tables: deterministic, checked."""

from collections import Counter
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

import msgspec

from netplan_planner.errors import InputError
from netplan_planner.model import ListComparison, ListDifference, RateChoice, RegionLack, Usage
from netplan_pricing import schema
from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.building import sku_network, sku_tables
from netplan_pricing.building.csv_tables import Columns, Row, as_columns, read_rows
from netplan_pricing.building.machine_inputs import Machines
from netplan_pricing.building.other_tables import USAGES, ListedRow, OtherTables
from netplan_pricing.building.sku_tables import Key, PartNames
from netplan_pricing.catalogue.priced import Catalogue, CurrencyRate, Unread
from netplan_pricing.container import FILE_NAME, SnapshotFile, SourceNote, encode_snapshot
from netplan_pricing.verifying import Verdict, verify

FACTS = Path(__file__).parent.parent / "facts"
"""Small hand-kept tables: what neither the catalogue nor the Compute API says, with sources."""

AGREE_RATIO = Decimal("1e-6")
"""Two prices that differ by less are one: lists round the rates that they sum."""

_FACT_TABLES = (
    *(schema.SUSTAINED_USE, schema.TIER1_SERIES, schema.CUSTOM_LIMITS, schema.INTERNET_AREAS),
    *(schema.SKU_SERIES, schema.FLEXIBLE_SERIES, schema.MACHINE_SLICES),
)
_UNSORTED = frozenset({schema.SKU_SERIES})
"""Fact tables whose first fitting row decides."""
_WEIGHT = Decimal(100)
_SPOT = "spot"
_NEVER_AGREES = 3
"""Regions in which a list has to differ from the SKUs on a type, and agree in none, before it is
not believed on the type elsewhere; in fewer, a price may have moved since the list was made."""
_SHOWN = 10


class Built(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot's bytes, and what there is to say about it."""

    content: bytes
    unread: tuple[Unread, ...]
    priceless: tuple[Unread, ...]
    choices: tuple[RateChoice, ...]
    comparison: ListComparison
    region_pair_count: int
    lacking: tuple[RegionLack, ...] = ()
    """Regions without prices of traffic, which are refused there."""


def build_snapshot(
    catalogue: Catalogue,
    machines: Machines,
    other: OtherTables,
    currencies: Sequence[CurrencyRate] = (),
    facts: Path = FACTS,
    *,
    today: date,
) -> Built:
    """Return a snapshot.

    Args:
        catalogue: The SKUs, priced.
        machines: Machine types and where they are offered.
        other: Prices of other sources; they stand where the catalogue has none, and for Spot where
            they are younger.
        currencies: Conversion rates of the catalogue.
        facts: Folder of the hand-kept tables.
        today: No date may be after it.

    Raises:
        InputError: If the sources contradict each other, or hold a price that cannot be one.
    """
    rates, choices = sku_tables.component_rates(catalogue, PartNames(facts))
    _add_younger(rates, other, catalogue.as_of.isoformat())
    tables: dict[str, Columns] = {
        schema.COMPONENT_PRICES: as_columns(
            schema.COMPONENT_PRICES, [rates[key] for key in sorted(rates)]
        ),
        schema.MACHINE_TYPES: machines.types,
        schema.REGION_OFFERS: machines.region_offers,
        schema.ZONE_OFFERS: machines.zone_offers,
        schema.NETWORK_PRICES: sku_network.network_prices(catalogue),
        schema.SERVICE_PRICES: sku_network.service_prices(catalogue, other.pages),
        schema.TIER1_FEES: sku_tables.tier1_fees(catalogue),
        schema.SKUS: sku_tables.sku_rows(catalogue),
        schema.CURRENCY_RATES: as_columns(
            schema.CURRENCY_RATES,
            [
                (one.currency, f"{one.per_usd:f}", schema.CATALOGUE_SOURCE, one.as_of)
                for one in currencies
            ],
        ),
        **{name: _fact(facts, name) for name in _FACT_TABLES},
    }
    pairs, lacking = sku_network.check_region_pairs(
        tables[schema.NETWORK_PRICES], tables[schema.REGION_OFFERS]
    )
    empty = {**tables, schema.LISTED_PRICES: as_columns(schema.LISTED_PRICES, [])}
    summed = SnapshotPriceBook(SnapshotFile(Path(FILE_NAME), _encoded(empty, catalogue)))
    listed, comparison = _listed(other.machines, summed)
    tables[schema.LISTED_PRICES] = as_columns(schema.LISTED_PRICES, listed)
    content = _encoded(tables, catalogue)
    verdict = _sound(SnapshotPriceBook(SnapshotFile(Path(FILE_NAME), content)), today)
    return Built(
        content=content,
        unread=catalogue.unread,
        priceless=catalogue.priceless,
        choices=tuple(sorted(choices, key=_place_and_part)),
        comparison=comparison,
        region_pair_count=pairs,
        lacking=(*lacking, *verdict.lacking),
    )


def _place_and_part(choice: RateChoice) -> tuple[str, str, str, str]:
    return choice.region, choice.series, choice.component, choice.usage


def _sound(book: SnapshotPriceBook, today: date) -> Verdict:
    """Refuse a snapshot that fails the checks of `netplan prices verify`."""
    verdict = verify(book, today)
    faults = verdict.faults
    if faults:
        listed = "".join(
            f"\n  {fault.check.value}: {fault.where}: {fault.what}" for fault in faults[:_SHOWN]
        )
        raise InputError(f"the snapshot is inconsistent, {len(faults)} errors:{listed}")
    return verdict


def _encoded(tables: dict[str, Columns], catalogue: Catalogue) -> bytes:
    return encode_snapshot(
        tables,
        as_of=catalogue.as_of,
        network_as_of=catalogue.as_of,
        source="list prices in USD of the Cloud Billing Catalog API",
        sources=source_notes(tables),
        sku_count=catalogue.sku_count,
        unread_count=len(catalogue.unread),
    )


def _add_younger(
    rates: dict[Key, tuple[str, ...]], other: OtherTables, catalogue_as_of: str
) -> None:
    """Add the rates of other sources that are younger than the catalogue and say something new."""
    usd, as_of = (schema.COLUMNS[schema.COMPONENT_PRICES].index(name) for name in ("usd", "as_of"))
    for key, row in other.rates.items():
        if row[as_of] <= catalogue_as_of or not row[usd]:
            continue
        known = rates.get(key)
        if known is None or not known[usd] or key.usage == _SPOT:
            rates[key] = row


def _listed(
    machines: Sequence[ListedRow], summed: SnapshotPriceBook
) -> tuple[list[tuple[str, ...]], ListComparison]:
    """Return the rows of `listed_prices`, and how the list compares with the sums.

    Where a list never agrees on a type it sums other rates than the type is billed at: its prices
    of it are not taken anywhere, be it in regions that have no SKU.
    """
    differences: list[ListDifference] = []
    kept: list[tuple[ListedRow, dict[str, Decimal]]] = []
    agreed: Counter[str] = Counter()
    compared = offered = 0
    for one in sorted(machines, key=lambda row: (row.region, row.machine_type)):
        judged = _judged(one, summed)
        compared += judged.compared_count
        offered += judged.compared_count * summed.types.is_offered(one.region, one.machine_type)
        agreed[one.machine_type] += judged.compared_count - len(judged.differences)
        differences += judged.differences
        kept.append((one, judged.kept))
    pairs = {(one.machine_type, one.region) for one in differences}
    differing = Counter(machine_type for machine_type, _ in pairs)
    refused = {
        name for name, count in differing.items() if count >= _NEVER_AGREES and not agreed[name]
    }
    rows = []
    for one, prices in kept:
        if prices and one.machine_type not in refused:
            cells = (f"{prices[usage]:f}" if usage in prices else "" for usage in USAGES)
            rows.append((one.region, one.machine_type, *cells, one.note, one.source, one.as_of))
    return rows, ListComparison(
        compared_count=compared, offered_count=offered, differences=tuple(differences)
    )


class _Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What of a listed row is new, and where it differs from the sums of SKUs."""

    kept: dict[str, Decimal]
    compared_count: int
    differences: tuple[ListDifference, ...]


def _judged(one: ListedRow, summed: SnapshotPriceBook) -> _Judged:
    differences: list[ListDifference] = []
    kept: dict[str, Decimal] = {}
    compared = 0
    for usage, listed_usd in one.prices.items():
        quote = summed.machines.quotes.summed(one.region, one.machine_type, _USAGE_BY_WORD[usage])
        if listed_usd is None:
            continue
        if isinstance(quote, str) or not summed.machines.quotes.is_of_skus(quote):
            kept[usage] = listed_usd
        elif usage == _SPOT:
            # A list that sums other rates than the SKUs' does so for Spot as well.
            if not differences and one.as_of >= quote.as_of:
                kept[usage] = listed_usd
        else:
            compared += 1
            if abs(quote.usd - listed_usd) > AGREE_RATIO * listed_usd:
                differences.append(
                    ListDifference(
                        region=one.region,
                        machine_type=one.machine_type,
                        usage=usage,
                        listed_usd=listed_usd,
                        summed_usd=quote.usd,
                        is_offered=summed.types.is_offered(one.region, one.machine_type),
                        note=one.note,
                    )
                )
    return _Judged(kept=kept, compared_count=compared, differences=tuple(differences))


_USAGE_BY_WORD = {usage.value.replace("-", "_"): usage for usage in Usage}


def _fact(facts: Path, table: str) -> Columns:
    names = schema.COLUMNS[table]
    rows = []
    for row in read_rows(facts / f"{table}.csv", names):
        if table == schema.SUSTAINED_USE:
            _check_schedule(row)
        rows.append((*(row[name] for name in names if name != "as_of"), row.day("as_of")))
    return as_columns(table, rows if table in _UNSORTED else sorted(rows))


def _check_schedule(row: Row) -> None:
    """Refuse a schedule whose steps do not fall to the discount that it states for a month."""
    try:
        steps = [Decimal(step) for step in row["multipliers"].split("|")]
        stated = 1 - Decimal(row["full_month_percent"]) / _WEIGHT
    except ArithmeticError as exc:
        raise InputError(f"{row.where}: not a schedule: {exc}") from exc
    mean = sum(steps, Decimal(0)) / len(steps)
    if steps != sorted(steps, reverse=True) or abs(mean - stated) > Decimal("0.001"):
        raise InputError(f"{row.where}: its steps do not add up to its full-month discount")


def source_notes(tables: dict[str, Columns]) -> list[SourceNote]:
    """Return every table's sources with their dates and row counts."""
    return [
        SourceNote(table=table, source=source, as_of=as_of, rows=rows)
        for table, columns in tables.items()
        for (source, as_of), rows in sorted(
            Counter(zip(columns["source"], columns["as_of"], strict=True)).items()
        )
    ]
