"""What the commands of `netplan prices` are asked."""

from pathlib import Path
from typing import Annotated, ClassVar

from netplan_planner.asks import COMMON, INPUT, KEPT, Ask, Paths, Request, Texts, Use
from netplan_planner.google.options import ApiClient, ApiOptions
from netplan_planner.model import Reporter, taken
from netplan_planner.planning.inputs import Discounts, PriceFolder
from netplan_planner.planning.project import Input, WhichClient, WhichReporter
from netplan_pricing import refreshed_folder
from netplan_pricing.container import FILE_NAME


class NewSnapshot(Request, frozen=True, kw_only=True):
    """What completes the catalogue of a new snapshot, and what may be odd about it."""

    price_tables: Annotated[
        Paths,
        Ask(
            "CSV tables of prices that the catalogue lacks, or that are newer.",
            metavar="FILE",
            is_expert=True,
        ),
    ] = ()
    most_unrecognised_ratio: Annotated[
        float,
        Ask(
            "Share of a resource group that may stay unrecognised.",
            "--max-unrecognised",
            metavar="RATIO",
            least=0,
            most=1,
            is_expert=True,
        ),
    ] = 0.01
    accepted: Annotated[
        Texts,
        Ask(
            "Accept this SKU, or this kind of price (such as core, interzone_out), whatever the "
            "change. Repeat for more.",
            "--accept",
            metavar="SKU|KIND",
        ),
    ] = ()
    accepts_changes: Annotated[
        bool,
        Ask(
            "Accept prices of this series, whatever the change to the earlier snapshot.",
            "--accept-changes",
        ),
    ] = False


class MapAsk(Request, frozen=True, kw_only=True):
    """Which catalogue to read."""

    files: Annotated[
        list[Path],
        Ask(
            "Answers of services.skus.list: JSON, or JSON with gzip.",
            metavar="FILE",
            is_argument=True,
        ),
    ]


class BuildAsk(NewSnapshot, frozen=True, kw_only=True):
    """What to build a snapshot from, and where it goes."""

    out: Annotated[
        Path,
        Ask("Folder of the new snapshot.", metavar="DIR"),
        Use(is_written=True, is_folder=True, is_own=True, file=FILE_NAME),
    ]
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
            "Catalogue pages in other currencies, for their conversion rates.",
            metavar="FILE",
            is_expert=True,
        ),
    ] = ()


class RefreshAsk(NewSnapshot, frozen=True, kw_only=True):
    """What to read from the live APIs, and where the new snapshot goes."""

    out: Annotated[
        Path | None,
        Ask(
            "Folder of the new snapshot. Default: your data folder; every verb uses its prices.",
            metavar="DIR",
            short="Folder of the new snapshot. Default: your data folder.",
        ),
        Use(is_written=True, is_folder=True, is_own=True, file=FILE_NAME),
    ] = None

    project: Annotated[
        str | None,
        Ask(
            "Project to list machine types from (compute.machineTypes.list). Default: that of "
            "the default credentials.",
            metavar="PROJECT",
        ),
    ] = None
    machine_types: Annotated[
        Paths,
        Ask(
            "Read machine types from files, such as the output of `gcloud compute machine-types "
            "list --format=json`.",
            metavar="FILE",
        ),
    ] = ()
    api_key: Annotated[
        str | None,
        Ask(
            "API key for the catalogue, instead of the default credentials. Better set it by "
            "environment variable (netplan config show --env), which process lists do not show.",
            metavar="KEY",
        ),
    ] = None
    endpoint: Annotated[
        str | None,
        Ask(
            "Use another server for both APIs, such as a local one.",
            "--api-endpoint",
            metavar="URL",
            is_expert=True,
        ),
    ] = None
    is_anonymous: Annotated[bool, Ask("Send no credentials.", "--anonymous", is_expert=True)] = (
        False
    )
    client: WhichClient = ApiClient.REST
    currencies: Annotated[
        Texts,
        Ask(
            "Also keep the conversion rate of this currency. Repeat for more.",
            "--currency",
            metavar="CODE",
        ),
    ] = ()
    base: Annotated[
        Path | None,
        Ask(
            "Snapshot that fills in what no SKU has. Default: the one in --out, else the one "
            "that verbs use.",
            metavar="DIR",
            is_expert=True,
        ),
        KEPT,
    ] = None

    @property
    def folder(self) -> Path:
        """Where the new snapshot goes."""
        return refreshed_folder() if self.out is None else self.out

    @property
    def api(self) -> ApiOptions:
        """How both APIs are asked."""
        return taken(ApiOptions, self)


class DiffAsk(Request, frozen=True, kw_only=True):
    """Which snapshots to compare."""

    old: Annotated[Path, Ask("Folder or file of a snapshot.", metavar="OLD", is_argument=True)]
    new: Annotated[
        Path,
        Ask("Folder or file of the snapshot to compare with.", metavar="NEW", is_argument=True),
    ]
    percent: Annotated[
        float, Ask("Hide prices that changed by this much or less.", metavar="PERCENT", least=0)
    ] = 0.0


class VerifyAsk(Request, frozen=True, kw_only=True):
    """Which snapshot to check."""

    prices: Annotated[PriceFolder, COMMON] = None
    against: Annotated[
        Path | None,
        Ask(
            "Snapshot to compare with. Default: the one that verbs use, if you check another.",
            metavar="DIR",
        ),
    ] = None


class ReconcileAsk(Request, frozen=True, kw_only=True):
    """Which traffic to compare with which bill."""

    PANEL: ClassVar[str] = INPUT

    billing_export: Annotated[
        list[Path],
        Ask(
            "Detailed usage table of the Cloud Billing export (Parquet, CSV). Repeat for more.",
            metavar="FILE",
        ),
    ]
    given: Input = Input()
    prices: PriceFolder = None
    discounts: Discounts = ()
    has_contract: Annotated[
        bool,
        Ask("Also price the model with the effective prices of the export.", "--contract"),
    ] = False
    reporter: WhichReporter = Reporter.SOURCE
