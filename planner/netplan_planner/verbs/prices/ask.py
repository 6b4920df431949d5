"""What the commands of `netplan prices` are asked."""

from pathlib import Path
from typing import Annotated

from netplan_planner.asks import KEPT, Ask, Paths, Request, Texts, Use
from netplan_planner.google.options import ApiClient, ApiOptions
from netplan_planner.model import Reporter, taken
from netplan_planner.planning.inputs import Discounts, PriceFolder
from netplan_planner.planning.project import Input, WhichClient, WhichReporter
from netplan_pricing.container import FILE_NAME


class NewSnapshot(Request, frozen=True, kw_only=True):
    """Where a new snapshot goes, what completes the catalogue, and what may be odd about it."""

    out: Annotated[
        Path,
        Ask("Folder of the new snapshot.", metavar="DIR"),
        Use(is_written=True, is_folder=True, is_own=True, file=FILE_NAME),
    ]
    price_tables: Annotated[
        Paths, Ask("CSV tables of what only other sources know, or know later.", metavar="FILE")
    ] = ()
    most_unrecognised_ratio: Annotated[
        float,
        Ask(
            "Share of a resource group that may stay unrecognised.",
            "--max-unrecognised",
            metavar="RATIO",
            least=0,
            most=1,
        ),
    ] = 0.01
    accepted: Annotated[
        Texts,
        Ask(
            "Take this SKU, or this kind of price (such as core, interzone_out), however far"
            " it is from before; repeat it.",
            "--accept",
            metavar="SKU|KIND",
        ),
    ] = ()
    accepts_changes: Annotated[
        bool,
        Ask(
            "Take it however far its prices are from those of the snapshot before.",
            "--accept-changes",
        ),
    ] = False


class MapAsk(Request, frozen=True, kw_only=True):
    """Which catalogue to read."""

    files: Annotated[
        list[Path],
        Ask(
            "Answers of services.skus.list: JSON, or gzip of it.", metavar="FILE", is_argument=True
        ),
    ]


class BuildAsk(NewSnapshot, frozen=True, kw_only=True):
    """What to build a snapshot from."""

    skus: Annotated[
        list[Path],
        Ask("Dumps of services.skus.list, of Compute Engine and of Networking.", metavar="FILE"),
    ]
    machine_types: Annotated[
        list[Path],
        Ask(
            "Answers of machineTypes.aggregatedList, or CSV tables of types and regions.",
            metavar="FILE",
        ),
    ]
    currency_pages: Annotated[
        Paths,
        Ask(
            "Pages of the catalogue in other currencies, for their conversion rates.",
            metavar="FILE",
        ),
    ] = ()


class RefreshAsk(NewSnapshot, frozen=True, kw_only=True):
    """What to read from the live APIs."""

    project: Annotated[
        str | None,
        Ask(
            "Project whose machine types are listed (compute.machineTypes.list); default: that"
            " of the default credentials.",
            metavar="PROJECT",
        ),
    ] = None
    machine_types: Annotated[
        Paths,
        Ask(
            "Machine types from files instead, such as what `gcloud compute machine-types list"
            " --format=json` wrote.",
            metavar="FILE",
        ),
    ] = ()
    api_key: Annotated[
        str | None,
        Ask(
            "API key for the catalogue instead of the default credentials; better set by its"
            " environment variable (netplan config show --env), which no list of processes shows.",
            metavar="KEY",
        ),
    ] = None
    endpoint: Annotated[
        str | None,
        Ask("Another server for both APIs, such as a local one.", "--api-endpoint", metavar="URL"),
    ] = None
    is_anonymous: Annotated[bool, Ask("Send no credentials.", "--anonymous")] = False
    client: WhichClient = ApiClient.REST
    currencies: Annotated[
        Texts,
        Ask(
            "Keep the conversion rate of this currency too; repeat it.",
            "--currency",
            metavar="CODE",
        ),
    ] = ()
    base: Annotated[
        Path | None,
        Ask(
            "Snapshot from which stays what no SKU says; default: the one in --out, else the"
            " embedded one.",
            metavar="DIR",
        ),
        KEPT,
    ] = None

    @property
    def api(self) -> ApiOptions:
        """How both APIs are asked."""
        return taken(ApiOptions, self)


class DiffAsk(Request, frozen=True, kw_only=True):
    """Which snapshots to compare."""

    old: Annotated[Path, Ask("Folder or file of a snapshot.", metavar="OLD", is_argument=True)]
    new: Annotated[
        Path, Ask("Folder or file of the one to compare it with.", metavar="NEW", is_argument=True)
    ]
    percent: Annotated[
        float, Ask("Leave out prices that moved by no more than this.", metavar="PERCENT", least=0)
    ] = 0.0


class VerifyAsk(Request, frozen=True, kw_only=True):
    """Which snapshot to check."""

    prices: PriceFolder = None
    against: Annotated[
        Path | None,
        Ask(
            "Snapshot to compare with; default: the embedded one, where another is checked.",
            metavar="DIR",
        ),
    ] = None


class ReconcileAsk(Request, frozen=True, kw_only=True):
    """Which traffic to compare with which bill."""

    billing_export: Annotated[
        list[Path],
        Ask(
            "Detailed usage table of the Cloud Billing export (Parquet, CSV); repeat it.",
            metavar="FILE",
        ),
    ]
    given: Input = Input()
    prices: PriceFolder = None
    discounts: Discounts = ()
    has_contract: Annotated[
        bool,
        Ask("Price the model with the effective prices of the export as well.", "--contract"),
    ] = False
    reporter: WhichReporter = Reporter.SOURCE
