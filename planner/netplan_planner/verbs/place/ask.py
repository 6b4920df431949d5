"""What `netplan place` is asked."""

from pathlib import Path
from typing import Annotated, ClassVar

from netplan_planner.asks import CHOICE, INPUT, Ask, Reading, Request, percentage
from netplan_planner.planning.project import Input, OfProject, Today


class PlaceChoices(Request, frozen=True, kw_only=True):
    """Tables and choices of a placement; without tables the inventory and its traffic."""

    PANEL: ClassVar[str] = INPUT

    vms: Annotated[
        Path | None,
        Ask(
            "Table of VMs instead of an inventory (docs/reference/verbs/place.md): name, zone, "
            "region, vcpus, group, is_spread, is_pinned, machine_type.",
            metavar="FILE",
        ),
    ] = None
    edges: Annotated[
        Path | None,
        Ask(
            "Table of their traffic (docs/reference/verbs/place.md): src, dst, gib_per_month, "
            "max_rtt_ms.",
            metavar="FILE",
        ),
    ] = None
    zones: Annotated[
        Path | None,
        Ask(
            "Table of the allowed zones (docs/reference/verbs/place.md): zone, capacity_vcpus.",
            metavar="FILE",
        ),
    ] = None
    least_saving_usd: Annotated[
        float | None,
        Ask(
            "Savings per month that a move must reach (default: 20), as in the rule "
            "chatty-inter-zone-pair.",
            "--least-saving",
            metavar="USD",
            least=0,
            panel=CHOICE,
        ),
    ] = None
    """A month and move; None: what the rule `chatty-inter-zone-pair` asks of a move."""
    zone_growth_ratio: Annotated[
        float | None,
        Reading(str, percentage),
        Ask(
            "vCPUs that a zone may gain, as a share (default: 25%). A table of zones overrides "
            "it. Tables of VMs have no limit by default.",
            "--zone-growth",
            metavar="PERCENT",
            panel=CHOICE,
        ),
    ] = None
    between_regions: Annotated[
        bool | None,
        Ask(
            "Whether VMs of tables may leave their region. Default: yes if --zones has other "
            "regions.",
            "--between-regions/--within-regions",
            panel=CHOICE,
        ),
    ] = None
    """None: where a table names the zones."""

    @property
    def may_leave_region(self) -> bool:
        """Whether machines may stand in another region than today."""
        return self.zones is not None if self.between_regions is None else self.between_regions


class PlaceAsk(OfProject, frozen=True, kw_only=True):
    """Which machines, and where they may go."""

    given: Input = Input()
    choices: PlaceChoices = PlaceChoices()
    today: Today = None
