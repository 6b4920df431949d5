"""What `netplan audit` is asked."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec.structs import replace

from netplan_planner.asks import CHOICE, OUTPUT, WALKED, Ask, Names, Paths, Request, Usd
from netplan_planner.model import CommitmentScope, Severity
from netplan_planner.model.finding import Level
from netplan_planner.planning.inputs import CurrencyCode
from netplan_planner.planning.project import (
    Input,
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
        Names, Ask("Only these rules or areas; commas or repeated.", metavar="NAME")
    ] = ()
    ignore: Annotated[
        Names, Ask("Leave out these rules or areas; commas or repeated.", metavar="NAME")
    ] = ()
    severity: Annotated[
        Severity, Ask("Show findings from this severity on; --fail-on judges all of them.")
    ] = Severity.INFO
    min_saving_usd: Annotated[
        Usd | None,
        Ask(
            "Show only findings that save at least this much a month; --fail-on judges all.",
            "--min-saving",
            metavar="USD",
        ),
    ] = None
    ignore_file: Annotated[
        Path | None,
        Ask(
            "File of suppressions (default: ./.netplan-ignore.toml if it is there).", metavar="FILE"
        ),
    ] = None


class Gate(Request, frozen=True, kw_only=True):
    """What makes the exit status other than 0."""

    PANEL: ClassVar[str] = OUTPUT

    fail_on: Annotated[
        Level, Ask("Exit with 1 on findings from this severity on, shown or not.")
    ] = Level.HIGH
    fail_on_saving_usd: Annotated[
        Usd | None,
        Ask(
            "Exit with 1 when all fixes together save more than this a month.",
            "--fail-on-saving",
            metavar="USD",
        ),
    ] = None
    is_strict: Annotated[
        bool,
        Ask(
            "Exit with 4 when a page is missing or given evidence could not be used in full.",
            "--strict",
        ),
    ] = False

    def stops(self, severities: tuple[Severity, ...], saving_usd: Decimal) -> bool:
        """Return whether findings of these severities, or what fixes save, end with status 1."""
        limit = self.fail_on_saving_usd
        return any(map(self.fail_on.holds, severities)) or (
            limit is not None and saving_usd > limit
        )


class Telling(Request, frozen=True, kw_only=True):
    """How much of the report is written, and where SARIF shows it."""

    PANEL: ClassVar[str] = OUTPUT

    explain: Annotated[
        Names,
        Ask(
            "Inputs, formula, source and date of a rule's numbers, or an area's; without NAME"
            " (before another option, or last): of all.",
            metavar="NAME",
        ),
    ] = ()
    verbose: Annotated[int, Ask("Explain all.", "--verbose", ("-v",), is_counted=True)] = 0
    terraform_dir: Annotated[
        Path | None,
        Ask(
            "Root module of a Terraform plan, whose lines SARIF shows (default: the plan's"
            " folder).",
            metavar="DIR",
            is_folder=True,
        ),
    ] = None
    max_findings: Annotated[int | None, Ask("Findings written out in full; 0: all.", least=0)] = (
        None
    )
    max_members: Annotated[
        int | None, Ask("Alike places named in a finding (3 as text, 50 in HTML); 0: all.", least=0)
    ] = None


class AuditAsk(OfMachines, frozen=True, kw_only=True):
    """What is audited, and how the findings are told."""

    files: Annotated[
        Paths,
        Ask(
            "More inventory files, as a shell pattern behind --inventory gives, or a bundle,"
            " as behind --bundle.",
            is_argument=True,
        ),
        WALKED,
    ] = ()
    given: Input = Input()
    measurements: Measurements = ()
    commitment_scope: WhichSharing = CommitmentScope.UNKNOWN
    currency: CurrencyCode = None
    today: Today = None
    judging: Judging = Judging()
    gate: Gate = Gate()
    telling: Telling = Telling()

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
