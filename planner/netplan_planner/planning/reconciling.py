"""The traffic model against the bill: per SKU, what flow logs say was sent and what was billed."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from netplan_planner import model
from netplan_planner.errors import MissingDatum, UsageError
from netplan_planner.model.money.price_age import price_age
from netplan_planner.paths.priced_paths import billed_volumes, path_prices_of
from netplan_planner.units import HOURS_PER_MONTH, SECONDS_PER_HOUR, counted
from netplan_planner.world.demos import load_demo
from netplan_planner.world.not_read import what_is_incomplete
from netplan_planner.world.reading import Say, read_facts
from netplan_planner.world.request import InputRequest
from netplan_pricing import SnapshotPriceBook
from netplan_pricing.catalogue.mapping import CLOUD_NAT, LOAD_BALANCING
from netplan_pricing.contract.billed import Billed, BilledSku, billed
from netplan_pricing.skus import change_after

_SENT, _RECEIVED = "_out", "_in"
"""How the kinds of SKUs end that are for traffic."""


_PROCESSED = (CLOUD_NAT, LOAD_BALANCING)
_GIB_UNITS = ("gibibyte", "GiBy")


def reconcile(
    request: InputRequest, exports: Sequence[Path], say: Say = lambda _: None
) -> model.Reconciliation:
    """Compare the traffic of a request with a bill.

    Raises:
        InputError: If an input or the export cannot be read.
        UsageError: If no traffic is given.
    """
    demo = load_demo(request.demo) if request.demo is not None else None
    if not request.traffic and demo is None:
        raise UsageError("nothing to compare with: give --traffic (flow logs or a plain table)")
    facts = read_facts(request, demo, say)
    return reconcile_facts(facts, exports, request.projects, request.prices)


def reconcile_facts(
    facts: model.Facts,
    exports: Sequence[Path],
    projects: Collection[str] = (),
    folder: Path | None = None,
) -> model.Reconciliation:
    """Compare traffic that has been read with a bill.

    Args:
        facts: The traffic, the machines and the prices.
        exports: Files of the bill.
        projects: Whose rows are compared, beside those of the machines.
        folder: Where the prices were read from, for what is said of their age.

    Raises:
        InputError: If the export cannot be read.
    """
    own = {instance.project for instance in facts.inventory.instances}
    found = billed(exports, own | set(projects))
    book = facts.prices
    assert isinstance(book, SnapshotPriceBook)
    # A bill of 720 hours holds less than a month of 730.
    scale = found.hours / HOURS_PER_MONTH
    on_bill = {row.sku_id for row in found.skus}
    modelled, unmodelled = volumes(facts, on_bill, scale)
    balances, other = _balances(modelled, found, book)
    ordered = tuple(sorted(balances, key=lambda one: (-abs(one.residual_usd), one.sku_id)))
    return model.Reconciliation(
        warnings=tuple(_warnings(facts, found)),
        price_age=price_age(facts.prices.info, facts.today, folder=folder),
        prices_sha256=facts.prices.info.sha256,
        incomplete=what_is_incomplete(facts, ()),
        billing_exports=found.files,
        billed_from=found.start,
        billed_to=found.end,
        billed_hours=found.hours,
        names_projects=found.names_projects,
        projects=tuple(sorted(own)),
        other_projects=found.other_projects,
        modelled_hours=_model_hours(facts),
        modelled_window=_window(facts),
        balances=ordered,
        modelled_usd=sum((one.modelled_usd for one in ordered), Decimal(0)),
        billed_usd=sum((one.billed_usd for one in ordered), Decimal(0)),
        unmodelled=unmodelled,
        other=tuple(
            model.OtherSku(sku_id=one.sku_id, description=one.description, billed_usd=one.cost_usd)
            for one in other
        ),
        other_usd=sum((one.cost_usd for one in other), Decimal(0)),
        credits_usd=sum((one.credits_usd for one in found.skus if one not in other), Decimal(0)),
        not_usage_rows=found.unusual_count,
        not_usage_usd=found.unusual_usd,
    )


def _warnings(facts: model.Facts, found: Billed) -> Iterator[str]:
    """Yield what a reader has to know before the first figure."""
    traffic = facts.traffic
    if traffic is not None and not traffic.is_steady:
        starts, ends = (_bare(moment) for moment in (traffic.start, traffic.end))
        if ends <= _bare(found.start) or starts >= _bare(found.end):
            yield (
                f"different periods: the flow records cover {_window(facts)}, the bill"
                f" {found.start:%Y-%m-%d} to {found.end:%Y-%m-%d}; the difference includes"
                " changes between the two"
            )
    for name, count in found.repeated:
        yield (
            f"{counted(count, 'row')} of {name}"
            f" {'is a duplicate' if count == 1 else 'are duplicates'} in every field and counted"
            " each time; if the export repeats rows, the bill is too high by them"
        )


def _bare(moment: datetime) -> datetime:
    """Return a moment in UTC without saying so: an export's times carry no zone."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def _model_hours(facts: model.Facts) -> Decimal:
    traffic = facts.traffic
    if traffic is None or traffic.is_steady:
        return Decimal(HOURS_PER_MONTH)
    return Decimal(traffic.month_seconds) / SECONDS_PER_HOUR


def _window(facts: model.Facts) -> str:
    """Return when the flow records are of."""
    traffic = facts.traffic
    if traffic is None or traffic.is_steady:
        return ""
    return f"{traffic.start:%Y-%m-%d %H:%M} to {traffic.end:%Y-%m-%d %H:%M} UTC"


