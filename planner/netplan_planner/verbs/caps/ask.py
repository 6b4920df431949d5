"""What `netplan caps` is asked."""

from typing import Annotated

from netplan_planner.asks import COMMON, Ask, Names, Request
from netplan_planner.planning.inputs import AsOf


class CapsAsk(Request, frozen=True, kw_only=True):
    """Which machine types, on which day."""

    machine_type: Annotated[
        str | None,
        Ask(
            "Machine type, such as n2-standard-16 or n2-custom-8-16384. Default: all types.",
            metavar="TYPE",
            is_argument=True,
        ),
    ] = None
    as_of: Annotated[AsOf, COMMON] = None
    cpu_platform: Annotated[
        str | None,
        Ask('Show only the variant of this platform, such as "Intel Skylake".', metavar="PLATFORM"),
    ] = None
    series: Annotated[
        Names,
        Ask(
            "Without TYPE: show only these series. Separate with commas, or repeat.",
            metavar="SERIES",
        ),
    ] = ()
