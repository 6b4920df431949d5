"""What `netplan diff` is asked."""

from pathlib import Path
from typing import Annotated, ClassVar

from netplan_planner.asks import INPUT, OUTPUT, WALKED, Ask, Paths, Request, Usd
from netplan_planner.model import CommitmentScope
from netplan_planner.model.finding import Level
from netplan_planner.planning.configured import RulesPath
from netplan_planner.planning.inputs import AsOf, Calibration, PriceInput
from netplan_planner.planning.project import StrictReading, Today, WhichSharing


class DiffGate(Request, frozen=True, kw_only=True):
    """What makes the exit status other than 0."""

    PANEL: ClassVar[str] = OUTPUT

    on_new: Annotated[
        Level,
        Ask(
            "Exit with 1 on new findings from this severity on. What only moved with prices, limits"
            " or the version does not count.",
            "--fail-on-new",
        ),
    ] = Level.NEVER
    on_increase_usd: Annotated[
        Usd | None,
        Ask(
            "Exit with 1 if the cost per month rises by more than this many dollars; with 4 if"
            " that is unknown.",
            "--fail-on-increase",
            metavar="USD",
        ),
    ] = None
    is_strict: StrictReading = False


class DiffAsk(Request, frozen=True, kw_only=True):
    """Which two sides are compared."""

    sides: Annotated[
        Paths,
        Ask(
            "Before and after: reports (audit --output json), inventory files or folders, or"
            " bundles. One Terraform plan alone is compared with the state before it.",
            is_argument=True,
            panel=INPUT,
        ),
        WALKED,
    ] = ()
    traffic_from: Annotated[
        Path | None,
        Ask(
            "Bundle or report whose traffic and metrics both sides carry, by VM name or group.",
            metavar="FILE",
            panel=INPUT,
        ),
    ] = None
    pricing: PriceInput = PriceInput()
    calibration: Calibration = None
    as_of: AsOf = None
    today: Today = None
    rules_path: RulesPath = ()
    commitment_scope: WhichSharing = CommitmentScope.UNKNOWN
    gate: DiffGate = DiffGate()

    @property
    def price_folder(self) -> Path | None:
        """Where prices are; None: the embedded ones."""
        return self.pricing.prices
