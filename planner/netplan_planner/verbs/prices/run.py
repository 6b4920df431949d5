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


@verb(panel=panels.PRICES, ends=always_well, form=lambda _: "csv")
def map_(ask: MapAsk, now: Now) -> SkuMap:
    """Print what each SKU of a catalogue is the price of, one row per SKU in the order read.

    Without --output as CSV. `kind` is empty where nothing fits, and `reason` says why; `reason`
    also says why a SKU that is understood is not needed. SKUs that are needed and not understood
    are counted on stderr.
    """
    del now
    return map_skus(ask.files)


@verb(panel=panels.PRICES, ends=always_well)
def build(ask: BuildAsk, now: Now) -> SnapshotBuilt:
    """Build a price snapshot from files. The one in DIR stays as it is unless all is well.

    All is well if every check of `netplan prices verify` holds, also beside the snapshot in DIR, or
    beside the embedded one where there is none. Rates come from the SKUs, each with its id. A price
    table adds what they lack, with its own date and no id; for Spot, which moves within weeks, the
    younger of the two stands.
    """
    return build_snapshot(ask, now.today)


@verb(panel=panels.PRICES, ends=always_well)
def refresh(ask: RefreshAsk, now: Now) -> SnapshotBuilt:
    """Build a snapshot from the live Cloud Billing Catalog and Compute APIs, and swap it in.

    Pages are kept in DIR/.refresh until all are there: a refresh that breaks off goes on where it
    was. The snapshot in DIR stays as it is unless all is well. Reads alone; needs no IAM role for
    the catalogue, and compute.machineTypes.list in any one project for the machine types: no API of
    Google's lists them without a project.
    """
    return refresh_snapshot(ask, now.today, now.say)


@verb(panel=panels.PRICES, ends=always_well)
def diff(ask: DiffAsk, now: Now) -> PriceChanges:
    """Print the prices that appeared, vanished or moved between two snapshots.

    Machines are compared where they are offered, traffic by its ends, and every SKU by its id.
    """
    del now
    return price_changes(ask.old, ask.new, ask.percent)


@verb(panel=panels.PRICES, ends=lambda _, found: not found.faults)
def verify(ask: VerifyAsk, now: Now) -> PriceCheck:
    """Check a snapshot: no price that cannot be, none far from its like, nothing left out.

    Exit status 1 if a check fails.
    """
    return check_prices(ask.prices, ask.against, now.today)


@verb(panel=panels.PRICES, ends=always_well)
def reconcile(ask: ReconcileAsk, now: Now) -> Reconciliation:
    """Compare what flow records say for a month with what was billed, per SKU.

    The model's volumes are scaled to the hours of the bill; the residual is what the bill has more.
    """
    request = request_of(
        ask,
        discounts=ask.discounts,
        billing_exports=tuple(ask.billing_export) if ask.has_contract else (),
        traffic_options=TrafficOptions(reporter=ask.reporter),
    )
    return compare(request, ask.billing_export, now.say)
