"""What `netplan transfer` is asked."""

from pathlib import Path
from typing import Annotated

from netplan_planner.asks import Ask, Request
from netplan_planner.model.machine_choice import PAYMENT
from netplan_planner.planning.inputs import PlanBasis
from netplan_planner.quantities import Names
from netplan_planner.verbs.transfer.answer import GIVEN, WAYS, TransferNeed


class TransferAsk(Request, frozen=True, kw_only=True):
    """A transfer, and what its plan rests on."""

    need: TransferNeed = TransferNeed()
    relays: Annotated[
        Names,
        Ask(
            "Only these may pass bytes on, beside targets; commas or repeated (default: any).",
            "--relay",
            metavar="PLACE",
            panel=WAYS,
        ),
    ] = ()
    has_no_relays: Annotated[bool, Ask("The direct way alone.", "--no-relays", panel=WAYS)] = False
    grid: Annotated[
        Path | None,
        Ask("Rates between places: a table of src, dst, gbps_per_vm.", metavar="FILE", panel=GIVEN),
    ] = None
    edge_prices: Annotated[
        Path | None,
        Ask(
            "Traffic prices between places: a table of src, dst, usd_per_gib.",
            metavar="FILE",
            panel=GIVEN,
        ),
    ] = None
    is_spot: Annotated[bool, Ask("On Spot machines.", "--spot", panel=PAYMENT)] = False
    on: PlanBasis = PlanBasis()

    @property
    def price_folder(self) -> Path | None:
        """Where prices are; None: the embedded ones."""
        return self.on.pricing.prices
