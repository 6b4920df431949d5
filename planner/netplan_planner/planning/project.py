"""What verbs read of a project: the same options in every verb, and the request of them."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, ClassVar

from msgspec.structs import replace

from netplan_planner.asks import (
    API,
    INPUT,
    OUTPUT,
    WALKED,
    Ask,
    Day,
    Names,
    Paths,
    Request,
    Texts,
    Usd,
)
from netplan_planner.bundle_file import METRICS, TRAFFIC, is_bundle, manifest_of
from netplan_planner.errors import UsageError
from netplan_planner.google.logs.options import CLOUD_LOGGING as CLOUD_LOGGING
from netplan_planner.google.options import WhichClient as WhichClient
from netplan_planner.inert import inert_line
from netplan_planner.input_files import real_path
from netplan_planner.model import CommitmentScope, Severity
from netplan_planner.model.finding import Level
from netplan_planner.planning.inputs import DATE_FORMATS, AsOf, Calibration, Demo, PriceInput
from netplan_planner.traffic.options import WhichReporter as WhichReporter
from netplan_planner.world.request import (
    DEFAULT_DAYS,
    MOST_DAYS,
    ApiOptions,
    InputRequest,
    LogOptions,
    TrafficOptions,
    parents_of,
)

WhichSharing = Annotated[
    CommitmentScope,
    Ask(
        "Which VMs a commitment covers, as set in the billing account: those of its project, of"
        " all projects read, or also of others (then no saving is certain).",
        "--commitment-scope",
        panel=INPUT,
        is_expert=True,
    ),
]


Measurements = Annotated[
    Paths,
    Ask(
        "Store of measurements (JSON lines) to compare with predictions; repeat it.",
        "--measurements",
        metavar="FILE",
        panel=INPUT,
        is_expert=True,
    ),
]


IntervalLevel = Annotated[
    float,
    Ask("Share of cases in the interval.", least=0.5, most=0.99, panel=OUTPUT, is_expert=True),
]


StrictReading = Annotated[
    bool,
    Ask(
        "End with status 4 if given evidence could not be read completely.",
        "--strict",
        panel=OUTPUT,
        short="End with status 4 if evidence is incomplete.",
    ),
]


Projects = Annotated[
    Texts,
    Ask(
        "Project to read from the Compute API; repeat it.",
        "--project",
        metavar="PROJECT",
        panel=INPUT,
    ),
]


Today = Annotated[
    Day | None,
    Ask(
        "Date from which ages of addresses and snapshots count (default: today).",
        "--today",
        formats=DATE_FORMATS,
        panel=INPUT,
        is_expert=True,
    ),
]


LeastSeverity = Annotated[
    Severity,
    Ask("Show findings of this severity and above. --fail-on still counts all of them."),
]


LeastSaving = Annotated[
    Usd | None,
    Ask(
        "Show only findings that save at least this much per month. --fail-on still counts all.",
        "--min-saving",
        metavar="USD",
    ),
]


AcceptedFindings = Annotated[
    Path | None,
    Ask(
        "Accepted findings (`netplan baseline` writes them); show only those that are new.",
        metavar="FILE",
    ),
]


FailOn = Annotated[
    Level,
    Ask(
        "Exit with status 1 on findings of this severity and above, shown or hidden.",
        short="Exit with 1 on findings of this severity and above.",
    ),
]


class Input(Request, frozen=True, kw_only=True):
    """What to read."""

    PANEL: ClassVar[str] = INPUT

    projects: Projects = ()
    organizations: Annotated[
        Texts,
        Ask(
            "Organization whose projects to read from the live Cloud Asset Inventory; repeat it.",
            "--organization",
            metavar="NUMBER",
            is_expert=True,
        ),
    ] = ()
    folders: Annotated[
        Texts,
        Ask(
            "Folder whose projects to read from the live Cloud Asset Inventory; repeat it.",
            "--folder",
            metavar="NUMBER",
            is_expert=True,
        ),
    ] = ()
    excluded: Annotated[
        Names,
        Ask(
            "Exclude projects whose ids match, such as sandbox-*; use commas or repeat it.",
            "--exclude-project",
            metavar="GLOB",
            is_expert=True,
        ),
    ] = ()
    inventory: Annotated[
        Paths,
        Ask(
            "Files or folders of gcloud, Terraform, asset or kubectl JSON. Sources: `gcloud …"
            " --format=json`, `terraform show -json`, `kubectl get … --output=json`, an asset"
            " export, or the API.",
            "--inventory",
        ),
        WALKED,
    ] = ()
    traffic: Annotated[
        Paths,
        Ask(
            "Flow logs: files, folders or bigquery://PROJECT.DATASET. Files are JSON lines, .gz,"
            " .zst, Parquet or a plain table; a folder can be the output of netplan flows"
            " aggregate. BigQuery: tables of a log sink or of Log Analytics. A server (--engine"
            " spark) reads gs://, s3a:// and file://. cloud-logging reads a sample of the logs of"
            " --project, because of its quota.",
            "--traffic",
        ),
        WALKED,
    ] = ()
    demo: Demo = None
    bundle: Annotated[
        Path | None,
        Ask(
            "All inputs in one file, written by `netplan collect`.",
            "--bundle",
            metavar="FILE",
        ),
    ] = None

    @property
    def is_given(self) -> bool:
        """Whether there is anything to read."""
        parents = self.organizations or self.folders
        read = (self.inventory, self.traffic, self.demo, self.bundle)
        return bool(self.projects or parents or any(read))

    @property
    def inventories(self) -> tuple[Path, ...]:
        """Files and folders of inventory."""
        return (*self.inventory, *((self.bundle,) if self.bundle else ()))

    @property
    def traffic_inputs(self) -> tuple[Path, ...]:
        """Files and folders of traffic; of a bundle only where it holds any."""
        return (*self.traffic, *bundled_traffic(self.bundle))

    def prices(self, pricing: PriceInput) -> Path | None:
        """Return where prices are: where the user says, else in the bundle; None: embedded."""
        return pricing.prices or self.bundle


class FlowReading(Request, frozen=True, kw_only=True):
    """How flow logs are read."""

    traffic: TrafficOptions = TrafficOptions()
    logs: LogOptions = LogOptions()


class MetricsInput(Request, frozen=True, kw_only=True):
    """Which metrics are read."""

    metrics: Annotated[
        Paths,
        Ask(
            "Stored time series of Cloud Monitoring. JSON of timeSeries.list or timeSeries:query;"
            " repeat it.",
            "--metrics",
            metavar="FILE|FOLDER",
            panel=INPUT,
        ),
        WALKED,
    ] = ()
    live_metrics: Annotated[
        bool,
        Ask(
            "Also query Cloud Monitoring of each --project; flow logs are preferred to its flow"
            " metrics.",
            "--live-metrics/--no-live-metrics",
            panel=API,
            is_expert=True,
        ),
    ] = True
    metrics_days: Annotated[
        float,
        Ask(
            "Time range of Cloud Monitoring, if --since does not set it.",
            "--metrics-days",
            metavar="DAYS",
            least=0.05,
            most=MOST_DAYS,
            panel=API,
            is_expert=True,
        ),
    ] = DEFAULT_DAYS


class OfProject(Request, frozen=True, kw_only=True):
    """What is asked of a project: `given`, a field of each kind of its own, says what is read."""

    pricing: PriceInput = PriceInput()
    """Which prices count."""
    reading: FlowReading = FlowReading()
    api: ApiOptions = ApiOptions()

    @property
    def price_folder(self) -> Path | None:
        """Where prices are; None: the embedded ones."""
        given: Input = self.given  # type: ignore[attr-defined]
        return given.prices(self.pricing)


class OfMachines(OfProject, frozen=True, kw_only=True):
    """What is asked of a project's machines."""

    calibration: Calibration = None
    as_of: AsOf = None
    metrics: MetricsInput = MetricsInput()