class Volume:
    """What the model sends over one price."""

    def __init__(self, tiers: tuple[model.PriceTier, ...]) -> None:
        self.tiers = tiers
        self.gib: dict[model.PathClass, Decimal] = defaultdict(Decimal)

    @property
    def total(self) -> Decimal:
        """All of it, in GiB."""
        return sum(self.gib.values(), Decimal(0))


def volumes(
    facts: model.Facts, on_bill: Collection[str], scale: Decimal
) -> tuple[dict[str, Volume], tuple[model.Unmodelled, ...]]:
    """Return the model's volumes by SKU id, and what has no price.

    Of SKUs that cost the same the one `on_bill` is meant; `scale` is what the bill is of a month.
    What comes back through Cloud NAT is in the volume that it processes.
    """
    parts = [
        (path, part, count)
        for path, count in sorted(billed_volumes(facts).items())
        for part in path_prices_of(facts.prices, path)
    ]
    found: dict[str, Volume] = {}
    missing: dict[tuple[model.PathClass, str], Decimal] = defaultdict(Decimal)
    for priced, part, byte_count in parts:
        gib = facts.gib_per_month(byte_count) * scale
        if not part.tiers:
            missing[priced.path_class, part.reason] += gib
            continue
        try:
            _add(found, part.tiers, priced.path_class, gib, on_bill)
        except MissingDatum as error:
            missing[priced.path_class, str(error)] += gib
    unmodelled = tuple(
        model.Unmodelled(path_class=path_class, gib=gib, reason=reason)
        for (path_class, reason), gib in sorted(missing.items(), key=lambda one: -one[1])
    )
    return found, unmodelled


def _add(
    volumes: dict[str, Volume],
    tiers: tuple[model.PriceTier, ...],
    path_class: model.PathClass,
    gib: Decimal,
    on_bill: Collection[str],
) -> None:
    price = tiers[0].price
    # Of SKUs that cost the same, the one on the bill is the one that was billed.
    billed_ones = [one for one in price.sku_candidates if one in on_bill]
    sku_id = billed_ones[0] if len(billed_ones) == 1 else price.sku_id
    if sku_id is None:
        raise MissingDatum(f"the SKU that bills it is unknown ({price.note or price.description})")
    volumes.setdefault(sku_id, Volume(tiers)).gib[path_class] += gib


def _balances(
    volumes: dict[str, Volume], found: Billed, book: SnapshotPriceBook
) -> tuple[list[model.SkuBalance], list[BilledSku]]:
    """Return the balance of each traffic SKU, and the rows of the bill that are not for traffic."""
    balances, other = [], []
    seen = set()
    for row in found.skus:
        place = book.skus.row(row.sku_id)
        kind = "" if place is None else book.skus.entry_of(place).kind
        # What comes in is free, on the bill all the same, and not modelled.
        is_traffic = kind.endswith(_SENT) or (kind.endswith(_RECEIVED) and row.cost_usd != 0)
        # What NAT and load balancers process is counted in GiB; their hours are not traffic.
        is_traffic |= kind in _PROCESSED and row.unit.startswith(_GIB_UNITS)
        if kind.endswith(_RECEIVED) and not row.cost_usd:
            continue
        if not is_traffic and row.sku_id not in volumes:
            other.append(row)
            continue
        seen.add(row.sku_id)
        balances.append(_balance(row.sku_id, volumes.get(row.sku_id), row, book))
    balances += [
        _balance(sku_id, volume, None, book)
        for sku_id, volume in sorted(volumes.items())
        if sku_id not in seen
    ]
    return balances, other


def _balance(
    sku_id: str, volume: Volume | None, row: BilledSku | None, book: SnapshotPriceBook
) -> model.SkuBalance:
    gib = usd = Decimal(0)
    parts: tuple[model.ModelledPart, ...] = ()
    if volume is not None:
        gib = volume.total
        usd = sum((line.usd_per_month for line in model.bill("t", gib, volume.tiers)), Decimal(0))
        parts = tuple(
            model.ModelledPart(path_class=path_class, gib=amount)
            for path_class, amount in sorted(volume.gib.items(), key=lambda one: -one[1])
        )
    return model.SkuBalance(
        sku_id=sku_id,
        description=book.skus.description(sku_id) or (row.description if row else ""),
        modelled_gib=gib,
        billed_gib=row.amount if row is not None else Decimal(0),
        modelled_usd=usd,
        billed_usd=row.cost_usd if row is not None else Decimal(0),
        parts=parts,
        note="; ".join(filter(None, (_note(volume, row), _change(book, sku_id)))),
    )


def _change(book: SnapshotPriceBook, sku_id: str) -> str:
    """Return that the model's price of a SKU is older than a known change."""
    place = book.skus.row(sku_id)
    return (
        "" if place is None else change_after(sku_id, book.skus.entry_of(place).as_of.isoformat())
    )


def _note(volume: Volume | None, row: BilledSku | None) -> str:
    """Return what explains a balance."""
    notes = []
    if volume is None:
        notes.append("no flow record has this path")
    elif model.PathClass.SAME_ZONE_EXTERNAL in volume.gib:
        share = volume.gib[model.PathClass.SAME_ZONE_EXTERNAL]
        notes.append(
            f"{share:,.0f} GiB of it stay in one zone and are billed as inter-zone, because they"
            " use external addresses"
        )
    if row is None:
        notes.append("not on the bill")
    elif row.amount is None:
        notes.append(f"billed in {row.unit!r}: unknown unit, or rows without an amount")
    return "; ".join(notes)
