"""`netplan prices`: where prices come from. Reads catalogues; writes snapshots, nothing else."""

from netplan_planner.model import PriceChanges, PriceCheck, Reconciliation, SkuMap, SnapshotBuilt
from netplan_planner.planning.project import request_of
from netplan_planner.planning.reconciling import reconcile as compare
from netplan_planner.verbs import Now, always_well, panels, verb
from netplan_planner.verbs.prices.ask import (
    BuildAsk,
    DiffAsk,
    MapAsk,
    ReconcileAsk,
    RefreshAsk,
    VerifyAsk,
)
from netplan_planner.verbs.prices.snapshots import (
    build_snapshot,
    check_prices,
    map_skus,
    price_changes,
    refresh_snapshot,
)
from netplan_planner.world.request import TrafficOptions

_SOURCES = "Print the sources of each table with their dates."


@verb(
    panel=panels.PRICES,
    question="Where do prices come from, and how do I update them?",
    ends=always_well,
    form=lambda _: "csv",
)
def map_(ask: MapAsk, now: Now) -> SkuMap:
    """Print what each SKU of a catalogue is the price of, one row per SKU in input order.

    The default output is CSV. `kind` is empty if nothing matches, and `reason` says why; `reason`
    also says why a recognised SKU is not needed. stderr counts SKUs that are needed but not
    recognised.
    """
    del now
    return map_skus(ask.files)


@verb(panel=panels.PRICES, ends=always_well, explains=_SOURCES)
def build(ask: BuildAsk, now: Now) -> SnapshotBuilt:
    """Build a price snapshot from files. Replaces the one in DIR only if every check holds.

    The checks are those of `netplan prices verify`, also against the snapshot in DIR, or the
    embedded one if DIR has none. Rates come from the SKUs, each with its id. A price table adds
    missing prices, with its own date and no id. For Spot, whose prices change within weeks, the
    newer source is used.
    """
    return build_snapshot(ask, now.today)


@verb(panel=panels.PRICES, ends=always_well, explains=_SOURCES)
def refresh(ask: RefreshAsk, now: Now) -> SnapshotBuilt:
    """Build a snapshot from the live Cloud Billing Catalog and Compute APIs, and use it.

    Without --out, every verb uses the new prices. Downloaded pages stay in the folder until all are
    there, so that an interrupted refresh continues. The old snapshot is replaced only if every
    check holds. Only reads. Needs no IAM role for the catalogue, and compute.machineTypes.list in
    any project for machine types.
    """
    return refresh_snapshot(ask, now.today, now.say)


@verb(panel=panels.PRICES, ends=always_well)
def diff(ask: DiffAsk, now: Now) -> PriceChanges:
    """Print the prices that were added, removed or changed between two snapshots.

    Compares machine types per region, traffic by its ends, and every SKU by its id.
    """
    del now
    return price_changes(ask.old, ask.new, ask.percent)


@verb(panel=panels.PRICES, ends=lambda _, found: not found.faults)
def verify(ask: VerifyAsk, now: Now) -> PriceCheck:
    """Check a snapshot for impossible prices, outliers and missing prices.

    Exit status: 0, or 1 when a check fails.
    """
    return check_prices(ask.prices, ask.against, now.today)


@verb(panel=panels.PRICES, ends=always_well)
def reconcile(ask: ReconcileAsk, now: Now) -> Reconciliation:
    """Compare flow records with the bill of a full month, per SKU.

    The volumes from flow records are scaled to the hours of the bill. The residual is the
    amount that only the bill has.
    """
    request = request_of(
        ask,
        discounts=ask.discounts,
        billing_exports=tuple(ask.billing_export) if ask.has_contract else (),
        traffic_options=TrafficOptions(reporter=ask.reporter),
    )
    return compare(request, ask.billing_export, now.say)
