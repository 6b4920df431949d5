"""What `netplan caps` is asked."""

from typing import Annotated

from netplan_planner.asks import Ask, Names, Request
from netplan_planner.planning.inputs import AsOf


class CapsAsk(Request, frozen=True, kw_only=True):
    """Which machine types, on which day."""

    machine_type: Annotated[
        str | None,
        Ask(
            "Machine type, such as n2-standard-16, n2-custom-8-16384; none: all types.",
            metavar="TYPE",
            is_argument=True,
        ),
    ] = None
    as_of: AsOf = None
    cpu_platform: Annotated[
        str | None,
        Ask('Only the variant of this platform, such as "Intel Skylake".', metavar="PLATFORM"),
    ] = None
    series: Annotated[
        Names,
        Ask("Without TYPE: only these series; commas or repeated.", metavar="SERIES"),
    ] = ()