def request_of(asked: Request, **more: Any) -> InputRequest:
    """Return what is read, as of when, and what it is priced and predicted with.

    Args:
        asked: What a verb is asked, with those of these parts that it has: `given`, `pricing`,
            `prices`, `as_of`, `today`, `calibration`, `metrics`, `reading`, `api`.
        more: Other fields of the request.

    Raises:
        UsageError: If an organisation or a folder is not named by its number.
        InputError: If a bundle is none, is damaged or of another version.
    """
    given: Input = _part(asked, "given", Input())
    pricing: PriceInput = _part(asked, "pricing", PriceInput())
    metrics: MetricsInput | None = _part(asked, "metrics", None)
    reading: FlowReading = _part(asked, "reading", FlowReading())
    request = InputRequest(
        today=_part(asked, "today", None) or date.today(),
        as_of=_part(asked, "as_of", None),
        projects=tuple(dict.fromkeys(given.projects)),
        parents=parents_of(given.organizations, given.folders),
        excluded=given.excluded,
        inventory=given.inventories,
        traffic=given.traffic_inputs,
        calibration=_part(asked, "calibration", None),
        demo=given.demo,
        prices=_part(asked, "prices", None) or given.prices(pricing),
        discounts=pricing.discounts,
        billing_exports=pricing.billing_exports,
        metrics=(*metrics.metrics, *bundled_metrics(given.bundle)) if metrics else (),
        live_metrics=metrics is not None and metrics.live_metrics,
        metrics_days=metrics.metrics_days if metrics else DEFAULT_DAYS,
        api=_part(asked, "api", ApiOptions()),
        traffic_options=reading.traffic,
        log_options=reading.logs,
    )
    return replace(request, **more)


def _part(asked: Request, name: str, default: Any) -> Any:
    return getattr(asked, name, default)


def with_bundle_of(
    files: Sequence[Path], bundle: Path | None
) -> tuple[tuple[Path, ...], Path | None]:
    """Return the files that are no bundle, and the bundle: of an option, or among the files.

    Raises:
        UsageError: If there are several bundles.
    """
    bundles = [*([bundle] if bundle else []), *(file for file in files if is_bundle(file))]
    if len({real_path(file) for file in bundles}) > 1:
        shown = ", ".join(inert_line(str(file)) for file in bundles)
        raise UsageError(
            f"only one bundle can be read: {shown}; --inventory reads the inventories of several"
        )
    others = tuple(file for file in files if file not in bundles)
    return others, next(iter(bundles), None)


def bundled_metrics(bundle: Path | None) -> tuple[Path, ...]:
    """Return a bundle that holds metrics; nothing for one that holds none.

    Raises:
        InputError: If it is no bundle, damaged or of another version.
    """
    return _holding(bundle, METRICS)


def bundled_traffic(bundle: Path | None) -> tuple[Path, ...]:
    """Return a bundle that holds traffic; nothing for one that holds none.

    Raises:
        InputError: If it is no bundle, damaged or of another version.
    """
    return _holding(bundle, TRAFFIC)


def _holding(bundle: Path | None, part: str) -> tuple[Path, ...]:
    if bundle is None or manifest_of(bundle).part(part) is None:
        return ()
    return (bundle,)
