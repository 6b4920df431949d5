"""`netplan prices map|build|refresh|diff|verify`: from catalogues and snapshots to answers."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.verbs.prices.ask import BuildAsk, RefreshAsk
from netplan_planner.verbs.prices.refreshing import refresh
from netplan_pricing import SnapshotPriceBook, open_snapshot
from netplan_pricing.building.assemble import Built
from netplan_pricing.building.from_files import build_from_files, require_likeness, write_snapshot
from netplan_pricing.catalogue.dumps import read_dump
from netplan_pricing.catalogue.mapping import Scope, map_sku
from netplan_pricing.comparing import compare
from netplan_pricing.container import FILE_NAME as FILE_NAME
from netplan_pricing.container import SnapshotFile
from netplan_pricing.verifying import Check, verify

_MUCH = Decimal("0.2")
"""A move of a price that is worth a look."""
_PERCENT = 100


def map_skus(files: Sequence[Path]) -> model.SkuMap:
    """Return what each SKU of a catalogue is, in the order read.

    Raises:
        InputError: If a file cannot be read; the text says where.
    """
    dump = read_dump(files)
    found = [map_sku(sku) for sku in dump.skus]
    count = Counter(one.scope for one in found)
    return model.SkuMap(
        skus=tuple(
            model.taken(model.SkuMeaning, one, sku_id=sku.sku_id)
            for sku, one in zip(dump.skus, found, strict=True)
        ),
        priced_count=count[Scope.PRICED],
        other_count=count[Scope.OTHER],
        unrecognised=tuple(
            f"{dump.skus[place].sku_id} {dump.skus[place].description!a}: {one.reason}"
            f" ({dump.where(place)})"
            for place, one in enumerate(found)
            if one.scope is Scope.UNRECOGNISED
        ),
        unfinished=dump.unfinished,
    )


def build_snapshot(request: BuildAsk, today: date) -> model.SnapshotBuilt:
    """Build a snapshot from files and write it; the one before stays unless all is well.

    Raises:
        InputError: If the files make no snapshot, or one too unlike the one before.
    """
    made = build_from_files(
        request.skus,
        request.machine_types,
        request.price_tables,
        today=today,
        currency_pages=request.currency_pages,
        most_unrecognised_ratio=request.most_unrecognised_ratio,
    )
    if not request.accepts_changes:
        is_followed = (request.out / FILE_NAME).exists()
        base = open_snapshot(request.out if is_followed else None).file
        require_likeness(base, made, accepted=request.accepted, counts_vanished=is_followed)
    return _built(made, write_snapshot(made, request.out))


def refresh_snapshot(
    request: RefreshAsk, today: date, told: Callable[[str], None] = lambda _: None
) -> model.SnapshotBuilt:
    """Build a snapshot from the live APIs and swap it in, as `refresh` does.

    Raises:
        AccessError: If an API refuses, or is silent.
        InputError: If what it answers makes no snapshot, or one too unlike the one before.
        UsageError: If a currency is no code of three letters.
    """
    done = refresh(request, today, told)
    old = SnapshotPriceBook(done.base)
    found = compare(old, SnapshotPriceBook(done.file), least_ratio=_MUCH)
    before = model.SinceBefore(
        path=str(done.base.path), as_of=done.base.header.as_of, counts=_change_counts(found)
    )
    return replace(
        _built(done.built, done.file),
        kept_types=done.kept_types,
        before=before,
        is_default=open_snapshot().file.sha256 == done.file.sha256,
    )


def price_changes(old: Path, new: Path, percent: float) -> model.PriceChanges:
    """Return the prices that appeared, vanished, or moved by more than some percent.

    Raises:
        InputError: If a snapshot cannot be read.
    """
    least = Decimal(str(percent)) / _PERCENT
    found = tuple(compare(open_snapshot(old), open_snapshot(new), least_ratio=least))
    return model.PriceChanges(changes=found, counts=_change_counts(found))


def check_prices(prices: Path | None, against: Path | None, today: date) -> model.PriceCheck:
    """Return what is wrong with a snapshot, compared with another where one is named.

    A snapshot that is not the embedded one is compared with that.

    Raises:
        InputError: If a snapshot cannot be read.
    """
    before = open_snapshot(against) if against is not None or prices is not None else None
    one = verify(open_snapshot(prices), today, before)
    failed = Counter(fault.check for fault in one.faults)
    return model.taken(
        model.PriceCheck,
        one,
        checks=tuple(
            model.CheckOutcome(
                name=check.name.lower(),
                meaning=check.value,
                count=one.counts[check.name.lower()],
                fault_count=failed[check],
                is_shown=check is not Check.LIKE_BEFORE or bool(one.counts[check.name.lower()]),
            )
            for check in Check
        ),
        faults=tuple(
            model.PriceFault(check=fault.check.name.lower(), where=fault.where, what=fault.what)
            for fault in one.faults
        ),
    )


def _change_counts(found: Iterable[model.PriceMove]) -> tuple[model.ChangeCount, ...]:
    count = Counter((one.area, one.change) for one in found)
    return tuple(
        model.ChangeCount(area=area, change=change, count=number)
        for (area, change), number in sorted(count.items())
    )


def _built(one: Built, file: SnapshotFile) -> model.SnapshotBuilt:
    return model.taken(
        model.SnapshotBuilt,
        file.header,
        path=str(file.path),
        size_bytes=len(one.content),
        sha256=file.sha256,
        sources=tuple(model.taken(model.SnapshotSource, note) for note in file.header.sources),
        lacking=one.lacking,
        unread=tuple(model.taken(model.UnusedSku, sku) for sku in one.unread),
        priceless=tuple(model.taken(model.UnusedSku, sku) for sku in one.priceless),
        choices=one.choices,
        comparison=one.comparison,
    )
