"""What `netplan audit` is asked."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec.structs import replace

from netplan_planner.asks import (
    CHOICE,
    INPUT,
    KEPT,
    OUTPUT,
    WALKED,
    Ask,
    Names,
    Paths,
    Request,
    Usd,
)
from netplan_planner.model import CommitmentScope, Severity
from netplan_planner.model.finding import Level
from netplan_planner.planning.configured import RulesPath
from netplan_planner.planning.inputs import CurrencyCode
from netplan_planner.planning.project import (
    AcceptedFindings,
    FailOn,
    Input,
    LeastSaving,
    LeastSeverity,
    Measurements,
    OfMachines,
    Today,
    WhichSharing,
    with_bundle_of,
)


class Judging(Request, frozen=True, kw_only=True):
    """Which rules judge, and which findings are shown."""

    PANEL: ClassVar[str] = CHOICE

    select: Annotated[
        Names,
        Ask("Check only these rules or areas. Separate with commas, or repeat.", metavar="NAME"),
    ] = ()
    ignore: Annotated[
        Names, Ask("Skip these rules or areas. Separate with commas, or repeat.", metavar="NAME")
    ] = ()
    severity: LeastSeverity = Severity.INFO
    min_saving_usd: LeastSaving = None
    ignore_file: Annotated[
        Path | None,
        Ask(
            "Suppression file. Default: ./.netplan-ignore.toml if it exists.",
            metavar="FILE",
            is_expert=True,
        ),
        KEPT,
    ] = None
    baseline: AcceptedFindings = None
    rules_path: RulesPath = ()
    add_ignores: Annotated[
        bool,
        Ask(
            "Append every finding shown to the file of suppressions, so that the next audit leaves"
            " it out.",
            "--add-ignores",
            is_expert=True,
        ),
    ] = False


class Gate(Request, frozen=True, kw_only=True):
    """What makes the exit status other than 0."""

    PANEL: ClassVar[str] = OUTPUT

    fail_on: FailOn = Level.HIGH
    fail_on_saving_usd: Annotated[
        Usd | None,
        Ask(
            "Exit with status 1 when all fixes together save more than this per month.",
            "--fail-on-saving",
            metavar="USD",
            is_expert=True,
        ),
    ] = None
    is_strict: Annotated[
        bool,
        Ask(
            "Exit with status 4 when a page is missing or some evidence could not be fully used.",
            "--strict",
            short="Exit with 4 when evidence is incomplete.",
        ),
    ] = False

    exit_zero: Annotated[
        bool,
        Ask(
            "Exit with 0 whatever is found; incomplete evidence with --strict still ends with 4.",
            is_expert=True,
        ),
    ] = False

    def stops(self, severities: tuple[Severity, ...], saving_usd: Decimal) -> bool:
        """Return whether findings of these severities, or what fixes save, end with status 1."""
        if self.exit_zero:
            return False
        limit = self.fail_on_saving_usd
        return any(map(self.fail_on.holds, severities)) or (
            limit is not None and saving_usd > limit
        )


class Telling(Request, frozen=True, kw_only=True):
    """How much of the report is written, and where SARIF shows it."""

    PANEL: ClassVar[str] = OUTPUT

    full: Annotated[
        bool,
        Ask(
            "Print the full report as text. Default: one screen.",
            "--full",
            short="Print the full report as text.",
        ),
    ] = False
    statistics: Annotated[
        bool, Ask("Print counts and money by rule, not the findings.", is_expert=True)
    ] = False
    show: Annotated[
        str | None,
        Ask(
            "Print one finding in full. Give its number, or the first letters of its fingerprint.",
            "--show",
            short="Print one finding in full, by number or fingerprint.",
            metavar="NUMBER",
        ),
    ] = None
    explain: Annotated[
        Names,
        Ask(
            "Show inputs, formula, source and date of a rule's numbers. NAME is a rule or an "
            "area. Without NAME (before another option, or last): all rules.",
            metavar="NAME",
        ),
    ] = ()
    verbose: Annotated[
        int, Ask("Explain all.", "--verbose", ("-v",), is_counted=True, is_expert=True)
    ] = 0
    terraform_dir: Annotated[
        Path | None,
        Ask(
            "Root module of a Terraform plan; SARIF shows its lines. Default: the plan's folder.",
            metavar="DIR",
            is_folder=True,
            is_expert=True,
        ),
    ] = None
    max_findings: Annotated[
        int | None, Ask("Number of findings shown in full. 0 shows all.", least=0, is_expert=True)
    ] = None
    max_members: Annotated[
        int | None,
        Ask(
            "Number of similar resources shown per finding (default: 3 in text, 50 in HTML). 0 "
            "shows all.",
            least=0,
            is_expert=True,
        ),
    ] = None

    @property
    def asks_for_more(self) -> bool:
        """Whether an option is given that only the whole report can follow."""
        return (
            self.full
            or bool(self.explain)
            or self.max_findings is not None
            or self.max_members is not None
        )


class Recording(Request, frozen=True, kw_only=True):
    """Where the run is kept."""

    PANEL: ClassVar[str] = OUTPUT

    record: Annotated[
        Path | None,
        Ask(
            "Add this run to a DuckDB file, for netplan history; made if it is not there.",
            metavar="FILE",
            is_expert=True,
        ),
        KEPT,
    ] = None


class AuditAsk(OfMachines, frozen=True, kw_only=True):
    """What is audited, and how the findings are told."""

    files: Annotated[
        Paths,
        Ask(
            "More inventory files, for a shell pattern after --inventory, or a bundle after "
            "--bundle.",
            is_argument=True,
            is_expert=True,
        ),
        WALKED,
    ] = ()
    given: Input = Input()
    report: Annotated[
        Path | None,
        Ask(
            "Show a report written with --output json:FILE. Nothing else is read.",
            "--report",
            metavar="FILE",
            panel=INPUT,
        ),
    ] = None
    measurements: Measurements = ()
    commitment_scope: WhichSharing = CommitmentScope.UNKNOWN
    currency: CurrencyCode = None
    today: Today = None
    judging: Judging = Judging()
    gate: Gate = Gate()
    telling: Telling = Telling()
    recording: Recording = Recording()

    @property
    def settled(self) -> "AuditAsk":
        """What is asked with a bundle among the files where `--bundle` would have put it.

        Raises:
            UsageError: If there are several bundles.
        """
        files, bundle = with_bundle_of(self.files, self.given.bundle)
        return replace(self, files=files, given=replace(self.given, bundle=bundle))

    @property
    def price_folder(self) -> Path | None:
        """Where prices are; None: the embedded ones."""
        return self.settled.given.prices(self.pricing)
