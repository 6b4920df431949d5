"""What `netplan job` is asked."""

from pathlib import Path
from typing import Annotated, ClassVar

from netplan_planner.asks import EXPERT, Ask, Duration, Request
from netplan_planner.model import JobNeed
from netplan_planner.model.plans.connections import RoundTrip
from netplan_planner.model.plans.job import WORK
from netplan_planner.model.plans.machine_choice import PAYMENT, Interruptions
from netplan_planner.planning.inputs import Demo, PlanBasis

MOVED = "Source and destination of its bytes"
LEAST = 1e-6


class Ends(Request, frozen=True, kw_only=True):
    """Where its bytes come from and go."""

    PANEL: ClassVar[str] = MOVED

    source: Annotated[
        str,
        Ask(
            "Place of the bytes. zone: VMs in the same zone; internal: in other zones; a region; "
            "internet; storage: Cloud Storage.",
            "--from",
            metavar="PLACE",
            short="zone, internal, a region, internet or storage.",
        ),
    ] = "zone"
    target: Annotated[str, Ask("As --from.", "--to", parameter="target", metavar="PLACE")] = "zone"
    area: Annotated[
        str | None,
        Ask(
            "Continent or country, for the price. Only with --to internet.",
            metavar="AREA",
            panel=MOVED,
        ),
    ] = None
    in_gbps: Annotated[
        float | None,
        Ask("Maximum rate into one VM, as you measured it.", least=LEAST),
    ] = None
    out_gbps: Annotated[
        float | None,
        Ask("Maximum rate out of one VM, as you measured it.", least=LEAST, is_expert=True),
    ] = None
    in_total_gbps: Annotated[
        float | None,
        Ask("Maximum rate of the source to all VMs together.", least=LEAST, is_expert=True),
    ] = None
    out_total_gbps: Annotated[
        float | None,
        Ask("Maximum rate of the target from all VMs together.", least=LEAST, is_expert=True),
    ] = None
    disk_mib_per_s: Annotated[
        float | None,
        Ask(
            "Disk throughput of one VM, if bytes in and out go through its disk.",
            least=LEAST,
            is_expert=True,
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
            "Work lost in an interruption, such as 10m (half of the time between two "
            "checkpoints). Default: the whole run so far.",
            "--spot-lost-work",
            metavar="TIME",
            is_expert=True,
        ),
    ] = None
    cud_1y: Annotated[
        bool,
        Ask("Rank with VMs committed for 1 year, paid all month.", "--cud-1y", is_expert=True),
    ] = False
    cud_3y: Annotated[
        bool, Ask("Rank with VMs committed for 3 years.", "--cud-3y", is_expert=True)
    ] = False
    runs_per_day: Annotated[
        float | None,
        Ask("How often it runs. Default: once.", metavar="COUNT", least=LEAST, panel=WORK),
    ] = None


class JobAsk(Request, frozen=True, kw_only=True):
    """A job, and what its plan rests on."""

    need: JobNeed = JobNeed()
    ends: Ends = Ends()
    pay: Pay = Pay()
    demo: Annotated[Demo, EXPERT] = None
    on: PlanBasis = PlanBasis()

    @property
    def price_folder(self) -> Path | None:
        """Where prices are; None: the embedded ones."""
        return self.on.pricing.prices
