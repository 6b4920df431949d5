"""What `netplan job` is asked."""

from pathlib import Path
from typing import Annotated, ClassVar

from netplan_planner.asks import Ask, Duration, Request
from netplan_planner.model import JobNeed
from netplan_planner.model.plans.connections import RoundTrip
from netplan_planner.model.plans.job import WORK
from netplan_planner.model.plans.machine_choice import PAYMENT, Interruptions
from netplan_planner.planning.inputs import Demo, PlanBasis

MOVED = "Where its bytes come from and go"
LEAST = 1e-6


class Ends(Request, frozen=True, kw_only=True):
    """Where its bytes come from and go."""

    PANEL: ClassVar[str] = MOVED

    source: Annotated[
        str,
        Ask(
            "zone: machines of the same zone; internal: of other zones; a region; internet;"
            " storage: Cloud Storage.",
            "--from",
            metavar="PLACE",
        ),
    ] = "zone"
    target: Annotated[str, Ask("As --from.", "--to", parameter="target", metavar="PLACE")] = "zone"
    area: Annotated[
        str | None,
        Ask(
            "With --to internet: continent or country, for the price.", metavar="AREA", panel=MOVED
        ),
    ] = None
    in_gbps: Annotated[
        float | None, Ask("What one machine takes in at most, where you measured it.", least=LEAST)
    ] = None
    out_gbps: Annotated[
        float | None, Ask("What one machine sends at most, where you measured it.", least=LEAST)
    ] = None
    in_total_gbps: Annotated[
        float | None, Ask("What the source gives to all machines together.", least=LEAST)
    ] = None
    out_total_gbps: Annotated[
        float | None, Ask("What the target takes from all machines together.", least=LEAST)
    ] = None
    disk_mib_per_s: Annotated[
        float | None,
        Ask(
            "What the disk of one machine reads and writes, where bytes in and out pass it.",
            least=LEAST,
        ),
    ] = None
    rtt_ms: RoundTrip = None


class Pay(Request, frozen=True, kw_only=True):
    """How it is paid; without a word on demand."""

    PANEL: ClassVar[str] = PAYMENT

    spot: Annotated[bool, Ask("Rank by Spot prices.", "--spot")] = False
    interruptions_per_day: Interruptions = None
    lost_work_s: Annotated[
        Duration | None,
        Ask(
            "Work that an interruption takes with it, such as 10m: half of what lies between two"
            " checkpoints (default: all of the run so far).",
            "--spot-lost-work",
            metavar="TIME",
        ),
    ] = None
    cud_1y: Annotated[
        bool, Ask("Rank with machines committed for 1 year, paid all month.", "--cud-1y")
    ] = False
    cud_3y: Annotated[bool, Ask("Rank with machines committed for 3 years.", "--cud-3y")] = False
    runs_per_day: Annotated[
        float | None, Ask("How often (default: once).", metavar="COUNT", least=LEAST, panel=WORK)
    ] = None


class JobAsk(Request, frozen=True, kw_only=True):
    """A job, and what its plan rests on."""

    need: JobNeed = JobNeed()
    ends: Ends = Ends()
    pay: Pay = Pay()
    demo: Demo = None
    on: PlanBasis = PlanBasis()

    @property
    def price_folder(self) -> Path | None:
        """Where prices are; None: the embedded ones."""
        return self.on.pricing.prices
