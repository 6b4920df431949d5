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
            "Table of machines instead of an inventory: name, zone, region, vcpus, group,"
            " is_spread, is_pinned, machine_type (docs/place.md).",
            metavar="FILE",
        ),
    ] = None
    edges: Annotated[
        Path | None,
        Ask("Table of their traffic: src, dst, gib_per_month, max_rtt_ms.", metavar="FILE"),
    ] = None
    zones: Annotated[
        Path | None,
        Ask("Table of the zones where they may stand: zone, capacity_vcpus.", metavar="FILE"),
    ] = None
    least_saving_usd: Annotated[
        float | None,
        Ask(
            "The stop line: what a move has to save a month (default: 20, as the rule"
            " chatty-inter-zone-pair).",
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
            "How much more vCPUs than today a zone may hold, where no table says (default: 25% of"
            " an inventory; tables: no limit).",
            "--zone-growth",
            metavar="PERCENT",
            panel=CHOICE,
        ),
    ] = None
    between_regions: Annotated[
        bool | None,
        Ask(
            "Whether machines of tables may leave their region (default: where --zones names"
            " others).",
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
